"""What the server offers: games that can be shown to people, and agents to play them with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dunaia_env.games import FOR_STUDIES, GAMES
from dunaia_env.harness import dealing, opponents, registry, state
from dunaia_env.harness.game import Game
from dunaia_env.harness.options import NUM_PLAYERS, Option
from dunaia_env.harness.presentation import ENGLISH, Presentation, Wording
from dunaia_env.table import naming

DEFAULT_AGENTS = ("easy", "medium", "hard", "champion", "champion+64", "ismcts:200", "greedy", "random")

_STRONGEST_FIRST = ("champion", "hard", "medium", "ismcts:200", "greedy")


@dataclass(frozen=True, eq=False)
class Offer:
    """A game with its components, its presentation and the agents that play it.

    Attributes:
        name: name of the game, as files write it.
        game: the game.
        components: components with which it is played.
        presentation: how it is shown.
        agents: the names of the agents that can be chosen.
        learned: the values of options at which the trained ones of them have learned, by name of the agent.
    """

    name: str
    game: Game
    components: Any
    presentation: Presentation
    agents: tuple[str, ...]
    learned: Mapping[str, dealing.Dealt] = field(default_factory=dict)

    def proposed(self, options: Mapping[str, Any]) -> dict[str, str | None]:
        """The agents that are proposed for a table; None if there is no agent, or none that knows the table.

        Args:
            options: options of the game; those that are left out may have any value.

        Returns:
            ``opponent``: for a new table, where nobody knows yet how well the people play; ``stand_in``: for somebody
            who leaves; ``strongest``: the agent that plays best of those that are known to decide fast. Agents that
            only this server knows come before those that nobody takes for strong.
        """
        able = [name for name in self.agents if self._knows(name, options)]
        known = {*_STRONGEST_FIRST, *DEFAULT_AGENTS}
        ranked = (*_STRONGEST_FIRST, *(name for name in able if name not in known), *DEFAULT_AGENTS)
        wanted = {"opponent": ("easy", *ranked), "stand_in": ("medium", *ranked), "strongest": ranked}
        return {name: next((one for one in order if one in able), None) for name, order in wanted.items()}

    def _knows(self, agent: str, options: Mapping[str, Any]) -> bool:
        """Whether an agent has learned at tables with such options; whoever has not learned knows all of them.

        How long a game lasts changes nothing that it has to know, so numbers other than that of players do not count.
        """
        for name, values in self.learned.get(agent, {}).items():
            option = self.game.option(name)
            is_open = option.by_seat and None in values  # whatever seats may be given was drawn
            if name not in options or is_open or (option.is_number and name != NUM_PLAYERS):
                continue
            if option.to_json(options[name]) not in map(option.to_json, values):
                return False
        return True

    def to_json(self, language: str) -> dict[str, Any]:
        """What the lobby shows of the offer in a language, or in English where the game does not speak the language."""
        wording = self.presentation.wordings.get(language) or self.presentation.wording(ENGLISH)
        options = []
        for option in self.game.options:
            if option.name == NUM_PLAYERS:
                continue
            title, about = wording.options.get(option.name, (option.title or option.name, option.help))
            row = {"name": option.name, "title": title, "help": about, "default": option.to_json(option.default)}
            options.append(row | _form(option, wording.choices.get(option.name, {})))
        return {
            "name": self.name,
            "title": wording.title,
            "players": [self.game.min_players, self.game.max_players],
            "options": options,
            "presets": [self._preset(name, wording) for name in self.game.presets],
            "preset": self.presentation.preset,
            "agents": list(self.agents),
            "proposed": self.proposed({}),
            "programs": naming.programs(self.agents, language),
            "cover": self.presentation.cover() if self.presentation.cover else None,
            "dark": dict(self.presentation.dark),
            "introduction": _introduction(wording),
            "languages": {code: one.language for code, one in self.presentation.wordings.items()},
        }

    def _preset(self, name: str, wording: Wording) -> dict[str, Any]:
        """A preset with the value of every option, before the options are settled for a number of players."""
        values = self.game.preset(name)
        title, about = wording.presets.get(name, (name.replace("_", " ").capitalize(), ""))
        options = {
            option.name: option.to_json(option.check(values.get(option.name, option.default)))
            for option in self.game.options
        }
        options.pop(NUM_PLAYERS)
        return {"name": name, "title": title, "help": about, "players": values.get(NUM_PLAYERS), "options": options}


def _introduction(wording: Wording) -> dict[str, Any] | None:
    """What the lobby tells people who do not know a game, and how it can guide them."""
    told = wording.introduction
    if told is None:
        return None
    lessons = [lesson._asdict() for lesson in told.lessons]
    guide = {"preset": told.preset, "is_met_once": told.is_met_once}
    return {"about": told.about, "lessons": lessons, "guide": None if told.tip is None else guide}


def _form(option: Option, titles: Mapping[str, str]) -> dict[str, Any]:
    """An option's form field: ``bool``, ``int`` in a range, ``choice`` of a value, or ``seats``, a choice for each.

    Titles of values go by their names, see `Wording.choices`.
    """
    if option.is_switch:
        return {"kind": "bool"}
    if option.is_number:
        return {"kind": "int", "least": option.least, "most": option.most}
    values: Sequence[Any] = option.choices or range(option.least, option.most + 1)
    shown = option.shown if option.choices else tuple(map(str, values))
    choices = [
        {"value": option.to_json(value), "title": titles.get(word, word.replace("_", " ").title())}
        for value, word in zip(values, shown, strict=True)
    ]
    none = [{"value": None, "title": None}] if option.or_none else []
    return {"kind": "seats" if option.by_seat else "choice", "choices": none + choices}


def make_offers(
    games: Iterable[Game], *, agents: Sequence[str] | None = None, components: Any = None
) -> dict[str, Offer]:
    """The offers by name of the game; compiles everything that plays the games.

    Args:
        games: games that can be shown.
        agents: names of the agents that people may choose; None for the usual ones. An agent is offered for the games
            that it can play.
        components: components of the games; None for their own.

    Raises `ValueError` for a game without pictures, for components that are not a game's, and for a named agent that
    can play none of the games.
    """
    offers: dict[str, Offer] = {}
    wanted = DEFAULT_AGENTS if agents is None else tuple(dict.fromkeys(agents))
    faults: dict[str, ValueError] = {}
    for game in games:
        presentation = game.require("presentation")
        loaded = game.load(components)
        state.prepare(game, evaluation=game.load_weights is not None)
        learned: dict[str, dealing.Dealt] = {}
        for name in wanted:
            try:
                learned[name] = _learned(opponents.load(name, components=loaded, game=game), game)
            except ValueError as error:
                faults[name] = error
        title = registry.name_of(game)
        offers[title] = Offer(title, game, loaded, presentation, tuple(learned), learned)
    playable = {name for offer in offers.values() for name in offer.agents}
    for name in wanted if agents is not None else ():
        if name not in playable:
            raise faults.get(name, ValueError(f"agents: {name}: there is no game to play"))
    return offers


def _learned(agent: opponents.Agent, game: Game) -> dealing.Dealt:
    """The values of options at which an agent has learned, as its file says; nothing of one that has not learned."""
    network = getattr(getattr(agent, "player", agent), "network", None)
    if network is None:
        return {}
    players = {NUM_PLAYERS: tuple(network.header.get("players", ()))}
    return dealing.read_dealt(game, network.header) | {name: values for name, values in players.items() if values}


def games_with_pictures(names: Sequence[str] = ()) -> list[Game]:
    """The games with these names; by default those of the library that can be shown, without variants for studies.

    Raises `ValueError` for an unknown name or a game that cannot be shown.
    """
    found = [registry.find_game(name) for name in names or (name for name in GAMES if name not in FOR_STUDIES)]
    if not names:
        found = [game for game in found if game.presentation is not None]
    for game in found:
        game.require("presentation")
    if not found:
        raise ValueError("games: none of the library's games has pictures; name one that has")
    return found


def language_of(offers: Mapping[str, Offer], language: str) -> bool:
    """Whether any game speaks a language."""
    return any(language in offer.presentation.wordings for offer in offers.values())

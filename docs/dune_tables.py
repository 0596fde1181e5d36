"""What the code knows about Dune, as the generated parts of its pages."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable, Iterable, Mapping
from importlib import resources
from typing import Any

import numpy as np

from docs.encoding_tables import action_table, listing, observation_table
from docs.markdown import table
from dunaia_env import GameState
from dunaia_env.dune import (
    ACTION_HASH,
    ACTION_TABLE,
    GAME,
    NUM_ACTIONS,
    OBSERVATION_HASH,
    OBSERVATION_SIZE,
    PRESETS,
    STATE_SIZE,
    load,
    pieces_of,
    used_size,
)
from dunaia_env.dune.board import PROTECTION_NAMES, TYPE_NAMES
from dunaia_env.dune.decisions import DECISIONS
from dunaia_env.dune.evaluation.weights import SECTIONS, load_weights
from dunaia_env.dune.notation import pending as module_of_pending
from dunaia_env.dune.observation.encoding import documented_pieces
from dunaia_env.dune.options import GAME_OPTIONS
from dunaia_env.dune.presentation.hearing import OPEN
from dunaia_env.dune.presentation.labels import ASKED
from dunaia_env.dune.presentation.text_map import text_map
from dunaia_env.dune.rules.common import cards
from dunaia_env.dune.state import (
    CARD_NAMES,
    DISCS,
    FACTION_NAMES,
    HOW_NAMES,
    LEADERS,
    SHAI_HULUD,
    TERRITORIES,
    TLEILAX,
)
from dunaia_env.dune_v0 import raw_env
from dunaia_env.harness.compiled.chance import MAX_SEED
from dunaia_env.harness.compiled.rewards import ILLEGAL_PENALTY, REWARDS, final_rewards
from dunaia_env.harness.options import Option

EXAMPLE_SEED = 7
# What the map on the page shows: pairs of a cell and of tokens or spice.
ON_THE_MAP = {
    "atreides": [[0, 7], [44, 4]],
    "harkonnen": [[8, 10], [77, 3]],
    "emperor": [[68, 4], [79, 5]],
    "fremen": [[29, 8], [65, 6], [70, 3]],
    "guild": [[37, 4], [79, 5]],
    "bene_gesserit": [[0, 1], [25, 2], [58, 1]],
}
SPICE_ON_THE_MAP = [[69, 8], [70, 10]]
STORM_ON_THE_MAP = 12
# Who sees the values of a state dictionary: keys, and by whom they are seen.
_ALL, _OWNER, _ATREIDES = "everybody", "the seat itself", "Atreides"
SEEN: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        (
            *("phase", "actor", "turn", "over", "how", "winners", "options", "storm", "shield_wall", "wheels"),
            *("last_blow", "spice", "spice_discards", "deck_count", "discards", "removed", "alliance", "silenced"),
            *("truths", "leaders", "scores"),
        ),
        f"{_ALL}; of `leaders`, the `change` that is not shown yet: Tleilax",
    ),
    (("seat", "decision"), "the seat that is asked"),
    (("spice_deck",), f"{_ALL}, the foreseen card included; {_ATREIDES}, without it"),
    (("foreseen_spice",), _ATREIDES),
    (("unseen",), f"{_ALL}: for each seat the kinds of all cards that it does not hold and that do not lie openly"),
    (("hidden_discards",), "nobody"),
    (("top", "sale", "top_seen", "sale_seen"), f"{_ATREIDES}, if it saw the card; that a card lies there: {_ALL}"),
    (("prediction",), "Bene Gesserit"),
    (
        ("faction", "dot", "tanks", "forces", "shown", "reviving", "debts", "laid_on", "hand_count"),
        _ALL,
    ),
    (("spice", "reserve"), f"{_ALL}; with the option `open_shields` off {_OWNER}"),
    (("hand", "discs", "traitors", "laid"), _OWNER),
    (("pledge",), f"{_OWNER} and its allies"),
    (("foreseen",), _ATREIDES),
    (
        ("pending",),
        (
            "in parts: the course of the sale and of the battle, and shown plans: everybody; what a decision is about:"
            " the seat that is asked; a dial, Weather Control's number, a plan: whoever made it; the element of a plan"
            " that Atreides asks for: Atreides and the battler it helps"
        ),
    ),
)
# What each purpose of draws is counted by.
DRAWS = {
    "FACTION_DRAW": ("the faction of a seat, if factions are drawn", "seat", "the factions that are left, ascending"),
    "DISC_DRAW": ("a leader disc", "seat, number of the disc 0..3", "the leaders that are left, ascending"),
    "FIRST_CARD_DRAW": ("a treachery card of the set-up", "seat, number of the card", "the deck"),
    "SPICE_DRAW": ("a spice card", "number of the draw in the game", "the pile; in turn 1 its territories only"),
    "SALE_DRAW": ("the card on sale", "turn, number of the sale in the turn", "the deck"),
    "BONUS_DRAW": ("Harkonnen's second card", "turn, number of the sale in the turn", "the deck"),
    "SWAP_DRAW": ("a card that Harkonnen takes by a Karama", "number of the swap, number of the card", "that hand"),
}
HOW = {
    "strongholds": "a side holds enough strongholds at the end of a turn",
    "prediction": "Bene Gesserit predicted the winner and the turn, and wins alone instead",
    "fremen": "nobody won by the last turn, and the Fremen's condition holds",
    "guild": "nobody won by the last turn, and the Guild plays",
    "most": "nobody won by the last turn, and the option `undecided` counts strongholds",
    "nobody": "nobody won",
}


def title(name: str) -> str:
    """A name of the code in words: ``bene_gesserit`` is Bene Gesserit."""
    return name.replace("_", " ").title()


def specification() -> str:
    """What an environment page begins with."""
    turns = GAME.option("max_turns")
    rows: list[tuple[object, ...]] = [
        ("name", raw_env.metadata["name"]),
        ("Gymnasium", "`dunaia/Dune-v0`, for self-play `dunaia/DuneSelfPlay-v0`"),
        ("players", f"{GAME.min_players} to {GAME.max_players}"),
        ("actions", f"`Discrete({NUM_ACTIONS})`"),
        ("observation", f"int8, ({OBSERVATION_SIZE},), 0..127"),
        ("mask", f"int8, ({NUM_ACTIONS},), 1 for a legal action"),
        ("rewards", f"at the end, one for each seat, zero-sum: {', '.join(f'`{name}`' for name in REWARDS)}"),
        ("reward of an illegal action", ILLEGAL_PENALTY),
        ("turns of a game", f"at most `{turns.name}`, {turns.least}..{turns.most}, by default {turns.default}"),
        ("kinds of decisions", len(DECISIONS) - 1),
        ("seeds", f"0..{MAX_SEED}"),
        ("size of a state", f"{STATE_SIZE} bytes"),
        ("action hash", f"`{ACTION_HASH}`"),
        ("observation hash", f"`{OBSERVATION_HASH}`"),
        ("hash of the project's own components", f"`{load().hash}`"),
    ]
    return table(("what", "value"), rows)


def options() -> str:
    """Every option."""
    rows = [(f"`{one.name}`", f"`{_shown(one, one.default)}`", one.allowed(), one.help) for one in GAME_OPTIONS]
    return table(("option", "default", "allowed", "effect"), rows)


def presets() -> str:
    """What each preset sets."""
    rows: list[tuple[object, ...]] = []
    for option in GAME_OPTIONS:
        if any(option.name in preset for preset in PRESETS.values()):
            cells = (
                _shown(option, preset[option.name]) if option.name in preset else "" for preset in PRESETS.values()
            )
            rows.append((f"`{option.name}`", *(f"`{cell}`" if cell else "" for cell in cells)))
    return table(("option", *(f"`{name}`" for name in PRESETS)), rows)


def _shown(option: Option, value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(option.shown[option.choices.index(one)] for one in value)
    return str(value)


def decisions() -> str:
    """Every decision: when it is asked, what it asks, what can be answered."""
    _check("decisions", [*ASKED, "OVER"], DECISIONS)
    rows: list[tuple[object, ...]] = []
    for name, text in ASKED.items():
        decision = DECISIONS[name]
        rows.append((f"`{name}`", ", ".join(decision.phases), text, ", ".join(f"`{verb}`" for verb in decision.verbs)))
    return table(("decision", "phase", "what is asked", "verbs"), rows)


def _check(what: str, described: Iterable[str], needed: Iterable[str]) -> None:
    if set(described) != set(needed):
        raise KeyError(f"{what}: expected one text for each, got {', '.join(sorted(set(described) ^ set(needed)))}")


def actions() -> str:
    """The action table."""
    return action_table(ACTION_TABLE, "argument")


def observation() -> str:
    """The observation's pieces; repeated blocks stand once."""
    return observation_table(documented_pieces(), GAME, used_size)


def example() -> str:
    """The first observation of a game, piece by piece."""
    lines = []
    for name, piece in pieces_of(GameState.new(EXAMPLE_SEED, game=GAME, preset="duel").observation()).items():
        entries = [f"[{','.join(map(str, at))}] {piece[tuple(at)]}" for at in np.argwhere(piece)]
        if entries:
            lines.append(f"{name} {' '.join(entries)}")
    return listing(lines)


def board_map() -> str:
    """The map of a position of six factions, as terminals show it."""
    state = GameState.new(EXAMPLE_SEED, game=GAME, num_players=6, factions=list(ON_THE_MAP))
    content = state.to_dict() | {"storm": STORM_ON_THE_MAP, "spice": SPICE_ON_THE_MAP}
    for player, forces in zip(content["players"], ON_THE_MAP.values(), strict=True):
        player["forces"] = forces
    return f"```text\n{text_map(content, state.components)}\n```\n"


def visibility() -> str:
    """Who sees each value of a state dictionary."""
    view = GameState.new(EXAMPLE_SEED, game=GAME).view().to_dict()
    listed = [key for keys, _ in SEEN for key in keys]
    # `spice` is both what lies on the board and what a player owns.
    _check("what is seen", listed, {*view, *view["players"][0]} - {"players"})
    rows: list[tuple[object, ...]] = []
    for keys, who in SEEN:
        of_players = all(key in view["players"][0] and (key == "spice" or key not in view) for key in keys)
        rows.append((", ".join(f"`{key}`" for key in keys), "each player" if of_players else "the table", who))
    return table(("keys", "of", "seen by"), rows)


def heard() -> str:
    """The decisions that are made openly, with the verbs that everybody hears."""
    return table(
        ("decision", "actions that are heard"),
        [
            (f"`{decision}`", ", ".join(f"`{verb}`" for name, verb in OPEN if name == decision))
            for decision in dict.fromkeys(name for name, _ in OPEN)
        ],
    )


def rewards() -> str:
    """What a seat gets, by number of players, when one or two seats win."""
    rows: list[tuple[object, ...]] = []
    for players in range(GAME.min_players, GAME.max_players + 1):
        cells = []
        for winners in (1, 2):
            ranks = np.where(np.arange(players) < winners, 1, 1 + winners)
            found = final_rewards("win", np.zeros((1, players), np.int64), ranks[None], np.array([players]))[0]
            together = winners < players and (winners == 1 or players > 2)
            cells.append(f"{found[0]:.3g}, {found[-1]:.3g}" if together else "")
        rows.append((players, *cells))
    return table(("players", "one seat wins: winner, others", "two allies win: winners, others"), rows)


def ends() -> str:
    """How a game can end."""
    _check("ends", HOW, HOW_NAMES[1:])
    return table(("`how`", "meaning"), [(f"`{name}`", HOW[name]) for name in HOW_NAMES[1:]])


def components() -> str:
    """How the values of each group are known."""
    notes = _file()
    rows = [(f"`{name}`", status, notes[name].get("note", "")) for name, status in load().statuses.items()]
    return table(("group", "status", "note"), rows)


def _file() -> dict[str, Any]:
    """The project's own component file."""
    text = resources.files("dunaia_env.dune").joinpath("components.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def factions() -> str:
    """What each faction begins with."""
    printed, names = load().record[0], load().names
    rows: list[tuple[object, ...]] = []
    for faction in range(len(FACTION_NAMES)):
        standing: dict[str, int] = {}
        for cell in np.flatnonzero(printed["forces"][faction]):
            place = names.territories[printed["territory_of"][cell]]
            standing[place] = standing.get(place, 0) + int(printed["forces"][faction][cell])
        free = int(printed["free_forces"][faction])
        if free:
            cells = [cell for cell in printed["free_cells"][faction] if cell >= 0]
            places = dict.fromkeys(names.territories[printed["territory_of"][cell]] for cell in cells)
            standing[f"{', '.join(places)} (as the player distributes them)"] = free
        revival = (
            f"{printed['free_revival'][faction]}{'' if printed['paid_revival'][faction] else ', no more for spice'}"
        )
        rows.append(
            (
                f"{faction} {title(FACTION_NAMES[faction])}",
                "; ".join(f"{tokens} in {place}" for place, tokens in standing.items()),
                int(printed["tokens"]) - sum(standing.values()),
                printed["start_spice"][faction],
                "none" if faction == TLEILAX else revival,
                f"{printed['start_cards'][faction]}, at most {printed['hand_limit'][faction]}",
            )
        )
    heads = ("faction", "tokens on the board", "reserve", "spice", "tokens revived without payment", "treachery cards")
    return table(heads, rows)


def leaders() -> str:
    """Every leader."""
    printed, names = load().record[0], load().names
    rows: list[tuple[object, ...]] = []
    for leader in range(LEADERS):
        faction = title(FACTION_NAMES[printed["faction_of"][leader]])
        strength = printed["strength"][leader] if leader < DISCS else "the enemy leader's"
        rows.append((leader, names.leaders[leader], faction, strength))
    return table(("leader", "name", "faction", "strength"), rows)


def treachery() -> str:
    """Every kind of treachery card, with what the table in the browser says that it does."""
    printed = load().record[0]["treachery"]
    state = GameState.new(0, game=GAME)
    tell = GAME.require("presentation").wordings["en"].piece
    rows: list[tuple[object, ...]] = []
    for kind in range(len(CARD_NAMES)):
        name, _, use = tell(f"kind-{kind}", state.to_dict(), state.components).partition(". ")
        rows.append((kind, name, printed[0][kind], printed[1][kind], use.rstrip(".")))
    rows.append(("", "all", printed[0].sum(), printed[1].sum(), ""))
    return table(("kind", "card", "in the deck of 43", "in the deck of 33", "what it does"), rows)


def spice_cards() -> str:
    """Every spice card."""
    printed, names = load().record[0], load().names
    rows: list[tuple[object, ...]] = []
    for card in range(SHAI_HULUD):
        cell = int(printed["spice_cell"][card])
        place = names.territories[printed["territory_of"][cell]]
        rows.append((card, place, cell, printed["sector"][cell], printed["spice_amount"][card]))
    rows.append((SHAI_HULUD, f"worm, {printed['spice_cards'][SHAI_HULUD]} cards", "", "", ""))
    return table(("card", "territory", "cell", "sector", "spice"), rows)


def territories() -> str:
    """Every territory with its cells."""
    printed, names = load().record[0], load().names
    rows: list[tuple[object, ...]] = []
    for territory in range(TERRITORIES):
        first, count = int(printed["first_cell"][territory]), int(printed["num_cells"][territory])
        cells = f"{first}" if count == 1 else f"{first}..{first + count - 1}"
        sectors = [int(sector) for sector in printed["sector"][first : first + count] if sector >= 0]
        kind = title(TYPE_NAMES[printed["type"][territory]]).lower()
        safe = PROTECTION_NAMES[printed["protection"][territory]]
        rows.append(
            (territory, names.territories[territory], kind, cells, ", ".join(map(str, sectors)) or "none", safe)
        )
    return table(("territory", "name", "type", "cells", "their sectors", "protection from the storm"), rows)


def numbers() -> str:
    """The other printed numbers, by group."""
    rows: list[tuple[object, ...]] = []
    for group, content in _file().items():
        if group in ("factions", "leaders", "treachery", "spice_cards", "board"):
            continue
        values = {key: value for key, value in content.items() if key not in ("status", "note")}
        rows += [(f"`{group}.{key}`", _plain(value)) for key, value in values.items()]
    return table(("value", "number"), rows)


def _plain(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def pending() -> str:
    """What stands under ``pending`` in a state dictionary: the list of the module's docstring."""
    described = inspect.cleandoc(module_of_pending.__doc__ or "")
    return described[described.index("- ") :].replace("``", "`") + "\n"


def draws() -> str:
    """The purposes of draws and their keys."""
    numbers: Mapping[str, int] = {name: value for name, value in vars(cards).items() if name.endswith("_DRAW")}
    _check("draws", DRAWS, numbers)
    rows = [(numbers[name], *DRAWS[name]) for name in sorted(DRAWS, key=lambda name: numbers[name])]
    return table(("purpose", "what is drawn", "key", "from"), rows)


def considerations() -> str:
    """The numbers of the hand-written evaluation."""
    weights = iter(load_weights())
    parts = []
    for section, terms in SECTIONS.items():
        rows = [(f"`{term.name}`", f"{next(weights):g}", term.meaning) for term in terms]
        unit = "log-odds" if section == "shares" else "number"
        parts.append(table((f"`{section}`", unit, "what it is"), rows))
    return "\n".join(parts)


GENERATORS: dict[str, Callable[[], str]] = {
    "dune_specification": specification,
    "dune_options": options,
    "dune_presets": presets,
    "dune_decisions": decisions,
    "dune_actions": actions,
    "dune_observation": observation,
    "dune_example": example,
    "dune_visibility": visibility,
    "dune_heard": heard,
    "dune_map": board_map,
    "dune_rewards": rewards,
    "dune_ends": ends,
    "dune_components": components,
    "dune_factions": factions,
    "dune_leaders": leaders,
    "dune_treachery": treachery,
    "dune_spice_cards": spice_cards,
    "dune_territories": territories,
    "dune_numbers": numbers,
    "dune_pending": pending,
    "dune_draws": draws,
    "dune_considerations": considerations,
}

"""The game in words: a position, an action and what happened, in English, from state dictionaries or from views."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from dunaia_env.dune import state as layout
from dunaia_env.dune.board import TYPE_NAMES
from dunaia_env.dune.components import Components, load
from dunaia_env.dune.options import OPTIONS, PRESETS, complete
from dunaia_env.dune.presentation import labels
from dunaia_env.dune.presentation.wording import english, sentences
from dunaia_env.dune.presentation.wording.facts import Facts, shown_sector
from dunaia_env.dune.presentation.wording.happenings import spice_card, told
from dunaia_env.dune.presentation.wording.news import events
from dunaia_env.dune.presentation.wording.tellers import Teller
from dunaia_env.dune.presentation.wording.words import capital
from dunaia_env.dune.state import NONE
from dunaia_env.support.english import count

Content = Mapping[str, Any]


# Actions


def sentence(action: str, content: Content, components: Components) -> str:
    """What an action (its text) does in the position of a state dictionary, as a player would say it."""
    return sentences.sentence(english.WORDS, action, content, components)


# Positions


def describe(content: Content, components: Components) -> str:
    """A position as text: the moment, the board by territory, then each player. Hidden values are question marks."""
    return "\n".join(_lines(Teller(english.WORDS, Facts(content, components))))


def _lines(at: Teller) -> Iterator[str]:
    yield _head(at)
    yield from (f"  {line}" for line in about(at))
    content = at.facts.content
    wall = at.territory(at.facts.printed.shield_wall)
    storm = shown_sector(content["storm"])
    yield f"Storm: sector {storm}. {wall}: {'stands' if content['shield_wall'] else 'destroyed'}."
    if content["wheels"][0] != NONE:
        yield f"The next storm is dialled by {at.seats(content['wheels'])}."
    last = content["last_blow"]
    yield f"Last spice blow: {at.territory(last) if last != NONE else 'none'}"
    yield from _piles(at)
    yield "Board:"
    yield from (f"  {line}" for line in _board(at))
    for seat in range(len(at.facts.players)):
        yield ""
        yield from seat_lines(at, seat)


def _faction(at: Teller, number: int) -> str:
    """A faction at the beginning of a sentence."""
    return capital(str(at.faction(number)))


def _who(at: Teller, seat: int) -> str:
    """The faction of a seat at the beginning of a sentence."""
    return capital(str(at.who(seat)))


def _head(at: Teller) -> str:
    facts, content = at.facts, at.facts.content
    if content["over"]:
        winners = at.words.names(at.words.name(_who(at, seat)) for seat in content["winners"])
        return f"Turn {content['turn']}, the game is over: {winners} {'win' if len(content['winners']) > 1 else 'wins'}"
    turn = f"Turn {content['turn']}, {_phase(at)}"
    if content["actor"] != NONE:
        turn += f", {at.who(content['actor'])} {'attacks' if content['phase'] == 'battle' else 'moves'}"
    if facts.decision is None or facts.seat == NONE:
        return turn
    return f"{turn}; player {facts.seat} ({at.who(facts.seat)}) decides: {labels.ENGLISH.decisions[facts.decision]}"


def _phase(at: Teller) -> str:
    return at.say(f"phase.{at.facts.content['phase']}")


def about(at: Teller) -> Iterator[str]:
    """What the decision is about, one line for each thing."""
    pending, content = at.facts.pending, at.facts.content
    if content["sale"] != NONE:
        kind = content["sale"]
        yield f"On sale: {at.card(kind) if kind is not None else 'a card'}"
    if "cards_left" in pending:
        highest = f"{pending['bid']} by {at.who(pending['bidder'])}" if pending.get("bid") else "none"
        yield f"Highest bid: {highest}; {count(pending['cards_left'], 'card')} to come"
    if "power" in pending:
        yield f"To be stopped or not: {at.power()}"
    yield from _battle(at)
    for key, text in _ABOUT.items():
        if key in pending:
            yield text(at, pending[key])


def _taken(at: Teller, taken: Sequence[Sequence[int]]) -> str:
    named = ", ".join(f"{number} in {at.cell(where)}" for where, number in taken)
    return f"Tokens named so far: {named}"


_ABOUT: dict[str, Callable[[Teller, Any], str]] = {
    "faction": lambda at, value: f"Predicted faction: {at.faction(value)}",
    "asked_by": lambda at, value: f"Asked by: {at.who(value)}",
    "target": lambda at, value: f"Meant for: {at.who(value)}",
    "card": lambda at, value: f"Card: {at.card(value)}",
    "leader": lambda at, value: f"Leader: {at.leader(value)}",
    "price": lambda at, value: f"Price: {value} spice",
    "origin": lambda at, value: f"From: {at.territory(value)}",
    "worm": lambda at, value: f"The worm is in: {at.territory(value)}",
    "cell": lambda at, value: f"Cell: {at.cell(value)}",
    "taken": _taken,
    "landing": lambda at, value: f"Landing: {count(value, 'token')}",
    "left": lambda at, value: f"Left: {value}",
    "dial": lambda at, value: f"Own dial: {value}",
    "weather": lambda at, value: f"The storm will move {count(value, 'sector')}",
    "thumper": lambda at, value: "A thumper has been played",
    "freed": lambda at, value: f"Without payment came back: {count(value, 'token')}",
    "half_price": lambda at, value: "The shipment is at half price",
    "second_move": lambda at, value: "It is the second move",
    "sight_stopped": lambda at, value: f"{_faction(at, layout.ATREIDES)} sees no card of this phase",
    "embargo": lambda at, value: f"Only {at.faction(layout.TLEILAX)} gets tokens from the tanks",
    "keeping": lambda at, value: f"To be kept or not: the {value}",
}


def _battle(at: Teller) -> Iterator[str]:
    pending = at.facts.pending
    if "field" not in pending:
        return
    aggressor, defender = at.facts.battlers
    yield f"Battle in {at.cell(pending['field'])}: {at.who(aggressor)} against {at.who(defender)}"
    if "voice" in pending:
        yield f"The Voice orders {at.who(at.facts.voice_target)}: {at.order(pending['voice'])}"
    if "element" in pending:
        element = at.say(f"element.{pending['element']}")
        yield f"{_faction(at, layout.ATREIDES)} asked about {element} in the plan"
    for seat in (aggressor, defender):
        parts = at.plan(at.facts.plan(seat)) if seat != NONE else ""
        if parts:
            yield f"Plan of {at.who(seat)}: {parts}"


def _size(content: Content, key: str) -> str:
    counts = content.get(key)
    return str(content.get(f"{key}_count", "?") if counts is None else sum(counts))


def _piles(at: Teller) -> Iterator[str]:
    content = at.facts.content
    foreseen = content["foreseen_spice"]
    seen = f"; next comes {spice_card(at, foreseen)}" if foreseen not in (None, NONE) else ""
    spice = sum(content["spice_deck"])
    yield f"Spice deck: {count(spice, 'card')}, {content['spice_deck'][layout.SHAI_HULUD]} of them worms{seen}"
    top = content["top"]
    on_top = "" if top == NONE else f"; on top {at.card(top) if top is not None else 'an unsold card'}"
    gone = [kind for kind, number in enumerate(content["discards"]) for _ in range(number)]
    yield f"Treachery deck: {_size(content, 'deck')}{on_top}; discards: {at.cards(gone)}"
    if content["silenced"]:
        yield f"Silenced: {at.seats(content['silenced'])}"
    for asker, target, question, answer in content["truths"]:
        asked = at.truth(question)
        yield f"Truth: {at.who(asker)} asked {at.who(target)}: {asked} {'Yes' if answer else 'No'}"


def _board(at: Teller) -> Iterator[str]:
    """A line for each territory with something in it, and for each stronghold."""
    for number, kind in enumerate(at.facts.printed.type):
        parts = [part for where in at.facts.cells(number) if (part := _contents(at, where))]
        stronghold = TYPE_NAMES[kind] == "stronghold"
        if parts or stronghold:
            title = f"{at.territory(number)}{' (stronghold)' if stronghold else ''}"
            yield f"{title}: {'; '.join(parts) or 'empty'}"


def _contents(at: Teller, where: int) -> str:
    parts = [
        f"{_who(at, seat)} {tokens}"
        for seat in range(len(at.facts.players))
        if (tokens := at.facts.tokens(seat, where))
    ]
    spice = dict(map(tuple, at.facts.content["spice"])).get(where)
    if spice:
        parts.append(f"{spice} spice")
    if not parts:
        return ""
    several = len(at.facts.cells(at.facts.territory(where))) > 1
    storm = ", in the storm" if at.facts.is_stormy(where) else ""
    return f"{f'sector {shown_sector(at.facts.sector(where))}: ' if several else ''}{', '.join(parts)}{storm}"


def _known(value: Any) -> str:
    return "?" if value is None else str(value)


def seat_lines(at: Teller, seat: int) -> Iterator[str]:
    """What is known of a seat: a line with its numbers, then an indented line for each kind of pieces."""
    player, content = at.facts.players[seat], at.facts.content
    name = f"{_who(at, seat)} (player {seat})"
    held, size = at.facts.held(seat), at.facts.hand_size(seat)
    yield (
        f"{name}: {_known(player['spice'])} spice, {_known(player['reserve'])} in reserve, {player['tanks']} in the"
        f" tanks, {count(held, 'stronghold')}, {count(size, 'card') if size is not None else '? cards'}"
    )
    hand, shown = player["hand"], player["shown"]
    if hand is not None:
        yield f"  Cards: {at.cards(hand)}"
    elif shown:
        yield f"  Cards that everybody knows: {at.cards(shown)}"
    if player["foreseen"]:
        yield f"  Cards that {at.faction(layout.ATREIDES)} saw: {at.cards(player['foreseen'])}"
    yield f"  Leaders: {', '.join(_leader(at, disc) for disc in _leaders_of(at, seat)) or 'none'}"
    if player["traitors"]:
        yield f"  Traitors: {', '.join(map(str, map(at.leader, player['traitors'])))}"
    allies = at.facts.allies(seat)
    if allies:
        pledge = f", {player['pledge']} spice pledged" if player["pledge"] else ""
        yield f"  Allied with {at.seats(allies)}{pledge}"
    if player["laid_on"] != NONE:
        kind = player["laid"]
        laid = at.name("a_card") if kind in (None, NONE) else at.card(kind)
        yield f"  Has laid {laid} on {at.who(player['laid_on'])}"
    for other, debt in enumerate(player["debts"]):
        if debt:
            yield f"  Owes {at.who(other)} {debt} spice"
    prediction = content["prediction"]
    if prediction and at.facts.with_power(layout.BENE_GESSERIT) == seat:
        yield f"  Predicts: {at.faction(prediction['faction'])} in turn {prediction['turn']}"
    if player["reviving"]:
        yield "  Raises its leaders, one a turn"


def _leaders_of(at: Teller, seat: int) -> list[int]:
    owners = at.facts.content["leaders"]["owner"]
    return [number for number in range(layout.LEADERS) if owners[number] == seat]


def _leader(at: Teller, number: int) -> str:
    leaders = at.facts.content["leaders"]
    text = f"{at.leader(number)} {at.facts.strength(number)}"
    change = leaders["change"][number]
    if change:
        text += f"{change:+d}"
    used = leaders["used"][number]
    notes = [] if leaders["alive"][number] else ["dead"]
    notes += [f"used in {at.territory(used)}"] if used != NONE else []
    return f"{text} ({', '.join(notes)})" if notes else text


# Transcripts

# The words for an option that differs from its default, by name; a true or false option has the other value then.
_OPTIONS = {
    "powers": "without powers",
    "deck": "{} treachery cards",
    "alliances": "without alliances",
    "max_alliance": "alliances of at most {}",
    "alliance_strongholds": "{} strongholds for an alliance",
    "karama_powers": "with Karama powers",
    "tleilax": "with Bene Tleilax",
    "open_shields": "with hidden spice and reserves",
    "atreides_sees_bonus": "Atreides does not see the second card of Harkonnen",
    "undecided": "undecided games won by {}",
    "max_turns": "{} turns",
}


def variant(options: Mapping[str, Any]) -> str:
    """The variant of the game, from its options: a preset's name, or what differs; empty for the full game."""
    chosen = {option.name: options[option.name] for option in OPTIONS}
    players = options.get("num_players", 3)
    for name, preset in PRESETS.items():
        of_preset = {option: value for option, value in preset.items() if option in chosen}
        if chosen == complete(of_preset, players):
            return "" if not of_preset else f"variant {name}"
    usual = complete({}, players)
    return ", ".join(_OPTIONS[name].format(value) for name, value in chosen.items() if value != usual[name])


def turn(content: Content, player: str) -> str:
    """The line that opens the decisions of a player."""
    at = Teller(english.WORDS, Facts(content, load(None)))
    faction = f" {_who(at, at.facts.seat)}," if at.facts.seat != NONE else ""
    return f"Turn {content['turn']}, {_phase(at)}:{faction} {player}"


def news(before: Content, after: Content, components: Components | None = None) -> Sequence[str]:
    """The events between two positions that the action's sentence has not told, one line for each.

    Args:
        before: the earlier state dictionary or view.
        after: the later state dictionary or view.
        components: the components whose names and values are used; None for the game's own.
    """
    at = Teller(english.WORDS, Facts(after, components or load(None)))
    lines = []
    for event in events(before, after, at.facts.components):
        text = told(event, at)
        lines.append(text if event.seat is None else f"{_who(at, event.seat)} {text}")
    return lines

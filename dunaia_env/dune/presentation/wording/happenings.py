"""What happened, in words: the same in every language. `news` finds the events."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dunaia_env.dune import state as layout
from dunaia_env.dune.actions import ACTION_TEXTS
from dunaia_env.dune.components import Components
from dunaia_env.dune.notation.pending import ELEMENTS
from dunaia_env.dune.presentation.wording.facts import Facts, shown_sector
from dunaia_env.dune.presentation.wording.news import events
from dunaia_env.dune.presentation.wording.tellers import Teller
from dunaia_env.dune.presentation.wording.words import Words
from dunaia_env.dune.state import NONE
from dunaia_env.harness.presentation import Change, Event

Content = Mapping[str, Any]


def changes(words: Words, action: str, before: Content, after: Content, components: Components) -> list[Change]:
    """The differences between two positions that the action's sentence has not told."""
    teller = Teller(words, Facts(after, components))
    return [Change(event.seat, words.typeset(told(event, teller))) for event in events(before, after, components)]


def told(event: Event, teller: Teller) -> str:
    """An event in words: for an event of a seat, a clause without its subject; for one of the board, a whole clause."""
    variant, parts = EVENTS[event.kind](teller, *event.numbers)
    return teller.say(f"event.{variant or event.kind}", **parts)


def spice_card(teller: Teller, number: int) -> str:
    """A spice card: ``a worm``, or a territory with its amount."""
    if number == layout.SHAI_HULUD:
        return teller.say("worm")
    printed = teller.facts.printed
    territory = teller.territory(printed.spice_territory[number])
    return teller.say("blow", territory=territory, amount=printed.spice_amount[number])


# For each kind of event, the key of its template, if it is not the kind's own, and the parts of the template.
_Written = tuple[str, dict[str, object]]


def _nothing(teller: Teller) -> _Written:
    return "", {}


def _number(teller: Teller, number: int) -> _Written:
    return "", {"number": number}


def _target(teller: Teller, target: int) -> _Written:
    return "", {"target": teller.who(target)}


def _leader(teller: Teller, number: int) -> _Written:
    return "", {"leader": teller.leader(number)}


def _leaders(teller: Teller, *numbers: int) -> _Written:
    return "", {"leaders": teller.leaders(numbers)}


def _in_territory(teller: Teller, territory: int, number: int) -> _Written:
    return "", {"territory": teller.territory(territory), "number": number}


def _cards(teller: Teller, *kinds: int) -> _Written:
    return "", {"cards": teller.cards(kinds)}


def _attacks(teller: Teller, enemy: int, field: int) -> _Written:
    return "", {"enemy": teller.who(enemy), "place": teller.cell(field)}


def _order(teller: Teller, enemy: int, action: int) -> _Written:
    return "", {"enemy": teller.who(enemy), "order": teller.order(ACTION_TEXTS[action])}


def _element(teller: Teller, element: int) -> _Written:
    return "", {"element": teller.say(f"element.{ELEMENTS[element]}")}


def _plan(teller: Teller, leader: int, weapon: int, defence: int, number: int) -> _Written:
    hero = leader == layout.HERO
    plan = {"leader": leader, "hero": hero, "weapon": weapon, "defence": defence, "number": number}
    return "", {"plan": teller.plan(plan)}


def _treason(teller: Teller, enemy: int) -> _Written:
    return "", {"enemy": teller.who(enemy)}


def _truth(teller: Teller, asker: int, action: int, answer: int) -> _Written:
    parts = {"asker": teller.who(asker), "truth": teller.truth(ACTION_TEXTS[action])}
    return "truth" if answer else "untruth", parts


def _foresees(teller: Teller, number: int) -> _Written:
    return "", {"spice_card": spice_card(teller, number)}


def _moves(teller: Teller, number: int, origin: int, territory: int) -> _Written:
    return "", {"number": number, "origin": teller.territory(origin), "territory": teller.territory(territory)}


def _changed(teller: Teller, leader: int, change: int) -> _Written:
    return "", {"leader": teller.leader(leader), "change": change}


def _spice(teller: Teller, before: int, after: int) -> _Written:
    return "gains" if after > before else "pays", {"amount": abs(after - before), "now": after}


def _alms(teller: Teller, before: int, after: int) -> _Written:
    return "", {"amount": after - before, "now": after}


def _harvests(teller: Teller, territory: int, amount: int, now: int) -> _Written:
    parts: dict[str, object] = {"territory": teller.territory(territory), "amount": amount}
    return ("", parts) if now == NONE else ("harvests.now", {**parts, "now": now})


def _buys(teller: Teller, kind: int) -> _Written:
    return ("", {}) if kind == NONE else ("buys.known", {"card": teller.card(kind)})


def _gets(teller: Teller, *kinds: int) -> _Written:
    known = [kind for kind in kinds if kind != NONE]
    return ("gets.known", {"cards": teller.cards(known)}) if known else ("", {"number": len(kinds)})


def _debt(teller: Teller, other: int, owes: int) -> _Written:
    return "debt" if owes else "debt.nothing", {"target": teller.who(other), "number": owes}


def _storm(teller: Teller, start: int, end: int) -> _Written:
    return "storm.stays" if start == end else "", {"start": shown_sector(start), "end": shown_sector(end)}


def _blow(teller: Teller, number: int, stays: int) -> _Written:
    printed = teller.facts.printed
    parts = {"place": teller.cell(printed.spice_cell[number]), "amount": printed.spice_amount[number]}
    return "blow" if stays else "blow.lost", parts


def _more(teller: Teller, cell: int, amount: int) -> _Written:
    return "", {"place": teller.cell(cell), "amount": amount}


def _less(teller: Teller, territory: int, amount: int) -> _Written:
    return "", {"territory": teller.territory(territory), "amount": amount}


def _sale(teller: Teller, kind: int) -> _Written:
    return "", {"card": teller.card(kind) if kind != NONE else teller.name("a_card")}


def _alliance(teller: Teller, *members: int) -> _Written:
    return "", {"members": teller.seats(members)}


def _won(teller: Teller, enemy: int, field: int, own: int, other: int) -> _Written:
    parts: dict[str, object] = {"enemy": teller.who(enemy), "place": teller.cell(field)}
    if own == NONE:
        return "won.treason", parts
    return "won.tie" if own == other else "", {**parts, "own": own, "other": other}


def _drawn(teller: Teller, aggressor: int, defender: int, field: int, exploded: int) -> _Written:
    sides = {"aggressor": teller.who(aggressor), "defender": teller.who(defender)}
    parts: dict[str, object] = {**sides, "place": teller.cell(field)}
    return "drawn.exploded" if exploded else "", parts


def _phase(teller: Teller, phase: int) -> _Written:
    return "", {"phase": teller.say(f"phase.{layout.PHASE_NAMES[phase]}")}


def _over(teller: Teller, how: int, *winners: int) -> _Written:
    if not winners:
        return "", {}
    name, parts = layout.HOW_NAMES[how], {"winners": teller.seats(winners)}
    variant, numbers = _by_most(teller.facts, winners) if name == "most" else ("", {})
    return f"over.{name}{variant}", {**parts, **numbers}


def _by_most(facts: Facts, winners: Sequence[int]) -> tuple[str, dict[str, object]]:
    """What decided a game that nobody had won by its last turn, with the numbers of the winners and the next side."""
    first, others = winners[0], [seat for seat in range(len(facts.players)) if seat not in winners]
    held, spice = facts.held(first), facts.spice_of_side(first)
    if not others or any(seat != first and seat not in facts.allies(first) for seat in winners):
        return (".hidden", {"held": held}) if spice is None else (".shared", {"held": held, "spice": spice})
    next_held = max(map(facts.held, others))
    if next_held < held:
        return "", {"held": held, "next_held": next_held}
    rivals = [facts.spice_of_side(seat) for seat in others if facts.held(seat) == held]
    known = [amount for amount in rivals if amount is not None]
    if spice is None or len(known) < len(rivals):
        return ".hidden", {"held": held}
    return ".spice", {"held": held, "spice": spice, "next_spice": max(known)}


EVENTS: dict[str, Callable[..., _Written]] = {
    "attacks": _attacks,
    "unarmed": _nothing,
    "order": _order,
    "element": _element,
    "plan": _plan,
    "treason": _treason,
    "won": _won,
    "dialled": _number,
    "truth": _truth,
    "bid": _number,
    "discs": _leaders,
    "traitors": _leaders,
    "foresees": _foresees,
    "loses": _in_territory,
    "moves": _moves,
    "lifts": _in_territory,
    "lands": _in_territory,
    "revives": _number,
    "killed": _leader,
    "back": _leader,
    "owns": _leader,
    "changed": _changed,
    "reviving": _nothing,
    "spice": _spice,
    "left": _number,
    "alms": _alms,
    "harvests": _harvests,
    "buys": _buys,
    "gets": _gets,
    "gives": _number,
    "lays": _target,
    "unlays": _target,
    "pledges": _number,
    "debt": _debt,
    "leaves": _nothing,
    "silenced": _nothing,
    "storm": _storm,
    "wall": _nothing,
    "blow": _blow,
    "worm": _number,
    "more": _more,
    "less": _less,
    "discarded": _cards,
    "removed": _cards,
    "sale": _sale,
    "unsold": _nothing,
    "alliance": _alliance,
    "sight": _nothing,
    "embargo": _nothing,
    "drawn": _drawn,
    "resumed": _nothing,
    "phase": _phase,
    "turn": _number,
    "over": _over,
}

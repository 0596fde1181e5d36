"""What each piece of a position is, and what it does or would do now: the same in every language, with its words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from dunaia_env.dune.board import BEHIND_THE_WALL, PROTECTED, TYPE_NAMES
from dunaia_env.dune.components import Components
from dunaia_env.dune.decisions import DECISIONS
from dunaia_env.dune.notation.pending import ELEMENTS
from dunaia_env.dune.presentation.pieces import check_piece
from dunaia_env.dune.presentation.wording.facts import Facts, shown_sector
from dunaia_env.dune.presentation.wording.sentences import clause
from dunaia_env.dune.presentation.wording.tellers import Teller
from dunaia_env.dune.presentation.wording.words import Words, capital
from dunaia_env.dune.state import (
    BENE_GESSERIT,
    CARD_NAMES,
    FACE_DANCER,
    FACTION_NAMES,
    KARAMA_CARD,
    NONE,
    SHAI_HULUD,
    TLEILAX,
)

Content = Mapping[str, Any]


def piece(words: Words, name: str, content: Content, components: Components) -> str:
    """What a piece (by its name) is, and what it does or would do now; raises `ValueError` for an unknown name."""
    kind, numbers = check_piece(name, content)
    teller = Teller(words, Facts(content, components))
    return words.typeset(" ".join(map(capital, _PIECES[kind](teller, *numbers))))


# The map


def _occupants(teller: Teller, cells: Sequence[int]) -> Iterator[str]:
    """The tokens and the spice in some cells."""
    facts = teller.facts
    for seat in range(len(facts.players)):
        tokens = sum(facts.tokens(seat, where) for where in cells)
        if tokens:
            yield teller.say("tokens_here", owner=teller.who(seat), number=tokens)
    spice = sum(amount for where, amount in facts.content["spice"] if where in cells)
    if spice:
        yield teller.say("spice_here", number=spice)


def _shelter(teller: Teller, number: int) -> Iterator[str]:
    """Whether the storm harms the tokens in a territory."""
    protection = teller.facts.printed.protection[number]
    if protection == PROTECTED:
        yield teller.say("safe")
    elif protection == BEHIND_THE_WALL and teller.facts.content["shield_wall"]:
        yield teller.say("safe_behind_the_wall")


def _ground(teller: Teller, number: int) -> str:
    return teller.say(f"ground.{TYPE_NAMES[teller.facts.printed.type[number]]}")


def _cell(teller: Teller, number: int) -> Iterator[str]:
    facts = teller.facts
    place = facts.territory(number)
    yield teller.say("ground", name=teller.cell(number), ground=_ground(teller, place))
    yield from _occupants(teller, (number,))
    if facts.is_stormy(number):
        yield teller.say("stormy")
    yield from _shelter(teller, place)
    if place in facts.printed.ornithopters:
        yield teller.say("ornithopters_here")


def _territory(teller: Teller, number: int) -> Iterator[str]:
    facts = teller.facts
    yield teller.say("ground", name=teller.territory(number), ground=_ground(teller, number))
    sectors = [facts.sector(where) for where in facts.cells(number)]
    if len(sectors) > 1:
        found = teller.words.names(teller.words.name(str(shown_sector(sector))) for sector in sectors)
        yield teller.say("in_sectors", sectors=found)
    elif sectors != [NONE]:
        yield teller.say("in_one_sector", sector=shown_sector(sectors[0]))
    yield from _occupants(teller, facts.cells(number))
    yield from _shelter(teller, number)


def _storm(teller: Teller) -> Iterator[str]:
    content = teller.facts.content
    yield teller.say("storm", sector=shown_sector(content["storm"]))
    yield teller.say("storm_moves")
    wheels = [seat for seat in content["wheels"] if seat != NONE]
    if wheels and not content["over"]:
        yield teller.say("dials", dialling=teller.seats(wheels))


# Seats


def powers(teller: Teller, seat: int) -> str:
    """What the faction of a seat can do that others cannot, and what it means in play."""
    has_powers = teller.facts.content["options"]["powers"]
    return teller.say(f"power_of.{FACTION_NAMES[teller.facts.faction(seat)]}" if has_powers else "no_powers")


def _seat(teller: Teller, seat: int) -> Iterator[str]:
    facts = teller.facts
    content, player, faction = facts.content, facts.players[seat], facts.faction(seat)
    yield teller.say("seat", owner=teller.who(seat), player=teller.words.player(seat))
    held = teller.facts.held(seat)
    allies = facts.allies(seat)
    yield teller.say("strongholds.allied" if allies else "strongholds", number=held)
    if seat in content["winners"]:
        yield teller.say("won")
    if allies:
        yield teller.say("allied", allied=teller.seats(allies))
    if player["pledge"]:
        yield teller.say("pledged", number=player["pledge"])
    if seat in content["silenced"]:
        yield teller.say("silenced")
    yield powers(teller, seat)
    prediction = content["prediction"]
    if prediction and faction == BENE_GESSERIT:
        yield teller.say("prediction", faction=teller.faction(prediction["faction"]), turn=prediction["turn"])
    if player["laid_on"] != NONE:
        kind = player["laid"]
        laid = teller.name("a_card") if kind in (None, NONE) else teller.card(kind)
        yield teller.say("has_laid", card=laid, target=teller.who(player["laid_on"]))
    for other, debt in enumerate(player["debts"]):
        if debt:
            yield teller.say("owes", target=teller.who(other), number=debt)
    if player["reviving"]:
        yield teller.say("raises")


def _spice(teller: Teller, seat: int) -> Iterator[str]:
    amount, owner = teller.facts.players[seat]["spice"], teller.who(seat)
    yield teller.say("spice.hidden" if amount is None else "spice", owner=owner, number=amount)
    yield teller.say("use_of_spice")


def _reserve(teller: Teller, seat: int) -> Iterator[str]:
    number, owner = teller.facts.players[seat]["reserve"], teller.who(seat)
    yield teller.say("reserve.hidden" if number is None else "reserve", owner=owner, number=number)
    yield teller.say("use_of_reserve")


def _hand(teller: Teller, seat: int) -> Iterator[str]:
    facts = teller.facts
    size, limit, player = facts.hand_size(seat), facts.printed.hand_limit, facts.players[seat]
    most = limit[facts.faction(seat)] if facts.content["options"]["powers"] else min(limit)
    yield teller.say("hand.hidden" if size is None else "hand", owner=teller.who(seat), number=size, most=most)
    if player["hand"] is None and player["shown"]:
        yield teller.say("hand_known", cards=teller.cards(player["shown"]))
    if player["foreseen"]:
        yield teller.say("hand_foreseen", cards=teller.cards(player["foreseen"]))


def _tanks(teller: Teller, seat: int) -> Iterator[str]:
    facts, faction = teller.facts, teller.facts.faction(seat)
    yield teller.say("tanks", owner=teller.who(seat), number=facts.players[seat]["tanks"])
    if faction == TLEILAX and facts.content["options"]["powers"]:
        yield teller.say("tanks.tleilax")
        return
    yield teller.say("revival", number=facts.printed.free_revival[faction])
    if facts.printed.paid_revival[faction]:
        yield teller.say("paid_revival")


# Cards


def use_of(teller: Teller, kind: int) -> str:
    """What a kind of card does, in this game."""
    without = kind == KARAMA_CARD and not teller.facts.content["options"]["powers"]
    return teller.say(f"use_of.{CARD_NAMES[kind]}{'.without_powers' if without else ''}")


def _card(teller: Teller, *numbers: int) -> Iterator[str]:
    seat, kind = numbers if len(numbers) > 1 else (teller.facts.seat, numbers[0])
    player = teller.facts.players[seat] if seat != NONE else {"hand": None, "shown": ()}
    known = player["hand"] if player["hand"] is not None else player["shown"]
    held = list(known or ()).count(kind)
    key = f"card{'.several' if held > 1 else ''}{'.owned' if len(numbers) > 1 else ''}"
    yield teller.say(key, heading=teller.heading(kind), number=held, owner=teller.who(seat))
    yield use_of(teller, kind)


def _leader(teller: Teller, number: int) -> Iterator[str]:
    facts = teller.facts
    leaders, home = facts.content["leaders"], facts.printed.faction_of[number]
    owner, change, used = (leaders[key][number] for key in ("owner", "change", "used"))
    key = "leader.dancer" if number == FACE_DANCER else "leader"
    yield teller.say(key, leader=teller.leader(number), strength=facts.strength(number))
    yield teller.say("leader_of", faction=teller.faction(home))
    if owner == NONE:
        yield teller.say("leader_absent")
        return
    if facts.faction(owner) != home:
        yield teller.say("leader_taken", owner=teller.who(owner))
    if change:
        yield teller.say("leader_stronger" if change > 0 else "leader_weaker", number=abs(change))
    if not leaders["alive"][number]:
        yield teller.say("leader_dead")
    if used != NONE:
        yield teller.say("leader_used", territory=teller.territory(used))
    for seat, player in enumerate(facts.players):
        if number in (player["traitors"] or ()):
            yield teller.say("leader_traitor", owner=teller.who(seat))


# Decks


def _deck(teller: Teller) -> Iterator[str]:
    content = teller.facts.content
    size = content["deck_count"] if content.get("deck") is None else sum(content["deck"])
    gone = [kind for kind, number in enumerate(content["discards"]) for _ in range(number)]
    yield teller.say("deck", number=size)
    yield teller.say("deck_discards", cards=teller.cards(gone))
    top = content["top"]
    if top != NONE:
        yield teller.say("deck_top", card=teller.name("a_card") if top is None else teller.card(top))


def _spice_deck(teller: Teller) -> Iterator[str]:
    content = teller.facts.content
    yield teller.say("spice_deck", number=sum(content["spice_deck"]), worms=content["spice_deck"][SHAI_HULUD])
    foreseen, last = content["foreseen_spice"], content["last_blow"]
    if foreseen not in (None, NONE):
        yield teller.say("next_blow", spice_card=_spice_card(teller, foreseen))
    if last != NONE:
        yield teller.say("last_blow", territory=teller.territory(last))


def _spice_card(teller: Teller, number: int) -> str:
    if number == SHAI_HULUD:
        return teller.say("worm")
    printed = teller.facts.printed
    place = teller.cell(printed.spice_cell[number])
    return teller.say("spice_card", amount=printed.spice_amount[number], place=place)


def _discard(teller: Teller, kind: int) -> Iterator[str]:
    yield teller.say("discard", heading=teller.heading(kind), number=teller.facts.content["discards"][kind])
    yield use_of(teller, kind)


def _blow(teller: Teller, number: int) -> Iterator[str]:
    yield teller.say("blow_to_come", spice_card=_spice_card(teller, number))
    if number == SHAI_HULUD:
        yield teller.say("worms_left", number=teller.facts.content["spice_deck"][number])


# Buttons


def _answer(teller: Teller, verb: str, number: int | None = None) -> str:
    """An action as it can be chosen now, as a whole sentence; empty if the decision does not take it."""
    action = verb if number is None else f"{verb} {number}"
    taken = verb in DECISIONS[teller.facts.decision or "OVER"].verbs
    text = clause(action, Teller(teller.words.of_choices, teller.facts)) if taken else action
    return f"{capital(text)}." if text != action else ""


def _pass(teller: Teller) -> Iterator[str]:
    yield _answer(teller, "pass") or teller.say("no_pass")


def _yes(teller: Teller) -> Iterator[str]:
    yield _answer(teller, "yes") or teller.say("no_yes")


def _number(teller: Teller, number: int) -> Iterator[str]:
    answer = _answer(teller, "number", number)
    yield teller.say("number" if answer else "number.plain", number=number, answer=answer)


def _turns(teller: Teller) -> Iterator[str]:
    yield teller.say("turns")
    yield teller.say("turns.use")


def _turn(teller: Teller, turn: int) -> Iterator[str]:
    yield teller.say("turn", number=turn)
    answer = _answer(teller, "turn", turn)
    if answer:
        yield answer


def _kind(teller: Teller, kind: int) -> Iterator[str]:
    yield teller.say("card", heading=teller.heading(kind))
    yield use_of(teller, kind)


def _must(teller: Teller) -> Iterator[str]:
    yield teller.say("must")
    yield teller.say("must.use")


def _must_not(teller: Teller) -> Iterator[str]:
    yield teller.say("must_not")
    yield teller.say("must_not.use")


def _element(teller: Teller, number: int) -> Iterator[str]:
    yield teller.say("element", element=teller.say(f"element.{ELEMENTS[number]}"))


_PIECES: dict[str, Callable[..., Iterator[str]]] = {
    "cell": _cell,
    "territory": _territory,
    "storm": _storm,
    "seat": _seat,
    "spice": _spice,
    "reserve": _reserve,
    "hand": _hand,
    "tanks": _tanks,
    "card": _card,
    "leader": _leader,
    "deck": _deck,
    "spice-deck": _spice_deck,
    "discard": _discard,
    "blow": _blow,
    "pass": _pass,
    "yes": _yes,
    "number": _number,
    "turns": _turns,
    "turn": _turn,
    "kind": _kind,
    "must": _must,
    "must-not": _must_not,
    "element": _element,
}

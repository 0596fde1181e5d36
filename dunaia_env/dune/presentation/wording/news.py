"""The differences between two positions, as events of several kinds, from two state dictionaries or views of one seat.

Values that either position hides are left out, so the events between two views hold nothing that the seat does not see.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from dunaia_env.dune.actions import parse_action
from dunaia_env.dune.components import Components
from dunaia_env.dune.notation.pending import ELEMENTS
from dunaia_env.dune.presentation.battles import Battle
from dunaia_env.dune.presentation.hearing import BATTLE, DIALLED
from dunaia_env.dune.presentation.wording.course import Course
from dunaia_env.dune.presentation.wording.facts import Facts
from dunaia_env.dune.state import ATREIDES, BENE_GESSERIT, HERO, HOW_NAMES, NONE, SHAI_HULUD, TLEILAX
from dunaia_env.harness.presentation import Event

Content = Mapping[str, Any]

# The kinds of events, each with the meaning of its numbers. "It" is the seat that an event belongs to.
KINDS = {
    # Of a seat
    "attacks": "the enemy and the lowest cell of the field",
    "unarmed": "nothing: it has neither leader nor hero for its plan",
    "order": "the enemy who is ordered, and the action that is the order",
    "element": "what it asked about a plan, an index of the elements",
    "plan": "leader (31 a hero, -1 none), weapon, defence (-1 none) and number of its plan, which is shown",
    "treason": "the enemy whose leader it called a traitor",
    "won": "the enemy in a battle, the lowest cell of the field, and the totals of both; -1 if treason has decided it",
    "truth": "who asked, the action that is the question, and 1 for yes",
    "dialled": "the number that it has dialled for the storm",
    "bid": "its bid, the highest now",
    "discs": "the leaders that it has drawn",
    "traitors": "its traitors",
    "foresees": "the spice card that it has seen",
    "loses": "territory and tokens that went to the tanks",
    "moves": "tokens, the territory that they left and the one to which they came",
    "lifts": "territory and tokens that were lifted into the reserve",
    "lands": "territory and tokens that have landed",
    "revives": "tokens that came back from the tanks",
    "killed": "a leader that died",
    "back": "a leader that came back",
    "owns": "a leader that changed its side",
    "changed": "a leader and the change of its strength, which is known now",
    "reviving": "nothing: it raises its leaders now, one a turn",
    "spice": "spice before and after",
    "left": "the spice that it has after a payment that the action's sentence tells",
    "alms": "spice before and after what those get who have nearly none",
    "harvests": "territory, the spice that it took there, and its spice then; -1 if that is not known or not all yet",
    "buys": "the kind of the card on sale that it has bought; -1 if it is not known",
    "gets": "the kinds of cards that it got; -1 for a card that is not known",
    "gives": "the number of cards that it has less",
    "lays": "on whom it has laid a card",
    "unlays": "on whom its card does not lie any more",
    "pledges": "what its allies may spend of its spice",
    "debt": "to whom it owes spice, and how much now",
    "leaves": "nothing: it is in no alliance any more",
    "silenced": "nothing: a cone of silence",
    # Of the common board
    "storm": "the sector that the storm left and the one where it is, which may be the same",
    "wall": "nothing: the Shield Wall is destroyed",
    "blow": "the spice card that was turned up, and 1 if its spice stayed",
    "worm": "the number of worms that were turned up",
    "more": "cell and spice that came besides",
    "less": "territory and spice that is gone",
    "discarded": "the kinds of cards that were discarded",
    "removed": "the kinds of cards that left the game",
    "sale": "the kind of the card on sale; -1 if it is not known",
    "unsold": "nothing: nobody wanted the card on sale",
    "alliance": "the seats of an alliance that was made or joined",
    "sight": "nothing: Atreides sees no card of this phase",
    "embargo": "nothing: only Tleilax gets tokens from the tanks",
    "drawn": "aggressor and defender of a battle that nobody has won, its lowest cell, and 1 if it has exploded",
    "resumed": "nothing: the spice blow goes on after the nexus",
    "phase": "the phase that has begun",
    "turn": "the turn that has begun",
    "over": "how the game ended, then the winners",
}


# For each decision, the kinds of events that the action's sentence tells, so that they are not told again: events of
# the deciding seat, and events of the seat that it named or of the common board.
_WINDOWS = ("WEATHER", "ATOMICS", "BLOW_CARDS", "NEXUS_CARDS", "HARVESTER", "BIDDING_CARDS", "REVIVAL_CARDS", "HAJR")
_SAID: dict[str, frozenset[str]] = {
    **{decision: frozenset({"discarded", "removed", "wall"}) for decision in (*_WINDOWS, "BATTLE_CARDS")},
    **dict.fromkeys(("KARAMA", "PRESCIENCE", "SHIP"), frozenset({"discarded", "element"})),
    "BID": frozenset({"bid", "discarded"}),
    **dict.fromkeys(("PLACE", "SHIP_COUNT", "SHIP_TO", "MOVE_TO"), frozenset({"lands", "moves", "lifts"})),
    "ACCOMPANY": frozenset({"lands"}),
    **dict.fromkeys(("REVIVE", "GHOLA"), frozenset({"revives", "back"})),
    "RAISE": frozenset({"back"}),
    "LOSS": frozenset({"loses"}),
    "KEEP": frozenset({"discarded"}),
    "CONE": frozenset({"silenced"}),
    "LAY_WHO": frozenset({"lays", "gives"}),
    "WITHDRAW": frozenset({"unlays"}),
    "POISONED": frozenset({"killed", "unlays"}),
    "GIVE": frozenset({"gives"}),
    "PLEDGE": frozenset({"pledges"}),
    "LEAVE": frozenset({"leaves"}),
    "OPPONENT": frozenset({"attacks"}),
    "VOICE": frozenset({"order"}),
    "TRAITOR": frozenset({"traitors"}),
    "TREASON": frozenset({"treason"}),
}
# Where a position has the dials of the storm that are known.
_DIALS = ("dials", "dial", "weather")
_OF_ANYBODY = ("silenced", "discarded", "removed", "wall", "killed")
# The decisions whose sentences name what the deciding seat pays.
_PAID = ("PAY", "GIFT", "REVIVE", "SHIP_COUNT", "SHIP_TO", "RAISE", "ACCEPT")


def events(before: Content, after: Content, components: Components) -> list[Event]:
    """The events between two positions, in the order in which the rules have made them.

    Events that the sentence of the decision in ``before`` tells are left out, unless ``before`` hides the decision.
    What was heard of the decision (`hearing.heard`) is told too. Any number of decisions may lie between the positions;
    then some of their effects may have cancelled each other out.
    """
    was, now = Facts(before, components), Facts(after, components)
    course = Course(was, now)
    return course.ordered(one for event in _events(was, now, course) for one in _besides_the_sentence(event, was))


def _besides_the_sentence(event: Event, was: Facts) -> Iterator[Event]:
    """What is left of an event that the sentence of the decision may tell."""
    own = event.seat == was.seat
    if event.kind in _SAID.get(was.decision or "", frozenset()) and (own or event.kind in _OF_ANYBODY):
        return
    if event.kind == "spice" and own and was.decision in _PAID and event.numbers[1] < event.numbers[0]:
        event = Event(event.seat, "left", event.numbers[1:])
    yield event


def _events(was: Facts, now: Facts, course: Course) -> Iterator[Event]:
    seats = range(len(now.players))
    yield from _of_battle(was, now)
    yield from _of_storm(was, now)
    yield from _truths(was, now)
    if was.content["shield_wall"] and not now.content["shield_wall"]:
        yield Event(None, "wall")
    harvests = [*_harvests(was, now)] if course.reaches("harvest") else []
    yield from harvests
    yield from _blow(was, now, {territory for _, _, (territory, *_) in harvests})
    yield from _spice(was, now, course, harvests)
    yield from _alliances(was, now)
    for seat in seats:
        yield from _tokens(was, now, seat)
    yield from _leaders(was, now)
    for seat in seats:
        yield from _cards(was, now, seat)
        yield from _of_seat(was, now, seat)
    yield from _piles(was, now)
    yield from _sale(was, now)
    for key, kind in (("sight_stopped", "sight"), ("embargo", "embargo")):
        if now.pending.get(key) and not was.pending.get(key):
            yield Event(None, kind)
    if now.content["over"] and not was.content["over"]:
        yield Event(None, "over", (HOW_NAMES.index(now.content["how"]), *now.content["winners"]))


def _new(old: Sequence[int] | None, new: Sequence[int] | None) -> list[int]:
    """The members of a multiset, ascending, that an earlier multiset lacks; nothing if either is hidden."""
    if old is None or new is None:
        return []
    return sorted((Counter(new) - Counter(old)).elements())


def _changed(old: int | None, new: int | None) -> bool:
    return old is not None and new is not None and old != new


# Battles, questions, sales


def _battle(facts: Facts) -> tuple[int, int, int] | None:
    """Field, aggressor and defender of the battle in progress."""
    if facts.content["phase"] != "battle" or "field" not in facts.pending or "defender" not in facts.pending:
        return None
    return (facts.pending["field"], *facts.battlers)


def _of_battle(was: Facts, now: Facts) -> Iterator[Event]:
    old, new = _battle(was), _battle(now)
    decided: Battle | None = was.content.get(BATTLE)
    if decided is not None:
        yield from _decided(decided, shown=bool(was.pending.get("plans_shown")))
    elif old is not None:
        yield from _shown(was, now)
    if new is not None and new != old:
        field, aggressor, defender = new
        yield Event(aggressor, "attacks", (defender, field))
    if new is not None:
        yield from _announced(was if new == old else None, now)


def _decided(battle: Battle, *, shown: bool) -> Iterator[Event]:
    """Plans, unless they are shown already, and the outcome."""
    if not shown:
        for side in battle.sides:
            yield Event(side.seat, "plan", (side.leader, side.weapon, side.defence, side.number))
    yield from outcome(battle)


def outcome(battle: Battle) -> Iterator[Event]:
    """Calls of treason, and who has won a battle that is decided."""
    aggressor, defender = (side.seat for side in battle.sides)
    for side, enemy in zip(battle.sides, reversed(battle.sides), strict=True):
        if side.caller != NONE:
            yield Event(side.caller, "treason", (enemy.seat,))
        if side.seat == battle.winner:
            yield Event(side.seat, "won", (enemy.seat, battle.field, side.total, enemy.total))
    if battle.winner == NONE:
        yield Event(None, "drawn", (aggressor, defender, battle.field, int(battle.exploded)))


def _announced(was: Facts | None, now: Facts) -> Iterator[Event]:
    """What is made known in a battle before the plans are shown; ``was`` is None for a new battle."""
    before: Content = {} if was is None else was.pending
    for seat in now.battlers:
        if now.plan(seat).get("no_leader") and not (was is not None and was.plan(seat).get("no_leader")):
            yield Event(seat, "unarmed")
    voice, element = now.pending.get("voice"), now.pending.get("element")
    if voice is not None and before.get("voice") != voice:
        yield Event(now.seat_of(BENE_GESSERIT), "order", (now.voice_target, parse_action(voice)))
    if element is not None and before.get("element") != element:
        yield Event(now.seat_of(ATREIDES), "element", (ELEMENTS.index(element),))


def _shown(was: Facts, now: Facts) -> Iterator[Event]:
    """Plans and calls of treason that everybody sees now."""
    if _battle(was) != _battle(now):
        return
    aggressor, defender = now.battlers
    for seat, enemy in ((aggressor, defender), (defender, aggressor)):
        plan, old = now.plan(seat), was.plan(seat)
        if now.pending.get("plans_shown") and not was.pending.get("plans_shown") and "number" in plan:
            leader = HERO if plan.get("hero") else plan.get("leader", NONE)
            yield Event(seat, "plan", (leader, plan.get("weapon", NONE), plan.get("defence", NONE), plan["number"]))
        if plan.get("treason") and not old.get("treason"):
            yield Event(seat, "treason", (enemy,))


def _truths(was: Facts, now: Facts) -> Iterator[Event]:
    old, new = was.content["truths"], now.content["truths"]
    if new and new != old:
        asker, target, question, answer = new[-1]
        yield Event(target, "truth", (asker, parse_action(question), int(answer)))


def _sale(was: Facts, now: Facts) -> Iterator[Event]:
    bid, bidder = now.pending.get("bid", 0), now.pending.get("bidder", NONE)
    same_sale = was.pending.get("cards_left") == now.pending.get("cards_left")
    if bidder != NONE and (not same_sale or was.pending.get("bid", 0) != bid):
        yield Event(bidder, "bid", (bid,))
    if now.content["sale"] != NONE and not (same_sale and was.content["sale"] == now.content["sale"]):
        kind = now.content["sale"]
        yield Event(None, "sale", (NONE if kind is None else kind,))
    if now.content["top"] != NONE and was.content["top"] == NONE:
        yield Event(None, "unsold")


# The board


def _of_storm(was: Facts, now: Facts) -> Iterator[Event]:
    """The dials that are not known already, and the way of the storm."""
    dialled = was.content.get(DIALLED, ())
    for seat, number in dialled:
        says_it = seat == was.seat and was.decision in ("DIAL", "WEATHER_DIAL")
        sees_it = was.players[seat]["hand"] is not None and not was.pending.keys().isdisjoint(_DIALS)
        if not (says_it or sees_it):
            yield Event(seat, "dialled", (number,))
    start, end = was.content["storm"], now.content["storm"]
    if dialled or start != end:
        yield Event(None, "storm", (start, end))


def _blow(was: Facts, now: Facts, harvested: Container[int]) -> Iterator[Event]:
    old, new = was.content["spice_discards"], now.content["spice_discards"]
    if sum(new) < sum(old):  # the discards became the pile
        old = [0] * len(old)
    cards = [card for card in range(SHAI_HULUD) if new[card] > old[card]]
    worms = new[SHAI_HULUD] - old[SHAI_HULUD]
    if worms > 0:
        yield Event(None, "worm", (worms,))
    printed = now.printed
    for card in cards:
        yield Event(None, "blow", (card, int(not now.is_stormy(printed.spice_cell[card]))))
    spice, before = dict(map(tuple, now.content["spice"])), dict(map(tuple, was.content["spice"]))
    gone: Counter[int] = Counter()
    for cell in sorted({*spice, *before}):
        change = spice.get(cell, 0) - before.get(cell, 0)
        for card in cards:
            if printed.spice_cell[card] == cell and not now.is_stormy(cell):
                change -= printed.spice_amount[card]
        if change > 0:
            yield Event(None, "more", (cell, change))
        elif change < 0:
            gone[now.territory(cell)] -= change
    for territory, amount in gone.items():
        if territory not in harvested:
            yield Event(None, "less", (territory, amount))


def _harvests(was: Facts, now: Facts) -> Iterator[Event]:
    """What each seat took from a territory where nobody else harvests, when spice was harvested."""
    taken: dict[int, Counter[int]] = {}
    spice = dict(map(tuple, now.content["spice"]))
    for cell, before in map(tuple, was.content["spice"]):
        takers = [seat for seat in range(len(now.players)) if now.tokens(seat, cell)]
        if len(takers) == 1 and spice.get(cell, 0) < before:
            (seat,) = takers
            taken.setdefault(seat, Counter())[now.territory(cell)] += before - spice.get(cell, 0)
    for seat, amounts in taken.items():
        left = now.players[seat]["spice"]
        for number, (territory, amount) in enumerate(amounts.items(), 1):
            is_all = number == len(amounts) and left is not None
            yield Event(seat, "harvests", (territory, amount, left if is_all else NONE))


def _spice(was: Facts, now: Facts, course: Course, harvests: Sequence[Event]) -> Iterator[Event]:
    """What has changed in the seats' spice besides a harvest."""
    for seat, (old, new) in enumerate(zip(was.players, now.players, strict=True)):
        before, after = old["spice"], new["spice"]
        if not _changed(before, after):
            continue
        after -= sum(event.numbers[1] for event in harvests if event.seat == seat)
        is_given = was.decision in ("GIFT", "PAY") or any(
            one["laid_on"] != other["laid_on"] for one, other in zip(was.players, now.players, strict=True)
        )
        is_before_sales = course.reaches("bidding") and "cards_left" not in was.pending
        if before == 0 and after == now.printed.alms and is_before_sales and not is_given:
            yield Event(seat, "alms", (before, after))
        elif before != after:
            yield Event(seat, "spice", (before, after))


def _alliances(was: Facts, now: Facts) -> Iterator[Event]:
    told: set[tuple[int, ...]] = set()
    for seat in range(len(now.players)):
        old, new = was.allies(seat), now.allies(seat)
        if old and not new:
            yield Event(seat, "leaves")
        members = tuple(sorted((seat, *new)))
        if set(new) - set(old) and members not in told:
            told.add(members)
            yield Event(None, "alliance", members)
    for seat in now.content["silenced"]:
        if seat not in was.content["silenced"]:
            yield Event(seat, "silenced")


def _tokens(was: Facts, now: Facts, seat: int) -> Iterator[Event]:
    old, new = was.players[seat], now.players[seat]
    change: Counter[int] = Counter()
    for player, sign in ((old, -1), (new, 1)):
        for cell, number in player["forces"]:
            change[now.territory(cell)] += sign * number
    fewer = {territory: -number for territory, number in sorted(change.items()) if number < 0}
    more = {territory: number for territory, number in sorted(change.items()) if number > 0}
    dead = new["tanks"] - old["tanks"]
    if now.faction(seat) == TLEILAX and was.content["phase"] != "movement":
        dead = sum(fewer.values()) - sum(more.values())
    if dead > 0:
        for territory, number in fewer.items():
            yield Event(seat, "loses", (territory, number))
    elif len(fewer) == 1 and len(more) == 1 and [*fewer.values()] == [*more.values()]:
        yield Event(seat, "moves", (*more.values(), *fewer, *more))
        more = {}
    else:
        for territory, number in fewer.items():
            yield Event(seat, "lifts", (territory, number))
    for territory, number in more.items():
        yield Event(seat, "lands", (territory, number))
    if dead < 0:
        yield Event(seat, "revives", (-dead,))


# Leaders, cards, seats


def _leaders(was: Facts, now: Facts) -> Iterator[Event]:
    old, new = was.content["leaders"], now.content["leaders"]
    for leader, owner in enumerate(new["owner"]):
        before = old["owner"][leader]
        if old["alive"][leader] and not new["alive"][leader]:
            yield Event(before, "killed", (leader,))
        elif owner != before and owner != NONE:
            yield Event(owner, "owns", (leader,))
        elif new["alive"][leader] and not old["alive"][leader] and owner != NONE:
            yield Event(owner, "back", (leader,))
        if new["change_shown"][leader] and not old["change_shown"][leader] and new["change"][leader]:
            yield Event(owner, "changed", (leader, new["change"][leader]))


def _cards(was: Facts, now: Facts, seat: int) -> Iterator[Event]:
    old, new = was.players[seat], now.players[seat]
    sizes = was.hand_size(seat), now.hand_size(seat)
    # The cards of a hidden plan are not in the hand, but nobody else has got them either.
    got = [] if was.pending.get("plans") or now.pending.get("plans") else _new(old["hand"], new["hand"])
    more = 0 if sizes[0] is None or sizes[1] is None else sizes[1] - sizes[0]
    if more > 0 and len(got) < 2 and _has_bought(was, now, seat):
        yield Event(seat, "buys", (got[0] if got else NONE,))
        if more > 1:
            yield Event(seat, "gets", (NONE,) * (more - 1))
    elif got:
        yield Event(seat, "gets", tuple(got))
    elif more > 0:
        yield Event(seat, "gets", (NONE,) * more)
    elif more < 0 and not _discarded(was, now) and new["laid_on"] == old["laid_on"]:
        yield Event(seat, "gives", (-more,))
    if new["laid_on"] != NONE and old["laid_on"] == NONE:
        yield Event(seat, "lays", (new["laid_on"],))
    if new["laid_on"] == NONE and old["laid_on"] != NONE:
        yield Event(seat, "unlays", (old["laid_on"],))
    discs, traitors = _new(old["discs"], new["discs"]), _new(old["traitors"], new["traitors"])
    if discs:
        yield Event(seat, "discs", tuple(discs))
    if traitors:
        yield Event(seat, "traitors", tuple(traitors))


def _has_bought(was: Facts, now: Facts, seat: int) -> bool:
    """Whether a seat that has got a card has paid for the card on sale."""
    is_sold = "cards_left" in was.pending and was.pending["cards_left"] != now.pending.get("cards_left")
    payers = [was.players[one]["spice"] == now.players[one]["spice"] for one in (seat, *was.allies(seat))]
    return is_sold and seat in (was.seat, was.pending.get("bidder")) and not all(payers)


def _of_seat(was: Facts, now: Facts, seat: int) -> Iterator[Event]:
    old, new = was.players[seat], now.players[seat]
    if _changed(old["pledge"], new["pledge"]) and new["pledge"] > old["pledge"]:
        yield Event(seat, "pledges", (new["pledge"],))
    for other, (owed, owes) in enumerate(zip(old["debts"], new["debts"], strict=True)):
        if owed != owes:
            yield Event(seat, "debt", (other, owes))
    if new["reviving"] and not old["reviving"]:
        yield Event(seat, "reviving")
    foreseen = now.content["foreseen_spice"]
    if _changed(was.content["foreseen_spice"], foreseen) and foreseen != NONE and now.faction(seat) == ATREIDES:
        yield Event(seat, "foresees", (foreseen,))


def _discarded(was: Facts, now: Facts, key: str = "discards") -> list[int]:
    pairs = zip(was.content[key], now.content[key], strict=True)
    return [kind for kind, (old, new) in enumerate(pairs) for _ in range(new - old)]


def _piles(was: Facts, now: Facts) -> Iterator[Event]:
    for key, kind in (("discards", "discarded"), ("removed", "removed")):
        found = _discarded(was, now, key)
        if found:
            yield Event(None, kind, tuple(found))

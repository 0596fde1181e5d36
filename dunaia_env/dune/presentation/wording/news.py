"""The differences between two positions, as events of several kinds, from two state dictionaries or views of one seat.

Values that either position hides are left out, so the events between two views hold nothing that the seat does not see.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dunaia_env.dune.actions import parse_action
from dunaia_env.dune.components import Components
from dunaia_env.dune.notation.pending import ELEMENTS
from dunaia_env.dune.presentation.battles import Battle
from dunaia_env.dune.presentation.hearing import BATTLE, DIALLED
from dunaia_env.dune.presentation.wording.facts import Facts
from dunaia_env.dune.state import ATREIDES, BENE_GESSERIT, HERO, HOW_NAMES, NONE, PHASE_NAMES, SHAI_HULUD, TLEILAX
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
    "gets": "the kinds of cards that it got; -1 for a card that is not known",
    "gives": "the number of cards that it has less",
    "lays": "on whom it has laid a card",
    "unlays": "on whom its card does not lie any more",
    "pledges": "what its allies may spend of its spice",
    "debt": "to whom it owes spice, and how much now",
    "leaves": "nothing: it is in no alliance any more",
    "silenced": "nothing: a cone of silence",
    # Of the common board
    "storm": "the sector that the storm left and the one where it is",
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
    "GIVE": frozenset({"gives"}),
    "PLEDGE": frozenset({"pledges"}),
    "LEAVE": frozenset({"leaves"}),
    "OPPONENT": frozenset({"attacks"}),
    "VOICE": frozenset({"order"}),
    "TRAITOR": frozenset({"traitors"}),
    "TREASON": frozenset({"treason"}),
}
_OF_ANYBODY = ("silenced", "discarded", "removed", "wall")


def events(before: Content, after: Content, components: Components) -> list[Event]:
    """The events between two positions, in the order in which people would tell them.

    Events that the sentence of the decision in ``before`` tells are left out, unless ``before`` hides the decision.
    What was heard of the decision (`hearing.heard`) is told too. Any number of decisions may lie between the positions;
    then some of their effects may have cancelled each other out.
    """
    was, now = Facts(before, components), Facts(after, components)
    said = _SAID.get(was.decision or "", frozenset())
    return [
        event
        for event in _events(was, now)
        if not (event.kind in said and (event.seat == was.seat or event.kind in _OF_ANYBODY))
    ]


def _events(was: Facts, now: Facts) -> Iterator[Event]:
    seats = range(len(now.players))
    yield from _of_battle(was, now)
    for seat, number in was.content.get(DIALLED, ()):
        yield Event(seat, "dialled", (number,))
    yield from _truths(was, now)
    if was.content["storm"] != now.content["storm"]:
        yield Event(None, "storm", (was.content["storm"], now.content["storm"]))
    if was.content["shield_wall"] and not now.content["shield_wall"]:
        yield Event(None, "wall")
    yield from _blow(was, now)
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
    yield from _course(was, now)


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


def _blow(was: Facts, now: Facts) -> Iterator[Event]:
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
        yield Event(None, "less", (territory, amount))


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
    if got:
        yield Event(seat, "gets", tuple(got))
    elif sizes[0] is not None and sizes[1] is not None:
        if sizes[1] > sizes[0]:
            yield Event(seat, "gets", (NONE,) * (sizes[1] - sizes[0]))
        elif sizes[1] < sizes[0] and not _discarded(was, now):
            yield Event(seat, "gives", (sizes[0] - sizes[1],))
    if new["laid_on"] != NONE and old["laid_on"] == NONE:
        yield Event(seat, "lays", (new["laid_on"],))
    if new["laid_on"] == NONE and old["laid_on"] != NONE:
        yield Event(seat, "unlays", (old["laid_on"],))
    discs, traitors = _new(old["discs"], new["discs"]), _new(old["traitors"], new["traitors"])
    if discs:
        yield Event(seat, "discs", tuple(discs))
    if traitors:
        yield Event(seat, "traitors", tuple(traitors))


def _of_seat(was: Facts, now: Facts, seat: int) -> Iterator[Event]:
    old, new = was.players[seat], now.players[seat]
    if _changed(old["spice"], new["spice"]):
        yield Event(seat, "spice", (old["spice"], new["spice"]))
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


def _course(was: Facts, now: Facts) -> Iterator[Event]:
    if now.content["over"]:
        if not was.content["over"]:
            yield Event(None, "over", (HOW_NAMES.index(now.content["how"]), *now.content["winners"]))
        return
    if now.content["turn"] != was.content["turn"]:
        yield Event(None, "turn", (now.content["turn"],))
    if now.content["phase"] != was.content["phase"]:
        yield Event(None, "phase", (PHASE_NAMES.index(now.content["phase"]),))

"""Whether what is pending fits the board, the hands and the stack: for each decision, what has to hold.

`CHECKS`, `CHECKS_OF_POWERS` and `CHECKS_OF_POINTS` are tables of checks. A check looks at a `Moment` and returns the
first fault as a sentence, or an empty text. It can rely on the ranges of all fields and on
`dunaia_env.dune.checks.moments`: the right keys are pending, the right kind of stack waits, and the factions that a
decision needs are asked.
"""

from __future__ import annotations

from typing import Any

from dunaia_env.dune import board, state as layout
from dunaia_env.dune.checks import fitting_battle
from dunaia_env.dune.checks.asked import Check, Moment, fault
from dunaia_env.dune.components import Components
from dunaia_env.dune.standing import allied, seat_with_power
from dunaia_env.dune.state import NONE

# Set-up and storm


def _cells_to_place(at: Moment) -> str:
    """The tokens in the cells where Fremen begin are not more than they have."""
    state, player = at.state, at.players[at.seat]
    free = [cell for cell in at.printed.free_cells[layout.FREMEN] if cell != NONE]
    if state.cell not in free:
        return fault("pending.cell", int(state.cell), "a cell in which Fremen may begin")
    left = int(at.printed.free_forces[layout.FREMEN]) - sum(int(player.forces[cell]) for cell in free)
    if not 0 <= left <= player.reserve:
        return (
            f"players[{at.seat}].forces: {left} tokens are left to place; 0..{int(player.reserve)}, the reserve, can be"
        )
    return ""


def _dials(at: Moment) -> str:
    """The wheels are dialled one after the other, each within its range."""
    state, dials = at.state, at.state.dials.tolist()
    wheels = state.wheels.tolist()
    least, most = at.printed.first_dial if state.turn == 1 else at.printed.later_dial
    chosen = [index for index in range(2) if dials[index] != NONE]
    if any(not least <= dials[index] <= most for index in chosen):
        return fault("pending.dials", dials, f"{least}..{most} in this turn")
    if at.name == "DIAL":
        if at.seat not in wheels:
            return fault("seat", at.seat, f"{wheels[0]} or {wheels[1]}, who has a wheel,")
        if chosen != list(range(wheels.index(at.seat))):
            return f"pending.dials = {dials}; the wheels of {wheels} are dialled in this order, up to seat {at.seat}"
    if at.name == "ATOMICS" and len(chosen) != (2 if state.weather == NONE else 0):
        return f"pending.dials: expected two dials, or a number of Weather Control in ATOMICS, got {dials}"
    least, most = at.printed.weather_dial
    if state.weather != NONE and not least <= state.weather <= most:
        return fault("pending.weather", int(state.weather), f"{least}..{most}")
    return ""


# Blow and nexus


def _later_blow(at: Moment) -> str:
    """Worms and windows come from the second turn on."""
    return fault("turn", int(at.state.turn), "2 or more") if at.state.turn < 2 else ""


def _blown(at: Moment) -> str:
    """There was a blow, where a worm or a Harvester comes."""
    return fault("last_blow", NONE, f"a territory for {at.name}") if at.state.last_blow == NONE else ""


def _worm_has_a_place(at: Moment) -> str:
    """Fremen can call the worm somewhere."""
    for territory in range(layout.TERRITORIES):
        if at.has_free_tokens(at.seat, territory):
            return ""
        if at.printed.type[territory] == board.SAND:
            others = (other for other in range(len(at.players)) if not at.on_one_side(at.seat, other))
            cells = at.cells(territory)
            if at.state.spice[cells.start : cells.stop].any() or any(at.occupies(other, territory) for other in others):
                return ""
    return f"decision: expected a territory in which a worm of seat {at.seat} has an effect, got 'WORM'"


def _riders(at: Moment) -> str:
    """Tokens of Fremen wait where the worm is."""
    if not at.has_free_tokens(at.seat, int(at.state.worm)):
        return fault("pending.worm", int(at.state.worm), f"a territory with tokens of seat {at.seat} outside the storm")
    if at.state.origin not in (NONE, at.state.worm):
        return fault("pending.origin", int(at.state.origin), f"{int(at.state.worm)}, where the worm is,")
    return ""


def _allied(at: Moment) -> str:
    """The asked seat is in an alliance."""
    return (
        f"alliance[{at.seat}]: expected an alliance in {at.name}, got -1" if at.state.alliance[at.seat] == NONE else ""
    )


def _may_propose(at: Moment, seat: int) -> str:
    if at.state.alliance[seat] != NONE:
        return fault(f"alliance[{seat}]", int(at.state.alliance[seat]), "-1, for a seat that proposes,")
    return f"silenced: seat {seat} is silenced; it makes no proposals" if at.state.silenced[seat] else ""


def _proposer(at: Moment) -> str:
    return _may_propose(at, at.seat)


def _proposal(at: Moment) -> str:
    """The proposer may join the side of the target, whose members are asked."""
    state, target = at.state, int(at.state.target)
    members = [seat for seat in range(len(at.players)) if at.on_one_side(seat, target)]
    if at.seat not in members:
        return fault("seat", at.seat, f"a member of the side of {target}, the target,")
    if at.place in members:
        return fault("pending.target", target, f"a seat of another side than that of the proposer, {at.place},")
    if any(state.silenced[seat] for seat in members):
        return f"pending.target = {target}; nobody of its side may be silenced"
    if state.max_alliance != layout.NO_LIMIT and len(members) >= state.max_alliance:
        return f"pending.target = {target}; max_alliance is {int(state.max_alliance)}, and its side has {len(members)}"
    return _may_propose(at, at.place)


def _cone(at: Moment) -> str:
    """A cone is in the deck, and has silenced somebody or can do it."""
    if at.state.deck_size != max(layout.DECKS):
        return f"decision = 'CONE'; kind {layout.CONE_OF_SILENCE} needs deck {max(layout.DECKS)}"
    others = [seat for seat in range(len(at.players)) if not at.on_one_side(at.seat, seat)]
    silenced = [seat for seat in others if at.state.silenced[seat]]
    if at.state.coned and not silenced:
        return "pending.coned: expected a silenced seat, got true"
    return (
        "" if len(silenced) < len(others) else f"silenced: expected a seat that can be silenced in CONE, got {silenced}"
    )


def _other_target(at: Moment) -> str:
    target = int(at.state.target)
    return fault("pending.target", target, f"another seat than {at.seat}") if target == at.seat else ""


# Bidding


def _can_lay(at: Moment) -> str:
    """The asked seat holds the card and has none laid, and there is an enemy on whom to lay it."""
    state, player, kind = at.state, at.players[at.seat], int(at.state.card)
    if kind not in layout.LAYABLE:
        allowed = " or ".join(map(str, layout.LAYABLE))
        return f"pending.card: expected {allowed}, got {kind} ({layout.CARD_NAMES[kind]})"
    if state.deck_size != max(layout.DECKS):
        return f"decision = 'LAY_WHO'; cards are laid only with deck {max(layout.DECKS)}"
    if not player.hand[kind]:
        return fault("pending.card", kind, f"a card in the hand of seat {at.seat}")
    if player.laid != NONE:
        return fault(f"players[{at.seat}].laid", int(player.laid), "-1, before another card is laid,")
    if all(at.on_one_side(at.seat, other) for other in range(len(at.players))):
        return f"alliance[{at.seat}]: expected a seat that is no ally in LAY_WHO"
    return ""


def _has_laid(at: Moment) -> str:
    return (
        f"players[{at.seat}].laid: expected a laid card in {at.name}, got -1"
        if at.players[at.seat].laid == NONE
        else ""
    )


def _ransom(at: Moment) -> str:
    """The innermost round is that of the seat whose laid card lies on the asked seat."""
    owner = at.place
    if at.players[owner].laid_on != at.seat:
        return (
            f"pending.stack[{int(at.state.depth) - 1}].seat: expected a seat with a card on seat {at.seat}, got {owner}"
        )
    least, most = at.printed.ransom
    price = int(at.state.price)
    return "" if least <= price <= most else fault("pending.price", price, f"{least}..{most}, a ransom,")


def _poisoned(at: Moment) -> str:
    """A residual poison lies on a seat with a living leader."""
    player = at.players[at.seat]
    if player.laid != layout.RESIDUAL_POISON:
        return fault(f"players[{at.seat}].laid", int(player.laid), f"{layout.RESIDUAL_POISON}, a residual poison,")
    victim = int(player.laid_on)
    if not any(at.state.alive[leader] for leader in at.owned.get(victim, [])):
        return f"players[{at.seat}].laid_on: expected a seat with a living leader in POISONED, got {victim}"
    return ""


def _gift(at: Moment) -> str:
    target = int(at.state.target)
    return "" if allied(at.state, at.seat, target) else fault("pending.target", target, f"an ally of seat {at.seat}")


def _sale(at: Moment) -> str:
    """The card on sale has a place to go to, and whoever bids may buy and pay."""
    state, bidder, opener = at.state, int(at.state.bidder), int(at.state.opener)
    buyer = at.seat if at.name == "BID" else int(state.user)
    if state.sale == NONE:
        return f"sale: expected a card in {at.name}, got -1"
    if state.top != NONE:
        return fault("top", int(state.top), "-1, while another card is on sale,")
    if opener == NONE:
        return fault("pending.opener", opener, "a seat")
    for key, seat in (("seat", buyer), ("pending.opener", opener), ("pending.bidder", bidder)):
        if seat != NONE and not at.is_eligible(seat):
            return fault(key, seat, "a seat that is not silenced and holds fewer cards than it may")
    if bidder == buyer:
        return fault("pending.bidder", bidder, f"another seat than {buyer}, who is asked,")
    if bidder != NONE and state.bid > at.funds(bidder):
        return fault("pending.bid", int(state.bid), f"0..{at.funds(bidder)}, the funds of seat {bidder},")
    return ""


def _before_sales(at: Moment) -> str:
    cards = int(at.state.cards_left)
    return fault("pending.cards_left", cards, "1 or more, before the first sale,") if cards < 1 else ""


def _no_sale(at: Moment) -> str:
    if at.state.sale != NONE:
        return fault("sale", int(at.state.sale), f"-1, for no card is on sale in {at.name},")
    return ""


def _second_card(at: Moment) -> str:
    """Harkonnen has room for a second card, and there is one."""
    state, user = (
        at.state,
        int(at.state.user if at.state.power != _WORTHLESS else at.state.stack[at.state.depth - 1].user),
    )
    if at.cards(user) >= at.limit(user):
        return f"players[{user}].hand: expected room for a second card, got {at.cards(user)} cards"
    if not (state.deck.any() or state.discards.any() or state.hidden_discards.any()):
        return "deck: expected a card that can be drawn, got none"
    if state.top != NONE:
        return fault("top", int(state.top), "-1, after a sale,")
    if state.opener == NONE:
        return fault("pending.opener", NONE, "a seat")
    return ""


# Revival


def _unseen_future(at: Moment) -> str:
    """A card can be foreseen."""
    state = at.state
    if state.foreseen_spice != NONE:
        return fault("foreseen_spice", int(state.foreseen_spice), "-1, before another card is foreseen,")
    if state.turn >= state.max_turns:
        return fault("turn", int(state.turn), f"less than {int(state.max_turns)}, the last,")
    return ""


def _ghola(at: Moment) -> str:
    """The card can be played here and fetches something."""
    state, kind, battle = at.state, int(at.state.card), at.actor != NONE
    emperor = state.karama_powers and at.seat == seat_with_power(state, layout.EMPEROR) and not battle
    allowed = (layout.GHOLA_CARD, layout.KARAMA_CARD) if emperor else (layout.GHOLA_CARD,)
    if kind not in allowed:
        return f"pending.card: expected {' or '.join(map(str, allowed))}, got {kind} ({layout.CARD_NAMES[kind]})"
    steals = at.seat == seat_with_power(state, layout.TLEILAX)
    if any(at.dead(seat) for seat in at.owned if seat == at.seat or (steals and seat != NONE)):
        return ""
    if battle or state.embargo or steals or not at.players[at.seat].tanks:
        return f"pending.card: expected something that seat {at.seat} can bring back from the tanks, got {kind}"
    return ""


def _swap_who(at: Moment) -> str:
    if any(at.cards(seat) for seat in range(len(at.players)) if seat != at.seat):
        return ""
    return f"players: expected another seat with cards than {at.seat} in SWAP_WHO"


def _swap(at: Moment) -> str:
    target = int(at.state.target)
    return "" if at.cards(target) else f"pending.target: expected a seat with cards in {at.name}, got {target}"


def _cards_to_give(at: Moment) -> str:
    """The cards still to give are in the hand, and then both hands are within their limits."""
    left, target = int(at.state.left), int(at.state.target)
    most = min(at.cards(at.seat), at.limit(target) - at.cards(target))
    least = max(1, at.cards(at.seat) - at.limit(at.seat))
    return "" if least <= left <= most else fault("pending.left", left, f"{least}..{most} by the two hands")


def _freed(at: Moment) -> str:
    """What came without payment is what the faction gets, and the Bene Tleilax have no revival."""
    state, faction = at.state, int(at.players[at.seat].faction)
    if at.seat == seat_with_power(state, layout.TLEILAX):
        return f"seat: expected a seat with revival in REVIVE, got {at.seat}"
    most = 0 if state.embargo else int(at.printed.free_revival[faction])
    return "" if state.freed <= most else fault("pending.freed", int(state.freed), f"0..{most}")


def _other_than_tleilax(at: Moment) -> str:
    tleilax = seat_with_power(at.state, layout.TLEILAX)
    if tleilax == NONE:
        return f"decision: expected the Bene Tleilax at the table, got {at.name!r}"
    return fault("pending.stack[0].seat", at.place, "another seat than the Bene Tleilax") if at.place == tleilax else ""


def _leader_in_the_tanks(at: Moment) -> str:
    return _leader_of_the_place(at, alive=0)


def _leader_back(at: Moment) -> str:
    return _leader_of_the_place(at, alive=1)


def _leader_of_the_place(at: Moment, *, alive: int) -> str:
    state, leader = at.state, int(at.state.leader)
    if state.owner[leader] != at.place or state.alive[leader] != alive:
        kind = "living" if alive else "dead"
        return fault("pending.leader", leader, f"a {kind} leader of seat {at.place}")
    return _other_than_tleilax(at)


def _price_of_a_leader(at: Moment) -> str:
    price, most = int(at.state.price), int(at.printed.most_price)
    return "" if price <= most else fault("pending.price", price, f"0..{most}")


def _booty(at: Moment) -> str:
    """The leader that is being stolen is a dead one of another seat."""
    state, leader = at.state, int(at.state.leader)
    if state.owner[leader] in (NONE, seat_with_power(state, layout.TLEILAX)) or state.alive[leader]:
        return fault("pending.leader", leader, "a dead leader of another seat")
    return ""


# Movement


def _landing(at: Moment) -> str:
    """Tokens may land in the cell, and before they are counted one of them can be paid for."""
    state, cell, player = at.state, int(at.state.cell), at.players[at.actor]
    territory = int(at.printed.territory_of[cell])
    if at.is_stormy(cell) or not at.may_enter(at.actor, territory):
        return fault("pending.cell", cell, f"a cell without storm that seat {at.actor} may enter")
    tokens, reserve = max(1, int(state.landing)), int(player.reserve)
    if tokens > reserve:
        return f"players[{at.actor}].reserve: expected the {tokens} tokens that land, got {reserve}"
    if at.actor == seat_with_power(state, layout.FREMEN):
        lands = int(at.printed.fremen_landing) >> territory & 1
        return "" if lands else fault("pending.cell", cell, "a cell in which Fremen may land")
    if state.landing:
        # The Guild, which is asked, need not know what the shipper has behind a shield.
        return ""
    half = bool(state.half_price) or at.sided_with(layout.GUILD, at.actor)
    stronghold = at.printed.stronghold_of[territory] != NONE
    each = int(at.printed.stronghold_price if stronghold else at.printed.landing_price)
    price, funds = (each + 1) // 2 if half else each, at.funds(at.actor)
    return f"pending.cell = {cell}; a token costs {price}, and seat {at.actor} has {funds}" if price > funds else ""


def _half_price(at: Moment) -> str:
    if at.state.half_price and (
        at.sided_with(layout.GUILD, at.actor) or at.actor == seat_with_power(at.state, layout.FREMEN)
    ):
        return f"pending.half_price: expected false for seat {at.actor}, which pays half the price anyway, got true"
    return ""


def _reserve_of_the_sister(at: Moment) -> str:
    sister = seat_with_power(at.state, layout.BENE_GESSERIT)
    if not at.players[sister].reserve:
        return f"players[{sister}].reserve: expected a token that can go along, got 0"
    return fault("actor", at.actor, f"another seat than {sister}") if at.actor == sister else ""


def _group(at: Moment) -> str:
    """The tokens named so far stand outside the storm in the origin's cells, before the cell in question."""
    state, forces = at.state, at.players[at.seat].forces
    cells = at.cells(int(state.origin))
    last = cells.stop
    if at.name == "COUNT":
        last = int(state.cell)
        if last not in cells:
            return fault("pending.cell", last, "a cell of pending.origin")
        if not forces[last] or at.is_stormy(last):
            return fault("pending.cell", last, f"a cell without storm with tokens of seat {at.seat}")
    for index, taken in enumerate(state.taken.tolist()):
        cell = cells.start + index
        most = 0 if cell >= last or at.is_stormy(cell) else int(forces[cell])
        if taken > most:
            return fault("pending.taken", [cell, taken], f"0..{most} tokens of this cell")
    if not state.lifting:
        return ""
    if not at.sided_with(layout.GUILD, at.seat):
        return f"pending.lifting: expected false for seat {at.seat}, neither the Guild nor its ally, got true"
    tokens, most = int(state.taken.sum()), int(at.printed.orbit_tokens) * at.funds(at.seat)
    if not (0 if tokens else 1) <= most - tokens:
        return f"pending.taken: {tokens} tokens; seat {at.seat} can pay for {most}"
    return ""


# Questions about powers


_WORTHLESS = layout.POWER_NAMES.index("worthless")


def _karama(at: Moment) -> str:
    """Whoever is asked holds a card that stops the power."""
    if at.state.power == layout.POWER_NAMES.index("shipment"):
        holds = bool(at.players[at.seat].hand[layout.KARAMA_CARD])
    else:
        holds = at.holds_karama(at.seat)
    return "" if holds else f"seat: expected a seat that holds a Karama in KARAMA, got {at.seat}"


def _in_its_window(at: Moment) -> str:
    if at.place in (NONE, at.seat):
        return ""
    return f"pending.stack[{int(at.state.depth) - 1}].seat: expected {at.seat}, the asked seat, got {at.place}"


def _place_of_the_actor(at: Moment) -> str:
    return "" if at.place == at.actor else fault("pending.stack[0].seat", at.place, f"{at.actor}, the actor,")


def _own_shipment(at: Moment) -> str:
    return "" if at.user == at.actor else fault("actor", at.actor, f"{at.user}, who ships,")


def _place_of_fremen(at: Moment) -> str:
    fremen = seat_with_power(at.state, layout.FREMEN)
    if at.place == NONE:
        return _blown(at)
    if at.place != fremen or not at.state.karama_powers:
        return fault("pending.stack[0].seat", at.place, f"{fremen}, Fremen with the option karama_powers,")
    return ""


def _place_of_tleilax(at: Moment) -> str:
    tleilax = seat_with_power(at.state, layout.TLEILAX)
    return "" if at.place == tleilax else fault("pending.stack[0].seat", at.place, f"{tleilax}, the Bene Tleilax,")


def _place_of_a_battler(at: Moment) -> str:
    battlers = (at.actor, int(at.state.defender))
    if at.place in (NONE, *battlers):
        return ""
    return fault("pending.stack[0].seat", at.place, f"{battlers[0]} or {battlers[1]}, a battler,")


def _karama_powers(at: Moment) -> str:
    return "" if at.state.karama_powers else f"decision = {at.name!r}; the option karama_powers is false"


def _alliances(at: Moment) -> str:
    return "" if at.state.alliances else f"decision = {at.name!r}; the option alliances is false"


_NEXUS: tuple[Check, ...] = (_alliances, _later_blow, _blown)
_RIDE: tuple[Check, ...] = (_later_blow, _place_of_fremen, _riders)
_BATTLE: tuple[Check, ...] = (fitting_battle.battle_is_due, _place_of_a_battler)
_PLAN_MADE: tuple[Check, ...] = (
    *_BATTLE,
    fitting_battle.leaders_are_those_of_the_battlers,
    fitting_battle.treason_is_not_answered,
    fitting_battle.plans_fit,
)
_SHOWN: tuple[Check, ...] = (*_BATTLE, fitting_battle.leaders_are_those_of_the_battlers, fitting_battle.plans_fit)

# What has to hold in each decision of a phase; "" stands for all phases.
CHECKS: dict[tuple[str, str], tuple[Check, ...]] = {
    ("", "PLACE"): (_cells_to_place,),
    **{("", name): (_dials,) for name in ("WEATHER", "WEATHER_DIAL", "DIAL", "ATOMICS")},
    ("", "BLOW_CARDS"): (_later_blow,),
    ("", "WORM"): (_later_blow, _karama_powers, _in_its_window, _worm_has_a_place),
    ("", "RIDE"): _RIDE,
    ("", "HARVESTER"): (_blown,),
    ("", "NEXUS_CARDS"): _NEXUS,
    ("", "LEAVE"): (*_NEXUS, _allied),
    ("", "PROPOSE"): (*_NEXUS, _proposer),
    ("", "ANSWER"): (*_NEXUS, _proposal),
    ("", "RANSOM"): (_has_laid,),
    ("", "PAY"): (_ransom,),
    ("", "POISONED"): (_in_its_window, _poisoned),
    ("", "GIFT"): (_gift,),
    ("", "PLEDGE"): (_allied,),
    ("", "BID"): (_sale,),
    ("", "LAY_WHO"): (_in_its_window, _can_lay),
    ("", "REVIVE"): (_freed,),
    ("", "SWAP_WHO"): (_karama_powers, _in_its_window, _swap_who),
    ("", "SWAP_COUNT"): (_karama_powers, _in_its_window, _other_target, _swap),
    ("", "GIVE"): (_karama_powers, _in_its_window, _other_target, _cards_to_give),
    ("", "GHOLA"): (_in_its_window, _ghola),
    ("", "BUY_BACK"): (_in_its_window, _other_than_tleilax),
    ("", "PRICE"): (_leader_in_the_tanks,),
    ("", "ACCEPT"): (_in_its_window, _leader_in_the_tanks, _price_of_a_leader),
    ("", "TAMPER"): (_leader_back,),
    ("", "TRUTH_WHO"): (_in_its_window,),
    ("", "TRUTH"): (_in_its_window, _other_target),
    ("", "CONE"): (_in_its_window, _cone),
    ("nexus", "TRUTH_WHO"): _NEXUS,
    ("nexus", "TRUTH"): _NEXUS,
    ("nexus", "CONE"): _NEXUS,
    ("", "WITHDRAW"): (_has_laid,),
    ("", "SHIP"): (_half_price,),
    ("", "SHIP_COUNT"): (_half_price, _landing),
    ("", "SHIP_TO"): (_group,),
    ("", "COUNT"): (_group,),
    ("", "MOVE_TO"): (_group,),
    ("blow", "COUNT"): _RIDE,
    ("blow", "MOVE_TO"): _RIDE,
    ("", "ACCOMPANY"): (_place_of_the_actor, _reserve_of_the_sister),
    ("", "BATTLE"): (fitting_battle.any_battle_is_due,),
    ("", "OPPONENT"): (fitting_battle.battle_is_due,),
    ("", "BATTLE_CARDS"): (fitting_battle.battle_is_due,),
    ("battle", "TRUTH_WHO"): _BATTLE,
    ("battle", "TRUTH"): _BATTLE,
    ("battle", "GHOLA"): _BATTLE,
    ("", "VOICE"): (fitting_battle.battle_is_due, fitting_battle.voice_has_a_battler),
    **{("", name): _PLAN_MADE for name in (*fitting_battle.PLANNING, "PRESCIENCE")},
    ("", "TREASON"): (*_SHOWN, fitting_battle.traitor_is_known),
    ("", "LOSS"): (*_SHOWN, fitting_battle.losses_are_possible),
    ("", "KEEP"): (*_SHOWN, fitting_battle.kept_card_is_there),
    ("", "KARAMA"): (_karama,),
}
# What has to hold in a question about a power, also while a worthless card that stops it is in question.
CHECKS_OF_POWERS: dict[str, tuple[Check, ...]] = {
    "sight": (_before_sales,),
    "bonus": (_second_card,),
    "future": (_unseen_future,),
    "tame": (_later_blow, _place_of_fremen),
    "accompany": (_place_of_the_actor, _reserve_of_the_sister),
    "shipment": (_karama_powers, _place_of_the_actor, _half_price, _landing),
    "voice": (fitting_battle.battle_is_due, fitting_battle.voice_has_a_battler),
    "prescience": _PLAN_MADE,
    "tamper": (_leader_back,),
    "steal": (_place_of_tleilax, _booty),
}
# What has to hold while the use of a worthless card for a sale or a shipment is in question.
CHECKS_OF_POINTS: dict[int, tuple[Check, ...]] = {layout.BUY: (_sale,), layout.HALVE: (_own_shipment,)}


def misfit(state: Any, components: Components, name: str, phase: str) -> str:
    """The first fault of a moment in what `CHECKS` and its neighbours say of it; empty if there is none."""
    at = Moment(state, components, name)
    checks = [*CHECKS.get(("", name), ()), *CHECKS.get((phase, name), ())]
    if name == "KARAMA":
        power, innermost = int(state.power), state.stack[max(int(state.depth), 1) - 1]
        if power == _WORTHLESS:
            checks += CHECKS_OF_POINTS.get(int(innermost.point), ())
            power = int(innermost.power) if innermost.point == layout.STOP else NONE
        if power != NONE:
            checks += CHECKS_OF_POWERS[layout.POWER_NAMES[power]]
    if phase == "bidding" and _sale not in checks:
        checks.append(_no_sale)
    if phase == "battle" and state.voice != NONE:
        checks.append(fitting_battle.voice_has_a_battler)
    return next((wrong for check in checks if (wrong := check(at))), "")

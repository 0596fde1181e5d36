"""Why an action is illegal, in words (rules, sections 3 to 13).

`rules.legal` decides what is legal; the functions here explain why another action is not.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dune import state as layout
from dunaia_env.dune.actions import ACTION_TABLE, ACTION_TEXTS, ARGUMENT, VERB_OF
from dunaia_env.dune.board import STRONGHOLD
from dunaia_env.dune.components import Components
from dunaia_env.dune.decisions import DECISIONS
from dunaia_env.dune.entry_points import ENTRY_POINTS
from dunaia_env.dune.notation.states import to_dict
from dunaia_env.dune.presentation.wording.facts import Facts
from dunaia_env.dune.presentation.wording.words import card, cell, exist, faction, leader, listed, order, territory, who
from dunaia_env.dune.state import NONE
from dunaia_env.support.english import count


def why_illegal(state: NDArray[np.uint8], components: Components, action: int) -> str:
    """Why an action (0..NUM_ACTIONS-1) is not legal in a state (its bytes), as a clause; empty for a legal one."""
    if action in ENTRY_POINTS.legal_actions(state, components.buffer):
        return ""
    return explain(Facts(to_dict(state, components), components), action)


def explain(facts: Facts, action: int) -> str:
    """Why an illegal action is not legal in a position, as a clause."""
    verb, argument = ACTION_TABLE[VERB_OF[action]], int(ARGUMENT[action])
    decision = facts.decision or "OVER"
    if decision == "OVER":
        return "the game is over"
    verbs = DECISIONS[decision].verbs
    if verb.name not in verbs:
        return f"{decision} takes {listed(verbs, 'or')}, not {verb.name}"
    if verb.name == "seat" and argument >= len(facts.players):
        return f"the table has {len(facts.players)} players"
    explained = _REASONS.get((decision, verb.name))
    reason = explained(facts, argument) if explained is not None else ""
    return reason or f"{ACTION_TEXTS[action]} is not offered now"


def _range(least: int, most: int) -> str:
    return f"expected a number in {least}..{most}" if least != most else f"only {least} is possible"


def _span(key: str) -> Callable[[Facts, int], str]:
    return lambda facts, number: _range(*getattr(facts.printed, key))


def _spice(facts: Facts, price: int) -> str:
    return f"it costs {price} spice; at hand: {facts.players[facts.seat]['spice']}"


def _funds(facts: Facts, price: int) -> str:
    return f"it costs {price} spice; {facts.funds} can be spent"


# Set-up and storm


def _predict_who(facts: Facts, number: int) -> str:
    if number == layout.BENE_GESSERIT:
        return f"{faction(number, facts)} cannot predict itself"
    return f"{faction(number, facts)} is not at the table"


def _predict_turn(facts: Facts, turn: int) -> str:
    return f"the game has {count(facts.content['options']['max_turns'], 'turn')}"


def _traitor(facts: Facts, number: int) -> str:
    player = facts.players[facts.seat]
    if number not in player["discs"]:
        drawn = listed(leader(disc, facts) for disc in player["discs"])
        return f"{leader(number, facts)} was not drawn; drawn were {drawn}"
    of = facts.printed.faction_of[number]
    if of == player["faction"]:
        return f"{leader(number, facts)} is an own leader"
    return f"{leader(number, facts)} is a leader of {faction(of, facts)}, not at the table"


def _place(facts: Facts, number: int) -> str:
    cells = [where for where in facts.printed.free_cells[layout.FREMEN] if where != NONE]
    placed = sum(facts.tokens(facts.seat, where) for where in cells)
    return f"{exist(facts.printed.free_forces[layout.FREMEN] - placed, 'token')} left to be placed"


def _dial(facts: Facts, number: int) -> str:
    return _range(*(facts.printed.first_dial if facts.content["turn"] == 1 else facts.printed.later_dial))


# Cards


def _holds(facts: Facts, kind: int) -> bool:
    return kind in facts.players[facts.seat]["hand"]


def _enemies(facts: Facts) -> list[int]:
    return [seat for seat in range(len(facts.players)) if seat != facts.seat and seat not in facts.allies(facts.seat)]


def _play(facts: Facts, kind: int) -> str:
    takes = DECISIONS[facts.decision or "OVER"].cards
    if kind not in takes:
        return f"{card(kind, facts)} is not played here; {listed((card(taken, facts) for taken in takes), 'or')} is"
    if not _holds(facts, kind):
        return f"{card(kind, facts)} is not in hand"
    if facts.decision in ("LEADER", "WEAPON", "DEFENCE"):
        return _by_voice(facts)
    if kind == layout.CONE_OF_SILENCE:
        return "everybody else is allied or silenced"
    if kind in (layout.WORTHLESS, layout.RESIDUAL_POISON):
        return _not_laid(facts)
    if kind == layout.GHOLA_CARD:
        return "there is nothing in the tanks that it could bring back"
    if kind == layout.ATOMICS_CARD:
        return f"no own token is on or beside the {territory(facts.printed.shield_wall, facts)}"
    return ""


def _not_laid(facts: Facts) -> str:
    if facts.content["options"]["deck"] != layout.DECKS[0]:
        return f"cards are laid only with the deck of {layout.DECKS[0]} cards"
    if facts.players[facts.seat]["laid"] != NONE:
        return f"a card is laid already, on {who(facts.players[facts.seat]['laid_on'], facts)}"
    return "everybody else is allied"


def _by_voice(facts: Facts) -> str:
    return f"the Voice orders: {order(facts.pending['voice'], facts)}" if "voice" in facts.pending else ""


def _has_karama(facts: Facts) -> bool:
    sister = facts.seat == facts.with_power(layout.BENE_GESSERIT)
    return _holds(facts, layout.KARAMA_CARD) or (sister and _holds(facts, layout.WORTHLESS))


def _karama(facts: Facts, _: int) -> str:
    if not _has_karama(facts):
        return "no Karama is in hand"
    if facts.decision == "SHIP":
        return _karama_for_a_shipment(facts)
    if facts.decision in ("BID", "KARAMA"):
        return ""
    if not facts.content["options"]["karama_powers"]:
        return "that use of a Karama needs the option karama_powers"
    users = {
        "BLOW_CARDS": (layout.FREMEN,),
        "REVIVAL_CARDS": (layout.HARKONNEN, layout.EMPEROR, layout.TLEILAX),
    }.get(facts.decision or "", ())
    if users and facts.faction(facts.seat) not in users:
        return f"a Karama is of use here only to {listed((faction(user, facts) for user in users), 'or')}"
    return "a Karama could do nothing now"


def _karama_for_a_shipment(facts: Facts) -> str:
    if facts.seat == facts.with_power(layout.FREMEN):
        return f"{who(facts.seat, facts)} lands without payment"
    if facts.ships_at_half_price:
        return "the shipment is at half price already"
    return "the reserve is empty" if not facts.players[facts.seat]["reserve"] else "there is no spice to pay a shipment"


def _truth(verb: str) -> Callable[[Facts, int], str]:
    def explained(facts: Facts, number: int) -> str:
        target = facts.pending["target"]
        if verb == "card":
            return f"no {card(number, facts).removeprefix('a ')} is in the deck of this game"
        if verb == "number":
            return "everybody sees that" if facts.content["options"]["open_shields"] else _range(1, 20)
        if verb == "leader":
            if facts.faction(target) == layout.TLEILAX:
                return f"{who(target, facts)} has no traitors"
            of = facts.printed.faction_of[number]
            why = "is asked" if of == facts.faction(target) else "does not play"
            return f"{leader(number, facts)} is a leader of {faction(of, facts)}, which {why}"
        if target != facts.with_power(layout.BENE_GESSERIT):
            return f"{who(target, facts)} predicts nothing"
        return _predict_turn(facts, number) if verb == "turn" else _predict_who(facts, number)

    return explained


def _cone(facts: Facts, offset: int) -> str:
    other = facts.named(offset)
    return f"{who(other, facts)} is {'silenced' if other in facts.content['silenced'] else 'an ally'}"


def _lay_who(facts: Facts, offset: int) -> str:
    return f"{who(facts.named(offset), facts)} is an ally"


def _foreign(facts: Facts, number: int, owner: int) -> str:
    return f"{leader(number, facts)} is {f'a leader of {who(owner, facts)}' if owner != NONE else 'not in the game'}"


def _dead(facts: Facts, number: int) -> str:
    """Why a leader is not one of the deciding seat's own leaders in the tanks; empty if it is one."""
    leaders = facts.content["leaders"]
    owner = leaders["owner"][number]
    if owner != facts.seat:
        return _foreign(facts, number, owner)
    return f"{leader(number, facts)} is alive" if leaders["alive"][number] else ""


def _ghola(verb: str) -> Callable[[Facts, int], str]:
    def explained(facts: Facts, number: int) -> str:
        if verb == "leader":
            if facts.content["leaders"]["alive"][number]:
                return f"{leader(number, facts)} is alive"
            return _dead(facts, number)
        if facts.content["phase"] == "battle":
            return "in a battle a ghola brings back a leader only"
        if facts.seat == facts.with_power(layout.TLEILAX) or facts.pending.get("embargo"):
            return "tokens do not come back from the tanks now"
        most = (
            facts.printed.ghola_tokens if facts.pending["card"] == layout.GHOLA_CARD else facts.printed.emperor_tokens
        )
        tanks = facts.players[facts.seat]["tanks"]
        return f"at least 1 token and at most {most} come back; {exist(tanks, 'token')} in the tanks"

    return explained


def _give(facts: Facts, kind: int) -> str:
    return f"{card(kind, facts)} is not in hand"


def _swap_who(facts: Facts, offset: int) -> str:
    return f"{who(facts.named(offset), facts)} has no card"


def _swap_count(facts: Facts, number: int) -> str:
    target = facts.pending["target"]
    return f"at least 1 card is taken; {who(target, facts)} has {count(facts.hand_size(target) or 0, 'card')}"


# Worms, alliances


def _worm(facts: Facts, number: int) -> str:
    return f"a worm in {territory(number, facts)} could eat nothing and not be ridden"


def _ride(facts: Facts, number: int) -> str:
    return f"the worm is in {territory(facts.pending['worm'], facts)}"


def _propose(facts: Facts, offset: int) -> str:
    members = [facts.named(offset), *facts.allies(facts.named(offset))]
    silenced = [seat for seat in members if seat in facts.content["silenced"]]
    if silenced:
        return f"{who(silenced[0], facts)} is silenced"
    most = facts.content["options"]["max_alliance"]
    return f"an alliance has at most {most} members; this one would have {len(members) + 1}"


# Bidding and revival


def _pay(facts: Facts, _: int) -> str:
    return _spice(facts, facts.pending["price"])


def _poisoned(facts: Facts, number: int) -> str:
    victim = facts.players[facts.seat]["laid_on"]
    owner = facts.content["leaders"]["owner"][number]
    state = "dead" if owner == victim else f"no leader of {who(victim, facts)}"
    return f"{leader(number, facts)} is {state}"


def _gift(facts: Facts, number: int) -> str:
    most = facts.printed.most_gift if facts.decision == "GIFT" else facts.printed.most_pledge
    return f"at most {most} can be named; spice at hand: {facts.players[facts.seat]['spice']}"


def _bid(facts: Facts, number: int) -> str:
    if not 1 <= number <= facts.printed.most_raise:
        return f"a bid is raised by 1 to {facts.printed.most_raise}"
    return _funds(facts, facts.pending["bid"] + number).replace("it costs", "the bid would be")


def _revive(facts: Facts, number: int) -> str:
    player, printed = facts.players[facts.seat], facts.printed
    if facts.pending.get("embargo"):
        return "tokens do not come back from the tanks in this turn"
    freed = facts.pending.get("freed", 0)
    if number > printed.revival_most - freed:
        return f"at most {printed.revival_most} tokens come back in a turn; {freed} came without payment"
    if number > player["tanks"]:
        return f"{exist(player['tanks'], 'token')} in the tanks"
    return _spice(facts, number * printed.revival_price)


def _buy_back(facts: Facts, number: int) -> str:
    return _dead(facts, number)


def _price(facts: Facts, number: int) -> str:
    return _range(0, facts.printed.most_price)


def _tamper(facts: Facts, number: int) -> str:
    return _range(0, 2)


# Shipment and movement


def _closed(facts: Facts, where: int) -> str:
    """Why tokens of the deciding seat cannot enter a cell; empty if they can."""
    if facts.is_stormy(where):
        return f"the storm is on {cell(where, facts)}"
    place = facts.territory(where)
    there = [seat for seat in facts.occupants(place) if seat != facts.seat]
    if facts.printed.type[place] == STRONGHOLD and len(there) > 1:
        return f"{listed(who(seat, facts) for seat in there)} occupy the stronghold {territory(place, facts)}"
    allies = [seat for seat in there if seat in facts.allies(facts.seat)]
    if allies and place != facts.printed.polar_sink:
        return f"{who(allies[0], facts)}, an ally, is in {territory(place, facts)}"
    return ""


def _is_guild_like(facts: Facts) -> bool:
    guild = facts.with_power(layout.GUILD)
    return guild != NONE and guild in (facts.seat, *facts.allies(facts.seat))


def _ship(facts: Facts, where: int) -> str:
    if not facts.players[facts.seat]["reserve"]:
        return "the reserve is empty"
    closed = _closed(facts, where)
    if closed:
        return closed
    if facts.seat == facts.with_power(layout.FREMEN):
        start, steps = facts.printed.landing_from, facts.printed.landing_steps
        return f"{who(facts.seat, facts)} lands at most {steps} territories from {territory(start, facts)}"
    return _funds(facts, facts.price(where, 1))


def _free_tokens(facts: Facts, origin: int) -> str:
    """Why no tokens of the deciding seat can leave a territory; empty if some can."""
    if facts.seat not in facts.occupants(origin):
        return f"no own token is in {territory(origin, facts)}"
    if all(facts.is_stormy(where) for where in facts.cells(origin) if facts.tokens(facts.seat, where)):
        return f"the storm is on all own tokens in {territory(origin, facts)}"
    return ""


def _lift(facts: Facts, origin: int) -> str:
    if not _is_guild_like(facts):
        return f"only {faction(layout.GUILD, facts)} and its allies ship tokens from the board"
    return _free_tokens(facts, origin) or "there is no spice to pay a shipment"


def _ship_count(facts: Facts, number: int) -> str:
    if not 1 <= number <= facts.players[facts.seat]["reserve"]:
        return f"at least 1 token lands; {exist(facts.players[facts.seat]['reserve'], 'token')} in reserve"
    return _funds(facts, facts.price(facts.pending["cell"], number))


def _ship_to(facts: Facts, where: int) -> str:
    if facts.territory(where) == facts.pending["origin"]:
        return f"the tokens come from {territory(facts.pending['origin'], facts)}"
    return _closed(facts, where) or _funds(facts, facts.price(where, facts.taken, lifted=True))


def _count(facts: Facts, number: int) -> str:
    where = facts.pending["cell"]
    there = facts.tokens(facts.seat, where)
    if number > there:
        return f"{exist(there, 'token')} in {cell(where, facts)}"
    if not number:
        return "no other cell could give a token"
    if facts.pending.get("lifting"):
        return f"{facts.funds} spice can be spent, enough for {2 * facts.funds - facts.taken} tokens more"
    return f"no target could be reached from {cell(where, facts)} as well"


def _steps(facts: Facts) -> int:
    printed = facts.printed
    if any(facts.seat in facts.occupants(place) for place in printed.ornithopters):
        return int(printed.ornithopter_steps)
    return int(printed.fremen_steps if facts.seat == facts.with_power(layout.FREMEN) else printed.steps)


def _move_from(facts: Facts, origin: int) -> str:
    return _free_tokens(facts, origin) or f"from {territory(origin, facts)} no cell can be reached now"


def _move_to(facts: Facts, where: int) -> str:
    if facts.territory(where) == facts.pending["origin"]:
        return f"the tokens come from {territory(facts.pending['origin'], facts)}"
    return _closed(facts, where) or (
        f"no open way of {count(_steps(facts), 'territory', 'territories')} leads to {cell(where, facts)}"
    )


def _raise(facts: Facts, number: int) -> str:
    if facts.content["leaders"]["risen"][number] and not _dead(facts, number):
        return f"{leader(number, facts)} has come back before and waits for the others"
    price = 1 if number == layout.FACE_DANCER else facts.strength(number)
    return _dead(facts, number) or _spice(facts, price)


# Battles


def _battle(facts: Facts, where: int) -> str:
    if facts.territory(where) == facts.printed.polar_sink:
        return f"nobody fights in the {territory(facts.printed.polar_sink, facts)}"
    if facts.field(where)[0] != where:
        return f"{cell(where, facts)} is not the lowest cell of its field; that is {facts.field(where)[0]}"
    if not facts.tokens_in_field(facts.seat, where):
        return f"no own token is in {cell(where, facts)}"
    return f"no enemy is in {cell(where, facts)}"


def _opponent(facts: Facts, offset: int) -> str:
    other = facts.named(offset)
    if other in facts.allies(facts.seat):
        return f"{who(other, facts)} is an ally"
    return f"{who(other, facts)} has no token in {cell(facts.pending['field'], facts)}"


def _leader(facts: Facts, number: int) -> str:
    leaders, name, enemy = facts.content["leaders"], leader(number, facts), facts.enemy
    owner = leaders["owner"][number]
    if owner != facts.seat:
        return _foreign(facts, number, owner)
    if not leaders["alive"][number]:
        return f"{name} is in the tanks"
    used = leaders["used"][number]
    if used not in (NONE, facts.territory(facts.pending["field"])):
        return f"{name} has fought in {territory(used, facts)} in this turn"
    if enemy == facts.with_power(layout.TLEILAX) and leaders["returned"][number]:
        return f"{name} has come back from the tanks and does not fight {who(enemy, facts)}"
    if facts.printed.faction_of[number] == facts.faction(enemy):
        return f"{name} does not fight against {who(enemy, facts)}"
    return _by_voice(facts)


def _must_play(facts: Facts, _: int) -> str:
    return _by_voice(facts)


def _number(facts: Facts, number: int) -> str:
    there = facts.tokens_in_field(facts.seat, facts.pending["field"])
    return f"{exist(there, 'token')} in the field"


def _loss(facts: Facts, number: int) -> str:
    where = facts.pending["cell"]
    later = sum(facts.tokens(facts.seat, other) for other in facts.field(where) if other > where)
    here = facts.tokens(facts.seat, where)
    return f"{exist(facts.pending['left'], 'token')} to be lost: here {here}, {later} in the cells after it"


_REASONS: dict[tuple[str, str], Callable[[Facts, int], str]] = {
    ("PREDICT_WHO", "faction"): _predict_who,
    ("PREDICT_TURN", "turn"): _predict_turn,
    ("TRAITOR", "leader"): _traitor,
    ("PLACE", "number"): _place,
    ("WEATHER_DIAL", "number"): _span("weather_dial"),
    ("DIAL", "number"): _dial,
    **{(decision, "card"): _play for decision, declared in DECISIONS.items() if declared.cards},
    **{
        (decision, "karama"): _karama
        for decision in ("BLOW_CARDS", "BID", "REVIVAL_CARDS", "SHIP", "PRESCIENCE", "KARAMA")
    },
    ("WORM", "territory"): _worm,
    ("PROPOSE", "seat"): _propose,
    ("RIDE", "territory"): _ride,
    ("RANSOM", "number"): _span("ransom"),
    ("PAY", "yes"): _pay,
    ("POISONED", "leader"): _poisoned,
    ("GIFT", "number"): _gift,
    ("PLEDGE", "number"): _gift,
    ("BID", "number"): _bid,
    ("REVIVE", "number"): _revive,
    ("SHIP", "cell"): _ship,
    ("SHIP", "territory"): _lift,
    ("SHIP_COUNT", "number"): _ship_count,
    ("SHIP_TO", "cell"): _ship_to,
    ("COUNT", "number"): _count,
    ("MOVE_FROM", "territory"): _move_from,
    ("MOVE_TO", "cell"): _move_to,
    ("RAISE", "leader"): _raise,
    ("BATTLE", "cell"): _battle,
    ("OPPONENT", "seat"): _opponent,
    ("LEADER", "leader"): _leader,
    ("WEAPON", "pass"): _must_play,
    ("DEFENCE", "pass"): _must_play,
    ("NUMBER", "number"): _number,
    ("LOSS", "number"): _loss,
    **{("TRUTH", verb): _truth(verb) for verb in ("card", "leader", "number", "faction", "turn")},
    ("CONE", "seat"): _cone,
    ("CONE", "pass"): lambda facts, _: "somebody has to be silenced first",
    ("LAY_WHO", "seat"): _lay_who,
    ("GHOLA", "leader"): _ghola("leader"),
    ("GHOLA", "number"): _ghola("number"),
    ("SWAP_WHO", "seat"): _swap_who,
    ("SWAP_COUNT", "number"): _swap_count,
    ("GIVE", "card"): _give,
    ("BUY_BACK", "leader"): _buy_back,
    ("PRICE", "number"): _price,
    ("ACCEPT", "yes"): _pay,
    ("TAMPER", "number"): _tamper,
}

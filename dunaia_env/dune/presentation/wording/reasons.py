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
from dunaia_env.dune.presentation.wording import english
from dunaia_env.dune.presentation.wording.facts import Facts
from dunaia_env.dune.presentation.wording.tellers import Teller
from dunaia_env.dune.state import NONE
from dunaia_env.support.english import count, listed


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
    reason = explained(Teller(english.WORDS, facts), argument) if explained is not None else ""
    return reason or f"{ACTION_TEXTS[action]} is not offered now"


def _exist(amount: int, noun: str) -> str:
    """A number with its noun and verb: ``1 token is``, ``2 tokens are``."""
    return f"{count(amount, noun)} {'is' if amount == 1 else 'are'}"


def _range(least: int, most: int) -> str:
    return f"expected a number in {least}..{most}" if least != most else f"only {least} is possible"


def _span(key: str) -> Callable[[Teller, int], str]:
    return lambda at, number: _range(*getattr(at.facts.printed, key))


def _spice(at: Teller, price: int) -> str:
    return f"it costs {price} spice; at hand: {at.facts.players[at.facts.seat]['spice']}"


def _funds(at: Teller, price: int) -> str:
    return f"it costs {price} spice; {at.facts.funds} can be spent"


# Set-up and storm


def _predict_who(at: Teller, number: int) -> str:
    if number == layout.BENE_GESSERIT:
        return f"{at.faction(number)} cannot predict itself"
    return f"{at.faction(number)} is not at the table"


def _predict_turn(at: Teller, turn: int) -> str:
    return f"the game has {count(at.facts.content['options']['max_turns'], 'turn')}"


def _traitor(at: Teller, number: int) -> str:
    player = at.facts.players[at.facts.seat]
    if number not in player["discs"]:
        drawn = listed(at.leader(disc) for disc in player["discs"])
        return f"{at.leader(number)} was not drawn; drawn were {drawn}"
    of = at.facts.printed.faction_of[number]
    if of == player["faction"]:
        return f"{at.leader(number)} is an own leader"
    return f"{at.leader(number)} is a leader of {at.faction(of)}, not at the table"


def _place(at: Teller, number: int) -> str:
    cells = [where for where in at.facts.printed.free_cells[layout.FREMEN] if where != NONE]
    placed = sum(at.facts.tokens(at.facts.seat, where) for where in cells)
    return f"{_exist(at.facts.printed.free_forces[layout.FREMEN] - placed, 'token')} left to be placed"


def _dial(at: Teller, number: int) -> str:
    return _range(*(at.facts.printed.first_dial if at.facts.content["turn"] == 1 else at.facts.printed.later_dial))


# Cards


def _holds(at: Teller, kind: int) -> bool:
    return kind in at.facts.players[at.facts.seat]["hand"]


def _enemies(at: Teller) -> list[int]:
    return [
        seat
        for seat in range(len(at.facts.players))
        if seat != at.facts.seat and seat not in at.facts.allies(at.facts.seat)
    ]


def _play(at: Teller, kind: int) -> str:
    takes = DECISIONS[at.facts.decision or "OVER"].cards
    if kind not in takes:
        return f"{at.card(kind)} is not played here; {listed((at.card(taken) for taken in takes), 'or')} is"
    if not _holds(at, kind):
        return f"{at.card(kind)} is not in hand"
    if at.facts.decision in ("LEADER", "WEAPON", "DEFENCE"):
        return _by_voice(at)
    if kind == layout.CONE_OF_SILENCE:
        return "everybody else is allied or silenced"
    if kind in (layout.WORTHLESS, layout.RESIDUAL_POISON):
        return _not_laid(at)
    if kind == layout.GHOLA_CARD:
        return "there is nothing in the tanks that it could bring back"
    if kind == layout.ATOMICS_CARD:
        return f"no own token is on or beside the {at.territory(at.facts.printed.shield_wall)}"
    return ""


def _not_laid(at: Teller) -> str:
    if at.facts.content["options"]["deck"] != layout.DECKS[0]:
        return f"cards are laid only with the deck of {layout.DECKS[0]} cards"
    if at.facts.players[at.facts.seat]["laid"] != NONE:
        return f"a card is laid already, on {at.who(at.facts.players[at.facts.seat]['laid_on'])}"
    return "everybody else is allied"


def _by_voice(at: Teller) -> str:
    return f"the Voice orders: {at.order(at.facts.pending['voice'])}" if "voice" in at.facts.pending else ""


def _has_karama(at: Teller) -> bool:
    sister = at.facts.seat == at.facts.with_power(layout.BENE_GESSERIT)
    return _holds(at, layout.KARAMA_CARD) or (sister and _holds(at, layout.WORTHLESS))


def _karama(at: Teller, _: int) -> str:
    if not _has_karama(at):
        return "no Karama is in hand"
    if at.facts.decision == "SHIP":
        return _karama_for_a_shipment(at)
    if at.facts.decision in ("BID", "KARAMA"):
        return ""
    if not at.facts.content["options"]["karama_powers"]:
        return "that use of a Karama needs the option karama_powers"
    users = {
        "BLOW_CARDS": (layout.FREMEN,),
        "REVIVAL_CARDS": (layout.HARKONNEN, layout.EMPEROR, layout.TLEILAX),
    }.get(at.facts.decision or "", ())
    if users and at.facts.faction(at.facts.seat) not in users:
        return f"a Karama is of use here only to {listed((at.faction(user) for user in users), 'or')}"
    return "a Karama could do nothing now"


def _karama_for_a_shipment(at: Teller) -> str:
    if at.facts.seat == at.facts.with_power(layout.FREMEN):
        return f"{at.who(at.facts.seat)} lands without payment"
    if at.facts.ships_at_half_price:
        return "the shipment is at half price already"
    return (
        "the reserve is empty"
        if not at.facts.players[at.facts.seat]["reserve"]
        else "there is no spice to pay a shipment"
    )


def _truth(verb: str) -> Callable[[Teller, int], str]:
    def explained(at: Teller, number: int) -> str:
        target = at.facts.pending["target"]
        if verb == "card":
            return f"no {at.card(number):bare} is in the deck of this game"
        if verb == "number":
            return "everybody sees that" if at.facts.content["options"]["open_shields"] else _range(1, 20)
        if verb == "leader":
            if at.facts.faction(target) == layout.TLEILAX:
                return f"{at.who(target)} has no traitors"
            of = at.facts.printed.faction_of[number]
            why = "is asked" if of == at.facts.faction(target) else "does not play"
            return f"{at.leader(number)} is a leader of {at.faction(of)}, which {why}"
        if target != at.facts.with_power(layout.BENE_GESSERIT):
            return f"{at.who(target)} predicts nothing"
        return _predict_turn(at, number) if verb == "turn" else _predict_who(at, number)

    return explained


def _cone(at: Teller, offset: int) -> str:
    other = at.facts.named(offset)
    return f"{at.who(other)} is {'silenced' if other in at.facts.content['silenced'] else 'an ally'}"


def _lay_who(at: Teller, offset: int) -> str:
    return f"{at.who(at.facts.named(offset))} is an ally"


def _foreign(at: Teller, number: int, owner: int) -> str:
    return f"{at.leader(number)} is {f'a leader of {at.who(owner)}' if owner != NONE else 'not in the game'}"


def _dead(at: Teller, number: int) -> str:
    """Why a leader is not one of the deciding seat's own leaders in the tanks; empty if it is one."""
    leaders = at.facts.content["leaders"]
    owner = leaders["owner"][number]
    if owner != at.facts.seat:
        return _foreign(at, number, owner)
    return f"{at.leader(number)} is alive" if leaders["alive"][number] else ""


def _ghola(verb: str) -> Callable[[Teller, int], str]:
    def explained(at: Teller, number: int) -> str:
        if verb == "leader":
            if at.facts.content["leaders"]["alive"][number]:
                return f"{at.leader(number)} is alive"
            return _dead(at, number)
        if at.facts.content["phase"] == "battle":
            return "in a battle a ghola brings back a leader only"
        if at.facts.seat == at.facts.with_power(layout.TLEILAX) or at.facts.pending.get("embargo"):
            return "tokens do not come back from the tanks now"
        most = (
            at.facts.printed.ghola_tokens
            if at.facts.pending["card"] == layout.GHOLA_CARD
            else at.facts.printed.emperor_tokens
        )
        tanks = at.facts.players[at.facts.seat]["tanks"]
        return f"at least 1 token and at most {most} come back; {_exist(tanks, 'token')} in the tanks"

    return explained


def _give(at: Teller, kind: int) -> str:
    return f"{at.card(kind)} is not in hand"


def _swap_who(at: Teller, offset: int) -> str:
    return f"{at.who(at.facts.named(offset))} has no card"


def _swap_count(at: Teller, number: int) -> str:
    target = at.facts.pending["target"]
    return f"at least 1 card is taken; {at.who(target)} has {count(at.facts.hand_size(target) or 0, 'card')}"


# Worms, alliances


def _worm(at: Teller, number: int) -> str:
    return f"a worm in {at.territory(number)} could eat nothing and not be ridden"


def _ride(at: Teller, number: int) -> str:
    return f"the worm is in {at.territory(at.facts.pending['worm'])}"


def _propose(at: Teller, offset: int) -> str:
    members = [at.facts.named(offset), *at.facts.allies(at.facts.named(offset))]
    silenced = [seat for seat in members if seat in at.facts.content["silenced"]]
    if silenced:
        return f"{at.who(silenced[0])} is silenced"
    most = at.facts.content["options"]["max_alliance"]
    return f"an alliance has at most {most} members; this one would have {len(members) + 1}"


# Bidding and revival


def _pay(at: Teller, _: int) -> str:
    return _spice(at, at.facts.pending["price"])


def _poisoned(at: Teller, number: int) -> str:
    victim = at.facts.players[at.facts.seat]["laid_on"]
    owner = at.facts.content["leaders"]["owner"][number]
    state = "dead" if owner == victim else f"no leader of {at.who(victim)}"
    return f"{at.leader(number)} is {state}"


def _gift(at: Teller, number: int) -> str:
    most = at.facts.printed.most_gift if at.facts.decision == "GIFT" else at.facts.printed.most_pledge
    return f"at most {most} can be named; spice at hand: {at.facts.players[at.facts.seat]['spice']}"


def _bid(at: Teller, number: int) -> str:
    if not 1 <= number <= at.facts.printed.most_raise:
        return f"a bid is raised by 1 to {at.facts.printed.most_raise}"
    return _funds(at, at.facts.pending["bid"] + number).replace("it costs", "the bid would be")


def _revive(at: Teller, number: int) -> str:
    player, printed = at.facts.players[at.facts.seat], at.facts.printed
    if at.facts.pending.get("embargo"):
        return "tokens do not come back from the tanks in this turn"
    freed = at.facts.pending.get("freed", 0)
    if number > printed.revival_most - freed:
        return f"at most {printed.revival_most} tokens come back in a turn; {freed} came without payment"
    if number > player["tanks"]:
        return f"{_exist(player['tanks'], 'token')} in the tanks"
    return _spice(at, number * printed.revival_price)


def _buy_back(at: Teller, number: int) -> str:
    return _dead(at, number)


def _price(at: Teller, number: int) -> str:
    return _range(0, at.facts.printed.most_price)


def _tamper(at: Teller, number: int) -> str:
    return _range(0, 2)


# Shipment and movement


def _closed(at: Teller, where: int) -> str:
    """Why tokens of the deciding seat cannot enter a cell; empty if they can."""
    if at.facts.is_stormy(where):
        return f"the storm is on {at.cell(where)}"
    place = at.facts.territory(where)
    there = [seat for seat in at.facts.occupants(place) if seat != at.facts.seat]
    if at.facts.printed.type[place] == STRONGHOLD and len(there) > 1:
        return f"{listed(at.who(seat) for seat in there)} occupy the stronghold {at.territory(place)}"
    allies = [seat for seat in there if seat in at.facts.allies(at.facts.seat)]
    if allies and place != at.facts.printed.polar_sink:
        return f"{at.who(allies[0])}, an ally, is in {at.territory(place)}"
    return ""


def _is_guild_like(at: Teller) -> bool:
    guild = at.facts.with_power(layout.GUILD)
    return guild != NONE and guild in (at.facts.seat, *at.facts.allies(at.facts.seat))


def _ship(at: Teller, where: int) -> str:
    if not at.facts.players[at.facts.seat]["reserve"]:
        return "the reserve is empty"
    closed = _closed(at, where)
    if closed:
        return closed
    if at.facts.seat == at.facts.with_power(layout.FREMEN):
        start, steps = at.facts.printed.landing_from, at.facts.printed.landing_steps
        return f"{at.who(at.facts.seat)} lands at most {steps} territories from {at.territory(start)}"
    return _funds(at, at.facts.price(where, 1))


def _free_tokens(at: Teller, origin: int) -> str:
    """Why no tokens of the deciding seat can leave a territory; empty if some can."""
    if at.facts.seat not in at.facts.occupants(origin):
        return f"no own token is in {at.territory(origin)}"
    if all(at.facts.is_stormy(where) for where in at.facts.cells(origin) if at.facts.tokens(at.facts.seat, where)):
        return f"the storm is on all own tokens in {at.territory(origin)}"
    return ""


def _lift(at: Teller, origin: int) -> str:
    if not _is_guild_like(at):
        return f"only {at.faction(layout.GUILD)} and its allies ship tokens from the board"
    return _free_tokens(at, origin) or "there is no spice to pay a shipment"


def _ship_count(at: Teller, number: int) -> str:
    if not 1 <= number <= at.facts.players[at.facts.seat]["reserve"]:
        return f"at least 1 token lands; {_exist(at.facts.players[at.facts.seat]['reserve'], 'token')} in reserve"
    return _funds(at, at.facts.price(at.facts.pending["cell"], number))


def _ship_to(at: Teller, where: int) -> str:
    if at.facts.territory(where) == at.facts.pending["origin"]:
        return f"the tokens come from {at.territory(at.facts.pending['origin'])}"
    return _closed(at, where) or _funds(at, at.facts.price(where, at.facts.taken, lifted=True))


def _count(at: Teller, number: int) -> str:
    where = at.facts.pending["cell"]
    there = at.facts.tokens(at.facts.seat, where)
    if number > there:
        return f"{_exist(there, 'token')} in {at.cell(where)}"
    if not number:
        return "no other cell could give a token"
    if at.facts.pending.get("lifting"):
        return f"{at.facts.funds} spice can be spent, enough for {2 * at.facts.funds - at.facts.taken} tokens more"
    return f"no target could be reached from {at.cell(where)} as well"


def _move_from(at: Teller, origin: int) -> str:
    return _free_tokens(at, origin) or f"from {at.territory(origin)} no cell can be reached now"


def _move_to(at: Teller, where: int) -> str:
    if at.facts.territory(where) == at.facts.pending["origin"]:
        return f"the tokens come from {at.territory(at.facts.pending['origin'])}"
    return _closed(at, where) or (
        f"no open way of {count(at.facts.steps, 'territory', 'territories')} leads to {at.cell(where)}"
    )


def _raise(at: Teller, number: int) -> str:
    if at.facts.content["leaders"]["risen"][number] and not _dead(at, number):
        return f"{at.leader(number)} has come back before and waits for the others"
    price = 1 if number == layout.FACE_DANCER else at.facts.strength(number)
    return _dead(at, number) or _spice(at, price)


# Battles


def _battle(at: Teller, where: int) -> str:
    if at.facts.territory(where) == at.facts.printed.polar_sink:
        return f"nobody fights in the {at.territory(at.facts.printed.polar_sink)}"
    if at.facts.field(where)[0] != where:
        return f"{at.cell(where)} is not the lowest cell of its field; that is {at.facts.field(where)[0]}"
    if not at.facts.tokens_in_field(at.facts.seat, where):
        return f"no own token is in {at.cell(where)}"
    return f"no enemy is in {at.cell(where)}"


def _opponent(at: Teller, offset: int) -> str:
    other = at.facts.named(offset)
    if other in at.facts.allies(at.facts.seat):
        return f"{at.who(other)} is an ally"
    return f"{at.who(other)} has no token in {at.cell(at.facts.pending['field'])}"


def _leader(at: Teller, number: int) -> str:
    leaders, name, enemy = at.facts.content["leaders"], at.leader(number), at.facts.enemy
    owner = leaders["owner"][number]
    if owner != at.facts.seat:
        return _foreign(at, number, owner)
    if not leaders["alive"][number]:
        return f"{name} is in the tanks"
    used = leaders["used"][number]
    if used not in (NONE, at.facts.territory(at.facts.pending["field"])):
        return f"{name} has fought in {at.territory(used)} in this turn"
    if enemy == at.facts.with_power(layout.TLEILAX) and leaders["returned"][number]:
        return f"{name} has come back from the tanks and does not fight {at.who(enemy)}"
    if at.facts.printed.faction_of[number] == at.facts.faction(enemy):
        return f"{name} does not fight against {at.who(enemy)}"
    return _by_voice(at)


def _must_play(at: Teller, _: int) -> str:
    return _by_voice(at)


def _number(at: Teller, number: int) -> str:
    there = at.facts.tokens_in_field(at.facts.seat, at.facts.pending["field"])
    return f"{_exist(there, 'token')} in the field"


def _loss(at: Teller, number: int) -> str:
    where = at.facts.pending["cell"]
    later = sum(at.facts.tokens(at.facts.seat, other) for other in at.facts.field(where) if other > where)
    here = at.facts.tokens(at.facts.seat, where)
    return f"{_exist(at.facts.pending['left'], 'token')} to be lost: here {here}, {later} in the cells after it"


_REASONS: dict[tuple[str, str], Callable[[Teller, int], str]] = {
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
    ("CONE", "pass"): lambda at, _: "somebody has to be silenced first",
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

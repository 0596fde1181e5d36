"""How much the seat that decides prefers each of its legal actions, by decision."""

from __future__ import annotations

import numpy as np

from dunaia_env.dune.evaluation.dealing import (
    prefer_accepting,
    prefer_answer,
    prefer_bid,
    prefer_card,
    prefer_dial,
    prefer_fetched,
    prefer_given_card,
    prefer_least,
    prefer_leaving,
    prefer_paying,
    prefer_price,
    prefer_proposal,
    prefer_raised_leader,
    prefer_ransom,
    prefer_revival,
    prefer_stopping,
    prefer_strongest,
    prefer_turn,
    prefer_victim,
    prefer_weather,
    prefer_withdrawal,
    prefer_worm,
    prefer_yes,
)
from dunaia_env.dune.evaluation.fighting import (
    prefer_defence,
    prefer_element,
    prefer_keeping,
    prefer_leader,
    prefer_losses,
    prefer_number,
    prefer_opponent,
    prefer_order,
    prefer_weapon,
)
from dunaia_env.dune.evaluation.ground import SURVEY_SIZE, survey, write_gains
from dunaia_env.dune.evaluation.moving import (
    prefer_company,
    prefer_group,
    prefer_landed_tokens,
    prefer_lift_target,
    prefer_origin,
    prefer_placing,
    prefer_second_move,
    prefer_shipment,
    prefer_target,
)
from dunaia_env.dune.rules.fields import battler, side_of
from dunaia_env.dune.state import DECISION, TERRITORIES, TOKENS
from dunaia_env.support.compile_cache import kernel

ACCEPT = DECISION["ACCEPT"]
ACCOMPANY = DECISION["ACCOMPANY"]
ANSWER = DECISION["ANSWER"]
ATOMICS = DECISION["ATOMICS"]
BATTLE_CARDS = DECISION["BATTLE_CARDS"]
BID = DECISION["BID"]
BIDDING_CARDS = DECISION["BIDDING_CARDS"]
BLOW_CARDS = DECISION["BLOW_CARDS"]
BUY_BACK = DECISION["BUY_BACK"]
COUNT = DECISION["COUNT"]
DEFENCE = DECISION["DEFENCE"]
DIAL = DECISION["DIAL"]
GHOLA = DECISION["GHOLA"]
GIVE = DECISION["GIVE"]
HAJR = DECISION["HAJR"]
HARVESTER = DECISION["HARVESTER"]
KARAMA = DECISION["KARAMA"]
KEEP = DECISION["KEEP"]
LAY_WHO = DECISION["LAY_WHO"]
LEADER = DECISION["LEADER"]
LEAVE = DECISION["LEAVE"]
LOSS = DECISION["LOSS"]
MOVE_FROM = DECISION["MOVE_FROM"]
MOVE_TO = DECISION["MOVE_TO"]
NEXUS_CARDS = DECISION["NEXUS_CARDS"]
NUMBER = DECISION["NUMBER"]
OPPONENT = DECISION["OPPONENT"]
PAY = DECISION["PAY"]
PLACE = DECISION["PLACE"]
POISONED = DECISION["POISONED"]
PREDICT_TURN = DECISION["PREDICT_TURN"]
PRESCIENCE = DECISION["PRESCIENCE"]
PRICE = DECISION["PRICE"]
PROPOSE = DECISION["PROPOSE"]
RAISE = DECISION["RAISE"]
RANSOM = DECISION["RANSOM"]
REVIVAL_CARDS = DECISION["REVIVAL_CARDS"]
REVIVE = DECISION["REVIVE"]
RIDE = DECISION["RIDE"]
SHIP = DECISION["SHIP"]
SHIP_COUNT = DECISION["SHIP_COUNT"]
SHIP_TO = DECISION["SHIP_TO"]
SWAP_COUNT = DECISION["SWAP_COUNT"]
SWAP_WHO = DECISION["SWAP_WHO"]
TAMPER = DECISION["TAMPER"]
TRAITOR = DECISION["TRAITOR"]
TREASON = DECISION["TREASON"]
VOICE = DECISION["VOICE"]
WEAPON = DECISION["WEAPON"]
WEATHER = DECISION["WEATHER"]
WEATHER_DIAL = DECISION["WEATHER_DIAL"]
WITHDRAW = DECISION["WITHDRAW"]
WORM = DECISION["WORM"]


@kernel
def write_preferences(state, components, weights, legal, count, preferences):
    """Write the preferences of the seat that decides into ``preferences`` (float64, one for each legal action).

    An action that no consideration concerns has 0, like `pass`.
    """
    for k in range(count):
        preferences[k] = 0.0
    decision = int(state.decision)
    if decision in (SHIP, SHIP_COUNT, SHIP_TO, MOVE_FROM, RIDE, HAJR, COUNT, MOVE_TO, ACCOMPANY, PLACE):
        prefer_ways(state, components, weights, legal, count, preferences)
    elif decision in (LEADER, WEAPON, DEFENCE, NUMBER):
        prefer_plans(state, components, weights, legal, count, preferences)
    else:
        prefer_others(state, components, weights, legal, count, preferences)


@kernel
def prefer_ways(state, components, weights, legal, count, preferences):
    """Write the preferences in decisions about where tokens go."""
    decision, seat = int(state.decision), int(state.seat)
    ground = np.empty((TERRITORIES, SURVEY_SIZE), np.float64)
    gains = np.empty((TERRITORIES, TOKENS + 1), np.float64)
    survey(state, components, weights, seat, ground)
    write_gains(state, components, weights, ground, gains)
    if decision == SHIP:
        prefer_shipment(state, components, weights, seat, ground, gains, legal, count, preferences)
    elif decision == SHIP_COUNT:
        prefer_landed_tokens(state, components, weights, seat, ground, gains, legal, count, preferences)
    elif decision == SHIP_TO:
        prefer_lift_target(state, components, weights, seat, ground, gains, legal, count, preferences)
    elif decision in (MOVE_FROM, RIDE):
        prefer_origin(state, components, weights, seat, ground, gains, legal, count, preferences)
    elif decision == HAJR:
        prefer_second_move(state, components, weights, seat, ground, gains, legal, count, preferences)
    elif decision == COUNT:
        prefer_group(state, components, weights, seat, ground, gains, legal, count, preferences)
    elif decision == MOVE_TO:
        prefer_target(state, components, weights, seat, ground, gains, legal, count, preferences)
    elif decision == ACCOMPANY:
        prefer_company(state, components, weights, seat, ground, gains, legal, count, preferences)
    elif decision == PLACE:
        prefer_placing(state, components, weights, seat, ground, gains, legal, count, preferences)


@kernel
def prefer_plans(state, components, weights, legal, count, preferences):
    """Write the preferences in a battler's decisions about its plan."""
    decision, seat = int(state.decision), int(state.seat)
    enemy = battler(state, 1 - side_of(state, seat))
    if decision == LEADER:
        prefer_leader(state, components, weights, seat, enemy, legal, count, preferences)
    elif decision == WEAPON:
        prefer_weapon(state, components, weights, seat, enemy, legal, count, preferences)
    elif decision == DEFENCE:
        prefer_defence(state, components, weights, seat, enemy, legal, count, preferences)
    elif decision == NUMBER:
        prefer_number(state, components, weights, seat, enemy, legal, count, preferences)


@kernel
def prefer_others(state, components, weights, legal, count, preferences):
    """Write the preferences in all other decisions."""
    decision, seat = int(state.decision), int(state.seat)
    if decision == DIAL:
        prefer_dial(state, components, weights, seat, legal, count, preferences)
    elif decision in (WEATHER, WEATHER_DIAL):
        prefer_weather(state, components, weights, seat, legal, count, preferences)
    elif decision == WORM:
        prefer_worm(state, components, weights, seat, legal, count, preferences)
    elif decision == BID:
        prefer_bid(state, components, weights, seat, legal, count, preferences)
    elif decision in (ATOMICS, BLOW_CARDS, NEXUS_CARDS, HARVESTER, BIDDING_CARDS, REVIVAL_CARDS, BATTLE_CARDS):
        prefer_card(state, components, weights, seat, legal, count, preferences)
    elif decision in (LAY_WHO, SWAP_WHO):
        prefer_victim(state, components, weights, seat, legal, count, preferences)
    elif decision == RANSOM:
        prefer_ransom(state, components, weights, seat, legal, count, preferences)
    elif decision == PAY:
        prefer_paying(state, components, weights, seat, legal, count, preferences)
    elif decision == GIVE:
        prefer_given_card(state, components, weights, seat, legal, count, preferences)
    elif decision == KARAMA:
        prefer_stopping(state, components, weights, seat, legal, count, preferences)
    elif decision == WITHDRAW:
        prefer_withdrawal(state, components, weights, seat, legal, count, preferences)
    elif decision == REVIVE:
        prefer_revival(state, components, weights, seat, legal, count, preferences)
    elif decision in (RAISE, BUY_BACK):
        prefer_raised_leader(state, components, weights, seat, legal, count, preferences)
    elif decision == GHOLA:
        prefer_fetched(state, components, weights, seat, legal, count, preferences)
    elif decision == PRICE:
        prefer_price(state, components, weights, seat, legal, count, preferences)
    elif decision == ACCEPT:
        prefer_accepting(state, components, weights, seat, legal, count, preferences)
    elif decision == PROPOSE:
        prefer_proposal(state, components, weights, seat, legal, count, preferences)
    elif decision == ANSWER:
        prefer_answer(state, components, weights, seat, legal, count, preferences)
    elif decision == LEAVE:
        prefer_leaving(state, components, weights, seat, legal, count, preferences)
    elif decision == PREDICT_TURN:
        prefer_turn(state, components, weights, seat, legal, count, preferences)
    elif decision in (TRAITOR, POISONED):
        prefer_strongest(state, components, weights, seat, legal, count, preferences)
    elif decision == OPPONENT:
        prefer_opponent(state, components, weights, seat, legal, count, preferences)
    elif decision == VOICE:
        prefer_order(state, components, weights, seat, legal, count, preferences)
    elif decision == PRESCIENCE:
        prefer_element(state, components, weights, seat, legal, count, preferences)
    elif decision == LOSS:
        prefer_losses(state, components, weights, seat, legal, count, preferences)
    elif decision == KEEP:
        prefer_keeping(state, components, weights, seat, legal, count, preferences)
    elif decision == TREASON:
        prefer_yes(legal, count, preferences)
    elif decision in (TAMPER, SWAP_COUNT):
        prefer_least(legal, count, preferences)

"""How much the seat that decides prefers each of its legal actions, by decision."""

from __future__ import annotations

import numpy as np

from dunaia_env.dune import decisions
from dunaia_env.dune.evaluation import dealing, fighting, moving
from dunaia_env.dune.evaluation.ground import SURVEY_SIZE, survey, write_gains
from dunaia_env.dune.rules.fields import battler, side_of
from dunaia_env.dune.state import TERRITORIES, TOKENS
from dunaia_env.support.compile_cache import kernel


@kernel
def write_preferences(state, components, weights, legal, count, preferences):
    """Write the preferences of the seat that decides into ``preferences`` (float64, one for each legal action).

    An action that no consideration concerns has 0, like `pass`.
    """
    for k in range(count):
        preferences[k] = 0.0
    decision = int(state.decision)
    if decision in (
        decisions.SHIP,
        decisions.SHIP_COUNT,
        decisions.SHIP_TO,
        decisions.MOVE_FROM,
        decisions.RIDE,
        decisions.HAJR,
        decisions.COUNT,
        decisions.MOVE_TO,
        decisions.ACCOMPANY,
        decisions.PLACE,
    ):
        prefer_ways(state, components, weights, legal, count, preferences)
    elif decision in (decisions.LEADER, decisions.WEAPON, decisions.DEFENCE, decisions.NUMBER):
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
    if decision == decisions.SHIP:
        moving.prefer_shipment(state, components, weights, seat, ground, gains, legal, count, preferences)
    elif decision == decisions.SHIP_COUNT:
        moving.prefer_landed_tokens(state, components, weights, seat, ground, gains, legal, count, preferences)
    elif decision == decisions.SHIP_TO:
        moving.prefer_lift_target(state, components, weights, seat, ground, gains, legal, count, preferences)
    elif decision in (decisions.MOVE_FROM, decisions.RIDE):
        moving.prefer_origin(state, components, weights, seat, ground, gains, legal, count, preferences)
    elif decision == decisions.HAJR:
        moving.prefer_second_move(state, components, weights, seat, ground, gains, legal, count, preferences)
    elif decision == decisions.COUNT:
        moving.prefer_group(state, components, weights, seat, ground, gains, legal, count, preferences)
    elif decision == decisions.MOVE_TO:
        moving.prefer_target(state, components, weights, seat, ground, gains, legal, count, preferences)
    elif decision == decisions.ACCOMPANY:
        moving.prefer_company(state, components, weights, seat, ground, gains, legal, count, preferences)
    elif decision == decisions.PLACE:
        moving.prefer_placing(state, components, weights, seat, ground, gains, legal, count, preferences)


@kernel
def prefer_plans(state, components, weights, legal, count, preferences):
    """Write the preferences in a battler's decisions about its plan."""
    decision, seat = int(state.decision), int(state.seat)
    enemy = battler(state, 1 - side_of(state, seat))
    if decision == decisions.LEADER:
        fighting.prefer_leader(state, components, weights, seat, enemy, legal, count, preferences)
    elif decision == decisions.WEAPON:
        fighting.prefer_weapon(state, components, weights, seat, enemy, legal, count, preferences)
    elif decision == decisions.DEFENCE:
        fighting.prefer_defence(state, components, weights, seat, enemy, legal, count, preferences)
    elif decision == decisions.NUMBER:
        fighting.prefer_number(state, components, weights, seat, enemy, legal, count, preferences)


@kernel
def prefer_others(state, components, weights, legal, count, preferences):
    """Write the preferences in all other decisions."""
    decision, seat = int(state.decision), int(state.seat)
    if decision == decisions.DIAL:
        dealing.prefer_dial(state, components, weights, seat, legal, count, preferences)
    elif decision in (decisions.WEATHER, decisions.WEATHER_DIAL):
        dealing.prefer_weather(state, components, weights, seat, legal, count, preferences)
    elif decision == decisions.WORM:
        dealing.prefer_worm(state, components, weights, seat, legal, count, preferences)
    elif decision == decisions.BID:
        dealing.prefer_bid(state, components, weights, seat, legal, count, preferences)
    elif decision in (
        decisions.ATOMICS,
        decisions.BLOW_CARDS,
        decisions.NEXUS_CARDS,
        decisions.HARVESTER,
        decisions.BIDDING_CARDS,
        decisions.REVIVAL_CARDS,
        decisions.BATTLE_CARDS,
    ):
        dealing.prefer_card(state, components, weights, seat, legal, count, preferences)
    elif decision in (decisions.LAY_WHO, decisions.SWAP_WHO):
        dealing.prefer_victim(state, components, weights, seat, legal, count, preferences)
    elif decision == decisions.RANSOM:
        dealing.prefer_ransom(state, components, weights, seat, legal, count, preferences)
    elif decision == decisions.PAY:
        dealing.prefer_paying(state, components, weights, seat, legal, count, preferences)
    elif decision == decisions.GIVE:
        dealing.prefer_given_card(state, components, weights, seat, legal, count, preferences)
    elif decision == decisions.KARAMA:
        dealing.prefer_stopping(state, components, weights, seat, legal, count, preferences)
    elif decision == decisions.WITHDRAW:
        dealing.prefer_withdrawal(state, components, weights, seat, legal, count, preferences)
    elif decision == decisions.REVIVE:
        dealing.prefer_revival(state, components, weights, seat, legal, count, preferences)
    elif decision in (decisions.RAISE, decisions.BUY_BACK):
        dealing.prefer_raised_leader(state, components, weights, seat, legal, count, preferences)
    elif decision == decisions.GHOLA:
        dealing.prefer_fetched(state, components, weights, seat, legal, count, preferences)
    elif decision == decisions.PRICE:
        dealing.prefer_price(state, components, weights, seat, legal, count, preferences)
    elif decision == decisions.ACCEPT:
        dealing.prefer_accepting(state, components, weights, seat, legal, count, preferences)
    elif decision == decisions.PROPOSE:
        dealing.prefer_proposal(state, components, weights, seat, legal, count, preferences)
    elif decision == decisions.ANSWER:
        dealing.prefer_answer(state, components, weights, seat, legal, count, preferences)
    elif decision == decisions.LEAVE:
        dealing.prefer_leaving(state, components, weights, seat, legal, count, preferences)
    elif decision == decisions.PREDICT_TURN:
        dealing.prefer_turn(state, components, weights, seat, legal, count, preferences)
    elif decision in (decisions.TRAITOR, decisions.POISONED):
        dealing.prefer_strongest(state, components, weights, seat, legal, count, preferences)
    elif decision == decisions.OPPONENT:
        fighting.prefer_opponent(state, components, weights, seat, legal, count, preferences)
    elif decision == decisions.VOICE:
        fighting.prefer_order(state, components, weights, seat, legal, count, preferences)
    elif decision == decisions.PRESCIENCE:
        fighting.prefer_element(state, components, weights, seat, legal, count, preferences)
    elif decision == decisions.LOSS:
        fighting.prefer_losses(state, components, weights, seat, legal, count, preferences)
    elif decision == decisions.KEEP:
        fighting.prefer_keeping(state, components, weights, seat, legal, count, preferences)
    elif decision == decisions.TREASON:
        dealing.prefer_yes(legal, count, preferences)
    elif decision in (decisions.TAMPER, decisions.SWAP_COUNT):
        dealing.prefer_least(legal, count, preferences)

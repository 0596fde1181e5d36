"""Applying an action, the steps after it, and the forced decisions that follow."""

from __future__ import annotations

from dunaia_env.dune.rules.asking import drop
from dunaia_env.dune.rules.battle import (
    after_voiced,
    answer_battle,
    answer_battle_cards,
    answer_opponent,
    answer_voice,
    begin_battles,
    begin_voice,
    next_battle,
)
from dunaia_env.dune.rules.battle_results import answer_keep, answer_loss, answer_treason
from dunaia_env.dune.rules.bidding import (
    after_bonus,
    after_ransom,
    after_sight,
    answer_bid,
    answer_bidding_cards,
    answer_gift,
    answer_pay,
    answer_pledge,
    answer_poisoned,
    answer_ransom,
    begin_bidding,
    begin_ransoms,
    begin_sales,
    take_for_nothing,
)
from dunaia_env.dune.rules.counting import answer_count, answer_move_to
from dunaia_env.dune.rules.harvest import begin_harvest
from dunaia_env.dune.rules.karama import after_worthless, answer_karama
from dunaia_env.dune.rules.legal import legal_actions
from dunaia_env.dune.rules.movement import after_move, answer_hajr, answer_move_from, answer_raise, begin_ground_move
from dunaia_env.dune.rules.nexus import (
    after_proposal,
    answer_answer,
    answer_leave,
    answer_nexus_cards,
    answer_propose,
    begin_leaving,
    begin_nexus,
)
from dunaia_env.dune.rules.plans import (
    after_prescient,
    answer_defence,
    answer_leader,
    answer_number,
    answer_prescience,
    answer_weapon,
)
from dunaia_env.dune.rules.revival import (
    after_buy_back,
    after_future,
    answer_revival_cards,
    answer_revive,
    begin_revival,
    begin_reviving,
)
from dunaia_env.dune.rules.setup import answer_place, answer_predict_turn, answer_predict_who, answer_traitor
from dunaia_env.dune.rules.shipment import (
    after_accompanied,
    after_shipped,
    answer_accompany,
    answer_ship,
    answer_ship_count,
    answer_ship_to,
    answer_withdraw,
    begin_movement,
    next_mover,
    ship_at_half_price,
)
from dunaia_env.dune.rules.spice_blow import (
    after_blow_cards,
    answer_blow_cards,
    answer_harvester,
    begin_blow,
    draw_spice_cards,
)
from dunaia_env.dune.rules.steps import (
    AFTER_BLOW_CARDS,
    AFTER_BUY_BACK,
    AFTER_MOVE,
    AFTER_PROPOSAL,
    AFTER_RANSOM,
    AFTER_WEATHER,
    ASKED,
    BEGIN_BATTLES,
    BEGIN_BIDDING,
    BEGIN_BLOW,
    BEGIN_GROUND_MOVE,
    BEGIN_HARVEST,
    BEGIN_LEAVING,
    BEGIN_MOVEMENT,
    BEGIN_NEXUS,
    BEGIN_RANSOMS,
    BEGIN_REVIVAL,
    BEGIN_REVIVING,
    BEGIN_SALES,
    BEGIN_TURN,
    BEGIN_VOICE,
    DRAW_SPICE_CARDS,
    MOVE_STORM,
    NEXT_BATTLE,
    NEXT_MOVER,
    POWER_STOPPED,
    POWER_WORKS,
    RESUME,
    SHIP_AT_HALF_PRICE,
    TAKE_FOR_NOTHING,
    WORM_COMES,
)
from dunaia_env.dune.rules.storm import (
    after_weather,
    answer_atomics,
    answer_dial,
    answer_weather,
    answer_weather_dial,
    begin_turn,
    move_storm,
)
from dunaia_env.dune.rules.tleilax import after_tampered, answer_accept, answer_buy_back, answer_price, answer_tamper
from dunaia_env.dune.rules.treachery import (
    after_stolen,
    answer_cone,
    answer_ghola,
    answer_give,
    answer_lay_who,
    answer_swap_count,
    answer_swap_who,
    answer_truth,
    answer_truth_who,
)
from dunaia_env.dune.rules.windows import return_to_window
from dunaia_env.dune.rules.worms import after_tame, answer_ride, answer_worm, worm_comes
from dunaia_env.dune.state import (
    ACCOMPANIED,
    BONUS,
    DECISION,
    DRAWING,
    EAT,
    FUTURE,
    NONE,
    PRESCIENT,
    SHIPPED,
    SIGHT,
    STOLEN,
    TAME,
    TAMPERED,
    VOICED,
    WINDOW,
)
from dunaia_env.support.compile_cache import kernel

PREDICT_WHO = DECISION["PREDICT_WHO"]
PREDICT_TURN = DECISION["PREDICT_TURN"]
TRAITOR = DECISION["TRAITOR"]
PLACE = DECISION["PLACE"]
WEATHER = DECISION["WEATHER"]
WEATHER_DIAL = DECISION["WEATHER_DIAL"]
DIAL = DECISION["DIAL"]
ATOMICS = DECISION["ATOMICS"]
BLOW_CARDS = DECISION["BLOW_CARDS"]
WORM = DECISION["WORM"]
NEXUS_CARDS = DECISION["NEXUS_CARDS"]
LEAVE = DECISION["LEAVE"]
PROPOSE = DECISION["PROPOSE"]
ANSWER = DECISION["ANSWER"]
RIDE = DECISION["RIDE"]
HARVESTER = DECISION["HARVESTER"]
BIDDING_CARDS = DECISION["BIDDING_CARDS"]
RANSOM = DECISION["RANSOM"]
PAY = DECISION["PAY"]
POISONED = DECISION["POISONED"]
GIFT = DECISION["GIFT"]
PLEDGE = DECISION["PLEDGE"]
BID = DECISION["BID"]
REVIVAL_CARDS = DECISION["REVIVAL_CARDS"]
REVIVE = DECISION["REVIVE"]
WITHDRAW = DECISION["WITHDRAW"]
SHIP = DECISION["SHIP"]
SHIP_COUNT = DECISION["SHIP_COUNT"]
SHIP_TO = DECISION["SHIP_TO"]
COUNT = DECISION["COUNT"]
ACCOMPANY = DECISION["ACCOMPANY"]
MOVE_FROM = DECISION["MOVE_FROM"]
MOVE_TO = DECISION["MOVE_TO"]
HAJR = DECISION["HAJR"]
RAISE = DECISION["RAISE"]
BATTLE = DECISION["BATTLE"]
OPPONENT = DECISION["OPPONENT"]
BATTLE_CARDS = DECISION["BATTLE_CARDS"]
VOICE = DECISION["VOICE"]
LEADER = DECISION["LEADER"]
WEAPON = DECISION["WEAPON"]
DEFENCE = DECISION["DEFENCE"]
NUMBER = DECISION["NUMBER"]
PRESCIENCE = DECISION["PRESCIENCE"]
TREASON = DECISION["TREASON"]
LOSS = DECISION["LOSS"]
KEEP = DECISION["KEEP"]
TRUTH_WHO = DECISION["TRUTH_WHO"]
TRUTH = DECISION["TRUTH"]
CONE = DECISION["CONE"]
LAY_WHO = DECISION["LAY_WHO"]
GHOLA = DECISION["GHOLA"]
SWAP_WHO = DECISION["SWAP_WHO"]
SWAP_COUNT = DECISION["SWAP_COUNT"]
GIVE = DECISION["GIVE"]
KARAMA = DECISION["KARAMA"]
BUY_BACK = DECISION["BUY_BACK"]
PRICE = DECISION["PRICE"]
ACCEPT = DECISION["ACCEPT"]
TAMPER = DECISION["TAMPER"]


@kernel
def settle(state, components, chance, step, actions):
    """Take steps and forced decisions, which have exactly one legal action, until a seat has a choice.

    Writes the legal actions of that choice into ``actions``, int16 ``(NUM_ACTIONS,)``, and returns their number: 0 when
    the game is over.
    """
    while True:
        while step != ASKED:
            step = take_step(state, components, chance, step)
        count = legal_actions(state, components, actions)
        if count != 1:
            return count
        step = apply_action(state, components, chance, int(actions[0]))


@kernel
def apply_action(state, components, chance, action):
    """Apply a legal action; returns the step that follows."""
    decision = int(state.decision)
    if decision == PREDICT_WHO:
        return answer_predict_who(state, components, chance, action)
    if decision == PREDICT_TURN:
        return answer_predict_turn(state, components, chance, action)
    if decision == TRAITOR:
        return answer_traitor(state, components, chance, action)
    if decision == PLACE:
        return answer_place(state, components, chance, action)
    if decision == WEATHER:
        return answer_weather(state, components, chance, action)
    if decision == WEATHER_DIAL:
        return answer_weather_dial(state, components, chance, action)
    if decision == DIAL:
        return answer_dial(state, components, chance, action)
    if decision == ATOMICS:
        return answer_atomics(state, components, chance, action)
    if decision == BLOW_CARDS:
        return answer_blow_cards(state, components, chance, action)
    if decision == WORM:
        return answer_worm(state, components, chance, action)
    if decision == NEXUS_CARDS:
        return answer_nexus_cards(state, components, chance, action)
    if decision == LEAVE:
        return answer_leave(state, components, chance, action)
    if decision == PROPOSE:
        return answer_propose(state, components, chance, action)
    if decision == ANSWER:
        return answer_answer(state, components, chance, action)
    if decision == RIDE:
        return answer_ride(state, components, chance, action)
    if decision == HARVESTER:
        return answer_harvester(state, components, chance, action)
    if decision == BIDDING_CARDS:
        return answer_bidding_cards(state, components, chance, action)
    if decision == RANSOM:
        return answer_ransom(state, components, chance, action)
    if decision == PAY:
        return answer_pay(state, components, chance, action)
    if decision == POISONED:
        return answer_poisoned(state, components, chance, action)
    if decision == GIFT:
        return answer_gift(state, components, chance, action)
    if decision == PLEDGE:
        return answer_pledge(state, components, chance, action)
    if decision == BID:
        return answer_bid(state, components, chance, action)
    if decision == REVIVAL_CARDS:
        return answer_revival_cards(state, components, chance, action)
    if decision == REVIVE:
        return answer_revive(state, components, chance, action)
    if decision == WITHDRAW:
        return answer_withdraw(state, components, chance, action)
    if decision == SHIP:
        return answer_ship(state, components, chance, action)
    if decision == SHIP_COUNT:
        return answer_ship_count(state, components, chance, action)
    if decision == SHIP_TO:
        return answer_ship_to(state, components, chance, action)
    if decision == COUNT:
        return answer_count(state, components, chance, action)
    if decision == ACCOMPANY:
        return answer_accompany(state, components, chance, action)
    if decision == MOVE_FROM:
        return answer_move_from(state, components, chance, action)
    if decision == MOVE_TO:
        return answer_move_to(state, components, chance, action)
    if decision == HAJR:
        return answer_hajr(state, components, chance, action)
    if decision == RAISE:
        return answer_raise(state, components, chance, action)
    if decision == BATTLE:
        return answer_battle(state, components, chance, action)
    if decision == OPPONENT:
        return answer_opponent(state, components, chance, action)
    if decision == BATTLE_CARDS:
        return answer_battle_cards(state, components, chance, action)
    if decision == VOICE:
        return answer_voice(state, components, chance, action)
    if decision == LEADER:
        return answer_leader(state, components, chance, action)
    if decision == WEAPON:
        return answer_weapon(state, components, chance, action)
    if decision == DEFENCE:
        return answer_defence(state, components, chance, action)
    if decision == NUMBER:
        return answer_number(state, components, chance, action)
    if decision == PRESCIENCE:
        return answer_prescience(state, components, chance, action)
    if decision == TREASON:
        return answer_treason(state, components, chance, action)
    if decision == LOSS:
        return answer_loss(state, components, chance, action)
    if decision == KEEP:
        return answer_keep(state, components, chance, action)
    if decision == TRUTH_WHO:
        return answer_truth_who(state, components, chance, action)
    if decision == TRUTH:
        return answer_truth(state, components, chance, action)
    if decision == CONE:
        return answer_cone(state, components, chance, action)
    if decision == LAY_WHO:
        return answer_lay_who(state, components, chance, action)
    if decision == GHOLA:
        return answer_ghola(state, components, chance, action)
    if decision == SWAP_WHO:
        return answer_swap_who(state, components, chance, action)
    if decision == SWAP_COUNT:
        return answer_swap_count(state, components, chance, action)
    if decision == GIVE:
        return answer_give(state, components, chance, action)
    if decision == KARAMA:
        return answer_karama(state, action)
    if decision == BUY_BACK:
        return answer_buy_back(state, components, chance, action)
    if decision == PRICE:
        return answer_price(state, components, chance, action)
    if decision == ACCEPT:
        return answer_accept(state, components, chance, action)
    if decision == TAMPER:
        return answer_tamper(state, components, chance, action)
    return ASKED


@kernel
def take_step(state, components, chance, step):
    """Take a step; returns the step that follows."""
    if step == RESUME:
        return resume(state)
    if step in (POWER_STOPPED, POWER_WORKS):
        return after_question(state, components, chance, step == POWER_STOPPED)
    if step == BEGIN_TURN:
        return begin_turn(state, components, chance)
    if step == AFTER_WEATHER:
        return after_weather(state, components, chance)
    if step == MOVE_STORM:
        return move_storm(state, components, chance)
    if step == BEGIN_BLOW:
        return begin_blow(state, components, chance)
    if step == AFTER_BLOW_CARDS:
        return after_blow_cards(state, components, chance)
    if step == DRAW_SPICE_CARDS:
        return draw_spice_cards(state, components, chance)
    if step == BEGIN_NEXUS:
        return begin_nexus(state, components, chance)
    if step == BEGIN_LEAVING:
        return begin_leaving(state, components, chance)
    if step == AFTER_PROPOSAL:
        return after_proposal(state, components, chance)
    if step == WORM_COMES:
        return worm_comes(state, components, chance)
    if step == BEGIN_BIDDING:
        return begin_bidding(state, components, chance)
    if step == BEGIN_RANSOMS:
        return begin_ransoms(state, components, chance)
    if step == AFTER_RANSOM:
        return after_ransom(state, components, chance)
    if step == BEGIN_SALES:
        return begin_sales(state, components, chance)
    if step == TAKE_FOR_NOTHING:
        return take_for_nothing(state, components, chance)
    if step == BEGIN_REVIVAL:
        return begin_revival(state, components, chance)
    if step == BEGIN_REVIVING:
        return begin_reviving(state, components, chance)
    if step == AFTER_BUY_BACK:
        return after_buy_back(state, components, chance)
    if step == BEGIN_MOVEMENT:
        return begin_movement(state, components, chance)
    if step == SHIP_AT_HALF_PRICE:
        return ship_at_half_price(state, components, chance)
    if step == BEGIN_GROUND_MOVE:
        return begin_ground_move(state, components, chance)
    if step == AFTER_MOVE:
        return after_move(state, components, chance)
    if step == NEXT_MOVER:
        return next_mover(state, components, chance)
    if step == NEXT_BATTLE:
        return next_battle(state, components, chance)
    if step == BEGIN_BATTLES:
        return begin_battles(state, components, chance)
    if step == BEGIN_VOICE:
        return begin_voice(state, components, chance)
    if step == BEGIN_HARVEST:
        return begin_harvest(state, components, chance)
    return ASKED


@kernel
def resume(state):
    """Take up the innermost entry of the stack. In a round, ``state.seat`` is then the seat whose place it was."""
    frame = state.stack[int(state.depth) - 1]
    point, decision, seat = int(frame.point), int(frame.decision), int(frame.seat)
    if point == WINDOW:
        return return_to_window(state)
    drop(state)
    if point == DRAWING:
        return DRAW_SPICE_CARDS
    if point == EAT:
        return WORM_COMES
    state.seat = seat
    if decision == RANSOM:
        return AFTER_RANSOM
    if decision == PROPOSE:
        return AFTER_PROPOSAL
    if decision == REVIVE:
        return AFTER_BUY_BACK
    return BEGIN_GROUND_MOVE


@kernel
def after_question(state, components, chance, stopped):
    """Continue after the question whether somebody stops a power."""
    power = int(state.power)
    state.power = NONE
    state.user = NONE
    if power == SIGHT:
        return after_sight(state, components, chance, stopped)
    if power == BONUS:
        return after_bonus(state, components, chance, stopped)
    if power == FUTURE:
        return after_future(state, components, chance, stopped)
    if power == TAME:
        return after_tame(state, components, chance, stopped)
    if power == ACCOMPANIED:
        return after_accompanied(state, components, chance, stopped)
    if power == VOICED:
        return after_voiced(state, components, chance, stopped)
    if power == PRESCIENT:
        return after_prescient(state, components, chance, stopped)
    if power == SHIPPED:
        return after_shipped(state, components, chance, stopped)
    if power == TAMPERED:
        return after_tampered(state, components, chance, stopped)
    if power == STOLEN:
        return after_stolen(state, components, chance, stopped)
    return after_worthless(state, stopped)

"""The legal actions of a decision (rules, section 12)."""

from __future__ import annotations

from dunaia_env.dune.rules.battle import list_battle, list_battle_cards, list_opponent, list_voice
from dunaia_env.dune.rules.battle_results import list_keep, list_loss, list_treason
from dunaia_env.dune.rules.bidding import (
    list_bid,
    list_bidding_cards,
    list_gift,
    list_pay,
    list_pledge,
    list_poisoned,
    list_ransom,
)
from dunaia_env.dune.rules.counting import list_count, list_move_to
from dunaia_env.dune.rules.karama import list_karama
from dunaia_env.dune.rules.movement import list_hajr, list_move_from, list_raise
from dunaia_env.dune.rules.nexus import list_answer, list_leave, list_nexus_cards, list_propose
from dunaia_env.dune.rules.plans import list_defence, list_leader, list_number, list_prescience, list_weapon
from dunaia_env.dune.rules.revival import list_revival_cards, list_revive
from dunaia_env.dune.rules.setup import list_place, list_predict_turn, list_predict_who, list_traitor
from dunaia_env.dune.rules.shipment import list_accompany, list_ship, list_ship_count, list_ship_to, list_withdraw
from dunaia_env.dune.rules.spice_blow import list_blow_cards, list_harvester
from dunaia_env.dune.rules.storm import list_atomics, list_dial, list_weather, list_weather_dial
from dunaia_env.dune.rules.tleilax import list_accept, list_buy_back, list_price, list_tamper
from dunaia_env.dune.rules.treachery import (
    list_cone,
    list_ghola,
    list_give,
    list_lay_who,
    list_swap_count,
    list_swap_who,
    list_truth,
    list_truth_who,
)
from dunaia_env.dune.rules.worms import list_ride, list_worm
from dunaia_env.dune.state import DECISION
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
def legal_actions(state, components, actions):
    """Write the legal actions of a state, ascending, into ``actions`` (int16); returns their number, 0 when over."""
    decision = int(state.decision)
    if decision == PREDICT_WHO:
        return list_predict_who(state, components, actions)
    if decision == PREDICT_TURN:
        return list_predict_turn(state, components, actions)
    if decision == TRAITOR:
        return list_traitor(state, components, actions)
    if decision == PLACE:
        return list_place(state, components, actions)
    if decision == WEATHER:
        return list_weather(state, components, actions)
    if decision == WEATHER_DIAL:
        return list_weather_dial(state, components, actions)
    if decision == DIAL:
        return list_dial(state, components, actions)
    if decision == ATOMICS:
        return list_atomics(state, components, actions)
    if decision == BLOW_CARDS:
        return list_blow_cards(state, components, actions)
    if decision == WORM:
        return list_worm(state, components, actions)
    if decision == NEXUS_CARDS:
        return list_nexus_cards(state, components, actions)
    if decision == LEAVE:
        return list_leave(state, components, actions)
    if decision == PROPOSE:
        return list_propose(state, components, actions)
    if decision == ANSWER:
        return list_answer(state, components, actions)
    if decision == RIDE:
        return list_ride(state, components, actions)
    if decision == HARVESTER:
        return list_harvester(state, components, actions)
    if decision == BIDDING_CARDS:
        return list_bidding_cards(state, components, actions)
    if decision == RANSOM:
        return list_ransom(state, components, actions)
    if decision == PAY:
        return list_pay(state, components, actions)
    if decision == POISONED:
        return list_poisoned(state, components, actions)
    if decision == GIFT:
        return list_gift(state, components, actions)
    if decision == PLEDGE:
        return list_pledge(state, components, actions)
    if decision == BID:
        return list_bid(state, components, actions)
    if decision == REVIVAL_CARDS:
        return list_revival_cards(state, components, actions)
    if decision == REVIVE:
        return list_revive(state, components, actions)
    if decision == WITHDRAW:
        return list_withdraw(state, components, actions)
    if decision == SHIP:
        return list_ship(state, components, actions)
    if decision == SHIP_COUNT:
        return list_ship_count(state, components, actions)
    if decision == SHIP_TO:
        return list_ship_to(state, components, actions)
    if decision == COUNT:
        return list_count(state, components, actions)
    if decision == ACCOMPANY:
        return list_accompany(state, components, actions)
    if decision == MOVE_FROM:
        return list_move_from(state, components, actions)
    if decision == MOVE_TO:
        return list_move_to(state, components, actions)
    if decision == HAJR:
        return list_hajr(state, components, actions)
    if decision == RAISE:
        return list_raise(state, components, actions)
    if decision == BATTLE:
        return list_battle(state, components, actions)
    if decision == OPPONENT:
        return list_opponent(state, components, actions)
    if decision == BATTLE_CARDS:
        return list_battle_cards(state, components, actions)
    if decision == VOICE:
        return list_voice(state, components, actions)
    if decision == LEADER:
        return list_leader(state, components, actions)
    if decision == WEAPON:
        return list_weapon(state, components, actions)
    if decision == DEFENCE:
        return list_defence(state, components, actions)
    if decision == NUMBER:
        return list_number(state, components, actions)
    if decision == PRESCIENCE:
        return list_prescience(state, components, actions)
    if decision == TREASON:
        return list_treason(state, components, actions)
    if decision == LOSS:
        return list_loss(state, components, actions)
    if decision == KEEP:
        return list_keep(state, components, actions)
    if decision == TRUTH_WHO:
        return list_truth_who(state, components, actions)
    if decision == TRUTH:
        return list_truth(state, components, actions)
    if decision == CONE:
        return list_cone(state, components, actions)
    if decision == LAY_WHO:
        return list_lay_who(state, components, actions)
    if decision == GHOLA:
        return list_ghola(state, components, actions)
    if decision == SWAP_WHO:
        return list_swap_who(state, components, actions)
    if decision == SWAP_COUNT:
        return list_swap_count(state, components, actions)
    if decision == GIVE:
        return list_give(state, components, actions)
    if decision == KARAMA:
        return list_karama(actions)
    if decision == BUY_BACK:
        return list_buy_back(state, components, actions)
    if decision == PRICE:
        return list_price(state, components, actions)
    if decision == ACCEPT:
        return list_accept(state, components, actions)
    if decision == TAMPER:
        return list_tamper(state, components, actions)
    return 0

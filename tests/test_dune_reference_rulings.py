"""The plain program of Dune: examples and rulings of the specification, staged by hand, chapter by chapter."""

from __future__ import annotations

import pytest

from .reference_dune.board import POLAR_CELL, TERRITORIES
from .reference_dune.chance import SeededChance
from .reference_dune.components import ATREIDES, BENE_GESSERIT, HARKONNEN
from .reference_dune.game import Game
from .reference_dune.staging import PreparedChance, drive, menu_after, stage

pytestmark = pytest.mark.once

PROJECTILE, POISON, SHIELD, SNOOPER, WORTHLESS, WEATHER = 0, 1, 3, 4, 6, 8
ATOMICS, HARVESTER, THUMPER, RESIDUAL, KARAMA = 11, 12, 13, 15, 16
NAMES = [row[0] for row in TERRITORIES]
ARRAKEEN, TUEK = 0, 79  # cells


def territory(name: str) -> int:
    return NAMES.index(name)


def put(game: Game, seat: int, cell: int, tokens: int) -> None:
    game.land(seat, cell, tokens)


# Set-up, words


def test_setup__three_players_with_everything_printed() -> None:
    game = Game(3, SeededChance(1), [ATREIDES, HARKONNEN, BENE_GESSERIT])
    state = game.to_dict()
    assert (game.seat, game.decision) == (2, "PREDICT_WHO")
    assert game.legal() == ["faction 0", "faction 1"]
    assert [player["dot"] for player in state["players"]] == [1, 7, 13]
    assert [player["forces"] for player in state["players"]] == [[[0, 10]], [[8, 10]], [[58, 1]]]
    assert [player["reserve"] for player in state["players"]] == [10, 10, 19]
    assert [player["spice"] for player in state["players"]] == [10, 10, 5]
    assert all(not player["discs"] and not player["hand"] for player in state["players"])
    assert (state["turn"], state["wheels"], state["last_blow"], state["prediction"]) == (0, [-1, -1], -1, None)
    assert (state["phase"], state["actor"], state["scores"]) == ("setup", -1, [1, 1, 0])
    assert sum(state["leaders"]["alive"]) == 15
    game.apply("faction 1")
    game.apply("turn 15")
    assert game.decision == "TRAITOR"
    assert len(game.players[1].discs) == 4


def test_setup__harkonnen_keeps_every_traitor_and_draws_two_cards() -> None:
    game = Game(6, SeededChance(3), [0, 1, 2, 3, 4, 5])
    while game.decision != "DIAL":
        game.apply(game.legal()[0])
    assert game.players[1].traitors == [disc for disc in game.players[1].discs if disc // 5 != 1]
    assert [len(player.hand) for player in game.players] == [1, 2, 1, 1, 1, 1]
    assert game.players[3].forces == {65: 10}  # the last cell takes the rest
    assert game.to_dict()["wheels"] == [0, 5]


def test_setup__own_discs_and_those_of_absent_factions_do_not_count() -> None:
    draws = [0, 4, 8, 4, 0, 3, 3, 4]  # discs 0 5 10 6, then 1 7 8 11
    game = Game(2, PreparedChance(*draws), [ATREIDES, HARKONNEN])
    assert (game.seat, game.decision, game.legal()) == (0, "TRAITOR", ["leader 5", "leader 6"])
    assert (game.players[0].discs, game.players[1].discs) == ([0, 5, 6, 10], [1, 7, 8, 11])
    assert game.players[1].traitors == []  # not before its place
    game.apply("leader 6")
    assert (game.players[0].traitors, game.players[1].traitors) == ([6], [1])
    game = Game(2, PreparedChance(0, 4, 8, 4, 0, 0, 2, 3), [ATREIDES, HARKONNEN], {"powers": False})
    game.apply("leader 6")
    assert (game.seat, game.legal()) == (1, ["leader 1", "leader 2"])  # without powers it chooses as others do


def test_words__a_dot_under_the_storm_comes_last() -> None:
    game = stage([0, 1, 2])  # dots 1, 7, 13
    for storm, order in ((0, [0, 1, 2]), (1, [1, 2, 0]), (6, [1, 2, 0]), (7, [2, 0, 1]), (14, [0, 1, 2])):
        game.storm = storm
        assert game.turn_order() == order


# Storm, blow, worms


def test_storm__kills_on_sand_and_spares_rock_strongholds_and_the_basin_behind_the_wall() -> None:
    game = stage([0, 1])
    for cell in (3, 23, 43, 63, POLAR_CELL):  # Basin, False Wall East, Imperial Basin, Shield Wall
        put(game, 0, cell, 2)
    game.put_spice(3, 6)
    game.storm = 7
    put(game, 0, 54, 1)  # Pasty Mesa, in the sector that the storm leaves
    game.move_storm(1)
    assert game.players[0].tanks == 2
    assert game.spice == {}
    assert 3 not in game.players[0].forces
    game.shield_wall = False
    game.storm = 7
    game.move_storm(1)
    assert 43 not in game.players[0].forces
    before = dict(game.players[0].forces)
    game.move_storm(0)
    assert game.players[0].forces == before


def test_storm__weather_control_dials_alone_and_atomics_leave_the_game() -> None:
    game = stage([0, 1])
    game.players[0].hand, game.players[1].hand = [ATOMICS], [WEATHER]
    put(game, 0, 32, 1)  # Gara Kulon borders the wall
    put(game, 1, 64, 3)
    drive(game, game.storm_phase(), "1 WEATHER card 8", "1 WEATHER_DIAL number 0", "0 ATOMICS card 11")
    assert (game.storm, game.shield_wall) == (0, False)
    assert game.removed[ATOMICS] == 1
    assert game.discards[WEATHER] == 1
    assert game.players[1].tanks == 3


def test_blow__a_stormy_cell_gets_nothing_but_names_the_territory() -> None:
    game = stage([0, 1], 10)
    game.storm = 8
    drive(game, game.blow_phase())
    assert (game.spice, game.last_blow) == ({}, territory("Sihaya Ridge"))


def test_blow__the_harvester_doubles() -> None:
    game = stage([0, 1], 10)
    game.players[1].hand = [HARVESTER]
    drive(game, game.blow_phase(), "1 HARVESTER card 12")
    assert game.spice == {66: 12}


def test_blow__first_turn_draws_among_territory_cards_only() -> None:
    game = stage([0, 1], 14)
    game.turn = 1
    game.players[0].hand = [THUMPER]
    drive(game, game.blow_phase())
    assert game.spice == {84: 6}


def test_blow__thumper_is_the_first_worm_and_later_ones_do_nothing() -> None:
    game = stage([0, 1, 3], 15, 10, alliances=False)
    game.players[0].hand = [THUMPER]
    game.last_blow = territory("Broken Land")
    for seat in game.seats:
        put(game, seat, 6, 2)
    drive(game, game.blow_phase(), "0 BLOW_CARDS card 13", "2 RIDE pass")
    assert [player.tanks for player in game.players] == [2, 2, 0]
    assert game.spice_discards[15] == 1
    assert game.last_blow == territory("Sihaya Ridge")


def test_worm__a_ride_takes_any_number_anywhere_but_into_the_storm() -> None:
    game = stage([3, 0, 1])
    game.storm = 10
    put(game, 0, 6, 3)  # under the storm
    put(game, 0, 7, 2)
    put(game, 1, ARRAKEEN, 1)
    put(game, 2, ARRAKEEN, 1)
    script = ["0 RIDE territory 4", "0 COUNT number 2"]
    asked, menu = menu_after(game, game.worm(4, eats=True), *script)
    assert asked == "0 MOVE_TO"
    assert {"cell 45", "cell 6", "cell 7", "cell 0"}.isdisjoint(menu)
    assert {f"cell {TUEK}", f"cell {POLAR_CELL}"} <= set(menu)


def test_worm__stopped_power_kills_fremen_and_their_allies() -> None:
    game = stage([3, 0, 1])
    game.alliances = [{0, 1}]
    game.players[1].hand, game.players[2].hand = [KARAMA], [KARAMA]
    put(game, 0, 6, 3)
    put(game, 1, 7, 2)
    drive(game, game.worm(4, eats=True), "2 KARAMA karama")
    assert [player.tanks for player in game.players] == [3, 2, 0]


def test_worm__called_by_karama_only_where_it_can_do_something() -> None:
    game = stage([3, 0, 1], karama_powers=True)
    game.storm = 4
    put(game, 0, 26, 1)
    put(game, 0, TUEK, 1)  # stormy
    put(game, 1, ARRAKEEN, 1)  # no sand
    put(game, 1, 43, 1)
    game.put_spice(17, 3)
    assert [NAMES[t] for t in game.worm_targets(0)] == ["Cielago South", "False Wall South", "Imperial Basin"]


# Nexus


def test_nexus__two_alliances_cannot_merge_and_refusal_ends_the_proposal() -> None:
    game = stage([0, 1, 2, 3])
    game.alliances = [{0, 1}]
    asked, _ = menu_after(game, game.nexus(), "0 LEAVE pass", "1 LEAVE pass")
    assert asked == "2 PROPOSE"
    script = ["0 LEAVE pass", "1 LEAVE pass", "2 PROPOSE seat 1", "3 ANSWER yes"]
    drive(game, game.nexus(), *script)
    assert game.alliances == [{0, 1}, {2, 3}]
    assert game.to_dict()["alliance"] == [0, 0, 2, 2]


def test_nexus__every_member_of_an_alliance_is_asked_and_may_be_named() -> None:
    game = stage([0, 1, 2])
    game.alliances = [{0, 2}]
    script = ["0 LEAVE pass", "2 LEAVE pass"]
    assert menu_after(game, game.nexus(), *script) == ("1 PROPOSE", ["pass", "seat 1", "seat 2"])
    drive(game, game.nexus(), *script, "1 PROPOSE seat 1", "0 ANSWER yes", "2 ANSWER pass")
    assert game.alliances == [{0, 2}]
    drive(game, game.nexus(), *script, "1 PROPOSE seat 1", "0 ANSWER yes", "2 ANSWER yes")
    assert game.alliances == [{0, 1, 2}]


def test_nexus__limit_silence_and_alliances_of_one() -> None:
    game = stage([0, 1, 2], max_alliance=2)
    game.alliances = [{0, 1}]
    drive(game, game.nexus(), "0 LEAVE pass", "1 LEAVE pass")
    game.silenced = {2}
    drive(game, game.nexus(), "0 LEAVE yes", "0 PROPOSE pass", "1 PROPOSE seat 2", "0 ANSWER pass")
    assert game.alliances == []


# Bidding


def bidding(factions: list[int], *outcomes: int, **options: object) -> Game:
    game = stage(factions, *outcomes, **options)
    for player in game.players[1:]:
        player.hand = [SHIELD] * 4
    return game


def test_bidding__the_emperor_is_paid_and_nobody_pays_himself() -> None:
    game = bidding([0, 2, 1])
    game.players[2].hand = [SHIELD] * 8
    game.alliances = [{0, 1}]
    game.players[1].pledge = 4
    game.players[0].spice = 3
    drive(game, game.sales(), "0 BID number 5")
    assert [player.spice for player in game.players] == [0, 11, 10]  # 8 - 2 pledged + 3 from Atreides; 2 to the bank
    assert game.bank == 2
    assert game.players[1].pledge == 2
    assert game.players[0].foreseen == []


def test_bidding__an_unwanted_card_goes_back_on_top_with_its_mark() -> None:
    game = bidding([0, 3, 4], 0)
    drive(game, game.sales(), "0 BID pass")
    assert (game.top, game.top_seen, game.sale, game.sale_seen) == (0, True, -1, False)
    game.players[1].hand = [KARAMA]
    drive(game, game.sales(), "1 KARAMA karama", "0 BID number 2", "1 BID pass", "1 BID pass", "0 BID pass")
    assert game.sight_stopped
    assert game.players[0].hand == [0]
    assert game.players[0].foreseen == []  # one's own cards bear no mark
    assert (game.top, game.top_seen) == (0, False)


def test_bidding__karama_buys_for_nothing_and_harkonnen_draws_another() -> None:
    game = bidding([1, 0, 5], 3)
    game.players[0].hand = [KARAMA]
    game.players[2].hand = [WORTHLESS] * 4
    drive(game, game.sales(), "0 KARAMA pass", "2 KARAMA pass", "0 BID karama", "2 KARAMA pass")
    assert len(game.players[0].hand) == 2
    assert game.players[0].spice == 10
    assert len(game.players[0].foreseen) == 2


def test_bidding__a_silenced_seat_buys_nothing_and_the_row_is_shorter() -> None:
    game = stage([2, 3, 4])
    game.silenced = {0, 1}
    drive(game, game.sales(), "2 BID number 1")
    assert sum(game.deck) == 42


def test_ransom__a_bluff_found_out_makes_a_debtor_whose_gains_go_to_the_creditor() -> None:
    game = stage([2, 3, 4])
    game.players[0].laid, game.players[0].laid_on = WORTHLESS, 1
    game.players[0].spice, game.players[2].spice = 5, 0
    drive(game, game.demand_ransom(0), "0 RANSOM number 4", "1 PAY pass")
    assert [player.spice for player in game.players] == [0, 15, 0]
    assert game.players[0].debts == [0, 7, 0]
    assert (game.players[0].laid, game.discards[WORTHLESS]) == (-1, 1)
    game.gain(0, 3)
    assert [player.spice for player in game.players] == [0, 18, 0]
    game.players[1].laid, game.players[1].laid_on = WORTHLESS, 0
    drive(game, game.demand_ransom(1), "1 RANSOM number 2")  # the debtor cannot pay; 4 of 6 are set off
    assert [player.spice for player in game.players] == [2, 16, 0]
    assert game.players[0].debts == [0, 0, 0]


def test_ransom__paid_the_card_stays_refused_the_poison_kills() -> None:
    game = stage([2, 3, 4])
    game.players[0].laid, game.players[0].laid_on = RESIDUAL, 1
    drive(game, game.demand_ransom(0), "0 RANSOM number 4", "1 PAY yes")
    assert (game.players[0].laid, game.players[0].spice) == (RESIDUAL, 14)
    drive(game, game.demand_ransom(0), "0 RANSOM number 1", "1 PAY pass", "0 POISONED leader 15")
    assert (game.players[0].spice, game.leaders[15].alive) == (21, False)
    assert game.discards[RESIDUAL] == 1


def test_lay__takes_both_kinds_out_of_the_known_cards() -> None:
    game = stage([2, 3, 0])
    game.players[0].hand, game.players[0].foreseen, game.players[0].shown = [6, 6, 15], [6, 15], [6]
    drive(game, game.lay(0, WORTHLESS), "0 LAY_WHO seat 2")
    player = game.players[0]
    assert (player.hand, player.foreseen, player.shown, player.laid, player.laid_on) == ([6, 15], [], [], 6, 2)
    assert game.playable(0, (WORTHLESS, RESIDUAL)) == []


# Revival


def test_revival__free_tokens_then_two_spice_each_and_fremen_never_pay() -> None:
    game = stage([0, 3, 2])
    for player in game.players:
        player.tanks, player.reserve = 6, 14
    assert menu_after(game, game.revive(0)) == ("0 REVIVE", ["number 0", "number 1"])
    drive(game, game.revive(1))
    drive(game, game.revive(2), "2 REVIVE number 2")
    assert [player.tanks for player in game.players] == [4, 3, 3]
    assert game.players[2].spice == 6


def test_revival__leaders_come_back_when_all_are_dead_one_a_turn() -> None:
    game = stage([1, 0])
    for number in range(5, 10):
        game.leaders[number].alive = False
    game.players[0].spice = 5
    script = ["leader 6", "leader 9"]
    assert menu_after(game, game.bring_leaders_back(0))[1] == ["pass", "leader 6", "leader 7", "leader 8", "leader 9"]
    for text in script:
        drive(game, game.bring_leaders_back(0), f"0 RAISE {text}")
    assert game.players[0].spice == 0
    game.kill_leader(9)
    game.players[0].spice = 20
    assert menu_after(game, game.bring_leaders_back(0))[1] == ["pass", "leader 5", "leader 7", "leader 8"]
    for text in ("leader 5", "leader 7", "leader 8"):
        drive(game, game.bring_leaders_back(0), f"0 RAISE {text}")
    assert not game.players[0].reviving
    drive(game, game.bring_leaders_back(0))
    assert not game.leaders[9].alive


def test_truth__questions_and_answers() -> None:
    game = stage([5, 0, 1], open_shields=False)
    game.prediction = {"faction": 1, "turn": 6}
    game.players[0].laid = RESIDUAL
    questions = game.questions(0)
    assert {"faction 0", "faction 1", "turn 15", "number 20", "leader 9", "card 16"} <= set(questions)
    assert {"leader 25", "leader 10", "faction 5", "number 0"}.isdisjoint(questions)
    for question, answer in (("card 15", True), ("faction 1", True), ("turn 5", False), ("number 11", False)):
        assert game.truth(0, question) is answer
    drive(game, game.truthtrance(1), "1 TRUTH_WHO seat 2", "1 TRUTH number 10")
    assert game.truths == [[1, 0, "number 10", True]]


def test_karama__a_worthless_card_can_be_stopped_and_is_asked_again() -> None:
    game = stage([0, 5, 1])
    game.players[1].hand, game.players[2].hand = [WORTHLESS, KARAMA], [KARAMA]
    script = ["1 KARAMA karama", "2 KARAMA karama", "1 KARAMA karama"]
    assert drive(game, game.stopped("future", 0), *script) is True
    assert (game.discards[WORTHLESS], game.discards[KARAMA]) == (1, 2)


def test_karama__harkonnen_swaps_cards_and_marks_are_lost() -> None:
    game = stage([1, 0, 2], 1, 0, karama_powers=True)
    own, theirs = game.players[0], game.players[2]
    own.hand, theirs.hand, theirs.shown = [SHIELD], [PROJECTILE, POISON, SNOOPER], [POISON]
    drive(game, game.swap(0), "0 SWAP_COUNT number 2", "0 GIVE card 3", "0 GIVE card 1")
    assert (own.hand, theirs.hand, theirs.shown) == ([PROJECTILE], [POISON, SHIELD, SNOOPER], [])

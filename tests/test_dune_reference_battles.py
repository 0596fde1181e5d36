"""The plain program of Dune: movement, battles, the end and the Bene Tleilax, staged by hand."""

from __future__ import annotations

import pytest

from .reference_dune.board import POLAR_CELL, TERRITORIES, TERRITORY_OF
from .reference_dune.game import Game
from .reference_dune.staging import drive, menu_after, stage
from .reference_dune.table import Battle, Plan

pytestmark = pytest.mark.once

PROJECTILE, POISON, LASGUN, SHIELD, SNOOPER, HERO, WORTHLESS = range(7)
HAJR, GHOLA, KARAMA = 9, 10, 16
ARRAKEEN, CARTHAG, HABBANYA, TABR, TUEK = 0, 8, 37, 65, 79  # cells
NAMES = [row[0] for row in TERRITORIES]


def put(game: Game, seat: int, cell: int, tokens: int) -> None:
    game.land(seat, cell, tokens)


def reached(game: Game, seat: int, cell: int, steps: int) -> set[str]:
    return {NAMES[TERRITORY_OF[c]] for c in game.reached_from(seat, cell, steps)}


# Shipment


def test_shipment__one_into_a_stronghold_two_elsewhere_and_half_rounded_up() -> None:
    game = stage([0, 4, 1])
    assert [game.price(cell, 3, False) for cell in (TUEK, 26, POLAR_CELL)] == [3, 6, 6]
    assert [game.price(cell, 3, True) for cell in (TUEK, 26)] == [2, 3]
    game.players[0].spice = 5
    assert [game.most_landed(0, cell, False) for cell in (TUEK, 26)] == [5, 2]
    assert game.most_landed(0, TUEK, True) == 10


def test_shipment__the_guild_gains_but_not_its_own_pledge_and_a_sister_comes_along() -> None:
    game = stage([0, 4, 5])
    game.alliances = [{0, 1}]
    game.players[0].spice, game.players[1].pledge = 1, 5
    script = [f"0 SHIP cell {TUEK}", "0 SHIP_COUNT number 8", "2 ACCOMPANY yes"]
    drive(game, game.ship(0), *script)
    assert [player.spice for player in game.players] == [0, 8, 10]  # 4 to pay: 1 own, 3 pledged
    assert game.bank == 3
    assert game.players[0].forces == {TUEK: 8}
    assert game.players[2].forces == {POLAR_CELL: 1}


def test_shipment__karama_halves_the_price_which_the_bank_gets() -> None:
    game = stage([0, 4, 1])
    game.players[0].hand = [KARAMA]
    drive(game, game.ship(0), "0 SHIP karama", "0 SHIP cell 26", "0 SHIP_COUNT number 10")
    assert [player.spice for player in game.players] == [0, 10, 10]
    assert game.bank == 10


def test_shipment__the_guild_stops_a_landing() -> None:
    game = stage([3, 4, 1], karama_powers=True)
    game.players[1].hand = [KARAMA]
    drive(game, game.ship(0), "0 SHIP cell 31", "0 SHIP_COUNT number 10", "1 KARAMA karama")
    assert game.players[0].forces == {}


def test_shipment__the_guild_lifts_what_it_can_pay() -> None:
    game = stage([4, 3, 1])
    game.players[0].spice = 2
    put(game, 0, 26, 3)
    put(game, 0, 27, 3)
    game.storm = 5
    script = ["0 SHIP territory 12", "0 COUNT number 3"]
    assert menu_after(game, game.ship(0), *script) == ("0 COUNT", ["number 0", "number 1"])
    asked, menu = menu_after(game, game.ship(0), *script, "0 COUNT number 0")
    assert asked == "0 SHIP_TO"
    assert menu == ["orbit", *(f"cell {cell}" for cell in (ARRAKEEN, CARTHAG, HABBANYA, TABR, TUEK))]
    drive(game, game.ship(0), *script, "0 COUNT number 0", "0 SHIP_TO orbit")
    assert (game.players[0].spice, game.players[0].reserve) == (0, 17)


def test_shipment__fremen_land_free_and_only_near_the_great_flat() -> None:
    game = stage([3, 0])
    game.players[0].spice = 0
    _, menu = menu_after(game, game.ship(0))
    assert f"cell {TABR}" in menu
    assert f"cell {TUEK}" not in menu
    drive(game, game.ship(0), f"0 SHIP cell {TABR}", "0 SHIP_COUNT number 20")
    assert game.players[0].reserve == 0


def test_entering__strongholds_of_two_and_allies_are_closed() -> None:
    game = stage([0, 1, 2, 3])
    put(game, 1, TUEK, 1)
    put(game, 2, TUEK, 1)
    put(game, 3, 26, 1)
    put(game, 3, POLAR_CELL, 1)
    game.alliances = [{0, 3}]
    closed = [game.may_be_entered(0, NAMES.index(name)) for name in ("Tuek's Sietch", "False Wall South", "Polar Sink")]
    assert closed == [False, False, True]
    assert game.may_be_entered(1, NAMES.index("Tuek's Sietch"))


# Ground moves


def test_moves__three_steps_from_tueks_sietch_into_the_imperial_basin() -> None:
    game = stage([0, 1])
    for steps, name in ((1, "Pasty Mesa"), (2, "Shield Wall"), (3, "Imperial Basin")):
        assert name in reached(game, 0, TUEK, steps)
        assert name not in reached(game, 0, TUEK, steps - 1)
    put(game, 0, TUEK, 1)
    assert game.steps(0) == 1
    put(game, 0, CARTHAG, 1)
    game.storm = 10
    assert game.steps(0) == 3  # a stormy one counts
    assert game.free_cells(0, NAMES.index("Carthag")) == []


def test_moves__the_storm_stops_every_path_and_fremen_take_two_steps() -> None:
    game = stage([3, 0])
    put(game, 0, TABR, 2)
    assert game.steps(0) == 2
    assert reached(game, 0, TABR, 1) == {"Bight of the Cliff", "Plastic Basin", "Rock Outcroppings"}
    game.storm = 13
    assert reached(game, 0, TABR, 2) == set()
    game.storm = 12
    assert 56 not in game.reached_from(0, TABR, 2)  # Plastic Basin, the stormy cell


def test_moves__passing_through_an_ally_is_entering() -> None:
    game = stage([0, 3, 1])
    put(game, 1, 4, 1)
    assert "Funeral Plain" in reached(game, 0, TABR, 2)
    game.alliances = [{0, 1}]
    assert "Bight of the Cliff" not in reached(game, 0, TABR, 3)


def test_moves__one_group_whose_cells_all_reach_the_target() -> None:
    game = stage([0, 1])
    put(game, 0, 51, 2)  # Pasty Mesa in sectors 4 and 7
    put(game, 0, 54, 2)
    game.storm = 6
    script = ["0 MOVE_FROM territory 25", "0 COUNT number 1"]
    asked, menu = menu_after(game, game.move(0), *script)
    assert (asked, "number 0" in menu) == ("0 MOVE_TO", False)  # 54 shares no target with 51, so it gives 0 by itself
    assert f"cell {TUEK}" in menu
    _, menu = menu_after(game, game.move(0), "0 MOVE_FROM territory 25", "0 COUNT number 0", "0 COUNT number 2")
    assert "cell 32" in menu
    assert f"cell {TUEK}" not in menu


def test_moves__hajr_gives_one_more() -> None:
    game = stage([0, 1])
    put(game, 0, 31, 1)
    game.players[0].hand = [HAJR]
    script = ["0 SHIP pass", "0 MOVE_FROM territory 14", "0 MOVE_TO cell 70", "0 HAJR card 9"]
    script += ["0 MOVE_FROM territory 35", "0 MOVE_TO cell 71", "1 SHIP pass"]
    drive(game, game.movement_phase(), *script)
    assert game.players[0].forces == {71: 1}
    assert game.discards[HAJR] == 1


# Battles


def battle(factions: list[int], cell: int = TUEK, tokens: tuple[int, int] = (5, 5), **options: object) -> Game:
    game = stage(factions, **options)
    for seat in (0, 1):
        put(game, seat, cell, tokens[seat])
    return game


def fought(game: Game, one: Plan, other: Plan, *script: str, cell: int = TUEK) -> Battle:
    """Resolve a battle between seats 0 and 1 with given plans."""
    fight = Battle(0, cell, 1, plans={0: one, 1: other})
    for seat, plan in fight.plans.items():
        plan.hidden = False
        game.players[seat].hand = sorted([*game.players[seat].hand, *plan.cards()])
    drive(game, game.resolve(fight), *script)
    return fight


def test_battle__a_tie_goes_to_the_aggressor_who_loses_his_number() -> None:
    game = battle([0, 1, 2])
    fought(game, Plan(leader=0, number=2), Plan(leader=6, number=3))
    assert [player.forces for player in game.players[:2]] == [{TUEK: 3}, {}]
    assert [player.tanks for player in game.players[:2]] == [2, 5]
    assert game.players[0].spice == 10


def test_battle__nothing_against_nothing_is_won_by_the_aggressor() -> None:
    game = battle([0, 1])
    fought(game, Plan(number=0), Plan(number=0))
    assert [player.tanks for player in game.players] == [0, 5]


def test_battle__the_winner_gains_both_dead_leaders_and_keeps_what_it_wants() -> None:
    game = battle([0, 1])
    one, other = Plan(0, False, PROJECTILE, SNOOPER, 5), Plan(5, False, LASGUN, WORTHLESS, 4)
    fought(game, one, other, "0 KEEP yes", "0 KEEP pass")
    assert (game.leaders[0].alive, game.leaders[5].alive) == (False, False)
    assert game.players[0].spice == 10 + 5 + 6
    assert (game.players[0].hand, game.players[0].shown) == ([PROJECTILE], [PROJECTILE])
    assert game.players[1].hand == []
    assert game.players[0].tanks == 5


def test_battle__a_lasgun_and_any_shield_destroy_the_territory() -> None:
    game = battle([0, 1, 2], cell=44)
    put(game, 2, 43, 4)
    game.storm = 8
    game.put_spice(45, 6)
    fought(game, Plan(0, False, LASGUN, SHIELD, 5), Plan(5, False, -1, -1, 0), cell=44)
    assert [player.tanks for player in game.players] == [5, 5, 4]
    assert (game.spice, game.leaders[0].alive, game.leaders[5].alive) == ({}, False, False)
    assert [player.spice for player in game.players] == [10, 10, 10]


def test_battle__treason_wins_without_a_loss_and_two_treasons_lose_everything() -> None:
    game = battle([0, 1])
    game.players[0].traitors, game.players[1].traitors = [5], [1]
    plans = (Plan(2, False, WORTHLESS, -1, 5), Plan(5, False, LASGUN, SHIELD, 5))
    fought(game, *plans, "0 TREASON yes", "0 KEEP yes")
    assert (game.players[0].spice, game.players[0].tanks, game.players[1].tanks) == (16, 0, 5)
    game = battle([0, 1])
    game.players[0].traitors, game.players[1].traitors = [5], [1]
    fought(game, Plan(1, number=1), Plan(5, number=1), "0 TREASON yes", "1 TREASON yes")
    assert [player.tanks for player in game.players] == [5, 5]
    assert [player.spice for player in game.players] == [10, 10]


def test_battle__harkonnen_calls_for_its_ally_and_the_hero_is_gone() -> None:
    game = battle([0, 2, 1])
    game.alliances = [{0, 2}]
    game.players[2].traitors = [10]
    fought(game, Plan(hero=True, number=1), Plan(10, number=1), "2 TREASON yes")
    assert game.discards[HERO] == 1
    assert [player.spice for player in game.players] == [16, 10, 10]


def test_battle__losses_are_chosen_cell_by_cell_within_the_field() -> None:
    game = stage([0, 1])
    for cell, tokens in ((28, 2), (29, 4), (30, 3)):
        put(game, 0, cell, tokens)
    put(game, 1, 30, 1)
    game.storm = 15
    assert game.field(30) == (29, 30)
    assert game.tokens(0, 30) == 7
    assert game.due_fields(0) == [29]
    assert menu_after(game, game.lose_number(Battle(0, 30, 1, plans={0: Plan(number=5)}), 0)) == (
        "0 LOSS",
        ["number 2", "number 3", "number 4"],
    )
    drive(game, game.lose_number(Battle(0, 30, 1, plans={0: Plan(number=5)}), 0), "0 LOSS number 2")
    assert game.players[0].forces == {28: 2, 29: 2}


def test_battle__a_stormy_cell_is_a_field_of_its_own_and_parts_the_others() -> None:
    game = stage([0, 1])
    game.storm = 16
    assert [game.field(cell) for cell in (28, 29, 30)] == [(28,), (29,), (30,)]
    put(game, 0, 28, 1)
    put(game, 1, 30, 1)
    assert game.due_fields(0) == []
    put(game, 0, POLAR_CELL, 1)
    put(game, 1, POLAR_CELL, 1)
    assert game.due_fields(0) == []


def test_battle__whole_course_with_prescience_on_the_first_plan() -> None:
    game = battle([0, 3])
    game.players[0].hand, game.players[1].hand = [SHIELD], [PROJECTILE, HERO]
    script = ["1 LEADER card 5", "1 WEAPON card 0", "1 NUMBER number 1"]
    asked, _ = menu_after(game, game.battle_phase(), *script)
    assert asked == "0 PRESCIENCE"
    assert game.players[1].hand == []
    script += ["0 PRESCIENCE see 1", "0 LEADER leader 0", "0 DEFENCE card 3", "0 NUMBER number 0", "0 KEEP pass"]
    game = battle([0, 3])
    game.players[0].hand, game.players[1].hand = [SHIELD], [PROJECTILE, HERO]
    drive(game, game.battle_phase(), *script)
    assert game.leaders[0].used == NAMES.index("Tuek's Sietch")
    assert game.wheels == [0, 1]
    assert (game.discards[HERO], game.discards[PROJECTILE], game.discards[SHIELD]) == (1, 1, 1)


def test_battle__without_leader_and_hero_only_a_number_is_planned() -> None:
    game = battle([1, 3, 2])
    for number in range(15, 20):
        game.leaders[number].used = 0
    game.players[1].hand = [PROJECTILE]
    menu_after(game, game.battle_phase(), "0 LEADER leader 5", "0 NUMBER number 0")
    assert (game.seat, game.decision) == (1, "NUMBER")
    assert game.battle is not None
    assert game.battle.unarmed == [1]
    assert game.view(2)["battle"]["unarmed"] == [1]


@pytest.mark.parametrize(
    ("order", "hand", "leader", "weapon", "defence"),
    [
        ("must 0", [0, 1], 5, ["card 0"], ["pass"]),
        ("must 2", [0], 5, ["pass", "card 0"], ["pass"]),
        ("must 6", [0, 6], 5, ["pass", "card 0", "card 6"], ["card 6"]),
        ("must_not 6", [3, 6], 5, ["pass"], ["pass", "card 3"]),
        ("must 5", [5, 3], 1, ["pass"], ["pass", "card 3"]),
        ("must_not 5", [5, 3], 5, ["pass"], ["pass", "card 3"]),
    ],
)
def test_voice__cuts_the_menus(order: str, hand: list[int], leader: int, weapon: list[str], defence: list[str]) -> None:
    game = battle([5, 3])
    game.players[1].hand = hand
    fight = Battle(0, TUEK, 1, order=order, ordered=1)
    menus: dict[str, list[str]] = {}
    flow = game.plan(fight, 1)
    answer = None
    original = game.ask

    def asked(seat, decision, legal, **about):  # type: ignore[no-untyped-def]
        legal = list(legal)
        menus[decision] = sorted(legal, key=lambda text: (text != "pass", text))
        return (yield from original(seat, decision, legal, **about))

    game.ask = asked  # type: ignore[method-assign]
    try:
        while True:
            flow.send(answer)  # type: ignore[arg-type]
            answer = game.menu[0]
    except StopIteration:
        pass
    assert len(menus["LEADER"]) == leader
    assert (menus["WEAPON"], menus["DEFENCE"]) == (weapon, defence)


def test_voice__an_order_that_leaves_no_leader_is_void() -> None:
    game = battle([5, 3])
    for number in range(15, 20):
        game.leaders[number].alive = False
    game.players[1].hand = [HERO]
    drive(game, game.plan(Battle(0, TUEK, 1, order="must_not 5", ordered=1), 1), "1 NUMBER number 5")
    assert game.players[1].hand == []


# Harvest and end


def hold(game: Game, seat: int, *cells: int) -> None:
    for cell in cells:
        put(game, seat, cell, 1)


def test_harvest__in_the_same_cell_three_with_ornithopters() -> None:
    game = stage([0, 1])
    for seat, cell in ((0, 17), (1, 18), (1, 33)):
        put(game, seat, cell, 3)
    put(game, 0, ARRAKEEN, 1)
    for cell in (17, 33):
        game.put_spice(cell, 8)
    game.harvest()
    assert game.spice == {33: 2}
    assert [player.spice for player in game.players] == [18, 16]


@pytest.mark.parametrize(
    ("factions", "strongholds", "alliance", "how", "winners"),
    [
        ([0, 1, 5], (ARRAKEEN, CARTHAG, TUEK), [], "strongholds", [0]),
        ([0, 1, 5], (ARRAKEEN, CARTHAG), [], "", []),
        ([0, 1], (ARRAKEEN, CARTHAG, TUEK), [], "", []),
        ([0, 1], (ARRAKEEN, CARTHAG, TUEK, TABR), [], "strongholds", [0]),
        ([0, 1, 2], (ARRAKEEN, CARTHAG, TUEK), [{0, 2}], "strongholds", [0, 2]),
        ([4, 1, 5], (ARRAKEEN, CARTHAG, TUEK), [{0, 2}], "prediction", [2]),
        ([4, 1, 5], (ARRAKEEN, CARTHAG, TUEK), [{0, 1}], "prediction", [2]),
    ],
)
def test_end__of_a_turn(
    factions: list[int], strongholds: tuple[int, ...], alliance: list[set[int]], how: str, winners: list[int]
) -> None:
    game = stage(factions)
    hold(game, 0, *strongholds)
    game.alliances = alliance
    game.prediction = {"faction": 4, "turn": 2}
    game.judge()
    assert (game.how, game.winners, game.over) == (how, winners, bool(how))
    if how == "prediction":
        assert game.ranks() == [2, 2, 1]
    if how == "strongholds" and alliance:
        assert game.scores() == [13, 0, 13]


def test_end__an_alliance_needs_more_where_the_option_says_so() -> None:
    game = stage([0, 1, 2], alliance_strongholds=4)
    hold(game, 0, ARRAKEEN, CARTHAG, TUEK)
    game.alliances = [{0, 2}]
    game.judge()
    assert not game.over


@pytest.mark.parametrize(
    ("factions", "places", "how", "winners"),
    [
        ([3, 0, 4], [], "fremen", [0]),
        ([3, 0, 4], [(1, TABR)], "guild", [2]),
        ([3, 0, 4], [(1, TUEK)], "guild", [2]),
        ([3, 4, 5], [(2, TUEK)], "fremen", [0]),
        ([3, 0, 5], [(1, HABBANYA)], "nobody", []),
    ],
)
def test_end__after_the_last_turn(
    factions: list[int], places: list[tuple[int, int]], how: str, winners: list[int]
) -> None:
    game = stage(factions, max_turns=2)
    for seat, cell in places:
        put(game, seat, cell, 1)
    game.judge()
    assert (game.over, game.how, game.winners) == (True, how, winners)
    if how == "nobody":
        assert game.ranks() == [1, 1, 1]


def test_end__undecided_goes_to_most_strongholds_then_to_most_spice() -> None:
    game = stage([0, 1, 2], powers=False, max_turns=2, undecided="strongholds")
    hold(game, 0, ARRAKEEN)
    hold(game, 1, CARTHAG)
    game.judge()
    assert (game.how, game.winners) == ("most", [0, 1])
    game.players[1].spice += 1
    game.judge()
    assert game.winners == [1]
    assert game.scores() == [1, 11, 0]


# Bene Tleilax


def tleilax(*factions: int) -> Game:
    return battle([6, *factions], tleilax=True, karama_powers=True)


def test_tleilax__lost_tokens_go_to_the_reserve_and_theft_can_be_stopped() -> None:
    game = tleilax(0, 1)
    game.kill(0, TUEK)
    assert (game.players[0].reserve, game.players[0].tanks) == (20, 0)
    game.leaders[0].alive = game.leaders[1].alive = False
    game.players[2].hand = [KARAMA]
    drive(game, game.fetch(0, 5), "0 GHOLA leader 0", "2 KARAMA karama")
    assert (game.leaders[0].owner, game.leaders[0].alive) == (1, False)
    drive(game, game.fetch(0, 5), "0 GHOLA leader 0")
    assert (game.leaders[0].owner, game.leaders[0].returned) == (0, True)
    assert game.available(Battle(0, TUEK, 1), 0) == ["leader 30"]  # it does not fight its first owner
    assert game.available(Battle(0, TUEK, 2), 0) == ["leader 0", "leader 30"]
    game.kill_leader(0)
    assert (game.leaders[0].owner, game.leaders[0].alive) == (1, False)


def test_tleilax__sells_leaders_and_changes_them() -> None:
    game = tleilax(0, 1)
    game.leaders[0].alive = False
    script = ["1 BUY_BACK leader 0", "0 PRICE number 3", "1 ACCEPT yes", "0 TAMPER number 2"]
    drive(game, game.buy_back(1, 0), *script)
    assert [player.spice for player in game.players] == [13, 7, 10]
    assert (game.leaders[0].change, game.leaders[0].change_shown) == (1, False)
    assert game.view(0)["leaders"]["change"][0] == 1
    assert game.view(1)["leaders"]["change"][0] is None
    assert "leader 0" not in game.available(Battle(0, TUEK, 1), 1)  # it came back from the tanks
    plan, enemy = Plan(30, number=0), Plan(0, number=0)
    assert game.strength(plan, enemy) == game.strength(enemy, plan) == 6
    fought(game, plan, enemy)
    assert game.leaders[0].change_shown
    assert game.strength(plan, Plan(hero=True)) == 1


def test_tleilax__stops_tokens_from_the_tanks() -> None:
    game = tleilax(0, 2)
    game.players[1].tanks, game.players[1].reserve = 5, 10
    game.players[2].hand = [GHOLA]
    game.players[2].tanks, game.players[2].reserve = 1, 19
    game.players[0].hand = [KARAMA]
    assert game.revival_cards(0) == ["karama"]
    assert game.revival_cards(2) == ["card 10"]
    game.embargo = True
    assert (game.revival_cards(0), game.revival_cards(2)) == ([], [])
    drive(game, game.revive(1))
    assert game.players[1].tanks == 5

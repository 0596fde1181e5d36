"""Dune's component file: the numbers of the game, what is derived from the board, one clear error for each fault."""

from __future__ import annotations

import copy
import pickle
import re
import tomllib
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dunaia_env.dune import board
from dunaia_env.dune.components import DERIVED_FIELDS, Components, from_content, load, parse
from dunaia_env.harness.components import ComponentsError

pytestmark = pytest.mark.once

TEXT = resources.files("dunaia_env.dune").joinpath("components.toml").read_text(encoding="utf-8")
CONTENT: dict[str, Any] = tomllib.loads(TEXT)


@pytest.fixture(scope="module")
def components() -> Components:
    return load()


@pytest.fixture(scope="module")
def values(components: Components) -> Any:
    return components.record[0]


def test_sizes_of_the_board(values: Any, components: Components) -> None:
    assert len(components.names.territories) == 42
    assert components.names.territories == tuple(sorted(components.names.territories))
    assert len(values.territory_of) == 86
    assert int(values.borders.sum()) == 2 * 190
    assert int((values.territory_distance == 1).sum()) == 2 * 103
    counts = np.bincount(values.type, minlength=4).tolist()
    assert counts == [29, 7, 5, 1]
    assert values.strongholds.tolist() == [0, 5, 18, 32, 39]
    assert [components.names.territories[number] for number in values.strongholds] == [
        *("Arrakeen", "Carthag", "Habbanya Sietch", "Sietch Tabr", "Tuek's Sietch"),
    ]
    assert sum(map(bool, components.names.french)) == 12


def test_cells_follow_territories_and_sectors(values: Any) -> None:
    places = list(zip(values.territory_of.tolist(), values.sector.tolist(), strict=True))
    assert places == sorted(places)
    assert len(set(places)) == 86
    assert [cell for cell, (_, sector) in enumerate(places) if sector == -1] == [58]
    assert set(values.sector.tolist()) == {-1, *range(18)}
    for territory in range(42):
        first, count = int(values.first_cell[territory]), int(values.num_cells[territory])
        assert board.cells_of(values.territory_cells[territory]) == list(range(first, first + count))
    assert values.num_cells.sum() == 86


def test_neighbours_and_sets_agree(values: Any) -> None:
    for cell in range(86):
        near = np.flatnonzero(values.borders[cell]).tolist()
        assert board.cells_of(values.near_cells[cell]) == near
        assert values.neighbours[cell, : values.num_neighbours[cell]].tolist() == near
        assert (values.neighbours[cell, values.num_neighbours[cell] :] == -1).all()
    for territory in range(42):
        near = np.flatnonzero(values.territory_distance[territory] == 1).tolist()
        assert board.territories_of(values.near_territories[territory]) == near
    every = np.bitwise_or.reduce(values.sector_cells, axis=0)
    assert board.cells_of(every) == [cell for cell in range(86) if cell != 58]


def test_distances(values: Any) -> None:
    def plain(start: int) -> list[int]:
        """Steps counted one by one: zero inside a territory, one into another."""
        found, edge, steps = {start: 0}, [start], 0
        while edge:
            for cell in edge:  # grows while it is read: steps inside a territory are free
                for near in np.flatnonzero(values.borders[cell]).tolist():
                    if near not in found and values.territory_of[near] == values.territory_of[cell]:
                        found[near] = steps
                        edge.append(near)
            steps += 1
            outside = [near for cell in edge for near in np.flatnonzero(values.borders[cell]).tolist()]
            edge = sorted({near for near in outside if near not in found})
            found |= dict.fromkeys(edge, steps)
        return [found[cell] for cell in range(86)]

    for cell in range(86):
        assert values.cell_distance[cell].tolist() == plain(cell)
    # Tuek's Sietch, Pasty Mesa, Shield Wall, Imperial Basin: a path of three steps.
    assert [int(values.territory_distance[39, end]) for end in (25, 31, 22)] == [1, 2, 3]
    assert (values.territory_distance < board.FAR).all()


def test_storm_and_special_territories(values: Any) -> None:
    assert board.territories_of(values.atomics_from) == [11, 15, 21, 22, 25, 31, 33, 37]
    assert board.territories_of(values.fremen_landing) == [
        *(3, 4, 10, 13, 14, 16, 19, 26, 27, 30, 32, 35, 36, 38, 40, 41),
    ]
    with_wall = set(board.cells_of(values.open_behind_the_wall))
    without = set(board.cells_of(values.open_without_the_wall))
    assert {int(values.territory_of[cell]) for cell in without - with_wall} == {0, 5, 22}
    sand = {cell for cell in range(86) if values.type[values.territory_of[cell]] == board.SAND}
    assert with_wall == {cell for cell in sand if values.territory_of[cell] != 22}
    assert values.ornithopters.tolist() == [0, 5]
    assert values.polar_sink == 27


def test_fields(values: Any) -> None:
    # The storm in the middle of False Wall East cuts it in three: cells 21..25 in sectors 4..8.
    assert values.field_of[6, 21:26].tolist() == [21, 21, 23, 24, 24]
    assert values.field_of[0, 21:26].tolist() == [21] * 5
    # South Mesa, cells 67..69 in sectors 3..5, with the storm at an end of it.
    assert values.field_of[3, 67:70].tolist() == [67, 68, 68]
    for storm in range(18):
        fields = values.field_of[storm]
        assert (values.territory_of[fields] == values.territory_of).all()
        assert (fields[values.sector == storm] == np.flatnonzero(values.sector == storm)).all()


def test_dots(values: Any) -> None:
    assert [[sector for sector in row if sector != -1] for row in values.dot_of.tolist()] == [
        *([], [], [1, 10], [1, 7, 13], [1, 4, 10, 13], [1, 4, 7, 10, 13], [1, 4, 7, 10, 13, 16]),
    ]


def test_factions_and_leaders(values: Any, components: Components) -> None:
    assert values.start_spice.tolist() == [10, 10, 10, 3, 5, 5, 10]
    assert values.free_revival.tolist() == [2, 2, 1, 3, 1, 1, 0]
    assert values.hand_limit.tolist() == [4, 8, 4, 4, 4, 4, 4]
    assert values.start_cards.tolist() == [1, 2, 1, 1, 1, 1, 1]
    assert np.flatnonzero(values.paid_revival == 0).tolist() == [3, 6]
    on_board = values.forces.sum(axis=1) + values.free_forces
    assert (values.tokens - on_board).tolist() == [10, 10, 20, 10, 15, 19, 20]
    assert values.free_cells[3].tolist()[:7] == [26, 27, 28, 29, 30, 65, -1]
    assert values.strength.tolist() == [
        *(5, 5, 4, 2, 1, 6, 4, 3, 2, 1, 6, 5, 3, 3, 2, 7, 6, 5, 3, 2, 5, 3, 3, 2, 1, 5, 5, 5, 5, 5, 1),
    ]
    assert components.names.leaders[15] == "Stilgar"
    assert values.faction_of.tolist() == [*(leader // 5 for leader in range(30)), 6]


def test_cards(values: Any) -> None:
    assert values.treachery.sum(axis=1).tolist() == [43, 33]
    assert values.treachery[0, :7].sum() + values.treachery[0, 7:].sum() == 43
    assert int(values.treachery[0, :7].sum()) == 31
    assert np.flatnonzero((values.treachery[0] > 0) & (values.treachery[1] == 0)).tolist() == [12, 13, 14, 15]
    assert values.spice_cards.sum() == 21
    assert values.spice_amount.sum() == 118
    assert (values.territory_of[values.spice_cell] == values.spice_territory).all()
    assert (values.card_of[values.spice_territory] == np.arange(15)).all()


def test_every_group_has_its_status(components: Components) -> None:
    assert components.statuses == {name: group["status"] for name, group in CONTENT.items()}
    assert set(components.statuses.values()) == {"documented", "recovered", "assumed"}


def test_hash_names_the_values_only(components: Components) -> None:
    assert components.hash == "462c3e747ad07652"
    content = copy.deepcopy(CONTENT)
    content["harvest"]["note"] = "a note"
    content["leaders"]["leaders"][0]["name"] = "Somebody"
    assert from_content(content, "copy").hash == components.hash
    content["leaders"]["leaders"][0]["strength"] = 4
    assert from_content(content, "copy").hash != components.hash
    assert set(components.record.dtype.names or ()) > DERIVED_FIELDS


def test_loading(components: Components, tmp_path: Path) -> None:
    path = tmp_path / "components.toml"
    path.write_text(TEXT, encoding="utf-8")
    assert load(path) == load(str(path)) == components
    assert load(components) is components
    assert load(path).source == str(path)
    copied = pickle.loads(pickle.dumps(components))
    assert copied == components
    assert copied.names == components.names
    assert copy.deepcopy(components) is components
    assert not components.record.flags.writeable


def edit(*path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(content: dict[str, Any]) -> None:
        for key in path[:-1]:
            content = content[key]
        if to is None:
            del content[path[-1]]
        else:
            content[path[-1]] = to

    return change


FAULTS: list[tuple[Callable[[dict[str, Any]], None], str]] = [
    (edit("harvest", to=None), "harvest is missing"),
    (edit("harvest", "a_token", to=None), "harvest.a_token is missing"),
    (edit("harvest", "colour", to=1), "harvest.colour: expected no such key, got 1"),
    (edit("weather", to={}), "weather: expected no such key, got {}"),
    (
        edit("board", "status", to="guessed"),
        "board.status: expected one of documented, inferred, recovered, assumed, got 'guessed'",
    ),
    (edit("treachery", "kinds", 16, to=None), "treachery.kinds: expected a list of 17 tables, got 16"),
    (edit("treachery", "kinds", 3, "deck_43", to=4), "treachery.kinds: expected 43, got '42 cards with deck_43'"),
    (
        edit("treachery", "kinds", 3, "name", to="armour"),
        "treachery.kinds[3].name: expected one of shield, got 'armour'",
    ),
    (edit("spice_cards", "cards", 2, to=None), "spice_cards.cards: expected a list of 15 tables, got 14"),
    (
        edit("spice_cards", "cards", 2, "cell", to=18 + 3),
        "spice_cards.cards[2].cell: expected a cell of sand, in a territory of no other card, got 21",
    ),
    (
        edit("spice_cards", "cards", 2, "cell", to=15),
        "spice_cards.cards[2].cell: expected a cell of sand, in a territory of no other card, got 15",
    ),
    (edit("spice_cards", "worms", to=-1), "spice_cards.worms: expected an integer in 0..20, got -1"),
    (edit("leaders", "leaders", 29, to=None), "leaders.leaders: expected a list of 30 tables, got 29"),
    (edit("leaders", "leaders", 4, "id", to=5), "leaders.leaders[4].id: expected 4, got 5"),
    (
        edit("leaders", "leaders", 4, "strength", to=2.5),
        "leaders.leaders[4].strength: expected an integer in 0..20, got 2.5",
    ),
    (
        edit("factions", "factions", 0, "name", to="arrakis"),
        "factions.factions[0].name: expected one of atreides, got 'arrakis'",
    ),
    (
        edit("factions", "factions", 0, "forces", to=[[0, 21]]),
        "factions.factions[0].forces[0]: expected an integer in 1..20, got 21",
    ),
    (
        edit("factions", "factions", 0, "forces", to=[[11, 5]]),
        "forces[0]: expected a territory of a single cell, got [11, 5]",
    ),
    (edit("factions", "factions", 0, "forces", to=[[0, 11], [5, 10]]), "21 tokens with the free ones"),
    (
        edit("factions", "factions", 0, "forces", to=[0]),
        "factions.factions[0].forces[0]: expected a territory and a number of tokens, got 0",
    ),
    (edit("factions", "factions", 3, "free_territories", to=[]), "free_forces and free_territories, or neither"),
    (edit("factions", "factions", 3, "free_territories", to=[13, 12]), "ascending territories with at most 12 cells"),
    (edit("factions", "factions", 3, "paid_revival", to=1), "paid_revival: expected true or false, got 1"),
    (edit("factions", "factions", 1, "start_cards", to=9), "start_cards: expected an integer in 0..8, got 9"),
    (edit("factions", "tokens", to=19), "factions.tokens: expected 20, got 19"),
    (
        edit("board", "dots", to=[1, 4, 7, 10, 16, 13]),
        "board.dots: expected an ascending list of different sectors, got [1, 4, 7, 10, 16, 13]",
    ),
    (edit("board", "dots_by_players", "2", to=None), "board.dots_by_players.2 is missing"),
    (
        edit("board", "dots_by_players", "3", to=[0, 0, 1]),
        "board.dots_by_players.3: expected an ascending list of different dots, got [0, 0, 1]",
    ),
    (edit("board", "borders", 5, to=[86, 90]), "board.borders[5]: expected an integer in 0..85, got 86"),
    (edit("board", "borders", 5, to=[3]), "board.borders[5]: expected a pair of cells, got [3]"),
    (
        edit("board", "borders", 5, to=[0, 44]),
        "board.borders[5]: expected pairs with the lower cell first, in rising order, got [0, 44]",
    ),
    (edit("board", "borders", to=[[0, 44]]), "board.borders: expected a way between all cells, got 'no way to cell 1'"),
    (edit("board", "borders", to=[[0, cell] for cell in range(1, 30)]), "at most 20 neighbours of a cell"),
    (
        edit("board", "territories", 3, "type", to="water"),
        "board.territories[3].type: expected one of sand, rock, stronghold, polar_sink, got 'water'",
    ),
    (
        edit("board", "territories", 3, "sectors", to=[14, 13]),
        "board.territories[3].sectors: expected an ascending list of at most 5 sectors, got [14, 13]",
    ),
    (
        edit("board", "territories", 3, "sectors", to=[]),
        "board.territories[3].sectors: expected at least one sector, got []",
    ),
    (
        edit("board", "territories", 27, "sectors", to=[2]),
        "sectors: expected the empty list, for the Polar Sink, got [2]",
    ),
    (edit("board", "territories", 3, "sectors", to=[13]), "board.territories: expected 86, got '85 cells'"),
    (edit("board", "territories", 3, "sectors", to=[12, 13, 14]), "86 cells in all, which are exceeded here"),
    (edit("board", "territories", 3, "type", to="stronghold"), "board.territories: expected 5, got '6 strongholds'"),
    (edit("board", "sietch_tabr", to=31), "board.sietch_tabr: expected a stronghold, got 31"),
    (
        edit("storm", "first_dial", to="0..21"),
        "storm.first_dial: expected an integer in 0..20, or a range such as \"0..20\", got '0..21'",
    ),
    (edit("victory", "turns", to=16), "victory.turns: expected 15, got 16"),
]


@pytest.mark.parametrize(("change", "message"), FAULTS, ids=[message for _, message in FAULTS])
def test_each_fault_gets_one_clear_error(change: Callable[[dict[str, Any]], None], message: str) -> None:
    content = copy.deepcopy(CONTENT)
    change(content)
    with pytest.raises(ComponentsError, match=re.escape(message)) as error:
        from_content(content, "my.toml")
    assert str(error.value).startswith("components my.toml: ")


def test_too_many_first_cards() -> None:
    content = copy.deepcopy(CONTENT)
    for faction in content["factions"]["factions"]:
        faction |= {"hand_limit": 8, "start_cards": 6}
    with pytest.raises(ComponentsError, match="expected at most 33, got '36 first cards'"):
        from_content(content, "my.toml")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (3, "components: expected the path of a TOML file, Components or None, got 3"),
        ("/no/such/file.toml", "components /no/such/file.toml: cannot be read"),
    ],
)
def test_what_cannot_be_read_is_named(source: Any, message: str) -> None:
    with pytest.raises(ComponentsError, match=re.escape(message)):
        load(source)


def test_a_text_that_is_no_toml_is_named() -> None:
    with pytest.raises(ComponentsError, match="components x: not TOML"):
        parse("[board", "x")

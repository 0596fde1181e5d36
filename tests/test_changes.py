"""Changed values of components by paths: what they change, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from dunaia_env.dunaia import GAME, Components, ComponentsError, load
from tests.toy_game import GAME as TOY

pytestmark = pytest.mark.once

OWN = load()
change, values_of = GAME.require("change"), GAME.require("values_of")


def changed_paths(components: Components) -> dict[str, Any]:
    """The values by which components differ from the project's own; None for one that is gone."""
    own, other = values_of(OWN), values_of(components)
    return {path: other.get(path) for path in sorted({*own, *other}) if own.get(path) != other.get(path)}


def test_no_change_gives_the_same_components() -> None:
    family = GAME.require("load_family")(None)
    for components in (OWN, *(family.sample(seed) for seed in range(5))):
        same = change(components, {})
        assert same.record.tobytes() == components.record.tobytes()
        assert same.hash == components.hash
        assert same.statuses == components.statuses


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("characters.merchant.discount", "0", {"characters.merchant.discount": 0}),
        ("prices.level_2", "[3, 4]", {"prices.level_2.0": 3, "prices.level_2.1": 4}),
        ("prices.level_2", [3, 4], {"prices.level_2.0": 3, "prices.level_2.1": 4}),
        ("prices.level_2.0", 3, {"prices.level_2.0": 3}),
        ("start.flowers", "[1, 3]", {"start.flowers.0": 1, "start.flowers.1": 3}),
        ("start.flowers.1", 3, {"start.flowers.1": 3}),
        ("start.flowers", 5, {f"start.flowers.{seat}": 5 for seat in range(4)}),
        ("artefacts.points", "[0, 1, 3, 6, 10, 15]", {"artefacts.points.5": 15}),
        ("prophecies.group_a.0.points", 4, {"prophecies.group_a.0.points": 4}),
        ("prophecies.group_a.0.shape", "line", {"prophecies.group_a.0.shape": "line"}),
        ("level_2.tiles.20.effect", "moves", {"level_2.tiles.20.effect": "moves"}),
        ("level_2.tiles.20.steps", 5, {"level_2.tiles.20.steps": 5}),
        ("level_3.tiles.28.arrows.north.amount", 3, {"level_3.tiles.28.arrows.north.amount": 3}),
        (
            "level_3.tiles.28.arrows.north",
            "none",
            {"level_3.tiles.28.arrows.north.amount": None, "level_3.tiles.28.arrows.north.colour": None},
        ),
        (
            "level_3.tiles.28.arrows.south",
            '{ colour = "red", amount = 2 }',
            {"level_3.tiles.28.arrows.south.amount": 2, "level_3.tiles.28.arrows.south.colour": "red"},
        ),
    ],
)
def test_a_change_changes_its_value_only(path: str, value: object, expected: dict[str, Any]) -> None:
    components = change(OWN, {path: value})
    assert changed_paths(components) == expected
    assert components.hash != OWN.hash
    assert components.statuses == OWN.statuses | {path.split(".")[0]: "assumed"}


def test_tiles_without_steps_of_their_own_follow_their_level() -> None:
    steps = {f"level_2.tiles.{tile}.steps": 5 for tile in range(16, 28)}
    assert changed_paths(change(OWN, {"construction.level_2": 5})) == {"construction.level_2": 5, **steps}


def test_changes_are_made_one_after_the_other() -> None:
    components = change(OWN, {"prices.level_1": "[4, 5]", "prices.level_1.0": 3})
    assert changed_paths(components) == {"prices.level_1.0": 3, "prices.level_1.1": 5}
    assert components == change(OWN, {"prices.level_1": [3, 5]})
    assert change(components, {"prices.level_1": [1, 2]}) == OWN


def test_values_are_those_of_the_file() -> None:
    values = values_of(OWN)
    assert values["start.flowers.3"] == 2
    assert values["level_2.tiles.16.arrows.west.gain"] == "flowers"
    assert values["level_1.tiles.0.steps"] == 2
    assert not {path for path in values if path.endswith(("status", "note", ".id"))}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"price.level_1": 1},
            r"change price\.level_1: 'price' is unknown; in a component file there are village, start",
        ),
        ({"": 1}, r"change : '' is unknown; in a component file there are village"),
        ({"prices": 1}, "change prices: expected a value, got a whole group"),
        ({"prices.level_9": 1}, r"'level_9' is unknown; in prices there are level_1, level_2, level_3$"),
        ({"prices.status": "x"}, r"'status' is unknown; in prices there are level_1, level_2, level_3$"),
        ({"prices.level_1.2": 1}, r"'2' is unknown; in prices\.level_1 there are 0, 1$"),
        ({"prices.level_1.0.3": 1}, r"prices\.level_1\.0 is a single value, without parts"),
        ({"level_2.tiles.9.effect": "moves"}, r"'9' is unknown; in level_2\.tiles there are 16, 17, .*27$"),
        ({"level_2.tiles.20.gain": 1}, r"'gain' is unknown; in level_2.tiles.20 there are id, colours, .*, steps$"),
        ({"prices.level_1": "none"}, r"change prices\.level_1: none; a file has to have this value"),
        (
            {"characters.merchant.discount": "-1"},
            r"merchant\.discount=-1: characters\.merchant\.discount: expected an integer in 0\.\.100, got -1",
        ),
        (
            {"characters.merchant.discount": "1\nx = 2"},
            r"characters\.merchant\.discount: expected an integer in 0\.\.100, got '1\\nx = 2'",
        ),
        (
            {"level_2.tiles.20.effect": "points"},
            r"level_2\.tiles\[4\]\.effect: expected one of flowers, chips, moves, got 'points'",
        ),
        (
            {"start.flowers": "[1, 2, 3, 4, 5]"},
            r"start\.flowers: expected a list of 4 integers.*, got \[1, 2, 3, 4, 5\]",
        ),
        ({3: 1}, r"change: expected a path such as prices\.level_1, got 3"),
    ],
)
def test_errors_name_the_path_and_what_is_allowed(values: dict[Any, Any], message: str) -> None:
    with pytest.raises(ComponentsError, match=message):
        change(OWN, values)


def test_a_game_may_have_no_paths() -> None:
    with pytest.raises(ValueError, match=f"{TOY.name}: this game's components cannot be changed by path"):
        TOY.require("change")
    with pytest.raises(ValueError, match=f"{TOY.name}: this game's components cannot be read by path"):
        TOY.require("values_of")

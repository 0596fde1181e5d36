"""The family of component files: what it draws, what is inside, and what a family file may say."""

from __future__ import annotations

import copy
import os
import pickle
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dunaia_env import GameState, Lanes, dunaia
from dunaia_env.dunaia import GAME, STATE_DTYPE, Components, Family, FamilyError, load, load_family
from dunaia_env.dunaia.bounds import bounds
from dunaia_env.dunaia.components import ALL_COLOURS, GAIN_CHIPS, parse
from dunaia_env.dunaia.family.family import MOST_BYTES
from dunaia_env.family import main
from dunaia_env.harness.registry import DEFAULT_GAME

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parent.parent
OWN_TEXT = Path(dunaia.__file__).with_name("components.toml").read_text(encoding="utf-8")
FAMILY_TEXT = (Path(dunaia.__file__).parent / "family" / "family.toml").read_text(encoding="utf-8")
HELD_OUT = sorted((ROOT / "training" / "studies" / "held_out").glob("*.toml"))
MEMBERS = 300
# Fields of the record that vary together.
GROUPS = (
    ("start_edges", "printed"),
    ("start_flowers", "start_tokens"),
    ("prices",),
    ("steps_to_complete", "steps"),
    ("elder_costs", "elder_flowers", "elder_moves", "elder_advances"),
    ("fragments_of_each_type",),
    ("markers_of_each_colour",),
    ("artefact_points", "further_artefact_points"),
    ("flowers_per_point", "level_points"),
    ("merchant_discount", "foreman_cost", "foreman_advances", "mystic_chips", "mystic_flowers", "mystic_moves"),
    ("prophecy_points", "prophecy_buildings", "prophecy_flowers", "prophecy_artefacts"),
)


@cache
def members() -> list[Components]:
    return [load_family().sample(seed) for seed in range(MEMBERS)]


def changed(*changes: tuple[str, str]) -> Components:
    """The project's own components with some passages of the file replaced."""
    text = OWN_TEXT
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return parse(text, "changed")


def family_of(*changes: tuple[str, str]) -> Family:
    """The project's own family with some passages of the file replaced."""
    text = FAMILY_TEXT
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return load_family(tomllib.loads(text))


def test_the_own_components_are_inside() -> None:
    assert load_family().outside(load()) == ""
    assert load_family() is load_family(None)
    assert load_family(load_family()) is load_family()
    assert DEFAULT_GAME.load_family is load_family


@pytest.mark.slow
def test_members_are_files_inside_the_family() -> None:
    for seed, member in enumerate(members()):
        assert member.source == f"family member {seed}"
        assert load_family().outside(member) == ""
        text = load_family().text_of(member)
        again = parse(text, member.source)
        assert again == member
        assert again.record.tobytes() == member.record.tobytes()
        assert again.statuses == member.statuses


def test_the_own_components_can_be_written() -> None:
    assert parse(load_family().text_of(load()), "x").record.tobytes() == load().record.tobytes()


def test_members_change_little_or_much() -> None:
    own = load().record[0]
    changes = Counter(
        sum(any((member.record[0][field] != own[field]).any() for field in group) for group in GROUPS)
        for member in members()
    )
    few = sum(changes[number] for number in range(4))
    assert 0.5 * MEMBERS < few < 0.8 * MEMBERS
    assert changes[1] > 0.05 * MEMBERS
    assert changes[len(GROUPS)] > 0.01 * MEMBERS
    assert len({member.hash for member in members()}) > 0.9 * MEMBERS


@pytest.mark.parametrize(("tiles", "effects"), [(range(16), 4), (range(16, 28), 3)])
def test_the_mix_of_effects_reaches_its_ends(tiles: range, effects: int) -> None:
    counts = np.array(
        [np.bincount(member.record[0].effect[tiles.start : tiles.stop], minlength=effects) for member in members()]
    )
    kinds = np.flatnonzero(counts.any(axis=0))
    assert len(kinds) == effects
    assert (counts[:, kinds] == 0).any(axis=0).all()
    # Every effect is at some time on nearly all tiles; which of them on all, varies with the seeds.
    assert (counts[:, kinds] >= len(tiles) - 4).any(axis=0).all()
    assert (counts == len(tiles)).any()


@pytest.mark.slow
def test_every_number_reaches_both_ends_of_its_range() -> None:
    samples = [load_family().sample(seed).record[0] for seed in range(1500)]
    for group in load_family().ranges.groups:
        for number in group.numbers:
            # What does not decrease is rarely low at the end of its list.
            values = {int(values[number.field][number.at]) for values in samples}
            least, most = number.span
            assert values <= set(range(least, most + 1)), number.path
            assert max(values) == most, number.path
            assert min(values) <= least + (most - least) // 3, number.path


def test_a_seed_draws_the_same_member_everywhere() -> None:
    """In another process, with another seed of Python's hashes, and without the seeds before."""
    code = "from dunaia_env.dunaia import load_family\nprint(*(load_family().sample(s).hash for s in (200, 7, 3)))"
    environment = {**os.environ, "PYTHONHASHSEED": "77"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.stdout.split() == [members()[seed].hash for seed in (200, 7, 3)], done.stderr


def test_a_draw_does_not_depend_on_other_groups() -> None:
    """With other ranges of prices, everything else is drawn as before."""
    other = family_of(('level_2 = ["0..6", "1..7"]', 'level_2 = ["1..4", "2..5"]'))
    for seed in range(60):
        ours, theirs = members()[seed].record[0], other.sample(seed).record[0]
        for field in {field for group in GROUPS for field in group} | {"colours", "effect", "amount", "arrow_colour"}:
            if field != "prices":
                assert (ours[field] == theirs[field]).all(), (seed, field)
        assert (ours.prices[[0, 2]] == theirs.prices[[0, 2]]).all()


@pytest.mark.parametrize("seed", [-1, 2**63, 1.0, True, "1"])
def test_what_is_no_seed_is_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match=r"^seed: expected an integer in 0\.\.\d+, got .*"):
        load_family().sample(seed)


def test_files_kept_out_of_training_are_inside() -> None:
    assert [path.stem for path in HELD_OUT] == [
        "chip_tiles_only",
        "flowers_by_seat",
        "half_artefacts",
        "higher_prices",
        "no_chip_tiles",
    ]
    files = {path.stem: load(path) for path in HELD_OUT}
    assert {load_family().outside(file) for file in files.values()} == {""}
    assert len({load().hash, *(file.hash for file in files.values())}) == 6
    assert not {file.hash for file in files.values()} & {member.hash for member in members()}
    effects = {name: (file.record[0].effect[16:28] == GAIN_CHIPS).sum() for name, file in files.items()}
    assert (effects["chip_tiles_only"], effects["no_chip_tiles"], effects["higher_prices"]) == (12, 0, 4)
    assert (files["higher_prices"].record[0].prices == load().record[0].prices + 1).all()
    assert files["half_artefacts"].record[0].artefact_points.tolist() == [0, 0, 1, 3, 5, 7]
    assert files["flowers_by_seat"].record[0].start_flowers.tolist()[:2] == [1, 3]


THREE_ARROWS = (
    "{ " + ", ".join(f'{side} = {{ colour = "red", amount = 1 }}' for side in ("north", "east", "south")) + " }"
)
OUTSIDE = [
    ("level_1 = [1, 2]", "level_1 = [9, 9]", "prices.level_1[0] = 9; 0..3"),
    ("level_1 = [1, 2]", "level_1 = [3, 2]", "prices.level_1[1] = 2; at least prices.level_1[0] = 3"),
    ("level_2 = [2, 3]", "level_2 = [6, 8]", "prices.level_2[1] = 8; 1..7"),
    ("neutral = { 2 = 5,", "neutral = { 2 = 7,", "dice.neutral.2 = 7; 5"),
    ("flowers = 2\ntokens", "flowers = [2, 7, 2, 2]\ntokens", "start.flowers[1] = 7; 0..6"),
    ("tokens = 3", "tokens = 5", "start.tokens = 5; 2..4"),
    ("level_3 = 4", "level_3 = 7", "construction.level_3 = 7; 2..6"),
    ('id = 3, colours = ["red"]', 'id = 3, steps = 5, colours = ["red"]', "level_1.tiles[3].steps = 5; 1..4"),
    ("[[1, 2], [3, 4], [5, 6]]", "[[1, 2], [3, 4], [2, 6]]", "elders.costs[2] = [2, 6]; each chip at one space only"),
    ("moves = 2\nadvances = 1", "moves = 5\nadvances = 1", "elders.moves = 5; 1..4"),
    ("of_each_type = 12", "of_each_type = 5", "fragments.of_each_type = 5; 6..16"),
    ("points = [0, 1, 3, 6, 10, 14]", "points = [1, 1, 3, 6, 10, 14]", "artefacts.points[0] = 1; 0"),
    (
        "points = [0, 1, 3, 6, 10, 14]",
        "points = [0, 1, 5, 4, 10, 14]",
        "artefacts.points[3] = 4; at least artefacts.points[2] = 5",
    ),
    ("discount = 1", "discount = 4", "characters.merchant.discount = 4; 0..3"),
    (
        "{ buildings = 6, points = 2 }",
        "{ buildings = 6, points = 7 }",
        "prophecies.group_a[0].points = 7; 1..6",
    ),
    (
        "{ buildings = 7, points = 3 }",
        "{ buildings = 7, points = 1 }",
        "prophecies.group_a[1].points = 1; at least prophecies.group_a[0].points = 2",
    ),
    ("{ artefacts = 2, points = 4 }", "{ flowers = 9, points = 4 }", "prophecies.group_b[2].flowers = 9; 0"),
    ('shape = "line"', 'shape = "corners"', "prophecies.group_c[0].shape = 'corners'; 'line'"),
    ("[[0, 1], [2, 5], ", "[[0, 1], [0, 1], ", "village.start_edges[1] = [0, 1]; each edge at most once"),
    ('printed = ["flower", "chip", "flower", "chip", "flower", "chip", "flower", "chip"',
     'printed = ["chip", "chip", "chip", "chip", "chip", "chip", "chip", "chip"',
     "village.printed = 8 chips; 2..6 of them"),
    ('id = 0, colours = ["green"]', 'id = 0, colours = ["green", "red"]',
     "level_1.tiles[0].colours = ['green', 'red']; one colour or all"),
    ('effect = "flowers", amount = 3', 'effect = "flowers", amount = 7', "level_1.tiles[0].amount = 7; 1..6 flowers"),
    (
        'north = { colour = "green", gain = "flowers", amount = 1 }',
        'north = { colour = "green", gain = "flowers", amount = 3 }',
        "level_2.tiles[0].arrows.north.amount = 3; 1..2 flowers",
    ),
    (
        'id = 36, colours = ["green", "yellow", "purple", "red"], arrows = {}',
        f'id = 36, colours = ["green", "yellow", "purple", "red"], arrows = {THREE_ARROWS}',
        "level_3.tiles[8].arrows = 3 arrows; 0..2 of them",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "clause"), OUTSIDE)
def test_the_first_value_outside_is_named(old: str, new: str, clause: str) -> None:
    assert load_family().outside(changed((old, new))) == f"{clause} in the family"


def test_counts_and_sums_of_tiles_are_bounded() -> None:
    red = changed(*((f'id = {tile}, colours = ["{colour}"]', f'id = {tile}, colours = ["red"]')
                    for tile, colour in ((0, "green"), (4, "green"), (8, "green"), (12, "green"))))  # fmt: skip
    assert load_family().outside(red) == "level_1.tiles = 0 green; 1..8 of them in the family"
    fewer = family_of(('of_each_effect = "0..12"', 'of_each_effect = "1..12"'))
    chips = load(ROOT / "training" / "studies" / "held_out" / "no_chip_tiles.toml")
    assert fewer.outside(chips) == "level_2.tiles = 0 with the effect chips; 1..12 of them in the family"
    less = family_of(("most = { flowers = 8, chips = 5", "most = { flowers = 8, chips = 3"))
    many = changed(('gain = "chips", amount = 1', 'gain = "chips", amount = 2'))
    assert less.outside(many) == "level_2.tiles[4] = 4 chips with all its arrows; at most 3 in the family"
    assert load_family().outside(many) == ""
    assert {less.outside(less.sample(seed)) for seed in range(200)} == {""}


def test_a_family_in_which_nothing_varies_has_one_member() -> None:
    still = re.sub(r"vary = \d+", "vary = 0", FAMILY_TEXT).replace("few = 50", "few = 0")
    family = load_family(tomllib.loads(still))
    assert {family.sample(seed).hash for seed in range(50)} == {load().hash}


def test_shipped_parts_stay() -> None:
    family = family_of(('start_edges = "different"', 'start_edges = "shipped"'),
                       ('costs = "each chip once"', 'costs = "shipped"'))  # fmt: skip
    for seed in range(100):
        values = family.sample(seed).record[0]
        assert values.start_edges.tolist() == load().record[0].start_edges.tolist()
        assert values.elder_costs.tolist() == load().record[0].elder_costs.tolist()
    assert family.outside(changed(("[[0, 1], [2, 5], ", "[[0, 1], [1, 2], "))).startswith("village.start_edges[1] = ")
    assert family.outside(changed(("[[1, 2], [3, 4]", "[[1, 3], [2, 4]"))).startswith(
        "elders.costs[0] = [1, 3]; [1, 2]"
    )


def numbers_that_vary(family: Family) -> set[str]:
    drawn = [GAME.require("values_of")(family.sample(seed)) for seed in range(200)]
    own = GAME.require("values_of")(load())
    return {path for values in drawn for path in own if values.get(path) != own[path]}


@pytest.mark.parametrize(
    ("values", "varying"),
    [
        (["characters.mystic"], {f"characters.mystic.{name}" for name in ("chips", "flowers", "moves")}),
        (["elders.moves", "scoring.flowers_per_point"], {"elders.moves", "scoring.flowers_per_point"}),
        # The range of the start flowers is that of all seats.
        (["start.flowers.0"], {f"start.flowers.{seat}" for seat in range(4)}),
        # The second price of a level is never below the first one, and a higher level never worth less.
        (["prices.level_2.1"], {"prices.level_2.0", "prices.level_2.1"}),
        (["scoring.level_points.2"], {f"scoring.level_points.{level}" for level in range(3)}),
        (["prophecies.group_b.1"], {f"prophecies.group_b.1.{name}" for name in ("flowers", "artefacts", "points")}),
        (["fragments", "markers.of_each_colour"], {"fragments.of_each_type", "markers.of_each_colour"}),
    ],
)
def test_in_a_narrowed_family_only_the_chosen_values_vary(values: list[str], varying: set[str]) -> None:
    family = load_family().narrowed(values)
    assert numbers_that_vary(family) == varying
    assert not family.outside(load())
    assert load_family(family.content) == family
    assert all(not one.outside(family.sample(seed)) for one in (load_family(), family) for seed in range(100))


def test_what_a_group_that_does_not_vary_may_not_have_is_outside() -> None:
    family = load_family().narrowed(["characters.mystic", "elders.moves", "construction.level_1"])
    change = GAME.require("change")
    for path, value, clause in (
        ("start.tokens", 4, "start.tokens = 4; 3"),
        ("village.start_edges.5", [6, 7], "village.start_edges.5.0 = 6; 7"),
        ("village.printed.0", "chip", "village.printed.0 = chip; flower"),
        ("level_1.tiles.2.amount", 5, "level_1.tiles.2.amount = 5; 3"),
        ("level_2.tiles.20.arrows.west", "none", "level_2.tiles.20.arrows.west.colour = none; green"),
        ("elders.costs", [[1, 3], [2, 4], [5, 6]], "elders.costs[0] = [1, 3]; [1, 2]"),
        ("characters.merchant.discount", 2, "characters.merchant.discount = 2; 1"),
        ("scoring.flowers_per_point", 4, "scoring.flowers_per_point = 4; 3"),
    ):
        components = change(load(), {path: value})
        assert not load_family().outside(components), path
        assert family.outside(components) == f"{clause} in the family"
    for values in ({"construction.level_1": 4}, {"elders.moves": 3, "characters.mystic.chips": 1}):
        assert not family.outside(change(load(), values))
    steps = load_family().narrowed(["level_1"]).outside(change(load(), {"level_1.tiles.2.steps": 3}))
    assert steps == "level_1.tiles.2.steps = 3; 2 in the family"


def test_a_narrowed_construction_does_not_vary_by_tile() -> None:
    family = load_family().narrowed(["construction.level_1"])
    assert len({family.sample(seed).hash for seed in range(100)}) == 4
    by_tile = load_family().narrowed(["construction"])
    assert len({by_tile.sample(seed).hash for seed in range(100)}) > 50


def test_all_files_of_a_narrow_family_are_drawn() -> None:
    family = load_family().narrowed(["characters.mystic"])
    assert len({family.sample(seed).hash for seed in range(2000)}) == 3 * 5 * 4


@pytest.mark.parametrize("value", ["dice", "characters.trickster", "prices.level", "level_1.amounts", ""])
def test_a_value_that_does_not_vary_is_refused(value: str) -> None:
    message = (
        f"values: expected a group that varies or the beginning of a path such as characters.mystic, got {value!r}"
    )
    with pytest.raises(FamilyError, match=re.escape(message)):
        load_family().narrowed(["prices", value])


def test_the_hash_names_the_ranges_not_the_reasons() -> None:
    assert re.fullmatch(r"[0-9a-f]{16}", load_family().hash)
    assert family_of(('why = "Assumed, but', 'why = "Possibly assumed, but')) == load_family()
    assert hash(family_of(("few = 50", "few = 50"))) == hash(load_family())
    others = [
        family_of(("few = 50", "few = 51")),
        family_of(('discount = "0..3"', 'discount = "0..2"')),
        family_of(("by_seat = 60", "by_seat = 61")),
    ]
    assert len({load_family(), *others}) == 4


@pytest.mark.parametrize(
    "duplicate",
    [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one)), lambda one: load_family(one.content)],
)
def test_families_can_be_copied(duplicate: Callable[[Family], Family]) -> None:
    family = family_of(('discount = "0..3"', 'discount = "1..1"'))
    twin = duplicate(family)
    assert twin == family
    assert twin != load_family()
    assert twin.sample(5) == family.sample(5)


FAULTS = [
    ("vary = 60", "vary = 101", "prices.vary = 101", "an integer in 0..100"),
    ("few = 50", 'few = "50"', "members.few = '50'", "an integer in 0..100"),
    ("all = 10", "all = 60", "members.all = 60", "an integer in 0..50"),
    ("kept = [0, 50, 80]", "kept = []", "members.kept = []", "at least one integer"),
    ("kept = [0, 50, 80]", "kept = [0, 101]", "members.kept[1] = 101", "an integer in 0..100"),
    ('tokens = "2..4"', 'tokens = "4..2"', "start.tokens = '4..2'", 'a range such as "1..9"'),
    ('tokens = "2..4"', 'tokens = "2..10"', "start.tokens = '2..10'", "an integer in 1..9"),
    ('tokens = "2..4"', "tokens = true", "start.tokens = True", "an integer in 1..9"),
    ('tokens = "2..4"', "tokens = [2, 4]", "start.tokens = [2, 4]", "an integer in 1..9"),
    ('tokens = "2..4"\n', "", "start.tokens is missing", ""),
    ('tokens = "2..4"', 'tokens = "2..4"\ncoins = 1', "start.coins = 1", "no such key"),
    ("neutral = { 2 = 5", 'neutral = { 2 = "3..5"', "dice.neutral.2 = '3..5'", "an integer in 1..12"),
    ('level_1 = ["0..3", "0..5"]', 'level_1 = ["0..3"]', "prices.level_1 = ['0..3']", "a list of 2 integers or ranges"),
    ('level_1 = ["0..3", "0..5"]', 'level_1 = ["0..5", "0..3"]', "prices.level_1", "ends do not decrease"),
    ('costs = "each chip once"', 'costs = "any"', "elders.costs = 'any'", "each chip once, all but the last, shipped"),
    ('flowers = "1..6", moves', 'flowers = "0..6", moves', "level_1.amounts.flowers = '0..6'", "in 1..9"),
    ('of_each_colour = "1..8"', 'of_each_colour = "5..8"', "level_1.of_each_colour = '5..8'", "4 kinds make 16 tiles"),
    ('multicoloured = "0..8"', 'multicoloured = "0..13"', "level_3.multicoloured = '0..13'", "0..12"),
    ("most = { points = 10 }", "most = { points = 101 }", "level_3.most.points = 101", "0..100"),
    ('arrows = "0..4"', 'arrows = "0..3"', "but these have level_2.tiles[0].arrows", "= 4 arrows; 0..3"),
    ('tokens = "2..4"', 'tokens = "4..5"', "but these have start.tokens", "= 3; 4..5"),
    ("[dice]", "[die]", "dice is missing", ""),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "named", "allowed"), FAULTS)
def test_a_family_file_that_cannot_be_used_is_refused(
    tmp_path: Path, old: str, new: str, named: str, allowed: str
) -> None:
    assert old in FAMILY_TEXT
    text = FAMILY_TEXT.replace(old, new, 1)
    path = tmp_path / "other.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FamilyError) as caught:
        load_family(path)
    message = str(caught.value)
    assert message.startswith(f"family {path}: ")
    key, _, value = named.partition(" = ")
    assert f": {key}: expected " in message if value else key in message
    assert message.endswith(f", got {value}" if value else "")
    assert allowed in message
    assert "\n" not in message


@pytest.mark.parametrize("source", [5, True, b"family.toml", ["family.toml"], load])
def test_what_names_no_family_is_refused(source: Any) -> None:
    with pytest.raises(
        FamilyError, match=r"^family: expected the path of a TOML file, its content, a Family or None, got "
    ):
        load_family(source)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "large.toml").write_text("#" * (MOST_BYTES + 1), encoding="utf-8")
    (tmp_path / "wrong.toml").write_text("[members", encoding="utf-8")
    for path in (tmp_path / "missing.toml", tmp_path / "large.toml", tmp_path / "wrong.toml", tmp_path):
        with pytest.raises(FamilyError, match=r"^family .*(cannot be read|not TOML)") as caught:
            load_family(path)
        assert str(path) in str(caught.value)


# Games


def check_records(states: Any, rules: Components) -> None:
    """What these components conserve, in an array of states of one number of players."""
    values: Any = rules.record[0]
    players = int(states["num_players"][0])
    seats = states["players"][:, :players]
    tile, completed = seats["tile"], seats["built"]
    shown = [states["display"], states["pile_top"], states["found"][:, None], seats["reserved"]]
    places = np.concatenate([*(place.astype(int) for place in shown), tile.reshape(len(states), -1)], axis=1)
    assert ((places[:, :, None] == np.arange(40)).sum(axis=1) + states["below_top"] == 1).all()
    under_construction = ((tile >= 0) & (completed == 0)).sum(axis=2)
    assert (seats["tokens"] + under_construction == values.start_tokens).all()
    held = seats["fragments"].sum(axis=1) + seats["artefacts"].sum(axis=1)[:, None]
    assert (states["common_fragments"] + held == values.fragments_of_each_type).all()
    for colour in range(4):
        placed = (seats["markers"] >> colour & 1).sum(axis=(1, 2))
        assert (states["common_markers"][:, colour] + placed == values.markers_of_each_colour).all()
    assert ((seats["steps"] == values.steps[tile]) == (completed == 1))[tile >= 0].all()
    assert (seats["steps"] <= values.steps[tile])[tile >= 0].all()
    assert (seats["flowers"] >= 0).all()
    assert (seats["dunaias"][..., None] == np.arange(12)).sum(axis=2).max() <= 3


@pytest.mark.compiled
@pytest.mark.parametrize("rest", range(3))
def test_games_of_members_are_played_to_the_end(rest: int) -> None:
    for seed in range(rest, 30, 3):
        rules = load_family().sample(seed)
        options = {"num_players": 2 + seed % 3, "elites": seed % 2 == 0, "max_rounds": 40}
        limits = bounds(rules, options)
        lanes = Lanes(4, components=rules, **options)
        lanes.reset(100 * seed)
        begun = lanes.snapshot()["states"].view(STATE_DTYPE)[:, 0]["players"]["flowers"][0, : options["num_players"]]
        assert begun.tolist() == rules.record[0].start_flowers[: options["num_players"]].tolist()
        finished = np.zeros(4, int)
        decisions = 0
        while finished.min() < 1:
            check_records(lanes.snapshot()["states"].view(STATE_DTYPE)[:, 0], rules)
            assert lanes.legal_counts.min() >= 2
            assert lanes.observations.min() >= 0
            lanes.step(lanes.random_actions(seed))
            assert (lanes.final_scores[lanes.terminations] <= limits.most_points).all()
            finished += lanes.terminations
            decisions += 1
            assert decisions <= limits.decisions
        state = GameState.new(seed, components=rules, **options)
        assert GameState.from_dict(state.to_dict(), components=rules) == state


# The command


def test_a_member_is_printed_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seed", "17"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"# family member 17: components {members()[17].hash}\n")
    assert main(["--seed", "17", "--out", str(tmp_path / "17.toml")]) == 0
    assert (tmp_path / "17.toml").read_text(encoding="utf-8") == printed
    assert load(tmp_path / "17.toml") == members()[17]


def test_a_narrower_family_draws_and_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.toml"
    assert main(["--values", "characters.mystic", "prices.level_1", "--seed", "4", "--out", str(path)]) == 0
    assert main(["--check", str(path), "--values", "characters.mystic", "prices.level_1"]) == 0
    path.write_text(OWN_TEXT.replace("tokens = 3", "tokens = 4"), encoding="utf-8")
    assert main(["--check", str(path)]) == 0
    assert main(["--check", str(path), "--values", "characters.mystic"]) == 1
    assert capsys.readouterr().out.splitlines()[1:] == [
        f"{path}: inside",
        f"{path}: inside",
        f"{path}: outside, start.tokens = 4; 3 in the family",
    ]
    assert main(["--values", "dice"]) == 2
    assert capsys.readouterr().err.startswith("family: values: expected a group that varies")


def test_a_file_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(OWN_TEXT, encoding="utf-8")
    assert main(["--check", str(path)]) == 0
    path.write_text(OWN_TEXT.replace("discount = 1", "discount = 5"), encoding="utf-8")
    assert main(["--check", str(path)]) == 1
    wide = tmp_path / "wide.toml"
    wide.write_text(FAMILY_TEXT.replace('discount = "0..3"', 'discount = "0..5"'), encoding="utf-8")
    assert main(["--check", str(path), "--family", str(wide)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{path}: inside",
        f"{path}: outside, characters.merchant.discount = 5; 0..3 in the family",
        f"{path}: inside",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--seed", "-1"], "family: seed: expected an integer in 0..9223372036854775807, got -1"),
        (["--check", "missing.toml"], "family: components missing.toml: cannot be read"),
        (["--family", "missing.toml"], "family: family missing.toml: cannot be read"),
        (["--check", "mine.toml", "--out", "there.toml"], "family: out: there.toml; a check writes nothing"),
    ],
)
def test_wrong_arguments_are_refused(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith(message)


def test_a_game_without_families_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    game = replace(GAME, load_family=None)
    monkeypatch.setattr("dunaia_env.family.find_game", lambda name: game)
    assert main([]) == 2
    assert capsys.readouterr().err == "family: dunaia: this game has no family of component files\n"


def test_the_family_of_another_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--game", "tests.toy_game", "--seed", "3"]) == 0
    assert 30 <= int(capsys.readouterr().out) <= 60


def test_multicoloured_tiles_vary_in_number() -> None:
    counts = {int((member.record[0].colours[28:40] == ALL_COLOURS).sum()) for member in members()}
    assert counts == set(range(9))

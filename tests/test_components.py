"""Component files: what the project's own one says, what is refused, and what another one changes."""

from __future__ import annotations

import copy
import os
import pickle
import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dunaia_env import GameState, Lanes, dunaia, dunaia_v0, replay
from dunaia_env.dunaia import Components, ComponentsError, load, pieces_of
from dunaia_env.dunaia.components import parse
from dunaia_env.dunaia.presentation.wording import english
from dunaia_env.harness.components import MOST_BYTES
from dunaia_env.harness.opponents import RandomAgent

from .positions import begun, built, play, player, position, square

OWN_TEXT = resources.files("dunaia_env.dunaia").joinpath("components.toml").read_text(encoding="utf-8")

GREEN, YELLOW, PURPLE, RED = range(4)
FLOWERS, CHIPS, MOVES, ADVANCES, POINTS = range(5)
NORTH, EAST, SOUTH, WEST = range(4)
# Level 3 tiles by id: their colour, the colour of their arrows and the arrows' sides. The other four are multicoloured.
LEVEL_3 = {
    28: (GREEN, RED, (NORTH, WEST)),
    29: (GREEN, YELLOW, (EAST, SOUTH)),
    30: (YELLOW, GREEN, (NORTH, WEST)),
    31: (YELLOW, PURPLE, (EAST, SOUTH)),
    32: (PURPLE, YELLOW, (NORTH, WEST)),
    33: (PURPLE, RED, (EAST, SOUTH)),
    34: (RED, PURPLE, (NORTH, WEST)),
    35: (RED, GREEN, (EAST, SOUTH)),
}


@pytest.fixture(scope="module")
def tables() -> Any:
    return load().record[0]


def changed(old: str, new: str, text: str = OWN_TEXT) -> str:
    """The project's own file with one passage replaced."""
    assert text.count(old) >= 1, old
    return text.replace(old, new, 1)


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "changed.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("start_edges", [0, 8, 7, 10, 9, 5]),  # (0,1) (2,5) (1,4) (4,7) (3,6) (7,8)
        ("printed", [0, 1, 0, 1, 0, 1, 0, 1, 0]),  # a flower on 0, 2, 4, 6, 8
        ("start_flowers", [2, 2, 2, 2]),
        ("start_tokens", 3),
        ("neutral_dice", [0, 0, 5, 4, 5]),
        ("prices", [[1, 2], [2, 3], [3, 4]]),
        ("steps_to_complete", [2, 3, 4]),
        ("elder_costs", [[1, 2], [3, 4], [5, 6]]),
        ("elder_flowers", 2),
        ("elder_moves", 2),
        ("elder_advances", 1),
        ("fragments_of_each_type", 12),
        ("markers_of_each_colour", 3),
        ("artefact_points", [0, 1, 3, 6, 10, 14]),
        ("further_artefact_points", 4),
        ("flowers_per_point", 3),
        ("level_points", [1, 2, 3]),
        ("merchant_discount", 1),
        ("foreman_cost", 2),
        ("foreman_advances", 1),
        ("mystic_chips", 2),
        ("mystic_flowers", 2),
        ("mystic_moves", 1),
        ("prophecy_buildings", [6, 7, 8, 0, 0, 0, 0, 0, 0]),
        ("prophecy_flowers", [0, 0, 0, 12, 7, 0, 0, 0, 0]),
        ("prophecy_artefacts", [0, 0, 0, 0, 1, 2, 0, 0, 0]),
        ("prophecy_shape", [0, 0, 0, 0, 0, 0, 1, 2, 3]),  # line, one of each level, corners
        ("prophecy_points", [2, 3, 4, 2, 3, 4, 2, 3, 4]),
        ("level", [0] * 16 + [1] * 12 + [2] * 12),
        ("steps", [2] * 16 + [3] * 12 + [4] * 12),
    ],
)
def test_own_values(tables: Any, field: str, value: object) -> None:
    assert np.asarray(tables[field]).tolist() == value


def test_own_tiles_of_level_1(tables: Any) -> None:
    for tile in range(16):
        effect = (FLOWERS, MOVES, ADVANCES, CHIPS)[tile // 4]
        assert tables.effect[tile] == effect
        assert tables.amount[tile] == {FLOWERS: 3, MOVES: 3, ADVANCES: 1, CHIPS: 2}[effect]
        assert tables.colours[tile] == 1 << tile % 4
        assert tables.arrow_colour[tile].tolist() == [-1] * 4


def test_own_tiles_of_level_2(tables: Any) -> None:
    for tile in range(16, 28):
        effect, colour = (FLOWERS, CHIPS, MOVES)[(tile - 16) // 4], tile % 4
        assert (tables.effect[tile], tables.amount[tile], tables.colours[tile]) == (effect, 1, 1 << colour)
        assert tables.arrow_colour[tile].tolist() == [colour] * 4
        assert tables.arrow_gain[tile].tolist() == [FLOWERS, effect, FLOWERS, effect]
        assert tables.arrow_amount[tile].tolist() == [1] * 4


def test_own_tiles_of_level_3(tables: Any) -> None:
    for tile in range(28, 40):
        assert tables.effect[tile] == -1
        arrows = [-1] * 4
        if tile in LEVEL_3:
            colour, arrow, sides = LEVEL_3[tile]
            assert tables.colours[tile] == 1 << colour
            for side in sides:
                arrows[side] = arrow
                assert (tables.arrow_gain[tile, side], tables.arrow_amount[tile, side]) == (POINTS, 2)
        else:
            assert tables.colours[tile] == 0b1111
        assert tables.arrow_colour[tile].tolist() == arrows


def test_each_group_has_a_status() -> None:
    assert load().statuses == {
        "village": "assumed",
        "start": "documented",
        "dice": "documented",
        "prices": "assumed",
        "construction": "assumed",
        "elders": "documented",
        "fragments": "inferred",
        "markers": "inferred",
        "artefacts": "documented",
        "scoring": "documented",
        "characters": "documented",
        "prophecies": "assumed",
        "level_1": "inferred",
        "level_2": "assumed",
        "level_3": "assumed",
    }


def test_own_components_are_read_once_and_passed_through() -> None:
    assert load() is load(None)
    assert load(load()) is load()
    assert re.fullmatch(r"[0-9a-f]{16}", load().hash)


def test_values_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="read-only"):
        load().record["start_flowers"] = 9
    with pytest.raises(ValueError, match="read-only"):
        load().buffer[0] = 9
    assert np.shares_memory(load().record, load().buffer) or load().record.tobytes() == load().buffer.tobytes()


def test_a_copy_of_the_own_file_is_the_same_rule_set(tmp_path: Path) -> None:
    other = load(write(tmp_path, OWN_TEXT))
    assert other == load()
    assert hash(other) == hash(load())
    assert other != other.hash
    assert other.source == str(tmp_path / "changed.toml")
    assert load(str(tmp_path / "changed.toml")) == other


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# Everything that is printed", "# Something else"),
        ('status = "documented"\nflowers = 2', 'status = "assumed"\nflowers = 2'),
        ('note = "36 fragments of 3 types are documented."\n', ""),
        ('note = "36 fragments', 'note = "Some 36 fragments'),
        ("start_edges = [[0, 1]", "start_edges = [ [1, 0]"),
        ("flowers = 2\ntokens = 3", "tokens = 3\nflowers = 2"),
    ],
)
def test_comments_statuses_notes_and_order_do_not_change_the_hash(old: str, new: str) -> None:
    assert parse(changed(old, new), "x").hash == load().hash


NUMBER = re.compile(r"(?<![\w.\-])\d+(?!\w)")
NAMES = {
    "green": "red",
    "yellow": "green",
    "purple": "yellow",
    "red": "purple",
    "flower": "chip",
    "chip": "flower",
    "flowers": "moves",
    "chips": "flowers",
    "moves": "chips",
    "advances": "flowers",
    "line": "corners",
    "levels": "line",
    "corners": "levels",
}


@pytest.mark.long
def test_every_value_changes_the_hash() -> None:
    """Each number and each name in the file is replaced by another one: an error, or other components."""
    seen, refused, offset = {load().hash}, 0, 0
    for line in OWN_TEXT.splitlines(keepends=True):
        code = "" if line.startswith(("#", "status", "note", "[")) else line.split("#")[0]
        names = [match for match in re.finditer(r'"(\w+)"', code) if match[1] in NAMES]
        for match in (*NUMBER.finditer(code), *names):
            is_key = code[match.end() :].lstrip().startswith("=")
            is_id = code[: match.start()].rstrip().endswith("id =")
            if is_key or is_id:
                continue
            new = f'"{NAMES[match[1]]}"' if match in names else str(int(match[0]) + 1)
            begin, end = offset + match.start(), offset + match.end()
            try:
                rules = parse(OWN_TEXT[:begin] + new + OWN_TEXT[end:], "changed")
            except ComponentsError:
                refused += 1
                continue
            # Two changes may give the same components (two colours in one list), but never the own one.
            assert rules.hash != load().hash, (line, match)
            seen.add(rules.hash)
        offset += len(line)
    assert len(seen) > 300
    # Dice totals, chips and squares beyond the last one, colours named twice, names out of place.
    assert refused < 45


MUTATIONS = [
    # TOML and tables
    ("flowers = 2\ntokens", "flowers = \ntokens", "", "not TOML"),
    ("[start]", "[[start]]", r"start = \[", "a table"),
    ("[start]", "[begin]", "start is missing", ""),
    ("[scoring]", "[more]\n\n[scoring]", "more = {}", "no such key"),
    ("tokens = 3", "tokens = 3\ncoins = 7", "start.coins = 7", "no such key"),
    ("tokens = 3\n", "", "start.tokens is missing", ""),
    ("merchant = { discount = 1 }", "merchant = 1", "characters.merchant = 1", "a table"),
    ("{ discount = 1 }", "{ discount = 1, tax = 2 }", "characters.merchant.tax = 2", "no such key"),
    # statuses and notes
    ('status = "documented"\nflowers', "flowers", "start.status is missing", ""),
    (
        'status = "documented"\nflowers',
        'status = "known"\nflowers',
        "start.status = 'known'",
        "one of documented, inferred, assumed",
    ),
    ('status = "documented"\nflowers', "status = 1\nflowers", "start.status = 1", "one of documented"),
    ('note = "36 fragments of 3 types are documented."', "note = 36", "fragments.note = 36", "a text"),
    # numbers
    ("flowers = 2\ntokens", "flowers = -1\ntokens", "start.flowers = -1", r"an integer in 0\.\.100"),
    ("flowers = 2\ntokens", "flowers = 101\ntokens", "start.flowers = 101", r"an integer in 0\.\.100"),
    ("flowers = 2\ntokens", "flowers = 2.0\ntokens", r"start.flowers = 2\.0", "an integer"),
    ("flowers = 2\ntokens", 'flowers = "2"\ntokens', "start.flowers = '2'", "an integer"),
    ("flowers = 2\ntokens", "flowers = true\ntokens", "start.flowers = True", "an integer"),
    ("flowers = 2\ntokens", "flowers = [2]\ntokens", r"start.flowers = \[2\]", r"a list of 4 integers in 0\.\.100"),
    ("flowers = 2\ntokens", "flowers = [2, 2, -1, 2]\ntokens", r"start.flowers\[2\] = -1", r"an integer in 0\.\.100"),
    ("tokens = 3", "tokens = 0", "start.tokens = 0", r"1\.\.9"),
    ("tokens = 3", "tokens = 10", "start.tokens = 10", r"1\.\.9"),
    ("level_1 = 2", "level_1 = 0", "construction.level_1 = 0", r"1\.\.20"),
    ("level_1 = 2", "level_1 = 21", "construction.level_1 = 21", r"1\.\.20"),
    ("of_each_type = 12", "of_each_type = 128", "fragments.of_each_type = 128", r"0\.\.100"),
    ("of_each_colour = 3", "of_each_colour = -3", "markers.of_each_colour = -3", r"0\.\.100"),
    (
        "flowers_per_point = 3",
        "flowers_per_point = 0",
        "scoring.flowers_per_point = 0",
        r"1\.\.100",
    ),
    ("further = 4", "further = 400", "artefacts.further = 400", r"0\.\.100"),
    ("moves = 2\nadvances = 1", "moves = 10\nadvances = 1", "elders.moves = 10", r"1\.\.9"),
    ("{ cost = 2, advances = 1 }", "{ cost = 2, advances = 0 }", "characters.foreman.advances = 0", r"1\.\.9"),
    ("{ chips = 2, flowers = 2", "{ chips = 7, flowers = 2", "characters.mystic.chips = 7", r"1\.\.6"),
    # dice
    ("2 = 5, 3", "2 = 6, 3", "dice.neutral.2 = 6", "leaves 1 when divided by 2"),
    ("3 = 4, 4", "3 = 5, 4", "dice.neutral.3 = 5", "leaves 1 when divided by 3"),
    ("4 = 5 }", "4 = 6 }", "dice.neutral.4 = 6", "leaves 1 when divided by 4"),
    ("4 = 5 }", "4 = 13 }", "dice.neutral.4 = 13", r"1\.\.12"),
    (", 4 = 5 }", " }", "dice.neutral.4 is missing", ""),
    ("4 = 5 }", "4 = 5, 5 = 6 }", "dice.neutral.5 = 6", "no such key"),
    # lists
    ("points = [0, 1, 3, 6, 10, 14]", "points = [0, 1, 3]", "artefacts.points", "a list of 6 integers"),
    ("points = [0, 1, 3, 6, 10, 14]", "points = 5", "artefacts.points = 5", "a list of 6 integers"),
    (
        "points = [0, 1, 3, 6, 10, 14]",
        "points = [0, 1, 3, 6, 10, -4]",
        r"artefacts.points\[5\] = -4",
        "an integer",
    ),
    ("level_1 = [1, 2]", "level_1 = [1, 2, 3]", "prices.level_1", "a list of 2 integers"),
    ("level_1 = [1, 2]", 'level_1 = [1, "2"]', r"prices.level_1\[1\] = '2'", "an integer"),
    ("level_points = [1, 2, 3]", "level_points = [1, 2]", "scoring.level_points", "a list of 3 integers"),
    ("[[1, 2], [3, 4], [5, 6]]", "[[1, 2], [3, 4]]", "elders.costs", "a list of 3 pairs"),
    ("[[1, 2], [3, 4], [5, 6]]", "[[1, 2], [3, 4], 5]", "elders.costs", "a list of 3 pairs"),
    ("[[1, 2], [3, 4], [5, 6]]", "[[1, 2], [3, 4], [5, 7]]", r"elders.costs\[2\] = 7", r"1\.\.6"),
    ("[[1, 2], [3, 4], [5, 6]]", "[[1, 1], [3, 4], [5, 6]]", r"elders.costs\[0\] = \[1, 1\]", "different chips"),
    # village
    ("[[0, 1], [2, 5]", "[[0, 2], [2, 5]", r"village.start_edges\[0\] = \[0, 2\]", "neighbouring squares"),
    ("[[0, 1], [2, 5]", "[[0, 9], [2, 5]", r"village.start_edges\[0\] = 9", r"0\.\.8"),
    (
        "[[0, 1], [2, 5], [1, 4], [4, 7]",
        "[[0, 1], [1, 0], [0, 1], [1, 0]",
        r"village.start_edges = \[0, 1\]",
        "at most 3 Dunaias",
    ),
    ('printed = ["flower"', 'printed = ["tree"', r"village.printed\[0\] = 'tree'", "one of flower, chip"),
    ('printed = ["flower", ', "printed = [", "village.printed", "a list of 9"),
    # prophecies
    ("{ buildings = 6, points = 2 }", "{ buildings = 10, points = 2 }", "buildings = 10", r"1\.\.9"),
    ("{ buildings = 6, points = 2 }", "{ buildings = 6 }", r"prophecies.group_a\[0\].points is missing", ""),
    ("    { buildings = 6, points = 2 },\n", "", "prophecies.group_a = 2", "a list of 3 tables"),
    ('shape = "line"', 'shape = "star"', r"prophecies.group_c\[0\].shape = 'star'", "one of line, levels"),
    ('shape = "line"', 'form = "line"', r"prophecies.group_c\[0\].form = 'line'", "no such key"),
    # tiles
    ('id = 1, colours = ["yellow"]', 'id = 0, colours = ["yellow"]', r"level_1.tiles\[1\].id = 0", "each id once"),
    ('id = 1, colours = ["yellow"]', 'id = 16, colours = ["yellow"]', r"level_1.tiles\[1\].id = 16", r"0\.\.15"),
    ('    { id = 36, colours = ["green", "yellow", "purple", "red"], arrows = {} },\n', "", "level_3.tiles = 11", "12"),
    ('id = 0, colours = ["green"]', 'id = 0, colours = ["blue"]', r"level_1.tiles\[0\].colours\[0\] = 'blue'", "green"),
    ('id = 0, colours = ["green"]', "id = 0, colours = []", r"level_1.tiles\[0\].colours = \[\]", "1 to 4"),
    ('id = 0, colours = ["green"]', 'id = 0, colours = "green"', r"level_1.tiles\[0\].colours = 'green'", "a list"),
    ('"flowers", amount = 3', '"points", amount = 3', r"level_1.tiles\[0\].effect = 'points'", "one of flowers"),
    ('"flowers", amount = 3', '"flowers", amount = 10', r"level_1.tiles\[0\].amount = 10", r"1\.\.9"),
    ('"flowers", amount = 3', '"flowers", amount = 3, steps = 0', r"level_1.tiles\[0\].steps = 0", r"1\.\.20"),
    ('"flowers", amount = 3', '"flowers", amount = 3, steps = 21', r"level_1.tiles\[0\].steps = 21", r"1\.\.20"),
    ('"flowers", amount = 3', '"flowers", count = 3', r"level_1.tiles\[0\].amount is missing", ""),
    ('"flowers", amount = 3', '"flowers", amount = 3, arrows = {}', r"level_1.tiles\[0\].arrows = {}", "no such key"),
    ('arrows = { north = { colour = "red"', 'arrows = { up = { colour = "red"', "arrows.up", "no such key"),
    ('{ colour = "red", amount = 2 }', '{ colour = "red" }', "arrows.north.amount is missing", ""),
    ('{ colour = "red", amount = 2 }', '{ colour = "red", amount = 8 }', "arrows.north.amount = 8", r"1\.\.7"),
    ('{ colour = "red", amount = 2 }', '{ colour = "any", amount = 2 }', "arrows.north.colour = 'any'", "one of green"),
    (
        'north = { colour = "green", gain = "flowers"',
        'north = { colour = "green", gain = "points"',
        r"level_2.tiles\[0\].arrows.north.gain = 'points'",
        "one of flowers, chips, moves",
    ),
    (
        'north = { colour = "green", gain = "flowers", amount = 1 }',
        'north = "green"',
        r"level_2.tiles\[0\].arrows.north = 'green'",
        "a table",
    ),
]


@pytest.mark.parametrize(("old", "new", "key_and_value", "allowed"), MUTATIONS)
def test_errors_name_the_file_the_key_the_value_and_what_is_allowed(
    tmp_path: Path, old: str, new: str, key_and_value: str, allowed: str
) -> None:
    path = write(tmp_path, changed(old, new))
    with pytest.raises(ComponentsError) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith(f"components {path}: ")
    key, _, value = key_and_value.partition(" = ")
    assert re.search(f"{key}: .*, got {value}" if value else key, message), message
    assert re.search(allowed, message), message
    assert "\n" not in message


def test_a_tile_has_each_colour_once() -> None:
    with pytest.raises(ComponentsError, match="colours"):
        parse(changed('id = 0, colours = ["green"]', 'id = 0, colours = ["green", "green"]'), "x")


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    missing, binary = tmp_path / "missing.toml", tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    for path in (missing, binary, tmp_path):
        with pytest.raises(ComponentsError, match="cannot be read") as caught:
            load(path)
        assert str(path) in str(caught.value)


HUGE = {
    "an integer of 5,000 digits": changed("tokens = 3", "tokens = " + "9" * 5000),
    "an integer that Python does not write": changed("tokens = 3", "tokens = 0x" + "f" * 100_000),
    "a text": changed("tokens = 3", f"tokens = '{'x' * 200_000}'"),
    "a list": changed("tokens = 3", f"tokens = [{'1,' * 100_000}]"),
    "a deep list": changed("tokens = 3", "tokens = " + "[" * 5000 + "]" * 5000),
    "a rather deep list": changed("tokens = 3", "tokens = " + "[" * 300 + "]" * 300),
    "deep tables": changed("tokens = 3", "tokens = " + "{ a = " * 5000 + "1" + "}" * 5000),
    "a dotted key": changed("tokens = 3", "tokens = 3\n" + ".".join("a" * 100_000) + " = 1"),
    "a name": changed("tokens = 3", f"tokens = 3\n{'a' * 200_000} = 1"),
    "a file": OWN_TEXT + "#" * MOST_BYTES,
}


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "components.toml"
    path.write_text(OWN_TEXT, encoding="utf-8-sig")
    assert load(path) == load()
    path.write_text(OWN_TEXT, encoding="utf-16")
    with pytest.raises(
        ComponentsError, match=r"components\.toml: cannot be read: the text is UTF-16; save it as UTF-8$"
    ):
        load(path)


@pytest.mark.parametrize("name", HUGE)
def test_huge_entries_are_refused_in_a_short_sentence(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, HUGE[name])
    with pytest.raises(ComponentsError) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith(f"components {path}: ")
    assert len(message) < 600
    assert message.isprintable()


def test_a_file_up_to_the_limit_is_read(tmp_path: Path) -> None:
    room = MOST_BYTES - len(OWN_TEXT.encode())
    assert load(write(tmp_path, OWN_TEXT + "#" * room)) == load()


def test_control_characters_of_a_file_are_escaped() -> None:
    for new in ('tokens = "\\u001b[31m\\u202e"', 'tokens = 3\n"\\u001b[31m\\u202e" = 3'):
        with pytest.raises(ComponentsError, match=r"\\x1b\[31m\\u202e") as caught:
            parse(changed("tokens = 3", new), "a\nb.toml")
        assert str(caught.value).startswith("components a\\nb.toml: start.")
        assert str(caught.value).isprintable()


@pytest.mark.parametrize("source", [5, True, 2.5, b"components.toml", ["components.toml"], {}, load])
def test_what_names_no_components_is_refused(source: Any) -> None:
    message = "expected the path of a TOML file, Components or None, got .*"
    uses = [load, lambda value: GameState.new(1, components=value), lambda value: Lanes(1, components=value)]
    for use in uses[:2] if isinstance(source, list) else uses:  # lanes take a list of files
        with pytest.raises(ComponentsError, match=f"^components: {message}$"):
            use(source)


@pytest.mark.skipif(os.name == "nt", reason="pipes with a name and devices are POSIX's")
def test_only_regular_files_are_components(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), "no\0file"):
        with pytest.raises(ComponentsError, match=r"^components .*: cannot be read: "):
            load(path)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda rules: pickle.loads(pickle.dumps(rules))])
def test_components_can_be_copied(duplicate: Callable[[Components], Components]) -> None:
    rules = parse(changed("flowers = 2\ntokens", "flowers = 5\ntokens"), "five.toml")
    twin = duplicate(rules)
    assert twin == rules
    assert twin != load()
    assert (twin.source, twin.statuses) == ("five.toml", rules.statuses)
    assert twin.record.tobytes() == rules.record.tobytes()
    assert GameState.new(1, components=twin) == GameState.new(1, components=rules)


@pytest.fixture
def cheap(tmp_path: Path) -> Path:
    """A file with free tiles of level 1 that give 5 flowers and take one step, and with more flowers at the start."""
    text = changed("level_1 = [1, 2]", "level_1 = [0, 1]")
    text = changed("flowers = 2\ntokens", "flowers = 7\ntokens", text)
    text = changed("level_1 = 2", "level_1 = 1", text)
    text = text.replace('"flowers", amount = 3', '"flowers", amount = 5')
    return write(tmp_path, text)


def first_start(state: GameState) -> None:
    """Play on until the displayed tile of level 1 has just been bought."""
    agent = RandomAgent(1)
    while True:
        starts = [a for a in state.legal_actions() if dunaia.action_text(a).startswith("start 0 ")]
        state.apply(starts[0] if starts else agent.act(state), 1)
        if starts:
            return


def test_a_users_file_changes_the_rules_of_a_state(cheap: Path) -> None:
    state = GameState.new(1, components=cheap)
    assert [player["flowers"] for player in state.to_dict()["players"]] == [7, 7]
    assert pieces_of(state.observation())["own.flowers"] == 7
    assert pieces_of(state.observation())["offer_0.price"] == 0
    assert pieces_of(GameState.new(1).observation())["offer_0.price"] == 1
    before = state.clone()
    first_start(state)
    first_start(before)
    assert state == before
    own = [square for player in state.to_dict()["players"] for square in player["squares"] if square]
    assert len(own) == 1
    assert "5 flowers" in state.game.sentence("use 0 0", with_tile_0_on_square_0(state), state.components)
    again = GameState.from_dict(state.to_dict(), components=cheap)
    assert again == state


def with_tile_0_on_square_0(state: GameState) -> dict[str, Any]:
    content = state.to_dict()
    square = {"tile": 0, "steps": 1, "built": True, "colours": [], "die": False}
    content["players"][content["seat"]]["squares"][0] = square
    return content


BY_SEAT = changed("flowers = 2\ntokens", "flowers = [1, 3, 0, 5]\ntokens")
OWN_STEPS = changed('id = 0, colours = ["green"]', 'id = 0, steps = 1, colours = ["green"]')


@pytest.mark.parametrize("players", [2, 3, 4])
def test_flowers_at_the_start_by_seat(players: int) -> None:
    rules = parse(BY_SEAT, "by_seat.toml")
    for state in (GameState.new(1, num_players=players, components=rules), lane_state(rules, players)):
        assert [player["flowers"] for player in state.to_dict()["players"]] == [1, 3, 0, 5][:players]


def lane_state(rules: Components, players: int) -> GameState:
    lanes = Lanes(1, num_players=players, components=rules)
    lanes.reset(1)
    return lanes.get_state(0)


def test_steps_of_a_tile() -> None:
    """One advance completes tile 0, where the other tiles of its level take two."""
    rules = parse(OWN_STEPS, "steps.toml")
    assert rules.record[0].steps.tolist() == [1] + [2] * 15 + [3] * 12 + [4] * 12
    assert rules.record[0].steps_needed.tolist() == [0, *rules.record[0].steps]
    state = position("AWAKEN", player(buildings={4: begun(0), 7: begun(1)}), die=4, components=rules)
    assert english.WORDS.tile(0, rules) == "level 1 green, 3 flowers, 1 step"
    assert english.WORDS.tile(1, rules) == "level 1 yellow, 3 flowers"
    shown = state.game.describe(state.to_dict(), rules)
    assert "building . " in shown
    assert "building .. " in shown
    after = play(state, "awaken 4")
    assert square(after, 0, 4) == {**built(0), "steps": 1}
    assert square(after, 0, 7) == begun(1, 1)
    with pytest.raises(dunaia.StateError, match=r"squares\[4\]: 1 steps; a built tile 0 has 1, others less"):
        position("AWAKEN", player(buildings={4: begun(0, 1)}), components=rules)


def test_what_is_left_out_or_written_as_by_default_has_one_hash() -> None:
    same = changed("flowers = 2\ntokens", "flowers = [2, 2, 2, 2]\ntokens")
    same = changed('id = 0, colours = ["green"]', 'id = 0, steps = 2, colours = ["green"]', same)
    assert parse(same, "same.toml").hash == load().hash == "a7fc2b389f9682fb"
    hashes = {parse(text, "x").hash for text in (OWN_TEXT, BY_SEAT, OWN_STEPS)}
    assert len(hashes) == 3


def test_a_users_file_changes_the_rules_of_lanes(cheap: Path) -> None:
    lanes = Lanes(3, components=cheap)
    lanes.reset(5)
    pieces = pieces_of(lanes.observations)
    assert (pieces["own.flowers"] == 7).all()
    assert (pieces["offer_0.price"] == 0).all()
    assert lanes.get_state(1) == GameState.new(6, components=cheap)
    with pytest.raises(
        ValueError, match=rf"state: expected components {lanes.components_of(0).hash}, got {load().hash}"
    ):
        lanes.set_state(0, GameState.new(1))
    lanes.set_state(0, GameState.new(1, components=cheap))


def test_a_users_file_changes_the_rules_of_an_environment(cheap: Path) -> None:
    env = dunaia_v0.raw_env(components=cheap)
    env.reset(seed=1)
    assert pieces_of(env.observe("player_0")["observation"])["own.flowers"] == 7
    with pytest.raises(ValueError, match=rf"components {load().hash}"):
        env.set_state(GameState.new(1))
    env.set_state(GameState.new(2, components=cheap))
    other = dunaia_v0.raw_env()
    other.reset(seed=1)
    assert (env.observe("player_0")["observation"] != other.observe("player_0")["observation"]).any()


def test_a_users_file_names_itself_in_replays(cheap: Path) -> None:
    rules = load(cheap)
    recorded = replay.record_game(1, [RandomAgent()], components=cheap, max_rounds=4)
    assert recorded.header["rules"] == rules.hash != load().hash
    assert replay.verify(recorded, components=rules) == len(recorded.decisions)
    with pytest.raises(replay.ReplayError, match=rf"line 1: rules = '{rules.hash}'.*{load().hash}"):
        replay.verify(recorded)


def test_states_of_two_rule_sets_differ(cheap: Path) -> None:
    own, other = GameState.new(1), GameState.new(1, components=cheap)
    same_bytes = GameState(np.frombuffer(own.to_bytes(), np.uint8), components=cheap)
    assert own != other
    assert own != same_bytes
    assert own.to_bytes() == same_bytes.to_bytes()
    with pytest.raises(dunaia.StateError, match=r"squares\[0\]: 1 steps; a built tile \d+ has 2"):
        GameState.from_dict(bought(other), components=None)


def bought(state: GameState) -> dict[str, Any]:
    """A state in which a tile of level 1 has been completed, which takes one step with the cheap file only."""
    content = state.to_dict()
    tile = content["piles"][0].pop(0)
    square = {"tile": tile, "steps": 1, "built": True, "colours": [], "die": False}
    content["players"][0]["squares"][0] = square
    content["scores"][0] += 1
    return content

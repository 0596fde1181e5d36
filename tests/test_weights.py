"""The data file of the evaluation: what is read from it, what is written, and how its faults are named."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from dunaia_env import Lanes
from dunaia_env.dunaia.weights import (
    DATA_FILE,
    FIRST_CHARACTER,
    FIRST_VALUE,
    LAST_TURNS,
    PARAMETER_COUNT,
    PARAMETERS,
    PHASES,
    SECTIONS,
    TERM_COUNT,
    TERMS,
    VALUES_OF_A_PHASE,
    load_weights,
    weights_text,
)
from dunaia_env.harness.opponents import GreedyAgent, load

TEXT = DATA_FILE.read_text(encoding="utf-8")


def numbers_of(text: str) -> list[float]:
    """Every number of a data file, from top to bottom, without a TOML parser."""
    return [float(value) for value in re.findall(r"^\w+ = (\S+)$", text, re.MULTILINE)]


def in_section(section: str, old: str, new: str) -> str:
    """The project's data file with one section changed."""
    head, mark, rest = TEXT.partition(f"[{section}]")
    changed, count = re.subn(rf"(?m)^{old}$", new, rest, count=1)
    assert mark
    assert count == 1
    return head + mark + changed


def test_the_projects_numbers_are_read_in_the_order_of_the_parameters() -> None:
    weights = load_weights()
    assert weights.dtype == np.float64
    assert weights.shape == (PARAMETER_COUNT,)
    assert weights.tolist() == numbers_of(TEXT)
    assert re.findall(r"^(\w+) = ", TEXT, re.MULTILINE) == [term.name for term in PARAMETERS]


def test_the_places_of_the_parameters_fit_the_sections() -> None:
    assert [term.name for term in PARAMETERS[:TERM_COUNT]] == [term.name for term in TERMS]
    assert [term.name for term in PARAMETERS[TERM_COUNT:FIRST_VALUE]] == [term.name for term in LAST_TURNS]
    assert FIRST_VALUE + len(PHASES) * VALUES_OF_A_PHASE == PARAMETER_COUNT
    for number, phase in enumerate(PHASES):
        first = FIRST_VALUE + number * VALUES_OF_A_PHASE
        assert PARAMETERS[first : first + VALUES_OF_A_PHASE] == SECTIONS[phase.name]
    assert [term.name for term in TERMS[FIRST_CHARACTER:]] == [
        "merchant", "trickster", "foreman", "mystic", "shepherd", "architect",
    ]  # fmt: skip


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    generator = np.random.default_rng(3)
    weights = generator.uniform(-1000, 1000, PARAMETER_COUNT).round(4)
    weights[TERM_COUNT:FIRST_VALUE] = generator.random(FIRST_VALUE - TERM_COUNT).round(4)
    path = tmp_path / "weights.toml"
    path.write_text(weights_text(weights, head="Two lines\n\nof a comment."), encoding="utf-8")
    assert path.read_text(encoding="utf-8").startswith("# Two lines\n#\n# of a comment.\n\n[weights]\npoints = ")
    np.testing.assert_array_equal(load_weights(path), weights)
    np.testing.assert_array_equal(load_weights(str(path)), weights)


def test_numbers_are_written_with_four_decimals() -> None:
    weights = np.full(PARAMETER_COUNT, 0.123456)
    assert set(numbers_of(weights_text(weights, head=""))) == {0.1235}


def test_changing_what_was_loaded_does_not_change_the_next_load() -> None:
    first = load_weights()
    kept = first.copy()
    first += 1
    np.testing.assert_array_equal(load_weights(), kept)


def test_whole_numbers_and_the_ends_of_the_ranges_are_allowed(tmp_path: Path) -> None:
    path = tmp_path / "weights.toml"
    path.write_text(
        in_section("weights", "chips = .*", "chips = -1000").replace(
            f"no_turn_left = {load_weights()[FIRST_VALUE - 1]}", "no_turn_left = 0"
        ),
        encoding="utf-8",
    )
    weights = dict(zip((term.name for term in PARAMETERS[:FIRST_VALUE]), load_weights(path), strict=False))
    assert weights["chips"] == -1000
    assert weights["no_turn_left"] == 0


BROKEN = [
    (in_section("weights", "arrows = .*", ""), "[weights] arrows is missing"),
    (in_section("one_prophecy", "always = .*", ""), "[one_prophecy] always is missing"),
    (TEXT.partition("[finished]")[0], "[finished] points is missing"),
    ("", "[weights] points is missing"),
    (f"weights = 3\n{TEXT[TEXT.index('[last_turns]') :]}", "[weights] points is missing"),
    (in_section("last_turns", "no_turn_left = .*", r"\g<0>\nbonus = 1.0"), "[last_turns] bonus is unknown"),
    (in_section("weights", "chips = .*", r"\g<0>\nalways = 1.0"), "[weights] always is unknown"),
    (f"{TEXT}\n[bonus]\npoints = 1.0\n", "expected the sections weights, last_turns, three_prophecies"),
    (f"points = 1.0\n{TEXT}", "expected the sections weights, "),
    (
        in_section("weights", "chips = .*", 'chips = "0.3"'),
        "[weights] chips: expected a number in -1000..1000, got '0.3'",
    ),
    (
        in_section("weights", "chips = .*", "chips = true"),
        "[weights] chips: expected a number in -1000..1000, got True",
    ),
    (
        in_section("weights", "chips = .*", "chips = [1.0]"),
        "[weights] chips: expected a number in -1000..1000, got [1.0]",
    ),
    (
        in_section("turn_to_come", "chips = .*", "chips = nan"),
        "[turn_to_come] chips: expected a number in -1000..1000, got nan",
    ),
    (in_section("weights", "chips = .*", "chips = inf"), "[weights] chips: expected a number in -1000..1000, got inf"),
    (
        in_section("weights", "chips = .*", "chips = -1000.1"),
        "[weights] chips: expected a number in -1000..1000, got -1000.1",
    ),
    (
        in_section("finished", "points = .*", "points = 1001"),
        "[finished] points: expected a number in -1000..1000, got 1001",
    ),
    (
        in_section("last_turns", "one_turn_left = .*", "one_turn_left = 1.01"),
        "one_turn_left: expected a number in 0..1, got 1.01",
    ),
    (
        in_section("last_turns", "no_turn_left = .*", "no_turn_left = -0.1"),
        "no_turn_left: expected a number in 0..1, got -0.1",
    ),
    ("[weights\n", "not TOML: Expected ']'"),
    (f"{TEXT}\n[finished]\n", "not TOML: Cannot declare"),
]


@pytest.mark.parametrize(
    ("text", "message"),
    BROKEN,
    ids=[message for _, message in BROKEN],
)
def test_a_broken_file_is_refused_naming_file_section_and_name(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "weights.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        load_weights(path)
    assert str(caught.value).startswith(f"{path}: ")
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        load(f"greedy:weights={path}")
    assert str(caught.value).startswith(f"agent 'greedy:weights={path}': {path}: ")


@pytest.mark.parametrize("content", [None, b"\xff\xfe", "folder"], ids=["missing", "no UTF-8", "folder"])
def test_what_is_no_readable_file_is_refused(tmp_path: Path, content: bytes | str | None) -> None:
    path = tmp_path / "weights.toml"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content == "folder":
        path.mkdir()
    with pytest.raises(ValueError, match="cannot be read: ") as caught:
        load_weights(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_a_file_that_was_refused_is_read_again_once_it_is_mended(tmp_path: Path) -> None:
    path = tmp_path / "weights.toml"
    path.write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match="points is missing"):
        load_weights(path)
    path.write_text(TEXT, encoding="utf-8")
    np.testing.assert_array_equal(load_weights(path), load_weights())


@pytest.mark.compiled
def test_greedy_takes_a_data_file(tmp_path: Path) -> None:
    weights = load_weights()
    weights[:TERM_COUNT] *= -1
    path = tmp_path / "weights.toml"
    path.write_text(weights_text(weights, head="Everything the other way round."), encoding="utf-8")
    lanes = Lanes(20, num_players=3)
    lanes.reset(1)
    for _ in range(30):
        lanes.step(lanes.random_actions(0))
    selected = np.arange(20)
    given = load(f"greedy:weights={path}").act_batch(lanes, selected)
    assert given.tolist() == GreedyAgent(weights).act_batch(lanes, selected).tolist()
    assert given.tolist() == load(f"greedy:{path}").act_batch(lanes, selected).tolist()
    assert given.tolist() != load("greedy").act_batch(lanes, selected).tolist()
    assert load("greedy").act_batch(lanes, selected).tolist() == GreedyAgent().act_batch(lanes, selected).tolist()


@pytest.mark.parametrize("shape", [(TERM_COUNT,), (PARAMETER_COUNT, 1), ()])
def test_greedy_refuses_weights_of_another_shape(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=re.escape(f"weights: expected shape ({PARAMETER_COUNT},), got {shape}")):
        GreedyAgent(np.zeros(shape))

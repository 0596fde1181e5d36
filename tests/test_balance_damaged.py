"""Damaged study folders: each fault is one sentence that names the file and the field, and nothing is judged."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dunaia_env.balance import games as stored_games
from dunaia_env.balance.games import FORMAT, Games, read_games, write_games, wrong_ranks
from dunaia_env.balance.plans import PLAN_FILE, StudyOptions, make_plan
from dunaia_env.balance.questions.screening import read_robustness
from dunaia_env.balance.study import Study, read_study, run_study
from dunaia_env.balance.validation import read_validation
from dunaia_env.harness.registry import DEFAULT_GAME, find_game
from dunaia_env.support.array_files import Arrays, read_arrays, write_arrays
from tests.balance_games import games_of

pytestmark = pytest.mark.once

ASSIGNED = "assigned-2-random"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    plan = make_plan(
        StudyOptions(strengths=("random",), players=(2,), pilot=2, precision=0.5, game_options={"max_rounds": 4})
    )
    run_study(folder, plan, jobs=1)
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return shutil.copytree(whole, tmp_path / "study")


def games_file(folder: Path, condition: str = ASSIGNED) -> Path:
    return min(path for path in (folder / "games").iterdir() if read_games(path)[1]["condition"] == condition)


def refusal(folder: Path) -> str:
    with pytest.raises(ValueError, match=r"study\.json|\.safetensors") as caught:
        read_study(folder)
    text = str(caught.value)
    assert text.isprintable()
    assert len(text) < 800
    return text.removeprefix(str(folder))


def same(one: Study, other: Study) -> bool:
    return all(
        np.array_equal(getattr(games, field.name), getattr(other.games[name], field.name))
        for name, games in one.games.items()
        for field in fields(Games)
    )


def test_every_flipped_bit_of_the_games_is_found(folder: Path) -> None:
    path = games_file(folder)
    content = path.read_bytes()
    for place in np.linspace(0, len(content) - 1, 60).astype(int).tolist():
        for bit in (0, 5):
            damaged = bytearray(content)
            damaged[place] ^= 1 << bit
            path.write_bytes(damaged)
            assert path.name in refusal(folder), place
    path.write_bytes(content[:-1])
    assert "damaged" in refusal(folder)


def test_games_without_a_checksum_are_those_of_the_first_schema(whole: Path, folder: Path) -> None:
    for path in (folder / "games").iterdir():
        arrays, header = read_arrays(path, kind=FORMAT, schema=2)
        del header["checksum"]
        write_arrays(path, arrays, header)
        with pytest.raises(ValueError, match="damaged: what it holds and its checksum differ"):
            read_games(path)
        write_arrays(path, arrays, header | {"schema": 1})
    assert same(read_study(folder), read_study(whole))


def set_to(name: str, place: Any, value: Any) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        arrays[name][place] = value

    return change


def replaced(name: str, make: Callable[[Any], Any]) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        arrays[name] = np.asarray(make(arrays[name]))

    return change


def shortened(arrays: Arrays) -> None:
    for name in arrays:
        arrays[name] = arrays[name][:-1]


def swapped(arrays: Arrays) -> None:
    for name in arrays:
        arrays[name] = arrays[name][::-1]


GAMES: list[tuple[str, Callable[[Arrays], None], str]] = [
    (
        "another type",
        replaced("scores", lambda array: array.astype(np.int64)),
        "scores: expected int32 of 2, got int64 of 2 dimensions",
    ),
    (
        "another rank",
        replaced("scores", lambda array: array[0]),
        "scores: expected int32 of 2, got int32 of 1",
    ),
    ("too few games", replaced("rounds", lambda array: array[1:]), "rounds: expected (12,), as elsewhere, got shape"),
    (
        "too many seats",
        replaced("uses", lambda array: np.repeat(array, 2, axis=1)),
        "uses: expected (12, 2), as elsewhere, got shape",
    ),
    (
        "too few rounds",
        replaced("curve", lambda array: array[:, 1:]),
        "curve: expected (12, 60, 2), as elsewhere, got shape",
    ),
    (
        "other events",
        replaced("first_seat", lambda array: array[:, 1:]),
        "first_seat: expected (12, 13), as elsewhere, got shape",
    ),
    ("a rank against the scores", set_to("ranks", 0, [1, 1]), "ranks: [1, 1] of game 0 contradict its scores [0, 9]"),
    ("no winner", set_to("ranks", 0, [2, 2]), "ranks: [2, 2] of game 0 are no ranks"),
    ("a negative block", set_to("block", 0, -1), "block: expected at least 0, got -1"),
    ("another block", set_to("block", -1, 9), "block: not the numbers of the blocks 0 to 1"),
    ("another order", set_to("order", 0, 3), "order: not the numbers of the blocks 0 to 1"),
    ("a game too few", shortened, "block: expected the games of the blocks 0 to 1, got 11 games"),
    ("games in another order", swapped, "block: not the numbers of the blocks"),
    ("a role of nobody's", set_to("roles", (0, 0), 5), "roles: not those that the design assigns"),
    ("a role below nobody", set_to("roles", (0, 0), -2), "roles: expected at least -1, got -2"),
    (
        "a seat that is not there",
        set_to("first_seat", (0, 0), 2),
        "first_seat: expected -1..1, got another",
    ),
    ("an event that nobody began", set_to("events", (0, 0, 0), 300), "first_round: contradicts"),
    ("negative rounds", set_to("rounds", 0, -3), "rounds: expected at least 0, got -3"),
]


@pytest.mark.parametrize(("change", "message"), [row[1:] for row in GAMES], ids=[row[0] for row in GAMES])
def test_games_that_cannot_be_are_refused(folder: Path, change: Callable[[Arrays], None], message: str) -> None:
    path = games_file(folder)
    arrays, header = read_arrays(path, kind=FORMAT, schema=2)
    arrays = {name: array.copy() for name, array in arrays.items()}
    arrays["scores"][0], arrays["ranks"][0] = [0, 9], [2, 1]
    for name in ("events", "first_round"):
        arrays[name][0] = 0
    arrays["first_seat"][0] = -1
    change(arrays)
    write_games(path, Games(**arrays), {name: header[name] for name in ("condition", "first", "last")})
    assert f"{path.name}: {message}" in refusal(folder)


HEADERS: list[tuple[dict[str, Any], str]] = [
    ({"condition": "drafted-2-random"}, "block: expected the games of the blocks 0 to 1, got 12 games"),
    ({"condition": ["assigned"]}, "expected a condition of the study, got ['assigned']"),
    ({"first": -1}, "first and last: expected the blocks that it holds, got -1 and 2"),
    ({"first": True}, "first and last: expected the blocks that it holds, got True and 2"),
    ({"last": 10**30}, "block: expected the games of the blocks 0 to"),
    ({"last": None}, "first and last: expected the blocks that it holds, got 0 and None"),
    ({"first": 2, "last": 4}, "block: not the numbers of the blocks 2 to 3"),
    ({"seconds": "long"}, "seconds: expected the computing time, got 'long'"),
    ({"seconds": float("nan")}, "seconds: expected the computing time, got nan"),
]


@pytest.mark.parametrize(("change", "message"), HEADERS)
def test_headers_that_cannot_be_are_refused(folder: Path, change: dict[str, Any], message: str) -> None:
    path = games_file(folder)
    games, _ = read_games(path)
    write_games(path, games, {"condition": ASSIGNED, "first": 0, "last": 2} | change)
    assert f"{path.name}: {message}" in refusal(folder)


PLANS: list[tuple[dict[str, Any], str]] = [
    ({"strengths": []}, "strengths: expected at least one agent, got none"),
    ({"strengths": ["random", "random"]}, "strengths: expected each agent once, got random twice"),
    ({"players": []}, "players: expected at least one number of players, got none"),
    ({"players": [17]}, "num_players"),
    ({"precision": 0}, "precision: expected a share above 0 and below 1, got 0.0"),
    ({"tolerance": -3}, "tolerance: expected a share above 0 and below 1, got -3.0"),
    ({"pilot": 1}, "pilot: expected at least 2 blocks, got 1"),
    ({"pilot": 10**9}, "pilot: 1000000000; at most 50000"),
    ({"seed": -1}, "seed"),
    ({"versions": {}}, "versions: that of 'random' is missing"),
    ({"opponent": "random"}, "opponent: 'random', but no specialists"),
    ({"specialists": ["nobody=random"], "opponent": "random"}, "specialists: expected role=agent with one of "),
    ({"specialists": ["mystic=random"]}, "opponent: expected one of random, got ''"),
    ({"derived": {"greedy": "random"}}, "derived: expected one of random, got 'greedy'"),
    ({"most_blocks": {"random": 1}}, "most_blocks: expected at least 2 blocks, got random=1"),
    ({"tables": {"random": [2]}}, "tables: 'random' is a strength"),
    ({"options": {"max_rounds": 100}}, "options: expected {}, got {'max_rounds': 100}"),
    ({"options": {"max_rounds": "many"}}, "options"),
    ({"options": {"wheels": 4}}, "options"),
    ({"options": {"num_players": 3}}, "num_players: 3"),
    ({"version": 1, "strengths": None}, "strengths"),
    ({"version": 1, "specialists": ["mystic=random"], "strengths": []}, "strengths"),
]


@pytest.mark.parametrize(("change", "message"), PLANS)
def test_plans_that_cannot_be_are_refused(folder: Path, change: dict[str, Any], message: str) -> None:
    content = json.loads((folder / PLAN_FILE).read_text())
    (folder / PLAN_FILE).write_text(json.dumps(content | change))
    assert refusal(folder).startswith(f"/{PLAN_FILE}: not the plan of a study: {message}")


def test_every_value_of_a_plan_is_taken_or_refused_in_a_sentence(folder: Path) -> None:
    path = folder / PLAN_FILE
    content = json.loads(path.read_text())
    refused = []
    for name in content:
        for value in (None, True, -1, 0, 2**63, 2.5, "", "x" * 10**6, [], [[]], ["x"], {}, {"x": {}}, [None] * 3):
            path.write_text(json.dumps(content | {name: value}))
            try:
                read_study(folder)
            except ValueError as error:
                refused.append(str(error))
    assert len(refused) > 200
    assert all(text.startswith(str(path)) and text.isprintable() and len(text) < 800 for text in refused)


def test_robustness_has_a_number_for_every_subject_and_value(tmp_path: Path) -> None:
    roles = DEFAULT_GAME.require("roles")
    subjects = [f"assigned:{name}" for name in roles.names]
    plan = {"game": "dunaia", "agent": "greedy", "players": 2, "kinds": ["assigned"], "blocks": 2, "seed": 0}
    row = {"name": "x", "hash": "x", "effects": [0.0] * 6, "errors": [1.0] * 6, "values": []}
    for name, numbers in (("effects", [0.0]), ("errors", [None] * 7), ("values", [1.0])):
        content = {
            "format": "dunaia-balance-robustness",
            "version": 2,
            "plan": plan | {"options": {}, "family": "plausible"},
            "subjects": subjects,
            "correlations": [0.05] * 6,
            "paths": [],
            "files": [row, row | {name: numbers}],
        }
        (tmp_path / "robustness.json").write_text(json.dumps(content))
        with pytest.raises(
            ValueError, match=rf"robustness\.json: files\[1\]\.{name}: expected \d numbers, got {len(numbers)}"
        ):
            read_robustness([tmp_path], roles, 0.03)
    content |= {"files": [row, row], "correlations": [0.05]}
    (tmp_path / "robustness.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match=r"robustness\.json: correlations: expected 6 numbers, got 1"):
        read_robustness([tmp_path], roles, 0.03)


def test_a_missing_or_damaged_validation_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"validation\.json: cannot be read"):
        read_validation(tmp_path / "validation.json")
    (tmp_path / "validation.json").write_text("{}")
    with pytest.raises(ValueError, match=r"validation\.json: \w+: missing"):
        read_validation(tmp_path / "validation.json")


def test_in_a_game_that_names_its_winners_ranks_need_not_follow_scores() -> None:
    games = games_of([[3, 1], [0, 1]], ranks=[[1, 1], [1, 2]])
    assert not find_game("dune").scores_decide
    assert DEFAULT_GAME.scores_decide
    assert list(wrong_ranks(games, scores_decide=False)) == []
    assert list(wrong_ranks(games, scores_decide=True)) == ["ranks: [1, 1] of game 0 contradict its scores [3, 1]"]
    wrong = games_of([[3, 1]], ranks=[[1, 3]])
    assert list(wrong_ranks(wrong, scores_decide=False)) == ["ranks: [1, 3] of game 0 are no ranks"]


def test_the_layout_names_every_array() -> None:
    assert list(stored_games._LAYOUT) == [field.name for field in fields(Games)]

"""What stays until the next major version stays, and what programs are shown is part of it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspiel")  # the reference describes what runs in OpenSpiel

from docs import promise
from tests.test_docs import python_blocks

pytestmark = [pytest.mark.once, pytest.mark.compiled]


@pytest.fixture(scope="module")
def current() -> dict[str, Any]:
    return promise.promise()


def test_nothing_that_was_promised_is_broken(current: dict[str, Any]) -> None:
    assert promise.broken(promise.read(), current) == []


def test_the_list_has_everything_that_is_public(current: dict[str, Any]) -> None:
    assert promise.read() == current, "run python -m docs.generate"
    assert promise.FILE.read_text(encoding="utf-8") == promise.to_text(current)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["seed"], ["seed", "players=2"]),
        (["seed"], ["seed=0"]),
        (["seed", "*", "players=2"], ["seed", "*", "elites=False", "players=2"]),
        (["*", "players=2", "elites=False"], ["*", "elites=False", "players=2"]),
        (["seed", "*", "players=2"], ["seed", "players=2"]),
        (["seed"], ["seed", "**options"]),
    ],
)
def test_additions_break_nothing(before: list[str], after: list[str]) -> None:
    assert promise.broken_arguments(before, after) == []


@pytest.mark.parametrize(
    ("before", "after", "fault"),
    [
        (["seed", "players"], ["seed"], "argument players is missing"),
        (["seed"], ["start"], "argument seed is missing"),
        (["seed", "players"], ["players", "seed"], "order of arguments: expected seed, players, got players, seed"),
        (["seed"], ["first=1", "seed"], "order of arguments: expected seed, got first, seed"),
        (["seed"], ["*", "seed"], "order of arguments: expected seed, got "),
        (["seed=0"], ["seed=1"], "default of seed: expected 0, got 1"),
        (["seed=0"], ["seed"], "default of seed: expected 0, got None"),
        (["seed"], ["seed", "players"], "new argument players has no default"),
        (["seed", "**options"], ["seed"], "argument **options is missing"),
    ],
)
def test_what_breaks_calls_is_named(before: list[str], after: list[str], fault: str) -> None:
    assert fault in promise.broken_arguments(before, after)


def without_a_name(content: dict[str, Any]) -> None:
    del content["names"]["dunaia_env.GameState.apply"]


def without_an_option(content: dict[str, Any]) -> None:
    content["commands"]["dunaia match"].remove("seed=0")


def with_another_observation(content: dict[str, Any]) -> None:
    content["environments"]["dune_v0"]["observation_hash"] = "0"


def with_another_game(content: dict[str, Any]) -> None:
    content["environments"]["dunaia_v0"]["games"]["num_players=2 elites=True"] = "0"


def without_an_id(content: dict[str, Any]) -> None:
    content["environments"]["dunaia_v0"]["gymnasium"].remove("dunaia/DunaiaSelfPlay-v0")


def with_another_default(content: dict[str, Any]) -> None:
    content["environments"]["dune_v0"]["presets"]["duel"]["max_turns"] = "11"


def with_a_version_that_reads_no_older_one(content: dict[str, Any]) -> None:
    content["formats"]["replay"] |= {"version": 2, "reads": [2]}


def with_another_name_of_a_format(content: dict[str, Any]) -> None:
    content["formats"]["player"]["format"] = "network"


CHANGES: dict[Callable[[dict[str, Any]], None], str] = {
    without_a_name: "dunaia_env.GameState.apply is missing",
    without_an_option: "dunaia match: argument seed is missing",
    with_another_observation: "dune_v0: observation_hash: expected 56e9ea6e4d8ab7cd, got 0",
    with_another_game: "dunaia_v0: games: num_players=2 elites=True: expected 2eccfdc342ae7dc9, got 0",
    without_an_id: "dunaia_v0: gymnasium: dunaia/DunaiaSelfPlay-v0 is missing",
    with_another_default: "dune_v0: presets: duel: max_turns: expected 10, got 11",
    with_a_version_that_reads_no_older_one: "dunaia-replay: version 1 is not read",
    with_another_name_of_a_format: "format of player: expected dunaia-network, got network",
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_broken_promise_is_named_and_not_written(
    change: Callable[[dict[str, Any]], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = promise.read()
    after = copy.deepcopy(before)
    change(after)
    assert promise.broken(before, after) == [CHANGES[change]]

    file = tmp_path / "promise.json"
    file.write_text(promise.to_text(before), encoding="utf-8")
    monkeypatch.setattr(promise, "FILE", file)
    monkeypatch.setattr(promise, "promise", lambda: after)
    with pytest.raises(promise.BrokenError, match=r"expected additions only until 2\.0, got"):
        promise.write()
    assert promise.read() == before
    after["until"] = "3.0"
    promise.write()
    assert promise.read() == after


def test_a_format_may_get_a_version_that_reads_the_older_ones() -> None:
    before = promise.read()
    after = copy.deepcopy(before)
    after["formats"]["replay"] |= {"version": 2, "reads": [1, 2]}
    assert promise.broken(before, after) == []


# Modules that pages show for what they are about: the insides of a game, of the trainer or of the benchmark.
SHOWN_ONLY = ("dunaia_env.dunaia.", "dunaia_env.harness.registry", "training.benchmark.")


@pytest.mark.parametrize(("name", "code"), python_blocks(), ids=[name for name, _ in python_blocks()])
def test_pages_show_promised_names(name: str, code: str) -> None:
    promised = promise.read()["names"]
    modules = {
        ".".join(words[:length])
        for words in (entry.split(".") for entry in promised)
        for length in range(1, len(words))
    } | {"dunaia_env.dunaia", "dunaia_env.harness.opponents", "dunaia_env.harness.compiled.advantages"}
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, ast.ImportFrom) or (node.module or "").split(".")[0] not in promise.OWN:
            continue
        for one in node.names:
            whole = f"{node.module}.{one.name}"
            assert (
                whole in promised or whole in modules or node.module == "dunaia_env" or whole.startswith(SHOWN_ONLY)
            ), f"{name}: {whole} is shown, but not promised"

"""Training in several processes: the same as in one, but for rounding."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tests.clocks import HANGS  # noqa: E402
from training.running.checkpoint import FILE, load  # noqa: E402
from training.running.parallel import Group  # noqa: E402

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parent.parent
OPTIONS: dict[str, Any] = {
    "game": "tests.toy_game",
    "game_options": {"hand": 8},
    "lanes": 32,
    "steps": 16,
    "layers": 1,
    "width": 32,
    "minibatches": 2,
    "players": (2, 3),
    "past_share": 0.25,
    "past_updates": 2,
    "score_weight": 0.1,
    "decisions": 8192,
    "device": "cpu",
    "threads": 1,
    "engine_threads": 1,
    "precision": "fp32",
    "compile": "off",
}


def train(
    folder: Path, processes: int, updates: int, *, resume: bool = False, **changes: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    launch = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    command = [
        sys.executable,
        *(launch if processes > 1 else []),
        *(["tests/train_in_processes.py"] if processes > 1 else ["-m", "tests.train_in_processes"]),
        *(str(folder), str(updates), "resume" if resume else "begin", json.dumps(OPTIONS | changes)),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    folder.mkdir(exist_ok=True)
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=HANGS)
    assert done.returncode == 0, done.stderr
    return load(folder / FILE)


def assert_alike(one: tuple[dict[str, Any], dict[str, Any]], other: tuple[dict[str, Any], dict[str, Any]]) -> None:
    assert one[1]["counters"] == {**other[1]["counters"], "seconds": one[1]["counters"]["seconds"]}
    assert one[1]["random"] == other[1]["random"]
    for name, array in one[0]["network"].items():
        np.testing.assert_allclose(other[0]["network"][name], array, rtol=0, atol=2e-5)
    for group in ("lanes", "carried", "past"):
        assert one[0].get(group, {}).keys() == other[0].get(group, {}).keys()
        for name, array in one[0].get(group, {}).items():
            np.testing.assert_allclose(other[0][group][name], array, rtol=0, atol=2e-5)


@pytest.mark.long
def test_two_processes_train_what_one_trains_and_either_goes_on_with_the_others_checkpoint(tmp_path: Path) -> None:
    one = train(tmp_path / "one", 1, 3)
    two = train(tmp_path / "two", 2, 3)
    assert_alike(one, two)
    begun = train(tmp_path / "begun", 1, 1)
    assert begun[1]["counters"]["updates"] == 1
    assert any(np.abs(begun[0]["network"][name] - array).max() > 1e-3 for name, array in one[0]["network"].items())
    assert_alike(one, train(tmp_path / "begun", 2, 2, resume=True))


@pytest.mark.long
def test_two_processes_learn_from_the_same_share_of_the_certain_decisions(tmp_path: Path) -> None:
    # Learning so fast makes the policy certain soon.
    fast = {"certain_share": 0.5, "learning_rate": 0.03, "past_share": 0.0}
    one = train(tmp_path / "one", 1, 4, **fast)
    assert_alike(one, train(tmp_path / "two", 2, 4, **fast))
    everything = train(tmp_path / "all", 1, 4, **{**fast, "certain_share": 1.0})
    assert one[1]["random"] != everything[1]["random"]


@pytest.mark.long
def test_a_process_without_rows_in_a_minibatch_adds_nothing(tmp_path: Path) -> None:
    # Minibatches of one decision: it belongs to one of the processes.
    few = {"lanes": 2, "steps": 8, "minibatches": 2, "past_share": 0.0, "players": (2,)}
    assert_alike(train(tmp_path / "one", 1, 3, **few), train(tmp_path / "two", 2, 3, **few))


@pytest.mark.long
def test_what_fails_in_one_process_fails_in_all_with_the_same_words(tmp_path: Path) -> None:
    train(tmp_path, 1, 1)
    (tmp_path / FILE).write_bytes((tmp_path / FILE).read_bytes() + b"more")
    with pytest.raises(AssertionError) as failed:
        train(tmp_path, 2, 1, resume=True)
    assert str(failed.value).count("CheckpointError: ") >= 2 or str(failed.value).count("ArrayFileError: ") >= 2
    assert "Connection closed" not in str(failed.value)


def test_a_process_alone_has_everything() -> None:
    group = Group()
    assert group.is_first
    assert group.shard(7) == slice(0, 7)
    assert group.sum([1, 2.5]).tolist() == [1, 2.5]
    assert group.broadcast("x") == "x"
    assert group.gather(np.arange(3), 0).tolist() == [0, 1, 2]


def test_a_process_whose_parent_ended_before_it_asked_is_abandoned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert not Group().is_abandoned()
    monkeypatch.setenv("DUNAIA_PARENT", str(os.getppid()))
    assert not Group().is_abandoned()
    monkeypatch.setenv("DUNAIA_PARENT", str(os.getpid()))  # a process that is not the parent
    assert Group().is_abandoned()


def test_lanes_are_shared_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "3")
    monkeypatch.setenv("RANK", "1")
    group = Group()
    assert group.shard(12) == slice(4, 8)
    assert not group.is_first
    with pytest.raises(ValueError, match="lanes: expected a multiple of the 3 processes, got 10"):
        group.shard(10)

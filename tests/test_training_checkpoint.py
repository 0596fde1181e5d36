"""Checkpoints: whole or absent, and never taken for what they are not."""

from __future__ import annotations

import os
import pickle
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dunaia_env.support import machine
from dunaia_env.support.array_files import write_arrays
from training.running import checkpoint
from training.running.checkpoint import CheckpointError

pytestmark = pytest.mark.once

GROUPS = {
    "network": {"hidden.0.weight": np.arange(6, dtype=np.float32).reshape(2, 3)},
    "optimizer": {"0.step": np.array(7.0, np.float32), "0.exp_avg": np.ones((2, 3), np.float32)},
    "lanes": {"states": np.arange(10, dtype=np.uint8).reshape(2, 5)[:, ::2]},
}
HEADER: dict[str, Any] = {
    "action_hash": "a",
    "observation_hash": "o",
    "components_hash": "c",
    "random": np.random.default_rng(3).bit_generator.state,
}
HASHES = {"action_hash": "a", "observation_hash": "o", "components_hash": "c"}


def test_round_trip(tmp_path: Path) -> None:
    checkpoint.save(tmp_path / "x", GROUPS, HEADER)
    groups, header = checkpoint.load(tmp_path / "x", HASHES)
    assert groups.keys() == GROUPS.keys()
    for group, arrays in GROUPS.items():
        for name, array in arrays.items():
            np.testing.assert_array_equal(groups[group][name], array)
            assert groups[group][name].dtype == array.dtype
            assert groups[group][name].shape == array.shape
    random = np.random.default_rng(0)
    random.bit_generator.state = header["random"]
    assert random.random() == np.random.default_rng(3).random()


def test_a_crash_while_writing_leaves_the_former_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint.save(tmp_path / "x", GROUPS, HEADER)
    before = (tmp_path / "x").read_bytes()

    def crash(*_: Any) -> None:
        raise OSError("disk full")

    for name in ("replace", "fsync"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, crash)
            with pytest.raises(OSError, match="disk full"):
                checkpoint.save(tmp_path / "x", {"network": {}}, {})
    assert (tmp_path / "x").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize("part", [0.0, 0.001, 0.3, 0.99])
def test_a_truncated_file(tmp_path: Path, part: float) -> None:
    checkpoint.save(tmp_path / "x", GROUPS, HEADER)
    content = (tmp_path / "x").read_bytes()
    (tmp_path / "x").write_bytes(content[: int(part * len(content))])
    with pytest.raises(CheckpointError, match="x: damaged, or not a file of this project"):
        checkpoint.load(tmp_path / "x")


def test_a_pickle_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(pickle.dumps({"network": 1}))
    with pytest.raises(CheckpointError, match="damaged"):
        checkpoint.load(tmp_path / "x")


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="nothing: cannot be read: No such file or directory"):
        checkpoint.load(tmp_path / "nothing")


def test_other_hashes_are_named_in_one_error(tmp_path: Path) -> None:
    checkpoint.save(tmp_path / "x", GROUPS, HEADER)
    with pytest.raises(CheckpointError, match="action_hash 'a' \\(here 'b'\\), components_hash 'c' \\(here 'd'\\)"):
        checkpoint.load(tmp_path / "x", {**HASHES, "action_hash": "b", "components_hash": "d"})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": 5}, "schema 5; this version reads 4..4, expected a newer one"),
        ({"schema": 3}, "schema 3; this version reads 4..4, expected an older one"),
        ({"schema": "one"}, "damaged"),
        ({"format": "dunaia-network"}, "expected format 'dunaia-checkpoint', got 'dunaia-network'"),
    ],
)
def test_a_header_of_another_kind(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    header = {"format": checkpoint.CHECKPOINT_FORMAT, "schema": checkpoint.CHECKPOINT_SCHEMA, **change}
    write_arrays(tmp_path / "x", {"network/a": np.zeros(1)}, header)
    with pytest.raises(CheckpointError, match=message):
        checkpoint.load(tmp_path / "x")


def test_the_newest_run(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="start one without --resume"):
        checkpoint.newest_run(tmp_path)
    for age, name in enumerate(["b", "a", "c"]):
        checkpoint.save(tmp_path / name / checkpoint.FILE, GROUPS, HEADER)
        os.utime(tmp_path / name / checkpoint.FILE, (1000 - age, 1000 - age))
    assert checkpoint.newest_run(tmp_path).name == "b"


def test_signals_are_noted_and_given_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with checkpoint.StopRequest() as stop:
        assert stop.name is None
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.name == "SIGINT"
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) == before


def test_versions_and_commit() -> None:
    assert {"python", "numpy"} <= machine.library_versions().keys()
    commit = machine.git_commit()
    assert commit is None or len(commit.removesuffix("+changes")) == 40

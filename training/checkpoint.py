"""Stopping and going on: everything a training run needs, in one safetensors file with a JSON header.

A checkpoint is written beside its place and renamed, so a run killed at any moment leaves the former one whole. One
process at a time works on a run (`alone`).
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.compiled.lane import LANE_HASH
from dunaia_env.support import atomic
from dunaia_env.support.array_files import ArrayFileError, Arrays, check_hashes, read_arrays, write_arrays
from dunaia_env.support.locking import FolderInUseError, locked

# In the folder of a run: the checkpoint, the player, the results of its final matches.
FILE, MODEL_FILE, RESULTS_FILE = "checkpoint.safetensors", "model.safetensors", "results.json"
CHECKPOINT_FORMAT = "dunaia-checkpoint"
CHECKPOINT_SCHEMA = 3
OLDEST_SCHEMA = 3
MOST_BYTES = 2**36
CheckpointError = ArrayFileError


def game_hashes(lanes: Any) -> dict[str, str]:
    """The hashes that say for which game, rule set and observation weights are good."""
    return {
        "action_hash": lanes.game.action_hash,
        "observation_hash": lanes.game.observation_hash,
        "components_hash": lanes.components.hash,
    }


def state_hashes(lanes: Any) -> dict[str, str]:
    """`game_hashes`, and those that say what the bytes of kept games mean."""
    return game_hashes(lanes) | {"state_hash": lanes.game.state_hash, "lane_hash": LANE_HASH}


def flatten(tree: Mapping[str, Mapping[str, NDArray[Any]]]) -> Arrays:
    """Named groups of arrays as one dictionary with names ``group/name``."""
    return {f"{group}/{name}": np.asarray(array) for group, arrays in tree.items() for name, array in arrays.items()}


def unflatten(arrays: Mapping[str, NDArray[Any]]) -> dict[str, Arrays]:
    """The inverse of `flatten`."""
    tree: dict[str, Arrays] = {}
    for name, array in arrays.items():
        group, _, rest = name.partition("/")
        tree.setdefault(group, {})[rest] = array
    return tree


def save(
    path: str | os.PathLike[str], groups: Mapping[str, Mapping[str, NDArray[Any]]], header: Mapping[str, Any]
) -> None:
    """Write a checkpoint.

    Args:
        path: the file.
        groups: arrays by group and name.
        header: what JSON can hold: arguments, counters, random streams, hashes.
    """
    arrays = flatten(groups)
    content = {**header, "format": CHECKPOINT_FORMAT, "schema": CHECKPOINT_SCHEMA}
    write_arrays(path, arrays, content | {"checksum": _checksum(arrays, content)})


def _checksum(arrays: Arrays, header: Mapping[str, Any]) -> str:
    """Names all that a checkpoint holds: a part of it that changed on the disk would not be seen in training."""
    kept = {name: value for name, value in header.items() if name != "checksum"}
    # As it is read again: with lists for tuples.
    content = hashlib.sha256(json.dumps(json.loads(json.dumps(kept)), sort_keys=True).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        content.update(json.dumps([name, array.dtype.str, arrays[name].shape]).encode())
        content.update(array.data if array.size else b"")
    return content.hexdigest()


def load(
    path: str | os.PathLike[str], hashes: Mapping[str, str] | None = None
) -> tuple[dict[str, Arrays], dict[str, Any]]:
    """The groups of arrays and the header of a checkpoint.

    Args:
        path: the file.
        hashes: what `state_hashes` gives here; not compared for None.

    Raises `CheckpointError` for a file that is damaged, of another schema or of another game.
    """
    arrays, header = read_arrays(
        path, kind=CHECKPOINT_FORMAT, schema=CHECKPOINT_SCHEMA, oldest=OLDEST_SCHEMA, most_bytes=MOST_BYTES
    )
    if header.get("checksum") != _checksum(arrays, header):
        raise CheckpointError(f"{path}: damaged: what it holds and its checksum differ")
    if hashes is not None:
        check_hashes(path, header, hashes)
    return unflatten(arrays), header


def newest_run(runs: Path) -> Path:
    """The folder in ``runs`` whose checkpoint was written last; raises `CheckpointError` if none has one."""
    files = sorted(runs.glob(f"*/{FILE}"), key=lambda file: file.stat().st_mtime)
    if not files:
        raise CheckpointError(f"{runs}: holds no run with a {FILE}; begin one without --resume")
    return files[-1].parent


@contextmanager
def alone(folder: Path, files: Iterable[str] = (FILE, MODEL_FILE, RESULTS_FILE)) -> Iterator[None]:
    """Keep other processes from working on a run for as long as this one does; the lock ends with the process.

    Args:
        folder: of the run; made if it is missing.
        files: in the folder. What a killed process was writing of them is removed.

    Raises `CheckpointError` if another process works on the run.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with locked(folder):
            for name in files:
                atomic.remove_leftovers(folder / name)
            yield
    except FolderInUseError:
        raise CheckpointError(f"{folder}: another process works on this run; wait until it has ended") from None


class StopRequest:
    """Notes Ctrl-C and SIGTERM, so that a run stops where its state is whole. A second Ctrl-C stops at once.

    Attributes:
        name: of the signal; None as long as there was none.
    """

    def __init__(self) -> None:
        self.name: str | None = None

    def __enter__(self) -> StopRequest:
        """Take over both signals."""
        self._before = {number: signal.signal(number, self._note) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def _note(self, number: int, frame: object) -> None:
        self.name = signal.Signals(number).name
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def __exit__(self, *error: object) -> None:
        """Give both back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

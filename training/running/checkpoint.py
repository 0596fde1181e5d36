"""Checkpoints: everything that a run needs to continue, in one safetensors file with a JSON header.

A checkpoint is written to a temporary file and renamed, so a run that is killed at any moment leaves the previous
checkpoint intact. Only one process at a time works on a run (`lock_run`).
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.compiled.lane import LANE_HASH
from dunaia_env.harness.game import Game
from dunaia_env.support import atomic
from dunaia_env.support.array_files import (
    CHECKSUM,
    ArrayFileError,
    Arrays,
    check_checksum,
    check_hashes,
    checksum_of,
    read_arrays,
    write_arrays,
)
from dunaia_env.support.locking import FolderInUseError, locked
from dunaia_env.support.system import STOP_SIGNALS

# Files in the folder of a run: the checkpoint, the trained player, and the results of the final matches.
FILE, MODEL_FILE, RESULTS_FILE = "checkpoint.safetensors", "model.safetensors", "results.json"
CHECKPOINT_FORMAT = "dunaia-checkpoint"
CHECKPOINT_SCHEMA = 4
OLDEST_SCHEMA = 4
MOST_BYTES = 2**36
CheckpointError = ArrayFileError


def game_hashes(game: Game, components: Any) -> dict[str, str]:
    """The hashes of the actions, the observation and the component file that weights belong to."""
    return {
        "action_hash": game.action_hash,
        "observation_hash": game.observation_hash,
        "components_hash": game.load(components).hash,
    }


def state_hashes(game: Game, components: Any) -> dict[str, str]:
    """`game_hashes`, and the hashes of the layout of saved games."""
    return game_hashes(game, components) | {"state_hash": game.state_hash, "lane_hash": LANE_HASH}


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
        header: arguments, counters, random streams and hashes, as values that JSON can hold.
    """
    arrays = flatten(groups)
    content = {**header, "format": CHECKPOINT_FORMAT, "schema": CHECKPOINT_SCHEMA}
    write_arrays(path, arrays, content | {CHECKSUM: checksum_of(arrays, content)})


def load(
    path: str | os.PathLike[str], hashes: Mapping[str, str] | None = None
) -> tuple[dict[str, Arrays], dict[str, Any]]:
    """The groups of arrays and the header of a checkpoint.

    Args:
        path: the file.
        hashes: the `state_hashes` of the present game; not compared for None.

    Raises `CheckpointError` for a file that is damaged, of another schema or of another game.
    """
    arrays, header = read_arrays(
        path, kind=CHECKPOINT_FORMAT, schema=CHECKPOINT_SCHEMA, oldest=OLDEST_SCHEMA, most_bytes=MOST_BYTES
    )
    check_checksum(path, arrays, header)
    if hashes is not None:
        check_hashes(path, header, hashes)
    return unflatten(arrays), header


def newest_run(runs: Path) -> Path:
    """The folder in ``runs`` whose checkpoint was written last; raises `CheckpointError` if none has one."""
    files = sorted(runs.glob(f"*/{FILE}"), key=lambda file: file.stat().st_mtime)
    if not files:
        raise CheckpointError(f"{runs}: holds no run with a {FILE}; start one without --resume")
    return files[-1].parent


@contextmanager
def lock_run(folder: Path, files: Iterable[str] = (FILE, MODEL_FILE, RESULTS_FILE)) -> Iterator[None]:
    """Keep other processes from working on a run; the lock ends with the ``with`` block or with the process.

    Args:
        folder: the run's folder; made if it is missing.
        files: names of files in the folder; half-written remains of them from a killed process are removed.

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
    """Records the `STOP_SIGNALS`, so that a run can stop between two updates. A second Ctrl-C stops at once.

    Attributes:
        name: the name of the signal; None if there was no signal.
    """

    def __init__(self) -> None:
        self.name: str | None = None

    def __enter__(self) -> StopRequest:
        """Handle the signals."""
        self._before = {number: signal.signal(number, self._record) for number in STOP_SIGNALS}
        return self

    def _record(self, number: int, frame: object) -> None:
        self.name = signal.Signals(number).name
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def __exit__(self, *error: object) -> None:
        """Restore the previous handlers."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

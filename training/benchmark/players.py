"""Players of trainings as files, so that results can be checked without training again.

A player that is a network of this project becomes a model file, which is named wherever an agent is named; another one
writes a file in its own way.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from agents.network import NetworkAgent
from dunaia_env.harness.opponents import Agent
from dunaia_env.support.reading import read_bytes
from training.benchmark.algorithms import Task, load

# The largest file of a player that is read.
MOST_BYTES = 1 << 30
MODEL_SUFFIX, OTHER_SUFFIX = ".safetensors", ".player"


def player_file(player: Agent, training: Path) -> Path | None:
    """The file of a player beside the file of its training; None for a player that cannot be written."""
    if isinstance(player, NetworkAgent):
        return training.with_suffix(MODEL_SUFFIX)
    return training.with_suffix(OTHER_SUFFIX) if callable(getattr(player, "save", None)) else None


def save_player(player: Agent, training: Path) -> Path | None:
    """Write a player beside the file of its training; returns its file, or None if it cannot be written."""
    path = player_file(player, training)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(player, NetworkAgent):
            player.network.save(path)
        else:
            player.save(path)  # type: ignore[attr-defined]
    return path


def digest_of(path: Path) -> str:
    """The SHA-256 digest of a file."""
    return hashlib.sha256(read_bytes(path, MOST_BYTES)).hexdigest()


def load_player(algorithm: str, path: Path, task: Task) -> Agent:
    """Read a player that `save_player` has written; raises `ValueError` if the file does not fit the task."""
    read = getattr(load(algorithm), "load_player", None)
    if read is not None:
        player: Agent = read(path, task)
        return player
    return NetworkAgent.load(path, any_components=True, game=task.game)


def parameters_of(player: Agent) -> int | None:
    """The number of weights that a player uses, of a network or as its attribute ``parameters``; None if unknown."""
    if isinstance(player, NetworkAgent):
        return sum(array.size for array in player.network.used().values())
    found = getattr(player, "parameters", None)
    return found if isinstance(found, int) else None

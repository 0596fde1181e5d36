"""Players of trainings as files, so that results can be checked without training again."""

from __future__ import annotations

import hashlib
from pathlib import Path

from agents.network import NetworkAgent
from dunaia_env.harness.opponents import Agent
from training.benchmark.algorithms import Task, load


def save_player(player: Agent, path: Path) -> str | None:
    """Write a player as a file; returns the SHA-256 digest of the file, or None for a player that cannot be written."""
    if isinstance(player, NetworkAgent):
        player.network.save(path)
    elif callable(save := getattr(player, "save", None)):
        save(path)
    else:
        return None
    return digest_of(path)


def digest_of(path: Path) -> str:
    """The SHA-256 digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


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

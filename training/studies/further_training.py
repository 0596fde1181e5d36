"""Lets a copy of a player continue to learn, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from agents.model import Model
from dunaia_env.harness.game import Game
from dunaia_env.harness.registry import name_of
from dunaia_env.support import system
from dunaia_env.support.messages import MOST_OF_A_TEXT, printable
from training.running import checkpoint
from training.running.parallel import end

LOG = "log.txt"
# How a copy learns: in small steps, because it begins as a good player.
TRAINING: dict[str, object] = {
    "lanes": 1024,
    "epochs": 1,
    "minibatches": 32,
    "learning-rate": 5e-4,
    "entropy": 0.003,
    "entropy-end": 0.0005,
    "score-weight": 0.1,
    "certain-share": 0.25,
    "threads": 1,
    "engine-threads": 1,
    "evaluation-seconds": 10**9,
    "final-games": 0,
}
INTERVAL = 0.5  # seconds between two checks of the training
GRACE = 60.0  # seconds that an interrupted training has to save


def train_further(
    folder: Path,
    *,
    game: Game,
    file: str | Path,
    model: Model,
    minutes: float,
    options: Mapping[str, object],
    stop: checkpoint.StopRequest,
    advance: Callable[[float], None],
) -> bool:
    """Train a copy of a player in a process of its own; a training that was stopped continues.

    Args:
        folder: of the run; it exists.
        game: the game.
        file: the player's model file.
        model: its content.
        minutes: length of the training.
        options: further options of `training.ppo`, among them those of the game, by name; a list or tuple is several
            values.
        stop: asks the training to stop.
        advance: takes the seconds of training since it was called last.

    Returns True if the training ended, False if it was stopped. Raises `ValueError` with the last line that a failed
    training printed.
    """
    words = ["--run", str(folder), "--game", name_of(game), "--minutes", str(minutes)]
    if (folder / checkpoint.FILE).exists():
        words.append("--resume")
    else:
        shape = {"layers": len(model.widths), "width": model.widths[0]}
        for name, value in ({"weights": file} | TRAINING | shape | dict(options)).items():
            words += [f"--{name.replace('_', '-')}", *map(str, value if isinstance(value, list | tuple) else (value,))]
    begin = last = time.monotonic()
    with (folder / LOG).open("a", encoding="utf-8") as log:
        command = [sys.executable, "-m", "training.ppo", *words]
        # In a group of its own, so that Ctrl-C reaches it only once.
        process = system.start_group(command, stdout=log, stderr=subprocess.STDOUT)
        while process.poll() is None and not stop.name:
            time.sleep(INTERVAL)
            now = time.monotonic()
            advance(max(0.0, min(now, begin + 60 * minutes) - last))
            last = now
        if stop.name:
            system.ask_to_end(process)
            end([process], GRACE)
            return False
    if process.returncode:
        said = (folder / LOG).read_text(encoding="utf-8").strip().splitlines()
        why = printable(said[-1], MOST_OF_A_TEXT) if said else f"exit status {process.returncode}"
        raise ValueError(f"{folder}: the training failed: {why}")
    return True

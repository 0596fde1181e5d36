"""Play the games of a training again: ``python -m training.benchmark.verify runs/benchmark/runs/ppo-seed0.json``.

The file of a training names its task with the task's hash, and holds the final player's win share in every block; the
file of the player lies beside it. A sample of the blocks is played again from the player, and compared.
"""

from __future__ import annotations

import sys
from collections.abc import Container
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro
from rich.console import Console

from dunaia_env.harness import commands
from dunaia_env.harness.opponents import Agent
from dunaia_env.harness.registry import check_name_in_file
from dunaia_env.reports.parts import number_text
from dunaia_env.support import terminal
from dunaia_env.support.messages import reason
from training.benchmark.algorithms import ALGORITHMS
from training.benchmark.players import digest_of, load_player
from training.benchmark.results import SCALE, Run, read_run, score
from training.benchmark.tasks import find_task
from training.benchmark.trainings import measure_blocks, shares_of, task_of

# Blocks may differ in this part of the sample: where a player computes with floating-point numbers, another processor
# can round the values of two nearly equal actions to another order.
MOST_DIFFERENT = 0.05


class VerificationError(ValueError):
    """A training whose results cannot be found again; the message says what differs."""


@dataclass(frozen=True)
class Options:
    """Play a sample of the games of trainings again, and compare the results with those stored."""

    files: Annotated[tuple[Path, ...], tyro.conf.Positional]
    """The files of the trainings."""
    games: int = 20
    """Games against each reference that are played again; rounded up to whole blocks, at most all of the training."""
    algorithms: tuple[str, ...] = ()
    """Algorithms of your own that the files may name; no file decides which code is imported."""


@dataclass(frozen=True)
class Verification:
    """What was found.

    Attributes:
        run: the training.
        blocks: number of blocks that were played again.
        different: number of those with another win share than the stored one.
    """

    run: Run
    blocks: int
    different: int


def check_task(path: Path, run: Run) -> None:
    """Raise `VerificationError` if the task of a training has changed since."""
    if run.setting.task and (now := find_task(run.setting.task).hash()) != run.task_hash:
        raise VerificationError(
            f"{path}: expected the hash {now} of the task {run.setting.task}, got {run.task_hash or 'none'}"
        )


def read_training(path: Path, algorithms: Container[str]) -> Run:
    """Read a training whose algorithm is the project's or one of some others; raises `ValueError` for another file."""
    run = read_run(path)
    check_name_in_file(
        run.algorithm,
        f"{path}: algorithm",
        known=run.algorithm in ALGORITHMS,
        named=algorithms,
        needed=f"one of {', '.join(ALGORITHMS)}, or one named by --algorithms",
    )
    return run


def verify(path: Path, games: int, algorithms: Container[str] = ()) -> Verification:
    """Play games of a training again.

    Args:
        path: file of the training.
        games: games against each reference, rounded up to whole blocks.
        algorithms: algorithms outside the project that the file may name.

    Raises `VerificationError` for a task that has changed, a player's file that is missing or another one, and results
    that differ; `ResultsError` for a file that is not of a training; `ValueError` for an algorithm that is not there.
    """
    run = read_training(path, algorithms)
    check_task(path, run)
    player = player_of(path, run)
    for name, share in shares_of(run.blocks).items():
        if not np.isclose(share, run.points[-1].shares[name]):
            raise VerificationError(
                f"{path}: expected the mean of the blocks against {name}, {share:.4f}, as the last share"
            )
    again = measure_blocks(player, replace(run.setting, games=min(games, run.setting.games)))
    pairs = [
        (stored, share)
        for name, shares in again.items()
        for stored, share in zip(_sample(run, name, len(shares)), shares, strict=True)
    ]
    different = sum(not np.isclose(stored, share) for stored, share in pairs)
    if different > MOST_DIFFERENT * len(pairs):
        raise VerificationError(
            f"{path}: expected the stored results in {len(pairs)} blocks, got others in {different}"
        )
    return Verification(run, len(pairs), different)


def player_of(path: Path, run: Run) -> Agent:
    """The player of a training, from its file beside that of the training.

    Raises `VerificationError` for a file that is missing, another one, or one that its algorithm does not read.
    """
    if run.player_file is None or not run.blocks:
        raise VerificationError(f"{path}: expected a training whose player was written, got one without a file")
    file = path.with_name(Path(run.player_file).name)
    if not file.exists():
        raise VerificationError(f"{file}: expected the file of the player, got nothing")
    if (found := digest_of(file)) != run.player_digest:
        raise VerificationError(f"{file}: expected the file with the digest {run.player_digest}, got {found}")
    try:
        return load_player(run.algorithm, file, task_of(run.setting, run.seed, run.options))
    except (OSError, ValueError) as error:
        raise VerificationError(f"{file}: {reason(error)}") from error


def _sample(run: Run, name: str, count: int) -> list[float]:
    """The stored shares of the blocks that are played again: equally many from the start of those of each file."""
    files = len(find_task(run.setting.task).files()) if run.setting.task else 1
    stored = np.array(run.blocks[name]).reshape(files, -1)
    found: list[float] = stored[:, : count // files].ravel().tolist()
    return found


def main(options: Options) -> list[Verification]:
    """Verify the trainings, and print what was found."""
    commands.check_numbers(options, positive=("games",))
    console, found = Console(highlight=False, soft_wrap=True), []
    for path in options.files:
        one = verify(path, options.games, options.algorithms)
        run = one.run
        place = f", place {number_text(score(run, SCALE), 0)} in {run.setting.task}" if run.setting.task else ""
        played = (
            f"{one.blocks * run.setting.players // len(run.blocks)} games against each of {len(run.blocks)} references"
        )
        same = "as stored" if not one.different else f"as stored except for {one.different} of {one.blocks} blocks"
        console.print(f"{path}: {played} {same}{place}", markup=False)
        found.append(one)
    return found


def _run() -> int:
    options = tyro.cli(Options, prog="python -m training.benchmark.verify")
    return commands.run_command("benchmark.verify", lambda: main(options))


if __name__ == "__main__":
    sys.exit(terminal.run_main(_run))

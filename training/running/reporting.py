"""What a run tells its user: curves for TensorBoard, the results of the final matches, and what to do next."""

from __future__ import annotations

import itertools
import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from torch.utils.tensorboard import SummaryWriter

from dunaia_env.arena.match import describe
from dunaia_env.harness.commands import option_words
from dunaia_env.harness.dealing import first_of, variant
from dunaia_env.harness.game import Game
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.support import atomic
from training.arguments import Arguments, names_of_code
from training.running import checkpoint
from training.running.checkpoint import MODEL_FILE, RESULTS_FILE
from training.trainer import FINAL_SEED, Trainer


def clock(seconds: float) -> str:
    """Minutes and seconds, ``4:07``."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def resume_command(arguments: Arguments, folder: Path) -> str:
    """The command that continues a run. It names all code outside the project, because no file may do that alone."""
    words = ["python", "-m", "training.ppo", "--resume", "--run", str(folder)]
    if arguments.game != DEFAULT_GAME.name:
        words += ["--game", arguments.game]
    found = names_of_code(arguments)
    for name in dict.fromkeys(name for name, _ in found):
        words += [f"--{name}", *(arguments.opponents if name == "opponents" else [dict(found)[name]])]
    return shlex.join(words)


class Curves:
    """Writes TensorBoard curves to a folder.

    Args:
        folder: the folder; nothing is written for None.
        begin: number of decisions from which the curves continue; points written for later decisions are dropped.
    """

    def __init__(self, folder: Path | None, begin: int) -> None:
        self._writers = [] if folder is None else [SummaryWriter(str(folder), purge_step=begin + 1)]

    def add(self, metrics: Mapping[str, float], decisions: int) -> None:
        """Write metrics, by name, as points of the curves after a number of decisions."""
        for writer, (name, value) in itertools.product(self._writers, metrics.items()):
            writer.add_scalar(name, value, decisions)

    def flush(self) -> None:
        """Write everything to the disk."""
        for writer in self._writers:
            writer.flush()

    def __enter__(self) -> Curves:
        """Return the curves themselves."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the files."""
        for writer in self._writers:
            writer.close()


def match_command(player: Path, game: Game, options: Mapping[str, Any]) -> str:
    """The command that measures a trained player against greedy in 2,000 games with some options of the game."""
    words = ["python", "-m", "dunaia_env.arena.match", "--agents", str(player), "greedy", "--games", "2000"]
    return shlex.join([*words, *option_words(game, options)])


def report(trainer: Trainer, folder: Path, console: Console) -> None:
    """Play the final matches, print and store their results, and say what to try next."""
    arguments, results = trainer.arguments, []
    tables = list(arguments.judged_tables.values())
    games = [(table, name) for table in tables for name in arguments.opponents]
    for table, opponent in games if arguments.final_games else ():
        match = trainer.play(opponent, arguments.final_games, FINAL_SEED, table)
        mean, low, high = match.interval()
        options = {name: value for name, value in table.items() if name != NUM_PLAYERS}
        players = table[NUM_PLAYERS]
        kind = " ".join(filter(None, [f"{players} players", variant(trainer.game, options)]))
        console.print(
            f"Against {opponent}: wins {describe((mean, low, high))} of {match.games} games in {len(match.shares)}"
            f" seat-balanced blocks ({kind}; in brackets the 95 % interval)"
        )
        result = {"opponent": opponent, "players": players, **options}
        results.append({**result, "share": mean, "low": low, "high": high, "games": match.games})
    if trainer.other_components:
        console.print(f"Trained before for other components: {', '.join(trainer.other_components)}")
    content = {
        "results": results,
        "decisions": trainer.decisions,
        "seconds": trainer.seconds,
        "commit": trainer.commit,
        "other_components": trainer.other_components,
    }
    atomic.write_text(folder / RESULTS_FILE, json.dumps(content, indent=2) + "\n")
    files = f"{MODEL_FILE} (the player), {checkpoint.FILE}, {RESULTS_FILE}"
    console.print(f"Saved in {folder}: {files}, TensorBoard curves")
    console.print("What to try next:")
    commands = [
        f"{resume_command(arguments, folder)} --minutes {2 * arguments.minutes:g}    # train twice as long",
        f"{shlex.join(['tensorboard', '--logdir', str(folder.parent)])}    # look at the curves",
    ]
    if arguments.network is None:
        measured = match_command(folder / MODEL_FILE, trainer.game, first_of(arguments.game_options))
        commands.append(f"{measured}    # measure more precisely")
    for command in commands:
        console.print("  " + command)

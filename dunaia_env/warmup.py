"""Compile a game ahead of its first use: ``python -m dunaia_env.warmup``, or ``dunaia warmup``."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import tyro

from dunaia_env.harness import commands, registry, state
from dunaia_env.harness.compiled.warm_up import GROUPS
from dunaia_env.support import compile_cache, terminal


@dataclass(frozen=True)
class Options:
    """Compile the game and the searches, and cache the machine code for this user."""

    game: str = registry.DEFAULT_GAME.name
    """The game to compile: a name, or a module such as my_package.game."""


def main(options: Options) -> None:
    """Compile the game if it is not compiled yet.

    Raises `ValueError` for an unknown game, and if the machine code cannot be kept for other processes.
    """
    game = registry.find_game(options.game)
    evaluation = game.entry_points.has_evaluation
    groups = [group for group in GROUPS if evaluation or group == "play"]
    if all(compile_cache.is_compiled(f"{game.name}-{group}") for group in groups):
        print(f"already compiled in {compile_cache.FOLDER}")
    state.prepare(game, evaluation=evaluation)
    if compile_cache.COMPILES and not (
        compile_cache.is_kept() and all(compile_cache.is_compiled(f"{game.name}-{group}") for group in groups)
    ):
        raise ValueError("nothing is compiled ahead, because no folder can keep the result")


def _run() -> int:
    options = tyro.cli(Options, prog="dunaia warmup", description=Options.__doc__)
    return commands.run_command("warmup", lambda: main(options))


if __name__ == "__main__":
    sys.exit(terminal.run_main(_run))

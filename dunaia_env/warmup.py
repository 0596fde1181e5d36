"""Compile the game ahead of its first use: ``python -m dunaia_env.warmup``, or ``dunaia warmup``."""

from __future__ import annotations

import argparse

from dunaia_env.compile_cache import FOLDER, is_compiled
from dunaia_env.game import prepare
from dunaia_env.games import DEFAULT_GAME
from dunaia_env.harness.warm_up import GROUPS


def main() -> None:
    """Compile unless that was done before."""
    description = "Compile the game and the searches, and keep the machine code for this user."
    argparse.ArgumentParser(prog="python -m dunaia_env.warmup", description=description).parse_args()
    if all(is_compiled(f"{DEFAULT_GAME.name}-{group}") for group in GROUPS):
        print(f"already compiled in {FOLDER}")
    prepare(DEFAULT_GAME, evaluation=True)


if __name__ == "__main__":
    main()

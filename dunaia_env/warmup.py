"""Compile the game ahead of its first use: ``python -m dunaia_env.warmup``."""

from __future__ import annotations

from dunaia_env.compile_cache import FOLDER, is_compiled
from dunaia_env.game import DUNAIA, prepare


def main() -> None:
    """Compile unless that was done before."""
    if is_compiled():
        print(f"already compiled in {FOLDER}")
    prepare(DUNAIA)


if __name__ == "__main__":
    main()

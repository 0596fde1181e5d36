"""``python -m dunaia_env.arena`` or ``dunaia arena``: agents play each other, and a report says who is better."""

from __future__ import annotations

import shlex
import signal
import sys

import tyro

from dunaia_env.arena.tournament import Options, main


def _stop_on_signal(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


if __name__ == "__main__":
    # As after Ctrl-C, workers and their agents end with the arena.
    signal.signal(signal.SIGTERM, _stop_on_signal)
    main(
        tyro.cli(Options, description=Options.__doc__),
        command=shlex.join(["python", "-m", "dunaia_env.arena", *sys.argv[1:]]),
    )

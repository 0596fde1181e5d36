"""``python -m dunaia_env.arena`` or ``dunaia arena``: agents play each other, and a report says which is better."""

from __future__ import annotations

import shlex
import sys

from dunaia_env.arena.tournament import Options, main
from dunaia_env.harness.commands import parse_command
from dunaia_env.support.terminal import run_main

if __name__ == "__main__":
    words = shlex.join(["python", "-m", "dunaia_env.arena", *sys.argv[1:]])
    sys.exit(run_main(lambda: main(parse_command(Options, program="dunaia arena"), command=words), has_workers=True))

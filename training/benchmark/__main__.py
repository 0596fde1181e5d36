"""The command ``python -m training.benchmark``."""

import sys

from dunaia_env.support.system import exit_when_asked
from dunaia_env.support.terminal import run_main
from training.benchmark.comparison import main

if __name__ == "__main__":
    # On SIGTERM, as on Ctrl-C, the trainings end together with the command.
    exit_when_asked()
    sys.exit(run_main(main))

"""The command ``python -m training.benchmark``."""

import sys

from dunaia_env.support.terminal import run_main
from training.benchmark.comparison import main

if __name__ == "__main__":
    sys.exit(run_main(main, has_workers=True))

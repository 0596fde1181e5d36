"""What holds for all tests."""

from __future__ import annotations

import os

# Before anything loads torch: where test processes share the processors, threads of one wait for those of another.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Tests that show games to people print them.
os.environ.setdefault("DUNAIA_NO_WINDOW", "1")

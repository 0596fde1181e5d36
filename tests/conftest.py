"""What holds for all tests."""

from __future__ import annotations

import os

import pytest

# Before anything loads torch: where test processes share the processors, threads of one wait for those of another.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Tests that show games to people print them.
os.environ.setdefault("DUNAIA_NO_WINDOW", "1")

# Files whose slow tests repeat one check over hundreds of games: `.ci/run` takes every second of them.
REPEATED = ("test_dune_views", "test_dune_doors", "test_dune_resampling", "test_dune_observation", "test_dune_greedy")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every second of the repeated slow tests `long`, too; such tests run before a release only."""
    slow = [item for item in items if item.get_closest_marker("slow") and item.path.stem in REPEATED]
    for item in slow[1::2]:
        item.add_marker("long")

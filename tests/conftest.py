"""What holds for all tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

# Before anything loads torch: where test processes share the processors, threads of one wait for those of another.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Tests that show games to people print them.
os.environ.setdefault("DUNAIA_NO_WINDOW", "1")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser for the tests of a file, see `tests.browser_table`."""
    from tests.browser_table import launched  # only these tests need what drives a browser

    with launched() as opened:
        yield opened


# Files whose slow tests repeat one check over hundreds of games: `.ci/run` takes every second of them.
REPEATED = ("test_dune_views", "test_dune_doors", "test_dune_resampling", "test_dune_observation", "test_dune_greedy")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every second of the repeated slow tests `long`, too; such tests run before a release only."""
    slow = [item for item in items if item.get_closest_marker("slow") and item.path.stem in REPEATED]
    for item in slow[1::2]:
        item.add_marker("long")

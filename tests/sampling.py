"""A part of many cases for `make test`; the slow tests take the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(cases: Iterable[Any], every: int) -> list[Any]:
    """The cases of a parametrised test, all but each ``every``-th of them marked as slow."""
    return [
        case if number % every == 0 else pytest.param(case, marks=pytest.mark.slow) for number, case in enumerate(cases)
    ]

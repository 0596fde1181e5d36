"""A part of many cases for runs that cannot take them all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(cases: Iterable[Any], every: int) -> list[Any]:
    """The cases of a parametrised test, all but each ``every``-th of them left to the slow tests."""
    return [
        case if number % every == 0 else pytest.param(case, marks=pytest.mark.slow) for number, case in enumerate(cases)
    ]


def sampled_as_plain(cases: Iterable[tuple[Any, ...]], every: int) -> list[Any]:
    """The cases of a parametrised test of several arguments; `make plain` runs each ``every``-th of them."""
    return [
        case if number % every == 0 else pytest.param(*case, marks=pytest.mark.compiled)
        for number, case in enumerate(cases)
    ]

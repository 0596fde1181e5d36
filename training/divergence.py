"""Stopping a run whose numbers are no longer finite."""

from __future__ import annotations

import math
from collections.abc import Mapping


class DivergenceError(ArithmeticError):
    """Losses or weights are no longer finite.

    Args:
        what: names the losses or weights, and says what is needed.
        updates: number of updates after which it was noticed.
    """

    def __init__(self, what: str, updates: int) -> None:
        super().__init__(f"{what} after update {updates}. Resume from the last checkpoint with a lower --learning-rate")


def check_finite(losses: Mapping[str, float], updates: int) -> None:
    """Raise `DivergenceError` if a loss is not finite."""
    if not all(map(math.isfinite, losses.values())):
        raise DivergenceError(f"losses: {dict(losses)}; finite numbers are needed", updates)

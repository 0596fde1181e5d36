"""Numbers that commands are given: what is out of range is refused in one sentence before anything begins."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any


def check_numbers(
    options: Any,
    *,
    positive: Sequence[str] = (),
    not_negative: Sequence[str] = (),
    shares: Sequence[str] = (),
) -> None:
    """Raise `ValueError` naming an option whose number is out of its range, and what is needed.

    Args:
        options: a dataclass. No number of it, nor one in a tuple of it, may be infinite or NaN.
        positive: names of options that have to be more than 0.
        not_negative: of those that have to be at least 0.
        shares: of those that have to be in 0..1.
    """
    for option in fields(options):
        value = getattr(options, option.name)
        for number in value if isinstance(value, tuple) else (value,):
            if isinstance(number, float) and not math.isfinite(number):
                raise ValueError(f"{option.name}: {number}; a finite number is needed")
    for name in positive:
        if not getattr(options, name) > 0:
            raise ValueError(f"{name}: {getattr(options, name)}; more than 0 is needed")
    for name in not_negative:
        if not getattr(options, name) >= 0:
            raise ValueError(f"{name}: {getattr(options, name)}; at least 0 is needed")
    for name in shares:
        if not 0 <= getattr(options, name) <= 1:
            raise ValueError(f"{name}: {getattr(options, name)}; a number in 0..1 is needed")


def run_command(program: str, command: Callable[[], object]) -> int:
    """Run a command and return its exit status: 0, or 2 for what it refuses, with the reason on standard error."""
    try:
        command()
    except (ValueError, OSError) as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2
    return 0

"""Data files with the weights of a hand-written evaluation: sections of named numbers, read into one vector."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.support import messages, reading

MOST_BYTES = 1 << 18  # the largest of this project has 5 KB
RANGE = (-1000.0, 1000.0)


@dataclass(frozen=True)
class Term:
    """A parameter of an evaluation: its name in the data file and its meaning."""

    name: str
    meaning: str


Sections = Mapping[str, tuple[Term, ...]]


def load(
    path: str | os.PathLike[str], sections: Sections, ranges: Mapping[str, tuple[float, float]] | None = None
) -> NDArray[np.float64]:
    """The numbers of a data file in the order of the sections and their terms: float64 ``(number of terms,)``.

    Args:
        path: a TOML file.
        sections: the terms that the file must have, by section.
        ranges: least and greatest number by section; `RANGE` for sections that are not in it.

    Raises `ValueError` naming the file and the first name that is missing, unknown, or not a number in its range.
    """
    path = Path(path)
    shown = messages.printable(str(path), messages.MOST_OF_A_TEXT)
    try:
        content = reading.parse_toml(reading.read_text(path, MOST_BYTES))
    except reading.ReadingError as error:
        raise ValueError(f"{shown}: {error}") from error
    for section in content:
        if section not in sections:
            raise ValueError(
                f"{shown}: expected the sections {', '.join(sections)},"
                f" got [{messages.printable(section, messages.MOST_OF_A_VALUE)}]"
            )
    numbers = [
        _read_number(shown, content, section, term.name, (ranges or {}).get(section, RANGE))
        for section, terms in sections.items()
        for term in terms
    ]
    for section, terms in sections.items():
        for name in content[section]:
            if name not in {term.name for term in terms}:
                raise ValueError(
                    f"{shown}: [{section}] {messages.printable(name, messages.MOST_OF_A_VALUE)} is unknown"
                )
    return np.array(numbers)


def _read_number(path: str, content: dict[str, Any], section: str, name: str, allowed: tuple[float, float]) -> float:
    low, high = allowed
    try:
        value = content[section][name]
    except (KeyError, TypeError):
        raise ValueError(f"{path}: [{section}] {name} is missing") from None
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ValueError(
            f"{path}: [{section}] {name}: expected a number in {low:g}..{high:g}, got {messages.shorten(value)}"
        )
    return float(value)


def text(weights: NDArray[np.float64], sections: Sections, *, head: str) -> str:
    """The text of a data file with these numbers; ``head`` is its comment."""
    lines = [f"# {line}".rstrip() for line in head.splitlines()]
    values = iter(weights.tolist())
    for section, terms in sections.items():
        lines += ["", f"[{section}]", *(f"{term.name} = {round(next(values), 4)}" for term in terms)]
    return "\n".join(lines) + "\n"

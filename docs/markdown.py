"""Markdown that the generators of several modules write."""

from __future__ import annotations

from collections.abc import Iterable


def table(heads: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"

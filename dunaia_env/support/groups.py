"""Reads tables with checks: each key is read once, errors name the first that is missing, wrong or unknown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from dunaia_env.support.objects import Reader

_SPAN = re.compile(r"(\d{1,4})\.\.(\d{1,4})", re.ASCII)


class Group(Reader):
    """Reads a TOML table key by key; raises an error for a missing, wrong or unknown key.

    Args:
        content: the table.
        file: the kind and name of the file, with which errors begin.
        error: the class of the errors, a `ValueError`.
        path: path of the table in the file; empty for the whole file.
    """

    def __init__(self, content: object, file: str, error: type[ValueError], path: str = "") -> None:
        super().__init__(content, path, error, "file", "a table", f"{file}: ")
        self._file = file

    def is_list(self, key: str) -> bool:
        """Whether a key holds a list."""
        return isinstance(self._left.get(key), list)

    @contextmanager
    def group(self, key: str) -> Iterator[Group]:
        """The table under a key; all its keys have to be read."""
        group = Group(self.take(key), self._file, self._class, self.name(key))
        yield group
        group.finish()

    def groups(self, key: str, count: int) -> Iterator[Group]:
        """Each table in a list of ``count`` tables."""
        entries = self.take(key)
        if not isinstance(entries, list) or len(entries) != count:
            found = len(entries) if isinstance(entries, list) else entries
            raise self.fail(key, found, f"a list of {count} tables")
        for index, entry in enumerate(entries):
            group = Group(entry, self._file, self._class, self.name(f"{key}[{index}]"))
            yield group
            group.finish()

    def finish(self) -> None:
        """Raise the error for a key that has not been read."""
        for key, value in self._left.items():
            raise self.fail(key, value, "no such key")

    def number(self, key: str, low: int, high: int, default: int | None = None) -> int:
        """An integer in a range; if the key is missing, the default if there is one."""
        if default is not None and key not in self._left:
            return default
        return self.check_number(key, self.take(key), low, high)

    def numbers(self, key: str, count: int, low: int, high: int) -> list[int]:
        """A list of ``count`` integers in a range."""
        values = self.take(key)
        if not isinstance(values, list) or len(values) != count:
            raise self.fail(key, values, f"a list of {count} integers in {low}..{high}")
        return [self.check_number(f"{key}[{index}]", value, low, high) for index, value in enumerate(values)]

    def pairs(self, key: str, count: int, low: int, high: int) -> list[list[int]]:
        """A list of ``count`` pairs of integers in a range."""
        entries = self.take(key)
        well_formed = isinstance(entries, list) and len(entries) == count
        if not well_formed or not all(isinstance(entry, list) and len(entry) == 2 for entry in entries):
            raise self.fail(key, entries, f"a list of {count} pairs of integers in {low}..{high}")
        return [
            [self.check_number(f"{key}[{index}]", value, low, high) for value in entry]
            for index, entry in enumerate(entries)
        ]

    def span(self, key: str, low: int, high: int) -> tuple[int, int]:
        """The ends of a range, from a text such as "1..4" or an integer, which is both ends; they are in low..high."""
        return self._check_span(key, self.take(key), low, high)

    def spans(self, key: str, count: int, low: int, high: int) -> list[tuple[int, int]]:
        """A list of ``count`` ranges, see `span`."""
        values = self.take(key)
        if not isinstance(values, list) or len(values) != count:
            raise self.fail(key, values, f"a list of {count} integers or ranges in {low}..{high}")
        return [self._check_span(f"{key}[{index}]", value, low, high) for index, value in enumerate(values)]

    def _check_span(self, key: str, value: object, low: int, high: int) -> tuple[int, int]:
        if isinstance(value, str) and (match := _SPAN.fullmatch(value)):
            least, most = int(match[1]), int(match[2])
        elif isinstance(value, int) and not isinstance(value, bool):
            least = most = value
        else:
            least, most = 0, -1
        if not low <= least <= most <= high:
            raise self.fail(key, value, f'an integer in {low}..{high}, or a range such as "{low}..{high}"')
        return least, most

    def choices(self, key: str, allowed: Sequence[str], least: int, most: int) -> list[str]:
        """A list of allowed texts."""
        values = self.take(key)
        if not isinstance(values, list) or not least <= len(values) <= most:
            raise self.fail(key, values, f"a list of {least} to {most} of {', '.join(allowed)}")
        return [self.check_choice(f"{key}[{index}]", value, allowed) for index, value in enumerate(values)]

    def distinct_choices(self, key: str, allowed: Sequence[str]) -> list[str]:
        """A list of at least one of the allowed texts, each at most once."""
        values = self.choices(key, allowed, 1, len(allowed))
        if len(set(values)) != len(values):
            raise self.fail(key, values, "each entry once")
        return values

    def take_list(self, key: str) -> list[Any]:
        """A list of anything."""
        values = self.take(key)
        if not isinstance(values, list):
            raise self.fail(key, values, "a list")
        return values

    def text(self, key: str) -> str:
        """Any text."""
        value = self.take(key)
        if not isinstance(value, str):
            raise self.fail(key, value, "a text")
        return value

    def optional_text(self, key: str) -> None:
        """Read any text, which may be missing."""
        value = self._left.pop(key, "")
        if not isinstance(value, str):
            raise self.fail(key, value, "a text")

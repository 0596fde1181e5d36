"""Reads mappings with checks: each key is read once, errors name the first that is missing, wrong or unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from dunaia_env.support.messages import MOST_OF_A_VALUE, printable, shorten


def _is_integer(value: object, low: int, high: int) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


class Reader:
    """Reads a mapping key by key; raises an error for a missing, wrong or unknown key.

    Args:
        content: the mapping.
        path: path of the mapping, with which errors name its keys; empty for the outermost one.
        error: the class of the errors, a `ValueError`.
        title: what the outermost mapping is called in errors.
        kind: what a mapping is called in errors.
        prefix: how errors begin.
    """

    def __init__(
        self, content: object, path: str, error: type[ValueError], title: str, kind: str, prefix: str = ""
    ) -> None:
        self.path = path
        self._class = error
        self._title = title
        self._prefix = prefix
        if not isinstance(content, Mapping):
            raise self.fail("", content, kind)
        self._left = dict(content)

    def name(self, key: str) -> str:
        """A key with its path."""
        return ".".join(part for part in (self.path, key) if part) or self._title

    def fail(self, key: str, value: object, allowed: str) -> ValueError:
        """The error that names a key, its value and what is allowed, for the caller to raise."""
        place = printable(self.name(key), MOST_OF_A_VALUE)
        return self._class(f"{self._prefix}{place}: expected {allowed}, got {shorten(value)}")

    def take(self, key: str) -> Any:
        """The value of a key, whatever it is."""
        if key not in self._left:
            raise self._class(f"{self._prefix}{self.name(key)} is missing")
        return self._left.pop(key)

    def has(self, key: str) -> bool:
        """Whether a key has not been read yet."""
        return key in self._left

    def check_number(self, key: str, value: object, low: int, high: int) -> int:
        """Return an integer in a range that was found under a key."""
        if not _is_integer(value, low, high):
            raise self.fail(key, value, f"{low}" if low == high else f"an integer in {low}..{high}")
        return value

    def flag(self, key: str) -> bool:
        """True or false."""
        value = self.take(key)
        if not isinstance(value, bool):
            raise self.fail(key, value, "true or false")
        return value

    def choice(self, key: str, allowed: Sequence[str]) -> str:
        """One of the allowed texts."""
        return self.check_choice(key, self.take(key), allowed)

    def check_choice(self, key: str, value: object, allowed: Sequence[str]) -> str:
        """Return one of the allowed texts that was found under a key."""
        if not isinstance(value, str) or value not in allowed:
            raise self.fail(key, value, f"one of {', '.join(text or repr(text) for text in allowed)}")
        return value


class ObjectReader(Reader):
    """Reads a JSON object.

    Args:
        content: the object.
        path: path of the object; empty for the outermost one.
        error: the class of the errors, a `ValueError`.
        title: what the outermost object is called in errors.
    """

    def __init__(self, content: object, path: str, error: type[ValueError], title: str = "state") -> None:
        super().__init__(content, path, error, title, "an object")

    def child(self, key: str) -> ObjectReader:
        """The object under a key."""
        return ObjectReader(self.take(key), self.name(key), self._class, self._title)

    def children(self, key: str, least: int, most: int) -> list[ObjectReader]:
        """The objects in a list."""
        entries = self.entries(key, least, most)
        return [
            ObjectReader(entry, f"{self.name(key)}[{index}]", self._class, self._title)
            for index, entry in enumerate(entries)
        ]

    def finish(self) -> None:
        """Raise the error for a key that has not been read."""
        for key in self._left:
            raise self._class(f"{printable(self.name(str(key)), 120)}: unknown key")

    def number(self, key: str, low: int, high: int) -> int:
        """An integer in a range."""
        return self.check_number(key, self.take(key), low, high)

    def number_or_null(self, key: str, low: int, high: int) -> int | None:
        """An integer in a range; None for null."""
        value = self.take(key)
        if value is None or _is_integer(value, low, high):
            return value
        raise self.fail(key, value, f"an integer in {low}..{high} or null")

    def entries(self, key: str, least: int, most: int) -> list[Any]:
        """A list of anything."""
        value = self.take(key)
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise self.fail(key, value, f"a list of {least if least == most else f'{least} to {most}'} entries")
        return value

    def numbers(self, key: str, least: int, most: int, low: int, high: int) -> list[int]:
        """A list of integers in a range."""
        values = self.entries(key, least, most)
        return [self.check_number(f"{key}[{index}]", value, low, high) for index, value in enumerate(values)]

    def flags(self, key: str, count: int) -> list[bool]:
        """A list of ``count`` booleans."""
        values = self.entries(key, count, count)
        for index, value in enumerate(values):
            if not isinstance(value, bool):
                raise self.fail(f"{key}[{index}]", value, "true or false")
        return values

    def ascending(self, key: str, most: int, low: int, high: int, *, repeated: bool = False) -> list[int]:
        """A list of at most ``most`` integers in a range, in rising order, without repetition unless it is allowed."""
        return self.check_ascending(key, self.entries(key, 0, most), low, high, repeated=repeated)

    def check_ascending(self, key: str, values: object, low: int, high: int, *, repeated: bool = False) -> list[int]:
        """Return a list that was found under a key, see `ascending`."""
        if not isinstance(values, list):
            raise self.fail(key, values, f"a list of integers in {low}..{high}")
        numbers = [self.check_number(f"{key}[{index}]", value, low, high) for index, value in enumerate(values)]
        if numbers != sorted(numbers if repeated else set(numbers)):
            raise self.fail(key, numbers, f"an ascending list{'' if repeated else ' without repetition'}")
        return numbers

    def pairs(self, key: str, most: int, firsts: int, high: int) -> list[tuple[int, int]]:
        """Pairs of an id below `firsts` and an amount in 1..high, in rising order of the ids."""
        pairs = []
        for index, entry in enumerate(self.entries(key, 0, most)):
            place = f"{key}[{index}]"
            if not isinstance(entry, list) or len(entry) != 2:
                raise self.fail(place, entry, "a pair of integers")
            first = self.check_number(f"{place}[0]", entry[0], 0, firsts - 1)
            pairs.append((first, self.check_number(f"{place}[1]", entry[1], 1, high)))
        ids = [first for first, _ in pairs]
        if ids != sorted(set(ids)):
            raise self.fail(key, [list(pair) for pair in pairs], "an ascending list without repetition")
        return pairs

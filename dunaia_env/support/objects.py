"""Reads JSON objects with checks: each key is read once, errors name the first that is missing, wrong or unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dunaia_env.support.messages import printable, shorten


class ObjectReader:
    """Reads a JSON object key by key; raises an error for a missing, wrong or unknown key.

    Args:
        content: the object.
        path: path of the object, with which errors name its keys; empty for the outermost object.
        error: the class of the errors, a `ValueError`.
        title: what the outermost object is called in errors.
    """

    def __init__(self, content: object, path: str, error: type[ValueError], title: str = "state") -> None:
        self.path = path
        self._class = error
        self._title = title
        if not isinstance(content, Mapping):
            raise error(f"{path or title} = {shorten(content)}; an object is needed")
        self._left = dict(content)

    def name(self, key: str) -> str:
        """A key with its path."""
        return f"{self.path}.{key}" if self.path else key

    def fail(self, key: str, value: object, allowed: str) -> ValueError:
        """The error that names a key, its value and what is allowed, for the caller to raise."""
        return self._class(f"{self.name(key)} = {shorten(value)}; {allowed} is needed")

    def take(self, key: str) -> Any:
        """The value of a key, whatever it is."""
        if key not in self._left:
            raise self._class(f"{self.name(key)} is missing")
        return self._left.pop(key)

    def has(self, key: str) -> bool:
        """Whether a key has not been read yet."""
        return key in self._left

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

    def check_number(self, key: str, value: object, low: int, high: int) -> int:
        """Return an integer in a range that was found under a key."""
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
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
        value = self.take(key)
        if not isinstance(value, str) or value not in allowed:
            raise self.fail(key, value, f"one of {', '.join(one or repr(one) for one in allowed)}")
        return value

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
        values = self.numbers(key, 0, most, low, high)
        if values != sorted(values if repeated else set(values)):
            raise self.fail(key, values, f"an ascending list{'' if repeated else ' without repetition'}")
        return values

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

"""Options: what is chosen before a game begins, in the forms that people write, files hold and compiled code takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from dunaia_env.harness.compiled import chance, entry_points
from dunaia_env.support.messages import shorten

NUM_PLAYERS = "num_players"
# Stands in place of an option's name for a named set of values, see `Game.presets`.
PRESET = "preset"

# The separator of a list that is written as one word; the words and the number that stand for None.
BETWEEN = "+"
NONE_WORDS = ("none", "null")
NONE_NUMBER = 0


@dataclass(frozen=True)
class Option:
    """A choice that is made before a game begins.

    The value of an option is on or off (the default is then a bool), an integer in a range, one of ``choices``, or,
    with ``by_seat``, one of ``choices`` for each seat. In Python, values are bools, integers, texts, None, and tuples
    by seat. A value has three other forms: a JSON value (`to_json`), a word of a command line (`word`), and the int64
    that compiled code gets (`number`).

    Attributes:
        name: name of the option, with which its value is given.
        default: its value if none is given.
        help: what it does, as a clause.
        least, most: range of an integer value.
        full: its value in the full game, with all variants on, if that is not the default. Training commands default to
            the full game.
        title: its name in texts for people; if empty, ``name``.
        choices: the values it may have; empty for a switch and for a range.
        names: names that may be written in place of the choices, one for each; empty if there are none.
        or_none: whether None is also a value. Only for a range that begins at 1 or more, or with ``by_seat``.
        by_seat: whether a value is a tuple with a choice for each seat.
    """

    name: str
    default: Any
    help: str
    least: int = 0
    most: int = 1
    full: Any = None
    title: str = ""
    choices: tuple[Any, ...] = ()
    names: tuple[str, ...] = ()
    or_none: bool = False
    by_seat: bool = False

    def __post_init__(self) -> None:
        if self.name == PRESET:
            raise ValueError(f"{self.name}: no name of an option, because presets are given by it")
        if self.names and len(self.names) != len(self.choices):
            raise ValueError(f"{self.name}: {len(self.names)} names for {len(self.choices)} choices")
        if self.by_seat and (not self.choices or (len(self.choices) + 1) ** entry_points.MOST_SEATS > 2**62):
            raise ValueError(f"{self.name}: expected 1..1289 choices by seat, got {len(self.choices)}")
        if self.or_none and not self.by_seat and (self.choices or self.is_switch or self.least <= NONE_NUMBER):
            raise ValueError(f"{self.name}: expected a range from 1 or more, or by_seat, with or_none")
        self.check(self.default)

    @property
    def is_switch(self) -> bool:
        """Whether it is on or off."""
        return isinstance(self.default, bool)

    @property
    def is_number(self) -> bool:
        """Whether all its values are integers in a range."""
        return not (self.is_switch or self.choices or self.or_none)

    def allowed(self, *, in_json: bool = False) -> str:
        """What is allowed, as a phrase in the words of Python or of JSON."""
        if self.is_switch:
            return "true or false" if in_json else "True or False"
        if self.by_seat:
            found = f"a list with one of {', '.join(map(str, self.choices if in_json else self.shown))} for each seat"
        elif self.choices:
            found = " or ".join(str(choice) if in_json else repr(choice) for choice in self.choices)
        else:
            found = f"an integer in {self.least}..{self.most}"
        none = "null" if in_json else "None"
        return f"{found} or {none}" if self.or_none else found

    @property
    def shown(self) -> tuple[str, ...]:
        """The choices as people write them."""
        return self.names or tuple(map(str, self.choices))

    def check(self, value: object) -> Any:
        """Return a value in its Python form; raise `ValueError` naming the option and what is allowed.

        A choice may be given by its name. Choices by seat may be given as any sequence or as one word.
        """
        if value is None and self.or_none:
            return None
        if self.is_switch:
            if isinstance(value, bool | np.bool_):
                return bool(value)
        elif self.by_seat:
            if isinstance(value, str):
                return self.parse(value)
            if isinstance(value, Sequence | np.ndarray) and 1 <= len(value) <= entry_points.MOST_SEATS:
                found = [self._choice(element) for element in value]
                if None not in found:
                    return tuple(found)
        elif self.choices:
            if (choice := self._choice(value)) is not None:
                return choice
        elif chance.is_integer(value) and self.least <= value <= self.most:
            return int(value)
        raise self._wrong(value)

    def _choice(self, value: object) -> Any:
        """The choice that a value stands for; None if there is no such choice."""
        if isinstance(value, str) and value in self.names:
            return self.choices[self.names.index(value)]
        own = int(value) if chance.is_integer(value) else value
        return next((choice for choice in self.choices if type(choice) is type(own) and choice == own), None)

    def _wrong(self, value: object) -> ValueError:
        return ValueError(f"{self.name}: expected {self.allowed()}, got {shorten(value)}")

    def several(self, given: object) -> list[Any]:
        """The values in an argument that is one value or a sequence of values; they are not checked.

        By seat, a sequence of choices is one value; a sequence with sequences or None in it holds several values.
        """
        entries = several(given)
        return [given] if self.by_seat and entries and not any(map(_is_of_seats, entries)) else entries

    def to_json(self, value: Any) -> Any:
        """A value as a JSON file holds it."""
        return list(value) if isinstance(value, tuple) else value

    def from_json(self, content: object) -> Any:
        """The value that a JSON file holds, which has to have the form of `to_json`; raises `ValueError` otherwise."""
        try:
            value = self.check(content)
            if _same(self.to_json(value), content):
                return value
        except ValueError:
            pass
        raise ValueError(f"{self.name}: expected {self.allowed(in_json=True)}, got {shorten(content)}")

    def word(self, value: Any) -> str:
        """A value as one word of a command line."""
        if value is None:
            return NONE_WORDS[0]
        if self.by_seat:
            return BETWEEN.join(self._shown(choice) for choice in value)
        return self._shown(value) if self.choices else str(value)

    def _shown(self, choice: Any) -> str:
        return self.shown[self.choices.index(choice)]

    def parse(self, word: str) -> Any:
        """The value of a `word`; raises `ValueError` naming the option and what is allowed."""
        if self.or_none and word.lower() in NONE_WORDS:
            return None
        if self.by_seat:
            return self.check([self._of_text(part) for part in word.split(BETWEEN)])
        return self.check(self._of_text(word))

    def _of_text(self, text: str) -> Any:
        """The choice or the number that a text stands for; the text itself if it stands for neither."""
        if self.is_switch:
            return {"true": True, "false": False}.get(text.lower(), text)
        if self.choices:
            return dict(zip(map(str, self.choices), self.choices, strict=True)).get(text, text)
        return int(text) if text.lstrip("-").isdecimal() and len(text) < 20 else text

    def number(self, value: Any) -> int:
        """A value as an integer for compiled code.

        Off is 0, on is 1, None is 0, and choices count from 0. By seat, each choice is a digit in the base
        ``len(choices) + 1``, one more than the choice's index; the digit of seat 0 is the lowest.
        """
        if value is None:
            return NONE_NUMBER
        if self.by_seat:
            base = len(self.choices) + 1
            return sum((self.choices.index(one) + 1) * base**seat for seat, one in enumerate(value))
        return self.choices.index(value) if self.choices else int(value)

    def value(self, number: int) -> Any:
        """The value of a `number`; raises `ValueError` for a number that stands for no value."""
        if self.or_none and number == NONE_NUMBER:
            return None
        if self.by_seat:
            digits, left = list[int](), number
            while left > 0:
                left, digit = divmod(left, len(self.choices) + 1)
                digits.append(digit)
            if digits and 0 not in digits:
                return self.check([self.choices[digit - 1] for digit in digits])
        elif self.choices:
            if 0 <= number < len(self.choices):
                return self.choices[number]
        elif self.is_switch:
            if number in (0, 1):
                return bool(number)
        else:
            return self.check(number)
        raise ValueError(f"{self.name}: expected the number of {self.allowed()}, got {number}")


def several(given: object) -> list[Any]:
    """The entries of a sequence; for anything else, such as a text, a list with it as the only entry."""
    return list(given) if _is_sequence(given) else [given]


def _is_sequence(value: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)


def _is_of_seats(value: object) -> bool:
    """Whether an entry stands for the choices of all seats rather than for one choice."""
    return value is None or _is_sequence(value) or (isinstance(value, str) and BETWEEN in value)


def _same(first: object, second: object) -> bool:
    """Whether two JSON values are equal in value and type."""
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(_same, first, second))
    return type(first) is type(second) and first == second

"""Options: what is chosen before a game begins, as people write it, as files hold it and as compiled code takes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from dunaia_env.harness.compiled.chance import is_integer
from dunaia_env.harness.compiled.entry_points import MOST_SEATS
from dunaia_env.support.messages import shorten

NUM_PLAYERS = "num_players"
# In place of an option's name: a named set of values, see `Game.presets`.
PRESET = "preset"

# Between the entries of a list that is written as one word, and what stands for None there.
BETWEEN = "+"
NONE_WORDS = ("none", "null")
NONE_NUMBER = 0


@dataclass(frozen=True)
class Option:
    """Something that is chosen before a game begins.

    An option is on or off (its default is a bool), or an integer of a range, or one of ``choices``, or for ``by_seat``
    one of them for each seat. Its values are bools, integers, texts, None, and tuples by seat. Three other forms of a
    value are made here: a JSON value (`to_json`), a word of a command line (`word`), and the int64 that compiled code
    gets (`number`).

    Attributes:
        name: by which it is given.
        default: its value where none is given.
        help: what it does, a clause.
        least, most: range of an integer.
        full: its value in the full game, with all variants on, if that is not the default. Training commands default to
            the full game.
        title: its name in texts for people; its name if empty.
        choices: the values it may have; empty for on or off and for a range.
        names: what may be written in place of the choices, one for each; empty for nothing.
        or_none: whether None is a value too. Only for a range from 1 or more, or by seat.
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
        if self.by_seat and (not self.choices or (len(self.choices) + 1) ** MOST_SEATS > 2**62):
            raise ValueError(f"{self.name}: {len(self.choices)} choices by seat; 1..1289 are needed")
        if self.or_none and not self.by_seat and (self.choices or self.is_switch or self.least <= NONE_NUMBER):
            raise ValueError(f"{self.name}: or_none; a range from 1 or more, or by_seat is needed")
        self.check(self.default)

    @property
    def is_switch(self) -> bool:
        """Whether it is on or off."""
        return isinstance(self.default, bool)

    @property
    def is_number(self) -> bool:
        """Whether all its values are integers of a range."""
        return not (self.is_switch or self.choices or self.or_none)

    def allowed(self, *, in_json: bool = False) -> str:
        """What is allowed, a phrase in the words of Python or of JSON."""
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
        """Return a value in its own form; raise `ValueError` naming the option and what is allowed.

        A choice may be given by its name, the choices by seat as any sequence, or as one word.
        """
        if value is None and self.or_none:
            return None
        if self.is_switch:
            if isinstance(value, bool | np.bool_):
                return bool(value)
        elif self.by_seat:
            if isinstance(value, str):
                return self.parse(value)
            if isinstance(value, Sequence | np.ndarray) and 1 <= len(value) <= MOST_SEATS:
                found = [self._choice(one) for one in value]
                if None not in found:
                    return tuple(found)
        elif self.choices:
            if (choice := self._choice(value)) is not None:
                return choice
        elif is_integer(value) and self.least <= value <= self.most:
            return int(value)
        raise self._wrong(value)

    def _choice(self, value: object) -> Any:
        """The choice that is meant; None if there is no such choice."""
        if isinstance(value, str) and value in self.names:
            return self.choices[self.names.index(value)]
        own = int(value) if is_integer(value) else value
        return next((one for one in self.choices if type(one) is type(own) and one == own), None)

    def _wrong(self, value: object) -> ValueError:
        return ValueError(f"{self.name}: {shorten(value)}; {self.allowed()} is needed")

    def several(self, given: object) -> list[Any]:
        """The values of what stands for one value or for a sequence of them; they are not checked.

        By seat, a sequence of choices is one value, and a sequence of sequences and None are several.
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
        raise ValueError(f"{self.name}: {shorten(content)}; {self.allowed(in_json=True)} is needed")

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
            return self.check([self._of_text(one) for one in word.split(BETWEEN)])
        return self.check(self._of_text(word))

    def _of_text(self, text: str) -> Any:
        """The choice or the number that a text means; the text for neither."""
        if self.is_switch:
            return {"true": True, "false": False}.get(text.lower(), text)
        if self.choices:
            return dict(zip(map(str, self.choices), self.choices, strict=True)).get(text, text)
        return int(text) if text.lstrip("-").isdecimal() and len(text) < 20 else text

    def number(self, value: Any) -> int:
        """A value as compiled code takes it.

        Off is 0 and on is 1; choices count from 0; None is 0. By seat, the choices are digits with the base
        ``len(choices) + 1``, each one more than the choice's place, seat 0 the lowest.
        """
        if value is None:
            return NONE_NUMBER
        if self.by_seat:
            base = len(self.choices) + 1
            return sum((self.choices.index(one) + 1) * base**seat for seat, one in enumerate(value))
        return self.choices.index(value) if self.choices else int(value)

    def value(self, number: int) -> Any:
        """The value of a `number`; raises `ValueError` for one that stands for no value."""
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
        raise ValueError(f"{self.name}: {number}; the number of {self.allowed()} is needed")


def several(given: object) -> list[Any]:
    """The entries of a sequence; a list of one for anything else, such as a text."""
    return list(given) if _is_sequence(given) else [given]


def _is_sequence(value: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)


def _is_of_seats(value: object) -> bool:
    """Whether something stands for a choice of each seat, rather than for one choice."""
    return value is None or _is_sequence(value) or (isinstance(value, str) and BETWEEN in value)


def _same(first: object, second: object) -> bool:
    """Whether two JSON values are the same, also in type."""
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(_same, first, second))
    return type(first) is type(second) and first == second

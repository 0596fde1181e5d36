"""What a language says of Dune: its words, its templates, and the things that templates name.

A template is a text with names in braces. What stands after the colon of a name chooses a form of what is named: two
words with a bar between them are its singular and its plural, as in ``{tokens} {tokens:token|tokens}``; anything else
is a form of the language, such as ``{faction:whose}``. In ``{do:takes|take}``, an action is told first and chosen then
(`harness.presentation.Doing`). `tellers` says what the names mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

BAR = "|"


@dataclass(frozen=True)
class Words:
    """A language.

    Attributes:
        texts: templates by key.
        factions: what the factions are called within a sentence.
        cards: what the kinds of treachery cards are called within a sentence, with an article if they take one.
        leaders, territories: what they are called within a sentence, by their printed names; a printed name that is
            missing is used as it is.
        prints_french: whether the names that components print in French are used.
        is_one: whether a number takes the singular.
        name_is_one: whether a name takes the singular.
        inflected: a form of a name, from the name and what the form is called; raises `ValueError` for another form.
        typeset: the final touch of a text.
        is_choice: whether the templates of actions word what can be chosen instead of what was done.
    """

    texts: Mapping[str, str]
    factions: Sequence[str]
    cards: Sequence[str]
    leaders: Mapping[str, str]
    territories: Mapping[str, str]
    prints_french: bool
    is_one: Callable[[int], bool]
    name_is_one: Callable[[str], bool]
    inflected: Callable[[str, str], str]
    typeset: Callable[[str], str] = str
    is_choice: bool = False

    @property
    def of_choices(self) -> Words:
        """The same language, with actions as people are asked to choose them."""
        return replace(self, is_choice=True)

    def player(self, seat: int) -> str:
        """What a seat is called that nobody has given a name: ``player 1``."""
        return self.texts["player"].format(seat=seat)

    def number(self, number: int) -> Number:
        """A number for a template."""
        return Number(number, self)

    def name(self, text: str) -> Name:
        """A name for a template."""
        return Name(text, self)

    def names(self, names: Iterable[Name], last: str = "and") -> Names:
        """An enumeration for a template; ``last`` is the key of the word before the last name, "and" or "or"."""
        return Names(tuple(names) or (self.name(self.texts["nobody"]),), self.texts[last], self)


@dataclass(frozen=True)
class Number:
    """A number in a template; two words with a bar between them are what it takes in the singular and the plural."""

    number: int
    words: Words

    def __str__(self) -> str:
        return str(self.number)

    def __format__(self, form: str) -> str:
        one, bar, many = form.partition(BAR)
        if not bar:
            return format(self.number, form)
        return one if self.words.is_one(self.number) else many


@dataclass(frozen=True)
class Name:
    """A name in a template, which can ask for one of its forms."""

    text: str
    words: Words

    def __str__(self) -> str:
        return self.text

    def __format__(self, form: str) -> str:
        one, bar, many = form.partition(BAR)
        if bar:
            return one if self.words.name_is_one(self.text) else many
        return self.words.inflected(self.text, form) if form else self.text


@dataclass(frozen=True)
class Names:
    """At least one name in a template: ``A, B and C``, each of them in the form that is asked for."""

    found: tuple[Name, ...]
    last: str
    words: Words

    def __str__(self) -> str:
        return format(self)

    def __format__(self, form: str) -> str:
        if BAR in form:
            return format(self.found[0], form) if len(self.found) == 1 else form.partition(BAR)[2]
        *rest, final = (format(name, form) for name in self.found)
        return f"{', '.join(rest)} {self.last} {final}" if rest else final


def capital(text: str) -> str:
    """A text that begins with a capital."""
    return text[:1].upper() + text[1:]

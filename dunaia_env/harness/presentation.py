"""How a game is shown to people: its picture, the pieces that a person points at, and its wording in several languages.

Everything takes the content of a position as one seat may know it: the state dictionary of a game of perfect
information, the dictionary of `Game.view_to_dict` of any other. Its key ``seat`` says who decides: -1 when the game is
over, None where the seat may not know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

Content = Mapping[str, Any]

ENGLISH = "en"
_PLAIN: Mapping[str, str] = MappingProxyType({})
_NO_TITLES: Mapping[str, tuple[str, str]] = MappingProxyType({})


class Change(NamedTuple):
    """Something that differs between two positions.

    Attributes:
        seat: to whom it happened; None for the common board.
        text: what happened, a clause without its subject ("completes an artefact") for a seat, a full clause for the
            common board.
    """

    seat: int | None
    text: str


class Unit(NamedTuple):
    """What a score counts, a noun of one language.

    Attributes:
        one: where the language takes the singular ("1 point").
        other: elsewhere ("3 points").
    """

    one: str
    other: str


class Wording(NamedTuple):
    """A game in the words of one language. Texts are plain, without markup, and name seats from 0, as files do.

    Attributes:
        language: the language's own name, as people choose it ("English", "français").
        title: of the game.
        options: for each option of the game its title and help, by the option's name.
        unit: what the scores that people are shown count, see `Presentation.counted`.
        player: what a seat is called where nobody has given it a name ("player 1").
        question: what the deciding seat is asked, from content and components.
        rules: a reminder of the rules of the present decision, from content and components.
        sentence: what an action (its text) does, as a clause without its subject ("takes a die showing 3"), from the
            text, content and components.
        changes: what happened between two positions besides what `sentence` of the action said, from the action's
            text, the content before and after, and components.
        piece: what a piece of the picture is, and what it does or would do now, from the piece's name, content and
            components; some sentences.
        presets: for each preset of the game its title and help, by the preset's name.
    """

    language: str
    title: str
    options: Mapping[str, tuple[str, str]]
    unit: Unit
    player: Callable[[int], str]
    question: Callable[[Content, Any], str]
    rules: Callable[[Content, Any], str]
    sentence: Callable[[str, Content, Any], str]
    changes: Callable[[str, Content, Content, Any], Sequence[Change]]
    piece: Callable[[str, Content, Any], str]
    presets: Mapping[str, tuple[str, str]] = _NO_TITLES


class Presentation(NamedTuple):
    """How a game is shown to people.

    Attributes:
        picture: an SVG document of a position as text, from content, components, and the keywords ``seat`` (for whom
            it is drawn: whose pieces come first; None for a spectator), ``names`` (of the seats) and ``language``.
            Every piece that a person can point at is a group with its name in ``data-piece``.
        pieces: the names of the pieces that a person points at for an action, in order, from the action's text and
            content. No two legal actions of a position have the same pieces.
        wordings: by language code (ISO 639-1), at least English.
        styles: how terminals show parts of the texts of `Game.describe`: styles of the library rich ("bold",
            "#2f855a") by regular expression, the later ones on top of the earlier ones.
        counted: how many of `Wording.unit` a score stands for, which people are shown in its place; the score itself
            unless it says more than it counts.
    """

    picture: Callable[..., str]
    pieces: Callable[[str, Content], tuple[str, ...]]
    wordings: Mapping[str, Wording]
    styles: Mapping[str, str] = _PLAIN
    counted: Callable[[int], int] = int

    def wording(self, language: str) -> Wording:
        """The wording of a language; raises `ValueError` naming the languages for any other."""
        if language not in self.wordings:
            raise ValueError(f"language: {language!r}; one of {', '.join(self.wordings)} is needed")
        return self.wordings[language]

"""How a game is shown to people: its picture, the pieces that a person points at, and its wording in several languages.

Every function takes the content of a position as one seat may know it: the state dictionary in a game of perfect
information, the dictionary of `Game.view_to_dict` in any other game. The key ``seat`` of the content is the deciding
seat: -1 when the game is over, None if the seat may not know it. Where something has been decided, `Presentation.hear`
adds to the content of the position before it what everybody at the table has heard of the decision.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

Content = Mapping[str, Any]

ENGLISH = "en"
_PLAIN: Mapping[str, str] = MappingProxyType({})
_NO_CHOICES: Mapping[str, Mapping[str, str]] = MappingProxyType({})
_NO_TITLES: Mapping[str, tuple[str, str]] = MappingProxyType({})


class Change(NamedTuple):
    """Something that differs between two positions.

    Attributes:
        seat: the seat to which it happened; None for the common board.
        text: what happened: for a seat, a clause without its subject ("completes an artefact"); for the common board, a
            full clause.
    """

    seat: int | None
    text: str


class Event(NamedTuple):
    """A difference between two positions, which a game words as a `Change`.

    Attributes:
        seat: the seat that the event belongs to; None for the common board.
        kind: name of a kind of event of the game.
        numbers: the numbers that belong to this kind.
    """

    seat: int | None
    kind: str
    numbers: tuple[int, ...] = ()


class Notice(NamedTuple):
    """What everybody at the table is shown together of something that was decided, such as a battle.

    Attributes:
        title: what was decided ("Battle in Arrakeen").
        seats: the seats that took part, one for each column.
        rows: for each row, what it shows, and a text for each column.
        lines: what came of it, as clauses ("Harkonnen wins by 8 to 5").
    """

    title: str
    seats: tuple[int, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    lines: tuple[str, ...]


def _no_role(seat: int, content: Content, components: Any) -> str:
    return ""


def _no_notice(before: Content, after: Content, components: Any) -> Notice | None:
    return None


class Unit(NamedTuple):
    """What a score counts, as a noun in one language.

    Attributes:
        one: the noun where the language takes the singular ("1 point").
        other: the noun elsewhere ("3 points").
    """

    one: str
    other: str


class Wording(NamedTuple):
    """A game in the words of one language. Texts are plain, without markup, and name seats from 0, as files do.

    Attributes:
        language: the language's own name, as people choose it ("English", "français").
        title: title of the game.
        options: title and help of each option of the game, by the option's name.
        unit: what the scores that people see count, see `Presentation.counted`.
        player: the name of a seat that nobody has given a name ("player 1").
        question: what the deciding seat is asked, from content and components.
        rules: a reminder of the rules of the present decision, from content and components.
        sentence: what an action (its text) does, as a clause without its subject ("takes a die showing 3"), from the
            text, content and components.
        changes: what happened between two positions besides what `sentence` of the action said, from the action's
            text, the content before and after, and components.
        piece: what a piece of the picture is, and what it does or would do now, as a few sentences, from the piece's
            name, content and components.
        presets: title and help of each preset of the game, by the preset's name.
        notice: what everybody is shown of a decision besides the changes, from the content before, with what was heard
            of the decision, the content after, and components; None if there is nothing to show.
        role: what a seat plays ("Bene Gesserit"), from the seat, content and components; empty where seats are alike.
        choices: titles of the values of options, by the option's name and the value's name (`Option.shown`); a value
            without a title is shown by its name.
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
    choices: Mapping[str, Mapping[str, str]] = _NO_CHOICES
    notice: Callable[[Content, Content, Any], Notice | None] = _no_notice
    role: Callable[[int, Content, Any], str] = _no_role


class Drawing(NamedTuple):
    """A position drawn in characters, which terminals show above its text.

    Attributes:
        draw: the lines of the drawing, from content and components; an empty text where there is nothing to draw.
        width: the most characters of a line.
        styles: how terminals show parts of the drawing, as in `Presentation.styles`.
    """

    draw: Callable[[Content, Any], str]
    width: int
    styles: Mapping[str, str] = _PLAIN


class Presentation(NamedTuple):
    """How a game is shown to people.

    Attributes:
        picture: an SVG document of a position as text, from content, components, and the keywords ``seat`` (the seat
            for which it is drawn, whose pieces come first; None for a spectator), ``names`` (of the seats) and
            ``language``. Every piece that a person can point at is a group with its name in ``data-piece``.
        pieces: the names of the pieces that a person points at for an action, in order, from the action's text and
            content. No two legal actions of a position have the same pieces.
        wordings: wordings by language code (ISO 639-1), at least the English one.
        styles: how terminals show parts of the texts of `Game.describe`: styles of the library rich ("bold", "#2f855a")
            by regular expression; later styles are applied on top of earlier ones.
        counted: from a score, the number of `Wording.unit` that it stands for, which people see in its place. It is the
            score itself, unless the score encodes more than this number.
        preset: the name of the preset with which people begin to choose; None for the defaults of the options.
        drawing: the drawing of a position in characters; None if terminals show texts only.
        heard: what everybody hears of a decision although views do not show it, see `hear`; None in a game in which
            there is no such thing.
        emblem: the sign of what a seat plays, from the seat and content: an SVG document in the colour of the text
            around it, or an empty text; None in a game without such signs.
    """

    picture: Callable[..., str]
    pieces: Callable[[str, Content], tuple[str, ...]]
    wordings: Mapping[str, Wording]
    styles: Mapping[str, str] = _PLAIN
    counted: Callable[[int], int] = int
    preset: str | None = None
    drawing: Drawing | None = None
    heard: Callable[[str, Content, Content, Content, Any], Content] | None = None
    emblem: Callable[[int, Content], str] | None = None

    def hear(self, action: str, seen: Content, before: Content, after: Content, components: Any) -> Content:
        """The content of a position as a seat knows it once everybody has heard what was decided there.

        A `Wording` makes from it the sentence of the action, the changes and the notice. The key ``seat`` stays None
        if the seat may not know who has decided what.

        Args:
            action: the text of the action that was decided.
            seen: the content of the position as the seat knew it.
            before: the state dictionary of the position.
            after: the state dictionary of the next position.
            components: the components of the game.

        Returns:
            ``seen`` itself if there was nothing to hear.
        """
        return seen if self.heard is None else self.heard(action, seen, before, after, components)

    def wording(self, language: str) -> Wording:
        """The wording in a language; raises `ValueError`, naming the known languages, for any other language."""
        if language not in self.wordings:
            raise ValueError(f"language: expected one of {', '.join(self.wordings)}, got {language!r}")
        return self.wordings[language]

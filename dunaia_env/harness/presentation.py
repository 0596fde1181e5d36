"""How a game is shown to people: its picture, the pieces that a person points at, and its wording in several languages.

Every function takes the content of a position as one seat may know it: the state dictionary in a game of perfect
information, the dictionary of `Game.view_to_dict` in any other game. The key ``seat`` of the content is the deciding
seat: -1 when the game is over, None if the seat may not know it. Where something has been decided, `Presentation.hear`
adds to the content of the position before it what everybody at the table has heard of the decision.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
        to_seat: what the seat itself is told in its place, a full clause ("you had to take the 5"); empty for the same.
        is_apart: whether pages tell it on a line of its own, because it matters and is easily overlooked.
    """

    seat: int | None
    text: str
    to_seat: str = ""
    is_apart: bool = False


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


class Outcome(NamedTuple):
    """What people are told of the result of a game that is over, besides scores and ranks.

    Attributes:
        reason: why the game has ended as it has, as sentences; empty if there is nothing to say.
        sources: what the scores are made of: for each source its title, and a part of the score for each seat.
        winners: the seats that have won; None for those with the best rank.
    """

    reason: str = ""
    sources: tuple[tuple[str, tuple[int, ...]], ...] = ()
    winners: tuple[int, ...] | None = None


class Progress(NamedTuple):
    """How far a game has come, which pages tell beside the scores.

    Attributes:
        needed: for each seat, the score that wins the game, in the form that people see; empty if no score does.
        titles: what score and needed score mean, for each seat, as sentences; empty like ``needed``.
        time: which part of the game it is in ("turn 1/10"); empty for nothing.
    """

    needed: tuple[int, ...] = ()
    titles: tuple[str, ...] = ()
    time: str = ""


def _no_progress(content: Content, components: Any) -> Progress:
    return Progress()


def _no_outcome(content: Content, components: Any) -> Outcome:
    return Outcome()


def _no_role(seat: int, content: Content, components: Any) -> str:
    return ""


def _no_briefing(content: Content, components: Any) -> str:
    return ""


def _no_focus(content: Content, seat: int) -> Sequence[str]:
    return ()


def _no_notice(before: Content, after: Content, components: Any) -> Notice | None:
    return None


@dataclass(frozen=True)
class Doing:
    """The two forms of an action's words, which a template names with a bar between them: ``{do:takes|take} a die``.

    Attributes:
        is_choice: whether the template words what can be chosen (`Wording.imperative`), with the second form; otherwise
            it words what was done (`Wording.sentence`), with the first.
    """

    is_choice: bool

    def __format__(self, forms: str) -> str:
        done, _, chosen = forms.partition("|")
        return chosen if self.is_choice else done


class Unit(NamedTuple):
    """What a score counts, as a noun in one language.

    Attributes:
        one: the noun where the language takes the singular ("1 point").
        other: the noun elsewhere ("3 points").
    """

    one: str
    other: str


class Lesson(NamedTuple):
    """A part of a game's primer: a title, a short text, and an SVG document that shows what it speaks of."""

    title: str
    text: str
    drawing: str


class Introduction(NamedTuple):
    """What people who do not know a game are told, in one language.

    Attributes:
        about: the game in a sentence or two.
        lessons: the rules on one page, in order.
        tip: what to think of at a decision of one's first turn, from content and components; an empty text for
            nothing. None if the game has no tips.
        preset: the name of the preset with which people play with tips; None for the defaults of the options.
        is_met_once: whether each tip is shown in the whole game where it is met first, because a turn has many parts;
            otherwise the tips belong to one's first turn.
        after_turn: what to know after one's first turn, where the tips end; empty for nothing.
    """

    about: str
    lessons: Sequence[Lesson]
    tip: Callable[[Content, Any], str] | None = None
    preset: str | None = None
    is_met_once: bool = False
    after_turn: str = ""


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
        imperative: the same where people choose the action, as an order ("take a die showing 3").
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
        introduction: what people who do not know the game are told; None for nothing.
        outcome: what people are told of the result of a game that is over, from content and components.
        briefing: what the deciding seat knows that the answer depends on, such as prices, in a few sentences; empty for
            nothing.
        prompts: what people are asked to point at next where all pieces that can follow are of one kind, by the kind:
            the piece's name without the numbers at its end.
        progress: how far the game has come, from content and components.
    """

    language: str
    title: str
    options: Mapping[str, tuple[str, str]]
    unit: Unit
    player: Callable[[int], str]
    question: Callable[[Content, Any], str]
    rules: Callable[[Content, Any], str]
    sentence: Callable[[str, Content, Any], str]
    imperative: Callable[[str, Content, Any], str]
    changes: Callable[[str, Content, Content, Any], Sequence[Change]]
    piece: Callable[[str, Content, Any], str]
    presets: Mapping[str, tuple[str, str]] = _NO_TITLES
    choices: Mapping[str, Mapping[str, str]] = _NO_CHOICES
    notice: Callable[[Content, Content, Any], Notice | None] = _no_notice
    role: Callable[[int, Content, Any], str] = _no_role
    introduction: Introduction | None = None
    outcome: Callable[[Content, Any], Outcome] = _no_outcome
    briefing: Callable[[Content, Any], str] = _no_briefing
    prompts: Mapping[str, str] = _PLAIN
    progress: Callable[[Content, Any], Progress] = _no_progress


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


class Item(NamedTuple):
    """Something in a panel of a page.

    Attributes:
        text: what is shown beside the icon; may be empty.
        label: what a screen reader says.
        piece: name of the piece that the item stands for; empty for none.
        icon: an SVG document; empty for none.
        is_faint: whether the item is shown faintly, as what is used up or gone.
    """

    text: str
    label: str
    piece: str = ""
    icon: str = ""
    is_faint: bool = False


COUNTS, DISCS, CARDS, LINES = "counts", "discs", "cards", "lines"


class Group(NamedTuple):
    """Items of a panel that belong together.

    Attributes:
        form: how pages lay the items out: `COUNTS`, icons with numbers in a row; `DISCS`, icons alone in a row;
            `CARDS`, icons with texts; `LINES`, texts below each other.
        items: the items in order.
        title: the heading; empty for none.
        is_folded: whether pages show only the heading until somebody unfolds the group.
    """

    form: str
    items: Sequence[Item]
    title: str = ""
    is_folded: bool = False


class Panel(NamedTuple):
    """What a page writes beside the board about one player or one subject.

    Attributes:
        seat: the seat whose panel it is; None for none.
        head: the heading, with the piece that it stands for.
        marks: short remarks beside the heading.
        groups: what stands below it.
        is_deciding: whether the seat decides.
    """

    seat: int | None
    head: Item
    marks: Sequence[Item]
    groups: Sequence[Group]
    is_deciding: bool = False


class Step(NamedTuple):
    """A part of a turn: its name, and whether the game is in it."""

    text: str
    is_now: bool


class Surroundings(NamedTuple):
    """What a page writes around the board: the parts of a turn in order, and the panels."""

    steps: Sequence[Step]
    panels: Sequence[Panel]

    def pieces(self) -> list[str]:
        """The names of the pieces in the panels."""
        items = [
            item
            for panel in self.panels
            for item in (panel.head, *panel.marks, *(item for group in panel.groups for item in group.items))
        ]
        return [item.piece for item in items if item.piece]


class Parts(NamedTuple):
    """A picture in parts, for pages, which write as text what is not on the board.

    Attributes:
        board: an SVG document of the board alone; called as `Presentation.picture` is.
        surroundings: what lies around it; called likewise. Board and surroundings together have the pieces of the
            picture, each once.
        focus: the pieces of the board that matter most to a seat, from content and the seat: those that its decision is
            about, or else its own. Pages scroll to them where the board is larger than the screen.
    """

    board: Callable[..., str]
    surroundings: Callable[..., Surroundings]
    focus: Callable[[Content, int], Sequence[str]] = _no_focus


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
        parts: the picture in parts, for pages; None if pages show the whole picture.
        dark: the colours of the picture that pages change where the user wants a dark page: colours by colour, each
            written as in the picture.
        least_text: the least size of the picture's texts, or of the board's texts where it comes in parts, in units of
            the document; pages show it so large that they can be read. None if it is not known.
        listed: from an action's text, content and components, a number by which pages sort the choices that they list;
            the smaller number comes first, and equal ones stay in the order of the actions. None for this order alone.
        cover: an SVG document that stands for the game where one is chosen; None for none.
    """

    picture: Callable[..., str]
    pieces: Callable[[str, Content], tuple[str, ...]]
    wordings: Mapping[str, Wording]
    styles: Mapping[str, str] = _PLAIN
    counted: Callable[[int], int] = int
    preset: str | None = None
    drawing: Drawing | None = None
    parts: Parts | None = None
    dark: Mapping[str, str] = _PLAIN
    least_text: float | None = None
    cover: Callable[[], str] | None = None
    heard: Callable[[str, Content, Content, Content, Any], Content] | None = None
    emblem: Callable[[int, Content], str] | None = None
    listed: Callable[[str, Content, Any], int] | None = None

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

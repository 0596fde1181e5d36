"""One fixed screen for each decision: the position, what has happened, and the choices, on the rows that there are."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, RenderableType
from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

from .choices import Choices
from .displays import Moment
from .listing import LEAST_ROWS, lay_out, pages, wanted
from .text import fitted, lines_of, wrapped

LEAST_WIDTH, LEAST_HEIGHT = 80, 24
_BELOW = 2  # rows below the drawing: the prompt, and the one to which Enter moves the cursor without scrolling
_MOST_NOTICES = 6
_KEPT = ((7, 3, 5), (12, 1, 3))  # rows kept for choices and for news: one in so many, at least and at most


class Screen:
    """Draws each decision anew on the terminal's alternate screen, so that nothing scrolls away.

    Args:
        console: the console to draw on; it has to be a terminal.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._is_open = False
        self._moment: Moment | None = None
        self._notices: list[Text] = []
        self._held = ""
        self._indices: Sequence[int] | None = None
        self._page = 0
        self._overlay: list[list[Text]] = []
        self._overlay_title = ""
        self._overlay_pages = 0
        self._room = 0  # rows that the choices can have
        self._village = 0

    @property
    def fits(self) -> bool:
        """Whether the terminal is large enough at this moment."""
        return self._console.width >= LEAST_WIDTH and self._console.height >= LEAST_HEIGHT

    def enter(self) -> None:
        """Turn to the alternate screen."""
        if not self._is_open:
            self._is_open = True
            self._console.set_alt_screen(True)

    def leave(self) -> None:
        """Turn back to the terminal's usual screen, as it was before."""
        self.clear()
        if self._is_open:
            self._is_open = False
            self._console.set_alt_screen(False)

    def clear(self) -> None:
        """Forget everything that is shown; the next drawing shows only what was said since."""
        self._moment, self._held, self._village = None, "", 0
        self._notices = []
        self._show_all()

    def begin(self, moment: Moment) -> None:
        """Show a decision."""
        self.clear()
        self._moment = moment

    def say(self, text: str, style: str = "") -> None:
        """Answer what was typed, in the rows above the prompt, until the next drawing."""
        if text:
            self._notices.append(Text(text, style))

    def hold(self, sentence: str) -> None:
        """Show a choice above the prompt until it is released."""
        self._overlay, self._held = [], sentence

    def release(self) -> None:
        """Forget the choice that waited for its confirmation, and list all choices again."""
        self._held = ""
        self._show_all()

    def command(self, name: str, argument: str) -> bool:
        """Show the board, a village, the log or more of the choices; False for another command."""
        moment = self._moment
        if moment is None or (argument and name != "village"):
            return False
        look, content, seat = moment.look, moment.content, moment.view.seat
        if name == "board":
            parts = list(look.board(content, seat, moment.names, self._console))
            self.pages(look.heading(content, moment.names[seat]), parts)
        elif name == "village":
            return self._show_village(moment, argument)
        elif name == "log":
            self.pages("What has happened, the latest last", moment.log.lines or [Text("Nothing yet.")], latest=True)
        elif name == "choices":
            self._show_on_pages(moment.choices, range(len(moment.choices.actions)))
        elif name == "next":
            self._overlay = []
            self._page += 1
        else:
            return False
        return True

    def list_choices(self, indices: Sequence[int]) -> None:
        """Show only some of the choices, until Enter shows all; on a screen of their own if they need that."""
        self._show_all()
        if self._moment is None:
            return
        if wanted(self._moment.choices, indices, self._console.width) <= self._room:
            self._indices = indices
        else:
            self._show_on_pages(self._moment.choices, indices)

    def pages(self, title: str, parts: Sequence[RenderableType], *, latest: bool = False) -> None:
        """Show a longer text instead of the decision, a screen at a time; ``latest`` begins with the end of it.

        Without a title, the text begins in the first row.
        """
        lines = lines_of(parts, self._console, self._console.width)
        rows = self._rows - (2 if title else 1)
        starts = range(0, max(len(lines), 1), rows)
        if latest:
            ends = range(len(lines), 0, -rows)
            self._overlay = [lines[max(end - rows, 0) : end] for end in ends]
        else:
            self._overlay = [lines[start : start + rows] for start in starts]
        self._overlay_title, self._overlay_pages = title, len(self._overlay)

    def back(self) -> bool:
        """Turn to the next page of a longer text, or from its end back to the decision and all of its choices."""
        if self._overlay:
            self._overlay = self._overlay[1:]
        elif self._indices is not None or self._page:
            self._show_all()
        else:
            return False
        return True

    def wait(self, text: str) -> None:
        """Say in the row of the prompt what the game waits for."""
        if self._is_open:
            row = self._console.height - _BELOW
            erase = (ControlType.ERASE_IN_LINE, 2)
            with self._console:
                self._console.control(Control.move_to(0, row), Control(erase))
                self._console.print(fitted(Text(text, "dim"), self._console.width - 1), end="")

    def lines(self) -> list[Text]:
        """The rows above that of the prompt."""
        rows, width = self._rows, self._console.width
        return [fitted(line, width) for line in [*self._lines(rows, width), *[Text()] * rows][:rows]]

    def draw(self) -> None:
        """Draw the whole screen at once and put the cursor where the prompt belongs."""
        lines = self.lines()
        erase = (ControlType.ERASE_IN_LINE, 2)
        with self._console:
            for row, line in enumerate([*lines, *[Text()] * _BELOW]):
                self._console.control(Control.move_to(0, row), Control(erase))
                self._console.print(line, end="", no_wrap=True, crop=True)
            self._console.control(Control.move_to(0, len(lines)))
        self._notices = []

    # The parts of the screen

    @property
    def _rows(self) -> int:
        return max(self._console.height - _BELOW, 1)

    def _show_all(self) -> None:
        self._indices, self._page, self._overlay = None, 0, []

    def _show_on_pages(self, choices: Choices, indices: Sequence[int]) -> None:
        """Show choices instead of the decision, a screen at a time; a row is left for what is said about them."""
        self._overlay = pages(choices, indices, self._console.width, self._rows - 3)
        self._overlay_title, self._overlay_pages = choices.question, len(self._overlay)

    def _show_village(self, moment: Moment, argument: str) -> bool:
        """Show the village of the player who was named, or of the next one each time."""
        seats, own = len(moment.names), moment.view.seat
        if not moment.look.others or (argument and not argument.isdecimal()):
            return False
        if argument and int(argument[:9]) >= seats:
            self.say(f"Expected a player in 0..{seats - 1}, got {argument[:9]}.", "yellow")
            return True
        if argument:
            seat = int(argument)
        else:
            self._village = self._village % (seats - 1) + 1
            seat = (own + self._village) % seats
        self.pages("", list(moment.look.own_board(moment.content, seat, moment.names, self._console)))
        return True

    def _lines(self, rows: int, width: int) -> list[Text]:
        notices = [line for notice in self._notices for line in wrapped(notice, width)][:_MOST_NOTICES]
        if self._held:
            notices = [*wrapped(Text(f"  {self._held}", "bold"), width), *notices]
        if self._moment is None:
            return [*[Text()] * (rows - len(notices)), *notices]
        if self._overlay:
            return self._overlaid(rows, width, notices)
        return self._decision(self._moment, rows, width, notices)

    def _overlaid(self, rows: int, width: int, notices: Sequence[Text]) -> list[Text]:
        """A page of a longer text."""
        number = self._overlay_pages - len(self._overlay) + 1
        turning = f"Page {number} of {self._overlay_pages}. Enter shows the next one."
        foot = [*notices, Text(turning if len(self._overlay) > 1 else "Enter goes back.", "dim")]
        head = [_heading(self._overlay_title, "", width)] if self._overlay_title else []
        page = [*head, *self._overlay[0]][: rows - len(foot)]
        return [*page, *[Text()] * (rows - len(foot) - len(page)), *foot]

    def _decision(self, moment: Moment, rows: int, width: int, notices: Sequence[Text]) -> list[Text]:
        """The decision: heading, position, question, choices, and what has happened or was answered."""
        look, content, seat, choices = moment.look, moment.content, moment.view.seat, moment.choices
        title = f"{moment.title}: " if moment.title else ""
        heading = _heading(f"{title}{look.heading(content, moment.names[seat])}", look.standing(content, seat), width)
        # The position gets the same rows in every decision, so that it stays where it is.
        kept_choices, kept_news = (min(max(rows // part, least), most) for part, least, most in _KEPT)
        scene = look.scene(
            content, seat, moment.names, self._console, width=width, rows=rows - 2 - kept_choices - kept_news
        )
        indices = range(len(choices.actions)) if self._indices is None else self._indices
        news = [line for entry in moment.log.since(seat) for line in wrapped(entry, width, indent=4)]
        left = rows - 1 - len(scene) - len(notices)
        question, listed = self._asked(moment, indices, width, left, max(min(len(news), kept_news) - len(notices), 0))
        self._room = left - len(question)
        left -= len(question) + len(listed)
        # What was answered and the choices come before the last rows of the position.
        scene = scene[: len(scene) + min(left, 0)]
        left = max(left, 0)
        shown = _latest(news, left)
        padding = [Text()] * (left - len(shown))
        return [heading, *scene, *shown, *padding, *question, *listed, *notices]

    def _asked(
        self, moment: Moment, indices: Sequence[int], width: int, rows: int, kept: int
    ) -> tuple[list[Text], list[Text]]:
        """The question and the choices on at most a number of rows, some of which are kept free if that can be."""
        choices = moment.choices
        said = choices.question
        hint = "Enter lists all choices" if self._indices is not None else ""
        question = wrapped(Text(said, "bold"), width)
        for _ in range(2):
            room = max(min(rows - len(question) - kept, wanted(choices, indices, width)), LEAST_ROWS)
            page = lay_out(choices, indices, width, room, self._page)
            notes = "; ".join(note for note in (page.note, hint) if note)
            asked = Text(said, "bold").append(f"   ({notes})", "not bold") if notes else Text(said, "bold")
            question = wrapped(asked, width)
        return question, page.lines


def _heading(text: str, right: str, width: int) -> Text:
    """The first row: a heading, and something at its right end."""
    line = fitted(Text(text), width - len(right) - (2 if right else 0), pad=True)
    line.append(f"  {right}" if right else "")
    line.stylize("bold reverse")
    return line


def _latest(lines: Sequence[Text], rows: int) -> list[Text]:
    """The latest lines; the first row says how many came before if there are more."""
    if len(lines) <= rows:
        return list(lines)
    if rows <= 1:
        return [Text(f"(l: {len(lines) - 1} lines before) ", "dim").append(lines[-1].plain.strip())] * rows
    left = len(lines) - rows + 1
    return [Text(f"l: the log, {left} lines before", "dim"), *lines[-(rows - 1) :]]

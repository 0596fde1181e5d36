"""How a terminal shows a decision: as text that scrolls. `screen` has the other way, one fixed screen."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from rich.console import Console, RenderableType
from rich.text import Text

from dunaia_env.harness.state import View

from .choices import Choices
from .game_look import Look
from .log import Log


@dataclass(frozen=True)
class Moment:
    """A decision that a person is asked for, with everything that can be shown of it.

    Attributes:
        title: which of several games it belongs to; empty if there is one.
        lane: the number of that game.
        view: what the seat knows.
        content: the same as a dictionary.
        look: how the game is shown.
        names: the names of the seats.
        choices: what can be chosen.
        log: what has happened.
    """

    title: str
    lane: int
    view: View
    content: Mapping[str, Any]
    look: Look
    names: Sequence[str]
    choices: Choices
    log: Log


class Display(Protocol):
    """What shows decisions, and answers what a person types besides a choice."""

    def begin(self, moment: Moment) -> None:
        """Show a decision."""

    def say(self, text: str, style: str = "") -> None:
        """Answer what was typed."""

    def hold(self, sentence: str) -> None:
        """Show a choice that waits for its confirmation."""

    def release(self) -> None:
        """Forget the choice that waited."""

    def command(self, name: str, argument: str) -> bool:
        """Do what a command of the display asks for; False if the display has no such command."""

    def list_choices(self, indices: Sequence[int]) -> None:
        """Show some of the choices."""

    def pages(self, title: str, parts: Sequence[RenderableType]) -> None:
        """Show a longer text."""

    def back(self) -> bool:
        """Go back to the decision after something else was shown; False if nothing else is shown."""

    def draw(self) -> None:
        """Show what has been said, before a line is read."""


class Scroll:
    """Prints each decision below the last one.

    The whole board is printed when a turn begins, and the seat's own part of it again after it has changed.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._moment: Moment | None = None
        self._turn: Hashable = None
        self._own_part: Any = None

    def begin(self, moment: Moment) -> None:
        """Print the position, as far as it is news, and the choices."""
        look, content, seat = moment.look, moment.content, moment.view.seat
        self._moment = moment
        if moment.title:
            self.say(moment.title, "bold underline")
        turn, own_part = (moment.lane, seat, look.turn(content)), look.own_part(content, seat)
        if turn != self._turn:
            self._turn = turn
            self._print_board(moment)
        elif own_part != self._own_part:
            for part in look.own_board(content, seat, moment.names, self._console):
                self._console.print(part)
        self._own_part = own_part
        self._print_choices(moment)

    def say(self, text: str, style: str = "") -> None:
        """Print a text."""
        self._console.print(Text(text, style))

    def hold(self, sentence: str) -> None:
        """Print a choice that waits for its confirmation."""
        self.say(f"  {sentence}", "bold")

    def release(self) -> None:
        """Do nothing: what was printed stays."""

    def command(self, name: str, argument: str) -> bool:
        """Print the board again."""
        if name != "board" or argument or self._moment is None:
            return False
        self._print_board(self._moment)
        self._print_choices(self._moment)
        return True

    def list_choices(self, indices: Sequence[int]) -> None:
        """Print some of the choices."""
        if self._moment is not None:
            for part in self._moment.choices.listing(indices, self._console.width):
                self._console.print(part)

    def pages(self, title: str, parts: Sequence[RenderableType]) -> None:
        """Print a longer text, without its title."""
        for part in parts:
            self._console.print(part)

    def back(self) -> bool:
        """Do nothing: the decision stands above."""
        return False

    def draw(self) -> None:
        """Do nothing: everything has been printed."""

    def _print_board(self, moment: Moment) -> None:
        self.say("")
        self.say(moment.look.heading(moment.content, moment.names[moment.view.seat]), "bold reverse")
        for part in moment.look.board(moment.content, moment.view.seat, moment.names, self._console):
            self._console.print(part)

    def _print_choices(self, moment: Moment) -> None:
        choices = moment.choices
        self.say("")
        self.say(f"{choices.question}   {choices.resources}".rstrip(), "bold")
        self.list_choices(range(len(choices.actions)))

"""An agent that asks people at a terminal for each action."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.text import Text

from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.opponents import Agent, GameLeftError
from dunaia_env.harness.state import GameState, View, view_of
from dunaia_env.support.messages import printable, reason

from .choices import Choices, UnclearError, quoted
from .displays import Display, Moment, Scroll
from .game_look import Look
from .log import Log
from .look import look_of
from .screen import Screen

Ask = Callable[[str], str]

MOST_HINTS = 3
MOST_OF_A_HINT, MOST_OF_A_NAME = 100, 60  # characters
MOST_UNREADABLE = 100  # undecodable inputs before the game is left: they come from a binary file, not from a person

_HELP = """\
Type the number of a choice, or its text, or an unambiguous beginning of it, and press Enter.
  ?  this help        h  hint         b  the board again
  r  rules of this decision           q  quit (the game can be saved)
Then press Enter to confirm the choice, or type u to take it back. Nothing happens before you confirm."""

_ON_A_SCREEN = """\
  l  what has happened      c  all choices      n  the next page of the choices
{}Enter goes back to the decision. A range, such as 5-13, lists those choices."""
_OTHERS = "  v  {} of another player (v 2: of player 2)\n"

_COMMANDS = {
    "?": "help",
    "help": "help",
    "h": "hint",
    "hint": "hint",
    "b": "board",
    "board": "board",
    "r": "rules",
    "rules": "rules",
    "q": "quit",
    "quit": "quit",
    "u": "undo",
    "undo": "undo",
}
_COMMANDS_OF_A_SCREEN = {
    "l": "log",
    "log": "log",
    "v": "village",
    "village": "village",
    "c": "choices",
    "choices": "choices",
    "n": "next",
    "next": "next",
}


class TerminalAgent:
    """Asks people at a terminal. One agent can play several seats, so several people can share a terminal.

    It shows the position and the choices as numbered sentences. A choice is played only after it was confirmed. It
    plays every game with a presentation.

    Args:
        console: the console to write to; standard output for None.
        ask: shows a prompt and returns a line, like `input`; `ask_standard_input` for None. It may raise ``EOFError``
            and ``KeyboardInterrupt``: after the first one the person is told how to leave, and the second one in a row
            leaves the game.
        hint: the agent that gives hints; no hints for None. If it has a method
            ``hints(position) -> list[tuple[int, str]]``, which returns actions with short texts, best first, three of
            them are shown; otherwise the action that `act` chooses is shown. The position is a state, or a view in a
            game with hidden information.
        confirm: whether a choice must be confirmed.
        names: the names of the seats; "player 0" and so on if empty.
        show_changes: whether to show what has changed since the seat's last decision, for a caller that does not show
            every action itself.
        screen: whether each decision is drawn on one fixed screen, on a terminal of at least 80 columns and 24 rows. On
            a smaller one, and otherwise, what is shown scrolls: the board when a turn begins, and the seat's own part
            of it again after it has changed.

    `act` raises `GameLeftError` when the person quits.
    """

    name = "terminal"
    version = "1"

    def __init__(
        self,
        console: Console | None = None,
        ask: Ask | None = None,
        *,
        hint: Agent | None = None,
        confirm: bool = True,
        names: Sequence[str] = (),
        show_changes: bool = True,
        screen: bool = False,
    ) -> None:
        self._console = Console() if console is None else console
        self._screen = Screen(self._console) if screen else None
        self._ask = ask_standard_input if ask is None else ask
        self._hint = hint
        self._confirm = confirm
        self._names = tuple(names)
        self._shows_changes = show_changes
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Forget the positions shown before and what has happened; the seed is not used."""
        self._seen: dict[tuple[int, int], View] = {}
        self._logs: dict[tuple[int, int | None], Log] = {}
        self._scroll = Scroll(self._console)
        self._display: Display = self._scroll if self._screen is None else self._screen

    def act(self, view: View | GameState) -> int:
        """The action that the person chose and confirmed; raises `GameLeftError` if they quit."""
        return self._act(view_of(view), lane=0)

    def act_batch(self, lanes: Lanes, selected: NDArray[np.int64]) -> NDArray[np.int32]:
        """The action that `act` gets, for each selected lane in turn; raises `GameLeftError` if the person quits."""
        actions = np.zeros(len(selected), np.int32)
        for index, lane in enumerate(selected.tolist()):
            title = f"Game {lane}" if lanes.num_lanes > 1 else ""
            actions[index] = self._act(lanes.get_state(lane).view(), lane=lane, title=title)
        return actions

    @contextmanager
    def on_screen(self) -> Iterator[None]:
        """Play on the fixed screen, if there is one, and turn back to the terminal's usual screen at the end."""
        try:
            yield
        finally:
            if self._screen is not None:
                self._screen.leave()

    def tell(self, observer: int | None, text: str, style: str = "") -> bool:
        """Note what has happened, for a seat or, with None, for all of them.

        Returns whether it is shown at the next decision: False without a fixed screen, where the caller has to show it.
        """
        if self._screen is not None:
            self._log(0, observer).add(text, style)
        return self._screen is not None

    def told(self, seat: int) -> list[Text]:
        """What was told since a seat decided last; nothing without a fixed screen."""
        return [line for observer in (None, seat) for line in self._log(0, observer).since(seat)]

    def wait(self, text: str) -> None:
        """Say on the fixed screen, if there is one, what the game waits for."""
        if self._screen is not None:
            self._screen.wait(text)

    def _log(self, lane: int, observer: int | None) -> Log:
        return self._logs.setdefault((lane, observer), Log())

    def _act(self, view: View, lane: int, title: str = "") -> int:
        look = look_of(view.game, view.components)
        content, names = view.to_dict(), self._names_of(view)
        log = self._log(lane, None if view.game.perfect_information else view.seat)
        self._turn_to_display(log, view.seat)
        before = self._seen.get((lane, view.seat))
        if self._shows_changes and before is not None and _may_follow(before, view):
            for text, style in self._changes(before.to_dict(), content, view, look):
                if self._display is self._screen:
                    log.add(text, style)
                else:
                    self._say(text, style)
        options = Choices(view, content, look)
        self._display.begin(Moment(title, lane, view, content, look, names, options, log))
        action = self._choose(view, content, options, look)
        self._seen[lane, view.seat] = view
        log.mark(view.seat)
        return action

    def _turn_to_display(self, log: Log, seat: int) -> None:
        """Use the fixed screen if there is one and the terminal is large enough now."""
        if not self._opens_screen() and self._screen is not None:
            for line in log.since(seat):
                self._console.print(line)

    def _opens_screen(self) -> bool:
        """Turn to the fixed screen, if there is one and it fits, otherwise to what scrolls."""
        if self._screen is None:
            return False
        if self._screen.fits:
            self._screen.enter()
            self._display = self._screen
        else:
            self._screen.leave()
            self._display = self._scroll
        return self._display is self._screen

    def _say(self, text: str, style: str = "") -> None:
        self._display.say(text, style)

    def _names_of(self, view: View) -> list[str]:
        return list(self._names) or [f"player {seat}" for seat in range(view.num_players)]

    def _changes(
        self, before: Mapping[str, Any], content: Mapping[str, Any], view: View, look: Look
    ) -> Iterator[tuple[str, str]]:
        """Lines about what has changed between two positions, with their styles."""
        names = self._names_of(view)
        # Changes of the table, which belong to no seat, come last.
        news = sorted(
            look.wording.changes("", before, content, view.components),
            key=lambda change: len(names) if change.seat is None else change.seat,
        )
        if news:
            yield "Since your last decision:", "bold"
        for seat, group in groupby(news, key=lambda change: change.seat):
            owner = "the table" if seat is None else "you" if seat == view.seat else names[seat]
            yield f"  {owner}: {'; '.join(change.text for change in group)}", ""

    def pause(self, prompt: str) -> None:
        """Wait until Enter is pressed; raises `GameLeftError` if the person quits."""
        if not self._opens_screen():
            self._console.clear()
        elif self._screen is not None:
            self._screen.clear()
        if _COMMANDS.get(self._read(prompt).lower()) == "quit":
            raise GameLeftError("You left the game.", can_ask=True)

    def _read(self, prompt: str) -> str:
        """Read a line; a first interruption is answered with a message, a second one in a row leaves the game."""
        interruptions = unreadable = 0
        while True:
            self._display.draw()
            try:
                return self._ask(prompt).strip()
            except (EOFError, KeyboardInterrupt) as error:
                interruptions += 1
                what = "The input has ended" if isinstance(error, EOFError) else "Interrupted"
                self._say("")
                if interruptions > 1:
                    raise GameLeftError(f"{what}.", can_ask=False) from None
                self._say(f"{what}. Repeat it to leave the game; type q to quit or ? for help.", "yellow")
            except UnicodeDecodeError as error:
                unreadable += 1
                if unreadable > MOST_UNREADABLE:
                    raise GameLeftError("The input is not text.", can_ask=False) from error
                self._say("The input is not text. Type a number or a text, or ? for help.", "yellow")

    def _choose(self, view: View, content: Mapping[str, Any], options: Choices, look: Look) -> int:
        """Ask until the person has made and confirmed a choice."""
        while True:
            typed = self._read(f"Your choice (1-{len(options.actions)}, ? for help): ")
            if typed == "" and self._display.back():
                continue
            command = _COMMANDS.get(typed.lower())
            if command == "help":
                self._display.pages("Help", [Text(self._help(look))])
            elif command == "hint":
                self._give_hint(view, options)
            elif command == "rules":
                self._display.pages("Rules of this decision", [Text(look.wording.rules(content, view.components))])
            elif command == "quit":
                raise GameLeftError("You left the game.", can_ask=True)
            elif command == "undo":
                self._say("Nothing to take back: no choice has been typed.", "yellow")
            elif not self._is_display_command(typed):
                try:
                    index = options.find(typed)
                except UnclearError as error:
                    self._say(str(error), "yellow")
                    if error.matches:
                        self._display.list_choices(error.matches)
                    continue
                if not self._confirm or self._is_confirmed(options.sentences[index]):
                    return options.actions[index]

    def _is_display_command(self, typed: str) -> bool:
        """Do what a command of the display asks for; False if it is none."""
        word, _, argument = typed.lower().partition(" ")
        commands = _COMMANDS if self._display is self._scroll else {**_COMMANDS, **_COMMANDS_OF_A_SCREEN}
        return word in commands and self._display.command(commands[word], argument.strip())

    def _help(self, look: Look) -> str:
        parts = [_HELP]
        if self._display is self._screen:
            parts.append(_ON_A_SCREEN.format(_OTHERS.format(look.others.lower()) if look.others else ""))
        return "\n".join([*parts, look.help]).rstrip()

    def _is_confirmed(self, sentence: str) -> bool:
        self._display.hold(sentence)
        while True:
            typed = self._read("  Press Enter to confirm, or type u to take it back: ").lower()
            if typed == "":
                return True
            if _COMMANDS.get(typed) == "undo":
                self._display.release()
                self._say("  Taken back.")
                return False
            if _COMMANDS.get(typed) == "quit":
                raise GameLeftError("You left the game.", can_ask=True)
            self._say(f"  {quoted(typed)} is not possible here: press Enter, u or q (to quit).", "yellow")

    def _give_hint(self, view: View, options: Choices) -> None:
        if self._hint is None:
            self._say("No agent gives hints in this game.", "yellow")
            return
        hints = getattr(self._hint, "hints", None)
        # The agent may be a user agent; an exception in it must not end the game.
        try:
            position = view.state if view.game.perfect_information else view
            suggestions = hints(position)[:MOST_HINTS] if hints else [(self._hint.act(view), "")]
            lines = [(options.actions.index(action), printable(text, MOST_OF_A_HINT)) for action, text in suggestions]
        except Exception as error:
            self._say(f"{shown_name(self._hint)} has no hint: {reason(error)}", "yellow")
            return
        adviser = shown_name(self._hint)
        self._say(f"{adviser} would choose:" if lines else f"{adviser} has no hint.")
        for index, text in lines:
            self._say(f"  {index + 1}  {options.sentences[index]}{f' ({text})' if text else ''}", "cyan")


def shown_name(agent: Agent) -> str:
    """The name of an agent, which may be any text, made printable and short."""
    return printable(str(agent.name), MOST_OF_A_NAME)


def _may_follow(before: View, view: View) -> bool:
    """Whether a position can follow an earlier one in the same game; no changes are shown when a new game starts."""
    earlier, later = (seen.determinize(0).ending()[0] for seen in (before, view))
    return (before.game, before.num_players) == (view.game, view.num_players) and earlier <= later


def ask_standard_input(prompt: str) -> str:
    """Read a line with `input`, and print it if standard input is not a terminal, which would echo it.

    Raises ``EOFError`` at the end of the input, and if standard input is closed.
    """
    if sys.stdin is None or sys.stdin.closed:
        raise EOFError
    line = input(prompt)
    if not sys.stdin.isatty():
        print(line)
    return line

"""The render modes of environments: coloured text, pixels, and a window for people."""

from __future__ import annotations

import base64
import io
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.text import Text

from dunaia_env.harness.compiled.chance import is_integer
from dunaia_env.harness.game import Game
from dunaia_env.harness.state import GameState
from dunaia_env.support.messages import shorten

HUMAN, ANSI, RGB_ARRAY = "human", "ansi", "rgb_array"
MODES = (HUMAN, ANSI, RGB_ARRAY)
MODES_OF_MANY = (ANSI, RGB_ARRAY)  # modes of an environment that plays many games at once
FRAMES_PER_SECOND = 2

WIDTH = 1200
LEAST_WIDTH, MOST_WIDTH = 64, 4096

# Environment variable that switches windows off, for tests and for people who want to read the text.
NO_WINDOW = "DUNAIA_NO_WINDOW"

Frame = str | NDArray[np.uint8] | None


def modes_of(game: Game, modes: Sequence[str] = MODES) -> list[str]:
    """The given render modes in which a game can be shown: a game without pictures has no mode with pixels."""
    return [mode for mode in modes if mode != RGB_ARRAY or game.presentation is not None]


def check_width(width: object, name: str = "render_width") -> int:
    """Return a width in pixels; raise `ValueError` naming it unless it is an integer in 64..4096."""
    if not is_integer(width) or not LEAST_WIDTH <= width <= MOST_WIDTH:
        raise ValueError(f"{name}: expected an integer in {LEAST_WIDTH}..{MOST_WIDTH}, got {shorten(width)}")
    return int(width)


class Screen:
    """Where one environment shows its positions. A copy is a screen of its own, without the window.

    Args:
        mode: one of `MODES`, or None.
        game: the game that is shown.
        width: width of pictures in pixels.
        modes: the modes that the environment has.

    Raises `ValueError` naming an argument that is out of range.
    """

    def __init__(self, mode: str | None, game: Game, width: int = WIDTH, modes: Sequence[str] = MODES) -> None:
        allowed = modes_of(game, modes)
        if mode is not None and mode not in allowed:
            raise ValueError(f"render_mode: expected one of {', '.join(allowed)} or None, got {shorten(mode)}")
        self.width = check_width(width)
        self._game = game
        self._window: _Window | None = None
        self._has_window = True

    def show(
        self,
        mode: str | None,
        state: GameState,
        *,
        seat: int | None = None,
        names: Sequence[str] | None = None,
    ) -> Frame:
        """Show a position.

        Args:
            mode: "ansi" returns coloured text, "rgb_array" a picture, uint8 ``(height, width, 3)``, "human" shows the
                picture in a window, or prints coloured text where there is no display. None does nothing.
            state: the position.
            seat: the seat for which it is shown: what it does not know is left out, and in pictures its pieces come
                first. None for a spectator, who sees everything.
            names: names of the seats.

        Raises `ImportError` in mode "rgb_array" where the library that draws pixels is missing.
        """
        if mode == ANSI:
            return ansi(state, seat)
        if mode == RGB_ARRAY:
            return pixels(state, self.width, seat=seat, names=names)
        if mode == HUMAN and not self._in_window(state, seat, names):
            print_text(state, seat)
        return None

    def _in_window(self, state: GameState, seat: int | None, names: Sequence[str] | None) -> bool:
        """Show a position in the window, if there can be one."""
        if not self._has_window or self._game.presentation is None:
            return False
        from dunaia_env.render import raster

        if self._window is None:
            self._window = _open_window(self._game.title)
        try:
            self._has_window = self._window is not None and self._window.show(
                raster.png(state.picture(seat, names=names), self.width)
            )
        except ImportError:  # the library that draws pixels is missing
            self.close()
            self._has_window = False
        return self._has_window

    def close(self) -> None:
        """Close the window, if there is one; a later `show` opens another."""
        if self._window is not None:
            self._window.close()
        self._window, self._has_window = None, True

    def __deepcopy__(self, memo: dict[int, Any]) -> Screen:
        return Screen(None, self._game, self.width)

    def __reduce__(self) -> tuple[Any, ...]:
        return Screen, (None, self._game, self.width)


def pixels(
    state: GameState, width: int = WIDTH, *, seat: int | None = None, names: Sequence[str] | None = None
) -> NDArray[np.uint8]:
    """The picture of a position, uint8 ``(height, width, 3)``; see `GameState.picture` for arguments and errors."""
    from dunaia_env.render import raster

    return raster.pixels(state.picture(seat, names=names), width)


def _text(state: GameState, seat: int | None, width: int | None = None) -> Text:
    """A position in its colours, as a seat knows it; see `coloured`."""
    content = state.to_dict() if seat is None else state.view(seat).to_dict()
    return coloured(state.game, content, state.components, width)


def coloured(game: Game, content: Mapping[str, Any], components: Any, width: int | None = None) -> Text:
    """The drawing of a position, if the game has one, and its text, in the colours of the game's presentation.

    A drawing that is wider than ``width`` is left out; None leaves nothing out.
    """
    presentation = game.presentation
    text = _styled(game.describe(content, components), presentation.styles if presentation is not None else {})
    drawing = presentation.drawing if presentation is not None else None
    if drawing is None or (width is not None and width < drawing.width):
        return text
    drawn = drawing.draw(content, components)
    return Text("\n\n").join([_styled(drawn, drawing.styles), text]) if drawn else text


def _styled(text: str, styles: Mapping[str, str]) -> Text:
    styled = Text(text)
    for pattern, style in styles.items():
        styled.highlight_regex(pattern, style)
    return styled


def ansi(state: GameState, seat: int | None = None) -> str:
    """The drawing and the text of a position with escape sequences for terminals of 256 colours.

    Both are plain if the game has no styles. If a seat is given, what it does not know is left out.
    """
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, color_system="256", no_color=False, legacy_windows=False)
    console.print(_text(state, seat), soft_wrap=True)
    return out.getvalue().removesuffix("\n")


def print_text(state: GameState, seat: int | None = None) -> None:
    """Print what `ansi` returns on standard output: in colour on a terminal that shows colours, otherwise plain.

    A terminal that is too narrow for the drawing shows the text only.
    """
    console = Console(force_jupyter=False)
    console.print(_text(state, seat, console.width), soft_wrap=True)


class _Window:
    """A window with one picture. Raises the errors of `tkinter` if no window can be opened."""

    def __init__(self, title: str) -> None:
        import tkinter

        self._tkinter = tkinter
        self._root = tkinter.Tk()
        self._root.title(title)
        self._label = tkinter.Label(self._root, borderwidth=0)
        self._label.pack()
        self._is_open = True
        self._next = 0.0
        self._root.protocol("WM_DELETE_WINDOW", self.close)

    def show(self, png: bytes) -> bool:
        """Show a picture, at most `FRAMES_PER_SECOND`; returns whether the window is still open."""
        try:
            while self._is_open and time.monotonic() < self._next:
                self._root.update()
                time.sleep(0.01)
            self._next = time.monotonic() + 1 / FRAMES_PER_SECOND
            if self._is_open:
                self._image = self._tkinter.PhotoImage(master=self._root, data=base64.b64encode(png))
                self._label.configure(image=self._image)
                self._root.update()
        except self._tkinter.TclError:  # the display is gone
            self._is_open = False
        return self._is_open

    def close(self) -> None:
        """Close the window."""
        if self._is_open:
            self._is_open = False
            self._root.destroy()


def _open_window(title: str) -> _Window | None:
    """A window, or None where none can be opened: no display, no tkinter, not in the main thread, not wanted."""
    if os.environ.get(NO_WINDOW):
        return None
    try:
        import tkinter
    except ImportError:
        return None
    try:
        return _Window(title)
    except (tkinter.TclError, RuntimeError):
        return None

"""A terminal in memory: what a person sees of the output of a console, cell by cell."""

from __future__ import annotations

import io
import re

from rich.cells import cell_len
from rich.console import Console

_TOKEN = re.compile(r"\x1b\[(\??[\d;]*)([A-Za-z])|(\n)|([^\x1b\n]+)")


class EmulatedTerminal:
    """Understands what the fixed screen sends, and no more; raises `AssertionError` for anything beyond its edges.

    Attributes:
        console: a console that writes to it.
        rows: what the screen shows, row by row.
        is_alternate: whether the alternate screen is shown.
        row: the row of the cursor.
        printed: what was written to the usual screen.
    """

    def __init__(self, width: int, height: int, *, encoding: str = "utf-8") -> None:
        self._file = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict", newline="\n")
        self.console = Console(file=self._file, width=width, height=height, force_terminal=True, legacy_windows=False)
        self.rows = [""] * height
        self.is_alternate = False
        self.row = 0
        self.printed = ""
        self._encoding = encoding

    def look(self) -> list[str]:
        """The rows that the screen shows now."""
        self._file.flush()
        assert isinstance(self._file.buffer, io.BytesIO)
        text = self._file.buffer.getvalue().decode(self._encoding)
        self._file.seek(0)
        self._file.truncate()
        for parameters, command, newline, written in _TOKEN.findall(text):
            self._do(parameters, command, newline + written)
        return list(self.rows)

    def _do(self, parameters: str, command: str, written: str) -> None:
        if parameters == "?1049":
            self.is_alternate = command == "h"
            self.rows = [""] * self.console.height
        elif not self.is_alternate:
            self.printed += written
        elif command == "H":
            row, column = map(int, (parameters or "1;1").split(";"))
            assert 1 <= row <= len(self.rows), f"row {row}"
            assert column == 1
            self.row = row - 1
        elif command == "K":
            self.rows[self.row] = ""
        elif command == "J":
            self.rows = [""] * len(self.rows)
        elif command:
            assert command in "ml", f"{parameters}{command}"
        else:
            assert "\n" not in written, "the screen scrolls"
            self.rows[self.row] += written
            assert cell_len(self.rows[self.row]) <= self.console.width, self.rows[self.row]

    def resize(self, width: int, height: int) -> None:
        """Change the size of the window."""
        self.look()
        self.console.size = (width, height)  # type: ignore[assignment]
        self.rows = [""] * height

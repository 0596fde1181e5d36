"""What has happened in a game, in lines of text, as one person or all of them may know it."""

from __future__ import annotations

from rich.text import Text


class Log:
    """Lines in order, and for each seat how many there were when it decided last.

    Attributes:
        lines: the lines, oldest first.
    """

    def __init__(self) -> None:
        self.lines: list[Text] = []
        self._decided: dict[int, int] = {}

    def add(self, text: str, style: str = "") -> None:
        """Add a text, which may have several lines; empty lines are left out."""
        self.lines += [Text(line, style) for line in text.split("\n") if line.strip()]

    def mark(self, seat: int) -> None:
        """Note that a seat has decided."""
        self._decided[seat] = len(self.lines)

    def since(self, seat: int) -> list[Text]:
        """The lines since a seat decided last, which begin with what it decided."""
        return self.lines[self._decided.get(seat, 0) :]

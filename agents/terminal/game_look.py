"""How any game is shown at a terminal: by its texts."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from dunaia_env.harness.game import SCORES, Game
from dunaia_env.harness.presentation import ENGLISH, Presentation
from dunaia_env.render.modes import coloured

from .text import lines_of, shortened

Content = Mapping[str, Any]


class Look:
    """Shows a game by the texts that every game with a presentation has.

    Positions are given as one seat may know them: the content of `Game.content_for`.

    Args:
        game: the game; raises `ValueError` for one without a presentation.
        components: its components.
    """

    help = ""
    others = ""  # what `own_board` shows of another player, as a person calls it; empty if there is no such part

    def __init__(self, game: Game, components: Any) -> None:
        if game.presentation is None:
            raise ValueError(f"terminal: {game.name} has no presentation, by which people could play it")
        self.game, self.components = game, components
        self._presentation: Presentation = game.presentation
        self.wording = game.presentation.wording(ENGLISH)

    def hear(self, action: str, seen: Content, before: Content, after: Content) -> Content:
        """What was seen of a position, with what everybody has heard of the decision; see `Presentation.hear`."""
        return self._presentation.hear(action, seen, before, after, self.components)

    def turn(self, content: Content) -> Hashable:
        """A value that stays the same during a turn; when it changes, the board is shown to the person."""
        return self.game.telling.turn(content, "")

    def heading(self, content: Content, name: str) -> str:
        """The line above the board at the beginning of a person's turn."""
        return f"{self.game.telling.turn(content, name)}: your turn"

    def announcement(self, content: Content, name: str) -> str:
        """The line above what an agent does in its turn."""
        return self.game.telling.turn(content, name)

    def board(self, content: Content, seat: int, names: Sequence[str], console: Console) -> Iterator[RenderableType]:
        """The whole position."""
        yield coloured(self.game, content, self.components, console.width)

    def scene(
        self, content: Content, seat: int, names: Sequence[str], console: Console, *, width: int, rows: int
    ) -> list[Text]:
        """The position on at most a number of rows; the whole position, as `board` shows it, if it fits."""
        lines = lines_of(self.board(content, seat, names, console), console, width)
        return shortened(lines, rows, "... {} more lines: b")

    def standing(self, content: Content, seat: int) -> str:
        """How many points a seat has; empty if the game does not say."""
        if SCORES not in content:
            return ""
        shown, unit = self._presentation.counted(content[SCORES][seat]), self.wording.unit
        return f"{shown} {unit.one if shown == 1 else unit.other}"

    def own_part(self, content: Content, seat: int) -> Any:
        """A seat's own part of the position, as a value; when it changes during a turn, `own_board` is shown again."""
        return None

    def own_board(
        self, content: Content, seat: int, names: Sequence[str], console: Console
    ) -> Iterator[RenderableType]:
        """A seat's own part of the position."""
        yield from ()

    def resources(self, content: Content, seat: int) -> str:
        """What a seat can pay with, shown beside the question."""
        return ""

    def spoken(self, text: str) -> str:
        """The canonical text of an action as people say it."""
        return text

    def canonical(self, words: list[str]) -> list[str]:
        """Typed words, translated into the words of a canonical text."""
        return words

    def result(
        self, content: Content, scores: Sequence[int], ranks: Sequence[int], names: Sequence[str], console: Console
    ) -> Iterator[RenderableType]:
        """The end of a game: the position and who won."""
        yield from self.board(content, 0, names, console)
        yield Text()
        table = Table.grid(padding=(0, 2, 0, 0))
        for _ in range(3):
            table.add_column()
        unit = self.wording.unit
        for name, rank, score in zip(names, ranks, scores, strict=True):
            shown = self._presentation.counted(score)
            table.add_row(Text(name), Text(f"rank {rank}"), Text(f"{shown} {unit.one if shown == 1 else unit.other}"))
        yield table

    def verdict(self, ranks: Sequence[int], names: Sequence[str]) -> str:
        """Who won; empty where all ranks are equal, because the position then says what happened."""
        return "" if len(set(ranks)) == 1 else winners_text(ranks, names)


def winners_text(ranks: Sequence[int], names: Sequence[str]) -> str:
    """Who won, as a sentence."""
    winners = [name for name, rank in zip(names, ranks, strict=True) if rank == 1]
    return f"{' and '.join(winners)} {'won' if len(winners) == 1 else 'share the victory'}."

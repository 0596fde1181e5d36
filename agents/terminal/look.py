"""How a game is shown at a terminal: any game by its texts, Dunaia by drawings."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from dunaia_env.dunaia import GAME as DUNAIA
from dunaia_env.dunaia.state import EDGE_SQUARES
from dunaia_env.harness.game import Game
from dunaia_env.harness.presentation import ENGLISH, Presentation
from dunaia_env.render.modes import coloured

from .board import board, counted, glyphs_of, pool_text, score_table, village_view

Content = Mapping[str, Any]


class Look:
    """Shows a game by the texts that every game with a presentation has.

    Positions are given as one seat may know them: the content of `Game.content_for`.

    Args:
        game: the game; raises `ValueError` for one without a presentation.
        components: its components.
    """

    help = ""

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
        return "" if len(set(ranks)) == 1 else _winners(ranks, names)


class DunaiaLook(Look):
    """Draws Dunaia's villages and boards."""

    help = (
        "Squares are numbered 0 1 2 / 3 4 5 / 6 7 8, offers of tiles [0] to [5], players, elders and fragments from "
        "0.\n"
        '"start 2 4" starts the tile of offer [2] on square 4, "move 1 4 5" moves Dunaia 1 between the squares 4 and 5.'
    )

    def turn(self, content: Content) -> Hashable:
        """The draft counts as a turn, because the board has changed when the first round begins."""
        return content["round"], content["seat"], content["decision"] == "DRAFT"

    def heading(self, content: Content, name: str) -> str:
        """The heading, which also says which round is the last one."""
        head = f"Round {content['round']}, {name}: your turn"
        if content["final_round"] is not None:
            last = content["final_round"] == content["round"]
            head += ", the last round" if last else f", round {content['final_round']} is the last"
        return head

    def announcement(self, content: Content, name: str) -> str:
        """The announcement, which also says which dice lie on the table."""
        return f"Round {content['round']}, {name}; neutral dice {pool_text(content)}"

    def board(self, content: Content, seat: int, names: Sequence[str], console: Console) -> Iterator[RenderableType]:
        """The common board and all villages."""
        yield board(content, seat, names, self.components, width=console.width, glyphs=glyphs_of(console))

    def own_part(self, content: Content, seat: int) -> Any:
        """The village."""
        player = content["players"][seat]
        return player["squares"], player["dunaias"]

    def own_board(
        self, content: Content, seat: int, names: Sequence[str], console: Console
    ) -> Iterator[RenderableType]:
        """The village."""
        yield village_view(content, seat, names, self.components, width=console.width, glyphs=glyphs_of(console))

    def resources(self, content: Content, seat: int) -> str:
        """Flowers, chips and tokens."""
        player = content["players"][seat]
        chips = " ".join(map(str, player["chips"])) or "none"
        return f"[{counted(player['flowers'], 'flowers')}, chips {chips}, {counted(player['tokens'], 'tokens')}]"

    def spoken(self, text: str) -> str:
        """A move names the two squares instead of the number of the edge."""
        words = text.split()
        if words[0] != "move":
            return text
        first, second = EDGE_SQUARES[int(words[2])].tolist()
        return f"move {words[1]} {first} {second}"

    def canonical(self, words: list[str]) -> list[str]:
        """A move may name the two squares."""
        match words:
            case [verb, dunaia, first, second] if "move".startswith(verb):
                for edge, squares in enumerate(EDGE_SQUARES.tolist()):
                    if sorted((first, second)) == list(map(str, squares)):
                        return ["move", dunaia, str(edge)]
        return words

    def result(
        self, content: Content, scores: Sequence[int], ranks: Sequence[int], names: Sequence[str], console: Console
    ) -> Iterator[RenderableType]:
        """The board and the parts of all scores."""
        if content["truncated"]:
            yield Text(f"It was stopped after {counted(content['round'], 'rounds')}.")
        yield from self.board(content, 0, names, console)
        yield Text()
        yield score_table(content, ranks, names, self.components)

    def verdict(self, ranks: Sequence[int], names: Sequence[str]) -> str:
        """Who won; all players may share the victory."""
        return _winners(ranks, names)


def _winners(ranks: Sequence[int], names: Sequence[str]) -> str:
    winners = [name for name, rank in zip(names, ranks, strict=True) if rank == 1]
    return f"{' and '.join(winners)} {'won' if len(winners) == 1 else 'share the victory'}."


def look_of(game: Game, components: Any) -> Look:
    """The look of a game; raises `ValueError` for a game that has no presentation."""
    return (DunaiaLook if game.presentation is DUNAIA.presentation else Look)(game, components)

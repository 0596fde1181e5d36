"""How the games are shown at a terminal: Dunaia by drawings, Dune as `dune` says, any other game by its texts."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.text import Text

from dunaia_env.dunaia import GAME as DUNAIA
from dunaia_env.dunaia.state import EDGE_SQUARES
from dunaia_env.harness.game import Game

from .board import board, counted, glyphs_of, pool_text, score_table, village_view
from .compact import LEGEND, scene
from .game_look import Content, Look, winners_text

_DUNE = "dunaia_env.dune"


class DunaiaLook(Look):
    """Draws Dunaia's villages and boards."""

    help = (
        "Squares are numbered 0 1 2 / 3 4 5 / 6 7 8, offers of tiles [0] to [5], players, elders and fragments from "
        "0.\n"
        '"start 2 4" starts the tile of offer [2] on square 4, "move 1 4 5" moves Dunaia 1 between the squares 4 and 5.'
        f"\n{LEGEND}"
    )
    others = "Village"

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

    def scene(
        self, content: Content, seat: int, names: Sequence[str], console: Console, *, width: int, rows: int
    ) -> list[Text]:
        """The common board in short, the seat's village, and as many others as fit."""
        glyphs = glyphs_of(console)
        return scene(content, seat, names, self.components, width=width, rows=rows, glyphs=glyphs)

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
        return winners_text(ranks, names)


def look_of(game: Game, components: Any) -> Look:
    """The look of a game; raises `ValueError` for a game that has no presentation."""
    if game.presentation is DUNAIA.presentation:
        return DunaiaLook(game, components)
    if game.module == _DUNE:
        # Only here, because loading the other game takes time.
        from .dune import DuneLook

        return DuneLook(game, components)
    return Look(game, components)

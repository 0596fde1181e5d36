"""Tables and listings of actions and observations, for the pages of any game."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from docs.markdown import table
from dunaia_env.harness.compiled.encoding import Piece, Verb
from dunaia_env.harness.game import Game

LINE_WIDTH = 100


def action_table(verbs: Iterable[Verb], arguments: str) -> str:
    """The action table; the arguments' column has this head."""
    rows: list[tuple[object, ...]] = []
    for verb in verbs:
        last = verb.first + verb.count - 1
        numbers = f"{verb.first}" if verb.count == 1 else f"{verb.first}..{last}"
        rows.append((numbers, f"`{verb.name}`", ", ".join(map(str, verb.arguments)), verb.meaning))
    return table(("actions", "verb", arguments, "meaning"), rows)


def observation_table(pieces: Iterable[Piece], game: Game, used_size: Callable[[int], int]) -> str:
    """The pieces of an observation, and which entries smaller tables use."""
    rows: list[tuple[object, ...]] = []
    for piece in pieces:
        shape = "×".join(map(str, piece.shape))
        rows.append(
            (f"{piece.first}..{piece.first + piece.size - 1}", f"`{piece.name}`", shape, piece.scale, piece.meaning)
        )
    note = "".join(
        f"At a table of {players} players only the first {used_size(players)} entries can differ from zero.\n"
        for players in range(game.min_players, game.max_players)
    )
    return table(("entries", "piece", "shape", "scale", "meaning"), rows) + "\n" + note


def listing(lines: Iterable[str]) -> str:
    """Lines as a block of text; long ones are cut."""
    shown = [line if len(line) <= LINE_WIDTH else f"{line[:LINE_WIDTH]} ..." for line in lines]
    return "```text\n" + "\n".join(shown) + "\n```\n"

"""Maps of the village and the common board in characters, with the numbers that actions and observations use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dunaia_env.dunaia import ACTION_TABLE, load
from dunaia_env.dunaia.actions import verb
from dunaia_env.dunaia.components import DISPLAY_PRICE, PILE_PRICE, PRINTED_NAMES
from dunaia_env.dunaia.state import (
    EDGE_SQUARES,
    EDGES,
    FOUND_OFFER,
    LEVELS,
    NEIGHBOURS,
    NONE,
    RESERVED_OFFER,
    SIDE_NAMES,
    SQUARES,
)
from dunaia_env.harness.compiled.encoding import Verb

COLUMNS = 3


def village(squares: Sequence[str], edges: Mapping[int, str], width: int = 8) -> str:
    """The nine squares with a text in each, and a text on each edge between two of them."""
    found = {tuple(sorted(pair)): edge for edge, pair in enumerate(EDGE_SQUARES.tolist())}
    border = "+" + "-" * width + "+"
    gap = width
    lines = []
    for row in range(COLUMNS):
        first = COLUMNS * row
        beside = [edges.get(found[first + column, first + column + 1], "") for column in range(COLUMNS - 1)]
        cells = [f"|{squares[first + column]:^{width}}|" for column in range(COLUMNS)]
        middle = cells[0] + "".join(f"{text:^{gap}}{cell}" for text, cell in zip(beside, cells[1:], strict=True))
        lines += [(" " * gap).join([border] * COLUMNS), middle, (" " * gap).join([border] * COLUMNS)]
        if row < COLUMNS - 1:
            below = [edges.get(found[square, square + COLUMNS], "") for square in range(first, first + COLUMNS)]
            lines.append((" " * gap).join(f"{text:^{width + 2}}" for text in below))
    return "\n".join(line.rstrip() for line in lines) + "\n"


def side_by_side(left: str, right: str) -> str:
    """Two maps, one beside the other."""
    pairs = list(zip(left.splitlines(), right.splitlines(), strict=True))
    width = max(len(one) for one, _ in pairs)
    return "\n".join(f"{one:<{width}}     {other}".rstrip() for one, other in pairs) + "\n"


def numbered_village() -> str:
    """The numbers of squares and edges."""
    names = [f"square {square}" if not square else str(square) for square in range(SQUARES)]
    return village(names, {edge: f"edge {edge}" if not edge else str(edge) for edge in range(EDGES)}, 10)


def village_at_the_start() -> str:
    """What is printed on the squares, and the Dunaias on the edges on which they begin."""
    tables = load().record[0]
    starts: dict[int, str] = {}
    for dunaia, edge in enumerate(tables.start_edges.tolist(), start=1):
        starts[edge] = f"{starts.get(edge, '')}({dunaia})"
    return village([PRINTED_NAMES[printed] for printed in tables.printed.tolist()], starts)


def square_actions() -> str:
    """The actions of the verbs that name one square, in the square's place, and those that move Dunaia 1 to an edge."""
    parts = []
    for left, right in (("awaken", "advance"), ("start", "move")):
        heads, maps = [], []
        for name in (left, right):
            first = verb(name).first
            on_edges = name == "move"
            heads.append(f"{name} 1 EDGE" if on_edges else f"{name} {'0 ' if name == 'start' else ''}SQUARE")
            numbers = [str(first + place) for place in range(EDGES if on_edges else SQUARES)]
            maps.append(
                village([""] * SQUARES if on_edges else numbers, dict(enumerate(numbers)) if on_edges else {}, 5)
            )
        width = max(map(len, maps[0].splitlines()))
        parts.append(f"{heads[0]:<{width}}     {heads[1]}\n{side_by_side(*maps)}")
    return "\n".join(parts)


def formula(row: Verb) -> str:
    """How the number of an action follows from its arguments."""
    terms, stride = [], row.count
    for argument in row.arguments:
        stride //= argument.count
        name = argument.name if argument.first == 0 else f"({argument.name} - {argument.first})"
        terms.append(name if stride == 1 else f"{stride} * {name}")
    return " + ".join([str(row.first), *terms])


def action_formulas() -> str:
    """The numbers of the actions with two arguments."""
    rows = [row for row in ACTION_TABLE if len(row.arguments) > 1]
    width = max(len(row.name) for row in rows)
    return "".join(f"{row.name:<{width}}  {formula(row)}\n" for row in rows)


def offers() -> str:
    """The offers in their places on the common board, with the flowers they cost."""
    prices = load().record[0].prices
    border = "         +-----------+   +-----------+"
    lines = ["           displayed      top of pile"]
    for level in range(LEVELS):
        cells = [f"| offer {2 * level + place}   |" for place in (DISPLAY_PRICE, PILE_PRICE)]
        costs = [f"| {prices[level, place]} flower{'s' if prices[level, place] != 1 else ' '} |" for place in (0, 1)]
        lines += [border, f"level {level + 1}  {cells[0]}   {cells[1]}", f"         {costs[0]}   {costs[1]}"]
    lines += [border, "", f"offer {RESERVED_OFFER}: the tile that the architect has in reserve"]
    lines += [f"offer {FOUND_OFFER}: the tile that the Search elder has found"]
    return "\n".join(lines) + "\n"


def sides() -> str:
    """The order of a tile's sides, and the squares that the arrows of a tile on square 4 point to."""
    names = ", ".join(f"{index} {name}" for index, name in enumerate(SIDE_NAMES))
    centre = SQUARES // 2
    pointed = [str(square) for square in NEIGHBOURS[centre].tolist() if square != NONE]
    return f"sides: {names}; on square {centre} they point to squares {', '.join(pointed)}\n"

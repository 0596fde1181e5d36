"""Positions and observations as text, and the lines with which transcripts tell a game, in English."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dunaia.components import ALL_COLOURS, PRINTED_NAMES, Components
from dunaia_env.dunaia.observation import pieces_of
from dunaia_env.dunaia.presentation import labels
from dunaia_env.dunaia.presentation.wording import english
from dunaia_env.dunaia.state import CHARACTER_NAMES, COLOUR_NAMES, COLOURS, EDGE_SQUARES, ELDER_NAMES, LEVELS, NONE

CELL = 18
GAP = 5


def _colours(mask: int) -> str:
    if mask == ALL_COLOURS:
        return "multicoloured"
    return "+".join(COLOUR_NAMES[colour] for colour in range(COLOURS) if mask >> colour & 1)


def _cell(square: int, building: Mapping[str, Any] | None, components: Components) -> list[str]:
    """The three lines of a square: the building, its effect, its progress."""
    values = components.record[0]
    if building is None:
        return [f"{square}", f"({PRINTED_NAMES[values.printed[square]]})", ""]
    tile = building["tile"]
    level = int(values.level[tile])
    own = _colours(int(values.colours[tile]))
    if building["colours"]:
        own += "+" + "".join(COLOUR_NAMES[colour][0] for colour in building["colours"])
    effect = (
        english.WORDS.gain(int(values.amount[tile]), int(values.effect[tile]))
        if values.effect[tile] != NONE
        else "points"
    )
    needed = int(values.steps[tile])
    status = (
        "completed" if building["built"] else "building " + "#" * building["steps"] + "." * (needed - building["steps"])
    )
    if building["die"]:
        status += " [die]"
    return [f"{square} L{level + 1} {own}", effect, status]


def _village(player: Mapping[str, Any], components: Components) -> list[str]:
    """The 3×3 squares with the Dunaias on the edges between them."""
    on_edge = {
        tuple(edge): "".join(str(d + 1) for d, at in enumerate(player["dunaias"]) if at == number)
        for number, edge in enumerate(EDGE_SQUARES.tolist())
    }
    border = ("+" + "-" * CELL) + ("+" + " " * GAP + "+" + "-" * CELL) * 2 + "+"
    lines = []
    for row in range(3):
        squares = [3 * row + column for column in range(3)]
        cells = [_cell(square, player["squares"][square], components) for square in squares]
        lines.append(border)
        for line in range(3):
            text = f"|{cells[0][line]:<{CELL}}|"
            for column in (1, 2):
                between = on_edge[squares[column - 1], squares[column]] if line == 1 else ""
                text += f"{between:^{GAP}}|{cells[column][line]:<{CELL}}|"
            lines.append(text)
        lines.append(border)
        if row < 2:
            below = [f"{on_edge[square, square + 3]:^{CELL + 2}}" for square in squares]
            lines.append((" " * GAP).join(below).rstrip())
    return lines


def _place_text(tile: int, components: Components) -> str:
    return "empty" if tile == NONE else english.WORDS.tile(tile, components)


def describe(content: Mapping[str, Any], components: Components) -> str:
    """The position of a state dictionary as text: the common board, then each player."""
    values = components.record[0]
    lines = []
    head = f"Round {content['round']}"
    if content["over"]:
        head += ", the game is over"
    else:
        head += f", player {content['seat']} decides: {labels.ENGLISH.decisions[content['decision']]}"
    if content["final_round"] is not None and not content["over"]:
        head += f" (round {content['final_round']} is the last)"
    lines.append(head)
    pool = [str(face + 1) for face, number in enumerate(content["dice"]["neutral"]) for _ in range(number)]
    own = [f"player {seat}: {face}" for seat, face in enumerate(content["dice"]["own"]) if face]
    lines.append(f"Dice: neutral {' '.join(pool) or 'none'}; {', '.join(own) or 'no own dice'}")
    if content["die"]:
        lines.append(f"Die in hand: {content['die']}")
    for level in range(LEVELS):
        shown, top = content["display"][level], content["pile_top"][level]
        price = values.prices[level].tolist()
        lines.append(
            f"Level {level + 1}: [{2 * level}] {_place_text(shown, components)} ({price[0]} flowers)"
            f" | [{2 * level + 1}] {_place_text(top, components)} ({price[1]} flowers)"
            f" | {len(content['piles'][level])} below"
        )
    for space, elder in enumerate(content["elders"]):
        first, second = values.elder_costs[space].tolist()
        lines.append(
            f"Elder {space}: {ELDER_NAMES[elder]} for chips {first} {second} + any;"
            f" {content['fragments'][space]} fragments"
        )
    for prophecy in content["prophecies"]:
        owner = "free" if prophecy["owner"] == NONE else f"player {prophecy['owner']}"
        lines.append(f"Prophecy: {english.WORDS.prophecy(prophecy['id'], components)} ({owner})")
    markers = ", ".join(f"{number} {COLOUR_NAMES[colour]}" for colour, number in enumerate(content["colour_markers"]))
    lines.append(f"Colour markers: {markers}")
    if content["characters_available"]:
        lines.append("Characters: " + ", ".join(CHARACTER_NAMES[c] for c in content["characters_available"]))
    for seat, player in enumerate(content["players"]):
        name = f"Player {seat}"
        if player["character"] != NONE:
            name += f", {CHARACTER_NAMES[player['character']]}"
        lines.append("")
        lines.append(
            f"{name}: {content['scores'][seat]} points, {player['flowers']} flowers,"
            f" chips {' '.join(map(str, player['chips'])) or 'none'}, {player['tokens']} tokens,"
            f" {player['artefacts']} artefacts, fragments {' '.join(map(str, player['fragments'])) or 'none'}"
        )
        if player["reserved"] != NONE:
            lines.append(f"Reserved: {english.WORDS.tile(player['reserved'], components)}")
        lines += _village(player, components)
    return "\n".join(lines)


def describe_observation(observation: NDArray[np.int8]) -> str:
    """An observation as text: for each piece, a line with its non-zero entries.

    ``own.flowers 2`` is a single entry, ``own.dunaias [0,4] 1`` an entry of a table.
    """
    lines = []
    for name, piece in pieces_of(observation).items():
        places = np.argwhere(piece)
        if piece.size == 1 and len(places):
            lines.append(f"{name} {piece.item()}")
        elif len(places):
            shown = (f"[{','.join(map(str, place))}] {piece[tuple(place)]}" for place in places.tolist())
            lines.append(f"{name} {' '.join(shown)}")
    return "\n".join(lines)


def variant(options: Mapping[str, int]) -> str:
    """The variant of the game, from its options."""
    return "with elite characters" if options["elites"] else "without elite characters"


def turn(content: Mapping[str, Any], player: str) -> str:
    """The line that opens a player's turn."""
    dice = [str(face) for face, number in enumerate(content["dice"]["neutral"], 1) for _ in range(number)]
    return f"Round {content['round']}, {player}; dice {' '.join(dice) or 'own only'}"


def news(before: Mapping[str, Any], after: Mapping[str, Any]) -> Sequence[str]:
    """Events between two positions that nobody decided, such as a prophecy that was taken."""
    return list(_news(before, after))


def _news(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for seat, (old, new) in enumerate(zip(before["players"], after["players"], strict=True)):
        for square, (was, now) in enumerate(zip(old["squares"], new["squares"], strict=True)):
            if was and now and now["built"] and not was["built"]:
                yield f"player {seat} completes the building on square {square}"
        if new["artefacts"] > old["artefacts"]:
            yield f"player {seat} completes an artefact"
    for old, new in zip(before["prophecies"], after["prophecies"], strict=True):
        if old["owner"] != new["owner"]:
            yield f"player {new['owner']} takes prophecy {new['id']}"
    if before["final_round"] is None and after["final_round"] is not None:
        yield f"the end is triggered: round {after['final_round']} is the last"

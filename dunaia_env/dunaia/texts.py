"""The game in words: positions and actions, from state dictionaries, and observations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dunaia.components import (
    ALL_COLOURS,
    GAIN_NAMES,
    PRINTED_NAMES,
    Components,
)
from dunaia_env.dunaia.observation import pieces_of
from dunaia_env.dunaia.state import (
    CHARACTER_NAMES,
    COLOUR_NAMES,
    COLOURS,
    EDGE_SQUARES,
    ELDER_NAMES,
    FOUND_OFFER,
    LEVELS,
    NONE,
    RESERVED_OFFER,
    SIDE_NAMES,
    SIDES,
)
from dunaia_env.support.english import count

CELL = 18
GAP = 5
_SHAPE_TEXTS = ("", "three in a line", "one of each level", "all four corners")
_SINGULAR = {"flowers": "flower", "chips": "chip", "moves": "move", "advances": "advance", "points": "point"}


def _amount(amount: int, gain: str) -> str:
    return count(amount, _SINGULAR[gain])


def _colours(mask: int) -> str:
    if mask == ALL_COLOURS:
        return "multicoloured"
    return "+".join(COLOUR_NAMES[colour] for colour in range(COLOURS) if mask >> colour & 1)


def tile_text(tile: int, components: Components) -> str:
    """A tile in words: level, colour, effect and arrows."""
    values = components.record[0]
    level = int(values.level[tile]) + 1
    parts = [f"level {level} {_colours(int(values.colours[tile]))}"]
    if values.steps[tile] != values.steps_to_complete[level - 1]:
        parts.append(count(int(values.steps[tile]), "step"))
    if values.effect[tile] != NONE:
        parts.append(_amount(int(values.amount[tile]), GAIN_NAMES[values.effect[tile]]))
    for side in range(SIDES):
        if values.arrow_colour[tile, side] != NONE:
            gain = _amount(int(values.arrow_amount[tile, side]), GAIN_NAMES[values.arrow_gain[tile, side]])
            parts.append(f"{SIDE_NAMES[side][0].upper()}:{COLOUR_NAMES[values.arrow_colour[tile, side]]} +{gain}")
    return ", ".join(parts)


def prophecy_text(prophecy: int, components: Components) -> str:
    """A prophecy's condition and points in words."""
    values = components.record[0]
    needed = (
        (values.prophecy_buildings[prophecy], "building"),
        (values.prophecy_flowers[prophecy], "flower"),
        (values.prophecy_artefacts[prophecy], "artefact"),
    )
    parts = [count(int(amount), noun) for amount, noun in needed if amount]
    if values.prophecy_shape[prophecy]:
        parts.append(_SHAPE_TEXTS[values.prophecy_shape[prophecy]])
    return f"{' and '.join(parts)}: {count(int(values.prophecy_points[prophecy]), 'point')}"


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
        _amount(int(values.amount[tile]), GAIN_NAMES[values.effect[tile]]) if values.effect[tile] != NONE else "points"
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
    return "empty" if tile == NONE else tile_text(tile, components)


def describe(content: Mapping[str, Any], components: Components) -> str:
    """The position of a state dictionary as text: the common board, then each player."""
    values = components.record[0]
    lines = []
    head = f"Round {content['round']}"
    if content["over"]:
        head += ", the game is over"
    else:
        head += f", player {content['seat']} decides: {content['decision']}"
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
        lines.append(f"Prophecy: {prophecy_text(prophecy['id'], components)} ({owner})")
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
            lines.append(f"Reserved: {tile_text(player['reserved'], components)}")
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


def sentence(action: str, content: Mapping[str, Any], components: Components) -> str:
    """What an action (its text) does in the position of a state dictionary, as a player would say it."""
    verb, *words = action.split()
    numbers = [int(word) for word in words]
    player = content["players"][content["seat"]]
    if verb == "draft":
        return f"picks the {CHARACTER_NAMES[numbers[0]]}"
    if verb == "take":
        return f"takes a die showing {numbers[0]}"
    if verb == "take_flipped":
        return f"takes a die showing {numbers[0]} and turns it to {7 - numbers[0]}"
    if verb == "awaken":
        return f"wakes Dunaia {content['die']}, square {numbers[0]} first"
    if verb == "flower":
        return "recycles the die for a flower"
    if verb == "use":
        seat = (content["seat"] + numbers[0]) % len(content["players"])
        tile = content["players"][seat]["squares"][numbers[1]]["tile"]
        whose = "the own" if numbers[0] == 0 else f"player {seat}'s"
        return f"recycles the die on {whose} building on square {numbers[1]} ({tile_text(tile, components)})"
    if verb == "start":
        return f"starts {_offer_text(numbers[0], content, player, components)} on square {numbers[1]}"
    if verb == "move":
        squares = EDGE_SQUARES[numbers[1]].tolist()
        return f"moves Dunaia {numbers[0]} between squares {squares[0]} and {squares[1]}"
    if verb == "plug":
        return f"plugs chip {numbers[0]}"
    if verb == "discard":
        return f"pays with chip {numbers[0]}"
    if verb == "advance":
        tile = player["squares"][numbers[0]]["tile"]
        return f"advances the building on square {numbers[0]} ({tile_text(tile, components)})"
    if verb == "call":
        return f"calls the elder of space {numbers[0]} ({ELDER_NAMES[content['elders'][numbers[0]]]})"
    if verb == "search":
        return f"finds {tile_text(numbers[0], components)}"
    if verb == "colour":
        return f"puts a {COLOUR_NAMES[numbers[0]]} marker on square {numbers[1]}"
    if verb == "power":
        return f"uses the power of the {CHARACTER_NAMES[player['character']]}"
    if verb == "reserve":
        return f"reserves {_offer_text(numbers[0], content, player, components)}"
    return _PASSES.get(content["decision"], "passes")


_PASSES = {
    "BEFORE_PROPHECY": "goes on to the prophecies",
    "END_TURN": "ends the turn",
    "MOVE": "stops moving",
}


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


def _offer_text(offer: int, content: Mapping[str, Any], player: Mapping[str, Any], components: Components) -> str:
    if offer == RESERVED_OFFER:
        return f"the reserved tile ({tile_text(player['reserved'], components)})"
    if offer == FOUND_OFFER:
        return f"the found tile ({tile_text(content['pending']['found'], components)})"
    place = content["display" if offer % 2 == 0 else "pile_top"][offer // 2]
    return f"the {'displayed' if offer % 2 == 0 else 'top'} tile ({tile_text(place, components)})"

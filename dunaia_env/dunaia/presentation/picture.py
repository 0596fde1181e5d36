"""The picture of a position: the common board, and the village of each player.

The picture is SVG text, drawn from the state dictionary and the values printed on the components; the same content
gives the same text. At a width of 1200 pixels everything in it can be read. Every piece that a person can point at is
drawn once, as a group with the piece's name in ``data-piece``:

- common board: ``die-F`` and ``own-die-S`` (the pool; F a face, S a seat), ``flip-F`` and ``flip-own-S`` (turning them
  over), ``hand-die``, ``found`` (the tile to be placed), ``marker-C``, ``offer-K``, ``elder-E``, ``prophecy-I``;
- during the draft ``character-C``, during a search ``pile-L-T`` (L a level from 0, T a tile);
- for seat S: ``square-S-Q``, ``edge-S-E``, ``dunaia-S-D``, ``chip-S-N``, ``flowers-S``, ``tokens-S``,
  ``artefacts-S``, ``fragments-S``, ``score-S``, ``reserved-S``, and the seat's character as ``character-C``.

All prices, on the offers and in a search, are the prices that the deciding player pays, whoever looks at the picture.
If the printed price differs, it stands before the price, struck through. An unclaimed prophecy carries a tick if the
deciding player meets its condition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from dunaia_env.dunaia.components import Components
from dunaia_env.dunaia.presentation import board, icons, palette, tiles
from dunaia_env.dunaia.presentation.labels import LABELS
from dunaia_env.dunaia.presentation.village import HEADER, LARGE, SMALL, Look, Measures, card, panel
from dunaia_env.dunaia.presentation.wording import facts
from dunaia_env.dunaia.state import NONE
from dunaia_env.support import messages, svg
from dunaia_env.support.svg import BOLD, fitted, placed, rect, text, width_of

WIDTH: Final = 1200
_EDGE = 8
_TOP = 52
_GAP = 8


def picture(
    content: Mapping[str, Any],
    components: Components,
    *,
    seat: int | None = None,
    names: Sequence[str] | None = None,
    language: str = "en",
) -> str:
    """A position as an SVG document, `WIDTH` units wide.

    Args:
        content: the state dictionary.
        components: the components whose tiles, prices and costs are shown.
        seat: the seat for which the picture is drawn; its village comes first. None for a spectator, who sees seat 0
            first.
        names: the names of the seats; None for "Player 0" and so on.
        language: the language of the words, a key of `LABELS`.

    Raises:
        ValueError: for an unknown language, a seat that does not play, or too few or too many names.
    """
    if language not in LABELS:
        raise ValueError(f"language: expected one of {', '.join(LABELS)}, got {messages.shorten(language)}")
    labels = LABELS[language]
    players = len(content["players"])
    if seat is not None and not 0 <= seat < players:
        raise ValueError(f"seat: expected None or 0..{players - 1}, got {messages.shorten(seat)}")
    if names is not None and len(names) != players:
        raise ValueError(f"names: expected {players} names, got {messages.shorten(list(names))}")
    given = names or [labels.player.format(number) for number in range(players)]
    look = Look(
        content,
        components,
        tiles.printed(components),
        labels,
        tuple(given),
        _winners(content),
        _met(content, components),
    )
    first = seat or 0
    order = [(first + place) % players for place in range(players)]
    body, height = (_two if players == 2 else _more)(look, order)
    heading = _heading(look)
    ground = rect(0, 0, WIDTH, height, palette.TABLE)
    return svg.document(WIDTH, height, _title(look), ground + heading + body)


def _winners(content: Mapping[str, Any]) -> frozenset[int]:
    """The seats that have won, by points, then prophecies, then flowers; empty while the game is not over."""
    if not content["over"]:
        return frozenset()
    results = []
    for seat, player in enumerate(content["players"]):
        held = sum(prophecy["owner"] == seat for prophecy in content["prophecies"])
        results.append((content["scores"][seat], held, player["flowers"]))
    return frozenset(seat for seat, result in enumerate(results) if result == max(results))


def _met(content: Mapping[str, Any], components: Components) -> frozenset[int]:
    """The unclaimed prophecies whose condition the deciding player meets."""
    if content["seat"] == NONE:
        return frozenset()
    player = content["players"][content["seat"]]
    free = [prophecy["id"] for prophecy in content["prophecies"] if prophecy["owner"] == NONE]
    return frozenset(prophecy for prophecy in free if facts.meets(player, prophecy, components))


def _title(look: Look) -> str:
    return look.labels.labelled("Dunaïa", f"{look.labels.round.format(look.content['round'])}, {_waiting(look)}")


def _waiting(look: Look) -> str:
    """The decision that the game waits for, in words."""
    content, labels = look.content, look.labels
    if content["over"]:
        return f"{labels.over}, {labels.stopped}" if content["truncated"] else labels.over
    words = labels.labelled(look.names[content["seat"]], labels.decisions[content["decision"]])
    left = content["pending"].get(_COUNTED.get(content["decision"]), 0)
    return f"{words} ({labels.left.format(left)})" if left > 1 else words


# The entry of ``pending`` that says how often a decision is still to be made.
_COUNTED = {"MOVE": "moves", "PLUG": "chips", "DISCARD": "discards", "ADVANCE": "advances"}


def _heading(look: Look) -> str:
    """The line at the top: the game, the round, and whose decision it is."""
    content, labels = look.content, look.labels
    body = text(_EDGE + 8, 35, "Dunaïa", 28, palette.INK, weight=BOLD)
    x = _EDGE + 8 + width_of("Dunaïa", 28, BOLD) + 22
    rounds = labels.round.format(content["round"])
    body += text(x, 34, rounds, 18, palette.INK, weight=BOLD)
    x += width_of(rounds, 18, BOLD) + 14
    if content["final_round"] is not None and not content["over"]:
        last = content["final_round"] == content["round"]
        words = labels.last_round if last else labels.final_round.format(content["final_round"])
        wide = width_of(words, 16, BOLD) + 24
        body += rect(x, 13, wide, 28, palette.STAMP, radius=14) + text(
            x + 12, 32.3, words, 16, palette.WHITE, weight=BOLD
        )
        x += wide + 14
    room = WIDTH - _EDGE - x - 60
    words = fitted(_waiting(look), 18, room, BOLD)
    wide = width_of(words, 18, BOLD) + 30
    if content["seat"] == NONE:
        left = WIDTH - _EDGE - wide
        return (
            body
            + rect(left, 8, wide, 38, palette.STAMP, radius=19)
            + text(left + 15, 33, words, 18, palette.WHITE, weight=BOLD)
        )
    left = WIDTH - _EDGE - wide - 28
    body += rect(left, 8, wide + 28, 38, palette.SEATS[content["seat"]], radius=19)
    body += placed(left + 20, 27, svg.circle(0, 0, 14, palette.WHITE) + icons.seat_mark(content["seat"]))
    return body + text(left + 41, 33, words, 18, palette.WHITE, weight=BOLD)


def _two(look: Look, order: Sequence[int]) -> tuple[str, float]:
    """For two players: the common board above, the villages side by side below it."""
    across = WIDTH - 2 * _EDGE
    height = 24 + board.DICE_HEIGHT + board.OFFERS_HEIGHT
    common = card(across, height)
    right = across - 14 - board.WIDTH
    common += placed(14, 12, board.dice(look)) + placed(14, 12 + board.DICE_HEIGHT, board.offers(look))
    each = (height - 24 - 12) / 2
    common += placed(right, 12, board.elders(look, each - board.ROW_HEAD))
    common += placed(right, 24 + each, board.prophecies(look, each - board.ROW_HEAD))
    if look.content["decision"] == "SEARCH":
        common += board.search(look, across, height)
    body = placed(_EDGE, _TOP, common)
    top = _TOP + height + _GAP + 2
    for place, seat in enumerate(order):
        body += _placed_panel(_EDGE + place * (LARGE.width + _GAP), top, seat, look, LARGE)
    return body, top + LARGE.height + _EDGE + 2


def _more(look: Look, order: Sequence[int]) -> tuple[str, float]:
    """For three or four players: the first village beside the common board, the other villages below."""
    body = _placed_panel(_EDGE, _TOP, order[0], look, LARGE)
    common = card(LARGE.width, LARGE.height)
    top = 12.0
    parts = (
        (board.dice(look), board.DICE_HEIGHT),
        (board.offers(look), board.OFFERS_HEIGHT),
        (board.elders(look), board.ELDERS_HEIGHT),
        (board.prophecies(look), board.PROPHECIES_HEIGHT),
    )
    spare = (LARGE.height - 24 - sum(height for _, height in parts)) / (len(parts) - 1)
    for part, height in parts:
        common += placed((LARGE.width - board.WIDTH) / 2, top, part)
        top += height + spare
    if look.content["decision"] == "SEARCH":
        common += board.search(look, LARGE.width, LARGE.height)
    body += placed(_EDGE + LARGE.width + _GAP, _TOP, common)
    below = _TOP + LARGE.height + _GAP + 2
    measures = LARGE if len(order) == 3 else SMALL
    for place, seat in enumerate(order[1:]):
        body += _placed_panel(_EDGE + place * (measures.width + _GAP), below, seat, look, measures)
    return body, below + measures.height + _EDGE + 2


def _placed_panel(x: float, y: float, seat: int, look: Look, measures: Measures) -> str:
    """A player's panel at a place; over the village of the player who drafts, the characters to choose from."""
    body = placed(x, y, panel(seat, look, measures))
    if look.content["decision"] != "DRAFT" or look.content["seat"] != seat:
        return body
    width, height = measures.width - 12, measures.height - HEADER - 12
    return body + placed(x + 6, y + HEADER + 6, board.draft(look, width, height))

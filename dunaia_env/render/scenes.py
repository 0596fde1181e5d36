"""The positions of a replay as pictures, each with a caption that says what was done."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from dunaia_env.harness.presentation import ENGLISH, Content, Wording
from dunaia_env.replay import Replay, positions
from dunaia_env.support import messages, svg

ElementTree.register_namespace("", "http://www.w3.org/2000/svg")
ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")

MOST_OF_A_NAME = 24
# The bar below a picture, in fractions of the picture's width.
_TEXT_SIZE, _BAR, _MARGIN = 1 / 54, 1 / 16, 1 / 75
_BASELINES = (0.45, 0.83)  # in fractions of the bar's height
_BACK, _INK, _SOFT, _LINE = "#22303c", "#ffffff", "#b9c6d2", "#f0b429"


class Scene(NamedTuple):
    """A position of a game as a picture.

    Attributes:
        number: number of decisions before it.
        picture: the SVG document, without caption.
        caption: the last decision and the name of the seat that made it; for the first position, the game and its
            players.
        details: what else happened; for the last position, the points.
        seat: the seat that decided last; None in the first position.
        rounds: number of rounds played so far.
    """

    number: int
    picture: str
    caption: str
    details: str
    seat: int | None
    rounds: int


def seat_names(names: Sequence[str], wording: Wording) -> list[str]:
    """Short names of seats, all different: names of files without folders, with the seat if several names are equal.

    If all names are equal, only the seats are named.
    """
    short = [
        messages.printable(name.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".safetensors")) for name in names
    ]
    short = [messages.printable(name, MOST_OF_A_NAME) or wording.player(seat) for seat, name in enumerate(short)]
    counts = Counter(short)
    if len(counts) == 1 < len(short):
        return [wording.player(seat) for seat in range(len(short))]
    return [f"{name} ({wording.player(seat)})" if counts[name] > 1 else name for seat, name in enumerate(short)]


def check_seat(seat: object, players: int) -> int | None:
    """Return a seat, or None for a spectator; raise `ValueError` naming it unless it is at the table."""
    if seat is not None and (type(seat) is not int or not 0 <= seat < players):
        raise ValueError(f"seat: expected an integer in 0..{players - 1}, got {messages.shorten(seat)}")
    return seat


def scenes(
    replay: Replay,
    *,
    components: Any = None,
    seat: int | None = None,
    language: str = ENGLISH,
    only: int | None = None,
    source: str = "replay",
) -> Iterator[Scene]:
    """The scenes of a replay, from the position before the first decision to the end.

    Args:
        replay: the game.
        components: the components that it was played with; None for the game's own.
        seat: the seat for which pictures are drawn; None for a spectator, who sees everything.
        language: language of pictures and captions.
        only: the number of the one scene that is wanted; None for all of them.
        source: the file's name in errors.

    Raises `ValueError` for a game without pictures, and for a seat, a number or a language that does not exist. Raises
    `ReplayError` for other components or an illegal action.
    """
    presentation, last = replay.game.require("presentation"), len(replay.decisions)
    wording = presentation.wording(language)
    check_seat(seat, replay.header["players"])
    if only is not None and not 0 <= only <= last:
        raise ValueError(
            f"decision: expected an integer in 0..{last}, because the game has {last} decisions, got {only}"
        )
    names = seat_names(replay.header["agents"], wording)
    before: Content = {}
    whole_before: Content = {}
    for number, (_, state, _) in enumerate(positions(replay, components=components, source=source)):
        if only is not None and number not in (only - 1, only):
            continue
        content = state.game.content_for(np.frombuffer(state.to_bytes(), np.uint8), state.components, seat)
        whole = content if seat is None else state.to_dict()
        if only is None or number == only:
            decider, lines = None, (f"{wording.title} · {', '.join(names)}", "")
            if number:
                decider = int(replay.decisions[number - 1]["seat"])
                action = replay.decisions[number - 1]["action"]
                heard = presentation.hear(action, before, whole_before, whole, state.components)
                lines = _told(decider, action, heard, content, state.components, wording, names)
                is_told = heard is not before and heard["seat"] is not None
                if not state.game.perfect_information and seat not in (None, decider) and not is_told:
                    lines = f"{names[decider]} …", lines[1]  # the text may say what the seat does not know
            if number == last:
                lines = (
                    lines[0],
                    ", ".join(f"{name} {score}" for name, score in zip(names, state.scores(), strict=True)),
                )
            picture = state.picture(seat, names=names, language=language)
            yield Scene(number, picture, *lines, decider, state.ending()[0])
        if number == only:
            return
        before, whole_before = content, whole


def _told(
    seat: int, action: str, before: Content, after: Content, components: Any, wording: Wording, names: Sequence[str]
) -> tuple[str, str]:
    """What was decided, and what else happened."""
    caption = f"{names[seat]} {wording.sentence(action, before, components)}"
    changes = wording.changes(action, before, after, components)
    return caption, "; ".join(
        change.text if change.seat is None else f"{names[change.seat]} {change.text}" for change in changes
    )


def captioned(scene: Scene, last: int) -> str:
    """The picture of a scene with a bar below: the caption, the details, and a line for how far the game has come.

    Args:
        scene: the scene.
        last: the number of the last scene of the game.
    """
    inner = ElementTree.fromstring(scene.picture)
    left, top, width, height = _view_box(inner)
    bar, margin, size = _BAR * width, _MARGIN * width, _TEXT_SIZE * width
    number = f"{scene.number} / {last}"
    room = width - 3 * margin - svg.width_of(number, size)
    lines = [scene.caption, scene.details] if scene.details else wrapped(scene.caption, size, room)
    first, *more = [
        svg.fitted(messages.printable(line), size, space)
        for line, space in zip(lines, (room, width - 2 * margin), strict=False)
    ]
    body = svg.rect(0, height, width, bar, _BACK) + svg.rect(
        0, height, width * scene.number / max(last, 1), bar / 18, _LINE
    )
    body += svg.text(margin, height + bar * _BASELINES[0], first, size, _INK)
    body += svg.text(width - margin, height + bar * _BASELINES[0], number, size, _SOFT, anchor="end")
    for line in more:
        body += svg.text(margin, height + bar * _BASELINES[1], line, size, _SOFT)
    outer = ElementTree.fromstring(svg.document(width, height + bar, f"{scene.caption}. {scene.details}", body))
    inner.attrib |= {
        "width": f"{width:g}",
        "height": f"{height:g}",
        "viewBox": f"{left:g} {top:g} {width:g} {height:g}",
    }
    outer.insert(0, inner)
    return ElementTree.tostring(outer, encoding="unicode")


def _view_box(document: ElementTree.Element) -> tuple[float, float, float, float]:
    box = [float(number) for number in re.findall(r"[-+.\de]+", document.get("viewBox", ""))]
    if len(box) != 4:
        sizes = [re.match(r"[.\d]+", document.get(name, "")) for name in ("width", "height")]
        box = [0.0, 0.0, *(float(size[0]) for size in sizes if size)]
    if len(box) != 4:
        raise ValueError("picture: an SVG document without a viewBox or a size")
    return box[0], box[1], box[2], box[3]


def wrapped(text: str, size: float, width: float) -> list[str]:
    """A text in at most two lines, broken between words where the first line is full."""
    if svg.width_of(text, size) <= width:
        return [text]
    words = text.split(" ")
    fitting = next(
        number for number in range(1, len(words) + 1) if svg.width_of(" ".join(words[:number]), size) > width
    )
    return [" ".join(words[: fitting - 1]), " ".join(words[fitting - 1 :])] if fitting > 1 else [text]

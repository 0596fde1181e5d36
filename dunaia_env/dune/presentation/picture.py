"""The picture of a position: the planet with everything on it, the players, the tanks and the decks.

The picture is SVG text, drawn from a state dictionary or from a view; the same content gives the same text. Values that
are missing or None are hidden: they appear as a question mark, as the back of a card, or not at all. At a width of 1200
pixels everything in it can be read. Every piece that a person can point at is drawn once, as a group with the piece's
name in ``data-piece``:

- on the planet: ``cell-C`` with the tokens and the spice in it, ``territory-T`` (the name), ``storm``;
- for seat S: ``seat-S``, ``spice-S``, ``reserve-S``, ``hand-S``, ``tanks-S`` (its dead tokens), and its visible cards
  of kind K: ``card-K`` for the seat that decides, ``card-S-K`` for any other seat;
- ``leader-L``, living or in the tanks; ``deck``, ``spice-deck``; if there is room, ``discard-K`` and ``blow-I``, a
  spice card to come.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from dunaia_env.dune.components import Components
from dunaia_env.dune.presentation import icons, notes, palette, planet, seats, surroundings, table
from dunaia_env.dune.presentation.labels import LABELS
from dunaia_env.dune.presentation.look import Look
from dunaia_env.dune.state import NONE
from dunaia_env.harness.presentation import Surroundings
from dunaia_env.support import svg
from dunaia_env.support.messages import shorten
from dunaia_env.support.svg import BOLD, fitted, placed, rect, text, width_of

WIDTH: Final = 1200
_EDGE = 8
_TOP = 52
_GAP = 8
_LEAST_DECKS = 84
_HIGHEST_PANEL = 186
HEIGHT: Final = _TOP + planet.SIZE + _GAP + table.TANKS_HEIGHT + _EDGE + 4


def picture(content: Mapping[str, Any], components: Components, **keywords: Any) -> str:
    """A position as an SVG document, `WIDTH` units wide.

    Args:
        content: the state dictionary or view.
        components: the components of the game. The map is the picture's own and does not depend on them.
        keywords: as for `board`. For ``seat`` None, the panel of seat 0 comes first.

    Raises:
        ValueError: as `board` does.
    """
    look = _look(content, components, **keywords)
    body = rect(0, 0, WIDTH, HEIGHT, palette.TABLE) + _heading(look)
    body += placed(_EDGE, _TOP, planet.planet(look))
    body += placed(_EDGE, _TOP + planet.SIZE + _GAP, table.tanks(look, planet.SIZE))
    return svg.document(WIDTH, HEIGHT, _title(look), body + _side(look))


def board(content: Mapping[str, Any], components: Components, **keywords: Any) -> str:
    """The planet alone as an SVG document, for pages that write the rest as text.

    Args:
        content: the state dictionary or view.
        components: the components of the game.
        keywords: ``seat`` for which the picture is drawn, None for a spectator; ``names`` of the seats, None for the
            names of the factions, or "Player 0" and so on before they are drawn; ``language`` of the words, a key of
            `LABELS`, "en" if it is left out.

    Raises:
        ValueError: for an unknown language, a seat that does not play, or too few or too many names.
    """
    look = _look(content, components, **keywords)
    return svg.document(planet.SIZE, planet.SIZE, _title(look), planet.planet(look))


def around(content: Mapping[str, Any], components: Components, **keywords: Any) -> Surroundings:
    """What pages write around the `board`; arguments and errors as there."""
    return surroundings.surroundings(_look(content, components, **keywords))


def _look(
    content: Mapping[str, Any],
    components: Components,
    *,
    seat: int | None = None,
    names: Sequence[str] | None = None,
    language: str = "en",
) -> Look:
    if language not in LABELS:
        raise ValueError(f"language: expected one of {', '.join(LABELS)}, got {shorten(language)}")
    labels = LABELS[language]
    players = content["players"]
    count = len(players)
    if seat is not None and not 0 <= seat < count:
        raise ValueError(f"seat: expected None or 0..{count - 1}, got {shorten(seat)}")
    if names is not None and len(names) != count:
        raise ValueError(f"names: expected {count} names, got {shorten(list(names))}")
    if names is None:
        factions = [notes.faction_of(player) for player in players]
        names = [
            labels.player.format(number) if faction is None else labels.factions[faction]
            for number, faction in enumerate(factions)
        ]
    return Look(content, labels, tuple(names), seat, components)


def _title(look: Look) -> str:
    return look.labels.labelled(look.labels.title, f"{_when(look)}, {_waiting(look)}")


def _side(look: Look) -> str:
    """The players' panels, with the decks in the room that is left."""
    left = _EDGE + planet.SIZE + _GAP
    count = len(look.players)
    whole = HEIGHT - _TOP - _EDGE - 4
    height = min((whole - _LEAST_DECKS) / count - _GAP, _HIGHEST_PANEL)
    winners = frozenset(look.get("winners") or ())
    first = look.seat or 0
    body, y = "", float(_TOP)
    for place in range(count):
        seat = (first + place) % count
        body += placed(left, y, seats.panel(seat, look, height, winners))
        y += height + _GAP
    return body + placed(left, y, table.decks(look, seats.WIDTH, HEIGHT - _EDGE - 4 - y))


def _when(look: Look) -> str:
    return look.labels.turn.format(look.get("turn") or 0)


def _waiting(look: Look) -> str:
    """The decision that the game waits for, in words."""
    content, labels = look.content, look.labels
    if content.get("over"):
        winners = look.get("winners") or ()
        if not winners:
            return labels.over
        return labels.labelled(labels.over, ", ".join(look.names[seat] for seat in winners))
    seat, decision = content.get("seat"), content.get("decision")
    if seat is None or seat == NONE or decision is None:
        actor, phase = content.get("actor"), content.get("phase")
        if actor is None or actor == NONE or phase not in ("movement", "battle"):
            return labels.phases.get(phase or "", "")
        doing = labels.fighting if phase == "battle" else labels.moving
        return labels.labelled(look.names[actor], doing)
    return labels.labelled(look.names[seat], labels.decisions[decision])


def _heading(look: Look) -> str:
    """The line at the top: the game, turn and phase, and whose decision it is."""
    labels = look.labels
    body = text(_EDGE + 8, 36, labels.title, 30, palette.INK, weight=BOLD)
    x = _EDGE + 8 + width_of(labels.title, 30, BOLD) + 20
    for step in surroundings.steps(look):
        weight = BOLD if step.is_now else svg.NORMAL
        wide = width_of(step.text, 13.5, weight) + 14
        if step.is_now:
            body += rect(x, 15, wide, 26, palette.INK, radius=13)
        ink = palette.WHITE if step.is_now else palette.SOFT
        body += text(x + wide / 2, 32.6, step.text, 13.5, ink, weight=weight, anchor="middle")
        x += wide
    room = WIDTH - _EDGE - x - 70
    words = fitted(_waiting(look), 17, room, BOLD)
    wide = width_of(words, 17, BOLD) + 30
    seat = look.get("seat")
    if seat is None or seat == NONE:
        seat = look.get("actor")
    left = WIDTH - _EDGE - wide
    if seat is None or seat == NONE:
        return body + rect(left, 8, wide, 38, palette.INK, radius=19) + text(
            left + 15, 33, words, 17, palette.WHITE, weight=BOLD
        )  # fmt: skip
    left -= 28
    body += rect(left, 8, wide + 28, 38, palette.SEATS[seat], radius=19)
    body += placed(left + 21, 27, icons.seat_disc(seat), 1.1)
    return body + text(left + 42, 33, words, 17, palette.WHITE, weight=BOLD)

"""The deciding moment of a game: the turn that brought the winner the largest lasting gain.

The *floor* at the end of a turn is the lowest chance of winning that the winner has there or at the end of any later
turn. The floor never falls: over the game it rises from the winner's worst chance to 1. Each turn, with the chance
events that follow it, accounts for a part of the rise: what the winner gained by it for good. The deciding moment is
the turn with the largest part, whoever played it.

The chance of winning is the estimate of the game's evaluation, and at the end the result; the chances of players who
win together are added up. In a game without an evaluation the lead takes its place: the winner's points minus those of
the best other player. A turn is the sequence of decisions that one seat makes in one round without a break.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.compiled.entry_points import MOST_SEATS, write_shares
from dunaia_env.harness.game import Game
from dunaia_env.harness.opponents import load_weights
from dunaia_env.harness.presentation import ENGLISH
from dunaia_env.harness.state import GameState, prepare
from dunaia_env.render.html import inline
from dunaia_env.render.scenes import scenes, seat_names
from dunaia_env.replay import Replay, positions
from dunaia_env.reports.parts import Figure
from dunaia_env.statistics.intervals import Floats, round_portably
from dunaia_env.support.atomic import write_text


@dataclass(frozen=True)
class Moment:
    """The deciding moment of a game, a turn.

    Attributes:
        first: number of the turn's first decision, from 1.
        last: number of the turn's last decision; the picture shows the position after it.
        decisions: number of decisions of the game.
        round: round in which the turn was played.
        seat: seat that played the turn.
        winners: the seats that won.
        measure: "chance" of winning, 0..1, or "lead" in points.
        before: the winners' chance or lead before the turn.
        after: the value below which this chance or lead never fell afterwards.
        caption: what was decided and what it changed, in English.
        picture: path of the picture, an SVG document.
    """

    first: int
    last: int
    decisions: int
    round: int
    seat: int
    winners: tuple[int, ...]
    measure: str
    before: float
    after: float
    caption: str
    picture: str


class Turn(NamedTuple):
    """A turn of a game.

    Attributes:
        first: number of its first decision, from 1.
        last: number of its last decision.
        round: round in which the turn was played.
        seat: seat that played it.
    """

    first: int
    last: int
    round: int
    seat: int


def largest_step(values: Floats) -> tuple[int, float, float]:
    """The step of a curve with the largest lasting rise.

    Args:
        values: float64 ``(N + 1,)``, N at least 1.

    Returns:
        The index of the step, 0..N-1, the value before it, and the least value after it. Of equal steps it is the
        first; if the curve nowhere rises for good, it is the last step.
    """
    floors = np.minimum.accumulate(values[::-1])[::-1]
    rises = round_portably(np.diff(floors))
    step = int(rises.argmax()) if rises.max() > 0 else len(rises) - 1
    return step, float(values[step]), float(floors[step + 1])


def curve(replay: Replay, *, components: Any = None) -> tuple[str, list[Turn], Floats]:
    """The turns of a game, and how the winners' chance or lead changed in them.

    Returns:
        "chance" or "lead", the turns, and the values before the first and after each turn, float64 ``(turns + 1,)``.

    Raises `ReplayError` for a replay that cannot be played again.
    """
    winners = winners_of(replay)
    measure, value = _chance_in(replay.game) if replay.game.entry_points.has_evaluation else ("lead", _lead)
    turns: list[Turn] = []
    values: list[float] = []
    for number, (_, state, _) in enumerate(positions(replay, components=components)):
        if number:
            turns[-1] = turns[-1]._replace(last=number)
        whose = (state.ending()[0], state.seat)
        if not turns or state.is_over or (turns[-1].round, turns[-1].seat) != whose:
            values.append(value(state, winners))
            if not state.is_over:
                turns.append(Turn(number + 1, number + 1, *whose))
    if measure == "chance":
        values[-1] = 1.0
    return measure, turns, np.array(values, np.float64)


def winners_of(replay: Replay) -> tuple[int, ...]:
    """The seats that won a game."""
    return tuple(seat for seat, rank in enumerate(replay.result["ranks"]) if rank == 1)


def _lead(state: GameState, winners: tuple[int, ...]) -> float:
    scores = state.scores()
    others = [score for seat, score in enumerate(scores) if seat not in winners]
    return float(min(scores[seat] for seat in winners) - max(others)) if others else 0.0


def _chance_in(game: Game) -> tuple[str, Callable[[GameState, tuple[int, ...]], float]]:
    table, weights = prepare(game, evaluation=True), load_weights(game, None)

    def chance(state: GameState, winners: tuple[int, ...]) -> float:
        shares: NDArray[np.float64] = np.zeros(MOST_SEATS)
        # A copy, because kernels are compiled ahead of time for writable arrays.
        position = np.frombuffer(state.to_bytes(), np.uint8).copy()
        write_shares(table, position, state.components.buffer, weights, shares)
        return float(shares[list(winners)].sum())

    return "chance", chance


def write_moment(folder: Path, path: str, replay: Replay, *, components: Any = None) -> Moment | None:
    """Find the deciding moment of a game and write its picture; None for a game without pictures or decisions.

    Args:
        folder: the report's folder.
        path: path of the picture in this folder.
        replay: the game.
        components: components with which it was played; None for the game's own.

    Raises `ReplayError` for a replay that cannot be played again, `OSError` if the picture cannot be written.
    """
    presentation, decisions = replay.game.presentation, len(replay.decisions)
    if presentation is None or not decisions:
        return None
    measure, turns, values = curve(replay, components=components)
    step, before, after = largest_step(values)
    turn = turns[step]
    (scene,) = scenes(replay, components=components, only=turn.last)
    write_text(folder / path, scene.picture)
    winners, names = winners_of(replay), seat_names(replay.header["agents"], presentation.wording(ENGLISH))
    told = _told(replay, turn, components)
    caption = f"Round {turn.round}: {names[turn.seat]} {told}. "
    caption += _change(measure, before, after, " and ".join(names[winner] for winner in winners))
    return Moment(
        first=turn.first,
        last=turn.last,
        decisions=decisions,
        round=turn.round,
        seat=turn.seat,
        winners=winners,
        measure=measure,
        before=before,
        after=after,
        caption=caption,
        picture=path,
    )


def _told(replay: Replay, turn: Turn, components: Any) -> str:
    """What was decided in a turn, as clauses without a subject."""
    sentence = replay.game.require("presentation").wording(ENGLISH).sentence
    clauses = []
    for number, (_, state, _) in enumerate(positions(replay, components=components), start=1):
        if number > turn.last:
            break
        if number >= turn.first:
            clauses.append(sentence(replay.decisions[number - 1]["action"], state.to_dict(), state.components))
    *most, last = clauses
    return f"{'; '.join(most)}; and {last}" if most else last


def _change(measure: str, before: float, after: float, winners: str) -> str:
    """What a moment changed, as a sentence."""
    if after <= before:
        return "No turn of this game changed anything for good."
    if measure == "chance":
        change = f"rises from {100 * before:.0f} % to {100 * after:.0f} % and stays there or above"
        return f"The chance of {winners} to win {change}."
    change = f"changes from {before:g} to {after:g} points and is never less again".replace("-", "−")
    return f"The lead of {winners} {change}."


MOMENT_NOTE = (
    "The pictures show the deciding moments: the end of the turn with the winner's largest lasting gain, which is the"
    " part of a rise that no later turn takes away. Chances are estimates of the game's evaluation; in a game without"
    " one the lead in points takes their place."
)


def moment_figures(folder: Path, moments: Mapping[str, Moment | None]) -> tuple[Figure, ...]:
    """Figures of the deciding moments whose pictures are in a report's folder, by title; None for no picture.

    Raises `OSError` if a picture cannot be read.
    """
    return tuple(
        Figure(title, moment.caption, moment.picture, inline((folder / moment.picture).read_text(encoding="utf-8")))
        for title, moment in moments.items()
        if moment is not None
    )

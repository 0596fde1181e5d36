"""The deciding moment of a game: after which decision the winner had what it never lost again.

The floor of a position is the least chance of winning that the winner has from there on, the position included. It
never falls, and it rises in all from the winner's worst chance of the game to 1. Each decision, with the chance events
that follow it, accounts for a part of the rise: what the winner gained by it for good. The deciding moment is the
decision with the largest part.

A chance of winning is what the game's evaluation says, at the end the result; players who win together count together.
In a game without an evaluation the lead takes its place: the winner's points less the best other player's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.arena.intervals import Floats, round_portably
from dunaia_env.harness.compiled.entry_points import MOST_SEATS, write_shares
from dunaia_env.harness.game import Game
from dunaia_env.harness.opponents import load_weights
from dunaia_env.harness.presentation import ENGLISH
from dunaia_env.harness.state import GameState, prepare
from dunaia_env.render.scenes import scenes, seat_names
from dunaia_env.replay import Replay, positions
from dunaia_env.support.atomic import write_text


@dataclass(frozen=True)
class Moment:
    """The deciding moment of a game.

    Attributes:
        decision: its number, from 1; so many decisions lead to the position of the picture.
        decisions: number of decisions of the game.
        round: in which it was made.
        seat: who made it.
        winners: the seats that won.
        measure: "chance" of winning, 0..1, or "lead" in points.
        before: the winners' chance or lead before the decision.
        after: what it never fell below afterwards.
        caption: what was decided and what it changed, in English.
        picture: path of the picture, an SVG document.
    """

    decision: int
    decisions: int
    round: int
    seat: int
    winners: tuple[int, ...]
    measure: str
    before: float
    after: float
    caption: str
    picture: str


def largest_step(values: Floats) -> tuple[int, float, float]:
    """The step of a curve with the largest lasting rise.

    Args:
        values: float64 ``(N + 1,)``, N at least 1.

    Returns:
        The number of the step, 1..N, the value before it, and the least value from there on. The first of equal steps;
        the last step of a curve that nowhere rises for good.
    """
    floors = np.minimum.accumulate(values[::-1])[::-1]
    rises = round_portably(np.diff(floors))
    step = int(rises.argmax()) + 1 if rises.max() > 0 else len(rises)
    return step, float(values[step - 1]), float(floors[step])


def curve(replay: Replay, *, components: Any = None) -> tuple[str, Floats]:
    """The winners' chance or lead in each position of a game: "chance" or "lead", and float64 ``(decisions + 1,)``.

    Raises `ReplayError` for a replay that cannot be played again.
    """
    winners = winners_of(replay)
    measure, value = _chance_in(replay.game) if replay.game.entry_points.has_evaluation else ("lead", _lead)
    values = [value(state, winners) for _, state, _ in positions(replay, components=components)]
    if measure == "chance":
        values[-1] = 1.0
    return measure, np.array(values, np.float64)


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
        # A copy, because kernels are compiled ahead for arrays that can be written.
        position = np.frombuffer(state.to_bytes(), np.uint8).copy()
        write_shares(table, position, state.components.buffer, weights, shares)
        return float(shares[list(winners)].sum())

    return "chance", chance


def write_moment(folder: Path, path: str, replay: Replay, *, components: Any = None) -> Moment | None:
    """Find the deciding moment of a game and write its picture; None for a game without pictures or decisions.

    Args:
        folder: the report's folder.
        path: of the picture in this folder.
        replay: the game.
        components: those that it was played with; the game's own for None.

    Raises `ReplayError` for a replay that cannot be played again, `OSError` if the picture cannot be written.
    """
    presentation, decisions = replay.game.presentation, len(replay.decisions)
    if presentation is None or not decisions:
        return None
    measure, values = curve(replay, components=components)
    step, before, after = largest_step(values)
    earlier, scene = (next(scenes(replay, components=components, only=number)) for number in (step - 1, step))
    write_text(folder / path, scene.picture)
    winners, names = winners_of(replay), seat_names(replay.header["agents"], presentation.wording(ENGLISH))
    seat = int(replay.decisions[step - 1]["seat"])
    caption = f"Round {earlier.rounds}, decision {step} of {decisions}: {scene.caption}. "
    caption += _change(measure, before, after, [names[winner] for winner in winners])
    return Moment(step, decisions, earlier.rounds, seat, winners, measure, before, after, caption, path)


def _change(measure: str, before: float, after: float, winners: list[str]) -> str:
    """What a moment changed, a sentence."""
    if after <= before:
        return "No decision of this game changed anything for good."
    whose = f"The chance of {' and '.join(winners)}" if measure == "chance" else f"The lead of {' and '.join(winners)}"
    if measure == "chance":
        return f"{whose} to win rises from {100 * before:.0f} % to {100 * after:.0f} % and is never lower again."
    return f"{whose} changes from {before:g} to {after:g} points and is never less again.".replace("-", "−")

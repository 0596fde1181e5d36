"""Replays of notable games of a run: the median game and the strangest ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env import replay
from dunaia_env.arena.records import Game, Run
from dunaia_env.harness import registry, state
from dunaia_env.harness.lanes import Lanes
from dunaia_env.reports.moments import Moment, write_moment
from dunaia_env.statistics.intervals import Floats, round_portably

REPLAYS_FOLDER = "replays"
STRANGEST = 5
FEATURES = ("rounds", "decisions", "margin", "winner's score")
_MEDIAN_FEATURES = 3  # the number of leading features that choose the median game
# Factors that turn absolute deviations of normal values into their standard deviation: 1 / Phi^-1(3/4) for the median,
# sqrt(pi / 2) for the mean.
_OF_MEDIAN_DEVIATION, _OF_MEAN_DEVIATION = 1.4826, 1.2533


@dataclass(frozen=True)
class Notable:
    """A notable game.

    Attributes:
        name: ``median`` or ``strangest-1`` ….
        path: path of its replay, relative to the run's folder; None if the game could not be replayed.
        problem: why the game could not be replayed; empty if it could.
        table: number of the table in the run.
        block: number of the block.
        order: number of the seat order.
        seed: the game seed.
        agents: label of the entrant in each seat.
        scores: points of each seat.
        rounds: number of rounds played.
        distance: distance from the medians of its table, see `choose`.
        features: distance of each of `FEATURES` from the median of its table, in robust standard deviations.
        moment: the deciding moment, with its picture; None without a replay, and for a game without pictures.
    """

    name: str
    path: str | None
    problem: str
    table: int
    block: int
    order: int
    seed: int
    agents: tuple[str, ...]
    scores: tuple[int, ...]
    rounds: int
    distance: float
    features: dict[str, float]
    moment: Moment | None = None


def distances(values: Floats) -> Floats:
    """Robust z-scores: the distance of each value from the median of its column.

    ``z = (x - median) / (1.4826 * median |x - median|)``. If that median is zero, the divisor is
    ``1.2533 * mean |x - median|`` instead, and z = 0 in a column of equal values.

    Args:
        values: ``(games, features)``.

    Returns:
        z, of the same shape.
    """
    deviations = values - np.median(values, axis=0)
    scale = _OF_MEDIAN_DEVIATION * np.median(np.abs(deviations), axis=0)
    scale = np.where(scale > 0, scale, _OF_MEAN_DEVIATION * np.abs(deviations).mean(axis=0))
    return round_portably(np.divide(deviations, scale, out=np.zeros_like(deviations), where=scale > 0))


def _features(game: Game) -> tuple[int, ...]:
    first, second = sorted(game.scores, reverse=True)[:2]
    winner = max(score for score, rank in zip(game.scores, game.ranks, strict=True) if rank == 1)
    return game.rounds, sum(game.decisions), first - second, winner


def choose(games: Sequence[Game]) -> list[tuple[str, Game, float, Floats]]:
    """The median game and the strangest ones: name, game, distance, and z-score of each of `FEATURES`.

    The z-scores are relative to the medians of each table, and the distance is ``sqrt(sum of z^2)``. The median game
    has the least distance over rounds, decisions and margin (between the two best players); the strangest games have
    the largest distances over all `FEATURES`. Ties are broken by table, block and order.
    """
    ordered = sorted(games, key=lambda game: game.key)
    if not ordered:
        return []
    tables = np.array([game.table for game in ordered])
    values = np.array([_features(game) for game in ordered], np.float64)
    scores = np.zeros_like(values)
    for table in np.unique(tables):
        scores[tables == table] = distances(values[tables == table])
    # Rounded, so that equal games have equal distances whatever the order of summation.
    near = round_portably(np.sqrt((scores[:, :_MEDIAN_FEATURES] ** 2).sum(axis=1)))
    far = round_portably(np.sqrt((scores**2).sum(axis=1)))
    median = int(near.argmin())
    strange = [index for index in np.argsort(-far, kind="stable").tolist() if index != median][:STRANGEST]
    chosen = [("median", ordered[median], float(near[median]), scores[median])]
    return chosen + [
        (f"strangest-{place}", ordered[index], float(far[index]), scores[index])
        for place, index in enumerate(strange, start=1)
    ]


def replay_of(run: Run, game: Game, *, components: Any = None) -> replay.Replay:
    """The replay of a recorded game, made by playing its actions again.

    Raises `ValueError` if the actions cannot be played, or if they lead to a result other than the recorded one.
    """
    loaded = registry.find_game(run.game).load(components)
    if loaded.hash != run.components:
        raise ValueError(f"expected the components of the run, {run.components}, got {loaded.hash}")
    actions = iter(game.actions)
    played = replay.record_game(
        game.seed,
        [RecordedAgent(run.entrants[entrant].label, actions) for entrant in game.seating],
        game=registry.find_game(run.game),
        num_players=len(game.seating),
        components=loaded,
        **run.options,
    )
    if len(played.decisions) < len(game.actions):
        raise ValueError(f"the game is over after {len(played.decisions)} of {len(game.actions)} recorded actions")
    if tuple(played.result["scores"]) != game.scores:
        raise ValueError(f"the scores are {tuple(played.result['scores'])}; the recorded scores are {game.scores}")
    return played


class RecordedAgent:
    """An agent that plays recorded actions; the agents of all seats share the iterator over them."""

    version = ""

    def __init__(self, name: str, actions: Iterator[int]) -> None:
        self.name = name
        self._actions = actions

    def reset(self, seed: int) -> None:
        """Nothing here depends on a seed."""

    def act(self, view: state.View) -> int:
        """The next action; raises `ValueError` if there is none."""
        action = next(self._actions, None)
        if action is None:
            raise ValueError("the game is not over after the recorded actions")
        return action

    def act_batch(self, lanes: Lanes, selected: NDArray[np.int64]) -> NDArray[np.int32]:
        """Not possible: the actions are those of one game."""
        raise NotImplementedError("recorded games are played one by one")


def write_notable(folder: Path, run: Run, games: Sequence[Game], *, components: Any = None) -> tuple[Notable, ...]:
    """Write the replays of the games that `choose` selects, verified, and the pictures of their deciding moments.

    They go into the run's folder; old ones there are removed.
    """
    replays = folder / REPLAYS_FOLDER
    for old in [*replays.glob("median.*"), *replays.glob("strangest-*.*")]:
        old.unlink(missing_ok=True)
    notable = []
    for name, game, distance, scores in choose(games):
        path, problem, moment = f"{REPLAYS_FOLDER}/{name}.jsonl", "", None
        try:
            played = replay_of(run, game, components=components)
            replay.verify(played, components=registry.find_game(run.game).load(components))
            replay.write(played, folder / path)
            moment = write_moment(folder, f"{REPLAYS_FOLDER}/{name}.svg", played, components=components)
        except ValueError as error:
            problem = str(error)
        notable.append(
            Notable(
                name=name,
                path=None if problem else path,
                problem=problem,
                table=game.table,
                block=game.block,
                order=game.order,
                seed=game.seed,
                agents=tuple(run.entrants[entrant].label for entrant in game.seating),
                scores=game.scores,
                rounds=game.rounds,
                distance=distance,
                features=dict(zip(FEATURES, scores.tolist(), strict=True)),
                moment=moment,
            )
        )
    return tuple(notable)

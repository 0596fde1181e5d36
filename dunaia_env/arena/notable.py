"""Games of a run worth looking at: the median one and the strangest, as replays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env import replay
from dunaia_env.arena.intervals import Floats, settled
from dunaia_env.arena.records import Game, Run
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.registry import find_game
from dunaia_env.harness.state import View

REPLAYS_FOLDER = "replays"
STRANGEST = 5
FEATURES = ("rounds", "decisions", "margin", "winner's score")
_MEDIAN_FEATURES = 3  # the first so many tell how close to the median a game is
# What turns them into the standard deviation where values are normal: 1 / Phi^-1(3/4) for the median absolute
# deviation, sqrt(pi / 2) for the mean one.
_OF_MEDIAN_DEVIATION, _OF_MEAN_DEVIATION = 1.4826, 1.2533


@dataclass(frozen=True)
class Notable:
    """A game worth looking at.

    Attributes:
        name: ``median`` or ``strangest-1`` ….
        path: of its replay, from the run's folder; None if it could not be replayed.
        problem: why not; empty if it could.
        table: number of the table in the run.
        block: number of the block.
        order: number of the seat order.
        seed: the game seed.
        agents: label of the entrant in each seat.
        scores: points of each seat.
        rounds: rounds played.
        distance: from its table's medians, see `distances`.
        features: what of `FEATURES` lies how many robust standard deviations from its table's median.
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


def distances(values: Floats) -> Floats:
    """Robust distances of each value from its column's median.

    ``z = (x - median) / (1.4826 * median |x - median|)``; where that median is zero, ``1.2533 * mean |x - median|``
    divides instead, and z = 0 in a column without differences.

    Args:
        values: ``(games, features)``.

    Returns:
        z, of the same shape. A game is as strange as its row is long: ``sqrt(sum of z^2)``.
    """
    off = values - np.median(values, axis=0)
    scale = _OF_MEDIAN_DEVIATION * np.median(np.abs(off), axis=0)
    scale = np.where(scale > 0, scale, _OF_MEAN_DEVIATION * np.abs(off).mean(axis=0))
    return settled(np.divide(off, scale, out=np.zeros_like(off), where=scale > 0))


def _features(game: Game) -> tuple[int, ...]:
    first, second = sorted(game.scores, reverse=True)[:2]
    winner = max(score for score, rank in zip(game.scores, game.ranks, strict=True) if rank == 1)
    return game.rounds, sum(game.decisions), first - second, winner


def choose(games: Sequence[Game]) -> list[tuple[str, Game, float, Floats]]:
    """The median game and the strangest ones: name, game, distance and z of each of `FEATURES`.

    Medians are those of each table. The median game is the one of the least distance over rounds, decisions and margin
    (between the two best); the strangest have the largest over all `FEATURES`. Among equals the lower table, block and
    order come first.
    """
    ordered = sorted(games, key=lambda game: game.key)
    if not ordered:
        return []
    tables = np.array([game.table for game in ordered])
    values = np.array([_features(game) for game in ordered], np.float64)
    scores = np.zeros_like(values)
    for table in np.unique(tables):
        scores[tables == table] = distances(values[tables == table])
    # Settled, so that equal games are equal whatever the order of summation.
    near = settled(np.sqrt((scores[:, :_MEDIAN_FEATURES] ** 2).sum(axis=1)))
    far = settled(np.sqrt((scores**2).sum(axis=1)))
    median = int(near.argmin())
    strange = [index for index in np.argsort(-far, kind="stable").tolist() if index != median][:STRANGEST]
    chosen = [("median", ordered[median], float(near[median]), scores[median])]
    return chosen + [
        (f"strangest-{place}", ordered[index], float(far[index]), scores[index])
        for place, index in enumerate(strange, start=1)
    ]


def replay_of(run: Run, game: Game, *, components: Any = None) -> replay.Replay:
    """The replay of a recorded game: its actions are played again.

    Raises `ValueError` where they cannot be, or end in another result than the recorded one.
    """
    loaded = find_game(run.game).load(components)
    if loaded.hash != run.components:
        raise ValueError(f"the run was played with the components {run.components}, these are {loaded.hash}")
    actions = iter(game.actions)
    played = replay.record_game(
        game.seed,
        [_Recorded(run.entrants[entrant].label, actions) for entrant in game.seating],
        game=find_game(run.game),
        num_players=len(game.seating),
        components=loaded,
        **run.options,
    )
    if len(played.decisions) < len(game.actions):
        raise ValueError(f"the game is over after {len(played.decisions)} of {len(game.actions)} recorded actions")
    if tuple(played.result["scores"]) != game.scores:
        raise ValueError(f"the scores are {tuple(played.result['scores'])}, recorded are {game.scores}")
    return played


class _Recorded:
    """An agent that decides what the record says; all seats take from the same record."""

    version = ""

    def __init__(self, name: str, actions: Iterator[int]) -> None:
        self.name = name
        self._actions = actions

    def reset(self, seed: int) -> None:
        """Nothing here depends on a seed."""

    def act(self, view: View) -> int:
        action = next(self._actions, None)
        if action is None:
            raise ValueError("the game goes on after the recorded actions")
        return action

    def act_batch(self, lanes: Lanes, selected: NDArray[np.int64]) -> NDArray[np.int32]:
        raise NotImplementedError("a recorded game is played alone")


def write_notable(folder: Path, run: Run, games: Sequence[Game], *, components: Any = None) -> tuple[Notable, ...]:
    """Write the replays of the games chosen by `choose` into the run's folder, verified; removes those of before."""
    place = folder / REPLAYS_FOLDER
    for old in [place / "median.jsonl", *place.glob("strangest-*.jsonl")]:
        old.unlink(missing_ok=True)
    found = []
    for name, game, distance, scores in choose(games):
        path, problem = f"{REPLAYS_FOLDER}/{name}.jsonl", ""
        try:
            played = replay_of(run, game, components=components)
            replay.verify(played, components=find_game(run.game).load(components))
            replay.write(played, folder / path)
        except ValueError as error:
            problem = str(error)
        found.append(
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
            )
        )
    return tuple(found)

"""The games of note of a condition, that is the median game and the strangest ones, and their replays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dunaia_env import replay
from dunaia_env.arena.intervals import Floats, round_portably
from dunaia_env.arena.moments import Moment, write_moment
from dunaia_env.arena.notable import RecordedAgent, distances
from dunaia_env.balance.design import Condition, Lineup
from dunaia_env.balance.games import Games
from dunaia_env.balance.playing import AGENT_SEED, game_of, game_options, load_agent
from dunaia_env.balance.shapes import lead_changes, winning_margins
from dunaia_env.harness.game import Game
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.roles import NOBODY

REPLAYS_FOLDER = "replays"
STRANGEST = 5
FEATURES = ("rounds", "decisions", "winning margin", "lead changes", "best score", "score of the last")
# A feature is named as a reason if the game lies at least this many robust standard deviations from its median.
_STRIKING = 2.0
_MOST_REASONS = 3


@dataclass(frozen=True)
class NotedGame:
    """A game of note.

    Attributes:
        name: ``median`` or ``strangest-1`` ….
        why: what is special about it.
        players: number of players.
        agent: the agent in all seats.
        block: number of the block.
        order: the game's number in its block.
        seed: the game's seed.
        roles: name of the role of each seat, or an empty text for none.
        scores: points of each seat.
        rounds: number of rounds played.
        distance: ``sqrt(sum of z^2)`` over `FEATURES`, where z is the distance from the median in robust standard
            deviations.
        features: the game's value of each of `FEATURES`.
        path: path of the replay, relative to the report; None if there is none.
        problem: why there is no replay; empty otherwise.
        moment: the deciding moment, with its picture; None without a replay, and for a game without pictures.
    """

    name: str
    why: str
    players: int
    agent: str
    block: int
    order: int
    seed: int
    roles: tuple[str, ...]
    scores: tuple[int, ...]
    rounds: int
    distance: float
    features: dict[str, int]
    path: str | None = None
    problem: str = ""
    moment: Moment | None = None


def features(games: Games) -> Floats:
    """The `FEATURES` of games, float64 ``(G, len(FEATURES))``."""
    columns = (
        games.rounds,
        games.decisions,
        winning_margins(games),
        lead_changes(games),
        games.scores.max(axis=1),
        games.scores.min(axis=1),
    )
    return np.column_stack(columns).astype(np.float64)


def games_of_note(games: Games, agent: str, seed: int, names: Sequence[str]) -> tuple[NotedGame, ...]:
    """The median game, which is nearest to the medians of all `FEATURES`, and the strangest ones, farthest from them.

    Args:
        games: the games of a condition.
        agent: the agent in all seats.
        seed: the study's seed.
        names: names of the roles.

    Ties are broken by block and order.
    """
    if not len(games):
        return ()
    values = features(games)
    scores = distances(values)
    medians = np.median(values, axis=0)
    far = round_portably(np.sqrt((scores**2).sum(axis=1)))
    middle = int(far.argmin())
    strangest = [index for index in np.argsort(-far, kind="stable").tolist() if index != middle][:STRANGEST]
    labels = ["median", *(f"strangest-{place}" for place in range(1, len(strangest) + 1))]
    found = []
    for name, index in zip(labels, [middle, *strangest], strict=True):
        found.append(
            NotedGame(
                name=name,
                why="nearest to the medians of all features"
                if name == "median"
                else _reasons(values[index], medians, scores[index]),
                players=games.seats,
                agent=agent,
                block=int(games.block[index]),
                order=int(games.order[index]),
                seed=seed + int(games.block[index]),
                roles=tuple("" if role == NOBODY else names[role] for role in games.roles[index].tolist()),
                scores=tuple(games.scores[index].tolist()),
                rounds=int(games.rounds[index]),
                distance=float(far[index]),
                features=dict(zip(FEATURES, values[index].astype(int).tolist(), strict=True)),
            )
        )
    return tuple(found)


def _reasons(values: Floats, medians: Floats, scores: Floats) -> str:
    order = np.argsort(-np.abs(scores), kind="stable")[:_MOST_REASONS].tolist()
    striking = [index for index in order if abs(scores[index]) >= _STRIKING] or order[:1]
    return ", ".join(f"{FEATURES[index]} {values[index]:g} (median {medians[index]:g})" for index in striking)


def replay_of(noted: NotedGame, game: Game, condition: Condition, components: Any) -> replay.Replay:
    """The replay of a game of a condition, made by playing the game once more with loaded components.

    Raises `ValueError` if the game does not end as it did in the study. That happens with agents whose decisions depend
    on how many games they play together.
    """
    roles = game.check_roles()
    numbers = tuple(roles.names.index(name) if name else NOBODY for name in noted.roles)
    options = game_options(condition, Lineup(noted.order, numbers), roles)
    played_game = game_of(condition, game)
    actions = _actions(noted.seed, played_game, components, condition, options)
    played = replay.record_game(
        noted.seed,
        [RecordedAgent(condition.agent, actions)],
        game=played_game,
        components=components,
        **options,
    )
    if tuple(played.result["scores"]) != noted.scores:
        raise ValueError(
            f"played again, it ends with the scores {tuple(played.result['scores'])}; in the study, with {noted.scores}"
        )
    return played


def _actions(seed: int, game: Game, components: Any, condition: Condition, options: dict[str, Any]) -> Iterator[int]:
    """The actions of a game that the condition's agent plays for all seats."""
    lanes = Lanes(1, game=game, components=components, autoreset=False, **options)
    lanes.reset([seed])
    agent = load_agent(condition.agent, game, components)
    agent.reset(AGENT_SEED)
    while len(active := np.flatnonzero(lanes.seats >= 0)):
        actions = agent.act_batch(lanes, active)
        yield int(actions[0])
        lanes.step(actions, active)


def write_replays(
    folder: Path, noted: Sequence[NotedGame], game: Game, condition: Condition, components: Any, needed: str
) -> tuple[NotedGame, ...]:
    """Write the replay of each game of note, and the picture of its deciding moment.

    Returns the games with their paths and moments, or with the reason why there is no replay.

    Args:
        folder: the report's folder.
        noted: the games.
        game: the study's game.
        condition: the condition to which the games belong.
        components: loaded components.
        needed: the hash of the components that the study played with.
    """
    written = []
    for one in noted:
        path, picture = (f"{REPLAYS_FOLDER}/{one.players}-players-{one.name}.{kind}" for kind in ("jsonl", "svg"))
        try:
            if components.hash != needed:
                raise ValueError(f"the study was played with components {needed}, not {components.hash}")
            played = replay_of(one, game, condition, components)
            replay.write(played, folder / path)
            moment = write_moment(folder, picture, played, components=components)
            written.append(replace(one, path=path, moment=moment))
        except ValueError as error:
            for old in (path, picture):
                (folder / old).unlink(missing_ok=True)
            written.append(replace(one, problem=str(error)))
    return tuple(written)

"""Runs of the arena as their records, played by imagined players of known strength, or on the real game."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from dunaia_env import replay
from dunaia_env.arena.playing import ranks_with_faults
from dunaia_env.arena.records import Entrant, Fault, Game, Run, Table, checked_options
from dunaia_env.harness import opponents
from dunaia_env.harness.registry import find_game
from dunaia_env.harness.seeds import block_seed


def run_of(labels: Sequence[str], tables: Sequence[Table], *, game: str = "dunaia", **fields: Any) -> Run:
    """A plan; ``options`` are those of the game that are not the usual ones."""
    played = find_game(game)
    fields["options"] = checked_options(played, fields.get("options", {}))
    content: dict[str, Any] = {
        "entrants": tuple(Entrant(label, label.split(":")[0], "1") for label in labels),
        "tables": tuple(tables),
        "mode": "round-robin",
        "game": game,
        "seeding": "hashed",
        "seed": 0,
        "components": played.load(None).hash,
        "package": "0.1.0",
        "commit": "unknown",
        "command": "python -m dunaia_env.arena --agents " + " ".join(labels),
        "time_limit": 10.0,
        "games_at_once": 64,
        "valuer": "greedy",
        "sprt": None,
    }
    return Run(**(content | fields))


def orders_of(table: Table) -> list[tuple[int, ...]]:
    return sorted(set(itertools.permutations(table.entrants)))


def imagined_games(
    run: Run, strengths: Sequence[float], *, seed: int = 0, luck: float = 0.0, faults: Sequence[Fault] = ()
) -> list[Game]:
    """Games of Plackett-Luce players, with natural ratings; `faults` happen in every game.

    Part of each seat's chance is drawn apart as its luck, in points of a scale on which an agent's strength is one.
    """
    random, played = np.random.default_rng(seed), find_game(run.game)
    games = []
    for number, table in enumerate(run.tables):
        most_rounds = played.bounds(played.load(None), {"num_players": table.players, **run.options}).rounds
        for block, (order, seating) in itertools.product(range(table.blocks), enumerate(orders_of(table))):
            fortune = luck * random.normal(size=table.players)
            values = np.take(strengths, seating) + random.gumbel(size=table.players) + fortune
            ranks = (values[:, None] < values).sum(axis=1) + 1
            given = fortune - fortune.mean()
            decisions = random.integers(90, 120, table.players).tolist()
            faulty = [seat in {fault.seat for fault in faults} for seat in range(table.players)]
            games.append(
                Game(
                    table=number,
                    block=block,
                    order=order,
                    seed=block_seed(run.seed, block, run.seeding),
                    seating=seating,
                    scores=tuple(np.round(60 + 8 * values).astype(int).tolist()),
                    ranks=ranks_with_faults(ranks.tolist(), faulty),
                    rounds=min(int(random.integers(18, 30)), most_rounds),
                    stopped=False,
                    decisions=tuple(decisions),
                    seconds=tuple((0.01 + 0.02 * random.random(table.players)).tolist()),
                    luck=tuple((0.1 * given).tolist()),
                    faults=tuple(faults),
                    actions=(0,) * sum(decisions),
                )
            )
    return games


def real_games(run: Run) -> list[Game]:
    """Games of a run's agents on the real game, with the actions that replays need."""
    game = find_game(run.game)
    agents = [opponents.load(entrant.label, game=game) for entrant in run.entrants]
    games = []
    for number, table in enumerate(run.tables):
        for block, (order, seating) in itertools.product(range(table.blocks), enumerate(orders_of(table))):
            played = replay.record_game(
                block_seed(run.seed, block, run.seeding),
                [agents[entrant] for entrant in seating],
                game=game,
                num_players=table.players,
                **run.options,
            )
            decisions = [sum(line["seat"] == seat for line in played.decisions) for seat in range(table.players)]
            games.append(
                Game(
                    table=number,
                    block=block,
                    order=order,
                    seed=block_seed(run.seed, block, run.seeding),
                    seating=seating,
                    scores=tuple(played.result["scores"]),
                    ranks=tuple(played.result["ranks"]),
                    rounds=played.result["rounds"],
                    stopped=played.result["truncated"],
                    decisions=tuple(decisions),
                    seconds=tuple(1e-4 * count for count in decisions),
                    luck=(0.0,) * table.players,
                    faults=(),
                    actions=tuple(game.parse_action(line["action"]) for line in played.decisions),
                )
            )
    return games

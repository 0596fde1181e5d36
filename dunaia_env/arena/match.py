"""Matches: agents compared in blocks of games, with intervals.

A block is one game seed played in every seat order, so that the luck of the set-up, of draws and of the seat affects
all agents equally. Games of a block depend on one another, blocks do not: the block is the unit of every interval.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dunaia_env.arena import records, statistics
from dunaia_env.harness import commands, opponents, registry
from dunaia_env.harness.compiled.rewards import exact_shares
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.opponents import Agent
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.harness.seeds import AGENT_SEED_BITS, block_seed, derived_seed
from dunaia_env.statistics.intervals import SAMPLES, Estimate, block_estimates, round_portably
from dunaia_env.support import messages, terminal

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Match:
    """The result of a match between K agents in B blocks.

    Attributes:
        names: the agents' names.
        shares: float64 ``(B, K)``: each agent's mean win share for a seat in each block; 1 / players is fair.
        scores: float64 ``(B, K)``: each agent's mean score in each block.
        games: number of games.
        decisions: mean number of decisions in a game.
        stopped: number of games that were stopped at their round limit.
        seconds: duration of the match.
    """

    names: tuple[str, ...]
    shares: Floats
    scores: Floats
    games: int
    decisions: float
    stopped: int
    seconds: float

    def interval(self, agent: int = 0) -> Estimate:
        """`win_share_interval` of one of the agents."""
        return win_share_interval(self.shares[:, agent])


def fill_table(agents: int, num_players: int) -> tuple[int, ...]:
    """The agents at a table of ``num_players``: each agent once, and copies of the last one in the other seats.

    Raises `ValueError` for fewer than two agents or more agents than players.
    """
    if not 2 <= agents <= num_players:
        raise ValueError(f"agents: expected 2..{num_players} at a table of {num_players} players, got {agents}")
    return tuple(min(seat, agents - 1) for seat in range(num_players))


def blocks_for(games: int, agents: int, num_players: int) -> int:
    """The smallest number of blocks with at least ``games`` games; raises the errors of `fill_table`."""
    return -(-games // len(records.seat_orders(fill_table(agents, num_players))))


def play_match(
    agents: Sequence[Agent],
    *,
    blocks: int,
    num_players: int = 2,
    seed: int = 0,
    components: Any = None,
    lanes_at_once: int = 512,
    threads: int = 1,
    make_lanes: Callable[..., Any] = Lanes,
    **options: Any,
) -> Match:
    """Play agents against each other, many games at a time.

    Args:
        agents: 2 to ``num_players`` agents; copies of the last one fill the table.
        blocks: number of game seeds; each is played in every different seat order.
        num_players: number of players at the table.
        seed: the seed from which the game seeds of all blocks follow, and the agents' seeds; the games of different
            seeds are different ones.
        components: a component file; None for the game's own.
        lanes_at_once: largest number of games played together; it does not affect agents whose random choices depend
            only on the game and the decision.
        threads: number of threads of the lanes.
        make_lanes: the class of the lanes.
        options: further arguments of the lanes: the game and its options.
    """
    if blocks < 1:
        raise ValueError(f"blocks: expected at least 1, got {blocks}")
    begin = time.perf_counter()
    orders = np.array(records.seat_orders(fill_table(len(agents), num_players)))
    games = blocks * len(orders)
    block_of = np.repeat(np.arange(blocks), len(orders))
    seeds = np.array([block_seed(seed, block) for block in range(blocks)])[block_of]
    seating = np.concatenate([orders] * blocks)
    for index, agent in enumerate(agents):
        agent.reset(derived_seed(seed, "agent", index, bits=AGENT_SEED_BITS))
    ranks, scores = np.zeros((games, num_players), np.int64), np.zeros((games, num_players), np.int64)
    decisions, stopped = 0, 0
    for first in range(0, games, lanes_at_once):
        batch = slice(first, min(first + lanes_at_once, games))
        lanes = make_lanes(
            batch.stop - first,
            num_players=num_players,
            components=components,
            threads=threads,
            autoreset=False,
            **options,
        )
        lanes.reset(seeds[batch])
        decisions += _play_lanes(lanes, agents, seating[batch])
        ranks[batch] = lanes.final_ranks[:, :num_players]
        scores[batch] = lanes.final_scores[:, :num_players]
        stopped += int(lanes.max_rounds_reached.sum())
    numbers = range(len(agents))
    return Match(
        names=tuple(agent.name for agent in agents),
        shares=round_portably(statistics.block_means(exact_shares(ranks), seating, numbers, block_of)),
        scores=round_portably(statistics.block_means(scores, seating, numbers, block_of)),
        games=games,
        decisions=decisions / games,
        stopped=stopped,
        seconds=time.perf_counter() - begin,
    )


def _play_lanes(lanes: Any, agents: Sequence[Agent], seating: NDArray[np.int64]) -> int:
    """Play every lane to its end; returns the number of decisions."""
    rows = np.arange(lanes.num_lanes)
    actions = np.zeros(lanes.num_lanes, np.int32)
    decisions = 0
    while (active := lanes.seats >= 0).any():
        deciders = np.where(active, seating[rows, np.maximum(lanes.seats, 0)], -1)
        for index, agent in enumerate(agents):
            selected = np.flatnonzero(deciders == index)
            if len(selected):
                actions[selected] = agent.act_batch(lanes, selected)
        lanes.step(actions)
        decisions += int(active.sum())
    return decisions


def win_share_interval(
    shares: NDArray[np.floating], *, confidence: float = 0.95, samples: int = SAMPLES, seed: int = 0
) -> Estimate:
    """Mean win share with its interval, from the means of blocks.

    The interval is that of `dunaia_env.statistics.intervals.block_estimates`; for a single block its ends are NaN.

    Args:
        shares: float ``(blocks,)`` in 0..1.
        confidence: 0..1.
        samples: number of resamples.
        seed: seed of the resampling.
    """
    rows = np.asarray(shares, np.float64)[:, None]
    return block_estimates(rows, shares=True, confidence=confidence, samples=samples, seed=seed)[0]


@dataclass(frozen=True)
class ResultRow:
    """The result of one agent, a row of the table that `print_results` prints.

    Attributes:
        name: the agent's name or label.
        seats: number of seats of the agent and its copies in each game.
        share: mean win share of each of these seats.
        score: mean score.
        lost: number of games that the agent lost by a fault.
    """

    name: str
    seats: int
    share: Estimate
    score: float
    lost: int = 0


def describe(share: tuple[float, float, float]) -> str:
    """A win share as text, with its interval if it has one: ``61.2 % (57.0 to 65.4)``."""
    mean, low, high = (100 * value for value in share)
    return f"{mean:.1f} %" + (f" ({low:.1f} to {high:.1f})" if np.isfinite(low) else "")


def print_results(console: Console, players: int, games: int, blocks: int, rows: Sequence[ResultRow]) -> None:
    """Print the results of the agents at a table of ``players`` players, and the fair share."""
    faults = any(row.lost for row in rows)
    table = Table(title=f"{players} players, {games} games in {blocks} blocks")
    titles = ["agent", "seats", "win share per seat (95 %)", "mean score", *(["lost by faults"] if faults else [])]
    for title in titles:
        table.add_column(title)
    for row in rows:
        cells = [str(row.seats), describe(row.share), f"{row.score:.1f}", *([str(row.lost)] if faults else [])]
        # A `Text`, because a name such as [red] must not be read as markup.
        table.add_row(Text(messages.printable(row.name)), *cells)
    console.print(table)
    console.print(f"A fair share is {100 / players:.1f} %.")


@dataclass(frozen=True)
class Options:
    """Play agents against each other in seat-balanced blocks and print their win shares."""

    agents: tuple[str, ...]
    """Agents: random, greedy, champion, a model file (*.safetensors), package.module:Attribute or file.py:Attribute.
    Copies of the last one fill the table."""
    games: int = 400
    """Minimum number of games; rounded up to whole blocks."""
    players: int = 2
    """Number of players at the table."""
    game: str = registry.DEFAULT_GAME.name
    """The game to play."""
    game_options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the game."""
    seed: int = 0
    """Seed from which the seeds of all games follow."""
    components: str | None = None
    """Component file; the game's own by default."""
    threads: int = 1
    """Number of threads."""


def main(options: Options) -> Match:
    """Play the match that the options describe and print its results."""
    commands.check_numbers(options, positive=("games", "players", "threads"), not_negative=("seed",))
    game = registry.find_game(options.game)
    game.option(NUM_PLAYERS).check(options.players)
    components = game.load(options.components)
    agents = [opponents.load(name, game=game, components=components) for name in options.agents]
    match = play_match(
        agents,
        blocks=blocks_for(options.games, len(agents), options.players),
        num_players=options.players,
        seed=options.seed,
        components=components,
        threads=options.threads,
        game=game,
        **options.game_options,
    )
    seats = Counter(fill_table(len(agents), options.players))
    rows = [
        ResultRow(name, seats[index], match.interval(index), float(match.scores[:, index].mean()))
        for index, name in enumerate(match.names)
    ]
    console = Console()
    print_results(console, options.players, match.games, len(match.shares), rows)
    console.print(
        f"{match.decisions:.0f} decisions per game, {match.stopped} games stopped at their round limit,"
        f" {match.seconds:.1f} s."
    )
    return match


def _run() -> int:
    options = commands.parse_command(Options, program="dunaia match")
    return commands.run_command("dunaia match", lambda: main(options))


if __name__ == "__main__":
    sys.exit(terminal.run_main(_run))

"""Matches: agents compared in blocks of games, and how sure the result is.

A block is one game seed played in every seat order, so that luck of the set-up, of draws and of the seat falls on
every agent alike. Games of a block depend on one another, blocks do not: the block is the unit of every interval.
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

from dunaia_env.arena.intervals import SAMPLES, Estimate, block_estimates, settled
from dunaia_env.arena.records import seat_orders
from dunaia_env.arena.statistics import block_means
from dunaia_env.harness import opponents
from dunaia_env.harness.commands import check_numbers, parse_command, run_command
from dunaia_env.harness.compiled.rewards import exact_shares
from dunaia_env.harness.game import NUM_PLAYERS
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.opponents import Agent
from dunaia_env.harness.registry import DEFAULT_GAME, find_game
from dunaia_env.support.messages import printable

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Match:
    """The result of a match between K agents in B blocks.

    Attributes:
        names: the agents' names.
        shares: float64 ``(B, K)``: an agent's mean win share in a block, per seat that it held; 1 / players is fair.
        scores: float64 ``(B, K)``: its mean score.
        games: number of games.
        decisions: mean number of decisions in a game.
        stopped: number of games that were stopped before their end, as long ones are.
        seconds: how long it took.
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
    """Who sits at a table of ``num_players``: each agent once, and copies of the last one in the other seats.

    Raises `ValueError` for fewer than two agents or more agents than players.
    """
    if not 2 <= agents <= num_players:
        raise ValueError(f"agents: {agents}; 2..{num_players} are needed at a table of {num_players} players")
    return tuple(min(seat, agents - 1) for seat in range(num_players))


def blocks_for(games: int, agents: int, num_players: int) -> int:
    """The fewest blocks that have so many games; raises as `fill_table`."""
    return -(-games // len(seat_orders(fill_table(agents, num_players))))


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
        blocks: number of game seeds; each is played in every different order of seats.
        num_players: at the table.
        seed: block b has the game seed ``seed + b``; the agents' own seeds derive from it too.
        components: a component file; the project's own for None.
        lanes_at_once: most games played side by side; changes no result of agents that name their choices by game.
        threads: of the lanes.
        make_lanes: the class of the lanes.
        options: what else the lanes take: the game and its options.
    """
    if blocks < 1:
        raise ValueError(f"blocks: {blocks}; at least 1 is needed")
    begin = time.perf_counter()
    orders = np.array(seat_orders(fill_table(len(agents), num_players)))
    games = blocks * len(orders)
    block_of = np.repeat(np.arange(blocks), len(orders))
    seeds = seed + block_of
    seating = np.concatenate([orders] * blocks)
    for index, agent in enumerate(agents):
        agent.reset((seed + index) % 2**32)
    ranks, scores = np.zeros((games, num_players), np.int64), np.zeros((games, num_players), np.int64)
    decisions, stopped = 0, 0
    for first in range(0, games, lanes_at_once):
        part = slice(first, min(first + lanes_at_once, games))
        lanes = make_lanes(
            part.stop - first,
            num_players=num_players,
            components=components,
            threads=threads,
            autoreset=False,
            **options,
        )
        lanes.reset(seeds[part])
        decisions += _play_out(lanes, agents, seating[part])
        ranks[part] = lanes.final_ranks[:, :num_players]
        scores[part] = lanes.final_scores[:, :num_players]
        stopped += int(lanes.max_rounds_reached.sum())
    numbers = range(len(agents))
    return Match(
        names=tuple(agent.name for agent in agents),
        shares=settled(block_means(exact_shares(ranks), seating, numbers, block_of)),
        scores=settled(block_means(scores, seating, numbers, block_of)),
        games=games,
        decisions=decisions / games,
        stopped=stopped,
        seconds=time.perf_counter() - begin,
    )


def _play_out(lanes: Any, agents: Sequence[Agent], seating: NDArray[np.int64]) -> int:
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
    """Mean win share and the ends of its interval, from the means of blocks.

    The interval is `dunaia_env.arena.intervals.block_estimates`'s; a single block has none, and NaN as its ends.

    Args:
        shares: float ``(blocks,)`` in 0..1.
        confidence: 0..1.
        samples: number of resamples.
        seed: of the resampling.
    """
    rows = np.asarray(shares, np.float64)[:, None]
    return block_estimates(rows, shares=True, confidence=confidence, samples=samples, seed=seed)[0]


@dataclass(frozen=True)
class Line:
    """What one agent reached.

    Attributes:
        name: of the agent, as people call it.
        seats: number of seats that it and its copies held in each game.
        share: win share of each of these seats.
        score: mean points.
        lost: number of games that it lost by a fault.
    """

    name: str
    seats: int
    share: Estimate
    score: float
    lost: int = 0


def describe(share: tuple[float, float, float]) -> str:
    """A win share and its interval, if it has one, for people: ``61.2 % (57.0 to 65.4)``."""
    mean, low, high = (100 * value for value in share)
    return f"{mean:.1f} %" + (f" ({low:.1f} to {high:.1f})" if np.isfinite(low) else "")


def print_results(console: Console, players: int, games: int, blocks: int, lines: Sequence[Line]) -> None:
    """Print the lines of a table of so many players as a table, and what a fair share is."""
    faults = any(line.lost for line in lines)
    table = Table(title=f"{players} players, {games} games in {blocks} blocks")
    titles = ["agent", "seats", "win share per seat (95 %)", "mean score", *(["lost by faults"] if faults else [])]
    for title in titles:
        table.add_column(title)
    for line in lines:
        cells = [str(line.seats), describe(line.share), f"{line.score:.1f}", *([str(line.lost)] if faults else [])]
        # As it is: a name such as [red] is no markup.
        table.add_row(Text(printable(line.name)), *cells)
    console.print(table)
    console.print(f"A fair share is {100 / players:.1f} %.")


@dataclass(frozen=True)
class Options:
    """Play agents against each other in seat-balanced blocks and print their win shares."""

    agents: tuple[str, ...]
    """Names: random, greedy, champion, a model file (*.safetensors) or package.module:Attribute. Copies of the last one
    fill the table."""
    games: int = 400
    """Least number of games; rounded up to whole blocks."""
    players: int = 2
    """Players at the table."""
    game: str = DEFAULT_GAME.name
    """The game that they play."""
    game_options: Mapping[str, Any] = field(default_factory=dict)
    """Its options."""
    seed: int = 0
    """Game seed of the first block; the others count up from it."""
    components: str | None = None
    """A component file; the project's own if absent."""
    threads: int = 1
    """Threads that play."""


def main(options: Options) -> Match:
    """Play the match that the options describe and print its table."""
    check_numbers(options, positive=("games", "players", "threads"), not_negative=("seed",))
    game = find_game(options.game)
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
    lines = [
        Line(name, seats[index], match.interval(index), float(match.scores[:, index].mean()))
        for index, name in enumerate(match.names)
    ]
    console = Console()
    print_results(console, options.players, match.games, len(match.shares), lines)
    console.print(
        f"{match.decisions:.0f} decisions a game, {match.stopped} games stopped before their end,"
        f" {match.seconds:.1f} s."
    )
    return match


if __name__ == "__main__":
    options = parse_command(Options, program="dunaia match")
    sys.exit(run_command("dunaia match", lambda: main(options)))

"""Matches: agents compared in blocks of games, and how sure the result is.

A block is one game seed played in every seat order, so that luck of the set-up, of the dice and of the seat falls on
every agent alike. Games of a block depend on one another, blocks do not: the block is the unit of every interval.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env import opponents
from dunaia_env.arena.intervals import SAMPLES, Estimate, block_estimates
from dunaia_env.commands import check_numbers, run_command
from dunaia_env.lanes import Lanes
from dunaia_env.messages import printable
from dunaia_env.opponents import Agent
from dunaia_env.rewards import win_shares

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
        stopped: number of games that ``max_rounds`` stopped.
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


def seat_orders(agents: int, num_players: int) -> NDArray[np.int64]:
    """Every different way to seat the agents, int64 ``(orders, num_players)``: the agent in each seat.

    Fewer agents than players: the last agent's copies take the other seats. Copies are alike, so orders that differ by
    an exchange of copies are one. Raises `ValueError` for fewer than two agents or more agents than players.
    """
    if not 2 <= agents <= num_players:
        raise ValueError(f"agents: {agents}; 2..{num_players} are needed at a table of {num_players} players")
    entrants = [min(seat, agents - 1) for seat in range(num_players)]
    return np.array(sorted(set(itertools.permutations(entrants))))


def blocks_for(games: int, agents: int, num_players: int) -> int:
    """The fewest blocks that have so many games; raises as `seat_orders`."""
    return -(-games // len(seat_orders(agents, num_players)))


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
        blocks: number of game seeds; each is played in every one of `seat_orders`.
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
    orders = seat_orders(len(agents), num_players)
    games = blocks * len(orders)
    seeds = seed + np.repeat(np.arange(blocks), len(orders))
    seating = np.tile(orders, (blocks, 1))
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
    shares = win_shares(ranks)
    return Match(
        names=tuple(agent.name for agent in agents),
        shares=_block_means(shares, seating, blocks, len(agents)),
        scores=_block_means(scores, seating, blocks, len(agents)),
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


def _block_means(results: NDArray[Any], seating: NDArray[np.int64], blocks: int, agents: int) -> Floats:
    """Mean result of each agent in each block over the seats it held, from results ``(games, players)``."""
    held = seating[:, :, None] == np.arange(agents)
    sums = (results[:, :, None] * held).reshape(blocks, -1, agents).sum(axis=1)
    means: Floats = sums / held.reshape(blocks, -1, agents).sum(axis=1)
    return means


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


def describe(share: tuple[float, float, float]) -> str:
    """A win share and its interval, if it has one, for people: ``61.2 % (57.0 to 65.4)``."""
    mean, low, high = (100 * value for value in share)
    return f"{mean:.1f} %" + (f" ({low:.1f} to {high:.1f})" if np.isfinite(low) else "")


@dataclass(frozen=True)
class Options:
    """Play agents against each other in seat-balanced blocks and print their win shares."""

    agents: tuple[str, ...]
    """Names: random, greedy, champion, a model file (*.safetensors) or package.module:Attribute. Copies of the last one
    fill the table."""
    games: int = 400
    """Least number of games; rounded up to whole blocks."""
    players: int = 2
    """Players at the table, 2 to 4."""
    elites: bool = False
    """Play with elite characters."""
    seed: int = 0
    """Game seed of the first block; the others count up from it."""
    components: str | None = None
    """A component file; the project's own if absent."""
    max_rounds: int = 100
    """A game that has not ended after so many rounds is stopped and scored."""
    threads: int = 1
    """Threads that play."""


def main(options: Options) -> Match:
    """Play the match that the options describe and print its table."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    check_numbers(options, positive=("games", "players", "max_rounds", "threads"), not_negative=("seed",))
    agents = [opponents.load(name, components=options.components) for name in options.agents]
    match = play_match(
        agents,
        blocks=blocks_for(options.games, len(agents), options.players),
        num_players=options.players,
        elites=options.elites,
        seed=options.seed,
        components=options.components,
        max_rounds=options.max_rounds,
        threads=options.threads,
    )
    blocks = len(match.shares)
    title = f"{match.games} games, {blocks} blocks of {match.games // blocks}, {options.players} players"
    table = Table(title=title)
    for heading in ("agent", "win share per seat (95 %)", "mean score"):
        table.add_column(heading)
    for index, name in enumerate(match.names):
        table.add_row(Text(printable(name)), describe(match.interval(index)), f"{match.scores[:, index].mean():.1f}")
    console = Console()
    console.print(table)
    console.print(
        f"A fair share is {100 / options.players:.1f} %. {match.decisions:.0f} decisions a game,"
        f" {match.stopped} games stopped by max_rounds, {match.seconds:.1f} s."
    )
    return match


if __name__ == "__main__":
    import tyro

    options = tyro.cli(Options, description=Options.__doc__)
    sys.exit(run_command("dunaia_env.arena.match", lambda: main(options)))

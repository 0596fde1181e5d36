"""Statistics of the arena's games: from arrays of results to estimates with intervals.

The unit of every interval is the game seed: the games of a seed are resampled together, at all tables that are
included, because tables share their seeds.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.arena.records import Game, RecordsError, Run, order_count
from dunaia_env.harness.compiled.rewards import exact_shares
from dunaia_env.statistics.intervals import DECIMALS, Estimate, Floats, Integers, block_estimates, round_portably

FOLDS = 10


@dataclass(frozen=True)
class Results:
    """G games of complete blocks, with B game seeds, at one or more tables of P players.

    Attributes:
        tables: the tables' numbers.
        seeds: int64 ``(G,)``: the index, 0..B-1, of each game's seed.
        table_of: int64 ``(G,)``: the number of each game's table.
        seating: int64 ``(G, P)``: the entrant in each seat.
        shares: float64 ``(G, P)``: win share of each seat; a win is split among the seats of rank 1.
        places: float64 ``(G, P)``: fractional rank of each seat, from 1; tied seats get the mean of their ranks, so the
            mean over a game is always ``(P + 1) / 2``.
        scores: float64 ``(G, P)``: points.
        luck: float64 ``(G, P)``: luck, in win shares.
        ranks: int64 ``(G, P)``: recorded ranks.
        blocks: number of complete blocks, which are pairs of a table and a seed.
        left_out: number of incomplete blocks, whose games are left out.
    """

    tables: tuple[int, ...]
    seeds: Integers
    table_of: Integers
    seating: Integers
    shares: Floats
    places: Floats
    scores: Floats
    luck: Floats
    ranks: Integers
    blocks: int
    left_out: int

    @property
    def seed_count(self) -> int:
        """B, the number of seeds."""
        return int(self.seeds.max()) + 1 if len(self.seeds) else 0

    @property
    def margins(self) -> Floats:
        """float64 ``(G, P)``: a seat's points minus the mean of the other seats' points."""
        players = self.scores.shape[1]
        margins: Floats = self.scores - (self.scores.sum(axis=1, keepdims=True) - self.scores) / (players - 1)
        return margins

    @property
    def entrants(self) -> list[int]:
        """The entrants that played, ascending."""
        entrants: list[int] = np.unique(self.seating).tolist()
        return entrants

    def played(self, entrant: int) -> tuple[int, int]:
        """Number of games, and of complete blocks, in which an entrant played."""
        own = (self.seating == entrant).any(axis=1)
        return int(own.sum()), len(set(zip(self.table_of[own].tolist(), self.seeds[own].tolist(), strict=True)))

    def by_seed(self, values: NDArray[np.generic]) -> Floats:
        """Sums ``(B, …)`` of values ``(G, …)`` over the games of each seed."""
        sums = np.zeros((self.seed_count, *values.shape[1:]))
        np.add.at(sums, self.seeds, values)
        return sums

    def by_entrant(self, values: Floats) -> tuple[Floats, Floats]:
        """Sums of values ``(G, P)`` over the seats of each entrant, by seed, and the numbers of these seats.

        Both are float64 ``(B, len(entrants))``.
        """
        return sums_by_agent(values, self.seating, self.entrants, self.seeds)


def sums_by_agent(
    values: NDArray[np.generic], seating: Integers, agents: Sequence[int], groups: Integers
) -> tuple[Floats, Floats]:
    """Sums of values over the seats of each of K agents in each of B groups of games, and the numbers of these seats.

    Args:
        values: ``(G, P)``, the value of each seat.
        seating: int64 ``(G, P)``: the agent in each seat.
        agents: the K agents.
        groups: int64 ``(G,)`` in ``0..B-1``: the group of each game, such as its block or its seed.

    Returns:
        The sums and the numbers of seats, both float64 ``(B, K)``.
    """
    held = seating[:, :, None] == np.array(agents)
    sums, counts = (np.zeros((int(groups.max(initial=-1)) + 1, len(agents))) for _ in range(2))
    np.add.at(sums, groups, (values[:, :, None] * held).sum(axis=1))
    np.add.at(counts, groups, held.sum(axis=1))
    return sums, counts


def block_means(values: NDArray[np.generic], seating: Integers, agents: Sequence[int], blocks: Integers) -> Floats:
    """Mean value of each agent's seats in each block, float64 ``(B, K)``; for the arguments see `sums_by_agent`.

    Each agent has to play in each block.
    """
    sums, counts = sums_by_agent(values, seating, agents, blocks)
    means: Floats = sums / counts
    return means


def block_win_shares(games: Sequence[Game], agent: int) -> Floats:
    """Mean win share of an agent's seats in each block, from the games of complete blocks at one table."""
    ranks, seating = (np.array([getattr(game, name) for game in games]) for name in ("ranks", "seating"))
    blocks = np.unique([game.block for game in games], return_inverse=True)[1].astype(np.int64)
    means: Floats = round_portably(block_means(exact_shares(ranks), seating, [agent], blocks)[:, 0])
    return means


def results_of(run: Run, games: Iterable[Game], tables: Sequence[int]) -> Results:
    """The results of the complete blocks at some tables of a run, which all have the same number of players.

    Raises `RecordsError` for a game that does not fit its table, see `check_seats`.
    """
    (players,) = {run.tables[number].players for number in tables}
    blocks: dict[tuple[int, int], list[Game]] = {}
    for game in games:
        if game.table in tables:
            check_seats(run, game)
            blocks.setdefault((game.table, game.block), []).append(game)
    complete = {key: games for key, games in blocks.items() if len(games) == order_count(run.tables[key[0]])}
    kept = sorted((game for games in complete.values() for game in games), key=lambda game: game.key)
    numbers = np.array([game.block for game in kept], np.int64)

    def rows(name: str) -> NDArray[Any]:
        return np.array([getattr(game, name) for game in kept]).reshape(len(kept), players)

    ranks = rows("ranks").astype(np.int64)
    above = (ranks[:, :, None] > ranks[:, None, :]).sum(axis=2)
    equal = (ranks[:, :, None] == ranks[:, None, :]).sum(axis=2)
    return Results(
        tables=tuple(tables),
        seeds=np.unique(numbers, return_inverse=True)[1].astype(np.int64),
        table_of=np.array([game.table for game in kept], np.int64),
        seating=rows("seating").astype(np.int64),
        shares=exact_shares(ranks),
        places=above + (equal + 1) / 2,
        scores=rows("scores").astype(np.float64),
        luck=rows("luck").astype(np.float64),
        ranks=ranks,
        blocks=len(complete),
        left_out=len(blocks) - len(complete),
    )


def check_seats(run: Run, game: Game) -> None:
    """Raise `RecordsError` for a game that does not fit its run or its table."""
    if not 0 <= game.table < len(run.tables):
        raise RecordsError(f"game {game.key}: the run has {len(run.tables)} tables")
    table = run.tables[game.table]
    for name in ("seating", "scores", "ranks", "decisions", "seconds", "luck"):
        if len(getattr(game, name)) != table.players:
            raise RecordsError(f"game {game.key}: {name} has {len(getattr(game, name))} seats, not {table.players}")
    if tuple(sorted(game.seating)) != tuple(sorted(table.entrants)):
        raise RecordsError(f"game {game.key}: seating {game.seating}; the table has {table.entrants}")
    if not 0 <= game.order < order_count(table):
        raise RecordsError(f"game {game.key}: expected an order in 0..{order_count(table) - 1}, got {game.order}")


def seat_effect(results: Results) -> list[Estimate]:
    """Mean win share of each seat over all agents, with intervals over seeds."""
    shares = results.by_seed(results.shares)
    games = results.by_seed(np.ones_like(results.shares))
    return block_estimates(shares, games, shares=True)


def adjusted_sums(sums: Floats, counts: Floats, luck: Floats, folds: int = FOLDS) -> Floats:
    """Results minus the part that luck explains: a control variate.

    ``adjusted = sum - beta * luck`` has the same expectation for every beta, because the mean of luck is zero however
    the agents play. ``beta = Cov(sum, luck) / Var(luck)`` minimises the variance, by the factor ``1 - correlation^2``
    (Owen, "Monte Carlo theory, methods and examples", chapter 8.9). If beta were estimated from the same blocks, it
    would bias the mean by an amount of the order 1 / blocks. Here each fold's beta comes from the blocks of the other
    folds, so it does not depend on the fold's luck and there is no bias. If luck explains nothing, this costs variance:
    7 % with 20 blocks, 1.5 % with 60 (measured on 20,000 matches).

    Args:
        sums: ``(B, K)`` sums of a result over the games of each seed.
        counts: ``(B, K)`` divisors of the sums.
        luck: ``(B, K)`` sums of luck over the same seats.
        folds: number of folds; seed b is in fold ``b % folds``.

    Returns:
        Adjusted sums ``(B, K)``, with the same divisors. With fewer seeds than folds, the sums are returned unchanged.
    """
    if len(sums) < folds:
        return sums
    fold = np.arange(len(sums)) % folds
    adjusted = sums.copy()
    for number in range(folds):
        others, own = fold != number, fold == number
        mean = sums[others].sum(axis=0) / np.maximum(counts[others].sum(axis=0), 1)
        rest = round_portably(sums[others] - counts[others] * mean)
        varied = round_portably(luck[others] - luck[others].mean(axis=0) * (counts[others] > 0))
        variance = (varied**2).sum(axis=0)
        beta = np.divide((rest * varied).sum(axis=0), variance, out=np.zeros_like(variance), where=variance > 0)
        adjusted[own] -= beta * luck[own]
    return adjusted


def variance_ratio(sums: Floats, adjusted: Floats, counts: Floats) -> Floats:
    """How many times as many games the raw result needs for the same interval: Var(raw) / Var(adjusted), ``(K,)``.

    It is 1 if neither varies, and infinite if only the raw result varies.
    """

    def variance(values: Floats) -> Floats:
        # Rounded, so that constant values have the variance 0, whatever the last digits of their mean.
        deviations = round_portably(values - counts * (values.sum(axis=0) / np.maximum(counts.sum(axis=0), 1)))
        squares: Floats = (deviations**2).sum(axis=0)
        return squares

    raw, remaining = variance(sums), variance(adjusted)
    ratio: Floats = np.divide(raw, remaining, out=np.where(raw > 0, np.inf, 1.0), where=remaining > 0)
    return round_portably(ratio)


@dataclass(frozen=True)
class ThinkingTime:
    """The thinking time of an entrant.

    Attributes:
        decisions: number of the entrant's decisions.
        mean: mean seconds for one decision.
        slow: 95 % quantile, over games, of the mean seconds for one decision.
    """

    decisions: int
    mean: float
    slow: float


def thinking_time(games: Iterable[Game], entrant: int) -> ThinkingTime | None:
    """Thinking time of an entrant over all its games, in complete blocks or not; None if it had no decision."""
    seats = [
        (game.seconds[seat], game.decisions[seat])
        for game in games
        for seat, number in enumerate(game.seating)
        if number == entrant and game.decisions[seat]
    ]
    if not seats:
        return None
    seconds, decisions = np.array(seats, np.float64).T
    return ThinkingTime(
        decisions=int(decisions.sum()),
        mean=_round_seconds(math.fsum(seconds) / decisions.sum()),
        slow=_round_seconds(np.quantile(seconds / decisions, 0.95)),
    )


def _round_seconds(seconds: float) -> float:
    """Seconds without the digits that depend on the processor; rounded to significant digits, as times are tiny."""
    return float(f"{seconds:.{DECIMALS}g}")


def fault_counts(games: Iterable[Game]) -> Counter[tuple[int, str]]:
    """Number of faults by entrant and kind, over all games."""
    return Counter((game.seating[fault.seat], fault.kind) for game in games for fault in game.faults)

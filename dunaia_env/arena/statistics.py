"""What the games of the arena say about its agents: arrays in, numbers with intervals out.

The unit of every interval is the game seed: all games of a seed are drawn again together, at all tables that are
looked at, because tables share their seeds.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dunaia_env.arena.intervals import DECIMALS, Estimate, Floats, block_estimates, settled
from dunaia_env.arena.records import Game, RecordsError, Run, order_count
from dunaia_env.harness.compiled.rewards import exact_shares

Integers = NDArray[np.int64]

FOLDS = 10
# A test may stop after so many blocks. Below, the mean of blocks is not normal enough: with blocks won or lost as whole
# and shares of 0.5 against 0.7, 8 % of 4,000 tests that could stop after 5 blocks accepted wrongly, 4 % after 30.
LEAST_BLOCKS = 30


@dataclass(frozen=True)
class Results:
    """Games of complete blocks at one table or more, all of P players: B game seeds, G games.

    Attributes:
        tables: the tables' numbers.
        seeds: int64 ``(G,)``: which of the B seeds each game belongs to.
        table_of: int64 ``(G,)``: the number of each game's table.
        seating: int64 ``(G, P)``: the entrant in each seat.
        shares: float64 ``(G, P)``: win share of each seat, split among those of rank 1.
        places: float64 ``(G, P)``: place of each seat, from 1; equal seats share the mean of their places, so a table's
            places always have the mean ``(P + 1) / 2``.
        scores: float64 ``(G, P)``: points.
        luck: float64 ``(G, P)``: what chance gave, in win shares.
        ranks: int64 ``(G, P)``: as recorded.
        blocks: number of complete blocks: pairs of a table and a seed.
        left_out: number of blocks that were begun and are not complete; their games are not here.
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
        """The entrants who played, ascending."""
        found: list[int] = np.unique(self.seating).tolist()
        return found

    def played(self, entrant: int) -> tuple[int, int]:
        """Number of games, and of complete blocks, in which an entrant sat."""
        sat = (self.seating == entrant).any(axis=1)
        return int(sat.sum()), len(set(zip(self.table_of[sat].tolist(), self.seeds[sat].tolist(), strict=True)))

    def by_seed(self, values: NDArray[np.generic]) -> Floats:
        """Sums over the games of each seed, from values ``(G, …)``: ``(B, …)``."""
        sums = np.zeros((self.seed_count, *values.shape[1:]))
        np.add.at(sums, self.seeds, values)
        return sums

    def by_entrant(self, values: Floats) -> tuple[Floats, Floats]:
        """Sums of seats' values ``(G, P)`` over the seats that each of `entrants` held, and the numbers of those seats.

        Both are float64 ``(B, len(entrants))``.
        """
        return held_sums(values, self.seating, self.entrants, self.seeds)


def held_sums(
    values: NDArray[np.generic], seating: Integers, agents: Sequence[int], groups: Integers
) -> tuple[Floats, Floats]:
    """Sums of seats' values over the seats that each of K agents held in each of B groups of games, and their numbers.

    Args:
        values: ``(G, P)``.
        seating: int64 ``(G, P)``: the agent in each seat.
        agents: K of them.
        groups: int64 ``(G,)`` in ``0..B-1``: the group of each game, a block or all of a seed.

    Returns:
        The sums and the numbers of seats, float64 ``(B, K)`` both.
    """
    held = seating[:, :, None] == np.array(agents)
    sums, counts = (np.zeros((int(groups.max(initial=-1)) + 1, len(agents))) for _ in range(2))
    np.add.at(sums, groups, (values[:, :, None] * held).sum(axis=1))
    np.add.at(counts, groups, held.sum(axis=1))
    return sums, counts


def block_means(values: NDArray[np.generic], seating: Integers, agents: Sequence[int], blocks: Integers) -> Floats:
    """Mean value of a seat that each agent held in each block, float64 ``(B, K)``; arguments as `held_sums`.

    Each of the agents sits in each block.
    """
    sums, counts = held_sums(values, seating, agents, blocks)
    means: Floats = sums / counts
    return means


def block_shares(games: Sequence[Game], agent: int) -> Floats:
    """Mean win share of a seat that an agent held in each block, from the games of complete blocks at one table."""
    ranks, seating = (np.array([getattr(game, name) for game in games]) for name in ("ranks", "seating"))
    blocks = np.unique([game.block for game in games], return_inverse=True)[1].astype(np.int64)
    means: Floats = settled(block_means(exact_shares(ranks), seating, [agent], blocks)[:, 0])
    return means


def results_of(run: Run, games: Iterable[Game], tables: Sequence[int]) -> Results:
    """The games of complete blocks at some tables of a run, which all have the same number of players.

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
        raise RecordsError(f"game {game.key}: order {game.order}; 0..{order_count(table) - 1} is needed")


def seat_effect(results: Results) -> list[Estimate]:
    """Mean win share of each seat over all who sat there, with intervals over seeds."""
    shares = results.by_seed(results.shares)
    games = results.by_seed(np.ones_like(results.shares))
    return block_estimates(shares, games, shares=True)


def adjusted_sums(sums: Floats, counts: Floats, luck: Floats, folds: int = FOLDS) -> Floats:
    """Results with the part that luck explains taken off: a control variate.

    ``adjusted = sum - beta * luck`` has the same expectation for every number beta, because luck has the mean zero
    whatever the play; beta = Cov(sum, luck) / Var(luck) makes its variance least, by the factor ``1 - correlation^2``
    (Owen, "Monte Carlo theory, methods and examples", chapter 8.9). A beta that is estimated from the same blocks would
    bias the mean by an amount of the order 1 / blocks; here each fold's beta comes from the blocks of the other folds,
    so it does not depend on the fold's luck and nothing is biased. Luck that explains nothing then costs variance: 7 %
    at 20 blocks, 1.5 % at 60 (measured on 20,000 matches).

    Args:
        sums: ``(B, K)`` sums of a result over the games of each seed.
        counts: ``(B, K)`` what the sums are to be divided by.
        luck: ``(B, K)`` sums of luck over the same seats.
        folds: number of folds; seed b is in fold ``b % folds``.

    Returns:
        ``(B, K)``, of which means are taken as of ``sums``. Fewer seeds than folds are returned as they are.
    """
    if len(sums) < folds:
        return sums
    fold = np.arange(len(sums)) % folds
    adjusted = sums.copy()
    for number in range(folds):
        others, own = fold != number, fold == number
        mean = sums[others].sum(axis=0) / np.maximum(counts[others].sum(axis=0), 1)
        rest = settled(sums[others] - counts[others] * mean)
        varied = settled(luck[others] - luck[others].mean(axis=0) * (counts[others] > 0))
        variance = (varied**2).sum(axis=0)
        beta = np.divide((rest * varied).sum(axis=0), variance, out=np.zeros_like(variance), where=variance > 0)
        adjusted[own] -= beta * luck[own]
    return adjusted


def variance_ratio(sums: Floats, adjusted: Floats, counts: Floats) -> Floats:
    """How many times as many games the raw result needs for the same interval: Var(raw) / Var(adjusted), ``(K,)``.

    1 where neither varies, infinite where only the raw result does.
    """

    def variance(values: Floats) -> Floats:
        # Settled, so that what does not vary does not, whatever the last digits of its mean.
        spread = settled(values - counts * (values.sum(axis=0) / np.maximum(counts.sum(axis=0), 1)))
        found: Floats = (spread**2).sum(axis=0)
        return found

    raw, left = variance(sums), variance(adjusted)
    ratio: Floats = np.divide(raw, left, out=np.where(raw > 0, np.inf, 1.0), where=left > 0)
    return settled(ratio)


@dataclass(frozen=True)
class Pace:
    """How long an entrant thought.

    Attributes:
        decisions: number of its decisions.
        mean: seconds for each of them.
        slow: seconds a decision that 95 % of its games do not pass, each game by its mean.
    """

    decisions: int
    mean: float
    slow: float


def pace_of(games: Iterable[Game], entrant: int) -> Pace | None:
    """Thinking time of an entrant over all its games, complete blocks or not; None if it decided nothing."""
    seats = [
        (game.seconds[seat], game.decisions[seat])
        for game in games
        for seat, sitter in enumerate(game.seating)
        if sitter == entrant and game.decisions[seat]
    ]
    if not seats:
        return None
    seconds, decisions = np.array(seats, np.float64).T
    return Pace(
        decisions=int(decisions.sum()),
        mean=_settled_time(math.fsum(seconds) / decisions.sum()),
        slow=_settled_time(np.quantile(seconds / decisions, 0.95)),
    )


def _settled_time(seconds: float) -> float:
    """Seconds without the digits that depend on the processor; significant ones, for some agents need microseconds."""
    return float(f"{seconds:.{DECIMALS}g}")


def fault_counts(games: Iterable[Game]) -> Counter[tuple[int, str]]:
    """Number of faults by entrant and kind, over all games."""
    return Counter((game.seating[fault.seat], fault.kind) for game in games for fault in game.faults)


Decision = Literal["go on", "accept", "reject"]


def log_likelihood_ratios(blocks: Floats, total: Floats, squares: Floats, share0: float, share1: float) -> Floats:
    """Logarithm of the likelihood ratio of two mean win shares, by the normal approximation with empirical variance.

    ``(m1 - m0) * (2 * mean - m0 - m1) * n / (2 * variance)``: the generalised sequential probability ratio test as
    fishtest uses it for paired games (Van den Bergh, "A practical introduction to the GSPRT"; Li, Liu, Ying, 2014).
    The variance is that of the n blocks and of two imagined ones with the shares 0 and 1: never zero, and a few per
    cent too large where a test may first stop, which is on the safe side.

    Args:
        blocks: n, the number of blocks; above 0.
        total: sum of the blocks' mean win shares.
        squares: sum of their squares.
        share0: m0, the first hypothesis.
        share1: m1, the second one.
    """
    mean = total / blocks
    variance = (squares - blocks * mean**2 + mean**2 + (1 - mean) ** 2) / (blocks + 2)
    ratios: Floats = (share1 - share0) * (2 * mean - share0 - share1) * blocks / (2 * variance)
    return ratios


class SequentialTest:
    """Decides between two win shares of an entrant while its blocks come in, and stops as soon as it can.

    Wald's bounds: the second hypothesis is accepted when the logarithm of the likelihood ratio
    (`log_likelihood_ratios`) reaches ``log((1 - beta) / alpha)``, the first when it falls to
    ``log(beta / (1 - alpha))``. Blocks have to be given in the order of their numbers: the order in which they finish
    may depend on who wins them.

    The bounds hold as far as the mean of blocks is normal: near a share of 1 or 0 it is lopsided, and 6.6 % of 4,000
    tests of 0.9 against 0.95 accepted wrongly.

    Args:
        share0: the first hypothesis: a share this low is to be rejected.
        share1: the second one, above it: a share this high is to be accepted.
        alpha: chance to accept although the share is ``share0``.
        beta: chance to reject although it is ``share1``.
        least_blocks: no decision before so many blocks.

    Attributes:
        blocks: number of blocks taken in; those after the decision are ignored.
        decision: ``accept`` (the share is ``share1`` rather than ``share0``), ``reject`` or ``go on``.
    """

    def __init__(
        self,
        share0: float,
        share1: float,
        *,
        alpha: float = 0.05,
        beta: float = 0.05,
        least_blocks: int = LEAST_BLOCKS,
    ) -> None:
        if not 0 <= share0 < share1 <= 1:
            raise ValueError(f"shares: {share0} and {share1}; two shares 0 <= first < second <= 1 are needed")
        if not (0 < alpha < 0.5 and 0 < beta < 0.5):
            raise ValueError(f"alpha, beta: {alpha}, {beta}; both have to be above 0 and below 0.5")
        self.share0, self.share1 = share0, share1
        self.bounds = math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)
        self.least_blocks = least_blocks
        self.blocks = 0
        self.decision: Decision = "go on"
        self._total = self._squares = 0.0

    @property
    def log_likelihood_ratio(self) -> float:
        """Where the test stands between its bounds; 0 before the first block."""
        if not self.blocks:
            return 0.0
        blocks, total, squares = np.array([self.blocks, self._total, self._squares], np.float64)
        return float(log_likelihood_ratios(blocks, total, squares, self.share0, self.share1))

    def add(self, share: float) -> Decision:
        """Take in the entrant's mean win share in the next block; returns the decision so far."""
        if self.decision == "go on":
            self.blocks += 1
            self._total += share
            self._squares += share**2
            if self.blocks >= self.least_blocks:
                low, high = self.bounds
                ratio = self.log_likelihood_ratio
                self.decision = "accept" if ratio >= high else "reject" if ratio <= low else "go on"
        return self.decision

"""The summary of a run of the arena: all numbers that reports show and that leaderboards and ladders use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dunaia_env.arena.records import Game, Run
from dunaia_env.arena.statistics import (
    FOLDS,
    Results,
    adjusted_sums,
    check_seats,
    fault_counts,
    results_of,
    seat_effect,
    thinking_time,
    variance_ratio,
)
from dunaia_env.statistics.intervals import Estimate, block_estimates, round_portably
from dunaia_env.statistics.ratings import count_pairs, rate
from dunaia_env.statistics.sequential import Decision, SequentialTest

# With 400 games, the interval of a share extends about 5 percentage points to either side; fewer games say too little.
ENOUGH_GAMES = 400
SCORE_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class Row:
    """The results of an entrant at one table, or at all tables of a number of players.

    Attributes:
        players: number of players.
        table: the table's number in the run; None for all tables of this number of players together.
        entrant: label of the entrant.
        games: number of the entrant's games in complete blocks.
        blocks: number of the entrant's complete blocks.
        fair: the share of equal players, 1 / players.
        share: mean win share of the entrant's seats.
        adjusted: luck-adjusted win share; None if luck was not measured or there are too few blocks.
        variance_ratio: number of raw games that a luck-adjusted one is worth; None if ``adjusted`` is None.
        place: mean rank; tied seats get the mean of their ranks.
        margin: mean of the entrant's points minus the mean of the other seats' points.
        decision_seconds: mean thinking time of a decision; None if the entrant had no decision.
        slow_seconds: 95 % quantile, over games, of the mean thinking time of a decision.
        faults: number of the entrant's faults in all games.
        decision: decision of the sequential test, if there is one for this row.
        few: whether there are fewer than `ENOUGH_GAMES` games and no sequential test that reached a decision.
    """

    players: int
    table: int | None
    entrant: str
    games: int
    blocks: int
    fair: float
    share: Estimate
    adjusted: Estimate | None
    variance_ratio: float | None
    place: Estimate
    margin: Estimate
    decision_seconds: float | None
    slow_seconds: float | None
    faults: int
    decision: Decision | None
    few: bool


@dataclass(frozen=True)
class Rating:
    """Plackett-Luce rating of an entrant; only ratings of the same group can be compared, and their mean is 0."""

    players: int
    entrant: str
    rating: Estimate
    group: int


@dataclass(frozen=True)
class Pair:
    """How often an entrant finished before another one, ties as half, in games in which both played."""

    players: int
    entrant: str
    opponent: str
    games: int
    share: Estimate


@dataclass(frozen=True)
class Seat:
    """Win share of a seat over all entrants; ``table`` is None for all tables of this number of players together."""

    players: int
    table: int | None
    seat: int
    games: int
    share: Estimate


@dataclass(frozen=True)
class Scores:
    """The distribution of an entrant's final scores.

    Attributes:
        players: number of players.
        entrant: label of the entrant.
        least: the lowest score.
        counts: number of seats with ``least``, ``least + 1``, … points.
        quantiles: the 5, 25, 50, 75 and 95 % quantiles of the scores.
    """

    players: int
    entrant: str
    least: int
    counts: tuple[int, ...]
    quantiles: tuple[float, ...]


@dataclass(frozen=True)
class FaultCount:
    """Number of an entrant's faults of one kind, with the first of them as an example."""

    entrant: str
    kind: str
    count: int
    example: str
    table: int
    block: int
    order: int


@dataclass(frozen=True)
class Progress:
    """The progress of a table; ``decision`` is that of the sequential test, if there is one."""

    table: int
    players: int
    entrants: tuple[str, ...]
    planned_blocks: int
    blocks: int
    incomplete_blocks: int
    games: int
    decision: Decision | None

    @property
    def finished(self) -> bool:
        """Whether all blocks are complete or a sequential test reached a decision."""
        return self.blocks >= self.planned_blocks or self.decision in ("accept", "reject")


@dataclass(frozen=True)
class Summary:
    """All numbers of a run.

    Attributes:
        run: the run's plan.
        progress: the progress of each table.
        games: number of finished games, including those of incomplete blocks.
        rows: results of each entrant at each table.
        standings: results of each entrant at all tables of each number of players.
        ratings: ratings by number of players.
        pairs: pairwise results by number of players.
        seats: win shares of the seats at each table, and at all tables of each number of players.
        scores: distributions of scores by number of players.
        faults: numbers of faults by entrant and kind.
    """

    run: Run
    progress: tuple[Progress, ...]
    games: int
    rows: tuple[Row, ...]
    standings: tuple[Row, ...]
    ratings: dict[int, tuple[Rating, ...]]
    pairs: dict[int, tuple[Pair, ...]]
    seats: tuple[Seat, ...]
    scores: dict[int, tuple[Scores, ...]]
    faults: tuple[FaultCount, ...]

    @property
    def finished(self) -> bool:
        """Whether every table is finished."""
        return all(table.finished for table in self.progress)


def summarise(run: Run, games: Sequence[Game]) -> Summary:
    """Summarise a run, finished or not; games of incomplete blocks count only for thinking times and faults.

    Raises `dunaia_env.arena.records.RecordsError` for a game that does not fit its table.
    """
    for game in games:
        check_seats(run, game)
    single = {number: results_of(run, games, [number]) for number in range(len(run.tables))}
    decisions = {number: _decision(results, run.sprt) for number, results in single.items()}
    progress = tuple(
        Progress(
            table=number,
            players=table.players,
            entrants=tuple(run.entrants[entrant].label for entrant in table.entrants),
            planned_blocks=table.blocks,
            blocks=single[number].blocks,
            incomplete_blocks=single[number].left_out,
            games=sum(game.table == number for game in games),
            decision=decisions[number],
        )
        for number, table in enumerate(run.tables)
    )
    rows = [row for number in single for row in _rows(run, games, single[number], number, decisions[number])]
    seats = [seat for number in single for seat in _seats(single[number], number)]
    standings: list[Row] = []
    ratings, pairs, scores = {}, {}, {}
    for players in sorted({table.players for table in run.tables}):
        tables = [number for number, table in enumerate(run.tables) if table.players == players]
        pooled = single[tables[0]] if len(tables) == 1 else results_of(run, games, tables)
        standings += _rows(run, games, pooled, None, decisions[tables[0]] if len(tables) == 1 else None)
        seats += _seats(pooled, None)
        ratings[players], pairs[players] = _comparisons(run, pooled)
        scores[players] = _scores(run, pooled)
    return Summary(
        run=run,
        progress=progress,
        games=len(games),
        rows=tuple(rows),
        standings=tuple(standings),
        ratings=ratings,
        pairs=pairs,
        seats=tuple(seats),
        scores=scores,
        faults=_faults(run, games),
    )


def tested_entrant(results: Results) -> int | None:
    """The entrant whose share a sequential test at a table tests: the first one; None if there is no other."""
    entrants = results.entrants
    return entrants[0] if len(entrants) > 1 else None


def _decision(results: Results, hypotheses: tuple[float, float] | None) -> Decision | None:
    if hypotheses is None or (results.blocks and tested_entrant(results) is None):
        return None
    test = SequentialTest(*hypotheses)
    if results.blocks:
        sums, counts = results.by_entrant(results.shares)
        for share in round_portably(sums[:, 0] / counts[:, 0]).tolist():
            test.add(share)
    return test.decision


def _rows(run: Run, games: Sequence[Game], results: Results, table: int | None, decision: Decision | None) -> list[Row]:
    players = run.tables[results.tables[0]].players
    own = [game for game in games if game.table in results.tables]
    faults = fault_counts(own)
    measured = _measure(results, with_luck=bool(run.valuer))
    rows = []
    for entrant in sorted({entrant for number in results.tables for entrant in run.tables[number].entrants}):
        played, blocks = results.played(entrant)
        share, adjusted, ratio, place, margin = measured.get(entrant, _UNMEASURED)
        thinking = thinking_time(own, entrant)
        rows.append(
            Row(
                players=players,
                table=table,
                entrant=run.entrants[entrant].label,
                games=played,
                blocks=blocks,
                fair=1 / players,
                share=share,
                adjusted=adjusted,
                variance_ratio=ratio,
                place=place,
                margin=margin,
                decision_seconds=thinking.mean if thinking else None,
                slow_seconds=thinking.slow if thinking else None,
                faults=sum(count for (number, _), count in faults.items() if number == entrant),
                decision=decision if tested_entrant(results) == entrant else None,
                few=played < ENOUGH_GAMES and decision not in ("accept", "reject"),
            )
        )
    return rows


_UNKNOWN = Estimate(np.nan, np.nan, np.nan)
_Measured = tuple[Estimate, Estimate | None, float | None, Estimate, Estimate]
_UNMEASURED: _Measured = (_UNKNOWN, None, None, _UNKNOWN, _UNKNOWN)


def _measure(results: Results, *, with_luck: bool) -> dict[int, _Measured]:
    """Share, adjusted share, variance ratio, mean rank and margin of each entrant that played."""
    if not results.blocks:
        return {}
    sums, counts = results.by_entrant(results.shares)
    shares = block_estimates(sums, counts, shares=True)
    places = block_estimates(results.by_entrant(results.places)[0], counts)
    adjusted: list[Estimate | None] = [None] * len(shares)
    ratios: list[float | None] = [None] * len(shares)
    margins = results.by_entrant(results.margins)[0]
    if with_luck and results.seed_count >= FOLDS:
        adjusted_shares = adjusted_sums(sums, counts, results.by_entrant(results.luck)[0])
        ratios = [*variance_ratio(sums, adjusted_shares, counts).tolist()]
        # Resampled together, which is faster: almost all values of both differ from block to block.
        both = block_estimates(np.hstack([margins, adjusted_shares]), np.hstack([counts, counts]))
        margin_estimates, adjusted = both[: len(shares)], [*both[len(shares) :]]
    else:
        margin_estimates = block_estimates(margins, counts)
    return dict(
        zip(results.entrants, zip(shares, adjusted, ratios, places, margin_estimates, strict=True), strict=True)
    )


def _seats(results: Results, table: int | None) -> list[Seat]:
    if not results.blocks:
        return []
    games, players = results.ranks.shape
    return [Seat(players, table, seat, games, share) for seat, share in enumerate(seat_effect(results))]


def _comparisons(run: Run, results: Results) -> tuple[tuple[Rating, ...], tuple[Pair, ...]]:
    """The ratings, best first, and the pairwise results of the entrants that played."""
    if not results.blocks:
        return (), ()
    players = results.ranks.shape[1]
    entrants = results.entrants
    labels = [run.entrants[entrant].label for entrant in entrants]
    by_game = count_pairs(results.ranks, np.searchsorted(entrants, results.seating), len(entrants))
    counts = results.by_seed(by_game)
    rated = rate(counts)
    ratings = [
        Rating(players, label, Estimate(value, low, high), group)
        for label, value, low, high, group in zip(
            labels, rated.values.tolist(), rated.low.tolist(), rated.high.tolist(), rated.groups.tolist(), strict=True
        )
        if np.isfinite(value)
    ]
    one, other = np.nonzero((counts + np.swapaxes(counts, 1, 2)).sum(axis=0))
    compared = block_estimates(counts[:, one, other], counts[:, one, other] + counts[:, other, one], shares=True)
    met = (by_game + np.swapaxes(by_game, 1, 2) > 0).sum(axis=0)
    pairs = [
        Pair(players, labels[first], labels[second], int(met[first, second]), share)
        for first, second, share in zip(one.tolist(), other.tolist(), compared, strict=True)
    ]
    return tuple(sorted(ratings, key=lambda rating: (rating.group, -rating.rating.value))), tuple(pairs)


def _scores(run: Run, results: Results) -> tuple[Scores, ...]:
    distributions = []
    for entrant in results.entrants:
        scores = results.scores[results.seating == entrant].astype(np.int64)
        least = int(scores.min())
        distributions.append(
            Scores(
                players=results.scores.shape[1],
                entrant=run.entrants[entrant].label,
                least=least,
                counts=tuple(np.bincount(scores - least).tolist()),
                quantiles=tuple(round_portably(np.quantile(scores, SCORE_QUANTILES)).tolist()),
            )
        )
    return tuple(distributions)


def _faults(run: Run, games: Sequence[Game]) -> tuple[FaultCount, ...]:
    counts = fault_counts(games)
    examples: dict[tuple[int, str], tuple[Game, str]] = {}
    for game in sorted(games, key=lambda game: game.key):
        for fault in game.faults:
            examples.setdefault((game.seating[fault.seat], fault.kind), (game, fault.detail))
    return tuple(
        FaultCount(run.entrants[entrant].label, kind, counts[entrant, kind], detail, *game.key)
        for (entrant, kind), (game, detail) in sorted(examples.items(), key=lambda item: item[0])
    )

"""A run of the arena in numbers: everything that its report shows and that leaderboards and ladders go on with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dunaia_env.arena.intervals import Estimate, block_estimates, settled
from dunaia_env.arena.ratings import count_pairs, rate
from dunaia_env.arena.records import Game, Run
from dunaia_env.arena.statistics import (
    FOLDS,
    Decision,
    Results,
    SequentialTest,
    adjusted_sums,
    check_seats,
    fault_counts,
    pace_of,
    results_of,
    seat_effect,
    variance_ratio,
)

# A row of fewer games says too little: with 400 a share's interval is some 5 percentage points to either side.
ENOUGH_GAMES = 400
SCORE_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class Row:
    """How an entrant did at one table, or at all tables of a number of players.

    Attributes:
        players: number of players.
        table: the table's number in the run; None for all tables of so many players together.
        entrant: label of the entrant.
        games: games in complete blocks in which it sat.
        blocks: complete blocks in which it sat.
        fair: the share of equal players, 1 / players.
        share: mean win share of a seat that it held.
        adjusted: the same without what luck explains; None where luck was not measured or blocks are too few.
        variance_ratio: the adjusted share is worth this many times the games; None with ``adjusted``.
        place: mean rank; equal seats share the mean of their places.
        margin: mean of its points minus the mean of the others' points.
        decision_seconds: mean thinking time of a decision; None if it decided nothing.
        slow_seconds: seconds a decision that 95 % of its games do not pass.
        faults: number of its faults, in all games.
        decision: of the sequential test, where there was one on this row.
        few: fewer than `ENOUGH_GAMES` games, and no sequential test that decided.
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
    """Plackett-Luce rating of an entrant, mean 0 among those of its group; only these can be compared."""

    players: int
    entrant: str
    rating: Estimate
    group: int


@dataclass(frozen=True)
class Pair:
    """How often an entrant finished before another one, ties as half, in games in which both sat."""

    players: int
    entrant: str
    opponent: str
    games: int
    share: Estimate


@dataclass(frozen=True)
class Seat:
    """Win share of a seat, whoever sat there; ``table`` is None for all tables of so many players together."""

    players: int
    table: int | None
    seat: int
    games: int
    share: Estimate


@dataclass(frozen=True)
class Scores:
    """How many of an entrant's seats ended with how many points.

    Attributes:
        players: number of players.
        entrant: label.
        least: the lowest score.
        counts: number of seats with ``least``, ``least + 1``, … points.
        quantiles: scores that 5, 25, 50, 75 and 95 % of the seats do not pass.
    """

    players: int
    entrant: str
    least: int
    counts: tuple[int, ...]
    quantiles: tuple[float, ...]


@dataclass(frozen=True)
class FaultCount:
    """Faults of an entrant of one kind, with the first of them as an example."""

    entrant: str
    kind: str
    count: int
    example: str
    table: int
    block: int
    order: int


@dataclass(frozen=True)
class Progress:
    """How far a table got; ``decision`` is the sequential test's, if there is one."""

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
        """Whether all blocks are complete or a sequential test decided."""
        return self.blocks >= self.planned_blocks or self.decision in ("accept", "reject")


@dataclass(frozen=True)
class Summary:
    """A run in numbers.

    Attributes:
        run: its plan.
        progress: of each table.
        games: number of games found, those of incomplete blocks among them.
        rows: each entrant at each table.
        standings: each entrant at all tables of each number of players.
        ratings: by number of players.
        pairs: who beats whom, by number of players.
        seats: at each table, and at all tables of each number of players.
        scores: by number of players.
        faults: by entrant and kind.
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
    """The numbers of a run, finished or not; games of incomplete blocks count for times and faults only.

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
    """Whose share a sequential test at a table is about: its first entrant's; None where it meets only itself."""
    entrants = results.entrants
    return entrants[0] if len(entrants) > 1 else None


def _decision(results: Results, hypotheses: tuple[float, float] | None) -> Decision | None:
    if hypotheses is None or (results.blocks and tested_entrant(results) is None):
        return None
    test = SequentialTest(*hypotheses)
    if results.blocks:
        sums, counts = results.by_entrant(results.shares)
        for share in settled(sums[:, 0] / counts[:, 0]).tolist():
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
        pace = pace_of(own, entrant)
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
                decision_seconds=pace.mean if pace else None,
                slow_seconds=pace.slow if pace else None,
                faults=sum(count for (guilty, _), count in faults.items() if guilty == entrant),
                decision=decision if tested_entrant(results) == entrant else None,
                few=played < ENOUGH_GAMES and decision not in ("accept", "reject"),
            )
        )
    return rows


_UNKNOWN = Estimate(np.nan, np.nan, np.nan)
_Measured = tuple[Estimate, Estimate | None, float | None, Estimate, Estimate]
_UNMEASURED: _Measured = (_UNKNOWN, None, None, _UNKNOWN, _UNKNOWN)


def _measure(results: Results, *, with_luck: bool) -> dict[int, _Measured]:
    """Share, adjusted share, its worth in games, place and margin of each entrant who played."""
    if not results.blocks:
        return {}
    sums, counts = results.by_entrant(results.shares)
    shares = block_estimates(sums, counts, shares=True)
    places = block_estimates(results.by_entrant(results.places)[0], counts)
    adjusted: list[Estimate | None] = [None] * len(shares)
    ratios: list[float | None] = [None] * len(shares)
    margins = results.by_entrant(results.margins)[0]
    if with_luck and results.seed_count >= FOLDS:
        less_luck = adjusted_sums(sums, counts, results.by_entrant(results.luck)[0])
        ratios = [*variance_ratio(sums, less_luck, counts).tolist()]
        # Both take as many values as there are seeds, and are drawn again in one go.
        both = block_estimates(np.hstack([margins, less_luck]), np.hstack([counts, counts]))
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
    """Ratings, best first, and pairs, of the entrants who played."""
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
    found = []
    for entrant in results.entrants:
        scores = results.scores[results.seating == entrant].astype(np.int64)
        least = int(scores.min())
        found.append(
            Scores(
                players=results.scores.shape[1],
                entrant=run.entrants[entrant].label,
                least=least,
                counts=tuple(np.bincount(scores - least).tolist()),
                quantiles=tuple(settled(np.quantile(scores, SCORE_QUANTILES)).tolist()),
            )
        )
    return tuple(found)


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

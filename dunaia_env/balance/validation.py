"""Tests on simulated studies with known effects whether the laboratory finds these effects, and no others.

No game is played, see `dunaia_env.balance.simulation`. The design, the intervals and the verdicts are those of a real
study.

Three kinds of studies are drawn. In *null* studies all roles are worth the same. In *planted* studies one role has a
known advantage. In *boundary* studies this advantage is exactly the tolerance, so the verdict must not be "over". The
other statements of a report are counted too, see `dunaia_env.balance.statements`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
import tyro
from rich.console import Console
from rich.progress import track
from scipy.special import betaincinv, stdtrit

from dunaia_env.balance import intervals
from dunaia_env.balance.games import Games
from dunaia_env.balance.questions.verdicts import OVER, TOLERANCE, UNDER, RoleVerdict, judge
from dunaia_env.balance.simulation import World, draw_games, planted_world
from dunaia_env.balance.statements import STATEMENTS
from dunaia_env.balance.wording import number, percent, players_words, share_cell
from dunaia_env.harness.commands import check_numbers, run_command
from dunaia_env.reports.parts import ReportTable, Section, TableCell, table_row
from dunaia_env.statistics.intervals import CONFIDENCE, Estimate, round_portably
from dunaia_env.support import atomic, reading, terminal, typed_json

_MOST_BYTES = 1 << 26
BLOCKS: Mapping[int, int] = {2: 3000, 3: 1800, 4: 1200}
"""Number of blocks of a validated study, by number of players."""
SAMPLES = 1000


@dataclass(frozen=True)
class Rate:
    """How often something happened, with the exact 95 % interval of Clopper and Pearson (1934).

    Attributes:
        times: how often it happened.
        of: how often it could have happened.
        value: ``times / of``.
        low: lower end of the interval.
        high: upper end of the interval.
    """

    times: int
    of: int
    value: float
    low: float
    high: float


def rate_of(happened: Sequence[bool]) -> Rate:
    """How often something happened; raises `ValueError` for an empty sequence."""
    if not happened:
        raise ValueError("expected at least one observation, got none")
    count, of = sum(happened), len(happened)
    tail = (1 - CONFIDENCE) / 2
    low = betaincinv(count, of - count + 1, tail) if count else 0.0
    high = betaincinv(count + 1, of - count, 1 - tail) if count < of else 1.0
    return Rate(count, of, *round_portably([count / of, low, high]).tolist())


@dataclass(frozen=True)
class StatementRate:
    """How often a statement of the report was made on simulated results, see `dunaia_env.balance.statements`.

    Attributes:
        words: the statement and the situation.
        least, most: the smallest and the largest rate that it claims.
        rate: how often it was made.
    """

    words: str
    least: float
    most: float
    rate: Rate


@dataclass(frozen=True)
class TableValidation:
    """The results at one number of players.

    Attributes:
        players: number of players.
        blocks: number of blocks of each study and strength.
        games: number of games of each study and strength.
        false_alarms: null studies in which the interval of any role excludes 0, at any strength.
        power: planted studies in which the interval of the planted role lies above 0, at the first strength.
        power_of_all: the same at all strengths.
        coverage: planted studies in which the interval of the planted role covers its effect, at the first strength.
            The interval is simultaneous with all other intervals, so it covers more often than in 95 % of the studies.
        coverage_alone: the same for an interval of the role alone, which covers in 95 % of the studies.
        over_at_boundary: boundary studies in which the verdict on the role is "over".
        half_width: mean half-width of the planted role's intervals, in win shares.
        half_width_alone: the same for an interval of the role alone.
        blocks_for_point: number of blocks needed for simultaneous intervals of plus or minus 1 percentage point.
        blocks_for_point_alone: the same for an interval of the role alone.
    """

    players: int
    blocks: int
    games: int
    false_alarms: Rate
    power: Rate
    power_of_all: Rate
    coverage: Rate
    coverage_alone: Rate
    over_at_boundary: Rate
    half_width: float
    half_width_alone: float
    blocks_for_point: int
    blocks_for_point_alone: int


@dataclass(frozen=True)
class Validation:
    """How the laboratory did on simulated studies.

    Attributes:
        studies: number of studies of each kind.
        seed: seed of the draws.
        roles: number of roles.
        strengths: number of strengths of the players.
        tolerance: tolerance of the verdicts.
        planted: effect of the planted role.
        seat_luck, role_luck: see `World`.
        samples: number of resamples for each study's intervals.
        false_alarms: null studies in which any interval, at any number of players, excludes 0.
        false_verdicts: null studies in which any verdict is "over" or "under".
        joint_coverage: planted studies in which all intervals cover the true effects.
        false_at_boundary: boundary studies in which any verdict is "over" or "under".
        false_trends: null studies in which the effect of any role is said to rise or fall with better play.
        statements: how often each other statement was made.
        tables: the results by number of players.
    """

    studies: int
    seed: int
    roles: int
    strengths: int
    tolerance: float
    planted: float
    seat_luck: float
    role_luck: float
    samples: int
    false_alarms: Rate
    false_verdicts: Rate
    joint_coverage: Rate
    false_at_boundary: Rate
    false_trends: Rate
    statements: tuple[StatementRate, ...]
    tables: tuple[TableValidation, ...]

    def to_json(self) -> str:
        """The results as a JSON text."""
        return json.dumps(asdict(self), indent=2) + "\n"


def read_validation(path: str | os.PathLike[str]) -> Validation:
    """The results in a file that the command wrote; raises `ValueError` naming the file and the wrong field."""
    try:
        return typed_json.build(Validation, typed_json.parse(reading.read_bytes(path, _MOST_BYTES)))
    except (reading.ReadingError, typed_json.FieldError) as error:
        raise ValueError(f"{path}: {error}") from None


@dataclass(frozen=True)
class Options:
    """Measure on simulated studies how often the balance laboratory finds real effects, and how often false ones."""

    out: Path | None = None
    """JSON file for the results; by default none is written."""
    studies: int = 200
    """Number of studies of each kind."""
    seed: int = 0
    """Seed of the draws."""
    players: tuple[int, ...] = (2, 3, 4)
    """Numbers of players; every study includes all of them."""
    blocks: tuple[int, ...] = ()
    """Number of blocks for each number of players; the default is 3000, 1800 and 1200 for 2, 3 and 4 players."""
    roles: int = 6
    """Number of roles."""
    strengths: int = 3
    """Number of strengths of the players."""
    planted: float = 0.03
    """Effect of the planted role, in win shares."""
    tolerance: float = TOLERANCE
    """Tolerance of the verdicts, in win shares."""
    seat_luck: float = 0.5
    """Standard deviation of the luck of a seat that is common to a block, in logarithms of strength."""
    role_luck: float = 0.3
    """Standard deviation of the luck of a role that is common to a block, in logarithms of strength."""
    samples: int = SAMPLES
    """Number of resamples for each study's intervals."""
    jobs: int = 1
    """Number of workers; 0 for one on each core."""


class _Outcome(NamedTuple):
    """The outcome of a study: its verdicts, and mean and standard error of role 0 alone by number of players."""

    verdicts: list[RoleVerdict]
    alone: dict[int, tuple[float, float]]


def _study(worlds: Sequence[World], blocks: Mapping[int, int], options: Options, seed: tuple[int, ...]) -> _Outcome:
    games: dict[tuple[int, str], Games] = {}
    alone = {}
    for world in worlds:
        players = world.players
        drawn = draw_games(world, blocks[players], options.strengths, seed=(*seed, players))
        games |= {(players, f"strength {number}"): one for number, one in enumerate(drawn)}
        effects = intervals.role_blocks(drawn[0], drawn[0].shares, options.roles)[:, :1] - 1 / players
        alone[players] = float(effects.mean()), float(intervals.standard_errors(effects)[0])
    names = [f"role {number}" for number in range(options.roles)]
    verdicts = judge(games, names, tolerance=options.tolerance, samples=options.samples, seed=seed[-1])
    return _Outcome(verdicts, alone)


def validate(options: Options) -> Validation:
    """Draw studies, judge them and count the outcomes; shows the progress on a terminal.

    Raises `ValueError` naming an option that is out of its range.
    """
    check_numbers(
        options,
        positive=("studies", "strengths", "samples", "tolerance"),
        not_negative=("seed", "seat_luck", "role_luck", "jobs"),
    )
    numbers = options.blocks or tuple(BLOCKS.get(players, 0) for players in options.players)
    if not numbers or len(numbers) != len(options.players) or min(numbers) < 2:
        raise ValueError(f"blocks: expected at least 2 for each number of players, got {numbers}")
    if options.roles < max(options.players):
        raise ValueError(f"roles: expected at least as many as players, {max(options.players)}, got {options.roles}")
    blocks = dict(zip(options.players, numbers, strict=True))
    kinds = {"null": 0.0, "planted": options.planted, "boundary": options.tolerance}
    worlds = {
        effect: [
            planted_world(
                players, effect, roles=options.roles, seat_luck=options.seat_luck, role_luck=options.role_luck
            )
            for players in options.players
        ]
        for effect in kinds.values()
    }
    # Kinds with the same effect have the same studies.
    effects = list(worlds)
    todo = [(number, study) for number in range(len(effects)) for study in range(options.studies)]
    calls = (
        joblib.delayed(_study)(worlds[effects[number]], blocks, options, (options.seed, number, study))
        for number, study in todo
    )
    outcomes: list[_Outcome] = _called(calls, len(todo), options)
    found = {
        effect: outcomes[number * options.studies : (number + 1) * options.studies]
        for number, effect in enumerate(effects)
    }
    null, planted, boundary = (found[effect] for effect in kinds.values())
    return Validation(
        studies=options.studies,
        seed=options.seed,
        roles=options.roles,
        strengths=options.strengths,
        tolerance=options.tolerance,
        planted=options.planted,
        seat_luck=options.seat_luck,
        role_luck=options.role_luck,
        samples=options.samples,
        false_alarms=rate_of([any(_is_detected(verdict) for verdict in study.verdicts) for study in null]),
        false_verdicts=rate_of([_any_verdict(study) for study in null]),
        joint_coverage=rate_of([_all_covered(study, options) for study in planted]),
        false_at_boundary=rate_of([_any_verdict(study) for study in boundary]),
        false_trends=rate_of([any(one.trend in ("rises", "falls") for one in study.verdicts) for study in null]),
        statements=_statements(options),
        tables=tuple(_table(players, blocks[players], null, planted, boundary, options) for players in options.players),
    )


def _statements(options: Options) -> tuple[StatementRate, ...]:
    """How often each of the other statements is made, in as many studies of its own."""
    todo = [(place, study) for place in range(len(STATEMENTS)) for study in range(options.studies)]
    calls = (joblib.delayed(_makes_statement)(place, (options.seed, place, study)) for place, study in todo)
    made: list[bool] = _called(calls, len(todo), options)
    rows = (made[place * options.studies : (place + 1) * options.studies] for place in range(len(STATEMENTS)))
    return tuple(
        StatementRate(statement.words, statement.least, statement.most, rate_of(row))
        for statement, row in zip(STATEMENTS, rows, strict=True)
    )


def _makes_statement(place: int, seed: tuple[int, ...]) -> bool:
    return STATEMENTS[place].happens(seed)


def _any_verdict(study: _Outcome) -> bool:
    return any(verdict.verdict in (*OVER, *UNDER) for verdict in study.verdicts)


def _is_detected(verdict: RoleVerdict) -> bool:
    """Whether the interval of an effect excludes 0 at any strength."""
    return any(estimate.low > 0 or estimate.high < 0 for estimate in verdict.estimates.values())


def _covers(estimate: Estimate, truth: float) -> bool:
    return bool(estimate.low <= truth <= estimate.high)


def _all_covered(study: _Outcome, options: Options) -> bool:
    # What role 0 gains is lost by the other roles in equal parts.
    truths = [options.planted] + [-options.planted / (options.roles - 1)] * (options.roles - 1)
    return all(
        _covers(estimate, truths[number % options.roles])
        for number, one in enumerate(study.verdicts)
        for estimate in one.estimates.values()
    )


def _table(
    players: int,
    blocks: int,
    null: Sequence[_Outcome],
    planted: Sequence[_Outcome],
    boundary: Sequence[_Outcome],
    options: Options,
) -> TableValidation:
    def of_role(study: _Outcome) -> RoleVerdict:
        return next(verdict for verdict in study.verdicts if verdict.players == players)

    estimates = [list(of_role(study).estimates.values()) for study in planted]
    quantile = -float(stdtrit(blocks - 1, (1 - CONFIDENCE) / 2))
    means, errors = np.array([study.alone[players] for study in planted]).T
    half = float(np.mean([(estimate[0].high - estimate[0].low) / 2 for estimate in estimates]))
    half_alone = float(quantile * errors.mean())
    return TableValidation(
        players=players,
        blocks=blocks,
        games=blocks * options.roles,
        false_alarms=rate_of(
            [any(_is_detected(verdict) for verdict in study.verdicts if verdict.players == players) for study in null]
        ),
        power=rate_of([estimate[0].low > 0 for estimate in estimates]),
        power_of_all=rate_of([all(part.low > 0 for part in estimate) for estimate in estimates]),
        coverage=rate_of([_covers(estimate[0], options.planted) for estimate in estimates]),
        coverage_alone=rate_of((np.abs(means - options.planted) <= quantile * errors).tolist()),
        over_at_boundary=rate_of([of_role(study).verdict in OVER for study in boundary]),
        half_width=float(round_portably(half)),
        half_width_alone=float(round_portably(half_alone)),
        blocks_for_point=_blocks_for_point(blocks, half),
        blocks_for_point_alone=_blocks_for_point(blocks, half_alone),
    )


def _blocks_for_point(blocks: int, half_width: float) -> int:
    return int(np.ceil(round_portably(blocks * (half_width / 0.01) ** 2, 3)))


def _called(calls: Iterable[Any], total: int, options: Options) -> list[Any]:
    """The results of delayed calls in their order, made by the workers; shows the progress on a terminal."""
    workers = joblib.Parallel(n_jobs=options.jobs or joblib.cpu_count(), return_as="generator")
    console = Console(stderr=True)
    return list(track(workers(calls), "studies", total=total, console=console, disable=not console.is_terminal))


def describe(validation: Validation) -> str:
    """The results as text, in percent and percentage points."""

    def shown(rate: Rate) -> str:
        return f"{100 * rate.value:5.1f} % ({100 * rate.low:.1f}..{100 * rate.high:.1f})"

    whole = validation
    rows: list[tuple[str, str]] = [
        ("null studies with any interval that excludes 0", shown(whole.false_alarms)),
        ("null studies with any verdict too strong or too weak", shown(whole.false_verdicts)),
        ("planted studies in which all intervals hold the truth", shown(whole.joint_coverage)),
        ("boundary studies: any verdict too strong or too weak", shown(whole.false_at_boundary)),
        ("null studies with any effect that rises or falls with better play", shown(whole.false_trends)),
        *((f"{one.words} ({_aim(one)})", shown(one.rate)) for one in whole.statements),
    ]
    for table in whole.tables:
        rows += [
            (f"{table.players} players, blocks of {whole.roles} games at each strength", f"{table.blocks:,}"),
            ("  null studies with any interval that excludes 0", shown(table.false_alarms)),
            ("  planted advantage found at one strength", shown(table.power)),
            ("  planted advantage found at all strengths", shown(table.power_of_all)),
            ("  its size contained in its interval", shown(table.coverage)),
            ("  the same for the interval of the role alone", shown(table.coverage_alone)),
            ("  verdict too strong if the effect is the tolerance", shown(table.over_at_boundary)),
            ("  half-width of the interval, points", f"{100 * table.half_width:.2f}"),
            ("  the same for the role alone", f"{100 * table.half_width_alone:.2f}"),
            ("  blocks for plus or minus 1 point", f"{table.blocks_for_point:,}"),
            ("  the same for the role alone", f"{table.blocks_for_point_alone:,}"),
        ]
    title = (
        f"{whole.studies} simulated studies of each kind; {whole.roles} roles, {whole.strengths} strengths,"
        f" planted effect {100 * whole.planted:g} points, tolerance {100 * whole.tolerance:g} points"
    )
    width = max(len(name) for name, _ in rows)
    lines = [title, *(f"{name:<{width}} {value}" for name, value in rows)]
    return "\n".join(lines)


def validation_section(validation: Validation) -> Section:
    """The section on how the laboratory did on simulated studies whose true effects are known."""
    text = (
        f"The laboratory judged {validation.studies:,} simulated studies of each kind, with {validation.roles} roles"
        f" and {validation.strengths} strengths of the players. In null studies, all roles are worth the same. In"
        f" planted studies, one role wins {number(100 * validation.planted)} points more than its fair share. In"
        f" boundary studies, this advantage is exactly the tolerance, {number(100 * validation.tolerance)} points. The"
        " rates are shown with their 95 % intervals."
    )
    whole = (
        ("null studies with a false alarm, that is, any interval that excludes 0", validation.false_alarms, "≤ 5 %"),
        ("null studies in which any role is judged too strong or too weak", validation.false_verdicts, "≤ 5 %"),
        ("planted studies in which all intervals contain the true value", validation.joint_coverage, "≥ 95 %"),
        ("boundary studies in which any role is judged too strong or too weak", validation.false_at_boundary, "≤ 5 %"),
        ("null studies in which any effect is said to rise or fall with better play", validation.false_trends, "≤ 5 %"),
    )
    rows = tuple(table_row(words, _rate_cell(rate), aim) for words, rate, aim in whole)
    heads = ("what was counted", "how often", "aim")
    tables = [ReportTable("Whole studies", heads, rows, texts=True)]
    if validation.statements:
        made = tuple(table_row(one.words, _rate_cell(one.rate), _aim(one)) for one in validation.statements)
        tables.append(ReportTable("Other statements of the report", heads, made, texts=True))
    columns = (
        *("table", "blocks", "planted role found", "found at all strengths", "its interval contains its effect"),
        *("an individual interval contains it", "false alarms", "too strong at the boundary", "half-width, points"),
    )
    rows = tuple(
        table_row(
            players_words(table.players),
            f"{table.blocks:,}",
            _rate_cell(table.power),
            _rate_cell(table.power_of_all),
            _rate_cell(table.coverage),
            _rate_cell(table.coverage_alone),
            _rate_cell(table.false_alarms),
            _rate_cell(table.over_at_boundary),
            number(100 * table.half_width, 2),
        )
        for table in validation.tables
    )
    tables.append(ReportTable("By number of players", columns, rows))
    return Section("Appendix: validation of the laboratory", (text,), tuple(tables))


def _aim(statement: StatementRate) -> str:
    """What a statement claims about its rate."""
    return f"≥ {percent(statement.least, 0)}" if statement.least else f"≤ {percent(statement.most, 0)}"


def _rate_cell(rate: Rate) -> TableCell:
    return share_cell(Estimate(rate.value, rate.low, rate.high))


def main(options: Options) -> Validation:
    """Validate, print the results, and write them to the file if one is given."""
    validation = validate(options)
    print(describe(validation))
    if options.out is not None:
        atomic.write_text(options.out, validation.to_json())
    return validation


def _run() -> int:
    options = tyro.cli(Options, prog="python -m dunaia_env.balance.validation", description=Options.__doc__)
    return run_command("validation", lambda: main(options))


if __name__ == "__main__":
    sys.exit(terminal.run_main(_run, has_workers=True))

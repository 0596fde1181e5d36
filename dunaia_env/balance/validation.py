"""Tests on simulated studies with known effects whether the laboratory finds these effects, and no others.

No game is played: a Plackett-Luce model (Luce, 1959; Plackett, 1975) draws the order in which the players finish, from
the strengths of seats and roles and from luck. Part of the luck is common to all games of a block, at every strength of
the players, as the luck of a set-up is. The design, the intervals and the verdicts are those of a real study.

Three kinds of studies are drawn. In *null* studies all roles are worth the same. In *planted* studies one role has a
known advantage. In *boundary* studies this advantage is exactly the tolerance, so the verdict must not be "over".
"""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
import tyro
from rich.console import Console
from rich.progress import track
from scipy.optimize import brentq
from scipy.special import betaincinv, softmax, stdtrit

from dunaia_env.balance import design, intervals
from dunaia_env.balance.games import CURVE_ROUNDS, Games
from dunaia_env.balance.questions.verdicts import OVER, TOLERANCE, UNDER, RoleVerdict, judge
from dunaia_env.balance.wording import number, players_words, share_cell
from dunaia_env.harness.commands import check_numbers, run_command
from dunaia_env.reports.parts import ReportTable, Section, TableCell, table_row
from dunaia_env.statistics.intervals import CONFIDENCE, Estimate, Floats, round_portably
from dunaia_env.support import atomic, reading, terminal, typed_json

_MOST_BYTES = 1 << 26
# Win shares of the seats that a first study of equal players measured, by number of players.
SEAT_SHARES: Mapping[int, tuple[float, ...]] = {2: (0.69, 0.31), 3: (0.57, 0.26, 0.17), 4: (0.45, 0.24, 0.18, 0.13)}
BLOCKS: Mapping[int, int] = {2: 3000, 3: 1800, 4: 1200}
"""Number of blocks of a validated study, by number of players."""
SAMPLES = 1000
# Number of blocks over whose luck the expected win share of a role is averaged when its strength is chosen.
_LUCK_BLOCKS = 20_000


@dataclass(frozen=True)
class World:
    """The parameters of the simulated games at one number of players.

    Attributes:
        players: S, number of players.
        roles: strength of each of R roles, natural logarithms.
        seats: strength of each seat, natural logarithms.
        seat_luck: standard deviation of the luck of a seat that is common to the games of a block, in logarithms of
            strength.
        role_luck: standard deviation of the luck of a role, in the same way.

    With the default luck, the variance of a role's mean win share in a block is 0.93, 0.96 and 0.99 times that of as
    many independent games, for 2, 3 and 4 players. In a real game with greedy players it was 0.91, 0.97 and 0.94 times.
    """

    players: int
    roles: tuple[float, ...]
    seats: tuple[float, ...]
    seat_luck: float = 0.5
    role_luck: float = 0.3

    def strengths(self, blocks: int, random: np.random.Generator) -> tuple[Floats, Floats]:
        """The roles in the seats of each game, and their strengths with the luck of the block: both ``(B, R, S)``."""
        count = len(self.roles)
        cycle = _cycle(count, self.players)
        lineups = cycle[np.arange(blocks) % len(cycle)]
        seats = np.array(self.seats) + self.seat_luck * random.normal(size=(blocks, 1, self.players))
        roles = np.array(self.roles) + self.role_luck * random.normal(size=(blocks, count))
        return lineups, seats + roles[np.arange(blocks)[:, None, None], lineups]


@functools.cache
def _cycle(roles: int, players: int) -> Any:
    return np.array(
        [design.block_lineups(block, roles, players) for block in range(design.design_length(roles, players))]
    )


def draw_games(world: World, blocks: int, strengths: int, *, seed: Any = 0) -> list[Games]:
    """Games with assigned roles, at several strengths of the players that share the luck of each block.

    Args:
        world: parameters of the games.
        blocks: number of blocks; each has one game for each role.
        strengths: number of strengths of the players.
        seed: seed of the draws, a number or several.
    """
    random = np.random.default_rng(seed)
    lineups, values = world.strengths(blocks, random)
    return [_games_of(lineups, values + random.gumbel(size=values.shape)) for _ in range(strengths)]


def _games_of(lineups: Floats, results: Floats) -> Games:
    blocks, orders, seats = results.shape
    games = blocks * orders
    ranks = 1 + (results[..., None, :] > results[..., :, None]).sum(axis=-1)
    return Games(
        block=np.repeat(np.arange(blocks, dtype=np.int32), orders),
        order=(np.arange(games) % orders).astype(np.int16),
        roles=lineups.reshape(games, seats).astype(np.int8),
        ranks=ranks.reshape(games, seats).astype(np.int8),
        scores=np.round(50 + 10 * results.reshape(games, seats)).astype(np.int32),
        rounds=np.ones(games, np.int16),
        stopped=np.zeros(games, np.bool_),
        decisions=np.zeros(games, np.int32),
        curve=np.broadcast_to(np.int16(0), (games, CURVE_ROUNDS, seats)),
        uses=np.zeros((games, seats), np.int16),
        offered=np.zeros((games, seats), np.uint16),
        events=np.zeros((games, seats, 0), np.int16),
        first_round=np.zeros((games, seats, 0), np.int16),
        first_seat=np.zeros((games, 0), np.int8),
    )


def planted_world(
    players: int,
    effect: float,
    *,
    roles: int = 6,
    seat_luck: float = 0.5,
    role_luck: float = 0.3,
    seat_shares: Sequence[float] | None = None,
) -> World:
    """A world in which role 0 has a given effect, and the other roles are worth the same.

    Args:
        players: number of players.
        effect: expected win share of role 0 minus the fair share.
        roles: number of roles.
        seat_luck: see `World`.
        role_luck: see `World`.
        seat_shares: win share of each seat among equal roles; None for those of `SEAT_SHARES`.

    Raises:
        ValueError: for a number of players without seat shares, or an effect that no strength can give.
    """
    shares = SEAT_SHARES.get(players, ()) if seat_shares is None else seat_shares
    if len(shares) != players:
        raise ValueError(f"players: expected one of {', '.join(map(str, SEAT_SHARES))}, got {players}")
    if not -1 / players < effect < 1 - 1 / players:
        raise ValueError(
            f"effect: expected a number above {-1 / players:.3f} and below {1 - 1 / players:.3f}, got {effect}"
        )
    seats = tuple(np.log(shares).tolist())
    equal = World(players, (0.0,) * roles, seats, seat_luck, role_luck)
    lineups, values = equal.strengths(_LUCK_BLOCKS, np.random.default_rng(players))
    held = lineups == 0

    def share(strength: float) -> float:
        return float(softmax(values + strength * held, axis=-1)[held].mean())

    # The share is compared with that of an equal role under the same luck, so that the luck drawn here hardly matters.
    fair = share(0.0)
    strength = brentq(lambda one: share(one) - fair - effect, -12, 12, xtol=1e-6) if effect else 0.0
    return World(players, (float(round_portably(strength, 5)), *(0.0,) * (roles - 1)), seats, seat_luck, role_luck)


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
    workers = joblib.Parallel(n_jobs=options.jobs or joblib.cpu_count(), return_as="generator")
    outcomes = list(_with_progress(workers(calls), len(todo)))
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
        tables=tuple(_table(players, blocks[players], null, planted, boundary, options) for players in options.players),
    )


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


def _with_progress(outcomes: Iterator[_Outcome], total: int) -> Iterator[_Outcome]:
    console = Console(stderr=True)
    yield from track(outcomes, "studies", total=total, console=console, disable=not console.is_terminal)


def describe(validation: Validation) -> str:
    """The results as text, in percent and percentage points."""

    def percent(rate: Rate) -> str:
        return f"{100 * rate.value:5.1f} % ({100 * rate.low:.1f}..{100 * rate.high:.1f})"

    whole = validation
    rows: list[tuple[str, str]] = [
        ("null studies with any interval that excludes 0", percent(whole.false_alarms)),
        ("null studies with any verdict too strong or too weak", percent(whole.false_verdicts)),
        ("planted studies in which all intervals hold the truth", percent(whole.joint_coverage)),
        ("boundary studies: any verdict too strong or too weak", percent(whole.false_at_boundary)),
    ]
    for table in whole.tables:
        rows += [
            (f"{table.players} players, blocks of {whole.roles} games at each strength", f"{table.blocks:,}"),
            ("  null studies with any interval that excludes 0", percent(table.false_alarms)),
            ("  planted advantage found at one strength", percent(table.power)),
            ("  planted advantage found at all strengths", percent(table.power_of_all)),
            ("  its size contained in its interval", percent(table.coverage)),
            ("  the same for the interval of the role alone", percent(table.coverage_alone)),
            ("  verdict too strong if the effect is the tolerance", percent(table.over_at_boundary)),
            ("  half-width of the interval, points", f"{100 * table.half_width:.2f}"),
            ("  the same for the role alone", f"{100 * table.half_width_alone:.2f}"),
            ("  blocks for plus or minus 1 point", f"{table.blocks_for_point:,}"),
            ("  the same for the role alone", f"{table.blocks_for_point_alone:,}"),
        ]
    title = (
        f"{whole.studies} simulated studies of each kind; {whole.roles} roles, {whole.strengths} strengths,"
        f" planted effect {100 * whole.planted:g} points, tolerance {100 * whole.tolerance:g} points"
    )
    lines = [title, *(f"{name:<54} {value}" for name, value in rows)]
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
    )
    rows = tuple(table_row(words, _rate_cell(rate), aim) for words, rate, aim in whole)
    tables = [ReportTable("Whole studies", ("what was counted", "how often", "aim"), rows, texts=True)]
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
    sys.exit(terminal.run_main(_run))

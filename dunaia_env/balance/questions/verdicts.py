"""Verdicts on roles: the rule by which a study decides, fixed before it is run.

The *effect* of a role is its mean win share minus the fair share. Each level of play gives an estimate of it, with an
interval that is simultaneous with all others of the study (`dunaia_env.balance.intervals.simultaneous`). The levels are
those of one family of players, from weak to strong; agents of other kinds are witnesses, which agree or not and do not
vote (`dunaia_env.balance.questions.generality`).

1. The *verdict* on a role at one number of players is where its interval lies at the strongest level of play: beyond
   twice the tolerance, ``clearly over`` or ``clearly under``; beyond the tolerance, ``over`` or ``under``; within the
   tolerance, ``fine``; if it crosses the tolerance but not 0, ``slightly over`` or ``slightly under``; else
   ``undecided``.
2. What beginners meet is a verdict of its own: the same at the weakest level.
3. The *trend* says how the effect changes from the weakest level to the strongest, on common blocks, with intervals
   that are simultaneous over all roles and numbers of players: ``steady`` within the tolerance, otherwise ``rises`` or
   ``falls`` if the interval excludes 0, else ``not known``.

If no effect of a study exceeds the tolerance, the probability that the study calls any role over or under, clearly or
not, is less than 5 %.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from scipy.special import ndtri

from dunaia_env.balance import intervals, plans, plots
from dunaia_env.balance.games import Games
from dunaia_env.balance.study import Study
from dunaia_env.balance.wording import (
    NO_ENTRY,
    NOT_PLAYED,
    STATUSES,
    Status,
    at_tables,
    effect_cell,
    effect_words,
    label_of,
    name_of_role,
    number,
    percent,
    players_words,
    with_article,
)
from dunaia_env.reports.drawing import LINE, TEXT, figure_of_rows, own_style, to_svg
from dunaia_env.reports.parts import ReportTable, Section, TableCell, table_row
from dunaia_env.statistics.intervals import CONFIDENCE, SAMPLES, Estimate, Floats, round_portably

# The shapes say the same as the words and colours.
VERDICTS: dict[Verdict, str] = {
    "clearly over": "▲▲\u00a0clearly\u00a0too\u00a0strong",
    "over": "▲\u00a0too\u00a0strong",
    "slightly over": "△\u00a0slightly\u00a0strong",
    "fine": "● fine",
    "slightly under": "▽\u00a0slightly\u00a0weak",
    "under": "▼\u00a0too\u00a0weak",
    "clearly under": "▼▼\u00a0clearly\u00a0too\u00a0weak",
    "undecided": "○ undecided",
}
VERDICT_WORDS: dict[Verdict, str] = {
    verdict: text.lstrip("▲△●▽▼○").replace("\u00a0", " ").strip() for verdict, text in VERDICTS.items()
}
VERDICT_COLOURS: dict[Verdict, float | None] = {
    "clearly over": -0.9,
    "over": -0.6,
    "slightly over": -0.2,
    "fine": None,
    "slightly under": 0.2,
    "under": 0.6,
    "clearly under": 0.9,
    "undecided": None,
}
TRENDS: dict[Trend, str] = {"rises": "↗ rises", "falls": "↘ falls", "steady": "→ steady", "not known": "○ not known"}


TOLERANCE = 0.03
"""The largest effect that passes as fair, in win shares."""

CLEARLY = 2
"""A verdict is clear if the interval lies beyond this many times the tolerance."""

Verdict = Literal[
    "clearly over", "over", "slightly over", "fine", "slightly under", "under", "clearly under", "undecided"
]
OVER: tuple[Verdict, ...] = ("clearly over", "over")
UNDER: tuple[Verdict, ...] = ("clearly under", "under")
Trend = Literal["rises", "falls", "steady", "not known"]
# Probability with which the computed number of further blocks suffices.
_PROBABLY = 0.8


@dataclass(frozen=True)
class RoleVerdict:
    """The verdict on a role at one number of players.

    Attributes:
        role: name of the role.
        players: number of players.
        estimates: effect with its interval, by level of play, from weak to strong.
        statuses: for each level, where the interval lies, see `status_of`.
        verdict: the verdict, that at the strongest level.
        beginners: the verdict at the weakest level; None if there is only one level.
        change: effect at the strongest level minus effect at the weakest one; None if there is only one level.
        trend: what the change says, see the module.
        blocks: number of blocks played, by level.
        blocks_needed: number of further blocks after which the strongest level's interval would not cross the tolerance
            with a probability of 80 %, if the estimate were the true effect; 0 if it does not; None if no number of
            blocks suffices, or if too few were played to tell.
    """

    role: str
    players: int
    estimates: dict[str, Estimate]
    statuses: dict[str, Status]
    verdict: Verdict
    beginners: Verdict | None
    change: Estimate | None
    trend: Trend
    blocks: dict[str, int]
    blocks_needed: int | None

    @property
    def strongest(self) -> Estimate:
        """The effect at the strongest level of play."""
        return list(self.estimates.values())[-1]


def check_tolerance(tolerance: float) -> float:
    """Return a tolerance; raises `ValueError` unless it is above 0 and below 1."""
    if not 0 < tolerance < 1:
        raise ValueError(f"tolerance: expected a win share above 0 and below 1, got {tolerance}")
    return tolerance


def status_of(estimate: Estimate, tolerance: float = TOLERANCE) -> Status:
    """The status of an estimated effect, see the module; without an interval it is open."""
    _, low, high = estimate
    if low > tolerance:
        return "over"
    if high < -tolerance:
        return "under"
    return "fine" if -tolerance <= low and high <= tolerance else "open"


def verdict_of(estimate: Estimate, tolerance: float = TOLERANCE) -> Verdict:
    """The verdict on an estimated effect, see the module; ``undecided`` without an interval."""
    _, low, high = estimate
    if low > tolerance:
        return "clearly over" if low > CLEARLY * tolerance else "over"
    if high < -tolerance:
        return "clearly under" if high < -CLEARLY * tolerance else "under"
    if -tolerance <= low and high <= tolerance:
        return "fine"
    if low > 0:
        return "slightly over"
    return "slightly under" if high < 0 else "undecided"


def trend_of(change: Estimate | None, tolerance: float = TOLERANCE) -> Trend:
    """What the change of an effect from the weakest level to the strongest says, see the module."""
    if change is None:
        return "not known"
    if -tolerance <= change.low and change.high <= tolerance:
        return "steady"
    if change.low > 0:
        return "rises"
    return "falls" if change.high < 0 else "not known"


def blocks_to_decide(
    estimate: Estimate, standard_error: float, blocks: int, tolerance: float = TOLERANCE
) -> int | None:
    """Number of further blocks after which an effect is probably not open any more.

    Interval and standard error shrink with the square root of the number of blocks. If the estimate is the truth, the
    interval lies on one side of the nearest bound with a probability of 80 % as soon as half its length and 0.84
    standard errors fit between the truth and the bound.

    Args:
        estimate: the effect.
        standard_error: standard error of the effect.
        blocks: number of blocks played.
        tolerance: the bounds are the tolerance and its negative.

    Returns:
        0 if the effect is not open; None if the estimate lies on a bound or has no interval.
    """
    if status_of(estimate, tolerance) != "open":
        return 0
    distance = abs(abs(estimate.value) - tolerance)
    reach = (estimate.high - estimate.low) / 2 + float(ndtri(_PROBABLY)) * standard_error
    if not (math.isfinite(reach) and distance > 0):
        return None
    # Rounded so that the number is the same on every machine.
    needed = math.ceil(float(round_portably(blocks * (reach / distance) ** 2, 3)))
    return max(1, needed - blocks)


def judge(
    games: Mapping[tuple[int, str], Games],
    roles: Sequence[str],
    *,
    tolerance: float = TOLERANCE,
    confidence: float = CONFIDENCE,
    samples: int = SAMPLES,
    seed: int = 0,
) -> list[RoleVerdict]:
    """The verdicts of a study.

    Args:
        games: the games with assigned roles by number of players and strength.
        roles: names of the roles.
        tolerance: see the module.
        confidence: confidence with which all intervals of the study hold simultaneously.
        samples: number of resamples.
        seed: seed of the resampling.

    Returns:
        A verdict for each number of players, in ascending order, and each role.

    Raises:
        ValueError: if the games have another number of players, or lack a role in a block.
    """
    check_tolerance(tolerance)
    names = len(roles)
    values: dict[tuple[int, str], Floats] = {}
    for (players, strength), one in games.items():
        if one.seats != players:
            raise ValueError(f"{strength}: expected games of {players} players, got {one.seats}")
        values[players, strength] = intervals.role_blocks(one, one.shares, names) - 1 / players
    # Strengths that played the same blocks depend on one another, so they belong in one stratum.
    strata: dict[tuple[int, bytes], list[tuple[int, str]]] = {}
    for key, one in games.items():
        strata.setdefault((key[0], intervals.block_numbers(one).tobytes()), []).append(key)
    found = intervals.simultaneous(
        [np.hstack([values[key] for key in keys]) for keys in strata.values()],
        confidence=confidence,
        samples=samples,
        seed=seed,
        limits=(-1.0, 1.0),
    )
    effects = {
        key: estimates[names * place : names * (place + 1)]
        for keys, estimates in zip(strata.values(), found, strict=True)
        for place, key in enumerate(keys)
    }
    errors = {key: intervals.standard_errors(one).tolist() for key, one in values.items()}
    changes = _changes(games, values, confidence, samples, seed)
    verdicts = []
    for players in sorted({players for players, _ in games}):
        levels = [level for seats, level in games if seats == players]
        for role, name in enumerate(roles):
            estimates = {level: effects[players, level][role] for level in levels}
            strongest = estimates[levels[-1]]
            change = changes[players][role] if players in changes else None
            verdicts.append(
                RoleVerdict(
                    role=name,
                    players=players,
                    estimates=estimates,
                    statuses={level: status_of(one, tolerance) for level, one in estimates.items()},
                    verdict=verdict_of(strongest, tolerance),
                    beginners=verdict_of(estimates[levels[0]], tolerance) if len(levels) > 1 else None,
                    change=change,
                    trend=trend_of(change, tolerance),
                    blocks={level: len(values[players, level]) for level in levels},
                    blocks_needed=blocks_to_decide(
                        strongest, errors[players, levels[-1]][role], len(values[players, levels[-1]]), tolerance
                    ),
                )
            )
    return verdicts


def _changes(
    games: Mapping[tuple[int, str], Games],
    values: Mapping[tuple[int, str], Floats],
    confidence: float,
    samples: int,
    seed: int,
) -> dict[int, list[Estimate]]:
    """By number of players, how the effect of each role changes from the weakest level to the strongest."""
    differences = {}
    for players in sorted({players for players, _ in games}):
        keys = [key for key in games if key[0] == players]
        weak, strong = (intervals.block_numbers(games[key]) for key in (keys[0], keys[-1]))
        common = np.intersect1d(weak, strong)
        if len(keys) > 1 and len(common):
            differences[players] = values[keys[-1]][np.isin(strong, common)] - values[keys[0]][np.isin(weak, common)]
    found = intervals.simultaneous(
        list(differences.values()), confidence=confidence, samples=samples, seed=seed, limits=(-1.0, 1.0)
    )
    return dict(zip(differences, found, strict=True))


def verdict_plot(verdicts: Sequence[RoleVerdict], tolerance: float, name: str) -> str:
    """The effects of the roles at one number of players, a row for each role and strength, and the tolerance."""
    strengths = list(verdicts[0].estimates)
    effects = [[plots.scaled(verdict.estimates[strength]) for strength in strengths] for verdict in verdicts]
    half = 1.12 * max(2 * 100 * tolerance, *plots.ends_of([effect for row in effects for effect in row]))
    labels = [verdict.role for verdict in verdicts]
    step = 0.8 / max(3, len(strengths))
    with own_style():
        figure, axes = figure_of_rows(labels, (0.2 + 0.13 * max(3, len(strengths))) * len(labels), above=plots.LEGEND)
        bound = 100 * tolerance
        axes.axvspan(-bound, bound, facecolor=plots.LIGHT, linewidth=0)
        for edge in (-bound, bound):
            axes.axvline(edge, color=LINE, linewidth=1)
        axes.axvline(0, color=TEXT, linewidth=1, linestyle=(0, (4, 3)))
        for row, (verdict, estimates) in enumerate(zip(verdicts, effects, strict=True)):
            for place, (strength, estimate) in enumerate(zip(strengths, estimates, strict=True)):
                height = row + (place - (len(strengths) - 1) / 2) * step
                plots.draw_interval(
                    axes,
                    estimate,
                    height,
                    plots.MARKERS[place % len(plots.MARKERS)],
                    _is_out(verdict.statuses[strength]),
                )
            if row:
                axes.axhline(row - 0.5, color=LINE, linewidth=0.6)
        plots.draw_rows(axes, labels, -half, half)
        plots.draw_legend(axes, strengths)
        axes.set_xlabel("effect: win share minus fair share, percentage points (band: tolerance; filled: outside it)")
        return to_svg(figure, name, "Effect of each role with simultaneous intervals", plots.PAGE)


def _is_out(status: Status) -> bool:
    return status in ("over", "under")


# If more further blocks than this are needed, a study is not worth continuing.
_MANY_BLOCKS = 50_000


def overview_plot(verdicts: Sequence[RoleVerdict], tolerance: float, name: str) -> str:
    """The effect of each role at the strongest level, with a panel for each number of players.

    The shape says the verdict, as the signs of `VERDICTS` do; what lies outside the tolerance is filled and coloured.
    """
    tables = sorted({verdict.players for verdict in verdicts})
    names = list(dict.fromkeys(verdict.role for verdict in verdicts))
    labels = [name_of_role(role) for role in names]
    effects = {(one.players, one.role): plots.scaled(one.strongest) for one in verdicts}
    with own_style():
        figure, panels = plots.effect_panels(
            labels, tables, 100 * tolerance, list(effects.values()), row=0.42, above=plots.LEGEND
        )
        for verdict in verdicts:
            row, effect = names.index(verdict.role), effects[verdict.players, verdict.role]
            _draw_verdict(panels[verdict.players], effect, row, verdict.verdict)
        return to_svg(figure, name, "Effect of each role at the strongest play, by number of players", plots.PAGE)


def _draw_verdict(axes: Axes, effect: Estimate, row: int, verdict: Verdict) -> None:
    up, out = "over" in verdict, verdict in (*OVER, *UNDER)
    marker = "o" if verdict in ("fine", "undecided") else "^" if up else "v"
    colour = (plots.STRONG if up else plots.WEAK) if out else TEXT
    if np.isfinite(effect.low):
        axes.plot(effect[1:], (row, row), color=colour, linewidth=2.2 if out else 1.3, solid_capstyle="butt")
    face = colour if out or verdict == "fine" else plots.PAPER
    size = 8.5 if verdict.startswith("clearly") else 6.5
    axes.plot([effect.value], [row], marker, color=colour, markersize=size, markerfacecolor=face, markeredgewidth=1.1)


def verdict_section(study: Study, verdicts: Sequence[RoleVerdict]) -> Section:
    """Verdicts: an overview, then a table and a plot for each number of players."""
    title = "Verdicts"
    if not verdicts:
        return Section(title, (NOT_PLAYED,))
    plan, roles = study.plan, study.game.require("roles")
    bound, twice = f"{100 * plan.tolerance:g}", f"{100 * CLEARLY * plan.tolerance:g}"
    strongest, weakest = label_of(plan.strengths[-1]), label_of(plan.strengths[0])
    rule = (
        f"The verdict is that of the strongest play, {strongest}'s. {with_article(roles.title).capitalize()} is too"
        f" strong or too weak if the interval of its win share lies more than {bound} percentage points from the fair"
        f" share, clearly so if it lies more than {twice} points from it, and fine if it lies within {bound} points. An"
        " interval that crosses this bound but not the fair share makes it slightly strong or weak; it may still pass."
        " Otherwise the verdict is undecided. The intervals in this section are simultaneous: with 95 % confidence, all"
        " of them contain the true value."
    )
    when = (
        "The rule was fixed before the first game."
        if plan.rule == plans.RULE
        else "The study was planned when another rule was in force, by which any strength could make a role too strong."
        " The verdicts shown here follow the present rule, which was not fixed before the first game."
    )
    by_key = {(verdict.role, verdict.players): verdict for verdict in verdicts}
    players = sorted({verdict.players for verdict in verdicts})
    overview = tuple(
        table_row(name_of_role(name), *(_overview_cell(by_key.get((name, count))) for count in players))
        for name in roles.names
    )
    tables = [
        ReportTable(
            f"Verdicts at the strongest play ({strongest})",
            (roles.title, *(players_words(player) for player in players)),
            overview,
            texts=True,
        )
    ]
    pictures = []
    for count in players:
        own = [verdict for verdict in verdicts if verdict.players == count]
        several = len(own[0].estimates) > 1
        columns = (
            roles.title,
            "verdict",
            "fair share",
            *(f"{label_of(agent)}: effect" for agent in own[0].estimates),
            *((f"beginners ({weakest})", "with better play") if several else ()),
            "in plain words",
        )
        rows = tuple(
            table_row(
                name_of_role(verdict.role),
                _verdict_cell(verdict.verdict),
                percent(1 / count),
                *(_effect_with_status(verdict, agent) for agent in verdict.estimates),
                *((_verdict_cell(verdict.beginners), _trend_cell(verdict)) if several else ()),
                in_plain_words(verdict, study.plan.tolerance),
            )
            for verdict in own
        )
        blocks = ", ".join(f"{label_of(agent)} {blocks:,}" for agent, blocks in own[0].blocks.items())
        note = (
            "The effect is the win share minus the fair share, in percentage points, with its simultaneous interval."
            " ▲ means that the interval lies above the tolerance, ▼ that it lies below, ● that it lies within, and ○"
            " that this is undecided."
            + (
                f" With better play: how the effect changes from {weakest} to {strongest}, on common blocks; these"
                " intervals are simultaneous among themselves."
                if several
                else ""
            )
            + f" Blocks played, of {len(roles.names)} games each: {blocks}."
        )
        tables.append(ReportTable(players_words(count), columns, rows, (note,), texts=True))
        shown = [_with_labels(verdict) for verdict in own]
        pictures.append((players_words(count), verdict_plot(shown, plan.tolerance, f"verdicts-{count}")))
    return Section(title, (rule, when), tuple(tables), tuple(pictures))


def effects_by_strength(verdicts: Sequence[RoleVerdict]) -> dict[int, dict[str, list[float]]]:
    """The effect of each role, in win shares, by number of players and strength of the players."""
    effects: dict[int, dict[str, list[float]]] = {}
    for verdict in verdicts:
        for agent, estimate in verdict.estimates.items():
            effects.setdefault(verdict.players, {}).setdefault(agent, []).append(estimate.value)
    return effects


def in_plain_words(verdict: RoleVerdict, tolerance: float) -> str:
    """A verdict as a sentence or two."""
    estimate, bound = verdict.strongest, f"{100 * tolerance:g} points"
    certain = number(100 * (estimate.low if estimate.low > 0 else -estimate.high))
    if verdict.verdict in OVER:
        said = f"Wins too often: at least {certain} points above the fair share."
    elif verdict.verdict in UNDER:
        said = f"Wins too rarely: at least {certain} points below the fair share."
    elif verdict.verdict == "fine":
        said = f"Within {bound} of the fair share."
    elif verdict.verdict == "undecided":
        said = "Neither an advantage nor a disadvantage is known."
    else:
        side = "above" if verdict.verdict == "slightly over" else "below"
        said = f"Certainly {side} the fair share, perhaps by less than {bound}."
    if verdict.verdict not in (*OVER, *UNDER, "fine"):
        needed = verdict.blocks_needed
        said += f" About {needed:,} further blocks would probably decide." if needed else ""
        if needed is None or needed > _MANY_BLOCKS:
            said = said.partition(" About")[0]
            said += " The share may lie too close to the tolerance for any reasonable number of games to decide."
    if verdict.beginners is not None and verdict.beginners != verdict.verdict:
        said += f" Beginners: {VERDICT_WORDS[verdict.beginners]}."
    return said


def _overview_cell(verdict: RoleVerdict | None) -> TableCell:
    """The verdict on a role at one number of players, with its effect as the detail."""
    if verdict is None:
        return NO_ENTRY
    return replace(_verdict_cell(verdict.verdict), detail=effect_words(verdict.strongest))


def _verdict_cell(verdict: Verdict | None) -> TableCell:
    return NO_ENTRY if verdict is None else TableCell(VERDICTS[verdict], colour=VERDICT_COLOURS[verdict])


def _trend_cell(verdict: RoleVerdict) -> TableCell:
    if verdict.change is None:
        return NO_ENTRY
    return TableCell(TRENDS[verdict.trend], effect_words(verdict.change))


def _effect_with_status(verdict: RoleVerdict, agent: str) -> TableCell:
    plain = effect_cell(verdict.estimates[agent])
    return TableCell(f"{STATUSES[verdict.statuses[agent]]} {plain.text}", plain.detail)


def _with_labels(verdict: RoleVerdict) -> RoleVerdict:
    """A verdict with short names of agents, for a plot."""
    return replace(
        verdict,
        role=name_of_role(verdict.role),
        estimates={label_of(agent): one for agent, one in verdict.estimates.items()},
        statuses={label_of(agent): one for agent, one in verdict.statuses.items()},
    )


def verdict_findings(verdicts: Sequence[RoleVerdict]) -> tuple[str, ...]:
    """What is too strong, what is too weak, and the rest, each in a sentence."""
    rest = tuple(kind for kind in VERDICTS if kind not in (*OVER, *UNDER))
    found: list[str] = []
    for kinds in (OVER, UNDER, rest):
        named = []
        for kind in kinds:
            own = ((name_of_role(one.role), one.players) for one in verdicts if one.verdict == kind)
            if tables := at_tables(own):
                named.append(f"{VERDICT_WORDS[kind]}: {', '.join(tables)}")
        if named:
            text = "; ".join(named)
            found.append(f"{text[:1].upper()}{text[1:]}.")
    return tuple(found)

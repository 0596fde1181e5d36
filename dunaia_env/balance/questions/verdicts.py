"""Verdicts on roles: the rule by which a study decides, fixed before it is run.

The *effect* of a role is its mean win share minus the fair share. Each strength of the players gives an estimate of it,
with an interval that is simultaneous with all others of the study (`dunaia_env.balance.intervals.simultaneous`).

1. The *status* of one estimate compares its whole interval with the tolerance: ``over`` if it lies above the tolerance,
   ``under`` if it lies below minus the tolerance, ``fine`` if it lies between the two, else ``open``.
2. The *verdict* on a role at one number of players combines the strengths: ``over`` if the role is over at any
   strength; ``under`` if it is under at all strengths; ``fine`` if neither holds and no strength is open; else
   ``not enough data``. A role that is too strong for some players spoils the game for all, while one that is too weak
   for some players may have to be learned. (Riot Games judges its champions in this way: "overpowered" in any of four
   groups of players, "underpowered" only in all; see its Champion Balance Framework, 2019.)

If no effect of a study exceeds the tolerance, the probability that the study calls any role over or under is less than
5 %.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtri

from dunaia_env.balance import intervals, plots
from dunaia_env.balance.games import Games
from dunaia_env.balance.study import Study
from dunaia_env.balance.wording import (
    NO_ENTRY,
    NOT_PLAYED,
    STATUSES,
    Status,
    at_tables,
    effect_cell,
    label_of,
    name_of_role,
    number,
    percent,
    players_words,
    when_played_by,
    with_article,
)
from dunaia_env.reports.drawing import LINE, TEXT, figure_of_rows, own_style, to_svg
from dunaia_env.reports.parts import ReportTable, Section, TableCell, table_row
from dunaia_env.statistics.intervals import CONFIDENCE, SAMPLES, Estimate, Floats, round_portably
from dunaia_env.support.english import listed

# The shapes say the same as the words and colours.
VERDICTS: dict[Verdict, str] = {
    "over": "▲\u00a0too\u00a0strong",
    "under": "▼\u00a0too\u00a0weak",
    "fine": "● fine",
    "not enough data": "○ not\u00a0enough\u00a0data",
}

VERDICT_COLOURS: dict[Verdict, float | None] = {"over": -0.8, "under": 0.8, "fine": None, "not enough data": None}


TOLERANCE = 0.03
"""The largest effect that passes as fair, in win shares."""

Verdict = Literal["over", "under", "fine", "not enough data"]
# Probability with which the computed number of further blocks suffices.
_PROBABLY = 0.8


@dataclass(frozen=True)
class RoleVerdict:
    """The verdict on a role at one number of players.

    Attributes:
        role: name of the role.
        players: number of players.
        estimates: effect with its interval, by strength.
        statuses: status of each estimate, by strength.
        verdict: see the module.
        detected: the strengths at which the interval excludes 0. There, some difference from the fair share is certain,
            whether within the tolerance or not.
        blocks: number of blocks played, by strength.
        blocks_needed: number of further blocks after which no strength would be open with a probability of 80 %, if the
            estimates were the true effects; 0 if there is a verdict; None if no number of blocks suffices, or if too
            few were played to tell.
    """

    role: str
    players: int
    estimates: dict[str, Estimate]
    statuses: dict[str, Status]
    verdict: Verdict
    detected: tuple[str, ...]
    blocks: dict[str, int]
    blocks_needed: int | None


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


def verdict_of(statuses: Iterable[Status]) -> Verdict:
    """The verdict on a role from its status at each strength, see the module; ``not enough data`` without a status."""
    found = list(statuses)
    if "over" in found:
        return "over"
    if not found or "open" in found:
        return "not enough data"
    return "under" if set(found) == {"under"} else "fine"


def is_detected(estimate: Estimate) -> bool:
    """Whether the interval of an effect excludes 0."""
    return estimate.low > 0 or estimate.high < 0


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
    verdicts = []
    for players in sorted({players for players, _ in games}):
        keys = [key for key in games if key[0] == players]
        for role, name in enumerate(roles):
            estimates = {strength: effects[players, strength][role] for _, strength in keys}
            statuses = {strength: status_of(one, tolerance) for strength, one in estimates.items()}
            verdict = verdict_of(statuses.values())
            blocks = {key[1]: len(values[key]) for key in keys}
            further = [
                blocks_to_decide(estimates[strength], errors[players, strength][role], blocks[strength], tolerance)
                for strength in estimates
            ]
            known = [number for number in further if number is not None]
            verdicts.append(
                RoleVerdict(
                    role=name,
                    players=players,
                    estimates=estimates,
                    statuses=statuses,
                    verdict=verdict,
                    detected=tuple(strength for strength, one in estimates.items() if is_detected(one)),
                    blocks=blocks,
                    blocks_needed=_blocks_needed(verdict, known, len(further)),
                )
            )
    return verdicts


def _blocks_needed(verdict: Verdict, known: Sequence[int], strengths: int) -> int | None:
    if verdict != "not enough data":
        return 0
    return max(known) if len(known) == strengths else None


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


def verdict_section(study: Study, verdicts: Sequence[RoleVerdict]) -> Section:
    """Verdicts: an overview, then a table and a plot for each number of players."""
    title = "Verdicts"
    if not verdicts:
        return Section(title, (NOT_PLAYED,))
    plan, roles = study.plan, study.game.require("roles")
    bound = f"{100 * plan.tolerance:g}"
    several = len(plan.strengths) > 1
    strengths = listed([label_of(agent) for agent in plan.strengths], "or")
    any_strength = f"at any strength of the players ({strengths})" if several else when_played_by(plan.strengths)
    rule = (
        f"The rule was fixed before the first game. {with_article(roles.title).capitalize()} is too strong if the"
        f" interval of its win share lies more than {bound} percentage points above the fair share {any_strength}. It"
        f" is too weak if the interval lies more than {bound} points below the fair share"
        f"{' at every strength' if several else ''}. If neither holds and an interval crosses one of these two bounds,"
        f" there are not enough data; otherwise the {roles.title} is fine. The intervals in this section are"
        " simultaneous: with 95 % confidence, all of them contain the true value."
    )
    by_key = {(verdict.role, verdict.players): verdict for verdict in verdicts}
    players = sorted({verdict.players for verdict in verdicts})
    overview = tuple(
        table_row(name_of_role(name), *(_verdict_cell(by_key.get((name, count))) for count in players))
        for name in roles.names
    )
    tables = [
        ReportTable("All verdicts", (roles.title, *(players_words(player) for player in players)), overview, texts=True)
    ]
    pictures = []
    for count in players:
        own = [verdict for verdict in verdicts if verdict.players == count]
        columns = (
            roles.title,
            "verdict",
            "fair share",
            *(f"{label_of(agent)}: effect" for agent in own[0].estimates),
            "in plain words",
        )
        rows = tuple(
            table_row(
                name_of_role(verdict.role),
                _verdict_cell(verdict),
                percent(1 / count),
                *(_effect_with_status(verdict, agent) for agent in verdict.estimates),
                in_plain_words(verdict, study.plan.tolerance),
            )
            for verdict in own
        )
        blocks = ", ".join(f"{label_of(agent)} {blocks:,}" for agent, blocks in own[0].blocks.items())
        note = (
            "The effect is the win share minus the fair share, in percentage points, with its simultaneous interval."
            " ▲ means that the interval lies above the tolerance, ▼ that it lies below, ● that it lies within, and ○"
            f" that this is undecided. Blocks played, of {len(roles.names)} games each: {blocks}."
        )
        tables.append(ReportTable(players_words(count), columns, rows, (note,), texts=True))
        shown = [_with_labels(verdict) for verdict in own]
        pictures.append((players_words(count), verdict_plot(shown, plan.tolerance, f"verdicts-{count}")))
    return Section(title, (rule,), tuple(tables), tuple(pictures))


def effects_by_strength(verdicts: Sequence[RoleVerdict]) -> dict[int, dict[str, list[float]]]:
    """The effect of each role, in win shares, by number of players and strength of the players."""
    effects: dict[int, dict[str, list[float]]] = {}
    for verdict in verdicts:
        for agent, estimate in verdict.estimates.items():
            effects.setdefault(verdict.players, {}).setdefault(agent, []).append(estimate.value)
    return effects


def in_plain_words(verdict: RoleVerdict, tolerance: float) -> str:
    """A verdict as a sentence."""
    bound = f"{100 * tolerance:g} points"

    def where(status: str) -> str:
        named = [agent for agent, one in verdict.statuses.items() if one == status]
        everywhere = len(named) == len(verdict.statuses)
        return "at every strength" if everywhere and len(named) > 1 else when_played_by(named)

    if verdict.verdict == "over":
        lows = [estimate.low for agent, estimate in verdict.estimates.items() if verdict.statuses[agent] == "over"]
        points = f"at least {number(100 * max(lows))} points above the fair share"
        return f"Wins too often {where('over')}: {'for one of them, ' if len(lows) > 1 else ''}{points}."
    if verdict.verdict == "under":
        most = max(estimate.high for estimate in verdict.estimates.values())
        return f"Wins too rarely {where('under')}: at least {number(-100 * most)} points below the fair share."
    if verdict.verdict == "fine":
        if "under" in verdict.statuses.values():
            return (
                f"Too weak {where('under')}, but within {bound} of the fair share {where('fine')}: players may have to"
                " learn how to use it."
            )
        known = f" Its share certainly differs from the fair share {when_played_by(verdict.detected)}."
        return f"Within {bound} of the fair share {where('fine')}.{known if verdict.detected else ''}"
    needed = verdict.blocks_needed
    further = f" About {needed:,} further blocks would probably decide." if needed else ""
    if needed is None or needed > _MANY_BLOCKS:
        further = " The share may lie too close to the tolerance for any reasonable number of games to decide."
    return f"Undecided {where('open')}.{further}"


def _verdict_cell(verdict: RoleVerdict | None) -> TableCell:
    if verdict is None:
        return NO_ENTRY
    return TableCell(VERDICTS[verdict.verdict], colour=VERDICT_COLOURS[verdict.verdict])


def _effect_with_status(verdict: RoleVerdict, agent: str) -> TableCell:
    plain = effect_cell(verdict.estimates[agent])
    return TableCell(f"{STATUSES[verdict.statuses[agent]]} {plain.text}", plain.detail)


def _with_labels(verdict: RoleVerdict) -> RoleVerdict:
    """A verdict with short names of agents, for a plot."""
    return RoleVerdict(
        name_of_role(verdict.role),
        verdict.players,
        {label_of(agent): one for agent, one in verdict.estimates.items()},
        {label_of(agent): one for agent, one in verdict.statuses.items()},
        verdict.verdict,
        verdict.detected,
        verdict.blocks,
        verdict.blocks_needed,
    )


def verdict_findings(verdicts: Sequence[RoleVerdict]) -> tuple[str, ...]:
    """The verdicts in a few sentences."""
    found: list[str] = []
    for kind, words in (("over", "Too strong"), ("under", "Too weak")):
        if named := at_tables(
            (name_of_role(verdict.role), verdict.players) for verdict in verdicts if verdict.verdict == kind
        ):
            found.append(f"{words}: {'; '.join(named)}.")
    fine = sum(verdict.verdict == "fine" for verdict in verdicts)
    unknown = sum(verdict.verdict == "not enough data" for verdict in verdicts)
    count = len(verdicts)
    if fine:
        found.append(f"Fine: {fine} of {count} verdicts.")
    if unknown:
        found.append(f"Not enough data: {unknown} of {count} verdicts.")
    return tuple(found)


def largest_effect(study: Study, verdicts: Sequence[RoleVerdict]) -> tuple[str, ...]:
    """A sentence on the largest effect of all; empty without a verdict."""
    largest = max(
        ((verdict, agent, estimate) for verdict in verdicts for agent, estimate in verdict.estimates.items()),
        key=lambda entry: abs(entry[2].value) if math.isfinite(entry[2].value) else -1.0,
        default=None,
    )
    if largest is None:
        return ()
    one, agent, estimate = largest
    value, low, high = (number(100 * end, sign=True) for end in estimate)
    found = (
        f"Of all {study.game.require('roles').title}s, the {name_of_role(one.role)} has the largest effect: "
        f"{value} points ({low} to {high}) with {players_words(one.players)}, {when_played_by([agent])}."
    )
    return (found,)

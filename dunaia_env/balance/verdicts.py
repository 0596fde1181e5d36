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

from dunaia_env.arena.intervals import CONFIDENCE, SAMPLES, Estimate, Floats, round_portably
from dunaia_env.balance.games import Games
from dunaia_env.balance.intervals import block_numbers, role_blocks, simultaneous, standard_errors

TOLERANCE = 0.03
"""The largest effect that passes as fair, in win shares."""

Status = Literal["over", "under", "fine", "open"]
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
        raise ValueError(f"tolerance: {tolerance}; a win share above 0 and below 1 is needed")
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
            raise ValueError(f"{strength}: games of {one.seats} players; {players} are needed")
        values[players, strength] = role_blocks(one, one.shares, names) - 1 / players
    # Strengths that played the same blocks depend on one another, so they belong in one stratum.
    strata: dict[tuple[int, bytes], list[tuple[int, str]]] = {}
    for key, one in games.items():
        strata.setdefault((key[0], block_numbers(one).tobytes()), []).append(key)
    found = simultaneous(
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
    errors = {key: standard_errors(one).tolist() for key, one in values.items()}
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

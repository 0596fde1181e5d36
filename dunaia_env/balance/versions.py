"""Two versions of the components compared: whose share of the wins comes closer to the fair share, on common blocks.

The *effect* of a role is its mean win share minus the fair share. Both versions are played on the same blocks, so the
luck of a block cancels out of the change of an effect.

A role's share is *better* with the version after if its effect certainly became smaller, whichever sign it has, and
*worse* if it certainly became larger. The effects before and after may lie on two sides of 0, so this is decided
without absolute values, whose estimates are biased near 0: the effect after is smaller than that before if and only if
the change of the effect and the mean of both effects have opposite signs, because the difference of their squares is
twice the product of the two. A sign is certain if the interval lies on one side of 0. The claim thus needs two certain
signs, as in an intersection-union test (Berger, 1982, "Multiparameter hypothesis testing and acceptance sampling").
The intervals of the changes and of the means are simultaneous over all roles, numbers of players and levels, so with
95 % confidence no claim of the comparison is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from dunaia_env.balance import intervals, paired
from dunaia_env.balance.games import Games
from dunaia_env.balance.questions.fun import FunChange
from dunaia_env.balance.questions.verdicts import TOLERANCE, Verdict, judge, verdict_of
from dunaia_env.balance.whatif_pages import is_clear
from dunaia_env.statistics.intervals import Estimate

Outcome = Literal["better", "worse", "no clear change"]
# The games of both versions, before and after, by number of players and level.
Played = Mapping[tuple[int, str], tuple[Games, Games]]


class Version(NamedTuple):
    """A version of the components.

    Attributes:
        label: the file, or words for the game's own.
        components: hash of the components.
    """

    label: str
    components: str


class Difference(NamedTuple):
    """A value that differs between two versions; as text, empty where a version has no such value.

    Attributes:
        path: path of the value.
        before, after: the value in each version.
    """

    path: str
    before: str
    after: str


class ShareChange(NamedTuple):
    """How the effect of a role changes; both estimates are in win shares.

    Attributes:
        change: the effect after minus the effect before.
        middle: the mean of both effects.
    """

    change: Estimate
    middle: Estimate


@dataclass(frozen=True)
class RoleChange:
    """How the share of a role changes from one version to the other, at one number of players and level of play.

    Attributes:
        role: name of the role.
        players: number of players.
        level: the agent in all seats.
        before, after: its win share with each version; the intervals are simultaneous over all roles, numbers of
            players and levels of the version.
        change: ``after`` minus ``before``, with a simultaneous interval, see the module.
        middle: mean of the effects before and after, with a simultaneous interval.
        outcome: whether the share is closer to the fair share.
        verdict_before, verdict_after: where the interval lies with each version. At the strongest level, these are the
            verdicts of `dunaia_env.balance.questions.verdicts`.
    """

    role: str
    players: int
    level: str
    before: Estimate
    after: Estimate
    change: Estimate
    middle: Estimate
    outcome: Outcome
    verdict_before: Verdict
    verdict_after: Verdict

    @property
    def fair(self) -> float:
        """The fair share."""
        return 1 / self.players


@dataclass(frozen=True)
class Comparison:
    """Two versions of a component file side by side.

    Attributes:
        game: name of the game.
        title: its title.
        role_title: what it calls a role.
        options: the options that differ from the game's defaults, as words of a command line.
        before, after: the versions.
        differences: the values in which they differ; empty if the game's values have no paths.
        players: numbers of players.
        levels: the agents, from weak to strong; the last one decides the verdicts.
        tolerance: largest effect that passes as fair, in win shares.
        precision: half-width that the intervals of the changes were to reach.
        half_width: half-width of the longest of them.
        seed: the seed from which the game seeds follow.
        blocks: number of common blocks of each level, by number of players.
        games: number of games that were played, with both versions together.
        roles: how the shares change, by number of players, role and level.
        fun: how what games are like changes at the strongest level.
    """

    game: str
    title: str
    role_title: str
    options: dict[str, str]
    before: Version
    after: Version
    differences: tuple[Difference, ...]
    players: tuple[int, ...]
    levels: tuple[str, ...]
    tolerance: float
    precision: float
    half_width: float
    seed: int
    blocks: dict[int, int]
    games: int
    roles: tuple[RoleChange, ...]
    fun: tuple[FunChange, ...]

    @property
    def strongest(self) -> str:
        """The agent that decides the verdicts."""
        return self.levels[-1]

    @property
    def role_names(self) -> list[str]:
        """The names of the roles."""
        return list(dict.fromkeys(change.role for change in self.roles))

    def at_level(self, level: str) -> list[RoleChange]:
        """How the shares change at a level, by number of players and role."""
        return [change for change in self.roles if change.level == level]


def outcome_of(change: Estimate, middle: Estimate) -> Outcome:
    """Whether an effect came closer to 0, see the module.

    Args:
        change: the effect after minus the effect before.
        middle: the mean of both effects.
    """
    if not (is_clear(change) and is_clear(middle)):
        return "no clear change"
    return "worse" if (change.low > 0) == (middle.low > 0) else "better"


def share_changes(
    played: Played, roles: int, *, samples: int = paired.SAMPLES, seed: int = 0
) -> dict[tuple[int, str], list[ShareChange]]:
    """How the effect of each role changes, by number of players and level; all intervals are simultaneous.

    Args:
        played: games with assigned roles; all levels of a number of players have the same blocks.
        roles: R, the number of roles.
        samples: number of resamples.
        seed: seed of the resampling.

    Raises `ValueError` if the games of a number of players are not on the same blocks, or lack a role in a block.
    """
    strata = []
    tables = {players: [key for key in played if key[0] == players] for players, _ in played}
    for players, keys in tables.items():
        numbers = [intervals.block_numbers(games) for key in keys for games in played[key]]
        if not all(np.array_equal(numbers[0], other) for other in numbers):
            raise ValueError(f"{players} players: expected both versions and all levels on the same blocks, got others")
        columns = []
        for key in keys:
            before, after = (intervals.role_blocks(games, games.shares, roles) - 1 / players for games in played[key])
            columns += [after - before, (before + after) / 2]
        # Levels that played the same blocks depend on one another, so they belong in one stratum.
        strata.append(np.hstack(columns))
    found = intervals.simultaneous(strata, samples=samples, seed=seed, limits=(-1.0, 1.0))
    changes: dict[tuple[int, str], list[ShareChange]] = {}
    for keys, estimates in zip(tables.values(), found, strict=True):
        rest = iter(estimates)
        for key in keys:
            change, middle = ([next(rest) for _ in range(roles)] for _ in range(2))
            changes[key] = [ShareChange(*both) for both in zip(change, middle, strict=True)]
    return changes


def role_changes(played: Played, roles: Sequence[str], *, tolerance: float = TOLERANCE) -> tuple[RoleChange, ...]:
    """How the shares of all roles change, by number of players, role and level.

    Args:
        played: games with assigned roles; the levels of a number of players are in order, from weak to strong, and have
            the same blocks.
        roles: names of the roles.
        tolerance: see `dunaia_env.balance.questions.verdicts`.

    Raises the errors of `share_changes` and of `dunaia_env.balance.questions.verdicts.judge`.
    """
    changes = share_changes(played, len(roles))
    before, after = (
        judge({key: games[version] for key, games in played.items()}, roles, tolerance=tolerance)
        for version in range(2)
    )
    return tuple(
        RoleChange(
            role=old.role,
            players=old.players,
            level=level,
            before=_share(old.estimates[level], old.players),
            after=_share(new.estimates[level], new.players),
            change=found.change,
            middle=found.middle,
            outcome=outcome_of(found.change, found.middle),
            verdict_before=verdict_of(old.estimates[level], tolerance),
            verdict_after=verdict_of(new.estimates[level], tolerance),
        )
        for old, new in zip(before, after, strict=True)
        for level in old.estimates
        for found in [changes[old.players, level][roles.index(old.role)]]
    )


def _share(effect: Estimate, players: int) -> Estimate:
    """The win share that belongs to an effect."""
    return Estimate(*(number + 1 / players for number in effect))

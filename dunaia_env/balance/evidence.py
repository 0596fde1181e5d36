"""Results that other commands of the laboratory add to a report: robustness over component files, and causes."""

from __future__ import annotations

from dataclasses import dataclass

from dunaia_env.arena.intervals import Estimate
from dunaia_env.balance.screening import Screening


@dataclass(frozen=True)
class ScreenedTable:
    """How the roles do on several component files, at one number of players.

    Attributes:
        players: number of players.
        agent: the agent in all seats.
        roles: the results for each role.
        findable: the smallest correlation between a number and an effect that is named with a probability of 80 %.
    """

    players: int
    agent: str
    roles: tuple[Screening, ...]
    findable: float


@dataclass(frozen=True)
class Robustness:
    """Whether effects hold over component files.

    Attributes:
        method: how the files were drawn and played, in a sentence or two.
        tables: one table for each number of players.
    """

    method: str
    tables: tuple[ScreenedTable, ...]


@dataclass(frozen=True)
class Cause:
    """How an effect changes when something is taken away.

    Attributes:
        effect: name of the effect: "seat 0, 2 players".
        change: what was taken away or exchanged.
        before: win share without the change.
        after: win share with the change.
        difference: ``after`` minus ``before``, on common seeds.
        carried: part of the effect that disappears with the change, or of the difference between the two seats if they
            exchange their boards; NaN if it is not known whether any of it does.
    """

    effect: str
    change: str
    before: Estimate
    after: Estimate
    difference: Estimate
    carried: float = float("nan")


@dataclass(frozen=True)
class Causes:
    """Effects, and what carries them.

    Attributes:
        method: how the causes were tested, in a sentence or two.
        rows: the tests.
        findings: conclusions from the tests, one paragraph for each study of causes.
    """

    method: str
    rows: tuple[Cause, ...]
    findings: tuple[str, ...] = ()

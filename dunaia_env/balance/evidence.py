"""What other parts of the laboratory add to a report: robustness over component files, and causes."""

from __future__ import annotations

from dataclasses import dataclass

from dunaia_env.arena.intervals import Estimate
from dunaia_env.balance.screening import Screening


@dataclass(frozen=True)
class ScreenedTable:
    """The roles on several component files at one number of players.

    Attributes:
        players: number of players.
        agent: the agent of all seats.
        roles: what the files say about each role.
        findable: the smallest correlation with a number that is named with a probability of 80 %.
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
        tables: by number of players.
    """

    method: str
    tables: tuple[ScreenedTable, ...]


@dataclass(frozen=True)
class Cause:
    """What an effect becomes when something is taken away.

    Attributes:
        effect: which effect: "seat 0, 2 players".
        change: what was taken away or exchanged.
        before: the share without the change.
        after: the share with it.
        difference: ``after`` minus ``before``, on common seeds.
        conclusion: what follows, in a few words.
    """

    effect: str
    change: str
    before: Estimate
    after: Estimate
    difference: Estimate
    conclusion: str = ""


@dataclass(frozen=True)
class Causes:
    """Effects traced to what carries them.

    Attributes:
        method: how they were tested, in a sentence or two.
        rows: the tests.
        findings: what they say together, a sentence each.
    """

    method: str
    rows: tuple[Cause, ...]
    findings: tuple[str, ...] = ()

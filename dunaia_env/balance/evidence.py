"""What other parts of the laboratory add to a report: robustness over component files, and causes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dunaia_env.arena.intervals import Estimate
from dunaia_env.balance.verdicts import Verdict


@dataclass(frozen=True)
class Robust:
    """The verdict on a role over several component files.

    Attributes:
        role: name of the role.
        players: number of players.
        verdict: with the study's own file.
        counts: number of files with each verdict.
        depends_on: the values on which the verdict hangs, in words; empty for none.
    """

    role: str
    players: int
    verdict: Verdict
    counts: Mapping[Verdict, int]
    depends_on: str = ""


@dataclass(frozen=True)
class Robustness:
    """Verdicts over component files.

    Attributes:
        method: how the files were drawn and played, in a sentence or two.
        files: number of files.
        rows: a row for each role and number of players.
    """

    method: str
    files: int
    rows: tuple[Robust, ...]


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

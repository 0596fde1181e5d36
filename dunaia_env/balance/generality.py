"""What holds everywhere: whether a finding about a role holds for all players and on most component files.

The finding is the status of the strongest agent's estimate: the role's effect lies above, below or within the
tolerance (`dunaia_env.balance.verdicts`). It is compared with the statuses at the other strengths, for other trained
agents, for players trained for the role, and on other component files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dunaia_env.balance.evidence import Robustness
from dunaia_env.balance.plans import Plan, families_of
from dunaia_env.balance.results import Results
from dunaia_env.balance.screening import MOST
from dunaia_env.balance.verdicts import Status, status_of

Conclusion = Literal["yes", "no", "open"]


@dataclass(frozen=True)
class Support:
    """How many of several agents or component files support a finding.

    Attributes:
        holds: number on which it holds.
        differs: number on which another status holds.
        tested: number on which it was tested; the rest is undecided.
    """

    holds: int
    differs: int
    tested: int


@dataclass(frozen=True)
class Generality:
    """Whether a finding about a role at one number of players holds everywhere.

    Attributes:
        role: name of the role.
        players: number of players.
        status: the finding: status of the estimate of the strongest agent.
        strengths: the strengths of the players, the strongest included.
        others: other trained agents; their intervals are simultaneous for all roles, numbers of players and agents.
        independent: number of agents with this status that were trained independently of one another, the strongest
            agent included.
        specials: players trained to hold the role, with intervals that each hold on their own.
        files: other component files, with the agent of the robustness run; none if this run could not tell the status
            on the study's own file.
        probable: estimated part of these files on which the status holds, 0..1; NaN if there are none.
    """

    role: str
    players: int
    status: Status
    strengths: Support
    others: Support
    independent: int
    specials: Support
    files: Support
    probable: float

    @property
    def complete(self) -> bool:
        """Whether other trained agents and other component files were tested."""
        return self.others.tested > 0 and self.files.tested > 0

    @property
    def conclusion(self) -> Conclusion:
        """Whether the finding holds everywhere.

        - ``no``: another status is known for an agent, or the finding probably holds on less than `MOST` of the files.
        - ``yes``: it holds at every strength, for every other agent and every player trained to hold the role, and
          probably on at least `MOST` of the files.
        - ``open``: neither is known.
        """
        players = self.strengths, self.others, self.specials
        if self.status == "open":
            return "open"
        if any(one.differs for one in players) or self.probable < MOST:
            return "no"
        return "yes" if self.complete and all(one.holds == one.tested for one in players) else "open"


def generalities_of(plan: Plan, results: Results, robustness: Robustness | None) -> tuple[Generality, ...]:
    """For each role and number of players, where the finding about it holds; without a verdict there is none."""
    strongest = plan.strengths[-1]
    others = {(one.role, one.players): one.statuses for one in results.others}
    screened = {
        (one.role, table.players): one for table in (robustness.tables if robustness else ()) for one in table.roles
    }
    names = list(dict.fromkeys(one.role for one in results.verdicts))
    moves = {(names[one.role], one.players): one.moves for one in results.learnings}
    found = []
    for verdict in results.verdicts:
        if strongest not in verdict.statuses:
            continue
        status, key = verdict.statuses[strongest], (verdict.role, verdict.players)
        by_agent = others.get(key, {})
        witnesses = [strongest, *(agent for agent, its in by_agent.items() if its == status)]
        held = [status_of(one.after, plan.tolerance) for one in moves.get(key, ()) if one.kind != "search"]
        files = screened.get(key)
        if files is not None and files.shipped != status:
            files = None
        found.append(
            Generality(
                role=verdict.role,
                players=verdict.players,
                status=status,
                strengths=_tested(status, list(verdict.statuses.values())),
                others=_tested(status, list(by_agent.values())),
                independent=len(families_of(plan, witnesses)),
                specials=_tested(status, held),
                files=Support(files.holds, files.differs, files.files) if files else Support(0, 0, 0),
                probable=files.probable if files else float("nan"),
            )
        )
    return tuple(found)


def _tested(status: Status, statuses: Sequence[Status]) -> Support:
    differs = sum(one not in (status, "open") for one in statuses)
    return Support(sum(one == status for one in statuses), differs, len(statuses))

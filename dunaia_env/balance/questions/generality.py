"""What holds everywhere: whether a finding about a role holds for all players and on most component files.

The finding is the status of the strongest agent's estimate: the role's effect lies above, below or within the
tolerance (`dunaia_env.balance.questions.verdicts`). It is compared with the statuses at the other strengths, for other
trained agents, for players trained for the role, and on other component files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dunaia_env.balance import plans, wording
from dunaia_env.balance.questions import screening, unlearned
from dunaia_env.balance.questions.verdicts import RoleVerdict, status_of
from dunaia_env.balance.study import Study
from dunaia_env.reports.parts import ReportTable, Section, TableCell, table_row
from dunaia_env.statistics.intervals import Estimate

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
        others: witnesses, agents of other kinds; their intervals are simultaneous for all roles, numbers of players and
            agents.
        independent: number of agents with this status that were trained independently of one another, the strongest
            agent included.
        specials: players trained to hold the role, with intervals that each hold on their own.
        files: other component files, with the agent of the robustness run; none if this run could not tell the status
            on the study's own file.
        probable: part of all such files on which the status holds, 0..1, with an interval; NaN if there are none.
    """

    role: str
    players: int
    status: wording.Status
    strengths: Support
    others: Support
    independent: int
    specials: Support
    files: Support
    probable: Estimate

    @property
    def complete(self) -> bool:
        """Whether witnesses and other component files were tested."""
        return self.others.tested > 0 and self.files.tested > 0

    @property
    def conclusion(self) -> Conclusion:
        """Whether the finding holds everywhere.

        - ``no``: another status is known for an agent, or the finding is known to hold on less than the part
          `dunaia_env.balance.questions.screening.MOST` of the files.
        - ``yes``: it is known to hold at every strength, for every other agent and every player trained to hold the
          role, and on at least this part of the files.
        - ``open``: neither is known.
        """
        players = self.strengths, self.others, self.specials
        if self.status == "open":
            return "open"
        if any(player.differs for player in players) or screening.on_most(self.probable) == "no":
            return "no"
        everywhere = self.complete and all(player.holds == player.tested for player in players)
        return "yes" if everywhere and screening.on_most(self.probable) == "yes" else "open"


def generalities_of(
    plan: plans.Plan,
    verdicts: Sequence[RoleVerdict],
    others: Sequence[RoleVerdict],
    learnings: Sequence[unlearned.Learning],
    robustness: screening.Robustness | None,
) -> tuple[Generality, ...]:
    """For each role and number of players, where the finding about it holds; without a verdict there is none.

    Args:
        plan: the study's plan.
        verdicts: the verdicts of the study.
        others: the same for the witnesses in the place of the levels.
        learnings: what players trained for a role change.
        robustness: the effects on other component files.
    """
    strongest = plan.strengths[-1]
    by_others = {(other.role, other.players): other.statuses for other in others}
    screened = {
        (role.role, table.players): role for table in (robustness.tables if robustness else ()) for role in table.roles
    }
    names = list(dict.fromkeys(verdict.role for verdict in verdicts))
    moves = {(names[learning.role], learning.players): learning.moves for learning in learnings}
    found = []
    for verdict in verdicts:
        if strongest not in verdict.statuses:
            continue
        status, key = verdict.statuses[strongest], (verdict.role, verdict.players)
        by_agent = by_others.get(key, {})
        witnesses = [strongest, *(agent for agent, its in by_agent.items() if its == status)]
        held = [status_of(move.after, plan.tolerance) for move in moves.get(key, ()) if move.kind != "search"]
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
                independent=len(plans.families_of(plan, witnesses)),
                specials=_tested(status, held),
                files=Support(files.holds, files.differs, files.files) if files else Support(0, 0, 0),
                probable=files.probable if files else Estimate(*(float("nan"),) * 3),
            )
        )
    return tuple(found)


def _tested(status: wording.Status, statuses: Sequence[wording.Status]) -> Support:
    differs = sum(other not in (status, "open") for other in statuses)
    return Support(sum(other == status for other in statuses), differs, len(statuses))


_FINDINGS: dict[wording.Status, str] = {"over": "too strong", "under": "too weak", "fine": "fine"}

_EVERYWHERE: dict[Conclusion, str] = {"yes": "● yes", "no": "▼ no", "open": "○ not known"}
_NOTE = (
    "A dash means that nothing was tested, or that the finding is not known. Agents trained independently: how many"
    " agents with the finding are independent of one another. Known on component files: the number of files on which"
    " the finding is certain; most files have too few games to tell. On per cent of the files: the part of all such"
    " files on which it holds, estimated without a shape for the distribution of the effects, with its interval."
)


def generality_section(study: Study, generalities: Sequence[Generality]) -> Section:
    """The section that says which findings hold for all players and on most component files."""
    title, roles = "What holds everywhere", study.game.require("roles")
    if not generalities:
        return Section(title, (wording.NOT_PLAYED,))
    strongest = wording.label_of(study.plan.strengths[-1])
    text = (
        f"For each {roles.title}, the finding is whether its effect lies above, below or within the tolerance"
        f" {wording.when_played_by([strongest])}. It holds everywhere if it is the same at every level of play, for"
        f" every witness and for every player trained to hold the {roles.title}, and if it is known to hold on at"
        " least two thirds of the other component files. It does not hold everywhere if another finding is known for"
        " one of these players, or if it is known to hold on fewer files. The intervals of the witnesses are"
        f" simultaneous, like those of section {wording.section_number('verdicts')};"
        f" the intervals of players trained for one {roles.title} are not."
    )
    columns = (
        *(roles.title, f"finding {wording.when_played_by([strongest])}", "levels", "witnesses"),
        *(
            "agents trained independently",
            "players trained for it",
            "known on component files",
            "on per cent of the files",
        ),
        "holds everywhere",
    )
    tables = tuple(
        ReportTable(
            wording.players_words(players),
            columns,
            tuple(_generality_row(generality) for generality in generalities if generality.players == players),
            (_NOTE,),
            texts=True,
        )
        for players in sorted({generality.players for generality in generalities})
    )
    return Section(title, (text, *general_findings(study, generalities)), tables)


def _generality_row(one: Generality) -> tuple[TableCell, ...]:
    known = one.status != "open"
    return table_row(
        wording.name_of_role(one.role),
        wording.status_words(one.status),
        *(_tested_words(test) if known else "–" for test in (one.strengths, one.others)),
        str(one.independent) if known else "–",
        *(_tested_words(test) if known else "–" for test in (one.specials, one.files)),
        wording.cell(one.probable, 0, scale=100) if known else "–",
        _EVERYWHERE[one.conclusion],
    )


def _tested_words(test: Support) -> str:
    if not test.tested:
        return "–"
    differs = f", differs on {test.differs}" if test.differs else ""
    return f"{test.holds} of {test.tested}{differs}"


def general_findings(study: Study, generalities: Sequence[Generality]) -> tuple[str, ...]:
    """A sentence that names the findings that hold everywhere, or says that there are none.

    Empty if no witnesses or no other component files were tested.
    """
    if not any(generality.complete for generality in generalities):
        return ()
    where = "at every level of play, for every witness and on most component files"
    named = wording.at_tables(
        (f"{wording.name_of_role(generality.role)} {_FINDINGS[generality.status]}", generality.players)
        for generality in generalities
        if generality.conclusion == "yes"
    )
    if not named:
        return (
            f"No finding about {wording.with_article(study.game.require('roles').title)} is known to hold {where}.",
        )
    return (f"{where[:1].upper()}{where[1:]}: {'; '.join(named)}.",)

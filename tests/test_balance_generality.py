"""Findings that hold everywhere: what is counted, what is concluded, and what a report says about it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from dunaia_env.balance.plans import Plan, families_of
from dunaia_env.balance.questions.generality import (
    Generality,
    Support,
    general_findings,
    generalities_of,
    generality_section,
)
from dunaia_env.balance.questions.screening import Robustness, ScreenedTable, Screening
from dunaia_env.balance.questions.unlearned import Learning, Move
from dunaia_env.balance.questions.verdicts import RoleVerdict
from dunaia_env.balance.results import Results
from dunaia_env.balance.wording import Status
from dunaia_env.harness.lineage import Ancestor, Lineage
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.statistics.intervals import Estimate
from tests.test_balance_report import imagined_study, plan_of

pytestmark = pytest.mark.once

WEAK, STRONG = Estimate(-0.1, -0.12, -0.08), Estimate(0.1, 0.08, 0.12)
ROLE = DEFAULT_GAME.require("roles").names[0]
EFFECTS: dict[Status, Estimate] = {"under": WEAK, "over": STRONG, "open": Estimate(-0.04, -0.06, -0.02)}


def verdict(statuses: dict[str, Status]) -> RoleVerdict:
    estimates = {agent: EFFECTS[status] for agent, status in statuses.items()}
    return RoleVerdict(
        ROLE, 2, estimates, statuses, "undecided", None, None, "not known", dict.fromkeys(statuses, 9), None
    )


NOTHING = Estimate(math.nan, math.nan, math.nan)
MOSTLY = Estimate(0.9, 0.8, 1.0)


def screened(probable: Estimate = MOSTLY, shipped: Status = "under", differs: int = 0) -> Robustness:
    one = Screening(ROLE, shipped, 12, 8, differs, 4 - differs, probable, -0.1, 0.01, -0.2, 0.0, ())
    return Robustness("Files were drawn.", (ScreenedTable(2, "champion", (one,), 0.5),))


def found(
    strengths: dict[str, Status] | None = None,
    others: dict[str, Status] | None = None,
    held: tuple[Estimate, ...] = (),
    robustness: Robustness | None = None,
    plan: Plan | None = None,
) -> Generality:
    """The generality of a role that is weak for two strengths and two other agents unless told."""
    moves = tuple(Move("specialist", "special", "champion", WEAK, one, Estimate(0, -0.01, 0.01), 9) for one in held)
    (one,) = generalities_of(
        plan or plan_of(("greedy", "champion")),
        (verdict(strengths or {"greedy": "under", "champion": "under"}),),
        (verdict({"one": "under", "two": "under"} if others is None else others),),
        (Learning(0, 2, "champion", WEAK, moves, None, "weak"),),
        robustness if robustness is not None else screened(),
    )
    return one


def test_a_finding_that_holds_for_all_players_and_most_files_holds_everywhere() -> None:
    one = found(held=(WEAK,))
    assert (one.role, one.players, one.status) == (ROLE, 2, "under")
    assert (one.strengths, one.others) == (Support(2, 0, 2), Support(2, 0, 2))
    assert (one.specials, one.files, one.probable) == (Support(1, 0, 1), Support(8, 0, 12), (0.9, 0.8, 1.0))
    assert one.independent == 3
    assert one.conclusion == "yes"
    # A few files may differ: the finding has to hold on most of them only.
    assert found(robustness=screened(Estimate(0.8, 0.7, 0.9), differs=2)).conclusion == "yes"


@pytest.mark.parametrize(
    "arguments",
    [
        {"strengths": {"greedy": "over", "champion": "under"}},
        {"others": {"one": "over", "two": "under"}},
        {"held": (STRONG,)},
        {"robustness": screened(Estimate(0.5, 0.4, 0.6))},
    ],
)
def test_a_finding_does_not_hold_everywhere_if_another_one_is_known_somewhere(arguments: dict[str, Any]) -> None:
    assert found(**arguments).conclusion == "no"


@pytest.mark.parametrize(
    "arguments",
    [
        {"strengths": {"greedy": "open", "champion": "under"}},
        {"strengths": {"greedy": "under", "champion": "open"}},
        {"others": {"one": "open", "two": "under"}},
        {"others": {}},
        {"held": (EFFECTS["open"],)},
        {"robustness": Robustness("No files.", ())},
        # The robustness run could not tell the status on the study's own file.
        {"robustness": screened(NOTHING, shipped="open")},
        # The interval does not decide whether the finding holds on two thirds of the files.
        {"robustness": screened(Estimate(0.6, 0.4, 0.8))},
        {"robustness": screened(Estimate(0.9, 0.6, 1.0))},
    ],
)
def test_what_is_undecided_or_untested_leaves_the_question_open(arguments: dict[str, Any]) -> None:
    assert found(**arguments).conclusion == "open"


def test_relatives_are_one_independent_agent() -> None:
    weights = [Lineage((name,)) for name in ("a", "b", "c")]
    plan = replace(
        plan_of(("greedy", "champion")),
        lineages={"champion": weights[0], "two": weights[1], "one": Lineage(("d",), (Ancestor("champion", "a"),))},
    )
    assert families_of(plan, ["champion", "one", "two"]) == [["champion", "one"], ["two"]]
    assert found(plan=plan).independent == 2
    # An agent with another finding is no witness.
    assert found(others={"one": "under", "two": "over"}, plan=plan).independent == 1


def test_other_agents_are_judged_like_the_strengths() -> None:
    others = ("another", "another+16")
    versions = dict.fromkeys(("weak one", *others), "program 1")
    results = Results(imagined_study(plan_of(("weak one",), others=others, versions=versions)))
    assert {tuple(one.statuses) for one in results.others} == {("another",)}
    assert len(results.others) == len(results.verdicts)


def test_the_report_names_the_findings_or_says_that_there_are_none() -> None:
    study = imagined_study(plan_of(("greedy", "champion")))
    weak = found()
    everywhere = (weak, replace(weak, players=3), replace(weak, role="mystic", probable=Estimate(0.5, 0.4, 0.6)))
    (said,) = general_findings(study, everywhere)
    assert said == (
        "At every level of play, for every witness and on most component files: Merchant too weak (2 and 3 players)."
    )
    (said,) = general_findings(study, everywhere[2:])
    assert said.startswith("No finding about an elite character is known to hold at every level of play")
    # Without other agents or files nothing is said.
    assert general_findings(study, (found(others={}),)) == ()
    section = generality_section(study, everywhere)
    assert [table.title for table in section.tables] == ["2 players", "3 players"]
    cells = [cell.text for cell in section.tables[0].rows[0]]
    assert cells == ["Merchant", "▼ below", "2 of 2", "2 of 2", "3", "–", "8 of 12", "90", "● yes"]
    assert section.tables[0].rows[1][-1].text == "▼ no"
    differing = found(others={"one": "over", "two": "under"})
    assert generality_section(study, (differing,)).tables[0].rows[0][3].text == "1 of 2, differs on 1"

"""What a report takes over from other runs of the laboratory, and the command that puts everything together."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dunaia_env.balance import __main__ as command, causes, robustness
from dunaia_env.balance.design import Condition
from dunaia_env.balance.intervals import role_blocks, standard_errors
from dunaia_env.balance.plans import StudyOptions, make_plan
from dunaia_env.balance.questions.causes import read_causes
from dunaia_env.balance.questions.screening import read_robustness
from dunaia_env.balance.questions.verdicts import status_of
from dunaia_env.balance.study import Study, run_conditions
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.statistics.intervals import Estimate

pytestmark = pytest.mark.once

ROLES = DEFAULT_GAME.require("roles")
SHORT = {"max_rounds": 6}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders of a small run of causes and one of robustness."""
    folder = tmp_path_factory.mktemp("runs")
    causes.main(
        causes.Options(
            agent="random",
            blocks=causes.LEAST_BLOCKS,
            events=("calls the search elder",),
            exchanges=(2,),
            delays=(),
            game_options=SHORT,
            jobs=1,
            out=folder / "causes",
        )
    )
    robustness.main(
        robustness.Options(
            agent="greedy", members=3, blocks=5, kinds=("assigned",), game_options=SHORT, jobs=1, out=folder / "files"
        )
    )
    return folder


def test_causes_are_those_of_the_file(runs: Path) -> None:
    found = read_causes([runs / "causes", runs / "causes"], ROLES)
    assert found is not None
    content = json.loads((runs / "causes" / "causes.json").read_text())
    assert len(found.rows) == 2 * len(content["causes"]) == 8
    row, first = found.rows[0], content["causes"][0]
    assert row.effect == "seat 0, 2 players, without elite characters"
    assert row.change == first["clause"]
    assert list(row.before) == list(content["share"].values())
    assert list(row.after) == list(first["share"].values())
    assert list(row.difference) == list(first["change"].values())
    assert {len(one.everybody) for one in found.rows} == {0, 2}
    assert row.rounds == (content["rounds"], first["rounds"])
    for one, stored in zip(found.rows, content["causes"], strict=False):
        assert one.carried == stored["carried"] if stored["clear"] else math.isnan(one.carried)
    assert found.findings[0] == "2 players, without elite characters: " + " ".join(content["sentences"])
    assert read_causes([], ROLES) is None


def test_robustness_screens_the_files_but_the_own_one(runs: Path) -> None:
    found = read_robustness([runs / "files"], ROLES, 0.03)
    assert found is not None
    (table,) = found.tables
    assert (table.players, table.agent) == (2, "greedy")
    assert [one.role for one in table.roles] == list(ROLES.names)
    assert {one.files for one in table.roles} == {3}
    content = json.loads((runs / "files" / "robustness.json").read_text())
    column = content["subjects"].index("assigned:mystic")
    effects = [one["effects"][column] for one in content["files"][1:]]
    mystic = table.roles[ROLES.names.index("mystic")]
    assert (mystic.least, mystic.most) == pytest.approx((min(effects), max(effects)))
    assert mystic.mean == pytest.approx(math.fsum(effects) / 3)
    assert read_robustness([], ROLES, 0.03) is None
    assert table.findable == 1 or math.isnan(table.findable)
    assert "(3 with 2 players) and played with elite characters assigned" in found.method


def test_folders_of_the_same_table_are_taken_together(runs: Path, tmp_path: Path) -> None:
    content = json.loads((runs / "files" / "robustness.json").read_text())
    own, *members = content["files"]
    path = content["paths"].index("start.tokens") if "start.tokens" in content["paths"] else 0
    fewer = [one["values"][:path] + one["values"][path + 1 :] for one in (own, members[0])]
    # The second folder has a member of the first one, and a new one; it does not name a number in which they agree.
    other = content | {
        "paths": content["paths"][:path] + content["paths"][path + 1 :],
        "files": [
            own | {"values": fewer[0], "effects": [0.5] * len(own["effects"])},
            members[0] | {"values": fewer[1], "errors": [0.9] * len(own["errors"])},
            members[0] | {"values": fewer[1], "hash": "0" * 16, "effects": [0.3] * len(own["effects"])},
        ],
    }
    (tmp_path / "robustness.json").write_text(json.dumps(other))
    both = read_robustness([runs / "files", tmp_path], ROLES, 0.03)
    alone = read_robustness([runs / "files"], ROLES, 0.03)
    assert both is not None
    assert alone is not None
    (table,), (single,) = both.tables, alone.tables
    for one, before in zip(table.roles, single.roles, strict=True):
        assert one.files == 4
        assert one.most == max(0.3, before.most)
        # The common file counts once, with the numbers of the first folder.
        assert one.mean == pytest.approx((3 * before.mean + 0.3) / 4)
    other["plan"] = content["plan"] | {"agent": "random"}
    (tmp_path / "robustness.json").write_text(json.dumps(other))
    with pytest.raises(ValueError, match="expected 'greedy', as in the other folder of 2 players, got 'random'"):
        read_robustness([runs / "files", tmp_path], ROLES, 0.03)


def test_a_study_tells_the_effects_of_the_own_file(runs: Path) -> None:
    strengths = ("greedy",)
    conditions = [Condition("assigned-2-greedy", "assigned", 2, "greedy", 40, options=SHORT)]
    games = run_conditions(DEFAULT_GAME, conditions, seed=0, jobs=1)
    plan = make_plan(StudyOptions(strengths=strengths, players=(2,)))
    study = Study(DEFAULT_GAME, tuple(conditions), games, plan, 1.0)
    alone, known, other = (
        read_robustness([runs / "files"], ROLES, 0.03, one)
        for one in (None, study, replace(study, plan=replace(plan, components="0" * 16)))
    )
    assert known is not None
    assert alone is not None
    assert other is not None
    assert [one.shipped for one in other.tables[0].roles] == [one.shipped for one in alone.tables[0].roles]
    played = games["assigned-2-greedy"]
    blocks = role_blocks(played, played.shares, len(ROLES.names)) - 0.5
    # Six intervals that hold together: Student's quantile for 1 - 0.05 / 12, nearly that of the normal distribution.
    halves = 2.638 * standard_errors(blocks)
    means = blocks.mean(axis=0)
    expected = [
        status_of(Estimate(mean, mean - half, mean + half), 0.03) for mean, half in zip(means, halves, strict=True)
    ]
    assert [one.shipped for one in known.tables[0].roles] == expected
    assert len(set(expected)) > 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 9}, "format and version"),
        ({"blocks": "many"}, "blocks: expected a 64-bit integer, got 'many'"),
        ({"share": {"value": None, "low": None, "high": None}}, "share.value"),
    ],
)
def test_damaged_causes_are_refused(runs: Path, tmp_path: Path, change: dict[str, Any], message: str) -> None:
    content = json.loads((runs / "causes" / "causes.json").read_text())
    (tmp_path / "causes.json").write_text(json.dumps(content | change))
    with pytest.raises(ValueError, match=rf"causes\.json: .*{message}"):
        read_causes([tmp_path], ROLES)


def test_damaged_robustness_is_refused(runs: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"robustness\.json"):
        read_robustness([tmp_path], ROLES, 0.03)
    content = json.loads((runs / "files" / "robustness.json").read_text())
    (tmp_path / "robustness.json").write_text(json.dumps(content | {"files": content["files"][:1]}))
    with pytest.raises(
        ValueError, match=r"robustness\.json: expected the game's own file and at least one more, got 1"
    ):
        read_robustness([tmp_path], ROLES, 0.03)
    (tmp_path / "robustness.json").write_text(json.dumps(content | {"subjects": content["subjects"][1:]}))
    with pytest.raises(ValueError, match="assigned:merchant"):
        read_robustness([tmp_path], ROLES, 0.03)


@pytest.mark.long
def test_the_command_plays_and_reports(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = command.Options(
        out=tmp_path,
        strengths=("random",),
        players=(2,),
        precision=0.3,
        pilot=5,
        powers=False,
        jobs=1,
        causes=(runs / "causes",),
        robustness=(runs / "files",),
    )
    study = command.main(options, "the command")
    assert study.plan.command == "the command"
    assert f"Report: {tmp_path / 'report.html'}" in capsys.readouterr().out
    report = json.loads((tmp_path / "report.json").read_text())
    assert len(report["causes"]["rows"]) == 4
    assert len(report["robustness"]["tables"]) == 1
    page = (tmp_path / "report.html").read_text()
    assert "calls the search elder" in page
    before = (tmp_path / "report.md").read_bytes()
    command.main(command.Options(**{**vars(options), "report_only": True}))
    assert (tmp_path / "report.md").read_bytes() == before


@pytest.mark.parametrize(("option", "value"), [("precision", 0.0), ("tolerance", -1.0), ("pilot", 0), ("seed", -1)])
def test_numbers_out_of_range_are_refused(tmp_path: Path, option: str, value: float) -> None:
    with pytest.raises(ValueError, match=option):
        command.main(command.Options(out=tmp_path / "none", **{option: value}))
    assert not (tmp_path / "none").exists()

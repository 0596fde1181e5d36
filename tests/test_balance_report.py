"""Reports of studies of balance: complete, the same twice, alone on a page, honest about what is missing."""

from __future__ import annotations

import functools
import itertools
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dunaia_env import replay
from dunaia_env.balance import playing, wording
from dunaia_env.balance.games import CURVE_ROUNDS, Games
from dunaia_env.balance.plans import Extension, Plan
from dunaia_env.balance.playing import Work, play
from dunaia_env.balance.questions.causes import CauseTest, CauseTests
from dunaia_env.balance.questions.screening import Association, Robustness, ScreenedTable, Screening
from dunaia_env.balance.questions.unlearned import Conclusion, Learning, Move, _learning_sentences
from dunaia_env.balance.questions.verdicts import RoleVerdict, in_plain_words, status_of, verdict_of
from dunaia_env.balance.report import FORMAT, VERSION, make_report
from dunaia_env.balance.results import Results
from dunaia_env.balance.simulation import World, draw_games, planted_world
from dunaia_env.balance.study import Study, first_conditions
from dunaia_env.balance.validation import Rate, StatementRate, TableValidation, Validation
from dunaia_env.balance.wording import label_of, number, when_played_by, with_article
from dunaia_env.harness.lineage import Ancestor, Lineage
from dunaia_env.harness.opponents import RandomAgent
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.harness.seeds import block_seed
from dunaia_env.render.html import inline
from dunaia_env.render.scenes import scenes
from dunaia_env.statistics.intervals import Estimate
from tests.html_pages import Page, read_page

pytestmark = pytest.mark.once

ROLES = DEFAULT_GAME.require("roles")
EVENTS = DEFAULT_GAME.events
assert EVENTS is not None
COMPONENTS = DEFAULT_GAME.load(None)
HOSTILE = 'runs/<script>alert("1")</script>/--></svg>&amp;.safetensors'
FILES = ("report.html", "report.json", "report.md")


def plan_of(strengths: tuple[str, ...], players: tuple[int, ...] = (2,), **more: Any) -> Plan:
    fields: dict[str, Any] = {
        "game": "dunaia",
        "components": COMPONENTS.hash,
        "strengths": strengths,
        "others": (),
        "specialists": (),
        "responses": (),
        "opponent": "",
        "derived": {},
        "most_blocks": {},
        "tables": {},
        "versions": dict.fromkeys(strengths, "program 1.2"),
        "players": players,
        "seed": 70,
        "tolerance": 0.03,
        "precision": 0.01,
        "powers": True,
        "pilot": 40,
        "command": "python -m dunaia_env.balance --out 'a `b` <c>'",
        "commit": "0123abc",
        "package": "9.8.7",
        "started": "2026-11-23T04:05:06+00:00",
    }
    return Plan(**fields | more)


@functools.cache
def world_of(players: int) -> World:
    """Imagined players among whom role 0 wins 25 points too much."""
    return planted_world(players, 0.25)


def imagined(kind: str, players: int, seed: int, blocks: int = 40, role: int = -1) -> Games:
    """Games of imagined players with all that is recorded of games."""
    random = np.random.default_rng([seed, players])
    (games,) = draw_games(world_of(players), blocks, 1, seed=[seed, players])
    if kind in ("absent", "drafted"):
        games = games[games.order == 0]
    if kind == "assigned" and role >= 0:
        games = games[(games.roles == role).any(axis=1)]
    if kind == "powerless":
        held = games.roles == role
        games = replace(games, roles=np.where(held, np.int8(-1), games.roles))[held.any(axis=1)]
    if kind == "absent":
        games = replace(games, roles=np.full_like(games.roles, -1))
    count, names = len(games), EVENTS.names if EVENTS else ()
    final = games.scores.astype(np.int16)
    steps = np.minimum(np.arange(CURVE_ROUNDS) / 20, 1)[None, :, None]
    offered = np.full(games.roles.shape, 0b111111 if kind == "drafted" else 0, np.uint16)
    return replace(
        games,
        rounds=random.integers(15, 30, count).astype(np.int16),
        decisions=random.integers(150, 250, count).astype(np.int32),
        curve=(steps * final[:, None, :] + random.integers(0, 3, (count, CURVE_ROUNDS, players))).astype(np.int16),
        uses=random.integers(0, 5, games.roles.shape).astype(np.int16),
        offered=offered,
        events=np.zeros((count, players, len(names)), np.int16),
        first_round=np.zeros((count, players, len(names)), np.int16),
        first_seat=random.integers(-1, players, (count, len(names))).astype(np.int8),
    )


def imagined_study(plan: Plan, kinds: tuple[str, ...] = ("assigned", "drafted", "absent", "powerless")) -> Study:
    conditions = tuple(one for one in first_conditions(plan, DEFAULT_GAME) if one.kind in kinds)
    agents = list(plan.versions)
    games = {}
    for one in conditions:
        special = one.role_agents.values()
        seed = 1 + agents.index(next(iter(special)) if special else one.agent)
        games[one.name] = imagined(one.kind, one.players, seed, role=one.role)
    return Study(DEFAULT_GAME, conditions, games, plan, 5000.0)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Path]:
    """A study of everything that a plan can contain, with hostile names, and its report."""
    strengths, others = ("weak one", HOSTILE), ("other seed", "weak one+16")
    plan = plan_of(
        strengths,
        (2, 3, 4),
        others=others,
        specialists=(f"{ROLES.names[3]}=special",),
        responses=(f"{ROLES.names[0]}=response",),
        opponent="other seed",
        derived={"other seed": HOSTILE},
        versions=dict.fromkeys((*strengths, *others, "special", "response"), "program 1.2"),
        tables={"weak one+16": (2,), "special": (2, 3), "response": (2,)},
        extensions=(Extension(("weak one+16",), "python -m added", "4567def", "2026-11-24"),),
    )
    study, folder = imagined_study(plan), tmp_path_factory.mktemp("report")
    make_report(study, folder)
    return study, folder


def section(page: Page, number: int) -> str:
    """The text from the heading of a section, with its number and title, to that of the next."""
    titles = re.findall(rf"\n({number} [A-Z][^\n]+)\n", page.text)
    begin = page.text.rindex(f"\n{titles[-1]}\n")
    following = re.search(rf"\n{number + 1} [A-Z][^\n]+\n", page.text[begin + 1 :])
    return page.text[begin : begin + 1 + following.start() if following else None]


def content_of(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return content


def test_the_page_stands_alone_and_is_complete(whole: tuple[Study, Path]) -> None:
    study, folder = whole
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "http" not in text
    assert "@import" not in text
    assert "url(" not in text.replace("url(#", "")
    page = read_page(folder)
    assert not {"script", "link", "img", "iframe", "metadata"} & set(page.elements)
    assert len(set(page.identifiers)) == len(page.identifiers)
    assert {reference[1:] for reference in page.references if reference[0] == "#"} <= set(page.identifiers)
    used = set(re.findall(r"url\(#([^)]*)\)", text))
    assert used
    assert used <= set(page.identifiers)
    # Verdicts, shares, margins, seats, powers, skill, length, decision and picks; the overview of the verdicts.
    assert page.elements.count("svg") == 3 * 9 + 1
    for title in (
        "1 Verdicts",
        "2 Win share by seat",
        "3 Score margin",
        "4 Match-ups",
        "5 The seats",
        "6 What each power is worth",
        "7 Skill",
        "8 Weak or unlearned?",
        "9 Shape of the game",
        "10 Picks in the draft",
        "11 Robustness",
        "12 What holds everywhere",
        "13 Causes",
        "14 Limits",
        "15 Evidence",
    ):
        assert title in page.text
    plan = study.plan
    added = plan.extensions[0]
    facts = (plan.components, plan.command, plan.commit, plan.package, plan.started, "1 h 23 min")
    for fact in (*facts, added.command, f"weak one+16; commit {added.commit}, {added.started}"):
        assert fact in page.text
    assert f"{sum(len(games) for games in study.games.values()):,} games in {len(study.games)} conditions" in page.text
    assert "Appendix" not in page.text


@pytest.mark.long
def test_sentences_refer_to_sections_by_their_keys(
    whole: tuple[Study, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (whole[1] / "report.md").read_text(encoding="utf-8")
    others = {chapter: tuple(key for key in keys if key != "skill") for chapter, keys in wording.CHAPTERS.items()}
    monkeypatch.setattr(wording, "CHAPTERS", {"Ability": ("skill",), **others})
    make_report(whole[0], tmp_path)
    after = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "## Ability\n\n### 1 Skill" in after
    for key, moved in (("verdicts", "2"), ("unlearned", "8")):
        assert f"section {moved}" in after, key
    assert before.count("section 1") == after.count("section 2") == 4
    with pytest.raises(ValueError, match="section 'ability'; expected one of skill, verdicts"):
        wording.section_number("ability")
    monkeypatch.setattr(wording, "CHAPTERS", {"Ability": ("skill",)})
    with pytest.raises(ValueError, match="section 'verdicts'"):
        make_report(whole[0], tmp_path)
    sources = [path.read_text(encoding="utf-8") for path in Path(wording.__file__).parent.rglob("*.py")]
    # Sections of a book follow its title.
    assert not [found for text in sources for found in re.findall(r'(?<!", )section \d+', text)]


def test_chapters_hold_all_sections_in_order(whole: tuple[Study, Path]) -> None:
    page = (whole[1] / "report.html").read_text(encoding="utf-8")
    contents = page.partition('<nav class="chapters"')[2].partition("</nav>")[0]
    linked = re.findall(r'<a (?:class="chapter" )?href="#([^"]+)">([^<]+)</a>', contents)
    headed = re.findall(r'<h[23] class="(?:chapter|section)" id="([^"]+)">([^<]+)</h', page)
    assert linked == headed
    assert [title for name, title in linked if name.startswith("chapter")] == list(wording.CHAPTERS)
    assert len(linked) == len(wording.CHAPTERS) + sum(map(len, wording.CHAPTERS.values()))
    levels = [int(level) for level in re.findall(r"<h(\d)", page)]
    assert all(after <= before + 1 or after == 2 for before, after in itertools.pairwise(levels))
    lines = (whole[1] / "report.md").read_text(encoding="utf-8").splitlines()
    assert [line[3:] for line in lines if line.startswith("## ")] == list(wording.CHAPTERS)


def test_names_of_agents_are_escaped(whole: tuple[Study, Path]) -> None:
    _, folder = whole
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "<script" not in text
    assert text.count("</svg>") == 3 * 9 + 1
    assert HOSTILE in read_page(folder).text
    assert "<script" not in (folder / "report.md").read_text(encoding="utf-8").replace("\\<script", "")


def test_a_planted_role_is_found_and_named_first(whole: tuple[Study, Path]) -> None:
    _, folder = whole
    page = read_page(folder)
    name = ROLES.names[0].capitalize()
    short = page.text[page.text.index("In short") :]
    short = short[: short.index("1 Verdicts")]
    assert f"Clearly too strong: {name} (4 players); too strong: {name} (2 and 3 players)." in short
    first = "; ".join(f"with {players} players the {name}" for players in (2, 3, 4))
    assert f"What to change first, in this order: {first}." in short
    assert "Without elite characters, seat 0 wins 82.5 % with 2 players (fair: 50.0 %), seat 0 wins" in short
    verdicts = content_of(folder)["results"]["verdicts"]
    assert len(verdicts) == 3 * len(ROLES.names)
    assert {one["verdict"] for one in verdicts if one["role"] == ROLES.names[0]} == {"over", "clearly over"}
    assert "▲\u00a0too\u00a0strong" in section(page, 1)
    assert "What to change first, 4 players" in section(page, 1)
    assert "The rule was fixed before the first game." in section(page, 1)
    priorities = content_of(folder)["results"]["priorities"]
    assert [one["role"] for one in priorities if one["turn"]] == [ROLES.names[0]] * 3


def test_a_study_of_a_former_rule_says_so(whole: tuple[Study, Path], tmp_path: Path) -> None:
    study, _ = whole
    make_report(replace(study, plan=replace(study.plan, rule=1)), tmp_path)
    said = section(read_page(tmp_path), 1)
    assert "The study was planned when another rule was in force" in said
    assert "The rule was fixed before the first game." not in said


def test_markdown_has_the_tables_of_the_page(whole: tuple[Study, Path]) -> None:
    study, folder = whole
    lines = (folder / "report.md").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# Balance of the elite characters: Dunaïa, 2, 3 and 4 players")
    assert study.plan.command in lines
    columns = 0
    tables = 0
    for line in lines:
        cells = len(re.findall(r"(?<!\\)\|", line))
        if line.startswith("|"):
            assert columns in (0, cells), line
            tables += not columns
        columns = cells if line.startswith("|") else 0
    assert tables == read_page(folder).elements.count("table")


def test_json_reads_back(whole: tuple[Study, Path]) -> None:
    study, folder = whole
    content = content_of(folder)
    assert (content["format"], content["version"]) == (FORMAT, VERSION)
    assert content["plan"]["seed"] == study.plan.seed
    results = Results(study)
    assert len(content["results"]["shares"]) == len(results.shares) == 3 * (3 * 2 + 1) + 1
    first = results.shares[0].roles[0].share
    assert content["results"]["shares"][0]["roles"][0]["share"]["value"] == pytest.approx(first.value)
    assert len(content["results"]["powers"]) == 3 * len(ROLES.names)
    assert {one["pairs"] for one in content["results"]["powers"] if one["players"] == 3} == {40 * 3}
    assert list(content["results"]["matchups"]) == ["2", "3", "4"]
    assert [(one["agent"], one["players"]) for one in content["results"]["specials"]] == [
        ("special", 2),
        ("response", 2),
        ("special", 3),
    ]
    assert [(one["weak"], one["strong"]) for one in content["results"]["searches"]] == [("weak one", "weak one+16")]
    assert len(content["results"]["learnings"]) == 3 * len(ROLES.names)
    assert content["games"] == {name: len(games) for name, games in study.games.items()}


@pytest.mark.long
def test_what_the_agents_are_is_said(whole: tuple[Study, Path], tmp_path: Path) -> None:
    text = section(read_page(whole[1]), 7)
    expected = f"other seed began with the weights of {label_of(HOSTILE)}, and continued training from there."
    assert f"{expected} So {label_of(HOSTILE)} and other seed are not independent witnesses" in text
    assert "independently" not in text
    assert "2 players: do other players agree?" in text
    assert "2 players: what a search by all players changes" in text
    assert "3 players: what a search" not in text
    versions = dict.fromkeys(("one", "two", "three"), "1")
    make_report(imagined_study(plan_of(("one",), others=("two", "three"), versions=versions)), tmp_path)
    text = section(read_page(tmp_path), 7)
    independent = "one, two and three were trained independently of one another"
    assert f"{independent}, as far as the study's command and the model files say." in text
    # Of three agents two began with the weights of a fourth one.
    derived = {"two": "origin", "three": "two"}
    plan = plan_of(("one",), others=("two", "three"), versions=versions, derived=derived)
    make_report(imagined_study(plan), tmp_path)
    text = section(read_page(tmp_path), 7)
    expected = "two began with the weights of origin and three began with the weights of two, and continued"
    assert f"{expected} training from there." in text
    assert "one and either two or three were trained independently" in text
    # The model files say it, too.
    lineages = {"one": Lineage(("1",)), "two": Lineage(("2",), (Ancestor("first", "0"),))}
    lineages["three"] = Lineage(("3",), (Ancestor("second", "2"), Ancestor("first", "0")))
    make_report(
        imagined_study(plan_of(("one",), others=("two", "three"), versions=versions, lineages=lineages)), tmp_path
    )
    text = section(read_page(tmp_path), 7)
    expected = "two began with the weights of first (0) and three began with the weights of two, and continued"
    assert f"{expected} training from there." in text
    assert "one and either two or three were trained independently" in text
    make_report(imagined_study(plan_of(("one",))), tmp_path)
    assert "No other trained players took part" in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_a_weak_role_is_told_from_an_unlearned_one_in_words(whole: tuple[Study, Path]) -> None:
    study, folder = whole
    results = Results(study)
    text = section(read_page(folder), 8)
    assert "Not tried" not in text
    name = ROLES.names[3].capitalize()
    (one,) = (one for one in results.learnings if (one.players, one.role) == (2, 3))
    (move,) = (move for move in one.moves if move.kind == "specialist")
    change = f"{number(100 * move.change.value, sign=True)} points"
    assert f"{name}, 2 players: its effect is {number(100 * one.effect.value, sign=True)} points" in text
    assert "A player trained for it (special), playing against other seed," in text
    assert change in text
    assert "A best response (response), playing against other seed," in text
    assert "A search by all players (weak one+16)" in text
    assert "In the same seats without the power, the share of special minus that of other seed is" in text
    assert f"Players trained for one {ROLES.title}" in text


def test_what_follows_for_a_weak_role_is_said_with_the_most_that_training_gains(whole: tuple[Study, Path]) -> None:
    study, _ = whole
    results = Results(study)

    def said(after: Estimate, conclusion: Conclusion) -> str:
        change = Estimate(0.05, 0.03, 0.07)
        move = Move("specialist", "a", "b", Estimate(-0.2, -0.22, -0.18), after, change, 9)
        one = Learning(3, 4, "b", Estimate(-0.2, -0.22, -0.18), (move,), None, conclusion)
        return _learning_sentences(study, one, results.specials)

    assert said(Estimate(-0.15, -0.17, -0.13), "weak").endswith(
        "So it is too weak with all players that were tried. They gain at most 7.0 points with it."
    )
    assert "It is not known whether it is too weak" in said(Estimate(-0.03, -0.05, -0.01), "open")
    assert "at most" not in said(Estimate(0.0, -0.02, 0.02), "unlearned")


def test_the_same_study_gives_the_same_files(tmp_path: Path) -> None:
    study = imagined_study(plan_of(("greedy", "unknown")))
    for folder in ("one", "other"):
        make_report(study, tmp_path / folder)
    for name in FILES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes(), name


def test_sections_without_games_say_so(tmp_path: Path) -> None:
    make_report(imagined_study(plan_of(("unknown",)), ("assigned",)), tmp_path)
    page = read_page(tmp_path)
    assert "This study has no games" not in section(page, 1)
    assert "were not played" in section(page, 6)
    assert "This study has no games for this section." in section(page, 7)
    assert "Not tried in this study: a search, a player trained for it and a best response." in section(page, 8)
    assert "no pick rates" in section(page, 10)
    assert "one component file only" in section(page, 11)
    assert "No cause was tested" in section(page, 13)
    make_report(imagined_study(plan_of(("unknown",)), ("absent",)), tmp_path)
    page = read_page(tmp_path)
    for number_of_section in (1, 2, 3, 4, 6, 7, 8, 12):
        assert "This study has no games for this section." in section(page, number_of_section)
    assert "seat 0" in section(page, 5)
    make_report(replace(imagined_study(plan_of(("unknown",))), conditions=(), games={}), tmp_path)
    assert "0 games in 0 conditions" in read_page(tmp_path).text


def test_optional_sections_show_what_is_given(tmp_path: Path) -> None:
    study = imagined_study(plan_of(("unknown",)), ("assigned", "absent"))
    rate = Rate(3, 200, 0.015, 0.003, 0.043)
    tables = (TableValidation(2, 3000, 18000, *[rate] * 6, 0.012, 0.009, 4000, 2500),)
    validation = Validation(
        200,
        0,
        6,
        3,
        0.03,
        0.03,
        0.5,
        0.3,
        1000,
        *[rate] * 5,
        (StatementRate("any pair is called a counter", 0.0, 0.05, rate),),
        tables,
    )
    association = Association("roles.first.price", -0.6, 0.001, 0.012, 0.05, 0.01)
    others = tuple(replace(association, name=name) for name in ("second", "third", "fourth", "fifth"))
    screening = Screening(
        ROLES.names[2], "over", 12, 9, 1, 2, Estimate(0.81, 0.7, 0.9), 0.045, 0.012, 0.01, 0.08, (association, *others)
    )
    robustness = Robustness("Twelve files were drawn.", (ScreenedTable(2, "unknown", (screening,), 0.5),))
    half = Estimate(0.7, 0.68, 0.72)
    cause = CauseTest(
        "seat 0, 2 players", "nobody opens", half, Estimate(0.52, 0.5, 0.54), Estimate(-0.18, -0.2, -0.16), 0.9
    )
    causes = CauseTests("On common seeds.", (cause,), ("Opening carries it.",))
    make_report(study, tmp_path, validation=validation, robustness=robustness, causes=causes)
    page = read_page(tmp_path)
    assert "9 of 12" in section(page, 11)
    named = "roles.first.price (lower is better), second (lower is better), third (lower is better) and 2 more"
    assert named in section(page, 11)
    assert "if it explains 25 % of the variation" in section(page, 11)
    assert "Opening carries it." in section(page, 13)
    assert "−18.0" in section(page, 13)
    assert "90 %" in section(page, 13)
    assert "Appendix: validation of the laboratory" in page.text
    assert "1.5 %" in page.text[page.text.rindex("Appendix") :]
    assert "any pair is called a counter" in page.text[page.text.rindex("Appendix") :]
    content = content_of(tmp_path)
    assert content["validation"]["false_alarms"]["of"] == 200
    assert content["robustness"]["tables"][0]["roles"][0]["holds"] == 9
    assert content["causes"]["rows"][0]["difference"]["value"] == -0.18


# Words


def verdict(estimate: Estimate, beginners: Any = None, needed: int | None = 0) -> RoleVerdict:
    estimates, statuses = {"champion": estimate}, {"champion": status_of(estimate)}
    return RoleVerdict(
        "seer", 2, estimates, statuses, verdict_of(estimate), beginners, None, "not known", {"champion": 9}, needed
    )


def test_verdicts_in_plain_words() -> None:
    def said(*arguments: Any, **more: Any) -> str:
        return in_plain_words(verdict(*arguments, **more), 0.03)

    assert said(Estimate(0.08, 0.05, 0.11)) == "Wins too often: at least 5.0 points above the fair share."
    assert said(Estimate(-0.09, -0.12, -0.04)) == "Wins too rarely: at least 4.0 points below the fair share."
    near = Estimate(0.01, 0.005, 0.02)
    assert said(near, "fine") == "Within 3 points of the fair share."
    assert said(near, "clearly under") == "Within 3 points of the fair share. Beginners: clearly too weak."
    slight = "Certainly above the fair share, perhaps by less than 3 points."
    further = " About 1,234 further blocks would probably decide."
    assert said(Estimate(0.03, 0.01, 0.05), needed=1234) == slight + further
    assert said(Estimate(-0.03, -0.05, -0.01), needed=1234) == slight.replace("above", "below") + further
    open_one = Estimate(0.01, -0.04, 0.06)
    assert said(open_one, needed=1234) == "Neither an advantage nor a disadvantage is known." + further
    for needed in (None, 4_000_000):
        assert said(open_one, needed=needed).endswith(
            "too close to the tolerance for any reasonable number of games to decide."
        )


def test_words() -> None:
    assert (with_article("elite"), with_article("faction")) == ("an elite", "a faction")
    assert when_played_by(["one", "runs/two/model.safetensors"]) == "when one or two/model plays"
    assert [number(value, 1, sign=True) for value in (-0.04, 0.0, 1.25, -3.0, float("nan"))] == [
        "0.0",
        "0.0",
        "+1.2",
        "−3.0",
        "–",
    ]
    assert label_of("x" * 26) == "x" * 26
    assert label_of("runs/" + "x" * 40) == "…" + "x" * 25
    assert label_of("training/unfinished/other.safetensors+16") == "other+16"
    assert label_of("runs/one/model.safetensors:temperature=2") == "one/model:temperature=2"
    assert label_of("model.safetensors") == "model"


# Replays


@pytest.fixture(scope="module")
def played() -> Study:
    """A small real study."""
    plan = plan_of(("greedy",), (2, 3), powers=False)
    conditions = tuple(
        replace(one, blocks=2, options={"max_rounds": 6})
        for one in first_conditions(plan, DEFAULT_GAME)
        if one.kind == "assigned"
    )
    games = {one.name: play(Work("dunaia", one, COMPONENTS, plan.seed, 0, 2)) for one in conditions}
    return Study(DEFAULT_GAME, conditions, games, plan, 3.0)


def test_games_of_note_are_replayed_and_verified(played: Study, tmp_path: Path) -> None:
    make_report(played, tmp_path)
    noted = content_of(tmp_path)["noted_games"]
    assert [one["name"] for one in noted] == ["median", *(f"strangest-{place}" for place in range(1, 6))] * 2
    assert {one["path"] for one in noted} == {f"replays/{path.name}" for path in (tmp_path / "replays").glob("*.jsonl")}
    assert len({one["path"] for one in noted}) == 12
    page, text = read_page(tmp_path), (tmp_path / "report.html").read_text(encoding="utf-8")
    lines = (tmp_path / "report.md").read_text(encoding="utf-8")
    for one in noted:
        found = replay.read(tmp_path / one["path"])
        assert replay.verify(found) > 0
        assert found.result["scores"] == one["scores"]
        assert found.header["seed"] == one["seed"] == block_seed(played.plan.seed, one["block"])
        assert found.header["max_rounds"] == 6
        games = played.games[f"assigned-{one['players']}-greedy"]
        (row,) = np.flatnonzero((games.block == one["block"]) & (games.order == one["order"]))
        assert games.scores[row].tolist() == one["scores"]
        assert one["path"] in page.references
        moment, picture = one["moment"], (tmp_path / one["moment"]["picture"]).read_text(encoding="utf-8")
        assert moment["picture"] == one["path"].replace(".jsonl", ".svg")
        assert picture == next(scenes(found, only=moment["last"])).picture
        assert inline(picture) in text
        assert moment["caption"] in page.text
        assert f"]({moment['picture']})" in lines
    assert "http" not in text


def test_a_game_that_ends_otherwise_is_left_out(played: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "load_agent", lambda label, game, components: RandomAgent())
    make_report(played, tmp_path)
    noted = content_of(tmp_path)["noted_games"]
    left_out = [one for one in noted if one["path"] is None]
    assert left_out
    assert all(one["problem"].startswith("played again, it ends with the scores") for one in left_out)
    for ending in ("jsonl", "svg"):
        assert len(list(tmp_path.glob(f"replays/*.{ending}"))) == len(noted) - len(left_out)
    assert all(one["moment"] is None for one in left_out)
    assert "played again, it ends with the scores" in read_page(tmp_path).text


def test_other_components_and_unknown_agents_leave_replays_out(played: Study, tmp_path: Path) -> None:
    other = replace(played, plan=replace(played.plan, components="0" * 16))
    make_report(other, tmp_path)
    problem = content_of(tmp_path)["noted_games"][0]["problem"]
    assert problem == f"the study was played with components {'0' * 16}, not {COMPONENTS.hash}"


def test_the_report_in_the_documentation_is_of_the_shipped_components() -> None:
    folder = Path(__file__).parent.parent / "docs" / "balance"
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert report["plan"]["components"] == DEFAULT_GAME.load(None).hash
    assert report["roles"] == list(DEFAULT_GAME.require("roles").names)
    assert report["validation"] is not None
    names = {one["path"] for one in report["noted_games"]}
    pictures = {one["moment"]["picture"] for one in report["noted_games"] if one.get("moment")}
    assert {f"replays/{path.name}" for path in (folder / "replays").iterdir()} == names | pictures
    assert len(names) == 18
    for name in sorted(names):
        replay.verify(replay.read(folder / name))

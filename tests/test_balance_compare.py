"""Two versions of the components side by side: what is called better or worse, the page, and the command."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dunaia_env.balance import compare, compare_pages
from dunaia_env.balance.compare import Options, main, read_tables, run_comparison
from dunaia_env.balance.games import Games
from dunaia_env.balance.questions.fun import (
    HALF_TIME,
    LEAD_CHANGES,
    LIKENESS,
    MEASURES,
    ROUNDS,
    USES,
    FunChange,
    fun_changes,
    likeness,
)
from dunaia_env.balance.questions.shapes import half_time_shares, shape_of
from dunaia_env.balance.questions.verdicts import judge, verdict_of
from dunaia_env.balance.simulation import World, draw_games
from dunaia_env.balance.versions import (
    Comparison,
    Difference,
    Played,
    RoleChange,
    Version,
    outcome_of,
    role_changes,
    share_changes,
)
from dunaia_env.balance.whatif_pages import is_clear
from dunaia_env.dunaia.component_writing import toml_of
from dunaia_env.harness.commands import parse_command
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.statistics.intervals import Estimate
from dunaia_env.support import messages
from tests.balance_games import games_of
from tests.html_pages import Page

pytestmark = pytest.mark.once

GAME = DEFAULT_GAME
ROLES = GAME.require("roles").names
FILES = ["compare.html", "compare.json", "compare.md"]
HOSTILE = 'runs/<script>alert("1")</script>|\u202e.toml'


def world(strengths: Mapping[int, float], *, players: int = 2) -> World:
    """A world of equal seats in which some of six roles are stronger or weaker than the others."""
    return World(players, tuple(strengths.get(role, 0.0) for role in range(6)), (0.0,) * players)


def drawn(
    before: Mapping[int, float],
    after: Mapping[int, float],
    *,
    blocks: int = 1000,
    players: int = 2,
    seed: int = 1,
    level: str = "champion",
    luck: int = 0,
) -> dict[tuple[int, str], tuple[Games, Games]]:
    """Simulated games of two versions, by the strengths of roles; the luck of the games is common if ``luck`` is 0."""
    (one,) = draw_games(world(before, players=players), blocks, 1, seed=seed)
    (other,) = draw_games(world(after, players=players), blocks, 1, seed=(seed, luck) if luck else seed)
    return {(players, level): (one, other)}


def found_of(played: Played, role: int = 0) -> RoleChange:
    (found,) = (change for change in role_changes(played, ROLES) if change.role == ROLES[role])
    return found


# Better and worse


@pytest.mark.parametrize(
    ("change", "middle", "outcome"),
    [
        ((-0.1, -0.15, -0.05), (0.05, 0.02, 0.08), "better"),
        ((0.1, 0.05, 0.15), (-0.05, -0.08, -0.02), "better"),
        ((0.1, 0.05, 0.15), (0.05, 0.02, 0.08), "worse"),
        ((-0.1, -0.15, -0.05), (-0.05, -0.08, -0.02), "worse"),
        ((-0.1, -0.15, -0.05), (0.01, -0.02, 0.04), "no clear change"),
        ((-0.1, -0.25, 0.05), (0.05, 0.02, 0.08), "no clear change"),
        ((-0.1, np.nan, np.nan), (0.05, 0.02, 0.08), "no clear change"),
    ],
)
def test_better_means_certainly_closer_to_the_fair_share(
    change: Sequence[float], middle: Sequence[float], outcome: str
) -> None:
    assert outcome_of(Estimate(*change), Estimate(*middle)) == outcome


def test_a_planted_difference_is_found() -> None:
    played = drawn({0: 0.9, 1: -0.6}, {1: -0.6, 2: 0.9}, players=3)
    strong, weak, other = (found_of(played, role) for role in range(3))
    assert (strong.outcome, strong.verdict_before) == ("better", "clearly over")
    assert strong.change.high < -0.1
    assert (other.outcome, other.verdict_after) == ("worse", "clearly over")
    assert other.change.low > 0.1
    assert (weak.outcome, weak.verdict_before) == ("no clear change", "clearly under")
    # A version is judged as a study judges it.
    judged = judge({key: games[1] for key, games in played.items()}, ROLES)
    for change, verdict in zip(role_changes(played, ROLES), judged, strict=True):
        assert (change.role, change.verdict_after) == (verdict.role, verdict.verdict)
        assert change.after.value - change.fair == pytest.approx(verdict.strongest.value)
        assert change.after.value - change.before.value == pytest.approx(change.change.value, abs=1e-8)


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [(1.2, -0.4, "better"), (-0.4, 1.2, "worse"), (0.6, -0.6, "no clear change"), (-1.2, -0.4, "better")],
)
def test_an_effect_that_changes_sides_is_judged_by_its_distance(before: float, after: float, outcome: str) -> None:
    found = found_of(drawn({0: before}, {0: after}))
    assert found.outcome == outcome
    assert is_clear(found.change)


def test_equal_versions_are_seldom_called_better_or_worse() -> None:
    # Role 0 is far from fair with both versions, so that every error about its change is one about the distance.
    wrong, studies = 0, 100
    for seed in range(studies):
        played = drawn({0: 1.5, 1: -1.5}, {0: 1.5, 1: -1.5}, blocks=100, seed=seed, luck=1)
        (found,) = share_changes(played, 6, samples=1000).values()
        wrong += any(outcome_of(*one) != "no clear change" for one in found)
    # At most 5 are meant, with a standard error of 2.
    assert wrong <= 11


def test_the_same_games_have_no_change() -> None:
    found = role_changes(drawn({0: 0.9}, {0: 0.9}), ROLES)
    assert {(change.outcome, change.change.value) for change in found} == {("no clear change", 0.0)}


def test_common_luck_makes_changes_more_certain_than_shares() -> None:
    common, separate = (found_of(drawn({0: 0.4}, {0: 0.5}, luck=luck)).change for luck in (0, 1))
    assert common.high - common.low < 0.5 * (separate.high - separate.low)


def test_levels_and_tables_are_one_family() -> None:
    alone = drawn({0: 0.9}, {})
    levels = drawn({}, {}, level="medium", seed=2) | alone
    found = role_changes(levels | drawn({}, {1: 0.9}, players=3), ROLES)
    assert [(change.players, change.role, change.level) for change in found[:3]] == [
        (2, ROLES[0], "medium"),
        (2, ROLES[0], "champion"),
        (2, ROLES[1], "medium"),
    ]
    assert len(found) == 3 * 6
    widening = [found_of(alone).change, role_changes(levels, ROLES)[1].change, found[1].change]
    assert len({change.value for change in widening}) == 1
    lengths = [change.high - change.low for change in widening]
    assert lengths == sorted(set(lengths))


def test_versions_on_different_blocks_are_refused() -> None:
    ((key, (before, after)),) = drawn({}, {}, blocks=20).items()
    with pytest.raises(ValueError, match="2 players: expected both versions and all levels on the same blocks"):
        share_changes({key: (before, after.of_blocks(0, 10))}, 6)


# What games are like


def test_half_time_is_after_half_of_the_rounds() -> None:
    # Seat 1 leads after one round of three, seats 0 and 1 are equal after two of four; seat 0 wins both games.
    curve = [[[0, 0], [1, 3], [4, 3], [4, 3]], [[0, 0], [2, 1], [3, 3], [3, 4]]]
    games = games_of([[5, 4], [9, 4]], curve=curve, rounds=[3, 4])
    assert half_time_shares(games).tolist() == [0.0, 0.5]
    assert shape_of(games, "assigned", "greedy").comebacks.value == 0.75


def test_winners_are_alike_as_far_as_they_do_the_same() -> None:
    events = np.zeros((6, 2, 3), np.int64)
    # Pairs have the same order in the blocks 0 and 1; block 4 has no partner.
    events[0, 0], events[2, 1] = [2, 1, 0], [1, 1, 2]
    events[1, 0], events[3, 0], events[3, 1] = [4, 0, 0], [4, 0, 0], [0, 4, 0]
    scores = [[1, 0], [1, 0], [0, 1], [1, 1], [1, 0], [1, 0]]
    games = games_of(
        scores, block=[0, 0, 1, 1, 4, 4], order=[0, 1, 0, 1, 0, 1], events=events, first_seat=np.full((6, 3), -1)
    )
    found = likeness(games)
    # Smaller counts 1 + 1 + 0 of larger ones 2 + 1 + 2; a shared win counts the mean of both winners, [2, 2, 0].
    assert found.values == pytest.approx([(2 / 5 + 2 / 6) / 2])
    assert found.rows.shape == (1, 1)
    nothing = likeness(games_of(scores, block=[0, 0, 1, 1, 4, 4], order=[0, 1, 0, 1, 0, 1]))
    assert np.isnan(nothing.values).all()


def fun_games(blocks: int, seed: int, *, longer: int = 0, uses: int = 0, events: int = 2) -> Games:
    """Games of two players and two roles in which little is decided at half-time."""
    random = np.random.default_rng(seed)
    count = 2 * blocks
    caused = random.integers(0, 5, (count, 2, events))
    return games_of(
        random.integers(0, 50, (count, 2)),
        block=np.repeat(np.arange(blocks), 2),
        order=np.arange(count) % 2,
        roles=np.tile([[0, 1], [1, 0]], (blocks, 1)),
        curve=random.integers(0, 30, (count, 12, 2)),
        rounds=random.integers(8, 11, count) + longer,
        uses=np.tile([[2 + uses, 0], [0, 2 + uses]], (blocks, 1)),
        events=caused,
        first_seat=np.full((count, events), -1),
    )


def test_what_games_are_like_is_compared_on_common_blocks() -> None:
    before, after = fun_games(60, 3), fun_games(60, 3, longer=1, uses=1)
    found = fun_changes({2: (before, after)}, ROLES[:2])
    # The second role never uses its power.
    assert [(change.measure, change.role) for change in found] == [
        *((key, "") for key in MEASURES if key != USES.key),
        (USES.key, ROLES[0]),
    ]
    by_key = {change.measure: change for change in found}
    assert by_key[ROUNDS.key].change == Estimate(1.0, 1.0, 1.0)
    assert by_key[ROUNDS.key].before == pytest.approx(before.rounds.mean())
    assert (by_key[USES.key].before, by_key[USES.key].after) == (2.0, 3.0)
    # The winners of the same games did the same.
    assert by_key[LIKENESS.key].change == Estimate(0.0, 0.0, 0.0)
    assert by_key[HALF_TIME.key].before == pytest.approx(half_time_shares(before).mean())
    assert by_key[LEAD_CHANGES.key].after > 1
    assert len(fun_changes({2: (fun_games(60, 3, events=0), fun_games(60, 4, events=0))}, ROLES[:2])) == 4


def test_measures_of_equal_versions_seldom_change() -> None:
    wrong, studies = 0, 60
    for seed in range(studies):
        both = fun_games(60, seed), fun_games(60, 1000 + seed)
        wrong += any(is_clear(change.change) for change in fun_changes({2: both}, ROLES[:2], samples=1000))
    # 3 are meant, with a standard error of 1.7.
    assert wrong <= 8


# The page


def around(value: float, half: float = 0.02) -> Estimate:
    return Estimate(value, value - half, value + half)


def role_change(role: str, players: int, level: str, before: float = 0.0, after: float = 0.0) -> RoleChange:
    """The change of a role's share from one effect to another, with intervals of plus or minus 2 points."""
    change, middle = around(after - before), around((before + after) / 2)
    return RoleChange(
        role=role,
        players=players,
        level=level,
        before=around(1 / players + before),
        after=around(1 / players + after),
        change=change,
        middle=middle,
        outcome=outcome_of(change, middle),
        verdict_before=verdict_of(around(before)),
        verdict_after=verdict_of(around(after)),
    )


def comparison(
    effects: Mapping[tuple[str, int, str], tuple[float, float]],
    fun: Sequence[FunChange] = (),
    *,
    levels: tuple[str, ...] = ("champion",),
    players: tuple[int, ...] = (2,),
) -> Comparison:
    """A comparison in which only some effects, by role, number of players and level, differ from 0."""
    return Comparison(
        game="dunaia",
        title="Dunaïa",
        role_title="character",
        options={"max_rounds": "50"},
        before=Version("Dunaïa's own", "0123456789abcdef"),
        after=Version(messages.printable(HOSTILE), "fedcba9876543210"),
        differences=(Difference("characters.mystic.moves", "1", "2"),),
        players=players,
        levels=levels,
        tolerance=0.03,
        precision=0.025,
        half_width=0.02,
        seed=3,
        blocks=dict.fromkeys(players, 1200),
        games=1200 * 6 * 2 * len(players) * len(levels),
        roles=tuple(
            role_change(role, number, level, *effects.get((role, number, level), ()))
            for number in players
            for role in ROLES
            for level in levels
        ),
        fun=tuple(fun),
    )


@pytest.fixture(scope="module")
def result() -> Comparison:
    """A comparison in which a role is better at both tables, one worse with three players, and one changes sides."""
    effects = {
        ("merchant", 2, "champion"): (0.12, 0.02),
        ("merchant", 3, "champion"): (0.12, 0.0),
        ("trickster", 3, "champion"): (0.0, -0.08),
        ("mystic", 2, "champion"): (0.06, -0.06),
        ("merchant", 2, "medium"): (0.12, 0.12),
        ("merchant", 3, "medium"): (0.12, 0.05),
    }
    fun = (
        *(FunChange(ROUNDS.key, "", players, 20.0, 21.5, around(1.5, 0.5)) for players in (2, 3)),
        FunChange(HALF_TIME.key, "", 3, 0.7, 0.6, around(-0.1)),
        FunChange(LIKENESS.key, "", 3, 0.7, 0.71, around(0.01)),
        FunChange(USES.key, "merchant", 3, 2.0, 1.0, around(-1.0)),
    )
    return comparison(effects, fun, levels=("medium", "champion"), players=(2, 3))


def test_sentences_say_what_got_better_and_worse_and_for_whom(result: Comparison) -> None:
    unclear = (
        "Not clearly closer or farther: Trickster (2 players), Foreman (2 and 3 players), Mystic (2 and 3 players),"
        " Shepherd (2 and 3 players), Architect (2 and 3 players); the share clearly changed nevertheless, perhaps to"
        " the other side of the fair share: Mystic (2 players)."
    )
    verdicts = (
        "Too strong or too weak before but not now: Merchant (2 and 3 players); now but not before: Trickster (3"
        " players); before and now, on opposite sides: Mystic (2 players)."
    )
    assert compare_pages.sentences(result) == (
        "When champion plays, closer to the fair share than before: Merchant (2 and 3 players).",
        "Farther from the fair share than before: Trickster (3 players).",
        unclear,
        verdicts,
        "When medium plays, better for Merchant (3 players).",
        "What games are like clearly changed: longer games (2 and 3 players), games decided later (3 players).",
    )


def test_sentences_say_that_nothing_changed() -> None:
    # With a single number of players, no sentence repeats it.
    assert compare_pages.sentences(comparison({})) == (
        "When champion plays, nothing is clearly closer to the fair share than before, or farther from it.",
        "Not clearly closer or farther: Merchant, Trickster, Foreman, Mystic, Shepherd, Architect.",
        "What is too strong or too weak is the same as before.",
        "What games are like did not clearly change.",
    )


def test_the_page_stands_alone_and_shows_the_comparison(result: Comparison, tmp_path: Path) -> None:
    compare_pages.write_comparison(tmp_path, result)
    text = (tmp_path / "compare.html").read_text(encoding="utf-8")
    assert "http" not in text
    assert "@import" not in text
    assert "url(" not in text.replace("url(#", "")
    page = Page()
    page.feed(text)
    assert not page.open
    assert not {"script", "link", "img", "iframe", "metadata", "details"} & set(page.elements)
    assert len(set(page.identifiers)) == len(page.identifiers)
    assert {reference[1:] for reference in page.references} <= set(page.identifiers)
    # One picture comes first, then the sentences, then the tables.
    assert page.elements.count("svg") == 1
    assert page.elements.index("svg") < page.elements.index("li") < page.elements.index("table")
    for sentence in compare_pages.sentences(result):
        assert sentence in page.text
    assert "<script>" in page.text
    assert "\u202e" not in text
    for shown in ("+ better", "× worse", "characters.mystic.moves", "fedcba9876543210", "Dunaïa, max_rounds 50"):
        assert shown in page.text
    markdown = (tmp_path / "compare.md").read_text(encoding="utf-8")
    assert (
        "| Merchant | champion | 62.0 % (60.0 to 64.0) | 52.0 % (50.0 to 54.0) | −10.0 \\* (−12.0 to −8.0) |"
        in markdown
    )
    assert compare_pages.sentences(result)[1] in markdown


def test_the_picture_has_a_panel_for_each_table_and_two_markers_for_each_role(result: Comparison) -> None:
    picture = compare_pages.overview_plot(result, "x")
    assert [picture.count(f">{players} players<") for players in (2, 3, 4)] == [1, 1, 0]
    assert picture.count(">Merchant<") == 1
    # The strongest level only: the merchant twice, and the trickster.
    assert (picture.count(">better<"), picture.count(">worse<")) == (2, 1)


def test_very_many_differences_are_cut_on_the_page_only(result: Comparison, tmp_path: Path) -> None:
    many = replace(result, differences=tuple(Difference(f"path.{number}", "1", "2") for number in range(50)))
    compare_pages.write_comparison(tmp_path, many)
    text = (tmp_path / "compare.md").read_text(encoding="utf-8")
    assert "10 further values differ; compare.json has all of them." in text
    assert "path.39 " in text
    assert "path.40" not in text
    assert len(json.loads((tmp_path / "compare.json").read_text(encoding="utf-8"))["differences"]) == 50
    # A game whose values have no paths has no such section.
    none = compare_pages.make_page(replace(result, differences=()))
    assert [section.title for section in none.sections] == [
        "Shares of the wins",
        "What games are like",
        "What was played",
    ]


def test_the_state_says_whether_the_precision_was_reached(result: Comparison) -> None:
    reached = compare_pages.state(replace(result, half_width=0.0148))
    assert reached.endswith("The changes of the shares are known to ± 1.48 percentage points or better.")
    missed = compare_pages.state(replace(result, half_width=0.0512))
    assert missed.endswith("not to the ± 2.50 that were asked for, because the limit on the games was reached.")


# The command


def changed_file(folder: Path, **changes: str) -> Path:
    """A component file with changed values."""
    path = folder / "changed.toml"
    made = {name.replace("__", "."): value for name, value in changes.items()}
    path.write_text(toml_of(GAME.require("change")(GAME.load(None), made)), encoding="utf-8")
    return path


def options_of(*files: Path, **more: Any) -> Options:
    plain: dict[str, Any] = {"levels": ("random",), "players": (2,), "games": 120, "jobs": 1}
    plain["game_options"] = {"max_rounds": 15}
    return Options(files=files, **plain | more)


def test_the_command_writes_the_same_files_each_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = changed_file(tmp_path, start__flowers="[30, 0]")
    results = [main(options_of(file, players=(3, 2), out=tmp_path / name)) for name in ("one", "two")]
    assert results[0] == results[1]
    printed = capsys.readouterr().out
    for shown in ("Better or worse, and the verdicts, when random plays", "What games are like, 2 players", "uses"):
        assert shown in " ".join(printed.split())
    assert f"Page: {tmp_path / 'one' / 'compare.html'}" in printed.replace("\n", "")
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == FILES
    for name in FILES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    content = json.loads((tmp_path / "one" / "compare.json").read_text(encoding="utf-8"))
    assert (content["format"], content["version"]) == ("dunaia-balance-compare", 1)
    assert content["before"] == {"label": "Dunaïa's own", "components": GAME.load(None).hash}
    assert content["after"]["label"] == str(file)
    assert (content["players"], content["options"]) == ([2, 3], {"max_rounds": "15"})
    # 60 games for each table: five blocks of both versions with two players, and a whole cycle of 20 with three.
    assert content["blocks"] == {"2": 5, "3": 20}
    assert content["games"] == 2 * 6 * (5 + 20)
    assert [one["path"] for one in content["differences"]] == [f"start.flowers.{seat}" for seat in range(2)]
    assert content["sentences"] == list(compare_pages.sentences(results[0]))


def test_blocks_are_added_until_the_precision_is_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "FIRST_BLOCKS", 10)
    file = changed_file(tmp_path, prices__level_1="[2, 2]")
    result = run_comparison(options_of(file, precision=0.2, games=100_000))
    assert 10 < result.blocks[2] == result.games // 12
    assert result.half_width <= 0.2
    few = run_comparison(options_of(file, precision=0.001, games=200))
    assert (few.blocks, few.games) == ({2: 15}, 180)
    # The same blocks were played at once.
    monkeypatch.setattr(compare, "FIRST_BLOCKS", 15)
    assert run_comparison(options_of(file, precision=1.0, games=180)).roles == few.roles


def test_the_command_takes_one_file_or_two(tmp_path: Path) -> None:
    one, two = changed_file(tmp_path, start__flowers="[30, 0]"), tmp_path / "two.toml"
    two.write_text(toml_of(GAME.load(None)), encoding="utf-8")
    read = parse_command(Options, arguments=[str(two), str(one), "--levels", "greedy", "--players", "2", "3"])
    assert (read.files, read.levels, read.players) == ((two, one), ("greedy",), (2, 3))
    both = compare.read_files(read.files, GAME)
    assert both == compare.read_files([one], GAME)
    assert both.after.source == str(one)
    assert both.before.hash == GAME.load(None).hash
    assert read_tables(None, GAME) == (2, 3, 4)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"files": ()}, "files: expected one or two component files, got 0"),
        ({"files": (Path("a"),) * 3}, "files: expected one or two component files, got 3"),
        ({"files": (Path("none.toml"),)}, r"none\.toml.*: cannot be read"),
        ({"players": (5,)}, "num_players: expected .*2..4, got 5"),
        ({"players": (2, 2)}, "players: expected each number once, got 2 twice"),
        ({"players": ()}, "players: expected at least one number of players, got none"),
        ({"levels": ()}, "levels: expected at least one agent, got none"),
        ({"levels": ("random", "random")}, "levels: expected each agent once, got 'random' twice"),
        ({"levels": ("nobody",)}, "agent 'nobody': expected one of random, "),
        ({"precision": 0.0}, "precision: expected more than 0, got 0.0"),
        ({"tolerance": 1.0}, "tolerance: expected a win share above 0 and below 1, got 1.0"),
        ({"games": 0}, "games: expected more than 0, got 0"),
    ],
)
def test_wrong_options_are_refused(given: dict[str, Any], message: str, tmp_path: Path) -> None:
    plain = {"files": (changed_file(tmp_path, start__flowers="[30, 0]"),)}
    with pytest.raises(ValueError, match=message):
        main(options_of(*(plain | given).pop("files"), **{key: one for key, one in given.items() if key != "files"}))


def test_equal_files_are_refused(tmp_path: Path) -> None:
    same = tmp_path / "same.toml"
    same.write_text(toml_of(GAME.load(None)), encoding="utf-8")
    with pytest.raises(ValueError, match=r"files: expected two versions with different values, got the same values in"):
        main(options_of(same))


def test_an_agent_that_does_not_know_a_version_is_refused(tmp_path: Path) -> None:
    file = changed_file(tmp_path, prices__level_1="[40, 50]")
    with pytest.raises(ValueError, match=r"does not know the components .*changed\.toml.*--levels greedy plays every"):
        main(options_of(file, levels=("greedy", "champion")))

"""What-ifs: contributions of blocks and their intervals, sweeps on common blocks, and the search for a target."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dunaia_env.balance import playing, whatif, whatif_pages
from dunaia_env.balance.design import Condition
from dunaia_env.balance.games import Games
from dunaia_env.balance.outcomes import WhatIf
from dunaia_env.balance.paired import Contributions, intervals, role_shares, seat_shares, simultaneous
from dunaia_env.balance.targets import find_nearest, p_value_of, read_target
from dunaia_env.balance.trials import Laboratory, Trial
from dunaia_env.balance.whatif import (
    Options,
    main,
    make_candidates,
    make_settings,
    read_range,
    read_sweep,
    run_search,
    run_whatif,
    value_at,
)
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.statistics.intervals import Estimate

pytestmark = pytest.mark.once

GAME = DEFAULT_GAME
DISCOUNT = "characters.merchant.discount"


def laboratory(seed: int = 0) -> Laboratory:
    return Laboratory(GAME, seed=seed, jobs=1)


def games_of(blocks: Sequence[int], ranks: Sequence[Sequence[int]], roles: Sequence[Sequence[int]]) -> Games:
    """Games of which only blocks, ranks and roles are known."""
    count, seats = len(blocks), len(ranks[0])
    shapes = {"curve": (count, 1, seats), "events": (count, seats, 1), "first_round": (count, seats, 1)}
    by_seat = ("scores", "uses", "offered")
    content: dict[str, Any] = {}
    for field in fields(Games):
        shape = shapes.get(field.name, (count, seats) if field.name in by_seat else (count,))
        content[field.name] = np.zeros(shape, np.int16)
    content["first_seat"] = np.zeros((count, 1), np.int8)
    content["block"] = np.array(blocks, np.int32)
    content["ranks"], content["roles"] = np.array(ranks, np.int8), np.array(roles, np.int8)
    return Games(**content)


def test_contributions_are_ratios_of_sums_over_blocks() -> None:
    # Role 0 sits at two seats' worth of games in block 0 and at one in block 1; role 2 never.
    games = games_of([0, 0, 1], [[1, 2], [1, 1], [2, 1]], [[0, 1], [1, 0], [0, -1]])
    shares = role_shares(games, 3)
    assert shares.values[:2].tolist() == [0.5, 0.25]
    assert np.isnan(shares.values[2])
    # Sums 1.5 and 0, counts 2 and 1, whose mean is 1.5.
    assert shares.rows[:, 0] == pytest.approx([0.5 + 0.5 / 1.5, 0.5 - 0.5 / 1.5])
    assert np.nanmax(np.abs(shares.rows.mean(axis=0) - shares.values)[:2]) < 1e-9
    assert seat_shares(games).values == pytest.approx([0.5, 0.5])
    assert seat_shares(games).errors == pytest.approx([1 / 3, 1 / 3])


def test_all_simultaneous_intervals_cover_together() -> None:
    random, studies, missed, missed_alone = np.random.default_rng(1), 100, 0, 0
    for _ in range(studies):
        rows = random.normal(size=(40, 8)) + 0.5 * random.normal(size=(40, 1))
        numbers = Contributions(rows.mean(axis=0), rows)
        missed += any(one.low > 0 or one.high < 0 for one in simultaneous(numbers))
        missed_alone += any(one.low > 0 or one.high < 0 for one in intervals(numbers))
    # 5 are meant, with a standard error of 2.
    assert missed <= 11
    assert missed_alone >= 16


def test_a_number_without_variation_has_an_interval_without_width() -> None:
    rows = np.stack([np.zeros(9), np.arange(9) - 3.0], axis=1)
    constant, varying = simultaneous(Contributions(rows.mean(axis=0), rows))
    assert constant == Estimate(0.0, 0.0, 0.0)
    assert varying.low < 1 < varying.high
    assert np.isnan(simultaneous(Contributions(rows[0], rows[:1]))[0].low)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (f"{DISCOUNT}=0,1,2", ("0", "1", "2")),
        ("prices.level_2=[2,3],[3, 4]", ("[2,3]", "[3, 4]")),
        ("level_2.tiles.20.effect=moves", ("moves",)),
    ],
)
def test_a_sweep_is_read(text: str, values: tuple[str, ...]) -> None:
    assert read_sweep(text) == (text.partition("=")[0], values)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x", r"expected PATH=VALUE, .*, got 'x'"),
        ("x=", r"expected PATH=VALUE, .*, got 'x='"),
        ("x=1,,2", r"sweep: expected values separated by commas, got 'x=1,,2'"),
        ("x=[1,2", r"sweep: expected values separated by commas, got 'x=\[1,2'"),
        ("x=1,1", r"sweep 'x=1,1': 1 given twice"),
    ],
)
def test_a_wrong_sweep_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_sweep(text)


def test_ranges_are_read() -> None:
    assert read_range("x=-1..2") == ("x", ("-1", "0", "1", "2"))
    for text in ("x=2..1", "x=1", "x=0..400"):
        with pytest.raises(ValueError, match=f"over.*'{text}'"):
            read_range(text)


def test_settings_begin_with_the_reference() -> None:
    reference, two, zero = make_settings(GAME, sweeps=[f"{DISCOUNT}=1,2,0"])
    assert reference.components == GAME.load(None)
    assert [one.label for one in (two, zero)] == [f"{DISCOUNT}=2", f"{DISCOUNT}=0"]
    assert value_at(GAME, zero.components, DISCOUNT) == "0"
    assert value_at(GAME, zero.components, "prices.level_2") == "[2, 3]"
    own, changed = make_settings(GAME, changes=["prices.level_1=[2, 3]", f"{DISCOUNT}=0"])
    assert own.components == GAME.load(None)
    assert value_at(GAME, changed.components, "prices.level_1.0") == "2"
    # A sweep is made in changed components, and compared with them.
    assert make_settings(GAME, changes=[f"{DISCOUNT}=0"], sweeps=[f"{DISCOUNT}=0,1"])[1].components == own.components


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "nothing is changed: expected --components, --change or --sweep"),
        ({"changes": [f"{DISCOUNT}=1"]}, "nothing is changed"),
        ({"sweeps": [f"{DISCOUNT}=1"]}, f"sweep {DISCOUNT}=1: no value differs from components.toml"),
        ({"sweeps": ["price=1"]}, "change price: 'price' is unknown"),
        ({"sweeps": [f"{DISCOUNT}=0,many"]}, f"{DISCOUNT}: expected an integer in 0..100, got 'many'"),
    ],
)
def test_settings_that_cannot_be_compared_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("[", r"\[")):
        make_settings(GAME, **given)


def change_of(result: WhatIf, setting: int, subject: str) -> Estimate:
    return next(row.change for row in result.rows if (row.setting, row.subject) == (setting, subject))


def test_a_planted_advantage_is_found_and_what_has_no_effect_is_not() -> None:
    settings = make_settings(GAME, sweeps=["start.flowers=[30,0]", f"{DISCOUNT}=0"])
    result = run_whatif(Options(agent="greedy", kinds=("absent",), blocks=40, jobs=1), settings)
    assert result.games == 3 * 40
    planted = change_of(result, 1, "seat 0")
    assert planted.low > 0.1
    other = change_of(result, 1, "seat 1")
    assert (other.low, other.high) == pytest.approx((-planted.high, -planted.low))
    # Without characters a discount changes no game, so common seeds leave no difference at all.
    assert change_of(result, 2, "seat 0") == Estimate(0.0, 0.0, 0.0)
    assert result.half_width == pytest.approx((planted.high - planted.low) / 2)


def test_only_games_with_the_character_change_and_results_do_not_depend_on_the_batches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = make_settings(GAME, sweeps=[f"{DISCOUNT}=6"])
    options = Options(agent="random", blocks=6, jobs=1)
    result = run_whatif(options, settings)
    monkeypatch.setattr(playing, "GAMES_AT_ONCE", 18)
    again = run_whatif(options, settings)
    assert again.rows == result.rows
    assert again.shapes == result.shapes
    roles = GAME.require("roles").names
    condition = Condition("x", "assigned", 2, "random", 1)
    before, after = laboratory().play([Trial(condition, one.components) for one in settings], 0, 6)
    with_merchant = (before.roles == roles.index("merchant")).any(axis=1)
    same = (before.scores == after.scores).all(axis=1)
    assert same[~with_merchant].all()
    assert not same[with_merchant].all()
    assert result.rows[0].subject == "merchant"
    assert result.rows[0].share.value == pytest.approx(role_shares(before, len(roles)).values[0])


def test_blocks_are_added_until_the_precision_is_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whatif, "FIRST_BLOCKS", 10)
    settings = make_settings(GAME, sweeps=["prices.level_1=[2,2]"])
    common: dict[str, Any] = {"agent": "random", "kinds": ("absent",), "jobs": 1}
    result = run_whatif(Options(precision=0.3, **common), settings)
    assert 10 < result.blocks == result.games // 2
    assert result.half_width <= 0.3
    few = run_whatif(Options(precision=0.001, games=44, **common), settings)
    assert few.games == 44
    whole = run_whatif(Options(blocks=result.blocks, **common), settings)
    assert whole.rows == result.rows


def test_an_agent_that_does_not_know_the_components_is_refused() -> None:
    settings = make_settings(GAME, sweeps=["prices.level_1=[40,50]"])
    with pytest.raises(ValueError, match=r"does not know the components .*prices.level_1=.*--agent greedy plays every"):
        run_whatif(Options(agent="champion", blocks=2, jobs=1), settings)
    with pytest.raises(ValueError, match="agent 'nobody': expected one of random, "):
        run_whatif(Options(agent="nobody", blocks=2, jobs=1), settings)


def synthetic(chances: Sequence[float], seed: int) -> Any:
    """Plays candidates of which seat 0 wins with given chances, on common random numbers."""

    def measure(chosen: Sequence[int], first: int, last: int) -> list[Games]:
        numbers = np.random.default_rng([seed, first]).random(last - first)
        return [
            games_of(
                range(first, last),
                [[1, 2] if number < chances[one] else [2, 1] for number in numbers.tolist()],
                [[-1, -1]] * (last - first),
            )
            for one in chosen
        ]

    return measure


def test_candidates_on_two_sides_are_told_apart_by_their_distances() -> None:
    """Paired normal contributions: 0.48 and 0.525 are 0.02 and 0.025 away from 0.5."""

    def refused(nearest: float, other: float, error: float, seed: int) -> bool:
        random = np.random.default_rng(seed)
        rows = np.array([nearest, other]) + error * np.sqrt(100) * random.normal(size=(100, 2))
        one, two = (Contributions(part.mean(axis=0), part) for part in (rows[:, :1], rows[:, 1:]))
        return p_value_of(one, two, [0.5]) < 0.05

    # The nearest one is refused in favour of the other in at most 5 % of the cases, 15 of 200 at most by chance.
    assert sum(refused(0.48, 0.525, 0.005, seed) for seed in range(200)) <= 15
    assert sum(refused(0.48, 0.52, 0.005, seed) for seed in range(200)) <= 15
    # What is clearly farther is refused nearly always.
    assert sum(refused(0.44, 0.51, 0.005, seed) for seed in range(200)) >= 190


def test_the_difference_of_distances_counts_all_targets() -> None:
    random = np.random.default_rng(0)
    rows = np.array([0.5, 0.4, 0.5, 0.5]) + 0.05 * random.normal(size=(200, 4))
    one, two = (Contributions(part.mean(axis=0), part) for part in (rows[:, :2], rows[:, 2:]))
    assert p_value_of(one, two, [0.5, 0.5]) < 1e-6
    assert p_value_of(two, one, [0.5, 0.5]) > 0.99
    assert p_value_of(one, one, [0.5, 0.5]) == 1
    assert p_value_of(one[[0]], two[[0]], [0.5]) > 0.05


@pytest.mark.long
def test_the_search_finds_the_nearest_candidate_as_surely_as_it_says() -> None:
    labels = ["a", "b", "c", "d", "e"]
    wrong, certain = 0, 0
    for seed in range(30):
        measure = synthetic([0.35, 0.45, 0.52, 0.6, 0.7], seed)
        search = find_nearest(labels, [0.5], measure, lambda games: seat_shares(games)[[0]], most_games=40_000)
        assert search.games <= 40_000
        assert search.certain == (search.confidence >= 0.95)
        certain += search.certain
        wrong += search.certain and search.candidates[0].label != "c"
    assert certain >= 20
    # An error in 20 is allowed; 5 of 30 have a probability of 1 %.
    assert wrong <= 4
    # Far candidates are dropped early.
    assert search.candidates[-1].blocks < search.candidates[0].blocks


def test_a_search_without_enough_games_says_so() -> None:
    measure = synthetic([0.49, 0.51], 0)
    search = find_nearest(["a", "b"], [0.5], measure, lambda games: seat_shares(games)[[0]], most_games=300)
    assert search.games <= 300
    assert not search.certain
    assert search.confidence < 0.95


def test_a_search_over_two_values() -> None:
    candidates = make_candidates(
        GAME, GAME.load(None), [("start.flowers.0", ["0", "30"]), ("start.flowers.1", ["0", "30"])]
    )
    assert [one.label for one in candidates][1] == "start.flowers.0=0, start.flowers.1=30"
    options = Options(agent="random", kinds=("absent",), games=400, jobs=1)
    search = run_search(options, candidates, [read_target("seat0=0.99")])
    assert search.candidates[0].label == "start.flowers.0=30, start.flowers.1=0"
    assert search.games == sum(one.blocks for one in search.candidates)


@pytest.mark.parametrize(
    ("target", "kind", "message"),
    [
        ("seat0", "absent", "target: expected SUBJECT=SHARE .*, got 'seat0'"),
        ("seat0=1.5", "absent", "target: expected SUBJECT=SHARE with a share above 0 and below 1, got 'seat0=1.5'"),
        ("merchant=0.5", "absent", "target 'merchant': games of kind absent have seat0, seat1"),
        ("seat2=0.5", "assigned", "target 'seat2': games of kind assigned have merchant, .*, seat0, seat1"),
    ],
)
def test_a_wrong_target_is_refused(target: str, kind: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_target(target).column(kind, GAME.require("roles").names, 2)


def test_the_command_writes_the_same_files_each_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sweep = (f"{DISCOUNT}=0", "start.flowers=[30,0]")
    for folder in ("one", "two"):
        main(Options(sweep=sweep, agent="random", blocks=2, jobs=1, out=tmp_path / folder))
    assert "Shares of the wins, roles assigned" in capsys.readouterr().out
    names = ["whatif.json", "whatif.md", "whatif.svg"]
    assert sorted(file.name for file in (tmp_path / "one").iterdir()) == names
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    content = json.loads((tmp_path / "one" / "whatif.json").read_text())
    assert content["reference_values"] == {DISCOUNT: "1", "start.flowers": "[2, 2, 2, 2]"}
    assert [one["label"] for one in content["settings"]][1:] == list(sweep)


def test_the_command_searches(tmp_path: Path) -> None:
    kinds: Any = ("absent",)
    options = Options(
        target=("seat0=0.9",),
        over=("start.flowers.0=2..3",),
        agent="random",
        kinds=kinds,
        games=100,
        jobs=1,
        out=tmp_path,
    )
    main(options)
    assert json.loads((tmp_path / "target.json").read_text())["wanted"] == {"seat0": 0.9}
    assert re.search("Of 2 candidates, .+ comes nearest to the target", (tmp_path / "target.md").read_text())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"over": ("x=1..2",)}, "over: expected --target ROLE=SHARE, got nothing to search for"),
        ({"kinds": ("powerless",)}, "kinds: expected assigned, drafted or absent, each once, got .*powerless"),
        ({"target": ("seat0=0.5",)}, "target: expected --over or --sweep of one or two values, got 0"),
        ({"precision": 0.0}, "precision: expected more than 0, got 0.0"),
    ],
)
def test_wrong_options_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        main(Options(**given))


def test_a_role_alone_is_measured_in_its_own_games() -> None:
    sweep = {"sweep": ("characters.merchant.discount=0,1",), "agent": "greedy", "blocks": 10, "jobs": 1}
    options = {"game_options": {"max_rounds": 20}}
    whole = main(Options(**sweep, **options))
    alone = main(Options(**sweep, **options, role="merchant"))
    assert isinstance(whole, WhatIf)
    assert isinstance(alone, WhatIf)
    assert (whole.games, alone.games) == (2 * 10 * 6, 2 * 10 * 2)
    assert [(row.subject, row.setting) for row in alone.rows] == [("merchant", 0), ("merchant", 1)]
    same = [row for row in whole.rows if row.subject == "merchant"]
    assert [(row.share, row.margin) for row in alone.rows] == [(row.share, row.margin) for row in same]
    assert alone.rows[1].change.value == same[1].change.value
    # The plot has no panel of seats then.
    assert ["Seats, assigned" in whatif_pages.plot(one, {}) for one in (whole, alone)] == [True, False]
    # An interval of one change is shorter than one of all changes together.
    assert alone.rows[1].change.high - alone.rows[1].change.low < same[1].change.high - same[1].change.low


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"role": "king"}, "role: expected one of merchant, trickster.*, got 'king'"),
        ({"role": "merchant", "kinds": ("drafted",)}, "role: merchant; it needs assigned roles alone"),
    ],
)
def test_a_role_that_cannot_be_alone_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        main(Options(sweep=("characters.merchant.discount=0,1",), **wrong))

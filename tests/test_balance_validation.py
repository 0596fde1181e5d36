"""The validation of the laboratory: imagined studies have the effects they should, and are counted rightly."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dunaia_env.balance import validation
from dunaia_env.balance.intervals import role_blocks, seat_blocks
from dunaia_env.balance.simulation import SEAT_SHARES, World, draw_games, planted_world
from dunaia_env.balance.statements import STATEMENTS
from dunaia_env.balance.validation import (
    Options,
    Validation,
    describe,
    rate_of,
    read_validation,
    validate,
)

pytestmark = pytest.mark.once

SMALL = Options(studies=12, players=(2, 3), blocks=(400, 300), strengths=2, planted=0.1, tolerance=0.05, samples=200)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_planted_effects_have_their_size(players: int) -> None:
    (games,) = draw_games(planted_world(players, 0.03), 40_000, 1, seed=players)
    blocks = role_blocks(games, games.shares, 6) - 1 / players
    errors = blocks.std(axis=0) / np.sqrt(len(blocks))
    truth = np.array([0.03, *[-0.006] * 5])
    assert (np.abs(blocks.mean(axis=0) - truth) < 4 * errors).all()
    assert errors[0] < 0.002


def test_seats_have_their_shares_without_luck() -> None:
    world = planted_world(3, 0.0, seat_luck=0.0, role_luck=0.0)
    assert world.roles == (0.0,) * 6
    (games,) = draw_games(world, 4000, 1)
    np.testing.assert_allclose(seat_blocks(games, games.shares).mean(axis=0), SEAT_SHARES[3], atol=0.012)


def test_luck_is_common_to_the_strengths_of_a_block() -> None:
    def correlation(world: World) -> float:
        one, other = (role_blocks(games, games.shares, 6)[:, 0] for games in draw_games(world, 3000, 2))
        return float(np.corrcoef(one, other)[0, 1])

    assert correlation(planted_world(2, 0.0, role_luck=1.5)) > 0.15
    assert abs(correlation(planted_world(2, 0.0, seat_luck=0.0, role_luck=0.0))) < 0.07


def test_games_are_those_of_the_design() -> None:
    (games,) = draw_games(planted_world(4, 0.0), 3, 1)
    assert len(games) == 18
    assert games.block.tolist() == [0] * 6 + [1] * 6 + [2] * 6
    assert np.sort(games.ranks, axis=1).tolist() == [[1, 2, 3, 4]] * 18
    assert np.argsort(-games.scores[0]).tolist() == np.argsort(games.ranks[0]).tolist()


def test_rates() -> None:
    rate = rate_of([True] * 5 + [False] * 95)
    assert (rate.times, rate.of, rate.value) == (5, 100, 0.05)
    assert (rate.low, rate.high) == pytest.approx((0.0164, 0.1128), abs=1e-4)
    none = rate_of([False] * 10)
    assert (none.value, none.low) == (0, 0)
    assert rate_of([True] * 10).high == 1
    with pytest.raises(ValueError, match="expected at least one observation"):
        rate_of([])


@pytest.fixture(scope="module")
def small() -> Validation:
    return validate(SMALL)


@pytest.mark.long
def test_large_effects_are_found_and_null_studies_are_quiet(small: Validation) -> None:
    found = small
    assert found.false_alarms.times <= 4
    assert found.false_verdicts.times == 0
    assert found.joint_coverage.times >= 8
    assert found.false_at_boundary.times <= 4
    for table, players, blocks in zip(found.tables, (2, 3), (400, 300), strict=True):
        assert (table.players, table.blocks, table.games) == (players, blocks, 6 * blocks)
        assert table.power.times == 12
        assert table.power_of_all.times == 12
        assert table.coverage.times >= 11
        assert table.coverage_alone.times >= 8
        assert table.over_at_boundary.times <= 2
        assert 1.3 < table.half_width / table.half_width_alone < 1.9
        assert table.blocks_for_point == pytest.approx(blocks * (100 * table.half_width) ** 2, rel=0.01)
    once = replace(SMALL, studies=1)
    assert validate(once) == validate(once)
    text = describe(found)
    assert "planted advantage found at one strength" in text
    assert f"{found.tables[0].blocks_for_point:,}" in text
    content = json.loads(found.to_json())
    low = round(0.025 ** (1 / 12), 6)
    power = content["tables"][1]["power"]
    assert power | {"low": round(power["low"], 6)} == {"times": 12, "of": 12, "value": 1.0, "low": low, "high": 1.0}
    assert content["false_alarms"]["of"] == 12


@pytest.mark.long
def test_every_statement_is_counted_in_its_situation(small: Validation) -> None:
    assert [one.words for one in small.statements] == [one.words for one in STATEMENTS]
    for statement in small.statements:
        # Twelve studies: 5 or more of an event with a probability of 5 % happen by chance in 1 of 500.
        assert statement.rate.times <= 4 or statement.least
        assert statement.rate.times >= 6 or not statement.least
    assert small.false_trends.times <= 4


@pytest.mark.long
def test_small_effects_are_not_found() -> None:
    found = validate(Options(studies=10, players=(2,), blocks=(40,), strengths=1, samples=200))
    assert found.tables[0].power.times <= 2
    assert found.tables[0].coverage.times >= 8


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"studies": 0}, "studies: expected more than 0, got 0"),
        ({"players": (5,)}, r"blocks: expected at least 2.*, got \(0,\)"),
        ({"players": (5,), "blocks": (10,)}, "players: expected one of 2, 3, 4, got 5"),
        ({"blocks": (10,)}, r"blocks: expected at least 2 for each.*, got \(10,\)"),
        ({"players": (), "blocks": ()}, r"blocks: expected at least 2.*, got \(\)"),
        ({"roles": 3}, "roles: expected at least as many as players, 4, got 3"),
        ({"planted": 0.9}, r"effect: expected a number above -0\.500 and below 0\.500, got 0\.9"),
    ],
)
def test_bad_options_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        validate(Options(**fields))


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "folder" / "validation.json"
    validation.main(Options(out=out, studies=2, players=(2,), blocks=(10,), strengths=1, samples=50))
    read = read_validation(out)
    assert read.studies == 2
    assert read.to_json() == out.read_text(encoding="utf-8")
    out.write_text(out.read_text(encoding="utf-8").replace('"studies": 2', '"studies": "2"'), encoding="utf-8")
    with pytest.raises(ValueError, match=r"validation\.json: studies: expected a 64-bit integer, got '2'"):
        read_validation(out)
    assert "2 simulated studies of each kind" in capsys.readouterr().out
    command = [sys.executable, "-m", "dunaia_env.balance.validation"]
    done = subprocess.run([*command, "--studies", "0"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "validation: studies: expected more than 0, got 0" in done.stderr

"""The compiled rules of Dune against the independent reference, decision by decision."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dunaia_env.dune import GAME
from dunaia_env.dune.actions import NUM_ACTIONS
from dunaia_env.dune.components import load
from dunaia_env.dune.entry_points import ENTRY_POINTS
from dunaia_env.dune.state import STATE_SIZE
from dunaia_env.harness.compiled.chance import Stream
from dunaia_env.harness.compiled.entry_points import begin, list_legal, play
from tests.dune_against_reference import play_both, tables

TABLES = list(tables())
WITH_TLEILAX = (6, {"tleilax": True, "karama_powers": True}, (6, 0, 1, 2, 3, 5))
EVERY_TABLE = [*TABLES, WITH_TLEILAX]


def name_of(table: tuple[int, dict[str, Any], Any]) -> str:
    players, options, _ = table
    return f"{players} {' '.join(f'{name}={value}' for name, value in options.items())}".strip()


@pytest.mark.parametrize(
    "table",
    [table if table[0] < 6 else pytest.param(table, marks=pytest.mark.compiled) for table in TABLES[::5]],
    ids=name_of,
)
def test_a_game_agrees_with_the_reference(table: Any) -> None:
    assert play_both(*table, seed=11, style=TABLES.index(table) % 3)[0] > 20


@pytest.mark.slow
@pytest.mark.parametrize("table", EVERY_TABLE, ids=name_of)
def test_many_games_agree_with_the_reference(table: Any) -> None:
    seed = 1000 + EVERY_TABLE.index(table) % 2
    assert play_both(*table, seed=seed, style=seed % 3)[0] > 20


def begun(seed: int, players: int = 6) -> tuple[np.ndarray[Any, np.dtype[np.uint8]], Any, Any, int]:
    """A game that has begun, with its components, its legal actions and their number."""
    row = GAME.option_row(GAME.check_options({"num_players": players}))
    state, legal = np.full(STATE_SIZE, 7, np.uint8), np.zeros(NUM_ACTIONS, np.int16)
    components = load(None).buffer
    count = begin(ENTRY_POINTS.for_play(), state, components, Stream(seed).begin(), row, legal)
    return state, components, legal, count


def test_a_game_begins_the_same_whatever_the_memory_held_before() -> None:
    state = begun(3)[0]
    again = begun(3)[0]
    assert state.tobytes() == again.tobytes()
    assert state.tobytes() != begun(4)[0].tobytes()


def test_listing_legal_actions_changes_nothing() -> None:
    state, components, legal, count = begun(5)
    before, listed = state.copy(), np.zeros(NUM_ACTIONS, np.int16)
    assert list_legal(ENTRY_POINTS.for_play(), state, components, listed) == count
    np.testing.assert_array_equal(listed[:count], legal[:count])
    np.testing.assert_array_equal(state, before)


def test_common_chance_survives_other_decisions() -> None:
    """Two games with one seed draw the same first cards and discs, whatever was decided before."""
    draws = []
    for choice in (0, -1):
        state, components, legal, count = begun(8)
        stream, seen = Stream(8), []
        for _ in range(8):
            if count == 0:
                break
            action = int(legal[:count][choice])
            count = play(ENTRY_POINTS.for_play(), state, components, stream.begin(), action, legal)
            seen += stream.draws
        draws.append(seen[:6])
    assert draws[0] == draws[1]


def test_the_comparison_runs_from_the_command_line() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from tests.dune_against_reference import main; main(['0'])"],
        cwd=Path(__file__).resolve().parent.parent,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("0 decisions agree")

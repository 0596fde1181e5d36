"""The engine against an independent implementation written from the specification alone: every decision must agree."""

from __future__ import annotations

import pytest

from dunaia_env.harness.compiled.chance import game_seed
from dunaia_env.harness.opponents import load
from dunaia_env.replay import record_game, to_text

from .reference.check import TraceError, check_trace
from .sampling import sampled_as_plain

TABLES = [(players, elites) for players in (2, 3, 4) for elites in (False, True)]


def check_games(players: int, elites: bool, agents: list[str], max_rounds: int, games: int, seed: int) -> int:
    decisions = 0
    for game in range(games):
        replay = record_game(
            int(game_seed(seed, 0, game)),
            [load(name) for name in agents],
            num_players=players,
            elites=elites,
            max_rounds=max_rounds,
            trace=True,
        )
        decisions += check_trace(to_text(replay).splitlines())
    return decisions


@pytest.mark.parametrize(("players", "elites"), sampled_as_plain(TABLES, 3))
@pytest.mark.parametrize(
    ("agents", "max_rounds"),
    [
        (["random"], 100),
        pytest.param(["greedy"], 100, marks=pytest.mark.compiled),
        (["random", "greedy"], 9),
    ],
    ids=lambda value: str(value),
)
def test_reference__agrees(players: int, elites: bool, agents: list[str], max_rounds: int) -> None:
    assert check_games(players, elites, agents, max_rounds, games=2, seed=100) > 50


@pytest.mark.slow
@pytest.mark.parametrize(("players", "elites"), TABLES)
@pytest.mark.parametrize("agents", [["random"], ["greedy"], ["random", "greedy"]], ids=str)
def test_reference__agrees_in_many_games(players: int, elites: bool, agents: list[str]) -> None:
    assert check_games(players, elites, agents, 100, games=3, seed=5000) > 300


def test_reference__a_wrong_state_is_noticed() -> None:
    text = to_text(record_game(1, [load("random")], max_rounds=2, trace=True))
    with pytest.raises(TraceError):
        check_trace(text.replace('"flowers": 3', '"flowers": 4', 1).splitlines())

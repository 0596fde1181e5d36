"""Bounds of a game: worked out by hand for some components, and never exceeded by players who draw a game out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from dunaia_env import GameState, Stream, dunaia
from dunaia_env.dunaia.bounds import MOST_OUTCOMES, most_decisions, most_draws, most_points
from dunaia_env.dunaia.components import Components, parse
from dunaia_env.harness.registry import DEFAULT_GAME

OWN = Path(dunaia.__file__).with_name("components.toml").read_text(encoding="utf-8")
TABLES = [(players, elites) for players in (2, 3, 4) for elites in (False, True)]
ROUNDS = 20


def changed(*changes: tuple[str, str]) -> Components:
    text = OWN
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return parse(text, "changed")


# Buildings cost nothing, chips come in plenty, elders give many moves.
RICH = changed(
    ("level_1 = [1, 2]\nlevel_2 = [2, 3]\nlevel_3 = [3, 4]", "level_1 = [0, 0]\nlevel_2 = [0, 0]\nlevel_3 = [0, 0]"),
    ('effect = "chips", amount = 2', 'effect = "chips", amount = 9'),
    ('effect = "chips", amount = 1', 'effect = "chips", amount = 9'),
    ("flowers = 2\nmoves = 2", "flowers = 50\nmoves = 9"),
)


def test_bounds_are_those_worked_out_by_hand() -> None:
    own = dunaia.load()
    # A turn: 5 of every turn, waking 6 chips and twice 1 + 2 moves, recycling 3, 6 calls of 4, a power of 4: 48.
    assert most_decisions(own, 2, 100) == 2 + 2 * 100 * 48
    assert most_decisions(own, 4, 1) == 4 + 4 * 48
    # 3 elders, 3 prophecies, 3 characters, 6 tiles, 7 dice; a die a turn; 40 tiles.
    assert most_draws(own, 2, 100) == 22 + 200 + 40
    # 9 buildings of 3 and two arrows of 2; 5 artefacts 14 and 7 more of 4; prophecies 3 times 4; flowers: 2 and, each
    # round, 10 from waking, 3 from recycling, 12 from elders, 2 from a power, 1 from the other player.
    assert most_points(own, 2, 3) == 9 * 7 + 42 + 12 + (2 + 3 * 28) // 3


def test_a_game_has_at_most_as_many_rounds_as_its_limit() -> None:
    own = dunaia.load()
    for rounds in (1, 100):
        bounds = DEFAULT_GAME.bounds(own, {"num_players": 3, "elites": True, "max_rounds": rounds})
        assert (bounds.outcomes, bounds.least_points, bounds.rounds) == (MOST_OUTCOMES, 0, rounds)
        assert bounds.draws == most_draws(own, 3, rounds)
        assert bounds.decisions == most_decisions(own, 3, rounds)
        assert bounds.most_points == most_points(own, 3, rounds)


def test_bounds_follow_the_components() -> None:
    assert most_decisions(RICH, 2, 1) == 2 + 2 * (5 + 12 + 9 + 6 * (2 + 9) + 4)
    more_dice = changed(("neutral = { 2 = 5,", "neutral = { 2 = 9,"))
    assert most_draws(more_dice, 2, 100) == most_draws(dunaia.load(), 2, 100) + 4
    assert most_points(RICH, 2, 1) == 9 * 7 + 42 + 12 + (2 + 1 * (10 + 3 + 6 * 50 + 2 + 1)) // 3
    by_seat = changed(("flowers = 2\ntokens", "flowers = [1, 5, 90, 2]\ntokens"))
    assert most_points(by_seat, 2, 3) == most_points(dunaia.load(), 2, 3) + 1
    assert most_points(by_seat, 3, 1) == 9 * 7 + 42 + 12 + (90 + 29) // 3
    # No state holds more flowers than an int16.
    assert most_points(RICH, 2, 1000) == 9 * 7 + 42 + 12 + 32767 // 3


def draw_out(state: GameState, random: np.random.Generator) -> int:
    """Call elders where that is possible, and never pass, save or stop as long as something else can be done."""
    verbs = {action: dunaia.action_text(action).split()[0] for action in state.legal_actions()}
    calls = [action for action, verb in verbs.items() if verb == "call" and random.random() < 0.7]
    busy = [action for action, verb in verbs.items() if verb not in ("pass", "flower")]
    return int(random.choice(calls or busy or list(verbs)))


@pytest.mark.compiled
@pytest.mark.parametrize("components", [dunaia.load(), RICH], ids=["own", "rich"])
@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_no_game_exceeds_its_bounds(players: int, elites: bool, components: Components) -> None:
    turn_bound = (most_decisions(components, players, ROUNDS) - players) // (players * ROUNDS)
    largest = 0
    for seed in range(3):
        random, chance = np.random.default_rng(seed), Stream(seed)
        state = GameState.new(chance, num_players=players, elites=elites, components=components, max_rounds=ROUNDS)
        decisions: Counter[tuple[int, int]] = Counter()
        calls: Counter[tuple[int, int]] = Counter()
        draws = list(chance.draws)
        while not state.is_over:
            turn = (state.to_dict()["round"], state.seat)
            action = draw_out(state, random)
            decisions[turn] += state.decision != "DRAFT"
            calls[turn] += dunaia.action_text(action).startswith("call")
            state.apply(action, chance)
            draws += chance.draws
        rounds = state.to_dict()["round"]
        assert rounds <= ROUNDS
        assert max(calls.values()) <= 6
        assert max(decisions.values()) <= turn_bound
        assert sum(decisions.values()) + players <= most_decisions(components, players, rounds)
        assert most_draws(components, players, rounds) - 40 <= len(draws) <= most_draws(components, players, rounds)
        assert max(state.scores()) <= most_points(components, players, rounds)
        largest = max(largest, *(n for n, _ in draws))
    assert largest == MOST_OUTCOMES

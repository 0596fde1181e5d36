"""The battle for OpenSpiel: its contract, agreement with the engine and with the listed tree, its exact algorithms."""

from __future__ import annotations

import json
import pickle
from itertools import product
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import cfr, exploitability
from open_spiel.python.policy import TabularPolicy

from dunaia_env.envs.open_spiel import OpenSpielState, RecallObserver
from training.benchmark.battle.equilibrium import Solution
from training.benchmark.battle.game import GAME
from training.benchmark.battle.open_spiel import BattleGame, KnowledgeObserver
from training.benchmark.battle.players import solved
from training.benchmark.battle.tree import Tree, set_ups
from training.benchmark.listed import Floats, uniform_policy

pytestmark = [pytest.mark.compiled, pytest.mark.slow, pytest.mark.once]

NAME = f"python_{GAME.name}"


@pytest.fixture(scope="module")
def battle() -> BattleGame:
    game: BattleGame = pyspiel.load_game(NAME)
    return game


@pytest.fixture(scope="module")
def solution() -> Solution:
    return solved()


@pytest.fixture(scope="module")
def states(battle: BattleGame) -> TabularPolicy:
    """OpenSpiel's table of all information states, uniform."""
    return TabularPolicy(battle)


def row_numbers(tree: Tree, table: TabularPolicy) -> list[int]:
    """The row of OpenSpiel's table that each information state of the tree has."""
    found = []
    for number in range(len(tree)):
        seat = int(tree.seats[number])
        text = json.dumps({"observer": seat, "position": tree.state(number).known_to(seat)})
        found.append(table.state_lookup[text])
    return found


def table_of(tree: Tree, table: TabularPolicy, policy: Floats) -> TabularPolicy:
    """A policy of the tree as one of OpenSpiel."""
    copy = table.__copy__()
    for number, row in enumerate(row_numbers(tree, table)):
        here = slice(*tree.first_actions[number : number + 2])
        copy.action_probability_array[row] = 0
        copy.action_probability_array[row, tree.actions[here]] = policy[here]
    return copy


def play(state: OpenSpielState, random: np.random.Generator) -> None:
    state.apply_action(int(random.choice(state.legal_actions())))


def test_openspiels_own_test_passes(battle: BattleGame) -> None:
    for serialize in (False, True):
        pyspiel.random_sim_test(battle, num_sims=3, serialize=serialize, verbose=False)
    assert NAME in pyspiel.registered_names()
    assert str(pickle.loads(pickle.dumps(battle))) == str(battle)


def test_a_game_begins_with_a_deal_and_ends_with_the_margin(battle: BattleGame) -> None:
    random, begins = np.random.default_rng(1), dict(set_ups(GAME))
    for hands, first, second in product(range(12), (0, 1), (0, 1)):
        state, probability = battle.new_initial_state(), 1.0
        for outcome in (hands, first, second):
            chances = dict(state.chance_outcomes())
            assert sum(chances.values()) == pytest.approx(1)
            probability *= chances[outcome]
            state.apply_action(outcome)
        assert begins.pop(state.game_state) == pytest.approx(probability)
        while not state.is_terminal():
            position = state.game_state
            assert (state.current_player(), state.legal_actions()) == (position.seat, position.legal_actions())
            play(state, random)
        first, second = state.game_state.scores()
        assert state.returns() == [first - second, second - first]
        assert battle.min_utility() <= min(state.returns()) <= max(state.returns()) <= battle.max_utility()
    assert not begins


def test_an_information_state_is_everything_that_a_seat_saw_and_did(battle: BattleGame) -> None:
    """The knowledge of a moment distinguishes exactly the courses that the whole memory of a seat distinguishes."""
    random, memory = np.random.default_rng(2), RecallObserver(GAME, None)
    pairs: dict[tuple[int, str], str] = {}
    for _ in range(40):
        state = battle.new_initial_state()
        while state.is_chance_node():
            play(state, random)
        while not state.is_terminal():
            seat = state.current_player()
            text, remembered = state.information_state_string(seat), memory.string_from(state, seat)
            assert pairs.setdefault((seat, text), remembered) == remembered
            play(state, random)
    assert len(set(pairs.values())) == len(pairs) > 100


def test_a_hidden_plan_does_not_enter_the_information_state_of_the_other_seat(battle: BattleGame) -> None:
    random, seen = np.random.default_rng(3), set[Any]()
    for _ in range(40):
        state = battle.new_initial_state()
        for outcome in (7, 0, 1):
            state.apply_action(outcome)
        while state.current_player() == 0:
            play(state, random)
        # A new observer writes the text of this very state.
        texts = state.information_state_string(1), KnowledgeObserver({}, None).string_from(state, 1)
        seen.add((*texts, tuple(state.information_state_tensor(1))))
    assert len(seen) == 1


def test_openspiel_lists_the_same_information_states(solution: Solution, states: TabularPolicy) -> None:
    tree = solution.tree
    assert len(states.states) == len(tree)
    assert sorted(row_numbers(tree, states)) == list(range(len(tree)))
    for number, row in enumerate(row_numbers(tree, states)):
        state = states.states[row]
        here = slice(*tree.first_actions[number : number + 2])
        assert state.current_player() == tree.seats[number]
        assert state.legal_actions() == tree.actions[here].tolist()
        if number % 50 == 0:
            observation = tree.state(number).observation() / GAME.observation_scale
            assert state.information_state_tensor() == pytest.approx(observation.tolist())


def test_openspiel_measures_the_same_exploitability(
    battle: BattleGame, solution: Solution, states: TabularPolicy
) -> None:
    policy = (uniform_policy(solution.tree) + 2 * solution.optimal) / 3
    found = exploitability.nash_conv(battle, table_of(solution.tree, states, policy))
    assert found / 2 == pytest.approx(solution.measure(policy).exploitability, abs=1e-9)


def test_openspiels_own_solver_approaches_the_equilibrium(battle: BattleGame, solution: Solution) -> None:
    solver = cfr.CFRPlusSolver(battle)
    for _ in range(3):
        solver.evaluate_and_update_policy()
    average, tree = solver.average_policy(), solution.tree
    policy = np.zeros(len(tree.actions))
    for number, row in enumerate(row_numbers(tree, average)):
        here = slice(*tree.first_actions[number : number + 2])
        policy[here] = average.action_probability_array[row, tree.actions[here]]
    assert solution.measure(policy).exploitability < 0.4 * solution.measure(uniform_policy(tree)).exploitability

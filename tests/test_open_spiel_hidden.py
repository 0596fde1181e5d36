"""OpenSpiel's algorithms for hidden information: samples of states, IS-MCTS, MCCFR, Deep CFR, NFSP; other processes."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import external_sampling_mccfr, ismcts, mcts, outcome_sampling_mccfr
from open_spiel.python.pytorch import deep_cfr, nfsp

from dunaia_env.envs.open_spiel import OpenSpielGame, OpenSpielState, register
from tests.toy_game import GAME as BIDS

pytestmark = [pytest.mark.compiled, pytest.mark.once]

DUEL = "python_dune(preset=duel,max_turns=1)"
SMALL_BIDS = "python_sealed_bids(hand=2,laps=1)"
SAMPLER = pyspiel.UniformProbabilitySampler(7, 0.0, 1.0)


@pytest.fixture(scope="module", autouse=True)
def _bids() -> None:
    register(BIDS)


def load(name: str) -> OpenSpielGame:
    game: OpenSpielGame = pyspiel.load_game(name)
    return game


def old_generator(seed: int) -> Any:
    """A generator with the methods of NumPy's older ones, which the bot calls."""
    own = np.random.default_rng(seed)
    return SimpleNamespace(randint=own.integers, uniform=own.uniform, choice=own.choice, shuffle=own.shuffle)


def decisions(state: OpenSpielState, seed: int) -> Iterator[OpenSpielState]:
    """The state at each decision of a random game, changed in place, and at the end."""
    random = np.random.default_rng(seed)
    while not state.is_terminal():
        if not state.is_chance_node():
            yield state
        state.apply_action(int(random.choice(state.legal_actions())))
    yield state


@pytest.mark.parametrize(
    ("name", "every"),
    [
        (DUEL, 3),
        ("python_dune(preset=full,players=3,max_turns=1)", 5),
        ("python_sealed_bids(players=3,hand=3,laps=3)", 1),
    ],
)
def test_a_sample_is_a_state_in_which_the_seat_knows_the_same(name: str, every: int) -> None:
    different = 0
    for number, state in enumerate(decisions(load(name).new_initial_state(), 2)):
        if number % every:
            continue
        for seat in range(state.num_players()):
            sample = state.resample_from_infostate(seat, SAMPLER)
            assert sample.current_player() == state.current_player()
            assert sample.observation_string(seat) == state.observation_string(seat)
            assert sample.observation_tensor(seat) == state.observation_tensor(seat)
            assert sample.information_state_string(seat) == state.information_state_string(seat)
            if seat == state.current_player():
                assert sample.legal_actions() == state.legal_actions()
            different += str(sample) != str(state)
    assert different > 5


def test_a_sample_remembers_as_the_game_goes_on() -> None:
    """A sample of a sample, at a later decision, knows what its seat saw from the beginning."""
    *_, (_, first) = zip(range(4), decisions(load(DUEL).new_initial_state(), 1), strict=False)
    seat = first.current_player()
    sample = first.resample_from_infostate(seat, SAMPLER)
    for state in (first, sample):
        state.apply_action(first.legal_actions()[0] if state is first else sample.legal_actions()[0])
    assert sample.history() == first.history()[-1:]
    later = sample
    while later.is_chance_node():
        later.apply_action(0)
    again = later.resample_from_infostate(seat, SAMPLER)
    assert again.information_state_string(seat) == later.information_state_string(seat)
    assert len(later.information_state_string(1 - seat)) < len(later.information_state_string(seat))
    for twin in (again.clone(), copy.deepcopy(again), pickle.loads(pickle.dumps(again))):
        assert twin.information_state_string(seat) == again.information_state_string(seat)
        assert str(twin) == str(again)


def test_samples_follow_the_sampler() -> None:
    *_, state = zip(range(9), decisions(load(DUEL).new_initial_state(), 5), strict=False)
    texts = [str(state[1].resample_from_infostate(0, lambda number=number: number)) for number in (0.25, 0.25, 0.75)]
    assert texts[0] == texts[1] != texts[2]


def test_while_a_draw_is_in_progress_there_is_no_sample() -> None:
    state = load(DUEL).new_initial_state()
    with pytest.raises(
        ValueError,
        match=(
            r"^state: expected a decision or the end of the game, got a draw in progress \(set-up, next draw of"
            r" 30\)"
        ),
    ):
        state.resample_from_infostate(0, SAMPLER)


def test_a_sample_of_a_game_of_perfect_information_is_a_copy() -> None:
    state = load("python_dunaia(max_rounds=2)").new_initial_state()
    state.apply_action(2)
    sample = state.resample_from_infostate(1, SAMPLER)
    assert (sample.history(), str(sample)) == (state.history(), str(state))
    sample.apply_action(0)
    assert sample.history() != state.history()


@pytest.mark.parametrize("use_observation_string", [True, False])
def test_openspiels_ismcts_plays_a_duel(use_observation_string: bool) -> None:
    game, random = load(DUEL), old_generator(3)
    evaluator = mcts.RandomRolloutEvaluator(1, random)
    bot = ismcts.ISMCTSBot(game, evaluator, 2, 4, random_state=random, use_observation_string=use_observation_string)
    state, decided = game.new_initial_state(), 0
    while not state.is_terminal():
        if state.current_player() == 0:
            action = int(bot.step(state))
            assert action in state.legal_actions()
            decided += 1
        else:
            action = int(random.choice(state.legal_actions()))
        state.apply_action(action)
    assert decided > 3
    assert sum(state.returns()) == 0


@pytest.mark.parametrize("name", [DUEL, "python_dunaia(max_rounds=2)"])
def test_openspiels_outcome_sampling_mccfr_makes_steps(name: str) -> None:
    solver = outcome_sampling_mccfr.OutcomeSamplingSolver(load(name))
    for _ in range(2):
        solver.iteration()
    state = next(decisions(load(name).new_initial_state(), 1))
    policy = solver.average_policy().action_probabilities(state)
    assert sorted(policy) == sorted(state.legal_actions())
    assert sum(policy.values()) == pytest.approx(1)


def test_openspiels_external_sampling_mccfr_makes_steps() -> None:
    solver = external_sampling_mccfr.ExternalSamplingSolver(load(SMALL_BIDS))
    for _ in range(3):
        solver.iteration()
    state = next(decisions(load(SMALL_BIDS).new_initial_state(), 1))
    assert sum(solver.average_policy().action_probabilities(state).values()) == pytest.approx(1)


def test_openspiels_deep_cfr_makes_steps() -> None:
    steps = {"policy_network_train_steps": 2, "advantage_network_train_steps": 2, "memory_capacity": 100}
    sizes = {"batch_size_advantage": 2, "batch_size_strategy": 2, "num_iterations": 2, "num_traversals": 2}
    layers = {"policy_network_layers": (8,), "advantage_network_layers": (8,)}
    game = load(SMALL_BIDS)
    solver = deep_cfr.DeepCFRSolver(game, **layers, **sizes, **steps)
    _, advantage_losses, policy_loss = solver.solve()
    assert set(advantage_losses) == {0, 1}
    assert np.isfinite(policy_loss)
    state = next(decisions(game.new_initial_state(), 1))
    policy = solver.action_probabilities(state)
    assert sorted(policy) == sorted(state.legal_actions())


def test_openspiels_nfsp_learns_from_a_duel() -> None:
    environment = rl_environment.Environment(load("python_dune(preset=duel,max_turns=2)"))
    environment.seed(1)
    options: dict[str, Any] = {
        "state_representation_size": environment.observation_spec()["info_state"][0],
        "num_actions": environment.action_spec()["num_actions"],
        "hidden_layers_sizes": [8],
        "reservoir_buffer_capacity": 100,
        "anticipatory_param": 0.5,
        "batch_size": 4,
        "rl_learning_rate": 0.01,
        "sl_learning_rate": 0.01,
        "min_buffer_size_to_learn": 8,
        "learn_every": 4,
    }
    agents = [nfsp.NFSP(seat, **options) for seat in range(2)]
    for _ in range(3):
        step = environment.reset()
        while not step.last():
            step = environment.step([agents[step.observations["current_player"]].step(step).action])
        for agent in agents:
            agent.step(step)
    losses = [loss for agent in agents for loss in agent.loss]
    assert any(loss is not None for loss in losses)
    assert all(loss is None or np.isfinite(loss) for loss in losses)


UNPICKLE = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read()))"


@pytest.mark.long
def test_another_process_loads_games_and_states_without_an_import() -> None:
    game = load(DUEL)
    state = game.new_initial_state()
    state.apply_action(3)
    for content in (game, state):
        command = [sys.executable, "-c", UNPICKLE]
        done = subprocess.run(command, input=pickle.dumps(content), capture_output=True, check=True)
        assert done.stdout.decode().strip() == str(content)
    assert str(copy.deepcopy(game)) == str(game)

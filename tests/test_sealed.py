"""Sealed decisions: which they are, and that players who choose the best action elsewhere draw there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agents.guided import GuidedAgent
from agents.network import Network, NetworkAgent
from dunaia_env import GameState, Lanes
from dunaia_env.dune import GAME
from dunaia_env.harness.registry import DEFAULT_GAME

pytestmark = pytest.mark.compiled

SEALED = ("DIAL", "LEADER", "WEAPON", "DEFENCE", "NUMBER")


def lanes_in_play(number: int, steps: int) -> Lanes:
    lanes = Lanes(number, game=GAME, preset="duel")
    lanes.reset(1)
    for _ in range(steps):
        lanes.step(lanes.random_actions(2))
    return lanes


def player(**options: Any) -> NetworkAgent:
    random = np.random.default_rng(3)
    inputs, width = GAME.used_size(2), 8
    arrays = {"input_scale": GAME.observation_scale[:inputs].copy()}
    for name, shape in {"hidden.0": (width, inputs), "policy": (GAME.num_actions, width), "value": (2, width)}.items():
        arrays[f"{name}.weight"] = (random.normal(size=shape) / np.sqrt(shape[1])).astype(np.float32)
        arrays[f"{name}.bias"] = np.zeros(shape[0], np.float32)
    header = {
        "action_hash": GAME.action_hash,
        "observation_hash": GAME.observation_hash,
        "components_hash": GAME.load(None).hash,
        "players": [2],
    }
    return NetworkAgent(Network(arrays, header), game=GAME, **options)


@pytest.fixture(scope="module")
def lanes() -> Lanes:
    """Games of which some wait for a sealed decision between several actions."""
    lanes = lanes_in_play(96, 90)
    choices = lanes.action_masks.sum(axis=1) > 1
    assert choices[GAME.sealed(lanes.states)].sum() > 3
    return lanes


def states_with(lanes: Lanes, *, sealed: bool, number: int) -> list[GameState]:
    chosen = np.flatnonzero((GAME.sealed(lanes.states) == sealed) & (lanes.action_masks.sum(axis=1) > 1))
    return [lanes.get_state(int(lane)) for lane in chosen[:number]]


def test_the_first_storm_and_the_battle_plans_are_sealed() -> None:
    lanes, seen = lanes_in_play(64, 0), set()
    for _ in range(300):
        states = [lanes.get_state(lane) for lane in range(lanes.num_lanes)]
        sealed = [state.decision in SEALED for state in states]
        np.testing.assert_array_equal(GAME.sealed(lanes.states), sealed)
        assert [state.is_sealed for state in states] == [state.view().is_sealed for state in states] == sealed
        seen |= {state.decision for state in states}
        lanes.step(lanes.random_actions(2))
    assert seen > set(SEALED)
    state = GameState.new(1)
    assert not state.is_sealed
    assert DEFAULT_GAME.sealed is None


def test_a_network_draws_where_a_decision_is_sealed_and_nowhere_else(lanes: Lanes) -> None:
    agent, lane_numbers = player(), np.arange(lanes.num_lanes)
    chosen = []
    for seed in range(40):
        agent.reset(seed)
        chosen.append(agent.act_batch(lanes, lane_numbers))
    varies = (np.array(chosen) != chosen[0]).any(axis=0)
    sealed = GAME.sealed(lanes.states)
    assert not varies[~sealed].any()
    assert varies[sealed & (lanes.action_masks.sum(axis=1) > 1)].all()
    agent.reset(39)
    np.testing.assert_array_equal(agent.act_batch(lanes, lane_numbers[::3]), chosen[-1][::3])


def test_a_network_draws_from_its_policy(lanes: Lanes) -> None:
    agent, number = player(), 2000
    state = states_with(lanes, sealed=True, number=1)[0]
    agent.reset(5)
    drawn = [agent.act(state.view()) for _ in range(number)]
    check_frequencies(drawn, agent, state)
    (plain,) = states_with(lanes, sealed=False, number=1)
    assert len({agent.act(plain.view()) for _ in range(20)}) == 1


def check_frequencies(drawn: list[int], agent: NetworkAgent, state: GameState) -> None:
    logits, _ = agent.network.evaluate(state.observation()[None])
    legal = state.legal_actions()
    weights = np.exp(logits[0, legal].astype(np.float64))
    expected = len(drawn) * weights / weights.sum()
    counts = np.bincount(drawn, minlength=GAME.num_actions)[legal]
    assert counts.sum() == len(drawn)
    assert (np.abs(counts - expected) < 5 * np.sqrt(expected) + 1).all()


def test_a_search_draws_from_its_improved_policy(lanes: Lanes) -> None:
    state = states_with(lanes, sealed=True, number=1)[0]
    agent = GuidedAgent(player(), 1)
    drawn = []
    for seed in range(2000):
        agent.reset(seed)
        drawn.append(agent.act(state.view()))
    # A single simulation does not change the network's policy.
    check_frequencies(drawn, agent.player, state)


def test_a_search_chooses_alike_alone_and_in_a_batch(lanes: Lanes) -> None:
    agent = GuidedAgent(player(), 8)
    agent.reset(4)
    chosen = agent.act_batch(lanes, np.arange(lanes.num_lanes))
    alone = [agent.act(lanes.get_state(lane).view()) for lane in range(lanes.num_lanes)]
    assert chosen.tolist() == alone
    assert lanes.action_masks[np.arange(lanes.num_lanes), chosen].all()
    for lane in np.flatnonzero(~GAME.sealed(lanes.states))[:8]:
        view = lanes.get_state(int(lane)).view()
        assert agent.search(view).best(view.seat) == chosen[lane]


def test_a_search_draws_none_of_the_forbidden_actions(lanes: Lanes) -> None:
    copy = lanes_in_play(96, 90)
    chosen = np.flatnonzero(GAME.sealed(copy.states) & (copy.action_masks.sum(axis=1) > 2))[:4]
    only = [np.flatnonzero(copy.action_masks[lane])[1] for lane in chosen]
    forbidden = np.ones((len(chosen), GAME.num_actions), np.bool_)
    forbidden[np.arange(len(chosen)), only] = False
    copy.restrict(chosen, forbidden)
    assert len(chosen) > 0
    for agent in (GuidedAgent(player(), 4), player()):
        for seed in range(5):
            agent.reset(seed)
            assert agent.act_batch(copy, chosen).tolist() == only

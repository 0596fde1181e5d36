"""A pool of agents: who plays which game."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from dunaia_env import GameState, Lanes
from dunaia_env.harness.opponents import Agent, GreedyAgent, Pool, RandomAgent

pytestmark = pytest.mark.compiled


class Stubborn(RandomAgent):
    """Takes the first or the last legal action, by its number."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def act(self, state: GameState) -> int:
        return state.legal_actions()[-(self.number % 2)]

    def act_batch(self, lanes: Lanes, selected: Any) -> Any:
        last = lanes.legal_counts[selected] - 1
        return lanes.legal_actions[selected, last * (self.number % 2)].astype(np.int32)


def chosen(pool: Pool, games: int = 4000) -> Any:
    return pool._choose(np.arange(games))


def test_a_pool_is_an_agent() -> None:
    assert isinstance(Pool([RandomAgent()]), Agent)


def test_members_play_their_shares() -> None:
    pool = Pool()
    for weight in (1.0, 2.0, 5.0):
        pool.add(RandomAgent(), weight)
    shares = np.bincount(chosen(pool)) / 4000
    # Four standard deviations of a share of 4,000 games.
    assert shares == pytest.approx([1 / 8, 2 / 8, 5 / 8], abs=4 * np.sqrt(0.25 / 4000))


def test_a_new_member_takes_games_and_changes_no_other() -> None:
    pool = Pool([RandomAgent(), RandomAgent()])
    before = chosen(pool)
    number = pool.add(RandomAgent())
    after = chosen(pool)
    assert ((after == before) | (after == number)).all()
    assert 0.28 < (after == number).mean() < 0.38
    pool.remove(0)
    kept = after != 0
    assert (chosen(pool)[kept] == after[kept]).all()
    pool.remove(number)
    assert (chosen(pool) == 1).all()


def test_the_seed_of_the_pool_deals_the_games_anew() -> None:
    pool = Pool([RandomAgent(), RandomAgent()])
    first = chosen(pool)
    pool.reset(1)
    second = chosen(pool)
    assert 0.4 < (first == second).mean() < 0.6
    pool.reset(0)
    assert (chosen(pool) == first).all()


@pytest.mark.parametrize("seed", [2**31 - 1, 2**31, 2**32 - 1])
def test_every_seed_of_an_agent_is_one_of_a_pool(seed: int) -> None:
    """And every game has one of its own: those of lanes reach 2**63 - 1."""
    pool = Pool([RandomAgent(), RandomAgent()])
    pool.reset(seed)
    assert 0.45 < chosen(pool).mean() < 0.55
    assert 0.45 < pool._choose(2**63 - 1 - np.arange(4000)).mean() < 0.55
    lanes = Lanes(8)
    lanes.reset(1)
    assert lanes.action_masks[np.arange(8), pool.act_batch(lanes, np.arange(8))].all()


def test_pools_within_a_pool_deal_their_games_by_seeds_of_their_own() -> None:
    inner = [Pool([RandomAgent(), RandomAgent()]) for _ in range(2)]
    outer = Pool(inner)
    for seed in (0, 5):
        outer.reset(seed)
        games = np.arange(4000)
        theirs = chosen(outer)
        for number, pool in enumerate(inner):
            assert 0.45 < pool._choose(games[theirs == number]).mean() < 0.55
        assert 0.45 < (inner[0]._choose(games) == inner[1]._choose(games)).mean() < 0.55


def test_a_member_begins_with_the_same_seed_whenever_it_comes() -> None:
    early, late = Stubborn(0), Stubborn(0)
    pool, other = Pool([RandomAgent(), early]), Pool([RandomAgent()])
    pool.reset(6)
    other.reset(6)
    other.add(late)
    assert early._seed == late._seed
    assert early._seed != pool.members[0]._seed  # type: ignore[attr-defined]


def test_the_version_tells_the_members() -> None:
    pool = Pool([RandomAgent(), GreedyAgent()])
    assert pool.version == "random 1, greedy 2"
    pool.remove(0)
    assert pool.version == "greedy 2"


def test_each_game_is_decided_by_its_member_whatever_the_batch() -> None:
    members = [Stubborn(0), Stubborn(1), GreedyAgent()]
    pool = Pool(members)
    lanes = Lanes(40)
    lanes.reset(7)
    for _ in range(30):
        selected = np.arange(3, 40, 2)
        actions = pool.act_batch(lanes, selected)
        numbers = pool._choose(lanes.game_seeds[selected])
        assert set(numbers.tolist()) == {0, 1, 2}
        for lane, number, action in zip(selected, numbers, actions, strict=True):
            one = np.array([lane])
            assert members[number].act_batch(lanes, one)[0] == action
            assert pool.act_batch(lanes, one)[0] == action
        lanes.step(pool.act_batch(lanes, np.arange(40)))


def test_a_single_state_is_decided_by_the_member_of_the_pools_seed() -> None:
    pool, state = Pool([Stubborn(0), Stubborn(1)]), GameState.new(3)
    seen = set()
    for seed in range(20):
        pool.reset(seed)
        action = pool.act(state)
        assert action == pool.act(state)
        seen.add(action)
    assert seen == {state.legal_actions()[0], state.legal_actions()[-1]}


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda pool: pickle.loads(pickle.dumps(pool))])
def test_copies_choose_alike(duplicate: Any) -> None:
    pool = Pool([RandomAgent(), GreedyAgent()])
    pool.reset(9)
    twin = duplicate(pool)
    twin.add(RandomAgent())
    assert len(pool.members) == 2
    twin.remove(2)
    assert (chosen(twin) == chosen(pool)).all()


def test_an_empty_pool_and_a_wrong_weight_are_named() -> None:
    with pytest.raises(ValueError, match="pool: no member; add one first"):
        Pool().act(GameState.new(1))
    for weight in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match=r"weight: expected a finite number above 0, got .*"):
            Pool().add(RandomAgent(), weight)

"""The Gymnasium environment: its contract, delivery of rewards, illegal actions, copies, seeds."""

from __future__ import annotations

import copy
import itertools
import pickle
import re
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from dunaia_env import GameState, IllegalActionError, dunaia
from dunaia_env.envs.single import DunaiaEnv
from dunaia_env.harness.compiled.chance import game_seed
from dunaia_env.harness.compiled.rewards import REWARDS, final_rewards
from dunaia_env.harness.opponents import GreedyAgent, RandomAgent
from tests.toy_game import GAME as BIDS

TABLES = [(players, elites) for players in (2, 3, 4) for elites in (False, True)]


def make(**options: Any) -> Any:
    return gymnasium.make("dunaia/Dunaia-v0", **options)


def random_action(env: Any, random: np.random.Generator) -> int:
    return int(random.choice(np.flatnonzero(env.unwrapped.action_masks())))


def play_on(env: Any, seed: int, steps: int) -> list[tuple[Any, ...]]:
    """Play random decisions, a new game after each end; what was seen on the way."""
    random, seen = np.random.default_rng(seed), []
    for _ in range(steps):
        observation, reward, terminated, truncated, info = env.step(random_action(env, random))
        seen.append((observation["observation"].tobytes(), reward, terminated, truncated, str(info)))
        if terminated:
            observation, info = env.reset()
            seen.append((observation["observation"].tobytes(), str(info)))
    return seen


@pytest.mark.parametrize(("players", "elites"), TABLES)
@pytest.mark.parametrize("opponents", ["random", "greedy"])
def test_gymnasiums_check_env(players: int, elites: bool, opponents: str) -> None:
    env = make(num_players=players, elites=elites, opponents=opponents, max_rounds=6)
    check_env(env.unwrapped)


def test_gymnasiums_check_env_with_rendering(capsys: pytest.CaptureFixture[str]) -> None:
    check_env(make(opponents=["greedy", "random"], render_mode="ansi").unwrapped)
    assert "Round 1, player" in capsys.readouterr().out


@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_stable_baselines_check_env(players: int, elites: bool) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(make(num_players=players, elites=elites, max_rounds=6).unwrapped)


@pytest.mark.compiled
@pytest.mark.parametrize(("players", "elites"), TABLES)
@pytest.mark.parametrize("reward", REWARDS)
def test_ten_thousand_masked_decisions_and_the_returns(players: int, elites: bool, reward: str) -> None:
    """18 combinations of 600 decisions: none is illegal, and each game's rewards sum to the return of the seat."""
    env = make(opponents="random", num_players=players, elites=elites, reward=reward, max_rounds=10)
    random = np.random.default_rng(players)
    total, games = 0.0, 0
    observation, info = env.reset(seed=players)
    for _ in range(600):
        assert observation in env.observation_space
        mask = observation["action_mask"]
        assert (mask == info["action_mask"]).all()
        assert (env.unwrapped.action_masks() == mask).all()
        assert env.unwrapped.action_masks().dtype == np.bool_
        assert mask.sum() >= 2
        action = env.action_space.sample(mask)
        assert mask[action]
        observation, given, terminated, truncated, info = env.step(int(random.choice(np.flatnonzero(mask))))
        assert type(given) is float
        assert type(terminated) is bool
        assert truncated is False
        assert "illegal_action" not in info
        total += given
        if not terminated:
            assert given == 0
            continue
        scores, ranks = info["scores"][None], info["ranks"][None]
        wanted = final_rewards(reward, scores, ranks, np.array([players]))[0]
        assert total == pytest.approx(float(wanted[info["seat"]]), abs=1e-6)
        total, games = 0.0, games + 1
        observation, info = env.reset()
    assert games >= 2


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_seat_gets_its_return(players: int) -> None:
    """The same game from every seat, all seats playing alike: the returns are those of the one game."""

    class FirstLegal(RandomAgent):
        def act_batch(self, lanes: Any, selected: Any) -> Any:
            return lanes.legal_actions[selected, 0].astype(np.int32)

    for seed in range(3):
        returns, results = [], set()
        for seat in range(players):
            env = make(opponents=FirstLegal(), num_players=players, seat=seat, max_rounds=4, illegal="raise")
            _, info = env.reset(seed=seed)
            total, over = 0.0, False
            while not over:
                _, reward, over, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
                total += reward
            returns.append(total)
            results.add((tuple(info["scores"].tolist()), tuple(info["ranks"].tolist())))
        ((scores, ranks),) = results
        wanted = final_rewards("win", np.array([scores]), np.array([ranks]), np.array([players]))[0]
        assert returns == pytest.approx(wanted.tolist())
        assert sum(returns) == pytest.approx(0, abs=1e-6)


def test_infos_tell_the_mask_the_seed_and_the_seat_and_at_the_end_the_result() -> None:
    env = make(opponents=["greedy", "random"], max_rounds=3, seat=1)
    observation, info = env.reset(seed=5)
    random = np.random.default_rng(0)
    terminated = False
    while not terminated:
        assert set(info) == {"action_mask", "seed", "seat"}
        assert (info["seed"], info["seat"]) == (5, 1)
        observation, _, terminated, _, info = env.step(random_action(env, random))
    state = env.unwrapped.get_state()
    assert info["scores"].tolist() == state.scores()
    assert info["ranks"].tolist() == state.ranks()
    assert (info["seed"], info["seat"], info["rounds"], info["max_rounds_reached"]) == (5, 1, 3, True)
    assert (observation["observation"] == state.observation(1)).all()
    assert observation["action_mask"].all()
    with pytest.raises(ResetNeeded, match="no game is in progress; call reset"):
        env.step(0)


def test_stepping_before_reset_is_refused() -> None:
    with pytest.raises(ResetNeeded, match="call reset"):
        DunaiaEnv().step(6)


@pytest.mark.compiled
def test_the_environment_plays_what_single_states_play() -> None:
    env = make(opponents="greedy", num_players=3, elites=True, max_rounds=5, seat=2)
    observation, _ = env.reset(seed=31)
    state, greedy, random = GameState.new(31, num_players=3, elites=True, max_rounds=5), GreedyAgent(), None
    greedy.reset(0)
    random = np.random.default_rng(1)
    while True:
        while not state.is_over and state.seat != 2:
            state.apply(greedy.act(state), 31)
        assert env.unwrapped.get_state() == state
        if state.is_over:
            break
        assert (observation["observation"] == state.observation(2)).all()
        assert (observation["action_mask"] == state.action_mask()).all()
        action = int(random.choice(state.legal_actions()))
        observation, *_ = env.step(action)
        state.apply(action, 31)


def test_observations_are_arrays_of_their_own() -> None:
    env, twin = make(max_rounds=5), make(max_rounds=5)
    observation, info = env.reset(seed=4)
    twin.reset(seed=4)
    random, same = np.random.default_rng(0), np.random.default_rng(0)
    for _ in range(50):
        kept = observation["observation"].copy()
        following, _, terminated, _, _ = env.step(random_action(env, random))
        twin.step(random_action(twin, same))
        assert (observation["observation"] == kept).all()
        for array in (observation["observation"], observation["action_mask"], info["action_mask"]):
            array[:] = 1
        assert env.unwrapped.get_state() == twin.unwrapped.get_state()
        observation = following
        if terminated:
            observation, info = env.reset()
            twin.reset()


# Illegal actions


def some_decisions(env: Any, decisions: int = 12) -> Any:
    env.reset(seed=6)
    play_on(env, 0, decisions)
    return env


@pytest.mark.parametrize("action", [-1, 316, 10**20, None, 6.0, "nonsense", [6], True, np.array([6]), "illegal"])
def test_an_illegal_action_ends_the_game(action: Any) -> None:
    env = some_decisions(DunaiaEnv(opponents=["greedy", "random"]))
    if isinstance(action, str) and action == "illegal":
        action = int(np.flatnonzero(~env.action_masks())[0])
    before, seat = env.get_state(), env.games.seats()[0]
    observation, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["illegal_action"] is action
    assert set(info) == {"action_mask", "seed", "seat", "illegal_action"}
    assert info["seat"] == seat
    assert env.get_state() == before
    assert (observation["observation"] == before.observation(int(seat))).all()
    env.reset()
    assert env.get_state().to_dict()["round"] == 1


@pytest.mark.parametrize("action", [None, -1, 316, "illegal", 6.0])
def test_illegal_actions_can_raise_and_then_change_nothing(action: Any) -> None:
    env = some_decisions(DunaiaEnv(illegal="raise"))
    twin = env.clone()
    wrong = int(np.flatnonzero(~env.action_masks())[0]) if action == "illegal" else action
    with pytest.raises(IllegalActionError):
        env.step(wrong)
    assert play_on(env, 1, 40) == play_on(twin, 1, 40)


@pytest.mark.parametrize("kind", [int, np.int64, np.int16, np.uint8, np.array])
def test_every_kind_of_integer_is_an_action(kind: Any) -> None:
    env = some_decisions(DunaiaEnv())
    twin = env.clone()
    action = int(np.flatnonzero(env.action_masks())[0])
    assert env.step(kind(action))[0]["observation"].tobytes() == twin.step(action)[0]["observation"].tobytes()


# Copies


@pytest.mark.compiled
@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize(("players", "elites"), TABLES)
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_in_mid_game_go_on_alike(
    wrapped: bool, players: int, elites: bool, duplicate: Callable[[Any], Any]
) -> None:
    options: dict[str, Any] = {"num_players": players, "elites": elites, "max_rounds": 6}
    env = some_decisions(make(**options) if wrapped else DunaiaEnv(**options), 20)
    before = env.unwrapped.get_state()
    twin = duplicate(env)
    theirs = play_on(twin, 9, 60)
    assert env.unwrapped.get_state() == before
    assert play_on(env, 9, 60) == theirs


def test_a_copy_before_the_first_reset_can_be_reset() -> None:
    env = copy.deepcopy(make(num_players=3))
    env.reset(seed=1)
    assert env.unwrapped.get_state().num_players == 3


# Seeds and states


def test_a_seed_names_a_game_and_the_following_ones() -> None:
    env, other = DunaiaEnv(max_rounds=3), DunaiaEnv(max_rounds=3)
    env.reset(seed=33)
    for number in range(1, 4):
        _, info = env.reset()
        assert info["seed"] == game_seed(33, 0, number)
        _, again = other.reset(seed=info["seed"])
        assert other.get_state() == env.get_state()
        assert again["seat"] == info["seat"]
    env.reset(seed=33)
    first = env.get_state()
    env.reset(seed=np.int64(33))  # type: ignore[arg-type]
    assert env.get_state() == first


def test_without_a_seed_games_differ() -> None:
    states = set()
    for _ in range(3):
        env = DunaiaEnv()
        env.reset()
        states.add(env.get_state())
    assert len(states) == 3


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, "1", True])
def test_wrong_seeds_are_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match=r"seed: expected an integer in 0.*, got .*"):
        DunaiaEnv().reset(seed=seed)


def test_a_game_can_begin_in_any_state() -> None:
    source = some_decisions(DunaiaEnv(opponents=["greedy", "random"], seat=0), 30)
    env = DunaiaEnv(opponents=["greedy", "random"], seat=0)
    observation, _ = env.reset(seed=6, options={"state": source.get_state().to_dict()})
    assert env.get_state() == source.get_state()
    assert (observation["observation"] == source.get_state().observation(0)).all()
    other = DunaiaEnv(opponents=["greedy", "random"], seat=0)
    other.set_state(source.get_state())
    assert other.get_state() == source.get_state()
    with pytest.raises(ValueError, match="options: expected the key 'state', got 'unknown'"):
        env.reset(seed=6, options={"unknown": 1})
    with pytest.raises(ValueError, match=r"^options: expected a dictionary or None, got 3$"):
        env.reset(options=3)  # type: ignore[arg-type]
    assert env.get_state() == source.get_state()
    env.reset(seed=6)
    assert env.get_state().to_dict()["round"] == 1


def test_states_of_another_table_are_refused() -> None:
    env = DunaiaEnv(num_players=3)
    with pytest.raises(ValueError, match="2 players"):
        env.reset(options={"state": GameState.new(1).to_dict()})
    with pytest.raises(ValueError, match="2 players"):
        env.set_state(GameState.new(1))
    state = GameState.new(1, max_rounds=1)
    while not state.is_over:
        state.apply(state.legal_actions()[0], 1)
    with pytest.raises(ValueError, match="expected a game of 2 players that goes on, got one that is over"):
        DunaiaEnv().set_state(state)


# Options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"opponents": None}, "opponents: expected agents, got None"),
        ({"opponents": "nobody"}, "agent 'nobody': expected one of random, "),
        ({"num_players": 5}, r"num_players: expected an integer in 2\.\.4, got 5"),
        ({"seat": 7}, r"seat: expected 'random' or an integer in 0\.\.1, got 7"),
        ({"render_mode": "rgb"}, "render_mode: expected one of human, ansi, rgb_array or None, got 'rgb'"),
        ({"components": "/no/such/file.toml"}, "components /no/such/file.toml: cannot be read"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DunaiaEnv(**options)


def test_unknown_options_are_refused() -> None:
    with pytest.raises(TypeError, match="players"):
        DunaiaEnv(players=3)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("players", "elites", "reward", "illegal", "seat"),
    list(itertools.product((2, 3, 4), (False, True), REWARDS, ("terminate", "raise"), ("random", 0))),
)
def test_every_combination_of_options_can_be_played(
    players: int, elites: bool, reward: str, illegal: str, seat: Any
) -> None:
    env = DunaiaEnv(num_players=players, elites=elites, reward=reward, illegal=illegal, seat=seat)
    env.reset(seed=0)
    assert len(play_on(env, 0, 10)) >= 10
    env.close()


def test_rendering_shows_the_position(capsys: pytest.CaptureFixture[str]) -> None:
    env = DunaiaEnv(num_players=3, render_mode="ansi", seat=0)
    env.reset(seed=1)
    text = re.sub("\x1b\\[[0-9;]*m", "", str(env.render()))
    assert text == dunaia.describe(env.get_state().to_dict(), dunaia.load())
    human = DunaiaEnv(render_mode="human", seat=0)
    human.reset(seed=1)
    human.step(random_action(human, np.random.default_rng(0)))
    assert capsys.readouterr().out.count("Round 1, player 0 decides") == 2
    assert DunaiaEnv().render() is None


@pytest.mark.parametrize("players", [2, 6])
def test_another_game_is_played(players: int) -> None:
    env = DunaiaEnv(game=BIDS, num_players=players, opponents="random", hand=2, render_mode="ansi")
    assert env.observation_space["observation"] == gymnasium.spaces.Box(0, 127, (BIDS.observation_size,), np.int8)
    assert env.action_space == gymnasium.spaces.Discrete(30)
    for seed in range(3):
        _, info = env.reset(seed=seed)
        assert str(env.render()).endswith(f"of 40, prize {env.get_state().to_dict()['prize']}")
        terminated, random = False, np.random.default_rng(seed)
        while not terminated:
            observation, reward, terminated, _, info = env.step(random_action(env, random))
            assert observation in env.observation_space
        assert len(info["scores"]) == len(info["ranks"]) == players
        wanted = final_rewards("win", info["scores"][None], info["ranks"][None], np.array([players]))[0]
        assert reward == pytest.approx(wanted[info["seat"]])

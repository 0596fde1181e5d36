"""The PettingZoo environment: its contract, delivery of rewards, illegal actions, copies, seeds."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pettingzoo
import pytest
from gymnasium.spaces import Box
from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test
from pettingzoo.utils import BaseWrapper

from dunaia_env import GameState, IllegalActionError, dunaia, dunaia_v0
from dunaia_env.envs.aec import raw_env
from dunaia_env.harness.compiled.chance import game_seed
from dunaia_env.harness.compiled.rewards import REWARDS, final_rewards
from tests.toy_game import GAME as BIDS

TABLES = [(players, elites) for players in (2, 3, 4) for elites in (False, True)]
Factory = Callable[..., Any]
FACTORIES: list[Factory] = [dunaia_v0.raw_env, dunaia_v0.env]


def first_legal(env: Any) -> int:
    return int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0])


def random_action(env: Any, random: np.random.Generator) -> int:
    return int(random.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])))


def play_on(env: Any, seed: int, decisions: int = 10**6) -> list[tuple[Any, ...]]:
    """Play random decisions through `last`; what was seen on the way."""
    random = np.random.default_rng(seed)
    seen = []
    for agent in env.agent_iter(decisions):
        observation, reward, termination, truncation, info = env.last()
        seen.append((agent, observation["observation"].tobytes(), reward, termination, truncation, str(info)))
        env.step(None if termination or truncation else random_action(env, random))
    return seen


# PettingZoo's own environments with a mask observe dictionaries too, of which its test warns.
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning")
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
@pytest.mark.parametrize(("players", "elites"), TABLES)
@pytest.mark.parametrize("factory", FACTORIES)
def test_pettingzoos_api_test(factory: Factory, players: int, elites: bool, capsys: pytest.CaptureFixture[str]) -> None:
    api_test(factory(num_players=players, elites=elites, max_rounds=6), num_cycles=300)
    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_pettingzoos_seed_test(players: int, elites: bool) -> None:
    seed_test(lambda: dunaia_v0.env(num_players=players, elites=elites, max_rounds=6), num_cycles=100)


@pytest.mark.parametrize("players", [2, 4])
def test_pettingzoos_render_test(players: int, capsys: pytest.CaptureFixture[str]) -> None:
    def make(render_mode: str | None = None) -> Any:
        return dunaia_v0.env(num_players=players, max_rounds=6, render_mode=render_mode)

    render_test(make, {"ansi": lambda text: isinstance(text, str) and "Round " in text})
    assert "Round 1, player" in capsys.readouterr().out


@pytest.mark.slow
def test_pettingzoos_performance_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    performance_benchmark(dunaia_v0.env())
    assert "turns per second" in capsys.readouterr().out


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="PettingZoo has a registry from 1.26 on")
def test_the_registry_makes_the_environment() -> None:
    env = pettingzoo.make("aec", "dunaia/Dunaia-v0", num_players=3, elites=True)
    assert isinstance(env, BaseWrapper)
    assert isinstance(env.unwrapped, raw_env)
    env.reset(seed=1)
    assert env.possible_agents == ["player_0", "player_1", "player_2"]
    assert env.unwrapped.game_state.decision == "DRAFT"


def test_metadata_says_what_the_environment_is() -> None:
    env = dunaia_v0.env()
    assert env.metadata["name"] == "dunaia_v0"
    assert env.metadata["render_modes"] == ["human", "ansi", "rgb_array"]
    assert env.metadata["is_parallelizable"] is False
    assert str(env)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_spaces_are_the_same_objects_and_hold_the_observations(players: int) -> None:
    env = dunaia_v0.env(num_players=players, elites=True, max_rounds=8)
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
        assert env.action_space(agent).n == dunaia.NUM_ACTIONS
    env.reset(seed=2)
    random = np.random.default_rng(0)
    for number, agent in enumerate(env.agent_iter()):
        observation, _, termination, _, info = env.last()
        if number % 10 == 0 or termination:
            for other in env.agents:
                assert env.observe(other) in env.observation_space(other)
            state = env.unwrapped.state()
            assert state in env.unwrapped.state_space
            assert (state == env.observe("player_0")["observation"]).all()
        if termination:
            assert not observation["action_mask"].any()
            env.step(None)
            continue
        assert observation["action_mask"].dtype == np.int8
        assert (observation["action_mask"] == info["action_mask"]).all()
        assert observation["action_mask"].sum() >= 2
        action = env.action_space(agent).sample(observation["action_mask"])
        assert observation["action_mask"][action] == 1
        env.step(random_action(env, random))


@pytest.mark.compiled
@pytest.mark.parametrize("factory", FACTORIES)
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("reward", REWARDS)
def test_each_agent_is_handed_its_own_reward_once(factory: Factory, players: int, reward: str) -> None:
    env = factory(num_players=players, reward=reward, max_rounds=7)
    for seed in range(4):
        env.reset(seed=seed)
        random = np.random.default_rng(seed)
        delivered = dict.fromkeys(env.possible_agents, 0.0)
        finals, last_info = [], {}
        for agent in env.agent_iter():
            _, given, termination, truncation, info = env.last()
            assert type(termination) is bool
            assert truncation is False
            assert type(given) is float
            delivered[agent] += given
            if termination:
                finals.append(agent)
                last_info = info
                env.step(None)
            else:
                assert given == 0
                env.step(random_action(env, random))
        assert sorted(finals) == sorted(env.possible_agents)
        scores, ranks = np.array([last_info["scores"]]), np.array([last_info["ranks"]])
        wanted = final_rewards(reward, scores, ranks, np.array([players]))[0]
        assert [delivered[agent] for agent in env.possible_agents] == pytest.approx(wanted.tolist())
        assert sum(delivered.values()) == pytest.approx(0, abs=1e-6)
        # Who lost sees the loss, unless the margin decides and it was nothing.
        losers = [agent for agent, rank in zip(env.possible_agents, ranks[0], strict=True) if rank == players]
        assert all(delivered[agent] < 0 or (reward == "score" and delivered[agent] == 0) for agent in losers)
        assert env.agents == []


def test_infos_tell_the_mask_and_at_the_end_the_seed_and_the_result() -> None:
    env = raw_env(num_players=3, max_rounds=3)
    env.reset(seed=5)
    random = np.random.default_rng(0)
    while not any(env.terminations.values()):
        agent = env.agent_selection
        # TorchRL takes no other key beside a mask that the observation has too.
        assert set(env.infos[agent]) == {"action_mask"}
        assert env.chance.seed == 5
        assert all(env.infos[other] == {} for other in env.agents if other != agent)
        env.step(random_action(env, random))
    state = env.game_state
    for agent in env.agents:
        assert env.infos[agent] == {
            "seed": 5,
            "scores": state.scores(),
            "ranks": state.ranks(),
            "rounds": 3,
            "max_rounds_reached": True,
        }
    assert all(flag is True for flag in env.terminations.values())
    assert all(flag is False for flag in env.truncations.values())


def test_a_game_that_ends_by_itself_has_not_reached_its_last_round() -> None:
    env = raw_env(num_players=2, max_rounds=1000)
    env.reset(seed=3)
    random = np.random.default_rng(1)
    while not any(env.terminations.values()):
        env.step(random_action(env, random))
    info = env.infos["player_0"]
    assert info["max_rounds_reached"] is False
    assert 5 < info["rounds"] < 1000


@pytest.mark.compiled
def test_the_environment_plays_what_single_states_play() -> None:
    env = raw_env(num_players=4, elites=True, max_rounds=6)
    env.reset(seed=12)
    state = GameState.new(12, num_players=4, elites=True, max_rounds=6)
    random = np.random.default_rng(3)
    while not state.is_over:
        assert env.agent_selection == f"player_{state.seat}"
        assert env.game_state == state
        assert env.to_dict() == state.to_dict()
        for seat in range(4):
            assert (env.observe(f"player_{seat}")["observation"] == state.observation(seat)).all()
        action = int(random.choice(state.legal_actions()))
        env.step(action)
        state.apply(action, 12)
    assert env.game_state == state


def test_observing_has_no_effect_and_gives_arrays_of_its_own() -> None:
    env, twin = dunaia_v0.env(num_players=3, max_rounds=5), dunaia_v0.env(num_players=3, max_rounds=5)
    env.reset(seed=4)
    twin.reset(seed=4)
    random, same = np.random.default_rng(0), np.random.default_rng(0)
    while env.agents:
        for agent in env.agents:
            seen = env.observe(agent)
            assert seen["action_mask"].any() == (agent == env.agent_selection and not env.terminations[agent])
            seen["observation"][:] = 1
            seen["action_mask"][:] = 1
        if env.terminations[env.agent_selection]:
            env.step(None)
            twin.step(None)
            continue
        env.step(random_action(env, random))
        twin.step(random_action(twin, same))
        assert env.unwrapped.game_state == twin.unwrapped.game_state


# Illegal actions


def some_decisions(env: Any, decisions: int = 25) -> Any:
    env.reset(seed=6)
    random = np.random.default_rng(0)
    for _ in range(decisions):
        env.step(random_action(env, random))
    return env


def illegal_action(env: Any) -> int:
    return int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"] == 0)[0])


def check_illegal_end(env: Any, offender: str, action: object) -> None:
    assert all(flag is True for flag in env.terminations.values())
    assert all(flag is False for flag in env.truncations.values())
    assert env.infos[offender]["illegal_action"] == action
    assert all("illegal_action" not in env.infos[agent] for agent in env.agents if agent != offender)
    delivered = {}
    for agent in env.agent_iter():
        observation, reward, termination, _, info = env.last()
        assert termination
        assert info["seed"] == 6
        assert not observation["action_mask"].any()
        delivered[agent] = reward
        env.step(None)
    assert delivered == {agent: -1.0 if agent == offender else 0.0 for agent in env.possible_agents}
    env.reset(seed=6)
    assert env.agents == env.possible_agents


@pytest.mark.parametrize("factory", FACTORIES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_an_illegal_action_ends_the_game_for_all(factory: Factory, players: int) -> None:
    env = some_decisions(factory(num_players=players))
    action, offender, before = illegal_action(env), env.agent_selection, env.unwrapped.game_state.clone()
    env.step(action)
    assert env.unwrapped.game_state == before
    check_illegal_end(env, offender, action)


@pytest.mark.parametrize("action", [-1, 316, 10**20, None, 6.0, "nonsense", [6], True, np.array(6.0)])
def test_actions_beyond_the_space_end_the_game_in_the_raw_environment(action: Any) -> None:
    env = some_decisions(raw_env())
    offender = env.agent_selection
    env.step(action)
    check_illegal_end(env, offender, action)


@pytest.mark.parametrize("action", [-1, 316, None])
def test_actions_beyond_the_space_are_refused_by_pettingzoos_wrapper(action: Any) -> None:
    env = some_decisions(dunaia_v0.env())
    with pytest.raises(AssertionError, match="not in action space"):
        env.step(action)


@pytest.mark.compiled
@pytest.mark.parametrize("action", [None, -1, 316, "illegal", 6.0])
def test_illegal_actions_can_raise_and_then_change_nothing(action: Any) -> None:
    env = some_decisions(raw_env(illegal="raise"))
    twin = env.clone()
    wrong = illegal_action(env) if action == "illegal" else action
    with pytest.raises(IllegalActionError):
        env.step(wrong)
    assert not any(env.terminations.values())
    assert env.agent_selection == twin.agent_selection
    assert env.game_state == twin.game_state
    assert play_on(env, 1) == play_on(twin, 1)


def test_a_text_is_an_action_too() -> None:
    env = some_decisions(raw_env())
    twin = env.clone()
    action = first_legal(env)
    env.step(dunaia.action_text(action))
    twin.step(action)
    assert env.game_state == twin.game_state


def test_numpys_integers_are_actions() -> None:
    env = some_decisions(raw_env())
    env.step(np.int64(first_legal(env)))
    env.step(np.int16(first_legal(env)))
    env.step(np.array(first_legal(env)))
    assert not any(env.terminations.values())


def test_dead_agents_take_none_only() -> None:
    env = some_decisions(raw_env())
    env.step(illegal_action(env))
    with pytest.raises(ValueError, match="None"):
        env.step(6)


def test_stepping_before_reset_is_refused_by_pettingzoos_wrapper() -> None:
    env = dunaia_v0.env()
    with pytest.raises(Exception, match="reset"):
        env.step(6)


# Copies


@pytest.mark.compiled
@pytest.mark.parametrize("factory", FACTORIES)
@pytest.mark.parametrize(("players", "elites"), TABLES)
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_in_mid_game_go_on_alike(
    factory: Factory, players: int, elites: bool, duplicate: Callable[[Any], Any]
) -> None:
    env = some_decisions(factory(num_players=players, elites=elites, max_rounds=8), 30)
    before = env.unwrapped.game_state.clone()
    twin = duplicate(env)
    theirs = play_on(twin, 9)
    assert env.unwrapped.game_state == before
    assert play_on(env, 9) == theirs
    # The next games are alike too.
    env.reset()
    twin.reset()
    assert play_on(env, 9) == play_on(twin, 9)


def test_copies_at_the_end_go_on_alike() -> None:
    env = some_decisions(dunaia_v0.env(max_rounds=3), 5)
    random = np.random.default_rng(0)
    while not any(env.terminations.values()):
        env.step(random_action(env, random))
    env.step(None)
    twin = copy.deepcopy(env)
    assert play_on(env, 0) == play_on(twin, 0)


def test_a_clone_is_independent() -> None:
    env = some_decisions(raw_env())
    twin = env.clone()
    theirs = play_on(twin, 2, 50)
    assert env.game_state != twin.game_state
    assert play_on(env, 2, 50) == theirs


def test_a_copy_before_the_first_reset_can_be_reset() -> None:
    env = copy.deepcopy(dunaia_v0.env(num_players=3, elites=True))
    env.reset(seed=1)
    assert env.unwrapped.game_state == GameState.new(1, num_players=3, elites=True)


# Seeds and states


def test_a_seed_names_a_game_and_the_following_ones() -> None:
    env, other = raw_env(max_rounds=3), raw_env(max_rounds=3)
    env.reset(seed=33)
    games = [env.game_state.clone()]
    for number in range(1, 4):
        env.reset()
        seed = env.chance.seed
        assert seed == game_seed(33, 0, number)
        games.append(env.game_state.clone())
        other.reset(seed=seed)
        assert other.game_state == env.game_state
    assert len(set(games)) == 4
    env.reset(seed=33)
    assert env.game_state == games[0]
    env.reset(seed=np.int64(33))
    assert env.game_state == games[0]
    env.reset()
    assert env.game_state == games[1]


def test_without_a_seed_games_differ() -> None:
    states = set()
    for _ in range(3):
        env = raw_env()
        env.reset()
        states.add(env.game_state)
    assert len(states) == 3


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, "1", True])
def test_wrong_seeds_are_refused(seed: Any) -> None:
    env = dunaia_v0.env()
    with pytest.raises(ValueError, match="seed: expected an integer in 0"):
        env.reset(seed=seed)


def test_a_game_can_begin_in_any_state() -> None:
    source = some_decisions(raw_env(num_players=3), 60)
    content, action = source.to_dict(), first_legal(source)
    env = dunaia_v0.env(num_players=3)
    env.reset(seed=6, options={"state": content})
    assert env.unwrapped.game_state == source.game_state
    assert env.agent_selection == source.agent_selection
    # With the seed of the game it goes on as the game did.
    env.step(action)
    source.step(action)
    assert env.unwrapped.game_state == source.game_state
    with pytest.raises(ValueError, match="options: expected the key 'state', got 'unknown'"):
        env.reset(seed=6, options={"unknown": 1})
    env.reset(seed=6, options={"options": 1})  # as PettingZoo's own tests do
    assert env.unwrapped.game_state == GameState.new(6, num_players=3)


def test_a_game_can_begin_at_its_end() -> None:
    env = raw_env(max_rounds=2)
    env.reset(seed=1)
    random = np.random.default_rng(0)
    while not any(env.terminations.values()):
        env.step(random_action(env, random))
    other = raw_env(max_rounds=2)
    other.reset(options={"state": env.to_dict()})
    assert all(other.terminations.values())
    assert other.rewards == env.rewards
    assert len(play_on(other, 0)) == 2


def test_states_of_another_table_are_refused() -> None:
    env = raw_env(num_players=3)
    with pytest.raises(ValueError, match="2 players"):
        env.reset(options={"state": GameState.new(1).to_dict()})
    with pytest.raises(ValueError, match="2 players"):
        env.set_state(GameState.new(1))
    content = GameState.new(1, num_players=3).to_dict()
    del content["seat"]
    with pytest.raises(ValueError, match="seat is missing"):
        env.from_dict(content)


def test_a_state_that_was_taken_can_be_set_again() -> None:
    env = some_decisions(raw_env(num_players=3))
    state = env.get_state()
    theirs = play_on(env.clone(), 1, 30)
    play_on(env, 2, 30)
    assert env.game_state != state
    env.set_state(state)
    assert env.game_state == state
    assert play_on(env, 1, 30) == theirs


@pytest.mark.compiled
def test_a_state_can_be_set_before_the_first_reset() -> None:
    env, state = raw_env(), GameState.new(8)
    env.set_state(state)
    env.step(first_legal(env))
    assert state == GameState.new(8)
    assert env.game_state != state
    assert play_on(env, 0)


# Options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_players": 1}, r"num_players: expected an integer in 2\.\.4, got 1"),
        ({"num_players": 5}, r"num_players: expected an integer in 2\.\.4, got 5"),
        ({"num_players": "2"}, r"num_players: expected an integer in 2\.\.4, got '2'"),
        ({"max_rounds": 0}, r"max_rounds: expected an integer in 1\.\.1000, got 0"),
        ({"max_rounds": 10**6}, r"max_rounds: expected an integer in 1\.\.1000, got 1000000"),
        ({"reward": "money"}, "reward: expected one of win, rank, score, got 'money'"),
        ({"illegal": "ignore"}, "illegal: expected one of terminate, raise, got 'ignore'"),
        ({"render_mode": "rgb"}, "render_mode: expected one of human, ansi, rgb_array or None, got 'rgb'"),
        ({"components": "/no/such/file.toml"}, "components /no/such/file.toml: cannot be read"),
    ],
)
@pytest.mark.parametrize("factory", FACTORIES)
def test_options_out_of_range_are_refused(factory: Factory, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        factory(**options)


def test_unknown_options_are_refused() -> None:
    with pytest.raises(TypeError, match="players"):
        dunaia_v0.env(players=3)


@pytest.mark.parametrize("illegal", ["terminate", "raise"])
@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_every_combination_of_options_can_be_played(players: int, elites: bool, reward: str, illegal: str) -> None:
    for factory in FACTORIES:
        env = factory(num_players=players, elites=elites, reward=reward, illegal=illegal, max_rounds=50)
        env.reset(seed=0)
        assert len(play_on(env, 0, 12)) == 12


def test_rendering_shows_the_position() -> None:
    env = raw_env(num_players=3, render_mode="ansi")
    env.reset(seed=1)
    text = re.sub("\x1b\\[[0-9;]*m", "", env.render())
    assert text == dunaia.describe(env.to_dict(), dunaia.load())
    assert "Round 1, player 0 decides: choose a die" in text
    silent = raw_env()
    silent.reset(seed=1)
    assert silent.render() is None
    silent.close()


def test_human_mode_prints_after_reset_and_each_step(capsys: pytest.CaptureFixture[str]) -> None:
    env = raw_env(render_mode="human")
    env.reset(seed=1)
    env.step(first_legal(env))
    assert capsys.readouterr().out.count("Round 1, player") == 2


@pytest.mark.parametrize("door", [dunaia_v0.env, dunaia_v0.raw_env, dunaia_v0.parallel_env])
def test_editors_see_every_option_with_the_games_default(door: Factory) -> None:
    parameters = inspect.signature(door).parameters
    others = {"components": None, "reward": "win", "illegal": "terminate", "scale": False}
    others |= {"render_mode": None, "render_width": 1200}
    assert {name: one.default for name, one in parameters.items()} == {
        **{option.name: option.default for option in dunaia.GAME.options},
        **others,
    }
    assert {one.kind for one in parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}


@pytest.mark.parametrize("door", [dunaia_v0.env, dunaia_v0.raw_env, dunaia_v0.parallel_env])
def test_every_argument_reaches_the_game(door: Factory) -> None:
    cheap = dunaia.load()
    env = door(
        num_players=3,
        elites=True,
        max_rounds=7,
        components=cheap,
        reward="rank",
        illegal="raise",
        render_mode="ansi",
        render_width=77,
    )
    env.reset(seed=1)
    inner = env.unwrapped if door is not dunaia_v0.parallel_env else env.aec_env.unwrapped
    content = inner.to_dict()
    assert (len(content["players"]), content["decision"], content["max_rounds"]) == (3, "DRAFT", 7)
    assert inner.get_state().components is cheap
    assert (inner.render_mode, inner._reward, inner._screen.width) == ("ansi", "rank", 77)
    with pytest.raises(IllegalActionError):
        inner.step(316)
    names = list(inner.possible_agents)
    play_on(inner, 0)
    assert inner.agents == []
    again = door(num_players=3, reward="rank", max_rounds=1).unwrapped
    assert list(again.possible_agents) == names


def test_spaces_are_those_of_the_game() -> None:
    for env, game in ((dunaia_v0.raw_env(), dunaia.GAME), (raw_env(game=BIDS, num_players=6), BIDS)):
        for agent in env.possible_agents:
            space = env.observation_space(agent)
            assert space["observation"] == Box(0, 127, (game.observation_size,), np.int8)
            assert space["action_mask"] == Box(0, 1, (game.num_actions,), np.int8)
            assert env.action_space(agent).n == game.num_actions
        assert env.state_space == Box(0, 127, (game.observation_size,), np.int8)
        assert env.metadata["name"] == {"dunaia": "dunaia_v0", "sealed_bids": "sealed_bids"}[game.name]

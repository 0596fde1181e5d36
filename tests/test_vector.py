"""The vector environment: the same as single environments side by side, around the boundary of games too."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from dunaia_env import dunaia_v0
from dunaia_env.envs.single import DunaiaEnv
from dunaia_env.envs.vector import DunaiaVectorEnv
from dunaia_env.harness.compiled.advantages import seat_advantages
from dunaia_env.harness.compiled.chance import game_seed
from dunaia_env.harness.compiled.rewards import final_rewards
from tests.toy_game import GAME as BIDS

MODES = [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP]


def make(num_envs: int = 4, **options: Any) -> Any:
    return gymnasium.make_vec("dunaia/Dunaia-v0", num_envs=num_envs, **options)


def make_singles(num_envs: int, mode: AutoresetMode, **options: Any) -> Any:
    vector_kwargs = {"autoreset_mode": mode}
    return gymnasium.make_vec(
        "dunaia/Dunaia-v0", num_envs=num_envs, vectorization_mode="sync", vector_kwargs=vector_kwargs, **options
    )


def random_actions(observations: dict[str, Any], random: np.random.Generator) -> Any:
    return np.array([random.choice(np.flatnonzero(mask)) for mask in observations["action_mask"]])


def assert_same(one: Any, other: Any, place: str = "") -> None:
    """Infos and observations of two vector environments; of an info only what some games have is compared."""
    if isinstance(one, dict):
        assert set(one) == set(other), place
        for key in one:
            has_it = one.get(f"_{key}")
            if has_it is not None and not isinstance(one[key], dict):
                assert_same(one[key][has_it], other[key][has_it], f"{place}.{key}")
            else:
                assert_same(one[key], other[key], f"{place}.{key}")
    elif isinstance(one, np.ndarray) and one.dtype == object:
        for a, b in zip(one, other, strict=True):
            assert_same(a, b, place)
    else:
        assert np.array_equal(one, other), place


@pytest.mark.compiled
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "options",
    [
        {"opponents": "random"},
        {"opponents": ["greedy", "random"], "elites": True},
        {"opponents": "random", "num_players": 4, "seat": 2, "reward": "rank"},
        {"opponents": "random", "num_players": 3, "threads": 2, "reward": "score"},
    ],
)
def test_the_batch_equals_single_environments(mode: AutoresetMode, options: dict[str, Any]) -> None:
    vector, singles = make(5, autoreset_mode=mode, max_rounds=3, **options), None
    options.pop("threads", None)
    singles = make_singles(5, mode, max_rounds=3, **options)
    assert isinstance(singles, SyncVectorEnv)
    assert vector.observation_space == singles.observation_space
    assert vector.action_space == singles.action_space
    assert vector.single_observation_space == singles.single_observation_space
    assert vector.metadata["autoreset_mode"] is singles.metadata["autoreset_mode"] is mode
    seen, infos = vector.reset(seed=11)
    wanted, wanted_infos = singles.reset(seed=11)
    assert_same(seen, wanted)
    assert_same(infos, wanted_infos)
    random, ends = np.random.default_rng(2), 0
    for number in range(100):
        actions = random_actions(wanted, random)
        if number % 17 == 5:
            actions[number % 5] = 316  # what no action has for a number ends a game too
        seen, rewards, terminations, truncations, infos = vector.step(actions)
        wanted, *wanted_rest, wanted_infos = singles.step(actions)
        assert_same(seen, wanted)
        assert_same(infos, wanted_infos)
        for array, other in zip((rewards, terminations, truncations), wanted_rest, strict=True):
            assert array.dtype == other.dtype
            assert np.allclose(array, other, atol=1e-6)
        assert seen["observation"] in vector.observation_space["observation"]
        assert seen["action_mask"] in vector.observation_space["action_mask"]
        ends += int(terminations.sum())
    assert ends > 10
    vector.close()
    singles.close()


def play_to_an_end(env: Any, seed: int = 0) -> tuple[Any, ...]:
    """Step until a game ends; the observations before, and what the step gave."""
    random = np.random.default_rng(seed)
    seen, _ = env.reset(seed=seed)
    for _ in range(1000):
        result = env.step(random_actions(seen, random))
        if result[2].any():
            return seen, *result
        seen = result[0]
    raise AssertionError("no game has ended")


def test_same_step_shows_the_next_game_and_keeps_the_end_in_the_infos() -> None:
    env = make(3, max_rounds=3, autoreset_mode="SameStep")
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    _, seen, rewards, terminations, _, infos = play_to_an_end(env)
    lane = int(np.flatnonzero(terminations)[0])
    others = np.flatnonzero(~terminations)
    final, final_info = infos["final_obs"][lane], infos["final_info"]
    # The step's flags and rewards are those of the game that ended, its observation is the next game's.
    assert (
        rewards[lane]
        == final_rewards("win", final_info["scores"][[lane]], final_info["ranks"][[lane]], np.array([2])).ravel()[
            final_info["seat"][lane]
        ]
    )
    assert final_info["seed"][lane] == lane
    assert infos["seed"][lane] != lane
    assert infos["_final_obs"].tolist() == terminations.tolist()
    assert not seen["action_mask"][lane].all()
    assert final["action_mask"].all()
    assert not np.array_equal(final["observation"], seen["observation"][lane])
    assert all(infos["final_obs"][other] is None for other in others)
    # The step after it is an ordinary one of the next game.
    seed = infos["seed"][lane]
    actions = random_actions(seen, np.random.default_rng(5))
    following, rewards, terminations, _, infos = env.step(actions)
    assert rewards[lane] == 0
    assert not terminations[lane]
    assert infos["seed"][lane] == seed
    alone = gymnasium.make("dunaia/Dunaia-v0", max_rounds=3)
    alone.reset(seed=int(seed))
    assert np.array_equal(alone.step(actions[lane])[0]["observation"], following["observation"][lane])


def test_next_step_shows_the_end_and_ignores_the_following_action() -> None:
    env = make(3, max_rounds=3, autoreset_mode="NextStep")
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    _, seen, rewards, terminations, _, infos = play_to_an_end(env)
    lane = int(np.flatnonzero(terminations)[0])
    assert "final_obs" not in infos
    assert infos["seed"][lane] == lane
    assert infos["_ranks"].tolist() == terminations.tolist()
    assert rewards[lane] != 0
    assert seen["action_mask"][lane].all()
    twin = copy.deepcopy(env)
    actions = random_actions(seen, np.random.default_rng(5))
    begun, rewards, terminations, _, infos = env.step(actions)
    actions[lane] = -7
    assert_same(twin.step(actions)[0], begun)
    assert rewards[lane] == 0
    assert not terminations[lane]
    assert infos["seed"][lane] != lane
    assert "illegal_action" not in infos
    alone = gymnasium.make("dunaia/Dunaia-v0", max_rounds=3)
    observation, _ = alone.reset(seed=int(infos["seed"][lane]))
    assert np.array_equal(observation["observation"], begun["observation"][lane])


@pytest.mark.compiled
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("mode", MODES)
def test_ten_thousand_masked_decisions_and_the_returns(players: int, mode: AutoresetMode) -> None:
    env = make(64, opponents="random", num_players=players, autoreset_mode=mode, max_rounds=6)
    seen, infos = env.reset(seed=0)
    total, games = np.zeros(64), 0
    for _ in range(10_000 // 64 + 1):
        actions = env.unwrapped.games.lanes.random_actions(1)
        if mode is AutoresetMode.NEXT_STEP:
            actions[env.unwrapped._over] = 0
        assert seen["action_mask"][np.arange(64), actions].all()
        seen, rewards, terminations, truncations, infos = env.step(actions)
        assert not truncations.any()
        final = infos.get("final_info", infos) if mode is AutoresetMode.SAME_STEP else infos
        assert "illegal_action" not in final
        total += rewards
        for lane in np.flatnonzero(terminations):
            scores, ranks = final["scores"][[lane]], final["ranks"][[lane]]
            wanted = final_rewards("win", scores, ranks, np.array([players]))[0, final["seat"][lane]]
            assert total[lane] == pytest.approx(wanted)
            total[lane], games = 0, games + 1
    assert games > 64


@pytest.mark.compiled
def test_gymnasiums_statistics_wrapper_counts_every_game() -> None:
    for mode in MODES:
        env = RecordEpisodeStatistics(make(8, max_rounds=3, autoreset_mode=mode))
        seen, _ = env.reset(seed=0)
        random, lengths, returns = np.random.default_rng(0), [], []
        for _ in range(80):
            seen, rewards, terminations, _, infos = env.step(random_actions(seen, random))
            if terminations.any():
                lengths += infos["episode"]["l"][terminations].tolist()
                returns += infos["episode"]["r"][terminations].tolist()
                assert np.allclose(rewards[terminations], infos["episode"]["r"][terminations])
        assert len(lengths) > 16
        # Before 1.4 Gymnasium did not count the first step after a game that ended in this mode.
        assert min(lengths) > 4
        assert set(np.sign(returns)) <= {-1, 0, 1}


def test_arrays_are_fresh_unless_asked_otherwise() -> None:
    env = make(4, max_rounds=3)
    seen, infos = env.reset(seed=0)
    kept = {name: array.copy() for name, array in {**seen, "seed": infos["seed"], "seat": infos["seat"]}.items()}
    _, rewards, terminations, truncations, _ = env.step(random_actions(seen, np.random.default_rng(0)))
    first = rewards.copy()
    rewards[:], terminations[:], truncations[:] = 5, True, True
    for name, array in {**seen, "seed": infos["seed"], "seat": infos["seat"]}.items():
        assert np.array_equal(array, kept[name])
    assert (first == 0).all()
    assert not env.unwrapped.games.terminations.any()
    shared = make(4, copy=False)
    seen, _ = shared.reset(seed=0)
    again, *_ = shared.step(random_actions(seen, np.random.default_rng(0)))
    assert again["observation"] is seen["observation"]


@pytest.mark.compiled
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("opponents", ["random", ["greedy", "random"], None])
@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, DunaiaVectorEnv.clone, lambda env: pickle.loads(pickle.dumps(env))]
)
def test_copies_in_mid_game_go_on_alike(mode: Any, opponents: Any, duplicate: Callable[[Any], Any]) -> None:
    env = DunaiaVectorEnv(3, opponents=opponents, autoreset_mode=mode, max_rounds=3)
    seen = play_to_an_end(env)[1]
    twin = duplicate(env)
    other = {name: array.copy() for name, array in seen.items()}
    random, same = np.random.default_rng(0), np.random.default_rng(0)
    for _ in range(40):
        other, *rest, infos = twin.step(random_actions(other, same))
        seen, *wanted, wanted_infos = env.step(random_actions(seen, random))
        assert_same(other, seen)
        assert all(np.array_equal(a, b) for a, b in zip(rest, wanted, strict=True))
        assert_same(infos, wanted_infos)


def test_seeds_by_number_and_by_list() -> None:
    env = make(3)
    _, infos = env.reset(seed=7)
    assert infos["seed"].tolist() == [7, 8, 9]
    _, again = env.reset()
    assert len(set(again["seed"].tolist()) | {7, 8, 9}) == 6
    _, infos = env.reset(seed=[5, 5, 2])
    assert infos["seed"].tolist() == [5, 5, 2]
    with pytest.raises(ValueError, match="expected one for each of 3 lanes, got 2 seeds"):
        env.reset(seed=[1, 2])
    fresh, other = make(3), make(3)
    assert not set(fresh.reset()[1]["seed"]) & set(other.reset()[1]["seed"])


@pytest.mark.compiled
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", [None, 40, [1, None, 3, None, 5]])
@pytest.mark.parametrize("given", [np.array, list])
def test_some_games_begin_anew_as_gymnasiums_own_vector_environment_begins_them(
    mode: AutoresetMode, seed: Any, given: Any
) -> None:
    vector, singles = make(5, autoreset_mode=mode, max_rounds=3), make_singles(5, mode, max_rounds=3)
    seen, wanted = vector.reset(seed=[7, 8, 9, 10, 11])[0], singles.reset(seed=[7, 8, 9, 10, 11])[0]
    random = np.random.default_rng(2)
    for number in range(60):
        if number % 7 == 3:
            mask = random.random(5) < 0.5
            mask[number % 5] = True
            options = {"reset_mask": given(mask)}
            before = {name: array.copy() for name, array in seen.items()}
            seen, infos = vector.reset(seed=seed, options=options)
            assert options.keys() == {"reset_mask"}
            wanted, wanted_infos = singles.reset(seed=seed, options={"reset_mask": mask})
            assert_same(seen, wanted)
            assert_same(infos, wanted_infos)
            assert infos["_seed"].tolist() == mask.tolist()
            assert_same({name: array[~mask] for name, array in before.items()}, {n: a[~mask] for n, a in seen.items()})
        actions = random_actions(wanted, random)
        seen, *rest, infos = vector.step(actions)
        wanted, *wanted_rest, wanted_infos = singles.step(actions)
        assert_same(seen, wanted)
        assert_same(infos, wanted_infos)
        assert all(np.allclose(one, other) for one, other in zip(rest, wanted_rest, strict=True))


def test_a_seed_of_none_in_a_list_is_the_next_game() -> None:
    env, alone = make(3), gymnasium.make("dunaia/Dunaia-v0")
    fresh = [env.reset(seed=[1, None, 3])[1]["seed"].tolist() for _ in range(2)]
    assert [fresh[0][0], fresh[0][2]] == [1, 3] == [fresh[1][0], fresh[1][2]]
    assert fresh[0][1] != fresh[1][1] == game_seed(fresh[0][1], 0, 1)
    alone.reset(seed=1)
    assert env.reset(seed=[None, 5, None])[1]["seed"][0] == alone.reset()[1]["seed"]
    before = env.unwrapped.games.lanes.snapshot()
    with pytest.raises(ValueError, match=r"seed: expected an integer in 0.*, got -1"):
        env.reset(seed=[4, None, -1])
    assert all((array == before[name]).all() for name, array in env.unwrapped.games.lanes.snapshot().items())


def test_games_begin_in_a_state() -> None:
    env, source = make(3, max_rounds=5), gymnasium.make("dunaia/Dunaia-v0", max_rounds=5, seat=0)
    source.reset(seed=4)
    for _ in range(10):
        source.step(int(np.flatnonzero(source.unwrapped.action_masks())[0]))
    content = source.unwrapped.get_state().to_dict()
    env.reset(seed=0)
    seen, _ = env.reset(seed=4, options={"state": content, "reset_mask": [True, False, True]})
    alone = gymnasium.make("dunaia/Dunaia-v0", max_rounds=5)
    for lane in (0, 2):
        wanted, _ = alone.reset(seed=4 + lane, options={"state": content})
        assert (seen["observation"][lane] == wanted["observation"]).all()
    assert env.unwrapped.games.lanes.get_state(1).to_dict()["round"] == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mask": [True] * 3}, "options: expected the key 'reset_mask' or 'state', got 'mask'"),
        (
            {"reset_mask": [True, False]},
            r"options: reset_mask: expected 3 booleans, at least one of them True, got \[True, False\]",
        ),
        ({"reset_mask": np.zeros(3, np.bool_)}, "options: reset_mask: .* at least one of them True"),
        ({"reset_mask": [1, 0, 1]}, r"options: reset_mask: expected 3 booleans, .*, got \[1, 0, 1\]"),
        ({"reset_mask": None}, "options: reset_mask: expected 3 booleans, .*, got None"),
        ({"state": {"no": "state"}}, "players is missing"),
        ([True], r"options: expected a dictionary or None, got \[True\]"),
    ],
)
def test_other_options_of_a_reset_are_refused(options: Any, message: str) -> None:
    env = make(3)
    env.reset(seed=1)
    with pytest.raises(ValueError, match=message):
        env.reset(options=options)


def test_all_games_begin_before_some_of_them_begin_anew() -> None:
    with pytest.raises(ResetNeeded, match="reset: not all games have begun; call reset without reset_mask first"):
        make(2).reset(seed=1, options={"reset_mask": [True, False]})
    make(2).reset(seed=1, options={"reset_mask": [True, True]})


def test_options_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="autoreset_mode: expected one of SameStep, NextStep, got 'Disabled'"):
        make(autoreset_mode="Disabled")
    with pytest.raises(ValueError, match=r"seat: expected 'random' or an integer in 0\.\.1, got 5"):
        make(seat=5)
    with pytest.raises(ValueError, match=r"num_lanes: expected at least 1 \(an integer\), got 0"):
        make(0)


def test_masks_as_booleans() -> None:
    env = DunaiaVectorEnv(3)
    seen, _ = env.reset(seed=0)
    masks = env.action_masks()
    assert masks.dtype == np.bool_
    assert np.array_equal(masks, seen["action_mask"] == 1)
    env.close()


# Self-play


def self_play(num_envs: int, **options: Any) -> Any:
    env = gymnasium.make_vec("dunaia/DunaiaSelfPlay-v0", num_envs=num_envs, **options)
    assert isinstance(env, VectorEnv)
    return env


@pytest.mark.compiled
@pytest.mark.parametrize("elites", [False, True])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_self_play_equals_single_games_step_by_step(players: int, elites: bool) -> None:
    options: dict[str, Any] = {"num_players": players, "elites": elites, "max_rounds": 3}
    env = self_play(4, **options)
    alone = [dunaia_v0.raw_env(**options) for _ in range(4)]
    seen, infos = env.reset(seed=50)
    for lane, one in enumerate(alone):
        one.reset(seed=50 + lane)
    random, ends = np.random.default_rng(0), 0
    delivered = np.zeros((4, 4))
    for _ in range(150):
        actors = []
        for lane, one in enumerate(alone):
            agent = one.agent_selection
            actors.append(one.possible_agents.index(agent))
            assert infos["seat"][lane] == actors[lane]
            observation = one.observe(agent)
            assert np.array_equal(seen["observation"][lane], observation["observation"])
            assert np.array_equal(seen["action_mask"][lane], observation["action_mask"])
            assert infos["seed"][lane] == one.chance.seed
        actions = random_actions(seen, random)
        seen, rewards, terminations, truncations, infos = env.step(actions)
        assert infos["actor"].tolist() == actors
        assert infos["num_players"].tolist() == [players] * 4
        assert not truncations.any()
        delivered += infos["seat_rewards"]
        for lane, one in enumerate(alone):
            one.step(actions[lane])
            assert terminations[lane] == any(one.terminations.values())
            assert rewards[lane] == infos["seat_rewards"][lane, actors[lane]]
            if terminations[lane]:
                wanted = [one.rewards[agent] for agent in one.possible_agents]
                assert delivered[lane, :players] == pytest.approx(wanted)
                assert delivered[lane, players:].tolist() == [0] * (4 - players)
                info = one.infos["player_0"]
                for name in ("scores", "ranks", "rounds", "max_rounds_reached"):
                    assert np.array_equal(infos["final_info"][name][lane], info[name])
                one.reset()
                delivered[lane], ends = 0, ends + 1
            else:
                assert not infos["seat_rewards"][lane].any()
    assert ends >= 4


@pytest.mark.compiled
def test_self_play_at_tables_of_several_sizes() -> None:
    env = self_play(6, num_players=[2, 3, 4], max_rounds=3)
    seen, infos = env.reset(seed=0)
    assert infos["num_players"].tolist() == [2, 3, 4, 2, 3, 4]
    random = np.random.default_rng(0)
    # 10,000 decisions; an illegal one would leave a sum that is not zero.
    for _ in range(1700):
        seen, _, terminations, _, infos = env.step(random_actions(seen, random))
        assert (infos["seat"] < infos["num_players"]).all()
        assert np.allclose(infos["seat_rewards"].sum(axis=1), 0, atol=1e-6)
        for lane in np.flatnonzero(terminations):
            ranks = infos["final_info"]["ranks"][lane]
            assert (ranks > 0).sum() == infos["num_players"][lane]


def test_an_illegal_action_in_self_play_costs_who_acted() -> None:
    env = self_play(3, num_players=3)
    seen, infos = env.reset(seed=1)
    actions = random_actions(seen, np.random.default_rng(0))
    actions[1] = -1
    actor = infos["seat"][1]
    seen, rewards, terminations, _, infos = env.step(actions)
    assert rewards.tolist() == [0, -1, 0]
    assert terminations.tolist() == [False, True, False]
    wanted = np.zeros(4)
    wanted[actor] = -1
    assert np.array_equal(infos["seat_rewards"][1], wanted)
    assert infos["final_info"]["illegal_action"][1] == -1
    assert infos["seed"][1] not in (1, 2, 3)


@pytest.mark.compiled
def test_the_recipe_for_advantages_of_each_seat() -> None:
    """With discount and lambda 1 an advantage is the seat's return less its value: nothing is lost or mixed up."""
    env, steps = self_play(5, num_players=[2, 3, 4], max_rounds=3), 160
    random = np.random.default_rng(0)
    seen, infos = env.reset(seed=3)
    values = random.normal(size=(steps, 5)).astype(np.float32)
    rewards, terminations = np.zeros((steps, 5, 4), np.float32), np.zeros((steps, 5), np.bool_)
    seats = np.zeros((steps, 5), np.int8)
    for row in range(steps):
        seats[row] = infos["seat"]
        seen, _, terminations[row], _, infos = env.step(random_actions(seen, random))
        rewards[row] = infos["seat_rewards"]
    advantages, finished = seat_advantages(
        values, rewards, terminations, seats, np.zeros(5, np.float32), infos["seat"], 1.0, 1.0
    )
    checked = 0
    for lane in range(5):
        for row in range(steps):
            after = np.flatnonzero(terminations[row:, lane])
            if len(after):
                wanted = rewards[row + after[0], lane, seats[row, lane]] - values[row, lane]
                assert advantages[row, lane] == pytest.approx(wanted, abs=1e-5)
                assert finished[row, lane]
                checked += 1
    assert checked > 300


def test_a_step_before_the_first_reset_is_refused() -> None:
    env = gymnasium.make_vec("dunaia/Dunaia-v0", num_envs=2)
    with pytest.raises(ResetNeeded, match="step: no game is in progress; call reset"):
        env.step(np.zeros(2, np.int64))


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.uint64])
def test_actions_may_be_of_any_integer_type(kind: type[np.integer[Any]]) -> None:
    env, other = (gymnasium.make_vec("dunaia/Dunaia-v0", num_envs=4, opponents="random") for _ in range(2))
    (observations, _), _ = env.reset(seed=1), other.reset(seed=1)
    actions = observations["action_mask"].argmax(axis=1)
    assert actions.max() < 128
    found, wanted = env.step(actions.astype(kind)), other.step(actions)
    assert (found[0]["observation"] == wanted[0]["observation"]).all()
    assert (found[1] == wanted[1]).all()


def test_another_game_is_the_single_environments() -> None:
    options: dict[str, Any] = {"game": BIDS, "num_players": 6, "opponents": "random", "hand": 2}
    env, alone = DunaiaVectorEnv(4, **options), [DunaiaEnv(**options) for _ in range(4)]
    assert env.single_observation_space == alone[0].observation_space
    observations, infos = env.reset(seed=20)
    singles = [single.reset(seed=20 + place)[0] for place, single in enumerate(alone)]
    random, ends = np.random.default_rng(3), 0
    for _ in range(40):
        for place in range(4):
            assert (observations["observation"][place] == singles[place]["observation"]).all()
            assert (observations["action_mask"][place] == singles[place]["action_mask"]).all()
        actions = random_actions(observations, random)
        observations, rewards, terminations, _, infos = env.step(actions)
        for place, single in enumerate(alone):
            singles[place], reward, terminated, _, info = single.step(actions[place])
            assert (rewards[place], terminations[place]) == (pytest.approx(reward), terminated)
            if terminated:
                ends += 1
                assert infos["final_info"]["scores"][place].tolist() == info["scores"].tolist()
                singles[place] = single.reset()[0]
    assert ends > 8


def test_self_play_of_another_game_rewards_six_seats() -> None:
    env = DunaiaVectorEnv(3, game=BIDS, opponents=None, num_players=[2, 5, 6])
    observations, infos = env.reset(seed=1)
    assert infos["num_players"].tolist() == [2, 5, 6]
    random, rewarded = np.random.default_rng(0), np.zeros(3)
    for _ in range(60):
        observations, _, _, _, infos = env.step(random_actions(observations, random))
        assert infos["seat_rewards"].shape == (3, 6)
        assert np.abs(infos["seat_rewards"].sum(axis=1)).max() < 1e-6
        rewarded += np.abs(infos["seat_rewards"]).sum(axis=1) > 0
    assert (rewarded > 0).all()

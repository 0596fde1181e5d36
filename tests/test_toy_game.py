"""The seam between games and what is above them: a toy game is played through all of it."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from dunaia_env import GameState, IllegalActionError, Lanes, NeedsDraw, Stream, Tape, dunaia
from dunaia_env.envs.aec import raw_env
from dunaia_env.game import prepare
from dunaia_env.games import DEFAULT_GAME
from dunaia_env.harness.game import Game, game_named
from dunaia_env.opponents import GreedyAgent, RandomAgent
from dunaia_env.rewards import final_rewards

RACE: Game = game_named("tests.toy_game")


def members(cls: type) -> set[str]:
    return {name for name in (*vars(cls), *cls.__annotations__) if not name.startswith("_")}


def test_both_games_have_everything_that_is_asked_of_a_game() -> None:
    wanted = members(Game)
    assert len(wanted) > 20
    for game in (RACE, DEFAULT_GAME):
        assert {name for name in wanted if not hasattr(game, name)} == set()


def test_a_game_is_one_object_however_it_travels() -> None:
    assert game_named("tests.toy_game") is RACE
    assert copy.deepcopy(RACE) is RACE
    assert pickle.loads(pickle.dumps(RACE)) is RACE
    assert repr(RACE) == "<game tests.toy_game>"
    assert RACE is not DEFAULT_GAME


@pytest.mark.parametrize("players", [2, 3, 6])
def test_a_single_game_is_played(players: int) -> None:
    chance = Stream(4)
    state = GameState.new(chance, num_players=players, tokens=1, game=RACE)
    agent = RandomAgent(1)
    while not state.is_over:
        assert state.seat == state.to_dict()["turn"] % players
        assert state.decision == "TURN"
        assert np.flatnonzero(state.action_mask()).tolist() == state.legal_actions()
        assert state.observation().shape == (RACE.observation_size,)
        twin = GameState.from_dict(state.to_dict(), game=RACE)
        again = pickle.loads(pickle.dumps(state))
        action = agent.act(state)
        for each in (state, twin, again):
            each.apply(RACE.action_text(action), chance)
        assert state == twin == again
    assert max(state.scores()) >= 20
    assert state.ranks() == [1 + sum(other > own for other in state.scores()) for own in state.scores()]
    assert state.legal_actions() == []
    assert repr(state) == f"<GameState of race: {players} players, over>"
    assert state.game is RACE


def test_errors_are_told_in_the_games_words() -> None:
    state = GameState.new(0, game=RACE)
    with pytest.raises(
        IllegalActionError, match=r"action 'double' \(2\) is not legal for seat 0 in TURN; legal: run, rest"
    ):
        state.apply("double", 0)
    with pytest.raises(IllegalActionError, match="action 'fly': one of run, rest, double is needed"):
        state.apply("fly", 0)
    with pytest.raises(ValueError, match=r"num_players: 7; an integer in 2\.\.6"):
        GameState.new(0, num_players=7, game=RACE)
    with pytest.raises(ValueError, match=r"uint8 \(34,\) is needed"):
        GameState(np.zeros(dunaia.STATE_SIZE, np.uint8), game=RACE)


def test_chance_is_explicit() -> None:
    tape = Tape()
    with pytest.raises(NeedsDraw, match=r"needs draw\(6\)"):
        GameState.new(tape, game=RACE)
    children = []
    for outcome in range(6):
        state = GameState.new(Tape([3]), game=RACE)
        state.apply("run", Tape([(6, outcome)]))
        children.append(state.to_dict()["die"])
    assert children == [1, 2, 3, 4, 5, 6]


def test_games_and_rule_sets_are_told_apart() -> None:
    race, dunaia_state = GameState.new(0, game=RACE), GameState.new(0)
    assert race != dunaia_state
    assert GameState.new(0, game=RACE, components=9) != race
    lanes = Lanes(2, game=RACE)
    lanes.reset(0)
    for wrong in (dunaia_state, GameState.new(0, game=RACE, components=9)):
        with pytest.raises(ValueError, match="is needed"):
            lanes.set_state(0, wrong)
    with pytest.raises(ValueError, match="greedy: evaluates dunaia only, not race"):
        GreedyAgent().act(race)


def test_greedy_refuses_lanes_of_another_game() -> None:
    lanes = Lanes(2, game=RACE)
    lanes.reset(0)
    with pytest.raises(ValueError, match="greedy: evaluates dunaia only, not race"):
        GreedyAgent().act_batch(lanes, np.arange(2))


def make(count: int, **options: Any) -> Lanes:
    return Lanes(count, **{"game": RACE, "num_players": [2, 3, 6], "tokens": [0, 1], **options})


@pytest.mark.parametrize("threads", [1, 2])
def test_lanes_play_what_single_games_play(threads: int) -> None:
    lanes = make(6, threads=threads)
    lanes.reset(30)
    chances = [Stream(int(seed)) for seed in lanes.game_seeds]
    states = [
        GameState.new(chances[lane], num_players=(2, 3, 6)[lane % 3], tokens=lane % 2, game=RACE) for lane in range(6)
    ]
    ended = 0
    agent = RandomAgent()
    for _ in range(200):
        for lane, state in enumerate(states):
            assert lanes.get_state(lane) == state
            assert (lanes.observations[lane] == state.observation()).all()
            assert (lanes.action_masks[lane] == state.action_mask()).all()
            assert lanes.seats[lane] == state.seat
        actions = agent.act_batch(lanes, np.arange(6))
        lanes.step(actions)
        for lane, state in enumerate(states):
            state.apply(int(actions[lane]), chances[lane])
            assert lanes.terminations[lane] == state.is_over
            if state.is_over:
                ended += 1
                players = state.num_players
                assert lanes.final_scores[lane, :players].tolist() == state.scores()
                assert lanes.final_ranks[lane, :players].tolist() == state.ranks()
                assert lanes.final_rounds[lane] == state.to_dict()["round"]
                wanted = final_rewards("win", *map(np.array, ([state.scores()], [state.ranks()], [players])))
                assert lanes.rewards[lane, :players] == pytest.approx(wanted[0])
                chances[lane] = Stream(int(lanes.game_seeds[lane]))
                states[lane] = GameState.new(chances[lane], num_players=players, tokens=lane % 2, game=RACE)
    assert ended > 20
    lanes.close()


def test_lanes_of_the_toy_game_do_what_lanes_do() -> None:
    lanes, alone = make(5, reward="rank", laps=3), make(2, reward="rank", laps=3)
    lanes.reset(2)
    alone.reset(2)
    snapshot = lanes.snapshot()
    for _ in range(60):
        actions = lanes.random_actions(1)
        assert (alone.random_actions(1) == actions[:2]).all()
        lanes.step(actions)
        alone.step(actions[:2])
        assert (alone.observations == lanes.observations[:2]).all()
        assert np.abs(lanes.rewards.sum(axis=1)).max() < 1e-6
    assert lanes.max_rounds_reached.any()
    twin = pickle.loads(pickle.dumps(lanes))
    assert (twin.observations == lanes.observations).all()
    lanes.restore(snapshot)
    assert lanes.get_state(0) == GameState.new(2, game=RACE, laps=3)
    with pytest.raises(IllegalActionError, match="lane 0: action 'double'"):
        lanes.step(np.full(5, 2))
    waiting = make(3, autoreset=False, laps=1)
    waiting.reset(0)
    for _ in range(6):
        waiting.step(waiting.random_actions(0))
    assert waiting.seats.tolist() == [-1, -1, -1]


@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning")
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
@pytest.mark.parametrize("players", [2, 3, 6])
def test_pettingzoos_tests_pass_for_the_toy_game(players: int) -> None:
    api_test(raw_env(game=RACE, num_players=players), num_cycles=100)
    seed_test(lambda: raw_env(game=RACE, num_players=players), num_cycles=50)


@pytest.mark.parametrize("players", [2, 3, 6])
def test_the_environment_plays_the_toy_game(players: int) -> None:
    env = raw_env(game=RACE, num_players=players, render_mode="ansi", components=12)
    agent = RandomAgent(3)
    for seed in range(5):
        env.reset(seed=seed)
        state, delivered = GameState.new(seed, num_players=players, game=RACE, components=12), {}
        for name in env.agent_iter():
            observation, reward, termination, truncation, info = env.last()
            assert truncation is False
            if termination:
                delivered[name] = reward
                assert info["scores"] == state.scores()
                env.step(None)
                continue
            assert reward == 0
            assert (observation["observation"] == state.observation()).all()
            action = agent.act(state)
            assert observation["action_mask"][action] == 1
            state.apply(action, seed)
            env.step(action)
        assert sum(delivered.values()) == pytest.approx(0, abs=1e-6)
        assert len(delivered) == players
    env.reset(seed=1)
    assert env.render() == f"{[0] * players} of 12, die {env.to_dict()['die']}"
    twin = copy.deepcopy(env)
    twin.step(0)
    assert env.to_dict()["turn"] == 0
    assert RACE.sentence("run", env.to_dict(), None) == "player 0: run"


@pytest.mark.compiled
def test_the_trainer_needs_nothing_else() -> None:
    torch = pytest.importorskip("torch")
    from training.arguments import Arguments
    from training.trainer import Trainer

    before = torch.get_num_threads()
    arguments = Arguments(
        players=(2, 3),
        elites=(False,),
        lanes=16,
        steps=16,
        minibatches=2,
        width=16,
        layers=1,
        precision="fp32",
        device="cpu",
    )

    def make_lanes(*given: Any, elites: object, max_rounds: int, **options: Any) -> Lanes:
        """The trainer still names options that this game does not have."""
        return Lanes(*given, **options, laps=max_rounds, game=RACE)

    trainer = Trainer(arguments, make_lanes)
    trainer.learn(trainer.collect())
    assert trainer.decisions == 256
    assert np.isfinite(trainer.player().value(trainer.lanes.get_state(0)))
    torch.set_num_threads(before)


def test_a_game_without_an_evaluation_is_not_searched_by_one() -> None:
    with pytest.raises(ValueError, match="race: the game has no evaluation"):
        prepare(RACE, evaluation=True)
    lanes = Lanes(2, game=RACE)
    lanes.reset(0)
    with pytest.raises(ValueError, match="race: the game has no evaluation"):
        lanes.call_kernel(lambda *_: None, np.zeros(1), 0, [0])

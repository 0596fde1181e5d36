"""Dunaïa as an OpenSpiel game: its contract, chance nodes, agreement with the engine, copies, OpenSpiel's own tools."""

from __future__ import annotations

import copy
import importlib
import json
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import evaluate_bots, mcts
from open_spiel.python.bots.uniform_random import UniformRandomBot
from open_spiel.python.observation import make_observation

from dunaia_env import GameState, IllegalActionError, NeedsDraw, Stream, Tape, dunaia
from dunaia_env.dunaia.bounds import MOST_OUTCOMES, most_decisions, most_draws
from dunaia_env.envs.open_spiel import DunaiaGame, OpenSpielGame, OpenSpielState, register
from dunaia_env.harness.compiled.chance import MOST_DRAWS
from dunaia_env.harness.compiled.rewards import REWARDS, final_rewards
from tests.toy_game import GAME as BIDS

pytestmark = pytest.mark.compiled

TABLES = [(players, elites) for players in (2, 3, 4) for elites in (False, True)]
CHANCE, TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)


def load(players: int = 2, elites: bool = False, max_rounds: int = 100, **others: Any) -> OpenSpielGame:
    parameters = {"players": players, "elites": elites, "max_rounds": max_rounds, **others}
    game: OpenSpielGame = pyspiel.load_game("python_dunaia", parameters)
    return game


def choose(state: OpenSpielState, random: np.random.Generator) -> int:
    return int(random.choice(state.legal_actions()))


def nodes(state: OpenSpielState, seed: int) -> Iterator[OpenSpielState]:
    """The state before each of its random decisions and draws, changed in place, and at the end."""
    random = np.random.default_rng(seed)
    while not state.is_terminal():
        assert state.move_number() < state.get_game().max_move_number()
        yield state
        state.apply_action(choose(state, random))
    yield state


def to_decision(state: OpenSpielState, seed: int = 0) -> OpenSpielState:
    """Draw at random until there is a decision or the end."""
    random, most = np.random.default_rng(seed), state.move_number() + MOST_DRAWS
    while state.is_chance_node():
        assert state.move_number() < most
        state.apply_action(choose(state, random))
    return state


def engine(state: OpenSpielState) -> GameState:
    found = state.game_state
    assert found is not None
    return found


def random_draws(state: OpenSpielState, seed: int) -> Iterator[OpenSpielState]:
    """The chance nodes of a random game."""
    return (node for node in nodes(state, seed) if node.is_chance_node())


def look(state: OpenSpielState) -> tuple[Any, ...]:
    """All that can be seen of a state."""
    seats = range(state.num_players())
    content = None if state.game_state is None else state.game_state.to_bytes()
    seen = [(state.observation_string(seat), state.observation_tensor(seat)) for seat in seats]
    return str(state), state.history(), state.current_player(), state.legal_actions(), state.returns(), content, seen


def test_the_game_says_what_it_is() -> None:
    game = pyspiel.load_game("python_dunaia(players=3,elites=true,max_rounds=100,reward=win)")
    assert isinstance(game, DunaiaGame)
    kind = game.get_type()
    assert kind.dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
    assert kind.chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    assert kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION
    assert kind.utility == pyspiel.GameType.Utility.ZERO_SUM
    assert kind.reward_model == pyspiel.GameType.RewardModel.TERMINAL
    assert (kind.min_num_players, kind.max_num_players) == (2, 4)
    assert game.num_players() == 3
    assert game.num_distinct_actions() == dunaia.NUM_ACTIONS
    assert game.observation_tensor_shape() == [dunaia.OBSERVATION_SIZE]
    assert game.utility_sum() == 0
    assert game.max_chance_outcomes() == MOST_OUTCOMES
    assert game.max_game_length() == most_decisions(dunaia.load(), 3, 100)
    assert game.max_chance_nodes_in_history() == most_draws(dunaia.load(), 3, 100)
    assert "python_dunaia" in pyspiel.registered_names()


def test_parameters_have_defaults() -> None:
    game = pyspiel.load_game("python_dunaia")
    values = {"players": 2, "elites": False, "max_rounds": 100, "reward": "win", "components": ""}
    assert game.get_parameters() == values
    content = engine(to_decision(game.new_initial_state())).to_dict()
    assert (len(content["players"]), content["max_rounds"], content["decision"]) == (2, 100, "CHOOSE_DIE")


@pytest.mark.parametrize(
    ("parameter", "error", "message"),
    [
        ("players=5", ValueError, r"^players: expected an integer in 2\.\.4, got 5$"),
        ("players=1", ValueError, r"^players: expected an integer in 2\.\.4, got 1$"),
        ("max_rounds=0", ValueError, r"^max_rounds: expected an integer in 1\.\.1000, got 0$"),
        ("reward=money", ValueError, "^reward: expected one of win, rank, score, got 'money'$"),
        ("components=/no/such.toml", ValueError, "^components /no/such.toml: cannot be read"),
        ("players=two", pyspiel.SpielError, "Wrong type for parameter players"),
        ("elites=1", pyspiel.SpielError, "Wrong type for parameter elites"),
        ("colour=red", pyspiel.SpielError, "Unknown parameter 'colour'"),
    ],
)
def test_a_wrong_parameter_gets_one_error(parameter: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pyspiel.load_game(f"python_dunaia({parameter})")


def test_a_component_file_is_played(tmp_path: Path) -> None:
    own = Path(dunaia.__file__).with_name("components.toml").read_text(encoding="utf-8")
    file = tmp_path / "rich.toml"
    file.write_text(own.replace("flowers = 2\ntokens = 3", "flowers = 9\ntokens = 3"), encoding="utf-8")
    state = to_decision(load(components=str(file)).new_initial_state())
    assert [player["flowers"] for player in engine(state).to_dict()["players"]] == [9, 9]
    again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(state.get_game(), state))[1]
    assert engine(again) == engine(state)


def test_without_openspiel_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, "dunaia_env.envs.open_spiel")
    with pytest.raises(ImportError, match=r"^dunaia_env\.envs\.open_spiel needs OpenSpiel: pip install open_spiel$"):
        importlib.import_module("dunaia_env.envs.open_spiel")


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_openspiels_random_simulation_of_short_games(players: int, elites: bool, reward: str) -> None:
    pyspiel.random_sim_test(load(players, elites, 3, reward=reward), num_sims=1, serialize=True, verbose=False)


@pytest.mark.long
def test_openspiels_random_simulation_of_a_whole_game() -> None:
    pyspiel.random_sim_test(load(), num_sims=1, serialize=True, verbose=False)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_openspiels_random_simulation_of_whole_games(players: int, elites: bool) -> None:
    pyspiel.random_sim_test(load(players, elites), num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_the_draws_of_a_seed_give_the_game_of_that_seed(players: int, elites: bool) -> None:
    """Decision by decision the same states, legal actions and returns as `GameState` with a stream."""
    random = np.random.default_rng(players)
    game, chance = load(players, elites), Stream(21)
    single = GameState.new(chance, num_players=players, elites=elites)
    state = game.new_initial_state()
    while True:
        for n, outcome in chance.draws:
            assert state.is_chance_node()
            assert [k for k, _ in state.chance_outcomes()] == list(range(n))
            state.apply_action(outcome)
        assert engine(state) == single
        assert state.legal_actions() == single.legal_actions()
        if single.is_over:
            break
        assert state.current_player() == single.seat
        assert state.returns() == [0] * players
        action = int(random.choice(single.legal_actions()))
        assert state.action_to_string(action) == dunaia.action_text(action)
        state.apply_action(action)
        single.apply(action, chance)
    assert (state.current_player(), state.is_terminal()) == (TERMINAL, True)


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_returns_are_the_final_rewards_and_sum_to_zero(players: int, reward: str) -> None:
    game = load(players, max_rounds=12, reward=reward)
    for seed in range(8):
        *_, end = nodes(game.new_initial_state(), seed)
        single = engine(end)
        given = np.array([single.scores()]), np.array([single.ranks()]), np.array([players])
        assert np.array(end.returns(), np.float32).tolist() == final_rewards(reward, *given)[0].tolist()
        assert end.rewards() == end.returns()
        assert abs(sum(end.returns())) < 1e-12
        assert game.min_utility() <= min(end.returns()) < max(end.returns()) <= game.max_utility()


@pytest.mark.parametrize(("reward", "least"), [("win", -1 / 3), ("rank", -1), ("score", None)])
def test_utilities_are_the_extremes_of_the_reward(reward: str, least: float | None) -> None:
    game = load(4, reward=reward)
    if least is None:
        assert game.min_utility() == -game.max_utility()
    else:
        assert (game.min_utility(), game.max_utility()) == (pytest.approx(least), 1)


@pytest.mark.parametrize("elites", [False, True])
def test_every_chance_child_holds_its_outcome(elites: bool) -> None:
    """Whatever is drawn, child k continues with k, and all probabilities are equal and sum to 1."""
    sizes = set()
    for state in random_draws(load(3, elites, 12).new_initial_state(), 5):
        outcomes = state.chance_outcomes()
        sizes.add(len(outcomes))
        assert [k for k, _ in outcomes] == state.legal_actions() == list(range(len(outcomes)))
        assert sum(probability for _, probability in outcomes) == pytest.approx(1, abs=1e-12)
        assert len({probability for _, probability in outcomes}) == 1
        drawn = state.node.draws
        for k, _ in outcomes:
            child = to_decision(state.child(k), seed=k)
            tape = Tape([*(outcome for _, outcome in drawn), k, *child.history()[len(state.history()) + 1 :]])
            before = state.game_state
            if before is None:
                single = GameState.new(tape, num_players=3, elites=elites, max_rounds=12)
            else:
                assert state.node.action is not None
                (single := before).apply(state.node.action, tape)
            assert (engine(child), tape.left) == (single, 0)
    assert max(sizes) == MOST_OUTCOMES


def test_outcomes_of_the_set_up_are_what_they_say() -> None:
    """The first draw is the elder of the first space, the fourth a prophecy, the last ones the dice of the seats."""
    game = load(3)
    start = game.new_initial_state()
    assert (start.current_player(), start.legal_actions(), start.game_state) == (CHANCE, [0, 1, 2, 3, 4], None)
    for k in start.legal_actions():
        assert engine(to_decision(start.child(k))).to_dict()["elders"][0] == k
    for state in random_draws(game.new_initial_state(), 3):
        if len(state.node.draws) == 3:
            for k in state.legal_actions():
                assert engine(to_decision(state.child(k))).to_dict()["prophecies"][0]["id"] == k
        children = [state.child(k) for k in state.legal_actions()]
        if state.game_state is None and not any(child.is_chance_node() for child in children):
            assert [engine(child).to_dict()["dice"]["own"][2] for child in children] == [1, 2, 3, 4, 5, 6]
            return
    raise AssertionError("the set-up has no last draw")


def test_a_state_before_a_draw_holds_nothing_of_its_outcome() -> None:
    rolls = 0
    seen: dict[tuple[int, ...], bytes] = {}
    state = load(4, max_rounds=12).new_initial_state()
    for node in random_draws(state, 8):
        if node.game_state is None:
            continue
        before, tensor = engine(node).to_bytes(), node.observation_tensor(0)
        decision = tuple(node.history()[: len(node.history()) - len(node.node.draws)])
        assert seen.setdefault(decision, before) == before
        rolls += len(node.node.draws) > 3
        for k in node.legal_actions():
            child = node.child(k)
            if child.is_chance_node():
                assert (engine(child).to_bytes(), child.observation_tensor(0)) == (before, tensor)
    assert rolls > 5


def test_texts_say_what_is_drawn() -> None:
    state = load().new_initial_state()
    assert str(state) == "set-up, next draw of 5"
    assert [state.action_to_string(k) for k in state.legal_actions()] == [f"draw {k} of 5" for k in range(5)]
    state.apply_action(3)
    assert str(state) == "set-up, draw 3 of 5, next draw of 4"
    to_decision(state)
    assert "Round 1, player 0 decides: choose a die" in str(state)
    assert "next draw" not in str(state)
    buying = next(node for node in random_draws(state, 2) if node.node.draws == ())
    cause = dunaia.action_text(buying.history()[-1])
    assert str(buying).splitlines()[-1] == f"{cause}, next draw of {len(buying.legal_actions())}"


def test_strings_and_digests_tell_positions_apart() -> None:
    """Two histories look the same only if they lead to the same state and draws."""
    seen: dict[str, Any] = {}
    by_text: dict[str, Any] = {}
    game = load(2, True, 6)
    for seed in range(4):
        for state in nodes(game.new_initial_state(), seed):
            last = state.game_state
            place = (None if last is None else last.to_bytes(), state.node.action, state.node.draws)
            assert seen.setdefault(state.observation_string(0), place) == place
            assert by_text.setdefault(str(state), place) == place
            assert state.observation_string(0) != state.observation_string(1)
    assert len(seen) > 200
    first, second = (to_decision(game.new_initial_state(), seed) for seed in (1, 1))
    assert first.observation_string(1) == second.observation_string(1)


def test_tiles_that_read_alike_are_told_apart() -> None:
    """What the description of a position leaves out."""
    game, alike = load(), range(36, 40)
    contents = (engine(to_decision(game.new_initial_state(), seed)).to_dict() for seed in range(99))
    content = next(content for content in contents if content["display"][2] in alike)
    other = copy.deepcopy(content)
    other["display"][2] = next(tile for tile in alike if tile in content["piles"][2])
    other["piles"][2] = sorted({*content["piles"][2], content["display"][2]} - {other["display"][2]})
    states = [game.new_initial_state(GameState.from_dict(each)) for each in (content, other)]
    texts = [str(state).split("\nPosition ") for state in states]
    assert texts[0][0] == texts[1][0]
    assert texts[0][1] != texts[1][1]
    assert states[0].observation_string(0) != states[1].observation_string(0)


@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_observation_tensors_are_the_engines(players: int, elites: bool) -> None:
    game = load(players, elites, 4)
    observation = make_observation(game)
    for state in nodes(game.new_initial_state(), 1):
        for seat in range(players):
            last = state.game_state
            wanted = np.zeros(dunaia.OBSERVATION_SIZE, np.float32)
            if last is not None:
                wanted = (last.observation(seat) / dunaia.OBSERVATION_SCALE).astype(np.float32)
            observation.set_from(state, seat)
            assert observation.tensor.dtype == np.float32
            assert (observation.tensor == wanted).all()
            assert (observation.dict["observation"] == wanted).all()
            if state.is_terminal() or state.move_number() % 8 == 0:
                assert state.observation_tensor(seat) == wanted.tolist()


def test_observers_and_information_states() -> None:
    game = load()
    state = to_decision(game.new_initial_state())
    seen = json.loads(make_observation(game).string_from(state, 1))
    assert seen == {"observer": 1, "position": engine(state).to_dict(), "draws": ""}
    assert state.information_state_string(0) == state.history_str()
    with pytest.raises(ValueError, match=r"^observer parameters: .*; none are allowed$"):
        game.make_py_observer(None, {"colour": 1})


@pytest.mark.parametrize("steps", [0, 5, 40, 90])
def test_clones_share_nothing(steps: int) -> None:
    game, random = load(3, True, 12), np.random.default_rng(9)
    state = game.new_initial_state()
    for _ in range(steps):
        state.apply_action(choose(state, random))
    before = look(state)
    for twin in (state.clone(), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert look(twin) == before
        last = twin.game_state
        if last is not None and not last.is_over:
            last.apply(last.legal_actions()[0], 1)
        assert look(twin) == before
        *_, end = nodes(twin, 4)
        assert end.is_terminal()
        assert look(state) == before
    assert [look(node) for node in nodes(state.clone(), 6)] == [look(node) for node in nodes(state.clone(), 6)]


def test_serialised_states_go_on_identically() -> None:
    """At decisions, in the middle of the set-up and in the middle of a roll."""
    game = load(2, True, 8)
    middles = 0
    for number, state in enumerate(nodes(game.new_initial_state(), 7)):
        if number % 6 and len(state.node.draws) != 3:
            continue
        middles += len(state.node.draws) > 0 and state.game_state is not None
        again_game, again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
        assert str(again_game) == str(game)
        assert look(again) == look(state)
        ends = [list(nodes(each, 3))[-1] for each in (state.clone(), again)]
        assert look(ends[0]) == look(ends[1])
    assert middles >= 3


def test_a_state_outlives_the_name_of_its_game() -> None:
    state = load(3).new_initial_state()
    *_, end = nodes(state, 2)
    assert sum(end.returns()) == pytest.approx(0)


def test_play_begins_in_a_given_state() -> None:
    game = load(3)
    single = GameState.new(7, num_players=3)
    state = game.new_initial_state(single)
    assert engine(state) == single
    assert (state.history(), state.current_player()) == ([], single.seat)
    state.apply_action(state.legal_actions()[0])
    assert single == GameState.new(7, num_players=3)
    *_, end = nodes(state.clone(), 1)
    assert end.is_terminal()
    assert game.new_initial_state(engine(end)).is_terminal()
    for wrong in (GameState.new(7), GameState.new(7, num_players=3, max_rounds=9)):
        with pytest.raises(
            ValueError, match=r"^state: expected 3 players.*, got .* players, components \w+, max_rounds \d+"
        ):
            game.new_initial_state(wrong)


def test_an_illegal_action_or_outcome_changes_nothing() -> None:
    state = load().new_initial_state()
    before = look(state)
    with pytest.raises(ValueError, match=r"the game asks for draw\(5\): 0\.\.4"):
        state.apply_action(5)
    assert look(state) == before
    to_decision(state)
    before = look(state)
    illegal = next(action for action in range(dunaia.NUM_ACTIONS) if action not in state.legal_actions())
    with pytest.raises(IllegalActionError, match="is not legal for seat 0 in CHOOSE_DIE"):
        state.apply_action(illegal)
    assert look(state) == before


def test_ten_thousand_random_masked_decisions_are_legal() -> None:
    random = np.random.default_rng(10)
    decisions, game_number = 0, 0
    while decisions < 10_000:
        players, elites = TABLES[game_number % len(TABLES)]
        game_number += 1
        state = load(players, elites).new_initial_state()
        while not state.is_terminal():
            seat = state.current_player()
            if seat == CHANCE:
                state.apply_action(choose(state, random))
                continue
            mask = np.array(state.legal_actions_mask(seat))
            assert (mask == engine(state).action_mask()).all()
            assert not any(state.legal_actions(other) for other in range(players) if other != seat)
            state.apply_action(int(random.choice(np.flatnonzero(mask))))
            decisions += 1
    assert game_number > len(TABLES)


def test_games_stay_within_the_lengths_that_the_game_states() -> None:
    for players, elites in TABLES:
        game = load(players, elites, 5)
        *_, end = nodes(game.new_initial_state(), players)
        replayed, draws = game.new_initial_state(), 0
        for action in end.history():
            draws += replayed.is_chance_node()
            replayed.apply_action(action)
        assert 0 < draws <= game.max_chance_nodes_in_history()
        assert len(end.history()) - draws <= game.max_game_length()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_openspiels_tree_search_plays_a_game(players: int) -> None:
    random = np.random.default_rng(players)
    game = load(players, players == 3, 3)
    evaluator = mcts.RandomRolloutEvaluator(1, random)
    searcher = mcts.MCTSBot(game, uct_c=2, max_simulations=6, evaluator=evaluator, random_state=random)
    others = [UniformRandomBot(seat, random) for seat in range(1, players)]
    returns = evaluate_bots.evaluate_bots(game.new_initial_state(), [searcher, *others], random)
    assert sum(returns) == pytest.approx(0)
    assert len(returns) == players


def test_openspiels_tree_search_finds_a_winning_last_move() -> None:
    """At a decision where some actions win at once and others only share the victory."""
    random = np.random.default_rng(1)
    game = load(2, max_rounds=1)
    evaluator = mcts.RandomRolloutEvaluator(1, random)
    searcher = mcts.MCTSBot(game, uct_c=2, max_simulations=300, evaluator=evaluator, random_state=random)
    found = 0
    for seed in range(20):
        for state in nodes(game.new_initial_state(), seed):
            seat = state.current_player()
            children = {action: state.child(action) for action in state.legal_actions()} if seat >= 0 else {}
            ends = {action: child.returns()[seat] for action, child in children.items() if child.is_terminal()}
            if {0.0, 1.0} <= set(ends.values()):
                assert ends[searcher.step(state)] == 1
                found += 1
    assert found > 2


@pytest.mark.parametrize("players", [2, 3, 4])
def test_openspiels_environment_plays_through(players: int) -> None:
    random = np.random.default_rng(players)
    environment = rl_environment.Environment("python_dunaia", players=players, elites=True, max_rounds=3)
    environment.seed(players)
    assert environment.action_spec()["num_actions"] == dunaia.NUM_ACTIONS
    assert environment.observation_spec()["info_state"] == (dunaia.OBSERVATION_SIZE,)
    step = environment.reset()
    decisions = 0
    while not step.last():
        seat = step.current_player()
        single = engine(environment.get_state)
        wanted = (single.observation(seat) / dunaia.OBSERVATION_SCALE).astype(np.float32)
        assert step.observations["info_state"][seat] == wanted.tolist()
        assert step.observations["legal_actions"][seat] == single.legal_actions()
        step = environment.step([int(random.choice(step.observations["legal_actions"][seat]))])
        decisions += 1
    assert decisions > 3 * players
    assert sum(step.rewards) == pytest.approx(0)
    assert any(step.rewards)


def test_a_tape_that_is_too_short_is_the_source_of_the_nodes() -> None:
    """The nodes are the questions of the engine, one for one."""
    state = load(2, True).new_initial_state()
    outcomes: list[int] = []
    while state.is_chance_node():
        with pytest.raises(NeedsDraw) as question:
            GameState.new(Tape(outcomes), elites=True)
        assert question.value.n == len(state.legal_actions())
        outcomes.append(state.legal_actions()[-1])
        state.apply_action(outcomes[-1])
    assert engine(state) == GameState.new(Tape(outcomes), elites=True)


# Another game, which hides information


@pytest.fixture(scope="module")
def bids() -> Any:
    """The class of the toy game's games, registered once."""
    return register(BIDS)


def load_bids(**parameters: Any) -> OpenSpielGame:
    game: OpenSpielGame = pyspiel.load_game("python_sealed_bids", {"hand": 2, "laps": 3, **parameters})
    return game


def test_another_game_has_its_own_parameters_and_bounds(bids: type[OpenSpielGame]) -> None:
    game = pyspiel.load_game("python_sealed_bids(players=5,hand=2)")
    assert type(game) is bids
    values = {"players": 5, "hand": 2, "open_bids": False, "laps": 100, "reward": "win", "components": ""}
    assert game.get_parameters() == values
    kind = game.get_type()
    assert (kind.short_name, kind.long_name) == ("python_sealed_bids", "Sealed bids")
    assert kind.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
    assert (kind.min_num_players, kind.max_num_players) == (2, 6)
    assert (game.num_players(), game.num_distinct_actions(), game.max_chance_outcomes()) == (5, 30, 30)
    assert game.observation_tensor_shape() == [BIDS.observation_size]
    assert type(load()) is DunaiaGame
    with pytest.raises(ValueError, match=r"^players: expected an integer in 2\.\.6, got 7$"):
        pyspiel.load_game("python_sealed_bids(players=7)")
    with pytest.raises(ValueError, match=r"^laps: expected an integer in 1\.\.1000, got 0$"):
        pyspiel.load_game("python_sealed_bids(laps=0)")
    with pytest.raises(pyspiel.SpielError, match="Unknown parameter 'elites'"):
        pyspiel.load_game("python_sealed_bids(elites=true)")


@pytest.mark.long
@pytest.mark.parametrize("players", [2, 6])
def test_openspiels_random_simulation_of_another_game(bids: type[OpenSpielGame], players: int) -> None:
    pyspiel.random_sim_test(load_bids(players=players), num_sims=2, serialize=True, verbose=False)


def test_the_draws_of_a_seed_give_another_game_too(bids: type[OpenSpielGame]) -> None:
    game, chance = load_bids(players=3, reward="score"), Stream(4)
    single = GameState.new(chance, game=BIDS, num_players=3, hand=2, laps=3)
    state, random = game.new_initial_state(), np.random.default_rng(1)
    assert str(state) == "set-up, next draw of 30"
    while True:
        for _, outcome in chance.draws:
            state.apply_action(outcome)
        assert engine(state) == single
        wanted = (single.observation(1) / BIDS.observation_scale).astype(np.float32)
        assert state.observation_tensor(1) == wanted.tolist()
        if single.is_over:
            break
        action = int(random.choice(single.legal_actions()))
        assert state.action_to_string(action) == BIDS.action_text(action)
        state.apply_action(action)
        single.apply(action, chance)
    assert sum(state.returns()) == pytest.approx(0)
    assert any(state.returns())


def test_a_state_of_another_table_is_refused(bids: type[OpenSpielGame]) -> None:
    game = load_bids(players=3, laps=9)
    single = GameState.new(1, game=BIDS, num_players=3, laps=9, hand=4)
    assert engine(game.new_initial_state(single)) == single
    message = "state: expected .*, got 3 players, components sealed bids to 40, open_bids False, laps 8"
    with pytest.raises(ValueError, match=message):
        game.new_initial_state(GameState.new(1, game=BIDS, num_players=3, laps=8))
    with pytest.raises(ValueError, match=r"^state: expected 3 players, components .*, got .*$"):
        game.new_initial_state(GameState.new(1, num_players=3))


def test_nothing_hidden_is_in_what_a_seat_sees(bids: type[OpenSpielGame]) -> None:
    """Cards that a seat does not see are exchanged: what it sees and has seen stays the same."""
    game = load_bids(players=3)
    state = to_decision(game.new_initial_state(), 5)
    hands = engine(state).to_dict()["hands"]
    state.apply_action(hands[0][0])  # a bid that the others do not see
    single = engine(state)
    for seat in range(3):
        others = set()
        for seed in range(6):
            other = single.resampled(seat, seed)
            twin = game.new_initial_state(other)
            others.add(other.to_bytes())
            alone = game.new_initial_state(single)
            assert twin.observation_string(seat) == alone.observation_string(seat) == state.observation_string(seat)
            assert twin.observation_tensor(seat) == state.observation_tensor(seat)
            assert twin.information_state_string(seat) == alone.information_state_string(seat)
        assert len(others) > 1
    content = json.loads(state.observation_string(1))
    assert content["position"] == single.view(1).to_dict()
    assert content["position"]["hands"] == [1, hands[1], 2]


def test_an_information_state_is_what_a_seat_saw_and_did(bids: type[OpenSpielGame]) -> None:
    game = load_bids(players=2)
    state = to_decision(game.new_initial_state(), 1)
    first, second = engine(state).to_dict()["hands"]
    start = engine(state)
    ends = {}
    for own in first:
        for reply in second:
            end = state.clone()
            end.apply_action(own)
            middle = engine(end)
            end.apply_action(reply)
            # Draws in progress: neither what was bid nor what is drawn is told.
            assert json.loads(end.observation_string(1))["draws"] == "draws"
            told = json.loads(end.information_state_string(1))
            seen = [start.view(1).to_dict(), middle.view(1).to_dict(), reply, middle.view(1).to_dict()]
            assert [entry if isinstance(entry, int) else entry["position"] for entry in told] == seen
            ends[own, reply] = end.information_state_string(1)
    # The other's bid is no part of it before it is shown, one's own is.
    assert {ends[own, second[0]] for own in first} == {ends[first[0], second[0]]}
    assert len(set(ends.values())) == len(second)
    after = [to_decision(state.child(own).child(second[0]), 3) for own in first]
    assert len({each.information_state_string(1) for each in after}) == len(first)


def test_an_observer_of_other_information_is_refused(bids: type[OpenSpielGame]) -> None:
    game = load_bids()
    for public, private in ((True, "NONE"), (False, "SINGLE_PLAYER"), (True, "ALL_PLAYERS")):
        kind = pyspiel.IIGObservationType(
            public_info=public, perfect_recall=False, private_info=getattr(pyspiel.PrivateInfoType, private)
        )
        with pytest.raises(ValueError, match="expected public and one player's private information"):
            game.make_py_observer(kind)

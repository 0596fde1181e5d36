"""Lanes with a learner: who sits where, who decides when, what the learner is given."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dunaia_env import IllegalActionError, Lanes, dunaia
from dunaia_env.harness.compiled.chance import SEATING, game_seed, random_below
from dunaia_env.harness.compiled.lane import LANE_DTYPE, begin_lanes
from dunaia_env.harness.compiled.rewards import REWARDS, final_rewards
from dunaia_env.harness.game import game_named
from dunaia_env.harness.learner import LearnerLanes
from dunaia_env.harness.opponents import GreedyAgent, RandomAgent

RACE = game_named("tests.toy_game")
TABLES = [(players, elites) for players in (2, 3, 4) for elites in (False, True)]


class Outsider(RandomAgent):
    """Decides as the random agent does, but is asked, while that one decides inside the compiled step."""


def random_actions(games: LearnerLanes, seed: int = 0) -> Any:
    actions = games.lanes.random_actions(seed)
    over = games.lanes.seats < 0
    return np.where(over, 0, actions)


def play(games: LearnerLanes, steps: int, seed: int = 0) -> list[tuple[Any, ...]]:
    """Random steps, the next game begun where one has ended; what was seen."""
    seen = []
    for _ in range(steps):
        games.step(random_actions(games, seed))
        ended = np.flatnonzero(games.terminations)
        results = {name: values.tolist() for name, values in games.results(ended).items()}
        games.begin(ended)
        seen.append(
            (
                games.lanes.observations.tobytes(),
                games.lanes.action_masks.tobytes(),
                games.rewards.tolist(),
                games.seat_rewards.tolist(),
                games.terminations.tolist(),
                games.seats().tolist(),
                games.lanes.game_seeds.tolist(),
                results,
            )
        )
    return seen


@pytest.mark.compiled
@pytest.mark.parametrize(("players", "elites"), TABLES)
@pytest.mark.parametrize("opponents", ["random", "greedy", Outsider()])
def test_a_game_goes_as_if_played_decision_by_decision(players: int, elites: bool, opponents: Any) -> None:
    games = LearnerLanes(5, opponents=opponents, num_players=players, elites=elites, max_rounds=4)
    games.reset(40)
    alone = {"greedy": GreedyAgent()}.get(opponents) if isinstance(opponents, str) else opponents
    reference = Lanes(5, num_players=players, elites=elites, max_rounds=4, autoreset=False)
    reference.reset(40)
    learner = games.seats().copy()
    opponent = alone or RandomAgent()
    opponent.reset(0)
    for _ in range(1000):
        # What the opponents do in the reference: one decision at a time, in lanes that are not the learner's turn.
        while len(waiting := np.flatnonzero((reference.seats >= 0) & (reference.seats != learner))):
            actions = np.zeros(5, np.int64)
            actions[waiting] = opponent.act_batch(reference, waiting)
            reference.step(actions[waiting], waiting)
        assert (games.lanes.seats == reference.seats).all()
        for lane in range(5):
            assert games.lanes.get_state(lane) == reference.get_state(lane)
        assert (games.lanes.observations == reference.observations).all()
        assert (games.lanes.action_masks == reference.action_masks).all()
        assert (games.lanes.decisions == reference.decisions).all()
        if (reference.seats < 0).all():
            break
        actions = random_actions(games)
        games.step(actions)
        playing = np.flatnonzero(reference.seats >= 0)
        reference.step(actions[playing], playing)
    assert (reference.seats < 0).all()
    assert (games.lanes.final_scores == reference.final_scores).all()
    assert (games.lanes.final_ranks == reference.final_ranks).all()


@pytest.mark.compiled
@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_opponents_decide_alike_inside_and_outside_the_step(players: int) -> None:
    inside = LearnerLanes(6, opponents="random", num_players=players, max_rounds=5)
    outside = LearnerLanes(6, opponents=Outsider(), num_players=players, max_rounds=5)
    inside.reset(3)
    outside.reset(3)
    assert play(inside, 60) == play(outside, 60)


@pytest.mark.compiled
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("opponents", ["random", Outsider()])
def test_the_learner_gets_the_return_of_its_seat(players: int, reward: str, opponents: Any) -> None:
    games = LearnerLanes(8, opponents=opponents, num_players=players, reward=reward, max_rounds=5)
    games.reset(0)
    total, by_seat, seats_seen = np.zeros(8), np.zeros((8, 4)), set()
    for _ in range(10_000):
        learner = games.seats().copy()
        games.step(random_actions(games))
        total += games.rewards
        by_seat += games.seat_rewards
        assert (games.actors == learner).all()
        assert ((games.rewards == 0) | games.terminations).all()
        ended = np.flatnonzero(games.terminations)
        for row, lane in enumerate(ended):
            result = games.results(ended)
            scores, ranks = result["scores"][row], result["ranks"][row]
            wanted = final_rewards(reward, scores[None], ranks[None], np.array([players]))[0]
            assert total[lane] == pytest.approx(wanted[learner[lane]], abs=1e-6)
            assert by_seat[lane, :players] == pytest.approx(wanted, abs=1e-6)
            assert by_seat[lane].sum() == pytest.approx(0, abs=1e-6)
            assert result["rounds"][row] <= 5
            seats_seen.add(int(learner[lane]))
            total[lane], by_seat[lane] = 0, 0
        games.begin(ended)
        if seats_seen == set(range(players)):
            return
    pytest.fail("not every seat was the learner's")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_learners_seat_is_named_by_the_seed_of_the_game(players: int) -> None:
    games = LearnerLanes(200, num_players=players)
    games.reset(100)
    wanted = [random_below(100 + lane, SEATING, 0, 0, players) for lane in range(200)]
    assert games.seats().tolist() == wanted
    # At most four standard deviations from equal shares.
    counts = np.bincount(games.seats(), minlength=players)
    assert (abs(counts - 200 / players) < 4 * np.sqrt(200 / players)).all()
    fixed = LearnerLanes(5, num_players=players, seat=players - 1)
    fixed.reset(0)
    assert fixed.seats().tolist() == [players - 1] * 5


@pytest.mark.compiled
def test_opponents_sit_in_turn_order_from_the_learner() -> None:
    class First(GreedyAgent):
        asked: set[int] = set()  # noqa: RUF012

        def act_batch(self, lanes: Lanes, selected: Any) -> Any:
            self.asked |= set(lanes.seats[selected].tolist())
            return super().act_batch(lanes, selected)

    class Second(First):
        asked: set[int] = set()  # noqa: RUF012

    games = LearnerLanes(4, opponents=[First(), Second(), "random"], seat=2, max_rounds=3)
    games.reset(0)
    play(games, 30)
    assert First.asked == {3}
    assert Second.asked == {0}
    assert games.lanes.random_seats.tolist() == [[0, 1, 0, 0]] * 4


def test_one_opponent_for_all_and_the_number_of_players() -> None:
    assert LearnerLanes(1).lanes.num_players.tolist() == [2]
    assert LearnerLanes(1, opponents=["greedy", "random"]).lanes.num_players.tolist() == [3]
    many = LearnerLanes(1, opponents="greedy", num_players=4)
    assert len(many.opponents) == 1
    assert isinstance(many.opponents[0], GreedyAgent)
    assert len(LearnerLanes(1, opponents=["greedy", "greedy"]).opponents) == 1
    assert len(LearnerLanes(1, opponents=[GreedyAgent(), GreedyAgent()]).opponents) == 2


@pytest.mark.compiled
def test_any_agent_can_be_an_opponent() -> None:
    games = LearnerLanes(2, opponents=["dunaia_env.harness.opponents:GreedyAgent", RandomAgent()], max_rounds=3)
    named = LearnerLanes(2, opponents=["greedy", "random"], max_rounds=3)
    games.reset(1)
    named.reset(1)
    assert play(games, 20) == play(named, 20)


@pytest.mark.compiled
def test_results_do_not_depend_on_the_number_of_lanes_or_threads() -> None:
    options: dict[str, Any] = {"opponents": ["greedy", "random"], "max_rounds": 3, "elites": True}
    games = LearnerLanes(9, threads=3, **options)
    games.reset(70)
    whole = play(games, 40)
    alone = LearnerLanes(1, **options)
    alone.reset(74)
    for seen, other in zip(whole, play(alone, 40), strict=True):
        assert other[2][0] == seen[2][4]
        assert other[3][0] == seen[3][4]
        assert other[4][0] == seen[4][4]
        assert other[6][0] == seen[6][4]
        size = len(other[0])
        assert other[0] == seen[0][4 * size : 5 * size]
    games.lanes.close()


def test_games_follow_one_another_by_number() -> None:
    games = LearnerLanes(2, max_rounds=3)
    games.reset(20)
    for number in range(3):
        assert games.lanes.game_seeds.tolist() == [game_seed(20 + lane, 0, number) for lane in range(2)]
        games.reset()
    games.begin(np.array([1]))
    assert games.lanes.game_seeds.tolist() == [game_seed(20, 0, 3), game_seed(21, 0, 4)]


# Illegal actions


@pytest.mark.compiled
@pytest.mark.parametrize("action", [-1, 316, 2**40, -(2**40), "illegal"])
def test_an_illegal_action_ends_the_game_of_its_lane_only(action: Any) -> None:
    games, twin = (LearnerLanes(3, opponents=["greedy", "random"], max_rounds=6) for _ in range(2))
    for one in (games, twin):
        one.reset(5)
        play(one, 4)
    actions = random_actions(games).astype(np.int64)
    twin.step(actions)
    wrong = int(np.flatnonzero(games.lanes.action_masks[1] == 0)[0]) if action == "illegal" else action
    before = games.lanes.get_state(1)
    actions[1] = wrong
    games.step(actions)
    assert games.illegal_actions == {1: wrong}
    assert games.terminations.tolist() == [False, True, False]
    assert games.rewards.tolist() == [0, -1, 0]
    assert games.seat_rewards[1].sum() == -1
    assert games.lanes.get_state(1) == before
    assert games.lanes.seats[1] == -1
    for lane in (0, 2):
        assert games.lanes.get_state(lane) == twin.lanes.get_state(lane)
    result = games.results(np.array([1]))
    assert not result["scores"].any()
    assert not result["ranks"].any()
    # Until the next game begins nothing happens there.
    games.step(np.zeros(3, np.int64) + random_actions(games))
    assert games.lanes.get_state(1) == before
    assert not games.terminations.any()
    assert games.illegal_actions == {}
    games.begin(np.array([1]))
    assert games.lanes.seats[1] >= 0
    assert games.lanes.get_state(1).to_dict()["round"] == 1


def test_numbers_beside_the_actions_are_none_of_them() -> None:
    """-1 beside a legal 0 (a draft) and 316 beside a legal 315 (a pass) end the game as well."""
    games = LearnerLanes(40, elites=True)
    games.reset(0)
    beside_draft = np.flatnonzero(games.lanes.action_masks[:, 0])
    assert len(beside_draft)
    actions = random_actions(games)
    actions[beside_draft] = -1
    games.step(actions)
    assert list(games.illegal_actions) == beside_draft.tolist()
    games.begin(beside_draft)
    while not len(beside_pass := np.flatnonzero(games.lanes.action_masks[:, -1])):
        games.step(random_actions(games))
    actions = random_actions(games)
    actions[beside_pass] = games.lanes.num_actions
    games.step(actions)
    assert list(games.illegal_actions) == beside_pass.tolist()


def test_illegal_actions_can_raise_and_then_change_nothing() -> None:
    games = LearnerLanes(3, illegal="raise")
    games.reset(1)
    before = games.lanes.snapshot()
    actions = random_actions(games)
    actions[2] = -1
    with pytest.raises(IllegalActionError, match="lane 2: action -1 is not legal"):
        games.step(actions)
    assert all((games.lanes.snapshot()[name] == array).all() for name, array in before.items())


def test_an_opponents_illegal_action_is_an_error() -> None:
    class Cheat(RandomAgent):
        def act_batch(self, lanes: Lanes, selected: Any) -> Any:
            return np.full(len(selected), -1, np.int32)

    games = LearnerLanes(1, opponents=Cheat(), seat=1)
    with pytest.raises(IllegalActionError, match="lane 0: action -1"):
        games.reset(0)


# The end


def test_the_end_is_shown_to_the_learner_until_the_next_game() -> None:
    games = LearnerLanes(4, num_players=3, max_rounds=3)
    games.reset(0)
    while not games.terminations.any():
        learner = games.seats().copy()
        games.step(random_actions(games))
    ended = np.flatnonzero(games.terminations)
    assert not games.lanes.action_masks[ended].any()
    games.show_end(ended)
    for lane in ended:
        seen = games.lanes.get_state(lane).observation(int(learner[lane]))
        assert (games.lanes.observations[lane] == seen).all()
        assert games.lanes.action_masks[lane].all()
        assert games.seats()[lane] == learner[lane]
    games.begin(ended)
    assert not games.lanes.action_masks.all(axis=1).any()


# Self-play


@pytest.mark.compiled
@pytest.mark.parametrize("elites", [False, True])
def test_without_opponents_the_learner_holds_every_seat(elites: bool) -> None:
    games = LearnerLanes(6, opponents=None, num_players=[2, 3, 4], elites=elites, max_rounds=3)
    lanes = Lanes(6, num_players=[2, 3, 4], elites=elites, max_rounds=3)
    games.reset(9)
    lanes.reset(9)
    for _ in range(300):
        assert (games.lanes.observations == lanes.observations).all()
        assert (games.seats() == lanes.seats).all()
        actor = lanes.seats.copy()
        actions = lanes.random_actions(0)
        lanes.step(actions)
        games.step(actions)
        assert (games.actors == actor).all()
        assert (games.terminations == lanes.terminations).all()
        assert (games.seat_rewards == lanes.rewards).all()
        assert (games.rewards == lanes.rewards[np.arange(6), actor]).all()
        games.begin(np.flatnonzero(games.terminations))


# Copies and states


@pytest.mark.compiled
@pytest.mark.parametrize("opponents", ["random", ["greedy", "random"], None, [Outsider(), "greedy", "random"]])
@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, LearnerLanes.clone, lambda games: pickle.loads(pickle.dumps(games))]
)
def test_copies_in_mid_game_go_on_alike(opponents: Any, duplicate: Callable[[Any], Any]) -> None:
    games = LearnerLanes(3, opponents=opponents, max_rounds=5, elites=True)
    games.reset(8)
    play(games, 17)
    twin = duplicate(games)
    before = games.lanes.snapshot()
    theirs = play(twin, 30)
    assert all((games.lanes.snapshot()[name] == array).all() for name, array in before.items())
    assert play(games, 30) == theirs


def test_a_lane_can_go_on_from_any_state() -> None:
    source = LearnerLanes(1, opponents=["greedy", "random"], seat=1)
    source.reset(2)
    play(source, 15)
    state = source.lanes.get_state(0)
    games = LearnerLanes(2, opponents=["greedy", "random"], seat=1)
    games.reset(2)
    games.set_state(0, state)
    assert games.lanes.get_state(0) == state
    # A state in which an opponent decides goes on to the learner's next decision.
    other = state.clone()
    while other.seat == 1:
        other.apply(other.legal_actions()[0], 0)
    games.set_state(1, other)
    assert games.seats()[1] == 1
    assert games.lanes.get_state(1) != other


@pytest.mark.parametrize("opponents", ["random", "greedy"])
def test_a_state_that_ends_without_the_learner_is_refused(opponents: str) -> None:
    games = LearnerLanes(2, opponents=opponents, seat=0, max_rounds=2)
    games.reset(1)
    state = games.lanes.get_state(0)
    last = state.clone()
    while not state.is_over:
        last = state.clone()
        state.apply(state.legal_actions()[0], 1)
    assert last.seat == 1
    before = games.lanes.snapshot()
    with pytest.raises(ValueError, match="got a game that ends before it is asked"):
        games.set_state(0, last)
    assert all((games.lanes.snapshot()[name] == array).all() for name, array in before.items())


# Options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"opponents": []}, "opponents: expected 1, or one for all of them at a table of 2 players, got 0 agents"),
        ({"opponents": ["random"] * 2, "num_players": 4}, "opponents: expected 3, or one for all.*, got 2 agents"),
        ({"opponents": ["random"] * 4}, r"num_players: expected an integer in 2\.\.4, got 5"),
        ({"opponents": "nobody"}, "agent 'nobody': expected one of random, "),
        ({"num_players": 1}, r"num_players: expected an integer in 2\.\.4, got 1"),
        ({"num_players": [2, 3]}, r"num_players: expected an integer in 2\.\.4, got \[2, 3\]"),
        ({"seat": 2}, r"seat: expected 'random' or an integer in 0\.\.1, got 2"),
        ({"seat": "first"}, r"seat: expected 'random' or an integer in 0\.\.1, got 'first'"),
        ({"seat": True}, r"seat: expected 'random' or an integer in 0\.\.1, got True"),
        ({"illegal": "ignore"}, "illegal: expected one of terminate, raise, got 'ignore'"),
        ({"reward": "money"}, "reward: expected one of win, rank, score, got 'money'"),
        ({"reward": ["win"]}, r"reward: expected one of win, rank, score, got \['win'\]"),
        ({"reward": np.array(["win", "rank"])}, r"reward: expected one of win, rank, score, got array\(.*\)"),
        ({"illegal": np.array(["raise", "raise"])}, r"illegal: expected one of terminate, raise, got array\(.*\)"),
        ({"max_rounds": 0}, r"max_rounds: expected an integer in 1\.\.1000, got 0"),
        ({"threads": 0}, "threads: expected at least 1.*, got 0"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LearnerLanes(1, **options)


NO_OPPONENTS = [5, True, 2.5, b"random", {}, RandomAgent, Path, 10**5000, np.zeros(10**6)]


@pytest.mark.parametrize("wrong", NO_OPPONENTS, ids=lambda value: type(value).__name__)
def test_what_is_no_opponent_is_refused(wrong: Any) -> None:
    for opponents in (wrong, [wrong], ["greedy", wrong], (RandomAgent(), wrong)):
        with pytest.raises(
            ValueError, match=r"^opponents: expected an agent, an agent name, a list of these, or None, got .*$"
        ):
            LearnerLanes(1, opponents=opponents)


def test_the_seat_has_no_effect_in_self_play() -> None:
    games = LearnerLanes(2, opponents=None, seat="first")
    games.reset(1)
    assert games.seats().tolist() == games.lanes.seats.tolist()


@pytest.mark.parametrize("actions", [[0], [0, 0, 0], [0.0, 0.0], ["a", "b"], 3])
def test_actions_of_another_form_are_refused(actions: Any) -> None:
    games = LearnerLanes(2)
    games.reset(0)
    with pytest.raises(ValueError, match=r"actions: expected \(2,\) of an integer type, got shape .*"):
        games.step(actions)


@pytest.mark.long
def test_another_game_can_be_learned() -> None:
    games = LearnerLanes(4, game=RACE, opponents="random", num_players=5, laps=20)
    asked = LearnerLanes(4, game=RACE, opponents=Outsider(), num_players=5, laps=20)
    games.reset(0)
    asked.reset(0)
    assert play(games, 60) == play(asked, 60)
    assert games.lanes.final_decisions.all()
    assert games.lanes.num_actions != dunaia.NUM_ACTIONS


@pytest.mark.compiled
def test_a_game_without_a_decision_of_the_learners_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    def begin_unasked(game: Any, states: Any, lanes: Any, *rest: Any) -> None:
        """In games of even seeds nobody is asked anything."""
        for lane in rest[-3]:
            record = lanes[lane].view(LANE_DTYPE)[0]
            if record.seed % 2 == 0:
                record.random_seats[:] = 1
        begin_lanes(game, states, lanes, *rest)

    monkeypatch.setattr("dunaia_env.harness.lanes.begin_lanes", begin_unasked)
    games = LearnerLanes(50, game=RACE, opponents="random", num_players=3)
    games.reset(0)
    for _ in range(30):
        assert (games.lanes.seats >= 0).all()
        assert (games.lanes.game_seeds % 2 == 1).all()
        games.step(random_actions(games))
        ended = np.flatnonzero(games.terminations)
        assert (games.lanes.final_seeds[ended] % 2 == 1).all()
        rewards = games.rewards.copy()
        games.begin(ended)
        assert (games.rewards == rewards).all()
        assert (games.terminations.nonzero()[0] == ended).all()
    assert games.lanes._record["game"].max() > 3

"""The miniature and its solution: the reference program plays all of it, and measures of players are what they say."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from docs import measured
from dunaia_env.analysis import exact
from dunaia_env.dunaia.tiny import ALLOWED, GAME
from dunaia_env.envs import aec
from dunaia_env.harness.compiled.chance import Stream
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.opponents import RandomAgent, load
from dunaia_env.harness.registry import find_game
from dunaia_env.harness.state import GameState
from training.benchmark.listed import policy_of_logits, uniform_policy
from training.benchmark.tiny import __main__ as command, players, results, values
from training.benchmark.tiny.positions import END_SHARES, list_positions
from training.benchmark.tiny.values import Solution, policy_of_choices, values_of

from .reference.game import WINDOWS
from .tiny_reference import TinyGame, printed

pytestmark = [pytest.mark.compiled, pytest.mark.long]


@pytest.fixture(scope="module")
def solution() -> Solution:
    return players.solved()


@pytest.fixture(autouse=True)
def _printed() -> Iterator[None]:
    with printed():
        yield


class Asked(Exception):  # noqa: N818  (asks for an outcome)
    """Another outcome of so many is needed."""


class Outcomes:
    """Hands out prepared outcomes and then asks for the next one."""

    def __init__(self, outcomes: tuple[int, ...]) -> None:
        self.left = list(outcomes)

    def draw(self, n: int) -> int:
        if not self.left:
            raise Asked(n)
        return self.left.pop(0)


def copied(game: TinyGame) -> TinyGame:
    """A copy of a game of the reference program. Its decisions are all windows, at which a game can be resumed."""
    assert game.decision in WINDOWS
    copy = TinyGame.__new__(TinyGame)
    kept = {name: value for name, value in vars(game).items() if name not in ("_flow", "_chance")}
    vars(copy).update(pickle.loads(pickle.dumps(kept)))
    copy.resume(game.seat, game.decision, Outcomes(()))
    return copy


class Backwards:
    """Solves the miniature with the reference program alone: the value of each action for seat 0, by position."""

    def __init__(self) -> None:
        self.solved: dict[str, dict[str, float]] = {}

    def value(self, game: TinyGame) -> float:
        if game.over:
            first, second = game.ranks()
            return 0.5 if first == second else float(first < second)
        key = json.dumps(game.to_dict(), sort_keys=True)
        if key not in self.solved:
            self.solved[key] = {text: self.after(game, text, ()) for text in game.legal()}
        return (max, min)[game.seat](self.solved[key].values())

    def after(self, game: TinyGame, text: str, known: tuple[int, ...]) -> float:
        copy = copied(game)
        try:
            copy.apply(text, Outcomes(known))
        except Asked as question:
            (n,) = question.args
            return sum(self.after(game, text, (*known, outcome)) for outcome in range(n)) / n
        return self.value(copy)

    def game(self, known: tuple[int, ...] = ()) -> float:
        """The value of the game after the known outcomes of its set-up."""
        try:
            game = TinyGame(Outcomes(known))
        except Asked as question:
            (n,) = question.args
            return sum(self.game((*known, outcome)) for outcome in range(n)) / n
        return self.value(game)

    def check(self, solution: Solution) -> int:
        """Compare all positions that were solved; returns the number of actions."""
        positions, compared = solution.positions, 0
        numbers = {row.tobytes(): number for number, row in enumerate(positions.states)}
        assert len(numbers) == len(positions)
        for key, found in self.solved.items():
            state = GameState.from_dict(json.loads(key), game=GAME)
            first, end = positions.first_actions[numbers[state.to_bytes()] :][:2]
            texts = [positions.game.action_text(int(action)) for action in positions.actions[first:end]]
            assert texts == list(found)
            assert list(found.values()) == pytest.approx(solution.values.actions[first:end].tolist(), abs=1e-9)
            compared += len(found)
        return compared


def test_the_reference_program_finds_the_same_values_after_an_opening(solution: Solution) -> None:
    """The first player's second turn and the last turn, with all rolls of the last die, after each first roll."""
    backwards = Backwards()
    for begin in ((0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 1)):
        game = TinyGame(Outcomes(begin))
        for _ in range(4):
            game.apply(game.legal()[-1], Outcomes(()))
        assert (game.seat, game.round, game.decision) == (0, 2, "AWAKEN")
        backwards.value(game)
    assert backwards.check(solution) > 1000


@pytest.mark.slow
def test_the_reference_program_solves_the_whole_game_alike(solution: Solution) -> None:
    backwards = Backwards()
    assert backwards.game() == pytest.approx(solution.value, abs=1e-9)
    assert len(backwards.solved) == len(solution.positions)
    assert backwards.check(solution) == len(solution.positions.actions)


def test_both_solvers_find_the_same_values(solution: Solution) -> None:
    positions = solution.positions
    solver = exact.Solver(positions.state(0))
    for number in [*range(8), *range(200, len(positions), 400)]:
        found = solver.solve(positions.state(number))
        assert found is not None
        first, end = positions.first_actions[number : number + 2]
        assert list(found.values) == positions.actions[first:end].tolist()
        assert [found.regret(action) for action in found.values] == pytest.approx(solution.regrets[first:end].tolist())


def test_the_size_and_the_value_are_those_of_the_page(solution: Solution) -> None:
    stored = results.read_results(measured.TINY)
    assert (stored.positions, stored.actions) == (len(solution.positions), len(solution.positions.actions))
    assert stored.value == pytest.approx(solution.value)
    for name, policy in (("optimal", solution.optimal), ("random", uniform_policy(solution.positions))):
        assert vars(stored.measured[name]) == pytest.approx(vars(solution.measure(policy)), abs=1e-8)


def test_actions_lead_to_higher_levels_with_probabilities_that_sum_to_one(solution: Solution) -> None:
    positions = solution.positions
    assert positions.begins.sum() == pytest.approx(1.0)
    assert np.add.reduceat(positions.probabilities, positions.first_outcomes[:-1]) == pytest.approx(1.0)
    level = np.repeat(np.arange(len(positions.levels) - 1), np.diff(positions.levels))
    level = np.concatenate([level, np.full(len(END_SHARES), len(positions.levels))])
    of_action = np.repeat(level[: len(positions)], np.diff(positions.first_actions))
    assert (level[positions.after] > np.repeat(of_action, np.diff(positions.first_outcomes))).all()


def test_games_go_as_computed(solution: Solution) -> None:
    positions, games = solution.positions, 2000
    policies = uniform_policy(positions), uniform_policy(positions)
    visits, value = values.visits_of(positions, policies), values_of(positions, policies).of_game(positions)
    agent, decisions, shares = RandomAgent(5), 0, 0.0
    for seed in range(games):
        chance = Stream(seed)
        state = GameState.new(chance, game=GAME)
        while not state.is_over:
            state.apply(agent.act(state), chance)
            decisions += 1
        first, second = state.ranks()
        shares += 0.5 if first == second else float(first < second)
    assert decisions / games == pytest.approx(visits.sum(), abs=0.05)
    assert shares / games == pytest.approx(value, abs=0.05)


def test_measures_of_known_players(solution: Solution) -> None:
    positions, value = solution.positions, solution.value
    optimal = solution.measure(solution.optimal)
    assert vars(optimal) == pytest.approx(
        {"first": value, "second": 1 - value, "itself": value, "regret": 0.0, "exploitability": 0.0}
    )
    # One optimal action is as good as all of them.
    best = [int(row.argmax()) for row in np.split(solution.optimal, positions.first_actions[1:-1])]
    one = policy_of_choices(positions, positions.actions[positions.first_actions[:-1] + best])
    assert solution.measure(one).exploitability == pytest.approx(0.0)
    # Between the optimal player and any other, a share lies between those of both.
    mixed = solution.measure((solution.optimal + uniform_policy(positions)) / 2)
    uniform = solution.measure(uniform_policy(positions))
    assert 0 < mixed.regret < uniform.regret
    assert 0 < mixed.exploitability < uniform.exploitability < 0.5
    assert uniform.first < mixed.first < value


def test_a_best_reply_is_better_than_every_other(solution: Solution) -> None:
    positions = solution.positions
    policy = policy_of_logits(positions, np.random.default_rng(3).normal(size=(len(positions), GAME.num_actions)))
    best = [values_of(positions, plans).of_game(positions) for plans in ((None, policy), (policy, None))]
    assert solution.measure(policy).exploitability == pytest.approx((best[0] - best[1]) / 2)
    for reply in (solution.optimal, uniform_policy(positions), policy):
        assert values_of(positions, (reply, policy)).of_game(positions) <= best[0] + 1e-12
        assert values_of(positions, (policy, reply)).of_game(positions) >= best[1] - 1e-12
    greedy = values_of(positions, (None, policy)).actions
    rows = np.split(greedy, positions.first_actions[1:-1])
    reply = policy_of_choices(
        positions, positions.actions[positions.first_actions[:-1] + [int(row.argmax()) for row in rows]]
    )
    assert values_of(positions, (reply, policy)).of_game(positions) == pytest.approx(best[0])


def test_an_agent_has_the_policy_of_its_decisions(solution: Solution) -> None:
    positions, agent = solution.positions, load("greedy", game=GAME)
    policy = players.policy_of_agent(positions, agent)
    for number in range(0, len(positions), 997):
        first, end = positions.first_actions[number : number + 2]
        chosen = positions.actions[first:end][policy[first:end] == 1]
        assert chosen.tolist() == [agent.act(positions.state(number).view())]
    assert (players.policy_of_agent(positions, RandomAgent()) == uniform_policy(positions)).all()


def test_a_networks_policy_is_the_softmax_over_the_legal_actions(solution: Solution) -> None:
    positions = solution.positions
    logits = np.random.default_rng(1).normal(size=(len(positions), GAME.num_actions)).astype(np.float32)
    masked = np.where(positions.masks(), np.exp(logits.astype(np.float64)), 0)
    expected = masked[positions.masks()] / np.repeat(masked.sum(axis=1), positions.masks().sum(axis=1))
    assert policy_of_logits(positions, logits) == pytest.approx(expected)
    assert positions.number_of(positions.state(777)) == 777
    assert (positions.observations()[777] == positions.state(777).observation()).all()


def test_faulty_policies_are_refused(solution: Solution) -> None:
    positions = solution.positions
    with pytest.raises(ValueError, match=r"policy: expected shape \(\d+,\), got \(3,\)"):
        solution.measure(np.ones(3))
    with pytest.raises(ValueError, match=r"policy: expected probabilities that sum to 1, got [12]\.\d+ in position 0"):
        solution.measure(uniform_policy(positions) + (np.arange(len(positions.actions)) == 0))
    with pytest.raises(ValueError, match="choices: expected a legal action in position 0, got -1"):
        policy_of_choices(positions, np.full(len(positions), -1))
    with pytest.raises(ValueError, match=r"state: expected a position of dunaia_tiny with .*'max_rounds': 2"):
        positions.number_of(GameState.new(1, game=GAME, max_rounds=3))


def test_other_games_are_refused() -> None:
    with pytest.raises(ValueError, match="game: expected one of perfect information with 2 players, got dune with"):
        list_positions(find_game("dune"))
    with pytest.raises(ValueError, match="game: expected at most 50 positions, got more"):
        list_positions(GAME, most_positions=50)
    for option, found in (("elites", True), ("num_players", 3)):
        with pytest.raises(ValueError, match=f"{option}: expected .* in dunaia_tiny, got {found}"):
            GameState.new(1, game=GAME, **{option: found})


def test_the_miniature_is_played_like_any_other_game() -> None:
    assert find_game(GAME.module) is GAME
    lanes = Lanes(64, game=GAME)
    lanes.reset(seed=3)
    rows = lanes.legal_actions
    for _ in range(40):
        for lane, count in enumerate(lanes.legal_counts):
            assert ALLOWED[rows[lane, :count]].all()
        state = lanes.get_state(0)
        assert GameState.from_dict(state.to_dict(), game=GAME) == state
        lanes.step(lanes.random_actions(1))
    parallel = aec.env(game=GAME)
    parallel.reset(seed=1)
    while not all(parallel.terminations.values()):
        mask = parallel.last()[0]["action_mask"]
        parallel.step(int(np.flatnonzero(mask)[-1]))
    assert sum(parallel.rewards.values()) == pytest.approx(0.0)


def test_the_command_measures_agents(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "results.json"
    found = command.main(command.Options(agents=("random", "champion"), json=path))
    assert list(found.measured) == ["optimal", "random", "champion"]
    assert "49,472 positions" in capsys.readouterr().out
    assert results.read_results(path).measured["random"].regret == pytest.approx(found.measured["random"].regret)
    path.write_text("{}")
    with pytest.raises(ValueError, match="expected dunaia-tiny-results, version 1"):
        results.read_results(path)

"""The battle of Dune that is solved: its rules, what seats know, its equilibrium, and measures of players in it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_array, hstack

from agents.network import NetworkAgent
from docs import measured
from dunaia_env.dune import GAME as DUNE
from dunaia_env.dune.components import load
from dunaia_env.harness import opponents
from dunaia_env.harness.compiled.chance import Stream, Tape
from dunaia_env.harness.opponents import RandomAgent
from dunaia_env.harness.registry import find_game
from dunaia_env.harness.state import GameState
from training.benchmark.battle import __main__ as command, equilibrium, game, learning, players, results
from training.benchmark.battle.equilibrium import Solution, best_gain, gain_of
from training.benchmark.battle.game import DEALS, GAME, position
from training.benchmark.battle.tree import Tree, list_tree, set_ups
from training.benchmark.listed import Floats, normalised, uniform_policy

pytestmark = [pytest.mark.compiled, pytest.mark.long, pytest.mark.once]

WEAPONS, DEFENCES = (0, 1), (3, 4)  # projectile and poison, shield and snooper


@pytest.fixture(scope="module")
def solution() -> Solution:
    return players.solved()


@pytest.fixture(scope="module")
def tree(solution: Solution) -> Tree:
    return solution.tree


def random_games(number: int) -> Iterator[tuple[GameState, np.random.Generator]]:
    """Battles at their beginning, with a generator for the choices in each of them."""
    for seed in range(number):
        yield GameState.new(seed, game=GAME), np.random.default_rng(seed)


def choose(state: GameState, random: np.random.Generator) -> int:
    return int(random.choice(state.legal_actions()))


# The rules


def test_chance_deals_hands_and_traitors() -> None:
    begins = set_ups(GAME)
    assert len(begins) == len(DEALS) == 48
    for (state, probability), ((own, other), traitors) in zip(begins, DEALS, strict=True):
        assert state == GameState.from_dict(position(((own,), (other,)), traitors), game=GAME)
        # The traitor is alive one time in eight.
        first, second = (1 / 8 if state.to_dict()["leaders"]["alive"][traitor] else 7 / 8 for traitor in traitors)
        assert probability == pytest.approx(first * second / 12)
    drawn = Counter(GameState.new(seed, game=GAME) for seed in range(6000))
    assert set(drawn) <= {state for state, _ in begins}
    for state, probability in begins:
        assert drawn[state] / 6000 == pytest.approx(probability, abs=0.015)


def test_the_battle_is_fought_by_the_rules_of_dune() -> None:
    """Dune itself plays on to the next turn; the winner keeps its cards."""
    kept = 0
    for state, random in random_games(300):
        plain = GameState(np.frombuffer(state.to_bytes(), np.uint8), game=DUNE)
        while not state.is_over:
            assert state.legal_actions() == plain.legal_actions()
            assert (state.action_mask() == plain.action_mask()).all()
            assert state.to_bytes() == plain.to_bytes()
            action = choose(state, random)
            state.apply(action, Tape(()))
            plain.apply(action, Stream(0))
        while plain.decision == "KEEP":
            plain.apply("yes", Stream(0))
            kept += 1
        own, after = state.to_dict(), plain.to_dict()
        assert after["turn"] == game.TURN + 1
        assert own["players"] == after["players"]
        assert own["leaders"] == after["leaders"]
        assert own["spice"] == after["spice"]
    assert kept > 20


def worth(content: dict[str, Any], seat: int) -> int:
    """What a seat has, from a state dictionary."""
    own, leaders = content["players"][seat], content["leaders"]
    strengths = load().record[0]["strength"].tolist()
    living = [
        strength
        for strength, owner, alive in zip(strengths, leaders["owner"], leaders["alive"], strict=True)
        if owner == seat and alive
    ]
    tokens = own["reserve"] + sum(number for _, number in own["forces"])
    return int(own["spice"] + 2 * tokens + sum(living) + 3 * len(own["hand"]))


def test_the_score_is_what_a_seat_has_in_spice() -> None:
    found = set()
    for state, random in random_games(60):
        content = state.to_dict()
        assert state.scores() == [worth(content, 0), worth(content, 1)]
        assert state.scores()[0] == state.scores()[1]
        while not state.is_over:
            state.apply(choose(state, random), Tape(()))
        first, second = state.scores()
        assert (first, second) == (worth(state.to_dict(), 0), worth(state.to_dict(), 1))
        assert state.ranks() == [1 + (first < second), 1 + (second < first)]
        assert state.to_dict()["winners"] == [seat for seat in (0, 1) if state.ranks()[seat] == 1]
        assert GameState.from_dict(state.to_dict(), game=GAME) == state
        bounds = GAME.bounds(state.components, game.OPTIONS)
        assert bounds.least_points <= min(first, second) <= max(first, second) <= bounds.most_points
        found.add(first - second)
    assert len(found) > 8


def test_other_options_are_refused() -> None:
    assert find_game(GAME.module) is GAME
    for option, value in (("max_turns", 9), ("powers", True), ("factions", (1, 0))):
        with pytest.raises(ValueError, match=f"{option}: expected .* in dune_battle, got"):
            GameState.new(1, game=GAME, **{option: value})


# What seats know


def test_a_hidden_plan_does_not_enter_what_the_other_seat_knows() -> None:
    """Seat 1 knows the same whatever seat 0 holds and plans, as far as its own card and traitor allow."""
    seen: dict[tuple[int, int], set[str]] = {}
    plans: dict[tuple[int, int], set[bytes]] = {}

    def collect(state: GameState, key: tuple[int, int]) -> None:
        if state.seat == 1:
            known = json.dumps(state.known_to(1)), state.observation(1).tobytes().hex()
            seen.setdefault(key, set()).add("".join(known))
            plans.setdefault(key, set()).add(state.to_bytes())
            return
        # While the first plan is made, seat 1 does not even learn how far it is.
        waiting.setdefault(key, set()).add(json.dumps(state.known_to(1)))
        for action in state.legal_actions():
            after = state.clone()
            after.apply(action, Tape(()))
            collect(after, key)

    waiting: dict[tuple[int, int], set[str]] = {}
    for (state, _), ((_, other), traitors) in zip(set_ups(GAME), DEALS, strict=True):
        collect(state, (other, traitors[1]))
    assert len(seen) == 8
    assert all(len(texts) == 1 for texts in (*seen.values(), *waiting.values()))
    # Three other cards, two traitors; two leaders, the card played or not, three numbers.
    assert {len(states) for states in plans.values()} == {3 * 2 * 2 * 2 * 3}


def test_the_first_planner_learns_nothing_of_the_second_plan_until_both_are_shown() -> None:
    for state, random in random_games(60):
        while state.seat == 0:
            state.apply(choose(state, random), Tape(()))
        texts = set()
        for _ in range(8):
            line = state.clone()
            while line.seat == 1 and line.decision != "TREASON":
                texts.add(json.dumps(line.known_to(0)) + line.observation(0).tobytes().hex())
                line.apply(choose(line, random), Tape(()))
        assert len(texts) == 1


def test_a_seat_that_forgets_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def choices_only(state: GameState, seat: int | None = None) -> Any:
        return state.action_mask()

    monkeypatch.setattr(GameState, "observation", choices_only)
    with pytest.raises(ValueError, match="game: expected seats that forget nothing, got one that observes the same in"):
        list_tree(set_ups(GAME))


def test_other_games_are_refused() -> None:
    with pytest.raises(ValueError, match="game: expected at most 50 histories, got more"):
        list_tree(set_ups(GAME), most_histories=50)
    with pytest.raises(ValueError, match="game: expected no draw after the set-up, got one after <GameState of dune:"):
        list_tree([(GameState.new(1, game=DUNE, **{**DUNE.presets["duel"], "max_turns": 1}), 1.0)])
    with pytest.raises(ValueError, match=r"begins: expected states of 2 players, got \[\]"):
        list_tree([])
    with pytest.raises(ValueError, match=r"begins: expected states of 2 players, got .*3 players"):
        list_tree([(GameState.new(1, game=DUNE, num_players=3), 1.0)])


def test_the_tree_holds_every_course_of_the_game(tree: Tree) -> None:
    """Random games walk along the tree, with the actions and the margin that it says."""
    begins = [state.to_bytes() for state, _ in set_ups(GAME)]
    for state, random in random_games(100):
        node, last = int(tree.deals[begins.index(state.to_bytes())]), [len(tree.actions)] * 2
        while not state.is_over:
            known = int(tree.knows[node])
            first, end = tree.first_actions[known : known + 2]
            assert tree.seats[known] == state.seat
            assert tree.parents[known] == last[state.seat]
            assert tree.actions[first:end].tolist() == state.legal_actions()
            assert (tree.state(known).observation() == state.observation()).all()
            place = int(random.integers(end - first))
            last[state.seat] = int(first) + place
            state.apply(int(tree.actions[first + place]), Tape(()))
            node = int(tree.children[tree.first_children[node] + place])
        number = node - len(tree.knows)
        assert tree.gains[number] == state.scores()[0] - state.scores()[1]
        assert tree.sequences[number].tolist() == last
    assert tree.chances.sum() == pytest.approx(1)
    assert (np.diff(tree.levels) > 0).all()


# The equilibrium


def value_by_linear_program(tree: Tree) -> float:
    """What seat 0 gains in equilibrium: the linear program of the sequence form (Koller, Megiddo, von Stengel 1996).

    The variables are how seat 0 realises its sequences, and what each information state of seat 1 is worth to seat 0
    at least; the last entry of each is for the beginning of the game.
    """
    none = len(tree.actions)
    sequences = [np.append(np.flatnonzero(tree.deciding == seat), none) for seat in (0, 1)]
    states = [np.flatnonzero(tree.seats == seat) for seat in (0, 1)]
    place = [{number: row for row, number in enumerate(own.tolist())} for own in sequences]
    state_at = {number: row for row, number in enumerate(states[1].tolist())}
    owner = np.append(np.repeat(np.arange(len(tree)), np.diff(tree.first_actions)), -1)
    realised, valued = len(sequences[0]), len(states[1]) + 1

    # For each sequence of seat 1, what it is worth: value of its state - values of the states after it <= its gains.
    rows = [place[1][number] for number in tree.sequences[:, 1].tolist()]
    columns = [place[0][number] for number in tree.sequences[:, 0].tolist()]
    shape = len(sequences[1]), realised
    gains = coo_array((-tree.probabilities * tree.gains, (rows, columns)), shape=shape)
    entries = [(row, state_at.get(int(owner[number]), valued - 1), 1.0) for number, row in place[1].items()]
    entries += [(place[1][int(tree.parents[state])], state_at[state], -1.0) for state in states[1].tolist()]
    lines, places, signs = zip(*entries, strict=True)
    worths = coo_array((signs, (lines, places)), shape=(len(sequences[1]), valued))

    # Seat 0 realises its sequences: the parts of a state sum to that of the sequence before it.
    parts = [(0, place[0][none], 1.0)]
    for row, state in enumerate(states[0].tolist(), 1):
        parts += [(row, place[0][number], 1.0) for number in range(*tree.first_actions[state : state + 2].tolist())]
        parts.append((row, place[0][int(tree.parents[state])], -1.0))
    lines, places, signs = zip(*parts, strict=True)
    equal = coo_array((signs, (lines, places)), shape=(len(states[0]) + 1, realised + valued))
    ones = np.zeros(len(states[0]) + 1)
    ones[0] = 1

    aim = np.zeros(realised + valued)
    aim[-1] = -1
    limits = [(0, None)] * realised + [(None, None)] * valued
    found = linprog(
        aim, hstack([gains, worths]).tocsr(), np.zeros(shape[0]), equal.tocsr(), ones, limits, method="highs"
    )
    assert found.status == 0
    return -float(found.fun)


def test_a_linear_program_finds_the_value_within_the_bounds(solution: Solution) -> None:
    least, most = solution.bounds
    assert least <= most < least + 1e-3
    assert least - 1e-7 <= value_by_linear_program(solution.tree) <= most + 1e-7


def test_a_battle_that_can_be_solved_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each side has one token, one leader and two cards: a weapon of each kind against a defence of each kind.

    Feyd-Rautha (6) beats Halleck (4) unless Halleck's weapon kills him, whatever both dial, so both dial 0. If the
    defence does not match, Atreides gain the strength of the dead leader and 3 spice of the field, and Harkonnen lose
    the leader, a token and the defence: 6 + 3 + 6 + 2 + 3 = 20. If it matches, Atreides lose a token and the weapon,
    and Harkonnen gain 3 spice: 8. Without a defence Harkonnen would lose 17 against either weapon, and without a weapon
    Atreides would lose 5, so both choose between the two kinds, each with one half: (20 - 8) / 2 = 6.
    """
    for name, value in (("CARDS", (*WEAPONS, *DEFENCES)), ("LIVING", ((2,), (5,))), ("FIGHTING", (1, 1))):
        monkeypatch.setattr(game, name, value)
    state = GameState.from_dict(position((WEAPONS, DEFENCES), (6, 0)), game=GAME)
    tree = list_tree([(state, 1.0)])
    before = state.scores()[0] - state.scores()[1]
    solved = equilibrium.solve(tree, iterations=500)
    least, most = solved.bounds
    assert before + 5.8 < least <= before + 6 <= most < before + 6.2
    assert value_by_linear_program(tree) == pytest.approx(before + 6)
    # Who always plays the same weapon loses the 8 and the 6.
    first = tree.first_actions[[state for state in range(len(tree)) if tree.state(state).decision == "WEAPON"]]
    always = solved.optimal.copy()
    for start in first.tolist():
        assert solved.optimal[start : start + 3] == pytest.approx([0, 0.5, 0.5], abs=0.02)
        always[start : start + 3] = [0, 1, 0]
    measures = solved.measure(always)
    assert measures.first_least == pytest.approx(before - 8, abs=0.2)
    assert measures.exploitability == pytest.approx(14 / 2, abs=0.2)


def test_the_size_and_the_value_are_those_of_the_page(solution: Solution) -> None:
    tree, stored = solution.tree, results.read_results(measured.BATTLE)
    sizes = stored.information_states, stored.actions, stored.histories, stored.ends
    assert sizes == (len(tree), len(tree.actions), len(tree.knows), len(tree.gains))
    assert stored.bounds == pytest.approx(solution.bounds, abs=1e-6)
    for name, policy in ((results.OPTIMAL, solution.optimal), ("random", uniform_policy(tree))):
        assert vars(stored.measured[name]) == pytest.approx(vars(solution.measure(policy)), abs=1e-6)
    agents = ("champion", "greedy")
    for name in agents:
        found = solution.measure(players.policy_of_agent(tree, opponents.load(name, game=GAME)))
        assert vars(stored.measured[name]) == pytest.approx(vars(found), abs=1e-4)
    # A battle plan that can be foreseen costs more than one that is drawn from an equilibrium.
    for name in (*agents, results.PREDICTABLE):
        assert stored.measured[name].exploitability > 1


def test_measures_of_known_players(solution: Solution) -> None:
    tree, (least, most) = solution.tree, solution.bounds
    optimal = solution.measure(solution.optimal)
    assert optimal.first_least == pytest.approx(least)
    assert optimal.second_least == pytest.approx(-most)
    assert optimal.exploitability == pytest.approx((most - least) / 2)
    uniform = uniform_policy(tree)
    measures = solution.measure(uniform)
    assert measures.first_least < measures.first < solution.value
    assert measures.second_least < measures.second < -solution.value
    assert measures.exploitability == pytest.approx(-(measures.first_least + measures.second_least) / 2)
    mixed = equilibrium.combined(tree, uniform, solution.optimal)
    assert solution.measure(mixed).first == pytest.approx(measures.first)
    assert solution.measure(mixed).second == pytest.approx(optimal.second)


def test_a_best_reply_is_better_than_every_other(solution: Solution) -> None:
    tree, random = solution.tree, np.random.default_rng(5)
    policy = normalised(tree, random.random(len(tree.actions)))
    for seat in (0, 1):
        best = best_gain(tree, policy, seat)
        worths, _ = equilibrium.worths_of(tree, policy, seat, best=True)
        rows = np.split(worths[:-1], tree.first_actions[1:-1])
        reply = np.concatenate([np.arange(len(row)) == row.argmax() for row in rows]).astype(float)
        for other in (reply, solution.optimal, uniform_policy(tree), policy):
            plans = (other, policy) if seat == 0 else (policy, other)
            gain = equilibrium.SIGNS[seat] * gain_of(tree, equilibrium.combined(tree, *plans))
            assert gain == pytest.approx(best) if other is reply else gain < best


def test_games_go_as_computed(tree: Tree) -> None:
    agent, margins = RandomAgent(3), []
    for seed in range(3000):
        state = GameState.new(seed, game=GAME)
        while not state.is_over:
            state.apply(agent.act(state), Tape(()))
        margins.append(state.scores()[0] - state.scores()[1])
    error = np.std(margins) / np.sqrt(len(margins))
    assert abs(np.mean(margins) - gain_of(tree, uniform_policy(tree))) < 4 * error


def test_faulty_policies_are_refused(solution: Solution) -> None:
    with pytest.raises(ValueError, match=r"policy: expected shape \(\d+,\), got \(3,\)"):
        solution.measure(np.ones(3))
    with pytest.raises(ValueError, match=r"policy: expected probabilities that sum to 1, got [12]\.\d+ in state 0"):
        solution.measure(uniform_policy(solution.tree) + (np.arange(len(solution.optimal)) == 0))


# Players


def row_of(tree: Tree, policy: Floats, number: int) -> dict[int, float]:
    """The probabilities of the actions in an information state."""
    first, end = tree.first_actions[number : number + 2]
    return dict(zip(tree.actions[first:end].tolist(), policy[first:end].tolist(), strict=True))


def test_an_agent_has_the_policy_of_its_decisions(tree: Tree) -> None:
    greedy = opponents.load("greedy", game=GAME)
    policy = players.policy_of_agent(tree, greedy)
    for number in range(0, len(tree), 97):
        state = tree.state(number)
        assert row_of(tree, policy, number)[greedy.act(state.view())] == 1
        assert sum(row_of(tree, policy, number).values()) == 1
    assert (players.policy_of_agent(tree, RandomAgent()) == uniform_policy(tree)).all()


@pytest.mark.parametrize(("name", "temperature"), [("champion", 0.0), ("easy", 9.0)])
def test_a_network_has_the_policy_from_which_it_draws(tree: Tree, name: str, temperature: float) -> None:
    """At temperature 0 it draws its battle plan as at 1, and decides about treason without drawing."""
    agent = opponents.load(name, game=GAME)
    assert isinstance(agent, NetworkAgent)
    assert agent.temperature == temperature
    policy, draws = players.policy_of_agent(tree, agent), 400
    treason = [number for number in range(len(tree)) if tree.state(number).decision == "TREASON"]
    for number in (0, 9, treason[0], treason[500]):
        view, probabilities = tree.state(number).view(), row_of(tree, policy, number)
        taken = [agent.act(view) for _ in range(draws)]
        for action, probability in probabilities.items():
            assert taken.count(action) / draws == pytest.approx(probability, abs=0.1)
        if number in treason and not temperature:
            assert sorted(probabilities.values()) == [0, 1]
    assert name == "easy" or max(row_of(tree, policy, 0).values()) < 1


def test_a_predictable_player_takes_the_first_of_the_most_likely_actions(tree: Tree) -> None:
    weights = np.ones(len(tree.actions))
    weights[tree.first_actions[:-1] + 1] = 2
    for policy, expected in ((uniform_policy(tree), 0), (normalised(tree, weights), 1)):
        taken = equilibrium.most_likely(tree, policy)
        assert np.flatnonzero(taken).tolist() == (tree.first_actions[:-1] + expected).tolist()


# Learning, and the command


def test_networks_and_the_table_learn_the_battle(solution: Solution) -> None:
    for learner in learning.LEARNERS:
        curve = list(learning.network_curve(solution, learner, 40_000, seed=1))
        assert curve[0].spent == 0
        assert curve[-1].spent >= 40_000
        assert curve[-1].exploitability < 0.6 * curve[0].exploitability
    table = list(learning.tabular_curve(solution, 64))
    assert [point.spent for point in table] == [1, 2, 4, 8, 16, 32, 64]
    assert table[-1].exploitability < 0.05 * table[0].exploitability


def test_the_command_measures_agents(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, picture = tmp_path / "results.json", tmp_path / "curves.png"
    options = command.Options(agents=("random", "greedy"), learn=4096, json=path, plot=picture)
    found = command.main(options)
    assert list(found.measured) == [results.OPTIMAL, results.PREDICTABLE, "random", "greedy"]
    assert "1,648 information states" in capsys.readouterr().out
    stored = results.read_results(path)
    assert stored.measured["random"].first == pytest.approx(found.measured["random"].first)
    assert [curve.learner for curve in stored.curves] == [results.TABULAR, *results.TITLES]
    assert [curve.spent for curve in stored.curves] == [curve.spent for curve in found.curves]
    assert picture.read_bytes().startswith(b"\x89PNG")
    for content in ("{}", path.read_text().replace('"first"', '"third"', 1)):
        path.write_text(content)
        with pytest.raises(ValueError, match=r"results\.json: (expected dunaia-battle-results, version 1|FieldError)"):
            results.read_results(path)

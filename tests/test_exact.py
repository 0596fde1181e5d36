"""Exact values of endgames: the reference program agrees on every end, and nothing depends on how they are found."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest

from dunaia_env.analysis.exact import Solution, Solver, solve
from dunaia_env.harness.compiled import entry_points
from dunaia_env.harness.compiled.chance import NeedsDraw, Stream, Tape
from dunaia_env.harness.opponents import load
from dunaia_env.harness.registry import find_game
from dunaia_env.harness.state import GameState

from .reference import game as reference

pytestmark = pytest.mark.compiled

MOST_POSITIONS = 20_000
# Games of two greedy players, and the number from the end of a decision that decides who wins.
DECIDING = {2: -3, 34: -2, 39: -3}
# Lines of play after an action, so many that the reference program plays all of them in a moment.
MOST_LINES = 60


class _Enumerated:
    """Chance that hands out prepared outcomes and then asks for the next one."""

    def __init__(self, outcomes: tuple[int, ...]) -> None:
        self.outcomes = list(outcomes)

    def draw(self, n: int) -> int:
        if not self.outcomes:
            raise _Needed(n)
        return self.outcomes.pop(0)


class _Needed(Exception):  # noqa: N818  (asks for an outcome)
    """Another outcome of so many is needed."""

    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.n = n


Line = list[tuple[str, tuple[int, ...]]]


@functools.cache
def played(seed: int) -> tuple[list[GameState], tuple[int, ...], Line]:
    """The positions of a game of two greedy players, the draws of its set-up, and each action with its draws."""
    chance, agent = Stream(seed), load("greedy")
    state = GameState.new(chance, num_players=2, elites=True)
    begin, line, states = tuple(outcome for _, outcome in chance.draws), list[tuple[str, tuple[int, ...]]](), []
    while not state.is_over:
        states.append(state.clone())
        action = int(agent.act(state.view()))
        state.apply(action, chance)
        line.append((state.game.action_text(action), tuple(outcome for _, outcome in chance.draws)))
    return states, begin, line


def at(begin: tuple[int, ...], line: Line) -> reference.Game:
    """The reference program after a line of play."""
    game = reference.Game(2, True, 100, _Enumerated(begin))
    for text, outcomes in line:
        game.apply(text, _Enumerated(outcomes))
    return game


def reference_value(begin: tuple[int, ...], line: Line) -> float:
    """The share of the win of seat 0 if both players decide perfectly, by the reference program alone."""
    game = at(begin, line)
    if game.over:
        first, second = game.ranks()
        return 0.5 if first == second else float(first < second)
    values = [reference_value_after(begin, line, text) for text in game.legal()]
    return max(values) if game.seat == 0 else min(values)


def reference_value_after(begin: tuple[int, ...], line: Line, text: str, known: tuple[int, ...] = ()) -> float:
    """The same after an action: the mean over the outcomes of its draws that are not known."""
    try:
        at(begin, [*line, (text, known)])
    except _Needed as question:
        outcomes = [(*known, outcome) for outcome in range(question.n)]
        return sum(reference_value_after(begin, line, text, more) for more in outcomes) / question.n
    return reference_value(begin, [*line, (text, known)])


def solved_backwards(states: list[GameState]) -> Iterator[tuple[int, Solution]]:
    """The numbers and solutions of a game's last decisions, from the last one on, until one is too large."""
    solver = Solver(states[0], most_positions=MOST_POSITIONS)
    for number in reversed(range(len(states))):
        solution = solver.solve(states[number])
        if solution is None:
            return
        yield number, solution


def last_solved(seed: int) -> dict[int, Solution]:
    """The solutions of a game's last decisions, by their number from the end: -1 for the last one."""
    states, _, _ = played(seed)
    return {number - len(states): solution for number, solution in solved_backwards(states)}


def lines_after(state: GameState, action: int, known: tuple[int, ...], most: int) -> int:
    """Number of lines of play to the end after an action, at most ``most``."""
    after = state.clone()
    try:
        after.apply(action, Tape(known))
    except NeedsDraw as question:
        branches = ((state, action, (*known, outcome)) for outcome in range(question.n))
    else:
        branches = ((after, following, ()) for following in after.legal_actions())
    if after.is_over:
        return 1
    lines = 0
    for branch in branches:
        lines += lines_after(*branch, most - lines)
        if lines >= most:
            break
    return lines


def test_the_reference_program_finds_the_same_values() -> None:
    compared, drew = set[float](), False
    for seed, place in DECIDING.items():
        states, begin, line = played(seed)
        state, solution = states[place], last_solved(seed)[place]
        assert list(solution.values) == state.legal_actions()
        lines = {action: lines_after(state, action, (), MOST_LINES) for action in solution.values}
        for value in sorted(set(solution.values.values())):
            short = [action for action in lines if solution.values[action] == value and lines[action] < MOST_LINES]
            for action in sorted(short, key=lines.__getitem__)[-2:]:
                expected = reference_value_after(begin, line[:place], state.game.action_text(action))
                assert value == pytest.approx(expected if state.seat == 0 else 1 - expected, abs=1e-9)
                compared.add(value)
                try:
                    state.clone().apply(action, Tape(()))
                except NeedsDraw:
                    drew = True
    assert compared == {0.0, 1.0}
    assert drew


@pytest.mark.parametrize("seed", [2, *(pytest.param(seed, marks=pytest.mark.long) for seed in (34, 39))])
def test_what_no_longer_matters_does_not_matter(seed: int) -> None:
    states, _, _ = played(seed)
    table = find_game("dunaia").entry_points.table.copy()
    table[entry_points.SIMPLIFY] = 0
    checked, fewer = 0, False
    for place, solution in last_solved(seed).items():
        solver = Solver(states[place], most_positions=200_000)
        simplified = solver.solve(states[place])
        solver = Solver(states[place], most_positions=200_000)
        solver._table = table
        plain = solver.solve(states[place])
        assert simplified is not None
        assert simplified.values == pytest.approx(solution.values)
        if plain is None:
            break
        assert plain.values == pytest.approx(solution.values)
        fewer |= simplified.positions < plain.positions
        checked += 1
    assert checked >= 5
    assert fewer


def test_a_solution_says_what_is_best_and_what_is_lost() -> None:
    solution = last_solved(2)[-3]
    assert (solution.value, solution.spread) == (1.0, 1.0)
    assert 0 < len(solution.best) < len(solution.values)
    for action, value in solution.values.items():
        assert solution.regret(action) == 1.0 - value
        assert (action in solution.best) == (value == 1.0)
    with pytest.raises(KeyError):
        solution.regret(-1)


def test_perfect_players_get_the_value() -> None:
    states, _, _ = played(2)
    state, value = states[-3].clone(), last_solved(2)[-3].value
    seat, chance = state.seat, Stream(5)
    while not state.is_over:
        solution = solve(state, most_positions=MOST_POSITIONS)
        assert solution is not None
        state.apply(solution.best[-1], chance)
    assert state.ranks()[seat] == (1 if value == 1.0 else 2)


def test_too_large_a_position_has_no_solution() -> None:
    states, _, _ = played(2)
    assert solve(states[0], most_positions=50) is None
    solver = Solver(states[0], most_positions=500)
    assert [solver.solve(states[0]) for _ in range(4)] == [None] * 4
    assert solver.solve(states[-1]) is not None


def test_other_positions_are_refused() -> None:
    states, _, _ = played(2)
    over = states[-1].clone()
    while not over.is_over:
        over.apply(over.legal_actions()[0], 0)
    for state, needed in (
        (GameState.new(1, num_players=3), "state: expected a game of 2 players, got one of 3"),
        (GameState.new(1, game=find_game("dune")), "game: expected a game of perfect information, got dune"),
        (over, "state: expected a position of 2 players at a decision, got <GameState of dunaia: 2 players, over>"),
    ):
        with pytest.raises(ValueError, match=needed):
            solve(state)
    with pytest.raises(ValueError, match="most_positions: expected at least 1, got 0"):
        solve(states[0], most_positions=0)
    game = find_game("dunaia")
    other = game.require("change")(game.load(None), {"start.flowers": [60, 0, 0, 0]})
    with pytest.raises(ValueError, match="expected a position of dunaia with the components of the solver"):
        Solver(states[0]).solve(GameState.new(1, num_players=2, components=other))

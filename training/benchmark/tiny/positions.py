"""Every position of a small game: who decides there, and where each action leads with which probability."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.compiled import entry_points
from dunaia_env.harness.compiled.chance import (
    CHANCE_SIZE,
    COUNT,
    GIVEN,
    LOG,
    MODE,
    MOST_DRAWS,
    NEEDED,
    TAPE,
    NeedsDraw,
    Tape,
)
from dunaia_env.harness.compiled.expectimax import final_value
from dunaia_env.harness.game import Game
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.harness.state import GameState, prepare
from dunaia_env.support.compile_cache import kernel
from training.benchmark.listed import Floats, starts_of

PLAYERS = 2
MOST_POSITIONS = 1_000_000
MOST_OUTCOMES = 4096
# What seat 0 gets at an end: a defeat, a shared win, a win. They are numbered after the positions, in this order.
END_SHARES = (0.0, 0.5, 1.0)
GOES_ON = -1.0


@dataclass(frozen=True)
class Positions:
    """The P decisions of a game of two players, their A legal actions, and the B outcomes of these actions.

    An action leads to positions of higher levels only, so one pass over the levels visits causes before effects.

    Attributes:
        game: the game.
        components: its components.
        options: its options.
        states: uint8 ``(P, state_size)``, each position once.
        seats: int8 ``(P,)``, who decides.
        first_actions: int64 ``(P + 1,)``; position p has the actions numbered from its entry up to the next one.
        actions: int16 ``(A,)``, the legal actions of each position, ascending.
        first_outcomes: int64 ``(A + 1,)``, the same for the outcomes of an action.
        after: int64 ``(B,)``, the position after an outcome; P + k for an end with ``END_SHARES[k]`` for seat 0.
        probabilities: float64 ``(B,)``, those of the outcomes of an action sum to 1.
        begins: float64 ``(P,)``, the probability that the game begins at a position.
        levels: int64 ``(L + 1,)``; level l has the positions numbered from its entry up to the next one.
    """

    game: Game
    components: Any
    options: Mapping[str, Any]
    states: NDArray[np.uint8]
    seats: NDArray[np.int8]
    first_actions: NDArray[np.int64]
    actions: NDArray[np.int16]
    first_outcomes: NDArray[np.int64]
    after: NDArray[np.int64]
    probabilities: Floats
    begins: Floats
    levels: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.states)

    @property
    def deciding(self) -> NDArray[np.int8]:
        """The seat that decides about each action, int8 ``(A,)``."""
        return np.repeat(self.seats, np.diff(self.first_actions))

    def state(self, position: int) -> GameState:
        """A position as a state."""
        return GameState(self.states[position], game=self.game, components=self.components, trusted=True)

    def number_of(self, state: GameState) -> int:
        """The number of a state at a decision; raises `ValueError` for a state that the game cannot reach."""
        same = (self.states == np.frombuffer(state.to_bytes(), np.uint8)).all(axis=1)
        if not same.any():
            raise ValueError(f"state: expected a position of {self.game.name} with {dict(self.options)}, got {state!r}")
        return int(same.argmax())

    def observations(self) -> NDArray[np.int8]:
        """What the deciding seat of each position observes, int8 ``(P, observation_size)``."""
        return np.stack([self.state(position).observation() for position in range(len(self))])

    def masks(self) -> NDArray[np.bool_]:
        """The legal actions of each position, bool ``(P, num_actions)``."""
        legal = np.zeros((len(self), self.game.num_actions), bool)
        legal[np.repeat(np.arange(len(self)), np.diff(self.first_actions)), self.actions] = True
        return legal


class _Tree:
    """Positions in the order in which they are found, each with its actions and what these lead to.

    A number from 0 on is that of a position; minus one minus k is the end with ``END_SHARES[k]``.
    """

    def __init__(self, game: Game, components: Any, most_positions: int) -> None:
        self._table, self._components, self._most = prepare(game), components.buffer, most_positions
        self._numbers: dict[bytes, int] = {}
        self.states: list[bytes] = []
        self._legal, self._legal_after = np.zeros((2, game.num_actions), np.int16)
        self._chance = np.zeros(CHANCE_SIZE, np.int64)
        self._after = np.zeros((MOST_OUTCOMES, game.state_size), np.uint8)
        self._probabilities, self._shares = np.zeros(MOST_OUTCOMES), np.zeros(MOST_OUTCOMES)

    def number(self, state: bytes) -> int:
        """The number of a position."""
        number = self._numbers.setdefault(state, len(self._numbers))
        if number == len(self.states):
            if number == self._most:
                raise ValueError(f"game: expected at most {self._most:,} positions, got more")
            self.states.append(state)
        return number

    def expand(self, number: int) -> list[tuple[int, dict[int, float]]]:
        """The legal actions of a position, each with the probabilities of what it leads to."""
        state = np.frombuffer(self.states[number], np.uint8).copy()
        count = entry_points.list_legal(self._table, state, self._components, self._legal)
        return [(action, self._play(state, action)) for action in self._legal[:count].tolist()]

    def _play(self, state: NDArray[np.uint8], action: int) -> dict[int, float]:
        chance, after, probabilities, shares = self._chance, self._after, self._probabilities, self._shares
        count = play_all(
            self._table, state, self._components, action, chance, self._legal_after, after, probabilities, shares
        )
        if count > MOST_OUTCOMES:
            raise ValueError(f"game: expected at most {MOST_OUTCOMES} outcomes of an action, got more")
        weights: dict[int, float] = {}
        for row, share in enumerate(shares[:count].tolist()):
            place = self.number(after[row].tobytes()) if share == GOES_ON else -1 - END_SHARES.index(share)
            weights[place] = weights.get(place, 0.0) + float(probabilities[row])
        return weights


@kernel
def play_all(
    game: NDArray[np.int64],
    state: NDArray[np.uint8],
    components: NDArray[np.uint8],
    action: int,
    chance: NDArray[np.int64],
    legal: NDArray[np.int16],
    after: NDArray[np.uint8],
    probabilities: Floats,
    shares: Floats,
) -> int:
    """Apply an action with every outcome of its draws; returns their number, or one more than there is space for.

    Args:
        game: the game's table.
        state: uint8 ``(state_size,)``, a position of two players.
        components: the components.
        action: a legal action.
        chance: int64 ``(CHANCE_SIZE,)``, scratch space.
        legal: int16 ``(num_actions,)``, scratch space.
        after: uint8 ``(N, state_size)``; the positions after the action are written into it.
        probabilities: float64 ``(N,)``; theirs are written into it.
        shares: float64 ``(N,)``; what seat 0 gets at an end is written into it, `GOES_ON` for a position.
    """
    sizes, outcomes = np.zeros(MOST_DRAWS, np.int64), np.zeros(MOST_DRAWS, np.int64)
    chance[MODE] = TAPE
    draws, count = 0, 0
    while count < len(after):
        chance[COUNT] = 0
        chance[NEEDED] = 0
        chance[GIVEN] = draws
        for draw in range(draws):
            chance[LOG + 2 * draw + 1] = outcomes[draw]
        entry_points.copy_state(after[count], state)
        choices = entry_points.play(game, after[count], components, chance, action, legal)
        if chance[NEEDED] > 0:
            sizes[draws] = chance[NEEDED]
            outcomes[draws] = 0
            draws += 1
            continue
        probabilities[count] = 1.0
        for draw in range(draws):
            probabilities[count] /= sizes[draw]
        shares[count] = GOES_ON if choices > 0 else final_value(game, after[count], components)
        count += 1
        while draws > 0 and outcomes[draws - 1] + 1 == sizes[draws - 1]:
            draws -= 1
        if draws == 0:
            return count
        outcomes[draws - 1] += 1
    return count + 1


def list_positions(
    game: Game, *, components: Any = None, most_positions: int = MOST_POSITIONS, **options: Any
) -> Positions:
    """Play a game of perfect information from its set-up in every possible way.

    Args:
        game: the game.
        components: a component file; the game's own for None.
        most_positions: largest number of positions.
        options: the game's options.

    Raises `ValueError` for a game with hidden information or with another number of players than two, and for one with
    more positions or with an action of more than `MOST_OUTCOMES` outcomes.
    """
    options = game.check_options(options)
    if not game.perfect_information or options[NUM_PLAYERS] != PLAYERS:
        found = f"{game.name} with {options[NUM_PLAYERS]} players"
        raise ValueError(f"game: expected one of perfect information with {PLAYERS} players, got {found}")
    components = game.load(components)
    tree = _Tree(game, components, most_positions)
    begins: dict[int, float] = {}
    for state, probability in _set_ups(game, components, options):
        number = tree.number(state.to_bytes())
        begins[number] = begins.get(number, 0.0) + probability
    expanded = list[list[tuple[int, dict[int, float]]]]()
    while len(expanded) < len(tree.states):
        expanded.append(tree.expand(len(expanded)))
    return _arranged(game, components, options, tree.states, expanded, begins)


def _set_ups(game: Game, components: Any, options: Mapping[str, Any]) -> Iterator[tuple[GameState, float]]:
    """The first positions of games, with the probability of each outcome of the draws that lead there."""
    todo: list[tuple[tuple[int, ...], float]] = [((), 1.0)]
    while todo:
        known, probability = todo.pop()
        try:
            yield GameState.new(Tape(known), game=game, components=components, **options), probability
        except NeedsDraw as question:
            todo += [((*known, outcome), probability / question.n) for outcome in range(question.n)]


def _arranged(
    game: Game,
    components: Any,
    options: Mapping[str, Any],
    states: list[bytes],
    tree: list[list[tuple[int, dict[int, float]]]],
    begins: dict[int, float],
) -> Positions:
    """The positions in the order of their levels; a level is the largest number of decisions before a position."""
    number = len(states)
    parents = np.array([p for p, actions in enumerate(tree) for _, weights in actions for _ in weights], np.int64)
    after = np.array([child for actions in tree for _, weights in actions for child in weights], np.int64)
    level, goes_on = np.zeros(number, np.int64), after >= 0
    while True:
        deeper = level.copy()
        np.maximum.at(deeper, after[goes_on], level[parents[goes_on]] + 1)
        if (deeper == level).all():
            break
        level = deeper
    order = np.argsort(level, kind="stable")
    place = np.empty(number + len(END_SHARES), np.int64)
    place[order] = np.arange(number)
    # The number of an end, which is below 0, counts from the end of the array.
    place[number:] = number + np.arange(len(END_SHARES))[::-1]
    ordered = [tree[position] for position in order]
    chances = np.zeros(number)
    for position, probability in begins.items():
        chances[place[position]] = probability
    rows = np.stack([np.frombuffer(states[position], np.uint8) for position in order])
    return Positions(
        game,
        components,
        options,
        states=rows,
        seats=np.array([game.seat_of(row) for row in rows], np.int8),
        first_actions=starts_of([len(actions) for actions in ordered]),
        actions=np.array([action for actions in ordered for action, _ in actions], np.int16),
        first_outcomes=starts_of([len(weights) for actions in ordered for _, weights in actions]),
        after=np.array([place[child] for actions in ordered for _, weights in actions for child in weights], np.int64),
        probabilities=np.array([p for actions in ordered for _, weights in actions for p in weights.values()]),
        begins=chances,
        levels=starts_of(np.bincount(level).tolist()),
    )

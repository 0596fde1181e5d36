"""Every position of a small game: who decides there, and where each action leads with which probability."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.compiled.chance import NeedsDraw, Tape
from dunaia_env.harness.game import Game
from dunaia_env.harness.state import GameState

Floats = NDArray[np.float64]

PLAYERS = 2
MOST_POSITIONS = 1_000_000
# What seat 0 gets at an end: a defeat, a shared win, a win. They are numbered after the positions, in this order.
END_SHARES = (0.0, 0.5, 1.0)


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
    more positions.
    """
    options = game.check_options(options)
    if not game.perfect_information or options["num_players"] != PLAYERS:
        found = f"{game.name} with {options['num_players']} players"
        raise ValueError(f"game: expected one of perfect information with {PLAYERS} players, got {found}")
    components = game.load(components)
    numbers: dict[bytes, int] = {}
    found_states: list[GameState] = []

    def number(state: GameState) -> int:
        """The number of a position, or minus one minus the number of an end."""
        if state.is_over:
            first, second = state.ranks()
            return -1 - END_SHARES.index(0.5 if first == second else float(first < second))
        key = state.to_bytes()
        if key not in numbers:
            if len(numbers) == most_positions:
                raise ValueError(f"game: expected at most {most_positions:,} positions, got more")
            numbers[key] = len(numbers)
            found_states.append(state)
        return numbers[key]

    def weigh(play: Callable[[Tape], GameState]) -> Counter[int]:
        weights = Counter[int]()
        for state, probability in _outcomes(play):
            weights[number(state)] += probability  # type: ignore[assignment]
        return weights

    begins = weigh(lambda tape: GameState.new(tape, game=game, components=components, **options))
    tree: list[list[tuple[int, Counter[int]]]] = []
    while len(tree) < len(found_states):
        state = found_states[len(tree)]
        tree.append([(action, weigh(_applied(state, action))) for action in state.legal_actions()])
    return _arranged(game, components, options, found_states, tree, begins)


def _applied(state: GameState, action: int) -> Callable[[Tape], GameState]:
    def apply(tape: Tape) -> GameState:
        after = state.clone()
        after.apply(action, tape)
        return after

    return apply


def _outcomes(play: Callable[[Tape], GameState]) -> Iterator[tuple[GameState, float]]:
    """What comes of playing with every outcome of the draws that it asks for, with the probabilities."""
    todo: list[tuple[tuple[int, ...], float]] = [((), 1.0)]
    while todo:
        known, probability = todo.pop()
        try:
            yield play(Tape(known)), probability
        except NeedsDraw as question:
            todo += [((*known, outcome), probability / question.n) for outcome in range(question.n)]


def _arranged(
    game: Game,
    components: Any,
    options: Mapping[str, Any],
    states: list[GameState],
    tree: list[list[tuple[int, Counter[int]]]],
    begins: Counter[int],
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
    # Minus one minus the number of an end counts from the end of the array.
    place[number:] = number + np.arange(len(END_SHARES))[::-1]
    ordered = [tree[position] for position in order]
    chances = np.zeros(number)
    for position, probability in begins.items():
        chances[place[position]] = probability
    return Positions(
        game,
        components,
        options,
        states=np.stack([np.frombuffer(states[position].to_bytes(), np.uint8) for position in order]),
        seats=np.array([states[position].seat for position in order], np.int8),
        first_actions=_starts([len(actions) for actions in ordered]),
        actions=np.array([action for actions in ordered for action, _ in actions], np.int16),
        first_outcomes=_starts([len(weights) for actions in ordered for _, weights in actions]),
        after=np.array([place[child] for actions in ordered for _, weights in actions for child in weights], np.int64),
        probabilities=np.array([p for actions in ordered for _, weights in actions for p in weights.values()]),
        begins=chances,
        levels=_starts(np.bincount(level).tolist()),
    )


def _starts(lengths: list[int]) -> NDArray[np.int64]:
    """Where each of several rows of the given lengths begins, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)

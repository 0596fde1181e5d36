"""Every course of a small game of two players with hidden information, and what each seat knows at its decisions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.compiled.chance import NeedsDraw, Tape
from dunaia_env.harness.game import Game
from dunaia_env.harness.state import GameState
from training.benchmark.listed import Floats, Integers, starts_of

PLAYERS = 2
MOST_HISTORIES = 1_000_000


@dataclass(frozen=True)
class Tree:
    """The I information states of both seats with their A legal actions, and the H decisions and T ends of the game.

    In an *information state* a seat knows the same: it has the same observation. A *history* is a decision in the
    course of a game; all histories that its seat cannot tell apart have one information state. Actions are numbered
    over all information states of both seats; the number A stands for no action.

    Attributes:
        game: the game.
        components: its components.
        states: uint8 ``(I, state_size)``, a state in which the seat knows what it knows there.
        seats: int8 ``(I,)``, who decides.
        first_actions: int64 ``(I + 1,)``; information state i has the actions numbered from its entry up to the next.
        actions: int16 ``(A,)``, the legal actions, ascending in each information state.
        parents: int64 ``(I,)``, the number of the seat's own last action before, A if there is none.
        levels: int64 ``(L + 1,)``; level l has the information states numbered from its entry up to the next one. In
            them the seat has decided l times before.
        deals: int64 ``(D,)``, the first history after each deal.
        chances: float64 ``(D,)``, the probabilities of the deals.
        knows: int64 ``(H,)``, the information state of each history.
        first_children: int64 ``(H + 1,)``; history h has the children from its entry up to the next one, one for each
            of its actions.
        children: int64, the history after an action; H + t for end t.
        sequences: int64 ``(T, 2)``, the number of each seat's last action before an end, A if there is none.
        probabilities: float64 ``(T,)``, the probability of the deal that led to an end.
        gains: float64 ``(T,)``, the points of seat 0 minus those of seat 1 at an end.
    """

    game: Game
    components: Any
    states: NDArray[np.uint8]
    seats: NDArray[np.int8]
    first_actions: Integers
    actions: NDArray[np.int16]
    parents: Integers
    levels: Integers
    deals: Integers
    chances: Floats
    knows: Integers
    first_children: Integers
    children: Integers
    sequences: Integers
    probabilities: Floats
    gains: Floats

    def __len__(self) -> int:
        return len(self.states)

    @cached_property
    def deciding(self) -> NDArray[np.int8]:
        """The seat that decides about each action, int8 ``(A,)``."""
        return np.repeat(self.seats, np.diff(self.first_actions))

    def state(self, number: int) -> GameState:
        """A state in which the seat of an information state knows what it knows there."""
        return GameState(self.states[number], game=self.game, components=self.components, trusted=True)

    def observations(self) -> NDArray[np.int8]:
        """What the deciding seats observe, int8 ``(I, observation_size)``."""
        return np.stack([self.state(number).observation() for number in range(len(self))])


def set_ups(game: Game, **options: Any) -> list[tuple[GameState, float]]:
    """The different first decisions of games with a game's own components, with their probabilities."""
    todo: list[tuple[tuple[int, ...], float]] = [((), 1.0)]
    found: dict[GameState, float] = {}
    while todo:
        known, probability = todo.pop()
        try:
            state = GameState.new(Tape(known), game=game, **options)
            found[state] = found.get(state, 0.0) + probability
        except NeedsDraw as question:
            # Reversed, so that what is drawn first comes first.
            todo += [((*known, outcome), probability / question.n) for outcome in reversed(range(question.n))]
    return list(found.items())


class _Lister:
    """Collects a tree in the order in which its histories are played."""

    def __init__(self, most_histories: int) -> None:
        self._most = most_histories
        self.numbers: dict[tuple[int, bytes], int] = {}
        self.states: list[bytes] = []
        self.legal: list[list[int]] = []
        # Sequences are pairs of an information state and the place of an action in it.
        self.parents: list[tuple[int, int] | None] = []
        self.knows: list[int] = []
        self.children: list[list[int]] = []
        self.ends: list[tuple[tuple[int, int] | None, tuple[int, int] | None, float, int]] = []

    def play(self, state: GameState, probability: float, last: tuple[tuple[int, int] | None, ...]) -> int:
        """Play a state in every way; returns the number of its history, or minus one minus that of an end."""
        if state.is_over:
            first, second = state.scores()
            self.ends.append((last[0], last[1], probability, first - second))
            return -len(self.ends)
        history = len(self.knows)
        if history == self._most:
            raise ValueError(f"game: expected at most {self._most:,} histories, got more")
        known = self._number(state, last[state.seat])
        self.knows.append(known)
        self.children.append([])
        for place, action in enumerate(self.legal[known]):
            following = state.clone()
            try:
                following.apply(action, Tape(()))
            except NeedsDraw:
                raise ValueError(f"game: expected no draw after the set-up, got one after {state!r}") from None
            own = (*last[: state.seat], (known, place), *last[state.seat + 1 :])
            self.children[history].append(self.play(following, probability, own))
        return history

    def _number(self, state: GameState, last: tuple[int, int] | None) -> int:
        """The number of what the deciding seat knows."""
        number = self.numbers.setdefault((state.seat, state.observation().tobytes()), len(self.numbers))
        legal = state.legal_actions()
        if number == len(self.states):
            self.states.append(state.to_bytes())
            self.legal.append(legal)
            self.parents.append(last)
        elif (self.legal[number], self.parents[number]) != (legal, last):
            raise ValueError(f"game: expected seats that forget nothing, got one that observes the same in {state!r}")
        return number


def list_tree(begins: Iterable[tuple[GameState, float]], *, most_histories: int = MOST_HISTORIES) -> Tree:
    """Play a game of two players in every possible way, from states at a decision with their probabilities.

    Raises `ValueError` if there are none or more players, if an action makes a draw, if there are too many histories,
    and if a seat observes the same after different actions of its own: it would not know what it did.
    """
    first = list(begins)
    if not first or any(state.num_players != PLAYERS for state, _ in first):
        raise ValueError(f"begins: expected states of {PLAYERS} players, got {[state for state, _ in first][:1]}")
    lister = _Lister(most_histories)
    deals = [lister.play(state, probability, (None,) * PLAYERS) for state, probability in first]
    return _arranged(first, lister, deals)


def _arranged(first: Sequence[tuple[GameState, float]], lister: _Lister, deals: list[int]) -> Tree:
    """The tree with its information states in the order of their levels."""
    number, histories = len(lister.states), len(lister.knows)
    level: list[int] = []
    for parent in lister.parents:
        level.append(0 if parent is None else level[parent[0]] + 1)
    order = np.argsort(level, kind="stable")
    place = np.empty(number, np.int64)
    place[order] = np.arange(number)
    legal = [lister.legal[old] for old in order]
    first_actions = starts_of([len(actions) for actions in legal])

    def numbered(sequence: tuple[int, int] | None) -> int:
        return int(first_actions[-1] if sequence is None else first_actions[place[sequence[0]]] + sequence[1])

    children = [child if child >= 0 else histories - 1 - child for row in lister.children for child in row]
    state, probabilities = first[0][0], [probability for _, probability in first]
    rows = np.stack([np.frombuffer(lister.states[old], np.uint8) for old in order])
    return Tree(
        state.game,
        state.components,
        states=rows,
        seats=np.array([state.game.seat_of(row) for row in rows], np.int8),
        first_actions=first_actions,
        actions=np.array([action for actions in legal for action in actions], np.int16),
        parents=np.array([numbered(lister.parents[old]) for old in order], np.int64),
        levels=starts_of(np.bincount(level).tolist()),
        deals=np.array(deals, np.int64),
        chances=np.array(probabilities, np.float64),
        knows=place[lister.knows],
        first_children=starts_of([len(row) for row in lister.children]),
        children=np.array(children, np.int64),
        sequences=np.array([(numbered(one), numbered(other)) for one, other, _, _ in lister.ends], np.int64),
        probabilities=np.array([probability for _, _, probability, _ in lister.ends], np.float64),
        gains=np.array([gain for _, _, _, gain in lister.ends], np.float64),
    )

"""Advisers judge the decisions of a game; they are loaded by name.

An adviser estimates every seat's win probability in a position, and ranks the legal actions of a decision. A trained
player does both, with a search or without; the game's hand-written evaluation, ``greedy``, does both where there is no
trained player.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dunaia_env.analysis.outcomes import Outcome, outcomes, sample_seed
from dunaia_env.harness import opponents
from dunaia_env.harness.compiled import chance, entry_points, rewards
from dunaia_env.harness.game import Game
from dunaia_env.harness.state import GameState, View, prepare
from dunaia_env.support.messages import MOST_OF_A_TEXT, reason, shorten

Floats = NDArray[np.float64]

EVALUATION = "greedy"
# Default and largest number of simulations for each decision.
SIMULATIONS, MOST_SIMULATIONS = 256, 100_000
# Number of candidates of a search; large enough to include the actions that a player would think of.
CANDIDATES = 16
# Factor by which win probabilities are multiplied before they are added to logits; `compiled.guided` uses about the
# same factor when each action has one visit.
VALUE_SCALE = 50.0
# Number of states sampled for what a seat does not know, in estimates without a search.
HIDDEN_SAMPLES = 16
# Without a search: the largest number of outcomes of an action that are listed, and the number that are sampled if
# there are more.
MOST_OUTCOMES, SAMPLES = 40, 32
# Number of positions that are estimated at once.
_AT_ONCE = 4096


@dataclass(frozen=True)
class Judgement:
    """What an adviser says about a decision with K legal actions in a game of S players.

    Attributes:
        actions: int64 ``(K,)``, the legal actions.
        policy: float64 ``(K,)``, the probability with which the adviser would choose each action.
        values: float64 ``(K, S)``, every seat's win probability after each action; NaN where the adviser has none.
        value: float64 ``(S,)``, every seat's win probability before the decision.
        order: indices of the actions, best first. Those with a value come before those without one.
        trials: int64 ``(K,)``, the number of simulations that began with each action; None without a search.
    """

    actions: NDArray[np.int64]
    policy: Floats
    values: Floats
    value: Floats
    order: list[int]
    trials: NDArray[np.int64] | None = None


@runtime_checkable
class Adviser(Protocol):
    """Estimates win probabilities and judges decisions.

    Attributes:
        name: name of the adviser in reports.
    """

    name: str

    def shares(self, states: Sequence[GameState]) -> Floats:
        """Every seat's win probability in states with the same number of players, float64 ``(R, S)``; rows sum to 1.

        In a state that is over, the probabilities are the result of the game. Raises `ValueError` for a table that the
        adviser does not know.
        """
        ...

    def choose(self, states: Sequence[GameState]) -> list[int]:
        """The action that the adviser would play in each state, without a search."""
        ...

    def judge(self, views: Sequence[View], chosen: Sequence[int] | None = None) -> list[Judgement]:
        """Judge decisions using only what the deciding seat knows.

        Args:
            views: views of the deciding seats, in games with the same number of players.
            chosen: for each view, an action that has to get a value, so that it can be compared with the best action
                without favour to either; None if there is no such action.
        """
        ...


class _Looking:
    """Judges a decision from the estimates after each action: a search one decision deep."""

    name: str

    def shares(self, states: Sequence[GameState]) -> Floats:
        """See `Adviser.shares`."""
        if not states:
            raise ValueError("states: expected at least one, got none")
        found = np.empty((len(states), states[0].num_players))
        over = np.array([state.is_over for state in states])
        for index in np.flatnonzero(over).tolist():
            found[index] = rewards.exact_shares(np.array(states[index].ranks()))
        open_ones = np.flatnonzero(~over)
        for first in range(0, len(open_ones), _AT_ONCE):
            part = open_ones[first : first + _AT_ONCE]
            found[part] = self._shares([states[index] for index in part.tolist()])
        return found

    def judge(self, views: Sequence[View], chosen: Sequence[int] | None = None) -> list[Judgement]:
        """See `Adviser.judge`."""
        return [self._judge_one(view) for view in views]

    def _judge_one(self, view: View) -> Judgement:
        actions = view.legal_actions()
        after: list[Outcome] = []
        rows: list[int] = []
        possible = _possible_states(view)
        for state in possible:
            for row, action in enumerate(actions):
                more = outcomes(state, action, most=MOST_OUTCOMES, samples=SAMPLES)
                after += more
                rows += [row] * len(more)
        weights = np.array([outcome.probability for outcome in after]) / len(possible)
        values = np.zeros((len(actions), view.num_players))
        np.add.at(values, rows, self.shares([outcome.state for outcome in after]) * weights[:, None])
        scores = self._logits(view)[actions] + VALUE_SCALE * values[:, view.seat]
        policy = np.exp(scores - scores.max())
        return Judgement(
            actions=np.array(actions),
            policy=policy / policy.sum(),
            values=values,
            value=self.shares(possible).mean(axis=0),
            order=[int(index) for index in np.argsort(-scores, kind="stable")],
        )

    def _shares(self, states: Sequence[GameState]) -> Floats:
        """The `shares` for at least one state; no state is over."""
        raise NotImplementedError

    def _logits(self, view: View) -> Floats:
        """The preference for each action of the game before looking ahead, float64 ``(A,)``."""
        raise NotImplementedError


def _possible_states(view: View) -> list[GameState]:
    """The state of a view, or samples of the states that agree with what its seat knows."""
    if view.game.perfect_information:
        return [view.state]
    base = view.determinize(0)
    return [view.determinize(sample_seed(base, number)) for number in range(HIDDEN_SAMPLES)]


class EvaluationAdviser(_Looking):
    """Advises with the game's hand-written evaluation.

    Args:
        game: the game; raises `ValueError` for one without an evaluation.
    """

    name = EVALUATION

    def __init__(self, game: Game) -> None:
        self._agent = opponents.GreedyAgent(game=game)
        self._weights = self._agent.weights
        self._no_logits = np.zeros(game.num_actions)

    def _shares(self, states: Sequence[GameState]) -> Floats:
        table = prepare(states[0].game, evaluation=True)
        found, row = np.empty((len(states), states[0].num_players)), np.zeros(entry_points.MOST_SEATS)
        for index, state in enumerate(states):
            position = np.frombuffer(state.to_bytes(), np.uint8).copy()
            entry_points.write_shares(table, position, state.components.buffer, self._weights, row)
            found[index] = row[: state.num_players]
        return found

    def _logits(self, view: View) -> Floats:
        return self._no_logits

    def choose(self, states: Sequence[GameState]) -> list[int]:
        """See `Adviser.choose`."""
        return [self._agent.act(state) for state in states]


class PlayerAdviser(_Looking):
    """Advises with a trained player's network, and with a search that it guides.

    Where the search prefers another action to the chosen one, a second search compares these two alone, with draws of
    its own. In the first search the preferred action may only have been lucky.

    Args:
        player: the trained player, an `agents.network.NetworkAgent`.
        search: search guided by the same player, an `agents.guided.GuidedAgent`; None to look only one decision ahead.
        comparison: another such search with another seed and two candidates; None if ``search`` is None.
    """

    def __init__(self, player: Any, search: Any = None, comparison: Any = None) -> None:
        self.name = str((search or player).name)
        self._player, self._search, self._comparison = player, search, comparison

    def choose(self, states: Sequence[GameState]) -> list[int]:
        """See `Adviser.choose`."""
        logits = self._player.estimates(states)[0]
        legal = [state.legal_actions() for state in states]
        return [actions[int(row[actions].argmax())] for row, actions in zip(logits, legal, strict=True)]

    def judge(self, views: Sequence[View], chosen: Sequence[int] | None = None) -> list[Judgement]:
        """See `Adviser.judge`."""
        if self._search is None:
            return super().judge(views, chosen)
        results = self._search.search_many(views)
        found = [
            Judgement(one.actions, one.policy, one.values, one.value, one.ranking(view.seat), one.visits)
            for view, one in zip(views, results, strict=True)
        ]
        if chosen is not None:
            self._compare(views, chosen, found)
        return found

    def _compare(self, views: Sequence[View], chosen: Sequence[int], found: Sequence[Judgement]) -> None:
        """Replace the values of the preferred and of the chosen action by those of a second search."""
        best = [int(judgement.actions[judgement.order[0]]) for judgement in found]
        pairs = {index: list(pair) for index, pair in enumerate(zip(best, chosen, strict=True)) if len(set(pair)) > 1}
        results = self._comparison.search_many([views[index] for index in pairs], list(pairs.values()))
        for (index, pair), result in zip(pairs.items(), results, strict=True):
            rows = np.searchsorted(result.actions, pair)
            found[index].values[rows] = result.values[rows]

    def _shares(self, states: Sequence[GameState]) -> Floats:
        found: Floats = self._player.estimates(states)[1]
        return found

    def _logits(self, view: View) -> Floats:
        logits: Floats = self._player.estimates([view])[0][0].astype(np.float64)
        return logits


def load_adviser(
    name: str | os.PathLike[str], *, game: Game, components: Any = None, simulations: int | None = None
) -> Adviser:
    """An adviser by name.

    Args:
        name: a trained player without options: ``champion``, another one that comes with the project, or the path of a
            model file; or ``greedy``, the game's evaluation.
        game: the game whose decisions it is to judge.
        components: components with which the game is played; None for the game's own.
        simulations: simulations of the search for each decision, 0..100,000; 0 looks one decision ahead. None stands
            for 256 with a trained player, and for 0 with ``greedy``, which does not search.

    Raises `ValueError` naming what cannot judge the game, why, and what is allowed.
    """
    if simulations is not None and not (chance.is_integer(simulations) and 0 <= simulations <= MOST_SIMULATIONS):
        raise ValueError(f"simulations: expected an integer in 0..{MOST_SIMULATIONS}, got {shorten(simulations)}")
    text = os.fspath(name) if isinstance(name, str | os.PathLike) else name
    if text == EVALUATION:
        if simulations:
            raise ValueError(f"simulations: expected 0, because {EVALUATION} does not search, got {simulations}")
        return _with_advice(text, lambda: EvaluationAdviser(game))
    if not isinstance(text, str) or not opponents.model_file(text, game) or re.search(r"[:+][^/\\]*$", text):
        raise ValueError(f"adviser: expected {_ALLOWED}, got {shorten(name, MOST_OF_A_TEXT)}")
    if text in opponents.LEVELS:
        raise ValueError(f"adviser: expected {_ALLOWED}, got {text}, which plays below its strength")
    if simulations == 0:
        return _with_advice(text, lambda: PlayerAdviser(opponents.load(text, components=components, game=game)))
    number = SIMULATIONS if simulations is None else int(simulations)

    def searching(candidates: int) -> Any:
        return opponents.load(f"{text}+{number},candidates={candidates}", components=components, game=game)

    def load() -> Adviser:
        search, comparison = searching(min(CANDIDATES, game.num_actions)), searching(2)
        comparison.reset(1)
        return PlayerAdviser(search.player, search, comparison)

    return _with_advice(text, load)


_ALLOWED = f"a trained player without options, such as {opponents.CHAMPION}, or {EVALUATION}"


def _with_advice(name: str, load: Any) -> Adviser:
    """Call a function that loads an adviser; add the adviser's name, and what is allowed, to its `ValueError`."""
    try:
        adviser: Adviser = load()
    except ValueError as error:
        text = reason(error, 2 * MOST_OF_A_TEXT)
        raise ValueError(
            f"adviser: {shorten(name, MOST_OF_A_TEXT)} cannot judge this game ({text}); {_ALLOWED} may"
        ) from error
    return adviser

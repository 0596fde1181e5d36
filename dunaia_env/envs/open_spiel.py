"""Dunaïa as an OpenSpiel game with explicit chance nodes.

Importing this module registers ``python_dunaia``::

    import pyspiel
    import dunaia_env.envs.open_spiel

    game = pyspiel.load_game("python_dunaia(players=3,elites=true)")

Every draw of the rules is a chance node of its own, with equally likely outcomes ``0..n-1``: in the set-up the elders,
prophecies, characters, tiles and dice one by one, later each die of a roll and each revealed tile. An action that draws
leads to its first chance node; what it does appears in the position after the last one. Decisions with one legal action
are applied by the rules and are no nodes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dunaia_env.game import DEFAULT_MAX_ROUNDS, GameState, check_max_rounds
from dunaia_env.games import DEFAULT_GAME
from dunaia_env.harness.chance import NeedsDraw, Tape
from dunaia_env.rewards import check_reward, exact_rewards

try:
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ImportError as error:
    raise ImportError("dunaia_env.envs.open_spiel needs OpenSpiel: pip install open_spiel") from error

PARAMETERS = {"players": 2, "elites": False, "max_rounds": DEFAULT_MAX_ROUNDS, "reward": "win", "components": ""}

GAME_TYPE = pyspiel.GameType(
    short_name="python_dunaia",
    long_name="Dunaïa",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=DEFAULT_GAME.max_players,
    min_num_players=DEFAULT_GAME.min_players,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=PARAMETERS,
)

CHANCE, TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)
Draws = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the game tree. Nothing in it is ever changed, so that copies of an OpenSpiel state share it."""

    state: GameState | None  # at the last decision or the end; None in the set-up
    action: int | None  # being applied; None in the set-up, at a decision and at the end
    draws: Draws  # what that action, or the set-up, has drawn so far, as (n, outcome)
    n: int  # number of outcomes of the draw asked for; 0 if none is
    player: int  # the deciding seat, CHANCE or TERMINAL

    def __deepcopy__(self, memo: dict[int, Any]) -> Node:
        return self

    def pending(self) -> str:
        """The draws in progress as text; empty if none are."""
        if not self.n:
            return ""
        cause = "set-up" if self.action is None else DEFAULT_GAME.action_text(self.action)
        return ", ".join([cause, *(draw_text(n, outcome) for n, outcome in self.draws), f"next draw of {self.n}"])


def decision_node(state: GameState) -> Node:
    """The node of a state at a decision or over."""
    return Node(state, None, (), 0, TERMINAL if state.is_over else state.seat)


def draw_text(n: int, outcome: int) -> str:
    """The text of a chance outcome: ``draw 3 of 6`` is outcome 3 of 0..5."""
    return f"draw {outcome} of {n}"


class DunaiaGame(pyspiel.Game):
    """The game; made by ``pyspiel.load_game``.

    Args:
        params: ``players`` (2..4), ``elites`` (play with elite characters), ``max_rounds`` (1..1000: a game that has
            not ended after so many is stopped and scored), ``reward`` ("win", "rank" or "score") and ``components``
            (path of a component file, "" for the project's own).

    Raises `ValueError` naming a parameter that is out of range; unknown ones and wrong types get OpenSpiel's own error.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        chosen = {**PARAMETERS, **(params or {})}
        players, allowed = chosen["players"], range(DEFAULT_GAME.min_players, DEFAULT_GAME.max_players + 1)
        if players not in allowed:
            raise ValueError(f"players: {players!r}; an integer in {allowed[0]}..{allowed[-1]} is needed")
        rounds, components = check_max_rounds(chosen["max_rounds"]), DEFAULT_GAME.load(chosen["components"] or None)
        self._options = {
            "num_players": players,
            "elites": chosen["elites"],
            "components": components,
            "max_rounds": rounds,
        }
        self._table = (players, components.hash, rounds)
        self._reward = check_reward(chosen["reward"])
        # One seat alone has points, as many as can be; one seat alone has none.
        bounds = DEFAULT_GAME.bounds(components, self._options)
        most, others, ranks = bounds.most_points, players - 1, list(range(1, players + 1))
        extremes = [self.final_returns(scores, ranks) for scores in ([most] + [0] * others, [most] * others + [0])]
        info = pyspiel.GameInfo(
            num_distinct_actions=DEFAULT_GAME.num_actions,
            max_chance_outcomes=bounds.outcomes,
            num_players=players,
            min_utility=min(map(min, extremes)),
            max_utility=max(map(max, extremes)),
            utility_sum=0.0,
            max_game_length=bounds.decisions,
        )
        self._most_draws = bounds.draws
        super().__init__(GAME_TYPE, info, chosen)
        self._start = self.follow(None, None, ())

    def max_chance_nodes_in_history(self) -> int:
        """A number of draws that no game exceeds."""
        return self._most_draws

    def new_initial_state(self, state: GameState | None = None) -> DunaiaState:
        """A new game before its first draw, or a copy of a `GameState` of this game: the history then begins there.

        Raises `ValueError` for a state of other players, components or ``max_rounds``.
        """
        if state is None:
            return DunaiaState(self, self._start)
        found = (state.num_players, state.components.hash, state.to_dict()["max_rounds"])
        if found != self._table:
            texts = ["{} players, rule set {}, max_rounds {}".format(*table) for table in (found, self._table)]
            raise ValueError(f"state: {texts[0]}; {texts[1]} are needed")
        return DunaiaState(self, decision_node(state.clone()))

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """The observer of positions; of the whole history for a type that asks for perfect recall."""
        if not iig_obs_type or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return DunaiaObserver(params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)

    def final_returns(self, scores: list[int], ranks: list[int]) -> list[float]:
        """The returns of a finished game, one for each seat, summing to zero."""
        given = np.array([scores]), np.array([ranks]), np.array([len(scores)])
        return list(map(float, exact_rewards(self._reward, *given)[0]))

    def follow(self, state: GameState | None, action: int | None, draws: Draws) -> Node:
        """The node after an action, or in the set-up for None, once it has drawn what is given."""
        try:
            if state is None or action is None:
                return decision_node(GameState.new(Tape(draws), **self._options))
            following = state.clone()
            following.apply(action, Tape(draws))
            return decision_node(following)
        except NeedsDraw as question:
            return Node(state, action, draws, question.n, CHANCE)


class DunaiaState(pyspiel.State):
    """A decision, a draw or the end; made by `DunaiaGame.new_initial_state`."""

    def __init__(self, game: DunaiaGame, node: Node) -> None:
        super().__init__(game)
        self.node = node  # the only attribute: OpenSpiel copies and pickles each

    @property
    def game_state(self) -> GameState | None:
        """A copy of the `GameState` at the last decision or the end; None in the set-up."""
        return None if self.node.state is None else self.node.state.clone()

    # From here on what OpenSpiel asks of every sequential game with chance, in its usual order.

    def current_player(self) -> int:
        """The deciding seat, or OpenSpiel's numbers for chance (-1) and the end (-4)."""
        return self.node.player

    def _legal_actions(self, player: int) -> list[int]:
        return [] if self.node.state is None else self.node.state.legal_actions()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of the draw with their probabilities."""
        return [(outcome, 1 / self.node.n) for outcome in range(self.node.n)]

    def _apply_action(self, action: int) -> None:
        node = self.node
        following = (node.action, (*node.draws, (node.n, action))) if node.n else (action, ())
        self.node = self.get_game().follow(node.state, *following)

    def _action_to_string(self, player: int, action: int) -> str:
        return draw_text(self.node.n, action) if player == CHANCE else DEFAULT_GAME.action_text(action)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.node.player == TERMINAL

    def returns(self) -> list[float]:
        """The return of each seat; zero until the end."""
        state = self.node.state
        if state is None or not state.is_over:
            return [0.0] * self.num_players()
        return list(self.get_game().final_returns(state.scores(), state.ranks()))

    def __str__(self) -> str:
        state, parts = self.node.state, [self.node.pending()]
        if state is not None:
            # The description leaves out, say, moves left and which of two like tiles it is; the digest does not.
            digest = hashlib.sha256(state.to_bytes()).hexdigest()[:16]
            parts = [DEFAULT_GAME.describe(state.to_dict(), state.components), f"Position {digest}", *parts]
        return "\n".join(part for part in parts if part)


class DunaiaObserver:
    """What a seat sees. While an action draws, the tensor stays as it was; the string tells the draws so far.

    Attributes:
        tensor: float32 ``(OBSERVATION_SIZE,)``, about 0..1: the observation at the last decision; zero in the set-up.
        dict: the tensor under the name "observation".
    """

    def __init__(self, params: Any) -> None:
        if params:
            raise ValueError(f"observer parameters: {params!r}; none are known")
        self.tensor = np.zeros(DEFAULT_GAME.observation_size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: DunaiaState, player: int) -> None:
        """Write what a seat sees into the tensor."""
        last = state.node.state
        self.tensor[:] = 0 if last is None else last.observation(player) / DEFAULT_GAME.observation_scale

    def string_from(self, state: DunaiaState, player: int) -> str:
        """What a seat sees, as JSON: the observer, the state dictionary and the draws in progress."""
        position = None if state.node.state is None else state.node.state.to_dict()
        return json.dumps({"observer": player, "position": position, "draws": state.node.pending()})


pyspiel.register_game(GAME_TYPE, DunaiaGame)

"""Games as OpenSpiel games with explicit chance nodes.

Importing this module registers the games of the library; `register` registers any other game::

    import pyspiel
    import dunaia_env.envs.open_spiel

    game = pyspiel.load_game("python_dunaia(players=3)")

Every random draw of the rules is a chance node of its own, with equally likely outcomes ``0..n-1``: each draw of the
set-up, and for example each die of a roll. An action with draws leads to its first chance node, and its effects appear
in the position after the last chance node. A decision with one legal action is applied by the rules and has no node.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from dunaia_env.games import DEFAULT_NAME, FOR_STUDIES, GAMES
from dunaia_env.harness import chance_nodes
from dunaia_env.harness.chance_nodes import CHANCE, TERMINAL, Node, Past, draw_text, recalled, visible
from dunaia_env.harness.compiled.rewards import check_reward, exact_rewards
from dunaia_env.harness.game import Game
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.harness.parameters import options_of, parameters_of
from dunaia_env.harness.registry import find_game
from dunaia_env.harness.state import GameState

try:
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ImportError as error:
    raise ImportError("dunaia_env.envs.open_spiel needs OpenSpiel: pip install open_spiel") from error


class OpenSpielGame(pyspiel.Game):
    """A game for OpenSpiel; `register` creates a subclass for each game, and ``pyspiel.load_game`` creates the objects.

    Args:
        params: ``players`` and the game's other options, ``reward`` ("win", "rank" or "score") and ``components`` (path
            of a component file, "" for the game's own). Options are written as by `parameters_of`.

    Raises `ValueError` naming a parameter that is out of range; OpenSpiel checks the names and types of parameters.
    """

    game: ClassVar[Game]
    kind: ClassVar[pyspiel.GameType]

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        game, options = self.game, options_of(self.game, params or {})
        chosen = {**self.kind.parameter_specification, **(params or {}), **parameters_of(game, options)}
        players, components = options[NUM_PLAYERS], game.load(chosen["components"] or None)
        self.settings = {"game": game, "components": components, **options}
        self._reward = check_reward(chosen["reward"])
        bounds = game.bounds(components, options)
        # The extreme returns: one seat has the most possible points and all others the fewest, or the reverse.
        most, least, ranks = bounds.most_points, bounds.least_points, list(range(1, players + 1))
        ends = [most] + [least] * (players - 1), [most] * (players - 1) + [least]
        extremes = [self.final_returns(scores, ranks) for scores in ends]
        info = pyspiel.GameInfo(
            num_distinct_actions=game.num_actions,
            max_chance_outcomes=bounds.outcomes,
            num_players=players,
            min_utility=min(map(min, extremes)),
            max_utility=max(map(max, extremes)),
            utility_sum=0.0,
            max_game_length=bounds.decisions,
        )
        self._most_draws = bounds.draws
        super().__init__(self.kind, info, chosen)
        self._start = chance_nodes.follow(self.settings, None, None, ())

    def max_chance_nodes_in_history(self) -> int:
        """An upper bound on the number of draws in a game."""
        return self._most_draws

    def new_initial_state(self, state: GameState | None = None) -> OpenSpielState:
        """The state before the first draw of a new game, or one that begins at a copy of a `GameState` of this game.

        Raises `ValueError` for a state with another number of players, other components, or other options; only options
        that are in the state dictionary, or in its entry ``options``, are compared.
        """
        if state is None:
            return OpenSpielState(self, self._start)
        return OpenSpielState(self, chance_nodes.node_of(self.settings, state))

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """An observer of positions, or of a seat's whole history if the type asks for perfect recall.

        In a game with hidden information, raises `ValueError` for a type other than public and one player's private
        information.
        """
        if not self.game.perfect_information and iig_obs_type:
            if not iig_obs_type.public_info or iig_obs_type.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
                raise ValueError(f"observer: expected public and one player's private information, got {iig_obs_type}")
            if iig_obs_type.perfect_recall:
                return RecallObserver(self.game, params)
        if not iig_obs_type or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return PositionObserver(self.game, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)

    def final_returns(self, scores: list[int], ranks: list[int]) -> list[float]:
        """The returns of a finished game, one for each seat, summing to zero."""
        given = np.array([scores]), np.array([ranks]), np.array([len(scores)])
        return list(map(float, exact_rewards(self._reward, *given)[0]))

    def __reduce__(self) -> tuple[Any, ...]:
        return _load, (str(self),)


def _load(text: str) -> Any:
    """A game from its text; in this module, so that a process that unpickles a game registers the library's games."""
    return pyspiel.load_game(text)


class OpenSpielState(pyspiel.State):
    """A decision node, a chance node or the end of a game; created by `OpenSpielGame.new_initial_state`."""

    def __init__(self, game: OpenSpielGame, node: Node, past: Past | None = None) -> None:
        super().__init__(game)
        # OpenSpiel copies and pickles every attribute, so there are only these.
        self.start, self.node, self.past = node, node, past

    @property
    def game_state(self) -> GameState | None:
        """A copy of the `GameState` at the last decision or at the end; None during the set-up."""
        return None if self.node.state is None else self.node.state.clone()

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> OpenSpielState:
        """A random state in which a seat knows what it knows here, for searches such as IS-MCTS.

        In a game of perfect information it is a copy. Otherwise its history is empty, the seat's information state is
        that of this state, and the other seats' information states begin anew.

        Args:
            player: the seat, 0..num_players-1.
            sampler: returns a random number in 0..1, like ``pyspiel.UniformProbabilitySampler(0.0, 1.0)``.

        Raises `ValueError` while draws are in progress.
        """
        if self.get_game().game.perfect_information:
            copy: OpenSpielState = self.clone()
            return copy
        node = chance_nodes.resampled(self.node, player, int(sampler() * 2**53))
        return OpenSpielState(self.get_game(), node, Past(player, self.start, tuple(self.history()), self.past))

    # The methods below are those that OpenSpiel requires of every sequential game with chance, in its usual order.

    def current_player(self) -> int:
        """The deciding seat, or OpenSpiel's numbers for chance (-1) and the end (-4)."""
        return self.node.player

    def _legal_actions(self, player: int) -> list[int]:
        return [] if self.node.state is None else self.node.state.legal_actions()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of the draw with their probabilities."""
        return [(outcome, 1 / self.node.n) for outcome in range(self.node.n)]

    def _apply_action(self, action: int) -> None:
        self.node = chance_nodes.step(self.get_game().settings, self.node, action)

    def _action_to_string(self, player: int, action: int) -> str:
        return draw_text(self.node.n, action) if player == CHANCE else self.get_game().game.action_text(action)

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
            # Two different positions may have the same description, but not the same digest.
            digest = hashlib.sha256(state.to_bytes()).hexdigest()[:16]
            parts = [state.game.describe(state.to_dict(), state.components), f"Position {digest}", *parts]
        return "\n".join(part for part in parts if part)


class PositionObserver:
    """Observes what a seat sees. At chance nodes the tensor does not change, and the string contains the draws so far.

    Attributes:
        tensor: float32 ``(observation_size,)``, about 0..1: the observation at the last decision, zero in the set-up.
        dict: the tensor under the name "observation".
    """

    def __init__(self, game: Game, params: Any) -> None:
        if params:
            raise ValueError(f"observer parameters: {params!r}; none are allowed")
        self._game, self.tensor = game, np.zeros(game.observation_size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Write what a seat sees into the tensor."""
        last = state.node.state
        self.tensor[:] = 0 if last is None else last.observation(player) / last.game.observation_scale

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """What a seat sees, as JSON: the seat, its view of the state dictionary, and the draws in progress."""
        return json.dumps(visible(state.node, player, shows_draws=self._game.perfect_information))


class RecallObserver(PositionObserver):
    """Observes what a seat of a hidden-information game has seen and done; the tensor has only what it sees now."""

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """JSON with what the seat saw, each time that it changed, and the numbers of its own actions."""
        settings, history = state.get_game().settings, state.history()
        return json.dumps(recalled(settings, state.start, history, player, state.past, state.node))


def register(game: Game) -> type[OpenSpielGame]:
    """Register a game for ``pyspiel.load_game`` under ``python_`` followed by its name; returns the game's class."""
    kinds = pyspiel.GameType.Information
    information = kinds.PERFECT_INFORMATION if game.perfect_information else kinds.IMPERFECT_INFORMATION
    kind = pyspiel.GameType(
        short_name=f"python_{game.name}",
        long_name=game.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=information,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=game.max_players,
        min_num_players=game.min_players,
        provides_information_state_string=True,
        provides_information_state_tensor=not game.perfect_information,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={**parameters_of(game), "reward": "win", "components": ""},
    )
    game_class = type("OpenSpielGame", (OpenSpielGame,), {"game": game, "kind": kind})
    pyspiel.register_game(kind, game_class)
    return game_class


_CLASSES = {name: register(find_game(name)) for name in GAMES if name not in FOR_STUDIES}
DunaiaGame = _CLASSES[DEFAULT_NAME]

"""The battle for OpenSpiel, small and fast enough for its exact algorithms.

Importing this module registers the game::

    import pyspiel
    from open_spiel.python.algorithms import exploitability
    import training.benchmark.battle.open_spiel

    game = pyspiel.load_game("python_dune_battle")
"""

from __future__ import annotations

import json
from typing import Any

import pyspiel

from dunaia_env.envs.open_spiel import OpenSpielGame, OpenSpielState, PositionObserver
from dunaia_env.harness.parameters import parameters_of
from dunaia_env.harness.state import GameState
from training.benchmark.battle.game import GAME, RARITY


class BattleGame(OpenSpielGame):
    """The battle. A return is the number of points that a seat has more than the other one, in spice."""

    game = GAME
    kind = pyspiel.GameType(
        short_name=f"python_{GAME.name}",
        long_name=GAME.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={**parameters_of(GAME), "reward": "score", "components": ""},
    )

    def __init__(self, params: Any = None) -> None:
        super().__init__(params)
        self._texts: dict[tuple[int, bytes], str] = {}

    def new_initial_state(self, state: GameState | None = None) -> BattleState:
        """See `OpenSpielGame.new_initial_state`."""
        return BattleState(self, super().new_initial_state(state).node)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """An observer of what a seat knows; in a battle, that includes everything that the seat saw and did before."""
        super().make_py_observer(iig_obs_type, params)  # refuses what a seat of this game cannot observe
        return KnowledgeObserver(self._texts, params)

    def final_returns(self, scores: list[int], ranks: list[int]) -> list[float]:
        """The returns of a finished game: the margins of the scores."""
        return [float(scores[0] - scores[1]), float(scores[1] - scores[0])]


class BattleState(OpenSpielState):
    """A position of the battle. Outcomes of a draw that have the same effect are one outcome."""

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of the draw with their probabilities; a traitor is the enemy's leader or not."""
        if self.node.n == RARITY:
            return [(0, 1 / RARITY), (1, 1 - 1 / RARITY)]
        return super().chance_outcomes()


class KnowledgeObserver(PositionObserver):
    """Observes what a seat knows. A text is written once for each observation of a seat."""

    def __init__(self, texts: dict[tuple[int, bytes], str], params: Any) -> None:
        super().__init__(GAME, params)
        self._texts = texts

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """What a seat knows, as JSON: the seat and its view of the state dictionary, empty before the deal."""
        position = state.node.state
        if position is None:
            return json.dumps({"observer": player, "position": None})
        key = player, position.observation(player).tobytes() + bytes([position.is_over])
        if key not in self._texts:
            self._texts[key] = json.dumps({"observer": player, "position": position.known_to(player)})
        return self._texts[key]


pyspiel.register_game(BattleGame.kind, BattleGame)

"""The luck of each player of a game, measured in win shares: the control variate of the arena.

After every action with a chance outcome, the estimated win shares after the actual outcome are compared with those
after all possible outcomes (`dunaia_env.harness.compiled.luck`). The sum over a game has mean zero however the players
play. The more of a result it explains, the fewer games a comparison needs. Backgammon programs adjust results for luck
in this way, and so does AIVAT (Burch, Schmid, Moravcik, Morrill, Bowling: "AIVAT: a new variance reduction technique
for agent evaluation in imperfect information games", AAAI 2018); here only chance events are adjusted for.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness import opponents, registry
from dunaia_env.harness.compiled.luck import write_luck
from dunaia_env.harness.game import Game
from dunaia_env.harness.lanes import Lanes

# Turns that greedy players play after an outcome before the position is evaluated; measured in docs/results/table.md.
TURNS = 7


def can_value(game: Game) -> bool:
    """Whether `EvaluationValuer` can measure luck in a game."""
    return game.entry_points.has_evaluation


class EvaluationValuer:
    """Measures luck with the win shares of the game's evaluation.

    Args:
        weights: data file of the evaluation; None for the game's own.
        game: the game in which luck is measured.

    Attributes:
        name: the valuer's name in runs of the arena.
    """

    name = "evaluation"

    def __init__(self, weights: str | None = None, *, game: Game = registry.DEFAULT_GAME) -> None:
        self._game = game
        self._weights = opponents.load_weights(game, weights)

    def luck(self, lanes: Lanes, actions: NDArray[np.int32], selected: NDArray[np.int64]) -> NDArray[np.float64]:
        """The luck of each seat in the chance outcomes of some actions.

        Args:
            lanes: lanes in which the actions have not been applied yet.
            actions: int32 ``(len(selected),)``, legal actions.
            selected: int64, the actions' lanes, all different.

        Returns:
            float64 ``(len(selected), largest number of players in these lanes)``, in win shares; each row sums to 0.
        """
        if lanes.game is not self._game:
            raise ValueError(f"luck: expected lanes of {self._game.name}, got those of {lanes.game.name}")
        luck = np.zeros((len(selected), lanes.max_players))
        lanes.call_kernel(write_luck, self._weights, TURNS, selected, actions, luck)
        return luck[:, : int(lanes.num_players[selected].max(initial=0))]


def load(game: Game) -> EvaluationValuer:
    """The arena's default valuer."""
    return EvaluationValuer(game=game)

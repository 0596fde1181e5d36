"""What chance gave to each player of a game, measured in win shares: the control variate of the arena.

After every action on which chance decides something, the win shares that what came out leads to are compared with
those of what could have come out (`dunaia_env.harness.compiled.luck`). The sum over a game has mean zero whatever the
players do, and the more of a result it explains, the fewer games a comparison needs. The idea is that of backgammon
programs' luck-adjusted results and of AIVAT (Burch, Schmid, Moravcik, Morrill, Bowling: "AIVAT: a new variance
reduction technique for agent evaluation in imperfect information games", AAAI 2018), for chance events alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.compiled.luck import write_luck
from dunaia_env.harness.game import Game
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.opponents import load_weights
from dunaia_env.harness.registry import DEFAULT_GAME

# Turns of greedy players in which an outcome can show before it is valued; docs/results_log.md says what they explain.
TURNS = 7


def can_value(game: Game) -> bool:
    """Whether `EvaluationValuer` can measure what chance gives in a game."""
    return game.entry_points.has_evaluation


class EvaluationValuer:
    """Measures luck with the win shares of the hand-written evaluation.

    Args:
        weights: data file of the evaluation; the game's own for None.
        game: in which luck is measured.

    Attributes:
        name: how runs of the arena call it.
    """

    name = "evaluation"

    def __init__(self, weights: str | None = None, *, game: Game = DEFAULT_GAME) -> None:
        self._game = game
        self._weights = load_weights(game, weights)

    def luck(self, lanes: Lanes, actions: NDArray[np.int32], selected: NDArray[np.int64]) -> NDArray[np.float64]:
        """What chance is about to give each seat.

        Args:
            lanes: games in which the actions have not been applied yet.
            actions: int32 ``(len(selected),)``, legal.
            selected: different lanes.

        Returns:
            float64 ``(len(selected), most players of these lanes)``, in win shares; each row sums to 0.
        """
        if lanes.game is not self._game:
            raise ValueError(f"luck: measured in {self._game.name} only, not in {lanes.game.name}")
        luck = np.zeros((len(selected), lanes.max_players))
        lanes.call_kernel(write_luck, self._weights, TURNS, selected, actions, luck)
        return luck[:, : int(lanes.num_players[selected].max(initial=0))]


def load(game: Game) -> EvaluationValuer:
    """The valuer that the arena uses unless it is told otherwise."""
    return EvaluationValuer(game=game)

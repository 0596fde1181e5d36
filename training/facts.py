"""What a network is told about a game, and what it returns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from dunaia_env.harness.dealing import named_tables, tables
from dunaia_env.harness.game import Game
from dunaia_env.harness.registry import find_game


class GameFacts(NamedTuple):
    """What a network needs to know about the game and its tables.

    Attributes:
        game: the game.
        input_scale: float32 ``(inputs,)``, the numbers by which observations are divided.
        num_actions: number of actions.
        seats: number of seats of the largest table.
    """

    game: Game
    input_scale: Tensor
    num_actions: int
    seats: int


def facts_of(game: Game, seats: int) -> GameFacts:
    """The facts for tables of up to ``seats`` seats; the last inputs, always zero at such tables, are left out."""
    scale = np.array(game.observation_scale[: int(game.used_size(seats))], np.float32)
    return GameFacts(game, torch.from_numpy(scale), game.num_actions, seats)


def tables_of(arguments: Any) -> list[dict[str, Any]]:
    """The options of each kind of table of a run, the number of players first; lane i is of kind ``i % len(kinds)``.

    Args:
        arguments: see `training.ppo.PPOArguments`; those of `training.arguments` may name the tables.
    """
    game, names = find_game(arguments.game), getattr(arguments, "tables", ())
    return named_tables(game, names) if names else tables(game, arguments.players, arguments.game_options)


class Estimates(NamedTuple):
    """A network's output for N positions; column e is about the seat that sits e places after the deciding one.

    Attributes:
        logits: float32 ``(N, actions)`` of the policy; illegal actions are masked out later.
        values: float32 ``(N, seats)``, the expected reward of each seat; 0 for absent seats.
        scores: float32 ``(N, seats)``, the expected final score of each seat / `SCORE_UNIT`; 0 for absent seats.
    """

    logits: Tensor
    values: Tensor
    scores: Tensor

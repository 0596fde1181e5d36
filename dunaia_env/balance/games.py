"""The games of a condition as arrays, and the file that holds them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.compiled.rewards import exact_shares
from dunaia_env.support.array_files import ArrayFileError, read_arrays, write_arrays
from dunaia_env.support.messages import shorten

FORMAT, SCHEMA = "dunaia-balance-games", 1
# Number of rounds at whose start scores are recorded.
CURVE_ROUNDS = 60

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Games:
    """G finished games at tables of S seats, in a game with E events, sorted by block and order.

    Attributes:
        block: int32 ``(G,)``, number of the block.
        order: int16 ``(G,)``, the game's number in its block.
        roles: int8 ``(G, S)``, the role of each seat, -1 for none.
        ranks: int8 ``(G, S)``, from 1; equal players share a rank.
        scores: int32 ``(G, S)``.
        rounds: int16 ``(G,)``, number of rounds played.
        stopped: bool ``(G,)``, whether the game was stopped at its round limit.
        decisions: int32 ``(G,)``, number of decisions of all seats together.
        curve: int16 ``(G, CURVE_ROUNDS, S)``, scores as if the game had ended at the start of round 1, 2, …; rounds
            after the end repeat the final scores.
        uses: int16 ``(G, S)``, number of times that a seat used its role's power.
        offered: uint16 ``(G, S)``, set of the roles (bit r for role r) from which a seat chose its own; 0 without a
            draft.
        events: int16 ``(G, S, E)``, number of times that a seat caused each event.
        first_round: int16 ``(G, S, E)``, the round in which a seat first caused each event; 0 for never.
        first_seat: int8 ``(G, E)``, the seat that caused each event first; -1 for nobody.
    """

    block: NDArray[np.int32]
    order: NDArray[np.int16]
    roles: NDArray[np.int8]
    ranks: NDArray[np.int8]
    scores: NDArray[np.int32]
    rounds: NDArray[np.int16]
    stopped: NDArray[np.bool_]
    decisions: NDArray[np.int32]
    curve: NDArray[np.int16]
    uses: NDArray[np.int16]
    offered: NDArray[np.uint16]
    events: NDArray[np.int16]
    first_round: NDArray[np.int16]
    first_seat: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.block)

    @property
    def seats(self) -> int:
        """S, the number of seats."""
        return int(self.ranks.shape[1])

    @property
    def shares(self) -> Floats:
        """float64 ``(G, S)``: each seat's share of the win, which the players of rank 1 split."""
        return exact_shares(self.ranks)

    @property
    def margins(self) -> Floats:
        """float64 ``(G, S)``: a seat's score minus the mean of the other seats' scores."""
        scores = self.scores.astype(np.float64)
        others = (scores.sum(axis=1, keepdims=True) - scores) / (self.seats - 1)
        return np.asarray(scores - others, np.float64)

    def of_blocks(self, first: int, last: int) -> Games:
        """The games of the blocks ``first`` to ``last - 1``."""
        return self[(self.block >= first) & (self.block < last)]

    def __getitem__(self, chosen: NDArray[Any]) -> Games:
        """The games that a mask or indices select."""
        return Games(**{field.name: getattr(self, field.name)[chosen] for field in fields(self)})


def joined(parts: Iterable[Games]) -> Games:
    """Join parts into one, with all games sorted by block and order; at least one part is needed."""
    parts = list(parts)
    whole = Games(**{one.name: np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(Games)})
    return whole[np.lexsort((whole.order, whole.block))]


def write_games(path: str | os.PathLike[str], games: Games, header: dict[str, Any]) -> None:
    """Write games atomically, with a header that describes them."""
    arrays = {field.name: getattr(games, field.name) for field in fields(games)}
    write_arrays(path, arrays, {"format": FORMAT, "schema": SCHEMA} | header)


def read_games(path: str | os.PathLike[str]) -> tuple[Games, dict[str, Any]]:
    """Read games and their header; raises `ArrayFileError` naming what is wrong."""
    arrays, header = read_arrays(path, kind=FORMAT, schema=SCHEMA)
    names = [field.name for field in fields(Games)]
    if set(arrays) != set(names):
        different = min(set(arrays) ^ set(names))
        raise ArrayFileError(f"{path}: {shorten(different)} is {'unknown' if different in arrays else 'missing'}")
    lengths = {len(array) for array in arrays.values()}
    if len(lengths) != 1:
        raise ArrayFileError(f"{path}: arrays of {sorted(lengths)} games; all have to hold the same games")
    return Games(**arrays), header

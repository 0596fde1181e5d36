"""The games of a condition as arrays, and the file that holds them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.compiled import entry_points, rewards
from dunaia_env.harness.roles import NOBODY
from dunaia_env.support import array_files, messages
from dunaia_env.support.array_files import ArrayFileError

# Files of schema 1 have no checksum.
FORMAT, SCHEMA = "dunaia-balance-games", 2
# Number of rounds at whose start scores are recorded.
CURVE_ROUNDS = 60

Floats = NDArray[np.float64]

# The type and the dimensions of each array: G games, K recorded rounds, S seats, E events.
_LAYOUT: dict[str, tuple[type[np.generic], str]] = {
    "block": (np.int32, "G"),
    "order": (np.int16, "G"),
    "roles": (np.int8, "GS"),
    "ranks": (np.int8, "GS"),
    "scores": (np.int32, "GS"),
    "rounds": (np.int16, "G"),
    "stopped": (np.bool_, "G"),
    "decisions": (np.int32, "G"),
    "curve": (np.int16, "GKS"),
    "uses": (np.int16, "GS"),
    "offered": (np.uint16, "GS"),
    "events": (np.int16, "GSE"),
    "first_round": (np.int16, "GSE"),
    "first_seat": (np.int8, "GE"),
}


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
        return rewards.exact_shares(self.ranks)

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
    whole = Games(
        **{field.name: np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Games)}
    )
    return whole[np.lexsort((whole.order, whole.block))]


def write_games(path: str | os.PathLike[str], games: Games, header: dict[str, Any]) -> None:
    """Write games atomically, with a header that describes them and a checksum of all."""
    arrays = {field.name: getattr(games, field.name) for field in fields(games)}
    content = {"format": FORMAT, "schema": SCHEMA} | header
    array_files.write_arrays(path, arrays, content | {array_files.CHECKSUM: array_files.checksum_of(arrays, content)})


def read_games(path: str | os.PathLike[str]) -> tuple[Games, dict[str, Any]]:
    """Read games and their header.

    Raises `ArrayFileError` naming what is wrong: a checksum that differs, an array of another type or shape, or numbers
    that contradict each other.
    """
    arrays, header = array_files.read_arrays(path, kind=FORMAT, schema=SCHEMA)
    if header["schema"] > 1 or array_files.CHECKSUM in header:
        array_files.check_checksum(path, arrays, header)
    names = [field.name for field in fields(Games)]
    if set(arrays) != set(names):
        different = min(set(arrays) ^ set(names))
        raise ArrayFileError(
            f"{path}: {messages.shorten(different)} is {'unknown' if different in arrays else 'missing'}"
        )
    sizes = {"K": CURVE_ROUNDS}
    for name in names:
        array, (kind, dimensions) = arrays[name], _LAYOUT[name]
        if array.dtype != kind or array.ndim != len(dimensions):
            found = f"{array.dtype} of {array.ndim} dimensions"
            raise ArrayFileError(f"{path}: {name}: expected {np.dtype(kind)} of {len(dimensions)}, got {found}")
        for size, dimension in zip(array.shape, dimensions, strict=True):
            if sizes.setdefault(dimension, size) != size:
                needed = tuple(sizes.get(dimension, "any") for dimension in dimensions)
                raise ArrayFileError(
                    f"{path}: {name}: expected {messages.shorten(needed)}, as elsewhere, got shape {array.shape}"
                )
    games = Games(**arrays)
    for problem in _problems(games):
        raise ArrayFileError(f"{path}: {problem}")
    return games, header


def _problems(games: Games) -> Iterator[str]:
    """What is wrong with the numbers of some games, beginning with the name of the array."""
    if not 2 <= games.seats <= entry_points.MOST_SEATS:
        yield f"ranks: expected 2..{entry_points.MOST_SEATS} seats, got {games.seats}"
        return
    for name in ("block", "order", "rounds", "decisions", "uses", "events", "first_round"):
        if len(games) and (least := getattr(games, name).min(initial=0)) < 0:
            yield f"{name}: expected at least 0, got {least}"
    if ((games.first_seat < NOBODY) | (games.first_seat >= games.seats)).any():
        yield f"first_seat: expected {NOBODY}..{games.seats - 1}, got another"
    if (games.roles < NOBODY).any():
        yield f"roles: expected at least {NOBODY}, got {games.roles.min()}"
    yield from wrong_ranks(games, scores_decide=False)
    if ((games.events > 0) != (games.first_round > 0)).any():
        yield "first_round: contradicts the number of times that seats caused the event"
    if ((games.first_seat == NOBODY) != (games.events == 0).all(axis=1)).any():
        yield "first_seat: contradicts the number of times that seats caused the event"


def wrong_ranks(games: Games, *, scores_decide: bool) -> Iterator[str]:
    """What is wrong with the ranks of some games, if anything.

    Args:
        games: the games.
        scores_decide: whether ranks follow from scores, see `dunaia_env.harness.game.Game.scores_decide`; the recorded
            ranks decide between equal scores. Otherwise ranks only have to be ranks.
    """
    scores, ranks = games.scores, games.ranks
    ahead = ranks[:, :, None] < ranks[:, None, :]
    if scores_decide:
        equal = scores[:, :, None] == scores[:, None, :]
        ahead = (scores[:, :, None] > scores[:, None, :]) | (equal & ahead)
    if len(wrong := np.flatnonzero((ranks != 1 + ahead.sum(axis=1)).any(axis=1))):
        row = int(wrong[0])
        contradicted = f"contradict its scores {scores[row].tolist()}" if scores_decide else "are no ranks"
        yield f"ranks: {ranks[row].tolist()} of game {row} {contradicted}"

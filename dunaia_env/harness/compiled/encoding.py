"""How a game numbers its actions and lays out its observations: tables from which everything else derives.

A game declares its actions as an `ActionTable` and its observation as an `ObservationLayout`. Numbers, texts, sizes,
slices, scales and hashes follow from the two. The kernels are compiled with these numbers as constants.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from dunaia_env.support import hashing, messages


@dataclass(frozen=True)
class Argument:
    """An argument of a verb: its name and its ``count`` values from ``first`` upwards."""

    name: str
    first: int
    count: int

    def __str__(self) -> str:
        return f"{self.name} {self.first}..{self.first + self.count - 1}"


@dataclass(frozen=True)
class Verb:
    """A row of an action table: the actions ``first .. first + count - 1``, where the last argument varies fastest."""

    name: str
    arguments: tuple[Argument, ...]
    meaning: str
    first: int
    count: int


class ActionTable(Sequence[Verb]):
    """The actions of a game, one row for each verb; as a sequence, the rows.

    An action is a number in ``0..size - 1``. Its text is the verb and its arguments, separated by spaces.

    Args:
        rows: name, arguments and meaning of each verb, in the order of their actions.

    Attributes:
        size: number of actions.
        texts: the text of each action.
        verb_of: for each action, the index of its verb: int16 ``(size,)``.
        arguments: for each action, its arguments counted from 0: int16 ``(size, most arguments)``, 0 for missing ones.
        hash: 16 hexadecimal digits that identify the texts and their order.
    """

    def __init__(self, rows: Iterable[tuple[str, tuple[Argument, ...], str]]) -> None:
        verbs: list[Verb] = []
        first = 0
        for name, arguments, meaning in rows:
            verbs.append(Verb(name, arguments, meaning, first, math.prod(argument.count for argument in arguments)))
            first += verbs[-1].count
        self._verbs = tuple(verbs)
        self._by_name = {verb.name: verb for verb in verbs}
        self.size = first
        self.verb_of: NDArray[np.int16] = np.repeat(
            np.arange(len(verbs), dtype=np.int16), [verb.count for verb in verbs]
        )
        self.arguments: NDArray[np.int16] = np.zeros((first, max(len(verb.arguments) for verb in verbs)), np.int16)
        texts: list[str] = []
        for verb in verbs:
            for values in itertools.product(*(range(argument.count) for argument in verb.arguments)):
                self.arguments[len(texts), : len(values)] = values
                shown = (argument.first + value for argument, value in zip(verb.arguments, values, strict=True))
                texts.append(" ".join([verb.name, *map(str, shown)]))
        self.texts = tuple(texts)
        self._numbers = {text: number for number, text in enumerate(texts)}
        self.hash = hashing.hash_of(texts)

    def __len__(self) -> int:
        return len(self._verbs)

    @overload
    def __getitem__(self, index: int) -> Verb: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Verb, ...]: ...
    def __getitem__(self, index: int | slice) -> Verb | tuple[Verb, ...]:
        return self._verbs[index]

    def verb(self, name: str) -> Verb:
        """The row of a verb; raises `KeyError` for an unknown verb."""
        return self._by_name[name]

    def first(self, name: str) -> int:
        """The first action of a verb; raises `KeyError` for an unknown verb."""
        return self._by_name[name].first

    def text(self, action: int) -> str:
        """The canonical text of an action; raises `ValueError` for a number that is no action."""
        if not 0 <= action < self.size:
            raise ValueError(f"action: expected a number in 0..{self.size - 1}, got {action}")
        return self.texts[action]

    def parse(self, text: str) -> int:
        """The action with a text; raises `ValueError` naming what is wrong and what is allowed."""
        words = text.split()
        number = self._numbers.get(" ".join(words))
        if number is not None:
            return number
        if not words or words[0] not in self._by_name:
            raise ValueError(
                f"action: expected one of the verbs {', '.join(self._by_name)}, got {messages.shorten(text)}"
            )
        wanted = ", ".join(map(str, self._by_name[words[0]].arguments))
        raise ValueError(f"action {messages.shorten(text)}: {words[0]} takes {wanted or 'no argument'}")


PieceRow = tuple[str, tuple[int, ...], int, str]
"""Name, shape, scale and meaning of a piece."""


@dataclass(frozen=True)
class Piece:
    """A named part of an observation: ``shape`` numbers from index ``first``, about 0..1 when divided by ``scale``."""

    name: str
    shape: tuple[int, ...]
    scale: int
    meaning: str
    first: int

    @property
    def size(self) -> int:
        """Number of entries."""
        return math.prod(self.shape)


class ObservationLayout(Sequence[Piece]):
    """The named pieces of a game's observation, one after the other; as a sequence, the pieces.

    Args:
        blocks: a prefix and the rows of the pieces whose names begin with it, in the order of their entries.

    Attributes:
        pieces: the pieces by their names.
        size: number of entries.
        scale: what to divide each entry by: float32 ``(size,)``.
        hash: 16 hexadecimal digits that identify names, shapes and scales.
    """

    def __init__(self, blocks: Iterable[tuple[str, Iterable[PieceRow]]]) -> None:
        pieces: list[Piece] = []
        size = 0
        for prefix, rows in blocks:
            for name, shape, scale, meaning in rows:
                pieces.append(Piece(f"{prefix}{name}", shape, scale, meaning, size))
                size += pieces[-1].size
        self._pieces = tuple(pieces)
        self.pieces = {piece.name: piece for piece in pieces}
        self.size = size
        self.scale: NDArray[np.float32] = np.repeat(
            np.array([piece.scale for piece in pieces], np.float32), [piece.size for piece in pieces]
        )
        self.hash = hashing.hash_of([(piece.name, piece.shape, piece.scale) for piece in pieces])

    def __len__(self) -> int:
        return len(self._pieces)

    @overload
    def __getitem__(self, index: int) -> Piece: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Piece, ...]: ...
    def __getitem__(self, index: int | slice) -> Piece | tuple[Piece, ...]:
        return self._pieces[index]

    def first(self, name: str) -> int:
        """Index of the first entry of a piece; raises `KeyError` for an unknown name."""
        return self.pieces[name].first

    def pieces_of(self, observation: NDArray[np.int8]) -> dict[str, NDArray[np.int8]]:
        """The pieces of observations of shape ``(..., size)``, by name: views with the shapes of the layout."""
        leading = observation.shape[:-1]
        return {
            piece.name: observation[..., piece.first : piece.first + piece.size].reshape(leading + piece.shape)
            for piece in self
        }

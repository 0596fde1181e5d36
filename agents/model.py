"""What all networks of model files have in common: checked weights, a header, and outputs for observations."""

from __future__ import annotations

import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.lineage import Ancestor, Lineage
from dunaia_env.support.array_files import Arrays, write_arrays
from dunaia_env.support.messages import shorten

MODEL_FORMAT = "dunaia-network"
MODEL_SCHEMA = 1
# Keys of a header: of the ancestors (see `lineage_of`), and, within "weights", of the digest of the weights before they
# were converted to half precision.
BEGAN_WITH, TRAINED = "began_with", "trained"
# Observations are int8. The largest output allowed is far beyond every use and within the range of single precision.
LARGEST_INPUT, LARGEST_OUTPUT = 128.0, 1e38

Floats = NDArray[np.float32]
Bounds = NDArray[np.float64]
# How a network computes the sums of its first layer, as its header says under this key: in single precision, also
# without the key, or in fixed point.
FIRST_LAYER, FLOATING_POINT, FIXED_POINT = "first_layer", "floating_point", "fixed_point"


class Outputs(Protocol):
    """Computes logits and values; no row depends on the others."""

    def __call__(self, observations: NDArray[np.int8], slots: NDArray[np.int64] | None = None) -> tuple[Floats, Floats]:
        """Logits ``(N, actions)`` and values ``(N, seats)``, both float32.

        Args:
            observations: int8 ``(N, at least input_size)``.
            slots: int64 ``(N,)``, at least 0; rows with the same slot, also of earlier calls, are likely to resemble
                each other. The outputs do not depend on it.
        """


class Model(ABC):
    """A network that plays.

    Attributes:
        architecture: the name of this kind of network in the header of its file.
        arrays: float32 or float16 weights by name.
        header: the file's header.
    """

    architecture: ClassVar[str]
    arrays: Arrays
    header: dict[str, Any]

    @property
    @abstractmethod
    def input_size(self) -> int:
        """Number of leading observation entries that are used."""

    @property
    @abstractmethod
    def num_actions(self) -> int:
        """Number of the policy's outputs."""

    @property
    @abstractmethod
    def num_values(self) -> int:
        """Number of seats whose value is computed."""

    @property
    @abstractmethod
    def widths(self) -> list[int]:
        """Number of units of each hidden layer."""

    @abstractmethod
    def outputs(self) -> Outputs:
        """The function that computes logits and values."""

    def by_differences(self) -> Model:
        """The same network, computed faster for games in batches if that is possible, with other last digits."""
        return self

    @abstractmethod
    def used(self) -> Arrays:
        """The arrays that the network uses, by name, in single precision, including a score head if there is one."""

    @property
    def file_header(self) -> dict[str, Any]:
        """The header with the entries that identify the kind of file."""
        return self.header | {"format": MODEL_FORMAT, "schema": MODEL_SCHEMA}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file."""
        write_arrays(path, self.arrays, self.file_header)


def digest(arrays: Arrays) -> str:
    """Eight hexadecimal digits that identify the weights."""
    content = hashlib.sha256()
    for name in sorted(arrays):
        content.update(name.encode() + np.ascontiguousarray(arrays[name]).tobytes())
    return content.hexdigest()[:8]


def lineage_of(arrays: Arrays, header: Mapping[str, Any]) -> Lineage:
    """The lineage of the player of a model file; raises `ValueError` naming what is wrong with the header."""
    before, weights = header.get(BEGAN_WITH, []), header.get("weights", {})
    if not isinstance(before, list):
        raise ValueError(f"{BEGAN_WITH}: expected a list, got {shorten(before)}")
    ancestors = []
    for index, one in enumerate(before):
        where = f"{BEGAN_WITH}[{index}]"
        if not isinstance(one, dict):
            raise ValueError(f"{where}: expected a table, got {shorten(one)}")
        for key in (field.name for field in fields(Ancestor)):
            if not isinstance(one.get(key), str):
                raise ValueError(f"{where}.{key}: expected a text, got {shorten(one.get(key))}")
        ancestors.append(Ancestor(one["name"], one["weights"]))
    trained = weights.get(TRAINED) if isinstance(weights, dict) else None
    return Lineage((digest(arrays), *([trained] if isinstance(trained, str) else [])), tuple(reversed(ancestors)))


def checked(arrays: Arrays, name: str, shape: tuple[int | None, ...]) -> Floats:
    """A copy of an array in single precision; None in the shape allows any size except 0.

    Raises `ValueError` naming the array if it is missing, has another shape or type, or holds NaN or infinity.
    """
    if name not in arrays:
        raise ValueError(f"{name}: missing")
    array = np.asarray(arrays[name])
    needed = tuple(actual if size is None else size for actual, size in zip(array.shape, shape, strict=False))
    if array.ndim != len(shape) or array.shape != needed or not array.size:
        sizes = ", ".join("any" if size is None else str(size) for size in shape)
        raise ValueError(f"{name}: expected ({sizes}), got {array.shape}")
    if array.dtype not in (np.float16, np.float32):
        raise ValueError(f"{name}: expected float32 or float16, got {array.dtype}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: expected finite numbers, got NaN or infinity")
    return np.array(array, np.float32)


def within_range(name: str, bounds: Bounds) -> Bounds:
    """The bounds of a layer's outputs; raises `ValueError` naming the layer if one exceeds `LARGEST_OUTPUT`.

    A bound is the sum of the absolute values of all terms, so no partial sum exceeds it, in any order.
    """
    if not (bounds <= LARGEST_OUTPUT).all():
        limit = f"{LARGEST_OUTPUT:g}"
        raise ValueError(f"{name}: expected weights with which no output exceeds {limit}, got larger ones")
    return bounds

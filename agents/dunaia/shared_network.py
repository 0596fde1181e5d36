"""The network with shared encoders for Dunaïa, as a model file holds it; it plays with NumPy and Numba alone.

`training.models.networks.SharedNetwork` describes it and is the same function in torch.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dunaia.actions import ACTION_TABLE, NUM_ACTIONS
from dunaia_env.dunaia.observation import OBSERVATION_SCALE, used_size
from dunaia_env.dunaia.state import EDGES, LEVELS, MAX_PLAYERS, MIN_PLAYERS, NONE, SQUARES, TILES
from dunaia_env.support.array_files import Arrays

from ..model import LARGEST_INPUT, Bounds, Floats, Model, Outputs, checked, within_range
from .shared_forward import ENCODED, OTHER_ENCODED, PILE_ENCODED, PRODUCTS, SharedForward
from .shared_indices import OFFER_SIZES, POINTED, SQUARE_SIZES, Indices, trunk_sizes

SHARED = "shared"


def shapes_of(where: Indices, seats: int, layers: int, width: int) -> dict[str, tuple[int, ...]]:
    """The shape of each array of a network, by name.

    Args:
        where: the indices of the encoders' inputs.
        seats: number of seats of the largest table.
        layers: number of hidden layers of the trunk.
        width: number of units of each hidden layer.
    """
    of_square, of_offer = (place.shape[1] - where.tile for place in (where.squares, where.offers))
    shapes: dict[str, tuple[int, ...]] = {
        "tile": (ENCODED, where.tile),
        "square_status": (ENCODED, of_square),
        "offer_status": (ENCODED, of_offer),
        "square_place": (SQUARES, ENCODED),
        "offer_place": (len(where.offers), ENCODED),
        "other_square": (OTHER_ENCODED, where.others.shape[1]),
        "other_place": (len(where.others), OTHER_ENCODED),
        "edge_place": (PRODUCTS, EDGES),
    }
    linear = {
        "from_rest": (width, len(where.rest)),
        "from_codes": (width, sum(where.code_sizes)),
        **{f"hidden.{index}": (width, width) for index in range(layers - 1)},
        "trunk_heads": (sum(trunk_sizes(seats)), width),
        "square_key": (ENCODED, ENCODED),
        "offer_key": (ENCODED, ENCODED),
        "square_heads": (sum(SQUARE_SIZES), ENCODED),
        "offer_heads": (sum(OFFER_SIZES), ENCODED),
        "other_key": (OTHER_ENCODED, OTHER_ENCODED),
        "pile_key": (PILE_ENCODED, len(where.piles)),
        "other_head": (1, OTHER_ENCODED),
        "pile_head": (1, PILE_ENCODED),
    }
    for name, shape in linear.items():
        shapes |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    return shapes


@dataclass(frozen=True)
class SharedModel(Model):
    """A network with shared encoders, a trunk of hidden layers and pointer heads.

    Attributes:
        arrays: float32 or float16 weights by name, see `shapes_of`; further arrays are allowed but not used.
        header: the file's header.

    Raises `ValueError` naming an array that is missing, has a wrong shape or holds NaN or infinity, or a layer whose
    outputs could exceed the range of single precision for some observation.
    """

    architecture = SHARED

    arrays: Arrays
    header: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        others = len(checked(self.arrays, "other_place", (None, OTHER_ENCODED)))
        possible = [SQUARES * (players - 1) for players in range(MIN_PLAYERS, MAX_PLAYERS + 1)]
        if others not in possible:
            needed = " or ".join(map(str, possible))
            raise ValueError(f"other_place: expected {needed} squares of other players, got {others}")
        width = len(checked(self.arrays, "from_rest.bias", (None,)))
        layers = 1 + sum(name.startswith("hidden.") and name.endswith(".weight") for name in self.arrays)
        seats = others // SQUARES + 1
        where = Indices(int(used_size(seats)))
        shapes = shapes_of(where, seats, layers, width)
        named = {name: checked(self.arrays, name, shape) for name, shape in shapes.items()}
        object.__setattr__(self, "_where", where)
        object.__setattr__(self, "_named", named)
        object.__setattr__(self, "_widths", [width] * layers)
        _check_range(named, where, seats, layers)

    _where: Indices = field(init=False, repr=False, compare=False)
    _named: dict[str, Floats] = field(init=False, repr=False, compare=False)
    _widths: list[int] = field(init=False, repr=False, compare=False)

    @property
    def input_size(self) -> int:
        """Number of leading observation entries that are used."""
        return int(used_size(self.num_values))

    @property
    def num_actions(self) -> int:
        """Number of the policy's outputs."""
        return NUM_ACTIONS

    @property
    def num_values(self) -> int:
        """Number of seats whose value is computed."""
        return len(self._where.others) // SQUARES + 1

    @property
    def code_sizes(self) -> list[int]:
        """See `Indices.code_sizes`."""
        return self._where.code_sizes

    def inputs_of_rest(self, seats: int) -> int:
        """Number of the inputs, the first ones, that the trunk reads directly at tables of up to ``seats`` seats."""
        return int((self._where.rest < used_size(seats)).sum())

    @property
    def widths(self) -> list[int]:
        """Number of units of each hidden layer of the trunk."""
        return self._widths

    @property
    def file_header(self) -> dict[str, Any]:
        """The header with the entries that identify the kind of file."""
        return super().file_header | {"architecture": self.architecture}

    def used(self) -> Arrays:
        """Copies of the arrays that the network uses, by name, in single precision."""
        return {name: array.copy() for name, array in self._named.items()}

    def outputs(self) -> Outputs:
        """The function that computes logits and values."""
        where, size = self._where, self.input_size
        actions = [
            verb.first + index for verb in ACTION_TABLE if verb.name not in POINTED for index in range(verb.count)
        ]
        # Other players' squares are columns in `SharedForward`.
        things = [np.where(places == NONE, size, places) for places in (where.squares, where.offers, where.others.T)]
        lists = [np.array([numbers], np.int64) for numbers in (where.rest, where.counted, actions)]
        return SharedForward(self._matrices(), [*things, *lists], size, self.num_values)

    def _matrices(self) -> list[Floats]:
        """The matrices for `SharedForward`: a row for each input, divided by the input's scale, and then the bias."""
        named, where, seats = self._named, self._where, self.num_values

        def layer(name: str) -> Floats:
            return np.concatenate([named[f"{name}.weight"].T, named[f"{name}.bias"][None]])

        tile, status, offer = named["tile"], named["square_status"], named["offer_status"]
        pile_factor = np.float32(1) / OBSERVATION_SCALE[where.piles[:, 0]]
        pile_key = layer("pile_key")
        pile_key[:-1] *= pile_factor[:, None]
        codes = np.split(named["from_codes.weight"].T, np.cumsum(where.code_sizes)[:-1])
        codes[3] = codes[3].reshape(-1, OTHER_ENCODED, self.widths[0]).swapaxes(0, 1).reshape(codes[3].shape)
        trunk = [
            named["from_rest.weight"].T / OBSERVATION_SCALE[where.rest, None],
            *codes,
            (named["from_rest.bias"] + named["from_codes.bias"])[None],
        ]
        heads = layer("trunk_heads")
        return [
            np.concatenate([tile, status], 1).T / _scale_of(where.squares)[:, None],
            named["square_place"],
            np.concatenate([tile, offer], 1).T / _scale_of(where.offers)[:, None],
            named["offer_place"],
            named["other_square"].T / _scale_of(where.others)[:, None],
            named["other_place"].T,
            named["edge_place"],
            pile_factor[None],
            *(layer(name) for name in ("square_key", "square_heads", "offer_key", "offer_heads")),
            *(layer(name) for name in ("other_key", "other_head")),
            pile_key,
            layer("pile_head"),
            np.concatenate([heads[:, :seats], heads[:, 2 * seats :]], 1),  # without the scores
            np.concatenate(trunk),
            *(layer(f"hidden.{index}") for index in range(len(self.widths) - 1)),
        ]


def _scale_of(inputs: NDArray[np.int64]) -> Floats:
    """The scales by which the inputs of things are divided, float32 ``(inputs,)``; they are the same for all things.

    Args:
        inputs: int64 ``(things, inputs)``, `NONE` where there is nothing to read.
    """
    scale: Floats = np.where(inputs == NONE, np.float32(0), OBSERVATION_SCALE[inputs]).max(axis=0)
    return scale


def _check_range(named: dict[str, Floats], where: Indices, seats: int, layers: int) -> None:
    """Raise `ValueError` naming arrays with which an output could exceed `LARGEST_OUTPUT` for some int8 observation."""
    size = {name: np.abs(array, dtype=np.float64) for name, array in named.items()}

    def reach(inputs: NDArray[np.int64]) -> Bounds:
        bounds: Bounds = LARGEST_INPUT / OBSERVATION_SCALE[inputs].astype(np.float64)
        return bounds

    def layer(name: str, inputs: Bounds, context: Bounds | float = 0.0) -> Bounds:
        return within_range(name, inputs @ size[f"{name}.weight"].T + size[f"{name}.bias"] + context)

    tile, status, offer = size["tile"], size["square_status"], size["offer_status"]
    matrices = {
        "square": np.concatenate([tile, status], 1),
        "offer": np.concatenate([tile, offer], 1),
        "other": size["other_square"],
    }
    squares, offers, others = (
        within_range(f"the encoder of {name}", (reach(inputs[0])[None] @ matrices[kind].T) + size[f"{kind}_place"])
        for kind, name, inputs in (
            ("square", "own squares", _any_input(where.squares)),
            ("offer", "offers", where.offers),
            ("other", "other players' squares", where.others),
        )
    )
    within_range("the encoder of offers", offers.sum(axis=0))
    tiles = reach(where.piles[:, 0])
    contents = np.repeat(tiles[where.counted], LEVELS) * TILES
    codes = np.concatenate([squares.ravel(), offers.max(0), offers.max(0), others.ravel(), contents])
    x = layer("from_codes", codes, layer("from_rest", reach(where.rest)))
    for index in range(layers - 1):
        x = layer(f"hidden.{index}", x)
    ends = np.cumsum(trunk_sizes(seats))
    _, _, for_squares, for_offers, for_others, for_tiles, dunaias, *_ = np.split(layer("trunk_heads", x), ends)
    of_squares = layer("square_heads", layer("square_key", squares, for_squares)).max(axis=0)
    of_offers = layer("offer_heads", layer("offer_key", offers, for_offers)).max(axis=0)
    of_square, start_square, beside = np.split(of_squares, np.cumsum(SQUARE_SIZES)[:-1])
    of_offer, start_offer = np.split(of_offers, np.cumsum(OFFER_SIZES)[:-1])
    within_range("square_heads and offer_heads", start_offer @ start_square + of_offer.max() + of_square.max())
    edges = within_range("edge_place", 2 * beside[:, None] + size["edge_place"])
    moves = dunaias.reshape(-1, PRODUCTS) @ edges
    within_range("trunk_heads and edge_place", moves + moves.sum(axis=1, keepdims=True))
    layer("other_head", layer("other_key", others, for_others))
    layer("pile_head", layer("pile_key", tiles, for_tiles))


def _any_input(inputs: NDArray[np.int64]) -> NDArray[np.int64]:
    """One row of inputs that stands for all things: each input is taken from a thing that has it."""
    row: NDArray[np.int64] = inputs.max(axis=0, keepdims=True)
    return row

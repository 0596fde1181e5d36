"""A network for Dunaïa that reads a printed tile with the same weights wherever it lies.

    python -m training.ppo --network shared

The multilayer perceptron has separate weights for each of the nine squares, each offer and each of the 72 ways to start
a building, so it has to learn nine times what a tile is worth. Here one encoder reads every own square, one every
offer, one every square of another player, and one every tile in the piles. The encoders of own squares and of offers
share the weights that read a printed tile. An encoder's output is called a *code*. The logit of an action that names
squares, offers, edges or tiles is computed from their codes (pointer heads): that of ``start`` from the offer and the
square, that of ``move`` from the Dunaia's present edge and its new edge.

`agents.dunaia.shared_indices` finds the inputs of the encoders. `agents.dunaia.shared_forward` is the same function in
Numba, for playing.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.dunaia.shared_forward import ENCODED, OTHER_ENCODED, PILE_ENCODED, PILE_UNIT, PRODUCTS
from agents.dunaia.shared_indices import OFFER_SIZES, POINTED, SQUARE_SIZES, Indices, absent_squares, trunk_sizes
from dunaia_env.dunaia.actions import ACTION_HASH, ACTION_TABLE, verb
from dunaia_env.dunaia.components import FIRST_TILE
from dunaia_env.dunaia.observation import OBSERVATION_HASH, PIECES
from dunaia_env.dunaia.state import COLOURS, DUNAIAS, EDGE_SQUARES, EDGES, LEVELS, NONE, SEARCH, SQUARES, TILES
from training.compute import one_thread
from training.facts import Estimates, GameFacts
from training.ppo import PPOArguments


def linear(inputs: int, outputs: int | Sequence[int], gains: Sequence[float] = ()) -> nn.Linear:
    """A linear layer, initialised with an orthogonal matrix for each part of its outputs and zero biases.

    ``gains`` are those of the first parts; the others get 0.01. Without them the first gets sqrt(2), which suits ReLU.
    """
    sizes = [outputs] if isinstance(outputs, int) else list(outputs)
    layer = nn.Linear(inputs, sum(sizes))
    with one_thread(), torch.no_grad():  # because the rounding of orthogonal matrices depends on the number of threads
        for part, gain in itertools.zip_longest(torch.split(layer.weight, sizes), gains or (2**0.5,), fillvalue=0.01):
            assert isinstance(part, Tensor)
            nn.init.orthogonal_(part, gain)
    nn.init.zeros_(layer.bias)
    return layer


class Slices(nn.Module):
    """Selects columns of the observations and divides them by their scales; copies adjacent columns together."""

    factor: Tensor

    def __init__(self, columns: NDArray[np.int64], input_scale: Tensor) -> None:
        super().__init__()
        ends = np.flatnonzero(np.diff(columns) != 1)
        firsts, lasts = columns[np.r_[0, ends + 1]], columns[np.r_[ends, len(columns) - 1]]
        self.slices = [slice(int(first), int(last) + 1) for first, last in zip(firsts, lasts, strict=True)]
        self.register_buffer("factor", 1 / input_scale[columns], persistent=False)

    def forward(self, observations: Tensor) -> Tensor:
        """The selected and scaled columns of observations, int8 ``(N, inputs)``."""
        return torch.cat([observations[:, piece] for piece in self.slices], dim=1) * self.factor


class Encoder(nn.Module):
    """A layer that reads several things with the same weights, in one product with a matrix that repeats them.

    One product with many zeros is faster than many small products.

    Args:
        where: int64 ``(things, inputs)``, the columns that hold each thing's inputs; `NONE` for a missing input.
        input_scale: the numbers by which observations are divided.
    """

    place: Tensor
    source: Tensor

    def __init__(self, where: NDArray[np.int64], input_scale: Tensor) -> None:
        super().__init__()
        self.things, self.inputs = where.shape
        columns = np.unique(where[where != NONE])
        self.columns = Slices(columns, input_scale)
        # For each thing and column, the index of the weight that reads it; the index after the last one means zero.
        source = np.full((self.things, len(columns)), self.inputs)
        thing, number = np.nonzero(where != NONE)
        source[thing, np.searchsorted(columns, where[thing, number])] = number
        self.register_buffer("source", torch.from_numpy(source), persistent=False)

    def forward(self, observations: Tensor, weight: Tensor, place: Tensor) -> Tensor:
        """The code of each thing, ``(N, things, units)``.

        Args:
            observations: int8 ``(N, inputs)``.
            weight: ``(units, inputs of a thing)``.
            place: ``(things, units)``, the bias of each thing.
        """
        repeated = nn.functional.pad(weight, (0, 1))[:, self.source].transpose(0, 1).flatten(0, 1)
        said = nn.functional.linear(self.columns(observations), repeated, place.flatten())
        return torch.relu(said).view(-1, *place.shape)


class SharedNetwork(nn.Module):
    """Encoders shared by squares, offers and tiles, a trunk of hidden layers, and pointer heads.

    The trunk reads the offers as a set, by the mean and the maximum of their codes, and the tiles of a pile as a set,
    by sums over them.

    Args:
        facts: the facts of Dunaïa.
        layers, width: number of hidden layers of the trunk, and of units in each.
    """

    edge_squares: Tensor
    tile_levels: Tensor
    pile_scale: Tensor
    counted: Tensor

    def __init__(self, facts: GameFacts, layers: int, width: int) -> None:
        super().__init__()
        scale = facts.input_scale
        where = Indices(len(scale))
        self.read_squares, self.read_offers = Encoder(where.squares, scale), Encoder(where.offers, scale)
        self.read_others, self.read_rest = Encoder(where.others, scale), Slices(where.rest, scale)
        self.piles = slice(int(where.piles.min()), int(where.piles.max()) + 1)
        self.dunaias = slice(int(where.dunaias.min()), int(where.dunaias.max()) + 1)
        self.search = int(PIECES["decision"].first) + SEARCH
        self.register_buffer("pile_scale", scale[where.piles[:, :1]], persistent=False)
        self.register_buffer("counted", torch.from_numpy(where.counted), persistent=False)
        self.register_buffer("edge_squares", torch.zeros(EDGES, SQUARES), persistent=False)
        self.edge_squares.scatter_(1, torch.from_numpy(EDGE_SQUARES), 1.0)
        levels = torch.repeat_interleave(torch.eye(LEVELS), torch.tensor(FIRST_TILE).diff(), dim=0)
        self.register_buffer("tile_levels", levels, persistent=False)  # (40, 3)

        # Weights only: a learned vector for each place is added instead of a bias.
        self.tile = linear(where.tile, ENCODED).weight
        self.square_status = linear(where.squares.shape[1] - where.tile, ENCODED).weight
        self.offer_status = linear(where.offers.shape[1] - where.tile, ENCODED).weight
        self.square_place = nn.Parameter(torch.randn(SQUARES, ENCODED) * 0.1)
        self.offer_place = nn.Parameter(torch.randn(len(where.offers), ENCODED) * 0.1)
        others = len(where.others)
        self.other_square = linear(where.others.shape[1], OTHER_ENCODED).weight
        self.other_place = nn.Parameter(torch.randn(others, OTHER_ENCODED) * 0.1)

        # The first layer of the trunk in two parts: the inputs that it reads directly need no gradient.
        self.from_rest, self.from_codes = linear(len(where.rest), width), linear(sum(where.code_sizes), width)
        self.hidden = nn.ModuleList(linear(width, width) for _ in range(layers - 1))
        # One layer for everything that depends on the trunk alone, because many small products are slow.
        self.trunk_sizes = trunk_sizes(facts.seats)
        self.trunk_heads = linear(width, self.trunk_sizes, (0.1, 0.1, *[2**0.5] * 4, 0.3))

        self.square_key, self.offer_key = linear(ENCODED, ENCODED), linear(ENCODED, ENCODED)
        self.square_heads = linear(ENCODED, SQUARE_SIZES, (0.01, 0.3, 0.3))
        self.offer_heads = linear(ENCODED, OFFER_SIZES, (0.01, 0.3))
        self.other_key, self.pile_key = linear(OTHER_ENCODED, OTHER_ENCODED), linear(len(where.piles), PILE_ENCODED)
        self.other_head, self.pile_head = linear(OTHER_ENCODED, 1, (0.01,)), linear(PILE_ENCODED, 1, (0.01,))
        self.absent_squares = absent_squares(others)
        self.edge_place = nn.Parameter(torch.randn(PRODUCTS, EDGES) * 0.1)

    def forward(self, observations: Tensor) -> Estimates:
        """The estimates for observations, int8 ``(N, inputs)``."""
        squares = self.read_squares(observations, torch.cat([self.tile, self.square_status], 1), self.square_place)
        offers = self.read_offers(observations, torch.cat([self.tile, self.offer_status], 1), self.offer_place)
        others = self.read_others(observations, self.other_square, self.other_place)
        tiles = observations[:, self.piles].reshape(-1, len(self.pile_scale), TILES) / self.pile_scale
        contents = (tiles[:, self.counted] @ self.tile_levels).flatten(1) / PILE_UNIT
        codes = torch.cat([squares.flatten(1), offers.mean(1), offers.amax(1), others.flatten(1), contents], dim=1)
        x = torch.relu(self.from_rest(self.read_rest(observations)) + self.from_codes(codes))
        for layer in self.hidden:
            x = torch.relu(layer(x))
        heads = self.trunk_heads(x).split(self.trunk_sizes, dim=1)
        values, scores, for_squares, for_offers, for_others, for_tiles, dunaias, *plain = heads

        # The trunk's context lets the keys of squares, offers and tiles depend on the whole position.
        squares = torch.relu(self.square_key(squares) + for_squares[:, None])
        offers = torch.relu(self.offer_key(offers) + for_offers[:, None])
        of_square, start_square, beside = self.square_heads(squares).split(SQUARE_SIZES, dim=2)
        of_offer, start_offer = self.offer_heads(offers).split(OFFER_SIZES, dim=2)
        parts = [SQUARES, SQUARES, SQUARES, SQUARES, SQUARES * COLOURS]
        awaken, use, advance, start, colour = of_square.transpose(1, 2).flatten(1).split(parts, dim=1)
        pairs = torch.bmm(start_offer, start_square.transpose(1, 2))
        edges = torch.relu(nn.functional.linear(beside.transpose(1, 2), self.edge_squares) + self.edge_place)
        values_of_edges = torch.bmm(dunaias.reshape(-1, DUNAIAS, PRODUCTS), edges)
        # A Dunaia's present edge is the one between the two squares that it stands beside.
        beside_dunaias = observations[:, self.dunaias].float().view(-1, DUNAIAS, SQUARES)
        present = nn.functional.linear(beside_dunaias, self.edge_squares) > 1.5
        value_of_present = (values_of_edges * present).sum(2, keepdim=True)
        use_others = self.other_head(torch.relu(self.other_key(others) + for_others[:, None])).squeeze(2)
        logits = dict(zip((verb.name for verb in ACTION_TABLE if verb.name not in POINTED), plain, strict=True))
        logits |= {
            "awaken": awaken,
            "use": nn.functional.pad(torch.cat([use, use_others], dim=1), (0, self.absent_squares)),
            "start": (pairs + of_offer[:, :, :1] + start[:, None]).flatten(1),
            "move": (values_of_edges - value_of_present).flatten(1),
            "advance": advance,
            "search": self.value_tiles(tiles, for_tiles, observations[:, self.search]),
            "colour": colour,
            "reserve": of_offer[:, : verb("reserve").count, 1],
        }
        policy = torch.cat([logits[verb.name] for verb in ACTION_TABLE], dim=1)
        return Estimates(policy.float(), values.float(), scores.float())

    def value_tiles(self, tiles: Tensor, context: Tensor, searching: Tensor) -> Tensor:
        """The logits ``(N, 40)`` of searching each tile; zeros in positions with any other decision, which are most."""
        rows = searching.nonzero().squeeze(1)
        keys = torch.relu(self.pile_key(tiles[rows].transpose(1, 2)) + context[rows, None])
        logits = torch.zeros(tiles.shape[0], TILES, dtype=keys.dtype, device=keys.device)
        return logits.index_put((rows,), self.pile_head(keys).squeeze(2))


def make_shared(facts: GameFacts, arguments: PPOArguments) -> nn.Module:
    """The network of ``--network shared``; its trunk has ``--layers`` hidden layers of ``--width`` units.

    Raises `ValueError` for any game other than Dunaïa.
    """
    if (facts.game.action_hash, facts.game.observation_hash) != (ACTION_HASH, OBSERVATION_HASH):
        raise ValueError(f"network: shared, which reads observations of dunaia, not of {facts.game.name}")
    return SharedNetwork(facts, arguments.layers, arguments.width)

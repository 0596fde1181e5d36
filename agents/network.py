"""The trained agent: a small network whose inference needs only NumPy and Numba, and the file format of its weights.

A model is one safetensors file: the weights by name, and in the metadata a JSON header that says what they were trained
for. Nothing in the file is ever executed.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.compiled.chance import AGENT, random_words
from dunaia_env.harness.dealing import read_dealt
from dunaia_env.harness.game import Game
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.lineage import Lineage
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.harness.state import GameState, View
from dunaia_env.support.array_files import ArrayFileError, Arrays, check_hashes, read_arrays
from dunaia_env.support.messages import is_name, reason, shorten

from .dunaia.shared_network import SHARED, SharedModel
from .forward import FixedPointForward, Forward
from .model import (
    FIRST_LAYER,
    FIXED_POINT,
    FLOATING_POINT,
    LARGEST_INPUT,
    MODEL_FORMAT,
    MODEL_SCHEMA,
    Bounds,
    Floats,
    Model,
    Outputs,
    checked,
    digest,
    lineage_of,
    within_range,
)

__all__ = [
    "MODEL_FORMAT",
    "MODEL_SCHEMA",
    "Model",
    "Network",
    "NetworkAgent",
    "depth_of",
    "digest",
    "load_model",
    "make_model",
]

# Largest length of an agent's name and of its version, which appear in tables and replays.
MOST_CHARACTERS = 100


def depth_of(arrays: Arrays) -> int:
    """Number of hidden layers of the perceptron with these arrays."""
    return sum(name.startswith("hidden.") and name.endswith(".weight") for name in arrays)


def _check_range(hidden: list[tuple[Floats, Floats]], heads: Mapping[str, tuple[Floats, Floats]]) -> None:
    """Raise `ValueError` naming a layer whose output could exceed `LARGEST_OUTPUT` for some int8 observation."""

    def bound(name: str, layer: tuple[Floats, Floats], inputs: Bounds) -> Bounds:
        weight, bias = (np.abs(array, dtype=np.float64) for array in layer)
        return within_range(name, inputs @ weight + bias)

    inputs = np.full(len(hidden[0][0]), LARGEST_INPUT)
    for index, layer in enumerate(hidden):
        inputs = bound(f"hidden.{index}", layer, inputs)
    for name, layer in heads.items():
        bound(name, layer, inputs)


@dataclass(frozen=True)
class Network(Model):
    """A multilayer perceptron with ReLU hidden layers and two heads, policy and value.

    Attributes:
        arrays: float32 or float16 weights by name; a layer's matrix has the shape ``(outputs, inputs)``, as in PyTorch:
            ``hidden.<i>.weight``, ``hidden.<i>.bias``, ``policy.*``, ``value.*`` with one output for the deciding seat
            and further outputs for the seats after it, and ``input_scale`` of shape ``(input_size,)``, by which
            observations are divided. ``score.*``, a third head used in training, is optional and is checked too.
            Further arrays are allowed but not used.
        header: the file's header.

    Raises `ValueError` naming an array that is missing, has a wrong shape or holds NaN or infinity, or a layer whose
    outputs could exceed the range of single precision for some observation; and for an unknown way to compute the first
    layer in the header.
    """

    architecture = "perceptron"

    arrays: Arrays
    header: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.header.get(FIRST_LAYER, FLOATING_POINT) not in (FLOATING_POINT, FIXED_POINT):
            found = shorten(self.header[FIRST_LAYER])
            raise ValueError(f"{FIRST_LAYER}: expected {FLOATING_POINT!r} or {FIXED_POINT!r}, got {found}")
        scale = checked(self.arrays, "input_scale", (None,))
        if not (scale > 0).all():
            raise ValueError("input_scale: expected numbers above 0")
        layers, inputs = [], len(scale)
        for index in range(max(depth_of(self.arrays), 1)):
            layers.append(self._layer(f"hidden.{index}", inputs))
            inputs = len(layers[-1][1])
        # The scale is folded into the first layer, so that observations need not be divided.
        with np.errstate(over="ignore"):  # `_check_range` refuses weights that overflow
            layers[0][0][:] /= scale[:, None]
        scored = any(name.startswith("score.") for name in self.arrays)
        named = {name: self._layer(name, inputs) for name in ("policy", "value", *(["score"] if scored else []))}
        object.__setattr__(self, "_hidden", layers)
        object.__setattr__(self, "_policy", named["policy"])
        object.__setattr__(self, "_value", named["value"])
        _check_range(layers, named)

    _hidden: list[tuple[Floats, Floats]] = field(init=False, repr=False, compare=False)
    _policy: tuple[Floats, Floats] = field(init=False, repr=False, compare=False)
    _value: tuple[Floats, Floats] = field(init=False, repr=False, compare=False)

    def _layer(self, name: str, inputs: int) -> tuple[Floats, Floats]:
        """Copies of the matrix ``(inputs, outputs)`` and of the bias of a layer."""
        weight = checked(self.arrays, f"{name}.weight", (None, inputs))
        return weight.T.copy(), checked(self.arrays, f"{name}.bias", (len(weight),))

    def layers(self) -> list[tuple[Floats, Floats]]:
        """Matrix ``(inputs, outputs)`` and bias of the hidden layers and of both heads, for unscaled observations."""
        return [*self._hidden, self._policy, self._value]

    def used(self) -> Arrays:
        """The arrays that the network uses, by name, in single precision, including a score head if there is one."""
        heads = ("policy", "value", "score") if "score.bias" in self.arrays else ("policy", "value")
        layers = [*(f"hidden.{index}" for index in range(len(self._hidden))), *heads]
        names = ["input_scale", *(f"{layer}.{array}" for layer in layers for array in ("weight", "bias"))]
        return {name: np.array(self.arrays[name], np.float32) for name in names}

    def outputs(self) -> Outputs:
        """The function that computes logits and values."""
        kind = FixedPointForward if self.header.get(FIRST_LAYER) == FIXED_POINT else Forward
        return kind(self.layers())

    def by_differences(self) -> Network:
        """The same network with the first layer in fixed point, see `agents.forward.FixedPointForward`."""
        return replace(self, header=self.header | {FIRST_LAYER: FIXED_POINT})

    @property
    def widths(self) -> list[int]:
        """Number of units of each hidden layer."""
        return [len(bias) for _, bias in self._hidden]

    @property
    def input_size(self) -> int:
        """Number of leading observation entries that are used."""
        return len(self._hidden[0][0])

    @property
    def num_actions(self) -> int:
        """Number of the policy's outputs."""
        return len(self._policy[1])

    @property
    def num_values(self) -> int:
        """Number of seats whose value is computed."""
        return len(self._value[1])

    def evaluate(self, observations: NDArray[np.integer]) -> tuple[Floats, Floats]:
        """Policy logits ``(N, actions)`` and values ``(N,)`` of observations ``(N, at least input_size)``.

        A value is the reward that the observing seat expects at the end of the game. This is the computation of
        `Forward` with plain matrix products, which round differently in batches of different sizes.
        """
        x = observations[:, : self.input_size].astype(np.float32)
        for weight, bias in self._hidden:
            x = x @ weight
            x += bias
            np.maximum(x, 0, out=x)
        logits = x @ self._policy[0] + self._policy[1]
        values = x @ self._value[0] + self._value[1]
        return logits, values[:, 0]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Network:
        """Read the perceptron of a model file; raises `ArrayFileError`."""
        model = load_model(path)
        if not isinstance(model, Network):
            raise ArrayFileError(f"{path}: expected architecture {cls.architecture!r}, got {model.architecture!r}")
        return model


def make_model(arrays: Arrays, header: dict[str, Any]) -> Model:
    """The network of a model file's arrays and header; raises `ValueError`."""
    architecture = header.get("architecture", Network.architecture)
    for kind in (Network, SharedModel):
        if architecture == kind.architecture:
            return kind(arrays, header)
    raise ValueError(f"architecture: expected {Network.architecture!r} or {SHARED!r}, got {shorten(architecture)}")


def load_model(path: str | os.PathLike[str]) -> Model:
    """Read the network of a model file; raises `ArrayFileError`."""
    arrays, header = read_arrays(path, kind=MODEL_FORMAT, schema=MODEL_SCHEMA)
    try:
        return make_model(arrays, header)
    except ValueError as error:
        raise ArrayFileError(f"{path}: the weights do not make a network ({error})") from error


class NetworkAgent:
    """Plays a network's policy; its decisions are the same alone and in any batch.

    Args:
        network: the network.
        name: the agent's name in tables and replays.
        version: the agent's version, which changes when its decisions may change.
        temperature: 0 chooses the most likely legal action; above 0, actions are drawn with probability proportional to
            ``exp(logit / temperature)``, with the agent's seed. At 0, sealed decisions (see `Game.sealed`) are drawn as
            at 1.
        game: the game that the network was trained for.

    Attributes:
        forward: computes the network's outputs.
    """

    def __init__(
        self,
        network: Model,
        *,
        name: str = "network",
        version: str = "1",
        temperature: float = 0.0,
        game: Game = DEFAULT_GAME,
    ) -> None:
        if not 0 <= temperature < math.inf:
            raise ValueError(f"temperature: expected a finite number of at least 0, got {temperature}")
        self.network = network
        self.game = game
        self.forward = network.outputs()
        self.name = name
        self.version = version
        self.temperature = temperature
        self._most_players = max(network.header.get("players", [game.max_players]))
        self.reset(0)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        components: Any = None,
        any_components: bool = False,
        temperature: float = 0.0,
        game: Game = DEFAULT_GAME,
    ) -> NetworkAgent:
        """Load the agent of a model file.

        Args:
            path: the file.
            components: the components that the network must have been trained for, or a sequence of them; the game's
                own for None.
            any_components: allow any components. Tiles are observed by what is printed on them, so an agent can play
                with changed tiles.
            temperature: see the class; it becomes part of the agent's name.
            game: the game.

        Raises `ArrayFileError` naming what does not fit.
        """
        network = load_model(path)
        check_made_for(path, network.header, game, components, any_components=any_components)
        _check_sizes(path, network, game)
        name, version = (
            _text(path, network.header, key, default) for key, default in (("name", "network"), ("version", "1"))
        )
        agent = cls(network, name=name, version=version, game=game)
        return agent.with_temperature(temperature) if temperature else agent

    @property
    def lineage(self) -> Lineage:
        """The lineage of the network's weights; raises `ValueError` naming what is wrong with the header."""
        return lineage_of(self.network.arrays, self.network.header)

    def with_temperature(self, temperature: float = 0.0) -> NetworkAgent:
        """An agent with the same network and another temperature, which becomes part of its name."""
        name = f"{self.name}:temperature={temperature:g}" if temperature else self.name
        return NetworkAgent(self.network, name=name, version=self.version, temperature=temperature, game=self.game)

    def by_differences(self) -> NetworkAgent:
        """The same agent, several times faster for games in batches if its network allows that.

        The last digits of the outputs are others, so a decision may differ where two actions are equally good.
        """
        return NetworkAgent(
            self.network.by_differences(),
            name=self.name,
            version=self.version,
            temperature=self.temperature,
            game=self.game,
        )

    def reset(self, seed: int) -> None:
        """Begin the random stream of a seed (0..2**32-1); at temperature 0 only sealed decisions depend on it."""
        self._seed = seed
        self._choices = 0

    def check_players(self, players: int) -> None:
        """Raise `ValueError` for a table with more players than the network was trained for."""
        if players > self._most_players:
            raise ValueError(
                f"num_players: {players}; the network {self.name!r} was trained for at most {self._most_players}"
            )

    def act(self, view: View | GameState) -> int:
        """A legal action for the seat that decides."""
        self.check_players(view.num_players)
        logits, _ = self.forward(view.observation()[None])
        temperature = self.temperature or float(view.is_sealed)
        uniforms = np.zeros(1)
        if temperature > 0:
            uniforms[0] = uniform(self._seed, 0, self._choices)
            self._choices += 1
        return int(choose(logits, view.action_mask()[None], temperature, uniforms)[0])

    def act_batch(self, lanes: Lanes, selected: NDArray[np.int64]) -> NDArray[np.int32]:
        """A legal action for each selected lane; draws depend on the agent's seed and the lane's game and decision."""
        self.check_players(int(lanes.num_players[selected].max(initial=0)))
        slots = selected * self.game.max_players + lanes.seats[selected]
        logits, _ = self.forward(lanes.observations[selected], slots)
        masks = lanes.action_masks[selected]
        if self.temperature > 0:
            return choose(logits, masks, self.temperature, self._uniforms(lanes, selected))
        actions = choose(logits, masks, 0.0, np.zeros(len(selected)))
        if self.game.sealed and (sealed := self.game.sealed(lanes.states)[selected]).any():
            actions[sealed] = choose(logits[sealed], masks[sealed], 1.0, self._uniforms(lanes, selected[sealed]))
        return actions

    def _uniforms(self, lanes: Lanes, selected: NDArray[np.int64]) -> NDArray[np.float64]:
        """A random number in [0, 1) for each selected lane, determined by the agent's seed, game and decision."""
        keys = zip(lanes.game_seeds[selected].tolist(), lanes.decisions[selected].tolist(), strict=True)
        return np.array([uniform(seed, self._seed, decision) for seed, decision in keys])

    def estimates(self, views: Sequence[View | GameState]) -> tuple[Floats, NDArray[np.float64]]:
        """The network's outputs for many decisions, as the deciding seats see them, in games with equally many players.

        Args:
            views: R views or states at a decision, at least one.

        Returns:
            The logits of all actions, float32 ``(R, A)``, and every seat's expected win share, in seat order, float64
            ``(R, players)``; each row of it sums to 1.

        Raises `ValueError` for more players than the network was trained for, and for different numbers of players.
        """
        players = views[0].num_players
        self.check_players(players)
        if any(view.num_players != players for view in views):
            raise ValueError("num_players: expected equally many players at all tables, got different numbers")
        logits, values = self.forward(np.stack([view.observation() for view in views]))
        return logits, _win_shares(values, np.array([view.seat for view in views]), players)

    def value(self, view: View | GameState) -> float:
        """The expected reward of the seat that decides, from the value head."""
        self.check_players(view.num_players)
        return float(self.forward(view.observation()[None])[1][0, 0])


def _win_shares(values: Floats, seats: NDArray[np.int64], players: int) -> NDArray[np.float64]:
    """Every seat's expected win share from the outputs of a value head, as a guided search computes it.

    Args:
        values: float32 ``(R, outputs)``, expected ``win`` rewards of the deciding seat and of the seats after it.
        seats: int64 ``(R,)``, who decides.
        players: number of players.

    Returns:
        float64 ``(R, players)``, in seat order; each row sums to 1.
    """
    known = min(values.shape[1], players)
    shares = np.empty((len(values), players))
    shares[:, :known] = np.clip(values[:, :known].astype(np.float64) * (players - 1) / players + 1 / players, 0, 1)
    # A network with one output leaves the rest to the other players, equally.
    shares[:, known:] = (1 - shares[:, :1]) / (players - 1)
    totals = shares.sum(axis=1, keepdims=True)
    shares = np.divide(shares, totals, out=np.full_like(shares, 1 / players), where=totals > 0)
    in_order: NDArray[np.float64] = np.take_along_axis(shares, (np.arange(players) - seats[:, None]) % players, axis=1)
    return in_order


def check_made_for(
    path: str | os.PathLike[str], header: Mapping[str, Any], game: Game, components: Any, *, any_components: bool
) -> None:
    """Raise `ArrayFileError` unless a model was trained for a game and its components.

    A network that was trained with a family of component files plays all members of the family.

    Args:
        path: the model file.
        header: the model's header.
        game: the game.
        components: one component file or a sequence of them; the game's own for None.
        any_components: allow any components.
    """
    expected = {"action_hash": game.action_hash, "observation_hash": game.observation_hash}
    others = []
    if not any_components:
        others = [loaded for loaded in game.load_each(components) if loaded.hash != header.get("components_hash")]
    content = header.get("family")
    if others and content is None:
        expected["components_hash"] = others[0].hash
    check_hashes(path, header, expected)
    if not others or content is None:
        return
    if not isinstance(content, Mapping):
        raise ArrayFileError(f"{path}: family: expected a table, got {shorten(content)}")
    try:
        family = game.require("load_family")(content)
    except ValueError as error:
        raise ArrayFileError(f"{path}: family: {reason(error)}") from None
    if header.get("family_hash") != family.hash:
        raise ArrayFileError(
            f"{path}: family_hash {shorten(header.get('family_hash'))}; that of the family is {family.hash}"
        )
    for other in others:
        if outside := family.outside(other):
            raise ArrayFileError(
                f"{path}: trained for a family of component files, but {outside}; load it with any_components=True to"
                " let it play all the same"
            )


def _check_sizes(path: str | os.PathLike[str], network: Model, game: Game) -> None:
    """Raise `ArrayFileError` for a network whose inputs, outputs, numbers of players or options do not fit the game."""
    players = network.header.get("players", [game.max_players])
    if not (isinstance(players, list) and players and all(type(number) is int for number in players)):
        raise ArrayFileError(f"{path}: players: expected a list of numbers of players, got {shorten(players)}")
    if not game.min_players <= min(players) <= max(players) <= game.max_players:
        allowed = f"{game.min_players}..{game.max_players}"
        raise ArrayFileError(f"{path}: players: expected numbers in {allowed}, got {shorten(players)}")
    try:
        read_dealt(game, network.header)
    except ValueError as error:
        raise ArrayFileError(f"{path}: {error}") from None
    inputs, values = network.input_size, network.num_values
    if inputs > game.observation_size:
        raise ArrayFileError(f"{path}: expected at most {game.observation_size} inputs, got {inputs}")
    if network.num_actions != game.num_actions:
        raise ArrayFileError(f"{path}: expected {game.num_actions} actions, got {network.num_actions}")
    if values > game.max_players:
        raise ArrayFileError(f"{path}: expected values of at most {game.max_players} seats, got {values}")


def _text(path: str | os.PathLike[str], header: Mapping[str, Any], key: str, default: str) -> str:
    """A text of a header that is shown to users; raises `ArrayFileError` for an invalid one."""
    text = header.get(key, default)
    if not (isinstance(text, str) and is_name(text) and len(text) <= MOST_CHARACTERS):
        needed = f"1 to {MOST_CHARACTERS} printable characters"
        raise ArrayFileError(f"{path}: {key}: expected a text of {needed}, got {shorten(text)}")
    return text


def uniform(seed: int, stream: int, index: int) -> float:
    """A random number in [0, 1) that is determined by the arguments."""
    return float(random_words(seed, AGENT, index, stream)[0]) / 2**32


_LARGEST = {np.dtype(kind): np.finfo(kind).max for kind in (np.float16, np.float32, np.float64)}


def choose(
    logits: Floats, masks: NDArray[np.int8], temperature: float, uniforms: NDArray[np.float64]
) -> NDArray[np.int32]:
    """A legal action for each row, for any logits; NaN counts as the lowest number.

    Args:
        logits: float16, float32 or float64 ``(N, A)``.
        masks: int8 ``(N, A)``, 1 for a legal action; each row needs at least one.
        temperature: 0 for the most likely action, the lowest number among ties; see `NetworkAgent`.
        uniforms: float64 ``(N,)`` in [0, 1), used with a temperature above 0.

    Returns:
        int32 ``(N,)``.
    """
    # Only illegal actions are -inf, so that every maximum is legal.
    largest = _LARGEST[logits.dtype]
    legal = np.where(masks > 0, np.fmax(logits, -largest), -np.inf)
    actions: NDArray[np.int64]
    if temperature == 0:
        actions = legal.argmax(axis=1)
    else:
        legal = np.minimum(legal, largest)
        with np.errstate(over="ignore"):  # a difference that overflows is -inf, which gives the weight 0
            weights = np.exp((legal - legal.max(axis=1, keepdims=True)).astype(np.float64) / temperature)
        sums = weights.cumsum(axis=1)
        # The first action whose cumulative sum exceeds the threshold has a positive weight, so it is legal.
        actions = (sums > (uniforms * sums[:, -1])[:, None]).argmax(axis=1)
    return actions.astype(np.int32)

"""Prepare a perceptron for a further training: remove idle units, add fresh ones, forget a preference.

    python -m training.models.reshape --model champion --widths 512 256 --out runs/wide.safetensors

An idle unit is zero in all of many positions of the network's own games. It costs time and never learns again, because
no gradient reaches it; long trainings leave many (Sokar et al., "The dormant neuron phenomenon in deep reinforcement
learning", 2023). A fresh unit has random incoming weights, about as large as those of the other units of its layer, and
no effect at first: its outgoing weights are zero (Chen, Goodfellow, Shlens, "Net2Net", 2016). A further training, with
``--weights``, can use it. With these, the network decides as before.

A policy that settled early on one action of a rare decision never tries the others again, and the bonus for entropy no
longer reaches it. ``--forget VERB`` makes the actions of a verb equally probable at every decision, so that a further
training finds out which of them is best.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tyro
from numpy.typing import NDArray

from agents.model import Floats, Model, digest
from agents.network import Network, NetworkAgent, depth_of, make_model
from dunaia_env.harness import opponents
from dunaia_env.harness.compiled.encoding import ActionTable
from dunaia_env.harness.game import Game
from dunaia_env.harness.registry import DEFAULT_GAME, find_game
from dunaia_env.support.array_files import Arrays
from dunaia_env.support.terminal import run_main
from training.models.positions import played_positions

# Positions in which units are observed: of the network's own components, and of each of some members of its family.
POSITIONS, MEMBERS, MEMBER_POSITIONS = 65_536, 16, 4_096
# Share of the positions in which a fresh unit is active.
ACTIVE = 0.15
HEADS = ("policy", "value", "score")
Observations = NDArray[np.int8]


@dataclass(frozen=True)
class Options:
    """Prepare a perceptron for a further training."""

    out: Path
    """Model file to write."""
    model: str = opponents.CHAMPION
    """Name of a shipped player, or a model file."""
    widths: tuple[int, ...] = ()
    """Number of units of each hidden layer. Without it, idle units are removed and none are added."""
    forget: tuple[str, ...] = ()
    """Verbs of the game's action table; the network prefers none of a verb's actions to another afterwards."""
    game: str = DEFAULT_GAME.name
    """The player's game: its name, or a module with a game of your own."""
    seed: int = 0
    """Seed of the fresh units."""


def observed(network: Model, game: Game, components: str | None = None) -> Observations:
    """Observations int8 ``(N, inputs)`` of a network's games, also of games with members of its family."""
    found = [played_positions(network, game=game, components=components, positions=POSITIONS, seed=1)[0]]
    if network.header.get("family"):
        family = game.require("load_family")(network.header["family"])
        for member in range(MEMBERS):
            files = family.sample(member)
            found.append(played_positions(network, game=game, components=files, positions=MEMBER_POSITIONS, seed=1)[0])
    return np.concatenate(found)[:, : network.input_size]


def scaled(arrays: Arrays, observations: Observations) -> Floats:
    """What the first layer reads of the observations, float32 ``(N, inputs)``."""
    return np.divide(observations, arrays["input_scale"], dtype=np.float32)


def sums_of_layer(arrays: Arrays, index: int, inputs: Floats) -> Floats:
    """The sums float32 ``(N, units)`` of a hidden layer, before its ReLU."""
    weight, bias = (arrays[f"hidden.{index}.{part}"].astype(np.float32) for part in ("weight", "bias"))
    return inputs @ weight.T + bias


def without_idle_units(arrays: Arrays, observations: Observations) -> Arrays:
    """The arrays without the units that are zero in all of the observations; each layer keeps at least one unit."""
    arrays, inputs = dict(arrays), scaled(arrays, observations)
    for index in range(depth_of(arrays)):
        sums = sums_of_layer(arrays, index, inputs)
        kept = sums.max(axis=0) > 0
        kept[np.argmax(sums.max(axis=0))] = True
        for part in ("weight", "bias"):
            arrays[f"hidden.{index}.{part}"] = arrays[f"hidden.{index}.{part}"][kept]
        for name in after(arrays, index):
            arrays[f"{name}.weight"] = arrays[f"{name}.weight"][:, kept]
        inputs = np.maximum(sums[:, kept], np.float32(0))
    return {name: np.ascontiguousarray(array) for name, array in arrays.items()}


def with_fresh_units(arrays: Arrays, widths: tuple[int, ...], observations: Observations, seed: int = 0) -> Arrays:
    """The arrays, in single precision, with fresh units up to the given widths.

    Raises `ValueError` if a layer has more units than that, or the number of layers is another.
    """
    arrays = {name: array.astype(np.float32) for name, array in arrays.items()}
    present = tuple(len(arrays[f"hidden.{index}.bias"]) for index in range(depth_of(arrays)))
    if len(widths) != len(present) or any(np.less(widths, present)):
        raise ValueError(f"widths: expected at least {' '.join(map(str, present))}, got {' '.join(map(str, widths))}")
    random, inputs = np.random.default_rng(seed), scaled(arrays, observations)
    for index, width in enumerate(widths):
        name, sums = f"hidden.{index}", sums_of_layer(arrays, index, inputs)
        weight = arrays[f"{name}.weight"]
        fresh = random.standard_normal((width - len(weight), weight.shape[1])) * weight.std(axis=0)
        if index:  # fresh units of the layer before have no weights yet from which a size could be taken
            unused = ~weight.any(axis=0)
            fresh[:, unused] = random.standard_normal((len(fresh), unused.sum())) * weight[:, ~unused].std()
        fresh_sums = inputs @ fresh.T
        factor = sums.std(axis=0).mean() / fresh_sums.std(axis=0)
        biases = -np.quantile(fresh_sums * factor, 1 - ACTIVE, axis=0)
        arrays[f"{name}.weight"] = np.concatenate([weight, fresh * factor[:, None]]).astype(np.float32)
        arrays[f"{name}.bias"] = np.concatenate([arrays[f"{name}.bias"], biases]).astype(np.float32)
        for later in after(arrays, index):
            columns = np.zeros((len(arrays[f"{later}.weight"]), len(fresh)), np.float32)
            arrays[f"{later}.weight"] = np.concatenate([arrays[f"{later}.weight"], columns], axis=1)
        inputs = np.maximum(sums_of_layer(arrays, index, inputs), np.float32(0))
    return arrays


def without_preferences(arrays: Arrays, table: ActionTable, verbs: Sequence[str]) -> Arrays:
    """The arrays with the same logit for all actions of a verb: the mean of those that they had.

    Raises `ValueError` for a verb that the table does not have.
    """
    arrays = dict(arrays)
    for name in verbs:
        if name not in (known := [verb.name for verb in table]):
            raise ValueError(f"forget: expected verbs of {', '.join(known)}, got {name!r}")
        verb = table.verb(name)
        actions = slice(verb.first, verb.first + verb.count)
        for part in ("policy.weight", "policy.bias"):
            arrays[part] = arrays[part].copy()
            arrays[part][actions] = arrays[part][actions].mean(axis=0)
    return arrays


def after(arrays: Arrays, index: int) -> list[str]:
    """The names of the layers that read a hidden layer."""
    following = f"hidden.{index + 1}"
    return [following] if f"{following}.bias" in arrays else [name for name in HEADS if f"{name}.bias" in arrays]


def reshape(options: Options) -> tuple[list[int], list[int]]:
    """Write the model file; returns the numbers of units that are not idle and those of the written model.

    Raises `ValueError` for a model that is no perceptron, for widths that are too small and for unknown verbs.
    """
    game = find_game(options.game)
    player = opponents.load(options.model, game=game)
    if not isinstance(player, NetworkAgent) or not isinstance(player.network, Network):
        raise ValueError(f"model: expected a perceptron without search, got {options.model!r}")
    network, header = player.network, player.network.header
    observations = observed(network, game, header.get("components"))
    arrays = without_idle_units(network.arrays, observations)
    used = make_model(arrays, header).widths
    if options.widths:
        arrays = with_fresh_units(arrays, options.widths, observations, options.seed)
    arrays = without_preferences(arrays, game.actions, options.forget)
    model = make_model(arrays, header | {"version": digest(arrays)})
    model.header["layers"] = [model.input_size, *model.widths]
    model.save(options.out)
    return used, model.widths


def main() -> int:
    """Reshape as the command line says; returns the exit status."""
    options = tyro.cli(Options, prog="python -m training.models.reshape", description=Options.__doc__)
    try:
        used, widths = reshape(options)
    except (ValueError, OSError) as error:
        print(f"training.models.reshape: {error}", file=sys.stderr)
        return 2
    print(f"{options.out}: {', '.join(map(str, widths))} units, of which {', '.join(map(str, used))} were in use")
    return 0


if __name__ == "__main__":
    sys.exit(run_main(main))

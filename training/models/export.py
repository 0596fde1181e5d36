"""Write a trained player as ONNX, for programs that are not Python.

    python -m training.models.export --model champion

The graph takes observations as the environment gives them, int8 ``(batch, observation size)``, and returns the policy's
``logits`` ``(batch, actions)`` and ``values`` ``(batch, seats)``, the deciding seat's first. Illegal actions are not
masked. The metadata hold the model file's header as JSON, under ``header``. Needs the packages onnx and onnxruntime.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import tyro
from numpy.typing import NDArray

from agents.network import Network, NetworkAgent, make_model
from dunaia_env.harness import opponents
from dunaia_env.harness.game import Game
from dunaia_env.harness.registry import DEFAULT_GAME, find_game
from dunaia_env.support import atomic
from dunaia_env.support.array_files import HEADER_KEY
from dunaia_env.support.terminal import run_main
from training.models.positions import played_positions

# Versions of 2022, which every maintained runtime reads.
OPSET, IR_VERSION = 17, 8
INPUT, OUTPUTS = "observations", ("logits", "values")
# Number of positions in which the file is compared with the player, and the largest difference allowed. Sums in single
# precision differ by some 1e-6 of their size if they are added in another order.
POSITIONS = 1024
TOLERANCE = 1e-4


class ExportError(ValueError):
    """A model that cannot be written as ONNX, or whose ONNX file gives other numbers; the message says why."""


@dataclass(frozen=True)
class Options:
    """Write a trained player as ONNX."""

    model: str = opponents.CHAMPION
    """Name of a shipped player, or a model file."""
    out: Path | None = None
    """File to write; the model's name with .onnx in the working folder if absent."""
    game: str = DEFAULT_GAME.name
    """The player's game: its name, or a module with a game of your own, such as my_package.game."""


def export(options: Options) -> tuple[Path, float]:
    """Write the file; returns its path and the largest difference of its outputs from the player's.

    Raises `ExportError` for missing packages or for a difference above `TOLERANCE`; then nothing is written.
    """
    onnx, runtime = (_package(name) for name in ("onnx", "onnxruntime"))
    player = opponents.load(options.model, game=find_game(options.game))
    if not isinstance(player, NetworkAgent):
        raise ExportError(f"model: expected a network without search, got {options.model!r}")
    if not isinstance(player.network, Network):
        raise ExportError(
            f"model: expected a perceptron, got {options.model!r} with a network {player.network.architecture!r}"
        )
    content = graph_of(onnx, player.network, player.game).SerializeToString()
    difference = largest_difference(runtime, content, player)
    if not difference <= TOLERANCE:
        raise ExportError(f"{options.model}: ONNX gives other numbers, by {difference:.2g}; {TOLERANCE:g} is allowed")
    path = options.out or Path(Path(opponents.model_file(options.model, player.game)).stem + ".onnx")
    atomic.write_bytes(path, content)
    return path, difference


def _package(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as error:
        raise ExportError(f"{name} is not installed: pip install 'dunaia-env[onnx]'") from error


def graph_of(onnx: Any, network: Network, game: Game) -> Any:
    """A player's network for a game as a checked ``onnx.ModelProto``."""
    make, types = onnx.helper, onnx.TensorProto
    numbers: list[Any] = []
    nodes: list[Any] = []

    def constant(name: str, array: NDArray[Any]) -> str:
        numbers.append(onnx.numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        nodes.append(make.make_node(kind, inputs, [output], **attributes))
        return output

    def layer(name: str, before: str, output: str) -> str:
        matrix, bias = named[name]
        return node("Gemm", [before, constant(f"{name}.matrix", matrix), constant(f"{name}.bias", bias)], output)

    depth = len(network.layers()) - len(OUTPUTS)
    hidden = [f"hidden.{index}" for index in range(depth)]
    named = dict(zip([*hidden, "policy", "value"], network.layers(), strict=True))
    seen = INPUT
    if network.input_size < game.observation_size:
        ends = [constant(name, np.array([value])) for name, value in (("begin", 0), ("end", network.input_size))]
        seen = node("Slice", [seen, *ends, constant("axis", np.array([1]))], "seen")
    x = node("Cast", [seen], "numbers", to=types.FLOAT)
    for name in hidden:
        x = node("Relu", [layer(name, x, f"{name}.sum")], name)
    layer("policy", x, OUTPUTS[0])
    layer("value", x, OUTPUTS[1])
    sizes = (network.num_actions, len(named["value"][1]))
    graph = make.make_graph(
        nodes,
        str(network.header.get("name", "network")),
        [make.make_tensor_value_info(INPUT, types.INT8, ["batch", game.observation_size])],
        [
            make.make_tensor_value_info(name, types.FLOAT, ["batch", size])
            for name, size in zip(OUTPUTS, sizes, strict=True)
        ],
        numbers,
    )
    model = make.make_model(
        graph, opset_imports=[make.make_opsetid("", OPSET)], ir_version=IR_VERSION, producer_name="dunaia-env"
    )
    make.set_model_props(model, {HEADER_KEY: json.dumps(network.header)})
    onnx.checker.check_model(model, full_check=True)
    return model


def largest_difference(runtime: Any, content: bytes, player: NetworkAgent) -> float:
    """The largest difference of a file's outputs from the player's, in positions of its games, one and many at once."""
    session = runtime.InferenceSession(content, providers=["CPUExecutionProvider"])
    header = player.network.header
    tables = {"players": [player.game.max_players]} | header
    network = make_model(player.network.arrays, tables)
    observations, _ = played_positions(network, game=player.game, positions=POSITIONS)
    differences = [
        np.abs(found - ours).max()
        for rows in (observations, observations[:1])
        for found, ours in zip(session.run(OUTPUTS, {INPUT: rows}), player.forward(rows), strict=True)
    ]
    return float(np.max(differences))


def main() -> int:
    """Export as the command line says; returns the exit status."""
    options = tyro.cli(Options, prog="python -m training.models.export", description=Options.__doc__)
    try:
        path, difference = export(options)
    except (ValueError, OSError) as error:
        print(f"training.models.export: {error}", file=sys.stderr)
        return 2
    print(f"{path}: {path.stat().st_size:,} bytes; its numbers differ by at most {difference:.2g} from NumPy's")
    return 0


if __name__ == "__main__":
    sys.exit(run_main(main))

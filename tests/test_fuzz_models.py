"""Damaged and made-up model files and checkpoints: refused in a sentence, or good for what they are."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

torch = pytest.importorskip("torch")

from agents.dunaia.shared_indices import Indices  # noqa: E402
from agents.dunaia.shared_network import shapes_of  # noqa: E402
from agents.guided import GuidedAgent  # noqa: E402
from agents.network import NetworkAgent, make_model  # noqa: E402
from dunaia_env.dunaia import (  # noqa: E402
    ACTION_HASH,
    NUM_ACTIONS,
    OBSERVATION_HASH,
    OBSERVATION_SCALE,
    load,
    used_size,
)
from dunaia_env.harness.lanes import Lanes  # noqa: E402
from dunaia_env.support.array_files import ArrayFileError, Arrays, write_arrays  # noqa: E402
from tests.fuzzing import examples, fuzz  # noqa: E402
from tests.test_training_ppo import toy_trainer, update  # noqa: E402
from training.running import checkpoint  # noqa: E402
from training.running.health import DivergenceError  # noqa: E402

pytestmark = pytest.mark.once

WIDTH = 4
FORMAT = {"format": "dunaia-network", "schema": 1}
NUMBERS = [0.0, -1.0, 1.0, 1e-45, -1e-30, 300.0, 65504.0, 1e30, -1e34, 1e37, 3e38, -3e38, np.inf, -np.inf, np.nan]
ODD: list[Any] = [
    *(None, True, 0, -1, 1, 2, 3, 5, 10**30, 0.5, 1e308, float("nan"), "", "x", "x" * 5000, "\x1b[2J\n", "F16", "F32"),
    *(
        [],
        {},
        [0],
        [2],
        [2, 3, 4],
        [-1],
        [[]],
        ["x"],
        [2**63],
        {"x": 1},
        [0, 0],
        [0, 4],
        "BF16",
        "F64",
        "I8",
        "F8_E4M3",
    ),
]
DTYPES = [np.float16, np.float32, np.float64, np.int8, np.int64, np.uint8, np.bool_, np.complex64]


@cache
def plain_model() -> tuple[Arrays, dict[str, Any]]:
    random = np.random.default_rng(0)
    inputs = used_size(2)
    arrays: Arrays = {"input_scale": OBSERVATION_SCALE[:inputs].copy()}
    for name, outputs, size in (
        *(("hidden.0", WIDTH, inputs), ("hidden.1", WIDTH, WIDTH)),
        *(("policy", NUM_ACTIONS, WIDTH), ("value", 4, WIDTH), ("score", 2, WIDTH)),
    ):
        arrays[f"{name}.weight"] = random.normal(size=(outputs, size)).astype(np.float32)
        arrays[f"{name}.bias"] = random.normal(size=outputs).astype(np.float32)
    hashes = {"action_hash": ACTION_HASH, "observation_hash": OBSERVATION_HASH, "components_hash": load(None).hash}
    return arrays, {**FORMAT, **hashes, "players": [2, 3, 4], "elites": [True], "name": "fuzzed", "version": "1"}


@cache
def plain_shared() -> tuple[Arrays, dict[str, Any]]:
    random = np.random.default_rng(1)
    shapes = shapes_of(Indices(int(used_size(2))), 2, 2, WIDTH)
    arrays: Arrays = {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    return arrays, plain_model()[1] | {"architecture": "shared", "players": [2]}


def as_file(arrays: Arrays, header: dict[str, Any]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        write_arrays(Path(folder) / "x", arrays, header)
        return (Path(folder) / "x").read_bytes()


@cache
def plain_file() -> bytes:
    return as_file(*plain_model())


@cache
def plain_shared_file() -> bytes:
    return as_file(*plain_shared())


@cache
def plain_checkpoint() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        trainer = small_trainer()
        update(trainer, 2)
        trainer.save(Path(folder))
        return (Path(folder) / checkpoint.FILE).read_bytes()


def small_trainer() -> Any:
    return toy_trainer(lanes=4, steps=8, width=4, decisions=4096, past_share=0.5, past_updates=1, past_kept=2)


# By name: hypothesis shows what a strategy is made of, and files are long.
PLAIN = {"model": plain_file, "shared": plain_shared_file, "checkpoint": plain_checkpoint}

# What is tried.


def model(data: bytes) -> str | None:
    """A model file that is loaded plays every game to its end, with and without luck and search."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.safetensors"
        path.write_bytes(data)
        try:
            agent = NetworkAgent.load(path)
        except ArrayFileError as error:
            return str(error).replace(folder, "")
    players = range(2, max(agent.network.header.get("players", [4])) + 1)
    for temperature in (0.0, 1.0):
        drawing = agent.with_temperature(temperature)
        lanes = Lanes(len(players), num_players=list(players), elites=True, max_rounds=2, autoreset=False)
        lanes.reset(1)
        actions = np.zeros(len(players), np.int32)
        while (active := np.flatnonzero(lanes.seats >= 0)).size:
            actions[active] = drawing.act_batch(lanes, active)
            lanes.step(actions)  # raises at an illegal one
    lanes.reset(2)
    found = GuidedAgent(agent, 4, candidates=2).search(lanes.get_state(0))
    assert np.isfinite(found.policy).all()
    assert np.isfinite(found.value).all()
    make_model(agent.network.arrays, agent.network.header)
    return None


def resumed(data: bytes) -> str | None:
    """A checkpoint that is taken is gone on with: an update is made, saved and taken again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / checkpoint.FILE
        path.write_bytes(data)
        trainer = small_trainer()
        before = trainer.decisions, trainer.random.bit_generator.state
        try:
            trainer.restore(Path(folder))
        except checkpoint.CheckpointError as error:
            assert path.read_bytes() == data
            assert (trainer.decisions, trainer.random.bit_generator.state) == before
            return str(error).replace(folder, "")
        decisions = trainer.decisions
        try:
            update(trainer, 1)
            trainer.save(Path(folder))
        except DivergenceError as error:
            return str(error)
        assert trainer.decisions == decisions + 32
        again = small_trainer()
        again.restore(Path(folder))
        assert again.decisions == trainer.decisions
    return None


# How inputs are made.


@st.composite
def changed_bytes(draw: DrawFn, kind_of_file: str) -> bytes:
    """Some bytes of a file are others, some are missing, some come twice. Half of the places lie in the header."""
    plain = PLAIN[kind_of_file]()
    content = bytearray(plain)
    end = int.from_bytes(plain[:8], "little") + 8
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, min(end, len(content)) - 1) | st.integers(0, max(len(content) - 1, 0)))
        kind = draw(st.sampled_from(["set", "set", "bit", "cut", "drop", "more", "twice"]))
        if kind == "set":
            some = draw(st.binary(min_size=1, max_size=8))
            content[place : place + len(some)] = some
        elif kind == "bit" and place < len(content):
            content[place] ^= 1 << draw(st.integers(0, 7))
        elif kind == "cut":
            del content[place:]
        elif kind == "drop":
            del content[place : place + draw(st.integers(1, 64))]
        elif kind == "more":
            content[place:place] = draw(st.binary(min_size=1, max_size=64)) * draw(st.sampled_from([1, 50]))
        else:
            content[place:place] = content[place : place + draw(st.integers(1, 64))]
        if not content:
            break
    return bytes(content)


@st.composite
def changed_layout(draw: DrawFn, kind_of_file: str) -> bytes:
    """The JSON at the file's beginning says other types, shapes, places and names."""
    plain = PLAIN[kind_of_file]()
    end = int.from_bytes(plain[:8], "little") + 8
    table, data = json.loads(plain[8:end]), plain[end:]
    for _ in range(draw(st.integers(1, 2))):
        name = draw(st.sampled_from(sorted(table)))
        if name == "__metadata__":
            table[name] = draw(st.sampled_from([None, {}, {"header": "{}"}, {"header": "[" * 5000}, {"header": 5}, []]))
            continue
        kind = draw(st.sampled_from(["dtype", "shape", "data_offsets", "name", "drop", "more"]))
        if kind == "name":
            table[draw(st.sampled_from(sorted(table))) + draw(st.sampled_from(["", ".x"]))] = table.pop(name)
        elif kind == "drop":
            del table[name]
        elif kind == "more":
            table[name]["x"] = draw(st.sampled_from(ODD))
        elif isinstance(table[name], dict):
            before = table[name].get(kind)
            other = before[::-1] if isinstance(before, list) else "F16"
            table[name][kind] = draw(st.sampled_from([*ODD, other, other]))
    text = json.dumps(table).encode()
    return len(text).to_bytes(8, "little") + text + data


def change_array(draw: DrawFn, array: Any) -> Any:
    """Another type, shape or content."""
    kind = draw(st.sampled_from(["all", "some", "scale", "dtype", "shape", "rows"]))
    with np.errstate(all="ignore"):
        if kind == "all":
            return np.full_like(array, draw(st.sampled_from(NUMBERS if array.dtype.kind == "f" else [0, 1, -1 % 128])))
        if kind == "some" and array.dtype.kind == "f" and array.size:
            array = array.copy()
            array.reshape(-1)[draw(st.integers(0, array.size - 1))] = draw(st.sampled_from(NUMBERS))
            return array
        if kind == "scale" and array.dtype.kind == "f":
            return (array * draw(st.sampled_from(NUMBERS))).astype(array.dtype)
        if kind == "dtype":
            return np.nan_to_num(array.real).astype(draw(st.sampled_from(DTYPES)))
        if kind == "shape":
            flat = array.reshape(-1)
            return draw(st.sampled_from([array.T, flat, array[None], flat[:0], flat[:1]]))
        rows = array if array.ndim else array[None]
        return np.repeat(rows, 2, axis=0) if draw(st.booleans()) else rows[: len(rows) // 2]


def change_json(draw: DrawFn, content: dict[str, Any]) -> None:
    """Another value somewhere in a header, or none."""
    inner: Any = content
    while True:
        key = draw(st.sampled_from(sorted(inner)) if isinstance(inner, dict) else st.integers(0, len(inner) - 1))
        if isinstance(inner[key], dict | list) and inner[key] and draw(st.integers(0, 3)):
            inner = inner[key]
            continue
        if isinstance(inner, dict) and draw(st.integers(0, 4)) == 0:
            del inner[key]
        else:
            inner[key] = draw(st.sampled_from(ODD))
        return


@st.composite
def changed_models(draw: DrawFn, kind_of_file: str) -> bytes:
    """Whole files with other arrays and another header."""
    arrays, header = {"model": plain_model, "shared": plain_shared}[kind_of_file]()
    arrays, header = dict(arrays), json.loads(json.dumps(header))
    if draw(st.integers(0, 3)) == 0:
        change_json(draw, header)
    for _ in range(draw(st.integers(0, 3))):
        name = draw(st.sampled_from(sorted(arrays)))
        kind = draw(st.sampled_from(["change"] * 6 + ["drop", "name"]))
        if kind == "change":
            arrays[name] = change_array(draw, arrays[name])
        elif kind == "drop" and len(arrays) > 1:
            del arrays[name]
        else:
            arrays[draw(st.sampled_from([*sorted(arrays), "hidden.2.weight", "more"]))] = arrays[name]
    if draw(st.integers(0, 3)) == 0:
        with np.errstate(all="ignore"):
            arrays = {
                name: array.astype(np.float16) if array.dtype == np.float32 else array for name, array in arrays.items()
            }
    return as_file(arrays, header)


def models(kind: str) -> SearchStrategy[bytes]:
    return changed_models(kind) | changed_models(kind) | changed_bytes(kind) | changed_layout(kind)


@st.composite
def changed_checkpoints(draw: DrawFn) -> bytes:
    """Whole checkpoints, with a checksum that is right, with other arrays and another header.

    What stands in the lanes' arrays stays: they are a game's own, and read as it wrote them.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        path.write_bytes(plain_checkpoint())
        groups, header = checkpoint.load(path)
        if draw(st.booleans()):
            change_json(draw, header)
        for _ in range(draw(st.integers(0, 2))):
            group = draw(st.sampled_from(sorted(groups)))
            name = draw(st.sampled_from(sorted(groups[group]) or [""]))
            if not name:
                continue
            if draw(st.integers(0, 5)) == 0:
                del groups[group][name]
            elif group == "lanes":
                groups[group][name] = groups[group][name][: draw(st.integers(0, 3))]
            else:
                groups[group][name] = change_array(draw, groups[group][name])
        checkpoint.save(path, groups, header)
        return path.read_bytes()


def checkpoints() -> SearchStrategy[bytes]:
    return changed_checkpoints() | changed_checkpoints() | changed_checkpoints() | changed_bytes("checkpoint")


SLOW = pytest.mark.slow


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "long"),
    [("model", False), pytest.param("model", True, marks=SLOW), pytest.param("shared", True, marks=SLOW)],
)
def test_model_files_are_refused_or_play(kind: str, long: bool) -> None:
    tally = fuzz("tests.test_fuzz_models:model", models(kind), examples(long=long), first=PLAIN[kind]())
    print(tally)
    # Of the network with shared encoders, nearly every array has one possible shape.
    assert min(tally.accepted, tally.refused) > (0.1 if kind == "model" else 0.03) * tally.different


@pytest.mark.slow
def test_checkpoints_are_refused_or_gone_on_with() -> None:
    # A quarter of the models' number: a trainer that is made, asked to learn and saved takes five times as long.
    tally = fuzz("tests.test_fuzz_models:resumed", checkpoints(), examples(long=True) // 4, first=plain_checkpoint())
    print(tally)
    assert min(tally.accepted, tally.refused) > 0.02 * tally.different

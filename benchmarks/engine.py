"""The speed of the engine and its environments, measured with the code that a user would write.

``python -m benchmarks.engine [--json FILE] [--seconds 1.0] [--repeats 5]``. Every row is the median of several repeats.
Rows that are compared with each other are measured in turn, because a machine's speed drifts.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from numba import njit
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from agents.model import FIRST_LAYER, FIXED_POINT, FLOATING_POINT
from agents.network import Network, NetworkAgent
from benchmarks import measuring
from benchmarks.measuring import DECISIONS, SIMULATIONS, Count, Row, Work
from dunaia_env import GameState, Lanes, dunaia_v0
from dunaia_env.harness.compiled.random_play import random_games
from dunaia_env.harness.game import Game
from dunaia_env.harness.opponents import load
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.harness.state import prepare
from dunaia_env.support.machine import machine
from dunaia_env.support.terminal import run_main

LANES = 1024
GAMES = 50
# Hidden layers of the measured networks: the champion's, and a wide first layer with narrow ones after it, which suits
# players that compute by differences.
NETWORK_LAYERS, WIDE_FIRST = (512, 512), (1024, 128, 128)
VERSIONED = ("dunaia-env", "numpy", "numba", "gymnasium", "pettingzoo")


@dataclass(frozen=True)
class Arguments(measuring.Arguments):
    """Measure the engine."""


def lanes_work(threads: int, game: Game = DEFAULT_GAME, **options: Any) -> Work:
    """Uniformly random legal play of a batch; mask and observation are written for every decision."""
    lanes = Lanes(LANES, game=game, threads=threads, **options)
    lanes.reset(seed=1)

    def work() -> Count:
        games = 0
        for _ in range(20):
            lanes.step(lanes.random_actions(seed=1))
            games += int(np.count_nonzero(lanes.terminations))
        return Count(20 * LANES, games)

    work()
    return work


def vector_work(environment: str) -> Work:
    """A vector environment of Gymnasium, by name, with random actions of the learner; opponents are not counted."""
    games: Any = gymnasium.make_vec(environment, num_envs=LANES)
    games.reset(seed=1)
    lanes = games.games.lanes

    def work() -> Count:
        ended = 0
        for _ in range(20):
            _, _, terminations, _, _ = games.step(lanes.random_actions(seed=1))
            ended += int(np.count_nonzero(terminations))
        return Count(20 * LANES, ended)

    work()
    return work


def random_games_work(game: Game = DEFAULT_GAME, **options: Any) -> Work:
    """Whole random games inside compiled code, without observations."""
    rules = game.load(None)
    seeds = iter(range(1, 10**9))
    table = prepare(game)
    row = game.option_row(game.check_options(options))
    return lambda: Count(int(random_games(table, rules.buffer, next(seeds), GAMES, row)), GAMES)


def search_work(name: str) -> Work:
    """Searches of the opening of a two-player game by an agent; counts simulations."""
    agent: Any = load(name)
    states = itertools.cycle([GameState.new(seed) for seed in range(16)])

    def work() -> Count:
        simulations = int(agent.search(next(states)).visits.sum())
        return Count(simulations, 0)

    work()
    return work


def network_agent(layers: Sequence[int] = NETWORK_LAYERS, first_layer: str = FLOATING_POINT) -> NetworkAgent:
    """A player with random weights: the cost of a decision does not depend on the weights."""
    random, sizes = np.random.default_rng(0), (DEFAULT_GAME.observation_size, *layers)
    shapes = {f"hidden.{index}": pair for index, pair in enumerate(itertools.pairwise(sizes))}
    shapes |= {"policy": (sizes[-1], DEFAULT_GAME.num_actions), "value": (sizes[-1], DEFAULT_GAME.max_players)}
    arrays = {"input_scale": DEFAULT_GAME.observation_scale}
    for name, (inputs, outputs) in shapes.items():
        arrays[f"{name}.weight"] = (random.normal(size=(outputs, inputs)) / inputs**0.5).astype(np.float32)
        arrays[f"{name}.bias"] = np.zeros(outputs, np.float32)
    return NetworkAgent(Network(arrays, {FIRST_LAYER: first_layer}))


def lanes_of_all_kinds() -> Lanes:
    """Lanes of all numbers of players and variants, some way into their games."""
    plain, full = DEFAULT_GAME.default_options(), DEFAULT_GAME.default_options(full=True)
    options: dict[str, Any] = {name: [value, full[name]] for name, value in plain.items()}
    players = list(range(DEFAULT_GAME.min_players, DEFAULT_GAME.max_players + 1))
    lanes = Lanes(LANES, num_players=players, **options)
    lanes.reset(seed=1)
    for _ in range(60):
        lanes.step(lanes.random_actions(seed=1))
    return lanes


def network_games_work(layers: Sequence[int], first_layer: str) -> Work:
    """Games of a network against itself in a batch, the engine's steps included."""
    agent, lanes, everywhere = network_agent(layers, first_layer), lanes_of_all_kinds(), np.arange(LANES)

    def work() -> Count:
        lanes.step(agent.act_batch(lanes, everywhere))
        return Count(LANES, int(np.count_nonzero(lanes.terminations)))

    work()
    return work


def network_work(batch: int) -> Work:
    """Decisions of a network in ``batch`` positions at once; if ``batch`` is 1, in one position after the other."""
    agent, lanes = network_agent(), lanes_of_all_kinds()
    states = itertools.cycle([lanes.get_state(lane) for lane in range(64)])
    everywhere = np.arange(batch)

    def work() -> Count:
        if batch > 1:
            agent.act_batch(lanes, everywhere)
        else:
            agent.act(next(states))
        return Count(batch, 0)

    work()
    return work


def aec_work(environment: Any) -> Work:
    """The loop of PettingZoo's documentation with `last`, and a random legal action."""
    generator = np.random.default_rng(0)
    environment.reset(seed=1)

    def work() -> Count:
        decisions = games = 0
        for _ in range(500):
            observation, _, terminated, truncated, _ = environment.last()
            if terminated or truncated:
                environment.step(None)
                if not environment.agents:
                    environment.reset()
                    games += 1
                continue
            legal = np.flatnonzero(observation["action_mask"])
            environment.step(legal[int(generator.random() * len(legal))])
            decisions += 1
        return Count(decisions, games)

    work()
    return work


def clone_seconds() -> float:
    """Seconds of one `GameState.clone`."""
    state = GameState.new(1)
    count = 100_000
    begin = time.perf_counter()
    for _ in range(count):
        state.clone()
    return (time.perf_counter() - begin) / count


@njit(nogil=True)
def copy_many(states: NDArray[np.uint8], copies: int) -> None:
    """Copy states ``copies`` times, each onto another row, as a search inside compiled code would."""
    rows = states.shape[0]
    for i in range(copies):
        states[(7 * i + 1) % rows] = states[i % rows]


def kernel_clone_seconds() -> float:
    """Seconds of one copy of a state inside compiled code."""
    states = np.stack([np.frombuffer(GameState.new(seed).to_bytes(), np.uint8) for seed in range(64)])
    copy_many(states, 1)
    count = 1_000_000
    begin = time.perf_counter()
    copy_many(states, count)
    return (time.perf_counter() - begin) / count


def run_python(code: str, **environment: str) -> float:
    """Seconds that a fresh interpreter reports for the code, which must print them."""
    output = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(output.stdout)


_TIMED = "import time; begin = time.perf_counter(); {}; print(time.perf_counter() - begin)"
_IMPORT = _TIMED.format("import dunaia_env")
_COMPILE = "import dunaia_env; " + _TIMED.format("dunaia_env.Lanes(1).reset(seed=1)")
# After the game is compiled, in a process of its own.
_COMPILE_SEARCH = "import dunaia_env; from dunaia_env.harness.opponents import load; " + _TIMED.format(
    "load('mcts:10').act(dunaia_env.GameState.new(1))"
)


def measure(arguments: Arguments) -> list[Row]:
    """All rows."""
    repeats = range(arguments.repeats)
    rows: list[Row] = []

    def add(name: str, values: list[float], unit: str, batch: int = 1, threads: int = 1) -> None:
        rows.append(Row(name=name, unit=unit, batch=batch, threads=threads, **measuring.middle(values)))

    throughput: dict[str, tuple[Work, int, int]] = {
        "lanes_1_thread": (lanes_work(1), LANES, 1),
        "lanes_2_threads": (lanes_work(2), LANES, 2),
        "random_games_kernel": (random_games_work(), 1, 1),
        "gymnasium_vector": (vector_work("dunaia/Dunaia-v0"), LANES, 1),
        "gymnasium_self_play": (vector_work("dunaia/DunaiaSelfPlay-v0"), LANES, 1),
        "search_random_play_outs": (search_work("mcts:200,playout=random,prior_temperature=0"), 1, 1),
        "search_evaluations": (search_work("mcts:1000"), 1, 1),
        "network_alone": (network_work(1), 1, 1),
        "network_batch": (network_work(LANES), LANES, 1),
        "network_games": (network_games_work(NETWORK_LAYERS, FLOATING_POINT), LANES, 1),
        "network_games_fixed_point": (network_games_work(NETWORK_LAYERS, FIXED_POINT), LANES, 1),
        "network_games_wide_first": (network_games_work(WIDE_FIRST, FIXED_POINT), LANES, 1),
        "aec_raw": (aec_work(dunaia_v0.raw_env()), 1, 1),
        "aec_wrapped": (aec_work(dunaia_v0.env()), 1, 1),
    }
    works = {name: work for name, (work, _, _) in throughput.items()}
    rates = measuring.in_turn(works, arguments.seconds, arguments.repeats)
    for name, (_, batch, threads) in throughput.items():
        unit = SIMULATIONS if name.startswith("search") else DECISIONS
        add(name, [rate.decisions for rate in rates[name]], unit, batch, threads)
    add("clone_python", [clone_seconds() for _ in repeats], "s")
    add("clone_kernel", [kernel_clone_seconds() for _ in repeats], "s")
    add("import_seconds", [run_python(_IMPORT) for _ in repeats], "s")
    with tempfile.TemporaryDirectory() as folder:
        cold = {"XDG_CACHE_HOME": folder, "NUMBA_CACHE_DIR": ""}
        add("compile_cold_seconds", [run_python(_COMPILE, **cold)], "s")
        add("compile_search_seconds", [run_python(_COMPILE_SEARCH, **cold)], "s")
        add("compile_warm_seconds", [run_python(_COMPILE, **cold) for _ in repeats], "s")
    return rows


def main() -> None:
    """Measure, print and write."""
    arguments = measuring.parse(Arguments, "benchmarks.engine")
    rows = measure(arguments)
    found, versions = machine(), measuring.versions(VERSIONED)
    table = Table(title=f"{found['processor']}, {found['cores']} cores")
    for heading in ("name", "median", "unit", "batch", "threads", "lowest", "highest"):
        table.add_column(heading)
    for row in rows:
        numbers = [
            f"{number:,.0f}" if row.unit in (DECISIONS, SIMULATIONS) else f"{number:.3g}"
            for number in (row.value, row.lowest, row.highest)
        ]
        table.add_row(row.name, numbers[0], row.unit, str(row.batch), str(row.threads), *numbers[1:])
    Console(width=100).print(table)
    print("versions: " + ", ".join(f"{name} {number}" for name, number in versions.items()))
    if arguments.json is not None:
        measuring.write_results(arguments.json, rows, versions)


if __name__ == "__main__":
    sys.exit(run_main(main))

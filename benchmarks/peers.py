"""Compare dunaia_env with other projects' games: the same work, in one run, on one thread.

``python -m benchmarks.peers [--json FILE] [--seconds 1.0] [--repeats 5]``, or ``make peers``, which installs the other
projects in an environment of their own. All rows are uniformly random legal play; `DOORS` says what each includes. Only
the decisions of players are counted: chance outcomes and moves that an environment makes by itself take time, but do
not count. A project that is not installed is skipped and named.

A new row is a line in `ENTRIES`; its function prepares the games and returns a `Play`.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from benchmarks import measuring
from benchmarks.engine import LANES, aec_work, lanes_work, vector_work
from benchmarks.measuring import DECISIONS, Count, Row, Work, per_second
from dunaia_env import GameState, dunaia_v0
from dunaia_env.harness.compiled.chance import Stream
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.support.machine import machine
from dunaia_env.support.terminal import run_main

OWN = "dunaia_env"
VERSIONED = (
    *("dunaia-env", "numpy", "numba", "gymnasium", "pettingzoo", "chess", "rlcard", "shimmy"),
    *("open_spiel", "pgx", "jax", "catanatron", "catanatron-gym"),
)


@dataclass(frozen=True)
class Arguments(measuring.Arguments):
    """Compare dunaia_env with other projects' games."""


@dataclass(frozen=True)
class Door:
    """A way to play games; rows are compared with dunaia_env's row of the same door."""

    title: str
    includes: str


DOORS = {
    "batch": Door(
        "Many games at once",
        "Compiled code chooses the actions, plays all games of a batch, begins a new one where one ended, and writes"
        " the observation and the mask of every decision. dunaia_env: `Lanes`, two calls from Python for each step, and"
        " Gymnasium's vector interface in self-play, which also copies what it hands out."
        " Pgx: `auto_reset` under `vmap`, 32 steps in each call of a `jit` function, on the CPU, with the batch that"
        " proved the fastest here. Pgx is made for accelerators, which this does not measure.",
    ),
    "aec_wrapped": Door(
        "One game, PettingZoo's AEC interface",
        "The loop of PettingZoo's documentation: `last()`, an action that the mask allows, `step()`. Environments are"
        " what `env()` returns, so they have PettingZoo's wrappers; dunaia_env handles illegal actions without one.",
    ),
    "aec_raw": Door(
        "One game, the AEC interface without wrappers",
        "The same loop with what `raw_env()` returns.",
    ),
    "state": Door(
        "One game, its state in Python",
        "The legal actions, the observation and the mask are asked of the state, then an action is applied without"
        " another check. dunaia_env: `GameState`, whose `apply_legal` also settles chance. OpenSpiel, played by its C++"
        " code: `Observation.set_from`, the mask written from `legal_actions()`, `apply_action()`; outcomes of its"
        " chance nodes are drawn in between and not counted.",
    ),
    "state_bare": Door(
        "One game, its state in Python, nothing observed",
        "The same with the legal actions only. Catanatron, written in Python: `Game.play()` with its `RandomPlayer`s,"
        " which checks each action; all actions count, also those without an alternative, such as rolling the dice.",
    ),
    "gymnasium": Door(
        "One seat, Gymnasium's interface",
        "`step()` and, after the end, `reset()`, with an action that the info allows; the opponents are random and play"
        " inside `step()`, which is not counted. Catanatron's mask is written from its list of valid actions.",
    ),
}


@dataclass(frozen=True)
class Play:
    """Random play that is ready to be measured.

    Attributes:
        work: continues to play for a while.
        observation: numbers in the observation that is written for each decision; 0 for none.
        mask: entries of the mask of legal actions that is written for each decision; 0 for none.
        batch: games at once.
        threads: threads that play.
    """

    work: Work
    observation: int
    mask: int
    batch: int = 1
    threads: int = 1


@dataclass(frozen=True)
class Entry:
    """A row to be measured: `prepare` imports the project, so that a project may be missing."""

    door: str
    project: str
    game: str
    prepare: Callable[[], Play]

    @property
    def name(self) -> str:
        """The row's name, which no other row has."""
        return f"{self.door}/{self.project}/{self.game}"


@dataclass(frozen=True)
class PeerRow(Row):
    """A result, see `Entry` and `Play`."""

    door: str
    project: str
    game: str
    games_per_second: float
    observation: int
    mask: int


@dataclass(frozen=True)
class Skipped:
    """An entry without a row, and why."""

    door: str
    project: str
    game: str
    reason: str


def lanes() -> Play:
    """dunaia_env's lanes."""
    return Play(lanes_work(1), DEFAULT_GAME.observation_size, DEFAULT_GAME.num_actions, batch=LANES)


PGX_BATCHES = (64, 256, 1024, 4096)
PGX_STEPS = 32


def pgx_games(game: str) -> Play:
    """Pgx with the fastest of some batch sizes, on one thread."""
    import jax

    os.environ["NPROC"] = "1"  # the number of XLA's threads, read when JAX makes its first array
    jax.config.update("jax_platforms", "cpu")
    plays = [pgx_batch(game, batch) for batch in PGX_BATCHES]
    return max(plays, key=lambda play: per_second(play.work, 0.5).decisions)


def pgx_batch(game: str, batch: int) -> Play:
    """Pgx with ``batch`` games at once."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    environment = pgx.make(game)
    step = jax.vmap(auto_reset(environment.step, environment.init))

    def legal_actions(key: Any, masks: Any) -> Any:
        """Random actions from one random number per game; Pgx's `act_randomly` draws one per action and is slower."""
        counts = jnp.cumsum(masks, axis=1)
        return jnp.argmax(counts > jax.random.uniform(key, (batch, 1)) * counts[:, -1:], axis=1)

    def advance(carry: Any, _: None) -> Any:
        states, key, games = carry
        key, choices, chance = jax.random.split(key, 3)
        actions = legal_actions(choices, states.legal_action_mask)
        states = step(states, actions, jax.random.split(chance, batch))
        return (states, key, games + states.terminated.sum()), None

    def play(states: Any, key: Any) -> Any:
        return jax.lax.scan(advance, (states, key, jnp.int32(0)), None, length=PGX_STEPS)[0]

    compiled = jax.jit(play, donate_argnums=(0, 1))
    states = jax.jit(jax.vmap(environment.init))(jax.random.split(jax.random.key(1), batch))
    key = jax.random.key(0)

    def work() -> Count:
        nonlocal states, key
        states, key, games = compiled(states, key)
        return Count(PGX_STEPS * batch, int(games))  # Reading the number waits for the whole call.

    work()
    return Play(work, states.observation[0].size, states.legal_action_mask[0].size, batch)


def aec(environment: Any) -> Play:
    """A PettingZoo environment whose observations hold the mask."""
    agent = environment.possible_agents[0]
    shape = environment.observation_space(agent)["observation"].shape
    return Play(aec_work(environment), int(np.prod(shape)), int(environment.action_space(agent).n))


# The environments of pettingzoo.classic that have a mask.
CLASSIC = {
    "chess": "chess_v6",
    "connect four": "connect_four_v3",
    "go": "go_v5",
    "hanabi": "hanabi_v5",
    "leduc hold'em": "leduc_holdem_v4",
    "limit hold'em": "texas_holdem_v4",
    "no-limit hold'em": "texas_holdem_no_limit_v6",
    "tic-tac-toe": "tictactoe_v3",
}


def classic(module: str, function: str) -> Play:
    """One of PettingZoo's own games."""
    return aec(getattr(import_module(f"pettingzoo.classic.{module}"), function)())


def state(observed: bool) -> Play:
    """dunaia_env's `GameState`, whole games."""
    random = np.random.default_rng(0).random
    seeds = iter(range(1, 10**9))

    def work() -> Count:
        seed = next(seeds)
        game, chance = GameState.new(seed), Stream(seed)
        decisions = 0
        while legal := game.legal_actions():
            if observed:
                game.observation()
                game.action_mask()
            game.apply_legal(legal[int(random() * len(legal))], chance)
            decisions += 1
        return Count(decisions, 1)

    work()
    return Play(work, DEFAULT_GAME.observation_size if observed else 0, DEFAULT_GAME.num_actions if observed else 0)


def open_spiel(name: str, observed: bool) -> Play:
    """A game of OpenSpiel, whole games."""
    import pyspiel
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game(name)
    observation = make_observation(game) if observed else None
    mask = np.zeros(game.num_distinct_actions(), np.int8)
    random = np.random.default_rng(0).random

    def work() -> Count:
        state = game.new_initial_state()
        decisions = 0
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(drawn(state.chance_outcomes(), random()))
                continue
            legal = state.legal_actions()
            if observation is not None:
                observation.set_from(state, state.current_player())
                mark(mask, legal)
            state.apply_action(legal[int(random() * len(legal))])
            decisions += 1
        return Count(decisions, 1)

    work()
    return Play(work, observation.tensor.size if observation else 0, mask.size if observation else 0)


def drawn(outcomes: Iterable[tuple[int, float]], number: float) -> int:
    """The outcome that a number in [0, 1) selects, from outcomes with their probabilities."""
    last = -1
    for outcome, probability in outcomes:
        last = outcome
        number -= probability
        if number < 0:
            break
    return last


def mark(mask: NDArray[np.int8], legal: list[int]) -> None:
    """Write the mask of a list of legal actions."""
    mask.fill(0)
    mask[legal] = 1


def vector() -> Play:
    """dunaia_env's vector environment in self-play, with actions drawn by the lanes below it."""
    return Play(
        vector_work("dunaia/DunaiaSelfPlay-v0"), DEFAULT_GAME.observation_size, DEFAULT_GAME.num_actions, batch=LANES
    )


def single() -> Play:
    """dunaia_env's Gymnasium environment against the random agent."""
    environment = gymnasium.make("dunaia/Dunaia-v0", disable_env_checker=True)
    return one_seat(environment, DEFAULT_GAME.observation_size, lambda info: np.flatnonzero(info["action_mask"]))


def catanatron() -> Play:
    """Catanatron's engine with two of its random players, whole games."""
    from catanatron import Color, Game, RandomPlayer

    seeds = iter(range(1, 10**9))

    def work() -> Count:
        game = Game([RandomPlayer(Color.RED), RandomPlayer(Color.BLUE)], seed=next(seeds))
        game.play()
        return Count(len(game.state.actions), 1)

    work()
    return Play(work, 0, 0)


def catanatron_gymnasium() -> Play:
    """Catanatron's Gymnasium environment: two players, one of them random."""
    import_module("catanatron_gym")
    environment: Any = gymnasium.make("catanatron_gym:catanatron-v1", disable_env_checker=True)
    mask = np.zeros(environment.action_space.n, np.int8)

    def legal_actions(info: dict[str, Any]) -> list[int]:
        legal: list[int] = info["valid_actions"]
        mark(mask, legal)
        return legal

    return one_seat(environment, int(np.prod(environment.observation_space.shape)), legal_actions)


def one_seat(
    environment: Any, observation: int, legal_actions: Callable[[dict[str, Any]], Sequence[int] | NDArray[np.integer]]
) -> Play:
    """A Gymnasium environment with ``observation`` numbers in an observation and the legal actions in its infos."""
    random = np.random.default_rng(0).random
    _, info = environment.reset(seed=1)

    def work() -> Count:
        nonlocal info
        games = 0
        for _ in range(100):
            legal = legal_actions(info)
            _, _, terminated, truncated, info = environment.step(legal[int(random() * len(legal))])
            if terminated or truncated:
                _, info = environment.reset()
                games += 1
        return Count(100, games)

    work()
    return Play(work, observation, int(environment.action_space.n))


OPEN_SPIEL = {"backgammon": "backgammon", "chess": "chess", "connect four": "connect_four", "hanabi": "hanabi"}
ENTRIES = (
    Entry("batch", OWN, "Dunaïa", lanes),
    Entry("batch", OWN, "Dunaïa, Gymnasium's vector interface", vector),
    Entry("batch", "Pgx", "backgammon", partial(pgx_games, "backgammon")),
    Entry("batch", "Pgx", "connect four", partial(pgx_games, "connect_four")),
    Entry("aec_wrapped", OWN, "Dunaïa", lambda: aec(dunaia_v0.env())),
    *(Entry("aec_wrapped", "PettingZoo", game, partial(classic, module, "env")) for game, module in CLASSIC.items()),
    Entry("aec_raw", OWN, "Dunaïa", lambda: aec(dunaia_v0.raw_env())),
    *(Entry("aec_raw", "PettingZoo", game, partial(classic, module, "raw_env")) for game, module in CLASSIC.items()),
    Entry("state", OWN, "Dunaïa", partial(state, True)),
    *(Entry("state", "OpenSpiel", game, partial(open_spiel, name, True)) for game, name in OPEN_SPIEL.items()),
    Entry("state_bare", OWN, "Dunaïa", partial(state, False)),
    *(Entry("state_bare", "OpenSpiel", game, partial(open_spiel, name, False)) for game, name in OPEN_SPIEL.items()),
    Entry("state_bare", "Catanatron", "Catan", catanatron),
    Entry("gymnasium", OWN, "Dunaïa", single),
    Entry("gymnasium", "Catanatron", "Catan", catanatron_gymnasium),
)


def measure(arguments: measuring.Arguments, entries: Sequence[Entry]) -> tuple[list[PeerRow], list[Skipped]]:
    """The rows, and the entries that could not be measured; an error in one of dunaia_env's own entries is raised."""
    plays: dict[str, Play] = {}
    skipped: list[Skipped] = []
    for entry in measuring.progress(entries, lambda entry: f"preparing {entry.name}"):
        try:
            with warnings.catch_warnings():
                if entry.project != OWN:
                    warnings.simplefilter("ignore")  # warnings of another project's code
                plays[entry.name] = entry.prepare()
        except Exception as error:  # whatever fails in another project, the rest is measured
            if entry.project == OWN:
                raise
            fault = "not installed" if isinstance(error, ImportError) else type(error).__name__
            reason = f"{fault}: {str(error).partition(chr(10))[0]}"
            skipped.append(Skipped(entry.door, entry.project, entry.game, reason))
    works = {name: play.work for name, play in plays.items()}
    rates = measuring.in_turn(works, arguments.seconds, arguments.repeats)
    rows = []
    for entry in entries:
        if entry.name in plays:
            play = plays[entry.name]
            row = PeerRow(
                name=entry.name,
                unit=DECISIONS,
                batch=play.batch,
                threads=play.threads,
                **measuring.middle([rate.decisions for rate in rates[entry.name]]),
                door=entry.door,
                project=entry.project,
                game=entry.game,
                games_per_second=measuring.middle([rate.games for rate in rates[entry.name]])["value"],
                observation=play.observation,
                mask=play.mask,
            )
            rows.append(row)
    return rows, skipped


HEADS = (
    *("project", "game", "decisions/s", "lowest to highest", "against dunaia_env", "games/s"),
    *("observation", "mask", "games at once", "threads"),
)


def short(value: float) -> str:
    """A number as text with at least three significant digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def cells(rows: Sequence[PeerRow]) -> list[tuple[str, ...]]:
    """The rows of one door as texts below `HEADS`; "-" where there is no number."""
    own = next((row.value for row in rows if row.project == OWN), None)
    return [
        (
            row.project,
            row.game,
            f"{row.value:,.0f}",
            f"{row.lowest:,.0f} to {row.highest:,.0f}",
            short(row.value / own) if own else "-",
            short(row.games_per_second),
            f"{row.observation:,}" if row.observation else "-",
            f"{row.mask:,}" if row.mask else "-",
            f"{row.batch:,}",
            str(row.threads),
        )
        for row in rows
    ]


def left_out(skipped: Sequence[Skipped]) -> list[str]:
    """Lines that name what was skipped, one for each project and reason."""
    games: dict[tuple[str, str], dict[str, None]] = {}
    for entry in skipped:
        games.setdefault((entry.project, entry.reason), {})[entry.game] = None
    return [f"{project}: {', '.join(names)} ({reason})" for (project, reason), names in games.items()]


def main() -> None:
    """Measure, print and write."""
    arguments = measuring.parse(Arguments, "benchmarks.peers")
    rows, skipped = measure(arguments, ENTRIES)
    found, versions = machine(), measuring.versions(VERSIONED)
    console = Console(width=160)
    for door, meaning in DOORS.items():
        table = Table(title=meaning.title, title_justify="left")
        for head in HEADS:
            table.add_column(head)
        for texts in cells([row for row in rows if row.door == door]):
            table.add_row(*texts)
        if table.rows:
            console.print(table)
    for line in left_out(skipped):
        print(f"skipped: {line}")
    print(f"{found['processor']}, {found['cores']} cores")
    print("versions: " + ", ".join(f"{name} {number}" for name, number in versions.items()))
    if arguments.json is not None:
        measuring.write_results(arguments.json, rows, versions, skipped=[asdict(entry) for entry in skipped])


if __name__ == "__main__":
    sys.exit(run_main(main))

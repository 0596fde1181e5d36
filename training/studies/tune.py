"""Tune the weights of the hand-written evaluation by self-play.

An evolution strategy with weighted recombination and cumulative step-size adaptation (Hansen, Ostermeier: "Completely
derandomized self-adaptation in evolution strategies", 2001) plays greedy agents with varied weights against the initial
weights and against its own former means; all candidates of a generation play the same game seeds. The value weights are
then fitted to the results of the tuned agent's games by maximum likelihood (multinomial logit).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax

from dunaia_env.arena.match import describe, play_match
from dunaia_env.dunaia.weights import (
    FIRST_VALUE,
    LAST_TURNS,
    PHASES,
    POINTS,
    TERM_COUNT,
    VALUES_OF_A_PHASE,
    load_weights,
    weights_text,
)
from dunaia_env.harness.commands import check_numbers, run_command
from dunaia_env.harness.compiled.features import describe_lanes
from dunaia_env.harness.compiled.rewards import win_shares
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.opponents import Agent, GreedyAgent
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.harness.seeds import AGENT_SEED_BITS, batch_seed, derived_seed
from dunaia_env.support.atomic import write_text
from dunaia_env.support.terminal import run_main

Floats = NDArray[np.float64]

TUNED = np.array([number for number in range(TERM_COUNT + len(LAST_TURNS)) if number != POINTS])
LAST_TURN_NUMBERS = np.arange(TERM_COUNT, TERM_COUNT + len(LAST_TURNS))
# Weights below this size, in points, share one initial step size.
SMALL_WEIGHT = 0.2
MOST_OPPONENTS = 4
LEAST, MOST = DEFAULT_GAME.min_players, DEFAULT_GAME.max_players
TABLES = range(LEAST, MOST + 1)
PLAIN: dict[str, Any] = {**DEFAULT_GAME.default_options()}
FULL: dict[str, Any] = {**DEFAULT_GAME.default_options(full=True)}
# In the games from which the value weights are learned, one decision in STRIDE is kept and one in STRAY is random.
STRIDE = 8
STRAY = 20
RIDGE = 1e-5


def fitness(weights: Floats, opponents: list[Floats], *, games: int, seed: int) -> float:
    """Mean win share of a greedy agent relative to a fair share (1 is par), at the smallest and the largest tables.

    The options of the game are the default ones or those of the full game.
    """
    total = 0.0
    tables = [(LEAST, PLAIN, LEAST), (LEAST, FULL, LEAST), (MOST, PLAIN if seed % 2 else FULL, MOST)]
    for number, (players, options, orders) in enumerate(tables):
        for index, other in enumerate(opponents):
            match = play_match(
                [GreedyAgent(weights), GreedyAgent(other)],
                blocks=max(games // (len(tables) * len(opponents) * orders), 1),
                num_players=players,
                **options,
                seed=derived_seed(seed, "match", number, index),
            )
            total += match.shares[:, 0].mean() * players
    return total / (len(tables) * len(opponents))


def strategy_weights(parents: int) -> Floats:
    """Recombination weights of the best candidates, which fall with the logarithm of their rank."""
    raw = np.log(parents + 0.5) - np.log(np.arange(1, parents + 1))
    weights: Floats = raw / raw.sum()
    return weights


class Strategy:
    """The evolution strategy: proposes candidates and learns from their order.

    Args:
        mean: the initial mean, float64 ``(D,)``.
        scale: the initial standard deviations.
        population: number of candidates per generation.
        seed: seed of the random numbers.
    """

    def __init__(self, mean: Floats, scale: Floats, population: int, seed: int) -> None:
        self.mean, self.scale, self.step = mean.copy(), scale, 1.0
        self.population = population
        self._generator = np.random.default_rng(seed)
        self._weights = strategy_weights(population // 2)
        size = len(mean)
        mass = 1 / (self._weights**2).sum()
        self._rate = (mass + 2) / (size + mass + 5)
        self._damping = 1 + 2 * max(0.0, np.sqrt((mass - 1) / (size + 1)) - 1) + self._rate
        self._expected = np.sqrt(size) * (1 - 1 / (4 * size) + 1 / (21 * size**2))
        self._path_factor = np.sqrt(self._rate * (2 - self._rate) * mass)
        self._path = np.zeros(size)

    def ask(self) -> Floats:
        """Candidates, float64 ``(population, D)``, in mirrored pairs."""
        half = self._generator.standard_normal((self.population // 2, len(self.mean)))
        self._steps = np.concatenate([half, -half])
        candidates: Floats = self.mean + self.step * self.scale * self._steps
        return candidates

    def tell(self, values: Floats) -> None:
        """Move towards the best candidates, given the fitness of each (more is better)."""
        best = np.argsort(-values, kind="stable")[: len(self._weights)]
        move = self._weights @ self._steps[best]
        self.mean = self.mean + self.step * self.scale * move
        self._path = (1 - self._rate) * self._path + self._path_factor * move
        self.step *= float(np.exp(self._rate / self._damping * (np.linalg.norm(self._path) / self._expected - 1)))


def with_tuned(weights: Floats, tuned: Floats) -> Floats:
    """The weights with their tuned part replaced; the factors of the last turns are clipped to 0..1."""
    whole = weights.copy()
    whole[TUNED] = tuned
    whole[LAST_TURN_NUMBERS] = whole[LAST_TURN_NUMBERS].clip(0, 1)
    return whole


def tune(
    start: Floats,
    *,
    minutes: float,
    population: int,
    games: int,
    seed: int,
    report: Callable[[int, Strategy, Floats], None],
) -> Floats:
    """The weights after ``minutes`` minutes of tuning; ``report`` is called after each generation."""
    tuned = start[TUNED]
    strategy = Strategy(tuned, 0.3 * np.maximum(np.abs(tuned), SMALL_WEIGHT), population, seed)
    opponents = [start]
    generation, end = 0, time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        game_seed = derived_seed(seed, "generation", generation)
        candidates = strategy.ask()
        values = np.array(
            [fitness(with_tuned(start, candidate), opponents, games=games, seed=game_seed) for candidate in candidates]
        )
        strategy.tell(values)
        generation += 1
        if generation % 10 == 0:
            opponents = [*opponents, with_tuned(start, strategy.mean)][-MOST_OPPONENTS:]
        report(generation, strategy, values)
    return with_tuned(start, strategy.mean)


@dataclass(frozen=True)
class Positions:
    """N positions of greedy games: the features of the value function, and the results of the games.

    Attributes:
        features: float32 ``(N, 4, VALUES_OF_A_PHASE)``.
        phases: int64 ``(N, 4)``.
        present: bool ``(N, 4)``, False for an absent seat.
        shares: float64 ``(N, 4)``, win shares at the end.
    """

    features: NDArray[np.float32]
    phases: NDArray[np.int64]
    present: NDArray[np.bool_]
    shares: Floats


def record_positions(agent: Agent, players: int, *, games: int, seed: int) -> Positions:
    """Every `STRIDE`-th decision of games between copies of an agent that makes one in `STRAY` decisions at random."""
    agent.reset(derived_seed(seed, "agent", bits=AGENT_SEED_BITS))
    options: dict[str, Any] = {name: [value, FULL[name]] for name, value in PLAIN.items()}
    lanes = Lanes(games, num_players=players, autoreset=False, **options)
    lanes.reset(batch_seed(seed, "positions"))
    generator = np.random.default_rng(seed)
    features: list[NDArray[np.float32]] = []
    phases: list[NDArray[np.int64]] = []
    games_of: list[NDArray[np.int64]] = []
    while (active := np.flatnonzero(lanes.seats >= 0)).size:
        chosen = active[generator.integers(STRIDE, size=len(active)) == 0]
        seen = np.zeros((len(chosen), lanes.max_players, VALUES_OF_A_PHASE))
        phase = np.zeros((len(chosen), lanes.max_players), np.int64)
        lanes.call_kernel(describe_lanes, np.zeros(0), 0, chosen, seen, phase)
        features.append(seen.astype(np.float32))
        phases.append(phase)
        games_of.append(chosen)
        actions = agent.act_batch(lanes, active)
        strays = np.flatnonzero(generator.integers(STRAY, size=len(active)) == 0)
        actions[strays] = lanes.random_actions(seed % 2**32, active[strays])
        lanes.step(actions, active)
    shares = win_shares(lanes.final_ranks).astype(np.float64)
    rows = np.concatenate(games_of)
    present = np.tile(np.arange(lanes.max_players) < players, (len(rows), 1))
    return Positions(np.concatenate(features), np.concatenate(phases), present, shares[rows])


def join(parts: list[Positions]) -> Positions:
    """Several sets of positions as one."""
    return Positions(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Positions)))


def value_loss(parameters: Floats, positions: Positions) -> tuple[float, Floats]:
    """Mean cross-entropy of the win shares under value weights ``(phases * VALUES_OF_A_PHASE,)``, and its gradient."""
    table = parameters.reshape(len(PHASES), VALUES_OF_A_PHASE)
    promises = np.einsum("nsf,nsf->ns", positions.features, table[positions.phases])
    logs = log_softmax(np.where(positions.present, promises, -np.inf), axis=1)
    loss = -float((positions.shares * np.where(positions.present, logs, 0)).sum(axis=1).mean())
    errors = (np.where(positions.present, np.exp(logs), 0) - positions.shares) / len(logs)
    gradient = np.zeros_like(table)
    for phase in range(len(PHASES)):
        gradient[phase] = np.einsum("ns,nsf->f", errors * (positions.phases == phase), positions.features)
    return loss, gradient.ravel()


def fit_values(weights: Floats, positions: Positions) -> Floats:
    """The weights with the value weights that maximise the likelihood of the games' results.

    A ridge penalty (`RIDGE` times the squares, with standardised features) keeps those weights small that the data do
    not determine.
    """
    spread = positions.features[positions.present].std(axis=0)
    spread[spread == 0] = 1
    scaled = replace(positions, features=positions.features / spread)

    def loss(parameters: Floats) -> tuple[float, Floats]:
        value, gradient = value_loss(parameters, scaled)
        return value + RIDGE * float(parameters @ parameters), gradient + 2 * RIDGE * parameters

    start = np.zeros(len(PHASES) * VALUES_OF_A_PHASE)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500})
    fitted = weights.copy()
    fitted[FIRST_VALUE:] = (found.x.reshape(len(PHASES), -1) / spread).ravel()
    return fitted


@dataclass(frozen=True)
class Options:
    """Tune the hand-written evaluation by self-play of greedy players and write its data file."""

    out: Path
    """The data file to write; it is rewritten with the mean after each generation."""
    start: Path | None = None
    """The data file to start from; the project's own if absent."""
    minutes: float = 30
    """Minutes of tuning."""
    population: int = 20
    """Number of candidates in each generation, an even number."""
    games: int = 180
    """Number of games of each candidate in each generation."""
    seed: int = 0
    """Seed of every random choice."""
    value_games: int = 6000
    """Number of games times players from which the value weights are learned, for each number of players."""
    check_games: int = 2000
    """Number of games of the final match of the tuned player against the initial one, for each number of players."""


def check(options: Options) -> None:
    """Raise `ValueError` naming an option that is out of range and what is allowed."""
    check_numbers(options, positive=("minutes", "population", "games"), not_negative=("seed",))
    if options.population % 2:
        raise ValueError(f"population: expected an even number, got {options.population}")
    for name in ("value_games", "check_games"):
        if getattr(options, name) < MOST:
            raise ValueError(f"{name}: expected at least {MOST}, got {getattr(options, name)}")


def main(options: Options) -> None:
    """Tune, fit the value weights, write the data file, and play the result against the start.

    Raises `ValueError` naming an option that is out of its range.
    """
    from rich.console import Console

    check(options)
    console = Console()
    start = load_weights(options.start)
    begin = time.monotonic()

    def report(generation: int, strategy: Strategy, values: Floats) -> None:
        minutes = (time.monotonic() - begin) / 60
        console.print(
            f"generation {generation}, {minutes:.1f} of {options.minutes:g} min: best {values.max():.3f},"
            f" mean {values.mean():.3f} of a fair share; step {strategy.step:.2f}"
        )
        write_text(options.out, weights_text(with_tuned(start, strategy.mean), head=f"After generation {generation}."))

    tuned = tune(
        start,
        minutes=options.minutes,
        population=options.population,
        games=options.games,
        seed=options.seed,
        report=report,
    )
    agent = GreedyAgent(tuned)
    parts = [record_positions(agent, n, games=options.value_games // n, seed=options.seed + n) for n in TABLES]
    tuned = fit_values(tuned, join(parts))
    head = (
        "The numbers of the hand-written evaluation, in points; what each means stands in weights.py.\n"
        f"Made by python -m training.studies.tune --minutes {options.minutes:g} --population {options.population}"
        f" --games {options.games} --seed {options.seed}"
    )
    write_text(options.out, weights_text(tuned, head=head))
    for players in TABLES:
        match = play_match(
            [GreedyAgent(tuned), GreedyAgent(start)],
            blocks=options.check_games // players,
            num_players=players,
            seed=derived_seed(options.seed, "check"),
        )
        console.print(f"{players} players, one tuned: {describe(match.interval())} of {match.games} games")


def _run() -> int:
    import tyro

    options = tyro.cli(Options, prog="python -m training.studies.tune", description=Options.__doc__)
    return run_command("training.studies.tune", lambda: main(options))


if __name__ == "__main__":
    sys.exit(run_main(_run))

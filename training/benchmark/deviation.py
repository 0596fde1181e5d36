"""What one deviator gains among copies of an agent: ``python -m training.benchmark.deviation greedy --task dune-duel``.

A response to the agent is trained from several seeds, and plays alone against copies of it. Its gain is its win share
minus that of a player among equals, 1 / players. With two players, the largest gain that any response could have is the
agent's exploitability, so every trained response bounds that from below (Timbers et al. 2022, "Approximate
exploitability: learning a best response", https://arxiv.org/abs/2004.09677). With more players it is the gain of one
deviator; several that deviate together may gain more.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro
from rich.console import Console
from rich.table import Table

from agents.dunaia.shared_network import SharedModel
from agents.network import Model, NetworkAgent
from dunaia_env.arena.match import describe, win_share_interval
from dunaia_env.harness import commands, opponents
from dunaia_env.harness.opponents import Agent
from dunaia_env.statistics.intervals import CONFIDENCE, Estimate, Floats, round_portably
from dunaia_env.statistics.workers import progress
from dunaia_env.support import atomic, messages, terminal
from dunaia_env.support.machine import git_commit, library_versions, machine
from training.arguments import SHARED, Arguments
from training.benchmark.algorithms import Task
from training.benchmark.algorithms.self_play import PPO, arguments_of
from training.benchmark.tasks import NamedTask, find_task
from training.benchmark.trainings import check_different, check_seeds
from training.models import model_files
from training.models.lineage import with_ancestor
from training.ppo import Bootstrap
from training.trainer import Trainer

FORMAT, VERSION = "dunaia-deviation", 1
RESULT_FILE = "deviation.json"
# Seed of the games in which gains are measured.
MATCH_SEED = 4_000_000
# Least budget, with which a response can learn at all.
LEAST_DECISIONS = 1024
# How a response learns that begins as a good player: in smaller steps, and with less exploration.
AS_A_GOOD_PLAYER = {"learning_rate": 5e-4, "entropy": 0.003, "entropy_end": 0.0005}


@dataclass(frozen=True)
class Options:
    """Train responses to an agent, and measure what they gain alone among copies of it."""

    agent: Annotated[str, tyro.conf.Positional]
    """The agent that is frozen: a name or a model file."""
    task: str = "dune-duel"
    """The task that says what is played."""
    decisions: int = 1_000_000
    """Budget of each response: its own decisions."""
    seeds: tuple[int, ...] = (0, 1, 2)
    """Seeds; a response is trained with each of them."""
    share: float = 0.5
    """Share of the tables at which the agent holds all seats but one, above 0 and up to 1. At the other tables the
    response plays itself, from which a beginner learns that loses every game to the agent."""
    from_agent: bool = False
    """Let responses begin with the agent's own weights; it has to be a model file, or the name of one."""
    games: int = 1000
    """Games in which each gain is measured; rounded up to whole blocks."""
    threads: int = 1
    """Number of threads."""
    out: Path = Path("runs/deviation")
    """Folder of the result and of the responses' model files."""


@dataclass(frozen=True)
class Response:
    """A response to an agent.

    Attributes:
        seed: seed of its training.
        gain: win share alone among copies of the agent, minus 1 / players.
        games: games in which the gain was measured.
        decisions: decisions that the response made in its training.
        seconds: duration of the training.
    """

    seed: int
    gain: Estimate
    games: int
    decisions: int
    seconds: float


def check(options: Options) -> tuple[NamedTask, Agent]:
    """The task and the agent; raises `ValueError` naming an invalid option and what is allowed."""
    commands.check_numbers(options, positive=("share", "threads"), shares=("share",))
    task = find_task(options.task)
    for name, least in (("decisions", LEAST_DECISIONS), ("games", 2 * task.players)):
        if getattr(options, name) < least:
            raise ValueError(f"{name}: expected at least {least:,}, got {getattr(options, name):,}")
    check_different("seeds", options.seeds)
    check_seeds(options.seeds)
    if (options.out / RESULT_FILE).exists():
        raise ValueError(f"out: expected a folder without {RESULT_FILE}, got {options.out}")
    agent = opponents.load(options.agent, game=task.load_game())
    if options.from_agent and not isinstance(agent, NetworkAgent):
        raise ValueError(f"from_agent: expected a model file, or the name of one, got {options.agent!r}")
    return task, agent


def gain_of(shares: Floats, players: int, intervals: int = 1) -> Estimate:
    """The gain behind win shares in blocks.

    Args:
        shares: float64 ``(blocks,)``, the win shares of a response alone among copies of an agent.
        players: number of players at the table.
        intervals: number of intervals that are to hold together with 95 % confidence (Bonferroni).
    """
    share = win_share_interval(shares, confidence=1 - (1 - CONFIDENCE) / intervals)
    return Estimate(*round_portably(np.array(share) - 1 / players).tolist())


def lower_bound(responses: list[Response]) -> float:
    """What the best response gains at least, if the intervals hold together; an agent's copy gains nothing, hence 0."""
    return max(0.0, *(response.gain.low for response in responses))


def arguments_for(options: Options, task: NamedTask, seed: int, network: Model | None) -> Arguments:
    """The arguments of a response's training; ``network`` is the one that it begins with, if it does."""
    given: dict[str, Any] = {**PPO.OPTIONS, "rivals": (options.agent,), "rival_share": options.share, "opponents": ()}
    if network is not None:
        first, *others = network.widths
        given |= AS_A_GOOD_PLAYER | {"network": SHARED if isinstance(network, SharedModel) else "mlp"}
        given |= {"layers": len(network.widths), "first_width": first, "width": others[0] if others else first}
    learned = Task(
        players=task.players,
        game=task.load_game(),
        game_options=task.game_options(),
        decisions=options.decisions,
        evaluations=1,
        seed=seed,
        threads=options.threads,
        family=task.load_family(),
    )
    return arguments_of(learned, given)


class ResponseTrainer(Trainer):
    """Trains a response; ``decisions``, and so its budget, are those that it makes itself."""

    def collect(self) -> Bootstrap:
        """See `training.ppo.PPO.collect`."""
        before = self.decisions
        bootstrap = super().collect()
        self.decisions = before + int(np.count_nonzero(self.rollout.seats[self.rollout.first_row :] >= 0))
        return bootstrap


def begin_as(trainer: Trainer, network: Model, name: str) -> None:
    """Give a new training the weights of the agent with a name; raises `ArrayFileError` if they do not fit."""
    model_files.load_weights(trainer.network, network, trainer.seats, name)
    trainer.began_with = with_ancestor(name, network.arrays, network.header)


def respond(
    options: Options, task: NamedTask, agent: Agent, seed: int, advance: Callable[[int], None] = lambda count: None
) -> Trainer:
    """Train a response; returns the trainer afterwards.

    Args:
        options: what to train.
        task: what is played.
        agent: the agent.
        seed: seed of the training.
        advance: gets the number of the response's decisions in each rollout.
    """
    network = agent.network if options.from_agent and isinstance(agent, NetworkAgent) else None
    trainer = ResponseTrainer(arguments_for(options, task, seed, network))
    if network is not None:
        begin_as(trainer, network, options.agent)
    trainer.prepare()
    while trainer.progress() < 1:
        before = trainer.decisions
        trainer.learn(trainer.collect())
        advance(min(trainer.decisions, options.decisions) - before)
    return trainer


def measure(options: Options, task: NamedTask, agent: Agent, seed: int, advance: Callable[[int], None]) -> Response:
    """Train a response, write its model file and measure its gain."""
    begin = time.perf_counter()
    trainer = respond(options, task, agent, seed, advance)
    seconds = time.perf_counter() - begin
    player = trainer.player()
    assert isinstance(player, NetworkAgent)
    player.network.save(options.out / f"response-seed{seed}.safetensors")
    shares = task.tables(options.threads).block_shares(player, options.agent, options.games, MATCH_SEED)
    gain = gain_of(shares, task.players, len(options.seeds))
    return Response(seed, gain, len(shares) * task.players, trainer.decisions, round(seconds, 1))


def write(options: Options, task: NamedTask, agent: Agent, responses: list[Response]) -> None:
    """Write the result of the responses that are finished, atomically."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "agent": {"given": options.agent, "name": agent.name, "version": agent.version},
        "task": task.title,
        "hash": task.hash(),
        "options": {name: getattr(options, name) for name in ("decisions", "seeds", "share", "from_agent", "games")},
        "responses": [asdict(response) for response in responses],
        "lower_bound": lower_bound(responses),
        "machine": machine(),
        "versions": library_versions(),
        "commit": git_commit(),
    }
    atomic.write_text(options.out / RESULT_FILE, json.dumps(content, indent=1, allow_nan=False) + "\n")


def show(options: Options, task: NamedTask, responses: list[Response], console: Console) -> None:
    """Print the gains and the bound that follows from them."""
    table = Table(title=f"{task.title}: one deviator among copies of {messages.printable(options.agent)}")
    for title in ("seed", "gain, points (95 %)", "win share", "games", "decisions", "seconds"):
        table.add_column(title)
    for one in responses:
        points = f"{100 * one.gain.value:+.1f} ({100 * one.gain.low:+.1f} to {100 * one.gain.high:+.1f})"
        share = describe((one.gain.value + 1 / task.players, np.nan, np.nan))
        counts = f"{one.games:,}", f"{one.decisions:,}", f"{one.seconds:.0f}"
        table.add_row(str(one.seed), points, share, *counts)
    console.print(table)
    largest = max(responses, key=lambda response: response.gain.value)
    console.print(
        f"Largest gain: {100 * largest.gain.value:+.1f} points (seed {largest.seed}); a deviator gains at least"
        f" {100 * lower_bound(responses):.1f} points. The intervals hold together. How much more a better response"
        " would gain is not known."
    )


def main(options: Options) -> list[Response]:
    """Train the responses, measure and store their gains, and print them."""
    task, agent = check(options)
    responses: list[Response] = []
    with progress("deviation", len(options.seeds) * options.decisions, 0, "decisions") as advance:
        for seed in options.seeds:
            responses.append(measure(options, task, agent, seed, advance))
            write(options, task, agent, responses)
    console = Console(highlight=False)
    show(options, task, responses, console)
    console.print(f"Saved in {options.out}: {RESULT_FILE}, and the responses' model files", markup=False)
    return responses


def _run() -> int:
    options = tyro.cli(Options, prog="python -m training.benchmark.deviation")
    return commands.run_command("benchmark.deviation", lambda: main(options))


if __name__ == "__main__":
    sys.exit(terminal.run_main(_run))

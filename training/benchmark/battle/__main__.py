"""Measure players exactly in a battle of Dune: ``python -m training.benchmark.battle --agents champion greedy``."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import tyro
from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text

from dunaia_env.harness import commands, opponents
from dunaia_env.support import atomic, messages, terminal
from training.benchmark.battle.equilibrium import Solution, most_likely
from training.benchmark.battle.game import GAME
from training.benchmark.battle.players import policy_of_agent, solved
from training.benchmark.battle.results import (
    COLUMNS,
    OPTIMAL,
    PREDICTABLE,
    TABULAR,
    TITLES,
    Curve,
    Results,
    plot,
    write_results,
)

# Iterations of CFR+ in a learning curve.
ITERATIONS = 2048


@dataclass(frozen=True)
class Options:
    """Measure players exactly in a battle of Dune whose equilibrium is known, and networks while they learn it."""

    agents: tuple[str, ...] = ("champion", "greedy", "random")
    """The agents: names or model files of Dune."""
    learn: int = 0
    """Number of decisions from which networks learn the battle by PPO and by magnetic mirror descent."""
    trainings: int = 1
    """Number of trainings of each kind, with the seeds 1, 2, ..."""
    json: Path | None = None
    """File into which the results are written."""
    plot: Path | None = None
    """PNG file into which the learning curves are drawn."""
    seed: int = 0
    """Seed of the agents."""


def main(options: Options) -> Results:
    """Solve the game, measure the agents, let networks learn, and print a table."""
    commands.check_numbers(options, positive=("trainings",), not_negative=("seed", "learn"))
    console, solution = Console(highlight=False), solved()
    tree = solution.tree
    agents = {name: opponents.load(name, game=GAME) for name in options.agents}
    policies = {OPTIMAL: solution.optimal, PREDICTABLE: most_likely(tree, solution.optimal)}
    measured = {name: solution.measure(policy) for name, policy in policies.items()}
    for name in track(agents, "agents", len(agents), transient=True):
        measured[name] = solution.measure(policy_of_agent(tree, agents[name], seed=options.seed))
    sizes = len(tree), len(tree.actions), len(tree.knows), len(tree.gains)
    curves = tuple(learning_curves(solution, options)) if options.learn else ()
    results = Results(*sizes, bounds=solution.bounds, measured=measured, curves=curves)
    console.print(table_of(tree.game.title, results))
    if options.json is not None:
        write_results(options.json, results)
    if options.plot is not None:
        atomic.write_bytes(options.plot, plot(results))
    return results


def learning_curves(solution: Solution, options: Options) -> list[Curve]:
    """The curve of CFR+ and those of all trainings."""
    from training.benchmark.battle import learning

    points = {(TABULAR, 0): list(learning.tabular_curve(solution, ITERATIONS))}
    for learner in TITLES:
        for seed in range(1, options.trainings + 1):
            points[learner, seed] = list(learning.network_curve(solution, learner, options.learn, seed))
    return [
        Curve(learner, seed, tuple(point.spent for point in curve), tuple(point.exploitability for point in curve))
        for (learner, seed), curve in points.items()
    ]


def table_of(title: str, results: Results) -> Table:
    """What was measured, for the terminal."""
    least, most = results.bounds
    size = f"{results.information_states:,} information states"
    table = Table(title=f"{title}: {size}; Atreides gain {least:.3f} to {most:.3f} spice in an equilibrium")
    for heading in ("agent", *COLUMNS.values()):
        table.add_column(heading)
    for name, measures in results.measured.items():
        table.add_row(Text(messages.printable(name)), *(f"{getattr(measures, column):.2f}" for column in COLUMNS))
    return table


def _run() -> int:
    options = tyro.cli(Options, prog="python -m training.benchmark.battle")
    return commands.run_command("battle", lambda: main(options))


if __name__ == "__main__":
    sys.exit(terminal.run_main(_run))

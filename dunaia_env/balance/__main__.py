"""``python -m dunaia_env.balance`` or ``dunaia balance``: judges the balance of a game's roles and writes a report."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

from dunaia_env.balance import plans, report
from dunaia_env.balance.questions.causes import read_causes
from dunaia_env.balance.questions.screening import read_robustness
from dunaia_env.balance.study import Study, read_study, run_study
from dunaia_env.balance.validation import read_validation
from dunaia_env.harness import commands, registry
from dunaia_env.support import messages, terminal


@dataclass(frozen=True, kw_only=True)
class Options(plans.StudyOptions):
    """Judge the balance of a game's roles by letting agents play them. The same command continues a stopped study."""

    out: Path
    """Folder of the study and its report."""
    jobs: int = 0
    """Number of workers; 0 for one on each core."""
    backend: str = "loky"
    """Joblib backend that runs the workers: loky, threading, multiprocessing, dask, ray or another one that joblib
    knows."""
    causes: tuple[Path, ...] = ()
    """Folders written by `dunaia causes`; the report shows their results."""
    robustness: tuple[Path, ...] = ()
    """Folders written by `dunaia robustness`, one or more for each number of players; the report shows their
    results."""
    validation: Path | None = None
    """File written by `python -m dunaia_env.balance.validation`; the report shows its results."""
    report_only: bool = False
    """Play nothing; only write the report on the games that were played before. A game or an agent of your own has to
    be named again, because a file never decides which code is imported."""


def main(options: Options, command: str = "") -> Study:
    """Play the study that the options describe, or the missing part of it, and write its report.

    Raises `ValueError` for invalid options, and for a folder that holds another study.
    """
    commands.check_numbers(options, positive=("precision", "tolerance", "pilot"), not_negative=("seed", "jobs"))
    components = None if options.components is None else str(options.components)
    game = registry.find_game(
        options.game
    )  # also imports a game of your own, which allows the study's files to name it
    stored = read_study(options.out, named=_named_agents(options)) if options.report_only else None
    if stored is not None:
        game = stored.game
    causes = read_causes(options.causes, game.require("roles"))
    validation = None if options.validation is None else read_validation(options.validation)
    if stored is not None:
        study = stored
    else:
        plan = plans.make_plan(options, command=command)
        study = run_study(options.out, plan, components=components, jobs=options.jobs, backend=options.backend)
    robustness = read_robustness(options.robustness, game.require("roles"), study.plan.tolerance, study)
    report.make_report(
        study, options.out, validation=validation, robustness=robustness, causes=causes, components=components
    )
    print(f"Report: {messages.printable(str(options.out / 'report.html'))}")
    return study


def _named_agents(options: Options) -> set[str]:
    """The agents that the command line names."""
    alone = {*options.strengths, *options.witnesses, *filter(None, [options.opponent])}
    return alone | {text.partition("=")[2] for text in (*options.specialists, *options.responses)}


def _run() -> int:
    options = commands.parse_command(
        Options, program="dunaia balance", decided=lambda game: game.require("roles").decided
    )
    words = shlex.join(["python", "-m", "dunaia_env.balance", *sys.argv[1:]])
    return commands.run_command("dunaia balance", lambda: main(options, words))


if __name__ == "__main__":
    sys.exit(terminal.run_main(_run, has_workers=True))

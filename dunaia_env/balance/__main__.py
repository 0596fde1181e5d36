"""``python -m dunaia_env.balance`` or ``dunaia balance``: judges the balance of a game's roles, and reports it."""

from __future__ import annotations

import re
import shlex
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dunaia_env.balance.additions import read_causes, read_robustness
from dunaia_env.balance.plans import PILOT_BLOCKS, make_plan
from dunaia_env.balance.report import make_report
from dunaia_env.balance.study import Study, read_study, run_study
from dunaia_env.balance.validation import read_validation
from dunaia_env.harness.commands import check_numbers, parse_command, run_command
from dunaia_env.harness.registry import DEFAULT_GAME, find_game
from dunaia_env.support.messages import printable, shorten


@dataclass(frozen=True)
class Options:
    """Judge the balance of a game's roles by letting agents play them. The same command continues a stopped study."""

    out: Path
    """Folder of the study and its report."""
    strengths: tuple[str, ...] = ("greedy", "medium", "champion")
    """Agents from weak to strong; each plays all seats of its games. A role is too strong if it is so for any of them,
    and too weak if it is so for all."""
    others: tuple[str, ...] = ()
    """Further agents that play all seats. No verdict depends on them; the report says whether they agree with the
    strongest one, and what a search such as champion+16 changes. They can be added to a finished study."""
    specialists: tuple[str, ...] = ()
    """Agents that were trained to play one role: mystic=FILE. They can be added to a finished study."""
    responses: tuple[str, ...] = ()
    """Best responses: agents that were trained to play one role while the other players did not learn, mystic=FILE."""
    opponent: str | None = None
    """The agent against which specialists and best responses play: the one that they began with; the strongest by
    default."""
    derived: tuple[str, ...] = ()
    """Agents whose training began with another one's weights, as far as their model files do not say it: AGENT=OTHER.
    The report then does not call the two independent."""
    most_blocks: tuple[str, ...] = ()
    """The most blocks of every condition in which an agent plays, for slow ones: champion+16=60. The number is rounded
    up to whole cycles, of 5, 20, 60, 20 and 20 blocks with 2, 3, 4, 5 and 6 players and six roles."""
    tables: tuple[str, ...] = ()
    """Numbers of players at which one of --others, --specialists or --responses plays, if not at all: AGENT=2,3."""
    players: tuple[int, ...] | None = None
    """Numbers of players at a table; all that the game allows by default."""
    precision: float = 0.01
    """Half the width of the 95 % interval of every role's win share; the number of blocks follows from it."""
    tolerance: float = 0.03
    """Difference from the fair share up to which a role is fine."""
    powers: bool = True
    """Also play every role without its power, by the strongest agent."""
    seed: int = 0
    """Game seed of the first block; the following blocks have the following seeds."""
    components: Path | None = None
    """Component file; the game's own by default."""
    pilot: int = PILOT_BLOCKS
    """Number of blocks of the first stage, from which the number of all blocks is computed."""
    jobs: int = 0
    """Number of workers; 0 for one on each core."""
    backend: str = "loky"
    """Joblib backend that runs the workers: loky, threading, multiprocessing, dask, ray or another one that joblib
    knows."""
    game: str = DEFAULT_GAME.name
    """The game."""
    game_options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the game, which hold for all games of the study."""
    causes: tuple[Path, ...] = ()
    """Folders of `dunaia causes`, whose results the report shows."""
    robustness: tuple[Path, ...] = ()
    """Folders of `dunaia robustness`, one for each number of players, whose results the report shows."""
    validation: Path | None = None
    """File of `python -m dunaia_env.balance.validation`, which the report shows."""
    report_only: bool = False
    """Play nothing: write the report of what was played."""


def main(options: Options, command: str = "") -> Study:
    """Play the study that the options describe, or what is missing of it, and write its report.

    Raises `ValueError` for options that are wrong and for a folder that holds another study.
    """
    check_numbers(options, positive=("precision", "tolerance", "pilot"), not_negative=("seed", "jobs"))
    components = None if options.components is None else str(options.components)
    causes = read_causes(options.causes)
    validation = None if options.validation is None else read_validation(options.validation)
    if options.report_only:
        study = read_study(options.out)
    else:
        plan = make_plan(
            find_game(options.game),
            strengths=options.strengths,
            others=options.others,
            specialists=options.specialists,
            responses=options.responses,
            opponent=options.opponent,
            derived=dict(_pair("derived", text, "AGENT=OTHER") for text in options.derived),
            players=options.players,
            components=components,
            seed=options.seed,
            tolerance=options.tolerance,
            precision=options.precision,
            most_blocks={agent: found[0] for agent, found in _numbers("most_blocks", options.most_blocks).items()},
            tables=_numbers("tables", options.tables),
            powers=options.powers,
            pilot=options.pilot,
            command=command,
            options=options.game_options,
        )
        study = run_study(options.out, plan, components=components, jobs=options.jobs, backend=options.backend)
    names = study.game.check_roles().names
    robustness = read_robustness(options.robustness, names, study.plan.tolerance, study)
    make_report(study, options.out, validation=validation, robustness=robustness, causes=causes, components=components)
    print(f"Report: {printable(str(options.out / 'report.html'))}")
    return study


def _pair(option: str, text: str, needed: str) -> tuple[str, str]:
    """An agent and what a text says of it after the last equals sign; raises `ValueError` naming the option."""
    agent, equals, rest = text.rpartition("=")
    if not (agent and equals and rest):
        raise ValueError(f"{option}: {shorten(text)}; {needed} is needed")
    return agent, rest


def _numbers(option: str, texts: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """The numbers that texts such as ``champion+16=60`` say of agents; raises `ValueError` naming the option."""
    needed, several = ("AGENT=2,3", True) if option == "tables" else ("AGENT=60", False)
    found = {}
    for text in texts:
        agent, rest = _pair(option, text, needed)
        parts = rest.split(",") if several else [rest]
        if not all(re.fullmatch(r"\d{1,6}", part) for part in parts):
            raise ValueError(f"{option}: {shorten(text)}; {needed} is needed")
        found[agent] = tuple(int(part) for part in parts)
    return found


def _stop_on_signal(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


if __name__ == "__main__":
    # On SIGTERM, as on Ctrl-C, workers end with the study.
    signal.signal(signal.SIGTERM, _stop_on_signal)
    options = parse_command(Options, program="dunaia balance", decided=lambda game: game.check_roles().decided)
    words = shlex.join(["python", "-m", "dunaia_env.balance", *sys.argv[1:]])
    sys.exit(run_command("dunaia balance", lambda: main(options, words)))

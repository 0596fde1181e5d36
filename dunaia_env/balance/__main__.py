"""``python -m dunaia_env.balance`` or ``dunaia balance``: judges the balance of a game's roles and writes a report."""

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
    """Agents, from weak to strong; each plays all seats of its own games. A role is too strong if it wins too often
    when any one of them plays, and too weak if it wins too rarely whichever of them plays."""
    others: tuple[str, ...] = ()
    """Further agents, each of which plays all seats of its own games. No verdict depends on them; the report says
    whether they agree with the strongest agent of --strengths, and what a search such as champion+16 changes. They can
    be added to a finished study."""
    specialists: tuple[str, ...] = ()
    """Agents trained to play one role, as ROLE=AGENT, such as mystic=FILE. They can be added to a finished study."""
    responses: tuple[str, ...] = ()
    """Best responses, as ROLE=AGENT: agents trained to play one role while the other players did not learn, such as
    mystic=FILE."""
    opponent: str | None = None
    """Agent against which specialists and best responses play, normally the one with whose weights their training
    began. The default is the strongest agent of --strengths."""
    derived: tuple[str, ...] = ()
    """Agents whose training began with the weights of another agent, as AGENT=OTHER. Needed only where the model file
    of the agent does not say so. The report does not call two such agents independent."""
    most_blocks: tuple[str, ...] = ()
    """Upper limit, for slow agents, on the blocks of every condition in which the agent plays, as AGENT=BLOCKS, such as
    champion+16=60. The limit is rounded up to whole cycles; with six roles a cycle has 5, 20, 60, 20 and 20 blocks for
    2, 3, 4, 5 and 6 players."""
    tables: tuple[str, ...] = ()
    """Numbers of players with which an agent of --others, --specialists or --responses plays, as AGENT=2,3. An agent
    that is not named here plays with every number of --players."""
    players: tuple[int, ...] | None = None
    """Numbers of players at a table; by default all that the game allows."""
    precision: float = 0.01
    """Half-width of the 95 % interval of every role's win share. The number of blocks is computed from it."""
    tolerance: float = 0.03
    """Largest difference from the fair share at which a role is still fine."""
    powers: bool = True
    """Also let the strongest agent play every role without its power."""
    seed: int = 0
    """Game seed of the first block; each following block has the next seed."""
    components: Path | None = None
    """Component file; the game's own by default."""
    pilot: int = PILOT_BLOCKS
    """Number of blocks of the first stage, whose results determine the total number of blocks."""
    jobs: int = 0
    """Number of workers; 0 for one on each core."""
    backend: str = "loky"
    """Joblib backend that runs the workers: loky, threading, multiprocessing, dask, ray or another one that joblib
    knows."""
    game: str = DEFAULT_GAME.name
    """The game."""
    game_options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the game, used in all games of the study."""
    causes: tuple[Path, ...] = ()
    """Folders written by `dunaia causes`; the report shows their results."""
    robustness: tuple[Path, ...] = ()
    """Folders written by `dunaia robustness`, one or more for each number of players; the report shows their
    results."""
    validation: Path | None = None
    """File written by `python -m dunaia_env.balance.validation`; the report shows its results."""
    report_only: bool = False
    """Play nothing; only write the report on the games that were played before."""


def main(options: Options, command: str = "") -> Study:
    """Play the study that the options describe, or the missing part of it, and write its report.

    Raises `ValueError` for invalid options, and for a folder that holds another study.
    """
    check_numbers(options, positive=("precision", "tolerance", "pilot"), not_negative=("seed", "jobs"))
    components = None if options.components is None else str(options.components)
    stored = read_study(options.out) if options.report_only else None
    game = find_game(options.game) if stored is None else stored.game
    causes = read_causes(options.causes, game.check_roles())
    validation = None if options.validation is None else read_validation(options.validation)
    if stored is not None:
        study = stored
    else:
        plan = make_plan(
            game,
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
    robustness = read_robustness(options.robustness, game.check_roles(), study.plan.tolerance, study)
    make_report(study, options.out, validation=validation, robustness=robustness, causes=causes, components=components)
    print(f"Report: {printable(str(options.out / 'report.html'))}")
    return study


def _pair(option: str, text: str, needed: str) -> tuple[str, str]:
    """Split a text at its last equals sign into an agent and the rest; raises `ValueError` naming the option."""
    agent, equals, rest = text.rpartition("=")
    if not (agent and equals and rest):
        raise ValueError(f"{option}: {shorten(text)}; {needed} is needed")
    return agent, rest


def _numbers(option: str, texts: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """The numbers of each agent in texts such as ``champion+16=60``; raises `ValueError` naming the option."""
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
    # On SIGTERM, as on Ctrl-C, the workers end together with the study.
    signal.signal(signal.SIGTERM, _stop_on_signal)
    options = parse_command(Options, program="dunaia balance", decided=lambda game: game.check_roles().decided)
    words = shlex.join(["python", "-m", "dunaia_env.balance", *sys.argv[1:]])
    sys.exit(run_command("dunaia balance", lambda: main(options, words)))

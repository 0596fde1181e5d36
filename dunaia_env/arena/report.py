"""The report of a run of the arena: ``python -m dunaia_env.arena.report DIR``.

The command reads ``run.json`` and ``games.jsonl`` and writes into the same folder: ``report.json`` (all numbers),
``report.md``, ``report.html`` (one self-contained page) and ``replays/`` (the median game and the strangest games, with
pictures of their deciding moments). The same records give the same files, byte for byte.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from dunaia_env.arena import pages, records, run_files
from dunaia_env.arena.notable import write_notable
from dunaia_env.arena.summary import Summary, summarise
from dunaia_env.harness.registry import DEFAULT_GAME, find_game
from dunaia_env.reports import moments, parts
from dunaia_env.support import atomic, messages, terminal

FORMAT = "dunaia-arena-report"
VERSION = 1


def write_report(folder: str | os.PathLike[str], *, components: Any = None) -> Summary:
    """Write the report of a run, finished or not, into its folder.

    Args:
        folder: the run's folder.
        components: the components that the run was played with, for the replays; None for the game's own.

    Raises `dunaia_env.arena.records.RecordsError` for a folder without a run or with a damaged one.
    """
    folder = Path(folder)
    run = run_files.read_run(folder)
    # Sorted, because the order in which games finish differs from run to run.
    games = sorted(run_files.read_games(folder, run), key=lambda game: game.key)
    summary = summarise(run, games)
    notable = write_notable(folder, run, games, components=components)
    content = {
        "format": FORMAT,
        "version": VERSION,
        "finished": summary.finished,
        **parts.to_json_data(summary),
        "run": parts.to_json_data(run_files.flattened(run)),
        "replays": parts.to_json_data(notable),
    }
    atomic.write_text(folder / "report.json", json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    figures = moments.moment_figures(folder, {game.name: game.moment for game in notable})
    atomic.write_text(folder / "report.md", pages.markdown(summary, notable, figures))
    atomic.write_text(folder / "report.html", pages.page(summary, notable, figures))
    return summary


@dataclass(frozen=True)
class Options:
    """Write the report of a run of the arena into its folder: report.html, report.md, report.json and replays."""

    folder: Annotated[Path, tyro.conf.Positional]
    """Folder of the run."""
    game: str = DEFAULT_GAME.name
    """The game that was played, if it does not belong to the library."""
    components: Path | None = None
    """Component file that the run was played with; the game's own by default."""


def main(options: Options) -> int:
    """Write the report; returns the exit status."""
    try:
        # A file never decides which code is imported: a game from outside the library has to be named here.
        find_game(options.game)
    except ValueError as error:
        print(f"report: {messages.reason(error)}", file=sys.stderr)
        return 2
    try:
        summary = write_report(options.folder, components=options.components)
    except (records.RecordsError, OSError) as error:
        print(f"report: {messages.reason(error)}", file=sys.stderr)
        return 2
    print(f"{pages.headline(summary)[1]} The report is {options.folder / 'report.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(terminal.run_main(lambda: main(tyro.cli(Options, prog="dunaia report", description=Options.__doc__))))

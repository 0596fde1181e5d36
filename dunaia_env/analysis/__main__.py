"""The command line of the analysis: ``python -m dunaia_env.analysis replay.jsonl --help``."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from dunaia_env.analysis.judging import Analysis, Decision, analyse
from dunaia_env.harness import commands, opponents, registry
from dunaia_env.replay import Replay, positions, read
from dunaia_env.support import atomic, terminal

PROGRAM = "dunaia analysis"
# Number of rows in the table of win probabilities.
_MOST_POINTS = 11
# Width of the output in characters where it is no terminal.
_WIDTH_OF_A_FILE = 120


@dataclass(frozen=True)
class Options:
    """Judge a recorded game: win probabilities, the biggest mistakes and what was better, skill and luck."""

    file: Annotated[Path, tyro.conf.Positional]
    """The replay file; the game may be unfinished."""
    adviser: str = opponents.CHAMPION
    """Who judges: a trained player without options, or greedy, the game's evaluation."""
    simulations: int | None = None
    """Simulations of the search for each decision; 0 looks one decision ahead. By default 256, and 0 for greedy."""
    mistakes: int = 10
    """Largest number of mistakes that are printed."""
    out: Path | None = None
    """Also write the whole analysis into this JSON file."""
    components: Path | None = None
    """Component file; the game's own by default."""
    game: str = registry.DEFAULT_GAME.name
    """The game, if the file's game does not belong to the library: a module such as my_package.game."""


def run(options: Options) -> Analysis:
    """Judge the game of a file, print what was found and write the JSON file; raises `ValueError` and `OSError`."""
    if options.mistakes < 0:
        raise ValueError(f"mistakes: expected at least 0, got {options.mistakes}")
    replay, source = read(options.file, game=registry.find_game(options.game)), str(options.file)
    columns = TextColumn("judging"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"), TimeRemainingColumn()
    errors = Console(stderr=True)
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as shown:
        task = shown.add_task("judging", total=1.0)
        analysis = analyse(
            replay,
            components=options.components,
            adviser=options.adviser,
            simulations=options.simulations,
            progress=lambda done: shown.update(task, completed=done),
            source=source,
        )
    if options.out is not None:
        atomic.write_text(options.out, json.dumps(analysis.to_json(), ensure_ascii=False) + "\n")
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDTH_OF_A_FILE)
    _print_points(console, analysis)
    _print_mistakes(console, analysis, _sentences(replay, analysis, options), options.mistakes)
    _print_totals(console, analysis)
    if options.out is not None:
        print(f"written to {options.out}")
    return analysis


def _names(analysis: Analysis) -> list[str]:
    return [f"player {seat} ({name})" for seat, name in enumerate(analysis.names)]


def _print_points(console: Console, analysis: Analysis) -> None:
    """Print the players' win probabilities and scores at about equally spaced points of the game."""
    last = len(analysis.positions) - 1
    points = sorted({round(last * point / (_MOST_POINTS - 1)) for point in range(_MOST_POINTS)})
    table = Table(title=f"Win probability and points, judged by {analysis.adviser}", title_justify="left")
    for heading in ("decisions", "rounds"):
        table.add_column(heading, justify="right")
    for name in _names(analysis):
        table.add_column(Text(name), justify="right")
    for point in points:
        position = analysis.positions[point]
        chances = zip(position.chances, position.scores, strict=True)
        table.add_row(str(point), str(position.round), *(f"{chance:6.1%}  {score:3}" for chance, score in chances))
    console.print(table)


def _print_mistakes(console: Console, analysis: Analysis, sentences: dict[int, tuple[str, str]], most: int) -> None:
    if not analysis.mistakes:
        console.print("\nNo choice cost 2 % or more of a win.\n")
        return
    title = f"The biggest of {len(analysis.mistakes)} mistakes, which cost 2 % or more of a win"
    table = Table(title=title, title_justify="left")
    for heading in ("decision", "player", "cost"):
        table.add_column(heading, justify="right")
    table.add_column("what was done", ratio=1)
    table.add_column("what was better", ratio=1)
    for number in analysis.mistakes[:most]:
        decision = analysis.decisions[number]
        done, better = (Text(sentence) for sentence in sentences[number])
        table.add_row(str(number), str(decision.seat), f"{decision.cost:.1%}", done, better)
    console.print(table)


def _sentences(replay: Replay, analysis: Analysis, options: Options) -> dict[int, tuple[str, str]]:
    """What was done and what was better at the mistakes that are printed, as sentences."""
    wanted = set(analysis.mistakes[: options.mistakes])
    game, loaded, found = replay.game, replay.game.load(options.components), {}
    for number, (_, state, _) in enumerate(positions(replay, components=loaded, source=str(options.file))):
        if number in wanted:
            decision: Decision = analysis.decisions[number]
            content = state.to_dict()
            done, better = (game.sentence(text, content, loaded) for text in (decision.action, decision.best))
            found[number] = done, better
    return found


def _print_totals(console: Console, analysis: Analysis) -> None:
    title = "From the first win probability to the result, in percentage points"
    table = Table(title=title if analysis.result["over"] else title.replace("result", "last position"))
    table.title_justify = "left"
    headings = (
        "player",
        "start",
        "own choices",
        "others' mistakes",
        "luck",
        "corrections",
        "end",
        "decisions",
        "mistakes",
    )
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "player" else "right")
    for name, total in zip(_names(analysis), analysis.totals, strict=True):
        parts = (total.skill, total.opponents, total.luck, total.corrections)
        changes = [f"{100 * part + 0.0:+.1f}" for part in parts]
        counts = str(total.decisions), str(total.mistakes)
        table.add_row(Text(name), f"{100 * total.start:.1f}", *changes, f"{100 * total.end:.1f}", *counts)
    console.print(table)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    options = tyro.cli(Options, prog=PROGRAM, description=Options.__doc__, args=arguments)
    return commands.run_command(PROGRAM, lambda: run(options))


if __name__ == "__main__":
    sys.exit(terminal.run_main(main))

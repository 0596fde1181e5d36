"""The result of a study of causes as a table, Markdown and JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console

from dunaia_env.arena.report import to_json_data
from dunaia_env.balance.whatif_pages import change_text, markdown_table, percent, print_table
from dunaia_env.support.atomic import write_text

if TYPE_CHECKING:
    from dunaia_env.balance.causes import Cause, Causes

FORMAT, VERSION = "dunaia-balance-causes", 1
_TITLES = (
    "taken away",
    "share",
    "change",
    "carries",
    "occurs",
    "subject first",
    "first wins",
)
_NOTE = (
    "Changes are in percentage points of the share of the wins. Their intervals are simultaneous: with 95 % confidence,"
    " all of them contain the true value. A star marks an interval that lies on one side of 0. Carries: the part of the"
    " effect that disappears; after an exchange, the part of the difference between the two seats that went with the"
    " board. Occurs, subject first and first wins: in the unchanged games, how often the event occurs, how often the"
    " subject is then the first to cause it, and how often whoever is first wins. The agent was not trained for games"
    " in which something is taken away, so it may play them less well."
)


def _cells(cause: Cause) -> list[str]:
    star = " *" if cause.clear else ""
    carried = f"{100 * cause.carried:.0f} %" if np.isfinite(cause.carried) and cause.clear else ""
    rest = ["" if not np.isfinite(value) else percent(value) for value in (cause.occurs, cause.first, cause.buyer)]
    return [cause.clause, percent(cause.share.value), change_text(cause.change) + star, carried, *rest]


def _headline(result: Causes) -> str:
    return (
        f"With {result.players} players, roles {result.kind} and {result.agent} in every seat, {result.subject} has"
        f" {percent(result.share.value)} of the wins ({100 * result.share.low:.1f} to {100 * result.share.high:.1f}),"
        f" where {percent(result.fair)} would be fair. In total, {result.games} games were played in {result.blocks}"
        f" common blocks from seed {result.seed}."
    )


def print_causes(result: Causes) -> None:
    """Print the causes as a table, followed by the conclusions."""
    console = Console()
    print_table(console, f"What {result.subject}'s share rests on", _TITLES, [_cells(one) for one in result.causes])
    console.print(_headline(result), _NOTE, sep="\n", markup=False, highlight=False)
    console.print(*result.sentences, markup=False, highlight=False)


def write_causes(folder: Path, result: Causes) -> None:
    """Write ``causes.md`` and ``causes.json`` into a folder, which is created if it is missing."""
    lines = [f"# What {result.subject}'s share rests on", "", " ".join(result.sentences), "", _headline(result), ""]
    lines += [*markdown_table(_TITLES, [_cells(one) for one in result.causes]), "", _NOTE, ""]
    write_text(folder / "causes.md", "\n".join(lines))
    content = {"format": FORMAT, "version": VERSION, **to_json_data(result)}
    # The duration differs from run to run; everything else is the same.
    content.pop("seconds")
    write_text(folder / "causes.json", json.dumps(content, indent=1, ensure_ascii=False) + "\n")

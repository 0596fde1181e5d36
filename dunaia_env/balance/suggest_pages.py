"""The result of a search for a change that makes roles fair: sentences, tables, and the files of the command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from dunaia_env.balance import whatif_pages, wording
from dunaia_env.balance.outcomes import Change, Fairness, Screening, Suggestion, write_result
from dunaia_env.support import atomic
from dunaia_env.support.english import count, listed

FORMAT, VERSION = "dunaia-balance-suggestion", 1
SCREENING_FORMAT, SCREENING_VERSION = "dunaia-balance-screening", 2
FILE, SCREENING_FILE = "suggestion.toml", "screening.json"
_NOTE = (
    "Effects are win share minus fair share in percentage points, with intervals that are simultaneous over all roles"
    " and tables. The effects after the change are those of the confirmation on fresh seeds."
)


def changes_words(changes: Sequence[Change]) -> str:
    """Changes in words: ``price=3 (2)``, with the value before in brackets."""
    return listed([f"{change.path}={change.after} ({change.before})" for change in changes])


def sentences(result: Suggestion) -> tuple[str, ...]:
    """What was found, and what it rests on."""
    best, within = result.best, f"{100 * result.within:g} points"
    who = listed([wording.name_of_role(role) for role in result.chosen])
    tables = listed([str(number) for number in result.players])
    changed = changes_words(best.changes)
    place, verb = f"within {within} of the fair share with {tables} players", "are" if len(result.chosen) > 1 else "is"
    found = {
        "fair": f"With {changed}, {who} {verb} {place}.",
        "not known": f"With {changed}, {who} may be {place}; the games do not decide.",
        "not fair": f"No change was found with which {who} {verb} {place}. The nearest is {changed}.",
    }[best.verdict]
    if result.trained:
        return found, (
            f"{result.games:,} games were played on fresh seeds by {wording.label_of(result.agent)}, which was trained"
            " for the changed file. The effects before the change are those of the player of the search."
        )
    tried = len(result.confirmed)
    rest = (
        f"The effects of {result.screened} numbers were measured on {result.files} files, and"
        f" {count(tried, 'proposal')} {'was' if tried == 1 else 'were'} played on fresh seeds; {result.games:,} games"
        f" were played by {wording.label_of(result.agent)}, which was not trained for the changed file in particular."
    )
    return found, rest


def effect_rows(result: Suggestion) -> tuple[list[str], list[list[str]]]:
    """A table: for each role its effects before and after the best change, at each table."""
    titles = ["", *(f"{number} players {when}" for number in result.players for when in ("before", "after"))]
    rows = []
    for column, role in enumerate(result.roles):
        cells = [
            wording.effect_words(effects[table][column])
            for table in range(len(result.players))
            for effects in (result.before, result.best.effects)
        ]
        rows.append([("* " if role in result.chosen else "") + wording.name_of_role(role), *cells])
    return titles, rows


VERDICTS: dict[Fairness, str] = {"fair": "fair", "not known": "may be fair", "not fair": "not fair"}


def proposal_rows(result: Suggestion) -> tuple[list[str], list[list[str]]]:
    """A table: for each proposal that was played on fresh seeds, the effect at each table that is farthest from 0."""
    columns = [result.roles.index(role) for role in result.chosen]
    rows = []
    for one in result.confirmed:
        cells = []
        for effects in one.effects:
            farthest = max(columns, key=lambda column: abs(effects[column].value))
            role = f"{wording.name_of_role(result.roles[farthest])} " if len(columns) > 1 else ""
            cells.append(role + wording.effect_words(effects[farthest]))
        rows.append([changes_words(one.changes), VERDICTS[one.verdict], *cells])
    return ["changed numbers", "", *(f"{number} players" for number in result.players)], rows


def print_suggestion(result: Suggestion) -> None:
    """Print the result as a table, followed by sentences."""
    console = Console()
    whatif_pages.print_table(console, "Effects before and after", *effect_rows(result))
    if len(result.confirmed) > 1:
        whatif_pages.print_table(console, "Proposals on fresh seeds", *proposal_rows(result))
    console.print(*sentences(result), sep="\n", markup=False, highlight=False)


def write_screening(folder: Path, screening: Screening) -> None:
    """Write ``screening.json`` into a folder, which is created if it is missing."""
    write_result(folder / SCREENING_FILE, screening, SCREENING_FORMAT, SCREENING_VERSION)


def write_suggestion(folder: Path, result: Suggestion, file: str) -> None:
    """Write ``suggestion.toml``, the changed component file, ``suggestion.md`` and ``suggestion.json`` into a folder.

    Args:
        folder: created if it is missing.
        result: the result.
        file: text of the changed component file.
    """
    lines = ["# The smallest change", "", *sentences(result), "", *whatif_pages.markdown_table(*effect_rows(result))]
    lines += ["", _NOTE, "", f"The changed component file is `{FILE}`.", ""]
    if len(result.confirmed) > 1:
        lines += ["## Proposals on fresh seeds", "", *whatif_pages.markdown_table(*proposal_rows(result)), ""]
    atomic.write_text(folder / FILE, file)
    atomic.write_text(folder / "suggestion.md", "\n".join(lines))
    write_result(folder / "suggestion.json", result, FORMAT, VERSION)

"""Two versions of the components side by side: sentences, tables and a picture that is readable in black and white."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from rich.console import Console

from dunaia_env.balance import plots
from dunaia_env.balance.outcomes import write_result
from dunaia_env.balance.pages import Page, to_html, to_markdown
from dunaia_env.balance.questions.fun import MEASURES, USES, FunChange
from dunaia_env.balance.questions.verdicts import OVER, UNDER, VERDICTS, Verdict
from dunaia_env.balance.versions import Comparison, Outcome, RoleChange
from dunaia_env.balance.whatif_pages import is_clear, print_table
from dunaia_env.balance.wording import (
    NO_ENTRY,
    at_tables,
    cell,
    effect_cell,
    label_of,
    name_of_role,
    number,
    percent,
    players_words,
    share_cell,
    with_article,
)
from dunaia_env.reports.drawing import TEXT, own_style, to_svg
from dunaia_env.reports.parts import ReportTable, Section, TableCell, table_row
from dunaia_env.statistics.intervals import Estimate
from dunaia_env.support import atomic, english, messages

FORMAT, VERSION = "dunaia-balance-compare", 1
# Number of differing values that the page shows.
_MOST_DIFFERENCES = 40
# The signs say the same as the words and colours.
OUTCOMES: dict[Outcome, str] = {"better": "+ better", "worse": "× worse", "no clear change": "○ no clear change"}
_COLOURS: dict[Outcome, float | None] = {"better": 0.6, "worse": -0.6, "no clear change": None}
_CLEAR_OUTCOMES: tuple[Outcome, ...] = ("better", "worse")
_STAR = " *"
# Width of the longest word in the picture, in inches.
_WORD = 0.42
_NOTE = (
    "Better: closer to the fair share. Worse: farther from it. Changes are in percentage points of the share of the"
    " wins. A star marks a change whose interval lies on one side of 0."
)


def sentences(result: Comparison) -> tuple[str, ...]:
    """The comparison in at most six sentences: what got better, what got worse, for whom, and what did not change."""
    strongest = result.at_level(result.strongest)
    player = label_of(result.strongest)
    better, worse = (_of_outcome(strongest, kind, result) for kind in _CLEAR_OUTCOMES)
    if better or worse:
        found = [
            f"When {player} plays, closer to the fair share than before: {', '.join(better)}."
            if better
            else f"When {player} plays, nothing is clearly closer to the fair share than before.",
            f"Farther from the fair share than before: {', '.join(worse)}."
            if worse
            else "Nothing is clearly farther from the fair share than before.",
        ]
    else:
        found = [f"When {player} plays, nothing is clearly closer to the fair share than before, or farther from it."]
    found += [*_unclear_sentence(result), _verdict_sentence(result)]
    return (*found, *_level_sentence(result), _fun_sentence(result))


def _with_tables(found: Iterable[tuple[str, int]], result: Comparison) -> list[str]:
    """Texts with the numbers of players for which they were found, unless there is only one such number anyway."""
    return at_tables(found) if len(result.players) > 1 else list(dict.fromkeys(text for text, _ in found))


def _named(changes: Iterable[RoleChange], result: Comparison) -> list[str]:
    """The roles of changes, each with its numbers of players."""
    return _with_tables(((name_of_role(change.role), change.players) for change in changes), result)


def _of_outcome(changes: Iterable[RoleChange], outcome: Outcome, result: Comparison) -> list[str]:
    """The roles of the changes with an outcome, each with its numbers of players."""
    return _named((change for change in changes if change.outcome == outcome), result)


def _unclear_sentence(result: Comparison) -> list[str]:
    """What is neither clearly better nor clearly worse, and which of these shares changed nevertheless."""
    unclear = [change for change in result.at_level(result.strongest) if change.outcome == "no clear change"]
    if not unclear:
        return []
    text = f"Not clearly closer or farther: {', '.join(_named(unclear, result))}"
    if moved := _named((change for change in unclear if is_clear(change.change)), result):
        text += (
            f"; the share clearly changed nevertheless, perhaps to the other side of the fair share: {', '.join(moved)}"
        )
    return [f"{text}."]


def _verdict_sentence(result: Comparison) -> str:
    """What is no longer too strong or too weak, and what has become so; other verdicts stand in the tables."""
    gone, come, swapped = list[RoleChange](), list[RoleChange](), list[RoleChange]()
    for change in result.at_level(result.strongest):
        before, after = (_side(verdict) for verdict in (change.verdict_before, change.verdict_after))
        if before != after:
            (gone if not after else come if not before else swapped).append(change)
    clauses = [
        f"{words}: {', '.join(_named(changes, result))}"
        for words, changes in (
            ("before but not now", gone),
            ("now but not before", come),
            ("before and now, on opposite sides", swapped),
        )
        if changes
    ]
    if clauses:
        return f"Too strong or too weak {'; '.join(clauses)}."
    return "What is too strong or too weak is the same as before."


def _side(verdict: Verdict) -> int:
    """1 for too strong, -1 for too weak, clearly or not, and 0 for any other verdict."""
    return (verdict in OVER) - (verdict in UNDER)


def _level_sentence(result: Comparison) -> list[str]:
    """What is better and worse at the weaker levels of play."""
    clauses = []
    for level in result.levels[:-1]:
        changes = result.at_level(level)
        named = [(kind, _of_outcome(changes, kind, result)) for kind in _CLEAR_OUTCOMES]
        words = [f"{kind} for {', '.join(found)}" for kind, found in named if found]
        clauses.append(f"when {label_of(level)} plays, {', and '.join(words) or 'nothing is clearly better or worse'}")
    text = "; ".join(clauses)
    return [f"{text[:1].upper()}{text[1:]}."] if text else []


def _fun_sentence(result: Comparison) -> str:
    """What games are like with the version after, where this clearly changed; the uses of powers are left out."""
    changed = [
        (MEASURES[change.measure].more if change.change.low > 0 else MEASURES[change.measure].less, change.players)
        for change in result.fun
        if is_clear(change.change) and change.measure != USES.key
    ]
    if clear := _with_tables(changed, result):
        return f"What games are like clearly changed: {', '.join(clear)}."
    return "What games are like did not clearly change."


def overview_plot(result: Comparison, name: str) -> str:
    """The effect of each role with both versions at the strongest level, with a panel for each number of players."""
    changes = result.at_level(result.strongest)
    names = result.role_names
    labels = [name_of_role(role) for role in names]
    effects = {id(change): [_effect(share, change) for share in (change.before, change.after)] for change in changes}
    drawn = [effect for both in effects.values() for effect in both]
    with own_style():
        figure, panels = plots.effect_panels(
            labels, result.players, 100 * result.tolerance, drawn, row=0.46, above=0.62, beside=_WORD
        )
        for change in changes:
            before, after = effects[id(change)]
            _draw_change(panels[change.players], before, after, names.index(change.role), change.outcome)
        handles = [
            Line2D([], [], linestyle="none", marker="o", color=TEXT, markersize=6, markerfacecolor=face)
            for face in (plots.PAPER, TEXT)
        ]
        left = panels[result.players[0]].get_position().x0
        figure.legend(
            handles, ["before", "after"], loc="upper left", bbox_to_anchor=(left, 1), ncols=2, frameon=False,
            borderpad=0.1, handletextpad=0.3, columnspacing=1.4, handlelength=1.2,
        )  # fmt: skip
        return to_svg(figure, name, "Effect of each role before and after, by number of players", plots.PAGE)


def _effect(share: Estimate, change: RoleChange) -> Estimate:
    """A win share minus the fair share, in percentage points."""
    return Estimate(*(100 * (end - change.fair) for end in share))


def _draw_change(axes: Axes, before: Estimate, after: Estimate, row: int, outcome: Outcome) -> None:
    """The effects before and after, one below the other, and a sign that says whether this is better or worse."""
    for effect, height, filled in ((before, row - 0.16, False), (after, row + 0.16, True)):
        if np.isfinite(effect.low):
            axes.plot(effect[1:], (height, height), color=TEXT, linewidth=1.3, solid_capstyle="butt")
        face = TEXT if filled else plots.PAPER
        axes.plot([effect.value], [height], "o", color=TEXT, markersize=6, markerfacecolor=face, markeredgewidth=1.1)
    if outcome != "no clear change":
        axes.annotate(
            outcome, (1.0, row), xycoords=("axes fraction", "data"), ha="right", va="center", fontsize=8,
            fontweight="bold",
        )  # fmt: skip


def overview_table(result: Comparison) -> ReportTable:
    """Whether each role's share is better at the strongest level, with the verdicts before and after."""
    found = {(change.role, change.players): change for change in result.at_level(result.strongest)}
    rows = tuple(
        table_row(name_of_role(role), *(_outcome_cell(found.get((role, players))) for players in result.players))
        for role in result.role_names
    )
    title = f"Better or worse, and the verdicts, when {label_of(result.strongest)} plays"
    return ReportTable(title, (result.role_title, *map(players_words, result.players)), rows, texts=True)


def _outcome_cell(change: RoleChange | None) -> TableCell:
    if change is None:
        return NO_ENTRY
    before, after = VERDICTS[change.verdict_before], VERDICTS[change.verdict_after]
    return TableCell(
        OUTCOMES[change.outcome], f"{before} → {after}" if before != after else before, _COLOURS[change.outcome]
    )


def share_tables(result: Comparison) -> tuple[ReportTable, ...]:
    """For each number of players, the shares before and after and their change, by role and level."""
    columns = (result.role_title, "level", "share before", "share after", "change", "closer to the fair share?")
    tables = []
    for players in result.players:
        rows = tuple(
            table_row(
                name_of_role(change.role),
                label_of(change.level),
                share_cell(change.before),
                share_cell(change.after),
                _starred(effect_cell(change.change), change.change),
                TableCell(OUTCOMES[change.outcome], colour=_COLOURS[change.outcome]),
            )
            for change in result.roles
            if change.players == players
        )
        note = f"The fair share is {percent(1 / players)}. Common blocks at each level: {result.blocks[players]:,}."
        tables.append(ReportTable(f"Shares of the wins, {players_words(players)}", columns, rows, (note,)))
    return tuple(tables)


def _starred(plain: TableCell, change: Estimate) -> TableCell:
    """A cell with a star if the change is clear."""
    return TableCell(plain.text + _STAR, plain.detail) if is_clear(change) else plain


def fun_tables(result: Comparison) -> tuple[ReportTable, ...]:
    """For each number of players, what games are like before and after."""
    columns = ("measure", "unit", "before", "after", "change")
    return tuple(
        ReportTable(
            f"What games are like, {players_words(players)}",
            columns,
            tuple(_fun_row(change) for change in result.fun if change.players == players),
        )
        for players in result.players
    )


def _fun_row(change: FunChange) -> tuple[TableCell, ...]:
    measure = MEASURES[change.measure]
    name = f"{name_of_role(change.role)}: {measure.title}" if change.role else measure.title
    before, after = (number(measure.scale * value, measure.digits) for value in (change.before, change.after))
    difference = cell(change.change, measure.digits, scale=measure.scale, sign=True)
    return table_row(name, measure.unit, before, after, _starred(difference, change.change))


def difference_table(result: Comparison) -> ReportTable:
    """The values in which the versions differ; of very many, only the first ones."""
    rows = tuple(
        table_row(messages.printable(path), messages.printable(before) or "–", messages.printable(after) or "–")
        for path, before, after in result.differences[:_MOST_DIFFERENCES]
    )
    left = len(result.differences) - len(rows)
    notes = (f"{left} further values differ; compare.json has all of them.",) if left else ()
    return ReportTable("", ("value", "before", "after"), rows, notes, texts=True)


def state(result: Comparison) -> str:
    """What was played, and how precisely the changes of the shares are known."""
    tables = english.listed(result.players)
    reached, wanted = (number(100 * width, 2) for width in (result.half_width, result.precision))
    known = f"The changes of the shares are known to ± {reached} percentage points or better"
    if result.half_width > result.precision:
        known += f", not to the ± {wanted} that were asked for, because the limit on the games was reached"
    levels = english.listed(map(label_of, result.levels))
    return f"{result.games:,} games with {tables} players, on common seeds. Levels of play: {levels}. {known}."


def make_page(result: Comparison) -> Page:
    """The page for readers who were not there when the games were played."""
    bound = f"{100 * result.tolerance:g}"
    rule = (
        f"{with_article(result.role_title).capitalize()}'s share of the wins is called better if it certainly came"
        " closer to the fair share, whether from above or from below, and worse if it certainly moved away from it."
        f" Both versions were played with the same seeds, and in every block of games each {result.role_title} sits in"
        f" each seat once. The verdicts are those of the strongest play, {label_of(result.strongest)}'s, with a"
        f" tolerance of {bound} percentage points."
    )
    certain = (
        "The intervals of all changes are simultaneous: with 95 % confidence, nothing is called better or worse here"
        " that is not. The intervals of the shares, on which the verdicts rest, hold simultaneously within each"
        " version. A star marks a change whose interval lies on one side of 0."
    )
    measures = [MEASURES[key] for key in dict.fromkeys(change.measure for change in result.fun)]
    meanings = tuple(f"{measure.title[:1].upper()}{measure.title[1:]}: {measure.meaning}" for measure in measures)
    fun = (
        f"Where {label_of(result.strongest)} plays all seats, with assigned {result.role_title}s. The intervals of the"
        " changes are simultaneous among themselves. A star marks a change whose interval lies on one side of 0. No"
        " measure says whether a game is good; that is for its designer to decide."
    )
    blocks = "; ".join(f"{players_words(players)}: {count:,}" for players, count in result.blocks.items())
    facts = (
        ("before", f"{result.before.label}, components {result.before.components}"),
        ("after", f"{result.after.label}, components {result.after.components}"),
        ("game", ", ".join([result.title, *(f"{name} {word}" for name, word in result.options.items())])),
        ("levels of play, from weak to strong", ", ".join(result.levels)),
        (f"common blocks of {len(result.role_names)} games at each level", blocks),
        ("seed", str(result.seed)),
        ("tolerance and precision", f"± {bound} and ± {100 * result.precision:g} percentage points"),
    )
    played = ReportTable("", ("setting", "value"), tuple(table_row(*fact) for fact in facts), texts=True)
    different = Section("What differs between the versions", tables=(difference_table(result),))
    return Page(
        title=f"Two versions of {result.title} compared: {result.before.label} and {result.after.label}",
        state=state(result),
        picture=overview_plot(result, "compare"),
        caption=f"Win shares before and after, when {label_of(result.strongest)} plays",
        legend=(
            "Better: closer to the fair share; worse: farther from it; no word: neither is certain. Lines: 95 %"
            " intervals, simultaneous within each version. Both versions had the same seeds, so a change can be clear"
            " although the lines overlap."
        ),
        findings=sentences(result),
        sections=(
            Section("Shares of the wins", (rule, certain), (overview_table(result), *share_tables(result))),
            Section("What games are like", (fun, *meanings), fun_tables(result)),
            *([different] if result.differences else []),
            Section("What was played", tables=(played,)),
        ),
        folded=False,
    )


def print_comparison(result: Comparison) -> None:
    """Print a comparison as tables and sentences."""
    console = Console()
    for table in (overview_table(result), *share_tables(result), *fun_tables(result)):
        print_table(console, table.title, table.columns, [list(map(_printed, row)) for row in table.rows])
    for text in (state(result), _NOTE, *sentences(result)):
        console.print(messages.printable(text), markup=False, highlight=False)


def _printed(shown: TableCell) -> str:
    """A cell as text for a terminal."""
    text = f"{shown.text} ({shown.detail})" if shown.detail else shown.text
    return text.replace("\u00a0", " ")


def write_comparison(folder: Path, result: Comparison) -> None:
    """Write ``compare.html``, ``compare.md`` and ``compare.json``, the same bytes for the same comparison.

    Args:
        folder: created if it is missing.
        result: the comparison.

    Raises `OSError` if a file cannot be written.
    """
    page = make_page(result)
    write_result(folder / "compare.json", result, FORMAT, VERSION, sentences=page.findings)
    atomic.write_text(folder / "compare.md", to_markdown(page))
    atomic.write_text(folder / "compare.html", to_html(page))

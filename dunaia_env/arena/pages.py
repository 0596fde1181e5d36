"""A run's summary as tables for people, in Markdown and as one HTML page that needs nothing else."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from dunaia_env.arena import plots
from dunaia_env.arena.intervals import Estimate
from dunaia_env.arena.notable import Notable
from dunaia_env.arena.statistics import Decision
from dunaia_env.arena.summary import ENOUGH_GAMES, Progress, Row, Summary
from dunaia_env.harness.dealing import variant
from dunaia_env.harness.registry import find_game

_FEW = "†"
_FEW_NOTE = f"{_FEW} fewer than {ENOUGH_GAMES} games and no sequential test that decided: too little to conclude from."
_DECISIONS = {"accept": "the higher share", "reject": "the lower share", "go on": "not yet"}


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes:
        text: what it says first.
        detail: what it adds, smaller: the ends of an interval; empty for nothing.
        colour: from -1 (bad) over 0 (even) to 1 (good); None for none.
    """

    text: str
    detail: str = ""
    colour: float | None = None


@dataclass(frozen=True)
class Sheet:
    """A table: its title, the titles of its columns, its rows and what is to be said below.

    ``texts`` says that its cells are texts rather than numbers, and so stand to the left.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    texts: bool = False


@dataclass(frozen=True)
class Part:
    """A part of a report, in the order in which it is shown; ``folded`` tables are opened by a click."""

    title: str
    paragraphs: tuple[str, ...] = ()
    sheets: tuple[Sheet, ...] = ()
    pictures: tuple[tuple[str, str], ...] = ()
    links: tuple[tuple[str, str, str], ...] = ()
    code: str = ""
    folded: bool = False


def _number(value: float, digits: int) -> str:
    return "–" if not math.isfinite(value) else f"{value:.{digits}f}".replace("-", "−")


def interval(estimate: Estimate, digits: int, scale: float = 1.0, unit: str = "") -> Cell:
    """A number with the ends of its interval as its detail."""
    value, low, high = (_number(scale * number, digits) for number in estimate)
    return Cell(f"{value}{unit}", "" if low == "–" else f"{low} to {high}")


def share_cell(estimate: Estimate | None) -> Cell:
    """A share in per cent."""
    return Cell("–") if estimate is None else interval(estimate, 1, 100, " %")


def cells(*contents: Cell | str) -> tuple[Cell, ...]:
    """A row of a table."""
    return tuple(Cell(content) if isinstance(content, str) else content for content in contents)


def _players(number: int) -> str:
    return f"{number} players"


def worth(ratio: float | None) -> str:
    """How many raw games a luck-adjusted one is worth, as text."""
    return "–" if ratio is None or not math.isfinite(ratio) else f"× {ratio:.2f}"


def milliseconds(seconds: float | None) -> str:
    """Seconds as milliseconds with three digits."""
    return "–" if seconds is None else f"{1000 * seconds:#.3g}".rstrip(".")


def _row(row: Row, rating: Cell | None, *, with_luck: bool) -> tuple[Cell, ...]:
    return cells(
        row.entrant + (f"\u00a0{_FEW}" if row.few else ""),
        f"{row.games:,}",
        share_cell(row.share),
        f"{100 * row.fair:.1f} %",
        *((share_cell(row.adjusted), worth(row.variance_ratio)) if with_luck else ()),
        interval(row.place, 2),
        interval(row.margin, 1),
        *(() if rating is None else (rating,)),
        milliseconds(row.decision_seconds),
        milliseconds(row.slow_seconds),
        str(row.faults),
    )


def _columns(*, with_luck: bool, with_rating: bool) -> tuple[str, ...]:
    """Titles of the columns of `_row`."""
    return (
        *("agent", "games", "win share (95 %)", "fair"),
        *(("luck-adjusted", "worth") if with_luck else ()),
        *("mean rank", "margin"),
        *(("rating",) if with_rating else ()),
        *("ms/decision", "slow", "faults"),
    )


_LUCK_NOTE = "Luck-adjusted: without what chance gave, and how many times as many raw games it is worth."
_COLUMN_NOTES = (
    "Win share: of a seat's games, ties split. Margin: points minus the mean of the others'. Rating: Plackett-Luce, 400"
    " points for ten times as often ahead, mean 0. Slow: milliseconds a decision that 95 % of the agent's games do not"
    " pass. Intervals: 95 %, by bootstrap over game seeds."
)


def _standings(summary: Summary) -> Part:
    sheets = []
    with_luck = bool(summary.run.valuer)
    for players in summary.ratings:
        ratings = {rating.entrant: rating for rating in summary.ratings[players]}
        rows = sorted(
            (row for row in summary.standings if row.players == players),
            key=lambda row: -row.share.value if math.isfinite(row.share.value) else math.inf,
        )
        shown = {label: interval(rating.rating, 0) for label, rating in ratings.items()}
        several = len({rating.group for rating in ratings.values()}) > 1
        sheets.append(
            Sheet(
                _players(players),
                _columns(with_luck=with_luck, with_rating=True),
                tuple(_row(row, shown.get(row.entrant, Cell("–")), with_luck=with_luck) for row in rows),
                tuple(
                    note
                    for note, needed in (
                        (_FEW_NOTE, any(row.few for row in rows)),
                        ("Some agents never met, not even through others: their ratings cannot be compared.", several),
                    )
                    if needed
                ),
            )
        )
    return Part("Results", sheets=tuple(sheets), paragraphs=(_COLUMN_NOTES, *((_LUCK_NOTE,) if with_luck else ())))


def _ratings(summary: Summary) -> Part:
    pictures = []
    for players, ratings in summary.ratings.items():
        for group in sorted({rating.group for rating in ratings}):
            own = [rating for rating in ratings if rating.group == group]
            pictures.append((_players(players), plots.rating_plot(own, f"ratings-{players}-{group}")))
    return Part("Ratings", pictures=tuple(pictures))


def _cross_tables(summary: Summary) -> Part:
    sheets = []
    for players, pairs in summary.pairs.items():
        found = {(pair.entrant, pair.opponent): pair for pair in pairs}
        # The best come first, so that a table without surprises is of one colour above its diagonal.
        order = [rating.entrant for rating in summary.ratings[players]]
        rows = []
        for number, entrant in enumerate(order, start=1):
            cells = [Cell(f"{number}. {entrant}")]
            for opponent in order:
                pair = found.get((entrant, opponent))
                cells.append(
                    Cell("")
                    if pair is None
                    else Cell(f"{100 * pair.share.value:.1f} %", f"of {pair.games:,}", 2 * pair.share.value - 1)
                )
            rows.append(tuple(cells))
        if rows:
            columns = ("ahead of", *(str(number + 1) for number in range(len(order))))
            sheets.append(Sheet(_players(players), columns, tuple(rows)))
    text = "How often the row's agent finished before the column's, ties as half, and in how many games both sat."
    return Part("Who beats whom", (text,), tuple(sheets))


def _score_part(summary: Summary) -> Part:
    sheets, pictures = [], []
    for players, unordered in summary.scores.items():
        places = {rating.entrant: place for place, rating in enumerate(summary.ratings[players])}
        scores = sorted(unordered, key=lambda one: places.get(one.entrant, len(places)))
        if scores:
            pictures.append((_players(players), plots.score_plot(scores, f"scores-{players}")))
            rows = tuple(cells(one.entrant, *(f"{value:.0f}" for value in one.quantiles)) for one in scores)
            sheets.append(Sheet(_players(players), ("agent", "5 %", "25 %", "median", "75 %", "95 %"), rows))
    return Part("Scores", sheets=tuple(sheets), pictures=tuple(pictures), folded=True)


def _seat_part(summary: Summary) -> Part:
    sheets, pictures = [], []
    for players in summary.ratings:
        seats = [seat for seat in summary.seats if seat.players == players and seat.table is None]
        if seats:
            pictures.append((_players(players), plots.seat_plot(seats, f"seats-{players}")))
            rows = tuple(cells(str(seat.seat), f"{seat.games:,}", share_cell(seat.share)) for seat in seats)
            sheets.append(Sheet(_players(players), ("seat", "games", "win share (95 %)"), rows))
    text = "Win share of each seat over all who sat there; seat 0 begins the first round."
    return Part("Seats", (text,), tuple(sheets), tuple(pictures), folded=True)


def note_of_test(progress: Progress, decision: Decision, hypotheses: tuple[float, float]) -> str:
    """What a sequential test at a table said."""
    low, high = (f"{100 * share:g} %" for share in hypotheses)
    return (
        f"Sequential test of {low} against {high} for {progress.entrants[0]}: {_DECISIONS[decision]}"
        f" after {progress.blocks} blocks. A share at which a test stopped lies too far out on average."
    )


def _tables(summary: Summary) -> Part:
    sheets = []
    with_luck = bool(summary.run.valuer)
    for progress in summary.progress:
        rows = [row for row in summary.rows if row.table == progress.table]
        notes = []
        if any(row.few for row in rows):
            notes.append(_FEW_NOTE)
        if progress.decision is not None and summary.run.sprt is not None:
            notes.append(note_of_test(progress, progress.decision, summary.run.sprt))
        sheets.append(
            Sheet(
                f"Table {progress.table}: {' · '.join(progress.entrants)}",
                _columns(with_luck=with_luck, with_rating=False),
                tuple(_row(row, None, with_luck=with_luck) for row in rows),
                tuple(notes),
            )
        )
    return Part("Tables", sheets=tuple(sheets))


def _fault_part(summary: Summary) -> Part:
    if not summary.faults:
        return Part("Faults", ("No agent raised an exception, chose an illegal action or ran out of time.",))
    rows = tuple(
        cells(
            fault.entrant,
            fault.kind,
            str(fault.count),
            f"table {fault.table}, block {fault.block}, order {fault.order}",
            fault.example,
        )
        for fault in summary.faults
    )
    text = "A game with a fault is lost for its seat."
    return Part(
        "Faults", (text,), (Sheet("", ("agent", "kind", "number", "first in", "what happened"), rows, texts=True),)
    )


def _value(value: int) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _origin(summary: Summary) -> Part:
    run = summary.run
    game = find_game(run.game)
    seeds = max((table.blocks for table in run.tables), default=0)
    facts = (
        ("components", run.components),
        ("package", run.package),
        ("commit", run.commit),
        ("game seeds", f"{run.seed} to {run.seed + max(seeds - 1, 0)}"),
        ("mode", run.mode),
        ("game", game.title),
        *((game.option(name).title or name, _value(value)) for name, value in run.options.items()),
        ("seconds for a decision", f"{run.time_limit:g}"),
        ("games at once", str(run.games_at_once)),
        ("luck valued by", run.valuer or "nobody"),
    )
    agents = tuple(cells(entrant.label, entrant.name, entrant.version) for entrant in run.entrants)
    blocks = tuple(_progress(progress) for progress in summary.progress)
    return Part(
        "To repeat it",
        sheets=(
            Sheet("", ("what", "value"), tuple(cells(*fact) for fact in facts), texts=True),
            Sheet("Agents", ("asked for as", "name", "version"), agents, texts=True),
            Sheet(
                "Blocks", ("table", "players", "agents", "blocks planned", "complete", "left out"), blocks, texts=True
            ),
        ),
        code=run.command,
    )


def _progress(progress: Progress) -> tuple[Cell, ...]:
    return cells(
        str(progress.table),
        str(progress.players),
        " · ".join(progress.entrants),
        str(progress.planned_blocks),
        str(progress.blocks),
        str(progress.incomplete_blocks),
    )


def _replays(games: Sequence[Notable]) -> Part:
    if not games:
        return Part("Replays", ("No game is finished yet.",))
    rows = []
    for game in games:
        far = "; ".join(f"{name} {_number(value, 1)}" for name, value in game.features.items())
        seats = ", ".join(f"{agent} {score}" for agent, score in zip(game.agents, game.scores, strict=True))
        rows.append(cells(game.name, seats, str(game.rounds), str(game.seed), _number(game.distance, 1), far))
    text = (
        "The median game is closest to its table's medians of rounds, decisions and margin between the two best; the"
        " strangest are farthest, the winner's score included. Distances in robust standard deviations. Shown by:"
        " python -m dunaia_env.replay show FILE"
    )
    columns: tuple[str, ...] = ("game", "seats and points", "rounds", "seed", "distance", "by")
    if any(game.problem for game in games):
        columns += ("not replayed, because",)
        rows = [(*row, Cell(game.problem)) for row, game in zip(rows, games, strict=True)]
    links = tuple((game.name, game.path, f"seed {game.seed}") for game in games if game.path is not None)
    return Part("Replays", (text,), (Sheet("", columns, tuple(rows), texts=True),), links=links)


def parts(summary: Summary, games: Sequence[Notable]) -> list[Part]:
    """The parts of a report in the order in which people look."""
    makers: tuple[Callable[[Summary], Part], ...] = (_standings, _ratings, _cross_tables, _score_part, _seat_part)
    made = [make(summary) for make in makers]
    if len(summary.progress) > len(summary.ratings) or summary.run.sprt:
        made.append(_tables(summary))
    made += [_fault_part(summary), _origin(summary), _replays(games)]
    return [part for part in made if part.paragraphs or part.sheets or part.pictures]


def headline(summary: Summary) -> tuple[str, str]:
    """The title of a report, and a sentence about how far the run got."""
    *first, last = [str(number) for number in summary.ratings]
    players = f"{', '.join(first)} and {last}" if first else last
    game = find_game(summary.run.game)
    agents = f"{len(summary.run.entrants)} agents at tables of {players} players"
    title = f"Arena: {', '.join(filter(None, (game.title, agents, variant(game, summary.run.options))))}"
    planned = sum(table.planned_blocks for table in summary.progress)
    complete = sum(table.blocks for table in summary.progress)
    incomplete = sum(table.incomplete_blocks for table in summary.progress)
    are = "block is" if incomplete == 1 else "blocks are"
    left = f"; {incomplete} incomplete {are} left out" if incomplete else ""
    state = f"{summary.games:,} games, {complete:,} of {planned:,} blocks complete{left}."
    if not summary.finished:
        state = f"This run is not finished: {state}"
    return title, state


def markdown(summary: Summary, games: Sequence[Notable]) -> str:
    """The report as Markdown, without its pictures."""
    title, state = headline(summary)
    begin = [f"# {title}", "", f"**{state}**" if not summary.finished else state, ""]
    return "\n".join([*begin, *in_markdown(parts(summary, games))]).rstrip() + "\n"


def in_markdown(made: Sequence[Part]) -> list[str]:
    """The lines of parts in Markdown, without their pictures."""
    lines = []
    for part in made:
        if not (part.paragraphs or part.sheets):
            continue
        lines += [f"## {part.title}", ""]
        for paragraph in part.paragraphs:
            lines += [_escape(paragraph), ""]
        if part.code:
            # Longer than what stands in the code: a command may hold what would end it.
            fence = "`" * (1 + max([2, *(len(run) for run in re.findall("`+", part.code))]))
            lines += [f"{fence}sh", part.code, fence, ""]
        for sheet in part.sheets:
            if sheet.title:
                lines += [f"### {_escape(sheet.title)}", ""]
            lines += [_line(sheet.columns), "|" + "---|" * len(sheet.columns)]
            lines += [_line([_in_words(cell) for cell in row]) for row in sheet.rows]
            lines.append("")
            for note in sheet.notes:
                lines += [_escape(note), ""]
        for name, path, _ in part.links:
            lines.append(f"- [{name}]({path})")
        if part.links:
            lines.append("")
    return lines


def _escape(text: str) -> str:
    """Text that Markdown shows as it is."""
    return "".join("\\" + sign if sign in "\\|*_`<[" else sign for sign in " ".join(text.splitlines()))


def _in_words(cell: Cell) -> str:
    return f"{cell.text} ({cell.detail})" if cell.detail else cell.text


def _line(texts: Sequence[str]) -> str:
    return "| " + " | ".join(_escape(text) for text in texts) + " |"


def _is_coloured(cell: Cell) -> bool:
    return cell.colour is not None and math.isfinite(cell.colour)


def _background(cell: Cell) -> str:
    """The colour behind a coloured cell, for a style."""
    colour = cell.colour or 0.0
    return f"rgba(var(--{'good' if colour >= 0 else 'bad'}), {min(abs(colour), 1) * 0.6:.2f})"


def _pieces(text: str) -> list[str]:
    """The pieces of a text between which a line may be broken: where the parts of long names meet."""
    return re.split(r"(?<=[,/:.=_-])(?=[A-Za-z])", text)


@cache
def _templates() -> Environment:
    made = Environment(
        loader=PackageLoader("dunaia_env.arena"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
    )
    made.filters |= {"background": _background, "pieces": _pieces}
    made.tests["coloured"] = _is_coloured
    return made


def page(summary: Summary, games: Sequence[Notable]) -> str:
    """The report as one HTML page: style and pictures stand in it, and it asks nobody for anything."""
    title, state = headline(summary)
    made = parts(summary, games)
    return (
        _templates().get_template("report.html").render(title=title, state=state, finished=summary.finished, parts=made)
    )

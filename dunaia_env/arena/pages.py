"""The report of a run: its summary as tables and plots, in Markdown and as one self-contained HTML page."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from dunaia_env.arena import notable, plots, records
from dunaia_env.arena.summary import ENOUGH_GAMES, Progress, Row, Summary
from dunaia_env.harness import dealing, registry, seeds
from dunaia_env.reports import moments, parts
from dunaia_env.statistics import intervals, sequential

_FEW = "†"
_FEW_NOTE = f"{_FEW} fewer than {ENOUGH_GAMES} games and no decision of a sequential test: too little for a conclusion."
_DECISIONS = {"accept": "the higher share", "reject": "the lower share", "go on": "not yet"}


def share_cell(estimate: intervals.Estimate | None) -> parts.TableCell:
    """A cell with a share in per cent; a dash for None."""
    return parts.TableCell("–") if estimate is None else parts.interval(estimate, 1, 100, " %")


def _players(number: int) -> str:
    return f"{number} players"


def worth(ratio: float | None) -> str:
    """The number of raw games that a luck-adjusted one is worth, as text."""
    return "–" if ratio is None or not math.isfinite(ratio) else f"× {ratio:.2f}"


def milliseconds(seconds: float | None) -> str:
    """Seconds as milliseconds with three digits."""
    return "–" if seconds is None else f"{1000 * seconds:#.3g}".rstrip(".")


def _row(row: Row, rating: parts.TableCell | None, *, with_luck: bool) -> tuple[parts.TableCell, ...]:
    return parts.table_row(
        row.entrant + (f"\u00a0{_FEW}" if row.few else ""),
        f"{row.games:,}",
        share_cell(row.share),
        f"{100 * row.fair:.1f} %",
        *((share_cell(row.adjusted), worth(row.variance_ratio)) if with_luck else ()),
        parts.interval(row.place, 2),
        parts.interval(row.margin, 1),
        *(() if rating is None else (rating,)),
        milliseconds(row.decision_seconds),
        milliseconds(row.slow_seconds),
        str(row.faults),
    )


def _columns(*, with_luck: bool, with_rating: bool) -> tuple[str, ...]:
    """The titles of the columns of `_row`."""
    return (
        *("agent", "games", "win share (95 %)", "fair"),
        *(("luck-adjusted", "worth") if with_luck else ()),
        *("mean rank", "margin"),
        *(("rating",) if with_rating else ()),
        *("ms/decision", "slow", "faults"),
    )


_LUCK_NOTE = (
    "Luck-adjusted: the win share minus the part that luck explains. Worth: how many raw games a luck-adjusted game is"
    " worth."
)
_COLUMN_NOTES = (
    "Win share: wins per game and seat; a tie is split. Fair: the share of equal players. Margin: points minus the mean"
    " of the other players' points. Rating: Plackett-Luce, mean 0; 400 points mean finishing ahead ten times as often"
    " as behind. Slow: the 95 % quantile, over games, of the milliseconds per decision. Intervals: 95 %, by bootstrap"
    " over game seeds."
)


def _standings(summary: Summary) -> parts.Section:
    tables = []
    with_luck = bool(summary.run.valuer)
    for players in summary.ratings:
        ratings = {rating.entrant: rating for rating in summary.ratings[players]}
        rows = sorted(
            (row for row in summary.standings if row.players == players),
            key=lambda row: -row.share.value if math.isfinite(row.share.value) else math.inf,
        )
        rating_cells = {label: parts.interval(rating.rating, 0) for label, rating in ratings.items()}
        several = len({rating.group for rating in ratings.values()}) > 1
        tables.append(
            parts.ReportTable(
                _players(players),
                _columns(with_luck=with_luck, with_rating=True),
                tuple(
                    _row(row, rating_cells.get(row.entrant, parts.TableCell("–")), with_luck=with_luck) for row in rows
                ),
                tuple(
                    note
                    for note, needed in (
                        (_FEW_NOTE, any(row.few for row in rows)),
                        (
                            "Some agents never met, not even through other agents; their ratings cannot be compared.",
                            several,
                        ),
                    )
                    if needed
                ),
            )
        )
    return parts.Section(
        "Results", tables=tuple(tables), paragraphs=(_COLUMN_NOTES, *((_LUCK_NOTE,) if with_luck else ()))
    )


def _ratings(summary: Summary) -> parts.Section:
    pictures = []
    for players, ratings in summary.ratings.items():
        for group in sorted({rating.group for rating in ratings}):
            own = [rating for rating in ratings if rating.group == group]
            pictures.append((_players(players), plots.rating_plot(own, f"ratings-{players}-{group}")))
    return parts.Section("Ratings", pictures=tuple(pictures))


def _cross_tables(summary: Summary) -> parts.Section:
    tables = []
    for players, pairs in summary.pairs.items():
        pair_of = {(pair.entrant, pair.opponent): pair for pair in pairs}
        # The best agents come first, so that a table without surprises has one colour above its diagonal.
        order = [rating.entrant for rating in summary.ratings[players]]
        rows = []
        for number, entrant in enumerate(order, start=1):
            cells = [parts.TableCell(f"{number}. {entrant}")]
            for opponent in order:
                pair = pair_of.get((entrant, opponent))
                cells.append(
                    parts.TableCell("")
                    if pair is None
                    else parts.TableCell(
                        f"{100 * pair.share.value:.1f} %", f"of {pair.games:,}", 2 * pair.share.value - 1
                    )
                )
            rows.append(tuple(cells))
        if rows:
            columns = ("ahead of", *(str(number + 1) for number in range(len(order))))
            tables.append(parts.ReportTable(_players(players), columns, tuple(rows)))
    text = (
        "How often the row's agent finished ahead of the column's agent, ties as half, and the number of games in which"
        " both played."
    )
    return parts.Section("Who beats whom", (text,), tuple(tables))


def _score_section(summary: Summary) -> parts.Section:
    tables, pictures = [], []
    for players, unordered in summary.scores.items():
        places = {rating.entrant: place for place, rating in enumerate(summary.ratings[players])}
        scores = sorted(unordered, key=lambda one: places.get(one.entrant, len(places)))
        if scores:
            pictures.append((_players(players), plots.score_plot(scores, f"scores-{players}")))
            rows = tuple(
                parts.table_row(score.entrant, *(f"{value:.0f}" for value in score.quantiles)) for score in scores
            )
            tables.append(
                parts.ReportTable(_players(players), ("agent", "5 %", "25 %", "median", "75 %", "95 %"), rows)
            )
    return parts.Section("Scores", tables=tuple(tables), pictures=tuple(pictures), folded=True)


def _seat_section(summary: Summary) -> parts.Section:
    tables, pictures = [], []
    for players in summary.ratings:
        seats = [seat for seat in summary.seats if seat.players == players and seat.table is None]
        if seats:
            pictures.append((_players(players), plots.seat_plot(seats, f"seats-{players}")))
            rows = tuple(parts.table_row(str(seat.seat), f"{seat.games:,}", share_cell(seat.share)) for seat in seats)
            tables.append(parts.ReportTable(_players(players), ("seat", "games", "win share (95 %)"), rows))
    text = "Win share of each seat over all agents; seat 0 begins the first round."
    return parts.Section("Seats", (text,), tuple(tables), tuple(pictures), folded=True)


def note_of_test(progress: Progress, decision: sequential.Decision, hypotheses: tuple[float, float]) -> str:
    """A note on the outcome of the sequential test at a table."""
    low, high = (f"{100 * share:g} %" for share in hypotheses)
    return (
        f"Sequential test of {low} against {high} for {progress.entrants[0]}: {_DECISIONS[decision]}"
        f" after {progress.blocks} blocks. On average, the share at which a test stops is too extreme."
    )


def _tables(summary: Summary) -> parts.Section:
    tables = []
    with_luck = bool(summary.run.valuer)
    for progress in summary.progress:
        rows = [row for row in summary.rows if row.table == progress.table]
        notes = []
        if any(row.few for row in rows):
            notes.append(_FEW_NOTE)
        if progress.decision is not None and summary.run.sprt is not None:
            notes.append(note_of_test(progress, progress.decision, summary.run.sprt))
        tables.append(
            parts.ReportTable(
                f"Table {progress.table}: {' · '.join(progress.entrants)}",
                _columns(with_luck=with_luck, with_rating=False),
                tuple(_row(row, None, with_luck=with_luck) for row in rows),
                tuple(notes),
            )
        )
    return parts.Section("Tables", tables=tuple(tables))


def _fault_section(summary: Summary) -> parts.Section:
    if not summary.faults:
        return parts.Section(
            "Faults", ("No agent raised an exception, chose an illegal action or exceeded its time limit.",)
        )
    rows = tuple(
        parts.table_row(
            fault.entrant,
            fault.kind,
            str(fault.count),
            f"table {fault.table}, block {fault.block}, order {fault.order}",
            fault.example,
        )
        for fault in summary.faults
    )
    text = "An agent loses the game in which it has a fault."
    return parts.Section(
        "Faults",
        (text,),
        (parts.ReportTable("", ("agent", "kind", "number", "first in", "what happened"), rows, texts=True),),
    )


def _value(value: int) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def seeds_text(run: records.Run) -> str:
    """Where the game seeds of a run come from."""
    return seeds.describe_seeds(run.seed, max((table.blocks for table in run.tables), default=0), run.seeding)


def _origin(summary: Summary) -> parts.Section:
    run = summary.run
    game = registry.find_game(run.game)
    facts = (
        ("components", run.components),
        ("package", run.package),
        ("commit", run.commit),
        ("game seeds", seeds_text(run)),
        ("mode", run.mode),
        ("game", game.title),
        *((game.option(name).title or name, _value(value)) for name, value in run.options.items()),
        ("seconds for a decision", f"{run.time_limit:g}"),
        ("games at once", str(run.games_at_once)),
        ("luck measured by", run.valuer or "not measured"),
    )
    agents = tuple(parts.table_row(entrant.label, entrant.name, entrant.version) for entrant in run.entrants)
    blocks = tuple(_progress(progress) for progress in summary.progress)
    return parts.Section(
        "How to repeat the run",
        tables=(
            parts.ReportTable("", ("field", "value"), tuple(parts.table_row(*fact) for fact in facts), texts=True),
            parts.ReportTable("Agents", ("label", "name", "version"), agents, texts=True),
            parts.ReportTable(
                "Blocks", ("table", "players", "agents", "blocks planned", "complete", "left out"), blocks, texts=True
            ),
        ),
        code=run.command,
    )


def _progress(progress: Progress) -> tuple[parts.TableCell, ...]:
    return parts.table_row(
        str(progress.table),
        str(progress.players),
        " · ".join(progress.entrants),
        str(progress.planned_blocks),
        str(progress.blocks),
        str(progress.incomplete_blocks),
    )


def _replays(games: Sequence[notable.Notable], figures: tuple[parts.Figure, ...]) -> parts.Section:
    if not games:
        return parts.Section("Replays", ("No game is finished yet.",))
    rows = []
    for game in games:
        features = "; ".join(f"{name} {parts.number_text(value, 1)}" for name, value in game.features.items())
        seats = ", ".join(f"{agent} {score}" for agent, score in zip(game.agents, game.scores, strict=True))
        rows.append(
            parts.table_row(
                game.name, seats, str(game.rounds), str(game.seed), parts.number_text(game.distance, 1), features
            )
        )
    text = (
        "The median game is the one closest to its table's medians of rounds, decisions and the margin between the two"
        " best players. The strangest games are the farthest from them, the winner's score included. Distances are in"
        " robust standard deviations. To show a game: python -m dunaia_env.replay show FILE"
    )
    columns: tuple[str, ...] = ("game", "seats and points", "rounds", "seed", "distance", "distance of each feature")
    if any(game.problem for game in games):
        columns += ("why it was not replayed",)
        rows = [(*row, parts.TableCell(game.problem)) for row, game in zip(rows, games, strict=True)]
    links = tuple((game.name, game.path, f"seed {game.seed}") for game in games if game.path is not None)
    texts = (text, moments.MOMENT_NOTE) if figures else (text,)
    table = parts.ReportTable("", columns, tuple(rows), texts=True)
    return parts.Section("Replays", texts, (table,), links=links, figures=figures)


def sections(
    summary: Summary, games: Sequence[notable.Notable], figures: tuple[parts.Figure, ...] = ()
) -> list[parts.Section]:
    """The sections of a report; ``figures`` are those of the games' deciding moments."""
    makers: tuple[Callable[[Summary], parts.Section], ...] = (
        _standings,
        _ratings,
        _cross_tables,
        _score_section,
        _seat_section,
    )
    candidates = [make(summary) for make in makers]
    if len(summary.progress) > len(summary.ratings) or summary.run.sprt:
        candidates.append(_tables(summary))
    candidates += [_fault_section(summary), _origin(summary), _replays(games, figures)]
    return [section for section in candidates if section.paragraphs or section.tables or section.pictures]


def headline(summary: Summary) -> tuple[str, str]:
    """The title of a report, and a sentence about the run's progress."""
    *first, last = [str(number) for number in summary.ratings]
    players = f"{', '.join(first)} and {last}" if first else last
    game = registry.find_game(summary.run.game)
    agents = f"{len(summary.run.entrants)} agents at tables of {players} players"
    title = f"Arena: {', '.join(filter(None, (game.title, agents, dealing.variant(game, summary.run.options))))}"
    planned = sum(table.planned_blocks for table in summary.progress)
    complete = sum(table.blocks for table in summary.progress)
    incomplete = sum(table.incomplete_blocks for table in summary.progress)
    blocks_are = "block is" if incomplete == 1 else "blocks are"
    left_out = f"; {incomplete} incomplete {blocks_are} left out" if incomplete else ""
    state = f"{summary.games:,} games, {complete:,} of {planned:,} blocks complete{left_out}."
    if not summary.finished:
        state = f"This run is not finished: {state}"
    return title, state


def markdown(summary: Summary, games: Sequence[notable.Notable], figures: tuple[parts.Figure, ...] = ()) -> str:
    """The report as Markdown, without its plots and with links to its figures."""
    title, state = headline(summary)
    begin = [f"# {title}", "", f"**{state}**" if not summary.finished else state, ""]
    return "\n".join([*begin, *parts.sections_to_markdown(sections(summary, games, figures))]).rstrip() + "\n"


def page(summary: Summary, games: Sequence[notable.Notable], figures: tuple[parts.Figure, ...] = ()) -> str:
    """The report as one HTML page that contains its style, plots and figures and refers to no other file."""
    title, state = headline(summary)
    template = parts.templates("dunaia_env.arena").get_template("report.html")
    return template.render(
        title=title, state=state, finished=summary.finished, sections=sections(summary, games, figures)
    )

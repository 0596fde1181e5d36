"""The leaderboard: stored runs of the arena, a page that ranks their agents, and a check that the games are repeatable.

``python -m dunaia_env.arena.leaderboard add DIR --name NAME`` stores a finished run, ``write`` generates LEADERBOARD.md
from all stored runs, and ``verify`` plays a sample of the stored games again.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import tyro
from rich.console import Console
from rich.progress import track

from dunaia_env.arena import luck, notable, pages, playing, seeding, statistics, stored_runs, tournament
from dunaia_env.arena.records import Entrant, Game, RecordsError, Run, Table
from dunaia_env.arena.summary import Row, Summary, summarise
from dunaia_env.harness import dealing, registry, state
from dunaia_env.harness.commands import check_numbers
from dunaia_env.harness.game import Game as PlayedGame
from dunaia_env.reports.parts import ReportTable, Section, TableCell, interval, sections_to_markdown, table_row
from dunaia_env.statistics import intervals, ratings
from dunaia_env.support import atomic, messages, terminal
from dunaia_env.support.version import __version__

COMMAND = "python -m dunaia_env.arena.leaderboard"
PAGE = stored_runs.ROOT / "LEADERBOARD.md"
# Luck is stored rounded, and exponential functions differ in their last bits from machine to machine.
_LUCK_TOLERANCE = 1e-5


# --- the page


class Category(NamedTuple):
    """What comparable games have in common: the game, the number of players, and the game's options."""

    game: str
    players: int
    options: tuple[tuple[str, int], ...]


def categories_of(run: Run) -> list[Category]:
    """The categories of a run's tables, sorted by number of players."""
    options = tuple(run.options.items())
    return [Category(run.game, players, options) for players in sorted({table.players for table in run.tables})]


def pool(stored: Sequence[stored_runs.Stored], category: Category) -> tuple[Run, list[Game]]:
    """All stored games of a category as one run, in which each block is a game seed; it serves only for ratings.

    Agents with the same label, name and version count as one agent. If a label stands for several agents, their
    versions are added to it.
    """
    players = category.players
    own = [stored_run for stored_run in stored if category in categories_of(stored_run.run)]
    seated = {
        stored_run.run.entrants[entrant]: None
        for stored_run in own
        for table in stored_run.run.tables
        if table.players == players
        for entrant in table.entrants
    }
    numbers = {entrant: number for number, entrant in enumerate(seated)}
    uses = Counter(entrant.label for entrant in numbers)
    tables: list[Table] = []
    games: list[Game] = []
    for stored_run in own:
        number_of = [numbers.get(entrant, -1) for entrant in stored_run.run.entrants]
        table_of = {}
        for number, table in enumerate(stored_run.run.tables):
            if table.players == players:
                table_of[number] = len(tables)
                tables.append(replace(table, entrants=tuple(sorted(number_of[entrant] for entrant in table.entrants))))
        games += [
            replace(
                game,
                table=table_of[game.table],
                block=game.seed,
                seating=tuple(number_of[entrant] for entrant in game.seating),
            )
            for game in stored_run.games
            if game.table in table_of
        ]
    entrants = tuple(
        replace(entrant, label=f"{entrant.label} version {entrant.version}") if uses[entrant.label] > 1 else entrant
        for entrant in numbers
    )
    return replace(own[0].run, entrants=entrants, tables=tuple(tables), sprt=None, valuer=""), games


def _rating_tables(stored: Sequence[stored_runs.Stored], category: Category) -> list[ReportTable]:
    """A table of ratings for each group of agents that met, the best first."""
    run, games = pool(stored, category)
    results = statistics.results_of(run, games, range(len(run.tables)))
    rated = ratings.rate(results.by_seed(ratings.count_pairs(results.ranks, results.seating, len(run.entrants))))
    groups: dict[int, list[int]] = {}
    for number, (value, group) in enumerate(zip(rated.values.tolist(), rated.groups.tolist(), strict=True)):
        # An agent that played only against copies of itself has no rating.
        if math.isfinite(value):
            groups.setdefault(group, []).append(number)
    tables = []
    for count, members in enumerate(groups.values(), start=1):
        rows = []
        for place, number in enumerate(sorted(members, key=lambda one: -rated.values[one]), start=1):
            entrant, thinking = run.entrants[number], statistics.thinking_time(games, number)
            rating = intervals.Estimate(
                float(rated.values[number]), float(rated.low[number]), float(rated.high[number])
            )
            rows.append(
                table_row(
                    str(place),
                    entrant.label,
                    entrant.version,
                    interval(rating, 0),
                    f"{results.played(number)[0]:,}",
                    pages.milliseconds(thinking.mean if thinking else None),
                )
            )
        title = "Ratings" if len(groups) == 1 else f"Ratings, group {count}"
        tables.append(
            ReportTable(title, ("", "agent", "version", "rating (95 %)", "games", "ms/decision"), tuple(rows))
        )
    return tables


def _match_ups(summaries: dict[str, Summary], category: Category) -> ReportTable:
    rows: list[tuple[TableCell, ...]] = []
    notes = []
    for name, summary in summaries.items():
        if category not in categories_of(summary.run):
            continue
        for progress in summary.progress:
            if progress.players != category.players:
                continue
            own = [row for row in summary.rows if row.table == progress.table]
            own.sort(key=lambda row: -row.share.value)
            rows += [_match_up(row, progress.entrants, name) for row in own]
            if progress.decision is not None and summary.run.sprt is not None:
                notes.append(f"{name}: {pages.note_of_test(progress, progress.decision, summary.run.sprt)}")
    columns = ("agent", "against", "games", "win share (95 %)", "fair", "luck-adjusted", "worth", "ms/decision", "run")
    return ReportTable("Match-ups", columns, tuple(rows), tuple(notes))


def _match_up(row: Row, table: Sequence[str], name: str) -> tuple[TableCell, ...]:
    others = Counter(table)
    others[row.entrant] -= 1
    return table_row(
        row.entrant,
        ", ".join(label if count == 1 else f"{label} × {count}" for label, count in others.items() if count),
        f"{row.games:,}",
        pages.share_cell(row.share),
        f"{100 * row.fair:.1f} %",
        pages.share_cell(row.adjusted),
        pages.worth(row.variance_ratio),
        pages.milliseconds(row.decision_seconds),
        name,
    )


_RATING = (
    "Rating: Plackett-Luce, over all stored games with the same number of players and the same options, mean 0 in each"
    " group; 400 points mean finishing ahead ten times as often as behind. Agents of different groups never met, not"
    " even through other agents, so their ratings cannot be compared."
)
_SHARES = (
    "Win share: wins per game and seat; a tie is split. Fair: the share of equal players. Luck-adjusted: the win share"
    " minus the part that luck explains. Worth: how many raw games a luck-adjusted game is worth. ms/decision: the mean"
    " thinking time on the machine of the run. Intervals: 95 %, by bootstrap over game seeds."
)
_REPEATING = (
    "Check out the commit of the run, install the project and run the command. The games are the same for any number of"
    " workers; only the thinking times differ."
)
_VERIFYING = (
    "This command plays a random sample of the stored games again: it loads every agent by its label and repeats every"
    " decision with the same seeds. It prints each difference in components, versions, actions, scores, ranks, rounds"
    " and luck, and fails if there is one. Another seed draws other games; --budget limits the thinking time of the"
    " drawn games in seconds. Thinking times cannot be checked."
)
_LOOKING = (
    "To see all tables and plots and some replays of a stored run, unpack its games and write its report: copy its"
    f" folder, run xz -d {stored_runs.STORED_GAMES} in the copy, then python -m dunaia_env.arena.report COPY."
)


def leaderboard(stored: Sequence[stored_runs.Stored]) -> str:
    """The text of LEADERBOARD.md for some stored runs; the same runs give the same text."""
    lines = [
        "# Leaderboard",
        "",
        f"Generated by `{COMMAND} write` from the runs in `{stored_runs.FOLDER.name}/`; do not edit it by hand.",
        "",
    ]
    if not stored:
        lines += ["No run is stored yet.", ""]
    summaries = {stored_run.name: summarise(stored_run.run, stored_run.games) for stored_run in stored}
    sections = [Section("How to read it", (_RATING, _SHARES))] if stored else []
    categories = sorted({category for stored_run in stored for category in categories_of(stored_run.run)})
    several = len({category.game for category in categories}) > 1
    for category in categories:
        game = registry.find_game(category.game)
        title = (
            game.title if several else "",
            f"{category.players} players",
            dealing.variant(game, dict(category.options)),
        )
        tables = (*_rating_tables(stored, category), _match_ups(summaries, category))
        sections.append(Section(", ".join(filter(None, title)), tables=tables))
    if stored:
        runs = tuple(table_row(*_origin(stored_run)) for stored_run in stored)
        columns = ("run", "games", "agents", "game seeds", "components", "package", "commit")
        commands = "\n".join(f"# {stored_run.name}\n{stored_run.run.command}" for stored_run in stored)
        table = ReportTable("", columns, runs, texts=True)
        sections.append(Section("How to repeat a run", (_REPEATING,), (table,), code=commands))
    verifying = f"{COMMAND} verify --games 20 --seed 0"
    sections.append(Section("How to verify games", (_VERIFYING, _LOOKING), code=verifying))
    return "\n".join([*lines, *sections_to_markdown(sections)]).rstrip() + "\n"


def _origin(one: stored_runs.Stored) -> tuple[str, ...]:
    run = one.run
    return (
        one.name,
        f"{len(one.games):,}",
        ", ".join(f"{entrant.label} version {entrant.version}" for entrant in run.entrants),
        pages.seeds_text(run),
        run.components,
        run.package,
        run.commit,
    )


# --- verification


@dataclass(frozen=True)
class Verification:
    """The result of a verification.

    Attributes:
        played: number of games that their agents played again.
        replayed: number of games of which only the recorded actions were played, because an agent is outdated.
        differences: what differs, one line each.
        notes: observations that are not differences, one line each.
    """

    played: int
    replayed: int
    differences: tuple[str, ...]
    notes: tuple[str, ...]


def draw_games(
    stored: Sequence[stored_runs.Stored], count: int, seed: int, budget: float | None = None
) -> list[tuple[stored_runs.Stored, Game]]:
    """A random sample of games: one game of each run, in random order, then other games with equal probabilities.

    Args:
        stored: the runs.
        count: number of games; all games if there are fewer.
        seed: seed of the sample.
        budget: recorded thinking time of the sample, in seconds: a game that would exceed it is skipped unless it is
            the first one; None for no limit.
    """
    random = np.random.default_rng(seed)
    first, others = [], []
    for stored_run in stored:
        order = random.permutation(len(stored_run.games)).tolist()
        first.append((stored_run, stored_run.games[order[0]]))
        others += [(stored_run, stored_run.games[index]) for index in order[1:]]
    drawn: list[tuple[stored_runs.Stored, Game]] = []
    spent = 0.0
    for group in (first, others):
        for index in random.permutation(len(group)).tolist():
            cost = sum(group[index][1].seconds)
            if len(drawn) < count and (budget is None or not drawn or spent + cost <= budget):
                drawn.append(group[index])
                spent += cost
    return drawn


def differences(run: Run, recorded: Game, again: Game) -> Iterator[str]:
    """Descriptions of the differences between a recorded game and the same game played again."""
    for number, (then, now) in enumerate(zip_longest(recorded.actions, again.actions)):
        if then != now:
            # After the first different action, the games differ anyway.
            texts = [_action(registry.find_game(run.game), action) for action in (then, now)]
            yield f"decision {number}: action {texts[0]} then, {texts[1]} now"
            break
    for name in ("scores", "ranks", "rounds", "stopped", "decisions"):
        one, other = getattr(recorded, name), getattr(again, name)
        if one != other:
            yield f"{name}: {one} then, {other} now"
    faults = [[(fault.seat, fault.decision, fault.kind) for fault in game.faults] for game in (recorded, again)]
    if faults[0] != faults[1]:
        yield f"faults: {faults[0]} then, {faults[1]} now"
    if run.valuer and not np.allclose(recorded.luck, again.luck, rtol=0, atol=_LUCK_TOLERANCE):
        yield f"luck: {recorded.luck} then, {stored_runs.compact(again).luck} now"


def _action(game: PlayedGame, number: int | None) -> str:
    if number is None:
        return "none"
    try:
        return f"{number} ({game.action_text(number)})"
    except ValueError:
        return f"{number} (unknown)"


def play_again(run: Run, game: Game, *, components: Any) -> Game:
    """Let the agents of a recorded game play it again, with the arena's own code."""
    conditions = playing.Conditions(
        entrants=run.entrants,
        game=run.game,
        options=run.options,
        components=components,
        time_limit=run.time_limit,
        load_valuer=luck.load if run.valuer else None,
    )
    (again,) = playing.play_chunk(conditions, playing.Chunk(game.table, (seeding.schedule_again(run, game),)))
    return again


def verify(
    stored: Sequence[stored_runs.Stored],
    count: int,
    seed: int,
    *,
    budget: float | None = None,
    allow_outdated: bool = False,
) -> Verification:
    """Check the components and agents of every run, and play a sample of the games again.

    Args:
        stored: the runs.
        count: number of games to draw, at least 1.
        seed: seed of the sample, at least 0.
        budget: see `draw_games`.
        allow_outdated: accept runs whose components or agents have changed since. Their recorded actions are still
            played if the components are the same.
    """
    for name in {stored_run.run.game for stored_run in stored}:
        state.prepare(registry.find_game(name))
    found: list[str] = []
    notes: list[str] = []
    outdated = {}
    agents: dict[tuple[str, str], Entrant | str] = {}
    for stored_run in stored:
        outdated[stored_run.name] = list(_outdated(stored_run.run, agents))
        (notes if allow_outdated else found).extend(f"{stored_run.name}: {line}" for line in outdated[stored_run.name])
        if stored_run.run.package != __version__:
            notes.append(f"{stored_run.name}: package {stored_run.run.package} then, {__version__} now")
    drawn = draw_games(stored, count, seed, budget)
    played = replayed = 0
    console = Console(stderr=True)
    for one, game in track(drawn, "games", console=console, disable=not console.is_terminal):
        name = f"{one.name}: table {game.table}, block {game.block}, order {game.order}"
        components = registry.find_game(one.run.game).load(None)
        if not outdated[one.name]:
            again = play_again(one.run, game, components=components)
            found += [f"{name}: {line}" for line in differences(one.run, game, again)]
            played += 1
        elif one.run.components == components.hash:
            try:
                notable.replay_of(one.run, game, components=components)
            except ValueError as error:
                found.append(f"{name}: {error}")
            replayed += 1
    sampled = {one.name for one, _ in drawn}
    notes += [f"{stored_run.name}: no game was drawn" for stored_run in stored if stored_run.name not in sampled]
    return Verification(played, replayed, tuple(found), tuple(notes))


def _outdated(run: Run, agents: dict[tuple[str, str], Entrant | str]) -> Iterator[str]:
    """What has changed since a run; ``agents`` caches the entrant, or the error, of each label in each game."""
    game = registry.find_game(run.game)
    components = game.load(None)
    if run.components != components.hash:
        yield f"outdated: components {run.components} then, {components.hash} now"
    if run.valuer and run.valuer != (valuer := luck.load(game).name):
        yield f"outdated: luck measured by {run.valuer!r} then, {valuer!r} now"
    for then in run.entrants:
        key = run.game, then.label
        if key not in agents:
            try:
                agents[key] = tournament.identify(
                    then.label, game=game, components=components, time_limit=run.time_limit
                )
            except tournament.ArenaError as error:
                agents[key] = str(error)
        now = agents[key]
        if isinstance(now, str):
            yield now
        elif now.name != then.name:
            yield f"agent {then.label}: outdated: name {then.name} then, {now.name} now"
        elif now.version != then.version:
            yield f"agent {then.label}: outdated: version {then.version} then, {now.version} now"


# --- the command


@dataclass(frozen=True)
class Add:
    """Store a finished run of the arena."""

    source: Annotated[Path, tyro.conf.Positional]
    """Folder of the run."""
    name: str
    """Name of the run on the leaderboard: words of lower-case letters and digits, joined by -."""
    allow_dirty: bool = False
    """Store the run even if its commit is unknown or files differed from the commit."""
    folder: Path = stored_runs.FOLDER
    """Folder of the stored runs."""

    def run(self) -> int:
        """Store the run; returns the exit status."""
        stored = stored_runs.add_run(self.source, self.name, folder=self.folder, allow_dirty=self.allow_dirty)
        print(f"{stored.name}: {len(stored.games):,} games stored. Now run: {COMMAND} write")
        return 0


@dataclass(frozen=True)
class Write:
    """Generate LEADERBOARD.md from the stored runs."""

    check: bool = False
    """Write nothing; fail if the file is not up to date."""
    folder: Path = stored_runs.FOLDER
    """Folder of the stored runs."""
    page: Path = PAGE
    """File to write or to check."""

    def run(self) -> int:
        """Write or check the file; returns the exit status."""
        text = leaderboard(stored_runs.read_stored(self.folder))
        if not self.check:
            atomic.write_text(self.page, text)
        elif not self.page.exists() or self.page.read_text(encoding="utf-8") != text:
            print(f"{self.page}: not up to date; run python -m dunaia_env.arena.leaderboard write", file=sys.stderr)
            return 1
        return 0


@dataclass(frozen=True)
class Verify:
    """Play a random sample of the stored games again and compare; exit status 1 if anything differs."""

    games: int = 20
    """Number of games; one game is drawn from each run before a second one is drawn from any."""
    seed: int = 0
    """Seed of the sample."""
    budget: float | None = None
    """Largest total thinking time of the drawn games in seconds; no limit by default."""
    allow_outdated: bool = False
    """Accept runs whose agents or components have changed since."""
    folder: Path = stored_runs.FOLDER
    """Folder of the stored runs."""

    def run(self) -> int:
        """Print what differs; returns the exit status."""
        try:
            check_numbers(self, positive=("games", "budget"), not_negative=("seed",))
        except ValueError as error:
            raise stored_runs.LeaderboardError(str(error)) from None
        stored = stored_runs.read_stored(self.folder)
        result = verify(stored, self.games, self.seed, budget=self.budget, allow_outdated=self.allow_outdated)
        for line in result.notes:
            print(f"note: {line}")
        for line in result.differences:
            print(line)
        total = sum(len(stored_run.games) for stored_run in stored)
        replayed = f", recorded actions of {result.replayed} more replayed" if result.replayed else ""
        count = len(result.differences)
        verdict = "no difference" if not count else "1 difference" if count == 1 else f"{count} differences"
        print(f"{result.played} of {total:,} games in {len(stored)} runs played again{replayed}: {verdict}.")
        return 1 if result.differences else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status: 1 if something differs, 2 for an error."""
    try:
        command = tyro.extras.subcommand_cli_from_dict(
            {"add": Add, "write": Write, "verify": Verify},
            prog="dunaia leaderboard",
            description="Store runs of the arena, rank their agents, and check that their games are repeatable.",
            args=arguments,
        )
        status: int = command.run()
        return status
    except BrokenPipeError:  # the reader of the output has gone, which `run_main` handles
        raise
    except (stored_runs.LeaderboardError, RecordsError, OSError) as error:
        print(f"leaderboard: {messages.reason(error)}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(terminal.run_main(main))

"""The leaderboard: stored runs of the arena, what they say about the agents, and a check that they can be played again.

``python -m dunaia_env.arena.leaderboard add DIR --name NAME`` takes a finished run in, ``write`` makes LEADERBOARD.md
from all of them, ``verify`` plays a sample of their games again.
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

from dunaia_env.arena import luck, pages
from dunaia_env.arena.intervals import Estimate
from dunaia_env.arena.notable import replay_of
from dunaia_env.arena.pages import Cell, Part, Sheet
from dunaia_env.arena.playing import Chunk, Conditions, Place, play_chunk
from dunaia_env.arena.ratings import count_pairs, rate
from dunaia_env.arena.records import Entrant, Game, RecordsError, Run, Table
from dunaia_env.arena.statistics import pace_of, results_of
from dunaia_env.arena.stored_runs import (
    FOLDER,
    ROOT,
    STORED_GAMES,
    LeaderboardError,
    Stored,
    add_run,
    compact,
    read_stored,
)
from dunaia_env.arena.summary import Row, Summary, summarise
from dunaia_env.arena.tournament import ArenaError, identify
from dunaia_env.harness.commands import check_numbers
from dunaia_env.harness.dealing import variant
from dunaia_env.harness.game import Game as PlayedGame
from dunaia_env.harness.registry import find_game
from dunaia_env.harness.state import prepare
from dunaia_env.support.atomic import write_text
from dunaia_env.support.machine import package_version
from dunaia_env.support.messages import reason

COMMAND = "python -m dunaia_env.arena.leaderboard"
PAGE = ROOT / "LEADERBOARD.md"
# Rounding, and the last bits of exponential functions on another machine.
_LUCK_TOLERANCE = 1e-5


# --- the page


class Kind(NamedTuple):
    """What games have to have in common to be compared: the game, the number of players, and the game's options."""

    game: str
    players: int
    options: tuple[tuple[str, int], ...]


def kinds_of(run: Run) -> list[Kind]:
    """The kinds of table of a run, in order."""
    options = tuple(run.options.items())
    return [Kind(run.game, players, options) for players in sorted({table.players for table in run.tables})]


def pool(stored: Sequence[Stored], kind: Kind) -> tuple[Run, list[Game]]:
    """All stored games of a kind of table as one run, of which each block is a game seed; for ratings alone.

    Agents are the same if label, name and version are. A label that stands for several agents gets its version added.
    """
    players = kind.players
    own = [one for one in stored if kind in kinds_of(one.run)]
    seated = {
        one.run.entrants[entrant]: None
        for one in own
        for table in one.run.tables
        if table.players == players
        for entrant in table.entrants
    }
    numbers = {entrant: number for number, entrant in enumerate(seated)}
    uses = Counter(entrant.label for entrant in numbers)
    tables: list[Table] = []
    games: list[Game] = []
    for one in own:
        number_of = [numbers.get(entrant, -1) for entrant in one.run.entrants]
        table_of = {}
        for number, table in enumerate(one.run.tables):
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
            for game in one.games
            if game.table in table_of
        ]
    entrants = tuple(
        replace(entrant, label=f"{entrant.label} version {entrant.version}") if uses[entrant.label] > 1 else entrant
        for entrant in numbers
    )
    return replace(own[0].run, entrants=entrants, tables=tuple(tables), sprt=None, valuer=""), games


def _rating_sheets(stored: Sequence[Stored], kind: Kind) -> list[Sheet]:
    """A table of ratings for each group of agents that met, the best first."""
    run, games = pool(stored, kind)
    results = results_of(run, games, range(len(run.tables)))
    rated = rate(results.by_seed(count_pairs(results.ranks, results.seating, len(run.entrants))))
    groups: dict[int, list[int]] = {}
    for number, (value, group) in enumerate(zip(rated.values.tolist(), rated.groups.tolist(), strict=True)):
        # One who sat with copies of itself only has no rating.
        if math.isfinite(value):
            groups.setdefault(group, []).append(number)
    sheets = []
    for count, members in enumerate(groups.values(), start=1):
        rows = []
        for place, number in enumerate(sorted(members, key=lambda one: -rated.values[one]), start=1):
            entrant, pace = run.entrants[number], pace_of(games, number)
            rating = Estimate(float(rated.values[number]), float(rated.low[number]), float(rated.high[number]))
            rows.append(
                pages.cells(
                    str(place),
                    entrant.label,
                    entrant.version,
                    pages.interval(rating, 0),
                    f"{results.played(number)[0]:,}",
                    pages.milliseconds(pace.mean if pace else None),
                )
            )
        title = "Ratings" if len(groups) == 1 else f"Ratings, group {count}"
        sheets.append(Sheet(title, ("", "agent", "version", "rating (95 %)", "games", "ms/decision"), tuple(rows)))
    return sheets


def _match_ups(summaries: dict[str, Summary], kind: Kind) -> Sheet:
    rows: list[tuple[Cell, ...]] = []
    notes = []
    for name, summary in summaries.items():
        if kind not in kinds_of(summary.run):
            continue
        for progress in summary.progress:
            if progress.players != kind.players:
                continue
            own = [row for row in summary.rows if row.table == progress.table]
            own.sort(key=lambda row: -row.share.value)
            rows += [_match_up(row, progress.entrants, name) for row in own]
            if progress.decision is not None and summary.run.sprt is not None:
                notes.append(f"{name}: {pages.note_of_test(progress, progress.decision, summary.run.sprt)}")
    columns = ("agent", "against", "games", "win share (95 %)", "fair", "luck-adjusted", "worth", "ms/decision", "run")
    return Sheet("Match-ups", columns, tuple(rows), tuple(notes))


def _match_up(row: Row, table: Sequence[str], name: str) -> tuple[Cell, ...]:
    others = Counter(table)
    others[row.entrant] -= 1
    return pages.cells(
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
    "Rating: Plackett-Luce, over all stored games of so many players, 400 points for ten times as often ahead, mean 0"
    " in each group. Agents of different groups never met, not even through others: their ratings cannot be compared."
)
_SHARES = (
    "Win share: of a seat's games, ties split. Fair: the share of equal players. Luck-adjusted: the win share without"
    " what chance gave. Worth: how many raw games a luck-adjusted one is worth. ms/decision: the mean thinking time"
    " on the machine of the run. Intervals: 95 %, by bootstrap over game seeds."
)
_REPEATING = (
    "Check out the commit of the run, install the project and run its command. The games come out the same, whatever"
    " the number of workers; only the thinking times differ."
)
_VERIFYING = (
    "This plays a random sample of the stored games again: every agent is loaded by its label and asked every decision"
    " again, with the same seeds. It prints each difference of components, versions, actions, scores, ranks, rounds and"
    " luck, and fails if there is one. Another seed draws other games; --budget limits the seconds that their agents"
    " thought. Thinking times cannot be checked."
)
_LOOKING = (
    "To look at a stored run with all its tables, pictures and some replays, unpack its games and write its report:"
    f" copy its folder, run xz -d {STORED_GAMES} in the copy, then python -m dunaia_env.arena.report COPY."
)


def leaderboard(stored: Sequence[Stored]) -> str:
    """LEADERBOARD.md for these runs; the same runs give the same text."""
    lines = [
        "# Leaderboard",
        "",
        f"Made by `{COMMAND} write` from the runs in `{FOLDER.name}/`; not to be edited by hand.",
        "",
    ]
    if not stored:
        lines += ["No run is stored yet.", ""]
    summaries = {one.name: summarise(one.run, one.games) for one in stored}
    parts = [Part("How to read it", (_RATING, _SHARES))] if stored else []
    kinds = sorted({kind for one in stored for kind in kinds_of(one.run)})
    several = len({kind.game for kind in kinds}) > 1
    for kind in kinds:
        game = find_game(kind.game)
        words = (game.title if several else "", f"{kind.players} players", variant(game, dict(kind.options)))
        sheets = (*_rating_sheets(stored, kind), _match_ups(summaries, kind))
        parts.append(Part(", ".join(filter(None, words)), sheets=sheets))
    if stored:
        runs = tuple(pages.cells(*_origin(one)) for one in stored)
        columns = ("run", "games", "agents", "game seeds", "components", "package", "commit")
        commands = "\n".join(f"# {one.name}\n{one.run.command}" for one in stored)
        parts.append(Part("To repeat a run", (_REPEATING,), (Sheet("", columns, runs, texts=True),), code=commands))
    parts.append(
        Part(
            "To verify games",
            (_VERIFYING, _LOOKING),
            code=f"{COMMAND} verify --games 20 --seed 0",
        )
    )
    return "\n".join([*lines, *pages.in_markdown(parts)]).rstrip() + "\n"


def _origin(one: Stored) -> tuple[str, ...]:
    run = one.run
    last = run.seed + max(table.blocks for table in run.tables) - 1
    return (
        one.name,
        f"{len(one.games):,}",
        ", ".join(f"{entrant.label} version {entrant.version}" for entrant in run.entrants),
        f"{run.seed} to {last}",
        run.components,
        run.package,
        run.commit,
    )


# --- verification


@dataclass(frozen=True)
class Verification:
    """What a verification found.

    Attributes:
        played: number of games that were played again by their agents.
        followed: number of games of which only the recorded actions were played, because an agent is outdated.
        faults: what differs, one line each.
        notes: what is worth knowing and no fault.
    """

    played: int
    followed: int
    faults: tuple[str, ...]
    notes: tuple[str, ...]


def draw_games(
    stored: Sequence[Stored], count: int, seed: int, budget: float | None = None
) -> list[tuple[Stored, Game]]:
    """A random sample: one game of each run, in random order, then any of the others with equal chances.

    Args:
        stored: the runs.
        count: number of games, as far as there are as many.
        seed: of the sample.
        budget: recorded thinking time of all of them, in seconds: a game that does not fit in what is left is passed
            over, the first one excepted; None for no limit.
    """
    random = np.random.default_rng(seed)
    first, others = [], []
    for one in stored:
        order = random.permutation(len(one.games)).tolist()
        first.append((one, one.games[order[0]]))
        others += [(one, one.games[index]) for index in order[1:]]
    drawn: list[tuple[Stored, Game]] = []
    spent = 0.0
    for group in (first, others):
        for index in random.permutation(len(group)).tolist():
            cost = sum(group[index][1].seconds)
            if len(drawn) < count and (budget is None or not drawn or spent + cost <= budget):
                drawn.append(group[index])
                spent += cost
    return drawn


def differences(run: Run, recorded: Game, again: Game) -> Iterator[str]:
    """What differs between a recorded game and the same game played again, in words."""
    for number, (then, now) in enumerate(zip_longest(recorded.actions, again.actions)):
        if then != now:
            # What comes after the first other action is another game.
            shown = [_action(find_game(run.game), action) for action in (then, now)]
            yield f"decision {number}: action {shown[0]} then, {shown[1]} now"
            break
    for name in ("scores", "ranks", "rounds", "stopped", "decisions"):
        one, other = getattr(recorded, name), getattr(again, name)
        if one != other:
            yield f"{name}: {one} then, {other} now"
    faults = [[(fault.seat, fault.decision, fault.kind) for fault in game.faults] for game in (recorded, again)]
    if faults[0] != faults[1]:
        yield f"faults: {faults[0]} then, {faults[1]} now"
    if run.valuer and not np.allclose(recorded.luck, again.luck, rtol=0, atol=_LUCK_TOLERANCE):
        yield f"luck: {recorded.luck} then, {compact(again).luck} now"


def _action(game: PlayedGame, number: int | None) -> str:
    if number is None:
        return "none"
    try:
        return f"{number} ({game.action_text(number)})"
    except ValueError:
        return f"{number} (unknown)"


def play_again(run: Run, game: Game, *, components: Any) -> Game:
    """A recorded game, decided anew by its agents through the arena's own code."""
    conditions = Conditions(
        entrants=run.entrants,
        game=run.game,
        options=run.options,
        seed=run.seed,
        components=components,
        time_limit=run.time_limit,
        load_valuer=luck.load if run.valuer else None,
    )
    (again,) = play_chunk(conditions, Chunk(game.table, (Place(game.block, game.order, game.seed, game.seating),)))
    return again


def verify(
    stored: Sequence[Stored], count: int, seed: int, *, budget: float | None = None, allow_outdated: bool = False
) -> Verification:
    """Check every run's components and agents, and play a sample of the games again.

    Args:
        stored: the runs.
        count: number of games to draw, at least 1.
        seed: of the sample, at least 0.
        budget: see `draw_games`.
        allow_outdated: a run whose components or an agent have changed since is no fault. Its recorded actions are
            still played, as long as the components are the same.
    """
    for name in {one.run.game for one in stored}:
        prepare(find_game(name))
    faults: list[str] = []
    notes: list[str] = []
    outdated = {}
    agents: dict[tuple[str, str], Entrant | str] = {}
    for one in stored:
        outdated[one.name] = list(_outdated(one.run, agents))
        (notes if allow_outdated else faults).extend(f"{one.name}: {line}" for line in outdated[one.name])
        if one.run.package != package_version():
            notes.append(f"{one.name}: package {one.run.package} then, {package_version()} now")
    drawn = draw_games(stored, count, seed, budget)
    played = followed = 0
    console = Console(stderr=True)
    for one, game in track(drawn, "games", console=console, disable=not console.is_terminal):
        place = f"{one.name}: table {game.table}, block {game.block}, order {game.order}"
        components = find_game(one.run.game).load(None)
        if not outdated[one.name]:
            again = play_again(one.run, game, components=components)
            faults += [f"{place}: {line}" for line in differences(one.run, game, again)]
            played += 1
        elif one.run.components == components.hash:
            try:
                replay_of(one.run, game, components=components)
            except ValueError as error:
                faults.append(f"{place}: {error}")
            followed += 1
    heard = {one.name for one, _ in drawn}
    notes += [f"{one.name}: no game was drawn" for one in stored if one.name not in heard]
    return Verification(played, followed, tuple(faults), tuple(notes))


def _outdated(run: Run, agents: dict[tuple[str, str], Entrant | str]) -> Iterator[str]:
    """What has changed since a run; ``agents`` keeps what is known of each label in each game."""
    game = find_game(run.game)
    components = game.load(None)
    if run.components != components.hash:
        yield f"outdated: components {run.components} then, {components.hash} now"
    if run.valuer and run.valuer != (valuer := luck.load(game).name):
        yield f"outdated: luck valued by {run.valuer!r} then, {valuer!r} now"
    for then in run.entrants:
        key = run.game, then.label
        if key not in agents:
            try:
                agents[key] = identify(then.label, game=game, components=components, time_limit=run.time_limit)
            except ArenaError as error:
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
    """What it is called on the leaderboard: words of small letters and digits joined by -."""
    allow_dirty: bool = False
    """Take it although its commit is unknown or files differed from it."""
    folder: Path = FOLDER
    """Folder of the stored runs."""

    def run(self) -> int:
        """Store it; returns the exit status."""
        stored = add_run(self.source, self.name, folder=self.folder, allow_dirty=self.allow_dirty)
        print(f"{stored.name}: {len(stored.games):,} games stored. Now run: {COMMAND} write")
        return 0


@dataclass(frozen=True)
class Write:
    """Make LEADERBOARD.md from the stored runs."""

    check: bool = False
    """Write nothing; fail if the file is not what the stored runs give."""
    folder: Path = FOLDER
    """Folder of the stored runs."""
    page: Path = PAGE
    """The file."""

    def run(self) -> int:
        """Write or compare it; returns the exit status."""
        text = leaderboard(read_stored(self.folder))
        if not self.check:
            write_text(self.page, text)
        elif not self.page.exists() or self.page.read_text(encoding="utf-8") != text:
            print(f"{self.page}: not up to date; run python -m dunaia_env.arena.leaderboard write", file=sys.stderr)
            return 1
        return 0


@dataclass(frozen=True)
class Verify:
    """Play a random sample of the stored games again and compare; exit status 1 if anything differs."""

    games: int = 20
    """Number of games; each run gets one before any gets a second one."""
    seed: int = 0
    """Seed of the sample."""
    budget: float | None = None
    """Seconds that the agents of the drawn games may have thought, all together; no limit if absent."""
    allow_outdated: bool = False
    """Runs of which an agent or the components have changed since are no failure."""
    folder: Path = FOLDER
    """Folder of the stored runs."""

    def run(self) -> int:
        """Print what differs; returns the exit status."""
        try:
            check_numbers(self, positive=("games", "budget"), not_negative=("seed",))
        except ValueError as error:
            raise LeaderboardError(str(error)) from None
        stored = read_stored(self.folder)
        found = verify(stored, self.games, self.seed, budget=self.budget, allow_outdated=self.allow_outdated)
        for line in found.notes:
            print(f"note: {line}")
        for line in found.faults:
            print(line)
        total = sum(len(one.games) for one in stored)
        followed = f", the recorded actions of {found.followed} more" if found.followed else ""
        verdict = f"{len(found.faults)} faults" if found.faults else "no fault"
        print(f"{found.played} of {total:,} games in {len(stored)} runs played again{followed}: {verdict}.")
        return 1 if found.faults else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status: 1 for what differs, 2 for what cannot be done."""
    try:
        command = tyro.extras.subcommand_cli_from_dict(
            {"add": Add, "write": Write, "verify": Verify},
            prog=COMMAND,
            description="Store runs of the arena, rank their agents, and check that their games can be played again.",
            args=arguments,
        )
        status: int = command.run()
        return status
    except (LeaderboardError, RecordsError, OSError) as error:
        print(f"leaderboard: {reason(error)}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())

"""What a run of the arena leaves behind: its plan, and one line for each game that was finished.

A run is a folder with ``run.json``, written once when the run begins, and ``games.jsonl``, to which every finished game
adds a line. Statistics, reports and resumption read nothing else, and everything that is read is checked: fields, their
types and ranges, and that games are those of the plan.
"""

from __future__ import annotations

import functools
import itertools
import json
import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from dunaia_env.harness.compiled.chance import MAX_SEED, check_seed
from dunaia_env.harness.game import NUM_PLAYERS, Option
from dunaia_env.harness.game import Game as PlayedGame
from dunaia_env.harness.registry import DEFAULT_GAME, find_game, game_of_file, name_of
from dunaia_env.support.atomic import remove_leftovers, write_bytes, write_text
from dunaia_env.support.locking import FolderInUseError, locked
from dunaia_env.support.messages import printable, reason, shorten
from dunaia_env.support.reading import ReadingError, open_file, read_bytes
from dunaia_env.support.typed_json import FieldError, build, convert, parse

RUN_FILE = "run.json"
GAMES_FILE = "games.jsonl"
FORMAT = "dunaia-arena"
VERSION = 1
MODES = ("round-robin", "one-against-all", "table")
# Of files that name no game.
_NAMELESS = name_of(DEFAULT_GAME)
FAULTS = ("exception", "illegal", "garbage", "time-out", "crash")
# Statistics and reports hold all games of a run in memory, some kilobytes each.
MOST_GAMES = 10_000_000
# A table or a game has hundreds to thousands of characters.
MOST_PLAN_BYTES, MOST_LINE_BYTES = 64_000_000, 1_000_000
MOST_GAMES_AT_ONCE = 100_000
# About eleven days; systems wait no longer than 2**31 milliseconds.
MOST_SECONDS = 1_000_000.0
MOST_SIGNS_OF_A_NAME = 200
MOST_SIGNS_OF_A_LABEL = 4000
_MOST_POINTS = 2**15
_MOST_ROUNDS = 2**15 - 1


class RecordsError(ValueError):
    """A folder that holds no run, a damaged one, or another one than was asked for."""


@dataclass(frozen=True)
class Entrant:
    """An agent of a run.

    Attributes:
        label: how it was asked for, as in ``mcts:1000``; unique in the run.
        name: how it calls itself.
        version: its own.
    """

    label: str
    name: str
    version: str


@dataclass(frozen=True)
class Table:
    """Who sits together in a number of blocks of a run; only games of one table are comparable.

    Attributes:
        players: number of players.
        entrants: the run's entrants by number, one for each player, ascending; a number that comes twice plays with a
            copy of itself.
        blocks: number of blocks: game seeds, each played in every different order of seats.
    """

    players: int
    entrants: tuple[int, ...]
    blocks: int


@dataclass(frozen=True)
class Run:
    """The plan of a run: with the same package and agents it gives the same games again.

    Attributes:
        entrants: the agents.
        tables: who plays with whom.
        mode: how the tables were made: ``round-robin``, ``one-against-all`` or ``table``.
        game: name of the game, see `dunaia_env.harness.registry.find_game`.
        options: every option of the game but the number of players, by name.
        seed: block b of every table has the game seed ``seed + b``.
        components: their hash.
        package: version of the package.
        commit: of the checkout, ``unknown`` outside one; ``-dirty`` is appended where files differ from it.
        command: the command line that began the run.
        time_limit: seconds an agent of the user may think about one decision.
        games_at_once: games that a worker plays side by side.
        valuer: whose value estimates the luck of a game was measured with; empty if it was not.
        sprt: the two win shares of the first agent between which a sequential test decides; None without one.
    """

    entrants: tuple[Entrant, ...]
    tables: tuple[Table, ...]
    mode: str
    game: str
    options: dict[str, Any]
    seed: int
    components: str
    package: str
    commit: str
    command: str
    time_limit: float
    games_at_once: int
    valuer: str
    sprt: tuple[float, float] | None


@dataclass(frozen=True)
class Fault:
    """What an agent did wrong in a game; the game is lost for its seat, whoever played on for it.

    Attributes:
        seat: where it sat.
        decision: number of the game's decision at which it happened, from 0.
        kind: ``exception``, ``illegal``, ``garbage``, ``time-out`` or ``crash``.
        detail: one line for people.
    """

    seat: int
    decision: int
    kind: str
    detail: str


@dataclass(frozen=True)
class Game:
    """A finished game.

    Attributes:
        table: its table's number in the run.
        block: the block's number at the table, from 0.
        order: number of the seat order in the block, from 0.
        seed: the game seed.
        seating: the entrant in each seat.
        scores: points of each seat.
        ranks: rank of each seat, from 1, equal when shared; seats with a fault stand behind all others.
        rounds: rounds played.
        stopped: whether it was stopped before its end, as long games are.
        decisions: number of decisions asked of each seat.
        seconds: thinking time of each seat.
        luck: what chance gave to each seat, in win shares, by the run's valuer; zeros without one.
        faults: of the agents.
        actions: every decision's action number.
    """

    table: int
    block: int
    order: int
    seed: int
    seating: tuple[int, ...]
    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    rounds: int
    stopped: bool
    decisions: tuple[int, ...]
    seconds: tuple[float, ...]
    luck: tuple[float, ...]
    faults: tuple[Fault, ...]
    actions: tuple[int, ...]

    @property
    def key(self) -> tuple[int, int, int]:
        """What names the game in its run: table, block, order."""
        return self.table, self.block, self.order


def seat_orders(entrants: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Every different order of the entrants of a table, sorted; copies are alike."""
    return _orders(tuple(entrants))


@functools.lru_cache(1024)
def _orders(entrants: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(sorted(set(itertools.permutations(entrants))))


def order_count(table: Table) -> int:
    """Number of different seat orders at a table, which is the number of games in a block.

    ``players! / product of (copies of an entrant)!``.
    """
    copies = Counter(table.entrants).values()
    return math.factorial(table.players) // math.prod(math.factorial(number) for number in copies)


def game_count(tables: Iterable[Table]) -> int:
    """Number of games that tables have by plan."""
    return sum(table.blocks * order_count(table) for table in tables)


def bounded(tables: Iterable[Table]) -> tuple[Table, ...]:
    """The tables of a plan; raises `RecordsError` as soon as they have more than `MOST_GAMES` games together."""
    found: list[Table] = []
    games = 0
    for table in tables:
        found.append(table)
        games += table.blocks * order_count(table)
        if games > MOST_GAMES:
            raise RecordsError(f"games: more than {MOST_GAMES:,} at all tables together; a run has at most so many")
    return tuple(found)


def check_time_limit(seconds: float) -> None:
    """Raise `RecordsError` unless an agent may think so long about a decision."""
    if not 0 < seconds <= MOST_SECONDS:
        raise RecordsError(f"time_limit: {shorten(seconds)}; more than 0 and at most {MOST_SECONDS:g} s are needed")


def check_games_at_once(games: int, least: int = 1) -> None:
    """Raise `RecordsError` unless a worker can play so many games side by side."""
    if not least <= games <= MOST_GAMES_AT_ONCE:
        raise RecordsError(f"games_at_once: {shorten(games)}; {least}..{MOST_GAMES_AT_ONCE} is needed")


def check_seeds(seed: int, tables: Sequence[Table]) -> None:
    """Raise `ValueError` unless each block of some tables has a seed."""
    check_seed(seed)
    if seed + max(table.blocks for table in tables) - 1 > MAX_SEED:
        raise RecordsError(f"seed: {seed}; the seeds of all blocks have to stay below 2**63")


def check_sprt(sprt: tuple[float, float] | None, tables: Sequence[Table]) -> None:
    """Raise `RecordsError` for a sequential test that cannot be made at some tables."""
    if sprt is None:
        return
    if len(tables) != 1:
        raise RecordsError(f"sprt: the plan has {len(tables)} tables; exactly one is needed")
    if not 0 <= sprt[0] < sprt[1] <= 1:
        raise RecordsError(f"sprt: {sprt[0]:g} and {sprt[1]:g}; two shares 0 <= first < second <= 1 are needed")


def options_of(game: PlayedGame) -> dict[str, Option]:
    """The options of a game that are one for a whole run, by name: all but the number of players.

    Raises `RecordsError` for an option with the name of another field of ``run.json``.
    """
    found = {option.name: option for option in game.options if option.name != NUM_PLAYERS}
    for name in ("format", "version", *(field.name for field in fields(Run))):
        if name in found:
            raise RecordsError(f"{game.name}: its option {name!r} has the name of a field of {RUN_FILE}")
    return found


def checked_options(game: PlayedGame, values: Mapping[str, object]) -> dict[str, int]:
    """Every option of a run, the default where none is given; raises `ValueError` for one that cannot be."""
    known = options_of(game)
    for name in values:
        if name not in known:
            raise RecordsError(f"{name}: no option of a run of {game.name}; its options are {', '.join(known)}")
    return {name: option.check(values.get(name, option.default)) for name, option in known.items()}


def check_entrant(entrant: Entrant) -> None:
    """Raise `RecordsError` for a label, name or version that is too long or cannot be printed."""
    limits = {"label": MOST_SIGNS_OF_A_LABEL, "name": MOST_SIGNS_OF_A_NAME, "version": MOST_SIGNS_OF_A_NAME}
    for field, most in limits.items():
        text = getattr(entrant, field)
        if len(text) > most:
            raise RecordsError(f"its {field} has {len(text):,} characters; at most {most:,} are possible")
        if not text.isprintable():
            raise RecordsError(f"its {field} is {shorten(text)}; only characters that can be printed are possible")


def check_run(run: Run) -> None:
    """Raise `ValueError` for a plan that no arena could have made: numbers out of range, tables that cannot be."""
    if not run.entrants or not run.tables:
        raise RecordsError(f"{len(run.entrants)} entrants, {len(run.tables)} tables; at least one of each is needed")
    for number, entrant in enumerate(run.entrants):
        try:
            check_entrant(entrant)
        except RecordsError as error:
            raise RecordsError(f"entrants[{number}]: {error}") from None
    labels = [entrant.label for entrant in run.entrants]
    if len(set(labels)) < len(labels):
        raise RecordsError(f"entrants: the labels {shorten(labels)}; different ones are needed")
    game = find_game(run.game)
    if (options := checked_options(game, run.options)) != run.options:
        raise RecordsError(f"options: {shorten(dict(run.options))}; {shorten(options)} are needed")
    for number, table in enumerate(run.tables):
        seated, known = table.entrants, range(len(run.entrants))
        game.option(NUM_PLAYERS).check(table.players)
        if len(seated) != table.players or list(seated) != sorted(seated) or not all(one in known for one in seated):
            raise RecordsError(
                f"tables[{number}]: entrants {shorten(seated)} for {shorten(table.players)} players; as many of"
                f" 0..{len(known) - 1}, ascending, are needed"
            )
        if table.blocks < 1:
            raise RecordsError(f"tables[{number}]: {shorten(table.blocks)} blocks; at least 1 is needed")
    bounded(run.tables)
    check_seeds(run.seed, run.tables)
    check_sprt(run.sprt, run.tables)
    if run.mode not in MODES:
        raise RecordsError(f"mode: {shorten(run.mode)}; one of {', '.join(MODES)} is needed")
    check_time_limit(run.time_limit)
    check_games_at_once(run.games_at_once)


def check_game(run: Run, game: Game) -> None:
    """Raise `RecordsError` for a game that is not one of the plan, or says of itself what cannot be."""
    for problem in _problems(run, game):
        raise RecordsError(f"game {shorten(game.key)}{problem}")


def _problems(run: Run, game: Game) -> Iterable[str]:
    """What is wrong with a game; nothing after the first is to be relied on."""
    if not 0 <= game.table < len(run.tables):
        yield f": the run has {len(run.tables)} tables"
        return
    table = run.tables[game.table]
    orders = seat_orders(table.entrants)
    if not (0 <= game.block < table.blocks and 0 <= game.order < len(orders)):
        yield " is not in the plan"
        return
    planned = run.seed + game.block, orders[game.order]
    if (game.seed, game.seating) != planned:
        given = f"seed {shorten(game.seed)} and seating {shorten(game.seating)}"
        yield f": {given}; the plan has {planned[0]} and {planned[1]}"
    ranges: dict[str, tuple[float, float]] = {
        "scores": (-_MOST_POINTS, _MOST_POINTS),
        "ranks": (1, table.players),
        "decisions": (0, len(game.actions)),
        "seconds": (0, MOST_SECONDS * max(1, len(game.actions))),
        # A step gives or takes a whole win at most.
        "luck": (-len(game.actions), len(game.actions)),
    }
    for name, (least, most) in ranges.items():
        values = getattr(game, name)
        if len(values) != table.players:
            yield f": {name} has {len(values)} seats, not {table.players}"
            return
        if not all(least <= value <= most for value in values):
            yield f": {name} {shorten(values)}; {least}..{most} are needed"
            return
    most_rounds = _most_rounds(find_game(run.game), run.components, table.players, tuple(run.options.items()))
    if not 0 <= game.rounds <= most_rounds:
        yield f": rounds {shorten(game.rounds)}; 0..{most_rounds} are needed"
    if sum(game.decisions) != len(game.actions):
        yield f": {len(game.actions)} actions of {sum(game.decisions)} decisions; all are needed"
    num_actions = find_game(run.game).num_actions
    if not all(0 <= action < num_actions for action in game.actions):
        yield f": an action that is none of 0..{num_actions - 1}"
    for fault in game.faults:
        if not (0 <= fault.seat < table.players and 0 <= fault.decision < len(game.actions) and fault.kind in FAULTS):
            yield f": {shorten(fault)} is no fault of one of its seats"
            return
    faulty = [fault.seat for fault in game.faults]
    if len(set(faulty)) < len(faulty):
        yield f": the seats {faulty} have faults; each can have one"
    if game.ranks != _ranks_like(game, set(faulty)):
        yield f": ranks {game.ranks} with scores {game.scores} and faults of the seats {faulty} cannot be"


@functools.lru_cache(1024)
def _most_rounds(game: PlayedGame, components: str, players: int, options: tuple[tuple[str, int], ...]) -> int:
    """The most rounds of a game: its bounds are known for its own rule set only."""
    rules = game.load(None)
    if rules.hash != components:
        return _MOST_ROUNDS
    return game.bounds(rules, {NUM_PLAYERS: players, **dict(options)}).rounds


def _ranks_like(game: Game, faulty: set[int]) -> tuple[int, ...]:
    """Ranks that go with a game's scores and faults: the given ones, wherever points leave it open who is ahead."""
    good = [seat for seat in range(len(game.scores)) if seat not in faulty]

    def is_ahead(one: int, other: int) -> bool:
        equal = game.scores[one] == game.scores[other]
        return game.ranks[one] < game.ranks[other] if equal else game.scores[one] > game.scores[other]

    return tuple(
        1 + (len(good) if seat in faulty else sum(is_ahead(other, seat) for other in good))
        for seat in range(len(game.scores))
    )


@contextmanager
def alone(folder: Path, files: Iterable[str] = (RUN_FILE, GAMES_FILE)) -> Iterator[None]:
    """Keep other processes from writing into a folder, which is made if it is missing.

    Args:
        folder: of a run, or of stored runs.
        files: in the folder. What a killed process was writing of them is removed.

    Raises `RecordsError` if another process holds the folder, or if there can be no such folder.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RecordsError(f"{folder}: cannot be a folder ({error.strerror})") from error
    with ExitStack() as held:
        try:
            held.enter_context(locked(folder))
        except FolderInUseError:
            raise RecordsError(f"{folder}: another process is writing there") from None
        except OSError as error:
            raise RecordsError(f"{folder}: cannot be locked ({error.strerror})") from error
        for name in files:
            remove_leftovers(folder / name)
        yield


def write_run(folder: str | os.PathLike[str], run: Run) -> None:
    """Write the plan of a run that begins; raises `RecordsError` if the disk refuses."""
    content = {"format": FORMAT, "version": VERSION, **flattened(run)}
    with _writing(Path(folder) / RUN_FILE) as path:
        write_text(path, json.dumps(content, indent=2) + "\n")


def flattened(run: Run) -> dict[str, Any]:
    """A plan as ``run.json`` tells it, without format and version.

    The options of the game stand among the other fields: what is on or off before the seed, numbers after it. The game
    is named unless it is the one that files without a name are of.
    """
    content: dict[str, Any] = {}
    for name, value in asdict(run).items():
        if name == "game" and value != _NAMELESS:
            content[name] = value
        elif name == "seed":
            switches = {option: one for option, one in run.options.items() if isinstance(one, bool)}
            numbers = {option: one for option, one in run.options.items() if option not in switches}
            content |= {**switches, name: value, **numbers}
        elif name not in ("game", "options"):
            content[name] = value
    return content


def _gathered(content: Mapping[str, Any]) -> dict[str, Any]:
    """`flattened` undone; raises `ValueError` for a game that nobody named, and for a missing or wrong option of it."""
    game = game_of_file(convert(str, content.get("game", _NAMELESS), "game"))
    options = options_of(game)
    plain = [field.name for field in fields(Run) if field.name != "options"]
    for name in content:
        if name not in plain and name not in options:
            raise FieldError(f"{printable(name, 60)}: unknown; the fields are {', '.join([*plain, *options])}")
    found = {}
    for name, option in options.items():
        if name not in content:
            raise FieldError(f"{name}: missing")
        found[name] = option.check(convert(type(option.default), content[name], name))
    rest = {name: value for name, value in content.items() if name in plain}
    return rest | {"game": name_of(game), "options": found}


@contextmanager
def _writing(path: Path) -> Iterator[Path]:
    try:
        yield path
    except OSError as error:
        raise RecordsError(f"{path}: cannot be written ({error.strerror}); what was finished before is kept") from error


def read_run(folder: str | os.PathLike[str]) -> Run:
    """The plan of a run; raises `RecordsError` naming the file and what is wrong."""
    path = Path(folder) / RUN_FILE
    try:
        content = parse(read_bytes(path, MOST_PLAN_BYTES))
        if not isinstance(content, dict):
            raise FieldError(f"{shorten(content)}; a table of fields is needed")
        found = content.pop("format", None), content.pop("version", None)
        if found != (FORMAT, VERSION):
            raise RecordsError(f"format and version {shorten(found)}; {(FORMAT, VERSION)} are needed")
        run = build(Run, _gathered(content))
        check_run(run)
    except ReadingError as error:
        raise RecordsError(f"{path}: {error}") from error
    except ValueError as error:
        raise RecordsError(f"{path}: not the plan of a run: {reason(error)}") from error
    return run


def append_games(folder: str | os.PathLike[str], games: Iterable[Game]) -> None:
    """Add finished games to a run and make sure that they are on the disk.

    Raises `RecordsError` if the disk refuses; the file is then as it was, as far as the disk lets it be shortened.
    """
    rest = memoryview(in_lines(games))
    with _writing(Path(folder) / GAMES_FILE) as path, path.open("ab", buffering=0) as file:
        begin = file.seek(0, os.SEEK_END)
        try:
            while rest:
                rest = rest[file.write(rest) :]
            os.fsync(file.fileno())
        except BaseException:
            with suppress(OSError):
                file.truncate(begin)
            raise


def in_lines(games: Iterable[Game]) -> bytes:
    """Games as they stand in ``games.jsonl``."""
    return "".join(json.dumps(asdict(game), separators=(",", ":")) + "\n" for game in games).encode()


def replace_games(folder: str | os.PathLike[str], games: Iterable[Game]) -> None:
    """Write the games of a run anew, all or none; raises `RecordsError` if the disk refuses."""
    with _writing(Path(folder) / GAMES_FILE) as path:
        write_bytes(path, in_lines(games))


def read_games(folder: str | os.PathLike[str], run: Run | None = None, *, mend: bool = False) -> list[Game]:
    """The finished games of a run, in the order in which they finished.

    Args:
        folder: of the run.
        run: its plan; read from the folder if absent.
        mend: cut off a last line that a kill or a full disk left half-written, so that games can be added; otherwise it
            is passed over.

    Raises `RecordsError` naming the line for any other fault: a line that is no game, one that the plan does not have
    (`check_game`), or one that stands there twice.
    """
    path = Path(folder) / GAMES_FILE
    try:
        if not path.exists():
            return []
        run = read_run(folder) if run is None else run
        with open_file(path, MOST_GAMES * MOST_LINE_BYTES) as file:
            content = file.read()
        whole = content.rfind(b"\n") + 1
        if mend and whole < len(content):
            os.truncate(path, whole)
    except (OSError, ReadingError) as error:
        raise RecordsError(f"{path}: {reason(error)}") from error
    return games_of_lines(content[:whole], run, path)


def games_of_lines(content: bytes, run: Run, source: str | os.PathLike[str]) -> list[Game]:
    """The games of whole lines, which come from a file; raises as `read_games`."""
    games: list[Game] = []
    seen: set[tuple[int, int, int]] = set()
    for number, line in enumerate(content.split(b"\n")[:-1], start=1):
        try:
            if len(line) > MOST_LINE_BYTES:
                raise FieldError(f"{len(line):,} bytes; a game has at most {MOST_LINE_BYTES:,}")
            game = build(Game, parse(line))
            check_game(run, game)
        except FieldError as error:
            raise RecordsError(f"{source}: line {number}: not a game: {reason(error)}") from error
        except ValueError as error:
            raise RecordsError(f"{source}: line {number}: {reason(error)}") from error
        if game.key in seen:
            raise RecordsError(f"{source}: line {number}: table, block, order {game.key} stand there twice")
        seen.add(game.key)
        games.append(game)
    return games

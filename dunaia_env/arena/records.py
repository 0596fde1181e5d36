"""Records of runs of the arena: the plan of a run and its finished games, and what both must satisfy."""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from dunaia_env.harness import registry, seeds
from dunaia_env.harness.compiled.chance import MAX_SEED, check_seed
from dunaia_env.harness.game import Game as PlayedGame
from dunaia_env.harness.options import NUM_PLAYERS, Option
from dunaia_env.support.messages import is_name, is_plain, shorten

RUN_FILE = "run.json"
GAMES_FILE = "games.jsonl"
MODES = ("round-robin", "one-against-all", "table")
FAULTS = ("exception", "illegal", "garbage", "time-out", "crash")
# Statistics and reports hold all games of a run in memory, a few kilobytes each.
MOST_GAMES = 10_000_000
MOST_GAMES_AT_ONCE = 100_000
# About eleven days; operating systems wait at most 2**31 milliseconds.
MOST_SECONDS = 1_000_000.0
MOST_CHARACTERS_OF_A_NAME = 200
MOST_CHARACTERS_OF_A_LABEL = 4000
_MOST_POINTS = 2**15
_MOST_ROUNDS = 2**15 - 1


class RecordsError(ValueError):
    """A folder that holds no run, a damaged run, or another run than the requested one."""


@dataclass(frozen=True)
class Entrant:
    """An agent of a run.

    Attributes:
        label: the name by which the command selects it, such as ``mcts:1000``; unique in the run.
        name: the name that the agent gives itself.
        version: the agent's version.
    """

    label: str
    name: str
    version: str


@dataclass(frozen=True)
class Table:
    """The entrants that play together in a number of blocks; only games of the same table are comparable.

    Attributes:
        players: number of players.
        entrants: the number of an entrant of the run for each player, ascending; an entrant whose number occurs twice
            plays against a copy of itself.
        blocks: number of blocks, each of which is played in every different seat order.
    """

    players: int
    entrants: tuple[int, ...]
    blocks: int


@dataclass(frozen=True)
class Run:
    """The plan of a run: with the same package and agents it gives the same games again.

    Attributes:
        entrants: the agents.
        tables: which entrants play together.
        mode: how the tables were made: ``round-robin``, ``one-against-all`` or ``table``.
        game: name of the game, see `dunaia_env.harness.registry.find_game`.
        options: every option of the game except the number of players, by name.
        seeding: how game seeds and agents' seeds are made, see `dunaia_env.harness.seeds`. If they are ``secret``, each
            game has its own seed, which only its record tells; otherwise all games of a block have one seed.
        seed: the number from which the seeds follow unless they are ``secret``.
        components: the hash of the game's components.
        package: version of the package.
        commit: commit of the checkout, ``unknown`` outside one; ``-dirty`` is appended if files differ from it.
        command: the command line that began the run.
        time_limit: seconds that a user agent may think about one decision.
        games_at_once: number of games that a worker plays together.
        valuer: name of the valuer that measured luck; empty if luck was not measured.
        sprt: the two win shares of the first agent between which a sequential test decides; None without a test.
    """

    entrants: tuple[Entrant, ...]
    tables: tuple[Table, ...]
    mode: str
    game: str
    options: dict[str, Any]
    seeding: seeds.Seeding
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
    """What an agent did wrong in a game; its seat loses the game, whatever is played for the seat afterwards.

    Attributes:
        seat: the agent's seat.
        decision: number of the game's decision at which the fault happened, from 0.
        kind: ``exception``, ``illegal``, ``garbage``, ``time-out`` or ``crash``.
        detail: a one-line description.
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
        ranks: rank of each seat, from 1; tied seats share a rank, and seats with a fault stand behind all others.
        rounds: number of rounds played.
        stopped: whether the game was stopped at its round limit.
        decisions: number of decisions of each seat.
        seconds: thinking time of each seat.
        luck: luck of each seat in win shares, measured by the run's valuer; zeros without one.
        faults: the agents' faults.
        actions: the action number of every decision.
        agent_seeds: the seed of each seat's agent, 0..2**32-1, if the run's seeds are ``secret``; otherwise empty.
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
    agent_seeds: tuple[int, ...] = ()

    @property
    def key(self) -> tuple[int, int, int]:
        """Table, block and order, which identify the game in its run."""
        return self.table, self.block, self.order


def seat_orders(entrants: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Every different order of the entrants of a table, sorted; copies of an entrant are interchangeable."""
    return _orders(tuple(entrants))


@functools.lru_cache(1024)
def _orders(entrants: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(sorted(set(itertools.permutations(entrants))))


def order_count(table: Table) -> int:
    """Number of different seat orders at a table, which is the number of games in a block.

    It is ``players! / product of (copies of an entrant)!``.
    """
    copies = Counter(table.entrants).values()
    return math.factorial(table.players) // math.prod(math.factorial(number) for number in copies)


def game_count(tables: Iterable[Table]) -> int:
    """Number of games that are planned at some tables."""
    return sum(table.blocks * order_count(table) for table in tables)


def check_number_of_games(games: int) -> None:
    """Raise `RecordsError` if a run cannot have this many games in total."""
    if games > MOST_GAMES:
        raise RecordsError(
            f"games: more than {MOST_GAMES:,} at all tables together; at most {MOST_GAMES:,} are allowed"
        )


def collect_tables(tables: Iterable[Table]) -> tuple[Table, ...]:
    """The tables of a plan; raises `RecordsError` as soon as they have more than `MOST_GAMES` games in total."""
    collected: list[Table] = []
    games = 0
    for table in tables:
        collected.append(table)
        games += table.blocks * order_count(table)
        check_number_of_games(games)
    return tuple(collected)


def check_time_limit(seconds: float) -> None:
    """Raise `RecordsError` unless a time limit for one decision is in range."""
    if not 0 < seconds <= MOST_SECONDS:
        raise RecordsError(f"time_limit: expected more than 0 and at most {MOST_SECONDS:g} s, got {shorten(seconds)}")


def check_games_at_once(games: int, least: int = 1) -> None:
    """Raise `RecordsError` unless a number of games that a worker plays together is in range."""
    if not least <= games <= MOST_GAMES_AT_ONCE:
        raise RecordsError(f"games_at_once: expected {least}..{MOST_GAMES_AT_ONCE}, got {shorten(games)}")


def check_seeds(seed: int, tables: Sequence[Table], seeding: seeds.Seeding = seeds.HASHED) -> None:
    """Raise `ValueError` unless the game seeds of all blocks of some tables are in range."""
    check_seed(seed)
    if seeding == seeds.CONSECUTIVE and seed + max(table.blocks for table in tables) - 1 > MAX_SEED:
        raise RecordsError(f"seed: {seed}; the seeds of all blocks have to stay below 2**63")


def check_sprt(sprt: tuple[float, float] | None, tables: Sequence[Table]) -> None:
    """Raise `RecordsError` unless a sequential test is possible at some tables."""
    if sprt is None:
        return
    if len(tables) != 1:
        raise RecordsError(f"sprt: expected exactly one table in the plan, got {len(tables)}")
    if not 0 <= sprt[0] < sprt[1] <= 1:
        raise RecordsError(f"sprt: expected two shares 0 <= first < second <= 1, got {sprt[0]:g} and {sprt[1]:g}")


def options_of(game: PlayedGame) -> dict[str, Option]:
    """The options of a game that are the same in a whole run, by name: all except the number of players.

    Raises `RecordsError` if an option has the name of another field of ``run.json``.
    """
    options = {option.name: option for option in game.options if option.name != NUM_PLAYERS}
    for name in ("format", "version", *(field.name for field in fields(Run))):
        if name in options:
            raise RecordsError(f"{game.name}: its option {name!r} has the name of a field of {RUN_FILE}")
    return options


def checked_options(game: PlayedGame, values: Mapping[str, object]) -> dict[str, Any]:
    """Every option of a run, with defaults for missing values; raises `ValueError` for an invalid option or value."""
    known = options_of(game)
    for name in values:
        if name not in known:
            raise RecordsError(f"{name}: not an option of a run of {game.name}; the options are {', '.join(known)}")
    return {name: option.check(values.get(name, option.default)) for name, option in known.items()}


def check_entrant(entrant: Entrant) -> None:
    """Raise `RecordsError` for a label, name or version that is too long or cannot be printed."""
    limits = {
        "label": MOST_CHARACTERS_OF_A_LABEL,
        "name": MOST_CHARACTERS_OF_A_NAME,
        "version": MOST_CHARACTERS_OF_A_NAME,
    }
    for field, most in limits.items():
        text = getattr(entrant, field)
        if len(text) > most:
            raise RecordsError(f"its {field} has {len(text):,} characters; at most {most:,} are allowed")
        if not (is_name(text) or (is_plain(text) and not text.strip())):
            raise RecordsError(f"its {field} is {shorten(text)}; only printable characters are allowed")


def check_run(run: Run) -> None:
    """Raise `ValueError` for an invalid plan, such as one with numbers out of range or with impossible tables."""
    if not run.entrants or not run.tables:
        raise RecordsError(
            f"expected at least one entrant and one table, got {len(run.entrants)} and {len(run.tables)}"
        )
    for number, entrant in enumerate(run.entrants):
        try:
            check_entrant(entrant)
        except RecordsError as error:
            raise RecordsError(f"entrants[{number}]: {error}") from None
    labels = [entrant.label for entrant in run.entrants]
    if len(set(labels)) < len(labels):
        raise RecordsError(f"entrants: expected different labels, got {shorten(labels)}")
    game = registry.find_game(run.game)
    if (options := checked_options(game, run.options)) != run.options:
        raise RecordsError(f"options: expected {shorten(options)}, got {shorten(dict(run.options))}")
    for number, table in enumerate(run.tables):
        seated, numbers = table.entrants, range(len(run.entrants))
        game.check_options({NUM_PLAYERS: table.players, **run.options})
        if (
            len(seated) != table.players
            or list(seated) != sorted(seated)
            or not all(place in numbers for place in seated)
        ):
            raise RecordsError(
                f"tables[{number}]: expected as many of 0..{len(numbers) - 1}, ascending, got entrants"
                f" {shorten(seated)} for {shorten(table.players)} players"
            )
        if table.blocks < 1:
            raise RecordsError(f"tables[{number}]: expected at least 1 block, got {shorten(table.blocks)}")
    collect_tables(run.tables)
    check_seeds(run.seed, run.tables, run.seeding)
    check_sprt(run.sprt, run.tables)
    if run.mode not in MODES:
        raise RecordsError(f"mode: expected one of {', '.join(MODES)}, got {shorten(run.mode)}")
    check_time_limit(run.time_limit)
    check_games_at_once(run.games_at_once)


def check_game(run: Run, game: Game) -> None:
    """Raise `RecordsError` for a game that is not in the plan, or whose fields contradict each other."""
    for problem in _problems(run, game):
        raise RecordsError(f"game {shorten(game.key)}{problem}")


def _problems(run: Run, game: Game) -> Iterable[str]:
    """What is wrong with a game; only the first problem is reliable."""
    if not 0 <= game.table < len(run.tables):
        yield f": the run has {len(run.tables)} tables"
        return
    table = run.tables[game.table]
    orders = seat_orders(table.entrants)
    if not (0 <= game.block < table.blocks and 0 <= game.order < len(orders)):
        yield " is not in the plan"
        return
    is_secret = run.seeding == seeds.SECRET
    planned = game.seed if is_secret else seeds.block_seed(run.seed, game.block, run.seeding), orders[game.order]
    if (game.seed, game.seating) != planned:
        recorded = f"seed {shorten(game.seed)} and seating {shorten(game.seating)}"
        yield f": {recorded}; the plan has {planned[0]} and {planned[1]}"
    if not 0 <= game.seed <= MAX_SEED:
        yield f": seed: expected 0..{MAX_SEED}, got {shorten(game.seed)}"
    if not is_secret and game.agent_seeds:
        yield f": agent_seeds: expected none, because they follow from the run's seed, got {shorten(game.agent_seeds)}"
        return
    ranges: dict[str, tuple[float, float]] = {
        **({"agent_seeds": (0, 2**seeds.AGENT_SEED_BITS - 1)} if is_secret else {}),
        "scores": (-_MOST_POINTS, _MOST_POINTS),
        "ranks": (1, table.players),
        "decisions": (0, len(game.actions)),
        "seconds": (0, MOST_SECONDS * max(1, len(game.actions))),
        # The luck of one step is at most one whole win.
        "luck": (-len(game.actions), len(game.actions)),
    }
    for name, (least, most) in ranges.items():
        values = getattr(game, name)
        if len(values) != table.players:
            yield f": {name} has {len(values)} seats, not {table.players}"
            return
        if not all(least <= value <= most for value in values):
            yield f": {name}: expected {least}..{most}, got {shorten(values)}"
            return
    most_rounds = _most_rounds(registry.find_game(run.game), run.components, table.players, tuple(run.options.items()))
    if not 0 <= game.rounds <= most_rounds:
        yield f": rounds: expected 0..{most_rounds}, got {shorten(game.rounds)}"
    if sum(game.decisions) != len(game.actions):
        yield f": expected the actions of all {sum(game.decisions)} decisions, got {len(game.actions)}"
    num_actions = registry.find_game(run.game).num_actions
    if not all(0 <= action < num_actions for action in game.actions):
        yield f": expected actions in 0..{num_actions - 1}, got one out of range"
    for fault in game.faults:
        if not (0 <= fault.seat < table.players and 0 <= fault.decision < len(game.actions) and fault.kind in FAULTS):
            yield f": {shorten(fault)} is not a fault of one of its seats"
            return
    faulty = [fault.seat for fault in game.faults]
    if len(set(faulty)) < len(faulty):
        yield f": faults of the seats {faulty}; at most one for each seat is allowed"
    if game.ranks != _expected_ranks(game, set(faulty), registry.find_game(run.game).scores_decide):
        yield f": ranks {game.ranks} contradict the scores {game.scores} and the faults of the seats {faulty}"


@functools.lru_cache(1024)
def _most_rounds(game: PlayedGame, components: str, players: int, options: tuple[tuple[str, int], ...]) -> int:
    """The largest number of rounds of a game; the game's bounds are known only for its own components."""
    own = game.load(None)
    if own.hash != components:
        return _MOST_ROUNDS
    return game.bounds(own, game.check_options({NUM_PLAYERS: players, **dict(options)})).rounds


def _expected_ranks(game: Game, faulty: set[int], scores_decide: bool) -> tuple[int, ...]:
    """The ranks that follow from a game's scores and faults; the recorded ranks decide where scores do not."""
    faultless = [seat for seat in range(len(game.scores)) if seat not in faulty]

    def is_ahead(one: int, other: int) -> bool:
        by_rank = not scores_decide or game.scores[one] == game.scores[other]
        return game.ranks[one] < game.ranks[other] if by_rank else game.scores[one] > game.scores[other]

    return tuple(
        1 + (len(faultless) if seat in faulty else sum(is_ahead(other, seat) for other in faultless))
        for seat in range(len(game.scores))
    )

"""The plan of a run of the arena: which entrants sit at which table, and which games form a worker's chunks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from dunaia_env.arena import playing, records, run_files, seeding, subprocess_agent
from dunaia_env.arena.records import Run, Table

Mode = Literal["round-robin", "one-against-all", "table"]
# Fields of a plan that `differences` compares separately, and fields that say where the run came from.
_NOT_COMPARED_AS_TEXT = ("entrants", "tables", "commit", "command")


def plan_tables(agents: int, players: Sequence[int], mode: Mode, games: int) -> tuple[Table, ...]:
    """The tables of a run between agents 0..agents-1.

    Args:
        agents: number of entrants.
        players: the numbers of players.
        mode: ``round-robin`` or ``one-against-all``.
        games: minimum number of games at each table.

    Raises `dunaia_env.arena.records.RecordsError` if the tables have more games than a run can have.
    """
    return records.collect_tables(_tables(agents, players, mode, games))


def _tables(agents: int, players: Sequence[int], mode: Mode, games: int) -> Iterator[Table]:
    numbers = range(agents)
    for seats in players:
        if mode == "one-against-all":
            lineups: Iterable[tuple[int, ...]] = ((0, *[other] * (seats - 1)) for other in numbers[1:])
        elif agents >= seats:
            # Before millions of tables are made in vain.
            records.check_number_of_games(math.comb(agents, seats) * games)
            lineups = itertools.combinations(numbers, seats)
        else:
            lineups = (
                lineup
                for lineup in itertools.combinations_with_replacement(numbers, seats)
                if len(set(lineup)) == agents
            )
        for lineup in lineups:
            yield make_table(lineup, games)


def make_table(entrants: Sequence[int], games: int) -> Table:
    """A table of some entrants with at least ``games`` games."""
    table = Table(len(entrants), tuple(sorted(entrants)), 1)
    return replace(table, blocks=-(-games // records.order_count(table)))


def make_chunks(run: Run, finished: set[tuple[int, int, int]], *, secret: str = "") -> Iterator[playing.Chunk]:
    """The chunks that hold at least one unfinished game, in order; a run's chunks always begin at the same games.

    Args:
        run: the plan.
        finished: table, block and order of the finished games.
        secret: the secret from which the seeds follow if the run's seeds are secret.
    """
    for number, table in enumerate(run.tables):
        orders = records.seat_orders(table.entrants)
        games = records.game_count([table])
        for first in range(0, games, run.games_at_once):
            keys = [divmod(game, len(orders)) for game in range(first, min(first + run.games_at_once, games))]
            if any((number, *key) not in finished for key in keys):
                scheduled = (seeding.schedule(run, number, block, order, secret=secret) for block, order in keys)
                yield playing.Chunk(number, tuple(scheduled))


def differences(stored: Run, requested: Run) -> list[str]:
    """The differences that keep a stored run from being continued as requested, each in a few words.

    Additional blocks are allowed and are not listed.
    """
    found = []
    old, new = ({entrant.label: entrant for entrant in run.entrants} for run in (stored, requested))
    if list(old) != list(new):
        found.append(f"agents: {' '.join(old)} stored, {' '.join(new)} requested")
    found += [
        f"agent {label}: {old[label].name} {old[label].version} stored, {new[label].name} {new[label].version} now"
        for label in old
        if label in new and old[label] != new[label]
    ]
    contents = [
        {name: value for name, value in run_files.flattened(run).items() if name not in _NOT_COMPARED_AS_TEXT}
        | {"game": run.game}
        for run in (stored, requested)
    ]
    for name in dict.fromkeys(name for content in contents for name in content):
        texts = [repr(content[name]) if name in content else "none" for content in contents]
        if texts[0] != texts[1]:
            found.append(f"{name}: {texts[0]} stored, {texts[1]} requested")
    if [table.entrants for table in stored.tables] != [table.entrants for table in requested.tables]:
        if list(old) == list(new) and stored.mode == requested.mode:
            found.append(f"tables: {_lineups(stored)} stored, {_lineups(requested)} requested")
    elif any(one.blocks > other.blocks for one, other in zip(stored.tables, requested.tables, strict=True)):
        blocks = [sum(table.blocks for table in run.tables) for run in (stored, requested)]
        found.append(f"games: {blocks[0]} blocks stored, only {blocks[1]} requested")
    return found


def _lineups(run: Run) -> str:
    """The entrants of each table of a run, shortened to one line: ``0-1 0-2 1-2``."""
    return subprocess_agent.one_line(" ".join("-".join(map(str, table.entrants)) for table in run.tables))

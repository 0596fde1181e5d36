"""The plan of a run of the arena: who sits with whom, and which games a worker gets."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from dunaia_env.arena.guard import one_line
from dunaia_env.arena.playing import Chunk, Place
from dunaia_env.arena.records import Run, Table, bounded, flattened, game_count, order_count, seat_orders

Mode = Literal["round-robin", "one-against-all", "table"]
# Of a plan: what is compared one by one, and what says where a run came from.
_MAY_DIFFER = ("entrants", "tables", "commit", "command")


def plan_tables(agents: int, players: Sequence[int], mode: Mode, games: int) -> tuple[Table, ...]:
    """The tables of a run between agents 0..agents-1.

    Args:
        agents: number of entrants.
        players: numbers of players.
        mode: round-robin or one-against-all.
        games: least number of games at each table.

    Raises `dunaia_env.arena.records.RecordsError` for more games than a run can have.
    """
    return bounded(_tables(agents, players, mode, games))


def _tables(agents: int, players: Sequence[int], mode: Mode, games: int) -> Iterator[Table]:
    everybody = range(agents)
    for seats in players:
        if mode == "one-against-all":
            parties: Iterable[tuple[int, ...]] = ((0, *[other] * (seats - 1)) for other in everybody[1:])
        elif agents >= seats:
            parties = itertools.combinations(everybody, seats)
        else:
            parties = (
                party
                for party in itertools.combinations_with_replacement(everybody, seats)
                if len(set(party)) == agents
            )
        for party in parties:
            yield make_table(party, games)


def make_table(party: Sequence[int], games: int) -> Table:
    """A table of these entrants with at least so many games."""
    table = Table(len(party), tuple(sorted(party)), 1)
    return replace(table, blocks=-(-games // order_count(table)))


def make_chunks(run: Run, finished: set[tuple[int, int, int]]) -> Iterator[Chunk]:
    """The chunks that hold a game which is not finished, in order. Where they begin never changes in a run."""
    for number, table in enumerate(run.tables):
        orders = seat_orders(table.entrants)
        games = game_count([table])
        for first in range(0, games, run.games_at_once):
            names = [divmod(game, len(orders)) for game in range(first, min(first + run.games_at_once, games))]
            if any((number, *name) not in finished for name in names):
                yield Chunk(
                    number, tuple(Place(block, order, run.seed + block, orders[order]) for block, order in names)
                )


def differences(found: Run, asked: Run) -> list[str]:
    """What keeps a run from being gone on with, each in a few words; more blocks than it had are none."""
    faults = []
    old, new = ({entrant.label: entrant for entrant in run.entrants} for run in (found, asked))
    if list(old) != list(new):
        faults.append(f"agents: {' '.join(old)} there, {' '.join(new)} asked")
    faults += [
        f"agent {label}: {old[label].name} {old[label].version} there, {new[label].name} {new[label].version} now"
        for label in old
        if label in new and old[label] != new[label]
    ]
    contents = [
        {name: value for name, value in flattened(run).items() if name not in _MAY_DIFFER} | {"game": run.game}
        for run in (found, asked)
    ]
    for name in dict.fromkeys(name for content in contents for name in content):
        shown = [repr(content[name]) if name in content else "none" for content in contents]
        if shown[0] != shown[1]:
            faults.append(f"{name}: {shown[0]} there, {shown[1]} asked")
    if [table.entrants for table in found.tables] != [table.entrants for table in asked.tables]:
        if list(old) == list(new) and found.mode == asked.mode:
            faults.append(f"tables: {_seats(found)} there, {_seats(asked)} asked")
    elif any(one.blocks > other.blocks for one, other in zip(found.tables, asked.tables, strict=True)):
        blocks = [sum(table.blocks for table in run.tables) for run in (found, asked)]
        faults.append(f"games: {blocks[0]} blocks there, only {blocks[1]} asked")
    return faults


def _seats(run: Run) -> str:
    """The entrants of each table of a run, as far as they fit on a line: ``0-1 0-2 1-2``."""
    return one_line(" ".join("-".join(map(str, table.entrants)) for table in run.tables))

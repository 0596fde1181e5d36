"""The plan of a run of the arena: who sits with whom, which games a worker gets, and what one block says."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dunaia_env.rewards import win_shares
from training.guard import one_line
from training.playing import Chunk, Place
from training.records import Game, Run, Table

Mode = Literal["round-robin", "one-against-all", "table"]


def seat_orders(entrants: Sequence[int]) -> list[tuple[int, ...]]:
    """Every different order of the entrants of a table, sorted; copies are alike."""
    return sorted(set(itertools.permutations(entrants)))


def plan_tables(agents: int, players: Sequence[int], mode: Mode, games: int) -> tuple[Table, ...]:
    """The tables of a run between agents 0..agents-1.

    Args:
        agents: number of entrants.
        players: numbers of players.
        mode: round-robin or one-against-all.
        games: least number of games at each table.
    """
    everybody = range(agents)
    tables = []
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
        tables += [make_table(party, games) for party in parties]
    return tuple(tables)


def make_table(party: Sequence[int], games: int) -> Table:
    """A table of these entrants with at least so many games."""
    return Table(len(party), tuple(sorted(party)), -(-games // len(seat_orders(party))))


def keys(run: Run) -> set[tuple[int, int, int]]:
    """What names the games of a run: table, block and order of each."""
    return {
        (number, block, order)
        for number, table in enumerate(run.tables)
        for block in range(table.blocks)
        for order in range(len(seat_orders(table.entrants)))
    }


def make_chunks(run: Run, finished: set[tuple[int, int, int]]) -> Iterator[Chunk]:
    """The chunks that hold a game which is not finished, in order. Where they begin never changes in a run."""
    for number, table in enumerate(run.tables):
        orders = seat_orders(table.entrants)
        names = [(block, order) for block in range(table.blocks) for order in range(len(orders))]
        for first in range(0, len(names), run.games_at_once):
            part = names[first : first + run.games_at_once]
            if any((number, *name) not in finished for name in part):
                yield Chunk(
                    number, tuple(Place(block, order, run.seed + block, orders[order]) for block, order in part)
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
    for name in (
        "mode",
        "elites",
        "seed",
        "max_rounds",
        "components",
        "package",
        "time_limit",
        "games_at_once",
        "valuer",
        "sprt",
    ):
        one, other = getattr(found, name), getattr(asked, name)
        if one != other:
            faults.append(f"{name}: {one!r} there, {other!r} asked")
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


def block_means(games: Sequence[Game], entrant: int) -> NDArray[np.float64]:
    """Mean win share per seat of an entrant in each block, from the games of complete blocks at one table."""
    ranks = np.array([game.ranks for game in games])
    shares = win_shares(ranks).astype(np.float64)
    own = np.array([game.seating for game in games]) == entrant
    _, rows = np.unique([game.block for game in games], return_inverse=True)
    sums = np.bincount(rows, (shares * own).sum(axis=1))
    means: NDArray[np.float64] = sums / np.bincount(rows, own.sum(axis=1))
    return means

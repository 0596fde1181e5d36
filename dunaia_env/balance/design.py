"""The design of a study: which games are played, so that roles and seats can be compared without bias.

A *condition* is a set of games that differ in nothing but chance, seats and roles. It is played in blocks. All games of
a block have the same game seed, and block b of every condition has the same one, so that conditions can be compared on
common chance.

With assigned roles a block has one game for each role: the roles, numbered around a circle, move on by one seat from
game to game. Every role sits in every seat exactly once in a block, so neither the seats nor the luck of the set-up
favour any of them. The distances around the circle change from block to block; after ``cycle_length`` blocks every
combination of different roles in the seats has been played equally often (a design from the permutations of the
distances, as in a round-robin schedule).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from dunaia_env.harness.roles import NOBODY

Kind = Literal["assigned", "drafted", "absent", "powerless"]
KINDS: tuple[Kind, ...] = ("assigned", "drafted", "absent", "powerless")


@dataclass(frozen=True)
class Forbidden:
    """An event that some seats may not cause for a time.

    Attributes:
        event: number of the event, see `dunaia_env.harness.events.Events`.
        seats: who may not.
        rounds: the first and the last round in which they may not, counted from 1.
        role: the role whose holder may not, in place of ``seats``; `NOBODY` for none.
    """

    event: int
    seats: tuple[int, ...]
    rounds: tuple[int, int]
    role: int = NOBODY


@dataclass(frozen=True)
class Exchange:
    """Two seats exchange all that lies before them at the start of a round.

    Attributes:
        round: the round, at least 2.
        seats: the two seats.
    """

    round: int
    seats: tuple[int, int]


@dataclass(frozen=True)
class RoleExchange:
    """The holder of a role exchanges with another seat all that lies before them but their roles.

    Attributes:
        round: the round at whose start they do, at least 2.
        role: the role.
        distance: how many seats after its holder the other one sits, at least 1.
    """

    round: int
    role: int
    distance: int = 1


@dataclass(frozen=True)
class Condition:
    """Games that differ in nothing but chance, seats and roles.

    Attributes:
        name: of the condition, different from that of every other one in the study.
        kind: ``assigned``: given roles, see the module; ``drafted``: the players choose their roles as the rules say;
            ``absent``: nobody has a role; ``powerless``: as ``assigned``, but ``role`` is replaced by no role, and
            games without it are left out.
        players: number of players at the table.
        agent: name of the agent that decides for every seat.
        blocks: number of blocks.
        components: the component file's text or path; None for the game's own.
        role: the role that ``powerless`` replaces; for ``assigned`` the role to which the games are limited, `NOBODY`
            for all games.
        role_agents: names of agents that decide for the seats of single roles in place of ``agent``, by role; by
            `NOBODY` for the seat of the role that ``powerless`` replaces.
        forbidden: events that are forbidden.
        exchanges: exchanges of seats.
        options: further options of the game, such as the round limit.
    """

    name: str
    kind: Kind
    players: int
    agent: str
    blocks: int
    components: str | None = None
    role: int = NOBODY
    role_agents: Mapping[int, str] = field(default_factory=dict)
    forbidden: tuple[Forbidden, ...] = ()
    exchanges: tuple[Exchange | RoleExchange, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


class Lineup(NamedTuple):
    """A game of a block.

    Attributes:
        order: the game's number in its block. Games of ``assigned`` and ``powerless`` with the same block and order
            have the same roles in all seats but the one without power.
        roles: the role of each seat; empty if roles are not assigned.
    """

    order: int
    roles: tuple[int, ...]


def cycle_length(roles: int, players: int) -> int:
    """Number of blocks after which every combination of roles in the seats has been played equally often."""
    return math.perm(roles - 1, players - 1)


def block_lineups(block: int, roles: int, players: int) -> tuple[tuple[int, ...], ...]:
    """The roles of the seats in each of the ``roles`` games of a block.

    Args:
        block: number of the block, from 0.
        roles: number of roles, at least ``players``.
        players: number of seats.
    """
    distances = _nth_arrangement(block % cycle_length(roles, players), range(1, roles), players - 1)
    return tuple(tuple((first + distance) % roles for distance in (0, *distances)) for first in range(roles))


def lineups(condition: Condition, block: int, roles: int) -> Iterator[Lineup]:
    """The games of a block of a condition in a game with so many roles."""
    if condition.kind in ("drafted", "absent"):
        yield Lineup(0, ())
        return
    for order, seats in enumerate(block_lineups(block, roles, condition.players)):
        if condition.role == NOBODY:
            yield Lineup(order, seats)
        elif condition.role in seats:
            powerless = condition.kind == "powerless"
            yield Lineup(order, tuple(NOBODY if powerless and one == condition.role else one for one in seats))


def games_in_block(condition: Condition, roles: int) -> int:
    """Number of games in each block of a condition."""
    if condition.kind in ("drafted", "absent"):
        return 1
    return roles if condition.role == NOBODY else condition.players


def _nth_arrangement(number: int, items: Sequence[int], count: int) -> tuple[int, ...]:
    """The ``number``-th ordered selection of ``count`` of the items, in a fixed order."""
    return next(itertools.islice(itertools.permutations(items, count), number, None))

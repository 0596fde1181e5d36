"""The design of a study: which games are played so that roles and seats can be compared without bias.

A *condition* is a set of games that differ only in chance, seats and roles. It is played in blocks. All games of a
block have the same game seed, and block b has the same game seed in every condition, so conditions are compared with
common random numbers.

With assigned roles a block has one game for each role. The roles are numbered around a circle, and from game to game
every seat moves on to the next role. Every role sits in every seat exactly once in a block, so neither the seats nor
the luck of the set-up favour any role. The distances around the circle change from block to block. After a *cycle* of
blocks the company of every role, that is the roles in the other seats, is balanced too. Numbers of blocks are rounded
up to whole cycles:

- At tables of up to four seats, every combination of different roles in the seats has been played equally often after a
  cycle (the design uses all permutations of the distances, as in a round-robin schedule).
- At larger tables that would take hundreds of blocks. There a cycle is a sharply transitive group of permutations. If
  the number of roles is one more than a prime, such as six, every three roles have sat in every three seats equally
  often, after as many blocks as at a table of three (the projective linear group over the prime's field). If it is a
  prime, such as seven, every two roles have sat in every two seats equally often, after as many blocks as at a table of
  two (the affine group); see Dixon and Mortimer, 1996, "Permutation Groups", section 7.6. The order of the roles
  changes from cycle to cycle, so after `design_length` blocks every combination has been played equally often at these
  tables as well.
- With other numbers of roles a cycle is the whole design.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from dunaia_env.harness.roles import NOBODY

Kind = Literal["assigned", "drafted", "absent", "powerless"]
# The kinds that do not single out a role.
KindForAll = Literal["assigned", "drafted", "absent"]
KINDS: tuple[Kind, ...] = ("assigned", "drafted", "absent", "powerless")


@dataclass(frozen=True)
class Forbidden:
    """An event that some seats may not cause in some rounds.

    Attributes:
        event: number of the event, see `dunaia_env.harness.events.Events`.
        seats: the seats that may not cause it.
        rounds: the first and the last round in which they may not cause it, counted from 1.
        role: the role whose holder may not cause it, in place of ``seats``; `NOBODY` if ``seats`` counts.
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
    """The holder of a role and another seat exchange all that lies before them except their roles.

    Attributes:
        round: the round at whose start they exchange, at least 2.
        role: the role.
        distance: how many seats after the holder the other seat is, at least 1.
    """

    round: int
    role: int
    distance: int = 1


@dataclass(frozen=True)
class Condition:
    """Games that differ only in chance, seats and roles.

    Attributes:
        name: name of the condition, unique in the study.
        kind: how the seats get their roles. ``assigned``: by the design, see the module; ``drafted``: as the rules say,
            by choice or by drawing; ``absent``: nobody has a role; ``powerless``: as ``assigned``, but the seat of
            ``role`` has no role, and games in which nobody would hold ``role`` are left out.
        players: number of players at the table.
        agent: name of the agent that decides for every seat.
        blocks: number of blocks.
        components: the component file's text or path; None for the game's own.
        role: for ``powerless`` the role that is taken away; for ``assigned`` the role that has to be held in every
            game, `NOBODY` for all games.
        role_agents: names of the agents that decide for the holders of single roles in place of ``agent``, by role. The
            key `NOBODY` stands for the seat whose role ``powerless`` takes away.
        forbidden: events that are forbidden.
        exchanges: exchanges between seats.
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
            have the same roles in all seats except the one without a power.
        roles: the role of each seat; empty if the design assigns no roles.
    """

    order: int
    roles: tuple[int, ...]


# At tables with more seats than this a cycle is smaller than the whole design.
_MOST_SEATS_OF_WHOLE_CYCLES = 4
# Whole designs are enumerated for at most this many roles.
_MOST_ROLES_OF_CYCLES = 8


def design_length(roles: int, players: int) -> int:
    """Number of blocks after which every combination of roles in the seats has been played equally often."""
    if _has_small_cycles(roles, players):
        return math.factorial(roles - 1)
    return math.perm(roles - 1, players - 1)


def cycle_length(roles: int, players: int) -> int:
    """Number of blocks of a cycle, after which roles, seats and company are balanced; see the module."""
    if not _has_small_cycles(roles, players):
        return design_length(roles, players)
    return len(_group(roles))


def block_lineups(block: int, roles: int, players: int) -> tuple[tuple[int, ...], ...]:
    """The roles of the seats in each of the ``roles`` games of a block.

    Args:
        block: number of the block, from 0.
        roles: number of roles, at least ``players``.
        players: number of seats.
    """
    number = block % design_length(roles, players)
    if _has_small_cycles(roles, players):
        distances = _arrangements(roles)[number][: players - 1]
    else:
        distances = _nth_arrangement(number, range(1, roles), players - 1)
    return tuple(tuple((first + distance) % roles for distance in (0, *distances)) for first in range(roles))


def _has_small_cycles(roles: int, players: int) -> bool:
    small = players > _MOST_SEATS_OF_WHOLE_CYCLES and roles <= _MOST_ROLES_OF_CYCLES
    return small and (_is_prime(roles) or _is_prime(roles - 1))


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, number))


def _group(roles: int) -> tuple[tuple[int, ...], ...]:
    """The distances of one cycle: the permutations that keep 0 in a group that contains the rotations of the circle.

    If R is prime, they are the multiplications modulo R. Otherwise R - 1 is a prime q, and a map x -> a / (x + b) of
    order q + 1 moves the points of the projective line over its field around one circle. The points are numbered along
    this circle, from infinity on, and the permutations are the maps x -> u x + v.
    """
    if _is_prime(roles):
        return tuple(tuple(factor * place % roles for place in range(1, roles)) for factor in range(1, roles))
    prime = roles - 1
    points = next(found for found in map(functools.partial(_circle, prime), range(prime**2)) if len(found) == prime)
    place_of = {point: place for place, point in enumerate(points, start=1)}
    return tuple(
        tuple(place_of[(factor * point + term) % prime] for point in points)
        for factor in range(1, prime)
        for term in range(prime)
    )


def _circle(prime: int, number: int) -> list[int]:
    """The circle of the ``number``-th map x -> a / (x + b), from infinity back to infinity; empty if there is none."""
    above, added = divmod(number, prime)
    points, point = list[int](), 0
    while above and point not in points:
        points.append(point)
        if (point + added) % prime == 0:
            return points
        point = above * pow(point + added, -1, prime) % prime
    return []


@functools.cache
def _arrangements(roles: int) -> tuple[tuple[int, ...], ...]:
    """All orders of the distances 1..R-1, cycle by cycle; each cycle begins with the first unused order."""
    group = _group(roles)
    found: dict[tuple[int, ...], None] = {}
    for first in itertools.permutations(range(1, roles)):
        if first not in found:
            found |= dict.fromkeys(tuple(seating[place - 1] for place in first) for seating in group)
    return tuple(found)


def lineups(condition: Condition, block: int, roles: int) -> Iterator[Lineup]:
    """The games of a block of a condition, in a game with ``roles`` roles."""
    if condition.kind in ("drafted", "absent"):
        yield Lineup(0, ())
        return
    for order, seats in enumerate(block_lineups(block, roles, condition.players)):
        if condition.role == NOBODY:
            yield Lineup(order, seats)
        elif condition.role in seats:
            powerless = condition.kind == "powerless"
            yield Lineup(order, tuple(NOBODY if powerless and seat == condition.role else seat for seat in seats))


def games_in_block(condition: Condition, roles: int) -> int:
    """Number of games in each block of a condition."""
    if condition.kind in ("drafted", "absent"):
        return 1
    return roles if condition.role == NOBODY else condition.players


def _nth_arrangement(number: int, items: Sequence[int], count: int) -> tuple[int, ...]:
    """The ``number``-th ordered selection of ``count`` of the items, in a fixed order."""
    return next(itertools.islice(itertools.permutations(items, count), number, None))

"""Simulated games with known strengths of seats and roles.

No game is played: a Plackett-Luce model (Luce, 1959; Plackett, 1975) draws the order in which the players finish, from
the strengths of seats and roles and from luck. Part of the luck is common to all games of a block, at every strength of
the players, as the luck of a set-up is. The design is that of a real study.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import softmax

from dunaia_env.balance import design
from dunaia_env.balance.games import CURVE_ROUNDS, Games
from dunaia_env.statistics.intervals import Floats, round_portably

# Win shares of the seats that a first study of equal players measured, by number of players.
SEAT_SHARES: Mapping[int, tuple[float, ...]] = {2: (0.69, 0.31), 3: (0.57, 0.26, 0.17), 4: (0.45, 0.24, 0.18, 0.13)}
# Number of blocks over whose luck the expected win share of a role is averaged when its strength is chosen.
_LUCK_BLOCKS = 20_000


@dataclass(frozen=True)
class World:
    """The parameters of the simulated games at one number of players.

    Attributes:
        players: S, number of players.
        roles: strength of each of R roles, natural logarithms.
        seats: strength of each seat, natural logarithms.
        seat_luck: standard deviation of the luck of a seat that is common to the games of a block, in logarithms of
            strength.
        role_luck: standard deviation of the luck of a role, in the same way.

    With the default luck, the variance of a role's mean win share in a block is 0.93, 0.96 and 0.99 times that of as
    many independent games, for 2, 3 and 4 players. In a real game with greedy players it was 0.91, 0.97 and 0.94 times.
    """

    players: int
    roles: tuple[float, ...]
    seats: tuple[float, ...]
    seat_luck: float = 0.5
    role_luck: float = 0.3

    def strengths(self, blocks: int, random: np.random.Generator) -> tuple[Floats, Floats]:
        """The roles in the seats of each game, and their strengths with the luck of the block: both ``(B, R, S)``."""
        count = len(self.roles)
        cycle = _cycle(count, self.players)
        lineups = cycle[np.arange(blocks) % len(cycle)]
        seats = np.array(self.seats) + self.seat_luck * random.normal(size=(blocks, 1, self.players))
        roles = np.array(self.roles) + self.role_luck * random.normal(size=(blocks, count))
        return lineups, seats + roles[np.arange(blocks)[:, None, None], lineups]


@functools.cache
def _cycle(roles: int, players: int) -> Any:
    return np.array(
        [design.block_lineups(block, roles, players) for block in range(design.design_length(roles, players))]
    )


def draw_games(world: World, blocks: int, strengths: int, *, seed: Any = 0) -> list[Games]:
    """Games with assigned roles, at several strengths of the players that share the luck of each block.

    Args:
        world: parameters of the games.
        blocks: number of blocks; each has one game for each role.
        strengths: number of strengths of the players.
        seed: seed of the draws, a number or several.
    """
    random = np.random.default_rng(seed)
    lineups, values = world.strengths(blocks, random)
    return [_games_of(lineups, values + random.gumbel(size=values.shape)) for _ in range(strengths)]


def _games_of(lineups: Floats, results: Floats) -> Games:
    blocks, orders, seats = results.shape
    games = blocks * orders
    ranks = 1 + (results[..., None, :] > results[..., :, None]).sum(axis=-1)
    return Games(
        block=np.repeat(np.arange(blocks, dtype=np.int32), orders),
        order=(np.arange(games) % orders).astype(np.int16),
        roles=lineups.reshape(games, seats).astype(np.int8),
        ranks=ranks.reshape(games, seats).astype(np.int8),
        scores=np.round(50 + 10 * results.reshape(games, seats)).astype(np.int32),
        rounds=np.ones(games, np.int16),
        stopped=np.zeros(games, np.bool_),
        decisions=np.zeros(games, np.int32),
        curve=np.broadcast_to(np.int16(0), (games, CURVE_ROUNDS, seats)),
        uses=np.zeros((games, seats), np.int16),
        offered=np.zeros((games, seats), np.uint16),
        events=np.zeros((games, seats, 0), np.int16),
        first_round=np.zeros((games, seats, 0), np.int16),
        first_seat=np.zeros((games, 0), np.int8),
    )


def planted_world(
    players: int,
    effect: float,
    *,
    roles: int = 6,
    seat_luck: float = 0.5,
    role_luck: float = 0.3,
    seat_shares: Sequence[float] | None = None,
) -> World:
    """A world in which role 0 has a given effect, and the other roles are worth the same.

    Args:
        players: number of players.
        effect: expected win share of role 0 minus the fair share.
        roles: number of roles.
        seat_luck: see `World`.
        role_luck: see `World`.
        seat_shares: win share of each seat among equal roles; None for those of `SEAT_SHARES`.

    Raises:
        ValueError: for a number of players without seat shares, or an effect that no strength can give.
    """
    shares = SEAT_SHARES.get(players, ()) if seat_shares is None else seat_shares
    if len(shares) != players:
        raise ValueError(f"players: expected one of {', '.join(map(str, SEAT_SHARES))}, got {players}")
    if not -1 / players < effect < 1 - 1 / players:
        raise ValueError(
            f"effect: expected a number above {-1 / players:.3f} and below {1 - 1 / players:.3f}, got {effect}"
        )
    seats = tuple(np.log(shares).tolist())
    equal = World(players, (0.0,) * roles, seats, seat_luck, role_luck)
    lineups, values = equal.strengths(_LUCK_BLOCKS, np.random.default_rng(players))
    held = lineups == 0

    def share(strength: float) -> float:
        return float(softmax(values + strength * held, axis=-1)[held].mean())

    # The share is compared with that of an equal role under the same luck, so that the luck drawn here hardly matters.
    fair = share(0.0)
    strength = brentq(lambda one: share(one) - fair - effect, -12, 12, xtol=1e-6) if effect else 0.0
    return World(players, (float(round_portably(strength, 5)), *(0.0,) * (roles - 1)), seats, seat_luck, role_luck)

"""What the games of a study say about its roles: shares, score margins, powers, skill and the draft.

Every number is a mean over games with an interval computed over blocks, see `dunaia_env.balance.averages`. Each of
these intervals holds on its own; the simultaneous intervals, on which verdicts are based, are in
`dunaia_env.balance.verdicts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dunaia_env.arena.intervals import Estimate, Floats, round_portably
from dunaia_env.balance.averages import Spread, common_games, holding, means, ratios, spread, sums_of_blocks
from dunaia_env.balance.design import Kind
from dunaia_env.balance.games import Games
from dunaia_env.balance.intervals import power_blocks, role_blocks

# Width of a bin of score margins, which are not whole points at tables of three or more.
MARGIN_BIN = 2
Pays = Literal["pays", "trap", "open", "unused"]


@dataclass(frozen=True)
class RoleShare:
    """The results of a role at one number of players.

    Attributes:
        role: number of the role.
        games: number of games in which somebody held it.
        share: its win share.
        by_seat: its win share in each seat.
        margin: its score minus the mean of the other seats' scores.
    """

    role: int
    games: int
    share: Estimate
    by_seat: tuple[Estimate, ...]
    margin: Spread


@dataclass(frozen=True)
class Shares:
    """Win shares of the seats and the roles in one condition.

    Attributes:
        kind: the condition's kind.
        players: number of players.
        agent: the agent in all seats.
        blocks: number of blocks.
        games: number of games.
        seats: win share of each seat.
        roles: the results of each role; empty if roles are absent.
    """

    kind: Kind
    players: int
    agent: str
    blocks: int
    games: int
    seats: tuple[Estimate, ...]
    roles: tuple[RoleShare, ...]


@dataclass(frozen=True)
class Power:
    """What the power of a role is worth, how often it is used, and whether using it pays.

    Attributes:
        role: number of the role.
        players: number of players.
        agent: the agent in all seats.
        games: number of games with the role.
        uses: mean number of uses per game.
        uses_per_round: mean number of uses per round.
        used: share of the role's games in which it is used at all.
        pairs: number of pairs of games, one with the power and one without it; 0 if the latter were not played.
        share: win share with the power minus win share without it.
        points: score with the power minus score without it.
        pays: ``pays`` if the whole interval of ``share`` is above zero; ``trap`` if no part of it is above zero and the
            power is used; ``unused`` if the power is never used; else ``open``.
    """

    role: int
    players: int
    agent: str
    games: int
    uses: Estimate
    uses_per_round: Estimate
    used: Estimate
    pairs: int
    share: Estimate
    points: Estimate
    pays: Pays


@dataclass(frozen=True)
class Step:
    """How the shares of the roles change from one agent to another, on common blocks.

    Attributes:
        players: number of players.
        weak: the agent of the first condition.
        strong: the agent of the second condition.
        blocks: number of common blocks.
        roles: share with the second agent minus share with the first, for each role.
    """

    players: int
    weak: str
    strong: str
    blocks: int
    roles: tuple[Estimate, ...]


@dataclass(frozen=True)
class Agreement:
    """Whether agents agree on a role.

    Attributes:
        role: number of the role.
        players: number of players.
        agents: names of the agents.
        blocks: number of common blocks.
        shares: the role's share with each agent, on common blocks.
        between: standard deviation of the share between agents, with luck subtracted; see `between_agents`.
        largest: the largest difference between two agents.
    """

    role: int
    players: int
    agents: tuple[str, ...]
    blocks: int
    shares: tuple[float, ...]
    between: float
    largest: float


@dataclass(frozen=True)
class Pick:
    """How often a seat chooses a role in the draft.

    Attributes:
        role: number of the role.
        players: number of players.
        agent: the agent in all seats.
        seat: the seat; None for all seats together.
        offered: share of the choices in which the role was offered.
        picked: share of these choices in which the role was chosen.
        share: win share of the seats that chose the role.
    """

    role: int
    players: int
    agent: str
    seat: int | None
    offered: float
    picked: Estimate
    share: Estimate


def shares_of(games: Games, kind: Kind, players: int, agent: str, roles: int) -> Shares:
    """Win shares of seats and roles in the games of a condition, in a game with ``roles`` roles."""
    blocks = len(np.unique(games.block))
    held = holding(games, roles)
    won = np.broadcast_to(games.shares[:, :, None], held.shape)
    count = len(games)
    seats = means(games, games.shares, shares=True)
    if not held.any():
        return Shares(kind, players, agent, blocks, count, tuple(seats), ())
    by_seat = means(games, won.reshape(count, -1), held.reshape(count, -1), shares=True)
    # A role is held at most once in a game, so the sum over seats is the value of its holder.
    is_held = np.asarray(held.any(axis=1))
    share = means(games, (won * held).sum(axis=1), is_held, shares=True)
    margins = (games.margins[:, :, None] * held).sum(axis=1)
    margin = means(games, margins, is_held)
    found = tuple(
        RoleShare(
            role,
            int(is_held[:, role].sum()),
            share[role],
            tuple(by_seat[role::roles]),
            spread(margins[is_held[:, role], role], margin[role], MARGIN_BIN),
        )
        for role in range(roles)
    )
    return Shares(kind, players, agent, blocks, count, tuple(seats), found)


def power_of(games: Games, powerless: Games | None, role: int, agent: str) -> Power:
    """What a role's power is worth and how often it is used.

    Args:
        games: games with assigned roles.
        powerless: the same games with no role in the role's seat; None if they were not played.
        role: number of the role.
        agent: the agent in all seats.
    """
    held = games.roles == role
    is_held = np.asarray(held.any(axis=1))
    uses = np.where(held, games.uses, 0).sum(axis=1)
    (mean_uses,) = means(games, uses[:, None], is_held[:, None])
    (used,) = means(games, uses[:, None] > 0, is_held[:, None], shares=True)
    (per_round,) = ratios(sums_of_blocks(games, uses * is_held), sums_of_blocks(games, games.rounds * is_held))
    nothing = Estimate(np.nan, np.nan, np.nan)
    pairs, share, points = 0, nothing, nothing
    if powerless is not None and len(powerless):
        whole, without = common_games(games, powerless)
        pairs = len(whole)
        by_block = [
            power_blocks(whole, values, without, other, role)[1]
            for values, other in ((whole.shares, without.shares), (whole.scores, without.scores))
        ]
        share, points = ratios(np.hstack(by_block))
    pays: Pays = "open"
    if not uses.any():
        pays = "unused"
    elif share.low > 0:
        pays = "pays"
    elif share.high <= 0:
        pays = "trap"
    return Power(role, games.seats, agent, int(is_held.sum()), mean_uses, per_round, used, pairs, share, points, pays)


def step_between(weak: Games, strong: Games, names: tuple[str, str], roles: int) -> Step:
    """How the roles' shares change from the games of one agent to those of another."""
    one, other = (role_blocks(games, games.shares, roles) for games in common_games(weak, strong))
    return Step(weak.seats, *names, len(one), tuple(ratios(other - one)))


def between_agents(values: Floats) -> float:
    """Standard deviation of the true means of agents that played common blocks.

    In the two-way model ``value = block + agent + noise`` with random agents, the variance between agents is
    ``(mean square of agents - mean square of noise) / blocks`` (Searle, Casella, McCulloch 1992, "Variance
    Components", section 4.3); a negative estimate becomes 0.

    Args:
        values: float64 ``(B, A)``, at least two blocks and two agents.
    """
    blocks, agents = values.shape
    by_agent, by_block = values.mean(axis=0), values.mean(axis=1)
    noise = values - by_agent - by_block[:, None] + values.mean()
    square_of_noise = (noise**2).sum() / ((blocks - 1) * (agents - 1))
    square_of_agents = blocks * by_agent.var(ddof=1)
    return float(round_portably(np.sqrt(max(0.0, float(square_of_agents - square_of_noise)) / blocks)))


def agreement_of(games: dict[str, Games], roles: int) -> tuple[Agreement, ...]:
    """Whether agents agree on each role, from the games with assigned roles of at least two agents, by name."""
    names, parts = tuple(games), tuple(games.values())
    blocks = parts[0].block
    for part in parts[1:]:
        blocks = np.intersect1d(blocks, part.block)
    if len(np.unique(blocks)) < 2:
        return ()
    common = [part[np.isin(part.block, blocks)] for part in parts]
    values = np.stack([role_blocks(one, one.shares, roles) for one in common], axis=2)
    return tuple(
        Agreement(
            role,
            parts[0].seats,
            names,
            len(values),
            tuple(shares := round_portably(values[:, role].mean(axis=0)).tolist()),
            between_agents(values[:, role]),
            float(round_portably(max(shares) - min(shares))),
        )
        for role in range(roles)
    )


def picks_of(games: Games, agent: str, roles: int) -> tuple[Pick, ...]:
    """How often each seat, and all seats together, choose each role in the games of a draft; empty without a draft."""
    offered = (games.offered[:, :, None] >> np.arange(roles, dtype=np.uint16)) & 1 == 1
    choosing = games.offered > 0
    if not choosing.any():
        return ()
    picked = holding(games, roles) & offered
    won = np.broadcast_to(games.shares[:, :, None], picked.shape)
    count, found = len(games), []
    seats: Sequence[int | None] = (None, *range(games.seats))
    for seat in seats:
        part = slice(None) if seat is None else slice(seat, seat + 1)
        sums = [sums_of_blocks(games, of[:, part].sum(axis=1)) for of in (offered, picked, won * picked)]
        rates = ratios(sums[1], sums[0], shares=True)
        shares = ratios(sums[2], sums[1], shares=True)
        choices = choosing[:, part].sum()
        for role in range(roles):
            rate = float(round_portably(sums[0][:, role].sum() / choices)) if choices else np.nan
            found.append(Pick(role, games.seats, agent, seat, rate, rates[role], shares[role]))
    return tuple(found) if count else ()

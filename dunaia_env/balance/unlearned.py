"""Weak or unlearned: whether a role looks weak only because the players do not know how to use it.

Four things are measured, each on common blocks: what a search adds, what a player trained for the role wins with it,
what a best response wins with it, and what the power is worth.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal

import numpy as np

from dunaia_env.arena.intervals import Estimate, round_portably
from dunaia_env.balance.averages import common_games, ratios, shares_of_role
from dunaia_env.balance.games import Games
from dunaia_env.balance.intervals import role_blocks
from dunaia_env.balance.measures import Power, Step, power_of
from dunaia_env.harness.roles import NOBODY

Tried = Literal["search", "specialist", "response"]
Conclusion = Literal["not weak", "unlearned", "partly", "weak", "untried"]


@dataclass(frozen=True)
class SpecialResult:
    """The results of a role held by an agent that was trained for it, the special agent.

    Attributes:
        role: number of the role.
        players: number of players.
        agent: the special agent.
        opponent: the agent of the other seats.
        response: whether the agent is a best response.
        blocks: number of common blocks.
        before: the role's share when the opponent holds it too.
        after: the role's share when the special agent holds it.
        change: ``after - before``.
        among: the role's share when the special agent plays all seats.
        without: share of the special agent minus that of the opponent, in the role's seat without its power.
        learned: ``change - without``: how much more the power is worth in the hands of the special agent than in those
            of the opponent.
        general_power: what the power is worth to the opponent.
        power: what the power is worth to the special agent.
    """

    role: int
    players: int
    agent: str
    opponent: str
    response: bool
    blocks: int
    before: Estimate
    after: Estimate
    change: Estimate
    among: Estimate
    without: Estimate
    learned: Estimate
    general_power: Power
    power: Power


@dataclass(frozen=True)
class Move:
    """How a role does when other players hold it.

    Attributes:
        kind: ``search``: all players search; ``specialist``: a player trained for the role holds it; ``response``: a
            best response holds it.
        agent: the agent that searches or holds the role.
        base: the agent with which it is compared.
        before: the role's effect, its share minus the fair share, with ``base``.
        after: the role's effect with ``agent``.
        change: ``after - before``.
        blocks: number of common blocks.
    """

    kind: Tried
    agent: str
    base: str
    before: Estimate
    after: Estimate
    change: Estimate
    blocks: int


@dataclass(frozen=True)
class Learning:
    """Whether a role is weak or unlearned.

    Attributes:
        role: number of the role.
        players: number of players.
        agent: the strongest agent of the study.
        effect: the role's effect with this agent, with an interval of its own.
        moves: how the role does when other players hold it.
        power: what its power is worth to the strongest agent; None if its games were not played.
        conclusion: see `conclude`.
    """

    role: int
    players: int
    agent: str
    effect: Estimate
    moves: tuple[Move, ...]
    power: Power | None
    conclusion: Conclusion


def base_of_search(agent: str, agents: Sequence[str]) -> str:
    """The agent among ``agents`` on which a search is based, as ``champion`` for ``champion+16``; empty for none."""
    return next((base for base in agents if re.fullmatch(re.escape(base) + r"\+\d+(,.*)?", agent)), "")


def special_result(
    general: Games,
    special: Games,
    among: Games,
    without: tuple[Games, Games],
    role: int,
    names: tuple[str, str],
    *,
    response: bool = False,
) -> SpecialResult:
    """The results of a role held by an agent that was trained for it.

    Args:
        general: games with assigned roles in which the opponent plays all seats.
        special: the games of the same blocks in which the role is held, by the special agent.
        among: the same games with the special agent in all seats.
        without: the games of ``general`` and of ``special`` in which the role has no power.
        role: number of the role.
        names: names of the special agent and its opponent.
        response: whether the special agent is a best response.
    """
    played = [
        shares_of_role(general, role),
        shares_of_role(special, role),
        shares_of_role(among, role),
        *(shares_of_role(games, NOBODY) for games in without),
    ]
    blocks = reduce(np.intersect1d, [numbers for numbers, _ in played])
    rows = [values[np.isin(numbers, blocks)] for numbers, values in played]
    plain, held, everywhere, plain_without, held_without = rows
    (before, after, at_all) = ratios(np.hstack([plain, held, everywhere]), shares=True)
    gained, lost = held - plain, held_without - plain_without
    change, other, learned = ratios(np.hstack([gained, lost, gained - lost]))
    return SpecialResult(
        role=role,
        players=general.seats,
        agent=names[0],
        opponent=names[1],
        response=response,
        blocks=len(blocks),
        before=before,
        after=after,
        change=change,
        among=at_all,
        without=other,
        learned=learned,
        general_power=power_of(general, without[0], role, names[1]),
        power=power_of(special, without[1], role, names[0]),
    )


def judge_learning(
    games: Mapping[str, Games],
    strongest: str,
    searches: Sequence[Step],
    specials: Sequence[SpecialResult],
    powers: Sequence[Power],
    roles: int,
    tolerance: float,
) -> tuple[Learning, ...]:
    """Whether each role is weak or unlearned at one number of players.

    Args:
        games: games with assigned roles, by name of the agent.
        strongest: the strongest agent of the study.
        searches: what searches change, at this number of players.
        specials: the results of special agents, at this number of players.
        powers: what powers are worth to the strongest agent, at this number of players.
        roles: number of roles.
        tolerance: tolerance of the verdicts.
    """
    players = games[strongest].seats
    effects = _effects(games[strongest], roles)
    found = []
    for role in range(roles):
        moves = [_search_move(step, games, role, roles) for step in searches]
        moves += [_special_move(one) for one in specials if one.role == role]
        power = next((one for one in powers if one.role == role and one.pairs), None)
        conclusion = conclude(effects[role], moves, tolerance)
        found.append(Learning(role, players, strongest, effects[role], tuple(moves), power, conclusion))
    return tuple(found)


def conclude(effect: Estimate, moves: Sequence[Move], tolerance: float) -> Conclusion:
    """Whether a role is weak or unlearned, by intervals that each hold on their own.

    - ``not weak``: the effect is not known to lie below the tolerance.
    - ``unlearned``: with some other players the effect clearly rises, and is then known not to lie below the tolerance.
    - ``partly``: with some other players the effect clearly rises, but may still lie below the tolerance.
    - ``weak``: a player was trained for the role, but the effect clearly rises with none of the other players.
    - ``untried``: no player was trained for the role, and no search clearly raises the effect.
    """
    if not effect.high < -tolerance:
        return "not weak"
    risen = [one for one in moves if one.change.low > 0]
    if any(one.after.low >= -tolerance for one in risen):
        return "unlearned"
    if risen:
        return "partly"
    return "weak" if any(one.kind != "search" for one in moves) else "untried"


def _effects(games: Games, roles: int) -> list[Estimate]:
    return ratios(role_blocks(games, games.shares, roles) - 1 / games.seats)


def _search_move(step: Step, games: Mapping[str, Games], role: int, roles: int) -> Move:
    before, after = (_effects(one, roles)[role] for one in common_games(games[step.weak], games[step.strong]))
    return Move("search", step.strong, step.weak, before, after, step.roles[role], step.blocks)


def _special_move(one: SpecialResult) -> Move:
    before, after = (
        Estimate(*round_portably(np.array(share) - 1 / one.players).tolist()) for share in (one.before, one.after)
    )
    kind: Tried = "response" if one.response else "specialist"
    return Move(kind, one.agent, one.opponent, before, after, one.change, one.blocks)

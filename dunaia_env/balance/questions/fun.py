"""Fun beside fairness: what the games of two versions of the components are like to play, and how that changes.

Each measure is a mean over games, computed from the same blocks for both versions. None of them says whether a game is
good: whether people prefer longer games, or games in which the lead changes more often, is for the designer to decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dunaia_env.balance import intervals, paired
from dunaia_env.balance.games import Floats, Games
from dunaia_env.balance.questions.shapes import half_time_shares, lead_changes
from dunaia_env.statistics.intervals import Estimate


class Measure(NamedTuple):
    """A number that says what games are like.

    Attributes:
        key: its name in files.
        title: its name in tables.
        unit: its unit.
        meaning: how it is computed, as a sentence.
        more, less: what a clear increase and a clear decrease mean, as phrases.
        scale: factor from the number to its unit.
        digits: number of decimals that tables show.
    """

    key: str
    title: str
    unit: str
    meaning: str
    more: str
    less: str
    scale: float = 1.0
    digits: int = 2


ROUNDS = Measure(
    "rounds",
    "length of a game",
    "rounds",
    "Rounds from the start of a game to its end.",
    "longer games",
    "shorter games",
)
LEAD_CHANGES = Measure(
    "lead_changes",
    "changes of the lead in a game",
    "changes",
    "How often another player than before alone has the best score at the start of a round, or alone wins the game.",
    "more changes of the lead",
    "fewer changes of the lead",
)
HALF_TIME = Measure(
    "half_time",
    "the leader at half-time wins",
    "% of the games",
    "The chance that the player with the best score after half of the rounds of a game wins it: the higher, the earlier"
    " games are decided. Equal leaders count in equal parts.",
    "games decided earlier",
    "games decided later",
    100.0,
    1,
)
LIKENESS = Measure(
    "likeness",
    "how alike winners play",
    "% in common",
    "How often a winner bought each kind of thing is compared with what the winner of another game did: the sum of the"
    " smaller counts divided by the sum of the larger ones (the similarity of Ružička, 1958), 0 % if they did nothing"
    " in common and 100 % if they did the same. Winners who share a win count in equal parts. The two games have the"
    " same number within their blocks, and their blocks follow one another; no game is in two pairs.",
    "winners who play more alike",
    "winners who play less alike",
    100.0,
    1,
)
USES = Measure(
    "uses",
    "uses of the power in a game",
    "uses",
    "How often the holder of a power uses it in a game, over the games in which somebody holds it.",
    "a power that is used more often",
    "a power that is used less often",
)
MEASURES = {measure.key: measure for measure in (ROUNDS, LEAD_CHANGES, HALF_TIME, LIKENESS, USES)}


@dataclass(frozen=True)
class FunChange:
    """How a measure changes from one version to the other, at one number of players.

    Attributes:
        measure: key of the measure, see `MEASURES`.
        role: name of the role whose power is meant; empty for a measure of whole games.
        players: number of players.
        before, after: the measure with each version.
        change: ``after`` minus ``before``, with an interval that is simultaneous over all measures and numbers of
            players.
    """

    measure: str
    role: str
    players: int
    before: float
    after: float
    change: Estimate


def likeness(games: Games) -> paired.Contributions:
    """How alike the winners of different games play, as one number 0..1 with the contribution of each pair of blocks.

    The game with a number within the block 2 b is compared with the game with the same number within the block
    2 b + 1, so that pairs of blocks are independent of one another. Pairs in which neither winner caused an event do
    not count. The formula is in the meaning of `LIKENESS`.

    Args:
        games: games of a condition, sorted by block.
    """
    keys = (games.block.astype(np.int64) // 2) << 16 | games.order
    firsts, seconds = (np.flatnonzero(games.block % 2 == parity) for parity in (0, 1))
    _, one, other = np.intersect1d(keys[firsts], keys[seconds], return_indices=True)
    firsts, seconds = firsts[one], seconds[other]
    won = (games.events * games.shares[:, :, None]).sum(axis=1)
    least, most = (choose(won[firsts], won[seconds]).sum(axis=1) for choose in (np.minimum, np.maximum))
    counted = most > 0
    alike = np.divide(least, most, out=np.zeros_like(most), where=counted)
    return paired.contributions(games[firsts], alike[:, None], counted[:, None])


class _Column(NamedTuple):
    """A measure, its role if it has one, and the contributions of blocks with each version, one number each."""

    measure: Measure
    role: str
    before: paired.Contributions
    after: paired.Contributions


def _columns(before: Games, after: Games, roles: Sequence[str]) -> list[_Column]:
    """The measures of whole games and those of the roles that use their power, all on the same blocks."""
    per_game = [_per_game(games) for games in (before, after)]
    uses = [paired.role_shares(games, len(roles), games.uses.astype(np.float64)) for games in (before, after)]
    found = [
        _Column(measure, "", *(numbers[[place]] for numbers in per_game))
        for place, measure in enumerate((ROUNDS, LEAD_CHANGES, HALF_TIME))
    ]
    return found + [
        _Column(USES, name, *(numbers[[role]] for numbers in uses))
        for role, name in enumerate(roles)
        if any(numbers.values[role] > 0 for numbers in uses)
    ]


def _per_game(games: Games) -> paired.Contributions:
    numbers: Floats = np.column_stack([games.rounds, lead_changes(games), half_time_shares(games)]).astype(np.float64)
    return paired.contributions(games, numbers)


def fun_changes(
    played: Mapping[int, tuple[Games, Games]], roles: Sequence[str], *, samples: int = paired.SAMPLES, seed: int = 0
) -> tuple[FunChange, ...]:
    """How what games are like changes from one version to the other.

    Args:
        played: by number of players, the games with assigned roles of both versions, on common blocks.
        roles: names of the roles.
        samples: number of resamples for the simultaneous intervals.
        seed: seed of the resampling.

    Returns:
        For each number of players the measures of whole games, in the order of `MEASURES`, then the uses of the powers
        that are used with either version. How alike winners play is left out where the game tells no events apart.
    """
    strata: list[tuple[int, list[_Column]]] = []
    for players, (before, after) in played.items():
        strata.append((players, _columns(before, after, roles)))
        alike = _Column(LIKENESS, "", likeness(before), likeness(after))
        if all(np.isfinite(numbers.rows).all() and len(numbers.rows) for numbers in (alike.before, alike.after)):
            # Its rows are pairs of blocks, so it cannot be in the stratum of the other measures.
            strata.append((players, [alike]))
    rows = [paired.beside([column.after.minus(column.before) for column in columns]).rows for _, columns in strata]
    found = [
        FunChange(
            column.measure.key,
            column.role,
            players,
            float(column.before.values[0]),
            float(column.after.values[0]),
            change,
        )
        for (players, columns), changes in zip(
            strata, intervals.simultaneous(rows, samples=samples, seed=seed), strict=True
        )
        for column, change in zip(columns, changes, strict=True)
    ]
    order = list(MEASURES)
    return tuple(sorted(found, key=lambda change: (change.players, order.index(change.measure))))

"""How often the statements of a report are wrong, on simulated results whose truth is known.

Every statement that a number decides is drawn again and again in the situation in which it is wrong most easily:
match-ups at seats as unequal as the real ones, a part of the component files just beside two thirds, a training that
brings a role exactly to the tolerance, two candidates on two sides of the wanted share, removals of events that all do
the same. The report's own functions make the statement, and the seed decides everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dunaia_env.balance import paired
from dunaia_env.balance.causes import beyond_the_others
from dunaia_env.balance.games import Games
from dunaia_env.balance.outcomes import Cause
from dunaia_env.balance.questions.matchups import match_ups
from dunaia_env.balance.questions.screening import MOST, findable, on_most, screen
from dunaia_env.balance.questions.unlearned import Conclusion, Move, Tried, conclude
from dunaia_env.balance.questions.verdicts import TOLERANCE
from dunaia_env.balance.simulation import SEAT_SHARES, World, draw_games
from dunaia_env.balance.targets import find_nearest
from dunaia_env.statistics.intervals import CONFIDENCE, Estimate, Floats
from dunaia_env.statistics.mixing import part_inside
from dunaia_env.statistics.ratings import SCALE

Seed = Sequence[int]

# Logarithms of strength of the roles in the match-ups, with mean 0.
_STRENGTHS = (0.4, 0.2, 0.1, 0.0, -0.2, -0.5)
_MATCHUP_BLOCKS = 300
_SAMPLES = 400
# Component files: their number, the standard error of an effect on one of them, and its correlation between two files.
_FILES, _FILE_ERROR, _CORRELATION = 60, 0.035, 0.055
# Effects on the two kinds of files, below the tolerance and above it.
_KINDS = (-0.10, 0.0)
_BLOCKS = 200
# Standard error of an effect, and of its change, in the hands of a trained player.
_EFFECT_ERROR, _CHANGE_ERROR = 0.006, 0.01
# Win chances of the candidates of a search for an even share: two on both sides of it, and others farther away.
_CHANCES, _NEAREST, _MOST_GAMES = (0.40, 0.48, 0.525, 0.60), 1, 40_000
_EVENTS = 12
_NUMBERS, _ROLES = 30, 3


@dataclass(frozen=True)
class Statement:
    """A statement of the report, and the situation in which it is counted.

    Attributes:
        words: the statement and the situation, as a line of a table.
        least: smallest rate that it claims, 0..1; 0 if it claims to be rare.
        most: largest rate that it claims, 0..1; 1 if it claims to be frequent.
        happens: whether a simulated study makes the statement.
    """

    words: str
    least: float
    most: float
    happens: Callable[[Seed], bool]


def _matchup_games(seed: Seed, luck: bool) -> Games:
    players = 2 + seed[-1] % 3
    seats = tuple(np.log(SEAT_SHARES[players]).tolist())
    world = World(players, _STRENGTHS, seats, *((0.5, 0.3) if luck else (0.0, 0.0)))
    (games,) = draw_games(world, _MATCHUP_BLOCKS, 1, seed=seed)
    return games


def strength_is_covered(seed: Seed) -> bool:
    """Whether the interval of the last role's strength covers the strength with which the games were drawn."""
    found = match_ups(_matchup_games(seed, luck=False), len(_STRENGTHS), samples=_SAMPLES, seed=seed[-1]).strengths
    truth = SCALE * (_STRENGTHS[-1] - np.mean(_STRENGTHS))
    return bool(found.low[-1] <= truth <= found.high[-1])


def counter_is_claimed(seed: Seed) -> bool:
    """Whether any pair is called a counter where strengths and seats explain everything but the luck of the blocks."""
    return bool(match_ups(_matchup_games(seed, luck=True), len(_STRENGTHS), samples=_SAMPLES, seed=seed[-1]).counters)


def _part_of_files(seed: Seed, part: float) -> Estimate:
    """The estimated part of files on which an effect lies below the tolerance, where it truly does on a given part."""
    random = np.random.default_rng(seed)
    true = np.where(random.random(_FILES) < part, *_KINDS)
    noise = np.sqrt(1 - _CORRELATION) * random.normal(size=_FILES) + np.sqrt(_CORRELATION) * random.normal()
    errors = np.full(_FILES, _FILE_ERROR)
    return part_inside(true + _FILE_ERROR * noise, errors, -np.inf, -TOLERANCE, correlation=_CORRELATION)


def part_is_covered(seed: Seed) -> bool:
    """Whether the interval covers the part of the files, if 15 % of them are of another kind."""
    found = _part_of_files(seed, 0.85)
    return bool(found.low <= 0.85 <= found.high)


def finding_is_refused(seed: Seed) -> bool:
    """Whether a finding "does not hold" on most files, although it holds on slightly more than two thirds."""
    return on_most(_part_of_files(seed, MOST + 0.04)) == "no"


def finding_is_generalised(seed: Seed) -> bool:
    """Whether a finding "holds on most files", although it holds on slightly less than two thirds."""
    return on_most(_part_of_files(seed, MOST - 0.04)) == "yes"


def _conclusion(seed: Seed, after: Sequence[float]) -> Conclusion:
    """What follows for a role of effect -0.12, which has the effects ``after`` in the hands of trained players."""
    random = np.random.default_rng(seed)

    def estimate(truth: float, error: float) -> Estimate:
        value = truth + error * float(random.normal())
        return Estimate(value, value - 1.972 * error, value + 1.972 * error)

    kinds: tuple[Tried, ...] = ("specialist", "response")
    moves = [
        Move(
            kind, "trained", "champion", estimate(-0.12, _EFFECT_ERROR), estimate(end, _EFFECT_ERROR),
            estimate(end + 0.12, _CHANGE_ERROR), _BLOCKS,
        )
        for kind, end in zip(kinds, after, strict=True)
    ]  # fmt: skip
    return conclude(estimate(-0.12, _EFFECT_ERROR), moves, TOLERANCE)


def learned_is_called_weak(seed: Seed) -> bool:
    """Whether a role is called weak, although a training brings it exactly to the tolerance."""
    return _conclusion(seed, (-TOLERANCE, -0.12)) == "weak"


def weak_is_called_unlearned(seed: Seed) -> bool:
    """Whether a role is called unlearned, although two trainings leave it below the tolerance, by however little."""
    return _conclusion(seed, (-TOLERANCE, -TOLERANCE)) == "unlearned"


def wrong_value_is_certain(seed: Seed) -> bool:
    """Whether a search is certain of a value that is not the nearest to the wanted share."""

    def measure(chosen: Sequence[int], first: int, last: int) -> list[Games]:
        numbers = np.random.default_rng([*seed, first]).random(last - first)
        return [_plain_games(first, numbers < _CHANCES[candidate]) for candidate in chosen]

    labels = [str(chance) for chance in _CHANCES]
    search = find_nearest(labels, [0.5], measure, lambda games: paired.seat_shares(games)[[0]], most_games=_MOST_GAMES)
    return search.certain and search.candidates[0].label != labels[_NEAREST]


def _plain_games(first: int, won: Any) -> Games:
    """Games of two seats, one a block, of which the first seat wins some."""
    world = World(2, (0.0, 0.0), (0.0, 0.0))
    (games,) = draw_games(world, 1, 1)
    ranks = np.where(won[:, None], [1, 2], [2, 1]).astype(np.int8)
    blocks = np.arange(first, first + len(won), dtype=np.int32)
    return replace(games[np.zeros(len(won), np.int64)], block=blocks, ranks=ranks)


def _shares_without(seed: Seed) -> list[paired.Contributions]:
    """The share of a role of 0.35 without each of several events, if every removal raises it to 0.45."""
    random = np.random.default_rng(seed)
    rows = 0.45 + 0.35 * (0.5 * random.normal(size=(_BLOCKS, 1)) + random.normal(size=(_BLOCKS, _EVENTS)))
    return [paired.Contributions(rows[:, [event]].mean(axis=0), rows[:, [event]]) for event in range(_EVENTS)]


def event_is_called_a_cause(seed: Seed) -> bool:
    """Whether any event is named as a cause, although every removal does the same."""
    beyond = beyond_the_others(_shares_without(seed))
    change = Estimate(0.1, 0.05, 0.15)
    named = [Cause("event", "x", 0, "x", change, change, 0.5, estimate, clear=True).specific for estimate in beyond]
    return any(named)


def _files(seed: Seed) -> tuple[list[dict[str, float]], np.random.Generator]:
    random = np.random.default_rng(seed)
    names = [f"group {number % 5}.{number}" for number in range(_NUMBERS)]
    numbers = random.integers(0, 5, (_FILES, _NUMBERS)).astype(np.float64)
    return [dict(zip(names, row.tolist(), strict=True)) for row in numbers], random


def _screened(files: Sequence[dict[str, float]], effects: Floats, seed: Seed) -> Any:
    open_effects = [Estimate(0.0, -0.1, 0.1)] * _ROLES
    errors = np.full(effects.shape, 0.01)
    roles = [f"role {role}" for role in range(_ROLES)]
    return screen(files, effects, errors, open_effects, roles, permutations=1, seed=seed[-1])


def value_is_named(seed: Seed) -> bool:
    """Whether any value is named on which an effect depends, although no value matters."""
    files, random = _files(seed)
    return any(role.named for role in _screened(files, random.standard_t(3, size=(_FILES, _ROLES)), seed))


def group_is_named(seed: Seed) -> bool:
    """Whether any group of values is named, although no value matters."""
    files, random = _files(seed)
    return any(role.named_groups for role in _screened(files, random.standard_t(3, size=(_FILES, _ROLES)), seed))


def value_is_found(seed: Seed) -> bool:
    """Whether a value is named that explains as much as the report says is found with a probability of 80 %."""
    files, random = _files(seed)
    correlation = findable(_FILES, _NUMBERS * _ROLES)
    name = next(iter(files[0]))
    random_numbers = random.normal(size=_FILES)
    for file, number in zip(files, random_numbers.tolist(), strict=True):
        file[name] = number
    effects = random.normal(size=(_FILES, _ROLES))
    effects[:, 0] = correlation * random_numbers + np.sqrt(1 - correlation**2) * effects[:, 0]
    return name in [found.name for found in _screened(files, effects, seed)[0].named]


_RARE = 1 - CONFIDENCE
STATEMENTS: tuple[Statement, ...] = (
    Statement("the interval of a role's strength contains it, at unequal seats", CONFIDENCE, 1.0, strength_is_covered),
    Statement("any pair is called a counter, where there is none", 0.0, _RARE, counter_is_claimed),
    Statement(
        "the interval of the part of component files contains it: 85 %, the rest of another kind", CONFIDENCE, 1.0,
        part_is_covered,
    ),
    Statement('"does not hold" on most files, where it holds on 71 %', 0.0, _RARE, finding_is_refused),
    Statement('"holds" on most files, where it holds on 63 %', 0.0, _RARE, finding_is_generalised),
    Statement('"weak", where a training brings the role to the tolerance', 0.0, _RARE, learned_is_called_weak),
    Statement('"unlearned", where two trainings leave the role below', 0.0, _RARE, weak_is_called_unlearned),
    Statement(
        "a search is certain of a wrong value, with candidates on both sides", 0.0, _RARE, wrong_value_is_certain
    ),
    Statement("any event is called a cause, where every removal does the same", 0.0, _RARE, event_is_called_a_cause),
    Statement("any value is named, where none matters", 0.0, _RARE, value_is_named),
    Statement("any group of values is named, where none matters", 0.0, _RARE, group_is_named),
    Statement("a value is named that explains as much as is said to be found in 80 %", 0.8, 1.0, value_is_found),
)  # fmt: skip

"""One scale for players of a task: random is 0, the champion 100, and the other references stand between.

A player alone against copies of a reference at a table of n wins with the probability

    p = strength / (strength + (n - 1) * strength of the reference)

(Luce 1959; with two players the model of Bradley and Terry, 1952). The strengths of the references follow from matches
of all pairs with equally many games, and are stored. A player meets each reference in equally many games, and its
strength is the one at which the expected win shares add up to those found. So the place of a player does not depend on
which references others met. Where the model is wrong, because a player does better against one reference and worse
against another than its strength says, the residuals show it.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from dunaia_env.harness.opponents import Agent
from dunaia_env.statistics.intervals import (
    CONFIDENCE,
    Estimate,
    Floats,
    resampled_sums,
    round_portably,
    tail_probability,
)
from dunaia_env.statistics.ratings import RATING_SAMPLES
from dunaia_env.support import atomic, typed_json
from training.benchmark.tasks import REFERENCES, NamedTask

FORMAT, VERSION = "dunaia-benchmark-references", 1
STORED = Path(__file__).with_name("references.json")
MOST_BYTES = 1 << 20
WORST, BEST = REFERENCES[0], REFERENCES[-1]
# Seeds of the games between references and of those that place a player.
REFERENCE_SEED, PLACING_SEED = 2_000_000, 3_000_000
# Games that a player is thought to have won and lost against each reference, half of each, so that a player that never
# wins has a place too.
PRIOR_GAMES = 1.0
_LONGEST = 60.0  # natural strengths lie within this distance of zero


class ScaleError(ValueError):
    """References that are not stored, or were measured for another version of the task; the message says which."""


@dataclass(frozen=True)
class References:
    """The references of a task and their strengths.

    Attributes:
        task: title of the task.
        hash: its hash.
        strengths: natural logarithms of the strengths, by reference; `WORST` has 0.
        games: games of each match between two references.
        residuals: win share minus expected win share of each reference (alone) against each other one, by both names.
    """

    task: str
    hash: str
    strengths: dict[str, float]
    games: int
    residuals: dict[str, dict[str, float]]

    def scaled(self, strength: float) -> float:
        """A natural strength on the scale of the task."""
        return 100 * (strength - self.strengths[WORST]) / (self.strengths[BEST] - self.strengths[WORST])


@dataclass(frozen=True)
class Place:
    """The place of a player on the scale of a task.

    Attributes:
        scale: the place, with its 95 % interval over games.
        shares: win share against each reference.
        residuals: win share minus expected win share against each reference.
        games: games against each reference.
    """

    scale: Estimate
    shares: dict[str, float]
    residuals: dict[str, float]
    games: int


def expected_shares(strength: Floats | float, others: Floats, players: int) -> Floats:
    """Win shares of a player alone against copies of others; the arguments broadcast against each other."""
    shares: Floats = expit(np.asarray(strength) - others - np.log(players - 1))
    return shares


def fit_references(shares: Floats, games: Floats, players: int) -> Floats:
    """Natural strengths of K agents by maximum likelihood, the first one 0.

    Args:
        shares: float64 ``(K, K)``: win share of the row's agent alone against copies of the column's.
        games: float64 ``(K, K)``: number of these games, 0 on the diagonal.
        players: number of players at the table.
    """
    count = len(shares)
    wins, total = shares * games + PRIOR_GAMES / players * (games > 0), games + PRIOR_GAMES * (games > 0)

    def loss(free: Floats) -> tuple[float, Floats]:
        strengths = np.concatenate([[0.0], free])
        logits = strengths[:, None] - strengths[None, :] - np.log(players - 1)
        surprises = wins - total * expit(logits)
        value = (total * np.logaddexp(0, logits) - wins * logits).sum()
        return float(value), -(surprises.sum(axis=1) - surprises.sum(axis=0))[1:]

    found = minimize(loss, np.zeros(count - 1), jac=True, method="BFGS", options={"gtol": 1e-6})
    return round_portably(np.concatenate([[0.0], found.x]), 6)


def strength_of(shares: Floats, others: Floats, players: int, games: float) -> Floats:
    """Natural strengths at which the expected win shares add up to those found, by bisection.

    Args:
        shares: float64 ``(..., K)``: win shares against K references.
        others: float64 ``(K,)``: natural strengths of the references.
        players: number of players at the table.
        games: games against each reference.
    """
    shrunk = (shares * games + PRIOR_GAMES / players) / (games + PRIOR_GAMES)
    wanted = shrunk.sum(axis=-1)
    low, high = np.full(wanted.shape, -_LONGEST), np.full(wanted.shape, _LONGEST)
    for _ in range(60):
        middle = (low + high) / 2
        above = expected_shares(middle[..., None], others, players).sum(axis=-1) > wanted
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return (low + high) / 2


def measure_references(task: NamedTask, games: int, report: Callable[[str], None] = lambda line: None) -> References:
    """Play all pairs of the references of a task, and fit their strengths."""
    tables, names = task.tables(), task.references
    shares, counts = np.zeros((len(names), len(names))), np.zeros((len(names), len(names)))
    # With two players, a match of a pair says the same about both.
    pairs = itertools.combinations if task.players == 2 else itertools.permutations
    for first, second in pairs(range(len(names)), 2):
        found = tables.block_shares(names[first], names[second], games, REFERENCE_SEED)
        shares[first, second], counts[first, second] = found.mean(), games
        report(f"{task.title}: {names[first]} against {names[second]}: {100 * found.mean():.1f} %")
        if task.players == 2:
            shares[second, first] = 1 - found.mean()
    strengths = fit_references(shares, counts, task.players)
    expected = expected_shares(strengths[:, None], strengths[None, :], task.players)
    residuals = round_portably(shares - expected, 4)
    return References(
        task.title,
        task.hash(),
        dict(zip(names, strengths.tolist(), strict=True)),
        games,
        {
            name: {other: float(residuals[row, column]) for column, other in enumerate(names) if other != name}
            for row, name in enumerate(names)
        },
    )


def write_references(path: Path, found: Sequence[References]) -> None:
    """Write the references of several tasks atomically."""
    content = {"format": FORMAT, "version": VERSION, "tasks": [asdict(one) for one in found]}
    atomic.write_text(path, json.dumps(content, indent=1) + "\n")


def read_references(path: Path = STORED) -> dict[str, References]:
    """The stored references by the title of their task; raises `ScaleError` for any other file."""
    try:
        content, _ = typed_json.read_versioned(path, FORMAT, VERSION, most=MOST_BYTES)
        found = [typed_json.build(References, one) for one in content["tasks"]]
    except (KeyError, TypeError, ValueError) as error:
        raise ScaleError(f"{path}: {error}") from error
    return {one.task: one for one in found}


@cache
def stored_references(title: str) -> References:
    """The stored references of the task with a title; raises `ScaleError` if there are none."""
    known = read_references()
    if title not in known:
        raise ScaleError(f"task {title}: expected one whose references are stored ({', '.join(known) or 'none'})")
    return known[title]


def references_of(task: NamedTask) -> References:
    """The stored references of a task; raises `ScaleError` if there are none, or those of other rules or agents."""
    found, now = stored_references(task.title), task.hash()
    if found.hash != now:
        raise ScaleError(f"{task.title}: expected references with the hash {now}, got {found.hash}")
    return found


def place_of(blocks: Mapping[str, Floats], references: References, players: int, *, seed: int = 0) -> Place:
    """The place of a player from its win shares in the blocks against each reference.

    Args:
        blocks: float64 ``(B,)`` by reference, equally many blocks for each.
        references: the references.
        players: number of players at the table.
        seed: seed of the resampling.
    """
    names = list(blocks)
    others = np.array([references.strengths[name] for name in names])
    count = len(blocks[names[0]])
    games = float(count * players)
    shares = np.array([blocks[name].mean() for name in names])
    strength = float(strength_of(shares, others, players, games))
    # Blocks against different references are independent, so each reference is resampled by itself.
    drawn = [
        resampled_sums(blocks[name][:, None], samples=RATING_SAMPLES, seed=seed + number)[:, 0]
        for number, name in enumerate(names)
    ]
    least = min(map(len, drawn))
    resampled = strength_of(np.stack([one[:least] / count for one in drawn], axis=1), others, players, games)
    ends = [np.nan, np.nan]
    if count > 1:
        tail = tail_probability(count, CONFIDENCE)
        ends = [references.scaled(float(end)) for end in np.quantile(resampled, [tail, 1 - tail])]
    residuals = round_portably(shares - expected_shares(strength, others, players), 4)
    scale = round_portably([references.scaled(strength), *ends], 6).tolist()
    return Place(
        Estimate(*scale),
        dict(zip(names, round_portably(shares).tolist(), strict=True)),
        dict(zip(names, residuals.tolist(), strict=True)),
        int(games),
    )


def place(player: Agent | str, task: NamedTask, games: int) -> Place:
    """Place a player, or the agent with a name, on the scale of a task by ``games`` games against each reference.

    The games are rounded up to whole blocks.
    """
    references, tables = references_of(task), task.tables()
    blocks = {name: tables.block_shares(player, name, games, PLACING_SEED) for name in task.references}
    return place_of(blocks, references, task.players)

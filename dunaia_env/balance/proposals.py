"""Proposals: which changes of numbers may be tried, and which of them promise most."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dunaia_env.balance.games import Floats
from dunaia_env.balance.outcomes import Change, Changes
from dunaia_env.balance.robustness import find_long_lists
from dunaia_env.harness import opponents
from dunaia_env.harness.components import begins
from dunaia_env.harness.game import Game

# How far a number may be moved, in steps.
MOST_STEPS = 3
# Numbers that are changed in a file of the screening.
CHANGED_AT_ONCE = 8
# Numbers in a list of lists name places or pieces; more of them is no larger amount.
_PLACE = re.compile(r"\.\d+\.\d+$")
_DRAWS = 200  # tries to draw a file that is allowed
_BEAM = 150


@dataclass(frozen=True)
class Proposal:
    """Changes, and the effects of R roles at T tables with them.

    Attributes:
        changes: the changed numbers.
        effects: float64 ``(T, R)``, win share minus fair share.
    """

    changes: Changes
    effects: Floats

    @property
    def size(self) -> float:
        """How large the change is: the sum of the sizes of its parts."""
        return sum(change.size for change in self.changes)


def allowed_changes(game: Game, base: Any, agent: str, values: Sequence[str] = ()) -> dict[str, tuple[Change, ...]]:
    """The changes of every number that the game and the agent accept, by path.

    Args:
        game: the game.
        base: the components.
        agent: name of an agent that has to know the changed components.
        values: paths, or beginnings of paths, that may be changed; empty for all.

    Raises `ValueError` if a text of ``values`` is the beginning of no path, or nothing can be changed.
    """
    found = game.require("values_of")(base)
    lists = find_long_lists(found)
    numbers = {
        path: value
        for path, value in found.items()
        if isinstance(value, int) and not _PLACE.search(path) and not any(begins(path, one) for one in lists)
    }
    for text in values:
        if not any(begins(path, text) for path in numbers):
            raise ValueError(f"values: expected the beginning of a path such as {next(iter(numbers))}, got {text!r}")
    changes: dict[str, tuple[Change, ...]] = {}
    for path, before in numbers.items():
        if values and not any(begins(path, text) for text in values):
            continue
        after = [
            before + step
            for step in range(-MOST_STEPS, MOST_STEPS + 1)
            if step and is_known(game, base, agent, {path: before + step})
        ]
        changes[path] = tuple(Change(path, before, value, abs(value - before) / MOST_STEPS) for value in after)
    allowed = {path: several for path, several in changes.items() if several}
    if not allowed:
        raise ValueError(f"values: {agent} knows no file with another value of any of these numbers")
    return allowed


def values_of(changes: Changes) -> dict[str, int]:
    """The new values of changes by path, as `dunaia_env.harness.game.Game.change` takes them."""
    return {change.path: change.after for change in changes}


def is_known(game: Game, base: Any, agent: str, values: dict[str, int]) -> bool:
    """Whether the components with new values are allowed, and an agent can play with them."""
    try:
        opponents.load(agent, game=game, components=game.require("change")(base, values))
    except ValueError:
        return False
    return True


def draw_screening(
    game: Game, base: Any, agent: str, allowed: dict[str, tuple[Change, ...]], files: int, seed: int
) -> list[Changes]:
    """Files in which a few numbers are changed at random, all of them allowed; the same for the same seed."""
    random = np.random.default_rng(seed)
    paths = list(allowed)
    drawn: list[Changes] = []
    for _ in range(files):
        for _ in range(_DRAWS):
            chosen = random.permutation(len(paths))[: min(CHANGED_AT_ONCE, len(paths))]
            changes = tuple(
                allowed[paths[place]][int(random.integers(len(allowed[paths[place]])))] for place in sorted(chosen)
            )
            if is_known(game, base, agent, values_of(changes)):
                drawn.append(changes)
                break
    if not drawn:
        raise ValueError(f"values: no file in which several of these numbers are changed is known to {agent}")
    return drawn


def steps_of(files: Sequence[Changes], paths: Sequence[str]) -> Floats:
    """By how many steps each of P numbers is moved in each of K files, float64 ``(K, P)``."""
    steps = np.zeros((len(files), len(paths)))
    places = {path: place for place, path in enumerate(paths)}
    for row, changes in zip(steps, files, strict=True):
        for change in changes:
            row[places[change.path]] = change.after - change.before
    return steps


def propose(
    allowed: dict[str, tuple[Change, ...]],
    expected: Callable[[Sequence[Changes]], Floats],
    chosen: Sequence[int],
    within: float,
    most: int,
    count: int = _BEAM,
) -> list[Proposal]:
    """The most promising changes by their expected effects, the best first.

    Args:
        allowed: the changes of every number.
        expected: gives the expected effects of N changes, float64 ``(N, T, R)``.
        chosen: columns of the roles that are to be fair.
        within: the tolerance of the expected effects.
        most: largest number of changed numbers.
        count: largest number of proposals.
    """
    singles = [change for several in allowed.values() for change in several]
    columns = list(chosen)

    def key(proposal: Proposal) -> tuple[float, ...]:
        return rank(proposal, columns, within)

    found: list[Proposal] = []
    beam: list[Changes] = [()]
    for _ in range(most):
        extended = sorted(
            {
                tuple(sorted((*start, single)))
                for start in beam
                for single in singles
                if single.path not in {change.path for change in start}
            }
        )
        if not extended:
            break
        proposals = [Proposal(*pair) for pair in zip(extended, expected(extended), strict=True)]
        found = sorted([*found, *proposals], key=lambda one: (*key(one), one.changes))[:count]
        # The next number may repair what is left, so the nearest go on, whatever their size.
        proposals.sort(key=lambda one: (_outside(one.effects, columns, 0.0), one.changes))
        beam = [one.changes for one in proposals[:_BEAM]]
    return found


def rank(proposal: Proposal, columns: Sequence[int], within: float) -> tuple[float, ...]:
    """Sorts proposals: first how far outside the tolerance, then how many numbers, how much, and what else it moves."""
    others = [column for column in range(proposal.effects.shape[1]) if column not in columns]
    harm = float(np.maximum(np.abs(proposal.effects[:, others]) - within, 0.0).sum()) if others else 0.0
    outside = _outside(proposal.effects, columns, within)
    return round(outside, 6), len(proposal.changes), round(proposal.size, 6), round(harm, 6)


def _outside(effects: Floats, columns: Sequence[int], within: float) -> float:
    """How far the farthest of some roles lies outside the tolerance, at any table."""
    return max(0.0, float(np.abs(effects[:, list(columns)]).max()) - within)

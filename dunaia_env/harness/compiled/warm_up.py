"""Ahead-of-time compilation in two groups: code that plays games, and code for search, greedy play and luck.

Nothing is run. Each function is compiled for the argument types with which the layers above call it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.compiled import entry_points as calls, features, guided, lane, luck, random_play, rewards
from dunaia_env.harness.compiled.chance import CHANCE_SIZE, game_seed, random_below
from dunaia_env.harness.compiled.greedy import choose_greedy, choose_greedy_one
from dunaia_env.harness.compiled.search import grow_tree, search_seed, value_actions
from dunaia_env.support.compile_cache import Step, compile_now, is_compiled

_TABLE = np.zeros(calls.TABLE_SIZE, np.int64)
_STATE, _STATES = np.zeros(1, np.uint8), np.zeros((1, 1), np.uint8)
_LEGAL, _LEGALS = np.zeros(1, np.int16), np.zeros((1, 1), np.int16)
_MASKS, _SEEN = np.zeros((1, 1), np.int8), np.zeros((1, 1), np.int8)
_LANES = np.zeros((1, lane.LANE_SIZE), np.uint8)
_SELECTED, _ACTIONS = np.zeros(1, np.int64), np.zeros(1, np.int32)
_CHANCE = np.zeros(CHANCE_SIZE, np.int64)
_OPTIONS = np.zeros(calls.MOST_OPTIONS, np.int64)
_FLOATS, _ROWS, _CUBE = np.zeros(1), np.zeros((1, 1)), np.zeros((1, 1, 1))


def compiling(function: Any, *arguments: Any) -> Step:
    """A step that compiles a kernel for the types of the arguments."""
    return lambda: function.compile(tuple(numba.typeof(argument) for argument in arguments))


def _as_rows(components: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The components as lanes hand them to kernels: a read-only row."""
    rows = components[None].copy()
    rows.flags.writeable = False
    return rows


def playing_steps(components: NDArray[np.uint8]) -> list[Step]:
    """The steps for lanes and single games; ``components`` are bytes."""
    games = _TABLE, _STATES, _LANES, _as_rows(components)
    shown = _LEGALS, _MASKS, _SEEN, _SELECTED, 0, 1
    counts = np.zeros((1, 1), np.int64)
    scores, ranks, ending = (
        np.zeros(calls.MOST_SEATS, calls.SCORE_TYPE),
        np.zeros(calls.MOST_SEATS, np.int8),
        np.zeros(calls.ENDING_SIZE, np.int32),
    )
    return [
        compiling(calls.begin, _TABLE, _STATE, components, _CHANCE, _OPTIONS, _LEGAL),
        compiling(calls.play, _TABLE, _STATE, components, _CHANCE, 0, _LEGAL),
        compiling(calls.list_legal, _TABLE, _STATE, components, _LEGAL),
        compiling(calls.resample, _TABLE, _STATE, components, _CHANCE, 0),
        compiling(calls.observe, _TABLE, _STATE, components, 0, _SEEN[0]),
        compiling(calls.write_results, _TABLE, _STATE, components, scores, ranks, ending),
        compiling(lane.begin_lanes, *games, *shown),
        compiling(lane.step_lanes, *games, _ACTIONS, *shown),
        compiling(lane.refresh_lanes, *games, *shown),
        compiling(lane.choose_random, _LANES, _LEGALS, 0, _SELECTED, _ACTIONS),
        compiling(lane.first_illegal, _LANES, _ACTIONS, _LEGALS, _SELECTED),
        compiling(lane.first_misplaced, _SELECTED, np.zeros(1, np.bool_)),
        compiling(lane.reward_lanes, _LANES, 0, np.zeros((1, 1), np.float32)),
        compiling(rewards.write_rewards, 0, counts, counts, _SELECTED, _ROWS),
        compiling(game_seed, 0, 0, 0),
        compiling(random_below, 0, 0, 0, 0, 0),
    ]


def evaluating_steps(components: NDArray[np.uint8]) -> list[Step]:
    """The steps for greedy play, search, luck and the tuning of an evaluation; ``components`` are bytes."""
    games = _TABLE, _STATES, _LANES, _as_rows(components)
    position = _TABLE, _STATE, components
    shares = np.zeros(calls.MOST_SEATS)
    search = _TABLE, _STATES, _as_rows(components), _FLOATS, np.zeros((1, guided.ROOT_SIZE), np.uint8)
    ranking = np.zeros((1, 1), np.int16), _ROWS, _ROWS
    trees, logits = np.zeros((1, guided.NODE_SIZE), np.uint8), np.zeros((1, 1, 1), np.float32)
    leaves, answers = np.zeros((1, guided.LEAF_SIZE), np.int32), np.zeros((1, 1), np.float32)
    counts = np.zeros((1, 1), np.int64)
    return [
        compiling(calls.write_shares, *position, _FLOATS, shares),
        compiling(choose_greedy, *games, _FLOATS, 0, _LEGALS, _SELECTED, _ACTIONS),
        compiling(choose_greedy_one, *position, _FLOATS, 0, _LEGAL, 1),
        compiling(search_seed, _STATE, 0),
        compiling(grow_tree, *position, _FLOATS, _FLOATS, 0, 0, 1, _STATE, 1),
        compiling(value_actions, *position, _FLOATS, _FLOATS, 0, 1, _LEGAL, 1, _ROWS),
        compiling(guided.begin, *search[:4], 0, search[4], ranking, trees, leaves, _SEEN),
        compiling(guided.back_up, *search, ranking, trees, logits, leaves, 1, answers, answers),
        compiling(guided.descend, *search, ranking, trees, logits, leaves, _SEEN),
        compiling(guided.read_roots, *search, ranking, trees, logits, _SELECTED, counts, counts, _CUBE, _ROWS, _ROWS),
        compiling(luck.write_luck, *games, _FLOATS, 1, _LEGALS, _SELECTED, _ACTIONS, _ROWS),
        compiling(features.describe_lanes, *games, _FLOATS, 0, _LEGALS, _SELECTED, _CUBE, counts),
        compiling(random_play.random_game, *position, _CHANCE, 0, _LEGAL),
        compiling(random_play.random_games, _TABLE, components, 0, 1, _OPTIONS),
    ]


_LONGEST_FIRST = (
    calls.PLAY,
    calls.LEGAL,
    calls.RESAMPLE,
    calls.OBSERVE,
    calls.BEGIN,
    calls.RESULTS,
    calls.PREFERENCES,
    calls.VALUE,
    calls.FEATURES,
    calls.SHARES,
    calls.SIMPLIFY,
)

GROUPS = {"play": "the game", "evaluation": "search and evaluation"}


def steps_of(group: str, entry_points: calls.EntryPoints, components: NDArray[np.uint8]) -> list[Step]:
    """The steps that compile a group, those that take longest first."""
    evaluation = group == "evaluation"
    # Listing legal actions is compiled together with `play`, which takes far longer than anything else.
    places = sorted(entry_points.places(evaluation=evaluation), key=_LONGEST_FIRST.index)
    loops = evaluating_steps(components) if evaluation else playing_steps(components)
    return [*(partial(entry_points.compile, place) for place in places), *loops]


def compile_group(
    group: str, entry_points: calls.EntryPoints, components: NDArray[np.uint8], name: str, helper: Sequence[str]
) -> None:
    """Compile a group of functions for a game unless that was done before.

    Args:
        group: one of `GROUPS`.
        entry_points: the game's entry points.
        components: the components, as bytes.
        name: the game's name.
        helper: the command that runs the steps in a second process, the last one first.
    """
    if not is_compiled(f"{name}-{group}"):
        compile_now(f"{name}-{group}", GROUPS[group], steps_of(group, entry_points, components), helper)
    if group == "evaluation":
        entry_points.for_evaluation()
    else:
        entry_points.for_play()

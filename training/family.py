"""Lanes with component files of a family: which lanes, and which files.

One network then learns to play with all files of the family: it sees what differs between them in its observations. The
other lanes play the run's own component file, so that it learns that one best.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.families import Family
from dunaia_env.harness.game import Game
from dunaia_env.support.messages import MOST_OF_A_TEXT, reason, shorten

# In place of a path: the game's own family.
OWN = "own"


def load_family(game: Game, source: str) -> Family:
    """The family of an option ``--family``; raises `ValueError` naming the option and why there is none."""
    try:
        return game.check_family()(None if source == OWN else source)
    except ValueError as error:
        raise ValueError(f"family: {shorten(source, MOST_OF_A_TEXT)}: {reason(error, MOST_OF_A_TEXT)}") from error


def choose_lanes(share: float, kinds: int, past_tables: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The lanes that play files of a family, bool ``(N,)``: ``share`` of them, always the same.

    They are ``share`` of the lanes of each kind of table, with and without past players, too; less than one lane more
    or fewer.

    Args:
        share: 0..1.
        kinds: number of kinds of tables; lane i is of kind ``i % kinds``, see `dunaia_env.harness.dealing.for_lanes`.
        past_tables: bool ``(N,)``, the lanes with past players, see `training.past_players.choose_tables`.
    """
    lanes = len(past_tables)
    alike = np.argsort(np.arange(lanes) % kinds + kinds * past_tables, kind="stable")
    # Of lanes that are alike, one is chosen whenever their number times the share passes the next half.
    passed = np.floor(np.arange(lanes + 1) * share + 0.5)
    chosen = np.zeros(lanes, np.bool_)
    chosen[alike] = np.diff(passed) > 0
    return chosen


def files_of(own: Any, family: Family, chosen: NDArray[np.bool_], seed: int, lanes: Iterable[int]) -> list[Any]:
    """The component files of some lanes: of the family where it is chosen, else the run's own.

    Args:
        own: the run's own components.
        family: the family.
        chosen: bool, of all lanes of the run, see `choose_lanes`.
        seed: of the run; together with a lane's number it determines the lane's file.
        lanes: numbers of the lanes.
    """
    return [family.sample(_seed_of(seed, lane)) if chosen[lane] else own for lane in lanes]


def _seed_of(seed: int, lane: int) -> int:
    return int(np.random.SeedSequence(seed, spawn_key=(lane,)).generate_state(1)[0])

"""Lanes that play members of a family of component files: which lanes, and which members.

In this way one network learns to play with all members of the family, whose differences it sees in its observations.
The other lanes play the run's own component file, so that the network learns that file best.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.families import Family
from dunaia_env.harness.game import Game
from dunaia_env.support.messages import MOST_OF_A_TEXT, reason, shorten

# Component files that no training has met, with which players of the family are judged.
HELD_OUT = Path(__file__).resolve().parent / "studies" / "held_out"
# In place of a path: the game's own family.
OWN = "own"


def load_family(game: Game, source: str, values: Sequence[str] = ()) -> Family:
    """The family that ``--family`` names, in which only ``values`` vary if there are any.

    Raises `ValueError` naming the option and why there is no such family.
    """
    try:
        family = game.require("load_family")(None if source == OWN else source)
        return family.narrowed(values) if values else family
    except ValueError as error:
        raise ValueError(f"family: {shorten(source, MOST_OF_A_TEXT)}: {reason(error, MOST_OF_A_TEXT)}") from error


def choose_lanes(share: float, kinds: int, other_tables: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The lanes that play members of a family, bool ``(N,)``: a share of all lanes, always the same ones.

    Among the lanes of each kind of table, with or without past players or rivals, the share is the same to within one
    lane.

    Args:
        share: 0..1.
        kinds: number of kinds of tables; lane i is of kind ``i % kinds``, see `dunaia_env.harness.dealing.for_lanes`.
        other_tables: bool ``(N,)``, the lanes with past players or rivals, see `training.past_players.choose_tables`.
    """
    lanes = len(other_tables)
    alike = np.argsort(np.arange(lanes) % kinds + kinds * other_tables, kind="stable")
    # In this order, a lane is chosen whenever the number of lanes so far, times the share, passes 0.5, 1.5, 2.5, ...
    passed = np.floor(np.arange(lanes + 1) * share + 0.5)
    chosen = np.zeros(lanes, np.bool_)
    chosen[alike] = np.diff(passed) > 0
    return chosen


def files_of(own: Any, family: Family, chosen: NDArray[np.bool_], seed: int, lanes: Iterable[int]) -> list[Any]:
    """The component files of some lanes: a member of the family for a chosen lane, else the run's own.

    Args:
        own: the run's own components.
        family: the family.
        chosen: bool, for each lane of the run, see `choose_lanes`.
        seed: seed of the run; together with a lane's number it determines the lane's member.
        lanes: numbers of the lanes.
    """
    return [family.sample(_seed_of(seed, lane)) if chosen[lane] else own for lane in lanes]


def _seed_of(seed: int, lane: int) -> int:
    return int(np.random.SeedSequence(seed, spawn_key=(lane,)).generate_state(1)[0])

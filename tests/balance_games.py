"""Hand-made games for the tests of the balance laboratory."""

from __future__ import annotations

from typing import Any

import numpy as np

from dunaia_env.balance.games import CURVE_ROUNDS, Games

_KINDS = {
    "block": np.int32,
    "order": np.int16,
    "roles": np.int8,
    "ranks": np.int8,
    "scores": np.int32,
    "rounds": np.int16,
    "stopped": np.bool_,
    "decisions": np.int32,
    "curve": np.int16,
    "uses": np.int16,
    "offered": np.uint16,
    "events": np.int16,
    "first_round": np.int16,
    "first_seat": np.int8,
}


def games_of(scores: Any, **arrays: Any) -> Games:
    """Games with these final scores ``(G, S)``, one in each block unless told; ranks follow from the scores.

    ``curve`` may be given as the scores at the starts of the first rounds ``(G, K, S)``; the rest repeats the final
    scores.
    """
    found = np.asarray(scores)
    count, seats = found.shape
    ranks = 1 + (found[:, None, :] > found[:, :, None]).sum(axis=2)
    curve = np.repeat(found[:, None, :], CURVE_ROUNDS, axis=1)
    begun = np.asarray(arrays.pop("curve", np.zeros((count, 0, seats))))
    curve[:, : begun.shape[1]] = begun
    events = int(np.asarray(arrays.get("first_seat", np.zeros((count, 0)))).shape[1])
    plain: dict[str, Any] = {
        "block": np.arange(count),
        "order": np.zeros(count),
        "roles": np.full((count, seats), -1),
        "ranks": ranks,
        "scores": found,
        "rounds": np.full(count, max(1, begun.shape[1])),
        "stopped": np.zeros(count),
        "decisions": np.full(count, 100),
        "curve": curve,
        "uses": np.zeros((count, seats)),
        "offered": np.zeros((count, seats)),
        "events": np.zeros((count, seats, events)),
        "first_round": np.zeros((count, seats, events)),
        "first_seat": np.full((count, events), -1),
    }
    return Games(**{name: np.asarray(value).astype(_KINDS[name]) for name, value in (plain | arrays).items()})

"""What the layers above know about the events of a game: kinds of actions that may carry an advantage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

NO_EVENT = -1


class Events(NamedTuple):
    """The events of a game, numbered from 0. An action of the deciding seat is at most one event.

    Attributes:
        names: for each event, what a seat does, as a clause: "buys a house".
        of: takes states ``(N, state_size)``, the components of all of them, and actions ``(N,)``; returns the event of
            each action, int8 ``(N,)``, or `NO_EVENT`.
        exchange: takes a state ``(state_size,)`` and two seats; returns a state in which these seats have exchanged
            everything that lies in front of them.
    """

    names: tuple[str, ...]
    of: Callable[[Bytes, Any, NDArray[np.integer]], NDArray[np.int8]]
    exchange: Callable[[Bytes, int, int], Bytes]

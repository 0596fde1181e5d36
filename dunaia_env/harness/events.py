"""What the layers above know of the events of a game: kinds of actions that may carry an advantage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

NO_EVENT = -1


class Events(NamedTuple):
    """The events of a game, by number from 0. An action of the deciding seat is one event at most.

    Attributes:
        names: of each event, what a seat does, a clause: "buys a house".
        of: the event of each action, int8 ``(N,)``, `NO_EVENT` for none; of states ``(N, state_size)``, the components
            of all of them, and actions ``(N,)``.
        exchange: a state ``(state_size,)`` in which two seats have exchanged all that lies before them.
    """

    names: tuple[str, ...]
    of: Callable[[Bytes, Any, NDArray[np.integer]], NDArray[np.int8]]
    exchange: Callable[[Bytes, int, int], Bytes]

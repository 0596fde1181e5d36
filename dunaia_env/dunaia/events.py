"""Events that may bring an advantage (purchases of tiles and calls of elders), and the exchange of two seats."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dunaia.actions import ARGUMENTS, CALL_FIRST, FIRST_OF, SEARCH_FIRST, START_FIRST
from dunaia_env.dunaia.components import GAIN_NAMES, Components
from dunaia_env.dunaia.state import ELDER_NAMES, FOUND_OFFER, LEVELS, NONE, RESERVED_OFFER, STATE_DTYPE
from dunaia_env.harness.events import NO_EVENT, Events

Bytes = NDArray[np.uint8]

# Kinds of tiles: a level and the gain of the effect, `NONE` for tiles without an effect.
_KINDS: tuple[tuple[int, int], ...] = (
    *((0, GAIN_NAMES.index(gain)) for gain in ("flowers", "moves", "advances", "chips")),
    *((1, GAIN_NAMES.index(gain)) for gain in ("flowers", "chips", "moves")),
    (2, NONE),
)
_FIRST_ELDER = len(_KINDS)


def _tile_name(level: int, effect: int) -> str:
    kind = "" if effect == NONE else f"{GAIN_NAMES[effect]} "
    return f"buys a level {level + 1} {kind}tile"


NAMES = (*(_tile_name(*kind) for kind in _KINDS), *(f"calls the {name} elder" for name in ELDER_NAMES))


def of(states: Bytes, components: Components, actions: NDArray[np.integer]) -> NDArray[np.int8]:
    """The event of each action, int8 ``(N,)``; see `dunaia_env.harness.events.Events`.

    A tile found by the Search elder counts as bought when it is taken from its pile, because placing it is binding.
    """
    records = np.ascontiguousarray(states).view(STATE_DTYPE)[:, 0]
    verbs, arguments = FIRST_OF[actions], ARGUMENTS[actions, 0].astype(np.int64)
    rows = np.arange(len(records))
    events = np.full(len(records), NO_EVENT, np.int8)

    starts, searches, calls = verbs == START_FIRST, verbs == SEARCH_FIRST, verbs == CALL_FIRST
    offers = np.where(starts, arguments, 0)
    level, from_pile = np.minimum(offers // 2, LEVELS - 1), offers % 2 == 1
    tiles = np.where(from_pile, records["pile_top"][rows, level], records["display"][rows, level]).astype(np.int64)
    reserved = records["players"]["reserved"][rows, np.maximum(records["seat"], 0)]
    tiles = np.where(offers == RESERVED_OFFER, reserved, tiles)
    tiles = np.where(searches, arguments, tiles)
    buys = searches | (starts & (offers != FOUND_OFFER))
    values = components.record[0]
    for event, (kind_level, effect) in enumerate(_KINDS):
        matches = buys & (values["level"][tiles] == kind_level) & (values["effect"][tiles] == effect)
        events[matches] = event

    spaces = np.where(calls, arguments, 0)
    return np.where(calls, _FIRST_ELDER + records["elders"][rows, spaces], events).astype(np.int8)


def exchange(state: Bytes, one: int, other: int) -> Bytes:
    """A copy of a state in which two seats have exchanged villages, holdings, characters and prophecies.

    Dice in the pool stay with the seats.
    """
    changed = state.copy()
    record = changed.view(STATE_DTYPE)[0]
    players, owners = record["players"], record["prophecy_owners"]
    players[[one, other]] = players[[other, one]]
    exchanged = owners.copy()
    exchanged[owners == one], exchanged[owners == other] = other, one
    owners[:] = exchanged
    return changed


EVENTS = Events(names=NAMES, of=of, exchange=exchange)

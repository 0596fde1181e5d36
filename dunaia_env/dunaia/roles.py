"""The elite characters as roles whose balance can be judged: which seat holds which, and when a power is used."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dunaia.actions import (
    AWAKEN_FIRST,
    MOVE_FIRST,
    PASS,
    PLUG_FIRST,
    RESERVE_FIRST,
    START_FIRST,
    TAKE_FLIPPED_FIRST,
    USE_POWER,
)
from dunaia_env.dunaia.components import Components
from dunaia_env.dunaia.state import (
    ARCHITECT,
    CHARACTER_NAMES,
    CHARACTERS,
    DRAFT,
    END_TURN,
    FOREMAN,
    MERCHANT,
    MYSTIC,
    SHEPHERD,
    STATE_DTYPE,
    TRICKSTER,
)
from dunaia_env.harness.roles import NOBODY, Roles

Bytes = NDArray[np.uint8]

# The digit that stands for a seat without a character in the option `characters`.
NO_CHARACTER = CHARACTERS + 1


def held(states: Bytes) -> NDArray[np.int8]:
    """The character of each seat, int8 ``(N, MAX_PLAYERS)``, `NOBODY` for none."""
    characters: NDArray[np.int8] = _records(states)["players"]["character"]
    return characters


def offered(states: Bytes) -> NDArray[np.bool_]:
    """The characters that the deciding player may draft, bool ``(N, CHARACTERS)``."""
    records = _records(states)
    drafting: NDArray[np.bool_] = (records["decision"] == DRAFT)[:, None] & (records["characters_available"] == 1)
    return drafting


def uses_power(states: Bytes, components: Components, actions: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Whether an action uses the power of the deciding player's character, bool ``(N,)`` (rules, section 5).

    Merchants use their power whenever they buy a tile, unless the discount is 0; architects, when they reserve a tile.
    """
    records = _records(states)
    actions = np.asarray(actions)
    character = held(states)[np.arange(len(states)), records["seat"]]
    buys = (actions >= START_FIRST) & (actions < MOVE_FIRST)
    moves = (actions >= MOVE_FIRST) & (actions < PLUG_FIRST)
    used_by = {
        MERCHANT: buys & bool(components.record["merchant_discount"][0]),
        TRICKSTER: (actions >= TAKE_FLIPPED_FIRST) & (actions < AWAKEN_FIRST),
        FOREMAN: actions == USE_POWER,
        MYSTIC: actions == USE_POWER,
        SHEPHERD: moves & (records["decision"] == END_TURN),
        ARCHITECT: (actions >= RESERVE_FIRST) & (actions < PASS),
    }
    used = np.zeros(len(states), np.bool_)
    for one, uses in used_by.items():
        used |= (character == one) & uses
    return used


def assigned(roles: Sequence[int]) -> dict[str, int]:
    """The options of `dunaia_env.dunaia.assigned` that give each seat its character, or none for `NOBODY`.

    Raises `ValueError` for an unknown character, or one that two seats have.
    """
    for role in roles:
        if not NOBODY <= role < CHARACTERS:
            raise ValueError(f"characters: {role}; {NOBODY}..{CHARACTERS - 1} are needed")
    named = [role for role in roles if role != NOBODY]
    if len(set(named)) < len(named):
        raise ValueError(f"characters: {tuple(roles)}; each can be held once")
    digits = "".join(str(NO_CHARACTER if role == NOBODY else role + 1) for role in roles)
    return {"elites": True, "characters": int(digits)}


ROLES = Roles(
    title="elite character",
    names=CHARACTER_NAMES,
    drafted={"elites": True},
    absent={"elites": False},
    assigned_game="dunaia_assigned",
    assigned=assigned,
    held=held,
    offered=offered,
    uses_power=uses_power,
    seat_note="Seat 0 begins the first round.",
)


def _records(states: Bytes) -> NDArray[np.void]:
    records: NDArray[np.void] = np.ascontiguousarray(states).view(STATE_DTYPE)[:, 0]
    return records

"""The elite characters as roles whose balance can be judged: which seat holds which, and when a power is used."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dunaia import state as layout
from dunaia_env.dunaia.actions import FIRST_OF, MOVE_FIRST, RESERVE_FIRST, START_FIRST, TAKE_FLIPPED_FIRST, USE_POWER
from dunaia_env.dunaia.components import Components
from dunaia_env.harness.roles import NOBODY, Roles

Bytes = NDArray[np.uint8]

# The digit that stands for a seat without a character in the option `characters`.
NO_CHARACTER = layout.CHARACTERS + 1


def held(states: Bytes) -> NDArray[np.int8]:
    """The character of each seat, int8 ``(N, MAX_PLAYERS)``, `NOBODY` for none."""
    characters: NDArray[np.int8] = _records(states)["players"]["character"]
    return characters


def offered(states: Bytes) -> NDArray[np.bool_]:
    """The characters that the deciding player may draft, bool ``(N, CHARACTERS)``."""
    records = _records(states)
    drafting: NDArray[np.bool_] = (records["decision"] == layout.DRAFT)[:, None] & (
        records["characters_available"] == 1
    )
    return drafting


def uses_power(states: Bytes, components: Components, actions: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Whether an action uses the power of the deciding player's character, bool ``(N,)``.

    Merchants use their power whenever they buy a tile, unless the discount is 0; architects, when they reserve a tile.
    """
    records = _records(states)
    verbs = FIRST_OF[actions]
    character = held(states)[np.arange(len(states)), records["seat"]]
    used_by = {
        layout.MERCHANT: (verbs == START_FIRST) & bool(components.record["merchant_discount"][0]),
        layout.TRICKSTER: verbs == TAKE_FLIPPED_FIRST,
        layout.FOREMAN: verbs == USE_POWER,
        layout.MYSTIC: verbs == USE_POWER,
        layout.SHEPHERD: (verbs == MOVE_FIRST) & (records["decision"] == layout.END_TURN),
        layout.ARCHITECT: verbs == RESERVE_FIRST,
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
        if not NOBODY <= role < layout.CHARACTERS:
            raise ValueError(f"characters: expected {NOBODY}..{layout.CHARACTERS - 1}, got {role}")
    named = [role for role in roles if role != NOBODY]
    if len(set(named)) < len(named):
        raise ValueError(f"characters: {tuple(roles)}; each can be held once")
    digits = "".join(str(NO_CHARACTER if role == NOBODY else role + 1) for role in roles)
    return {"elites": True, "characters": int(digits)}


ROLES = Roles(
    title="elite character",
    names=layout.CHARACTER_NAMES,
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
    records: NDArray[np.void] = np.ascontiguousarray(states).view(layout.STATE_DTYPE)[:, 0]
    return records

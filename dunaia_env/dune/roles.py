"""The factions as roles whose balance can be judged: which seat plays which, and when a power is used.

The roles are the six factions of the base game. In `dunaia_env.dune.with_tleilax`, the game in which the Bene Tleilax
can be drawn, they are a seventh role.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dune import actions as verbs, decisions, state as layout
from dunaia_env.dune.components import Components
from dunaia_env.harness.roles import NOBODY, Roles

Bytes = NDArray[np.uint8]

_NAMES = layout.FACTION_NAMES[: layout.TLEILAX]
_UNCHANGED = verbs.NUMBER_FIRST + 1  # TAMPER: the leader stays as it was


def held(states: Bytes) -> NDArray[np.int8]:
    """The faction of each seat, int8 ``(N, MAX_PLAYERS)``; `NOBODY` without powers, since only powers make roles."""
    records = _records(states)
    there = (np.arange(layout.MAX_PLAYERS) < records["num_players"][:, None]) & (records["powers"] != 0)[:, None]
    factions: NDArray[np.int8] = np.where(there, records["players"]["faction"], np.int8(NOBODY))
    return factions


def offered(states: Bytes) -> NDArray[np.bool_]:
    """The factions that the deciding seat may choose: none, bool ``(N, 6)``; factions are drawn or given."""
    return np.zeros((len(states), len(_NAMES)), np.bool_)


def uses_power(states: Bytes, components: Components, actions: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Whether an action uses a power of the deciding seat's faction, bool ``(N,)``. Only optional powers count.

    - Atreides see a part of a battle plan.
    - Harkonnen take cards from a hand by a Karama.
    - The Emperor gives an ally spice, or fetches tokens or a leader by a Karama.
    - Fremen land, which costs them nothing; ride a worm; call one by a Karama.
    - The Guild lands at half the price, lifts tokens, or stops a shipment by a Karama.
    - The Bene Gesserit speak with the Voice, go with a shipment, and use a worthless card as a Karama.
    - The Bene Tleilax name a price for a dead leader, change one, or stop revival by a Karama.

    Powers that work by themselves, such as the sight of cards on sale, the payments to the Emperor or Harkonnen's
    second card, are no actions and are not counted.
    """
    records, actions = _records(states), np.asarray(actions)
    rows = np.arange(len(records))
    seats = records["seat"].astype(np.int64)
    faction, decision = held(states)[rows, seats], records["decision"]
    hand = records["players"]["hand"][rows, seats]

    def at(asked: int) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = decision == asked
        return found

    karama, said_yes = actions == verbs.USE_KARAMA, actions == verbs.YES
    lands = at(decisions.SHIP) & (actions >= verbs.CELL_FIRST) & (actions < verbs.TERRITORY_FIRST)
    lifts = at(decisions.SHIP) & (actions >= verbs.TERRITORY_FIRST)
    revives = at(decisions.REVIVAL_CARDS) & karama
    worthless = karama & (hand[:, layout.WORTHLESS] > 0)
    used_by = {
        layout.ATREIDES: at(decisions.PRESCIENCE) & ((actions >= verbs.SEE_FIRST) | karama),
        layout.HARKONNEN: revives,
        layout.EMPEROR: (at(decisions.GIFT) & (actions > verbs.NUMBER_FIRST)) | revives,
        layout.FREMEN: lands | (at(decisions.RIDE) & (actions != verbs.PASS)) | (at(decisions.BLOW_CARDS) & karama),
        layout.GUILD: lands | lifts | (at(decisions.KARAMA) & karama & (records["power"] == layout.SHIPPED)),
        layout.BENE_GESSERIT: (at(decisions.VOICE) & (actions >= verbs.MUST_FIRST))
        | (at(decisions.ACCOMPANY) & said_yes)
        | worthless,
        layout.TLEILAX: (at(decisions.PRICE) & (actions != verbs.PASS))
        | (at(decisions.TAMPER) & (actions != _UNCHANGED))
        | revives,
    }
    used = np.zeros(len(records), np.bool_)
    for one, uses in used_by.items():
        used |= (faction == one) & uses
    return used


def assigned(roles: Sequence[int], most: int = layout.TLEILAX) -> dict[str, Any]:
    """The options that give each seat its faction, with its power.

    Args:
        roles: the faction of each seat.
        most: number of factions in the game.

    Raises `ValueError` for an unknown faction, or one that two seats have.
    """
    for role in roles:
        if not 0 <= role < most:
            raise ValueError(f"factions: expected 0..{most - 1}, got {role}, because every seat has a faction")
    if len(set(roles)) < len(roles):
        raise ValueError(f"factions: {tuple(roles)}; each can be held once")
    return {"powers": True, "factions": tuple(roles), "tleilax": most > layout.TLEILAX}


ROLES = Roles(
    title="faction",
    names=_NAMES,
    drafted={"powers": True, "factions": None, "tleilax": False},
    absent={"powers": False, "factions": None, "tleilax": False},
    assigned_game="dune",
    assigned=assigned,
    held=held,
    offered=offered,
    uses_power=uses_power,
    apart=False,
    drafted_words="factions drawn",
    absent_words="without powers",
    seat_note=(
        "Who begins a turn depends on the storm, not on the seat. An alliance that wins shares the win in equal parts,"
        " and so do all players of a game that nobody wins."
    ),
    power_note=(
        "Only powers that a player decides to use are counted, not those that work by themselves, such as most of the"
        " Emperor's and Harkonnen's."
    ),
)


def _records(states: Bytes) -> NDArray[np.void]:
    records: NDArray[np.void] = np.ascontiguousarray(states).view(layout.STATE_DTYPE)[:, 0]
    return records

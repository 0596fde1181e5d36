"""What everybody at the table hears when a decision is made, whatever their seats see of it.

A seat's view hides who is asked and what. Where players decide openly, everybody hears who has decided what; when the
storm moves, everybody has seen the dials; when a battle is decided, everybody has seen both plans. What a view shows at
the same time whether or not somebody is secretly asked about it, such as a landing, is told by the view alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dunaia_env.dune.components import Components
from dunaia_env.dune.presentation.battles import decided
from dunaia_env.dune.state import LAYABLE, NONE

Content = Mapping[str, Any]

# The keys that `heard` adds to what a seat knows.
BATTLE, DIALLED = "battle", "dialled"

_ASKED_BY = "asked_by"
# The open decisions by their names and verbs, with the pending keys that a sentence about them needs. Decisions that a
# view tells well by itself are not among them.
_OPEN: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("PLACE", "number"): ("cell",),
    ("WEATHER", "card"): (),
    ("ATOMICS", "card"): (),
    ("BLOW_CARDS", "card"): (),
    ("BLOW_CARDS", "karama"): (),
    ("NEXUS_CARDS", "card"): (),
    ("LEAVE", "yes"): (),
    ("HARVESTER", "card"): (),
    ("BIDDING_CARDS", "card"): (),
    ("PAY", "yes"): ("price", _ASKED_BY),
    ("POISONED", "leader"): (),
    ("GIFT", "number"): ("target",),
    ("BID", "number"): (),
    ("BID", "karama"): (),
    ("REVIVAL_CARDS", "card"): (),
    ("REVIVAL_CARDS", "karama"): (),
    ("SWAP_WHO", "seat"): (),
    ("SWAP_COUNT", "number"): ("target",),
    ("ACCEPT", "yes"): ("price", "leader"),
    ("SHIP", "karama"): (),
    ("HAJR", "card"): (),
    ("BATTLE_CARDS", "card"): (),
    ("PRESCIENCE", "karama"): (),
    ("KEEP", "yes"): ("keeping",),
    ("KEEP", "pass"): ("keeping",),
    ("KARAMA", "karama"): ("power", "user"),
}


def heard(action: str, seen: Content, before: Content, after: Content, components: Components) -> Content:
    """What a seat knows of a position once it has heard what was decided there.

    Args:
        action: the text of the action.
        seen: the state dictionary of the position, or what the seat sees of it.
        before: the state dictionary of the position.
        after: the state dictionary of the next position.
        components: the components of the game.

    Returns:
        ``seen`` itself if there is nothing to hear. Otherwise a copy in which an open decision and its seat are not
        hidden, with ``dialled``, the pairs of seats and their numbers by which the storm has moved, and ``battle``, the
        `battles.Battle` that is decided, if there are such.
    """
    news: dict[str, Any] = {}
    if seen["seat"] is None and (keys := _open_keys(action, before)) is not None:
        told = {key: value for key in keys if (value := _pending(before, key)) is not None}
        news |= {key: before[key] for key in ("seat", "decision")} | {"pending": {**seen["pending"], **told}}
    if dialled := _dialled(action, before, after):
        news[DIALLED] = dialled
    if battle := decided(action, before, after, components):
        news[BATTLE] = battle
    return {**seen, **news} if news else seen


def _open_keys(action: str, before: Content) -> tuple[str, ...] | None:
    """The pending keys of an open decision; None for any other decision."""
    verb, *arguments = action.split()
    decision = before["decision"]
    is_laid = decision == "BIDDING_CARDS" and arguments and int(arguments[0]) in LAYABLE
    is_nothing = decision == "GIFT" and arguments == ["0"]
    return None if is_laid or is_nothing else _OPEN.get((decision, verb))


def _pending(content: Content, key: str) -> Any:
    if key == _ASKED_BY:
        return content["pending"]["stack"][-1].get("seat")
    return content["pending"].get(key)


def _dialled(action: str, before: Content, after: Content) -> list[tuple[int, int]]:
    """The seats that have dialled for the storm, with their numbers, once the storm moves."""
    if before["phase"] != "storm" or after["phase"] == "storm":
        return []
    pending, number = before["pending"], int(action.split()[-1]) if action.startswith("number") else NONE
    if before["decision"] == "WEATHER_DIAL":
        return [(before["seat"], number)]
    if "weather" in pending:
        return [(pending["weather_seat"], pending["weather"])]
    first, second = pending["dials"]
    return [*zip(before["wheels"], (first, number if before["decision"] == "DIAL" else second), strict=True)]

"""What an action does: a clause without its subject, the same in every language, with its words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dunaia_env.dune import state as layout
from dunaia_env.dune.components import Components
from dunaia_env.dune.decisions import DECISIONS
from dunaia_env.dune.presentation.wording.facts import Facts
from dunaia_env.dune.presentation.wording.tellers import Teller
from dunaia_env.dune.presentation.wording.words import Words
from dunaia_env.dune.state import NONE

Content = Mapping[str, Any]


def sentence(words: Words, action: str, content: Content, components: Components) -> str:
    """What an action (its text) does in a position; if a view hides the decision, only that somebody decides."""
    return words.typeset(clause(action, Teller(words, Facts(content, components))))


def clause(action: str, teller: Teller) -> str:
    """What an action does, see `sentence`, before it is typeset."""
    facts = teller.facts
    if facts.decision is None:
        return teller.say("do.hidden")
    verb, *numbers = action.split()
    teller = Teller(teller.words, facts, *map(int, numbers))
    key = _key(facts.decision, verb, teller)
    if key not in teller.words.texts:
        return teller.say("do.nothing") if verb == "pass" else action
    parts: dict[str, object] = {}
    if facts.decision == "VOICE" and numbers:
        parts["order"] = teller.order(action)
    elif facts.decision == "TRUTH":
        parts["truth"] = teller.truth(action)
    return teller.say(key, **parts)


def _key(decision: str, verb: str, teller: Teller) -> str:
    """The key of an action's template."""
    if verb == "card" and decision in _WINDOWS:
        return _played(decision, teller)
    if decision == "TRUTH":
        return "do.TRUTH" if verb in DECISIONS[decision].verbs else ""
    variant = _VARIANTS.get((decision, verb))
    return f"do.{decision}.{verb}{variant(teller) if variant is not None else ''}"


# The decisions in which cards are played that have no template of their own.
_WINDOWS = ("WEATHER", "BLOW_CARDS", "NEXUS_CARDS", "BIDDING_CARDS", "REVIVAL_CARDS", "HAJR", "BATTLE_CARDS")


def _played(decision: str, teller: Teller) -> str:
    if decision == "BIDDING_CARDS" and teller.number in layout.LAYABLE:
        return "do.bluff" if teller.number == layout.WORTHLESS else "do.lay"
    return "do.card"


def _of_karama(teller: Teller) -> str:
    faction = teller.facts.faction(teller.facts.seat)
    return f".{layout.FACTION_NAMES[faction]}" if faction in (layout.HARKONNEN, layout.EMPEROR) else ""


# What a template's key ends with, where an action has several templates.
_VARIANTS: dict[tuple[str, str], Callable[[Teller], str]] = {
    ("PROPOSE", "seat"): lambda one: ".members" if one.facts.allies(one.facts.named(one.number)) else "",
    ("GIFT", "number"): lambda one: "" if one.number else ".nothing",
    ("REVIVAL_CARDS", "karama"): _of_karama,
    ("REVIVE", "number"): lambda one: "" if one.number else ".nothing",
    ("SHIP_COUNT", "number"): lambda one: "" if one.facts.price(one.facts.pending["cell"], one.number) else ".free",
    ("COUNT", "number"): lambda one: ".lifting" if one.facts.pending.get("lifting") else "",
    ("OPPONENT", "seat"): lambda one: "" if one.facts.pending.get("field", NONE) == NONE else ".known",
    ("TAMPER", "number"): lambda one: f".{one.number}",
}

"""English words for seats, cards, leaders, places, powers and questions, with the names of the components."""

from __future__ import annotations

from collections.abc import Iterable

from dunaia_env.dune.presentation.wording.facts import Facts
from dunaia_env.dune.state import EMPEROR, GUILD, KARAMA_CARD, NONE, TRUTHTRANCE, WORTHLESS
from dunaia_env.support import english
from dunaia_env.support.english import count

_WITH_ARTICLE = (EMPEROR, GUILD)
_SMALL = ("of", "the")
ELEMENTS = {
    "leader": "the leader",
    "weapon": "the weapon",
    "defence": "the defence",
    "number": "the number",
    "all": "all",
}
PHASES = {
    "setup": "set-up",
    "storm": "the storm",
    "blow": "the spice blow",
    "nexus": "the nexus",
    "bidding": "the bidding",
    "revival": "revival",
    "movement": "movement",
    "battle": "battle",
    "over": "the end",
}


def exist(amount: int, noun: str) -> str:
    """A number with its noun and verb: ``1 token is``, ``2 tokens are``."""
    return f"{count(amount, noun)} {'is' if amount == 1 else 'are'}"


def listed(words: Iterable[object], last: str = "and") -> str:
    """An enumeration: ``A, B and C``; ``nobody`` for none."""
    found = list(words)
    return english.listed(found, last) if found else "nobody"


def capital(text: str) -> str:
    """A text that begins with a capital."""
    return text[:1].upper() + text[1:]


def _title(name: str) -> str:
    words = name.split("_")
    return " ".join(word if word in _SMALL else word.capitalize() for word in words)


def faction(number: int, facts: Facts) -> str:
    """A faction within a sentence: ``Fremen``, ``the Guild``."""
    name = _title(facts.components.names.factions[number])
    return f"the {name}" if number in _WITH_ARTICLE else name


def who(seat: int, facts: Facts) -> str:
    """The faction of a seat within a sentence; ``somebody`` for a seat that is not known."""
    return faction(facts.faction(seat), facts) if seat != NONE else "somebody"


def whose(seat: int, facts: Facts) -> str:
    """The possessive of `who`."""
    name = who(seat, facts)
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def card_name(kind: int, facts: Facts) -> str:
    """A card as a heading: ``Poison weapon``, ``Weather Control``."""
    name = facts.components.names.cards[kind]
    if kind == WORTHLESS:
        return "Worthless card"
    return _title(name) if kind >= TRUTHTRANCE else capital(name.replace("_", " "))


def card(kind: int, facts: Facts) -> str:
    """A card within a sentence: ``a poison weapon``, ``Weather Control``, ``a Karama``."""
    name = card_name(kind, facts)
    if kind == KARAMA_CARD:
        return f"a {name}"
    return name if kind >= TRUTHTRANCE else f"a {name.lower()}"


def cards(kinds: Iterable[int], facts: Facts) -> str:
    """Cards within a sentence, equal cards together: ``2 x shield, lasgun``."""
    found = list(kinds)
    parts = []
    for kind in sorted(set(found)):
        name = card_name(kind, facts)
        name = name if kind >= TRUTHTRANCE else name.lower()
        parts.append(f"{found.count(kind)} x {name}" if found.count(kind) > 1 else name)
    return ", ".join(parts) or "none"


def leader(number: int, facts: Facts) -> str:
    """The name of a leader."""
    return facts.components.names.leaders[number]


def territory(number: int, facts: Facts) -> str:
    """The name of a territory."""
    return facts.components.names.territories[number]


def cell(number: int, facts: Facts) -> str:
    """A cell: the territory, with the sector if the territory has several cells."""
    place = facts.territory(number)
    name = territory(place, facts)
    return name if len(facts.cells(place)) == 1 else f"{name} (sector {facts.sector(number)})"


def order(text: str, facts: Facts) -> str:
    """An order of the Voice: ``play a shield``, ``play no shield``."""
    verb, kind = text.split()
    name = card(int(kind), facts)
    return f"play {name}" if verb == "must" else f"play no {name.removeprefix('a ')}"


def question(text: str, facts: Facts) -> str:
    """A question of a Truthtrance, as the asked seat hears it: ``do you hold a lasgun?``."""
    verb, argument = text.split()
    number = int(argument)
    match verb:
        case "card":
            return f"do you hold {card(number, facts)}?"
        case "leader":
            return f"is {leader(number, facts)} your traitor?"
        case "number":
            return f"do you have {number} spice or more?"
        case "faction":
            return f"does your prediction name {faction(number, facts)}?"
        case _:
            return f"does your prediction name turn {number}?"


def power(facts: Facts) -> str:
    """The power that a question about a Karama concerns, with its object: ``the order of Bene Gesserit (...)``."""
    pending = facts.pending
    name = pending.get("power", "")
    user = pending.get("user", NONE)
    whom, possessive = who(user, facts), whose(user, facts)
    match name:
        case "sight":
            return f"{possessive} sight of the cards on sale"
        case "bonus":
            return f"{possessive} second card"
        case "future":
            return f"{possessive} look at the next spice card"
        case "tame":
            place = territory(pending["worm"], facts) if "worm" in pending else "its territory"
            return f"{possessive} power over the worm in {place}"
        case "accompany":
            return f"{possessive} token that goes along to the {territory(facts.printed.polar_sink, facts)}"
        case "voice":
            text = f" ({order(pending['voice'], facts)})" if "voice" in pending else ""
            return f"{possessive} order{text}"
        case "prescience":
            return f"{possessive} question about {ELEMENTS[pending.get('element', 'all')]} of a plan"
        case "worthless":
            return f"the worthless card that {whom} used as a Karama"
        case "shipment":
            if "cell" not in pending:
                return f"{possessive} shipment"
            landed = count(pending.get("landing", 0), "token")
            return f"{possessive} landing of {landed} in {cell(pending['cell'], facts)}"
        case "tamper":
            return f"{possessive} change to {_leader_asked(facts)}"
        case "steal":
            return f"{possessive} theft of {_leader_asked(facts)}"
    return "the power"


def _leader_asked(facts: Facts) -> str:
    number = facts.pending.get("leader", NONE)
    return leader(number, facts) if number != NONE else "a leader"


# The words for an option that differs from its default, by name; a true or false option has the other value then.
OPTIONS = {
    "powers": "without powers",
    "deck": "{} treachery cards",
    "alliances": "without alliances",
    "max_alliance": "alliances of at most {}",
    "alliance_strongholds": "{} strongholds for an alliance",
    "karama_powers": "with Karama powers",
    "tleilax": "with Bene Tleilax",
    "open_shields": "with hidden spice and reserves",
    "atreides_sees_bonus": "Atreides does not see the second card of Harkonnen",
    "undecided": "undecided games won by {}",
    "max_turns": "{} turns",
}

"""What the names in templates mean: seats, cards, leaders, places and numbers of a position, in a language's words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from dunaia_env.dune import state as layout
from dunaia_env.dune.board import BEHIND_THE_WALL
from dunaia_env.dune.notation.pending import ELEMENTS, PLAN_PARTS
from dunaia_env.dune.presentation.wording.facts import Facts, shown_sector
from dunaia_env.dune.presentation.wording.words import Name, Names, Words, capital
from dunaia_env.dune.state import NONE
from dunaia_env.harness.presentation import Doing


class Teller:
    """A position, and the words to speak of it.

    Attributes:
        words: the language.
        facts: the position.
        number: the number that belongs to an action; -1 for none.
    """

    def __init__(self, words: Words, facts: Facts, number: int = NONE) -> None:
        self.words, self.facts, self.number = words, facts, number

    def say(self, key: str, **parts: object) -> str:
        """A template with its parts: those given here, and what `PARTS`, factions, cards and printed values name."""
        return self.fill(self.words.texts[key], **parts)

    def fill(self, template: str, **parts: object) -> str:
        """The same for a template that is not among the words of actions, rules and pieces."""
        return template.format_map(_Parts(self, parts))

    # Names

    def name(self, key: str) -> Name:
        """The text of a key as a name."""
        return self.words.name(self.words.texts[key])

    def faction(self, number: int) -> Name:
        """A faction: ``Fremen``, ``the Guild``."""
        return self.words.name(self.words.factions[number])

    def who(self, seat: int) -> Name:
        """The faction of a seat; ``somebody`` for a seat that is not known."""
        return self.faction(self.facts.faction(seat)) if seat != NONE else self.name("somebody")

    def seats(self, seats: Iterable[int]) -> Names:
        """The factions of seats."""
        return self.words.names(self.who(seat) for seat in seats)

    def leader(self, number: int) -> Name:
        """A leader."""
        printed = self.facts.components.names.leaders[number]
        return self.words.name(self.words.leaders.get(printed, printed))

    def leaders(self, numbers: Iterable[int]) -> Names:
        """Several leaders."""
        return self.words.names(map(self.leader, numbers))

    def territory(self, number: int) -> Name:
        """A territory."""
        return self.words.name(self._territory(number))

    def _territory(self, number: int) -> str:
        names, words = self.facts.components.names, self.words
        printed = (words.prints_french and names.french[number]) or names.territories[number]
        return words.territories.get(printed, printed)

    def territories(self, numbers: Iterable[int], last: str = "and") -> Names:
        """Several territories."""
        return self.words.names(map(self.territory, numbers), last)

    def cell(self, number: int) -> Name:
        """A cell: the territory, with the sector if the territory has several cells."""
        place = self.facts.territory(number)
        name = self._territory(place)
        if len(self.facts.cells(place)) == 1:
            return self.words.name(name)
        return self.words.name(f"{name} {self.say('in_sector', sector=shown_sector(self.facts.sector(number)))}")

    def card(self, kind: int) -> Name:
        """A card: ``a poison weapon``, ``Weather Control``."""
        return self.words.name(self.words.cards[kind])

    def cards(self, kinds: Iterable[int]) -> str:
        """Cards, equal ones together: ``2 x shield, lasgun``, or ``none``."""
        found = list(kinds)
        parts = []
        for kind in sorted(set(found)):
            name, times = f"{self.card(kind):bare}", found.count(kind)
            parts.append(f"{times} x {name}" if times > 1 else name)
        return ", ".join(parts) or self.say("no_cards")

    def heading(self, kind: int) -> str:
        """A card as a heading: ``Poison weapon``."""
        return capital(f"{self.card(kind):bare}")

    # Clauses

    def order(self, text: str) -> str:
        """An order of the Voice: ``play a shield``, ``play no shield``."""
        verb, kind = text.split()
        return self.say(f"order.{verb}", ordered=self.card(int(kind)))

    def truth(self, text: str) -> str:
        """A question of a Truthtrance, as the asked seat hears it: ``do you hold a lasgun?``."""
        verb, argument = text.split()
        return Teller(self.words, self.facts, int(argument)).say(f"truth.{verb}")

    def each_cost(self, cell: int) -> str:
        """The price of a token that the deciding seat lands: ``1 spice each``."""
        facts = self.facts
        if not facts.price(cell, 2):
            return self.say("each.free")
        # Half of the price of one token need not be a whole number.
        half = facts.ships_at_half_price
        return self.say("each.half" if half else "each", price=facts.price(cell, 2 if half else 1))

    def power(self) -> str:
        """The power that a question about a Karama concerns, with its object: ``Bene Gesserit's order (...)``."""
        pending = self.facts.pending
        name = pending.get("power", "")
        object_of = {"tame": "worm", "voice": "voice", "shipment": "cell"}.get(name)
        known = ".known" if object_of in pending else ""
        return self.say(f"power.{name}{known}" if name else "power")

    def plan(self, plan: Mapping[str, Any]) -> str:
        """The known parts of a plan."""
        parts = []
        for part in PLAN_PARTS:
            if part not in plan:
                continue
            value = plan[part]
            if part == "number":
                parts.append(self.say("plan.number", number=value))
            elif part == "leader" and plan.get("hero"):
                parts.append(self.say("plan.hero"))
            elif value == NONE:
                parts.append(self.say(f"plan.no_{part}"))
            elif part == "leader":
                parts.append(self.say("plan.leader", leader=self.leader(value), strength=self.facts.strength(value)))
            else:
                parts.append(self.say(f"plan.{part}", card=self.card(value)))
        if plan.get("no_leader"):
            parts.append(self.say("plan.unarmed"))
        if "treason" in plan:
            parts.append(self.say("plan.treason" if plan["treason"] else "plan.no_treason"))
        return ", ".join(parts)


class _Parts(Mapping[str, object]):
    """What templates name; a number becomes a `Number`.

    Factions and cards have their names in files; a name that is written with a capital begins a sentence.
    """

    def __init__(self, teller: Teller, given: Mapping[str, object]) -> None:
        self._teller, self._given = teller, given

    def __getitem__(self, name: str) -> object:
        found = self._given[name] if name in self._given else self._known(name)
        return self._teller.words.number(found) if isinstance(found, int) else found

    def _known(self, name: str) -> object:
        if name in PARTS:
            return PARTS[name](self._teller)
        small = name.lower()
        if small in layout.FACTION_NAMES:
            named = self._teller.faction(layout.FACTION_NAMES.index(small))
        elif small in layout.CARD_NAMES:
            named = self._teller.card(layout.CARD_NAMES.index(small))
        else:
            return getattr(self._teller.facts.printed, name)
        return named if small == name else self._teller.words.name(capital(str(named)))

    def __iter__(self) -> Any:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)


def _pending_leader(teller: Teller, otherwise: str) -> Name:
    number = teller.facts.pending.get("leader", NONE)
    return teller.leader(number) if number != NONE else teller.name(otherwise)


def _predicted(teller: Teller) -> Name:
    number = teller.facts.pending.get("faction", NONE)
    return teller.faction(number) if number != NONE else teller.name("it")


def _accused(teller: Teller) -> Name:
    number = teller.facts.plan(teller.facts.enemy).get("leader", NONE)
    return teller.leader(number) if number != NONE else teller.name("enemys_leader")


def _on_sale(teller: Teller) -> Name:
    """The card on sale, as far as it is known."""
    kind = teller.facts.content["sale"]
    return teller.name("card_on_sale") if kind in (None, NONE) else teller.card(kind)


def _kept_kind(teller: Teller) -> int:
    return int(teller.facts.plan(teller.facts.seat).get(teller.facts.pending.get("keeping", ""), NONE))


def _kept(teller: Teller) -> str:
    kind, part = _kept_kind(teller), teller.say(f"part.{teller.facts.pending.get('keeping', 'card')}")
    return f"{part} ({teller.cards([kind])})" if kind != NONE else part


def _kept_card(teller: Teller) -> str:
    kind, part = _kept_kind(teller), teller.say(f"part.{teller.facts.pending['keeping']}")
    return f"{part} ({teller.heading(kind)})" if kind != NONE else part


def _lifted(teller: Teller) -> str:
    return teller.say("lifted" if teller.facts.pending.get("origin", NONE) == NONE else "lifted.known")


def _laid(teller: Teller) -> Name:
    kind = teller.facts.pending.get("card", NONE)
    return teller.card(kind) if kind != NONE else teller.name("a_card")


def _tokens_in_field(teller: Teller) -> int:
    field = teller.facts.pending.get("field", NONE)
    return teller.facts.tokens_in_field(teller.facts.seat, field) if field != NONE else 0


def _behind_the_wall(teller: Teller) -> Names:
    protection: Sequence[int] = teller.facts.printed.protection
    return teller.territories(number for number, kind in enumerate(protection) if kind == BEHIND_THE_WALL)


PARTS: dict[str, Callable[[Teller], object]] = {
    "do": lambda teller: Doing(teller.words.is_choice),
    # What an action names
    "number": lambda teller: teller.number,
    "leader": lambda teller: teller.leader(teller.number),
    "home": lambda teller: teller.faction(teller.facts.printed.faction_of[teller.number]),
    "needed": lambda teller: teller.facts.strongholds_needed(teller.facts.seat),
    "strength": lambda teller: teller.facts.strength(teller.number),
    "card": lambda teller: teller.card(teller.number),
    "place": lambda teller: teller.cell(teller.number),
    "territory": lambda teller: teller.territory(teller.number),
    "seat": lambda teller: teller.who(teller.facts.named(teller.number)),
    "members": lambda teller: teller.seats(teller.facts.allies(teller.facts.named(teller.number))),
    "faction": lambda teller: teller.faction(teller.number),
    "element": lambda teller: teller.say(f"element.{ELEMENTS[teller.number]}"),
    "total": lambda teller: teller.facts.pending.get("bid", 0) + teller.number,
    "revival_cost": lambda teller: teller.number * teller.facts.printed.revival_price,
    "each_cost": lambda teller: teller.each_cost(teller.number),
    "each_cost_here": lambda teller: teller.each_cost(teller.facts.pending["cell"]),
    "funds": lambda teller: teller.facts.funds,
    "landing_cost": lambda teller: teller.facts.price(teller.facts.pending["cell"], teller.number),
    "shipping_cost": lambda teller: teller.facts.price(teller.number, teller.facts.taken, lifted=True),
    # What a decision is about
    "predicted": _predicted,
    "here": lambda teller: teller.cell(teller.facts.pending["cell"]),
    "there": lambda teller: teller.facts.tokens(teller.facts.seat, teller.facts.pending["cell"]),
    "field": lambda teller: teller.cell(teller.facts.pending["field"]),
    "tokens_in_field": _tokens_in_field,
    "origin": lambda teller: teller.territory(teller.facts.pending["origin"]),
    "worm": lambda teller: teller.territory(teller.facts.pending["worm"]),
    "last_blow": lambda teller: teller.territory(teller.facts.content["last_blow"]),
    "taken": lambda teller: teller.facts.taken,
    "lifted": _lifted,
    "orbit_cost": lambda teller: teller.facts.orbit_price(teller.facts.taken),
    "landing_tokens": lambda teller: teller.facts.pending.get("landing", 0),
    "freed": lambda teller: teller.facts.pending.get("freed", 0),
    "left": lambda teller: teller.facts.pending["left"],
    "on_sale": _on_sale,
    "bid": lambda teller: teller.facts.pending["bid"],
    "bidder": lambda teller: teller.who(teller.facts.pending["bidder"]),
    "price": lambda teller: teller.facts.pending.get("price", 0),
    "laid": _laid,
    "kept": _kept,
    "kept_card": _kept_card,
    "asked_leader": lambda teller: _pending_leader(teller, "the_leader"),
    "some_leader": lambda teller: _pending_leader(teller, "a_leader"),
    "asked_element": lambda teller: teller.say(f"element.{teller.facts.pending.get('element', 'all')}"),
    "power": Teller.power,
    "voice_order": lambda teller: teller.order(teller.facts.pending["voice"]),
    # Seats
    "user": lambda teller: teller.who(teller.facts.pending.get("user", NONE)),
    "target": lambda teller: teller.who(teller.facts.pending.get("target", NONE)),
    "laid_on": lambda teller: teller.who(teller.facts.players[teller.facts.seat]["laid_on"]),
    "allies": lambda teller: teller.seats(teller.facts.allies(teller.facts.seat)),
    "asker": lambda teller: teller.who(teller.facts.asker),
    "enemy": lambda teller: teller.who(teller.facts.enemy),
    "voice_target": lambda teller: teller.who(teller.facts.voice_target),
    "accused": _accused,
    "seller": lambda teller: teller.who(teller.facts.seat_of(layout.TLEILAX)),
    # Printed values
    "free": lambda teller: teller.facts.printed.free_forces[layout.FREMEN],
    "range": lambda teller: teller.facts.steps,
    "wall": lambda teller: teller.territory(teller.facts.printed.shield_wall),
    "behind_the_wall": _behind_the_wall,
    "polar_sink": lambda teller: teller.territory(teller.facts.printed.polar_sink),
    "sietch_tabr": lambda teller: teller.territory(teller.facts.printed.sietch_tabr),
    "habbanya_sietch": lambda teller: teller.territory(teller.facts.printed.habbanya_sietch),
    "tueks_sietch": lambda teller: teller.territory(teller.facts.printed.tueks_sietch),
    "great_flat": lambda teller: teller.territory(teller.facts.printed.landing_from),
    "ornithopters": lambda teller: teller.territories(teller.facts.printed.ornithopters, "or"),
    "alliance_strongholds": lambda teller: teller.facts.content["options"]["alliance_strongholds"],
    "max_turns": lambda teller: teller.facts.content["options"]["max_turns"],
    "max_alliance": lambda teller: teller.facts.content["options"]["max_alliance"],
}

"""Where in the course of a turn events happen: between two decisions the rules may go through several parts of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from dunaia_env.dune.presentation.hearing import BATTLE
from dunaia_env.dune.presentation.wording.facts import Facts
from dunaia_env.dune.state import NONE, PHASE_NAMES, SECTORS
from dunaia_env.harness.presentation import Event

Content = Mapping[str, Any]

# The parts of a turn in order; a nexus interrupts the spice blow, and the harvest follows the battles.
PARTS = ("setup", "storm", "blow", "bidding", "revival", "movement", "battle", "harvest")
_PART_OF_PHASE = {"nexus": "blow", "over": "harvest"}
# Parts that are announced although they are over at once, if something has happened in them: revival in which all get
# only what is free. What happens in the other parts says itself where it belongs.
_ANNOUNCED = ("bidding", "revival")

# In which of the parts that a step goes through an event of a kind happens: the first of these. Events of all other
# kinds are effects of what was decided.
_HAPPENS: dict[str, tuple[str, ...]] = {
    "dialled": ("storm",),
    "storm": ("storm",),
    "worm": ("blow",),
    "blow": ("blow",),
    "more": ("blow",),
    "alms": ("bidding",),
    "sight": ("bidding",),
    "sale": ("bidding",),
    "foresees": ("revival",),
    "revives": ("revival",),
    "attacks": ("battle",),
    "unarmed": ("battle",),
    "order": ("battle",),
    "element": ("battle",),
    "harvests": ("harvest",),
}

# The kinds of events in the order in which the rules make them within a part.
_ORDER = (
    *("turn", "phase", "truth", "leaves", "alliance", "silenced", "resumed"),
    *("wall", "dialled", "storm", "bid", "moves", "lifts", "lands"),
    *("plan", "treason", "won", "drawn", "changed", "killed", "owns", "back", "revives", "reviving"),
    *("worm", "buys", "left", "spice", "debt", "gets", "gives", "lays", "unlays", "discs", "traitors"),
    *("loses", "less", "harvests", "alms", "blow", "more", "foresees", "pledges"),
    *("discarded", "removed", "attacks", "unarmed", "order", "element", "unsold", "sight", "embargo", "sale", "over"),
)
_RANK = {kind: rank for rank, kind in enumerate(_ORDER)}


class Course:
    """The parts of turns between two positions."""

    def __init__(self, was: Facts, now: Facts) -> None:
        self.was, self.now = was, now
        self.start, self.end = _place(was.content), _place(now.content)

    def reaches(self, part: str) -> bool:
        """Whether the rules come to a part after the earlier position, or are in it then."""
        return self.place_of(part) is not None

    def place_of(self, *parts: str) -> int | None:
        """The place of the first of some parts between the positions; None if they do not come to any."""
        return next((place for place in range(self.start, self.end + 1) if _part(place) in parts), None)

    def ordered(self, events: Iterable[Event]) -> list[Event]:
        """Events in the order in which they happened, with the parts and turns that have begun."""
        placed = [(self._place(event), event) for event in events]
        placed += [(place, event) for place, event in self._begun({place for place, _ in placed})]
        return [event for _, event in sorted(placed, key=lambda one: (one[0], *self._rank(one[1])))]

    def _begun(self, eventful: set[int]) -> Iterator[tuple[int, Event]]:
        was, now = self.was.content, self.now.content
        if now["over"]:
            return
        if now["turn"] != was["turn"]:
            yield PARTS.index("storm") + now["turn"] * len(PARTS), Event(None, "turn", (now["turn"],))
        if was["phase"] == "nexus" != now["phase"]:
            yield self.start, Event(None, "resumed")
        for place in range(self.start + 1, self.end):
            if place in eventful and _part(place) in _ANNOUNCED:
                yield place, Event(None, "phase", (PHASE_NAMES.index(_part(place)),))
        if now["phase"] != was["phase"] and (was["phase"], now["phase"]) != ("nexus", "blow"):
            yield self.end, Event(None, "phase", (PHASE_NAMES.index(now["phase"]),))

    def _place(self, event: Event) -> int:
        match event.kind:
            case "over":
                return self.end
            case "loses" | "less":
                parts = self._parts_of_a_loss(*event.numbers)
            case "spice":
                parts = self._parts_of_spice(event)
            case kind:
                parts = _HAPPENS.get(kind, ())
        place = self.place_of(*parts)
        return self.start if place is None else place

    def _parts_of_a_loss(self, territory: int, _: int) -> tuple[str, ...]:
        """Where tokens or spice are lost that nobody has decided to lose."""
        if self.was.content["phase"] == "storm" and any(map(self._is_swept, self.now.cells(territory))):
            return ("storm",)
        return ("blow", "harvest")

    def _is_swept(self, cell: int) -> bool:
        """Whether the storm has come over a cell."""
        first, last = self.was.content["storm"], self.now.content["storm"]
        sector = self.now.sector(cell)
        return bool(sector != NONE != first and 0 < (sector - first) % SECTORS <= (last - first) % SECTORS)

    def _parts_of_spice(self, event: Event) -> tuple[str, ...]:
        old, new = event.numbers
        battle = self.was.content.get(BATTLE)
        if new > old and self.reaches("harvest") and (battle is None or battle.winner != event.seat):
            return ("harvest",)
        return ()

    def _rank(self, event: Event) -> tuple[int, int]:
        """The order of two events in the same part; whoever pays comes before whoever is paid."""
        rank = _RANK[event.kind]
        match event.kind:
            case "phase" if PHASE_NAMES[event.numbers[0]] == "nexus":
                rank = len(_ORDER)
            case "worm" if self.was.content["phase"] == "nexus":
                # The worm that has called the nexus has eaten before.
                rank = _RANK["blow"] - 1
            case "loses" if self._is_on_the_destroyed_wall(event.numbers):
                rank = _RANK["wall"]
            case "spice":
                return rank, int(event.numbers[1] > event.numbers[0])
            case "loses":
                battle = self.was.content.get(BATTLE)
                return rank, int(battle is not None and battle.winner == event.seat)
        return rank, 1

    def _is_on_the_destroyed_wall(self, numbers: Sequence[int]) -> bool:
        destroyed = self.was.content["shield_wall"] and not self.now.content["shield_wall"]
        return bool(destroyed) and numbers[0] == self.now.printed.shield_wall


def _place(content: Content) -> int:
    part = _PART_OF_PHASE.get(content["phase"], content["phase"])
    return int(content["turn"]) * len(PARTS) + PARTS.index(part)


def _part(place: int) -> str:
    return PARTS[place % len(PARTS)]

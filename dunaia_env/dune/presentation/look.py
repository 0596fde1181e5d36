"""What every part of a picture needs to know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from dunaia_env.dune.components import Components
from dunaia_env.dune.presentation.labels import Labels
from dunaia_env.dune.state import LEADERS, NONE, SECTORS

FACE_DANCER: Final = LEADERS - 1


class Look(NamedTuple):
    """What every part of a picture needs to know.

    Attributes:
        content: a state dictionary or view; values that are hidden are missing or None.
        labels: the words of the picture's language.
        names: the names of the seats.
        seat: the seat for which the picture is drawn; None for a spectator.
        components: the components of the game, for leaders, spice cards and fields.
    """

    content: Mapping[str, Any]
    labels: Labels
    names: tuple[str, ...]
    seat: int | None
    components: Components

    def get(self, key: str) -> Any:
        """A value of the content; None if it is hidden."""
        return self.content.get(key)

    @property
    def players(self) -> Sequence[Mapping[str, Any]]:
        """The players' parts of the content."""
        return list(self.content["players"])

    def allies(self, seat: int) -> list[int]:
        """The other seats of a seat's alliance."""
        alliance = self.get("alliance") or [NONE] * len(self.names)
        if alliance[seat] == NONE:
            return []
        return [other for other, name in enumerate(alliance) if other != seat and name == alliance[seat]]

    def first_player(self) -> int | None:
        """The seat whose dot comes first after the storm; None before the seats have dots."""
        storm = self.get("storm")
        dots = [player.get("dot") for player in self.players]
        if storm is None or storm == NONE or any(dot is None or dot == NONE for dot in dots):
            return None
        return min(range(len(dots)), key=lambda seat: (dots[seat] - storm - 1) % SECTORS)

    def leaders(self, key: str) -> list[Any]:
        """A list with a value for each leader; all values are None if the list is hidden."""
        return list((self.get("leaders") or {}).get(key) or [None] * LEADERS)

    def leader_name(self, leader: int) -> str:
        """The name of a leader."""
        printed = self.components.names.leaders[leader]
        return self.labels.leaders.get(printed, printed)

    def short_name(self, leader: int) -> str:
        """The name of a leader, or a shorter one."""
        printed = self.components.names.leaders[leader]
        return self.labels.short_leaders.get(printed, self.leader_name(leader))

    def strength(self, leader: int) -> str:
        """The printed strength of a leader, with its change if that is known; * for the Face Dancer."""
        if leader == FACE_DANCER:
            return "*"
        return str(int(self.components.record[0]["strength"][leader]) + (self.leaders("change")[leader] or 0))

    def blow(self, card: int) -> tuple[int, int]:
        """The territory and the amount of a spice card."""
        record = self.components.record[0]
        return int(record["spice_territory"][card]), int(record["spice_amount"][card])

    def field(self) -> list[int]:
        """The cells of the field in which a battle is fought now."""
        field, storm = (self.get("pending") or {}).get("field"), self.get("storm")
        if field is None or storm is None or storm == NONE:
            return []
        fields = self.components.record[0]["field_of"][storm].tolist()
        return [cell for cell, name in enumerate(fields) if name == fields[field]]

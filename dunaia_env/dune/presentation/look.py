"""What every part of a picture needs to know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from dunaia_env.dune.presentation.labels import Labels

NONE: Final = -1


class Look(NamedTuple):
    """What every part of a picture needs to know.

    Attributes:
        content: a state dictionary, or what a seat knows of it: keys that it does not know are missing or None.
        labels: the words of the language.
        names: of the seats.
        seat: for whom it is drawn; None for a spectator.
    """

    content: Mapping[str, Any]
    labels: Labels
    names: tuple[str, ...]
    seat: int | None

    def get(self, key: str) -> Any:
        """A value of the content; None where it is hidden."""
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
        """The seat whose dot comes first after the storm; None before factions sit."""
        storm = self.get("storm")
        dots = [player.get("dot") for player in self.players]
        if storm is None or storm == NONE or any(dot is None or dot == NONE for dot in dots):
            return None
        return min(range(len(dots)), key=lambda seat: (dots[seat] - storm - 1) % 18)

    def leaders(self, key: str) -> list[Any]:
        """A list of the leaders; of 31 nothings where it is hidden."""
        return list((self.get("leaders") or {}).get(key) or [None] * 31)

"""The whole game: the course of a turn, the state dictionary, what a seat sees, the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .battle import Battles
from .bidding import Bidding
from .chance import Chance
from .ending import Ending
from .movement import Movement
from .revival import Revival
from .setup import SetUp
from .state import States
from .table import Flow, IllegalActionError


class Game(SetUp, Bidding, Revival, Movement, Battles, Ending, States):
    """Dune: a decision is `seat`, `decision` and `legal()`; `apply` answers it. The state is `to_dict()`.

    Args:
        players: 2 to 6.
        chance: where the draws of the set-up come from, and later ones unless `apply` is given another source.
        factions: by seat, or None when they are drawn.
        options: those that differ from the defaults.
    """

    def __init__(
        self, players: int, chance: Chance, factions: Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> None:
        super().__init__(players, factions, options or {}, chance)
        self.take_seats()
        self._flow = self.course()
        self._continue(None)

    def legal(self) -> list[str]:
        """Return the legal actions in the order of the action table; none when the game is over."""
        return [] if self.over else list(self.menu)

    def apply(self, action: str, chance: Chance | None = None) -> None:
        """Make a decision and every forced one after it.

        Raises:
            IllegalActionError: if the action is not a legal one.
        """
        if action not in self.legal():
            raise IllegalActionError(f"{action!r} is illegal for seat {self.seat} in {self.decision}: {self.legal()}")
        self.chance = chance or self.chance
        self._continue(action)

    def _continue(self, action: str | None) -> None:
        try:
            self._flow.send(action)  # type: ignore[arg-type]
        except StopIteration:
            self.seat, self.decision, self.menu, self.about = -1, "OVER", [], {}
            self.phase, self.actor = "over", -1

    def course(self) -> Flow[None]:
        """From the set-up to the end."""
        yield from self.set_up()
        while not self.over:
            self.turn += 1
            yield from self.storm_phase()
            yield from self.blow_phase()
            yield from self.bidding_phase()
            yield from self.revival_phase()
            yield from self.movement_phase()
            yield from self.battle_phase()
            self.harvest()
            self.clear_turn()
            self.judge()

    def result(self) -> dict[str, Any]:
        """Return what the last line of a replay says."""
        return {
            "winners": self.winners,
            "how": self.how,
            "scores": self.scores(),
            "ranks": self.ranks(),
            "turns": self.turn,
        }

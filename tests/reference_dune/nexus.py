"""Chapter 5, the nexus: alliances are left and made."""

from __future__ import annotations

from .cards import Cards
from .components import CONE, TRUTHTRANCE
from .table import Flow


class Nexus(Cards):
    """Alliances."""

    def nexus(self) -> Flow[None]:
        kinds = (TRUTHTRANCE, CONE)
        yield from self.window(
            "NEXUS_CARDS", lambda seat: self.playable(seat, kinds), self.play_card, self.turn_order()
        )
        for seat in self.turn_order():
            if len(self.side(seat)) > 1 and (yield from self.ask(seat, "LEAVE", ["yes", "pass"])) == "yes":
                self.side(seat).remove(seat)
                self.alliances = [members for members in self.alliances if len(members) > 1]
        while (yield from self.round_of_proposals()):
            pass

    def may_join(self, seat: int, other: int) -> bool:
        joined = self.side(other)
        most = self.options["max_alliance"] or self.number_of_players
        return other != seat and not joined & self.silenced and len(joined) + 1 <= most

    def round_of_proposals(self) -> Flow[bool]:
        """One round; return whether it made an alliance or enlarged one."""
        changed = False
        for seat in self.turn_order():
            if len(self.side(seat)) > 1 or seat in self.silenced:
                continue
            possible = [self.name_seat(seat, other) for other in self.seats if self.may_join(seat, other)]
            action = yield from self.ask(seat, "PROPOSE", ["pass", *possible])
            if action != "pass" and (yield from self.accepted(seat, self.named_seat(seat, action))):
                changed = True
        return changed

    def accepted(self, proposer: int, other: int) -> Flow[bool]:
        members = self.side(other)
        for member in self.turn_order():
            if member in members:
                answer = yield from self.ask(member, "ANSWER", ["yes", "pass"], proposer=proposer)
                if answer == "pass":
                    return False
        if members not in self.alliances:
            self.alliances.append(members)
        members.add(proposer)
        return True

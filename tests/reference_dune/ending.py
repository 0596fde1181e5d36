"""Chapter 10: the harvest, the end of a turn, the end of the game."""

from __future__ import annotations

from .board import HABBANYA_SIETCH, ORNITHOPTERS, SIETCH_TABR, STRONGHOLDS, TUEKS_SIETCH
from .components import ATREIDES, BENE_GESSERIT, EMPEROR, FREMEN, GUILD, HARKONNEN
from .table import Table

FOR_THE_WINNERS = 10


class Ending(Table):
    """Who harvests, who wins."""

    def harvest(self) -> None:
        for seat in self.turn_order():
            player = self.players[seat]
            a_token = 3 if any(self.occupies(seat, territory) for territory in ORNITHOPTERS) else 2
            for cell in sorted(self.spice):
                taken = min(self.spice[cell], a_token * player.forces.get(cell, 0))
                if taken:
                    self.spice[cell] -= taken
                    if not self.spice[cell]:
                        del self.spice[cell]
                    self.gain(seat, taken)

    def clear_turn(self) -> None:
        """Whatever lasts to the end of the turn ends."""
        self.silenced = set()
        self.sight_stopped = self.embargo = False
        for player in self.players:
            player.pledge = 0
        for leader in self.leaders:
            leader.used = -1

    def strongholds(self, side: set[int]) -> int:
        return sum(any(self.occupies(seat, territory) for seat in side) for territory in STRONGHOLDS)

    def sides(self) -> list[set[int]]:
        return [side for seat in self.seats if seat == min(side := self.side(seat))]

    def needed(self, side: set[int]) -> int:
        if self.number_of_players == 2:
            return 4
        return 3 if len(side) == 1 else self.options["alliance_strongholds"]

    def judge(self) -> None:
        """Find out whether somebody won; after the last turn the game is over in any case."""
        holders = [side for side in self.sides() if self.strongholds(side) >= self.needed(side)]
        if len(holders) > 1:
            raise AssertionError(f"two sides hold enough strongholds: {holders}")
        if holders:
            names = {self.players[seat].faction for seat in holders[0]}
            said = self.prediction
            if said is not None and said["turn"] == self.turn and said["faction"] in names:
                self.finish("prediction", {self.power(BENE_GESSERIT)})
            else:
                self.finish("strongholds", holders[0])
        elif self.turn == self.options["max_turns"]:
            self.judge_undecided()

    def judge_undecided(self) -> None:
        fremen, guild = self.power(FREMEN), self.power(GUILD)
        if fremen >= 0 and self.left_alone(fremen):
            self.finish("fremen", self.side(fremen))
        elif guild >= 0:
            self.finish("guild", self.side(guild))
        elif self.options["undecided"] == "strongholds":

            def rank(side: set[int]) -> tuple[int, int]:
                return self.strongholds(side), sum(self.players[seat].spice for seat in side)

            best = max(map(rank, self.sides()))
            self.finish("most", set().union(*(side for side in self.sides() if rank(side) == best)))
        else:
            self.finish("nobody", set())

    def left_alone(self, fremen: int) -> bool:
        for seat in self.seats:
            homes = self.occupies(seat, SIETCH_TABR) or self.occupies(seat, HABBANYA_SIETCH)
            if homes and not self.allied(fremen, seat):
                return False
            enemy = self.players[seat].faction in {HARKONNEN, ATREIDES, EMPEROR}
            if enemy and self.occupies(seat, TUEKS_SIETCH):
                return False
        return True

    def finish(self, how: str, winners: set[int]) -> None:
        self.over, self.how, self.winners = True, how, sorted(winners)

    def scores(self) -> list[int]:
        return [
            self.strongholds(self.side(seat)) + (FOR_THE_WINNERS if seat in self.winners else 0) for seat in self.seats
        ]

    def ranks(self) -> list[int]:
        return [1 if seat in self.winners else 1 + len(self.winners) for seat in self.seats]

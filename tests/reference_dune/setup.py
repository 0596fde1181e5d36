"""Chapter 3: the set-up."""

from __future__ import annotations

from .components import (
    BENE_GESSERIT,
    FACTIONS,
    FREMEN,
    FREMEN_START,
    FREMEN_START_TOKENS,
    HARKONNEN,
    TLEILAX,
)
from .table import Flow, Table, numbers, value


class SetUp(Table):
    """From the factions to the first cards."""

    def set_up(self) -> Flow[None]:
        yield from self.predict()
        self.draw_discs()
        for seat in self.seats:
            yield from self.choose_traitors(seat)
        yield from self.place()
        for seat, player in enumerate(self.players):
            for i in range(FACTIONS[player.faction].first_cards if self.options["powers"] else 1):
                self.give_card(seat, self.draw_card(("first", seat, i)))

    def predict(self) -> Flow[None]:
        seat = self.power(BENE_GESSERIT)
        if seat >= 0:
            names = [f"faction {player.faction}" for player in self.players if player.faction != BENE_GESSERIT]
            faction = value((yield from self.ask(seat, "PREDICT_WHO", names)))
            turns = [f"turn {t}" for t in range(1, self.options["max_turns"] + 1)]
            turn = value((yield from self.ask(seat, "PREDICT_TURN", turns, faction=faction)))
            self.prediction = {"faction": faction, "turn": turn}

    def draw_discs(self) -> None:
        left = list(range(30))
        for seat, player in enumerate(self.players):
            if player.faction != TLEILAX:
                player.discs = [left.pop(self.chance.draw(len(left), ("disc", seat, i))) for i in range(4)]
                player.discs.sort()

    def choose_traitors(self, seat: int) -> Flow[None]:
        player = self.players[seat]
        count = [disc for disc in player.discs if self.leaders[disc].home not in {-1, seat}]
        if seat == self.power(HARKONNEN):
            player.traitors = count
        elif count:
            action = yield from self.ask(seat, "TRAITOR", [f"leader {disc}" for disc in count])
            player.traitors = [value(action)]

    def place(self) -> Flow[None]:
        for seat, player in enumerate(self.players):
            if player.faction == FREMEN:
                left = FREMEN_START_TOKENS
                for cell in FREMEN_START:
                    legal = [f"number {left}"] if cell == FREMEN_START[-1] else numbers(0, left)
                    tokens = value((yield from self.ask(seat, "PLACE", legal, cell=cell, left=left)))
                    self.land(seat, cell, tokens)
                    left -= tokens

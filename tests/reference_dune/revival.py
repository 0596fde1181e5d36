"""Chapters 7 and 13: the look into the future, and what comes back from the tanks."""

from __future__ import annotations

from .cards import EMPEROR_TOKENS, GHOLA_TOKENS, Cards
from .components import ATREIDES, EMPEROR, FACTIONS, FREMEN, GHOLA, HARKONNEN, TLEILAX
from .table import Flow, numbers, value

MOST_REVIVED = 3
PRICE_OF_A_TOKEN = 2
MOST_PRICE = 20


class Revival(Cards):
    """The revival phase."""

    def revival_phase(self) -> Flow[None]:
        self.phase = "revival"
        yield from self.look_ahead()
        yield from self.window("REVIVAL_CARDS", self.revival_cards, self.play_revival_card, self.turn_order())
        tleilax = self.power(TLEILAX)
        for seat in self.turn_order():
            if seat != tleilax:
                yield from self.revive(seat)
                if tleilax >= 0:
                    yield from self.buy_back(seat, tleilax)

    def look_ahead(self) -> Flow[None]:
        atreides = self.power(ATREIDES)
        due = atreides >= 0 and self.turn < self.options["max_turns"] and self.foreseen_spice < 0
        if due and not (yield from self.stopped("future", atreides)):
            self.foreseen_spice = self.draw_spice_card()

    def revival_cards(self, seat: int) -> list[str]:
        texts = self.playable(seat, (GHOLA,), GHOLA_TOKENS)
        can = {
            self.power(HARKONNEN): bool(self.others_with_cards(seat)),
            self.power(EMPEROR): bool(self.fetchable(seat, EMPEROR_TOKENS)),
            self.power(TLEILAX): not self.embargo
            and any(self.players[other].tanks for other in self.to_the_right(seat)),
        }
        if self.options["karama_powers"] and self.has_karama(seat) and can.get(seat, False):
            texts.append("karama")
        return texts

    def play_revival_card(self, seat: int, action: str) -> Flow[None]:
        if action != "karama":
            yield from self.play_card(seat, action, GHOLA_TOKENS)
            return
        yield from self.spend_karama(seat)
        if seat == self.power(HARKONNEN):
            yield from self.swap(seat)
        elif seat == self.power(EMPEROR):
            yield from self.fetch(seat, EMPEROR_TOKENS)
        else:
            self.embargo = True

    def revive(self, seat: int) -> Flow[None]:
        player = self.players[seat]
        free = 0 if self.embargo else min(FACTIONS[player.faction].free_revival, player.tanks)
        player.tanks -= free
        player.reserve += free
        most = min(MOST_REVIVED - free, player.tanks, player.spice // PRICE_OF_A_TOKEN)
        if self.embargo or seat == self.power(FREMEN):
            most = 0
        tokens = value((yield from self.ask(seat, "REVIVE", numbers(0, most))))
        self.spend(seat, PRICE_OF_A_TOKEN * tokens, self.power(TLEILAX))
        player.tanks -= tokens
        player.reserve += tokens

    def buy_back(self, seat: int, tleilax: int) -> Flow[None]:
        dead = [f"leader {number}" for number in self.own_leaders(seat, alive=False)]
        action = yield from self.ask(seat, "BUY_BACK", ["pass", *dead])
        if action == "pass":
            return
        number = value(action)
        legal = ["pass", *numbers(0, MOST_PRICE)]
        answer = yield from self.ask(tleilax, "PRICE", legal, buyer=seat, leader=number)
        if answer == "pass":
            return
        price = value(answer)
        legal = ["yes", "pass"] if self.players[seat].spice >= price else ["pass"]
        if (yield from self.ask(seat, "ACCEPT", legal, leader=number, price=price)) == "pass":
            return
        self.spend(seat, price, tleilax)
        self.raise_leader(number)
        if not (yield from self.stopped("tamper", tleilax, leader=number)):
            change = value((yield from self.ask(tleilax, "TAMPER", numbers(0, 2), leader=number)))
            self.leaders[number].change = change - 1
            self.leaders[number].change_shown = False

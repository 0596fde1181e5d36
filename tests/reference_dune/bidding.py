"""Chapter 6: ransoms, gifts, pledges, and the sale of treachery cards."""

from __future__ import annotations

from .components import (
    ATREIDES,
    CONE,
    EMPEROR,
    HARKONNEN,
    RESIDUAL_POISON,
    STRENGTHS,
    TRUTHTRANCE,
    WORTHLESS,
)
from .nexus import Nexus
from .table import Flow, numbers, value

ALMS = 2
MOST_RANSOM = 4
BLUFF_FACTOR = 3
MOST_AT_ONCE = 20


class Bidding(Nexus):
    """The bidding phase."""

    def bidding_phase(self) -> Flow[None]:
        self.phase = "bidding"
        self.bonuses = 0
        kinds = (WORTHLESS, TRUTHTRANCE, CONE, RESIDUAL_POISON)
        yield from self.window(
            "BIDDING_CARDS", lambda seat: self.playable(seat, kinds), self.play_card, self.turn_order()
        )
        for seat in self.turn_order():
            if self.players[seat].laid >= 0:
                yield from self.demand_ransom(seat)
        for seat in self.turn_order():
            if self.players[seat].spice == 0:
                self.gain_from_bank(seat, ALMS)
        yield from self.gifts_and_pledges()
        yield from self.sales()

    # Ransoms

    def demand_ransom(self, owner: int) -> Flow[None]:
        victim = self.players[owner].laid_on
        ransom = value((yield from self.ask(owner, "RANSOM", numbers(1, MOST_RANSOM), victim=victim)))
        legal = ["yes", "pass"] if self.players[victim].spice >= ransom else ["pass"]
        if (yield from self.ask(victim, "PAY", legal, owner=owner, ransom=ransom)) == "yes":
            self.spend(victim, ransom, owner)
            return
        if self.players[owner].laid == RESIDUAL_POISON:
            living = [f"leader {number}" for number in self.own_leaders(victim, alive=True)]
            if living:
                number = value((yield from self.ask(owner, "POISONED", living, victim=victim)))
                self.kill_leader(number)
                self.gain_from_bank(owner, STRENGTHS[number])
        else:
            self.pay_for_bluff(owner, victim, BLUFF_FACTOR * ransom)
        self.discards[self.players[owner].laid] += 1
        self.players[owner].laid = self.players[owner].laid_on = -1

    def pay_for_bluff(self, owner: int, victim: int, due: int) -> None:
        set_off = min(due, self.players[victim].debts[owner])
        self.players[victim].debts[owner] -= set_off
        due -= set_off
        paid = min(due, self.players[owner].spice)
        self.players[owner].debts[victim] += due - paid
        self.spend(owner, paid, victim)

    # Gifts and pledges

    def gifts_and_pledges(self) -> Flow[None]:
        if not self.alliances:
            return
        emperor = self.power(EMPEROR)
        for ally in self.turn_order():
            if emperor >= 0 and ally != emperor and self.allied(emperor, ally):
                legal = numbers(0, min(MOST_AT_ONCE, self.players[emperor].spice))
                self.spend(emperor, value((yield from self.ask(emperor, "GIFT", legal, ally=ally))), ally)
        for seat in self.turn_order():
            if len(self.side(seat)) > 1 and self.players[seat].spice:
                legal = numbers(0, min(MOST_AT_ONCE, self.players[seat].spice))
                self.players[seat].pledge = value((yield from self.ask(seat, "PLEDGE", legal)))

    # Sales

    def eligible(self, seat: int) -> bool:
        return len(self.players[seat].hand) < self.limit(seat) and seat not in self.silenced

    def sales(self) -> Flow[None]:
        eligible = sum(self.eligible(seat) for seat in self.seats)
        row = min(eligible, self.cards_left() + (self.top >= 0))
        if row == 0:
            return
        atreides = self.power(ATREIDES)
        if atreides >= 0:
            self.sight_stopped = yield from self.stopped("sight", atreides)
        opener = -1
        for i in range(row):
            seats = self.turn_order() if opener < 0 else [*self.to_the_right(opener), opener]
            opener = next((seat for seat in seats if self.eligible(seat)), -1)
            if opener < 0 or not self.put_on_sale(i):
                break
            if not (yield from self.sell(opener, row - i)):
                break
        self.bidding = {}

    def sees(self) -> bool:
        """Whether Atreides sees what is drawn."""
        return self.power(ATREIDES) >= 0 and not self.sight_stopped

    def put_on_sale(self, i: int) -> bool:
        if self.top >= 0:
            self.sale, self.sale_seen = self.top, self.top_seen or self.sees()
            self.top, self.top_seen = -1, False
            return True
        self.sale = self.draw_card(("sale", self.turn, i))
        self.sale_seen = self.sale >= 0 and self.sees()
        return self.sale >= 0

    def sell(self, opener: int, left: int) -> Flow[bool]:
        """Sell the card on sale; return whether somebody wanted it."""
        bid, bidder, seat = 0, -1, opener
        while True:
            self.bidding = {"cards_left": left, "opener": opener, "bid": bid, "bidder": bidder}
            if self.eligible(seat):
                raises = numbers(1, min(MOST_AT_ONCE, self.funds(seat) - bid))
                legal = ["pass", *raises, *(["karama"] if self.has_karama(seat) else [])]
                action = yield from self.ask(seat, "BID", legal)
                if action == "karama":
                    if not (yield from self.spend_karama(seat)):
                        continue
                    yield from self.buy(seat)
                    return True
                if action != "pass":
                    bid, bidder = bid + value(action), seat
            seat = (seat + 1) % self.number_of_players
            if seat == bidder:
                self.bidding["bid"], self.bidding["bidder"] = bid, bidder
                self.pay(bidder, bid, self.power(EMPEROR))
                yield from self.buy(bidder)
                return True
            if bidder < 0 and seat == opener:
                self.top, self.top_seen = self.sale, self.sale_seen
                self.sale, self.sale_seen = -1, False
                return False

    def buy(self, buyer: int) -> Flow[None]:
        """The card on sale is the buyer's; Harkonnen may draw another one."""
        self.give_card(buyer, self.sale, self.sale_seen)
        self.sale, self.sale_seen = -1, False
        more = len(self.players[buyer].hand) < self.limit(buyer) and self.cards_left()
        if (
            buyer == self.power(HARKONNEN)
            and more
            and not (yield from self.stopped("bonus", buyer))
            and (kind := self.draw_card(("bonus", self.turn, self.bonuses))) >= 0
        ):
            self.bonuses += 1
            self.give_card(buyer, kind, self.sees() and self.options["atreides_sees_bonus"])

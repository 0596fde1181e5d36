"""Chapter 8: shipment, ground moves, leaders back."""

from __future__ import annotations

from typing import Any

from .board import (
    FREMEN_LANDING,
    NEIGHBOURS,
    ORNITHOPTERS,
    POLAR_CELL,
    STRONGHOLDS,
    TERRITORY_OF,
)
from .components import BENE_GESSERIT, FACE_DANCER, FREMEN, GUILD, HAJR, KARAMA, STRENGTHS, TLEILAX, TOKENS
from .storm import StormAndBlow
from .table import Flow, half, numbers, polar_or_cell, value


class Movement(StormAndBlow):
    """The movement phase."""

    def movement_phase(self) -> Flow[None]:
        self.phase = "movement"
        for seat in self.turn_order():
            self.actor = seat
            yield from self.withdraw(seat)
            yield from self.ship(seat)
            if (yield from self.move(seat)) and self.origins(seat):
                hajr = [f"card {HAJR}"] if HAJR in self.players[seat].hand else []
                if (yield from self.ask(seat, "HAJR", ["pass", *hajr])) != "pass":
                    self.discard(seat, HAJR)
                    yield from self.move(seat)
            yield from self.bring_leaders_back(seat)
        self.actor = -1

    def withdraw(self, seat: int) -> Flow[None]:
        player = self.players[seat]
        if player.laid >= 0 and (yield from self.ask(seat, "WITHDRAW", ["yes", "pass"])) == "yes":
            self.hidden_discards[player.laid] += 1
            player.laid = player.laid_on = -1

    # Shipment

    def of_the_guild(self, seat: int) -> bool:
        """Whether a seat ships as the Guild does."""
        guild = self.power(GUILD)
        return guild >= 0 and self.allied(guild, seat)

    def price(self, cell: int, tokens: int, cheap: bool) -> int:
        whole = tokens * (1 if TERRITORY_OF[cell] in STRONGHOLDS else 2)
        return half(whole) if cheap else whole

    def landing_cells(self, seat: int) -> list[int]:
        """Where tokens may land, whatever it costs."""
        territories = range(len(set(TERRITORY_OF)))
        open_ones = {territory for territory in territories if self.may_be_entered(seat, territory)}
        return [cell for cell, home in enumerate(TERRITORY_OF) if home in open_ones and not self.stormy(cell)]

    def most_landed(self, seat: int, cell: int, cheap: bool) -> int:
        """How many tokens of the reserve the seat could land there."""
        reserve = self.players[seat].reserve
        if seat == self.power(FREMEN):
            return reserve if TERRITORY_OF[cell] in FREMEN_LANDING else 0
        funds = self.funds(seat)
        return max(k for k in range(reserve + 1) if self.price(cell, k, cheap) <= funds)

    def ship(self, seat: int) -> Flow[None]:
        guild_like, karama = self.of_the_guild(seat), False
        while True:
            cheap = guild_like or karama
            legal = ["pass"]
            legal += [f"cell {c}" for c in self.landing_cells(seat) if self.most_landed(seat, c, cheap)]
            if guild_like and self.funds(seat):
                origins = {TERRITORY_OF[c] for c in self.players[seat].forces if not self.stormy(c)}
                legal += [f"territory {territory}" for territory in origins]
            may_save = not guild_like and not karama and seat != self.power(FREMEN) and self.has_karama(seat)
            if may_save and self.players[seat].reserve and self.funds(seat):
                legal.append("karama")
            action = yield from self.ask(seat, "SHIP", legal, half_price=cheap)
            if action != "karama":
                break
            karama = yield from self.spend_karama(seat)
        if action.startswith("cell"):
            yield from self.land_from_reserve(seat, value(action), cheap, to_bank=karama)
        elif action.startswith("territory"):
            yield from self.lift_off(seat, value(action))

    def land_from_reserve(self, seat: int, cell: int, cheap: bool, to_bank: bool) -> Flow[None]:
        free = seat == self.power(FREMEN)
        legal = numbers(1, self.most_landed(seat, cell, cheap))
        tokens = value((yield from self.ask(seat, "SHIP_COUNT", legal, cell=cell)))
        if (yield from self.stopped_by_guild(seat, cell, tokens)):
            return
        if not free:
            self.pay(seat, self.price(cell, tokens, cheap), -1 if to_bank else self.power(GUILD))
        self.land(seat, cell, tokens)
        sister = self.power(BENE_GESSERIT)
        if free or sister in {-1, seat} or not self.players[sister].reserve:
            return
        answer = yield from self.ask(sister, "ACCOMPANY", ["yes", "pass"], shipper=seat)
        if answer == "yes" and not (yield from self.stopped("accompany", sister)):
            self.land(sister, POLAR_CELL, 1)

    def stopped_by_guild(self, seat: int, cell: int, tokens: int) -> Flow[bool]:
        guild = self.power(GUILD)
        if not self.options["karama_powers"] or guild < 0 or self.of_the_guild(seat):
            return False
        if KARAMA not in self.players[guild].hand:
            return False
        legal = ["karama", "pass"]
        action = yield from self.ask(guild, "KARAMA", legal, name="shipment", user=seat, cell=cell, tokens=tokens)
        return action == "karama" and (yield from self.spend_karama(guild))

    def lift_off(self, seat: int, territory: int) -> Flow[None]:
        """Tokens of a territory go to orbit or elsewhere, at the Guild's price."""
        cells, funds = self.free_cells(seat, territory), self.funds(seat)
        most = min(TOKENS, 2 * funds)
        counts, _ = yield from self.count(seat, cells, {cell: {"orbit"} for cell in cells}, most)
        tokens = sum(counts.values())
        targets: list[Any] = ["orbit"]
        for cell in self.landing_cells(seat):
            if TERRITORY_OF[cell] != territory and self.price(cell, tokens, cheap=True) <= funds:
                targets.append(cell)
        so_far = [[cell, k] for cell, k in counts.items()]
        action = yield from self.ask(seat, "SHIP_TO", [polar_or_cell(target) for target in targets], counts=so_far)
        orbit = action == "orbit"
        self.pay(seat, half(tokens) if orbit else self.price(value(action), tokens, cheap=True), self.power(GUILD))
        for cell, k in counts.items():
            self.lift(seat, cell, k)
        if orbit:
            self.players[seat].reserve += tokens
        else:
            self.add(seat, value(action), tokens)

    # Ground moves

    def reached_from(self, seat: int, start: int, steps: int) -> set[int]:
        """The cells of other territories that a group on `start` can reach."""
        if self.stormy(start):
            return set()
        origin = TERRITORY_OF[start]
        may_enter = {
            territory: territory == origin or self.may_be_entered(seat, territory) for territory in set(TERRITORY_OF)
        }
        seen, ring = {start}, [start]
        for step in range(steps + 1):
            for cell in ring:  # grows: steps inside a territory are free
                for other in NEIGHBOURS[cell]:
                    if TERRITORY_OF[other] == TERRITORY_OF[cell] and other not in seen and not self.stormy(other):
                        seen.add(other)
                        ring.append(other)
            if step < steps:
                outside = {
                    other
                    for cell in ring
                    for other in NEIGHBOURS[cell]
                    if other not in seen and not self.stormy(other) and may_enter[TERRITORY_OF[other]]
                }
                seen |= outside
                ring = sorted(outside)
        return {cell for cell in seen if TERRITORY_OF[cell] != origin}

    def steps(self, seat: int) -> int:
        if any(self.occupies(seat, territory) for territory in ORNITHOPTERS):
            return 3
        return 2 if seat == self.power(FREMEN) else 1

    def origins(self, seat: int) -> dict[int, dict[int, set[int]]]:
        """By territory that a group may leave: by cell with movable tokens, what they reach."""
        steps, origins = self.steps(seat), {}
        for territory in sorted({TERRITORY_OF[cell] for cell in self.players[seat].forces}):
            reach = {cell: self.reached_from(seat, cell, steps) for cell in self.free_cells(seat, territory)}
            if any(reach.values()):
                origins[territory] = reach
        return origins

    def move(self, seat: int) -> Flow[bool]:
        """One ground move; return whether it was made."""
        origins = self.origins(seat)
        legal = ["pass", *(f"territory {territory}" for territory in origins)]
        action = yield from self.ask(seat, "MOVE_FROM", legal)
        if action == "pass":
            return False
        reach = origins[value(action)]
        counts, targets = yield from self.count(seat, list(reach), reach)
        yield from self.move_to(seat, counts, targets)
        return True

    # Leaders back

    def bring_leaders_back(self, seat: int) -> Flow[None]:
        player, dead = self.players[seat], self.own_leaders(seat, alive=False)
        if seat == self.power(TLEILAX):
            if dead and not self.own_leaders(seat, alive=True):
                yield from self.raise_one(seat, [FACE_DANCER], risen=False)
            return
        if not player.reviving and dead and not self.own_leaders(seat, alive=True):
            player.reviving = True
            for number in dead:
                self.leaders[number].risen = False
        if player.reviving:
            yield from self.raise_one(seat, self.unmarked(seat), risen=True)
            player.reviving = bool(self.unmarked(seat))

    def unmarked(self, seat: int) -> list[int]:
        """The dead leaders that have not come back yet."""
        return [number for number in self.own_leaders(seat, alive=False) if not self.leaders[number].risen]

    def raise_one(self, seat: int, leaders: list[int], risen: bool) -> Flow[None]:
        affordable = [f"leader {number}" for number in leaders if STRENGTHS[number] <= self.players[seat].spice]
        action = yield from self.ask(seat, "RAISE", ["pass", *affordable])
        if action != "pass":
            self.spend(seat, STRENGTHS[value(action)])
            self.raise_leader(value(action), risen)

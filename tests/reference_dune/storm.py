"""Chapters 4 and 5 but the nexus: the storm, the spice blow, worms."""

from __future__ import annotations

from .board import (
    ATOMICS_FROM,
    CELLS,
    CELLS_OF,
    NEVER,
    PROTECTION_OF,
    SAND,
    SECTOR_OF,
    SECTORS,
    SHIELD_WALL,
    SPICE_CARDS,
    TERRITORY_OF,
    TYPE_OF,
    WALL,
)
from .components import ATOMICS, FREMEN, HARVESTER, THUMPER, WEATHER_CONTROL, WORM
from .nexus import Nexus
from .table import Flow, numbers, value


class StormAndBlow(Nexus):
    """The weather and what the sand gives."""

    def storm_phase(self) -> Flow[None]:
        self.phase = "storm"
        self.dials = {}
        if self.turn == 1:
            near = sorted(self.seats, key=lambda seat: min(self.players[seat].dot, SECTORS - self.players[seat].dot))
            self.wheels = near[:2]

        def weather(seat: int) -> list[str]:
            return [f"card {WEATHER_CONTROL}"] if WEATHER_CONTROL in self.players[seat].hand else []

        def control(seat: int, action: str) -> Flow[None]:
            self.discard(seat, value(action))
            self.dials[seat] = value((yield from self.ask(seat, "WEATHER_DIAL", numbers(0, 10))))

        yield from self.window("WEATHER", weather, control, self.turn_order())
        if not self.dials:
            for seat in self.wheels:
                legal = numbers(0, 20) if self.turn == 1 else numbers(1, 3)
                self.dials[seat] = value((yield from self.ask(seat, "DIAL", legal)))

        def atomics(seat: int) -> list[str]:
            near = any(self.occupies(seat, territory) for territory in ATOMICS_FROM)
            return [f"card {ATOMICS}"] if near and ATOMICS in self.players[seat].hand else []

        yield from self.window("ATOMICS", atomics, self.explode_wall, self.turn_order())
        self.move_storm(sum(self.dials.values()))
        self.dials = {}

    def explode_wall(self, seat: int, action: str) -> Flow[None]:
        self.lose_marks(seat, value(action))
        self.players[seat].hand.remove(value(action))
        self.removed[value(action)] += 1
        for cell in CELLS_OF[SHIELD_WALL]:
            for other in self.seats:
                self.kill(other, cell)
        self.shield_wall = False
        yield from ()

    def open_to_storms(self, cell: int) -> bool:
        protection = PROTECTION_OF[TERRITORY_OF[cell]]
        return protection == NEVER or (protection == WALL and not self.shield_wall)

    def move_storm(self, sectors: int) -> None:
        for _ in range(sectors):
            self.storm = (self.storm + 1) % SECTORS
            entered = [cell for cell in range(len(CELLS)) if SECTOR_OF[cell] == self.storm]
            for cell in entered:
                if self.open_to_storms(cell):
                    for seat in self.seats:
                        self.kill(seat, cell)
            self.sweep_spice(entered)

    # The spice blow

    def blow_phase(self) -> Flow[None]:
        self.phase = "blow"
        worm_came = False
        if self.turn > 1:
            thumpers: list[int] = []

            def call(seat: int) -> list[str]:
                texts = [f"card {THUMPER}"] if THUMPER in self.players[seat].hand else []
                called = seat == self.power(FREMEN) and self.options["karama_powers"] and self.has_karama(seat)
                return [*texts, "karama"] if called and self.worm_targets(seat) else texts

            def answer(seat: int, action: str) -> Flow[None]:
                if action == "karama":
                    yield from self.call_worm(seat)
                else:
                    self.discard(seat, THUMPER)
                    thumpers.append(seat)

            yield from self.window("BLOW_CARDS", call, answer, self.turn_order())
            if thumpers:
                worm_came = True
                yield from self.worm_event()
        while True:
            card, self.foreseen_spice = self.foreseen_spice, -1
            if card < 0:
                card = self.draw_spice_card()
            self.spice_discards[card] += 1
            if card != WORM:
                yield from self.blow(card)
                return
            if not worm_came:
                worm_came = True
                yield from self.worm_event()

    def blow(self, card: int) -> Flow[None]:
        cell, amount = SPICE_CARDS[card]
        self.last_blow = TERRITORY_OF[cell]
        if self.stormy(cell):
            return
        self.put_spice(cell, amount)

        def harvester(seat: int) -> list[str]:
            return [f"card {HARVESTER}"] if HARVESTER in self.players[seat].hand else []

        def double(seat: int, action: str) -> Flow[None]:
            self.discard(seat, value(action))
            self.put_spice(cell, amount)
            yield from ()

        yield from self.window("HARVESTER", harvester, double, self.turn_order())

    def put_spice(self, cell: int, amount: int) -> None:
        self.bank -= amount
        self.spice[cell] = self.spice.get(cell, 0) + amount

    # Worms

    def worm_event(self) -> Flow[None]:
        if self.options["alliances"]:
            self.phase = "nexus"
            yield from self.nexus()
            self.phase = "blow"
        yield from self.worm(self.last_blow, eats=True)

    def worm_targets(self, fremen: int) -> list[int]:
        """The territories where a worm called by the Fremen could do something."""
        targets = []
        for territory, cells in enumerate(CELLS_OF):
            food = any(self.spice.get(cell) for cell in cells) or any(
                self.occupies(seat, territory) for seat in self.others(fremen)
            )
            if self.free_cells(fremen, territory) or (TYPE_OF[territory] == SAND and food):
                targets.append(territory)
        return targets

    def call_worm(self, fremen: int) -> Flow[None]:
        if (yield from self.spend_karama(fremen)):
            legal = [f"territory {territory}" for territory in self.worm_targets(fremen)]
            territory = value((yield from self.ask(fremen, "WORM", legal)))
            yield from self.worm(territory, eats=TYPE_OF[territory] == SAND)

    def worm(self, territory: int, eats: bool) -> Flow[None]:
        fremen = self.power(FREMEN)
        friends = self.side(fremen) if fremen >= 0 else set()
        tame = False
        if any(self.occupies(seat, territory) for seat in friends):
            tame = not (yield from self.stopped("tame", fremen, territory=territory))
        if eats:
            self.sweep_spice(CELLS_OF[territory])
            for seat in self.seats:
                if not (tame and seat in friends):
                    for cell in CELLS_OF[territory]:
                        self.kill(seat, cell)
        if tame:
            yield from self.ride(fremen, territory)

    def ride(self, fremen: int, territory: int) -> Flow[None]:
        cells = self.free_cells(fremen, territory)
        targets = {
            cell
            for cell, (other, _) in enumerate(CELLS)
            if other != territory and not self.stormy(cell) and self.may_be_entered(fremen, other)
        }
        if cells and targets:
            legal = ["pass", f"territory {territory}"]
            if (yield from self.ask(fremen, "RIDE", legal, territory=territory)) != "pass":
                counts, reached = yield from self.count(fremen, cells, dict.fromkeys(cells, targets))
                yield from self.move_to(fremen, counts, reached)

    def move_to(self, seat: int, counts: dict[int, int], targets: set[int]) -> Flow[None]:
        """MOVE_TO, of a ride or a move; then the tokens go there."""
        legal = [f"cell {cell}" for cell in targets]
        so_far = [[cell, tokens] for cell, tokens in counts.items()]
        target = value((yield from self.ask(seat, "MOVE_TO", legal, counts=so_far)))
        for cell, tokens in counts.items():
            self.lift(seat, cell, tokens)
            self.add(seat, target, tokens)

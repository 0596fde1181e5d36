"""What checks of a moment ask about a state: who may do what, with which cards, tokens and spice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dunaia_env.dune import standing, state as layout
from dunaia_env.dune.components import Components, values
from dunaia_env.dune.state import NONE


class Moment:
    """A state, given as `Fields`, with what checks ask about it.

    Attributes:
        state: the state.
        printed: the `values` of the components.
        name: the decision.
        seat: the asked seat.
        actor: the seat that moves or attacks, -1 in other phases.
        players: the seats' parts of the state.
        place: the seat of the innermost window or round on the stack, -1 without one.
        user: in KARAMA the user of the power in question or, for a worthless card that stops one, of that power.
    """

    def __init__(self, state: Any, components: Components, name: str) -> None:
        self.state, self.printed, self.name = state, values(components), name
        self.seat, self.actor = int(state.seat), int(state.actor)
        self.players = state.players[: int(state.num_players)]
        frames = [state.stack[index] for index in range(int(state.depth))]
        stops = state.user if not frames or frames[-1].point != layout.STOP else frames[-1].user
        self.user = int(stops)
        self.place = next(
            (int(frame.seat) for frame in reversed(frames) if frame.point in (layout.WINDOW, layout.SEATS)), NONE
        )

    @property
    def owned(self) -> dict[int, list[int]]:
        """The leaders of each seat."""
        found: dict[int, list[int]] = {}
        for leader in range(layout.LEADERS):
            found.setdefault(int(self.state.owner[leader]), []).append(leader)
        return found

    def dead(self, seat: int) -> list[int]:
        """The leaders of a seat that are in the tanks."""
        return [leader for leader in self.owned.get(seat, []) if not self.state.alive[leader]]

    def on_one_side(self, seat: int, other: int) -> bool:
        """Whether two seats, neither of them -1, are allied or the same."""
        return NONE not in (seat, other) and (seat == other or standing.allied(self.state, seat, other))

    def sided_with(self, faction: int, seat: int) -> bool:
        """Whether a seat is the seat of a faction that plays with its power, or its ally."""
        return self.on_one_side(standing.seat_with_power(self.state, faction), seat)

    def cards(self, seat: int) -> int:
        """The size of a hand, without the cards of a hidden plan."""
        return int(self.players[seat].hand.sum())

    def limit(self, seat: int) -> int:
        """The most cards that a seat may hold."""
        faction = int(self.players[seat].faction) if self.state.powers else layout.ATREIDES
        return int(self.printed.hand_limit[faction])

    def is_eligible(self, seat: int) -> bool:
        """Whether a seat may buy a card."""
        return not self.state.silenced[seat] and self.cards(seat) < self.limit(seat)

    def holds_karama(self, seat: int) -> bool:
        """Whether a seat holds a card that works as a Karama."""
        hand = self.players[seat].hand
        return bool(
            hand[layout.KARAMA_CARD]
            or (hand[layout.WORTHLESS] and seat == standing.seat_with_power(self.state, layout.BENE_GESSERIT))
        )

    def funds(self, seat: int) -> int:
        """What a seat may spend on a bid or a shipment."""
        pledged = (
            min(int(player.pledge), int(player.spice))
            for other, player in enumerate(self.players)
            if other != seat and standing.allied(self.state, seat, other)
        )
        return int(self.players[seat].spice) + sum(pledged)

    def cells(self, territory: int) -> range:
        """The cells of a territory."""
        first = int(self.printed.first_cell[territory])
        return range(first, first + int(self.printed.num_cells[territory]))

    def is_stormy(self, cell: int) -> bool:
        """Whether a cell is in the storm's sector."""
        return bool(self.printed.sector[cell] == self.state.storm)

    def has_free_tokens(self, seat: int, territory: int) -> bool:
        """Whether a seat has tokens in a territory outside the storm."""
        forces = self.players[seat].forces
        return any(forces[cell] and not self.is_stormy(cell) for cell in self.cells(territory))

    def occupies(self, seat: int, territory: int) -> bool:
        """Whether a seat has tokens in a territory."""
        cells = self.cells(territory)
        return bool(self.players[seat].forces[cells.start : cells.stop].any())

    def may_enter(self, seat: int, territory: int) -> bool:
        """Whether a seat may enter a territory."""
        others = [other for other in range(len(self.players)) if other != seat and self.occupies(other, territory)]
        if len(others) >= 2 and self.printed.stronghold_of[territory] != NONE:
            return False
        return territory == self.printed.polar_sink or not any(
            standing.allied(self.state, seat, other) for other in others
        )

    def tokens_in(self, seat: int, field: int, first: int = 0) -> int:
        """The tokens of a seat in a field, from a cell on."""
        names, forces = self.printed.field_of[int(self.state.storm)], self.players[seat].forces
        territory = self.cells(int(self.printed.territory_of[field]))
        return sum(int(forces[cell]) for cell in territory if names[cell] == field and cell >= first)

    def is_due(self, seat: int, other: int, field: int) -> bool:
        """Whether two seats have to fight in a field."""
        if self.on_one_side(seat, other) or self.printed.territory_of[field] == self.printed.polar_sink:
            return False
        return self.tokens_in(seat, field) > 0 and self.tokens_in(other, field) > 0

    def battler(self, side: int) -> int:
        """The seat on a side of the battle."""
        return int(self.state.defender) if side == layout.DEFENDER else self.actor

    def can_fight(self, leader: int, side: int) -> bool:
        """Whether a leader is available to a side of the battle."""
        state, seat, enemy = self.state, self.battler(side), self.battler(1 - side)
        territory = self.printed.territory_of[int(state.field)]
        if state.owner[leader] != seat or not state.alive[leader] or state.used[leader] not in (NONE, territory):
            return False
        if state.returned[leader] and enemy == standing.seat_with_power(state, layout.TLEILAX):
            return False
        return bool(self.players[enemy].faction != self.printed.faction_of[leader])

    def accuser(self, side: int) -> int:
        """The seat that may call the enemy's leader a traitor for a side of the battle, -1 for nobody."""
        leader = int(self.state.plans[1 - side].leader)
        if leader < 0 or leader == layout.HERO:
            return NONE
        harkonnen = standing.seat_with_power(self.state, layout.HARKONNEN)
        for seat in (self.battler(side), harkonnen if self.on_one_side(harkonnen, self.battler(side)) else NONE):
            if seat != NONE and int(self.players[seat].traitors) >> leader & 1:
                return seat
        return NONE


Check = Callable[[Moment], str]


def fault(key: str, value: object, needed: str) -> str:
    """The sentence that names a key, its value and what is needed."""
    return f"{key}: expected {needed}, got {value}"

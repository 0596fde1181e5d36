"""Facts that texts need about a position and its decision, worked out from a state dictionary or from a view.

A value that a view hides is None here too. If the hidden value is only a part of another value, it counts as nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dunaia_env.dune import board
from dunaia_env.dune.components import Components, values
from dunaia_env.dune.standing import WON
from dunaia_env.dune.state import BENE_GESSERIT, CHEAP_HERO, FREMEN, GUILD, MIN_PLAYERS, NONE, SECTORS

Content = Mapping[str, Any]


def shown_sector(sector: int) -> int:
    """The number of a sector as people see it, from 1; files and arrays number sectors from 0."""
    return sector + 1


def strongholds(score: int) -> int:
    """The number of strongholds in a score, which also says whether the seat has won."""
    return score % WON


class Facts:
    """A position, prepared for texts.

    Attributes:
        content: the state dictionary or view.
        components: the components of the game.
        printed: the `values` of the components.
        seat: the deciding seat; -1 if nobody decides or a view hides it.
        decision: the name of the decision; None if a view hides it.
        pending: what is known of the moment.
        players: the players' parts of the content, by seat.
    """

    def __init__(self, content: Content, components: Components) -> None:
        self.content, self.components, self.printed = content, components, values(components)
        seat = content["seat"]
        self.seat: int = NONE if seat is None else seat
        self.decision: str | None = content["decision"]
        self.pending: Mapping[str, Any] = content["pending"]
        self.players: list[Mapping[str, Any]] = content["players"]

    # Seats

    def faction(self, seat: int) -> int:
        """The faction of a seat."""
        return int(self.players[seat]["faction"])

    def seat_of(self, faction: int) -> int:
        """The seat of a faction; -1 if it is not at the table."""
        return next((seat for seat, player in enumerate(self.players) if player["faction"] == faction), NONE)

    def with_power(self, faction: int) -> int:
        """The seat of a faction that plays with its power; -1 if there is none."""
        return self.seat_of(faction) if self.content["options"]["powers"] else NONE

    def allies(self, seat: int) -> list[int]:
        """The other seats of a seat's alliance."""
        alliance = self.content["alliance"]
        return [
            other
            for other in range(len(self.players))
            if other != seat and alliance[seat] != NONE and alliance[other] == alliance[seat]
        ]

    def held(self, seat: int) -> int:
        """The number of strongholds that a seat's side occupies."""
        return strongholds(int(self.content["scores"][seat]))

    def spice_of_side(self, seat: int) -> int | None:
        """The spice of all members of a seat's side; None if some of it is hidden."""
        amounts = [self.players[member]["spice"] for member in (seat, *self.allies(seat))]
        return None if None in amounts else sum(amounts)

    def named(self, offset: int) -> int:
        """The seat that sits ``offset`` places to the right of the deciding seat."""
        return (self.seat + offset) % len(self.players)

    def hand_size(self, seat: int) -> int | None:
        """The number of a seat's cards, including the cards of a hidden plan; None if it is not known."""
        player = self.players[seat]
        if "hand_count" in player:
            return int(player["hand_count"])
        if player["hand"] is None:
            return None
        return len(player["hand"]) + (0 if self.pending.get("plans_shown") else len(self.plan_cards(seat)))

    def plan(self, seat: int) -> Mapping[str, Any]:
        """The known parts of a battler's plan."""
        plans: Sequence[Mapping[str, Any]] = self.pending.get("plans") or ({}, {})
        battlers = (self.content["actor"], self.pending.get("defender"))
        return next((plan for battler, plan in zip(battlers, plans, strict=True) if battler == seat), {})

    def plan_cards(self, seat: int) -> list[int]:
        """The kinds of the cards of a battler's plan, as far as they are known."""
        plan = self.plan(seat)
        cards = [kind for kind in (plan.get("weapon", NONE), plan.get("defence", NONE)) if kind != NONE]
        return [*([CHEAP_HERO] if plan.get("hero") else []), *cards]

    # The board

    def territory(self, cell: int) -> int:
        """The territory of a cell."""
        return int(self.printed.territory_of[cell])

    def cells(self, territory: int) -> range:
        """The cells of a territory."""
        first = self.printed.first_cell[territory]
        return range(first, first + self.printed.num_cells[territory])

    def sector(self, cell: int) -> int:
        """The sector of a cell; -1 for none."""
        return int(self.printed.sector[cell])

    def is_stormy(self, cell: int) -> bool:
        """Whether the storm is in the sector of a cell."""
        return bool(self.sector(cell) == self.content["storm"] != NONE)

    def tokens(self, seat: int, cell: int) -> int:
        """The tokens of a seat in a cell."""
        return int(dict(map(tuple, self.players[seat]["forces"])).get(cell, 0))

    def occupants(self, territory: int) -> list[int]:
        """The seats with tokens in a territory."""
        cells = self.cells(territory)
        return [seat for seat, player in enumerate(self.players) if any(cell in cells for cell, _ in player["forces"])]

    def spice_in(self, territory: int) -> int:
        """The spice that lies in a territory."""
        return sum(amount for cell, amount in self.content["spice"] if cell in self.cells(territory))

    def field(self, cell: int) -> list[int]:
        """The cells of the field that a cell belongs to."""
        names = self.printed.field_of[self.content["storm"] % SECTORS]
        return [other for other, name in enumerate(names) if name == names[cell]]

    def tokens_in_field(self, seat: int, cell: int) -> int:
        """The tokens of a seat in the field that a cell belongs to."""
        return sum(self.tokens(seat, other) for other in self.field(cell))

    # The moment

    @property
    def funds(self) -> int:
        """What the deciding seat may spend on a bid or a shipment, as far as that is known."""
        own = self.players[self.seat]["spice"] or 0
        allies = [self.players[ally] for ally in self.allies(self.seat)]
        return int(own + sum(min(ally["pledge"] or 0, ally["spice"] or 0) for ally in allies))

    def strength(self, leader: int) -> int:
        """The printed strength of a leader."""
        return int(self.printed.strength[leader])

    @property
    def asker(self) -> int:
        """The proposer, the owner of a ransom, or the seat that wants its leader back; -1 if that is not known."""
        if "asked_by" in self.pending:
            return int(self.pending["asked_by"])
        stack: Sequence[Mapping[str, Any]] = self.pending.get("stack") or ({},)
        return int(stack[-1].get("seat", NONE))

    @property
    def battlers(self) -> tuple[int, int]:
        """Aggressor and defender; -1 for a battler who is not known."""
        return int(self.content["actor"]), int(self.pending.get("defender", NONE))

    @property
    def enemy(self) -> int:
        """The enemy of the deciding seat, which is a battler or the ally of a battler; -1 if not known."""
        aggressor, defender = self.battlers
        if self.seat == aggressor or (self.seat != defender and aggressor in self.allies(self.seat)):
            return defender
        return aggressor

    @property
    def own_battler(self) -> int:
        """The battler for whom the deciding seat decides: itself or its ally; -1 if not known."""
        aggressor, defender = self.battlers
        return defender if self.enemy == aggressor else aggressor

    def leaders_for(self, seat: int, field: int) -> list[int]:
        """The leaders that can lead a seat's battle in a field, the strongest first."""
        leaders, free = self.content["leaders"], (NONE, self.territory(field))
        found = [
            leader
            for leader, owner in enumerate(leaders["owner"])
            if owner == seat and leaders["alive"][leader] and leaders["used"][leader] in free
        ]
        return sorted(found, key=self.strength, reverse=True)

    @property
    def taken(self) -> int:
        """The number of tokens named so far."""
        return sum(number for _, number in self.pending.get("taken") or ())

    def price(self, cell: int, tokens: int, *, lifted: bool = False) -> int:
        """The whole price of a landing of the deciding seat; ``lifted`` is true for tokens that were on the board."""
        if not lifted and self.seat == self.with_power(FREMEN):
            return 0
        stronghold = self.printed.type[self.territory(cell)] == board.STRONGHOLD
        whole = tokens * (self.printed.stronghold_price if stronghold else self.printed.landing_price)
        return int((whole + 1) // 2 if self.ships_at_half_price else whole)

    @property
    def ships_at_half_price(self) -> bool:
        """Whether the deciding seat ships at half price: as the Guild or its ally, or by a Karama."""
        guild = self.with_power(GUILD)
        return bool(self.pending.get("half_price")) or (guild != NONE and guild in (self.seat, *self.allies(self.seat)))

    def strongholds_needed(self, seat: int) -> int:
        """How many strongholds a seat's side needs to win."""
        if len(self.players) == MIN_PLAYERS:
            return int(self.printed.strongholds_with_two)
        if self.allies(seat):
            return int(self.content["options"]["alliance_strongholds"])
        return int(self.printed.strongholds_to_win)

    @property
    def flies(self) -> bool:
        """Whether the deciding seat has ornithopters."""
        return any(self.seat in self.occupants(territory) for territory in self.printed.ornithopters)

    @property
    def steps(self) -> int:
        """How many territories far the deciding seat moves."""
        if self.flies:
            return int(self.printed.ornithopter_steps)
        return int(self.printed.fremen_steps if self.seat == self.with_power(FREMEN) else self.printed.steps)

    def orbit_price(self, tokens: int) -> int:
        """The price of lifting tokens into the reserve."""
        return -(-tokens // int(self.printed.orbit_tokens))

    @property
    def voice_target(self) -> int:
        """The battler that gets the Voice's order, who is neither Bene Gesserit nor her ally; -1 if not known."""
        sister = self.seat_of(BENE_GESSERIT)
        friends = (sister, *self.allies(sister)) if sister != NONE else ()
        return next((seat for seat in self.battlers if seat not in friends), NONE)

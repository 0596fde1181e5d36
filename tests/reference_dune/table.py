"""What lies on the table, and the small acts of which the rules consist: asking, gaining, paying, drawing, dying."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from .board import (
    CELLS_OF,
    DOTS,
    DOTS_OF_TABLE,
    SECTOR_OF,
    SECTORS,
    STRONGHOLDS,
    TERRITORY_OF,
    THE_POLAR_SINK,
)
from .chance import Chance, Key
from .components import (
    ACTION_INDEX,
    ATREIDES,
    BENE_GESSERIT,
    DECKS,
    FACTIONS,
    HERO,
    KARAMA,
    KINDS,
    SPICE_DECK,
    SPICE_KINDS,
    STRENGTHS,
    TLEILAX,
    TOKENS,
    WORTHLESS,
    complete_options,
)

Result = TypeVar("Result")
Flow = Generator[None, str, Result]
Menu = Callable[[int], list[str]]


class IllegalActionError(ValueError):
    """The action is not among the legal ones."""


def numbers(low: int, high: int) -> list[str]:
    """Return the texts `number low` .. `number high`; none if high is below low."""
    return [f"number {k}" for k in range(low, high + 1)]


def value(action: str) -> int:
    """Return the number behind the verb."""
    return int(action.split()[1])


def half(x: int) -> int:
    """Return half of x, rounded up."""
    return (x + 1) // 2


@dataclass
class Leader:
    """A leader disc; `home` is the seat of its faction, `owner` whoever it fights for."""

    home: int
    owner: int
    alive: bool
    used: int = -1
    risen: bool = False
    returned: bool = False
    change: int = 0
    change_shown: bool = False


@dataclass
class Plan:
    """A battle plan; -1 is nothing, `hidden` as long as its cards have left the hand."""

    leader: int = -1
    hero: bool = False
    weapon: int = -1
    defence: int = -1
    number: int = -1
    hidden: bool = True

    def cards(self) -> list[int]:
        """The kinds of its cards."""
        return [kind for kind in (HERO if self.hero else -1, self.weapon, self.defence) if kind >= 0]


@dataclass
class Battle:
    """The battle in progress."""

    aggressor: int
    cell: int
    defender: int = -1
    unarmed: list[int] = field(default_factory=list)
    order: str = ""
    ordered: int = -1
    question: str = ""
    helped: int = -1
    shown_element: dict[str, Any] = field(default_factory=dict)
    plans: dict[int, Plan] = field(default_factory=dict)
    treason: dict[int, bool] = field(default_factory=dict)

    @property
    def territory(self) -> int:
        return TERRITORY_OF[self.cell]


@dataclass
class Player:
    """Everything that belongs to one seat; `forces` by cell, cards as ascending lists of kinds."""

    faction: int
    dot: int
    spice: int
    debts: list[int]
    reserve: int = TOKENS
    tanks: int = 0
    forces: dict[int, int] = field(default_factory=dict)
    hand: list[int] = field(default_factory=list)
    shown: list[int] = field(default_factory=list)
    foreseen: list[int] = field(default_factory=list)
    discs: list[int] = field(default_factory=list)
    traitors: list[int] = field(default_factory=list)
    reviving: bool = False
    pledge: int = 0
    laid: int = -1
    laid_on: int = -1


class Table:
    """The position and the acts that every chapter needs.

    Args:
        players: 2 to 6.
        factions: by seat, or None when they are drawn.
        options: those that differ from the defaults.
        chance: where the draws of the set-up come from.
    """

    def __init__(self, players: int, factions: Sequence[int] | None, options: dict[str, Any], chance: Chance) -> None:
        if players not in DOTS_OF_TABLE:
            raise ValueError(f"{players} players; the game is for 2 to 6")
        self.options = complete_options(players, options)
        known = 7 if self.options["tleilax"] else 6
        if factions is not None and (
            len(factions) != players or len(set(factions)) != players or not set(factions) <= set(range(known))
        ):
            raise ValueError(f"expected {players} different factions of 0..{known - 1}, got {list(factions)}")
        self.given_factions = None if factions is None else list(factions)
        self.number_of_players = players
        self.chance = chance
        self.seat, self.decision, self.menu = -1, "", [""]
        self.about: dict[str, Any] = {}  # what the asked seat sees of the question
        self.phase, self.actor, self.turn = "setup", -1, 0
        self.over, self.how, self.winners = False, "", []
        self.storm, self.shield_wall, self.wheels, self.last_blow = 0, True, [-1, -1], -1
        self.spice: dict[int, int] = {}
        self.bank = 0  # spice returned to the bank less spice taken from it, since the start
        self.spice_deck, self.spice_discards = list(SPICE_DECK), [0] * SPICE_KINDS
        self.foreseen_spice = -1
        self.deck = list(DECKS[self.options["deck"]])
        self.discards, self.hidden_discards, self.removed = [0] * KINDS, [0] * KINDS, [0] * KINDS
        self.top, self.top_seen, self.sale, self.sale_seen = -1, False, -1, False
        self.alliances: list[set[int]] = []
        self.silenced: set[int] = set()
        self.prediction: dict[str, int] | None = None
        self.truths: list[list[Any]] = []
        self.sight_stopped, self.embargo = False, False
        self.dials: dict[int, int] = {}
        self.bidding: dict[str, int] = {}
        self.ransom: dict[str, int] = {}
        self.battle: Battle | None = None
        self.spice_draws = self.swaps = 0  # of the game
        self.bonuses = 0  # second cards of Harkonnen, of the turn
        self.players: list[Player] = []
        self.leaders = [Leader(-1, -1, False) for _ in STRENGTHS]

    def take_seats(self) -> None:
        """Draw the factions unless they are given, and lay out what is printed."""
        n = self.number_of_players
        left = list(range(7 if self.options["tleilax"] else 6))
        for seat in range(n):
            if self.given_factions is None:
                faction = left.pop(self.chance.draw(len(left), ("faction", seat)))
            else:
                faction = self.given_factions[seat]
            printed = FACTIONS[faction]
            player = Player(faction, DOTS[DOTS_OF_TABLE[n][seat]], printed.spice, [0] * n)
            self.players.append(player)
            if printed.start is not None:
                self.land(seat, *printed.start)
            for leader, disc in enumerate(self.leaders):
                if leader // 5 == faction:
                    disc.home = disc.owner = seat
                    disc.alive = True

    # Asking

    def ask(self, seat: int, decision: str, legal: Iterable[str], **about: Any) -> Flow[str]:
        """Return the action chosen; a single legal one is applied by itself."""
        menu = sorted(legal, key=ACTION_INDEX.__getitem__)
        if not menu or len(set(menu)) != len(menu):
            raise AssertionError(f"{decision}: the menu {menu} is empty or names an action twice")
        if len(menu) == 1:
            return menu[0]
        self.seat, self.decision, self.menu, self.about = seat, decision, menu, about
        return (yield)

    def window(self, decision: str, menu: Menu, play: Callable[[int, str], Flow[None]], seats: list[int]) -> Flow[None]:
        """Go through the seats; each is asked as long as it has something to play and plays it."""
        for seat in seats:
            while texts := menu(seat):
                action = yield from self.ask(seat, decision, ["pass", *texts])
                if action == "pass":
                    break
                yield from play(seat, action)

    def name_seat(self, asker: int, target: int) -> str:
        """Return the action text by which `asker` names another seat."""
        return f"seat {(target - asker) % self.number_of_players}"

    def named_seat(self, asker: int, action: str) -> int:
        """Return the seat that `asker` named."""
        return (asker + value(action)) % self.number_of_players

    # Seats

    @property
    def seats(self) -> range:
        return range(self.number_of_players)

    def to_the_right(self, seat: int) -> list[int]:
        """The other seats, beginning to the right of this one."""
        return [(seat + k) % self.number_of_players for k in range(1, self.number_of_players)]

    def turn_order(self) -> list[int]:
        first = min(self.seats, key=lambda seat: (self.players[seat].dot - self.storm - 1) % SECTORS)
        return [first, *self.to_the_right(first)]

    def power(self, faction: int) -> int:
        """Return the seat of a faction whose powers count, -1 if it is absent or the game is without powers."""
        if self.options["powers"]:
            for seat, player in enumerate(self.players):
                if player.faction == faction:
                    return seat
        return -1

    def side(self, seat: int) -> set[int]:
        """The seat and its allies."""
        return next((members for members in self.alliances if seat in members), {seat})

    def allies(self, seat: int) -> list[int]:
        """The allies, beginning to the right of the seat."""
        return [other for other in self.to_the_right(seat) if other in self.side(seat)]

    def allied(self, one: int, other: int) -> bool:
        """Whether they are of one side; a seat and itself are. -1 is of no side."""
        return other in self.side(one)

    def others(self, seat: int) -> list[int]:
        """The seats that are not of this seat's side."""
        return [other for other in self.seats if not self.allied(seat, other)]

    # Tokens

    def stormy(self, cell: int) -> bool:
        return SECTOR_OF[cell] == self.storm

    def occupies(self, seat: int, territory: int) -> bool:
        return any(TERRITORY_OF[cell] == territory for cell in self.players[seat].forces)

    def may_be_entered(self, seat: int, territory: int) -> bool:
        there = [other for other in self.seats if other != seat and self.occupies(other, territory)]
        if territory in STRONGHOLDS and len(there) >= 2:
            return False
        return territory == THE_POLAR_SINK or not any(self.allied(seat, other) for other in there)

    def free_cells(self, seat: int, territory: int) -> list[int]:
        """The cells of a territory with own tokens and without storm."""
        return [c for c in CELLS_OF[territory] if self.players[seat].forces.get(c) and not self.stormy(c)]

    def land(self, seat: int, cell: int, tokens: int) -> None:
        """Put tokens from the reserve on the board."""
        self.players[seat].reserve -= tokens
        self.add(seat, cell, tokens)

    def add(self, seat: int, cell: int, tokens: int) -> None:
        forces = self.players[seat].forces
        if tokens:
            forces[cell] = forces.get(cell, 0) + tokens

    def lift(self, seat: int, cell: int, tokens: int) -> None:
        """Take tokens off a cell; where they go is the caller's business."""
        forces = self.players[seat].forces
        if tokens:
            forces[cell] -= tokens
            if forces[cell] == 0:
                del forces[cell]

    def kill(self, seat: int, cell: int, tokens: int | None = None) -> None:
        """Send tokens, all by default, to the tanks; the Tleilaxu's tanks are their reserve."""
        player = self.players[seat]
        tokens = player.forces.get(cell, 0) if tokens is None else tokens
        self.lift(seat, cell, tokens)
        if player.faction == TLEILAX and self.power(TLEILAX) == seat:
            player.reserve += tokens
        else:
            player.tanks += tokens

    # Leaders

    def own_leaders(self, seat: int, alive: bool) -> list[int]:
        return [number for number, leader in enumerate(self.leaders) if leader.owner == seat and leader.alive == alive]

    def kill_leader(self, number: int) -> None:
        """To the tanks; a stolen leader to those of its first owner."""
        leader = self.leaders[number]
        leader.alive = False
        if leader.owner != leader.home:
            leader.owner, leader.risen = leader.home, False

    def raise_leader(self, number: int, risen: bool = False) -> None:
        """A leader comes back from the tanks."""
        leader = self.leaders[number]
        leader.alive, leader.risen = True, risen
        leader.returned = leader.returned or self.options["tleilax"]

    # Spice

    def gain(self, seat: int, amount: int) -> None:
        """Receive spice; a debtor's creditors receive it first."""
        player = self.players[seat]
        for creditor in self.to_the_right(seat):
            part = min(amount, player.debts[creditor])
            if part:
                player.debts[creditor] -= part
                amount -= part
                self.gain(creditor, part)
        player.spice += amount

    def gain_from_bank(self, seat: int, amount: int) -> None:
        self.bank -= amount
        self.gain(seat, amount)

    def spend(self, seat: int, amount: int, receiver: int = -1) -> None:
        """Pay out of one's own spice, to the bank by default."""
        if not 0 <= amount <= self.players[seat].spice:
            raise AssertionError(f"seat {seat} cannot pay {amount}")
        self.players[seat].spice -= amount
        if receiver < 0:
            self.bank += amount
        else:
            self.gain(receiver, amount)

    def funds(self, seat: int) -> int:
        """What a seat may spend on a bid or a shipment."""
        pledged = sum(min(self.players[ally].pledge, self.players[ally].spice) for ally in self.allies(seat))
        return self.players[seat].spice + pledged

    def pay(self, seat: int, amount: int, receiver: int = -1) -> None:
        """Pay a bid or a shipment, own spice first, then the allies' pledges; nobody pays himself."""
        own = min(amount, self.players[seat].spice)
        self.players[seat].spice -= own
        rest, to_receiver = amount - own, own
        for ally in self.allies(seat):
            other = self.players[ally]
            part = min(rest, other.pledge, other.spice)
            other.pledge -= part
            other.spice -= part
            rest -= part
            to_receiver += part if ally != receiver else 0
        if rest:
            raise AssertionError(f"seat {seat} cannot pay {amount}")
        if receiver in {-1, seat}:
            to_receiver = 0
        self.bank += amount - to_receiver
        if to_receiver:
            self.gain(receiver, to_receiver)

    def sweep_spice(self, cells: Iterable[int]) -> None:
        """The spice of these cells goes to the bank."""
        for cell in cells:
            self.bank += self.spice.pop(cell, 0)

    # Cards

    def limit(self, seat: int) -> int:
        return FACTIONS[self.players[seat].faction].hand_limit if self.options["powers"] else 4

    def cards_left(self) -> int:
        """How many cards can still be drawn."""
        return sum(self.deck) + sum(self.discards) + sum(self.hidden_discards)

    def draw_card(self, key: Key) -> int:
        """Draw a treachery card; the discards become the deck when it is empty. -1 if there is none at all."""
        if not sum(self.deck):
            for pile in (self.discards, self.hidden_discards):
                for kind in range(KINDS):
                    self.deck[kind] += pile[kind]
                    pile[kind] = 0
        if not sum(self.deck):
            return -1
        ascending = [kind for kind in range(KINDS) for _ in range(self.deck[kind])]
        kind = ascending[self.chance.draw(len(ascending), key)]
        self.deck[kind] -= 1
        return kind

    def give_card(self, seat: int, kind: int, seen: bool = False) -> None:
        """A card enters a hand; `seen` when Atreides saw it arrive."""
        insort(self.players[seat].hand, kind)
        if seen and seat != self.power(ATREIDES):
            insort(self.players[seat].foreseen, kind)

    def lose_marks(self, seat: int, kind: int) -> None:
        """One card of the kind leaves the lists of known cards."""
        for marks in (self.players[seat].shown, self.players[seat].foreseen):
            if kind in marks:
                marks.remove(kind)

    def discard(self, seat: int, kind: int) -> None:
        """A card leaves the hand openly for the discards."""
        self.lose_marks(seat, kind)
        self.players[seat].hand.remove(kind)
        self.discards[kind] += 1

    def draw_spice_card(self) -> int:
        """Draw a spice card; the discards become the pile when it is empty."""
        if not sum(self.spice_deck):
            self.spice_deck, self.spice_discards = self.spice_discards, [0] * SPICE_KINDS
        kinds = range(15) if self.turn == 1 and self.phase == "blow" else range(SPICE_KINDS)
        ascending = [kind for kind in kinds for _ in range(self.spice_deck[kind])]
        kind = ascending[self.chance.draw(len(ascending), ("spice", self.spice_draws))]
        self.spice_draws += 1
        self.spice_deck[kind] -= 1
        return kind

    # Karama

    def has_karama(self, seat: int) -> bool:
        """Whether a seat holds a card that works as a Karama."""
        hand = self.players[seat].hand
        return KARAMA in hand or (seat == self.power(BENE_GESSERIT) and WORTHLESS in hand)

    def spend_karama(self, seat: int) -> Flow[bool]:
        """Discard a Karama; return whether it works. Bene Gesserit's worthless card can be stopped."""
        if seat == self.power(BENE_GESSERIT) and WORTHLESS in self.players[seat].hand:
            self.discard(seat, WORTHLESS)
            return not (yield from self.stopped("worthless", seat))
        self.discard(seat, KARAMA)
        return True

    def stopped(self, name: str, user: int, **about: Any) -> Flow[bool]:
        """Ask whoever is not of the user's side, in turn order, until somebody stops the power."""
        for holder in self.turn_order():
            while not self.allied(user, holder) and self.has_karama(holder):
                action = yield from self.ask(holder, "KARAMA", ["karama", "pass"], name=name, user=user, **about)
                if action == "pass":
                    break
                if (yield from self.spend_karama(holder)):
                    return True
        return False

    # Counting tokens

    def count(
        self, seat: int, cells: Sequence[int], reach: dict[int, set[Any]], most: int = TOKENS
    ) -> Flow[tuple[dict[int, int], set[Any]]]:
        """COUNT for each cell in rising order; return the tokens by cell and the targets that all of them reach."""
        counts: dict[int, int] = {}
        targets: set[Any] | None = None
        for place, cell in enumerate(cells):
            common = reach[cell] if targets is None else targets & reach[cell]
            high = min(self.players[seat].forces[cell], most - sum(counts.values())) if common else 0
            legal = numbers(1, high)
            if counts or any(reach[later] for later in cells[place + 1 :]):
                legal.append("number 0")
            so_far = [[c, k] for c, k in counts.items()]
            given = value((yield from self.ask(seat, "COUNT", legal, cell=cell, counts=so_far)))
            if given:
                counts[cell] = given
                targets = common
        return counts, targets or set()


def polar_or_cell(target: Any) -> str:
    """The action text of a target: a cell, or `orbit`."""
    return target if isinstance(target, str) else f"cell {target}"

"""The rules as one slow, readable class.

The course of a game is a generator that reads like the rulebook: it stops at every decision (`_ask`) and
continues with the action chosen. Chance is asked for through `draw(n)`, from a recorded `Tape` or a live
`RandomChance`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from .components import (
    ACTION_INDEX,
    ARTEFACT_POINTS,
    CHARACTERS,
    CHIP_SQUARES,
    DISPLAY_PRICE,
    EDGE_CAPACITY,
    EDGES,
    ELDER_COST,
    ELDERS,
    FLOWER_SQUARES,
    FRAGMENTS_PER_TYPE,
    LEVEL_1_CHIPS,
    LEVEL_1_FLOWERS,
    LEVEL_1_MOVES,
    MARKERS_PER_COLOUR,
    NEIGHBOURS,
    NEUTRAL_DICE,
    PILE_PRICE,
    POINTS_PER_FURTHER_ARTEFACT,
    PROPHECY_POINTS,
    START_EDGES,
    START_FLOWERS,
    START_TOKENS,
    STEPS_TO_COMPLETE,
    TILES,
    TILES_OF_LEVEL,
    Arrow,
    Tile,
)

Result = TypeVar("Result")
Flow = Generator[None, str, Result]
Choice = tuple[str, list[int]]

WINDOWS = ("CHOOSE_DIE", "AWAKEN", "RECYCLE", "BEFORE_PROPHECY", "END_TURN")
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8))
CORNERS = (0, 2, 6, 8)
RESERVED_OFFER, FOUND_OFFER = 6, 7


class TapeError(Exception):
    """The recorded draws are not the draws that the rules ask for."""


class IllegalActionError(ValueError):
    """The action is not among the legal ones."""


class Chance(Protocol):
    """A source of chance."""

    def draw(self, n: int) -> int:
        """Return one of 0..n-1."""


class Tape:
    """Recorded draws, played back in order.

    Args:
        draws: the recorded `[n, outcome]` pairs.
    """

    def __init__(self, draws: Iterable[Sequence[int]]) -> None:
        self._draws = [tuple(pair) for pair in draws]
        self._position = 0

    def draw(self, n: int) -> int:
        """Return the next recorded outcome; a `TapeError` unless it was recorded for the same `n`."""
        if self._position == len(self._draws):
            raise TapeError(f"draw {self._position}: draw({n}) is due, but nothing more is recorded")
        pair = self._draws[self._position]
        if len(pair) != 2 or pair[0] != n or not 0 <= pair[1] < n:
            raise TapeError(f"draw {self._position}: draw({n}) is due, recorded is {list(pair)}")
        self._position += 1
        return pair[1]

    def finish(self) -> None:
        """Raise a `TapeError` if recorded draws are left over."""
        if self._position < len(self._draws):
            left = [list(pair) for pair in self._draws[self._position :]]
            raise TapeError(f"draw {self._position}: no further draw is due, recorded are {left}")


class RandomChance:
    """Live chance that also records what it drew, in `draws`, as `[n, outcome]` pairs."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.draws: list[list[int]] = []

    def draw(self, n: int) -> int:
        """Return one of 0..n-1, each equally likely."""
        outcome = self._random.randrange(n)
        self.draws.append([n, outcome])
        return outcome


@dataclass
class Building:
    """A tile on a player's board."""

    tile: int
    steps: int = 0
    built: bool = False
    markers: set[int] = field(default_factory=set)
    die: bool = False

    @property
    def printed(self) -> Tile:
        """What is printed on the tile."""
        return TILES[self.tile]

    @property
    def colours(self) -> set[int]:
        """The printed colours and those of the markers."""
        return set(self.printed.colours) | self.markers


@dataclass
class Player:
    """Everything that belongs to one seat; `chips` are the plugged ones, `tokens` the free ones."""

    flowers: int = START_FLOWERS
    chips: set[int] = field(default_factory=set)
    tokens: int = START_TOKENS
    dunaias: list[int] = field(default_factory=lambda: list(START_EDGES))
    squares: list[Building | None] = field(default_factory=lambda: [None] * 9)
    fragments: set[int] = field(default_factory=set)
    artefacts: int = 0
    character: int = -1
    reserved: int = -1
    power_used: bool = False

    def has_character(self, name: str) -> bool:
        """Whether the player holds the character of that name."""
        return self.character >= 0 and CHARACTERS[self.character] == name

    def building(self, square: int) -> Building:
        """The building on that square, which must carry one."""
        building = self.squares[square]
        assert building is not None, f"square {square} is empty"
        return building

    def completed(self, square: int) -> Building | None:
        """The completed building on that square, if there is one."""
        building = self.squares[square]
        return building if building is not None and building.built else None

    def completed_squares(self) -> list[int]:
        """The squares that carry a completed building."""
        return [square for square in range(9) if self.completed(square) is not None]

    def unfinished_squares(self) -> list[int]:
        """The squares that carry a building under construction."""
        return [square for square in range(9) if self.squares[square] and not self.completed(square)]

    def empty_squares(self) -> list[int]:
        """The squares without a building."""
        return [square for square, building in enumerate(self.squares) if building is None]

    def satisfied_arrows(self, square: int) -> list[Arrow]:
        """The arrows of the building on `square` whose neighbour is completed and has the arrow's colour."""
        satisfied = []
        for side, arrow in self.building(square).printed.arrows.items():
            if side in NEIGHBOURS[square]:
                neighbour = self.completed(NEIGHBOURS[square][side])
                if neighbour is not None and arrow.colour in neighbour.colours:
                    satisfied.append(arrow)
        return satisfied


class Game:
    """One game, waiting for a decision of `seat` or over.

    Args:
        players: 2 to 4.
        elites: whether the elite characters are drafted.
        max_rounds: the round after which the game stops at the latest.
        tape: chance for the set-up and all forced decisions before the first asked one.
    """

    def __init__(self, players: int, elites: bool, max_rounds: int, tape: Chance) -> None:
        if players not in NEUTRAL_DICE:
            raise ValueError(f"players is {players}; 2, 3 or 4 are allowed")
        if max_rounds < 1:
            raise ValueError(f"max_rounds is {max_rounds}; at least 1 is allowed")
        self._chance = tape
        self.num_players = players
        self.max_rounds = max_rounds
        self.seat = 0
        self.round = 1
        self.final_round: int | None = None
        self.over = False
        self.truncated = False
        self.decision = ""
        self.pending: dict[str, Any] = {}
        self.die = 0
        self.woken = 0
        self.players = [Player() for _ in range(players)]
        self._legal: list[str] = []
        self._set_up(elites)
        self._flow = self._whole_game()
        self._run(None)

    # What others see

    def legal(self) -> list[str]:
        """Return the canonical texts of the legal actions in the order of the action table."""
        return list(self._legal)

    def apply(self, text: str, tape: Chance) -> None:
        """Perform a legal action and every forced decision after it, with chance from `tape`."""
        if text not in self._legal:
            raise IllegalActionError(f"{text!r} is not legal in {self.decision}; allowed is {self._legal}")
        self._chance = tape
        self._run(text)

    def resume(self, seat: int, window: str, tape: Chance) -> None:
        """Continue at the start of `window` in `seat`'s turn after the position was changed by hand."""
        self._chance = tape
        self._flow = self._rounds(seat, window)
        self._run(None)

    def to_dict(self) -> dict[str, Any]:
        """Return the state dictionary of the replay format."""
        return {
            "seat": self.seat,
            "decision": self.decision,
            "round": self.round,
            "final_round": self.final_round,
            "max_rounds": self.max_rounds,
            "over": self.over,
            "truncated": self.truncated,
            "dice": {"neutral": list(self.neutral), "own": list(self.own)},
            "die": self.die,
            "woken": self.woken,
            "pending": dict(self.pending),
            "display": [self.display[level] for level in (1, 2, 3)],
            "pile_top": [self.pile_top[level] for level in (1, 2, 3)],
            "piles": [sorted(self.piles[level]) for level in (1, 2, 3)],
            "elders": list(self.elders),
            "fragments": list(self.fragments),
            "colour_markers": list(self.colour_markers),
            "prophecies": [{"id": prophecy, "owner": owner} for prophecy, owner in self.prophecies.items()],
            "characters_available": sorted(self.characters_available),
            "players": [self._player_dict(player) for player in self.players],
            "scores": self.scores(),
        }

    @staticmethod
    def _player_dict(player: Player) -> dict[str, Any]:
        return {
            "flowers": player.flowers,
            "chips": sorted(player.chips),
            "tokens": player.tokens,
            "dunaias": list(player.dunaias),
            "squares": [
                None
                if building is None
                else {
                    "tile": building.tile,
                    "steps": building.steps,
                    "built": building.built,
                    "colours": sorted(building.markers),
                    "die": building.die,
                }
                for building in player.squares
            ],
            "fragments": sorted(player.fragments),
            "artefacts": player.artefacts,
            "character": player.character,
            "reserved": player.reserved,
            "power_used": player.power_used,
        }

    def scores(self) -> list[int]:
        """Return each seat's score as if the game ended now."""
        return [self._score(seat) for seat in range(self.num_players)]

    def _score(self, seat: int) -> int:
        player = self.players[seat]
        score = player.flowers // 3
        for square in player.completed_squares():
            score += player.building(square).printed.level
            score += sum(arrow.points for arrow in player.satisfied_arrows(square))
        score += sum(PROPHECY_POINTS[held] for held, owner in self.prophecies.items() if owner == seat)
        listed = min(player.artefacts, len(ARTEFACT_POINTS) - 1)
        return score + ARTEFACT_POINTS[listed] + POINTS_PER_FURTHER_ARTEFACT * (player.artefacts - listed)

    def ranks(self) -> list[int]:
        """Return each seat's rank, 1 plus the number of seats strictly ahead."""
        owners = list(self.prophecies.values())
        flowers = [player.flowers for player in self.players]
        held = [owners.count(seat) for seat in range(self.num_players)]
        standing = list(zip(self.scores(), held, flowers, strict=True))
        return [1 + sum(other > mine for other in standing) for mine in standing]

    # Set-up and the course of the game

    def _set_up(self, elites: bool) -> None:
        elders = set(range(len(ELDERS)))
        self.elders = [self._draw_from(elders) for _ in range(3)]
        self.fragments = [FRAGMENTS_PER_TYPE] * 3
        self.colour_markers = [MARKERS_PER_COLOUR] * 4
        self.prophecies = {first + self._chance.draw(3): -1 for first in (0, 3, 6)}
        self.characters_available: set[int] = set()
        if elites:
            characters = set(range(len(CHARACTERS)))
            for _ in range(self.num_players + 1):
                self.characters_available.add(self._draw_from(characters))
        self.piles = {level: set(TILES_OF_LEVEL[level]) for level in (1, 2, 3)}
        self.display = dict.fromkeys((1, 2, 3), -1)
        self.pile_top = dict.fromkeys((1, 2, 3), -1)
        for level in (1, 2, 3):
            self.display[level] = self._draw_from(self.piles[level])
            self._reveal_pile_top(level)
        self._roll()

    def _draw_from(self, remaining: set[int]) -> int:
        """Draw one of the remaining ids and take it out."""
        ascending = sorted(remaining)
        drawn = ascending[self._chance.draw(len(ascending))]
        remaining.remove(drawn)
        return drawn

    def _roll(self) -> None:
        self.neutral = [0] * 6
        for _ in range(NEUTRAL_DICE[self.num_players]):
            self.neutral[self._chance.draw(6)] += 1
        self.own = [self._chance.draw(6) + 1 for _ in range(self.num_players)]
        for player in self.players:
            for building in player.squares:
                if building is not None:
                    building.die = False

    def _run(self, action: str | None) -> None:
        """Continue to the next decision that is a real one, or to the end of the game."""
        try:
            if action is None:
                next(self._flow)
            else:
                self._flow.send(action)
            while len(self._legal) == 1:
                self._flow.send(self._legal[0])
        except StopIteration:
            self.decision, self._legal, self.pending = "OVER", [], {}

    def _ask(self, decision: str, actions: Iterable[str], **pending: Any) -> Flow[Choice]:
        self.decision = decision
        self._legal = sorted(actions, key=ACTION_INDEX.__getitem__)
        self.pending = pending
        assert self._legal, f"{decision} offers nothing"
        verb, *arguments = (yield).split()
        return verb, [int(argument) for argument in arguments]

    def _whole_game(self) -> Flow[None]:
        if self.characters_available:
            for seat in reversed(range(self.num_players)):
                self.seat = seat
                drafts = [f"draft {character}" for character in self.characters_available]
                _, (character,) = yield from self._ask("DRAFT", drafts)
                self.player.character = character
                self.characters_available.remove(character)
            self.characters_available.clear()
        yield from self._rounds(0, WINDOWS[0])

    def _rounds(self, first_seat: int, first_window: str) -> Flow[None]:
        while True:
            for seat in range(first_seat, self.num_players):
                self.seat = seat
                yield from self._turn(first_window)
                first_window = WINDOWS[0]
            first_seat = 0
            if self.round in (self.final_round, self.max_rounds):
                break
            self.round += 1
        self.over = True
        self.truncated = self.round != self.final_round
        self.seat = -1

    @property
    def player(self) -> Player:
        """The acting player."""
        return self.players[self.seat]

    def _trigger_end(self) -> None:
        if self.final_round is None:
            self.final_round = self.round + 1

    # A turn

    def _turn(self, first_window: str) -> Flow[None]:
        windows = WINDOWS[WINDOWS.index(first_window) :]
        if "CHOOSE_DIE" in windows:
            if not any(self.neutral) and not any(self.own):
                self._roll()
            yield from self._choose_die()
        if "AWAKEN" in windows:
            yield from self._awaken()
        if "RECYCLE" in windows:
            yield from self._recycle()
        if "BEFORE_PROPHECY" in windows:
            yield from self._window("BEFORE_PROPHECY", lambda: ["pass"])
            self._take_prophecies()
        yield from self._end_turn()
        self.woken = 0
        self.player.power_used = False

    def _window(self, name: str, own_actions: Callable[[], list[str]]) -> Flow[Choice]:
        """Ask until something else than an elder or a power is chosen."""
        while True:
            actions = own_actions() + self._possible_calls() + self._possible_power()
            verb, arguments = yield from self._ask(name, actions)
            if verb == "call":
                yield from self._call(arguments[0])
            elif verb == "power":
                yield from self._use_power()
            else:
                return verb, arguments

    def _choose_die(self) -> Flow[None]:
        def takes() -> list[str]:
            faces = [face for face in range(1, 7) if self.neutral[face - 1]] or [self.own[self.seat]]
            verbs = ["take", "take_flipped"] if self.player.has_character("trickster") else ["take"]
            return [f"{verb} {face}" for verb in verbs for face in faces]

        verb, (face,) = yield from self._window("CHOOSE_DIE", takes)
        if any(self.neutral):
            self.neutral[face - 1] -= 1
        else:
            self.own[self.seat] = 0
        self.die = face if verb == "take" else 7 - face

    def _awaken(self) -> Flow[None]:
        player, dunaia = self.player, self.die

        def squares() -> tuple[int, int]:
            return EDGES[player.dunaias[dunaia - 1]]

        _, (first,) = yield from self._window("AWAKEN", lambda: [f"awaken {square}" for square in squares()])
        (second,) = set(squares()) - {first}
        self.woken = dunaia
        moved = yield from self._waking_effect(first)
        if dunaia not in moved:
            yield from self._waking_effect(second)

    def _waking_effect(self, square: int) -> Flow[set[int]]:
        """Perform what waking does on one square; return the Dunaias that it moved."""
        player, building = self.player, self.player.squares[square]
        if building is None:
            if square in FLOWER_SQUARES:
                player.flowers += 1
            if square in CHIP_SQUARES:
                player.chips.add(self.woken)
            return set()
        if not building.built:
            self._advance_building(square)
            return set()
        if building.printed.level != 2:
            return set()
        arrows = player.satisfied_arrows(square)
        gain = {
            "flowers": sum(arrow.flowers for arrow in arrows),
            "chips": sum(arrow.chips for arrow in arrows),
            "moves": sum(arrow.moves for arrow in arrows),
        }
        gain[building.printed.effect] += 1
        player.flowers += gain["flowers"]
        yield from self._plug_chips(gain["chips"])
        return (yield from self._move_dunaias(gain["moves"]))

    def _recycle(self) -> Flow[None]:
        def spaces() -> list[str]:
            common = ["flower", *self._possible_moves(), *self._possible_plugs(), *self._possible_starts()]
            return common + self._possible_uses()

        verb, arguments = yield from self._window("RECYCLE", spaces)
        self.die = 0
        if verb == "flower":
            self.player.flowers += 1
        elif verb == "move":
            self._move(*arguments)
        elif verb == "plug":
            self.player.chips.add(arguments[0])
        elif verb == "start":
            self._start_offer(*arguments)
        else:
            yield from self._use_building(*arguments)

    def _possible_uses(self) -> list[str]:
        uses = []
        for offset in range(self.num_players):
            if offset > 0 and self.player.flowers == 0:
                break
            owner = self.players[(self.seat + offset) % self.num_players]
            for square in owner.completed_squares():
                building = owner.building(square)
                if building.printed.level == 1 and not building.die:
                    uses.append(f"use {offset} {square}")
        return uses

    def _use_building(self, offset: int, square: int) -> Flow[None]:
        owner = self.players[(self.seat + offset) % self.num_players]
        if offset:
            self.player.flowers -= 1
            owner.flowers += 1
        building = owner.building(square)
        building.die = True
        effect = building.printed.effect
        if effect == "flowers":
            self.player.flowers += LEVEL_1_FLOWERS
        elif effect == "moves":
            yield from self._move_dunaias(LEVEL_1_MOVES)
        elif effect == "advance":
            yield from self._advance_one(optional=False)
        else:
            yield from self._plug_chips(LEVEL_1_CHIPS)

    def _take_prophecies(self) -> None:
        for prophecy, owner in self.prophecies.items():
            if owner < 0 and self._fulfils(prophecy):
                self.prophecies[prophecy] = self.seat
                if all(owner >= 0 for owner in self.prophecies.values()):
                    self._trigger_end()

    def _fulfils(self, prophecy: int) -> bool:
        player = self.player
        completed = set(player.completed_squares())
        levels = {player.building(square).printed.level for square in completed}
        conditions = (
            len(completed) >= 6,
            len(completed) >= 7,
            len(completed) >= 8,
            player.flowers >= 12,
            player.flowers >= 7 and player.artefacts >= 1,
            player.artefacts >= 2,
            any(completed.issuperset(line) for line in LINES),
            levels == {1, 2, 3},
            completed.issuperset(CORNERS),
        )
        return conditions[prophecy]

    def _end_turn(self) -> Flow[None]:
        player = self.player

        def actions() -> list[str]:
            texts = ["pass"]
            if player.has_character("shepherd") and not player.power_used:
                texts += self._possible_moves([self.woken])
            if player.has_character("architect") and not player.power_used and player.reserved < 0:
                texts += [f"reserve {offer}" for offer in range(6) if self._offered_tile(offer) >= 0]
            return texts

        while True:
            verb, arguments = yield from self._window("END_TURN", actions)
            if verb == "pass":
                return
            player.power_used = True
            if verb == "move":
                self._move(*arguments)
            else:
                player.reserved = self._take_offer(arguments[0])

    # Moving, plugging, advancing

    def _possible_moves(self, dunaias: Iterable[int] = range(1, 7)) -> list[str]:
        edges = self.player.dunaias
        return [
            f"move {dunaia} {edge}"
            for dunaia in dunaias
            for edge in range(len(EDGES))
            if edge != edges[dunaia - 1] and edges.count(edge) < EDGE_CAPACITY
        ]

    def _move(self, dunaia: int, edge: int) -> None:
        self.player.dunaias[dunaia - 1] = edge

    def _move_dunaias(self, number: int) -> Flow[set[int]]:
        """Make up to `number` moves; return the Dunaias that moved."""
        moved: set[int] = set()
        for left in range(number, 0, -1):
            verb, arguments = yield from self._ask("MOVE", [*self._possible_moves(), "pass"], moves_left=left)
            if verb == "pass":
                break
            self._move(*arguments)
            moved.add(arguments[0])
        return moved

    def _possible_plugs(self) -> list[str]:
        return [f"plug {chip}" for chip in range(1, 7) if chip not in self.player.chips]

    def _plug_chips(self, number: int) -> Flow[None]:
        for left in range(number, 0, -1):
            plugs = self._possible_plugs()
            if not plugs:
                return
            _, (chip,) = yield from self._ask("PLUG", plugs, chips_left=left)
            self.player.chips.add(chip)

    def _advance_building(self, square: int) -> None:
        player, building = self.player, self.player.building(square)
        building.steps += 1
        if building.steps == STEPS_TO_COMPLETE[building.printed.level]:
            building.built = True
            player.tokens += 1
            if len(player.completed_squares()) == 9:
                self._trigger_end()

    def _advance_one(self, optional: bool) -> Flow[None]:
        advances = [f"advance {square}" for square in self.player.unfinished_squares()]
        if not advances:
            return
        actions = [*advances, "pass"] if optional else advances
        verb, arguments = yield from self._ask("ADVANCE", actions, optional=optional)
        if verb == "advance":
            self._advance_building(arguments[0])

    # Buying

    def _price(self, printed: int) -> int:
        return max(0, printed - 1) if self.player.has_character("merchant") else printed

    def _offered_tile(self, offer: int) -> int:
        if offer == RESERVED_OFFER:
            return self.player.reserved
        level = offer // 2 + 1
        return self.pile_top[level] if offer % 2 else self.display[level]

    def _offer_price(self, offer: int) -> int:
        level = TILES[self._offered_tile(offer)].level
        if offer == RESERVED_OFFER:
            return self._price(min(DISPLAY_PRICE[level], PILE_PRICE[level]))
        return self._price(PILE_PRICE[level] if offer % 2 else DISPLAY_PRICE[level])

    def _possible_starts(self) -> list[str]:
        player = self.player
        if player.tokens == 0:
            return []
        offers = [offer for offer in range(7) if self._offered_tile(offer) >= 0]
        return [
            f"start {offer} {square}"
            for offer in offers
            if self._offer_price(offer) <= player.flowers
            for square in player.empty_squares()
        ]

    def _start_offer(self, offer: int, square: int) -> None:
        price = self._offer_price(offer)
        self._place(self._take_offer(offer), price, square)

    def _place(self, tile: int, price: int, square: int) -> None:
        self.player.flowers -= price
        self.player.tokens -= 1
        self.player.squares[square] = Building(tile)

    def _take_offer(self, offer: int) -> int:
        """Take the tile of an offer and refill the offer."""
        tile = self._offered_tile(offer)
        if offer == RESERVED_OFFER:
            self.player.reserved = -1
            return tile
        level = offer // 2 + 1
        if offer % 2 == 0:
            self.display[level] = self.pile_top[level]
        self._reveal_pile_top(level)
        return tile

    def _reveal_pile_top(self, level: int) -> None:
        self.pile_top[level] = self._draw_from(self.piles[level]) if self.piles[level] else -1

    # Elders

    def _possible_calls(self) -> list[str]:
        chips = self.player.chips
        return [
            f"call {space}"
            for space in range(3)
            if chips.issuperset(ELDER_COST[space])
            and len(chips) >= 3
            and (self._elder_can_act(space) or self._fragment_can_be_taken(space))
        ]

    def _elder_can_act(self, space: int) -> bool:
        power = ELDERS[self.elders[space]]
        if power == "advance":
            return bool(self.player.unfinished_squares())
        if power == "search":
            return bool(self._possible_searches())
        if power == "colour":
            return bool(self._possible_colourings())
        return True

    def _fragment_can_be_taken(self, space: int) -> bool:
        return self.fragments[space] > 0 and space not in self.player.fragments

    def _call(self, space: int) -> Flow[None]:
        player = self.player
        player.chips -= set(ELDER_COST[space])
        discards = [f"discard {chip}" for chip in player.chips]
        _, (third,) = yield from self._ask("DISCARD", discards, call=space)
        player.chips.remove(third)
        power = ELDERS[self.elders[space]]
        if power == "flowers":
            player.flowers += 2
        elif power == "moves":
            yield from self._move_dunaias(2)
        elif power == "advance":
            yield from self._advance_one(optional=True)
        elif power == "search":
            yield from self._search()
        else:
            yield from self._colour()
        if self._fragment_can_be_taken(space):
            self.fragments[space] -= 1
            player.fragments.add(space)
            if len(player.fragments) == 3:
                player.fragments.clear()
                player.artefacts += 1

    def _possible_searches(self) -> list[str]:
        player = self.player
        if player.tokens == 0 or not player.empty_squares():
            return []
        return [
            f"search {tile}"
            for level in (1, 2, 3)
            if self._price(PILE_PRICE[level]) <= player.flowers
            for tile in self.piles[level] | ({self.pile_top[level]} - {-1})
        ]

    def _search(self) -> Flow[None]:
        searches = self._possible_searches()
        if not searches:
            return
        verb, arguments = yield from self._ask("SEARCH", [*searches, "pass"], search=True)
        if verb == "pass":
            return
        (tile,) = arguments
        level = TILES[tile].level
        if tile == self.pile_top[level]:
            self.pile_top[level] = -1
        else:
            self.piles[level].remove(tile)
        places = [f"start {FOUND_OFFER} {square}" for square in self.player.empty_squares()]
        _, (_, square) = yield from self._ask("PLACE", places, found=tile)
        self._place(tile, self._price(PILE_PRICE[level]), square)
        if self.pile_top[level] >= 0:
            self.piles[level].add(self.pile_top[level])
        self._reveal_pile_top(level)

    def _possible_colourings(self) -> list[str]:
        return [
            f"colour {colour} {square}"
            for colour in range(4)
            if self.colour_markers[colour]
            for square, building in enumerate(self.player.squares)
            if building is not None and colour not in building.colours
        ]

    def _colour(self) -> Flow[None]:
        colourings = self._possible_colourings()
        if not colourings:
            return
        verb, arguments = yield from self._ask("COLOUR", [*colourings, "pass"], colour=True)
        if verb == "pass":
            return
        colour, square = arguments
        self.colour_markers[colour] -= 1
        self.player.building(square).markers.add(colour)

    # Once-per-turn powers that are allowed in every window

    def _possible_power(self) -> list[str]:
        player = self.player
        if player.power_used:
            return []
        if player.has_character("foreman"):
            usable = player.flowers >= 2 and bool(player.unfinished_squares())
        else:
            usable = player.has_character("mystic") and len(player.chips) >= 2
        return ["power"] if usable else []

    def _use_power(self) -> Flow[None]:
        player = self.player
        player.power_used = True
        if player.has_character("foreman"):
            player.flowers -= 2
            yield from self._advance_one(optional=False)
            return
        for left in (2, 1):
            discards = [f"discard {chip}" for chip in player.chips]
            _, (chip,) = yield from self._ask("DISCARD", discards, mystic=left)
            player.chips.remove(chip)
        player.flowers += 2
        yield from self._move_dunaias(1)

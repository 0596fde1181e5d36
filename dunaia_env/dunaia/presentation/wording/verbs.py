"""Each verb of the action table as people meet it: where they point, what it says, and why it is not legal.

A verb that `actions.ACTION_TABLE` gets needs a class here, and a template of its sentence in each language.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dunaia import actions, entry_points, state as layout
from dunaia_env.dunaia.components import DISPLAY_PRICE, PILE_PRICE, Components
from dunaia_env.dunaia.presentation.wording import facts
from dunaia_env.dunaia.presentation.wording.facts import WINDOWS, Content, values
from dunaia_env.dunaia.presentation.wording.words import Words
from dunaia_env.dunaia.rules import buildings, elders
from dunaia_env.dunaia.state import NONE
from dunaia_env.harness.presentation import Event


def _tells_nothing(verb: Verb, *arguments: Any) -> bool:
    return False


class Verb:
    """What people see of a verb. The methods get the numbers of the action's text last.

    Attributes:
        decisions: the decisions in which it can be legal.
        pieces: the names of the pieces that a person points at, one after the other, from the position and the seat
            that decides. Different legal actions of a position have different names, and the names of one action never
            begin the names of another.
        sentence: what an action does, as a clause without its subject.
        tells: whether the sentence tells an event already, which may be the deciding seat's own.
        reason: why an action is not legal in one of the verb's decisions, from the records of the state, of the printed
            values and of the deciding player, and with the numbers that `actions.ARGUMENTS` has.
    """

    decisions: tuple[str, ...]
    pieces: Callable[..., tuple[str, ...]]
    sentence: Callable[..., str]
    tells: Callable[..., bool] = _tells_nothing
    reason: Callable[..., str]


class _Draft(Verb):
    decisions = ("DRAFT",)

    def pieces(self, content: Content, seat: int, character: int) -> tuple[str, ...]:
        return (f"character-{character}",)

    def sentence(self, words: Words, content: Content, components: Components, character: int) -> str:
        return words.say("draft", character=words.characters[character])

    def tells(self, event: Event, own: bool, content: Content, character: int) -> bool:
        return own and event.kind == "character"

    def reason(self, state: Any, components: Any, player: Any, character: int, _: int) -> str:
        left = [layout.CHARACTER_NAMES[other] for other in np.flatnonzero(state.characters_available)]
        return f"the {layout.CHARACTER_NAMES[character]} is not available; still available: {_numbers(left)}"


class _Take(Verb):
    decisions = ("CHOOSE_DIE",)

    def pieces(self, content: Content, seat: int, face: int) -> tuple[str, ...]:
        return (f"die-{face}" if _has_neutral_die(content) else f"own-die-{seat}",)

    def sentence(self, words: Words, content: Content, components: Components, face: int) -> str:
        return words.say("take", face=face)

    def tells(self, event: Event, own: bool, content: Content, face: int) -> bool:
        return own and event.kind == "die" and event.numbers[0] == face

    def reason(self, state: Any, components: Any, player: Any, face: int, _: int) -> str:
        neutral = [other + 1 for other in np.flatnonzero(state.neutral_dice).tolist()]
        if neutral:
            return f"no neutral die shows {face + 1}; they show {_numbers(neutral)}"
        return f"no neutral die is left, and the own one shows {int(state.own_dice[state.seat])}"


class _TakeFlipped(_Take):
    def pieces(self, content: Content, seat: int, face: int) -> tuple[str, ...]:
        return (f"flip-{face}" if _has_neutral_die(content) else f"flip-own-{seat}",)

    def sentence(self, words: Words, content: Content, components: Components, face: int) -> str:
        return words.say("take_flipped", face=face, turned=layout.FACES + 1 - face)

    def tells(self, event: Event, own: bool, content: Content, face: int) -> bool:
        return own and event.kind == "die" and event.numbers[0] == layout.FACES + 1 - face

    def reason(self, state: Any, components: Any, player: Any, face: int, _: int) -> str:
        if player.character != layout.TRICKSTER:
            return "only the trickster flips a die"
        return super().reason(state, components, player, face, 0)


class _Awaken(Verb):
    decisions = ("AWAKEN",)

    def pieces(self, content: Content, seat: int, square: int) -> tuple[str, ...]:
        return (f"square-{seat}-{square}",)

    def sentence(self, words: Words, content: Content, components: Components, square: int) -> str:
        return words.say("awaken", dunaia=content["die"], square=square)

    def reason(self, state: Any, components: Any, player: Any, square: int, _: int) -> str:
        squares = layout.EDGE_SQUARES[player.dunaias[state.die - 1]].tolist()
        return f"Dunaia {int(state.die)} stands between the squares {squares[0]} and {squares[1]}"


class _Flower(Verb):
    decisions = ("RECYCLE",)

    def pieces(self, content: Content, seat: int) -> tuple[str, ...]:
        return (f"flowers-{seat}",)

    def sentence(self, words: Words, content: Content, components: Components) -> str:
        return words.say("flower")


class _Use(Verb):
    decisions = ("RECYCLE",)

    def pieces(self, content: Content, seat: int, offset: int, square: int) -> tuple[str, ...]:
        return (f"square-{(seat + offset) % len(content['players'])}-{square}",)

    def sentence(self, words: Words, content: Content, components: Components, offset: int, square: int) -> str:
        seat = (content["seat"] + offset) % len(content["players"])
        tile = words.tile(content["players"][seat]["squares"][square]["tile"], components)
        return words.say("use.others" if offset else "use.own", player=words.player(seat), square=square, tile=tile)

    def tells(self, event: Event, own: bool, content: Content, offset: int, square: int) -> bool:
        host = (content["seat"] + offset) % len(content["players"])
        return event.kind == "occupied" and event.seat == host and event.numbers[0] == square

    def reason(self, state: Any, components: Any, player: Any, offset: int, square: int) -> str:
        if offset >= state.num_players:
            return f"the table has {int(state.num_players)} players"
        host = state.players[(state.seat + offset) % state.num_players]
        tile = int(host.tile[square])
        if tile == NONE:
            return f"square {square} is empty"
        if components.level[tile] != 0:
            level = int(components.level[tile]) + 1
            return f"the building on square {square} has level {level}; only those of level 1 are used"
        if not host.built[square]:
            return f"the building on square {square} is not completed"
        if host.occupied[square]:
            return f"a die lies on the building on square {square}"
        return "another player's building costs 1 flower, and none is in hand"


class _Start(Verb):
    decisions = ("RECYCLE", "PLACE")

    def pieces(self, content: Content, seat: int, offer: int, square: int) -> tuple[str, ...]:
        at = f"square-{seat}-{square}"
        if offer == layout.FOUND_OFFER:  # the found tile is then the only tile that can be placed
            return (at,)
        return (f"reserved-{seat}" if offer == layout.RESERVED_OFFER else f"offer-{offer}", at)

    def sentence(self, words: Words, content: Content, components: Components, number: int, square: int) -> str:
        seat = content["seat"]
        tile = facts.offered_tile(content, seat, number)
        flowers = words.count(facts.price(content["players"][seat], tile, number, components), "flower")
        return words.say("start", tile=words.offer(content, seat, number, components), flowers=flowers, square=square)

    def tells(self, event: Event, own: bool, content: Content, offer: int, square: int) -> bool:
        return own and event.kind == "start" and event.numbers[0] == square

    def reason(self, state: Any, components: Any, player: Any, offer: int, square: int) -> str:
        searched = layout.DECISION_NAMES[state.decision] == "PLACE"
        if searched != (offer == layout.FOUND_OFFER):
            return f"the tile found is offer {layout.FOUND_OFFER}, and only it is placed after a search"
        if player.tokens == 0:
            return "no construction token is in hand"
        if offer == layout.RESERVED_OFFER:
            tile, places = int(player.reserved), [DISPLAY_PRICE, PILE_PRICE]
        elif offer == layout.FOUND_OFFER:
            tile, places = int(state.found), [PILE_PRICE]
        elif offer % 2 == 0:
            tile, places = int(state.display[offer // 2]), [DISPLAY_PRICE]
        else:
            tile, places = int(state.pile_top[offer // 2]), [PILE_PRICE]
        if tile == NONE:
            return f"offer {offer} has no tile"
        cost = min(buildings.plain_price(components, player, int(components.level[tile]), place) for place in places)
        if cost > player.flowers:
            return f"{_flowers(int(player.flowers))}, the tile costs {cost}"
        return f"square {square} is not empty"


class _Move(Verb):
    decisions = ("RECYCLE", "MOVE", "END_TURN")

    def pieces(self, content: Content, seat: int, dunaia: int, edge: int) -> tuple[str, ...]:
        return (f"dunaia-{seat}-{dunaia}", f"edge-{seat}-{edge}")

    def sentence(self, words: Words, content: Content, components: Components, number: int, edge: int) -> str:
        return words.say("move", dunaia=number, place=words.place(edge))

    def tells(self, event: Event, own: bool, content: Content, dunaia: int, edge: int) -> bool:
        return own and event.kind == "dunaia" and event.numbers == (dunaia, edge)

    def reason(self, state: Any, components: Any, player: Any, dunaia: int, edge: int) -> str:
        if layout.DECISION_NAMES[state.decision] == "END_TURN":
            if player.character != layout.SHEPHERD:
                return "only the shepherd moves a Dunaia at the end of the turn"
            if player.power_used:
                return "the shepherd has moved a Dunaia in this turn"
            if dunaia + 1 != state.woken:
                return f"the shepherd moves the Dunaia that was woken, {int(state.woken)}"
        if player.dunaias[dunaia] == edge:
            return f"Dunaia {dunaia + 1} stands on edge {edge}"
        return f"{layout.MOST_ON_AN_EDGE} Dunaias stand on edge {edge}, and there is no room for more"


class _Plug(Verb):
    decisions = ("RECYCLE", "PLUG")

    def pieces(self, content: Content, seat: int, chip: int) -> tuple[str, ...]:
        return (f"chip-{seat}-{chip}",)

    def sentence(self, words: Words, content: Content, components: Components, chip: int) -> str:
        return words.say("plug", chips=words.chips([chip]))

    def tells(self, event: Event, own: bool, content: Content, chip: int) -> bool:
        return own and event.kind == "plugged" and event.numbers == (chip,)

    def reason(self, state: Any, components: Any, player: Any, chip: int, _: int) -> str:
        return f"chip {chip + 1} is plugged"


class _Discard(Verb):
    decisions = ("DISCARD",)

    def pieces(self, content: Content, seat: int, chip: int) -> tuple[str, ...]:
        return (f"chip-{seat}-{chip}",)

    def sentence(self, words: Words, content: Content, components: Components, chip: int) -> str:
        return words.say("discard", chips=words.chips([chip]))

    def tells(self, event: Event, own: bool, content: Content, chip: int) -> bool:
        return own and event.kind == "paid" and event.numbers == (chip,)

    def reason(self, state: Any, components: Any, player: Any, chip: int, _: int) -> str:
        plugged = _plugged(player)
        return f"chip {chip + 1} is not plugged; plugged are {_numbers(plugged)}"


class _Advance(Verb):
    decisions = ("ADVANCE",)

    def pieces(self, content: Content, seat: int, square: int) -> tuple[str, ...]:
        return (f"square-{seat}-{square}",)

    def sentence(self, words: Words, content: Content, components: Components, square: int) -> str:
        building = content["players"][content["seat"]]["squares"][square]
        tile, steps = building["tile"], building["steps"] + 1
        needed = values(components).steps[tile]
        return words.say("advance", square=square, tile=words.tile(tile, components), steps=steps, needed=needed)

    def tells(self, event: Event, own: bool, content: Content, square: int) -> bool:
        steps = content["players"][content["seat"]]["squares"][square]["steps"]
        return own and event.kind == "advance" and event.numbers[:2] == (square, steps + 1)

    def reason(self, state: Any, components: Any, player: Any, square: int, _: int) -> str:
        squares = np.flatnonzero((player.tile != NONE) & (player.built == 0))
        return f"under construction are the squares {_numbers(squares)}"


class _Call(Verb):
    decisions = WINDOWS

    def pieces(self, content: Content, seat: int, space: int) -> tuple[str, ...]:
        return (f"elder-{space}",)

    def sentence(self, words: Words, content: Content, components: Components, space: int) -> str:
        elder = content["elders"][space]
        is_of_use = facts.call(content, content["seat"], space, components).power
        use = words.elder_power(elder, components) if is_of_use else words.say("fragment_only")
        chips = ", ".join(map(str, values(components).elder_costs[space]))
        return words.say("call", elder=words.elders[elder], chips=chips, use=use)

    def reason(self, state: Any, components: Any, player: Any, space: int, _: int) -> str:
        plugged = _plugged(player)
        costs = components.elder_costs[space].tolist()
        if not {*costs} <= {*plugged} or len(plugged) < elders.CHIPS_OF_A_CALL:
            return f"the call costs the chips {_numbers(costs)} and a third one; plugged are {_numbers(plugged)}"
        elder = layout.ELDER_NAMES[state.elders[space]]
        return f"neither the power of this elder ({elder}) nor a fragment would be of use"


class _Search(Verb):
    decisions = ("SEARCH",)

    def pieces(self, content: Content, seat: int, tile: int) -> tuple[str, ...]:
        return (f"pile-{facts.level_of(tile)}-{tile}",)

    def sentence(self, words: Words, content: Content, components: Components, tile: int) -> str:
        cost = facts.price(content["players"][content["seat"]], tile, layout.FOUND_OFFER, components)
        return words.say("search", flowers=words.count(cost, "flower"), tile=words.tile(tile, components))

    def reason(self, state: Any, components: Any, player: Any, tile: int, _: int) -> str:
        level = facts.level_of(tile)
        if not state.below_top[tile] and state.pile_top[level] != tile:
            return f"tile {tile} is in no pile"
        price = buildings.plain_price(components, player, level, PILE_PRICE)
        return f"{_flowers(int(player.flowers))}, the tile costs {price}"


class _Colour(Verb):
    decisions = ("COLOUR",)

    def pieces(self, content: Content, seat: int, colour: int, square: int) -> tuple[str, ...]:
        return (f"marker-{colour}", f"square-{seat}-{square}")

    def sentence(self, words: Words, content: Content, components: Components, colour: int, square: int) -> str:
        return words.say("colour", colour=words.colours[colour], square=square)

    def tells(self, event: Event, own: bool, content: Content, colour: int, square: int) -> bool:
        return own and event.kind == "marker" and event.numbers == (square, colour)

    def reason(self, state: Any, components: Any, player: Any, colour: int, square: int) -> str:
        name = layout.COLOUR_NAMES[colour]
        if not state.common_markers[colour]:
            return f"no {name} marker is left"
        if player.tile[square] == NONE:
            return f"square {square} is empty"
        return f"the building on square {square} is {name}"


class _Power(Verb):
    decisions = WINDOWS

    def pieces(self, content: Content, seat: int) -> tuple[str, ...]:
        return ("power",)

    def sentence(self, words: Words, content: Content, components: Components) -> str:
        printed = values(components)
        return words.say(
            f"use_power.{content['players'][content['seat']]['character']}",
            flowers=words.count(printed.foreman_cost, "flower"),
            advances=words.count(printed.foreman_advances, "advance"),
            chips=words.count(printed.mystic_chips, "chip"),
            gains=words.mystic_gains(components),
        )

    def reason(self, state: Any, components: Any, player: Any, _: int, __: int) -> str:
        if player.character not in (layout.FOREMAN, layout.MYSTIC):
            return "only the foreman and the mystic have a power to be used between phases"
        if player.power_used:
            return f"the {layout.CHARACTER_NAMES[player.character]}'s power was used in this turn"
        if player.character == layout.MYSTIC:
            cost, plugged = int(components.mystic_chips), int(player.chips.sum())
            return f"the mystic's power costs {cost} chips; {plugged} of {layout.FACES} are plugged"
        if player.flowers < components.foreman_cost:
            return f"{_flowers(int(player.flowers))}, the foreman's power costs {int(components.foreman_cost)}"
        return "no building is under construction"


class _Reserve(Verb):
    decisions = ("END_TURN",)

    def pieces(self, content: Content, seat: int, offer: int) -> tuple[str, ...]:
        return (f"offer-{offer}",)

    def sentence(self, words: Words, content: Content, components: Components, number: int) -> str:
        return words.say("reserve", tile=words.offer(content, content["seat"], number, components))

    def tells(self, event: Event, own: bool, content: Content, offer: int) -> bool:
        return own and event.kind == "reserved"

    def reason(self, state: Any, components: Any, player: Any, offer: int, _: int) -> str:
        if player.character != layout.ARCHITECT:
            return "only the architect reserves a tile"
        if player.power_used:
            return "the architect has reserved a tile in this turn"
        if player.reserved != NONE:
            return f"the architect holds tile {int(player.reserved)} in reserve"
        return f"offer {offer} has no tile"


class _Pass(Verb):
    decisions = ("BEFORE_PROPHECY", "END_TURN", "MOVE", "ADVANCE", "SEARCH", "COLOUR")

    def pieces(self, content: Content, seat: int) -> tuple[str, ...]:
        return ("pass",)

    def sentence(self, words: Words, content: Content, components: Components) -> str:
        return words.say(f"decline.{content['decision']}")

    def reason(self, state: Any, components: Any, player: Any, _: int, __: int) -> str:
        return f"an advance from {layout.SOURCE_NAMES[state.source]} has to be made"


VERBS: dict[str, Verb] = {
    "draft": _Draft(),
    "take": _Take(),
    "take_flipped": _TakeFlipped(),
    "awaken": _Awaken(),
    "flower": _Flower(),
    "use": _Use(),
    "start": _Start(),
    "move": _Move(),
    "plug": _Plug(),
    "discard": _Discard(),
    "advance": _Advance(),
    "call": _Call(),
    "search": _Search(),
    "colour": _Colour(),
    "power": _Power(),
    "reserve": _Reserve(),
    "pass": _Pass(),
}


def parsed(action: str) -> tuple[Verb, list[int]]:
    """The verb of an action (its text), and the numbers after it."""
    name, *numbers = action.split()
    return VERBS[name], [int(number) for number in numbers]


def why_illegal(state: NDArray[np.uint8], components: Components, action: int) -> str:
    """Why an action (0..NUM_ACTIONS-1) is not legal in a state (its bytes), as a clause; empty for a legal one."""
    if action in entry_points.ENTRY_POINTS.legal_actions(state, components.buffer):
        return ""
    record, printed = state.view(layout.STATE_DTYPE)[0], components.record[0]
    decision, name = layout.DECISION_NAMES[record.decision], actions.ACTION_TABLE[actions.VERB_OF[action]].name
    verb = VERBS[name]
    if decision == "OVER":
        return "the game is over"
    if decision not in verb.decisions:
        return f"{name!r} belongs to {' and '.join(verb.decisions)}"
    first, second = actions.ARGUMENTS[action].tolist()
    return verb.reason(record, printed, record.players[record.seat], first, second)


def pieces(action: str, content: Content) -> tuple[str, ...]:
    """The names of the pieces that a person points at, one after the other, for an action (its text)."""
    verb, numbers = parsed(action)
    return verb.pieces(content, content["seat"], *numbers)


def sentence(words: Words, action: str, content: Content, components: Components) -> str:
    """What an action (its text) does, as a clause without its subject."""
    verb, numbers = parsed(action)
    return words.typeset(verb.sentence(words, content, components, *numbers))


def _has_neutral_die(content: Content) -> bool:
    return any(content["dice"]["neutral"])


def _flowers(count: int) -> str:
    return f"{count} flower is in hand" if count == 1 else f"{count} flowers are in hand"


def _numbers(values: Any) -> str:
    return ", ".join(map(str, values)) or "none"


def _plugged(player: Any) -> list[int]:
    return [chip + 1 for chip in np.flatnonzero(player.chips).tolist()]

"""Dunaïa in English: what each piece of a position is, what it does, and what it would do now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from dunaia_env.dunaia import state as layout
from dunaia_env.dunaia.components import ALL_COLOURS, GAIN_ADVANCES, GAIN_CHIPS, GAIN_MOVES, Components
from dunaia_env.dunaia.presentation.pieces import check_piece
from dunaia_env.dunaia.presentation.wording import facts
from dunaia_env.dunaia.presentation.wording.english import (
    character_power,
    chips,
    colours,
    gain,
    moves,
    player,
    prophecy_condition,
    sides,
)
from dunaia_env.dunaia.presentation.wording.facts import values
from dunaia_env.dunaia.state import NONE
from dunaia_env.support.english import count, listed

Content = Mapping[str, Any]

SQUARES = ("top left", "top", "top right", "left", "middle", "right", "bottom left", "bottom", "bottom right")


def piece(name: str, content: Content, components: Components) -> str:
    """What a piece (by its name) is, and what it does or would do now; raises `ValueError` for an unknown name."""
    kind, numbers = check_piece(name, content)
    return " ".join(_PIECES[kind](content, components, *numbers))


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


# Dice.


def _wakes(content: Content, components: Components, seat: int, dunaia: int) -> str:
    """What waking a Dunaia would do now: ``square 3 gives 1 flower; square 4 does nothing``."""
    owner = content["players"][seat]
    squares = facts.SQUARES_OF_EDGE[owner["dunaias"][dunaia - 1]]
    return "; ".join(f"square {square} {_effect(owner, square, dunaia, components)}" for square in squares)


def _effect(owner: Content, square: int, dunaia: int, components: Components) -> str:
    found = facts.waking(owner, square, dunaia, components)
    if found.kind == "gains":
        return f"gives {listed(_gain(amount, kind) for kind, amount in found.gains.items())}"
    return {
        "flower": "gives 1 flower",
        "chip": f"plugs chip {dunaia}",
        "plugged": f"does nothing (chip {dunaia} is plugged already)",
        "advance": f"advances its building to {found.steps} of {found.needed}",
        "complete": "completes its building",
        "nothing": "does nothing",
    }[found.kind]


def _gain(amount: int, kind: int) -> str:
    """A gain with the choice that it leaves: ``2 chips of choice``, ``up to 2 moves``."""
    if kind == GAIN_MOVES:
        return gain(amount, kind) if amount == 1 else f"up to {gain(amount, kind)}"
    if kind == GAIN_ADVANCES:
        return f"{gain(amount, kind)} of {'a building' if amount == 1 else 'buildings'} under construction"
    return f"{gain(amount, kind)} of choice" if kind == GAIN_CHIPS else gain(amount, kind)


def _for_the_decider(content: Content, components: Components, face: int) -> Iterator[str]:
    seat = content["seat"]
    if seat != NONE:
        squares = facts.SQUARES_OF_EDGE[content["players"][seat]["dunaias"][face - 1]]
        yield (
            f"For {player(seat)} it wakes Dunaia {face}, between the squares {listed(squares)}:"
            f" {_wakes(content, components, seat, face)}."
        )


def _die(content: Content, components: Components, face: int) -> Iterator[str]:
    dice = content["dice"]["neutral"][face - 1]
    if not dice:
        yield f"No neutral die shows {face}."
        return
    yield f"{'A neutral die' if dice == 1 else f'{dice} neutral dice'} showing {face}. Anyone may take a neutral die."
    yield from _for_the_decider(content, components, face)


def _own_die(content: Content, components: Components, seat: int) -> Iterator[str]:
    if not content["dice"]["own"][seat]:
        yield f"{_capital(player(seat))}'s own die is not in the pool."
        return
    face = content["dice"]["own"][seat]
    yield (
        f"{_capital(player(seat))}'s own die, showing {face}. Nobody else takes it, and only once no neutral die is"
        " left."
    )
    yield f"It wakes Dunaia {face}: {_wakes(content, components, seat, face)}."


def _flip(content: Content, components: Components, face: int) -> Iterator[str]:
    turned = layout.FACES + 1 - face
    yield f"The trickster takes a die showing {face} and turns it to {turned}."
    yield from _for_the_decider(content, components, turned)


def _flip_own(content: Content, components: Components, seat: int) -> Iterator[str]:
    face = content["dice"]["own"][seat]
    if not face:
        yield f"{_capital(player(seat))}'s own die is not in the pool."
        return
    yield f"The trickster takes their own die, showing {face}, and turns it to {layout.FACES + 1 - face}."
    yield f"It wakes Dunaia {layout.FACES + 1 - face}: {_wakes(content, components, seat, layout.FACES + 1 - face)}."


def _hand_die(content: Content, components: Components) -> Iterator[str]:
    if not content["die"]:
        yield "Nobody has a die in hand."
        return
    if facts.own_die_in_hand(content):
        yield f"{_capital(player(content['seat']))}'s own die, showing {content['die']}: no neutral die was left."
    else:
        yield f"The die that {player(content['seat'])} has taken, showing {content['die']}."
    if content["woken"]:
        yield f"Dunaia {content['woken']} is awake, and the die is to be recycled."
    else:
        seat, face = content["seat"], content["die"]
        yield f"It wakes Dunaia {face}: {_wakes(content, components, seat, face)}. Then it is recycled."


# Tiles.


def _about_tile(tile: int, components: Components) -> Iterator[str]:
    """How many advances complete the building on a tile, and what it does once it is completed."""
    printed = values(components)
    yield f"It takes {count(printed.steps[tile], 'advance')} to complete."
    yield from _once_completed(tile, components)


def _once_completed(tile: int, components: Components) -> Iterator[str]:
    """What the building on a tile does once it is completed."""
    printed = values(components)
    level = printed.level[tile]
    effect = _gain(printed.amount[tile], printed.effect[tile]) if printed.effect[tile] != NONE else ""
    if level == facts.RECYCLING_LEVEL and effect:
        yield f"Once completed, a die can be recycled on it for {effect}."
    elif level == facts.WAKING_LEVEL and effect:
        yield f"Once completed, it gives {effect} when a Dunaia beside it wakes."
    for group in facts.arrows(tile, components):
        each = "" if len(group.sides) == 1 else " each"
        yield (
            f"{'Arrow' if not each else 'Arrows'} {sides(group.sides)}: {gain(group.amount, group.gain)} more{each}"
            f" for a completed {layout.COLOUR_NAMES[group.colour]} building there."
        )
    if printed.colours[tile] == ALL_COLOURS:
        yield "It counts as a building of every colour."
    yield f"Worth {count(printed.level_points[level], 'point')} once completed."


def _name(tile: int, components: Components) -> str:
    """``level 2 building, green``."""
    printed = values(components)
    return f"level {printed.level[tile] + 1} building, {colours(printed.colours[tile])}"


def _purchase(content: Content, components: Components, seat: int, tile: int, offer: int) -> Iterator[str]:
    if seat == NONE:
        return
    owner = content["players"][seat]
    cost = facts.price(owner, tile, offer, components)
    found = facts.obstacles(owner, cost)
    yield f"Price for {player(seat)}: {count(cost, 'flower')}."
    reasons = {
        "tokens": "has no construction token left",
        "squares": "has no empty square",
        "flowers": f"has only {count(owner['flowers'], 'flower')}" if owner["flowers"] else "has no flower",
    }
    if found:
        yield f"{_capital(player(seat))} {listed(reasons[reason] for reason in found)}."
    else:
        yield f"{_capital(player(seat))} can pay it ({count(owner['flowers'], 'flower')} in hand)."


def _offer(content: Content, components: Components, offer: int) -> Iterator[str]:
    level, place = divmod(offer, 2)
    tile = facts.offered_tile(content, content["seat"], offer)
    below = len(content["piles"][level])
    if tile == NONE:
        yield f"No level {level + 1} tile is left here."
        return
    where = "the visible top of its pile" if place else "on display"
    yield f"{_capital(_name(tile, components))}: {where}."
    yield from _about_tile(tile, components)
    yield from _purchase(content, components, content["seat"], tile, offer)
    if place:
        yield f"{count(below, 'tile lies', 'tiles lie')} below it."


def _reserved(content: Content, components: Components, seat: int) -> Iterator[str]:
    tile = content["players"][seat]["reserved"]
    if tile == NONE:
        yield f"{_capital(player(seat))} has reserved no tile."
        return
    yield f"{_capital(_name(tile, components))}, reserved by {player(seat)}; nobody else can buy it."
    yield from _about_tile(tile, components)
    yield from _purchase(content, components, seat, tile, layout.RESERVED_OFFER)


def _found(content: Content, components: Components) -> Iterator[str]:
    tile = facts.offered_tile(content, content["seat"], layout.FOUND_OFFER)
    if tile == NONE:
        yield "No tile has been found in a pile."
        return
    yield f"{_capital(_name(tile, components))}: the tile found with the search elder, to be put on an empty square."
    yield from _about_tile(tile, components)
    yield from _purchase(content, components, content["seat"], tile, layout.FOUND_OFFER)


def _pile(content: Content, components: Components, level: int, tile: int) -> Iterator[str]:
    if values(components).level[tile] != level or tile not in (*content["piles"][level], content["pile_top"][level]):
        yield f"This tile is not in the pile of level {level + 1}."
        return
    yield f"{_capital(_name(tile, components))}, in the pile of level {level + 1}."
    yield from _about_tile(tile, components)
    yield from _purchase(content, components, content["seat"], tile, layout.FOUND_OFFER)


# The common board.


def _elder(content: Content, components: Components, space: int) -> Iterator[str]:
    elder, costs = content["elders"][space], values(components).elder_costs[space]
    printed = values(components)
    powers = {
        layout.ELDER_FLOWERS: f"gives {count(printed.elder_flowers, 'flower')}",
        layout.ELDER_MOVES: f"gives {moves(printed.elder_moves)}",
        layout.ELDER_ADVANCE: f"gives {count(printed.elder_advances, 'advance')} of your buildings under construction",
        layout.ELDER_SEARCH: "lets you look through one pile, pay for any tile of it and start it at once",
        layout.ELDER_COLOUR: "lets you put a colour marker on one of your buildings",
    }
    yield f"The {layout.ELDER_NAMES[elder]} elder {powers[elder]}."
    left = content["fragments"][space]
    yield (
        f"A call costs the plugged chips {listed(costs)} and another one of your choice, and also brings this"
        f" elder's artefact fragment ({count(left, 'fragment')} left)."
    )
    seat = content["seat"]
    if seat != NONE:
        yield f"{_capital(player(seat))} {_callable(facts.call(content, seat, space, components))}."


def _callable(call: facts.Call) -> str:
    if call.missing:
        return f"cannot call: {chips(call.missing)} {'is' if len(call.missing) == 1 else 'are'} not plugged"
    if not call.third:
        return "cannot call: another plugged chip is needed besides the printed ones"
    fragment = {"free": "", "held": "the unfinished artefact has this fragment", "gone": "no fragment is left"}
    if call.fragment == "free":
        return "can pay the call" + ("" if call.power else ", but only the fragment would be of use now")
    if not call.power:
        return f"can pay the call, but it would do nothing: {fragment[call.fragment]}"
    return f"can pay the call, for the power only: {fragment[call.fragment]}"


def _prophecy(content: Content, components: Components, prophecy: int) -> Iterator[str]:
    points = values(components).prophecy_points[prophecy]
    yield f"Prophecy worth {count(points, 'point')}: {prophecy_condition(prophecy, components)}."
    owner = next((printed["owner"] for printed in content["prophecies"] if printed["id"] == prophecy), NONE)
    if all(printed["id"] != prophecy for printed in content["prophecies"]):
        yield "It is not in this game."
    elif owner != NONE:
        yield f"{_capital(player(owner))} has taken it."
    else:
        yield "Whoever meets the condition in phase 4 of their turn takes it; nothing is paid."
        for seat, one in enumerate(content["players"]):
            found = facts.progress(one, prophecy, components)
            met = " (met)" if facts.meets(one, prophecy, components) else ""
            yield f"{_capital(player(seat))}: {listed(map(_progress, found))}{met}."


def _progress(part: facts.Progress) -> str:
    what = {
        "buildings": "buildings",
        "flowers": "flowers",
        "artefacts": "artefacts" if part.needs > 1 else "artefact",
        "line": "in the best row or column",
        "levels": "levels",
        "corners": "corners",
    }[part.kind]
    return f"{part.has} of {part.needs} {what}"


def _marker(content: Content, components: Components, colour: int) -> Iterator[str]:
    left, name = content["colour_markers"][colour], layout.COLOUR_NAMES[colour]
    yield f"{_capital(name)} colour markers: {left} left." if left else f"No {name} colour marker is left."
    yield (
        f"The colour elder lets you put one on a building of yours, which then counts as {name} as well for the"
        " arrows that point to it."
    )


def _character(content: Content, components: Components, character: int) -> Iterator[str]:
    yield f"Elite character: the {layout.CHARACTER_NAMES[character]}. {character_power(character, components)}"
    seat = facts.owner_of_character(content, character)
    if character in content["characters_available"]:
        yield "Free to be taken."
    elif seat == NONE:
        yield "Nobody plays this character."
    elif content["players"][seat]["power_used"]:
        yield f"Played by {player(seat)}, who has used the power this turn."
    else:
        yield f"Played by {player(seat)}."


# Villages.


def _square(content: Content, components: Components, seat: int, square: int) -> Iterator[str]:
    owner = content["players"][seat]
    building = owner["squares"][square]
    place = f"square {square} ({SQUARES[square]}) of {player(seat)}"
    if building is None:
        prints = {"flower": "gives 1 flower", "chip": "plugs the chip of the Dunaia's number"}
        found = facts.waking(owner, square, 0, components)
        yield f"{_capital(place)}, empty. Waking a Dunaia beside it {prints[found.kind]}. A building can be put here."
    else:
        yield f"{_capital(_name(building['tile'], components))}, on {place}."
        yield from _about_building(content, components, seat, square)
    found_beside = facts.beside(owner, square)
    if found_beside:
        yield f"Beside it: {'Dunaia' if len(found_beside) == 1 else 'Dunaias'} {listed(found_beside)}."


def _about_building(content: Content, components: Components, seat: int, square: int) -> Iterator[str]:
    owner, printed = content["players"][seat], values(components)
    building = owner["squares"][square]
    tile = building["tile"]
    if building["colours"]:
        markers = "markers" if len(building["colours"]) > 1 else "marker"
        yield f"By its {markers} it is also {listed(layout.COLOUR_NAMES[colour] for colour in building['colours'])}."
    if not building["built"]:
        yield (
            f"Under construction: {building['steps']} of {printed.steps[tile]} advances. Each waking beside it"
            " advances it."
        )
        yield from _once_completed(tile, components)
        return
    level = printed.level[tile]
    points = count(facts.points_now(owner, square, components), "point")
    arrows = facts.arrows(tile, components)
    yield f"Completed, worth {points}{' with its arrows' if level == facts.POINTS_LEVEL and arrows else ''}."
    if printed.colours[tile] == ALL_COLOURS:
        yield "It counts as a building of every colour."
    gains = facts.gains_now(owner, square, components)
    if level == facts.RECYCLING_LEVEL:
        yield from _about_recycling(content, components, seat, square)
    elif level == facts.WAKING_LEVEL and gains:
        yield f"Waking a Dunaia beside it gives {listed(_gain(amount, kind) for kind, amount in gains.items())} now."
    if level != facts.WAKING_LEVEL:
        yield "Waking a Dunaia beside it does nothing."
    for group in arrows:
        active = set(group.sides) & set(facts.active_sides(owner, square, components))
        yield (
            f"{'Arrow' if len(group.sides) == 1 else 'Arrows'} {sides(group.sides)}:"
            f" {gain(group.amount, group.gain)} for a completed {layout.COLOUR_NAMES[group.colour]} building"
            f" ({len(active)} of {len(group.sides)} now)."
        )


def _about_recycling(content: Content, components: Components, seat: int, square: int) -> Iterator[str]:
    printed = values(components)
    building = content["players"][seat]["squares"][square]
    tile = building["tile"]
    if printed.effect[tile] == NONE:
        return
    yield f"A die recycled on it gives {_gain(printed.amount[tile], printed.effect[tile])}."
    decider = content["seat"]
    if building["die"]:
        yield "A die lies on it: it is free again after the next roll."
    elif decider not in (NONE, seat):
        flowers = content["players"][decider]["flowers"]
        can = "can pay" if flowers else "has no flower to pay"
        yield f"{_capital(player(decider))} {can} the 1 flower that its use costs, which goes to {player(seat)}."


def _edge(content: Content, components: Components, seat: int, edge: int) -> Iterator[str]:
    here = facts.at_edge(content["players"][seat], edge)
    yield f"The place between the squares {listed(facts.SQUARES_OF_EDGE[edge])} of {player(seat)}."
    if here:
        room = layout.MOST_ON_AN_EDGE - len(here)
        stands = f"Dunaia {here[0]} stands" if len(here) == 1 else f"Dunaias {listed(here)} stand"
        yield f"{stands} here; {f'there is room for {room} more' if room else 'it is full'}."
    else:
        yield f"No Dunaia stands here; there is room for {layout.MOST_ON_AN_EDGE}."


def _dunaia(content: Content, components: Components, seat: int, dunaia: int) -> Iterator[str]:
    squares = facts.SQUARES_OF_EDGE[content["players"][seat]["dunaias"][dunaia - 1]]
    yield f"Dunaia {dunaia} of {player(seat)}, between the squares {listed(squares)}. A die showing {dunaia} wakes it."
    yield f"Waking it now: {_wakes(content, components, seat, dunaia)}."
    if content["seat"] == seat and content["woken"] == dunaia:
        yield "It was woken this turn."


def _chip(content: Content, components: Components, seat: int, chip: int) -> Iterator[str]:
    plugged = chip in content["players"][seat]["chips"]
    yield f"Memory chip {chip} of {player(seat)}, {'plugged' if plugged else 'in reserve'}."
    spaces = facts.elders_that_need(chip, components)
    if spaces:
        elders = listed(f"the {layout.ELDER_NAMES[content['elders'][space]]} elder" for space in spaces)
        yield f"It is needed to call {elders}, and can be the third chip of any other call."
    else:
        yield "It can be the third chip of any call."
    if not plugged:
        yield f"Waking Dunaia {chip} beside an empty square that shows a chip plugs it; so does any chip of choice."


def _flowers(content: Content, components: Components, seat: int) -> Iterator[str]:
    flowers, each = content["players"][seat]["flowers"], values(components).flowers_per_point
    yield f"{_capital(player(seat))} has {count(flowers, 'metal flower')}."
    yield (
        f"Flowers pay for buildings. At the end {count(each, 'flower')} {'are' if each > 1 else 'is'} worth 1 point:"
        f" {count(flowers // each, 'point')} now."
    )
    if seat == content["seat"] and content["decision"] == "RECYCLE":
        yield "Recycling the die on the flower space gives 1 flower."


def _tokens(content: Content, components: Components, seat: int) -> Iterator[str]:
    tokens, all_tokens = content["players"][seat]["tokens"], values(components).start_tokens
    if tokens:
        yield f"{_capital(player(seat))} has {tokens} of {count(all_tokens, 'construction token')} left."
    else:
        yield f"{_capital(player(seat))} has no construction token left (there are {all_tokens} for each player)."
    yield "Each building under construction holds one, which comes back when it is completed."


def _artefacts(content: Content, components: Components, seat: int) -> Iterator[str]:
    artefacts = content["players"][seat]["artefacts"]
    points = facts.artefact_points(artefacts, components)
    more = facts.artefact_points(artefacts + 1, components) - points
    if artefacts:
        yield f"{_capital(player(seat))} has {count(artefacts, 'complete artefact')}, worth {count(points, 'point')}."
    else:
        yield f"{_capital(player(seat))} has no complete artefact yet."
    yield f"One fragment of each of the three elders makes an artefact; the next is worth {count(more, 'point')} more."


def _fragments(content: Content, components: Components, seat: int) -> Iterator[str]:
    held = content["players"][seat]["fragments"]
    names = [f"the {layout.ELDER_NAMES[elder]} elder" for elder in content["elders"]]
    missing = [name for space, name in enumerate(names) if space not in held]
    if held:
        plural = "s" if len(held) > 1 else ""
        yield (
            f"The unfinished artefact of {player(seat)} has the fragment{plural} of"
            f" {listed(names[space] for space in held)}."
        )
        yield f"Missing: the fragment{'s' if len(missing) > 1 else ''} of {listed(missing)}."
    else:
        yield f"{_capital(player(seat))} has no fragment of the next artefact, which needs one of each elder."
    yield "A player assembles one artefact at a time."


def _score(content: Content, components: Components, seat: int) -> Iterator[str]:
    parts = facts.score_parts(content, seat, components)
    names = {"buildings": "completed buildings", "arrows": "their arrows"}
    yield (
        f"{_capital(player(seat))} has {count(content['scores'][seat], 'point')}:"
        f" {listed(f'{points} for {names.get(part, part)}' for part, points in parts.items())}."
    )
    if not content["over"]:
        yield "Prophecies count once they are taken, and flowers by what is left at the end."


# Buttons.


def _power(content: Content, components: Components) -> Iterator[str]:
    seat = content["seat"]
    character = content["players"][seat]["character"] if seat != NONE else NONE
    if character not in (layout.FOREMAN, layout.MYSTIC):
        yield "The power of a foreman or mystic, used once per turn before or after any phase."
        return
    yield character_power(character, components)
    if content["players"][seat]["power_used"]:
        yield "It has been used this turn."


def _pass(content: Content, components: Components) -> Iterator[str]:
    yield {
        "BEFORE_PROPHECY": "Go on to phase 4: every prophecy whose condition holds is taken.",
        "END_TURN": "End the turn.",
        "MOVE": "Move no further; the moves left are lost.",
        "ADVANCE": "Advance no building.",
        "SEARCH": "Take no tile; the piles stay as they are.",
        "COLOUR": "Take no colour marker.",
    }.get(content["decision"], "There is nothing to decline now.")


_PIECES: dict[str, Callable[..., Iterator[str]]] = {
    "die": _die,
    "own-die": _own_die,
    "flip": _flip,
    "flip-own": _flip_own,
    "hand-die": _hand_die,
    "offer": _offer,
    "reserved": _reserved,
    "found": _found,
    "pile": _pile,
    "elder": _elder,
    "prophecy": _prophecy,
    "marker": _marker,
    "character": _character,
    "square": _square,
    "edge": _edge,
    "dunaia": _dunaia,
    "chip": _chip,
    "flowers": _flowers,
    "tokens": _tokens,
    "artefacts": _artefacts,
    "fragments": _fragments,
    "score": _score,
    "power": _power,
    "pass": _pass,
}

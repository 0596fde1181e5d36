"""Dunaïa in English: questions, reminders of the rules, actions and what happened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from dunaia_env.dunaia import state as layout
from dunaia_env.dunaia.components import GAIN_ADVANCES, GAIN_NAMES, Components
from dunaia_env.dunaia.presentation.wording import changes, facts
from dunaia_env.dunaia.presentation.wording.facts import values
from dunaia_env.dunaia.roles import NO_CHARACTER
from dunaia_env.dunaia.state import NONE
from dunaia_env.harness.presentation import Change, Event
from dunaia_env.support.english import count, listed

Content = Mapping[str, Any]


# Words.


def gain(amount: int, kind: int) -> str:
    """A gain in short: ``2 flowers``."""
    return count(amount, GAIN_NAMES[kind].removesuffix("s"))


def moves(amount: int) -> str:
    """Moves that a player may make: ``1 move of a Dunaia``, ``up to 2 moves of Dunaias``."""
    return "1 move of a Dunaia" if amount == 1 else f"up to {count(amount, 'move')} of Dunaias"


def chips(numbers: Iterable[int]) -> str:
    """Chips by their numbers: ``chip 3``, ``chips 1 and 2``."""
    found = list(numbers)
    return f"chip{'s' if len(found) > 1 else ''} {listed(found)}"


def player(seat: int) -> str:
    """What a seat is called."""
    return f"player {seat}"


def colours(mask: int) -> str:
    """A set of colours: ``green``, ``green and red``, ``multicoloured``."""
    found = facts.colours_of(mask)
    return (
        "multicoloured"
        if len(found) == len(layout.COLOUR_NAMES)
        else listed(layout.COLOUR_NAMES[colour] for colour in found)
    )


def sides(found: Iterable[int]) -> str:
    """Sides of a tile: ``north and west``, ``on all sides``."""
    where = tuple(found)
    return "on all sides" if len(where) == layout.SIDES else listed(layout.SIDE_NAMES[side] for side in where)


def tile(number: int, components: Components) -> str:
    """A tile in a few words: level, colour, effect and arrows."""
    printed = values(components)
    parts = [f"level {printed.level[number] + 1} {colours(printed.colours[number])}"]
    if printed.effect[number] != NONE:
        effect = gain(printed.amount[number], printed.effect[number])
        # Without the verb, the advances would read like the advances that complete the building.
        parts.append(f"gives {effect}" if printed.effect[number] == GAIN_ADVANCES else effect)
    steps = facts.own_steps(number, components)
    if steps:
        parts.append(count(steps, "step"))
    parts += [
        f"{layout.COLOUR_NAMES[group.colour]} {sides(group.sides)} +{gain(group.amount, group.gain)}"
        for group in facts.arrows(number, components)
    ]
    return ", ".join(parts)


def elder_power(elder: int, components: Components) -> str:
    """The power of an elder in a few words."""
    printed = values(components)
    return {
        layout.ELDER_FLOWERS: count(printed.elder_flowers, "flower"),
        layout.ELDER_MOVES: moves(printed.elder_moves),
        layout.ELDER_ADVANCE: f"{count(printed.elder_advances, 'advance')} of a building",
        layout.ELDER_SEARCH: "any tile of a pile, to be paid and started",
        layout.ELDER_COLOUR: "a colour marker for a building",
    }[elder]


def character_power(character: int, components: Components) -> str:
    """The power of a character, a whole sentence."""
    printed = values(components)
    given = _mystic_gains(components)
    return {
        layout.MERCHANT: f"Buildings cost the merchant {count(printed.merchant_discount, 'flower')} less.",
        layout.TRICKSTER: "The trickster may turn the chosen die to its opposite face.",
        layout.FOREMAN: (
            f"Once per turn, before or after any phase, the foreman may pay {count(printed.foreman_cost, 'flower')} for"
            f" {count(printed.foreman_advances, 'advance')} of a building."
        ),
        layout.MYSTIC: (
            "Once per turn, before or after any phase, the mystic may give up"
            f" {count(printed.mystic_chips, 'plugged chip')} for {given}."
        ),
        layout.SHEPHERD: "At the end of the turn the shepherd may move the Dunaia that was woken.",
        layout.ARCHITECT: (
            "At the end of the turn the architect may reserve one of the six tiles, if none is held, and buy it in a"
            " later turn at the lower price of its level."
        ),
    }[character]


def _mystic_gains(components: Components) -> str:
    printed = values(components)
    gains = [count(printed.mystic_flowers, "flower")] if printed.mystic_flowers else []
    if printed.mystic_moves:
        gains.append(moves(printed.mystic_moves))
    return listed(gains) if gains else "nothing"


def prophecy_condition(prophecy: int, components: Components) -> str:
    """The condition of a prophecy in a few words."""
    printed = values(components)
    parts = []
    if printed.prophecy_buildings[prophecy]:
        parts.append(count(printed.prophecy_buildings[prophecy], "completed building"))
    if printed.prophecy_flowers[prophecy]:
        parts.append(count(printed.prophecy_flowers[prophecy], "flower"))
    if printed.prophecy_artefacts[prophecy]:
        parts.append(count(printed.prophecy_artefacts[prophecy], "complete artefact"))
    shapes = (
        "three completed buildings in a row or column",
        "a completed building of each level",
        "a completed building in each corner",
    )
    if printed.prophecy_shape[prophecy]:
        parts.append(shapes[printed.prophecy_shape[prophecy] - 1])
    return " and ".join(parts)


def prophecy(number: int, components: Components) -> str:
    """The condition of a prophecy and its points."""
    points = values(components).prophecy_points[number]
    return f"{prophecy_condition(number, components)}: {count(points, 'point')}"


# Questions and rules.

QUESTIONS = {
    "DRAFT": "Draft: which character?",
    "CHOOSE_DIE": "Phase 1: which die?",
    "AWAKEN": "Phase 2: Dunaia {die} wakes. Which square first?",
    "RECYCLE": "Phase 3: where does the die {die} go?",
    "BEFORE_PROPHECY": "Before phase 4, the prophecies: anything else?",
    "END_TURN": "The end of the turn: anything else?",
    "MOVE": "Which Dunaia moves where? ({moves} left)",
    "PLUG": "Which chip is plugged? ({chips} left)",
    "DISCARD": "Which chip is paid? ({discards} left)",
    "ADVANCE": "Which building advances? ({advances} left)",
    "SEARCH": "Which tile of the piles?",
    "PLACE": "Where does the found tile go?",
    "COLOUR": "Which colour marker goes where?",
    "OVER": "The game is over.",
}

RULES = {
    "DRAFT": "Each player takes one elite character, the last seat first. One character is left over.",
    "CHOOSE_DIE": (
        "Choose a neutral die of the pool; your own die only when no neutral one is left. Its face names the Dunaia"
        " that wakes. Elders can be called before, between and after the phases."
    ),
    "AWAKEN": (
        "Both squares beside the Dunaia take effect, in the order you choose. Empty square: a flower, or the chip of"
        " the Dunaia's number. Building under construction: one advance. Completed level 2 building: its effect and"
        " every arrow that points to a completed building of its colour. Completed level 1 or 3: nothing. If the first"
        " effect moves the woken Dunaia, the second one is lost."
    ),
    "RECYCLE": (
        "The die is used exactly once: take a flower, plug a chip, move a Dunaia, start a building (pay its flowers,"
        " use a construction token), or use a completed level 1 building that carries no die. Another player's building"
        " costs a flower, which its owner gets."
    ),
    "BEFORE_PROPHECY": (
        "Elders can be called, and some characters have a power to use, before the prophecies are taken. A prophecy is"
        " taken by itself when its condition holds in phase 4 of your own turn."
    ),
    "END_TURN": "After the prophecies elders can still be called, and some characters have a power to use.",
    "MOVE": (
        "One Dunaia at a time goes to any other place between two squares; at most {most} stand on a place. You may"
        " stop at any time; the moves left are then lost.{waking}"
    ),
    "PLUG": "Put a chip from the reserve onto your board. There is one of each number.",
    "DISCARD": "A chip paid goes back to the reserve. {cost}",
    "ADVANCE": "A building under construction makes a step. At the last one it is completed and its token comes back.",
    "SEARCH": "Take any tile of a pile that you can pay, at the pile's price. Afterwards a new top is revealed.",
    "PLACE": "The found tile is paid and put under construction on an empty square of your choice.",
    "COLOUR": (
        "A marker gives one of your buildings one more colour for the arrows that point to it. It never changes the"
        " building's own arrows."
    ),
    "OVER": (
        "Completed buildings, the arrows of those of level 3, prophecies, artefacts and flowers were counted. With"
        " equal points more prophecies decide, then more flowers; otherwise the victory is shared."
    ),
}


def question(content: Content, components: Components) -> str:
    """What the deciding player is asked."""
    return QUESTIONS[content["decision"]].format(**facts.left(content))


def rules(content: Content, components: Components) -> str:
    """A reminder of the rules for the present decision and of the power of the deciding player's character."""
    pending, waking = content["pending"], ""
    if pending.get("source") == "power":
        cost = f"The mystic's power costs {count(values(components).mystic_chips, 'chip')} of your choice."
    else:
        cost = "A call costs the two printed chips and a third of your choice."
    if "second_square" in pending:
        moved = f"Dunaia {content['woken']} has moved, so" if pending.get("woken_moved") else ""
        if_moved = moved or f"If Dunaia {content['woken']} moves,"
        waking = f" {if_moved} the effect of square {pending['second_square']} is lost."
    text = RULES[content["decision"]].format(most=layout.MOST_ON_AN_EDGE, cost=cost, waking=waking)
    character = facts.helping_character(content)
    return text if character == NONE else f"{text} {character_power(character, components)}"


# Actions.


def sentence(action: str, content: Content, components: Components) -> str:
    """What an action (its text) does, as a clause without its subject."""
    verb, *words = action.split()
    return _SENTENCES[verb](content, content["players"][content["seat"]], components, *map(int, words))


def offer(content: Content, seat: int, number: int, components: Components) -> str:
    """A tile offered to a seat: ``the displayed tile (level 1 green, 3 flowers)``."""
    what = {layout.RESERVED_OFFER: "reserved", layout.FOUND_OFFER: "found"}.get(
        number, "top" if number % 2 else "displayed"
    )
    return f"the {what} tile ({tile(facts.offered_tile(content, seat, number), components)})"


def between(edge: int) -> str:
    """An edge, by its two squares: ``between squares 0 and 1``."""
    return f"between squares {listed(facts.SQUARES_OF_EDGE[edge])}"


def _use(content: Content, owner: Content, components: Components, offset: int, square: int) -> str:
    seat = (content["seat"] + offset) % len(content["players"])
    building = content["players"][seat]["squares"][square]
    whose = "their own building" if offset == 0 else f"{player(seat)}'s building"
    cost = "" if offset == 0 else f", for a flower to {player(seat)}"
    return f"recycles the die on {whose} on square {square} ({tile(building['tile'], components)}){cost}"


def _start(content: Content, owner: Content, components: Components, number: int, square: int) -> str:
    seat = content["seat"]
    cost = facts.price(owner, facts.offered_tile(content, seat, number), number, components)
    return f"starts {offer(content, seat, number, components)} for {count(cost, 'flower')} on square {square}"


def _advance(content: Content, owner: Content, components: Components, square: int) -> str:
    number, steps = owner["squares"][square]["tile"], owner["squares"][square]["steps"] + 1
    needed = values(components).steps[number]
    return f"advances the building on square {square} ({tile(number, components)}) to {steps} of {needed}"


def _call(content: Content, owner: Content, components: Components, space: int) -> str:
    elder = content["elders"][space]
    costs = values(components).elder_costs[space]
    is_of_use = facts.call(content, content["seat"], space, components).power
    use = elder_power(elder, components) if is_of_use else "only for the fragment: the power would do nothing now"
    return (
        f"calls the {layout.ELDER_NAMES[elder]} elder with the chips {', '.join(map(str, costs))} and another ({use})"
    )


def _search(content: Content, owner: Content, components: Components, number: int) -> str:
    cost = facts.price(owner, number, layout.FOUND_OFFER, components)
    return f"chooses from its pile, for {count(cost, 'flower')}: {tile(number, components)}"


def _power(content: Content, owner: Content, components: Components) -> str:
    printed = values(components)
    if owner["character"] == layout.FOREMAN:
        return (
            f"uses the power of the foreman: {count(printed.foreman_cost, 'flower')} for"
            f" {count(printed.foreman_advances, 'advance')}"
        )
    return f"uses the power of the mystic: {count(printed.mystic_chips, 'chip')} for {_mystic_gains(components)}"


_PASSES = {
    "BEFORE_PROPHECY": "goes on to the prophecies",
    "END_TURN": "ends the turn",
    "MOVE": "stops moving",
    "ADVANCE": "advances no building",
    "SEARCH": "takes no tile",
    "COLOUR": "takes no colour marker",
}


def _pass(content: Content, owner: Content, components: Components) -> str:
    return _PASSES[content["decision"]]


_SENTENCES: dict[str, Callable[..., str]] = {
    "draft": lambda content, owner, components, character: f"picks the {layout.CHARACTER_NAMES[character]}",
    "take": lambda content, owner, components, face: f"takes a die showing {face}",
    "take_flipped": lambda content, owner, components, face: (
        f"takes a die showing {face} and turns it to {layout.FACES + 1 - face}"
    ),
    "awaken": lambda content, owner, components, square: f"wakes Dunaia {content['die']}, square {square} first",
    "flower": lambda content, owner, components: "recycles the die for a flower",
    "use": _use,
    "start": _start,
    "move": lambda content, owner, components, number, edge: f"moves Dunaia {number} {between(edge)}",
    "plug": lambda content, owner, components, number: f"plugs {chips([number])}",
    "discard": lambda content, owner, components, number: f"pays with {chips([number])}",
    "advance": _advance,
    "call": _call,
    "search": _search,
    "colour": lambda content, owner, components, colour, square: (
        f"puts a {layout.COLOUR_NAMES[colour]} marker on square {square}"
    ),
    "power": _power,
    "reserve": lambda content, owner, components, number: (
        f"reserves {offer(content, content['seat'], number, components)}"
    ),
    "pass": _pass,
}


# What happened.


def changes_of(action: str, before: Content, after: Content, components: Components) -> list[Change]:
    """The differences between two positions that the action's sentence has not told; see `changes.events`."""
    return [told(event, components) for event in changes.events(before, after, components, action)]


def told(event: Event, components: Components) -> Change:
    """An event in words."""
    return Change(event.seat, _EVENTS[event.kind](components, *event.numbers))


def _flowers(components: Components, before: int, after: int) -> str:
    return f"{'gains' if after > before else 'pays'} {count(abs(after - before), 'flower')} (now {after})"


def _roll(components: Components, neutral: int, *faces: int) -> str:
    own = ", ".join(f"{face} ({player(seat)})" for seat, face in enumerate(faces[neutral:]) if face)
    return (
        f"the dice are rolled: neutral dice {' '.join(map(str, faces[:neutral])) or 'none'}"
        f"{f'; own dice {own}' if own else ''}"
    )


def _die(components: Components, face: int, own: int) -> str:
    return f"takes a die showing {face}" + (" (the player's own, as no neutral die is left)" if own else "")


_EVENTS: dict[str, Callable[..., str]] = {
    "character": lambda components, character: f"is the {layout.CHARACTER_NAMES[character]}",
    "die": _die,
    "start": lambda components, square, number: f"starts {tile(number, components)} on square {square}",
    "advance": lambda components, square, steps, needed: (
        f"advances the building on square {square} to {steps} of {needed}"
    ),
    "completed": lambda components, square, number: f"completes the building on square {square}",
    "marker": lambda components, square, colour: f"puts a {layout.COLOUR_NAMES[colour]} marker on square {square}",
    "occupied": lambda components, square: f"has a die on the building on square {square}",
    "dunaia": lambda components, number, edge: f"moves Dunaia {number} {between(edge)}",
    "flowers": _flowers,
    "plugged": lambda components, *numbers: f"plugs {chips(numbers)}",
    "paid": lambda components, *numbers: f"pays with {chips(numbers)}",
    "fragment": lambda components, elder: f"takes the fragment of the {layout.ELDER_NAMES[elder]} elder",
    "artefact": lambda components, number: f"completes an artefact, number {number}",
    "reserved": lambda components, number: f"reserves {tile(number, components)}",
    "prophecy": lambda components, prophecy: (
        f"takes the prophecy of {prophecy_condition(prophecy, components)}"
        f" ({count(values(components).prophecy_points[prophecy], 'point')})"
    ),
    "tile": lambda components, level, place, number: (
        f"a new tile is {('on display', 'on top of the pile')[place]}: {tile(number, components)}"
    ),
    "empty": lambda components, level, place: (
        f"no level {level + 1} tile is {('on display', 'in the pile')[place]} any more"
    ),
    "end": lambda components, number: f"the end is triggered: round {number} is the last",
    "over": lambda components, stopped: (
        "the game is stopped at its round limit and scored" if stopped else "the game is over"
    ),
    "round": lambda components, number, last: f"round {number} begins{', the last one' if last else ''}",
    "roll": _roll,
}

OPTIONS = MappingProxyType(
    {
        "num_players": ("Players", "How many play at the table."),
        "elites": (
            "Elite characters",
            "Before the game everybody takes a character with a power of its own, the last player first.",
        ),
        "max_rounds": ("Round limit", "A game that has not ended after so many rounds is stopped and scored."),
        "characters": (
            "Characters",
            (
                f"Who has which elite character: {layout.DRAFTED} by draft, {layout.DEALT} dealt at random, or one"
                f" digit for each player, from 1 for the {layout.CHARACTER_NAMES[0]} to {layout.CHARACTERS} for the"
                f" {layout.CHARACTER_NAMES[-1]} and {NO_CHARACTER} for none."
            ),
        ),
    }
)

"""Questions, reminders of the rules and what happened: the same in every language, with its words."""

from __future__ import annotations

from collections.abc import Callable

from dunaia_env.dunaia import state as layout
from dunaia_env.dunaia.components import Components
from dunaia_env.dunaia.presentation.wording import changes, facts
from dunaia_env.dunaia.presentation.wording.facts import Content, values
from dunaia_env.dunaia.presentation.wording.words import Words
from dunaia_env.harness.presentation import Change, Event, Outcome


def question(words: Words, content: Content, components: Components) -> str:
    """What the deciding player is asked."""
    return words.typeset(words.say(f"question.{content['decision']}", **facts.left(content)))


def rules(words: Words, content: Content, components: Components) -> str:
    """A reminder of the rules for the present decision and of the power of the deciding player's character."""
    pending, waking = content["pending"], ""
    key = "cost_of_the_power" if pending.get("source") == "power" else "cost_of_calls"
    cost = words.say(key, chips=words.count(values(components).mystic_chips, "chip"))
    if "second_square" in pending:
        moved = "second_effect.lost" if pending.get("woken_moved") else "second_effect.at_stake"
        waking = words.say(moved, dunaia=content["woken"], square=pending["second_square"])
    text = words.say(f"rules.{content['decision']}", most=layout.MOST_ON_AN_EDGE, cost=cost, waking=waking)
    character = facts.helping_character(content)
    power = "" if character == layout.NONE else f" {words.character_power(character, components)}"
    return words.typeset(f"{text}{power}")


def changes_of(words: Words, action: str, before: Content, after: Content, components: Components) -> list[Change]:
    """The differences between two positions that the action's sentence has not told; see `changes.events`."""
    return [told(words, event, components) for event in changes.events(before, after, components, action)]


def told(words: Words, event: Event, components: Components) -> Change:
    """An event in words."""
    text = words.typeset(_EVENTS[event.kind](words, components, *event.numbers))
    match event.kind, event.numbers:
        case "die", (face, own, 1):
            to_seat = words.say("event.own_die.to_seat" if own else "event.forced_die.to_seat", face=face)
            return Change(event.seat, text, words.typeset(to_seat), is_apart=True)
        case ("end", _) | ("round", (_, 1)):
            return Change(event.seat, text, is_apart=True)
    return Change(event.seat, text)


def outcome(words: Words, content: Content, components: Components) -> Outcome:
    """Where the points of the players come from, and what decides if nobody has most."""
    parts = [facts.score_parts(content, seat, components) for seat in range(len(content["players"]))]
    sources = tuple((words.say(f"source.{name}"), tuple(part[name] for part in parts)) for name in parts[0])
    is_tied = content["scores"].count(max(content["scores"])) > 1
    return Outcome(words.typeset(words.say("equal_points")) if is_tied else "", sources)


# What happened.


def _character(words: Words, components: Components, character: int) -> str:
    return words.say("event.character", character=words.characters[character])


def _die(words: Words, components: Components, face: int, own: int, is_forced: int) -> str:
    return words.say("event.own_die" if own else "event.forced_die" if is_forced else "event.die", face=face)


def _started(words: Words, components: Components, square: int, tile: int) -> str:
    return words.say("event.start", tile=words.tile(tile, components), square=square)


def _advanced(words: Words, components: Components, square: int, steps: int, needed: int) -> str:
    return words.say("event.advance", square=square, steps=steps, needed=needed)


def _completed(words: Words, components: Components, square: int, tile: int) -> str:
    return words.say("event.completed", square=square)


def _marker(words: Words, components: Components, square: int, colour: int) -> str:
    return words.say("event.marker", colour=words.colours[colour], square=square)


def _occupied(words: Words, components: Components, square: int) -> str:
    return words.say("event.occupied", square=square)


def _dunaia(words: Words, components: Components, number: int, edge: int) -> str:
    return words.say("move", dunaia=number, place=words.place(edge))


def _flowers(words: Words, components: Components, before: int, after: int) -> str:
    key = "event.gains" if after > before else "event.pays"
    return words.say(key, flowers=words.count(abs(after - before), "flower"), now=after)


def _plugged(words: Words, components: Components, *numbers: int) -> str:
    return words.say("plug", chips=words.chips(numbers))


def _paid(words: Words, components: Components, *numbers: int) -> str:
    return words.say("discard", chips=words.chips(numbers))


def _fragment(words: Words, components: Components, elder: int) -> str:
    return words.say("event.fragment", elder=words.elder_whose(elder))


def _artefact(words: Words, components: Components, number: int) -> str:
    return words.say("event.artefact", artefact=number)


def _reserved(words: Words, components: Components, tile: int) -> str:
    return words.say("event.reserved", tile=words.tile(tile, components))


def _prophecy(words: Words, components: Components, prophecy: int) -> str:
    points = words.count(values(components).prophecy_points[prophecy], "point")
    return words.say("event.prophecy", condition=words.prophecy_condition(prophecy, components), points=points)


def _tile(words: Words, components: Components, level: int, place: int, tile: int) -> str:
    return words.say("event.tile_on_top" if place else "event.tile_on_display", tile=words.tile(tile, components))


def _empty(words: Words, components: Components, level: int, place: int) -> str:
    return words.say("event.empty_pile" if place else "event.empty_display", level=level + 1)


def _end(words: Words, components: Components, number: int) -> str:
    return words.say("event.end", round=number)


def _over(words: Words, components: Components, stopped: int) -> str:
    return words.say("event.stopped" if stopped else "event.over")


def _round(words: Words, components: Components, number: int, last: int) -> str:
    return words.say("event.last_round" if last else "event.round", round=number)


def _roll(words: Words, components: Components, neutral: int, *faces: int) -> str:
    dice = " ".join(map(str, faces[:neutral])) or words.say("no_dice")
    own = ", ".join(f"{face} ({words.player(seat)})" for seat, face in enumerate(faces[neutral:]) if face)
    return words.say("event.roll_with_own" if own else "event.roll", dice=dice, own=own)


_EVENTS: dict[str, Callable[..., str]] = {
    "character": _character,
    "die": _die,
    "start": _started,
    "advance": _advanced,
    "completed": _completed,
    "marker": _marker,
    "occupied": _occupied,
    "dunaia": _dunaia,
    "flowers": _flowers,
    "plugged": _plugged,
    "paid": _paid,
    "fragment": _fragment,
    "artefact": _artefact,
    "reserved": _reserved,
    "prophecy": _prophecy,
    "tile": _tile,
    "empty": _empty,
    "end": _end,
    "over": _over,
    "round": _round,
    "roll": _roll,
}

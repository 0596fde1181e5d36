"""The differences between two positions, as events of several kinds. The wordings put the events into words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from dunaia_env.dunaia.components import GAIN_CHIPS, GAIN_FLOWERS, Components
from dunaia_env.dunaia.presentation.wording import facts, verbs
from dunaia_env.dunaia.state import LEVELS, NONE
from dunaia_env.harness.presentation import Event

Content = Mapping[str, Any]

# The kinds of events, each with the meaning of its numbers.
KINDS = {
    "character": "the character that a player has now",
    "die": "the face of the die that a player has taken, whether it is the own die, and whether it was the only choice",
    "start": "square and tile of a building that was started",
    "advance": "square, steps and needed steps of a building that was advanced and is not completed",
    "completed": "square and tile of a building that was completed",
    "marker": "square and colour of a marker that was put on a building",
    "occupied": "square of a building on which a die was put",
    "dunaia": "number and edge of a Dunaia that was moved",
    "flowers": "flowers before and after",
    "plugged": "the chips that were plugged",
    "paid": "the chips that were paid",
    "fragment": "the elder beside whom the fragment lay",
    "artefact": "the number of complete artefacts",
    "reserved": "the tile that was reserved",
    "prophecy": "the prophecy that a player has taken",
    "tile": "level, place (0 displayed, 1 top of the pile) and tile that has come there",
    "empty": "level and place (likewise) where no tile is left",
    "end": "the round that will be the last",
    "over": "1 if the game was stopped at its most rounds",
    "round": "the round that has begun, and whether it is the last",
    "roll": "the number of neutral dice and their faces, then the own die's face by seat (0: not in the pool)",
}


def events(before: Content, after: Content, components: Components, action: str = "") -> list[Event]:
    """The differences between two positions: first of the player who decided, then of the others, then of the board.

    Args:
        before: the earlier position.
        after: the later position.
        components: the components of the game.
        action: the text of the action between the positions; what its sentence already says is left out. If it is
            empty, any number of actions may lie between the positions.
    """
    players = len(after["players"])
    first = max(before["seat"], 0)
    found: list[Event] = []
    for seat in ((first + offset) % players for offset in range(players)):
        old, new = before["players"][seat], after["players"][seat]
        own = [Event(seat, kind, numbers) for kind, numbers in _of_player(old, new, before, components)]
        if seat == before["seat"] and action.startswith("awaken "):
            first_square = int(action.split()[1])
            by_first = partial(_is_effect, owner=old, square=first_square, dunaia=before["die"], components=components)
            own.sort(key=by_first, reverse=True)
        found += own
        for was, now in zip(before["prophecies"], after["prophecies"], strict=True):
            if was["owner"] != now["owner"] == seat:
                found.append(Event(seat, "prophecy", (now["id"],)))
    found += (Event(None, kind, numbers) for kind, numbers in _of_board(before, after))
    seat = after["seat"]
    if after["die"] and (before["seat"] != seat or not before["die"]):
        # A die that an action does not name was taken without a decision.
        found.append(Event(seat, "die", (after["die"], int(facts.own_die_in_hand(after)), int(bool(action)))))
    return [event for event in (_besides(change, action, before) for change in found) if event is not None]


def _of_player(
    old: Content, new: Content, before: Content, components: Components
) -> Iterator[tuple[str, tuple[int, ...]]]:
    if old["character"] != new["character"]:
        yield "character", (new["character"],)
    paid = tuple(sorted(set(old["chips"]) - set(new["chips"])))
    if paid:
        yield "paid", paid
    if old["flowers"] != new["flowers"]:
        yield "flowers", (old["flowers"], new["flowers"])
    for square, (was, now) in enumerate(zip(old["squares"], new["squares"], strict=True)):
        yield from _of_square(square, was, now, components)
    plugged = tuple(sorted(set(new["chips"]) - set(old["chips"])))
    if plugged:
        yield "plugged", plugged
    for number, (was_at, now_at) in enumerate(zip(old["dunaias"], new["dunaias"], strict=True), 1):
        if was_at != now_at:
            yield "dunaia", (number, now_at)
    if new["reserved"] not in {old["reserved"], NONE}:
        yield "reserved", (new["reserved"],)
    if new["artefacts"] > old["artefacts"]:
        yield "artefact", (new["artefacts"],)
    else:
        for kind in sorted(set(new["fragments"]) - set(old["fragments"])):
            yield "fragment", (before["elders"][kind],)


def _of_square(
    square: int, was: Content | None, now: Content | None, components: Components
) -> Iterator[tuple[str, tuple[int, ...]]]:
    if now is None:
        return
    if was is None:
        yield "start", (square, now["tile"])
    if now["built"] and not (was and was["built"]):
        yield "completed", (square, now["tile"])
    elif was and now["steps"] > was["steps"]:
        yield "advance", (square, now["steps"], facts.values(components).steps[now["tile"]])
    for colour in now["colours"]:
        if not was or colour not in was["colours"]:
            yield "marker", (square, colour)
    if now["die"] and not (was and was["die"]):
        yield "occupied", (square,)


def _is_effect(event: Event, owner: Content, square: int, dunaia: int, components: Components) -> bool:
    """Whether an event can come from waking a Dunaia of the owner beside a square."""
    effect = facts.waking(owner, square, dunaia, components)
    match event.kind:
        case "flowers":
            return effect.kind == "flower" or GAIN_FLOWERS in effect.gains
        case "plugged":
            return effect.kind == "chip" or GAIN_CHIPS in effect.gains
        case "advance" | "completed":
            return event.numbers[0] == square
        case _:
            return False


def _dice_in_pool(content: Content) -> int:
    return sum(1 for die in content["dice"]["own"] if die) + sum(map(int, content["dice"]["neutral"]))


def _of_board(before: Content, after: Content) -> Iterator[tuple[str, tuple[int, ...]]]:
    for level in range(LEVELS):
        for place, where in enumerate(("display", "pile_top")):
            was, tile = before[where][level], after[where][level]
            if tile == NONE:
                # A pile from which the found tile was taken is complete again once that tile is placed.
                if was != NONE and "found" not in after["pending"]:
                    yield "empty", (level, place)
            elif tile != was:
                yield "tile", (level, place, tile)
    if before["final_round"] is None and after["final_round"] is not None:
        yield "end", (after["final_round"],)
    if after["over"] and not before["over"]:
        yield "over", (int(after["truncated"]),)
    if after["round"] > before["round"]:
        yield "round", (after["round"], int(after["round"] == after["final_round"]))
    if _dice_in_pool(after) > _dice_in_pool(before):
        faces = [face for face, count in enumerate(after["dice"]["neutral"], 1) for _ in range(count)]
        yield "roll", (len(faces), *faces, *after["dice"]["own"])


# Events whose numbers are a set of things, each of which a sentence may tell.
_SETS = ("plugged", "paid")


def _besides(event: Event, action: str, before: Content) -> Event | None:
    """The event without what the action's sentence already says; None if nothing is left of it."""
    if not action:
        return event
    verb, numbers = verbs.parsed(action)
    own = event.seat == before["seat"]
    if event.kind in _SETS:
        parts = (event._replace(numbers=(part,)) for part in event.numbers)
        left = tuple(part.numbers[0] for part in parts if not verb.tells(part, own, before, *numbers))
        return event._replace(numbers=left) if left else None
    return None if verb.tells(event, own, before, *numbers) else event

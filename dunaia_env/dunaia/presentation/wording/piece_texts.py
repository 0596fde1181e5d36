"""What each piece of a position is, does and would do now: the same in every language, with its words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace

from dunaia_env.dunaia import state as layout
from dunaia_env.dunaia.components import ALL_COLOURS, GAIN_ADVANCES, GAIN_CHIPS, GAIN_MOVES, Components
from dunaia_env.dunaia.presentation.pieces import check_piece
from dunaia_env.dunaia.presentation.wording import facts
from dunaia_env.dunaia.presentation.wording.facts import Content
from dunaia_env.dunaia.presentation.wording.words import Words
from dunaia_env.dunaia.state import NONE


def piece(words: Words, name: str, content: Content, components: Components) -> str:
    """What a piece (by its name) is, and what it does or would do now; raises `ValueError` for an unknown name."""
    kind, numbers = check_piece(name, content)
    about = _Position(words, content, components)
    return words.typeset(" ".join(_capital(sentence) for sentence in _PIECES[kind](about, *numbers)))


@dataclass(frozen=True)
class _Position:
    """A position, and the words to speak of it."""

    words: Words
    content: Content
    components: Components

    @property
    def printed(self) -> SimpleNamespace:
        """The values of the components."""
        return facts.values(self.components)

    def owner(self, seat: int) -> Content:
        """A player's part of the position."""
        owner: Content = self.content["players"][seat]
        return owner

    def say(self, key: str, number: int | None = None, **parts: object) -> str:
        """See `Words.say`."""
        return self.words.say(key, number, **parts)

    def count(self, amount: int, noun: str) -> str:
        """See `Words.count`."""
        return self.words.count(amount, noun)

    def place(self, edge: int) -> str:
        """An edge, by its two squares."""
        return self.say("where", squares=self.words.listed(facts.SQUARES_OF_EDGE[edge]))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# Dice.


def _wakes(at: _Position, seat: int, dunaia: int) -> str:
    """What waking a Dunaia would do now: ``square 3 gives 1 flower; square 4 does nothing``."""
    owner = at.owner(seat)
    effects = [
        at.say("square_effect", square=square, effect=_effect(at, owner, square, dunaia))
        for square in facts.SQUARES_OF_EDGE[owner["dunaias"][dunaia - 1]]
    ]
    return at.say("two_effects", first=effects[0], second=effects[1])


def _effect(at: _Position, owner: Content, square: int, dunaia: int) -> str:
    found = facts.waking(owner, square, dunaia, at.components)
    gains = at.words.listed(_gain(at, amount, kind) for kind, amount in found.gains.items()) if found.gains else ""
    return at.say(f"effect.{found.kind}", chip=dunaia, steps=found.steps, needed=found.needed, gains=gains)


def _gain(at: _Position, amount: int, kind: int) -> str:
    """A gain with the choice that it leaves: ``2 chips of choice``, ``up to 2 moves``."""
    gain = at.words.gain(amount, kind)
    key = {GAIN_MOVES: "gain.moves", GAIN_ADVANCES: "gain.advances", GAIN_CHIPS: "gain.chips"}.get(kind)
    return gain if key is None else at.say(key, amount, gain=gain)


def _for_the_decider(at: _Position, face: int) -> Iterator[str]:
    seat = at.content["seat"]
    if seat != NONE:
        place, wakes = at.place(at.owner(seat)["dunaias"][face - 1]), _wakes(at, seat, face)
        yield at.say("wakes_for", player=at.words.player(seat), face=face, place=place, wakes=wakes)


def _die(at: _Position, face: int) -> Iterator[str]:
    dice = at.content["dice"]["neutral"][face - 1]
    if not dice:
        yield at.say("no_neutral_die", face=face)
        return
    yield at.say("neutral_die", dice, face=face)
    yield from _for_the_decider(at, face)


def _own_die(at: _Position, seat: int) -> Iterator[str]:
    face, player = at.content["dice"]["own"][seat], at.words.player(seat)
    if not face:
        yield at.say("no_own_die", player=player)
        return
    yield at.say("own_die", player=player, face=face)
    yield at.say("wakes", face=face, wakes=_wakes(at, seat, face))


def _flip(at: _Position, face: int) -> Iterator[str]:
    turned = layout.FACES + 1 - face
    yield at.say("flip", face=face, turned=turned)
    yield from _for_the_decider(at, turned)


def _flip_own(at: _Position, seat: int) -> Iterator[str]:
    face = at.content["dice"]["own"][seat]
    if not face:
        yield at.say("no_own_die", player=at.words.player(seat))
        return
    turned = layout.FACES + 1 - face
    yield at.say("flip_own", face=face, turned=turned)
    yield at.say("wakes", face=turned, wakes=_wakes(at, seat, turned))


def _hand_die(at: _Position) -> Iterator[str]:
    seat, face, woken = at.content["seat"], at.content["die"], at.content["woken"]
    if not face:
        yield at.say("no_die_in_hand")
        return
    own = facts.own_die_in_hand(at.content)
    yield at.say("own_die_in_hand" if own else "die_in_hand", player=at.words.player(seat), face=face)
    if woken:
        yield at.say("to_recycle", dunaia=woken)
    else:
        yield at.say("wakes_then_recycled", face=face, wakes=_wakes(at, seat, face))


# Tiles.


def _about_tile(at: _Position, tile: int) -> Iterator[str]:
    """How many advances complete the building on a tile, and what it does once it is completed."""
    yield at.say("advances_to_complete", advances=at.count(at.printed.steps[tile], "advance"))
    yield from _once_completed(at, tile)


def _once_completed(at: _Position, tile: int) -> Iterator[str]:
    """What the building on a tile does once it is completed."""
    printed = at.printed
    level = printed.level[tile]
    key = {facts.RECYCLING_LEVEL: "once_completed.recycling", facts.WAKING_LEVEL: "once_completed.waking"}.get(level)
    if printed.effect[tile] != NONE and key is not None:
        yield at.say(key, effect=_gain(at, printed.amount[tile], printed.effect[tile]))
    for group in facts.arrows(tile, at.components):
        yield at.say("arrows_more", len(group.sides), **_parts_of(at, group))
    if printed.colours[tile] == ALL_COLOURS:
        yield at.say("every_colour")
    yield at.say("worth_once_completed", points=at.count(printed.level_points[level], "point"))


def _parts_of(at: _Position, group: facts.Arrows) -> dict[str, str]:
    """Sides, gain and colour of a group of arrows."""
    gain, colour = at.words.gain(group.amount, group.gain), at.words.colours[group.colour]
    return {"sides": at.words.side_set(group.sides), "gain": gain, "colour": colour}


def _name(at: _Position, tile: int) -> str:
    """``level 2 building, green``."""
    colours = at.words.colour_set(at.printed.colours[tile])
    return at.say("building", level=at.printed.level[tile] + 1, colours=colours)


def _purchase(at: _Position, seat: int, tile: int, offer: int) -> Iterator[str]:
    if seat == NONE:
        return
    owner, player = at.owner(seat), at.words.player(seat)
    cost = facts.price(owner, tile, offer, at.components)
    flowers = at.count(owner["flowers"], "flower")
    yield at.say("price", player=player, flowers=at.count(cost, "flower"))
    reasons = [
        at.say(f"lacks.{reason}" if reason != "flowers" or owner["flowers"] else "lacks.all_flowers", flowers=flowers)
        for reason in facts.obstacles(owner, cost)
    ]
    if reasons:
        yield at.say("cannot_buy", player=player, reasons=at.words.listed(reasons))
    else:
        yield at.say("can_buy", player=player, flowers=flowers)


def _offer(at: _Position, offer: int) -> Iterator[str]:
    level, place = divmod(offer, 2)
    seat = at.content["seat"]
    tile = facts.offered_tile(at.content, seat, offer)
    if tile == NONE:
        yield at.say("no_tile_left", level=level + 1)
        return
    yield at.say("tile_on_top" if place else "tile_on_display", tile=_name(at, tile))
    yield from _about_tile(at, tile)
    yield from _purchase(at, seat, tile, offer)
    if place:
        yield at.say("tiles_below", tiles=at.count(len(at.content["piles"][level]), "tile below"))


def _reserved(at: _Position, seat: int) -> Iterator[str]:
    tile, player = at.owner(seat)["reserved"], at.words.player(seat)
    if tile == NONE:
        yield at.say("nothing_reserved", player=player)
        return
    yield at.say("tile_reserved", tile=_name(at, tile), player=player)
    yield from _about_tile(at, tile)
    yield from _purchase(at, seat, tile, layout.RESERVED_OFFER)


def _found(at: _Position) -> Iterator[str]:
    seat = at.content["seat"]
    tile = facts.offered_tile(at.content, seat, layout.FOUND_OFFER)
    if tile == NONE:
        yield at.say("nothing_found")
        return
    yield at.say("tile_found", tile=_name(at, tile))
    yield from _about_tile(at, tile)
    yield from _purchase(at, seat, tile, layout.FOUND_OFFER)


def _pile(at: _Position, level: int, tile: int) -> Iterator[str]:
    in_pile = tile in (*at.content["piles"][level], at.content["pile_top"][level])
    if at.printed.level[tile] != level or not in_pile:
        yield at.say("not_in_pile", level=level + 1)
        return
    yield at.say("tile_in_pile", tile=_name(at, tile), level=level + 1)
    yield from _about_tile(at, tile)
    yield from _purchase(at, at.content["seat"], tile, layout.FOUND_OFFER)


# The common board.


def _elder(at: _Position, space: int) -> Iterator[str]:
    elder, printed, seat = at.content["elders"][space], at.printed, at.content["seat"]
    yield at.say(
        f"elder.{elder}",
        elder=at.words.elders[elder],
        flowers=at.count(printed.elder_flowers, "flower"),
        moves=at.words.moves(printed.elder_moves),
        advances=at.count(printed.elder_advances, "advance"),
    )
    left = at.count(at.content["fragments"][space], "fragment")
    yield at.say("cost_of_a_call", chips=at.words.listed(printed.elder_costs[space]), left=left)
    if seat != NONE:
        call = facts.call(at.content, seat, space, at.components)
        yield at.say("player_says", player=at.words.player(seat), what=_callable(at, call))


def _callable(at: _Position, call: facts.Call) -> str:
    if call.missing:
        return at.say("call.missing", len(call.missing), chips=at.words.chips(call.missing))
    if not call.third:
        return at.say("call.no_third")
    if call.fragment == "free":
        return at.say("call.both" if call.power else "call.fragment_only")
    return at.say("call.power_only" if call.power else "call.no_use", reason=at.say(f"fragment.{call.fragment}"))


def _prophecy(at: _Position, prophecy: int) -> Iterator[str]:
    points = at.count(at.printed.prophecy_points[prophecy], "point")
    yield at.say("prophecy", points=points, condition=at.words.prophecy_condition(prophecy, at.components))
    owners = [printed["owner"] for printed in at.content["prophecies"] if printed["id"] == prophecy]
    if not owners:
        yield at.say("prophecy_absent")
    elif owners[0] != NONE:
        yield at.say("prophecy_taken", player=at.words.player(owners[0]))
    else:
        yield at.say("prophecy_open")
        for seat, player in enumerate(at.content["players"]):
            parts = [_progress(at, part) for part in facts.progress(player, prophecy, at.components)]
            progress = at.words.listed(parts or [at.say("no_condition")])
            met = at.say("met") if facts.meets(player, prophecy, at.components) else ""
            yield at.say("progress", player=at.words.player(seat), progress=progress, met=met)


def _progress(at: _Position, part: facts.Progress) -> str:
    one_artefact = part.kind == "artefacts" and part.needs == 1
    return at.say("progress.artefact" if one_artefact else f"progress.{part.kind}", has=part.has, needs=part.needs)


def _marker(at: _Position, colour: int) -> Iterator[str]:
    left, name = at.content["colour_markers"][colour], at.words.colours[colour]
    yield at.say("markers_left" if left else "no_marker_left", colour=name, left=left)
    yield at.say("use_of_markers", colour=name)


def _character(at: _Position, character: int) -> Iterator[str]:
    yield at.say("character", character=at.words.characters[character])
    yield at.words.character_power(character, at.components)
    seat = facts.owner_of_character(at.content, character)
    if character in at.content["characters_available"]:
        yield at.say("character_free")
    elif seat == NONE:
        yield at.say("character_absent")
    else:
        used = at.owner(seat)["power_used"]
        yield at.say("character_used" if used else "character_played", player=at.words.player(seat))


# Villages.


def _square(at: _Position, seat: int, square: int) -> Iterator[str]:
    owner = at.owner(seat)
    building = owner["squares"][square]
    place = at.say("square", square=square, where=at.words.squares[square], player=at.words.player(seat))
    if building is None:
        found = facts.waking(owner, square, 0, at.components)
        yield at.say("empty_square", place=place)
        yield at.say(f"prints.{found.kind}")
        yield at.say("can_build")
    else:
        yield at.say("building_on", building=_name(at, building["tile"]), place=place)
        yield from _about_building(at, seat, square)
    beside = facts.beside(owner, square)
    if beside:
        yield at.say("beside", len(beside), dunaias=at.words.listed(beside))


def _about_building(at: _Position, seat: int, square: int) -> Iterator[str]:
    owner, printed = at.owner(seat), at.printed
    building = owner["squares"][square]
    tile = building["tile"]
    if building["colours"]:
        colours = at.words.listed(at.words.colours[colour] for colour in building["colours"])
        yield at.say("markers", len(building["colours"]), colours=colours)
    if not building["built"]:
        steps = at.count(building["steps"], "advance")
        yield at.say("under_construction", steps=building["steps"], advances=steps, needed=printed.steps[tile])
        yield from _once_completed(at, tile)
        return
    level, arrows = printed.level[tile], facts.arrows(tile, at.components)
    points = at.count(facts.points_now(owner, square, at.components), "point")
    with_arrows = level == facts.POINTS_LEVEL and arrows
    yield at.say("completed_with_arrows" if with_arrows else "completed", points=points)
    if printed.colours[tile] == ALL_COLOURS:
        yield at.say("every_colour")
    gains = facts.gains_now(owner, square, at.components)
    if level == facts.RECYCLING_LEVEL:
        yield from _about_recycling(at, seat, square)
    elif level == facts.WAKING_LEVEL and gains:
        now = at.words.listed(_gain(at, amount, kind) for kind, amount in gains.items())
        yield at.say("waking_gives", gains=now)
    if level != facts.WAKING_LEVEL:
        yield at.say("waking_does_nothing")
    for group in arrows:
        active = len(set(group.sides) & set(facts.active_sides(owner, square, at.components)))
        yield at.say("arrows_now", len(group.sides), active=active, **_parts_of(at, group))


def _about_recycling(at: _Position, seat: int, square: int) -> Iterator[str]:
    building, decider = at.owner(seat)["squares"][square], at.content["seat"]
    tile, printed = building["tile"], at.printed
    if printed.effect[tile] == NONE:
        return
    yield at.say("recycling_gives", gain=_gain(at, printed.amount[tile], printed.effect[tile]))
    if building["die"]:
        yield at.say("occupied")
    elif decider not in (NONE, seat):
        key = "can_pay_use" if at.owner(decider)["flowers"] else "cannot_pay_use"
        yield at.say(key, player=at.words.player(decider), owner=at.words.player(seat))


def _edge(at: _Position, seat: int, edge: int) -> Iterator[str]:
    here = facts.at_edge(at.owner(seat), edge)
    yield at.say("edge", place=at.place(edge), player=at.words.player(seat))
    if here:
        room = layout.MOST_ON_AN_EDGE - len(here)
        standing = at.say("standing", len(here), dunaias=at.words.listed(here))
        yield at.say("standing_with_room" if room else "standing_full", standing=standing, room=room)
    else:
        yield at.say("nobody_here", room=layout.MOST_ON_AN_EDGE)


def _dunaia(at: _Position, seat: int, dunaia: int) -> Iterator[str]:
    place, content = at.place(at.owner(seat)["dunaias"][dunaia - 1]), at.content
    yield at.say("dunaia", dunaia=dunaia, player=at.words.player(seat), place=place)
    yield at.say("die_that_wakes", dunaia=dunaia)
    yield at.say("waking_now", wakes=_wakes(at, seat, dunaia))
    if content["seat"] == seat and content["woken"] == dunaia:
        yield at.say("woken_this_turn")


def _chip(at: _Position, seat: int, chip: int) -> Iterator[str]:
    plugged = chip in at.owner(seat)["chips"]
    yield at.say("chip_plugged" if plugged else "chip_in_reserve", chip=chip, player=at.words.player(seat))
    spaces = facts.elders_that_need(chip, at.components)
    if spaces:
        elders = at.words.listed(at.words.elders[at.content["elders"][space]] for space in spaces)
        yield at.say("chip_needed", elders=elders)
    else:
        yield at.say("chip_not_needed")
    if not plugged:
        yield at.say("how_to_plug", chip=chip)


def _flowers(at: _Position, seat: int) -> Iterator[str]:
    flowers, each = at.owner(seat)["flowers"], at.printed.flowers_per_point
    yield at.say("has_flowers", player=at.words.player(seat), flowers=at.count(flowers, "metal flower"))
    points = at.count(flowers // each, "point")
    yield at.say("use_of_flowers", each, flowers=at.count(each, "flower"), points=points)
    if seat == at.content["seat"] and at.content["decision"] == "RECYCLE":
        yield at.say("recycle_for_a_flower")


def _tokens(at: _Position, seat: int) -> Iterator[str]:
    tokens, all_tokens, player = at.owner(seat)["tokens"], at.printed.start_tokens, at.words.player(seat)
    left, in_all = (at.count(number, "construction token") for number in (tokens, all_tokens))
    key = "has_tokens" if tokens else "has_no_token"
    yield at.say(key, player=player, tokens=tokens, all_tokens=all_tokens, left=left, in_all=in_all)
    yield at.say("use_of_tokens")


def _artefacts(at: _Position, seat: int) -> Iterator[str]:
    artefacts, player = at.owner(seat)["artefacts"], at.words.player(seat)
    points = facts.artefact_points(artefacts, at.components)
    more = facts.artefact_points(artefacts + 1, at.components) - points
    if artefacts:
        counted = at.count(artefacts, "complete artefact")
        yield at.say("has_artefacts", player=player, artefacts=counted, points=at.count(points, "point"))
    else:
        yield at.say("has_no_artefact", player=player)
    yield at.say("next_artefact", points=at.count(more, "point"))


def _fragments(at: _Position, seat: int) -> Iterator[str]:
    held, player = at.owner(seat)["fragments"], at.words.player(seat)
    names = [at.words.elder_whose(elder) for elder in at.content["elders"]]
    missing = [name for space, name in enumerate(names) if space not in held]
    if held:
        of_held = at.words.listed(names[space] for space in held)
        yield at.say("has_fragments", len(held), player=player, elders=of_held)
        yield at.say("missing_fragments", len(missing), elders=at.words.listed(missing))
    else:
        yield at.say("has_no_fragment", player=player)
    yield at.say("one_artefact_at_a_time")


def _score(at: _Position, seat: int) -> Iterator[str]:
    parts = at.words.listed(
        at.say(f"points_for.{part}", points=points)
        for part, points in facts.score_parts(at.content, seat, at.components).items()
    )
    score = at.count(at.content["scores"][seat], "point")
    yield at.say("has_points", player=at.words.player(seat), score=score, parts=parts)
    if not at.content["over"]:
        yield at.say("what_counts_when")


# Buttons.


def _power(at: _Position) -> Iterator[str]:
    seat = at.content["seat"]
    character = at.owner(seat)["character"] if seat != NONE else NONE
    if character not in (layout.FOREMAN, layout.MYSTIC):
        yield at.say("power")
        return
    yield at.words.character_power(character, at.components)
    if at.owner(seat)["power_used"]:
        yield at.say("power_used")


def _pass(at: _Position) -> Iterator[str]:
    key = f"pass.{at.content['decision']}"
    yield at.say(key if key in at.words.texts else "pass")


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

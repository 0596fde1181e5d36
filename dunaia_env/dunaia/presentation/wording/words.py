"""What a language says of Dunaïa: its words, its templates, and the short descriptions that are made of them.

`wording.sentences` and `wording.piece_texts` make the texts; they are the same in every language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from dunaia_env.dunaia import state as layout
from dunaia_env.dunaia.components import GAIN_ADVANCES, GAIN_NAMES, Components
from dunaia_env.dunaia.presentation.wording import facts
from dunaia_env.dunaia.presentation.wording.facts import Content, values
from dunaia_env.harness.presentation import Doing


@dataclass(frozen=True)
class Words:
    """A language.

    Attributes:
        texts: templates by key. Where one thing and several have templates of their own, their keys end in ``.one`` and
            ``.many``.
        nouns: singular and plural of each noun that is counted, by its English singular; no plural where it is regular.
        squares, sides, colours, characters, elders: what each of them is called.
        elder_whose: an elder's name as the owner of a fragment.
        counted: a number with a noun, of which it gets singular and plural.
        enumerated: an enumeration of one thing or several.
        typeset: the final touch of a text.
        is_choice: whether the templates of actions word what can be chosen instead of what was done.
    """

    texts: Mapping[str, str]
    nouns: Mapping[str, tuple[str, str]]
    squares: Sequence[str]
    sides: Sequence[str]
    colours: Sequence[str]
    characters: Sequence[str]
    elders: Sequence[str]
    elder_whose: Callable[[int], str]
    counted: Callable[[int, str, str], str]
    enumerated: Callable[[Iterable[object]], str]
    typeset: Callable[[str], str] = str
    is_choice: bool = False

    @property
    def of_choices(self) -> Words:
        """The same language, with actions as people are asked to choose them."""
        return replace(self, is_choice=True)

    def say(self, key: str, number: int | None = None, **parts: object) -> str:
        """A template with its parts; with a number, that of one thing or of several."""
        suffix = "" if number is None else ".one" if number == 1 else ".many"
        return self.texts[f"{key}{suffix}"].format(number=number, do=Doing(self.is_choice), **parts)

    def count(self, amount: int, noun: str) -> str:
        """A number with its noun: ``2 flowers``."""
        return self.counted(amount, *self.nouns[noun])

    def listed(self, things: Iterable[object]) -> str:
        """An enumeration: ``1, 2 and 3``, or ``nothing``."""
        found = list(things)
        return self.enumerated(found) if found else self.say("nothing")

    def player(self, seat: int) -> str:
        """What a seat is called: ``player 1``."""
        return self.say("player", seat=seat)

    def place(self, edge: int) -> str:
        """An edge, by its two squares: ``between squares 0 and 1``."""
        return self.say("place", squares=self.listed(facts.SQUARES_OF_EDGE[edge]))

    def gain(self, amount: int, kind: int) -> str:
        """A gain in short: ``2 flowers``."""
        return self.count(amount, GAIN_NAMES[kind].removesuffix("s"))

    def moves(self, amount: int) -> str:
        """Moves that a player may make: ``1 move of a Dunaia``, ``up to 2 moves of Dunaias``."""
        return self.say("moves", amount, moves=self.count(amount, "move"))

    def chips(self, numbers: Iterable[int]) -> str:
        """Chips by their numbers: ``chip 3``, ``chips 1 and 2``."""
        found = list(numbers)
        return self.say("chips", len(found), chips=self.listed(found))

    def colour_set(self, mask: int) -> str:
        """A set of colours: ``green``, ``green and red``, ``multicoloured``."""
        found = facts.colours_of(mask)
        if len(found) == layout.COLOURS:
            return self.say("multicoloured")
        return self.listed(self.colours[colour] for colour in found)

    def side_set(self, found: Iterable[int]) -> str:
        """Sides of a tile: ``north and west``, ``on all sides``."""
        where = tuple(found)
        return self.say("all_sides") if len(where) == layout.SIDES else self.listed(self.sides[side] for side in where)

    def tile(self, number: int, components: Components) -> str:
        """A tile in a few words: level, colour, effect and arrows."""
        printed = values(components)
        parts = [self.say("tile", level=printed.level[number] + 1, colours=self.colour_set(printed.colours[number]))]
        if printed.effect[number] != layout.NONE:
            effect = self.gain(printed.amount[number], printed.effect[number])
            # Without the verb, the advances would read like the advances that complete the building.
            verb = printed.effect[number] == GAIN_ADVANCES
            parts.append(self.say("tile.gives", gain=effect) if verb else effect)
        steps = facts.own_steps(number, components)
        if steps:
            parts.append(self.say("tile.steps", steps=self.count(steps, "step")))
        for group in facts.arrows(number, components):
            gain, colour = self.gain(group.amount, group.gain), self.colours[group.colour]
            parts.append(
                self.say("tile.arrows", len(group.sides), colour=colour, sides=self.side_set(group.sides), gain=gain)
            )
        return ", ".join(parts)

    def offer(self, content: Content, seat: int, number: int, components: Components) -> str:
        """A tile offered to a seat: ``the displayed tile (level 1 green, 3 flowers)``."""
        kinds = {layout.RESERVED_OFFER: "reserved", layout.FOUND_OFFER: "found"}
        kind = kinds.get(number, "top" if number % 2 else "displayed")
        return self.say(f"offer.{kind}", tile=self.tile(facts.offered_tile(content, seat, number), components))

    def elder_power(self, elder: int, components: Components) -> str:
        """The power of an elder in a few words."""
        printed = values(components)
        return self.say(
            f"power_of_elder.{elder}",
            flowers=self.count(printed.elder_flowers, "flower"),
            moves=self.moves(printed.elder_moves),
            advances=self.count(printed.elder_advances, "advance"),
        )

    def character_power(self, character: int, components: Components) -> str:
        """The power of a character, a whole sentence."""
        printed = values(components)
        return self.say(
            f"power_of_character.{character}",
            discount=self.count(printed.merchant_discount, "flower"),
            cost=self.count(printed.foreman_cost, "flower"),
            advances=self.count(printed.foreman_advances, "advance"),
            chips=self.count(printed.mystic_chips, "plugged chip"),
            gains=self.mystic_gains(components),
        )

    def mystic_gains(self, components: Components) -> str:
        """What the mystic's power gives."""
        printed = values(components)
        gains = [self.count(printed.mystic_flowers, "flower")] if printed.mystic_flowers else []
        if printed.mystic_moves:
            gains.append(self.moves(printed.mystic_moves))
        return self.listed(gains)

    def prophecy_condition(self, prophecy: int, components: Components) -> str:
        """The condition of a prophecy in a few words."""
        printed = values(components)
        counted = (
            (printed.prophecy_buildings[prophecy], "completed building"),
            (printed.prophecy_flowers[prophecy], "flower"),
            (printed.prophecy_artefacts[prophecy], "complete artefact"),
        )
        parts = [self.count(number, noun) for number, noun in counted if number]
        if printed.prophecy_shape[prophecy]:
            parts.append(self.say(f"shape.{printed.prophecy_shape[prophecy]}"))
        return self.listed(parts or [self.say("no_condition")])

    def prophecy(self, number: int, components: Components) -> str:
        """The condition of a prophecy and its points."""
        points = self.count(values(components).prophecy_points[number], "point")
        return f"{self.prophecy_condition(number, components)}: {points}"

"""What pages write around the board: the phases, a panel for each player, and a panel with the decks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from dunaia_env.dune.presentation import icons, notes, palette
from dunaia_env.dune.presentation.look import Look
from dunaia_env.dune.presentation.planet import load_planet
from dunaia_env.dune.presentation.wording import english, french
from dunaia_env.dune.presentation.wording.facts import Facts
from dunaia_env.dune.presentation.wording.piece_texts import powers, use_of
from dunaia_env.dune.presentation.wording.tellers import Teller
from dunaia_env.dune.state import NONE
from dunaia_env.harness.presentation import CARDS, COUNTS, DISCS, LINES, Group, Item, Panel, Step, Surroundings
from dunaia_env.support import svg
from dunaia_env.support.svg import circle, placed, stroke

_FEW = 3  # players up to which all leaders stand with their names
_CONSTANT = ("setup", "over")  # phases that are no part of a turn


def surroundings(look: Look) -> Surroundings:
    """The phases of the turn and the panels, beginning with the seat for which they are written."""
    count, first = len(look.players), look.seat or 0
    panels = [_player((first + place) % count, look) for place in range(count)]
    return Surroundings(steps(look), [*panels, _decks(look)])


def steps(look: Look) -> list[Step]:
    """The phases of a turn in order; the harvest follows the battles at once and is never shown as the present one."""
    now = look.get("phase")
    shown = [(phase, words) for phase, words in look.labels.phases.items() if phase not in _CONSTANT or phase == now]
    found = [Step(words, phase == now) for phase, words in shown]
    after_battle = next((place for place, (phase, _) in enumerate(shown) if phase == "battle"), len(found) - 1) + 1
    return [*found[:after_battle], Step(look.labels.harvest, False), *found[after_battle:]]


def _icon(body: str, size: float = 24) -> str:
    """A drawing around the origin as a document of its own."""
    return svg.document(size, size, "", placed(size / 2, size / 2, body))


def _player(seat: int, look: Look) -> Panel:
    player, labels = look.players[seat], look.labels
    faction = notes.faction_of(player)
    words = [look.names[seat]]
    emblem = ""
    if faction is not None:
        if labels.factions[faction] not in words[0]:
            words.append(labels.factions[faction])
        colour = palette.SEATS[seat]
        emblem = _icon(circle(0, 0, 12, colour) + placed(0, 0, icons.emblem(faction, palette.WHITE, colour), 0.78))
    head = Item(words[0], ", ".join(words), f"seat-{seat}", emblem)
    known = [Item(line, line) for line in notes.notes(seat, look)]
    groups = [_stocks(seat, look), _leaders(seat, look), _hand(seat, look), Group(LINES, known)]
    groups += [_explained(labels.card_uses, _uses(seat, look)), _explained(labels.powers, _powers(seat, look))]
    shown = [group for group in groups if group.items]
    return Panel(seat, head, list(_marks(seat, look)), shown, look.get("seat") == seat)


def _marks(seat: int, look: Look) -> Iterator[Item]:
    labels = look.labels
    faction = notes.faction_of(look.players[seat])
    if faction is not None and labels.factions[faction] not in look.names[seat]:
        yield Item(labels.factions[faction], labels.factions[faction])
    if seat in (look.get("winners") or ()):
        yield Item(labels.won, labels.won, icon=_icon(icons.crown(palette.GOLD)))
    score = (look.get("scores") or [None] * len(look.names))[seat]
    if score is not None:
        facts = _teller(look).facts
        held = f"{facts.held(seat)}/{facts.strongholds_needed(seat)}"
        fortress = _icon(circle(0, 0, 12, palette.SIGN) + placed(0, 0, icons.fortress(palette.WHITE), 0.8))
        yield Item(held, labels.strongholds.format(held), icon=fortress)
    for ally in look.allies(seat):
        words = labels.allied.format(look.names[ally])
        yield Item(words, words)
    if look.first_player() == seat and not look.get("over"):
        yield Item(labels.first, labels.first)
    if seat in (look.get("silenced") or ()):
        yield Item(labels.silenced, labels.silenced)
    if seat in (look.get("wheels") or ()) and not look.get("over"):
        yield Item(labels.dials, labels.dials)


def _stocks(seat: int, look: Look) -> Group:
    player, labels = look.players[seat], look.labels
    colour = palette.SEATS[seat]
    disc = circle(0, 0, 12, colour)
    vat = svg.path("M-6.5 -7.5V4A3.5 3.5 0 0 0 -3 7.5H3A3.5 3.5 0 0 0 6.5 4V-7.5M-8 -7.5H8", "none",
                   stroke(palette.WHITE, 2.2)) + svg.path("M-6 0H6V4A3.5 3.5 0 0 1 3 7H-3A3.5 3.5 0 0 1 -6 4Z",
                                                          palette.WHITE)  # fmt: skip
    entries = (
        ("spice", labels.spice, icons.spice(), player.get("spice")),
        ("reserve", labels.reserve, disc + placed(0, 0, icons.troops(palette.WHITE), 0.72), player.get("reserve")),
        ("hand", labels.hand, icons.card_back(palette.HIDDEN, palette.GOLD_PALE), notes.hand_size(player)),
        ("tanks", labels.tanks, circle(0, 0, 12, palette.WORTHLESS) + vat, player.get("tanks")),
    )
    items = []
    for kind, label, icon, count in entries:
        shown = "?" if count is None else str(count)
        items.append(
            Item(shown, labels.labelled(label, shown), f"{kind}-{seat}", _icon(icon), kind == "tanks" and not count)
        )
    return Group(COUNTS, items)


def _leaders(seat: int, look: Look) -> Group:
    owners = look.leaders("owner")
    mine = [leader for leader, owner in enumerate(owners) if owner == seat]
    named = look.seat == seat or len(look.players) <= _FEW
    return Group(CARDS if named else DISCS, [_leader(leader, seat, look) for leader in mine])


def _leader(leader: int, seat: int, look: Look) -> Item:
    """A leader; crossed swords mark one who has fought this turn, a line one who was raised again."""
    labels = look.labels
    strength = look.strength(leader)
    label = f"{look.leader_name(leader)}, {labels.leader.format(strength)}"
    alive = bool(look.leaders("alive")[leader])
    if not alive:
        drawn = circle(0, 0, 11, "none", stroke(palette.WORTHLESS, 1.8, dashes="3 3"))
        drawn += circle(0, 0, 9.4, palette.WORTHLESS)
        drawn += svg.text(0, 5, strength, 14, palette.WHITE, weight=svg.BOLD, anchor="middle")
        return Item(look.short_name(leader), f"{label}, {labels.dead}", f"leader-{leader}", _icon(drawn, 28), True)
    drawn = icons.leader(strength, palette.SEATS[seat])
    used = look.leaders("used")[leader]
    if used is not None and used != NONE:
        label += f", {labels.used.format(load_planet().name(used, labels.language))}"
        swords = svg.path("M-3.5 -3.5L3.5 3.5M3.5 -3.5L-3.5 3.5", "none", stroke(palette.WHITE, 1.6))
        drawn += placed(9, -8, circle(0, 0, 6, palette.INK, stroke(palette.WHITE, 1)) + placed(0, 0, swords, 0.8))
    if look.leaders("risen")[leader]:
        drawn += svg.path("M-8 12.6h16", "none", stroke(palette.GOLD, 2.4))
    faction = int(look.components.record[0]["faction_of"][leader])
    if notes.faction_of(look.players[seat]) != faction:
        drawn += placed(
            -9, -8, circle(0, 0, 12, palette.WHITE) + icons.emblem(faction, palette.INK, palette.WHITE), 0.5
        )
    return Item(look.short_name(leader), label, f"leader-{leader}", _icon(drawn, 28))


def card(kind: int) -> str:
    """A card in the colour of its use, with a sign: blade, shield, person, dash or star."""
    colour = notes.CARD_COLOURS[kind]
    line = stroke(palette.WHITE, 2.2)
    signs: dict[str, str] = {
        palette.WEAPON: svg.path("M-4 6L4 -6M-5.5 2L-1 6.5", "none", line),
        palette.DEFENCE: svg.path("M-4.5 -5.5H4.5V0C4.5 4 2 6 0 7C-2 6 -4.5 4 -4.5 0Z", palette.WHITE),
        palette.HERO: circle(0, -3.5, 2.8, palette.WHITE)
        + svg.path("M-4.5 6.5C-4.5 -0.5 4.5 -0.5 4.5 6.5Z", palette.WHITE),
        palette.WORTHLESS: svg.path("M-4 0H4", "none", line),
    }
    star = svg.path(icons.star_path(5, 6.5, 2.8), palette.WHITE)
    return svg.rect(-8, -10.5, 16, 21, colour, radius=3) + signs.get(colour, star)


def _known(seat: int, look: Look) -> Sequence[int]:
    """The known cards in hand."""
    player = look.players[seat]
    return list(player["hand"] if player.get("hand") is not None else player.get("shown") or ())


def _hand(seat: int, look: Look) -> Group:
    """The known cards in hand; how many there are in all, the stocks say."""
    labels, known = look.labels, _known(seat, look)
    items = []
    for kind, count in sorted(Counter(known).items()):
        times = f" ×{count}" if count > 1 else ""
        name = f"card-{kind}" if look.get("seat") == seat else f"card-{seat}-{kind}"
        items.append(Item(labels.short_cards[kind] + times, labels.cards[kind] + times, name, _icon(card(kind))))
    return Group(CARDS, items)


def _explained(title: str, lines: Sequence[str]) -> Group:
    """Explanations under a title, folded away."""
    return Group(LINES, [Item(line, line) for line in lines], title, True)


def _uses(seat: int, look: Look) -> list[str]:
    """What each kind of the known cards does."""
    teller = _teller(look)
    kinds = sorted(set(_known(seat, look)))
    return [f"{look.labels.cards[kind]}. {teller.words.typeset(use_of(teller, kind))}" for kind in kinds]


def _powers(seat: int, look: Look) -> list[str]:
    """What the faction of a seat can do; nothing before it is drawn, or where no faction has powers."""
    if notes.faction_of(look.players[seat]) is None or not look.content["options"]["powers"]:
        return []
    teller = _teller(look)
    return [teller.words.typeset(powers(teller, seat))]


def _teller(look: Look) -> Teller:
    words = french.WORDS if look.labels.language == "fr" else english.WORDS
    return Teller(words, Facts(look.content, look.components))


def _decks(look: Look) -> Panel:
    """The decks, the battle or else the card on sale, and folded away what was discarded and asked."""
    labels = look.labels
    piles = (
        ("spice-deck", labels.spice_deck, icons.spice(), notes.pile(look, "spice_deck"),
         notes.pile(look, "spice_discards")),
        ("deck", labels.deck, icons.card_back(palette.HIDDEN, palette.GOLD_PALE), notes.pile(look, "deck"),
         notes.pile(look, "discards")),
    )  # fmt: skip
    items = []
    for name, label, icon, count, gone in piles:
        shown, thrown = ("?" if number is None else str(number) for number in (count, gone))
        words = f"{labels.labelled(label, shown)}, {labels.discards} {thrown}"
        items.append(Item(f"{label} {shown}", words, name, _icon(icon)))
    lines = notes.battle(look) if notes.fights(look) else notes.sale(look)
    groups = [Group(CARDS, items), Group(LINES, [Item(line, line) for line in lines])]
    groups += [_folded(look, labels.discarded, notes.kinds(look, look.get("discards")), "discard", card)]
    groups += [_folded(look, labels.to_come, notes.coming(look), "blow", lambda _: icons.spice())]
    truths = notes.truths(look)
    groups.append(Group(LINES, [Item(line, line) for line in truths], labels.truths, True))
    title = labels.battle_title if notes.fights(look) else labels.decks
    return Panel(None, Item(title, title), [], [group for group in groups if group.items])


def _folded(look: Look, title: str, entries: Sequence[tuple[int, str]], kind: str, draw: Callable[[int], str]) -> Group:
    items = [
        Item(words, look.labels.labelled(title, words), f"{kind}-{number}", _icon(draw(number)))
        for number, words in entries
    ]
    return Group(CARDS, items, title, True)

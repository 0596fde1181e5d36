"""What lies beside the planet: the tanks, the decks, the card on sale, questions and answers."""

from __future__ import annotations

from typing import Final

from dunaia_env.dune.presentation import icons, notes, palette
from dunaia_env.dune.presentation.look import Look
from dunaia_env.dune.presentation.planet import load_planet
from dunaia_env.dune.presentation.seats import card
from dunaia_env.dune.state import NONE, SHAI_HULUD
from dunaia_env.support.svg import BOLD, area, circle, fitted, piece, placed, rect, stroke, text, width_of

TANKS_HEIGHT: Final = 92
_NAMED = 62  # the width of a dead leader with its name


def tanks(look: Look, width: float) -> str:
    """The tanks: dead tokens and leaders, by seat."""
    labels = look.labels
    owners, alive = look.leaders("owner"), look.leaders("alive")
    body = card(width, TANKS_HEIGHT) + text(14, 18, labels.tanks, 13, palette.SOFT)
    seats = len(look.players)
    gap = 6.0
    each = (width - 24 + gap) / seats - gap
    dead = [
        [leader for leader, owner in enumerate(owners) if owner == seat and not alive[leader]] for seat in range(seats)
    ]
    roomy = all((each - 40) / max(len(leaders), 1) >= _NAMED for leaders in dead)
    for seat, player in enumerate(look.players):
        x = 12 + seat * (each + gap)
        body += rect(x, 25, each, 58, palette.SEAT_TINTS[seat], radius=9)
        count = player.get("tanks")
        shown = "?" if count is None else str(count)
        drawn = placed(x + 17, 42, icons.seat_disc(seat), 0.86)
        drawn += text(x + 17, 75, shown, 19, palette.INK if count else palette.SOFT, weight=BOLD, anchor="middle")
        label = labels.labelled(look.names[seat], labels.tokens_in_tanks.format(shown))
        body += piece(f"tanks-{seat}", label, area(x + 1, 26, 34, 56, 9), drawn)
        body += _dead(look, dead[seat], x + 36, each - 40, roomy)
    return body


def _dead(look: Look, dead: list[int], left: float, width: float, roomy: bool) -> str:
    """Leaders in the tanks: in one row with their names if there is room, otherwise in two rows."""
    labels = look.labels
    body = ""
    columns = max(len(dead), 1)
    if not roomy:
        columns = max((len(dead) + 1) // 2, 3)
    across = min(width / columns, 72.0)
    for place, leader in enumerate(dead):
        name, short = look.leader_name(leader), look.short_name(leader)
        row, column = divmod(place, columns)
        x, y = left + across * (column + 0.5), 46.0 if roomy else 39.5 + 28.5 * row
        scale = 1.0 if roomy else min(1.0, across / 27, 1.08)
        mark = look.strength(leader)
        drawn = circle(0, 0, 12, palette.WORTHLESS, stroke(palette.WHITE, 1.2))
        drawn += text(0, 5, mark, 14, palette.WHITE, weight=BOLD, anchor="middle")
        drawn = placed(x, y, drawn, scale)
        box = area(x - 13, y - 13, 26, 26, 13)
        if roomy:
            drawn += text(x, 76, fitted(short, palette.SMALL, across - 2), palette.SMALL, palette.INK, anchor="middle")
            box = area(x - across / 2 + 1, 28, across - 2, 53, 8)
        elif across < 26:
            box = area(x - across / 2, y - 13, across, 26, 10)
        body += piece(f"leader-{leader}", f"{name}, {labels.leader.format(mark)}, {labels.dead}", box, drawn)
    return body


def decks(look: Look, width: float, height: float) -> str:
    """The decks, the battle or else the card on sale, and more in a high panel."""
    labels = look.labels
    body = card(width, height)
    boxes = (
        ("spice-deck", labels.spice_deck, icons.spice(), notes.pile(look, "spice_deck"),
         notes.pile(look, "spice_discards")),
        ("deck", labels.deck, icons.card_back(palette.HIDDEN, palette.GOLD_PALE), notes.pile(look, "deck"),
         notes.pile(look, "discards")),
    )  # fmt: skip
    fights = notes.fights(look)
    wide = 78.0 if fights else 92.0
    for place, (name, label, icon, count, gone) in enumerate(boxes):
        x = 9 + place * (wide + 6)
        drawn = rect(x, 9, wide, 66, palette.SOCKET, radius=8, more=stroke(palette.LINE, 1.1))
        drawn += text(x + wide / 2, 24, label, palette.SMALL, palette.SOFT, anchor="middle")
        shown = "?" if count is None else str(count)
        drawn += placed(x + wide / 2 - 19, 43, icon, 0.95) + text(
            x + wide / 2 - 2, 49, shown, 18, palette.INK, weight=BOLD
        )
        words = f"{labels.discards} {'?' if gone is None else gone}"
        drawn += text(
            x + wide / 2, 69, fitted(words, palette.SMALL, wide - 4), palette.SMALL, palette.SOFT, anchor="middle"
        )
        body += piece(name, f"{look.labels.labelled(label, shown)}, {words}", area(x, 9, wide, 66), drawn)
    left = 9 + 2 * (wide + 6)
    body += (_battle if fights else _sale)(look, left, width - left - 9)
    if height > 110:
        body += _more(look, width, height)
    return body


def _sale(look: Look, left: float, width: float) -> str:
    """The card on sale with the highest bid, and the foreseen spice card."""
    labels = look.labels
    pending = look.get("pending") or {}
    sale, phase = look.get("sale"), look.get("phase")
    foreseen = look.get("foreseen_spice")
    body = rect(left, 9, width, 66, palette.SOCKET, radius=8, more=stroke(palette.LINE, 1.1))
    on_sale = phase == "bidding" and sale != NONE
    body += text(left + 8, 24, labels.sale, 12, palette.SOFT)
    if on_sale:
        name = labels.unknown if sale is None else labels.cards[sale]
        body += text(left + 8, 42, fitted(name, 14, width - 16, BOLD), 14, palette.INK, weight=BOLD)
        words = notes.bid(look)
        rest = pending.get("cards_left")
        if rest is not None:
            more = labels.row_left.format(rest)
            wide = width_of(more, palette.SMALL) + 6
            body += (
                text(left + width - 8, 24, more, palette.SMALL, palette.SOFT, anchor="end") if wide < width - 70 else ""
            )
        body += text(left + 8, 59, fitted(words, 12, width - 16), 12, palette.INK)
    else:
        body += text(left + 8, 42, "–", 14, palette.SOFT, weight=BOLD)
    if foreseen is not None and foreseen != NONE:
        from_card = "Shai-Hulud" if foreseen == SHAI_HULUD else notes.blow(look, foreseen)
        words = labels.foreseen.format(from_card)
        shown = fitted(words, palette.SMALL, width - 12, BOLD)
        body += text(left + 8, 72, shown, palette.SMALL, palette.SPICE_DARK, weight=BOLD)
    return body


def _battle(look: Look, left: float, width: float) -> str:
    """The place of the battle, and the battlers with the known parts of their plans."""
    labels = look.labels
    pending = look.get("pending")
    planet = load_planet()
    where = labels.battle.format(planet.name(planet.owners[pending["field"]], labels.language))
    body = rect(left, 9, width, 66, palette.SOCKET, radius=8, more=stroke(palette.FIELD, 1.6))
    body += text(left + 8, 24, fitted(where, 12, width - 16, BOLD), 12, palette.INK, weight=BOLD)
    plans = pending.get("plans") or [{}, {}]
    for place, (seat, plan) in enumerate(zip((look.get("actor"), pending.get("defender")), plans, strict=True)):
        if seat is None or seat == NONE:
            continue
        y = 38.5 + 22 * place
        body += placed(left + 14, y, icons.seat_disc(seat), 0.7)
        number = "" if plan.get("number") is None else str(plan["number"])
        room = width - 30 - (width_of(number, palette.SMALL, BOLD) + 6 if number else 0)
        words = notes.plan(look, {**plan, "number": None}) or look.names[seat]
        base = y + palette.SMALL * 0.36
        body += text(left + 26, base, fitted(words, palette.SMALL, room), palette.SMALL, palette.INK)
        body += text(left + width - 8, base, number, palette.SMALL, palette.INK, weight=BOLD, anchor="end")
    return body


def _more(look: Look, width: float, height: float) -> str:
    """The last questions and answers, the discarded treachery cards, the spice cards that are still to come."""
    labels = look.labels
    truths = notes.truths(look)
    bottom = height - 10 - (20 + 16 * len(truths) if truths else 0)
    y = 96.0
    gone = look.get("discards")
    body, y = _plates(look, "discard", labels.discarded, notes.kinds(look, gone), width, y, bottom)
    more, y = _plates(look, "blow", labels.to_come, notes.coming(look), width, y, bottom)
    body += more
    if truths and bottom > 84:
        y = bottom + 14
        body += text(12, y, labels.truths, 12, palette.SOFT)
        for words in truths:
            y += 16
            body += text(12, y, fitted(words, palette.SMALL, width - 24), palette.SMALL, palette.INK)
    return body


def _plates(
    look: Look, name: str, heading: str, plates: list[tuple[int, str]], width: float, y: float, bottom: float
) -> tuple[str, float]:
    """Cards as small plates under a heading, if there is room for all of them; and the place of the next heading."""
    places = []
    x, top = 9.0, y + 9
    for _, words in plates:
        wide = width_of(words, palette.SMALL) + 14
        if x + wide > width - 9:
            x, top = 9.0, top + 23
        places.append((x, top, wide))
        x += wide + 5
    if not plates or top + 19 > bottom:
        return "", y
    body = text(12, y, heading, 12, palette.SOFT)
    for (index, words), (left, upper, wide) in zip(plates, places, strict=True):
        drawn = rect(left, upper, wide, 19, palette.WHITE, radius=4, more=stroke(palette.LINE, 1.2))
        drawn += text(left + wide / 2, upper + 13.8, words, palette.SMALL, palette.INK, anchor="middle")
        body += piece(f"{name}-{index}", look.labels.labelled(heading, words), area(left, upper, wide, 19, 4), drawn)
    return body, top + 43

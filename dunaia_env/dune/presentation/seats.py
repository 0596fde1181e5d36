"""The panel of one player: name and faction, allies, spice, reserve, cards and leaders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from dunaia_env.dune.presentation import icons, notes, palette
from dunaia_env.dune.presentation.look import Look
from dunaia_env.dune.presentation.planet import load_planet
from dunaia_env.dune.presentation.wording.facts import strongholds
from dunaia_env.dune.state import NONE
from dunaia_env.support import svg
from dunaia_env.support.svg import BOLD, NORMAL, area, fitted, piece, placed, rect, size_for, stroke, text, width_of

WIDTH: Final = 364
HEADER: Final = 30
MARGIN: Final = 9
LEAST_HEIGHT: Final = 130
_ROW = 5  # the most cards that stand in one row
_LINE = 13.2  # from one line of notes to the next


def card(width: float, height: float, accent: str | None = None) -> str:
    """The background of a panel; an accent colour gives it a strong border."""
    body = rect(0, 3, width, height, palette.SHADOW, radius=12, more='fill-opacity=".22"')
    body += rect(0, 0, width, height, palette.CARD, radius=12)
    if accent:
        body += rect(-1, -1, width + 2, height + 2, "none", radius=13, more=stroke(accent, 4.5))
    return body


def panel(seat: int, look: Look, height: float, winners: frozenset[int]) -> str:
    """A player's panel, with its upper left corner at the origin."""
    decides = look.get("seat") == seat
    body = card(WIDTH, height, palette.SEATS[seat] if decides else None)
    body += _header(seat, look, decides, winners)
    spare = height - LEAST_HEIGHT
    y = HEADER + 4 + spare * 0.2
    body += _stocks(seat, look, y, spare * 0.28)
    y += 28 + spare * 0.28
    body += _leaders(seat, look, y)
    y += 41 + spare * 0.24
    return body + _hand(seat, look, y)


def _header(seat: int, look: Look, decides: bool, winners: frozenset[int]) -> str:
    labels, player = look.labels, look.players[seat]
    colour = palette.SEATS[seat]
    fill, ink = (colour, palette.WHITE) if decides else (palette.SEAT_TINTS[seat], palette.INK)
    body = svg.path(f"M0 {HEADER}V12A12 12 0 0 1 12 0H{WIDTH - 12}A12 12 0 0 1 {WIDTH} 12V{HEADER}Z", fill)
    body += placed(18, 15, icons.seat_disc(seat), 0.86)
    left, right = 36.0, WIDTH - 12.0
    if decides:
        body += placed(left + 3, 15, svg.path("M-4 -6L6 0L-4 6Z", palette.WHITE))
        left += 14
    label = [look.names[seat]]
    faction = notes.faction_of(player)
    if faction is not None and labels.factions[faction] not in label[0]:
        label.append(labels.factions[faction])
    score = (look.get("scores") or [None] * len(look.names))[seat]
    if score is not None:
        held = str(strongholds(score))
        body += text(right, 21, held, 17, ink, weight=BOLD, anchor="end")
        right -= width_of(held, 17, BOLD) + 13
        body += placed(right, 15, icons.fortress(ink), 0.72)
        right -= 16
        label.append(labels.strongholds.format(held))
    if seat in winners:
        body += placed(right - 10, 15, icons.crown(palette.GOLD), 0.85)
        right -= 28
        label.append(labels.won)
    allies = look.allies(seat)
    if allies:
        for ally in reversed(allies):
            body += placed(right - 8, 15, icons.seat_disc(ally), 0.64)
            right -= 18
        body += placed(right - 9, 15, icons.chain(ink), 0.72)
        right -= 24
        label.append(labels.allied.format(", ".join(look.names[ally] for ally in allies)))
    if seat in (look.get("silenced") or ()):
        body, right = _tag(body, labels.silenced, right, palette.EVENT)
        label.append(labels.silenced)
    if seat in (look.get("wheels") or ()) and not look.get("over"):
        body += placed(right - 8, 15, icons.storm(ink), 0.66)
        right -= 22
        label.append(labels.dials)
    if look.first_player() == seat and not look.get("over"):
        body, right = _tag(body, labels.first, right, palette.INK)
        label.append(labels.first)
    shown = look.names[seat]
    if faction is not None:
        words = labels.factions[faction]
        wide = width_of(words, 13, BOLD)
        if right - left - 26 - wide > 48 and words not in shown:
            body += placed(right - 11 - wide - 14, 15, icons.emblem(faction, ink, fill), 0.78)
            body += text(right - wide - 8, 20, words, 13, ink, weight=BOLD)
            right -= wide + 36
        else:
            body += placed(right - 12, 15, icons.emblem(faction, ink, fill), 0.78)
            right -= 28
    body += text(left, 21, fitted(shown, 15.5, right - left - 4, BOLD), 15.5, ink, weight=BOLD)
    return piece(f"seat-{seat}", ", ".join(label), area(0, 0, WIDTH, HEADER, 12), body)


def _tag(body: str, words: str, right: float, fill: str) -> tuple[str, float]:
    wide = width_of(words, palette.SMALL, BOLD) + 12
    body += rect(right - wide, 6, wide, 18, fill, radius=9)
    body += text(right - wide / 2, 19.3, words, palette.SMALL, palette.WHITE, weight=BOLD, anchor="middle")
    return body, right - wide - 6


def _stocks(seat: int, look: Look, y: float, below: float) -> str:
    """Spice, reserve and number of cards, and beside them what else is known of the player, with some room below."""
    player, labels = look.players[seat], look.labels
    hand = notes.hand_size(player)
    entries = (
        ("spice", labels.spice, icons.spice(), player.get("spice")),
        ("reserve", labels.reserve, icons.troops(palette.SEATS[seat]), player.get("reserve")),
        ("hand", labels.hand, icons.card_back(palette.HIDDEN, palette.GOLD_PALE), hand),
    )
    body = ""
    x = float(MARGIN)
    for kind, label, icon, count in entries:
        shown = "?" if count is None else str(count)
        drawn = rect(x, y, 56, 27, palette.SOCKET, radius=7, more=stroke(palette.LINE, 1.1))
        drawn += placed(x + 15, y + 13.5, icon, 0.8)
        size = size_for(shown, 16, 26, BOLD)
        drawn += text(x + 40, y + 13.5 + size * 0.352, shown, size, palette.INK, weight=BOLD, anchor="middle")
        body += piece(
            f"{kind}-{seat}", f"{look.names[seat]}, {labels.labelled(label, shown)}", area(x, y, 56, 27, 7), drawn
        )
        x += 60
    room = WIDTH - MARGIN - x - 2
    lines = [line for note in notes.notes(seat, look) for line in _wrapped(note, palette.SMALL, room)]
    lines = lines[: int((27 + below) // _LINE)]
    base = y + max(13.5 - _LINE / 2 * len(lines), 0) + 10.2
    for place, note in enumerate(lines):
        body += text(x + 2, base + _LINE * place, fitted(note, palette.SMALL, room), palette.SMALL, palette.SOFT)
    return body


def _wrapped(note: str, size: float, width: float) -> list[str]:
    """A text, split into as many lines as it needs."""
    lines = [""]
    for word in note.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width_of(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _leaders(seat: int, look: Look, y: float) -> str:
    owners, alive = look.leaders("owner"), look.leaders("alive")
    mine = [leader for leader, owner in enumerate(owners) if owner == seat]
    body = ""
    if not mine:
        return body
    width = (WIDTH - 2 * MARGIN) / max(len(mine), 5)
    for place, leader in enumerate(mine):
        x = MARGIN + width * (place + 0.5)
        if alive[leader]:
            body += _leader(leader, look, x, y, width)
        else:
            body += placed(x, y + 12.5, icons.leader_slot(look.strength(leader)), 0.98)
            name = fitted(look.short_name(leader), palette.SMALL, width - 2)
            body += text(x, y + 35.8, name, palette.SMALL, palette.SOFT, anchor="middle")
    return body


def _leader(leader: int, look: Look, x: float, y: float, width: float) -> str:
    """A living leader; crossed swords mark a leader who has fought this turn, a line a leader who was raised again."""
    labels = look.labels
    name, short = look.leader_name(leader), fitted(look.short_name(leader), palette.SMALL, width - 2)
    faction = int(look.components.record[0]["faction_of"][leader])
    label = f"{name}, {labels.leader.format(look.strength(leader))}"
    owner = look.leaders("owner")[leader]
    body = placed(x, y + 12.5, icons.leader(look.strength(leader), palette.SEATS[owner]), 1.02)
    used = look.leaders("used")[leader]
    if used is not None and used != NONE:
        where = load_planet().name(used, labels.language)
        label += f", {labels.used.format(where)}"
        swords = svg.path("M-3.5 -3.5L3.5 3.5M3.5 -3.5L-3.5 3.5", "none", stroke(palette.WHITE, 1.6))
        body += placed(x + 13, y + 6, svg.circle(0, 0, 7.2, palette.INK) + swords)
    if look.leaders("risen")[leader]:
        body += svg.path(f"M{svg.number(x - 8)} {svg.number(y + 26)}h16", "none", stroke(palette.GOLD_DARK, 1.8))
    if notes.faction_of(look.players[owner]) != faction:
        body += placed(
            x - 13, y + 6, svg.circle(0, 0, 11, palette.WHITE) + icons.emblem(faction, palette.INK, palette.WHITE), 0.62
        )
    body += text(x, y + 35.8, short, palette.SMALL, palette.INK, anchor="middle")
    return piece(f"leader-{leader}", label, area(x - width / 2 + 1, y - 1, width - 2, 40, 8), body)  # fmt: skip


def _hand(seat: int, look: Look, y: float) -> str:
    """The known cards in hand, and the backs of the other cards."""
    player, labels = look.players[seat], look.labels
    known: Sequence[int] = player["hand"] if player.get("hand") is not None else player.get("shown") or ()
    hidden = max((notes.hand_size(player) or 0) - len(known), 0)
    laid = player.get("laid_on", NONE) not in (None, NONE)
    kinds = sorted(Counter(known).items())
    slots = len(kinds) + min(hidden, 8) + laid
    if not slots:
        return ""
    gap = 4.0
    rows = 1 if slots <= _ROW else 2
    high, below = (19.0, 0.0) if rows == 1 else (13.6, 1.3)
    columns = slots if rows == 1 else (slots + 1) // 2
    y -= 2.6 * (rows - 1)
    width = min((WIDTH - 2 * MARGIN + gap) / columns - gap, 84.0)
    places = [(MARGIN + slot % columns * (width + gap), y + slot // columns * (high + below)) for slot in range(slots)]
    body = ""
    for (x, top), (kind, count) in zip(places, kinds, strict=False):
        words = labels.short_cards[kind] + (f" ×{count}" if count > 1 else "")
        weight = BOLD if width_of(words, palette.SMALL, BOLD) <= width - 7 else NORMAL
        words = fitted(words, palette.SMALL, width - 7, weight)
        drawn = rect(x, top, width, high, palette.WHITE, radius=4, more=stroke(notes.CARD_COLOURS[kind], 1.4))
        drawn += rect(x, top, 5, high, notes.CARD_COLOURS[kind], radius=2)
        middle, base = x + width / 2 + 2.5, top + high / 2 + palette.SMALL * 0.35
        drawn += text(middle, base, words, palette.SMALL, notes.CARD_COLOURS[kind], weight=weight, anchor="middle")
        name = f"card-{kind}" if look.get("seat") == seat else f"card-{seat}-{kind}"
        label = labels.labelled(look.names[seat], labels.cards[kind] + (f" ×{count}" if count > 1 else ""))
        body += piece(name, label, area(x, top, width, high, 4), drawn)
    narrow = min(width, 30.0)
    for x, top in places[len(kinds) : len(kinds) + min(hidden, 8)]:
        body += rect(x, top, narrow, high, palette.HIDDEN, radius=4)
        body += placed(x + narrow / 2, top + high / 2, svg.path("M0 -5.5L4 0L0 5.5L-4 0Z", palette.GOLD_PALE))
    if laid:
        x, top = places[-1]
        body += rect(x, top, narrow, high, "none", radius=4, more=stroke(palette.HIDDEN, 1.6, dashes="3 3"))
        body += placed(x + narrow / 2, top + high / 2, icons.seat_mark(player["laid_on"]), 0.6)
    return body

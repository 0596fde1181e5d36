"""The toy game for people: a picture, pieces and English words, made only from what a seat knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from dunaia_env.harness.presentation import ENGLISH, Change, Presentation, Unit, Wording

MOST_PRIZE = 5
WIDTH, ROW, CARD_WIDTH, CARD_HEIGHT, GAP = 720, 96, 44, 64, 8
LEFT = 190
COLOURS = ("#1f6f8b", "#b5541c", "#4d7c32", "#7a4fa3", "#a33b55", "#6b6330")

Content = Mapping[str, Any]


def points_of(card: int) -> int:
    return card % MOST_PRIZE + 1


def _card(left: float, top: float, text: str, *, piece: str = "", fill: str = "#fffdf6", ink: str = "#222222") -> str:
    middle = left + CARD_WIDTH / 2
    shape = (
        f'<rect x="{left}" y="{top}" width="{CARD_WIDTH}" height="{CARD_HEIGHT}" rx="6" fill="{fill}" '
        f'stroke="#444444" stroke-width="1.5"/>'
        f'<text x="{middle}" y="{top + 40}" font-size="22" font-weight="700" text-anchor="middle" fill="{ink}">'
        f"{escape(text)}</text>"
    )
    return f'<g data-piece="{piece}">{shape}</g>' if piece else shape


def _back(left: float, top: float) -> str:
    return _card(left, top, "?", fill="#8a8577", ink="#ffffff")


def _cards(held: Any) -> list[int | None]:
    """Cards that are seen, or None for each that is not."""
    return list(held) if isinstance(held, Sequence) else [None] * held


def picture(
    content: Content,
    components: Any,
    *,
    seat: int | None = None,
    names: Sequence[str] | None = None,
    language: str = "",
) -> str:
    players = content["players"]
    first = 0 if seat is None else seat
    parts = []
    for row in range(players):
        other = (first + row) % players
        top = 110 + row * ROW
        name = names[other] if names else f"player {other}"
        turn = ", to bid" if content["seat"] == other else ""
        parts.append(
            f'<rect x="12" y="{top - 10}" width="{WIDTH - 24}" height="{ROW - 8}" rx="10" fill="#efe9da"/>'
            f'<circle cx="34" cy="{top + 32}" r="10" fill="{COLOURS[other]}"/>'
            f'<text x="54" y="{top + 28}" font-size="17" font-weight="700">{escape(name[:14])}</text>'
            f'<text x="54" y="{top + 50}" font-size="15">{content["points"][other]} points{turn}</text>'
        )
        left = LEFT
        for card in _cards(content["hands"][other]):
            own = f"card-{card}" if other == content["seat"] or other == seat else ""
            parts.append(_back(left, top) if card is None else _card(left, top, str(card), piece=own))
            left += min(CARD_WIDTH + GAP, (WIDTH - 2 * LEFT) / max(1, len(_cards(content["hands"][other])) - 1))
        for card in _cards(content["bids"][other]):
            at = WIDTH - 12 - CARD_WIDTH - 14
            shown = _back(at, top) if card is None else _card(at, top, str(card), fill="#ffe9a8")
            parts.append(f'<g data-piece="bid-{other}">{shown}</g>')
    prize = "".join(
        f'<g data-piece="prize"><text x="20" y="62" font-size="20" font-weight="700">prize</text>'
        f"{_card(90, 24, f'+{points_of(card)}', fill='#ffe9a8')}</g>"
        for card in content["prize"]
    )
    height = 110 + players * ROW
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'font-family="sans-serif" fill="#222222"><title>Sealed bids</title>'
        f'<rect width="{WIDTH}" height="{height}" fill="#faf7ef"/>{prize}'
        f'<text x="{WIDTH - 20}" y="62" font-size="16" text-anchor="end">round {content["round"] + 1}</text>'
        f"{''.join(parts)}</svg>"
    )


def pieces(action: str, content: Content) -> tuple[str, ...]:
    return (f"card-{action.removeprefix('bid ')}",)


def sentence(action: str, content: Content, components: Any) -> str:
    """A bid is told to whoever sees the card in the hand, and to all where bids are open."""
    is_seen = content["open_bids"] or not isinstance(content["hands"][content["seat"]], int)
    return f"bids {action.removeprefix('bid ')}" if is_seen else "bids a card face down"


def imperative(action: str, content: Content, components: Any) -> str:
    return sentence(action, content, components).replace("bids", "bid", 1)


def changes(action: str, before: Content, after: Content, components: Any) -> list[Change]:
    if after["round"] == before["round"]:
        return []
    shown = sorted({*after["gone"]} - {*before["gone"]} - {*before["prize"]})
    told = [Change(None, f"the bids are shown: {', '.join(map(str, shown))}")]
    for seat, points in enumerate(after["points"]):
        if points > before["points"][seat]:
            told.append(Change(seat, f"wins {points - before['points'][seat]} points"))
    told += [Change(None, f"the next prize is worth {points_of(card)}") for card in after["prize"]]
    return told


def piece(name: str, content: Content, components: Any) -> str:
    kind, _, number = name.partition("-")
    if kind == "prize":
        return "The prize of this round. The highest bid wins it."
    if kind == "bid":
        return f"The bid of player {number}. It is shown when all have bid."
    return f"Card {number}. Click it to bid it; it is gone after the round."


ENGLISH_WORDING = Wording(
    language="English",
    title="Sealed bids",
    options={
        "hand": ("cards in a hand", "as far as the deck goes"),
        "open_bids": ("open bids", "show a bid as soon as it is made"),
        "laps": ("most rounds", "rounds after which the game is stopped"),
    },
    unit=Unit("point", "points"),
    player=lambda seat: f"player {seat + 1}",
    question=lambda content, components: "Which card do you bid?",
    rules=lambda content, components: (
        "The highest card wins the prize. All bids are gone after the round, and everybody draws a card."
    ),
    sentence=sentence,
    imperative=imperative,
    changes=changes,
    piece=piece,
)

PRESENTATION = Presentation(picture, pieces, {ENGLISH: ENGLISH_WORDING})

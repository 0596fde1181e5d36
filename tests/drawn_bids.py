"""The toy game with a picture and words: a bar for the round, and a square whose colour says for whom it is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from xml.sax.saxutils import escape

from dunaia_env.harness.presentation import Change, Presentation, Unit, Wording
from tests import toy_game


def picture(
    content: Mapping[str, Any],
    components: Any,
    *,
    seat: int | None = None,
    names: Sequence[str] | None = None,
    language: str = "en",
) -> str:
    """60 by 30: red, brighter for a higher seat and brightest for a spectator; below it blue, one wide a round."""
    red = 255 if seat is None else 40 * (seat + 1)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 30"><rect width="60" height="30"'
        f' fill="rgb({red},0,0)"/><rect y="20" height="10" width="{1 + content["round"]}" fill="rgb(0,0,255)"/>'
        f"<title>{escape(','.join(names or ()))}</title></svg>"
    )


def changes(text: str, before: Mapping[str, Any], after: Mapping[str, Any], components: Any) -> Sequence[Change]:
    won = [
        Change(seat, f"wins {now - then} points")
        for seat, (then, now) in enumerate(zip(before["points"], after["points"], strict=True))
        if now != then
    ]
    return won + ([Change(None, "a new prize is turned up")] if before["round"] != after["round"] else [])


def wording(language: str, bids: str, bid: str, player: str) -> Wording:
    return Wording(
        language=language,
        title="Sealed bids",
        options={},
        unit=Unit("point", "points"),
        player=lambda seat: f"{player} {seat}",
        question=lambda content, components: "?",
        rules=lambda content, components: "",
        sentence=lambda text, content, components: f"{bids} {text.split()[-1]}",
        imperative=lambda text, content, components: f"{bid} {text.split()[-1]}",
        changes=changes,
        piece=lambda name, content, components: name,
    )


PRESENTATION = Presentation(
    picture,
    lambda text, content: (text,),
    {"en": wording("English", "bids", "bid", "player"), "fr": wording("français", "mise", "miser", "joueur")},
    {"prize .+": "red"},
)
GAME = replace(toy_game.GAME, module=__name__, presentation=PRESENTATION)

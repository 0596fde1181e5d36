"""How Dunaïa is shown to people: its picture, its pieces, and its wording in English and French."""

from __future__ import annotations

from dunaia_env.dunaia.presentation.picture import picture
from dunaia_env.dunaia.presentation.pieces import pieces
from dunaia_env.dunaia.presentation.terminal import STYLES
from dunaia_env.dunaia.presentation.wording import english, english_pieces, french, french_pieces
from dunaia_env.harness.presentation import Presentation, Unit, Wording

__all__ = ["ENGLISH", "FRENCH", "PRESENTATION"]

ENGLISH = Wording(
    language="English",
    title="Dunaïa",
    options=english.OPTIONS,
    unit=Unit("point", "points"),
    player=english.player,
    question=english.question,
    rules=english.rules,
    sentence=english.sentence,
    changes=english.changes_of,
    piece=english_pieces.PIECES.piece,
)

FRENCH = Wording(
    language="français",
    title="Dunaïa",
    options=french.OPTIONS,
    unit=Unit("point", "points"),
    player=french.player,
    question=french.question,
    rules=french.rules,
    sentence=french.sentence,
    changes=french.changes_of,
    piece=french_pieces.PIECES.piece,
)

PRESENTATION = Presentation(picture, pieces, {"en": ENGLISH, "fr": FRENCH}, styles=STYLES)

"""How Dune is shown to people: its picture, its map for terminals, its pieces, and its wording in English."""

from __future__ import annotations

from dunaia_env.dune.presentation import english, english_pieces
from dunaia_env.dune.presentation.picture import picture
from dunaia_env.dune.presentation.pieces import pieces
from dunaia_env.dune.presentation.terminal import MAP_STYLES, STYLES
from dunaia_env.dune.presentation.text_map import WIDTH, text_map
from dunaia_env.dune.standing import WON
from dunaia_env.harness.presentation import Drawing, Presentation, Unit, Wording

__all__ = ["ENGLISH", "PRESENTATION"]

ENGLISH = Wording(
    language="English",
    title="Dune",
    options=english.OPTIONS,
    unit=Unit("stronghold", "strongholds"),
    player=english.player,
    question=english.question,
    rules=english.rules,
    sentence=english.sentence,
    changes=english.changes,
    piece=english_pieces.piece,
    presets=english.PRESETS,
)


def strongholds(score: int) -> int:
    """The number of strongholds in a score, which also says whether the seat has won."""
    return score % WON


PRESENTATION = Presentation(
    picture,
    pieces,
    {"en": ENGLISH},
    styles=STYLES,
    counted=strongholds,
    preset="classic",
    drawing=Drawing(text_map, WIDTH, MAP_STYLES),
)

"""How Dunaïa is shown to people: its picture, its pieces, and its wording in English and French."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from dunaia_env.dunaia.presentation.palette import DARK, LEAST_TEXT
from dunaia_env.dunaia.presentation.picture import picture
from dunaia_env.dunaia.presentation.terminal import STYLES
from dunaia_env.dunaia.presentation.wording import english, french, piece_texts, sentences
from dunaia_env.dunaia.presentation.wording.verbs import pieces, sentence
from dunaia_env.dunaia.presentation.wording.words import Words
from dunaia_env.harness.presentation import Presentation, Unit, Wording

__all__ = ["ENGLISH", "FRENCH", "PRESENTATION"]


def _wording(language: str, words: Words, options: Mapping[str, tuple[str, str]]) -> Wording:
    return Wording(
        language=language,
        title="Dunaïa",
        options=options,
        unit=Unit("point", "points"),
        player=words.player,
        question=partial(sentences.question, words),
        rules=partial(sentences.rules, words),
        sentence=partial(sentence, words),
        changes=partial(sentences.changes_of, words),
        piece=partial(piece_texts.piece, words),
    )


ENGLISH = _wording("English", english.WORDS, english.OPTIONS)
FRENCH = _wording("français", french.WORDS, french.OPTIONS)

PRESENTATION = Presentation(
    picture, pieces, {"en": ENGLISH, "fr": FRENCH}, styles=STYLES, dark=DARK, least_text=LEAST_TEXT
)

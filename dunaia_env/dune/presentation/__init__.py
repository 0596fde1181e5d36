"""How Dune is shown to people: its picture, its map for terminals, its pieces, and its wording in two languages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from dunaia_env.dune.presentation import cover
from dunaia_env.dune.presentation.factions import emblem, role
from dunaia_env.dune.presentation.hearing import heard
from dunaia_env.dune.presentation.palette import DARK, LEAST_TEXT
from dunaia_env.dune.presentation.picture import around, board, picture
from dunaia_env.dune.presentation.pieces import focus, listed, pieces
from dunaia_env.dune.presentation.terminal import MAP_STYLES, STYLES
from dunaia_env.dune.presentation.text_map import WIDTH, text_map
from dunaia_env.dune.presentation.wording import (
    english,
    english_introduction,
    french,
    french_introduction,
    happenings,
    notices,
    piece_texts,
    questions,
    sentences,
)
from dunaia_env.dune.presentation.wording.facts import strongholds
from dunaia_env.dune.presentation.wording.words import Words
from dunaia_env.harness.presentation import Drawing, Introduction, Lesson, Parts, Presentation, Unit, Wording

__all__ = ["ENGLISH", "FRENCH", "PRESENTATION"]

_Titles = Mapping[str, tuple[str, str]]
_LANGUAGES = {"en": "English", "fr": "français"}
_Choices = Mapping[str, Mapping[str, str]]


def _introduction(words: Words, source: Any) -> Introduction:
    told = []
    for key in cover.LESSONS:
        title, text = source.LESSONS[key]
        told.append(Lesson(words.typeset(title), words.typeset(text), cover.drawing(key)))
    tip = partial(questions.tip, words, source.TIPS)
    return Introduction(words.typeset(source.ABOUT), told, tip, preset="duel", is_met_once=True)


def _wording(
    code: str,
    words: Words,
    unit: Unit,
    options: _Titles,
    presets: _Titles,
    choices: _Choices,
    introduction: Introduction,
) -> Wording:
    return Wording(
        language=_LANGUAGES[code],
        title="Dune",
        options=options,
        unit=unit,
        player=words.player,
        question=partial(questions.question, words),
        briefing=partial(questions.briefing, words),
        rules=partial(questions.rules, words),
        sentence=partial(sentences.sentence, words),
        imperative=partial(sentences.sentence, words.of_choices),
        changes=partial(happenings.changes, words),
        piece=partial(piece_texts.piece, words),
        presets=presets,
        choices=choices,
        notice=partial(notices.notice, words),
        role=partial(role, code),
        introduction=introduction,
        outcome=partial(questions.outcome, words),
        progress=partial(questions.progress, words),
    )


ENGLISH = _wording(
    "en",
    english.WORDS,
    Unit("stronghold", "strongholds"),
    english.OPTIONS,
    english.PRESETS,
    {},
    _introduction(english.WORDS, english_introduction),
)
FRENCH = _wording(
    "fr",
    french.WORDS,
    Unit("forteresse", "forteresses"),
    french.OPTIONS,
    french.PRESETS,
    french.CHOICES,
    _introduction(french.WORDS, french_introduction),
)


PRESENTATION = Presentation(
    picture,
    pieces,
    {"en": ENGLISH, "fr": FRENCH},
    styles=STYLES,
    counted=strongholds,
    preset="classic",
    drawing=Drawing(text_map, WIDTH, MAP_STYLES),
    heard=heard,
    emblem=emblem,
    listed=listed,
    parts=Parts(board, around, focus),
    dark=DARK,
    least_text=LEAST_TEXT,
    cover=cover.cover,
)

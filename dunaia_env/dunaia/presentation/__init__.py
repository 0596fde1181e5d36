"""How Dunaïa is shown to people: its picture, its pieces, and its wording in English and French."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from dunaia_env.dunaia.components import load
from dunaia_env.dunaia.presentation import cover
from dunaia_env.dunaia.presentation.palette import DARK, LEAST_TEXT
from dunaia_env.dunaia.presentation.picture import picture
from dunaia_env.dunaia.presentation.terminal import STYLES
from dunaia_env.dunaia.presentation.wording import (
    english,
    english_introduction,
    french,
    french_introduction,
    piece_texts,
    sentences,
)
from dunaia_env.dunaia.presentation.wording.facts import artefact_points
from dunaia_env.dunaia.presentation.wording.verbs import pieces, sentence
from dunaia_env.dunaia.presentation.wording.words import Words
from dunaia_env.harness.presentation import Content, Introduction, Lesson, Presentation, Unit, Wording

__all__ = ["ENGLISH", "FRENCH", "PRESENTATION"]

_Lessons = Mapping[str, tuple[str, str]]


def _introduction(
    words: Words, about: str, lessons: _Lessons, tips: Mapping[str, str], after_turn: str
) -> Introduction:
    def tip(content: Content, components: object) -> str:
        return words.typeset(tips.get(content["decision"], ""))

    told, printed = [], _printed()
    for key in cover.LESSONS:
        title, text = lessons[key]
        told.append(Lesson(words.typeset(title), words.typeset(text.format(**printed)), cover.drawing(key)))
    return Introduction(words.typeset(about), told, tip, after_turn=words.typeset(after_turn))


def _printed() -> dict[str, int]:
    """What the names in lessons mean: the points of one to four artefacts, and the flowers that are worth a point."""
    components = load()
    names = ("one", "two", "three", "four")
    points = {name: artefact_points(number, components) for number, name in enumerate(names, 1)}
    return {**points, "flowers": int(components.record[0]["flowers_per_point"])}


def _wording(
    language: str,
    words: Words,
    options: Mapping[str, tuple[str, str]],
    introduction: Introduction,
    prompts: Mapping[str, str],
) -> Wording:
    return Wording(
        language=language,
        title="Dunaïa",
        options=options,
        unit=Unit("point", "points"),
        player=words.player,
        question=partial(sentences.question, words),
        rules=partial(sentences.rules, words),
        sentence=partial(sentence, words),
        imperative=partial(sentence, words.of_choices),
        changes=partial(sentences.changes_of, words),
        piece=partial(piece_texts.piece, words),
        introduction=introduction,
        outcome=partial(sentences.outcome, words),
        prompts=prompts,
    )


def _told(words: Words, source: Any) -> Introduction:
    return _introduction(words, source.ABOUT, source.LESSONS, source.TIPS, source.AFTER_TURN)


ENGLISH = _wording(
    "English", english.WORDS, english.OPTIONS, _told(english.WORDS, english_introduction), english.PROMPTS
)
FRENCH = _wording("français", french.WORDS, french.OPTIONS, _told(french.WORDS, french_introduction), french.PROMPTS)

PRESENTATION = Presentation(
    picture, pieces, {"en": ENGLISH, "fr": FRENCH}, styles=STYLES, dark=DARK, least_text=LEAST_TEXT, cover=cover.cover
)

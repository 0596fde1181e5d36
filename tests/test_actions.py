"""The action table: numbers, texts and arguments."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from dunaia_env.dunaia import (
    ACTION_HASH,
    ACTION_TABLE,
    ACTION_TEXTS,
    NUM_ACTIONS,
    action_text,
    actions as verbs,
    parse_action,
)
from dunaia_env.dunaia.rules import play

# Verb, lowest and highest value of each argument: the order of the rules' action table.
VERBS = [
    ("draft", [(0, 5)]),
    ("take", [(1, 6)]),
    ("take_flipped", [(1, 6)]),
    ("awaken", [(0, 8)]),
    ("flower", []),
    ("use", [(0, 3), (0, 8)]),
    ("start", [(0, 7), (0, 8)]),
    ("move", [(1, 6), (0, 11)]),
    ("plug", [(1, 6)]),
    ("discard", [(1, 6)]),
    ("advance", [(0, 8)]),
    ("call", [(0, 2)]),
    ("search", [(0, 39)]),
    ("colour", [(0, 3), (0, 8)]),
    ("power", []),
    ("reserve", [(0, 5)]),
    ("pass", []),
]
COUNTS = [6, 6, 6, 9, 1, 36, 72, 72, 6, 6, 9, 3, 40, 36, 1, 6, 1]


def expected_texts() -> list[str]:
    texts = []
    for verb, arguments in VERBS:
        lines = [verb]
        for low, high in arguments:
            lines = [f"{line} {value}" for line in lines for value in range(low, high + 1)]
        texts += lines
    return texts


def test_there_are_316_actions_in_the_order_of_the_rules() -> None:
    assert NUM_ACTIONS == 316 == sum(COUNTS)
    assert list(ACTION_TEXTS) == expected_texts()


def test_rows_lie_one_after_the_other() -> None:
    assert [verb.name for verb in ACTION_TABLE] == [name for name, _ in VERBS]
    assert [verb.count for verb in ACTION_TABLE] == COUNTS
    assert [verb.first for verb in ACTION_TABLE] == [sum(COUNTS[:row]) for row in range(len(COUNTS))]
    for verb, (_, arguments) in zip(ACTION_TABLE, VERBS, strict=True):
        ranges = [(each.first, each.first + each.count - 1) for each in verb.arguments]
        assert ranges == arguments
        assert verb.meaning
        assert verbs.verb(verb.name) is verb


def test_texts_are_unique_and_lead_back_to_their_numbers() -> None:
    assert len(set(ACTION_TEXTS)) == NUM_ACTIONS
    for number, text in enumerate(ACTION_TEXTS):
        assert action_text(number) == text
        assert parse_action(text) == number


@pytest.mark.parametrize("text", ["move 5 11", "  move 5 11", "move  5   11\n", "move\t5 11"])
def test_spaces_do_not_matter(text: str) -> None:
    assert action_text(parse_action(text)) == "move 5 11"


@pytest.mark.parametrize("number", [-1, 316, 10**9])
def test_numbers_beyond_the_table_have_no_text(number: int) -> None:
    with pytest.raises(ValueError, match=rf"action: expected a number in 0\.\.315, got {number}"):
        action_text(number)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected one of the verbs draft, take, .*, pass, got"),
        ("  ", "expected one of the verbs"),
        ("fly 3", "expected one of the verbs .*, got 'fly 3'"),
        ("Take 3", "expected one of the verbs"),
        ("3", "expected one of the verbs"),
        ("take", r"take takes face 1\.\.6"),
        ("take 0", r"'take 0': take takes face 1\.\.6"),
        ("take 7", r"take takes face 1\.\.6"),
        ("take 03", r"take takes face 1\.\.6"),
        ("take +3", r"take takes face 1\.\.6"),
        ("take three", r"take takes face 1\.\.6"),
        ("take 3 4", r"take takes face 1\.\.6"),
        ("move 5", r"move takes Dunaia 1\.\.6, edge 0\.\.11"),
        ("move 5 12", r"move takes Dunaia 1\.\.6, edge 0\.\.11"),
        ("start 8 0", r"start takes offer 0\.\.7, square 0\.\.8"),
        ("use -1 0", r"use takes seat offset 0\.\.3, square 0\.\.8"),
        ("pass 1", "pass takes no argument"),
        ("flower 0", "flower takes no argument"),
    ],
)
def test_wrong_texts_say_what_the_verb_takes(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_action(text)


def test_verbs_and_arguments_of_each_action_fit_its_text() -> None:
    assert verbs.VERB_OF.shape == (NUM_ACTIONS,)
    assert verbs.ARGUMENTS.shape == (NUM_ACTIONS, 2)
    for number, text in enumerate(ACTION_TEXTS):
        name, *words = text.split()
        verb = ACTION_TABLE[verbs.VERB_OF[number]]
        assert verb.name == name
        values = [argument.first for argument in verb.arguments]
        values = [low + int(value) for low, value in zip(values, verbs.ARGUMENTS[number], strict=False)]
        assert values == [int(word) for word in words]
        assert not verbs.ARGUMENTS[number, len(words) :].any()


def test_names_of_first_actions_follow_the_table() -> None:
    names = {
        "DRAFT_FIRST": "draft 0",
        "TAKE_FIRST": "take 1",
        "TAKE_FLIPPED_FIRST": "take_flipped 1",
        "AWAKEN_FIRST": "awaken 0",
        "FLOWER": "flower",
        "USE_FIRST": "use 0 0",
        "START_FIRST": "start 0 0",
        "MOVE_FIRST": "move 1 0",
        "PLUG_FIRST": "plug 1",
        "DISCARD_FIRST": "discard 1",
        "ADVANCE_FIRST": "advance 0",
        "CALL_FIRST": "call 0",
        "SEARCH_FIRST": "search 0",
        "COLOUR_FIRST": "colour 0 0",
        "USE_POWER": "power",
        "RESERVE_FIRST": "reserve 0",
        "PASS": "pass",
    }
    for name, text in names.items():
        assert ACTION_TEXTS[getattr(verbs, name)] == text


def test_the_rules_apply_every_verb_by_its_name() -> None:
    source = Path(play.__file__).read_text(encoding="utf-8")
    branches = re.findall(r"^    (?:el)?if verb == verbs\.(\w+):$", source, re.MULTILINE)
    assert sorted(getattr(verbs, name) for name in branches) == [verb.first for verb in ACTION_TABLE]
    assert not re.search(r"(action|verb) [<>]", source)


def test_unknown_verbs_have_no_row() -> None:
    with pytest.raises(KeyError):
        verbs.verb("fly")


def test_the_hash_names_the_table() -> None:
    assert len(ACTION_HASH) == 16
    assert int(ACTION_HASH, 16) >= 0
    assert verbs.VERB_OF.dtype == verbs.ARGUMENTS.dtype == np.int16

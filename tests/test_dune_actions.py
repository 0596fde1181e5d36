"""Dune's action table: exactly the actions of the rules, with texts that can be read back."""

from __future__ import annotations

import re

import pytest

from dunaia_env.dune import actions
from dunaia_env.dune.actions import (
    ACTION_TABLE,
    ACTION_TEXTS,
    ARGUMENT,
    NUM_ACTIONS,
    VERB_OF,
    action_text,
    parse_action,
)

pytestmark = pytest.mark.once

# Verb, least argument (None without one) and number of actions, in the order of the rules.
TABLE = [
    ("pass", None, 1),
    ("yes", None, 1),
    ("karama", None, 1),
    ("orbit", None, 1),
    ("number", 0, 21),
    ("cell", 0, 86),
    ("territory", 0, 42),
    ("leader", 0, 31),
    ("card", 0, 17),
    ("seat", 1, 5),
    ("faction", 0, 7),
    ("turn", 1, 15),
    ("must", 0, 7),
    ("must_not", 0, 7),
    ("see", 0, 4),
]


def test_table_is_that_of_the_rules() -> None:
    wanted = []
    for verb, least, count in TABLE:
        wanted += [verb if least is None else f"{verb} {least + index}" for index in range(count)]
    assert list(ACTION_TEXTS) == wanted
    assert len(wanted) == NUM_ACTIONS == 246
    assert [(verb.name, verb.count) for verb in ACTION_TABLE] == [(verb, count) for verb, _, count in TABLE]


def test_hash_names_the_table() -> None:
    assert actions.ACTION_HASH == "9dd718b29f53f700"


@pytest.mark.parametrize("text", ACTION_TEXTS)
def test_texts_and_numbers(text: str) -> None:
    number = parse_action(text)
    assert action_text(number) == text
    verb, *argument = text.split()
    assert ACTION_TABLE[VERB_OF[number]].name == verb
    assert ARGUMENT[number] == (int(argument[0]) if argument else 0)


def test_first_actions() -> None:
    for name, text in (
        ("PASS", "pass"),
        ("YES", "yes"),
        ("USE_KARAMA", "karama"),
        ("ORBIT", "orbit"),
        ("NUMBER_FIRST", "number 0"),
        ("CELL_FIRST", "cell 0"),
        ("TERRITORY_FIRST", "territory 0"),
        ("LEADER_FIRST", "leader 0"),
        ("CARD_FIRST", "card 0"),
        ("SEAT_FIRST", "seat 1"),
        ("FACTION_FIRST", "faction 0"),
        ("TURN_FIRST", "turn 1"),
        ("MUST_FIRST", "must 0"),
        ("MUST_NOT_FIRST", "must_not 0"),
        ("SEE_FIRST", "see 0"),
    ):
        assert action_text(getattr(actions, name)) == text
    assert actions.verb("seat").meaning.startswith("the seat so many places")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected one of the verbs pass, yes, karama"),
        ("fly 3", "expected one of the verbs pass, yes, karama"),
        ("number 21", "number takes number 0..20"),
        ("seat 0", "seat takes offset 1..5"),
        ("turn", "turn takes turn 1..15"),
        ("pass 1", "pass takes no argument"),
        ("must_not 7", "must_not takes kind 0..6"),
        ("cell 03", "cell takes cell 0..85"),
    ],
)
def test_wrong_texts_are_named(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_action(text)


@pytest.mark.parametrize("number", [-1, NUM_ACTIONS])
def test_wrong_numbers_are_named(number: int) -> None:
    with pytest.raises(ValueError, match=re.escape(f"action: expected a number in 0..245, got {number}")):
        action_text(number)


def test_spaces_do_not_matter() -> None:
    assert parse_action("  number   3 ") == parse_action("number 3")

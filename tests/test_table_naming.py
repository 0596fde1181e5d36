"""Players are called by their names in a game's texts."""

from __future__ import annotations

import pytest

from dunaia_env.harness.presentation import Change, Notice
from dunaia_env.table.naming import distinct, naming, program, with_names
from tests.toy_presentation import PRESENTATION

pytestmark = pytest.mark.once

WORDING = PRESENTATION.wording("en")
NAMES = ["Anna", r"Bob \1 (x)", "player 1"]


def numbered(text: str) -> str:
    """A text with what the wording calls the seats 0, 1 and 2 in place of A, B and C."""
    for seat, letter in enumerate("ABC"):
        text = text.replace(letter, WORDING.player(seat))
    return text


def test_names_stand_where_seats_were_numbered() -> None:
    named = naming(WORDING, NAMES)
    assert named(numbered("the die of A, not of B.")) == r"the die of Anna, not of Bob \1 (x)."
    assert named(numbered("A pays C.").upper()) == "Anna PAYS player 1."
    assert named(f"{WORDING.player(0)}5 pays") == f"{WORDING.player(0)}5 pays"
    assert named("") == ""


def test_a_role_is_not_told_twice() -> None:
    named = naming(WORDING, ["Guild (Anna)", "Ben", "Emperor (C)"])
    assert named(numbered("Guild, A. Emperor, C.")) == "Guild (Anna). Emperor (C)."
    assert named(numbered("Emperor, A. B, C.")) == "Emperor, Guild (Anna). Ben, Emperor (C)."


def test_every_text_of_a_wording_has_the_names() -> None:
    def told(*known: object) -> str:
        return numbered("A waits")

    notices = [Notice(told(), (0,), (("row", (told(), "")),), (told(),)), None]
    plain = WORDING._replace(
        question=told,
        briefing=told,
        rules=told,
        sentence=told,
        imperative=told,
        piece=told,
        changes=lambda *known: [Change(1, told())],
        notice=lambda *known: notices.pop(0),
    )
    wording = with_names(plain, NAMES)
    assert wording.player(0) == "Anna"
    assert wording.question({}, None) == "Anna waits"
    assert wording.briefing({}, None) == "Anna waits"
    assert wording.rules({}, None) == "Anna waits"
    assert wording.sentence("x", {}, None) == "Anna waits"
    assert wording.imperative("x", {}, None) == "Anna waits"
    assert wording.piece("x", {}, None) == "Anna waits"
    assert wording.changes("x", {}, {}, None) == [Change(1, "Anna waits")]
    assert wording.notice({}, {}, None) == Notice("Anna waits", (0,), (("row", ("Anna waits", "")),), ("Anna waits",))
    assert wording.notice({}, {}, None) is None


def test_programs_are_called_by_plain_words() -> None:
    plain = {"easy": "Beginner", "dune_champion": "Champion", "champion+64": "Champion who thinks ahead"}
    plain["dune_champion+8,candidates=16"] = plain["champion+64"]
    assert {name: program(name, "en") for name in plain} == plain
    assert program("medium", "fr") == "Joueur de club"
    assert program("medium", "de") == "Club player"
    for name in ("my_module:Agent", "runs/x.safetensors", "Anna", "easy:2"):
        assert program(name, "en") == name


def test_equal_names_are_told_apart() -> None:
    assert distinct(["greedy", "Anna", "greedy", "greedy (2)", "greedy"]) == [
        "greedy",
        "Anna",
        "greedy (2)",
        "greedy (2) (2)",
        "greedy (3)",
    ]
    assert distinct([]) == []

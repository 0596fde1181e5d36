"""Dune for people: pieces of all actions, questions, rules and texts of pieces, from states and from views."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import pytest

from dunaia_env.dune import GAME, PRESETS
from dunaia_env.dune.actions import ACTION_TEXTS
from dunaia_env.dune.decisions import DECISION_NAMES
from dunaia_env.dune.hidden.views import view_to_dict
from dunaia_env.dune.presentation import ENGLISH, PRESENTATION
from dunaia_env.dune.presentation.pieces import CONTROLS, KINDS, check_piece, focus, is_drawn, parse_piece, pieces
from dunaia_env.dune.presentation.wording import english
from dunaia_env.dune.state import MAX_PLAYERS
from tests.drawn import read
from tests.dune_positions import POSITIONS, position, state_of
from tests.dune_told_games import COMPONENTS, game, told_games

pytestmark = pytest.mark.once

NAMES = tuple(POSITIONS)
PLACEHOLDER = re.compile(r"[{}<>\[\]_]|\bNone\b|\bTrue\b|\bFalse\b(?! Wall)|  |(?<!\w)-1\b|nobody\.\.|object at")
Content = Mapping[str, Any]


class Asked(NamedTuple):
    """A position as its deciding seat or everybody may know it, with the legal actions."""

    content: Content
    legal: tuple[str, ...]


def asked_of(state: Any, content: Content, legal: tuple[str, ...]) -> Iterator[Asked]:
    yield Asked(content, legal)
    if not content["over"]:
        yield Asked(view_to_dict(state, COMPONENTS, content["seat"]), legal)


@lru_cache(maxsize=2)
def played(first: int, every: int) -> tuple[Asked, ...]:
    """The first decisions of each kind in the told games, and some of the others."""
    seen: dict[str, int] = {}
    found: list[Asked] = []
    for told in told_games():
        decision = told.before["decision"]
        seen[decision] = seen.get(decision, 0) + 1
        if seen[decision] <= first or seen[decision] % every == 0:
            found += asked_of(told.state, told.before, told.legal)
    return tuple(found)


def of_position(name: str) -> tuple[Asked, ...]:
    content = position(name)
    state = state_of(content)
    legal = tuple(ACTION_TEXTS[action] for action in GAME.entry_points.legal_actions(state, COMPONENTS.buffer))
    return tuple(asked_of(state, content, legal))


def drawn_names(content: Content) -> list[str]:
    return [piece.name for piece in read(PRESENTATION.picture(content, COMPONENTS)).pieces]


def fault(kind: str, text: str) -> str:
    """What is wrong with a text, empty for nothing."""
    if not text or text != text.strip():
        return "empty or with spaces around"
    if match := PLACEHOLDER.search(text):
        return f"a placeholder: {match[0]!r}"
    if not text.isascii():
        return "a sign that is not ASCII, which some terminals cannot show"
    if kind == "clause":
        return "a clause ends without a period" if text[-1] in ".;:," else ""
    if text[-1] not in ("?" if kind == "question" else "."):
        return f"a {kind} ends with another sign"
    if not (text[0].isupper() or text[0].isdigit()):
        return "a sentence begins with a capital"
    if match := re.search(r"\.\.|,,| [,.]|\b1 (?:tokens|cards|turns|worms|sectors)\b", text):
        return f"strange: {match[0]!r}"
    return ""


def check(asked: Asked) -> None:
    """Everything that a page shows of a decision."""
    content, legal = asked
    paths = [pieces(action, content) for action in legal]
    assert len(set(paths)) == len(paths), (content["decision"], paths)
    for path in paths:
        assert not [other for other in paths if other != path and other[: len(path)] == path], path
    drawn = drawn_names(content)
    named = {name for path in paths for name in path}
    assert {name for name in named if is_drawn(name)} <= set(drawn), named - set(drawn)
    texts = [("rules" if content["over"] else "question", ENGLISH.question(content, COMPONENTS))]
    texts.append(("rules", ENGLISH.rules(content, COMPONENTS)))
    for say in (ENGLISH.sentence, ENGLISH.imperative):
        texts += [("clause", say(action, content, COMPONENTS)) for action in legal]
    texts += [("piece", ENGLISH.piece(name, content, COMPONENTS)) for name in dict.fromkeys([*drawn, *named])]
    faults = [(found, text) for kind, text in texts if (found := fault(kind, text))]
    assert not faults, (content["decision"], faults)
    sentences = [ENGLISH.sentence(action, content, COMPONENTS) for action in legal]
    assert len(set(sentences)) == len(sentences)


def test_the_game_has_its_presentation() -> None:
    assert GAME.require("presentation") is PRESENTATION
    assert set(ENGLISH.options) == {option.name for option in GAME.options}
    for title, help_text in ENGLISH.options.values():
        assert title[0].isupper()
        assert fault("rules", help_text) == ""
    assert [ENGLISH.player(seat) for seat in range(2)] == ["player 0", "player 1"]


@pytest.mark.parametrize("name", NAMES)
def test_every_position_is_shown(name: str) -> None:
    for asked in of_position(name):
        check(asked)


@pytest.mark.long
@pytest.mark.parametrize(("first", "every"), [(2, 120), pytest.param(4, 60, marks=pytest.mark.slow)])
def test_decisions_of_played_games_are_shown(first: int, every: int) -> None:
    for asked in played(first, every):
        check(asked)
    assert len({asked.content["decision"] for asked in played(first, every)}) > len(DECISION_NAMES) - 6


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("players", range(2, MAX_PLAYERS + 1))
def test_games_of_all_presets_are_shown(preset: str, players: int) -> None:
    values = dict(PRESETS[preset])
    factions = values.pop("factions", None)
    players = values.pop("num_players", players)
    for number, told in enumerate(game(players, values, factions, 3 * players, players % 2)):
        if number == 150:
            break
        if number % 30 == 7:
            for asked in asked_of(told.state, told.before, told.legal):
                check(asked)


def test_a_view_asks_and_draws_like_the_state() -> None:
    """What a page offers does not depend on anything that is hidden from the seat."""
    for whole, seen in zip(played(2, 120)[::2], played(2, 120)[1::2], strict=True):
        for action in whole.legal:
            assert pieces(action, whole.content) == pieces(action, seen.content)


def test_others_learn_nothing_of_a_decision() -> None:
    content = position("KARAMA, sight")
    state = state_of(content)
    for seat in range(len(content["players"])):
        view = view_to_dict(state, COMPONENTS, seat)
        is_asked = seat == content["seat"]
        assert (ENGLISH.question(view, COMPONENTS) == english.WORDS.texts["question.hidden"]) != is_asked
        assert ENGLISH.sentence("karama", view, COMPONENTS) == "decides" or is_asked
        assert fault("rules", ENGLISH.rules(view, COMPONENTS)) == ""
        for name in drawn_names(view):
            assert fault("piece", ENGLISH.piece(name, view, COMPONENTS)) == "", name


def test_others_are_told_only_what_they_see() -> None:
    """What others are told of a decision does not depend on which one it was, but for what it has changed for them."""
    for told in told_games()[::11]:
        for seat in range(len(told.before["players"])):
            if seat == told.before["seat"]:
                continue
            before, after = told.views(seat)
            assert ENGLISH.sentence(told.action, before, COMPONENTS) == "decides"
            changes = ENGLISH.changes(told.action, before, after, COMPONENTS)
            assert changes == ENGLISH.changes("pass", before, after, COMPONENTS)
            assert not [change for change in changes if fault("clause", change.text)]


def test_changes_are_told_to_the_seat_that_they_belong_to() -> None:
    for told in told_games()[::11]:
        for change in ENGLISH.changes(told.action, told.heard(told.before), told.after, COMPONENTS):
            assert change.seat is None or 0 <= change.seat < len(told.after["players"])
            assert fault("clause", change.text) == "", change.text


def test_every_decision_asks_something_of_its_own() -> None:
    questions = {position(name)["decision"]: ENGLISH.question(position(name), COMPONENTS) for name in NAMES}
    assert set(questions) == set(DECISION_NAMES)
    assert len(set(questions.values())) == len(questions)


@pytest.mark.parametrize(
    ("name", "action", "path"),
    [
        ("PREDICT_WHO", "faction 1", ("seat-1",)),
        ("PREDICT_TURN", "turn 7", ("turn-7",)),
        ("BID", "karama", ("card-16",)),
        ("BID", "number 2", ("number-2",)),
        ("SHIP", "cell 44", ("cell-44",)),
        ("SHIP_TO", "orbit", ("reserve-4",)),
        ("MOVE_FROM", "territory 39", ("cell-79",)),
        ("WORM", "territory 24", ("territory-24",)),
        ("PROPOSE", "seat 2", ("seat-5",)),
        ("VOICE", "must 3", ("must", "kind-3")),
        ("VOICE", "must_not 3", ("must-not", "kind-3")),
        ("TRUTH", "card 2", ("hand-3", "kind-2")),
        ("TRUTH", "leader 2", ("leader-2",)),
        ("LEADER", "leader 17", ("leader-17",)),
        ("WEAPON", "card 1", ("card-1",)),
        ("PRESCIENCE", "see 3", ("element-3",)),
    ],
)
def test_where_a_person_points(name: str, action: str, path: tuple[str, ...]) -> None:
    assert pieces(action, position(name)) == path


def test_a_truth_about_spice_and_about_a_prediction() -> None:
    content = position("TRUTH")
    content["pending"]["target"] = 5
    assert pieces("number 4", content) == ("spice-5", "number-4")
    assert pieces("turn 4", content) == ("turns", "turn-4")
    assert pieces("faction 0", content) == ("seat-0",)


def test_bene_gesserit_spends_a_worthless_card_first() -> None:
    content = position("BID") | {"seat": 5}
    assert pieces("karama", content) == ("card-6",)
    content["options"]["powers"] = False
    assert pieces("karama", content) == ("card-16",)


def test_every_well_formed_name_is_read() -> None:
    for kind, ways in {**KINDS, **CONTROLS}.items():
        for ranges in ways:
            for numbers in product(*ranges):
                name = "-".join([kind, *map(str, numbers)])
                assert parse_piece(name) == (kind, numbers)
                assert is_drawn(name) == (kind in KINDS)


@pytest.mark.parametrize("name", ["BID", "TRUTH", "OVER", "NUMBER", "VOICE"])
def test_all_pieces_are_told_in_all_positions(name: str) -> None:
    """What was highlighted a moment ago may be gone in the position for which its text is asked."""
    content = position(name)
    for kind, ways in {**KINDS, **CONTROLS}.items():
        for ranges in ways:
            for numbers in product(*ranges):
                text = ENGLISH.piece("-".join([kind, *map(str, numbers)]), content, COMPONENTS)
                assert fault("piece", text) == "", (kind, numbers, text)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "the kinds are cell"),
        ("wheel-1", "the kinds are cell"),
        ("card", "expected card and 1 or 2 numbers, joined by hyphens"),
        ("card-1-2-3", "card and 1 or 2 numbers"),
        ("seat-01", "seat and 1 numbers"),
        ("cell-86", r"86 is not in 0\.\.85"),
        ("card-6-2", r"6 is not in 0\.\.5"),
        ("pass-0", "pass and 0 numbers"),
    ],
)
def test_a_wrong_name_is_refused(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_piece(name)


def test_a_seat_that_the_table_has_not_is_refused() -> None:
    content: Content = {"players": [{}, {}]}
    assert check_piece("card-5", content) == ("card", (5,))
    for name in ("seat-2", "card-2-5"):
        with pytest.raises(ValueError, match=f"piece: '{name}'; the table has 2 players"):
            check_piece(name, content)


def test_the_focus_of_a_seat_is_what_it_decides_about_or_its_own_tokens() -> None:
    for name in NAMES:
        content = position(name)
        for seat, player in enumerate(content["players"]):
            cells, pending = focus(content, seat), content["pending"]
            assert all(check_piece(cell, content)[0] == "cell" for cell in cells)
            if seat != content["seat"] or not {"cell", "field", "origin"} & pending.keys():
                assert cells == [f"cell-{cell}" for cell, _ in player["forces"]]
            elif "cell" in pending:
                assert cells == [f"cell-{pending['cell']}"]
            elif "field" in pending:
                assert f"cell-{pending['field']}" in cells
            else:
                assert cells


def test_what_pieces_say() -> None:
    content = position("BID")

    def said(name: str) -> str:
        return ENGLISH.piece(name, content, COMPONENTS)

    assert said("cell-79").startswith("Tuek's Sietch: a stronghold. The Guild has 5 tokens here.")
    assert said("leader-15") == "Stilgar, strength 7. A leader of Fremen."
    assert said("number-4") == "4: Bid 7 spice."
    assert said("pass") == "Do not bid."
    assert "at most 8" in said("hand-1")
    assert said("spice-0").startswith("Atreides' spice: ")


def test_rules_tell_what_the_options_and_the_hand_add() -> None:
    content = position("BID")
    assert "With a Karama you get the card" in ENGLISH.rules(content, COMPONENTS)
    content["players"][content["seat"]]["hand"] = []
    assert "Karama" not in ENGLISH.rules(content, COMPONENTS)
    content = position("PROPOSE")
    assert "at most" not in ENGLISH.rules(content, COMPONENTS)
    content["options"]["max_alliance"] = 2
    assert "at most 2 members" in ENGLISH.rules(content, COMPONENTS)

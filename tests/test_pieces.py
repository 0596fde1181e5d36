"""The pieces that a person points at: names, paths that tell all legal actions apart, and refusal of wrong names."""

from __future__ import annotations

from itertools import product

import pytest

from dunaia_env.dunaia.presentation.pieces import KINDS, all_pieces, check_piece, parse_piece
from dunaia_env.dunaia.presentation.wording.facts import level_of
from dunaia_env.dunaia.presentation.wording.verbs import pieces
from dunaia_env.dunaia.state import DECISION_NAMES
from tests.positions import player, position
from tests.told_games import told_games

pytestmark = pytest.mark.once

TRICKSTER, ARCHITECT = 1, 5


@pytest.mark.long
def test_the_paths_of_legal_actions_are_told_apart_and_exist() -> None:
    decisions, verbs, positions = set(), set(), 0
    for told in told_games():
        drawn = set(all_pieces(told.before))
        paths = {action: pieces(action, told.before) for action in told.legal}
        assert len(set(paths.values())) == len(paths), paths
        beginnings = {path[:length] for path in paths.values() for length in range(len(path))}
        assert not beginnings & set(paths.values()), paths
        assert all(set(path) <= drawn for path in paths.values()), (told.before["decision"], paths)
        decisions.add(told.before["decision"])
        verbs |= {action.split()[0] for action in told.legal}
        positions += 1
    assert decisions == set(DECISION_NAMES) - {"OVER"}
    assert len(verbs) == 17
    assert positions > 500


@pytest.mark.long
def test_the_pieces_of_a_position_are_well_formed_and_named_once() -> None:
    kinds = set()
    for told in told_games():
        for content in (told.before, told.after):
            names = all_pieces(content)
            assert len(set(names)) == len(names)
            kinds |= {check_piece(name, content)[0] for name in names}
    assert kinds == set(KINDS)


@pytest.mark.parametrize(
    ("action", "path"),
    [
        ("flower", ("flowers-1",)),
        ("use 0 3", ("square-1-3",)),
        ("use 1 3", ("square-2-3",)),
        ("use 2 3", ("square-0-3",)),
        ("start 5 8", ("offer-5", "square-1-8")),
        ("start 6 8", ("reserved-1", "square-1-8")),
        ("start 7 8", ("square-1-8",)),
        ("move 6 11", ("dunaia-1-6", "edge-1-11")),
        ("plug 4", ("chip-1-4",)),
        ("discard 4", ("chip-1-4",)),
        ("advance 2", ("square-1-2",)),
        ("awaken 2", ("square-1-2",)),
        ("call 2", ("elder-2",)),
        ("search 15", ("pile-0-15",)),
        ("search 16", ("pile-1-16",)),
        ("search 39", ("pile-2-39",)),
        ("colour 3 0", ("marker-3", "square-1-0")),
        ("draft 5", ("character-5",)),
        ("reserve 5", ("offer-5",)),
        ("power", ("power",)),
        ("pass", ("pass",)),
    ],
)
def test_where_a_person_points(action: str, path: tuple[str, ...]) -> None:
    content = position("RECYCLE", player(), player(reserved=30, character=ARCHITECT), player(), seat=1).to_dict()
    assert pieces(action, content) == path


def test_a_die_is_pointed_at_by_its_face_and_the_own_one_by_its_owner() -> None:
    trickster = player(character=TRICKSTER)
    neutral = position("CHOOSE_DIE", trickster, neutral=(3, 3, 3, 4, 5)).to_dict()
    assert pieces("take 3", neutral) == ("die-3",)
    assert pieces("take_flipped 3", neutral) == ("flip-3",)
    # The sixth turn after a roll of seven dice is seat 1's.
    own = position("CHOOSE_DIE", player(), trickster, round_number=3, seat=1, neutral=(), own=(4, 2)).to_dict()
    assert pieces("take 2", own) == ("own-die-1",)
    assert pieces("take_flipped 2", own) == ("flip-own-1",)
    assert {"own-die-1", "flip-own-1"} <= set(all_pieces(own))


def test_every_well_formed_name_is_read() -> None:
    for kind, ranges in KINDS.items():
        for numbers in product(*ranges):
            assert parse_piece("-".join([kind, *map(str, numbers)])) == (kind, numbers)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "the kinds are die, own-die"),
        ("wheel-1", "the kinds are die, own-die"),
        ("die", "expected die and 1 numbers, joined by hyphens"),
        ("die-1-2", "die and 1 numbers"),
        ("1-die", "die and 1 numbers"),
        ("die-01", "die and 1 numbers"),
        ("die--1", "the kinds are"),
        ("die-7", "7 is not in 1..6"),
        ("square-0-9", "9 is not in 0..8"),
        ("square-4-0", "4 is not in 0..3"),
        ("found-0", "found and 0 numbers"),
    ],
)
def test_a_wrong_name_is_refused(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_piece(name)


def test_a_seat_that_the_table_has_not_is_refused() -> None:
    content = position("RECYCLE").to_dict()
    assert check_piece("marker-3", content) == ("marker", (3,))
    with pytest.raises(ValueError, match="piece: 'flowers-2'; the table has 2 players"):
        check_piece("flowers-2", content)


def test_levels_of_tiles() -> None:
    assert [level_of(tile) for tile in (0, 15, 16, 27, 28, 39)] == [0, 0, 1, 1, 2, 2]

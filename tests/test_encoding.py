"""Action tables and observation layouts of any game; the tables of the games have tests of their own."""

from __future__ import annotations

import numpy as np
import pytest

from dunaia_env.harness.compiled.encoding import ActionTable, Argument, ObservationLayout, Verb

pytestmark = pytest.mark.once

ROWS = (
    ("fold", (), "leave the round"),
    ("bid", (Argument("card", 5, 2), Argument("times", 1, 3)), "bid a card so many times"),
    ("ask", (Argument("seat", 0, 2),), "ask a seat"),
)


def test_actions_follow_from_the_rows() -> None:
    table = ActionTable(ROWS)
    assert list(table) == [Verb(*ROWS[0], 0, 1), Verb(*ROWS[1], 1, 6), Verb(*ROWS[2], 7, 2)]
    assert (len(table), table.size, table[1:]) == (3, 9, tuple(table)[1:])
    bids = ("bid 5 1", "bid 5 2", "bid 5 3", "bid 6 1", "bid 6 2", "bid 6 3")
    assert table.texts == ("fold", *bids, "ask 0", "ask 1")
    assert table.verb_of.tolist() == [0, 1, 1, 1, 1, 1, 1, 2, 2]
    assert table.arguments.tolist() == [[0, 0], [0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2], [0, 0], [1, 0]]
    assert [table.parse(text) for text in table.texts] == [table.parse(table.text(n)) for n in range(9)] == [*range(9)]
    assert (table.first("ask"), table.verb("ask")) == (7, table[2])


def test_the_hash_of_a_table_follows_its_texts() -> None:
    table = ActionTable(ROWS)
    assert ActionTable([(name, arguments, "other") for name, arguments, _ in ROWS]).hash == table.hash
    assert len({ActionTable(rows).hash for rows in (ROWS, ROWS[:2], ROWS[::-1])}) == 3


def test_wrong_actions_are_named() -> None:
    table = ActionTable(ROWS)
    with pytest.raises(ValueError, match=r"^action: expected a number in 0\.\.8, got 9$"):
        table.text(9)
    with pytest.raises(ValueError, match=r"^action 'bid 7 1': bid takes card 5\.\.6, times 1\.\.3$"):
        table.parse("bid 7 1")
    with pytest.raises(ValueError, match="action: expected one of the verbs fold, bid, ask, got 'raise'"):
        table.parse("raise")
    with pytest.raises(KeyError):
        table.first("raise")


BLOCKS = (
    ("", (("round", (1,), 30, "round"),)),
    ("own.", (("hand", (2, 3), 4, "cards"), ("points", (1,), 50, "points"))),
    ("next.", (("points", (1,), 50, "points"),)),
)


def test_pieces_follow_from_the_blocks() -> None:
    layout = ObservationLayout(BLOCKS)
    assert [(piece.name, piece.first, piece.size) for piece in layout] == [
        ("round", 0, 1),
        ("own.hand", 1, 6),
        ("own.points", 7, 1),
        ("next.points", 8, 1),
    ]
    assert (len(layout), layout.size, layout[2:]) == (4, 9, tuple(layout)[2:])
    assert layout.scale.dtype == np.float32
    assert layout.scale.tolist() == [30, 4, 4, 4, 4, 4, 4, 50, 50]
    assert (layout.first("own.points"), layout.pieces["own.points"]) == (7, layout[2])
    hand = layout.pieces_of(np.arange(18, dtype=np.int8).reshape(2, 9))["own.hand"]
    assert hand.tolist() == [[[1, 2, 3], [4, 5, 6]], [[10, 11, 12], [13, 14, 15]]]
    with pytest.raises(KeyError):
        layout.first("hand")


def test_the_hash_of_a_layout_follows_names_shapes_and_scales() -> None:
    own = ObservationLayout(BLOCKS).hash
    assert ObservationLayout([(prefix, [(*row[:3], "other") for row in rows]) for prefix, rows in BLOCKS]).hash == own
    for changed in (
        [("", (("turn", (1,), 30, "round"),)), *BLOCKS[1:]],
        [("", (("round", (1,), 20, "round"),)), *BLOCKS[1:]],
        [("", (("round", (2,), 30, "round"),)), *BLOCKS[1:]],
        [*BLOCKS[1:], BLOCKS[0]],
    ):
        assert ObservationLayout(changed).hash != own

"""Prophecies (rules, sections 3, 7 and 9)."""

from __future__ import annotations

from typing import Any

import pytest

from dunaia_env.harness.state import GameState

from .positions import FLOWERS_ELDER, begun, built, legal, nearly, of, play, player, position, seen

POINTS = (2, 3, 4) * 3
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8)]
NOT_LINES = [(0, 4, 8), (2, 4, 6), (1, 2, 3), (2, 3, 4), (5, 6, 7), (0, 1), (0, 2, 6, 8), (1, 3, 5, 7)]


def completed(*squares: int) -> dict[int, dict[str, Any]]:
    """Completed level 1 buildings."""
    return {number: built(number) for number in squares}


def owners(state: GameState) -> list[int]:
    return [prophecy["owner"] for prophecy in seen(state, "prophecies")]


def in_play(*prophecies: int) -> list[int]:
    """These prophecies, and of the other groups the ones that are hard to fulfil."""
    return [next((number for number in prophecies if number // 3 == group), 3 * group + 2) for group in range(3)]


# Without a line, without all corners.
SIX, SEVEN, EIGHT = (0, 1, 3, 5, 7, 8), (0, 1, 2, 3, 5, 7, 8), (0, 1, 2, 3, 4, 5, 7, 8)

CASES: list[tuple[int, dict[str, Any], bool]] = [
    (0, {"buildings": completed(*SIX)}, True),
    (0, {"buildings": completed(*SIX[:5])}, False),
    (0, {"buildings": {**completed(*SIX[:5]), 8: nearly(16)}}, False),
    (0, {"buildings": completed(*SEVEN)}, True),
    (1, {"buildings": completed(*SEVEN)}, True),
    (1, {"buildings": completed(*SIX)}, False),
    (1, {"buildings": {**completed(*SIX), 2: nearly(16)}}, False),
    (1, {"buildings": completed(*range(9))}, True),
    (2, {"buildings": completed(*EIGHT)}, True),
    (2, {"buildings": completed(*SEVEN)}, False),
    (2, {"buildings": {**completed(*SEVEN), 4: nearly(16)}}, False),
    (3, {"flowers": 12}, True),
    (3, {"flowers": 11}, False),
    (3, {"flowers": 30}, True),
    (3, {"artefacts": 9}, False),
    (4, {"flowers": 7, "artefacts": 1}, True),
    (4, {"flowers": 6, "artefacts": 1}, False),
    (4, {"flowers": 7, "fragments": [0, 1]}, False),
    (4, {"flowers": 12, "artefacts": 3}, True),
    (5, {"artefacts": 2}, True),
    (5, {"artefacts": 1, "fragments": [0, 2]}, False),
    (5, {"artefacts": 3}, True),
    *((6, {"buildings": completed(*line)}, True) for line in LINES),
    *((6, {"buildings": completed(*squares)}, False) for squares in NOT_LINES),
    *((6, {"buildings": {**completed(*line[:2]), line[2]: nearly(16)}}, False) for line in LINES),
    (6, {"buildings": {0: built(0), 1: built(20), 2: built(39)}}, True),
    (7, {"buildings": {0: built(0), 4: built(20), 7: built(30)}}, True),
    (7, {"buildings": {0: built(0), 4: built(20), 7: built(39)}}, True),
    (7, {"buildings": {0: built(0), 4: built(20), 7: nearly(30)}}, False),
    (7, {"buildings": {0: nearly(0), 4: built(20), 7: built(30)}}, False),
    (7, {"buildings": {0: built(0), 4: nearly(20), 7: built(30)}}, False),
    (7, {"buildings": {0: built(0), 4: built(1), 7: built(30), 8: built(31)}}, False),
    (8, {"buildings": completed(0, 2, 6, 8)}, True),
    (8, {"buildings": {0: built(36), 2: built(20), 6: built(4), 8: built(30)}}, True),
    *((8, {"buildings": {**completed(0, 2, 6, 8), corner: nearly(16)}}, False) for corner in (0, 2, 6, 8)),
    (8, {"buildings": completed(1, 3, 5, 7)}, False),
    (8, {"buildings": completed(0, 1, 2, 3, 4, 5, 6, 7)}, False),
]


@pytest.mark.parametrize(("prophecy", "own", "holds"), CASES)
def test_prophecies__conditions(prophecy: int, own: dict[str, Any], holds: bool) -> None:
    state = position("BEFORE_PROPHECY", player(**own), prophecies=in_play(prophecy))
    assert legal(state) == ["pass"]
    after = play(state, "pass")
    assert owners(after)[prophecy // 3] == (0 if holds else -1)
    assert after.scores()[0] - state.scores()[0] >= (POINTS[prophecy] if holds else 0)


@pytest.mark.parametrize("prophecy", range(9))
def test_prophecies__points(prophecy: int) -> None:
    owned = [0 if prophecy // 3 == group else -1 for group in range(3)]
    assert position("RECYCLE", prophecies=in_play(prophecy), owners=owned).scores() == [POINTS[prophecy], 0]


def test_prophecies__claimed_after_recycling_without_being_asked() -> None:
    after = play(position("RECYCLE", player(flowers=11), prophecies=(2, 3, 8)), "flower")
    assert (after.seat, owners(after), after.scores()) == (1, [-1, 0, -1], [6, 0])


def test_prophecies__nothing_is_discarded() -> None:
    own = player(flowers=7, artefacts=1, fragments=[2])
    after = play(position("BEFORE_PROPHECY", own, prophecies=(2, 4, 8)), "pass")
    assert owners(after) == [-1, 0, -1]
    assert (of(after, 0, "flowers"), of(after, 0, "artefacts"), of(after, 0, "fragments")) == (7, 1, [2])


def test_prophecies__several_at_once() -> None:
    own = player(flowers=12, buildings=completed(0, 1, 2, 3, 5, 7))
    after = play(position("BEFORE_PROPHECY", own, prophecies=(0, 3, 6)), "pass")
    assert owners(after) == [0, 0, 0]
    assert (seen(after, "final_round"), after.scores()) == (2, [6 + 4 + 6, 0])


def test_prophecies__only_the_acting_player() -> None:
    rich = player(flowers=12)
    after = play(position("RECYCLE", player(), rich, prophecies=(2, 3, 8)), "flower")
    assert (after.seat, owners(after)) == (1, [-1, -1, -1])
    after = play(after, "take 2", "awaken 2", "flower")
    assert owners(after) == [-1, 1, -1]


def test_prophecies__flower_paid_to_an_owner_counts_in_the_owners_turn() -> None:
    guest, host = player(flowers=1), player(flowers=11, buildings={0: built(4)})
    after = play(position("RECYCLE", guest, host, prophecies=(2, 3, 8)), "use 1 0", "pass")
    assert (of(after, 1, "flowers"), owners(after)) == (12, [-1, -1, -1])
    assert owners(play(after, "take 2", "awaken 2", "flower")) == [-1, 1, -1]


def test_prophecies__claimed_ones_stay_with_their_owner() -> None:
    state = position("BEFORE_PROPHECY", player(flowers=20), player(), prophecies=(2, 3, 8), owners=(-1, 1, -1))
    after = play(state, "pass")
    assert (owners(after), after.scores()) == ([-1, 1, -1], [6, 2])


def test_prophecies__kept_when_the_condition_is_lost() -> None:
    own = player(flowers=11)
    state = play(position("RECYCLE", own, prophecies=(2, 3, 8)), "flower", "take 2", "awaken 2", "flower")
    state = play(state, "take 3", "awaken 1", "start 2 0", draws=[0])
    assert (owners(state), of(state, 0, "flowers")) == ([-1, 0, -1], 11)


def test_prophecies__call_before_phase_4_counts() -> None:
    own = player(flowers=10, chips=[1, 2, 3])
    state = position("BEFORE_PROPHECY", own, prophecies=(2, 3, 8), elders=(FLOWERS_ELDER, 1, 2))
    assert legal(state) == ["call 0", "pass"]
    assert owners(play(state, "call 0")) == [-1, 0, -1]
    assert owners(play(state, "pass")) == [-1, -1, -1]


def test_prophecies__condition_met_after_phase_4_waits_for_the_own_next_turn() -> None:
    own = player(flowers=10, chips=[1, 2, 3])
    state = position("END_TURN", own, prophecies=(2, 3, 8), elders=(FLOWERS_ELDER, 1, 2))
    state = play(state, "call 0")
    assert (state.seat, of(state, 0, "flowers"), owners(state)) == (1, 12, [-1, -1, -1])
    state = play(state, "take 2", "awaken 2", "flower")
    assert (state.seat, owners(state)) == (0, [-1, -1, -1])
    state = play(state, "take 3", "awaken 1", "flower")
    assert owners(state) == [-1, 0, -1]


def test_prophecies__passing_phase_4_leads_to_the_last_window() -> None:
    own = player(flowers=12, chips=[1, 2, 3])
    state = play(position("BEFORE_PROPHECY", own, prophecies=(2, 3, 8)), "pass")
    assert (state.seat, state.decision, owners(state)) == (0, "END_TURN", [-1, 0, -1])


@pytest.mark.parametrize("before", [(-1, -1, -1), (1, -1, -1), (1, -1, 0), (0, -1, 0), (1, -1, 1)])
def test_prophecies__third_one_triggers_the_end(before: tuple[int, ...]) -> None:
    state = position("BEFORE_PROPHECY", player(flowers=12), prophecies=(2, 3, 8), owners=before, round_number=6)
    after = play(state, "pass")
    assert owners(after)[1] == 0
    assert seen(after, "final_round") == (7 if before.count(-1) == 1 else None)


def test_prophecies__known_final_round_is_not_put_off() -> None:
    # All three were taken in round 6; in round 7 nothing more is triggered.
    state = position("BEFORE_PROPHECY", owners=(0, 0, 1), round_number=7, final_round=7)
    assert seen(play(state, "pass"), "final_round") == 7


def test_prophecies__construction_completed_this_turn_counts() -> None:
    own = player(buildings={0: built(0), 1: built(1), 2: nearly(2)}, dunaias={1: 8})
    after = play(position("AWAKEN", own, prophecies=(2, 5, 6)), "awaken 2", "flower")
    assert owners(after) == [-1, -1, 0]
    own = player(buildings={0: built(0), 1: built(1), 2: begun(2)}, dunaias={1: 8})
    after = play(position("AWAKEN", own, prophecies=(2, 5, 6)), "awaken 2", "flower")
    assert owners(after) == [-1, -1, -1]

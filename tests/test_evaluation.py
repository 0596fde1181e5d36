"""The evaluation: every term counts what its meaning says, potential fades with the turns, win shares are shares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dunaia_env import Lanes
from dunaia_env.dunaia.components import COMPONENTS_DTYPE
from dunaia_env.dunaia.evaluation import (
    evaluate,
    phase_of,
    potential_weight,
    turns_left,
    write_features,
    write_value_features,
    write_win_shares,
)
from dunaia_env.dunaia.state import (
    ARCHITECT,
    CHARACTER_NAMES,
    FOREMAN,
    MAX_PLAYERS,
    MERCHANT,
    MYSTIC,
    RED,
    SHEPHERD,
    STATE_DTYPE,
    TRICKSTER,
)
from dunaia_env.dunaia.weights import (
    FIRST_VALUE,
    NO_TURN_LEFT,
    ONE_TURN_LEFT,
    PARAMETER_COUNT,
    PHASES,
    TERM_COUNT,
    TERMS,
    VALUES_OF_A_PHASE,
    load_weights,
)
from dunaia_env.harness.compiled.entry_points import write_shares
from dunaia_env.harness.compiled.features import describe_lanes
from dunaia_env.harness.opponents import GreedyAgent
from dunaia_env.harness.state import GameState, prepare

from .positions import (
    ALL_CHIPS,
    COLOUR_ELDER,
    FLOWERS_ELDER,
    MOVES_ELDER,
    SEARCH_ELDER,
    begun,
    built,
    legal,
    play,
    player,
    position,
    seen,
)

NAMES = [term.name for term in TERMS]


def records(state: GameState) -> tuple[Any, Any]:
    """The records of a state and of its components, as the kernels take them."""
    copy = np.frombuffer(state.to_bytes(), np.uint8).copy()
    return copy.view(STATE_DTYPE)[0], state.components.buffer.view(COMPONENTS_DTYPE)[0]


def features_of(state: GameState, seat: int = 0) -> dict[str, float]:
    features = np.zeros(TERM_COUNT)
    write_features(*records(state), seat, features)
    return dict(zip(NAMES, features.tolist(), strict=True))


def value_features_of(state: GameState, seat: int) -> tuple[int, NDArray[np.float64]]:
    features = np.zeros(VALUES_OF_A_PHASE)
    return write_value_features(*records(state), seat, features), features


def shares_of(state: GameState, weights: NDArray[np.float64]) -> list[float]:
    shares = np.full(MAX_PLAYERS, -7.0)
    write_win_shares(*records(state), weights, shares)
    assert shares[state.num_players :].tolist() == [-7.0] * (MAX_PLAYERS - state.num_players)
    return shares[: state.num_players].tolist()


def changed(state: GameState, **entries: Any) -> GameState:
    """The state whose dictionary has some other entries."""
    return GameState.from_dict({**state.to_dict(), **entries})


# What a player has

OWNED: list[tuple[str, dict[str, Any], float]] = [
    ("points", {}, 0),
    ("points", {"flowers": 7}, 2 + 1 / 3),
    ("points", {"flowers": 9, "buildings": {0: built(16)}}, 3 + 2),
    ("points", {"artefacts": 2, "buildings": {4: built(28), 1: built(3), 0: begun(36, 3)}}, 3 + 3 + 2 + 1),
    ("flowers", {"flowers": 4}, 4),
    ("flowers", {"flowers": 6}, 6),
    ("flowers", {"flowers": 9}, 6),
    ("more_flowers", {"flowers": 6}, 0),
    ("more_flowers", {"flowers": 9}, 3),
    ("chips", {"chips": (1, 4, 6)}, 3),
    ("calls", {"chips": (1, 2)}, 0),
    ("calls", {"chips": (1, 3, 5)}, 0),
    ("calls", {"chips": (1, 2, 5)}, 1),
    ("calls", {"chips": (1, 3, 4)}, 1),
    ("calls", {"chips": (3, 4, 5, 6)}, 2),
    ("calls", {"chips": ALL_CHIPS, "fragments": (0, 1)}, 3),
    ("fragment_calls", {"chips": (1, 2)}, 0),
    ("fragment_calls", {"chips": (1, 2, 5)}, 1),
    ("fragment_calls", {"chips": ALL_CHIPS}, 3),
    ("fragment_calls", {"chips": ALL_CHIPS, "fragments": (0, 2)}, 1),
    ("fragment_calls", {"chips": ALL_CHIPS, "artefacts": 12}, 0),
    ("fragments", {"artefacts": 3}, 0),
    ("fragments", {"fragments": (0, 2)}, 2),
    ("next_artefact", {}, 0),
    ("next_artefact", {"fragments": (1,)}, 1 / 3),
    ("next_artefact", {"fragments": (0, 2), "artefacts": 2}, (6 - 3) * 2 / 3),
    ("next_artefact", {"fragments": (0,), "artefacts": 5}, 4 / 3),
    ("started", {"buildings": {0: begun(0), 4: begun(16, 2), 8: begun(36, 3)}}, 1 + 2 + 3),
    ("started", {"buildings": {0: built(0), 4: built(16), 8: built(36)}}, 0),
    ("progress", {"buildings": {0: begun(0), 4: begun(16, 2), 8: begun(36, 3)}}, 5),
    ("progress", {"buildings": {0: built(0), 4: built(16), 8: built(36)}}, 0),
    ("recycling_buildings", {"buildings": {0: built(0), 2: built(5), 4: begun(9, 1), 8: built(16)}}, 2),
    # Tile 20 gives a chip; green north a flower, green east a chip. Tile 24 is west and has moves.
    ("waking_gains", {"buildings": {4: built(16)}}, 1),
    ("waking_gains", {"buildings": {4: built(20), 1: built(0), 5: built(4), 7: begun(8)}}, 3),
    ("waking_gains", {"buildings": {4: built(20), 3: built(24)}}, 2 + 2),
    ("waking_gains", {"buildings": {4: begun(20), 1: built(0), 8: built(36)}}, 0),
    # The red arrows of tile 28 point north and west.
    ("arrows", {"buildings": {4: begun(28), 1: built(3)}}, 2),
    ("arrows", {"buildings": {4: built(28), 1: begun(3)}}, 2),
    ("arrows", {"buildings": {4: begun(28), 1: begun(3), 3: built(7)}}, 4),
    ("arrows", {"buildings": {4: built(28), 1: built(3)}}, 0),
    ("arrows", {"buildings": {4: begun(28), 1: built(2), 5: built(3), 7: built(7)}}, 0),
    ("arrows", {"buildings": {4: begun(28), 1: begun(0, markers=[RED])}}, 2),
    ("arrows", {"buildings": {0: begun(28), 8: built(3)}}, 0),
    ("arrows", {"buildings": {4: begun(16), 1: begun(0)}}, 0),
    # Twelve squares lie beside the six Dunaias, square 4 and square 1 twice.
    ("waking", {}, 12),
    ("waking", {"chips": ALL_CHIPS}, 12),
    ("waking", {"buildings": {4: begun(0)}}, 10 + 2 * 1.5),
    ("waking", {"buildings": {4: built(0)}}, 10),
    ("waking", {"buildings": {4: built(28)}}, 10),
    ("waking", {"buildings": {4: built(16), 1: built(0)}}, 8 + 2 * 2),
    ("waking", {"buildings": {4: built(24), 5: built(0)}}, 9 + 2 * 2),
    ("waking", {"buildings": {4: begun(0)}, "dunaias": {1: 10}}, 9 + 3 * 1.5),
    ("reserved", {}, 0),
    ("reserved", {"character": ARCHITECT, "reserved": 17}, 1),
    ("merchant", {"character": MERCHANT}, 1),
    ("trickster", {"character": TRICKSTER}, 1),
    ("foreman", {"character": FOREMAN}, 1),
    ("mystic", {"character": MYSTIC}, 1),
    ("shepherd", {"character": SHEPHERD}, 1),
    ("architect", {"character": ARCHITECT}, 1),
]


@pytest.mark.long
@pytest.mark.parametrize(("term", "own", "expected"), OWNED)
def test_what_a_player_has(term: str, own: dict[str, Any], expected: float) -> None:
    assert features_of(position("CHOOSE_DIE", player(**own)))[term] == pytest.approx(expected)
    # The same for a player whose turn it is not, and nobody else's.
    state = position("CHOOSE_DIE", player(), player(), player(**own), seat=1)
    assert features_of(state, 2)[term] == pytest.approx(expected)
    nothing = features_of(position("CHOOSE_DIE", player()))[term]
    assert features_of(state, 0)[term] == nothing


def test_nothing_else_is_counted_for_a_new_player() -> None:
    features = features_of(position("CHOOSE_DIE", player()))
    assert {name: value for name, value in features.items() if value} == {"waking": 12, "best_die": 2, "dice_left": 2}


def test_flowers_are_parts_of_a_point_while_a_turn_is_left() -> None:
    def points(round_number: int, seat: int, **more: Any) -> list[float]:
        three = [player(flowers=5) for _ in range(3)]
        state = position("CHOOSE_DIE", *three, round_number=round_number, seat=seat, **more)
        return [features_of(state, other)["points"] for other in range(3)]

    part = pytest.approx(1 + 2 / 3)
    assert points(5, 1) == [part, part, part]
    assert points(5, 1, final_round=6) == [part, part, part]
    assert points(6, 1, final_round=6) == [1, 1, part]
    assert points(6, 2, max_rounds=6) == [1, 1, 1]


def test_fragments_of_which_none_is_left_cannot_be_called() -> None:
    caller = player(chips=(1, 2, 3, 4))
    assert features_of(position("CHOOSE_DIE", caller, player(artefacts=11)))["fragment_calls"] == 2
    assert features_of(position("CHOOSE_DIE", caller, player(artefacts=11, fragments=(1,))))["fragment_calls"] == 1


PROPHECIES: list[tuple[tuple[int, int, int], dict[str, Any], float]] = [
    # Nobody has a building, flower or artefact: nothing is met.
    ((0, 3, 6), {}, 0),
    # Six buildings for 2 points.
    ((0, 5, 8), {"buildings": {1: built(0), 4: built(16), 5: begun(1)}}, 2 * (2 / 6) ** 2),
    # Twelve flowers for 2 points; more count no more.
    ((2, 3, 8), {"flowers": 6}, 2 * 0.5**2),
    ((2, 3, 8), {"flowers": 30}, 2),
    # Seven flowers and an artefact for 3 points, fragments as parts of it.
    ((2, 4, 8), {"flowers": 7, "fragments": (0,)}, 3 * ((1 + 1 / 3) / 2) ** 2),
    ((2, 4, 8), {"artefacts": 1}, 3 * 0.5**2),
    # Two artefacts for 4 points.
    ((2, 5, 8), {"artefacts": 1, "fragments": (0, 1)}, 4 * ((1 + 2 / 3) / 2) ** 2),
    # A line for 2 points: a completed square, and a third for one under construction; row or column.
    ((2, 5, 6), {"buildings": {3: built(0), 4: begun(1)}}, 2 * ((1 + 1 / 3) / 3) ** 2 + 4 * (1 / 8) ** 2),
    ((2, 5, 6), {"buildings": {1: begun(0), 4: begun(1), 7: begun(2)}}, 2 * (1 / 3) ** 2),
    # A building of each level for 3 points.
    ((2, 5, 7), {"buildings": {1: built(0), 3: begun(1), 5: begun(30)}}, 3 * (4 / 9) ** 2 + 4 * (1 / 8) ** 2),
    # The corners for 4 points.
    ((2, 5, 8), {"buildings": {2: built(0), 4: begun(1), 6: begun(17)}}, 4 * (4 / 12) ** 2 + 4 * (1 / 8) ** 2),
]


@pytest.mark.parametrize(("prophecies", "own", "expected"), PROPHECIES)
def test_prophecies_that_are_partly_met(prophecies: tuple[int, int, int], own: dict[str, Any], expected: float) -> None:
    state = position("CHOOSE_DIE", player(**own), prophecies=prophecies)
    assert features_of(state)["prophecies"] == pytest.approx(expected)


def test_claimed_prophecies_are_points_and_no_hopes() -> None:
    owner, other = player(flowers=12), player(flowers=12)
    free = position("CHOOSE_DIE", owner, other, prophecies=(2, 3, 8))
    taken = position("CHOOSE_DIE", owner, other, prophecies=(2, 3, 8), owners=(-1, 0, -1))
    assert [features_of(free, seat)["prophecies"] for seat in (0, 1)] == [2, 2]
    assert [features_of(taken, seat)["prophecies"] for seat in (0, 1)] == [0, 0]
    assert [features_of(taken, seat)["points"] for seat in (0, 1)] == [4 + 2, 4]


# What the decision in progress can bring


def waking_then(buildings: Mapping[int, dict[str, Any]], **own: Any) -> GameState:
    """Dunaia 3, between the squares 1 and 4, was woken; square 1 asks something, then comes square 4."""
    return play(position("AWAKEN", player(buildings=buildings, **own), die=3), "awaken 1")


def calling(elder: int, **own: Any) -> GameState:
    """The elder of the first space was called and waits for a third chip."""
    elders = (elder, *[other for other in range(5) if other != elder][:2])
    caller = player(**{"chips": (1, 2, 3, 4), "buildings": {4: begun(28)}, "flowers": 9, **own})
    return play(position("RECYCLE", caller, elders=elders), "call 0")


PENDING = [name for name in NAMES if name.startswith("pending")] + ["die_in_hand", "second_square"]


def pending_of(state: GameState, seat: int = 0) -> dict[str, float]:
    """What the decision in progress can bring, without zeros."""
    features = features_of(state, seat)
    return {name: features[name] for name in PENDING if features[name]}


@pytest.mark.parametrize(
    ("die", "own", "worth"),
    [
        (1, {}, 2),
        # Square 1 and 7 show a chip, 0 and 4 a flower: the plugged chip of the die is not gained again.
        (1, {"chips": (1,)}, 1),
        (1, {"chips": (2,)}, 2),
        (4, {"chips": (4,)}, 1),
        (1, {"chips": (1,), "buildings": {1: begun(0)}}, 1 + 1.5),
        (1, {"buildings": {0: built(17), 1: begun(0)}}, 1 + 1.5),
        (1, {"buildings": {0: built(0), 1: built(36)}}, 0),
        (1, {"dunaias": {1: 11}, "buildings": {8: begun(2)}}, 1 + 1.5),
    ],
)
def test_the_die_in_hand(die: int, own: dict[str, Any], worth: float) -> None:
    state = position("AWAKEN", player(**own), die=die)
    assert pending_of(state) == ({"die_in_hand": worth} if worth else {})
    assert pending_of(state, 1) == {}
    # Once its Dunaia was woken nothing of it is left.
    assert pending_of(position("RECYCLE", player(**own), die=die)) == {}


def test_waking_in_progress() -> None:
    # Tile 24 gives a move, and another one with the green building in the east.
    state = waking_then({1: built(24), 2: built(0), 4: begun(1)})
    assert seen(state, "decision") == "MOVE"
    assert pending_of(state) == {"pending_moves": 2, "second_square": 1.5}
    assert pending_of(state, 1) == {}
    other = play(state, next(text for text in legal(state, "move") if text.split()[1] == "1"))
    assert pending_of(other) == {"pending_moves": 1, "second_square": 1.5}
    # A moved Dunaia does not wake its second square.
    woken = play(state, next(text for text in legal(state, "move") if text.split()[1] == "3"))
    assert pending_of(woken) == {"pending_moves": 1}


def test_chips_to_be_plugged() -> None:
    state = waking_then({1: built(20), 2: built(0)}, chips=(1, 2))
    assert seen(state, "decision") == "PLUG"
    assert pending_of(state) == {"pending_chips": 2, "second_square": 1}
    # Only as many as there are chips left.
    full = changed(state, players=[player(buildings={1: built(20), 2: built(0)}, chips=(1, 2, 3, 4, 5)), player()])
    assert pending_of(full) == {"pending_chips": 1, "second_square": 1}


def test_advances_to_be_made() -> None:
    own = player(buildings={0: built(8), 3: begun(1), 4: begun(30)})
    state = play(position("RECYCLE", own), "use 0 0")
    assert seen(state, "decision") == "ADVANCE"
    assert pending_of(state) == {"pending_advances": 1}


@pytest.mark.parametrize(
    ("elder", "power"), [(FLOWERS_ELDER, 1.25), (MOVES_ELDER, 1), (SEARCH_ELDER, 1), (COLOUR_ELDER, 1)]
)
def test_a_called_elder_waits_for_the_third_chip(elder: int, power: float) -> None:
    state = calling(elder)
    assert seen(state, "decision") == "DISCARD"
    paying = {"die_in_hand": 0, "pending_discards": 1, "pending_power": power}
    expected = {name: value for name, value in paying.items() if value}
    assert pending_of(state) == {**expected, "pending_fragment": 1}
    assert pending_of(calling(elder, fragments=(0,))) == expected
    assert pending_of(calling(elder, fragments=(1, 2))) == {**expected, "pending_fragment": 1}
    assert pending_of(state, 1) == {}


def test_powers_in_progress() -> None:
    moving = play(calling(MOVES_ELDER), "discard 3")
    assert pending_of(moving) == {"pending_moves": 2, "pending_fragment": 1}
    searching = play(calling(SEARCH_ELDER), "discard 3")
    assert seen(searching, "decision") == "SEARCH"
    assert pending_of(searching) == {"pending_power": 1, "pending_fragment": 1}
    colouring = play(calling(COLOUR_ELDER), "discard 3")
    assert seen(colouring, "decision") == "COLOUR"
    assert pending_of(colouring) == {"pending_power": 1, "pending_fragment": 1}


def test_the_mystics_power_waits_for_its_chips() -> None:
    mystic = player(chips=(1, 3, 5, 6), character=MYSTIC)
    state = play(position("RECYCLE", mystic), "power")
    assert seen(state, "decision") == "DISCARD"
    assert pending_of(state) == {"pending_discards": 2, "pending_power": 1.25}
    assert pending_of(play(state, "discard 1")) == {"pending_discards": 1, "pending_power": 1.25}
    assert pending_of(play(state, "discard 1", "discard 3")) == {"pending_moves": 1}


def dice_features(state: GameState, seat: int) -> list[float]:
    features = features_of(state, seat)
    return [features["best_die"], features["dice_left"]]


def test_dice_are_worth_the_squares_beside_their_dunaias() -> None:
    # Dunaia 1 stands beside a building under construction, 5 beside a completed one of level 1.
    own = player(buildings={0: begun(0), 6: built(3)}, dunaias={1: 0, 5: 9})
    state = position("CHOOSE_DIE", own, player(), seat=0)
    s, t = records(state)
    for face, count in enumerate([1, 1, 0, 0, 1, 0]):
        s.neutral_dice[face] = count
    s.own_dice[0], s.own_dice[1] = 5, 2

    def dice(seat: int) -> list[float]:
        features = np.zeros(TERM_COUNT)
        write_features(s, t, seat, features)
        return [features[NAMES.index("best_die")], features[NAMES.index("dice_left")]]

    # Worth 2.5, 2 and 1 to the first player, who chooses and has a 5, and 2 each to the other, who has a 2.
    assert dice(0) == [2.5, pytest.approx((2 + 1 + 1) / 3)]
    assert dice(1) == [0, 2]
    for face in range(6):
        s.neutral_dice[face] = 0
    assert dice(0) == [1, 0]
    # The trickster may turn the 5 into a 2.
    s.players[0].character = TRICKSTER
    assert dice(0)[0] == 2


def test_every_term_has_a_case() -> None:
    tested = {term for term, _, _ in OWNED} | {"prophecies", "best_die", "dice_left"} | set(PENDING)
    assert tested == set(NAMES)
    assert set(CHARACTER_NAMES) <= tested


# Turns and phases

FADING = load_weights()
FADING[ONE_TURN_LEFT], FADING[NO_TURN_LEFT] = 0.75, 0.25
THREE = [player(), player(), player()]
SIGHT = [
    pytest.param({"round_number": 3}, [97, 97, 98], [1, 1, 1], id="no end in sight"),
    pytest.param({"round_number": 5, "final_round": 6}, [1, 1, 2], [0.75, 0.75, 1], id="end triggered"),
    pytest.param({"round_number": 6, "final_round": 6}, [0, 0, 1], [0, 0.25, 0.75], id="last round"),
    pytest.param({"round_number": 8, "max_rounds": 10}, [2, 2, 3], [1, 1, 1], id="two rounds before max_rounds"),
    pytest.param({"round_number": 9, "max_rounds": 10}, [1, 1, 2], [0.75, 0.75, 1], id="one round before max_rounds"),
    pytest.param({"round_number": 10, "max_rounds": 10}, [0, 0, 1], [0, 0.25, 0.75], id="max_rounds"),
]


@pytest.mark.parametrize(("course", "turns", "worth"), SIGHT)
def test_turns_left_and_what_hopes_are_worth(course: dict[str, int], turns: list[int], worth: list[float]) -> None:
    s, _ = records(position("CHOOSE_DIE", *THREE, seat=1, **course))
    assert [turns_left(s, seat) for seat in range(3)] == turns
    assert [potential_weight(s, seat, FADING) for seat in range(3)] == worth


def test_nobody_hopes_for_anything_after_the_end() -> None:
    own = player(flowers=5, chips=ALL_CHIPS)
    s, t = records(position("OVER", own, own, round_number=6, final_round=6))
    assert [turns_left(s, seat) for seat in range(2)] == [0, 0]
    assert [potential_weight(s, seat, FADING) for seat in range(2)] == [0, 0]
    assert [evaluate(s, t, seat, FADING) for seat in range(2)] == [FADING[0], FADING[0]]


def test_max_rounds_comes_before_the_round_after_the_trigger() -> None:
    s, _ = records(position("CHOOSE_DIE", *THREE, seat=1, round_number=10, final_round=11, max_rounds=10))
    assert [turns_left(s, seat) for seat in range(3)] == [0, 0, 1]
    assert [PHASES[phase_of(s, seat)].name for seat in range(3)] == ["finished", "last_turn", "turn_to_come"]


@pytest.mark.parametrize(
    ("course", "phases"),
    [
        ({"round_number": 3}, ["three_prophecies"] * 3),
        ({"round_number": 3, "owners": (-1, 2, -1)}, ["two_prophecies"] * 3),
        ({"round_number": 3, "owners": (0, 2, -1)}, ["one_prophecy"] * 3),
        ({"round_number": 5, "owners": (0, 2, 1), "final_round": 6}, ["turn_to_come"] * 3),
        ({"round_number": 5, "final_round": 6}, ["turn_to_come"] * 3),
        ({"round_number": 6, "final_round": 6}, ["finished", "last_turn", "turn_to_come"]),
        ({"round_number": 9, "max_rounds": 10, "owners": (0, 2, -1)}, ["one_prophecy"] * 3),
        ({"round_number": 10, "max_rounds": 10}, ["finished", "last_turn", "turn_to_come"]),
    ],
)
def test_phases(course: dict[str, Any], phases: list[str]) -> None:
    state = position("CHOOSE_DIE", *THREE, seat=1, **course)
    s, _ = records(state)
    assert [PHASES[phase_of(s, seat)].name for seat in range(3)] == phases
    assert [PHASES[value_features_of(state, seat)[0]].name for seat in range(3)] == phases


def test_a_player_who_is_finished_promises_the_points_alone() -> None:
    villages = [
        player(flowers=5, chips=ALL_CHIPS, buildings={0: built(16 + seat), 4: begun(28 + seat)}, fragments=(1,))
        for seat in range(3)
    ]
    state = position("CHOOSE_DIE", *villages, seat=1, round_number=6, final_round=6)
    _, features = value_features_of(state, 0)
    assert dict(zip([*NAMES, "always"], features.tolist(), strict=True)) == {
        **dict.fromkeys(NAMES, 0.0),
        "points": 3.0,
        "always": 1.0,
    }
    for seat in (1, 2):
        _, features = value_features_of(state, seat)
        assert features[-1] == 1
        assert dict(zip(NAMES, features[:-1].tolist(), strict=True)) == features_of(state, seat)


@pytest.mark.parametrize("course", [case.values[0] for case in SIGHT])
def test_the_evaluation_is_the_points_and_the_hopes_by_what_they_are_worth(course: dict[str, int]) -> None:
    weights = FADING + np.random.default_rng(1).normal(size=PARAMETER_COUNT)
    weights[[ONE_TURN_LEFT, NO_TURN_LEFT]] = 0.75, 0.25
    villages = [
        player(flowers=7, chips=(1, 2, 3), buildings={0: built(16 + seat), 4: begun(28 + seat)}, character=seat)
        for seat in range(3)
    ]
    state = position("AWAKEN", *villages, seat=1, **course)
    s, t = records(state)
    for seat in range(3):
        features = np.array(list(features_of(state, seat).values()))
        potential = weights[1:TERM_COUNT] @ features[1:] * potential_weight(s, seat, weights)
        assert evaluate(s, t, seat, weights) == pytest.approx(weights[0] * features[0] + potential)


# Win shares


def some_states(players: int) -> list[GameState]:
    """States of a game between greedy players, from its beginning to its last round."""
    lanes = Lanes(1, num_players=players, elites=True, max_rounds=5, autoreset=False)
    lanes.reset(3)
    states, agent = [], GreedyAgent()
    while lanes.seats[0] >= 0:
        states.append(lanes.get_state(0))
        lanes.step(agent.act_batch(lanes, np.arange(1)))
    return states


@pytest.mark.compiled
@pytest.mark.parametrize("players", [2, 3, 4])
def test_win_shares_are_a_multinomial_logit_of_the_value_features(players: int) -> None:
    weights = load_weights()
    tables = weights[FIRST_VALUE:].reshape(len(PHASES), VALUES_OF_A_PHASE)
    phases = set()
    for state in some_states(players):
        described = [value_features_of(state, seat) for seat in range(players)]
        phases |= {phase for phase, _ in described}
        odds = np.exp([tables[phase] @ features for phase, features in described])
        shares = shares_of(state, weights)
        assert sum(shares) == pytest.approx(1)
        np.testing.assert_allclose(shares, odds / odds.sum())
        through_bytes = np.zeros(MAX_PLAYERS)
        table, position = prepare(state.game, evaluation=True), np.frombuffer(state.to_bytes(), np.uint8).copy()
        write_shares(table, position, state.components.buffer, weights, through_bytes)
        assert through_bytes[:players].tolist() == shares
    assert {PHASES[phase].name for phase in phases} >= {"three_prophecies", "last_turn", "finished", "turn_to_come"}


def test_promises_of_any_size_give_finite_shares() -> None:
    weights = np.full(PARAMETER_COUNT, 1000.0)
    assert shares_of(position("CHOOSE_DIE", player(flowers=300), player()), weights) == [1, 0]
    assert shares_of(position("CHOOSE_DIE", player(flowers=300), player()), -weights) == [0, 1]


@pytest.mark.parametrize(
    ("villages", "owners", "shares"),
    [
        ([{"flowers": 9}, {"flowers": 6}], (-1, -1, -1), [1, 0]),
        ([{"flowers": 6}, {"flowers": 9}, {"flowers": 9}], (-1, -1, -1), [0, 0.5, 0.5]),
        ([{"flowers": 6}] * 4, (-1, -1, -1), [0.25] * 4),
        # Equal points: flowers decide, before them prophecies.
        ([{"flowers": 8}, {"flowers": 6}, {"flowers": 8}], (-1, -1, -1), [0.5, 0, 0.5]),
        ([{"flowers": 20}, {"flowers": 6}], (1, -1, -1), [0, 1]),
    ],
)
def test_a_finished_game_gives_its_result(
    villages: list[dict[str, int]], owners: tuple[int, int, int], shares: list[float]
) -> None:
    state = position("OVER", *(player(**own) for own in villages), owners=owners, round_number=6, final_round=6)
    assert shares_of(state, load_weights()) == shares
    assert shares_of(state, np.zeros(PARAMETER_COUNT)) == shares


@pytest.mark.parametrize("order", [(1, 0, 2), (2, 1, 0), (1, 2, 0)])
@pytest.mark.parametrize("course", [{"round_number": 3}, {"round_number": 5, "final_round": 6}])
def test_exchanging_players_in_the_same_phase_exchanges_their_shares(
    order: tuple[int, int, int], course: dict[str, int]
) -> None:
    villages = [
        player(flowers=7, chips=(1, 2, 3), buildings={0: built(16), 4: begun(28)}),
        player(flowers=2, chips=(4,), fragments=(0, 1), artefacts=1),
        player(buildings={1: built(0), 4: built(20), 8: built(36)}),
    ]
    weights = load_weights()
    # The dice are another's choice for each seat.
    tables = weights[FIRST_VALUE:].reshape(len(PHASES), VALUES_OF_A_PHASE)
    tables[:, [NAMES.index("best_die"), NAMES.index("dice_left")]] = 0
    shares = shares_of(position("CHOOSE_DIE", *villages, **course), weights)
    exchanged = shares_of(position("CHOOSE_DIE", *(villages[seat] for seat in order), **course), weights)
    assert len(set(shares)) == 3
    np.testing.assert_allclose(exchanged, [shares[seat] for seat in order])


@pytest.mark.parametrize("threads", [1, 2])
def test_lanes_are_described_by_their_states(threads: int) -> None:
    lanes = Lanes(6, num_players=[2, 3, 4], elites=[False, True], threads=threads)
    lanes.reset(2)
    for _ in range(60):
        lanes.step(lanes.random_actions(0))
    selected = np.array([5, 0, 2, 4])
    features = np.zeros((4, MAX_PLAYERS, VALUES_OF_A_PHASE))
    phases = np.full((4, MAX_PLAYERS), -7)
    lanes.call_kernel(describe_lanes, np.zeros(0), 0, selected, features, phases)
    for row, lane in enumerate(selected):
        state = lanes.get_state(lane)
        for seat in range(MAX_PLAYERS):
            if seat < state.num_players:
                phase, expected = value_features_of(state, seat)
                assert phases[row, seat] == phase
                assert features[row, seat].tolist() == expected.tolist()
            else:
                assert phases[row, seat] == -7
                assert not features[row, seat].any()
    lanes.close()

"""Set-up and draft (rules, section 2; order of draws: replay format)."""

from __future__ import annotations

from typing import Any

import pytest

from dunaia_env.harness.compiled.chance import NeedsDraw, Stream, Tape
from dunaia_env.harness.state import GameState

from .positions import NEUTRAL_DICE, START_EDGES, legal, of, play, roll, seen

PLAYERS = (2, 3, 4)


def draws_of_setup(players: int, elites: bool) -> list[int]:
    """The n of each draw: elders, prophecies, characters, tiles, dice."""
    characters = [6, 5, 4, 3, 2][: players + 1] if elites else []
    return [5, 4, 3, 3, 3, 3, *characters, 16, 15, 12, 11, 12, 11, *[6] * (NEUTRAL_DICE[players] + players)]


def new_game(
    *,
    players: int = 2,
    elders: tuple[int, ...] = (0, 0, 0),
    prophecies: tuple[int, ...] = (0, 0, 0),
    characters: tuple[int, ...] = (),
    tiles: tuple[int, ...] = (0, 0, 0, 0, 0, 0),
    dice: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 6, 6, 6),
) -> GameState:
    """A game from the outcomes of its set-up, all of which are used."""
    faces = dice[: NEUTRAL_DICE[players] + players]
    tape = Tape([*elders, *prophecies, *characters, *tiles, *roll(*faces)])
    state = GameState.new(tape, num_players=players, elites=bool(characters))
    assert tape.left == 0
    return state


@pytest.mark.parametrize("elites", [False, True])
@pytest.mark.parametrize("players", PLAYERS)
def test_setup__order_of_draws(players: int, elites: bool) -> None:
    chance = Stream(17)
    state = GameState.new(chance, num_players=players, elites=elites)
    assert [n for n, _ in chance.draws] == draws_of_setup(players, elites)
    # The outcomes alone make the same game.
    assert GameState.new(Tape(chance.draws), num_players=players, elites=elites) == state


@pytest.mark.parametrize("players", PLAYERS)
def test_setup__players_begin_alike(players: int) -> None:
    state = new_game(players=players)
    beginning = {
        "flowers": 2,
        "chips": [],
        "tokens": 3,
        "dunaias": list(START_EDGES),
        "squares": [None] * 9,
        "fragments": [],
        "artefacts": 0,
        "character": -1,
        "reserved": -1,
        "power_used": False,
    }
    assert seen(state, "players") == [beginning] * players


@pytest.mark.parametrize("players", PLAYERS)
def test_setup__common_board(players: int) -> None:
    state = new_game(players=players)
    expected: dict[str, Any] = {
        "seat": 0,
        "decision": "CHOOSE_DIE",
        "round": 1,
        "final_round": None,
        "max_rounds": 100,
        "over": False,
        "truncated": False,
        "die": 0,
        "woken": 0,
        "pending": {},
        "fragments": [12, 12, 12],
        "colour_markers": [3, 3, 3, 3],
        "characters_available": [],
        "scores": [0] * players,
    }
    assert {key: seen(state, key) for key in expected} == expected
    assert [prophecy["owner"] for prophecy in seen(state, "prophecies")] == [-1, -1, -1]


@pytest.mark.parametrize(
    ("outcomes", "elders"),
    [
        ((0, 0, 0), [0, 1, 2]),
        ((4, 3, 2), [4, 3, 2]),
        ((0, 3, 2), [0, 4, 3]),
        ((2, 2, 1), [2, 3, 1]),
        ((1, 0, 2), [1, 0, 4]),
        ((3, 0, 0), [3, 0, 1]),
    ],
)
def test_setup__elders_are_indices_into_the_remaining_ones(outcomes: tuple[int, ...], elders: list[int]) -> None:
    assert seen(new_game(elders=outcomes), "elders") == elders


@pytest.mark.parametrize("seed", range(20))
def test_setup__elders_differ(seed: int) -> None:
    elders = seen(GameState.new(seed), "elders")
    assert len(set(elders)) == 3
    assert set(elders) <= set(range(5))


@pytest.mark.parametrize(("outcomes", "ids"), [((0, 0, 0), [0, 3, 6]), ((2, 2, 2), [2, 5, 8]), ((1, 0, 2), [1, 3, 8])])
def test_setup__one_prophecy_of_each_colour(outcomes: tuple[int, ...], ids: list[int]) -> None:
    assert [prophecy["id"] for prophecy in seen(new_game(prophecies=outcomes), "prophecies")] == ids


def test_setup__tiles_are_indices_into_the_remaining_ones() -> None:
    state = new_game(tiles=(3, 3, 11, 10, 0, 10))
    assert seen(state, "display") == [3, 27, 28]
    assert seen(state, "pile_top") == [4, 26, 39]
    assert seen(state, "piles") == [
        [tile for tile in range(16) if tile not in (3, 4)],
        list(range(16, 26)),
        list(range(29, 39)),
    ]


@pytest.mark.parametrize("players", PLAYERS)
def test_setup__first_roll(players: int) -> None:
    faces = (6, 1, 1, 4, 5, 2, 3, 4, 5)
    neutral = NEUTRAL_DICE[players]
    dice = seen(new_game(players=players, dice=faces), "dice")
    assert dice["neutral"] == [faces[:neutral].count(face) for face in range(1, 7)]
    assert dice["own"] == list(faces[neutral : neutral + players])


def test_setup__single_face_is_not_asked() -> None:
    state = new_game(dice=(4, 4, 4, 4, 4, 1, 1))
    assert (state.seat, state.decision, seen(state, "die")) == (0, "AWAKEN", 4)


@pytest.mark.parametrize("elites", [False, True])
@pytest.mark.parametrize("players", PLAYERS)
def test_setup__tape_too_short(players: int, elites: bool) -> None:
    draws = draws_of_setup(players, elites)
    for given in range(len(draws)):
        with pytest.raises(NeedsDraw) as caught:
            GameState.new(Tape([0] * given), num_players=players, elites=elites)
        assert caught.value.n == draws[given]


def test_setup__seed_makes_the_game() -> None:
    assert GameState.new(5, num_players=3, elites=True) == GameState.new(Stream(5), num_players=3, elites=True)
    assert GameState.new(5) != GameState.new(6)


@pytest.mark.parametrize("players", [0, 1, 5, True, 2.0, "2"])
def test_setup__two_to_four_players(players: Any) -> None:
    with pytest.raises(ValueError, match="num_players"):
        GameState.new(0, num_players=players)


@pytest.mark.parametrize("rounds", [0, -1, True, 2.5])
def test_setup__max_rounds_is_a_number_of_rounds(rounds: Any) -> None:
    with pytest.raises(ValueError, match="max_rounds"):
        GameState.new(0, max_rounds=rounds)


# Draft


@pytest.mark.parametrize(
    ("players", "outcomes", "characters"),
    [
        (2, (0, 0, 0), [0, 1, 2]),
        (2, (5, 4, 3), [3, 4, 5]),
        (3, (1, 1, 1, 1), [1, 2, 3, 4]),
        (4, (5, 0, 0, 2, 1), [0, 1, 3, 4, 5]),
    ],
)
def test_setup__one_character_more_than_players(players: int, outcomes: tuple[int, ...], characters: list[int]) -> None:
    state = new_game(players=players, characters=outcomes)
    assert (state.decision, state.seat) == ("DRAFT", players - 1)
    assert seen(state, "characters_available") == characters
    assert legal(state) == [f"draft {character}" for character in characters]


@pytest.mark.parametrize("players", PLAYERS)
def test_setup__draft_in_reverse_turn_order(players: int) -> None:
    state = new_game(players=players, characters=(0,) * (players + 1))
    course = []
    while state.decision == "DRAFT":
        course.append(state.seat)
        assert len(legal(state)) == state.seat + 2
        assert [of(state, seat, "character") for seat in range(players)] == [
            players - 1 - seat if seat > state.seat else -1 for seat in range(players)
        ]
        state = play(state, legal(state)[0])
    assert course == list(range(players - 1, -1, -1))
    # The last character is put away and seat 0 begins.
    assert (state.seat, state.decision, seen(state, "characters_available")) == (0, "CHOOSE_DIE", [])
    assert [of(state, seat, "character") for seat in range(players)] == list(range(players - 1, -1, -1))


def test_setup__drafted_character_is_gone() -> None:
    state = play(new_game(players=3, characters=(5, 0, 1, 2)), "draft 2")
    assert (state.seat, legal(state)) == (1, ["draft 0", "draft 4", "draft 5"])


def test_setup__draft_after_the_first_roll() -> None:
    state = new_game(characters=(0, 0, 0), dice=(1, 1, 2, 2, 3, 5, 6))
    assert seen(state, "dice") == {"neutral": [2, 2, 1, 0, 0, 0], "own": [5, 6]}
    after = play(state, "draft 0", "draft 2")
    assert seen(after, "dice") == seen(state, "dice")
    assert legal(after) == ["take 1", "take 2", "take 3"]


def test_setup__draft_state_can_be_written_and_read() -> None:
    state = new_game(players=4, characters=(0, 0, 0, 0, 0))
    while state.decision == "DRAFT":
        assert GameState.from_dict(state.to_dict()) == state
        state = play(state, legal(state)[-1])

"""Elite characters as roles, the game in which they are assigned, events, and what lanes offer to studies."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from dunaia_env import GameState, Lanes
from dunaia_env.dunaia import OBSERVATION_LAYOUT, parse_action
from dunaia_env.dunaia.assigned import GAME as ASSIGNED
from dunaia_env.dunaia.state import ARCHITECT, CHARACTER_NAMES, FOREMAN, MERCHANT, MYSTIC, NONE, SHEPHERD, TRICKSTER
from dunaia_env.harness.compiled.chance import Stream
from dunaia_env.harness.opponents import load as load_agent
from dunaia_env.harness.registry import DEFAULT_GAME, find_game
from dunaia_env.harness.roles import NOBODY
from dunaia_env.replay import parse, record_game, to_text, verify

from .positions import ALL_CHIPS, SEARCH_ELDER, begun, built, legal, play, player, position

ROLES = DEFAULT_GAME.require("roles")
EVENTS = DEFAULT_GAME.events
assert EVENTS is not None
COMPONENTS = DEFAULT_GAME.load(None)


def characters(state: GameState) -> list[int]:
    return [one["character"] for one in state.to_dict()["players"]]


def bytes_of(*states: GameState) -> np.ndarray:
    return np.stack([np.frombuffer(state.to_bytes(), np.uint8) for state in states])


# The game with assigned characters


def test_the_game_is_found_by_its_name() -> None:
    assert find_game("dunaia_assigned") is ASSIGNED
    assert (ASSIGNED.action_hash, ASSIGNED.observation_hash, ASSIGNED.state_hash) == (
        DEFAULT_GAME.action_hash,
        DEFAULT_GAME.observation_hash,
        DEFAULT_GAME.state_hash,
    )


@pytest.mark.parametrize("players", [2, 3, 4])
def test_characters_are_assigned_to_the_seats_in_turn_order(players: int) -> None:
    for roles in itertools.permutations(range(6), players):
        state = GameState.new(3, game=ASSIGNED, num_players=players, **ROLES.assigned(roles))
        assert tuple(characters(state)) == roles
        assert (state.decision, state.seat) == ("CHOOSE_DIE", 0)


def test_a_seat_can_be_left_without_a_character() -> None:
    state = GameState.new(3, game=ASSIGNED, num_players=3, **ROLES.assigned([NOBODY, MYSTIC, NOBODY]))
    assert characters(state) == [NONE, MYSTIC, NONE]
    state = GameState.new(3, game=ASSIGNED, num_players=2, **ROLES.assigned([NOBODY, NOBODY]))
    assert characters(state) == [NONE, NONE]


def test_assigned_characters_change_nothing_else_of_the_setup() -> None:
    plain = GameState.new(5, num_players=3).to_dict()
    assigned = GameState.new(5, game=ASSIGNED, num_players=3, **ROLES.assigned([0, 1, 2])).to_dict()
    for one in assigned["players"]:
        one["character"] = NONE
    assert assigned == plain


@pytest.mark.compiled
def test_dealt_characters_are_different_and_equally_likely() -> None:
    lanes = Lanes(6000, game=ASSIGNED, num_players=4, characters=9)
    lanes.reset(1)
    held = ROLES.held(lanes.states)
    assert all(len(set(row)) == 4 for row in held.tolist())
    for seat in range(4):
        counts = np.bincount(held[:, seat], minlength=6)
        # Six equally likely characters: 1,000 each, with a standard deviation of 29.
        assert (abs(counts - 1000) < 5 * 29).all()
    pairs = Counter(map(tuple, held[:, :2].tolist()))
    assert len(pairs) == 30
    # 200 each, with a standard deviation of 14.
    assert max(abs(count - 200) for count in pairs.values()) < 5 * 14


def test_drafted_characters_are_those_of_the_game_itself() -> None:
    drafted = GameState.new(5, game=ASSIGNED, num_players=3, characters=0)
    assert drafted.to_bytes() == GameState.new(5, num_players=3, elites=True).to_bytes()


@pytest.mark.parametrize("wrong", [3, 99, 33, 80, 355, 10, 7770])
def test_digits_that_assign_nothing_are_refused(wrong: int) -> None:
    with pytest.raises(
        ValueError,
        match=rf"characters: expected 0 \(drafted\), 9 \(dealt at random\) or 2 digits of 1..7, .*, got {wrong}",
    ):
        GameState.new(1, game=ASSIGNED, num_players=2, characters=wrong)
    with pytest.raises(ValueError, match=rf"characters: expected .*, got {wrong}"):
        Lanes(2, game=ASSIGNED, num_players=2, characters=[0, wrong])


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ((6, 0), r"characters: expected -1..5, got 6"),
        ((-2, 0), r"characters: expected -1\.\.5, got -2"),
        ((4, 4), r"\(4, 4\); each can be held"),
    ],
)
def test_roles_that_cannot_be_assigned_are_refused(roles: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ROLES.assigned(roles)


def test_a_game_with_assigned_characters_is_recorded_and_verified() -> None:
    agents = [load_agent(name, game=ASSIGNED) for name in ("greedy", "random")]
    replay = record_game(4, agents, game=ASSIGNED, num_players=2, max_rounds=4, **ROLES.assigned([5, 0]))
    assert (replay.header["game"], replay.header["characters"]) == ("dunaia_assigned", 61)
    again = parse(to_text(replay))
    verify(again)
    assert again.result == replay.result


def test_numbers_of_characters_are_seen_while_any_seat_has_one() -> None:
    (piece,) = (piece for piece in OBSERVATION_LAYOUT if piece.name == "character_numbers")

    def seen(*roles: int) -> bool:
        state = GameState.new(1, game=ASSIGNED, num_players=2, **ROLES.assigned(roles))
        return bool(state.observation()[piece.first : piece.first + piece.size].any())

    assert seen(NOBODY, MERCHANT)
    assert seen(MERCHANT, NOBODY)
    assert not seen(NOBODY, NOBODY)


# Powers

PASS = ["pass"]


def test_offered_are_the_characters_of_the_draft() -> None:
    state = GameState.new(5, num_players=3, elites=True)
    offered = ROLES.offered(bytes_of(state))[0]
    assert np.flatnonzero(offered).tolist() == state.to_dict()["characters_available"]
    assert offered.sum() == 4
    assert not ROLES.offered(bytes_of(GameState.new(5))).any()


@pytest.mark.parametrize(
    ("character", "state", "using", "others"),
    [
        (MERCHANT, position("RECYCLE", player(flowers=5, character=MERCHANT)), "start", ["flower"]),
        (TRICKSTER, position("CHOOSE_DIE", player(character=TRICKSTER)), "take_flipped", ["take "]),
        (FOREMAN, position("END_TURN", player(buildings={4: begun(0)}, flowers=5, character=FOREMAN)), "power", PASS),
        (MYSTIC, position("END_TURN", player(chips=[1, 2, 3], character=MYSTIC)), "power", PASS),
        (SHEPHERD, position("END_TURN", player(character=SHEPHERD)), "move 1", PASS),
        (ARCHITECT, position("END_TURN", player(character=ARCHITECT)), "reserve", PASS),
    ],
    ids=CHARACTER_NAMES,
)
def test_uses_of_powers_are_told_apart(character: int, state: GameState, using: str, others: list[str]) -> None:
    assert ROLES.held(bytes_of(state))[0, 0] == character
    texts = legal(state)
    expected = [text.startswith(using) for text in texts]
    assert any(expected)
    assert any(text.startswith(tuple(others)) for text in texts)
    actions = np.array([parse_action(text) for text in texts])
    states = np.repeat(bytes_of(state), len(texts), axis=0)
    found = ROLES.uses_power(states, COMPONENTS, actions).tolist()
    assert found == expected


def test_what_others_do_is_no_use_of_a_power() -> None:
    # Moves of Dunaias are no use of the shepherd's power while another effect asks for them.
    state = play(position("RECYCLE", player(character=SHEPHERD, buildings={0: built(4)})), "use 0 0")
    assert state.decision == "MOVE"
    actions = np.array([parse_action(text) for text in legal(state)])
    assert len(actions) > 2
    assert not ROLES.uses_power(np.repeat(bytes_of(state), len(actions), axis=0), COMPONENTS, actions).any()
    state = position("RECYCLE", player(flowers=5), player(character=MERCHANT))
    actions = np.array([parse_action(text) for text in legal(state)])
    assert not ROLES.uses_power(np.repeat(bytes_of(state), len(actions), axis=0), COMPONENTS, actions).any()


# Events


def event_of(state: GameState, text: str) -> str:
    assert text in legal(state)
    number = EVENTS.of(bytes_of(state), COMPONENTS, np.array([parse_action(text)]))[0]
    return EVENTS.names[number] if number >= 0 else ""


def test_events_are_purchases_by_kind_of_tile() -> None:
    state = position(
        "RECYCLE",
        player(flowers=9, reserved=24, character=ARCHITECT),
        display={0: 0, 1: 16, 2: 39},
        pile_top={0: 14, 1: 20, 2: 28},
    )
    assert [event_of(state, f"start {offer} 4") for offer in range(7)] == [
        "buys a level 1 flowers tile",
        "buys a level 1 chips tile",
        "buys a level 2 flowers tile",
        "buys a level 2 chips tile",
        "buys a level 3 tile",
        "buys a level 3 tile",
        "buys a level 2 moves tile",
    ]
    assert event_of(state, "flower") == ""


def test_a_searched_tile_is_bought_when_it_is_taken_from_its_pile() -> None:
    caller = player(flowers=9, chips=ALL_CHIPS)
    state = play(position("END_TURN", caller, elders=[SEARCH_ELDER, 0, 2]), "call 0", "discard 3")
    assert state.decision == "SEARCH"
    assert event_of(state, "search 20") == "buys a level 2 chips tile"
    assert event_of(state, "search 39") == "buys a level 3 tile"
    state = play(state, "search 20")
    assert event_of(state, "start 7 4") == ""


def test_events_are_calls_by_elder() -> None:
    state = position("END_TURN", player(chips=ALL_CHIPS), elders=[4, 0, 2])
    calls = [text for text in legal(state) if text.startswith("call")]
    assert "call 1" in calls
    assert event_of(state, "call 1") == "calls the flowers elder"


@pytest.mark.long
@pytest.mark.compiled
def test_each_event_occurs_in_play() -> None:
    lanes = Lanes(256, num_players=[2, 3, 4], elites=True, autoreset=False)
    lanes.reset(0)
    agent = load_agent("greedy")
    found: set[int] = set()
    while len(active := np.flatnonzero(lanes.seats >= 0)):
        actions = agent.act_batch(lanes, active)
        found |= set(EVENTS.of(lanes.states[active], COMPONENTS, actions).tolist())
        lanes.step(actions, active)
    assert found == {-1, *range(len(EVENTS.names))}


def test_exchanged_seats_hold_what_the_other_held() -> None:
    state = GameState.new(7, num_players=3)
    chance = Stream(7)
    agent = load_agent("greedy")
    while state.to_dict()["round"] < 8:
        state.apply(agent.act(state), chance)
    changed = GameState(EVENTS.exchange(bytes_of(state)[0], 0, 2), components=state.components)
    before, after = state.to_dict(), changed.to_dict()
    players = before["players"]
    assert after["players"] == [players[2], players[1], players[0]]
    assert after["dice"] == before["dice"]
    assert after["scores"] == [before["scores"][seat] for seat in (2, 1, 0)]
    other = {0: 2, 2: 0}
    for one, two in zip(before["prophecies"], after["prophecies"], strict=True):
        assert two["owner"] == other.get(one["owner"], one["owner"])


# Lanes


@pytest.mark.compiled
def test_standings_are_those_of_the_states() -> None:
    lanes = Lanes(6, num_players=[2, 3, 4], autoreset=False)
    lanes.reset(2)
    agent = load_agent("greedy")
    for _ in range(120):
        lanes.step(agent.act_batch(lanes, np.arange(6)))
    chosen = [4, 1]
    scores, rounds = lanes.standings(chosen)
    for row, lane in enumerate(chosen):
        state = lanes.get_state(lane)
        assert scores[row, : state.num_players].tolist() == state.scores()
        assert rounds[row] == state.to_dict()["round"]
    assert scores.any()


def test_restricted_lanes_lack_the_forbidden_actions() -> None:
    lanes = Lanes(3, num_players=2)
    lanes.reset(2)
    before = [lanes.legal_actions[lane, : lanes.legal_counts[lane]].copy() for lane in range(3)]
    forbidden = np.zeros((2, lanes.num_actions), np.bool_)
    forbidden[0, before[2][0]] = True
    forbidden[1, before[0]] = True  # everything: nothing changes
    lanes.restrict([2, 0], forbidden)
    assert lanes.legal_actions[2, : lanes.legal_counts[2]].tolist() == before[2][1:].tolist()
    assert np.flatnonzero(lanes.action_masks[2]).tolist() == before[2][1:].tolist()
    for lane in (0, 1):
        assert lanes.legal_actions[lane, : lanes.legal_counts[lane]].tolist() == before[lane].tolist()
        assert np.flatnonzero(lanes.action_masks[lane]).tolist() == before[lane].tolist()
    # Agents choose among what is left, and the next step ends the restriction.
    for seed in range(20):
        assert lanes.random_actions(seed, [2])[0] != before[2][0]
    with pytest.raises(ValueError, match="legal"):
        lanes.step([before[0][0], before[1][0], before[2][0]])
    lanes.step([before[0][0], before[1][0], before[2][1]])
    state = lanes.get_state(2)
    assert np.flatnonzero(lanes.action_masks[2]).tolist() == sorted(state.legal_actions())


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["random", "greedy", "mcts:10", "champion", "champion+4", "champion+30"])
def test_agents_choose_no_forbidden_action(name: str) -> None:
    agent = load_agent(name)
    lanes = Lanes(4, num_players=2)
    lanes.reset(2)
    agent.reset(0)
    everywhere, restricted = np.arange(4), 0
    for _ in range(8):
        # Forbid what the agent likes best, in two of the lanes, until one action is left.
        chosen = free = agent.act_batch(lanes, everywhere)
        forbidden = np.zeros((2, lanes.num_actions), np.bool_)
        while (lanes.legal_counts[:2] > 1).any():
            forbidden[[0, 1], agent.act_batch(lanes, everywhere[:2])] = True
            lanes.restrict([0, 1], forbidden)
            restricted += 1
            chosen = agent.act_batch(lanes, everywhere)
            assert lanes.action_masks[everywhere, chosen].all()
            assert chosen[2:].tolist() == free[2:].tolist()
        lanes.step(chosen)
    assert restricted > 20


def test_restrictions_of_a_wrong_shape_are_refused() -> None:
    lanes = Lanes(3)
    lanes.reset(2)
    for wrong in (np.zeros((3, 4), np.bool_), np.zeros((2, lanes.num_actions), np.int8)):
        with pytest.raises(ValueError, match=r"forbidden: .*bool \(2, "):
            lanes.restrict([0, 1], wrong)


def test_states_of_lanes_cannot_be_written() -> None:
    lanes = Lanes(2)
    lanes.reset(0)
    assert lanes.states[1].tobytes() == lanes.get_state(1).to_bytes()
    with pytest.raises(ValueError, match="read-only"):
        lanes.states[0, 0] = 1

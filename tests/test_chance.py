"""Chance: the generator, seeds, tapes, and dice that games of one seed share."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest

from dunaia_env import GameState, NeedsDraw, Stream, Tape
from dunaia_env.harness.compiled.chance import (
    AGENT,
    MAX_SEED,
    MOST_DRAWS,
    NEXT_GAME,
    RANDOM_PLAY,
    REVEAL,
    ROLL,
    SETUP,
    check_seed,
    draw,
    fresh_seed,
    game_seed,
    philox,
    random_below,
)
from dunaia_env.harness.opponents import RandomAgent

# Known answers of Philox4x32-10, from the generator's authors (Random123, kat_vectors): key, counter, result.
KNOWN_ANSWERS = [
    ("00000000 00000000", "00000000 00000000 00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff", "ffffffff ffffffff ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("a4093822 299f31d0", "243f6a88 85a308d3 13198a2e 03707344", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]
# Upper 0.1 % points of the chi-square distribution, by degrees of freedom.
CHI_SQUARE_LIMITS = {1: 10.83, 2: 13.82, 5: 20.52, 6: 22.46, 15: 37.70, 39: 72.05}


def words(text: str) -> list[np.uint64]:
    return [np.uint64(int(word, 16)) for word in text.split()]


@pytest.mark.parametrize(("key", "counter", "result"), KNOWN_ANSWERS)
def test_philox_gives_the_known_answers(key: str, counter: str, result: str) -> None:
    assert " ".join(f"{int(word):08x}" for word in philox(*words(key), *words(counter))) == result


@pytest.mark.parametrize("n", [degrees + 1 for degrees in CHI_SQUARE_LIMITS])
@pytest.mark.parametrize("purpose", [SETUP, ROLL, REVEAL, RANDOM_PLAY, AGENT])
def test_draws_are_uniform(n: int, purpose: int) -> None:
    outcomes = [random_below(2024, purpose, index, part, n) for index in range(60) for part in range(60)]
    counts = np.bincount(outcomes, minlength=n)
    assert len(counts) == n
    expected = len(outcomes) / n
    assert float(((counts - expected) ** 2 / expected).sum()) < CHI_SQUARE_LIMITS[n - 1]


@pytest.mark.parametrize("changed", ["seed", "purpose", "index", "part"])
def test_each_part_of_a_draws_name_matters(changed: str) -> None:
    name = {"seed": 5, "purpose": ROLL, "index": 3, "part": 2}
    other = {**name, changed: name[changed] + 1}
    same = sum(
        random_below(*(name[key] + 100 * i if key == "seed" else name[key] for key in name), 1 << 20)
        == random_below(*(other[key] + 100 * i if key == "seed" else other[key] for key in other), 1 << 20)
        for i in range(50)
    )
    assert same == 0


def test_high_and_low_bits_of_a_seed_matter() -> None:
    outcomes = {int(random_below(1 << bit, ROLL, 0, 0, 1 << 30)) for bit in range(63)}
    assert len(outcomes) == 63


def test_the_first_seed_of_a_lane_is_the_base_seed_plus_the_lane() -> None:
    assert [int(game_seed(100, lane, 0)) for lane in range(4)] == [100, 101, 102, 103]
    assert int(game_seed(MAX_SEED, 0, 0)) == MAX_SEED


def test_later_seeds_are_hashes_below_two_to_the_53() -> None:
    seeds = [int(game_seed(7, lane, game)) for lane in range(40) for game in range(1, 40)]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**53 for seed in seeds)
    assert max(seeds) > 2**52  # the full range is used
    assert not {int(random_below(7, NEXT_GAME, 1, 0, 2**31))} & set(seeds)


def test_a_lanes_seeds_depend_on_its_first_seed_alone() -> None:
    assert int(game_seed(10, 5, 3)) == int(game_seed(15, 0, 3)) == int(game_seed(0, 15, 3))


@pytest.mark.parametrize("seed", [0, 1, MAX_SEED, np.int64(5), np.uint64(2**63 - 1), np.int8(3)])
def test_seeds_that_are_allowed(seed: int) -> None:
    checked = check_seed(seed)
    assert type(checked) is int
    assert checked == int(seed)


@pytest.mark.parametrize("seed", [-1, MAX_SEED + 1, 1.0, "1", None, True, np.uint64(2**63), [1]])
@pytest.mark.parametrize("use", [check_seed, Stream])
def test_seeds_that_are_not(use: Callable[[object], object], seed: object) -> None:
    with pytest.raises(ValueError, match=r"seed: expected an integer in 0\.\.9223372036854775807, got .*"):
        use(seed)


def test_fresh_seeds_differ_and_survive_json() -> None:
    seeds = {fresh_seed() for _ in range(20)}
    assert len(seeds) == 20
    assert all(0 <= seed < 2**53 for seed in seeds)


def play_some(state: GameState, chance: Stream, decisions: int, player: int = 0) -> list[tuple[int, int]]:
    """Play random decisions; return the draws of all of them."""
    agent, draws = RandomAgent(player), []
    for _ in range(decisions):
        if state.is_over:
            break
        state.apply(agent.act(state), chance)
        draws += chance.draws
    return draws


def rolls_of(seed: int, players: int, player: int) -> dict[int, tuple[list[int], list[int]]]:
    """The dice of each roll seen whole in a random game, by the roll's number."""
    chance = Stream(seed)
    state = GameState.new(chance, num_players=players, max_rounds=25)
    agent, rolls = RandomAgent(player), {}
    while not state.is_over:
        dice = state.to_dict()["dice"]
        in_pool = sum(dice["neutral"]) + sum(face > 0 for face in dice["own"])
        total = {2: 7, 3: 7, 4: 9}[players]
        if in_pool == total:
            turn = (state.to_dict()["round"] - 1) * players + state.seat
            rolls[turn // total] = (dice["neutral"], dice["own"])
        state.apply(agent.act(state), chance)
    return rolls


@pytest.mark.parametrize("players", [2, 3, pytest.param(4, marks=pytest.mark.compiled)])
def test_games_of_one_seed_share_their_dice_whatever_the_players_do(players: int) -> None:
    one, other = rolls_of(11, players, 1), rolls_of(11, players, 2)
    common = one.keys() & other.keys()
    assert len(common) >= 4
    assert all(one[roll] == other[roll] for roll in common)
    assert len({str(dice) for dice in one.values()}) > 1
    assert rolls_of(12, players, 1)[0] != one[0]


def tops_of(seed: int, player: int) -> list[list[int]]:
    """For each level the visible tops of a random game in the order of their appearance."""
    chance = Stream(seed)
    state = GameState.new(chance, max_rounds=60)
    agent = RandomAgent(player)
    tops: list[list[int]] = [[top] for top in state.to_dict()["pile_top"]]
    while not state.is_over:
        state.apply(agent.act(state), chance)
        for level, top in enumerate(state.to_dict()["pile_top"]):
            if top != tops[level][-1]:
                tops[level].append(top)
    return tops


def test_games_of_one_seed_share_their_tiles_while_no_pile_is_searched() -> None:
    search = 3
    seed = next(seed for seed in range(50) if search not in GameState.new(seed).to_dict()["elders"])
    one, other = tops_of(seed, 1), tops_of(seed, 2)
    for first, second in zip(one, other, strict=True):
        common = min(len(first), len(second))
        assert common > 2
        assert first[:common] == second[:common]


def test_a_stream_answers_the_same_whatever_was_asked_before() -> None:
    chance = Stream(5)
    state = GameState.new(chance)
    first = chance.draws
    play_some(state, chance, 50)
    assert GameState.new(chance) == GameState.new(Stream(5))
    assert chance.draws == first
    assert chance.seed == 5


def test_a_game_from_the_recorded_draws_is_the_same_game() -> None:
    chance = Stream(9)
    state = GameState.new(chance, num_players=3, elites=True)
    tape = Tape(chance.draws)
    copy_of_it = GameState.new(tape, num_players=3, elites=True)
    assert copy_of_it == state
    assert tape.left == 0
    agent = RandomAgent(1)
    for _ in range(200):
        action = agent.act(state)
        state.apply(action, chance)
        tape.extend([outcome for _, outcome in chance.draws])
        copy_of_it.apply(action, tape)
        assert copy_of_it == state
        assert tape.draws == chance.draws
        assert tape.left == 0


def state_before_a_reveal() -> tuple[GameState, int, list[int]]:
    """A state, an action that buys the top of the level 1 pile, and the tiles below that top."""
    chance = Stream(3)
    state = GameState.new(chance)
    agent = RandomAgent(3)
    while True:
        starts = [a for a in state.legal_actions() if state.game.action_text(a).startswith("start 1 ")]
        if starts:
            trial = state.clone()
            trial.apply(starts[0], chance)
            if len(chance.draws) == 1:
                return state, starts[0], state.to_dict()["piles"][0]
        state.apply(agent.act(state), chance)


def test_a_tape_that_is_too_short_changes_nothing_and_succeeds_when_extended() -> None:
    state, action, below = state_before_a_reveal()
    before, tape = state.to_bytes(), Tape()
    with pytest.raises(NeedsDraw, match=rf"needs draw\({len(below)}\)") as caught:
        state.apply(action, tape)
    assert caught.value.n == len(below)
    assert state.to_bytes() == before
    assert tape.left == 0
    tape.extend([[len(below), 4]])
    state.apply(action, tape)
    assert state.to_bytes() != before
    assert tape.left == 0
    assert tape.draws == [(len(below), 4)]


def test_each_outcome_leads_to_its_own_child() -> None:
    state, action, below = state_before_a_reveal()
    for outcome, tile in enumerate(below):
        child = state.clone()
        child.apply(action, Tape([outcome]))
        assert child.to_dict()["pile_top"][0] == tile
        assert child.to_dict()["piles"][0] == [other for other in below if other != tile]


def test_the_setup_asks_for_one_draw_after_the_other() -> None:
    tape, asked = Tape(), []
    while True:
        try:
            GameState.new(tape, num_players=4, elites=True)
            break
        except NeedsDraw as needed:
            assert tape.left == len(asked)
            asked.append(needed.n)
            tape.extend([0])
    elders, prophecies, characters = [5, 4, 3], [3, 3, 3], [6, 5, 4, 3, 2]
    tiles = [16, 15, 12, 11, 12, 11]
    assert asked == elders + prophecies + characters + tiles + 9 * [6]
    assert tape.left == 0
    assert tape.draws == [(n, 0) for n in asked]


def test_a_tape_can_run_out_in_the_middle_of_an_action() -> None:
    state = GameState.new(2, num_players=2)
    agent, chance = RandomAgent(0), Stream(2)
    while True:
        action = agent.act(state)
        trial = state.clone()
        trial.apply(action, chance)
        if len(chance.draws) == 7:
            break
        state = trial
    before, tape = state.to_bytes(), Tape(chance.draws[:5])
    with pytest.raises(NeedsDraw, match=r"needs draw\(6\)"):
        state.apply(action, tape)
    assert (state.to_bytes(), tape.left) == (before, 5)
    tape.extend(chance.draws[5:])
    state.apply(action, tape)
    assert state == trial


@pytest.mark.parametrize("outcome", [-1, 15, 100])
def test_an_outcome_out_of_range_is_refused(outcome: int) -> None:
    state, action, below = state_before_a_reveal()
    before, tape = state.to_bytes(), Tape([outcome])
    wrong = max(outcome, len(below)) if outcome > 0 else outcome
    tape = Tape([wrong])
    with pytest.raises(ValueError, match=rf"tape: outcome 0 is {wrong}; the game asks for draw\({len(below)}\)"):
        state.apply(action, tape)
    assert (state.to_bytes(), tape.left) == (before, 1)


def test_the_numbers_of_a_pair_are_checked() -> None:
    state, action, below = state_before_a_reveal()
    before, tape = state.to_bytes(), Tape([(len(below) + 1, 0)])
    with pytest.raises(ValueError, match=rf"outcome 0 is \[{len(below) + 1}, 0\].*draw\({len(below)}\)"):
        state.apply(action, tape)
    assert (state.to_bytes(), tape.left) == (before, 1)


def test_places_on_a_tape_are_counted_from_its_beginning() -> None:
    chance = Stream(0)
    GameState.new(chance)
    state, action, below = state_before_a_reveal()
    tape = Tape([*chance.draws, (3, 0)])
    GameState.new(tape)
    with pytest.raises(ValueError, match=rf"tape: outcome {len(chance.draws)} is \[3, 0\]"):
        state.apply(action, tape)
    assert len(below) != 3


def test_an_action_without_chance_leaves_a_tape_alone() -> None:
    state, tape = GameState.new(0), Tape([1, 2, 3])
    state.apply(state.legal_actions()[0], tape)
    assert tape.left == 3
    assert tape.draws == []


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda chance: pickle.loads(pickle.dumps(chance))])
def test_chance_can_be_copied(duplicate: Callable[[object], Stream]) -> None:
    chance = Stream(77)
    state = GameState.new(chance)
    twin = duplicate(chance)
    assert twin.draws == chance.draws
    assert play_some(state.clone(), twin, 40) == play_some(state.clone(), chance, 40)
    tape = Tape([1, 2])
    assert duplicate(tape).left == 2


@pytest.mark.parametrize("integer", [np.int64, np.int32, np.uint64])
def test_a_seed_may_be_a_numpy_integer(integer: Callable[[int], int]) -> None:
    state = GameState.new(integer(3))
    assert state == GameState.new(3)
    state.apply(state.legal_actions()[0], integer(3))


@pytest.mark.parametrize("mode", ["stream", "tape"])
def test_more_draws_than_can_be_recorded_are_noticed(mode: str) -> None:
    source = Stream(0) if mode == "stream" else Tape([0] * (2 * MOST_DRAWS))
    array = source.begin()
    beyond = np.concatenate([array, np.full(8, 7)])
    for index in range(MOST_DRAWS):
        draw(beyond, SETUP, index, 0, 6)
    source.array[:] = beyond[: len(array)]
    source.finish()
    source.begin()
    beyond[: len(array)] = array
    for index in range(MOST_DRAWS + 3):
        draw(beyond, SETUP, index, 0, 6)
    assert (beyond[len(array) :] == 7).all()
    source.array[:] = beyond[: len(array)]
    with pytest.raises(RuntimeError, match=f"an action asks for more than {MOST_DRAWS} draws"):
        source.finish()

"""A turn: dice, phases, windows, rounds (rules, sections 3, 7, 8 and 9)."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from dunaia_env.dunaia.components import load
from dunaia_env.dunaia.state import FOREMAN, MYSTIC, TRICKSTER
from dunaia_env.harness.compiled.chance import NeedsDraw, Stream, Tape
from dunaia_env.harness.state import GameState, IllegalActionError

from .positions import (
    NEUTRAL_DICE,
    WINDOWS,
    begun,
    built,
    legal,
    nearly,
    of,
    play,
    player,
    position,
    roll,
    seen,
    square,
)

PLAYERS = (2, 3, 4)
FULL_ROLL = {players: roll(*[1] * (neutral + players)) for players, neutral in NEUTRAL_DICE.items()}


def plain_turn(state: GameState, *, draws: Iterable[tuple[int, int]] = ()) -> GameState:
    """Take any die, wake, recycle on the flower space, pass every window."""
    tape = Tape(draws)
    turn = state.clone()
    round_and_seat = (seen(turn, "round"), turn.seat)
    while not turn.is_over and (seen(turn, "round"), turn.seat) == round_and_seat:
        options = legal(turn)
        chosen = next((text for text in ("flower", "pass") if text in options), options[0])
        turn.apply(chosen, tape)
    assert tape.left == 0
    return turn


# Dice


@pytest.mark.parametrize("players", PLAYERS)
def test_turn__dice_leave_remainder_1(players: int) -> None:
    neutral = int(load(None).record[0].neutral_dice[players])
    assert neutral == NEUTRAL_DICE[players]
    assert (neutral + players) % players == 1


@pytest.mark.parametrize("players", PLAYERS)
def test_turn__pool_is_empty_exactly_at_a_turns_start_and_first_chooser_shifts(players: int) -> None:
    chance = Stream(11)
    state = GameState.new(chance, num_players=players)
    total = NEUTRAL_DICE[players] + players
    choosers = [0]
    while len(choosers) < 2 * players + 1 and not state.is_over:
        before, turn = state.seat, (seen(state, "round") - 1) * players + state.seat
        options = legal(state)
        state.apply("flower" if "flower" in options else options[0], chance)
        rolled = [n for n, _ in chance.draws].count(6) >= total
        assert rolled == (state.seat != before and (turn + 1) % total == 0)
        if rolled:
            choosers.append(state.seat)
        # The reader of dictionaries checks that the dice left fit the turn.
        assert GameState.from_dict(state.to_dict()) == state
        dice, chosen = seen(state, "dice"), state.decision != "CHOOSE_DIE"
        out = [seat for seat in range(players) if dice["own"][seat] == 0]
        turn = (seen(state, "round") - 1) * players + state.seat
        assert sum(dice["neutral"]) + players - len(out) == total - turn % total - chosen
        assert not out or sum(dice["neutral"]) == 0
        assert chosen or sum(dice["neutral"]) > 0 or dice["own"][state.seat] > 0
    assert choosers == [k % players for k in range(len(choosers))]
    assert len(choosers) > players


@pytest.mark.parametrize("players", PLAYERS)
def test_turn__each_player_takes_the_own_die_at_the_end_of_a_roll(players: int) -> None:
    neutral = NEUTRAL_DICE[players]
    for turn in range(players * (neutral + players)):
        round_number, seat = turn // players + 1, turn % players
        state = position("CHOOSE_DIE", players=players, seat=seat, round_number=round_number, own=(3, 4, 5, 6))
        left = neutral - turn % (neutral + players)
        assert legal(state) == [f"take {face}" for face in (range(1, left + 1) if left > 0 else [3 + seat])]


def test_turn__example_red_player_and_black_dice() -> None:
    # Two neutral dice are left, so red cannot take the red die (6).
    state = position("CHOOSE_DIE", round_number=2, seat=1, neutral=[3, 4], own=(6, 6))
    assert legal(state) == ["take 3", "take 4"]
    assert seen(play(state, "take 4"), "dice") == {"neutral": [0, 0, 1, 0, 0, 0], "own": [6, 6]}


def test_turn__dice_of_one_face_are_one_choice() -> None:
    state = position("CHOOSE_DIE", neutral=[2, 2, 2, 5, 5])
    assert legal(state) == ["take 2", "take 5"]
    assert seen(play(state, "take 2"), "dice")["neutral"] == [0, 2, 0, 0, 2, 0]


def test_turn__another_players_die_cannot_be_taken() -> None:
    state = position("CHOOSE_DIE", seat=1, round_number=3, own=(2, 5))
    assert legal(state) == ["take 5"]
    assert seen(play(state, "take 5"), "dice") == {"neutral": [0] * 6, "own": [2, 0]}


def test_turn__example_norahs_roll_clears_the_buildings() -> None:
    thomas = player(buildings={4: built(0, die=True)})
    cecile = player(buildings={0: built(1), 8: built(5, die=True)})
    norah = player(buildings={2: built(13, die=True)})
    state = position("RECYCLE", thomas, cecile, norah, seat=1, round_number=5)
    assert seen(state, "dice") == {"neutral": [0] * 6, "own": [0, 0, 0]}
    after = play(state, "use 0 0", draws=roll(1, 4, 5, 6, 2, 3, 2))
    assert (after.seat, after.decision) == (2, "CHOOSE_DIE")
    assert legal(after) == ["take 1", "take 4", "take 5", "take 6"]
    assert seen(after, "dice") == {"neutral": [1, 0, 0, 1, 1, 1], "own": [2, 3, 2]}
    lying = [(0, 4), (1, 0), (1, 8), (2, 2)]
    assert [square(after, seat, number)["die"] for seat, number in lying] == [False] * 4


def test_turn__no_roll_while_a_die_is_left() -> None:
    thomas = player(buildings={4: built(0)})
    after = play(position("RECYCLE", thomas, seat=0, round_number=2), "use 0 4")
    assert (after.seat, seen(after, "dice")) == (1, {"neutral": [1, 1, 0, 0, 0, 0], "own": [6, 6]})
    assert square(after, 0, 4)["die"]


def test_turn__own_die_can_be_the_last_of_the_pool() -> None:
    state = position("CHOOSE_DIE", seat=0, round_number=4, own=(4, 2))
    assert seen(state, "dice") == {"neutral": [0] * 6, "own": [4, 0]}
    after = play(state, "take 4", "awaken 7", "flower", draws=roll(1, 1, 2, 2, 2, 5, 6))
    assert (after.seat, seen(after, "dice")) == (1, {"neutral": [2, 3, 0, 0, 0, 0], "own": [5, 6]})


# Phases


def test_turn__phases_follow_each_other() -> None:
    state = position("CHOOSE_DIE", player(chips=[1, 2, 3, 4, 5, 6]))
    phases = ["CHOOSE_DIE"]
    for text in ("take 2", "awaken 2", "flower", "pass", "pass"):
        state = play(state, text)
        phases.append(state.decision)
    assert phases == ["CHOOSE_DIE", "AWAKEN", "RECYCLE", "BEFORE_PROPHECY", "END_TURN", "CHOOSE_DIE"]
    assert state.seat == 1


def test_turn__die_is_in_hand_until_recycled() -> None:
    state = position("CHOOSE_DIE", player(buildings={8: built(4)}))
    state = play(state, "take 3")
    assert (seen(state, "die"), seen(state, "woken")) == (3, 0)
    state = play(state, "awaken 1")
    assert (seen(state, "die"), seen(state, "woken")) == (3, 3)
    # The moves of the building are still to come, but the die is gone.
    state = play(state, "use 0 8")
    assert (state.decision, seen(state, "die"), seen(state, "woken")) == ("MOVE", 0, 3)
    state = play(state, "pass")
    assert (state.seat, seen(state, "woken")) == (1, 0)


@pytest.mark.parametrize("text", ["flower", "move 1 5", "plug 4", "start 0 0"])
def test_turn__recycling_uses_up_the_die(text: str) -> None:
    state = position("RECYCLE", player(flowers=1, chips=[1, 2, 3]), die=4)
    after = play(state, text, draws=[0] if text[0] == "s" else [])
    assert (after.decision, seen(after, "die"), seen(after, "woken")) == ("BEFORE_PROPHECY", 0, 4)


@pytest.mark.parametrize("decision", WINDOWS)
def test_turn__only_the_last_two_windows_can_be_passed(decision: str) -> None:
    state = position(decision, player(chips=[1, 2, 3]))
    assert ("pass" in legal(state)) == (decision in ("BEFORE_PROPHECY", "END_TURN"))


def test_turn__choosing_a_die_cannot_be_passed() -> None:
    state = position("CHOOSE_DIE", player(chips=[1, 2, 3]))
    assert "pass" not in legal(state)
    with pytest.raises(IllegalActionError, match=r"'pass' .* is not legal for seat 0 in CHOOSE_DIE"):
        play(state, "pass")


# Windows


@pytest.mark.parametrize("decision", WINDOWS)
@pytest.mark.parametrize(
    ("character", "action"), [(-1, "call 0"), (FOREMAN, "power"), (MYSTIC, "power")], ids=["call", "foreman", "mystic"]
)
def test_turn__every_window_allows_calls_and_powers(decision: str, character: int, action: str) -> None:
    own = player(flowers=2, chips=[1, 2, 3, 4, 5, 6], buildings={0: begun(16), 1: begun(17)}, character=character)
    state = position(decision, own)
    assert action in legal(state)
    after = play(state, action)
    while after.decision != decision:
        after = play(after, legal(after)[-1])
    assert after.seat == 0
    # The same window again, with what is still legal.
    assert legal(after, "take", "awaken", "flower", "pass") == legal(state, "take", "awaken", "flower", "pass")
    assert "power" not in legal(after) or character == -1


@pytest.mark.parametrize("decision", ["BEFORE_PROPHECY", "END_TURN"])
def test_turn__pass_alone_is_not_asked(decision: str) -> None:
    after = play(position("RECYCLE", player(chips=[1, 2])), "flower")
    assert (after.seat, after.decision) == (1, "CHOOSE_DIE")
    own = player(chips=[1, 2, 3])
    after = play(position(decision, own), "call 0")
    assert (after.seat, after.decision, of(after, 0, "flowers")) == (1, "CHOOSE_DIE", 2)


def test_turn__single_die_is_not_asked() -> None:
    # Seat 1 finds one neutral die, so it is taken and only the order of waking is asked.
    state = position("RECYCLE", seat=1, round_number=2, neutral=[4])
    after = play(state, "flower")
    assert (after.seat, after.decision, seen(after, "die")) == (0, "AWAKEN", 4)
    assert legal(after) == ["awaken 4", "awaken 7"]


def test_turn__single_die_is_asked_when_something_else_is_legal() -> None:
    state = position("RECYCLE", player(chips=[1, 2, 3]), seat=1, round_number=2, neutral=[4])
    after = play(state, "flower")
    assert legal(after) == ["take 4", "call 0"]


def test_turn__forced_counts_texts_not_outcomes() -> None:
    # Both squares give a flower, the order makes no difference, and still it is asked.
    own = player(buildings={1: begun(0), 4: begun(1)})
    assert legal(position("AWAKEN", own, die=3)) == ["awaken 1", "awaken 4"]
    flips = position("CHOOSE_DIE", player(character=TRICKSTER), neutral=[3, 3, 4, 4, 4])
    assert legal(flips) == ["take 3", "take 4", "take_flipped 3", "take_flipped 4"]


@pytest.mark.parametrize("players", PLAYERS)
def test_turn__every_asked_decision_is_a_choice(players: int) -> None:
    chance = Stream(3)
    state = GameState.new(chance, num_players=players, elites=True, max_rounds=12)
    asked = 0
    while not state.is_over:
        options = legal(state)
        assert len(options) > 1
        asked += 1
        state.apply(options[(7 * asked) % len(options)], chance)
    assert legal(state) == []


# Rounds and the end


@pytest.mark.parametrize("players", PLAYERS)
def test_turn__rounds_end_with_the_last_seat(players: int) -> None:
    state = position("CHOOSE_DIE", players=players)
    course = []
    for _ in range(NEUTRAL_DICE[players]):
        course.append((seen(state, "round"), state.seat))
        state = plain_turn(state)
    assert course == [(k // players + 1, k % players) for k in range(NEUTRAL_DICE[players])]


def test_turn__end_of_turn_gives_the_power_back() -> None:
    own = player(character=MYSTIC, power_used=True, chips=[1, 2])
    state = position("RECYCLE", own)
    assert "power" not in legal(state)
    after = play(state, "flower")
    assert (after.seat, of(after, 0, "power_used")) == (1, False)


def test_turn__one_more_round_after_the_trigger() -> None:
    # The rulebook's example: Cécile, second of three, triggers; Norah plays; then all three once more.
    cecile = player(buildings={number: built(number) for number in (0, 2, 6, 8)})
    state = position("RECYCLE", player(), cecile, player(), seat=1, round_number=3, owners=(0, 0, -1))
    turns = []
    state = play(state, "flower")
    assert (seen(state, "final_round"), seen(state, "prophecies")[2]["owner"]) == (4, 1)
    while not state.is_over:
        turns.append((seen(state, "round"), state.seat))
        state = plain_turn(state)
    assert turns == [(3, 2), (4, 0), (4, 1), (4, 2)]
    assert (seen(state, "round"), seen(state, "truncated")) == (4, False)


@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_turn__every_player_has_a_turn_after_the_trigger(seat: int) -> None:
    ready = player(buildings={number: built(number) for number in (0, 2, 6, 8)})
    villages = [ready if number == seat else player() for number in range(4)]
    state = position("RECYCLE", *villages, seat=seat, owners=(0, 0, -1))
    state = play(state, "flower")
    turns = 0
    while not state.is_over:
        turns += 1
        state = plain_turn(state, draws=FULL_ROLL[4] if (turns + seat + 1) == 9 else ())
    assert turns == (3 - seat) + 4


def test_turn__trigger_in_the_last_round_changes_nothing() -> None:
    own = player(buildings={**{number: built(number) for number in range(8)}, 8: nearly(16)}, dunaias={1: 5})
    state = position("AWAKEN", own, round_number=2, final_round=2)
    state = play(state, "awaken 8")
    assert seen(state, "final_round") == 2
    after = plain_turn(plain_turn(state))
    assert after.is_over
    assert seen(after, "round") == 2


def test_turn__second_trigger_in_the_same_round_changes_nothing() -> None:
    own = player(buildings={**{number: built(number) for number in range(8)}, 8: nearly(16)}, dunaias={1: 5})
    state = position("AWAKEN", player(), own, seat=1, round_number=2, final_round=3)
    assert seen(play(state, "awaken 8"), "final_round") == 3


def test_turn__no_roll_after_the_last_turn() -> None:
    assert play(position("RECYCLE", seat=1, round_number=7, final_round=7), "flower").is_over
    after = play(position("RECYCLE", seat=1, round_number=7), "flower", draws=FULL_ROLL[2])
    assert (after.seat, seen(after, "round")) == (0, 8)


def test_turn__game_over() -> None:
    own = player(flowers=3, character=FOREMAN, power_used=True)
    after = play(position("END_TURN", player(), own, seat=1, round_number=4, final_round=4, die=5), "pass")
    assert (after.is_over, after.decision, after.seat) == (True, "OVER", -1)
    assert (seen(after, "die"), seen(after, "woken"), seen(after, "pending")) == (0, 0, {})
    assert (seen(after, "over"), seen(after, "truncated"), seen(after, "round")) == (True, False, 4)
    assert (legal(after), after.action_mask().sum()) == ([], 0)
    assert GameState.from_dict(after.to_dict()) == after
    with pytest.raises(IllegalActionError, match="the game is over"):
        after.apply("pass", 0)


@pytest.mark.parametrize(
    ("final_round", "truncated"),
    [(None, True), (5, False), (6, True)],
    ids=["never triggered", "final round", "final round to come"],
)
def test_turn__max_rounds(final_round: int | None, truncated: bool) -> None:
    state = position("RECYCLE", seat=1, round_number=5, max_rounds=5, final_round=final_round)
    after = play(state, "flower")
    assert (after.is_over, seen(after, "truncated"), seen(after, "round")) == (True, truncated, 5)


@pytest.mark.parametrize("seat", [0, 1])
def test_turn__max_rounds_lets_the_round_finish(seat: int) -> None:
    after = play(position("RECYCLE", seat=seat, round_number=5, max_rounds=5), "flower")
    assert after.is_over == (seat == 1)


def test_turn__max_rounds_cut_off_a_final_round_that_is_triggered_in_the_last_one() -> None:
    own = player(buildings={number: built(number) for number in (0, 2, 6, 8)})
    state = position("BEFORE_PROPHECY", player(), own, seat=1, round_number=9, max_rounds=9, owners=(0, 0, -1))
    after = play(state, "pass")
    assert (after.is_over, seen(after, "truncated"), seen(after, "final_round")) == (True, True, 10)


# Chance


@pytest.mark.parametrize("given", range(7))
def test_turn__tape_too_short_leaves_the_state_unchanged(given: int) -> None:
    own = player(buildings={4: built(0)})
    state = position("RECYCLE", player(), own, seat=1, round_number=7)
    before, tape = state.to_dict(), Tape(roll(*[2] * given))
    with pytest.raises(NeedsDraw) as caught:
        state.apply("use 0 4", tape)
    assert caught.value.n == 6
    assert state.to_dict() == before
    assert (tape.left, legal(state)) == (given, legal(GameState.from_dict(before)))
    tape.extend(roll(*[2] * (7 - given)))
    state.apply("use 0 4", tape)
    assert (state.seat, tape.left) == (0, 0)


def test_turn__tape_that_does_not_fit_leaves_the_state_unchanged() -> None:
    state = position("RECYCLE", player(flowers=1))
    before = state.to_dict()
    for outcomes, message in (([14], r"draw\(14\)"), ([(13, 0)], r"\[13, 0\]")):
        with pytest.raises(ValueError, match=message):
            state.apply("start 0 0", Tape(outcomes))
        assert state.to_dict() == before


def test_turn__draws_are_recorded() -> None:
    tape = Tape([13])
    state = position("RECYCLE", player(flowers=1))
    state.apply("start 0 0", tape)
    assert tape.draws == [(14, 13)]
    state.apply("take 2", tape)
    assert tape.draws == []


def test_turn__copies_share_nothing() -> None:
    state = position("RECYCLE")
    before = state.to_dict()
    assert play(state, "flower") != state
    assert state.to_dict() == before

"""The course of a turn: dice, phases, rounds (rules, section 3)."""

from __future__ import annotations

from dunaia_env.dunaia.state import (
    AWAKEN,
    CHOOSE_DIE,
    FACES,
    NONE,
    OVER,
    SQUARES,
)
from dunaia_env.harness.compiled.chance import ROLL, draw
from dunaia_env.support.compile_cache import kernel


@kernel
def neutral_dice_left(s):
    """Number of neutral dice in the pool."""
    dice = 0
    for face in range(FACES):
        dice += int(s.neutral_dice[face])
    return dice


@kernel
def is_pool_empty(s):
    """Whether neither a neutral nor a coloured die is left in the pool."""
    for seat in range(int(s.num_players)):
        if s.own_dice[seat] != 0:
            return False
    return neutral_dice_left(s) == 0


@kernel
def roll_number(s, dice):
    """Which roll of the game this is, from 0: every roll serves as many turns as there are dice."""
    turns = (int(s.round_number) - 1) * int(s.num_players) + int(s.seat)
    return turns // dice


@kernel
def roll_dice(s, t, chance, roll):
    """Take all dice back, those on buildings too, and roll them into the pool."""
    players = int(s.num_players)
    for seat in range(players):
        for square in range(SQUARES):
            s.players[seat].occupied[square] = 0
    for face in range(FACES):
        s.neutral_dice[face] = 0
    neutral = int(t.neutral_dice[players])
    for die in range(neutral):
        face = draw(chance, ROLL, roll, die, FACES)
        s.neutral_dice[face] = int(s.neutral_dice[face]) + 1
    for seat in range(players):
        s.own_dice[seat] = draw(chance, ROLL, roll, neutral + seat, FACES) + 1


@kernel
def start_turn(s, t, chance):
    """A turn begins: an empty pool is rolled, then a die is chosen."""
    if is_pool_empty(s):
        roll_dice(s, t, chance, roll_number(s, int(t.neutral_dice[s.num_players]) + int(s.num_players)))
    s.decision = CHOOSE_DIE


@kernel
def is_die_available(s, face):
    """Whether the deciding player may choose a die of a face: a neutral one, or the own one when no neutral is left."""
    if neutral_dice_left(s) > 0:
        return s.neutral_dice[face - 1] > 0
    return s.own_dice[s.seat] == face


@kernel
def choose_die(s, face, flipped):
    """Phase 1: take a die of a face into the hand, turned to its opposite face if flipped."""
    if neutral_dice_left(s) > 0:
        s.neutral_dice[face - 1] = int(s.neutral_dice[face - 1]) - 1
    else:
        s.own_dice[s.seat] = 0
    s.die = FACES + 1 - face if flipped else face
    s.decision = AWAKEN


@kernel
def end_turn(s, t, chance):
    """The turn is over: the next player's begins, unless the last round has just been finished."""
    s.players[s.seat].power_used = 0
    s.woken = 0
    if int(s.seat) == int(s.num_players) - 1:
        if s.round_number == s.final_round:
            end_game(s)
            return
        if s.round_number >= s.max_rounds:
            s.truncated = 1
            end_game(s)
            return
        s.round_number = int(s.round_number) + 1
        s.seat = 0
    else:
        s.seat = int(s.seat) + 1
    start_turn(s, t, chance)


@kernel
def end_game(s):
    """Nobody decides any more."""
    s.decision = OVER
    s.seat = NONE

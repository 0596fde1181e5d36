"""The course of a turn: dice, phases, rounds."""

from __future__ import annotations

from dunaia_env.dunaia.state import AWAKEN, CHOOSE_DIE, FACES, NONE, OVER, SQUARES
from dunaia_env.harness.compiled.chance import ROLL, draw
from dunaia_env.support.compile_cache import kernel


@kernel
def neutral_dice_left(state):
    """Number of neutral dice in the pool."""
    dice = 0
    for face in range(FACES):
        dice += int(state.neutral_dice[face])
    return dice


@kernel
def is_pool_empty(state):
    """Whether neither a neutral die nor a player's own die is left in the pool."""
    for seat in range(int(state.num_players)):
        if state.own_dice[seat] != 0:
            return False
    return neutral_dice_left(state) == 0


@kernel
def roll_number(state, dice):
    """The number of the game's current roll, from 0; a roll lasts for as many turns as there are dice."""
    turns = (int(state.round_number) - 1) * int(state.num_players) + int(state.seat)
    return turns // dice


@kernel
def roll_dice(state, components, chance, roll):
    """Take all dice back, including those on buildings, and roll them into the pool."""
    players = int(state.num_players)
    for seat in range(players):
        for square in range(SQUARES):
            state.players[seat].occupied[square] = 0
    for face in range(FACES):
        state.neutral_dice[face] = 0
    neutral = int(components.neutral_dice[players])
    for die in range(neutral):
        face = draw(chance, ROLL, roll, die, FACES)
        state.neutral_dice[face] = int(state.neutral_dice[face]) + 1
    for seat in range(players):
        state.own_dice[seat] = draw(chance, ROLL, roll, neutral + seat, FACES) + 1


@kernel
def start_turn(state, components, chance):
    """Begin a turn: roll the dice if the pool is empty, then ask for a die."""
    if is_pool_empty(state):
        roll_dice(
            state,
            components,
            chance,
            roll_number(state, int(components.neutral_dice[state.num_players]) + int(state.num_players)),
        )
    state.decision = CHOOSE_DIE


@kernel
def is_die_available(state, face):
    """Whether the deciding player may choose a die with this face: a neutral die or, if none is left, the own die."""
    if neutral_dice_left(state) > 0:
        return state.neutral_dice[face - 1] > 0
    return state.own_dice[state.seat] == face


@kernel
def choose_die(state, face, flipped):
    """Phase 1: take a die with this face into the hand; if flipped, turn it to the opposite face."""
    if neutral_dice_left(state) > 0:
        state.neutral_dice[face - 1] = int(state.neutral_dice[face - 1]) - 1
    else:
        state.own_dice[state.seat] = 0
    state.die = FACES + 1 - face if flipped else face
    state.decision = AWAKEN


@kernel
def end_turn(state, components, chance):
    """End the turn. The next player's turn begins, unless the last round is finished."""
    state.players[state.seat].power_used = 0
    state.woken = 0
    if int(state.seat) == int(state.num_players) - 1:
        if state.round_number == state.final_round:
            end_game(state)
            return
        if state.round_number >= state.max_rounds:
            state.stopped = 1
            end_game(state)
            return
        state.round_number = int(state.round_number) + 1
        state.seat = 0
    else:
        state.seat = int(state.seat) + 1
    start_turn(state, components, chance)


@kernel
def end_game(state):
    """End the game: nobody decides any more."""
    state.decision = OVER
    state.seat = NONE

"""Exact values of positions near the end of games of two players: expectimax over all decisions and all draws.

A *value* is the expected share of the win of seat 0, who maximises it; seat 1 minimises it (Michie, "Game-playing and
game-learning automata", 1966). At the end of a game it is 1, 0 or, for a shared win, 1/2. The value before a draw is
the mean over its outcomes, which all have the same probability. Nothing is estimated or cut off by depth, so a value is
exact up to the rounding of float64 sums.

A position that is reached in several ways is solved once. The table of solved positions compares 128 bits of a hash of
their bytes; with a million positions, two of them agree by chance with a probability below 1e-26.

This module shares no code with `dunaia_env.harness.compiled.search`, so that one can be a test of the other.
"""

from __future__ import annotations

import numpy as np

from dunaia_env.harness.compiled import entry_points
from dunaia_env.harness.compiled.chance import CHANCE_SIZE, COUNT, GIVEN, LOG, MODE, MOST_DRAWS, NEEDED, TAPE
from dunaia_env.harness.compiled.entry_points import ENDING_SIZE, MOST_SEATS
from dunaia_env.harness.compiled.hashing import wrapped_product
from dunaia_env.support.compile_cache import kernel

# Decisions on the way from the root to an end, at most.
MOST_DEPTH = 512
# Layout of the counts (int64): solved positions, applied actions with an outcome of their draws, and ends of games.
POSITIONS, PLAYS, ENDS = 0, 1, 2
COUNTS_SIZE = 3
UNSOLVED = -1

# A position whose actions are being solved, one after the other, and the draws of the present action.
FRAME_DTYPE: np.dtype[np.record] = np.dtype(  # type: ignore[assignment]
    (
        np.record,
        np.dtype(
            [
                ("key", np.uint64, (2,)),
                ("best", np.float64),  # the best value so far for the deciding seat, as its share of the win
                ("sum", np.float64),  # of the values of the outcomes so far, weighted by their probabilities
                ("count", np.int64),  # legal actions
                ("place", np.int64),  # of the present action among them
                ("draws", np.int64),  # draws that the present action is known to make
                ("sizes", np.int64, (MOST_DRAWS,)),  # number of outcomes of each draw
                ("outcomes", np.int64, (MOST_DRAWS,)),  # present outcome of each draw
            ],
            align=True,
        ),
    )
)
FRAME_SIZE = FRAME_DTYPE.itemsize

_START_0, _START_1 = np.uint64(0xCBF29CE484222325), np.uint64(0x84222325CBF29CE4)
_PRIME_0, _PRIME_1 = np.uint64(0x100000001B3), np.uint64(0x9E3779B97F4A7C15)
_SHIFT, _ONE, _EMPTY = np.uint64(32), np.uint64(1), np.uint64(0)


@kernel
def solve(game, state, components, keys, known, limit, legal, values, counts):
    """Write the value after each legal action of a position; returns the number of these actions.

    Args:
        game: the game's table.
        state: uint8 ``(STATE_SIZE,)``, a position of two players at a decision.
        components: the components.
        keys: uint64 ``(N, 2)``, N a power of two above ``limit``: keys of solved positions, 0 where there is none.
        known: float64 ``(N,)``, their values.
        limit: largest number of positions that are solved; with more, the result is `UNSOLVED`.
        legal: int16 ``(NUM_ACTIONS,)``; the legal actions are written into it.
        values: float64 ``(NUM_ACTIONS,)``; the value after each of them is written into it.
        counts: int64 ``(COUNTS_SIZE,)``, increased by what was done.
    """
    frames = np.zeros(MOST_DEPTH * FRAME_SIZE, np.uint8).view(FRAME_DTYPE)
    states = np.zeros((MOST_DEPTH, game[entry_points.STATE_SIZE]), np.uint8)
    actions = np.zeros((MOST_DEPTH, game[entry_points.NUM_ACTIONS]), np.int16)
    chance = np.zeros(CHANCE_SIZE, np.int64)
    chance[MODE] = TAPE
    key = np.zeros(2, np.uint64)
    entry_points.copy_state(states[0], state)
    depth = 0
    open_frame(frames[0], key, entry_points.list_legal(game, state, components, legal))
    for place in range(frames[0].count):
        actions[0, place] = legal[place]
    while True:
        frame = frames[depth]
        after = states[depth + 1]
        count = play(game, states[depth], components, chance, frame, actions[depth], after, actions[depth + 1])
        counts[PLAYS] += 1
        if chance[NEEDED] > 0:
            frame.sizes[frame.draws] = chance[NEEDED]
            frame.outcomes[frame.draws] = 0
            frame.draws += 1
            continue
        if count == 0:
            value = final_value(game, after, components)
            counts[ENDS] += 1
        else:
            entry_points.simplify(game, after)
            write_key(after, key)
            slot = find_slot(keys, key)
            if keys[slot, 0] == _EMPTY:
                count = entry_points.list_legal(game, after, components, actions[depth + 1])
                if counts[POSITIONS] >= limit or depth + 2 >= MOST_DEPTH:
                    return UNSOLVED
                counts[POSITIONS] += 1
                depth += 1
                open_frame(frames[depth], key, count)
                continue
            value = known[slot]
        while take_value(game, states[depth], frames[depth], value, values, depth == 0):
            frame = frames[depth]
            if depth == 0:
                return frame.count
            value = frame.best if entry_points.seat_of(game, states[depth]) == 0 else 1.0 - frame.best
            slot = find_slot(keys, frame.key)
            keys[slot, 0] = frame.key[0]
            keys[slot, 1] = frame.key[1]
            known[slot] = value
            depth -= 1


@kernel
def open_frame(frame, key, count):
    """Begin a position with ``count`` legal actions."""
    frame.key[0] = key[0]
    frame.key[1] = key[1]
    frame.best = -1.0
    frame.sum = 0.0
    frame.count = count
    frame.place = 0
    frame.draws = 0


@kernel
def play(game, state, components, chance, frame, actions, after, legal):
    """Apply the present action with the present outcomes of its draws to a copy; returns the number of legal actions.

    Actions are taken from last to first, because the last ones end what is going on and so find the end of the game.
    """
    chance[COUNT] = 0
    chance[NEEDED] = 0
    chance[GIVEN] = frame.draws
    for draw in range(frame.draws):
        chance[LOG + 2 * draw + 1] = frame.outcomes[draw]
    entry_points.copy_state(after, state)
    action = int(actions[frame.count - 1 - frame.place])
    return entry_points.play(game, after, components, chance, action, legal)


@kernel
def take_value(game, state, frame, value, values, is_root):
    """Add the value of the present outcome, and go on to the next outcome or action; returns whether none is left."""
    probability = 1.0
    for draw in range(frame.draws):
        probability /= frame.sizes[draw]
    frame.sum += probability * value
    last = frame.draws - 1
    while last >= 0 and frame.outcomes[last] + 1 == frame.sizes[last]:
        last -= 1
    if last >= 0:
        frame.outcomes[last] += 1
        frame.draws = last + 1
        return False
    own = frame.sum if entry_points.seat_of(game, state) == 0 else 1.0 - frame.sum
    if own > frame.best:
        frame.best = own
    if is_root:
        values[frame.count - 1 - frame.place] = frame.sum
    frame.place += 1
    frame.sum = 0.0
    frame.draws = 0
    # Nothing is better than a certain win; at the root, every action gets its value.
    return frame.place == frame.count or (frame.best >= 1.0 and not is_root)


@kernel
def final_value(game, state, components):
    """The share of the win of seat 0 at the end of a game of two players."""
    scores = np.zeros(MOST_SEATS, np.int32)
    ranks = np.zeros(MOST_SEATS, np.int8)
    ending = np.zeros(ENDING_SIZE, np.int32)
    entry_points.write_results(game, state, components, scores, ranks, ending)
    if ranks[0] == ranks[1]:
        return 0.5
    return 1.0 if ranks[0] < ranks[1] else 0.0


@kernel
def write_key(state, key):
    """Write 128 bits of a hash of a state (FNV-1a with two primes, and a final mix) into ``key``; they are not 0."""
    first, second = _START_0, _START_1
    for byte in state:
        first = wrapped_product(first ^ np.uint64(byte), _PRIME_0)
        second = wrapped_product(second ^ np.uint64(byte), _PRIME_1)
        second ^= second >> _SHIFT
    first ^= first >> _SHIFT
    key[0] = first if first != _EMPTY else _ONE
    key[1] = second


@kernel
def find_slot(keys, key):
    """The place of a key in the table, or the empty place for it, by linear probing."""
    mask = np.int64(keys.shape[0] - 1)
    slot = np.int64(key[1] >> _SHIFT) & mask
    while keys[slot, 0] != _EMPTY and (keys[slot, 0] != key[0] or keys[slot, 1] != key[1]):
        slot = (slot + 1) & mask
    return slot

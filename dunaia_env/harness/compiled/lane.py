"""Lanes: games of a batch, each with a record of its current game, its seeds, and the result of its last game.

The loops take these arrays, with a row for each lane: ``states`` uint8 ``(N, STATE_SIZE)``, ``lanes`` uint8
``(N, LANE_SIZE)`` of `LANE_DTYPE` records, ``legal`` int16 ``(N, A)`` whose first ``legal_count`` entries are the legal
actions, ``masks`` int8 ``(N, A)``, ``observations`` int8 ``(N, O)``. ``game`` is the game's table. ``components``,
uint8 ``(F, bytes)``, holds the components of each different component file. A loop works on the lanes
``selected[start:stop]``, each with the row of components that its record names.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dunaia_env.harness.compiled import entry_points
from dunaia_env.harness.compiled.chance import CHANCE_SIZE, MODE, RANDOM_PLAY, SEED, STREAM, game_seed, random_below
from dunaia_env.harness.compiled.entry_points import MOST_SEATS
from dunaia_env.harness.compiled.rewards import reward_of
from dunaia_env.support.compile_cache import kernel
from dunaia_env.support.hashing import hash_of

LANE_DTYPE: np.dtype[np.record] = np.dtype(  # type: ignore[assignment]
    (
        np.record,
        np.dtype(
            [
                ("base_seed", np.int64),  # the lane's first seed
                ("seed", np.int64),  # seed of the game in the lane
                ("game", np.int64),  # number of the game in the lane, from 0
                ("last_seed", np.int64),  # seed of the game that ended last
                ("options", np.int64, (entry_points.MOST_OPTIONS,)),  # values of the game's options, in their order
                # Seeds of the choices of the random seats.
                ("random_seeds", np.int64, (MOST_SEATS,)),
                ("decisions", np.int32),  # decisions asked and answered in the game so far
                ("last_decisions", np.int32),  # decisions in the game that ended last
                ("components_row", np.int32),  # row of the components that the lane's games have
                ("legal_count", np.int16),
                ("rounds", np.int16),  # rounds played in the game that ended last
                ("scores", entry_points.SCORE_TYPE, (MOST_SEATS,)),  # scores in the game that ended last
                ("ranks", np.int8, (MOST_SEATS,)),  # ranks in that game, from 1; 0 for an absent seat
                # 1: the seat's decisions are made at random inside the step.
                ("random_seats", np.int8, (MOST_SEATS,)),
                ("num_players", np.int8),
                ("restart", np.int8),  # 1: the lane's next game begins in the step that ends a game
                ("seat", np.int8),  # the deciding seat, -1 when the game is over
                ("ended", np.int8),  # 1 if the last action ended a game
                ("stopped", np.int8),  # 1 if that game was stopped before its end
            ],
            align=True,
        ),
    )
)

LANE_SIZE = LANE_DTYPE.itemsize


def layout_hash(record: np.dtype[Any]) -> str:
    """A hash (16 hexadecimal digits) of the layout of a record: names, offsets, types and shapes of all its fields.

    Stored bytes, such as a checkpoint's, are valid only for the same layout.
    """

    def described(dtype: np.dtype[Any]) -> Any:
        if dtype.subdtype is not None:
            base, shape = dtype.subdtype
            return [described(base), list(shape)]
        if dtype.fields is None:
            return dtype.str
        fields = [[name, dtype.fields[name][1], described(dtype.fields[name][0])] for name in dtype.names or ()]
        return [dtype.itemsize, fields]

    return hash_of(described(record))


LANE_HASH = layout_hash(LANE_DTYPE)


@kernel
def first_misplaced(selected, marks):
    """The first k whose lane ``selected[k]`` does not exist or was selected before; -1 if there is none.

    ``marks`` is a bool array with an entry for each lane, all False; the entries of the selected lanes become True.
    """
    for k in range(selected.shape[0]):
        i = selected[k]
        if i < 0 or i >= marks.shape[0] or marks[i]:
            return k
        marks[i] = True
    return -1


@kernel
def first_illegal(lanes, actions, legal, selected):
    """The first k whose lane ``selected[k]`` is in a game in which ``actions[k]`` is not legal; -1 if there is none.

    The first ``legal_count`` entries of a lane's row of ``legal`` are its legal actions, ascending.
    """
    for k in range(actions.shape[0]):
        i = selected[k]
        lane = lanes[i].view(LANE_DTYPE)[0]
        if lane.seat >= 0:
            # A binary search without branches, because the processor could not predict them.
            place, left = 0, int(lane.legal_count)
            while left > 1:
                half = left // 2
                place += half if legal[i, place + half] <= actions[k] else 0
                left -= half
            if legal[i, place] != actions[k]:
                return k
    return -1


@kernel
def reward_lanes(lanes, kind, rewards):
    """Write each seat's reward from the last step in each lane, zeros where no game ended; see `reward_of`."""
    for i in range(lanes.shape[0]):
        lane = lanes[i].view(LANE_DTYPE)[0]
        rewards[i] = 0
        if lane.ended == 1:
            for seat in range(int(lane.num_players)):
                rewards[i, seat] = reward_of(kind, lane.scores, lane.ranks, int(lane.num_players), seat)


@kernel
def choose_random(lanes, legal, seed, selected, actions):
    """A uniformly random legal action for each selected lane, determined by the seed, the lane's game and decision."""
    for k in range(selected.shape[0]):
        lane = lanes[selected[k]].view(LANE_DTYPE)[0]
        if lane.legal_count > 0:
            choice = random_below(lane.seed, RANDOM_PLAY, int(lane.decisions), seed, int(lane.legal_count))
            actions[k] = legal[selected[k], choice]


@kernel
def begin_lanes(game, states, lanes, components, legal, masks, observations, selected, start, stop):
    """Begin a game in each selected lane, with the seed and the options of its record."""
    chance = new_stream()
    options = np.zeros(entry_points.MOST_OPTIONS, np.int64)
    results = new_results()
    for k in range(start, stop):
        i = selected[k]
        lane = lanes[i].view(LANE_DTYPE)[0]
        own = components[lane.components_row]
        lane.ended = 0
        begin_lane(game, states[i], lane, own, chance, options, legal[i])
        if lane.legal_count == 0:
            end_lane(game, states[i], lane, own, results)
        show_lane(game, states[i], lane, own, legal[i], masks[i], observations[i])


@kernel
def step_lanes(game, states, lanes, components, actions, legal, masks, observations, selected, start, stop):
    """Apply ``actions[k]`` to the lane ``selected[k]`` for k in ``start..stop-1``.

    A lane whose game is over stays as it is. The result of a game that ends is written into the lane's record, and if
    the record says so, the lane's next game begins at once. The actions must be legal.
    """
    chance = new_stream()
    options = np.zeros(entry_points.MOST_OPTIONS, np.int64)
    results = new_results()
    for k in range(start, stop):
        i = selected[k]
        lane = lanes[i].view(LANE_DTYPE)[0]
        lane.ended = 0
        if lane.seat < 0:
            continue
        own = components[lane.components_row]
        chance[SEED] = lane.seed
        play_on(game, states[i], lane, own, chance, int(actions[k]), legal[i])
        if lane.legal_count == 0:
            end_lane(game, states[i], lane, own, results)
            if lane.restart == 1:
                lane.game = int(lane.game) + 1
                lane.seed = game_seed(lane.base_seed, 0, lane.game)
                begin_lane(game, states[i], lane, own, chance, options, legal[i])
        show_lane(game, states[i], lane, own, legal[i], masks[i], observations[i])


@kernel
def refresh_lanes(game, states, lanes, components, legal, masks, observations, selected, start, stop):
    """Refresh the arrays of each selected lane after its state was set from outside."""
    chance = new_stream()
    results = new_results()
    for k in range(start, stop):
        i = selected[k]
        lane = lanes[i].view(LANE_DTYPE)[0]
        own = components[lane.components_row]
        lane.legal_count = entry_points.list_legal(game, states[i], own, legal[i])
        if lane.legal_count > 0:
            chance[SEED] = lane.seed
            play_random_seats(game, states[i], lane, own, chance, legal[i])
            if lane.legal_count == 0:
                end_lane(game, states[i], lane, own, results)
        show_lane(game, states[i], lane, own, legal[i], masks[i], observations[i])


@kernel
def new_stream():
    """A chance array of a stream; its seed is set by the caller."""
    chance = np.zeros(CHANCE_SIZE, np.int64)
    chance[MODE] = STREAM
    return chance


@kernel
def new_results():
    """Scratch space for the scores, the ranks and the ending of a game."""
    return (
        np.zeros(MOST_SEATS, entry_points.SCORE_TYPE),
        np.zeros(MOST_SEATS, np.int8),
        np.zeros(entry_points.ENDING_SIZE, np.int32),
    )


@kernel
def begin_lane(game, state, lane, components, chance, options, legal):
    """Begin the game with a lane's seed; ``options`` is scratch space."""
    chance[SEED] = lane.seed
    lane.decisions = 0
    for i in range(entry_points.MOST_OPTIONS):
        options[i] = lane.options[i]
    lane.legal_count = entry_points.begin(game, state, components, chance, options, legal)
    play_random_seats(game, state, lane, components, chance, legal)


@kernel
def play_random_seats(game, state, lane, components, chance, legal):
    """Make random decisions as long as a random seat decides."""
    if lane.legal_count > 0 and lane.random_seats[entry_points.seat_of(game, state)] == 1:
        play_on(game, state, lane, components, chance, random_choice(game, state, lane, legal), legal)


@kernel
def random_choice(game, state, lane, legal):
    """The action of a random seat."""
    seed = lane.random_seeds[entry_points.seat_of(game, state)]
    return int(legal[random_below(lane.seed, RANDOM_PLAY, int(lane.decisions), seed, int(lane.legal_count))])


@kernel
def play_on(game, state, lane, components, chance, action, legal):
    """Apply a legal action in a lane, and the decisions of random seats after it."""
    while True:
        lane.legal_count = entry_points.play(game, state, components, chance, action, legal)
        lane.decisions = int(lane.decisions) + 1
        if lane.legal_count == 0 or lane.random_seats[entry_points.seat_of(game, state)] == 0:
            break
        action = random_choice(game, state, lane, legal)


@kernel
def show_lane(game, state, lane, components, legal, mask, observation):
    """Write the deciding seat, its action mask and its observation."""
    lane.seat = entry_points.seat_of(game, state)
    mask[:] = 0
    for k in range(int(lane.legal_count)):
        mask[legal[k]] = 1
    if lane.seat >= 0:
        entry_points.observe(game, state, components, int(lane.seat), observation)
    else:
        observation[:] = 0


@kernel
def end_lane(game, state, lane, components, results):
    """Write the result of a finished game into the lane's record; ``results`` is scratch space."""
    scores, ranks, ending = results
    entry_points.write_results(game, state, components, scores, ranks, ending)
    lane.ended = 1
    lane.stopped = ending[entry_points.STOPPED]
    lane.rounds = ending[entry_points.ROUNDS]
    lane.last_seed = lane.seed
    lane.last_decisions = lane.decisions
    for seat in range(game[entry_points.SEATS]):
        lane.scores[seat] = scores[seat]
        lane.ranks[seat] = ranks[seat]

"""The game on plain arrays: what everything outside this package calls.

States and components come as their bytes (uint8), because numba passes plain arrays faster than records. One game is a
row; many games are rows of a 2-D array, each with its `LANE_DTYPE` record.
"""

from __future__ import annotations

import numpy as np

from dunaia_env.chance import CHANCE_SIZE, MODE, RANDOM_PLAY, SEED, STREAM, game_seed, random_below
from dunaia_env.compile_cache import kernel
from dunaia_env.dunaia.actions import NUM_ACTIONS
from dunaia_env.dunaia.components import COMPONENTS_DTYPE
from dunaia_env.dunaia.observation import observe
from dunaia_env.dunaia.rules.legal import legal_actions
from dunaia_env.dunaia.rules.play import play, settle
from dunaia_env.dunaia.rules.scoring import rank, score
from dunaia_env.dunaia.rules.setup import set_up
from dunaia_env.dunaia.state import MAX_PLAYERS, STATE_DTYPE, STATE_SIZE
from dunaia_env.lane import LANE_DTYPE


@kernel
def begin_game(state, components, chance, num_players, elites, max_rounds, legal):
    """Set up a game in ``state`` and apply forced decisions.

    Writes the legal actions into ``legal`` (int16, one entry an action) and returns their number.
    """
    s = state.view(STATE_DTYPE)[0]
    t = components.view(COMPONENTS_DTYPE)[0]
    set_up(s, t, chance, num_players, elites, max_rounds)
    return settle(s, t, chance, legal)


@kernel
def play_action(state, components, chance, action, legal):
    """Apply a legal action and the forced decisions after it; writes and returns the next legal actions' number."""
    s = state.view(STATE_DTYPE)[0]
    t = components.view(COMPONENTS_DTYPE)[0]
    return play(s, t, chance, action, legal)


@kernel
def list_legal(state, components, legal):
    """Write the legal actions of a state, in table order; returns their number."""
    return legal_actions(state.view(STATE_DTYPE)[0], components.view(COMPONENTS_DTYPE)[0], legal)


@kernel
def write_observation(state, components, seat, out):
    """Write the observation of a seat into ``out`` (int8, one entry an observation entry)."""
    observe(state.view(STATE_DTYPE)[0], components.view(COMPONENTS_DTYPE)[0], seat, out)


@kernel
def write_results(state, components, scores, ranks):
    """Write the scores as if the game ended now, and the ranks, one entry a seat; absent seats get 0."""
    s = state.view(STATE_DTYPE)[0]
    t = components.view(COMPONENTS_DTYPE)[0]
    for seat in range(MAX_PLAYERS):
        scores[seat] = score(s, t, seat) if seat < s.num_players else 0
        ranks[seat] = rank(s, t, seat) if seat < s.num_players else 0


@kernel
def random_game(state, components, chance, seed, legal):
    """Play a game to its end with uniformly random decisions named by ``seed``; returns the number of decisions."""
    s = state.view(STATE_DTYPE)[0]
    t = components.view(COMPONENTS_DTYPE)[0]
    count = legal_actions(s, t, legal)
    decisions = 0
    while count > 0:
        choice = random_below(seed, RANDOM_PLAY, decisions, 0, count)
        count = play(s, t, chance, int(legal[choice]), legal)
        decisions += 1
    return decisions


@kernel
def random_games(components, seed, games, num_players, elites, max_rounds):
    """Play that many games with random decisions from set-up to end, without observations; returns the decisions."""
    state = np.zeros(STATE_SIZE, np.uint8)
    legal = np.zeros(NUM_ACTIONS, np.int16)
    chance = np.zeros(CHANCE_SIZE, np.int64)
    chance[MODE] = STREAM
    decisions = 0
    for game in range(games):
        chance[SEED] = game_seed(seed, 0, game)
        begin_game(state, components, chance, num_players, elites, max_rounds, legal)
        decisions += random_game(state, components, chance, chance[SEED], legal)
    return decisions


@kernel
def begin_lanes(states, lanes, components, legal, masks, observations, selected, start, stop):
    """Begin a game in each lane of ``selected[start:stop]``, of the seed, players and variant its record names."""
    t = components.view(COMPONENTS_DTYPE)[0]
    chance = np.zeros(CHANCE_SIZE, np.int64)
    chance[MODE] = STREAM
    for k in range(start, stop):
        i = selected[k]
        s = states[i].view(STATE_DTYPE)[0]
        lane = lanes[i].view(LANE_DTYPE)[0]
        lane.ended = 0
        begin_lane(s, t, lane, chance, legal[i])
        if lane.legal_count == 0:
            end_lane(s, t, lane)
        show_lane(s, t, lane, legal[i], masks[i], observations[i])


@kernel
def begin_lane(s, t, lane, chance, legal):
    """Begin the game of a lane's seed."""
    chance[SEED] = lane.seed
    lane.decisions = 0
    set_up(s, t, chance, int(lane.num_players), lane.elites == 1, int(lane.max_rounds))
    lane.legal_count = settle(s, t, chance, legal)
    play_random_seats(s, t, lane, chance, legal)


@kernel
def play_random_seats(s, t, lane, chance, legal):
    """Decide at random as long as a seat is asked that the lane's record leaves to chance."""
    if lane.legal_count > 0 and lane.random_seats[s.seat] == 1:
        play_on(s, t, lane, chance, random_choice(s, lane, legal), legal)


@kernel
def random_choice(s, lane, legal):
    """The action of a seat that the lane's record leaves to chance."""
    seed = lane.random_seeds[s.seat]
    return int(legal[random_below(lane.seed, RANDOM_PLAY, int(lane.decisions), seed, int(lane.legal_count))])


@kernel
def play_on(s, t, lane, chance, action, legal):
    """Apply a legal action in a lane, and those of the seats left to chance that are asked after it."""
    while True:
        lane.legal_count = play(s, t, chance, action, legal)
        lane.decisions = int(lane.decisions) + 1
        if lane.legal_count == 0 or lane.random_seats[s.seat] == 0:
            break
        action = random_choice(s, lane, legal)


@kernel
def show_lane(s, t, lane, legal, mask, observation):
    """Write who decides, the mask of legal actions and the decider's observation."""
    lane.seat = s.seat
    mask[:] = 0
    for k in range(int(lane.legal_count)):
        mask[legal[k]] = 1
    if s.seat >= 0:
        observe(s, t, int(s.seat), observation)
    else:
        observation[:] = 0


@kernel
def refresh_lanes(states, lanes, components, legal, masks, observations, selected, start, stop):
    """Go on from states that came from outside: write what each lane of ``selected[start:stop]`` shows."""
    t = components.view(COMPONENTS_DTYPE)[0]
    chance = np.zeros(CHANCE_SIZE, np.int64)
    chance[MODE] = STREAM
    for k in range(start, stop):
        i = selected[k]
        s = states[i].view(STATE_DTYPE)[0]
        lane = lanes[i].view(LANE_DTYPE)[0]
        lane.legal_count = legal_actions(s, t, legal[i])
        if lane.legal_count > 0:
            chance[SEED] = lane.seed
            play_random_seats(s, t, lane, chance, legal[i])
            if lane.legal_count == 0:
                end_lane(s, t, lane)
        show_lane(s, t, lane, legal[i], masks[i], observations[i])


@kernel
def step_lanes(states, lanes, components, actions, legal, masks, observations, selected, start, stop):
    """Apply ``actions[k]`` to the lane ``selected[k]`` for k in ``start..stop-1``; one whose game is over stays so.

    A game that ends leaves its result in the lane's record and, where the record says so, the lane's next game begins
    at once. The actions must be legal.
    """
    t = components.view(COMPONENTS_DTYPE)[0]
    chance = np.zeros(CHANCE_SIZE, np.int64)
    chance[MODE] = STREAM
    for k in range(start, stop):
        i = selected[k]
        lane = lanes[i].view(LANE_DTYPE)[0]
        lane.ended = 0
        if lane.seat < 0:
            continue
        s = states[i].view(STATE_DTYPE)[0]
        chance[SEED] = lane.seed
        play_on(s, t, lane, chance, int(actions[k]), legal[i])
        if lane.legal_count == 0:
            end_lane(s, t, lane)
            if lane.restart == 1:
                lane.game = int(lane.game) + 1
                lane.seed = game_seed(lane.base_seed, 0, lane.game)
                begin_lane(s, t, lane, chance, legal[i])
        show_lane(s, t, lane, legal[i], masks[i], observations[i])


@kernel
def end_lane(s, t, lane):
    """Write the result of a finished game into the lane's record."""
    lane.ended = 1
    lane.truncated = s.truncated
    lane.rounds = s.round_number
    lane.last_seed = lane.seed
    lane.last_decisions = lane.decisions
    for seat in range(MAX_PLAYERS):
        lane.scores[seat] = score(s, t, seat) if seat < s.num_players else 0
        lane.ranks[seat] = rank(s, t, seat) if seat < s.num_players else 0

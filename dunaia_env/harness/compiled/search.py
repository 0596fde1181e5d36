"""Monte Carlo tree search with open-loop chance.

A node stands for the decisions made since the root, not for a state: every simulation plays them again with its own
draws. The values of a node are therefore averages over chance, and its legal actions may differ from one simulation to
the next. In a game with hidden information each simulation begins at its own random state, which agrees with what the
searching player knows (information set search: Cowling, Powley, Whitehouse, 2012). A node holds a value for each
player, the player's share of the win. Every player maximises its own value (max^n: Luckhardt, Irani, 1986), so no value
is ever negated and any number of players works.

A simulation descends by PUCT, ``value + exploration * prior * sqrt(visits of the parent) / (1 + visits)`` (Rosin, 2011;
Silver et al., 2017), adds one node, and takes the value of the position that it reaches: the result of a playout to the
end, or else the game's evaluation. The prior is uniform, or it is the softmax of the legal actions' evaluations divided
by the prior temperature; evaluated is the position after each action, or the action itself. The softmax is mixed with a
uniform distribution of weight `UNIFORM_SHARE`, so that every action gets visits in time.
"""

from __future__ import annotations

import math

import numpy as np

from dunaia_env.harness.compiled import entry_points, greedy, lane
from dunaia_env.harness.compiled.chance import SEARCH_PLAY, SEED, hashed_seed
from dunaia_env.harness.compiled.entry_points import MOST_SEATS
from dunaia_env.harness.compiled.hashing import wrapped_product
from dunaia_env.support.compile_cache import kernel

NODE_DTYPE: np.dtype[np.record] = np.dtype(  # type: ignore[assignment]
    (
        np.record,
        np.dtype(
            [
                ("values", np.float64, (MOST_SEATS,)),  # sums over the visits, a share of the win for each player
                ("evaluation", np.float64),  # evaluation of the action for the seat that takes it
                ("visits", np.int32),
                ("first_child", np.int32),  # 0: none
                ("next_sibling", np.int32),  # 0: none
                ("action", np.int16),
            ],
            align=True,
        ),
    )
)
NODE_SIZE = NODE_DTYPE.itemsize
# Largest depth of a simulation.
MOST_DEPTH = 1024

# Layout of the settings (float64).
EXPLORATION, PRIOR_TEMPERATURE, FPU_REDUCTION, PLAYOUT, CUTOFF, OTHERS = 0, 1, 2, 3, 4, 5
SETTINGS_SIZE = 6
RANDOM_PLAYOUT, GREEDY_PLAYOUT = 0, 1
SEARCH, FOLLOW_THE_PRIOR = 0, 1
UNIFORM_SHARE = 0.1

_FNV_PRIME = np.uint64(0x100000001B3)
_FNV_START = np.uint64(0xCBF29CE484222325)
_SHIFTS = (np.uint64(12), np.uint64(25), np.uint64(27), np.uint64(32))
_MULTIPLIER = np.uint64(0x2545F4914F6CDD1D)
_SEED_MASK = np.uint64(2**63 - 1)


@kernel
def search_seed(state, seed):
    """The seed (0..2**63-1) of chance in a search: a hash (FNV-1a) of the position and the agent's seed."""
    word = wrapped_product(_FNV_START ^ np.uint64(seed), _FNV_PRIME)
    for byte in state:
        word = wrapped_product(word ^ np.uint64(byte), _FNV_PRIME)
    return np.int64(word & _SEED_MASK)


@kernel
def random_index(generator, n):
    """A number in 0..n-1 from a small generator (xorshift64*: Vigna, 2016) with the state ``generator[0]`` (uint64)."""
    word = generator[0]
    word ^= word >> _SHIFTS[0]
    word ^= word << _SHIFTS[1]
    word ^= word >> _SHIFTS[2]
    generator[0] = word
    return np.int64(((wrapped_product(word, _MULTIPLIER) >> _SHIFTS[3]) * np.uint64(n)) >> _SHIFTS[3])


@kernel
def grow_tree(game, state, components, weights, settings, seed, start, stop, tree, used):
    """Run the simulations ``start..stop-1`` of a search; returns the number of nodes in use.

    Args:
        game: the game's table.
        state: the root's bytes.
        components: the components.
        weights: weights of the evaluation.
        settings: float64, laid out as the constants above say. A prior temperature of 0 makes the prior uniform; with a
            negative cutoff, playouts go to the end of the game.
        seed: seed of chance, see `search_seed`.
        start: number of the first simulation, from 0.
        stop: number of the last simulation plus 1.
        tree: uint8, space for `NODE_DTYPE` records. A simulation adds at most as many nodes as there are actions; a
            full tree stops growing. Node 0 is the root. Simulation 0 overwrites what the array holds.
        used: number of nodes in use, 1 at the beginning.
    """
    nodes = tree.view(NODE_DTYPE)
    position = np.empty(game[entry_points.STATE_SIZE], np.uint8)
    trial = np.empty(game[entry_points.STATE_SIZE], np.uint8)
    legal = np.empty(game[entry_points.NUM_ACTIONS], np.int16)
    trial_legal = np.empty(game[entry_points.NUM_ACTIONS], np.int16)
    children = np.zeros(game[entry_points.NUM_ACTIONS], np.int32)
    child_of = np.zeros(game[entry_points.NUM_ACTIONS], np.int32)
    path = np.zeros(MOST_DEPTH + 1, np.int32)
    shares = np.zeros(MOST_SEATS, np.float64)
    generator = np.zeros(1, np.uint64)
    chance = lane.new_stream()
    value = np.zeros(1, np.float64)
    searching_seat = entry_points.seat_of(game, state)
    players = entry_points.players_of(game, state)
    if start == 0:
        clear_node(nodes[0])
    for simulation in range(start, stop):
        chance[SEED] = hashed_seed(seed, SEARCH_PLAY, simulation, 0)
        generator[0] = np.uint64(chance[SEED]) | np.uint64(1)
        entry_points.copy_state(position, state)
        entry_points.resample(game, position, components, chance, searching_seat)
        count = entry_points.list_legal(game, position, components, legal)
        node = 0
        depth = 0
        while count > 0 and depth < MOST_DEPTH and (node == 0 or nodes[node].visits > 0):
            if used + count > nodes.shape[0]:
                break
            used = find_children(
                game,
                nodes,
                used,
                node,
                position,
                components,
                chance,
                weights,
                settings,
                legal,
                count,
                trial,
                trial_legal,
                value,
                child_of,
                children,
            )
            seat = entry_points.seat_of(game, position)
            if settings[OTHERS] == FOLLOW_THE_PRIOR and seat != searching_seat:
                choice = best_evaluated(nodes, children, count)
            else:
                choice = choose_child(nodes, node, seat, players, settings, generator, children, count)
            count = entry_points.play(game, position, components, chance, int(legal[choice]), legal)
            node = int(children[choice])
            depth += 1
            path[depth] = node
        play_out(game, position, components, weights, settings, chance, generator, legal, count, trial, trial_legal)
        entry_points.write_shares(game, position, components, weights, shares)
        for i in range(depth + 1):
            nodes[path[i]].visits += 1
            for player in range(players):
                nodes[path[i]].values[player] += shares[player]
    return used


@kernel
def clear_node(node):
    """Reset a node."""
    for seat in range(MOST_SEATS):
        node.values[seat] = 0.0
    node.evaluation = 0.0
    node.visits = 0
    node.first_child = 0
    node.next_sibling = 0
    node.action = 0


@kernel
def find_children(
    game,
    nodes,
    used,
    node,
    position,
    components,
    chance,
    weights,
    settings,
    legal,
    count,
    trial,
    trial_legal,
    value,
    child_of,
    children,
):
    """Write the child of each legal action into ``children``, adding those that are missing; returns the nodes in use.

    ``child_of`` has an entry for each action, zeros on entry and afterwards.
    """
    child = int(nodes[node].first_child)
    while child != 0:
        child_of[nodes[child].action] = child
        child = int(nodes[child].next_sibling)
    seat = entry_points.seat_of(game, position)
    preferences = np.zeros(count if game[entry_points.PREFERENCES] != 0 else 0, np.float64)
    preferred = False
    for k in range(count):
        action = int(legal[k])
        child = int(child_of[action])
        if child == 0:
            child = used
            used += 1
            clear_node(nodes[child])
            nodes[child].action = action
            nodes[child].next_sibling = nodes[node].first_child
            nodes[node].first_child = child
            if settings[PRIOR_TEMPERATURE] > 0 and game[entry_points.PREFERENCES] != 0:
                if not preferred:
                    entry_points.write_preferences(game, position, components, weights, legal, count, preferences)
                    preferred = True
                nodes[child].evaluation = preferences[k]
            elif settings[PRIOR_TEMPERATURE] > 0:
                entry_points.copy_state(trial, position)
                entry_points.play(game, trial, components, chance, action, trial_legal)
                entry_points.write_value(game, trial, components, weights, seat, value)
                nodes[child].evaluation = value[0]
        children[k] = child
    child = int(nodes[node].first_child)
    while child != 0:
        child_of[nodes[child].action] = 0
        child = int(nodes[child].next_sibling)
    return used


@kernel
def best_evaluated(nodes, children, count):
    """The index of the legal action with the best evaluation; ties go to the first."""
    best = 0
    for k in range(1, count):
        if nodes[children[k]].evaluation > nodes[children[best]].evaluation:
            best = k
    return best


@kernel
def choose_child(nodes, node, seat, players, settings, generator, children, count):
    """The index of the legal action with the best PUCT score; with a uniform prior, each action is tried once first."""
    temperature = settings[PRIOR_TEMPERATURE]
    visits = int(nodes[node].visits)
    expected = nodes[node].values[seat] / visits if visits > 0 else 1.0 / players
    best_evaluation = -np.inf
    unvisited = 0
    for k in range(count):
        best_evaluation = max(best_evaluation, nodes[children[k]].evaluation)
        if nodes[children[k]].visits == 0:
            unvisited += 1
    if temperature == 0 and unvisited > 0:
        wanted = random_index(generator, unvisited)
        for k in range(count):
            if nodes[children[k]].visits == 0:
                if wanted == 0:
                    return k
                wanted -= 1
    total = 0.0
    if temperature > 0:
        for k in range(count):
            total += math.exp((nodes[children[k]].evaluation - best_evaluation) / temperature)
    scale = settings[EXPLORATION] * math.sqrt(visits + 1.0)
    best = 0
    best_puct = -np.inf
    for k in range(count):
        child = nodes[children[k]]
        prior = 1.0 / count
        if temperature > 0:
            softmax = math.exp((child.evaluation - best_evaluation) / temperature) / total
            prior = UNIFORM_SHARE * prior + (1 - UNIFORM_SHARE) * softmax
        value = child.values[seat] / child.visits if child.visits > 0 else expected - settings[FPU_REDUCTION]
        puct = value + scale * prior / (1 + child.visits)
        if puct > best_puct:
            best_puct = puct
            best = k
    return best


@kernel
def play_out(game, position, components, weights, settings, chance, generator, legal, count, trial, trial_legal):
    """Play until the game is over or the cutoff is reached."""
    left = int(settings[CUTOFF])
    while count > 0 and left != 0:
        if settings[PLAYOUT] == RANDOM_PLAYOUT:
            action = int(legal[random_index(generator, count)])
        else:
            # Not the seed of the playout, with which its players would know their draws in advance.
            action = greedy.best_action(
                game, position, components, weights, chance[SEED] ^ 1, legal, count, trial, trial_legal
            )
        count = entry_points.play(game, position, components, chance, action, legal)
        left -= 1


@kernel
def value_actions(game, state, components, weights, settings, seed, playouts, legal, count, values):
    """Flat Monte Carlo: run ``playouts`` playouts of each legal action and write every player's mean share of the win.

    ``values`` is float64 ``(count, seats)``. The k-th playouts of all actions have the same outcomes of chance.
    """
    position = np.empty(game[entry_points.STATE_SIZE], np.uint8)
    trial = np.empty(game[entry_points.STATE_SIZE], np.uint8)
    trial_legal = np.empty(game[entry_points.NUM_ACTIONS], np.int16)
    next_legal = np.empty(game[entry_points.NUM_ACTIONS], np.int16)
    shares = np.zeros(MOST_SEATS, np.float64)
    generator = np.zeros(1, np.uint64)
    chance = lane.new_stream()
    players = entry_points.players_of(game, state)
    values[:] = 0.0
    for number in range(playouts):
        playout_seed = hashed_seed(seed, SEARCH_PLAY, number, 0)
        for k in range(count):
            chance[SEED] = playout_seed
            generator[0] = np.uint64(chance[SEED]) | np.uint64(1)
            entry_points.copy_state(position, state)
            entry_points.resample(game, position, components, chance, entry_points.seat_of(game, state))
            left = entry_points.play(game, position, components, chance, int(legal[k]), next_legal)
            play_out(
                game, position, components, weights, settings, chance, generator, next_legal, left, trial, trial_legal
            )
            entry_points.write_shares(game, position, components, weights, shares)
            for seat in range(players):
                values[k, seat] += shares[seat] / playouts

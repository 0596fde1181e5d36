"""Tree search guided by a policy and a value that come from outside, such as a network's, for many positions at once.

A node stands for the decisions made since the root, not for a state: every simulation plays them again with its own
draws (open-loop chance, as in `search`), so the legal actions at a node may differ from one simulation to the next. In
a game with hidden information each simulation begins at a random state that agrees with what the searching player
knows. A node holds the logits of all actions, from its first visit, and the sum of the values for each player. A value
is a share of the win. Every player maximises its own value (max^n: Luckhardt, Irani, 1986).

The search is that of Danihelka, Guez, Schrittwieser, Silver ("Policy improvement by planning with Gumbel", 2022). At
the root the actions with the best logits are candidates, and sequential halving (Karnin, Koren, Somekh, 2013) divides
the simulations among them: first all candidates get equally many simulations, then the better half of them, and so on.
Below the root a simulation takes the action whose share of the visits is furthest below its probability in the improved
policy. The improved policy is ``softmax(logit + (VISIT_OFFSET + most visits of an action) * value_scale * value)``,
where an action without a visit gets the value that its siblings and the network predict (`mixed_value`).

The n-th simulations of all candidates of a root have the same outcomes of chance, so that luck does not favour any
candidate. These simulations do not depend on each other's results, so each round of simulations is one batch of leaves.
A search is `begin`, an evaluation of the leaves, `back_up`, and then, until no root has simulations left: `descend`, an
evaluation of the leaves, `back_up`.
"""

from __future__ import annotations

import math

import numpy as np

from dunaia_env.harness.compiled import entry_points, lane, search
from dunaia_env.harness.compiled.chance import SEARCH_PLAY, SEED, hashed_seed, random_words
from dunaia_env.harness.compiled.entry_points import MOST_SEATS
from dunaia_env.support.compile_cache import kernel

NODE_DTYPE: np.dtype[np.record] = np.dtype(  # type: ignore[assignment]
    (
        np.record,
        np.dtype(
            [
                ("values", np.float64, (MOST_SEATS,)),  # sums over the visits, a share of the win for each player
                ("network_values", np.float64, (MOST_SEATS,)),  # from the evaluation of the node
                ("visits", np.int32),
                ("parent", np.int32),  # -1: none
                ("first_child", np.int32),  # 0: none
                ("next_sibling", np.int32),  # 0: none
                ("action", np.int16),
                ("evaluated", np.int8),  # 1: the node has logits and network values
            ],
            align=True,
        ),
    )
)
NODE_SIZE = NODE_DTYPE.itemsize

ROOT_DTYPE: np.dtype[np.record] = np.dtype(  # type: ignore[assignment]
    (
        np.record,
        np.dtype(
            [
                ("seed", np.int64),  # seed of chance, see `search.search_seed`
                ("components_row", np.int32),  # row of the components with which the position is played
                ("used", np.int32),  # number of nodes in use
                ("simulations_left", np.int32),
                ("num_candidates", np.int32),  # candidates that get at least one simulation
                ("num_considered", np.int32),  # candidates that still get simulations
                ("rounds_left", np.int32),  # simulations of each candidate until the next halving
            ],
            align=True,
        ),
    )
)
ROOT_SIZE = ROOT_DTYPE.itemsize

# Layout of a leaf (int32): its root, its node, the deciding seat there.
ROOT, NODE, SEAT = 0, 1, 2
LEAF_SIZE = 3

# Layout of the settings (float64).
SIMULATIONS, CANDIDATES, VALUE_SCALE, NOISE = 0, 1, 2, 3
SETTINGS_SIZE = 4

VISIT_OFFSET = 50.0
# Changes when a search with the same settings may choose another action.
VERSION = 1
# The part in the key of an action's noise; simulations have part 0.
_NOISE_PART = 1


@kernel
def begin(game, states, components, settings, seed, roots, ranking, trees, leaves, observations):
    """Begin the search of R positions, whose roots are the first leaves; returns R.

    Args:
        game: the game's table.
        states: uint8 ``(R, STATE_SIZE)``; none is over.
        components: uint8 ``(F, bytes)``, the components of each different component file.
        settings: float64, laid out as the constants above say; noise is 1 or 0.
        seed: determines, together with a position, the seed of chance in its search.
        roots: uint8 ``(R, ROOT_SIZE)``, `ROOT_DTYPE` records, whose ``components_row`` is set.
        ranking: three arrays ``(R, A)`` for A actions: ``candidates`` int16, best first; ``scores`` float64, by which
            they were sorted; ``noise`` float64, added to the logit of each action.
        trees: uint8 ``(R, (simulations + 1) * NODE_SIZE)``, `NODE_DTYPE` records.
        leaves: int32 ``(R * candidates, LEAF_SIZE)``, laid out as the constants above say.
        observations: int8 ``(R * candidates, OBSERVATION_SIZE)``: what the deciding player sees at each leaf.
    """
    _, _, noise = ranking
    for i in range(states.shape[0]):
        root = roots[i].view(ROOT_DTYPE)[0]
        root.seed = search.search_seed(states[i], seed)
        root.simulations_left = int(settings[SIMULATIONS])
        root.used = 1
        root.num_considered = 0
        root.rounds_left = 0
        for action in range(game[entry_points.NUM_ACTIONS]):
            noise[i, action] = 0.0
            if settings[NOISE] == 1:
                # 32 random bits plus half a step, so that the number is in (0, 1).
                high, _ = random_words(root.seed, SEARCH_PLAY, action, _NOISE_PART)
                noise[i, action] = -math.log(-math.log((high + 0.5) / 2.0**32))
        clear_node(trees[i].view(NODE_DTYPE)[0], -1, 0)
        write_leaf(game, states[i], components[root.components_row], i, 0, leaves[i], observations[i])
    return states.shape[0]


@kernel
def clear_node(node, parent, action):
    """Reset a node."""
    for seat in range(MOST_SEATS):
        node.values[seat] = 0.0
        node.network_values[seat] = 0.0
    node.visits = 0
    node.parent = parent
    node.first_child = 0
    node.next_sibling = 0
    node.action = action
    node.evaluated = 0


@kernel
def write_leaf(game, state, components, root, node, leaf, observation):
    """Write a leaf: a position to be evaluated."""
    leaf[ROOT] = root
    leaf[NODE] = node
    leaf[SEAT] = entry_points.seat_of(game, state)
    entry_points.observe(game, state, components, entry_points.seat_of(game, state), observation)


@kernel
def descend(game, states, components, settings, roots, ranking, trees, logits, leaves, observations):
    """Run the next simulation of every candidate of every root; returns the number of leaves to evaluate.

    Simulations that reach the end of the game are backed up at once. The arguments are those of `begin`; ``logits`` is
    float32 ``(R, simulations + 1, A)``.
    """
    position = np.empty(game[entry_points.STATE_SIZE], np.uint8)
    legal = np.empty(game[entry_points.NUM_ACTIONS], np.int16)
    child_of = np.zeros(game[entry_points.NUM_ACTIONS], np.int32)
    children = np.zeros(game[entry_points.NUM_ACTIONS], np.int32)
    policy = np.zeros(game[entry_points.NUM_ACTIONS], np.float64)
    shares = np.zeros(MOST_SEATS, np.float64)
    results = lane.new_results()
    chance = lane.new_stream()
    candidates, _, _ = ranking
    count = 0
    for i in range(states.shape[0]):
        root = roots[i].view(ROOT_DTYPE)[0]
        own = components[root.components_row]
        nodes = trees[i].view(NODE_DTYPE)
        for k in range(min(int(root.num_considered), int(root.simulations_left))):
            entry_points.copy_state(position, states[i])
            choice = int(candidates[i, k])
            node = find_child(nodes, root, 0, choice)
            chance[SEED] = hashed_seed(root.seed, SEARCH_PLAY, int(nodes[node].visits), 0)
            entry_points.resample(game, position, own, chance, entry_points.seat_of(game, states[i]))
            legal_count = entry_points.play(game, position, own, chance, choice, legal)
            while legal_count > 0 and nodes[node].evaluated == 1:
                find_children(nodes, node, legal, legal_count, child_of, children)
                seat = entry_points.seat_of(game, position)
                index = select_action(nodes, logits[i], node, seat, settings, legal, legal_count, children, policy)
                choice = int(legal[index])
                node = find_child(nodes, root, node, choice)
                legal_count = entry_points.play(game, position, own, chance, choice, legal)
            if legal_count > 0:
                write_leaf(game, position, own, i, node, leaves[count], observations[count])
                count += 1
            else:
                write_final_shares(game, position, own, results, shares)
                add_visit(nodes, node, shares)
    return count


@kernel
def write_final_shares(game, state, components, results, shares):
    """Write each player's share of the win of a finished game; ``results`` is scratch space."""
    scores, ranks, ending = results
    entry_points.write_results(game, state, components, scores, ranks, ending)
    players = entry_points.players_of(game, state)
    winners = 0
    for seat in range(players):
        winners += 1 if ranks[seat] == 1 else 0
    for seat in range(players):
        shares[seat] = 1.0 / winners if ranks[seat] == 1 else 0.0


@kernel
def find_child(nodes, root, node, action):
    """The child of an action, which is added if it is missing."""
    child = int(nodes[node].first_child)
    while child != 0:
        if nodes[child].action == action:
            return child
        child = int(nodes[child].next_sibling)
    child = int(root.used)
    root.used = child + 1
    clear_node(nodes[child], node, action)
    nodes[child].next_sibling = nodes[node].first_child
    nodes[node].first_child = child
    return child


@kernel
def find_children(nodes, node, legal, count, child_of, children):
    """Write the child of each legal action into ``children``, 0 where there is none.

    ``child_of`` has an entry for each action, zeros on entry and afterwards.
    """
    child = int(nodes[node].first_child)
    while child != 0:
        child_of[nodes[child].action] = child
        child = int(nodes[child].next_sibling)
    for k in range(count):
        children[k] = child_of[legal[k]]
    child = int(nodes[node].first_child)
    while child != 0:
        child_of[nodes[child].action] = 0
        child = int(nodes[child].next_sibling)


@kernel
def select_action(nodes, logits, node, seat, settings, legal, count, children, policy):
    """The index of the legal action with a share of visits furthest below the improved policy; ties go to the first."""
    write_improved_policy(nodes, logits, node, seat, settings, legal, count, children, policy)
    visits = 0
    for k in range(count):
        if children[k] != 0:
            visits += int(nodes[children[k]].visits)
    best = 0
    best_lag = -np.inf
    for k in range(count):
        own = int(nodes[children[k]].visits) if children[k] != 0 else 0
        lag = policy[k] - own / (1.0 + visits)
        if lag > best_lag:
            best_lag = lag
            best = k
    return best


@kernel
def write_improved_policy(nodes, logits, node, seat, settings, legal, count, children, policy):
    """Write the improved policy over the legal actions of the deciding seat into ``policy`` (float64)."""
    write_prior(logits, node, legal, count, policy)
    expected = mixed_value(nodes, node, seat, count, children, policy)
    scale = value_scale(nodes, count, children, settings)
    best = -np.inf
    for k in range(count):
        value = expected
        if children[k] != 0 and nodes[children[k]].visits > 0:
            value = nodes[children[k]].values[seat] / nodes[children[k]].visits
        policy[k] = logits[node, legal[k]] + scale * value
        best = max(best, policy[k])
    normalise(policy, count, best)


@kernel
def write_prior(logits, node, legal, count, policy):
    """Write the softmax of the legal actions' logits into ``policy``."""
    best = -np.inf
    for k in range(count):
        policy[k] = logits[node, legal[k]]
        best = max(best, policy[k])
    normalise(policy, count, best)


@kernel
def normalise(policy, count, best):
    """Replace numbers by their softmax; ``best`` is the largest of them."""
    total = 0.0
    for k in range(count):
        policy[k] = math.exp(policy[k] - best)
        total += policy[k]
    for k in range(count):
        policy[k] /= total


@kernel
def mixed_value(nodes, node, seat, count, children, prior):
    """A seat's expected value at a node, which stands in for the values of actions without visits.

    It is the mean of two values: the network's value, which counts as one visit, and the mean of the visited actions'
    values weighted by the prior, which counts as all their visits.
    """
    visits = 0
    known_prior = 0.0
    known_value = 0.0
    for k in range(count):
        child = children[k]
        if child != 0 and nodes[child].visits > 0:
            visits += int(nodes[child].visits)
            known_prior += prior[k]
            known_value += prior[k] * nodes[child].values[seat] / nodes[child].visits
    if known_prior == 0:
        return nodes[node].network_values[seat]
    return (nodes[node].network_values[seat] + visits * known_value / known_prior) / (1 + visits)


@kernel
def value_scale(nodes, count, children, settings):
    """The factor of values that are added to logits; it grows with the visits of the most visited action."""
    most = 0
    for k in range(count):
        if children[k] != 0:
            most = max(most, int(nodes[children[k]].visits))
    return (VISIT_OFFSET + most) * settings[VALUE_SCALE]


@kernel
def add_visit(nodes, node, shares):
    """Add a visit with its result to a node and all its ancestors."""
    while node >= 0:
        nodes[node].visits = int(nodes[node].visits) + 1
        for seat in range(MOST_SEATS):
            nodes[node].values[seat] += shares[seat]
        node = int(nodes[node].parent)


@kernel
def back_up(game, states, components, settings, roots, ranking, trees, logits, leaves, count, leaf_logits, leaf_values):
    """Give the leaves their evaluations, back them up, and begin the next round of every root.

    The first arguments are those of `descend`; ``leaves`` is what `begin` or `descend` wrote, and ``count`` the number
    that it returned. ``leaf_logits`` is float32 ``(count, A)``, ``leaf_values`` float32 ``(count, outputs)``: expected
    ``win`` rewards, ``n / (n - 1) * (share - 1 / n)`` with n players, of the deciding seat and, with more than one
    output, of the seats after it. Returns the number of roots that have simulations left.
    """
    legal = np.empty(game[entry_points.NUM_ACTIONS], np.int16)
    shares = np.zeros(MOST_SEATS, np.float64)
    for row in range(count):
        i = int(leaves[row, ROOT])
        node = int(leaves[row, NODE])
        nodes = trees[i].view(NODE_DTYPE)
        players = entry_points.players_of(game, states[i])
        write_shares(leaf_values[row], int(leaves[row, SEAT]), players, shares)
        logits[i, node] = leaf_logits[row]
        for seat in range(players):
            nodes[node].network_values[seat] = shares[seat]
        nodes[node].evaluated = 1
        add_visit(nodes, node, shares)
    candidates, scores, noise = ranking
    active = 0
    for i in range(states.shape[0]):
        root = roots[i].view(ROOT_DTYPE)[0]
        nodes = trees[i].view(NODE_DTYPE)
        seat = entry_points.seat_of(game, states[i])
        own = candidates[i], scores[i], noise[i]
        if root.num_considered == 0:
            legal_count = entry_points.list_legal(game, states[i], components[root.components_row], legal)
            for k in range(legal_count):
                candidates[i, k] = legal[k]
            sort_candidates(own, nodes, logits[i], seat, legal_count, settings)
            root.num_candidates = min(legal_count, int(settings[CANDIDATES]), int(settings[SIMULATIONS]))
            root.num_considered = root.num_candidates
            root.rounds_left = rounds_of(root, settings)
        else:
            next_round(root, own, nodes, logits[i], seat, settings)
        if root.simulations_left > 0:
            active += 1
    return active


@kernel
def write_shares(values, seat, players, shares):
    """Write each player's expected share of the win, in 0..1 with the sum 1; see `back_up` for ``values``."""
    total = 0.0
    for offset in range(players):
        if offset < values.shape[0]:
            share = float(values[offset]) * (players - 1) / players + 1.0 / players
            share = min(max(share, 0.0), 1.0)
        else:
            # With one output, the other players share the rest equally.
            share = (1.0 - shares[seat]) / (players - 1)
        shares[(seat + offset) % players] = share
        total += share
    for other in range(players):
        shares[other] = shares[other] / total if total > 0 else 1.0 / players


@kernel
def rounds_of(root, settings):
    """Number of simulations of each candidate until the next halving, so that all rounds cost about the same."""
    halvings = 1
    while 2**halvings < root.num_candidates:
        halvings += 1
    return max(int(settings[SIMULATIONS]) // (halvings * int(root.num_considered)), 1)


@kernel
def next_round(root, ranking, nodes, logits, seat, settings):
    """Count a simulation of every candidate and, at the end of a round, keep the better half."""
    root.simulations_left = max(int(root.simulations_left) - int(root.num_considered), 0)
    root.rounds_left = int(root.rounds_left) - 1
    if root.rounds_left == 0 and root.simulations_left > 0:
        sort_candidates(ranking, nodes, logits, seat, int(root.num_considered), settings)
        # The last two stay until the end, so that the choice between them is well founded.
        root.num_considered = min(max(int(root.num_considered) // 2, 2), int(root.num_candidates))
        root.rounds_left = rounds_of(root, settings)


@kernel
def sort_candidates(ranking, nodes, logits, seat, count, settings):
    """Sort the first candidates of a root by noise + logit + scaled value, stably."""
    candidates, scores, noise = ranking
    most = 0
    child = int(nodes[0].first_child)
    while child != 0:
        most = max(most, int(nodes[child].visits))
        child = int(nodes[child].next_sibling)
    for k in range(count):
        action = int(candidates[k])
        score = noise[action] + logits[0, action]
        child = int(nodes[0].first_child)
        while child != 0 and nodes[child].action != action:
            child = int(nodes[child].next_sibling)
        if child != 0:
            value = nodes[child].values[seat] / nodes[child].visits
            score += (VISIT_OFFSET + most) * settings[VALUE_SCALE] * value
        index = k
        while index > 0 and scores[index - 1] < score:
            scores[index] = scores[index - 1]
            candidates[index] = candidates[index - 1]
            index -= 1
        scores[index] = score
        candidates[index] = action


@kernel
def read_roots(
    game, states, components, settings, roots, ranking, trees, logits, counts, actions, visits, values, scores, policies
):
    """Write the results of a search of R positions with at most A legal actions.

    The first arguments are those of `descend`. The function writes ``counts``, int64 ``(R,)``, the numbers of legal
    actions; ``actions`` and ``visits``, int64 ``(R, A)``; ``values``, float64 ``(R, A + 1, seats)``, the expected
    shares of the win after each action (from `mixed_value` for an action without a visit), and in the last row those of
    the improved policy; ``scores``, float64 ``(R, A)``, the sum of noise, logit and scaled value for each action; and
    ``policies``, float64 ``(R, A)``, the improved policy, without the noise.
    """
    legal = np.empty(game[entry_points.NUM_ACTIONS], np.int16)
    child_of = np.zeros(game[entry_points.NUM_ACTIONS], np.int32)
    children = np.zeros(game[entry_points.NUM_ACTIONS], np.int32)
    prior = np.zeros(game[entry_points.NUM_ACTIONS], np.float64)
    _, _, noise = ranking
    for i in range(states.shape[0]):
        nodes = trees[i].view(NODE_DTYPE)
        own_seat = entry_points.seat_of(game, states[i])
        row = roots[i].view(ROOT_DTYPE)[0].components_row
        count = entry_points.list_legal(game, states[i], components[row], legal)
        counts[i] = count
        find_children(nodes, 0, legal, count, child_of, children)
        write_prior(logits[i], 0, legal, count, prior)
        write_improved_policy(nodes, logits[i], 0, own_seat, settings, legal, count, children, policies[i])
        scale = value_scale(nodes, count, children, settings)
        values[i] = 0.0
        for seat in range(entry_points.players_of(game, states[i])):
            expected = mixed_value(nodes, 0, seat, count, children, prior)
            for k in range(count):
                child = int(children[k])
                evaluated = child != 0 and nodes[child].visits > 0
                values[i, k, seat] = nodes[child].values[seat] / nodes[child].visits if evaluated else expected
                values[i, -1, seat] += policies[i, k] * values[i, k, seat]
        for k in range(count):
            action = int(legal[k])
            actions[i, k] = action
            visits[i, k] = nodes[children[k]].visits if children[k] != 0 else 0
            scores[i, k] = noise[i, action] + logits[i, 0, action] + scale * values[i, k, own_seat]

"""The searching agents: same seed same move, a value for every player, sure wins found, nothing of the future seen."""

from __future__ import annotations

import functools
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from agents import search
from agents.search import FlatMonteCarloAgent, MCTSAgent
from dunaia_env import GameState, Lanes, Stream
from dunaia_env.harness.compiled import search as kernels
from dunaia_env.harness.compiled.chance import COUNT
from dunaia_env.harness.compiled.rewards import win_shares
from dunaia_env.harness.game import game_named
from dunaia_env.harness.opponents import Agent, GreedyAgent, load
from dunaia_env.harness.state import prepare
from tests.clocks import set_clock
from tests.sampling import sampled

ROOT = Path(__file__).resolve().parent.parent
NAMES = [
    "mcts:60",
    "mcts:30,playout=random",
    "mcts:20,playout=greedy,cutoff=3",
    "mcts:40,prior_temperature=0",
    "mcts:40,others=greedy",
    "flat:60",
]


def test_the_small_generator_and_the_name_of_a_search_are_those_of_the_books() -> None:
    """FNV-1a and xorshift64* in Python's integers, which have no width; as plain Python NumPy warns of overflows."""
    words = 2**64 - 1
    random = np.random.default_rng(0)
    for seed in (0, 1, 2**63 - 1, *random.integers(2**63, size=20).tolist()):
        state = random.integers(256, size=40).astype(np.uint8)
        wanted = (0xCBF29CE484222325 ^ seed) * 0x100000001B3 & words
        for byte in state.tolist():
            wanted = (wanted ^ byte) * 0x100000001B3 & words
        assert kernels.search_seed(state, seed) == wanted & (2**63 - 1)
        generator, word = np.array([seed or 1], np.uint64), seed or 1
        for n in (1, 7, 316):
            word ^= word >> 12
            word ^= word << 25 & words
            word ^= word >> 27
            assert kernels.random_index(generator, n) == ((word * 0x2545F4914F6CDD1D & words) >> 32) * n >> 32
            assert generator[0] == word


@functools.cache
def middle_of_a_game(players: int, elites: bool = False, decisions: int = 60, seed: int = 5) -> GameState:
    chance, agent = Stream(seed), GreedyAgent()
    state = GameState.new(chance, num_players=players, elites=elites)
    for _ in range(decisions):
        state.apply(agent.act(state), chance)
    return state


@pytest.mark.compiled
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("players", "elites"), [(2, False), (3, True), (4, False)])
def test_the_move_depends_on_the_seed_and_the_position_alone(name: str, players: int, elites: bool) -> None:
    agent = load(name)
    assert isinstance(agent, Agent)
    lanes = Lanes(5, num_players=players, elites=elites)
    lanes.reset([3, 4, 3, 5, 6])
    for _ in range(25):
        lanes.step(lanes.random_actions(1))
    agent.reset(7)
    alone = [agent.act(lanes.get_state(lane)) for lane in range(5)]
    assert all(lanes.action_masks[lane, action] for lane, action in enumerate(alone))
    assert agent.act_batch(lanes, np.arange(5)).tolist() == alone
    selected = np.array([4, 1])
    other = load(f"{name},threads=3")
    other.reset(7)
    assert other.act_batch(lanes, selected).tolist() == [alone[4], alone[1]]
    assert other.act_batch(lanes, np.zeros(0, np.int64)).shape == (0,)


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["mcts:600", "mcts:10,playout=random", "flat:30"])
def test_another_seed_imagines_other_dice_and_tiles(name: str) -> None:
    agent, values = load(name), []
    for seed in (7, 8, 7):
        agent.reset(seed)
        # At one of them at least the search comes to the next roll or tile.
        states = [middle_of_a_game(2, decisions=decisions) for decisions in range(56, 70, 2)]
        values.append([agent.search(state).value.tolist() for state in states])  # type: ignore[attr-defined]
    assert values[0] == values[2] != values[1]


@pytest.mark.compiled
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_results_of_a_search(name: str, players: int) -> None:
    state = middle_of_a_game(players)
    before = state.to_bytes()
    agent = load(name)
    found = agent.search(state)  # type: ignore[attr-defined]
    assert state.to_bytes() == before
    assert found.actions.tolist() == state.legal_actions()
    assert found.values.shape == (len(found.actions), players)
    visited = found.visits > 0
    np.testing.assert_allclose(found.values[visited].sum(axis=1), 1)
    assert np.isnan(found.values[~visited]).all()
    assert found.value.sum() == pytest.approx(1)
    assert ((found.values[visited] >= 0) & (found.values[visited] <= 1)).all()
    best = found.ranking(state.seat)[0]
    assert agent.act(state) == found.actions[best]
    assert found.visits[best] == found.visits.max()
    hints = agent.hints(state)  # type: ignore[attr-defined]
    assert hints[0][0] == found.actions[best]
    assert "simulations, win share" in hints[0][1]
    if name.startswith("mcts"):
        simulations = int(re.split("[:,]", name)[1])
        assert found.visits.sum() == simulations
        weighted = (found.visits[visited, None] * found.values[visited]).sum(axis=0) / simulations
        np.testing.assert_allclose(found.value, weighted)
    else:
        assert set(found.visits) == {max(60 // len(found.actions), 1)}


def best_last_turn(state: GameState, action: int, left: list[int]) -> float:
    """The best win share that the last player can still reach by an action, by trying everything; without chance."""
    after, chance = state.clone(), Stream(0)
    after.apply(action, chance)
    left[0] -= 1
    if chance.array[COUNT] or left[0] < 0:
        raise OverflowError
    if after.is_over:
        ranks = np.array([after.ranks()])
        return float(win_shares(ranks)[0, state.seat])
    return max(best_last_turn(after, other, left) for other in after.legal_actions())


@functools.cache
def last_turns(players: int) -> list[tuple[GameState, dict[int, float]]]:
    """Positions in the last turn of a game in which the choice of action decides about the win."""
    found = []
    for seed in range(400):
        chance, agent = Stream(seed), GreedyAgent()
        state = GameState.new(chance, num_players=players, max_rounds=8)
        while not state.is_over:
            if state.to_dict()["round"] == 8 and state.seat == players - 1 and len(state.legal_actions()) > 2:
                try:
                    left = [1500]
                    exact = {action: best_last_turn(state, action, left) for action in state.legal_actions()}
                except OverflowError:
                    pass
                else:
                    if len(set(exact.values())) > 1:
                        found.append((state.clone(), exact))
                        break
            state.apply(agent.act(state), chance)
        if len(found) == 8:
            break
    return found


@pytest.mark.long
@pytest.mark.compiled
@pytest.mark.parametrize("players", sampled([2, 3], 2))
@pytest.mark.parametrize(
    "name", ["mcts:4000,exploration=0.5", "mcts:2000,playout=random,prior_temperature=0,exploration=0.7"]
)
def test_the_last_turn_is_played_best(name: str, players: int) -> None:
    positions = last_turns(players)
    assert len(positions) >= 4
    agent = load(name)
    values = [exact[agent.act(state)] - max(exact.values()) for state, exact in positions]
    assert values == [0.0] * len(positions)


@pytest.mark.compiled
def test_more_simulations_grow_a_tree_that_holds_the_smaller_one() -> None:
    state = middle_of_a_game(2)
    small, large = MCTSAgent(64).search(state), MCTSAgent(2000).search(state)
    assert small.nodes < large.nodes
    assert (large.visits >= small.visits).all()
    # The tree outgrows its first room without a change of the simulations that were made before.
    assert MCTSAgent(2000).search(state).visits.tolist() == large.visits.tolist()


@pytest.mark.compiled
@pytest.mark.parametrize(("players", "decisions"), [(2, 68), (3, 76), (4, 60)])
def test_whoever_decides_looks_after_the_own_share(players: int, decisions: int) -> None:
    """In every part of a tree the simulations go more often where the one who decides there wins more."""
    state = middle_of_a_game(players, decisions=decisions)
    found = MCTSAgent(6000, prior_temperature=0, exploration=0.3).search(state)
    nodes, deciding = nodes_of(found), set()
    for path, node in frequent_nodes(nodes, least=600):
        after = state_after(state, path)
        children = np.array(children_of(nodes, node))
        children = children[nodes["visits"][children] > 0]
        visits, values = nodes["visits"][children], nodes["values"][children, after.seat]
        if len(children) > 1 and np.ptp(values / visits) > 0.03:
            deciding.add(after.seat)
            assert values.sum() / visits.sum() > (values / visits).mean()
    assert len(deciding) > 1


def state_after(state: GameState, actions: list[int]) -> GameState:
    """The state after some actions, by any chance."""
    after, chance = state.clone(), Stream(0)
    for action in actions:
        after.apply(action, chance)
    return after


def nodes_of(found: search.SearchResult) -> np.ndarray:
    """The nodes of the tree that this thread has grown last."""
    nodes: np.ndarray = search._buffers.tree[: found.nodes * kernels.NODE_SIZE].view(kernels.NODE_DTYPE)
    return nodes


def children_of(nodes: np.ndarray, node: int) -> list[int]:
    """The children of a node of a tree."""
    found = []
    child = int(nodes["first_child"][node])
    while child:
        found.append(child)
        child = int(nodes["next_sibling"][child])
    return found


def frequent_nodes(nodes: np.ndarray, least: int) -> list[tuple[list[int], int]]:
    """The nodes with so many visits, each with the actions that lead to it."""
    found: list[tuple[list[int], int]] = [([], 0)]
    for path, node in found:
        found += [
            ([*path, int(nodes["action"][child])], child)
            for child in children_of(nodes, node)
            if nodes["visits"][child] >= least
        ]
    return found


@pytest.mark.compiled
def test_a_budget_of_time_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch, search, step=0.5)
    agent = MCTSAgent(seconds=2.5)
    # The clock is read at the beginning and after each slice: at 0, 0.5 .. 2.5 seconds.
    assert agent.search(middle_of_a_game(2)).visits.sum() == 5 * search.CHUNK
    assert agent.name == "mcts:seconds=2.5"


@pytest.mark.compiled
def test_a_full_tree_stops_growing() -> None:
    state = middle_of_a_game(2)
    agent = MCTSAgent(1)
    position = np.frombuffer(state.to_bytes(), np.uint8).copy()
    table, rules = prepare(state.game, evaluation=True), state.components.buffer
    tree = np.zeros(160 * kernels.NODE_SIZE, np.uint8)
    room = tree[: 40 * kernels.NODE_SIZE]
    used = kernels.grow_tree(table, position, rules, agent._weights, agent._settings, 3, 0, 500, room, 1)
    assert used <= 40
    assert not tree[len(room) :].any()
    assert room.view(kernels.NODE_DTYPE)["visits"][0] == 500


@pytest.mark.compiled
def test_others_that_are_greedy_leave_more_of_the_search_to_the_searcher() -> None:
    """Where others decide, all simulations take the action that the evaluation likes best."""
    state = middle_of_a_game(4, decisions=48)
    wide, narrow = MCTSAgent(3000).search(state), MCTSAgent(3000, others="greedy").search(state)
    assert narrow.visits.sum() == wide.visits.sum() == 3000
    assert narrow.value.tolist() != wide.value.tolist()
    nodes, choices = nodes_of(narrow), 0
    for path, node in frequent_nodes(nodes, least=200):
        children = np.array(children_of(nodes, node))
        visits, evaluations = nodes["visits"][children], nodes["evaluation"][children]
        if len(children) > 1 and state_after(state, path).seat != state.seat:
            assert visits.max() == visits.sum()
            assert evaluations[visits.argmax()] == evaluations.max()
            choices += np.ptp(evaluations) > 0
    assert choices > 1


@pytest.mark.compiled
def test_flat_monte_carlo_takes_the_action_that_wins_most() -> None:
    state = middle_of_a_game(3)
    agent = FlatMonteCarloAgent(400, playout="random")
    found = agent.search(state)
    assert agent.act(state) == found.actions[found.values[:, state.seat].argmax()]
    assert found.nodes == 0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mcts", "expected a number of simulations or seconds, one of the two, as in mcts:1000"),
        ("mcts:10,seconds=1", "one of the two"),
        ("mcts:0", "simulations: expected an integer in 1..10000000, got 0"),
        ("mcts:1.5", "simulations: expected an integer, got '1.5'"),
        ("mcts:many", "simulations: expected an integer, got 'many'"),
        ("mcts:seconds=0", "seconds: expected a number above 0, got 0.0"),
        ("mcts:seconds=nan", "seconds: expected a number above 0, got nan"),
        ("mcts:9,playout=wild", "playout: expected one of none, random, greedy, got 'wild'"),
        ("mcts:9,cutoff=3", "cutoff: expected at least 1 and a playout, got 3 with playout none"),
        ("mcts:9,playout=random,cutoff=0", "cutoff: expected at least 1 and a playout, got 0 with playout random"),
        ("mcts:9,exploration=-1", "exploration: expected a number of at least 0, got -1.0"),
        ("mcts:9,prior_temperature=inf", "prior_temperature: expected a number of at least 0, got inf"),
        ("mcts:9,fpu_reduction=nan", "fpu_reduction: expected a number, got nan"),
        ("mcts:9,others=asleep", "others: expected search, or with a prior_temperature above 0 greedy, got 'asleep'"),
        (
            "mcts:9,others=greedy,prior_temperature=0",
            "others: expected search, or with a prior_temperature.*, got 'greedy'",
        ),
        ("mcts:9,threads=0", "threads: expected at least 1, got 0"),
        ("mcts:9,size=3", "option 'size=3'; simulations, seconds, playout,"),
        ("mcts:9,prior_temperature=1,prior_temperature=2", "option 'prior_temperature=2'; .* once each, are allowed"),
        ("mcts:9,9", "option '9'; "),
        ("mcts:9,evaluation=/no/such.toml", "/no/such.toml: cannot be read"),
        ("flat", "playouts is missing; playouts, playout, cutoff"),
        ("flat:0", "playouts: expected an integer in 1..10000000, got 0"),
        ("greedy:speed=3", "option 'speed=3'; weights, once each, are allowed"),
    ],
)
def test_wrong_options_are_named(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        load(name)
    assert str(caught.value).startswith(f"agent {name!r}: ")


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("mcts:100", "mcts:100"),
        ("mcts:simulations=100,threads=2", "mcts:100"),
        ("mcts:100,playout=greedy,cutoff=4", "mcts:100,playout=greedy,cutoff=4"),
        ("flat:50,playout=greedy", "flat:50,playout=greedy"),
    ],
)
def test_agents_are_called_by_the_options_that_matter(name: str, canonical: str) -> None:
    agent = load(name)
    assert agent.name == canonical
    assert load(agent.name).name == canonical


@pytest.mark.parametrize("agent", [MCTSAgent(5), FlatMonteCarloAgent(5)])
def test_states_that_cannot_be_searched_are_refused(agent: MCTSAgent | FlatMonteCarloAgent) -> None:
    with pytest.raises(ValueError, match="plays dunaia only"):
        agent.act(GameState.new(1, game=game_named("tests.toy_game")))
    state, chance = GameState.new(1, max_rounds=1), Stream(1)
    while not state.is_over:
        state.apply(state.legal_actions()[0], chance)
    with pytest.raises(ValueError, match="expected a state with a decision, got the end of a game"):
        agent.search(state)


WITHOUT_COMPILATION = """
import json, numpy as np
from dunaia_env import GameState, Stream
from dunaia_env.harness.opponents import load
chance = Stream(2)
state = GameState.new(chance, num_players=3, elites=True)
for action in range(12):
    state.apply(state.legal_actions()[-1], chance)
rows = []
names = ("mcts:12", "mcts:8,playout=random,cutoff=6,prior_temperature=0")
names += ("mcts:4,playout=greedy,cutoff=1", "flat:20,cutoff=5")
for name in names:
    found = load(name).search(state)
    rows.append([name, found.actions.tolist(), found.visits.tolist(), found.value.tolist()])
print(json.dumps(rows))
"""


@pytest.mark.compiled
def test_without_compilation_the_same_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = []
    for switch in ("0", "1"):
        monkeypatch.setenv("NUMBA_DISABLE_JIT", switch)
        done = subprocess.run([sys.executable, "-c", WITHOUT_COMPILATION], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        outputs.append(json.loads(done.stdout))
    compiled, plain = outputs
    for one, other in zip(compiled, plain, strict=True):
        assert one[:3] == other[:3]
        np.testing.assert_allclose(one[3], other[3], rtol=1e-9)

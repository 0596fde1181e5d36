"""The policies of agents and networks in a game of Dune of which all information states are listed."""

from __future__ import annotations

from functools import cache

import numpy as np

from agents.network import NetworkAgent
from dunaia_env.harness.opponents import Agent, RandomAgent
from training.benchmark.battle.equilibrium import Solution, most_likely, solve
from training.benchmark.battle.game import GAME
from training.benchmark.battle.tree import Tree, list_tree, set_ups
from training.benchmark.listed import Floats, policy_of_logits, uniform_policy


@cache
def solved() -> Solution:
    """The solution of the battle."""
    return solve(list_tree(set_ups(GAME)))


def policy_of_agent(tree: Tree, agent: Agent, *, seed: int = 0) -> Floats:
    """The policy of an agent, float64 ``(A,)``.

    Those of networks and of the random agent are known. Every other agent decides once in each information state, and
    this decision stands for all of its decisions there.

    Args:
        tree: the tree of the game.
        agent: the agent; it is reset.
        seed: seed of the agent, 0..2**32-1.
    """
    if type(agent) is RandomAgent:
        return uniform_policy(tree)
    if isinstance(agent, NetworkAgent):
        return _policy_of_network(tree, agent)
    agent.reset(seed)
    policy = np.zeros(len(tree.actions))
    for number in range(len(tree)):
        first, end = tree.first_actions[number : number + 2]
        chosen = tree.actions[first:end] == agent.act(tree.state(number).view())
        policy[first:end] = chosen
    return policy


def _policy_of_network(tree: Tree, agent: NetworkAgent) -> Floats:
    """The probabilities with which a network's agent draws its actions; at temperature 0, 1 for the most likely one."""
    logits, _ = agent.forward(tree.observations())
    if agent.temperature > 0:
        return policy_of_logits(tree, logits, agent.temperature)
    drawn = policy_of_logits(tree, logits)
    is_sealed = np.array([tree.state(number).is_sealed for number in range(len(tree))])
    return np.where(np.repeat(is_sealed, np.diff(tree.first_actions)), drawn, most_likely(tree, drawn))

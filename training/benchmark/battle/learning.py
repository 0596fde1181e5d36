"""Exact learning curves: networks that learn the battle by self-play, and the tabular algorithm beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch

from training.arguments import Arguments
from training.benchmark.algorithms.mirror_descent import MirrorDescentTrainer, Penalties
from training.benchmark.battle.equilibrium import CounterfactualRegret, Solution
from training.benchmark.battle.tree import Tree
from training.benchmark.listed import Floats, policy_of_logits
from training.trainer import Trainer

# Updates of a network between two measurements.
UPDATES = 4
OPTIONS: dict[str, Any] = {
    "reward": "score",
    "players": (2,),
    "lanes": 256,
    "steps": 16,
    "width": 64,
    "minibatches": 4,
    "learning_rate": 2e-3,
    "device": "cpu",
    "threads": 1,
    "engine_threads": 1,
    "precision": "fp32",
    "compile": "off",
}
PENALTIES = Penalties(temperature=0.1, inverse_stepsize=0.05, magnet_updates=0)


class Point(NamedTuple):
    """A point of a learning curve.

    Attributes:
        spent: decisions from which a network has learned, or iterations of a tabular algorithm.
        exploitability: that of the policy, see `Measures`.
    """

    spent: int
    exploitability: float


def ppo(arguments: Arguments) -> Trainer:
    """Learns by PPO."""
    return Trainer(arguments)


def mirror_descent(arguments: Arguments) -> Trainer:
    """Learns by magnetic mirror descent."""
    return MirrorDescentTrainer(arguments, PENALTIES)


LEARNERS: dict[str, Callable[[Arguments], Trainer]] = {"ppo": ppo, "mirror_descent": mirror_descent}


def network_curve(solution: Solution, learner: str, decisions: int, seed: int) -> Iterator[Point]:
    """Train a small network that plays both seats and draws its actions from its policy; measure it now and then.

    Args:
        solution: the solution of the game.
        learner: one of `LEARNERS`.
        decisions: number of decisions to learn from.
        seed: seed of the training.
    """
    tree = solution.tree
    trainer = LEARNERS[learner](Arguments(game=tree.game.module, decisions=decisions, seed=seed, **OPTIONS))
    trainer.prepare()
    while True:
        yield Point(trainer.decisions, solution.measure(network_policy(tree, trainer)).exploitability)
        if trainer.progress() >= 1:
            return
        for _ in range(UPDATES):
            trainer.learn(trainer.collect())


def network_policy(tree: Tree, trainer: Trainer) -> Floats:
    """The policy of a network in training."""
    with torch.no_grad():
        observations = torch.from_numpy(tree.observations()[:, : trainer.input_size])
        return policy_of_logits(tree, trainer.network(observations).logits.numpy())


def tabular_curve(solution: Solution, iterations: int) -> Iterator[Point]:
    """Let CFR+ learn, and measure its average policy after 1, 2, 4, ... iterations."""
    learner = CounterfactualRegret(solution.tree)
    while learner.iterations < iterations:
        learner.iterate(max(1, min(learner.iterations, iterations - learner.iterations)))
        yield Point(learner.iterations, solution.measure(learner.average).exploitability)

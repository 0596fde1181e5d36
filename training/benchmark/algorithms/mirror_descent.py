"""Magnetic mirror descent: self-play whose policy moves in short steps and is drawn towards another one, the magnet.

Plain policy gradients need not converge in games with hidden information, where the best answer to a policy changes
with the policy. Magnetic mirror descent (Sokota, D'Orazio, Kolter, Loizou, Lanctot, Mitliagkas, Brown and Kroer 2023,
https://arxiv.org/abs/2206.05825) maximises the advantage of the new policy minus two penalties, KL(policy || former
policy) / stepsize and temperature * KL(policy || magnet), and with two players approaches a quantal response
equilibrium. As the temperature falls, that approaches a Nash equilibrium.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import torch
from torch import Tensor

from training.arguments import Arguments
from training.benchmark.algorithms import Task
from training.benchmark.algorithms.self_play import SelfPlay, arguments_of
from training.policy import Policy, masked_policy
from training.ppo import Batch, Bootstrap
from training.trainer import Trainer

# Part of the budget that is added to the part spent, so that the weights of the penalties begin at 10 times their last
# values and not at infinity.
FIRST_PART = 0.01


@dataclass(frozen=True)
class Penalties:
    """The penalties of magnetic mirror descent. Advantages are scaled to a standard deviation of 1.

    Attributes:
        temperature: weight of the divergence from the magnet at the end of the budget.
        inverse_stepsize: weight of the divergence from the policy before the update at the end of the budget.
        magnet_updates: number of updates after which the present policy becomes the magnet; 0 for a uniform magnet.
    """

    temperature: float
    inverse_stepsize: float
    magnet_updates: int

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self)):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name}: expected at least 0, got {getattr(self, name)}")


def mirror_descent_loss(
    policy: Policy, values: Tensor, batch: Batch, former: Tensor, magnet: Tensor, coefficients: Tensor
) -> tuple[Tensor, Tensor]:
    """The loss of magnetic mirror descent and the metrics of `training.ppo.ppo_loss`, both summed over the batch.

    Args (B decisions):
        policy: the network's policy.
        values: float32 ``(B, seats)``, the network's values.
        batch: what to learn from.
        former, magnet: log-probabilities of the policy before the update and of the magnet, see `Policy.divergence`.
        coefficients: float32 ``(3,)``: inverse stepsize, temperature, weight of the value loss.
    """
    inverse_stepsize, temperature, value_weight = coefficients.unbind()
    ratio = (policy.chosen_logprobs - batch.logprobs).exp()
    policy_loss = -(batch.advantages * ratio) @ batch.weights
    from_former, from_magnet = (policy.divergence(other, batch.weights) for other in (former, magnet))
    value_loss = (values - batch.returns).square().sum(dim=1) @ batch.weights
    loss = policy_loss + inverse_stepsize * from_former + temperature * from_magnet + value_weight * value_loss
    with torch.no_grad():
        zero = torch.zeros_like(policy_loss)  # no scores are learned, and nothing is clipped or imitated
        entropy = policy.entropy(batch.weights)
        return loss, torch.stack([policy_loss, value_loss, zero, entropy, from_former, zero, zero])


class MirrorDescentTrainer(Trainer):
    """Trains by magnetic mirror descent where `training.trainer.Trainer` trains by PPO.

    Args:
        arguments: options of `training.ppo`; those of clipping, entropy, scores and imitation are not used.
        penalties: see `Penalties`.
    """

    def __init__(self, arguments: Arguments, penalties: Penalties) -> None:
        super().__init__(arguments)
        self.penalties = penalties
        self.former, self.magnet = copy.deepcopy(self.network), copy.deepcopy(self.network)

    def loss(
        self, policy: Policy, values: Tensor, scores: Tensor, batch: Batch, coefficients: Tensor
    ) -> tuple[Tensor, Tensor]:
        """See `mirror_descent_loss`."""
        with torch.no_grad():
            former, _ = masked_policy(self.former(batch.observations).logits, batch.action_masks)
            if self.penalties.magnet_updates:
                magnet, _ = masked_policy(self.magnet(batch.observations).logits, batch.action_masks)
            else:
                magnet = -(batch.action_masks != 0).sum(dim=1, keepdim=True).float().log()
        return mirror_descent_loss(policy, values, batch, former, magnet, coefficients)

    def coefficients(self) -> Tensor:
        """The present coefficients of the loss: both penalties fall with the inverse square root of the decisions."""
        falling = (FIRST_PART + self.progress()) ** -0.5
        penalties = self.penalties
        return torch.tensor(
            [penalties.inverse_stepsize * falling, penalties.temperature * falling, self.arguments.value_weight]
        )

    def learn(self, bootstrap: Bootstrap) -> None:
        """Update the network; see `training.ppo.PPO.learn`."""
        weights = self.network.state_dict()
        self.former.load_state_dict(weights)
        if self.penalties.magnet_updates and self.updates % self.penalties.magnet_updates == 0:
            self.magnet.load_state_dict(weights)
        super().learn(bootstrap)


class MirrorDescent(SelfPlay):
    """Magnetic mirror descent, self-play on every seat.

    Options are those of `Penalties` and of `training.ppo`.
    """

    OPTIONS: ClassVar[dict[str, Any]] = SelfPlay.OPTIONS | {
        "learning_rate": 1e-3,
        "temperature": 0.02,
        "inverse_stepsize": 0.05,
        "magnet_updates": 0,
    }
    SPACE: ClassVar[dict[str, tuple[Any, ...]]] = {
        "learning_rate": (5e-4, 1e-3, 2e-3),
        "temperature": (0.005, 0.02, 0.05),
        "inverse_stepsize": (0.01, 0.05, 0.2),
        "magnet_updates": (0, 20, 100),
    }

    def _make_trainer(self, task: Task, options: dict[str, Any]) -> Trainer:
        penalties = Penalties(**{field.name: options.pop(field.name) for field in fields(Penalties)})
        return MirrorDescentTrainer(arguments_of(task, options), penalties)

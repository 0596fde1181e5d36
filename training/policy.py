"""The network that is trained, and the loss that trains it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from agents.network import Network

# What a loss is shown with, see `ppo_loss`.
SHOWN = ("policy", "value", "score", "entropy", "divergence", "clipped", "imitation")
# Points that count 1 for the score head.
SCORE_UNIT = 20.0


class Estimates(NamedTuple):
    """What the network says of N positions; estimate e is about the seat e places after the one that decides.

    Attributes:
        logits: float32 ``(N, actions)`` of the policy.
        values: float32 ``(N, seats)``, the reward that each seat can expect; 0 for absent ones.
        scores: float32 ``(N, seats)``, each one's final score in `SCORE_UNIT` points; 0 for absent ones.
    """

    logits: Tensor
    values: Tensor
    scores: Tensor


class PolicyNetwork(nn.Module):
    """Hidden layers with rectifiers, and three heads: the policy, every seat's value and every seat's final score.

    Args:
        input_scale: float32 ``(inputs,)``; observations are divided by it.
        num_actions: outputs of the policy head.
        seats: outputs of the two other heads.
        layers, width: of the hidden layers.
        seed: of the first weights.
    """

    input_scale: Tensor

    def __init__(
        self, input_scale: Tensor, num_actions: int, seats: int, *, layers: int, width: int, seed: int
    ) -> None:
        super().__init__()
        sizes = [len(input_scale)] + [width] * layers
        self.register_buffer("input_scale", input_scale.clone())
        self.hidden = nn.ModuleList(nn.Linear(*pair) for pair in itertools.pairwise(sizes))
        self.policy = nn.Linear(width, num_actions)
        self.value = nn.Linear(width, seats)
        self.score = nn.Linear(width, seats)
        self._begin(seed)

    def _begin(self, seed: int) -> None:
        """Draw the first weights; orthogonal ones differ in rounding by torch's threads, so always with one."""
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        generator = torch.Generator().manual_seed(seed)
        for name, layer in self.named_modules():
            if isinstance(layer, nn.Linear):
                gain = {"policy": 0.01, "value": 0.1, "score": 0.1}.get(name, 2**0.5)
                nn.init.orthogonal_(layer.weight, gain, generator)
                nn.init.zeros_(layer.bias)
        torch.set_num_threads(threads)

    @classmethod
    def of_model(cls, model: Network, inputs: int) -> PolicyNetwork:
        """The network of a model file without the inputs beyond a number; what it says of scores means nothing."""
        state = {name: tensor for name, tensor in state_of(model, inputs).items() if not name.startswith("score.")}
        width, actions, seats = (len(state[f"{name}.bias"]) for name in ("hidden.0", "policy", "value"))
        network = cls(state["input_scale"], actions, seats, layers=model.depth, width=width, seed=0)
        network.load_state_dict(network.state_dict() | state)
        return network

    def forward(self, observations: Tensor) -> Estimates:
        """What the network says of int8 observations ``(N, inputs)``."""
        first, *others = self.hidden.children()
        assert isinstance(first, nn.Linear)
        # Dividing the weights instead of the observations is the same and less work.
        x = torch.relu(nn.functional.linear(observations.float(), first.weight / self.input_scale, first.bias))
        for layer in others:
            x = torch.relu(layer(x))
        return Estimates(self.policy(x).float(), self.value(x).float(), self.score(x).float())


def state_of(model: Network, inputs: int, seats: int | None = None) -> dict[str, Tensor]:
    """A model's arrays as the state of a network for smaller tables: without inputs and seats beyond these."""
    state = {name: torch.tensor(array) for name, array in model.used().items()}
    state["input_scale"] = state["input_scale"][:inputs]
    state["hidden.0.weight"] = state["hidden.0.weight"][:, :inputs]
    heads = [name for name in state if name.startswith(("value.", "score."))]
    return state | {name: state[name][:seats] for name in heads}


class Batch(NamedTuple):
    """N decisions to learn from.

    Attributes:
        observations, masks: int8 ``(N, inputs)`` and ``(N, actions)``.
        actions: int64 ``(N,)``, those taken.
        log_probabilities: float32 ``(N,)``, of these under the policy that acted.
        advantages: float32 ``(N,)``.
        values, scores: float32 ``(N, seats)``, what `Estimates` should have said.
        improved: float32 ``(N, actions)``, the policies that searches found, zeros where there was none; ``(N, 0)`` in
            runs without.
        counted: float32 ``(N,)``, 1; 0 for rows that only fill the batch.
    """

    observations: Tensor
    masks: Tensor
    actions: Tensor
    log_probabilities: Tensor
    advantages: Tensor
    values: Tensor
    scores: Tensor
    improved: Tensor
    counted: Tensor


class Weights(NamedTuple):
    """What the parts of the loss count, and how far a policy may move.

    Tensors, because compiled code would be made anew for every new number.

    Attributes:
        clip: largest change of a probability, as a ratio.
        entropy, value, score, imitation: of the parts.
    """

    clip: Tensor
    entropy: Tensor
    value: Tensor
    score: Tensor
    imitation: Tensor

    @classmethod
    def of(
        cls, *, clip: float, entropy: float = 0.0, value: float = 0.0, score: float = 0.0, imitation: float = 0.0
    ) -> Weights:
        """The weights of these numbers."""
        return cls(*torch.tensor([clip, entropy, value, score, imitation]).unbind())

    def to(self, device: torch.device) -> Weights:
        """The same on a device."""
        return Weights(*torch.stack(self).to(device).unbind())


def ppo_loss(network: Callable[[Tensor], Estimates], batch: Batch, weights: Weights) -> tuple[Tensor, Tensor]:
    """The clipped loss of PPO (Schulman et al., 2017), illegal actions masked out of the policy; sums over the rows.

    Where a search decided, its policy is imitated instead (cross-entropy).

    Returns the loss and what to show of it, in the order of `SHOWN`: policy loss, squared errors of values and scores
    (summed over the seats), entropy, KL divergence, number clipped, KL divergence from the searches' policies.
    """
    said = network(batch.observations)
    logits = torch.where(batch.masks != 0, said.logits, -1e9)
    log_policy = logits - logits.logsumexp(dim=1, keepdim=True)
    played = batch.counted
    imitation_loss = improved_entropy = torch.zeros((), device=played.device)
    if batch.improved.shape[1]:
        improved = batch.improved
        searched = (improved.sum(dim=1) > 0).float()
        played = batch.counted * (1 - searched)
        imitation_loss = -(improved * log_policy).sum(dim=1) @ batch.counted
        improved_entropy = -torch.special.xlogy(improved, improved).sum(dim=1) @ batch.counted
    entropy = -(log_policy.exp() * log_policy).sum(dim=1) @ played
    log_ratio = log_policy.gather(1, batch.actions[:, None]).squeeze(1) - batch.log_probabilities
    ratio = log_ratio.exp()
    clipped = torch.minimum(torch.maximum(ratio, 1 - weights.clip), 1 + weights.clip)
    policy_loss = -torch.minimum(batch.advantages * ratio, batch.advantages * clipped) @ played
    value_loss = (said.values - batch.values).square().sum(dim=1) @ batch.counted
    score_loss = (said.scores - batch.scores).square().sum(dim=1) @ batch.counted
    loss = policy_loss + weights.value * value_loss + weights.score * score_loss - weights.entropy * entropy
    loss = loss + weights.imitation * imitation_loss
    with torch.no_grad():
        divergence = (ratio - 1 - log_ratio) @ played
        clipped_rows = ((ratio - 1).abs() > weights.clip).float() @ played
        imitation = imitation_loss - improved_entropy
        shown = torch.stack([policy_loss, value_loss, score_loss, entropy, divergence, clipped_rows, imitation])
    return loss, shown

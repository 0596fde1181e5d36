"""A network of your own: it looks at groups of inputs before it looks at all of them. Copy it and change it.

python -m training.ppo --network training.examples.own_network:make_network --run runs/own
python -m dunaia_env.arena.match --agents training.examples.own_network:player greedy
"""

import torch
from torch import Tensor, nn

from training.facts import Estimates, GameFacts
from training.models.own_networks import TorchAgent
from training.ppo import PPOArguments

GROUP, MODEL = 32, "runs/own/model.safetensors"


class GroupedNetwork(nn.Module):
    """A small layer shared by all groups of inputs, then residual layers, then the three heads."""

    scale: Tensor

    def __init__(self, facts: GameFacts, layers: int, width: int) -> None:
        super().__init__()
        inputs, self.padding = len(facts.input_scale), -len(facts.input_scale) % GROUP
        self.register_buffer("scale", facts.input_scale.clone())  # saved and moved to a GPU, but not trained
        self.shared = nn.Linear(GROUP, GROUP // 4)
        self.first = nn.Linear((inputs + self.padding) // 4, width)
        self.hidden = nn.ModuleList(nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width)) for _ in range(layers))
        self.policy = nn.Linear(width, facts.num_actions)
        self.value, self.score = nn.Linear(width, facts.seats), nn.Linear(width, facts.seats)

    def forward(self, observations: Tensor) -> Estimates:
        """The estimates for observations, int8 ``(N, inputs)``; in float32, even if the layers compute in bfloat16."""
        x = nn.functional.pad(observations / self.scale, (0, self.padding))
        x = torch.relu(self.shared(x.view(len(x), -1, GROUP))).flatten(1)
        x = torch.relu(self.first(x))
        for layer in self.hidden:
            x = x + torch.relu(layer(x))
        return Estimates(self.policy(x).float(), self.value(x).float(), self.score(x).float())


def make_network(facts: GameFacts, arguments: PPOArguments) -> nn.Module:
    """The function that --network names."""
    return GroupedNetwork(facts, arguments.layers, arguments.width)


def player() -> TorchAgent:
    """The trained player; the name of this function can be given wherever an agent is named."""
    return TorchAgent.load(MODEL, make_network)

"""Self-play PPO in one file, without any plug-in: arguments, network, rollout, advantages, update, evaluation.

    python -m training.examples.plain_ppo --decisions 1000000

Copy it and change it. What it shares with single-agent PPO is as in CleanRL (https://github.com/vwxyzjn/cleanrl). Two
things are different: one network decides for every seat, and the next decision of a game is usually another seat's, so
that advantages follow each seat's own decisions (`table_advantages`). `training.ppo` is the same algorithm with
evaluations, checkpoints, processes, past players and teachers.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from dunaia_env import Lanes, opponents
from dunaia_env.arena.match import play_match
from dunaia_env.harness.commands import parse_command
from dunaia_env.harness.compiled.advantages import table_advantages
from dunaia_env.harness.game import Game
from dunaia_env.harness.registry import DEFAULT_GAME, find_game
from dunaia_env.harness.state import View
from dunaia_env.support.terminal import run_main


@dataclass(frozen=True)
class Arguments:
    """Train a network by self-play, then let it play against random and greedy."""

    game: str = DEFAULT_GAME.name
    players: int = 2
    game_options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    decisions: int = 500_000
    lanes: int = 128
    steps: int = 64
    epochs: int = 2
    minibatches: int = 8
    width: int = 256
    learning_rate: float = 1e-3
    clip: float = 0.2
    entropy: float = 0.01
    gae_lambda: float = 0.95
    blocks: int = 100
    """Number of game seeds of each match; every one is played in every seat order."""


class Network(nn.Module):
    """The policy, and each seat's expected reward: column e is about the seat e places after the deciding one."""

    scale: Tensor

    def __init__(self, game: Game, seats: int, width: int) -> None:
        super().__init__()
        self.register_buffer("scale", torch.from_numpy(game.observation_scale.copy()))
        sizes = (game.observation_size, width), (width, width)
        self.body = nn.Sequential(*(layer for size in sizes for layer in (nn.Linear(*size), nn.ReLU())))
        self.policy, self.value = nn.Linear(width, game.num_actions), nn.Linear(width, seats)

    def forward(self, observations: Tensor, action_masks: Tensor) -> tuple[Tensor, Tensor]:
        """Log-probabilities of the actions, about -1e9 for illegal ones, and the values of the seats."""
        x = self.body(observations / self.scale)
        logits = self.policy(x).masked_fill(action_masks == 0, -1e9)
        return logits.log_softmax(dim=1), self.value(x)


def train(args: Arguments, report: Callable[[int, float], None] = lambda decisions, loss: None) -> Network:
    """Train a network; ``report`` gets the number of decisions and the mean value loss of each update."""
    game = find_game(args.game)
    torch.manual_seed(args.seed)
    network = Network(game, args.players, args.width)
    optimizer = torch.optim.Adam(network.parameters(), args.learning_rate, eps=1e-5)
    lanes = Lanes(args.lanes, game=game, num_players=args.players, **args.game_options)
    lanes.reset(args.seed)

    shape = args.steps, args.lanes
    observations = np.zeros((*shape, game.observation_size), np.int8)
    action_masks = np.zeros((*shape, game.num_actions), np.int8)
    actions, logprobs = np.zeros(shape, np.int64), np.zeros(shape, np.float32)
    values, rewards = np.zeros((2, *shape, args.players), np.float32)
    seats, terminations = np.zeros(shape, np.int8), np.zeros(shape, np.bool_)

    updates = max(1, args.decisions // (args.steps * args.lanes))
    for update in range(updates):
        optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - update / updates)

        # Rollout: whoever's turn it is, the network decides.
        for step in range(args.steps):
            observations[step], action_masks[step], seats[step] = lanes.observations, lanes.action_masks, lanes.seats
            with torch.no_grad():
                policy, value = network(torch.from_numpy(observations[step]), torch.from_numpy(action_masks[step]))
            action = policy.exp().multinomial(1)
            actions[step], logprobs[step] = action[:, 0], policy.gather(1, action)[:, 0]
            values[step] = value
            lanes.step(actions[step])  # also begins the next game where one has ended
            rewards[step], terminations[step] = lanes.rewards[:, : args.players], lanes.terminations

        # Advantages along each seat's own decisions. The last decision of a seat may not have its outcome yet.
        with torch.no_grad():
            _, next_values = network(torch.from_numpy(lanes.observations), torch.from_numpy(lanes.action_masks))
        chains = terminations, seats, lanes.num_players, next_values.numpy(), lanes.seats
        advantages, finished = table_advantages(values, rewards, *chains, 1.0, args.gae_lambda)
        own = advantages[finished][:, 0]
        own = (own - own.mean()) / (own.std() + 1e-8)

        # Update: the clipped loss of PPO, the squared errors of every seat's value, the entropy of the policy.
        columns = observations, action_masks, actions, logprobs, values + advantages
        batch = [torch.from_numpy(column[finished]) for column in columns] + [torch.from_numpy(own)]
        losses = []
        for _ in range(args.epochs):
            for rows in torch.randperm(len(own)).chunk(args.minibatches):
                seen, legal, chosen, before, returns, advantage = (column[rows] for column in batch)
                policy, value = network(seen, legal)
                ratio = (policy.gather(1, chosen[:, None])[:, 0] - before).exp()
                clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
                policy_loss = -torch.minimum(advantage * ratio, advantage * clipped).mean()
                value_loss = (value - returns).square().sum(dim=1).mean()
                entropy = -(policy.exp() * policy).sum(dim=1).mean()
                loss = policy_loss + 0.5 * value_loss - args.entropy * entropy
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), 0.5)
                optimizer.step()
                losses.append(value_loss.item())
        report((update + 1) * args.steps * args.lanes, float(np.mean(losses)))
    return network


class Player:
    """An agent (`dunaia_env.harness.opponents.Agent`): the most probable action of a network."""

    name, version = "plain_ppo", "1"

    def __init__(self, network: Network) -> None:
        self.network = network

    def reset(self, seed: int) -> None:
        """Nothing is random."""

    def act(self, view: View) -> int:
        """The action in one position."""
        return int(self._best(view.observation()[None], view.action_mask()[None])[0])

    def act_batch(self, lanes: Lanes, selected: NDArray[np.int64]) -> NDArray[np.int32]:
        """The actions in many positions."""
        return self._best(lanes.observations[selected], lanes.action_masks[selected])

    def _best(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int32]:
        with torch.no_grad():
            policy, _ = self.network(torch.from_numpy(observations), torch.from_numpy(action_masks))
        return np.asarray(policy.argmax(dim=1), np.int32)


def win_share(args: Arguments, network: Network, opponent: str) -> float:
    """The share of the games against an agent, or copies of it, that a network wins; 1 / players is fair."""
    game = find_game(args.game)
    agents = Player(network), opponents.load(opponent, game=game)
    match = play_match(agents, blocks=args.blocks, num_players=args.players, game=game, **args.game_options)
    return float(match.shares[:, 0].mean())


def main() -> None:
    """Parse the arguments, train, evaluate."""
    args = parse_command(Arguments, program="training.examples.plain_ppo")
    network = train(args, lambda decisions, loss: print(f"{decisions:,} decisions, value loss {loss:.3f}"))
    for opponent in ("random", "greedy"):
        print(f"wins {win_share(args, network, opponent):.1%} of its games against {opponent}")


if __name__ == "__main__":
    sys.exit(run_main(main))

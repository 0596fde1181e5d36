"""Self-play PPO, to be read from top to bottom: arguments, network, rollout, loss, advantages, training loop.

    python -m training.ppo                                      # five minutes of the two-player game with elites
    python -m training.ppo --resume                             # continue the newest run
    python -m training.ppo --network training.examples.own_network:make_network

One network plays every seat of many games at once (`Lanes`) and learns from all of them. Unlike in single-agent PPO:

- Consecutive decisions of a game belong to different seats. The outcome of a decision is known when the *same seat*
  decides again or the game ends, so advantages are computed along each seat's own chain of decisions
  (`dunaia_env.harness.compiled.advantages`). No value is negated or used for another seat: the value head estimates
  every seat's reward, that of the deciding seat first, and the score head estimates every seat's final score.
- When a rollout ends, each seat's last decision may lack its outcome. Such *open decisions* wait for the next rollout
  (`Rollout.carry_over`): the network learns from a decision in the rollout in which its outcome becomes known.
- Illegal actions are masked out of the policy.

You can read this file without the modules that plug into it: `training.compute` (devices, compilation),
`training.differences` (the same arithmetic for less), `training.facts` (what a network is told), `training.running`
(processes, health), `training.past_players`, `training.rivals`, `training.teachers`; `training.trainer` adds matches
and checkpoints, `training/__main__.py` the command line. The style follows CleanRL (https://github.com/vwxyzjn/cleanrl).
"""

from __future__ import annotations

import itertools
import runpy
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from dunaia_env import Lanes
from dunaia_env.harness.compiled.advantages import table_advantages
from dunaia_env.harness.compiled.differences import padded
from dunaia_env.harness.compiled.ppo_loss import METRICS
from dunaia_env.harness.compiled.rewards import final_rewards
from dunaia_env.harness.dealing import dealt, for_lanes
from dunaia_env.harness.registry import DEFAULT_GAME, find_game, name_of
from dunaia_env.support.threads import Threads
from training.compute import Compute, ComputeOptions, Loss, engine_threads, one_thread
from training.differences import DifferencesCompute
from training.facts import Estimates, GameFacts, facts_of, tables_of
from training.past_players import PastPlayers, learner_seats
from training.policy import Policy, sample_actions
from training.rivals import Rivals
from training.running.health import Stopwatch, check_finite
from training.running.parallel import Group
from training.teachers import Imitation, imitate
from training.thinning import thin_out

Floats = NDArray[np.float32]
Targets = tuple[Floats, NDArray[np.bool_]]
SCORE_UNIT = 20.0  # the score head predicts points divided by this number


@dataclass(frozen=True)
class PPOArguments:
    """Options of the algorithm; `training.arguments.Arguments` adds those of the modules that plug into it."""

    minutes: float = 5.0
    """Time budget of the whole run in minutes, including the time before it was resumed."""
    decisions: int | None = None
    """Budget in decisions instead of minutes. With fixed --threads, --precision and --compile, such a run can be
    repeated bit for bit on the same machine."""
    seed: int = 0
    """Seed of the initial weights, the games and every random choice."""

    players: tuple[int, ...] = (2,)
    """Number of players at a table. Several numbers are dealt to the lanes in turn."""
    game: str = DEFAULT_GAME.name
    """The game: its name, or a module with a game of your own, such as my_package.game."""
    game_options: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Options of the game by name, except the number of players. Several values are dealt to the lanes in turn; matches
    use the first. An option that is not given has its value in the full game."""
    components: str | None = None
    """Component file; the game's own if absent."""
    reward: str = "win"
    """Reward at the end of a game: win (share of the victory), rank or score (margin)."""
    margin: float = 0.0
    """Additional reward for a margin of 20 points; falls linearly from this value to zero over the run."""

    network: str | None = None
    """mlp (a multilayer perceptron, the default); shared (encodes all squares with the same weights, see
    training/models/networks.py); or a function that makes the network, such as
    training.examples.own_network:make_network."""
    layers: int = 2
    """Number of hidden layers of the network."""
    width: int = 256
    """Number of units of each hidden layer."""
    first_width: int | None = None
    """Number of units of the first hidden layer, whose width costs little; --width if absent."""

    lanes: int = 1024
    """Number of games that are played side by side."""
    steps: int = 64
    """Number of decisions of each lane in a rollout."""
    epochs: int = 2
    """Number of times that each decision of a rollout is learned from."""
    minibatches: int = 8
    """Number of minibatches into which a rollout is split in each epoch."""
    learning_rate: float = 2e-3
    """Learning rate of Adam; falls linearly to zero during the cooldown."""
    warmup: int = 0
    """Number of updates in which the learning rate rises linearly to its full value. Without it, Adam's first steps can
    push hidden units to where they are never active."""
    cooldown: float = 1.0
    """Last part of the budget, above 0 and up to 1, in which learning rate and entropy weight fall. Before it they are
    constant, so a run whose budget is raised continues as if it had started with the larger budget."""
    certain_share: float = 1.0
    """Share of the certain decisions (action probability at least 95 %) that are learned from (`training.thinning`)."""
    clip: float = 0.2
    """Clipping range of the probability ratio."""
    entropy: float = 0.02
    """Weight of the policy's entropy before the cooldown."""
    entropy_end: float = 0.002
    """Weight of the policy's entropy at the end."""
    value_weight: float = 0.5
    """Weight of the value loss: the squared errors of every seat's value."""
    score_weight: float = 0.0
    """Weight of the score loss: the squared errors of every seat's final score, in units of 20 points."""
    gradient_norm: float = 0.5
    """Largest norm of the gradient; a larger gradient is scaled down to it."""
    discount: float = 1.0
    """Discount factor per decision of the same seat."""
    gae_lambda: float = 0.95
    """Lambda of generalised advantage estimation: 0 trusts the value estimates, 1 the outcomes of the games."""

    def __post_init__(self) -> None:
        game = find_game(self.game)
        object.__setattr__(self, "game", name_of(game))
        object.__setattr__(self, "game_options", dealt(game, self.game_options))


# Makes a module that maps observations, int8 (N, inputs), to `Estimates`.
MakeNetwork = Callable[[GameFacts, PPOArguments], nn.Module]


class PolicyNetwork(nn.Module):
    """A multilayer perceptron with ReLU and three heads: the policy, every seat's value and every seat's score.

    Args:
        input_scale, actions, seats: see `GameFacts`.
        widths: number of units of each hidden layer.
        seed: seed of the initial weights.
    """

    input_scale: Tensor

    def __init__(self, input_scale: Tensor, actions: int, seats: int, *, widths: Sequence[int], seed: int) -> None:
        super().__init__()
        sizes = [len(input_scale), *widths]
        self.register_buffer("input_scale", input_scale.clone())
        self.hidden = nn.ModuleList(nn.Linear(*pair) for pair in itertools.pairwise(sizes))
        self.policy = nn.Linear(sizes[-1], actions)
        self.value = nn.Linear(sizes[-1], seats)
        self.score = nn.Linear(sizes[-1], seats)
        generator = torch.Generator().manual_seed(seed)
        with one_thread():  # because the rounding of orthogonal matrices depends on the number of threads
            for name, layer in self.named_modules():
                if isinstance(layer, nn.Linear):
                    gain = {"policy": 0.01, "value": 0.1, "score": 0.1}.get(name, 2**0.5)
                    nn.init.orthogonal_(layer.weight, gain, generator)
                    nn.init.zeros_(layer.bias)

    def forward(self, observations: Tensor) -> Estimates:
        """The estimates for observations, int8 ``(N, inputs)``."""
        first, *rest = self.hidden.children()
        assert isinstance(first, nn.Linear)
        # Dividing the weights instead of the observations gives the same result with less work.
        x = torch.relu(nn.functional.linear(observations.float(), first.weight / self.input_scale, first.bias))
        for layer in rest:
            x = torch.relu(layer(x))
        return Estimates(self.policy(x).float(), self.value(x).float(), self.score(x).float())


def make_network(facts: GameFacts, arguments: PPOArguments) -> nn.Module:
    """Make the default network; ``--network`` can name another function with this signature."""
    sizes = facts.input_scale, facts.num_actions, facts.seats
    widths = [arguments.first_width or arguments.width, *[arguments.width] * (arguments.layers - 1)]
    return PolicyNetwork(*sizes, widths=widths, seed=arguments.seed)


class Rollout:
    """The decisions of a rollout: T rows of N lanes, at tables of up to S seats.

    The first S rows hold the open decisions of the previous rollout, row s those of seat s; the new decisions follow.
    The order of the open decisions does not matter, because advantages follow each seat's own chain.

    Attributes:
        first_row: the first row of the new decisions, S.
        observations, action_masks: int8 ``(T, N, inputs)`` and ``(T, N, actions)``, what the deciding seat saw.
        padded_observations: int8 ``(T, N, padded inputs)``, the same memory with zeros up to whole words.
        actions, logprobs: int32 and float32 ``(T, N)``, the chosen action and its log-probability.
        values, scores: float32 ``(T, N, S)``, the network's estimates, see `Estimates`.
        seats: int8 ``(T, N)``, the deciding seat; -1 for a decision that is not learned from.
        rewards, final_scores: float32 ``(T, N, S)``, each seat's reward; its score / `SCORE_UNIT` at the game's end.
        terminations: bool ``(T, N)``, whether the decision ended the game.
        teacher_policies: float16 ``(T, N, actions)``, see `training.teachers`; ``(T, N, 0)`` without a teacher.
    """

    def __init__(self, steps: int, lanes: int, facts: GameFacts, *, taught: bool = False) -> None:
        input_size, num_actions, seats = len(facts.input_scale), facts.num_actions, facts.seats
        shape = (seats + steps, lanes)
        self.first_row = seats
        self.padded_observations = np.zeros((*shape, padded(input_size)), np.int8)
        self.observations = self.padded_observations[:, :, :input_size]
        self.action_masks = np.zeros((*shape, num_actions), np.int8)
        self.actions = np.zeros(shape, np.int32)
        self.logprobs = np.zeros(shape, np.float32)
        self.values = np.zeros((*shape, seats), np.float32)
        self.scores = np.zeros((*shape, seats), np.float32)
        self.seats = np.full(shape, -1, np.int8)
        self.rewards = np.zeros((*shape, seats), np.float32)
        self.final_scores = np.zeros((*shape, seats), np.float32)
        self.terminations = np.zeros(shape, np.bool_)
        self.teacher_policies = np.zeros((*shape, num_actions if taught else 0), np.float16)

    def carry_over(self, finished: NDArray[np.bool_]) -> None:
        """Move the open decisions to the first rows. They have no rewards yet: only the end of a game gives rewards."""
        rows, lanes = np.nonzero(~finished & (self.seats >= 0))
        seats = self.seats[rows, lanes]
        for name in ("observations", "action_masks", "actions", "logprobs", "values", "scores", "teacher_policies"):
            array = getattr(self, name)
            array[seats, lanes] = array[rows, lanes]
        self.seats[: self.first_row] = -1
        self.seats[seats, lanes] = seats


class Bootstrap(NamedTuple):
    """Each lane's next decision after a rollout, from whose estimates returns are bootstrapped; see `Rollout`."""

    values: Floats
    scores: Floats
    seats: NDArray[np.int8]


class Batch(NamedTuple):
    """B decisions to learn from: arrays of `Rollout`, flattened and with int64 actions, and what is computed from them.

    Attributes:
        advantages: float32 ``(B,)``, the deciding seat's advantage, normalised.
        returns, score_targets: float32 ``(B, seats)``, the targets of values and scores.
        weights: float32 ``(B,)``, the decision's weight in the losses, 1 on average; 0 for padding.
    """

    observations: Tensor
    action_masks: Tensor
    actions: Tensor
    logprobs: Tensor
    advantages: Tensor
    returns: Tensor
    score_targets: Tensor
    teacher_policies: Tensor
    weights: Tensor


def ppo_loss(
    policy: Policy, values: Tensor, scores: Tensor, batch: Batch, coefficients: Tensor
) -> tuple[Tensor, Tensor]:
    """The clipped loss of PPO (Schulman et al., 2017) and the `METRICS`, both summed over the batch."""
    # The coefficients are a tensor, because torch.compile would recompile for every new Python number.
    clip, entropy_weight, value_weight, score_weight, imitation_weight = coefficients.unbind()
    # Where there is a teacher's policy, the network imitates it instead: `weights` is 0 there.
    imitation_loss, imitation_kl, weights = imitate(policy, batch.teacher_policies, batch.weights)
    entropy = policy.entropy(weights)
    logratio = policy.chosen_logprobs - batch.logprobs
    ratio = logratio.exp()
    clipped_ratio = torch.minimum(torch.maximum(ratio, 1 - clip), 1 + clip)
    policy_loss = -torch.minimum(batch.advantages * ratio, batch.advantages * clipped_ratio) @ weights
    value_loss = (values - batch.returns).square().sum(dim=1) @ batch.weights
    score_loss = (scores - batch.score_targets).square().sum(dim=1) @ batch.weights
    loss = policy_loss + value_weight * value_loss + score_weight * score_loss - entropy_weight * entropy
    loss = loss + imitation_weight * imitation_loss
    with torch.no_grad():
        approx_kl = (ratio - 1 - logratio) @ weights
        clip_fraction = ((ratio - 1).abs() > clip).float() @ weights
        metrics = [policy_loss, value_loss, score_loss, entropy, approx_kl, clip_fraction, imitation_kl]
        return loss, torch.stack(metrics)


def make_compute(options: ComputeOptions, network: nn.Module, loss: Loss, inputs: int, rows: int) -> Compute:
    """Compute the default network and loss by differences where that is possible, others from whole observations."""
    if type(network) is PolicyNetwork and loss is ppo_loss:
        actions, seats = network.policy.out_features, network.value.out_features
        if DifferencesCompute.suits(options, inputs=inputs, actions=actions, seats=seats):
            return DifferencesCompute(options, network, loss, inputs=inputs, rows=rows)
    return Compute(options, network, loss, inputs=inputs, rows=rows)


class PPO:
    """The algorithm: holds lanes, network and optimiser, collects rollouts and learns from them.

    Args:
        arguments: see `PPOArguments`.
        make_network: makes the network, see `MakeNetwork`.
        group: the processes of the run; only this one if absent. Several compute the same as one, apart from rounding.
        compute_options: device, threads, precision and compilation.
        taught: whether rollouts have room for a teacher's policies.
        components: the component file of each of this process's lanes; that of the arguments for all if absent.
    """

    loss = staticmethod(ppo_loss)  # subclasses may have another one, with `coefficients` of its own

    # Optional parts, which `training.trainer` plugs in.
    past_players: PastPlayers | None = None
    rivals: Rivals | None = None
    other_tables: NDArray[np.bool_] | None = None  # where past players or rivals hold all seats but one
    imitation: Imitation | None = None

    def __init__(
        self,
        arguments: PPOArguments,
        make_network: MakeNetwork = make_network,
        *,
        group: Group | None = None,
        compute_options: ComputeOptions | None = None,
        taught: bool = False,
        components: Sequence[Any] | None = None,
    ) -> None:
        self.arguments, self.group = arguments, group or Group()
        self.random, self.stopwatch = np.random.default_rng(arguments.seed), Stopwatch()
        self.metrics: dict[str, float] = {}
        self.updates, self.decisions, self.games, self.seconds = 0, 0, 0, 0.0
        # This process plays its share of the run's lanes.
        self.game, self.own_lanes = find_game(arguments.game), self.group.shard(arguments.lanes)
        lane_numbers = np.arange(arguments.lanes)[self.own_lanes]
        options = compute_options or ComputeOptions()
        self.threads = Threads(engine_threads(options, self.group.size))
        self.lanes = Lanes(
            len(lane_numbers),
            game=self.game,
            components=components or arguments.components,
            reward=arguments.reward,
            threads=self.threads.number,
            **for_lanes(tables_of(arguments), range(arguments.lanes)[self.own_lanes]),
        )
        self.lanes.reset(int(self.random.integers(2**52)) + lane_numbers)
        self.seats = max(arguments.players)
        self.facts = facts_of(self.game, self.seats)
        self.input_size = len(self.facts.input_scale)
        self.network = make_network(self.facts, arguments)
        self.minibatch_size = arguments.lanes * arguments.steps // arguments.minibatches
        # The outcomes of up to one open decision of each seat and lane become known besides the decisions of a rollout.
        most_rows = self.group.largest_share(-(-arguments.lanes // arguments.minibatches))
        self.largest_minibatch = most_rows * (arguments.steps + self.seats)
        self.compute = make_compute(options, self.network, self.loss, self.input_size, self.largest_minibatch)
        self.optimizer = torch.optim.Adam(self.network.parameters(), arguments.learning_rate, eps=1e-5, fused=True)
        self.rollout = Rollout(arguments.steps, len(lane_numbers), self.facts, taught=taught)

    def train(self, after_update: Callable[[], bool] = lambda: True) -> None:
        """Collect and learn in turn until the budget is used up or ``after_update`` returns False."""
        while self.progress() < 1:
            begin = time.perf_counter()
            self.learn(self.collect())
            seconds = time.perf_counter() - begin
            self.seconds = self.group.broadcast(self.seconds + seconds)
            self.metrics["charts/decisions_per_second"] = self.arguments.lanes * self.arguments.steps / seconds
            if not after_update():
                return

    def progress(self) -> float:
        """Fraction of the budget spent so far, in [0, 1]."""
        if self.arguments.decisions is not None:
            return min(1.0, self.decisions / self.arguments.decisions)
        return min(1.0, self.seconds / (60 * self.arguments.minutes))

    def annealing(self) -> float:
        """Factor of the learning rate and the entropy weight: 1 until the cooldown, then falling linearly to 0."""
        return min(1.0, (1 - self.progress()) / self.arguments.cooldown)

    def coefficients(self) -> Tensor:
        """The present coefficients of the loss, float32."""
        args = self.arguments
        entropy_weight = args.entropy_end + (args.entropy - args.entropy_end) * self.annealing()
        imitation_weight = self.imitation.weight if self.imitation else 0.0
        return torch.tensor([args.clip, entropy_weight, args.value_weight, args.score_weight, imitation_weight])

    def collect(self) -> Bootstrap:
        """Fill the rollout with `steps` decisions of each lane; returns the estimates for the decisions that follow."""
        args, lanes, rollout = self.arguments, self.lanes, self.rollout
        uniforms = self.random.random((args.steps, args.lanes), np.float32)[:, self.own_lanes]
        ended = np.zeros(3)  # of games that ended: their number, decisions, winners' points
        if self.past_players:
            self.past_players.begin_rollout(self.network, self.updates, self.random)
        if self.imitation:
            self.imitation.begin_rollout(self.random)
        self.compute.begin_rollout()
        for step in range(args.steps):
            row = rollout.first_row + step
            rollout.observations[row] = lanes.observations[:, : self.input_size]
            rollout.action_masks[row] = lanes.action_masks
            rollout.seats[row] = self.learner_seats()
            with self.stopwatch.measure("network"):
                seen = rollout.padded_observations[row], rollout.seats[row], rollout.action_masks[row]
                logits, rollout.values[row], rollout.scores[row] = self.compute.forward(*seen)
                if self.past_players:
                    self.past_players.replace_logits(logits, *seen, lanes.seats)
            actions = rollout.actions[row]
            masks, logprobs = rollout.action_masks[row], rollout.logprobs[row]
            self.threads.run(partial(sample_actions, logits, masks, uniforms[step], actions, logprobs), len(actions))
            if self.imitation:
                decided = rollout.seats[row], actions, rollout.teacher_policies[row]
                with self.stopwatch.measure("search"):
                    self.imitation.replace_actions(lanes, *decided, self.random)
            if self.rivals:
                self.rivals.replace_actions(lanes, rollout.seats[row], actions)
            with self.stopwatch.measure("engine"):
                lanes.step(actions)
            rollout.terminations[row] = lanes.terminations
            rollout.rewards[row] = lanes.rewards[:, : self.seats]
            rollout.final_scores[row] = 0
            ends = np.flatnonzero(lanes.terminations)
            if len(ends):
                final = lanes.final_scores[ends], lanes.final_ranks[ends], lanes.num_players[ends]
                margins = final_rewards("score", *final)[:, : self.seats]
                rollout.rewards[row, ends] += args.margin * (1 - self.progress()) * margins
                rollout.final_scores[row, ends] = final[0][:, : self.seats] / SCORE_UNIT
                ended += len(ends), lanes.final_decisions[ends].sum(), final[0].max(axis=1).sum()
        games, length, score = self.group.sum(ended)
        self.decisions += args.steps * args.lanes
        self.games += int(games)
        self.metrics |= {"game/length": length / games, "game/score": score / games} if games else {}
        _, values, scores = self.estimate()
        return Bootstrap(values, scores, self.learner_seats())

    def estimate(self) -> tuple[Floats, ...]:
        """The estimates for each lane's present decision, see `Estimates`; only where the learner decides."""
        observations = np.zeros_like(self.rollout.padded_observations[0])
        observations[:, : self.input_size] = self.lanes.observations[:, : self.input_size]
        return self.compute.forward(observations, self.learner_seats(), self.lanes.action_masks)

    def learner_seats(self) -> NDArray[np.int8]:
        """The seat that decides in each lane, int8 ``(N,)``; -1 where a past player or a rival decides."""
        return self.lanes.seats.copy() if self.other_tables is None else learner_seats(self.lanes, self.other_tables)

    def targets(self, estimates: Floats, outcomes: Floats, next_estimates: Floats, next_seats: Any) -> Targets:
        """Targets of estimates ``(T, N, S)``, by generalised advantage estimation along each seat's chain.

        ``next_estimates`` are those after the rollout. The second array, ``(T, N)``, is False for open decisions.
        """
        args, rollout, num_players = self.arguments, self.rollout, self.lanes.num_players
        chains = rollout.terminations, rollout.seats, num_players, next_estimates, next_seats
        advantages, finished = table_advantages(estimates, outcomes, *chains, args.discount, args.gae_lambda)
        return np.where(np.arange(self.seats) < num_players[:, None], estimates + advantages, 0), finished

    def learn(self, bootstrap: Bootstrap) -> None:
        """Update the network with every decision whose outcome is known, and carry the open decisions over."""
        args, rollout, group = self.arguments, self.rollout, self.group
        returns, finished = self.targets(rollout.values, rollout.rewards, bootstrap.values, bootstrap.seats)
        score_targets, _ = self.targets(rollout.scores, rollout.final_scores, bootstrap.scores, bootstrap.seats)
        thinned = thin_out(finished, rollout.logprobs, args.certain_share, args.lanes, self.own_lanes, self.random)
        learned = int(group.sum([float(np.count_nonzero(thinned.learned))])[0])
        if not learned:  # possible if a rollout is too short for any seat to decide again
            rollout.carry_over(finished)
            return
        advantages = (returns - rollout.values)[:, :, 0]
        samples = np.stack([advantages[finished], returns[finished][:, 0]])
        count, means, deviations = group.moments(samples.astype(np.float64))
        deviations += 1e-8
        advantages = ((advantages - means[0]) / deviations[0]).astype(np.float32)
        self.metrics["losses/explained_variance"] = float(1 - (deviations[0] / deviations[1]) ** 2)

        learning_rate = args.learning_rate * self.annealing() * min(1.0, (self.updates + 1) / max(args.warmup, 1))
        self.metrics["charts/learning_rate"] = self.optimizer.param_groups[0]["lr"] = learning_rate
        decisions = rollout.observations, rollout.action_masks, rollout.actions.astype(np.int64), rollout.logprobs
        weights = thinned.weights * np.float32(learned / count)
        teacher_policies = rollout.teacher_policies
        if not (self.compute.has_fixed_shapes or teacher_policies.any()):
            teacher_policies = teacher_policies[:, :, :0]
        targets = advantages, returns, score_targets, teacher_policies, weights
        flat = (array.reshape(finished.size, *array.shape[2:]) for array in (*decisions, *targets))
        batch = Batch(*(torch.from_numpy(array).to(self.compute.device) for array in flat))
        self.compute.begin_learning(batch, rollout.padded_observations, rollout.seats, thinned.learned)
        minibatches = min(max(1, round(learned / self.minibatch_size)), args.lanes)
        metrics = torch.zeros(len(METRICS), device=self.compute.device)
        for _ in range(args.epochs):
            # Whole lanes, along which a network can be computed by differences; all processes draw the same.
            for lanes in np.array_split(self.random.permutation(args.lanes), minibatches):
                with self.stopwatch.measure("gradient"):
                    own = group.own_numbers(lanes, args.lanes)
                    metrics += self.compute.backward(own, self.coefficients(), learned / minibatches)
                with self.stopwatch.measure("exchange"):
                    group.add_gradients(self.network.parameters())
                self.compute.update(self.optimizer, args.gradient_norm)
        rollout.carry_over(finished)
        self.updates += 1

        losses = dict(zip(METRICS, group.sum((metrics / (args.epochs * minibatches)).tolist()).tolist(), strict=True))
        check_finite(losses, self.updates)
        self.metrics |= {f"losses/{name}": loss for name, loss in losses.items()}


if __name__ == "__main__":
    runpy.run_module("training.__main__", run_name="__main__")

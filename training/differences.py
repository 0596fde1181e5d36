"""Learning by differences: a perceptron whose first layer and policy head cost what has changed and what is legal.

`DifferencesCompute` computes, for the default network on a CPU, what `training.compute.Compute` does apart from
rounding. It decides with sums that follow each seat's observations (`dunaia_env.harness.compiled.differences`), and it
learns along the same chains, so its minibatches are whole lanes. The gradient is computed without torch's automatic
differentiation, which would take as long as the arithmetic: by compiled functions for the first layer, the heads and
the loss, and by matrix products for the hidden layers between them.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.forward import estimate_rows
from dunaia_env.harness.compiled.differences import (
    MOST_SEATS,
    backward_chains,
    count_differences,
    forward_chains,
    list_differences,
    padded,
    update_sums,
)
from dunaia_env.harness.compiled.ppo_loss import METRICS, count_legal_actions, learn_rows, list_legal_actions
from dunaia_env.support.threads import Threads
from training.adam import Flat, FlatAdam, flattened, parameters_of
from training.compute import Batch, Compute, ComputeOptions, Setting, Workload, device_of

Floats = NDArray[np.float32]
# Least number of rows of a minibatch for each thread that learns: with fewer, threads wait for each other too often.
LEAST_ROWS = 256
# Columns of a batch in the order of the arguments of `learn_rows`.
COLUMNS = ("actions", "logprobs", "advantages", "returns", "score_targets", "weights")


class Chains(NamedTuple):
    """A rollout of T rows and N lanes as chains of differences, see `dunaia_env.harness.compiled.differences`.

    Attributes:
        seats: int8 ``(T, N)``, the deciding seats; negative for rows that belong to no chain.
        ends: int64 ``(N * T,)``, the ends of the entries of each row, lane by lane.
        columns: int16, the entries.
        changes: float32, their changes, divided by the scale of the input.
    """

    seats: NDArray[np.int8]
    ends: NDArray[np.int64]
    columns: NDArray[np.int16]
    changes: Floats


def find_chains(
    observations: NDArray[np.int8], seats: NDArray[np.int8], input_scale: Floats, threads: Threads
) -> Chains:
    """The chains of a rollout.

    Args:
        observations: int8 ``(T, N, padded inputs)``, what the deciding seats saw.
        seats: int8 ``(T, N)``, see `Chains`.
        input_scale: float32 ``(inputs,)``; observations are divided by it.
        threads: do the work.
    """
    words, lanes = observations.view(np.int64), seats.shape[1]
    counts = np.empty(seats.size, np.int64)
    threads.run(lambda first, last: count_differences(observations, words, seats, counts, first, last), lanes)
    ends = np.cumsum(counts)
    columns, changes = np.empty(ends[-1], np.int16), np.empty(ends[-1], np.int16)
    found = observations, words, seats, ends, columns, changes
    threads.run(lambda first, last: list_differences(*found, first, last), lanes)
    return Chains(seats, ends, columns, np.divide(changes, input_scale[columns], dtype=np.float32))


class LegalActions(NamedTuple):
    """The legal actions of the cells of a rollout, see `dunaia_env.harness.compiled.ppo_loss`.

    Attributes:
        ends: int64 ``(cells,)``, the ends of the entries of each cell.
        actions: int16, the entries.
    """

    ends: NDArray[np.int64]
    actions: NDArray[np.int16]


def find_legal_actions(action_masks: NDArray[np.int8], threads: Threads) -> LegalActions:
    """The legal actions of cells with masks int8 ``(cells, actions)``."""
    counts = np.empty(len(action_masks), np.int64)
    threads.run(lambda first, last: count_legal_actions(action_masks, counts, first, last), len(counts))
    ends = np.cumsum(counts)
    actions = np.empty(ends[-1], np.int16)
    threads.run(lambda first, last: list_legal_actions(action_masks, ends, actions, first, last), len(counts))
    return LegalActions(ends, actions)


class FollowedSums:
    """A default network that decides: the sums of its first layer follow what each seat in each lane sees.

    Args:
        network: the network, on the CPU.
        threads: share the lanes.
    """

    def __init__(self, network: nn.Module, threads: Threads) -> None:
        self._network: Any = network
        self._threads = threads

    @torch.no_grad()
    def begin(self) -> None:
        """Take the network's present weights, and forget what the seats have seen."""
        network = self._network
        first, *hidden = network.hidden
        # For observations that are not scaled, float32 (inputs, units).
        self._weights, self._bias = (first.weight / network.input_scale).t().contiguous().numpy(), first.bias.numpy()
        heads = (
            torch.cat([network.value.weight, network.score.weight]),
            torch.cat([network.value.bias, network.score.bias]),
        )
        layers = [*((layer.weight, layer.bias) for layer in hidden), heads]
        self._flat = np.concatenate([part.numpy().ravel() for weight, bias in layers for part in (weight.t(), bias)])
        self._sizes = np.array([len(self._bias), *(len(bias) for _, bias in layers)], np.int64)
        self._sums = self._latest = np.empty((0, 0, 0))

    def estimate(
        self, observations: NDArray[np.int8], seats: NDArray[np.int8], action_masks: NDArray[np.int8]
    ) -> tuple[Floats, ...]:
        """The estimates for the present decisions of all lanes, see `Compute.forward`."""
        lanes, inputs = observations.shape
        seats_of_all = self._network.value.out_features
        if not len(self._sums):
            self._latest = np.zeros((lanes, seats_of_all, inputs), np.int8)
            self._sums = np.empty((lanes, seats_of_all, len(self._bias)), np.float32)
            self._sums[:] = self._bias
        logits = np.zeros(action_masks.shape, np.float32)
        heads = np.zeros((lanes, self._sizes[-1]), np.float32)
        words = observations.view(np.int64), self._latest.view(np.int64)
        policy = self._network.policy.weight.detach().numpy(), self._network.policy.bias.detach().numpy()

        def work(first: int, last: int) -> None:
            update_sums(observations, words[0], seats, self._latest, words[1], self._sums, self._weights, first, last)
            estimate_rows(self._sums, seats, action_masks, self._flat, self._sizes, *policy, logits, heads, first, last)

        self._threads.run(work, lanes)
        return logits, heads[:, :seats_of_all], heads[:, seats_of_all:]


class DifferencesCompute(Compute):
    """Computes the default network by differences, in single precision on the CPU; see `Compute`.

    Args:
        options, network, loss, inputs, rows: see `Compute`.
    """

    has_fixed_shapes = False

    def __init__(self, options: ComputeOptions, network: nn.Module, loss: Any, *, inputs: int, rows: int) -> None:
        super().__init__(options, network, loss, inputs=inputs, rows=rows)
        self._threads = Threads(options.threads or self.cores)
        self._learning_threads = Threads(options.threads or max(1, min(self.cores, rows // LEAST_ROWS)))
        first = self._hidden[0]
        # The same weights with the units of one input side by side, as the kernels read them.
        first.weight.data = first.weight.data.t().contiguous().t()
        parts: Any = network
        self._layers = [*self._hidden, parts.policy, parts.value, parts.score]
        self._parameters = flattened(self._layers)
        self._gradients = [Flat(self._layers) for _ in range(self._learning_threads.number)]
        self._adam = FlatAdam(self._layers, self._parameters)
        self._sums = FollowedSums(network, self._threads)
        self._past_sums: FollowedSums | None = None

    @staticmethod
    def suits(options: ComputeOptions, *, inputs: int, actions: int, seats: int) -> bool:
        """Whether the options and the game's numbers of inputs, actions and seats allow to compute by differences."""
        dense = options.differences == "off" or options.precision == "bf16" or options.compile == "on"
        fits = max(inputs, actions) <= np.iinfo(np.int16).max and seats <= MOST_SEATS
        return not dense and fits and device_of(options.device).type == "cpu"

    @property
    def _hidden(self) -> list[nn.Linear]:
        hidden: Any = self.network.hidden
        return list(hidden)

    @property
    def _input_scale(self) -> Tensor:
        return cast(Tensor, self.network.input_scale)

    def _apply(self, setting: Setting) -> None:
        # Threads share the lanes; within a thread, torch computes too little to share.
        torch.set_num_threads(1)

    @property
    def settings(self) -> list[Setting]:
        """The only setting."""
        return [Setting(self._threads.number, bf16=False)]

    def prepare(self, setting: Setting, work: Workload) -> str:
        """Use a number of threads; returns a description."""
        self._apply(setting)
        self._compile_kernels()
        return f"CPU with {setting.threads} of {self.cores} threads, fp32, by differences"

    def _compile_kernels(self) -> None:
        """Decide and learn once, so that no kernel is compiled in the time of the run."""
        batch, coefficients = self.example(2)
        observations = np.zeros((2, 1, padded(self._inputs)), np.int8)
        seats = np.zeros((2, 1), np.int8)
        self.begin_rollout()
        self.forward(observations[0], seats[0], batch.action_masks[:1].numpy())
        self.begin_learning(batch, observations, seats, seats == 0)
        self.backward(np.zeros(1, np.int64), coefficients, 2.0)
        self.network.zero_grad()
        gradients = self._gradients[0].values.zero_()
        self._adam.step(torch.optim.Adam(self.network.parameters()), gradients, 1.0)

    def add_past_network(self, network: nn.Module, lanes: NDArray[np.int64]) -> None:
        """See `Compute.add_past_network`; computed by differences if it is a default network too."""
        super().add_past_network(network, lanes)
        if type(network) is type(self.network):
            self._past_sums = FollowedSums(network, self._threads)

    def begin_rollout(self) -> None:
        """See `Compute.begin_rollout`."""
        for sums in (self._sums, self._past_sums):
            if sums is not None:
                sums.begin()

    def forward(
        self, observations: NDArray[np.int8], seats: NDArray[np.int8], action_masks: NDArray[np.int8]
    ) -> tuple[Floats, ...]:
        """See `Compute.forward`; nothing else is computed than what is needed."""
        return self._sums.estimate(observations, seats, action_masks)

    def forward_past(
        self, observations: NDArray[np.int8], seats: NDArray[np.int8], action_masks: NDArray[np.int8]
    ) -> Floats:
        """See `Compute.forward_past`."""
        if self._past_sums is None:
            return super().forward_past(observations, seats, action_masks)
        return self._past_sums.estimate(observations, seats, action_masks)[0]

    def begin_learning(
        self, batch: Batch, observations: NDArray[np.int8], seats: NDArray[np.int8], learned: NDArray[np.bool_]
    ) -> None:
        """See `Compute.begin_learning`."""
        super().begin_learning(batch, observations, seats, learned)
        chained = np.where(learned, seats, np.int8(-1))
        self._chains = find_chains(observations, chained, self._input_scale.numpy(), self._threads)
        self._legal = find_legal_actions(batch.action_masks.numpy(), self._threads)
        columns = batch._asdict()
        self._columns = [columns[name].numpy() for name in COLUMNS]
        self._teacher_policies = columns["teacher_policies"]

    def backward(self, lanes: NDArray[np.int64], coefficients: Tensor, total: float) -> Tensor | float:
        """See `Compute.backward`. Each thread computes the gradients of a part of the lanes."""
        parts, metrics = np.array_split(lanes, len(self._gradients)), np.zeros((len(self._gradients), len(METRICS)))
        loss = coefficients.numpy(), np.float32(1 / total)

        def work(begin: int, end: int) -> None:
            for part in range(begin, end):
                self._learn(parts[part], loss, self._gradients[part], metrics[part])

        self._learning_threads.run(work, len(parts))
        # Added in the order of the parts, so that the sums do not depend on which thread is done first.
        first, *others = self._gradients
        for other in others:
            first.values += other.values
        for parameter, gradient in zip(parameters_of(self._layers), first.parts, strict=True):
            parameter.grad = gradient
        return torch.from_numpy(metrics.sum(axis=0))

    def update(self, optimizer: torch.optim.Optimizer, most_norm: float) -> None:
        """See `Compute.update`."""
        if type(optimizer) is torch.optim.Adam:
            self._adam.step(optimizer, self._gradients[0].values, most_norm)
        else:
            super().update(optimizer, most_norm)

    @torch.no_grad()
    def _learn(
        self, lanes: NDArray[np.int64], loss: tuple[Floats, np.float32], gradients: Flat, metrics: NDArray[np.float64]
    ) -> None:
        """Write the gradients and the metrics of some lanes; ``loss``: the coefficients, and a factor of both."""
        gradients.values.zero_()
        cells, depth = self.cells_of(lanes), len(self._hidden)
        (first, first_bias), *hidden = self._parameters.layers[:depth]
        (of_first, of_first_bias), *of_hidden = gradients.layers[:depth]
        out = np.empty((len(cells), len(first_bias)), np.float32)
        forward_chains(*self._chains, lanes, first.t().numpy(), first_bias.numpy(), out)
        x, inputs = torch.from_numpy(out), []
        for weights, bias in hidden:
            inputs.append(x)
            x = torch.addmm(bias, x, weights.t()).relu_()

        gradient = torch.empty_like(x)
        teacher_policies = self._teacher_policies[torch.from_numpy(cells)].float().numpy()
        rows = x.numpy(), cells, *self._legal, *self._columns, teacher_policies
        heads, of_heads = (
            [(weights.numpy(), bias.numpy()) for weights, bias in flat.layers[depth:]]
            for flat in (self._parameters, gradients)
        )
        learn_rows(*rows, *loss, *heads, gradient.numpy(), *of_heads, metrics)

        for (weights, _), (of_weights, of_bias) in zip(hidden[::-1], of_hidden[::-1], strict=True):
            gradient *= x > 0
            x = inputs.pop()
            torch.mm(gradient.t(), x, out=of_weights)
            torch.sum(gradient, dim=0, out=of_bias)
            gradient = gradient @ weights
        backward_chains(*self._chains, lanes, out, gradient.numpy(), of_first.t().numpy(), of_first_bias.numpy())

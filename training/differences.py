"""Learning by differences: a perceptron whose first layer and policy head cost what has changed and what is legal.

`DifferencesCompute` computes, for the default network on a CPU, what `training.compute.Compute` does apart from
rounding. It decides with sums that follow each seat's observations (`dunaia_env.harness.compiled.differences`), and it
learns along the same chains, so its minibatches are whole lanes. What torch's automatic differentiation needs for this
are two functions, `first_layer` and `legal_logprobs`: layers like others.
"""

from __future__ import annotations

import functools
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
from dunaia_env.harness.compiled.legal_policy import backward_legal, forward_legal, list_legal_actions
from dunaia_env.support.threads import Threads
from training.compute import Batch, Compute, ComputeOptions, Setting, Workload, device_of
from training.policy import LegalPolicy

Floats = NDArray[np.float32]
# Least number of rows of a minibatch for each thread that learns: with fewer, threads wait for each other too often.
LEAST_ROWS = 4096
# Columns of a batch that are read from the rollout instead.
SEEN = ("observations", "action_masks")


class Chains(NamedTuple):
    """A rollout of T rows and N lanes as chains of differences, see `dunaia_env.harness.compiled.differences`.

    Attributes:
        seats: int8 ``(T, N)``, the deciding seats; negative for rows that belong to no chain.
        learned: bool ``(T, N)``, the rows that are learned from.
        ends: int64 ``(N * T,)``, the ends of the entries of each row, lane by lane.
        columns, changes: int16, the entries.
    """

    seats: NDArray[np.int8]
    learned: NDArray[np.bool_]
    ends: NDArray[np.int64]
    columns: NDArray[np.int16]
    changes: NDArray[np.int16]


def find_chains(
    observations: NDArray[np.int8], seats: NDArray[np.int8], learned: NDArray[np.bool_], threads: Threads
) -> Chains:
    """The chains of a rollout.

    Args:
        observations: int8 ``(T, N, padded inputs)``, what the deciding seats saw.
        seats: int8 ``(T, N)``, see `Chains`.
        learned: bool ``(T, N)``, see `Chains`.
        threads: do the work.
    """
    words, lanes = observations.view(np.int64), seats.shape[1]
    counts = np.empty(seats.size, np.int64)
    threads.run(lambda first, last: count_differences(observations, words, seats, counts, first, last), lanes)
    ends = np.cumsum(counts)
    columns, changes = np.empty(ends[-1], np.int16), np.empty(ends[-1], np.int16)
    found = observations, words, seats, ends, columns, changes
    threads.run(lambda first, last: list_differences(*found, first, last), lanes)
    return Chains(seats, learned, ends, columns, changes)


class FirstLayer(torch.autograd.Function):
    """The first layer with ReLU for the learned rows of some lanes of a rollout, lane by lane in time order.

    Takes the weights, float32 ``(inputs, units)``, and the bias; returns float32 ``(rows, units)``.
    """

    @staticmethod
    def forward(ctx: Any, weights: Tensor, bias: Tensor, chains: Chains, lanes: NDArray[np.int64]) -> Tensor:
        """See the class."""
        units = weights.shape[1]
        out = np.empty((int(np.count_nonzero(chains.learned[:, lanes])), units), np.float32)
        forward_chains(*chains, lanes, weights.detach().numpy(), bias.detach().numpy(), out, 0, units)
        ctx.chains, ctx.lanes, ctx.out, ctx.inputs = chains, lanes, out, len(weights)
        return torch.from_numpy(out)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """See the class."""
        given, units = gradients[0].contiguous().numpy(), ctx.out.shape[1]
        of_weights, of_bias = np.zeros((ctx.inputs, units), np.float32), np.zeros(units, np.float32)
        backward_chains(*ctx.chains, ctx.lanes, ctx.out, given, of_weights, of_bias, 0, units)
        return torch.from_numpy(of_weights), torch.from_numpy(of_bias), None, None


class LegalLogprobs(torch.autograd.Function):
    """The log-probabilities of legal actions, float32 ``(entries,)``.

    Takes the inputs of the policy head, float32 ``(B, units)``, its weights and bias, as in `torch.nn.Linear`, and what
    `dunaia_env.harness.compiled.legal_policy.list_legal_actions` has listed.
    """

    @staticmethod
    def forward(ctx: Any, hidden: Tensor, weights: Tensor, bias: Tensor, ends: Any, legal: Any) -> Tensor:
        """See the class."""
        logprobs = np.empty(ends[-1], np.float32)
        inputs = hidden.detach().numpy(), weights.detach().numpy()
        forward_legal(*inputs, bias.detach().numpy(), ends, legal, logprobs, 0, len(hidden))
        ctx.inputs, ctx.legal, ctx.logprobs = inputs, (ends, legal), logprobs
        return torch.from_numpy(logprobs)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """See the class."""
        hidden, weights = ctx.inputs
        of_hidden, given = np.empty_like(hidden), gradients[0].contiguous().numpy()
        of_weights, of_bias = np.zeros_like(weights), np.zeros(len(weights), np.float32)
        arrays = hidden, weights, *ctx.legal, ctx.logprobs, given, of_hidden, of_weights, of_bias
        backward_legal(*arrays, 0, len(hidden))
        return torch.from_numpy(of_hidden), torch.from_numpy(of_weights), torch.from_numpy(of_bias), None, None


def first_layer(weights: Tensor, bias: Tensor, chains: Chains, lanes: NDArray[np.int64]) -> Tensor:
    """`FirstLayer` as a function."""
    found: Tensor = FirstLayer.apply(weights, bias, chains, lanes)  # type: ignore[no-untyped-call]
    return found


def legal_logprobs(
    hidden: Tensor, weights: Tensor, bias: Tensor, ends: NDArray[np.int64], legal: NDArray[np.int16]
) -> Tensor:
    """`LegalLogprobs` as a function."""
    found: Tensor = LegalLogprobs.apply(hidden, weights, bias, ends, legal)  # type: ignore[no-untyped-call]
    return found


class DifferencesCompute(Compute):
    """Computes the default network by differences, in single precision on the CPU; see `Compute`.

    Args:
        options, network, loss, inputs, rows: see `Compute`.
    """

    has_fixed_shapes = False

    def __init__(self, options: ComputeOptions, network: nn.Module, loss: Any, *, inputs: int, rows: int) -> None:
        super().__init__(options, network, loss, inputs=inputs, rows=rows)
        self._loss_of_policy = loss
        self._threads = Threads(options.threads or self.cores)
        self._learning_threads = Threads(options.threads or max(1, min(self.cores, rows // LEAST_ROWS)))
        first = self._layers()[0]
        # The same weights with the units of one input side by side, as the kernels read them.
        first.weight.data = first.weight.data.t().contiguous().t()

    @staticmethod
    def suits(options: ComputeOptions, *, inputs: int, actions: int, seats: int) -> bool:
        """Whether the options and the game's numbers of inputs, actions and seats allow to compute by differences."""
        dense = options.differences == "off" or options.precision == "bf16" or options.compile == "on"
        fits = max(inputs, actions) <= np.iinfo(np.int16).max and seats <= MOST_SEATS
        return not dense and fits and device_of(options.device).type == "cpu"

    def _layers(self) -> list[nn.Linear]:
        hidden: Any = self.network.hidden
        return list(hidden)

    def _first_weights(self) -> Tensor:
        """The first layer's weights for observations that are not scaled, float32 ``(inputs, units)``."""
        scale: Any = self.network.input_scale
        weights: Tensor = (self._layers()[0].weight.detach() / scale).t().contiguous()
        return weights

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
        self.begin_learning(observations, seats, seats == 0)
        self.backward(batch, np.zeros(1, np.int64), coefficients, 2.0)
        self.network.zero_grad()

    @torch.no_grad()
    def begin_rollout(self) -> None:
        """Take the network's present weights for `forward`, and forget what the seats have seen."""
        network: Any = self.network
        first, *hidden = self._layers()
        self._weights, self._bias = self._first_weights().numpy(), first.bias.numpy()
        heads = (
            torch.cat([network.value.weight, network.score.weight]),
            torch.cat([network.value.bias, network.score.bias]),
        )
        layers = [*((layer.weight, layer.bias) for layer in hidden), heads]
        self._flat = np.concatenate([part.numpy().ravel() for weight, bias in layers for part in (weight.t(), bias)])
        self._sizes = np.array([len(self._bias), *(len(bias) for _, bias in layers)], np.int64)
        self._sums = self._latest = np.empty((0, 0, 0))

    def forward(
        self, observations: NDArray[np.int8], seats: NDArray[np.int8], action_masks: NDArray[np.int8]
    ) -> tuple[Floats, ...]:
        """See `Compute.forward`; nothing else is computed than what is needed."""
        network: Any = self.network
        lanes, seats_of_all, inputs = len(observations), network.value.out_features, observations.shape[1]
        if not len(self._sums):
            self._latest = np.zeros((lanes, seats_of_all, inputs), np.int8)
            self._sums = np.empty((lanes, seats_of_all, len(self._bias)), np.float32)
            self._sums[:] = self._bias
        logits = np.zeros(action_masks.shape, np.float32)
        heads = np.zeros((lanes, self._sizes[-1]), np.float32)
        words = observations.view(np.int64), self._latest.view(np.int64)
        policy = network.policy.weight.detach().numpy(), network.policy.bias.detach().numpy()

        def work(first: int, last: int) -> None:
            update_sums(observations, words[0], seats, self._latest, words[1], self._sums, self._weights, first, last)
            estimate_rows(self._sums, seats, action_masks, self._flat, self._sizes, *policy, logits, heads, first, last)

        self._threads.run(work, lanes)
        return logits, heads[:, :seats_of_all], heads[:, seats_of_all:]

    def begin_learning(
        self, observations: NDArray[np.int8], seats: NDArray[np.int8], learned: NDArray[np.bool_]
    ) -> None:
        """See `Compute.begin_learning`."""
        super().begin_learning(observations, seats, learned)
        self._chains = find_chains(observations, seats, learned, self._threads)

    def backward(self, batch: Batch, lanes: NDArray[np.int64], coefficients: Tensor, total: float) -> Tensor | float:
        """See `Compute.backward`. Each thread computes the gradients of a part of the lanes."""
        first, scale = self._layers()[0].weight, cast(Tensor, self.network.input_scale)
        weights = self._first_weights().requires_grad_()
        others = [parameter for parameter in self.network.parameters() if parameter is not first]
        parts = np.array_split(lanes, self._learning_threads.number)
        found: list[tuple[Tensor, ...]] = [()] * len(parts)

        def work(begin: int, end: int) -> None:
            for number in range(begin, end):
                cells = self.cells_of(parts[number])
                if len(cells):
                    loss, metrics = self._loss_of(batch, parts[number], cells, weights, coefficients)
                    found[number] = metrics / total, *torch.autograd.grad(loss / total, [weights, *others])

        self._learning_threads.run(work, len(parts))
        computed = [part for part in found if part]
        if not computed:
            return 0.0
        # Added in the order of the parts, so that the sums do not depend on which thread is done first.
        sums: list[Tensor] = [functools.reduce(torch.add, column) for column in zip(*computed, strict=True)]
        metrics, of_weights, *of_others = sums
        for parameter, gradient in ((first, (of_weights / scale[:, None]).t()), *zip(others, of_others, strict=True)):
            parameter.grad = gradient if parameter.grad is None else parameter.grad + gradient
        return metrics

    def _loss_of(
        self, batch: Batch, lanes: NDArray[np.int64], cells: NDArray[np.int64], weights: Tensor, coefficients: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The loss and the metrics of some lanes, whose cells `cells_of` names, with the first layer's weights."""
        network: Any = self.network
        masks, ends, chosen = batch.action_masks.numpy(), np.empty(len(cells), np.int64), np.empty(len(cells), np.int64)
        actions = np.empty(len(cells) * masks.shape[1] + 1, np.int16)
        list_legal_actions(masks, batch.actions.numpy(), cells, ends, actions, chosen)
        x = first_layer(weights, self._layers()[0].bias, self._chains, lanes)
        for layer in self._layers()[1:]:
            x = torch.relu(layer(x))
        logprobs = legal_logprobs(x, network.policy.weight, network.policy.bias, ends, actions)
        rows = torch.from_numpy(np.repeat(np.arange(len(cells)), np.diff(ends, prepend=0)))
        policy = LegalPolicy(logprobs, torch.from_numpy(chosen), rows, torch.from_numpy(actions[: ends[-1]]))
        indices = torch.from_numpy(cells)
        columns = {
            name: column.index_select(0, indices) for name, column in batch._asdict().items() if name not in SEEN
        }
        chosen_rows = type(batch)(**batch._asdict() | columns)
        loss, metrics = self._loss_of_policy(policy, network.value(x), network.score(x), chosen_rows, coefficients)
        return loss, metrics

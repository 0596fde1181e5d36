"""Where and how networks are computed: device, threads, precision, compilation.

Settings that the options leave open are chosen by measuring before the first update (`Compute.measure`). They are
chosen again when computing has been slower or faster for some time (`Pace`), for example when other work on the
machine begins or ends.
"""

from __future__ import annotations

import itertools
import os
import shutil
import statistics
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from dunaia_env.support.messages import printable
from training.policy import Policy

# Largest number of rows of a timed batch.
TIMED_ROWS = 2048
# Least and largest number of rounds in which settings are timed, and the most seconds that this takes: before the first
# update, and later.
LEAST_ROUNDS, MOST_ROUNDS = 8, 60
MOST_SECONDS, MOST_SECONDS_AGAIN = 12.0, 4.0
# A setting counts as slower if it is slower in all but a share DOUBT of the rounds. Relative differences below SAME are
# ignored.
DOUBT, SAME = 0.2, 0.03
# After FIRST_ROUNDS rounds, a setting is left out if it took at least FAR_SLOWER times as long as the best setting in
# each of them.
FIRST_ROUNDS, FAR_SLOWER = 3, 1.4
MOST_ENGINE_THREADS = 8

# Maps observations to the estimates of a network, see `training.facts.Estimates`.
Estimator = Callable[[Tensor], tuple[Tensor, ...]]
Loss = Callable[..., tuple[Tensor, Tensor]]


@dataclass(frozen=True)
class ComputeOptions:
    """The options of the same names in `training.arguments.Arguments`."""

    device: Literal["auto", "cpu", "cuda"] = "auto"
    threads: int = 0
    engine_threads: int = 0
    precision: Literal["auto", "fp32", "bf16"] = "auto"
    compile: Literal["auto", "on", "off"] = "auto"
    differences: Literal["auto", "off"] = "auto"


class Batch(Protocol):
    """What is computed from a batch of decisions (`training.ppo.Batch`): a named tuple of tensors."""

    @property
    def observations(self) -> Tensor:
        """int8 ``(B, inputs)``."""

    @property
    def action_masks(self) -> Tensor:
        """int8 ``(B, actions)``."""

    @property
    def actions(self) -> Tensor:
        """int64 ``(B,)``."""

    def __iter__(self) -> Iterator[Any]: ...
    def _asdict(self) -> dict[str, Any]: ...


def network_loss(loss: Loss, network: nn.Module, batch: Batch, coefficients: Tensor) -> tuple[Tensor, Tensor]:
    """The loss of a network that is computed from whole observations, and the metrics; see `Compute`."""
    estimates = network(batch.observations)
    policy = Policy(estimates.logits, batch.action_masks, batch.actions)
    return loss(policy, estimates.values, estimates.scores, batch, coefficients)


class Setting(NamedTuple):
    """How networks are computed.

    Attributes:
        threads: number of torch's threads.
        bf16: whether matrix products are computed in bfloat16.
    """

    threads: int
    bf16: bool

    def __str__(self) -> str:
        return f"{self.threads} thread{'s' * (self.threads > 1)} {'bf16' if self.bf16 else 'fp32'}"


class Workload(NamedTuple):
    """What a run computes again and again.

    Attributes:
        rows: number of decisions that the network makes at once.
        past_rows: number of these decisions that the past players' network computes as well.
        minibatch: number of decisions that the network learns from at once.
        epochs: number of times that each decision is learned from.
    """

    rows: int
    past_rows: int
    minibatch: int
    epochs: int


class Measurement(NamedTuple):
    """The measured costs of settings.

    Attributes:
        costs: median seconds for making a decision and learning from it, with each setting; the best setting first.
            NaN if there is only one setting.
        rounds: number of rounds of the measurement.
    """

    costs: dict[Setting, float]
    rounds: int

    @property
    def best(self) -> Setting:
        """The setting that costs least."""
        return next(iter(self.costs))

    def __str__(self) -> str:
        costs = ", ".join(f"{setting} {1e6 * cost:.3g}" for setting, cost in self.costs.items())
        return f"microseconds of computing a decision, medians of {self.rounds} rounds: {costs}"


def compare(
    settings: Sequence[Setting],
    cost: Callable[[Setting], float],
    *,
    most_seconds: float,
    mean: Callable[[Sequence[float]], Iterable[float]] = list,
) -> Measurement:
    """Measure settings in turn, round by round, so that other work on the machine slows all of them alike.

    The measurement ends when it is clear which setting costs least, or when the time is over. It is clear when each of
    the other settings costs more in all but a share `DOUBT` of the rounds, or differs too little to matter (`SAME`).

    Args:
        settings: at least one.
        cost: measures the seconds that a setting takes.
        most_seconds: time after which no further round begins.
        mean: averages numbers over all processes of a run, which measure at the same time.
    """
    costs: dict[Setting, list[float]] = {setting: [] for setting in settings}
    left, spent = list(settings), 0.0
    for setting in settings:
        cost(setting)  # a first use, which includes preparations, is not counted
    for number in range(MOST_ROUNDS):
        begin = time.perf_counter()
        found = {setting: cost(setting) for setting in (left if number % 2 else left[::-1])}
        *shared, seconds = mean([*(found[setting] for setting in left), time.perf_counter() - begin])
        for setting, one in zip(left, shared, strict=True):
            costs[setting].append(one)
        spent += seconds
        best = min(left, key=lambda setting: statistics.median(costs[setting]))
        ratios = {setting: np.divide(costs[setting], costs[best]) for setting in left if setting != best}
        if number + 1 >= FIRST_ROUNDS:
            left = [setting for setting in left if setting == best or ratios[setting].min() < FAR_SLOWER]
        open_ones = [
            setting
            for setting in left
            if setting != best
            and not np.quantile(ratios[setting], DOUBT) > 1
            and not np.quantile(ratios[setting], 1 - DOUBT) < 1 + SAME
        ]
        if (number + 1 >= LEAST_ROUNDS and not open_ones) or len(left) == 1 or spent >= most_seconds:
            break
    medians = {setting: statistics.median(costs[setting]) for setting in settings}
    order = [best, *sorted((setting for setting in settings if setting != best), key=lambda one: medians[one])]
    return Measurement({setting: medians[setting] for setting in order}, len(costs[best]))


class Pace:
    """Notices when computing has been slower or faster than usual for some time.

    The usual cost is the median of the first updates after `begin`. After each further call of `begin`, a deviation has
    to last twice as long.
    """

    FACTOR, UPDATES, SECONDS = 1.4, 5, 20.0

    def __init__(self) -> None:
        self._patience = self.SECONDS / 2
        self.begin()

    def begin(self) -> None:
        """Measure the usual cost in the next updates."""
        self._patience *= 2
        self._recent: deque[float] = deque(maxlen=self.UPDATES)
        self._usual: float | None = None
        self._since: float | None = None

    def __str__(self) -> str:
        if self._usual is None:
            return "computing has just begun"
        present = statistics.median(self._recent)
        kind = "slower" if present > self._usual else "faster"
        return f"computing has become {kind}, {self._usual:.3g} before and {present:.3g} microseconds a decision now"

    def has_changed(self, cost: float, now: float) -> bool:
        """Record an update; returns whether the setting should be chosen again.

        Args:
            cost: microseconds that a decision of the update took.
            now: time at which the update ended, in seconds.
        """
        self._recent.append(cost)
        if len(self._recent) < self.UPDATES:
            return False
        present = statistics.median(self._recent)
        if self._usual is None:
            self._usual = present
        if self._usual / self.FACTOR <= present <= self._usual * self.FACTOR:
            self._since = None
            return False
        if self._since is None:
            self._since = now
        return now - self._since >= self._patience


class Compute:
    """Computes the networks of a run: eagerly and in single precision until `prepare` is called.

    Args:
        options: the run's options.
        network: the network that is trained; moved to the device.
        loss: see `training.ppo.ppo_loss`: maps policy, values, scores, batch and coefficients to the loss and the
            metrics, both summed over the rows.
        inputs: number of entries of an observation that the network reads.
        rows: number of rows of each backward pass.

    Attributes:
        device: where the networks are.
        cores: number of threads that torch takes by default.
        bf16: whether matrix products are computed in bfloat16.
        preparation: seconds that the last `prepare` took.
        example: makes a batch of a given number of rows, and coefficients, on the CPU, for `measure` and `prepare`.

    Raises `ValueError` if a GPU is asked for and none is found.
    """

    example: Callable[[int], tuple[Batch, Tensor]]
    # Compiled code wants batches of one shape.
    has_fixed_shapes = True

    def __init__(self, options: ComputeOptions, network: nn.Module, loss: Loss, *, inputs: int, rows: int) -> None:
        self.options = options
        self._inputs = inputs
        self.device = device_of(options.device)
        self.network = network.to(self.device)
        self.past_network: nn.Module | None = None
        self._past_lanes = np.zeros(0, np.int64)
        self.cores = torch.get_num_threads()
        self.bf16 = False
        self.preparation = 0.0
        self._rows = rows
        self._eager_loss: Loss = partial(network_loss, loss)
        self._run_eagerly()

    def _run_eagerly(self) -> None:
        self._network: Estimator = self.network
        self._past_network: Estimator | None = self.past_network
        self._loss: Loss = self._eager_loss

    def add_past_network(self, network: nn.Module, lanes: NDArray[np.int64]) -> None:
        """Also compute a second network, which decides in some of the lanes but does not learn.

        Args:
            network: moved to the device. Its weights may change between two rollouts.
            lanes: int64 ``(K,)``.
        """
        self._past_network = self.past_network = network.to(self.device)
        self._past_lanes = lanes

    @property
    def settings(self) -> list[Setting]:
        """The settings that the options allow; more than one if the options leave something open."""
        options, cuda = self.options, self.device.type == "cuda"
        threads = [options.threads] if options.threads else [1] if cuda else sorted({1, self.cores})
        precisions = {"auto": [True, False], "bf16": [True], "fp32": [False]}[options.precision]
        return [Setting(*choice) for choice in itertools.product(threads, precisions)]

    @property
    def setting(self) -> Setting:
        """The present setting."""
        return Setting(torch.get_num_threads(), self.bf16)

    def _apply(self, setting: Setting) -> None:
        torch.set_num_threads(setting.threads)
        self.bf16 = setting.bf16

    def measure(
        self,
        settings: Sequence[Setting],
        work: Workload,
        *,
        most_seconds: float,
        mean: Callable[[Sequence[float]], Iterable[float]] = list,
    ) -> Measurement:
        """Measure the costs of some settings, see `compare`; the present setting does not change."""
        if len(settings) == 1:
            return Measurement({settings[0]: float("nan")}, 0)
        before = self.setting
        measured = compare(settings, lambda setting: self._cost(setting, work), most_seconds=most_seconds, mean=mean)
        self.network.zero_grad()
        self._apply(before)
        return measured

    def _cost(self, setting: Setting, work: Workload) -> float:
        """Seconds per decision with a setting: to make it once, and to learn from it once per epoch."""
        self._apply(setting)
        rows, minibatch = min(work.rows, TIMED_ROWS), min(work.minibatch, TIMED_ROWS)
        (batch, coefficients), observations = self._example(minibatch), self._observations(rows)
        self._wait()
        begin = time.perf_counter()
        self._estimate(self.network, observations)
        decided = time.perf_counter()
        self._backward(self._eager_loss, batch, coefficients, minibatch)
        self._wait()
        learned = time.perf_counter()
        forward = (decided - begin) / rows * (1 + work.past_rows / work.rows)
        return forward + (learned - decided) / minibatch * work.epochs

    def _example(self, rows: int) -> tuple[Batch, Tensor]:
        batch, coefficients = self.example(rows)
        return type(batch)(*(column.to(self.device) for column in batch)), coefficients

    def _observations(self, rows: int) -> NDArray[np.int8]:
        observations: NDArray[np.int8] = self.example(rows)[0].observations.numpy()
        return observations

    def _wait(self) -> None:
        """Wait until the device has finished its work."""
        if self.device.type == "cuda":
            torch.cuda.synchronize()

    def prepare(self, setting: Setting, work: Workload) -> str:
        """Use a setting from now on, with code compiled for the work if the options allow; returns a description."""
        self._apply(setting)
        cuda = self.device.type == "cuda"
        compiler = cuda or any(map(shutil.which, (os.environ.get("CXX", "g++"), "g++", "clang++")))
        begin = time.perf_counter()
        if self.options.compile == "off":
            compiled = "eager"
        elif self.options.compile == "auto" and not compiler:
            compiled = "eager, because there is no C++ compiler (with g++, torch.compile is up to twice as fast)"
        else:
            compiled = self._compile(work)
        self.preparation = time.perf_counter() - begin
        where = torch.cuda.get_device_name() if cuda else f"CPU with {setting.threads} of {self.cores} threads"
        return f"{where}, {'bf16' if setting.bf16 else 'fp32'}, {compiled}"

    def _compile(self, work: Workload) -> str:
        """Compile networks and loss; if that fails, stay eager. Returns a description, which says why it failed."""
        # torch limits the number of compiled versions of a function; versions for other settings would count.
        torch.compiler.reset()
        try:
            self._network = torch.compile(self.network, dynamic=False)
            self._loss = torch.compile(self._eager_loss, dynamic=False)
            self._estimate(self._network, self._observations(work.rows))
            if self.past_network is not None and work.past_rows:
                self._past_network = torch.compile(self.past_network, dynamic=False)
                self._estimate(self._past_network, self._observations(work.past_rows))
            self._backward(self._loss, *self._example(work.minibatch), work.minibatch)
        except Exception as error:  # whatever a broken compiler makes torch raise
            self._run_eagerly()
            lines = [line for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
            return f"eager, because torch.compile failed ({printable(lines[0].strip(), 100)})"
        return "compiled"

    def begin_rollout(self) -> None:
        """Use the networks' present weights in `forward` and `forward_past`."""

    def forward(
        self, observations: NDArray[np.int8], seats: NDArray[np.int8], action_masks: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], ...]:
        """The network's estimates, see `training.facts.Estimates`.

        Args:
            observations: int8 ``(N, padded inputs)``.
            seats: int8 ``(N,)``, the deciding seats; negative where the estimates are not needed.
            action_masks: int8 ``(N, actions)``, 1 for the actions whose logits are needed.
        """
        return self._estimate(self._network, observations[:, : self._inputs])

    def begin_learning(
        self, batch: Batch, observations: NDArray[np.int8], seats: NDArray[np.int8], learned: NDArray[np.bool_]
    ) -> None:
        """Prepare to learn from a rollout.

        Args:
            batch: all cells of the rollout, on the device.
            observations: int8 ``(T, N, padded inputs)``.
            seats: int8 ``(T, N)``, the deciding seats; negative for a decision that is not learned from.
            learned: bool ``(T, N)``, the decisions that are learned from.
        """
        self._batch, self._learned = batch, learned

    def cells_of(self, lanes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Cells ``row * N + lane`` that are learned from in some lanes of the rollout, in time order lane by lane."""
        numbers, rows = np.nonzero(self._learned[:, lanes].T)
        cells: NDArray[np.int64] = rows * self._learned.shape[1] + lanes[numbers]
        return cells

    def forward_past(
        self, observations: NDArray[np.int8], seats: NDArray[np.int8], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float32]:
        """The logits of the network that was added by `add_past_network`, float32 ``(N, actions)``.

        Args (N lanes):
            observations, seats, action_masks: see `forward`. Only lanes of `add_past_network` may need logits.
        """
        assert self._past_network is not None
        logits = np.zeros(action_masks.shape, np.float32)
        # Of all these lanes, because compiled code wants batches of one size.
        logits[self._past_lanes] = self._estimate(self._past_network, observations[self._past_lanes, : self._inputs])[0]
        return logits

    def _estimate(self, network: Estimator, observations: NDArray[np.int8]) -> tuple[NDArray[np.float32], ...]:
        with torch.no_grad(), torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16):
            estimates = network(torch.from_numpy(observations).to(self.device))
        return tuple(part.cpu().numpy() for part in estimates)

    def backward(self, lanes: NDArray[np.int64], coefficients: Tensor, total: float) -> Tensor | float:
        """Replace the gradients by what some lanes contribute to those of the mean loss of a minibatch.

        Args:
            lanes: int64 ``(K,)``, the lanes in the minibatch that this process computes.
            coefficients: float32, the coefficients of the loss.
            total: mean number of decisions of a minibatch, those of all processes.

        Returns:
            the metrics of these lanes, divided by ``total``.
        """
        metrics: Tensor | float = 0.0
        batch, rows = self._batch, self.cells_of(lanes)
        self.network.zero_grad()
        # Padded, because compiled code wants batches of one size.
        for first in range(0, len(rows), self._rows):
            some = rows[first : first + self._rows]
            indices = torch.from_numpy(np.resize(some, self._rows)).to(self.device)
            columns = {name: column.index_select(0, indices) for name, column in batch._asdict().items()}
            columns["weights"] *= torch.arange(self._rows, device=self.device) < len(some)
            metrics = metrics + self._backward(self._loss, type(batch)(**columns), coefficients, total)
        return metrics

    def update(self, optimizer: torch.optim.Optimizer, most_norm: float) -> None:
        """Make a step of the optimiser, with the norm of the gradients clipped to ``most_norm``."""
        nn.utils.clip_grad_norm_(self.network.parameters(), most_norm)
        optimizer.step()

    def _backward(self, loss_of: Loss, batch: Batch, coefficients: Tensor, total: float) -> Tensor:
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16):
            loss, metrics = loss_of(self.network, batch, coefficients.to(self.device))
        (loss / total).backward()  # type: ignore[no-untyped-call]
        return metrics / total


def device_of(name: str) -> torch.device:
    """The device that an option ``device`` names; raises `ValueError` if a GPU is asked for and none is found."""
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("device: 'cuda'; torch finds no GPU here")
    return torch.device("cuda" if name != "cpu" and torch.cuda.is_available() else "cpu")


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch compute with one thread inside the ``with`` block."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def engine_threads(options: ComputeOptions, processes: int) -> int:
    """Number of threads that step the lanes in each of the ``processes`` processes on this machine."""
    return options.engine_threads or max(1, min(torch.get_num_threads() // processes, MOST_ENGINE_THREADS))

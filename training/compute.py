"""Where and how networks are computed: device, threads, precision, compilation.

What nobody asks for is measured before the first update (`Compute.measure`), and again when computing has become slower
or faster for some time (`Pace`), as it does when other work begins or ends on the machine.
"""

from __future__ import annotations

import itertools
import os
import shutil
import statistics
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dunaia_env.support.messages import printable
from training.policy import Batch, Estimates, PolicyNetwork, Weights, ppo_loss

# Most rows of the batches that are timed.
TIMED_ROWS = 2048
# Rounds in which settings are timed, and the most seconds for them, before the first update and later.
LEAST_ROUNDS, MOST_ROUNDS = 8, 60
MOST_SECONDS, MOST_SECONDS_AGAIN = 12.0, 4.0
# A setting is slower if it is in all but this part of the rounds; a difference below this part does not matter.
DOUBT, SAME = 0.2, 0.03
# After so many rounds, settings that took so many times as long in each of them are left out.
FIRST_ROUNDS, FAR_SLOWER = 3, 1.4


@dataclass(frozen=True)
class Choice:
    """What was asked for, see the options of the same names in `Arguments`; and whether searches are to be imitated."""

    device: Literal["auto", "cpu", "cuda"]
    threads: int
    precision: Literal["auto", "fp32", "bf16"]
    compile: Literal["auto", "on", "off"]
    searched: bool = False


class Setting(NamedTuple):
    """How networks are computed.

    Attributes:
        threads: of torch.
        bf16: whether matrix products are computed in bfloat16.
    """

    threads: int
    bf16: bool

    def __str__(self) -> str:
        return f"{self.threads} thread{'s' * (self.threads > 1)} {'bf16' if self.bf16 else 'fp32'}"


class Workload(NamedTuple):
    """What a run computes again and again.

    Attributes:
        rows: of a batch of decisions that the network makes.
        past_rows: of them, those at tables where past players decide too.
        minibatch: rows of a batch from which it learns.
        epochs: times that each decision is learned from.
    """

    rows: int
    past_rows: int
    minibatch: int
    epochs: int


class Measured(NamedTuple):
    """What settings cost.

    Attributes:
        costs: median seconds for a decision with each setting, best first: to make it and to learn from it. Without
            numbers where there was nothing to choose.
        rounds: in which they were measured.
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
) -> Measured:
    """Measure settings in turn, round by round, so that whatever else the machine does falls on all of them alike.

    It ends when it is clear which costs least (in all but a `DOUBT` part of the rounds every other one costs more, or
    too little less to matter), or when the time is over.

    Args:
        settings: at least one.
        cost: measures one of them.
        most_seconds: after which no further round begins.
        mean: the means of numbers over all processes of a run, which all measure at the same time.
    """
    costs: dict[Setting, list[float]] = {setting: [] for setting in settings}
    left, spent = list(settings), 0.0
    for setting in settings:
        cost(setting)  # what is prepared at the first use does not count
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
    return Measured({setting: medians[setting] for setting in order}, len(costs[best]))


class Pace:
    """Notices that computing has become slower or faster for some time.

    What is usual is the median of the first updates; each time that it is found anew takes twice the time of deviation.
    """

    FACTOR, UPDATES, SECONDS = 1.4, 5, 20.0

    def __init__(self) -> None:
        self._patience = self.SECONDS / 2
        self.begin()

    def begin(self) -> None:
        """Forget what was usual."""
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
        """Take in what an update cost (microseconds a decision) and when it ended (seconds): whether to choose anew."""
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
    """The computations of a run.

    Args:
        choice: what was asked for.
        network: that learns and decides.
        past_network: that only decides.

    Attributes:
        device: of both networks.
        cores: threads that torch takes if it is not told.
        bf16: whether matrix products are computed in bfloat16.
        preparation: seconds that the last `prepare` took.

    Raises `ValueError` where a GPU is asked for and none is found.
    """

    def __init__(self, choice: Choice, network: PolicyNetwork, past_network: PolicyNetwork) -> None:
        self.choice = choice
        self.device = device_of(choice.device)
        self.network = network.to(self.device)
        self.past_network = past_network.to(self.device)
        self.cores = torch.get_num_threads()
        self.bf16 = False
        self.preparation = 0.0
        self._forward: Callable[[Tensor], Estimates] = self.network
        self._forward_past: Callable[[Tensor], Estimates] = self.past_network
        self._loss: Callable[..., tuple[Tensor, Tensor]] = ppo_loss

    @property
    def settings(self) -> list[Setting]:
        """Those among which there is a choice, if more than one was asked for."""
        choice, cuda = self.choice, self.device.type == "cuda"
        threads = [choice.threads] if choice.threads else [1] if cuda else sorted({1, self.cores})
        precisions = {"auto": [True, False], "bf16": [True], "fp32": [False]}[choice.precision]
        return [Setting(*one) for one in itertools.product(threads, precisions)]

    def measure(
        self,
        settings: Sequence[Setting],
        work: Workload,
        *,
        most_seconds: float,
        mean: Callable[[Sequence[float]], Iterable[float]] = list,
    ) -> Measured:
        """What each of some settings costs, see `compare`; afterwards computing goes on as before."""
        if len(settings) == 1:
            return Measured({settings[0]: float("nan")}, 0)
        before = self.setting
        found = compare(settings, lambda setting: self._cost(setting, work), most_seconds=most_seconds, mean=mean)
        self.network.zero_grad()
        self._take(before)
        return found

    def prepare(self, setting: Setting, work: Workload) -> str:
        """Compute in this way from now on, compiled for such work; returns how."""
        self._take(setting)
        cuda = self.device.type == "cuda"
        compiler = cuda or any(map(shutil.which, (os.environ.get("CXX", "g++"), "g++", "clang++")))
        begin = time.perf_counter()
        if self.choice.compile == "off":
            compiled = "eager"
        elif self.choice.compile == "auto" and not compiler:
            compiled = "eager, for there is no C++ compiler (with g++, torch.compile is up to twice as fast)"
        else:
            compiled = self._compile(work)
        self.preparation = time.perf_counter() - begin
        where = torch.cuda.get_device_name() if cuda else f"CPU with {setting.threads} of {self.cores} threads"
        return f"{where}, {'bf16' if setting.bf16 else 'fp32'}, {compiled}"

    def _take(self, setting: Setting) -> None:
        torch.set_num_threads(setting.threads)
        self.bf16 = setting.bf16

    @property
    def setting(self) -> Setting:
        """How it is computed now."""
        return Setting(torch.get_num_threads(), self.bf16)

    def _example(self, rows: int) -> Batch:
        """A minibatch of the right shapes."""
        inputs, actions, seats = (
            len(self.network.input_scale),
            *(len(head.bias) for head in (self.network.policy, self.network.value)),
        )
        ones, each = (torch.ones(shape, device=self.device) for shape in ((rows,), (rows, seats)))
        observations, masks = (
            torch.ones((rows, size), dtype=torch.int8, device=self.device) for size in (inputs, actions)
        )
        improved = torch.zeros((rows, actions if self.choice.searched else 0), device=self.device)
        chosen = torch.zeros_like(ones, dtype=torch.int64)
        return Batch(observations, masks, chosen, -ones, ones, each, each, improved, ones)

    def _cost(self, setting: Setting, work: Workload) -> float:
        """Seconds that a decision takes: once to be made and so many times as there are epochs to be learned from."""
        self._take(setting)
        rows, minibatch = min(work.rows, TIMED_ROWS), min(work.minibatch, TIMED_ROWS)
        example, observations = self._example(minibatch), self._example(rows).observations.cpu().numpy()
        self._wait()
        begin = time.perf_counter()
        self._estimate(self.network, observations)
        decided = time.perf_counter()
        self._gradient(ppo_loss, example, Weights.of(clip=0.2), minibatch)
        self._wait()
        learned = time.perf_counter()
        forward = (decided - begin) / rows * (1 + work.past_rows / work.rows)
        return forward + (learned - decided) / minibatch * work.epochs

    def _wait(self) -> None:
        """Until the device has done what it was given."""
        if self.device.type == "cuda":
            torch.cuda.synchronize()

    def _compile(self, work: Workload) -> str:
        """Compile what is computed most; stay eager and say why if that fails."""
        # What was compiled for another setting would count towards the most versions that torch keeps of a function.
        torch.compiler.reset()
        try:
            self._forward = torch.compile(self.network, dynamic=False)
            self._forward_past = torch.compile(self.past_network, dynamic=False)
            self._loss = torch.compile(ppo_loss, dynamic=False)
            self.estimate(self._example(work.rows).observations.cpu().numpy())
            if work.past_rows:
                self.estimate_past(self._example(work.past_rows).observations.cpu().numpy())
            self.gradient(self._example(work.minibatch), Weights.of(clip=0.2), work.minibatch)
        except Exception as error:  # whatever a broken compiler makes torch raise
            self._forward, self._forward_past, self._loss = self.network, self.past_network, ppo_loss
            lines = [line for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
            return f"eager, for torch.compile failed ({printable(lines[0].strip(), 100)})"
        return "compiled"

    def estimate(self, observations: NDArray[np.int8]) -> tuple[NDArray[np.float32], ...]:
        """What the network says of observations int8 ``(N, inputs)``, see `training.policy.Estimates`."""
        return self._estimate(self._forward, observations)

    def estimate_past(self, observations: NDArray[np.int8]) -> tuple[NDArray[np.float32], ...]:
        """The same of the past player."""
        return self._estimate(self._forward_past, observations)

    def _estimate(
        self, forward: Callable[[Tensor], Estimates], observations: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], ...]:
        with torch.no_grad(), torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16):
            said = forward(torch.from_numpy(observations).to(self.device))
        return tuple(part.cpu().numpy() for part in said)

    def gradient(self, batch: Batch, weights: Weights, rows: int) -> Tensor:
        """Add a batch's part of the gradient of a minibatch of so many rows; returns what `ppo_loss` shows."""
        return self._gradient(self._loss, batch, weights, rows)

    def _gradient(
        self, loss_of: Callable[..., tuple[Tensor, Tensor]], batch: Batch, weights: Weights, rows: int
    ) -> Tensor:
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16):
            loss, shown = loss_of(self.network, batch, weights.to(self.device))
        (loss / rows).backward()  # type: ignore[no-untyped-call]
        return shown / rows


def device_of(asked: str) -> torch.device:
    """Where the networks are computed; raises `ValueError` where a GPU is asked for and none is found."""
    if asked == "cuda" and not torch.cuda.is_available():
        raise ValueError("device: 'cuda'; torch finds no GPU here")
    return torch.device("cuda" if asked != "cpu" and torch.cuda.is_available() else "cpu")

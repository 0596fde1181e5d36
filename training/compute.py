"""Where and how networks are computed: device, threads, precision, compilation; what nobody asks for is measured."""

from __future__ import annotations

import itertools
import os
import shutil
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from training.policy import Batch, Estimates, PolicyNetwork, Weights, ppo_loss

# Rows and repetitions of the update that is timed.
TIMED_ROWS, TIMED_UPDATES = 2048, 7


@dataclass(frozen=True)
class Choice:
    """What was asked for, see the options of the same names in `Arguments`; and whether searches are to be imitated."""

    device: Literal["auto", "cpu", "cuda"]
    threads: int
    precision: Literal["auto", "fp32", "bf16"]
    compile: Literal["auto", "on", "off"]
    searched: bool = False


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

    Raises `ValueError` where a GPU is asked for and none is found.
    """

    def __init__(self, choice: Choice, network: PolicyNetwork, past_network: PolicyNetwork) -> None:
        self.choice = choice
        self.device = device_of(choice.device)
        self.network = network.to(self.device)
        self.past_network = past_network.to(self.device)
        self.cores = torch.get_num_threads()
        self.bf16 = False
        self._forward: Callable[[Tensor], Estimates] = self.network
        self._forward_past: Callable[[Tensor], Estimates] = self.past_network
        self._loss: Callable[..., tuple[Tensor, Tensor]] = ppo_loss

    def measure(self) -> tuple[int, bool]:
        """The number of threads and whether in bfloat16: as asked for, or what takes least time."""
        choice, cuda = self.choice, self.device.type == "cuda"
        threads = [choice.threads] if choice.threads else [1] if cuda else sorted({1, self.cores})
        precisions = {"auto": [True, False], "bf16": [True], "fp32": [False]}[choice.precision]
        choices = list(itertools.product(threads, precisions))
        return choices[0] if len(choices) == 1 else min(choices, key=lambda one: self._time_update(*one))

    def prepare(self, threads: int, bf16: bool, *, rows: int, past_rows: int, minibatch: int) -> str:
        """Choose threads and precision, compile for batches of these sizes; returns a line that tells the choice."""
        self._choose(threads, bf16)
        cuda = self.device.type == "cuda"
        compiler = cuda or any(map(shutil.which, (os.environ.get("CXX", "g++"), "g++", "clang++")))
        if self.choice.compile == "off":
            compiled = "eager"
        elif self.choice.compile == "auto" and not compiler:
            compiled = "eager, for there is no C++ compiler (with g++, torch.compile is up to twice as fast)"
        else:
            compiled = self._compile(rows, past_rows, minibatch)
        where = torch.cuda.get_device_name() if cuda else f"CPU with {threads} of {self.cores} threads"
        return f"{where}, {'bf16' if bf16 else 'fp32'}, {compiled}"

    def _choose(self, threads: int, bf16: bool) -> None:
        torch.set_num_threads(threads)
        self.bf16 = bf16

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

    def _time_update(self, threads: int, bf16: bool) -> float:
        """Seconds that a small update takes."""
        self._choose(threads, bf16)
        example, durations = self._example(TIMED_ROWS), []
        for _ in range(TIMED_UPDATES):
            begin = time.perf_counter()
            self.gradient(example, Weights.of(clip=0.2), TIMED_ROWS)
            durations.append(time.perf_counter() - begin)
        return statistics.median(durations)

    def _compile(self, rows: int, past_rows: int, minibatch: int) -> str:
        """Compile what is computed most; stay eager and say why if that fails."""
        try:
            self._forward = torch.compile(self.network, dynamic=False)
            self._forward_past = torch.compile(self.past_network, dynamic=False)
            self._loss = torch.compile(ppo_loss, dynamic=False)
            self.estimate(self._example(rows).observations.cpu().numpy())
            if past_rows:
                self.estimate_past(self._example(past_rows).observations.cpu().numpy())
            self.gradient(self._example(minibatch), Weights.of(clip=0.2), minibatch)
        except Exception as error:  # whatever a broken compiler makes torch raise
            self._forward, self._forward_past, self._loss = self.network, self.past_network, ppo_loss
            return f"eager, for torch.compile failed ({str(error).strip().splitlines()[0][:100]})"
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
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16):
            loss, shown = self._loss(self.network, batch, weights.to(self.device))
        (loss / rows).backward()  # type: ignore[no-untyped-call]
        return shown / rows


def device_of(asked: str) -> torch.device:
    """Where the networks are computed; raises `ValueError` where a GPU is asked for and none is found."""
    if asked == "cuda" and not torch.cuda.is_available():
        raise ValueError("device: 'cuda'; torch finds no GPU here")
    return torch.device("cuda" if asked != "cpu" and torch.cuda.is_available() else "cpu")

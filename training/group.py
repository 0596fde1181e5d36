"""The processes that train together, started by `training.processes` or ``torchrun``; or a single process.

Each process plays its share of the lanes and computes its share of every gradient. Everything that decides how the run
continues is the same in all processes.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any, TypeVar, cast

import numpy as np
import torch
import torch.distributed as distributed
from numpy.typing import NDArray
from torch import Tensor

from training.processes import PARENT

# How long processes wait for each other: the first one may play long matches. A process that dies is noticed at once.
TIMEOUT = timedelta(hours=12)
T = TypeVar("T")


class Group:
    """The processes of a run and their communication; a single process does not communicate.

    Attributes:
        size: number of processes.
        rank: number of this process, 0..size-1; process 0 reports and saves.
    """

    def __init__(self) -> None:
        self.size = int(os.environ.get("WORLD_SIZE", "1"))
        self.rank = int(os.environ.get("RANK", "0"))
        # Without the variable, the present parent, which may no longer be the process that started this one.
        self._parent = int(os.environ.get(PARENT) or os.getppid())

    def join(self, device: torch.device) -> None:
        """Connect to the processes that the environment variables of ``torchrun`` describe, if there are any."""
        if device.type == "cuda":
            torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
        if self.size > 1:
            distributed.init_process_group("nccl" if device.type == "cuda" else "gloo", timeout=TIMEOUT)

    def is_abandoned(self) -> bool:
        """Whether this is one of several processes and the process that started it has ended."""
        return self.size > 1 and os.getppid() != self._parent

    @property
    def is_first(self) -> bool:
        """Whether this process reports and saves."""
        return self.rank == 0

    def shard(self, count: int) -> slice:
        """This process's part of the numbers 0..count-1; raises `ValueError` unless all parts have the same size."""
        if count % self.size:
            raise ValueError(f"lanes: {count}; a multiple of the {self.size} processes is needed")
        each = count // self.size
        return slice(self.rank * each, (self.rank + 1) * each)

    def largest_share(self, count: int) -> int:
        """A size that nearly always suffices for this process's part of ``count`` things drawn from all processes."""
        return math.ceil(count / self.size + (4 * math.sqrt(count) if self.size > 1 else 0))

    def own_cells(self, cells: NDArray[np.int64], lanes: int) -> NDArray[np.int64]:
        """The cells that belong to this process, renumbered as cells of its own rollout.

        Args:
            cells: int64 ``(K,)``, cells of the rollouts of all processes, numbered ``row * lanes + lane``.
            lanes: number of lanes of all processes.

        Returns:
            int64 ``(at most K,)``, numbers ``row * own lanes + own lane``.
        """
        own = self.shard(lanes)
        rows, columns = np.divmod(cells, lanes)
        mine = np.flatnonzero((columns >= own.start) & (columns < own.stop))
        found: NDArray[np.int64] = rows[mine] * (own.stop - own.start) + columns[mine] - own.start
        return found

    def gather(self, array: NDArray[Any], axis: int) -> NDArray[Any]:
        """The arrays of all processes, concatenated along an axis."""
        if self.size == 1:
            return array
        parts: list[Any] = [None] * self.size
        distributed.all_gather_object(parts, array)
        return np.concatenate(parts, axis)

    def sum(self, numbers: Iterable[float]) -> NDArray[np.float64]:
        """The sum of each number over all processes."""
        total = np.array(list(numbers), np.float64)
        if self.size > 1:
            parts: list[Any] = [None] * self.size
            distributed.all_gather_object(parts, total)
            total = np.sum(parts, axis=0)
        return total

    def moments(self, samples: NDArray[np.float64]) -> tuple[int, NDArray[np.float64], NDArray[np.float64]]:
        """Number, means and standard deviations of the samples of all processes.

        Args:
            samples: float64 ``(K, number of this process's samples)``.

        Returns:
            the number of samples, and their means and standard deviations, float64 ``(K,)``; zeros without samples.
        """
        count, *sums = self.sum([samples.shape[1], *samples.sum(axis=1), *np.square(samples).sum(axis=1)])
        means, squares = np.array(sums).reshape(2, len(samples)) / max(count, 1)
        return int(count), means, np.sqrt(np.maximum(squares - means**2, 0))

    def broadcast(self, value: Any) -> Any:
        """The first process's value."""
        if self.size == 1:
            return value
        values = [value]
        distributed.broadcast_object_list(values, src=0)
        return values[0]

    def call_on_first(self, function: Callable[[], T]) -> T:
        """The result of a function that only the first process calls. Its exception is raised in every process."""
        if self.size == 1:
            return function()
        result, error = None, None
        if self.is_first:
            try:
                result = function()
            except Exception as raised:
                error = raised
        result, error = self.broadcast((result, error))
        if error is not None:
            raise error
        return cast(T, result)

    def call_on_all(self, function: Callable[[], None]) -> None:
        """Call a function in every process; the exception of the first process that fails is raised in all of them."""
        if self.size == 1:
            function()
            return
        error = None
        try:
            function()
        except Exception as raised:
            error = raised
        errors: list[Any] = [None] * self.size
        distributed.all_gather_object(errors, error)
        for one in errors:
            if one is not None:
                raise one

    def add_gradients(self, parameters: Iterable[Tensor]) -> None:
        """Replace each process's gradients by the sum over all processes; one without gradients adds zeros."""
        if self.size == 1:
            return
        gradients = []
        for parameter in parameters:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
            gradients.append(parameter.grad)
        flat = torch.cat([gradient.view(-1) for gradient in gradients])
        distributed.all_reduce(flat)
        begin = 0
        for gradient in gradients:
            gradient.copy_(flat[begin : begin + gradient.numel()].view_as(gradient))
            begin += gradient.numel()

    def end(self, status: int, *, together: bool = True) -> int:
        """End this process with an exit status if it is one of several, else return the status.

        Args:
            status: the exit status.
            together: whether to wait for the other processes first, because a process that leaves early can break them;
                not after an error.
        """
        if self.size == 1:
            return status
        if together:
            distributed.barrier()
        sys.stdout.flush()
        sys.stderr.flush()
        # sys.exit would let torch's threads free tensors while the interpreter shuts down, which can abort the process.
        os._exit(status)

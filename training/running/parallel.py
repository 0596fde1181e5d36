"""Several processes that train together, started by `run_processes` or ``torchrun``; or a single process."""

from __future__ import annotations

import math
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from typing import Any, TypeVar, cast

import numpy as np
import torch
import torch.distributed as distributed
from numpy.typing import NDArray
from torch import Tensor

from dunaia_env.support import system

# Environment variable that tells the processes the ID of the process that started them.
PARENT = "DUNAIA_PARENT"
# Seconds between two polls, and seconds that the other processes have to end after one has failed.
INTERVAL, GRACE = 0.1, 10.0
# How long processes wait for each other: the first one may play long matches. A process that dies is noticed at once.
TIMEOUT = timedelta(hours=12)
T = TypeVar("T")


class Group:
    """The processes of a run and their communication; a single process does not communicate.

    Each process plays its share of the lanes and computes its share of every gradient. Everything that decides how the
    run continues is the same in all processes.

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
        return self.size > 1 and system.is_orphan(self._parent)

    @property
    def is_first(self) -> bool:
        """Whether this process reports and saves."""
        return self.rank == 0

    def shard(self, count: int) -> slice:
        """This process's part of the numbers 0..count-1; raises `ValueError` unless all parts have the same size."""
        if count % self.size:
            raise ValueError(f"lanes: expected a multiple of the {self.size} processes, got {count}")
        each = count // self.size
        return slice(self.rank * each, (self.rank + 1) * each)

    def largest_share(self, count: int) -> int:
        """A size that nearly always suffices for this process's part of ``count`` things drawn from all processes."""
        return math.ceil(count / self.size + (4 * math.sqrt(count) if self.size > 1 else 0))

    def own_numbers(self, numbers: NDArray[np.int64], count: int) -> NDArray[np.int64]:
        """Those of some of the numbers 0..count-1 that are in this process's part, counted from its first one."""
        own = self.shard(count)
        found: NDArray[np.int64] = numbers[(numbers >= own.start) & (numbers < own.stop)] - own.start
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
        for failed in errors:
            if failed is not None:
                raise failed

    def add_gradients(self, parameters: Iterable[Tensor]) -> None:
        """Replace each process's gradients by the sum over all processes; one without gradients adds zeros."""
        if self.size == 1:
            return
        gradients = []
        for parameter in parameters:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
            gradients.append(parameter.grad)
        flat = torch.cat([gradient.reshape(-1) for gradient in gradients])
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


def run_processes(command: Sequence[str], count: int) -> int:
    """Run a command in several processes on this machine; returns the exit status.

    Args:
        command: program and arguments. Its environment tells `Group` how to join the other processes.
        count: number of processes, at least 1.

    They are connected as ``torchrun`` would connect them. Ctrl-C and SIGTERM are forwarded to all processes. If one
    fails, the others are ended, and the exit status is the first that is not 0.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # One thread each, as torchrun does it: otherwise threads of several processes compete for the same cores.
    shared = {"OMP_NUM_THREADS": "1", **os.environ, "WORLD_SIZE": str(count)}
    shared |= {PARENT: str(os.getpid()), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    ranks = [{"RANK": str(rank), "LOCAL_RANK": str(rank)} for rank in range(count)]
    # In their own groups, so that Ctrl-C does not reach them twice.
    processes = [system.start_group(command, env=shared | rank) for rank in ranks]

    def forward(number: int, _frame: object) -> None:
        for process in processes:
            system.ask_to_end(process, number)

    before = {number: signal.signal(number, forward) for number in system.STOP_SIGNALS}
    try:
        statuses = [process.poll() for process in processes]
        while None in statuses and not any(statuses):
            time.sleep(INTERVAL)
            statuses = [process.poll() for process in processes]
        return next((status for status in statuses if status), 0)
    finally:
        # After one has failed, the others usually fail or stop as well, and need time to report or to save.
        end(processes, GRACE)
        for number, handler in before.items():
            signal.signal(number, handler)


def end(processes: Sequence[subprocess.Popen[bytes]], grace: float) -> None:
    """Wait up to ``grace`` seconds for processes to end, then kill those that are left."""
    limit = time.monotonic() + grace
    for process in processes:
        try:
            process.wait(max(0.0, limit - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

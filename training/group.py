"""The processes that train together: started by `training.processes` or ``torchrun``, or the one that is there.

Each process plays its share of the lanes and computes its share of every gradient; what decides how the run goes on is
the same in all of them.
"""

from __future__ import annotations

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

# A process that dies is noticed at once; this is for the others' waiting while the first one plays long matches.
PATIENCE = timedelta(hours=12)
T = TypeVar("T")


class Group:
    """The processes of a run, and what they tell each other. One alone tells itself.

    Attributes:
        size: number of processes.
        rank: of this one, 0..size-1; the first one reports and saves.
    """

    def __init__(self) -> None:
        self.size = int(os.environ.get("WORLD_SIZE", "1"))
        self.rank = int(os.environ.get("RANK", "0"))
        # If that is not told, whoever it is now: it may have ended by the time that this is asked.
        self._parent = int(os.environ.get(PARENT) or os.getppid())

    def join(self, device: torch.device) -> None:
        """Meet the others that the environment variables of ``torchrun`` describe; nothing to do without them."""
        if device.type == "cuda":
            torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
        if self.size > 1:
            distributed.init_process_group("nccl" if device.type == "cuda" else "gloo", timeout=PATIENCE)

    def is_abandoned(self) -> bool:
        """Whether one of several processes has lost the one that started it."""
        return self.size > 1 and os.getppid() != self._parent

    @property
    def is_first(self) -> bool:
        """Whether this process reports and saves."""
        return self.rank == 0

    def share(self, count: int) -> slice:
        """This process's part of things numbered 0..count-1; raises `ValueError` unless all parts are alike."""
        if count % self.size:
            raise ValueError(f"lanes: {count}; a multiple of the {self.size} processes is needed")
        each = count // self.size
        return slice(self.rank * each, (self.rank + 1) * each)

    def join_lanes(self, array: NDArray[Any], axis: int) -> NDArray[Any]:
        """The parts of all processes, one after the other along an axis."""
        if self.size == 1:
            return array
        parts: list[Any] = [None] * self.size
        distributed.all_gather_object(parts, array)
        return np.concatenate(parts, axis)

    def sum(self, numbers: Iterable[float]) -> NDArray[np.float64]:
        """The sums over all processes of numbers that each of them has."""
        total = np.array(list(numbers), np.float64)
        if self.size > 1:
            parts: list[Any] = [None] * self.size
            distributed.all_gather_object(parts, total)
            total = np.sum(parts, axis=0)
        return total

    def first(self, value: Any) -> Any:
        """What the first process has."""
        if self.size == 1:
            return value
        values = [value]
        distributed.broadcast_object_list(values, src=0)
        return values[0]

    def from_first(self, make: Callable[[], T]) -> T:
        """What the first process makes. What it raises is raised in all of them, so that none waits in vain."""
        if self.size == 1:
            return make()
        made, error = None, None
        if self.is_first:
            try:
                made = make()
            except Exception as raised:
                error = raised
        made, error = self.first((made, error))
        if error is not None:
            raise error
        return cast(T, made)

    def together(self, do: Callable[[], None]) -> None:
        """Do something in every process; what the first of those raises that fail is raised in all of them."""
        if self.size == 1:
            do()
            return
        error = None
        try:
            do()
        except Exception as raised:
            error = raised
        errors: list[Any] = [None] * self.size
        distributed.all_gather_object(errors, error)
        for one in errors:
            if one is not None:
                raise one

    def add_gradients(self, parameters: Iterable[Tensor]) -> None:
        """Give every process the sum of all processes' gradients; one that computed none adds nothing."""
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

        Together, unless this process gives up: one that leaves early can break the others.
        """
        if self.size == 1:
            return status
        if together:
            distributed.barrier()
        sys.stdout.flush()
        sys.stderr.flush()
        # Not the usual way out: torch's threads may still want the interpreter to free tensors while it takes itself
        # apart, and a thread that is then stopped aborts the process.
        os._exit(status)

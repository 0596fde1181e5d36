"""Trainers that compute the same on every run: on one thread, in single precision, without compilation."""

from __future__ import annotations

from typing import Any

import torch

from training.arguments import Arguments
from training.trainer import Trainer

REPEATABLE: dict[str, Any] = {
    "device": "cpu",
    "threads": 1,
    "engine_threads": 1,
    "precision": "fp32",
    "compile": "off",
}


def prepared_trainer(**arguments: Any) -> Trainer:
    """A trainer that is ready to collect; torch keeps its number of threads."""
    trainer = Trainer(Arguments(**{**REPEATABLE, **arguments}))
    before = torch.get_num_threads()
    trainer.prepare()
    torch.set_num_threads(before)
    return trainer

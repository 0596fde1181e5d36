"""What each process of a training in several processes runs: some updates of the toy game, then a checkpoint."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch

from training.arguments import Arguments
from training.running.parallel import Group
from training.trainer import Trainer


def main(folder: str, updates: int, resume: bool, options: str) -> None:
    torch.set_num_threads(1)
    group = Group()
    group.join(torch.device("cpu"))
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in json.loads(options).items()}
    trainer = Trainer(Arguments(**given), group)
    trainer.prepare()
    if resume:
        trainer.restore(Path(folder))
    for _ in range(updates):
        trainer.learn(trainer.collect())
    trainer.save(Path(folder))
    group.end(0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3] == "resume", sys.argv[4])

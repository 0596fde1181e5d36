"""Nothing is lost: a real training is killed without warning, again and again, and gives what an unbroken one gives."""

from __future__ import annotations

import os
import random
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator  # noqa: E402

from training.checkpoint import FILE, load  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
UPDATES, LANES, STEPS = 60, 16, 8
OPTIONS = (
    *("--lanes", LANES, "--steps", STEPS, "--minibatches", 2, "--layers", 1, "--width", 16),
    *("--decisions", UPDATES * LANES * STEPS, "--players", 2, 3, "--score-weight", 0.1),
    *("--past-share", 0.25, "--past-updates", 3, "--past-kept", 2),
    *("--evaluation-seconds", 1e9, "--final-games", 0, "--save-seconds", 0.2),
    *("--device", "cpu", "--threads", 1, "--engine-threads", 1, "--precision", "fp32", "--compile", "off"),
)


def start(folder: Path, *more: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "training.ppo", "--run", folder, *OPTIONS, *more]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [str(word) for word in command], cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, start_new_session=True,
    )  # fmt: skip


def finish(process: subprocess.Popen[str]) -> str:
    output, _ = process.communicate(timeout=240)
    assert process.returncode == 0, output
    return output


def curve(folder: Path) -> dict[int, float]:
    events = EventAccumulator(str(folder))
    events.Reload()
    return {event.step: event.value for event in events.Scalars("losses/policy")}


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_kill_9_at_any_moment_loses_nothing(tmp_path: Path, processes: int) -> None:
    straight, broken = tmp_path / "straight", tmp_path / "broken"
    finish(start(straight, "--processes", processes))
    moments, kills = random.Random(processes), 0
    process = start(broken, "--processes", processes)
    while kills < 4:
        while process.poll() is None and not (broken / FILE).exists():
            time.sleep(0.01)
        time.sleep(moments.uniform(0, 1.5) + (6.0 if kills else 0.0))
        if process.poll() is not None:
            break
        # With several processes the workers, in sessions of their own, stop when they miss the one that is killed.
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        kills += 1
        process = start(broken, "--resume")
    finish(process)
    assert kills >= 1
    groups, header = load(straight / FILE)
    resumed, resumed_header = load(broken / FILE)
    assert header["counters"]["updates"] == resumed_header["counters"]["updates"] == UPDATES
    assert header["random"] == resumed_header["random"]
    for group, arrays in groups.items():
        for name, array in arrays.items():
            np.testing.assert_array_equal(resumed[group][name], array)
    assert len(curve(straight)) == UPDATES
    assert curve(broken) == curve(straight)


@pytest.mark.slow
def test_a_disk_that_takes_no_more_gives_one_error_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    # Files above 200 KiB, such as the checkpoint, cannot be written.
    command = f"ulimit -f 200; exec {shlex.join(map(str, [sys.executable, '-m', 'training.ppo', *OPTIONS]))}"
    done = subprocess.run(
        ["bash", "-c", f"{command} --run {tmp_path / 'run'}"], cwd=ROOT, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 2
    assert "training.ppo: [Errno 27] File too large; what was saved before is whole" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert [path.name for path in (tmp_path / "run").iterdir() if "tfevents" not in path.name] == []

"""Nothing is lost: a real training is killed without warning, again and again, and gives what an unbroken one gives.

``DUNAIA_KILLS`` is how many times, 3 if it is not set: DUNAIA_KILLS=50 pytest -m slow tests/test_training_kill.py
"""

from __future__ import annotations

import itertools
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator  # noqa: E402

from dunaia_env.support.locking import LOCK_FILE  # noqa: E402
from tests.clocks import HANGS  # noqa: E402
from training.running.checkpoint import FILE, CheckpointError, load, lock_run  # noqa: E402

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parent.parent
KILLS = int(os.environ.get("DUNAIA_KILLS", "3"))
UPDATES, LANES, STEPS = 60 * (1 + KILLS), 16, 8
OPTIONS = (
    *("--lanes", LANES, "--steps", STEPS, "--minibatches", 2, "--layers", 1, "--width", 16),
    *("--decisions", UPDATES * LANES * STEPS, "--players", 2, 3, "--score-weight", 0.1),
    *("--past-share", 0.25, "--past-updates", 3, "--past-kept", 2),
    *("--evaluation-seconds", 1e9, "--final-games", 0, "--save-seconds", 0),
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
    output, _ = process.communicate(timeout=HANGS)
    assert process.returncode == 0, output
    return output


def curve(folder: Path) -> list[tuple[int, float]]:
    events = EventAccumulator(str(folder), {"scalars": 0})
    events.Reload()
    return [(event.step, event.value) for event in events.Scalars("losses/policy_loss")]


def written(folder: Path) -> int:
    """When the checkpoint was written, 0 if never."""
    return (folder / FILE).stat().st_mtime_ns if (folder / FILE).exists() else 0


def wait_for(process: subprocess.Popen[str], is_so: Callable[[], object]) -> None:
    while process.poll() is None and not is_so():
        time.sleep(0.002)


def updates_saved(folder: Path) -> int:
    return load(folder / FILE)[1]["counters"]["updates"] if written(folder) else 0


def wait_for_a_moment(process: subprocess.Popen[str], folder: Path, random: random.Random) -> None:
    """Wait until some moment of a life: any up to its first checkpoint, after some updates, or while a file is written.

    The moments leave room for all lives in a run of `UPDATES`.
    """
    before, kind = written(folder), random.randrange(3)
    if kind == 0:
        left = itertools.count(random.randrange(5000), -1)
        wait_for(process, lambda: next(left) < 0 or written(folder) != before)
        return
    enough = updates_saved(folder) + random.randrange(1, UPDATES // (2 * KILLS))
    wait_for(process, lambda: written(folder) != before and updates_saved(folder) >= enough)
    if kind == 2:
        wait_for(process, lambda: list(folder.glob(".*.part")))


def wait_until_free(folder: Path) -> None:
    """Wait until the last process of a run that was killed has let go of it."""
    while True:
        try:
            with lock_run(folder, files=()):
                return
        except CheckpointError:
            time.sleep(0.1)


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_kill_9_at_any_moment_loses_nothing(tmp_path: Path, processes: int) -> None:
    straight, broken = tmp_path / "straight", tmp_path / "broken"
    finish(start(straight, "--processes", processes))
    moments, saved = random.Random(processes), []
    process = start(broken, "--processes", processes)
    kills = leftovers = 0
    for _ in range(KILLS):
        wait_for_a_moment(process, broken, moments)
        if process.poll() is not None:
            break
        kills += 1
        # With several processes the workers, in sessions of their own, stop when they miss the one that is killed.
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        wait_until_free(broken)
        if (broken / FILE).exists():
            saved.append(load(broken / FILE)[1]["counters"]["updates"])
        leftovers += len(list(broken.glob(".*.part")))
        process = start(broken, *(["--resume"] if (broken / FILE).exists() else ["--processes", processes]))
    finish(process)  # also where it has ended before the last kill
    print(f"{kills} kills, {len(saved)} with a checkpoint, {leftovers} half-written files; updates then saved: {saved}")
    assert kills >= min(KILLS, 3)
    assert saved == sorted(saved)
    groups, header = load(straight / FILE)
    resumed, resumed_header = load(broken / FILE)
    assert header["counters"]["updates"] == resumed_header["counters"]["updates"] == UPDATES
    assert header["random"] == resumed_header["random"]
    assert groups.keys() == resumed.keys()
    for group, arrays in groups.items():
        for name, array in arrays.items():
            np.testing.assert_array_equal(resumed[group][name], array)
    points = curve(straight)
    assert [step for step, _ in points] == [LANES * STEPS * number for number in range(1, UPDATES + 1)]
    assert curve(broken) == points
    assert not list(broken.glob(".*.part"))


@pytest.mark.slow
def test_a_disk_that_takes_no_more_gives_one_error_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    # Files above 200 KiB, such as the checkpoint, cannot be written.
    command = f"ulimit -f 200; exec {shlex.join(map(str, [sys.executable, '-m', 'training.ppo', *OPTIONS]))}"
    done = subprocess.run(
        ["bash", "-c", f"{command} --run {tmp_path / 'run'}"], cwd=ROOT, capture_output=True, text=True, timeout=HANGS
    )
    assert done.returncode == 2
    assert "training.ppo: [Errno 27] File too large; the last checkpoint is intact" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert [path.name for path in (tmp_path / "run").iterdir() if "tfevents" not in path.name] == [LOCK_FILE]

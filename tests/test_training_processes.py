"""Several processes of one command."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

import pytest

pytest.importorskip("torch")

from tests.clocks import HANGS, until
from training.running import parallel
from training.running.parallel import run_processes

pytestmark = pytest.mark.once

REPORT = """
import os, pathlib, sys
names = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "DUNAIA_PARENT")
(pathlib.Path(sys.argv[1]) / os.environ["RANK"]).write_text(" ".join(os.environ[name] for name in names))
"""
FAIL = """
import os, pathlib, sys, time
if os.environ["RANK"] == "1":
    sys.exit(3)
time.sleep(900)
(pathlib.Path(sys.argv[1]) / "went on").touch()
"""
STOP = """
import pathlib, signal, sys, os, time
def stop(number, frame):
    (pathlib.Path(sys.argv[1]) / f"stopped{os.environ['RANK']}").write_text(str(number))
    sys.exit(130)
signal.signal(signal.SIGINT, stop)
(pathlib.Path(sys.argv[1]) / f"begun{os.environ['RANK']}").touch()
time.sleep(900)
"""


def test_each_process_knows_its_place(tmp_path: Path) -> None:
    assert run_processes([sys.executable, "-c", REPORT, str(tmp_path)], 3) == 0
    found = [(tmp_path / str(rank)).read_text() for rank in range(3)]
    assert found == [f"{rank} {rank} 3 127.0.0.1 {os.getpid()}" for rank in range(3)]


def test_if_one_fails_the_others_are_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "GRACE", 0.5)
    assert run_processes([sys.executable, "-c", FAIL, str(tmp_path)], 2) == 3
    assert not list(tmp_path.iterdir())


def test_interrupting_reaches_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "GRACE", HANGS)

    def interrupt() -> None:
        until(lambda: len(list(tmp_path.glob("begun*"))) == 2)
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    threading.Thread(target=interrupt, daemon=True).start()
    assert run_processes([sys.executable, "-c", STOP, str(tmp_path)], 2) == 130
    assert sorted(path.name for path in tmp_path.glob("stopped*")) == ["stopped0", "stopped1"]
    assert signal.getsignal(signal.SIGINT) is before

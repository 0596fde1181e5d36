"""Runs a command in several processes on this machine, connected as ``torchrun`` would connect them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Sequence

# Environment variable that tells the processes the ID of the process that started them.
PARENT = "DUNAIA_PARENT"
# Seconds between two polls, and seconds that the other processes have to end after one has failed.
INTERVAL, GRACE = 0.1, 10.0


def run_processes(command: Sequence[str], count: int) -> int:
    """Run a command in several processes at once; returns 0 if all of them succeed, else the first nonzero exit status.

    Args:
        command: program and arguments. Its environment tells `training.group.Group` how to join the other processes.
        count: number of processes, at least 1.

    Ctrl-C and SIGTERM are forwarded to all processes. If one fails, the others are ended.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # One thread each, as torchrun does it: otherwise threads of several processes compete for the same cores.
    shared = {"OMP_NUM_THREADS": "1", **os.environ, "WORLD_SIZE": str(count)}
    shared |= {PARENT: str(os.getpid()), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    ranks = [{"RANK": str(rank), "LOCAL_RANK": str(rank)} for rank in range(count)]
    # In their own sessions, so that Ctrl-C does not reach them twice.
    processes = [subprocess.Popen(command, env=shared | rank, start_new_session=True) for rank in ranks]

    def forward(number: int, _frame: object) -> None:
        for process in processes:
            process.send_signal(number)

    before = {number: signal.signal(number, forward) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        statuses = [process.poll() for process in processes]
        while None in statuses and not any(statuses):
            time.sleep(INTERVAL)
            statuses = [process.poll() for process in processes]
        return next((status for status in statuses if status), 0)
    finally:
        # After one has failed, the others usually fail or stop as well, and need time to report or to save.
        end(processes)
        for number, handler in before.items():
            signal.signal(number, handler)


def end(processes: Sequence[subprocess.Popen[bytes]], grace: float = GRACE) -> None:
    """Wait up to ``grace`` seconds for processes to end, then kill those that are left."""
    limit = time.monotonic() + grace
    for process in processes:
        try:
            process.wait(max(0.0, limit - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

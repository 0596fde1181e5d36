"""The browser table under load: how long a click waits for its answer, and that nothing is lost.

``python -m benchmarks.table [--json FILE] [--tables 50] [--pause 5] [--seconds 30] [--repeats 3]``. A server in a
process of its own keeps many tables. At each of them a scripted person plays against greedy agents through HTTP, as a
page does: it listens for events, asks for the position, and some seconds later clicks a random action. A click is
measured from sending the decision until the new position has been received completely; what the agents do afterwards
does not count.

At the end the server is killed and started again. Every decision that was answered must be in its table.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks import measuring
from benchmarks.measuring import Row
from dunaia_env.harness.registry import DEFAULT_GAME, name_of
from dunaia_env.support.machine import machine
from dunaia_env.support.terminal import run_main

VERSIONED = ("dunaia-env", "numpy", "numba", "starlette", "uvicorn", "h11")
SECONDS = "s"
CLICKS = "clicks/s"
LOST = "decisions"
_TIMEOUT = 60.0
# Limits for one client, because all people of this benchmark are one client.
_LIMITS = {"client-requests": 10_000, "client-tables": 1_000, "client-connections": 1_000, "tables": 5_000}


@dataclass(frozen=True)
class Arguments(measuring.Arguments):
    """Measure the browser table with many tables at once."""

    seconds: float = 30.0
    """Length of one repeat in seconds."""
    repeats: int = 3
    """Number of repeats; the median counts."""
    tables: int = 50
    """Number of tables with a game at the same time."""
    pause: float = 5.0
    """Mean seconds that a person thinks before a click."""
    agent: str = "greedy"
    """Agent in all other seats."""
    game: str = name_of(DEFAULT_GAME)
    """The game: a name, or a module such as my_package.game."""
    players: int = 4
    """Number of players at a table, one of them a person."""


@contextmanager
def server(arguments: Arguments, folder: Path) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Run a server in a process of its own; gives its port and the process."""
    words = ["--port", "0", "--no-open", "--folder", str(folder), "--games", arguments.game]
    words += ["--agents", arguments.agent]
    for name, value in _LIMITS.items():
        words += [f"--limits.{name}", str(value)]
    command = [sys.executable, "-m", "dunaia_env.table", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ}) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.match(r"http://127\.0\.0\.1:(\d+)/", line)
            if found is None:
                raise SystemExit(f"the server has not started: {line}")
            yield int(found[1]), process
        finally:
            process.kill()


class Connection:
    """One connection to the server, which is kept open."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT)

    def ask(self, method: str, path: str, body: Any = None) -> bytes:
        """The answer to a request; raises `RuntimeError` with the text of a refusal."""
        content = None if body is None else json.dumps(body).encode()
        self._connection.request(method, path, content, {"Content-Type": "application/json"})
        answer = self._connection.getresponse()
        received = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method}: {answer.status} {received[:200]!r}")
        return received

    def events(self, path: str) -> http.client.HTTPResponse:
        """The stream of a table's events."""
        self._connection.request("GET", path)
        return self._connection.getresponse()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


@dataclass
class Person:
    """A scripted person, and what became of every click.

    Attributes:
        number: number of the person, the seed of their random choices.
        clicks: when each click was made, and how many seconds its answer took.
        decided: for each table, by its link, the decisions that were answered: their number and the sentence.
        faults: what went wrong.
    """

    number: int
    clicks: list[tuple[float, float]] = field(default_factory=list)
    decided: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def play(self, port: int, arguments: Arguments, end: threading.Event) -> None:
        """Play one game after the other until the end."""
        random = np.random.default_rng(self.number)
        try:
            # People sit down at different moments.
            end.wait(random.uniform(0, arguments.pause))
            while not end.is_set():
                self._game(port, arguments, end, random)
        except (OSError, RuntimeError, http.client.HTTPException, AssertionError) as error:
            self.faults.append(f"person {self.number}: {type(error).__name__}: {error}")

    def _game(self, port: int, arguments: Arguments, end: threading.Event, random: np.random.Generator) -> None:
        asking, listening = Connection(port), Connection(port)
        agents = [{"kind": "agent", "agent": arguments.agent}] * (arguments.players - 1)
        seats = [{"kind": "person", "name": f"person {self.number}"}, *agents]
        game = json.loads(asking.ask("GET", "/api/games"))["games"][0]["name"]
        opened = json.loads(asking.ask("POST", "/api/tables", {"game": game, "seats": seats}))
        path = f"/api{opened['seats'][0]['link']}"
        decided = self.decided.setdefault(path, [])
        events = listening.events(f"{path}/events")
        shown = json.loads(asking.ask("GET", path))
        while not end.is_set() and not shown["over"]:
            assert shown["problem"] is None, shown["problem"]
            if shown["choice"] is None:
                _next_event(events)
                shown = json.loads(asking.ask("GET", f"{path}?since={shown['version'] - 1}"))
                continue
            if end.wait(random.uniform(0.5, 1.5) * arguments.pause):
                break
            actions = shown["choice"]["actions"]
            action = actions[int(random.integers(len(actions)))]
            message = {"version": shown["version"], "action": action["action"]}
            begin = time.perf_counter()
            received = asking.ask("POST", f"{path}/decide?since={shown['version'] - 1}", message)
            self.clicks.append((begin, time.perf_counter() - begin))
            decided.append((shown["version"], action["sentence"]))
            shown = json.loads(received)
        asking.close()
        listening.close()

    def lost(self, port: int) -> int:
        """The number of answered decisions that are not in their tables."""
        connection, lost = Connection(port), 0
        for path, decided in self.decided.items():
            log = json.loads(connection.ask("GET", path))["log"]
            texts = {entry["number"]: entry["text"] for entry in log if entry["seat"] == 0}
            lost += sum(texts.get(number) != sentence for number, sentence in decided)
        connection.close()
        return lost


def _next_event(events: http.client.HTTPResponse) -> None:
    while not events.readline().startswith(b"data:"):
        assert not events.isclosed(), "the server has closed the stream of events"


def measure(arguments: Arguments) -> list[Row]:
    """All rows."""
    people = [Person(number) for number in range(arguments.tables)]
    end = threading.Event()
    with tempfile.TemporaryDirectory() as folder:
        with server(arguments, Path(folder)) as (port, process):
            threads = [
                threading.Thread(target=person.play, args=(port, arguments, end), daemon=True) for person in people
            ]
            for thread in threads:
                thread.start()
            time.sleep(2 * arguments.pause)  # until all have sat down and games have begun
            begins = []
            for _ in measuring.progress(range(arguments.repeats), lambda number: f"repeat {number + 1}"):
                begins.append(time.perf_counter())
                time.sleep(arguments.seconds)
            end.set()
            for thread in threads:
                thread.join(_TIMEOUT)
            process.send_signal(signal.SIGKILL)
            process.wait()
        if faults := [fault for person in people for fault in person.faults]:
            raise SystemExit("\n".join(faults[:10]))
        with server(arguments, Path(folder)) as (port, _):
            lost = sum(person.lost(port) for person in people)
    return rows(people, begins, arguments, lost)


def rows(people: Sequence[Person], begins: Sequence[float], arguments: Arguments, lost: int) -> list[Row]:
    """The rows that follow from people's clicks.

    Args:
        people: the people who have played.
        begins: when each repeat began.
        arguments: the options of the benchmark.
        lost: number of decisions that were not found again.

    Raises `SystemExit` if nobody clicked in a repeat.
    """
    found: dict[str, list[float]] = {name: [] for name in ("half", "19_of_20", "longest")}
    speeds = []
    for begin in begins:
        inside = [
            passed for person in people for at, passed in person.clicks if begin <= at < begin + arguments.seconds
        ]
        if not inside:
            raise SystemExit("nobody clicked in a repeat; --seconds has to be longer")
        half, most = np.quantile(inside, (0.5, 0.95)).tolist()
        for name, value in zip(found, (half, most, max(inside)), strict=True):
            found[name].append(value)
        speeds.append(len(inside) / arguments.seconds)

    def row(name: str, unit: str, values: Sequence[float]) -> Row:
        cores = os.cpu_count() or 1
        return Row(name=name, unit=unit, batch=arguments.tables, threads=cores, **measuring.middle(values))

    waits = [row(f"table_click_{name}", SECONDS, values) for name, values in found.items()]
    return [*waits, row("table_clicks", CLICKS, speeds), row("table_lost", LOST, [float(lost)])]


def main() -> None:
    """Measure, print and write."""
    arguments = measuring.parse(Arguments, "benchmarks.table")
    measured = measure(arguments)
    versions = measuring.versions(VERSIONED)
    table = Table(title=f"{machine()['processor']}, {arguments.tables} tables with {arguments.agent}")
    for heading in ("name", "median", "unit", "lowest", "highest"):
        table.add_column(heading)
    for row in measured:
        numbers = [f"{number:.4g}" for number in (row.value, row.lowest, row.highest)]
        table.add_row(row.name, numbers[0], row.unit, *numbers[1:])
    Console(width=100).print(table)
    print("versions: " + ", ".join(f"{name} {number}" for name, number in versions.items()))
    if arguments.json is not None:
        measuring.write_results(
            arguments.json, measured, versions, tables=arguments.tables, pause=arguments.pause, agent=arguments.agent
        )


if __name__ == "__main__":
    sys.exit(run_main(main))

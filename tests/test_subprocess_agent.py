"""Agents of the user in their own process: every mistake has a name, and nothing is left running."""

from __future__ import annotations

import multiprocessing
import queue
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dunaia_env.arena import subprocess_agent
from dunaia_env.arena.subprocess_agent import AgentError, SubprocessAgent, as_action, describe_exception, one_line
from dunaia_env.harness.state import GameState
from tests.clocks import HANGS, until

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(sys.platform != "linux", reason="the tests look for processes in /proc"),
]

ROOT = Path(__file__).resolve().parent.parent
# Seconds for agents that never answer.
LIMIT = 0.5


def start(name: str, **options: Any) -> SubprocessAgent:
    """An agent in its process, with as much time as any machine needs."""
    return SubprocessAgent(f"tests.hostile_agents:{name}", **{"time_limit": HANGS, "start_seconds": HANGS, **options})


@pytest.fixture(scope="module")
def opening() -> GameState:
    return GameState.new(1)


def lives(process: int) -> bool:
    """Whether a process runs; one that ended and was not yet waited for does not."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except FileNotFoundError:
        return False


def is_thinking(process: int) -> bool:
    """Whether an agent that never answers has been asked: before anything else it refuses to be interrupted."""
    found = re.search(r"\nSigIgn:\t(\w+)", Path(f"/proc/{process}/status").read_text())
    return found is not None and bool(int(found[1], 16) >> (signal.SIGHUP - 1) & 1)


@pytest.mark.parametrize("name", ["First", "Prints"])
def test_an_agent_that_behaves(name: str, opening: GameState) -> None:
    with start(name) as agent:
        assert (agent.name, agent.version) == (name.lower(), "1")
        agent.reset(2**32 - 1)
        assert [agent.act(opening.to_bytes()) for _ in range(20)] == [opening.legal_actions()[0]] * 20


FAULTS = [
    ("Text", "garbage", "'pass' instead of an action number"),
    ("RaisesAlways", "exception", "NoMessageError"),
    ("Swallows", "time-out", "no answer within 0.5 s"),
    ("Exits", "crash", "its process ended with exit status 3"),
    ("Dies", "crash", "its process ended with signal SIGKILL"),
    ("DiesWithoutName", "crash", "its process ended with signal 40"),
    ("Meddles", "crash", "it wrote into its connection to the arena"),
    ("Closes", "crash", "it closed its connection to the arena"),
    *(
        pytest.param(*row, marks=pytest.mark.slow)
        for row in [
            ("Thing", "garbage", "<object object> instead of an action number"),
            ("Unspeakable", "garbage", "a NoText whose repr raises ValueError instead of an action number"),
            ("Huge", "illegal", "an integer of 33220 bits is not an action number"),
            ("ExitsPolitely", "exception", "SystemExit: 0"),
            ("Interrupts", "exception", "KeyboardInterrupt"),
            ("Allocates", "exception", "MemoryError"),
            ("Loops", "time-out", "no answer within 0.5 s"),
            ("Sleeps", "time-out", "no answer within 0.5 s"),
        ]
    ),
]


@pytest.mark.parametrize(("name", "kind", "detail"), FAULTS)
def test_what_an_agent_does_wrong_has_a_name(
    name: str, kind: str, detail: str, opening: GameState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess_agent, "END_SECONDS", LIMIT if name == "Closes" else HANGS)
    with start(name) as agent:
        agent.reset(0)
        if kind == "time-out":
            agent._time_limit = LIMIT
        with pytest.raises(AgentError) as caught:
            agent.act(opening.to_bytes())
        assert (caught.value.kind, caught.value.detail) == (kind, detail)
        process = agent._process.pid
    assert not Path(f"/proc/{process}").exists()
    agent.close()


class Waits(queue.SimpleQueue[Any]):
    """Notes for how long it is waited for."""

    def __init__(self, seen: list[float | None]) -> None:
        self.seen = seen

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        if threading.current_thread() is threading.main_thread():
            self.seen.append(timeout)
        return super().get(block, timeout)


def test_every_request_has_the_whole_time_limit(opening: GameState, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float | None] = []
    monkeypatch.setattr(queue, "SimpleQueue", lambda: Waits(seen))
    with start("First", time_limit=HANGS / 2) as agent:
        agent.reset(0)
        agent.act(opening.to_bytes())
        agent.act(opening.to_bytes())
    assert seen == [HANGS, *[HANGS / 2] * 3]


def test_the_time_limit_holds_for_a_reset() -> None:
    with (
        start("SleepsInReset", time_limit=LIMIT) as agent,
        pytest.raises(AgentError, match=r"time-out: no answer within 0\.5 s"),
    ):
        agent.reset(0)


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("RaisesInInit", "exception: RuntimeError: cannot be made"),
        ("ExitsInInit", "crash: its process ended with exit status 4"),
        ("SleepsInInit", "time-out: not ready within 2 s of its start"),
        ("Missing", "exception: ValueError: agent 'tests.hostile_agents:Missing': .* has no attribute 'Missing'"),
    ],
)
def test_an_agent_that_cannot_be_made(name: str, fault: str) -> None:
    with pytest.raises(AgentError, match=f"^{fault}"):
        start(name, start_seconds=2.0 if name == "SleepsInInit" else HANGS)


def test_what_an_agent_started_ends_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opening: GameState
) -> None:
    monkeypatch.setenv("BREEDS_FILE", str(tmp_path / "numbers"))
    with start("Breeds") as agent, pytest.raises(AgentError, match="garbage: None"):
        agent.act(opening.to_bytes())
    numbers = [int(number) for number in (tmp_path / "numbers").read_text().split()]
    assert len(numbers) == 2
    until(lambda: not any(lives(number) for number in numbers))


PARENT = """
from dunaia_env.harness.state import GameState
from dunaia_env.arena.subprocess_agent import SubprocessAgent
agent, state = SubprocessAgent("tests.hostile_agents:Swallows", time_limit=1e6), GameState.new(1).to_bytes()
print(agent._process.pid, flush=True)
agent.act(state)
"""


def test_a_thinking_agent_ends_when_its_parent_is_killed() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    with parent:
        assert parent.stdout is not None
        process = int(parent.stdout.readline())
        until(lambda: is_thinking(process))
        parent.send_signal(signal.SIGKILL)
    until(lambda: not lives(process))


def play_in_a_daemon(answers: Any) -> None:
    state = GameState.new(1)
    with start("First") as agent:
        answers.put((multiprocessing.current_process().daemon, agent.act(state.to_bytes())))


@pytest.mark.slow
def test_a_daemonic_process_can_have_one(opening: GameState) -> None:
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    process = context.Process(target=play_in_a_daemon, args=(answers,), daemon=True)
    process.start()
    assert answers.get(timeout=HANGS) == (True, opening.legal_actions()[0])
    process.join()
    process.close()
    answers.close()
    answers.join_thread()


def test_no_file_stays_open(opening: GameState) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    with start("Exits") as agent, pytest.raises(AgentError):
        agent.act(opening.to_bytes())
    with pytest.raises(AgentError):
        start("RaisesInInit")
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.parametrize("answer", [7, np.int16(7), np.array(7), np.uint8(7)])
def test_an_integer_is_an_action(answer: object) -> None:
    assert as_action(answer) == 7
    assert type(as_action(answer)) is int


@pytest.mark.parametrize(
    "answer", [None, True, np.True_, 7.0, "7", [7], np.array([7]), np.float32(7), np.timedelta64(7, "s")]
)
def test_anything_else_is_garbage(answer: object) -> None:
    with pytest.raises(AgentError, match=f"garbage: {re.escape(repr(answer))} instead of an action number"):
        as_action(answer)


def test_details_are_one_short_line_without_addresses() -> None:
    assert one_line(f"a\n  b {object()}") == "a b <object object>"
    assert len(one_line("x" * 1000)) == 200
    assert describe_exception(ValueError()) == "ValueError"
    assert describe_exception(KeyError("x")) == "KeyError: 'x'"

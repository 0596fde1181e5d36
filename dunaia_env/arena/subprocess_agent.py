"""User agents in child processes, which can be killed: whatever an agent does, the caller gets an answer.

The caller holds a `SubprocessAgent`; the child process runs ``python -m dunaia_env.arena.subprocess_agent``. Requests
are pickled. Answers are JSON, because nothing that comes from an agent is unpickled. The agent's output is discarded,
and its standard input is empty. This protects a tournament from bugs; it is not a sandbox against malicious programs.
"""

from __future__ import annotations

import json
import os
import pickle
import queue
import re
import struct
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np

from dunaia_env.arena.records import MOST_CHARACTERS_OF_A_NAME
from dunaia_env.harness import opponents, registry
from dunaia_env.harness.compiled.chance import is_integer
from dunaia_env.harness.game import Game
from dunaia_env.harness.opponents import Agent
from dunaia_env.harness.state import GameState
from dunaia_env.support import system
from dunaia_env.support.messages import printable

# Importing an agent may load a large library, or a network from a slow disk; the first one compiles the game.
START_SECONDS = 300.0
# An agent whose connection is closed has ended, or will at once; only one that closed it itself goes on for longer.
END_SECONDS = 10.0

_LENGTH = struct.Struct("<I")
# An answer is an action or two lines of text.
_LONGEST_ANSWER = 1 << 16
_LONGEST_DETAIL = 200
_LARGEST_INTEGER = 2**31 - 1
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


class AgentError(Exception):
    """An agent did something wrong.

    Attributes:
        kind: one of the kinds of `dunaia_env.arena.records.Fault`.
        detail: a one-line description, the same in every run.
    """

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail


def one_line(text: str) -> str:
    """The beginning of a text as one `printable` line, without memory addresses, which differ from run to run."""
    line = printable(" ".join(_ADDRESS.sub("", text).split())[: _LONGEST_DETAIL + 1])
    return line if len(line) <= _LONGEST_DETAIL else line[: _LONGEST_DETAIL - 3] + "..."


def describe_exception(error: BaseException) -> str:
    """Type and message of an exception on one line; the type alone if producing the message raises an exception."""
    try:
        return one_line(f"{type(error).__name__}: {error}".removesuffix(": "))
    except BaseException:
        return type(error).__name__


def name_and_version(agent: Agent) -> tuple[str, str]:
    """Name and version of an agent as `printable` texts; raises `AgentError` if one of them is too long."""
    texts = []
    for what, value in (("name", agent.name), ("version", agent.version)):
        text = str(value)
        if len(text) > MOST_CHARACTERS_OF_A_NAME or len(text := printable(text)) > MOST_CHARACTERS_OF_A_NAME:
            raise AgentError(
                "garbage", f"its {what} has {len(text):,} characters; at most {MOST_CHARACTERS_OF_A_NAME} are allowed"
            )
        texts.append(text)
    return texts[0], texts[1]


def as_action(answer: object) -> int:
    """An agent's answer as an integer; raises `AgentError` of the kind ``garbage`` if the answer is not one."""
    if isinstance(answer, np.ndarray) and answer.shape == ():
        answer = answer[()]
    if not is_integer(answer):
        try:
            shown = repr(answer)
        except BaseException as error:
            shown = f"a {type(answer).__name__} whose repr raises {type(error).__name__}"
        raise AgentError("garbage", one_line(f"{shown} instead of an action number"))
    number = int(answer)
    if abs(number) > _LARGEST_INTEGER:
        raise AgentError("illegal", f"an integer of {number.bit_length()} bits is not an action number")
    return number


class SubprocessAgent:
    """An agent in a child process. Every method raises `AgentError` if the agent does something wrong; then `close` it.

    It works inside daemonic processes too. `close` also kills the processes that the child started in its group.

    Args:
        label: the agent's label, such as ``package.module:Attribute``.
        game: the game to be played.
        components: the game's components.
        time_limit: seconds for one `reset` or `act`, counted from the moment when the request is sent.
        start_seconds: seconds to start Python, import the agent and create it.

    Attributes:
        name: the agent's name.
        version: the agent's version.
    """

    def __init__(
        self,
        label: str,
        *,
        game: Game = registry.DEFAULT_GAME,
        components: Any = None,
        time_limit: float,
        start_seconds: float = START_SECONDS,
    ) -> None:
        self._time_limit = time_limit
        root = str(Path(__file__).resolve().parents[2])
        # The child imports the agent from where the caller would, and iterates over sets of strings in the same order
        # in every run.
        path = os.pathsep.join([*(entry or str(Path.cwd()) for entry in sys.path), root])
        self._process = system.start_group(
            [sys.executable, "-m", "dunaia_env.arena.subprocess_agent"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "0"},
        )
        # None instead of a request ends the thread; None instead of an answer says that the agent's end is closed.
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._connection = threading.Thread(
            target=_exchange, args=(self._process, self._requests, self._answers), daemon=True
        )
        self._connection.start()
        self._is_closed = False
        try:
            try:
                answer = self._ask((label, game, game.load(components), os.getpid()), start_seconds)
            except AgentError as error:
                if error.kind == "time-out":
                    detail = f"not ready within {start_seconds:g} s of its start"
                    raise AgentError(error.kind, detail) from error
                raise
        except BaseException:
            self.close()
            raise
        # Made printable again here, because the agent itself may have written into the pipe.
        self.name, self.version = printable(str(answer.get("name"))), printable(str(answer.get("version")))

    def reset(self, seed: int) -> None:
        """Reset the agent with a seed."""
        self._ask(("reset", seed), self._time_limit)

    def act(self, view: bytes) -> int:
        """The integer that the agent answers to a view in bytes; the caller checks whether it is a legal action."""
        action = self._ask(("act", view), self._time_limit).get("action")
        if not isinstance(action, int):
            raise self._damaged()
        return action

    def close(self) -> None:
        """Kill the process and all processes that it started, and close the pipes."""
        if self._is_closed:
            return
        self._is_closed = True
        system.kill_group(self._process)
        self._requests.put(None)
        # A process that left the group can hold the pipes open; they are then closed when it ends.
        self._connection.join(END_SECONDS)

    def __enter__(self) -> SubprocessAgent:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _ask(self, request: object, seconds: float) -> dict[str, Any]:
        """Send a request and read its answer, both within a number of seconds."""
        content = pickle.dumps(request)
        self._requests.put(_LENGTH.pack(len(content)) + content)
        try:
            received = self._answers.get(timeout=min(seconds, threading.TIMEOUT_MAX))
        except queue.Empty:
            raise AgentError("time-out", f"no answer within {seconds:g} s") from None
        if received is None:
            raise self._ended()
        try:
            answer: dict[str, Any] = json.loads(received)
            if "error" in answer:
                kind, detail = answer["error"]
                raise AgentError(str(kind), one_line(str(detail)))
        except (ValueError, TypeError) as fault:
            raise self._damaged() from fault
        return answer

    def _ended(self) -> AgentError:
        """The error for an agent whose end of the pipes is closed."""
        try:
            code = self._process.wait(timeout=END_SECONDS)
        except subprocess.TimeoutExpired:
            return AgentError("crash", "it closed its connection to the arena")
        return AgentError("crash", f"its process ended with {system.how_it_ended(code)}")

    @staticmethod
    def _damaged() -> AgentError:
        return AgentError("crash", "it wrote into its connection to the arena")


def _exchange(
    process: subprocess.Popen[bytes],
    requests: queue.SimpleQueue[bytes | None],
    answers: queue.SimpleQueue[bytes | None],
) -> None:
    """Send requests to an agent's process and receive their answers, until there is None instead of a request.

    This runs in a thread of its own, because only a queue can be waited for with a time limit on every system.
    """
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(OSError), process.stdout, process.stdin:
        while (request := requests.get()) is not None:
            try:
                process.stdin.write(request)
                process.stdin.flush()
                answers.put(_receive(process.stdout))
            except OSError:
                answers.put(None)


def _receive(pipe: IO[bytes]) -> bytes | None:
    """The next answer; nothing in place of one that is too long, and None if the agent's end of the pipe is closed."""
    header = pipe.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(header)
    if length > _LONGEST_ANSWER:
        return b""
    content = pipe.read(length)
    return content if len(content) == length else None


def _serve() -> None:
    """Answer requests until the caller closes the pipe."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)

    def read() -> Any:
        header = requests.read(_LENGTH.size)
        if len(header) < _LENGTH.size:
            raise SystemExit(0)
        return pickle.loads(requests.read(*_LENGTH.unpack(header)))

    def answer(content: dict[str, Any]) -> None:
        encoded = json.dumps(content).encode()
        answers.write(_LENGTH.pack(len(encoded)) + encoded)

    label, game, components, parent = read()
    system.end_with(parent)
    try:
        agent = opponents.load(label, game=game, components=components)
        name, version = name_and_version(agent)
        # Load the compiled game now, so that the time limit of the agent's first decision does not include it.
        GameState.new(0, game=game, components=components).legal_actions()
    except AgentError as error:
        answer({"error": (error.kind, error.detail)})
        return
    except BaseException as error:
        answer({"error": ("exception", describe_exception(error))})
        return
    answer({"name": name, "version": version})
    while True:
        request, argument = read()
        try:
            if request == "reset":
                agent.reset(argument)
                answer({})
            else:
                state = GameState(np.frombuffer(argument, np.uint8), game=game, components=components)
                answer({"action": as_action(agent.act(state.view()))})
        except AgentError as error:
            answer({"error": (error.kind, error.detail)})
        except BaseException as error:
            answer({"error": ("exception", describe_exception(error))})


if __name__ == "__main__":
    _serve()

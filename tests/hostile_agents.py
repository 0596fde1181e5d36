"""Agents that do what no agent should, for the tests of the arena; and some that behave, though not quietly."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.state import GameState


class First:
    """Takes the first legal action: behaves."""

    name, version = "first", "1"

    def reset(self, seed: int) -> None:
        self.seed = seed

    def act(self, state: GameState) -> Any:
        return state.legal_actions()[0]

    def act_batch(self, lanes: Lanes, selected: NDArray[np.int64]) -> NDArray[np.int32]:
        raise AssertionError("the arena asks agents of the user one state at a time")


class Remembers(First):
    """Decides by its own random numbers and by all that it was asked in the game: behaves."""

    name = "remembers"

    def reset(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.seen: set[str] = set()

    def act(self, state: GameState) -> int:
        self.seen.add(state.decision)
        # The order of a set of texts differs between processes unless their hashes are fixed.
        first = next(iter(self.seen))
        return self.random.choice(state.legal_actions()[: 1 + len(first) % 7])


class Prints(First):
    """Writes megabytes wherever it can and reads what it is not given: behaves otherwise."""

    name = "prints"

    def act(self, state: GameState) -> int:
        print("x" * 1_000_000)
        print("x" * 1_000_000, file=sys.stderr)
        os.write(1, b"\x00" * 1_000_000)
        assert sys.stdin.read() == ""
        return super().act(state)


class Raises(First):
    """Raises in the fourth decision that its process is asked for."""

    name = "raises"

    def __init__(self) -> None:
        self.decisions = 0

    def act(self, state: GameState) -> int:
        self.decisions += 1
        if self.decisions == 4:
            raise ZeroDivisionError("no idea\nwhat to do")
        return super().act(state)


class RaisesAlways(First):
    """Raises an exception whose message cannot be made."""

    def act(self, state: GameState) -> int:
        class NoMessageError(Exception):
            def __str__(self) -> str:
                raise ValueError

        raise NoMessageError


class RaisesInReset(First):
    def reset(self, seed: int) -> None:
        raise RuntimeError("not today")


class LongName(First):
    """Has a name of five million characters."""

    name = "long " * 1_000_000


class Colourful(First):
    """Has a name and a fault that command terminals, and that markup would colour."""

    name = "[red]evil\x1b[2J\x1b]0;owned\x07\u202eeman\n|`<b>"
    version = "1\r2"

    def act(self, state: GameState) -> int:
        raise ValueError("\x1b[31m[bold]no\x00\u2028way")


class RaisesInInit(First):
    def __init__(self) -> None:
        raise RuntimeError("cannot be made")


class ExitsPolitely(First):
    def act(self, state: GameState) -> int:
        sys.exit(0)


class Interrupts(First):
    def act(self, state: GameState) -> int:
        raise KeyboardInterrupt


class Text(First):
    def act(self, state: GameState) -> Any:
        return "pass"


class Nothing(First):
    def act(self, state: GameState) -> Any:
        return None


class Yes(First):
    def act(self, state: GameState) -> Any:
        return True


class Fraction(First):
    def act(self, state: GameState) -> Any:
        return float(state.legal_actions()[0])


class Thing(First):
    """Returns an object whose text shows where it lies in memory."""

    def act(self, state: GameState) -> Any:
        return object()


class Unspeakable(First):
    """Returns an object that has no text."""

    def act(self, state: GameState) -> Any:
        class NoText:
            def __repr__(self) -> str:
                raise ValueError

        return NoText()


class Illegal(First):
    def act(self, state: GameState) -> Any:
        return next(action for action in range(10_000) if action not in state.legal_actions())


class Negative(First):
    def act(self, state: GameState) -> Any:
        return np.int64(-1)


class Huge(First):
    def act(self, state: GameState) -> Any:
        return 10**10_000


class Loops(First):
    name = "loops"

    def act(self, state: GameState) -> int:
        while True:
            pass


class Swallows(First):
    """Never returns and lets no exception and no signal out that it can hold."""

    def act(self, state: GameState) -> int:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass


class Sleeps(First):
    def act(self, state: GameState) -> int:
        time.sleep(1e9)
        return 0


class SleepsInReset(First):
    def reset(self, seed: int) -> None:
        time.sleep(1e9)


class SleepsInInit(First):
    def __init__(self) -> None:
        time.sleep(1e9)


class Exits(First):
    def act(self, state: GameState) -> int:
        os._exit(3)


class ExitsInInit(First):
    def __init__(self) -> None:
        os._exit(4)


class Dies(First):
    def act(self, state: GameState) -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return 0


class DiesWithoutName(First):
    """Ends with a signal that has no name."""

    def act(self, state: GameState) -> int:
        os.kill(os.getpid(), 40)
        return 0


class Allocates(First):
    def act(self, state: GameState) -> int:
        return len(bytearray(2**62))


class Meddles(First):
    """Writes into every file that is open, among them its connection to the arena."""

    def act(self, state: GameState) -> int:
        for number in range(3, 64):
            try:
                os.write(number, b"\xff" * 100)
            except OSError:
                continue
        return super().act(state)


class Closes(First):
    """Closes every file that is open."""

    def act(self, state: GameState) -> int:
        os.closerange(0, 256)
        time.sleep(1e9)
        return 0


class Breeds(First):
    """Starts a process that outlives it, notes its number and its own where the test looks, and answers nonsense."""

    def act(self, state: GameState) -> Any:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1e9)"])
        Path(os.environ["BREEDS_FILE"]).write_text(f"{os.getpid()} {child.pid}")
        return None

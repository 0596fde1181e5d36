"""Agents that misbehave at a table, and an analyst that says what tests can check."""

from __future__ import annotations

import threading
from typing import Any

from dunaia_env.harness.opponents import RandomAgent
from dunaia_env.harness.state import View
from dunaia_env.replay import Replay
from dunaia_env.table.analyses import Progress
from tests.clocks import HANGS, Clock

SECRET = "a secret of the server"


class Failing(RandomAgent):
    """Fails at its second decision of a process, and never again."""

    name = "failing"
    asked = 0

    def act(self, view: Any) -> int:
        Failing.asked += 1
        if Failing.asked == 2:
            raise RuntimeError(SECRET)
        return super().act(view)


class Illegal(RandomAgent):
    """Chooses an action that is never legal."""

    name = "illegal"

    def act(self, view: Any) -> int:
        return 10**6


class Waiting(RandomAgent):
    """Decides a few times, each time in a second by the test's clock; from then on it waits at the test's gate."""

    name = "waiting"
    quick = 0
    clock = Clock()
    gate = threading.Event()

    def act(self, view: Any) -> int:
        Waiting.quick -= 1
        if Waiting.quick >= 0:
            self.clock.now += 1.0
        else:
            self.gate.wait(HANGS)
        return super().act(view)


class Analyst:
    """Says the same of every game."""

    def analyse(self, replay: Replay, components: Any, progress: Progress) -> dict[str, Any]:
        progress(0.5)
        if replay.header["agents"][0] == "nobody":
            raise ValueError("nobody can be judged")
        if replay.header["agents"][0] == "fault":
            raise RuntimeError(SECRET)
        rows = [
            {"number": k, "action": one["action"], "best": one["action"], "actions": [{"action": one["action"]}]}
            for k, one in enumerate(replay.decisions)
        ]
        points = [0] * len(replay.header["agents"])
        positions = [{"number": k, "scores": points} for k in range(len(rows) + 1)]
        return {"names": replay.header["agents"], "decisions": rows, "positions": positions}

    asked = 0

    def advise(self, view: View) -> dict[str, Any]:
        Analyst.asked += 1
        legal = [view.game.action_text(action) for action in view.legal_actions()]
        actions = [{"action": text, "probability": 1 / len(legal), "chance": 0.5} for text in legal]
        chances = [1 / view.num_players] * view.num_players
        return {"adviser": "analyst", "chances": chances, "actions": actions, "indifferent": False}

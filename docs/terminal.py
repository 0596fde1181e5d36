"""The screen of the terminal, as the page about playing shows it."""

from __future__ import annotations

import io

from rich.console import Console

from agents.terminal.choices import Choices
from agents.terminal.displays import Moment
from agents.terminal.log import Log
from agents.terminal.look import look_of
from agents.terminal.screen import LEAST_HEIGHT, LEAST_WIDTH, Screen
from dunaia_env.harness.compiled.chance import Stream
from dunaia_env.harness.opponents import GreedyAgent
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.harness.state import GameState

_SEED = 7
_ROUND, _DECISION = 9, "CHOOSE_DIE"
_NAMES = ("player 0 (you)", "player 1 (medium)")


def screen() -> str:
    """The smallest screen, at a decision of a game between greedy players."""
    chance, agent, log = Stream(_SEED), GreedyAgent(), Log()
    state = GameState.new(chance, num_players=len(_NAMES), elites=True)
    look = look_of(DEFAULT_GAME, state.components)
    while not (state.seat == 0 and state.to_dict()["round"] == _ROUND and state.decision == _DECISION):
        seat, content, action = state.seat, state.to_dict(), agent.act(state)
        text = state.game.action_text(action)
        log.add(f"  {_NAMES[seat]} {look.wording.sentence(text, content, state.components)}")
        state.apply(action, chance)
        if seat == 0:
            log.mark(seat)
    view = state.view()
    content = view.to_dict()
    console = Console(file=io.StringIO(), width=LEAST_WIDTH, height=LEAST_HEIGHT, force_terminal=True)
    shown = Screen(console)
    shown.begin(Moment("", 0, view, content, look, _NAMES, Choices(view, content, look), log))
    rows = "\n".join(line.plain.rstrip() for line in shown.lines())
    return f"```text\n{rows}\nYour choice (1-{len(view.legal_actions())}, ? for help):\n```\n"


GENERATORS = {"terminal_screen": screen}

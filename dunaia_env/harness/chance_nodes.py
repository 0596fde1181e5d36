"""The tree of a game in which every draw is a chance node, for searches with explicit chance nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dunaia_env.harness.compiled.chance import NeedsDraw, Tape
from dunaia_env.harness.state import GameState

# Used in place of a deciding seat; the numbers are those of OpenSpiel.
CHANCE, TERMINAL = -1, -4

Draws = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the tree. It is immutable, so that copies can share it.

    Attributes:
        state: the state at the last decision or at the end; None during the set-up.
        action: the action that is being applied; None during the set-up, at a decision and at the end.
        draws: the draws that the action, or the set-up, has made so far, as pairs (n, outcome).
        n: number of outcomes of the pending draw; 0 if no draw is pending.
        player: the deciding seat, `CHANCE` or `TERMINAL`.
    """

    state: GameState | None
    action: int | None
    draws: Draws
    n: int
    player: int

    def __deepcopy__(self, memo: dict[int, Any]) -> Node:
        return self

    def pending(self) -> str:
        """The draws in progress as text; empty if no draw is pending."""
        if not self.n:
            return ""
        cause = "set-up"
        if self.state is not None and self.action is not None:
            cause = self.state.game.action_text(self.action)
        return ", ".join([cause, *(draw_text(n, outcome) for n, outcome in self.draws), f"next draw of {self.n}"])


def draw_text(n: int, outcome: int) -> str:
    """The text of a chance outcome: ``draw 3 of 6`` is outcome 3 of 0..5."""
    return f"draw {outcome} of {n}"


def decision_node(state: GameState) -> Node:
    """The node of a state that is at a decision or over."""
    return Node(state, None, (), 0, TERMINAL if state.is_over else state.seat)


def step(table: Mapping[str, Any], node: Node, number: int) -> Node:
    """The node after an action at a decision, or after an outcome at a draw; arguments and errors as in `follow`."""
    if node.n:
        return follow(table, node.state, node.action, (*node.draws, (node.n, number)))
    return follow(table, node.state, number, ())


def follow(table: Mapping[str, Any], state: GameState | None, action: int | None, draws: Draws) -> Node:
    """The node after the given draws of an action, or of the set-up if the state or the action is None.

    Args:
        table: the keyword arguments of `GameState.new` with which the game begins.
        state: the state in which the action is applied; it is not changed.
        action: a legal action.
        draws: the draws so far, as in `Node.draws`.

    Raises `ValueError` for an outcome that the rules do not ask for, and `IllegalActionError` for an illegal action.
    """
    try:
        if state is None or action is None:
            return decision_node(GameState.new(Tape(draws), **table))
        following = state.clone()
        following.apply(action, Tape(draws))
        return decision_node(following)
    except NeedsDraw as question:
        return Node(state, action, draws, question.n, CHANCE)


def visible(node: Node, player: int, *, shows_draws: bool) -> dict[str, Any]:
    """What a seat sees at a node; with ``shows_draws`` all draws in progress, otherwise only that there are some."""
    draws = node.pending() if shows_draws else "draws" * bool(node.n)
    position = None if node.state is None else node.state.view(player).to_dict()
    return {"observer": player, "position": position, "draws": draws}

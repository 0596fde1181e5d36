"""The tree of a game in which every draw is a chance node, for searches with explicit chance nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dunaia_env.harness.compiled.chance import NeedsDraw, Tape
from dunaia_env.harness.state import GameState

# In place of a deciding seat; the numbers are OpenSpiel's.
CHANCE, TERMINAL = -1, -4

Draws = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the tree. It is immutable, so that copies can share it.

    Attributes:
        state: at the last decision or the end; None in the set-up.
        action: being applied; None in the set-up, at a decision and at the end.
        draws: what that action, or the set-up, has drawn so far, as (n, outcome).
        n: number of outcomes of the draw asked for; 0 if none is.
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
        """The draws in progress as text; empty if none are."""
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
    """The node of a state at a decision or over."""
    return Node(state, None, (), 0, TERMINAL if state.is_over else state.seat)


def step(table: Mapping[str, Any], node: Node, number: int) -> Node:
    """The node after an action at a decision, or after an outcome at a draw; arguments and errors as `follow`."""
    if node.n:
        return follow(table, node.state, node.action, (*node.draws, (node.n, number)))
    return follow(table, node.state, number, ())


def follow(table: Mapping[str, Any], state: GameState | None, action: int | None, draws: Draws) -> Node:
    """The node after an action, or in the set-up for None, once it has drawn what is given.

    Args:
        table: the keyword arguments of `GameState.new` with which the game begins.
        state: in which the action is applied, unchanged.
        action: a legal one.
        draws: as `Node.draws`.

    Raises `ValueError` for an outcome that the rules do not ask for, `IllegalActionError` for an illegal action.
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
    """What a seat sees at a node: of draws in progress all, or only that there are some."""
    draws = node.pending() if shows_draws else "draws" * bool(node.n)
    position = None if node.state is None else node.state.view(player).to_dict()
    return {"observer": player, "position": position, "draws": draws}

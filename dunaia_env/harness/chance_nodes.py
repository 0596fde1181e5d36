"""The tree of a game in which every draw is a chance node, for searches with explicit chance nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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


@dataclass(frozen=True, slots=True)
class Past:
    """How a seat came to a node that was drawn at random; it is immutable, so that copies can share it.

    Attributes:
        seat: the seat, 0..num_players-1.
        start: the node at which its memory begins.
        numbers: the actions and outcomes that led on from there.
        past: what came before the start, None for nothing.
    """

    seat: int
    start: Node
    numbers: tuple[int, ...]
    past: Past | None

    def __deepcopy__(self, memo: dict[int, Any]) -> Past:
        return self


def draw_text(n: int, outcome: int) -> str:
    """The text of a chance outcome: ``draw 3 of 6`` is outcome 3 of 0..5."""
    return f"draw {outcome} of {n}"


def decision_node(state: GameState) -> Node:
    """The node of a state that is at a decision or over."""
    return Node(state, None, (), 0, TERMINAL if state.is_over else state.seat)


def node_of(table: Mapping[str, Any], state: GameState) -> Node:
    """The node of a copy of a state at which a game begins.

    Args:
        table: as in `follow`.
        state: a state of the same table.

    Raises `ValueError` for a state of another game, with another number of players, other components, or other options;
    only options that are in the state dictionary, or in its entry ``options``, are compared.
    """
    game, players, components, own = table["game"], table["num_players"], table["components"], dict(table)
    for name in ("game", "num_players", "components"):
        del own[name]
    whole = state.to_dict()
    beside = {name: whole[name] for name in own if name in whole and type(whole[name]) is type(own[name])}
    found = beside | whole.get("options", {})
    known = {name: found[name] for name in own if name in found}
    actual = _settings_text(state.num_players, state.components, known)
    needed = _settings_text(players, components, {name: own[name] for name in known})
    if state.game is not game or actual != needed:
        raise ValueError(f"state: expected {needed}, got {actual}")
    return decision_node(state.clone())


def _settings_text(players: int, components: Any, options: Mapping[str, Any]) -> str:
    """Number of players, components and options of a game as text."""
    values = (f", {name} {value}" for name, value in options.items())
    return f"{players} players, components {components.hash}{''.join(values)}"


def resampled(node: Node, seat: int, seed: int) -> Node:
    """A random node at which a seat knows what it knows at this one.

    Args:
        node: a decision, or the end.
        seat: the seat, 0..num_players-1.
        seed: seed of the sample.

    Raises `ValueError` at a node with a pending draw: what is drawn for may be hidden from the seat.
    """
    if node.state is None or node.n:
        raise ValueError(
            f"state: expected a decision or the end of the game, got a draw in progress ({node.pending()})"
        )
    return decision_node(node.state.resampled(seat, seed))


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
    return _seen(node.state, player, draws)


def _seen(state: GameState | None, player: int, draws: str = "") -> dict[str, Any]:
    position = None if state is None else state.known_to(player)
    return {"observer": player, "position": position, "draws": draws}


def note(entries: list[Any], seen: Mapping[str, Any]) -> None:
    """Append what a seat sees, unless it is what it saw last."""
    if not entries or entries[-1] != seen:
        entries.append(seen)


def remembered(
    table: Mapping[str, Any], start: Node, numbers: Iterable[int], player: int, past: Past | None = None
) -> list[Any]:
    """What a seat saw, in the order in which it changed, and the numbers of its own actions, oldest first.

    What a seat sees is noted at the decisions of all seats, where it differs from what it saw last, so that a decision
    which the seat does not notice leaves no trace. Where the game can ask forced decisions, they count as well: they
    are the same decisions of the same seats whatever is hidden, and so are the notes.

    Args:
        table: as in `follow`.
        start: the first node.
        numbers: the actions and outcomes that lead on from it; what is seen at the last node is left out.
        player: the seat, 0..num_players-1.
        past: what came before the first node; it counts only if it is this seat's.
    """
    entries = list[Any]()
    if past is not None and past.seat == player:
        entries += remembered(table, past.start, past.numbers, player, past.past)
    node = start
    for number in numbers:
        if not node.n:
            note(entries, visible(node, player, shows_draws=False))
            if node.player == player:
                entries.append(number)
        following = step(table, node, number)
        if not following.n and table["game"].asks_forced:
            draws = (*node.draws, (node.n, number)) if node.n else ()
            action = node.action if node.n else number
            for state in _on_the_way(table, node.state, action, Tape(draws)):
                note(entries, _seen(state, player))
        node = following
    return entries


def recalled(
    table: Mapping[str, Any], start: Node, numbers: Iterable[int], player: int, past: Past | None, node: Node
) -> list[Any]:
    """`remembered`, and what the seat sees at the node to which the numbers led."""
    entries = remembered(table, start, numbers, player, past)
    note(entries, visible(node, player, shows_draws=False))
    return entries


def _on_the_way(
    table: Mapping[str, Any], state: GameState | None, action: int | None, tape: Tape
) -> Iterator[GameState]:
    """The states at the forced decisions after an action, or after the set-up, changed in place."""
    if state is None or action is None:
        state = GameState.new_alone(tape, **table)
    else:
        state = state.clone()
        state.apply_alone(action, tape)
    while len(legal := state.legal_actions()) == 1:
        yield state
        state.apply_alone(legal[0], tape)

"""Positions made by hand: a chapter is played by itself, with prepared answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .chance import SeededChance
from .game import Game
from .table import Flow


class PreparedChance:
    """Gives the prepared outcomes first, then 0."""

    def __init__(self, *outcomes: int) -> None:
        self.outcomes = list(outcomes)
        self.keys: list[Any] = []

    def draw(self, n: int, key: Any) -> int:
        """Return the next outcome."""
        outcome = self.outcomes.pop(0) if self.outcomes else 0
        if outcome >= n:
            raise ValueError(f"the prepared outcome {outcome} for {key} is not below {n}")
        self.keys.append(key)
        return outcome


def stage(factions: Sequence[int], *outcomes: int, **options: Any) -> Game:
    """Return a game at its first decision, without tokens on the board, without cards and with 10 spice each."""
    game = Game(len(factions), SeededChance(0), factions, options)
    for player in game.players:
        player.forces, player.reserve, player.tanks, player.spice = {}, 20, 0, 10
        player.hand, player.traitors = [], []
    game.turn, game.chance, game.bank = 2, PreparedChance(*outcomes), 0
    game.wheels = [0, 1]
    return game


def drive(game: Game, flow: Flow[Any], *script: str) -> Any:
    """Play a chapter with answers such as `0 BID number 3`; return what it returns.

    Every question must be the one that the script expects, and none may be missing.
    """
    ended, value = _answer(game, flow, script)
    assert ended, f"{game.seat} {game.decision} is asked after the script: {game.menu}"
    return value


def menu_after(game: Game, flow: Flow[Any], *script: str) -> tuple[str, list[str]]:
    """Play as `drive` does, up to the question after the script; return who is asked what, and the menu."""
    ended, _ = _answer(game, flow, script)
    assert not ended, "nothing is asked after the script"
    return f"{game.seat} {game.decision}", list(game.menu)


def _answer(game: Game, flow: Flow[Any], script: Sequence[str]) -> tuple[bool, Any]:
    answer: str | None = None
    for place in range(len(script) + 1):
        try:
            flow.send(answer)  # type: ignore[arg-type]
        except StopIteration as end:
            assert place == len(script), f"never asked: {script[place:]}"
            return True, end.value
        if place < len(script):
            asked = f"{game.seat} {game.decision} "
            assert script[place].startswith(asked), f"{asked}is asked instead of {script[place]}: {game.menu}"
            answer = script[place][len(asked) :]
            assert answer in game.menu, f"{asked}: {answer} is not in {game.menu}"
    return False, None

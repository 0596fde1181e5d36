"""A frozen suite of endgames with exact values, and how much of the win players lose in it.

A file of endgames is JSON Lines: a header, and for each endgame the state dictionary and the deciding seat's expected
share of the win after each legal action, in the order of the actions, if both players decide perfectly from then on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dunaia_env.analysis.exact import MOST_POSITIONS, solve
from dunaia_env.harness import opponents
from dunaia_env.harness.game import Game
from dunaia_env.harness.opponents import Agent
from dunaia_env.harness.registry import game_of_file, name_of
from dunaia_env.harness.state import GameState
from dunaia_env.statistics.intervals import Estimate, block_estimates, round_portably
from dunaia_env.support import atomic, reading, typed_json

FORMAT, RESULTS_FORMAT, VERSION = "dunaia-endgames", "dunaia-endgames-results", 1
SHIPPED = Path(__file__).with_name("dunaia.jsonl")
MOST_BYTES = 1 << 26


class EndgamesError(ValueError):
    """A file of endgames that cannot be used; the message says why."""


@dataclass(frozen=True)
class Endgame:
    """A position near the end of a game of two players, and what its legal actions are worth.

    Attributes:
        state: the state dictionary.
        values: the deciding seat's expected share of the win after each legal action, in the order of the actions.
        players: names of the agents that played the game, by seat.
    """

    state: dict[str, Any]
    values: tuple[float, ...]
    players: tuple[str, ...]


@dataclass(frozen=True)
class Suite:
    """Endgames of one game.

    Attributes:
        game: the game.
        components: hash of its components.
        endgames: the endgames.
    """

    game: Game
    components: str
    endgames: tuple[Endgame, ...]

    def states(self) -> Iterator[GameState]:
        """The positions."""
        for endgame in self.endgames:
            yield GameState.from_dict(endgame.state, game=self.game)


@dataclass(frozen=True)
class Regret:
    """How an agent decides in the positions of a suite.

    Attributes:
        agent: name of the agent.
        regret: mean share of the win that a decision loses.
        best: share of the decisions that lose nothing.
    """

    agent: str
    regret: Estimate
    best: Estimate


def write_suite(path: Path, suite: Suite) -> None:
    """Write a suite atomically."""
    header = {"format": FORMAT, "version": VERSION, "game": name_of(suite.game), "components": suite.components}
    lines = [header, *({**vars(endgame)} for endgame in suite.endgames)]
    atomic.write_text(path, "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))


def read_suite(path: Path = SHIPPED) -> Suite:
    """Read a suite; raises `EndgamesError` naming the line of the first fault."""
    number = 1
    try:
        lines = list(reading.numbered_lines(reading.read_bytes(path, MOST_BYTES).split(b"\n")))
        header: Any = typed_json.parse(lines[0][1]) if lines else {}
        if not isinstance(header, dict) or (header.get("format"), header.get("version")) != (FORMAT, VERSION):
            raise ValueError(f"expected the header of {FORMAT}, version {VERSION}")
        game = game_of_file(header.get("game"))
        components = game.load(None).hash
        if header.get("components") != components:
            raise ValueError(f"components: expected {components}, got {header.get('components')!r}")
        endgames = []
        for entry in lines[1:]:
            number, line = entry
            endgame = typed_json.build(Endgame, typed_json.parse(line))
            legal = GameState.from_dict(endgame.state, game=game).legal_actions()
            if len(legal) != len(endgame.values):
                raise ValueError(f"values: expected one for each of {len(legal)} actions, got {len(endgame.values)}")
            endgames.append(endgame)
    except ValueError as error:
        raise EndgamesError(f"{path}, line {number}: {error}") from error
    return Suite(game, components, tuple(endgames))


def check(suite: Suite, number: int, *, most_positions: int = MOST_POSITIONS) -> None:
    """Solve an endgame of a suite again; raises `EndgamesError` if a value differs."""
    endgame = suite.endgames[number]
    solution = solve(GameState.from_dict(endgame.state, game=suite.game), most_positions=most_positions)
    if solution is None:
        raise EndgamesError(f"endgame {number}: more than {most_positions:,} positions")
    for (action, value), stored in zip(solution.values.items(), endgame.values, strict=True):
        if value != stored:
            raise EndgamesError(f"endgame {number}, {suite.game.action_text(action)}: expected {value}, got {stored}")


def measure(agent: Agent, suite: Suite, *, seed: int = 0) -> Regret:
    """How much of the win an agent loses in each position of a suite, and how often it decides perfectly.

    Args:
        agent: the agent; it is reset before each position.
        suite: the suite, with at least two endgames.
        seed: seed of the agent.
    """
    lost = np.zeros((len(suite.endgames), 1))
    for number, (endgame, state) in enumerate(zip(suite.endgames, suite.states(), strict=True)):
        agent.reset(seed + number)
        value = endgame.values[state.legal_actions().index(int(agent.act(state.view())))]
        lost[number] = max(endgame.values) - value
    lost = round_portably(lost)
    (regret,) = block_estimates(lost)
    (best,) = block_estimates((lost == 0).astype(np.float64), shares=True)
    return Regret(agent.name, regret, best)


def measure_named(suite: Suite, seed: int, name: str) -> tuple[str, Regret]:
    """`measure` of the agent with a name, with this name."""
    return name, replace(measure(opponents.load(name, game=suite.game), suite, seed=seed), agent=name)


def write_results(path: Path, results: Sequence[Regret], suite: Suite) -> None:
    """Write what was measured as JSON, atomically."""
    rows = [
        {"agent": one.agent, "regret": one.regret._asdict(), "best": one.best._asdict()}
        for one in sorted(results, key=lambda one: one.regret.value)
    ]
    content = {"format": RESULTS_FORMAT, "version": VERSION, "endgames": len(suite.endgames), "rows": rows}
    atomic.write_text(path, json.dumps(content, indent=1) + "\n")


def read_results(path: Path) -> tuple[int, list[Regret]]:
    """The number of endgames and the results in a file of `write_results`; raises `EndgamesError`."""
    try:
        content, _ = typed_json.read_versioned(path, RESULTS_FORMAT, VERSION, most=MOST_BYTES)
        return int(content["endgames"]), [typed_json.build(Regret, row) for row in content["rows"]]
    except (KeyError, TypeError, ValueError) as error:
        raise EndgamesError(f"{path}: {error}") from error

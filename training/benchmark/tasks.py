"""The tasks of the benchmark: fixed games with fixed references; ``python -m training.benchmark --list`` prints them.

The hash of a task covers all that an algorithm meets: the game, its options and components, the actions, the
observation, the reward, and the references with their versions. If any of these changes, the task is another one and
gets a new version; the tests hold the hashes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rich.table import Table

from dunaia_env.harness import opponents
from dunaia_env.harness.families import Family
from dunaia_env.harness.game import Game
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.harness.registry import find_game
from dunaia_env.support.hashing import hash_of
from training.benchmark.matches import Tables
from training.family import HELD_OUT, OWN, load_family

# From weak to strong; a scale needs both ends.
REFERENCES = ("random", "easy", "medium", "greedy", "hard", "champion")
REWARD = "win"


@dataclass(frozen=True)
class NamedTask:
    """A task that everybody means by the same name.

    Attributes:
        name: the name, without the version.
        version: counted up when the hash changes.
        about: what the task asks of an algorithm.
        game: name of the game.
        players: number of players at the table.
        preset: preset of the game's options; empty for the full game.
        options: options that differ from those of the preset, by name.
        references: agents by which players are placed, from `REFERENCES`.
        family: whether an algorithm plays members of the game's family of component files, and its players are judged
            with files that are held out of training (`training.family.HELD_OUT`).
    """

    name: str
    version: int
    about: str
    game: str
    players: int
    preset: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    references: tuple[str, ...] = REFERENCES
    family: bool = False

    @property
    def title(self) -> str:
        """The name with the version, as results name the task."""
        return f"{self.name}-v{self.version}"

    def load_game(self) -> Game:
        """The game."""
        return find_game(self.game)

    def game_options(self) -> dict[str, Any]:
        """All options of the game except the number of players, by name."""
        game = self.load_game()
        preset = dict(game.preset(self.preset)) if self.preset else {}
        options = {**game.default_options(full=True), **preset, **self.options}
        options.pop(NUM_PLAYERS, None)
        return options

    def load_family(self) -> Family | None:
        """The family whose members an algorithm plays; None if all games have the game's own components."""
        return load_family(self.load_game(), OWN) if self.family else None

    def files(self) -> list[Any]:
        """The component files with which players are judged; None stands for the game's own."""
        if not self.family:
            return [None]
        return [self.load_game().load(path) for path in sorted(HELD_OUT.glob("*.toml"))]

    def tables(self, threads: int = 1) -> Tables:
        """The tables at which players are judged."""
        return Tables(self.load_game(), self.players, self.game_options(), self.files(), threads)

    def hash(self) -> str:
        """Twelve hexadecimal digits that identify what an algorithm meets."""
        game = self.load_game()
        agents = {name: opponents.load(name, game=game).version for name in self.references}
        content = {
            "game": self.game,
            "players": self.players,
            "options": self.game_options(),
            "components": game.load(None).hash,
            "actions": game.action_hash,
            "observation": game.observation_hash,
            "reward": REWARD,
            "references": agents,
        }
        if family := self.load_family():
            content["family"] = {"training": family.hash, "held_out": [file.hash for file in self.files()]}
        return hash_of(content)[:12]


_TASKS = (
    NamedTask(
        "dunaia-2", 1, "perfect information and chance, without characters", "dunaia", 2, options={"elites": False}
    ),
    NamedTask("dunaia-elites-2", 1, "perfect information and chance, with characters", "dunaia", 2),
    NamedTask("dunaia-elites-3", 1, "the same with three players", "dunaia", 3),
    NamedTask("dunaia-elites-4", 1, "the same with four players", "dunaia", 4),
    NamedTask("dunaia-family", 1, "component files that were never seen in training", "dunaia", 2, family=True),
    NamedTask("dune-duel", 1, "hidden information, bids and battles with sealed plans", "dune", 2, "duel"),
    NamedTask("dune-plain-6", 1, "hidden information with six players, without powers", "dune", 6, "plain"),
)
TASKS: dict[str, NamedTask] = {task.name: task for task in _TASKS}


def find_task(name: str) -> NamedTask:
    """The task with a name, with or without its version; raises `ValueError` naming the tasks."""
    for task in TASKS.values():
        if name in (task.name, task.title):
            return task
    raise ValueError(f"task: expected one of {', '.join(task.title for task in TASKS.values())}, got {name!r}")


def table_of(tasks: Iterable[NamedTask]) -> Table:
    """A table of tasks for the terminal."""
    table = Table(title="Tasks of the benchmark")
    for heading in ("task", "hash", "players", "what it asks for", "references"):
        table.add_column(heading, no_wrap=heading in ("task", "hash"))
    for task in tasks:
        table.add_row(task.title, task.hash(), str(task.players), task.about, ", ".join(task.references))
    return table

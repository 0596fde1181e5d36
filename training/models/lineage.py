"""How a trained player was made: the commands of its run, and the players whose weights it began with."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from agents.model import BEGAN_WITH, lineage_of
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.support.array_files import ArrayFileError, Arrays
from training.arguments import Arguments, Part, header_of

# The name of a run's player.
UNNAMED = "ppo"
# The entries that are kept of the header of a model file with whose weights a run begins.
_KEPT = ("name", "version", "seed", "decisions", "hours", "games", "commit", "command")


def commands(history: Sequence[Part]) -> str:
    """The commands of a run's parts, with every argument that differs from its default or from the previous part."""
    lines, before = [], Arguments()
    if history and history[0].arguments.game != before.game:
        before = Arguments(game=history[0].arguments.game)
    for number, part in enumerate(history):
        if number:
            lines.append(f"# stopped after {part.seconds / 60:.1f} minutes and {part.decisions:,} decisions")
        words = ["python", "-m", "training.ppo", *(["--resume"] if number else []), *_options(part.arguments, before)]
        if part.arguments.game != DEFAULT_GAME.name:
            words += ["--game", part.arguments.game]
        lines.append(shlex.join(words))
        before = part.arguments
    return "\n".join(lines)


def _options(arguments: Arguments, before: Arguments) -> list[str]:
    """The words of a command line that turn the arguments ``before`` into ``arguments``."""
    words, former = [], header_of(before)
    # Named tables say how many players there are, and all options of the game.
    implied = {"players", *arguments.game_options} if arguments.tables else set()
    for name, value in header_of(arguments).items():
        option = name.replace("_", "-")
        if value == former[name] or name in implied:
            continue
        if isinstance(value, bool):
            words.append(f"--{option}" if value else f"--no-{option}")
        else:
            words += [f"--{option}", *map(str, value if isinstance(value, tuple) else [value])]
    return words


def with_ancestor(path: str, arrays: Arrays, header: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The ancestors of a run that begins with the weights of a model file, for the run's header, the oldest first.

    If the model file's player has no name of its own, the path of the file is its name.

    Args:
        path: the model file.
        arrays: its weights.
        header: its header.

    Raises `ArrayFileError` naming what is wrong with the ancestors in the header.
    """
    try:
        lineage = lineage_of(arrays, header)
    except ValueError as error:
        raise ArrayFileError(f"{path}: {error}") from None
    kept = {name: header[name] for name in _KEPT if name in header}
    if not isinstance(kept.get("name"), str) or kept["name"] == UNNAMED:
        kept["name"] = path
    if isinstance(seconds := header.get("seconds"), float):
        kept["hours"] = round(seconds / 3600, 2)
    return [*header.get(BEGAN_WITH, []), {"weights": lineage.own[0], **kept}]

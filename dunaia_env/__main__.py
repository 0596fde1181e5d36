"""The commands of the library: ``dunaia COMMAND ...``, or ``python -m dunaia_env COMMAND ...``.

Each command is a module with its own command line; the module is imported when the command is run.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from dunaia_env.support.terminal import run_main


class Command(NamedTuple):
    """A command of the library.

    Attributes:
        modules: the modules that may hold the command; the first one that is installed is run.
        help: what the command does.
    """

    modules: tuple[str, ...]
    help: str


# The folders agents/ and training/ are `dunaia_env.agents` and `dunaia_env.training` in the wheel.
COMMANDS = {
    "play": Command(("dunaia_env.agents.terminal", "agents.terminal"), "play a game against agents at the terminal"),
    "table": Command(("dunaia_env.table.__main__",), "play, watch and analyse games in the browser"),
    "analysis": Command(("dunaia_env.analysis.__main__",), "judge the decisions of a game, and tell skill from luck"),
    "render": Command(("dunaia_env.render.__main__",), "draw pictures and films of a game"),
    "train": Command(("dunaia_env.training.ppo", "training.ppo"), "train a player by self-play"),
    "publish": Command(
        ("dunaia_env.training.models.publish", "training.models.publish"), "make a named player from a training run"
    ),
    "benchmark": Command(
        ("dunaia_env.training.benchmark.__main__", "training.benchmark.__main__"), "compare learning algorithms"
    ),
    "arena": Command(("dunaia_env.arena.__main__",), "let agents play each other, and report who is better"),
    "match": Command(("dunaia_env.arena.match",), "let agents play each other, and print their win shares"),
    "ladder": Command(("dunaia_env.arena.ladder",), "measure what each doubling of a search's simulations is worth"),
    "leaderboard": Command(("dunaia_env.arena.leaderboard",), "store arena runs, rank agents, and verify games"),
    "report": Command(("dunaia_env.arena.report",), "write the report of an arena run again"),
    "balance": Command(("dunaia_env.balance.__main__",), "judge the balance of characters and seats, and report it"),
    "whatif": Command(("dunaia_env.balance.whatif",), "measure what changed values do to characters and seats"),
    "suggest": Command(("dunaia_env.balance.suggest",), "search for the smallest change that makes characters fair"),
    "compare": Command(("dunaia_env.balance.compare",), "set two versions of a component file side by side"),
    "causes": Command(("dunaia_env.balance.causes",), "trace an advantage to what carries it"),
    "robustness": Command(
        ("dunaia_env.balance.robustness",), "repeat the judgement on other plausible component files"
    ),
    "replay": Command(("dunaia_env.replay",), "record, verify and show games"),
    "family": Command(
        ("dunaia_env.family",), "show and check component files of the family that players are trained for"
    ),
    "warmup": Command(("dunaia_env.warmup",), "compile the game ahead of its first use"),
}


def usage() -> str:
    """The text that ``dunaia --help`` prints."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {command.help}" for name, command in COMMANDS.items()]
    return "\n".join(["usage: dunaia COMMAND [--help] ...", "", *lines, ""])


def module_of(command: Command) -> str:
    """The module that holds a command; raises `SystemExit` if none of its modules is installed."""
    for module in command.modules:
        names = module.split(".")
        # A module can be looked for only in a package that was found.
        if all(find_spec(".".join(names[: length + 1])) for length in range(len(names))):
            return module
    raise SystemExit(f"dunaia: {command.modules[-1]} is not installed here")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns 0, or 2 for an unknown command."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    return run_main(lambda: _run(words))


def _run(words: Sequence[str]) -> int:
    if not words or words[0] in ("-h", "--help"):
        print(usage(), end="")
        return 0
    name, *rest = words
    if name not in COMMANDS:
        print(f"dunaia: {name!a}: unknown command; the commands are {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    # Add the current folder, like `python -m`, so that commands find modules there, such as the user's own agent.
    if not sys.flags.safe_path and (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)
    sys.argv = [f"dunaia {name}", *rest]
    # `alter_sys` makes the module `__main__`, where tyro looks up the command's option types by name.
    runpy.run_module(module_of(COMMANDS[name]), run_name="__main__", alter_sys=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

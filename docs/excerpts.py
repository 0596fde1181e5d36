"""Excerpts of the code for the documentation: functions without their docstrings, read from their files."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).parent.parent


def function(path: str, name: str) -> str:
    """A function, or a method given as ``Class.method``, as a block of code that begins with its file's name."""
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    found: ast.AST = ast.parse("\n".join(lines))
    for part in name.split("."):
        (found,) = (
            node
            for node in ast.iter_child_nodes(found)
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == part
        )
    assert isinstance(found, ast.FunctionDef)
    docstring = range(found.body[0].lineno, (found.body[0].end_lineno or 0) + 1) if ast.get_docstring(found) else ()
    kept = [lines[at - 1] for at in range(found.lineno, (found.end_lineno or 0) + 1) if at not in docstring]
    return "\n".join(["```py", f"# {path}", dedent("\n".join(kept)), "```", ""])


# One decision, from the mask to the learner, in docs/architecture.md.
GENERATORS: dict[str, Callable[[], str]] = {
    "code_of_the_list": partial(function, "dunaia_env/dunaia/rules/play.py", "list_dice"),
    "code_of_the_rule": partial(function, "dunaia_env/dunaia/rules/turn.py", "choose_die"),
    "code_of_the_call": partial(function, "dunaia_env/harness/state.py", "GameState.apply_legal"),
    "code_of_the_play": partial(function, "dunaia_env/dunaia/entry_points.py", "play"),
    "code_of_the_targets": partial(function, "training/ppo.py", "PPO.targets"),
}

"""What operating systems have in common and what not, from the types that typeshed gives to Python's library."""

from __future__ import annotations

import ast
import json
import os
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parent.parent
SYSTEMS = ("linux", "darwin", "win32")
FOLDER = ROOT / "tests" / "other_system"


@cache
def _stub(module: str) -> ast.Module | None:
    """What typeshed says of a module that is not the same on all systems."""
    spec = find_spec("mypy")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    path = Path(spec.submodule_search_locations[0], "typeshed", "stdlib", module)
    for file in (path.with_suffix(".pyi"), path / "__init__.pyi"):
        if file.is_file() and "sys.platform" in (text := file.read_text(encoding="utf-8")):
            return ast.parse(text)
    return None


def _statements(body: list[ast.stmt], system: str) -> Iterator[ast.stmt]:
    known = {"sys": SimpleNamespace(platform=system, version_info=sys.version_info), "TYPE_CHECKING": True}
    for node in body:
        if isinstance(node, ast.If):
            holds = eval(compile(ast.Expression(node.test), "typeshed", "eval"), known)
            yield from _statements(node.body if holds else node.orelse, system)
        else:
            yield node


@cache
def names(module: str, system: str, *, imported: bool = True) -> frozenset[str]:
    """The public names of a module of Python's library on a system, if they are not the same on all systems.

    Args:
        module: its name.
        system: one of `SYSTEMS`.
        imported: whether those count that it has from other modules.
    """
    stub, found = _stub(module), set[str]()
    for node in _statements(stub.body, system) if stub else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
        elif imported and isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name for alias in node.names}
    return frozenset(name for name in found if not name.startswith("_"))


@cache
def not_everywhere(module: str) -> frozenset[str]:
    """The names of a module that some systems have and others lack."""
    each = [names(module, system) for system in SYSTEMS]
    return frozenset.union(*each) - frozenset.intersection(*each)


@cache
def systems_of(module: str) -> frozenset[str]:
    """The systems that have a module."""
    having = frozenset(system for system in SYSTEMS if names(module, system, imported=False))
    return having or frozenset(SYSTEMS)


def environment(**more: str) -> dict[str, str]:
    """The environment of a Python process in which the project finds what Windows has, and nothing else."""
    lacking = {module: sorted(not_everywhere(module) - names(module, "win32")) for module in sys.stdlib_module_names}
    absent = [module for module in sys.stdlib_module_names if "win32" not in systems_of(module)]
    own = {
        "PYTHONPATH": os.pathsep.join([str(FOLDER), str(ROOT)]),
        "LACKING_NAMES": json.dumps({name: found for name, found in lacking.items() if found and name not in absent}),
        "LACKING_MODULES": json.dumps(absent),
    }
    return {**os.environ, **own, **more}

"""Python imports this at its start where this folder is on its path, and then looks to the project like another system.

The project's modules, and no others, lack the names of POSIX systems. A file is not replaced while it is open, and the
user may be one whom the system does not know, with a single core. `tests.other_systems` sets the variables that say so.
"""

from __future__ import annotations

import builtins
import importlib
import json
import os
import sys
import types
from pathlib import Path
from typing import Any

PACKAGES = ("dunaia_env", "agents", "training")
LACKING: dict[str, list[str]] = json.loads(os.environ.get("LACKING_NAMES", "{}"))
LACKING_MODULES: list[str] = json.loads(os.environ.get("LACKING_MODULES", "[]"))
CHANGED: dict[str, dict[str, Any]] = {"os": {"name": "nt"}, "sys": {"platform": "win32"}}


class Lacking(types.ModuleType):
    """A module without some of its names."""

    def __init__(self, module: types.ModuleType, changed: dict[str, Any]) -> None:
        super().__init__(module.__name__)
        self.__dict__["_module"], self.__dict__["_changed"] = module, changed

    def __getattr__(self, name: str) -> Any:
        module = self.__dict__["_module"]
        if name in LACKING.get(module.__name__, ()):
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r} here")
        return self.__dict__["_changed"].get(name) or getattr(module, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.__dict__["_module"], name, value)


def import_module(name: str, package: str | None = None) -> types.ModuleType:
    if name in LACKING_MODULES:
        raise ModuleNotFoundError(f"No module named {name!r} here")
    return real_import_module(name, package)


def import_here(name: str, globals: Any = None, *more: Any, **named: Any) -> Any:  # noqa: A002 - Python's own name
    importer = str((globals or {}).get("__package__") or (globals or {}).get("__name__"))
    is_ours = importer.partition(".")[0] in PACKAGES
    if is_ours and name in LACKING_MODULES:
        raise ModuleNotFoundError(f"No module named {name!r} here")
    module = real_import(name, globals, *more, **named)
    return lacking.get(module.__name__, module) if is_ours else module


def is_open(path: Path) -> bool:
    """Whether this process holds a file open or reads it as memory."""
    for link in Path("/proc/self/fd").iterdir():
        try:
            if link.readlink() == path:
                return True
        except OSError:
            continue
    return f" {path}\n" in Path("/proc/self/maps").read_text(encoding="utf-8", errors="surrogateescape")


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "os.rename" and isinstance(arguments[1], str | os.PathLike) and is_open(Path(arguments[1]).absolute()):
        raise PermissionError(13, "it is open", str(arguments[1]))


if LACKING:
    real_import, real_import_module = builtins.__import__, importlib.import_module
    CHANGED["importlib"] = {"import_module": import_module}
    lacking = {name: Lacking(real_import_module(name), CHANGED.get(name, {})) for name in {*LACKING, *CHANGED}}
    builtins.__import__ = import_here
    sys.addaudithook(watch)

if "UNKNOWN_USER" in os.environ:
    import pwd

    def unknown(user: object) -> Any:
        raise KeyError(f"getpwuid(): uid not found: {user}")

    pwd.getpwuid = pwd.getpwnam = unknown
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

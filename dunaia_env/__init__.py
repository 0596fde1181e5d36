"""Dunaïa, a board game for 2 to 4 players, as a fast environment for training and judging agents."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dunaia_env.registration import register

if TYPE_CHECKING:
    from dunaia_env import advantages, dunaia
    from dunaia_env.game import GameState, IllegalActionError
    from dunaia_env.harness.chance import NeedsDraw, Stream, Tape
    from dunaia_env.lanes import Lanes

register()

# Imported when they are first used, because compiled code takes long to load: by the modules that hold them.
_MODULE_OF = {
    "GameState": "game",
    "IllegalActionError": "game",
    "Lanes": "lanes",
    "NeedsDraw": "harness.chance",
    "Stream": "harness.chance",
    "Tape": "harness.chance",
}
_MODULES = ("advantages", "dunaia")

__all__ = [
    "GameState",
    "IllegalActionError",
    "Lanes",
    "NeedsDraw",
    "Stream",
    "Tape",
    "__version__",
    "advantages",
    "dunaia",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        value: Any = _version()
    elif name in _MODULE_OF:
        value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    elif name in _MODULES:
        value = import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("dunaia-env")
    except PackageNotFoundError:
        return "0.0.0"

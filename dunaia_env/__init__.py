"""Dunaïa, a board game for 2 to 4 players, as a fast environment for training and judging agents."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dunaia_env.registration import register
from dunaia_env.support.version import __version__

if TYPE_CHECKING:
    from dunaia_env import dunaia
    from dunaia_env.harness import opponents
    from dunaia_env.harness.compiled import advantages
    from dunaia_env.harness.compiled.chance import NeedsDraw, Stream, Tape
    from dunaia_env.harness.lanes import Lanes
    from dunaia_env.harness.state import GameState, IllegalActionError

register()

# The module that defines each name. Modules are imported on first use, because compiled code takes long to load.
_MODULE_OF = {
    "GameState": "harness.state",
    "IllegalActionError": "harness.state",
    "Lanes": "harness.lanes",
    "NeedsDraw": "harness.compiled.chance",
    "Stream": "harness.compiled.chance",
    "Tape": "harness.compiled.chance",
}
_MODULES = {"advantages": "harness.compiled.advantages", "dunaia": "dunaia", "opponents": "harness.opponents"}

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
    "opponents",
]


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        value: Any = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    elif name in _MODULES:
        value = import_module(f"{__name__}.{_MODULES[name]}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

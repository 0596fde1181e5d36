"""Dunaïa, a board game for 2 to 4 players, as a fast environment for training and judging agents."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from dunaia_env import advantages, dunaia
from dunaia_env.chance import NeedsDraw, Stream, Tape
from dunaia_env.game import GameState, IllegalActionError
from dunaia_env.lanes import Lanes
from dunaia_env.registration import register

register()

try:
    __version__ = version("dunaia-env")
except PackageNotFoundError:
    __version__ = "0.0.0"

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

"""The games of the library: each by its name, with the module that holds it. A further game is a further line."""

from __future__ import annotations

GAMES = {"dunaia": "dunaia_env.dunaia"}
DEFAULT_NAME = "dunaia"

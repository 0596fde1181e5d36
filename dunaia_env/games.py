"""The games of the library by name, each with the module that holds it. A new game needs a line here."""

from __future__ import annotations

GAMES = {
    "dunaia": "dunaia_env.dunaia",
    "dune": "dunaia_env.dune",
    "dunaia_assigned": "dunaia_env.dunaia.assigned",
}
DEFAULT_NAME = "dunaia"
# Variants for studies and training. They are not offered to people, and are chosen only by name.
FOR_STUDIES = ("dunaia_assigned",)

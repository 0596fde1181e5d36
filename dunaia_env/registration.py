"""Registration of the environments with Gymnasium."""

from __future__ import annotations

from typing import Any

import gymnasium

from dunaia_env.games import DEFAULT_NAME, FOR_STUDIES, GAMES

SINGLE = "dunaia_env.envs.single:DunaiaEnv"
VECTOR = "dunaia_env.envs.vector:DunaiaVectorEnv"


def register() -> None:
    """Register the games of the library for ``gymnasium.make`` and ``make_vec``; registered names stay as they are.

    The game x gets the names ``dunaia/X-v0`` and, for self-play, ``dunaia/XSelfPlay-v0``. A name with the module before
    it, as in ``dunaia_env:dunaia/X-v0``, makes Gymnasium import this library first, so it works in every process.
    """
    for name in GAMES:
        if name in FOR_STUDIES:
            continue
        chosen = {} if name == DEFAULT_NAME else {"game": name}
        _register(f"dunaia/{name.capitalize()}-v0", entry_point=SINGLE, kwargs=dict(chosen))
        _register(f"dunaia/{name.capitalize()}SelfPlay-v0", kwargs={**chosen, "opponents": None})


def _register(name: str, **spec: Any) -> None:
    if name not in gymnasium.registry:
        gymnasium.register(name, vector_entry_point=VECTOR, **spec)

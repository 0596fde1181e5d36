"""Registration of the environments with Gymnasium."""

from __future__ import annotations

import gymnasium

from dunaia_env.games import DEFAULT_NAME, FOR_STUDIES, GAMES

SINGLE = "dunaia_env.envs.single:DunaiaEnv"
VECTOR = "dunaia_env.envs.vector:DunaiaVectorEnv"


def register() -> None:
    """Register the games of the library for ``gymnasium.make`` and ``make_vec``.

    The game x gets the names ``dunaia/X-v0`` and, for self-play, ``dunaia/XSelfPlay-v0``.
    """
    for name in GAMES:
        if name in FOR_STUDIES:
            continue
        chosen = {} if name == DEFAULT_NAME else {"game": name}
        gymnasium.register(
            f"dunaia/{name.capitalize()}-v0", entry_point=SINGLE, vector_entry_point=VECTOR, kwargs=dict(chosen)
        )
        gymnasium.register(
            f"dunaia/{name.capitalize()}SelfPlay-v0", vector_entry_point=VECTOR, kwargs={**chosen, "opponents": None}
        )

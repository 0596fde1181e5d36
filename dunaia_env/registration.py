"""Registration of the environments with Gymnasium."""

from __future__ import annotations

import gymnasium

VECTOR = "dunaia_env.envs.vector:DunaiaVectorEnv"


def register() -> None:
    """Register ``dunaia/Dunaia-v0`` and ``dunaia/DunaiaSelfPlay-v0`` for ``gymnasium.make`` and ``make_vec``."""
    gymnasium.register(
        "dunaia/Dunaia-v0",
        entry_point="dunaia_env.envs.single:DunaiaEnv",
        vector_entry_point=VECTOR,
    )
    gymnasium.register("dunaia/DunaiaSelfPlay-v0", vector_entry_point=VECTOR, kwargs={"opponents": None})

"""An agent that tries to learn the seed of its game, for the tests of the arena.

It tries small numbers, every number that it is given, and what follows from them by the arena's own functions; and it
remembers in a file, whose name stands in an environment variable, how its games begin.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from dunaia_env.harness.compiled.chance import AGENT, random_words
from dunaia_env.harness.seeds import block_seed, derived_seed
from dunaia_env.harness.state import GameState, View

FINDINGS = "DUNAIA_ENV_TEST_FINDINGS"
OPTIONS = "DUNAIA_ENV_TEST_OPTIONS"
SMALL_SEEDS = 300
BLOCKS = 12


class Spy:
    """Plays the first legal action, and looks for its game's seed at the first decision of a game."""

    name, version = "spy", "1"

    def __init__(self) -> None:
        self._candidates: list[int] = []
        self._is_new = True

    def reset(self, seed: int) -> None:
        followed = [derived_seed(seed, "game", block) for block in range(BLOCKS)]
        hashed = [block_seed(small, block) for small in range(3) for block in range(BLOCKS)]
        given = [small for small in range(SMALL_SEEDS) if random_words(small, AGENT, 0, 0)[0] == seed]
        self._candidates = [*given, seed, *followed, *hashed, *range(SMALL_SEEDS)]
        self._is_new = True

    def act(self, view: View) -> int:
        if self._is_new:
            self._is_new = False
            self._look(view)
        return view.legal_actions()[0]

    def act_batch(self, lanes: object, selected: object) -> object:
        raise AssertionError("the arena asks agents of the user one view at a time")

    def _look(self, view: View) -> None:
        options = json.loads(os.environ[OPTIONS])
        seen = view.observation().tobytes()
        guesses = (GameState.new(seed, game=view.game, **options) for seed in self._candidates)
        is_known = any(guess.view(view.seat).observation().tobytes() == seen for guess in guesses)
        finding = {"knows_the_seed": is_known, "beginning": hashlib.sha256(seen).hexdigest()}
        with Path(os.environ[FINDINGS]).open("a") as file:
            file.write(json.dumps(finding) + "\n")

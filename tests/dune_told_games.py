"""Games of Dune that are played to be told: every position with the action that follows, all kinds of decisions."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dune import GAME
from dunaia_env.dune.actions import ACTION_TEXTS, NUM_ACTIONS
from dunaia_env.dune.components import load
from dunaia_env.dune.entry_points import ENTRY_POINTS
from dunaia_env.dune.hidden.views import view_to_dict
from dunaia_env.dune.notation.states import to_dict
from dunaia_env.dune.presentation.hearing import heard
from dunaia_env.dune.state import STATE_SIZE
from dunaia_env.harness.compiled.chance import Stream
from dunaia_env.harness.compiled.entry_points import begin, play
from tests.dune_against_reference import choose

COMPONENTS = load(None)
# Number of players, options, factions, seed and style of choice; together they have every decision.
GAMES: tuple[tuple[int, dict[str, Any], tuple[int, ...] | None, int, int], ...] = (
    (6, {"karama_powers": True}, None, 1, 1),
    (6, {"tleilax": True, "karama_powers": True}, (6, 0, 1, 2, 3, 5), 2, 1),
    (5, {"open_shields": False, "tleilax": True}, None, 3, 0),
    (4, {"deck": 33, "max_alliance": 2}, None, 4, 1),
    (3, {"powers": False, "alliances": False, "deck": 33}, None, 5, 0),
    (2, {"max_turns": 10, "undecided": "strongholds"}, (0, 1), 6, 0),
)


class Told(NamedTuple):
    """A decision: the state and its dictionary, its legal actions, the action chosen, and what came of it."""

    state: NDArray[np.uint8]
    before: Mapping[str, Any]
    legal: tuple[str, ...]
    action: str
    next_state: NDArray[np.uint8]
    after: Mapping[str, Any]

    def views(self, seat: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """What a seat sees before and after."""
        return view_to_dict(self.state, COMPONENTS, seat), view_to_dict(self.next_state, COMPONENTS, seat)

    def heard(self, seen: Mapping[str, Any]) -> Mapping[str, Any]:
        """What was seen of the position, with what everybody has heard of the decision."""
        return heard(self.action, seen, self.before, self.after, COMPONENTS)


def game(
    players: int, options: dict[str, Any], factions: tuple[int, ...] | None, seed: int, style: int
) -> Iterator[Told]:
    row = GAME.option_row(GAME.check_options({"num_players": players, "factions": factions, **options}))
    rules, state, legal = ENTRY_POINTS.for_play(), np.zeros(STATE_SIZE, np.uint8), np.zeros(NUM_ACTIONS, np.int16)
    stream, chooser = Stream(seed), random.Random(seed)
    count = begin(rules, state, COMPONENTS.buffer, stream.begin(), row, legal)
    before = to_dict(state, COMPONENTS)
    while count:
        was, texts = state.copy(), tuple(ACTION_TEXTS[action] for action in legal[:count])
        action = choose(list(texts), before["decision"], style, chooser)
        count = play(rules, state, COMPONENTS.buffer, stream.begin(), ACTION_TEXTS.index(action), legal)
        stream.finish()
        after = to_dict(state, COMPONENTS)
        yield Told(was, before, texts, action, state.copy(), after)
        before = after


@lru_cache(maxsize=1)
def told_games() -> tuple[Told, ...]:
    """The decisions of all `GAMES`."""
    return tuple(told for one in GAMES for told in game(*one))

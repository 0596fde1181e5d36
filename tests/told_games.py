"""Games that are played to be told: every position with the action that follows, all kinds of decisions among them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from dunaia_env.dunaia import Components, action_text, load, load_family
from dunaia_env.harness.compiled.chance import Stream
from dunaia_env.harness.state import GameState

MEMBERS = (1, 5, 23)  # seeds of component files of the family
MOST_ROUNDS = 16


class Told(NamedTuple):
    """A decision: the position, its legal actions, the action that was chosen, and the next position."""

    before: Mapping[str, Any]
    legal: tuple[str, ...]
    action: str
    after: Mapping[str, Any]
    components: Components


def game(seed: int, players: int, elites: bool, components: Components) -> Iterator[Told]:
    """A game of players who choose at random, but call elders and use powers whenever they can."""
    chance, choice = Stream(seed), random.Random(seed)
    state = GameState.new(chance, num_players=players, elites=elites, max_rounds=MOST_ROUNDS, components=components)
    while not state.is_over:
        before, legal = state.to_dict(), tuple(action_text(action) for action in state.legal_actions())
        wanted = [text for text in legal if text.split()[0] in ("call", "power", "search", "colour", "reserve")]
        action = choice.choice(wanted or legal)
        state.apply(action, chance)
        yield Told(before, legal, action, state.to_dict(), components)


@lru_cache(maxsize=1)
def told_games() -> tuple[Told, ...]:
    """Decisions of games with 2, 3 and 4 players, with and without elite characters, and of members of the family."""
    shipped = load()
    found: list[Told] = []
    for seed, (players, elites) in enumerate([(2, False), (2, True), (3, False), (3, True), (4, False), (4, True)]):
        found += game(seed, players, elites, shipped)
    for seed in MEMBERS:
        found += game(seed, 2 + seed % 3, True, load_family(None).sample(seed))
    return tuple(found)

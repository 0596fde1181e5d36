"""Every position that play reaches is a state, as a dictionary and as bytes, and what a seat may take it for is one."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from dunaia_env import GameState, Stream
from dunaia_env.dune import GAME
from tests.dune_mutations import played

# Games of Dune by number, with any options; all take hours on a slow machine, so each test takes some of them.
FEW, MANY = (3, 10, 25), range(30)


def check(state: GameState) -> None:
    """A position comes back from its dictionary and from its bytes."""
    assert GameState.from_dict(state.to_dict(), game=state.game) == state
    assert GameState(np.frombuffer(state.to_bytes(), np.uint8), game=state.game) == state


def dunaia_positions(number: int) -> Iterator[GameState]:
    """The positions of a random game of Dunaïa, one after another."""
    chosen, chance = random.Random(number), Stream(number)
    state = GameState.new(chance, num_players=2 + number % 3, elites=number % 2 == 0, max_rounds=(1, 8, 30)[number % 3])
    while not state.is_over:
        yield state
        state.apply(chosen.choice(state.legal_actions()), chance)
    yield state


def check_game(number: int) -> None:
    """All positions of a game of Dune; of some, what the asked seat takes them for."""
    for place, state in enumerate(played(number)):
        check(state)
        if not state.is_over and place % 10 == number % 10:
            check(state.resampled(state.seat, place))


@pytest.mark.long
@pytest.mark.compiled
@pytest.mark.parametrize("number", FEW)
def test_every_position_of_dune_is_a_state(number: int) -> None:
    check_game(number)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("tens", range(0, len(MANY), 10))
def test_every_position_of_many_games_of_dune_is_a_state(tens: int) -> None:
    for number in MANY[tens : tens + 10]:
        check_game(number)


@pytest.mark.compiled
@pytest.mark.parametrize("number", range(6))
def test_every_position_of_dunaia_is_a_state(number: int) -> None:
    for state in dunaia_positions(number):
        check(state)


@pytest.mark.slow
@pytest.mark.long
def test_every_position_of_many_games_of_dunaia_is_a_state() -> None:
    for number in range(6, 60):
        for state in dunaia_positions(number):
            check(state)


@pytest.mark.compiled
def test_a_stolen_leader_that_was_killed_is_still_named_by_the_plan() -> None:
    chosen, chance = random.Random(5062), Stream(5062)
    state = GameState.new(chance, game=GAME, num_players=6, tleilax=True, karama_powers=True)
    gone = 0
    while not state.is_over:
        if state.decision in ("LOSS", "KEEP"):
            content = state.to_dict()
            sides = (content["actor"], content["pending"]["defender"])
            leaders = [plan["leader"] for plan in content["pending"]["plans"]]
            owners = [content["leaders"]["owner"][leader] for leader in leaders]
            if any(leader >= 0 and owner != seat for leader, owner, seat in zip(leaders, owners, sides, strict=True)):
                gone += 1
                check(state)
        state.apply(chosen.choice(state.legal_actions()), chance)
    assert gone

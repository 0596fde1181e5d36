"""Damaged states and odd actions: refused in one sentence with nothing changed, or accepted and then sound."""

from __future__ import annotations

import functools
import json
import pickle
import random
import warnings
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pytest
from hypothesis import strategies as st

from dunaia_env import GameState, Lanes, Stream, dunaia, dunaia_v0
from dunaia_env.dune import GAME as DUNE
from dunaia_env.envs.sb3 import DunaiaVecEnv
from dunaia_env.envs.single import DunaiaEnv
from dunaia_env.harness.learner import LearnerLanes
from tests import dune_mutations
from tests.fuzz_strategies import VALUES, edited_data
from tests.fuzzing import examples, fuzz

MOST_DECISIONS = 60


# States


@functools.cache
def states() -> tuple[GameState, ...]:
    """A state of every decision, at tables of every size."""
    found: dict[tuple[str, int], GameState] = {}
    for seed in range(40):
        players, elites, chosen = 2 + seed % 3, seed % 2 == 0, random.Random(seed)
        chance = Stream(seed)
        state = GameState.new(chance, num_players=players, elites=elites, max_rounds=30)
        while not state.is_over:
            if chosen.random() < 0.2:
                found[state.decision, players] = state.clone()
            state.apply(chosen.choice(state.legal_actions()), chance)
        found[state.decision, players] = state
    return tuple(found[key] for key in sorted(found))


@functools.cache
def dictionaries() -> tuple[dict[str, Any], ...]:
    return tuple(state.to_dict() for state in states())


def check(state: GameState, seed: int) -> None:
    """What holds in every state, and in those that follow when it is played on."""
    chosen, chance = random.Random(seed), Stream(seed)
    for number in range(MOST_DECISIONS):
        assert GameState.from_dict(state.to_dict()) == state
        if number % 8 == 0:
            assert GameState(np.frombuffer(state.to_bytes(), np.uint8)) == state
            assert all(state.observation(seat).min() >= 0 for seat in range(state.num_players))
            assert min(state.scores()) >= 0
            assert min(state.ranks()) == 1
        legal = state.legal_actions()
        assert state.is_over == (not legal)
        assert legal == sorted(set(legal))
        if state.is_over:
            return
        state.apply(chosen.choice(legal), chance)


def state_dictionary(data: bytes) -> str | None:
    """A state dictionary: refused, or it is what the state says of itself and can be played on."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        return "not JSON"
    try:
        state = GameState.from_dict(content)
    except ValueError as error:
        return str(error)
    assert json.dumps(state.to_dict(), sort_keys=True) == json.dumps(content, sort_keys=True)
    check(state, zlib.crc32(data))
    return None


def dune_dictionary(data: bytes) -> str | None:
    """A state dictionary of Dune: refused, or it is what the state says of itself and can be played on."""
    content = json.loads(data)
    try:
        state = GameState.from_dict(content, game=DUNE)
    except ValueError as error:
        return str(error)
    assert json.dumps(state.to_dict(), sort_keys=True) == json.dumps(content, sort_keys=True)
    dune_mutations.check_play(state, zlib.crc32(data))
    return None


def state_bytes(data: bytes) -> str | None:
    """The bytes of a state: refused, or a state that can be played on."""
    try:
        state = GameState(np.frombuffer(data, np.uint8))
    except ValueError as error:
        return str(error)
    assert state.to_bytes() == data
    check(state, zlib.crc32(data))
    return None


@functools.cache
def lanes() -> Lanes:
    games = Lanes(4, num_players=[2, 3, 4], elites=[False, True])
    games.reset(0)
    for number in range(40):
        games.step(games.random_actions(number))
    return games


def snapshot(data: bytes) -> str | None:
    """A snapshot of lanes: refused with nothing changed, or the lanes go on from it."""
    games = lanes().clone()
    before = games.snapshot()
    arrays = dict(before)
    place, rest = len(before["states"].ravel()), np.frombuffer(data, np.uint8)
    arrays["states"] = rest[:place].reshape(before["states"].shape)
    arrays["lanes"] = rest[place:].reshape(before["lanes"].shape)
    try:
        games.restore(arrays)
    except ValueError as error:
        assert all((games.snapshot()[name] == array).all() for name, array in before.items())
        return str(error)
    for number in range(20):
        for lane in range(games.num_lanes):
            assert (games.seats[lane] >= 0) == bool(games.action_masks[lane].any())
        games.step(games.random_actions(number))
    return None


def shifted(number: int, changes: list[tuple[int, int]]) -> bytes:
    """A dictionary in which a few numbers are one more or less, or two of them have changed places."""
    content = json.loads(json.dumps(dictionaries()[number % len(dictionaries())]))
    for where, what in changes:
        places: list[tuple[Any, Any]] = []
        todo: list[Any] = [content]
        while todo:
            inside = todo.pop()
            for key, value in inside.items() if isinstance(inside, dict) else enumerate(inside):
                if isinstance(value, dict | list):
                    todo.append(value)
                elif type(value) is int:
                    places.append((inside, key))
        inside, key = places[where % len(places)]
        if what % 3 == 2:
            other, place = places[(where + what // 3) % len(places)]
            inside[key], other[place] = other[place], inside[key]
        else:
            inside[key] += 1 - 2 * (what % 3)
    for seat, score in enumerate(points_of(content)):
        content["scores"][seat] = score
    return json.dumps(content).encode()


def points_of(content: dict[str, Any]) -> list[int]:
    """What the state is worth as its own refusal tells, so that a changed hand is a state again."""
    try:
        return GameState.from_dict(content).scores()
    except ValueError as error:
        told = str(error).partition("the state is worth ")[2]
    return json.loads(told) if told else content["scores"]


def flipped(whole: bytes, changes: list[tuple[int, int]]) -> bytes:
    content = bytearray(whole)
    for where, what in changes:
        content[where % len(content)] = what % 256
    return bytes(content)


def changes_of(most: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    place = st.integers(0, 2**20)
    return st.lists(st.tuples(place, place), max_size=most)


def state_dictionaries() -> st.SearchStrategy[bytes]:
    return st.one_of(
        edited_data(dictionaries(), json.dumps),
        st.builds(shifted, st.integers(0, 100), changes_of(2)),
        st.builds(shifted, st.integers(0, 100), changes_of(4)),
    )


def dune_dictionaries() -> st.SearchStrategy[bytes]:
    place = st.integers(0, 2**20)
    changes = st.lists(st.tuples(place, place, place), min_size=1, max_size=3)
    return st.builds(lambda number, some: json.dumps(dune_mutations.mutated(number, some)).encode(), place, changes)


def all_state_bytes() -> st.SearchStrategy[bytes]:
    wholes = [state.to_bytes() for state in states()]
    size = dunaia.STATE_SIZE
    return st.one_of(
        st.builds(flipped, st.sampled_from(wholes), changes_of(3)),
        st.binary(min_size=size, max_size=size),
        st.binary(max_size=2 * size),
    )


def snapshots() -> st.SearchStrategy[bytes]:
    kept = lanes().snapshot()
    whole = kept["states"].tobytes() + kept["lanes"].tobytes()
    return st.builds(lambda changes: flipped(whole, changes), changes_of(3))


# Actions


class Interface(NamedTuple):
    """Something that takes an action in the middle of a game, its state, and what is legal there."""

    act: Callable[[Any], Any]
    content: Callable[[], bytes]
    legal: list[int]


def _state() -> Interface:
    state = GameState.new(1, num_players=3, elites=True)
    return Interface(lambda action: state.apply(action, 1), state.to_bytes, state.legal_actions())


def _aec(wrapped: bool, illegal: str) -> Callable[[], Interface]:
    def make() -> Interface:
        env = (dunaia_v0.env if wrapped else dunaia_v0.raw_env)(num_players=3, illegal=illegal)
        env.reset(seed=1)
        raw: Any = env.unwrapped
        return Interface(env.step, raw.game_state.to_bytes, raw.game_state.legal_actions())

    return make


def _of_lanes(games: Lanes, act: Callable[[Any], Any]) -> Interface:
    legal = games.legal_actions[0, : games.legal_counts[0]].tolist()
    return Interface(act, lambda: games.snapshot()["states"].tobytes(), legal)


def _lanes() -> Interface:
    games = lanes().clone()
    return _of_lanes(games, lambda action: games.step([action, *games.legal_actions[1:, 0].tolist()]))


def _lanes_whole() -> Interface:
    games = Lanes(1)
    games.reset(0)
    return _of_lanes(games, games.step)


def _learner(illegal: str) -> Callable[[], Interface]:
    def make() -> Interface:
        games = LearnerLanes(1, illegal=illegal)
        games.reset(1)
        return _of_lanes(games.lanes, lambda action: games.step([action]))

    return make


def _single(illegal: str) -> Callable[[], Interface]:
    def make() -> Interface:
        env = DunaiaEnv(illegal=illegal)
        env.reset(seed=1)
        return _of_lanes(env.games.lanes, env.step)

    return make


def _made() -> Interface:
    env = gymnasium.make("dunaia/Dunaia-v0", disable_env_checker=True)
    env.reset(seed=1)
    inner: Any = env.unwrapped
    return _of_lanes(inner.games.lanes, env.step)


def _vector(whole: bool) -> Callable[[], Interface]:
    def make() -> Interface:
        env: Any = gymnasium.make_vec("dunaia/Dunaia-v0", num_envs=1)
        env.reset(seed=1)
        return _of_lanes(env.games.lanes, env.step if whole else lambda action: env.step([action]))

    return make


def _sb3() -> Interface:
    env = DunaiaVecEnv(1)
    env.seed(1)
    env.reset()
    return _of_lanes(env.games.lanes, lambda action: env.step([action]))  # type: ignore[arg-type]


def _open_spiel() -> Interface:
    import pyspiel

    import dunaia_env.envs.open_spiel  # noqa: F401  (makes the game known)

    state = pyspiel.load_game("python_dunaia").new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    return Interface(state.apply_action, lambda: str(state.history()).encode(), state.legal_actions())


INTERFACES: dict[str, Callable[[], Interface]] = {
    "state": _state,
    "aec": _aec(False, "terminate"),
    "aec raising": _aec(False, "raise"),
    "aec wrapped": _aec(True, "terminate"),
    "lanes": _lanes,
    "lanes, the whole batch": _lanes_whole,
    "learner": _learner("terminate"),
    "learner raising": _learner("raise"),
    "single": _single("terminate"),
    "single raising": _single("raise"),
    "gymnasium": _made,
    "vector": _vector(False),
    "vector, the whole batch": _vector(True),
    "sb3": _sb3,
    "open_spiel": _open_spiel,
}


# Those in which an illegal action ends the game.
ENDING = {"aec", "aec wrapped", "learner", "single", "gymnasium", "vector", "vector, the whole batch", "sb3"}


FOREIGN = {"aec wrapped", "open_spiel"}


def action(data: bytes) -> str | None:
    """An action of any kind: refused with nothing changed, ends the game as illegal, or is a legal action."""
    name, given = pickle.loads(data)
    interface = INTERFACES[name]()
    before = interface.content()
    refused: Exception | None = None
    try:
        interface.act(given)
    except ValueError as error:
        refused = error
    except (AssertionError, RuntimeError, TypeError) as error:
        # PettingZoo's wrapper and OpenSpiel's binding speak for themselves.
        if name not in FOREIGN:
            raise
        refused = error
    if refused is not None:
        assert interface.content() == before
        return "refused by the library" if name in FOREIGN else str(refused)
    if name not in ENDING:
        (number,) = np.asarray(given).ravel().tolist()
        assert (dunaia.parse_action(number) if isinstance(number, str) else number) in interface.legal
        assert not isinstance(number, bool | float)
    return None


KINDS_OF_NUMBERS = (*"bBhHiIlLqQefdg?", "U", "S", "O", "M8[s]", "m8[s]", "c8")


def odd(value: Any, kind: str, form: int) -> Any:
    """A value as it is, as a NumPy number of some type, or within arrays and lists."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            number = np.asarray(value).astype(kind)
    except (ValueError, TypeError, OverflowError):
        return value
    forms = (value, number, number[()], [value], [number], np.array([number]), (value,), str(value), [[value], []])
    return forms[form]


def actions() -> st.SearchStrategy[bytes]:
    numbers = st.one_of(
        st.integers(-2, dunaia.NUM_ACTIONS + 2),
        st.sampled_from([*VALUES, None, float("nan"), float("inf"), b"6", 10**400, complex(1, 2)]),
        st.sampled_from(dunaia.ACTION_TEXTS),
        st.floats(),
        st.text(max_size=12),
    )
    values = st.builds(odd, numbers, st.sampled_from(KINDS_OF_NUMBERS), st.integers(0, 8))
    named = st.sampled_from(sorted(INTERFACES))
    return st.builds(lambda name, value: pickle.dumps((name, value)), named, values)


# The tests


class Kind(NamedTuple):
    """What is tried on a target, an input that it accepts, and how rarely inputs are accepted."""

    inputs: Callable[[], st.SearchStrategy[bytes]]
    first: Callable[[], bytes]


KINDS = {
    "dune_dictionary": Kind(dune_dictionaries, lambda: json.dumps(dune_mutations.dictionaries()[0]).encode()),
    "state_dictionary": Kind(state_dictionaries, lambda: json.dumps(dictionaries()[0]).encode()),
    "state_bytes": Kind(all_state_bytes, lambda: states()[0].to_bytes()),
    "snapshot": Kind(snapshots, lambda: b"".join(lanes().snapshot()[name].tobytes() for name in ("states", "lanes"))),
    "action": Kind(actions, lambda: pickle.dumps(("state", dunaia.action_text(_state().legal[0])))),
}


def run(name: str, *, long: bool) -> None:
    kind = KINDS[name]
    tally = fuzz(f"tests.test_fuzz_states:{name}", kind.inputs(), examples(long=long), first=kind.first())
    print(f"{name}: {tally}")
    assert tally.refused > 0.1 * tally.accepted
    assert tally.accepted > 0.01 * tally.refused


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    [name if name == "state_bytes" else pytest.param(name, marks=pytest.mark.compiled) for name in KINDS],
)
def test_damaged_states_and_odd_actions_are_refused_or_sound(name: str) -> None:
    run(name, long=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_many_damaged_states_and_odd_actions(name: str) -> None:
    run(name, long=True)


@pytest.mark.parametrize("name", INTERFACES)
def test_every_interface_takes_its_legal_actions(name: str) -> None:
    for legal in INTERFACES[name]().legal[:3]:
        interface = INTERFACES[name]()
        before = interface.content()
        interface.act([legal] if name.endswith("whole batch") else legal)
        assert interface.content() != before

"""How compiled loops call a game: by the addresses of its entry points.

The loops of the harness are compiled once and serve every game, so they cannot import a game's functions. A game passes
them its *table* instead: an int64 array with the address of each entry point and the numbers that the loops need (from
`SEAT_AT` on). The functions below call an entry point through the table, from Python or from compiled code; the harness
and the layers above it use only these functions.

Every entry point returns an int64. Arrays are passed as the address of their first element, so an entry point relies on
the sizes that its game declares.

Without compilation (``NUMBA_DISABLE_JIT=1``) the table holds indices into a list of plain Python functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from dunaia_env.support.compile_cache import COMPILES, kernel

# Layout of a game's table (int64): entry points, 0 for one that the game does not have, ...
BEGIN, PLAY, LEGAL, OBSERVE, RESULTS, RESAMPLE, SIMPLIFY = 0, 1, 2, 3, 4, 5, 6
VALUE, SHARES, FEATURES, PREFERENCES = 7, 8, 9, 10
# ... where the state's bytes hold who decides (int8, -1 when over) and the number of players (int8), ...
SEAT_AT, PLAYERS_AT = 11, 12
# ... and sizes: bytes of a state, actions, observation entries, seats.
STATE_SIZE, NUM_ACTIONS, OBSERVATION_SIZE, SEATS = 13, 14, 15, 16
TABLE_SIZE = 17

MOST_SEATS = 6
# The largest scores that component files allow do not fit into 16 bits.
SCORE_TYPE = np.int32
MOST_OPTIONS = 16
# Used in place of an action: apply the forced decisions only.
NO_ACTION = -1
# Added to an action: apply it without the forced decisions after it. Only games with `Game.asks_forced` know it.
ALONE = 1 << 20
# Layout of an ending (int32): rounds played, 1 if the game was stopped before its end.
ROUNDS, STOPPED = 0, 1
ENDING_SIZE = 2


def _same_array(array: NDArray[Any], size: int, dtype: Any) -> NDArray[Any]:
    return array.view(dtype)


# ``array_at(address, size, dtype)`` is the array at an address. Without compilation, entry points get the array itself
# in place of the address.
array_at: Any = numba.carray if COMPILES else _same_array  # type: ignore[attr-defined]


def _no_entry_point(*arguments: Any) -> int:
    raise ValueError("the game has no such entry point, or it is not compiled yet")


_plain: list[Callable[..., int]] = [_no_entry_point]


def address_of(entry_point: Any) -> int:
    """The number for an entry point in the table; the entry point is compiled or loaded from the cache."""
    if COMPILES:
        return int(entry_point.address)
    if entry_point not in _plain:
        _plain.append(entry_point)
    return _plain.index(entry_point)


class EntryPoints:
    """The entry points of a game, compiled when they are first needed.

    Args:
        functions: the entry points by their index in the table.
        numbers: the other entries of the table, by index.

    Attributes:
        table: int64 ``(TABLE_SIZE,)``, the table for compiled loops. It holds 0 for an entry point that `for_play` or
            `for_evaluation` has not compiled yet, and must not be passed to a loop that calls such an entry point.
    """

    def __init__(self, functions: Mapping[int, Any], numbers: Mapping[int, int]) -> None:
        self._functions = dict(functions)
        self._ready: set[bool] = set()
        self.table = np.zeros(TABLE_SIZE, np.int64)
        for place, number in numbers.items():
            self.table[place] = number

    @property
    def hides_information(self) -> bool:
        """Whether seats know different things; the game can then resample what a seat does not know."""
        return RESAMPLE in self._functions

    @property
    def has_evaluation(self) -> bool:
        """Whether the game has a hand-written evaluation: of positions or of actions, and of win shares."""
        return SHARES in self._functions

    def for_play(self) -> NDArray[np.int64]:
        """The table, with the entry points that play games compiled."""
        return self._prepare(evaluation=False)

    def for_evaluation(self) -> NDArray[np.int64]:
        """The table, with the entry points that evaluate positions compiled too."""
        self.for_play()
        return self._prepare(evaluation=True)

    def _prepare(self, *, evaluation: bool) -> NDArray[np.int64]:
        if evaluation not in self._ready:
            for place in self.places(evaluation=evaluation):
                self.compile(place)
            self._ready.add(evaluation)
        return self.table

    def places(self, *, evaluation: bool) -> list[int]:
        """The indices in the table of the entry points that evaluate, or of those that play."""
        return [place for place in self._functions if (place >= VALUE) == evaluation]

    def legal_actions(self, state: NDArray[np.uint8], components: NDArray[np.uint8]) -> NDArray[np.int16]:
        """The legal actions of a state, ascending."""
        legal = np.zeros(self.table[NUM_ACTIONS], np.int16)
        return legal[: list_legal(self.for_play(), state, components, legal)]

    def results(
        self, state: NDArray[np.uint8], components: NDArray[np.uint8]
    ) -> tuple[NDArray[np.int32], NDArray[np.int8], NDArray[np.int32]]:
        """Scores and ranks of the game's seats as if the game ended now, and the ending; see `write_results`."""
        scores, ranks = np.zeros(MOST_SEATS, SCORE_TYPE), np.zeros(MOST_SEATS, np.int8)
        ending = np.zeros(ENDING_SIZE, np.int32)
        write_results(self.for_play(), state, components, scores, ranks, ending)
        return scores[: self.table[SEATS]], ranks[: self.table[SEATS]], ending

    def compile(self, place: int) -> None:
        """Compile an entry point, or load it from the cache, and put its address into the table."""
        self.table[place] = address_of(self._functions[place])


@intrinsic
def _call(typing_context: Any, address: Any, arguments: Any) -> Any:
    """Call the C function at an address with a tuple of integers and arrays; it returns an int64."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        word = ir.IntType(64)
        words = []
        for place, kind in enumerate(arguments.types):
            value = builder.extract_value(values[1], place)
            if isinstance(kind, types.Array):
                value = builder.ptrtoint(context.make_array(kind)(context, builder, value).data, word)
            else:
                value = context.cast(builder, value, kind, types.int64)
            words.append(value)
        function = builder.inttoptr(values[0], ir.FunctionType(word, [word] * len(words)).as_pointer())
        return builder.call(function, words)

    return types.int64(types.int64, arguments), generate


def _call_plain(address: int, arguments: tuple[Any, ...]) -> int:
    return int(_plain[address](*arguments))


call: Any = _call if COMPILES else _call_plain


@kernel
def copy_state(target, source):
    """Copy a state's bytes; with ``target[:] = source``, numba would compile the wording of an error as well."""
    for place in range(source.shape[0]):
        target[place] = source[place]


@kernel
def begin(game, state, components, chance, options, legal):
    """Set up a game in ``state`` and apply forced decisions; writes the legal actions and returns their number.

    Args:
        game: the game's table.
        state: uint8 ``(STATE_SIZE,)``.
        components: uint8, the components.
        chance: see `dunaia_env.harness.compiled.chance`.
        options: int64 ``(MOST_OPTIONS,)``, the values of the game's options.
        legal: int16 ``(NUM_ACTIONS,)``.
    """
    call(game[BEGIN], (state, components, chance, options))
    return call(game[PLAY], (state, components, chance, NO_ACTION, legal))


@kernel
def play(game, state, components, chance, action, legal):
    """Apply a legal action and the forced decisions after it; writes the next legal actions and returns their number.

    The number is 0 when the game is over.
    """
    return call(game[PLAY], (state, components, chance, action, legal))


@kernel
def begin_alone(game, state, components, chance, options, legal):
    """`begin` without the forced decisions, for games with `Game.asks_forced`."""
    call(game[BEGIN], (state, components, chance, options))
    return call(game[PLAY], (state, components, chance, NO_ACTION + ALONE, legal))


@kernel
def play_alone(game, state, components, chance, action, legal):
    """`play` without the forced decisions, for games with `Game.asks_forced`."""
    return call(game[PLAY], (state, components, chance, action + ALONE, legal))


@kernel
def list_legal(game, state, components, legal):
    """Write the legal actions of a state, ascending; returns their number."""
    return call(game[LEGAL], (state, components, legal))


@kernel
def observe(game, state, components, seat, out):
    """Write the observation of a seat into ``out``, int8 ``(OBSERVATION_SIZE,)``."""
    call(game[OBSERVE], (state, components, seat, out))


@kernel
def write_results(game, state, components, scores, ranks, ending):
    """Write each seat's score (int32) and rank (int8) as if the game ended now, and the ending (int32).

    Ranks count from 1 and are the same for tied seats; absent seats get 0.
    """
    call(game[RESULTS], (state, components, scores, ranks, ending))


@kernel
def resample(game, state, components, chance, seat):
    """Resample what a seat does not know: draw a state from those that agree with everything the seat knows.

    The result depends on the seat's knowledge and on chance only. In a game of perfect information the state stays as
    it is.
    """
    if game[RESAMPLE] != 0:
        call(game[RESAMPLE], (state, components, chance, seat))


@kernel
def simplify(game, state):
    """Set what can no longer matter in a state to one value each: the values of all actions stay as they are."""
    if game[SIMPLIFY] != 0:
        call(game[SIMPLIFY], (state,))


@kernel
def write_value(game, state, components, weights, seat, value):
    """Write the evaluation of a position for a seat into ``value`` (float64, one entry)."""
    call(game[VALUE], (state, components, weights, seat, value))


@kernel
def write_shares(game, state, components, weights, shares):
    """Write each seat's expected share of the win into ``shares``, float64 ``(MOST_SEATS,)``."""
    call(game[SHARES], (state, components, weights, shares))


@kernel
def write_preferences(game, state, components, weights, legal, count, preferences):
    """Write how much the deciding seat prefers each of its ``count`` legal actions (float64, one entry each).

    The preferences depend only on what the seat knows. A game has either preferences or values of positions.
    """
    call(game[PREFERENCES], (state, components, weights, legal, count, preferences))


@kernel
def write_features(game, state, components, seat, features):
    """Write the features of a seat's position into ``features`` (float64, zeros on entry); returns the seat's phase."""
    return call(game[FEATURES], (state, components, seat, features))


@kernel
def seat_of(game, state):
    """The deciding seat of a state; -1 when the game is over."""
    seat = int(state[game[SEAT_AT]])
    return seat if seat < 128 else -1


@kernel
def players_of(game, state):
    """Number of players in a state."""
    return int(state[game[PLAYERS_AT]])

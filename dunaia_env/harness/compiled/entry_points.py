"""How compiled loops call a game: by the addresses of its entry points.

The loops of the harness are compiled once and serve every game, so they cannot name a game's functions. A game hands
them its *table* instead: an int64 array with the address of each entry point and the few numbers that the loops need
to know (`SEAT_AT` and what follows). The functions below call an entry point through the table; they are what the
harness and the layers above it use, and they work from Python as well as from compiled code.

Every entry point returns an int64. Arrays are handed over as their first element's address, so an entry point relies on
the sizes that its game declares.

Without compilation (``NUMBA_DISABLE_JIT=1``) the table holds places in a list of plain Python functions.
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
BEGIN, PLAY, LEGAL, OBSERVE, RESULTS, RESAMPLE, VALUE, SHARES, FEATURES = 0, 1, 2, 3, 4, 5, 6, 7, 8
# ... where the state's bytes hold who decides (int8, -1 when over) and the number of players (int8), ...
SEAT_AT, PLAYERS_AT = 9, 10
# ... and sizes: bytes of a state, actions, observation entries, seats.
STATE_SIZE, NUM_ACTIONS, OBSERVATION_SIZE, SEATS = 11, 12, 13, 14
TABLE_SIZE = 15

MOST_SEATS = 6
# Of scores, of which the largest that components allow do not fit into 16 bits.
SCORE_TYPE = np.int32
MOST_OPTIONS = 8
# In the place of an action: only the forced decisions are applied.
NO_ACTION = -1
# Layout of an ending (int32): rounds played, 1 if the game was stopped before its end.
ROUNDS, STOPPED = 0, 1
ENDING_SIZE = 2


def _same_array(array: NDArray[Any], size: int, dtype: Any) -> NDArray[Any]:
    return array.view(dtype)


# The array of so many entries of a type at an address. Without compilation entry points are handed arrays.
array_at: Any = numba.carray if COMPILES else _same_array  # type: ignore[attr-defined]


def _no_entry_point(*arguments: Any) -> int:
    raise ValueError("the game has no such entry point, or it is not compiled yet")


_plain: list[Callable[..., int]] = [_no_entry_point]


def address_of(entry_point: Any) -> int:
    """What a table holds for an entry point; compiles it, or loads what was compiled before."""
    if COMPILES:
        return int(entry_point.address)
    if entry_point not in _plain:
        _plain.append(entry_point)
    return _plain.index(entry_point)


class EntryPoints:
    """The entry points of a game, compiled when they are first needed.

    Args:
        functions: the entry points by their place in the table.
        numbers: the rest of the table, by place.

    Attributes:
        table: int64 ``(TABLE_SIZE,)``, what compiled loops are handed; it holds 0 for an entry point before `for_play`
            or `for_evaluation`, and must not be handed to a loop that calls such a one.
    """

    def __init__(self, functions: Mapping[int, Any], numbers: Mapping[int, int]) -> None:
        self._functions = dict(functions)
        self._ready: set[bool] = set()
        self.table = np.zeros(TABLE_SIZE, np.int64)
        for place, number in numbers.items():
            self.table[place] = number

    @property
    def hides_information(self) -> bool:
        """Whether seats know different things: the game can deal anew what one of them does not know."""
        return RESAMPLE in self._functions

    @property
    def has_evaluation(self) -> bool:
        """Whether positions can be evaluated by rules of thumb."""
        return VALUE in self._functions

    def for_play(self) -> NDArray[np.int64]:
        """The table, ready to play games with."""
        return self._prepare(evaluation=False)

    def for_evaluation(self) -> NDArray[np.int64]:
        """The table, ready to evaluate positions with too."""
        self.for_play()
        return self._prepare(evaluation=True)

    def _prepare(self, *, evaluation: bool) -> NDArray[np.int64]:
        if evaluation not in self._ready:
            for place in self.places(evaluation=evaluation):
                self.compile(place)
            self._ready.add(evaluation)
        return self.table

    def places(self, *, evaluation: bool) -> list[int]:
        """The places in the table of the entry points that evaluate, or of those that play."""
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
        """Compile an entry point, or load what was compiled before, and put its address into the table."""
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
def begin(game, state, components, chance, options, legal):
    """Set up a game in ``state`` and apply forced decisions; writes and returns the legal actions' number.

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
    """Apply a legal action and the forced decisions after it; writes and returns the next legal actions' number.

    The number is 0 when the game is over.
    """
    return call(game[PLAY], (state, components, chance, action, legal))


@kernel
def list_legal(game, state, components, legal):
    """Write the legal actions of a state, ascending; returns their number."""
    return call(game[LEGAL], (state, components, legal))


@kernel
def observe(game, state, components, seat, out):
    """Write what a seat sees into ``out``, int8 ``(OBSERVATION_SIZE,)``."""
    call(game[OBSERVE], (state, components, seat, out))


@kernel
def write_results(game, state, components, scores, ranks, ending):
    """Write each seat's score (int32) and rank (int8) as if the game ended now, and the ending (int32).

    Ranks count from 1, equal players share one; absent seats get 0.
    """
    call(game[RESULTS], (state, components, scores, ranks, ending))


@kernel
def resample(game, state, components, chance, seat):
    """Replace what a seat does not know by what it might be: a state drawn from those that agree with all it knows.

    What comes out depends on the seat's knowledge and on chance only. It is the state itself in a game of perfect
    information.
    """
    if game[RESAMPLE] != 0:
        call(game[RESAMPLE], (state, components, chance, seat))


@kernel
def write_value(game, state, components, weights, seat, value):
    """Write into ``value`` (float64, one entry) how promising a position is for a seat."""
    call(game[VALUE], (state, components, weights, seat, value))


@kernel
def write_shares(game, state, components, weights, shares):
    """Write into ``shares`` (float64 ``(MOST_SEATS,)``) the share of a win that each seat can expect."""
    call(game[SHARES], (state, components, weights, shares))


@kernel
def write_features(game, state, components, seat, features):
    """Write the features of a seat's position into ``features`` (float64, zeros on entry); returns their phase."""
    return call(game[FEATURES], (state, components, seat, features))


@kernel
def seat_of(game, state):
    """Who decides in a state; -1 when the game is over."""
    seat = int(state[game[SEAT_AT]])
    return seat if seat < 128 else -1


@kernel
def players_of(game, state):
    """Number of players of a state."""
    return int(state[game[PLAYERS_AT]])

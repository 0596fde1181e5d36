"""Chance: where every random outcome of a game comes from.

A state holds no random generator and no future outcomes. Outcomes are drawn with ``draw(chance, purpose, index, n)`` at
the moment they are needed; ``chance`` is a small array that either computes the outcome from the game's seed (a
*stream*) or hands out prepared outcomes one by one (a *tape*).

A stream is counter-based: the outcome depends on the game's seed, the purpose and the index alone, never on how many
outcomes were drawn before. Two games with the same seed therefore have the same outcomes in the same round even when
their players act differently. The generator is Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as
easy as 1, 2, 3", SC 2011). An outcome among n is ``floor(word * n / 2**32)``; the largest deviation from uniformity is
n / 2**32.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from dunaia_env.support.compile_cache import kernel

# Purposes of draws; outcomes of different purposes are independent.
SETUP = 1
ROLL = 2
REVEAL = 3
NEXT_GAME = 4
RANDOM_PLAY = 5
AGENT = 6
SEATING = 7
SEARCH_PLAY = 8
HIDDEN = 9

# Layout of a chance array (int64).
MODE, SEED, COUNT, GIVEN, NEEDED, LOG = 0, 1, 2, 3, 4, 5
STREAM, RECORDED_STREAM, TAPE = 0, 1, 2
# Largest number of draws of one action and the forced decisions after it.
MOST_DRAWS = 64
TOO_MANY_DRAWS = -(2**62)
CHANCE_SIZE = LOG + 2 * MOST_DRAWS

MAX_SEED = 2**63 - 1
# Seeds made here stay below 2**53, which every JSON reader represents exactly.
SEED_BITS = 53

_MULTIPLIER_0 = np.uint64(0xD2511F53)
_MULTIPLIER_1 = np.uint64(0xCD9E8D57)
_WEYL_0 = np.uint64(0x9E3779B9)
_WEYL_1 = np.uint64(0xBB67AE85)
_WORD = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)


@kernel
def philox(key_low, key_high, counter_0, counter_1, counter_2, counter_3):
    """Ten rounds of Philox4x32: two 32-bit key words and four 32-bit counter words (uint64) to four 32-bit words."""
    k0, k1 = key_low, key_high
    c0, c1, c2, c3 = counter_0, counter_1, counter_2, counter_3
    for _ in range(10):
        product_0 = _MULTIPLIER_0 * c0
        product_1 = _MULTIPLIER_1 * c2
        c0, c1, c2, c3 = (
            (product_1 >> _SHIFT) ^ c1 ^ k0,
            product_1 & _WORD,
            (product_0 >> _SHIFT) ^ c3 ^ k1,
            product_0 & _WORD,
        )
        k0 = (k0 + _WEYL_0) & _WORD
        k1 = (k1 + _WEYL_1) & _WORD
    return c0, c1, c2, c3


@kernel
def random_words(seed, purpose, index, part):
    """Two 32-bit words (int64) for a seed in 0..2**63-1, a purpose, an index in 0..2**32-1 and a part in 0..2**32-1."""
    words = philox(
        np.uint64(seed) & _WORD,
        np.uint64(seed) >> _SHIFT,
        np.uint64(purpose),
        np.uint64(index),
        np.uint64(part),
        np.uint64(0),
    )
    return np.int64(words[0]), np.int64(words[1])


@kernel
def random_below(seed, purpose, index, part, n):
    """A uniform integer in 0..n-1 (n at most 2**31), determined by seed, purpose, index and part."""
    return (random_words(seed, purpose, index, part)[0] * np.int64(n)) >> 32


@kernel
def hashed_seed(seed, kind, number, part):
    """A 52-bit seed derived from another seed, for separate chance such as an agent's samples. See `random_words`."""
    high, low = random_words(seed, kind, number, part)
    return (high << 20) ^ low


@kernel
def game_seed(base, lane, game):
    """The seed of a lane's game number ``game`` (0, 1, ...) from a base seed: ``base + lane`` for 0, then a hash of it.

    Hashed seeds have 53 bits. The result does not depend on the number of lanes.
    """
    seed = np.int64(base) + np.int64(lane)
    if game == 0:
        return seed
    high, low = random_words(seed, NEXT_GAME, game, 0)
    return ((high << 32) | low) >> (64 - SEED_BITS) & ((np.int64(1) << SEED_BITS) - 1)


@kernel
def draw(chance, purpose, index, part, n):
    """One outcome in 0..n-1 from a chance array.

    If a tape has run out, n is written to ``chance[NEEDED]`` and 0 is returned; the caller works on a copy of the state
    and discards it. The same happens if an outcome of the tape is not below n (``NEEDED`` is then ``-n``) or the array
    has no space for another draw (``TOO_MANY_DRAWS``).
    """
    if chance[MODE] == STREAM:
        return random_below(chance[SEED], purpose, index, part, n)
    if chance[NEEDED] != 0:
        return np.int64(0)
    if chance[COUNT] == MOST_DRAWS:
        chance[NEEDED] = TOO_MANY_DRAWS
        return np.int64(0)
    position = LOG + 2 * chance[COUNT]
    if chance[MODE] == TAPE:
        if chance[COUNT] >= chance[GIVEN]:
            chance[NEEDED] = n
            return np.int64(0)
        outcome = chance[position + 1]
        if outcome < 0 or outcome >= n:
            chance[NEEDED] = -n
            return np.int64(0)
    else:
        outcome = random_below(chance[SEED], purpose, index, part, n)
        chance[position + 1] = outcome
    chance[position] = n
    chance[COUNT] += 1
    return outcome


class NeedsDraw(Exception):  # noqa: N818  (asks for a draw)
    """The tape is too short: another outcome in ``0..n-1`` is needed. The state is unchanged."""

    def __init__(self, n: int) -> None:
        super().__init__(f"needs draw({n}): the tape has no outcome left")
        self.n = n

    def __reduce__(self) -> tuple[type[NeedsDraw], tuple[int]]:
        return NeedsDraw, (self.n,)


class Chance:
    """A source of outcomes, with a record of the last action's draws."""

    __slots__ = ("array",)

    array: NDArray[np.int64]

    def begin(self) -> NDArray[np.int64]:
        """Forget the last action's draws and return the array that kernels read and write."""
        self.array[COUNT] = 0
        self.array[NEEDED] = 0
        return self.array

    def finish(self) -> None:
        """Check the draws of an applied action; raise an error if the action could not be completed.

        Raises `RuntimeError` if an action draws more outcomes than can be recorded.
        """
        if self.array[NEEDED] == TOO_MANY_DRAWS:
            raise RuntimeError(f"chance: an action asks for more than {MOST_DRAWS} draws; a game must not")

    @property
    def draws(self) -> list[tuple[int, int]]:
        """The ``(n, outcome)`` pairs drawn by the last action and the forced decisions after it."""
        count = int(self.array[COUNT])
        pairs = self.array[LOG : LOG + 2 * count].reshape(count, 2)
        return [(n, outcome) for n, outcome in pairs.tolist()]


class Stream(Chance):
    """The outcomes of a game seed. The same seed gives the same outcomes, whatever was drawn before."""

    __slots__ = ()

    def __init__(self, seed: int) -> None:
        self.array = np.zeros(CHANCE_SIZE, np.int64)
        self.array[MODE] = RECORDED_STREAM
        self.array[SEED] = check_seed(seed)

    @property
    def seed(self) -> int:
        """The game seed."""
        return int(self.array[SEED])


class Tape(Chance):
    """Prepared outcomes, used in order over any number of actions.

    Args:
        outcomes: plain outcomes, or ``(n, outcome)`` pairs as a trace lists them; the n of a pair must be that of
            the draw.

    An action that needs more outcomes than are left raises `NeedsDraw`; an outcome that does not fit the draw raises
    `ValueError`. In both cases the state and the tape are unchanged.
    """

    __slots__ = ("_outcomes", "_position")

    def __init__(self, outcomes: Iterable[int | Sequence[int]] = ()) -> None:
        self.array = np.zeros(CHANCE_SIZE, np.int64)
        self.array[MODE] = TAPE
        self._outcomes: list[tuple[int | None, int]] = []
        self._position = 0
        self.extend(outcomes)

    def extend(self, outcomes: Iterable[int | Sequence[int]]) -> None:
        """Append outcomes to the tape."""
        for outcome in outcomes:
            if isinstance(outcome, Sequence):
                n, value = outcome
                self._outcomes.append((int(n), int(value)))
            else:
                self._outcomes.append((None, int(outcome)))

    @property
    def left(self) -> int:
        """Number of outcomes that have not been used."""
        return len(self._outcomes) - self._position

    def begin(self) -> NDArray[np.int64]:
        """Lay out the unused outcomes for the next action."""
        array = super().begin()
        following = self._outcomes[self._position : self._position + MOST_DRAWS]
        array[GIVEN] = len(following)
        array[LOG + 1 : LOG + 1 + 2 * len(following) : 2] = [outcome for _, outcome in following]
        return array

    def finish(self) -> None:
        """Raise `NeedsDraw` or `ValueError` if the action could not be completed; otherwise move on."""
        super().finish()
        needed = int(self.array[NEEDED])
        place = self._position + int(self.array[COUNT])
        if needed > 0:
            raise NeedsDraw(needed)
        if needed < 0:
            value = self._outcomes[place][1]
            raise ValueError(f"tape: outcome {place} is {value}; the game asks for draw({-needed}): 0..{-needed - 1}")
        for offset, (n, outcome) in enumerate(self.draws):
            expected = self._outcomes[self._position + offset][0]
            if expected is not None and expected != n:
                raise ValueError(
                    f"tape: outcome {self._position + offset} is [{expected}, {outcome}]; the game asks for draw({n})"
                )
        self._position = place


# Constant tuples, because a union type would be built anew by each call.
_INTEGERS = (int, np.integer)
_COUNT_AS_INTEGERS = (bool, np.timedelta64)


def is_integer(value: object) -> TypeGuard[int | np.integer]:
    """Whether a value is a Python or NumPy integer, but not a bool or a timedelta, which are subclasses."""
    return isinstance(value, _INTEGERS) and not isinstance(value, _COUNT_AS_INTEGERS)


def check_seed(seed: object) -> int:
    """Return a seed as an int; raise `ValueError` unless it is an integer in 0..2**63-1."""
    if not is_integer(seed) or not 0 <= int(seed) <= MAX_SEED:
        raise ValueError(f"seed: expected an integer in 0..{MAX_SEED}, got {seed!r}")
    return int(seed)


def fresh_seed() -> int:
    """A seed from the operating system's entropy, in 0..2**53-1."""
    return secrets.randbits(SEED_BITS)

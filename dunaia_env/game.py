"""One game: a state that can be asked, played, copied and written down.

`GameModule` is all that the layers above need of a game; the module `dunaia_env.dunaia` fulfils it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from dunaia_env.chance import Chance, Stream, Tape, is_integer
from dunaia_env.compile_cache import compile_now, is_compiled
from dunaia_env.dunaia.components import Components
from dunaia_env.lane import SCORE_TYPE
from dunaia_env.messages import shorten

DEFAULT_MAX_ROUNDS = 100
MOST_ROUNDS = 1000

Bytes = NDArray[np.uint8]


class GameModule(Protocol):
    """What the layers above need of a game: its tables, its kernels and its texts.

    A state is a row of ``STATE_SIZE`` bytes. Kernels assume legal input. ``legal`` is an int16 row with room for every
    action, ``lanes`` a 2-D uint8 array of `dunaia_env.lane.LANE_DTYPE` records.
    """

    NAME: str
    MIN_PLAYERS: int
    MAX_PLAYERS: int
    NUM_ACTIONS: int
    ACTION_HASH: str
    OBSERVATION_SIZE: int
    OBSERVATION_HASH: str
    OBSERVATION_SCALE: NDArray[np.float32]
    STATE_SIZE: int
    STATE_HASH: str

    def load(self, source: Any) -> Any:
        """The rule set from a file, the game's own for None; a rule set is passed through."""

    def used_size(self, num_players: int) -> int:
        """Number of leading observation entries that can differ from zero at a table of so many players."""

    def seat_of(self, state: Bytes) -> int:
        """Who decides; -1 when over."""

    def players_of(self, state: Bytes) -> int:
        """Number of players."""

    def decision_of(self, state: Bytes) -> str:
        """Name of the decision asked for; ``OVER`` when over."""

    def begin_game(
        self, state: Bytes, rules: Bytes, chance: Any, players: int, elites: bool, rounds: int, legal: Any
    ) -> int:
        """Set up a game; writes and returns the legal actions' number."""

    def play_action(self, state: Bytes, rules: Bytes, chance: Any, action: int, legal: Any) -> int:
        """Apply an action; writes and returns the next legal actions' number."""

    def list_legal(self, state: Bytes, rules: Bytes, legal: Any) -> int:
        """Write the legal actions; returns their number."""

    def write_observation(self, state: Bytes, rules: Bytes, seat: int, out: Any) -> None:
        """Write what a seat sees."""

    def write_results(self, state: Bytes, rules: Bytes, scores: Any, ranks: Any) -> None:
        """Write scores and ranks as if the game ended now."""

    def begin_lanes(
        self,
        states: Any,
        lanes: Any,
        rules: Bytes,
        legal: Any,
        masks: Any,
        seen: Any,
        selected: Any,
        start: int,
        stop: int,
    ) -> None:
        """Begin a game in each lane of ``selected[start:stop]``."""

    def step_lanes(
        self,
        states: Any,
        lanes: Any,
        rules: Bytes,
        actions: Any,
        legal: Any,
        masks: Any,
        seen: Any,
        selected: Any,
        start: int,
        stop: int,
    ) -> None:
        """Apply ``actions[k]`` in the lane ``selected[k]`` for k in ``start..stop-1``."""

    def refresh_lanes(
        self,
        states: Any,
        lanes: Any,
        rules: Bytes,
        legal: Any,
        masks: Any,
        seen: Any,
        selected: Any,
        start: int,
        stop: int,
    ) -> None:
        """Go on from replaced states: write what each lane of ``selected[start:stop]`` shows."""

    def action_text(self, action: int) -> str:
        """The canonical text of an action."""

    def parse_action(self, text: str) -> int:
        """The action of a text."""

    def to_dict(self, state: Bytes, rules: Any) -> dict[str, Any]:
        """The state dictionary."""

    def from_dict(self, content: Mapping[str, Any], rules: Any) -> Bytes:
        """The state of a dictionary."""

    def check_state(self, state: Bytes, rules: Any) -> None:
        """Raise `ValueError` naming the first fault unless the bytes are a state of the rule set."""

    def why_illegal(self, state: Bytes, rules: Any, action: int) -> str:
        """Why the rules forbid an action in a state, as a clause; empty for a legal one or where they cannot say it."""

    def warm_up_calls(self) -> Sequence[Callable[[], object]]:
        """Calls that, made in turn, compile every kernel."""

    def describe(self, content: Mapping[str, Any], rules: Any) -> str:
        """The position of a state dictionary as text."""

    def sentence(self, action: str, content: Mapping[str, Any], rules: Any) -> str:
        """What an action (its text) does in the position of a state dictionary."""


class _Game:
    """A game module as an object that can be copied and pickled: by its name."""

    def __init__(self, module: str) -> None:
        self._module = module
        self.__dict__.update({name: value for name, value in vars(import_module(module)).items() if name[0] != "_"})

    def __deepcopy__(self, memo: dict[int, Any]) -> _Game:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return game_named, (self._module,)

    def __repr__(self) -> str:
        return f"<game {self._module}>"


@cache
def game_named(module: str) -> GameModule:
    """The game of a module that fulfils `GameModule`, by the module's full name; always the same object."""
    return cast(GameModule, _Game(module))


DUNAIA: GameModule = game_named("dunaia_env.dunaia")


class IllegalActionError(ValueError):
    """An action that is not legal in the state: the message names it, the decision and what is legal."""


def describe_array(array: object) -> str:
    """Type and shape of an array, or the kind of what is none, for messages."""
    return f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__


def check_elites(elites: object) -> bool:
    """Return whether elite characters are played with; raise `ValueError` unless it is a bool."""
    if not isinstance(elites, bool | np.bool_):
        raise ValueError(f"elites: {elites!r}; True or False is needed")
    return bool(elites)


def check_players(game: GameModule, num_players: object) -> int:
    """Return a number of players; raise `ValueError` unless the game allows it."""
    allowed = range(game.MIN_PLAYERS, game.MAX_PLAYERS + 1)
    if not is_integer(num_players) or num_players not in allowed:
        raise ValueError(f"num_players: {num_players!r}; an integer in {allowed[0]}..{allowed[-1]} is needed")
    return int(num_players)


def check_max_rounds(max_rounds: object) -> int:
    """Return a number of rounds; raise `ValueError` unless it is in 1..1000."""
    if not is_integer(max_rounds) or not 1 <= max_rounds <= MOST_ROUNDS:
        raise ValueError(f"max_rounds: {max_rounds!r}; an integer in 1..{MOST_ROUNDS} is needed")
    return int(max_rounds)


def check_options(
    game: GameModule, *, num_players: object, elites: object, components: Any, max_rounds: object
) -> dict[str, Any]:
    """The options of a game as `GameState.new` takes them, the components loaded; raises `ValueError` naming one."""
    return {
        "num_players": check_players(game, num_players),
        "elites": check_elites(elites),
        "components": game.load(components),
        "max_rounds": check_max_rounds(max_rounds),
    }


_ready: set[str] = set()


def prepare(game: GameModule) -> None:
    """Compile the game's kernels before their first use, with a line on standard error if that takes long."""
    if game.NAME in _ready:
        return
    _ready.add(game.NAME)
    if game is DUNAIA and not is_compiled():
        compile_now(game.warm_up_calls())


class GameState:
    """A game at one of its decisions, or over. It holds no randomness: chance is given to `apply`.

    Two states of one rule set are equal if their bytes are; a state can be a dictionary key as long as it is not
    changed. Copies (`clone`, ``copy.copy``, ``copy.deepcopy``, pickle) share nothing that can change.
    """

    __slots__ = ("_count", "_game", "_legal", "_rules", "_state")

    _game: GameModule
    _rules: Any
    _state: Bytes
    _legal: NDArray[np.int16] | None
    _count: int

    def __init__(
        self, state: Bytes, *, game: GameModule = DUNAIA, components: Any = None, trusted: bool = False
    ) -> None:
        """A state from its bytes.

        Args:
            state: uint8 ``(STATE_SIZE,)``, copied.
            game: the game it is a state of.
            components: as for `new`.
            trusted: the bytes come from a state of this game, layout and rule set and are not checked. Kernels believe
                what they read: bytes that are no state can make them write anywhere.

        Raises `ValueError` naming the first fault of bytes that are no state.
        """
        prepare(game)
        if not isinstance(state, np.ndarray) or state.shape != (game.STATE_SIZE,) or state.dtype != np.uint8:
            raise ValueError(f"state: {describe_array(state)}; uint8 ({game.STATE_SIZE},) is needed")
        self._game = game
        self._rules = game.load(components)
        self._state = state.copy()
        if not trusted:
            game.check_state(self._state, self._rules)
        self._legal = None
        self._count = 0

    @classmethod
    def new(
        cls,
        chance: int | Chance,
        *,
        num_players: int = 2,
        elites: bool = False,
        components: Components | str | os.PathLike[str] | None = None,
        max_rounds: int = DEFAULT_MAX_ROUNDS,
        game: GameModule = DUNAIA,
    ) -> GameState:
        """A new game at its first asked decision.

        Args:
            chance: the game seed, or a source of outcomes.
            num_players: 2 to 4.
            elites: play with elite characters.
            components: a component file or its content; the project's own for None.
            max_rounds: a game that has not ended after so many rounds (1..1000) is stopped and scored.
            game: the game to play.

        Raises `ValueError` for a value out of range and `NeedsDraw` for a tape too short for the set-up.
        """
        players, variant, rounds = check_players(game, num_players), check_elites(elites), check_max_rounds(max_rounds)
        self = cls(np.zeros(game.STATE_SIZE, np.uint8), game=game, components=components, trusted=True)
        source = chance if isinstance(chance, Chance) else Stream(chance)
        legal = np.zeros(game.NUM_ACTIONS, np.int16)
        array = source.begin()
        self._count = game.begin_game(self._state, self._rules.buffer, array, players, variant, rounds, legal)
        source.finish()
        self._legal = legal
        return self

    @property
    def components(self) -> Any:
        """The rule set."""
        return self._rules

    @property
    def game(self) -> GameModule:
        """The game this is a state of."""
        return self._game

    @property
    def num_players(self) -> int:
        """Number of players."""
        return self._game.players_of(self._state)

    @property
    def seat(self) -> int:
        """Who decides, 0..num_players-1; -1 when the game is over."""
        return self._game.seat_of(self._state)

    @property
    def decision(self) -> str:
        """Name of the decision asked for (rules, section 8)."""
        return self._game.decision_of(self._state)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.seat < 0

    def _legal_list(self) -> NDArray[np.int16]:
        legal = self._legal
        if legal is None:
            legal = np.zeros(self._game.NUM_ACTIONS, np.int16)
            self._count = self._game.list_legal(self._state, self._rules.buffer, legal)
            self._legal = legal
        return legal[: self._count]

    def legal_actions(self) -> list[int]:
        """The legal actions, ascending; empty when the game is over."""
        actions: list[int] = self._legal_list().tolist()
        return actions

    def action_mask(self) -> NDArray[np.int8]:
        """int8 ``(NUM_ACTIONS,)``: 1 for a legal action; all zero when the game is over."""
        mask = np.zeros(self._game.NUM_ACTIONS, np.int8)
        mask[self._legal_list()] = 1
        return mask

    def apply(self, action: int | str, chance: int | Chance) -> None:
        """Apply an action and every forced decision after it.

        Args:
            action: number or text of a legal action.
            chance: the game seed (outcomes are those that belong to the seed), or a source of outcomes.

        Raises `IllegalActionError` for an action that is not legal, `NeedsDraw` for a tape that is too short; the state
        is then unchanged.
        """
        number = self.check(action)
        source = chance if isinstance(chance, Chance) else Stream(chance)
        # A tape can run out in the middle of an action: the state is exchanged only when all went well.
        state = self._state.copy() if isinstance(source, Tape) else self._state
        legal = np.empty(self._game.NUM_ACTIONS, np.int16)
        count = self._game.play_action(state, self._rules.buffer, source.begin(), number, legal)
        source.finish()
        self._state, self._legal, self._count = state, legal, count

    def apply_legal(self, action: int, chance: Stream) -> None:
        """`apply` without its checks, for callers that picked the action from the mask themselves."""
        legal = np.empty(self._game.NUM_ACTIONS, np.int16)
        self._count = self._game.play_action(self._state, self._rules.buffer, chance.begin(), action, legal)
        self._legal = legal

    def check(self, action: object) -> int:
        """The number of a legal action given by number or text; raises `IllegalActionError` for any other."""
        if isinstance(action, str):
            try:
                number = self._game.parse_action(action)
            except ValueError as error:
                raise IllegalActionError(str(error)) from None
        else:
            # Vectorizers, AgileRL's for one, hand over an array without dimensions.
            scalar = action[()] if isinstance(action, np.ndarray) and action.shape == () else action
            if not is_integer(scalar):
                raise IllegalActionError(f"action: {shorten(action)}; an action number or text is needed")
            number = int(scalar)
        legal = self._legal_list()
        if number not in legal:
            texts = [self._game.action_text(other) for other in legal.tolist()]
            shown = ", ".join(texts[:8]) + (f", ... ({len(texts)} in all)" if len(texts) > 8 else "")
            known = 0 <= number < self._game.NUM_ACTIONS
            name = f"{self._game.action_text(number)!r} ({number})" if known else shorten(number)
            reason = self._game.why_illegal(self._state, self._rules, number) if known else ""
            raise IllegalActionError(
                f"action {name} is not legal for seat {self.seat} in {self.decision}{reason and ': ' + reason};"
                f" legal: {shown or 'none, the game is over'}"
            )
        return number

    def clone(self) -> GameState:
        """An independent copy."""
        copy = _new_state(GameState)
        copy._game = self._game
        copy._rules = self._rules
        copy._state = self._state.copy()
        # The list of legal actions is replaced, never changed, so copies may share it.
        copy._legal = self._legal
        copy._count = self._count
        return copy

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> GameState:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self.to_bytes(), self._rules, self._game, self._game.STATE_HASH)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GameState):
            return NotImplemented
        same_rules = self._game is other._game and self._rules.hash == other._rules.hash
        return same_rules and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash((self._rules.hash, self.to_bytes()))

    def __repr__(self) -> str:
        who = "over" if self.is_over else f"seat {self.seat} in {self.decision}"
        return f"<GameState of {self._game.NAME}: {self.num_players} players, {who}>"

    def to_bytes(self) -> bytes:
        """The state as bytes (of this version of the package)."""
        return self._state.tobytes()

    def to_dict(self) -> dict[str, Any]:
        """The state dictionary."""
        return self._game.to_dict(self._state, self._rules)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any], *, components: Any = None, game: GameModule = DUNAIA) -> GameState:
        """The state of a state dictionary; raises `ValueError` naming the first fault."""
        prepare(game)
        rules = game.load(components)
        return cls(game.from_dict(content, rules), game=game, components=rules, trusted=True)

    def observation(self, seat: int | None = None) -> NDArray[np.int8]:
        """int8 ``(OBSERVATION_SIZE,)``: what a seat sees; the deciding one's by default."""
        observer = self.seat if seat is None else seat
        if not is_integer(observer) or not 0 <= observer < self.num_players:
            raise ValueError(f"seat: {observer!r}; an integer in 0..{self.num_players - 1} is needed")
        out = np.zeros(self._game.OBSERVATION_SIZE, np.int8)
        self._game.write_observation(self._state, self._rules.buffer, int(observer), out)
        return out

    def _results(self) -> tuple[list[int], list[int]]:
        scores, ranks = np.zeros(self._game.MAX_PLAYERS, SCORE_TYPE), np.zeros(self._game.MAX_PLAYERS, np.int8)
        self._game.write_results(self._state, self._rules.buffer, scores, ranks)
        players = self.num_players
        return scores[:players].tolist(), ranks[:players].tolist()

    def scores(self) -> list[int]:
        """Points of each seat if the game ended now."""
        return self._results()[0]

    def ranks(self) -> list[int]:
        """Rank of each seat if the game ended now, from 1, equal when shared."""
        return self._results()[1]


_new_state = object.__new__


def _unpickle(state: bytes, components: Any, game: GameModule, layout: str = "unknown") -> GameState:
    if layout != game.STATE_HASH:
        raise ValueError(f"state: pickled with layout {layout}; {game.STATE_HASH} is needed")
    return GameState(np.frombuffer(state, np.uint8), components=components, game=game, trusted=True)

"""One game: its state, and what a seat knows about it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.compiled import entry_points as harness, warm_up
from dunaia_env.harness.compiled.chance import Chance, Stream, Tape, is_integer
from dunaia_env.harness.game import Bytes, Game, game_named
from dunaia_env.harness.presentation import ENGLISH
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.support.messages import shorten


class IllegalActionError(ValueError):
    """An action that is not legal in the state. The message names it, the decision and the legal actions."""


def describe_array(array: object) -> str:
    """The dtype and shape of an array, or the type of another object, for messages."""
    return f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__


def prepare(game: Game, *, evaluation: bool = False) -> NDArray[np.int64]:
    """Compile the code that plays a game before its first use; if that takes long, a line on standard error says so.

    Args:
        game: the game that will be played.
        evaluation: also compile the code for greedy play, search and luck.

    Returns:
        The game's table, for compiled loops.

    Raises `ValueError` if ``evaluation`` is true and the game has no evaluation.
    """
    if evaluation:
        game.require("load_weights")
    groups = ("play", "evaluation") if evaluation else ("play",)
    for group in groups:
        if (game.name, group) not in _ready:
            components = game.load(None).buffer
            warm_up.compile_group(group, game.entry_points, components, game.name, _helper(group, game))
            _ready.add((game.name, group))
    return game.entry_points.table


_ready: set[tuple[str, str]] = set()


def _helper(group: str, game: Game) -> list[str]:
    """The command of a process that imports what this process would, and nothing from its working directory."""
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; from dunaia_env.harness.state import help_compiling;"
        f" help_compiling({group!r}, {game.module!r})"
    )
    return [sys.executable, "-P", "-c", code]


def help_compiling(group: str, module: str) -> None:
    """Compile what `prepare` compiles from the last step to the first, in another process."""
    game = game_named(module)
    for step in reversed(warm_up.steps_of(group, game.entry_points, game.load(None).buffer)):
        step()


class GameState:
    """A game at one of its decisions, or over. It holds no randomness: chance is an argument of `apply`.

    Two states with the same components are equal if their bytes are. A state can be a dictionary key as long as it is
    not changed. Copies (`clone`, ``copy.copy``, ``copy.deepcopy``, pickle) share no data that can change.
    """

    __slots__ = ("_components", "_count", "_game", "_legal", "_state", "_table")

    _game: Game
    _table: NDArray[np.int64]
    _components: Any
    _state: Bytes
    _legal: NDArray[np.int16] | None
    _count: int

    def __init__(
        self, state: Bytes, *, game: Game = DEFAULT_GAME, components: Any = None, trusted: bool = False
    ) -> None:
        """A state from its bytes.

        Args:
            state: uint8 ``(STATE_SIZE,)``, copied.
            game: the game that the state belongs to.
            components: as for `new`.
            trusted: do not check the bytes, because they come from a state of this game with this layout and these
                components. Kernels do not check them either: bytes that are not a state can make a kernel write
                anywhere in memory.

        Raises `ValueError` naming the first fault of bytes that are not a state.
        """
        prepare(game)
        if not isinstance(state, np.ndarray) or state.shape != (game.state_size,) or state.dtype != np.uint8:
            raise ValueError(f"state: expected uint8 ({game.state_size},), got {describe_array(state)}")
        self._game = game
        self._table = game.entry_points.table
        self._components = game.load(components)
        self._state = state.copy()
        if not trusted:
            game.check_state(self._state, self._components)
        self._legal = None
        self._count = 0

    @classmethod
    def new(
        cls,
        chance: int | Chance,
        *,
        components: Any = None,
        game: Game = DEFAULT_GAME,
        **options: Any,
    ) -> GameState:
        """A new game at its first decision.

        Args:
            chance: the game seed, or a source of outcomes.
            components: a component file or its content; None for the game's own.
            game: the game to play.
            options: the game's options, see `Game.options`: for example ``num_players=3``.

        Raises `ValueError` for a value out of range, and `NeedsDraw` for a tape that is too short for the set-up.
        """
        return cls._begun(harness.begin, chance, components, game, options)

    @classmethod
    def new_alone(cls, chance: int | Chance, *, components: Any = None, game: Game, **options: Any) -> GameState:
        """`new` without the forced decisions: the first decision may have one legal action.

        Arguments and errors as for `new`; the game must have `Game.asks_forced`.
        """
        return cls._begun(harness.begin_alone, chance, components, game, options)

    @classmethod
    def _begun(
        cls, begin: Any, chance: int | Chance, components: Any, game: Game, options: Mapping[str, Any]
    ) -> GameState:
        row = game.option_row(game.check_options(options))
        self = cls(np.zeros(game.state_size, np.uint8), game=game, components=components, trusted=True)
        source = chance if isinstance(chance, Chance) else Stream(chance)
        legal = np.zeros(game.num_actions, np.int16)
        self._count = begin(self._table, self._state, self._components.buffer, source.begin(), row, legal)
        source.finish()
        self._legal = legal
        return self

    @property
    def components(self) -> Any:
        """The components of the game."""
        return self._components

    @property
    def game(self) -> Game:
        """The game."""
        return self._game

    @property
    def num_players(self) -> int:
        """Number of players."""
        return self._game.players_of(self._state)

    @property
    def seat(self) -> int:
        """The deciding seat, 0..num_players-1; -1 when the game is over."""
        return self._game.seat_of(self._state)

    @property
    def decision(self) -> str:
        """Name of the decision that the state waits for."""
        return self._game.decision_of(self._state)

    @property
    def is_sealed(self) -> bool:
        """Whether two seats decide unseen by each other, and both choices are shown together; see `Game.sealed`."""
        return self._game.sealed is not None and bool(self._game.sealed(self._state[None])[0])

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.seat < 0

    def _legal_list(self) -> NDArray[np.int16]:
        legal = self._legal
        if legal is None:
            legal = np.zeros(self._game.num_actions, np.int16)
            self._count = harness.list_legal(self._table, self._state, self._components.buffer, legal)
            self._legal = legal
        return legal[: self._count]

    def legal_actions(self) -> list[int]:
        """The legal actions, ascending; empty when the game is over."""
        actions: list[int] = self._legal_list().tolist()
        return actions

    def action_mask(self) -> NDArray[np.int8]:
        """int8 ``(NUM_ACTIONS,)``: 1 for a legal action; all zero when the game is over."""
        mask = np.zeros(self._game.num_actions, np.int8)
        mask[self._legal_list()] = 1
        return mask

    def apply(self, action: int | str, chance: int | Chance) -> None:
        """Apply an action and every forced decision after it.

        Args:
            action: number or text of a legal action.
            chance: the game seed, which determines the outcomes, or a source of outcomes.

        Raises `IllegalActionError` for an action that is not legal, and `NeedsDraw` for a tape that is too short; in
        both cases the state is unchanged.
        """
        number = self.check(action)
        source = chance if isinstance(chance, Chance) else Stream(chance)
        # A tape can run out in the middle of an action, so the action is applied to a copy.
        state = self._state.copy() if isinstance(source, Tape) else self._state
        legal = np.empty(self._game.num_actions, np.int16)
        count = harness.play(self._table, state, self._components.buffer, source.begin(), number, legal)
        source.finish()
        self._state, self._legal, self._count = state, legal, count

    def apply_legal(self, action: int, chance: Stream) -> None:
        """`apply` without its checks, for callers that chose the action from the mask."""
        legal = np.empty(self._game.num_actions, np.int16)
        self._count = harness.play(self._table, self._state, self._components.buffer, chance.begin(), action, legal)
        self._legal = legal

    def apply_alone(self, action: int, chance: Chance) -> None:
        """`apply` without the forced decisions after the action, and without its checks.

        The next decision may have one legal action. The game must have `Game.asks_forced`, and a tape must be long
        enough.
        """
        legal = np.empty(self._game.num_actions, np.int16)
        array = chance.begin()
        self._count = harness.play_alone(self._table, self._state, self._components.buffer, array, action, legal)
        self._legal = legal
        chance.finish()

    def check(self, action: object) -> int:
        """The number of a legal action given by number or text; raises `IllegalActionError` otherwise."""
        if isinstance(action, str):
            try:
                number = self._game.parse_action(action)
            except ValueError as error:
                raise IllegalActionError(str(error)) from None
        else:
            # Some vectorised environments, such as AgileRL's, pass zero-dimensional arrays.
            scalar = action[()] if isinstance(action, np.ndarray) and action.shape == () else action
            if not is_integer(scalar):
                raise IllegalActionError(f"action: expected an action number or text, got {shorten(action)}")
            number = int(scalar)
        legal = self._legal_list()
        if number not in legal:
            texts = [self._game.action_text(other) for other in legal.tolist()]
            shown = ", ".join(texts[:8]) + (f", ... ({len(texts)} in all)" if len(texts) > 8 else "")
            known = 0 <= number < self._game.num_actions
            name = f"{self._game.action_text(number)!r} ({number})" if known else shorten(number)
            reason = self._game.why_illegal(self._state, self._components, number) if known else ""
            raise IllegalActionError(
                f"action {name} is not legal for seat {self.seat} in {self.decision}{reason and ': ' + reason};"
                f" legal: {shown or 'none, the game is over'}"
            )
        return number

    def clone(self) -> GameState:
        """An independent copy."""
        copy = _new_state(GameState)
        copy._game = self._game
        copy._table = self._table
        copy._components = self._components
        copy._state = self._state.copy()
        # The list of legal actions is replaced, never changed, so copies can share it.
        copy._legal = self._legal
        copy._count = self._count
        return copy

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> GameState:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self.to_bytes(), self._components, self._game, self._game.state_hash)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GameState):
            return NotImplemented
        same_components = self._game is other._game and self._components.hash == other._components.hash
        return same_components and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash((self._components.hash, self.to_bytes()))

    def __repr__(self) -> str:
        who = "over" if self.is_over else f"seat {self.seat} in {self.decision}"
        return f"<GameState of {self._game.name}: {self.num_players} players, {who}>"

    def picture(self, seat: int | None = None, *, names: Sequence[str] | None = None, language: str = ENGLISH) -> str:
        """The picture of the position, an SVG document.

        Args:
            seat: the seat for which it is drawn: its pieces come first, and what it does not know is left out. None for
                a spectator, who sees everything.
            names: names of the seats; None for "player 1" and so on.
            language: language of the words in it, see `Presentation.wordings`.

        Raises `ValueError` for a game without pictures, and for a seat or a language that does not exist.
        """
        presentation = self._game.require("presentation")
        presentation.wording(language)
        viewer = None if seat is None else self._observer(seat)
        content = self._game.content_for(self._state, self._components, viewer)
        return presentation.picture(content, self._components, seat=viewer, names=names, language=language)

    def _repr_svg_(self) -> str | None:
        """The picture that notebooks show."""
        return None if self._game.presentation is None else self.picture()

    def to_bytes(self) -> bytes:
        """The state as bytes, in the layout of this version of the package."""
        return self._state.tobytes()

    def to_dict(self) -> dict[str, Any]:
        """The state dictionary."""
        return self._game.to_dict(self._state, self._components)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any], *, components: Any = None, game: Game = DEFAULT_GAME) -> GameState:
        """The state of a state dictionary; raises `ValueError` naming the first fault."""
        prepare(game)
        loaded = game.load(components)
        return cls(game.from_dict(content, loaded), game=game, components=loaded, trusted=True)

    def observation(self, seat: int | None = None) -> NDArray[np.int8]:
        """int8 ``(OBSERVATION_SIZE,)``: the observation of a seat, by default the deciding one."""
        return self.observation_of(self._observer(seat))

    def _observer(self, seat: int | None) -> int:
        observer = self.seat if seat is None else seat
        if not is_integer(observer) or not 0 <= observer < self.num_players:
            raise ValueError(f"seat: expected an integer in 0..{self.num_players - 1}, got {observer!r}")
        return int(observer)

    def observation_of(self, seat: int) -> NDArray[np.int8]:
        """`observation` without its check, for callers with a valid seat."""
        out = np.zeros(self._game.observation_size, np.int8)
        harness.observe(self._table, self._state, self._components.buffer, seat, out)
        return out

    def _results(self) -> tuple[list[int], list[int]]:
        scores, ranks, _ = self._game.entry_points.results(self._state, self._components.buffer)
        players = self.num_players
        return scores[:players].tolist(), ranks[:players].tolist()

    def ending(self) -> tuple[int, bool]:
        """The number of rounds played so far, and whether the game was stopped before its end."""
        _, _, (rounds, stopped) = self._game.entry_points.results(self._state, self._components.buffer)
        return int(rounds), bool(stopped)

    def scores(self) -> list[int]:
        """Points of each seat if the game ended now."""
        return self._results()[0]

    def ranks(self) -> list[int]:
        """Rank of each seat if the game ended now, from 1, the same for tied seats."""
        return self._results()[1]

    def known_to(self, seat: int) -> dict[str, Any]:
        """The part of the state dictionary that a seat knows, as its view has it, also at a forced decision."""
        return self._game.content_for(self._state, self._components, seat)

    def view(self, seat: int | None = None) -> View:
        """What a seat knows, by default the deciding one. Raises `ValueError` for an invalid seat."""
        return View(self, self._observer(seat))

    def resampled(self, seat: int, chance: int | Chance) -> GameState:
        """A random state that agrees with everything that a seat knows; a copy in a game of perfect information.

        Args:
            seat: the seat, 0..num_players-1.
            chance: a seed, or a source of outcomes.
        """
        copy = self.clone()
        if not self._game.perfect_information:
            source = chance if isinstance(chance, Chance) else Stream(chance)
            harness.resample(self._table, copy._state, self._components.buffer, source.begin(), seat)
            source.finish()
            copy._legal = None
        return copy


class View:
    """What a seat knows about a game at one of its decisions. A view is immutable and contains nothing hidden.

    In a game with hidden information a view holds a state in which everything that the seat does not know was drawn
    anew, so the view reveals nothing more than the seat knows.
    """

    __slots__ = ("_seat", "_state")

    def __init__(self, state: GameState, seat: int) -> None:
        self._seat = seat
        # The same outcomes for every view, so that views with the same knowledge are equal.
        self._state = state.resampled(seat, 0)

    @property
    def seat(self) -> int:
        """The seat whose view it is."""
        return self._seat

    @property
    def game(self) -> Game:
        """The game."""
        return self._state.game

    @property
    def components(self) -> Any:
        """The components of the game."""
        return self._state.components

    @property
    def num_players(self) -> int:
        """Number of players."""
        return self._state.num_players

    @property
    def decision(self) -> str:
        """Name of the decision that the game waits for, whichever seat decides."""
        return self._state.decision

    @property
    def is_sealed(self) -> bool:
        """Whether two seats decide unseen by each other, and both choices are shown together; see `Game.sealed`."""
        return self._state.is_sealed

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._state.is_over

    @property
    def state(self) -> GameState:
        """A copy of the state; raises `ValueError` in a game with hidden information, see `determinize`."""
        if not self.game.perfect_information:
            raise ValueError(f"state: {self.game.name} hides information; determinize(chance) gives a possible state")
        return self._state.clone()

    def determinize(self, chance: int | Chance) -> GameState:
        """A random state that agrees with everything that the seat knows; `state` where nothing is hidden.

        Args:
            chance: a seed, or a source of outcomes.
        """
        return self._state.resampled(self._seat, chance)

    def legal_actions(self) -> list[int]:
        """The legal actions, ascending; empty unless the seat decides."""
        return self._state.legal_actions() if self._state.seat == self._seat else []

    def action_mask(self) -> NDArray[np.int8]:
        """int8 ``(NUM_ACTIONS,)``: 1 for a legal action; all zero unless the seat decides."""
        mask = np.zeros(self.game.num_actions, np.int8)
        mask[self.legal_actions()] = 1
        return mask

    def observation(self) -> NDArray[np.int8]:
        """int8 ``(OBSERVATION_SIZE,)``: what the seat sees."""
        return self._state.observation_of(self._seat)

    def to_dict(self) -> dict[str, Any]:
        """The part of the state dictionary that the seat knows; all of it where nothing is hidden."""
        if self.game.view_to_dict is None:
            return self._state.to_dict()
        return self.game.view_to_dict(self._state._state, self.components, self._seat)

    def picture(self, *, names: Sequence[str] | None = None, language: str = ENGLISH) -> str:
        """What the seat sees as an SVG document; see `GameState.picture`."""
        return self._state.picture(self._seat, names=names, language=language)

    def _repr_svg_(self) -> str | None:
        """The picture that notebooks show."""
        return None if self.game.presentation is None else self.picture()

    def to_bytes(self) -> bytes:
        """The bytes of the state that the view holds; they determine the seed of a search."""
        return self._state.to_bytes()

    def check(self, action: object) -> int:
        """See `GameState.check`."""
        return self._state.check(action)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, View):
            return NotImplemented
        return self._seat == other._seat and self._state == other._state

    def __hash__(self) -> int:
        return hash((self._seat, self._state))

    def __reduce__(self) -> tuple[Any, ...]:
        return View, (self._state, self._seat)

    def __repr__(self) -> str:
        return f"<View of seat {self._seat}, {self._state!r}>"


def view_of(position: GameState | View) -> View:
    """The view of the deciding seat of a state; a view is returned as it is."""
    return position if isinstance(position, View) else position.view()


_new_state = object.__new__


def _unpickle(state: bytes, components: Any, game: Game, layout: str = "unknown") -> GameState:
    if layout != game.state_hash:
        raise ValueError(f"state: expected layout {game.state_hash}, got {layout}")
    return GameState(np.frombuffer(state, np.uint8), components=components, game=game, trusted=True)

"""The record that declares a game: options, sizes, entry points and texts. The layers above use nothing else of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.compiled.encoding import ActionTable, ObservationLayout
from dunaia_env.harness.compiled.entry_points import MOST_OPTIONS, PLAYERS_AT, SEAT_AT, EntryPoints
from dunaia_env.harness.events import Events
from dunaia_env.harness.families import Family
from dunaia_env.harness.options import NUM_PLAYERS, PRESET, Option
from dunaia_env.harness.presentation import Presentation
from dunaia_env.harness.roles import Roles
from dunaia_env.support.messages import shorten

Bytes = NDArray[np.uint8]
SCORES, RANKS, ROUNDS, TRUNCATED, WINNERS = "scores", "ranks", "rounds", "truncated", "winners"
_PLAIN_RESULT: Mapping[str, str] = MappingProxyType({key: key for key in (SCORES, RANKS, ROUNDS, TRUNCATED)})

# Why a game cannot be used where an optional part of it is required.
_WITHOUT: Mapping[str, str] = MappingProxyType(
    {
        "load_weights": "this game has no evaluation function for agents to use",
        "load_family": "this game has no family of component files",
        "change": "this game's components cannot be changed by path",
        "values_of": "this game's components cannot be read by path",
        "roles": "this game has no roles to balance",
        "events": "this game declares no events to remove",
        "presentation": "this game has no pictures",
    }
)


class Bounds(NamedTuple):
    """Bounds that hold in every game with the same components and options.

    Attributes:
        outcomes: largest number of outcomes of one draw.
        draws: largest number of draws in a game.
        decisions: largest number of decisions in a game, all seats together.
        least_points, most_points: smallest and largest number of points of a player at the end.
        rounds: largest number of rounds in a game.
    """

    outcomes: int
    draws: int
    decisions: int
    least_points: int
    most_points: int
    rounds: int


def _nothing_of_options(options: Mapping[str, Any]) -> str:
    return ""


def _only_the_player(content: Mapping[str, Any], player: str) -> str:
    return player[:1].upper() + player[1:]


def _no_news(before: Mapping[str, Any], after: Mapping[str, Any]) -> Sequence[str]:
    return ()


class Telling(NamedTuple):
    """Texts of a transcript besides positions and actions, made from options and state dictionaries.

    Attributes:
        variant: a clause that names the variant of the game that the options make; empty for the plain game.
        turn: the line that begins a turn, from the position and the name of its player ("player 1 (random)").
        news: events between two positions that the sentence of the action does not tell, one line for each; the first
            position is given with what was heard of the decision (`Presentation.hear`).
    """

    variant: Callable[[Mapping[str, Any]], str] = _nothing_of_options
    turn: Callable[[Mapping[str, Any], str], str] = _only_the_player
    news: Callable[[Mapping[str, Any], Mapping[str, Any]], Sequence[str]] = _no_news


PLAIN_TELLING = Telling()


class Recording(NamedTuple):
    """The keys of a game's replay files, in which the number of players is called ``players``.

    Attributes:
        format: the name of the format; None for the library's own. Files in a game's own format need not name the game.
        beside: the options that are in the header itself; the header's key ``options`` holds all others. None if every
            option is in the header itself.
        result: for each key of the result, what it holds: "scores" or "ranks" (by seat; both are required and have
            these keys), "rounds", "truncated" (whether the game was stopped before its end), or a key of the state
            dictionary. A game whose winners need not have the highest scores gives them as "winners".
    """

    format: str | None = None
    beside: tuple[str, ...] | None = None
    result: Mapping[str, str] = _PLAIN_RESULT

    def is_beside(self, option: str) -> bool:
        """Whether an option is in the header itself."""
        return self.beside is None or option == NUM_PLAYERS or option in self.beside


PLAIN_RECORDING = Recording()


def _any_combination(options: Mapping[str, Any]) -> Mapping[str, Any]:
    return options


@dataclass(frozen=True, eq=False, repr=False)
class Game:
    """A game.

    A state is a row of ``state_size`` bytes. Components are an object with a ``buffer`` of bytes and a ``hash`` of at
    most 32 ASCII characters. An action is a number in ``0..num_actions-1``. There is one object per game: copying or
    unpickling it gives the same object.

    Attributes:
        module: name of the module that holds the game as ``GAME``.
        name: name of the game in commands and files.
        title: name of the game in texts for people.
        options: the options of the game. The first is `num_players`, whose range gives the sizes of the table.
        actions: the actions, with their numbers and texts.
        observation: the layout of the observation.
        state_size: number of bytes of a state.
        state_hash: identifies the layout of the state.
        entry_points: the rules, compiled.
        load: the components from a file, or the game's own if the argument is None; components that are already loaded
            are returned as they are.
        used_size: number of leading observation entries that can differ from zero at a table with the given number of
            players.
        decision_of: name of the decision that a state asks for; ``OVER`` when the game is over.
        to_dict: the state dictionary of a state and its components.
        from_dict: the state of a state dictionary and the components; raises `ValueError` naming the first fault.
        check_state: raises `ValueError` naming the first fault unless the bytes are a state with these components.
        why_illegal: a clause that says why the rules forbid an action in a state; empty for a legal action, or if there
            is no explanation.
        describe: the position of a state dictionary as text.
        sentence: what an action, given as its text, does in the position of a state dictionary.
        bounds: the bounds of games with the given components and options.
        view_to_dict: the part of the state dictionary that a seat knows; None in a game of perfect information.
        load_weights: the weights of the evaluation from a file, or the game's own if the argument is None. None in
            place of the function for a game without an evaluation.
        telling: the other texts of transcripts.
        settle: takes values of all options, each valid by itself, and returns the values that apply together: if one
            option leaves another without effect, the other gets the value that it then has in effect. Raises
            `ValueError` for values that exclude each other.
        sealed: which of N states, uint8 ``(N, state_size)``, ask for a sealed decision, bool ``(N,)``: one that is
            made without seeing another seat's and shown together with it, such as a battle plan. A player who always
            decides alike there is exploitable. None for a game without sealed decisions.
        presets: named sets of option values, which people choose together; the number of players may be one of the
            options. Files hold the values, never the name.
        recording: how files of recorded games hold the options and the result.
        roles: the roles that make players unequal; None if all players are alike.
        events: kinds of actions that may carry an advantage; None if the game does not distinguish any.
        load_family: the family of components (see `families.Family`) from a file or its content, or the game's own if
            the argument is None; a family that is already loaded is returned as it is. None in place of the function
            for a game without families.
        round_limit: name of the option that stops a game after a number of rounds; empty if there is none.
        plausible_family: path of the family file in which only those values vary that no public text documents, each in
            its plausible range; empty if there is none.
        change: copies components and replaces values, which are given by their dotted paths ("prices.level_2.0"); a
            value may be given as the text that a component file has for it. Raises `ValueError` naming the path, the
            value and what is allowed. None if values have no paths.
        values_of: all values of components by their paths, as integers and texts; None if `change` is None.
        presentation: how the game is shown to people; None for a game that has texts only.
        variant_of: name of the game of which this one is a variant, whose champion and levels play it, too; empty for a
            game that is no variant.
        asks_forced: whether the game can also ask forced decisions, which have one legal action, instead of applying
            them. It then asks so many decisions, of the same seats, whatever is hidden.
    """

    module: str
    name: str
    title: str
    options: tuple[Option, ...]
    actions: ActionTable
    observation: ObservationLayout
    state_size: int
    state_hash: str
    entry_points: EntryPoints
    load: Callable[[Any], Any]
    used_size: Callable[[int], int]
    decision_of: Callable[[Bytes], str]
    to_dict: Callable[[Bytes, Any], dict[str, Any]]
    from_dict: Callable[[Mapping[str, Any], Any], Bytes]
    check_state: Callable[[Bytes, Any], None]
    why_illegal: Callable[[Bytes, Any, int], str]
    describe: Callable[[Mapping[str, Any], Any], str]
    sentence: Callable[[str, Mapping[str, Any], Any], str]
    bounds: Callable[[Any, Mapping[str, Any]], Bounds]
    view_to_dict: Callable[[Bytes, Any, int], dict[str, Any]] | None = None
    load_weights: Callable[[str | None], NDArray[np.float64]] | None = None
    telling: Telling = PLAIN_TELLING
    load_family: Callable[[Any], Family] | None = None
    plausible_family: str = ""
    round_limit: str = ""
    settle: Callable[[Mapping[str, Any]], Mapping[str, Any]] = _any_combination
    sealed: Callable[[Bytes], NDArray[np.bool_]] | None = None
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    recording: Recording = PLAIN_RECORDING
    roles: Roles | None = None
    events: Events | None = None
    change: Callable[[Any, Mapping[str, Any]], Any] | None = None
    values_of: Callable[[Any], dict[str, Any]] | None = None
    presentation: Presentation | None = None
    variant_of: str = ""
    asks_forced: bool = False

    def __post_init__(self) -> None:
        for needed, name in (
            (self.entry_points.hides_information, "view_to_dict"),
            (self.entry_points.has_evaluation, "load_weights"),
        ):
            if needed != (getattr(self, name) is not None):
                raise ValueError(f"{self.name}: {name} {'is missing' if needed else 'without its entry points'}")
        if (self.change is None) != (self.values_of is None):
            raise ValueError(f"{self.name}: expected both change and values_of or neither, got one of them")
        if self.options[0].name != NUM_PLAYERS or len(self.options) > MOST_OPTIONS:
            raise ValueError(f"{self.name}: options: expected {NUM_PLAYERS} and at most {MOST_OPTIONS - 1} others")
        for key in (SCORES, RANKS):
            if self.recording.result.get(key) != key:
                raise ValueError(f"{self.name}: recording.result without {key}")
        for preset in self.presets:
            self.check_options({PRESET: preset})

    @cached_property
    def _option_of(self) -> dict[str, Option]:
        return {option.name: option for option in self.options}

    def option(self, name: str) -> Option:
        """The option with a name; raises `TypeError`, as for any unknown argument, naming the game's options."""
        if name not in self._option_of:
            raise TypeError(f"{name}: no option of {self.name}; its options are {', '.join(self._option_of)}")
        return self._option_of[name]

    @cached_property
    def num_actions(self) -> int:
        """Number of actions."""
        return self.actions.size

    @cached_property
    def action_hash(self) -> str:
        """Identifies the action table."""
        return self.actions.hash

    def action_text(self, action: int) -> str:
        """The canonical text of an action."""
        return self.actions.text(action)

    def parse_action(self, text: str) -> int:
        """The action that a text names; raises `ValueError` for a text that names no action."""
        return self.actions.parse(text)

    @cached_property
    def observation_size(self) -> int:
        """Number of entries of an observation."""
        return self.observation.size

    @cached_property
    def observation_hash(self) -> str:
        """Identifies the layout of the observation."""
        return self.observation.hash

    @cached_property
    def observation_scale(self) -> NDArray[np.float32]:
        """float32 ``(observation_size,)``, by which networks divide the observation."""
        return self.observation.scale

    @property
    def perfect_information(self) -> bool:
        """Whether every seat knows the whole state."""
        return not self.entry_points.hides_information

    @property
    def min_players(self) -> int:
        """Number of players at the smallest table."""
        return self.option(NUM_PLAYERS).least

    @property
    def max_players(self) -> int:
        """Number of players at the largest table."""
        return self.option(NUM_PLAYERS).most

    def preset(self, name: object) -> Mapping[str, Any]:
        """The values of a preset; raises `ValueError`, naming the game's presets, for any other name."""
        if not isinstance(name, str) or name not in self.presets:
            allowed = (
                f"one of {', '.join(self.presets)}" if self.presets else f"none, because {self.name} has no presets"
            )
            raise ValueError(f"{PRESET}: expected {allowed}, got {shorten(name)}")
        return self.presets[name]

    def check_options(self, values: Mapping[str, object]) -> dict[str, Any]:
        """The values of all options, with defaults where none is given, as they apply together (see `settle`).

        Args:
            values: values by option name. The key ``preset`` names a preset, whose values apply where no others are
                given; None names no preset.

        Raises `ValueError` naming the first value that is wrong.
        """
        chosen = dict(values)
        preset = chosen.pop(PRESET, None)
        if preset is not None:
            chosen = {**self.preset(preset), **chosen}
        given = {name: self.option(name).check(value) for name, value in chosen.items()}
        settled = self.settle({option.name: given.get(option.name, option.default) for option in self.options})
        return {option.name: settled[option.name] for option in self.options}

    def default_options(self, *, full: bool = False) -> dict[str, Any]:
        """The default of every option except the number of players, or with ``full`` its value in the full game."""
        return {
            option.name: option.full if full and option.full is not None else option.default
            for option in self.options
            if option.name != NUM_PLAYERS
        }

    def load_each(self, components: Any) -> tuple[Any, ...]:
        """The components from a source that `load` takes, or from each source of a sequence.

        Raises `ValueError` for an empty sequence, and the errors of `load`.
        """
        if not isinstance(components, Sequence) or isinstance(components, str):
            return (self.load(components),)
        if not components:
            raise ValueError("components: expected at least one entry, got an empty sequence")
        return tuple(self.load(source) for source in components)

    @overload
    def require(self, part: Literal["load_weights"]) -> Callable[[str | None], NDArray[np.float64]]: ...
    @overload
    def require(self, part: Literal["load_family"]) -> Callable[[Any], Family]: ...
    @overload
    def require(self, part: Literal["change"]) -> Callable[[Any, Mapping[str, Any]], Any]: ...
    @overload
    def require(self, part: Literal["values_of"]) -> Callable[[Any], dict[str, Any]]: ...
    @overload
    def require(self, part: Literal["roles"]) -> Roles: ...
    @overload
    def require(self, part: Literal["events"]) -> Events: ...
    @overload
    def require(self, part: Literal["presentation"]) -> Presentation: ...
    def require(self, part: str) -> Any:
        """An optional part of the game by its name; raises `ValueError` for a game without it."""
        found = getattr(self, part)
        if found is None:
            raise ValueError(f"{self.name}: {_WITHOUT[part]}")
        return found

    def content_for(self, state: Bytes, components: Any, seat: int | None) -> dict[str, Any]:
        """The content of a position as a seat may know it; the whole state dictionary for None."""
        if seat is None or self.view_to_dict is None:
            return self.to_dict(state, components)
        return self.view_to_dict(state, components, seat)

    def option_row(self, values: Mapping[str, Any]) -> NDArray[np.int64]:
        """The values from `check_options` for compiled code, int64 ``(MOST_OPTIONS,)``; see `Option.number`."""
        row = np.zeros(MOST_OPTIONS, np.int64)
        row[: len(self.options)] = [option.number(values[option.name]) for option in self.options]
        return row

    @property
    def scores_decide(self) -> bool:
        """Whether a higher score means a better rank; not in a game whose recorded result names the winners."""
        return WINNERS not in self.recording.result.values()

    def seat_of(self, state: Bytes) -> int:
        """The deciding seat of a state; -1 when the game is over."""
        seat = int(state[self._seat_at])
        return seat if seat < 128 else -1

    def players_of(self, state: Bytes) -> int:
        """Number of players in a state."""
        return int(state[self._players_at])

    @cached_property
    def _seat_at(self) -> int:
        return int(self.entry_points.table[SEAT_AT])

    @cached_property
    def _players_at(self) -> int:
        return int(self.entry_points.table[PLAYERS_AT])

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self

    def __copy__(self) -> Game:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return game_named, (self.module,)

    def __repr__(self) -> str:
        return f"<game {self.module}>"


def game_named(module: str) -> Game:
    """The game of a module, by the module's full name; raises `ValueError` for a module without a game."""
    found = getattr(import_module(module), "GAME", None)
    if not isinstance(found, Game):
        raise ValueError(f"{module}: expected a module with a `Game` called GAME, got none")
    return found

"""Agents: the protocol, the random and the greedy agent, pools of agents, and `load`, which finds agents by name."""

from __future__ import annotations

import importlib
import inspect
import os
import re
from collections.abc import Callable, Container, Iterable, Sequence
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeGuard, get_args, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.compiled import chance, greedy
from dunaia_env.harness.game import Game
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.registry import DEFAULT_GAME, check_name_in_file
from dunaia_env.harness.state import GameState, View, prepare, view_of
from dunaia_env.support.messages import MOST_OF_A_TEXT, reason, shorten
from dunaia_env.support.modules import SUFFIX, load_attribute

MODEL_SUFFIX = ".safetensors"


class GameLeftError(Exception):
    """A person who plays has left the game, or their input has ended.

    Attributes:
        can_ask: whether the person can still be asked a question.
    """

    def __init__(self, reason: str, *, can_ask: bool) -> None:
        super().__init__(reason)
        self.can_ask = can_ask


@runtime_checkable
class Agent(Protocol):
    """An agent decides for any seat. It sees what the seat knows, and never a game's seed.

    Attributes:
        name: name of the agent in tables of results and in replays.
        version: text that changes when the agent's decisions may change.
    """

    name: str
    version: str

    def reset(self, seed: int) -> None:
        """Reset the agent with a seed of its own (0..2**32-1): the same seed and views give the same decisions."""
        ...

    def act(self, view: View) -> int:
        """A legal action for the seat that decides."""
        ...

    def act_batch(self, lanes: Lanes, selected: NDArray[np.int64]) -> NDArray[np.int32]:
        """A legal action for each selected lane; int32 of the shape of ``selected``."""
        ...


def is_agent(value: object) -> TypeGuard[Agent]:
    """Whether a value is an agent; a class with the same methods is not."""
    return isinstance(value, Agent) and not isinstance(value, type)


class RandomAgent:
    """Decides uniformly at random among the legal actions."""

    name = "random"
    version = "1"

    def __init__(self, seed: int = 0) -> None:
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Begin the sequence of choices that belongs to a seed."""
        self._seed = seed
        self._choices = 0

    def act(self, view: View | GameState) -> int:
        """A uniformly random legal action."""
        legal = view.legal_actions()
        choice = int(chance.random_below(self._seed, chance.AGENT, self._choices, 0, len(legal)))
        self._choices += 1
        return legal[choice]

    def act_batch(self, lanes: Lanes, selected: NDArray[np.int64]) -> NDArray[np.int32]:
        """Uniformly random legal actions, determined by the agent's seed and each lane's game and decision."""
        return lanes.random_actions(self._seed, selected)


class GreedyAgent:
    """Chooses the legal action that the game's evaluation finds best, by the action itself or by the position after it.

    Args:
        weights: weights of the game's evaluation, float64, or the path of a data file; None for the game's own.
        game: the game to play.

    Raises `ValueError` for weights that do not belong to the game, and for a game without an evaluation.
    """

    name = "greedy"
    version = "2"

    def __init__(self, weights: NDArray[np.float64] | str | None = None, *, game: Game = DEFAULT_GAME) -> None:
        self._game = game
        own = load_weights(game, weights if isinstance(weights, str) else None)
        self.weights = own if weights is None or isinstance(weights, str) else np.asarray(weights, np.float64)
        if self.weights.shape != own.shape:
            raise ValueError(f"weights: expected shape {own.shape}, got {self.weights.shape}")
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Set the seed of the outcomes that the agent samples."""
        # Hashed, because with a seed that equals the game's, the samples would be the game's own outcomes.
        self._seed = int(chance.hashed_seed(seed, chance.AGENT, 0, 0))

    def act(self, view: View | GameState) -> int:
        """The legal action with the best evaluation; ties go to the first."""
        check_game("greedy", self._game, view.game)
        view = view_of(view)
        legal = np.array(view.legal_actions(), np.int16)
        # A copy, because kernels are compiled ahead for writable arrays.
        buffer = np.frombuffer(view.to_bytes(), np.uint8).copy()
        table, components = prepare(view.game, evaluation=True), view.components.buffer
        return int(greedy.choose_greedy_one(table, buffer, components, self.weights, self._seed, legal, len(legal)))

    def act_batch(self, lanes: Lanes, selected: NDArray[np.int64]) -> NDArray[np.int32]:
        """The legal action with the best evaluation for each selected lane, int32."""
        check_game("greedy", self._game, lanes.game)
        actions = np.zeros(len(selected), np.int32)
        lanes.call_kernel(greedy.choose_greedy, self.weights, self._seed, selected, actions)
        return actions


class Pool:
    """A growing mixture of agents: one of them, drawn when a game begins, plays the whole game.

    The seeds of the pool and the game determine the member, independently of the batch. Each member draws a number for
    the game, and the lowest wins (weighted rendezvous hashing). A new member therefore takes its share of the games,
    and no game moves between the other members.

    Args:
        members: agents of weight 1, see `add`.

    Attributes:
        version: names and versions of the members.
    """

    name = "pool"

    def __init__(self, members: Iterable[Agent] = ()) -> None:
        self._members: dict[int, tuple[Agent, float]] = {}
        self._next_number = 0
        self.version = ""
        self.reset(0)
        for member in members:
            self.add(member)

    @property
    def members(self) -> tuple[Agent, ...]:
        """The agents, in the order in which they were added."""
        return tuple(agent for agent, _ in self._members.values())

    def add(self, agent: Agent, weight: float = 1.0) -> int:
        """Add an agent, whose share of the games is its share of all weights; returns its number."""
        if not 0 < weight < np.inf:
            raise ValueError(f"weight: expected a finite number above 0, got {weight}")
        number = self._next_number
        self._next_number += 1
        self._members[number] = agent, weight
        self._reset_member(number)
        self._set_version()
        return number

    def remove(self, number: int) -> None:
        """Remove the agent with a number; the others get its games. Raises `KeyError` for an unknown number."""
        del self._members[number]
        self._set_version()

    def _set_version(self) -> None:
        self.version = ", ".join(f"{agent.name} {agent.version}" for agent in self.members)

    def reset(self, seed: int) -> None:
        """Reset all members with a seed (0..2**32-1), which also determines the member that `act` asks."""
        self._seed = seed
        for number in self._members:
            self._reset_member(number)

    def _reset_member(self, number: int) -> None:
        # Not the pool's own seed: a pool within a pool would draw its members with the same numbers as the outer pool.
        self._members[number][0].reset((self._seed + 1 + number) % 2**32)

    def _choose(self, game_seeds: NDArray[np.int64]) -> NDArray[np.int64]:
        """The number of the member that plays each game."""
        if not self._members:
            raise ValueError("pool: no member; add one first")
        numbers = np.array(list(self._members))
        weights = np.array([weight for _, weight in self._members.values()])
        uniforms = _uniforms(game_seeds[:, None], numbers.astype(np.uint64) + np.uint64(self._seed << 32))
        chosen: NDArray[np.int64] = numbers[(-np.log(uniforms) / weights).argmin(axis=1)]
        return chosen

    def act(self, view: View | GameState) -> int:
        """The decision of the member that the pool's seed alone determines: a view does not tell the game's seed."""
        agent, _ = self._members[int(self._choose(np.zeros(1, np.int64))[0])]
        return agent.act(view_of(view))

    def act_batch(self, lanes: Lanes, selected: NDArray[np.int64]) -> NDArray[np.int32]:
        """The decision, in each selected lane, of the member that plays the lane's game."""
        chosen = self._choose(lanes.game_seeds[selected])
        actions = np.zeros(len(selected), np.int32)
        for number in np.unique(chosen).tolist():
            own = chosen == number
            actions[own] = self._members[number][0].act_batch(lanes, selected[own])
        return actions


def _uniforms(one: NDArray[np.int64], other: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Hash pairs of integers to numbers in (0, 1): the finaliser of SplitMix64 (Steele, Lea, Flood, 2014), twice."""
    word = one.astype(np.uint64)
    for name in (np.uint64(0), other):
        word = (word ^ name) + np.uint64(0x9E3779B97F4A7C15)
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        word = word ^ (word >> np.uint64(31))
    return (word >> np.uint64(11)).astype(np.float64) * 2.0**-53 + 2.0**-54


def check_game(kind: str, own: Game, asked: Game) -> None:
    """Raise `ValueError` if an agent made for one game is asked for a decision in another game."""
    if asked is not own:
        raise ValueError(f"{kind}: plays {own.name} only, not {asked.name}")


def load_weights(game: Game, source: str | None) -> NDArray[np.float64]:
    """The weights of a game's evaluation from a file; None for its own. Raises `ValueError` without an evaluation."""
    return game.require("load_weights")(source)


# The package of agents: inside this package in the wheel, beside it in a checkout.
_NAMED: dict[str, str] = {
    "mcts": "search:MCTSAgent",
    "ismcts": "search:ISMCTSAgent",
    "flat": "search:FlatMonteCarloAgent",
    "terminal": "terminal:TerminalAgent",
}
_AGENTS: dict[str, Callable[..., Agent]] = {"random": RandomAgent, "greedy": GreedyAgent}
_PACKAGES = ("dunaia_env.agents", "agents")

# The name of each game's strongest trained player that comes with the project, see `champion_file`.
CHAMPION = "champion"
LEVELS = ("easy", "medium", "hard")
# What the levels stand for, by game; other games have those of the first one. The temperatures were chosen by matches,
# see docs/results/champion.md and docs/results/dune.md.
_LEVELS_OF: dict[str, dict[str, str]] = {
    DEFAULT_GAME.name: {
        "easy": "champion:temperature=12",
        "medium": "champion:temperature=8",
        "hard": "champion:temperature=5",
    },
    "dune": {
        "easy": "champion:temperature=9",
        "medium": "champion:temperature=6",
        "hard": "champion:temperature=4",
    },
}


def names() -> tuple[str, ...]:
    """The names that `load` knows without a module or a path."""
    return (*_AGENTS, *_NAMED, *shipped(), *LEVELS)


def models_folder() -> Path:
    """The folder of the trained players that come with the project."""
    for package in _PACKAGES:
        try:
            return Path(str(resources.files(package))) / "models"
        except ModuleNotFoundError:
            continue
    raise ValueError("agents: the package of agents, which holds the trained players, is not installed")


def shipped() -> tuple[str, ...]:
    """The names of the trained players that come with the project, and always the champion's name."""
    return tuple(sorted({CHAMPION, *(file.stem for file in models_folder().glob(f"*{MODEL_SUFFIX}"))}))


class _Model(NamedTuple):
    """The parts of a trained player's name: its file, whether it comes with the project, and the rest."""

    file: str
    shipped: bool
    rest: str


def _model(name: str, game: Game) -> _Model | None:
    """The parts of a trained player's name; None for the name of any other agent."""
    if found := re.fullmatch(rf"(.*{re.escape(MODEL_SUFFIX)})([:+].*)?", name, re.DOTALL):
        return _Model(found[1], False, found[2] or "")
    meant = level_of(name, game)
    own = re.split("[:+]", meant, maxsplit=1)[0]
    if own in _AGENTS or own in _NAMED or own not in shipped():
        return None
    file = champion_file(game) if own == CHAMPION else models_folder() / (own + MODEL_SUFFIX)
    return _Model(str(file), True, meant.removeprefix(own))


def model_file(name: str, game: Game = DEFAULT_GAME) -> str:
    """The path of the trained model in an agent's name; empty if there is none."""
    model = _model(name, game)
    return model.file if model else ""


def level_of(name: str, game: Game = DEFAULT_GAME) -> str:
    """The agent that a level stands for in a game; any other name as it is."""
    return _LEVELS_OF.get(_trained_on(game), _LEVELS_OF[DEFAULT_GAME.name]).get(name, name)


def champion_file(game: Game) -> Path:
    """The model file of a game's champion: one with its name, such as dune_champion, or that of the first game."""
    own = models_folder() / f"{_trained_on(game)}_{CHAMPION}{MODEL_SUFFIX}"
    return own if own.exists() else models_folder() / (CHAMPION + MODEL_SUFFIX)


def _trained_on(game: Game) -> str:
    return game.variant_of or game.name


def imports_module(name: str) -> bool:
    """Whether `load` imports a module for a name: whether it is ``package.module:Attribute``, a user agent."""
    return ":" in name and not model_file(name) and name.partition(":")[0] not in names()


def check_in_file(name: object, where: str, *, named: Container[str], option: str) -> None:
    """Check an agent's name that a file holds before the agent is loaded.

    Args:
        name: the name.
        where: the field that holds it, for the message.
        named: names that the command line or a server's own options give.
        option: the option that can name an agent, for the message.

    Raises `ValueError` for a name that imports a module which only the file names.
    """
    known = isinstance(name, str) and not imports_module(name)
    needed = f"an agent without a module, or one named by {option} too"
    check_name_in_file(name, where, known=known, named=named, needed=needed)


def load(name: str | os.PathLike[str], *, components: Any = None, game: Game = DEFAULT_GAME) -> Agent:
    """An agent by name.

    Args:
        name: one of `names`, optionally followed by a colon and options, as in ``mcts:1000`` or
            ``mcts:1000,playout=greedy`` (`agents.search` documents the options). Or the path of a trained model
            (``*.safetensors``), optionally followed by a temperature (``:temperature=0.5``, see
            `agents.network.NetworkAgent`), or by a plus sign, a number of simulations and options for a search guided
            by the model (``+64,candidates=8``, `agents.guided` documents the options); ``champion``, which is each
            game's own, and the other models in `models_folder` can stand in place of the path. Or
            ``package.module:Attribute`` or ``file.py:Attribute`` of a class, a function without arguments, or an agent.
        components: the components that a trained model must have been made for, or a sequence of them; None for the
            game's own.
        game: the game that the agent is to play.

    Raises `ValueError` naming what cannot be loaded and why.
    """
    text = os.fspath(name) if isinstance(name, str | os.PathLike) else name
    if not isinstance(text, str):
        raise ValueError(f"agent: expected a name or the path of a *{MODEL_SUFFIX} file, got {shorten(name)}")
    kind, colon, options = text.partition(":")
    if model := _model(text, game):
        return _load_model(text, model, components, game)
    if level := re.match(rf"({'|'.join(LEVELS)})[:+]", text):
        raise ValueError(f"agent {_shown(text)}: {level[1]} stands for {level_of(level[1], game)} and takes no options")
    if kind in names():
        if kind in _AGENTS:
            factory = _AGENTS[kind]
        else:
            module_name, _, attribute = _NAMED[kind].partition(":")
            factory = getattr(_agents_module(module_name), attribute)
        if "game" in inspect.signature(factory).parameters:
            factory = partial(factory, game=game)
        return _make(text, factory, options.split(",") if colon else [])
    if colon:
        return _load_attribute(text)
    if text.endswith(SUFFIX):
        raise ValueError(f"agent {_shown(text)}: expected the name of the agent in the file too, {text}:Attribute")
    raise ValueError(
        f"agent {_shown(text)}: expected one of {', '.join(names())}, package.module:Attribute, file.py:Attribute or"
        f" a *{MODEL_SUFFIX} file"
    )


def _shown(name: str) -> str:
    return shorten(name, MOST_OF_A_TEXT)  # long enough for the usual path of a model


def _load_model(text: str, model: _Model, components: Any, game: Game) -> Agent:
    """The player of a model file, with a temperature or a search if the name has one."""
    if model.shipped and not Path(model.file).exists():
        raise ValueError(
            f"agent {_shown(text)}: {model.file} is missing; "
            "python -m training.models.publish makes it of a training run"
        )
    player = _agents_module("network").NetworkAgent.load(Path(model.file), components=components, game=game)
    agent: Agent = player
    if model.rest:
        search = partial(_agents_module("guided").GuidedAgent, player)
        factory = search if model.rest.startswith("+") else player.with_temperature
        agent = _make(text, factory, model.rest[1:].split(","))
    if text in LEVELS:
        agent.name, agent.version = text, f"{level_of(text, game)} {agent.version}"
    return agent


def _agents_module(name: str) -> Any:
    for package in _PACKAGES:
        try:
            return importlib.import_module(f"{package}.{name}")
        except ModuleNotFoundError as error:
            if error.name is None or not f"{package}.{name}".startswith(error.name):
                raise
    raise ValueError(f"agents: the package of agents, which holds {name}, is not installed")


def _make(text: str, factory: Callable[..., Agent], options: list[str]) -> Agent:
    """Call a class with options written as ``value`` (for its first parameter) or ``name=value``."""
    parameters = inspect.signature(factory, eval_str=True).parameters
    kinds_of = {
        name: [kind for kind in (int, float, str) if kind in (one.annotation, *get_args(one.annotation))]
        for name, one in parameters.items()
    }
    allowed = ", ".join(other for other, kinds in kinds_of.items() if kinds)
    given: dict[str, Any] = {}
    for position, option in enumerate(options):
        name, equals, value = option.partition("=")
        if not equals:
            name, value = next(iter(parameters)) if position == 0 else "", option
        if name in given or not kinds_of.get(name):
            raise ValueError(f"agent {_shown(text)}: option {shorten(option)}; {allowed}, once each, are allowed")
        given[name] = _convert(text, name, value, kinds_of[name])
    for name, one in parameters.items():
        if one.default is one.empty and name not in given:
            raise ValueError(f"agent {_shown(text)}: {name} is missing; {allowed} are the options")
    try:
        return factory(**given)
    except ValueError as error:
        raise ValueError(f"agent {_shown(text)}: {reason(error, 2 * MOST_OF_A_TEXT)}") from error


def _convert(text: str, name: str, value: str, kinds: Sequence[type]) -> Any:
    for kind in kinds:
        try:
            return kind(value)
        except ValueError:
            continue
    needed = "an integer" if kinds == [int] else "a number"
    raise ValueError(f"agent {_shown(text)}: {name}: expected {needed}, got {shorten(value)}")


def _load_attribute(text: str) -> Agent:
    try:
        found = load_attribute(text)
        agent = found if is_agent(found) or not callable(found) else found()
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"agent {_shown(text)}: {reason(error, 2 * MOST_OF_A_TEXT)}") from error
    if not is_agent(agent):
        raise ValueError(f"agent {_shown(text)}: has no name, version, reset, act and act_batch")
    return agent

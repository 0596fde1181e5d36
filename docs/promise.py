"""What stays as it is until the next major version: ``docs/api/promise.json``, which `docs.generate` writes.

Names are those of the API reference, except the parts of it whose headings say that they may change. Environments,
commands and files are listed below.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from enum import Enum
from importlib import import_module
from pathlib import Path, PurePath
from typing import Any, NamedTuple, is_typeddict

import gymnasium
import numpy as np

from dunaia_env import GameState, __version__, dune_v0
from dunaia_env.__main__ import COMMANDS
from dunaia_env.harness.game import Game
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.harness.registry import find_game
from dunaia_env.support import atomic

ROOT = Path(__file__).parent.parent
REFERENCE = ROOT / "docs" / "api"
FILE = REFERENCE / "promise.json"
MAY_CHANGE = "(may change)"  # ends the heading of a part of the reference that is not promised
OWN = ("dunaia_env", "agents", "training")

# Where the options of each command stand; a command with subcommands has several.
OPTIONS = {
    "play": "agents.terminal.__main__:Options",
    "table": "dunaia_env.table.__main__:Command",
    "analysis": "dunaia_env.analysis.__main__:Options",
    "render": "dunaia_env.render.__main__:Options",
    "train": "training.arguments:Arguments",
    "publish": "training.models.publish:Options",
    "benchmark": "training.benchmark.comparison:Options",
    "arena": "dunaia_env.arena.tournament:Options",
    "match": "dunaia_env.arena.match:Options",
    "ladder": "dunaia_env.arena.ladder:Options",
    "leaderboard add": "dunaia_env.arena.leaderboard:Add",
    "leaderboard write": "dunaia_env.arena.leaderboard:Write",
    "leaderboard verify": "dunaia_env.arena.leaderboard:Verify",
    "report": "dunaia_env.arena.report:Options",
    "balance": "dunaia_env.balance.__main__:Options",
    "whatif": "dunaia_env.balance.whatif:Options",
    "suggest": "dunaia_env.balance.suggest:Options",
    "compare": "dunaia_env.balance.compare:Options",
    "causes": "dunaia_env.balance.causes:Options",
    "robustness": "dunaia_env.balance.robustness:Options",
    "replay record": "dunaia_env.replay:_Record",
    "replay verify": "dunaia_env.replay:_Verify",
    "replay show": "dunaia_env.replay:_Show",
    "family": "dunaia_env.family:Options",
    "warmup": "dunaia_env.warmup:Options",
}


class BrokenError(ValueError):
    """What was promised does not hold before the promise ends."""


class Format(NamedTuple):
    """A file format: where its name and version stand, and the older versions that are read too."""

    name: str
    version: str
    also_read: tuple[int, ...] = ()


FORMATS = {
    "replay": Format("dunaia_env.replay:FORMAT", "dunaia_env.replay:VERSION"),
    "replay of Dune": Format("dunaia_env.dune:GAME.recording.format", "dunaia_env.replay:VERSION"),
    "player": Format("agents.model:MODEL_FORMAT", "agents.model:MODEL_SCHEMA"),
    "player with a network of one's own": Format(
        "training.models.own_networks:MODEL_FORMAT", "training.models.own_networks:MODEL_SCHEMA"
    ),
    "run of the arena": Format("dunaia_env.arena.run_files:FORMAT", "dunaia_env.arena.run_files:VERSION"),
    "report of the arena": Format("dunaia_env.arena.report:FORMAT", "dunaia_env.arena.report:VERSION"),
    "ladder": Format("dunaia_env.arena.ladder:FORMAT", "dunaia_env.arena.ladder:VERSION"),
    "balance study": Format("dunaia_env.balance.plans:FORMAT", "dunaia_env.balance.plans:VERSION"),
    "games of a balance study": Format("dunaia_env.balance.games:FORMAT", "dunaia_env.balance.games:SCHEMA"),
    "report of a balance study": Format("dunaia_env.balance.report:FORMAT", "dunaia_env.balance.report:VERSION"),
    "what-if": Format("dunaia_env.balance.whatif_pages:FORMAT", "dunaia_env.balance.whatif_pages:VERSION"),
    "search for a value": Format(
        "dunaia_env.balance.whatif_pages:SEARCH_FORMAT", "dunaia_env.balance.whatif_pages:VERSION"
    ),
    "screening": Format(
        "dunaia_env.balance.suggest_pages:SCREENING_FORMAT",
        "dunaia_env.balance.suggest_pages:SCREENING_VERSION",
        also_read=(1,),
    ),
    "suggestion": Format("dunaia_env.balance.suggest_pages:FORMAT", "dunaia_env.balance.suggest_pages:VERSION"),
    "comparison": Format("dunaia_env.balance.compare_pages:FORMAT", "dunaia_env.balance.compare_pages:VERSION"),
    "causes": Format("dunaia_env.balance.causes_pages:FORMAT", "dunaia_env.balance.causes_pages:VERSION"),
    "robustness": Format("dunaia_env.balance.robustness:FORMAT", "dunaia_env.balance.robustness:VERSION"),
    "table": Format("dunaia_env.table.storage:FORMAT", "dunaia_env.table.storage:VERSION"),
    "benchmark": Format("training.benchmark.results:FORMAT", "training.benchmark.results:VERSION"),
    "training of a benchmark": Format("training.benchmark.results:RUN_FORMAT", "training.benchmark.results:VERSION"),
    "endgames": Format("training.benchmark.endgames.suite:FORMAT", "training.benchmark.endgames.suite:VERSION"),
    "results in endgames": Format(
        "training.benchmark.endgames.suite:RESULTS_FORMAT", "training.benchmark.endgames.suite:VERSION"
    ),
    "results in the solved game": Format(
        "training.benchmark.tiny.results:FORMAT", "training.benchmark.tiny.results:VERSION"
    ),
}

# Games that are played to freeze the environments, by name of the environment.
FROZEN: dict[str, tuple[str, tuple[dict[str, Any], ...]]] = {
    "dunaia_v0": ("dunaia", tuple({NUM_PLAYERS: n, "elites": elites} for n in (2, 3, 4) for elites in (False, True))),
    "dune_v0": (
        "dune",
        (
            {"preset": "duel"},
            {"preset": "plain", NUM_PLAYERS: 3},
            {"preset": "classic", NUM_PLAYERS: 4},
            {"preset": "full", NUM_PLAYERS: 6},
            {"preset": "full", NUM_PLAYERS: 5, "karama_powers": True, "tleilax": True},
        ),
    ),
}
FROZEN_LANES, FROZEN_STEPS = 16, 200

_DIRECTIVE = re.compile(r"\.\. auto(module|class|function|exception):: ([\w.]+)")
_LISTED = re.compile(r"   :(members|exclude-members):(.*)")
_HEADING = re.compile(r"(#+) (.+)")


class Described(NamedTuple):
    """A name of the API reference.

    Attributes:
        kind: "module", "class", "function" or "exception", or "member" of a module.
        name: the name with its module.
        is_promised: whether it stays until the next major version.
        members: the members of a class that the reference describes; None for all.
        left_out: members of a class that it leaves out.
    """

    kind: str
    name: str
    is_promised: bool
    members: tuple[str, ...] | None = None
    left_out: tuple[str, ...] = ()


def found(name: str) -> Any:
    """What a name of the reference stands for: a module or an attribute of one."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        module, _, attribute = name.rpartition(".")
        return getattr(import_module(module), attribute)


def value_of(place: str) -> Any:
    """What stands at ``package.module:attribute.attribute``."""
    module, _, path = place.partition(":")
    value = import_module(module)
    for attribute in path.split("."):
        value = getattr(value, attribute)
    return value


def described(page: Path) -> Iterator[Described]:
    """Every name that a page of the reference describes."""
    lines = page.read_text(encoding="utf-8").splitlines()
    changing = 0  # level of the heading that says that its part may change; 0 for none
    for at, line in enumerate(lines):
        if heading := _HEADING.fullmatch(line):
            if not changing or len(heading[1]) <= changing:
                changing = len(heading[1]) if heading[2].endswith(MAY_CHANGE) else 0
        elif directive := _DIRECTIVE.match(line):
            listed: dict[str, tuple[str, ...]] = {}
            for option in lines[at + 1 :]:
                if not option.startswith("   "):
                    break
                if words := _LISTED.fullmatch(option):
                    listed[words[1]] = tuple(filter(None, words[2].replace(" ", "").split(",")))
            kind, name = directive.groups()
            members = (listed["members"] or None) if "members" in listed else ()
            yield Described(kind, name, not changing, members, listed.get("exclude-members", ()))
            if kind == "module" and "members" in listed:
                for member in listed["members"] or _members(import_module(name)):
                    yield Described("member", f"{name}.{member}", not changing)


def _members(module: Any) -> list[str]:
    """The names of a module that the reference lists if it names none."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    own = [name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
    return [name for name in own if not name.startswith("_")]


def names() -> dict[str, list[str]]:
    """What the reference promises: arguments of what can be called, an empty list for everything else."""
    entries: dict[str, list[str]] = {}
    for page in sorted(REFERENCE.glob("*.md")):
        for one in described(page):
            if one.is_promised and one.kind != "module":
                entries[one.name] = arguments(found(one.name))
                for name, given in members_of(found(one.name)).items() if inspect.isclass(found(one.name)) else ():
                    if (one.members is None or name in one.members) and name not in one.left_out:
                        entries[f"{one.name}.{name}"] = given
    return dict(sorted(entries.items()))


def members_of(kind: type) -> dict[str, list[str]]:
    """The public methods and attributes of a class, those of the project's own base classes included."""
    members: dict[str, list[str]] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.split(".")[0] not in OWN:
            continue
        for name in [*inspect.get_annotations(base), *vars(base)]:
            if not name.startswith("_"):
                value = inspect.getattr_static(kind, name, None)
                is_method = callable(value) or isinstance(value, classmethod | staticmethod)
                members[name] = arguments(getattr(kind, name)) if is_method else []
    return members


def arguments(function: Any) -> list[str]:
    """The arguments of what can be called, as Python writes them, without types; ``self`` is left out."""
    if not callable(function) or not _is_called(function):
        return []
    words: list[str] = []
    has_star = False
    for name, parameter in inspect.signature(function).parameters.items():
        if name == "self":
            continue
        kind = parameter.kind
        if kind is parameter.VAR_KEYWORD and "Unpack[Arguments]" in str(parameter.annotation):
            words += ["*", *(f"{one}=..." for one in inspect.get_annotations(dune_v0.Arguments))]
            continue
        if kind is parameter.KEYWORD_ONLY and not has_star:
            words.append("*")
            has_star = True
        has_star |= kind is parameter.VAR_POSITIONAL
        star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(kind, "")
        words.append(star + name + ("" if parameter.default is parameter.empty else f"={shown(parameter.default)}"))
    return words


def _is_called(function: Any) -> bool:
    """Whether programs call it: not a protocol, a typed dictionary or an error without arguments of its own."""
    if not inspect.isclass(function):
        return True
    is_plain_error = issubclass(function, Exception) and not inspect.isfunction(function.__init__)
    return not (is_plain_error or is_typeddict(function) or getattr(function, "_is_protocol", False))


def shown(value: object) -> str:
    """A default value in one line: plain values as they are written, others by their name."""
    if isinstance(value, Enum):
        return str(value)
    if isinstance(value, PurePath):
        path = Path(value)
        return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.as_posix()
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(shown, value)) + "]"
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    if repr(value) == "<factory>":  # the default of a field that a function makes
        return repr(value)
    return f"<{getattr(value, 'name', None) or getattr(value, '__name__', None) or type(value).__name__}>"


def commands() -> dict[str, list[str]]:
    """The options of each command with their defaults; the options of the game come to those of most commands."""
    entries = {}
    for name, place in OPTIONS.items():
        kind = value_of(place)
        entries[f"dunaia {name}"] = [
            one.name.replace("_", "-") + _default_of(one) for one in fields(kind) if one.name != "game_options"
        ]
    if missing := set(COMMANDS) - {name.split()[0] for name in OPTIONS}:
        raise ValueError(f"commands without options in docs/promise.py: {', '.join(sorted(missing))}")
    return entries


def _default_of(option: Any) -> str:
    if option.default is not MISSING:
        return f"={shown(option.default)}"
    return "" if option.default_factory is MISSING else f"={shown(option.default_factory())}"


def environments() -> dict[str, dict[str, Any]]:
    """What freezes each environment: its spaces, its action table, its observation, its options and its games."""
    entries: dict[str, dict[str, Any]] = {}
    for name, (game_name, tables) in FROZEN.items():
        game = find_game(game_name)
        title = game_name.capitalize()
        printed = tomllib.loads(
            (Path(inspect.getfile(import_module(game.module))).parent / "components.toml").read_text()
        )
        entries[name] = {
            "gymnasium": [one for one in gymnasium.registry if one.startswith(f"dunaia/{title}")],
            "actions": game.num_actions,
            "action_hash": game.action_hash,
            "observation": f"int8 ({game.observation_size},)",
            "observation_hash": game.observation_hash,
            "components_hash": game.load(None).hash,
            "options": {option.name: shown(option.default) for option in game.options},
            "presets": {
                preset: {key: shown(value) for key, value in values.items()} for preset, values in game.presets.items()
            },
            "state": sorted(GameState.new(7, game=game).to_dict()),
            "components": {group: sorted(values) for group, values in printed.items() if isinstance(values, dict)},
            "games": {
                " ".join(f"{key}={value}" for key, value in table.items()): digest(game, table) for table in tables
            },
        }
    return entries


def digest(game: Game, table: Mapping[str, Any]) -> str:
    """A hash of all observations, masks, rewards and ends of some games that are played at random."""
    chosen = dict(table)
    chosen = {**game.preset(chosen.pop("preset")), **chosen} if "preset" in chosen else chosen
    lanes = Lanes(FROZEN_LANES, game=game, **chosen)
    lanes.reset(seed=2021)
    hashed = hashlib.blake2b(digest_size=8)
    for step in range(FROZEN_STEPS):
        for array in (lanes.observations, lanes.action_masks, lanes.rewards.astype(np.float32), lanes.terminations):
            hashed.update(np.ascontiguousarray(array).tobytes())
        lanes.step(lanes.random_actions(seed=step))
    return hashed.hexdigest()


def formats() -> dict[str, dict[str, Any]]:
    """The name and version of each kind of file, and every version of it that is read."""
    entries = {}
    for name, one in FORMATS.items():
        version = value_of(one.version)
        entries[name] = {"format": value_of(one.name), "version": version, "reads": [*one.also_read, version]}
    return entries


def promise() -> dict[str, Any]:
    """What the code keeps until the next major version, in parts."""
    return {
        "until": f"{int(__version__.partition('.')[0]) + 1}.0",
        "names": names(),
        "commands": commands(),
        "environments": environments(),
        "formats": formats(),
    }


def to_text(content: Mapping[str, Any]) -> str:
    """The file, with one line for each name, command, environment and format."""
    parts = []
    for part, entries in content.items():
        if isinstance(entries, str):
            parts.append(f"{json.dumps(part)}: {json.dumps(entries)}")
        else:
            lines = [f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in entries.items()]
            parts.append(f"{json.dumps(part)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n " + ",\n ".join(parts) + "\n}\n"


def read() -> dict[str, Any]:
    """The promise that was given."""
    content: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return content


def write() -> None:
    """Write the promise; raises `BrokenError` if that would break the one that was given, before its end."""
    after = promise()
    if FILE.exists() and (before := read())["until"] == after["until"] and (faults := broken(before, after)):
        raise BrokenError(f"expected additions only until {after['until']}, got: " + "; ".join(faults))
    atomic.write_text(FILE, to_text(after))


def broken(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """What was promised and does not hold; empty if a program that relied on the first works with the second."""
    faults = []
    for part in ("names", "commands"):
        for name, given in before[part].items():
            if name not in after[part]:
                faults.append(f"{name} is missing")
            else:
                compare = broken_arguments if part == "names" else broken_options
                faults += [f"{name}: {fault}" for fault in compare(given, after[part][name])]
    faults += _changed(before["environments"], after["environments"], "")
    for name, one in before["formats"].items():
        now = after["formats"].get(name)
        if now is None or now["format"] != one["format"]:
            faults.append(f"format of {name}: expected {one['format']}, got {now and now['format']}")
        elif lost := set(one["reads"]) - set(now["reads"]):
            faults.append(f"{one['format']}: version {max(lost)} is not read")
    return faults


def _changed(before: Mapping[str, Any], after: Mapping[str, Any], where: str) -> list[str]:
    faults = []
    for name, value in before.items():
        if isinstance(value, Mapping) and isinstance(after.get(name), Mapping):
            faults += _changed(value, after[name], f"{where}{name}: ")
        elif isinstance(value, list) and isinstance(after.get(name), list):
            faults += [f"{where}{name}: {one} is missing" for one in value if one not in after[name]]
        elif after.get(name) != value:
            faults.append(f"{where}{name}: expected {value}, got {after.get(name)}")
    return faults


def broken_options(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """What a command line that worked cannot do: options have names and no order."""
    return broken_arguments(["*", *before], ["*", *after])


def broken_arguments(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """Why a call that worked with the first arguments may not work with the second."""
    old, new = dict(_parameters(before)), dict(_parameters(after))
    old_order = [name for name, one in old.items() if one.is_positional]
    new_order = [name for name, one in new.items() if one.is_positional]
    faults = [f"argument {name} is missing" for name in old if name not in new]
    if not faults and new_order[: len(old_order)] != old_order:
        faults.append(f"order of arguments: expected {', '.join(old_order)}, got {', '.join(new_order)}")
    for name, one in new.items():
        if name not in old and one.default is None and not name.startswith("*"):
            faults.append(f"new argument {name} has no default")
        elif name in old and old[name].default not in (None, one.default):
            faults.append(f"default of {name}: expected {old[name].default}, got {one.default}")
    return faults


class _Parameter(NamedTuple):
    default: str | None
    is_positional: bool


def _parameters(words: Sequence[str]) -> Iterator[tuple[str, _Parameter]]:
    is_positional = True
    for word in words:
        name, equals, default = word.partition("=")
        is_positional &= not name.startswith("*")
        if name != "*":
            yield name, _Parameter(default if equals else None, is_positional)

"""Write what the code knows into the documentation: ``python -m docs.generate``, or ``--check`` to compare only.

A generated part stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``, on lines of its own or within a
sentence, where it must not begin a line: Markdown would take the rest of that line for HTML.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import tyro

from agents.guided import GuidedAgent
from agents.search import ISMCTSAgent, MCTSAgent
from docs import (
    dunaia_tables,
    dune_tables,
    excerpts,
    measured,
    picture,
    promise,
    report_parts,
    report_pictures,
    terminal,
)
from docs.markdown import table
from dunaia_env.__main__ import COMMANDS
from dunaia_env.dunaia_v0 import raw_env
from dunaia_env.envs.single import DunaiaEnv
from dunaia_env.envs.vector import DunaiaVectorEnv
from dunaia_env.harness.compiled.rewards import final_rewards
from dunaia_env.harness.learner import LearnerLanes
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.support import atomic
from dunaia_env.support.terminal import run_main
from dunaia_env.table import room, tables
from dunaia_env.table.limits import Limits

ROOT = Path(__file__).parent.parent
MAKEFILE = ROOT / "Makefile"
SHARES = ROOT / "dunaia_env" / "table" / "static" / "levels.json"  # what the lobby says of the levels
PAGES = (
    "docs/table.md",
    "README.md",
    "docs/environment.md",
    "docs/actions.md",
    "docs/observation.md",
    "docs/rules.md",
    "docs/family.md",
    "docs/speed.md",
    "docs/agents.md",
    "docs/architecture.md",
    "docs/balance.md",
    "docs/factions.md",
    "docs/arena.md",
    "docs/commands.md",
    "docs/dune.md",
    "docs/dune_decisions.md",
    "docs/dune_observation.md",
    "docs/dune_players.md",
    "docs/dune_rules.md",
    "docs/dune_components.md",
    "docs/evaluation.md",
    "docs/interfaces.md",
    "docs/versions.md",
    "docs/endgames.md",
    "docs/benchmark.md",
    "docs/tutorials/play.md",
    "docs/tutorials/train.md",
    "docs/report.md",
)
SEARCH_OPTIONS = {
    "simulations": "simulations for each decision; give these or `seconds`",
    "seconds": "time budget for each decision; the moves then depend on the machine",
    "playout": "how a new position is valued: `none` by the evaluation, `random` or `greedy` by playing on",
    "cutoff": "decisions after which a playout stops and the evaluation takes over; to the end of the game if absent",
    "exploration": "weight of the prior against the value",
    "prior_temperature": "how strongly the prior follows the evaluation, in points; 0 for equal priors",
    "fpu_reduction": "how much less than its parent an untried action is assumed to be worth",
    "others": "how other players decide in the tree: `search`, or `greedy` by the evaluation alone",
    "threads": "number of decisions of a batch that are searched in parallel",
    "evaluation": "data file with the weights of the evaluation; the project's own if absent",
    "game": "the game; from Python only. Dunaïa if absent",
}
GUIDED_OPTIONS = {
    "simulations": "simulations for each decision; with 1 the network decides alone",
    "candidates": "number of actions, those with the highest logits, among which the simulations are divided",
    "value_scale": "weight of the values found by the search against the network's policy",
}
# What each argument of the environments does.
ARGUMENTS = {
    "num_players": "2, 3 or 4; by default one more than the number of opponents listed. Self-play also takes a"
    " sequence, whose numbers are dealt to the games in turn",
    "elites": "play with elite characters; the game then begins with their draft",
    "opponents": "a list with an agent for each other seat, starting at the learner's left, or one agent for all of"
    " them: a name, a model file, `module:attribute` or an object. `None` (vector only): the learner plays every seat",
    "seat": 'the learner\'s seat: a number, or `"random"` to let the seed of each game decide',
    "reward": '`"win"`, `"rank"` or `"score"`, see [Rewards](#rewards)',
    "max_rounds": "a game that has not ended after this many rounds is stopped and scored",
    "components": "a component file, or what `dunaia_env.dunaia.load` returns; the project's own for `None`",
    "illegal": 'what an illegal action does: `"terminate"` or `"raise"`',
    "scale": "give observations as float32, each entry divided by its [scale](observation.md), instead of int8",
    "render_mode": '`"ansi"`: `render` returns coloured text; `"rgb_array"`: it returns a picture; `"human"` (not'
    " vector): each reset and step shows the position, see [pictures and films](how_to/pictures_and_films.md)",
    "render_width": "width of pictures in pixels, 64..4096",
    "num_envs": "number of games at once",
    "autoreset_mode": '`"SameStep"` or `"NextStep"`, see [Autoreset](#autoreset)',
    "copy": "whether every step returns new arrays of observations; otherwise the next step overwrites them",
    "threads": "number of threads that step the games; does not change any result",
    "game": "a `dunaia_env.harness.game.Game`; for AEC take `dunaia_env.envs.aec.env(game=...)`",
}
_PART = re.compile(r"(<!-- generated: (\w+) -->\n?).*?(<!-- end -->)", re.DOTALL)


def limits() -> str:
    """The limits of the table's server: options, defaults, and what they limit."""
    rows: list[tuple[object, ...]] = []
    (defined,) = ast.parse(inspect.getsource(Limits)).body
    body = defined.body if isinstance(defined, ast.ClassDef) else []
    for field, text in itertools.pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
            name, meaning = ast.unparse(field.target), str(ast.literal_eval(text.value))
            option = f"`--limits.{name.replace('_', '-')}`"
            rows.append((option, f"{getattr(Limits(), name):,}", " ".join(meaning.split()).rstrip(".")))
    return table(("option", "default", "what it limits"), rows)


def waiting() -> str:
    """The times after which others need not wait, and other limits on what people do besides deciding."""
    day = 24 * 3600
    rows = [
        ("a person is absent", f"{tables.ABSENT_SECONDS:g} seconds after the page was closed"),
        ("a person takes very long", f"after {tables.PERSON_SECONDS:g} seconds for one decision"),
        ("an agent takes very long", f"after {tables.AGENT_SECONDS:g} seconds for one decision"),
        ("a clock", f"{room.LEAST_CLOCK_SECONDS:g} seconds to {room.MOST_CLOCK_SECONDS / day:g} days for a decision"),
        ("rematches in a row", f"at most {tables.MOST_REMATCHES}"),
        ("undos and changes of seats", f"until the table's file has {room.MOST_BYTES_OF_CHANGES:,} bytes"),
    ]
    return table(("what", "how much"), rows)


def commands() -> str:
    """The commands of the library."""
    rows: list[tuple[object, ...]] = []
    for name, command in COMMANDS.items():
        module = command.modules[-1].removesuffix(".__main__")
        rows.append((f"`dunaia {name}`", f"`python -m {module}`", command.help))
    return table(("command", "in a checkout also", "what it does"), rows)


def train_command() -> str:
    """The command of `make train`, for those who have no make."""
    recipe = MAKEFILE.read_text(encoding="utf-8").partition("\ntrain: ")[2].partition("\n\n")[0]
    found = re.search(r"-m training\.ppo (.*) \$\(ARGS\)", recipe, re.DOTALL)
    assert found is not None, "Makefile: expected the command of the target train, got none"
    options = re.sub(r"\\\n\s+", r"\\\n    ", found[1])
    return f"```sh\ndunaia train {options}\n```\n"


def rewards() -> str:
    """What each place is worth, by number of players."""
    rows: list[tuple[object, ...]] = []
    for players in range(DEFAULT_GAME.min_players, DEFAULT_GAME.max_players + 1):
        number, scores = np.array([players]), np.zeros((1, players), np.int64)
        places, shared = np.arange(1, players + 1), np.array([1, 1, *range(3, players + 1)])
        for name in ("win", "rank"):
            cells = []
            for ranks in (places, shared):
                values = final_rewards(name, scores, ranks[None], number)[0]
                cells.append(", ".join(f"{value:.3g}" for value in values))
            rows.append((players, f"`{name}`", *cells))
    return table(("players", "`reward`", "first to last", "the first two share the victory"), rows)


def arguments() -> str:
    """The arguments of the environments, with their defaults."""
    doors: dict[str, Callable[..., Any]] = {
        "AEC": raw_env.__init__,
        "single": LearnerLanes.__init__,
        "vector": DunaiaVectorEnv.__init__,
    }
    found: dict[str, dict[str, object]] = {}
    for door, function in doors.items():
        for name, parameter in inspect.signature(function).parameters.items():
            if parameter.kind is not inspect.Parameter.VAR_KEYWORD and name not in ("self", "num_lanes"):
                found.setdefault(name, {})[door] = parameter.default
    for option in DEFAULT_GAME.options:
        for door in ("AEC", "single"):
            found.setdefault(option.name, {}).setdefault(door, option.default)
    for name in ("scale", "render_mode", "render_width"):
        found[name]["single"] = inspect.signature(DunaiaEnv.__init__).parameters[name].default
    for known in found.values():
        if "single" in known:
            known.setdefault("vector", known["single"])
    rows: list[tuple[object, ...]] = []
    for name, meaning in ARGUMENTS.items():
        defaults = {repr(getattr(default, "value", default)) for default in found[name].values()}
        values = "; ".join(sorted(f"`{value}`" for value in defaults if not value.startswith("<game")))
        where = ", ".join(door for door in doors if door in found[name])
        rows.append((f"`{name}`", where, values or "Dunaïa", meaning))
        del found[name]
    if found:
        raise KeyError(f"arguments without a meaning: {', '.join(found)}")
    return table(("argument", "where", "default", "effect"), rows)


def search() -> str:
    """The options of the tree search."""
    return options_of(MCTSAgent, SEARCH_OPTIONS)


def information_set_search() -> str:
    """The options of the search in games with hidden information."""
    return options_of(ISMCTSAgent, SEARCH_OPTIONS)


def guided() -> str:
    """The options of the search guided by a network."""
    return options_of(GuidedAgent, GUIDED_OPTIONS, hidden=("player", "noise"))


def options_of(agent: Callable[..., Any], meanings: dict[str, str], hidden: tuple[str, ...] = ()) -> str:
    """What can be written behind an agent's name; raises `ValueError` unless every option has a meaning."""
    parameters = {name: one for name, one in inspect.signature(agent).parameters.items() if name not in hidden}
    if list(parameters) != list(meanings):
        raise ValueError(f"{agent}: expected meanings of {list(parameters)}, got {list(meanings)}")
    rows: list[tuple[object, ...]] = [
        (f"`{name}`", "" if one.default in (None, one.empty) else f"`{one.default}`", meanings[name])
        for name, one in parameters.items()
    ]
    return table(("option", "default", "meaning"), rows)


OWN: dict[str, Callable[[], str]] = {
    "search": search,
    "information_set_search": information_set_search,
    "guided": guided,
    "commands": commands,
    "train_command": train_command,
    "limits": limits,
    "waiting": waiting,
    "rewards": rewards,
    "arguments": arguments,
}


def joined(*parts: Mapping[str, Callable[[], str]]) -> dict[str, Callable[[], str]]:
    """The generators of several modules by name; raises `ValueError` for a name that two of them have."""
    names = Counter(itertools.chain(*parts))
    if names.total() > len(names):
        raise ValueError(f"expected different names of generated parts, got {names.most_common(1)[0][0]} twice")
    return dict(itertools.chain(*(part.items() for part in parts)))


GENERATORS = joined(
    OWN,
    measured.GENERATORS,
    dunaia_tables.GENERATORS,
    dune_tables.GENERATORS,
    excerpts.GENERATORS,
    terminal.GENERATORS,
    report_parts.GENERATORS,
)


def generated(text: str) -> str:
    """A page with its generated parts made anew; raises `KeyError` for a part that nothing generates."""
    return _PART.sub(lambda match: match[1] + GENERATORS[match[2]]() + match[3], text)


@dataclass(frozen=True)
class Arguments:
    """Make the generated parts of the documentation anew."""

    check: bool = False
    """Write nothing; exit status 1 if a page is out of date."""


def out_of_date() -> Iterator[tuple[str, Callable[[], object]]]:
    """The names of pages, data and pictures that are out of date, each with what writes it anew."""
    for name in PAGES:
        page = ROOT / name
        before = page.read_text(encoding="utf-8")
        after = generated(before)
        if before != after:
            yield name, partial(atomic.write_text, page, after)
    shares = measured.shares_of_levels()
    if not SHARES.exists() or SHARES.read_text(encoding="utf-8") != shares:
        yield SHARES.name, partial(atomic.write_text, SHARES, shares)
    if not promise.FILE.exists() or promise.read() != promise.promise():
        yield promise.FILE.name, promise.write
    for path in filter(picture.is_out_of_date, picture.WIDTHS):
        yield path.name, partial(picture.write, path)
    for path in filter(report_pictures.is_out_of_date, report_pictures.DRAWN):
        yield path.name, partial(report_pictures.write, path)


def main() -> int:
    """Write or compare the pages; returns the exit status."""
    arguments = tyro.cli(Arguments, prog="python -m docs.generate")
    status = 0
    for name, write in out_of_date():
        if arguments.check:
            print(f"{name} is out of date: run python -m docs.generate", file=sys.stderr)
            status = 1
            continue
        try:
            write()
        except promise.BrokenError as error:
            print(f"{name}: {error}", file=sys.stderr)
            status = 1
        else:
            print(f"{name} written")
    return status


if __name__ == "__main__":
    sys.exit(run_main(main))

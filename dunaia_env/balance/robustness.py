"""Effects of roles and seats on many component files, on common blocks.

``python -m dunaia_env.balance.robustness --out DIR`` draws members of a family of component files, plays each of them
and writes one result file for each, so the same command continues a run that was stopped. The result says how every
effect depends on the values in which the component files differ.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from dunaia_env.arena.run_files import exclusive_folder
from dunaia_env.balance import design, trials, whatif, whatif_pages
from dunaia_env.balance.games import Floats
from dunaia_env.harness import commands, registry
from dunaia_env.harness.game import Game
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.reports.parts import to_json_data
from dunaia_env.statistics.intervals import round_portably
from dunaia_env.support import atomic, messages, reading, terminal, typed_json

FORMAT, VERSION = "dunaia-balance-robustness", 2
# Names of two families of a game: the one in which only values vary that no text documents, and the whole one.
PLAUSIBLE, OWN = "plausible", "own"
RESULT_FILE, PLAN_FILE, FILES_FOLDER = "robustness.json", "plan.json", "files"
_MOST_BYTES = 1 << 22
# Lists with more entries than this, such as a stack of cards, are added up, because the position of an entry means
# nothing.
MOST_SINGLE_ENTRIES = 6
_ENTRY = re.compile(r"(.+?)\.(\d+)\.(.+)")


@dataclass(frozen=True)
class Plan:
    """What is played on every component file, fixed before the first game.

    Attributes:
        game, agent: names of the game and of the agent in all seats.
        players: number of players at the table.
        kinds: kinds of the conditions.
        blocks: number of common blocks.
        seed: the seed from which the game seeds follow.
        options: further options of the game.
        family: the family from which files are drawn: `PLAUSIBLE`, `OWN` or the path of a family file.
    """

    game: str
    agent: str
    players: int
    kinds: tuple[str, ...]
    blocks: int
    seed: int
    options: dict[str, Any]
    family: str = PLAUSIBLE


@dataclass(frozen=True)
class OneFile:
    """What was measured on a component file.

    Attributes:
        name: name of the file, such as ``family member 3``.
        hash: hash of the components.
        effects: share minus the fair share, by ``kind:subject``; None for a role that nobody held.
        errors: standard errors of the effects.
        values: the file's values as numbers, see `numbers_of`.
        noise: what each block contributes to an effect beyond the effect itself, by ``kind:subject``.
    """

    name: str
    hash: str
    effects: dict[str, float | None]
    errors: dict[str, float | None]
    values: dict[str, float]
    noise: dict[str, list[float]]


@dataclass(frozen=True)
class Robustness:
    """The effects of N subjects on K files with P values.

    Attributes:
        plan: what was played.
        files: the results on each file, the game's own file first.
        subjects: names of the effects, such as ``assigned:merchant`` and ``absent:seat 0``.
        paths: paths of the values in which any file differs from the first one.
    """

    plan: Plan
    files: tuple[OneFile, ...]
    subjects: tuple[str, ...]
    paths: tuple[str, ...]

    @property
    def effects(self) -> Floats:
        """float64 ``(K, N)``; NaN where a role was not held."""
        return self._matrix([file.effects for file in self.files])

    @property
    def errors(self) -> Floats:
        """float64 ``(K, N)``: standard errors of the effects."""
        return self._matrix([file.errors for file in self.files])

    @property
    def values(self) -> Floats:
        """float64 ``(K, P)``: the files' values at the paths; 0 where a file has nothing at a path."""
        rows = [[file.values.get(path, 0.0) for path in self.paths] for file in self.files]
        return np.array(rows, np.float64).reshape(len(self.files), len(self.paths))

    @property
    def correlations(self) -> Floats:
        """float64 ``(N,)``: the mean correlation between the noise on two files, which common seeds cause.

        NaN where a role was not held, or with fewer than two files.
        """
        noise = ([file.noise.get(name, []) for file in self.files] for name in self.subjects)
        return np.array([_mean_correlation(rows) for rows in noise], np.float64)

    def _matrix(self, rows: Sequence[Mapping[str, float | None]]) -> Floats:
        found = [[row[name] for name in self.subjects] for row in rows]
        return np.array([[np.nan if value is None else value for value in row] for row in found], np.float64)


def _mean_correlation(noise: Sequence[Sequence[float]]) -> float:
    """The mean correlation between any two of K rows of noise of the same blocks; NaN if a row is constant."""
    if len(noise) < 2 or not all(noise):
        return math.nan
    rows = np.array(noise, np.float64)
    rows -= rows.mean(axis=1, keepdims=True)
    lengths = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    if not (lengths > 0).all():
        return math.nan
    total = float(((rows / lengths).sum(axis=0) ** 2).sum())
    return float(round_portably((total - len(rows)) / (len(rows) * (len(rows) - 1)), 6))


def find_long_lists(paths: Collection[str]) -> set[str]:
    """The paths of the lists of more than `MOST_SINGLE_ENTRIES` tables, such as a stack of cards."""
    entries = {(match[1], match[2]) for path in paths if (match := _ENTRY.fullmatch(path))}
    return {path for path, count in Counter(path for path, _ in entries).items() if count > MOST_SINGLE_ENTRIES}


def numbers_of(values: Mapping[str, Any]) -> dict[str, float]:
    """The values of components as numbers by path.

    A text value becomes part of the path, and the number counts its occurrences: ``shapes.0=line`` is 1. The entries of
    a list of more than `MOST_SINGLE_ENTRIES` tables are added up, with ``*`` in place of their indices:
    ``cards.*.amount`` is the sum of all amounts, ``cards.*.colour=red`` the number of red cards.

    Args:
        values: what `dunaia_env.harness.game.Game.values_of` returns.
    """
    long_lists = find_long_lists(values)
    numbers: dict[str, float] = {}
    for path in values:
        match, name = _ENTRY.fullmatch(path), path
        if match is not None and match[1] in long_lists:
            name = f"{match[1]}.*.{match[3]}"
        value = values[path]
        if isinstance(value, str):
            name, value = f"{name}={value}", 1
        numbers[name] = numbers.get(name, 0.0) + float(value)
    return numbers


def differences(game: Game, one: Any, other: Any) -> dict[str, float]:
    """The numbers in which components differ from other components: their value at each path, 0 if they have none.

    Args:
        game: the game.
        one: components.
        other: the components with which they are compared.

    Raises `ValueError` for a game whose values have no paths.
    """
    values_of = game.require("values_of")
    here, there = numbers_of(values_of(one)), numbers_of(values_of(other))
    return {
        path: here.get(path, 0.0) for path in sorted({*here, *there}) if here.get(path, 0.0) != there.get(path, 0.0)
    }


def draw_files(
    game: Game, members: int, *, first_seed: int = 0, others: Sequence[Any] = (), family: str = PLAUSIBLE
) -> list[Any]:
    """The game's own components, hand-made files and members of a family, without repetitions.

    Args:
        game: the game.
        members: number of members; the first has the seed ``first_seed``.
        first_seed: seed of the first member.
        others: the hand-made component files.
        family: the family, see `Plan`.

    Raises `ValueError` for a game without such a family if members are drawn, and what `Game.load` raises.
    """
    files = [game.load(None), *(game.load(other) for other in others)]
    if members:
        load = game.require("load_family")
        if family == PLAUSIBLE and not game.plausible_family:
            raise ValueError(f"family: {game.name} declares no plausible family; expected {OWN} or a family file")
        drawn = load({PLAUSIBLE: game.plausible_family, OWN: None}.get(family, family))
        files += [drawn.sample(first_seed + number) for number in range(members)]
    return list({file.hash: file for file in files}.values())


def measure_file(laboratory: trials.Laboratory, plan: Plan, components: Any) -> OneFile:
    """Play the conditions of a plan on one component file."""
    game = laboratory.game
    roles = game.require("roles").names
    conditions = [
        design.Condition(
            f"{kind}-{plan.players}-{plan.agent}",
            _kind(kind),
            plan.players,
            plan.agent,
            plan.blocks,
            options=plan.options,
        )
        for kind in plan.kinds
    ]
    effects: dict[str, float | None] = {}
    errors: dict[str, float | None] = {}
    noise: dict[str, list[float]] = {}
    played = laboratory.play([trials.Trial(condition, components) for condition in conditions], 0, plan.blocks)
    for kind, games in zip(plan.kinds, played, strict=True):
        subjects, shares = whatif.shares_of(games, kind, roles)
        rows = round_portably(shares.rows - shares.values, 4)
        numbers = zip(subjects, shares.values - 1 / plan.players, shares.errors, rows.T, strict=True)
        for (name, _), effect, error, row in numbers:
            key = f"{kind}:{name}"
            effects[key], errors[key] = _number(effect), _number(error)
            noise[key] = row.tolist() if np.isfinite(row).all() else []
    values = numbers_of(game.require("values_of")(components))
    return OneFile(components.source, components.hash, effects, errors, values, noise)


def _kind(kind: str) -> design.Kind:
    if kind not in ("assigned", "drafted", "absent"):
        raise ValueError(f"kinds: expected assigned, drafted or absent, got {messages.shorten(kind)}")
    return kind  # type: ignore[return-value]


def _number(value: float) -> float | None:
    return float(round_portably(value)) if np.isfinite(value) else None


def run_robustness(
    laboratory: trials.Laboratory, plan: Plan, files: Sequence[Any], folder: Path | None = None
) -> Robustness:
    """Play the plan on every component file; a file with a stored result in the folder is not played again.

    Args:
        laboratory: plays the games.
        plan: what is played.
        files: components, the game's own first; all different.
        folder: folder into which each file's result is written when it is finished; None to write nothing.

    Raises `ValueError` for an agent that cannot play with a file, and for a folder with another plan or a damaged file;
    passes on exceptions raised while playing.
    """
    game = laboratory.game
    game.option(NUM_PLAYERS).check(plan.players)
    if plan.blocks < 2:
        raise ValueError(f"blocks: expected at least 2, got {plan.blocks}")
    trials.check_agent(plan.agent, game, files)
    if folder is None:
        return _collected(plan, [measure_file(laboratory, plan, file) for file in files])
    with exclusive_folder(folder, [PLAN_FILE]):
        _check_plan(folder, plan)
        found = []
        for number, components in enumerate(files):
            path = folder / FILES_FOLDER / f"{components.hash}.json"
            if path.exists():
                found.append(_read_file(path, components))
                continue
            laboratory.title = f"file {number + 1} of {len(files)}"
            found.append(measure_file(laboratory, plan, components))
            atomic.write_text(path, _json(asdict(found[-1])))
        result = _collected(plan, found)
        _write(folder, result)
    return result


def _check_plan(folder: Path, plan: Plan) -> None:
    """Write the plan of a new folder; raise `ValueError` if the folder has another one."""
    path = folder / PLAN_FILE
    content = {"format": FORMAT, "version": VERSION, **to_json_data(plan)}
    if not path.exists():
        atomic.write_text(path, _json(content))
        return
    stored = _read_json(path)
    for name, value in content.items():
        if stored.get(name) != value:
            raise ValueError(
                f"{path}: {name} {messages.shorten(stored.get(name))} stored, {messages.shorten(value)} requested"
            )


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = typed_json.parse(reading.read_bytes(path, _MOST_BYTES))
    except reading.ReadingError as error:
        raise ValueError(f"{path}: {error}") from error
    except ValueError as error:
        raise ValueError(f"{path}: not JSON: {messages.reason(error)}") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path}: expected a table of fields, got {messages.shorten(content)}")
    return content


def _read_file(path: Path, components: Any) -> OneFile:
    content = _read_json(path)
    tables = [content.get(name) for name in ("effects", "errors", "values")]
    noise = content.get("noise")
    numbers = all(
        isinstance(table, dict) and all(column is None or isinstance(column, int | float) for column in table.values())
        for table in tables
    )
    rows = isinstance(noise, dict) and all(
        isinstance(row, list) and all(isinstance(number, int | float) for number in row) for row in noise.values()
    )
    if content.get("hash") != components.hash or not (numbers and rows):
        raise ValueError(f"{path}: not the result of components {components.hash}; remove the file to play it again")
    effects, errors, values = (table or {} for table in tables)
    return OneFile(components.source, components.hash, effects, errors, values, noise or {})


def _collected(plan: Plan, files: Sequence[OneFile]) -> Robustness:
    paths = dict.fromkeys(path for file in files for path in file.values)
    own = files[0].values
    differ = [path for path in paths if any(file.values.get(path, 0.0) != own.get(path, 0.0) for file in files)]
    return Robustness(plan, tuple(files), tuple(files[0].effects), tuple(sorted(differ)))


def _json(content: Any) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _table(result: Robustness) -> tuple[list[str], list[list[str]]]:
    """A row for each effect: its value with the game's own file, and its distribution over all files."""
    titles = ["effect in percentage points", "own file", "mean", "smallest", "largest", "above 0", "standard error"]
    effects, errors = 100 * result.effects, 100 * result.errors
    rows = []
    for number, name in enumerate(result.subjects):
        column = effects[:, number]
        known = column[np.isfinite(column)]
        if not len(known):
            rows.append([name, *[""] * 6])
            continue
        ends = [f"{value:+.1f}" for value in round_portably([known.mean(), known.min(), known.max()])]
        own = f"{column[0]:+.1f}" if np.isfinite(column[0]) else ""
        above = f"{int((known > 0).sum())} of {len(known)}"
        rows.append([name, own, *ends, above, f"{float(round_portably(np.nanmean(errors[:, number]))):.1f}"])
    return titles, rows


def _headline(result: Robustness) -> str:
    plan = result.plan
    return (
        f"With {plan.players} players and {plan.agent} in every seat, {len(result.files)} component files were played"
        f" on {plan.blocks} common blocks of seed {plan.seed}."
    )


def _write(folder: Path, result: Robustness) -> None:
    content = {
        "format": FORMAT,
        "version": VERSION,
        "plan": to_json_data(result.plan),
        "subjects": list(result.subjects),
        "correlations": [_number(correlation) for correlation in result.correlations],
        "paths": list(result.paths),
        "files": [
            {
                "name": file.name,
                "hash": file.hash,
                "effects": list(file.effects.values()),
                "errors": list(file.errors.values()),
                "values": [file.values.get(path, 0.0) for path in result.paths],
            }
            for file in result.files
        ],
    }
    atomic.write_text(folder / RESULT_FILE, _json(content))
    lines = [
        "# Effects on many component files",
        "",
        _headline(result),
        "",
        *whatif_pages.markdown_table(*_table(result)),
        "",
    ]
    atomic.write_text(folder / "robustness.md", "\n".join(lines))


@dataclass(frozen=True, kw_only=True)
class Options(trials.TrialOptions):
    """Measure the effects of roles and seats on many component files. The same command continues a stopped run."""

    out: Path
    """Folder of the run."""
    family: str = PLAUSIBLE
    """Family from which component files are drawn: plausible (only values vary that no public text documents), own (the
    game's whole family, with values that a designer would try) or the path of a family file."""
    members: int = 60
    """Number of component files that are drawn from the family. With sixty files, a value that explains a third of the
    variation between files is named with a probability of 80 %; for a value that explains half as much, twice as many
    files are needed."""
    family_seed: int = 0
    """Seed of the first file that is drawn from the family."""
    files: tuple[Path, ...] = ()
    """Further component files."""
    kinds: tuple[design.KindForAll, ...] = ("assigned", "absent")
    """How the seats get their roles: assigned (every role in every seat equally often), drafted (as the rules say),
    absent (nobody has a role)."""
    blocks: int | None = None
    """Number of blocks played on every file. The default is at least 100, rounded up to whole cycles, after which
    combinations of roles are balanced. Many files with few blocks name more values than few files with many."""


def main(options: Options) -> Robustness:
    """Play the missing part of the run that the options describe, print the result and write it."""
    commands.check_numbers(
        options, positive=("players", "blocks"), not_negative=("seed", "jobs", "members", "family_seed")
    )
    game = registry.find_game(options.game)
    roles = game.require("roles")
    cycle = design.cycle_length(len(roles.names), game.option(NUM_PLAYERS).check(options.players))
    plan = Plan(
        game=registry.name_of(game),
        agent=options.agent,
        players=options.players,
        kinds=tuple(_kind(kind) for kind in dict.fromkeys(options.kinds)),
        blocks=options.blocks or -(-100 // cycle) * cycle,
        seed=options.seed,
        options=options.options_of(game),
        family=options.family,
    )
    files = draw_files(
        game, options.members, first_seed=options.family_seed, others=options.files, family=options.family
    )
    result = run_robustness(options.laboratory(game, "robustness"), plan, files, options.out)
    console = Console()
    whatif_pages.print_table(console, "Effects on many component files", *_table(result))
    console.print(_headline(result), markup=False, highlight=False)
    return result


def _run() -> int:
    options = commands.parse_command(Options, program="dunaia robustness")
    return commands.run_command("dunaia robustness", lambda: main(options))


if __name__ == "__main__":
    sys.exit(terminal.run_main(_run, has_workers=True))

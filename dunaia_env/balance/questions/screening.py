"""How robust verdicts are: on how many component files each verdict holds, and on which numbers it depends.

Some values of a game's components are assumed. A study is therefore repeated on component files in which they are drawn
from their plausible values. This gives the effect of each role on every file, and answers three questions:

1. On how many files does the status of the shipped file hold? A file with few games often cannot tell, so its effect
   counts only where its interval decides. `Screening.probable` estimates the part of all plausible files on which the
   status would hold if the effects were known exactly, see `dunaia_env.statistics.mixing`: no shape is assumed for the
   distribution of the effects, and its interval knows that all files were played on the same seeds.
2. How much does the effect vary from file to file, beyond the noise of the games?
3. Which numbers, and which groups of numbers, are correlated with the effect? The linear correlation of each number
   with the effect over the files is tested by permuting the files, with p-values corrected for all numbers and roles
   together (Holm, 1979). A verdict names a number only if the corrected p-value is small. A correlation does not prove
   a cause: that needs a sweep. Rank correlations would find less: a drawn file keeps most values of the game's own
   file, so the information lies in how large the effect is where a number differs. The numbers of a group of the file,
   such as its prices, are tested together by the sum of their squared correlations, the score test of a ridge
   regression (Goeman, van de Geer, de Kort and van Houwelingen, 2004, "A global test for groups of genes"), with the
   same permutations and a correction of its own for all groups and roles. A group is found where its numbers carry
   little each.

The number of files that the third question needs follows from the number of tests, see `findable`. Many files with few
games each find more than few files with many games.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from dunaia_env.balance import intervals, outcomes, robustness as robustness_runs, wording
from dunaia_env.balance.questions.verdicts import TOLERANCE, check_tolerance, status_of
from dunaia_env.balance.study import Study
from dunaia_env.harness.roles import Roles
from dunaia_env.reports.parts import ReportTable, Section, TableCell, table_row
from dunaia_env.statistics.associations import PERMUTATIONS, associations_of, holm
from dunaia_env.statistics.intervals import CONFIDENCE, Estimate, Floats, round_portably
from dunaia_env.statistics.mixing import part_inside
from dunaia_env.support import english, messages

_SIGNIFICANT = 0.05
MOST = 2 / 3
"""A status holds on most component files if it holds on at least this part of them."""

OnMost = Literal["yes", "no", "open"]


@dataclass(frozen=True)
class Association:
    """How a number of the component files is correlated with the effect of a role.

    Attributes:
        name: name of the number.
        correlation: linear correlation with the effect, -1..1.
        p_value: two-sided p-value of a permutation test.
        corrected: the p-value corrected for all numbers and roles together, by Holm's method.
        low: mean effect on the files in which the number is below its median; at its median if there are no such files.
        high: mean effect on the files in which the number is above its median; at its median if there are no such
            files.
    """

    name: str
    correlation: float
    p_value: float
    corrected: float
    low: float
    high: float


@dataclass(frozen=True)
class GroupAssociation:
    """How a group of numbers of the component files is correlated with the effect of a role.

    Attributes:
        name: the beginning of the names of its numbers, up to the first dot.
        numbers: number of numbers that vary.
        p_value: p-value of a permutation test.
        corrected: the p-value corrected for all groups and roles together, by Holm's method.
    """

    name: str
    numbers: int
    p_value: float
    corrected: float


@dataclass(frozen=True)
class Screening:
    """How a role does on many component files.

    Attributes:
        role: name of the role.
        shipped: status on the shipped file.
        files: K, number of files.
        holds: number of files that have the same status.
        differs: number of files that have another status.
        open: number of files on which the status is open, because the games cannot tell.
        probable: part of all plausible files on which the status of the shipped file holds, 0..1, with an interval of
            its own; NaN if that status is open, or if there are fewer than two files.
        mean: mean effect over the files.
        spread: standard deviation of the effect over the files, without the noise of the games.
        least: smallest effect on any file, noise included.
        most: largest effect on any file, noise included.
        associations: all numbers that vary, the clearest association first.
        groups: all groups of these numbers, the clearest association first.
    """

    role: str
    shipped: wording.Status
    files: int
    holds: int
    differs: int
    open: int
    probable: Estimate
    mean: float
    spread: float
    least: float
    most: float
    associations: tuple[Association, ...]
    groups: tuple[GroupAssociation, ...] = ()

    @property
    def named(self) -> tuple[Association, ...]:
        """The numbers whose corrected p-value is at most 5 %."""
        return tuple(association for association in self.associations if association.corrected <= _SIGNIFICANT)

    @property
    def named_groups(self) -> tuple[GroupAssociation, ...]:
        """The groups whose corrected p-value is at most 5 %."""
        return tuple(group for group in self.groups if group.corrected <= _SIGNIFICANT)

    @property
    def on_most(self) -> OnMost:
        """Whether the status holds on most component files, see `on_most`."""
        return on_most(self.probable)


def on_most(probable: Estimate) -> OnMost:
    """Whether a status holds on at least the part `MOST` of all files: the interval of the part decides."""
    if probable.low >= MOST:
        return "yes"
    return "no" if probable.high < MOST else "open"


def screen(
    files: Sequence[Mapping[str, float]],
    effects: NDArray[np.float64],
    errors: NDArray[np.float64],
    shipped: Sequence[Estimate],
    roles: Sequence[str],
    *,
    correlations: Sequence[float] | None = None,
    tolerance: float = TOLERANCE,
    confidence: float = CONFIDENCE,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> list[Screening]:
    """Screen the effects of R roles on K component files, see the module.

    Args:
        files: the numbers of each file, by name; the same names in all.
        effects: ``(K, R)``, effect of each role on each file: its win share minus the fair one.
        errors: ``(K, R)``, their standard errors.
        shipped: R effects on the shipped file, with intervals.
        roles: names of the roles.
        correlations: R correlations between the noise of a role's effects on any two files, from common seeds; zeros by
            default.
        tolerance: see `dunaia_env.balance.questions.verdicts`.
        confidence: confidence of each interval of `Screening.probable`, and of the intervals on the files, which hold
            together for all files of a role (Bonferroni).
        permutations: number of permutations; more are drawn if there are many numbers.
        seed: seed of the permutations.

    Raises:
        ValueError: if the arguments do not fit together, or numbers are not finite.
    """
    check_tolerance(tolerance)
    effects, errors = np.asarray(effects, np.float64), np.asarray(errors, np.float64)
    shape = len(files), len(roles)
    if effects.shape != shape or errors.shape != shape or len(shipped) != shape[1]:
        raise ValueError(
            f"effects {effects.shape}, errors {errors.shape} and {len(shipped)} shipped effects;"
            f" {shape}, files x roles, and {shape[1]} are needed"
        )
    if not (np.isfinite(effects).all() and np.isfinite(errors).all() and (errors >= 0).all()):
        raise ValueError("effects and errors have to be finite, and no error below 0")
    names, numbers = _varying(files)
    common = [0.0] * len(roles) if correlations is None else correlations
    groups: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        groups.setdefault(name.partition(".")[0], []).append(place)
    associated, p_values, group_p_values = associations_of(numbers, effects, list(groups.values()), permutations, seed)
    corrected = holm(p_values.ravel()).reshape(p_values.shape)
    corrected_groups = holm(group_p_values.ravel()).reshape(group_p_values.shape)
    quantile = -float(ndtri((1 - confidence) / 2 / max(1, len(files))))
    halves = np.array([_halves(column, effects) for column in numbers.T]).reshape(len(names), 2, len(roles))
    found = []
    for role, title in enumerate(roles):
        status = status_of(shipped[role], tolerance)
        ends = (effects[:, role] + side * quantile * errors[:, role] for side in (-1, 1))
        rows = round_portably(np.array([effects[:, role], *ends]).T).tolist()
        statuses = [status_of(Estimate(*row), tolerance) for row in rows]
        decided = [status for status in statuses if status != "open"]
        holds = sum(decision == status for decision in decided)
        mean, spread = _distribution(effects[:, role], errors[:, role])
        probable = _part(effects[:, role], errors[:, role], status, tolerance, common[role], confidence)
        table = round_portably(
            np.array([associated[:, role], p_values[:, role], corrected[:, role], *halves[:, :, role].T]).T
        )
        associations = [Association(name, *row) for name, row in zip(names, table.tolist(), strict=True)]
        associations.sort(key=lambda one: (one.corrected, one.p_value, -abs(one.correlation), one.name))
        own_groups = [
            GroupAssociation(name, len(places), *round_portably([group_p_values[place, role], joint[role]]).tolist())
            for place, ((name, places), joint) in enumerate(zip(groups.items(), corrected_groups, strict=True))
        ]
        ranged = effects[:, role] if len(files) else np.full(1, np.nan)
        found.append(
            Screening(
                role=title,
                shipped=status,
                files=len(files),
                holds=holds,
                differs=len(decided) - holds,
                open=len(statuses) - len(decided),
                probable=probable,
                mean=float(round_portably(mean)),
                spread=float(round_portably(spread)),
                least=float(round_portably(ranged.min())),
                most=float(round_portably(ranged.max())),
                associations=tuple(associations),
                groups=tuple(sorted(own_groups, key=lambda group: (group.corrected, group.p_value, group.name))),
            )
        )
    return found


def findable(files: int, tests: int, power: float = 0.8) -> float:
    """The smallest correlation that is named with a given probability, 0..1; NaN for fewer than four files.

    Fisher's transformation makes the correlation over K files normal with the variance 1 / (K - 3). The first test of
    Holm's method divides 5 % by the number of all tests. Noise in the effects makes correlations smaller: by a factor
    of 0.7 if the errors are as large as the spread of the true effects.

    Args:
        files: K, number of files.
        tests: number of numbers times number of roles.
        power: the probability.
    """
    if files < 4:
        return math.nan
    distance = -float(ndtri(_SIGNIFICANT / 2 / max(1, tests))) + float(ndtri(power))
    return float(round_portably(math.tanh(distance / math.sqrt(files - 3))))


def _varying(files: Sequence[Mapping[str, float]]) -> tuple[list[str], Floats]:
    """Names and values ``(K, N)`` of the numbers that are not the same in all files."""
    names = list(files[0]) if files else []
    for place, file in enumerate(files):
        if different := set(file) ^ set(names):
            raise ValueError(f"file {place}: expected the same names in all files, got {min(different)} only in some")
    values = np.array([[file[name] for name in names] for file in files], np.float64).reshape(len(files), len(names))
    if not np.isfinite(values).all():
        file, name = np.argwhere(~np.isfinite(values))[0].tolist()
        raise ValueError(f"file {file}: {names[name]}: expected a finite number, got {values[file, name]}")
    varying = (values != values[:1]).any(axis=0)
    return [name for name, varies in zip(names, varying.tolist(), strict=True) if varies], values[:, varying]


def _halves(numbers: Floats, effects: Floats) -> tuple[Floats, Floats]:
    """Mean effects ``(R,)`` where a number is low, and where it is high; see `Association`."""
    median = np.median(numbers)
    below, above = numbers < median, numbers > median
    if not below.any():
        below = numbers <= median
    if not above.any():
        above = numbers >= median
    return effects[below].mean(axis=0), effects[above].mean(axis=0)


def _distribution(effects: Floats, errors: Floats) -> tuple[float, float]:
    """Mean of the effects over the files, and the standard deviation of the true effects, NaN for a single file."""
    if len(effects) < 2:
        return (float(effects.mean()) if len(effects) else math.nan), math.nan
    variance = max(0.0, float(effects.var(ddof=1) - (errors**2).mean()))
    return float(effects.mean()), math.sqrt(variance)


def _part(
    effects: Floats, errors: Floats, status: wording.Status, tolerance: float, correlation: float, confidence: float
) -> Estimate:
    """The part of all files on which the true effect has a status."""
    if status == "open":
        return Estimate(math.nan, math.nan, math.nan)
    low, high = {"over": (tolerance, math.inf), "under": (-math.inf, -tolerance), "fine": (-tolerance, tolerance)}[
        status
    ]
    return part_inside(effects, errors, low, high, correlation=correlation, confidence=confidence)


@dataclass(frozen=True)
class ScreenedTable:
    """How the roles do on several component files, at one number of players.

    Attributes:
        players: number of players.
        agent: the agent in all seats.
        roles: the results for each role.
        findable: the smallest correlation between a number and an effect that is named with a probability of 80 %.
    """

    players: int
    agent: str
    roles: tuple[Screening, ...]
    findable: float


@dataclass(frozen=True)
class Robustness:
    """Whether effects hold over component files.

    Attributes:
        method: how the files were drawn and played, in a sentence or two.
        tables: one table for each number of players.
    """

    method: str
    tables: tuple[ScreenedTable, ...]


_SCREENING_NOTE = (
    "Own file: whether the effect lies above, below or within the tolerance with the game's own component file. Holds,"
    " differs and undecided: on how many other files this is the same, is different, or cannot be told. Holds on per"
    " cent: the part of all such files on which it is the same, estimated without a shape for the distribution of the"
    " effects. Effects are in percentage points. The spread is their standard deviation over the files, without the"
    " noise of the games. Depends on: values that are correlated with the effect beyond chance, corrected for all"
    " values and roles, the clearest ones first; where there is none, the groups of values that are. Where a value is"
    " the number of a place, higher and lower have no meaning."
)

_MOST_NAMED = 3  # values on which an effect depends, in a cell of a table; the JSON file has all of them


def robustness_section(study: Study, robustness: Robustness | None) -> Section:
    """The section that says on how many component files each verdict holds."""
    title = "Robustness over component files"
    if robustness is None:
        return Section(
            title, ("This study was played with one component file only, so no verdict was checked on other files.",)
        )
    columns = (
        *(study.game.require("roles").title, "own file", "holds on", "differs on", "undecided on"),
        *("holds on per cent", "mean effect", "spread", "smallest", "largest", "depends on"),
    )
    tables = tuple(
        ReportTable(
            f"{wording.players_words(table.players)}, {wording.label_of(table.agent)}",
            columns,
            tuple(_screening_row(role) for role in table.roles),
            (f"{_SCREENING_NOTE} {_findable_words(table.findable)}",),
        )
        for table in robustness.tables
    )
    return Section(title, (robustness.method,), tables)


def _findable_words(correlation: float) -> str:
    """A sentence on how weak an association may be and still be found by the screening."""
    if not correlation < 1:
        return "There are too few files to name a value."
    explained = wording.percent(correlation**2, 0)
    return (
        f"With this number of files, a value is found with a probability of 80 % if it explains {explained} of the"
        " variation between files; values that explain less may remain unnamed."
    )


def _screening_row(one: Screening) -> tuple[TableCell, ...]:
    named = [
        f"{found.name} ({'higher' if found.correlation > 0 else 'lower'} is better)"
        for found in one.named[:_MOST_NAMED]
    ]
    if (left := len(one.named) - len(named)) > 0:
        named.append(f"{left} more")
    return table_row(
        wording.name_of_role(one.role),
        wording.status_words(one.shipped),
        *(f"{count} of {one.files}" for count in (one.holds, one.differs, one.open)),
        wording.cell(one.probable, 0, scale=100),
        wording.number(100 * one.mean, sign=True),
        wording.number(100 * one.spread),
        *(wording.number(100 * value, sign=True) for value in (one.least, one.most)),
        english.listed(named) if named else _groups_words(one),
    )


def _groups_words(one: Screening) -> str:
    """The groups that are associated with the effect, where no single value is."""
    groups = [f"the values of {group.name}" for group in one.named_groups[:_MOST_NAMED]]
    return f"{english.listed(groups)}; no single value found" if groups else "no value found"


ROBUSTNESS_FILE = "robustness.json"


@dataclass(frozen=True)
class _File:
    name: str
    hash: str
    effects: tuple[float | None, ...]
    errors: tuple[float | None, ...]
    values: tuple[float, ...]


@dataclass(frozen=True)
class _Robustness:
    plan: robustness_runs.Plan
    subjects: tuple[str, ...]
    correlations: tuple[float | None, ...]
    paths: tuple[str, ...]
    files: tuple[_File, ...]


@dataclass(frozen=True)
class _Run:
    """The content of a folder, with the game's own file first.

    Attributes:
        plan: what was played.
        hashes: the hashes of K files.
        effects, errors: float64 ``(K, R)``, effects of R roles and their standard errors.
        correlations: float64 ``(R,)``, the correlations of their noise between files.
        values: the numbers of each file.
    """

    plan: robustness_runs.Plan
    hashes: tuple[str, ...]
    effects: Floats
    errors: Floats
    correlations: Floats
    values: tuple[dict[str, float], ...]


def read_robustness(
    folders: Sequence[Path], roles: Roles, tolerance: float, study: Study | None = None
) -> Robustness | None:
    """How the roles do on many component files, from folders of ``dunaia robustness``; None if no folder is given.

    Args:
        folders: one or more for each number of players. Folders with the same number of players are pooled; a component
            file that is in several of them counts once.
        roles: the roles of the game.
        tolerance: tolerance of the verdicts.
        study: a study with games of the same agent. If it was played with the game's own component file, the effects on
            that file are taken from the study, which has many more games.

    Raises `ValueError` naming the file and what is wrong with it.
    """
    if not folders:
        return None
    runs: dict[int, list[_Run]] = {}
    for folder in folders:
        run = _read_run(folder / ROBUSTNESS_FILE, roles.names)
        others = runs.setdefault(run.plan.players, [])
        for field in ("agent", "family") if others else ():
            expected, given = getattr(others[0].plan, field), getattr(run.plan, field)
            if given != expected:
                raise ValueError(
                    f"{folder / ROBUSTNESS_FILE}: {field}: expected {messages.shorten(expected)}, as in the other"
                    f" folder of {run.plan.players} players, got {messages.shorten(given)}"
                )
        others.append(run)
    tables = tuple(_screened(parts, roles.names, tolerance, study) for _, parts in sorted(runs.items()))
    counts = english.listed([f"{table.roles[0].files} with {table.players} players" for table in tables])
    families = {part.plan.family for parts in runs.values() for part in parts}
    method = (
        f"Component files were drawn ({counts}) and played with {wording.kind_words('assigned', roles)}, on the same"
        f" seeds as the game's own file. {_family_words(families)}"
    )
    return Robustness(method, tables)


def _family_words(families: Collection[str]) -> str:
    """What varies in the files of the runs, in a sentence."""
    if families == {robustness_runs.PLAUSIBLE}:
        return "In them, only values differ that no public text documents, each in its plausible range."
    return (
        "Documented values differ in them too, so this is a what-if about files that a designer would try; it does not"
        " say how certain the verdicts on the printed game are."
    )


def _read_run(path: Path, roles: Sequence[str]) -> _Run:
    found: _Robustness = outcomes.read_result(path, _Robustness, robustness_runs.FORMAT, robustness_runs.VERSION)
    columns = []
    for role in roles:
        subject = f"assigned:{role}"
        if subject not in found.subjects:
            raise ValueError(f"{path}: expected subjects {subject}, got {messages.shorten(found.subjects)}")
        columns.append(found.subjects.index(subject))
    if len(found.files) < 2:
        raise ValueError(f"{path}: expected the game's own file and at least one more, got {len(found.files)}")
    for place, one in enumerate(found.files):
        lengths = {"effects": found.subjects, "errors": found.subjects, "values": found.paths}
        for name, needed in lengths.items():
            if len(getattr(one, name)) != len(needed):
                length = len(getattr(one, name))
                raise ValueError(f"{path}: files[{place}].{name}: expected {len(needed)} numbers, got {length}")
    effects, errors = (
        np.array([[getattr(file, name)[column] for column in columns] for file in found.files], np.float64)
        for name in ("effects", "errors")
    )
    if len(found.correlations) != len(found.subjects):
        raise ValueError(f"{path}: correlations: expected {len(found.subjects)} numbers, got {len(found.correlations)}")
    correlations = np.array([found.correlations[column] for column in columns], np.float64)
    values = tuple(dict(zip(found.paths, file.values, strict=True)) for file in found.files)
    hashes = tuple(file.hash for file in found.files)
    return _Run(found.plan, hashes, effects, errors, correlations, values)


def _screened(runs: Sequence[_Run], roles: Sequence[str], tolerance: float, study: Study | None) -> ScreenedTable:
    """The results of screening the pooled files of runs with the same number of players."""
    # A run stores only the numbers in which one of its files differs from the game's own file. The other numbers are
    # those of the game's own file.
    own = {path: value for run in runs for path, value in run.values[0].items()}
    files = {
        name: (run.effects[place], run.errors[place], own | run.values[place])
        for run in reversed(runs)
        for place, name in enumerate(run.hashes)
        if place
    }
    players, agent = runs[0].plan.players, runs[0].plan.agent
    measured = [(run.effects[0], run.errors[0]) for run in runs]
    games = None if study is None else study.of("assigned", players, agent)
    if study is not None and games is not None and study.plan.components == runs[0].hashes[0]:
        values = intervals.role_blocks(games, games.shares, len(roles)) - 1 / players
        measured = [(values.mean(axis=0), intervals.standard_errors(values))]
    weights = np.array([1 / np.maximum(errors, 1e-9) ** 2 for _, errors in measured])
    effects = (weights * np.array([effects for effects, _ in measured])).sum(axis=0) / weights.sum(axis=0)
    half = -float(ndtri((1 - CONFIDENCE) / 2 / len(roles))) / np.sqrt(weights.sum(axis=0))
    shipped = [
        Estimate(*row) for row in round_portably(np.stack([effects, effects - half, effects + half], 1)).tolist()
    ]
    screened = screen(
        [values for _, _, values in files.values()],
        np.array([effect for effect, _, _ in files.values()]),
        np.array([error for _, error, _ in files.values()]),
        shipped,
        roles,
        correlations=np.nan_to_num([run.correlations for run in runs]).mean(axis=0).tolist(),
        tolerance=tolerance,
    )
    tests = len(roles) * len(screened[0].associations)
    return ScreenedTable(players, agent, tuple(screened), findable(len(files), tests))

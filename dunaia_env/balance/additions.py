"""Reads the results of the laboratory's other commands, which become parts of a study's report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtri

from dunaia_env.arena.intervals import CONFIDENCE, Estimate, Floats, round_portably
from dunaia_env.balance import causes_pages
from dunaia_env.balance import robustness as robustness_runs
from dunaia_env.balance.design import Kind
from dunaia_env.balance.evidence import Cause, Causes, Robustness, ScreenedTable
from dunaia_env.balance.intervals import role_blocks, standard_errors
from dunaia_env.balance.screening import findable, screen
from dunaia_env.balance.study import Study
from dunaia_env.balance.wording import kind_words, players_words
from dunaia_env.harness.roles import Roles
from dunaia_env.support.english import listed
from dunaia_env.support.messages import reason, shorten
from dunaia_env.support.reading import ReadingError, read_bytes
from dunaia_env.support.typed_json import build, parse

CAUSES_FILE, ROBUSTNESS_FILE = "causes.json", "robustness.json"
_MOST_BYTES = 1 << 26


@dataclass(frozen=True)
class _Estimate:
    value: float
    low: float | None
    high: float | None

    def estimate(self) -> Estimate:
        low, high = (float("nan") if end is None else end for end in (self.low, self.high))
        return Estimate(self.value, low, high)


@dataclass(frozen=True)
class _Cause:
    kind: str
    name: str
    round: int
    clause: str
    share: _Estimate
    change: _Estimate
    carried: float | None
    occurs: float | None
    first: float | None
    buyer: float | None
    clear: bool
    largest: bool


@dataclass(frozen=True)
class _Causes:
    game: str
    agent: str
    players: int
    kind: Kind
    subject: str
    share: _Estimate
    fair: float
    causes: tuple[_Cause, ...]
    sentences: tuple[str, ...]
    blocks: int
    games: int
    seed: int


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
    paths: tuple[str, ...]
    files: tuple[_File, ...]


def read_causes(folders: Sequence[Path], roles: Roles) -> Causes | None:
    """The causes stored in folders of ``dunaia causes``; None if no folder is given.

    Args:
        folders: the folders.
        roles: the roles of the game, whose words describe the games.

    Raises `ValueError` naming the file and what is wrong with it.
    """
    if not folders:
        return None
    rows: list[Cause] = []
    findings: list[str] = []
    agents = set()
    for folder in folders:
        found: _Causes = _read(folder / CAUSES_FILE, _Causes, causes_pages.FORMAT, causes_pages.VERSION)
        agents.add(found.agent)
        table = f"{players_words(found.players)}, {kind_words(found.kind, roles)}"
        rows += [
            Cause(
                f"{found.subject}, {table}",
                one.clause,
                found.share.estimate(),
                one.share.estimate(),
                one.change.estimate(),
                one.carried if one.clear and one.carried is not None else float("nan"),
            )
            for one in found.causes
        ]
        findings.append(f"{table}: {' '.join(found.sentences)}")
    method = (
        f"One thing at a time was taken away and the same seeds were played again, with {listed(sorted(agents), 'or')}"
        " in every seat. The intervals for the changes of one effect are simultaneous: with 95 % confidence, all of"
        " them contain the true value."
    )
    return Causes(method, tuple(rows), tuple(findings))


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
        others = runs.setdefault(run.players, [])
        if others and others[0].agent != run.agent:
            raise ValueError(
                f"{folder / ROBUSTNESS_FILE}: agent {shorten(run.agent)}; {shorten(others[0].agent)}, as in the other"
                f" folder of {run.players} players, is needed"
            )
        others.append(run)
    tables = tuple(_screened(parts, roles.names, tolerance, study) for _, parts in sorted(runs.items()))
    counts = listed([f"{table.roles[0].files} with {table.players} players" for table in tables])
    method = (
        f"Component files were drawn from the game's family ({counts}) and played with {kind_words('assigned', roles)},"
        " on the same seeds as the game's own file."
    )
    return Robustness(method, tables)


@dataclass(frozen=True)
class _Run:
    """The content of a folder: effects and errors ``(K, R)`` of R roles on K files, with the game's own file first."""

    players: int
    agent: str
    hashes: tuple[str, ...]
    effects: Floats
    errors: Floats
    values: tuple[dict[str, float], ...]


def _read_run(path: Path, roles: Sequence[str]) -> _Run:
    found: _Robustness = _read(path, _Robustness, robustness_runs.FORMAT, robustness_runs.VERSION)
    columns = []
    for role in roles:
        subject = f"assigned:{role}"
        if subject not in found.subjects:
            raise ValueError(f"{path}: subjects {shorten(found.subjects)}; {subject} is needed")
        columns.append(found.subjects.index(subject))
    if len(found.files) < 2:
        raise ValueError(f"{path}: {len(found.files)} files; the game's own and at least one more are needed")
    effects, errors = (
        np.array([[getattr(one, name)[column] for column in columns] for one in found.files], np.float64)
        for name in ("effects", "errors")
    )
    values = tuple(dict(zip(found.paths, one.values, strict=True)) for one in found.files)
    hashes = tuple(one.hash for one in found.files)
    return _Run(found.plan.players, found.plan.agent, hashes, effects, errors, values)


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
    players, agent = runs[0].players, runs[0].agent
    measured = [(run.effects[0], run.errors[0]) for run in runs]
    games = None if study is None else study.of("assigned", players, agent)
    if study is not None and games is not None and study.plan.components == runs[0].hashes[0]:
        values = role_blocks(games, games.shares, len(roles)) - 1 / players
        measured = [(values.mean(axis=0), standard_errors(values))]
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
        tolerance=tolerance,
    )
    tests = len(roles) * len(screened[0].associations)
    return ScreenedTable(players, agent, tuple(screened), findable(len(files), tests))


def _read(path: Path, kind: Any, file_format: str, version: int) -> Any:
    try:
        content = parse(read_bytes(path, _MOST_BYTES))
        if not isinstance(content, dict):
            raise ValueError(f"{shorten(content)}; a table of fields is needed")
        found = content.pop("format", None), content.pop("version", None)
        if found != (file_format, version):
            raise ValueError(f"format and version {shorten(found)}; {(file_format, version)} are needed")
        return build(kind, content)
    except ReadingError as error:
        raise ValueError(f"{path}: {error}") from error
    except ValueError as error:
        raise ValueError(f"{path}: {reason(error)}") from error

"""Studies: which conditions are played, how many blocks of each, and the folder that holds their games.

The rule of the verdict, the tolerance and the precision are written into the plan before the first game. The number of
blocks follows from the precision by Stein's two-stage procedure (Stein 1945, "A two-sample test for a linear hypothesis
whose power is independent of the variance"): a first stage measures the variance, from which the number of blocks is
computed that makes the 95 % interval of each role's share as narrow as asked for.

Every chunk of blocks is written when it is finished, so that a study that was stopped continues with the same command.
No result depends on the number of workers.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import stdtrit

from dunaia_env.arena.records import exclusive_folder
from dunaia_env.arena.subprocess_agent import name_and_version
from dunaia_env.arena.workers import check_backend, play_all, progress
from dunaia_env.balance.design import Condition, Kind, cycle_length, games_in_block
from dunaia_env.balance.games import Floats, Games, joined, read_games, write_games
from dunaia_env.balance.intervals import power_blocks, role_blocks
from dunaia_env.balance.playing import Work, chunks, play
from dunaia_env.harness import opponents
from dunaia_env.harness.game import NUM_PLAYERS, Game
from dunaia_env.harness.registry import find_game, name_of
from dunaia_env.harness.state import prepare
from dunaia_env.support import atomic
from dunaia_env.support.machine import git_commit, package_version
from dunaia_env.support.messages import reason, shorten
from dunaia_env.support.reading import ReadingError, read_bytes
from dunaia_env.support.typed_json import build, parse

FORMAT, VERSION = "dunaia-balance-study", 1
PLAN_FILE, GAMES_FOLDER = "study.json", "games"
# Blocks of the first stage. With six roles they are whole cycles at tables of two, three and four players.
PILOT_BLOCKS = 120
MOST_BLOCKS = 50_000
# A worker plays about so many games together.
GAMES_AT_ONCE = 512
# Seats without roles, and what a power is worth, are measured less precisely than the roles, by this factor.
COARSER = 2.0
_CONFIDENCE = 0.95
_MOST_PLAN_BYTES = 1 << 20
_WITHOUT_DESIGN: tuple[Kind, ...] = ("absent", "drafted")


class StudyError(ValueError):
    """A study that cannot be begun, continued or read; the message says why."""


@dataclass(frozen=True)
class Plan:
    """What a study plays and how it judges, fixed before its first game.

    Attributes:
        game: name of the game.
        components: hash of its component file.
        strengths: names of agents, from weak to strong, each of which decides for all seats of its games.
        others: names of agents that were trained independently of the strongest one, and should agree with it.
        specialists: names of agents that hold one role, against the strongest agent: "role=agent".
        versions: of all agents, by name.
        players: numbers of players.
        seed: block b has the game seed ``seed + b``.
        tolerance: the difference from the fair share up to which a role is fine.
        precision: half the width of the 95 % interval of a role's share.
        powers: whether every role is also played without its power, by the strongest agent.
        pilot: number of blocks of the first stage.
        command, commit, package, started: where the study comes from.
    """

    game: str
    components: str
    strengths: tuple[str, ...]
    others: tuple[str, ...]
    specialists: tuple[str, ...]
    versions: dict[str, str]
    players: tuple[int, ...]
    seed: int
    tolerance: float
    precision: float
    powers: bool
    pilot: int
    command: str
    commit: str
    package: str
    started: str


@dataclass(frozen=True)
class Study:
    """A study with its games.

    Attributes:
        game: the game.
        conditions: what was played.
        games: the games of each condition by its name, complete blocks only.
        plan: the study's plan.
        seconds: computing time of all workers together.
    """

    game: Game
    conditions: tuple[Condition, ...]
    games: dict[str, Games]
    plan: Plan
    seconds: float

    def of(self, kind: Kind, players: int, agent: str, role: str = "") -> Games | None:
        """The games of a condition; None if it was not played."""
        return self.games.get(condition_name(kind, players, agent, role))


def condition_name(kind: Kind, players: int, agent: str, role: str = "") -> str:
    """The name of a condition; a role is named by ``powerless`` conditions and by those of a specialist."""
    return "-".join([kind, str(players), agent, *([role] if role else [])])


def specialist_of(text: str, game: Game) -> tuple[int, str]:
    """Role and agent of a text ``role=agent``; raises `StudyError` naming what is wrong."""
    names = game.check_roles().names
    role, equals, agent = text.partition("=")
    if not equals or role not in names:
        raise StudyError(f"specialists: {shorten(text)}; role=agent with one of {', '.join(names)} is needed")
    return names.index(role), agent


def first_conditions(plan: Plan, game: Game) -> tuple[Condition, ...]:
    """The conditions of a plan, with the blocks of the first stage."""
    strongest = plan.strengths[-1]
    conditions = []
    for players in plan.players:
        plain: list[tuple[Kind, str]] = [
            *(("assigned", agent) for agent in dict.fromkeys((*plan.strengths, *plan.others))),
            *((kind, agent) for kind in _WITHOUT_DESIGN for agent in plan.strengths),
        ]
        for kind, agent in plain:
            conditions.append(Condition(condition_name(kind, players, agent), kind, players, agent, plan.pilot))
        for number, role in enumerate(game.check_roles().names if plan.powers else ()):
            name = condition_name("powerless", players, strongest, role)
            conditions.append(Condition(name, "powerless", players, strongest, plan.pilot, role=number))
        for text in plan.specialists:
            number, agent = specialist_of(text, game)
            name, agents = condition_name("assigned", players, strongest, text), {number: agent}
            conditions.append(Condition(name, "assigned", players, strongest, plan.pilot, role_agents=agents))
    return tuple(conditions)


def needed_blocks(values: Floats, half_width: float) -> int:
    """The number of blocks that makes the 95 % interval of every column's mean this narrow, by Stein's procedure.

    Args:
        values: float64 ``(B, M)``, at least two blocks of the first stage.
        half_width: half the width of the interval.
    """
    deviation = float(np.round(values.std(axis=0, ddof=1).max(), 9))
    quantile = -float(stdtrit(len(values) - 1, (1 - _CONFIDENCE) / 2))
    return min(MOST_BLOCKS, max(len(values), math.ceil((quantile * deviation / half_width) ** 2)))


def later_conditions(plan: Plan, game: Game, first: Mapping[str, Games]) -> tuple[Condition, ...]:
    """The conditions of a plan with all their blocks, from the games of the first stage."""
    roles = len(game.check_roles().names)
    conditions = []
    for condition in first_conditions(plan, game):
        games = first[condition.name]
        if condition.kind == "powerless":
            whole = first[condition_name("assigned", condition.players, condition.agent)]
            _, values = power_blocks(whole, whole.shares, games, games.shares, condition.role)
            blocks = needed_blocks(values, COARSER * plan.precision)
        elif condition.kind == "assigned":
            blocks = needed_blocks(role_blocks(games, games.shares, roles), plan.precision)
        else:
            blocks = needed_blocks(games.shares, COARSER * plan.precision)
        cycle = cycle_length(roles, condition.players)
        conditions.append(replace(condition, blocks=-(-blocks // cycle) * cycle))
    # What a power is worth is measured on common blocks.
    most = {condition.name: condition.blocks for condition in conditions}
    return tuple(
        replace(one, blocks=min(one.blocks, most[condition_name("assigned", one.players, one.agent)]))
        if one.kind == "powerless"
        else one
        for one in conditions
    )


def make_work(
    game: Game, conditions: Iterable[Condition], *, seed: int, finished: Mapping[str, int] | None = None
) -> Iterator[Work]:
    """The work that conditions need, in chunks of about `GAMES_AT_ONCE` games.

    Args:
        game: the game.
        conditions: the conditions.
        seed: of the study.
        finished: number of blocks of each condition that need not be played.
    """
    for condition in conditions:
        first = (finished or {}).get(condition.name, 0)
        work = Work(name_of(game), condition, game.load(condition.components), seed, first, condition.blocks)
        yield from chunks(work, GAMES_AT_ONCE)


def run_conditions(
    game: Game,
    conditions: Sequence[Condition],
    *,
    seed: int,
    jobs: int = 0,
    backend: str = "loky",
    title: str = "balance",
) -> dict[str, Games]:
    """Play conditions and keep their games in memory; results do not depend on the number of workers.

    Args:
        game: the game.
        conditions: what is played.
        seed: block b has the game seed ``seed + b``.
        jobs: number of workers; 0 for one on each core.
        backend: of joblib.
        title: of the progress bar.

    Raises the first exception of a worker.
    """
    parts: dict[str, list[Games]] = {condition.name: [] for condition in conditions}
    for work, games, _ in _played(game, conditions, seed=seed, jobs=jobs, backend=backend, title=title):
        parts[work.condition.name].append(games)
    return {name: joined(found) for name, found in parts.items()}


def _played(
    game: Game,
    conditions: Sequence[Condition],
    *,
    seed: int,
    jobs: int,
    backend: str,
    title: str,
    finished: Mapping[str, int] | None = None,
) -> Iterator[tuple[Work, Games, float]]:
    """Play what is missing of some conditions; yields each chunk as it is finished, with its seconds."""
    prepare(game)
    roles = len(game.check_roles().names)
    total = sum(condition.blocks * games_in_block(condition, roles) for condition in conditions)
    done = sum(
        min((finished or {}).get(condition.name, 0), condition.blocks) * games_in_block(condition, roles)
        for condition in conditions
    )
    works = make_work(game, conditions, seed=seed, finished=finished)
    with progress(title, total, done) as advance:
        for result in play_all(_play_timed, works, jobs=jobs, backend=backend):
            yield result
            advance(len(result[1]))


def _play_timed(work: Work) -> tuple[Work, Games, float]:
    begin = time.perf_counter()
    games = play(work)
    return work, games, time.perf_counter() - begin


def make_plan(
    game: Game,
    *,
    strengths: Sequence[str],
    others: Sequence[str] = (),
    specialists: Sequence[str] = (),
    players: Sequence[int] | None = None,
    components: Any = None,
    seed: int = 0,
    tolerance: float = 0.03,
    precision: float = 0.01,
    powers: bool = True,
    pilot: int = PILOT_BLOCKS,
    command: str = "",
) -> Plan:
    """A checked plan; raises `ValueError` naming what is wrong with it, also for an agent that cannot be loaded."""
    roles = game.check_roles().names
    if not strengths:
        raise StudyError("strengths: none; at least one agent is needed")
    if repeated := [one for one in strengths if strengths.count(one) > 1]:
        raise StudyError(f"strengths: {repeated[0]} named twice; each agent once is needed")
    table = game.option(NUM_PLAYERS)
    seats = tuple(players or range(table.least, min(table.most, len(roles)) + 1))
    for number in seats:
        table.check(number)
        if number > len(roles):
            raise StudyError(f"players: {number}; at most {len(roles)}, the number of roles, can hold different ones")
    for name, value in (("tolerance", tolerance), ("precision", precision)):
        if not 0 < value < 1:
            raise StudyError(f"{name}: {value}; a share above 0 and below 1 is needed")
    if pilot < 2:
        raise StudyError(f"pilot: {pilot}; at least 2 blocks are needed")
    loaded = game.load(components)
    labels = [*strengths, *others, *(specialist_of(text, game)[1] for text in specialists)]
    versions = {}
    for label in dict.fromkeys(labels):
        versions[label] = " ".join(name_and_version(opponents.load(label, game=game, components=loaded)))
    return Plan(
        game=name_of(game),
        components=loaded.hash,
        strengths=tuple(strengths),
        others=tuple(others),
        specialists=tuple(specialists),
        versions=versions,
        players=seats,
        seed=seed,
        tolerance=tolerance,
        precision=precision,
        powers=powers,
        pilot=pilot,
        command=command,
        commit=(git_commit() or "unknown").replace("+changes", "-dirty"),
        package=package_version(),
        started=datetime.now(UTC).isoformat(timespec="seconds"),
    )


_PROVENANCE = ("command", "commit", "package", "started")


def run_study(folder: Path, plan: Plan, *, components: Any = None, jobs: int = 0, backend: str = "loky") -> Study:
    """Play the study of a plan, or what is missing of it, into a folder.

    Raises `StudyError` for a folder that holds another study, and the first exception of a worker; finished chunks are
    kept.
    """
    check_backend(backend)
    game = find_game(plan.game)
    with exclusive_folder(folder, [PLAN_FILE]):
        if (folder / PLAN_FILE).exists():
            stored = read_plan(folder)
            for name, value in asdict(plan).items():
                found = asdict(stored)[name]
                if name not in _PROVENANCE and found != value:
                    raise StudyError(
                        f"{folder}: holds another study: {name} {shorten(found)} stored, {shorten(value)} requested"
                    )
            plan = stored
        else:
            content = {"format": FORMAT, "version": VERSION, **asdict(plan)}
            atomic.write_text(folder / PLAN_FILE, json.dumps(content, indent=2) + "\n")
        (folder / GAMES_FOLDER).mkdir(exist_ok=True)
        first = tuple(replace(one, components=components) for one in first_conditions(plan, game))
        _play_missing(folder, game, first, plan, jobs, backend, "balance, first stage")
        stage = {name: games.of_blocks(0, plan.pilot) for name, games in _stored(folder, first)[0].items()}
        later = tuple(replace(one, components=components) for one in later_conditions(plan, game, stage))
        _play_missing(folder, game, later, plan, jobs, backend, "balance")
    return read_study(folder)


def _play_missing(
    folder: Path, game: Game, conditions: Sequence[Condition], plan: Plan, jobs: int, backend: str, title: str
) -> None:
    finished = _stored(folder, conditions)[1]
    numbers = {condition.name: number for number, condition in enumerate(conditions)}
    played = _played(game, conditions, seed=plan.seed, jobs=jobs, backend=backend, title=title, finished=finished)
    for work, games, seconds in played:
        name = work.condition.name
        header = {"condition": name, "first": work.first, "last": work.last, "seconds": round(seconds, 3)}
        write_games(folder / GAMES_FOLDER / f"{numbers[name]:03d}-{work.first:06d}.safetensors", games, header)


def _stored(folder: Path, conditions: Sequence[Condition]) -> tuple[dict[str, Games], dict[str, int], float]:
    """The stored games of conditions, from the first block without a gap; the number of these blocks; their seconds."""
    found: dict[str, list[tuple[int, int, Games]]] = {condition.name: [] for condition in conditions}
    seconds = 0.0
    for path in sorted((folder / GAMES_FOLDER).glob("*.safetensors")):
        games, header = read_games(path)
        name, first, last = header.get("condition"), header.get("first"), header.get("last")
        if name not in found or not isinstance(first, int) or not isinstance(last, int):
            raise StudyError(f"{path}: condition {shorten(name)}; one of the study's is needed")
        found[name].append((first, last, games))
        seconds += float(header.get("seconds", 0.0))
    whole, blocks = {}, {}
    for name, parts in found.items():
        end, kept = 0, []
        for first, last, games in sorted(parts, key=lambda part: part[:2]):
            if first > end:
                break
            if last > end:
                kept.append(games.of_blocks(end, last))
                end = last
        blocks[name] = end
        if kept:
            whole[name] = joined(kept)
    return whole, blocks, seconds


def read_plan(folder: Path) -> Plan:
    """The plan of a study; raises `StudyError` naming the file and what is wrong."""
    path = folder / PLAN_FILE
    try:
        content = parse(read_bytes(path, _MOST_PLAN_BYTES))
        if not isinstance(content, dict):
            raise StudyError(f"{shorten(content)}; a table of fields is needed")
        found = content.pop("format", None), content.pop("version", None)
        if found != (FORMAT, VERSION):
            raise StudyError(f"format and version {shorten(found)}; {(FORMAT, VERSION)} are needed")
        plan = build(Plan, content)
    except ReadingError as error:
        raise StudyError(f"{path}: {error}") from error
    except ValueError as error:
        raise StudyError(f"{path}: not the plan of a study: {reason(error)}") from error
    return plan


def read_study(folder: Path) -> Study:
    """The study of a folder, as far as it was played; raises `StudyError` naming what is wrong."""
    plan = read_plan(folder)
    game = find_game(plan.game)
    conditions = first_conditions(plan, game)
    games, blocks, seconds = _stored(folder, conditions)
    return Study(
        game=game,
        conditions=tuple(replace(one, blocks=blocks[one.name]) for one in conditions if blocks[one.name]),
        games=games,
        plan=plan,
        seconds=seconds,
    )

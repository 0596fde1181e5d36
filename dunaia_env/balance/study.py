"""Studies: which conditions are played, how many blocks of each, and the folder that holds their games.

The rule of the verdict, the tolerance and the precision are written into the plan before the first game. The number of
blocks follows from the precision by Stein's two-stage procedure (Stein 1945, "A two-sample test for a linear hypothesis
whose power is independent of the variance"): a first stage measures the variance, and from the variance the study
computes how many blocks make the 95 % interval of each role's share as narrow as requested.

Every chunk of blocks is written when it is finished, so the same command continues a study that was stopped. No result
depends on the number of workers.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import stdtrit

from dunaia_env.arena.run_files import exclusive_folder
from dunaia_env.balance import averages, intervals, plans, playing
from dunaia_env.balance.design import Condition, Kind, cycle_length, games_in_block, lineups
from dunaia_env.balance.games import Floats, Games, joined, read_games, write_games, wrong_ranks
from dunaia_env.harness import registry, seeds
from dunaia_env.harness.game import Game
from dunaia_env.harness.roles import NOBODY
from dunaia_env.statistics.workers import check_backend
from dunaia_env.support.messages import shorten

GAMES_FOLDER = "games"
# The shares of seats in games without assigned roles, and what a power is worth, are measured less precisely than the
# shares of roles, by this factor.
COARSER = 2.0
# The same factor for what a specialist or a best response changes.
SPECIAL = 1.5
_CONFIDENCE = 0.95
_MOST_OF_A_NAME = 60
_WITHOUT_DESIGN: tuple[Kind, ...] = ("absent", "drafted")


@dataclass(frozen=True)
class Study:
    """A study with its games.

    Attributes:
        game: the game.
        conditions: what was played.
        games: the games of each condition, by its name; complete blocks only.
        plan: the study's plan.
        seconds: computing time of all workers together.
    """

    game: Game
    conditions: tuple[Condition, ...]
    games: dict[str, Games]
    plan: plans.Plan
    seconds: float

    def of(self, kind: Kind, players: int, agent: str, role: str = "") -> Games | None:
        """The games of a condition; None if it was not played."""
        return self.games.get(plans.condition_name(kind, players, agent, role))


def first_conditions(plan: plans.Plan, game: Game) -> tuple[Condition, ...]:
    """The conditions of a plan, with the blocks of the first stage."""
    strongest, options = plan.strengths[-1], plans.options_of(plan, game)
    conditions: dict[str, Condition] = {}

    def add(kind: Kind, players: int, agent: str, label: str = "", **more: Any) -> None:
        name = plans.condition_name(kind, players, agent, label)
        one = Condition(name, kind, players, agent, plan.pilot, options=options, **more)
        limit = _most_blocks(plan, one)
        conditions.setdefault(name, replace(one, blocks=min(plan.pilot, limit)))

    for players in plan.players:
        for agent in dict.fromkeys((*plan.strengths, *plan.others)):
            if players in plan.tables.get(agent, plan.players):
                add("assigned", players, agent)
        for kind in _WITHOUT_DESIGN:
            for agent in plan.strengths:
                add(kind, players, agent)
        for number, role in enumerate(game.require("roles").names if plan.powers else ()):
            add("powerless", players, strongest, role, role=number)
        for special in plans.specials_of(plan, game):
            tables = set(plan.tables.get(special.agent, plan.players)) & set(
                plan.tables.get(plan.opponent, plan.players)
            )
            if players in tables:
                # The agent holds the role against the opponent, and among copies of itself; then each of the two plays
                # the role's seat without the power.
                add(
                    "assigned",
                    players,
                    plan.opponent,
                    special.text,
                    role=special.role,
                    role_agents={special.role: special.agent},
                )
                add("assigned", players, special.agent, f"{special.name} held", role=special.role)
                add(
                    "powerless",
                    players,
                    plan.opponent,
                    special.text,
                    role=special.role,
                    role_agents={NOBODY: special.agent},
                )
                add("powerless", players, plan.opponent, special.name, role=special.role)
    return tuple(conditions.values())


def _special_blocks(plan: plans.Plan, game: Game, first: Mapping[str, Games]) -> dict[str, int]:
    """The number of blocks for each condition of a specialist or best response: enough to measure what it changes."""
    blocks: dict[str, int] = {}
    for special in plans.specials_of(plan, game):
        for players in plan.players:
            held = first.get(plans.condition_name("assigned", players, plan.opponent, special.text))
            if held is None:
                continue
            general = first[plans.condition_name("assigned", players, plan.opponent)]
            numbers, after = averages.shares_of_role(held, special.role)
            others, before = averages.shares_of_role(general, special.role)
            changes = after[np.isin(numbers, others)] - before[np.isin(others, numbers)]
            needed = needed_blocks(changes, SPECIAL * plan.precision)
            for name in (
                plans.condition_name("assigned", players, plan.opponent, special.text),
                plans.condition_name("assigned", players, special.agent, f"{special.name} held"),
                plans.condition_name("powerless", players, plan.opponent, special.text),
                plans.condition_name("powerless", players, plan.opponent, special.name),
            ):
                blocks[name] = max(needed, blocks.get(name, 0))
    return blocks


def _most_blocks(plan: plans.Plan, condition: Condition) -> int:
    """Upper limit on the blocks of a condition, from the limits of its agents."""
    agents = (condition.agent, *condition.role_agents.values())
    return min(plan.most_blocks.get(agent, plans.MOST_BLOCKS) for agent in agents)


def needed_blocks(values: Floats, half_width: float) -> int:
    """The number of blocks that makes the 95 % interval of every column's mean this narrow, by Stein's procedure.

    Args:
        values: float64 ``(B, M)``, at least two blocks of the first stage.
        half_width: half-width of the interval.
    """
    deviation = float(np.round(values.std(axis=0, ddof=1).max(), 9))
    quantile = -float(stdtrit(len(values) - 1, (1 - _CONFIDENCE) / 2))
    return min(plans.MOST_BLOCKS, max(len(values), math.ceil((quantile * deviation / half_width) ** 2)))


def later_conditions(plan: plans.Plan, game: Game, first: Mapping[str, Games]) -> tuple[Condition, ...]:
    """The conditions of a plan with their final numbers of blocks, which follow from the games of the first stage."""
    roles = len(game.require("roles").names)
    strongest, precision = plan.strengths[-1], plan.precision
    special = _special_blocks(plan, game, first)
    conditions = []
    for condition in first_conditions(plan, game):
        games = first[condition.name]
        blocks = special.get(condition.name, 0)
        if condition.kind == "powerless" and not condition.role_agents:
            whole = first[plans.condition_name("assigned", condition.players, condition.agent)]
            _, values = intervals.power_blocks(whole, whole.shares, games, games.shares, condition.role)
            blocks = max(blocks, needed_blocks(values, COARSER * precision))
        elif condition.kind == "assigned" and condition.role == NOBODY:
            blocks = needed_blocks(intervals.role_blocks(games, games.shares, roles), precision)
        elif condition.kind in _WITHOUT_DESIGN:
            blocks = needed_blocks(games.shares, COARSER * precision)
        cycle = cycle_length(roles, condition.players)
        blocks = min(blocks, _most_blocks(plan, condition))
        conditions.append(replace(condition, blocks=-(-blocks // cycle) * cycle))
    # Games that are limited to one role are compared with the games of the same blocks in which the agent holds all
    # roles, so they need no more blocks than these.
    most = {condition.name: condition.blocks for condition in conditions}
    compared = {
        each.name: plans.condition_name("assigned", each.players, plan.opponent or strongest) for each in conditions
    }
    compared |= {
        each.name: plans.condition_name("assigned", each.players, each.agent)
        for each in conditions
        if each.kind == "powerless" and not each.role_agents
    }
    return tuple(
        replace(each, blocks=min(each.blocks, most[compared[each.name]])) if each.role != NOBODY else each
        for each in conditions
    )


def make_work(
    game: Game, condition: Condition, *, seed: int, seeding: seeds.Seeding = seeds.HASHED, first: int = 0
) -> playing.Work:
    """The blocks of a condition from the block ``first``; ``seeding`` says how game seeds follow from the seed."""
    loaded = game.load(condition.components)
    return playing.Work(
        registry.name_of(game), condition, loaded, seed, min(first, condition.blocks), condition.blocks, seeding
    )


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
        seed: the seed from which the game seed of each block follows.
        jobs: number of workers; 0 for one on each core.
        backend: joblib backend of the workers.
        title: title of the progress bar.

    Raises the first exception of a worker.
    """
    parts: dict[str, list[Games]] = {condition.name: [] for condition in conditions}
    works = [make_work(game, condition, seed=seed) for condition in conditions]
    for chunk in playing.play_works(game, works, jobs=jobs, backend=backend, title=title):
        parts[chunk.work.condition.name].append(chunk.games)
    return {name: joined(found) for name, found in parts.items()}


def run_study(folder: Path, plan: plans.Plan, *, components: Any = None, jobs: int = 0, backend: str = "loky") -> Study:
    """Play the study of a plan, or the missing part of it, and store its games in a folder.

    If the folder holds the study without some of the agents on which no verdict depends, these are added to it, see
    `dunaia_env.balance.plans.extended`.

    Raises `StudyError` for a folder that holds another study, and the first exception of a worker; finished chunks are
    kept.
    """
    check_backend(backend)
    game = registry.find_game(plan.game)
    named = frozenset(plans.agents_of(plan).values())
    with exclusive_folder(folder, [plans.PLAN_FILE]):
        if (folder / plans.PLAN_FILE).exists():
            stored = plans.read_plan(folder, named=named)
            plan = plans.extended(stored, plan, folder)
            if plan != stored:
                plans.write_plan(folder, plan)
        else:
            plans.write_plan(folder, plan)
        (folder / GAMES_FOLDER).mkdir(exist_ok=True)
        first = tuple(replace(condition, components=components) for condition in first_conditions(plan, game))
        _play_missing(folder, game, first, plan, jobs, backend, "balance, first stage")
        stage = {name: games.of_blocks(0, plan.pilot) for name, games in _stored(folder, game, first)[0].items()}
        later = tuple(replace(condition, components=components) for condition in later_conditions(plan, game, stage))
        _play_missing(folder, game, later, plan, jobs, backend, "balance")
    return read_study(folder, named=named)


def _play_missing(
    folder: Path, game: Game, conditions: Sequence[Condition], plan: plans.Plan, jobs: int, backend: str, title: str
) -> None:
    finished, roles = _stored(folder, game, conditions)[1], len(game.require("roles").names)
    works = [
        make_work(game, condition, seed=plan.seed, seeding=plan.seeding, first=finished.get(condition.name, 0))
        for condition in conditions
    ]
    done = sum(work.first * games_in_block(work.condition, roles) for work in works)
    for _, work, games, seconds in playing.play_works(game, works, jobs=jobs, backend=backend, title=title, done=done):
        name = work.condition.name
        header = {"condition": name, "first": work.first, "last": work.last, "seconds": round(seconds, 3)}
        write_games(folder / GAMES_FOLDER / f"{_file_stem(name)}-{work.first:06d}.safetensors", games, header)


def _file_stem(condition: str) -> str:
    """The beginning of the names of a condition's files; it stays the same when conditions are added to the study."""
    readable = re.sub(r"[^a-z0-9]+", "-", condition.lower()).strip("-")[:_MOST_OF_A_NAME]
    return f"{readable}-{hashlib.sha256(condition.encode()).hexdigest()[:8]}"


def _check_part(game: Game, condition: Condition, games: Games, header: Mapping[str, Any]) -> None:
    """Raise `ValueError` unless a file holds whole blocks of a condition, as the design says; names the field."""
    roles = len(game.require("roles").names)
    events = len(game.events.names) if game.events else 0
    if games.first_seat.shape[1] != events:
        raise plans.StudyError(f"first_seat: expected {events} events, got {games.first_seat.shape[1]}")
    for problem in wrong_ranks(games, scores_decide=game.scores_decide):
        raise plans.StudyError(problem)
    first, last, seconds = header.get("first"), header.get("last"), header.get("seconds", 0.0)
    if not (type(first) is int and type(last) is int and 0 <= first < last):
        raise plans.StudyError(
            f"first and last: expected the blocks that it holds, got {shorten(first)} and {shorten(last)}"
        )
    if type(seconds) not in (int, float) or not 0 <= seconds < math.inf:
        raise plans.StudyError(f"seconds: expected the computing time, got {shorten(seconds)}")
    if games.seats != condition.players:
        raise plans.StudyError(f"ranks: expected {condition.players} seats, got {games.seats}")
    if len(games) != (last - first) * games_in_block(condition, roles):
        raise plans.StudyError(f"block: expected the games of the blocks {first} to {last - 1}, got {len(games)} games")
    planned = [(block, lineup) for block in range(first, last) for lineup in lineups(condition, block, roles)]
    for name, numbers in (("block", [block for block, _ in planned]), ("order", [one.order for _, one in planned])):
        if not np.array_equal(getattr(games, name), numbers):
            raise plans.StudyError(
                f"{name}: not the numbers of the blocks {first} to {last - 1}, each game once and in order"
            )
    if condition.kind in ("assigned", "powerless"):
        if not np.array_equal(games.roles, [one.roles for _, one in planned]):
            raise plans.StudyError("roles: not those that the design assigns to the seats")
    elif (games.roles >= roles).any() or (condition.kind == "absent" and (games.roles != NOBODY).any()):
        raise plans.StudyError(f"roles: up to {games.roles.max()}; not those of a game with {condition.kind} roles")


def _stored(
    folder: Path, game: Game, conditions: Sequence[Condition]
) -> tuple[dict[str, Games], dict[str, int], float]:
    """The stored games of conditions, from the first block up to a gap; the numbers of these blocks; computing time."""
    found: dict[str, list[tuple[int, int, Games]]] = {condition.name: [] for condition in conditions}
    known = {condition.name: condition for condition in conditions}
    seconds = 0.0
    for path in sorted((folder / GAMES_FOLDER).glob("*.safetensors")):
        games, header = read_games(path)
        name = header.get("condition")
        if not isinstance(name, str) or name not in found:
            raise plans.StudyError(f"{path}: expected a condition of the study, got {shorten(name)}")
        try:
            _check_part(game, known[name], games, header)
        except ValueError as error:
            raise plans.StudyError(f"{path}: {error}") from error
        found[name].append((header["first"], header["last"], games))
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


def read_study(folder: Path, *, named: Container[str] = ()) -> Study:
    """The study of a folder, as far as it was played.

    Args:
        folder: the study's folder.
        named: the agents that the command line names, see `dunaia_env.balance.plans.read_plan`.

    Raises `StudyError` naming what is wrong.
    """
    plan = plans.read_plan(folder, named=named)
    game = registry.game_of_file(plan.game)
    conditions = first_conditions(plan, game)
    games, blocks, seconds = _stored(folder, game, conditions)
    return Study(
        game=game,
        conditions=tuple(
            replace(condition, blocks=blocks[condition.name]) for condition in conditions if blocks[condition.name]
        ),
        games=games,
        plan=plan,
        seconds=seconds,
    )

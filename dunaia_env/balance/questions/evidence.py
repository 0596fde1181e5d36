"""The evidence: where a study's numbers come from, what they cannot say, and the games of note with their replays.

The games of note of a condition are the median game and the strangest ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from dunaia_env import replay
from dunaia_env.arena.notable import RecordedAgent, distances
from dunaia_env.balance import design, plans, playing
from dunaia_env.balance.games import Games
from dunaia_env.balance.questions import screening, shapes
from dunaia_env.balance.questions.causes import CauseTests
from dunaia_env.balance.study import Study
from dunaia_env.balance.wording import kind_words, label_of, name_of_role, players_words, section_number, with_article
from dunaia_env.harness.game import Game
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.roles import NOBODY
from dunaia_env.harness.seeds import HASHED, Seeding, block_seed, describe_seeds
from dunaia_env.reports.moments import MOMENT_NOTE, Moment, write_moment
from dunaia_env.reports.parts import Figure, ReportTable, Section, TableCell, table_row
from dunaia_env.statistics.intervals import Floats, round_portably
from dunaia_env.support.english import listed

REPLAYS_FOLDER = "replays"

STRANGEST = 5
FEATURES = ("rounds", "decisions", "winning margin", "lead changes", "best score", "score of the last")
# A feature is named as a reason if the game lies at least this many robust standard deviations from its median.
_STRIKING = 2.0
_MOST_REASONS = 3


@dataclass(frozen=True)
class NotedGame:
    """A game of note.

    Attributes:
        name: ``median`` or ``strangest-1`` ….
        why: what is special about it.
        players: number of players.
        agent: the agent in all seats.
        block: number of the block.
        order: the game's number in its block.
        seed: the game's seed.
        roles: name of the role of each seat, or an empty text for none.
        scores: points of each seat.
        rounds: number of rounds played.
        distance: ``sqrt(sum of z^2)`` over `FEATURES`, where z is the distance from the median in robust standard
            deviations.
        features: the game's value of each of `FEATURES`.
        path: path of the replay, relative to the report; None if there is none.
        problem: why there is no replay; empty otherwise.
        moment: the deciding moment, with its picture; None without a replay, and for a game without pictures.
    """

    name: str
    why: str
    players: int
    agent: str
    block: int
    order: int
    seed: int
    roles: tuple[str, ...]
    scores: tuple[int, ...]
    rounds: int
    distance: float
    features: dict[str, int]
    path: str | None = None
    problem: str = ""
    moment: Moment | None = None


def features(games: Games) -> Floats:
    """The `FEATURES` of games, float64 ``(G, len(FEATURES))``."""
    columns = (
        games.rounds,
        games.decisions,
        shapes.winning_margins(games),
        shapes.lead_changes(games),
        games.scores.max(axis=1),
        games.scores.min(axis=1),
    )
    return np.column_stack(columns).astype(np.float64)


def games_of_note(
    games: Games, agent: str, seed: int, names: Sequence[str], seeding: Seeding = HASHED
) -> tuple[NotedGame, ...]:
    """The median game, which is nearest to the medians of all `FEATURES`, and the strangest ones, farthest from them.

    Args:
        games: the games of a condition.
        agent: the agent in all seats.
        seed: the study's seed.
        names: names of the roles.
        seeding: how game seeds follow from the study's seed.

    Ties are broken by block and order.
    """
    if not len(games):
        return ()
    values = features(games)
    scores = distances(values)
    medians = np.median(values, axis=0)
    far = round_portably(np.sqrt((scores**2).sum(axis=1)))
    middle = int(far.argmin())
    strangest = [index for index in np.argsort(-far, kind="stable").tolist() if index != middle][:STRANGEST]
    labels = ["median", *(f"strangest-{place}" for place in range(1, len(strangest) + 1))]
    found = []
    for name, index in zip(labels, [middle, *strangest], strict=True):
        found.append(
            NotedGame(
                name=name,
                why="nearest to the medians of all features"
                if name == "median"
                else _reasons(values[index], medians, scores[index]),
                players=games.seats,
                agent=agent,
                block=int(games.block[index]),
                order=int(games.order[index]),
                seed=block_seed(seed, int(games.block[index]), seeding),
                roles=tuple("" if role == NOBODY else names[role] for role in games.roles[index].tolist()),
                scores=tuple(games.scores[index].tolist()),
                rounds=int(games.rounds[index]),
                distance=float(far[index]),
                features=dict(zip(FEATURES, values[index].astype(int).tolist(), strict=True)),
            )
        )
    return tuple(found)


def _reasons(values: Floats, medians: Floats, scores: Floats) -> str:
    order = np.argsort(-np.abs(scores), kind="stable")[:_MOST_REASONS].tolist()
    striking = [index for index in order if abs(scores[index]) >= _STRIKING] or order[:1]
    return ", ".join(f"{FEATURES[index]} {values[index]:g} (median {medians[index]:g})" for index in striking)


def replay_of(noted: NotedGame, game: Game, condition: design.Condition, components: Any) -> replay.Replay:
    """The replay of a game of a condition, made by playing the game once more with loaded components.

    Raises `ValueError` if the game does not end as it did in the study. That happens with agents whose decisions depend
    on how many games they play together.
    """
    roles = game.require("roles")
    numbers = tuple(roles.names.index(name) if name else NOBODY for name in noted.roles)
    options = playing.game_options(condition, design.Lineup(noted.order, numbers), roles)
    played_game = playing.game_of(condition, game)
    actions = _actions(noted.seed, played_game, components, condition, options)
    played = replay.record_game(
        noted.seed,
        [RecordedAgent(condition.agent, actions)],
        game=played_game,
        components=components,
        **options,
    )
    if tuple(played.result["scores"]) != noted.scores:
        raise ValueError(
            f"played again, it ends with the scores {tuple(played.result['scores'])}; in the study, with {noted.scores}"
        )
    return played


def _actions(
    seed: int, game: Game, components: Any, condition: design.Condition, options: dict[str, Any]
) -> Iterator[int]:
    """The actions of a game that the condition's agent plays for all seats."""
    lanes = Lanes(1, game=game, components=components, autoreset=False, **options)
    lanes.reset([seed])
    agent = playing.load_agent(condition.agent, game, components)
    agent.reset(playing.AGENT_SEED)
    while len(active := np.flatnonzero(lanes.seats >= 0)):
        actions = agent.act_batch(lanes, active)
        yield int(actions[0])
        lanes.step(actions, active)


def write_replays(
    folder: Path, noted: Sequence[NotedGame], game: Game, condition: design.Condition, components: Any, needed: str
) -> tuple[NotedGame, ...]:
    """Write the replay of each game of note, and the picture of its deciding moment.

    Returns the games with their paths and moments, or with the reason why there is no replay.

    Args:
        folder: the report's folder.
        noted: the games.
        game: the study's game.
        condition: the condition to which the games belong.
        components: loaded components.
        needed: the hash of the components that the study played with.
    """
    written = []
    for noted_game in noted:
        path, picture = (
            f"{REPLAYS_FOLDER}/{noted_game.players}-players-{noted_game.name}.{kind}" for kind in ("jsonl", "svg")
        )
        try:
            if components.hash != needed:
                raise ValueError(f"the study was played with components {needed}, not {components.hash}")
            played = replay_of(noted_game, game, condition, components)
            replay.write(played, folder / path)
            moment = write_moment(folder, picture, played, components=components)
            written.append(replace(noted_game, path=path, moment=moment))
        except ValueError as error:
            for old in (path, picture):
                (folder / old).unlink(missing_ok=True)
            written.append(replace(noted_game, problem=str(error)))
    return tuple(written)


def evidence_section(study: Study, noted: Sequence[NotedGame], figures: tuple[Figure, ...] = ()) -> Section:
    """Where the numbers come from, how to repeat them, the replays, and the pictures of their deciding moments."""
    plan = study.plan
    total = sum(len(games) for games in study.games.values())
    blocks = {name: len(set(games.block.tolist())) for name, games in study.games.items()}
    most = max(blocks.values(), default=0)
    facts = (
        ("game", study.game.title),
        *([("options", ", ".join(_options(study)))] if plan.options else []),
        ("components", plan.components),
        ("commit", plan.commit),
        ("package", plan.package),
        ("started", plan.started),
        *(
            ("added later", f"{listed(extension.agents)}; commit {extension.commit}, {extension.started}")
            for extension in plan.extensions
        ),
        ("computing time", _duration(study.seconds)),
        (
            "game seeds",
            f"{describe_seeds(plan.seed, most, plan.seeding)}; one for each block, the same in all conditions",
        ),
        ("games", f"{total:,} in {sum(blocks.values()):,} blocks"),
        ("tolerance", f"±{100 * plan.tolerance:g} percentage points"),
        (
            "correction for multiple comparisons",
            f"section {section_number('verdicts')}: simultaneous intervals over all of them; elsewhere none",
        ),
        ("sampling unit of every interval", "the block: all games with one seed"),
    )
    agents = tuple(table_row(label, version) for label, version in plan.versions.items())
    tables = [
        ReportTable("", ("field", "value"), tuple(table_row(*fact) for fact in facts), texts=True),
        ReportTable("Players", ("name", "program and version"), agents, texts=True),
        _conditions_table(study),
    ]
    links: tuple[tuple[str, str, str], ...] = ()
    if noted:
        missing = any(game.problem for game in noted)
        columns = ["game", "table", "why it is of note", "seats and points", "seed", "block", "order in the block"]
        columns += ["why it was not replayed"] if missing else []
        rows = tuple((*_noted_row(game), *([TableCell(game.problem)] if missing else [])) for game in noted)
        note = (
            "At each number of players, the median game is nearest to the medians of all features, and the strangest"
            " games are farthest from them. Distances are in robust standard deviations. To show a game:"
            " python -m dunaia_env.replay show FILE"
        )
        heading = f"Games of note, {label_of(plan.strengths[-1])}"
        notes = (note, MOMENT_NOTE) if figures else (note,)
        tables.append(ReportTable(heading, tuple(columns), rows, notes, texts=True))
        links = tuple((PurePosixPath(game.path).name, game.path, f"seed {game.seed}") for game in noted if game.path)
    commands = "\n".join([plan.command, *(extension.command for extension in plan.extensions)])
    return Section("Evidence", tables=tuple(tables), code=commands, links=links, figures=figures)


def _options(study: Study) -> list[str]:
    """The options of the study's games that are not the game's defaults, each with its value."""
    values = plans.options_of(study.plan, study.game)
    return [f"{name} {study.game.option(name).word(value)}" for name, value in values.items()]


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    hours = f"{minutes // 60} h " if minutes >= 60 else ""
    return f"{hours}{minutes % 60} min on one core" if minutes else f"{seconds:.0f} s on one core"


def _noted_row(game: NotedGame) -> tuple[TableCell, ...]:
    roles = game.roles or ("",) * len(game.scores)
    seats = [f"{name_of_role(role) or '–'} {score}" for role, score in zip(roles, game.scores, strict=True)]
    return table_row(
        game.name,
        players_words(game.players),
        game.why,
        ", ".join(seats),
        str(game.seed),
        str(game.block),
        str(game.order),
    )


def _conditions_table(study: Study) -> ReportTable:
    """Blocks and games of every condition, a column for each number of players."""
    played = sorted({condition.players for condition in study.conditions})
    names, title = study.game.require("roles").names, study.game.require("roles").title
    found: dict[tuple[str, str, str], dict[int, str]] = {}
    for condition in study.conditions:
        games = study.games.get(condition.name)
        if games is None:
            continue
        role = "all" if condition.role == NOBODY else names[condition.role]
        if condition.role_agents:
            role = f"{role}: {listed([label_of(agent) for agent in condition.role_agents.values()])}"
        key = (
            kind_words(condition.kind, study.game.require("roles")),
            label_of(condition.agent),
            "none" if condition.kind == "absent" else role,
        )
        found.setdefault(key, {})[condition.players] = f"{len(set(games.block.tolist())):,} ({len(games):,})"
    rows = tuple(table_row(*key, *(cells.get(count, "–") for count in played)) for key, cells in found.items())
    columns = ("games", "players", title, *(players_words(count) for count in played))
    return ReportTable("Blocks of each condition, with the games in brackets", columns, rows, texts=True)


def limits_section(study: Study, robustness: screening.Robustness | None, causes: CauseTests | None) -> Section:
    """The section on what the report cannot say."""
    roles = study.game.require("roles")
    several = any(players > 2 for players in study.plan.players)
    texts = []
    texts.append(
        "The players are programs. People plan, bluff and make mistakes in other ways, so the shares in this report"
        " describe these programs, not an evening with friends. What holds at every strength is more likely to hold for"
        " people."
    )
    texts.append(
        f"All players in a game are equally strong. What {with_article(roles.title)} is worth to a strong player among"
        " weak ones is another question."
    )
    texts.append(
        f"{with_article(roles.title).capitalize()} that looks weak may be one that no program has learned to use;"
        f" section {section_number('unlearned')} says what was tried."
    )
    if several:
        texts.append(
            "With more than two players, there is no single best way to play. Programs trained together may have"
            " settled on habits, such as whom to hinder, that others would not share."
        )
    if robustness is None:
        texts.append(
            "The values of the component file are taken as given. If one of them is an assumption rather than a printed"
            " value, every number in this report rests on that assumption."
        )
    if causes is None:
        texts.append("The report says how large the effects are, but not what causes them: no cause was tested.")
    texts.append(
        f"Outside section {section_number('verdicts')}, each interval is to be taken alone. On average, one in twenty"
        " such intervals misses the true value, so a single surprise there is not a finding."
    )
    return Section("Limits", tuple(texts))

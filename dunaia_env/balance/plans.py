"""Plans of studies: what is played and how it is judged, fixed before the first game and stored beside the games."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from dunaia_env.arena.subprocess_agent import name_and_version
from dunaia_env.balance.design import Kind
from dunaia_env.harness import opponents, registry, seeds
from dunaia_env.harness.compiled.chance import check_seed
from dunaia_env.harness.game import Game
from dunaia_env.harness.lineage import Lineage, began_with
from dunaia_env.harness.opponents import Agent
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.support import atomic, machine, reading, typed_json
from dunaia_env.support.messages import MOST_OF_A_VALUE, printable, reason, shorten
from dunaia_env.support.version import __version__

FORMAT, VERSION = "dunaia-balance-study", 5
PLAN_FILE = "study.json"
# Number of blocks of the first stage. With six roles these are whole cycles at tables of two, three and four players.
PILOT_BLOCKS = 120
# Version of the rule of the verdicts.
RULE = 2
# The largest number of blocks of a condition.
MOST_BLOCKS = 50_000
_MOST_PLAN_BYTES = 1 << 20
# The fields that plans have since a version, with the values that older plans imply. The last plans of version 2 have
# options.
_SINCE: dict[int, dict[str, Any]] = {
    2: {"responses": [], "opponent": "", "derived": {}, "most_blocks": {}, "tables": {}, "extensions": []},
    3: {"options": {}, "lineages": {}},
    4: {"seeding": seeds.CONSECUTIVE},
    5: {"rule": 1},
}
# The fields to which agents may be added without a change of what a study judges, the fields by agent, and the fields
# that say where a plan comes from.
_ADDITIONS = ("others", "specialists", "responses")
_BY_AGENT = ("versions", "derived", "lineages", "most_blocks", "tables")
_PROVENANCE = ("command", "commit", "package", "started", "extensions")


class StudyError(ValueError):
    """A study that cannot be begun, continued or read; the message says why."""


@dataclass(frozen=True)
class Extension:
    """A command that added agents to a study after its first game.

    Attributes:
        agents: the agents that were added, as names, or as ``role=agent`` for agents that hold one role.
        command, commit, started: the command line, the commit of the checkout, and the time when the command began.
    """

    agents: tuple[str, ...]
    command: str
    commit: str
    started: str


@dataclass(frozen=True)
class Plan:
    """What a study plays and how it judges, fixed before its first game.

    Attributes:
        game: name of the game.
        components: hash of its component file.
        strengths: names of agents, the levels of play from weak to strong, each of which decides for all seats of its
            games.
        others: names of further agents that decide for all seats, the witnesses. No verdict depends on them; the report
            says whether they agree with the strongest level, or what a search adds to it.
        specialists: agents that were trained to hold one role, as "role=agent". They hold it against ``opponent``.
        responses: agents that were trained as best responses, as "role=agent": they held one role while the other
            players did not learn.
        opponent: name of the agent against which specialists and best responses play, one of ``strengths`` and
            ``others``; empty if there are none.
        derived: by name of an agent, the name of the agent with whose weights its training began, as far as the command
            says.
        versions: versions of all agents, by name.
        players: numbers of players at a table.
        seed: the seed from which the game seed of each block follows.
        tolerance: the largest difference from the fair share at which a role is still fine.
        precision: half-width of the 95 % interval of a role's share.
        most_blocks: upper limit on the blocks of each condition in which an agent plays, by name of the agent; for slow
            agents.
        tables: numbers of players with which an agent plays, by name of the agent; agents without an entry play with
            all of ``players``.
        powers: whether every role is also played without its power, by the strongest agent.
        pilot: number of blocks of the first stage.
        command, commit, package, started: the command line, the commit of the checkout, the version of the package, and
            the time when the study began.
        extensions: the commands that added agents later.
        options: the options that differ from the game's defaults, in the form in which a file holds them; they hold for
            all games of the study.
        lineages: lineages of the agents whose model files have one, by name.
        seeding: how game seeds follow from the seed, see `dunaia_env.harness.seeds`.
        rule: version of the rule of the verdicts that was in force, see `dunaia_env.balance.questions.verdicts`.
    """

    game: str
    components: str
    strengths: tuple[str, ...]
    others: tuple[str, ...]
    specialists: tuple[str, ...]
    responses: tuple[str, ...]
    opponent: str
    derived: dict[str, str]
    versions: dict[str, str]
    players: tuple[int, ...]
    seed: int
    tolerance: float
    precision: float
    most_blocks: dict[str, int]
    tables: dict[str, tuple[int, ...]]
    powers: bool
    pilot: int
    command: str
    commit: str
    package: str
    started: str
    extensions: tuple[Extension, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    lineages: dict[str, Lineage] = field(default_factory=dict)
    seeding: seeds.Seeding = seeds.HASHED
    rule: int = RULE


def began_with_of(plan: Plan) -> dict[str, str]:
    """By name of an agent, the one with whose weights its training began, as far as model files and the command say."""
    return began_with(plan.lineages) | plan.derived


def families_of(plan: Plan, agents: Sequence[str]) -> list[list[str]]:
    """Agents in families: those whose training began, directly or not, with the weights of the same agent.

    Agents of different families were trained independently of one another, as far as model files and the command say.
    """
    derived = began_with_of(plan)
    families: dict[str, list[str]] = {}
    for agent in agents:
        origin, seen = agent, {agent}
        while (before := derived.get(origin, origin)) not in seen:
            origin = before
            seen.add(origin)
        families.setdefault(origin, []).append(agent)
    return list(families.values())


class Special(NamedTuple):
    """An agent that was trained to hold one role.

    Attributes:
        text: ``role=agent``, the name in the plan and its conditions.
        role: number of the role.
        name: name of the role.
        agent: name of the agent.
        response: whether it is a best response.
    """

    text: str
    role: int
    name: str
    agent: str
    response: bool


def agents_of(plan: Plan) -> dict[str, str]:
    """The names of all agents of a plan by the field that holds them, such as ``others[0]``; names may be repeated."""
    found = {
        f"{field}[{number}]": label.partition("=")[2] if field in ("specialists", "responses") else label
        for field in ("strengths", "others", "specialists", "responses")
        for number, label in enumerate(getattr(plan, field))
    }
    return found | ({"opponent": plan.opponent} if plan.opponent else {})


def condition_name(kind: Kind, players: int, agent: str, role: str = "") -> str:
    """The name of a condition; names of ``powerless`` conditions and of those of a specialist contain the role."""
    return "-".join([kind, str(players), agent, *([role] if role else [])])


def specials_of(plan: Plan, game: Game) -> tuple[Special, ...]:
    """The agents of a plan that hold one role; raises `StudyError` naming what is wrong with a text."""
    return tuple(
        _special_of(text, game, response)
        for texts, response in ((plan.specialists, False), (plan.responses, True))
        for text in texts
    )


def _special_of(text: str, game: Game, response: bool) -> Special:
    names = game.require("roles").names
    role, equals, agent = text.partition("=")
    if not equals or role not in names:
        option = "responses" if response else "specialists"
        raise StudyError(f"{option}: expected role=agent with one of {', '.join(names)}, got {shorten(text)}")
    return Special(text, names.index(role), role, agent, response)


LEVELS, WITNESSES = (*opponents.LEVELS, opponents.CHAMPION), ("greedy",)
"""The levels of play and the witnesses of a study, unless its options name others."""


@dataclass(frozen=True, kw_only=True)
class StudyOptions:
    """What a study plays, and how it judges."""

    strengths: tuple[str, ...] = LEVELS
    """Levels of play, from weak to strong: agents of one kind, each of which plays all seats of its own games. The last
    one decides the verdicts, and the first one shows what beginners meet."""
    others: tuple[str, ...] | None = None
    """Witnesses: agents of other kinds, each of which plays all seats of its own games. No verdict depends on them; the
    report says whether they agree with the strongest level, and what a search such as champion+16 changes. They can be
    added to a finished study. The default is greedy beside the default levels, and otherwise nobody."""
    specialists: tuple[str, ...] = ()
    """Agents trained to play one role, as ROLE=AGENT, such as mystic=FILE. They can be added to a finished study."""
    responses: tuple[str, ...] = ()
    """Best responses, as ROLE=AGENT: agents trained to play one role while the other players did not learn, such as
    mystic=FILE."""
    opponent: str | None = None
    """Agent against which specialists and best responses play, normally the one with whose weights their training
    began. The default is the strongest agent of --strengths."""
    derived: tuple[str, ...] = ()
    """Agents whose training began with the weights of another agent, as AGENT=OTHER. Needed only where the model file
    of the agent does not say so. The report does not call two such agents independent."""
    most_blocks: tuple[str, ...] = ()
    """Upper limit, for slow agents, on the blocks of every condition in which the agent plays, as AGENT=BLOCKS, such as
    champion+16=60. The limit is rounded up to whole cycles; with six roles a cycle has 5, 20, 60, 20 and 20 blocks for
    2, 3, 4, 5 and 6 players."""
    tables: tuple[str, ...] = ()
    """Numbers of players with which an agent of --others, --specialists or --responses plays, as AGENT=2,3. An agent
    that is not named here plays with every number of --players."""
    players: tuple[int, ...] | None = None
    """Numbers of players at a table; by default all that the game allows."""
    precision: float = 0.01
    """Half-width of the 95 % interval of every role's win share. The number of blocks is computed from it."""
    tolerance: float = 0.03
    """Largest difference from the fair share at which a role is still fine."""
    powers: bool = True
    """Also let the strongest agent play every role without its power."""
    seed: int = 0
    """Seed from which the seeds of all games follow."""
    components: Path | None = None
    """Component file; the game's own by default."""
    pilot: int = PILOT_BLOCKS
    """Number of blocks of the first stage, whose results determine the total number of blocks."""
    game: str = registry.DEFAULT_GAME.name
    """The game."""
    game_options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the game, used in all games of the study."""

    @property
    def witnesses(self) -> tuple[str, ...]:
        """The agents of ``others``, or their default."""
        if self.others is not None:
            return self.others
        return WITNESSES if self.strengths == LEVELS else ()


def make_plan(options: StudyOptions, *, command: str = "") -> Plan:
    """Make and check the plan of a study.

    Args:
        options: what is played and how it is judged. ``powers`` has no effect in a game in which no seat can be without
            a role while others have theirs.
        command: the command line, for the report.

    Raises `ValueError` naming what is wrong, also for an agent that cannot be loaded.
    """
    game = registry.find_game(options.game)
    roles, table = game.require("roles"), game.option(NUM_PLAYERS)
    seats = tuple(options.players or range(table.least, min(table.most, len(roles.names)) + 1))
    for number in seats:
        table.check(number)
    chosen = _checked_options(game, options.game_options, seats)
    loaded = game.load(None if options.components is None else str(options.components))
    has_special = bool(options.specialists or options.responses)
    plan = Plan(
        game=registry.name_of(game),
        components=loaded.hash,
        strengths=options.strengths,
        others=options.witnesses,
        specialists=options.specialists,
        responses=options.responses,
        opponent=(options.opponent or options.strengths[-1]) if has_special else "",
        derived=dict(_pair("derived", text, "AGENT=OTHER") for text in options.derived),
        versions={},
        players=seats,
        seed=options.seed,
        tolerance=options.tolerance,
        precision=options.precision,
        most_blocks={agent: found[0] for agent, found in _numbers("most_blocks", options.most_blocks).items()},
        tables=_numbers("tables", options.tables),
        powers=options.powers and roles.apart,
        pilot=options.pilot,
        command=command,
        commit=(machine.git_commit() or "unknown").replace("+changes", "-dirty"),
        package=__version__,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        options=chosen,
    )
    if options.opponent is not None and not has_special:
        raise StudyError(f"opponent: {shorten(options.opponent)}, but no specialists or responses that play against it")
    labels = _checked(plan, game)
    agents = {label: opponents.load(label, game=game, components=loaded) for label in labels}
    return replace(
        plan,
        versions={label: " ".join(name_and_version(agent)) for label, agent in agents.items()},
        lineages=_lineages(agents),
    )


def _pair(option: str, text: str, needed: str) -> tuple[str, str]:
    """Split a text at its last equals sign into an agent and the rest; raises `ValueError` naming the option."""
    agent, equals, rest = text.rpartition("=")
    if not (agent and equals and rest):
        raise ValueError(f"{option}: expected {needed}, got {shorten(text)}")
    return agent, rest


def _numbers(option: str, texts: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """The numbers of each agent in texts such as ``champion+16=60``; raises `ValueError` naming the option."""
    needed, several = ("AGENT=2,3", True) if option == "tables" else ("AGENT=60", False)
    found = {}
    for text in texts:
        agent, rest = _pair(option, text, needed)
        parts = rest.split(",") if several else [rest]
        if not all(re.fullmatch(r"\d{1,6}", part) for part in parts):
            raise ValueError(f"{option}: expected {needed}, got {shorten(text)}")
        found[agent] = tuple(int(part) for part in parts)
    return found


def _lineages(agents: Mapping[str, Agent]) -> dict[str, Lineage]:
    """The lineages of the agents that have one; raises `StudyError` for a model file whose header is wrong."""
    found = {}
    for label, agent in agents.items():
        try:
            lineage = getattr(agent, "lineage", None)
        except ValueError as error:
            raise StudyError(f"{shorten(label)}: {error}") from None
        if isinstance(lineage, Lineage):
            found[label] = lineage
    return found


def _checked_options(game: Game, options: Mapping[str, Any], tables: Sequence[int]) -> dict[str, Any]:
    """The options that differ from the game's defaults, in the form in which a file holds them.

    Raises `ValueError` for options that the conditions of a study decide, and for invalid values of other options.
    """
    chosen: dict[str, Any] = {}
    for name, value in options.items():
        try:
            option = game.option(name)
        except TypeError as error:
            raise StudyError(reason(error)) from None
        value = option.check(value)
        if value == option.default:
            continue
        if name == NUM_PLAYERS or name in game.require("roles").decided:
            raise StudyError(f"{name}: {shorten(value)}; a study decides it by itself, for each kind of games")
        chosen[name] = option.to_json(value)
    for players in tables:
        game.check_options({NUM_PLAYERS: players, **chosen})
    return chosen


def options_of(plan: Plan, game: Game) -> dict[str, Any]:
    """The options of all games of a plan, in the form that a game takes; raises `StudyError` for invalid options."""
    try:
        return {name: game.option(name).from_json(value) for name, value in plan.options.items()}
    except (TypeError, ValueError) as error:
        raise StudyError(f"options: {reason(error)}") from None


def _checked(plan: Plan, game: Game) -> tuple[str, ...]:
    """The names of all agents of a plan; raises `ValueError` naming a field that is wrong, and what is needed."""
    roles = game.require("roles")
    if not plan.strengths:
        raise StudyError("strengths: expected at least one agent, got none")
    if repeated := [strength for strength in plan.strengths if plan.strengths.count(strength) > 1]:
        raise StudyError(f"strengths: expected each agent once, got {printable(repeated[0], MOST_OF_A_VALUE)} twice")
    if not plan.players:
        raise StudyError("players: expected at least one number of players, got none")
    for number in plan.players:
        game.option(NUM_PLAYERS).check(number)
        if number > len(roles.names):
            most = len(roles.names)
            raise StudyError(f"players: {number}; at most {most}, the number of roles, can hold different ones")
    for name, value in (("tolerance", plan.tolerance), ("precision", plan.precision)):
        if not 0 < value < 1:
            raise StudyError(f"{name}: expected a share above 0 and below 1, got {value}")
    if plan.pilot < 2:
        raise StudyError(f"pilot: expected at least 2 blocks, got {plan.pilot}")
    if plan.pilot > MOST_BLOCKS:
        raise StudyError(f"pilot: {plan.pilot}; at most {MOST_BLOCKS} blocks are allowed")
    check_seed(plan.seed)
    if plan.powers and not roles.apart:
        raise StudyError(f"powers: true, but no seat of {game.name} can be without a role while others have theirs")
    return _checked_agents(plan, game)


def _check_stored(plan: Plan, game: Game) -> None:
    """Raise `ValueError` for a plan that no command can have written, naming the field."""
    labels = _checked(plan, game)
    if missing := [label for label in labels if label not in plan.versions]:
        raise StudyError(f"versions: that of {shorten(missing[0])} is missing")
    if not 1 <= plan.rule <= RULE:
        raise StudyError(f"rule: expected a version up to {RULE}, got {shorten(plan.rule)}")
    if plan.opponent and not (plan.specialists or plan.responses):
        raise StudyError(f"opponent: {shorten(plan.opponent)}, but no specialists or responses that play against it")
    if (chosen := _checked_options(game, options_of(plan, game), plan.players)) != plan.options:
        raise StudyError(f"options: expected {shorten(chosen)}, got {shorten(plan.options)}")


def _checked_agents(plan: Plan, game: Game) -> tuple[str, ...]:
    """The names of all agents of a plan; raises `StudyError` for an invalid field that names agents."""
    special = specials_of(plan, game)
    if special and not game.require("roles").apart:
        raise StudyError(
            f"{'responses' if special[0].response else 'specialists'}: {shorten(special[0].text)}; no seat of"
            f" {game.name} can be without a role while others have theirs, with which such agents are compared"
        )
    if repeated := [specialist for specialist in plan.specialists if specialist in plan.responses]:
        raise StudyError(f"responses: {repeated[0]} is a specialist too; it can be only one of the two")
    everywhere = tuple(dict.fromkeys((*plan.strengths, *plan.others)))
    if special and plan.opponent not in everywhere:
        raise StudyError(f"opponent: expected one of {', '.join(everywhere)}, got {shorten(plan.opponent)}")
    labels = tuple(dict.fromkeys((*everywhere, *(games.agent for games in special))))
    for option in ("derived", "most_blocks", "tables"):
        if unknown := [label for label in getattr(plan, option) if label not in labels]:
            raise StudyError(f"{option}: expected one of {', '.join(labels)}, got {shorten(unknown[0])}")
    if few := [f"{label}={blocks}" for label, blocks in plan.most_blocks.items() if blocks < 2]:
        raise StudyError(f"most_blocks: expected at least 2 blocks, got {few[0]}")
    for label, counts in plan.tables.items():
        if label in plan.strengths:
            raise StudyError(f"tables: {shorten(label)} is a strength, which plays at all tables")
        if not counts or (wrong := set(counts) - set(plan.players)):
            found, allowed = min(wrong) if counts else "none", ", ".join(map(str, plan.players))
            raise StudyError(f"tables: {shorten(label)}: expected some of {allowed}, got {found}")
    return labels


def extended(stored: Plan, requested: Plan, folder: Path) -> Plan:
    """The plan with which a study continues: the stored plan, with the agents that a command adds to it.

    Agents on which no verdict depends can be added to a study after its first game: ``others``, specialists and best
    responses. Everything else has to be as stored.

    Raises `StudyError` naming the first field that differs.
    """
    changes: dict[str, Any] = {}
    added: list[str] = []
    for name in (member.name for member in fields(Plan)):
        found, wanted = getattr(stored, name), getattr(requested, name)
        # Seeds and rule stay what they were, also if the version of its file had others.
        if name in (*_PROVENANCE, "seeding", "rule") or found == wanted:
            continue
        if name in _ADDITIONS:
            new = [addition for addition in wanted if addition not in found]
            changes[name] = (*found, *new)
            added += new
        elif name in _BY_AGENT and all(found.get(agent, one) == one for agent, one in wanted.items()):
            changes[name] = found | wanted
        elif name != "opponent" or (found and wanted):
            raise _another(folder, name, found, wanted)
        else:
            changes[name] = found or wanted
    for name in ("most_blocks", "tables"):
        found, wanted = getattr(stored, name), getattr(requested, name)
        if any(agent in stored.versions and agent not in found for agent in wanted):
            raise _another(folder, name, found, wanted)
    if not added:
        return stored
    extension = Extension(tuple(added), requested.command, requested.commit, requested.started)
    return replace(stored, **changes, extensions=(*stored.extensions, extension))


def _another(folder: Path, name: str, found: object, wanted: object) -> StudyError:
    return StudyError(f"{folder}: holds another study: {name} {shorten(found)} stored, {shorten(wanted)} requested")


def write_plan(folder: Path, plan: Plan) -> None:
    """Write the plan of a study into its folder."""
    content = {"format": FORMAT, "version": VERSION, **asdict(plan)}
    atomic.write_text(folder / PLAN_FILE, json.dumps(content, indent=2) + "\n")


def read_plan(folder: Path, *, named: Container[str] = ()) -> Plan:
    """The plan of a study.

    Args:
        folder: the study's folder.
        named: the agents that the command line names. The plan may name user agents (``package.module:Attribute``) only
            if they are among them, because a file must not decide which code is imported.

    Raises `StudyError` naming the file, the field and what is wrong.
    """
    path = folder / PLAN_FILE
    try:
        versions = range(1, VERSION + 1)
        content, version = typed_json.read_versioned(path, FORMAT, *versions, most=_MOST_PLAN_BYTES)
        for since, implied in _SINCE.items():
            if version < since:
                content = implied | content
        if version == 1:
            strengths = content.get("strengths")
            has_strongest = isinstance(strengths, list) and strengths and content.get("specialists")
            content["opponent"] = content["strengths"][-1] if has_strongest else ""
        plan = typed_json.build(Plan, content)
        game = registry.game_of_file(plan.game)
        for field, label in agents_of(plan).items():
            opponents.check_in_file(label, field, named=named, option="the command line")
        _check_stored(plan, game)
    except reading.ReadingError as error:
        raise StudyError(f"{path}: {error}") from error
    except ValueError as error:
        raise StudyError(f"{path}: not the plan of a study: {reason(error)}") from error
    return plan

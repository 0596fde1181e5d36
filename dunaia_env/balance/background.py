"""The sections of a balance report about robustness, causes, limits and evidence, and the findings at its top."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import PurePosixPath

from dunaia_env.arena.intervals import Estimate
from dunaia_env.arena.pages import MOMENT_NOTE, Figure, ReportTable, Section, TableCell, table_row
from dunaia_env.balance.evidence import Causes, Robustness
from dunaia_env.balance.generality import Generality
from dunaia_env.balance.generality_pages import general_findings
from dunaia_env.balance.noteworthy import NotedGame
from dunaia_env.balance.plans import options_of
from dunaia_env.balance.results import Results
from dunaia_env.balance.screening import Screening
from dunaia_env.balance.shapes import First
from dunaia_env.balance.study import Study
from dunaia_env.balance.validation import Rate, Validation
from dunaia_env.balance.verdicts import RoleVerdict
from dunaia_env.balance.wording import (
    at_tables,
    effect_cell,
    kind_words,
    label_of,
    name_of_role,
    number,
    percent,
    players_words,
    share_cell,
    status_words,
    when_played_by,
    with_article,
)
from dunaia_env.harness.roles import NOBODY
from dunaia_env.support.english import listed

_SCREENING_NOTE = (
    "Own file: whether the effect lies above, below or within the tolerance with the game's own component file. Holds,"
    " differs and undecided: on how many other files this is the same, is different, or cannot be told. Effects are in"
    " percentage points. The spread is their standard deviation over the files, without the noise of the games. Depends"
    " on: values that are correlated with the effect beyond chance, corrected for all values and roles, the clearest"
    " ones first. Where a value is the number of a place, higher and lower have no meaning."
)
_CAUSE_NOTE = (
    "Carries: the part of the effect that disappears, shown where the change is known to differ from 0; after an"
    " exchange, the part of the difference between the two seats that went with the board. A negative part means that"
    " the effect grows. The agent was not trained for games in which something is taken away, so it may play them less"
    " well."
)
_MOST_NAMED = 3  # values on which an effect depends, in a cell of a table; the JSON file has all of them
_FEWEST_FIRSTS = 0.05  # events that happen in a smaller share of the games are left out


def robustness_section(study: Study, robustness: Robustness | None) -> Section:
    """The section that says on how many component files each verdict holds."""
    title = "Robustness over component files"
    if robustness is None:
        return Section(
            title, ("This study was played with one component file only, so no verdict was checked on other files.",)
        )
    columns = (
        *(study.game.check_roles().title, "own file", "holds on", "differs on", "undecided on"),
        *("probably holds on", "mean effect", "spread", "smallest", "largest", "depends on"),
    )
    tables = tuple(
        ReportTable(
            f"{players_words(table.players)}, {label_of(table.agent)}",
            columns,
            tuple(_screening_row(one) for one in table.roles),
            (f"{_SCREENING_NOTE} {_findable_words(table.findable)}",),
        )
        for table in robustness.tables
    )
    return Section(title, (robustness.method,), tables)


def _findable_words(correlation: float) -> str:
    """A sentence on how weak an association may be and still be found by the screening."""
    if not correlation < 1:
        return "There are too few files to name a value."
    explained = percent(correlation**2, 0)
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
        name_of_role(one.role),
        status_words(one.shipped),
        *(f"{count} of {one.files}" for count in (one.holds, one.differs, one.open)),
        percent(one.probable, 0),
        *(number(100 * value, sign=True) for value in (one.mean,)),
        number(100 * one.spread),
        *(number(100 * value, sign=True) for value in (one.least, one.most)),
        listed(named) if named else "–",
    )


def cause_section(study: Study, results: Results, causes: Causes | None) -> Section:
    """The section on tested causes. As a hint it also shows which seat does what first."""
    title = "Causes"
    tables: list[ReportTable] = []
    texts: list[str] = []
    if causes is None:
        texts.append("No cause was tested in this study.")
    else:
        texts += [causes.method, *causes.findings]
        rows = tuple(
            table_row(
                one.effect,
                one.change,
                share_cell(one.before),
                share_cell(one.after),
                effect_cell(one.difference),
                percent(one.carried, 0),
            )
            for one in causes.rows
        )
        columns = ("effect", "what was changed", "share before", "share after", "change, points", "carries")
        tables.append(ReportTable("Tests on common seeds", columns, rows, (_CAUSE_NOTE,), texts=True))
    for players in sorted({one.players for one in results.firsts}):
        if striking := _striking(results.firsts, players):
            tables.append(_hints(study, striking, players))
    if any(table.title.startswith("Hints") for table in tables):
        texts.append(
            "A hint does not prove a cause: a good position may make a player both the first to do something and the"
            " winner. The share expected by seat is what the first player would win if only the seat counted."
        )
    return Section(title, tuple(texts), tuple(tables), folded=causes is None)


def _hints(study: Study, firsts: Sequence[First], players: int) -> ReportTable:
    columns = (
        *("the player who first …", "games", "happens in", *(f"seat {seat} is first" for seat in range(players))),
        *("wins", "expected by seat", "difference, points"),
    )
    heading = f"Hints, {players_words(players)}: how often the first player to do something wins"
    return ReportTable(heading, columns, tuple(_first_row(study, one) for one in firsts))


def _striking(firsts: Sequence[First], players: int) -> list[First]:
    """The events that happen often enough, the most striking first; from games without roles if they were played."""
    own = [one for one in firsts if one.players == players and one.happened >= _FEWEST_FIRSTS]
    kind = next((kind for kind in ("absent", "assigned", "drafted") if any(one.kind == kind for one in own)), "")
    return sorted((one for one in own if one.kind == kind), key=lambda one: one.expected - one.share.value)


def _first_row(study: Study, first: First) -> tuple[TableCell, ...]:
    return table_row(
        first.event,
        kind_words(first.kind, study.game.check_roles()),
        percent(first.happened),
        *(percent(seat) for seat in first.seats),
        share_cell(first.share),
        percent(first.expected),
        number(100 * (first.share.value - first.expected), sign=True),
    )


def limits_section(study: Study, robustness: Robustness | None, causes: Causes | None) -> Section:
    """The section on what the report cannot say."""
    roles = study.game.check_roles()
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
        " section 8 says what was tried."
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
        "Outside section 1, each interval is to be taken alone. On average, one in twenty such intervals misses the"
        " true value, so a single surprise there is not a finding."
    )
    return Section("Limits", tuple(texts))


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
        *(("added later", f"{listed(one.agents)}; commit {one.commit}, {one.started}") for one in plan.extensions),
        ("computing time", _duration(study.seconds)),
        (
            "game seeds",
            f"{plan.seed} to {plan.seed + max(most - 1, 0)}; one for each block, the same in all conditions",
        ),
        ("games", f"{total:,} in {sum(blocks.values()):,} blocks"),
        ("tolerance", f"±{100 * plan.tolerance:g} percentage points"),
        ("correction for multiple comparisons", "section 1: simultaneous intervals over all of them; elsewhere none"),
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
        missing = any(one.problem for one in noted)
        columns = ["game", "table", "why it is of note", "seats and points", "seed", "block", "order in the block"]
        columns += ["why it was not replayed"] if missing else []
        rows = tuple((*_noted_row(one), *([TableCell(one.problem)] if missing else [])) for one in noted)
        note = (
            "At each number of players, the median game is nearest to the medians of all features, and the strangest"
            " games are farthest from them. Distances are in robust standard deviations. To show a game:"
            " python -m dunaia_env.replay show FILE"
        )
        heading = f"Games of note, {label_of(plan.strengths[-1])}"
        notes = (note, MOMENT_NOTE) if figures else (note,)
        tables.append(ReportTable(heading, tuple(columns), rows, notes, texts=True))
        links = tuple((PurePosixPath(one.path).name, one.path, f"seed {one.seed}") for one in noted if one.path)
    commands = "\n".join([plan.command, *(one.command for one in plan.extensions)])
    return Section("Evidence", tables=tuple(tables), code=commands, links=links, figures=figures)


def _options(study: Study) -> list[str]:
    """The options of the study's games that are not the game's defaults, each with its value."""
    values = options_of(study.plan, study.game)
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
    played = sorted({one.players for one in study.conditions})
    names, title = study.game.check_roles().names, study.game.check_roles().title
    found: dict[tuple[str, str, str], dict[int, str]] = {}
    for one in study.conditions:
        games = study.games.get(one.name)
        if games is None:
            continue
        role = "all" if one.role == NOBODY else names[one.role]
        if one.role_agents:
            role = f"{role}: {listed([label_of(agent) for agent in one.role_agents.values()])}"
        key = (
            kind_words(one.kind, study.game.check_roles()),
            label_of(one.agent),
            "none" if one.kind == "absent" else role,
        )
        found.setdefault(key, {})[one.players] = f"{len(set(games.block.tolist())):,} ({len(games):,})"
    rows = tuple(table_row(*key, *(cells.get(one, "–") for one in played)) for key, cells in found.items())
    columns = ("games", "players", title, *(players_words(one) for one in played))
    return ReportTable("Blocks of each condition, with the games in brackets", columns, rows, texts=True)


def validation_section(validation: Validation) -> Section:
    """The section on how the laboratory did on simulated studies whose true effects are known."""
    text = (
        f"The laboratory judged {validation.studies:,} simulated studies of each kind, with {validation.roles} roles"
        f" and {validation.strengths} strengths of the players. In null studies, all roles are worth the same. In"
        f" planted studies, one role wins {number(100 * validation.planted)} points more than its fair share. In"
        f" boundary studies, this advantage is exactly the tolerance, {number(100 * validation.tolerance)} points. The"
        " rates are shown with their 95 % intervals."
    )
    whole = (
        ("null studies with a false alarm, that is, any interval that excludes 0", validation.false_alarms, "≤ 5 %"),
        ("null studies in which any role is judged too strong or too weak", validation.false_verdicts, "≤ 5 %"),
        ("planted studies in which all intervals contain the true value", validation.joint_coverage, "≥ 95 %"),
        ("boundary studies in which any role is judged too strong or too weak", validation.false_at_boundary, "≤ 5 %"),
    )
    rows = tuple(table_row(words, _rate_cell(rate), aim) for words, rate, aim in whole)
    tables = [ReportTable("Whole studies", ("what was counted", "how often", "aim"), rows, texts=True)]
    columns = (
        *("table", "blocks", "planted role found", "found at all strengths", "its interval contains its effect"),
        *("an individual interval contains it", "false alarms", "too strong at the boundary", "half-width, points"),
    )
    rows = tuple(
        table_row(
            players_words(one.players),
            f"{one.blocks:,}",
            _rate_cell(one.power),
            _rate_cell(one.power_of_all),
            _rate_cell(one.coverage),
            _rate_cell(one.coverage_alone),
            _rate_cell(one.false_alarms),
            _rate_cell(one.over_at_boundary),
            number(100 * one.half_width, 2),
        )
        for one in validation.tables
    )
    tables.append(ReportTable("By number of players", columns, rows))
    return Section("Appendix: validation of the laboratory", (text,), tuple(tables))


def _rate_cell(rate: Rate) -> TableCell:
    return share_cell(Estimate(rate.value, rate.low, rate.high))


def headline_findings(
    study: Study, verdicts: Sequence[RoleVerdict], generalities: Sequence[Generality]
) -> tuple[str, ...]:
    """The verdicts in a few sentences, and which findings hold everywhere."""
    roles = study.game.check_roles()
    found: list[str] = []
    for kind, words in (("over", "Too strong"), ("under", "Too weak")):
        if named := at_tables((name_of_role(one.role), one.players) for one in verdicts if one.verdict == kind):
            found.append(f"{words}: {'; '.join(named)}.")
    fine = sum(one.verdict == "fine" for one in verdicts)
    unknown = sum(one.verdict == "not enough data" for one in verdicts)
    count = len(verdicts)
    if fine:
        found.append(f"Fine: {fine} of {count} verdicts.")
    if unknown:
        found.append(f"Not enough data: {unknown} of {count} verdicts.")
    found += general_findings(study, generalities)
    largest = max(
        ((one, agent, estimate) for one in verdicts for agent, estimate in one.estimates.items()),
        key=lambda entry: abs(entry[2].value) if math.isfinite(entry[2].value) else -1.0,
        default=None,
    )
    if largest is not None:
        one, agent, estimate = largest
        value, low, high = (number(100 * one, sign=True) for one in estimate)
        found.append(
            f"Of all {roles.title}s, the {name_of_role(one.role)} has the largest effect: {value} points ({low} to"
            f" {high}) with {players_words(one.players)}, {when_played_by([agent])}."
        )
    return tuple(found)

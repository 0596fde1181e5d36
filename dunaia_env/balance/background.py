"""The sections of a balance report about robustness, causes, limits and evidence, and the findings at its top."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import PurePosixPath

from dunaia_env.arena.intervals import Estimate
from dunaia_env.arena.pages import MOMENT_NOTE, Figure, ReportTable, Section, TableCell, table_row
from dunaia_env.balance.evidence import Causes, Robustness
from dunaia_env.balance.noteworthy import NotedGame
from dunaia_env.balance.plans import options_of
from dunaia_env.balance.results import Results
from dunaia_env.balance.screening import Screening
from dunaia_env.balance.shapes import First
from dunaia_env.balance.study import Study
from dunaia_env.balance.validation import Rate, Validation
from dunaia_env.balance.verdicts import RoleVerdict, Status
from dunaia_env.balance.wording import (
    STATUSES,
    effect_cell,
    kind_words,
    label_of,
    listed,
    name_of_role,
    number,
    percent,
    players_words,
    share_cell,
    with_article,
)
from dunaia_env.harness.roles import NOBODY

_STATUS_WORDS: dict[Status, str] = {"over": "above", "under": "below", "fine": "within", "open": "undecided"}
_SCREENING_NOTE = (
    "Here: the effect against the tolerance with the game's own component file. Effects are in percentage points;"
    " spread: their standard deviation over the files, without the noise of the games. Hangs on: values that go along"
    " with the effect by more than chance, corrected for all values and roles."
)
_FEWEST_FIRSTS = 0.05  # events that happen in a smaller share of the games are left out


def robustness_section(study: Study, robustness: Robustness | None) -> Section:
    """The section that says on how many component files each verdict holds."""
    title = "Robustness over component files"
    if robustness is None:
        return Section(
            title, ("This study was played with one component file only; no verdict was repeated on others.",)
        )
    columns = (
        *(study.game.check_roles().title, "here", "holds on", "differs on", "open on", "probably holds on"),
        *("mean effect", "spread", "least", "most", "hangs on"),
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
        return "These are too few files to name a value."
    explained = percent(correlation**2, 0)
    return (
        f"With so many files a value is found with a probability of 80 % if it explains {explained} of the variation"
        " between them; weaker ones may stay unnamed."
    )


def _screening_row(one: Screening) -> tuple[TableCell, ...]:
    named = [f"{found.name} ({'more' if found.correlation > 0 else 'less'} is better)" for found in one.named]
    return table_row(
        name_of_role(one.role),
        f"{STATUSES[one.shipped]} {_STATUS_WORDS[one.shipped]}",
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
                one.conclusion,
            )
            for one in causes.rows
        )
        columns = ("effect", "what was changed", "share before", "share after", "change, points", "conclusion")
        tables.append(ReportTable("Tests on common seeds", columns, rows, texts=True))
    for players in sorted({one.players for one in results.firsts}):
        if striking := _striking(results.firsts, players):
            tables.append(_hints(study, striking, players))
    if any(table.title.startswith("Hints") for table in tables):
        texts.append(
            "A hint is no cause: a good position may make a player both first and winner. Expected by seat: what the"
            " first one's place at the table wins anyway."
        )
    return Section(title, tuple(texts), tuple(tables), folded=causes is None)


def _hints(study: Study, firsts: Sequence[First], players: int) -> ReportTable:
    columns = (
        *("who first …", "games", "happens in", *(f"seat {seat} first" for seat in range(players))),
        *("wins", "expected by seat", "more, points"),
    )
    heading = f"Hints, {players_words(players)}: what the first one to do it wins"
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
        "The players are programs. People plan, bluff and err in other ways, so a share here is that of these programs"
        " and not of an evening with friends. What holds for all strengths is more likely to hold for people."
    )
    texts.append(
        f"All players of a game are equally strong. What {with_article(roles.title)} is worth to a strong player among"
        " weak ones is another question."
    )
    texts.append(
        f"{with_article(roles.title).capitalize()} that looks weak may be one that no program has learned to use;"
        " section 8 says what was tried."
    )
    if several:
        texts.append(
            "With more than two players there is no single best way to play: programs trained together may have"
            " settled on habits, such as whom to hinder, that others would not share."
        )
    if robustness is None:
        texts.append(
            "The values of the component file are taken as given. Where one of them is assumed rather than printed,"
            " every number of this report is assumed with it."
        )
    if causes is None:
        texts.append("The report says how large effects are, not why: no cause was tested.")
    texts.append(
        "Outside section 1 each interval holds by itself. Of twenty such intervals one is expected to miss the truth,"
        " so single surprises there are no findings."
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
        ("game seeds", f"{plan.seed} to {plan.seed + max(most - 1, 0)}; one for each block, the same for all games"),
        ("games", f"{total:,} in {sum(blocks.values()):,} blocks"),
        ("tolerance", f"±{100 * plan.tolerance:g} percentage points"),
        ("correction for many questions", "section 1: simultaneous intervals over all of them; elsewhere none"),
        ("unit of every interval", "the block: all games with one seed"),
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
        columns = ["game", "table", "why", "seats and points", "seed", "block", "order"]
        columns += ["why it was not replayed"] if missing else []
        rows = tuple((*_noted_row(one), *([TableCell(one.problem)] if missing else [])) for one in noted)
        note = (
            "The median game is nearest to all medians of its table, the strangest games are farthest from them, in"
            " robust standard deviations. To show one: python -m dunaia_env.replay show FILE"
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
    return f"{hours}{minutes % 60} min of one core" if minutes else f"{seconds:.0f} s of one core"


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
    return ReportTable("Blocks, and games in brackets", columns, rows, texts=True)


def validation_section(validation: Validation) -> Section:
    """The section on how the laboratory did on simulated studies whose true effects are known."""
    text = (
        f"The laboratory judged {validation.studies:,} simulated studies of each kind with {validation.roles} roles and"
        f" {validation.strengths} strengths of the players. In null studies all roles are worth the same; in planted"
        f" ones one role wins {number(100 * validation.planted)} points more than its fair share; in boundary ones it"
        f" wins exactly the tolerance, {number(100 * validation.tolerance)} points, more. Small type: 95 % intervals."
    )
    whole = (
        ("null studies with any false alarm: an interval that excludes 0", validation.false_alarms, "≤ 5 %"),
        ("null studies with any verdict of too strong or too weak", validation.false_verdicts, "≤ 5 %"),
        ("planted studies in which all intervals cover the truth", validation.joint_coverage, "≥ 95 %"),
        ("boundary studies with any verdict of too strong or too weak", validation.false_at_boundary, "≤ 5 %"),
    )
    rows = tuple(table_row(words, _rate_cell(rate), aim) for words, rate, aim in whole)
    tables = [ReportTable("Whole studies", ("what", "how often", "aim"), rows, texts=True)]
    columns = (
        *("table", "blocks", "planted role found", "found at all strengths", "its interval covers"),
        *("an interval alone covers", "false alarms", "over at the boundary", "half width, points"),
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


def headline_findings(study: Study, verdicts: Sequence[RoleVerdict]) -> tuple[str, ...]:
    """The verdicts in a few sentences."""
    roles = study.game.check_roles()
    found: list[str] = []
    for kind, words in (("over", "Too strong"), ("under", "Too weak")):
        tables: dict[str, list[str]] = {}
        for one in verdicts:
            if one.verdict == kind:
                tables.setdefault(one.role, []).append(str(one.players))
        if tables:
            named = [f"{name_of_role(role)} ({listed(counts)} players)" for role, counts in tables.items()]
            found.append(f"{words}: {'; '.join(named)}.")
    fine = sum(one.verdict == "fine" for one in verdicts)
    unknown = sum(one.verdict == "not enough data" for one in verdicts)
    count = len(verdicts)
    if fine:
        found.append(f"Fine: {fine} of {count} verdicts.")
    if unknown:
        found.append(f"Not enough data: {unknown} of {count} verdicts.")
    largest = max(
        ((one, agent, estimate) for one in verdicts for agent, estimate in one.estimates.items()),
        key=lambda entry: abs(entry[2].value) if math.isfinite(entry[2].value) else -1.0,
        default=None,
    )
    if largest is not None:
        one, agent, estimate = largest
        value, low, high = (number(100 * one, sign=True) for one in estimate)
        found.append(
            f"The largest effect of {with_article(roles.title)} is that of the {name_of_role(one.role)} with"
            f" {players_words(one.players)} in the hands of {label_of(agent)}: {value} points ({low} to {high})."
        )
    return tuple(found)

"""The sections of a balance report about skill, the shape of games, the draft, causes, limits and evidence."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dunaia_env.arena.pages import ReportTable, Section, TableCell, table_row
from dunaia_env.balance import plots
from dunaia_env.balance.evidence import Causes, Robustness
from dunaia_env.balance.measures import Spread
from dunaia_env.balance.noteworthy import NotedGame
from dunaia_env.balance.results import Results
from dunaia_env.balance.sections import NOT_PLAYED, role_labels
from dunaia_env.balance.shapes import First, Shape
from dunaia_env.balance.study import Study
from dunaia_env.balance.verdicts import RoleVerdict, Verdict
from dunaia_env.balance.wording import (
    VERDICTS,
    cell,
    effect_cell,
    kind_words,
    label_of,
    listed,
    name_of_role,
    number,
    percent,
    players_words,
    share_cell,
)

_FEWEST_FIRSTS = 0.05  # events in a smaller share of the games are left out


def skill_section(study: Study, results: Results) -> Section:
    """Whether stronger players, agents trained with other seeds, or special training change a role's share."""
    title, roles = "Skill", study.game.check_roles()
    labels = role_labels(study)
    tables, pictures, texts = [], [], []
    for players in sorted({one.players for one in results.steps}):
        steps = [one for one in results.steps if one.players == players]
        columns = (roles.title, *(f"{label_of(one.weak)} → {label_of(one.strong)}" for one in steps))
        rows = tuple(
            table_row(labels[role], *(effect_cell(one.roles[role]) for one in steps)) for role in range(len(labels))
        )
        note = "Change of the win share in percentage points on common blocks: "
        note += ", ".join(f"{one.blocks:,}" for one in steps) + " blocks."
        tables.append(ReportTable(f"{players_words(players)}: from weak to strong players", columns, rows, (note,)))
    for players in sorted({one.players for one in results.verdicts}):
        own = [one for one in results.verdicts if one.players == players]
        agents = list(own[0].estimates)
        if len(agents) > 1:
            values = [[one.estimates[agent].value for agent in agents] for one in own]
            names = [label_of(agent) for agent in agents]
            picture = plots.strength_plot(values, names, labels, f"skill-{players}")
            pictures.append((players_words(players), picture))
    if tables:
        texts.append(
            f"If stronger players help one {roles.title} more than the others, it is hard to play rather than weak; if"
            " they help it less, weak players cannot stop it."
        )
    for players in sorted({one.players for one in results.agreements}):
        agreed = [one for one in results.agreements if one.players == players]
        columns = (roles.title, *(label_of(agent) for agent in agreed[0].agents), "between agents", "largest")
        rows = tuple(
            table_row(
                labels[one.role],
                *(percent(share) for share in one.shares),
                number(100 * one.between, 2),
                number(100 * one.largest, 2),
            )
            for one in agreed
        )
        note = (
            f"Win shares on {agreed[0].blocks:,} common blocks. Between agents: standard deviation of the true share"
            " between agents in percentage points, luck subtracted. Largest: difference of two agents, luck included."
        )
        heading = f"{players_words(players)}: independently trained players"
        tables.append(ReportTable(heading, columns, rows, (note,)))
    if not results.agreements:
        texts.append("No independently trained players took part, so nothing here says whether they would agree.")
    if results.specials:
        rows = tuple(
            table_row(
                labels[one.role],
                players_words(one.players),
                label_of(one.agent),
                label_of(one.opponent),
                effect_cell(one.share),
                f"{one.blocks:,}",
            )
            for one in results.specials
        )
        columns = (roles.title, "table", "held by", "against", "change of the share, points", "blocks")
        note = f"A {roles.title} that gains when a player trained for it holds it was partly unlearned, not only weak."
        tables.append(ReportTable("Players trained for one role", columns, rows, (note,)))
    if not tables:
        return Section(title, (NOT_PLAYED, *texts))
    return Section(title, tuple(texts), tuple(tables), tuple(pictures))


def shape_section(study: Study, results: Results) -> Section:
    """Length, changes of the lead, comebacks, decision and ends of games."""
    title, roles, strongest = "Shape of the game", study.game.check_roles(), study.plan.strengths[-1]
    if not results.shapes:
        return Section(title, (NOT_PLAYED,))
    tables, pictures = [], []
    for players in sorted({one.players for one in results.shapes}):
        own = [one for one in results.shapes if one.players == players]
        own.sort(key=lambda one: one.agent != strongest)
        shown = [(_short_kind(one), one) for one in own if one.agent == strongest]
        if shown:
            caption = f"{players_words(players)}, {label_of(strongest)}"
            pictures.append((f"Length: {caption}", plots.length_plot(shown, f"length-{players}")))
            pictures.append((f"Who leads wins: {caption}", plots.decided_plot(shown, f"decided-{players}")))
        rows = tuple(
            table_row(
                kind_words(one.kind, roles.title),
                label_of(one.agent),
                _spread_cell(one.length),
                _spread_cell(one.lead_changes),
                share_cell(one.no_change),
                share_cell(one.comebacks),
                percent(one.leader_wins_at[5], 0),
                _spread_cell(one.winning_margin),
                share_cell(one.shared),
                share_cell(one.stopped),
            )
            for one in own
        )
        columns = (
            *("games", "players", "rounds", "lead changes", "without any", "comebacks", "leader at half wins"),
            *("winning margin", "shared wins", "stopped at the limit"),
        )
        tables.append(ReportTable(players_words(players), columns, rows))
    text = (
        "Mean, and in small type the 5, 50 and 95 % quantiles. The lead changes when another player alone has the best"
        " score at the start of a round, or wins. Comeback: who led at half of the game does not win."
    )
    return Section(title, (text,), tuple(tables), tuple(pictures), folded=True)


def _short_kind(shape: Shape) -> str:
    return {"assigned": "assigned", "drafted": "drafted", "absent": "without"}.get(shape.kind, shape.kind)


def _spread_cell(spread: Spread) -> TableCell:
    low, median, high = spread.quantiles[0], spread.quantiles[2], spread.quantiles[-1]
    return TableCell(number(spread.mean.value), " / ".join(number(one, 0) for one in (low, median, high)))


def pick_section(study: Study, results: Results) -> Section:
    """Which roles are chosen in the draft, in which seat, and what they win."""
    title, roles, strongest = "Picks in the draft", study.game.check_roles(), study.plan.strengths[-1]
    if not results.picks:
        return Section(title, ("Nobody chose a role in this study, so there are no pick rates.",))
    labels, tables, pictures = role_labels(study), [], []
    for players in sorted({one.players for one in results.picks}):
        for agent in reversed(study.plan.strengths):
            own = [one for one in results.picks if one.players == players and one.agent == agent]
            whole = [one for one in own if one.seat is None]
            if not whole:
                continue
            caption = f"{players_words(players)}, {label_of(agent)}"
            if agent == strongest:
                pictures.append((caption, plots.pick_plot(whole, labels, players, f"picks-{players}")))
            by_seat = {(one.role, one.seat): one for one in own}
            rows = tuple(
                table_row(
                    labels[one.role],
                    percent(one.offered),
                    share_cell(one.picked),
                    *(cell(by_seat[one.role, seat].picked, scale=100, unit=" %") for seat in range(players)),
                    share_cell(one.share),
                )
                for one in whole
            )
            columns = (
                *(roles.title, "offered", "chosen when offered"),
                *(f"by seat {seat}" for seat in range(players)),
                "win share after that",
            )
            tables.append(ReportTable(caption, columns, rows))
    text = (
        f"Chosen when offered: how often a {roles.title} is taken from those on offer. Its win share after that mixes"
        " what it is worth with the seat and the taste of those who choose it; the verdicts use assigned ones instead."
    )
    return Section(title, (text,), tuple(tables), tuple(pictures), folded=True)


def robustness_section(study: Study, robustness: Robustness | None) -> Section:
    """On how many component files each verdict holds."""
    title = "Robustness over component files"
    if robustness is None:
        return Section(
            title, ("This study was played with one component file only; no verdict was repeated on others.",)
        )
    kinds: tuple[Verdict, ...] = ("over", "fine", "under", "not enough data")
    rows = tuple(
        table_row(
            name_of_role(one.role),
            players_words(one.players),
            VERDICTS[one.verdict],
            f"{one.counts.get(one.verdict, 0)} of {robustness.files}",
            *(str(one.counts.get(kind, 0)) for kind in kinds),
            one.depends_on or "–",
        )
        for one in robustness.rows
    )
    columns = (
        *(study.game.check_roles().title, "table", "verdict here", "holds on", "too strong", "fine", "too weak"),
        *("not enough data", "depends on"),
    )
    return Section(title, (robustness.method,), (ReportTable("", columns, rows, texts=True),))


def cause_section(study: Study, results: Results, causes: Causes | None) -> Section:
    """Tested causes, and who does what first as a hint."""
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
        rows = tuple(_first_row(study, one) for one in _striking(results.firsts, players))
        if rows:
            columns = (
                *("who first …", "games", "happens in", *(f"seat {seat} first" for seat in range(players))),
                *("wins", "expected by seat", "more, points"),
            )
            heading = f"Hints, {players_words(players)}: who does it first wins more often"
            tables.append(ReportTable(heading, columns, rows))
    if any(table.title.startswith("Hints") for table in tables):
        texts.append(
            "A hint is no cause: a good position may make a player both first and winner. Expected by seat: what the"
            " first one's place at the table wins anyway."
        )
    return Section(title, tuple(texts), tuple(tables), folded=causes is None)


def _striking(firsts: Sequence[First], players: int) -> list[First]:
    """The events that happen often enough, the most striking first, without roles if that was played."""
    own = [one for one in firsts if one.players == players and one.happened >= _FEWEST_FIRSTS]
    kind = next((kind for kind in ("absent", "assigned", "drafted") if any(one.kind == kind for one in own)), "")
    return sorted((one for one in own if one.kind == kind), key=lambda one: one.expected - one.share.value)


def _first_row(study: Study, first: First) -> tuple[TableCell, ...]:
    return table_row(
        first.event,
        kind_words(first.kind, study.game.check_roles().title),
        percent(first.happened),
        *(percent(seat) for seat in first.seats),
        share_cell(first.share),
        percent(first.expected),
        number(100 * (first.share.value - first.expected), sign=True),
    )


def limits_section(study: Study, robustness: Robustness | None, causes: Causes | None) -> Section:
    """What the report cannot say."""
    roles = study.game.check_roles()
    several = any(players > 2 for players in study.plan.players)
    texts = [
        "The players are programs. People plan, bluff and err in other ways, so a share here is that of these programs"
        " and not of a club evening. A verdict that holds for all strengths is more likely to hold for people.",
        f"Every player of a game has the same strength. What a {roles.title} is worth to a strong player among weak"
        " ones is another question.",
        f"A weak {roles.title} may be one that no program has learned to use. Section 7 says what was tried.",
    ]
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


def evidence_section(study: Study, noted: Sequence[NotedGame]) -> Section:
    """Where the numbers come from, how to repeat them, and the replays."""
    plan = study.plan
    total = sum(len(games) for games in study.games.values())
    blocks = {name: len(set(games.block.tolist())) for name, games in study.games.items()}
    most = max(blocks.values(), default=0)
    facts = (
        ("game", study.game.title),
        ("components", plan.components),
        ("commit", plan.commit),
        ("package", plan.package),
        ("started", plan.started),
        ("computing time", _duration(study.seconds)),
        ("game seeds", f"{plan.seed} to {plan.seed + max(most - 1, 0)}; one for each block, the same for all games"),
        ("games", f"{total:,} in {sum(blocks.values()):,} blocks"),
        ("tolerance", f"±{100 * plan.tolerance:g} percentage points"),
        ("correction for many questions", "section 1: simultaneous intervals over all of them; elsewhere none"),
        ("unit of every interval", "the block: all games with one seed"),
    )
    agents = tuple(table_row(label, version) for label, version in plan.versions.items())
    conditions = tuple(table_row(name, f"{blocks[name]:,}", f"{len(games):,}") for name, games in study.games.items())
    tables = [
        ReportTable("", ("field", "value"), tuple(table_row(*fact) for fact in facts), texts=True),
        ReportTable("Players", ("name", "program and version"), agents, texts=True),
        ReportTable("Conditions", ("condition", "blocks", "games"), conditions, texts=True),
    ]
    links: tuple[tuple[str, str, str], ...] = ()
    if noted:
        rows = tuple(_noted_row(one) for one in noted)
        columns = ("game", "table", "why", "seats and points", "seed", "block", "order", "replay")
        note = (
            "The median game is nearest to all medians of its table, the strangest games are farthest from them, in"
            " robust standard deviations. To show one: python -m dunaia_env.replay show FILE"
        )
        tables.append(ReportTable("Games of note", columns, rows, (note,), texts=True))
        links = tuple((one.path, one.path, one.why) for one in noted if one.path is not None)
    return Section("Evidence", tables=tuple(tables), code=plan.command, links=links)


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
        game.path or f"left out: {game.problem}",
    )


def headline_findings(study: Study, verdicts: Sequence[RoleVerdict]) -> tuple[str, ...]:
    """The verdicts in a few sentences."""
    roles, found = study.game.check_roles(), []
    for kind, words in (("over", "too strong"), ("under", "too weak")):
        named = [f"{name_of_role(one.role)} ({players_words(one.players)})" for one in verdicts if one.verdict == kind]
        if named:
            found.append(f"{words[:1].upper()}{words[1:]}: {listed(named)}.")
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
        found.append(
            f"The largest effect of a {roles.title}: {name_of_role(one.role)}, {players_words(one.players)},"
            f" {label_of(agent)}: {number(100 * estimate.value, sign=True)} points"
            f" ({number(100 * estimate.low, sign=True)} to {number(100 * estimate.high, sign=True)})."
        )
    return tuple(found)

"""The sections of a balance report that say what roles and seats are worth, in the order in which designers read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from dunaia_env.arena.intervals import Estimate
from dunaia_env.arena.pages import ReportTable, Section, TableCell, table_row
from dunaia_env.balance import plots
from dunaia_env.balance.design import Kind
from dunaia_env.balance.matchups import Matchups, Pair
from dunaia_env.balance.measures import Pays, Power, Shares
from dunaia_env.balance.results import Results
from dunaia_env.balance.study import Study
from dunaia_env.balance.verdicts import RoleVerdict
from dunaia_env.balance.wording import (
    NO_ENTRY,
    STATUSES,
    VERDICT_COLOURS,
    VERDICTS,
    cell,
    effect_cell,
    kind_words,
    label_of,
    name_of_role,
    number,
    percent,
    players_words,
    share_cell,
    when_played_by,
    with_article,
)
from dunaia_env.harness.roles import Roles
from dunaia_env.support.english import listed

# If more further blocks than this are needed, a study is not worth continuing.
_MANY_BLOCKS = 50_000
NOT_PLAYED = "This study has no games for this section."
_WITH_ROLES: tuple[Kind, ...] = ("assigned", "drafted")
_PAYS: dict[Pays, str] = {
    "pays": "▲ pays",
    "trap": "▼ trap",
    "open": "○ undecided",
    "unused": "never used",
}


def role_labels(study: Study) -> list[str]:
    """The names of the roles, capitalised for the beginning of a line."""
    return [name_of_role(name) for name in study.game.check_roles().names]


def verdict_section(study: Study, results: Results) -> Section:
    """Verdicts: an overview, then a table and a plot for each number of players."""
    title = "Verdicts"
    if not results.verdicts:
        return Section(title, (NOT_PLAYED,))
    plan, roles = study.plan, study.game.check_roles()
    bound = f"{100 * plan.tolerance:g}"
    several = len(plan.strengths) > 1
    strengths = listed([label_of(agent) for agent in plan.strengths], "or")
    any_strength = f"at any strength of the players ({strengths})" if several else when_played_by(plan.strengths)
    rule = (
        f"The rule was fixed before the first game. {with_article(roles.title).capitalize()} is too strong if the"
        f" interval of its win share lies more than {bound} percentage points above the fair share {any_strength}. It"
        f" is too weak if the interval lies more than {bound} points below the fair share"
        f"{' at every strength' if several else ''}. If neither holds and an interval crosses one of these two bounds,"
        f" there are not enough data; otherwise the {roles.title} is fine. The intervals in this section are"
        " simultaneous: with 95 % confidence, all of them contain the true value."
    )
    by_key = {(one.role, one.players): one for one in results.verdicts}
    players = sorted({one.players for one in results.verdicts})
    overview = tuple(
        table_row(name_of_role(name), *(_verdict_cell(by_key.get((name, count))) for count in players))
        for name in roles.names
    )
    tables = [
        ReportTable("All verdicts", (roles.title, *(players_words(one) for one in players)), overview, texts=True)
    ]
    pictures = []
    for count in players:
        own = [one for one in results.verdicts if one.players == count]
        columns = (
            roles.title,
            "verdict",
            "fair share",
            *(f"{label_of(agent)}: effect" for agent in own[0].estimates),
            "in plain words",
        )
        rows = tuple(
            table_row(
                name_of_role(one.role),
                _verdict_cell(one),
                percent(1 / count),
                *(_effect_with_status(one, agent) for agent in one.estimates),
                in_plain_words(one, study.plan.tolerance),
            )
            for one in own
        )
        blocks = ", ".join(f"{label_of(agent)} {blocks:,}" for agent, blocks in own[0].blocks.items())
        note = (
            "The effect is the win share minus the fair share, in percentage points, with its simultaneous interval."
            " ▲ means that the interval lies above the tolerance, ▼ that it lies below, ● that it lies within, and ○"
            f" that this is undecided. Blocks played, of {len(roles.names)} games each: {blocks}."
        )
        tables.append(ReportTable(players_words(count), columns, rows, (note,), texts=True))
        shown = [_with_labels(one) for one in own]
        pictures.append((players_words(count), plots.verdict_plot(shown, plan.tolerance, f"verdicts-{count}")))
    return Section(title, (rule,), tuple(tables), tuple(pictures))


def in_plain_words(verdict: RoleVerdict, tolerance: float) -> str:
    """A verdict as a sentence."""
    bound = f"{100 * tolerance:g} points"

    def where(status: str) -> str:
        named = [agent for agent, one in verdict.statuses.items() if one == status]
        everywhere = len(named) == len(verdict.statuses)
        return "at every strength" if everywhere and len(named) > 1 else when_played_by(named)

    if verdict.verdict == "over":
        lows = [estimate.low for agent, estimate in verdict.estimates.items() if verdict.statuses[agent] == "over"]
        points = f"at least {number(100 * max(lows))} points above the fair share"
        return f"Wins too often {where('over')}: {'for one of them, ' if len(lows) > 1 else ''}{points}."
    if verdict.verdict == "under":
        most = max(estimate.high for estimate in verdict.estimates.values())
        return f"Wins too rarely {where('under')}: at least {number(-100 * most)} points below the fair share."
    if verdict.verdict == "fine":
        if "under" in verdict.statuses.values():
            return (
                f"Too weak {where('under')}, but within {bound} of the fair share {where('fine')}: players may have to"
                " learn how to use it."
            )
        known = f" Its share certainly differs from the fair share {when_played_by(verdict.detected)}."
        return f"Within {bound} of the fair share {where('fine')}.{known if verdict.detected else ''}"
    needed = verdict.blocks_needed
    further = f" About {needed:,} further blocks would probably decide." if needed else ""
    if needed is None or needed > _MANY_BLOCKS:
        further = " The share may lie too close to the tolerance for any reasonable number of games to decide."
    return f"Undecided {where('open')}.{further}"


def _verdict_cell(verdict: RoleVerdict | None) -> TableCell:
    if verdict is None:
        return NO_ENTRY
    return TableCell(VERDICTS[verdict.verdict], colour=VERDICT_COLOURS[verdict.verdict])


def _effect_with_status(verdict: RoleVerdict, agent: str) -> TableCell:
    plain = effect_cell(verdict.estimates[agent])
    return TableCell(f"{STATUSES[verdict.statuses[agent]]} {plain.text}", plain.detail)


def _with_labels(verdict: RoleVerdict) -> RoleVerdict:
    """A verdict with short names of agents, for a plot."""
    return RoleVerdict(
        name_of_role(verdict.role),
        verdict.players,
        {label_of(agent): one for agent, one in verdict.estimates.items()},
        {label_of(agent): one for agent, one in verdict.statuses.items()},
        verdict.verdict,
        verdict.detected,
        verdict.blocks,
        verdict.blocks_needed,
    )


def share_section(study: Study, results: Results) -> Section:
    """Win share by role, players and seat: a plot for the strongest agent, a table for each."""
    title, roles = "Win share by seat", study.game.check_roles()
    shown = [one for one in results.shares if one.kind == "assigned" and one.roles]
    if not shown:
        return Section(title, (NOT_PLAYED,))
    labels, strongest = role_labels(study), study.plan.strengths[-1]
    tables, pictures = [], []
    for one in _strongest_first(shown, strongest):
        if one.agent == strongest:
            picture = plots.seats_of_roles_plot(one, labels, f"shares-{one.players}")
            pictures.append((f"{players_words(one.players)}, {label_of(one.agent)}", picture))
        means = [seat.value for seat in one.seats]
        rows = [
            table_row(
                labels[role.role],
                share_cell(role.share, 1 / one.players),
                *(share_cell(share, mean) for share, mean in zip(role.by_seat, means, strict=True)),
                f"{role.games:,}",
            )
            for role in one.roles
        ]
        rows.append(table_row("all", percent(1 / one.players), *(share_cell(seat) for seat in one.seats), ""))
        columns = (roles.title, "all seats", *(f"seat {seat}" for seat in range(one.players)), "games")
        tables.append(ReportTable(f"{players_words(one.players)}, {label_of(one.agent)}", columns, tuple(rows)))
    text = (
        f"Every {roles.title} sits in every seat equally often, with the same game seeds. Players who tie share the"
        f" win.{f' {roles.seat_note}' if roles.seat_note else ''} A coloured cell lies above (bold) or below the share"
        " with which it is compared: the fair share in the column for all seats, and the mean of the seat in the other"
        " columns. Each interval, taken alone, contains the true value with 95 % confidence."
    )
    return Section(title, (text,), tuple(tables), tuple(pictures), folded=True)


def matchup_section(study: Study, results: Results) -> Section:
    """Who finishes ahead of whom, strengths of the roles, and what these leave unexplained."""
    title, roles = "Match-ups", study.game.check_roles()
    if not results.matchups:
        return Section(title, (NOT_PLAYED,))
    labels, tables, findings = role_labels(study), [], []
    for players, found in sorted(results.matchups.items()):
        pair_of = {(pair.role, pair.other): pair for pair in found.pairs}
        ratings = found.strengths
        order = sorted(range(len(labels)), key=lambda role: -np.nan_to_num(ratings.values[role], nan=-np.inf))
        rows = []
        for role in order:
            cells = [_pair_cell(pair_of, role, other) for other in order]
            strength = Estimate(float(ratings.values[role]), float(ratings.low[role]), float(ratings.high[role]))
            rows.append(table_row(labels[role], cell(strength, 0, sign=True), *cells))
        columns = ("ahead of", "strength", *(labels[role] for role in order))
        tables.append(ReportTable(players_words(players), columns, tuple(rows)))
        findings.append(_matchup_finding(found, labels, players))
    text = (
        f"A cell shows how often the {roles.title} of the row finished ahead of that of the column at the same table. A"
        " tie counts as half, and the advantage of the better seat is removed. The second number in the cell is what"
        " the two strengths predict. The strength is a Plackett-Luce rating with mean 0: a lead of 400 points means"
        " finishing ahead ten times as often as behind. ★ marks a pair that the strengths do not explain: one counters"
        f" the other. The player in every seat is {label_of(study.plan.strengths[-1])}."
    )
    return Section(title, (text, *findings), tuple(tables))


def _pair_cell(pair_of: Mapping[tuple[int, int], Pair], role: int, other: int) -> TableCell:
    if role == other:
        return TableCell("")
    pair = pair_of.get((min(role, other), max(role, other)))
    if pair is None:
        return NO_ENTRY
    mine = role == pair.role
    share, expected = (one if mine else 1 - one for one in (pair.share.value, pair.expected))
    return TableCell(f"{'★ ' if pair.counter else ''}{percent(share)}", percent(expected), 1 - 2 * share)


def _matchup_finding(found: Matchups, labels: Sequence[str], players: int) -> str:
    """What the strengths leave unexplained, as a sentence."""
    named = []
    for pair in found.counters:
        one, other = (pair.role, pair.other) if pair.residual.value > 0 else (pair.other, pair.role)
        points = number(100 * abs(pair.residual.value))
        named.append(f"{labels[one]} against {labels[other]} (ahead {points} points more often than predicted)")
    unexplained = percent(found.unexplained, 0)
    part = f"the strengths leave {unexplained} of the variation between pairs unexplained"
    chance = "the variation between pairs does not go beyond chance"
    begin = f"With {players_words(players)}, " + (part if unexplained != "–" else chance)
    counters = f"Known counters: {listed(named)}." if named else "No pair is known in which one counters the other."
    return f"{begin}. {counters}"


def margin_section(study: Study, results: Results) -> Section:
    """Score margins with their distributions."""
    title, roles = "Score margin", study.game.check_roles()
    shown = [one for one in results.shares if one.kind == "assigned" and one.roles]
    if not shown:
        return Section(title, (NOT_PLAYED,))
    labels, strongest = role_labels(study), study.plan.strengths[-1]
    tables, pictures = [], []
    for one in _strongest_first(shown, strongest):
        if one.agent == strongest:
            picture = plots.margin_plot([role.margin for role in one.roles], labels, f"margins-{one.players}")
            pictures.append((f"{players_words(one.players)}, {label_of(one.agent)}", picture))
        rows = tuple(
            table_row(
                labels[role.role],
                cell(role.margin.mean, 2, sign=True),
                *(number(value, 1) for value in role.margin.quantiles),
            )
            for role in one.roles
        )
        columns = (roles.title, "mean", "5 %", "25 %", "median", "75 %", "95 %")
        tables.append(ReportTable(f"{players_words(one.players)}, {label_of(one.agent)}", columns, rows))
    text = (
        f"The score margin of {with_article(roles.title)} is its score at the end of the game minus the mean score of"
        " the other players. The columns from 5 % to 95 % are quantiles of its distribution over the games."
    )
    return Section(title, (text,), tuple(tables), tuple(pictures), folded=True)


def control_section(study: Study, results: Results) -> Section:
    """Win share by seat: without roles as the control, beside assigned and drafted ones."""
    roles = study.game.check_roles()
    title = f"The seats, {kind_words('absent', roles)} and with {roles.title}s"
    if not roles.absent_words:
        title = f"The seats, without and with {roles.title}s"
    strongest, tables, pictures = study.plan.strengths[-1], [], []
    order = {"absent": 0, "assigned": 1, "drafted": 2}
    agents = [*study.plan.strengths, *study.plan.others]
    for players in sorted({one.players for one in results.shares}):
        own = [one for one in results.shares if one.players == players and one.agent in study.plan.strengths]
        own.sort(key=lambda one: (-agents.index(one.agent), order[one.kind]))
        if not own:
            continue
        rows = tuple(
            table_row(
                kind_words(one.kind, roles),
                label_of(one.agent),
                f"{one.games:,}",
                *(share_cell(seat, 1 / players) for seat in one.seats),
            )
            for one in own
        )
        columns = ("games", "players", "number of games", *(f"seat {seat}" for seat in range(players)))
        tables.append(ReportTable(players_words(players), columns, rows))
        shown = [(kind_words(one.kind, roles), one.seats) for one in own if one.agent == strongest]
        if shown:
            caption = f"{players_words(players)}, {label_of(strongest)}"
            pictures.append((caption, plots.control_plot(shown, f"seats-{players}")))
    if not tables:
        return Section(title, (NOT_PLAYED,))
    control = kind_words("absent", roles)
    text = f"The game {control} is the control: what a seat wins in it has nothing to do with them."
    if results.picks or not roles.drafted_words:
        text += " In games with a draft, the share of a seat also includes what its choice is worth."
    text += " A coloured cell lies above (bold) or below the fair share."
    return Section(title, (text, *seat_findings(study, results)), tuple(tables), tuple(pictures), folded=True)


def seat_findings(study: Study, results: Results) -> tuple[str, ...]:
    """A sentence about the best seat for each number of players, from games of the strongest agent."""
    roles, strongest = study.game.check_roles(), study.plan.strengths[-1]
    found = []
    for players in sorted({one.players for one in results.shares}):
        own = {one.kind: one for one in results.shares if one.players == players and one.agent == strongest}
        if "absent" not in own:
            continue
        best = _best_seat(own["absent"])
        share = own["absent"].seats[best]
        others = [
            f"{percent(own[kind].seats[best].value)} with {kind_words(kind, roles)}"
            for kind in _WITH_ROLES
            if kind in own
        ]
        others_text = f"; its share is {listed(others)}" if others else ""
        found.append(
            f"With {players_words(players)}, seat {best} has a win share of {_with_ends(share)}"
            f" {kind_words('absent', roles)}, where {percent(1 / players)} would be fair{others_text}."
        )
    return tuple(found)


def _best_seat(shares: Shares) -> int:
    values = [seat.value for seat in shares.seats]
    return values.index(max(values))


def _with_ends(estimate: Estimate) -> str:
    if not math.isfinite(estimate.low):
        return percent(estimate.value)
    return f"{percent(estimate.value)} ({number(100 * estimate.low)} to {number(100 * estimate.high)})"


def power_section(study: Study, results: Results) -> Section:
    """What each power is worth, how often it is used, and whether using it pays."""
    title, roles = "What each power is worth", study.game.check_roles()
    if not results.powers:
        return Section(title, (NOT_PLAYED,))
    labels, tables, pictures = role_labels(study), [], []
    for players in sorted({one.players for one in results.powers}):
        own = [one for one in results.powers if one.players == players]
        rows = tuple(
            table_row(
                labels[one.role],
                effect_cell(one.share),
                cell(one.points, sign=True),
                _use_cell(one, roles),
                cell(one.uses, 2),
                cell(one.uses_per_round, 3),
                share_cell(one.used),
                f"{one.pairs:,}",
            )
            for one in own
        )
        columns = (
            *(roles.title, "win share, points", "score", "does using it pay?", "uses per game", "uses per round"),
            *("games in which it is used", "pairs of games"),
        )
        caption = f"{players_words(players)}, {label_of(own[0].agent)}"
        tables.append(ReportTable(caption, columns, rows))
        if any(one.pairs for one in own):
            pictures.append((caption, plots.power_plot(own, labels, f"powers-{players}")))
    text = (
        f"The same games are played twice with everything else equal: once with the {roles.title}, and once with none"
        " in its seat. The difference is what the power is worth to its owner at this table; section 1 answers whether"
        " it is worth as much as the powers of the others. Using a power pays if the whole interval of the win share"
        " lies above 0. A power is a trap if it is used and no part of this interval lies above 0."
    )
    if not roles.apart:
        text = (
            f"No seat of {study.game.title} can be without {with_article(roles.title)} while others have theirs, so"
            " what a single power is worth is not known. Uses are counted in the games with all powers."
        )
    elif not pictures:
        text = (
            "The games in which a single power is missing were not played. Uses are counted in the games with all"
            " powers."
        )
    if roles.power_note:
        text += f" {roles.power_note}"
    return Section(title, (text,), tuple(tables), tuple(pictures))


def _use_cell(power: Power, roles: Roles) -> TableCell:
    if not power.pairs and (power.pays == "open" or not roles.apart):
        return NO_ENTRY
    return TableCell(_PAYS[power.pays])


def _strongest_first(shares: Sequence[Shares], strongest: str) -> list[Shares]:
    return sorted(shares, key=lambda one: (one.agent != strongest, one.players))

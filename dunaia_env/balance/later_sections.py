"""The sections of a balance report about skill, the shape of games and the draft."""

from __future__ import annotations

from dunaia_env.arena.pages import ReportTable, Section, TableCell, table_row
from dunaia_env.balance import plots
from dunaia_env.balance.averages import Spread
from dunaia_env.balance.results import Results
from dunaia_env.balance.sections import NOT_PLAYED, role_labels
from dunaia_env.balance.shapes import Shape
from dunaia_env.balance.study import Study
from dunaia_env.balance.wording import (
    cell,
    effect_cell,
    kind_words,
    label_of,
    number,
    percent,
    players_words,
    share_cell,
    with_article,
)


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
            f"The share of {with_article(roles.title)} that is hard to play grows with the strength of all players; the"
            " share of one that is easy to play, or hard to stop, falls."
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
        note = "A share that grows when a player trained for the role holds it was low because the role was unlearned."
        tables.append(ReportTable("Players trained for one role", columns, rows, (note,)))
    if not tables:
        return Section(title, (NOT_PLAYED, *texts))
    return Section(title, tuple(texts), tuple(tables), tuple(pictures), folded=True)


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
        f"Chosen when offered: how often {with_article(roles.title)} is taken from those on offer. Its win share after"
        " that mixes what it is worth with the seat and the taste of those who choose it, which the verdicts do not."
    )
    return Section(title, (text,), tuple(tables), tuple(pictures), folded=True)

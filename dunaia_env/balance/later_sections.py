"""The sections of a balance report about skill, the shape of games and the draft."""

from __future__ import annotations

from collections.abc import Sequence

from dunaia_env.arena.intervals import Estimate
from dunaia_env.arena.pages import ReportTable, Section, TableCell, table_row
from dunaia_env.balance import plots
from dunaia_env.balance.averages import Spread
from dunaia_env.balance.measures import Step
from dunaia_env.balance.plans import Plan, began_with_of, families_of
from dunaia_env.balance.results import Results
from dunaia_env.balance.sections import NOT_PLAYED, role_labels
from dunaia_env.balance.shapes import Shape
from dunaia_env.balance.study import Study
from dunaia_env.balance.unlearned import Conclusion, Learning, Move
from dunaia_env.balance.wording import (
    NO_ENTRY,
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
from dunaia_env.support.english import listed


def skill_section(study: Study, results: Results) -> Section:
    """Whether stronger players, searches or other agents change a role's share."""
    title, roles = "Skill", study.game.check_roles()
    labels = role_labels(study)
    tables, pictures, texts = [], [], []
    for players in sorted({one.players for one in results.steps}):
        steps = [one for one in results.steps if one.players == players]
        heading = f"{players_words(players)}: from weak to strong players"
        tables.append(_steps_table(heading, steps, roles.title, labels))
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
            f"As all players become stronger, the share of {with_article(roles.title)} that is hard to play grows. The"
            " share of one that is easy to play, or hard to stop, falls."
        )
    for players in sorted({one.players for one in results.agreements}):
        agreed = [one for one in results.agreements if one.players == players]
        columns = (
            *(roles.title, *(label_of(agent) for agent in agreed[0].agents)),
            *("spread between agents", "largest difference"),
        )
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
            f"The win shares are those on {agreed[0].blocks:,} common blocks. The spread between agents is the standard"
            " deviation of their true shares in percentage points, with luck subtracted. The largest difference is that"
            " between two agents in percentage points, with luck included."
        )
        tables.append(ReportTable(f"{players_words(players)}: do other players agree?", columns, rows, (note,)))
    texts += _kinship(study.plan, list(dict.fromkeys(agent for one in results.agreements for agent in one.agents)))
    for players in sorted({one.players for one in results.searches}):
        steps = [one for one in results.searches if one.players == players]
        heading = f"{players_words(players)}: what a search by all players changes"
        tables.append(_steps_table(heading, steps, roles.title, labels))
    if not tables:
        return Section(title, (NOT_PLAYED, *texts))
    return Section(title, tuple(texts), tuple(tables), tuple(pictures), folded=True)


def _steps_table(heading: str, steps: Sequence[Step], title: str, labels: Sequence[str]) -> ReportTable:
    """How shares change from one agent to another, a column for each pair of agents."""
    columns = (title, *(f"{label_of(one.weak)} → {label_of(one.strong)}" for one in steps))
    rows = tuple(
        table_row(label, *(effect_cell(one.roles[role]) for one in steps)) for role, label in enumerate(labels)
    )
    blocks = listed([f"{one.blocks:,}" for one in steps])
    order = ", in the order of the columns" if len(steps) > 1 else ""
    note = f"Changes of the win share are in percentage points, measured on {blocks} common blocks{order}."
    return ReportTable(heading, columns, rows, (note,))


def _kinship(plan: Plan, agents: Sequence[str]) -> list[str]:
    """Whether the agents whose agreement is shown were trained independently of one another."""
    if len(agents) < 2:
        return ["No other trained players took part, so this study cannot say whether they would agree."]
    derived, families = began_with_of(plan), families_of(plan, agents)
    texts = []
    for family in families:
        begun = [one for one in family if one in derived]
        if len(family) > 1:
            said = [f"{label_of(one)} began with the weights of {label_of(derived[one])}" for one in begun]
            named = listed([label_of(one) for one in family])
            texts.append(
                f"{listed(said)}, and continued training from there. So {named} are not independent witnesses: where"
                " they agree, they may merely share the same habits."
            )
    if len(families) > 1:
        named = listed([_one_of(family) for family in families])
        texts.append(
            f"{named} were trained independently of one another, as far as the study's command and the model files say."
        )
    return texts


def _one_of(family: Sequence[str]) -> str:
    """Agents as alternatives: "either a or b"."""
    return f"{'either ' if len(family) > 1 else ''}{listed([label_of(one) for one in family], 'or')}"


_TRIED = {"search": "a search", "specialist": "a player trained for it", "response": "a best response"}


def unlearned_section(study: Study, results: Results) -> Section:
    """Whether weak roles are weak, or only unlearned: what search, special training and best responses change."""
    title, roles = "Weak or unlearned?", study.game.check_roles()
    if not results.learnings:
        return Section(title, (NOT_PLAYED,))
    labels = role_labels(study)
    question = (
        f"{with_article(roles.title).capitalize()} may look weak only because no player has learned to use it. Four"
        " measurements help to tell: whether its share rises when all players search, when a player trained for it"
        " holds it, or when a best response to the other players holds it; and what its power is worth to its owner."
    )
    texts = [question]
    kinds = {move.kind for one in results.learnings for move in one.moves}
    if missing := [words for kind, words in _TRIED.items() if kind not in kinds]:
        texts.append(f"Not tried in this study: {listed(missing)}.")
    weak = [one for one in results.learnings if one.conclusion != "not weak" or _has_special(one)]
    texts += [_learning_sentences(study, one, results) for one in weak]
    tables = []
    for players in sorted({one.players for one in results.learnings}):
        own = [one for one in results.learnings if one.players == players]
        rows = []
        for one in own:
            moved = {kind: [move for move in one.moves if move.kind == kind] for kind in _TRIED}
            cells = [_largest_change(moves) for moves in moved.values()]
            power = NO_ENTRY if one.power is None else effect_cell(one.power.share)
            rows.append(
                table_row(labels[one.role], effect_cell(one.effect), *cells, power, _CONCLUSIONS[one.conclusion])
            )
        columns = (
            *(roles.title, f"effect {when_played_by([own[0].agent])}", "change by a search"),
            *("by a player trained for it", "by a best response", "what its power is worth", "conclusion"),
        )
        note = (
            "All numbers are percentage points of the win share. Each interval, taken alone, contains the true value"
            " with 95 % confidence. Where several players were tried, the largest change is shown."
        )
        tables.append(ReportTable(players_words(players), columns, tuple(rows), (note,)))
    if results.specials:
        tables.append(_specials_table(study, results, labels))
    return Section(title, tuple(texts), tuple(tables))


_CONCLUSIONS: dict[Conclusion, str] = {
    "not weak": "not weak",
    "unlearned": "unlearned",
    "partly": "partly unlearned",
    "weak": "weak",
    "untried": "not known",
}


def _has_special(one: Learning) -> bool:
    return any(move.kind != "search" for move in one.moves)


def _largest_change(moves: Sequence[Move]) -> TableCell:
    return effect_cell(max(moves, key=lambda move: move.change.value).change) if moves else NO_ENTRY


def _points(estimate: Estimate) -> str:
    value, low, high = (number(100 * one, sign=True) for one in estimate)
    return f"{value} points ({low} to {high})"


def _learning_sentences(study: Study, one: Learning, results: Results) -> str:
    """Sentences on what moved the effect of a role, by how much, and what follows."""
    name = name_of_role(study.game.check_roles().names[one.role])
    found = [
        f"{name}, {players_words(one.players)}: its effect is {_points(one.effect)} {when_played_by([one.agent])}."
    ]
    for move in one.moves:
        verb = "raises" if move.change.low > 0 else "lowers" if move.change.high < 0 else "does not clearly change"
        who = f"A search by all players ({label_of(move.agent)})"
        if move.kind != "search":
            what = "best response" if move.kind == "response" else "player trained for it"
            who = f"A {what} ({label_of(move.agent)}), playing against {label_of(move.base)},"
        found.append(
            f"{who} {verb} it: the change is {_points(move.change)}, from {number(100 * move.before.value, sign=True)}"
            f" to {_points(move.after)}."
        )
    specials = [special for special in results.specials if (special.role, special.players) == (one.role, one.players)]
    for special in specials:
        found.append(
            f"The power is worth {_points(special.power.share)} to {label_of(special.agent)}. In the same seats"
            f" without the power, the share of {label_of(special.agent)} minus that of {label_of(special.opponent)}"
            f" is {_points(special.without)}, so {_points(special.learned)} of the change come from the power."
        )
    powers = {special.opponent: special.general_power for special in specials}
    if one.power is not None:
        powers[one.agent] = one.power
    found += [f"The power is worth {_points(power.share)} to {label_of(agent)}." for agent, power in powers.items()]
    still_weak = all(move.after.high < -study.plan.tolerance for move in one.moves)
    found.append(_STILL_WEAK if one.conclusion == "partly" and still_weak else _WHAT_FOLLOWS[one.conclusion])
    return " ".join(found)


_STILL_WEAK = "So part of its weakness comes from the players, but it is too weak with all players that were tried."
_WHAT_FOLLOWS: dict[Conclusion, str] = {
    "not weak": "It is not known to be too weak in the first place.",
    "unlearned": "So its weakness comes from the players: it was unlearned.",
    "partly": "So part of its weakness comes from the players, and it may still be too weak.",
    "weak": "So nothing that was tried suggests that its weakness comes from the players.",
    "untried": "It is not known whether players trained for it would do better.",
}


def _specials_table(study: Study, results: Results, labels: Sequence[str]) -> ReportTable:
    """Players trained for a role, beside the player against which they hold it."""
    title = study.game.check_roles().title
    rows = tuple(
        table_row(
            f"{labels[one.role]}, {players_words(one.players)}",
            *(f"{label_of(one.agent)}", f"{label_of(one.opponent)}", f"{one.blocks:,}"),
            *(share_cell(share) for share in (one.before, one.after, one.among)),
            *(effect_cell(change) for change in (one.change, one.without, one.learned)),
            *(cell(power.uses, 2) for power in (one.general_power, one.power)),
            *(share_cell(power.used) for power in (one.general_power, one.power)),
        )
        for one in results.specials
    )
    columns = (
        *(title, "held by", "against", "blocks", "share before", "share after"),
        *("share in all seats", "change, points", "difference without the power", "due to the power"),
        *("uses per game before", "uses per game after", "games with a use before", "games with a use after"),
    )
    note = (
        f"Before: the player of the other seats holds the {title} too. After: the trained player holds it. In all"
        " seats: the trained player plays against itself. Difference without the power: how much more the trained"
        " player wins than the other player, in the same seat without the power. Due to the power: the rest of the"
        " change."
    )
    return ReportTable(f"Players trained for one {title}", columns, rows, (note,), texts=True)


def shape_section(study: Study, results: Results) -> Section:
    """Length, changes of the lead, comebacks, decision and ends of games."""
    title, roles, strongest = "Shape of the game", study.game.check_roles(), study.plan.strengths[-1]
    if not results.shapes:
        return Section(title, (NOT_PLAYED,))
    tables, pictures = [], []
    # With two players every shared win is shared by all, so the column would say nothing new.
    equal = any(one.everybody.value > 0 and one.players > 2 for one in results.shapes)
    for players in sorted({one.players for one in results.shapes}):
        own = [one for one in results.shapes if one.players == players]
        own.sort(key=lambda one: one.agent != strongest)
        shown = [(_short_kind(one), one) for one in own if one.agent == strongest]
        if shown:
            caption = f"{players_words(players)}, {label_of(strongest)}"
            pictures.append((f"Length of the games: {caption}", plots.length_plot(shown, f"length-{players}")))
            pictures.append((f"How often the leader wins: {caption}", plots.decided_plot(shown, f"decided-{players}")))
        rows = tuple(
            table_row(
                kind_words(one.kind, roles),
                label_of(one.agent),
                _spread_cell(one.length),
                _spread_cell(one.lead_changes),
                share_cell(one.no_change),
                share_cell(one.comebacks),
                percent(one.leader_wins_at[5], 0),
                _spread_cell(one.winning_margin),
                share_cell(one.shared),
                *([share_cell(one.everybody)] if equal else []),
                share_cell(one.stopped),
            )
            for one in own
        )
        columns = (
            *("games", "players", "rounds", "lead changes", "no lead change", "comebacks", "leader at half-time wins"),
            *("winning margin", "shared wins", *(["shared by all"] if equal else []), "stopped at the round limit"),
        )
        tables.append(ReportTable(players_words(players), columns, rows))
    text = (
        "For rounds, lead changes and the winning margin, a cell shows the mean, followed by the 5, 50 and 95 %"
        " quantiles. The lead changes when another player alone has the best score at the start of a round, or alone"
        " wins the game. A game is a comeback if the player who led at half-time does not win."
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
        return Section(
            title, (f"No player chose {with_article(roles.title)} in this study, so there are no pick rates.",)
        )
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
                *(f"chosen by seat {seat}" for seat in range(players)),
                "win share when chosen",
            )
            tables.append(ReportTable(caption, columns, rows))
    text = (
        f"Chosen when offered: how often {with_article(roles.title)} is taken when it is on offer. The win share when"
        " chosen depends not only on what it is worth, but also on the seat and the taste of those who choose it. The"
        " verdicts do not depend on these."
    )
    return Section(title, (text,), tuple(tables), tuple(pictures), folded=True)

"""Causes: the effects that were tested by the command on causes, and, as hints, which seat does what first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dunaia_env.balance import averages, causes_pages, design, outcomes
from dunaia_env.balance.games import Games
from dunaia_env.balance.study import Study
from dunaia_env.balance.wording import (
    NO_ENTRY,
    effect_cell,
    kind_words,
    name_of_role,
    number,
    percent,
    players_words,
    share_cell,
)
from dunaia_env.harness.roles import Roles
from dunaia_env.reports.parts import ReportTable, Section, TableCell, table_row
from dunaia_env.statistics.intervals import Estimate, round_portably
from dunaia_env.support.english import listed


@dataclass(frozen=True)
class First:
    """Who causes an event first, and how often this seat wins.

    Attributes:
        event: what the seat does.
        kind: the condition's kind.
        players: number of players.
        agent: the agent in all seats.
        happened: share of the games in which the event happened.
        seats: for each seat, the share of these games in which it caused the event first.
        share: win share of the seat that caused the event first.
        expected: the win share that this seat would have if only its place at the table counted.
    """

    event: str
    kind: design.Kind
    players: int
    agent: str
    happened: float
    seats: tuple[float, ...]
    share: Estimate
    expected: float


def firsts_of(games: Games, kind: design.Kind, agent: str, names: tuple[str, ...]) -> tuple[First, ...]:
    """Who causes each event first, for the events that happened.

    The share of the first seat is an observation, not an effect: a good position may cause both the event and the win.
    Effects are measured by forbidding an event, see `dunaia_env.balance.design.Forbidden`.
    """
    seat_shares = games.shares.mean(axis=0)
    found = []
    for event, name in enumerate(names):
        first = games.first_seat[:, event].astype(np.int64)
        happened = first >= 0
        if not happened.any():
            continue
        rows = np.arange(len(games))
        won = games.shares[rows, np.maximum(first, 0)] * happened
        (share,) = averages.ratios(
            averages.sums_of_blocks(games, won), averages.sums_of_blocks(games, happened), shares=True
        )
        by_seat = np.bincount(first[happened], minlength=games.seats) / happened.sum()
        found.append(
            First(
                name,
                kind,
                games.seats,
                agent,
                float(round_portably(happened.mean())),
                tuple(round_portably(by_seat).tolist()),
                share,
                float(round_portably((by_seat * seat_shares).sum())),
            )
        )
    return tuple(found)


_UNKNOWN = (float("nan"), float("nan"))


@dataclass(frozen=True)
class CauseTest:
    """How an effect changed when something was taken away.

    Attributes:
        effect: name of the effect: "seat 0, 2 players".
        change: what was taken away or exchanged.
        before: win share without the change.
        after: win share with the change.
        difference: ``after`` minus ``before``, on common seeds.
        carried: part of the effect that disappears with the change, or of the difference between the two seats if they
            exchange their boards; NaN if it is not known whether any of it does.
        beyond: for an event, the change beyond the mean change without each other event; None for other kinds.
        rounds, uses: mean number of rounds of a game before and after, and how often the subject uses its power.
        everybody: for an event, the change of everybody's share, by name.
    """

    effect: str
    change: str
    before: Estimate
    after: Estimate
    difference: Estimate
    carried: float = float("nan")
    beyond: Estimate | None = None
    rounds: tuple[float, float] = _UNKNOWN
    uses: tuple[float, float] = _UNKNOWN
    everybody: tuple[tuple[str, Estimate], ...] = ()


@dataclass(frozen=True)
class CauseTests:
    """Effects, and what carries them.

    Attributes:
        method: how the causes were tested, in a sentence or two.
        rows: the tests.
        findings: conclusions from the tests, one paragraph for each study of causes.
    """

    method: str
    rows: tuple[CauseTest, ...]
    findings: tuple[str, ...] = ()


CAUSES_FILE = "causes.json"


def read_causes(folders: Sequence[Path], roles: Roles) -> CauseTests | None:
    """The causes stored in folders of ``dunaia causes``; None if no folder is given.

    Args:
        folders: the folders.
        roles: the roles of the game, whose words describe the games.

    Raises `ValueError` naming the file and what is wrong with it.
    """
    if not folders:
        return None
    rows: list[CauseTest] = []
    findings: list[str] = []
    agents = set()
    for folder in folders:
        found: outcomes.Causes = outcomes.read_result(
            folder / CAUSES_FILE, outcomes.Causes, causes_pages.FORMAT, causes_pages.VERSION
        )
        agents.add(found.agent)
        table = f"{players_words(found.players)}, {kind_words(found.kind, roles)}"
        rows += [
            CauseTest(
                f"{found.subject}, {table}",
                cause.clause,
                found.share,
                cause.share,
                cause.change,
                cause.carried if cause.clear else float("nan"),
                cause.beyond,
                (found.rounds, cause.rounds),
                (found.uses, cause.uses),
                tuple(zip(found.subjects, cause.everybody, strict=True)) if cause.everybody else (),
            )
            for cause in found.causes
        ]
        findings.append(f"{table}: {' '.join(found.sentences)}")
    method = (
        f"One thing at a time was taken away and the same seeds were played again, with {listed(sorted(agents), 'or')}"
        " in every seat. The intervals for the changes of one effect are simultaneous: with 95 % confidence, all of"
        " them contain the true value. Every removal changes the game as a whole, so the removals of the other events"
        " are the placebo: an event is named only if more of the effect goes without it than without the others on"
        " average."
    )
    return CauseTests(method, tuple(rows), tuple(findings))


_CAUSE_NOTE = (
    "Beyond the others: the change without an event minus the mean change without each other event. Rounds, uses: the"
    " mean length of a game, and how often the subject uses its power, before and after. Carries: the part of the"
    " effect that disappears, shown where the change is known to differ from 0; after an exchange, the part of the"
    " difference between the two seats that went with the board. A negative part means that the effect grows. The"
    " agent was not trained for games in which something is taken away, so it may play them less well."
)

_EVERYBODY_NOTE = (
    "Changes of the win share in percentage points, with intervals that are simultaneous over all rows and columns."
)

_FEWEST_FIRSTS = 0.05  # events that happen in a smaller share of the games are left out


def cause_section(study: Study, firsts: Sequence[First], causes: CauseTests | None) -> Section:
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
                row.effect,
                row.change,
                share_cell(row.before),
                share_cell(row.after),
                effect_cell(row.difference),
                NO_ENTRY if row.beyond is None else effect_cell(row.beyond),
                percent(row.carried, 0),
                _before_and_after(row.rounds),
                _before_and_after(row.uses),
            )
            for row in causes.rows
        )
        columns = (
            *("effect", "what was changed", "share before", "share after", "change, points", "beyond the others"),
            *("carries", "rounds", "uses"),
        )
        tables.append(ReportTable("Tests on common seeds", columns, rows, (_CAUSE_NOTE,), texts=True))
        tables += _everybody_tables(causes)
    for players in sorted({first.players for first in firsts}):
        if striking := _striking(firsts, players):
            tables.append(_hints(study, striking, players))
    if any(table.title.startswith("Hints") for table in tables):
        texts.append(
            "A hint does not prove a cause: a good position may make a player both the first to do something and the"
            " winner. The share expected by seat is what the first player would win if only the seat counted."
        )
    return Section(title, tuple(texts), tuple(tables))


def _before_and_after(numbers: tuple[float, float]) -> str:
    return " → ".join(number(value) for value in numbers) if np.isfinite(numbers).all() else "–"


def _everybody_tables(causes: CauseTests) -> list[ReportTable]:
    """For each effect, what the removals do to the shares of all, in percentage points."""
    tables = []
    for effect in dict.fromkeys(row.effect for row in causes.rows if row.everybody):
        rows = [row for row in causes.rows if row.effect == effect and row.everybody]
        names = [name for name, _ in rows[0].everybody]
        tables.append(
            ReportTable(
                f"What each removal does to everybody: {effect}",
                ("what was changed", *(name_of_role(name) for name in names)),
                tuple(table_row(row.change, *(effect_cell(change) for _, change in row.everybody)) for row in rows),
                (_EVERYBODY_NOTE,),
                texts=True,
            )
        )
    return tables


def _hints(study: Study, firsts: Sequence[First], players: int) -> ReportTable:
    columns = (
        *("the player who first …", "games", "happens in", *(f"seat {seat} is first" for seat in range(players))),
        *("wins", "expected by seat", "difference, points"),
    )
    heading = f"Hints, {players_words(players)}: how often the first player to do something wins"
    return ReportTable(heading, columns, tuple(_first_row(study, first) for first in firsts))


def _striking(firsts: Sequence[First], players: int) -> list[First]:
    """The events that happen often enough, the most striking first; from games without roles if they were played."""
    own = [first for first in firsts if first.players == players and first.happened >= _FEWEST_FIRSTS]
    kind = next((kind for kind in ("absent", "assigned", "drafted") if any(first.kind == kind for first in own)), "")
    return sorted((first for first in own if first.kind == kind), key=lambda one: one.expected - one.share.value)


def _first_row(study: Study, first: First) -> tuple[TableCell, ...]:
    return table_row(
        first.event,
        kind_words(first.kind, study.game.require("roles")),
        percent(first.happened),
        *(percent(seat) for seat in first.seats),
        share_cell(first.share),
        percent(first.expected),
        number(100 * (first.share.value - first.expected), sign=True),
    )

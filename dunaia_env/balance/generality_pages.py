"""The section of a balance report on findings that hold everywhere, and the sentence about them at its top."""

from __future__ import annotations

from collections.abc import Sequence

from dunaia_env.arena.pages import ReportTable, Section, TableCell, table_row
from dunaia_env.balance.generality import Conclusion, Generality, Support
from dunaia_env.balance.sections import NOT_PLAYED
from dunaia_env.balance.study import Study
from dunaia_env.balance.verdicts import Status
from dunaia_env.balance.wording import (
    at_tables,
    label_of,
    name_of_role,
    percent,
    players_words,
    status_words,
    when_played_by,
    with_article,
)

_FINDINGS: dict[Status, str] = {"over": "too strong", "under": "too weak", "fine": "fine"}
_EVERYWHERE: dict[Conclusion, str] = {"yes": "● yes", "no": "▼ no", "open": "○ not known"}
_NOTE = (
    "A dash means that nothing was tested, or that the finding is not known. Agents trained independently: how many"
    " agents with the finding are independent of one another. Known on component files: the number of files on which"
    " the finding is certain; most files have too few games to tell. Probably on: the estimated part of the files on"
    " which it holds."
)


def generality_section(study: Study, generalities: Sequence[Generality]) -> Section:
    """The section that says which findings hold for all players and on most component files."""
    title, roles = "What holds everywhere", study.game.check_roles()
    if not generalities:
        return Section(title, (NOT_PLAYED,))
    strongest = label_of(study.plan.strengths[-1])
    text = (
        f"For each {roles.title}, the finding is whether its effect lies above, below or within the tolerance"
        f" {when_played_by([strongest])}. It holds everywhere if it is the same at every strength, for every other"
        f" trained agent and for every player trained to hold the {roles.title}, and if it probably holds on at least"
        " two thirds of the other component files. It does not hold everywhere if another finding is known for one of"
        " these players, or if it probably holds on fewer files. The intervals of other trained agents are"
        f" simultaneous, like those of section 1; the intervals of players trained for one {roles.title} are not."
    )
    columns = (
        *(roles.title, f"finding {when_played_by([strongest])}", "strengths", "other trained agents"),
        *("agents trained independently", "players trained for it", "known on component files", "probably on"),
        "holds everywhere",
    )
    tables = tuple(
        ReportTable(
            players_words(players),
            columns,
            tuple(_generality_row(one) for one in generalities if one.players == players),
            (_NOTE,),
            texts=True,
        )
        for players in sorted({one.players for one in generalities})
    )
    return Section(title, (text, *general_findings(study, generalities)), tables)


def _generality_row(one: Generality) -> tuple[TableCell, ...]:
    known = one.status != "open"
    return table_row(
        name_of_role(one.role),
        status_words(one.status),
        *(_tested_words(test) if known else "–" for test in (one.strengths, one.others)),
        str(one.independent) if known else "–",
        *(_tested_words(test) if known else "–" for test in (one.specials, one.files)),
        percent(one.probable, 0) if known else "–",
        _EVERYWHERE[one.conclusion],
    )


def _tested_words(test: Support) -> str:
    if not test.tested:
        return "–"
    differs = f", differs on {test.differs}" if test.differs else ""
    return f"{test.holds} of {test.tested}{differs}"


def general_findings(study: Study, generalities: Sequence[Generality]) -> tuple[str, ...]:
    """A sentence that names the findings that hold everywhere, or says that there are none.

    Empty if other trained agents or other component files were not tested.
    """
    if not any(one.complete for one in generalities):
        return ()
    where = "at every strength, for every other trained agent and on most component files"
    named = at_tables(
        (f"{name_of_role(one.role)} {_FINDINGS[one.status]}", one.players)
        for one in generalities
        if one.conclusion == "yes"
    )
    if not named:
        return (f"No finding about {with_article(study.game.check_roles().title)} is known to hold {where}.",)
    return (f"{where[:1].upper()}{where[1:]}: {'; '.join(named)}.",)

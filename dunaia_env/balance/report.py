"""The report of a study: one self-contained HTML page, Markdown, JSON, replays and pictures of the games of note."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from dunaia_env.balance import pages, plans, wording
from dunaia_env.balance.questions import (
    draft,
    evidence,
    matchups,
    powers,
    priorities,
    screening,
    shapes,
    skill,
    unlearned,
)
from dunaia_env.balance.questions.causes import CauseTests, cause_section
from dunaia_env.balance.questions.generality import general_findings, generalities_of, generality_section
from dunaia_env.balance.questions.shares import best_seats, control_section, margin_section, share_section
from dunaia_env.balance.questions.verdicts import effects_by_strength, overview_plot, verdict_findings, verdict_section
from dunaia_env.balance.results import Results
from dunaia_env.balance.study import Study
from dunaia_env.balance.validation import Validation, validation_section
from dunaia_env.reports import moments, parts
from dunaia_env.support import atomic, english

FORMAT, VERSION = "dunaia-balance-report", 1

_CAPTION = "Verdicts at the strongest play"
_LEGEND = (
    "▲ too strong, ▼ too weak, larger if clearly so; △ ▽ slightly; ● fine; ○ undecided. Lines: simultaneous 95 %"
    " intervals."
)


def make_report(
    study: Study,
    out_folder: str | os.PathLike[str],
    *,
    validation: Validation | None = None,
    robustness: screening.Robustness | None = None,
    causes: CauseTests | None = None,
    components: Any = None,
) -> None:
    """Write ``report.html``, ``report.md``, ``report.json`` and ``replays/`` of a study into a folder.

    The same study gives the same files, byte for byte. Sections for which there are no data say so in a line.

    Args:
        study: the study, finished or not.
        out_folder: the folder; it is created if it is missing.
        validation: how the laboratory did on simulated studies.
        robustness: the verdicts over several component files.
        causes: the tested effects, and what carries them.
        components: the component file of the study, for the replays; None for the game's own. With another file the
            replays are left out.

    Raises `OSError` if a file cannot be written.
    """
    folder, results = Path(out_folder), Results(study)
    made = _sections_on_games(study, results)
    made["robustness"] = screening.robustness_section(study, robustness)
    generalities = generalities_of(study.plan, results.verdicts, results.others, results.learnings, robustness)
    made["generality"] = generality_section(study, generalities)
    made["causes"] = cause_section(study, results.firsts, causes)
    made["limits"] = evidence.limits_section(study, robustness, causes)
    noted = _noted_games(study, folder, components)
    figures = moments.moment_figures(
        folder, {f"{wording.players_words(game.players)}: {game.name}": game.moment for game in noted}
    )
    made["evidence"] = evidence.evidence_section(study, noted, figures)
    appendix = () if validation is None else (validation_section(validation),)
    urgent = priorities.priority_findings(results.priorities, study.game.require("roles").title)
    general, seats = general_findings(study, generalities), best_seats(study, results.shares)
    findings = (*verdict_findings(results.verdicts), *urgent, *general, *seats)
    picture = overview_plot(results.verdicts, study.plan.tolerance, "overview") if results.verdicts else ""
    page = pages.Page(*_headings(study), picture, _CAPTION, _LEGEND, findings, (*wording.numbered(made), *appendix))
    content = {
        "format": FORMAT,
        "version": VERSION,
        "game": study.plan.game,
        "roles": study.game.require("roles").names,
        "plan": study.plan,
        "seconds": study.seconds,
        "games": {name: len(games) for name, games in study.games.items()},
        "results": results.data(),
        "generalities": generalities,
        "validation": validation,
        "robustness": robustness,
        "causes": causes,
        "noted_games": noted,
    }
    data = json.dumps(parts.to_json_data(content), indent=1, ensure_ascii=False, allow_nan=False)
    atomic.write_text(folder / "report.json", data + "\n")
    atomic.write_text(folder / "report.md", pages.to_markdown(page))
    atomic.write_text(folder / "report.html", pages.to_html(page))


def _noted_games(study: Study, folder: Path, components: Any) -> tuple[evidence.NotedGame, ...]:
    """The games of note of the strongest agent with assigned roles at each number of players, with their replays."""
    strongest, names = study.plan.strengths[-1], study.game.require("roles").names
    conditions = {condition.name: condition for condition in study.conditions}
    loaded = study.game.load(components)
    found: list[evidence.NotedGame] = []
    for players in study.plan.players:
        name = plans.condition_name("assigned", players, strongest)
        if name in study.games and name in conditions:
            noted = evidence.games_of_note(study.games[name], strongest, study.plan.seed, names, study.plan.seeding)
            found += evidence.write_replays(folder, noted, study.game, conditions[name], loaded, study.plan.components)
    return tuple(found)


def _sections_on_games(study: Study, results: Results) -> dict[str, parts.Section]:
    """The sections on what the games of a study say, by their keys."""
    effects = effects_by_strength(results.verdicts)
    return {
        "verdicts": _with_priorities(study, results),
        "picks": draft.pick_section(study, results.picks),
        "shares": share_section(study, results.shares),
        "margins": margin_section(study, results.shares),
        "seats": control_section(study, results.shares, chosen=bool(results.picks)),
        "matchups": matchups.matchup_section(study, results.matchups),
        "powers": powers.power_section(study, results.powers),
        "skill": skill.skill_section(study, results.steps, results.searches, results.agreements, effects),
        "unlearned": unlearned.unlearned_section(study, results.learnings, results.specials),
        "shapes": shapes.shape_section(study, results.shapes),
    }


def _with_priorities(study: Study, results: Results) -> parts.Section:
    """The section on the verdicts, with what to change first before the details."""
    section = verdict_section(study, results.verdicts)
    first = priorities.priority_tables(results.priorities, results.verdicts, study.game.require("roles").title)
    return replace(section, tables=(*section.tables[:1], *first, *section.tables[1:]))


def _headings(study: Study) -> tuple[str, str]:
    """The title of a report, and a sentence about its games."""
    players = english.listed([str(number) for number in study.plan.players])
    title = f"Balance of the {study.game.require('roles').title}s: {study.game.title}, {players} players"
    games = sum(len(game) for game in study.games.values())
    return (
        title,
        f"{games:,} games in {len(study.games)} conditions. Strengths: {english.listed(study.plan.strengths)}.",
    )

"""The report of a study: one self-contained HTML page, Markdown, JSON, replays and pictures of the games of note."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dunaia_env.arena.pages import Figure, Section, escaped, moment_figures, sections_to_markdown, templates
from dunaia_env.arena.report import to_json_data
from dunaia_env.balance import background, generality_pages, later_sections, sections
from dunaia_env.balance.evidence import Causes, Robustness
from dunaia_env.balance.generality import Generality, generalities_of
from dunaia_env.balance.noteworthy import NotedGame, games_of_note, write_replays
from dunaia_env.balance.plans import condition_name
from dunaia_env.balance.results import Results, measure
from dunaia_env.balance.study import Study
from dunaia_env.balance.validation import Validation
from dunaia_env.balance.wording import players_words
from dunaia_env.support.atomic import write_text
from dunaia_env.support.english import listed

FORMAT, VERSION = "dunaia-balance-report", 1


@dataclass(frozen=True)
class _Shown:
    """What the HTML page and the Markdown file show."""

    title: str
    state: str
    findings: tuple[str, ...]
    sections: tuple[Section, ...]


def make_report(
    study: Study,
    out_folder: str | os.PathLike[str],
    *,
    validation: Validation | None = None,
    robustness: Robustness | None = None,
    causes: Causes | None = None,
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
    folder = Path(out_folder)
    results = measure(study)
    generalities = generalities_of(study.plan, results, robustness)
    noted = _noted_games(study, folder, components)
    figures = moment_figures(folder, {f"{players_words(one.players)}: {one.name}": one.moment for one in noted})
    shown = _shown(study, results, generalities, noted, figures, validation, robustness, causes)
    content = {
        "format": FORMAT,
        "version": VERSION,
        "game": study.plan.game,
        "roles": study.game.check_roles().names,
        "plan": study.plan,
        "seconds": study.seconds,
        "games": {name: len(games) for name, games in study.games.items()},
        "results": results,
        "generalities": generalities,
        "validation": validation,
        "robustness": robustness,
        "causes": causes,
        "noted_games": noted,
    }
    data = json.dumps(to_json_data(content), indent=1, ensure_ascii=False, allow_nan=False)
    write_text(folder / "report.json", data + "\n")
    write_text(folder / "report.md", _markdown(shown))
    template = templates("dunaia_env.balance").get_template("report.html")
    write_text(folder / "report.html", template.render(shown=shown))


def _noted_games(study: Study, folder: Path, components: Any) -> tuple[NotedGame, ...]:
    """The games of note of the strongest agent with assigned roles at each number of players, with their replays."""
    strongest, names = study.plan.strengths[-1], study.game.check_roles().names
    conditions = {one.name: one for one in study.conditions}
    loaded = study.game.load(components)
    found: list[NotedGame] = []
    for players in study.plan.players:
        name = condition_name("assigned", players, strongest)
        if name in study.games and name in conditions:
            noted = games_of_note(study.games[name], strongest, study.plan.seed, names)
            found += write_replays(folder, noted, study.game, conditions[name], loaded, study.plan.components)
    return tuple(found)


def _shown(
    study: Study,
    results: Results,
    generalities: tuple[Generality, ...],
    noted: tuple[NotedGame, ...],
    figures: tuple[Figure, ...],
    validation: Validation | None,
    robustness: Robustness | None,
    causes: Causes | None,
) -> _Shown:
    found = [
        sections.verdict_section(study, results),
        sections.share_section(study, results),
        sections.margin_section(study, results),
        sections.matchup_section(study, results),
        sections.control_section(study, results),
        sections.power_section(study, results),
        later_sections.skill_section(study, results),
        later_sections.unlearned_section(study, results),
        later_sections.shape_section(study, results),
        later_sections.pick_section(study, results),
        background.robustness_section(study, robustness),
        generality_pages.generality_section(study, generalities),
        background.cause_section(study, results, causes),
        background.limits_section(study, robustness, causes),
        background.evidence_section(study, noted, figures),
    ]
    numbered = [replace(one, title=f"{number} {one.title}") for number, one in enumerate(found, start=1)]
    if validation is not None:
        numbered.append(background.validation_section(validation))
    roles = study.game.check_roles()
    players = listed([str(number) for number in study.plan.players])
    title = f"Balance of the {roles.title}s: {study.game.title}, {players} players"
    games = sum(len(one) for one in study.games.values())
    state = f"{games:,} games in {len(study.games)} conditions. Strengths: {listed(study.plan.strengths)}."
    findings = background.headline_findings(study, results.verdicts, generalities)
    findings += sections.seat_findings(study, results)
    return _Shown(title, state, findings, tuple(numbered))


def _markdown(shown: _Shown) -> str:
    lines = [f"# {escaped(shown.title)}", "", escaped(shown.state), ""]
    lines += [f"- {escaped(finding)}" for finding in shown.findings] + [""] * bool(shown.findings)
    return "\n".join([*lines, *sections_to_markdown(shown.sections)]).rstrip() + "\n"

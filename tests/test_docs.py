"""The documentation says what the code does: generated parts are up to date, code blocks run, links lead somewhere."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from docs import picture, plots, report_pictures
from docs.generate import GENERATORS, PAGES, ROOT, generated, joined
from docs.report_parts import EXPERIMENTS
from dunaia_env.dune.decisions import DECISIONS

pytestmark = pytest.mark.once

_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
MARKDOWN = sorted(
    page
    for pattern in ("*.md", "docs/**/*.md", "agents/models/*.md")
    for page in ROOT.glob(pattern)
    if "_build" not in page.parts
)


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES)
def test_docs__generated_parts_are_up_to_date(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert generated(text) == text, f"{page}: run python -m docs.generate"


@pytest.mark.parametrize("path", picture.WIDTHS, ids=lambda path: path.name)
def test_docs__picture_and_film_are_up_to_date(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not picture.is_out_of_date(path)
    monkeypatch.setattr(picture, "DECISIONS", picture.DECISIONS + 1)
    monkeypatch.setattr(picture, "DUNE_DECISIONS", picture.DUNE_DECISIONS + 20)
    monkeypatch.setattr(picture, "EXAMPLE_SEED", picture.EXAMPLE_SEED + 1)
    if path in plots.PLOTS:
        monkeypatch.setitem(
            picture.DRAWN, path, lambda: plots.PLOTS[path]().replace('"#2a', '"#f0').replace(" #2a", " #f0")
        )
    shown = list(picture.turns())
    shown[len(shown) // 3] = shown[0]
    monkeypatch.setattr(picture, "turns", lambda: shown)
    assert picture.is_out_of_date(path)


def test_docs__the_film_of_the_readme_has_at_most_two_megabytes() -> None:
    assert picture.FILM.stat().st_size <= 2_000_000


def test_docs__every_generator_is_used() -> None:
    parts = {part for page in PAGES for part in re.findall(r"generated: (\w+)", (ROOT / page).read_text())}
    assert parts == set(GENERATORS)


def test_docs__a_name_of_two_generated_parts_is_refused() -> None:
    one: dict[str, Callable[[], str]] = {"levels": str}
    assert joined(one, {"tasks": str}).keys() == {"levels", "tasks"}
    with pytest.raises(ValueError, match="got levels twice"):
        joined(one, {"tasks": str}, one)


@pytest.mark.parametrize("page", PAGES)
def test_docs__no_generated_part_of_a_sentence_begins_its_line(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert not re.findall(r"^ *<!-- generated: \w+ -->.+", text, re.MULTILINE), "Markdown takes such a line for HTML"


def test_docs__no_figure_of_the_report_is_typed_by_hand() -> None:
    text = (ROOT / "docs" / "report.md").read_text(encoding="utf-8").partition("\n## References\n")[0]
    for written in (r"<!-- generated: .*?<!-- end -->", r"^```.*?^```$", r"`[^`]+`", r"\]\([^)]+\)"):
        text = re.sub(written, "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^\d\. |\b(19|20)\d\d\b|T − 1", "", text, flags=re.MULTILINE)  # items, years, a formula
    assert not re.findall(r".*\d.*", text)


@pytest.mark.parametrize("name", json.loads(EXPERIMENTS.read_text(encoding="utf-8")))
def test_docs__stored_experiments_are_those_of_the_results(name: str) -> None:
    experiment = json.loads(EXPERIMENTS.read_text(encoding="utf-8"))[name]
    page = (ROOT / experiment["source"]).read_text(encoding="utf-8")
    assert experiment["date"] in page
    for row in experiment["rows"]:
        shares = [f"{100 * value:.1f}" for value in row.values() if isinstance(value, float)]
        speeds = [f"{value:,}" for value in row.values() if type(value) is int and value >= 1000]
        assert shares or speeds
        for figure in (*shares, *speeds):
            alone = rf"(?<![\d.,]){re.escape(figure)}(?![\d,]|\.\d)"
            assert re.search(alone, page), f"{experiment['source']}: expected {figure} of {name}"


@pytest.mark.parametrize("path", report_pictures.DRAWN, ids=lambda path: path.name)
def test_docs__plots_of_the_report_are_drawn_from_the_stored_results(path: Path) -> None:
    assert not report_pictures.is_out_of_date(path), "run python -m docs.generate"


def python_blocks() -> list[tuple[str, str]]:
    blocks = []
    for page in MARKDOWN:
        for number, (language, code) in enumerate(_FENCE.findall(page.read_text(encoding="utf-8"))):
            if language == "python":
                blocks.append((f"{name_of(page)}-{number}", code))
    return blocks


@pytest.mark.parametrize(
    ("name", "code"),
    [
        # Importing every library of this page takes long.
        pytest.param(name, code, marks=[pytest.mark.long] * name.startswith("docs/interfaces.md"), id=name)
        for name, code in python_blocks()
    ],
)
def test_docs__python_code_runs_without_warnings(name: str, code: str) -> None:
    result = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stderr


@cache
def anchors(page: Path) -> set[str]:
    """What links to a page's headings are called, on the site as where the files are read."""
    headings = _HEADING.findall(_FENCE.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", MARKDOWN, ids=name_of)
def test_docs__links_lead_to_files_and_headings(page: Path) -> None:
    for link in _LINK.findall(_FENCE.sub("", page.read_text(encoding="utf-8"))):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_file(), f"{name_of(page)}: {link}"
        assert not anchor or anchor in anchors(target), f"{name_of(page)}: {link}: no such heading"


def knows_a_verb(file: Path, names: set[str]) -> bool:
    """Whether code names an action's verb, its first action or the function that applies it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match node:
            case (
                ast.Constant(value=str(name))
                | ast.Name(name, ast.Load())
                | ast.Attribute(ast.Name("verbs"), name)
                | ast.FunctionDef(name=name)
            ) if name in names:
                return True
    return False


def places(heading: str) -> list[set[str]]:
    """The files and folders in the first column of each table of a section of the page about changes of the game."""
    page = (ROOT / "docs" / "how_to" / "change_the_game.md").read_text(encoding="utf-8")
    section = page.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    tables: list[set[str]] = []
    for line in section.splitlines():
        if line.startswith("| file |"):
            tables.append(set())
        elif line.startswith("| `"):
            tables[-1].update(re.findall("`([^`]+)`", line.split("|")[1]))
    return tables


def decisions_in(file: Path) -> set[str]:
    """The decisions of Dune that code names, also as a part of the key of a template."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match node:
            case ast.Constant(value=str(name)) | ast.Attribute(ast.Name("decisions"), name):
                found |= {name, *name.split(".")[1:2]}
    return found & set(DECISIONS)


def test_docs__every_place_that_a_new_decision_touches_is_listed() -> None:
    always, sometimes = places("Add a decision to Dune")
    game = ROOT / "dunaia_env" / "dune"
    known = {name_of(file): decisions_in(file) - {"OVER"} for file in game.rglob("*.py")}
    everything = set(DECISIONS) - {"OVER"}
    assert {file for file, names in known.items() if names == everything} == {
        place for place in always if place.endswith(".py")
    }
    rules = [names for file, names in known.items() if file.startswith("dunaia_env/dune/rules/")]
    assert set().union(*rules) == everything
    listed = always | sometimes
    folders = tuple(place for place in listed if place.endswith("/"))
    unlisted = [file for file, names in known.items() if names and file not in listed and not file.startswith(folders)]
    assert not unlisted


def test_docs__every_place_that_a_new_action_touches_is_listed() -> None:
    listed = set().union(*places("Add an action"))
    folders = [ROOT / "dunaia_env" / "dunaia", ROOT / "agents", ROOT / "training"]
    # The reserves of Dune are another word.
    of_dune = {ROOT / "agents/terminal/dune.py", ROOT / "training/benchmark/battle/game.py"}
    files = [file for folder in folders for file in folder.rglob("*.py") if file not in of_dune]
    assert listed == {name_of(file) for file in files if knows_a_verb(file, {"reserve", "RESERVE_FIRST"})}

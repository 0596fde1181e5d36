"""The report on balance in the documentation: a page for each chapter, and nothing lost."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from docs import balance_report

pytestmark = pytest.mark.once

REPORT = """# Balance

In short.

## Who is strong

### 1 One

A.

## Limits, and why

### 2 Two

#### Rows

B.
"""


def test_each_chapter_is_a_page() -> None:
    made = balance_report.pages(REPORT, "../plot.png")
    assert list(made) == ["report.md", "report_limits_and_why.md"]
    assert made["report.md"].startswith(
        f"# Balance\n\nIn short.\n\n{balance_report.PICTURE.format('../plot.png')}\n\nThe other chapters:\n\n"
        "- [Limits, and why](report_limits_and_why.md)\n\n"
    )
    assert "## Who is strong\n\n### 1 One\n\nA.\n" in made["report.md"]
    assert made["report.md"].endswith("report_limits_and_why.md\n```\n")
    assert made["report_limits_and_why.md"].startswith(
        "# Limits, and why\n\nA chapter of [the report on balance](report.md).\n\n"
    )
    assert made["report_limits_and_why.md"].endswith("## 2 Two\n\n### Rows\n\nB.\n")
    with pytest.raises(ValueError, match="report: expected Markdown with chapters"):
        balance_report.pages("# Balance\n", "../plot.png")


def test_a_long_first_chapter_is_continued_on_a_page_of_its_own() -> None:
    long = REPORT.replace("A.\n", "A.\n" * balance_report.LONGEST + "\n### 2 Seats\n\nS.\n")
    made = balance_report.pages(long, "../plot.png")
    assert list(made) == ["report.md", "report_who_is_strong_further_tables.md", "report_limits_and_why.md"]
    assert "### 1 One" in made["report.md"]
    assert "Seats" not in made["report.md"]
    assert made["report_who_is_strong_further_tables.md"].endswith("## 2 Seats\n\nS.\n")
    kept = balance_report.pages(REPORT.replace("A.\n", "A.\n\n### 2 Seats\n\nS.\n"), "../plot.png")
    assert list(kept) == ["report.md", "report_limits_and_why.md"]


def test_the_command_replaces_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = tmp_path / "source", tmp_path / "docs" / "factions"
    for folder in (source / "replays", target / "replays"):
        folder.mkdir(parents=True)
    (source / "report.md").write_text(REPORT, encoding="utf-8")
    for name in (*balance_report.COPIED, "replays/new.svg"):
        (source / name).write_text("new", encoding="utf-8")
    for name in ("report_of_before.md", "replays/old.svg", "validation.json"):
        (target / name).write_text("old", encoding="utf-8")
    monkeypatch.setattr(balance_report, "FOLDER", target.parent)
    monkeypatch.setattr(sys, "argv", ["balance_report", str(source), "factions"])
    assert balance_report.main() == 0
    kept = {path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file()}
    copied = {*balance_report.COPIED, "replays/new.svg", "validation.json"}
    assert kept == {"report.md", "report_limits_and_why.md", *copied}


@pytest.mark.parametrize("study", balance_report.STUDIES)
def test_no_page_of_a_stored_report_is_long(study: str) -> None:
    pages = list((balance_report.FOLDER / study).glob("report*.md"))
    assert pages
    for path in pages:
        text = path.read_text(encoding="utf-8")
        assert text.count("\n") < 600, path.name
        assert len(re.findall(r"^# ", text, re.MULTILINE)) == 1, path.name

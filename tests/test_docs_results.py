"""The results: each page begins with what was learned, and each experiment has a result and folded details."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.test_docs import MARKDOWN, ROOT, name_of

pytestmark = pytest.mark.once

FOLDER = ROOT / "docs" / "results"
INDEX = FOLDER / "index.md"
PAGES = sorted(set(FOLDER.glob("*.md")) - {INDEX})
_SECTION = re.compile(r"^## (.+)\n", re.MULTILINE)
_DETAILS = re.compile(r"<details>\n<summary>(.+)</summary>\n\n(.+)\n\n</details>", re.DOTALL)
_DATE = re.compile(r"\b20\d\d-\d\d-\d\d\b")
_HISTORY = re.compile(
    r"\b(not yet|until now|formerly|previously|no longer|used to be|todo|(an earlier|a previous|the old) version)\b",
    re.IGNORECASE,
)
# The changelog is about versions; in rules, "not yet" is about a moment of the game.
_LEFT_OUT = {"CHANGELOG.md", "docs/rules.md", "docs/dune_rules.md"}


def sections(page: Path) -> list[tuple[str, str]]:
    """The headings of a page's sections and what stands below each."""
    parts = _SECTION.split(page.read_text(encoding="utf-8"))[1:]
    return list(zip(parts[::2], (part.strip() for part in parts[1::2]), strict=True))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_of_results_begins_with_what_was_learned(page: Path) -> None:
    heading, learned = sections(page)[0]
    assert heading == "What was learned"
    assert page.read_text(encoding="utf-8").startswith("# Results: ")
    assert len(re.findall(r"^- ", learned, re.MULTILINE)) >= 4
    assert "<details>" not in learned


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_details_of_an_experiment_are_folded_and_dated(page: Path) -> None:
    for heading, text in sections(page)[1:]:
        before, _, folded = text.partition("<details>")
        found = _DETAILS.fullmatch("<details>" + folded)
        assert found is not None, f"{name_of(page)}: {heading}: expected one block of details at the end of the section"
        assert _DATE.search(found[1]), f"{name_of(page)}: {heading}: expected a date in the summary, got {found[1]!r}"
        assert not re.search(r"</?details>|^#", found[2], re.MULTILINE), f"{name_of(page)}: {heading}"
        assert "|---" not in before, f"{name_of(page)}: {heading}: expected tables in the details"


def test_the_overview_of_results_lists_every_page_and_ten_findings() -> None:
    texts = dict(sections(INDEX))
    table = INDEX.read_text(encoding="utf-8").partition("## ")[0]
    assert sorted(re.findall(r"^\| \[.+\]\((.+\.md)\)", table, re.MULTILINE)) == [page.name for page in PAGES]
    findings = re.split(r"^\d+\. ", texts["The ten most important findings"], flags=re.MULTILINE)[1:]
    assert len(findings) == 10
    assert all(re.search(r"\]\(\w+\.md#", finding) for finding in findings)


@pytest.mark.parametrize("page", [page for page in MARKDOWN if name_of(page) not in _LEFT_OUT], ids=name_of)
def test_a_page_says_what_is_and_not_what_was(page: Path) -> None:
    found = _HISTORY.search(page.read_text(encoding="utf-8"))
    assert found is None, f"{name_of(page)}: {found[0]!r} is history, expected in CHANGELOG.md only"

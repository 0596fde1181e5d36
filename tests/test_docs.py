"""The documentation says what the code does: generated parts are up to date, code blocks run, links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.generate import GENERATORS, PAGES, ROOT, generated

pytestmark = pytest.mark.once

_FENCE = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
_LINK = re.compile(r"\]\(([^)#]+?)\)")
MARKDOWN = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


@pytest.mark.parametrize("page", PAGES)
def test_docs__generated_parts_are_up_to_date(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert generated(text) == text, f"{page}: run python -m docs.generate"


def test_docs__every_generator_is_used() -> None:
    parts = {part for page in PAGES for part in re.findall(r"generated: (\w+)", (ROOT / page).read_text())}
    assert parts == set(GENERATORS)


def python_blocks() -> list[tuple[str, str]]:
    blocks = []
    for page in MARKDOWN:
        for number, (language, code) in enumerate(_FENCE.findall(page.read_text(encoding="utf-8"))):
            if language == "python":
                blocks.append((f"{page.name}-{number}", code))
    return blocks


@pytest.mark.parametrize(("name", "code"), python_blocks(), ids=[name for name, _ in python_blocks()])
def test_docs__python_code_runs_without_warnings(name: str, code: str) -> None:
    result = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("page", MARKDOWN, ids=lambda page: page.name)
def test_docs__links_lead_to_files(page: Path) -> None:
    for link in _LINK.findall(page.read_text(encoding="utf-8")):
        if "://" not in link:
            assert (page.parent / link).exists(), f"{page.name}: {link}"

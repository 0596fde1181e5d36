"""The documentation site, before it is built: tables of contents have every page, and described names exist."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.test_docs import MARKDOWN, ROOT, name_of

pytestmark = pytest.mark.once

INDEX = ROOT / "docs" / "index.md"
_TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_DIRECTIVE = re.compile(r"^\.\. auto(module|class|function|exception):: (\S+)\n((?:   .*\n)*)", re.MULTILINE)


def entries(page: Path) -> list[Path]:
    """The pages in the tables of contents of a page, in their order."""
    found = []
    for block in _TOCTREE.findall(page.read_text(encoding="utf-8")):
        for line in block.splitlines():
            if line and not line.startswith(":"):
                path = re.sub(r".*<(.*)>", r"\1", line)
                found.append((page.parent / path).resolve())
    return found


def test_every_page_and_notebook_is_in_one_table_of_contents() -> None:
    listed = [INDEX, *(entry for page in MARKDOWN for entry in entries(page))]
    assert sorted(map(name_of, listed)) == sorted(map(name_of, [*MARKDOWN, *ROOT.glob("notebooks/*.ipynb")]))


def described() -> list[tuple[str, str]]:
    """Every name in the API reference: a module's or an object's, by its kind."""
    names = []
    for page in (ROOT / "docs" / "api").glob("*.md"):
        for kind, name, options in _DIRECTIVE.findall(page.read_text(encoding="utf-8")):
            names.append((kind, name))
            for members in re.findall(r":members: (.+)", options):
                names += [("member", f"{name}.{member}") for member in members.split(", ")]
    return sorted(names)


def find(kind: str, name: str) -> Any:
    if kind == "module":
        return import_module(name)
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(module), attribute)


@pytest.mark.parametrize(("kind", "name"), described(), ids=[name for _, name in described()])
def test_what_the_api_reference_describes_has_a_docstring(kind: str, name: str) -> None:
    if name.startswith("dunaia_env.envs.open_spiel"):
        pytest.importorskip("pyspiel")
    assert find(kind, name).__doc__


def test_the_api_reference_has_the_public_names() -> None:
    import dunaia_env

    names = {name for _, name in described()}
    objects = {f"dunaia_env.{name}" for name in dunaia_env.__all__ if isinstance(getattr(dunaia_env, name), type)}
    assert objects <= names
    assert len(objects) == 6

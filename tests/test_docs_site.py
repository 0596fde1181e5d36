"""The documentation site, before it is built: tables of contents have every page, and described names exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs import balance_report, maps
from docs.promise import REFERENCE, described, found
from dunaia_env.dunaia import ACTION_TABLE, parse_action
from dunaia_env.dunaia.state import EDGE_SQUARES, EDGES, SQUARES
from dunaia_env.harness.registry import find_game
from tests.test_docs import MARKDOWN, ROOT, name_of

pytestmark = pytest.mark.once

INDEX = ROOT / "docs" / "index.md"
MOST_LINES = 400
_TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.DOTALL | re.MULTILINE)


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


DESCRIBED = sorted(
    {(one.kind, one.name) for page in REFERENCE.glob("*.md") for one in described(page)}, key=lambda one: one[1]
)


@pytest.mark.parametrize(("kind", "name"), DESCRIBED, ids=[name for _, name in DESCRIBED])
def test_what_the_api_reference_describes_has_a_docstring(kind: str, name: str) -> None:
    if name.startswith("dunaia_env.envs.open_spiel"):
        pytest.importorskip("pyspiel")
    assert found(name).__doc__


@pytest.mark.parametrize("page", [page for page in MARKDOWN if "docs" in page.parts], ids=name_of)
def test_a_page_can_be_read_at_once(page: Path) -> None:
    if page.parent.name in ("results", *balance_report.STUDIES) or page.name == "report.md":
        pytest.skip("folded experiments, the chapters of a generated report, and a paper")
    assert len(page.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_the_api_reference_has_the_public_names() -> None:
    import dunaia_env

    names = {name for _, name in DESCRIBED}
    objects = {f"dunaia_env.{name}" for name in dunaia_env.__all__ if isinstance(getattr(dunaia_env, name), type)}
    assert objects <= names
    assert len(objects) == 6


def test_an_edge_is_drawn_between_its_two_squares() -> None:
    drawn = maps.village([f"s{square}" for square in range(SQUARES)], {edge: f"e{edge}" for edge in range(EDGES)})
    at = {
        found[0]: (line, (found.start() + found.end()) / 2)
        for line, text in enumerate(drawn.splitlines())
        for found in re.finditer(r"[se]\d+", text)
    }
    assert len(at) == SQUARES + EDGES
    for edge, (first, second) in enumerate(EDGE_SQUARES.tolist()):
        (line, column), ends = at[f"e{edge}"], (at[f"s{first}"], at[f"s{second}"])
        assert line == sum(end[0] for end in ends) / 2
        assert abs(column - sum(end[1] for end in ends) / 2) <= 1


def test_the_formulas_give_the_numbers_of_actions() -> None:
    for row in ACTION_TABLE:
        if len(row.arguments) > 1:
            values = [argument.first + argument.count - 2 for argument in row.arguments]
            names = {
                argument.name.replace(" ", "_"): value for argument, value in zip(row.arguments, values, strict=True)
            }
            text = re.sub(r"(?<=[a-z]) (?=[a-z])", "_", maps.formula(row))
            assert eval(text, names) == parse_action(" ".join([row.name, *map(str, values)]))


@pytest.mark.parametrize(("game", "page"), [("dunaia", "observation.md"), ("dune", "dune_observation.md")])
def test_every_piece_of_the_observation_is_described(game: str, page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    described_pieces = re.findall(r"^\| \d+\.\.\d+ \| `([^`]+)` \|", text, re.MULTILINE)
    pieces = [piece.name for piece in find_game(game).observation]
    # Of repeated parts, such as squares and seats, one stands for all.
    assert {re.sub(r"\d+", "#", name) for name in described_pieces} == {re.sub(r"\d+", "#", name) for name in pieces}


def test_the_architecture_has_every_folder_of_the_library() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("## What is in the folders")[2]
    folders = [path.parent.name for path in (ROOT / "dunaia_env").glob("*/__init__.py")]
    assert [name for name in folders if f"| `dunaia_env/{name}/`" not in page] == []

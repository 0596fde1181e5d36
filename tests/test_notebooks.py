"""The notebooks run from the first cell to the last, and what they show is what they give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.clocks import HANGS

pytestmark = pytest.mark.once

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
# The cells whose output depends on the machine.
TIMING = "timing"
# How messages about compilation begin.
COMPILATION = ("dunaia_env: compiling ", "dunaia_env: compiled in ")


def texts(cell: Any) -> list[str]:
    """What a cell printed; of a picture only that there is one.

    Messages about compilation are left out: they come where this machine uses a part of the library for the first time.
    """
    shown = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        is_picture = "image/png" in data or "image/svg+xml" in data
        text = "picture" if is_picture else output.get("text", data.get("text/plain", ""))
        if not text.startswith(COMPILATION):
            shown.append(text)
    return shown


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Proactor event loop:RuntimeWarning")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks__run_and_show_what_is_stored(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONWARNINGS", "error:::dunaia_env")
    # The home folder may be one that cannot be written.
    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR"):
        monkeypatch.setenv(name, str(tmp_path))
    stored = nbformat.read(path, as_version=4)
    fresh = nbformat.read(path, as_version=4)
    # On a busy machine what one cell prints arrives in several pieces.
    NotebookClient(
        fresh, timeout=int(HANGS), coalesce_streams=True, resources={"metadata": {"path": str(ROOT)}}
    ).execute()
    for number, (cell, again) in enumerate(zip(stored.cells, fresh.cells, strict=True)):
        if cell.cell_type == "code":
            assert cell.execution_count is not None, f"{path.name}: cell {number} was not run before it was stored"
            if TIMING not in cell.metadata.get("tags", []):
                assert texts(again) == texts(cell), f"{path.name}: cell {number}"


def test_notebooks__there_is_one() -> None:
    assert NOTEBOOKS

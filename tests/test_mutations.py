"""The table of faults that the tests found names files and tests that exist; some faults are committed again."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests" / "MUTATIONS.md"
HEAD = "| fault | file | caught by |\n|---|---|---|\n"
_ROW = re.compile(r"\| (.+) \| `([^`|]+)` \| `([\w/]+\.py)(?:::([\w:]+))?(?:\[[^`|]*\])?` \|")
# What a copy of the project needs no copy of.
_LEFT_OUT = shutil.ignore_patterns(".*", "runs", "dist", "build", "_build", "htmlcov", "__pycache__", "*.egg-info")


@dataclass(frozen=True)
class Row:
    """A fault, the file that had it, and the file and name of the test that found it; any test of its file if empty."""

    fault: str
    file: str
    test_file: str
    test: str


@dataclass(frozen=True)
class Mutation:
    """A fault that can be committed: a text of the row's file, and the text that takes its place."""

    fault: str
    old: str
    new: str

    @property
    def row(self) -> Row:
        (row,) = (row for row in rows() if row.fault == self.fault)
        return row

    def mutated(self, text: str) -> str:
        """The text of the file with the fault."""
        assert text.count(self.old) == 1, (
            f"tests/mutations.toml: {self.fault}: old has to occur once in {self.row.file}"
        )
        return text.replace(self.old, self.new)


@cache
def rows() -> list[Row]:
    """The rows of the table, from its head to the end of the file."""
    found = []
    for line in TABLE.read_text(encoding="utf-8").partition(HEAD)[2].splitlines():
        row = _ROW.fullmatch(line)
        assert row is not None, f"tests/MUTATIONS.md: expected | fault | `file` | `test_file.py::test` |, got {line!r}"
        found.append(Row(row[1], row[2], row[3], row[4] or ""))
    return found


@cache
def functions(test_file: str) -> set[str]:
    """The names of a test file's functions."""
    tree = ast.parse((ROOT / "tests" / test_file).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


MUTATIONS = [
    Mutation(**mutation) for mutation in tomllib.loads((TABLE.parent / "mutations.toml").read_text("utf-8"))["mutation"]
]


def test_every_row_names_a_file_and_a_test() -> None:
    assert len(rows()) > 900
    for row in rows():
        assert (ROOT / row.file).is_file(), f"tests/MUTATIONS.md: {row.fault}: there is no file {row.file}"
        test_file = f"tests/{row.test_file}"
        assert (ROOT / test_file).is_file(), f"tests/MUTATIONS.md: {row.fault}: there is no file {test_file}"
        assert not row.test or row.test in functions(row.test_file), f"{row.fault}: {test_file} has no {row.test}"


def test_no_row_stands_twice() -> None:
    assert [row for row, count in Counter(rows()).items() if count > 1] == []


def test_what_is_committed_again_fits_the_files() -> None:
    for mutation in MUTATIONS:
        text = (ROOT / mutation.row.file).read_text(encoding="utf-8")
        assert mutation.mutated(text) != text


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project whose files can be changed, in which the tests that are to fail pass."""
    copy = tmp_path_factory.mktemp("mutations") / "project"
    shutil.copytree(ROOT, copy, ignore=_LEFT_OUT)
    done = run(copy, *(mutation.row for mutation in MUTATIONS))
    assert done.returncode == pytest.ExitCode.OK, done.stdout
    return copy


def run(project: Path, *chosen: Row) -> subprocess.CompletedProcess[str]:
    """Run the tests of some rows in a copy of the project, as plain Python."""
    names = sorted({f"tests/{row.test_file}::{row.test}" for row in chosen})
    command = [sys.executable, "-m", "pytest", "-n", "0", "-q", "-x", "-p", "no:cacheprovider", *names]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True)


@pytest.mark.slow
@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.fault)
def test_a_fault_is_seen(project: Path, mutation: Mutation) -> None:
    file = project / mutation.row.file
    text = file.read_text(encoding="utf-8")
    file.write_text(mutation.mutated(text), encoding="utf-8")
    try:
        done = run(project, mutation.row)
    finally:
        file.write_text(text, encoding="utf-8")
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout

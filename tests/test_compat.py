"""The runner of the compatibility checks: what it counts, what it writes, and that failures write nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.compat import run
from tests.compat.run import LIBRARIES, Arguments, Library

ROOT = Path(__file__).parent.parent


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The runner in a folder of its own, with tests that pass, that fail and that are skipped."""
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(run, "RESULTS", tmp_path / "docs" / "compat.json")
    skipped = "import pytest\n@pytest.mark.skip\ndef test_three(): pass\n"
    (tmp_path / "test_good.py").write_text("def test_one(): pass\ndef test_two(): pass\n" + skipped)
    (tmp_path / "test_bad.py").write_text("def test_one(): pass\ndef test_two(): assert False\n")
    (tmp_path / "test_skipped.py").write_text("import pytest\npytest.skip('absent', allow_module_level=True)\n")
    return tmp_path / "docs" / "compat.json"


def use(monkeypatch: pytest.MonkeyPatch, *libraries: Library) -> None:
    monkeypatch.setattr(run, "LIBRARIES", libraries)
    monkeypatch.setattr(run, "NAMES", tuple(library.package for library in libraries))


def test_a_library_gets_a_row_with_the_versions_seen(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, Library("pytest", ("test_good.py",)))
    assert run.main(Arguments()) == 0
    (row,) = json.loads(results.read_text())
    assert (row["package"], row["tests"], row["passed"]) == ("pytest", ["test_good.py"], 2)
    assert set(row["versions"]) == {"python", "pytest", "gymnasium", "pettingzoo", "numpy", "torch"}
    assert row["versions"]["pytest"] == pytest.__version__


@pytest.mark.parametrize("file", ["test_bad.py", "test_skipped.py", "test_absent.py"])
def test_nothing_is_written_unless_all_passed(
    results: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], file: str
) -> None:
    use(monkeypatch, Library("pytest", ("test_good.py",)))
    run.main(Arguments())
    before = results.read_text()
    use(monkeypatch, Library("pytest", ("test_good.py",)), Library("numpy", (file,)))
    assert run.main(Arguments()) == 1
    assert results.read_text() == before
    assert f"numpy: the tests above failed: {file}" in capfd.readouterr().err


def test_a_missing_environment_is_named(
    results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(monkeypatch, Library("ray", ("test_good.py",), "rllib"))
    assert run.main(Arguments()) == 1
    assert "ray: .compat/rllib/bin/python is missing; `make compat` makes it" in capsys.readouterr().err
    assert not results.exists()


def test_only_some_libraries_can_be_checked(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, Library("numpy", ("test_good.py",)), Library("pytest", ("test_good.py",)))
    assert run.main(Arguments(only=("pytest",))) == 0
    assert [row["package"] for row in json.loads(results.read_text())] == ["pytest"]
    assert run.main(Arguments(only=("numpy",))) == 0
    assert [row["package"] for row in json.loads(results.read_text())] == ["numpy", "pytest"]


def test_unknown_names_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(Arguments(only=("rllib",))) == 2
    assert "--only rllib: names of gymnasium, pettingzoo" in capsys.readouterr().err


def test_every_library_has_its_tests_and_its_environment() -> None:
    for library in LIBRARIES:
        assert all((ROOT / test.split("::")[0]).exists() for test in library.tests)
        assert library.environment == run.MAIN or (ROOT / f"tests/compat/{library.environment}.txt").exists()


def test_the_results_are_of_the_known_libraries_and_their_tests() -> None:
    rows = json.loads(run.RESULTS.read_text(encoding="utf-8"))
    assert [(row["package"], tuple(row["tests"])) for row in rows] == [
        (library.package, library.tests) for library in LIBRARIES
    ]
    assert all(row["passed"] > 0 for row in rows)

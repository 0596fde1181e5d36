"""The runner of the compatibility checks: what it counts, what it writes, and that failures write nothing."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from tests.compat import oldest, run
from tests.compat.run import LIBRARIES, Arguments, Library

pytestmark = pytest.mark.once

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
@pytest.mark.long
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
    assert "--only: expected names of gymnasium, pettingzoo" in capsys.readouterr().err


def test_every_library_has_its_tests_and_its_environment() -> None:
    for library in LIBRARIES:
        assert all(list(ROOT.glob(test.split("::")[0])) for test in library.tests)
        assert library.environment == run.MAIN or (ROOT / f"tests/compat/{library.environment}.txt").exists()


def test_the_results_are_of_the_known_libraries_and_their_tests() -> None:
    rows = json.loads(run.RESULTS.read_text(encoding="utf-8"))
    assert [(row["package"], tuple(row["tests"])) for row in rows] == [
        (library.package, library.tests) for library in LIBRARIES
    ]
    assert all(row["passed"] > 0 for row in rows)


def test_the_oldest_versions_are_those_that_were_tried() -> None:
    """A lower bound of pyproject.toml that was changed without `make compat` is one that nobody tried."""
    (row,) = (row for row in json.loads(run.RESULTS.read_text(encoding="utf-8")) if row["package"] == run.OWN)
    bounds = oldest.dependencies()
    assert {name: Version(row["versions"][name]) for name in bounds} == {
        name: Version(bound) for name, bound in bounds.items()
    }
    project = tomllib.loads(oldest.PYPROJECT.read_text(encoding="utf-8"))["project"]
    minor = ".".join(row["versions"]["python"].split(".")[:2])
    assert SpecifierSet(f"=={minor}") == SpecifierSet(project["requires-python"].replace(">=", "=="))


def test_lower_bounds_are_read_from_requirements() -> None:
    assert oldest.oldest(["numpy>=1.26,<3", "open_spiel>=2.0.1", "catanatron==4.0"]) == {
        "numpy": "1.26",
        "open_spiel": "2.0.1",
        "catanatron": "4.0",
    }
    assert oldest.everything().items() >= oldest.dependencies().items()
    assert "pytest" in oldest.everything()


@pytest.mark.parametrize("requirement", ["numpy", "numpy<3", "numpy>1.26,<3"])
def test_a_requirement_without_a_lower_bound_is_refused(requirement: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{requirement.split('<')[0].split('>')[0]}")):
        oldest.oldest([requirement])


def test_patterns_stand_for_their_files(results: Path) -> None:
    (results.parent.parent / "test_absent_too.txt").touch()
    assert run.files(("test_[bg]*.py", "test_absent.py")) == ["test_bad.py", "test_good.py", "test_absent.py"]

"""The runner of the compatibility checks: what it counts, what it writes, and what failures leave as it was."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from tests.compat import bounds, environments, run, versions
from tests.compat.environments import MAIN
from tests.compat.run import LIBRARIES, Arguments, Library
from tests.compat.versions import NEWEST, OLDEST, PINNED, TRIALS, Trial

pytestmark = pytest.mark.once

ROOT = Path(__file__).parent.parent


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The runner in a folder of its own, with tests that pass, that fail and that are skipped."""
    monkeypatch.setattr(environments, "ROOT", tmp_path)
    monkeypatch.setattr(run, "RESULTS", tmp_path / "docs" / "compat.json")
    monkeypatch.setattr(versions, "RESULTS", tmp_path / "docs" / "versions.json")
    skipped = "import pytest\n@pytest.mark.skip\ndef test_three(): pass\n"
    (tmp_path / "test_good.py").write_text("def test_one(): pass\ndef test_two(): pass\n" + skipped)
    (tmp_path / "test_bad.py").write_text("def test_one(): pass\ndef test_two(): assert False\n")
    (tmp_path / "test_skipped.py").write_text("import pytest\npytest.skip('absent', allow_module_level=True)\n")
    return tmp_path / "docs" / "compat.json"


def use(monkeypatch: pytest.MonkeyPatch, *libraries: Library, trials: tuple[Trial, ...] = ()) -> None:
    monkeypatch.setattr(run, "LIBRARIES", libraries)
    monkeypatch.setattr(run, "NAMES", tuple(library.package for library in libraries))
    monkeypatch.setattr(run, "TRIALS", trials)


def trials_of(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["trials"]
    return rows


def test_a_library_gets_a_row_with_the_versions_seen(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, Library("pytest", ("test_good.py",)))
    assert run.main(Arguments()) == 0
    (row,) = json.loads(results.read_text())
    assert (row["package"], row["tests"], row["passed"]) == ("pytest", ["test_good.py"], 2)
    assert set(row["versions"]) == {"python", "pytest", "gymnasium", "pettingzoo", "numpy", "torch"}
    assert row["versions"]["pytest"] == pytest.__version__


@pytest.mark.parametrize(
    ("file", "problem"),
    [
        ("test_bad.py", "failed"),
        ("test_skipped.py", "did not run to their end"),
        ("test_absent.py", "did not run to their end"),
    ],
)
@pytest.mark.long
def test_nothing_is_written_unless_all_passed(
    results: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], file: str, problem: str
) -> None:
    use(monkeypatch, Library("pytest", ("test_good.py",)))
    run.main(Arguments())
    before = results.read_text()
    use(monkeypatch, Library("pytest", ("test_good.py",)), Library("numpy", (file,)))
    assert run.main(Arguments()) == 1
    assert results.read_text() == before
    assert f"numpy: the tests above {problem}: {file}" in capfd.readouterr().err


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
        assert all((ROOT / test.split("::")[0]).exists() for test in library.tests)
        assert library.environment == MAIN or (ROOT / f"tests/compat/{library.environment}.txt").exists()
    assert all(list(ROOT.glob(test)) for test in versions.TESTS)


def test_the_results_are_of_the_known_libraries_and_their_tests() -> None:
    rows = json.loads(run.RESULTS.read_text(encoding="utf-8"))
    assert [(row["package"], tuple(row["tests"])) for row in rows] == [
        (library.package, library.tests) for library in LIBRARIES
    ]
    assert all(row["passed"] > 0 for row in rows)


# The project's own tests on several Pythons


@pytest.mark.parametrize("tests", [("test_good.py",), ("test_good.py", "test_bad.py")])
def test_the_tests_of_a_trial_are_counted_and_stored_even_if_some_failed(
    results: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tests: tuple[str, ...]
) -> None:
    use(monkeypatch, trials=(Trial(PINNED, MAIN),))
    monkeypatch.setattr(versions, "TESTS", tests)
    failed = len(tests) - 1
    assert run.main(Arguments()) == failed
    assert not results.exists()
    (row,) = trials_of(versions.RESULTS)
    assert (row["versions"], row["passed"], row["skipped"], row["failed"]) == (PINNED, 2 + failed, 1, failed)
    names = {requirement.name for requirement in bounds.requirements()}
    assert {"python", "numpy", "numba"} <= set(row["installed"]) <= {"python", *names}
    assert ("pinned: 1 tests failed" in capfd.readouterr().err) == bool(failed)


def test_a_trial_that_does_not_run_stores_nothing(
    results: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    use(monkeypatch, trials=(Trial(PINNED, MAIN), Trial(OLDEST, "oldest")))
    monkeypatch.setattr(versions, "TESTS", ("test_absent.py",))
    assert run.main(Arguments()) == 1
    assert not versions.RESULTS.exists()
    problems = capfd.readouterr().err
    assert "pinned: the tests above did not run to their end: " in problems
    assert " test_absent.py\n" in problems
    assert "oldest: .compat/oldest/bin/python is missing; `make compat` makes it" in problems


def test_a_python_that_the_machine_lacks_is_left_out_by_name(
    results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(monkeypatch, trials=(Trial(NEWEST, "newest-3.99"),))
    assert run.main(Arguments()) == 0
    assert "newest-3.99: not tried, the environment is missing" in capsys.readouterr().out
    assert not versions.RESULTS.exists()


def test_a_trial_takes_the_place_of_the_same_one_only(results: Path) -> None:
    def row(kind: str, python: str, passed: int) -> dict[str, Any]:
        return {"versions": kind, "installed": {"python": python}, "passed": passed}

    results.parent.mkdir()
    rows = [row(NEWEST, "3.13.0", 1), row(NEWEST, "3.11.7", 2), row(PINNED, "3.11.7", 3), row(NEWEST, "3.11.9", 4)]
    for one in rows:
        versions.store(one)
    assert [row["passed"] for row in trials_of(versions.RESULTS)] == [3, 4, 1]


def test_patterns_stand_for_their_files(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (results.parent.parent / "test_absent_too.txt").touch()
    monkeypatch.setattr(versions, "ROOT", results.parent.parent)
    monkeypatch.setattr(versions, "TESTS", ("test_[bg]*.py", "test_absent.py"))
    assert versions.files() == ["test_bad.py", "test_good.py", "test_absent.py"]


def test_the_makefile_makes_an_environment_for_every_trial() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    (pythons,) = re.findall(r"^PYTHONS \?= (.*)$", text, re.MULTILINE)
    assert tuple(pythons.split()) == versions.PYTHONS
    assert [trial.environment for trial in TRIALS if trial.versions == NEWEST] == [
        f"newest-{python}" for python in versions.PYTHONS
    ]
    assert ".compat/oldest/.ready" in text


# What is stored of them


def test_the_stored_versions_are_allowed() -> None:
    """A bound of pyproject.toml that was narrowed leaves the page with trials that say nothing about the project."""
    for row in trials_of(versions.RESULTS):
        assert Version(row["installed"]["python"]) in SpecifierSet(bounds.project()["requires-python"])
        for requirement in bounds.requirements():
            if requirement.name in row["installed"]:
                assert requirement.specifier.contains(row["installed"][requirement.name], prereleases=True), requirement


def test_the_pinned_versions_are_those_of_the_constraints() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if "==" in line and not line.startswith("#"))
    pinned = {name.lower().replace("_", "-"): version for name, version in pinned.items()}
    rows = [row for row in trials_of(versions.RESULTS) if row["versions"] == PINNED]
    assert rows
    for row in rows:
        for name, version in row["installed"].items():
            if name != "python":
                assert Version(version).public == pinned[name.replace("_", "-")], name


def test_the_oldest_versions_are_those_that_were_tried() -> None:
    """A lower bound of pyproject.toml that was changed without `make compat` is one that nobody tried."""
    (row,) = (row for row in trials_of(versions.RESULTS) if row["versions"] == OLDEST)
    lower = bounds.oldest(bounds.requirements())
    seen = {name: Version(Version(version).public) for name, version in row["installed"].items() if name != "python"}
    assert seen == {name: Version(bound) for name, bound in lower.items() if name in seen}
    assert set(bounds.oldest(map(Requirement, bounds.project()["dependencies"]))) <= set(seen)
    assert f">={versions.minor_of(row)}" == bounds.project()["requires-python"]


def test_the_classifiers_name_the_pythons_on_which_all_tests_passed() -> None:
    trials = trials_of(versions.RESULTS)
    tried = {versions.minor_of(row) for row in trials} - {versions.minor_of(row) for row in trials if row["failed"]}
    head = "Programming Language :: Python :: 3."
    named = [text.removeprefix(head) for text in bounds.project()["classifiers"] if text.startswith(head)]
    assert [f"3.{minor}" for minor in named] == [python for python in versions.PYTHONS if python in tried]


def test_lower_bounds_are_read_from_requirements() -> None:
    wanted = {"numpy": "1.26", "open_spiel": "2.0.1", "catanatron": "4.0"}
    assert bounds.oldest(map(Requirement, ["numpy>=1.26,<3", "open_spiel>=2.0.1", "catanatron==4.0"])) == wanted
    names = {requirement.name for requirement in bounds.requirements()}
    assert {"numpy", "torch", "starlette"} <= names
    assert names.isdisjoint({"pytest", "sphinx", "dunaia-env"})


@pytest.mark.parametrize("requirement", ["numpy", "numpy<3", "numpy>1.26,<3"])
def test_a_requirement_without_a_lower_bound_is_refused(requirement: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{requirement.split('<')[0].split('>')[0]}")):
        bounds.oldest([Requirement(requirement)])

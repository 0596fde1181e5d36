"""Which libraries take the environment: ``python -m tests.compat.run [--only torchrl rllib ...]``, or ``make compat``.

Runs the tests of each library where it is installed and writes what was seen into docs/compat.json. Libraries that ask
for other versions than the project's have an environment of their own in .compat/, which `make compat` makes from
``tests/compat/NAME.txt``; in one of them the project itself runs with the oldest versions that it allows. Only if every
test passed is anything written.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import tyro

from dunaia_env.support.atomic import write_text
from tests.compat import oldest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "compat.json"
MAIN = "main"
# What the versions of a library's environment are told of, beside its own, where they are installed.
BESIDE = ("gymnasium", "pettingzoo", "numpy", "torch")
VERSIONS = """
import json, platform, sys
from importlib.metadata import PackageNotFoundError, version
versions = {"python": platform.python_version()}
for name in sys.argv[1:]:
    try:
        versions[name] = version(name)
    except PackageNotFoundError:
        continue
print(json.dumps(versions))
"""


@dataclass(frozen=True)
class Library:
    """A library: its name on PyPI, its tests, the environment that they run in, and whose versions matter as well.

    Tests are files or, with a star, patterns of files.
    """

    package: str
    tests: tuple[str, ...]
    environment: str = MAIN
    beside: tuple[str, ...] = ()


# The project itself with the oldest versions: the rules, every interface that needs no other library, games on file,
# searches and networks, the commands.
OWN = "dunaia-env"
OWN_TESTS = (
    "tests/test_rules_*.py",
    "tests/test_playthroughs.py",
    "tests/test_state.py",
    "tests/test_lanes.py",
    "tests/test_aec.py",
    "tests/test_parallel.py",
    "tests/test_single.py",
    "tests/test_vector.py",
    "tests/test_replay*.py",
    "tests/test_search.py",
    "tests/test_agents_network.py",
    "tests/test_agents_terminal.py",
)

LIBRARIES = (
    Library("gymnasium", ("tests/test_single.py", "tests/test_vector.py")),
    Library("pettingzoo", ("tests/test_aec.py", "tests/test_parallel.py")),
    Library("stable-baselines3", ("tests/test_sb3.py", "tests/test_single.py::test_stable_baselines_check_env")),
    Library("sb3-contrib", ("tests/test_sb3_maskable.py",)),
    Library("torchrl", ("tests/test_torchrl.py",)),
    Library("tianshou", ("tests/test_tianshou.py",)),
    Library("open_spiel", ("tests/test_open_spiel.py",)),
    Library("ray", ("tests/compat/check_rllib.py",), "rllib"),
    Library("agilerl", ("tests/compat/check_agilerl.py",), "agilerl"),
    Library("joblib", ("tests/compat/check_clusters.py",), "clusters", ("distributed", "ray")),
    Library(OWN, OWN_TESTS, "oldest", tuple(oldest.dependencies())),
)
NAMES = tuple(library.package for library in LIBRARIES)


@dataclass(frozen=True)
class Arguments:
    """Check the libraries that the environment is made for."""

    only: tuple[str, ...] = ()
    """Packages to check, such as `torchrl ray`; all for none. The others keep what docs/compat.json says."""


class CheckFailedError(Exception):
    """A library whose tests did not all pass; the message says why."""


def python_of(environment: str) -> str:
    """The interpreter of an environment."""
    if environment == MAIN:
        return sys.executable
    path = ROOT / ".compat" / environment / "bin" / "python"
    if not path.exists():
        raise CheckFailedError(f"{path.relative_to(ROOT)} is missing; `make compat` makes it")
    return str(path)


def files(tests: tuple[str, ...]) -> list[str]:
    """The files of patterns; what is no pattern stays, for pytest to miss if it is missing."""
    return [
        name
        for test in tests
        for name in (sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob(test)) if "*" in test else [test])
    ]


def passed_tests(report: Path) -> int:
    """The number of tests that passed, of pytest's report in JUnit's XML."""
    cases = list(ElementTree.parse(report).iter("testcase"))
    return sum(not any(case.findall(tag) for tag in ("failure", "error", "skipped")) for case in cases)


def check(library: Library) -> dict[str, Any]:
    """Run a library's tests; returns its row. Raises `CheckFailedError`."""
    python = python_of(library.environment)
    # The other environments hold libraries whose own warnings are none of ours.
    lenient = () if library.environment == MAIN else ("-o", "filterwarnings=ignore")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [python, "-m", "pytest", "-q", *lenient, f"--junitxml={report}", *files(library.tests)]
        if subprocess.run(command, cwd=ROOT).returncode:
            raise CheckFailedError(f"the tests above failed: {' '.join(library.tests)}")
        passed = passed_tests(report)
    names = dict.fromkeys((library.package, *BESIDE, *library.beside))
    seen = subprocess.run([python, "-c", VERSIONS, *names], cwd=ROOT, capture_output=True, text=True, check=True)
    return {
        "package": library.package,
        "versions": json.loads(seen.stdout),
        "date": datetime.now(UTC).date().isoformat(),
        "tests": list(library.tests),
        "passed": passed,
    }


def merged(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The new rows, and the old ones of libraries that were not checked, in the order of `LIBRARIES`."""
    rows = {row["package"]: row for row in (*old, *new)}
    return [rows[name] for name in NAMES if name in rows]


def main(arguments: Arguments) -> int:
    """Check, write, and return the exit code."""
    unknown = [name for name in arguments.only if name not in NAMES]
    if unknown:
        print(f"--only: expected names of {', '.join(NAMES)}, got {' '.join(unknown)}", file=sys.stderr)
        return 2
    rows, failures = [], []
    for library in LIBRARIES:
        if arguments.only and library.package not in arguments.only:
            continue
        print(f"\n{library.package}, environment {library.environment}", flush=True)
        try:
            rows.append(check(library))
        except CheckFailedError as error:
            failures.append(f"{library.package}: {error}")
    if failures:
        print("\n".join(["", *failures, f"{RESULTS.relative_to(ROOT)} stays as it was"]), file=sys.stderr)
        return 1
    old = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else []
    write_text(RESULTS, json.dumps(merged(old, rows), indent=2) + "\n")
    for row in rows:
        print(f"{row['package']} {row['versions'][row['package']]}: {row['passed']} tests passed")
    return 0


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Arguments)))

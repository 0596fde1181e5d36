"""What works with which versions: ``python -m tests.compat.run [--only ray newest-3.13 ...]``, or ``make compat``.

Runs the tests of each library where it is installed and writes what was seen into docs/compat.json, only if every test
passed. Libraries that ask for other versions than the project's have an environment of their own in .compat/, which
`make compat` makes from ``tests/compat/NAME.txt``. Then come the project's own tests on several Pythons, of which
`tests.compat.versions` writes docs/versions.json.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Any

import tyro

from dunaia_env.support.atomic import write_text
from tests.compat import environments, versions
from tests.compat.environments import MAIN, ROOT, CheckFailedError
from tests.compat.versions import TRIALS

RESULTS = ROOT / "docs" / "compat.json"
# What the versions of a library's environment are told of, beside its own, where they are installed.
BESIDE = ("gymnasium", "pettingzoo", "numpy", "torch")


@dataclass(frozen=True)
class Library:
    """A library: its name on PyPI, its tests, the environment that they run in, and whose versions matter as well."""

    package: str
    tests: tuple[str, ...]
    environment: str = MAIN
    beside: tuple[str, ...] = ()


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
)
NAMES = tuple(library.package for library in LIBRARIES)


@dataclass(frozen=True)
class Arguments:
    """Check the libraries that the environment is made for, and the project on several Pythons."""

    only: tuple[str, ...] = ()
    """Packages, such as `torchrl ray`, and `oldest`, `pinned` or, with a Python, `newest-3.13`; all for none. Of the
    others, what was seen before stays."""


def check(library: Library) -> dict[str, Any]:
    """Run a library's tests; returns its row. Raises `CheckFailedError`."""
    counts = environments.run_tests(library.environment, library.tests)
    if counts.failed or not counts.passed:
        raise CheckFailedError(f"the tests above failed: {' '.join(library.tests)}")
    return {
        "package": library.package,
        "versions": environments.versions_in(library.environment, (library.package, *BESIDE, *library.beside)),
        "date": environments.today(),
        "tests": list(library.tests),
        "passed": counts.passed,
    }


def merged(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The new rows, and the old ones of libraries that were not checked, in the order of `LIBRARIES`."""
    rows = {row["package"]: row for row in (*old, *new)}
    return [rows[name] for name in NAMES if name in rows]


def check_libraries(libraries: list[Library]) -> list[str]:
    """Check libraries and write docs/compat.json if every test passed; returns what failed."""
    rows, failures = [], []
    for library in libraries:
        print(f"\n{library.package}, environment {library.environment}", flush=True)
        try:
            rows.append(check(library))
        except CheckFailedError as error:
            failures.append(f"{library.package}: {error}")
    if failures:
        return [*failures, f"{RESULTS.name} stays as it was"]
    if not rows:
        return []
    old = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else []
    write_text(RESULTS, json.dumps(merged(old, rows), indent=2) + "\n")
    for row in rows:
        print(f"{row['package']} {row['versions'][row['package']]}: {row['passed']} tests passed")
    return []


def main(arguments: Arguments) -> int:
    """Check, write, and return the exit code."""
    names = (*NAMES, *(trial.name for trial in TRIALS))
    unknown = [name for name in arguments.only if name not in names]
    if unknown:
        print(f"--only: expected names of {', '.join(names)}, got {' '.join(unknown)}", file=sys.stderr)
        return 2
    chosen = arguments.only or names
    failures = check_libraries([library for library in LIBRARIES if library.package in chosen])
    failures += versions.run([trial for trial in TRIALS if trial.name in chosen])
    print("\n".join(failures), file=sys.stderr, end="\n" * bool(failures))
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Arguments)))

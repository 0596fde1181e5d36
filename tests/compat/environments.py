"""Run tests in the environments that `make compat` makes, count them, and see which versions are installed there."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[2]
MAIN = "main"  # the environment that runs this code
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
PASSED, FAILED = 0, 1  # pytest's exit codes after a complete run


class CheckFailedError(Exception):
    """Tests that did not run, or did not all pass where they have to; the message says why."""


@dataclass(frozen=True)
class Counts:
    """How many tests passed, were skipped, and failed."""

    passed: int
    skipped: int
    failed: int


def path_of(environment: str) -> Path:
    """The interpreter of an environment, which may be missing."""
    return Path(sys.executable) if environment == MAIN else ROOT / ".compat" / environment / "bin" / "python"


def python_of(environment: str) -> str:
    """The interpreter of an environment; raises `CheckFailedError` if it is missing."""
    path = path_of(environment)
    if not path.exists():
        raise CheckFailedError(f"{path.relative_to(ROOT)} is missing; `make compat` makes it")
    return str(path)


def counts_of(report: Path) -> Counts:
    """The numbers in pytest's report in JUnit's XML."""
    cases = list(ElementTree.parse(report).iter("testcase"))
    failed = sum(bool(case.findall("failure") or case.findall("error")) for case in cases)
    skipped = sum(bool(case.findall("skipped")) for case in cases)
    return Counts(len(cases) - failed - skipped, skipped, failed)


def run_tests(environment: str, arguments: Iterable[str]) -> Counts:
    """Run pytest in an environment; raises `CheckFailedError` unless it ran to its end."""
    # The warnings of libraries in other versions than those of constraints.txt are shown, but are none of ours.
    lenient = () if environment == MAIN else ("-o", "filterwarnings=default")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [python_of(environment), "-m", "pytest", "-q", *lenient, f"--junitxml={report}", *arguments]
        if subprocess.run(command, cwd=ROOT).returncode not in (PASSED, FAILED):
            raise CheckFailedError(f"the tests above did not run to their end: {' '.join(arguments)}")
        return counts_of(report)


def versions_in(environment: str, names: Iterable[str]) -> dict[str, str]:
    """The versions of Python and of those packages that are installed in an environment."""
    command = [python_of(environment), "-c", VERSIONS, *names]
    seen = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    versions: dict[str, str] = json.loads(seen.stdout)
    return versions


def today() -> str:
    """The date that a result gets."""
    return datetime.now(UTC).date().isoformat()

"""The project's own tests on each Python, with the oldest, the pinned and the newest versions of what it needs."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from dunaia_env.support.atomic import write_text
from tests.compat import environments
from tests.compat.bounds import requirements
from tests.compat.environments import MAIN, ROOT, CheckFailedError, Counts

RESULTS = ROOT / "docs" / "versions.json"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
VERSIONS = OLDEST, PINNED, NEWEST = "oldest", "pinned", "newest"
SELECTION = ("-n", "2", "-m", "not slow and not long")
# The rules, the compiler, every interface, and what each extra brings. `make test` runs the rest, which depends less on
# the versions of other packages.
TESTS = (
    "tests/test_rules_*.py",
    "tests/test_playthroughs.py",
    "tests/test_state.py",
    "tests/test_lanes.py",
    "tests/test_linking.py",
    "tests/test_aec.py",
    "tests/test_parallel.py",
    "tests/test_single.py",
    "tests/test_vector.py",
    "tests/test_open_spiel.py",
    "tests/test_sb3.py",
    "tests/test_sb3_maskable.py",
    "tests/test_replay*.py",
    "tests/test_search.py",
    "tests/test_agents_network.py",
    "tests/test_agents_terminal.py",
    "tests/test_arena.py",
    "tests/test_statistics.py",
    "tests/test_report.py",
    "tests/test_render.py",
    "tests/test_table_server.py",
    "tests/test_training_ppo.py",
    "tests/test_export.py",
)


@dataclass(frozen=True)
class Trial:
    """The project's tests in an environment with the oldest, the pinned or the newest versions."""

    versions: str
    environment: str

    @property
    def name(self) -> str:
        """The name for ``--only``."""
        return PINNED if self.environment == MAIN else self.environment


TRIALS = (
    Trial(OLDEST, "oldest"),
    Trial(PINNED, MAIN),
    *(Trial(NEWEST, f"newest-{python}") for python in PYTHONS),
)


def files() -> list[str]:
    """The files of `TESTS`, whose names may be patterns; a file that is missing stays, for pytest to miss."""
    return [
        name
        for test in TESTS
        for name in (sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob(test)) if "*" in test else [test])
    ]


def minor_of(row: dict[str, Any]) -> str:
    """The Python of a row, without its last number: ``3.12``."""
    return ".".join(row["installed"]["python"].split(".")[:2])


def row_of(trial: Trial, counts: Counts) -> dict[str, Any]:
    """What is stored of a trial."""
    names = sorted({requirement.name for requirement in requirements()})
    return {
        "versions": trial.versions,
        "installed": environments.versions_in(trial.environment, names),
        "system": f"{platform.system()} {platform.machine()}",
        "date": environments.today(),
        **asdict(counts),
    }


def store(row: dict[str, Any]) -> None:
    """Put a row into docs/versions.json, in the place of an earlier one of the same Python and versions."""
    old = json.loads(RESULTS.read_text(encoding="utf-8"))["trials"] if RESULTS.exists() else []
    rows = {(minor_of(one), one["versions"]): one for one in (*old, row)}
    places = ((python, versions) for python in PYTHONS for versions in VERSIONS)
    content = {"pythons": PYTHONS, "trials": [rows[place] for place in places if place in rows]}
    write_text(RESULTS, json.dumps(content, indent=2) + "\n")


def run(trials: Iterable[Trial]) -> list[str]:
    """Run the tests and store what was seen, failures included; returns what failed.

    `make compat` makes no environment for a Python that the machine lacks; its trial is left out.
    """
    problems = []
    for trial in trials:
        if trial.versions == NEWEST and not environments.path_of(trial.environment).exists():
            print(f"\n{trial.name}: not tried, the environment is missing", flush=True)
            continue
        print(f"\n{trial.name}, environment {trial.environment}", flush=True)
        try:
            counts = environments.run_tests(trial.environment, [*SELECTION, *files()])
        except CheckFailedError as error:
            problems.append(f"{trial.name}: {error}")
            continue
        store(row_of(trial, counts))
        print(f"{trial.name}: {counts.passed} passed, {counts.skipped} skipped, {counts.failed} failed")
        if counts.failed:
            problems.append(f"{trial.name}: {counts.failed} tests failed")
    return problems

"""The arena on clusters of two workers: the games are those of one process. Run by `tests.compat.run` on its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dunaia_env.arena.records import Game
from dunaia_env.arena.run_files import read_games, read_run
from tests.hostile_agents import First

ROOT = Path(__file__).resolve().parents[2]
NOTES = "DUNAIA_TEST_NOTES"
# Before a cluster is started: no statistics are sent, no token is written into the home folder.
os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled", "OMP_NUM_THREADS": "1"}
AGENTS = ("random", "greedy", "tests.compat.check_clusters:Noting")


class Noting(First):
    """An agent of the user that notes which process it plays for."""

    name = "noting"

    def reset(self, seed: int) -> None:
        super().reset(seed)
        Path(os.environ[NOTES], str(os.getppid())).touch()


@contextmanager
def dask_cluster() -> Iterator[dict[str, str]]:
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        yield {"DASK_SCHEDULER_ADDRESS": cluster.scheduler_address}


@contextmanager
def ray_cluster() -> Iterator[dict[str, str]]:
    from ray.cluster_utils import Cluster

    # Two machines of one core, as far as ray knows.
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()
        yield {"RAY_ADDRESS": cluster.address}
    finally:
        cluster.shutdown()


CLUSTERS = {"dask": dask_cluster, "ray": ray_cluster}


def play(out: Path, *more: str, **environment: str) -> list[Game]:
    command = [sys.executable, "-m", "dunaia_env.arena", "--agents", *AGENTS, "--games", "24", "--games-at-once", "2"]
    command += ["--max-rounds", "5", "--no-luck", "--out", str(out), *more]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert f"Report: {out / 'report.html'}" in done.stdout
    return [replace(game, seconds=()) for game in sorted(read_games(out), key=lambda game: game.key)]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, list[Game]]:
    """The run and its games, played by one process."""
    folder = tmp_path_factory.mktemp("alone")
    (folder / "notes").mkdir()
    games = play(folder / "run", "--jobs", "1", **{NOTES: str(folder / "notes")})
    assert len(list((folder / "notes").iterdir())) == 1
    return read_run(folder / "run"), games


@pytest.mark.parametrize("backend", CLUSTERS)
def test_a_cluster_plays_the_games_of_one_process(
    tmp_path: Path, alone: tuple[Any, list[Game]], monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    # Workers of a cluster have the environment with which they were started.
    monkeypatch.setenv(NOTES, str(notes))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    with CLUSTERS[backend]() as environment:
        games = play(tmp_path / "run", "--jobs", "2", "--backend", backend, **environment)
    run, expected = alone
    assert len(expected) == 72
    assert games == expected
    assert not any(game.faults for game in games)
    found = read_run(tmp_path / "run")
    assert found == replace(run, command=found.command, commit=found.commit)
    assert len(list(notes.iterdir())) == 2

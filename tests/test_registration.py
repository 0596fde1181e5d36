"""The names of the environments: in every process, however it was started, and however often they are registered."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import gymnasium
import pytest

import dunaia_env
from dunaia_env.registration import register
from tests.test_docs import MARKDOWN

pytestmark = [pytest.mark.once, pytest.mark.compiled]

ROOT = Path(__file__).resolve().parent.parent
NAME = "dunaia_env:dunaia/Dunaia-v0"

# A program that does not import the library itself. The functions and the names go to other processes.
STABLE_BASELINES = """
import sys

def main(method):
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.vec_env import SubprocVecEnv

    options = {"render_mode": None, "max_rounds": 3}
    how = {"vec_env_cls": SubprocVecEnv, "vec_env_kwargs": {"start_method": method}}
    env = make_vec_env("dunaia_env:dunaia/Dunaia-v0", 2, env_kwargs=options, **how)
    env.reset()
    observations, *_ = env.step(env.reset()["action_mask"].argmax(axis=1))
    env.close()
    print(observations["observation"].shape)

if __name__ == "__main__":
    main(sys.argv[1])
"""
GYMNASIUM = """
import sys

def main(method):
    import gymnasium

    name, options = "dunaia_env:dunaia/Dunaia-v0", {"max_rounds": 3}
    single = gymnasium.vector.AsyncVectorEnv([lambda: gymnasium.make(name, **options)] * 2, context=method)
    many = gymnasium.make_vec(name, 2, vectorization_mode="async", vector_kwargs={"context": method}, **options)
    for env in (single, many):
        observations, _ = env.reset(seed=1)
        observations, *_ = env.step(observations["action_mask"].argmax(axis=1))
        env.close()
        print(observations["observation"].shape)

if __name__ == "__main__":
    main(sys.argv[1])
"""


# Each program starts processes in every way, and each way starts them from a command and from a file.
PROCESSES = [
    pytest.param(program, method, ("command", "file")[(number + place) % 2], id=f"{name}-{method}")
    for number, (name, program) in enumerate({"stable-baselines": STABLE_BASELINES, "gymnasium": GYMNASIUM}.items())
    for place, method in enumerate(("spawn", "fork", "forkserver"))
]


@pytest.mark.slow
@pytest.mark.parametrize(("program", "method", "form"), PROCESSES)
def test_names_work_in_processes_of_every_kind(program: str, method: str, form: str, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(program, encoding="utf-8")
    what = ["-c", program] if form == "command" else [str(file)]
    done = subprocess.run([sys.executable, *what, method], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split("\n")) == {f"(2, {dunaia_env.dunaia.OBSERVATION_SIZE})", ""}


def test_a_fresh_process_knows_the_name_with_its_module() -> None:
    code = f"import gymnasium; print(gymnasium.make({NAME!r}).spec.id); gymnasium.spec('dunaia/DuneSelfPlay-v0')"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "dunaia/Dunaia-v0\n"), done.stderr


def test_registering_again_warns_of_nothing_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before = dict(gymnasium.registry)
    register()
    importlib.reload(dunaia_env)
    assert dict(gymnasium.registry) == before
    monkeypatch.delitem(gymnasium.registry, "dunaia/Dune-v0")
    register()
    assert gymnasium.registry["dunaia/Dune-v0"] == before["dunaia/Dune-v0"]


PAGES = [*MARKDOWN, *sorted((ROOT / "notebooks").glob("*.ipynb"))]
SHORT = re.compile(r"""(?<!pettingzoo\.)\bmake(?:_vec|_vec_env)?\(\\?["']dunaia/""")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_name_environments_with_their_module(page: Path) -> None:
    assert not SHORT.findall(page.read_text(encoding="utf-8"))

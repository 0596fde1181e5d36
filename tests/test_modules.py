"""Objects that a command line names by a module or by a file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dunaia_env.harness import opponents
from dunaia_env.support.modules import load_attribute
from tests.test_packaging import OWN_AGENT

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def paths(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What a test adds to the path is taken back, and relative names start in its folder."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_an_attribute_of_a_module() -> None:
    assert load_attribute("pathlib:Path") is Path
    assert load_attribute("dunaia_env.harness.opponents:load") is opponents.load


@pytest.mark.parametrize("form", ["{name}.py", "./{name}.py", "../{folder}/{name}.py", "{absolute}"])
def test_an_attribute_of_a_file(tmp_path: Path, form: str) -> None:
    name = f"module_of_a_file_{len(form)}"
    path = put(tmp_path / f"{name}.py", f"from {name}_beside import VALUE\n")
    put(tmp_path / f"{name}_beside.py", "VALUE = object()\n")
    place = form.format(name=name, folder=tmp_path.name, absolute=path)
    value = load_attribute(f"{place}:VALUE")
    assert value is sys.modules[name].VALUE
    assert load_attribute(f"{place}:VALUE") is value, "the module is imported once"
    assert sys.path.count(str(tmp_path)) == 1


def test_a_file_of_a_package_is_imported_as_its_module(tmp_path: Path) -> None:
    put(tmp_path / "package_of_a_file" / "__init__.py", "")
    put(tmp_path / "package_of_a_file" / "inner" / "__init__.py", "")
    put(tmp_path / "package_of_a_file" / "other.py", "VALUE = 7\n")
    put(tmp_path / "package_of_a_file" / "inner" / "one.py", "from ..other import VALUE\n")
    assert load_attribute("./package_of_a_file/inner/one.py:VALUE") == 7
    assert "package_of_a_file.inner.one" in sys.modules


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("./nothing.py:Agent", r"agent './nothing\.py:Agent': there is no file 'nothing\.py'"),
        (
            ".:Agent",
            r"agent '\.:Agent': expected a module such as my_package\.my_module, .* before the colon, got '\.'$",
        ),
        (
            "./json:Agent",
            (
                r"agent '\./json:Agent': expected a module such as my_package\.my_module, or a file such as"
                r" \./my_module\.py, before the colon, got '\./json'"
            ),
        ),
        ("a folder/b.txt:Agent", "before the colon, got 'a folder/b.txt'"),
        (":Agent", "before the colon, got ''"),
        ("json:", "expected the name of a class, function or object after the colon, got ''"),
        ("./json.py", r"agent './json\.py': expected the name of the agent in the file too, \./json\.py:Attribute"),
        ("./json.py:loads", r"'json\.py': another module is called json, .*__init__\.py; rename the file"),
        ("./sys.py:path", r"'sys\.py': another module is called sys, a built-in one; rename the file"),
        ("./my-agent.py:Agent", r"'my-agent\.py': 'my-agent' is no name of a module; rename the file"),
        ("./empty_agent.py:Agent", "module 'empty_agent' has no attribute 'Agent'"),
        ("no_such_module_of_a_test:Agent", "No module named 'no_such_module_of_a_test'"),
    ],
)
def test_what_names_no_object_is_refused(tmp_path: Path, name: str, message: str) -> None:
    for file in ("json.py", "sys.py", "my-agent.py", "empty_agent.py"):
        put(tmp_path / file, "")
    with pytest.raises(ValueError, match=message):
        opponents.load(name)


@pytest.mark.slow
def test_agents_in_files_play_in_a_match_and_in_the_arena(tmp_path: Path) -> None:
    put(tmp_path / "agents of mine" / "agent_in_a_file.py", OWN_AGENT)
    agent = "./agents of mine/agent_in_a_file.py:Last"
    for words in (["match"], ["arena", "--out", "run"]):
        command = [*words, "--agents", agent, "random", "--games", "2", "--max-rounds", "2"]
        script = f"import sys; sys.path.append({str(ROOT)!r}); from dunaia_env.__main__ import main; main({command!r})"
        done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "A fair share is 50.0 %." in done.stdout
    games = (tmp_path / "run" / "games.jsonl").read_text(encoding="utf-8")
    assert games.count('"faults":[]') == games.count("\n") == 2

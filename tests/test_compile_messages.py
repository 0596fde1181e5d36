"""What a compilation says about where its result is kept, and for how long."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dunaia_env import warmup
from dunaia_env.support import compile_cache
from tests.test_compile_cache import NEEDS_COMPILATION, NO_HELP, ROOT, run, variable

__all__ = ["variable"]  # a fixture that every test here uses

pytestmark = pytest.mark.once


def announced(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The lines of an empty compilation without its end."""
    compile_cache.compile_now("game", "the game", [], NO_HELP)
    *lines, done = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"dunaia_env: compiled in \d+ s", done)
    return lines


FOR_THIS_PROCESS = (
    "dunaia_env: compiling the game, for this process and its children only, because no folder can keep the result;"
    " set DUNAIA_ENV_CACHE_DIR to a folder of your own"
)


@NEEDS_COMPILATION
def test_a_compilation_that_cannot_be_kept_promises_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(compile_cache, "FOLDER", tmp_path / "file" / "folder")
    assert not compile_cache.is_kept()
    monkeypatch.setattr(compile_cache, "_marker", lambda group: tmp_path / group)
    assert announced(capsys) == [FOR_THIS_PROCESS]
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(compile_cache, "FOLDER", compile_cache._temporary_folder() / "hash")
    assert not compile_cache.is_kept()
    assert announced(capsys) == [FOR_THIS_PROCESS]


@pytest.mark.parametrize("name", [compile_cache.NUMBA_VARIABLE, compile_cache.CACHE_VARIABLE])
def test_a_folder_that_cannot_be_used_is_named_and_another_one_keeps_the_code(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    script = "from dunaia_env.support import compile_cache as c; print(c.FOLDER, c.is_kept(), *c.unusable_folders())"
    unusable = tmp_path / "file" / "folder"
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache"), name: str(unusable)}
    folder, kept, *sentence = run(script, ROOT, **environment).stdout.split()
    assert Path(folder) == tmp_path / "cache" / "dunaia_env" / compile_cache.engine_hash()
    assert kept == "True"
    assert " ".join(sentence) == f"{name}: {unusable} cannot be used (Not a directory)"


def test_a_usable_folder_of_numba_hides_the_own_variable(tmp_path: Path) -> None:
    script = "from dunaia_env.support import compile_cache as c; print(c.FOLDER, c.is_kept(), c.unusable_folders())"
    done = run(script, ROOT, NUMBA_CACHE_DIR=str(tmp_path / "own"), DUNAIA_ENV_CACHE_DIR="/dev/null/folder")
    assert done.stdout.split() == [str(tmp_path / "own"), "True", "[]"]


@NEEDS_COMPILATION
def test_unusable_folders_are_announced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compile_cache, "FOLDER", tmp_path)
    monkeypatch.setattr(compile_cache, "_NAMED", {"NUMBA_CACHE_DIR": "/dev/null/folder"})
    named, begun = announced(capsys)
    assert named == "dunaia_env: NUMBA_CACHE_DIR: /dev/null/folder cannot be used (Not a directory)"
    assert begun.endswith(f"once for this machine; cached in {tmp_path}")


@NEEDS_COMPILATION
def test_a_warm_up_that_cannot_be_kept_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compile_cache, "is_kept", lambda: False)
    with pytest.raises(ValueError, match="nothing is compiled ahead, because no folder can keep the result"):
        warmup.main(warmup.Options())

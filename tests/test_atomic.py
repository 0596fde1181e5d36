"""Files that are whole or absent, and what killed writers leave."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from dunaia_env.support import atomic

# Stops for good where everything is written but the name.
KILLED = """
import os, signal, sys
from dunaia_env.support import atomic
os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
atomic.write_bytes(sys.argv[1], b"new")
"""


def test_what_a_killed_writer_leaves_is_removed_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    atomic.write_text(target, "old")
    others = ["a.txt.part", ".a.txt.settings", ".b.txt.abcd0123.part", ".a.txt.b.abcd0123.part", ".aatxt.abcd0123.part"]
    for name in others:
        (tmp_path / name).touch()
    for _ in range(2):
        killed = subprocess.run([sys.executable, "-c", KILLED, str(target)], check=False)
        assert killed.returncode == -signal.SIGKILL
    assert len(list(tmp_path.iterdir())) == 1 + len(others) + 2
    assert atomic.remove_leftovers(target) == 2
    assert atomic.remove_leftovers(target) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"a.txt", *others}
    assert target.read_text() == "old"


def test_nothing_is_left_in_a_folder_that_is_not_there(tmp_path: Path) -> None:
    assert atomic.remove_leftovers(tmp_path / "none" / "a.txt") == 0


def test_a_file_has_the_rights_that_the_user_wants(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        atomic.write_text(tmp_path / "a.txt", "x")
    finally:
        os.umask(before)
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o640

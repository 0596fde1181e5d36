"""Files from elsewhere: read up to a limit, and only if they are files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dunaia_env.reading import ReadingError, open_file, read_bytes, read_text


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes("Dunaïa\r\ntwo\rthree\n".encode())
    assert read_bytes(path, 20) == path.read_bytes()
    assert read_text(str(path), 20) == "Dunaïa\ntwo\nthree\n"
    with open_file(path, 20) as file:
        assert file.readline() == "Dunaïa\r\n".encode()


def test_a_file_beyond_the_limit_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.truncate(2**33)  # a hole: nothing is stored, and reading it would take the whole memory
    for read in (read_bytes, read_text, open_file):
        with pytest.raises(ReadingError, match=r"^cannot be read: 8589934592 bytes; at most 1000 are allowed$"):
            read(path, 1000)


@pytest.mark.parametrize("length", [19, 20, 21])
def test_the_limit_is_exact(tmp_path: Path, length: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * length)
    if length > 20:
        with pytest.raises(ReadingError, match="21 bytes; at most 20"):
            read_bytes(path, 20)
    else:
        assert read_bytes(path, 20) == b"x" * length


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="a file without a size of its own is Linux's")
def test_a_file_that_says_it_is_empty_is_read_to_the_limit() -> None:
    with pytest.raises(ReadingError, match="more than 1000 bytes"):
        read_bytes("/proc/self/maps", 1000)


@pytest.mark.skipif(os.name == "nt", reason="pipes with a name and devices are POSIX's")
def test_only_regular_files_are_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path, Path("/dev/zero"), Path("/dev/null")):
        with pytest.raises(ReadingError, match=r"^cannot be read: a regular file is needed$"):
            read_bytes(path, 1000)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("no\0file", "null byte|null character"),
        ("no\ud800file", "surrogates|No such file"),
        ("x" * 100_000, "too long"),
        ("/no/such/file", "No such file or directory"),
    ],
)
def test_paths_of_no_file(path: str, message: str) -> None:
    with pytest.raises(ReadingError, match=rf"^cannot be read: .*({message})") as caught:
        read_text(path, 1000)
    assert len(str(caught.value)) < 400


def test_text_is_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a\xff\xfe")
    with pytest.raises(ReadingError, match=r"^cannot be read: 'utf-8' codec can't decode byte 0xff in position 1"):
        read_text(path, 1000)

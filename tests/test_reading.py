"""Files from elsewhere: read up to a limit, and only if they are files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dunaia_env.support.reading import ReadingError, open_file, parse_toml, read_bytes, read_text


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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = ", "not TOML: Invalid value"),
        ("a = 1\na = 2", "not TOML: Cannot overwrite a value"),
        ("a = " + "[" * 5000, "not TOML: tables and lists are nested too deeply"),
        ("a = " + "{ b = " * 5000, "not TOML: tables and lists are nested too deeply"),
        ("a = " + "9" * 5000, "not TOML: Exceeds the limit"),
        (".".join("a" * 100_000) + " = 1", r"a\.a\.a.*: a key of 100000 parts; at most 8 are allowed"),
        ("[" + ".".join("a" * 9) + "]", r"a\.a\.a\.a\.a\.a\.a\.a\.a: a key of 9 parts; at most 8 are allowed"),
        ('x = { "\x1b" . b.c.d.e.f.g.h.i = 1 }', "_ . b.*: a key of 9 parts"),
        ("x = 'it''s'\n'#'.b.c.d.e.f.g.h.i = 1", "_.b.*: a key of 9 parts"),
    ],
)
def test_texts_that_are_no_toml_or_take_too_long(text: str, message: str) -> None:
    with pytest.raises(ReadingError, match=f"^{message}") as caught:
        parse_toml(text)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("a.b.c.d.e.f.g.h = 1.5", {"a": {"b": {"c": {"d": {"e": {"f": {"g": {"h": 1.5}}}}}}}}),
        ("a = '........' # ........ \" ' [", {"a": "........"}),
        ('a = ["\\".........", "b\\\\"]', {"a": ['".........', "b\\"]}),
        ('a = ["""........""""", "........"]', {"a": ['........""', "........"]}),
        ("a = ['''........'\n.........''''', '........']", {"a": ["........'\n.........''", "........"]}),
        ('a = """........\n\\""".........\n"""', {"a": '........\n""".........\n'}),
        ("a = [1.0, 2.0, 3.0, 4.0, 5.0,\n 6.0, 7.0, 8.0, 9.0]", {"a": [float(number) for number in range(1, 10)]}),
        ("a = {b.c.d = 1, b.c.e = 2, b.c.f = 3, b.c.g = 4}", {"a": {"b": {"c": {"d": 1, "e": 2, "f": 3, "g": 4}}}}),
    ],
)
def test_dots_of_texts_comments_and_numbers_part_no_key(text: str, content: object) -> None:
    assert parse_toml(text) == content

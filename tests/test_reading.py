"""Files from elsewhere: read up to a limit, and only if they are files."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest

from dunaia_env.support.reading import (
    ReadingError,
    decode,
    numbered_lines,
    open_file,
    parse_toml,
    read_bytes,
    read_text,
)
from dunaia_env.support.typed_json import FieldError, parse


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
        with pytest.raises(ReadingError, match=r"^cannot be read: expected a regular file$"):
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
    path.write_bytes(b"a\nb\xff\xfe")
    message = r"^cannot be read: the byte 0xff in line 2 is not UTF-8; save the text as UTF-8$"
    with pytest.raises(ReadingError, match=message):
        read_text(path, 1000)
    with pytest.raises(FieldError, match=message):
        parse(path.read_bytes())


@pytest.mark.parametrize("text", ["", "Dunaïa", '{"a": 1}'])
def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path, text: str) -> None:
    path = tmp_path / "file"
    path.write_text(text, encoding="utf-8-sig")
    assert read_text(path, 1000) == decode(path.read_bytes()) == text
    if text.startswith("{"):
        assert parse(path.read_bytes()) == parse("\ufeff" + text) == {"a": 1}
    assert parse_toml("\ufeffa = 1") == {"a": 1}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_other_encodings_of_unicode_are_named(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "file"
    path.write_text('{"name": "Dunaïa"}', encoding=encoding)
    message = rf"^cannot be read: the text is {encoding[:6].upper()}; save it as UTF-8$"
    with pytest.raises(ReadingError, match=message):
        read_text(path, 1000)
    with pytest.raises(FieldError, match=message):
        parse(path.read_bytes())


def test_zeros_alone_are_no_other_encoding() -> None:
    for content in (b"", b"a", b"a\0", b"\0\0\0\0", b"\0ab\0", b"ab\0\0"):
        assert decode(content) == content.decode("ascii")


def test_empty_lines_are_left_out_and_counted() -> None:
    assert list(numbered_lines(b"a\r\n\n \t\r\nb\n\n".split(b"\n"))) == [(1, b"a\r"), (4, b"b")]
    assert list(numbered_lines(b"\n\n".split(b"\n"))) == []


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


ROOT = Path(__file__).resolve().parent.parent
# What reads files by itself, and why no byte order mark or other encoding can be in what it reads.
OWN_READING = {
    "dunaia_env/arena/leaderboard.py": "the page that it writes",
    "dunaia_env/reports/moments.py": "pictures that it has written",
    "dunaia_env/arena/run_files.py": "lines of games, which `games_of_lines` parses",
    "dunaia_env/arena/subprocess_agent.py": "answers of a process that it has started",
    "dunaia_env/dune/presentation/planet.py": "a file of the package",
    "dunaia_env/dunaia/family/family.py": "a file of the package",
    "dunaia_env/harness/components.py": "a file of the package",
    "dunaia_env/render/html.py": "fonts of the package",
    "dunaia_env/support/array_files.py": "the header of a binary file, which it has written",
    "dunaia_env/support/compile_cache.py": "sources of the package",
    "dunaia_env/support/reading.py": "reads for all others",
    "dunaia_env/support/system.py": "a file of the system",
    "dunaia_env/support/typed_json.py": "parses for all others",
    "dunaia_env/table/app.py": "files of the package",
    "training/studies/further_training.py": "the log of a process that it has started",
}


def test_every_file_of_a_user_is_read_with_the_shared_functions() -> None:
    """Else a byte order mark, which Windows' editors write, would be an error there."""
    found = set()
    for folder in ("dunaia_env", "agents", "training"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and _reads(node):
                    found.add(path.relative_to(ROOT).as_posix())
    assert found == set(OWN_READING), "read with dunaia_env.support.reading, or say why not"


def _reads(call: ast.Call) -> bool:
    function = ast.unparse(call.func)
    if function in ("json.load", "json.loads", "tomllib.load", "tomllib.loads"):
        return True
    if function.endswith((".read_text", ".read_bytes")) and not function.startswith("reading."):
        return True
    mode = call.args[0:1] if function.endswith(".open") else call.args[1:2]
    return (function == "open" or function.endswith(".open")) and (
        not call.args or not mode or (isinstance(mode[0], ast.Constant) and str(mode[0].value).startswith("r"))
    )

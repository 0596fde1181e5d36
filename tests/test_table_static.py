"""The pages of the table: nothing comes from outside, every word is in both languages, and no file is left over."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.once

STATIC = Path(__file__).resolve().parent.parent / "dunaia_env" / "table" / "static"
PAGES = ("lobby.html", "table.html", "analysis.html", "refusal.html")  # that the server names itself
LANGUAGES = ("en", "fr")
FILES = sorted(path for path in STATIC.iterdir() if path.is_file())
SCRIPTS = [path for path in FILES if path.suffix == ".js"]
MARKUP = [path for path in FILES if path.suffix == ".html"]
NAMESPACE = "http://www.w3.org/2000/svg"
MOST_LINES = 600


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def words(language: str) -> dict[str, str]:
    content = json.loads(read(STATIC / f"{language}.json"))
    assert all(isinstance(text, str) and text.strip() for text in content.values())
    return dict(content)


def used_keys() -> set[str]:
    """The keys of words that the pages name, and the beginnings of those that they put together."""
    keys: set[str] = set()
    for path in MARKUP:
        keys.update(re.findall(r'data-t(?:-label|-placeholder)?="([^"]+)"', read(path)))
    for path in SCRIPTS:
        text = read(path)
        for call in re.findall(r"\bt\(((?:[^()]|\([^()]*\))*)\)", text):
            keys.update(re.findall(r'"([a-z][\w.+]*)"', call.split(", {")[0]))
        keys.update(re.findall(r'\["([a-z]+\.[a-z.]+)", "', text))  # buttons of the result
    return keys


def test_every_file_is_used() -> None:
    texts = {path.name: read(path) for path in FILES}
    for path in FILES:
        if path.name in PAGES:
            continue
        if path.stem in LANGUAGES and path.suffix == ".json":
            assert f'"{path.stem}"' in texts["i18n.js"]
            continue
        others = "".join(text for name, text in texts.items() if name != path.name)
        assert f"/static/{path.name}" in others or f'"./{path.name}"' in others, f"{path.name} is used by no page"


def test_every_named_file_exists() -> None:
    for path in (*MARKUP, *SCRIPTS):
        for name in re.findall(r'/static/([\w.-]+\.\w+)|from "\./([\w.-]+)"', read(path)):
            assert (STATIC / (name[0] or name[1])).is_file(), f"{path.name} names {name}"


def test_the_languages_have_the_same_words() -> None:
    english, french = (words(language) for language in LANGUAGES)
    assert list(english) == list(french)
    for key, text in english.items():
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", french[key])), key


def test_every_word_is_there_and_used() -> None:
    keys, known = used_keys(), words("en")
    plain = {key.removesuffix(".one").removesuffix(".other") for key in known}
    assert keys - plain - set(known) == set()
    # These are put together from a name that the server or the user gives.
    together = ("agent.", "level.", "theme.", "note.")
    assert {key for key in plain - keys if not key.startswith(together)} == set()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_nothing_comes_from_outside(path: Path) -> None:
    text = read(path).replace(NAMESPACE, "")
    assert not re.search(r"(https?:)?//[\w-]+\.\w", text), "an address outside"
    assert "@import" not in text
    assert not re.search(r'url\((?!"/static/)', text)


@pytest.mark.parametrize("path", MARKUP, ids=lambda path: path.name)
def test_pages_hold_no_script_or_style(path: Path) -> None:
    text = read(path)
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", text, re.IGNORECASE)
    for attributes, content in re.findall(r"<script([^>]*)>(.*?)</script>", text, re.DOTALL):
        assert 'src="/static/' in attributes
        assert content == ""


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_make_no_markup_from_text(path: Path) -> None:
    forbidden = r"innerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|setAttribute\(\"style\""
    assert not re.search(forbidden, read(path).replace(".outerHTML", ""))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_stay_short(path: Path) -> None:
    assert len(read(path).splitlines()) <= MOST_LINES


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_can_be_read(path: Path) -> None:
    done = subprocess.run(
        ["node", "--input-type=module", "--check"], input=read(path), text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_full_stops_come_from_one_function() -> None:
    """A full stop that a script puts after a text by itself would follow question marks too; `stopped` adds it."""
    assert [path.name for path in SCRIPTS if re.search(r"\)\}\.`", read(path))] == []

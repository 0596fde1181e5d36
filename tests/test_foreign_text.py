"""Characters that text should not carry: wherever a foreign text comes in or goes out, they are refused or escaped."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dunaia_env.arena.records import Entrant, RecordsError, check_entrant
from dunaia_env.balance.plans import PLAN_FILE, read_plan, write_plan
from dunaia_env.replay import Replay, record_game, to_text
from dunaia_env.reports.drawing import figure_of_rows, own_style, to_svg
from dunaia_env.reports.parts import ReportTable, Section, sections_to_markdown, table_row, templates
from dunaia_env.support import svg
from dunaia_env.support.messages import has_lone_surrogate, is_name, is_plain, printable, visible
from dunaia_env.support.typed_json import FieldError, build
from dunaia_env.table.errors import RefusedError
from dunaia_env.table.limits import checked_name
from tests.table_agents import Analyst
from tests.table_server import Client, agent, person, running
from tests.test_balance_report import plan_of
from tests.test_table_server import GAME, GAME_AGENT, analysed

pytestmark = pytest.mark.once

FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180f\u2800\u3164\uffa0"
HIDDEN = {
    "a control character": "\x00",
    "an escape sequence": "\x1b[2J",
    "a control character of the second block": "\x9b2J",
    "a change of direction": "\u202eelpoep",
    "an isolate": "\u2066",
    "a mark of direction": "\u200f",
    "a space without width": "\u200b",
    "a byte order mark": "\ufeff",
    "a soft hyphen": "\u00ad",
    "a tag": "\U000e0041",
    "half of a pair": "\ud800",
    "a private character": "\ue000",
    "a separator of lines": "\u2028",
    **{f"the filler U+{ord(one):04X}": one for one in FILLERS},
}
EVERY = pytest.mark.parametrize("hidden", HIDDEN.values(), ids=HIDDEN)
NAMES = ("Ada", "Zoë 🙂", "Ada ❤\ufe0f", "葛\U000e0100飾", "e\u0301mile", "محمد", "村", "3", "-", "O’Neill")


def carries(text: str) -> set[str]:
    """The characters of a page or report that it should not carry."""
    return {one for one in text if not (is_plain(one) or one in "\n\u00a0")}


@EVERY
def test_a_hidden_character_is_seen_or_refused(hidden: str) -> None:
    text = f"a{hidden}b"
    assert not is_plain(text)
    assert not is_name(text)
    for shown in (printable(text), visible(text)):
        assert is_plain(shown)
        assert shown == f"a{printable(hidden)}b"
        assert shown.encode()
    assert not carries(svg.escape(text))
    if hidden.isspace():
        assert checked_name(text) == "a b"
    else:
        with pytest.raises(RefusedError, match="printable characters"):
            checked_name(text)
    with pytest.raises(RecordsError, match="only printable characters"):
        check_entrant(Entrant("a", text, "1"))


@pytest.mark.parametrize("name", NAMES)
def test_names_of_all_languages_pass(name: str) -> None:
    assert is_name(name)
    assert checked_name(name) == name
    check_entrant(Entrant(name, name, "1"))
    assert printable(name) == visible(name) == svg.escape(name) == name


@pytest.mark.parametrize("name", ["", " ", "\u0301", "\ufe0f", "\u2800\u2800", "\u115f"])
def test_a_name_can_be_seen(name: str) -> None:
    assert not is_name(name)
    with pytest.raises(RefusedError, match="printable characters"):
        checked_name(name)


def test_spaces_and_lines_of_a_report_stay() -> None:
    assert visible("12\u00a0%\n\ttwo") == "12\u00a0%\n\ttwo"
    assert visible("12\u00a0%\r") == "12\u00a0%\\r"


def test_halves_of_pairs_are_found() -> None:
    assert has_lone_surrogate("a\udfff")
    assert not has_lone_surrogate("Zoë 🙂")


# Reports


@dataclasses.dataclass(frozen=True)
class Named:
    versions: dict[str, str]


@EVERY
def test_keys_of_files_are_escaped(hidden: str) -> None:
    assert build(Named, {"versions": {f"a{hidden}": "1"}}).versions == {f"a{printable(hidden)}": "1"}
    with pytest.raises(FieldError, match=r"versions: expected a table whose names differ.*, got .*"):
        build(Named, {"versions": {f"a{hidden}": "1", f"a{printable(hidden)}": "2"}})


def test_a_plan_from_elsewhere_carries_nothing_hidden(tmp_path: Path) -> None:
    write_plan(tmp_path, plan_of(("greedy", "random"), (2,), versions=dict.fromkeys(("greedy", "random"), "1")))
    content = json.loads((tmp_path / PLAN_FILE).read_text())
    content["versions"]["evil\x1b[2J\u202e\u2800"] = "1\u202e"
    content["command"] = "python\u2066"
    (tmp_path / PLAN_FILE).write_text(json.dumps(content))
    found = read_plan(tmp_path)
    assert found.versions[r"evil\x1b[2J\u202e\u2800"] == r"1\u202e"
    assert not carries("".join([*found.versions, *found.versions.values(), found.command]))


@EVERY
def test_reports_carry_nothing_hidden(hidden: str) -> None:
    name = f"evil{hidden}"
    table = ReportTable(name, (name,), (table_row(name),), (name,))
    section = Section("Agents", (name,), (table,), code=f"python {name}")
    text = "\n".join(sections_to_markdown([section]))
    assert not carries(text)
    escaped = printable(hidden).replace("\\", "\\\\").replace("[", "\\[")
    assert hidden.isspace() or text.count(escaped) >= 5
    for package in ("dunaia_env.arena", "dunaia_env.balance"):
        template = templates(package).from_string('<p>{{ name }} {{ name | pieces | join("<wbr>" | safe) }}</p>')
        assert template.render(name=name) == f"<p>evil{printable(hidden)} evil{printable(hidden)}</p>"


def test_figures_carry_nothing_hidden() -> None:
    with own_style():
        figure, axes = figure_of_rows(["a"], 1)
        axes.set_yticks([0.5], ["evil\u202e"])
        text = to_svg(figure, "one", "evil\u202e\u2066")
    assert text.count(r"evil\u202e") == 2
    assert not carries(text)


# The table


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with running(tmp_path_factory.mktemp("tables"), analyst=Analyst()) as client:
        yield client


def replay_of(names: list[str]) -> str:
    replay = record_game(5, [GAME_AGENT], game=GAME)
    return to_text(Replay(replay.header | {"agents": names}, replay.decisions, replay.result, replay.game))


def test_names_of_a_replay_are_shown_escaped(client: Client) -> None:
    text = replay_of(["evil\ud800\u202e\x1b", "\u2800"])
    assert text.isascii()
    link, shown = analysed(client, {"replay": text})
    assert shown["state"] == "done"
    assert shown["analysis"]["names"] == [r"evil\ud800\u202e\x1b", r"\u2800"]
    for path in ("", "/positions/0", "/positions/3"):
        assert not carries(json.dumps(client.get(f"/api{link}{path}").json, ensure_ascii=False))


@pytest.mark.parametrize("path", ["/api/tables", "/api/tables/resume", "/api/analyses"])
def test_half_of_a_pair_in_a_message_is_refused(client: Client, path: str) -> None:
    body: dict[str, dict[str, Any]] = {
        "/api/tables": {"game": GAME.module, "seats": [person("evil\ud800"), agent()]},
        "/api/tables/resume": {"replay": replay_of(["a", "b"]).replace('"a"', '"\udfff"'), "seats": []},
        "/api/analyses": {"replay": replay_of(["a", "b"]).replace('"a"', '"\ud800"')},
    }
    answer = client.post(path, body[path])
    assert answer.status == 400
    assert answer.error.startswith("the message has half of a pair of surrogates")


def test_whole_pairs_in_a_message_are_read(client: Client) -> None:
    body = json.dumps({"game": GAME.module, "seats": [person("Zoë 🙂"), agent()]}).encode()
    assert rb"\ud83d\ude42" in body
    answer = client.post("/api/tables", body)
    assert answer.status == 201
    assert client.snapshot(answer.json["seats"][0]["link"])["names"][0] == "Zoë 🙂"

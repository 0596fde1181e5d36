"""Tables outlast restarts, crashes, torn files and full disks; their folder is private and is kept tidy."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dunaia_env.replay import parse, verify
from dunaia_env.support import typed_json
from dunaia_env.support.locking import FolderInUseError
from dunaia_env.support.typed_json import parse as parse_json
from dunaia_env.table import storage
from dunaia_env.table.errors import StorageError
from dunaia_env.table.limits import Limits
from dunaia_env.table.storage import Decision, default_folder, open_folder
from tests.clocks import HANGS, until
from tests.table_agents import Analyst
from tests.table_server import LIMITS, Client, agent, person, running, toy_offers
from tests.test_table_server import GAME, my_turn, play
from tests.toy_game import load

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parent.parent


def only_table(folder: Path) -> Path:
    (table,) = (folder / "tables").iterdir()
    return table


def shown_at(client: Client, link: str) -> Any:
    """A snapshot without what belongs to the moment."""
    shown = my_turn(client, link)
    return {name: value for name, value in shown.items() if name != "connected"}


def age(path: Path, days: float) -> None:
    """Make a table look as if nobody had played at it for so long."""
    then = (path / "decisions.jsonl").stat().st_mtime - days * 86_400
    os.utime(path / "decisions.jsonl", (then, then))


def test_a_restart_brings_back_every_table(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        links = [client.open([person(f"P{number}"), agent("greedy")]).seats[0] for number in range(3)]
        watched = client.open([agent(), agent()]).watch
        together = client.open([person("Ada"), person("Grace"), agent()]).seats
        assert watched is not None
        client.post(f"/api{watched}/pace", {"paused": True, "seconds": 1})
        for number, link in enumerate(links):
            play(client, link, number)
        play(client, together[0], 1)
        before = [shown_at(client, link) for link in (*links, together[1])]
        version = client.snapshot(watched)["version"]
    with running(tmp_path) as client:
        assert [shown_at(client, link) for link in (*links, together[1])] == before
        assert client.snapshot(watched)["version"] >= version
        last = play(client, links[2])
        assert last["over"]
        assert verify(parse(client.get(f"/api{links[2]}/replay").body.decode(), game=GAME)) == last["version"]


def test_links_are_not_in_the_folder_and_nobody_else_can_read_it(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    with running(folder, analyst=Analyst()) as client:
        opened = client.open([person("Ada"), agent()])
        tokens = [opened.seats[0].removeprefix("/t/")]
        play(client, opened.seats[0])
        made = client.post("/api/analyses", {"table": tokens[0]}).json["link"]
        until(lambda: client.get(f"/api{made}").json["state"] == "done")
        tokens.append(made.removeprefix("/a/"))
    for path in (folder, *folder.rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        if path.is_dir():
            assert mode == 0o700, path
        elif path.name != ".lock":
            assert mode == 0o600, path
            content = path.read_text(encoding="utf-8")
            assert not any(token in content for token in tokens)


def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        link = client.open([person(), agent()]).seats[0]
        play(client, link, 2)
        before = shown_at(client, link)
    path = only_table(tmp_path) / "decisions.jsonl"
    whole = path.read_bytes()
    for torn in (b'{"seat": 0, "act', b"\0\0\0", b"\xff"):
        path.write_bytes(whole + torn)
        with running(tmp_path) as client:
            assert shown_at(client, link) == before
    with running(tmp_path) as client:
        play(client, link, 1)
    lines = path.read_bytes()
    assert lines.startswith(whole)
    assert all(json.loads(line) for line in lines.splitlines())


@pytest.mark.parametrize(
    ("file", "change", "said"),
    [
        ("decisions.jsonl", lambda content: b'{"seat": 0}\n' + content, "decisions.jsonl:1: action: missing"),
        ("decisions.jsonl", lambda content: content.replace(b"bid", b"steal", 1), "steal"),
        ("decisions.jsonl", lambda content: content.replace(b'"seat": 0', b'"seat": 1', 1), "seat 1; seat 0 decides"),
        ("table.json", lambda content: content[:-20], "not JSON"),
        ("table.json", lambda content: content.replace(b'"seed"', b'"sead"'), "seed"),
        ("table.json", lambda content: content.replace(b'"num_players": 2', b'"num_players": 3'), "2 seats"),
        ("table.json", lambda content: content.replace(b"tests.toy_game", b"tests.no_game"), "not offered"),
    ],
)
def test_a_damaged_table_stays_in_its_folder_and_stops_no_other(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, file: str, change: Any, said: str
) -> None:
    with running(tmp_path) as client:
        damaged = client.open([person(), agent()]).seats[0]
        play(client, damaged, 2)
        path = only_table(tmp_path) / file
        whole = client.open([person(), agent()]).seats[0]
    content = path.read_bytes()
    path.write_bytes(change(content))
    with running(tmp_path) as client:
        assert client.get(f"/api{damaged}").status == 404
        assert client.snapshot(whole)["version"] == 0
    assert said in caplog.text
    path.write_bytes(content)
    with running(tmp_path) as client:
        assert client.snapshot(damaged)["version"] >= 2


def test_of_a_million_wrong_decisions_only_the_first_is_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(tmp_path) as client:
        link = client.open([person("Ada"), person("Grace")]).seats[0]
    table = only_table(tmp_path)
    wrong = json.dumps({"seat": 7, "action": "x"}) + "\n"
    (table / "decisions.jsonl").write_text(wrong * 1_000_000)
    parsed = []
    monkeypatch.setattr(typed_json, "parse", lambda text: parsed.append(text) or parse_json(text))
    with running(tmp_path) as client:
        assert client.get(f"/api{link}").status == 404
    assert "decision 0: seat 7; seat" in caplog.text
    assert len(parsed) == 2  # the header and the first decision


def test_a_link_that_leads_nowhere_stops_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with running(tmp_path, analyst=Analyst()) as client:
        links = [client.open([person("Ada"), agent()]).seats[0] for _ in range(2)]
    (tmp_path / "analyses").mkdir(exist_ok=True)
    (tmp_path / "analyses" / f"{'a' * 32}.json").symlink_to(tmp_path / "nowhere")
    path = min((tmp_path / "tables").glob("*/table.json"))
    path.unlink()
    path.symlink_to(tmp_path / "nowhere")
    with running(tmp_path, analyst=Analyst()) as client:
        assert sorted(client.get(f"/api{link}").status for link in links) == [200, 404]
    assert f"{'a' * 32}.json: cannot be read: No such file or directory" in caplog.text
    assert f"{path}: cannot be read: No such file or directory" in caplog.text
    assert path.is_symlink()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"replay": 7}, r"analyses/\w+\.json: replay: expected a text, got 7"),
        ({"state": "done"}, r"analyses/\w+\.json: analysis: expected that of a done one, got None"),
        ({"state": "lost"}, r"analyses/\w+\.json: state: expected one of 'running', 'done', 'failed', got 'lost'"),
    ],
)
def test_an_analysis_that_cannot_be_is_named(
    tmp_path: Path, change: dict[str, Any], message: str, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "analyses").mkdir()
    content = {"digest": "x", "replay": "x", "state": "failed", "error": "", "analysis": None} | change
    (tmp_path / "analyses" / f"{'a' * 32}.json").write_text(json.dumps(content))
    with running(tmp_path, analyst=Analyst()) as client:
        assert client.get("/api/games").status == 200
    assert re.search(message, caplog.text)


def test_a_table_that_fails_in_an_unknown_way_stops_no_other(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(tmp_path) as client:
        links = [client.open([person("Ada"), agent()]).seats[0] for _ in range(2)]
    read, names = storage.Folder.read, []

    def fails_first(folder: storage.Folder, name: str) -> Any:
        names.append(name)
        if len(names) == 1:
            raise ArithmeticError("unknown")
        return read(folder, name)

    monkeypatch.setattr(storage.Folder, "read", fails_first)
    with running(tmp_path) as client:
        assert sorted(client.get(f"/api{link}").status for link in links) == [200, 404]
    assert f"cannot be played on: table {names[0]}" in caplog.text


def test_a_table_is_not_played_on_with_other_components(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with running(tmp_path) as client:
        link = client.open([person(), agent()]).seats[0]
    offer = toy_offers()[GAME.module]
    other = type(offer)(offer.name, GAME, load(30), offer.presentation, offer.agents)
    with running(tmp_path, offers={offer.name: other}) as client:
        assert client.get(f"/api{link}").status == 404
    assert "other components" in caplog.text


def test_a_full_disk_refuses_the_decision_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(tmp_path) as client:
        link = client.open([person("Ada"), person("Grace")]).seats[0]
        before = my_turn(client, link)
        action = before["choice"]["actions"][0]["action"]

        def full(handle: int) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            answer = client.decide(link, 0, action)
            assert answer.status == 503
            assert "could not be stored" in answer.error
            assert str(tmp_path) not in answer.error
            refused = client.post("/api/tables", {"game": GAME.module, "seats": [person(), agent()]})
            assert refused.status == 503
        assert client.snapshot(link)["version"] == 0
        assert (only_table(tmp_path) / "decisions.jsonl").read_bytes() == b""
        assert client.decide(link, 0, action).status == 200
    with running(tmp_path) as client:
        assert client.snapshot(link)["version"] == 1


def test_a_failed_write_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_folder(tmp_path) as folder, running(tmp_path / "other") as client:
        client.open([person(), agent()])
        name = only_table(tmp_path / "other").name
        (tmp_path / "tables" / name).mkdir()
        size = folder.append(name, [Decision(0, "bid 1")], 0)
        path = tmp_path / "tables" / name / "decisions.jsonl"

        def broken(handle: int) -> None:
            raise OSError(5, "Input/output error")

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", broken)
            with pytest.raises(StorageError, match="Input/output error"):
                folder.append(name, [Decision(1, "bid 2")], size)
        assert path.stat().st_size == size


def test_a_second_server_does_not_touch_the_folder(tmp_path: Path) -> None:
    with running(tmp_path), pytest.raises(FolderInUseError), open_folder(tmp_path):
        pass


def test_a_table_that_was_never_opened_is_removed(tmp_path: Path) -> None:
    half = tmp_path / "tables" / ("a" * 32)
    half.mkdir(parents=True)
    (half / "decisions.jsonl").write_bytes(b"")
    stranger = tmp_path / "tables" / "notes"
    stranger.mkdir()
    with open_folder(tmp_path) as folder:
        assert folder.names() == []
    assert not half.exists()
    assert stranger.exists()


def test_no_name_leads_out_of_the_folder(tmp_path: Path) -> None:
    with open_folder(tmp_path) as folder:
        for name in ("..", "../x", "a" * 31, "A" * 32, "", "a" * 32 + "/..", "a" * 31 + "\n"):
            with pytest.raises(ValueError, match="name"):
                folder.read(name)
            with pytest.raises(ValueError, match="name"):
                folder.write_file("analyses", name, {})


def test_old_tables_make_place_for_new_ones(tmp_path: Path) -> None:
    limits = Limits(tables=3, client_tables=1000, client_requests=1000, link_requests=1000)
    with running(tmp_path, limits=limits) as client:
        first = client.open([person(), agent()]).seats[0]
        play(client, first)
        others = [client.open([person(), agent()]).seats[0] for _ in range(2)]
        third = client.open([person(), agent()]).seats[0]
        assert client.get(f"/api{first}").status == 404  # it was finished
        assert [client.get(f"/api{link}").status for link in (*others, third)] == [200] * 3
        refused = client.post("/api/tables", {"game": GAME.module, "seats": [person(), agent()]})
        assert refused.status == 503
        assert "3 tables at which people play" in refused.error
        assert len(list((tmp_path / "tables").iterdir())) == 3
        # Somebody has not come back for more than a week.
        paths = set((tmp_path / "tables").iterdir())
        play(client, others[0], 1)
        my_turn(client, others[0])  # the agent's answer, which is written too, must not come after the ageing
        path = max(paths, key=lambda one: (one / "decisions.jsonl").stat().st_size)
        age(path, 8)
        newest = client.open([person(), agent()]).seats[0]
        assert [client.get(f"/api{link}").status for link in (others[0], others[1], third, newest)] == [404] + [200] * 3


def test_forgotten_tables_are_removed_when_the_server_starts(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        finished = client.open([person(), agent()]).seats[0]
        play(client, finished)
        finished_path = only_table(tmp_path)
        unfinished = client.open([person(), agent()]).seats[0]
        (unfinished_path,) = set((tmp_path / "tables").iterdir()) - {finished_path}

    age(finished_path, 29)
    age(unfinished_path, 89)
    with running(tmp_path) as client:
        assert [client.get(f"/api{link}").status for link in (finished, unfinished)] == [200, 200]
    age(finished_path, 31)
    with running(tmp_path) as client:
        assert [client.get(f"/api{link}").status for link in (finished, unfinished)] == [404, 200]
    age(unfinished_path, 91)
    with running(tmp_path, limits=LIMITS) as client:
        assert client.get(f"/api{unfinished}").status == 404
    assert list((tmp_path / "tables").iterdir()) == []


def test_the_default_folder_is_the_users() -> None:
    assert default_folder().is_absolute()
    assert "dunaia_env" in default_folder().parts


@contextmanager
def process(folder: Path, statics: Path) -> Iterator[tuple[Client, subprocess.Popen[str]]]:
    """The command in a process of its own."""
    code = (
        "import sys; from pathlib import Path; from dunaia_env.table import app, __main__ as table;"
        "files = {p.name: p.read_bytes() for p in Path(sys.argv.pop()).iterdir()};"
        "app.package_files = lambda: files; sys.exit(table.main())"
    )
    words = ["--games", "tests.toy_game", "--agents", "greedy", "random", "--port", "0", "--no-open"]
    words += ["--folder", str(folder), "--limits.client-tables", "100", str(statics)]
    with subprocess.Popen(
        [sys.executable, "-c", code, *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            found = re.match(r"http://127\.0\.0\.1:(\d+)/", line)
            assert found, line
            yield Client(int(found[1])), server
        finally:
            server.kill()


@pytest.mark.slow
def test_a_killed_server_loses_nothing(tmp_path: Path) -> None:
    statics = tmp_path / "static"
    statics.mkdir()
    for name in ("lobby", "table", "analysis"):
        (statics / f"{name}.html").write_text("<!doctype html>", encoding="utf-8")
    folder = tmp_path / "tables"
    with process(folder, statics) as (client, server):
        links = [client.open([person(), agent("greedy"), agent()]).seats[0] for _ in range(5)]
        for _ in range(3):
            for link in links:
                play(client, link, 1)
        before = [shown_at(client, link) for link in links]
        server.send_signal(signal.SIGKILL)
        server.wait(HANGS)
    with process(folder, statics) as (client, server):
        assert [shown_at(client, link) for link in links] == before
        # Killed while agents are thinking: what a person has done is there, whatever the agents had time for.
        shown = before[0]
        answer = client.decide(links[0], shown["version"], shown["choice"]["actions"][0]["action"])
        assert answer.status == 200
        server.send_signal(signal.SIGKILL)
        server.wait(HANGS)
    with process(folder, statics) as (client, server):
        again = my_turn(client, links[0])
        assert again["log"][: len(shown["log"]) + 1] == answer.json["log"][: len(shown["log"]) + 1]
        last = play(client, links[0])
        assert last["over"]
        assert verify(parse(client.get(f"/api{links[0]}/replay").body.decode(), game=GAME)) == last["version"]
        server.send_signal(signal.SIGTERM)
        assert server.wait(HANGS) in (0, -signal.SIGTERM)

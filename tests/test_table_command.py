"""The command that opens a table: its options, its errors, and the browser."""

from __future__ import annotations

import builtins
import socket
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dunaia_env.table import __main__ as command, server
from dunaia_env.table.limits import Limits
from dunaia_env.table.offers import DEFAULT_AGENTS, games_with_pictures, make_offers
from dunaia_env.table.storage import default_folder, open_folder
from tests import toy_game
from tests.clocks import HANGS
from tests.table_server import toy_offers

pytestmark = pytest.mark.once

TOY = toy_game.GAME.module


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the command would have served, instead of serving it."""
    found: list[Any] = []
    monkeypatch.setattr(server, "serve", lambda service, place, ready: found.extend((service, place, ready)))
    return found


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "setswitchinterval", lambda seconds: None)  # this process is not a server
    monkeypatch.setattr(sys, "argv", ["table", *words])
    return command.main()


def test_the_defaults_are_for_oneself(monkeypatch: pytest.MonkeyPatch, served: list[Any]) -> None:
    assert run(monkeypatch, "--games", TOY) == 0
    service, place, _ = served
    assert place == server.Place("127.0.0.1", 8000)
    assert service.folder == default_folder()
    assert service.limits == Limits()
    assert set(service.offers) == {TOY}


def test_options_reach_the_server(monkeypatch: pytest.MonkeyPatch, served: list[Any], tmp_path: Path) -> None:
    words = ["--games", TOY, "--agents", "random", "--folder", str(tmp_path), "--port", "0", "--host", "0.0.0.0"]
    words += ["--allowed-hosts", "play.example.org", "--proxies", "10.0.0.1", "--limits.tables", "7", "--threads", "3"]
    assert run(monkeypatch, *words) == 0
    service, place, _ = served
    assert place == server.Place("0.0.0.0", 0, ("play.example.org",), ("10.0.0.1",))
    assert service.folder == tmp_path
    assert service.limits == Limits(tables=7)
    assert service.threads == 3
    assert service.offers[TOY].agents == ("random",)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--port", "70000"], "port: 70000"),
        (["--port", "-1"], "port: -1"),
        (["--threads", "0"], "threads: expected more than 0, got 0"),
        (["--agent-seconds", "nan"], "agent_seconds"),
        (["--simulations", "-1"], "simulations: expected at least 0, got -1"),
        (["--games", "chess"], "game: expected one of dunaia, "),
        (["--agents", "grandmaster"], "grandmaster"),
        (["--components", "no_such_file"], "no_such_file"),
        (["--allowed-hosts", "https://example.org"], "allowed_hosts"),
        (["--folder", "/dev/null/x"], "/dev/null"),
    ],
)
def test_what_cannot_be_served_is_said_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    if "--games" not in words and "--components" not in words:
        words = ["--games", TOY, *words]
    assert run(monkeypatch, "--no-open", *words) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.startswith("dunaia table: ")
    assert error.count("\n") == 1


@pytest.mark.parametrize("answer", ["an error", "a relative path"])
def test_a_user_without_a_home_has_to_name_a_folder(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, answer: str
) -> None:
    def find(*_: object, **__: object) -> Path:
        if answer == "an error":
            raise RuntimeError("could not determine the home directory")
        return Path("~/.local/share/dunaia_env")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("platformdirs.user_data_path", find)
    assert run(monkeypatch, "--games", TOY, "--no-open") == 2
    refused = "dunaia table: folder: expected a folder for the tables, because you have no home folder\n"
    assert capsys.readouterr().err == refused
    assert not list(tmp_path.iterdir())


def test_limits_are_checked(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run(monkeypatch, "--limits.tables", "0")
    assert "tables: expected a number above 0, got 0" in capsys.readouterr().err


def test_a_port_in_use_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        words = ["--games", TOY, "--no-open", "--folder", str(tmp_path)]
        assert run(monkeypatch, *words, "--port", str(port)) == 2
        assert f"port {port}: " in capsys.readouterr().err
    assert run(monkeypatch, *words, "--host", "256.0.0.1") == 2
    assert "256.0.0.1" in capsys.readouterr().err


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == "uvicorn":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *rest)

    for module in [one for one in sys.modules if one.startswith(("dunaia_env.table.server", "uvicorn"))]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.delattr("dunaia_env.table.server")
    monkeypatch.setattr(builtins, "__import__", without)
    assert run(monkeypatch, "--games", TOY) == 2
    assert "pip install 'dunaia-env[table]'" in capsys.readouterr().err


def test_the_folder_of_another_server_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with open_folder(tmp_path):
        assert run(monkeypatch, "--games", TOY, "--no-open", "--folder", str(tmp_path), "--port", "0") == 2
    assert "another process holds its lock" in capsys.readouterr().err


def test_the_first_page_is_opened_where_there_is_a_screen(
    monkeypatch: pytest.MonkeyPatch, served: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    opened = threading.Event()
    addresses: list[str] = []

    def show(address: str) -> bool:
        addresses.append(address)
        opened.set()
        return True

    monkeypatch.setattr("webbrowser.open", show)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    assert not server.open_browser("http://127.0.0.1:1/")
    monkeypatch.setenv("DISPLAY", ":0")
    run(monkeypatch, "--games", TOY)
    served[2]("http://127.0.0.1:8000/")
    assert opened.wait(HANGS)
    assert addresses == ["http://127.0.0.1:8000/"]
    assert capsys.readouterr().out.startswith("http://127.0.0.1:8000/ ")


# What is offered


def test_agents_are_offered_where_they_can_play() -> None:
    # The trained players play another game.
    offer = make_offers([toy_game.GAME])[TOY]
    assert offer.agents == tuple(name for name in DEFAULT_AGENTS if name in ("ismcts:200", "greedy", "random"))
    assert toy_offers("random", "random")[TOY].agents == ("random",)
    with pytest.raises(ValueError, match="champion"):
        make_offers([toy_game.GAME], agents=("champion",))
    with pytest.raises(ValueError, match="no_such"):
        make_offers([toy_game.GAME], agents=("random", "no_such"))


def test_games_without_pictures_are_not_offered() -> None:
    assert all(game.presentation is not None for game in games_with_pictures())
    with pytest.raises(ValueError, match="has no pictures"):
        make_offers([replace(toy_game.GAME, presentation=None)])
    with pytest.raises(ValueError, match="expected a module with a `Game` called GAME"):
        games_with_pictures(["tests.mixed_games"])

"""Hostile input to the server of the table: each is refused with one clear error, and the server goes on."""

from __future__ import annotations

import asyncio
import http.client
import json
import logging
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.types import Message, Receive, Scope, Send

from dunaia_env.table import guard, limits as rates
from dunaia_env.table.addresses import Hosts
from dunaia_env.table.app import package_files
from dunaia_env.table.errors import RefusedError
from dunaia_env.table.guard import HEADERS, Guard, read_json, refusal_page, without_token
from dunaia_env.table.limits import Limits
from dunaia_env.table.server import Place
from tests.clocks import HANGS, Clock, run_at_once, set_clock, until
from tests.table_agents import SECRET, Analyst
from tests.table_server import LIMITS, Answer, Client, agent, person, running
from tests.test_table_server import GAME, my_turn

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with running(tmp_path_factory.mktemp("tables"), analyst=Analyst()) as client:
        yield client


@pytest.fixture(scope="module")
def link(client: Client) -> str:
    return client.open([person("Ada"), person("Grace"), agent()]).seats[0]


# Links


@pytest.mark.parametrize(
    "token",
    ["", "0", "x" * 43, "x" * 200, "admin", "-1", "null", "..%2f", "%00", "%c3%a9", "a'b", "{token}", "*"],
)
@pytest.mark.parametrize("path", ["/api/t/{}", "/api/t/{}/replay", "/api/t/{}/events", "/api/a/{}"])
def test_forged_tokens_open_nothing(client: Client, token: str, path: str) -> None:
    answer = client.get(path.format(token))
    assert answer.status == 404
    assert "no" in answer.error


def test_a_changed_token_opens_nothing(client: Client, link: str) -> None:
    token = link.removeprefix("/t/")
    for forged in (token[:-1], token + "A", token.swapcase(), token[::-1], token[:20]):
        assert client.get(f"/api/t/{forged}").status == 404
        assert client.post(f"/api/t/{forged}/decide", {"version": 0, "action": "bid 0"}).status == 404


def test_tokens_cannot_be_guessed(client: Client) -> None:
    tokens = {
        link.removeprefix("/t/")
        for _ in range(20)
        for link in client.open([person("Ada"), person("Grace")]).seats.values()
    }
    assert len(tokens) == 40
    assert {len(token) for token in tokens} == {43}  # 256 bits


def test_whoever_tries_links_is_slowed_down(tmp_path: Path) -> None:
    with running(tmp_path, limits=Limits()) as client:
        answers = [client.get(f"/api/t/{number:043}").status for number in range(70)]
        assert answers[:60] == [404] * 60
        assert answers[-1] == 429


# Decisions


def test_nobody_decides_for_another_seat(client: Client) -> None:
    seats = client.open([person("Ada"), person("Grace")]).seats
    shown = my_turn(client, seats[0])
    action = shown["choice"]["actions"][0]["action"]
    assert client.decide(seats[1], 0, action).status == 403
    assert client.decide(seats[0], 0, action).status == 200
    hers = client.snapshot(seats[1])["choice"]["actions"][0]["action"]
    assert client.decide(seats[0], 1, hers).status == 403
    assert client.snapshot(seats[0])["version"] == 1


def test_a_decision_on_an_old_position_is_refused(client: Client) -> None:
    seats = client.open([person("Ada"), person("Grace")]).seats
    action = my_turn(client, seats[0])["choice"]["actions"][0]["action"]
    assert client.decide(seats[0], 0, action).status == 200
    for version in (0, -1, 2, 2**40):
        answer = client.decide(seats[0], version, action)
        assert answer.status == 409
        assert "the game is at 1" in answer.error


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ("", "expected one of the verbs bid"),
        ("bid", "bid takes card 0..29"),
        ("bid 99", "bid takes card 0..29"),
        ("bid 1; bid 2", "bid takes card 0..29"),
        ("bid\u0661", "expected one of the verbs bid"),
        ("bid 1\n", "bid takes card 0..29"),
        ("x" * 200, "expected one of the verbs bid"),
    ],
)
def test_an_action_that_does_not_exist_is_refused(client: Client, link: str, action: str, said: str) -> None:
    answer = client.decide(link, 0, action)
    assert answer.status == 422
    assert said in answer.error
    assert len(answer.error) < 1000


def test_an_illegal_action_is_refused_with_the_reason(client: Client, link: str) -> None:
    legal = {one["action"] for one in client.snapshot(link)["choice"]["actions"]}
    action = next(text for text in (f"bid {card}" for card in range(30)) if text not in legal)
    answer = client.decide(link, 0, action)
    assert answer.status == 422
    assert "is not in the hand" in answer.error


# Messages


MALFORMED = {
    "nothing": b"",
    "no JSON": b"{",
    "not UTF-8": b'{"version": 0, "action": "\xff\xfe"}',
    "a list": b"[]",
    "a text": b'"bid 1"',
    "null": b"null",
    "nested": b"[" * 8000,
    "nested objects": b'{"a":' * 2000 + b"1" + b"}" * 2000,
    "a huge integer": b'{"version": 1' + b"0" * 6000 + b', "action": "bid 1"}',
    "a large integer": b'{"version": 18446744073709551617, "action": "bid 1"}',
    "infinity": b'{"version": Infinity, "action": "bid 1"}',
    "a fraction": b'{"version": 0.0, "action": "bid 1"}',
    "a boolean": b'{"version": false, "action": "bid 1"}',
    "a text for a number": b'{"version": "0", "action": "bid 1"}',
    "a number for a text": b'{"version": 0, "action": 1}',
    "a list for a text": b'{"version": 0, "action": ["bid 1"]}',
    "a missing field": b'{"version": 0}',
    "an unknown field": b'{"version": 0, "action": "bid 1", "seat": 1}',
    "another class": b'{"__class__": "os.system", "version": 0, "action": "bid 1"}',
    "a long action": b'{"version": 0, "action": "' + b"x" * 201 + b'"}',
    "a byte order mark": b'\xef\xbb\xbf{"version": 0, "action": "bid 1"}',
}


@pytest.mark.parametrize("body", MALFORMED.values(), ids=MALFORMED)
def test_malformed_messages_are_refused(client: Client, link: str, body: bytes) -> None:
    version = client.snapshot(link)["version"]
    answer = client.post(f"/api{link}/decide", body)
    assert answer.status == 400
    assert len(answer.error) < 500
    assert client.snapshot(link)["version"] == version


@pytest.mark.parametrize("path", ["/api/tables", "/api/tables/resume", "/api/analyses"])
@pytest.mark.parametrize("body", list(MALFORMED.values()), ids=list(MALFORMED))
def test_malformed_messages_open_nothing(client: Client, path: str, body: bytes) -> None:
    assert client.post(path, body).status == 400


def test_an_oversized_message_is_refused(client: Client, link: str) -> None:
    answer = client.post(f"/api{link}/decide", b" " * 20_000)
    assert answer.status == 413
    assert "16384" in answer.error
    head = f"POST /api{link}/decide HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    # Sent in pieces, without saying how much will come.
    chunk = b"4000\r\n" + b" " * 0x4000 + b"\r\n"
    received = client.raw(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode() + chunk * 3 + b"0\r\n\r\n")
    assert b" 413 " in received.split(b"\r\n")[0]


def test_a_message_without_an_end_is_refused(client: Client, link: str) -> None:
    head = f"POST /api{link}/decide HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    with socket.create_connection(("127.0.0.1", client.port), timeout=HANGS) as connection:
        connection.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        sent = 0
        try:
            while sent < 100_000_000:
                connection.sendall(b"4000\r\n" + b" " * 0x4000 + b"\r\n")
                sent += 0x4000
        except OSError:
            pass
    assert sent < 5_000_000  # the server has closed the connection
    assert client.get("/api/games").status == 200


def test_a_large_replay_is_refused(client: Client) -> None:
    answer = client.post("/api/analyses", {"replay": "x" * 2_000_001})
    assert answer.status == 413
    lines = "[]\n" * 400_000
    assert client.post("/api/analyses", {"replay": lines}).status == 422


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("application/json; charset=utf-8", 200),
        ("application/json", 200),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("multipart/form-data; boundary=x", 415),
        ("application/json; charset=utf-7", 415),
        ("", 415),
    ],
)
def test_only_json_is_read(client: Client, kind: str, status: int) -> None:
    link = client.open([agent(), agent()]).watch
    body = json.dumps({"paused": True, "seconds": 1}).encode()
    assert client.ask("POST", f"/api{link}/pace", body, {"content-type": kind}).status == status


# Paths


PATHS = [
    "/static/../app.py",
    "/static/..%2fapp.py",
    "/static/%2e%2e/app.py",
    "/static/%2e%2e%2fapp.py",
    "/static/..%5capp.py",
    "/static/..\\app.py",
    "/static//etc/passwd",
    "/static/%2fetc%2fpasswd",
    "/static/page.js%00.html",
    "/static/page.js%00",
    "/static/.page.js",
    "/static/PAGE.JS",
    "/static/page.js/",
    "/static/page.js/x",
    "/static/",
    "/static",
    "/static/%70age.js",
    "/static/page.js;x",
    "/static/con",
    "/static/file:page.js",
    "//static/page.js",
    "/./static/page.js",
    "/t",
    "/api",
    "/api/",
    "/api/t/",
    "/tables/",
    "/docs",
    "/openapi.json",
    "/favicon.ico",
    "/%",
    "/" + "a" * 5000,
]


@pytest.mark.parametrize("path", PATHS)
def test_no_path_leads_to_another_file(client: Client, path: str) -> None:
    received = client.raw(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    head, _, body = received.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 404"), head
    assert json.loads(body) == {"error": "there is no such page"}


@pytest.mark.parametrize("number", ["-1", "99", "1e3", "0x1", "1_0", "٣", "1.0", "9" * 50, "..", "a"])
def test_positions_are_numbers_of_the_game(client: Client, link: str, number: str) -> None:
    answer = client.get(f"/api{link}/positions/{quote(number)}")
    assert answer.status in (400, 404)
    assert answer.error


@pytest.mark.parametrize("since", ["x", "1.0", "٣", "9" * 50, "--1", "-"])
def test_since_is_a_number(client: Client, link: str, since: str) -> None:
    assert client.get(f"/api{link}?since={quote(since)}").status == 400


def test_the_files_of_the_pages_are_those_of_the_package(client: Client, link: str) -> None:
    answer = client.get("/static/page.js")
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert client.get("/static/page.js", **{"if-none-match": answer.headers["etag"]}).status == 304
    for path in ("/", link, "/analysis"):
        page = client.get(path)
        assert page.status == 200
        assert page.headers["content-type"] == "text/html; charset=utf-8"
    for name in package_files():
        assert "/" not in name
        assert not name.startswith(".")


BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("/nothing", "There is no such page"),
        ("/tables/", "There is no such page"),
        ("/%c3%a9", "There is no such page"),
        ("/static/nothing.js", "There is no such page"),
        ("/static/refusal.html", "There is no such page"),
        ("/t/" + "x" * 43, "There is no table with this link"),
        ("/a/" + "x" * 43, "There is no analysis with this link"),
    ],
)
def test_whoever_opens_a_wrong_address_gets_a_page(client: Client, path: str, title: str) -> None:
    answer = client.get(path, accept=BROWSER)
    assert answer.status == 404
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert f"<title>{title}</title><body data-status='404'>Check the address" in answer.body.decode()
    head = client.ask("HEAD", path, headers={"accept": BROWSER})
    assert (head.status, head.body, head.headers["content-length"]) == (404, b"", answer.headers["content-length"])
    script = client.get(path)  # a program that asks for no page
    assert script.status == 404
    assert script.error == title[0].lower() + title[1:]


@pytest.mark.parametrize("path", ["/api", "/api/nothing", "/api/t/x", "/api/a/x", "/api/t/x/events"])
def test_the_api_answers_in_json_to_browsers_too(client: Client, path: str) -> None:
    answer = client.get(path, accept=BROWSER)
    assert answer.status == 404
    assert answer.error


def test_other_refusals_of_pages_are_pages_too(client: Client, tmp_path: Path) -> None:
    answer = client.get("/", host="evil.example", accept=BROWSER)
    assert answer.status == 421
    assert "data-status='421'>Host: &#x27;evil.example&#x27; is no name of this server" in answer.body.decode()
    with running(tmp_path, limits=Limits(client_requests=0.2)) as busy:
        assert busy.get("/", accept=BROWSER).status == 200
        answer = busy.get("/", accept=BROWSER)
    assert answer.status == 429
    assert answer.headers["retry-after"]
    assert "Too many requests; try again in" in answer.body.decode()


def test_nothing_of_a_request_becomes_markup() -> None:
    page = "<title>{title}</title>{help}{status}{other}"
    shown = refusal_page(page, RefusedError(421, "host: <script>{title}"))
    assert shown == "<title>This page cannot be shown</title>Host: &lt;script&gt;{title}.421{other}"


# Hosts and origins


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "evil.example:8000",
        "127.0.0.1.evil.example",
        "192.168.1.1",
        "[::2]",
        "localhost:80:80",
        "localhost/",
        "user@localhost",
        "localhost, evil.example",
        "0x7f000001",
    ],
)
def test_the_server_is_not_reached_under_a_foreign_name(client: Client, host: str) -> None:
    answer = client.get("/api/games", host=host)
    assert answer.status == 421
    assert "host" in answer.error


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:123", "127.0.0.1", "[::1]:8000", "localhost."])
def test_the_server_is_reached_under_its_own_names(client: Client, host: str) -> None:
    assert client.get("/api/games", host=host).status == 200


def test_hosts() -> None:
    everywhere = Hosts.of("0.0.0.0", ("Play.Example.org",))
    for host in ("192.168.1.7:8000", "[2001:db8::1]", "play.example.org", "localhost"):
        assert everywhere.allow(host)
    for host in ("example.org", "play.example.org.evil.example", "", "1.2.3", "256.1.1.1"):
        assert not everywhere.allow(host)
    assert Hosts.of("192.168.1.7").allow("192.168.1.7")
    assert not Hosts.of("192.168.1.7").allow("192.168.1.8")
    assert Hosts.of("127.0.0.1").allow("[0:0:0:0:0:0:0:1]:8000")
    assert Hosts.of("Localhost.", ("play.example.org.:8443",)).allow("play.example.org")
    for wrong in (
        "https://example.org",
        "",
        ":8000",
        "play.example.org:0",
        "play.example.org:70000",
        "a b",
        "2001:db8::1",
    ):
        with pytest.raises(
            ValueError,
            match=rf"^allowed_hosts: expected a name such as play\.example\.org, .*, got {re.escape(repr(wrong))}",
        ):
            Hosts.of("127.0.0.1", (wrong,))


PLAY = "play.example.org"


# The connection is closed after a refusal, and closing it while bytes are under way could lose the answer.
@pytest.mark.parametrize(
    ("parts", "is_ended", "before", "after"),
    [
        ([10, 20], True, 3, 0),  # to its end
        ([1 << 14] * 1000, True, 5, 5),  # 64 KiB of it and what comes with them, then as much again
        ([10], False, 1, 0),  # for some seconds
    ],
)
def test_a_refused_message_is_read_before_the_connection_is_closed(
    parts: list[int], is_ended: bool, before: int, after: int
) -> None:
    coming: list[Message] = [{"type": "http.request", "body": bytes(size), "more_body": True} for size in parts]
    if is_ended:
        coming.append({"type": "http.request", "body": b"", "more_body": False})
    events: list[str] = []

    async def receive() -> Message:
        if not coming:
            await asyncio.Event().wait()
        events.append("read")
        return coming.pop(0)

    async def send(message: Message) -> None:
        is_open = message["type"] == "http.response.start" or message.get("more_body", False)
        events.append("answer" if is_open else "end")

    async def never(scope: Scope, receive: Receive, send: Send) -> None:
        raise AssertionError("the request was let through")

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/tables",
        "query_string": b"",
        "scheme": "http",
        "headers": [(b"host", b"localhost"), (b"origin", b"http://evil.example")],
    }
    run_at_once(Guard(never, LIMITS, Hosts.of("127.0.0.1", ()))(scope, receive, send))
    assert events == [*["read"] * before, "answer", "answer", *["read"] * after, "end"]


@pytest.mark.parametrize(
    ("host", "origin", "scheme", "public"),
    [
        # A default port counts as absent, on either side.
        (f"{PLAY}:443", f"https://{PLAY}", "https", ()),
        (PLAY, f"https://{PLAY}:443", "https", ()),
        (f"{PLAY}:80", f"http://{PLAY}", "http", ()),
        (f"{PLAY}:443", f"https://{PLAY}", "http", ()),  # the proxy does not say that it takes encryption off
        (f"{PLAY}:8443", f"https://{PLAY}:8443", "https", ()),
        # Names are compared without their final dot and in lower case, IP addresses as numbers.
        (f"{PLAY}.", f"https://{PLAY}", "https", ()),
        (f"{PLAY}.:443", f"https://{PLAY}", "https", ()),
        (PLAY, f"https://{PLAY}.", "https", ()),
        (PLAY.upper(), f"HTTPS://{PLAY.title()}", "https", ()),
        ("[0:0::1]:8000", "http://[::1]:8000", "http", ()),
        # The proxy drops or changes the port or the name; an option names what people type.
        (PLAY, f"https://{PLAY}:8443", "https", (f"{PLAY}:8443",)),
        (f"{PLAY}:443", f"https://{PLAY}:8443", "https", (f"{PLAY}:8443",)),
        (f"{PLAY}:8080", f"https://{PLAY}", "https", (PLAY,)),
        ("127.0.0.1:8000", f"https://{PLAY}", "https", (PLAY,)),
        ("127.0.0.1:8000", f"https://{PLAY}:8443", "http", ("other.example", f"{PLAY}.:8443")),
        ("127.0.0.1:8000", "https://[2001:db8::1]:8443", "https", ("[2001:db8::1]:8443",)),
    ],
)
def test_an_address_is_the_same_however_it_is_written(
    host: str, origin: str, scheme: str, public: tuple[str, ...]
) -> None:
    Hosts.of("127.0.0.1", public).check_origin(origin, host, scheme)


@pytest.mark.parametrize(
    ("host", "origin", "scheme", "public", "said"),
    [
        (PLAY, f"https://{PLAY}:8443", "https", (PLAY,), f"--allowed-hosts {PLAY}:8443"),
        (f"{PLAY}:8443", f"https://{PLAY}", "https", (), f"--allowed-hosts {PLAY}"),
        (f"{PLAY}:80", f"https://{PLAY}", "http", (), f"here it is '{PLAY}:80'"),
        ("127.0.0.1:8000", f"https://{PLAY}", "http", (), f"--allowed-hosts {PLAY}"),
        ("127.0.0.1:8000", "https://[2001:DB8:0::1]:8443", "http", (), "--allowed-hosts [2001:db8::1]:8443"),
        ("localhost:8000", "http://localhost:8001", "http", (PLAY,), "'http://localhost:8001'"),
        (PLAY, f"http://{PLAY}", "https", (PLAY,), "expected an address with https"),
        (PLAY, f"https://evil.{PLAY}", "https", (PLAY,), "a page of this server"),
        (PLAY, f"https://{PLAY}.evil.example", "https", (PLAY,), "a page of this server"),
        (PLAY, f"https://{PLAY}@evil.example", "https", (PLAY,), "a page of this server"),
        (PLAY, f"https://{PLAY}/", "https", (PLAY,), "a page of this server"),
        (PLAY, f"https://{PLAY}, https://evil.example", "https", (PLAY,), "a page of this server"),
        (PLAY, f"https://{PLAY}:0", "https", (PLAY,), "a page of this server"),
        (PLAY, f"https://{PLAY}:65979", "https", (PLAY,), "a page of this server"),  # 443 + 65536
        (PLAY, f"ftp://{PLAY}", "http", (PLAY,), "a page of this server"),
        (PLAY, f"file://{PLAY}", "http", (PLAY,), "a page of this server"),
        (PLAY, f"//{PLAY}", "http", (PLAY,), "a page of this server"),
        (PLAY, PLAY, "http", (PLAY,), "a page of this server"),
        (PLAY, "null", "http", (PLAY,), "'null'"),
        (PLAY, "https://" + "x" * 5000, "https", (PLAY,), "--allowed-hosts NAME"),
        (PLAY, "https://\u202e\x1b", "https", (PLAY,), r"\u202e\x1b"),
    ],
)
def test_another_address_is_refused_and_told_what_to_set(
    host: str, origin: str, scheme: str, public: tuple[str, ...], said: str
) -> None:
    with pytest.raises(ValueError, match=r"^origin: ") as refused:
        Hosts.of("127.0.0.1", public).check_origin(origin, host, scheme)
    assert said in str(refused.value)
    assert len(str(refused.value)) < 500
    assert str(refused.value).isprintable()


def test_a_host_that_is_refused_is_told_what_to_set(client: Client) -> None:
    assert client.get("/api/games", host=f"{PLAY}:8443").error.endswith(f"start it with --allowed-hosts {PLAY}:8443")
    assert client.get("/api/games", host="<b>").error == "host: expected a name of this server, got '<b>'"


def test_the_scheme_is_the_one_that_a_known_proxy_tells(tmp_path: Path) -> None:
    def status(client: Client, scheme: str) -> int:
        headers = {"host": PLAY, "origin": f"http://{PLAY}", "x-forwarded-proto": scheme}
        return client.ask("POST", "/api/tables", {"game": GAME.module, "seats": [person(), agent()]}, headers).status

    with running(tmp_path, place=Place(port=0, allowed_hosts=(PLAY,), proxies=("127.0.0.1",))) as client:
        assert status(client, "http") == 201
        assert status(client, "https") == 403
    with running(tmp_path, place=Place(port=0, allowed_hosts=(PLAY,))) as client:
        assert status(client, "https") == 201


def test_a_request_without_a_host_is_refused(client: Client) -> None:
    for head in ("GET /api/games HTTP/1.0\r\n\r\n", "GET /api/games HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n"):
        assert client.raw(head.encode()).split(b"\r\n")[0].split()[1] in (b"421", b"400")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://localhost"}, 201),
        ({"origin": "https://localhost"}, 201),  # a proxy has taken the encryption off
        ({"sec-fetch-site": "same-origin"}, 201),
        ({}, 201),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://localhost.evil.example"}, 403),
        ({"origin": "http://localhost:81"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": ""}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site", "origin": "http://localhost"}, 403),
    ],
)
def test_only_the_servers_own_pages_send_messages(client: Client, headers: dict[str, str], status: int) -> None:
    body = {"game": GAME.module, "seats": [person(), agent()]}
    answer = client.ask("POST", "/api/tables", body, {"host": "localhost", **headers})
    assert answer.status == status
    if status != 201:
        assert "origin" in answer.error


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW"])
def test_other_methods_are_refused(client: Client, link: str, method: str) -> None:
    answer = client.ask(method, f"/api{link}")
    assert answer.status == 405
    assert "method" in answer.error


def test_messages_go_only_where_they_are_read(client: Client, link: str) -> None:
    assert client.post(f"/api{link}", {}).status == 405
    assert client.get(f"/api{link}/decide").status == 405
    assert client.get("/api/tables").status == 405
    assert client.post("/", {}).status == 405


def every_kind(client: Client, link: str) -> list[Answer]:
    return [
        client.get("/"),
        client.get("/static/page.js"),
        client.get("/api/games"),
        client.get(f"/api{link}"),
        client.get(f"/api{link}/replay"),
        client.get("/nothing"),
        client.get("/api/games", host="evil.example"),
        client.post(f"/api{link}/decide", b"{"),
        client.ask("HEAD", "/"),
    ]


def test_every_answer_has_the_headers_that_make_it_safe(client: Client, link: str) -> None:
    for answer in every_kind(client, link):
        for name, value in HEADERS.items():
            assert answer.headers[name] == value
        assert "server" not in answer.headers
        assert "set-cookie" not in answer.headers
        assert not any(name.startswith("access-control-") for name in answer.headers)
        assert answer.headers["cache-control"] in ("no-store", "no-cache")
    policy = HEADERS["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert client.get(f"/api{link}").headers["cache-control"] == "no-store"
    assert HEADERS["referrer-policy"] == "no-referrer"


# Rates and numbers


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock by which rates are limited."""
    return set_clock(monkeypatch, rates)


def test_too_many_requests_of_a_client_are_refused(tmp_path: Path, clock: Clock) -> None:
    limits = Limits(client_requests=2, client_tables=1000)
    with running(tmp_path, limits=limits) as client:
        answers = [client.get("/api/games") for _ in range(11)]
        assert [one.status for one in answers] == [200] * 10 + [429]
        assert "too many" in answers[-1].error
        assert answers[-1].headers["retry-after"] == "1"
        clock.now += 0.4
        assert client.get("/api/games").status == 429
        clock.now += 0.2
        assert client.get("/api/games").status == 200


def test_too_many_requests_with_a_link_are_refused(tmp_path: Path, clock: Clock) -> None:
    with running(tmp_path, limits=Limits(link_requests=1, client_requests=1000)) as client:
        seats = client.open([person("Ada"), person("Grace")]).seats
        assert [client.get(f"/api{seats[0]}").status for _ in range(6)] == [200] * 5 + [429]
        assert client.get(f"/api{seats[1]}").status == 200


def test_too_many_tables_of_a_client_are_refused(tmp_path: Path, clock: Clock) -> None:
    with running(tmp_path, limits=Limits(client_tables=0.02)) as client:
        body = {"game": GAME.module, "seats": [person(), agent()]}
        assert [client.post("/api/tables", body).status for _ in range(3)] == [201, 201, 429]


def test_clients_behind_a_proxy_are_told_apart_only_if_the_proxy_is_known(tmp_path: Path, clock: Clock) -> None:
    def statuses(client: Client) -> list[int]:
        return [client.get("/api/games", **{"x-forwarded-for": f"10.0.0.{number % 2}"}).status for number in range(8)]

    limits = Limits(client_requests=1)
    with running(tmp_path, limits=limits, place=Place(port=0, proxies=("127.0.0.1",))) as client:
        assert statuses(client) == [200] * 8
    with running(tmp_path, limits=limits) as client:
        assert statuses(client) == [200] * 5 + [429] * 3


def test_open_pages_are_limited_by_link_and_by_client(tmp_path: Path) -> None:
    limits = Limits(link_connections=2, client_connections=3, client_tables=1000)
    with running(tmp_path, limits=limits) as client:
        seats = client.open([person("Ada"), person("Grace")]).seats
        with client.events(seats[0]) as one, client.events(seats[0]) as two:
            assert next(one) == next(two) == 0
            refused = client.get(f"/api{seats[0]}/events")
            assert refused.status == 429
            assert "at most 2" in refused.error
            with client.events(seats[1]) as three:
                assert next(three) == 0
                assert "at most 3" in client.get("/api/games").error
        assert until(lambda: client.get("/api/games").status == 200)
        with client.events(seats[0]) as again:
            assert next(again) == 0


def send_slowly(connection: socket.socket, letters: int) -> None:
    for _ in range(letters):
        connection.sendall(b"x")
        time.sleep(0.05)


def test_a_client_that_sends_nothing_is_cut_off(tmp_path: Path) -> None:
    with running(tmp_path, limits=Limits(message_seconds=0.4)) as client:
        assert client.raw(b"") == b""
        assert client.raw(b"GET /api/games HTTP/1.1\r\nHost: local") == b""
        # A letter now and then does not help.
        with socket.create_connection(("127.0.0.1", client.port), timeout=HANGS) as connection:
            connection.sendall(b"GET /api/games HTTP/1.1\r\nHost: ")
            with pytest.raises(ConnectionError):
                send_slowly(connection, 1000)


@pytest.mark.long
def test_a_slow_message_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_soon(request: Any, most: int, seconds: float) -> Any:
        return read_json(request, most, seconds / 1000)

    # Much time for the head of the request, little for its message.
    monkeypatch.setattr(guard, "read_json", read_soon)
    with running(tmp_path, limits=Limits(message_seconds=400.0, client_tables=1000)) as client:
        head = "POST /api/tables HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100"
        received = client.raw(f"{head}\r\n\r\n{{".encode())
        assert b" 408 " in received.split(b"\r\n")[0]
        assert b"within 0.4 s" in received


def test_a_refusal_does_not_overtake_the_message(client: Client) -> None:
    body = b'{"paused": true}'
    head = (
        f"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\nContent-Length: {len(body)}"
    )
    with socket.create_connection(("127.0.0.1", client.port)) as connection:
        connection.sendall(f"{head}\r\n\r\n".encode())
        connection.settimeout(0.1)
        with pytest.raises(TimeoutError):
            connection.recv(1)  # a proxy that is answered here may drop the answer
        connection.settimeout(HANGS)
        connection.sendall(body)
        assert b" 403 " in connection.makefile("rb").readline()


def test_a_connection_that_is_kept_open_serves_several_requests(client: Client) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=HANGS)
    for _ in range(3):
        connection.request("GET", "/api/games")
        assert connection.getresponse().read()
        time.sleep(0.05)
    connection.close()


@pytest.mark.parametrize(
    "content",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\x00" * 1000,
        b"GET /\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: " + b"y" * 100_000,
        b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
    ],
)
def test_what_is_not_http_is_refused(client: Client, content: bytes) -> None:
    received = client.raw(content)
    assert received.split(b"\r\n")[0].split()[1:2] in ([b"400"], [b"415"], [b"421"])
    assert client.get("/api/games").status == 200


# What leaks


def test_nothing_of_the_inside_leaks(tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: Any) -> None:
    class Broken(Analyst):
        def advise(self, view: Any) -> dict[str, Any]:
            raise RuntimeError(SECRET)

    caplog.set_level(logging.DEBUG)
    with running(tmp_path, analyst=Broken(), limits=LIMITS) as client:
        link = client.open([person(), agent()], coach=True).seats[0]
        my_turn(client, link)
        answer = client.post(f"/api{link}/coach")
        assert answer.status == 500
        assert answer.error == "the server has failed at this request"
        assert SECRET in caplog.text
        client.get(f"/api{link}x")
    output = capfd.readouterr()
    for text in (caplog.text, output.out, output.err):
        assert link.removeprefix("/t/") not in text


def test_paths_in_logs_have_no_tokens() -> None:
    assert without_token("/api/t/abc/decide") == "/api/t/.../decide"
    assert without_token("/t/abc") == "/t/..."
    assert without_token("/api/a/abc/positions/3") == "/api/a/.../positions/3"
    assert without_token("/api/games") == "/api/games"
    assert "\n" not in without_token("/api/x\nfaked line")

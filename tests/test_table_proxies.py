"""The table behind a real nginx and a real Caddy, with the documented configurations and with common other ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from dunaia_env.table.server import Place
from tests.browser_table import launched
from tests.proxies import LOOPBACK, NAME, PROXIES, Browser, nginx
from tests.table_server import agent, links, person, running
from tests.test_table_server import GAME

pytestmark = [pytest.mark.slow, pytest.mark.once]

BODY = {"game": GAME.module, "seats": [person(), agent()]}
EVERY = pytest.mark.parametrize("proxy", PROXIES)
HOST = "proxy_set_header Host $http_host;"  # as the page says


def place(*public: str) -> Place:
    return Place(port=0, allowed_hosts=public or (NAME,), proxies=(LOOPBACK,))


@EVERY
def test_a_table_is_played_through_a_proxy(proxy: str, tmp_path: Path) -> None:
    with running(tmp_path / "tables", place=place()) as server, PROXIES[proxy](tmp_path, server.port) as port:
        client = Browser(port, f"{NAME}:{port}")
        assert client.get("/").status == 200
        answer = client.post("/api/tables", BODY)
        assert answer.status == 201, answer
        seat = links(answer).seats[0]
        told = client.get(f"/api{seat}/events")  # would wait if the proxy kept events back
        assert told.status == 200
        assert told.body
        action = client.snapshot(seat)["choice"]["actions"][0]["action"]
        assert client.decide(seat, 0, action).status == 200
        assert client.get("/nothing", accept="text/html").headers["content-type"].startswith("text/html")


@pytest.mark.parametrize(
    ("proxy", "address"),
    [(proxy, address) for proxy in PROXIES for address in (NAME, f"{NAME}:443", NAME.upper())]
    + [("nginx", f"{NAME}.")],  # Caddy has no site whose name ends with a dot
)
def test_a_default_port_and_a_final_dot_count_as_absent(proxy: str, address: str, tmp_path: Path) -> None:
    with running(tmp_path / "tables", place=place()) as server, PROXIES[proxy](tmp_path, server.port) as port:
        client = Browser(port, address)
        for origin in (NAME, f"{NAME}:443"):
            answer = client.ask("POST", "/api/tables", BODY, {"origin": f"https://{origin}"})
            assert answer.status == 201, answer
        for origin in (f"https://{NAME}:8443", f"http://{NAME}", "https://evil.example", "null"):
            answer = client.ask("POST", "/api/tables", BODY, {"origin": origin})
            assert answer.status == 403, origin
            assert answer.error.startswith("origin: ")


@pytest.mark.parametrize(
    "sent",
    [
        "proxy_set_header Host $host;",  # drops the port
        "proxy_set_header Host $host:443;",  # the port inside, behind a mapping of ports
        "",  # nginx then names the server instead
        "proxy_set_header Host $proxy_host;",
    ],
)
def test_an_option_names_what_a_proxy_changes(sent: str, tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    with running(folder, place=place()) as server, nginx(tmp_path, server.port, (HOST, sent)) as port:
        client = Browser(port, f"{NAME}:{port}")
        assert client.get("/").status == 200
        answer = client.post("/api/tables", BODY)
        assert answer.status == 403
        assert answer.error.endswith(f"start it with --allowed-hosts {NAME}:{port}")
    # The next proxy has another port, which the option has to name beforehand: people's port need not be the proxy's.
    public = f"{NAME}:8443"
    with running(folder, place=place(public)) as server, nginx(tmp_path, server.port, (HOST, sent)) as port:
        assert Browser(port, public).post("/api/tables", BODY).status == 201
        assert Browser(port, f"{NAME}:8444").post("/api/tables", BODY).status == 403


@EVERY
def test_a_real_browser_sends_messages_through_a_proxy(proxy: str, tmp_path: Path) -> None:
    with running(tmp_path / "tables", place=place()) as server, PROXIES[proxy](tmp_path, server.port) as port:
        flags = (f"--host-resolver-rules=MAP {NAME} {LOOPBACK}", "--ignore-certificate-errors", "--no-proxy-server")
        with launched(*flags) as browser:
            page = browser.new_page(ignore_https_errors=True)
            page.goto(f"https://{NAME}:{port}/")
            status = page.evaluate(
                """async (body) => {
                    const headers = { "Content-Type": "application/json" };
                    const sent = { method: "POST", headers, body: JSON.stringify(body) };
                    return (await fetch("/api/tables", sent)).status;
                }""",
                BODY,
            )
            assert status == 201


@EVERY
def test_eight_pages_of_one_browser_hear_of_a_decision_through_a_proxy(proxy: str, tmp_path: Path) -> None:
    with (
        running(tmp_path / "tables", place=place(), files=None) as server,
        PROXIES[proxy](tmp_path, server.port) as port,
    ):
        client = Browser(port, f"{NAME}:{port}")
        opened = links(client.post("/api/tables", {"game": GAME.module, "seats": [person(), person("Ben")]}))
        flags = (f"--host-resolver-rules=MAP {NAME} {LOOPBACK}", "--ignore-certificate-errors", "--no-proxy-server")
        with launched(*flags) as browser:
            context = browser.new_context(ignore_https_errors=True)
            pages = [context.new_page() for _ in range(8)]
            for number, page in enumerate(pages):
                page.goto(f"https://{NAME}:{port}{opened.seats[number % 2]}")
                page.locator(".player").first.wait_for()
            action = client.snapshot(opened.seats[0])["choice"]["actions"][0]["action"]
            assert client.decide(opened.seats[0], 0, action).status == 200
            for page in pages:
                page.locator(".log-line").wait_for()

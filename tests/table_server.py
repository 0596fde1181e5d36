"""A server of the table in a thread, and a small client, for tests."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from dunaia_env.table.limits import Limits
from dunaia_env.table.offers import Offer, make_offers
from dunaia_env.table.server import Place, Service, serve
from tests.clocks import HANGS
from tests.toy_game import GAME

LIMITS = Limits(
    client_requests=1000,
    link_requests=1000,
    client_misses=1000,
    client_tables=1000,
    client_analyses=1000,
    message_seconds=HANGS,
    answer_seconds=HANGS,
)
FILES = {f"{name}.html": f"<!doctype html><title>{name}</title>".encode() for name in ("lobby", "table", "analysis")}
FILES["page.js"] = b"export const one = 1;\n"
FILES["refusal.html"] = b"<!doctype html><title>{title}</title><body data-status='{status}'>{help}</body>"


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        """The one sentence of a refusal, which holds nothing else."""
        assert self.headers["content-type"].startswith("application/json"), self
        assert set(self.json) == {"error"}, self
        assert "\n" not in self.json["error"]
        assert "Traceback" not in self.json["error"]
        return str(self.json["error"])


class Client:
    """Asks a server like a page would; each request has a connection of its own."""

    def __init__(self, port: int) -> None:
        self.port = port

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANGS)
        sent = {} if body is None else {"content-type": "application/json"}
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        try:
            connection.request(method, path, content, {**sent, **(headers or {})})
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            is_endless = found.get("content-type", "").startswith("text/event-stream")
            return Answer(answer.status, found, b"" if is_endless else answer.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, headers=headers)

    def post(self, path: str, body: Any = None) -> Answer:
        return self.ask("POST", path, {} if body is None else body)

    def open(self, seats: Sequence[Any], *, game: str = GAME.module, **more: Any) -> Links:
        answer = self.post("/api/tables", {"game": game, "seats": list(seats), **more})
        assert answer.status == 201, answer
        return links(answer)

    def snapshot(self, link: str, query: str = "") -> Any:
        answer = self.get(f"/api{link}{query}")
        assert answer.status == 200, answer
        return answer.json

    def decide(self, link: str, version: int, action: str) -> Answer:
        return self.post(f"/api{link}/decide", {"version": version, "action": action})

    def raw(self, content: bytes) -> bytes:
        """All that the server answers to some bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=HANGS) as connection:
            connection.sendall(content)
            received = b""
            try:
                while piece := connection.recv(65536):
                    received += piece
                    if b"\r\n\r\n" in received and b"connection: close" not in received.lower():
                        break
            except ConnectionResetError:
                pass
            return received

    @contextmanager
    def stream(self, path: str) -> Iterator[Iterator[dict[str, Any]]]:
        """The events of a stream, as they come."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANGS)
        connection.request("GET", path)
        answer = connection.getresponse()
        assert answer.status == 200

        def events() -> Iterator[dict[str, Any]]:
            while line := answer.readline():
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])

        try:
            yield events()
        finally:
            answer.close()
            connection.close()

    @contextmanager
    def events(self, link: str) -> Iterator[Iterator[int]]:
        """The versions that the server tells a link, as they come."""
        with self.stream(f"/api{link}/events") as told:
            yield (event["version"] for event in told)


class Links(NamedTuple):
    seats: dict[int, str]
    watch: str | None


def links(answer: Answer) -> Links:
    return Links({one["seat"]: one["link"] for one in answer.json["seats"]}, answer.json["watch"])


def person(name: str = "Ada") -> dict[str, str]:
    return {"kind": "person", "name": name}


def agent(name: str = "random") -> dict[str, str]:
    return {"kind": "agent", "agent": name}


def toy_offers(*agents: str) -> dict[str, Offer]:
    return make_offers([GAME], agents=agents or ("random", "greedy"))


@contextmanager
def running(folder: Path, *, place: Place | None = None, **changes: Any) -> Iterator[Client]:
    """A server in a thread, on a free port."""
    ready = threading.Event()
    found: dict[str, Any] = {}
    service = Service(folder, **{"offers": toy_offers(), "limits": LIMITS, "files": FILES, **changes})

    def is_ready(address: str) -> None:
        found["port"] = int(address.rstrip("/").rpartition(":")[2])
        ready.set()

    def work() -> None:
        try:
            serve(service, place or Place(port=0), ready=is_ready, started=lambda stop: found.update(stop=stop))
        except BaseException as error:
            found["error"] = error
        finally:
            ready.set()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        assert ready.wait(HANGS)
        if "error" in found:
            raise found["error"]
        yield Client(found["port"])
    finally:
        if "stop" in found:
            found["stop"]()
        thread.join(HANGS)
        assert not thread.is_alive()

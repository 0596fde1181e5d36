"""The server as one process: it listens, tells its address, and ends without losing anything."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
import webbrowser
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from dunaia_env.support import system
from dunaia_env.table import addresses, analyses, storage, thinking
from dunaia_env.table.app import make_app
from dunaia_env.table.limits import Limits
from dunaia_env.table.offers import Offer
from dunaia_env.table.room import Room

MOST_BYTES_OF_A_HEAD = 16_384
_KEEP_ALIVE_SECONDS = 30
_SHUTDOWN_SECONDS = 5


@dataclass(frozen=True)
class Place:
    """Where a server listens, and who may reach it.

    Attributes:
        host: the address or name.
        port: 0 for a free one.
        allowed_hosts: further names under which it is reached, each with the port in the browser if a proxy changes it.
        proxies: addresses of proxies whose headers are trusted to name the client's address and the scheme.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    allowed_hosts: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()


@dataclass(frozen=True)
class Service:
    """What a server offers.

    Attributes:
        folder: folder in which tables are kept.
        offers: the games by name.
        limits: limits on sizes, numbers and rates.
        analyst: judges games.
        threads: number of threads in which agents think; None for the number of cores.
        most_seconds: seconds after which the server stops waiting for an agent's answer.
        files: files of the pages, by name; None for the package's own.
    """

    folder: Path
    offers: Mapping[str, Offer]
    limits: Limits = field(default_factory=Limits)
    analyst: analyses.Analyst = field(default_factory=analyses.ChampionAnalyst)
    threads: int | None = None
    most_seconds: float = 120.0
    files: Mapping[str, bytes] | None = None


class _Server(uvicorn.Server):
    """A server that closes open pages when it ends, because otherwise it would wait for them."""

    def __init__(self, config: uvicorn.Config, room: Room, ready: Callable[[str, int], None]) -> None:
        super().__init__(config)
        self._room, self._ready = room, ready
        self._own_loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: Any = None) -> None:
        self._own_loop = asyncio.get_running_loop()
        await super().startup(sockets)
        if self.started and self.servers:
            address = self.servers[0].sockets[0].getsockname()
            self._ready(address[0], address[1])

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self.stop()

    def stop(self) -> None:
        """End soon; may be called in any thread."""
        self.should_exit = True
        if self._own_loop is not None:
            self._own_loop.call_soon_threadsafe(self._room.closing.set)


def _protocol(seconds: float) -> type[H11Protocol]:
    """A protocol for connections whose clients have to send the head of a request within some seconds."""

    class Protocol(H11Protocol):
        _late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._expect()

        def connection_lost(self, exc: Exception | None) -> None:
            self._cancel()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._expect()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._expect()

        def _expect(self) -> None:
            """Run the timer exactly while the head of a request is due."""
            if self.conn.their_state is not h11.IDLE:
                self._cancel()
            elif self._late is None and not self.transport.is_closing():
                # A connection that is kept alive may be silent for longer; uvicorn limits that.
                due = seconds if self.cycle is None or self.conn.trailing_data[0] else _KEEP_ALIVE_SECONDS + seconds
                # Aborted rather than closed: the answer to a client that does not read would stay in memory.
                self._late = self.loop.call_later(due, self.transport.abort)

        def _cancel(self) -> None:
            if self._late is not None:
                self._late.cancel()
                self._late = None

    return Protocol


def serve(
    service: Service,
    place: Place,
    *,
    ready: Callable[[str], None] = print,
    started: Callable[[Callable[[], None]], None] | None = None,
) -> None:
    """Serve until the process is told to end.

    Args:
        service: what is offered.
        place: where the server listens.
        ready: called with the address of the first page as soon as it can be opened.
        started: called before that with a function that ends the server, which any thread may call.

    Raises `dunaia_env.support.locking.FolderInUseError` if another server holds the folder, and `OSError` if the folder
    or the port cannot be used.
    """
    hosts = addresses.Hosts.of(place.host, place.allowed_hosts)
    with storage.open_folder(service.folder) as folder:
        asyncio.run(_serve(service, place, hosts, folder, ready, started))


async def _serve(
    service: Service,
    place: Place,
    hosts: addresses.Hosts,
    folder: Any,
    ready: Callable[[str], None],
    started: Callable[[Callable[[], None]], None] | None,
) -> None:
    listening = _listen(place)
    thinkers = thinking.Thinkers(service.threads, service.most_seconds)
    room = Room(folder, service.offers, service.limits, thinkers)
    app = make_app(folder, room, service.analyst, hosts, files=service.files)
    config = uvicorn.Config(
        app,
        http=_protocol(service.limits.message_seconds),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,  # addresses hold tokens
        server_header=False,
        proxy_headers=bool(place.proxies),
        forwarded_allow_ips=list(place.proxies),
        limit_concurrency=service.limits.connections,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        h11_max_incomplete_event_size=MOST_BYTES_OF_A_HEAD,
    )
    # Its warnings repeat what clients send.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)

    def at(host: str, port: int) -> None:
        shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
        ready(f"http://{shown}:{port}/")

    server = _Server(config, room, at)
    if started is not None:
        started(server.stop)
    await server.serve([listening])


def _listen(place: Place) -> socket.socket:
    """The socket that accepts connections; raises `OSError` naming the address and the reason."""
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    try:
        return socket.create_server((place.host, place.port), family=family)
    except OSError as error:
        text = f"{place.host}, port {place.port}: {error.strerror or error}; --port 0 takes a free port"
        raise OSError(text) from error


def open_browser(address: str) -> bool:
    """Open a page in the user's browser; returns whether there is a screen to show it on."""
    # Without a screen, Python would start a browser in the terminal in which the server runs.
    if not system.has_screen():
        return False
    # It may take a moment, during which the server has to answer.
    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    return True

"""Server-sent events: a page is told of every change at its table that its link shows."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from dunaia_env.table import limits, tables

HEARTBEAT_SECONDS = 15.0
_SEND_SECONDS = 30.0
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # asks nginx to pass on every event at once
]


class Known(NamedTuple):
    """The parts of a table that can change, as a link shows them.

    Attributes:
        version: the seat's number of the present position.
        connected, problem, pace: as in `Moment`.
    """

    version: int
    connected: list[bool]
    problem: str | None
    pace: dict[str, Any] | None


def known_of(role: tables.Role, moment: tables.Moment) -> Known:
    """What a link shows of a table at a moment; meant to be called in threads."""
    version = role.table.showing.number_for(moment.version, role.seat)
    return Known(version, moment.connected, moment.problem, moment.pace)


class EventStream(Response):
    """An answer that continues until the page is closed or the server ends.

    A change at the table that the link does not show sends nothing and does not delay the next heartbeat: either would
    reveal that somebody was asked something.

    Args:
        role: the role of the page's link; the events are about its table.
        pages: counts the pages of each link.
        closing: set when the server ends.
        known: function that tells what the link shows now.
    """

    def __init__(
        self, role: tables.Role, pages: limits.AtOnce, closing: asyncio.Event, known: Callable[[], Awaitable[Known]]
    ) -> None:
        super().__init__()
        self._role, self._pages, self._closing, self._known = role, pages, closing, known

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events; raises `RefusedError` if too many pages of the link are open."""
        table = self._role.table
        with self._pages.one(self._role.digest), table.listening(self._role.seat) as changed:
            await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
            gone = asyncio.ensure_future(_gone(receive))
            closing = asyncio.ensure_future(self._closing.wait())
            news = asyncio.ensure_future(changed.wait())
            changed.set()  # the page may have missed something since it was loaded
            text, told = b"retry: 1000\n\n", None
            loop = asyncio.get_running_loop()
            try:
                while text:
                    async with asyncio.timeout(_SEND_SECONDS):
                        await send({"type": "http.response.body", "body": text, "more_body": True})
                    due, text = loop.time() + HEARTBEAT_SECONDS, b""
                    while not text:
                        if news.done():
                            news = asyncio.ensure_future(changed.wait())
                        left = max(0.0, due - loop.time())
                        await asyncio.wait({news, gone, closing}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
                        if gone.done() or closing.done():
                            break
                        if not news.done():
                            text = b": here\n\n"
                            continue
                        changed.clear()
                        known = await self._known()
                        if known != told:
                            told = known
                            text = f"data: {json.dumps({'version': known.version})}\n\n".encode()
                await send({"type": "http.response.body", "body": b"", "more_body": False})
            except TimeoutError:
                pass  # the page does not read; it will connect again
            finally:
                for task in (gone, closing, news):
                    task.cancel()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass

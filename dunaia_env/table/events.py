"""Server-sent events: a page hears of every change at its table."""

from __future__ import annotations

import asyncio
import json

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from dunaia_env.table.limits import AtOnce
from dunaia_env.table.tables import Role

HEARTBEAT_SECONDS = 15.0
_SEND_SECONDS = 30.0
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # asks nginx to pass on every event at once
]


class EventStream(Response):
    """An answer that goes on until the page is closed or the server ends.

    Args:
        role: whose table it tells about.
        pages: counts the pages of each link.
        closing: set when the server ends.
    """

    def __init__(self, role: Role, pages: AtOnce, closing: asyncio.Event) -> None:
        super().__init__()
        self._role, self._pages, self._closing = role, pages, closing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events; raises `RefusedError` if too many pages of the link are open."""
        table = self._role.table
        with self._pages.one(self._role.digest), table.listening(self._role.seat) as changed:
            await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
            gone = asyncio.ensure_future(_gone(receive))
            closing = asyncio.ensure_future(self._closing.wait())
            news = asyncio.ensure_future(changed.wait())
            changed.set()  # the page may have missed something since it was loaded
            text = b"retry: 1000\n\n"
            try:
                while True:
                    async with asyncio.timeout(_SEND_SECONDS):
                        await send({"type": "http.response.body", "body": text, "more_body": True})
                    if news.done():
                        news = asyncio.ensure_future(changed.wait())
                    waited = {news, gone, closing}
                    await asyncio.wait(waited, timeout=HEARTBEAT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                    if gone.done() or closing.done():
                        break
                    text = b": here\n\n"
                    if news.done():
                        changed.clear()
                        text = f"data: {json.dumps({'version': table.version})}\n\n".encode()
                await send({"type": "http.response.body", "body": b"", "more_body": False})
            except TimeoutError:
                pass  # the page does not read; it will connect again
            finally:
                for task in (gone, closing, news):
                    task.cancel()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass

"""Server-sent events: pages are told of every change at their tables that their links show."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, NamedTuple

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from dunaia_env.table import errors, limits, people, tables

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
        connected, problem, pace, undone, agents, request: as in `Moment`.
        seats: the seats at which others may seat an agent.
        rematch: whether there is a rematch.
    """

    version: int
    connected: tuple[bool, ...]
    problem: errors.Sentence | None
    pace: dict[str, Any] | None
    undone: int = 0
    agents: tuple[str | None, ...] = ()
    request: tables.UndoRequest | None = None
    seats: people.Seats | None = None
    rematch: bool = False


def known_of(role: tables.Role, moment: tables.Moment, *, rematch: bool) -> Known:
    """What a link shows of a table at a moment; meant to be called in threads."""
    return Known(
        version=moment.showing.number_for(moment.version, role.seat),
        connected=moment.connected,
        problem=moment.problem,
        pace=moment.pace,
        undone=moment.undone,
        agents=moment.agents,
        request=moment.request,
        seats=people.open_seats(role, moment),
        rematch=rematch,
    )


@dataclass
class Listener:
    """A link whose table an event stream tells of.

    Attributes:
        role: the role of the link.
        known: function that tells what the link shows now.
        link: the link's token in the events; None in a stream of one link, whose page knows it.
        told: what the link showed when its last event was sent.
    """

    role: tables.Role
    known: Callable[[], Awaitable[Known]]
    link: str | None = None
    told: Known | None = None

    async def event(self) -> bytes:
        """The event about what the link shows now; empty if that is what was told already."""
        known = await self.known()
        if known == self.told:
            return b""
        self.told = known
        content = {"version": known.version} if self.link is None else {"link": self.link, "version": known.version}
        return f"data: {json.dumps(content)}\n\n".encode()


class EventStream(Response):
    """An answer that continues until the pages are closed or the server ends.

    A change at a table that the link does not show sends nothing and does not delay the next heartbeat: either would
    reveal that somebody was asked something.

    Args:
        listeners: the links whose tables the events are about.
        pages: counts the pages of each link.
        closing: set when the server ends.
    """

    def __init__(self, listeners: Sequence[Listener], pages: limits.AtOnce, closing: asyncio.Event) -> None:
        super().__init__()
        self._listeners, self._pages, self._closing = listeners, pages, closing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events; raises `RefusedError` if too many pages of a link are open."""
        with ExitStack() as stack:
            changes = {}
            for listener in self._listeners:
                stack.enter_context(self._pages.one(listener.role.digest))
                changed = stack.enter_context(listener.role.table.listening(listener.role.seat))
                changed.set()  # the page may have missed something since it was loaded
                changes[changed] = listener
            await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
            gone = asyncio.ensure_future(_gone(receive))
            closing = asyncio.ensure_future(self._closing.wait())
            news = {changed: asyncio.ensure_future(changed.wait()) for changed in changes}
            text = b"retry: 1000\n\n"
            loop = asyncio.get_running_loop()
            try:
                while text:
                    async with asyncio.timeout(_SEND_SECONDS):
                        await send({"type": "http.response.body", "body": text, "more_body": True})
                    due, text = loop.time() + HEARTBEAT_SECONDS, b""
                    while not text:
                        left = max(0.0, due - loop.time())
                        waited = {gone, closing, *news.values()}
                        done, _ = await asyncio.wait(waited, timeout=left, return_when=asyncio.FIRST_COMPLETED)
                        if gone.done() or closing.done():
                            break
                        if not done:
                            text = b": here\n\n"
                            continue
                        for changed in [changed for changed, task in news.items() if task.done()]:
                            changed.clear()
                            news[changed] = asyncio.ensure_future(changed.wait())
                            text += await changes[changed].event()
                await send({"type": "http.response.body", "body": b"", "more_body": False})
            except TimeoutError:
                pass  # nobody reads; the pages will connect again
            finally:
                for task in (gone, closing, *news.values()):
                    task.cancel()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass

"""What guards every request: checks of host, origin, path, content type and rates, and headers that make pages safe."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dunaia_env.support.typed_json import FieldError, parse
from dunaia_env.table.errors import (
    FAULT,
    FORBIDDEN,
    MALFORMED,
    TOO_LARGE,
    TOO_SLOW,
    WRONG_HOST,
    WRONG_METHOD,
    WRONG_TYPE,
    RefusedError,
)
from dunaia_env.table.limits import AtOnce, Limits, Rate, client_key

MOST_OF_A_PATH = 300
MOST_OF_A_QUERY = 300
# A message that is too large is read up to this many times the limit, and thrown away, so that its sender can read why
# it is refused.
_TIMES_THE_LIMIT = 16
# Texts of at most this many characters are parsed in the event loop; longer texts are parsed in a thread.
_MOST_AT_ONCE = 1 << 16
_BURST_SECONDS = 5
_BURST_OF_MISSES = 60

# Nothing is loaded from elsewhere, no page may frame this one, and no address, which may hold a token, is passed on.
HEADERS = {
    "content-security-policy": "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' data: blob:",
            "font-src 'self'",
            "connect-src 'self'",
            "manifest-src 'self'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        )
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "x-robots-tag": "noindex, nofollow",
}

_LOG = logging.getLogger(__name__)
# A path consists of plain words and tokens, so that no layer below can interpret it in another way.
_PATH = re.compile(rb"/(?:[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*)?")
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?")


@dataclass(frozen=True)
class Hosts:
    """The names under which the server may be reached; a foreign page cannot reach it under a name of its own.

    Attributes:
        names: the names, in lower case.
        addresses: whether it may also be reached under any IP address. A page under a foreign name cannot make use of
            that.
    """

    names: frozenset[str]
    addresses: bool = False

    @classmethod
    def of(cls, bound: str, more: Iterable[str] = ()) -> Hosts:
        """The names of a server.

        Args:
            bound: the address or name at which it listens.
            more: names under which a proxy passes requests on.

        Raises `ValueError` for something that is not a name of a host.
        """
        names = {"localhost", "127.0.0.1", "::1"}
        for name in more:
            if not _HOST.fullmatch(name) or ":" in name:
                raise ValueError(f"allowed_hosts: {name!r}; a name such as play.example.org is needed, without a port")
            names.add(name.lower())
        everywhere = bound in ("", "0.0.0.0", "::")
        return cls(frozenset(names | (set() if everywhere else {bound.lower()})), everywhere)

    def allow(self, host: str) -> bool:
        """Whether a Host header names this server."""
        found = _HOST.fullmatch(host)
        if found is None:
            return False
        name = found[1].strip("[]").lower().removesuffix(".")
        if name in self.names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return self.addresses


class Guard:
    """The outermost layer of the server.

    Args:
        app: application that answers the requests that pass the checks.
        limits: limits on rates and numbers.
        hosts: names under which the server may be reached.
    """

    def __init__(self, app: ASGIApp, limits: Limits, hosts: Hosts) -> None:
        self._app, self._hosts = app, hosts
        self._rate = Rate(limits.client_requests, _BURST_SECONDS * limits.client_requests)
        # Clients that try links that do not exist are slowed down.
        self._misses = Rate(limits.client_misses, _BURST_OF_MISSES * limits.client_misses)
        self._at_once = AtOnce(limits.client_connections)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        begun = False

        async def guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        client = client_key(scope["client"][0] if scope.get("client") else None)
        try:
            self._check(scope)
            self._rate.take(client)
            with self._at_once.one(client):
                await self._app(scope, receive, guarded)
        except RefusedError as error:
            if error.status == 404:
                try:
                    self._misses.take(client)
                except RefusedError as too_many:
                    error = too_many
            if not begun:
                await _refuse(error, scope, guarded)
        except HTTPException as error:  # raised by the router
            if not begun:
                await _refuse(_of_router(error, scope), scope, guarded)
        except (ClientDisconnect, ConnectionError):
            pass
        except Exception:
            _LOG.exception("%s %s failed", scope["method"], without_token(scope["path"]))
            if not begun:
                await _refuse(RefusedError(FAULT, "the server has failed at this request"), scope, guarded)

    def _check(self, scope: Scope) -> None:
        """Raise `RefusedError` for a request that no page of this server makes."""
        headers = Headers(scope=scope)
        if not self._hosts.allow(headers.get("host", "")):
            raise RefusedError(WRONG_HOST, "host: this server is not reached under this name (--allowed-hosts)")
        if scope["method"] not in ("GET", "HEAD", "POST"):
            raise RefusedError(WRONG_METHOD, "method: GET or POST is needed")
        path: bytes = scope.get("raw_path") or scope["path"].encode("utf-8", "surrogateescape")
        if len(path) > MOST_OF_A_PATH or not _PATH.fullmatch(path) or b"/." in path or b".." in path:
            raise RefusedError(404, "there is no such page")
        if len(scope["query_string"]) > MOST_OF_A_QUERY:
            raise RefusedError(MALFORMED, f"query: at most {MOST_OF_A_QUERY} characters are allowed")
        if scope["method"] != "POST":
            return
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2].lower() != headers["host"].lower():
            raise RefusedError(FORBIDDEN, "origin: only pages of this server may send this")
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise RefusedError(FORBIDDEN, "origin: only pages of this server may send this")
        kind, _, parameters = headers.get("content-type", "").partition(";")
        charset = parameters.strip().lower().replace('"', "")
        if kind.strip().lower() != "application/json" or charset not in ("", "charset=utf-8"):
            raise RefusedError(WRONG_TYPE, "content-type: application/json is needed")


def _of_router(error: HTTPException, scope: Scope) -> RefusedError:
    if error.status_code == WRONG_METHOD:
        return RefusedError(WRONG_METHOD, f"method: {scope['method']} is not answered here")
    return RefusedError(404, "there is no such page")


async def _refuse(error: RefusedError, scope: Scope, send: Send) -> None:
    body = json.dumps({"error": error.text}, ensure_ascii=False).encode("utf-8", "replace")
    headers = [
        (b"content-type", b"application/json; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
    ]
    if error.wait is not None:
        headers.append((b"retry-after", str(max(1, math.ceil(error.wait))).encode()))
    if error.status == WRONG_METHOD:
        headers.append((b"allow", b"GET, HEAD, POST"))
    if scope["method"] not in ("GET", "HEAD"):
        headers.append((b"connection", b"close"))  # the rest of the message may still be under way
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


async def read_json(request: Request, most: int, seconds: float) -> object:
    """The JSON data of a request.

    Args:
        request: a request whose message has not been read yet.
        most: largest size of the message in bytes.
        seconds: time within which the message has to arrive.

    Raises `RefusedError` for a message that is too large, too slow or not JSON.
    """
    body, read = bytearray(), 0
    announced = request.headers.get("content-length", "")
    too_large = announced.isdecimal() and int(announced) > most
    try:
        async with asyncio.timeout(seconds):
            async for piece in request.stream():
                read += len(piece)
                too_large = too_large or read > most
                if not too_large:
                    body += piece
                elif read > _TIMES_THE_LIMIT * most:
                    break
    except TimeoutError:
        raise RefusedError(TOO_SLOW, f"the message was not sent within {seconds:g} s") from None
    if too_large:
        raise RefusedError(TOO_LARGE, f"the message is too large; at most {most} bytes are allowed")
    try:
        text = body.decode("utf-8")
        return await asyncio.to_thread(parse, text) if len(text) > _MOST_AT_ONCE else parse(text)
    except UnicodeDecodeError:
        raise RefusedError(MALFORMED, "the message is not UTF-8") from None
    except FieldError as error:
        raise RefusedError(MALFORMED, str(error)) from None


def without_token(path: str) -> str:
    """A path as logs may show it: without the token of a link."""
    return re.sub(r"^(/(?:api/)?[ta]/)[^/]+", r"\1...", path)[:MOST_OF_A_PATH].encode("unicode_escape").decode("ascii")

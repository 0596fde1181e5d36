"""What guards every request: checks of host, origin, path, content type and rates, and headers that make pages safe."""

from __future__ import annotations

import asyncio
import html
import json
import logging
import math
import re
from contextlib import suppress

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dunaia_env.harness.presentation import ENGLISH
from dunaia_env.support import messages, reading, typed_json
from dunaia_env.table import addresses, errors
from dunaia_env.table.errors import RefusedError
from dunaia_env.table.limits import AtOnce, Limits, Rate, client_key

MOST_OF_A_PATH = 300
MOST_OF_A_QUERY = 300
# A message that is too large is read up to this many times the limit, and thrown away, so that its sender can read why
# it is refused.
_TIMES_THE_LIMIT = 16
# A message that is refused unread is read up to this size and thrown away, for a short time before the answer and for a
# longer one after it. Before, because a proxy written in Go may drop an answer that overtakes the message; after,
# because closing a connection while bytes are under way resets it, and the sender may lose the answer.
_MOST_DISCARDED = 1 << 16
_SECONDS_BEFORE_THE_ANSWER = 0.5
_SECONDS_AFTER_THE_ANSWER = 5.0
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

_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_LOG = logging.getLogger(__name__)
# A path consists of plain words and tokens, so that no layer below can interpret it in another way.
_PATH = re.compile(rb"/(?:[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*)?")


class Guard:
    """The outermost layer of the server.

    Args:
        app: application that answers the requests that pass the checks.
        limits: limits on rates and numbers.
        hosts: names under which the server may be reached.
        page: page with which people are told why there is no other, see `refusal_page`; None to tell them in JSON.
    """

    def __init__(self, app: ASGIApp, limits: Limits, hosts: addresses.Hosts, page: str | None = None) -> None:
        self._app, self._hosts, self._page = app, hosts, page
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
        begun, is_read = False, scope["method"] in ("GET", "HEAD")

        async def received() -> Message:
            nonlocal is_read
            message = await receive()
            is_read = not message.get("more_body", False)
            return message

        async def guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        async def refuse(error: RefusedError) -> None:
            if not begun:
                if not is_read:
                    await _discard(received, _SECONDS_BEFORE_THE_ANSWER)
                await self._refuse(error, scope, guarded)
                if not is_read:
                    await _discard(received, _SECONDS_AFTER_THE_ANSWER)
                await guarded({"type": "http.response.body"})  # the connection is closed now

        client = client_key(scope["client"][0] if scope.get("client") else None)
        try:
            self._check(scope)
            self._rate.take(client)
            with self._at_once.one(client):
                await self._app(scope, received, guarded)
        except RefusedError as error:
            if error.status == 404:
                try:
                    self._misses.take(client)
                except RefusedError as too_many:
                    error = too_many
            await refuse(error)
        except HTTPException as error:  # raised by the router
            await refuse(_of_router(error, scope))
        except (ClientDisconnect, ConnectionError):
            pass
        except Exception:
            _LOG.exception("%s %s failed", scope["method"], without_token(scope["path"]))
            await refuse(RefusedError(errors.FAULT, "the server has failed at this request"))

    def _check(self, scope: Scope) -> None:
        """Raise `RefusedError` for a request that no page of this server makes."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        try:
            self._hosts.check_host(host)
        except ValueError as error:
            raise RefusedError(errors.WRONG_HOST, "{reason}", reason=str(error)) from None
        if scope["method"] not in ("GET", "HEAD", "POST"):
            raise RefusedError(errors.WRONG_METHOD, "method: expected GET or POST")
        path: bytes = scope.get("raw_path") or scope["path"].encode("utf-8", "surrogateescape")
        if len(path) > MOST_OF_A_PATH or not _PATH.fullmatch(path) or b"/." in path or b".." in path:
            raise RefusedError(404, "there is no such page")
        if len(scope["query_string"]) > MOST_OF_A_QUERY:
            raise RefusedError(errors.MALFORMED, f"query: at most {MOST_OF_A_QUERY} characters are allowed")
        if scope["method"] != "POST":
            return
        if (origin := headers.get("origin")) is not None:
            try:
                self._hosts.check_origin(origin, host, scope["scheme"])
            except ValueError as error:
                raise RefusedError(errors.FORBIDDEN, "{reason}", reason=str(error)) from None
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise RefusedError(
                errors.FORBIDDEN, "origin: a page of another address has sent this; only this server's may"
            )
        kind, _, parameters = headers.get("content-type", "").partition(";")
        charset = parameters.strip().lower().replace('"', "")
        if kind.strip().lower() != "application/json" or charset not in ("", "charset=utf-8"):
            raise RefusedError(errors.WRONG_TYPE, "content-type: expected application/json")

    async def _refuse(self, error: RefusedError, scope: Scope, send: Send) -> None:
        """Send the whole answer to a request, but leave the response open."""
        if self._page is not None and _wants_page(scope):
            kind, text = "text/html", refusal_page(self._page, error)
        else:
            kind, text = "application/json", json.dumps({"error": error.told(_language_of(scope))}, ensure_ascii=False)
        body = text.encode("utf-8", "replace")
        headers = [
            (b"content-type", f"{kind}; charset=utf-8".encode()),
            (b"content-length", str(len(body)).encode()),
        ]
        if error.wait is not None:
            headers.append((b"retry-after", str(max(1, math.ceil(error.wait))).encode()))
        if error.status == errors.WRONG_METHOD:
            headers.append((b"allow", b"GET, HEAD, POST"))
        if scope["method"] not in ("GET", "HEAD"):
            headers.append((b"connection", b"close"))  # the rest of the message may still be under way
        await send({"type": "http.response.start", "status": error.status, "headers": headers})
        content = b"" if scope["method"] == "HEAD" else body
        await send({"type": "http.response.body", "body": content, "more_body": True})


async def _discard(receive: Receive, seconds: float) -> None:
    """Read the rest of a message for at most ``seconds``, up to `_MOST_DISCARDED` bytes."""
    size = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while size <= _MOST_DISCARDED:
                message = await receive()
                size += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return


def _wants_page(scope: Scope) -> bool:
    """Whether a person has opened an address: the API answers in JSON, whatever a client accepts."""
    path: str = scope["path"]
    is_api = path == "/api" or path.startswith("/api/")
    return scope["method"] in ("GET", "HEAD") and not is_api and "text/html" in Headers(scope=scope).get("accept", "")


def refusal_page(page: str, error: RefusedError) -> str:
    """The page that tells a person why a request was refused and what to do.

    Args:
        page: HTML with ``{status}``, ``{title}`` and ``{help}``.
        error: the refusal.
    """
    said = error.text[:1].upper() + error.text[1:]
    missing = error.status == 404
    values = {
        "status": str(error.status),
        "title": said if missing else "This page cannot be shown",
        "help": "Check the address; perhaps a part of it is missing." if missing else f"{said}.",
    }
    return re.sub(r"\{(status|title|help)\}", lambda found: html.escape(values[found[1]]), page)


def _language_of(scope: Scope) -> str:
    """The language that a request asks for, which nothing has checked yet."""
    return QueryParams(scope["query_string"]).get("language", ENGLISH)


def _of_router(error: HTTPException, scope: Scope) -> RefusedError:
    if error.status_code == errors.WRONG_METHOD:
        return RefusedError(errors.WRONG_METHOD, "method: {method} is not answered here", method=scope["method"])
    return RefusedError(404, "there is no such page")


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
        raise RefusedError(errors.TOO_SLOW, "the message was not sent within {seconds:g} s", seconds=seconds) from None
    if too_large:
        raise RefusedError(errors.TOO_LARGE, "the message is too large; at most {most} bytes are allowed", most=most)
    try:
        text = body.decode("utf-8")
        return await asyncio.to_thread(_parsed, text) if len(text) > _MOST_AT_ONCE else _parsed(text)
    except UnicodeDecodeError:
        raise RefusedError(errors.MALFORMED, "the message is not UTF-8") from None
    except typed_json.FieldError as error:
        raise RefusedError(errors.MALFORMED, str(error)) from None


def _parsed(text: str) -> object:
    if text.startswith(reading.MARK):
        raise typed_json.FieldError("the message begins with a byte order mark; it has to be JSON alone")
    content = typed_json.parse(text)
    # Only an escape of JSON can make half of a pair, because the message itself is UTF-8.
    if _HALF.search(text) and messages.has_lone_surrogate(json.dumps(content, ensure_ascii=False)):
        raise typed_json.FieldError(
            r"the message has half of a pair of surrogates, such as \ud800; expected whole characters"
        )
    return content


def without_token(path: str) -> str:
    """A path as logs may show it: without the token of a link."""
    return re.sub(r"^(/(?:api/)?[ta]/)[^/]+", r"\1...", path)[:MOST_OF_A_PATH].encode("unicode_escape").decode("ascii")

"""Limits on sizes, numbers and rates, so that no client can exhaust the server."""

from __future__ import annotations

import ipaddress
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dunaia_env.support.messages import is_name, shorten
from dunaia_env.table.errors import TOO_MANY, RefusedError

MOST_CLIENTS = 10_000
MOST_OF_A_NAME = 40


@dataclass(frozen=True)
class Limits:
    """How much is allowed at once, per second, and in one message."""

    tables: int = 200
    """Number of tables that are kept. To make room for a new one, the oldest finished table is removed, or else the
    oldest table at which nobody has played for `idle_days`."""
    idle_days: float = 7.0
    """Days without play after which an unfinished table may make room for a new one."""
    finished_days: float = 30.0
    """Days after which a finished table is removed."""
    unfinished_days: float = 90.0
    """Days without play after which an unfinished table is removed."""
    message_bytes: int = 16_384
    """Size of a message, in bytes."""
    replay_bytes: int = 2_000_000
    """Size of a message that contains a replay, in bytes."""
    decisions: int = 5_000
    """Number of decisions in a replay that is analysed or played on."""
    message_seconds: float = 10.0
    """Seconds that a client has to send the head of a request, and again to send the rest."""
    answer_seconds: float = 30.0
    """Seconds after which a request is given up."""
    connections: int = 1_000
    """Number of connections at once."""
    client_connections: int = 120
    """Requests of one client at once; an open page counts as one."""
    link_connections: int = 8
    """Pages open at once with the same link, in different browsers: all pages of a browser share one connection."""
    client_requests: float = 50.0
    """Requests of one client per second; five times as many may come at once."""
    link_requests: float = 20.0
    """Requests with one link per second; five times as many may come at once."""
    client_misses: float = 1.0
    """Requests of one client per second for pages that do not exist; sixty times as many may come at once."""
    client_tables: float = 0.2
    """Tables that one client may open per second; one hundred times as many may be opened at once."""
    client_analyses: float = 0.05
    """Analyses that one client may ask for per second; one hundred times as many may be asked for at once."""
    analyses: int = 100
    """Number of analyses that are kept. To make room for a new one, the oldest is removed."""
    waiting_analyses: int = 10
    """Number of analyses that wait for their turn."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{name}: expected a number above 0, got {value}")


class Rate:
    """Limits the requests of each client or link: to a rate in the long run, and to a number at once.

    Args:
        rate: requests per second that are allowed in the long run.
        burst: requests that are allowed at once.
        clock: function that returns the time in seconds, `time.monotonic` by default.
    """

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] | None = None) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock or time.monotonic
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, who: str) -> None:
        """Count a request; raises `RefusedError` with the seconds to wait if there were too many."""
        now = self._clock()
        left, since = self._left.pop(who, (self._burst, now))
        left = min(self._burst, left + (now - since) * self._rate)
        self._left[who] = (left - 1 if left >= 1 else left, now)
        # A client that has been silent for longest may make all requests at once again, or nearly all, so it can be
        # forgotten.
        while len(self._left) > MOST_CLIENTS:
            self._left.popitem(last=False)
        if left < 1:
            wait = (1 - left) / self._rate
            raise RefusedError(
                TOO_MANY, "too many requests; try again in {seconds} s", seconds=math.ceil(wait), wait=wait
            )


class AtOnce:
    """Limits how much may be in progress at once for each client or link."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._counts: Counter[str] = Counter()

    @contextmanager
    def one(self, who: str) -> Iterator[None]:
        """Count one more inside the block; raises `RefusedError` if there are too many already."""
        if self._counts[who] >= self._most:
            raise RefusedError(
                TOO_MANY, "too many open connections; at most {most} are allowed", most=self._most, wait=5
            )
        self._counts[who] += 1
        try:
            yield
        finally:
            self._counts[who] -= 1
            if not self._counts[who]:
                del self._counts[who]


def client_key(address: str | None) -> str:
    """The key under which a client's requests are counted: its address, or with IPv6 the network of one customer."""
    try:
        parsed = ipaddress.ip_address(address or "")
    except ValueError:
        return address or ""
    if parsed.version == 6:
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)


def checked_name(name: object) -> str:
    """A person's name as it is shown; raises `RefusedError` for one that is empty, too long or not printable."""
    if not isinstance(name, str):
        raise RefusedError(400, "name: expected a text")
    shown = " ".join(name[: 4 * MOST_OF_A_NAME].split())
    if len(shown) > MOST_OF_A_NAME or len(name) > 4 * MOST_OF_A_NAME or not is_name(shown):
        raise RefusedError(
            422,
            "name: expected 1 to {most} printable characters, got {given}",
            most=MOST_OF_A_NAME,
            given=shorten(shown),
        )
    return shown

"""Limits on sizes, numbers and rates, so that no client can exhaust the server."""

from __future__ import annotations

import ipaddress
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dunaia_env.table.errors import TOO_MANY, RefusedError

MOST_CLIENTS = 10_000
MOST_OF_A_NAME = 40


@dataclass(frozen=True)
class Limits:
    """How much is allowed at once, in a second, and in one message."""

    tables: int = 200
    """Tables that are kept. When a new one would exceed them, the oldest finished one is removed, or else the oldest
    one that nobody has played at for `idle_days`."""
    idle_days: float = 7.0
    """Days without play after which an unfinished table may make room for a new one."""
    finished_days: float = 30.0
    """Days after which a finished table is removed."""
    unfinished_days: float = 90.0
    """Days after which a table is removed that nobody has played at."""
    message_bytes: int = 16_384
    """Size of a message."""
    replay_bytes: int = 2_000_000
    """Size of a message that contains a replay."""
    decisions: int = 5_000
    """Decisions of a replay that is analysed or played on."""
    message_seconds: float = 10.0
    """Time in which a client must have sent the head of a request, and in which it must have sent the rest."""
    answer_seconds: float = 30.0
    """Time after which a request is given up."""
    connections: int = 1_000
    """Connections at once."""
    client_connections: int = 120
    """Requests of one client at once; a page that is open counts as one."""
    link_connections: int = 8
    """Pages that are open at once with the same link."""
    client_requests: float = 50.0
    """Requests of one client in a second; five times as many may come at once."""
    link_requests: float = 20.0
    """Requests with one link in a second; five times as many may come at once."""
    client_misses: float = 1.0
    """Requests of one client in a second for what does not exist; sixty times as many may come at once."""
    client_tables: float = 0.2
    """Tables that one client may open in a second; one hundred times as many may be opened at once."""
    client_analyses: float = 0.05
    """Analyses that one client may ask for in a second; one hundred times as many may be asked for at once."""
    analyses: int = 100
    """Analyses that are kept. When a new one would exceed them, the oldest is removed."""
    waiting_analyses: int = 10
    """Analyses that wait for their turn."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{name}: {value}; a number above 0 is needed")


class Rate:
    """Counts requests by client or link: so many in a second, and a number of them at once.

    Args:
        rate: requests in a second that are allowed for long.
        burst: requests that are allowed at once.
        clock: the time in seconds.
    """

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, who: str) -> None:
        """Count a request; raises `RefusedError` with the seconds to wait if there were too many."""
        now = self._clock()
        left, since = self._left.pop(who, (self._burst, now))
        left = min(self._burst, left + (now - since) * self._rate)
        self._left[who] = (left - 1 if left >= 1 else left, now)
        # Whoever has not asked for longest has all requests left again, or nearly so.
        while len(self._left) > MOST_CLIENTS:
            self._left.popitem(last=False)
        if left < 1:
            wait = (1 - left) / self._rate
            raise RefusedError(TOO_MANY, f"too many requests; try again in {math.ceil(wait)} s", wait=wait)


class AtOnce:
    """Counts what is in progress by client or link, and refuses what would be too much at once."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._counts: Counter[str] = Counter()

    @contextmanager
    def one(self, who: str) -> Iterator[None]:
        """Count one more inside the block; raises `RefusedError` if there are too many already."""
        if self._counts[who] >= self._most:
            raise RefusedError(TOO_MANY, f"too many open connections; at most {self._most} are allowed", wait=5)
        self._counts[who] += 1
        try:
            yield
        finally:
            self._counts[who] -= 1
            if not self._counts[who]:
                del self._counts[who]


def client_key(address: str | None) -> str:
    """The name under which a client's requests are counted: its address, of IPv6 the network that one customer has."""
    try:
        parsed = ipaddress.ip_address(address or "")
    except ValueError:
        return address or ""
    if parsed.version == 6:
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)


def checked_name(name: object) -> str:
    """A person's name as it is shown; raises `RefusedError` for a name that is empty, too long or not printable."""
    if not isinstance(name, str):
        raise RefusedError(400, "name: a text is needed")
    shown = " ".join(name[: 4 * MOST_OF_A_NAME].split())
    if not 1 <= len(shown) <= MOST_OF_A_NAME or not shown.isprintable() or len(name) > 4 * MOST_OF_A_NAME:
        raise RefusedError(422, f"name: 1 to {MOST_OF_A_NAME} printable characters are needed")
    return shown

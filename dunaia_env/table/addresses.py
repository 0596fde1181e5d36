"""The addresses under which people reach the server, and whether a page comes from one of them.

Addresses are compared by scheme, name and port, never as text: a default port may be written or left out, and a name
may end with a dot.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from dunaia_env.support.messages import shorten

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?")
_ORIGIN = re.compile(r"([A-Za-z]+)://([^/]+)")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_MOST_OF_A_PORT = 65_535
_MOST_SHOWN = 80


class Address(NamedTuple):
    """A host as a person or a browser names it.

    Attributes:
        name: the name in lower case without a final dot, or an IP address in its usual form without brackets.
        port: the port; None where the default port of the scheme is meant.
    """

    name: str
    port: int | None

    def __str__(self) -> str:
        name = f"[{self.name}]" if ":" in self.name else self.name
        return name if self.port is None else f"{name}:{self.port}"


def address_of(text: str) -> Address | None:
    """The address in a Host header or an option; None if it is none."""
    found = _HOST.fullmatch(text)
    if found is None:
        return None
    port = None if found[2] is None else int(found[2])
    if port is not None and not 1 <= port <= _MOST_OF_A_PORT:
        return None
    return Address(_usual(found[1].strip("[]")), port)


def _usual(name: str) -> str:
    """A name or an IP address in the one form in which it is compared."""
    name = name.lower().removesuffix(".")
    try:
        return str(ipaddress.ip_address(name))
    except ValueError:
        return name


def _is_ip_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class Hosts:
    """The names under which the server may be reached; a foreign page cannot reach it under a name of its own.

    Attributes:
        names: the names, as in `Address`.
        addresses: whether it may also be reached under any IP address. A page under a foreign name cannot make use of
            that.
        public: addresses in the browser whose pages are the server's own, whatever a proxy makes of the Host header.
    """

    names: frozenset[str]
    addresses: bool = False
    public: frozenset[Address] = frozenset()

    @classmethod
    def of(cls, bound: str, more: Iterable[str] = ()) -> Hosts:
        """The names of a server.

        Args:
            bound: the address or name at which it listens.
            more: names under which people reach it through a proxy, with the port that their browsers show, if any.

        Raises `ValueError` for something that is not a name of a host.
        """
        public = []
        for text in more:
            found = address_of(text)
            if found is None:
                needed = "a name such as play.example.org, or one with the port in the browser, play.example.org:8443"
                raise ValueError(f"allowed_hosts: expected {needed}, got {shorten(text)}")
            public.append(found)
        everywhere = bound in ("", "0.0.0.0", "::")
        names = {"localhost", "127.0.0.1", "::1", *(address.name for address in public)}
        return cls(frozenset(names if everywhere else names | {_usual(bound)}), everywhere, frozenset(public))

    def allow(self, host: str) -> bool:
        """Whether a Host header names this server."""
        found = address_of(host)
        return found is not None and (found.name in self.names or (self.addresses and _is_ip_address(found.name)))

    def check_host(self, host: str) -> None:
        """Raise `ValueError`, saying what may be set, for a Host header that does not name this server."""
        if self.allow(host):
            return
        found = address_of(host)
        if found is None:
            raise ValueError(f"host: expected a name of this server, got {shorten(host, _MOST_SHOWN)}")
        raise ValueError(
            f"host: {shorten(found.name, _MOST_SHOWN)} is no name of this server; if people reach it under that name,"
            f" start it with --allowed-hosts {_cut(found)}"
        )

    def check_origin(self, origin: str, host: str, scheme: str) -> None:
        """Raise `ValueError`, saying what may be set, for a request from a page of another address.

        Args:
            origin: the Origin header, in which the browser names the page's address.
            host: the Host header, which may be the browser's or a proxy's.
            scheme: ``https`` if a proxy is known to have taken the encryption off, otherwise ``http``, which may be the
                browser's scheme or not.
        """
        reached, found = address_of(host), _ORIGIN.fullmatch(origin)
        page = None if found is None else address_of(found[2])
        default = None if found is None else _DEFAULT_PORTS.get(found[1].lower())
        if found is None or page is None or default is None or reached is None:
            raise ValueError(
                f"origin: expected the address of a page of this server, got {shorten(origin, _MOST_SHOWN)}"
            )
        if scheme == "https" and found[1].lower() != scheme:
            raise ValueError(
                f"origin: expected an address with https, got {shorten(origin, _MOST_SHOWN)}, because the proxy says"
                " that it is reached with https (X-Forwarded-Proto)"
            )
        own = {(address.name, address.port or default) for address in (reached, *self.public)}
        if (page.name, page.port or default) in own:
            return
        shown = Address(page.name, None if page.port == default else page.port)
        raise ValueError(
            f"origin: expected the address of a page of this server, got {shorten(origin, _MOST_SHOWN)}, and here it"
            f" is {shorten(str(reached), _MOST_SHOWN)}; if people reach it under the former through a proxy, start it"
            f" with --allowed-hosts {_cut(shown)}"
        )


def _cut(address: Address) -> str:
    """An address as a person may type it; it consists of plain characters."""
    text = str(address)
    return text if len(text) <= _MOST_SHOWN else "NAME"

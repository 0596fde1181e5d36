"""Real reverse proxies before a server of the table, on loopback addresses, for tests."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.clocks import HANGS, until
from tests.table_server import Answer, Client

NEEDED = "DUNAIA_ENV_NEEDS_PROXIES"  # set where a missing proxy is a failure
NAME = "play.example.org"
PAGE = Path(__file__).resolve().parent.parent / "docs" / "table.md"
LOOPBACK = "127.0.0.1"
_PROGRAM_FOLDERS = ("/usr/sbin", "/usr/local/sbin")  # not on every person's path


def program(name: str) -> str:
    """The path of an installed program; skips the test without it, or fails it where it is needed."""
    path = shutil.which(name) or shutil.which(name, path=os.pathsep.join(_PROGRAM_FOLDERS))
    if path:
        return path
    message = f"{name} is not installed"
    if os.environ.get(NEEDED, "") not in ("", "0"):
        pytest.fail(f"{message}, but {NEEDED} is set")
    pytest.skip(message)


def documented(language: str) -> str:
    """The first block of code in a language on the page about the table that names the host."""
    blocks = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return next(block for block in blocks if NAME in block)


def changed(text: str, *changes: tuple[str, str]) -> str:
    """A configuration with parts replaced, each of which it has to contain."""
    for old, new in changes:
        assert old in text, f"{old!r} is missing"
        text = text.replace(old, new)
    return text


def free_port() -> int:
    """A port that nobody listens at now."""
    with socket.create_server((LOOPBACK, 0)) as taken:
        return int(taken.getsockname()[1])


def _listens(process: subprocess.Popen[bytes], port: int, log: Path) -> bool:
    """Whether a program accepts connections; it must not have ended."""
    assert process.poll() is None, log.read_text(errors="replace")
    try:
        socket.create_connection((LOOPBACK, port), timeout=HANGS).close()
    except OSError:
        return False
    return True


@contextmanager
def _started(command: list[str], folder: Path, port: int) -> Iterator[None]:
    log = folder / "log"
    with log.open("wb") as output:
        environment = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=output, env=environment)
        try:
            until(lambda: _listens(process, port, log))
            yield
        finally:
            process.terminate()
            process.wait(30)


@contextmanager
def nginx(folder: Path, server: int, *changes: tuple[str, str]) -> Iterator[int]:
    """The documented nginx before a server's port, with changes to its configuration; gives its port."""
    found, port = program("nginx"), free_port()
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subject = ["-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}"]
    words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    made = [program("openssl"), *words, "-keyout", str(key), "-out", str(certificate), *subject]
    subprocess.run(made, check=True, capture_output=True)
    text = changed(
        documented("nginx"),
        ("listen 443 ssl http2;", f"listen {LOOPBACK}:{port} ssl http2;"),
        ("/etc/letsencrypt/live/play.example.org/fullchain.pem", str(certificate)),
        ("/etc/letsencrypt/live/play.example.org/privkey.pem", str(key)),
        ("127.0.0.1:8000", f"{LOOPBACK}:{server}"),
        *changes,
    )
    places = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    begin = f"daemon off;\nmaster_process off;\npid {folder}/pid;\nerror_log stderr;\nevents {{}}\n"
    path = folder / "nginx.conf"
    path.write_text(f"{begin}http {{\n{places}{text}}}\n", encoding="utf-8")
    with _started([found, "-e", "stderr", "-p", str(folder), "-c", str(path)], folder, port):
        yield port


@contextmanager
def caddy(folder: Path, server: int, *changes: tuple[str, str]) -> Iterator[int]:
    """The documented Caddy before a server's port, with changes to its configuration; gives its port."""
    found, port = program("caddy"), free_port()
    text = changed(
        documented("text"),
        (f"{NAME} {{", f"https://{NAME}:{port} {{\n    tls internal\n    bind {LOOPBACK}"),
        ("127.0.0.1:8000", f"{LOOPBACK}:{server}"),
        *changes,
    )
    begin = "{\n    admin off\n    auto_https disable_redirects\n    skip_install_trust\n}\n"
    path = folder / "Caddyfile"
    path.write_text(begin + text, encoding="utf-8")
    with _started([found, "run", "--adapter", "caddyfile", "--config", str(path)], folder, port):
        yield port


PROXIES = {"nginx": nginx, "caddy": caddy}


class Browser(Client):
    """Asks a server through a proxy like a page at an address, which the proxy's port need not be part of.

    Args:
        port: port of the proxy.
        address: what stands in the address bar after ``https://``.
    """

    def __init__(self, port: int, address: str) -> None:
        super().__init__(port)
        self.address = address

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Answer:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection(LOOPBACK, self.port, timeout=HANGS, context=context)
        plain = socket.create_connection((LOOPBACK, self.port), timeout=HANGS)
        connection.sock = context.wrap_socket(plain, server_hostname=NAME)
        sent = (
            {"host": self.address, "origin": f"https://{self.address}"} if method == "POST" else {"host": self.address}
        )
        content = None if body is None else json.dumps(body).encode()
        try:
            connection.request(method, path, content, {**sent, "content-type": "application/json", **(headers or {})})
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            if found.get("content-type", "").startswith("text/event-stream"):
                return Answer(answer.status, found, answer.readline())
            return Answer(answer.status, found, answer.read())
        finally:
            connection.close()

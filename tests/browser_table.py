"""A server of the table as a process, a browser, and a person who plays through the page, for tests."""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

NEEDED = "DUNAIA_ENV_NEEDS_BROWSER"  # set where a missing browser is a failure
SCREENSHOTS = "DUNAIA_ENV_SCREENSHOTS"  # the folder for screenshots; none are kept if it is not set
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WAIT_MS = 120_000
ALL_AT_ONCE = {"table.speed": "0"}  # what others do is not shown step by step


def find_browser() -> str:
    """The path of an installed browser; skips the test without one, or fails it where one is needed."""
    for name in BROWSERS:
        if path := shutil.which(name):
            return path
    message = f"no browser is installed: none of {', '.join(BROWSERS)} is on the path"
    if os.environ.get(NEEDED, "") not in ("", "0"):
        pytest.fail(f"{message}, but {NEEDED} is set")
    pytest.skip(message)


@contextlib.contextmanager
def launched(*more: str) -> Iterator[Browser]:
    """A browser without a window, with more flags."""
    path = find_browser()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS, *more])
        try:
            yield browser
        finally:
            browser.close()


# What fades in has its colours at the end.
_FADED = """() => Promise.all(document.getAnimations()
    .filter((one) => one.effect.getComputedTiming().endTime < Infinity)
    .map((one) => one.finished.catch(() => null)))
    .then(() => null)"""


class Server:
    """``python -m dunaia_env.table`` in a process of its own, with a folder that survives it."""

    def __init__(self, folder: Path, *more: str) -> None:
        self.folder, self.more = folder, more
        self.address = ""
        self._process: subprocess.Popen[str] | None = None

    def start(self, port: int = 0) -> None:
        """Start it and wait until it says where it listens."""
        command = [sys.executable, "-m", "dunaia_env.table", "--port", str(port), "--no-open"]
        command += ["--folder", str(self.folder), "--games", "dunaia", *self.more]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if found := re.search(r"http://[\w.]+:\d+", line):
                self.address = found.group()
                return
        raise AssertionError(f"the server ended with {self._process.wait()}")

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def kill(self) -> None:
        """End it at once, as a crash does."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None


def serving(folders: pytest.TempPathFactory, *more: str) -> Iterator[Server]:
    """A server for a fixture, in a folder of its own, with further options of the command."""
    started = Server(folders.mktemp("tables"), *more)
    started.start()
    yield started
    started.kill()


class Person:
    """Somebody with a browser of their own, who sees no error there."""

    def __init__(
        self, browser: Browser, server: Server, *, storage: dict[str, str] | None = None, **context: Any
    ) -> None:
        self.server = server
        options: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}, "locale": "en-US", **context}
        self.context: BrowserContext = browser.new_context(**options)
        self.context.set_default_timeout(WAIT_MS)
        for name, value in (ALL_AT_ONCE if storage is None else storage).items():
            self.context.add_init_script(
                f"if (!localStorage.getItem('{name}')) localStorage.setItem('{name}', '{value}')"
            )
        self.page: Page = self.context.new_page()
        self.errors: list[str] = []
        self.offline = False
        self.page.on("pageerror", lambda error: self.errors.append(f"page: {error}"))
        self.page.on("console", self._console)

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning") and not self.offline:
            self.errors.append(f"console: {message.text}")

    def open(self, path: str) -> None:
        self.page.goto(self.server.address + path)

    def close(self) -> None:
        self.context.close()
        assert self.errors == [], self.errors

    def screenshot(self, name: str) -> None:
        """Keep a picture of the page where they are wanted."""
        if folder := os.environ.get(SCREENSHOTS):
            Path(folder).mkdir(parents=True, exist_ok=True)
            self.page.evaluate("scrollTo(0, 0)")
            self.page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)

    def check_accessibility(self) -> None:
        """What axe-core finds wrong on the page must be nothing."""
        self.page.wait_for_timeout(200)
        self.page.evaluate(_FADED)
        results = Axe().run(self.page)
        found = results.response["violations"]
        told = [f"{one['id']}: {one['help']}: {[node['target'] for node in one['nodes'][:4]]}" for one in found]
        assert told == [], "\n".join(told)

    # The table

    def version(self) -> int:
        """How many decisions the log shows."""
        return self.page.locator(".log-line").count()

    def is_over(self) -> bool:
        return self.page.locator("#result").is_visible()

    def wait_for_turn(self) -> bool:
        """Wait until this seat has to decide; returns False if the game is over instead."""
        self.page.locator("#decision:not([hidden]):not(.sending), #result:not([hidden])").first.wait_for()
        return not self.is_over()

    def pick(self, chooser: random.Random) -> None:
        """Click on highlighted pieces, or on a button for what is not drawn, until a sentence waits for Confirm."""
        confirm = self.page.locator("#decision .confirm")
        for _ in range(6):
            if confirm.is_visible():
                return
            spots, free = self.page.locator(".spot"), self.page.locator(".free-choice")
            pieces, buttons = spots.count(), free.count()
            assert pieces + buttons, "nothing can be clicked"
            which = chooser.randrange(pieces + buttons)
            (spots.nth(which) if which < pieces else free.nth(which - pieces)).click()
        assert confirm.is_visible()

    def confirm(self) -> str:
        """Press Confirm and wait for the next question, another's turn, or the end; returns the confirmed sentence."""
        words = self.page.locator(".decision-sentence").inner_text()
        before = self.version()
        self.page.locator("#decision .confirm").click()
        self.page.wait_for_function("before => document.querySelectorAll('.log-line').length > before", arg=before)
        return words

    def play(self, chooser: random.Random, most: int = 100_000) -> int:
        """Decide by clicks until the game is over or so many decisions are made; returns how many."""
        made = 0
        while made < most and self.wait_for_turn():
            self.pick(chooser)
            self.confirm()
            made += 1
        return made


def open_table(person: Person, seats: Sequence[str], *, rounds: int = 100, coach: bool = False) -> None:
    """Open a table through the lobby's form; a seat is "person:NAME" or the name of an agent."""
    page = person.page
    person.open("/")
    page.locator(f"input[name=players][value='{len(seats)}']").check()
    for seat, who in enumerate(seats):
        kind, _, name = who.partition(":")
        if kind == "person":
            page.locator(f"input[name=kind-{seat}][value=person]").check()
            page.locator(f"#name-{seat}").fill(name)
        else:
            page.locator(f"input[name=kind-{seat}][value=agent]").check()
            page.locator(f"#agent-{seat}").select_option(who)
    page.locator(".options > summary").click()
    page.locator("#option-max_rounds").fill(str(rounds))
    page.locator("#coach").set_checked(coach)
    page.locator("#start").click()

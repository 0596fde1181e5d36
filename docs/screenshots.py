"""Screenshots of the table for the documentation: ``python -m docs.screenshots``.

They depend on the browser and its fonts, so nothing compares them with the present pages: make them again when the
pages have changed, and look at them. Chromium must be installed.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

import tyro
from PIL import Image

from dunaia_env.support import atomic
from dunaia_env.support.terminal import run_main
from tests.browser_table import Person, Server, launched

FOLDER = Path(__file__).parent
SIZE = {"width": 1280, "height": 800}
GAME, SEATS, SEED = "dunaia", ({"kind": "person", "name": "Ada"}, {"kind": "agent", "agent": "medium"}), 7
DECISIONS = 70
COLOURS = 256  # a palette makes the files a third as large


def main() -> int:
    """Write the first page and a table in the middle of a game as PNG files; returns the exit status."""
    with tempfile.TemporaryDirectory() as folder, launched() as browser:
        server = Server(Path(folder), "--simulations", "0", "--games", GAME, "dune")
        server.start()
        try:
            person = Person(browser, server, viewport=SIZE)
            person.open("/")
            person.page.locator("#start").wait_for()
            _keep(person, folder, "lobby.png")
            content = {"game": GAME, "seats": SEATS, "options": {"elites": True}, "seed": SEED}
            opened = person.page.request.post(f"{server.address}/api/tables", data=content).json()
            person.open(opened["seats"][0]["link"])
            person.play(random.Random(SEED), DECISIONS)
            person.wait_for_turn()
            _keep(person, folder, "table.png")
            person.close()
        finally:
            server.kill()
    return 0


def _keep(person: Person, folder: str, name: str) -> None:
    person.page.wait_for_timeout(1000)
    path = Path(folder) / name
    person.page.screenshot(path=str(path))
    with Image.open(path) as image:
        image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    atomic.write_bytes(FOLDER / name, path.read_bytes())
    print(f"{name} written")


if __name__ == "__main__":
    sys.exit(run_main(lambda: tyro.cli(main, prog="python -m docs.screenshots")))

"""Play in the browser: ``python -m dunaia_env.table`` or ``dunaia table``; ``--help`` lists the options."""

from __future__ import annotations

import logging
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

import tyro

from dunaia_env.harness.commands import check_numbers, run_command
from dunaia_env.support import messages, terminal
from dunaia_env.table.limits import Limits
from dunaia_env.table.storage import default_folder

_SWITCH_SECONDS = 0.0005


@dataclass(frozen=True)
class Command:
    """Open a table in the browser, at which people and agents play, watch and analyse games."""

    host: str = "127.0.0.1"
    """Address at which the server listens. The default serves only this machine; 0.0.0.0 serves other machines too."""
    port: int = 8000
    """Port; 0 for a free one."""
    folder: Path | None = None
    """Folder in which tables are kept; by default in the user's data folder."""
    games: tuple[str, ...] = ()
    """Games that are offered: names, or modules such as my_package.game; by default all games of the library that have
    pictures."""
    agents: tuple[str, ...] | None = None
    """Names of the agents that people may play with; by default the levels and some other agents."""
    components: Path | None = None
    """Component file; each game's own by default."""
    open: bool = True
    """Open the first page in the browser."""
    allowed_hosts: tuple[str, ...] = ()
    """Host names under which people reach the server through a reverse proxy, such as play.example.org, each with the
    port in the browser if it is not the usual one, such as play.example.org:8443."""
    proxies: tuple[str, ...] = ()
    """Addresses of reverse proxies whose headers are trusted to name the addresses of clients and the scheme."""
    adviser: str = "champion"
    """Trained player that analyses games and advises people."""
    simulations: int = 64
    """Simulations of the adviser's search for each decision; 0 for none."""
    threads: int | None = None
    """Number of agents that think at once; by default the number of cores, but at least 2."""
    agent_seconds: float = 120.0
    """Seconds after which the server stops waiting for an agent's answer."""
    limits: Limits = field(default_factory=Limits)
    """Limits on sizes, numbers and rates."""

    def run(self) -> None:
        """Serve until the process is told to end; raises `ValueError` or `OSError` if the server cannot start."""
        check_numbers(self, positive=("threads", "agent_seconds"), not_negative=("simulations",))
        if not 0 <= self.port <= 65_535:
            raise ValueError(f"port: {self.port}; 0 to 65535 are allowed")
        try:
            from dunaia_env.table.server import Place, Service, open_browser, serve
        except ModuleNotFoundError as error:
            if error.name is None or error.name.startswith("dunaia_env"):
                raise
            raise ValueError(f"{error.name} is missing; pip install 'dunaia-env[table]' installs it") from None
        from dunaia_env.table.analyses import ChampionAnalyst
        from dunaia_env.table.offers import games_with_pictures, make_offers

        # The event loop's pieces of work are short, but before each it may wait this long for threads that compute in
        # Python.
        sys.setswitchinterval(_SWITCH_SECONDS)
        logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s")
        offers = make_offers(games_with_pictures(self.games), agents=self.agents, components=self.components)
        folder = self.folder or default_folder()
        service = Service(
            folder,
            offers,
            self.limits,
            analyst=ChampionAnalyst(self.adviser, self.simulations),
            threads=self.threads,
            most_seconds=self.agent_seconds,
        )

        def ready(address: str) -> None:
            print(f"{address}  (tables in {folder}; end with Ctrl+C)", flush=True)
            if self.open:
                open_browser(address)

        serve(service, Place(self.host, self.port, self.allowed_hosts, self.proxies), ready=ready)


def main() -> int:
    """The command line; returns the exit status."""
    command = tyro.cli(Command, prog="dunaia table", description=Command.__doc__)
    try:
        return run_command("dunaia table", command.run)
    except KeyboardInterrupt:
        return 0
    except SystemExit as error:  # raised by uvicorn, which has said why
        return int(error.code or 0) if isinstance(error.code, int | None) else 1
    except Exception as error:
        logging.getLogger(__name__).exception("the server has failed: %s", messages.reason(error))
        return 1


if __name__ == "__main__":
    status = terminal.run_main(main)
    # An agent may still think in a thread; everything is stored, so nobody has to wait for it.
    os._exit(status)

"""Find out what a player of a family of component files misses on single files, by training specialists for them.

    python -m training.studies.specialists --model agents/models/champion.safetensors --workers 2

For each component file a copy of the player, the specialist, continues to learn with this file alone. Its win share
against the player, with this file, shows how much the player could gain by knowing the file better. With two players it
is 50 % if the player misses nothing.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import tyro
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from agents.model import Model, digest
from agents.network import NetworkAgent, load_model
from dunaia_env.arena.match import blocks_for, describe, play_match
from dunaia_env.harness.commands import check_numbers
from dunaia_env.harness.components import MOST_BYTES
from dunaia_env.harness.dealing import dealt, first_of, read_dealt
from dunaia_env.harness.game import Game
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.harness.registry import DEFAULT_GAME, find_game, game_of_file
from dunaia_env.statistics.intervals import Estimate
from dunaia_env.support.atomic import write_text
from dunaia_env.support.messages import printable
from dunaia_env.support.reading import read_bytes, read_text
from dunaia_env.support.terminal import run_main
from dunaia_env.support.typed_json import build, parse
from training.family import HELD_OUT
from training.running import checkpoint
from training.running.checkpoint import MODEL_FILE
from training.studies.further_training import train_further

RESULT, COMPONENTS = "result.json", "components.toml"


@dataclass(frozen=True)
class Options:
    """Train a specialist for each of several component files, and play it against the player that it started from.

    Component files that have a result are skipped. Trainings that were stopped continue.
    """

    model: str
    """Model file of the player, which must know all of the component files."""
    components: tuple[Path, ...] = tuple(sorted(HELD_OUT.glob("*.toml")))
    """Component files; by default those that are held out of training."""
    sampled: int = 5
    """Number of further component files, drawn from the family that the player knows."""
    family_seed: int = 1_000_000
    """Seed of the first drawn file; the others have the following seeds."""
    minutes: float = 20.0
    """Length of a training, in minutes."""
    players: int = 2
    """Number of players at a table."""
    games: int = 1000
    """Least number of games of each match."""
    seed: int = 0
    """Seed of the trainings, and of the first game of each match."""
    workers: int = 1
    """Number of trainings at the same time, one core each."""
    game: str = DEFAULT_GAME.name
    """The player's game, if it does not belong to the library."""
    out: Path = Path("runs/specialists")
    """Folder for the trainings and their results."""


@dataclass(frozen=True)
class Result:
    """How a specialist plays against the player that it started from, with its component file.

    Attributes:
        name: name of the component file.
        share: win share of the specialist; a fair share is 1 / players.
        games: number of games.
        decisions: number of decisions that the specialist learned from.
    """

    name: str
    share: Estimate
    games: int
    decisions: int


@dataclass(frozen=True)
class _Stored:
    """A result as its file holds it, with the settings of the measurement."""

    settings: dict[str, Any]
    share: tuple[float, float, float]
    games: int
    decisions: int


def measure(options: Options, console: Console) -> list[Result]:
    """Train and measure the specialists of all files.

    Raises `ValueError` naming a wrong option, a file that the player does not know, a folder with another measurement,
    or a training that failed or was stopped; and `OSError`.
    """
    check_numbers(
        options, positive=("minutes", "players", "games", "workers"), not_negative=("sampled", "family_seed", "seed")
    )
    model = load_model(options.model)
    find_game(options.game)  # imports a game of your own, which allows the model file to name it
    game = game_of_file(model.header.get("game", DEFAULT_GAME.name))
    game.option(NUM_PLAYERS).check(options.players)
    files = _files(options, game, model.header.get("family"))
    if not files:
        raise ValueError("components: expected at least one component file, or sampled above 0, got neither")
    folders = [_prepare(options.out / name, text) for name, text in files.items()]
    settings = {
        "model": digest(model.used()),
        **{name: getattr(options, name) for name in ("minutes", "players", "games", "seed")},
    }
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(), console=console, transient=True
    )
    found = {folder: _stored(folder, settings) for folder in folders if (folder / RESULT).exists()}
    with bar, ThreadPoolExecutor(options.workers, "specialist") as pool, checkpoint.StopRequest() as stop:
        total = bar.add_task(f"{len(folders)} specialists", total=len(folders) * options.minutes * 60)
        bar.advance(total, len(found) * options.minutes * 60)
        jobs = {
            folder: pool.submit(
                _one, options, game, model, folder, settings, stop, lambda seconds: bar.advance(total, seconds)
            )
            for folder in folders
            if folder not in found
        }
        ended, _ = wait(jobs.values(), return_when=FIRST_EXCEPTION)
        for error in filter(None, (job.exception() for job in ended)):
            stop.name = stop.name or "error"  # the others save, so that the same command continues them
            pool.shutdown(cancel_futures=True)
            raise error
    results = [found[folder] if folder in found else jobs[folder].result() for folder in folders]
    done = [result for result in results if result is not None]
    if len(done) < len(results):
        raise ValueError(f"stopped after {len(done)} of {len(results)} files; the same command continues")
    return done


def _files(options: Options, game: Game, known: object) -> dict[str, str]:
    """The texts of all component files by their names; refuses one that the player does not know.

    ``known`` is the content of the family that the player knows.
    """
    for path in options.components:
        NetworkAgent.load(options.model, components=str(path), game=game)
    files = {path.stem: read_text(path, MOST_BYTES) for path in options.components}
    if len(files) < len(options.components):
        raise ValueError("components: two files of the same name; each result needs a name of its own")
    if options.sampled:
        if known is None:
            raise ValueError(f"sampled: expected 0, because the player knows no family, got {options.sampled}")
        family = game.require("load_family")(known)
        for seed in range(options.family_seed, options.family_seed + options.sampled):
            files[f"member_{seed}"] = family.text_of(family.sample(seed))
    return files


def _prepare(folder: Path, text: str) -> Path:
    """Write a component file to its folder, and return the folder; refuses a folder that holds another file."""
    path = folder / COMPONENTS
    if path.exists() and read_text(path, MOST_BYTES) != text:
        raise ValueError(f"{path}: another file than {folder.name} is now; choose another --out or remove the folder")
    write_text(path, text)
    return folder


def _stored(folder: Path, settings: dict[str, Any]) -> Result:
    """The result in a folder; raises `ValueError` naming its file if that is damaged or has other settings."""
    path = folder / RESULT
    try:
        stored = build(_Stored, parse(read_bytes(path, MOST_BYTES)))
    except ValueError as error:
        raise ValueError(f"{path}: not a result ({error}); remove it to measure again") from error
    if stored.settings != settings:
        raise ValueError(f"{path}: {stored.settings}; now {settings}; choose another --out")
    return Result(folder.name, Estimate(*stored.share), stored.games, stored.decisions)


def _one(
    options: Options,
    game: Game,
    model: Model,
    folder: Path,
    settings: dict[str, Any],
    stop: checkpoint.StopRequest,
    advance: Callable[[float], None],
) -> Result | None:
    """Train and measure one specialist; None if that was stopped before its end."""
    if stop.name:
        return None
    ended = train_further(
        folder,
        game=game,
        file=options.model,
        model=model,
        minutes=options.minutes,
        options={"components": folder / COMPONENTS, "seed": options.seed, "players": options.players}
        | read_dealt(game, model.header),
        stop=stop,
        advance=advance,
    )
    if not ended:
        return None
    components = str(folder / COMPONENTS)
    specialist, player = (
        NetworkAgent.load(file, components=components, game=game) for file in (folder / MODEL_FILE, options.model)
    )
    match = play_match(
        [specialist, player],
        blocks=blocks_for(options.games, 2, options.players),
        num_players=options.players,
        seed=options.seed,
        components=components,
        game=game,
        **first_of(dealt(game, read_dealt(game, player.network.header))),
    )
    decisions = int(specialist.network.header["decisions"])
    share = match.interval()
    result = Result(folder.name, share, match.games, decisions)
    stored = _Stored(settings, (share.value, share.low, share.high), result.games, decisions)
    write_text(folder / RESULT, json.dumps(asdict(stored), indent=1) + "\n")
    return result


def main() -> int:
    """Train and measure as the command line says; returns the exit status."""
    options = tyro.cli(Options, prog="python -m training.studies.specialists", description=Options.__doc__)
    console = Console()
    try:
        results = measure(options, console)
    except (ValueError, OSError) as error:
        print(f"training.studies.specialists: {error}", file=sys.stderr)
        return 2
    table = Table(title=f"{options.players} players; a fair share is {100 / options.players:.1f} %")
    for title in ("component file", "specialist's win share (95 %)", "games", "decisions learned from"):
        table.add_column(title)
    for result in results:
        table.add_row(
            Text(printable(result.name)), describe(result.share), f"{result.games:,}", f"{result.decisions:,}"
        )
    console.print(table)
    return 0


if __name__ == "__main__":
    sys.exit(run_main(main))

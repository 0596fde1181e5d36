"""Pictures and films of games: ``python -m dunaia_env.render replay.jsonl --out game.gif``, or ``dunaia render``."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.progress import track

from dunaia_env import replay
from dunaia_env.harness import presentation, registry
from dunaia_env.render import film, modes
from dunaia_env.render.scenes import captioned, scenes
from dunaia_env.support import messages, terminal


@dataclass(frozen=True)
class Options:
    """Make a film of a game (.gif, .webp), or a picture of one of its positions (.svg, .png)."""

    file: Annotated[Path, tyro.conf.Positional]
    """The replay file."""
    out: Annotated[Path, tyro.conf.arg(aliases=("-o",))]
    """The file to write; its ending determines the format: .gif, .webp, .svg or .png."""
    decision: int | None = None
    """Draw the position after this many decisions. By default, a film shows the whole game and a picture its end."""
    seat: int | None = None
    """Seat for which it is drawn, counted from 0: what other seats hide is left out. By default everything is shown."""
    width: int = modes.WIDTH
    """Width in pixels, 64..4096; without effect on an .svg file."""
    language: str = presentation.ENGLISH
    """Language of the words, such as en or fr."""
    seconds: float = 0.6
    """Seconds for which a film shows each decision or turn."""
    turns: bool = False
    """In a film, show the end of each turn instead of each decision; a turn is what one seat decides in a row."""
    caption: bool = True
    """Write below each picture what was decided."""
    components: Path | None = None
    """Component file that the game was played with; the game's own by default."""
    game: str = registry.DEFAULT_GAME.name
    """The game, if the file's game does not belong to the library: a module such as my_package.game."""


def render(options: Options) -> str:
    """Write what the options ask for; returns what was written, in words.

    Raises `ValueError` for options that are out of range, a file that is no replay and a game without pictures,
    `OSError` for files that cannot be read or written, and `ImportError` where the library that draws is missing.
    """
    is_film = film.check_file(options.out) in film.FILMS and options.decision is None
    modes.check_width(options.width, "width")
    film.check_seconds(options.seconds)
    played = replay.read(options.file, game=registry.find_game(options.game))
    last = len(played.decisions)
    only = None if is_film else last if options.decision is None else options.decision
    found = scenes(
        played,
        components=options.components,
        seat=options.seat,
        language=options.language,
        only=only,
        turns=options.turns and is_film,
        source=str(options.file),
    )
    svgs = [captioned(scene, last) if options.caption else scene.picture for scene in found]
    if is_film:
        film.write_film(options.out, svgs, options.width, options.seconds, _with_progress)
        return f"{len(svgs)} frames"
    film.write_picture(options.out, svgs[0], options.width)
    return f"the position after {only} of {last} decisions"


def _with_progress(svgs: Sequence[str]) -> Iterator[str]:
    console = Console(stderr=True)
    return iter(track(svgs, "drawing", console=console, disable=not console.is_terminal, transient=True))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    options = tyro.cli(Options, prog="dunaia render", description=Options.__doc__, args=arguments)
    try:
        written = render(options)
    except (ValueError, OSError, ImportError) as error:
        print(f"render: {messages.reason(error, 900)}", file=sys.stderr)
        return 2
    print(f"{messages.printable(str(options.out))}: {written}, {options.out.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(terminal.run_main(main))

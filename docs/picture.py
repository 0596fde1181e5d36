"""The pictures, the plots and the film of a game that the README and the documentation show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageSequence

from docs import plots
from dunaia_env import GameState
from dunaia_env.harness.opponents import CHAMPION, load
from dunaia_env.harness.registry import find_game
from dunaia_env.render import film, raster
from dunaia_env.render.scenes import captioned, scenes
from dunaia_env.replay import record_game

FOLDER = Path(__file__).parent
PICTURE, DUNE, FILM = FOLDER / "game.png", FOLDER / "dune.png", FOLDER / "game.gif"
EXAMPLE, DUNE_EXAMPLE = FOLDER / "example.png", FOLDER / "dune_example.png"  # the positions of the observations shown
SEED, PLAYERS, DECISIONS = 42, 3, 170
NAMES = ("Ada", "champion", "Blaise")
DUNE_SEED, DUNE_DECISIONS, DUNE_PRESET = 3, 260, "classic"
FILM_SEED, FILM_AGENTS = 7, (CHAMPION, "greedy")
EXAMPLE_SEED, EXAMPLE_PRESET = 7, "duel"
WIDTHS = {PICTURE: 1200, DUNE: 1200, EXAMPLE: 1000, DUNE_EXAMPLE: 1000, FILM: 1000} | dict.fromkeys(plots.PLOTS, 1000)
FILM_SECONDS = 1.2
COMPARED_FRAMES = 4
MOST_DIFFERENCE = 16  # mean difference of a block of two pictures that look the same, in steps of 0..255
BLOCK = 20  # width and height of a block of a picture, in pixels

Pixels = NDArray[np.uint8]


def drawing() -> str:
    """The SVG document of a position in the middle of a game of the champion against itself."""
    state = GameState.new(SEED, num_players=PLAYERS, elites=True)
    player = load(CHAMPION)
    player.reset(0)
    for _ in range(DECISIONS):
        state.apply(player.act(state.view()), SEED)
    show = state.game.require("presentation").picture
    return show(state.to_dict(), state.components, seat=state.seat, names=NAMES)


def dune_drawing() -> str:
    """The SVG document of a position in the middle of a game of six champions of Dune."""
    game = find_game("dune")
    options = game.check_options({"preset": DUNE_PRESET, "num_players": 6})
    state = GameState.new(DUNE_SEED, game=game, **options)
    player = load(CHAMPION, game=game)
    player.reset(0)
    for _ in range(DUNE_DECISIONS):
        state.apply(player.act(state.view()), DUNE_SEED)
    return state.picture()


def example() -> str:
    """The SVG document of the position whose observation is shown."""
    return GameState.new(EXAMPLE_SEED, num_players=2).picture()


def dune_example() -> str:
    """The SVG document of the position of Dune whose observation is shown."""
    return GameState.new(EXAMPLE_SEED, game=find_game("dune"), preset=EXAMPLE_PRESET).picture()


DRAWN: dict[Path, Callable[[], str]] = {
    PICTURE: drawing,
    DUNE: dune_drawing,
    EXAMPLE: example,
    DUNE_EXAMPLE: dune_example,
    **plots.PLOTS,
}


@cache
def turns() -> tuple[str, ...]:
    """The SVG documents of a game of the champion against greedy: the beginning, and the end of each turn."""
    agents = [load(name) for name in FILM_AGENTS]
    replay = record_game(FILM_SEED, agents, num_players=len(agents), elites=True)
    return tuple(captioned(scene, len(replay.decisions)) for scene in scenes(replay, turns=True))


def documents(path: Path) -> Sequence[str]:
    """The SVG documents that a file shows."""
    return turns() if path == FILM else [DRAWN[path]()]


def write(path: Path) -> None:
    """Write a picture or the film."""
    if path == FILM:
        film.write_film(path, documents(path), WIDTHS[path], FILM_SECONDS)
    else:
        film.write_picture(path, *documents(path), WIDTHS[path])


def is_out_of_date(path: Path) -> bool:
    """Whether the stored picture or film shows something else; of a film, some frames and their number are compared.

    The last bits of pixels depend on the processor.
    """
    if not path.exists():
        return True
    with Image.open(path) as image:
        stored = [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(image)]
    svgs = documents(path)
    if len(stored) != len(svgs):
        return True
    chosen = np.unique(np.linspace(0, len(svgs) - 1, COMPARED_FRAMES).round().astype(int)).tolist()
    return not all(_are_alike(stored[number], raster.pixels(svgs[number], WIDTHS[path])) for number in chosen)


def _are_alike(stored: Pixels, new: Pixels) -> bool:
    """Whether no block of two pictures differs by more than `MOST_DIFFERENCE`.

    Rendered pixels have an even height and width: an odd one has a row or column more than the stored picture.
    """
    height, width = (size + size % 2 for size in stored.shape[:2])
    if new.shape[:2] != (height, width):
        return False
    new = new[: stored.shape[0], : stored.shape[1]]
    difference = np.abs(stored.astype(np.int16) - new).mean(axis=2)
    rows, columns = (np.arange(0, size, BLOCK) for size in difference.shape)
    total = np.add.reduceat(np.add.reduceat(difference, rows, axis=0), columns, axis=1)
    return float(total.max()) <= MOST_DIFFERENCE * BLOCK**2

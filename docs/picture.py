"""The picture of a position that the README shows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from dunaia_env import GameState
from dunaia_env.harness.opponents import CHAMPION, load
from dunaia_env.render import raster

PATH = Path(__file__).parent / "game.png"
SEED, PLAYERS, DECISIONS = 42, 3, 170
NAMES = ("Ada", "champion", "Blaise")
MOST_DIFFERENCE = 16  # mean difference of a block of two pictures that look the same, in steps of 0..255
BLOCK = 20  # width and height of a block of a picture, in pixels


def drawing() -> str:
    """The SVG document of a position in the middle of a game of the champion against itself."""
    state = GameState.new(SEED, num_players=PLAYERS, elites=True)
    player = load(CHAMPION)
    player.reset(0)
    for _ in range(DECISIONS):
        state.apply(player.act(state.view()), SEED)
    show = state.game.require("presentation").picture
    return show(state.to_dict(), state.components, seat=state.seat, names=NAMES)


def is_out_of_date() -> bool:
    """Whether a block of the stored picture shows something else; the last bits of pixels depend on the processor."""
    if not PATH.exists():
        return True
    with Image.open(PATH) as image:
        stored = np.asarray(image.convert("RGB"), np.int16)
    new = raster.pixels(drawing()).astype(np.int16)
    if stored.shape != new.shape:
        return True
    difference = np.abs(stored - new).mean(axis=2)
    rows, columns = (np.arange(0, size, BLOCK) for size in difference.shape)
    total = np.add.reduceat(np.add.reduceat(difference, rows, axis=0), columns, axis=1)
    return float(total.max()) > MOST_DIFFERENCE * BLOCK**2

"""Draws the reference pictures of Dune again: ``python -m tests.make_dune_pictures``; look at each of them.

``dune_pictures`` holds for each of `POSITIONS` the picture, ``NAME.png``, and its pieces with their places,
``NAME.txt``.
"""

from __future__ import annotations

import io

from PIL import Image

from dunaia_env.dune.components import load
from dunaia_env.dune.presentation.picture import picture
from dunaia_env.render.raster import pixels

from .dune_picture_positions import FOLDER, POSITIONS
from .make_pictures import WIDTH, structure


def draw(name: str) -> str:
    """The picture of a position, as it is drawn now."""
    content, keywords = POSITIONS[name]
    return picture(content, load(), **keywords)


def main() -> None:
    """Write the pictures and their pieces."""
    for name in POSITIONS:
        svg = draw(name)
        content = io.BytesIO()
        Image.fromarray(pixels(svg, WIDTH)).save(content, "PNG", optimize=True)
        (FOLDER / f"{name}.png").write_bytes(content.getvalue())
        (FOLDER / f"{name}.txt").write_text(structure(svg), encoding="utf-8")
        print(name, len(svg), len(content.getvalue()))


if __name__ == "__main__":
    main()

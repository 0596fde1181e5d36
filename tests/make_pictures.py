"""Draws the reference pictures in ``tests/pictures`` again: ``python -m tests.make_pictures``; look at each of them.

``NAME.json`` holds a position with how it is drawn, ``NAME.png`` the picture, ``NAME.txt`` its pieces and their places.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from PIL import Image

from dunaia_env.dunaia import load
from dunaia_env.dunaia.presentation.picture import picture
from dunaia_env.render.raster import pixels

from .drawn import read

FOLDER = Path(__file__).resolve().parent / "pictures"
WIDTH = 600


def stored(name: str) -> dict[str, Any]:
    """A stored position: ``content`` and the keywords ``drawn`` that it is drawn with."""
    content: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return content


def draw(name: str) -> str:
    """The picture of a stored position, as it is drawn now."""
    entry = stored(name)
    return picture(entry["content"], load(), **entry["drawn"])


def structure(svg: str) -> str:
    """The pieces of a picture with their places and labels, one on a line."""
    lines = [
        f"{piece.name} {' '.join(f'{value:.0f}' for value in piece.area)} {piece.label}" for piece in read(svg).pieces
    ]
    return "\n".join([*lines, ""])


def main() -> None:
    """Write the pictures and their pieces."""
    for path in sorted(FOLDER.glob("*.json")):
        svg = draw(path.stem)
        content = io.BytesIO()
        Image.fromarray(pixels(svg, WIDTH)).save(content, "PNG", optimize=True)
        path.with_suffix(".png").write_bytes(content.getvalue())
        path.with_suffix(".txt").write_text(structure(svg), encoding="utf-8")
        print(path.stem, len(svg), len(content.getvalue()))


if __name__ == "__main__":
    main()

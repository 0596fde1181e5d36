"""Turns SVG documents into pixels, the same on every machine: text is set in the fonts in ``fonts/``."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from dunaia_env.support.messages import printable, shorten

if TYPE_CHECKING:
    from types import ModuleType

FONTS: Final = Path(__file__).resolve().parent / "fonts"
FONT_FILES: Final = tuple(str(FONTS / f"nunito-{weight}.ttf") for weight in (600, 800))
FONT: Final = "Nunito"
DEFAULT_WIDTH: Final = 1200
LEAST_WIDTH, MOST_WIDTH = 16, 8192


def png(svg: str, width: int = DEFAULT_WIDTH) -> bytes:
    """An SVG document as the bytes of a PNG file, ``width`` pixels wide and as high as its shape requires.

    Raises `ValueError` for a width outside of `LEAST_WIDTH`..`MOST_WIDTH` and for a text that is no SVG document, and
    `ImportError` if resvg_py is not installed.
    """
    if isinstance(width, bool) or not isinstance(width, int) or not LEAST_WIDTH <= width <= MOST_WIDTH:
        raise ValueError(f"width: expected an integer in {LEAST_WIDTH}..{MOST_WIDTH}, got {shorten(width)}")
    resvg = _resvg()
    try:
        content = resvg.svg_to_bytes(
            svg_string=svg,
            width=width,
            skip_system_fonts=True,
            font_files=list(FONT_FILES),
            font_family=FONT,
            sans_serif_family=FONT,
        )
    except ValueError as error:
        raise ValueError(f"svg: expected an SVG document, got {printable(str(error), 200)}") from error
    return bytes(content)


def pixels(svg: str, width: int = DEFAULT_WIDTH) -> NDArray[np.uint8]:
    """An SVG document as an array of its pixels: height × width × (red, green, blue), each 0..255.

    Height and width are even, as video codecs need them: an odd one is increased by a copy of the last row or column.
    Transparent parts of the document become white. Raises the same errors as `png`.
    """
    content = png(svg, width)
    from PIL import Image

    with Image.open(io.BytesIO(content)) as file:
        image = file.convert("RGBA")
    field = np.asarray(image)
    if field[..., 3].min() < 255:
        ground = Image.new("RGBA", image.size, (255, 255, 255, 255))
        ground.alpha_composite(image)
        field = np.asarray(ground)
    rows, columns, _ = field.shape
    return np.pad(field[..., :3], ((0, rows % 2), (0, columns % 2), (0, 0)), mode="edge")


def _resvg() -> ModuleType:
    try:
        import PIL.Image
        import resvg_py
    except ImportError as error:
        raise ImportError("pictures need resvg_py and pillow: pip install 'dunaia-env[render]'") from error
    del PIL
    return resvg_py

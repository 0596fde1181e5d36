"""Pictures and films as files: SVG, PNG, WebP, GIF."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.render import modes, raster
from dunaia_env.support import atomic, messages

STILLS = (".svg", ".png")
FILMS = (".gif", ".webp")
LEAST_SECONDS, MOST_SECONDS = 0.02, 60.0
# All frames of a film are in memory while it is written, with a byte for each pixel.
MOST_PIXELS = 1_000_000_000
_COLOURS = 255
_FRAMES_FOR_PALETTE = 12
# Factors by which the first and the last frame are shown longer than the other frames.
_FIRST, _LAST = 2, 5


def check_file(path: Path) -> str:
    """Return the ending of a picture's or film's name; raise `ValueError` for one that cannot be written."""
    ending = path.suffix.lower()
    if ending not in STILLS + FILMS:
        allowed = ", ".join(STILLS + FILMS)
        raise ValueError(f"out: expected a file name that ends in one of {allowed}, got {messages.shorten(str(path))}")
    if path.is_dir():
        raise ValueError(f"out: expected a file, got the folder {messages.shorten(str(path))}")
    return ending


def check_seconds(seconds: float) -> float:
    """Return how long a frame is shown; raise `ValueError` unless it is 0.02..60 seconds."""
    if not LEAST_SECONDS <= seconds <= MOST_SECONDS:
        raise ValueError(f"seconds: expected a number in {LEAST_SECONDS}..{MOST_SECONDS:g}, got {seconds}")
    return seconds


def write_picture(path: Path, svg: str, width: int) -> None:
    """Write an SVG document as an SVG, PNG, WebP or GIF file, depending on the ending of the file's name.

    Args:
        path: the file.
        svg: the document.
        width: width in pixels; without effect on an SVG file.

    Raises `ValueError` for another ending or a width out of range, `OSError` if the file cannot be written.
    """
    ending = check_file(path)
    modes.check_width(width, "width")
    if ending == ".svg":
        atomic.write_bytes(path, svg.encode("utf-8"))
    elif ending == ".png":
        atomic.write_bytes(path, raster.png(svg, width))
    else:
        write_film(path, [svg], width, 1.0)


def write_film(path: Path, svgs: Sequence[str], width: int, seconds: float, steps: Any = iter) -> None:
    """Write SVG documents of one size as frames of an animated GIF or WebP file, depending on the file's ending.

    Args:
        path: the file.
        svgs: the documents, at least one.
        width: width in pixels.
        seconds: how long a frame is shown; the first one is shown longer, and the last one even longer.
        steps: takes the documents and returns an iterator over them, for example with a progress bar.

    Raises `ValueError` for another ending, arguments out of range or too many pixels in all, `OSError` if the file
    cannot be written.
    """
    from PIL import Image

    if check_file(path) not in FILMS:
        raise ValueError(f"out: {messages.shorten(str(path))}; a film ends in one of {', '.join(FILMS)}")
    check_seconds(seconds)
    first = raster.pixels(svgs[0], modes.check_width(width, "width"))
    pixels = first.shape[0] * first.shape[1] * len(svgs)
    if pixels > MOST_PIXELS:
        narrow = int(width * (MOST_PIXELS / pixels) ** 0.5)
        raise ValueError(f"width: {width}; {len(svgs)} frames have too many pixels, {narrow} is the most for them")
    durations = [round(1000 * seconds * _times(number, len(svgs))) for number in range(len(svgs))]
    frames: Iterable[Any] = (Image.fromarray(raster.pixels(svg, width)) for svg in steps(svgs))
    options: dict[str, Any] = {"format": "WEBP", "quality": 82, "method": 3}
    if path.suffix.lower() == ".gif":
        palette = _palette(svgs, width)
        # Without dithering, so that parts that do not change have the same pixels in each frame.
        frames = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames)
        colours = bytes(palette.getpalette())
        # Each frame holds what differs from the frame before; the rest is transparent, for which one colour is left.
        options = {"format": "GIF", "palette": colours, "optimize": True, "disposal": 1}
    frames = iter(frames)
    out = io.BytesIO()
    next(frames).save(out, save_all=True, append_images=frames, duration=durations, loop=0, **options)
    atomic.write_bytes(path, out.getvalue())


def _times(number: int, frames: int) -> int:
    return _LAST if number == frames - 1 else _FIRST if number == 0 else 1


def _palette(svgs: Sequence[str], width: int) -> Any:
    """An image with the palette that all frames share, made from some of them."""
    from PIL import Image

    chosen = np.unique(np.linspace(0, len(svgs) - 1, _FRAMES_FOR_PALETTE).round().astype(int)).tolist()
    some: list[NDArray[np.uint8]] = [raster.pixels(svgs[number], min(width, 600)) for number in chosen]
    return Image.fromarray(np.concatenate(some)).quantize(_COLOURS, method=Image.Quantize.MEDIANCUT)

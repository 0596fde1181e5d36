"""Rasterising: PNG files and arrays of pixels from SVG text, in the fonts that are brought along."""

from __future__ import annotations

import io
import sys
from typing import Any

import numpy as np
import pytest
from PIL import Image

from dunaia_env.render import raster
from dunaia_env.support import svg as writer

pytestmark = pytest.mark.once

SQUARE = writer.document(40, 20, "half a red field", writer.rect(0, 0, 20, 20, "#ff0000"))


def words(text: str, weight: int = writer.NORMAL, family: str = writer.FAMILY) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 40" font-family="{family}">' + (
        writer.text(4, 30, text, 28, "#000000", weight=weight) + "</svg>"
    )


def dark_columns(svg: str) -> int:
    """Up to which column there is something dark."""
    columns: list[int] = np.flatnonzero((raster.pixels(svg, 300) < 128).any(axis=(0, 2))).tolist()
    return max(columns, default=0)


def test_pixels() -> None:
    field = raster.pixels(SQUARE, 80)
    assert field.shape == (40, 80, 3)
    assert field.dtype == np.uint8
    assert field.flags.writeable
    assert (field[:, :38] == (255, 0, 0)).all()
    assert (field[:, 42:] == 255).all()  # what is transparent is white


@pytest.mark.parametrize(("width", "shape"), [(81, (42, 82, 3)), (82, (42, 82, 3)), (79, (40, 80, 3))])
def test_pixels_have_even_sizes(width: int, shape: tuple[int, int, int]) -> None:
    field = raster.pixels(SQUARE, width)
    assert field.shape == shape
    assert field.flags.c_contiguous
    with Image.open(io.BytesIO(raster.png(SQUARE, width))) as image:
        wide, high = image.size
    assert (wide, high % 2 or wide % 2) == (width, 1)
    if high % 2:
        assert (field[-1] == field[-2]).all()
    if wide % 2:
        assert (field[:, -1] == field[:, -2]).all()


def test_png_holds_the_same_pixels() -> None:
    content = raster.png(SQUARE, 80)
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    with Image.open(io.BytesIO(content)) as image:
        assert image.size == (80, 40)
        assert (np.asarray(image.convert("RGBA"))[:, :38] == (255, 0, 0, 255)).all()


def test_default_width() -> None:
    assert raster.pixels(SQUARE).shape[1] == raster.DEFAULT_WIDTH


@pytest.mark.parametrize("weight", [writer.NORMAL, writer.BOLD])
def test_texts_are_as_wide_as_expected(weight: int) -> None:
    text = "Nunito, œuvre 123"
    assert dark_columns(words(text, weight)) == pytest.approx(4 + writer.width_of(text, 28, weight), abs=4)


def test_texts_do_not_depend_on_the_fonts_of_the_machine() -> None:
    expected = raster.pixels(words("Handgloves"), 300)
    for family in ("DejaVu Sans, sans-serif", "sans-serif", "No Such Font, sans-serif"):
        assert (raster.pixels(words("Handgloves", family=family), 300) == expected).all()


def test_both_weights_are_there() -> None:
    thin, thick = (255 - raster.pixels(words("mmm", weight), 300).astype(int) for weight in (600, 800))
    assert thick.sum() > 1.1 * thin.sum() > 0


@pytest.mark.parametrize("width", [15, 8193, 0, -1, True, 80.0, "80", None])
def test_wrong_width(width: Any) -> None:
    with pytest.raises(ValueError, match=r"width: expected an integer in 16\.\.8192, got .*"):
        raster.png(SQUARE, width)


@pytest.mark.parametrize("text", ["", "no svg", "<svg", "<html/>"])
def test_wrong_document(text: str) -> None:
    with pytest.raises(ValueError, match=r"svg: expected an SVG document, got .*"):
        raster.pixels(text)


@pytest.mark.parametrize("missing", ["resvg_py", "PIL.Image"])
def test_missing_library(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match=r"pip install 'dunaia-env\[render\]'"):
        raster.png(SQUARE)


def test_fonts_come_with_their_licence() -> None:
    licence = (raster.FONTS / "OFL.txt").read_text(encoding="utf-8")
    assert "SIL Open Font License, Version 1.1" in licence
    assert "Reserved Font Name" not in licence.split("-----")[0]  # so that the fonts may keep their name

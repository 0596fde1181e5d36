"""Pictures inside HTML pages that refer to no other file."""

from __future__ import annotations

import base64
import re
from functools import cache
from pathlib import Path

from dunaia_env.render.raster import FONT_FILES
from dunaia_env.support.svg import BOLD, FONT, NORMAL


def inline(svg: str) -> str:
    """An SVG document as an element of an HTML page, where it needs no namespace declarations."""
    return re.sub(r"^<\?xml[^>]*>\s*|\sxmlns(:\w+)?=\"[^\"]*\"", "", svg)


@cache
def font_faces() -> str:
    """CSS that contains the fonts in which pictures are set."""
    faces = []
    for weight, path in zip((NORMAL, BOLD), FONT_FILES, strict=True):
        data = base64.b64encode(Path(path).read_bytes()).decode("ascii")
        faces.append(
            f'@font-face {{ font-family: "{FONT}"; font-weight: {weight}; src: url(data:font/ttf;base64,{data}); }}'
        )
    return "\n".join(faces)

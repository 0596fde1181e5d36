"""Sphinx's configuration: ``make docs`` builds the site from the Markdown pages as they stand in the repository.

The whole repository is the source folder, so that a link works on the site as it does where the files are read.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx
from sphinx.domains.python import PyClasslike
from sphinx.ext.napoleon import Config, GoogleDocstring

from dunaia_env import __version__

project = "dunaia_env"
author = "dunaia_env contributors"
copyright = author  # noqa: A001  (Sphinx's name)
version = release = __version__

root_doc = "docs/index"
include_patterns = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "LEADERBOARD.md",
    "agents/models/*.md",
    "docs/**.md",
    "notebooks/*.ipynb",
]
exclude_patterns = ["docs/_build"]
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.viewcode", "sphinx_copybutton"]

myst_heading_anchors = 4
nb_execution_mode = "off"  # tests/test_notebooks.py runs the notebooks; the site shows what is stored

# A name between single backticks in a docstring is a link where the reference has that name, and code elsewhere.
default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 100
nitpicky = True
nitpick_ignore_regex = [
    ("py:obj", r".*"),
    ("py:class", r"(numpy|collections|os|pathlib|gymnasium|pettingzoo|stable_baselines3|pyspiel|rich)\..*"),
    ("py:class", r"torch\..*|Tensor|training\.(ppo|running\.parallel)\..*"),
    ("py:class", r"NDArray|Floats|Positional|Bytes|Content|np\..*|.*\.components\.(Kind|Found)"),  # names of types
    (
        "py:class",
        r".*\._\w+|agents\.guided\.SearchBatch|dunaia_env\.(arena\.(playing|summary)|harness\.chance_nodes)\..*",
    ),  # internal
    ("py:class", r"dunaia_env\.(dunaia\.family\.file|balance)\..*|design\.KindForAll"),  # not in the reference
    # Sphinx takes the annotations of a class that inherits from one of another module as text, in pieces.
    ("py:class", r"Measured|Path|(Mapping|tuple|Literal)\[.*"),
]

html_theme = "furo"
html_title = "dunaia_env"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_extra_path = ["_root"]  # leads from the root of the site to its first page

linkcheck_timeout = 30

_NAPOLEON = Config(napoleon_use_ivar=True, napoleon_attr_annotations=False)
_GLOB = re.compile(r"(?<=\()\*(?=\.)")
_SEVERAL = re.compile(r":ivar (\w+(?:, \w+)+): (.*)")
_ARRAY = re.compile(r"~?numpy\.ndarray\[tuple\[~?typing\.Any, \.\.\.\], ~?numpy\.dtype\[(~?[\w.]+)\]\]")


def read_google_style(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Turn a Google-style docstring into reStructuredText, in place.

    `sphinx.ext.napoleon` itself would take the words before a colon in a property's docstring for a type, and
    several attributes on one line for a single one.
    """
    lines[:] = [_GLOB.sub(r"\\*", line) for line in lines]
    kind = "method" if what in ("attribute", "data", "property") else what
    lines[:] = GoogleDocstring(lines, _NAPOLEON, app, kind, name, obj, options).lines()
    for index, line in reversed(list(enumerate(lines))):
        if found := _SEVERAL.fullmatch(line):
            end = index + 1
            while end < len(lines) and lines[end].startswith(" "):
                end += 1
            rest = lines[index + 1 : end]
            lines[index:end] = [part for one in found[1].split(", ") for part in (f":ivar {one}: {found[2]}", *rest)]


def shorten_types(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """Write arrays as their source does: `NDArray[int8]`."""
    short = [text and _ARRAY.sub(r"~numpy.typing.NDArray[\1]", text) for text in (signature, returned)]
    return short[0], short[1]


def setup(app: Sphinx) -> None:
    """Connect the above, and call attributes by that name, where Sphinx writes "Variables"."""
    for field in PyClasslike.doc_field_types:
        if field.name == "variable":
            field.label = "Attributes"
    app.connect("autodoc-process-docstring", read_google_style)
    app.connect("autodoc-process-signature", shorten_types)

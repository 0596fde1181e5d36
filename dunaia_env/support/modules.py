"""Python objects that a command line names: ``package.module:Attribute``, or ``path/of/file.py:Attribute``."""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from dunaia_env.support.messages import MOST_OF_A_TEXT, shorten

SUFFIX = ".py"


def load_attribute(name: str) -> Any:
    """The object that a name with a colon stands for; its module is imported.

    A file is imported like the script of a Python process: modules beside it can be imported too, and if it belongs to
    a package, it is imported as a module of that package.

    Args:
        name: ``module:Attribute`` or ``file.py:Attribute``. The name must come from the user, never from a file,
            because importing a module runs it.

    Raises `ImportError`, `AttributeError` or `ValueError` saying what is wrong, and whatever the module itself raises.
    """
    # From the right: a path on Windows may begin with a drive.
    place, _, attribute = name.rpartition(":")
    if not attribute.isidentifier():
        raise ValueError(f"expected the name of a class, function or object after the colon, got {shorten(attribute)}")
    module = _import_file(Path(place)) if place.endswith(SUFFIX) else _import_module(place)
    return getattr(module, attribute)


def _import_module(name: str) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        raise ValueError(
            "expected a module such as my_package.my_module, or a file such as ./my_module.py, before the colon, got"
            f" {shorten(name, MOST_OF_A_TEXT)}"
        )
    return importlib.import_module(name)


def _import_file(path: Path) -> ModuleType:
    shown = shorten(str(path), MOST_OF_A_TEXT)
    path = path.parent.resolve() / path.name
    if not path.is_file():
        raise ValueError(f"there is no file {shown}")
    folder, parts = path.parent, [path.stem]
    while (folder / "__init__.py").is_file():
        folder, parts = folder.parent, [folder.name, *parts]
    if not all(part.isidentifier() for part in parts):
        raise ValueError(f"{shown}: {'.'.join(parts)!r} is no name of a module; rename the file")
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    name = ".".join(parts)
    found = _file_of(name)
    if found is None or not path.samefile(found):
        raise ValueError(f"{shown}: another module is called {name}, {found or 'a built-in one'}; rename the file")
    return importlib.import_module(name)


def _file_of(name: str) -> str | None:
    """The file from which a module is, or would be, imported; packages around it are imported."""
    if name in sys.modules:
        return getattr(sys.modules[name], "__file__", None)
    importlib.invalidate_caches()
    spec = find_spec(name)
    return spec.origin if spec is not None and spec.has_location else None

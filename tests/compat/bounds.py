"""The versions that pyproject.toml allows. ``python -m tests.compat.bounds`` prints the oldest, as pip takes them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"
# What users do not install: these tools come in their newest versions beside the oldest ones of everything else.
DEVELOPMENT = ("dev", "docs")


def project() -> dict[str, Any]:
    """The table ``project`` of pyproject.toml."""
    table: dict[str, Any] = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    return table


def requirements() -> list[Requirement]:
    """What the project and its extras need, without the tools of those who develop it."""
    table = project()
    extras = [name for name in table["optional-dependencies"] if name not in DEVELOPMENT]
    texts = [*table["dependencies"], *(text for name in extras for text in table["optional-dependencies"][name])]
    # An extra may hold another one of the project. Two extras may need the same.
    found = {text: Requirement(text) for text in texts}
    return [one for one in found.values() if one.name != table["name"]]


def oldest(requirements: Iterable[Requirement]) -> dict[str, str]:
    """The lower bound of each requirement, by its name; raises `ValueError` for one that has none."""
    bounds = {}
    for requirement in requirements:
        lower = [one.version for one in requirement.specifier if one.operator in (">=", "==")]
        if len(lower) != 1:
            raise ValueError(f"{requirement}: expected one lower bound (>=)")
        bounds[requirement.name] = lower[0]
    return bounds


if __name__ == "__main__":
    for name, version in oldest(requirements()).items():
        print(f"{name}=={version}")

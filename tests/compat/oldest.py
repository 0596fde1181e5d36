"""The oldest versions that pyproject.toml allows, as constraints for pip: ``python -m tests.compat.oldest``."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

from packaging.requirements import Requirement

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def oldest(requirements: Iterable[str]) -> dict[str, str]:
    """The lower bound of each requirement, by its name; raises `ValueError` for one that has none."""
    bounds = {}
    for requirement in map(Requirement, requirements):
        lower = [one.version for one in requirement.specifier if one.operator in (">=", "==")]
        if len(lower) != 1:
            raise ValueError(f"{requirement}: expected one lower bound (>=)")
        bounds[requirement.name] = lower[0]
    return bounds


def dependencies() -> dict[str, str]:
    """The lower bounds of what the project itself needs."""
    return oldest(tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["dependencies"])


def everything() -> dict[str, str]:
    """The lower bounds of what the project and its extras need."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    extras = (requirement for extra in project["optional-dependencies"].values() for requirement in extra)
    # An extra may hold another one of the project.
    others = (requirement for requirement in extras if Requirement(requirement).name != project["name"])
    return oldest(others) | dependencies()


if __name__ == "__main__":
    for name, version in everything().items():
        print(f"{name}=={version}")

"""The build hook of the wheel: agents/ and training/ become `dunaia_env.agents` and `dunaia_env.training`.

In a checkout both are top-level packages. Packages of these names would clash with others in an installation, so the
wheel holds them inside dunaia_env, and every name of one of their modules in their sources gets the longer name.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "dunaia_env"
INSIDE = ("agents", "training")
# Models that are not shipped by name, which commands of the documentation use in a checkout.
LEFT_OUT = ("training/unfinished",)


def names_of_modules(root: Path) -> re.Pattern[str]:
    """What the modules of both packages are called in a checkout, in code and in words, but not in paths."""
    names = []
    for package in INSIDE:
        found = "|".join(sorted({path.stem for path in (root / package).iterdir() if path.stem.isidentifier()}))
        names.append(rf"{package}(?=\.(?:{found})\b(?!\.md)|\s+import\b)")
    return re.compile(rf"(?<![\w./])(?:{'|'.join(names)})")


class CustomBuildHook(BuildHookInterface[Any]):
    """Adds the files of both packages to the wheel; an editable installation keeps them where they stand."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the renamed sources into a temporary folder, and name all files to the builder."""
        if self.target_name != "wheel" or version == "editable":
            return
        root = Path(self.root)
        names = names_of_modules(root)
        self._folder = tempfile.TemporaryDirectory()
        for package in INSIDE:
            for path in sorted((root / package).rglob("*")):
                place = path.relative_to(root).as_posix()
                if not path.is_file() or "__pycache__" in path.parts or place.startswith(LEFT_OUT):
                    continue
                if path.suffix == ".py":
                    path = Path(self._folder.name, place)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    source = (root / place).read_text(encoding="utf-8")
                    path.write_text(names.sub(rf"{PACKAGE}.\g<0>", source), encoding="utf-8")
                build_data["force_include"][str(path)] = f"{PACKAGE}/{place}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary folder."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()

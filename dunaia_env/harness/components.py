"""The values printed on a game's components: read from a TOML file, checked, and laid out as one record for the rules.

The rules contain no printed number. Every kernel is given the record, so a changed file needs no recompilation, and
games with different components can run side by side.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from dunaia_env.support import groups, messages, reading

MOST_BYTES = 1 << 18  # the largest of the project's own files has 15 KB
OWN_FILE = "components.toml"


class ComponentsError(ValueError):
    """A component file that cannot be used. The message names the file, the key, the value and what is allowed."""


@dataclass(frozen=True, eq=False)
class PrintedComponents:
    """The values printed on the components of a game.

    Attributes:
        record: the values as a one-element structured array, read-only.
        buffer: the same bytes as uint8, which kernels take.
        hash: 16 hexadecimal digits that identify the values.
        statuses: the status of each group by its name, such as "documented" or "assumed".
        source: where the values were read from.
    """

    record: NDArray[np.void]
    buffer: NDArray[np.uint8]
    hash: str
    statuses: dict[str, str]
    source: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.hash == other.hash

    def __hash__(self) -> int:
        return hash(self.hash)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


Kind = TypeVar("Kind", bound=PrintedComponents)
Found = TypeVar("Found")


class ComponentFiles(Generic[Kind]):
    """Reads the component files of a game.

    Args:
        kind: the class of the game's components.
        package: the package that holds the game's own file, ``components.toml``.
        from_content: makes components of the content of a TOML file; the text names the file in errors.
    """

    def __init__(self, kind: type[Kind], package: str, from_content: Callable[[dict[str, Any], str], Kind]) -> None:
        self._kind = kind
        self._package = package
        self._from_content = from_content

    def load(self, source: str | os.PathLike[str] | Kind | None = None) -> Kind:
        """Load components from a TOML file; None loads the game's own, and components are returned as they are.

        Raises `ComponentsError` for a file that cannot be read or has a wrong, missing or unknown entry.
        """
        if isinstance(source, self._kind):
            return source
        if source is None:
            return self._own
        path = os.fspath(source) if isinstance(source, str | os.PathLike) else source
        if not isinstance(path, str):
            shown = messages.shorten(source)
            raise ComponentsError(f"components: expected the path of a TOML file, Components or None, got {shown}")
        try:
            text = reading.read_text(path, MOST_BYTES)
        except reading.ReadingError as error:
            raise ComponentsError(f"{_file(path)}: {error}") from error
        return self.parse(text, path)

    def parse(self, text: str, source: str) -> Kind:
        """Read components from the text of a TOML file; ``source`` names the file in errors.

        Raises `ComponentsError` for a text that is not TOML, or that has a wrong, missing or unknown entry.
        """
        try:
            content = reading.parse_toml(text)
        except reading.ReadingError as error:
            raise ComponentsError(f"{_file(source)}: {error}") from error
        return self._from_content(content, source)

    @cached_property
    def _own(self) -> Kind:
        return self.parse(resources.files(self._package).joinpath(OWN_FILE).read_text(encoding="utf-8"), OWN_FILE)


def read_groups(
    content: dict[str, Any],
    source: str,
    allowed: Sequence[str],
    readers: Mapping[str, Callable[[groups.Group, Any], Found]],
    tables: Any,
) -> tuple[groups.Group, dict[str, str], list[Found]]:
    """Read all groups of a component file.

    Args:
        content: the content of the file.
        source: names the file in errors.
        allowed: the statuses that a group may have.
        readers: for each group by its name, a function that reads it into the tables.
        tables: what the readers write to.

    Returns the whole file as a group, for further errors, the status of each group by its name, and what the readers
    returned. Raises `ComponentsError` for a wrong, missing or unknown entry.
    """
    root = groups.Group(content, _file(source), ComponentsError)
    statuses, found = {}, []
    for name, read in readers.items():
        with root.group(name) as group:
            statuses[name] = group.choice("status", allowed)
            group.optional_text("note")
            found.append(read(group, tables))
    root.finish()
    return root, statuses, found


def values_of(record: NDArray[np.void], derived: Collection[str]) -> dict[str, Any]:
    """The values of a one-element structured array by field, without those of derived fields."""
    return {name: record[name][0].tolist() for name in record.dtype.names or () if name not in derived}


def begins(path: str, text: str) -> bool:
    """Whether a text is a path or its beginning, as ``prices`` is of ``prices.0``."""
    return path == text or path.startswith(f"{text}.")


def _file(source: str) -> str:
    return f"components {messages.printable(source, messages.MOST_OF_A_TEXT)}"

"""The family of component files: which values are fixed, and in which ranges the others may vary.

`load_family()` reads ``family.toml``. For values that no public text documents, its ranges hold what is plausible; for
other values, what a designer would try. A family draws members, and says whether given components are inside it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from dunaia_env.dunaia.component_writing import toml_of
from dunaia_env.dunaia.components import Components, load
from dunaia_env.dunaia.family.file import FamilyError, Ranges, read_family
from dunaia_env.dunaia.family.membership import first_outside
from dunaia_env.dunaia.family.narrowing import narrow
from dunaia_env.dunaia.family.sampling import sample
from dunaia_env.harness.compiled.chance import check_seed
from dunaia_env.support import hashing, messages, reading

PLAUSIBLE_FAMILY = str(Path(__file__).with_name("plausible.toml"))
"""Path of the family in which only values vary that are inferred or assumed."""
MOST_BYTES = 1 << 16  # the project's own file has 7 KB


@dataclass(frozen=True, eq=False)
class Family:
    """A family of component files.

    Attributes:
        content: the content of the file as TOML gives it; `load_family` makes the same family from it.
        source: where the family was read from.
        ranges: the checked content.
        base: the project's own components, which are inside; members have their values where nothing varies.
    """

    content: dict[str, Any]
    source: str
    ranges: Ranges
    base: Components

    @cached_property
    def hash(self) -> str:
        """16 hexadecimal digits that identify the ranges and how members are drawn, but not the reasons."""
        ruling = {
            name: {key: value for key, value in table.items() if key != "why"} for name, table in self.content.items()
        }
        return hashing.hash_of(ruling)

    def sample(self, seed: int) -> Components:
        """The member that a seed in 0..2**63-1 draws, on every machine; raises `ValueError` for any other seed."""
        return sample(self.ranges, self.base, check_seed(seed))

    def narrowed(self, values: Sequence[str]) -> Family:
        """The family in which only some values vary, see `dunaia_env.dunaia.family.narrowing.narrow`.

        Raises `FamilyError` for a text that is the beginning of no path of a number that varies.
        """
        return _checked(narrow(self.content, self.ranges, self.base, values), f"{self.source}, {', '.join(values)}")

    def outside(self, components: Components) -> str:
        """The first value of components outside its range, such as "prices.level_1[0] = 9; 0..3 in the family".

        Empty if all values are inside.
        """
        return first_outside(self.ranges, self.base, components)

    def text_of(self, components: Components) -> str:
        """Components as the text of a component file."""
        return toml_of(components)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Family) and self.hash == other.hash

    def __hash__(self) -> int:
        return hash(self.hash)

    def __deepcopy__(self, memo: dict[int, Any]) -> Family:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _checked, (self.content, self.source)


def load_family(source: str | os.PathLike[str] | Mapping[str, Any] | Family | None = None) -> Family:
    """Load the family of a TOML file or of its content; None loads the project's own, and a family is returned as is.

    Raises `FamilyError` for a file that cannot be read, that has a wrong, missing or unknown entry, or whose ranges do
    not contain the project's own components.
    """
    if isinstance(source, Family):
        return source
    if source is None:
        return _own_family()
    if isinstance(source, Mapping):
        return _checked(dict(source), "content")
    path = os.fspath(source) if isinstance(source, str | os.PathLike) else source
    if not isinstance(path, str):
        raise FamilyError(
            f"family: expected the path of a TOML file, its content, a Family or None, got {messages.shorten(source)}"
        )
    try:
        return _checked(reading.parse_toml(reading.read_text(path, MOST_BYTES)), path)
    except reading.ReadingError as error:
        raise FamilyError(f"family {messages.printable(path, messages.MOST_OF_A_TEXT)}: {error}") from error


@lru_cache(maxsize=1)
def _own_family() -> Family:
    file = resources.files(__package__).joinpath("family.toml")
    return _checked(reading.parse_toml(file.read_text(encoding="utf-8")), "family.toml")


def _checked(content: dict[str, Any], source: str) -> Family:
    file = f"family {messages.printable(source, messages.MOST_OF_A_TEXT)}"
    ranges = read_family(content, file)
    base = load()
    if outside := first_outside(ranges, base, base):
        raise FamilyError(
            f"{file}: expected a family that holds the project's own components, but these have {outside}"
        )
    return Family(content, source, ranges, base)

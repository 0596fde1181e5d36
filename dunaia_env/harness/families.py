"""What the layers above know about a family: a set of component files, from which members are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class Family(Protocol):
    """A set of components of one game, in which each value is fixed or may vary in a range.

    Attributes:
        hash: 16 hexadecimal digits that identify which components are inside and how members are drawn.
        content: JSON data from which `Game.load_family` makes the same family.
    """

    @property
    def hash(self) -> str:
        """See the class."""

    @property
    def content(self) -> dict[str, Any]:
        """See the class."""

    def sample(self, seed: int) -> Any:
        """The member that a seed in 0..2**63-1 draws, the same everywhere; raises `ValueError` for any other seed."""

    def narrowed(self, values: Sequence[str]) -> Family:
        """The family in which only some values vary, given by their paths or beginnings of paths.

        Raises `ValueError` for a text that is the beginning of no path of a value that varies.
        """

    def outside(self, components: Any) -> str:
        """A clause with the first value that is not inside and what is allowed; empty if all values are inside."""

    def text_of(self, components: Any) -> str:
        """The text of a component file with these components, which `Game.load` reads."""

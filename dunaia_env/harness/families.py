"""What the layers above know of a family: a set of component files, from which members are drawn."""

from __future__ import annotations

from typing import Any, Protocol


class Family(Protocol):
    """A set of components of one game: each of their values is fixed, or may vary in a range.

    Attributes:
        hash: 16 hexadecimal digits that name what is inside, and how members are drawn.
        content: what `Game.load_family` makes the same family of; plain enough for JSON.
    """

    @property
    def hash(self) -> str:
        """See the class."""

    @property
    def content(self) -> dict[str, Any]:
        """See the class."""

    def sample(self, seed: int) -> Any:
        """The components that a seed in 0..2**63-1 draws, the same everywhere; raises `ValueError` for any other."""

    def outside(self, components: Any) -> str:
        """The first value of components that is not inside, and what is, as a clause; empty if all are inside."""

    def text_of(self, components: Any) -> str:
        """Components as the text of a file that `Game.load` reads."""

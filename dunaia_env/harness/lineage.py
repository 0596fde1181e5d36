"""The weights that trained players come from; they tell whether two players are independent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Ancestor:
    """A trained player whose weights were the beginning of another player's training.

    Attributes:
        name: name of the player.
        weights: digest of its weights, see `agents.model.digest`.
    """

    name: str
    weights: str


@dataclass(frozen=True)
class Lineage:
    """The weights that a trained player comes from.

    Attributes:
        own: digest of the weights in its file and, if they were converted to half precision for the file, also of the
            weights before the conversion.
        ancestors: the player whose weights its training began with, then that player's ancestors, the nearest first.
    """

    own: tuple[str, ...]
    ancestors: tuple[Ancestor, ...] = ()


def began_with(lineages: Mapping[str, Lineage]) -> dict[str, str]:
    """For each agent whose training began with another player's weights: its nearest ancestor among the agents.

    If no ancestor is among the agents, the value is the name and the weights of the earliest ancestor.
    """
    # Of several agents with the same weights, take the one without a search or a temperature: it has the shortest name.
    labels = sorted(lineages, key=len, reverse=True)
    named = {weights: label for label in labels for weights in lineages[label].own}
    found = {}
    for label, lineage in lineages.items():
        if lineage.ancestors:
            present = [named[ancestor.weights] for ancestor in lineage.ancestors if ancestor.weights in named]
            first = lineage.ancestors[-1]
            found[label] = present[0] if present else f"{first.name} ({first.weights})"
    return found

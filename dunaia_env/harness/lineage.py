"""From which weights trained players come, so that it can be told whether two of them are independent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Ancestor:
    """A trained player with whose weights another one's training began.

    Attributes:
        name: of the player.
        weights: identifies its weights, see `agents.model.digest`.
    """

    name: str
    weights: str


@dataclass(frozen=True)
class Lineage:
    """From which weights a trained player comes.

    Attributes:
        own: identify the weights in its file and, if they were halved for it, those before.
        ancestors: the players with whose weights its training began, the nearest first.
    """

    own: tuple[str, ...]
    ancestors: tuple[Ancestor, ...] = ()


def began_with(lineages: Mapping[str, Lineage]) -> dict[str, str]:
    """For each agent whose training began with weights, the agent that has them: the nearest ancestor among the agents.

    If none is among them, the first of all ancestors, by its name and weights.
    """
    # Of several agents with the same weights the one without a search or a temperature, which has the shortest name.
    labels = sorted(lineages, key=len, reverse=True)
    named = {weights: label for label in labels for weights in lineages[label].own}
    found = {}
    for label, lineage in lineages.items():
        if lineage.ancestors:
            present = [named[one.weights] for one in lineage.ancestors if one.weights in named]
            first = lineage.ancestors[-1]
            found[label] = present[0] if present else f"{first.name} ({first.weights})"
    return found

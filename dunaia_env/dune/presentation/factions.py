"""The factions as what the seats play: their names and emblems beside the names of the players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dunaia_env.dune.components import Components
from dunaia_env.dune.presentation import icons
from dunaia_env.dune.presentation.labels import LABELS
from dunaia_env.dune.presentation.seats import faction_of
from dunaia_env.support import svg

_SIZE: Final = 30


def role(language: str, seat: int, content: Mapping[str, Any], components: Components) -> str:
    """The faction of a seat, as the picture names it; empty before it is drawn."""
    faction = faction_of(content["players"][seat])
    return "" if faction is None else LABELS[language].factions[faction]


def emblem(seat: int, content: Mapping[str, Any]) -> str:
    """The emblem of a seat's faction as an SVG document in the colour of the text; empty before it is drawn."""
    faction = faction_of(content["players"][seat])
    if faction is None:
        return ""
    drawn = svg.placed(_SIZE / 2, _SIZE / 2, icons.emblem(faction, "currentColor", "none"))
    return svg.document(_SIZE, _SIZE, LABELS["en"].factions[faction], drawn)

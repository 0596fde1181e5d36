"""What the model cards say of the matches and trainings of the champions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dunaia_env.statistics.intervals import Estimate

FOLDER = Path(__file__).parent.parent / "agents" / "models"
_SHARE = re.compile(r"([\d.]+) % \(([\d.]+) to ([\d.]+)\)")
_TRAINING = re.compile(r"([\d,]+) decisions, ([\d.]+) hours")
_OTHERS = ("player", "against", "players", "games", "win share (95 %)", "fair")


@dataclass(frozen=True)
class Match:
    """A row of the matches of a card; `options` are the preset or the game's options, as the card words them."""

    player: str
    opponent: str
    players: int
    options: Mapping[str, str]
    games: int
    share: Estimate
    fair: float


def matches(name: str) -> list[Match]:
    """The matches of a model's card; raises `ValueError` for a card without any."""
    lines = (FOLDER / f"{name}.md").read_text(encoding="utf-8").partition("\n## How it plays\n")[2].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    if len(rows) < 2:
        raise ValueError(f"{name}.md: expected a table of matches, got none")
    heads, found = rows[0], []
    for row in rows[1:]:
        cells = dict(zip(heads, row, strict=True))
        share = _SHARE.fullmatch(cells["win share (95 %)"])
        assert share is not None, f"{name}.md: {cells['win share (95 %)']}"
        found.append(
            Match(
                cells["player"],
                cells["against"],
                int(cells["players"]),
                {head: cell.strip("`") for head, cell in cells.items() if head not in _OTHERS},
                int(cells["games"].replace(",", "")),
                Estimate(*(float(end) / 100 for end in share.groups())),
                float(cells["fair"].removesuffix(" %")) / 100,
            )
        )
    return found


def trained(name: str) -> tuple[int, float]:
    """The decisions and the hours of all trainings of a model together."""
    card = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    found = _TRAINING.findall(card.partition("\n## How it was trained\n")[2].partition("\n## ")[0])
    return sum(int(decisions.replace(",", "")) for decisions, _ in found), sum(float(hours) for _, hours in found)

"""The colours in which a terminal prints the maps and the texts of Dune's positions."""

from __future__ import annotations

# Readable on black and on white. Each colour belongs to a word, so nothing is told by colour alone.
STYLES = {
    r"(?m)^Board:$|(?<=^  )(?:Cards|Leaders|Traitors)(?=:)|\(stronghold\)": "bold",
    r"\b\d+ spice\b": "#c77d0a",
    r"\bStorm: sector \d+|\bin the storm\b": "#a45ad1",
    r"\bdead\b|\bdestroyed\b": "#e0443e",
    r"\?": "dim",
    r"\A.+|(?m:^[^:\n]*\(player \d\)(?=:))": "bold reverse",
}

# Of the map. Names and what lies on the board stand out from the ground and its borders.
MAP_STYLES = {
    r"[|_.^]": "dim",
    r"[~@]\w*|\bx\b": "#a45ad1",
    r"\b[A-ZÀ-Þ']{3,}\b": "bold",
    r"\b[A-Z]\d+\b": "bold",
    r"\$\d+\b": "bold #c77d0a",
}

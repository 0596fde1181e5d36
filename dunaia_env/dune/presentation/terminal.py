"""The colours in which a terminal prints the texts of Dune's positions."""

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

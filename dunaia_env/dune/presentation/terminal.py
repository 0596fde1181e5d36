"""How terminals show the texts of Dune's positions: what is printed in which colour."""

from __future__ import annotations

# Bright enough on black, dark enough on white. Each belongs to a word: nothing is told by colour only.
STYLES = {
    r"(?m)^Board:$|(?<=^  )(?:Cards|Leaders|Traitors)(?=:)|\(stronghold\)": "bold",
    r"\b\d+ spice\b": "#c77d0a",
    r"\bStorm: sector \d+|\bin the storm\b": "#a45ad1",
    r"\bdead\b|\bdestroyed\b": "#e0443e",
    r"\?": "dim",
    r"\A.+|(?m:^[^:\n]*\(player \d\)(?=:))": "bold reverse",
}

"""Typography of French texts."""

from __future__ import annotations

import re


def typeset(text: str) -> str:
    """A text with the apostrophes and the unbreakable spaces of French typography."""
    text = text.replace("'", "’")
    return re.sub(r" (?=[:;?!»])|(?<=«) ", "\u00a0", text)

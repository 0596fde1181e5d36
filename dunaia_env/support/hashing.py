"""Hashes that identify tables, layouts and values."""

from __future__ import annotations

import hashlib
import json


def hash_of(content: object) -> str:
    """16 hexadecimal digits that identify content of JSON; the order of keys does not matter, that of lists does."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]

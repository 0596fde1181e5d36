"""JSON objects from foreign files: of limited size, with no key twice, and with no values that JSON does not have."""

from __future__ import annotations

import json
from typing import Any

from dunaia_env.support.messages import reason, shorten


def parse_object(text: str, most_characters: int, most_values: int) -> dict[str, Any]:
    """Parse a JSON object.

    Args:
        text: the text.
        most_characters: largest number of characters.
        most_values: largest number of values, which bounds the memory that a small text can use.

    Raises `ValueError` saying what is wrong.
    """
    if len(text) > most_characters:
        raise ValueError(f"{len(text)} characters; at most {most_characters} are allowed")
    if sum(map(text.count, ",[{")) > most_values:
        raise ValueError(f"more than {most_values} values, the most allowed")
    try:
        content: Any = _JSON.decode(text)
    except RecursionError:
        raise ValueError("not JSON: lists and objects are nested too deeply") from None
    except ValueError as error:  # invalid JSON, or an integer with more digits than Python converts
        raise ValueError(f"not JSON: {reason(error)}") from None
    if not isinstance(content, dict):
        raise ValueError("expected an object")
    return content


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in content if names.count(name) > 1)
        raise ValueError(f"{shorten(repeated)} occurs twice in one object")
    return content


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


_JSON = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)

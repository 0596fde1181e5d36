"""Components with changed values, and the values of components by their paths.

A path is the place of a value in a component file, with its keys joined by dots: ``characters.merchant.discount``,
``prices.level_2`` for a list, ``prices.level_2.0`` for its first number, ``prophecies.group_a.0.points``,
``level_2.tiles.20.effect`` for the tile with the id 20. Changed components are checked like a file that is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dunaia_env.dunaia import component_writing, state
from dunaia_env.dunaia.components import Components, from_content
from dunaia_env.harness.components import ComponentsError
from dunaia_env.support import messages, reading

REMOVED = "none"
"""In place of a value, this text leaves the entry out of the file, if a file may lack the entry."""

# Entries that are remarks about the values of a file.
_REMARKS = ("status", "note")
_ASSUMED = "assumed"
# Entries that a file may leave out, by the list or the table that holds them.
_OPTIONAL: dict[str, tuple[str, ...]] = {
    "tiles": ("steps",),
    "arrows": state.SIDE_NAMES,
    **dict.fromkeys(("group_a", "group_b", "group_c"), ("buildings", "flowers", "artefacts", "shape")),
}


def change(components: Components, values: Mapping[str, Any]) -> Components:
    """Components with some values changed.

    The status of a group in which a value is given becomes "assumed".

    Args:
        components: the components that all other values are taken from.
        values: new values by path, applied one after the other. A value is what a component file has there, or its
            text, such as ``"3"``, ``"[3, 4]"`` or ``"moves"``; None or the text ``none`` removes an entry that a file
            may leave out. A list of start flowers may be short; the remaining seats keep theirs.

    Raises `ComponentsError` for an unknown path, listing the known keys, and for a value that no file may have.
    """
    content = _content(components)
    for path, value in values.items():
        _put(content, path, _parsed(value))
        content[path.split(".")[0]]["status"] = _ASSUMED
    given = ", ".join(f"{path}={value}" for path, value in values.items())
    return from_content(content, f"{components.source} with {given}" if given else components.source)


def values_of(components: Components) -> dict[str, Any]:
    """All values of components, integers and texts, by their paths, without entries that a file would leave out.

    The start flowers are given for each seat, and the steps for each tile.
    """
    content = _content(components)
    tables: Any = components.record[0]
    for level in ("level_1", "level_2", "level_3"):
        for tile in content[level]["tiles"]:
            tile["steps"] = int(tables.steps[tile["id"]])
    return dict(_leaves(content, ""))


def _content(components: Components) -> dict[str, Any]:
    """The content of a component file, with the start flowers of each seat."""
    content = reading.parse_toml(component_writing.toml_of(components))
    start = content["start"]
    if not isinstance(start["flowers"], list):
        start["flowers"] = [start["flowers"]] * state.MAX_PLAYERS
    return content


def _parsed(value: Any) -> Any:
    """The value that a text stands for in a TOML file; the text itself if it stands for no value."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    try:
        content = reading.parse_toml(f"value = {text}")
    except reading.ReadingError:
        return None if text == REMOVED else text
    return content["value"] if list(content) == ["value"] else text


def _entries(place: Any) -> dict[str, Any]:
    """The entries of a table or a list by their names in paths: keys of a table; ids or positions in a list."""
    if isinstance(place, dict):
        return {key: value for key, value in place.items() if key not in _REMARKS}
    if isinstance(place, list):
        return {str(one.get("id", at) if isinstance(one, dict) else at): one for at, one in enumerate(place)}
    return {}


def _leaves(place: Any, path: str) -> Iterator[tuple[str, Any]]:
    for name, value in _entries(place).items():
        whole = f"{path}.{name}" if path else name
        if isinstance(value, dict | list):
            yield from _leaves(value, whole)
        elif name != "id":
            yield whole, value


def _put(content: dict[str, Any], path: str, value: Any) -> None:
    """Change one value in the content of a file."""
    if not isinstance(path, str):
        raise ComponentsError(f"change: expected a path such as prices.level_1, got {messages.shorten(path)}")
    parts = path.split(".")
    place: Any = content
    above: list[str] = []
    for part in parts[:-1]:
        entries = _entries(place)
        if part not in entries:
            raise _unknown(path, above, part, entries)
        place = entries[part]
        above.append(part)
    last, entries = parts[-1], _entries(place)
    # Optional entries belong to this table, or to a list of tables of which it is an entry.
    optional = [name for holder in above[-2:] for name in _OPTIONAL.get(holder, ()) if _holds(above, holder)]
    if not above or (last not in entries and last not in optional):
        raise _unknown(path, above, last, dict.fromkeys([*entries, *optional]))
    if value is None:
        if last not in optional:
            raise ComponentsError(f"change {_shown(path)}: {REMOVED}; a file has to have this value")
        place.pop(last, None)
    elif isinstance(place, list):
        place[list(entries).index(last)] = value
    elif (*above, last) == ("start", "flowers") and isinstance(value, list):
        place[last] = [*value, *place[last][len(value) :]] if isinstance(place[last], list) else value
    else:
        place[last] = value


def _holds(above: list[str], holder: str) -> bool:
    """Whether a path leads to a table with a holder's optional entries: the arrows, or an entry of its list."""
    return above[-1] == holder if holder == "arrows" else len(above) >= 2 and above[-2] == holder


def _unknown(path: str, above: list[str], part: str, entries: Mapping[str, Any]) -> ComponentsError:
    where = f"in {'.'.join(above)}" if above else "in a component file"
    if not entries:
        return ComponentsError(f"change {_shown(path)}: {_shown('.'.join(above))} is a single value, without parts")
    if part in entries:
        return ComponentsError(f"change {_shown(path)}: expected a value, got a whole group")
    return ComponentsError(
        f"change {_shown(path)}: {messages.shorten(part)} is unknown; {where} there are {', '.join(entries)}"
    )


def _shown(path: str) -> str:
    return messages.printable(path, messages.MOST_OF_A_VALUE)

"""A narrower family: the one in which only some of a family's values vary."""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from typing import Any

from dunaia_env.dunaia.components import Components, fields_of
from dunaia_env.dunaia.family.file import SHIPPED, FamilyError, FamilyGroup, Ranges
from dunaia_env.harness.components import begins
from dunaia_env.support import messages

# In a third of the members all chosen values are drawn anew, in the others about half of them, or one in five.
_MEMBERS = {"few": 0, "most_few": 1, "all": 0, "kept": [0, 50, 80]}
# Entries that say how values without a path of their own vary, and what they are where those do not vary.
_STILL = {"elders": {"costs": SHIPPED}, "construction": {"by_tile": 0}}


def narrow(content: dict[str, Any], ranges: Ranges, base: Components, values: Sequence[str]) -> dict[str, Any]:
    """The content of the family in which only some values vary; all others are those of ``base``.

    A value varies together with those that have the same range, such as the start flowers of all seats, and with those
    of a list that may not decrease, such as the two prices of a level. The groups that are chosen vary in all members.

    Args:
        content: the content of a family file.
        ranges: the same content, checked.
        base: the components in which nothing varies.
        values: names of groups, which then vary as they are, or paths and beginnings of paths of numbers, such as
            ``characters.mystic``.

    Raises `FamilyError` for a text that is the beginning of no number that varies.
    """
    narrower = copy.deepcopy(content)
    varied = {path_of(number.path) for group in ranges.groups for number in group.numbers if len(set(number.span)) > 1}
    whole = {group.name for group in ranges.groups if group.name in values and group.vary}
    for text in values:
        if text not in whole and not any(begins(path, text) for path in varied):
            raise FamilyError(
                f"values: expected a group that varies or the beginning of a path such as characters.mystic, "
                f"got {messages.shorten(text)}"
            )
    tables: Any = fields_of(base.record)
    for group in ranges.groups:
        table = narrower[group.name]
        chosen = _chosen(group, values)
        table["vary"] = 100 if chosen or group.name in whole else 0
        if group.name in whole or not chosen:
            continue
        table |= _STILL.get(group.name, {})
        kept = {_place(narrower, path) for path in chosen}
        for number in group.numbers:
            if len(set(number.span)) > 1 and (place := _place(narrower, path_of(number.path))) not in kept:
                _put(narrower, place, int(vars(tables)[number.field][number.at]))
    narrower["members"] = copy.deepcopy(_MEMBERS)
    return narrower


def path_of(name: str) -> str:
    """A number's path as component files have it: ``prices.level_1.0`` for ``prices.level_1[0]``."""
    return re.sub(r"\[(\d+)\]", r".\1", name)


def _chosen(group: FamilyGroup, values: Sequence[str]) -> set[str]:
    """The paths of the numbers of a group that are to vary."""
    paths = [path_of(number.path) for number in group.numbers]
    chosen = {place for place, path in enumerate(paths) if any(begins(path, text) for text in values)}
    for places in group.ascending:
        if chosen.intersection(places):
            chosen.update(places)
    return {paths[place] for place in chosen if len(set(group.numbers[place].span)) > 1}


def _place(content: dict[str, Any], path: str) -> tuple[str | int, ...]:
    """The keys of the entry that holds a number's range, which may hold those of other numbers too."""
    found: list[str | int] = []
    entry: Any = content
    for part in path.split("."):
        if isinstance(entry, list):
            found.append(int(part))
        elif isinstance(entry, dict):
            found.append(part)
        else:
            break
        entry = entry[found[-1]]
    return tuple(found)


def _put(content: dict[str, Any], place: tuple[str | int, ...], value: int) -> None:
    entry: Any = content
    for key in place[:-1]:
        entry = entry[key]
    entry[place[-1]] = value

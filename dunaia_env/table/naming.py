"""Puts the players' names into a game's texts, because the game itself can only number the seats."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from dunaia_env.harness.presentation import Change, Notice, Wording


def distinct(names: Sequence[str]) -> list[str]:
    """Names by which seats can be told apart: a name that an earlier seat has gets a number."""
    told: list[str] = []
    for name in names:
        number, one = 1, name
        while one in told:
            number += 1
            one = f"{name} ({number})"
        told.append(one)
    return told


def naming(wording: Wording, names: Sequence[str]) -> Callable[[str], str]:
    """A function that replaces what a wording calls the seats by the names of those who sit there.

    A name such as "Harkonnen (Ada)" also stands for the role before it, as in "Harkonnen, player 0".
    """
    seats = {wording.player(seat).casefold(): name for seat, name in enumerate(names)}
    longest_first = sorted(seats, key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)", re.IGNORECASE)
    roles = {f"{name.partition(' (')[0]}, {name}": name for name in names if name.endswith(")")}

    def named(text: str) -> str:
        text = pattern.sub(lambda found: seats[found.group().casefold()], text)
        for twice, name in roles.items():
            text = text.replace(twice, name)
        return text

    return named


def with_names(wording: Wording, names: Sequence[str]) -> Wording:
    """A wording that calls the players by their names.

    Args:
        wording: a wording that numbers the players.
        names: names of the seats.
    """
    named = naming(wording, names)

    def changes(*known: object) -> list[Change]:
        return [Change(change.seat, named(change.text)) for change in wording.changes(*known)]  # type: ignore[arg-type]

    def notice(*known: object) -> Notice | None:
        shown = wording.notice(*known)  # type: ignore[arg-type]
        if shown is None:
            return None
        rows = tuple((row, tuple(map(named, cells))) for row, cells in shown.rows)
        return shown._replace(title=named(shown.title), rows=rows, lines=tuple(map(named, shown.lines)))

    return wording._replace(
        player=lambda seat: names[seat],
        question=lambda *known: named(wording.question(*known)),
        briefing=lambda *known: named(wording.briefing(*known)),
        rules=lambda *known: named(wording.rules(*known)),
        sentence=lambda *known: named(wording.sentence(*known)),
        imperative=lambda *known: named(wording.imperative(*known)),
        changes=changes,
        piece=lambda *known: named(wording.piece(*known)),
        notice=notice,
    )

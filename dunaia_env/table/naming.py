"""What players are called: programs by plain words, and seats in a game's texts, which the game itself only numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from dunaia_env.harness.presentation import ENGLISH, Change, Notice, Outcome, Progress, Wording

# What people call the programs of the library; any other program is called by its own name.
_PROGRAMS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "easy": "Beginner",
        "medium": "Club player",
        "hard": "Strong player",
        "champion": "Champion",
        "greedy": "Greedy player",
        "random": "Random player",
    },
    "fr": {
        "easy": "Débutant",
        "medium": "Joueur de club",
        "hard": "Joueur confirmé",
        "champion": "Champion",
        "greedy": "Joueur glouton",
        "random": "Joueur au hasard",
    },
}
# A program that searches, by the name of the one that guides it.
_SEARCHING = {"en": "{guide} who thinks ahead", "fr": "{guide} qui anticipe"}
_SEARCH = {"en": "Searching player", "fr": "Joueur qui anticipe"}
_SECRET = {"en": "an agent", "fr": "un programme"}
_NAME = re.compile(r"(?:dune_)?(?P<guide>\w+?)(?P<searches>\+\d+(,\w+=[\w.]+)*)?")


def program(name: str, language: str) -> str:
    """What people call a program; in English where its name has no translation.

    Args:
        name: name of an agent or of an adviser, as files have it (``easy``, ``champion+64``); empty if it is secret.
        language: language of the page.
    """
    language = language if language in _PROGRAMS else ENGLISH
    if not name:
        return _SECRET[language]
    if name.startswith("ismcts:"):
        return _SEARCH[language]
    found = _NAME.fullmatch(name)
    guide = _PROGRAMS[language].get(found["guide"]) if found else None
    if found is None or guide is None:
        return name
    return _SEARCHING[language].format(guide=guide) if found["searches"] else guide


def judges(judged: Mapping[str, Any], language: str) -> dict[str, str]:
    """What people call whoever has judged a game or a position, and whoever could not (see `Analyst.advise`)."""
    return {name: program(judged[name], language) for name in ("adviser", "instead_of") if judged.get(name)}


class Program(str):
    """The name of a program as a part of what people are told, who are told `program` of it."""


def programs(names: Iterable[str | None], language: str) -> dict[str, str]:
    """What people call programs, by their names; None names no program."""
    return {name: program(name, language) for name in names if name is not None}


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
        told = wording.changes(*known)  # type: ignore[arg-type]
        return [change._replace(text=named(change.text), to_seat=named(change.to_seat)) for change in told]

    def notice(*known: object) -> Notice | None:
        shown = wording.notice(*known)  # type: ignore[arg-type]
        if shown is None:
            return None
        rows = tuple((row, tuple(map(named, cells))) for row, cells in shown.rows)
        return shown._replace(title=named(shown.title), rows=rows, lines=tuple(map(named, shown.lines)))

    def progress(*known: object) -> Progress:
        told = wording.progress(*known)  # type: ignore[arg-type]
        return told._replace(titles=tuple(map(named, told.titles)))

    def outcome(*known: object) -> Outcome:
        told = wording.outcome(*known)  # type: ignore[arg-type]
        return told._replace(reason=named(told.reason))

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
        outcome=outcome,
        progress=progress,
    )

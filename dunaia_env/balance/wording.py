"""Words and cells that the sections of a balance report share."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from dunaia_env.balance.design import Kind
from dunaia_env.harness.roles import Roles
from dunaia_env.reports.parts import Section, TableCell
from dunaia_env.statistics.intervals import Estimate
from dunaia_env.support.english import listed

STATUSES: dict[Status, str] = {"over": "▲", "under": "▼", "fine": "●", "open": "○"}
_STATUS_WORDS: dict[Status, str] = {"over": "above", "under": "below", "fine": "within", "open": "undecided"}
_MOST_OF_A_LABEL = 26
# An effect of this many percentage points has the deepest colour.
_DEEPEST = 15.0
_MODEL_FILE = re.compile(r"(.+)\.safetensors((?:[:+].*)?)")
NO_ENTRY = TableCell("–")
# The chapters of a report, each with the keys of its sections, in their order; sentences refer to a section by its key.
CHAPTERS: dict[str, tuple[str, ...]] = {
    "Who is too strong or too weak": ("verdicts", "shares", "margins"),
    "Opponents and seats": ("matchups", "seats"),
    "How they are played": ("powers", "skill", "unlearned", "shapes", "picks"),
    "How far the verdicts reach, and why": ("robustness", "generality", "causes"),
    "Limits and evidence": ("limits", "evidence"),
}


def section_number(key: str) -> int:
    """The number of a report's section; raises `ValueError` for an unknown key."""
    keys = list(itertools.chain.from_iterable(CHAPTERS.values()))
    if key not in keys:
        raise ValueError(f"section {key!r}; expected one of {', '.join(keys)}")
    return keys.index(key) + 1


def numbered(sections: Mapping[str, Section]) -> list[Section]:
    """The sections of a report by their keys, in their order, with their numbers and the chapters that they begin."""
    begins = {keys[0]: chapter for chapter, keys in CHAPTERS.items()}
    return [
        replace(sections[key], title=f"{section_number(key)} {sections[key].title}", chapter=begins.get(key, ""))
        for key in sorted(sections, key=section_number)
    ]


def kind_words(kind: Kind, roles: Roles) -> str:
    """What a kind of condition is called, in the words of the game's roles."""
    title = roles.title
    return {
        "assigned": f"{title}s assigned",
        "drafted": roles.drafted_words or f"{title}s drafted",
        "absent": roles.absent_words or f"without {title}s",
        "powerless": f"{title}s without power",
    }[kind]


def with_article(title: str) -> str:
    """A noun with "a" or "an"."""
    return f"{'an' if title[:1].lower() in 'aeiou' else 'a'} {title}"


def name_of_role(name: str) -> str:
    """A role's name for the beginning of a line; its words, separated by underscores, are capitalised."""
    return " ".join(word[:1].upper() + word[1:] for word in name.split("_"))


def label_of(agent: str) -> str:
    """An agent's name without the folders and the suffix of a model file; of a long name, only the end.

    A file with the usual name, such as ``runs/one/model.safetensors``, keeps its folder: ``one/model``.
    """
    if found := _MODEL_FILE.fullmatch(agent):
        path = Path(found[1])
        folder = path.parent.name if path.name == "model" else ""
        agent = "/".join(filter(None, (folder, path.name))) + found[2]
    return agent if len(agent) <= _MOST_OF_A_LABEL else "…" + agent[1 - _MOST_OF_A_LABEL :]


def status_words(status: Status) -> str:
    """A status with its symbol: ``▼ below``, that is, below the tolerance."""
    return f"{STATUSES[status]} {_STATUS_WORDS[status]}"


def at_tables(found: Iterable[tuple[str, int]]) -> list[str]:
    """Texts, each with the numbers of players for which it was found: ``Mystic (2 and 3 players)``."""
    tables: dict[str, list[int]] = {}
    for text, players in found:
        tables.setdefault(text, []).append(players)
    return [f"{text} ({listed(counts)} players)" for text, counts in tables.items()]


def players_words(players: int) -> str:
    """The number of players with its noun."""
    return f"{players} players"


def when_played_by(agents: Sequence[str]) -> str:
    """A clause that says which agents play: "when greedy or medium plays"."""
    return f"when {listed([label_of(agent) for agent in agents], 'or')} plays"


def number(value: float, digits: int = 1, *, sign: bool = False) -> str:
    """A number as text, with a typographic minus sign; a dash if it is not finite."""
    if not math.isfinite(value):
        return "–"
    text = f"{value:{'+' if sign else ''}.{digits}f}"
    return (text.lstrip("+-") if float(text) == 0 else text).replace("-", "−")


def percent(share: float, digits: int = 1) -> str:
    """A share in per cent."""
    return number(100 * share, digits) + (" %" if math.isfinite(share) else "")


def cell(estimate: Estimate, digits: int = 1, *, scale: float = 1.0, sign: bool = False, unit: str = "") -> TableCell:
    """A cell with a number, and the ends of its interval as the detail."""
    value, low, high = (number(scale * end, digits, sign=sign) for end in estimate)
    if value == "–":
        return NO_ENTRY
    return TableCell(f"{value}{unit}", "" if low == "–" else f"{low} to {high}")


def share_cell(estimate: Estimate, expected: float | None = None) -> TableCell:
    """A cell with a share in per cent, coloured by its difference from what is expected."""
    plain = cell(estimate, scale=100, unit=" %")
    if expected is None or not math.isfinite(estimate.value):
        return plain
    return TableCell(plain.text, plain.detail, -_colour(100 * (estimate.value - expected)))


def effect_cell(estimate: Estimate) -> TableCell:
    """A cell with a difference of shares in percentage points, with its sign."""
    return cell(estimate, scale=100, sign=True)


def effect_words(estimate: Estimate) -> str:
    """A difference of shares in percentage points with the ends of its interval; empty without an interval."""
    effect = effect_cell(estimate)
    return f"{effect.text} ({effect.detail})" if effect.detail else ""


def _colour(points: float) -> float:
    return max(-1.0, min(1.0, points / _DEEPEST))


Status = Literal["over", "under", "fine", "open"]


NOT_PLAYED = "This study has no games for this section."


def role_labels(roles: Roles) -> list[str]:
    """The names of the roles, capitalised for the beginning of a line."""
    return [name_of_role(name) for name in roles.names]

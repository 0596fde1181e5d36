"""What everybody is shown of a battle that is decided, the same in every language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dunaia_env.dune.components import Components
from dunaia_env.dune.presentation.battles import Battle, Side
from dunaia_env.dune.presentation.hearing import BATTLE
from dunaia_env.dune.presentation.wording.facts import Facts
from dunaia_env.dune.presentation.wording.happenings import told
from dunaia_env.dune.presentation.wording.news import outcome
from dunaia_env.dune.presentation.wording.tellers import Teller
from dunaia_env.dune.presentation.wording.words import Words, capital
from dunaia_env.dune.state import CHEAP_HERO, HERO, NONE
from dunaia_env.harness.presentation import Notice

Content = Mapping[str, Any]

_NOTHING = "–"


def notice(words: Words, before: Content, after: Content, components: Components) -> Notice | None:
    """The battle that was decided, as a table; None if there was none."""
    battle: Battle | None = before.get(BATTLE)
    if battle is None:
        return None
    teller = Teller(words, Facts(after, components))
    rows = [
        ("leader", [_leader(teller, battle, side) for side in range(2)]),
        *((part, [_card(teller, getattr(side, part)) for side in battle.sides]) for part in ("weapon", "defence")),
        *((part, [_number(getattr(side, part)) for side in battle.sides]) for part in ("number", "total", "lost")),
    ]
    return Notice(
        title=words.typeset(teller.say("battle.title", place=teller.cell(battle.field))),
        seats=tuple(side.seat for side in battle.sides),
        rows=tuple(
            (teller.say(f"battle.{part}"), tuple(capital(words.typeset(cell)) for cell in cells))
            for part, cells in rows
            if set(cells) != {_NOTHING}
        ),
        lines=tuple(capital(words.typeset(line)) for line in _lines(teller, battle)),
    )


def _leader(teller: Teller, battle: Battle, number: int) -> str:
    side, enemy = battle.sides[number], battle.sides[1 - number]
    if side.leader == HERO:
        return teller.heading(CHEAP_HERO)
    if side.leader == NONE:
        return _NOTHING
    fate = "traitor" if enemy.caller != NONE else "killed" if side.killed else "strength"
    strength = _strength(teller, side)
    return teller.say(f"battle.{fate}", leader=teller.leader(side.leader), strength=strength)


def _strength(teller: Teller, side: Side) -> int:
    """The strength that has counted for a side, or else the printed one."""
    counted = side.total != NONE and not side.killed
    return side.total - side.number if counted else teller.facts.strength(side.leader)


def _card(teller: Teller, kind: int) -> str:
    return _NOTHING if kind == NONE else teller.heading(kind)


def _number(number: int) -> str:
    return _NOTHING if number == NONE else str(number)


def _lines(teller: Teller, battle: Battle) -> list[str]:
    sides = battle.sides
    lines = [
        teller.say("battle.called", caller=teller.who(side.caller), leader=teller.leader(enemy.leader))
        for side, enemy in zip(sides, reversed(sides), strict=True)
        if side.caller != NONE
    ]
    if battle.winner == NONE:
        (event,) = (event for event in outcome(battle) if event.kind == "drawn")
        return [*lines, told(event, teller)]
    winner = teller.who(battle.winner)
    own, other = sides if sides[0].seat == battle.winner else reversed(sides)
    key = "battle.won.treason" if own.total == NONE else "battle.won.tie" if own.total == other.total else "battle.won"
    lines.append(teller.say(key, winner=winner, own=own.total, other=other.total))
    if battle.gain:
        lines.append(teller.say("battle.gain", winner=winner, amount=battle.gain))
    return lines

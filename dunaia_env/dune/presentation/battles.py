"""What everybody at the table hears of a battle: the plans, treason, totals, the winner and the losses.

A battle can be decided and over between two positions, so its report is made from the position before, the action and
the position after.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple

from dunaia_env.dune.components import Components
from dunaia_env.dune.notation.pending import PLAN_PARTS
from dunaia_env.dune.presentation.wording.facts import Facts
from dunaia_env.dune.rules import battle_results
from dunaia_env.dune.state import AGGRESSOR, DEFENDER, FACE_DANCER, HARKONNEN, HERO, NONE

Content = Mapping[str, Any]


def _plain(kernel: Any) -> Callable[..., Any]:
    """A rule as plain Python: to compile it for another type of state takes longer than to run it some times."""
    function: Callable[..., Any] = getattr(kernel, "py_func", kernel)
    return function


_explodes, _survives = _plain(battle_results.explodes), _plain(battle_results.survives)


class Side(NamedTuple):
    """A side of a battle that is decided.

    Attributes:
        seat: the battler.
        leader: the leader of its plan: 31 a cheap hero, -1 none.
        weapon, defence: the kinds of the cards of its plan; -1 none.
        number: the number of its plan.
        caller: the seat that called the enemy's leader a traitor: the battler or its ally; -1 for nobody.
        killed: whether its leader is killed.
        total: number and strength together; -1 if no totals were compared.
        lost: how many of its tokens are lost.
    """

    seat: int
    leader: int
    weapon: int
    defence: int
    number: int
    caller: int
    killed: bool
    total: int
    lost: int


class Battle(NamedTuple):
    """A battle that is decided.

    Attributes:
        field: the lowest cell of its field.
        sides: the aggressor's and the defender's.
        winner: the seat that has won; -1 for nobody.
        exploded: whether a lasgun has met a shield.
        gain: the spice that the winner gains for leaders.
    """

    field: int
    sides: tuple[Side, Side]
    winner: int
    exploded: bool
    gain: int


def decided(action: str, before: Content, after: Content, components: Components) -> Battle | None:
    """The battle that an action has decided; None if it has decided none.

    Args:
        action: the text of the action.
        before: the state dictionary of the position in which it was chosen.
        after: the state dictionary of the next position.
        components: the components of the game.
    """
    if before["decision"] not in ("NUMBER", "TREASON") or after["decision"] == "TREASON":
        return None
    facts = Facts(before, components)
    plans = [dict(plan) for plan in facts.pending["plans"]]
    plan = plans[_side_asked(facts)]
    if before["decision"] == "NUMBER":
        plan["number"] = int(action.split()[1])
    else:
        plan["treason"] = action == "yes"
    if any(part not in plan for plan in plans for part in PLAN_PARTS):
        return None
    return _report(facts, plans)


def _side_asked(facts: Facts) -> int:
    """The side for which the deciding seat answers: its own or its ally's."""
    aggressor, _ = facts.battlers
    return AGGRESSOR if aggressor in (facts.seat, *facts.allies(facts.seat)) else DEFENDER


def _report(facts: Facts, plans: list[dict[str, Any]]) -> Battle:
    """The outcome of two complete plans (rules, sections 9 and 13)."""
    leaders = [HERO if plan["hero"] else plan["leader"] for plan in plans]
    rows = zip(leaders, plans, strict=True)
    state = SimpleNamespace(
        plans=[SimpleNamespace(leader=leader, weapon=plan["weapon"], defence=plan["defence"]) for leader, plan in rows]
    )
    called = [bool(plan.get("treason")) for plan in plans]
    exploded = not any(called) and bool(_explodes(state, AGGRESSOR) or _explodes(state, DEFENDER))
    compared = not exploded and not any(called)
    totals, killed = [NONE, NONE], [called[DEFENDER], called[AGGRESSOR]]
    gain, winner = 0, NONE
    if compared:
        killed = [leaders[side] not in (NONE, HERO) and not _survives(state, side) for side in range(2)]
        strengths = [_strengths(facts, leaders, side) for side in range(2)]
        totals = [plans[side]["number"] + (0 if killed[side] else strengths[side][1]) for side in range(2)]
        gain = sum(strengths[side][0] for side in range(2) if killed[side])
        winner = AGGRESSOR if totals[AGGRESSOR] >= totals[DEFENDER] else DEFENDER
    elif exploded:
        killed = [leader not in (NONE, HERO) for leader in leaders]
    elif not all(called):
        winner = AGGRESSOR if called[AGGRESSOR] else DEFENDER
        gain = facts.strength(leaders[1 - winner])
    field = int(facts.pending["field"])
    place = list(facts.cells(facts.territory(field))) if exploded else facts.field(field)
    sides = []
    for side, seat in enumerate(facts.battlers):
        tokens = sum(facts.tokens(seat, cell) for cell in place)
        spent = plans[side]["number"] if compared else 0
        sides.append(
            Side(
                seat=seat,
                leader=leaders[side],
                weapon=plans[side]["weapon"],
                defence=plans[side]["defence"],
                number=plans[side]["number"],
                caller=_caller(facts, seat, leaders[1 - side]) if called[side] else NONE,
                killed=killed[side],
                total=totals[side],
                lost=spent if side == winner else tokens,
            )
        )
    seats = facts.battlers
    return Battle(field, (sides[0], sides[1]), seats[winner] if winner != NONE else NONE, exploded, gain)


def _strengths(facts: Facts, leaders: list[int], side: int) -> tuple[int, int]:
    """The strength of a side's leader, as printed and as it counts in the battle; a hero and no leader have none.

    The Face Dancer has that of the enemy's leader.
    """
    leader = leaders[side]
    if leader in (NONE, HERO):
        return 0, 0
    if leader == FACE_DANCER:
        leader = leaders[1 - side]
        if leader in (NONE, HERO):
            return 1, 1
    return facts.strength(leader), facts.strength(leader) + int(facts.content["leaders"]["change"][leader])


def _caller(facts: Facts, battler: int, traitor: int) -> int:
    """The seat that calls a leader a traitor for a battler: the battler itself, or its Harkonnen ally."""
    if traitor in facts.players[battler]["traitors"]:
        return battler
    return facts.with_power(HARKONNEN)

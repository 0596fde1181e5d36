"""Weak or unlearned: whether a role looks weak only because the players do not know how to use it.

Four things are measured, each on common blocks: what a search adds, what a player trained for the role wins with it,
what a best response wins with it, and what the power is worth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal

import numpy as np
from scipy.special import stdtrit

from dunaia_env.balance import averages, intervals, wording
from dunaia_env.balance.games import Games
from dunaia_env.balance.questions.powers import Power, power_of
from dunaia_env.balance.questions.skill import Step
from dunaia_env.balance.study import Study
from dunaia_env.harness.roles import NOBODY
from dunaia_env.reports.parts import ReportTable, Section, TableCell, table_row
from dunaia_env.statistics.intervals import CONFIDENCE, Estimate, round_portably
from dunaia_env.support.english import listed

Tried = Literal["search", "specialist", "response"]
Conclusion = Literal["not weak", "unlearned", "weak", "open", "untried"]


@dataclass(frozen=True)
class SpecialResult:
    """The results of a role held by an agent that was trained for it, the special agent.

    Attributes:
        role: number of the role.
        players: number of players.
        agent: the special agent.
        opponent: the agent of the other seats.
        response: whether the agent is a best response.
        blocks: number of common blocks.
        before: the role's share when the opponent holds it too.
        after: the role's share when the special agent holds it.
        change: ``after - before``.
        among: the role's share when the special agent plays all seats.
        without: share of the special agent minus that of the opponent, in the role's seat without its power.
        learned: ``change - without``: how much more the power is worth in the hands of the special agent than in those
            of the opponent.
        general_power: what the power is worth to the opponent.
        power: what the power is worth to the special agent.
    """

    role: int
    players: int
    agent: str
    opponent: str
    response: bool
    blocks: int
    before: Estimate
    after: Estimate
    change: Estimate
    among: Estimate
    without: Estimate
    learned: Estimate
    general_power: Power
    power: Power


@dataclass(frozen=True)
class Move:
    """How a role does when other players hold it.

    Attributes:
        kind: ``search``: all players search; ``specialist``: a player trained for the role holds it; ``response``: a
            best response holds it.
        agent: the agent that searches or holds the role.
        base: the agent with which it is compared.
        before: the role's effect, its share minus the fair share, with ``base``.
        after: the role's effect with ``agent``.
        change: ``after - before``.
        blocks: number of common blocks.
    """

    kind: Tried
    agent: str
    base: str
    before: Estimate
    after: Estimate
    change: Estimate
    blocks: int


@dataclass(frozen=True)
class Learning:
    """Whether a role is weak or unlearned.

    Attributes:
        role: number of the role.
        players: number of players.
        agent: the strongest agent of the study.
        effect: the role's effect with this agent, with an interval of its own.
        moves: how the role does when other players hold it.
        power: what its power is worth to the strongest agent; None if its games were not played.
        conclusion: see `conclude`.
    """

    role: int
    players: int
    agent: str
    effect: Estimate
    moves: tuple[Move, ...]
    power: Power | None
    conclusion: Conclusion


def special_result(
    general: Games,
    special: Games,
    among: Games,
    without: tuple[Games, Games],
    role: int,
    names: tuple[str, str],
    *,
    response: bool = False,
) -> SpecialResult:
    """The results of a role held by an agent that was trained for it.

    Args:
        general: games with assigned roles in which the opponent plays all seats.
        special: the games of the same blocks in which the role is held, by the special agent.
        among: the same games with the special agent in all seats.
        without: the games of ``general`` and of ``special`` in which the role has no power.
        role: number of the role.
        names: names of the special agent and its opponent.
        response: whether the special agent is a best response.
    """
    played = [
        averages.shares_of_role(general, role),
        averages.shares_of_role(special, role),
        averages.shares_of_role(among, role),
        *(averages.shares_of_role(games, NOBODY) for games in without),
    ]
    blocks = reduce(np.intersect1d, [numbers for numbers, _ in played])
    rows = [values[np.isin(numbers, blocks)] for numbers, values in played]
    plain, held, everywhere, plain_without, held_without = rows
    (before, after, at_all) = averages.ratios(np.hstack([plain, held, everywhere]), shares=True)
    gained, lost = held - plain, held_without - plain_without
    change, other, learned = averages.ratios(np.hstack([gained, lost, gained - lost]))
    return SpecialResult(
        role=role,
        players=general.seats,
        agent=names[0],
        opponent=names[1],
        response=response,
        blocks=len(blocks),
        before=before,
        after=after,
        change=change,
        among=at_all,
        without=other,
        learned=learned,
        general_power=power_of(general, without[0], role, names[1]),
        power=power_of(special, without[1], role, names[0]),
    )


def judge_learning(
    games: Mapping[str, Games],
    strongest: str,
    searches: Sequence[Step],
    specials: Sequence[SpecialResult],
    powers: Sequence[Power],
    roles: int,
    tolerance: float,
) -> tuple[Learning, ...]:
    """Whether each role is weak or unlearned at one number of players.

    Args:
        games: games with assigned roles, by name of the agent.
        strongest: the strongest agent of the study.
        searches: what searches change, at this number of players.
        specials: the results of special agents, at this number of players.
        powers: what powers are worth to the strongest agent, at this number of players.
        roles: number of roles.
        tolerance: tolerance of the verdicts.
    """
    players = games[strongest].seats
    effects = _effects(games[strongest], roles)
    found = []
    for role in range(roles):
        moves = [_search_move(step, games, role, roles) for step in searches]
        moves += [_special_move(special) for special in specials if special.role == role]
        power = next((power for power in powers if power.role == role and power.pairs), None)
        conclusion = conclude(effects[role], moves, tolerance)
        found.append(Learning(role, players, strongest, effects[role], tuple(moves), power, conclusion))
    return tuple(found)


def conclude(effect: Estimate, moves: Sequence[Move], tolerance: float) -> Conclusion:
    """Whether a role is weak or unlearned; the intervals of all moves hold together, see `jointly`.

    - ``not weak``: the effect is not known to lie below the tolerance.
    - ``unlearned``: with some other players the effect is known not to lie below the tolerance.
    - ``weak``: a player was trained for the role, and the effect is known to lie below the tolerance with all of the
      other players.
    - ``open``: a player was trained for the role, and neither is known.
    - ``untried``: no player was trained for the role, and a search is not known to bring it to the tolerance.

    No conclusion rests on a change that is not significant: a training that gains a little is not the same as one that
    gains nothing, so the report says how much each player gains at most.
    """
    if not effect.high < -tolerance:
        return "not weak"
    after = [jointly(move.after, move.blocks, len(moves)) for move in moves]
    if any(estimate.low >= -tolerance for estimate in after):
        return "unlearned"
    if all(move.kind == "search" for move in moves):
        return "untried"
    return "weak" if all(estimate.high < -tolerance for estimate in after) else "open"


def jointly(estimate: Estimate, blocks: int, tests: int) -> Estimate:
    """An estimate whose 95 % interval is made as long as ``tests`` of them need to hold together (Bonferroni).

    Args:
        estimate: the estimate with its interval from Student's distribution.
        blocks: number of blocks behind it.
        tests: number of intervals that are to hold together.
    """
    if tests < 2 or blocks < 2:
        return estimate
    one, all_of_them = (-float(stdtrit(blocks - 1, (1 - CONFIDENCE) / 2 / count)) for count in (1, tests))
    ends = (estimate.value + all_of_them / one * (end - estimate.value) for end in (estimate.low, estimate.high))
    return Estimate(estimate.value, *round_portably([*ends]).tolist())


def _effects(games: Games, roles: int) -> list[Estimate]:
    return averages.ratios(intervals.role_blocks(games, games.shares, roles) - 1 / games.seats)


def _search_move(step: Step, games: Mapping[str, Games], role: int, roles: int) -> Move:
    before, after = (
        _effects(game, roles)[role] for game in averages.common_games(games[step.weak], games[step.strong])
    )
    return Move("search", step.strong, step.weak, before, after, step.roles[role], step.blocks)


def _special_move(special: SpecialResult) -> Move:
    before, after = (
        Estimate(*round_portably(np.array(share) - 1 / special.players).tolist())
        for share in (special.before, special.after)
    )
    kind: Tried = "response" if special.response else "specialist"
    return Move(kind, special.agent, special.opponent, before, after, special.change, special.blocks)


_TRIED = {"search": "a search", "specialist": "a player trained for it", "response": "a best response"}
_CONCLUSIONS: dict[Conclusion, str] = {
    "not weak": "not weak",
    "unlearned": "unlearned",
    "weak": "weak",
    "open": "not known",
    "untried": "not known",
}
_WHAT_FOLLOWS: dict[Conclusion, str] = {
    "not weak": "It is not known to be too weak in the first place.",
    "unlearned": "So its weakness comes from the players: it was unlearned.",
    "weak": "So it is too weak with all players that were tried.",
    "open": "It is not known whether it is too weak with these players too.",
    "untried": "It is not known whether players trained for it would do better.",
}


def unlearned_section(study: Study, learnings: Sequence[Learning], specials: Sequence[SpecialResult]) -> Section:
    """Whether weak roles are weak, or only unlearned: what search, special training and best responses change."""
    title, roles = "Weak or unlearned?", study.game.require("roles")
    if not learnings:
        return Section(title, (wording.NOT_PLAYED,))
    labels = wording.role_labels(roles)
    question = (
        f"{wording.with_article(roles.title).capitalize()} may look weak only because no player has learned to use it."
        " Four measurements help to tell: whether its share rises when all players search, when a player trained for it"
        " holds it, or when a best response to the other players holds it; and what its power is worth to its owner."
    )
    texts = [question]
    kinds = {move.kind for learning in learnings for move in learning.moves}
    if missing := [words for kind, words in _TRIED.items() if kind not in kinds]:
        texts.append(f"Not tried in this study: {listed(missing)}.")
    weak = [learning for learning in learnings if learning.conclusion != "not weak" or _has_special(learning)]
    texts += [_learning_sentences(study, learning, specials) for learning in weak]
    tables = []
    for players in sorted({learning.players for learning in learnings}):
        own = [learning for learning in learnings if learning.players == players]
        rows = []
        for learning in own:
            moved = {kind: [move for move in learning.moves if move.kind == kind] for kind in _TRIED}
            cells = [_largest_change(moves) for moves in moved.values()]
            power = wording.NO_ENTRY if learning.power is None else wording.effect_cell(learning.power.share)
            rows.append(
                table_row(
                    labels[learning.role],
                    wording.effect_cell(learning.effect),
                    *cells,
                    power,
                    _CONCLUSIONS[learning.conclusion],
                )
            )
        columns = (
            *(roles.title, f"effect {wording.when_played_by([own[0].agent])}", "change by a search"),
            *("by a player trained for it", "by a best response", "what its power is worth", "conclusion"),
        )
        note = (
            "All numbers are percentage points of the win share. Each interval, taken alone, contains the true value"
            " with 95 % confidence; the conclusion widens the intervals of all players that were tried so that they"
            " hold together. Where several players were tried, the largest change is shown."
        )
        tables.append(ReportTable(wording.players_words(players), columns, tuple(rows), (note,)))
    if specials:
        tables.append(_specials_table(study, specials, labels))
    return Section(title, tuple(texts), tuple(tables))


def _has_special(learning: Learning) -> bool:
    return any(move.kind != "search" for move in learning.moves)


def _largest_change(moves: Sequence[Move]) -> TableCell:
    return wording.effect_cell(max(moves, key=lambda move: move.change.value).change) if moves else wording.NO_ENTRY


def _points(estimate: Estimate) -> str:
    value, low, high = (wording.number(100 * end, sign=True) for end in estimate)
    return f"{value} points ({low} to {high})"


def _learning_sentences(study: Study, learning: Learning, specials: Sequence[SpecialResult]) -> str:
    """Sentences on what moved the effect of a role, by how much, and what follows."""
    name = wording.name_of_role(study.game.require("roles").names[learning.role])
    effect = f"its effect is {_points(learning.effect)} {wording.when_played_by([learning.agent])}"
    found = [f"{name}, {wording.players_words(learning.players)}: {effect}."]
    for move in learning.moves:
        verb = "raises" if move.change.low > 0 else "lowers" if move.change.high < 0 else "does not clearly change"
        who = f"A search by all players ({wording.label_of(move.agent)})"
        if move.kind != "search":
            what = "best response" if move.kind == "response" else "player trained for it"
            who = f"A {what} ({wording.label_of(move.agent)}), playing against {wording.label_of(move.base)},"
        found.append(
            f"{who} {verb} it: the change is {_points(move.change)}, from"
            f" {wording.number(100 * move.before.value, sign=True)} to {_points(move.after)}."
        )
    own = [special for special in specials if (special.role, special.players) == (learning.role, learning.players)]
    for special in own:
        found.append(
            f"The power is worth {_points(special.power.share)} to {wording.label_of(special.agent)}. In the same seats"
            f" without the power, the share of {wording.label_of(special.agent)} minus that of"
            f" {wording.label_of(special.opponent)} is {_points(special.without)}, so {_points(special.learned)} of the"
            " change come from the power."
        )
    powers = {special.opponent: special.general_power for special in own}
    if learning.power is not None:
        powers[learning.agent] = learning.power
    found += [
        f"The power is worth {_points(power.share)} to {wording.label_of(agent)}." for agent, power in powers.items()
    ]
    found.append(_WHAT_FOLLOWS[learning.conclusion])
    if learning.moves and learning.conclusion in ("weak", "open"):
        found.append(_bound_on_the_gain(learning))
    return " ".join(found)


def _bound_on_the_gain(learning: Learning) -> str:
    """How much the role gains at most in the hands of the players that were tried, in a sentence."""
    most = max(jointly(move.change, move.blocks, len(learning.moves)).high for move in learning.moves)
    if most <= 0:
        return "None of them gains anything with it."
    return f"They gain at most {wording.number(100 * most)} points with it."


def _specials_table(study: Study, specials: Sequence[SpecialResult], labels: Sequence[str]) -> ReportTable:
    """Players trained for a role, beside the player against which they hold it."""
    title = study.game.require("roles").title
    rows = tuple(
        table_row(
            f"{labels[special.role]}, {wording.players_words(special.players)}",
            *(f"{wording.label_of(special.agent)}", f"{wording.label_of(special.opponent)}", f"{special.blocks:,}"),
            *(wording.share_cell(share) for share in (special.before, special.after, special.among)),
            *(wording.effect_cell(change) for change in (special.change, special.without, special.learned)),
            *(wording.cell(power.uses, 2) for power in (special.general_power, special.power)),
            *(wording.share_cell(power.used) for power in (special.general_power, special.power)),
        )
        for special in specials
    )
    columns = (
        *(title, "held by", "against", "blocks", "share before", "share after"),
        *("share in all seats", "change, points", "difference without the power", "due to the power"),
        *("uses per game before", "uses per game after", "games with a use before", "games with a use after"),
    )
    note = (
        f"Before: the player of the other seats holds the {title} too. After: the trained player holds it. In all"
        " seats: the trained player plays against itself. Difference without the power: how much more the trained"
        " player wins than the other player, in the same seat without the power. Due to the power: the rest of the"
        " change."
    )
    return ReportTable(f"Players trained for one {title}", columns, rows, (note,), texts=True)

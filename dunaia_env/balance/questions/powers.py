"""What each power is worth, how often it is used, and whether using it pays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dunaia_env.balance import averages, intervals, plots, wording
from dunaia_env.balance.games import Games
from dunaia_env.balance.study import Study
from dunaia_env.harness.roles import Roles
from dunaia_env.reports import drawing, parts
from dunaia_env.statistics.intervals import Estimate

Pays = Literal["pays", "trap", "open", "unused"]


@dataclass(frozen=True)
class Power:
    """What the power of a role is worth, how often it is used, and whether using it pays.

    Attributes:
        role: number of the role.
        players: number of players.
        agent: the agent in all seats.
        games: number of games with the role.
        uses: mean number of uses per game.
        uses_per_round: mean number of uses per round.
        used: share of the role's games in which it is used at all.
        pairs: number of pairs of games, one with the power and one without it; 0 if the latter were not played.
        share: win share with the power minus win share without it.
        points: score with the power minus score without it.
        pays: ``pays`` if the whole interval of ``share`` is above zero; ``trap`` if no part of it is above zero and the
            power is used; ``unused`` if the power is never used; else ``open``.
    """

    role: int
    players: int
    agent: str
    games: int
    uses: Estimate
    uses_per_round: Estimate
    used: Estimate
    pairs: int
    share: Estimate
    points: Estimate
    pays: Pays


def power_of(games: Games, powerless: Games | None, role: int, agent: str) -> Power:
    """What a role's power is worth and how often it is used.

    Args:
        games: games with assigned roles.
        powerless: the same games with no role in the role's seat; None if they were not played.
        role: number of the role.
        agent: the agent in all seats.
    """
    held = games.roles == role
    is_held = np.asarray(held.any(axis=1))
    uses = np.where(held, games.uses, 0).sum(axis=1)
    (mean_uses,) = averages.means(games, uses[:, None], is_held[:, None])
    (used,) = averages.means(games, uses[:, None] > 0, is_held[:, None], shares=True)
    (per_round,) = averages.ratios(
        averages.sums_of_blocks(games, uses * is_held), averages.sums_of_blocks(games, games.rounds * is_held)
    )
    nothing = Estimate(np.nan, np.nan, np.nan)
    pairs, share, points = 0, nothing, nothing
    if powerless is not None and len(powerless):
        whole, without = averages.common_games(games, powerless)
        pairs = len(whole)
        by_block = [
            intervals.power_blocks(whole, values, without, other, role)[1]
            for values, other in ((whole.shares, without.shares), (whole.scores, without.scores))
        ]
        share, points = averages.ratios(np.hstack(by_block))
    pays: Pays = "open"
    if not uses.any():
        pays = "unused"
    elif share.low > 0:
        pays = "pays"
    elif share.high <= 0:
        pays = "trap"
    return Power(role, games.seats, agent, int(is_held.sum()), mean_uses, per_round, used, pairs, share, points, pays)


def power_plot(powers: Sequence[Power], labels: Sequence[str], name: str) -> str:
    """What each role's power is worth in win share, beside how often it is used."""
    worth = [plots.scaled(measured.share) for measured in powers]
    ends = plots.ends_of(worth)
    notes = [f"{measured.uses.value:.1f} uses per game" for measured in powers]
    right = 0.3 + drawing.CHARACTER_WIDTH * max(map(len, notes))
    with drawing.own_style():
        figure, axes = drawing.figure_of_rows(labels, plots.ROW * len(labels), right=right)
        axes.axvline(0, color=drawing.TEXT, linewidth=1, linestyle=(0, (4, 3)))
        for row, (power, estimate, note) in enumerate(zip(powers, worth, notes, strict=True)):
            if np.isfinite(estimate.value):
                plots.draw_interval(axes, estimate, row, "o", power.pays in ("pays", "trap"))
            axes.annotate(note, (1.01, row), xycoords=("axes fraction", "data"), va="center", annotation_clip=False)
        half = 1.1 * max(1.0, *ends)
        plots.draw_rows(
            axes, labels, -half if min(-1.0, *(estimate.low for estimate in worth)) < -1 else -0.2 * half, half
        )
        axes.set_xlabel("win share with the power minus without it, points; filled: the interval excludes 0")
        return drawing.to_svg(figure, name, "What each power is worth", plots.PAGE)


_PAYS: dict[Pays, str] = {
    "pays": "▲ pays",
    "trap": "▼ trap",
    "open": "○ undecided",
    "unused": "never used",
}


def power_section(study: Study, powers: Sequence[Power]) -> parts.Section:
    """What each power is worth, how often it is used, and whether using it pays."""
    title, roles = "What each power is worth", study.game.require("roles")
    if not powers:
        return parts.Section(title, (wording.NOT_PLAYED,))
    labels, tables, pictures = wording.role_labels(roles), [], []
    for players in sorted({power.players for power in powers}):
        own = [power for power in powers if power.players == players]
        rows = tuple(
            parts.table_row(
                labels[power.role],
                wording.effect_cell(power.share),
                wording.cell(power.points, sign=True),
                _use_cell(power, roles),
                wording.cell(power.uses, 2),
                wording.cell(power.uses_per_round, 3),
                wording.share_cell(power.used),
                f"{power.pairs:,}",
            )
            for power in own
        )
        columns = (
            *(roles.title, "win share, points", "score", "does using it pay?", "uses per game", "uses per round"),
            *("games in which it is used", "pairs of games"),
        )
        caption = f"{wording.players_words(players)}, {wording.label_of(own[0].agent)}"
        tables.append(parts.ReportTable(caption, columns, rows))
        if any(power.pairs for power in own):
            pictures.append((caption, power_plot(own, labels, f"powers-{players}")))
    text = (
        f"The same games are played twice with everything else equal: once with the {roles.title}, and once with none"
        " in its seat. The difference is what the power is worth to its owner at this table; section"
        f" {wording.section_number('verdicts')} answers whether it is worth as much as the powers of the others. Using"
        " a power pays if the whole interval of the win share lies above 0. A power is a trap if it is used and no part"
        " of this interval lies above 0."
    )
    if not roles.apart:
        text = (
            f"No seat of {study.game.title} can be without {wording.with_article(roles.title)} while others have"
            " theirs, so what a single power is worth is not known. Uses are counted in the games with all powers."
        )
    elif not pictures:
        text = (
            "The games in which a single power is missing were not played. Uses are counted in the games with all"
            " powers."
        )
    if roles.power_note:
        text += f" {roles.power_note}"
    return parts.Section(title, (text,), tuple(tables), tuple(pictures))


def _use_cell(power: Power, roles: Roles) -> parts.TableCell:
    if not power.pairs and (power.pays == "open" or not roles.apart):
        return wording.NO_ENTRY
    return parts.TableCell(_PAYS[power.pays])

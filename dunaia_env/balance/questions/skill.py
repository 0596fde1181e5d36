"""Skill: how shares change from weak to strong players and with a search, and whether other players agree."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dunaia_env.balance import averages, intervals, plans, plots
from dunaia_env.balance.games import Games
from dunaia_env.balance.study import Study
from dunaia_env.balance.wording import (
    NOT_PLAYED,
    effect_cell,
    label_of,
    number,
    percent,
    players_words,
    role_labels,
    with_article,
)
from dunaia_env.reports.drawing import CHARACTER_WIDTH, LINE, TEXT, figure_of_rows, own_style, to_svg
from dunaia_env.reports.parts import ReportTable, Section, table_row
from dunaia_env.statistics.intervals import Estimate, Floats, round_portably
from dunaia_env.support.english import listed


@dataclass(frozen=True)
class Step:
    """How the shares of the roles change from one agent to another, on common blocks.

    Attributes:
        players: number of players.
        weak: the agent of the first condition.
        strong: the agent of the second condition.
        blocks: number of common blocks.
        roles: share with the second agent minus share with the first, for each role.
    """

    players: int
    weak: str
    strong: str
    blocks: int
    roles: tuple[Estimate, ...]


@dataclass(frozen=True)
class Agreement:
    """Whether agents agree on a role.

    Attributes:
        role: number of the role.
        players: number of players.
        agents: names of the agents.
        blocks: number of common blocks.
        shares: the role's share with each agent, on common blocks.
        between: standard deviation of the share between agents, with luck subtracted; see `between_agents`.
        largest: the largest difference between two agents.
    """

    role: int
    players: int
    agents: tuple[str, ...]
    blocks: int
    shares: tuple[float, ...]
    between: float
    largest: float


def base_of_search(agent: str, agents: Sequence[str]) -> str:
    """The agent among ``agents`` on which a search is based, as ``champion`` for ``champion+16``; empty for none."""
    return next((base for base in agents if re.fullmatch(re.escape(base) + r"\+\d+(,.*)?", agent)), "")


def step_between(weak: Games, strong: Games, names: tuple[str, str], roles: int) -> Step:
    """How the roles' shares change from the games of one agent to those of another."""
    one, other = (intervals.role_blocks(games, games.shares, roles) for games in averages.common_games(weak, strong))
    return Step(weak.seats, *names, len(one), tuple(averages.ratios(other - one)))


def between_agents(values: Floats) -> float:
    """Standard deviation of the true means of agents that played common blocks.

    In the two-way model ``value = block + agent + noise`` with random agents, the variance between agents is
    ``(mean square of agents - mean square of noise) / blocks`` (Searle, Casella, McCulloch 1992, "Variance
    Components", section 4.3); a negative estimate becomes 0.

    Args:
        values: float64 ``(B, A)``, at least two blocks and two agents.
    """
    blocks, agents = values.shape
    by_agent, by_block = values.mean(axis=0), values.mean(axis=1)
    noise = values - by_agent - by_block[:, None] + values.mean()
    square_of_noise = (noise**2).sum() / ((blocks - 1) * (agents - 1))
    square_of_agents = blocks * by_agent.var(ddof=1)
    return float(round_portably(np.sqrt(max(0.0, float(square_of_agents - square_of_noise)) / blocks)))


def agreement_of(games: dict[str, Games], roles: int) -> tuple[Agreement, ...]:
    """Whether agents agree on each role, from the games with assigned roles of at least two agents, by name."""
    names, parts = tuple(games), tuple(games.values())
    blocks = parts[0].block
    for part in parts[1:]:
        blocks = np.intersect1d(blocks, part.block)
    if len(np.unique(blocks)) < 2:
        return ()
    common = [part[np.isin(part.block, blocks)] for part in parts]
    values = np.stack([intervals.role_blocks(games, games.shares, roles) for games in common], axis=2)
    return tuple(
        Agreement(
            role,
            parts[0].seats,
            names,
            len(values),
            tuple(shares := round_portably(values[:, role].mean(axis=0)).tolist()),
            between_agents(values[:, role]),
            float(round_portably(max(shares) - min(shares))),
        )
        for role in range(roles)
    )


def strength_plot(values: Sequence[Sequence[float]], agents: Sequence[str], labels: Sequence[str], name: str) -> str:
    """The effect of each role, in win shares, against the strength of the players; a line for each role."""
    points = 100 * np.asarray(values, np.float64)
    with own_style():
        figure, axes = figure_of_rows(["+10"], 2.9, right=0.25 + CHARACTER_WIDTH * max(map(len, labels)))
        axes.axhline(0, color=TEXT, linewidth=1, linestyle=(0, (4, 3)))
        places = np.arange(len(agents))
        for number, line in enumerate(points):
            axes.plot(
                places, line, color=TEXT, linewidth=1.1, linestyle=plots.DASHES[number % len(plots.DASHES)],
                marker=plots.MARKERS[number % len(plots.MARKERS)], markersize=5, markerfacecolor=plots.PAPER,
            )  # fmt: skip
        low, high = axes.get_ylim()
        heights = _apart(points[:, -1], 0.065 * (high - low))
        for label, height, value in zip(labels, heights, points[:, -1], strict=True):
            axes.plot([places[-1] + 0.03, places[-1] + 0.1], [value, height], color=LINE, linewidth=0.7, clip_on=False)
            axes.annotate(label, (places[-1] + 0.12, height), va="center", annotation_clip=False)
        axes.set_ylim(low, high)
        axes.set_xlim(-0.15, len(agents) - 1 + 0.05)
        axes.set_xticks(places, list(agents))
        axes.grid(axis="y", linewidth=0.5)
        axes.set_axisbelow(True)
        axes.set_ylabel("effect, percentage points")
        return to_svg(figure, name, "Effect of each role by strength of the players", plots.PAGE)


def _apart(values: np.ndarray[Any, Any], least: float) -> list[float]:
    """Heights near the values and in their order, with gaps of at least ``least``."""
    order = np.argsort(values, kind="stable")
    heights = values[order].astype(float)
    for _ in range(200):
        gaps = least - np.diff(heights)
        if (gaps <= 1e-6).all():
            break
        for place in np.flatnonzero(gaps > 1e-6):
            shift = max(0.0, float(least - (heights[place + 1] - heights[place]))) / 2
            heights[place] -= shift
            heights[place + 1] += shift
    result = np.empty_like(heights)
    result[order] = heights
    return [float(value) for value in result]


def skill_section(
    study: Study,
    steps: Sequence[Step],
    searches: Sequence[Step],
    agreements: Sequence[Agreement],
    effects: Mapping[int, Mapping[str, Sequence[float]]],
) -> Section:
    """Whether stronger players, searches or other agents change a role's share.

    Args:
        study: the study.
        steps: changes from weak to strong players.
        searches: changes by searches.
        agreements: whether the trained agents agree.
        effects: the effect of each role, in win shares, by number of players and strength, from weak to strong.
    """
    title, roles = "Skill", study.game.require("roles")
    labels = role_labels(roles)
    tables, pictures, texts = [], [], []
    for players in sorted({step.players for step in steps}):
        own = [step for step in steps if step.players == players]
        heading = f"{players_words(players)}: from weak to strong players"
        tables.append(_steps_table(heading, own, roles.title, labels))
    for players, by_agent in sorted(effects.items()):
        if len(by_agent) > 1:
            values = list(zip(*by_agent.values(), strict=True))
            picture = strength_plot(values, [label_of(agent) for agent in by_agent], labels, f"skill-{players}")
            pictures.append((players_words(players), picture))
    if tables:
        texts.append(
            f"As all players become stronger, the share of {with_article(roles.title)} that is hard to play grows. The"
            " share of one that is easy to play, or hard to stop, falls."
        )
    for players in sorted({agreement.players for agreement in agreements}):
        agreed = [agreement for agreement in agreements if agreement.players == players]
        columns = (
            *(roles.title, *(label_of(agent) for agent in agreed[0].agents)),
            *("spread between agents", "largest difference"),
        )
        rows = tuple(
            table_row(
                labels[agreement.role],
                *(percent(share) for share in agreement.shares),
                number(100 * agreement.between, 2),
                number(100 * agreement.largest, 2),
            )
            for agreement in agreed
        )
        note = (
            f"The win shares are those on {agreed[0].blocks:,} common blocks. The spread between agents is the standard"
            " deviation of their true shares in percentage points, with luck subtracted. The largest difference is that"
            " between two agents in percentage points, with luck included."
        )
        tables.append(ReportTable(f"{players_words(players)}: do other players agree?", columns, rows, (note,)))
    texts += _kinship(study.plan, list(dict.fromkeys(agent for agreement in agreements for agent in agreement.agents)))
    for players in sorted({search.players for search in searches}):
        own = [search for search in searches if search.players == players]
        heading = f"{players_words(players)}: what a search by all players changes"
        tables.append(_steps_table(heading, own, roles.title, labels))
    if not tables:
        return Section(title, (NOT_PLAYED, *texts))
    return Section(title, tuple(texts), tuple(tables), tuple(pictures), folded=True)


def _steps_table(heading: str, steps: Sequence[Step], title: str, labels: Sequence[str]) -> ReportTable:
    """How shares change from one agent to another, a column for each pair of agents."""
    columns = (title, *(f"{label_of(step.weak)} → {label_of(step.strong)}" for step in steps))
    rows = tuple(
        table_row(label, *(effect_cell(step.roles[role]) for step in steps)) for role, label in enumerate(labels)
    )
    blocks = listed([f"{step.blocks:,}" for step in steps])
    order = ", in the order of the columns" if len(steps) > 1 else ""
    note = f"Changes of the win share are in percentage points, measured on {blocks} common blocks{order}."
    return ReportTable(heading, columns, rows, (note,))


def _kinship(plan: plans.Plan, agents: Sequence[str]) -> list[str]:
    """Whether the agents whose agreement is shown were trained independently of one another."""
    if len(agents) < 2:
        return ["No other trained players took part, so this study cannot say whether they would agree."]
    derived, families = plans.began_with_of(plan), plans.families_of(plan, agents)
    texts = []
    for family in families:
        begun = [member for member in family if member in derived]
        if len(family) > 1:
            said = [f"{label_of(member)} began with the weights of {label_of(derived[member])}" for member in begun]
            named = listed([label_of(member) for member in family])
            texts.append(
                f"{listed(said)}, and continued training from there. So {named} are not independent witnesses: where"
                " they agree, they may merely share the same habits."
            )
    if len(families) > 1:
        named = listed([_one_of(family) for family in families])
        texts.append(
            f"{named} were trained independently of one another, as far as the study's command and the model files say."
        )
    return texts


def _one_of(family: Sequence[str]) -> str:
    """Agents as alternatives: "either a or b"."""
    return f"{'either ' if len(family) > 1 else ''}{listed([label_of(member) for member in family], 'or')}"

"""What if: the shares of roles and seats under changed components, on common blocks.

``python -m dunaia_env.balance.whatif --sweep characters.merchant.discount=0,1,2`` plays the same blocks with each value
and reports how every share changes. ``--target`` searches for the value that comes nearest to wanted shares.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np

from dunaia_env.balance import design, outcomes, paired, whatif_pages
from dunaia_env.balance.games import Games, joined
from dunaia_env.balance.targets import Search, Target, find_nearest, read_target
from dunaia_env.balance.trials import Laboratory, Trial, TrialOptions, check_agent, growth_of
from dunaia_env.harness import commands, registry
from dunaia_env.harness.game import Game
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.harness.roles import NOBODY
from dunaia_env.statistics.intervals import Estimate, round_portably
from dunaia_env.support import messages, terminal

# Number of blocks that are played before the precision is checked.
FIRST_BLOCKS = 200
MOST_CANDIDATES = 400
_RANGE = re.compile(r"(-?\d{1,6})\.\.(-?\d{1,6})")


class Setting(NamedTuple):
    """Components with which a what-if is played, and what to call them.

    Attributes:
        label: what differs, such as ``characters.merchant.discount=0``.
        path: path of the value that a sweep varies; empty for other settings.
        value: the value at this path, as text.
        components: the loaded components.
    """

    label: str
    path: str
    value: str
    components: Any


def read_change(text: str) -> tuple[str, str]:
    """Path and value of a text ``PATH=VALUE``; raises `ValueError` for any other text."""
    path, equals, value = text.partition("=")
    if not (path.strip() and equals and value.strip()):
        raise ValueError(f"expected PATH=VALUE, such as characters.merchant.discount=0, got {messages.shorten(text)}")
    return path.strip(), value.strip()


def read_sweep(text: str) -> tuple[str, tuple[str, ...]]:
    """Path and values of a text ``PATH=VALUE,VALUE...``, where a value may be a list in brackets.

    Raises `ValueError` for any other text, and for a value that is given twice.
    """
    path, listed = read_change(text)
    values, depth = [""], 0
    for letter in listed:
        depth += (letter in "[{") - (letter in "]}")
        if letter == "," and depth == 0:
            values.append("")
        else:
            values[-1] += letter
    found = tuple(value.strip() for value in values)
    if not all(found) or depth:
        raise ValueError(f"sweep: expected values separated by commas, got {messages.shorten(text)}")
    if repeated := [value for value in found if found.count(value) > 1]:
        raise ValueError(f"sweep {messages.shorten(text)}: {repeated[0]} given twice")
    return path, found


def read_range(text: str) -> tuple[str, tuple[str, ...]]:
    """Path and values of a text ``PATH=lo..hi``; raises `ValueError` for any other text."""
    path, listed = read_change(text)
    if not (match := _RANGE.fullmatch(listed)) or int(match[1]) >= int(match[2]):
        raise ValueError(f"over: expected PATH=lo..hi with integers lo < hi, got {messages.shorten(text)}")
    least, most = int(match[1]), int(match[2])
    if most - least >= MOST_CANDIDATES:
        raise ValueError(
            f"over {messages.shorten(text)}: {most - least + 1} values; at most {MOST_CANDIDATES} are allowed"
        )
    return path, tuple(str(value) for value in range(least, most + 1))


def make_settings(
    game: Game, *, components: Any = None, changes: Sequence[str] = (), sweeps: Sequence[str] = ()
) -> tuple[Setting, ...]:
    """The settings of a what-if, the reference first.

    Without sweeps, the reference is the game's own components, and the given file with its changes is the other
    setting. With sweeps, the reference is the given file with its changes. Each sweep varies one of its values; a value
    that the file already has adds no setting.

    Args:
        game: the game.
        components: a component file; None for the game's own.
        changes: changes of the file, texts ``PATH=VALUE``.
        sweeps: texts ``PATH=VALUE,VALUE...``.

    Raises `ValueError` for a text that cannot be read, a path or value that the game refuses, or nothing to compare.
    """
    file = game.load(components)
    made = dict(read_change(text) for text in changes)
    changed = game.require("change")(file, made) if made else file
    label = ", ".join([*([] if components is None else [file.source]), *changes])
    if not sweeps:
        own = game.load(None)
        if changed.hash == own.hash:
            raise ValueError("nothing is changed: expected --components, --change or --sweep with other values")
        return Setting(own.source, "", "", own), Setting(label, "", "", changed)
    settings = [Setting(label or file.source, "", "", changed)]
    for text in sweeps:
        path, values = read_sweep(text)
        for value in values:
            varied = game.require("change")(changed, {path: value})
            if varied.hash != changed.hash:
                settings.append(Setting(f"{path}={value}", path, value, varied))
    if len(settings) == 1:
        raise ValueError(f"sweep {sweeps[0]}: no value differs from {settings[0].label}")
    return tuple(settings)


def value_at(game: Game, components: Any, path: str) -> str:
    """The value at a path as text, ``[2, 3]`` for a list; empty if there is none."""
    values = game.require("values_of")(components)
    if path in values:
        return str(values[path])
    parts = [
        value for name, value in values.items() if name.startswith(f"{path}.") and "." not in name[len(path) + 1 :]
    ]
    return f"[{', '.join(map(str, parts))}]" if parts else ""


def shares_of(
    games: Games, kind: str, roles: Sequence[str], role: int = NOBODY
) -> tuple[list[tuple[str, int]], paired.Contributions]:
    """The shares of roles and seats: their names with the seat's number, -1 for a role, and contributions of blocks.

    For games that are limited to one role, only the share of that role.
    """
    if role != NOBODY:
        return [(roles[role], -1)], paired.role_shares(games, len(roles))[[role]]
    subjects = [(f"seat {seat}", seat) for seat in range(games.seats)]
    if kind == "absent":
        return subjects, paired.seat_shares(games)
    whole = paired.beside([paired.role_shares(games, len(roles)), paired.seat_shares(games)])
    return [*((name, -1) for name in roles), *subjects], whole


class _Study:
    """The games of a what-if so far, and the results that follow from them."""

    def __init__(
        self, laboratory: Laboratory, settings: Sequence[Setting], conditions: Sequence[design.Condition]
    ) -> None:
        self.laboratory, self.settings, self.conditions = laboratory, settings, conditions
        self.roles = laboratory.game.require("roles").names
        self.games: list[list[Games]] = []
        self.blocks = 0

    def extend(self, blocks: int) -> None:
        """Play all settings up to a number of blocks."""
        trials = [Trial(condition, setting.components) for setting in self.settings for condition in self.conditions]
        new = iter(self.laboratory.play(trials, self.blocks, blocks))
        added = [[next(new) for _ in self.conditions] for _ in self.settings]
        pairs = zip(self.games, added, strict=True) if self.games else ()
        both = [[joined(parts) for parts in zip(old, more, strict=True)] for old, more in pairs]
        self.games, self.blocks = both or added, blocks

    def changes(self) -> paired.Contributions:
        """The changes of all shares by kind and setting; the reference has none."""
        parts = []
        for kind in range(len(self.conditions)):
            name, role = self.conditions[kind].kind, self.conditions[kind].role
            reference = shares_of(self.games[0][kind], name, self.roles, role)[1]
            parts += [shares_of(played[kind], name, self.roles, role)[1].minus(reference) for played in self.games[1:]]
        return paired.beside(parts)

    def half_width(self) -> float:
        """The largest half-width of a simultaneous interval of a change.

        Drafted roles do not count, because they may be held in few games.
        """
        changes = paired.simultaneous(self.changes())
        counted = []
        for kind, condition in enumerate(self.conditions):
            subjects, _ = shares_of(self.games[0][kind], condition.kind, self.roles, condition.role)
            counted += [condition.kind != "drafted" or seat >= 0 for _, seat in subjects] * (len(self.games) - 1)
        widths = [(change.high - change.low) / 2 for change, counts in zip(changes, counted, strict=True) if counts]
        known = [width for width in widths if np.isfinite(width)]
        return max(known) if known else float("nan")

    def rows(self) -> tuple[outcomes.Row, ...]:
        """Shares and changes."""
        changes = iter(paired.simultaneous(self.changes()))
        rows = []
        for kind, condition in enumerate(self.conditions):
            for setting, games in enumerate(played[kind] for played in self.games):
                subjects, shares = shares_of(games, condition.kind, self.roles, condition.role)
                margins = self._margins(games, condition)
                numbers = zip(subjects, paired.intervals(shares), margins, strict=True)
                for (name, seat), share, margin in numbers:
                    change = next(changes) if setting else Estimate(0.0, 0.0, 0.0)
                    rows.append(outcomes.Row(condition.kind, setting, name, seat, share, change, margin))
        return tuple(rows)

    def _margins(self, games: Games, condition: design.Condition) -> list[float]:
        seats, roles = (
            paired.seat_shares(games, games.margins),
            paired.role_shares(games, len(self.roles), games.margins),
        )
        if condition.role != NOBODY:
            parts = [roles[[condition.role]]]
        else:
            parts = [seats] if condition.kind == "absent" else [roles, seats]
        return [float(value) for part in parts for value in round_portably(part.values)]

    def shapes(self) -> tuple[outcomes.Shape, ...]:
        """Lengths and points."""
        shapes = []
        for kind, condition in enumerate(self.conditions):
            for setting, games in enumerate(played[kind] for played in self.games):
                numbers = np.stack([games.rounds, games.scores.mean(axis=1)], axis=1).astype(np.float64)
                rounds, points = paired.intervals(paired.contributions(games, numbers))
                stopped = float(round_portably(games.stopped.mean()))
                shapes.append(outcomes.Shape(condition.kind, setting, rounds, points, stopped))
        return tuple(shapes)


@dataclass(frozen=True, kw_only=True)
class Options(TrialOptions):
    """Play changed components on common blocks and report how every role's and seat's share of the wins changes."""

    components: Path | None = None
    """Component file; by default the game's own. Without a sweep, the file is compared with the game's own."""
    change: tuple[str, ...] = ()
    """Changed values of the component file, PATH=VALUE."""
    sweep: tuple[str, ...] = ()
    """A value to vary, PATH=VALUE,VALUE,...; a VALUE may be a list such as [2,3]. With several sweeps, one value is
    varied at a time."""
    target: tuple[str, ...] = ()
    """Wanted shares, ROLE=SHARE or seat0=SHARE: search for the values of --over (or --sweep) that come nearest."""
    over: tuple[str, ...] = ()
    """Values that a search varies, PATH=LO..HI; one or two of them."""
    kinds: tuple[design.KindForAll, ...] = ("assigned",)
    """How the seats get their roles: assigned (every role in every seat equally often), drafted (as the rules say),
    absent (nobody has a role)."""
    role: str | None = None
    """Measure only the share of this role, in the games in which it is held. At a table of two, a sweep of one of its
    numbers then needs a third of the games."""
    blocks: int | None = None
    """Number of blocks; by default as many as --precision needs."""
    precision: float = 0.015
    """Half-width that the simultaneous intervals of the changes are to reach, as a share of the wins. Drafted roles do
    not count, because they may be held in few games."""
    games: int = 400_000
    """Approximate upper limit on the number of games."""
    out: Path | None = None
    """Folder into which the result is written: Markdown, JSON and a plot."""


def read_role(options: Options, game: Game) -> int:
    """The number of the role of ``--role``; `NOBODY` without one. Raises `ValueError` naming what is allowed."""
    names = game.require("roles").names
    if options.role is None:
        return NOBODY
    if options.role not in names:
        raise ValueError(f"role: expected one of {', '.join(names)}, got {messages.shorten(options.role)}")
    if options.kinds != ("assigned",) or options.target:
        raise ValueError(f"role: {options.role}; it needs assigned roles alone, and no --target")
    return names.index(options.role)


def make_conditions(options: Options, game: Game) -> list[design.Condition]:
    """The conditions of a setting; the number of blocks is decided while they are played."""
    role, chosen = read_role(options, game), options.options_of(game)
    players, agent = options.players, options.agent
    return [
        design.Condition(f"{kind}-{players}-{agent}", kind, players, agent, 1, role=role, options=chosen)
        for kind in options.kinds
    ]


def run_whatif(options: Options, settings: Sequence[Setting]) -> outcomes.WhatIf:
    """Play settings on common blocks and compare them with the first one.

    Args:
        options: how the games are played, and how many of them.
        settings: at least two.

    Raises `ValueError` for an agent that cannot play with the components; passes on exceptions raised while playing.
    """
    game, blocks, precision = registry.find_game(options.game), options.blocks, options.precision
    laboratory = options.laboratory(game, "what if")
    game.option(NUM_PLAYERS).check(options.players)
    check_agent(options.agent, game, [setting.components for setting in settings])
    conditions = make_conditions(options, game)
    study = _Study(laboratory, settings, conditions)
    study.extend(blocks or FIRST_BLOCKS)
    half_width = study.half_width()
    most_blocks = max(study.blocks, options.games * study.blocks // laboratory.games)
    while blocks is None and half_width > precision and study.blocks < most_blocks:
        study.extend(min(most_blocks, int(np.ceil(growth_of(half_width, precision) * study.blocks))))
        half_width = study.half_width()
    shown = tuple(
        {"label": setting.label, "path": setting.path, "value": setting.value, "components": setting.components.hash}
        for setting in settings
    )
    return outcomes.WhatIf(
        game=game.name,
        agent=options.agent,
        players=options.players,
        kinds=options.kinds,
        settings=shown,
        rows=study.rows(),
        shapes=study.shapes(),
        blocks=study.blocks,
        games=laboratory.games,
        seed=laboratory.seed,
        half_width=half_width,
        seconds=laboratory.seconds,
    )


def make_candidates(game: Game, components: Any, ranges: Sequence[tuple[str, Sequence[str]]]) -> tuple[Setting, ...]:
    """All combinations of the values of one or two paths in components.

    Raises `ValueError` for another number of paths, too many combinations, or a value that the game refuses.
    """
    if not 1 <= len(ranges) <= 2:
        raise ValueError(f"target: expected --over or --sweep of one or two values, got {len(ranges)}")
    combinations = list(itertools.product(*(values for _, values in ranges)))
    if len(combinations) > MOST_CANDIDATES:
        raise ValueError(f"over: {len(combinations)} combinations; at most {MOST_CANDIDATES} are allowed")
    paths = [path for path, _ in ranges]
    settings = []
    for values in combinations:
        label = ", ".join(f"{path}={value}" for path, value in zip(paths, values, strict=True))
        changed = game.require("change")(components, dict(zip(paths, values, strict=True)))
        settings.append(Setting(label, paths[0], values[0], changed))
    return tuple(settings)


def run_search(options: Options, candidates: Sequence[Setting], targets: Sequence[Target]) -> Search:
    """Search for the candidate whose shares come nearest to wanted shares; see `targets.find_nearest`.

    Raises the errors of `run_whatif`, and `ValueError` for a target that the kind of games does not have.
    """
    game = registry.find_game(options.game)
    laboratory = options.laboratory(game, "what if")
    game.option(NUM_PLAYERS).check(options.players)
    check_agent(options.agent, game, [candidate.components for candidate in candidates])
    condition, kind = make_conditions(options, game)[0], options.kinds[0]
    roles = game.require("roles").names
    columns = [target.column(kind, roles, options.players) for target in targets]

    def measure(chosen: Sequence[int], first: int, last: int) -> list[Games]:
        return laboratory.play([Trial(condition, candidates[number].components) for number in chosen], first, last)

    def shares(games: Games) -> paired.Contributions:
        return shares_of(games, kind, roles)[1][columns]

    labels = [candidate.label for candidate in candidates]
    return find_nearest(labels, [target.share for target in targets], measure, shares, most_games=options.games)


def main(options: Options) -> outcomes.WhatIf | Search:
    """Play the what-if or the search that the options describe, print the result and write it."""
    commands.check_numbers(
        options, positive=("players", "blocks", "games", "precision"), not_negative=("seed", "jobs"), shares=()
    )
    kinds = set(options.kinds)
    if not kinds or not kinds <= set(get_args(design.KindForAll)) or len(kinds) < len(options.kinds):
        raise ValueError(
            f"kinds: expected assigned, drafted or absent, each once, got {messages.shorten(options.kinds)}"
        )
    if options.over and not options.target:
        raise ValueError("over: expected --target ROLE=SHARE, got nothing to search for")
    game = registry.find_game(options.game)
    read_role(options, game)
    if not options.target:
        settings = make_settings(game, components=options.components, changes=options.change, sweeps=options.sweep)
        result = run_whatif(options, settings)
        values = {
            path: value_at(game, settings[0].components, path) for path in {setting.path for setting in settings[1:]}
        }
        whatif_pages.print_whatif(result)
        if options.out is not None:
            whatif_pages.write_whatif(options.out, result, values)
        return result
    targets = [read_target(text) for text in options.target]
    made = dict(read_change(text) for text in options.change)
    base = game.load(options.components)
    base = game.require("change")(base, made) if made else base
    ranges = [*map(read_range, options.over), *map(read_sweep, options.sweep)]
    candidates = make_candidates(game, base, ranges)
    search = run_search(options, candidates, targets)
    whatif_pages.print_search(search, targets)
    if options.out is not None:
        whatif_pages.write_search(options.out, search, targets)
    return search


def _run() -> int:
    options = commands.parse_command(Options, program="dunaia whatif")
    return commands.run_command("dunaia whatif", lambda: main(options))


if __name__ == "__main__":
    sys.exit(terminal.run_main(_run, has_workers=True))

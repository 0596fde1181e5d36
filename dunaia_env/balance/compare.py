"""Two versions of a component file side by side: ``dunaia compare A.toml B.toml``.

Both versions are played on common blocks with assigned roles, at every number of players and level of play, until the
changes of the shares are known precisely. `dunaia_env.balance.versions` says how the versions are compared.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import tyro

from dunaia_env.balance import compare_pages, design, versions
from dunaia_env.balance.games import Games, joined
from dunaia_env.balance.intervals import block_numbers
from dunaia_env.balance.plans import condition_name
from dunaia_env.balance.questions.fun import fun_changes
from dunaia_env.balance.questions.verdicts import TOLERANCE, check_tolerance
from dunaia_env.balance.trials import Laboratory, PlayOptions, Trial, check_agent, growth_of
from dunaia_env.harness import commands, registry
from dunaia_env.harness.game import Game
from dunaia_env.harness.opponents import CHAMPION
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.support import messages, terminal

# Number of blocks at each table before the precision is checked.
FIRST_BLOCKS = 200


@dataclass(frozen=True, kw_only=True)
class Options(PlayOptions):
    """Play two versions of a component file on common blocks, and say what got better, what got worse and for whom."""

    files: Annotated[tuple[Path, ...], tyro.conf.Positional]
    """The component file before and the one after. A single file is the one after; the game's own is then the one
    before."""
    levels: tuple[str, ...] = ("medium", CHAMPION)
    """Levels of play, from weak to strong: agents, each of which plays all seats of its own games. The last one decides
    the verdicts. A trained player is refused for components that it does not know; greedy plays with all of them."""
    players: tuple[int, ...] | None = None
    """Numbers of players at a table; by default all that the game allows."""
    precision: float = 0.015
    """Half-width that the simultaneous intervals of the changes of the shares are to reach, in win shares."""
    tolerance: float = TOLERANCE
    """Largest difference from the fair share at which a role is still fine."""
    games: int = 800_000
    """Approximate upper limit on the number of games, both versions and all levels and tables together."""
    out: Path | None = None
    """Folder into which compare.html, compare.md and compare.json are written."""


class Both(NamedTuple):
    """The loaded components of both versions."""

    before: Any
    after: Any


def read_files(files: Sequence[Path], game: Game) -> Both:
    """The components of both versions.

    Args:
        files: one or two component files, see `Options`.
        game: the game.

    Raises `ValueError` for another number of files, a file that cannot be read, and equal values.
    """
    if not 1 <= len(files) <= 2:
        raise ValueError(f"files: expected one or two component files, got {len(files)}")
    after = game.load(files[-1])
    before = game.load(files[0] if len(files) == 2 else None)
    if before.hash == after.hash:
        raise ValueError(
            f"files: expected two versions with different values, got the same values in {_label(before, game)} and"
            f" {_label(after, game)}"
        )
    return Both(before, after)


def _label(components: Any, game: Game) -> str:
    """What a version is called: its file, or words for the game's own components."""
    own = game.load(None)
    return f"{game.title}'s own" if components is own else messages.printable(components.source)


def read_tables(players: Sequence[int] | None, game: Game) -> tuple[int, ...]:
    """The numbers of players, in ascending order; all that the game allows if none are named.

    Raises `ValueError` for a number of players that the game does not allow or that exceeds the number of roles, and
    for one that is named twice.
    """
    table, roles = game.option(NUM_PLAYERS), len(game.require("roles").names)
    if players is None:
        return tuple(range(table.least, min(table.most, roles) + 1))
    if not players:
        raise ValueError("players: expected at least one number of players, got none")
    for number in players:
        if table.check(number) > roles:
            raise ValueError(f"players: expected at most {roles}, the number of roles, got {number}")
    if repeated := [number for number in players if players.count(number) > 1]:
        raise ValueError(f"players: expected each number once, got {repeated[0]} twice")
    return tuple(sorted(players))


def check_levels(levels: Sequence[str]) -> None:
    """Raise `ValueError` unless at least one level is named, and each of them once."""
    if not levels:
        raise ValueError("levels: expected at least one agent, got none")
    if repeated := [level for level in levels if levels.count(level) > 1]:
        raise ValueError(f"levels: expected each agent once, got {messages.shorten(repeated[0])} twice")


class _Table:
    """The games at one number of players so far: at all levels, with both versions, on the same blocks."""

    def __init__(self, players: int, options: Options, game: Game, both: Both) -> None:
        roles, chosen = len(game.require("roles").names), options.options_of(game)
        self.players, self.levels, self.blocks = players, options.levels, 0
        self.cycle = design.cycle_length(roles, players)
        self.games_in_block = roles * len(options.levels) * len(both)
        conditions = [
            design.Condition(condition_name("assigned", players, level), "assigned", players, level, 1, options=chosen)
            for level in options.levels
        ]
        self._trials = [Trial(condition, components) for condition in conditions for components in both]
        self._games: list[Games] = []

    def whole_cycles(self, blocks: float) -> int:
        """A number of blocks rounded down to whole cycles, of which there is at least one, and at least two blocks."""
        return max(int(blocks) // self.cycle, -(-2 // self.cycle)) * self.cycle

    def extend(self, laboratory: Laboratory, blocks: int) -> None:
        """Play both versions at all levels up to a number of blocks."""
        new = laboratory.play(self._trials, self.blocks, blocks)
        parts = zip(self._games, new, strict=True) if self._games else ((games,) for games in new)
        self._games, self.blocks = [joined(games) for games in parts], blocks

    def played(self) -> dict[tuple[int, str], tuple[Games, Games]]:
        """The games of both versions by level."""
        pairs = zip(self._games[::2], self._games[1::2], strict=True)
        return {(self.players, level): pair for level, pair in zip(self.levels, pairs, strict=True)}


def play_versions(options: Options, both: Both) -> tuple[versions.Played, Laboratory]:
    """Play both versions until all changes of shares are known with the wanted precision, or the games are used up.

    Args:
        options: how the games are played, and how precisely the changes are to be known; the files are not read.
        both: the versions.

    Returns:
        The games by number of players and level, and the laboratory that played them.

    Raises `ValueError` for an agent that cannot play with one of the versions; passes on exceptions raised while
    playing.
    """
    game = registry.find_game(options.game)
    for level in options.levels:
        check_agent(level, game, both, option="--levels")
    laboratory = options.laboratory(game, "compare")
    roles = len(game.require("roles").names)
    tables = [_Table(players, options, game, both) for players in read_tables(options.players, game)]
    for table in tables:
        most = options.games / len(tables) / table.games_in_block
        table.extend(laboratory, table.whole_cycles(min(FIRST_BLOCKS + table.cycle - 1, most)))
    while True:
        played = {key: games for table in tables for key, games in table.played().items()}
        widths = half_widths(played, roles)
        wanted = _more_blocks(tables, widths, options.precision, options.games - laboratory.games)
        if not wanted:
            return played, laboratory
        for table in tables:
            if table.players in wanted:
                table.extend(laboratory, wanted[table.players])


def half_widths(played: versions.Played, roles: int) -> dict[int, float]:
    """By number of players, half the length of the longest interval of a change of a share."""
    widths: dict[int, float] = {}
    for (players, _), changes in versions.share_changes(played, roles).items():
        longest = max((found.change.high - found.change.low) / 2 for found in changes)
        widths[players] = max(widths.get(players, 0.0), longest)
    return widths


def _more_blocks(
    tables: Sequence[_Table], widths: Mapping[int, float], precision: float, games_left: int
) -> dict[int, int]:
    """By number of players, up to how many blocks to play next; empty if all is precise or no games are left."""
    more = {}
    for table in tables:
        width = widths[table.players]
        if width > precision:
            more[table] = math.ceil((growth_of(width, precision) - 1) * table.blocks / table.cycle) * table.cycle
    price = sum(blocks * table.games_in_block for table, blocks in more.items())
    affordable = min(1.0, games_left / price) if price else 0.0
    wanted = {
        table.players: table.blocks + int(affordable * blocks) // table.cycle * table.cycle
        for table, blocks in more.items()
    }
    return {table.players: wanted[table.players] for table in more if wanted[table.players] > table.blocks}


def differences_of(both: Both, game: Game) -> tuple[versions.Difference, ...]:
    """The values in which the versions differ; none if the game's values have no paths."""
    if game.values_of is None:
        return ()
    before, after = ({path: str(value) for path, value in game.values_of(components).items()} for components in both)
    return tuple(
        versions.Difference(path, before.get(path, ""), after.get(path, ""))
        for path in dict.fromkeys((*before, *after))
        if before.get(path) != after.get(path)
    )


def run_comparison(options: Options) -> versions.Comparison:
    """Play two versions of a component file and compare them.

    Args:
        options: the files, how the games are played, and how the versions are judged.

    Raises `ValueError` for options with which the versions cannot be compared; passes on exceptions raised while
    playing.
    """
    game = registry.find_game(options.game)
    check_levels(options.levels)
    check_tolerance(options.tolerance)
    players, both = read_tables(options.players, game), read_files(options.files, game)
    played, laboratory = play_versions(options, both)
    roles = game.require("roles")
    changes = versions.role_changes(played, roles.names, tolerance=options.tolerance)
    strongest = {number: played[number, options.levels[-1]] for number in players}
    return versions.Comparison(
        game=registry.name_of(game),
        title=game.title,
        role_title=roles.title,
        options=_words_of(options, game),
        before=versions.Version(_label(both.before, game), both.before.hash),
        after=versions.Version(_label(both.after, game), both.after.hash),
        differences=differences_of(both, game),
        players=players,
        levels=options.levels,
        tolerance=options.tolerance,
        precision=options.precision,
        half_width=max((found.change.high - found.change.low) / 2 for found in changes),
        seed=options.seed,
        blocks={number: len(block_numbers(before)) for number, (before, _) in strongest.items()},
        games=laboratory.games,
        roles=changes,
        fun=fun_changes(strongest, roles.names),
    )


def _words_of(options: Options, game: Game) -> dict[str, str]:
    """The options that differ from the game's defaults, as words of a command line."""
    chosen = ((game.option(name), value) for name, value in options.options_of(game).items())
    return {option.name: option.word(value) for option, value in chosen if value != option.default}


def main(options: Options) -> versions.Comparison:
    """Play the comparison that the options describe, print it and write it."""
    commands.check_numbers(options, positive=("precision", "tolerance", "games"), not_negative=("seed", "jobs"))
    result = run_comparison(options)
    compare_pages.print_comparison(result)
    if options.out is not None:
        compare_pages.write_comparison(options.out, result)
        print(f"Page: {messages.printable(str(options.out / 'compare.html'))}")
    return result


def _run() -> int:
    options = commands.parse_command(
        Options, program="dunaia compare", decided=lambda game: game.require("roles").decided
    )
    return commands.run_command("dunaia compare", lambda: main(options))


if __name__ == "__main__":
    sys.exit(terminal.run_main(_run, has_workers=True))

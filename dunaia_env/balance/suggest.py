"""The smallest change of a component file that brings roles to their fair share: ``dunaia suggest --role mystic``.

1. *Screening.* The unchanged file and files in which a few numbers are changed at random are played on common blocks
   at all tables. Changing several numbers at a time measures each of them with all games (Plackett and Burman 1946,
   "The design of optimum multifactorial experiments"). A screening asks for no role in particular, so one screening
   serves the searches for all of them (``--screening``).
2. *Proposals.* Gaussian-process regression (`dunaia_env.balance.surrogate`) gives the effects that any change is
   expected to have. A beam search over the changes of one number, two numbers and so on keeps those that are expected
   to be inside the tolerance at all tables, the smallest change first, and otherwise those that come nearest.
3. *Trials.* The first proposals are played themselves, and what they did is added to the regression, from which new
   proposals follow; this several times. A proposal that stays among the first gets more games each time, and in the
   end the best ones get most.
4. *Confirmation.* The best one is played on fresh seeds until its shares are known as precisely as requested, or it is
   known to be outside the tolerance.
"""

from __future__ import annotations

import functools
import itertools
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dunaia_env.balance import design, intervals, paired, suggest_pages
from dunaia_env.balance.compare import read_tables
from dunaia_env.balance.games import Floats, Games, joined
from dunaia_env.balance.outcomes import Change, Changes, Confirmed, Fairness, Screening, Suggestion, read_result
from dunaia_env.balance.proposals import (
    Proposal,
    allowed_changes,
    draw_screening,
    is_known,
    propose,
    rank,
    steps_of,
    values_of,
)
from dunaia_env.balance.surrogate import Surrogate, fit_surrogate
from dunaia_env.balance.trials import PlayOptions, Trial, check_agent, growth_of
from dunaia_env.harness import commands, opponents, registry
from dunaia_env.harness.game import Game
from dunaia_env.harness.opponents import CHAMPION
from dunaia_env.statistics.intervals import Estimate
from dunaia_env.support import messages, terminal

# Times the blocks of a file of the screening that the unchanged file is played.
_UNCHANGED = 10
# A proposal can be confirmed only if it lies inside the tolerance by more than the precision, or this part of it.
_LEAST_AIM = 0.3
_ROUNDS = 5  # of the trials
_TRIED = 10  # proposals that are played in each round
_TRIAL = 60  # blocks of a proposal in each round
# The last rounds: for so many of the best proposals, so many times as many blocks, so that the first one is the best
# and not the luckiest one (successive halving; Karnin, Koren and Somekh 2013, "Almost optimal exploration in
# multi-armed bandits").
_HALVINGS = ((8, 2), (4, 4))
_CONFIRMED = 3  # proposals that are confirmed before the search gives up


@dataclass(frozen=True, kw_only=True)
class Options(PlayOptions):
    """Search for the smallest change of a component file that brings roles to their fair share at all tables."""

    role: tuple[str, ...] = ()
    """Roles that are to be fair; by default all of them."""
    within: float = 3.0
    """Largest difference from the fair share at which a role is fair, in percentage points."""
    agent: str = CHAMPION
    """Agent that decides for every seat. It has to know all changed files, as the champion does."""
    players: tuple[int, ...] | None = None
    """Numbers of players at a table; by default all that the game allows."""
    values: tuple[str, ...] = ()
    """Numbers that may be changed, as paths or beginnings of paths such as characters.mystic; by default all numbers of
    the component file except those in its long lists."""
    most: int = 2
    """Largest number of numbers that are changed."""
    components: Path | None = None
    """Component file that is changed; by default the game's own."""
    files: int = 200
    """Number of files of the screening."""
    blocks: int = 40
    """Number of blocks of each of these files at each table, rounded up to whole cycles."""
    screening: Path | None = None
    """The screening.json of an earlier search with the same game, agent, tables and seed: its games are not played
    again."""
    precision: float = 0.015
    """Half-width that the intervals of the confirmation are to reach, in win shares."""
    out: Path | None = None
    """Folder into which suggestion.toml, suggestion.md, suggestion.json and screening.json are written."""


class _Tables:
    """Plays components at all tables, and measures the effects of the roles."""

    def __init__(self, options: Options, game: Game, players: Sequence[int]) -> None:
        self.game, self.players = game, players
        self.roles = len(game.require("roles").names)
        self.laboratory = options.laboratory(game, "suggest")
        self.conditions = [
            design.Condition(
                f"assigned-{number}", "assigned", number, options.agent, 1, options=options.options_of(game)
            )
            for number in players
        ]

    def whole_cycles(self, blocks: int | Sequence[int]) -> list[int]:
        """A number of blocks, or one for each table, rounded up to whole cycles."""
        several = [blocks] * len(self.players) if isinstance(blocks, int) else blocks
        cycles = [design.cycle_length(self.roles, number) for number in self.players]
        return [-(-own // cycle) * cycle for own, cycle in zip(several, cycles, strict=True)]

    def play(
        self, step: str, components: Sequence[Any], first: Sequence[int], last: Sequence[int]
    ) -> list[list[Games]]:
        """The games of each of some components at each table, blocks ``first`` to ``last - 1`` of each table.

        The progress bar names the step of the search and the table.
        """
        tables = range(len(self.players))
        found = [self.play_table(step, table, components, first[table], last[table]) for table in tables]
        return [list(games) for games in zip(*found, strict=True)]

    def play_table(
        self, step: str, table: int, components: Sequence[Any], first: int, last: int, seed: int | None = None
    ) -> list[Games]:
        """The games of each of some components at one table, with the search's seed or another one."""
        laboratory = replace(
            self.laboratory,
            seed=self.laboratory.seed if seed is None else seed,
            title=f"{self.laboratory.title}, {step}, {self.players[table]} players",
        )
        games = laboratory.play([Trial(self.conditions[table], loaded) for loaded in components], first, last)
        self.laboratory.games += laboratory.games
        return games

    def effects(self, games: Sequence[Games]) -> Floats:
        """Win share minus fair share of each role at each table, float64 ``(T, R)``."""
        return np.array([paired.role_shares(one, self.roles).values - 1 / one.seats for one in games])

    def variances(self, games: Sequence[Games]) -> list[float]:
        """The variances of these effects if games were independent, one for each table."""
        return [variance_of(len(one), one.seats, self.roles) for one in games]

    def estimates(self, games: Sequence[Games]) -> tuple[tuple[Estimate, ...], ...]:
        """The same with intervals that are simultaneous over all tables and roles."""
        strata = [intervals.role_blocks(one, one.shares, self.roles) - 1 / one.seats for one in games]
        return tuple(tuple(row) for row in intervals.simultaneous(strata))


def _setting(options: Options, game: Game, base: Any, players: Sequence[int]) -> dict[str, Any]:
    """What a screening and a search that begins with it have in common, by the names of the fields of a screening."""
    return {
        "game": game.name,
        "agent": options.agent,
        "agent_version": opponents.load(options.agent, game=game, components=base).version,
        "components": base.hash,
        "options": options.options_of(game),
        "players": tuple(players),
        "seed": options.seed,
    }


def screen(
    options: Options, base: Any, allowed: dict[str, tuple[Change, ...]], tables: _Tables, setting: Mapping[str, Any]
) -> Screening:
    """Play the screening.

    Args:
        options: the options of the search.
        base: the components of the unchanged file.
        allowed: the changes of every number.
        tables: plays the games.
        setting: the fields of the screening that a search has, too.
    """
    game = tables.game
    files = draw_screening(game, base, options.agent, allowed, options.files, options.seed)
    change = game.require("change")
    blocks, nothing = tables.whole_cycles(options.blocks), [0] * len(tables.players)
    screened = tables.play("screening", [change(base, values_of(changes)) for changes in files], nothing, blocks)
    # All changes are measured from the unchanged file, so it is known better.
    (unchanged,) = tables.play("unchanged file", [base], nothing, [_UNCHANGED * number for number in blocks])
    return Screening(
        **setting,
        numbers=tuple(allowed),
        files=tuple(files),
        file_games=tuple(len(games) for games in screened[0]),
        effects=tuple(_rows(tables.effects(games)) for games in screened),
        unchanged_games=tuple(len(games) for games in unchanged),
        before=tables.estimates(unchanged),
        games=tables.laboratory.games,
    )


def _rows(effects: Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in effects.tolist())


def read_screening(path: Path, allowed: Iterable[str], setting: Mapping[str, Any]) -> Screening:
    """A stored screening.

    Args:
        path: the file.
        allowed: paths of the numbers that may be changed.
        setting: fields that the screening needs to have.

    Raises `ValueError` for a file that cannot be read, and for one that does not serve the search.
    """
    stored: Screening = read_result(
        path, Screening, suggest_pages.SCREENING_FORMAT, suggest_pages.SCREENING_VERSION, {1: _from_version_1}
    )
    for name, value in setting.items():
        if (found := getattr(stored, name)) != value:
            raise ValueError(f"--screening: {path}: {name}: expected {value!r}, got {messages.shorten(found)}")
    if missing := [number for number in allowed if number not in stored.numbers]:
        raise ValueError(f"--screening: {path}: numbers: expected {missing[0]} among them, which --values allows")
    return stored


def _from_version_1(content: dict[str, Any]) -> None:
    """Replaces the effects of the unchanged file on few blocks by numbers of games, which follow from all games."""
    try:
        roles, files = len(content.pop("reference")[0]), len(content["files"])
        cycles = [design.cycle_length(roles, number) for number in content["players"] if 1 <= number <= roles <= 12]
        for blocks in range(1, 10_000):
            games = [roles * -(-blocks // cycle) * cycle for cycle in cycles]
            if sum(games) * (files + _UNCHANGED) == content["games"]:
                content["file_games"], content["unchanged_games"] = games, [_UNCHANGED * number for number in games]
                return
    except (KeyError, TypeError, IndexError, AttributeError):
        pass
    raise ValueError("games: expected the number that follows from version 1, its files and its players")


def surrogate_of(screening: Screening) -> Surrogate:
    """What is expected of changes after a screening: by how much they move the effects of the unchanged file."""
    before = effects_before(screening)
    roles, unchanged = before.shape[1], np.zeros((1, len(screening.numbers)))

    def variances(games: Sequence[int]) -> list[float]:
        return [variance_of(*pair, roles) for pair in zip(games, screening.players, strict=True)]

    return fit_surrogate(
        np.concatenate([unchanged, steps_of(screening.files, screening.numbers)]),
        np.concatenate([[np.zeros_like(before)], np.array(screening.effects) - before]),
        np.array([variances(screening.unchanged_games)] + [variances(screening.file_games)] * len(screening.files)),
    )


def effects_before(screening: Screening) -> Floats:
    """The effects of the unchanged file, float64 ``(T, R)``."""
    return np.array([[estimate.value for estimate in row] for row in screening.before])


def variance_of(games: int, players: int, roles: int) -> float:
    """Variance of a role's win share in independent games, in which every role has the fair share of a table."""
    fair = 1 / players
    return fair * (1 - fair) / (games * players / roles)


def suggest(options: Options) -> tuple[Suggestion, Any]:
    """Search for the smallest change that makes roles fair; returns the result and the components of its best change.

    The screening is written as soon as it is played, so that a search that was interrupted can begin with it.

    Raises `ValueError` for options with which nothing can be searched, and passes on exceptions raised while playing.
    """
    game = registry.find_game(options.game)
    names = game.require("roles").names
    if unknown := [role for role in options.role if role not in names]:
        raise ValueError(f"role: expected some of {', '.join(names)}, got {messages.shorten(unknown[0])}")
    chosen = options.role or names
    columns, within = [names.index(role) for role in chosen], options.within / 100
    players = read_tables(options.players, game)
    base = game.load(options.components)
    check_agent(options.agent, game, [base])
    allowed = allowed_changes(game, base, options.agent, options.values)
    tables = _Tables(options, game, players)
    setting = _setting(options, game, base, players)
    if options.screening:
        screening = read_screening(options.screening, allowed, setting)
    else:
        screening = screen(options, base, allowed, tables, setting)
    if options.out is not None:
        suggest_pages.write_screening(options.out, screening)

    def changed(changes: Changes) -> Any:
        return game.require("change")(base, values_of(changes))

    @functools.cache
    def knows(changes: Changes) -> bool:
        return is_known(game, base, options.agent, values_of(changes))

    ranked = _try(_Trials(tables, base), allowed, knows, screening, columns, options)
    confirmed: list[Confirmed] = []
    for changes in ranked[:_CONFIRMED]:
        confirmed.append(_confirm(tables, changes, changed(changes), columns, within, options))
        if confirmed[-1].verdict == "fair":
            break
    result = Suggestion(
        game=game.name,
        agent=options.agent,
        roles=tuple(names),
        chosen=tuple(chosen),
        players=tuple(players),
        within=within,
        before=screening.before,
        confirmed=tuple(confirmed),
        screened=len(screening.numbers),
        files=len(screening.files),
        games=tables.laboratory.games + (screening.games if options.screening else 0),
        seed=options.seed,
    )
    return result, changed(result.best.changes)


def judge(result: Suggestion, options: Options) -> Suggestion:
    """Play the best change of a suggestion once more, on other fresh seeds, with a player that was trained for it.

    Args:
        result: the suggestion.
        options: the options of the search, with the trained player as ``agent``.

    Returns the suggestion with what this player showed in place of what the search confirmed. Raises `ValueError` for a
    player that does not know the changed file, and passes on exceptions raised while playing.
    """
    game = registry.find_game(options.game)
    changed = game.require("change")(game.load(options.components), values_of(result.best.changes))
    opponents.load(options.agent, game=game, components=changed)
    tables = _Tables(options, game, result.players)
    columns = [result.roles.index(role) for role in result.chosen]
    confirmed = _confirm(tables, result.best.changes, changed, columns, result.within, options, judge=True)
    return replace(result, agent=options.agent, confirmed=(confirmed,), games=tables.laboratory.games, trained=True)


class _Trials:
    """Changes that were played, and all games with each of them."""

    def __init__(self, tables: _Tables, base: Any) -> None:
        self.tables, self.base = tables, base
        self.games: dict[Changes, list[list[Games]]] = {}
        self.rounds = Counter[Changes]()

    def play(self, several: Sequence[Changes], step: str, rounds: int = 1) -> None:
        """Plays ``rounds`` times `_TRIAL` blocks more with each of some changes; the progress bar names the step."""
        change = self.tables.game.require("change")
        blocks = self.tables.whole_cycles(_TRIAL)
        for past in sorted({self.rounds[changes] for changes in several}):
            alike = [changes for changes in several if self.rounds[changes] == past]
            first, last = ([number * own for own in blocks] for number in (past, past + rounds))
            loaded = [change(self.base, values_of(changes)) for changes in alike]
            for changes, games in zip(alike, self.tables.play(step, loaded, first, last), strict=True):
                self.games.setdefault(changes, []).append(games)
                self.rounds[changes] += rounds

    def measured(self) -> tuple[list[Changes], Floats, Floats]:
        """The N changes, their effects ``(N, T, R)``, and the variances of these if games were independent, (N, T)."""
        whole = [[joined(parts) for parts in zip(*found, strict=True)] for found in self.games.values()]
        effects = np.array([self.tables.effects(games) for games in whole])
        return list(self.games), effects, np.array([self.tables.variances(games) for games in whole])


def _try(
    trials: _Trials,
    allowed: dict[str, tuple[Change, ...]],
    knows: Callable[[Changes], bool],
    screening: Screening,
    columns: Sequence[int],
    options: Options,
) -> list[Changes]:
    """Plays the first proposals, and proposes anew with what they did, several times.

    Returns all changes that were played, the best first, by what is expected of them in the end.
    """
    screened, within = surrogate_of(screening), options.within / 100
    aim = max(within - options.precision, _LEAST_AIM * within)
    before = effects_before(screening)
    learned = screened

    def expected(several: Sequence[Changes]) -> Floats:
        return before + learned.expected(steps_of(several, screening.numbers))

    def play(chosen: Sequence[Changes], turn: int, rounds: int) -> None:
        nonlocal learned
        trials.play(chosen, f"round {turn + 1} of {_ROUNDS + len(_HALVINGS)} of the trials", rounds)
        several, effects, variances = trials.measured()
        learned = fit_surrogate(
            np.concatenate([screened.steps, steps_of(several, screening.numbers)]),
            np.concatenate([screened.effects, effects - before]),
            np.concatenate([screened.variances, variances]),
        )

    def ranked() -> list[Changes]:
        several = list(trials.rounds)
        proposals = [Proposal(*pair) for pair in zip(several, expected(several), strict=True)]
        proposals.sort(key=lambda one: (*rank(one, columns, aim), one.changes))
        return [one.changes for one in proposals]

    for turn in range(_ROUNDS):
        # The agent knows the changes of single numbers, but not all combinations of them, and perhaps none of these.
        proposed = (one for most in (options.most, 1) for one in propose(allowed, expected, columns, aim, most))
        known = (one.changes for one in proposed if knows(one.changes))
        play(list(dict.fromkeys(itertools.islice(known, _TRIED))), turn, 1)
    for turn, (best, rounds) in enumerate(_HALVINGS, _ROUNDS):
        play(ranked()[:best], turn, rounds)
    return ranked()


def _confirm(
    tables: _Tables,
    changes: Changes,
    components: Any,
    columns: Sequence[int],
    within: float,
    options: Options,
    *,
    judge: bool = False,
) -> Confirmed:
    """Plays a proposal on fresh seeds, as many blocks as the precision needs, or fewer if these show that it fails.

    A judge has seeds of its own, and plays as many blocks as the precision needs in any case.
    """
    seed, step = options.seed + (2 if judge else 1), "judgement" if judge else "confirmation"
    first, last = [0] * len(tables.players), tables.whole_cycles(2 * _TRIAL)
    games: list[list[Games]] = [[] for _ in first]
    while True:
        for table, (begin, end) in enumerate(zip(first, last, strict=True)):
            if begin < end:
                games[table] += tables.play_table(step, table, [components], begin, end, seed)
        effects, first = tables.estimates([joined(parts) for parts in games]), last
        verdict = _fairness(effects, columns, within)
        halves = [max((estimate.high - estimate.low) / 2 for estimate in row) for row in effects]
        if (verdict == "not fair" and not judge) or max(halves) <= options.precision:
            return Confirmed(changes, verdict, effects, tuple(last))
        growth = [min(2.0, growth_of(half, options.precision)) if half > options.precision else 1.0 for half in halves]
        last = tables.whole_cycles([math.ceil(more * blocks) for more, blocks in zip(growth, last, strict=True)])


def _fairness(effects: Sequence[Sequence[Estimate]], columns: Sequence[int], within: float) -> Fairness:
    """Whether the roles of some columns are known to be fair at all tables, or one of them known not to be."""
    own = [row[column] for row in effects for column in columns]
    if all(-within <= estimate.low and estimate.high <= within for estimate in own):
        return "fair"
    return "not fair" if any(estimate.low > within or estimate.high < -within for estimate in own) else "not known"


def main(options: Options) -> Suggestion:
    """Search as the options say, print the result and write it."""
    commands.check_numbers(
        options, positive=("within", "most", "files", "blocks", "precision"), not_negative=("seed", "jobs")
    )
    result, components = suggest(options)
    suggest_pages.print_suggestion(result)
    if options.out is not None:
        family = registry.find_game(options.game).require("load_family")(None)
        suggest_pages.write_suggestion(options.out, result, family.text_of(components))
    return result


def _run() -> int:
    options = commands.parse_command(Options, program="dunaia suggest")
    return commands.run_command("dunaia suggest", lambda: main(options))


if __name__ == "__main__":
    sys.exit(terminal.run_main(_run, has_workers=True))

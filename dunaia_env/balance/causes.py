"""Ablations: attribute an advantage to events, powers and values by removing one at a time, on common blocks.

``python -m dunaia_env.balance.causes --subject seat0`` plays the same blocks again and again with one difference: an
event of the game is forbidden, two seats exchange their boards at the start of a round, a role loses its power, the
components are changed, or the game is stopped after a round. A thing carries the part of the advantage that disappears
when it is taken away, provided that the agent plays the changed game as well as the original one.

Any removal also changes the game as a whole: it may take longer, for example, so that powers are used more
often. The removals of the other events are therefore the placebo: an event is a cause only if more of the advantage
goes without it than without the others on average. The number of rounds, the uses of the power and the shares of all
roles are shown beside each change, and the games that are stopped early say what the length of the game alone does.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dunaia_env.balance import causes_pages, design, paired, whatif
from dunaia_env.balance.games import Floats, Games
from dunaia_env.balance.outcomes import Cause, CauseKind, Causes
from dunaia_env.balance.trials import Trial, TrialOptions, check_agent
from dunaia_env.harness import commands, registry
from dunaia_env.harness.game import Game
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.harness.roles import NOBODY
from dunaia_env.statistics.intervals import Estimate, round_portably
from dunaia_env.support import messages, terminal

# Later than the last round of any game.
NEVER = 1_000_000
LEAST_BLOCKS = 20
_SEAT = "seat"


@dataclass(frozen=True)
class Subject:
    """The seat or role whose share is explained.

    Attributes:
        name: name of the role, or ``seat 0``.
        seat: number of the seat; -1 for a role.
        role: number of the role; `NOBODY` for a seat.
    """

    name: str
    seat: int
    role: int = NOBODY

    def forbidden(self, event: int, rounds: tuple[int, int]) -> design.Forbidden:
        """An event that is forbidden to this subject alone in some rounds."""
        return (
            design.Forbidden(event, (self.seat,), rounds)
            if self.seat >= 0
            else design.Forbidden(event, (), rounds, self.role)
        )

    def share(self, games: Games, roles: int) -> paired.Contributions:
        """The subject's share of the wins."""
        if self.seat >= 0:
            return paired.seat_shares(games)[[self.seat]]
        return paired.role_shares(games, roles)[[self.role]]


def read_subject(text: str, game: Game, players: int) -> Subject:
    """The subject that a text names, ``seat0`` or the name of a role; raises `ValueError` naming the allowed texts."""
    roles = game.require("roles").names
    seats = [f"{_SEAT}{seat}" for seat in range(players)]
    name = text.replace(" ", "")
    if name in seats:
        return Subject(f"{_SEAT} {seats.index(name)}", seats.index(name))
    if name in roles:
        return Subject(name, -1, roles.index(name))
    raise ValueError(f"subject: expected one of {', '.join([*seats, *roles])}, got {messages.shorten(text)}")


class _Planned:
    """A thing to take away, and the trial that plays the games without it."""

    def __init__(self, kind: CauseKind, name: str, clause: str, trial: Trial, round_number: int = 0) -> None:
        self.kind, self.name, self.clause, self.trial, self.round = kind, name, clause, trial, round_number


@dataclass(frozen=True, kw_only=True)
class Options(TrialOptions):
    """Find what carries the advantage of a seat or role: take away one thing at a time, and play the same blocks."""

    subject: str = "seat0"
    """Seat or role whose share is explained: seat0, seat1, ... or the name of a role."""
    kind: design.KindForAll | None = None
    """How the seats get their roles: assigned (every role in every seat equally often), drafted (as the rules say),
    absent (nobody has a role). By default absent if the subject is a seat, and assigned if it is a role."""
    blocks: int = 400
    """Number of common blocks."""
    components: Path | None = None
    """Component file; the game's own by default."""
    change: tuple[str, ...] = ()
    """Changed values of the components, PATH=VALUE; each is tried as a cause."""
    events: tuple[str, ...] = ()
    """Names of the events that are forbidden, one at a time; by default all events of the game."""
    exchanges: tuple[int, ...] = (2, 3, 5, 8, 12, 16)
    """Rounds at whose start boards are exchanged. A seat exchanges with each other seat; the holder of a role exchanges
    with the next seat, and both keep their roles. --exchanges without a number tries none."""
    delays: tuple[int, ...] = (5, 9)
    """Rounds before which the subject may not cause the events that carry most. --delays without a number tries
    none."""
    delayed_events: int = 6
    """Number of events that are delayed."""
    lengths: tuple[float, ...] = (0.6, 0.8)
    """Parts of the mean length of a game after which it is stopped, to see what its length alone does. Only for games
    with a round limit. --lengths without a number tries none."""
    out: Path | None = None
    """Folder into which causes.md and causes.json are written."""


def find_causes(options: Options, *, components: Any = None) -> Causes:
    """Play common blocks unchanged, and again without each of several things.

    Args:
        options: what is explained and taken away, and how the games are played; at least `LEAST_BLOCKS` blocks.
        components: loaded components instead of the options' file.

    Powers are taken away only from a role, in games with assigned roles. Raises `ValueError` for options with which the
    games cannot be played, and passes on exceptions raised while playing.
    """
    game = registry.find_game(options.game)
    laboratory = options.laboratory(game, "causes")
    players, blocks, exchanges, delays = options.players, options.blocks, options.exchanges, options.delays
    subject = read_subject(options.subject, game, game.option(NUM_PLAYERS).check(players))
    names, roles = game.require("events").names, game.require("roles").names
    forbidden = tuple(dict.fromkeys(options.events)) or names
    if unknown := [name for name in forbidden if name not in names]:
        raise ValueError(f"event: expected one of {', '.join(names)}, got {messages.shorten(unknown[0])}")
    if blocks < LEAST_BLOCKS:
        raise ValueError(f"blocks: expected at least {LEAST_BLOCKS}, got {blocks}")
    if wrong := [number for number in (*exchanges, *delays) if number < 2]:
        raise ValueError(f"round: expected at least 2, got {wrong[0]}")
    is_seat = subject.seat >= 0
    kind: design.Kind = options.kind or ("absent" if is_seat else "assigned")
    if not is_seat and kind == "absent":
        raise ValueError(f"kind: expected games in which {subject.name} is held, got absent")
    if wrong_parts := [part for part in options.lengths if not 0 < part < 1]:
        raise ValueError(f"lengths: expected parts above 0 and below 1, got {wrong_parts[0]}")
    base = game.load(options.components if components is None else components)
    changed = [game.require("change")(base, dict([whatif.read_change(text)])) for text in options.change]
    check_agent(options.agent, game, [base, *changed])
    plain = design.Condition("plain", kind, players, options.agent, blocks, options=options.options_of(game))
    seats = tuple(range(players))

    planned = [
        _Planned(
            "event",
            name,
            f"if nobody {name}",
            Trial(replace(plain, forbidden=(design.Forbidden(names.index(name), seats, (1, NEVER)),)), base),
        )
        for name in forbidden
    ]
    if is_seat:
        planned += [
            _Planned(
                "exchange",
                f"{_SEAT} {other}",
                f"if {subject.name} and {_SEAT} {other} exchange their boards at the start of round {number}",
                Trial(replace(plain, exchanges=(design.Exchange(number, (subject.seat, other)),)), base),
                number,
            )
            for other in seats
            if other != subject.seat
            for number in exchanges
        ]
    else:
        planned += [
            _Planned(
                "exchange",
                causes_pages.NEXT_SEAT,
                f"if {subject.name} and {causes_pages.NEXT_SEAT} exchange their boards, but not their roles, at the"
                f" start of round {number}",
                Trial(replace(plain, exchanges=(design.RoleExchange(number, subject.role),)), base),
                number,
            )
            for number in exchanges
        ]
    if kind == "assigned" and not is_seat:
        powerless = replace(plain, kind="powerless", role=subject.role)
        planned.append(_Planned("power", subject.name, f"if {subject.name} has no power", Trial(powerless, base)))
    planned += [
        _Planned("change", text, f"with {text}", Trial(plain, values))
        for text, values in zip(options.change, changed, strict=True)
    ]
    as_it_is, *found = laboratory.play([Trial(plain, base), *(thing.trial for thing in planned)], 0, blocks)
    before = subject.share(as_it_is, len(roles))
    effect = float(before.values[0]) - 1 / players
    after = [
        _share_without(thing, games, as_it_is, subject, len(roles)) for thing, games in zip(planned, found, strict=True)
    ]
    later: list[_Planned] = []
    if delays:
        gone = [float(part.values[0] - before.values[0]) * np.sign(effect) for part in after[: len(forbidden)]]
        later = [
            _Planned(
                "delay",
                name,
                f"if {subject.name} never {name} before round {number}",
                Trial(replace(plain, forbidden=(subject.forbidden(names.index(name), (1, number - 1)),)), base),
                number,
            )
            for name in (
                forbidden[place] for place in np.argsort(np.nan_to_num(gone), kind="stable")[: options.delayed_events]
            )
            for number in delays
        ]
    later += _lengths(plain, base, options.lengths, float(as_it_is.rounds.mean()), game)
    if later:
        more = laboratory.play([thing.trial for thing in later], 0, blocks)
        planned += later
        found += more
        after += [subject.share(games, len(roles)) for games in more]
    measured = _measured(planned, before, after, as_it_is, subject, names, effect)
    causes = _ranked(_with_the_rest(measured, found, after, as_it_is, subject, len(roles)), effect)
    share = paired.intervals(before)[0]
    result = Causes(
        game=game.name,
        agent=options.agent,
        players=players,
        kind=kind,
        subject=subject.name,
        share=share,
        fair=1 / players,
        subjects=tuple(f"{_SEAT} {seat}" for seat in seats) if kind == "absent" else roles,
        rounds=float(round_portably(as_it_is.rounds.mean())),
        uses=_uses(as_it_is, subject),
        causes=causes,
        sentences=(),
        blocks=blocks,
        games=laboratory.games,
        seed=laboratory.seed,
    )
    return replace(result, sentences=causes_pages.sentences(result))


def _lengths(plain: design.Condition, base: Any, parts: Sequence[float], rounds: float, game: Game) -> list[_Planned]:
    """The trials in which the game is stopped after a part of its mean length; none without a round limit."""
    if not game.round_limit:
        return []
    limits = dict.fromkeys(max(1, round(part * rounds)) for part in parts)
    return [
        _Planned(
            "length",
            f"round {limit}",
            f"if the game is stopped after round {limit}",
            Trial(replace(plain, options={**plain.options, game.round_limit: limit}), base),
            limit,
        )
        for limit in limits
    ]


def _share_without(
    planned: _Planned, games: Games, as_it_is: Games, subject: Subject, roles: int
) -> paired.Contributions:
    """The subject's share in the games without a thing, on the blocks of the unchanged games."""
    if planned.kind != "power":
        return subject.share(games, roles)
    without = paired.unpowered_share(games)
    blocks = len(np.unique(as_it_is.block))
    if len(without.rows) == blocks:
        return without
    # Blocks in which the role does not play contribute the mean, and nothing to the error.
    numbers = np.searchsorted(np.unique(as_it_is.block), np.unique(games.block))
    rows = np.repeat(without.values[None], blocks, axis=0)
    rows[numbers] += (without.rows - without.values) * (blocks / len(numbers))
    return paired.Contributions(without.values, rows)


def _measured(
    planned: Sequence[_Planned],
    before: paired.Contributions,
    after: Sequence[paired.Contributions],
    as_it_is: Games,
    subject: Subject,
    names: Sequence[str],
    effect: float,
) -> list[Cause]:
    """What each thing carries, in the order in which they were planned."""
    changes = paired.simultaneous(paired.beside([part.minus(before) for part in after]))
    seats = paired.seat_shares(as_it_is).values
    towards_fair = -1.0 if effect > 0 else 1.0
    causes = []
    for thing, part, change in zip(planned, after, changes, strict=True):
        if thing.kind == "exchange":
            # If the whole advantage lay on the board, the subject now does as well as the other seat did before.
            if subject.seat >= 0:
                gap = float(seats[subject.seat] - seats[int(thing.name.removeprefix(f"{_SEAT} "))])
            else:
                gap = float(before.values[0]) - next_share(as_it_is, subject.role)
            carried = -change.value / gap if gap else float("nan")
        else:
            carried = -change.value / effect if effect else float("nan")
        occurs, first, buyer = _occurrence(as_it_is, thing, subject, names)
        causes.append(
            Cause(
                kind=thing.kind,
                name=thing.name,
                round=thing.round,
                clause=thing.clause,
                share=paired.intervals(part)[0],
                change=change,
                carried=float(round_portably(carried)),
                occurs=occurs,
                first=first,
                buyer=buyer,
                clear=change.low > 0 or change.high < 0,
            )
        )
    if (best := _largest_event(planned, after, changes, towards_fair)) is not None:
        causes[best] = replace(causes[best], largest=True)
    return causes


def _ranked(causes: Sequence[Cause], effect: float) -> tuple[Cause, ...]:
    """The causes in the order of `Causes.causes`."""
    towards_fair = -1.0 if effect > 0 else 1.0

    def near_end(cause: Cause) -> float:
        return min(towards_fair * cause.change.low, towards_fair * cause.change.high)

    return tuple(sorted(causes, key=lambda cause: (-near_end(cause), cause.name, cause.round)))


def _with_the_rest(
    causes: Sequence[Cause],
    games: Sequence[Games],
    after: Sequence[paired.Contributions],
    as_it_is: Games,
    subject: Subject,
    roles: int,
) -> list[Cause]:
    """The causes with what else is different without each thing, and with the comparison to the placebo."""
    events = [place for place, cause in enumerate(causes) if cause.kind == "event"]
    whole = [place for place, cause in enumerate(causes) if cause.kind in ("event", "length")]
    beyond = dict(zip(events, beyond_the_others([after[place] for place in events]), strict=True))
    absent = bool(as_it_is.roles.max() < 0)
    everybody = _shares_of_all(as_it_is, absent, roles)
    changes = [_shares_of_all(games[place], absent, roles).minus(everybody) for place in whole]
    size = len(everybody.values)
    flat = paired.simultaneous(paired.beside(changes)) if changes else []
    moved = {place: tuple(flat[size * row : size * (row + 1)]) for row, place in enumerate(whole)}
    return [
        replace(
            cause,
            beyond=beyond.get(place),
            rounds=float(round_portably(played.rounds.mean())),
            uses=float("nan") if cause.kind == "power" else _uses(played, subject),
            everybody=moved.get(place, ()),
        )
        for place, (cause, played) in enumerate(zip(causes, games, strict=True))
    ]


def beyond_the_others(after: Sequence[paired.Contributions]) -> Sequence[Estimate | None]:
    """The share without each of several events minus the mean share without the others, with simultaneous intervals.

    Args:
        after: the subject's share without each event, on common blocks.

    Returns:
        An estimate for each event; None for a single one, which has no others.
    """
    if len(after) < 2:
        return [None] * len(after)
    columns = paired.beside(after)
    count = len(after)
    values = columns.values - (columns.values.sum() - columns.values) / (count - 1)
    rows = columns.rows - (columns.rows.sum(axis=1, keepdims=True) - columns.rows) / (count - 1)
    return paired.simultaneous(paired.Contributions(values, rows))


def _shares_of_all(games: Games, absent: bool, roles: int) -> paired.Contributions:
    """The shares of all roles, or of all seats in games without roles."""
    return paired.seat_shares(games) if absent else paired.role_shares(games, roles)


def _uses(games: Games, subject: Subject) -> float:
    """Mean number of times a game that the holder of a role uses its power; NaN for a seat."""
    held = games.roles == subject.role
    if subject.seat >= 0 or not held.any():
        return float("nan")
    return float(round_portably(games.uses[held].mean()))


def _largest_event(
    planned: Sequence[_Planned], after: Sequence[paired.Contributions], changes: Sequence[Estimate], sign: float
) -> int | None:
    """The event whose absence moves the subject's share furthest towards the fair share; None if it is not known which.

    The change without this event has to be clear. So do the differences between the share without it and the shares
    without each other event, with simultaneous intervals (multiple comparisons with the best, Hsu 1996).
    """
    events = [number for number, one in enumerate(planned) if one.kind == "event"]
    best = max(events, key=lambda number: sign * changes[number].value, default=None)
    if best is None or min(sign * changes[best].low, sign * changes[best].high) <= 0:
        return None
    others = [number for number in events if number != best]
    gaps = paired.simultaneous(paired.beside([after[best].minus(after[other]) for other in others])) if others else []
    return best if all(min(sign * gap.low, sign * gap.high) > 0 for gap in gaps) else None


def _occurrence(games: Games, planned: _Planned, subject: Subject, names: Sequence[str]) -> tuple[float, float, float]:
    """Share of the games with the event, share of these where the subject is first, and mean win share of the first."""
    if planned.kind not in ("event", "delay"):
        return (float("nan"),) * 3
    first = games.first_seat[:, names.index(planned.name)]
    occurs = first >= 0
    if not occurs.any():
        return 0.0, float("nan"), float("nan")
    rows = np.flatnonzero(occurs)
    seats = first[rows].astype(np.int64)
    own = seats == subject.seat if subject.seat >= 0 else games.roles[rows, seats] == subject.role
    numbers: Floats = np.array([occurs.mean(), own.mean(), games.shares[rows, seats].mean()])
    return tuple(round_portably(numbers).tolist())


def next_share(games: Games, role: int) -> float:
    """The mean win share of the seat after the holder of a role."""
    held = games.roles == role
    return float(round_portably(games.shares[np.roll(held, 1, axis=1)].mean()))


def main(options: Options) -> Causes:
    """Play the study that the options describe, print its result and write it."""
    commands.check_numbers(options, positive=("players", "blocks"), not_negative=("seed", "jobs", "delayed_events"))
    result = find_causes(options)
    causes_pages.print_causes(result)
    if options.out is not None:
        causes_pages.write_causes(options.out, result)
    return result


def _run() -> int:
    options = commands.parse_command(Options, program="dunaia causes")
    return commands.run_command("dunaia causes", lambda: main(options))


if __name__ == "__main__":
    sys.exit(terminal.run_main(_run, has_workers=True))

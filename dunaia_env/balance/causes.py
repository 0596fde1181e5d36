"""Ablations: attribute an advantage to events, powers and values by removing one at a time, on common blocks.

``python -m dunaia_env.balance.causes --subject seat0`` plays the same blocks again and again with one difference: an
event of the game is forbidden, two seats exchange their boards at the start of a round, a role loses its power, or the
components are changed. A thing carries the part of the advantage that disappears when it is taken away, provided that
the agent plays the changed game as well as the original one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from rich.console import Console

from dunaia_env.balance import design, paired, whatif, whatif_pages
from dunaia_env.balance.games import Floats, Games
from dunaia_env.balance.outcomes import Cause, CauseKind, Causes
from dunaia_env.balance.trials import Trial, TrialOptions, check_agent
from dunaia_env.harness import commands, registry
from dunaia_env.harness.game import Game
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.harness.roles import NOBODY
from dunaia_env.reports.parts import to_json_data
from dunaia_env.statistics.intervals import Estimate, round_portably
from dunaia_env.support import atomic, messages, terminal

FORMAT, VERSION = "dunaia-balance-causes", 1

_TITLES = (
    "taken away",
    "share",
    "change",
    "carries",
    "occurs",
    "subject first",
    "first wins",
)
_NOTE = (
    "Changes are in percentage points of the share of the wins. Their intervals are simultaneous: with 95 % confidence,"
    " all of them contain the true value. A star marks an interval that lies on one side of 0. Carries: the part of the"
    " effect that disappears; after an exchange, the part of the difference between the two seats that went with the"
    " board. Occurs, subject first and first wins: in the unchanged games, how often the event occurs, how often the"
    " subject is then the first to cause it, and how often whoever is first wins. The agent was not trained for games"
    " in which something is taken away, so it may play them less well."
)
# Later than the last round of any game.
NEVER = 1_000_000
LEAST_BLOCKS = 20
_SEAT = "seat"
NEXT_SEAT = "the next seat"
_EVERYTHING = "everything that lies before them"


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
    kind: Literal["assigned", "drafted", "absent"] | None = None
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
                NEXT_SEAT,
                f"if {subject.name} and {NEXT_SEAT} exchange their boards, but not their roles, at the start of round"
                f" {number}",
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
    if delays:
        gone = [float(part.values[0] - before.values[0]) * np.sign(effect) for part in after[: len(forbidden)]]
        delayed = [
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
        more = laboratory.play([thing.trial for thing in delayed], 0, blocks)
        planned += delayed
        found += more
        after += [subject.share(games, len(roles)) for games in more]
    causes = _ranked(planned, before, after, as_it_is, subject, names, effect)
    share = paired.intervals(before)[0]
    return Causes(
        game=game.name,
        agent=options.agent,
        players=players,
        kind=kind,
        subject=subject.name,
        share=share,
        fair=1 / players,
        causes=causes,
        sentences=sentences(subject.name, share, 1 / players, causes),
        blocks=blocks,
        games=laboratory.games,
        seed=laboratory.seed,
    )


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


def _ranked(
    planned: Sequence[_Planned],
    before: paired.Contributions,
    after: Sequence[paired.Contributions],
    as_it_is: Games,
    subject: Subject,
    names: Sequence[str],
    effect: float,
) -> tuple[Cause, ...]:
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

    def near_end(cause: Cause) -> float:
        return min(towards_fair * cause.change.low, towards_fair * cause.change.high)

    return tuple(sorted(causes, key=lambda cause: (-near_end(cause), cause.name, cause.round)))


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


def sentences(subject: str, share: Estimate, fair: float, causes: Sequence[Cause]) -> tuple[str, ...]:
    """Conclusions from the numbers, by fixed rules.

    A cause is named only if the interval of its change lies on the side of the fair share. An event is said to carry
    more than any other only if `Cause.largest` is true.
    """
    name = subject[:1].upper() + subject[1:]
    if share.low <= fair <= share.high or not np.isfinite(share.low):
        nothing = "The difference cannot be told from 0, so there is no effect to explain."
        return (f"{name} wins {_percent(share.value)} of the time, where {_percent(fair)} would be fair. {nothing}",)
    more = share.value > fair
    noun = "advantage" if more else "disadvantage"
    found = [f"{name} wins {_percent(share.value)} of the time, where {_percent(fair)} would be fair."]

    def helps(cause: Cause) -> bool:
        return cause.clear and (cause.change.value < 0) == more

    events = [cause for cause in causes if cause.kind == "event" and helps(cause)]
    largest = [cause for cause in events if cause.largest]
    if largest:
        cause = largest[0]
        found.append(
            f"{_begin(cause.clause)}, {subject} wins {_percent(cause.share.value)} of the time: the event carries"
            f" {_part(cause.carried)} of the {noun}, more than any other single event."
        )
        if np.isfinite(cause.first):
            found.append(
                f"{name} is the first to do so in {_percent(cause.first)} of the games in which anybody does, and"
                f" whoever is first wins {_percent(cause.buyer)} of the time."
            )
    elif events:
        listed = "; ".join(
            f"{event.clause}, {subject} wins {_percent(event.share.value)} of the time" for event in events[:3]
        )
        found.append(
            f"The following is known to carry some of the {noun}, though not more than any other event: {listed}."
        )
    else:
        found.append(f"No single event is known to carry any of the {noun}.")
    early = None if largest else _decisive_delay(causes, more)
    if early is not None:
        found.append(
            f"Among the events that were also delayed, one stands out: {early.clause}, it wins"
            f" {_percent(early.share.value)} of the time. {name} is the first to do so in {_percent(early.first)} of"
            f" the games in which anybody does, and whoever is first wins {_percent(early.buyer)} of the time."
        )
    named = {cause.name for cause in largest}
    found += [
        f"{_begin(cause.clause)}, {subject} wins {_percent(cause.share.value)} of the time."
        for cause in sorted(causes, key=lambda one: one.round)
        if cause.kind == "delay" and cause.name in named and cause.clear
    ]
    found += [
        f"{_begin(cause.clause)}, {subject} wins {_percent(cause.share.value)} of the time:"
        f" {'the power' if cause.kind == 'power' else 'the value that was changed'} carries {_part(cause.carried)} of"
        f" the {noun}."
        for cause in causes
        if cause.kind in ("power", "change") and helps(cause)
    ]
    moved = sorted(
        (cause for cause in causes if cause.kind == "exchange" and helps(cause)), key=lambda cause: cause.round
    )
    for other in dict.fromkeys(cause.name for cause in moved):
        cause = next(candidate for candidate in moved if candidate.name == other)
        everything = f"{_EVERYTHING}, but not their roles" if other == NEXT_SEAT else _EVERYTHING
        difference = f"advantage over {other}" if more else f"disadvantage against {other}"
        found.append(
            f"By the start of round {cause.round}, {_part(cause.carried)} of {subject}'s {difference} lies on the"
            f" board: that much goes with it when the two exchange {everything}."
        )
    return tuple(found)


def _decisive_delay(causes: Sequence[Cause], more: bool) -> Cause | None:
    """The delay that stands out among the delays of all events to the earliest round; None if there is none.

    Its interval has to lie beyond the intervals of all other delays to that round. It also has to be clear that the
    event itself carries some of the effect.
    """
    sign = -1.0 if more else 1.0
    clear = {cause.name for cause in causes if cause.kind == "event" and cause.clear and sign * cause.change.value > 0}
    delays = [cause for cause in causes if cause.kind == "delay"]
    first = [delay for delay in delays if delay.round == min(other.round for other in delays)]
    if len(first) < 2:
        return None
    best = max(first, key=lambda one: sign * one.change.value)
    near = min(sign * best.change.low, sign * best.change.high)
    ends = [max(sign * delay.change.low, sign * delay.change.high) for delay in first if delay is not best]
    return best if best.name in clear and near > max([0.0, *ends]) else None


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"


def _part(carried: float) -> str:
    return "all" if carried >= 0.995 else f"{100 * carried:.0f} %"


def _begin(clause: str) -> str:
    return clause[:1].upper() + clause[1:]


def _cells(cause: Cause) -> list[str]:
    star = " *" if cause.clear else ""
    carried = f"{100 * cause.carried:.0f} %" if np.isfinite(cause.carried) and cause.clear else ""
    rest = [
        "" if not np.isfinite(value) else whatif_pages.percent(value)
        for value in (cause.occurs, cause.first, cause.buyer)
    ]
    return [
        cause.clause,
        whatif_pages.percent(cause.share.value),
        whatif_pages.change_text(cause.change) + star,
        carried,
        *rest,
    ]


def _headline(result: Causes) -> str:
    share, fair = whatif_pages.percent(result.share.value), whatif_pages.percent(result.fair)
    return (
        f"With {result.players} players, roles {result.kind} and {result.agent} in every seat, {result.subject} has"
        f" {share} of the wins ({100 * result.share.low:.1f} to {100 * result.share.high:.1f}), where {fair} would be"
        f" fair. In total, {result.games} games were played in {result.blocks} common blocks of seed {result.seed}."
    )


def print_causes(result: Causes) -> None:
    """Print the causes as a table, followed by the conclusions."""
    console = Console()
    whatif_pages.print_table(
        console, f"What {result.subject}'s share rests on", _TITLES, [_cells(cause) for cause in result.causes]
    )
    console.print(_headline(result), _NOTE, sep="\n", markup=False, highlight=False)
    console.print(*result.sentences, markup=False, highlight=False)


def write_causes(folder: Path, result: Causes) -> None:
    """Write ``causes.md`` and ``causes.json`` into a folder, which is created if it is missing."""
    lines = [f"# What {result.subject}'s share rests on", "", " ".join(result.sentences), "", _headline(result), ""]
    lines += [*whatif_pages.markdown_table(_TITLES, [_cells(cause) for cause in result.causes]), "", _NOTE, ""]
    atomic.write_text(folder / "causes.md", "\n".join(lines))
    content = {"format": FORMAT, "version": VERSION, **to_json_data(result)}
    atomic.write_text(folder / "causes.json", json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def main(options: Options) -> Causes:
    """Play the study that the options describe, print its result and write it."""
    commands.check_numbers(options, positive=("players", "blocks"), not_negative=("seed", "jobs", "delayed_events"))
    result = find_causes(options)
    print_causes(result)
    if options.out is not None:
        write_causes(options.out, result)
    return result


def _run() -> int:
    options = commands.parse_command(Options, program="dunaia causes")
    return commands.run_command("dunaia causes", lambda: main(options))


if __name__ == "__main__":
    sys.exit(terminal.run_main(_run))

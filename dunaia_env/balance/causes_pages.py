"""What is said about causes: conclusions from the numbers by fixed rules, tables, and the files of the command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console

from dunaia_env.balance import whatif_pages
from dunaia_env.balance.outcomes import Cause, Causes, write_result
from dunaia_env.statistics.intervals import Estimate
from dunaia_env.support import atomic

FORMAT, VERSION = "dunaia-balance-causes", 2
NEXT_SEAT = "the next seat"
_EVERYTHING = "everything that lies before them"
_MOST_EVENTS = 3  # that a sentence names

_TITLES = (
    *("taken away", "share", "change", "beyond the others", "carries", "rounds", "uses"),
    *("occurs", "subject first", "first wins"),
)
_NOTE = (
    "Changes are in percentage points of the share of the wins. Their intervals are simultaneous: with 95 % confidence,"
    " all of them contain the true value. A star marks an interval that lies on one side of 0. Beyond the others: the"
    " change without an event minus the mean change without each other event, which is what any removal does. Carries:"
    " the part of the effect that disappears; after an exchange, the part of the difference between the two seats that"
    " went with the board. Rounds and uses: the mean length of a game, and how often the subject uses its power in it."
    " Occurs, subject first and first wins: in the unchanged games, how often the event occurs, how often the subject"
    " is then the first to cause it, and how often whoever is first wins. The agent was not trained for games in which"
    " something is taken away or which are stopped early, so it may play them less well."
)


def sentences(result: Causes) -> tuple[str, ...]:
    """Conclusions from the numbers, by fixed rules.

    A cause is named only if the interval of its change lies on the side of the fair share. An event is named only if
    more goes without it than without the other events on average (`Cause.specific`), and said to carry more than any
    other only if `Cause.largest` is true.
    """
    subject, share, fair, causes = result.subject, result.share, result.fair, result.causes
    name = subject[:1].upper() + subject[1:]
    if share.low <= fair <= share.high or not np.isfinite(share.low):
        nothing = "The difference cannot be told from 0, so there is no effect to explain."
        return (f"{name} wins {_percent(share.value)} of the time, where {_percent(fair)} would be fair. {nothing}",)
    more = share.value > fair
    noun = "advantage" if more else "disadvantage"
    found = [f"{name} wins {_percent(share.value)} of the time, where {_percent(fair)} would be fair."]

    def helps(cause: Cause) -> bool:
        return cause.clear and (cause.change.value < 0) == more

    found += _event_sentences(result, [cause for cause in causes if cause.kind == "event" and helps(cause)], noun)
    found += _delay_sentences(result, more)
    found += [
        f"{_begin(cause.clause)}, {subject} wins {_percent(cause.share.value)} of the time:"
        f" {'the power' if cause.kind == 'power' else 'the value that was changed'} carries {_part(cause.carried)} of"
        f" the {noun}."
        for cause in causes
        if cause.kind in ("power", "change") and helps(cause)
    ]
    found += _exchange_sentences(
        subject, [cause for cause in causes if cause.kind == "exchange" and helps(cause)], more
    )
    return (*found, *_length_sentences(result, noun, more))


def _event_sentences(result: Causes, events: Sequence[Cause], noun: str) -> list[str]:
    """What single events carry beyond what the removal of any event does; ``events`` clearly change the share."""
    subject = result.subject
    specific = [event for event in events if event.specific]
    if largest := [event for event in events if event.largest]:
        cause = largest[0]
        carries = f"the event carries {_part(cause.carried)} of the {noun}, more than any other single event"
        share = f"{_begin(cause.clause)}, {subject} wins {_percent(cause.share.value)} of the time"
        found = [f"{share}: {carries}.{_what_else(result, cause)}"]
        if np.isfinite(cause.first):
            found.append(
                f"{_begin(subject)} is the first to do so in {_percent(cause.first)} of the games in which anybody"
                f" does, and whoever is first wins {_percent(cause.buyer)} of the time."
            )
        return found
    if specific:
        listed = "; ".join(
            f"{event.clause}, {subject} wins {_percent(event.share.value)} of the time"
            for event in specific[:_MOST_EVENTS]
        )
        begin = (
            f"The following certainly carries more of the {noun} than other events do on average, but not certainly"
            " more than each of them"
        )
        return [f"{begin}: {listed}.{_what_else(result, specific[0])}"]
    found = [f"No single event is known to carry more of the {noun} than other events do on average."]
    if events:
        cause = events[0]
        found.append(
            f"{_begin(cause.clause)}, {subject} wins {_percent(cause.share.value)} of the time, but without other"
            f" events it also does.{_what_else(result, cause)}"
        )
    return found


def _what_else(result: Causes, cause: Cause) -> str:
    """What else is different without an event: the length of the game, and how often the subject uses its power."""
    if not np.isfinite(cause.rounds):
        return ""
    text = f" The game then takes {cause.rounds:.0f} rounds instead of {result.rounds:.0f}"
    if np.isfinite(cause.uses) and np.isfinite(result.uses):
        text += f", and {result.subject} uses its power {cause.uses:.1f} times instead of {result.uses:.1f}"
    return f"{text}."


def _delay_sentences(result: Causes, more: bool) -> list[str]:
    """What delays say: the one that stands out, or those of the event that carries most."""
    subject, causes = result.subject, result.causes
    named = {cause.name for cause in causes if cause.largest and cause.clear}
    found = []
    early = None if named else _decisive_delay(causes, more)
    if early is not None:
        found.append(
            f"Among the events that were also delayed, one stands out: {early.clause}, it wins"
            f" {_percent(early.share.value)} of the time. {_begin(subject)} is the first to do so in"
            f" {_percent(early.first)} of the games in which anybody does, and whoever is first wins"
            f" {_percent(early.buyer)} of the time."
        )
    delays = [cause for cause in causes if cause.kind == "delay" and cause.name in named and cause.clear]
    return found + [
        f"{_begin(cause.clause)}, {subject} wins {_percent(cause.share.value)} of the time."
        for cause in sorted(delays, key=lambda one: one.round)
    ]


def _exchange_sentences(subject: str, exchanges: Sequence[Cause], more: bool) -> list[str]:
    """How much lies on the board by the earliest round at which a part of the effect goes with it."""
    moved = sorted(exchanges, key=lambda cause: cause.round)
    found = []
    for other in dict.fromkeys(cause.name for cause in moved):
        cause = next(candidate for candidate in moved if candidate.name == other)
        everything = f"{_EVERYTHING}, but not their roles" if other == NEXT_SEAT else _EVERYTHING
        difference = f"advantage over {other}" if more else f"disadvantage against {other}"
        found.append(
            f"By the start of round {cause.round}, {_part(cause.carried)} of {subject}'s {difference} lies on the"
            f" board: that much goes with it when the two exchange {everything}."
        )
    return found


def _length_sentences(result: Causes, noun: str, more: bool) -> list[str]:
    """What the length of the game alone does, from the games that were stopped early."""
    lengths = sorted((cause for cause in result.causes if cause.kind == "length"), key=lambda one: one.round)
    if not lengths:
        return []
    listed = ", and ".join(f"{_percent(cause.share.value)} {cause.clause}" for cause in lengths)
    clear = [cause for cause in lengths if cause.clear]
    if not clear:
        follows = "so the length of the game alone is not known to matter"
    elif all((cause.change.value < 0) == more for cause in clear):
        follows = f"so a shorter game alone makes the {noun} smaller"
    elif not any((cause.change.value < 0) == more for cause in clear):
        follows = (
            f"so a shorter game alone makes the {noun} larger, and whatever makes the game longer may make it smaller"
        )
    else:
        follows = "so the length of the game alone matters, but not in one direction"
    return [f"{_begin(result.subject)} wins {listed}, {follows}."]


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


def _starred(change: Estimate) -> str:
    return whatif_pages.starred(change) if np.isfinite(change.value) else ""


def _cells(cause: Cause) -> list[str]:
    carried = f"{100 * cause.carried:.0f} %" if np.isfinite(cause.carried) and cause.clear else ""
    rest = [
        "" if not np.isfinite(value) else whatif_pages.percent(value)
        for value in (cause.occurs, cause.first, cause.buyer)
    ]
    numbers = ["" if not np.isfinite(value) else f"{value:.1f}" for value in (cause.rounds, cause.uses)]
    changes = [_starred(cause.change), "" if cause.beyond is None else _starred(cause.beyond)]
    return [cause.clause, whatif_pages.percent(cause.share.value), *changes, carried, *numbers, *rest]


def _everybody_table(result: Causes) -> tuple[list[str], list[list[str]]]:
    """What each removal of an event, and each shorter game, does to everybody's share."""
    rows = [[cause.clause, *map(_starred, cause.everybody)] for cause in result.causes if cause.everybody]
    return ["change of the share", *result.subjects], rows


def _headline(result: Causes) -> str:
    share, fair = whatif_pages.percent(result.share.value), whatif_pages.percent(result.fair)
    return (
        f"With {result.players} players, roles {result.kind} and {result.agent} in every seat, {result.subject} has"
        f" {share} of the wins ({100 * result.share.low:.1f} to {100 * result.share.high:.1f}), where {fair} would be"
        f" fair. A game takes {result.rounds:.1f} rounds. In total, {result.games} games were played in"
        f" {result.blocks} common blocks of seed {result.seed}."
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
    titles, rows = _everybody_table(result)
    if rows:
        lines += ["## What it does to everybody", "", *whatif_pages.markdown_table(titles, rows), ""]
    atomic.write_text(folder / "causes.md", "\n".join(lines))
    write_result(folder / "causes.json", result, FORMAT, VERSION)

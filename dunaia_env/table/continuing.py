"""Playing on from a position of a replay, of an analysis, or of a table at which the game is over."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace

from dunaia_env.harness.compiled.chance import MAX_SEED
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.replay import Replay, ReplayError, positions
from dunaia_env.support.messages import reason
from dunaia_env.table import messages
from dunaia_env.table.analyses import Analyses
from dunaia_env.table.errors import CONFLICT, MALFORMED, NOT_ALLOWED, RefusedError
from dunaia_env.table.offers import Offer
from dunaia_env.table.room import Opened, Room
from dunaia_env.table.storage import Decision, LaterSeed


async def resume(room: Room, analyses: Analyses, wanted: messages.Resuming, admit: Callable[[str], object]) -> Opened:
    """Open a table that begins with decisions of another game.

    With new draws, the outcomes of chance from there on follow from a new, secret seed. Otherwise they are those of the
    other game. What was drawn before and is still hidden, such as cards in hands, stays in both cases.

    Args:
        room: room of the tables.
        analyses: analyses, one of which may hold the game.
        wanted: what is asked for.
        admit: called with the digest of the link of a table that holds the game; raises `RefusedError` if the link has
            been used too often.

    Raises `RefusedError`.
    """
    text, made = await _source(room, analyses, wanted, admit)
    seats = messages.seats_of(wanted.seats)

    def read() -> tuple[Replay, Offer]:
        replay, offer = room.parse(text)
        count = len(replay.decisions)
        if made is not None and not 0 <= made <= count:
            raise RefusedError(NOT_ALLOWED, "decisions: expected 0..{count}, got {made}", count=count, made=made)
        replay = replace(replay, decisions=replay.decisions[:made])
        *_, (_, state, _) = positions(replay, components=offer.components)
        if state.is_over:
            raise RefusedError(NOT_ALLOWED, "replay: its game is over; only an unfinished one can be played on")
        return replay, offer

    try:
        replay, offer = await room.draw(read)
    except ReplayError as error:
        raise RefusedError(NOT_ALLOWED, "{reason}", reason=reason(error)) from None
    if len(seats) != replay.header["players"]:
        raise RefusedError(
            NOT_ALLOWED, "seats: {count}; the replay has {players}", count=len(seats), players=replay.header["players"]
        )
    decisions = [Decision(line["seat"], line["action"]) for line in replay.decisions]
    later = [LaterSeed(*pair) for pair in replay.later_seeds if not wanted.new_draws or pair[0] < len(decisions)]
    if wanted.new_draws:
        later.append(LaterSeed(len(decisions), secrets.randbelow(MAX_SEED + 1)))
    return await room.open(
        offer,
        {name: value for name, value in replay.options.items() if name != NUM_PLAYERS},
        seats,
        seed=replay.header["seed"],
        coach=wanted.coach,
        clock=wanted.clock,
        decisions=decisions,
        later_seeds=later,
    )


async def _source(
    room: Room, analyses: Analyses, wanted: messages.Resuming, admit: Callable[[str], object]
) -> tuple[str, int | None]:
    """The replay of the other game, and after how many of its decisions it is played on; None for all of them."""
    if sum(source is not None for source in (wanted.replay, wanted.analysis, wanted.table)) != 1:
        raise RefusedError(MALFORMED, "replay, analysis, table: expected one of them")
    number = wanted.decisions
    if wanted.analysis is not None:
        return analyses.find(wanted.analysis).replay, number
    if wanted.table is None:
        return messages.text_of(wanted.replay), number
    role = room.find(wanted.table)
    admit(role.digest)
    table = role.table
    if not table.is_over:
        raise RefusedError(CONFLICT, "table: the game is not over")
    showing, version = table.showing, table.version
    made = None if number is None else await room.draw(lambda: showing.made_before(number, version, role.seat))
    return await room.draw(table.replay), made

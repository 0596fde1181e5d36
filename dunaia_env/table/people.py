"""What people do at a table besides deciding: they let an agent play, come back, and undo decisions.

Most functions check what a person wants and return the records that it makes. They raise `RefusedError` for whatever
the person may not do.
"""

from __future__ import annotations

from typing import NamedTuple

from dunaia_env.table.errors import CONFLICT, FORBIDDEN, NOT_ALLOWED, RefusedError
from dunaia_env.table.naming import Program
from dunaia_env.table.storage import AGENT, PERSON, Consent, Record, Seating, Undo
from dunaia_env.table.tables import Moment, Role, Table, UndoRequest


class Seats(NamedTuple):
    """The seats at which others may seat an agent.

    Attributes:
        anyone: those at which the person with this link may do it.
        opener: those at which whoever opened the table may do it.
    """

    anyone: list[int]
    opener: list[int]


def open_seats(role: Role, moment: Moment) -> Seats:
    """The seats at which others may seat an agent; meant to be called in threads.

    Whoever opened the table may replace agents, and people whose page is not open. Anyone at the table may replace
    people who have been absent for some time, whoever takes very long for a decision, and agents when one has failed. A
    decision that is asked secretly gives no such right, because the right would reveal who is asked.
    """
    if moment.deciding is None:
        return Seats([], [])
    seats = role.table.header.seats
    others = {number for number in range(len(seats)) if number != role.seat}
    replaced = {number for number in others if moment.agents[number] is not None}
    agents = {number for number in others if seats[number].kind == AGENT}
    anyone = {number for number in others - replaced if moment.absent[number]}
    decides = moment.showing.decider(moment.version, role.seat) if moment.overdue else None
    if decides is not None:
        anyone |= others & {decides}
    if moment.problem is not None:
        anyone |= replaced
    opener = anyone | agents | {number for number in others if not moment.connected[number]}
    if role.seat is None and role.table.people:
        anyone = set()
    return Seats(sorted(anyone), sorted(opener))


def seated(role: Role, moment: Moment, seat: int, agent: str, *, is_opener: bool) -> list[Record]:
    """Others let an agent play for a seat from now on; meant to be called in threads.

    Args:
        role: role of the link of whoever wants it.
        moment: moment of the table.
        seat: the seat.
        agent: name of the agent.
        is_opener: whether the key of whoever opened the table came with the request.
    """
    table = role.table
    if not 0 <= seat < len(table.seats):
        raise RefusedError(
            NOT_ALLOWED, "seat: expected one of 0..{last}, got {seat}", last=len(table.seats) - 1, seat=seat
        )
    _check_goes_on(table)
    _check_agent(table, agent)
    seats = open_seats(role, moment)
    if seat not in (seats.opener if is_opener else seats.anyone):
        raise RefusedError(FORBIDDEN, "seat: whoever sits there may not be replaced now by the person who asks")
    if table.seats[seat].kind == AGENT and table.seats[seat].name == agent and table.problem is None:
        raise RefusedError(CONFLICT, "seat: {agent} plays for this seat already", agent=Program(agent))
    return [Seating(seat, agent, "replaced", role.seat)]


def resigned(table: Table, seat: int | None, agent: str) -> list[Record]:
    """The person at a seat lets an agent play from now on."""
    seat = _seat_of_person(seat)
    _check_goes_on(table)
    _check_agent(table, agent)
    if table.seats[seat].kind == AGENT and table.seats[seat].name == agent:
        raise RefusedError(CONFLICT, "agent: {agent} plays for this seat already", agent=Program(agent))
    return [Seating(seat, agent, "resigned", seat)]


def returned(table: Table, seat: int | None) -> list[Record]:
    """The person at a seat plays again."""
    seat = _seat_of_person(seat)
    _check_goes_on(table)
    if table.seats[seat].kind == PERSON:
        raise RefusedError(CONFLICT, "return: no agent plays for this seat")
    return [Seating(seat, "", "returned", seat)]


def asked_for_undo(table: Table, moment: Moment) -> set[int]:
    """The seats of the people who have to agree to an undo: all who decide for their seats or are there."""
    there = zip(table.header.seats, moment.agents, moment.connected, strict=True)
    return {n for n, (seat, agent, here) in enumerate(there) if seat.kind == PERSON and (agent is None or here)}


def undone(role: Role, moment: Moment, asked: int | None, number: int, *, agrees: bool) -> list[Record]:
    """The person at a seat asks for an undo or answers a request for one.

    The game goes back as soon as everybody agrees who has to.

    Args:
        role: role of the person's link.
        moment: moment of the table.
        asked: the seat of the person whose request is answered; None to ask for an undo.
        number: the number of times that the game has gone back, as far as the person knows.
        agrees: whether the person wants the undo; False takes the own request back or declines another's.
    """
    table, seat = role.table, _seat_of_person(role.seat)
    request = table.request
    if number != table.undone:
        raise RefusedError(
            CONFLICT, "undone: {number}; the game has gone back {times} times", number=number, times=table.undone
        )
    if asked != (None if request is None else request.seat):
        raise RefusedError(CONFLICT, "asked: this is not the present request")
    if table.is_over and table.people > 1:
        raise RefusedError(CONFLICT, "undo: the game is over, and everybody has seen what was hidden")
    if request is None:
        if table.seats[seat].kind == AGENT:
            raise RefusedError(FORBIDDEN, "undo: an agent plays for this seat; take the seat back first")
        target = table.before_last_of(seat)
        if target is None or not agrees:
            raise RefusedError(CONFLICT, "undo: there is no decision to undo, and nobody has asked for it")
        request = UndoRequest(seat, target, frozenset())
    agreed = request.agreed | {seat}
    if agrees and agreed >= asked_for_undo(table, moment):
        return [Undo(request.seat, request.decisions)]
    if agrees and agreed == request.agreed:
        raise RefusedError(CONFLICT, "undo: others have not agreed yet")
    return [Consent(seat, agrees)]


def _seat_of_person(seat: int | None) -> int:
    if seat is None:
        raise RefusedError(FORBIDDEN, "whoever watches has no seat")
    return seat


def _check_goes_on(table: Table) -> None:
    if table.is_over:
        raise RefusedError(CONFLICT, "the game is over")


def _check_agent(table: Table, agent: str) -> None:
    if agent not in table.offer.agents:
        known = ", ".join(table.offer.agents) or "no agent"
        raise RefusedError(NOT_ALLOWED, "agent: unknown; {known} can play here", known=known)

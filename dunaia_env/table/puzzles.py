"""Puzzles: the mistakes of an analysed game, in each of which a better choice is to be found."""

from __future__ import annotations

from functools import partial
from typing import Any

from dunaia_env.harness.state import IllegalActionError, View
from dunaia_env.support.messages import reason
from dunaia_env.table import thinking
from dunaia_env.table.analyses import Analyses, Analyst, Job
from dunaia_env.table.errors import CONFLICT, NOT_ALLOWED, UNAVAILABLE, UNKNOWN, RefusedError
from dunaia_env.table.room import Room


def tolerance() -> float:
    """Part of a win that a choice may cost and still be found: the estimates are no more precise than that."""
    # Imported late: a server that is never asked for a puzzle does not need it.
    from dunaia_env.analysis.judging import MISTAKE

    return MISTAKE


class Puzzles:
    """The puzzles of all analyses.

    A puzzle is named by the number of a decision that was a mistake. It shows what the seat that decided knew.

    Args:
        analyses: the analyses.
        room: room whose threads are used.
        analyst: judges choices of which an analysis says nothing.
    """

    def __init__(self, analyses: Analyses, room: Room, analyst: Analyst) -> None:
        self._analyses, self._room, self._analyst = analyses, room, analyst

    def show(self, job: Job, number: int, language: str) -> dict[str, Any]:
        """The position and the choices of a puzzle, without what they are worth; meant to be called in threads.

        Raises `RefusedError` for a decision that was no mistake.
        """
        seat, showing = _mistake(job, number)["seat"], self._analyses.shown_game(job)[0]
        choice, shown = showing.choice(number, seat, language), showing.position(number, seat, language)
        pieces = shown["pieces"] | choice.pop("pieces")
        return {**shown, "pieces": pieces, "seat": seat, "choice": choice, "tolerance": tolerance()}

    async def solve(self, job: Job, number: int, action: str, language: str) -> dict[str, Any]:
        """What a choice is worth, what was played, and what the adviser would play.

        Raises `RefusedError` for a decision that was no mistake, and for a choice that is illegal or cannot be judged.
        """
        judged = _mistake(job, number)
        view = await self._room.draw(lambda: self._view(job, number, judged["seat"]))
        try:
            text = view.game.action_text(view.check(action))
        except IllegalActionError as error:
            raise RefusedError(NOT_ALLOWED, "{reason}", reason=reason(error)) from None
        cost = _known_cost(judged, text)
        try:
            if cost is None:
                work = partial(self._analyst.cost, view, text)
                cost = await self._room.thinkers.run(f"puzzle {job.name}", "advice", work)
        except ValueError:
            raise RefusedError(NOT_ALLOWED, "puzzles: nobody can judge this choice") from None
        except thinking.TooLongError:
            raise RefusedError(UNAVAILABLE, "puzzles: judging this choice has taken too long", wait=5) from None
        return await self._room.draw(partial(self._told, job, number, text, cost, language))

    def _view(self, job: Job, number: int, seat: int) -> View:
        return self._analyses.shown_game(job)[0].state(number).view(seat)

    def _told(self, job: Job, number: int, action: str, cost: float, language: str) -> dict[str, Any]:
        judged, showing = _mistake(job, number), self._analyses.shown_game(job)[0]
        actions = {"chosen": action, "played": judged["action"], "best": judged["best"]}
        texts = list(actions.values())
        sentences = showing.sentences(number, texts, judged["seat"], language)
        pieces = showing.pieces(number, texts, judged["seat"])
        told = {
            name: {"action": text, "sentence": sentence, "pieces": named}
            for name, text, sentence, named in zip(actions, texts, sentences, pieces, strict=True)
        }
        found = action != judged["action"] and cost <= tolerance()
        return {**told, "cost": cost, "played_cost": judged["cost"], "found": found}


def _mistake(job: Job, number: int) -> dict[str, Any]:
    """What an analysis says of a mistake; raises `RefusedError` for any other decision."""
    if job.state != "done" or job.analysis is None:
        raise RefusedError(CONFLICT, "puzzles: the game is not analysed yet")
    if number not in job.analysis["mistakes"]:
        raise RefusedError(UNKNOWN, "puzzles: {number}; this decision was no mistake", number=number)
    judged: dict[str, Any] = job.analysis["decisions"][number]
    return judged


def _known_cost(judged: dict[str, Any], action: str) -> float | None:
    """What an action costs as far as an analysis says so; None if it does not say."""
    if action == judged["action"]:
        return float(judged["cost"])
    if action == judged["best"]:
        return 0.0
    chances = {one["action"]: one["chance"] for one in judged["actions"]}
    best, chance = chances.get(judged["best"]), chances.get(action)
    return None if best is None or chance is None else max(0.0, round(best - chance, 4))

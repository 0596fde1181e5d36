"""What a seat or a watcher sees of a game: pictures, log and choices, made in threads because that takes milliseconds.

Everything is made from what the seat knows (`Game.content_for`), so nothing hidden can reach its page. Even the number
of decisions can reveal too much, so a seat has its own numbers for positions, see `Showing.number_for`.
"""

from __future__ import annotations

import html
import re
import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dunaia_env.harness.presentation import ENGLISH, Content, Wording
from dunaia_env.harness.state import GameState
from dunaia_env.support.messages import MOST_OF_A_VALUE, printable
from dunaia_env.table import errors, naming, offers, storage

MOST_PICTURES = 8
LANGUAGES = ("en", "fr")  # languages of the pages

_PIECE = re.compile(r'\bdata-piece="([^"]*)"')


def state_of(offer: offers.Offer, content: bytes) -> GameState:
    """The state in bytes that the server itself made."""
    return GameState(np.frombuffer(content, np.uint8), game=offer.game, components=offer.components, trusted=True)


def _plain(value: Any) -> Any:
    """Named tuples and sequences in the forms of JSON."""
    if hasattr(value, "_asdict"):
        return {name: _plain(member) for name, member in value._asdict().items()}
    return [_plain(member) for member in value] if isinstance(value, list | tuple) else value


@dataclass
class _Noticed:
    """The positions that a seat can tell apart, as far as they have been looked for.

    Attributes:
        starts: the number of decisions before each of them.
        looked: number of decisions that have been looked at.
        content: what the seat knows after these decisions.
    """

    starts: list[int]
    looked: int
    content: dict[str, Any]


class Showing:
    """Shows one game, position by position. Its methods may be called in several threads at once.

    The argument `made` of its methods is the number of decisions that were made, whether or not a seat knows of them.

    Args:
        offer: the game.
        names: names of the seats, which may be any text; equal names get numbers.
        states: the bytes of the state after 0, 1, ... decisions; entries may be added, but never changed.
        decisions: the decisions between these states.
        people: the seats that people have; the names of all others may be those of programs.
        makers: the agent that made each decision, or an empty text; None if it does not matter who did.
    """

    def __init__(
        self,
        offer: offers.Offer,
        names: Sequence[str],
        states: Sequence[bytes],
        decisions: Sequence[storage.Decision],
        people: Collection[int] = (),
        makers: Sequence[str] | None = None,
    ) -> None:
        self.offer, self._states, self._decisions, self._people = offer, states, decisions, people
        self._makers = makers
        self._players = [printable(name, MOST_OF_A_VALUE) for name in names]
        self._names: dict[str, list[str]] = {}
        self._lock = threading.Lock()
        self._pictures: OrderedDict[tuple[int, int | None, str], dict[str, Any]] = OrderedDict()
        self._logs: dict[tuple[int | None, str], list[dict[str, Any] | None]] = {}
        self._noticing = threading.Lock()
        self._noticed: dict[int, _Noticed] = {}

    def until(self, states: Sequence[bytes], decisions: Sequence[storage.Decision], makers: Sequence[str]) -> Showing:
        """The same game with fewer decisions, after an undo; what was found out about the others is kept.

        Args:
            states: the first of the states, in a list of their own.
            decisions: the first of the decisions, in a list of their own.
            makers: the first of the makers, likewise.
        """
        shorter = Showing(self.offer, self._players, states, decisions, self._people, makers)
        made = len(decisions)
        with self._noticing:
            for seat, noticed in self._noticed.items():
                if noticed.looked <= made:
                    shorter._noticed[seat] = _Noticed(list(noticed.starts), noticed.looked, noticed.content)
                else:
                    starts = noticed.starts[: bisect_right(noticed.starts, made)]
                    shorter._noticed[seat] = _Noticed(starts, made, self._content(made, seat))
        with self._lock:
            logs = dict(self._logs)
        for key, entries in logs.items():
            shorter._logs[key] = entries[: shorter.number_for(made, key[0])]
        return shorter

    def state(self, made: int) -> GameState:
        """The state after ``made`` decisions."""
        return state_of(self.offer, self._states[made])

    def wording(self, language: str) -> Wording:
        """The wording in a language, with the players' names; the English wording if only the pages speak the language.

        Raises `RefusedError`, naming the languages that are known, for any other language.
        """
        try:
            return naming.with_names(self.offer.presentation.wording(self._spoken(language)), self.names(language))
        except ValueError:
            known = ", ".join(self.offer.presentation.wordings)
            raise errors.RefusedError(errors.MALFORMED, f"language: expected one of {known}") from None

    def _spoken(self, language: str) -> str:
        """The language in which the game is shown on a page in a given language."""
        return ENGLISH if language in LANGUAGES and language not in self.offer.presentation.wordings else language

    def names(self, language: str) -> list[str]:
        """The names of the seats, all different, with what the seats play: ``Bene Gesserit (Ada)``.

        Raises `ValueError` for an unknown language.
        """
        language = self._spoken(language)
        if language not in self._names:
            wording, content = self.offer.presentation.wording(language), self._content(0, None)
            roles = [wording.role(seat, content, self.offer.components) for seat in range(len(self._players))]
            players = [self._called(seat, language) for seat in range(len(self._players))]
            titles = [f"{role} ({name})" if role else name for role, name in zip(roles, players, strict=True)]
            self._names[language] = naming.distinct(titles)
        return self._names[language]

    def _called(self, seat: int, language: str) -> str:
        """What the player of a seat is called; a replay names everybody who has played for the seat, in order."""
        name = self._players[seat]
        if seat in self._people:
            return name
        return ", ".join(naming.program(part, language) for part in name.split(", "))

    def emblems(self) -> list[str] | None:
        """The sign of what each seat plays, as SVG documents; None in a game without such signs."""
        emblem, content = self.offer.presentation.emblem, self._content(0, None)
        return None if emblem is None else [emblem(seat, content) for seat in range(len(self._players))]

    def unit(self, language: str) -> dict[str, str]:
        """What the scores count, in the words of a language, and the language that is used."""
        return {**self.wording(language).unit._asdict(), "language": self._spoken(language)}

    def counted(self, scores: Sequence[int]) -> list[int]:
        """Scores in the form that people see."""
        return [self.offer.presentation.counted(score) for score in scores]

    def _observer(self, seat: int | None) -> int | None:
        """The seat whose knowledge counts; None where everybody knows everything."""
        return None if self.offer.game.perfect_information else seat

    def _content(self, made: int, seat: int | None) -> dict[str, Any]:
        state = np.frombuffer(self._states[made], np.uint8)
        return self.offer.game.content_for(state, self.offer.components, self._observer(seat))

    def _drawn(self, made: int, seat: int | None) -> dict[str, Any]:
        """What the picture for a seat is made from: when the game is over, also what was hidden."""
        return self._content(made, None if self.state(made).is_over else seat)

    def _starts(self, made: int, seat: int) -> list[int]:
        """The number of decisions before each position that a seat can tell apart, at least as far as `made`."""
        with self._noticing:
            noticed = self._noticed.setdefault(seat, _Noticed([0], 0, self._content(0, seat)))
            for k in range(noticed.looked + 1, made + 1):
                content = self._content(k, seat)
                is_known = content != noticed.content or content["seat"] is not None
                if is_known or self._heard(k, noticed.content) is not noticed.content:
                    noticed.starts.append(k)
                noticed.looked, noticed.content = k, content
            return noticed.starts

    def _heard(self, made: int, before: Content) -> Content:
        """The content of the position before the last of ``made`` decisions, with what was heard of this decision."""
        presentation, decision = self.offer.presentation, self._decisions[made - 1]
        if presentation.heard is None:
            return before
        whole = self._content(made - 1, None), self._content(made, None)
        return presentation.hear(decision.action, before, *whole, self.offer.components)

    def number_for(self, made: int, seat: int | None) -> int:
        """The number, from 0, of the position after ``made`` decisions, as a seat or a watcher counts positions.

        Where everybody knows everything, it is the number of decisions. Otherwise a position has the same number as the
        position before it if the seat knows the same at both, does not know who decides, and has heard nothing of the
        decision between them. So a decision does not count if it is asked of another seat secretly and changes nothing
        for this seat.
        """
        observer = self._observer(seat)
        return made if observer is None else bisect_right(self._starts(made, observer), made) - 1

    def made_before(self, number: int, made: int, seat: int | None) -> int:
        """Number of decisions before a seat's position `number`; raises `RefusedError` for a position after `made`."""
        last = self.number_for(made, seat)
        if not 0 <= number <= last:
            raise errors.RefusedError(
                errors.UNKNOWN, "positions: {number}; the game has 0 to {last} so far", number=number, last=last
            )
        observer = self._observer(seat)
        return number if observer is None else self._starts(made, observer)[number]

    def position(self, made: int, seat: int | None, language: str) -> dict[str, Any]:
        """The picture after ``made`` decisions as a seat may see it, and a text for each of its pieces.

        When the game is over, nothing is hidden any more.
        Where the picture comes in parts, ``picture`` is the board, ``around`` what is written around it, and ``focus``
        the pieces of the board that matter most to the seat. ``dark`` holds the colours of dark pages, ``least_text``
        the least size of the picture's texts, ``progress`` how far the game has come.
        """
        language = self._spoken(language)
        key = (made, seat, language)
        with self._lock:
            if key in self._pictures:
                self._pictures.move_to_end(key)
                return self._pictures[key]
        wording, content, components = self.wording(language), self._drawn(made, seat), self.offer.components
        presentation = self.offer.presentation
        keywords: dict[str, Any] = {"seat": seat, "names": self.names(language), "language": language}
        parts = presentation.parts
        picture = (parts.board if parts else presentation.picture)(content, components, **keywords)
        around = parts.surroundings(content, components, **keywords) if parts else None
        found = dict.fromkeys(html.unescape(name) for name in _PIECE.findall(picture))
        found |= dict.fromkeys(around.pieces() if around else ())
        shown = {
            "picture": picture,
            "pieces": {name: wording.piece(name, content, components) for name in found},
            "around": around and _plain(around),
            "focus": [] if parts is None or seat is None else list(parts.focus(content, seat)),
            "dark": dict(presentation.dark),
            "least_text": presentation.least_text,
            "progress": wording.progress(content, components)._asdict(),
        }
        with self._lock:
            self._pictures[key] = shown
            while len(self._pictures) > MOST_PICTURES:
                self._pictures.popitem(last=False)
        return shown

    def focus(self, made: int, seat: int) -> list[str]:
        """The pieces of the board that matter most to a seat after ``made`` decisions, when nothing is hidden."""
        parts = self.offer.presentation.parts
        return [] if parts is None else list(parts.focus(self._content(made, None), seat))

    def decider(self, made: int, seat: int | None) -> int | None:
        """The seat that decides after ``made`` decisions; None if nobody does, or if ``seat`` may not know."""
        found = self._content(made, seat)["seat"]
        return found if found is not None and found >= 0 else None

    def standing(self, made: int, seat: int | None) -> dict[str, Any]:
        """Scores in the form that people see, and rounds played, as far as a seat can tell; at the end the result."""
        state = self.state(made)
        observer = self._observer(seat)
        seen = state if observer is None or state.is_over else state.resampled(observer, 0)
        rounds, stopped = seen.ending()
        scores = self.counted(seen.scores())
        result = {"scores": scores, "ranks": seen.ranks(), "stopped": stopped} if state.is_over else None
        return {"over": state.is_over, "result": result, "scores": scores, "round": rounds}

    def outcome(self, made: int, language: str) -> dict[str, Any]:
        """What people are told of the result after ``made`` decisions, with which the game is over."""
        told = self.wording(language).outcome(self._content(made, None), self.offer.components)
        return told._asdict()

    def choice(self, made: int, seat: int, language: str) -> dict[str, Any]:
        """What the deciding seat is asked, its legal actions, and a text for each piece that they name."""
        wording, content, components = self.wording(language), self._content(made, seat), self.offer.components
        game, state, listed = self.offer.game, self.state(made), self.offer.presentation.listed
        legal = [game.action_text(action) for action in state.view(seat).legal_actions()]
        if listed is not None:
            legal.sort(key=lambda text: listed(text, content, components))
        actions = []
        for text in legal:
            pieces = self.offer.presentation.pieces(text, content)
            words = {name: getattr(wording, name)(text, content, components) for name in ("sentence", "imperative")}
            actions.append({"action": text, **words, "pieces": list(pieces)})
        asked = {name: getattr(wording, name)(content, components) for name in ("question", "briefing", "rules")}
        named = dict.fromkeys(piece for action in actions for piece in action["pieces"])
        texts = {name: wording.piece(name, content, components) for name in named}
        told = wording.introduction
        tip = told.tip(content, components) if told is not None and told.tip is not None else ""
        prompts = dict(wording.prompts)
        return {**asked, "tip": tip, "prompts": prompts, "actions": actions, "pieces": texts}

    def sentences(self, made: int, actions: Sequence[str], seat: int | None, language: str) -> list[str]:
        """What actions do after ``made`` decisions, as sentences."""
        content, wording = self._content(made, seat), self.wording(language)
        return [wording.sentence(action, content, self.offer.components) for action in actions]

    def imperatives(self, made: int, actions: Sequence[str], seat: int | None, language: str) -> list[str]:
        """The same for actions that can be chosen."""
        content, wording = self._content(made, seat), self.wording(language)
        return [wording.imperative(action, content, self.offer.components) for action in actions]

    def pieces(self, made: int, actions: Sequence[str], seat: int | None) -> list[list[str]]:
        """The pieces that actions name after ``made`` decisions, in the order in which they are clicked."""
        content, pieces = self._content(made, seat), self.offer.presentation.pieces
        return [list(pieces(action, content)) for action in actions]

    def log(self, made: int, seat: int | None, language: str) -> list[dict[str, Any]]:
        """What happened in the first ``made`` decisions, as far as a seat may know.

        There is an entry for each position that the seat can tell from the position before it; its number is that of
        the position before (see `number_for`). If the seat may not know who decided what, the first change that it sees
        takes the place of the decision; if it sees no change, there is no entry. An entry may have a notice, and
        ``by_agent`` is true where an agent decided in a person's place.
        """
        observer = self._observer(seat)
        key, wording = (observer, language), self.wording(language)
        starts: Sequence[int] = range(made + 1) if observer is None else self._starts(made, observer)
        number = self.number_for(made, seat)
        with self._lock:
            entries = list(self._logs.get(key, ()))
        before: Content | None = None
        for k in range(len(entries), number):
            before = self._content(starts[k], seat) if before is None else before
            after = self._content(starts[k + 1], seat)
            heard = self._heard(starts[k + 1], before)
            entries.append(self._entry(k, starts[k + 1] - 1, heard, after, wording))
            before = after
        with self._lock:
            if len(entries) > len(self._logs.get(key, ())):
                self._logs[key] = entries
        return [entry for entry in entries[:number] if entry is not None]

    def notice(self, made: int, language: str) -> dict[str, Any] | None:
        """What everybody was shown of the decision after ``made`` decisions; None for nothing."""
        heard, after = self._heard(made + 1, self._content(made, None)), self._content(made + 1, None)
        notice = self.wording(language).notice(heard, after, self.offer.components)
        return None if notice is None else notice._asdict()

    def _entry(
        self, number: int, decision: int, before: Content, after: Content, wording: Wording
    ) -> dict[str, Any] | None:
        components, made = self.offer.components, self._decisions[decision]
        changes = wording.changes(made.action, before, after, components)
        # Pages take what is missing for empty or false.
        told = [
            {"seat": change.seat, **{key: one for key, one in change._asdict().items() if one}} for change in changes
        ]
        if before["seat"] is not None:
            said: dict[str, Any] = {"seat": made.seat, "text": wording.sentence(made.action, before, components)}
            if made.seat in self._people and self._makers is not None and self._makers[decision]:
                said["by_agent"] = True
        elif told:
            said = told.pop(0)
        else:
            return None
        notice = wording.notice(before, after, components)
        shown = {} if notice is None else {"notice": notice._asdict()}
        return {"number": number, **said, "changes": told, **shown}

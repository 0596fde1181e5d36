"""The choices of a decision as text: questions, reminders of the rules, numbered sentences, and parsing of input."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from dunaia_env.dunaia.state import EDGE_SQUARES
from dunaia_env.harness.state import GameState

from .terminal_board import counted

# Longer lists are grouped by what the choices have in common. Of lists beyond the second limit only the groups are
# shown, because 54 tiles and squares and 66 moves would fill two screens.
FEW_CHOICES = 8
MANY_CHOICES = 36
MOST_CHARACTERS_SHOWN = 40  # of an input that is not understood
_INDENT = "      "

QUESTIONS = {
    "DRAFT": "Draft: which character?",
    "CHOOSE_DIE": "Phase 1: which die?",
    "AWAKEN": "Phase 2: Dunaia {die} wakes. Which square first?",
    "RECYCLE": "Phase 3: where does the die {die} go?",
    "BEFORE_PROPHECY": "Before phase 4, the prophecies: anything else?",
    "END_TURN": "The end of the turn: anything else?",
    "MOVE": "Which Dunaia moves where? ({moves} left)",
    "PLUG": "Which chip is plugged? ({chips} left)",
    "DISCARD": "Which chip is paid? ({discards} left)",
    "ADVANCE": "Which building advances? ({advances} left)",
    "SEARCH": "Which tile of the piles?",
    "PLACE": "Where does the found tile go?",
    "COLOUR": "Which colour marker goes where?",
}

RULES = {
    "DRAFT": "Each player takes one elite character, the last seat first. One character is left over.",
    "CHOOSE_DIE": (
        "Choose a neutral die of the pool; the own die only when no neutral one is left. Its face names the Dunaia that"
        " wakes. Elders can be called before, between and after the phases."
    ),
    "AWAKEN": (
        "Both squares beside the Dunaia take effect, in the order you choose. Empty square: a flower, or the chip of"
        " the Dunaia's number. Building under construction: one advance. Completed level 2 building: its effect and"
        " every arrow that points to a completed building of its colour. Completed level 1 or 3: nothing. If the first"
        " effect moves the woken Dunaia, the second one is lost."
    ),
    "RECYCLE": (
        "The die is used exactly once: take a flower, plug a chip, move a Dunaia, start a building (pay its flowers,"
        " use a construction token), or use a completed level 1 building that carries no die. Another player's building"
        " costs a flower, which its owner gets."
    ),
    "BEFORE_PROPHECY": (
        "Elders can be called, and some characters have a power to use, before the prophecies are taken. A prophecy is"
        " taken by itself when its condition holds in phase 4 of your own turn."
    ),
    "END_TURN": "After the prophecies elders can still be called, and some characters have a power to use.",
    "MOVE": (
        "One Dunaia at a time goes to any other place between two squares; at most three stand on a place. You may stop"
        " where it is offered. Moving the woken Dunaia in the first effect of waking loses the second."
    ),
    "PLUG": "Put a chip from the reserve onto your board. There is one of each number.",
    "DISCARD": "A chip paid goes back to the reserve. A call costs two printed chips and a third of your choice.",
    "ADVANCE": "A building under construction makes a step. At the last one it is completed and its token comes back.",
    "SEARCH": "Take any tile of a pile that you can pay, at the pile's price. Afterwards a new top is revealed.",
    "PLACE": "The found tile is paid and put under construction on an empty square of your choice.",
    "COLOUR": (
        "A marker gives one of your buildings one more colour for the arrows that point to it. It never changes the"
        " building's own arrows."
    ),
}


class UnclearError(ValueError):
    """An input that does not identify one choice.

    The message is shown to the person; ``matches`` has the indices of the choices that the input may mean.
    """

    def __init__(self, message: str, matches: Sequence[int] = ()) -> None:
        super().__init__(message)
        self.matches = list(matches)


def quoted(text: str) -> str:
    """An input in quotes, shortened and without characters that control a terminal."""
    return ascii(text if len(text) <= MOST_CHARACTERS_SHOWN else f"{text[:MOST_CHARACTERS_SHOWN]}...")


class Choices:
    """The legal actions of a decision: numbered from 1 for people, as canonical texts, and as sentences."""

    def __init__(self, state: GameState, content: Mapping[str, Any]) -> None:
        self.actions = state.legal_actions()
        self._parse = state.game.parse_action
        self.texts = [state.game.action_text(action) for action in self.actions]
        self.sentences = [state.game.sentence(text, content, state.components) for text in self.texts]
        pending = {name: content["pending"].get(name, 0) for name in ("moves", "chips", "discards", "advances")}
        self.question = QUESTIONS[state.decision].format(die=content["die"], **pending)
        player = content["players"][state.seat]
        chips = " ".join(map(str, player["chips"])) or "none"
        self.resources = (
            f"[{counted(player['flowers'], 'flowers')}, chips {chips}, {counted(player['tokens'], 'tokens')}]"
        )

    def listing(self, indices: Sequence[int], width: int) -> Iterator[RenderableType]:
        """The choices with some indices, for a console of a width; grouped if there are many."""
        if len(indices) <= FEW_CHOICES:
            yield self._rows((str(i + 1), self.sentences[i], self.texts[i]) for i in indices)
            return
        groups = list(self._groups(indices))
        if len(indices) > MANY_CHOICES and len(groups) > 1:
            yield self._rows(self._summary(group) for group in groups)
            largest = max(groups, key=len)
            prefix, full = self._common_text(largest), _spoken(self.texts[largest[len(largest) // 2]])
            yield Text(f'{_INDENT}Type "{prefix}" to list a group, or a complete text such as "{full}".', "dim")
            return
        for group in groups:
            if len(group) == 1:
                (i,) = group
                yield self._rows([(str(i + 1), self.sentences[i], self.texts[i])])
            else:
                start, ends = self._split_sentences(group)
                yield Text(f"{_INDENT}{start} ...").append(f"  {self._common_text(group)} ...", "dim")
                digits = len(str(group[-1] + 1))
                items = [f"{i + 1:>{digits}}  {end}" for i, end in zip(group, ends, strict=True)]
                for line in _in_columns(items, width - len(_INDENT) - 2):
                    yield Text(f"{_INDENT}  {line}")

    @staticmethod
    def _rows(rows: Iterable[tuple[str, str, str]]) -> Table:
        """A line for each choice: number, sentence, canonical text."""
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(justify="right", min_width=4, no_wrap=True)
        table.add_column()
        table.add_column(no_wrap=True)
        for number, sentence, text in rows:
            table.add_row(Text(number, "bold"), Text(sentence), Text(text, "dim"))
        return table

    def _groups(self, indices: Iterable[int]) -> Iterator[list[int]]:
        """Groups of consecutive choices that differ only in the last argument; groups of two are split."""
        for _, members in groupby(indices, key=lambda index: self.texts[index].rpartition(" ")[0] or index):
            group = list(members)
            yield from [group] if len(group) > 2 else ([index] for index in group)

    def _summary(self, group: Sequence[int]) -> tuple[str, str, str]:
        first, last = group[0], group[-1]
        if first == last:
            return str(first + 1), self.sentences[first], self.texts[first]
        return f"{first + 1}-{last + 1}", f"{self._split_sentences(group)[0]} ...", f"{self._common_text(group)} ..."

    def _common_text(self, group: Sequence[int]) -> str:
        """The common beginning of a group's canonical texts."""
        return self.texts[group[0]].rpartition(" ")[0] or self.texts[group[0]]

    def _split_sentences(self, group: Sequence[int]) -> tuple[str, list[str]]:
        """The common beginning of a group's sentences without its last word, and the rest of each sentence."""
        words = [self.sentences[index].split(" ") for index in group]
        same = next(n for n, column in enumerate(zip(*words, strict=False)) if len(set(column)) > 1)
        return " ".join(words[0][: same - 1]), [" ".join(one[same - 1 :]) for one in words]

    def find(self, typed: str) -> int:
        """The index of the choice that a number or a text means; raises `UnclearError` with the message to show."""
        count = len(self.actions)
        needed = f"a number in 1..{count} or a text is needed; type ? for help."
        if not typed:
            raise UnclearError(f"Nothing typed; {needed}")
        if re.fullmatch(r"[+-]?[0-9]+", typed):
            number = int(typed) if len(typed) < 10 else 0
            if not 1 <= number <= count:
                raise UnclearError(f"{quoted(typed)} is out of range; a number in 1..{count} is needed.")
            return number - 1
        words = _canonical(typed.lower().split())
        if " ".join(words) in self.texts:
            return self.texts.index(" ".join(words))
        matches = [index for index, text in enumerate(self.texts) if _begins(text.split(), words)]
        same_verb = [index for index in matches if self.texts[index].split()[0] == words[0]]
        matches = same_verb or matches
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise UnclearError(f"{quoted(typed)} is ambiguous; it matches {len(matches)} choices:", matches)
        try:
            self._parse(" ".join(words))
        except ValueError:
            raise UnclearError(f"{quoted(typed)} is not a choice; {needed}") from None
        raise UnclearError(f"{quoted(typed)} is not possible now; {needed}")


def _spoken(text: str) -> str:
    """A canonical text as people say it: a move names the two squares instead of the number of the edge."""
    words = text.split()
    if words[0] != "move":
        return text
    first, second = EDGE_SQUARES[int(words[2])].tolist()
    return f"move {words[1]} {first} {second}"


def _canonical(words: list[str]) -> list[str]:
    """Typed words as the words of a canonical text: a move may name the two squares."""
    match words:
        case [verb, dunaia, first, second] if "move".startswith(verb):
            for edge, squares in enumerate(EDGE_SQUARES.tolist()):
                if sorted((first, second)) == list(map(str, squares)):
                    return ["move", dunaia, str(edge)]
    return words


def _begins(text: Sequence[str], typed: Sequence[str]) -> bool:
    """Whether a text begins with the typed words; the verb may be abbreviated."""
    return text[0].startswith(typed[0]) and list(text[1 : len(typed)]) == list(typed[1:])


def _in_columns(items: Sequence[str], width: int) -> Iterator[str]:
    """Lines of items in columns, row by row."""
    cell = max(map(len, items)) + 3
    columns = max(width // cell, 1)
    for start in range(0, len(items), columns):
        yield "".join(f"{item:<{cell}}" for item in items[start : start + columns]).rstrip()

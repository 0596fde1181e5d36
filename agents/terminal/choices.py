"""The choices of a decision as text: the question, numbered sentences, and parsing of input."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from dunaia_env.harness.state import View

from .game_look import Look
from .text import in_columns

# Longer lists are grouped by what the choices have in common. Of lists beyond the second limit only the groups are
# shown, because 54 tiles and squares and 66 moves would fill two screens.
FEW_CHOICES = 8
MANY_CHOICES = 36
MOST_CHARACTERS_SHOWN = 40  # of an input that is not understood
_INDENT = "      "


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

    def __init__(self, view: View, content: Mapping[str, Any], look: Look) -> None:
        self.actions = view.legal_actions()
        self._look = look
        self._parse = view.game.parse_action
        self.texts = [view.game.action_text(action) for action in self.actions]
        self.sentences = [look.wording.imperative(text, content, view.components) for text in self.texts]
        self.question = look.wording.question(content, view.components)
        self.resources = look.resources(content, view.seat)

    def listing(self, indices: Sequence[int], width: int) -> Iterator[RenderableType]:
        """The choices with some indices, for a console of a width; grouped if there are many."""
        if len(indices) <= FEW_CHOICES:
            yield self._rows((str(i + 1), self.sentences[i], self.texts[i]) for i in indices)
            return
        groups = list(self.groups(indices))
        if len(indices) > MANY_CHOICES and len(groups) > 1:
            yield self._rows(self._summary(group) for group in groups)
            largest = max(groups, key=len)
            prefix, full = self._common_text(largest), self._look.spoken(self.texts[largest[len(largest) // 2]])
            yield Text(f'{_INDENT}Type "{prefix}" to list a group, or a complete text such as "{full}".', "dim")
            return
        for group in groups:
            if len(group) == 1:
                (i,) = group
                yield self._rows([(str(i + 1), self.sentences[i], self.texts[i])])
            else:
                start, ends = self.split_sentences(group)
                yield Text(f"{_INDENT}{start} ...").append(f"  {self._common_text(group)} ...", "dim")
                digits = len(str(group[-1] + 1))
                items = [f"{i + 1:>{digits}}  {end}" for i, end in zip(group, ends, strict=True)]
                for line in in_columns(items, width - len(_INDENT) - 2):
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

    def groups(self, indices: Iterable[int]) -> Iterator[list[int]]:
        """Groups of consecutive choices that differ only in the last argument; groups of two are split."""
        for _, members in groupby(indices, key=lambda index: self.texts[index].rpartition(" ")[0] or index):
            group = list(members)
            yield from [group] if len(group) > 2 else ([index] for index in group)

    def verbs(self, indices: Iterable[int]) -> Iterator[list[int]]:
        """Groups of consecutive choices with the same verb."""
        for _, members in groupby(indices, key=lambda index: self.texts[index].split()[0]):
            yield list(members)

    def _summary(self, group: Sequence[int]) -> tuple[str, str, str]:
        first, last = group[0], group[-1]
        if first == last:
            return str(first + 1), self.sentences[first], self.texts[first]
        return f"{first + 1}-{last + 1}", f"{self.split_sentences(group)[0]} ...", f"{self._common_text(group)} ..."

    def _common_text(self, group: Sequence[int]) -> str:
        """The common beginning of a group's canonical texts."""
        return self.texts[group[0]].rpartition(" ")[0] or self.texts[group[0]]

    def split_sentences(self, group: Sequence[int]) -> tuple[str, list[str]]:
        """The common beginning of a group's sentences without its last word, and the rest of each sentence."""
        words = [self.sentences[index].split(" ") for index in group]
        # Equal tiles, which other components may have, are found with equal words.
        different = (n for n, column in enumerate(zip(*words, strict=False)) if len(set(column)) > 1)
        same = next(different, len(words[0]))
        return " ".join(words[0][: same - 1]), [" ".join(word[same - 1 :]) for word in words]

    def find(self, typed: str) -> int:
        """The index of the choice that a number or a text means; raises `UnclearError` with the message to show."""
        count = len(self.actions)
        needed = f"expected a number in 1..{count} or a text; type ? for help."
        if not typed:
            raise UnclearError(f"Nothing typed; {needed}")
        if re.fullmatch(r"[+-]?[0-9]+", typed):
            number = int(typed) if len(typed) < 10 else 0
            if not 1 <= number <= count:
                raise UnclearError(f"{quoted(typed)} is out of range; expected a number in 1..{count}.")
            return number - 1
        if span := re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", typed):
            first, last = map(int, span.groups())
            if 1 <= first <= last <= count:
                raise UnclearError(f"The choices {first} to {last}:", range(first - 1, last))
        words = self._look.canonical(typed.lower().split())
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


def _begins(text: Sequence[str], typed: Sequence[str]) -> bool:
    """Whether a text begins with the typed words; the verb may be abbreviated."""
    return text[0].startswith(typed[0]) and list(text[1 : len(typed)]) == list(typed[1:])

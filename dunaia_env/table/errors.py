"""Sentences for people in their language; the errors of requests that the server refuses, and of tables on the disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dunaia_env.harness.presentation import ENGLISH
from dunaia_env.table import naming, refusals

MALFORMED = 400
FORBIDDEN = 403
UNKNOWN = 404
WRONG_METHOD = 405
TOO_SLOW = 408
CONFLICT = 409
TOO_LARGE = 413
WRONG_TYPE = 415
WRONG_HOST = 421
NOT_ALLOWED = 422
TOO_MANY = 429
FAULT = 500
UNAVAILABLE = 503


@dataclass(frozen=True)
class Sentence:
    """A sentence for people, which is translated in `refusals`.

    Attributes:
        template: the English sentence, with names in braces for its parts.
        parts: the parts by name; of a `naming.Program`, people are told what they call it.
    """

    template: str
    parts: Mapping[str, object] = field(default_factory=dict)

    def told(self, language: str) -> str:
        """The sentence in a language; in English if it has no translation."""
        template = refusals.TRANSLATIONS.get(language, {}).get(self.template, self.template)
        parts = {
            name: naming.program(part, language) if isinstance(part, naming.Program) else part
            for name, part in self.parts.items()
        }
        return template.format(**parts) if parts else template


class RefusedError(Exception):
    """A request that the server refuses.

    Args:
        status: the HTTP status.
        template: one sentence for a person, with names in braces for its parts: what is wrong, and what is allowed. It
            must hold no token and nothing that the client may not know. Those that a page can meet are translated in
            `refusals`.
        wait: seconds after which the request may be repeated; None if repeating it does not help.
        parts: the parts by name; of a `naming.Program`, people are told what they call it.
    """

    def __init__(self, status: int, template: str, *, wait: float | None = None, **parts: object) -> None:
        super().__init__(template, parts)
        self.status, self.wait = status, wait
        self._sentence = Sentence(template, parts)

    @property
    def text(self) -> str:
        """The sentence in English."""
        return self.told(ENGLISH)

    def told(self, language: str) -> str:
        """The sentence in a language; in English if it has no translation."""
        return self._sentence.told(language)

    def __str__(self) -> str:
        return self.text


class StorageError(Exception):
    """A table cannot be read from its folder or written to it; the message names the file and says why."""

"""Labels with values, in the typography of each language."""

from __future__ import annotations

from dunaia_env.support.french import typeset


def labelled(language: str, label: str, value: object) -> str:
    """A label with its value after a colon: ``Spice: 10``, in French with an unbreakable space before the colon.

    Args:
        language: the code of the language.
        label: what the value is.
        value: a number or a text.
    """
    colon = typeset(" :") if language == "fr" else ":"
    return f"{label}{colon} {value}"

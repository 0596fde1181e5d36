"""Judging the decisions of a game: win probabilities, what each choice cost, luck and skill."""

from __future__ import annotations

from dunaia_env.analysis.advisers import Adviser, Judgement, load_adviser
from dunaia_env.analysis.judging import (
    Advice,
    Analysis,
    Comparison,
    Decision,
    Option,
    Position,
    Total,
    advise,
    analyse,
    compare,
)

__all__ = [
    "Advice",
    "Adviser",
    "Analysis",
    "Comparison",
    "Decision",
    "Judgement",
    "Option",
    "Position",
    "Total",
    "advise",
    "analyse",
    "compare",
    "load_adviser",
]

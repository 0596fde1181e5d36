"""Judging the decisions of a game: win probabilities, what each choice cost, luck and skill."""

from __future__ import annotations

from dunaia_env.analysis.advisers import Adviser, Judgement, load_adviser
from dunaia_env.analysis.judging import Advice, Analysis, Decision, Option, Position, Total, advise, analyse

__all__ = [
    "Advice",
    "Adviser",
    "Analysis",
    "Decision",
    "Judgement",
    "Option",
    "Position",
    "Total",
    "advise",
    "analyse",
    "load_adviser",
]

"""People at a terminal: an agent that asks a person for each action, and a command that plays a game with it."""

from .agent import TerminalAgent

__all__ = ["TerminalAgent"]

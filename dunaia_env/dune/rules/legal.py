"""The legal actions of a decision."""

from __future__ import annotations

from dunaia_env.dune.rules.dispatch import of_decisions

# Writes the legal actions of a state, ascending, into `actions` (int16); returns their number, 0 when over.
legal_actions = of_decisions("legal_actions", "state, components, actions", "list")

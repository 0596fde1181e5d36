"""What carries every game and knows none: it calls a game's rules through the entry points that the game declares.

Declared by a game: `game` (the record of facts, options and texts).
Found by name: `registry`, `commands` (options on a command line), `dealing` (several values of an option).
Played one at a time: `state` (`GameState`, `View`), `chance_nodes`, `opponents` (agents).
Played many at a time: `lanes` (`Lanes`), `learner` (`LearnerLanes`), `spaces`.
Compiled loops and what they need: `dunaia_env.harness.compiled`.
"""

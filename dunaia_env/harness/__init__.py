"""The harness plays any game through the entry points that the game declares; it does not know which game it plays.

- What a game declares: `game` (facts, options, entry points, texts), `components` (printed values).
- Games by name and their options: `registry`, `commands` (command lines), `dealing` (several values of an option).
- One game at a time: `state` (`GameState`, `View`), `chance_nodes`, `opponents` (agents).
- Many games at a time: `lanes` (`Lanes`), `learner` (`LearnerLanes`), `spaces`.
- Compiled loops: `dunaia_env.harness.compiled`.
"""

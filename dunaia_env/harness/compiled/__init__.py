"""The harness's compiled functions: compiled once, they play any game through the table of its entry points.

`entry_points` (how a game is called), `encoding` (its actions and observations as numbers), `chance`, `lane` (a game of
a batch), `random_play`, `features` (features of positions for the evaluation), `greedy`, `search`, `guided` (search
with a network), `luck`, `rewards`, `advantages`. `warm_up` compiles them ahead of their first use.
"""

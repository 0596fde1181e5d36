"""The rules of Dune (1979), compiled, with one file for each chapter.

The foundations are `steps` (how the course of a game is written down), `asking`, `seats`, `forces`, `leaders`, `spice`
and `cards`. Questions about a Karama are in `karama`, windows in `windows`. `legal` lists the actions of a decision,
and `play` applies an action.
"""

"""The rules of Dune (1979), a file for each chapter, compiled.

Foundations: `steps` (how the course of a game is written down), `asking`, `seats`, `forces`, `leaders`, `spice` and
`cards`. Questions about a Karama are in `karama`, windows in `windows`. `legal` lists the actions of a decision, `play`
applies one.
"""

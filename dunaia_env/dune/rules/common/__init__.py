"""What the chapters of the rules share; none of it knows a chapter.

`steps` (how the course of a game is written down), `asking`, `windows` (in which several seats may act), `seats`,
`forces`, `fields`, `leaders`, `spice` and `cards`.
"""

"""Judging the decisions of a game: win probabilities, what each choice cost, luck and skill."""

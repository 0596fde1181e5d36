"""Loops over games that know no game: lanes, learners, play at random, search. They call a game's entry points."""

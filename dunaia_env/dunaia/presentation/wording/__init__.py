"""Dunaïa in words: positions, questions, actions, what happened, what each piece is, and why an action is illegal."""

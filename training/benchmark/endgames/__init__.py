"""Endgames with exact values: a frozen suite, how it is made, and how much of the win agents lose in it."""

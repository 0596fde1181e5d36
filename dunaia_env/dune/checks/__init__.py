"""Whether a state is possible: every piece in one place, and a moment that fits the board, the hands and the stack."""

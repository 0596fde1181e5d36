"""The balance laboratory measures what roles, seats and single rules are worth among players who know them."""

"""Statistics of games: intervals over blocks, ratings, sequential tests, and the workers that play the blocks."""

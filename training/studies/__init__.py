"""Programs that train to answer a question: what a player misses, which weights of an evaluation play best."""

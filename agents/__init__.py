"""Who decides: agents beyond the random and the greedy one of `dunaia_env.harness.opponents`."""

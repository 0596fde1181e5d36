"""The parts of `dunaia_env.dune.hidden.resampling`."""

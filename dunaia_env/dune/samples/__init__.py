"""The parts of `dunaia_env.dune.resampling`."""

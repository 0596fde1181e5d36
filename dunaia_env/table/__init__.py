"""A table in the browser, at which people and agents play, watch and analyse games."""

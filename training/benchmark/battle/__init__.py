"""A battle of Dune with hidden hands and traitors, and exact measures of players in it, see `docs/endgames.md`."""

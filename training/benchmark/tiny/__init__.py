"""A miniature game that is solved completely, and exact measures of any player in it, see `docs/endgames.md`."""

"""The family of component files that a player should know: its file, its members, and samples of them."""

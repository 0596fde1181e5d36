"""Pictures and films of positions, from the SVG documents that games draw; this package knows no game."""

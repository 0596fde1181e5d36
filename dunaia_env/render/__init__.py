"""Pictures and films of positions, from the SVG documents that games draw; knows no game."""

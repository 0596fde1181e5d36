"""State dictionaries: states as plain JSON data, and back."""

"""A second, independent implementation of the rules in plain Python: slow, readable, and used only to verify the engine."""

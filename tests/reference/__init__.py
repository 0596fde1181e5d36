"""A second, independent implementation of the rules, slow and readable, used only to verify the engine."""

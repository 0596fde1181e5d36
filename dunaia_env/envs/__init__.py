"""Environments: shells with the interfaces of other libraries, which know no rule of any game."""

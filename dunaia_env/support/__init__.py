"""Utilities that do not depend on games: files, messages, and a cache of compiled code."""

"""The hand-written evaluation: how much a seat prefers each legal action, and the expected win shares.

The unit of preferences is one spice. ``weights.toml`` holds all numbers, and `weights` says what each number means. A
preference depends only on what the seat knows; `preferences` leads to the module of each decision.
"""

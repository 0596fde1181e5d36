"""The hand-written evaluation: how much a seat prefers each legal action, and the expected win shares.

The unit of preferences is one spice. ``weights.toml`` holds all numbers, `weights` says what each of them means. A
preference depends on what the seat knows only; `preferences` leads to the module of each decision.
"""

"""How files of recorded games hold a game's options and its result."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

from dunaia_env.harness.compiled.chance import MAX_SEED
from dunaia_env.harness.game import Game
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.support.messages import shorten

PLAYERS, OPTIONS = "players", "options"
# Only in headers of games that were played on with new outcomes of chance: pairs of a decision and a seed.
LATER_SEEDS = "later_seeds"


def _key(option: str) -> str:
    return PLAYERS if option == NUM_PLAYERS else option


def header_keys(game: Game) -> tuple[str, ...]:
    """The keys of a header that hold the options of a game, in order."""
    recording = game.recording
    beside = [_key(option.name) for option in game.options if recording.is_beside(option.name)]
    return (*beside, *([] if recording.beside is None else [OPTIONS]))


def header_entries(game: Game, options: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a header that holds all options of a game."""
    found: dict[str, Any] = {key: {} for key in header_keys(game)}
    for option in game.options:
        holder = found if game.recording.is_beside(option.name) else found[OPTIONS]
        holder[_key(option.name)] = option.to_json(options[option.name])
    return found


def options_of(game: Game, header: Mapping[str, Any]) -> dict[str, Any]:
    """The options in a header that has the keys of `header_keys`.

    Raises `ValueError` naming the first value that is wrong, or that `Game.settle` changes because of other options.
    """
    recording, values, paths = game.recording, dict[str, Any](), dict[str, str]()
    together = {} if recording.beside is None else header[OPTIONS]
    names = [option.name for option in game.options if not recording.is_beside(option.name)]
    if not isinstance(together, dict) or set(together) != set(names):
        raise ValueError(f"{OPTIONS}: expected an object with {', '.join(names)}, got {shorten(together)}")
    for option in game.options:
        is_beside, key = recording.is_beside(option.name), _key(option.name)
        content = (header if is_beside else together)[key]
        paths[option.name] = key if is_beside else f"{OPTIONS}.{key}"
        try:
            values[option.name] = option.from_json(content)
        except ValueError:
            allowed = option.allowed(in_json=True)
            raise ValueError(f"{paths[option.name]}: expected {allowed}, got {shorten(content)}") from None
    for name, value in game.check_options(values).items():
        if value != values[name]:
            found, needed = (shorten(game.option(name).to_json(stated)) for stated in (values[name], value))
            raise ValueError(f"{paths[name]} = {found}; with the other options it is {needed}")
    return values


def seed_at(decision: int, seed: int, later_seeds: Iterable[tuple[int, int]]) -> int:
    """The seed from which the outcomes of chance of a decision follow.

    Args:
        decision: number of decisions before it; -1 for the set-up of the game.
        seed: the game's seed.
        later_seeds: pairs of a decision and the seed that holds from it on, with ascending decisions.
    """
    return [seed, *(later for first, later in later_seeds if first <= decision)][-1]


def are_later_seeds(pairs: object) -> bool:
    """Whether data are one or more pairs of a decision and a seed, with ascending decisions."""
    if not isinstance(pairs, list) or not pairs:
        return False
    if not all(isinstance(pair, list) and [type(value) for value in pair] == [int, int] for pair in pairs):
        return False
    ascending = all(first < then for (first, _), (then, _) in itertools.pairwise([(-1, 0), *pairs]))
    return ascending and all(0 <= seed <= MAX_SEED for _, seed in pairs)

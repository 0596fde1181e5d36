"""Random games: `python -m tests.reference_dune.play --players 4 --preset full --seed 1 --trace`.

Without `--trace` one line a game and a summary are printed; with it, the trace of each game (the last line is the
result). The invariants are checked at every decision.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from . import invariants
from .chance import SeededChance
from .components import ALLOWED, DUEL_FACTIONS, PRESETS
from .game import Game


def play(
    players: int,
    seed: int,
    options: dict[str, Any] | None = None,
    factions: Sequence[int] | None = None,
    *,
    check: bool = True,
    trace: list[dict[str, Any]] | None = None,
    counts: Counter[str] | None = None,
) -> Game:
    """Play a game with uniformly random choices.

    Args:
        players: 2 to 6.
        seed: of the draws and of the choices.
        options: those that differ from the defaults.
        factions: by seat, or None when they are drawn.
        check: whether the invariants are checked at every decision.
        trace: receives the lines of a trace.
        counts: receives how often each kind of decision was asked, and under `most` the longest menu.
    """
    chance, choices = SeededChance(seed), random.Random(f"choices {seed}")
    game = Game(players, chance, factions, options)
    if trace is not None:
        trace.append(header(game, seed) | {"draws": chance.taken(), "state": game.to_dict()})
    while not game.over:
        if check:
            invariants.check(game)
        legal = game.legal()
        if counts is not None:
            counts[game.decision] += 1
            counts["most"] = max(counts["most"], len(legal))
        line = {"seat": game.seat, "action": choices.choice(legal), "decision": game.decision, "legal": legal}
        game.apply(line["action"])
        if trace is not None:
            trace.append(line | {"draws": chance.taken(), "state": game.to_dict()})
    if check:
        invariants.check(game)
    if trace is not None:
        trace.append({"result": game.result()})
    return game


def header(game: Game, seed: int) -> dict[str, Any]:
    """Return the first line of a replay."""
    return {
        "format": "dune-replay",
        "version": 1,
        "rules": "tests.reference_dune",
        "players": game.number_of_players,
        "factions": game.given_factions,
        "options": dict(game.options),
        "seed": seed,
        "agents": ["random"] * game.number_of_players,
        "package": "tests.reference_dune",
    }


def option(text: str) -> tuple[str, Any]:
    """Read `key=value`; the value is JSON, or plain text."""
    key, _, value = text.partition("=")
    if key not in ALLOWED:
        raise argparse.ArgumentTypeError(f"no such option: {key}; there are {', '.join(ALLOWED)}")
    try:
        return key, json.loads(value)
    except json.JSONDecodeError:
        return key, value


def main(arguments: Iterable[str]) -> int:
    """Play the games and print what was asked for; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.reference_dune.play", description=__doc__)
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--preset", choices=PRESETS, default="full")
    parser.add_argument("--option", type=option, action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--factions", type=int, nargs="+", help="by seat; drawn by default")
    parser.add_argument("--seed", type=int, default=1, help="of the first game; the next ones follow")
    parser.add_argument("--games", type=int, default=1)
    parser.add_argument("--trace", action="store_true", help="print traces")
    chosen = parser.parse_args(list(arguments))

    players = 2 if chosen.preset == "duel" else chosen.players
    factions = chosen.factions or (DUEL_FACTIONS if chosen.preset == "duel" else None)
    options = PRESETS[chosen.preset] | dict(chosen.option)
    counts: Counter[str] = Counter()
    turns, ends = 0, Counter[str]()
    for seed in range(chosen.seed, chosen.seed + chosen.games):
        trace: list[dict[str, Any]] | None = [] if chosen.trace else None
        game = play(players, seed, options, factions, trace=trace, counts=counts)
        turns += game.turn
        ends[game.how] += 1
        for line in trace or []:
            print(json.dumps(line))
        if trace is None:
            print(f"seed {seed}: {json.dumps(game.result())}")
    if not chosen.trace:
        most = counts.pop("most")
        print(f"decisions a game {counts.total() / chosen.games:.0f}, turns {turns / chosen.games:.1f}, most {most}")
        print("ends:", ", ".join(f"{how} {number}" for how, number in ends.most_common()))
        print("asked:", ", ".join(f"{name} {number}" for name, number in counts.most_common()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

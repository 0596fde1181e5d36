"""Plays whole games of the compiled rules of Dune and of the independent reference side by side.

The compiled rules draw from a seed; the reference is given the same outcomes and must ask for exactly these draws.

On the command line: `python -m tests.dune_against_reference GAMES [SEED]` plays so many games of every table.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from dunaia_env.dune import GAME
from dunaia_env.dune.actions import ACTION_TEXTS, NUM_ACTIONS
from dunaia_env.dune.components import load
from dunaia_env.dune.decisions import DECISION_NAMES
from dunaia_env.dune.entry_points import ENTRY_POINTS
from dunaia_env.dune.notation.states import check_state, to_dict
from dunaia_env.dune.options import OPTIONS, PRESETS
from dunaia_env.dune.state import STATE_DTYPE, STATE_SIZE
from dunaia_env.harness.compiled.chance import Stream
from dunaia_env.harness.compiled.entry_points import begin, play
from dunaia_env.harness.options import NUM_PLAYERS
from tests.reference_dune.chance import Tape
from tests.reference_dune.game import Game

COMPONENTS = load(None)
_VARIANTS: tuple[dict[str, Any], ...] = (
    {},
    {"karama_powers": True},
    {"tleilax": True, "karama_powers": True},
    {"open_shields": False, "undecided": "strongholds", "atreides_sees_bonus": False},
)


def tables() -> Iterator[tuple[int, dict[str, Any], tuple[int, ...] | None]]:
    """The number of players, options and factions of every table that is played."""
    for values in PRESETS.values():
        options = dict(values)
        factions, given = options.pop("factions", None), options.pop(NUM_PLAYERS, None)
        for players in range(2, 7) if given is None else (given,):
            yield players, options, factions
    for variant in _VARIANTS[1:]:
        for players in range(2, 7):
            yield players, variant, None


def choose(legal: list[str], decision: str, style: int, chooser: random.Random) -> str:
    """A choice: uniform, or one that plays many cards and makes many alliances."""
    if style == 1 and chooser.random() < 0.8:
        active = [text for text in legal if text != "pass"]
        cards = [text for text in active if text.startswith(("karama", "card", "yes", "seat", "must"))]
        return chooser.choice(cards or active or legal)
    if style == 2 and decision in ("BID", "PLEDGE", "GIFT") and chooser.random() < 0.7:
        return legal[0] if decision == "BID" else chooser.choice(legal[:3])
    return chooser.choice(legal)


def differences(expected: Any, found: Any, path: str = "") -> Iterator[str]:
    """Where two states differ."""
    if isinstance(expected, dict) and isinstance(found, dict) and expected.keys() == found.keys():
        for key in expected:
            if path or key != "pending":
                yield from differences(expected[key], found[key], f"{path}.{key}")
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for index, (one, other) in enumerate(zip(expected, found, strict=True)):
            yield from differences(one, other, f"{path}[{index}]")
    elif type(expected) is not type(found) or expected != found:
        yield f"{path}: the reference has {expected!r}, the rules have {found!r}"


def play_both(
    players: int, options: dict[str, Any], factions: tuple[int, ...] | None, seed: int, *, style: int = 0
) -> tuple[int, set[str]]:
    """Play a game; returns the number of decisions and the kinds of decisions that were asked.

    Raises `AssertionError` naming the first difference.
    """
    values = GAME.check_options({NUM_PLAYERS: players, "factions": factions, **options})
    chosen = {option.name: values[option.name] for option in OPTIONS}
    row = GAME.option_row(values)
    game = ENTRY_POINTS.for_play()
    state = np.zeros(STATE_SIZE, np.uint8)
    legal = np.zeros(NUM_ACTIONS, np.int16)
    stream, chooser = Stream(seed), random.Random(seed)
    count = begin(game, state, COMPONENTS.buffer, stream.begin(), row, legal)
    tape = Tape(stream.draws)
    reference = Game(players, tape, factions, chosen)
    tape.finish()
    decisions, kinds = 0, set()
    while True:
        texts = [ACTION_TEXTS[action] for action in legal[:count]]
        record = state.view(STATE_DTYPE)[0]
        decision = DECISION_NAMES[record.decision]
        place = f"players {players}, options {options}, factions {factions}, seed {seed}, style {style}, {decisions}"
        assert (int(record.seat), decision) == (reference.seat, reference.decision), place
        assert texts == reference.legal(), f"{place}: {decision}"
        found = list(differences(reference.to_dict(), to_dict(state, COMPONENTS)))
        assert not found, f"{place}: {decision}: {found[:5]}"
        check_state(state, COMPONENTS)
        if count == 0:
            check_results(state, reference)
            return decisions, kinds
        kinds.add(decision)
        text = choose(texts, decision, style, chooser)
        count = play(game, state, COMPONENTS.buffer, stream.begin(), ACTION_TEXTS.index(text), legal)
        stream.finish()
        tape = Tape(stream.draws)
        try:
            reference.apply(text, tape)
            tape.finish()
        except Exception as error:
            raise AssertionError(f"{place}: {decision}: {text}: {error}") from error
        decisions += 1


def check_results(state: np.ndarray[Any, np.dtype[np.uint8]], reference: Game) -> None:
    """Compare what a game that is over results in."""
    scores, ranks, ending = ENTRY_POINTS.results(state, COMPONENTS.buffer)
    result = reference.result()
    seats = len(result["scores"])
    assert scores[:seats].tolist() == result["scores"]
    assert ranks[:seats].tolist() == result["ranks"]
    assert not scores[seats:].any()
    assert not ranks[seats:].any()
    assert ending.tolist() == [result["turns"], 0]


def main(arguments: list[str]) -> int:
    """Play games of every table; returns the exit status."""
    games, first = int(arguments[0]), int(arguments[1]) if len(arguments) > 1 else 0
    total, kinds = 0, set()
    for players, options, factions in tables():
        for seed in range(first, first + games):
            decisions, asked = play_both(players, options, factions, seed, style=seed % 3)
            total += decisions
            kinds |= asked
    missing = sorted(set(DECISION_NAMES) - kinds - {"OVER"})
    print(f"{total} decisions agree; never asked: {', '.join(missing) or 'none'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

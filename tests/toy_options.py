"""The toy game with options of every kind, presets, options that correct each other, and files of its own format.

The new options have no effect on the game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dunaia_env.harness.game import Recording
from dunaia_env.harness.options import NUM_PLAYERS, Option
from tests.toy_game import GAME as PLAIN_GAME

COLOURS = ("red", "green", "blue", "black", "white", "grey", "pink")


def settle(options: Mapping[str, Any]) -> dict[str, Any]:
    """Two players have no limit; colours are different ones, pink only with the large size."""
    settled = {**options, "limit": None} if options[NUM_PLAYERS] == 2 else dict(options)
    colours = options["colours"]
    if colours is not None:
        if len(colours) != options[NUM_PLAYERS] or len(set(colours)) < len(colours):
            raise ValueError(f"colours: expected {options[NUM_PLAYERS]} different ones, got {colours}")
        if COLOURS.index("pink") in colours and options["size"] != 43:
            raise ValueError("colours: pink needs size 43")
    return settled


GAME = replace(
    PLAIN_GAME,
    module=__name__,
    name="coloured_bids",
    title="Coloured bids",
    options=(
        *PLAIN_GAME.options,
        Option("size", 43, "size of the cards", choices=(43, 33)),
        Option("ending", "quiet", "what happens at the end", choices=("quiet", "loud")),
        Option("limit", None, "the most cards on the table", 2, 5, or_none=True, title="limit of cards"),
        Option(
            "colours",
            None,
            "colours of the seats",
            choices=tuple(range(len(COLOURS))),
            names=COLOURS,
            or_none=True,
            by_seat=True,
        ),
    ),
    settle=settle,
    presets={
        "large": {},
        "small": {"size": 33, "hand": 2, "limit": 4},
        "trio": {"num_players": 3, "laps": 2, "ending": "loud", "colours": ["blue", "red", "pink"]},
    },
    recording=Recording(
        format="bids-replay",
        beside=("colours",),
        result={"scores": "scores", "taken": "gone", "ranks": "ranks", "laps": "rounds"},
    ),
)

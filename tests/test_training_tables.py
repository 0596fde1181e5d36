"""Named kinds of tables in a training: presets of the game with numbers of players."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
from dunaia_env.dune import GAME, PRESETS
from training.arguments import Arguments, arguments_of, header_of
from training.facts import tables_of
from training.running.checkpoint import CheckpointError
from training.trainer import Trainer

TABLES = ("duel", "plain:6", "classic:3", "plain:6")


def test_named_tables_take_the_place_of_players_and_options() -> None:
    arguments = Arguments(game="dune", tables=TABLES, players=(4,), game_options={"deck": (21,)})
    assert arguments.players == (2, 6, 3)
    assert [kind["num_players"] for kind in tables_of(arguments)] == [2, 6, 3, 6]
    for kind, preset in zip(tables_of(arguments), ("duel", "plain", "classic", "plain"), strict=True):
        expected = PRESETS[preset] | {"num_players": kind["num_players"]}
        assert kind == GAME.check_options(expected)
    assert arguments.game_options["max_turns"] == (10, 15)
    assert arguments.game_options["powers"] == (False, True)
    assert list(arguments.judged_tables) == ["duel", "plain:6", "classic:3"]
    assert arguments.judged_tables["classic:3"] == tables_of(arguments)[2]
    assert arguments_of(json.loads(json.dumps(header_of(arguments)))) == arguments


def test_without_named_tables_every_number_of_players_is_judged_with_the_first_options() -> None:
    arguments = Arguments(players=(3, 2, 3), game_options={"elites": (False, True)})
    assert len(tables_of(arguments)) == 6
    assert arguments.judged_tables["2p"] | {"elites": True} == tables_of(arguments)[3]
    assert [(name, table["num_players"], table["elites"]) for name, table in arguments.judged_tables.items()] == [
        ("3p", 3, False),
        ("2p", 2, False),
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tables": ("wide",)}, "tables: 'wide': preset: expected one of full, classic, plain, duel, got 'wide'"),
        (
            {"tables": ("plain:six",)},
            "tables: expected a preset and a number of players, such as plain:6, got 'plain:six'",
        ),
        ({"tables": ("plain:7",)}, "tables: 'plain:7': num_players: expected an integer in 2..6, got 7"),
        (
            {"tables": ("duel:3",)},
            "tables: 'duel:3': factions: expected 3, one a seat, or None, got atreides, harkonnen",
        ),
        ({"tables": ("duel",), "game": "dunaia"}, "preset: expected none, because dunaia has no presets, got 'duel'"),
    ],
)
def test_a_wrong_table_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Arguments(**{"game": "dune", **changes})


@pytest.mark.compiled
def test_lanes_get_the_named_tables_in_turn(tmp_path: Any) -> None:
    small = {"width": 8, "steps": 16, "minibatches": 2, "evaluation_games": 4, "opponents": ("random",)}
    arguments = Arguments(game="dune", tables=TABLES, lanes=8, decisions=8 * 16, threads=1, precision="fp32", **small)
    trainer = Trainer(arguments)
    assert trainer.lanes.num_players.tolist() == [2, 6, 3, 6] * 2
    powers = [trainer.lanes.get_state(lane).to_dict()["options"]["powers"] for lane in range(4)]
    assert powers == [False, False, True, False]
    trainer.prepare()
    trainer.train()
    line = trainer.evaluate()
    assert [part.split(": ")[0] for part in line.split("; ")] == ["duel", "plain:6", "classic:3"]
    assert {"eval/duel_vs_random", "eval/plain_6_vs_random", "eval/classic_3_vs_random"} <= set(trainer.metrics)
    assert np.isfinite([trainer.metrics["eval/plain_6_vs_random"]]).all()
    trainer.save(tmp_path)
    other = Trainer(Arguments(game="dune", tables=TABLES[:3] * 2, lanes=8, threads=1, precision="fp32", **small))
    with pytest.raises(CheckpointError, match="tables was"):
        other.restore(tmp_path)

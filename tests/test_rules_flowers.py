"""Flowers are unlimited (components, section 2): a hand grows up to what a state can hold and never turns over."""

from __future__ import annotations

from importlib import resources
from typing import Any

import pytest

from dunaia_env import GameState, Lanes, dunaia
from dunaia_env.dunaia.components import parse
from dunaia_env.dunaia.state import MOST_FLOWERS

from .positions import ALL_CHIPS, built, of, play, player, position

FLOWERS_TILE, FLOWERS_LEVEL_2 = 0, 16
MYSTIC = 3
ONE_LESS = MOST_FLOWERS - 1


@pytest.mark.parametrize("flowers", [ONE_LESS, MOST_FLOWERS])
@pytest.mark.parametrize(
    ("decision", "own", "actions"),
    [
        pytest.param("RECYCLE", {}, ["flower"], id="the flower space"),
        pytest.param("RECYCLE", {"buildings": {4: built(FLOWERS_TILE)}}, ["use 0 4"], id="a level 1 building"),
        pytest.param("AWAKEN", {}, ["awaken 0"], id="an empty square"),
        pytest.param("AWAKEN", {"buildings": {0: built(FLOWERS_LEVEL_2)}}, ["awaken 0"], id="a level 2 building"),
        pytest.param("END_TURN", {"chips": ALL_CHIPS}, ["call 0", "discard 4"], id="the elder of flowers"),
        pytest.param(
            "END_TURN",
            {"chips": ALL_CHIPS, "character": MYSTIC},
            ["power", "discard 1", "discard 2"],
            id="the mystic",
        ),
    ],
)
def test_flowers__a_full_hand_stays_full(flowers: int, decision: str, own: dict[str, Any], actions: list[str]) -> None:
    state = position(decision, player(flowers=flowers, **own))
    after = play(state, *actions)
    assert of(after, 0, "flowers") == MOST_FLOWERS
    assert after.scores()[0] >= MOST_FLOWERS // 3
    assert GameState.from_dict(after.to_dict()) == after


def test_flowers__the_owner_of_a_used_building_has_a_full_hand() -> None:
    host = player(flowers=MOST_FLOWERS, buildings={4: built(4)})
    after = play(position("RECYCLE", player(flowers=1), host), "use 1 4")
    assert (of(after, 0, "flowers"), of(after, 1, "flowers")) == (0, MOST_FLOWERS)


def test_flowers__more_than_a_hand_can_hold_are_refused() -> None:
    content = position("RECYCLE", player(flowers=MOST_FLOWERS)).to_dict()
    assert GameState.from_dict(content).to_dict() == content
    content["players"][0]["flowers"] += 1
    with pytest.raises(dunaia.StateError, match=r"players\[0\]\.flowers: expected an integer in 0\.\.32767, got 32768"):
        GameState.from_dict(content)


def test_flowers__points_beyond_16_bits_are_counted() -> None:
    own = resources.files("dunaia_env.dunaia").joinpath("components.toml").read_text(encoding="utf-8")
    rules = parse(own.replace("flowers_per_point = 3", "flowers_per_point = 1"), "a flower a point")
    village = player(flowers=MOST_FLOWERS, buildings={4: built(FLOWERS_TILE)})
    content = position("END_TURN", village, seat=1, max_rounds=1).to_dict()
    content["scores"] = [MOST_FLOWERS + 1, 0]
    state = GameState.from_dict(content, components=rules)
    assert state.scores() == content["scores"]
    lanes = Lanes(1, components=rules, max_rounds=1, autoreset=False)
    lanes.reset(0)
    lanes.set_state(0, state)
    lanes.step([dunaia.parse_action("pass")])
    assert lanes.final_scores[0].tolist() == [MOST_FLOWERS + 1, 0, 0, 0]
    assert lanes.final_ranks[0].tolist() == [1, 2, 0, 0]

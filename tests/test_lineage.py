"""From which weights trained players come: what their files say of it, and which agents are not independent."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from agents.guided import GuidedAgent
from agents.model import digest
from agents.network import NetworkAgent
from dunaia_env.harness.lineage import Ancestor, Lineage, began_with
from dunaia_env.harness.opponents import load
from tests.test_agents_network import random_network

FIRST, SECOND, THIRD = (Ancestor(name, 8 * digit) for name, digit in (("first", "1"), ("second", "2"), ("third", "3")))


def entry(ancestor: Ancestor) -> dict[str, Any]:
    return {"name": ancestor.name, "weights": ancestor.weights, "decisions": 12}


def test_a_player_has_the_lineage_of_its_file(tmp_path: Path) -> None:
    network = random_network(
        began_with=[entry(FIRST), entry(SECOND)], weights={"type": "float16", "trained": THIRD.weights}
    )
    network.save(tmp_path / "a.safetensors")
    own = digest(network.arrays)
    expected = Lineage((own, THIRD.weights), (SECOND, FIRST))
    for options in ("", ":temperature=2", "+4"):
        player = load(f"{tmp_path}/a.safetensors{options}")
        assert isinstance(player, NetworkAgent | GuidedAgent)
        assert player.lineage == expected
    assert NetworkAgent(random_network()).lineage == Lineage((digest(random_network().arrays),))


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ({"began_with": "champion"}, "began_with: expected a list, got 'champion'"),
        ({"began_with": [entry(FIRST), 5]}, "began_with[1]: expected a table, got 5"),
        ({"began_with": [{"name": "first"}]}, "began_with[0].weights: expected a text, got None"),
        ({"began_with": [{"weights": "1", "name": 1}]}, "began_with[0].name: expected a text, got 1"),
    ],
)
def test_a_wrong_lineage_is_named(header: dict[str, Any], message: str) -> None:
    player = NetworkAgent(random_network(**header))
    with pytest.raises(ValueError, match=re.escape(message)):
        _ = player.lineage


def test_agents_began_with_the_nearest_ancestor_that_takes_part() -> None:
    lineages = {
        "x+16": Lineage((SECOND.weights,), (FIRST,)),
        "x": Lineage((SECOND.weights, "halved"), (FIRST,)),
        "own": Lineage(("other",)),
        "y": Lineage(("new",), (THIRD, SECOND, FIRST)),
    }
    # The search is the same player, and y began with neither of both but with what came of one.
    assert began_with(lineages) == {"x+16": "first (11111111)", "x": "first (11111111)", "y": "x"}
    with_the_nearest = lineages | {"runs/3/model.safetensors": Lineage(("new 3", THIRD.weights), (SECOND, FIRST))}
    assert began_with(with_the_nearest)["y"] == "runs/3/model.safetensors"
    assert began_with({"y": lineages["y"]}) == {"y": "first (11111111)"}
    assert began_with({}) == {}

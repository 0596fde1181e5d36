"""Dune's state record: what it can hold, what an empty one holds, and the names of decisions, phases and powers."""

from __future__ import annotations

import numpy as np
import pytest

from dunaia_env.dune import decisions, state as layout
from dunaia_env.dune.components import COMPONENTS_DTYPE
from dunaia_env.dune.decisions import DECISION_NAMES
from dunaia_env.dune.rules.dispatch import chapters_function
from dunaia_env.dune.state import STATE_DTYPE, STATE_HASH, STATE_SIZE, new_state
from tests.dune_positions import POSITIONS, state_of

pytestmark = pytest.mark.once

DECISIONS = (
    *("PREDICT_WHO", "PREDICT_TURN", "TRAITOR", "PLACE", "WEATHER", "WEATHER_DIAL", "DIAL", "ATOMICS"),
    *("BLOW_CARDS", "WORM", "NEXUS_CARDS", "LEAVE", "PROPOSE", "ANSWER", "RIDE", "HARVESTER"),
    *("BIDDING_CARDS", "RANSOM", "PAY", "POISONED", "GIFT", "PLEDGE", "BID", "REVIVAL_CARDS", "REVIVE"),
    *("WITHDRAW", "SHIP", "SHIP_COUNT", "SHIP_TO", "COUNT", "ACCOMPANY", "MOVE_FROM", "MOVE_TO", "HAJR"),
    *("RAISE", "BATTLE", "OPPONENT", "BATTLE_CARDS", "VOICE", "LEADER", "WEAPON", "DEFENCE", "NUMBER"),
    *("PRESCIENCE", "TREASON", "LOSS", "KEEP", "TRUTH_WHO", "TRUTH", "CONE", "LAY_WHO", "GHOLA", "SWAP_WHO"),
    *("SWAP_COUNT", "GIVE", "KARAMA", "BUY_BACK", "PRICE", "ACCEPT", "TAMPER"),
)
RECORDS = (STATE_DTYPE, layout.PLAYER_DTYPE, layout.PLAN_DTYPE, layout.FRAME_DTYPE, COMPONENTS_DTYPE)


def test_a_decision_without_functions_is_an_error() -> None:
    with pytest.raises(NameError, match="expected one function list_dance in the chapters of the rules, got 0"):
        chapters_function("list_dance")


def test_names_are_those_of_the_rules() -> None:
    assert [*DECISIONS, "OVER"] == list(DECISION_NAMES)
    assert len(DECISIONS) == 60
    assert [getattr(decisions, name) for name in DECISION_NAMES] == list(range(61))
    phases = ["setup", "storm", "blow", "nexus", "bidding", "revival", "movement", "battle", "over"]
    assert list(layout.PHASE_NAMES) == phases
    powers = ["sight", "bonus", "future", "tame", "accompany", "voice", "prescience", "worthless", "shipment"]
    assert list(layout.POWER_NAMES) == [*powers, "tamper", "steal"]
    assert layout.HOW_NAMES == ("", "strongholds", "prediction", "fremen", "guild", "most", "nobody")
    for names, last in ((layout.CARD_NAMES, "KARAMA_CARD"), (layout.FACTION_NAMES, "TLEILAX")):
        assert getattr(layout, last) == len(names) - 1
    assert layout.POINT_NAMES[layout.STOP] == "stop"


def test_layout_has_a_size_and_a_hash() -> None:
    assert STATE_DTYPE.itemsize == STATE_SIZE <= 2048
    assert len(STATE_HASH) == 16
    assert STATE_DTYPE.fields is not None
    assert new_state()[layout.SEAT_AT] == 0
    state = new_state()
    record = state.view(STATE_DTYPE)[0]
    record.seat, record.num_players = 3, 5
    assert (state[layout.SEAT_AT], state[layout.PLAYERS_AT]) == (3, 5)


@pytest.mark.parametrize("record", RECORDS, ids=["state", "player", "plan", "frame", "components"])
def test_no_field_is_named_like_a_method(record: np.dtype[np.void]) -> None:
    """Such a field can be read in compiled code, and not in plain Python."""
    taken = {name for kind in (np.record, np.void, np.ndarray) for name in dir(kind)}
    assert not set(record.names or ()) & taken


def test_an_empty_state_holds_nothing() -> None:
    record = new_state().view(STATE_DTYPE)[0]
    assert record.depth == 0
    assert {int(frame.point) for frame in record.stack} == {layout.NO_POINT}
    for plan in record.plans:
        assert tuple(int(plan[part]) for part in ("leader", "weapon", "defence", "number")) == (layout.UNCHOSEN,) * 4
        assert (int(plan.no_leader), int(plan.treason)) == (0, layout.NONE)
    for field in layout.EMPTY_FIELDS:
        assert (np.asarray(record[field]) == layout.NONE).all(), field
    assert not record.players["hand"].any()
    assert not record.deck.any()


def test_every_decision_has_a_position_that_the_record_holds() -> None:
    asked = {str(content["decision"]) for content in POSITIONS.values()}
    assert asked == set(DECISION_NAMES)
    questions = {content["pending"].get("power") for content in POSITIONS.values()} - {None}
    assert questions == set(layout.POWER_NAMES)
    states = {state_of(content).tobytes() for content in POSITIONS.values()}
    assert len(states) == len(POSITIONS)


def test_every_resume_point_and_the_deepest_stack_occur() -> None:
    stacks = [content["pending"].get("stack", []) for content in POSITIONS.values()]
    assert {entry["point"] for stack in stacks for entry in stack} == set(layout.POINT_NAMES[1:])
    assert max(map(len, stacks)) == layout.MOST_FRAMES


def test_a_batch_is_an_array_of_records() -> None:
    states = np.stack([state_of(content) for content in list(POSITIONS.values())[:3]])
    assert states.view(STATE_DTYPE)["num_players"][:, 0].tolist() == [6, 6, 6]

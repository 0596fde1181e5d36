"""The reasons in the error of an illegal action."""

from __future__ import annotations

import numpy as np
import pytest

from dunaia_env import GameState, IllegalActionError, dunaia
from dunaia_env.dunaia.actions import ACTION_TABLE, parse_action
from dunaia_env.support.messages import printable

from .positions import ALL_CHIPS, EDGES, begun, built, play, player, position

MERCHANT, TRICKSTER, FOREMAN, MYSTIC, SHEPHERD, ARCHITECT = range(6)
SHARED = dict.fromkeys((1, 2, 3), 1)


def why(state: GameState, text: str) -> str:
    return dunaia.why_illegal(np.frombuffer(state.to_bytes(), np.uint8), state.components, parse_action(text))


@pytest.mark.parametrize(
    ("state", "action", "reason"),
    [
        (position("RECYCLE", player(flowers=2)), "start 4 0", "2 flowers are in hand, the tile costs 3"),
        (position("RECYCLE", player(flowers=1)), "start 3 0", "1 flower is in hand, the tile costs 3"),
        (
            position("RECYCLE", player(flowers=1, character=MERCHANT)),
            "start 5 0",
            "1 flower is in hand, the tile costs 3",
        ),
        (position("RECYCLE", player(flowers=9, buildings={0: built(0)})), "start 0 0", "square 0 is not empty"),
        (
            position("RECYCLE", player(flowers=9, buildings={0: begun(0), 1: begun(1), 2: begun(2)})),
            "start 0 4",
            "no construction token is in hand",
        ),
        (position("RECYCLE", player(flowers=9)), "start 6 0", "offer 6 has no tile"),
        (position("RECYCLE", player(flowers=9)), "start 7 0", "the tile found is offer 7, and only it is placed after"),
        (position("RECYCLE"), "use 0 4", "square 4 is empty"),
        (position("RECYCLE"), "use 2 4", "the table has 2 players"),
        (
            position("RECYCLE", player(buildings={4: built(16)})),
            "use 0 4",
            "has level 2; only those of level 1 are used",
        ),
        (position("RECYCLE", player(buildings={4: begun(0)})), "use 0 4", "the building on square 4 is not completed"),
        (
            position("RECYCLE", player(buildings={4: built(0, die=True)}), round_number=2),
            "use 0 4",
            "a die lies on the building on square 4",
        ),
        (
            position("RECYCLE", player(), player(buildings={4: built(0)})),
            "use 1 4",
            "another player's building costs 1 flower, and none is in hand",
        ),
        (position("RECYCLE"), "move 1 0", "Dunaia 1 stands on edge 0"),
        (position("RECYCLE", player(dunaias=SHARED)), "move 4 1", "3 Dunaias stand on edge 1"),
        (position("RECYCLE", player(chips=[3])), "plug 3", "chip 3 is plugged"),
        (position("RECYCLE"), "pass", "'pass' belongs to BEFORE_PROPHECY and END_TURN and MOVE and ADVANCE"),
        (position("CHOOSE_DIE", neutral=(1, 1, 2, 2, 3)), "take 5", "no neutral die shows 5; they show 1, 2, 3"),
        (position("CHOOSE_DIE", seat=1, round_number=3), "take 5", "no neutral die is left, and the own one shows 6"),
        (position("CHOOSE_DIE", neutral=(1, 1, 2, 2, 3)), "take_flipped 1", "only the trickster flips a die"),
        (
            position("CHOOSE_DIE", player(character=TRICKSTER), neutral=(1, 1, 2, 2, 3)),
            "take_flipped 6",
            "no neutral die shows 6",
        ),
        (position("AWAKEN", die=1), "awaken 8", f"Dunaia 1 stands between the squares {EDGES[0][0]} and {EDGES[0][1]}"),
        (
            position("END_TURN", player(chips=[1, 2])),
            "call 0",
            "the call costs the chips 1, 2 and a third one; plugged are 1, 2",
        ),
        (
            position("END_TURN", player(chips=ALL_CHIPS, fragments=[2])),
            "call 2",
            "neither the power of this elder (advance) nor a fragment would be of use",
        ),
        (position("END_TURN"), "move 1 3", "only the shepherd moves a Dunaia at the end of the turn"),
        (
            position("END_TURN", player(character=SHEPHERD, power_used=True)),
            "move 1 3",
            "the shepherd has moved a Dunaia in this turn",
        ),
        (position("END_TURN", player(character=SHEPHERD), die=2), "move 1 3", "moves the Dunaia that was woken, 2"),
        (position("END_TURN"), "power", "only the foreman and the mystic have a power"),
        (position("END_TURN", player(character=MYSTIC, power_used=True)), "power", "the mystic's power was used"),
        (
            position("END_TURN", player(character=MYSTIC)),
            "power",
            "the mystic's power costs 2 chips; 0 of 6 are plugged",
        ),
        (
            position("END_TURN", player(character=FOREMAN)),
            "power",
            "0 flowers are in hand, the foreman's power costs 2",
        ),
        (position("END_TURN", player(character=FOREMAN, flowers=2)), "power", "no building is under construction"),
        (position("END_TURN"), "reserve 0", "only the architect reserves a tile"),
        (
            position("END_TURN", player(character=ARCHITECT, reserved=5)),
            "reserve 0",
            "the architect holds tile 5 in reserve",
        ),
        (
            position("END_TURN", player(character=ARCHITECT, power_used=True)),
            "reserve 0",
            "the architect has reserved a tile in this turn",
        ),
        (position("END_TURN"), "discard 1", "'discard' belongs to DISCARD"),
        (
            play(position("END_TURN", player(chips=ALL_CHIPS)), "call 0"),
            "discard 1",
            "chip 1 is not plugged; plugged are 3, 4, 5, 6",
        ),
        (position("OVER"), "pass", "the game is over"),
    ],
)
def test_the_reason_says_what_is_missing(state: GameState, action: str, reason: str) -> None:
    assert reason in why(state, action)
    with pytest.raises(IllegalActionError) as caught:
        state.apply(action, 0)
    assert reason in str(caught.value)


@pytest.mark.compiled
@pytest.mark.parametrize(("players", "elites"), [(2, False), (3, True), (4, True)])
def test_there_is_a_reason_for_every_illegal_action_and_for_no_legal_one(players: int, elites: bool) -> None:
    random = np.random.default_rng(players)
    told: set[str] = set()
    for seed in range(4):
        state = GameState.new(seed, num_players=players, elites=elites)
        while not state.is_over:
            legal = state.legal_actions()
            if random.random() < 0.04:
                content = np.frombuffer(state.to_bytes(), np.uint8)
                for action in range(dunaia.NUM_ACTIONS):
                    reason = dunaia.why_illegal(content, state.components, action)
                    assert bool(reason) == (action not in legal), (state.decision, dunaia.action_text(action), reason)
                    assert printable(reason) == reason
                    if reason and "belongs to" not in reason:
                        told.add(dunaia.action_text(action).split()[0])
            state.apply(int(random.choice(legal)), seed)
    assert told >= {"take", "awaken", "use", "start", "move", "plug", "call", "power", "reserve"}


def test_every_verb_has_its_reasons() -> None:
    from dunaia_env.dunaia.presentation.wording.verbs import VERBS

    assert list(VERBS) == [verb.name for verb in ACTION_TABLE]
    # Recycling on the flower space is always possible.
    assert [name for name, verb in VERBS.items() if not hasattr(verb, "reason")] == ["flower"]

"""A game of a few lines that is learned in seconds.

On each decision a player sees a card with one of four colours and gets a point for answering with its number plus one.
The same player goes on with a chance of one third, otherwise the next one does. By default a game has 8 to 11
decisions.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from dunaia_env.harness.compiled import entry_points as harness
from dunaia_env.harness.compiled.chance import CHANCE_SIZE, REVEAL, ROLL, SETUP, draw
from dunaia_env.harness.compiled.entry_points import ENDING_SIZE, MOST_OPTIONS, NO_ACTION, ROUNDS, STOPPED, array_at
from dunaia_env.harness.compiled.lane import layout_hash
from dunaia_env.harness.game import Bounds, Game, Option
from dunaia_env.support.compile_cache import c_function, kernel

CARDS, NUM_ACTIONS, SEATS = 4, 6, 4
OBSERVATION_SIZE = CARDS + SEATS + 2
STATE_DTYPE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                *((name, np.int8) for name in ("num_players", "seat", "card")),
                ("legal", np.uint8),
                ("decisions", np.int16),
                ("length", np.int16),
                ("points", np.int16, (SEATS,)),
            ],
            align=True,
        ),
    )
)
STATE_SIZE = STATE_DTYPE.itemsize
COMPONENTS = SimpleNamespace(hash="toy components", buffer=np.zeros(1, np.uint8))


def _record(state: Any) -> Any:
    return state.view(STATE_DTYPE)[0]


@kernel
def show_card(s, chance):
    """The next card, and what can be answered: the right answer, and every other one half of the time."""
    s.card = draw(chance, REVEAL, int(s.decisions), 0, CARDS)
    s.legal = draw(chance, REVEAL, int(s.decisions), 1, 1 << NUM_ACTIONS) | (1 << (int(s.card) + 1))


@kernel
def list_actions(s, legal):
    count = 0
    for action in range(NUM_ACTIONS):
        if s.seat >= 0 and int(s.legal) >> action & 1:
            legal[count] = action
            count += 1
    return count


@c_function("voidptr, voidptr, voidptr, voidptr")
def begin(state, rules, chance, options):
    s, chosen = array_at(state, 1, STATE_DTYPE)[0], array_at(options, MOST_OPTIONS, np.int64)
    random = array_at(chance, CHANCE_SIZE, np.int64)
    s.num_players = chosen[0]
    s.seat = 0
    s.decisions = 0
    s.length = chosen[1] + draw(random, SETUP, 0, 0, 4)
    for seat in range(SEATS):
        s.points[seat] = 0
    show_card(s, random)
    return 0


@c_function("voidptr, voidptr, voidptr, int64, voidptr")
def play(state, rules, chance, action, legal):
    s, random = array_at(state, 1, STATE_DTYPE)[0], array_at(chance, CHANCE_SIZE, np.int64)
    if action != NO_ACTION:
        s.points[s.seat] += 1 if action == s.card + 1 else 0
        s.decisions += 1
        if s.decisions >= s.length:
            s.seat = -1
            return 0
        if draw(random, ROLL, int(s.decisions), 0, 3) > 0:
            s.seat = (s.seat + 1) % s.num_players
        show_card(s, random)
    return list_actions(s, array_at(legal, NUM_ACTIONS, np.int16))


@c_function("voidptr, voidptr, voidptr")
def list_legal(state, rules, legal):
    return list_actions(array_at(state, 1, STATE_DTYPE)[0], array_at(legal, NUM_ACTIONS, np.int16))


@c_function("voidptr, voidptr, int64, voidptr")
def write_observation(state, rules, seat, out):
    s, seen = array_at(state, 1, STATE_DTYPE)[0], array_at(out, OBSERVATION_SIZE, np.int8)
    seen[:] = 0
    if s.seat >= 0:
        seen[s.card] = 1
        seen[CARDS + seat] = 4
    return 0


@c_function("voidptr, voidptr, voidptr, voidptr, voidptr")
def write_results(state, rules, scores, ranks, ending):
    s, length = array_at(state, 1, STATE_DTYPE)[0], array_at(ending, ENDING_SIZE, np.int32)
    points, places = array_at(scores, SEATS, np.int32), array_at(ranks, SEATS, np.int8)
    points[:] = 0
    places[:] = 0
    for seat in range(s.num_players):
        points[seat] = s.points[seat]
        places[seat] = 1
        for other in range(s.num_players):
            places[seat] += 1 if s.points[other] > s.points[seat] else 0
    length[ROUNDS] = s.decisions
    length[STOPPED] = 0
    return 0


def from_dict(content: Mapping[str, Any], rules: Any) -> Any:
    state = np.zeros(STATE_SIZE, np.uint8)
    for name, value in content.items():
        _record(state)[name] = value
    return state


def to_dict(state: Any, rules: Any) -> dict[str, Any]:
    return {name: np.asarray(_record(state)[name]).tolist() for name in STATE_DTYPE.names}


def parse_action(text: str) -> int:
    if text not in map(str, range(NUM_ACTIONS)):
        raise ValueError(f"action {text!r}: a number in 0..{NUM_ACTIONS - 1} is needed")
    return int(text)


GAME = Game(
    module=__name__,
    name="cards",
    title="Cards",
    options=(
        Option("num_players", 2, "players at the table", 2, SEATS),
        Option("length", 8, "the fewest decisions of a game", 1, 100),
    ),
    num_actions=NUM_ACTIONS,
    action_hash="toy actions",
    observation_size=OBSERVATION_SIZE,
    observation_hash="toy observation",
    observation_scale=np.array([1] * CARDS + [4] * (OBSERVATION_SIZE - CARDS), np.float32),
    state_size=STATE_SIZE,
    state_hash=layout_hash(STATE_DTYPE),
    entry_points=harness.EntryPoints(
        {
            harness.BEGIN: begin,
            harness.PLAY: play,
            harness.LEGAL: list_legal,
            harness.OBSERVE: write_observation,
            harness.RESULTS: write_results,
        },
        {
            harness.SEAT_AT: STATE_DTYPE.fields["seat"][1],  # type: ignore[index]
            harness.PLAYERS_AT: STATE_DTYPE.fields["num_players"][1],  # type: ignore[index]
            harness.STATE_SIZE: STATE_SIZE,
            harness.NUM_ACTIONS: NUM_ACTIONS,
            harness.OBSERVATION_SIZE: OBSERVATION_SIZE,
            harness.SEATS: SEATS,
        },
    ),
    load=lambda source: COMPONENTS,
    used_size=lambda num_players: CARDS + SEATS,
    decision_of=lambda state: "OVER" if _record(state).seat < 0 else "ANSWER",
    action_text=str,
    parse_action=parse_action,
    to_dict=to_dict,
    from_dict=from_dict,
    check_state=lambda state, rules: None,
    why_illegal=lambda state, rules, action: "",
    describe=lambda content, rules: f"card {content['card']}",
    sentence=lambda action, content, rules: f"player {content['seat']} answers {action}",
    bounds=lambda rules, options: Bounds(64, 1000, 103, 0, 103),
)

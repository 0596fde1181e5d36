"""A toy game, declared as a `Game`: nothing above the games needs more.

A race for 2 to 6. A die is rolled for each turn; its player runs that far, rests for a token (three at most), or pays a
token to run twice as far. The round in which somebody has run 20 is the last; who has run farthest wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from dunaia_env.compile_cache import c_function, kernel
from dunaia_env.harness import entry_points as harness
from dunaia_env.harness.chance import CHANCE_SIZE, ROLL, draw
from dunaia_env.harness.entry_points import ENDING_SIZE, MOST_OPTIONS, NO_ACTION, ROUNDS, STOPPED, array_at
from dunaia_env.harness.game import Bounds, Game, Option
from dunaia_env.harness.lane import layout_hash

MIN_PLAYERS, MAX_PLAYERS = 2, 6
ACTIONS = ("run", "rest", "double")
RUN, REST, DOUBLE = range(3)
NUM_ACTIONS, ACTION_HASH = len(ACTIONS), "race actions"
OBSERVATION_SIZE, OBSERVATION_HASH = 2 + 2 * MAX_PLAYERS, "race observation"
OBSERVATION_SCALE = np.full(OBSERVATION_SIZE, 20, np.float32)
COUNTS = ("num_players", "seat", "turn", "die", "laps", "truncated")
_FIELDS = [
    ("num_players", np.int8),
    ("seat", np.int8),
    *((name, np.int16) for name in COUNTS[2:]),
    ("run", np.int16, (MAX_PLAYERS,)),
    ("tokens", np.int16, (MAX_PLAYERS,)),
]
STATE_DTYPE = np.dtype((np.record, np.dtype(_FIELDS, align=True)))
STATE_SIZE, STATE_HASH = STATE_DTYPE.itemsize, layout_hash(STATE_DTYPE)
MOST_TOKENS = 3


def load(source: Any) -> Any:
    """The rule set is one byte: the distance of the race."""
    if source is not None and not isinstance(source, int):
        return source
    goal = 20 if source is None else source
    return SimpleNamespace(buffer=np.array([goal], np.uint8), hash=f"race to {goal}")


def _record(state: Any) -> Any:
    return state.view(STATE_DTYPE)[0]


def used_size(num_players: int) -> int:
    return OBSERVATION_SIZE


def decision_of(state: Any) -> str:
    return "OVER" if _record(state).seat < 0 else "TURN"


@kernel
def list_actions(s, legal):
    if s.seat < 0:
        return 0
    legal[0] = RUN
    count = 1
    if s.tokens[s.seat] < MOST_TOKENS:
        legal[count] = REST
        count += 1
    if s.tokens[s.seat] > 0:
        legal[count] = DOUBLE
        count += 1
    return count


@c_function("voidptr, voidptr, voidptr, voidptr")
def begin(state, rules, chance, options):
    s, chosen = array_at(state, 1, STATE_DTYPE)[0], array_at(options, MOST_OPTIONS, np.int64)
    s.num_players, s.laps = chosen[0], chosen[2]
    s.seat = 0
    s.turn = 0
    s.truncated = 0
    for seat in range(MAX_PLAYERS):
        s.run[seat] = 0
        s.tokens[seat] = chosen[1] if seat < chosen[0] else 0
    s.die = draw(array_at(chance, CHANCE_SIZE, np.int64), ROLL, 0, 0, 6) + 1
    return 0


@c_function("voidptr, voidptr, voidptr, int64, voidptr")
def play(state, rules, chance, action, legal):
    s, goal = array_at(state, 1, STATE_DTYPE)[0], array_at(rules, 1, np.uint8)[0]
    actions = array_at(legal, NUM_ACTIONS, np.int16)
    if action == NO_ACTION:
        return list_actions(s, actions)
    players = int(s.num_players)
    if action == REST:
        s.tokens[s.seat] += 1
    else:
        s.run[s.seat] += s.die * (2 if action == DOUBLE else 1)
        s.tokens[s.seat] -= 1 if action == DOUBLE else 0
    s.turn += 1
    won = False
    for seat in range(players):
        won = won or s.run[seat] >= goal
    if s.turn % players == 0 and (won or s.turn // players == s.laps):
        s.seat = -1
        s.die = 0
        s.truncated = 0 if won else 1
        return 0
    s.seat = s.turn % players
    s.die = draw(array_at(chance, CHANCE_SIZE, np.int64), ROLL, int(s.turn), 0, 6) + 1
    return list_actions(s, actions)


@c_function("voidptr, voidptr, voidptr")
def list_legal(state, rules, legal):
    return list_actions(array_at(state, 1, STATE_DTYPE)[0], array_at(legal, NUM_ACTIONS, np.int16))


@c_function("voidptr, voidptr, int64, voidptr")
def write_observation(state, rules, seat, out):
    s, seen = array_at(state, 1, STATE_DTYPE)[0], array_at(out, OBSERVATION_SIZE, np.int8)
    players = int(s.num_players)
    seen[:] = 0
    seen[0] = s.die
    seen[1] = array_at(rules, 1, np.uint8)[0]
    for offset in range(players):
        other = (seat + offset) % players
        seen[2 + 2 * offset] = s.run[other]
        seen[3 + 2 * offset] = s.tokens[other]
    return 0


@c_function("voidptr, voidptr, voidptr, voidptr, voidptr")
def write_results(state, rules, scores, ranks, ending):
    s, length = array_at(state, 1, STATE_DTYPE)[0], array_at(ending, ENDING_SIZE, np.int32)
    points, places = array_at(scores, MAX_PLAYERS, np.int32), array_at(ranks, MAX_PLAYERS, np.int8)
    points[:] = 0
    places[:] = 0
    for seat in range(s.num_players):
        points[seat] = s.run[seat]
        places[seat] = 1
        for other in range(s.num_players):
            places[seat] += 1 if s.run[other] > s.run[seat] else 0
    length[ROUNDS] = s.turn // s.num_players
    length[STOPPED] = s.truncated
    return 0


ENTRY_POINTS = harness.EntryPoints(
    {
        harness.BEGIN: begin,
        harness.PLAY: play,
        harness.LEGAL: list_legal,
        harness.OBSERVE: write_observation,
        harness.RESULTS: write_results,
    },
    {
        harness.SEAT_AT: STATE_DTYPE.fields["seat"][1],
        harness.PLAYERS_AT: STATE_DTYPE.fields["num_players"][1],
        harness.STATE_SIZE: STATE_SIZE,
        harness.NUM_ACTIONS: NUM_ACTIONS,
        harness.OBSERVATION_SIZE: OBSERVATION_SIZE,
        harness.SEATS: MAX_PLAYERS,
    },
)


# Texts


def action_text(action: int) -> str:
    return ACTIONS[action]


def parse_action(text: str) -> int:
    if text not in ACTIONS:
        raise ValueError(f"action {text!r}: one of {', '.join(ACTIONS)} is needed")
    return ACTIONS.index(text)


def to_dict(state: Any, rules: Any) -> dict[str, Any]:
    s = _record(state)
    players = int(s.num_players)
    lists = {"run": s.run[:players].tolist(), "tokens": s.tokens[:players].tolist()}
    counts = {name: int(s[name]) for name in COUNTS}
    return counts | lists | {"round": int(s.turn) // players, "truncated": bool(s.truncated)}


def from_dict(content: Mapping[str, Any], rules: Any) -> Any:
    state = np.zeros(STATE_SIZE, np.uint8)
    s = _record(state)
    for name in COUNTS:
        s[name] = content[name]
    for name in ("run", "tokens"):
        s[name][: s.num_players] = content[name]
    return state


def check_state(state: Any, rules: Any) -> None:
    players = int(_record(state).num_players)
    if not MIN_PLAYERS <= players <= MAX_PLAYERS:
        raise ValueError(f"state: {players} players; {MIN_PLAYERS}..{MAX_PLAYERS} are needed")


def why_illegal(state: Any, rules: Any, action: int) -> str:
    return ""


def describe(content: Mapping[str, Any], rules: Any) -> str:
    return f"{content['run']} of {rules.buffer[0]}, die {content['die']}"


def sentence(action: str, content: Mapping[str, Any], rules: Any) -> str:
    return f"player {content['seat']}: {action}"


GAME = Game(
    module=__name__,
    name="race",
    title="Race",
    options=(
        Option("num_players", 2, "players at the table", MIN_PLAYERS, MAX_PLAYERS),
        Option("tokens", 0, "tokens at the start", 0, MOST_TOKENS),
        Option("laps", 100, "rounds after which the race is stopped", 1, 1000),
    ),
    num_actions=NUM_ACTIONS,
    action_hash=ACTION_HASH,
    observation_size=OBSERVATION_SIZE,
    observation_hash=OBSERVATION_HASH,
    observation_scale=OBSERVATION_SCALE,
    state_size=STATE_SIZE,
    state_hash=STATE_HASH,
    entry_points=ENTRY_POINTS,
    load=load,
    used_size=used_size,
    decision_of=decision_of,
    action_text=action_text,
    parse_action=parse_action,
    to_dict=to_dict,
    from_dict=from_dict,
    check_state=check_state,
    why_illegal=why_illegal,
    describe=describe,
    sentence=sentence,
    bounds=lambda rules, options: Bounds(6, 10_000, 10_000, 0, 10_000),
)

"""A toy game that fulfils `dunaia_env.game.GameModule` in plain NumPy: nothing above the games needs more.

A race for 2 to 4. A die is rolled for each turn; its player runs that far, rests for a token (three at most), or pays a
token to run twice as far. The round in which somebody has run 20 is the last; who has run farthest wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from dunaia_env.chance import CHANCE_SIZE, MODE, RANDOM_PLAY, ROLL, SEED, STREAM, draw, game_seed, random_below
from dunaia_env.lane import LANE_DTYPE, layout_hash

NAME = "race"
MIN_PLAYERS, MAX_PLAYERS = 2, 4
ACTIONS = ("run", "rest", "double")
RUN, REST, DOUBLE = range(3)
NUM_ACTIONS, ACTION_HASH = len(ACTIONS), "race actions"
OBSERVATION_SIZE, OBSERVATION_HASH = 2 + 2 * MAX_PLAYERS, "race observation"
OBSERVATION_SCALE = np.full(OBSERVATION_SIZE, 20, np.float32)
COUNTS = ("num_players", "seat", "turn", "die", "max_rounds", "truncated")
_FIELDS = [*((name, np.int16) for name in COUNTS), ("run", np.int16, (4,)), ("tokens", np.int16, (4,))]
STATE_DTYPE = np.dtype((np.record, np.dtype(_FIELDS)))
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


def seat_of(state: Any) -> int:
    return int(_record(state).seat)


def players_of(state: Any) -> int:
    return int(_record(state).num_players)


def decision_of(state: Any) -> str:
    return "OVER" if seat_of(state) < 0 else "TURN"


def begin_game(state: Any, rules: Any, chance: Any, players: int, elites: bool, rounds: int, legal: Any) -> int:
    state[:] = 0
    s = _record(state)
    s.num_players, s.max_rounds = players, rounds
    s.tokens[:players] = elites
    s.die = draw(chance, ROLL, 0, 0, 6) + 1
    return list_legal(state, rules, legal)


def play_action(state: Any, rules: Any, chance: Any, action: int, legal: Any) -> int:
    s = _record(state)
    seat, players = int(s.seat), int(s.num_players)
    s.run[seat] += int(s.die) * (0, 1, 2)[(REST, RUN, DOUBLE).index(action)]
    s.tokens[seat] += (0, 1, -1)[action]
    s.turn += 1
    rounds = int(s.turn) // players
    is_won = bool((s.run >= rules[0]).any())
    if int(s.turn) % players == 0 and (is_won or rounds == s.max_rounds):
        s.seat, s.die, s.truncated = -1, 0, not is_won
        return 0
    s.seat = int(s.turn) % players
    s.die = draw(chance, ROLL, int(s.turn), 0, 6) + 1
    return list_legal(state, rules, legal)


def list_legal(state: Any, rules: Any, legal: Any) -> int:
    s = _record(state)
    if s.seat < 0:
        return 0
    tokens = int(s.tokens[s.seat])
    actions = [RUN] + [REST] * (tokens < MOST_TOKENS) + [DOUBLE] * (tokens > 0)
    legal[: len(actions)] = actions
    return len(actions)


def write_observation(state: Any, rules: Any, seat: int, out: Any) -> None:
    s = _record(state)
    players = int(s.num_players)
    out[:] = 0
    out[0], out[1] = s.die, rules[0]
    for offset in range(players):
        other = (seat + offset) % players
        out[2 + 2 * offset], out[3 + 2 * offset] = s.run[other], s.tokens[other]


def write_results(state: Any, rules: Any, scores: Any, ranks: Any) -> None:
    s = _record(state)
    run = s.run[: s.num_players]
    scores[:], ranks[:] = 0, 0
    scores[: len(run)] = run
    ranks[: len(run)] = 1 + (run[None] > run[:, None]).sum(axis=1)


# Many games: the same for every game but for the record of a state.


def _stream(seed: int) -> Any:
    chance = np.zeros(CHANCE_SIZE, np.int64)
    chance[MODE], chance[SEED] = STREAM, seed
    return chance


def _begin(state: Any, lane: Any, rules: Any, legal: Any) -> None:
    options = int(lane.num_players), bool(lane.elites), int(lane.max_rounds)
    lane.decisions = 0
    lane.legal_count = begin_game(state, rules, _stream(lane.seed), *options, legal)
    _play_random_seats(state, lane, rules, legal)


def _play(state: Any, lane: Any, rules: Any, action: int, legal: Any) -> None:
    lane.legal_count = play_action(state, rules, _stream(lane.seed), action, legal)
    lane.decisions += 1


def _play_random_seats(state: Any, lane: Any, rules: Any, legal: Any) -> None:
    while lane.legal_count and lane.random_seats[seat := seat_of(state)]:
        count, part = int(lane.legal_count), int(lane.random_seeds[seat])
        choice = random_below(lane.seed, RANDOM_PLAY, int(lane.decisions), part, count)
        _play(state, lane, rules, int(legal[choice]), legal)


def _end(state: Any, lane: Any, rules: Any) -> None:
    s = _record(state)
    lane.ended, lane.truncated, lane.rounds = 1, s.truncated, s.turn // s.num_players
    lane.last_seed, lane.last_decisions = lane.seed, lane.decisions
    write_results(state, rules, lane.scores, lane.ranks)


def _show(state: Any, lane: Any, rules: Any, legal: Any, mask: Any, seen: Any) -> None:
    lane.seat = seat_of(state)
    mask[:], seen[:] = 0, 0
    mask[legal[: lane.legal_count]] = 1
    if lane.seat >= 0:
        write_observation(state, rules, int(lane.seat), seen)


def begin_lanes(
    states: Any, lanes: Any, rules: Any, legal: Any, masks: Any, seen: Any, selected: Any, start: int, stop: int
) -> None:
    for i in selected[start:stop]:
        lane = lanes[i].view(LANE_DTYPE)[0]
        lane.ended = 0
        _begin(states[i], lane, rules, legal[i])
        if not lane.legal_count:
            _end(states[i], lane, rules)
        _show(states[i], lane, rules, legal[i], masks[i], seen[i])


def step_lanes(
    states: Any,
    lanes: Any,
    rules: Any,
    actions: Any,
    legal: Any,
    masks: Any,
    seen: Any,
    selected: Any,
    start: int,
    stop: int,
) -> None:
    for k in range(start, stop):
        i = selected[k]
        lane = lanes[i].view(LANE_DTYPE)[0]
        lane.ended = 0
        if lane.seat < 0:
            continue
        _play(states[i], lane, rules, int(actions[k]), legal[i])
        _play_random_seats(states[i], lane, rules, legal[i])
        if not lane.legal_count:
            _end(states[i], lane, rules)
            if lane.restart:
                lane.game += 1
                lane.seed = game_seed(lane.base_seed, 0, lane.game)
                _begin(states[i], lane, rules, legal[i])
        _show(states[i], lane, rules, legal[i], masks[i], seen[i])


def refresh_lanes(
    states: Any, lanes: Any, rules: Any, legal: Any, masks: Any, seen: Any, selected: Any, start: int, stop: int
) -> None:
    for i in selected[start:stop]:
        lane = lanes[i].view(LANE_DTYPE)[0]
        lane.legal_count = list_legal(states[i], rules, legal[i])
        if lane.legal_count:
            _play_random_seats(states[i], lane, rules, legal[i])
            if not lane.legal_count:
                _end(states[i], lane, rules)
        _show(states[i], lane, rules, legal[i], masks[i], seen[i])


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


def warm_up_calls() -> list[Any]:
    """Nothing is compiled."""
    return []


def describe(content: Mapping[str, Any], rules: Any) -> str:
    return f"{content['run']} of {rules.buffer[0]}, die {content['die']}"


def sentence(action: str, content: Mapping[str, Any], rules: Any) -> str:
    return f"player {content['seat']}: {action}"

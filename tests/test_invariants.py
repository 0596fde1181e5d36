"""What holds in every state of every game: nothing is lost or doubled, decisions are choices, copies are copies."""

from __future__ import annotations

import copy
import functools
import json
import pickle
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from dunaia_env import GameState, IllegalActionError, Lanes, Stream, Tape, dunaia
from dunaia_env.dunaia import STATE_DTYPE
from dunaia_env.harness.opponents import GreedyAgent
from tests.mixed_games import GAMES, ROUNDS, TABLES, actions_of, begin
from tests.sampling import sampled_as_plain

Content = dict[str, Any]

DICE = {2: 7, 3: 7, 4: 9}


class Step(NamedTuple):
    """One decision of a recorded game: the state, the action, the draws it took and the state after it."""

    state: GameState
    action: int
    draws: list[tuple[int, int]]
    after: GameState


@functools.cache
def game_of(players: int, elites: bool, seed: int) -> list[Step]:
    """A recorded game."""
    state, chance = begin(players, elites, seed)
    steps = []
    for action in actions_of(players, elites, seed):
        before = state.clone()
        state.apply(action, chance)
        steps.append(Step(before, action, chance.draws, state.clone()))
    assert state.is_over
    return steps


@functools.cache
def content_of(state: GameState) -> Content:
    """The state dictionary; nobody changes it."""
    return state.to_dict()


def steps_of(players: int, elites: bool, every: int = 1) -> Iterator[Step]:
    """Every so many steps of the recorded games of a table."""
    for seed in range(GAMES):
        yield from game_of(players, elites, seed)[seed % every :: every]


# Many games at once, as arrays.


def check_records(states: Any) -> None:
    """Conservation in an array of states of one number of players, some of them over."""
    players = int(states["num_players"][0])
    seats = states["players"][:, :players]
    tile, built, markers = seats["tile"], seats["built"], seats["markers"]
    # Tiles: each in exactly one place.
    places = [
        states["display"],
        states["pile_top"],
        states["found"][:, None],
        seats["reserved"],
        tile.reshape(len(states), -1),
    ]
    shown = np.concatenate([place.astype(int) for place in places], axis=1)
    counts = (shown[:, :, None] == np.arange(40)).sum(axis=1) + states["below_top"]
    assert (counts == 1).all()
    # Chips are plugged or not; tokens are in hand or on a building.
    assert np.isin(seats["chips"], (0, 1)).all()
    under_construction = ((tile >= 0) & (built == 0)).sum(axis=2)
    assert (seats["tokens"] + under_construction == 3).all()
    # Fragments and markers are on the common board or with a player.
    held = seats["fragments"].sum(axis=1) + seats["artefacts"].sum(axis=1)[:, None]
    assert (states["common_fragments"] + held == 12).all()
    assert np.isin(seats["fragments"], (0, 1)).all()
    assert (seats["fragments"].sum(axis=2) < 3).all()
    for colour in range(4):
        placed = (markers >> colour & 1).sum(axis=(1, 2))
        assert (states["common_markers"][:, colour] + placed == 3).all()
    assert (markers[tile < 0] == 0).all()
    # Buildings: steps, completion, dice on them.
    needed = np.array([*[2] * 16, *[3] * 12, *[4] * 12, 0])[tile]
    assert ((seats["steps"] == needed) == (built == 1))[tile >= 0].all()
    assert (seats["steps"] <= needed).all()
    assert (built[tile < 0] == 0).all()
    assert ((seats["occupied"] == 0) | ((built == 1) & (tile < 16))).all()
    # At most three Dunaias on an edge.
    crowd = (seats["dunaias"][..., None] == np.arange(12)).sum(axis=2)
    assert crowd.max() <= 3
    assert crowd.sum(axis=2).max() == crowd.sum(axis=2).min() == 6
    # Prophecies one of each group, elders different, flowers never negative.
    assert (states["prophecies"] // 3 == np.arange(3)).all()
    assert (np.diff(np.sort(states["elders"], axis=1), axis=1) > 0).all()
    assert (seats["flowers"] >= 0).all()
    check_dice(states, players)
    # Absent seats hold nothing.
    assert not states["players"][:, players:]["flowers"].any()
    assert (states["players"][:, players:]["tile"] == -1).all()
    assert not states["own_dice"][:, players:].any()


def check_dice(states: Any, players: int) -> None:
    """Every die is in the pool until it is chosen, one a turn, and the pool is empty exactly when a turn starts."""
    total = DICE[players]
    on = states[states["decision"] != 13]
    if not len(on):
        return
    neutral = on["neutral_dice"].sum(axis=1)
    own = (on["own_dice"][:, :players] != 0).sum(axis=1)
    drafting = on["decision"] == 0
    in_window_1 = (on["source"] >= 3) & (on["window"] == 1)
    chosen = ~drafting & (on["decision"] != 1) & ~in_window_1
    turn = (on["round_number"] - 1) * players + np.where(drafting, 0, on["seat"])
    assert (neutral + own == total - turn % total - chosen).all()
    # Own dice leave the pool after the neutral ones, each by its owner: nobody is ever stuck.
    assert ((neutral == 0) | (own == players)).all()
    choosing = on["decision"] == 1
    mine = on["own_dice"][np.arange(len(on)), on["seat"]]
    assert ((neutral > 0) | (mine != 0))[choosing].all()
    assert (neutral + own > 0)[choosing].all()
    lying = on["players"][:, :players]["occupied"].sum(axis=(1, 2))
    assert (lying <= turn % total + chosen).all()


@pytest.mark.compiled
@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_nothing_is_lost_or_doubled_in_many_random_games(players: int, elites: bool) -> None:
    lanes = Lanes(32, num_players=players, elites=elites, max_rounds=70)
    lanes.reset(10 * players + elites)
    finished = np.zeros(32, int)
    agent = GreedyAgent()
    half = np.arange(16)
    while finished.min() < 1:
        states = lanes.snapshot()["states"].view(STATE_DTYPE)[:, 0]
        check_records(states)
        # Every decision is a choice, listed in order, and the list is the mask.
        counts = lanes.legal_counts
        assert counts.min() >= 2
        listed = np.where(np.arange(lanes.num_actions) < counts[:, None], lanes.legal_actions, -1)
        for row, count, mask in zip(listed, counts, lanes.action_masks, strict=True):
            assert (np.diff(row[:count]) > 0).all()
            assert (np.flatnonzero(mask) == row[:count]).all()
        assert lanes.observations.min() >= 0
        assert (lanes.seats >= 0).all()
        actions = lanes.random_actions(3)
        actions[half] = agent.act_batch(lanes, half)
        lanes.step(actions)
        finished += lanes.terminations
        assert (lanes.final_rounds[lanes.terminations] <= 70).all()
        assert (lanes.max_rounds_reached[lanes.terminations] <= (lanes.final_rounds[lanes.terminations] == 70)).all()


# Single games, decision by decision.


@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_every_decision_is_a_choice(players: int, elites: bool) -> None:
    for step in steps_of(players, elites):
        legal = step.state.legal_actions()
        assert len(legal) >= 2
        assert legal == sorted(set(legal))
        assert np.flatnonzero(step.state.action_mask()).tolist() == legal
        assert 0 <= step.state.seat < players
        assert step.action in legal


@pytest.mark.compiled
@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_legal_actions_can_be_applied_and_all_others_are_refused(players: int, elites: bool) -> None:
    for step in steps_of(players, elites, every=60):
        before = step.state.to_bytes()
        legal = set(step.state.legal_actions())
        for action in range(-1, dunaia.NUM_ACTIONS + 1):
            if action in legal:
                child = step.state.clone()
                child.apply(action, 5)
                assert child != step.state
                assert GameState.from_dict(child.to_dict()) == child
            else:
                with pytest.raises(IllegalActionError):
                    step.state.apply(action, 5)
        assert step.state.to_bytes() == before


@pytest.mark.parametrize(("players", "elites"), sampled_as_plain(TABLES, 3))
def test_dictionaries_are_lossless_at_every_decision(players: int, elites: bool) -> None:
    for step in steps_of(players, elites, every=3):
        content = json.loads(json.dumps(step.after.to_dict()))
        again = GameState.from_dict(content)
        assert again == step.after
        assert again.legal_actions() == step.after.legal_actions()
        assert again.to_dict() == content


@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_copies_go_on_alike_and_leave_the_original_alone(players: int, elites: bool) -> None:
    for seed in range(2):
        steps = game_of(players, elites, seed)
        for start in range(0, len(steps), 60):
            original = steps[start].state
            before, legal = original.to_bytes(), original.legal_actions()
            copies = [
                original.clone(),
                copy.copy(original),
                copy.deepcopy(original),
                pickle.loads(pickle.dumps(original)),
                GameState(np.frombuffer(before, np.uint8)),
            ]
            for twin in copies:
                assert twin == original
                for step in steps[start : start + 12]:
                    twin.apply(step.action, Tape(step.draws))
                    assert twin == step.after
                    assert twin.legal_actions() == step.after.legal_actions()
            assert original.to_bytes() == before
            assert original.legal_actions() == legal


@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_a_state_holds_no_future(players: int, elites: bool) -> None:
    """A game played from a list of outcomes has the bytes of the seed's game: no seed and no order is in a state."""
    steps = game_of(players, elites, 0)
    setup = Stream(1000)
    GameState.new(setup, num_players=players, elites=elites, max_rounds=ROUNDS)
    state = GameState.new(Tape(setup.draws), num_players=players, elites=elites, max_rounds=ROUNDS)
    without_draws = 0
    for step in steps:
        assert state.to_bytes() == step.state.to_bytes()
        if not step.draws:
            # Nothing random happens here, so the seed cannot matter.
            for seed in (1, 2):
                child = step.state.clone()
                child.apply(step.action, seed)
                assert child == step.after
            without_draws += 1
        state.apply(step.action, Tape(step.draws))
    assert state == steps[-1].after
    assert without_draws > 100


@pytest.mark.compiled
@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_dice_are_rolled_exactly_when_the_pool_is_empty_at_a_turns_start(players: int, elites: bool) -> None:
    total, rolls = DICE[players], 0
    for seed in range(GAMES):
        for step in game_of(players, elites, seed):
            turns = [
                (content["round"] - 1) * players + content["seat"]
                for content in (content_of(step.state), content_of(step.after))
                if not content["over"] and content["decision"] != "DRAFT"
            ]
            dice = [n for n, _ in step.draws[-total:]]
            rolled = len(dice) == total and set(dice) == {6}
            if len(turns) == 2:
                assert rolled == (turns[0] // total < turns[1] // total)
                rolls += rolled
            else:
                assert not rolled
    assert rolls > 10


@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_games_end(players: int, elites: bool) -> None:
    for seed in range(GAMES):
        last = game_of(players, elites, seed)[-1].after
        content = last.to_dict()
        assert last.is_over
        assert content["round"] <= ROUNDS
        assert content["truncated"] == (content["final_round"] != content["round"])
        if content["truncated"]:
            assert content["round"] == ROUNDS
        with pytest.raises(IllegalActionError, match="legal: none, the game is over"):
            last.clone().apply("pass", 0)


@pytest.mark.parametrize(("players", "elites"), sampled_as_plain(TABLES, 3))
def test_the_end_comes_one_whole_round_after_its_trigger(players: int, elites: bool) -> None:
    for step in steps_of(players, elites):
        before, after = content_of(step.state), content_of(step.after)
        if before["final_round"] is None and after["final_round"] is not None:
            assert after["final_round"] == before["round"] + 1
        elif before["final_round"] is not None:
            assert after["final_round"] == before["final_round"]
        owners = [prophecy["owner"] for prophecy in after["prophecies"]]
        full = [all(s and s["built"] for s in player["squares"]) for player in after["players"]]
        assert (after["final_round"] is not None) == (min(owners) >= 0 or any(full))


# Points, written once more from the rules.

GREEN, YELLOW, PURPLE, RED = range(4)
NORTH, EAST, SOUTH, WEST = range(4)
ARROWS_OF_LEVEL_3 = {
    28: (RED, (NORTH, WEST)),
    29: (YELLOW, (EAST, SOUTH)),
    30: (GREEN, (NORTH, WEST)),
    31: (PURPLE, (EAST, SOUTH)),
    32: (YELLOW, (NORTH, WEST)),
    33: (RED, (EAST, SOUTH)),
    34: (PURPLE, (NORTH, WEST)),
    35: (GREEN, (EAST, SOUTH)),
}


def level_of(tile: int) -> int:
    return 1 + (tile >= 16) + (tile >= 28)


def colours_of(square: Content) -> set[int]:
    tile = square["tile"]
    if tile < 28:
        printed = {tile % 4}
    elif tile < 36:
        printed = {(tile - 28) // 2}
    else:
        printed = {GREEN, YELLOW, PURPLE, RED}
    return printed | set(square["colours"])


def pointed_building(squares: list[Content | None], square: int, side: int) -> Content | None:
    """The completed building beside a square, None where there is none."""
    row, column = divmod(square, 3)
    row += {NORTH: -1, SOUTH: 1}.get(side, 0)
    column += {WEST: -1, EAST: 1}.get(side, 0)
    if not (0 <= row < 3 and 0 <= column < 3):
        return None
    building = squares[3 * row + column]
    return building if building and building["built"] else None


def counted_arrows(squares: list[Content | None], square: int, colour: int, sides: tuple[int, ...]) -> int:
    pointed = [pointed_building(squares, square, side) for side in sides]
    return sum(1 for building in pointed if building and colour in colours_of(building))


def points_of(content: Content, seat: int) -> int:
    player = content["players"][seat]
    points = 0
    for square, building in enumerate(player["squares"]):
        if building and building["built"]:
            points += level_of(building["tile"])
            if building["tile"] in ARROWS_OF_LEVEL_3:
                colour, sides = ARROWS_OF_LEVEL_3[building["tile"]]
                points += 2 * counted_arrows(player["squares"], square, colour, sides)
    points += sum(2 + prophecy["id"] % 3 for prophecy in content["prophecies"] if prophecy["owner"] == seat)
    artefacts = player["artefacts"]
    points += [0, 1, 3, 6, 10, 14][artefacts] if artefacts <= 5 else 14 + 4 * (artefacts - 5)
    return points + player["flowers"] // 3


@pytest.mark.parametrize(("players", "elites"), sampled_as_plain(TABLES, 3))
def test_scores_and_ranks_are_those_of_the_rules(players: int, elites: bool) -> None:
    ends, shared = [steps[-1] for steps in (game_of(players, elites, seed) for seed in range(GAMES))], 0
    for step in [*steps_of(players, elites, every=10), *ends]:
        content = step.after.to_dict()
        points = [points_of(content, seat) for seat in range(players)]
        assert step.after.scores() == content["scores"] == points
        standing = [
            (
                points[seat],
                sum(prophecy["owner"] == seat for prophecy in content["prophecies"]),
                content["players"][seat]["flowers"],
            )
            for seat in range(players)
        ]
        ranks = [1 + sum(other > own for other in standing) for own in standing]
        assert step.after.ranks() == ranks
        shared += len(set(ranks)) < players
    assert shared > 0


# Where flowers come from.


def waking_flowers(content: Content, player: Content, square: int) -> int:
    """Flowers of waking the Dunaia in hand beside a square."""
    building = player["squares"][square]
    if building is None:
        return int(square % 2 == 0)
    tile = building["tile"]
    if not building["built"] or not 16 <= tile < 28:
        return 0
    sides = (NORTH, EAST, SOUTH, WEST) if tile < 20 else (NORTH, SOUTH)
    return int(tile < 20) + counted_arrows(player["squares"], square, tile % 4, sides)


def with_a_step(player: Content, square: int) -> Content:
    """The player after an advance of the building on a square, if one is under construction there."""
    after = copy.deepcopy(player)
    building = after["squares"][square]
    if building and not building["built"]:
        building["steps"] += 1
        building["built"] = building["steps"] == 1 + level_of(building["tile"])
    return after


EDGES = [(0, 1), (1, 2), (3, 4), (4, 5), (6, 7), (7, 8), (0, 3), (1, 4), (2, 5), (3, 6), (4, 7), (5, 8)]


def price_of(content: Content, player: Content, offer: int) -> int:
    if offer == 6:
        price = level_of(player["reserved"])
    elif offer == 7:
        price = level_of(content["pending"]["found"]) + 1
    else:
        price = offer // 2 + 1 + offer % 2
    return max(price - (player["character"] == 0), 0)


def allowed_changes(content: Content, verb: str, numbers: list[int]) -> set[tuple[int, int]]:
    """Possible changes of the deciding player's flowers, and of another player's, by an action and what it forces."""
    player = content["players"][content["seat"]]
    pending = content["pending"]
    later = {(0, 0)}
    cancels = pending.get("woken_moved") or (verb == "move" and numbers[0] == content["woken"])
    if "second_square" in pending and not cancels:
        later.add((waking_flowers(content, player, pending["second_square"]), 0))
    if verb == "awaken":
        edge = EDGES[player["dunaias"][content["die"] - 1]]
        first, second = numbers[0], edge[1 - edge.index(numbers[0])]
        gain = waking_flowers(content, player, first)
        return {(gain, 0), (gain + waking_flowers(content, with_a_step(player, first), second), 0)}
    if verb == "flower":
        return {(1, 0)}
    if verb == "use":
        seat = (content["seat"] + numbers[0]) % len(content["players"])
        tile = content["players"][seat]["squares"][numbers[1]]["tile"]
        gain = 3 if tile < 4 else 0
        return {(gain, 0)} if numbers[0] == 0 else {(gain - 1, 1)}
    if verb == "start":
        return {(-price_of(content, player, numbers[0]), 0)}
    if verb in ("call", "discard"):
        space = numbers[0] if verb == "call" else pending.get("elder_space")
        gain = 2 if space is None or content["elders"][space] == 0 else 0
        return {(0, 0), (gain, 0)}
    if verb == "power":
        return {(-2, 0)} if player["character"] == 2 else {(0, 0), (2, 0)}
    if verb == "search":
        # With one empty square the tile is placed at once.
        level = level_of(numbers[0])
        return {(0, 0), (-max(level + 1 - (player["character"] == 0), 0), 0)}
    if verb in ("move", "plug", "pass"):
        return later
    return {(0, 0)}


@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_flowers_come_and_go_only_as_the_rules_say(players: int, elites: bool) -> None:
    seen = set()
    for step in steps_of(players, elites):
        before, after = content_of(step.state), content_of(step.after)
        verb, *words = dunaia.action_text(step.action).split()
        changes = [
            new["flowers"] - old["flowers"] for old, new in zip(before["players"], after["players"], strict=True)
        ]
        own = changes.pop(before["seat"])
        assert sum(change != 0 for change in changes) <= 1
        assert (own, sum(changes)) in allowed_changes(before, verb, [int(word) for word in words]), (verb, words)
        seen.add(verb)
    assert {"awaken", "flower", "use", "start", "move", "plug", "call", "discard", "pass"} <= seen


@pytest.mark.slow
@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_nothing_is_lost_or_doubled_in_long_games(players: int, elites: bool) -> None:
    """Games without a bound on their rounds that matters."""
    lanes = Lanes(64, num_players=players, elites=elites, max_rounds=1000)
    lanes.reset(99)
    finished = np.zeros(64, bool)
    while not finished.all():
        check_records(lanes.snapshot()["states"].view(STATE_DTYPE)[:, 0])
        lanes.step(lanes.random_actions(1))
        finished |= lanes.terminations

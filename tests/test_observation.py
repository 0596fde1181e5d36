"""What a player sees: the layout, the views by name, and what the numbers say."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from importlib import resources
from typing import Any

import numpy as np
import pytest

from dunaia_env import GameState, Lanes, Stream, dunaia
from dunaia_env.dunaia import OBSERVATION_HASH, OBSERVATION_LAYOUT, OBSERVATION_SCALE, OBSERVATION_SIZE, STATE_DTYPE
from dunaia_env.dunaia.components import parse
from dunaia_env.dunaia.observation import pieces_of, used_size
from dunaia_env.harness.opponents import GreedyAgent, RandomAgent
from tests.sampling import sampled_as_plain

Content = dict[str, Any]
TABLES = [(players, elites) for players in (2, 3, 4) for elites in (False, True)]
DICE = {2: 7, 3: 7, 4: 9}


@functools.cache
def states_of(players: int, elites: bool) -> list[GameState]:
    """Every ninth state of a game of greedy and random seats."""
    chance = Stream(31)
    state = GameState.new(chance, num_players=players, elites=elites, max_rounds=40)
    agents = [GreedyAgent() if seat % 2 else RandomAgent(seat) for seat in range(players)]
    states = []
    while not state.is_over:
        states.append(state.clone())
        state.apply(agents[state.seat].act(state), chance)
    return [*states[::9], state]


def test_pieces_lie_one_after_the_other_and_fill_the_observation() -> None:
    first = 0
    for piece in OBSERVATION_LAYOUT:
        assert piece.first == first
        assert piece.size == np.prod(piece.shape)
        assert piece.size >= 1
        assert piece.scale >= 1
        assert piece.meaning
        first += piece.size
    assert first == OBSERVATION_SIZE <= 2100
    names = [piece.name for piece in OBSERVATION_LAYOUT]
    assert len(set(names)) == len(names)
    assert len(OBSERVATION_HASH) == 16
    assert OBSERVATION_SCALE.shape == (OBSERVATION_SIZE,)
    for piece in OBSERVATION_LAYOUT:
        assert (OBSERVATION_SCALE[piece.first : piece.first + piece.size] == piece.scale).all()


def test_the_observers_blocks_come_before_those_of_the_others() -> None:
    order = [piece.name.split(".")[0].split("_")[0] for piece in OBSERVATION_LAYOUT]
    blocks = [name for i, name in enumerate(order) if i == 0 or order[i - 1] != name]
    assert blocks[-2:] == ["own", "seat"]
    seats = [piece.name.split(".")[0] for piece in OBSERVATION_LAYOUT if piece.name.startswith("seat_")]
    assert seats == sorted(seats)
    assert set(seats) == {"seat_1", "seat_2", "seat_3"}


@pytest.mark.parametrize("shape", [(), (5,), (2, 3)])
def test_views_by_name_share_the_observations_memory(shape: tuple[int, ...]) -> None:
    observations = np.zeros((*shape, OBSERVATION_SIZE), np.int8)
    views = pieces_of(observations)
    assert list(views) == [piece.name for piece in OBSERVATION_LAYOUT]
    for number, piece in enumerate(OBSERVATION_LAYOUT):
        view = views[piece.name]
        assert view.shape == shape + piece.shape
        assert np.shares_memory(view, observations)
        view[...] = number % 100
        assert (observations[..., piece.first : piece.first + piece.size] == number % 100).all()


@pytest.mark.compiled
@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_values_are_within_the_space_and_entries_of_absent_seats_are_zero(players: int, elites: bool) -> None:
    used = 0
    for state in states_of(players, elites):
        for seat in range(players):
            seen = state.observation(seat)
            assert seen.dtype == np.int8
            assert seen.shape == (OBSERVATION_SIZE,)
            assert seen.min() >= 0
            assert not seen[used_size(players) :].any()
            used = max(used, int(np.flatnonzero(seen)[-1]) + 1)
    assert used <= used_size(players)
    assert used > used_size(players) - 80  # the last seat's block is in use
    assert used_size(4) == OBSERVATION_SIZE


@pytest.mark.compiled
def test_an_observation_does_not_change_the_state_and_is_the_observers_own() -> None:
    state = states_of(3, True)[20]
    before = state.to_bytes()
    seen = state.observation(1)
    seen[:] = 7
    assert state.to_bytes() == before
    assert (state.observation() == state.observation(state.seat)).all()
    assert (state.observation(1) != seen).any()


def rotated(content: Content, seat: int, total: int) -> Content:
    """The same position with the seats counted from ``seat``, in a round where as many dice are left."""
    players = len(content["players"])
    turn = (content["round"] - 1) * players + content["seat"]
    mover = (content["seat"] - seat) % players
    round_number = next(r for r in range(1, total + 1) if ((r - 1) * players + mover - turn) % total == 0)
    shift = round_number - content["round"]

    def turned(values: list[Any]) -> list[Any]:
        return values[seat:] + values[:seat]

    return {
        **content,
        "seat": mover,
        "round": round_number,
        "final_round": content["final_round"] and content["final_round"] + shift,
        "dice": {**content["dice"], "own": turned(content["dice"]["own"])},
        "prophecies": [
            {**each, "owner": -1 if each["owner"] < 0 else (each["owner"] - seat) % players}
            for each in content["prophecies"]
        ],
        "players": turned(content["players"]),
        "scores": turned(content["scores"]),
    }


@pytest.mark.parametrize(("players", "elites"), sampled_as_plain(TABLES, 3))
def test_an_observation_is_counted_from_the_observer(players: int, elites: bool) -> None:
    """What seat k sees is what seat 0 sees when the seats are renamed; only the round and the seat are absolute."""
    compared = 0
    for state in states_of(players, elites):
        content = state.to_dict()
        if content["over"] or content["decision"] == "DRAFT":
            continue
        for seat in range(players):
            turned = rotated(content, seat, DICE[players])
            if turned["final_round"] is not None and turned["final_round"] < 1:
                continue
            other = GameState.from_dict(turned)
            ours, theirs = pieces_of(state.observation(seat)), pieces_of(other.observation(0))
            for name, view in ours.items():
                if name not in ("seat", "round", "rounds_left"):
                    assert (view == theirs[name]).all(), name
            assert np.flatnonzero(ours["seat"]).tolist() == [seat]
            assert np.flatnonzero(theirs["seat"]).tolist() == [0]
            compared += 1
    assert compared > 40


@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_the_common_pieces_say_what_the_dictionary_says(players: int, elites: bool) -> None:
    for state in states_of(players, elites):
        content, seat = state.to_dict(), players - 1
        pieces = pieces_of(state.observation(seat))
        ones = {name: np.flatnonzero(view).tolist() for name, view in pieces.items()}
        over = content["over"]
        decisions = (
            "DRAFT CHOOSE_DIE AWAKEN RECYCLE BEFORE_PROPHECY END_TURN MOVE PLUG DISCARD ADVANCE SEARCH PLACE COLOUR"
        )
        assert ones["decision"] == ([] if over else [decisions.split().index(content["decision"])])
        assert ones["players"] == [players - 2]
        assert ones["deciding"] == ([] if over else [(content["seat"] - seat) % players])
        assert pieces["round"] == content["round"]
        assert pieces["rounds_left"] == 40 - content["round"]
        ending = content["final_round"]
        assert pieces["ending"].tolist() == [ending is not None, ending == content["round"]]
        assert pieces["neutral_dice"].tolist() == content["dice"]["neutral"]
        assert ones["die"] == ([content["die"] - 1] if content["die"] else [])
        assert ones["woken"] == ([content["woken"] - 1] if content["woken"] else [])
        assert pieces["elders"].argmax(axis=1).tolist() == content["elders"]
        assert pieces["elder_costs"].tolist() == [[1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 1, 1]]
        assert pieces["common_fragments"].tolist() == content["fragments"]
        assert pieces["common_markers"].tolist() == content["colour_markers"]
        assert pieces["pile_sizes"].tolist() == [len(pile) for pile in content["piles"]]
        check_piles(pieces, content)
        assert ones["characters_available"] == content["characters_available"]
        assert pieces["prophecies"][:, 6].tolist() == [2 + each["id"] % 3 for each in content["prophecies"]]
        for row, each in zip(pieces["prophecy_owners"], content["prophecies"], strict=True):
            owner = each["owner"]
            assert np.flatnonzero(row).tolist() == ([] if owner < 0 else [(owner - seat) % players])


def check_piles(pieces: dict[str, Any], content: Content) -> None:
    tops = [tile for tile in content["pile_top"] if tile >= 0]
    tiles = sorted(tops + [tile for pile in content["piles"] for tile in pile])
    assert np.flatnonzero(pieces["piles.top"]).tolist() == tops
    shown = np.concatenate([pieces[f"piles.{name}"] for name in ("colours", "effect", "arrows", "steps")])
    assert np.flatnonzero(shown.any(axis=0)).tolist() == tiles
    for tile in tiles:
        level = level_index(tile)
        printed = [tile % 4] if tile < 28 else [(tile - 28) // 2] if tile < 36 else [0, 1, 2, 3]
        assert np.flatnonzero(pieces["piles.colours"][:, tile]).tolist() == printed
        assert pieces["piles.steps"][0, tile] == level + 2
        effect = np.flatnonzero(pieces["piles.effect"][:, tile]).tolist()
        # Effects stand in the order flowers, chips, moves, advances.
        assert effect == ([[0, 2, 3, 1][tile // 4]] if level == 0 else [[0, 1, 2][tile // 4 - 4]] if level == 1 else [])
        assert np.count_nonzero(pieces["piles.arrows"][:, tile]) == (0 if level == 0 or tile >= 36 else 6 - 2 * level)


@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_what_is_printed_is_shown(players: int, elites: bool) -> None:
    for state in states_of(players, elites):
        pieces = pieces_of(state.observation(0))
        assert pieces["printed_chips"].tolist() == [0, 1, 0, 1, 0, 1, 0, 1, 0]
        assert pieces["dice_rolled"] == DICE[players] - players
        assert pieces["prices"].tolist() == [[1, 2], [2, 3], [3, 4]]
        assert pieces["elder_gains"].tolist() == [2, 2, 1]
        assert pieces["artefact_points"].tolist() == [0, 1, 3, 6, 10, 14, 4]
        assert pieces["flowers_per_point"] == 3
        assert pieces["level_points"].tolist() == [1, 2, 3]
        assert pieces["character_numbers"].tolist() == ([1, 2, 1, 2, 2, 1] if elites else [0] * 6)


@pytest.mark.compiled
@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_the_players_pieces_say_what_the_dictionary_says(players: int, elites: bool) -> None:
    edges = [(0, 1), (1, 2), (3, 4), (4, 5), (6, 7), (7, 8), (0, 3), (1, 4), (2, 5), (3, 6), (4, 7), (5, 8)]
    for state in states_of(players, elites):
        content = state.to_dict()
        for observer in range(players):
            pieces = pieces_of(state.observation(observer))
            for offset in range(players):
                seat = (observer + offset) % players
                player, block = content["players"][seat], "own" if offset == 0 else f"seat_{offset}"
                for name in ("flowers", "tokens", "artefacts", "power_used"):
                    assert pieces[f"{block}.{name}"] == min(player[name], 127)
                assert pieces[f"{block}.score"] == min(content["scores"][seat], 127)
                assert (np.flatnonzero(pieces[f"{block}.chips"]) + 1).tolist() == player["chips"]
                assert np.flatnonzero(pieces[f"{block}.fragments"]).tolist() == player["fragments"]
                character = player["character"]
                assert np.flatnonzero(pieces[f"{block}.character"]).tolist() == ([] if character < 0 else [character])
                face = content["dice"]["own"][seat]
                assert np.flatnonzero(pieces[f"{block}.own_die"]).tolist() == ([face - 1] if face else [])
                for row, edge in zip(pieces[f"{block}.dunaias"], player["dunaias"], strict=True):
                    assert tuple(np.flatnonzero(row)) == edges[edge]
                built = [square for square in player["squares"] if square and square["built"]]
                assert pieces[f"{block}.completed"] == len(built)
                for number, square in enumerate(player["squares"]):
                    check_square(pieces, f"{block}.square_{number}", square)


def check_square(pieces: dict[str, Any], name: str, square: Content | None) -> None:
    if square is None:
        assert not any(pieces[key].any() for key in pieces if key.startswith(f"{name}."))
        return
    tile = square["tile"]
    level = 1 + (tile >= 16) + (tile >= 28)
    shown = pieces[f"{name}.level"]
    assert shown == level if shown.shape == (1,) else np.flatnonzero(shown).tolist() == [level - 1]
    printed = {tile % 4} if tile < 28 else {(tile - 28) // 2} if tile < 36 else {0, 1, 2, 3}
    assert set(np.flatnonzero(pieces[f"{name}.colours"])) == printed | set(square["colours"])
    assert pieces[f"{name}.built"] == square["built"]
    assert pieces[f"{name}.steps_left"] == level + 1 - square["steps"]
    assert pieces[f"{name}.occupied"] == square["die"]


def test_offers_show_tiles_and_what_the_observer_would_pay() -> None:
    reserved = found = 0
    for state in states_of(4, True):
        content = state.to_dict()
        for observer in range(4):
            player = content["players"][observer]
            pieces = pieces_of(state.observation(observer))
            discount = player["character"] == 0
            tiles = [content[place][level] for level in range(3) for place in ("display", "pile_top")]
            prices = [1, 2, 2, 3, 3, 4]
            tiles += [player["reserved"], content["pending"].get("found", -1)]
            prices += [1 + level_index(tiles[6]), 2 + level_index(tiles[7])]
            for offer, (tile, price) in enumerate(zip(tiles, prices, strict=True)):
                if tile < 0:
                    assert not any(pieces[key].any() for key in pieces if key.startswith(f"offer_{offer}."))
                    continue
                assert pieces[f"offer_{offer}.price"] == price - discount
                assert np.flatnonzero(pieces[f"offer_{offer}.level"]).tolist() == [level_index(tile)]
                assert pieces[f"offer_{offer}.steps"] == level_index(tile) + 2
            reserved += player["reserved"] >= 0
            found += "found" in content["pending"]
    assert reserved > 0


def level_index(tile: int) -> int:
    return int(tile >= 16) + int(tile >= 28)


def test_the_effect_and_arrows_of_a_tile_are_shown_in_full_and_in_few_numbers() -> None:
    """Tile 23: red, level 2, one chip; arrows for red buildings give chips east and west, flowers north and south."""
    content = states_of(2, False)[0].to_dict()
    place_tile(content, 0, 4, 23)
    state = GameState.from_dict(content)
    full = pieces_of(state.observation(0))
    assert full["own.square_4.effect"].tolist() == [0, 1, 0, 0]
    assert full["own.square_4.arrows"].tolist() == [[0, 0, 0, 1]] * 4
    assert full["own.square_4.arrow_gains"].tolist() == [1, 2, 1, 2]
    few = pieces_of(state.observation(1))
    assert few["seat_1.square_4.effect"] == 11
    assert few["seat_1.square_4.arrows"].tolist() == [4, 8, 4, 8]


def place_tile(content: Content, seat: int, square: int, tile: int, built: bool = True) -> None:
    """Put a tile from below the piles' tops, from a top or from the display on a square, completed."""
    level = level_index(tile)
    for key in ("display", "pile_top"):
        if content[key][level] == tile:
            content[key][level] = content["piles"][level].pop()
            break
    else:
        content["piles"][level].remove(tile)
    content["players"][seat]["squares"][square] = {
        "tile": tile,
        "steps": level + 2 if built else 0,
        "built": built,
        "colours": [],
        "die": False,
    }
    if built:
        content["scores"][seat] += level + 1
    else:
        content["players"][seat]["tokens"] -= 1


def test_gains_now_are_what_waking_gives() -> None:
    """A red chips tile amid red buildings: one chip and one more east and west, flowers north and south."""
    content = GameState.new(2).to_dict()
    for square, tile in [(4, 23), (1, 3), (3, 7), (5, 11), (7, 1)]:
        place_tile(content, 0, square, tile)
    content["players"][0]["chips"] = [6]
    edge_1_4, edge_4_7 = 7, 10
    content["players"][0]["dunaias"] = [edge_1_4, edge_1_4, edge_1_4, edge_4_7, edge_4_7, edge_4_7]
    state = GameState.from_dict(content)
    gains = pieces_of(state.observation(0))["own.square_4.gains_now"]
    assert gains.tolist() == [1, 3, 0, 0]  # north is red, south is yellow
    state.apply(state.legal_actions()[0], 0)
    state.apply("awaken 4", 0)
    after = state.to_dict()
    assert after["players"][0]["flowers"] == content["players"][0]["flowers"] + 1
    assert after["pending"]["chips"] == 3


def test_gains_now_of_level_3_are_its_points() -> None:
    content = GameState.new(2).to_dict()
    place_tile(content, 0, 4, 35)  # two points for a green building east and south
    place_tile(content, 0, 5, 0)
    content["scores"][0] += 2
    state = GameState.from_dict(content)
    assert pieces_of(state.observation(0))["own.square_4.gains_now"].tolist() == [0, 0, 0, 2]
    place_tile(content, 0, 7, 1)
    content["players"][0]["squares"][7]["colours"] = [0]
    content["colour_markers"][0] = 2
    content["scores"][0] += 2
    state = GameState.from_dict(content)
    assert pieces_of(state.observation(0))["own.square_4.gains_now"].tolist() == [0, 0, 0, 4]


def waking_steps() -> Iterator[tuple[GameState, int, int]]:
    """States of greedy games in which a completed level 2 building can be woken, with the square and its action."""
    agent = GreedyAgent()
    for seed in range(6):
        chance = Stream(seed)
        state = GameState.new(chance, num_players=2, max_rounds=40)
        while not state.is_over:
            if state.decision == "AWAKEN":
                squares = state.to_dict()["players"][state.seat]["squares"]
                for action in state.legal_actions():
                    verb, *words = dunaia.action_text(action).split()
                    square = squares[int(words[0])] if verb == "awaken" else None
                    if square and square["built"] and 16 <= square["tile"] < 28:
                        yield state, int(words[0]), action
            state.apply(agent.act(state), chance)


@pytest.mark.compiled
def test_gains_now_are_what_waking_gives_in_games() -> None:
    compared = 0
    for state, square, action in waking_steps():
        flowers, chips, moves, points = pieces_of(state.observation())[f"own.square_{square}.gains_now"].tolist()
        before = state.to_dict()["players"][state.seat]
        child = state.clone()
        child.apply(action, 0)
        after, pending = child.to_dict()["players"][state.seat], child.to_dict()["pending"]
        assert points == 0
        room = 6 - len(before["chips"])
        if chips and room > 1:
            assert pending["chips"] == chips
        elif moves and not chips:
            assert pending["moves"] == moves
        else:
            continue
        # A choice stands between the first effect and the second, so all flowers so far are the first one's.
        assert after["flowers"] == before["flowers"] + flowers
        compared += 1
    assert compared > 20


def test_counts_saturate() -> None:
    content = GameState.new(0, max_rounds=1000).to_dict()
    content["players"][0]["flowers"] = 500
    content["players"][1]["flowers"] = 127
    content["scores"] = [166, 42]
    state = GameState.from_dict(content)
    own, other = pieces_of(state.observation(0)), pieces_of(state.observation(1))
    assert own["own.flowers"] == own["own.score"] == own["rounds_left"] == 127
    assert other["seat_1.flowers"] == other["seat_1.score"] == 127
    assert other["own.flowers"] == 127
    content["round"] = 999 - 999 % 7 + 1
    late = pieces_of(GameState.from_dict(content).observation(0))
    assert late["round"] == 127
    assert late["rounds_left"] == 1000 - content["round"]


@pytest.mark.compiled
def test_a_changed_component_is_visible() -> None:
    text = resources.files("dunaia_env.dunaia").joinpath("components.toml").read_text(encoding="utf-8")
    for old, new, piece in [
        ("level_1 = [1, 2]", "level_1 = [4, 2]", "offer_0.price"),
        ("of_each_type = 12", "of_each_type = 10", "common_fragments"),
        ("[[1, 2], [3, 4]", "[[1, 3], [2, 4]", "elder_costs"),
        ("[[0, 1], [2, 5]", "[[1, 2], [2, 5]", "own.dunaias"),
        ("flowers = 2\ntokens", "flowers = 4\ntokens", "seat_1.flowers"),
        ("points = 2 }", "points = 9 }", "prophecies"),
        ('"flowers", amount = 3', '"flowers", amount = 9', "offer_0.effect"),
        ('"flowers", amount = 3', '"moves", amount = 9', "offer_0.effect"),
        ('colours = ["green"]', 'colours = ["red", "green"]', "offer_0.colours"),
        ('north = { colour = "red", amount = 2 }', 'north = { colour = "red", amount = 7 }', "offer_4.arrows"),
    ]:
        assert old in text
        rules = parse(text.replace(old, new), "changed")
        changed = 0
        for seed in range(40):
            own = pieces_of(GameState.new(seed).observation(0))
            other = pieces_of(GameState.new(seed, components=rules).observation(0))
            changed += int((own[piece] != other[piece]).any())
        assert changed > 0, piece


@pytest.mark.compiled
def test_every_piece_is_used_in_some_game() -> None:
    lanes = Lanes(192, num_players=4, elites=True, max_rounds=60)
    lanes.reset(0)
    agent, half = GreedyAgent(), np.arange(96)
    seen = np.zeros(OBSERVATION_SIZE, np.int8)
    for _ in range(900):
        actions = lanes.random_actions(0)
        actions[half] = agent.act_batch(lanes, half)
        lanes.step(actions)
        np.maximum(seen, lanes.observations.max(axis=0), out=seen)
    unused = [piece.name for piece in OBSERVATION_LAYOUT if not pieces_of(seen)[piece.name].any()]
    # Tiles of level 1 have no arrows, tiles of level 3 no effect; a power is used up only while its owner decides, and
    # lanes show what that player sees.
    never = {f"offer_{offer}.{part}" for offer in (0, 1) for part in ("arrows", "arrow_gains")}
    never |= {"offer_4.effect", "offer_5.effect"} | {f"seat_{offset}.power_used" for offset in (1, 2, 3)}
    assert set(unused) == never


@pytest.mark.compiled
def test_a_lanes_observation_is_the_states() -> None:
    lanes = Lanes(6, num_players=[2, 3, 4], elites=[False, True])
    lanes.reset(3)
    for _ in range(150):
        for lane in range(6):
            state = lanes.get_state(lane)
            assert (state.observation() == lanes.observations[lane]).all()
            assert STATE_DTYPE.itemsize == len(state.to_bytes())
        lanes.step(lanes.random_actions(1))


def test_an_observation_in_words_names_what_is_not_zero() -> None:
    state = GameState.new(7, num_players=3)
    seen = state.observation()
    text = dunaia.describe_observation(seen)
    lines = dict(line.split(" ", 1) for line in text.splitlines())
    pieces = dunaia.pieces_of(seen)
    assert set(lines) == {name for name, piece in pieces.items() if piece.any()}
    assert lines["round"] == "1"
    assert lines["players"] == "[1] 1"
    assert lines["pile_sizes"] == "[0] 14 [1] 10 [2] 10"
    for name, line in lines.items():
        if not line.startswith("["):
            assert int(line) == pieces[name].item()
            continue
        rebuilt = np.zeros_like(pieces[name])
        for place, value in zip(line.split()[::2], line.split()[1::2], strict=True):
            rebuilt[tuple(int(part) for part in place.strip("[]").split(","))] = int(value)
        assert (rebuilt == pieces[name]).all()

"""The observation of a seat of Dune: its layout, its numbers, and that it tells exactly what the seat's view tells."""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dunaia_env.dune import decisions
from dunaia_env.dune.components import load
from dunaia_env.dune.decisions import DECISION_NAMES
from dunaia_env.dune.hidden.views import view_to_dict
from dunaia_env.dune.observation.encoding import (
    OBSERVATION_HASH,
    OBSERVATION_LAYOUT,
    OBSERVATION_SCALE,
    OBSERVATION_SIZE,
    documented_pieces,
    observe,
    pieces_of,
    used_size,
)
from dunaia_env.dune.observation.layout import FLAGS_OF_A_SEAT, PRINTED_NUMBERS, PRINTED_RANGES
from dunaia_env.dune.state import MAX_PLAYERS, NONE, PHASE_NAMES, STATE_DTYPE, new_state
from dunaia_env.support.compile_cache import kernel
from tests.dune_positions import (
    ATREIDES,
    BENE_GESSERIT,
    EMPEROR,
    FREMEN,
    GUILD,
    HARKONNEN,
    POSITIONS,
    TLEILAX,
    Content,
    position,
    state_of,
)
from tests.dune_variations import FIELDS, SEATS, VARIATIONS, Variation, changed_at, with_unsold_card
from tests.sampling import sampled

Bytes = NDArray[np.uint8]
Pieces = dict[str, NDArray[np.int8]]


@kernel
def observe_first(states, tables, seat, out):
    observe(states[0], tables[0], seat, out)


def observed(state: Bytes, seat: int, tables: Any = None) -> NDArray[np.int8]:
    out = np.full(OBSERVATION_SIZE, -1, np.int8)
    observe_first(state.view(STATE_DTYPE), load().record if tables is None else tables, seat, out)
    return out


def pieces(content: Content, seat: int) -> Pieces:
    return pieces_of(observed(state_of(content), seat))


def flag(seen: Pieces, meaning: str) -> list[int]:
    """The offsets of the seats with a flag."""
    index = FLAGS_OF_A_SEAT.index(meaning)
    blocks = ["own", *(f"seat_{offset}" for offset in range(1, MAX_PLAYERS))]
    return [offset for offset, block in enumerate(blocks) if seen[f"{block}.flags"][index]]


def ones(piece: NDArray[np.int8]) -> list[int]:
    return np.flatnonzero(piece).tolist()


# Layout


def test_pieces_lie_one_after_the_other_and_fill_the_observation() -> None:
    first = 0
    for piece in OBSERVATION_LAYOUT:
        assert piece.first == first
        assert piece.size == np.prod(piece.shape) >= 1
        assert piece.scale >= 1
        assert piece.meaning
        assert (OBSERVATION_SCALE[piece.first : piece.first + piece.size] == piece.scale).all()
        first += piece.size
    assert first == OBSERVATION_SIZE <= 2100
    assert OBSERVATION_SCALE.shape == (OBSERVATION_SIZE,)
    names = [piece.name for piece in OBSERVATION_LAYOUT]
    assert len(set(names)) == len(names)
    assert len(OBSERVATION_HASH) == 16


def test_views_by_name_share_the_observations_memory() -> None:
    observations = np.zeros((2, 3, OBSERVATION_SIZE), np.int8)
    views = pieces_of(observations)
    for number, piece in enumerate(OBSERVATION_LAYOUT):
        view = views[piece.name]
        assert view.shape == (2, 3, *piece.shape)
        view[...] = number % 100
        assert (observations[..., piece.first : piece.first + piece.size] == number % 100).all()


def test_the_table_of_the_documentation_has_each_kind_of_piece_once() -> None:
    names = [piece.name for piece in documented_pieces()]
    kinds = {name.replace("plan_0.", "plan.").replace("seat_1.", "seat.") for name in names}
    assert len(kinds) == len(names)
    every = {piece.name for piece in OBSERVATION_LAYOUT}
    left_out = every - set(names)
    assert {name.split(".")[0] for name in left_out} == {"plan_1", "seat_2", "seat_3", "seat_4", "seat_5"}


# Ranges


def small_table(players: int) -> Any:
    """The record of a state in which every seat has something of everything, and its bytes."""
    state = new_state()
    record = state.view(STATE_DTYPE)[0]
    record.num_players, record.decision, record.phase, record.seat = players, decisions.BID, 4, 0
    record.storm, record.turn, record.max_turns, record.deck_size, record.open_shields = 4, 1, 15, 43, 1
    record.powers = record.alliances = 1
    for seat in range(players):
        player = record.players[seat]
        player.faction, player.dot_sector, player.spice, player.reserve = seat, 3 * seat, 9, 5
        player.forces[3 * seat], player.hand[seat], player.foreseen[seat] = 7, 1, 1
        player.debts[:players] = 1
        player.laid, player.laid_on = 6, (seat + 1) % players
        record.alliance[seat] = 0
    record.cards_left, record.opener, record.bidder = 1, 0, players - 1
    record.truths[0], record.num_truths = (0, players - 1, 150, 1), 1
    return record, state


@pytest.mark.long
@pytest.mark.parametrize("players", range(2, MAX_PLAYERS + 1))
def test_entries_of_absent_seats_are_zero(players: int) -> None:
    _, state = small_table(players)
    used = used_size(players)
    for seat in range(players):
        seen = observed(state, seat)
        assert not seen[used:].any()
        assert pieces_of(seen)["players"].tolist() == [int(number == players) for number in range(2, MAX_PLAYERS + 1)]
        # The last block has the forces of the last seat.
        assert 7 in pieces_of(seen)[f"seat_{players - 1}.forces"]
    assert used_size(MAX_PLAYERS) == OBSERVATION_SIZE
    assert used_size(3) - used_size(2) == used_size(6) - used_size(5) > 100


@pytest.mark.long
def test_large_numbers_have_a_second_entry_and_never_wrap() -> None:
    record, state = small_table(2)
    for amount, pair in ((0, [0, 0]), (60, [60, 0]), (127, [127, 0]), (128, [127, 1]), (254, [127, 127])):
        record.players[1].spice = record.bid = amount
        seen = pieces_of(observed(state, 0))
        assert seen["seat_1.spice"].tolist() == pair
        assert seen["bid"].tolist() == pair
    for field, value in (("spice", 32767), ("debts", 32767), ("pledge", 20)):
        record.players[field] = value
    record.bid = 32767
    record.spice[:] = 32767
    for seat in range(2):
        everything = observed(state, seat)
        assert everything.min() >= 0
        seen = pieces_of(everything)
        assert seen["own.funds"].tolist() == seen["seat_1.spice"].tolist() == seen["bid"].tolist() == [127, 127]
        assert (seen["spice"] == 127).all()
        assert seen["seat_1.debts"].tolist() == [127, 127, 0, 0, 0, 0]


@pytest.mark.compiled
def test_all_entries_are_0_to_127_and_overwrite_what_was_there() -> None:
    used = np.zeros(OBSERVATION_SIZE, np.bool_)
    for content in POSITIONS.values():
        state = state_of(content)
        for seat in SEATS:
            seen = observed(state, seat)
            assert seen.min() >= 0
            used |= seen > 0
    assert used.sum() > 500


# What is seen


def all_observations(content: Content) -> list[bytes]:
    state = state_of(content)
    return [observed(state, seat).tobytes() for seat in SEATS]


@pytest.mark.compiled
@pytest.mark.parametrize("name", POSITIONS)
@pytest.mark.parametrize("variations", VARIATIONS)
def test_every_hidden_piece_is_told_to_those_who_know_it(
    name: str, variations: Callable[[Content], Iterator[Variation]]
) -> None:
    content = with_unsold_card(position(name))
    before: dict[bool, list[bytes]] = {}
    for what, changed, knowing in variations(content):
        shields = changed["options"]["open_shields"]
        if shields not in before:
            same = copy.deepcopy(content)
            same["options"]["open_shields"] = shields
            before[shields] = all_observations(same)
        after = all_observations(changed)
        assert {seat for seat in SEATS if before[shields][seat] != after[seat]} == knowing, f"{name}: {what}"


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "path", "value", "knowing"), FIELDS, ids=[f"{one[0]}, {one[1]}" for one in FIELDS])
def test_every_part_of_the_moment_is_told_to_those_who_know_it(
    name: str, path: str, value: Any, knowing: set[int]
) -> None:
    content, changed = changed_at(name, path, value)
    before, after = all_observations(content), all_observations(changed)
    assert {seat for seat in SEATS if before[seat] != after[seat]} == knowing


Leaf = tuple[str, np.dtype[Any], int]


def leaves(dtype: np.dtype[Any], first: int = 0, name: str = "") -> Iterator[Leaf]:
    """The numbers of a record: a name without indices, the type and the offset."""
    if dtype.subdtype:
        base, shape = dtype.subdtype
        for index in range(int(np.prod(shape))):
            yield from leaves(base, first + index * base.itemsize, name)
    elif dtype.fields:
        for field, (inner, offset, *_) in dtype.fields.items():
            yield from leaves(inner, first + offset, f"{name}.{field}".lstrip("."))
    else:
        yield name, dtype, first


@functools.cache
def leaves_by_name() -> dict[str, list[Leaf]]:
    found: dict[str, list[Leaf]] = {}
    for leaf in leaves(STATE_DTYPE):
        found.setdefault(leaf[0], []).append(leaf)
    return found


# Fields whose single change can make no valid state, so that the observation need not tell what the view then tells:
# spice discards are the printed cards less the others, nobody changes leaders without Tleilax, blows are in territories
# with a spice card, and so on.
_TIED = {
    *("spice_discards", "change", "weather_seat", "top_seen", "sale_seen", "players.foreseen", "how", "decision"),
    *("winner", "card", "removed", "last_blow", "element_shown"),
}


@pytest.mark.compiled
@pytest.mark.parametrize("name", sampled([name for name in POSITIONS if name != "OVER"], 4))
def test_an_observation_is_a_function_of_the_view(name: str) -> None:
    """Each field by itself: the observation changes if, and but for fields tied to others only if, the view does."""
    components = load()
    state = state_of(POSITIONS[name])
    random = np.random.default_rng(list(name.encode()))
    asked = max(int(state.view(STATE_DTYPE)[0].seat), 0)
    for seat in (asked, (asked + 1 + int(random.integers(5))) % 6):
        view = json.dumps(view_to_dict(state, components, seat))
        seen = observed(state, seat).tobytes()
        for field, found in leaves_by_name().items():
            _, dtype, offset = found[random.integers(len(found))]
            changed = state.copy()
            value = changed[offset : offset + dtype.itemsize].view(dtype)
            value[0] = 1 - value[0] if value[0] in (0, 1) else value[0] + 1
            try:
                other = json.dumps(view_to_dict(changed, components, seat))
            except (IndexError, KeyError, ValueError):
                continue  # no view of such a state exists
            tells = observed(changed, seat).tobytes() != seen
            assert not tells or other != view, f"{name}: {field} is told to seat {seat}, whose view does not have it"
            assert tells or other == view or field in _TIED, f"{name}: {field} is not told to seat {seat}"


def rotated(state: Bytes, places: int) -> Bytes:
    """The same position with the seats counted from seat ``places``; the dots stay with the players."""
    result = state.copy()
    record = result.view(STATE_DTYPE)[0]
    before = state.view(STATE_DTYPE)[0]
    players = int(record.num_players)

    def turned(values: Any) -> Any:
        return np.where(np.asarray(values) >= 0, (np.asarray(values) - places) % players, values)

    record.players[:] = np.roll(before.players, -places)
    record.players["debts"] = np.roll(record.players["debts"], -places, axis=1)
    record.players["laid_on"] = turned(record.players["laid_on"])
    for field in ("seat", "actor", "user", "target", "weather_seat", "opener", "bidder", "defender", "winner"):
        record[field] = turned(before[field])
    record.wheels[:], record.owner[:] = turned(before.wheels), turned(before.owner)
    record.stack["seat"], record.stack["user"] = turned(before.stack["seat"]), turned(before.stack["user"])
    record.truths[:, :2] = turned(before.truths[:, :2])
    record.silenced[:] = np.roll(before.silenced, -places)
    sides = np.roll(before.alliance, -places).tolist()
    record.alliance[:] = [NONE if side == NONE else sides.index(side) for side in sides]
    record.winners = sum(1 << int(turned(seat)) for seat in range(players) if int(before.winners) >> seat & 1)
    return result


@pytest.mark.compiled
@pytest.mark.parametrize("places", [1, 4])
def test_an_observation_is_counted_from_the_observer(places: int) -> None:
    for name, content in POSITIONS.items():
        state = state_of(content)
        other = rotated(state, places)
        for seat in SEATS:
            assert (observed(state, seat) == observed(other, (seat - places) % 6)).all(), (name, seat)


# What the numbers say


def test_the_asked_seat_is_told_its_decision_and_others_nothing() -> None:
    content = position("PAY")
    for seat in SEATS:
        seen = pieces(content, seat)
        assert ones(seen["decision"]) == ([decisions.PAY] if seat == ATREIDES else [])
        assert seen["asked.price"] == (3 if seat == ATREIDES else 0)
        assert flag(seen, "asks or uses the power in question") == ([4] if seat == ATREIDES else [])
        assert ones(seen["phase"]) == [PHASE_NAMES.index("bidding")]


def test_every_decision_has_its_entry() -> None:
    for name, content in POSITIONS.items():
        if content["decision"] == "OVER" or "," in name:
            continue
        seen = pieces(content, content["seat"])
        assert ones(seen["decision"]) == [DECISION_NAMES.index(content["decision"])], name


def test_a_sale() -> None:
    content = position("BID")
    content["pending"]["cards_left"] = 2
    seen = pieces(content, EMPEROR)
    assert seen["row"] == 3
    assert seen["bid"].tolist() == [3, 0]
    assert flag(seen, "is the highest bidder") == [5]
    assert flag(seen, "opened the sale") == [4]
    assert seen["cards_lying"].tolist() == [1, 0]
    assert ones(seen["sale"]) == []
    assert ones(pieces(content, ATREIDES)["sale"]) == [1]


def test_cards() -> None:
    seen = pieces(position("BID"), ATREIDES)
    assert seen["own.hand"].tolist() == [int(kind in (3, 5)) for kind in range(17)]
    assert [seen[f"seat_{offset}.hand_count"][0] for offset in range(1, 6)] == [3, 2, 2, 2, 3]
    assert [seen[f"seat_{offset}.hand_limit"][0] for offset in range(1, 6)] == [8, 4, 4, 4, 4]
    assert ones(seen["seat_1.shown"]) == [4]
    assert ones(seen["seat_1.foreseen"]) == [0]
    assert ones(seen["foreseen_spice"]) == [3]
    assert ones(seen["discards"]) == [7]
    assert ones(seen["seat_4.laid_on"]) == [0]
    assert not seen["own.laid"].any()
    assert ones(pieces(position("BID"), GUILD)["own.laid"]) == [1]


def test_traitors_and_other_discs() -> None:
    assert pieces(position("BID"), HARKONNEN)["own.discs"].nonzero()[0].tolist() == [1, 7, 13, 19]
    assert pieces(position("BID"), HARKONNEN)["own.discs"][[1, 7, 13, 19]].tolist() == [2, 1, 2, 2]


def test_allies_and_what_can_be_spent() -> None:
    content = position("PLEDGE")
    content["players"][EMPEROR]["pledge"] = 7
    content["players"][EMPEROR]["spice"] = 4
    seen = pieces(content, GUILD)
    assert ones(seen["own.alliance"]) == [0]
    assert ones(seen["seat_4.alliance"]) == [0]  # the Emperor, two places to the left
    assert ones(seen["seat_1.alliance"]) == []
    assert seen["own.funds"].tolist() == [5 + 4, 0]
    assert seen["seat_4.pledge"] == 7
    assert pieces(content, HARKONNEN)["seat_1.pledge"] == 0
    # Behind the ally's shield nobody knows that 7 are more than it has.
    content["options"]["open_shields"] = False
    closed = pieces(content, GUILD)
    assert closed["own.funds"].tolist() == [5 + 7, 0]
    assert closed["seat_4.spice"].tolist() == [0, 0]
    assert closed["seat_4.reserve"] == 0
    assert closed["own.spice"].tolist() == [5, 0]


def test_the_board() -> None:
    seen = pieces(position("SHIP"), EMPEROR)
    assert ones(seen["storm"]) == [3]
    assert seen["spice"][49] == 6
    assert ones(seen["last_blow"]) == [load().record[0]["card_of"][24]]
    assert seen["seat_4.forces"][0] == seen["seat_4.on_board"] == 10  # Atreides in Arrakeen
    assert seen["seat_4.strongholds"].tolist() == [10, 0, 0, 0, 0]
    assert [seen[f"{block}.score"][0] for block in ("own", "seat_1", "seat_4")] == [0, 1, 1]
    # Dots 1, 4, 7, 10, 13, 16 by seat, storm in 3: seat 1 is first.
    assert [seen[f"{block}.order"][0] for block in ("own", "seat_1", "seat_4", "seat_5")] == [1, 2, 5, 0]
    assert [seen[f"{block}.dot"][0] for block in ("own", "seat_5")] == [3, 0]


def test_a_side_counts_the_strongholds_of_its_members_once() -> None:
    seen = pieces(position("BATTLE_CARDS"), ATREIDES)
    # Atreides, Harkonnen and Bene Gesserit are allied; Harkonnen and Fremen are in Carthag.
    assert [seen[f"{block}.score"][0] for block in ("own", "seat_1", "seat_3", "seat_5")] == [2, 2, 1, 2]
    over = pieces(position("OVER"), FREMEN)
    assert over["seat_3.score"] == 11
    assert flag(over, "has won") == [3]


def test_a_battle() -> None:
    seen = pieces(position("BATTLE_CARDS"), FREMEN)
    assert ones(seen["place"]) == [8]
    assert seen["own.field"] == seen["seat_4.field"] == 10
    assert seen["seat_3.field"] == 0
    assert flag(seen, "moves or attacks") == [4]
    assert flag(seen, "defends") == [0]
    loss = pieces(position("LOSS"), HARKONNEN)
    assert loss["place"][8] == 2
    assert loss["asked.left"] == 2


def test_plans_stand_from_the_observers_side() -> None:
    own = pieces(position("PRESCIENCE"), FREMEN)
    assert ones(own["plan_0.leader"]) == [17]
    assert own["plan_0.strength"] == own["leaders.strength"][17] == load().record[0]["strength"][17]
    assert ones(own["plan_0.weapon"]) == [1]
    assert ones(own["plan_0.defence"]) == [3]
    assert own["plan_0.number"].tolist() == [3, 10]
    assert not own["plan_1.number"].any()
    foreseen = pieces(position("LEADER, foreseen"), HARKONNEN)
    assert ones(foreseen["plan_1.weapon"]) == [1]
    assert not foreseen["plan_1.leader"].any()
    shown = pieces(position("LOSS"), GUILD)
    assert [ones(shown[f"plan_{slot}.leader"]) for slot in (0, 1)] == [[9], [19]]
    assert not shown["plan_0.treason"].any()
    assert ones(pieces(position("LOSS"), HARKONNEN)["plan_0.treason"]) == [1]
    called = position("LOSS")
    called["pending"]["plans"][0]["treason"] = True
    assert ones(pieces(called, GUILD)["plan_0.treason"]) == [0]


def test_leaders_that_can_fight() -> None:
    content = position("BATTLE_CARDS")
    fremen = list(range(15, 20))
    assert ones(pieces(content, FREMEN)["leaders.usable"]) == fremen
    leaders = content["leaders"]
    leaders["used"][15], leaders["used"][16], leaders["alive"][17] = 5, 12, False
    seen = pieces(content, FREMEN)
    assert ones(seen["leaders.usable"]) == [15, 18, 19]  # Carthag is 5
    assert seen["leaders.used_in"][[15, 16]].tolist() == [6, 13]
    assert seen["own.leaders"].tolist()[2] == 0
    assert ones(seen["own.leaders"]) == [0, 1, 3, 4]
    assert ones(pieces(content, HARKONNEN)["seat_2.leaders"]) == [0, 1, 3, 4]


def test_leaders_that_refuse_to_fight_tleilax() -> None:
    content = position("BATTLE_CARDS")
    content["options"]["tleilax"] = True
    state = state_of(content)
    record = state.view(STATE_DTYPE)[0]
    record.players[HARKONNEN].faction = 6
    record.returned[16] = 1
    record.owner[18] = HARKONNEN
    assert ones(pieces_of(observed(state, FREMEN))["leaders.usable"]) == [15, 17, 19]
    assert pieces_of(observed(state, FREMEN))["leaders.alive"][18] == 2
    # A stolen leader does not fight its first owner.
    assert 18 not in ones(pieces_of(observed(state, HARKONNEN))["leaders.usable"])


def test_changes_of_leaders() -> None:
    content = position("BUY_BACK")
    printed = int(load().record[0]["strength"][16])
    leaders = content["leaders"]
    leaders["change"][16] = -1
    assert pieces(content, TLEILAX)["leaders.change"][16] == 4
    assert pieces(content, TLEILAX)["leaders.strength"][16] == printed - 1
    assert pieces(content, FREMEN)["leaders.change"][16] == 0
    assert pieces(content, FREMEN)["leaders.strength"][16] == printed
    leaders["change"][16], leaders["change_shown"][16] = 1, True
    for seat in SEATS:
        assert pieces(content, seat)["leaders.change"][16] == 3
        assert pieces(content, seat)["leaders.strength"][16] == printed + 1


def test_truths_begin_with_the_newest() -> None:
    content = position("BID")
    content["truths"] = [[1, 2, "card 16", False], [5, 3, "turn 4", True]]
    seen = pieces(content, FREMEN)
    assert [ones(row) for row in seen["truths.asker"][:3]] == [[2], [4], []]
    assert [ones(row) for row in seen["truths.target"][:3]] == [[0], [5], []]
    assert [ones(row) for row in seen["truths.question"][:3]] == [[4], [0], []]
    assert seen["truths.argument"].tolist() == [4, 16, 0, 0]
    assert seen["truths.answer"].tolist() == [1, 0, 0, 0]


def test_the_prediction() -> None:
    content = position("BID")
    seen = pieces(content, BENE_GESSERIT)
    assert seen["prediction"].tolist() == [3, 0]
    assert flag(seen, "is predicted to win") == [1]
    content["turn"] = 3
    assert pieces(content, BENE_GESSERIT)["prediction"].tolist() == [3, 15]
    assert flag(pieces(content, EMPEROR), "is predicted to win") == []
    assert flag(pieces(position("PREDICT_TURN"), BENE_GESSERIT), "is predicted to win") == [2]


def test_a_move_in_progress() -> None:
    seen = pieces(position("COUNT, lift"), GUILD)
    assert seen["asked.territory"][39] == 1
    assert ones(seen["place"]) == [79]
    assert seen["asked.state"].tolist() == [1, 0, 0, 0]
    ride = pieces(position("MOVE_TO, ride"), FREMEN)
    assert ride["asked.territory"][13] == 3
    assert ride["asked.taken"].sum() == 2


def test_the_voice_and_questions_of_karama() -> None:
    voice = pieces(position("KARAMA, voice"), GUILD)
    assert np.argwhere(voice["voice"]).tolist() == [[0, 3]]
    assert ones(voice["asked.power"]) == [5]
    assert np.argwhere(pieces(position("LEADER"), FREMEN)["voice"]).tolist() == [[1, 1]]
    landing = pieces(position("KARAMA, shipment"), GUILD)
    assert landing["asked.landing"] == 5
    assert landing["place"][44] == 2
    assert flag(landing, "asks or uses the power in question") == [4]


def test_printed_numbers_come_from_the_components() -> None:
    state = state_of(position("SHIP"))
    tables = load().record.copy()
    for number, name in enumerate(PRINTED_NUMBERS):
        tables[name] = number + 1
    for number, name in enumerate(PRINTED_RANGES):
        tables[name] = (40 + 2 * number, 41 + 2 * number)
    tables["spice_amount"][0] = np.arange(50, 65)
    tables["strength"][0, 7] = 77
    tables["hand_limit"][0, EMPEROR], tables["free_revival"][0, EMPEROR], tables["paid_revival"][0, EMPEROR] = 9, 6, 0
    seen = pieces_of(observed(state, EMPEROR, tables))
    assert seen["printed"].tolist() == list(range(1, len(PRINTED_NUMBERS) + 1))
    assert seen["printed_ranges"].ravel().tolist() == list(range(40, 48))
    assert seen["printed_spice"].tolist() == list(range(50, 65))
    assert seen["leaders.strength"][7] == 77
    assert seen["own.hand_limit"] == 9
    assert seen["own.revival"].tolist() == [6, 0]

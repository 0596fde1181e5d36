"""Causes: what is taken away does not happen, exchanges move the board, and sentences follow from numbers."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dunaia_env.balance import causes, causes_pages, paired, playing
from dunaia_env.balance.causes import NEVER, Options, beyond_the_others, find_causes, main
from dunaia_env.balance.design import Condition, Exchange, Forbidden, RoleExchange
from dunaia_env.balance.outcomes import Cause, Causes
from dunaia_env.balance.paired import unpowered_share
from dunaia_env.balance.playing import find_role_bytes
from dunaia_env.balance.trials import Laboratory, Trial
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.registry import DEFAULT_GAME, find_game
from dunaia_env.statistics.intervals import Estimate
from tests.balance_games import games_of
from tests.toy_game import GAME as TOY

pytestmark = pytest.mark.once

GAME = DEFAULT_GAME
OWN = GAME.load(None)
ROLES = GAME.require("roles")
NAMES = GAME.require("events").names
TWO_EVENTS = ("buys a level 1 flowers tile", "buys a level 3 tile")
PLANTED = GAME.require("change")(OWN, {"start.flowers": [60, 0, 0, 0]})


def laboratory(seed: int = 0) -> Laboratory:
    return Laboratory(GAME, seed=seed, jobs=1)


def test_what_is_forbidden_does_not_happen() -> None:
    # Also a tile that the search elder finds is bought.
    event = NAMES.index("buys a level 1 flowers tile")
    plain = Condition("plain", "absent", 2, "random", 1)
    never = replace(plain, forbidden=(Forbidden(event, (0, 1), (1, NEVER)),))
    late = replace(plain, forbidden=(Forbidden(event, (1,), (1, 8)),))
    games, without, delayed = laboratory().play([Trial(one, OWN) for one in (plain, never, late)], 0, 12)
    assert games.events[:, :, event].sum(axis=0).min() > 0
    assert without.events[:, :, event].sum() == 0
    assert without.events.sum() > 0
    first = delayed.first_round[:, 1, event]
    assert first.max() > 8
    assert first[first > 0].min() > 8
    assert 0 < delayed.first_round[:, 0, event][delayed.first_round[:, 0, event] > 0].min() <= 8


def test_an_exchange_moves_what_was_planted_on_the_board() -> None:
    plain = Condition("plain", "absent", 2, "random", 1)
    exchanged = replace(plain, exchanges=(Exchange(2, (0, 1)),))
    games, swapped = laboratory().play([Trial(one, PLANTED) for one in (plain, exchanged)], 0, 30)
    # Sixty flowers are twenty points.
    assert games.margins[:, 0].mean() > 12
    assert swapped.margins[:, 1].mean() > 12


def test_what_is_forbidden_to_a_role_is_forbidden_to_its_holder_alone() -> None:
    event, role = NAMES.index("buys a level 1 flowers tile"), ROLES.names.index("mystic")
    late = Condition("late", "assigned", 3, "random", 1, forbidden=(Forbidden(event, (), (1, 8), role),))
    (games,) = laboratory().play([Trial(late, OWN)], 0, 5)
    first = games.first_round[:, :, event]
    own = first[games.roles == role]
    assert own.max() > 8
    assert own[own > 0].min() > 8
    others = first[games.roles != role]
    assert 0 < others[others > 0].min() <= 8


def test_a_role_exchanges_its_board_and_keeps_its_power() -> None:
    role = ROLES.names.index("mystic")
    plain = Condition("plain", "assigned", 3, "random", 1)
    exchanged = replace(plain, exchanges=(RoleExchange(2, role, 2),))
    games, swapped = laboratory().play([Trial(one, PLANTED) for one in (plain, exchanged)], 0, 10)
    assert (swapped.roles == games.roles).all()
    # The sixty flowers of seat 0 lie before the seat that exchanged with it, and elsewhere stay with it.
    holder = np.argmax(games.roles == role, axis=1)
    held = (games.roles == role).any(axis=1)
    rich = np.where(held & (holder == 0), 2, np.where(held & (holder == 1), 1, 0))
    rows = np.arange(len(games))
    assert set(rich[held].tolist()) == {0, 1, 2}
    for seat in range(3):
        chosen = rows[rich == seat]
        assert swapped.margins[chosen, seat].mean() > 12
    assert (games.margins[:, 0]).mean() > 12


def test_an_exchange_of_a_role_leaves_all_roles_where_they_are() -> None:
    condition = Condition("exchanged", "assigned", 3, "random", 1)
    lanes = Lanes(
        1, game=find_game(ROLES.assigned_game), components=PLANTED, **{"num_players": 3, **ROLES.assigned((2, 0, 5))}
    )
    lanes.reset([0])
    before = lanes.states[0].copy()
    recorder = playing._Recorder(lanes, ROLES, GAME.require("events"), PLANTED, condition)
    recorder.read_positions(np.array([0]))
    playing._exchange(lanes, recorder, RoleExchange(1, 5, 1), np.array([0]))
    # The holder of role 5 sits in seat 2, and the next seat is seat 0, which has sixty flowers more.
    expected = recorder.events.exchange(before, 2, 0)
    places = find_role_bytes(ROLES.held, before)
    assert ROLES.held(lanes.states)[0, :3].tolist() == [2, 0, 5] == recorder.roles[0].tolist()
    assert (np.delete(lanes.states[0], places) == np.delete(expected, places)).all()
    assert (lanes.states[0] != before).any()


def test_roles_are_found_in_a_state() -> None:
    lanes = Lanes(1, game=find_game(ROLES.assigned_game), **{"num_players": 3, **ROLES.assigned((2, 0, 5))})
    lanes.reset([0])
    state = lanes.states[0]
    places = find_role_bytes(ROLES.held, state)
    assert len(places) == ROLES.held(state[None]).shape[1]
    changed = state.copy()
    changed[places[[0, 2]]] = state[places[[2, 0]]]
    assert ROLES.held(changed[None])[0, :3].tolist() == [5, 0, 2]


@pytest.fixture(scope="module")
def planted() -> Causes:
    """Causes of the share of seat 0, which begins with sixty flowers more."""
    options = Options(
        seed=1,
        jobs=1,
        agent="random",
        blocks=30,
        change=("start.flowers=[0,60]",),
        events=TWO_EVENTS,
        exchanges=(2,),
        delays=(3,),
        delayed_events=1,
        lengths=(),
    )
    return find_causes(options, components=PLANTED)


def test_a_planted_advantage_is_traced_to_what_was_planted(planted: Causes) -> None:
    assert planted.share.low > 0.75
    cause = planted.causes[0]
    exchange = next(one for one in planted.causes if one.kind == "exchange")
    change = next(one for one in planted.causes if one.kind == "change")
    assert cause in (exchange, change)
    assert change.clear
    # The other seat has it instead.
    assert 1.5 < change.carried < 2.1
    assert exchange.clear
    assert 0.8 < exchange.carried < 1.1
    assert exchange.change.value == pytest.approx(exchange.share.value - planted.share.value)
    # The flowers carry the advantage, so that no single event is the largest.
    assert not any(one.largest for one in planted.causes)
    text = " ".join(planted.sentences)
    assert "With start.flowers=[0,60], seat 0 wins" in text
    assert "By the start of round 2, " in text
    assert "more than any other single event" not in text


def test_the_events_are_taken_away_and_the_strongest_is_delayed(planted: Causes) -> None:
    assert sorted(one.name for one in planted.causes if one.kind == "event") == sorted(TWO_EVENTS)
    events = {one.name: one for one in planted.causes if one.kind == "event"}
    (delay,) = (one for one in planted.causes if one.kind == "delay")
    assert delay.name == min(events, key=lambda name: events[name].share.value)
    assert (delay.occurs, delay.first, delay.buyer) == (
        events[delay.name].occurs,
        events[delay.name].first,
        events[delay.name].buyer,
    )
    assert planted.games == 30 * (1 + 2 + 1 + 1 + 1)


@pytest.mark.long
def test_a_power_is_a_cause_of_a_role() -> None:
    roles = GAME.require("roles").names
    role = roles.index("mystic")
    options = Options(
        subject="mystic",
        jobs=1,
        agent="random",
        blocks=20,
        events=TWO_EVENTS[:1],
        exchanges=(3,),
        delays=(4,),
        lengths=(0.5,),
    )
    result = find_causes(options)
    assert result.kind == "assigned"
    assert sorted(one.kind for one in result.causes) == ["delay", "event", "exchange", "length", "power"]
    (length,) = (one for one in result.causes if one.kind == "length")
    assert length.round == round(0.5 * result.rounds)
    assert length.round - 1 < length.rounds <= length.round
    assert length.clause == f"if the game is stopped after round {length.round}"
    assert len(length.everybody) == len(result.subjects) == len(roles)
    assert length.everybody[role].value == pytest.approx(length.change.value)
    assert length.uses < result.uses
    (delay,) = (one for one in result.causes if one.kind == "delay")
    assert delay.clause == f"if mystic never {TWO_EVENTS[0]} before round 4"
    (exchange,) = (one for one in result.causes if one.kind == "exchange")
    assert exchange.name == "the next seat"
    assert "but not their roles, at the start of round 3" in exchange.clause
    (power,) = (one for one in result.causes if one.kind == "power")
    condition = Condition("x", "powerless", 2, "random", 1, role=role)
    (games,) = laboratory().play([Trial(condition, OWN)], 0, 20)
    expected = games.shares[games.roles == -1].mean()
    assert power.share.value == pytest.approx(expected)
    assert unpowered_share(games).values[0] == pytest.approx(expected)
    assert power.change.value == pytest.approx(expected - result.share.value)


@pytest.mark.long
@pytest.mark.parametrize("players", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_causes_at_larger_tables(players: int) -> None:
    more: dict[str, Any] = {
        "players": players,
        "agent": "random",
        "blocks": 20,
        "events": TWO_EVENTS[:1],
        "jobs": 1,
        "lengths": (),
    }
    seat = find_causes(Options(subject="seat1", exchanges=(2,), delays=(), **more))
    names = sorted(one.name for one in seat.causes if one.kind == "exchange")
    assert names == [f"seat {other}" for other in range(players) if other != 1]
    role = find_causes(Options(subject="merchant", exchanges=(2,), delays=(3,), **more))
    assert sorted(one.kind for one in role.causes) == ["delay", "event", "exchange", "power"]
    assert role.fair == 1 / players


def test_what_lies_on_the_board_of_a_role_is_said() -> None:
    moved = replace(cause("exchange", causes_pages.NEXT_SEAT, 0.1, 0.04), round=5, carried=0.4)
    text = sentences("mystic", Estimate(0.3, 0.28, 0.32), 0.5, [moved])[-1]
    assert text == (
        "By the start of round 5, 40 % of mystic's disadvantage against the next seat lies on the board: that much goes"
        " with it when the two exchange everything that lies before them, but not their roles."
    )


def test_the_share_of_the_next_seat() -> None:
    games = games_of([[9, 3, 1], [3, 9, 1], [9, 1, 3]], roles=[[0, 1, 2], [0, 1, 2], [1, 2, 0]])
    # Next to role 0 sit the seats 1, 1 and 0.
    assert causes.next_share(games, 0) == pytest.approx(2 / 3)


def cause(kind: Any, name: str, value: float, half: float, **given: Any) -> Cause:
    """A cause that changes a share of 70 % by ``value``, and by as much more than the others."""
    change = Estimate(value, value - half, value + half)
    share = Estimate(0.7 + value, math.nan, math.nan)
    clear = abs(value) > half
    given = {"beyond": change} | given
    return Cause(kind, name, 0, f"if nobody {name}", share, change, -value / 0.2, clear=clear, **given)


def sentences(subject: str, share: Estimate, fair: float, found: list[Cause]) -> tuple[str, ...]:
    """What is said about causes in games of 25 rounds, in which the subject uses its power five times."""
    result = Causes("game", "agent", 2, "assigned", subject, share, fair, (), 25.0, 5.0, tuple(found), (), 1, 1, 0)
    return causes_pages.sentences(result)


ADVANTAGE = Estimate(0.7, 0.66, 0.74)


def test_the_largest_event_is_named_with_what_it_carries() -> None:
    largest = cause("event", "buys it", -0.18, 0.05, first=0.87, occurs=0.9, buyer=0.72, largest=True)
    found = sentences("seat 0", ADVANTAGE, 0.5, [largest, cause("event", "calls", -0.05, 0.04)])
    assert found == (
        "Seat 0 wins 70 % of the time, where 50 % would be fair.",
        (
            "If nobody buys it, seat 0 wins 52 % of the time: the event carries 90 % of the advantage, more than any"
            " other single event."
        ),
        (
            "Seat 0 is the first to do so in 87 % of the games in which anybody does, and whoever is first wins 72 % of"
            " the time."
        ),
    )


def test_nothing_is_said_beyond_the_numbers() -> None:
    unclear = cause("event", "buys it", -0.18, 0.2)
    against = cause("event", "calls", 0.1, 0.05)
    clear = cause("event", "sells", -0.1, 0.05)
    assert sentences("seat 0", ADVANTAGE, 0.5, [unclear, against])[1:] == (
        "No single event is known to carry more of the advantage than other events do on average.",
    )
    assert sentences("seat 0", ADVANTAGE, 0.5, [unclear, clear])[1:] == (
        (
            "The following certainly carries more of the advantage than other events do on average, but not certainly"
            " more than each of them: if nobody sells, seat 0 wins 60 % of the time."
        ),
    )
    weak = sentences("foreman", Estimate(0.5, 0.47, 0.53), 0.5, [clear])
    assert len(weak) == 1
    assert "there is no effect to explain" in weak[0]
    assert "of the disadvantage" in sentences("foreman", Estimate(0.3, 0.28, 0.32), 0.5, [clear])[1]


def test_an_early_event_is_named_only_if_its_delay_stands_out() -> None:
    events = [cause("event", "buys", -0.17, 0.08), cause("event", "calls", -0.16, 0.08)]

    def delayed(name: str, value: float) -> Cause:
        return replace(cause("delay", name, value, 0.05, first=0.9, occurs=0.9, buyer=0.7), round=5)

    text = " ".join(sentences("seat 0", ADVANTAGE, 0.5, [*events, delayed("buys", -0.4), delayed("calls", -0.1)]))
    assert "one stands out: if nobody buys, it wins 30 % of the time. Seat 0 is the first to do so in 90 %" in text
    near = [*events, delayed("buys", -0.4), delayed("calls", -0.35)]
    assert "stands out" not in " ".join(sentences("seat 0", ADVANTAGE, 0.5, near))


def test_what_any_removal_does_is_no_cause() -> None:
    placebo = Estimate(0.01, -0.03, 0.05)
    alike = cause("event", "calls", -0.1, 0.05, beyond=placebo, rounds=38.0, uses=16.8)
    assert sentences("seat 0", ADVANTAGE, 0.5, [alike])[1:] == (
        "No single event is known to carry more of the advantage than other events do on average.",
        (
            "If nobody calls, seat 0 wins 60 % of the time, but without other events it also does. The game then takes"
            " 38 rounds instead of 25, and seat 0 uses its power 16.8 times instead of 5.0."
        ),
    )
    # What goes beyond the others has to go the same way.
    assert not replace(alike, beyond=Estimate(0.1, 0.05, 0.15)).specific
    assert replace(alike, beyond=Estimate(-0.1, -0.15, -0.05)).specific


def test_what_the_length_alone_does_is_said() -> None:
    def said(*changes: float) -> str:
        return sentences(
            "seat 0", ADVANTAGE, 0.5, [replace(cause("length", "stops", one, 0.05), clause="early") for one in changes]
        )[-1]

    assert said(-0.1) == "Seat 0 wins 60 % early, so a shorter game alone makes the advantage smaller."
    assert said(0.1).endswith("makes the advantage larger, and whatever makes the game longer may make it smaller.")
    assert said(0.01).endswith("so the length of the game alone is not known to matter.")
    assert said(0.1, -0.1).endswith("but not in one direction.")


@pytest.mark.parametrize(("own", "specific"), [(0.0, False), (0.2, True)])
def test_an_event_is_compared_with_the_removals_of_the_others(own: float, specific: bool) -> None:
    random = np.random.default_rng(1)
    noise = 0.3 * random.normal(size=(200, 8))
    noise -= noise.mean(axis=0)
    # Every removal gives 0.1, the first one more.
    values = np.full(8, 0.4) + np.array([own, *[0.0] * 7])
    after = [paired.Contributions(values[[place]], values[place] + noise[:, [place]]) for place in range(8)]
    found = beyond_the_others(after)
    known = [one for one in found if one is not None]
    assert len(known) == 8
    assert known[0].value == pytest.approx(own)
    assert (known[0].low > 0) == specific
    assert not any(one.low > 0 for one in known[1:])
    assert beyond_the_others(after[:1]) == [None]


@pytest.mark.parametrize(("leads", "largest"), [(0.3, True), (0.02, False)])
def test_an_event_is_the_largest_only_if_it_is_told_from_the_others(leads: float, largest: bool) -> None:
    random = np.random.default_rng(0)
    noise = random.normal(size=(100, 3)) * 0.3
    noise -= noise.mean(axis=0)
    before = paired.Contributions(np.array([0.9]), np.full((100, 1), 0.9))
    values = [0.9 - 0.3 - leads, 0.9 - 0.3, 0.9]
    after = [paired.Contributions(np.array([value]), value + noise[:, [number]]) for number, value in enumerate(values)]
    trial = Trial(Condition("x", "absent", 2, "random", 1), OWN)
    planned = [causes._Planned("event", name, name, trial) for name in "abc"]
    changes = paired.simultaneous(paired.beside([part.minus(before) for part in after]))
    assert causes._largest_event(planned, after, changes, -1.0) == (0 if largest else None)
    # Towards more, none of them moves the share.
    assert causes._largest_event(planned, after, changes, 1.0) is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"subject": "seat2"}, "subject: expected one of seat0, seat1, merchant, .*, got 'seat2'"),
        ({"subject": "merchant", "kind": "absent"}, "kind: expected games in which merchant is held, got absent"),
        ({"blocks": 19}, "blocks: expected at least 20, got 19"),
        ({"events": ("wins",)}, "event: expected one of buys a level 1 flowers tile, .*, got 'wins'"),
        ({"exchanges": (1,)}, "round: expected at least 2, got 1"),
        ({"lengths": (1.0,)}, "lengths: expected parts above 0 and below 1, got 1.0"),
        ({"change": ("price=1",)}, "change price: 'price' is unknown"),
        ({"change": ("prices.level_1=[40,50]",), "agent": "champion"}, "--agent greedy plays every component file"),
    ],
)
def test_wrong_options_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        main(Options(**given))


def test_a_game_without_events_is_refused() -> None:
    with pytest.raises(ValueError, match=f"{TOY.name}: this game declares no events to remove"):
        TOY.require("events")


@pytest.mark.long
def test_the_command_prints_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(Options(agent="random", blocks=causes.LEAST_BLOCKS, exchanges=(2,), delays=(), jobs=1, out=tmp_path))
    assert "What seat 0's share rests on" in capsys.readouterr().out
    content = json.loads((tmp_path / "causes.json").read_text())
    assert len(content["causes"]) == len(NAMES) + 1 + len(Options.lengths)
    assert "What it does to everybody" in (tmp_path / "causes.md").read_text()
    assert content["subject"] == "seat 0"
    assert content["sentences"][0] in (tmp_path / "causes.md").read_text()

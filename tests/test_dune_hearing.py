"""What everybody hears at a table of Dune: battles with their outcome, open decisions, the dials of the storm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import pytest

from dunaia_env import GameState
from dunaia_env.dune import GAME
from dunaia_env.dune.hidden.views import view_to_dict
from dunaia_env.dune.presentation import ENGLISH, FRENCH, PRESENTATION
from dunaia_env.dune.presentation.battles import Battle, decided
from dunaia_env.dune.presentation.hearing import BATTLE, DIALLED, OPEN, heard
from dunaia_env.dune.presentation.wording.facts import Facts
from dunaia_env.dune.presentation.wording.news import events
from dunaia_env.dune.state import (
    HAJR,
    HARVESTER_CARD,
    KARAMA_CARD,
    LASGUN,
    LAYABLE,
    THUMPER,
    TRUTHTRANCE,
    WEATHER_CONTROL,
)
from dunaia_env.harness.presentation import Event, Wording
from tests.dune_positions import POSITIONS, Content, position, state_of, with_card
from tests.dune_told_games import COMPONENTS, GAMES, Told, game, told_games

pytestmark = [pytest.mark.once, pytest.mark.long]


def battle_in(content: Mapping[str, Any]) -> tuple[int, int, int] | None:
    """Field, aggressor and defender of the battle in progress."""
    pending = content["pending"]
    return (pending["field"], content["actor"], pending["defender"]) if "defender" in pending else None


def is_decided(one: Told) -> bool:
    """Whether the battle in progress has a winner or is over after a decision, as the state says it."""
    old, new = battle_in(one.before), battle_in(one.after)
    if old is None or "winner" in one.before["pending"]:
        return False
    return new != old or "winner" in one.after["pending"]


def battles() -> Iterator[tuple[Told, Battle]]:
    for one in told_games():
        if is_decided(one):
            battle = decided(one.action, one.before, one.after, COMPONENTS)
            assert battle is not None, one.before["pending"]
            yield one, battle


def test_a_battle_is_reported_when_the_rules_have_decided_it() -> None:
    for one in told_games():
        assert (decided(one.action, one.before, one.after, COMPONENTS) is not None) == is_decided(one)
    ways = Counter((battle.winner >= 0, battle.exploded, battle.sides[0].total >= 0) for _, battle in battles())
    assert {(True, False, True), (True, False, False), (False, True, False)} <= set(ways), ways


def test_the_report_of_a_battle_agrees_with_the_rules() -> None:
    for one, battle in battles():
        pending, same = one.after["pending"], battle_in(one.after) == battle_in(one.before)
        if "winner" in pending:
            assert battle.winner == pending["winner"]
        leaders, facts = one.after["leaders"], Facts(one.before, COMPONENTS)
        for side in battle.sides:
            if 0 <= side.leader < 31:
                assert leaders["alive"][side.leader] != side.killed
            if one.after["decision"] != "LOSS" or side.seat != battle.winner:
                left = Facts(one.after, COMPONENTS).tokens_in_field(side.seat, battle.field)
                assert left == facts.tokens_in_field(side.seat, battle.field) - (
                    side.lost if not battle.exploded else facts.tokens_in_field(side.seat, battle.field)
                )
            known = pending.get("plans") if same else None
            if known is not None:
                plan = known[battle.sides.index(side)]
                assert (side.weapon, side.defence, side.number) == tuple(
                    plan[part] for part in ("weapon", "defence", "number")
                )
                assert (side.caller >= 0) == plan.get("treason", False)
        if same and not any(one.before["players"][battle.winner]["debts"]):
            seats = [content["players"][battle.winner]["spice"] for content in (one.before, one.after)]
            assert seats[1] - seats[0] == battle.gain
        if battle.winner >= 0 and battle.sides[0].total >= 0:
            aggressor, defender = battle.sides
            assert (battle.winner == aggressor.seat) == (aggressor.total >= defender.total)


def told_to(one: Told, seat: int | None) -> list[Event]:
    """The events that a seat, or a spectator, is told of a decision."""
    before, after = (one.before, one.after) if seat is None else one.views(seat)
    return events(one.heard(before), after, COMPONENTS)


def test_every_seat_is_told_plans_treason_and_winner_of_every_battle() -> None:
    plans: dict[int | None, list[Event]] = {}
    count = 0
    for one in told_games():
        if one.before["phase"] != "battle":
            continue
        over = is_decided(one)
        battle = decided(one.action, one.before, one.after, COMPONENTS)
        for seat in (None, *range(len(one.before["players"]))):
            found = told_to(one, seat)
            if any(event.kind == "attacks" for event in found) and not over:
                plans[seat] = []
            plans.setdefault(seat, []).extend(event for event in found if event.kind == "plan")
            outcome = [event for event in found if event.kind in ("treason", "won", "drawn")]
            if battle is None:
                assert not outcome, (one.before["decision"], outcome)
                continue
            count += 1
            assert sorted(event.seat for event in plans.pop(seat)) == sorted(side.seat for side in battle.sides)  # type: ignore[type-var]
            ends = [event for event in outcome if event.kind != "treason"]
            assert [event.seat for event in ends] == [battle.winner if battle.winner >= 0 else None]
            callers = {side.caller for side in battle.sides} - {-1}
            own = {one.before["seat"]} if one.before["decision"] == "TREASON" and one.action == "yes" else set()
            called = {event.seat for event in outcome if event.kind == "treason"}
            # Whoever knows the decision is told the call by its sentence.
            assert called in ((callers,) if seat not in (None, one.before["seat"]) else (callers, callers - own))
    assert count > 300


def test_a_traitor_that_is_not_called_stays_unknown() -> None:
    """If whoever can call a traitor does not, the report is the same as without any traitors."""
    silent = 0
    for one in told_games():
        if one.before["decision"] != "TREASON":
            continue
        state = GameState(one.state, game=GAME, components=COMPONENTS)
        state.apply("pass", 1)
        after = state.to_dict()
        battle = decided("pass", one.before, after, COMPONENTS)
        if battle is None or any(plan.get("treason") for plan in one.before["pending"]["plans"]):
            continue
        silent += 1
        assert [side.caller for side in battle.sides] == [-1, -1]
        hidden = dict(one.before, players=[dict(player, traitors=[], hand=[]) for player in one.before["players"]])
        assert decided("pass", hidden, after, COMPONENTS) == battle
    assert silent > 3


def test_a_hidden_decision_stays_hidden() -> None:
    for one in told_games()[::7]:
        for seat in range(len(one.before["players"])):
            seen = one.views(seat)[0]
            known = one.heard(seen)
            if seat == one.before["seat"] or (one.before["decision"], one.action.split()[0]) in OPEN:
                continue
            assert {key: value for key, value in known.items() if key not in (BATTLE, DIALLED)} == seen


# The cards that the asked seat needs for an open decision and does not hold in the positions.
NEEDED = {
    "WEATHER card": WEATHER_CONTROL,
    "BLOW_CARDS card": THUMPER,
    "BLOW_CARDS karama": KARAMA_CARD,
    "NEXUS_CARDS card": TRUTHTRANCE,
    "HARVESTER card": HARVESTER_CARD,
    "BIDDING_CARDS card": TRUTHTRANCE,
    "REVIVAL_CARDS karama": KARAMA_CARD,
    "SHIP karama": KARAMA_CARD,
    "HAJR card": HAJR,
    "BATTLE_CARDS card": TRUTHTRANCE,
    "PRESCIENCE karama": KARAMA_CARD,
}


# Open decisions that no position has: they are taken from games.
PLAYED = ("REVIVAL_CARDS card", "ATOMICS card")


def open_decisions() -> Iterator[tuple[str, Content, str]]:
    """A position and an action for every open decision."""
    for decision, verb in OPEN:
        name = f"{decision} {verb}"
        for content in (position(other) for other in POSITIONS):
            if content["decision"] != decision:
                continue
            seat, player = content["seat"], content["players"][content["seat"]]
            content["options"]["karama_powers"] = True
            player |= {"spice": player["spice"] + 9, "shown": [], "foreseen": []}
            content["pending"].pop("half_price", None)
            if NEEDED.get(name, LASGUN) not in (LASGUN, *player["hand"]):
                bring_to_deck(content, NEEDED[name])
                content = with_card(content, seat, NEEDED[name], player["hand"][-1])
            legal = GAME.entry_points.legal_actions(state_of(content), COMPONENTS.buffer).tolist()
            open_actions = (action for action in map(GAME.action_text, legal) if is_open(decision, verb, action))
            if action := next(open_actions, ""):
                yield name, content, action
    for name in PLAYED:
        found = (one for one in told_games() if (one.before["decision"], one.action.split()[0]) == tuple(name.split()))
        for one in islice(found, 2):
            yield name, dict(one.before), one.action


def bring_to_deck(content: Content, kind: int) -> None:
    """Exchange a card of somebody's hand for another one of the deck, if the deck has none of its kind."""
    if not content["deck"][kind]:
        (other,) = (number for number, player in enumerate(content["players"]) if kind in player["hand"])
        content |= with_card(content, other, next(k for k, cards in enumerate(content["deck"]) if cards), kind)


def is_open(decision: str, verb: str, action: str) -> bool:
    kind, *numbers = action.split()
    is_laid = decision == "BIDDING_CARDS" and numbers and int(numbers[0]) in LAYABLE
    return kind == verb and not is_laid and (decision, action) != ("GIFT", "number 0")


def test_everybody_hears_an_open_decision() -> None:
    said = set()
    for name, content, action in open_decisions():
        state = GameState.from_dict(content, game=GAME, components=COMPONENTS)
        state.apply(action, 1)
        after = state.to_dict()
        for wording in (ENGLISH, FRENCH):
            whole = wording.sentence(action, content, COMPONENTS)
            for seat in range(len(content["players"])):
                seen = view_to_dict(state_of(content), COMPONENTS, seat)
                known = PRESENTATION.hear(action, seen, content, after, COMPONENTS)
                told = wording.sentence(action, known, COMPONENTS)
                # Of a power that is stopped, only those who were asked know the object.
                assert told == whole or name == "KARAMA karama", (name, told, whole)
                assert known["seat"] == content["seat"]
        said.add(name)
    assert said == {" ".join(pair) for pair in OPEN}


def test_a_card_that_is_laid_and_a_gift_of_nothing_are_not_heard() -> None:
    content = position("BIDDING_CARDS")
    seen = view_to_dict(state_of(content), COMPONENTS, (content["seat"] + 1) % len(content["players"]))
    for kind in LAYABLE:
        assert heard(f"card {kind}", seen, content, content, COMPONENTS) is seen
    content = position("GIFT")
    seen = view_to_dict(state_of(content), COMPONENTS, (content["seat"] + 1) % len(content["players"]))
    assert heard("number 0", seen, content, content, COMPONENTS) is seen


def test_the_dials_are_heard_when_the_storm_moves() -> None:
    moves = 0
    for one in told_games():
        dialled = dict(one.heard(one.before).get(DIALLED, ()))
        if not dialled:
            assert one.before["phase"] != "storm" or one.after["phase"] == "storm"
            continue
        moves += 1
        assert (one.before["storm"] + sum(dialled.values())) % 18 == one.after["storm"]
        for seat in range(len(one.before["players"])):
            found = {event.seat: event.numbers[0] for event in told_to(one, seat) if event.kind == "dialled"}
            # Nobody is told again what they have dialled themselves.
            assert found == {other: number for other, number in dialled.items() if other != seat}
            assert any(event.kind == "storm" for event in told_to(one, seat))
        assert not any(event.kind == "dialled" for event in told_to(one, None)), "everybody's dial is known already"
    assert moves > 40


# Kinds of events of which the first comes before the second if one step has both.
EARLIER = (
    *(("buys", "spice"), ("buys", "revives"), ("buys", "sale"), ("storm", "blow"), ("storm", "less")),
    *(("dialled", "storm"), ("worm", "phase"), ("won", "killed"), ("killed", "loses"), ("won", "attacks")),
    *(("treason", "won"), ("plan", "won"), ("moves", "attacks")),
    *(("harvests", "turn"), ("harvests", "over"), ("turn", "phase"), ("alms", "sale"), ("lands", "spice")),
    *(("won", "harvests"), ("alliance", "resumed"), ("resumed", "blow")),
)


def test_events_come_in_the_order_in_which_the_rules_make_them() -> None:
    both = Counter[tuple[str, str]]()
    for number, one in enumerate(told_games()):
        for seat in (None, number % len(one.before["players"])):
            kinds = [event.kind for event in told_to(one, seat)]
            for first, second in EARLIER:
                if first in kinds and second in kinds:
                    both[first, second] += 1
                    assert kinds.index(first) < len(kinds) - 1 - kinds[::-1].index(second), kinds
            phases = [event.numbers[0] for event in told_to(one, seat) if event.kind == "phase"]
            assert len({*phases}) == len(phases)
            # Free tokens come back when revival has begun, whatever has been sold before.
            if "revives" in kinds and one.before["phase"] == "bidding":
                assert kinds.index("phase") < kinds.index("revives")
            if "attacks" in kinds and one.before["phase"] == "movement":
                assert kinds.index("phase") < kinds.index("attacks")
    assert {*EARLIER} <= {*both}, {*EARLIER} - {*both}


def test_payers_come_before_the_paid_and_losers_before_winners() -> None:
    pairs = 0
    for one in told_games():
        found = told_to(one, None)
        changes = [event.numbers[1] - event.numbers[0] for event in found if event.kind == "spice"]
        assert changes == sorted(changes, key=lambda change: change > 0)
        lost = [event.seat for event in found if event.kind == "loses"]
        won = [event.seat for event in found if event.kind == "won"]
        if won and len(lost) > 1 and won[0] in lost:
            pairs += 1
            assert lost[-1] == won[0]
    assert pairs > 10


@pytest.mark.parametrize("wording", [ENGLISH, FRENCH])
def test_nothing_is_said_twice_in_a_step(wording: Wording) -> None:
    """Neither in the same words, nor first as a decision and then as its effect."""
    for number, one in enumerate(told_games()):
        seat = number % len(one.before["players"])
        seen, after = one.views(seat)
        before = one.heard(seen)
        known = before["seat"] is not None
        said = [(before["seat"], wording.sentence(one.action, before, COMPONENTS))] if known else []
        lines = [*said, *wording.changes(one.action, before, after, COMPONENTS)]
        assert len({*map(tuple, lines)}) == len(lines), lines
        kinds = Counter((event.seat, event.kind) for event in events(before, after, COMPONENTS))
        assert not (kinds[None, "less"] and kinds[before["seat"], "harvests"] and len(after["players"]) == 2)
        assert all(kinds[other, "left"] + kinds[other, "spice"] < 2 for other in range(len(after["players"])))
        assert all(kinds[other, "lays"] + kinds[other, "gives"] < 2 for other in range(len(after["players"])))
        if known and before["decision"] in ("REVIVE", "SHIP_COUNT", "GIFT"):
            # The price stands in the sentence.
            paid = [event for event in events(before, after, COMPONENTS) if event[:2] == (before["seat"], "spice")]
            assert all(event.numbers[1] > event.numbers[0] for event in paid)


@pytest.mark.slow
def test_reports_agree_with_the_rules_in_more_games(monkeypatch: pytest.MonkeyPatch) -> None:
    more = tuple(one for seed in range(10, 16) for given in GAMES for one in game(*given[:3], seed, given[4]))
    monkeypatch.setattr(f"{__name__}.told_games", lambda: more)
    test_a_battle_is_reported_when_the_rules_have_decided_it()
    test_the_report_of_a_battle_agrees_with_the_rules()
    test_every_seat_is_told_plans_treason_and_winner_of_every_battle()


def test_a_notice_shows_both_sides_of_a_battle() -> None:
    for one, battle in battles():
        notice = ENGLISH.notice(one.heard(one.before), one.after, COMPONENTS)
        assert notice is not None
        assert notice.seats == tuple(side.seat for side in battle.sides)
        rows = dict(notice.rows)
        assert rows["Tokens staked"] == tuple(str(side.number) for side in battle.sides)
        assert ("Total" in rows) == (battle.sides[0].total >= 0)
        assert rows["Tokens lost"] == tuple(str(side.lost) for side in battle.sides)
        assert all(line[0].isupper() for line in notice.lines)
        for seat in range(len(one.before["players"])):
            before, after = one.views(seat)
            assert ENGLISH.notice(one.heard(before), after, COMPONENTS) == notice

"""Dune in words: sentences of actions, reasons, positions, news, from states and from views."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from dunaia_env.dune import GAME
from dunaia_env.dune.actions import ACTION_TEXTS, NUM_ACTIONS
from dunaia_env.dune.decisions import DECISION_NAMES
from dunaia_env.dune.hidden.views import view_to_dict
from dunaia_env.dune.options import OPTIONS, PRESETS, complete
from dunaia_env.dune.presentation.wording import english
from dunaia_env.dune.presentation.wording.facts import Facts
from dunaia_env.dune.presentation.wording.happenings import EVENTS, told
from dunaia_env.dune.presentation.wording.news import Event, events
from dunaia_env.dune.presentation.wording.reasons import why_illegal
from dunaia_env.dune.presentation.wording.tellers import Teller
from dunaia_env.dune.presentation.wording.texts import describe, news, sentence, turn, variant
from tests.dune_positions import ATREIDES, EMPEROR, FREMEN, GUILD, HARKONNEN, POSITIONS, position, state_of
from tests.dune_told_games import COMPONENTS, told_games
from tests.sampling import sampled

pytestmark = pytest.mark.once

NOT_TOLD = {"WORM", "SHIP_TO", "RAISE", "OVER"}
NAMES = tuple(POSITIONS)
# What no sentence holds: names of the program, empty places, doubled signs.
NOT_ENGLISH = ("None", "{", "[", "  ", " ,", "True", "False", "(-1", " 1 tokens", " 1 cards", " 1 turns")


def plain(text: str) -> str:
    """A text without the names that look like faults."""
    return text.replace("False Wall", "Wall")


def texts() -> Iterator[str]:
    for told_decision in told_games()[::5]:
        before, after = told_decision.before, told_decision.after
        yield from (sentence(action, before, COMPONENTS) for action in told_decision.legal)
        yield from news(told_decision.heard(before), after)


def test_the_games_have_all_decisions() -> None:
    assert {one.before["decision"] for one in told_games()} == set(DECISION_NAMES) - NOT_TOLD
    assert {content["decision"] for content in map(position, NAMES)} == set(DECISION_NAMES)


def test_texts_are_clauses() -> None:
    for text in {*texts()}:
        assert text, "a text is empty"
        assert not [fault for fault in NOT_ENGLISH if fault in plain(text)], text


def test_legal_actions_have_different_sentences() -> None:
    for one in told_games():
        said = [sentence(action, one.before, COMPONENTS) for action in one.legal]
        assert len(set(said)) == len(said), (one.before["decision"], said)


@pytest.mark.parametrize(
    ("decision", "action", "said"),
    [
        ("BID", "number 4", "bids 7 spice"),
        ("BID", "pass", "does not bid"),
        ("VOICE", "must 2", "orders Fremen: play a lasgun"),
        ("VOICE", "must_not 1", "orders Fremen: play no poison weapon"),
        ("VOICE", "pass", "gives no order"),
        ("LEADER", "card 5", "leads with a cheap hero"),
        ("PRESCIENCE", "see 2", "asks to see the defence in Fremen's plan"),
        ("KEEP", "yes", "keeps the weapon (projectile weapon)"),
        ("TREASON", "pass", "does not call Jamis a traitor"),
        ("ATOMICS", "card 11", "plays Family Atomics and destroys the Shield Wall"),
    ],
)
def test_what_an_action_says(decision: str, action: str, said: str) -> None:
    assert sentence(action, position(decision), COMPONENTS) == said


@pytest.mark.parametrize("name", sampled(NAMES, 4))
def test_every_illegal_action_has_its_own_reason(name: str) -> None:
    state = state_of(position(name))
    legal = set(GAME.entry_points.legal_actions(state, COMPONENTS.buffer).tolist())
    for action in range(NUM_ACTIONS):
        reason = why_illegal(state, COMPONENTS, action)
        assert (reason == "") == (action in legal)
        assert not [fault for fault in (*NOT_ENGLISH, "is not offered now") if fault in plain(reason)], reason


@pytest.mark.parametrize(
    ("name", "action", "reason"),
    [
        ("BID", "see 0", "BID takes number, karama or pass, not see"),
        ("OVER", "pass", "the game is over"),
        ("PREDICT_WHO", "faction 5", "Bene Gesserit cannot predict itself"),
        ("NUMBER", "number 20", "10 tokens are in the field"),
    ],
)
def test_reasons_name_what_is_wrong(name: str, action: str, reason: str) -> None:
    assert reason in why_illegal(state_of(position(name)), COMPONENTS, ACTION_TEXTS.index(action))


def test_a_position_tells_what_its_reader_may_see() -> None:
    content = position("BID")
    state = state_of(content)
    whole = describe(content, COMPONENTS)
    assert whole.startswith("Turn ")
    assert [line for line in whole.split("\n") if line.startswith("  Cards: ")]
    assert "? spice" not in whole
    for seat in range(len(content["players"])):
        seen = describe(view_to_dict(state, COMPONENTS, seat), COMPONENTS)
        held = [line for line in seen.split("\n") if line.startswith("  Cards: ")]
        assert len(held) == 1
        assert held[0] in whole
        assert seen.count("  Traitors: ") == 1


def test_scores_and_hands_stand_in_the_players_lines() -> None:
    content = position("BID")
    content["players"][GUILD] |= {"hand": [], "shown": []}
    lines = describe(content, COMPONENTS).split("\n")
    guild = next(line for line in lines if line.startswith("The Guild (player "))
    player = content["players"][GUILD]
    assert f"{player['spice']} spice, {player['reserve']} in reserve, {player['tanks']} in the tanks" in guild
    assert guild.endswith(", 0 cards")


@pytest.mark.long
@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_every_difference_is_told(every: int) -> None:
    kinds = set[str]()
    for number, one in enumerate(told_games()):
        # Views take longer to make than to tell.
        views = (one.views(0), one.views(1)) if number % every == 0 else ()
        for before, after in ((one.before, one.after), *views):
            found = [event for known in (before, one.heard(before)) for event in events(known, after, COMPONENTS)]
            teller = Teller(english.WORDS, Facts(after, COMPONENTS))
            assert all(told(event, teller) for event in found)
            kinds |= {event.kind for event in found}
    assert set(EVENTS) - kinds == {"embargo", "reviving", "unarmed", "owns"}


def changed(name: str, **changes: Any) -> list[str]:
    """The news of a change of a position, told to everybody."""
    before, after = position(name), position(name)
    for path, value in changes.items():
        inner: Any = after
        *way, last = [int(part) if part.isdigit() else part for part in path.split("__")]
        for part in way:
            inner = inner[part]
        inner[last] = value
    return list(news(before, after))


def test_rare_differences() -> None:
    content = position("BID")
    spice = content["players"][EMPEROR]["spice"]
    assert changed("BID", **{f"players__{EMPEROR}__spice": spice + 4}) == [
        f"The Emperor gains 4 spice (now {spice + 4})"
    ]
    assert changed("REVIVE", **{f"players__{FREMEN}__reviving": True}) == [
        "Fremen may raise its leaders now, one a turn"
    ]
    assert changed("BID", storm=(content["storm"] + 3) % 18) == [
        f"the storm moves from sector {content['storm'] + 1} to sector {(content['storm'] + 3) % 18 + 1}"
    ]


def test_what_the_sentence_has_said_is_not_repeated_as_news() -> None:
    bids = [one for one in told_games() if one.before["decision"] == "BID" and one.action.startswith("number")]
    for one in bids[:50]:
        assert "bid" not in {event.kind for event in events(one.before, one.after, COMPONENTS)}
        other = (one.before["seat"] + 1) % len(one.before["players"])
        if one.after["decision"] == "BID" and one.after["pending"]["bid"]:
            assert "bid" in {event.kind for event in events(*one.views(other), COMPONENTS)}


def test_an_event_of_the_board_is_a_whole_clause() -> None:
    teller = Teller(english.WORDS, Facts(position("BID"), COMPONENTS))
    assert told(Event(None, "turn", (3,)), teller) == "turn 3 begins"
    assert told(Event(ATREIDES, "treason", (HARKONNEN,)), teller) == "calls the leader of Harkonnen a traitor"


def test_the_line_of_a_turn_names_phase_and_faction() -> None:
    content = position("BID")
    assert turn(content, "greedy") == f"Turn {content['turn']}, the bidding: {_capital(content)}, greedy"


def _capital(content: Any) -> str:
    names = ("Atreides", "Harkonnen", "The Emperor", "Fremen", "The Guild", "Bene Gesserit")
    return names[content["players"][content["seat"]]["faction"]]


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_a_variant_is_named_by_its_preset(preset: str) -> None:
    players = PRESETS[preset].get("num_players", 4)
    options = complete({key: value for key, value in PRESETS[preset].items() if key in _OPTION_NAMES}, players)
    assert variant({"num_players": players, **options}) == ("" if preset == "full" else f"variant {preset}")


_OPTION_NAMES = {option.name for option in OPTIONS}


def test_another_variant_is_named_by_what_differs() -> None:
    assert variant({"num_players": 6, **complete({"open_shields": False, "max_turns": 8}, 6)}).count(",") == 1


def test_views_are_told_without_hidden_pieces() -> None:
    """The sentence of a hidden decision's action is never asked of a view, but its position and news are."""
    for one in told_games()[:: len(told_games()) // 40]:
        for seat in range(len(one.before["players"])):
            before, after = one.views(seat)
            assert describe(before, COMPONENTS)
            assert not [line for line in news(before, after) if "None" in line]
    assert np.all([len(one.legal) > 0 for one in told_games()])

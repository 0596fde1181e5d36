"""What a table of Dune tells every link: battles with a notice, seats with their factions, and who gives advice."""

from __future__ import annotations

from typing import Any

import pytest

from dunaia_env import GameState, dune
from dunaia_env.harness.opponents import RandomAgent
from dunaia_env.replay import Replay, record_game
from dunaia_env.table.analyses import ChampionAnalyst
from dunaia_env.table.offers import Offer, make_offers
from dunaia_env.table.showing import Showing
from dunaia_env.table.storage import Decision
from tests.dune_told_games import Told, game

pytestmark = [pytest.mark.once, pytest.mark.long]

PLAYERS = 4


@pytest.fixture(scope="module")
def offer() -> Offer:
    (found,) = make_offers([dune.GAME], agents=("greedy", "random")).values()
    return found


@pytest.fixture(scope="module")
def told() -> list[Told]:
    return list(game(PLAYERS, {"deck": 33, "max_turns": 7}, None, 4, 1))


@pytest.fixture(scope="module")
def showing(offer: Offer, told: list[Told]) -> Showing:
    states = [one.state.tobytes() for one in told]
    states.append(told[-1].next_state.tobytes())
    decisions = [Decision(one.before["seat"], one.action) for one in told]
    return Showing(offer, ["Ada", "greedy", "greedy", "greedy"], states, decisions, [0])


def notices(showing: Showing, made: int, seat: int | None) -> list[dict[str, Any]]:
    return [entry["notice"] for entry in showing.log(made, seat, "en") if "notice" in entry]


def test_every_link_is_shown_the_same_battles(showing: Showing, told: list[Told]) -> None:
    whole = notices(showing, len(told), None)
    assert len(whole) > 1
    for seat in range(PLAYERS):
        assert notices(showing, len(told), seat) == whole
        words = [
            change["text"] for entry in showing.log(len(told), seat, "en") for change in (entry, *entry["changes"])
        ]
        outcomes = [text for text in words if text.startswith(("wins the battle", "nobody wins the battle"))]
        assert len(outcomes) == len(whole)
    found = [notice for made in range(len(told)) if (notice := showing.notice(made, "en")) is not None]
    assert found == whole


def test_open_decisions_are_told_with_their_seat(showing: Showing, told: list[Told]) -> None:
    bids = [one for one in told if one.before["decision"] == "BID" and one.action.startswith("number")]
    for seat in range(PLAYERS):
        entries = showing.log(len(told), seat, "en")
        lines = [(entry["seat"], entry["text"]) for entry in entries if entry["text"].startswith("bids ")]
        assert [one for one, _ in lines] == [one.before["seat"] for one in bids]


def test_seats_are_called_by_their_factions_and_players(showing: Showing, told: list[Told]) -> None:
    names = showing.names("en")
    factions = [dune.FACTION_NAMES[player["faction"]] for player in told[0].before["players"]]
    assert names[0].endswith(" (Ada)")
    assert [name.endswith((" (Greedy player)", " (Greedy player) (2)")) for name in names[1:]] == [True] * 3
    for name, faction in zip(names, factions, strict=True):
        assert faction.replace("_", " ") in name.casefold()
    assert showing.names("fr") != names
    assert showing.wording("en").player(0) == names[0]
    emblems = showing.emblems()
    assert emblems is not None
    assert len(set(emblems)) == PLAYERS
    assert all(one.startswith("<svg") and "currentColor" in one for one in emblems)


def test_whoever_stands_in_for_an_adviser_is_named() -> None:
    played: Replay = record_game(1, [RandomAgent(1)], game=dune.GAME, preset="duel", max_turns=1)
    state = GameState.new(1, game=dune.GAME, preset="duel")
    own = ChampionAnalyst("champion", 0)
    advice = own.advise(state.view())
    assert (advice["adviser"], "instead_of" in advice) == ("dune_champion", False)
    assert 1 <= len(advice["actions"]) <= 5
    other = ChampionAnalyst("missing.safetensors", 0)
    advice = other.advise(state.view())
    assert (advice["adviser"], advice["instead_of"]) == ("greedy", "missing.safetensors")
    judged = other.analyse(played, played.game.load(None), lambda part: None)
    assert (judged["adviser"], judged["instead_of"]) == ("greedy", "missing.safetensors")

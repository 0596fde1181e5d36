"""What the table takes from a game to speak of it: what its scores count, and its presets."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from dunaia_env import GameState, dune
from dunaia_env.dunaia import load
from dunaia_env.dunaia.presentation.labels import LABELS
from dunaia_env.harness.game import Game
from dunaia_env.harness.opponents import RandomAgent
from dunaia_env.harness.options import NUM_PLAYERS, PRESET
from dunaia_env.harness.registry import find_game
from dunaia_env.replay import record_game, to_text
from dunaia_env.table.offers import Offer, games_with_pictures, make_offers
from dunaia_env.table.showing import Showing
from tests.table_agents import Analyst
from tests.table_server import agent, person, running
from tests.test_table_server import analysed
from tests.toy_game import GAME as TOY

pytestmark = pytest.mark.once

GAMES = games_with_pictures()
DUEL = {"preset": "duel", "max_turns": 2}


@pytest.fixture(scope="module")
def offer() -> Offer:
    (found,) = make_offers([dune.GAME], agents=("random",)).values()
    return found


def test_strongholds_are_shown_without_what_says_who_has_won(offer: Offer) -> None:
    state = GameState.new(5, game=dune.GAME, **DUEL)
    random, states = RandomAgent(), [state.to_bytes()]
    random.reset(5)
    while not state.is_over:
        state.apply(random.act(state.view()), 5)
        states.append(state.to_bytes())
    assert max(state.scores()) >= 10, "nobody has won, so the test says nothing"
    showing = Showing(offer, "ab", states, [])
    last = showing.standing(len(states) - 1, 0)
    assert last["scores"] == last["result"]["scores"] == [score % 10 for score in state.scores()]
    assert last["result"]["ranks"] == state.ranks()
    outcome = showing.outcome(len(states) - 1, "en")
    assert list(outcome["winners"]) == [seat for seat, rank in enumerate(state.ranks()) if rank == 1]
    assert showing.names("en")[outcome["winners"][0]].partition(" (")[0] in outcome["reason"]
    assert "stronghold" in outcome["reason"]
    assert showing.standing(0, 1)["scores"] == [1, 1]
    assert showing.unit("en") == {"one": "stronghold", "other": "strongholds", "language": "en"}
    assert showing.unit("fr") == {"one": "forteresse", "other": "forteresses", "language": "fr"}


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_wording_says_what_scores_count_and_names_the_presets(game: Game) -> None:
    for wording in game.require("presentation").wordings.values():
        assert all(wording.unit)
        assert list(wording.presets) == list(game.presets)
        assert all(title and about.endswith(".") for title, about in wording.presets.values())
    assert game.require("presentation").preset in (None, *game.presets)


def test_tables_and_analyses_say_what_scores_count(tmp_path: Path) -> None:
    with running(tmp_path, analyst=Analyst()) as client:
        link = client.open([person(), agent()]).seats[0]
        points = {"one": "point", "other": "points", "language": "en"}
        assert [client.snapshot(link, f"?language={code}")["unit"] for code in ("en", "fr")] == [points, points]
        replay = record_game(5, [RandomAgent()], game=TOY)
        analysis = analysed(client, {"replay": to_text(replay)})[1]["analysis"]
        assert analysis["unit"] == points
        assert len(analysis["positions"]) == len(replay.decisions) + 1


def test_scores_of_an_analysis_are_shown_as_they_are_counted(tmp_path: Path, offer: Offer) -> None:
    class Winning(Analyst):
        def analyse(self, *known: Any) -> dict[str, Any]:
            analysis = super().analyse(*known)
            return analysis | {"positions": [one | {"scores": [13, 2]} for one in analysis["positions"]]}

    with running(tmp_path, offers={offer.name: offer}, analyst=Winning()) as client:
        text = to_text(record_game(5, [RandomAgent()], game=dune.GAME, **DUEL))
        analysis = analysed(client, {"replay": text})[1]["analysis"]
        assert analysis["unit"]["other"] == "strongholds"
        assert {tuple(one["scores"]) for one in analysis["positions"]} == {(3, 2)}


def test_presets_set_every_option(tmp_path: Path, offer: Offer) -> None:
    with running(tmp_path, offers={offer.name: offer}) as client:
        (game,) = client.get("/api/games?language=fr").json["games"]
        presets = {preset["name"]: preset for preset in game["presets"]}
        assert list(presets) == list(dune.GAME.presets)
        assert game["preset"] == "classic"
        assert presets["duel"]["title"] == "Duel"
        assert presets["duel"]["players"] == 2
        assert presets["duel"]["options"]["factions"] == [0, 1]
        assert presets["full"]["players"] is None
        (factions,) = (option for option in game["options"] if option["name"] == "factions")
        assert [one["title"] for one in factions["choices"]][:4] == [None, "Atréides", "Harkonnen", "Empereur"]
        for name, preset in presets.items():
            assert set(preset["options"]) == {option["name"] for option in game["options"]}
            players = preset["players"] or 4
            chosen = dune.GAME.check_options({NUM_PLAYERS: players, **preset["options"]})
            assert chosen == dune.GAME.check_options({NUM_PLAYERS: players, PRESET: name})
            seats = [person(), *[agent()] * (players - 1)]
            assert client.open(seats, game="dune", options=preset["options"]).seats


def test_a_game_without_presets_offers_none() -> None:
    (offer,) = make_offers([TOY], agents=("random",)).values()
    assert offer.to_json("en")["presets"] == []
    assert offer.to_json("en")["preset"] is None


@pytest.mark.parametrize(("name", "lessons"), [("dunaia", 10), ("dune", 8)])
def test_a_game_is_introduced_in_every_language(name: str, lessons: int) -> None:
    presentation = find_game(name).require("presentation")
    told = {code: wording.introduction for code, wording in presentation.wordings.items()}
    for introduction in told.values():
        assert len(introduction.lessons) == lessons
        assert all(
            lesson.title and lesson.text and lesson.drawing.startswith("<svg") for lesson in introduction.lessons
        )
    assert len({introduction.about for introduction in told.values()}) == len(told)
    assert presentation.cover().startswith("<svg")


def test_the_primer_numbers_the_phases_of_a_turn_as_questions_do() -> None:
    presentation, state = find_game("dunaia").require("presentation"), GameState.new(1, game=find_game("dunaia"))
    for wording in presentation.wordings.values():
        titles = [lesson.title for lesson in wording.introduction.lessons]
        numbered = [re.match(r"Phase (\d)\u00a0?:", title) for title in titles]
        assert [match[1] for match in numbered if match] == ["1", "2", "3", "4"]
        first = next(place for place, match in enumerate(numbered) if match)
        assert all(numbered[first : first + 4])
        beginning = next(match[0] for match in numbered if match)
        assert wording.question(state.to_dict(), state.components).startswith(beginning)


def test_the_primer_tells_the_points_of_artefacts() -> None:
    points = load().record[0]["artefact_points"][1:5].tolist()
    for wording in find_game("dunaia").require("presentation").wordings.values():
        told = next(
            lesson for lesson in wording.introduction.lessons if lesson.title.endswith(("Artefacts", "artefacts"))
        )
        assert [int(number) for number in re.findall(r"\d+", told.text)] == points


def test_every_decision_of_a_first_turn_has_a_tip() -> None:
    presentation = find_game("dunaia").require("presentation")
    for wording in presentation.wordings.values():
        for decision in set(LABELS["en"].decisions):
            assert len(wording.introduction.tip({"decision": decision}, None)) > 20
        assert wording.introduction.tip({"decision": "OVER"}, None) == ""

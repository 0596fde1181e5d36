"""What comes after a game: it is played on from any position, and its mistakes are puzzles."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dunaia_env import dune
from dunaia_env.analysis.judging import MISTAKE
from dunaia_env.harness.opponents import RandomAgent
from dunaia_env.harness.state import View
from dunaia_env.replay import Replay, parse, positions, record_game, to_text
from dunaia_env.table import storage
from dunaia_env.table.analyses import Progress
from dunaia_env.table.offers import DEFAULT_AGENTS, Offer, make_offers
from tests import table_agents, toy_game
from tests.clocks import until
from tests.table_server import Client, agent, links, person, running, toy_offers

pytestmark = pytest.mark.once

GAME = toy_game.GAME
# What a choice costs of which the analysis says nothing: the larger the card, the more.
COST_OF_A_CARD = 0.002


class Analyst(table_agents.Analyst):
    """Takes every other decision with four cards or more for a mistake; the two smallest other cards are good."""

    def analyse(self, replay: Replay, components: Any, progress: Progress) -> dict[str, Any]:
        analysis = super().analyse(replay, components, progress)
        mistakes = []
        states = (state for _, state, _ in positions(replay, components=components))
        for row, state in zip(analysis["decisions"], states, strict=False):
            others = [text for text in map(GAME.action_text, state.legal_actions()) if text != row["action"]]
            row |= {"seat": state.seat, "cost": 0.0}
            if len(others) >= 3 and row["number"] % 2 == 0:
                good = [{"action": others[0], "chance": 0.5}, {"action": others[1], "chance": 0.49}]
                actions = [*good, {"action": row["action"], "chance": 0.4}]
                row |= {"best": others[0], "cost": 0.1, "actions": actions}
                mistakes.append(row["number"])
        return analysis | {"mistakes": mistakes, "adviser": "analyst"}

    def cost(self, view: View, action: str) -> float:
        return COST_OF_A_CARD * int(action.removeprefix("bid "))


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with running(tmp_path_factory.mktemp("tables"), offers=toy_offers(), analyst=Analyst()) as client:
        yield client


def recorded(**options: Any) -> Replay:
    return record_game(5, [RandomAgent()], game=GAME, **options)


def analysed(client: Client, replay: Replay) -> str:
    """The link of the analysis of a game."""
    link: str = client.post("/api/analyses", {"replay": to_text(replay)}).json["link"]
    assert until(lambda: (shown := client.get(f"/api{link}").json)["state"] != "running" and shown)["state"] == "done"
    return link


def token(link: str) -> str:
    return link.rpartition("/")[2]


def finished(client: Client, link: str) -> Any:
    """The table's snapshot at the end of the game, of which the seat takes the first choice again and again."""

    def decided() -> Any:
        shown = client.snapshot(link)
        return shown if shown["choice"] or shown["over"] else None

    while not (shown := until(decided))["over"]:
        assert client.decide(link, shown["version"], shown["choice"]["actions"][0]["action"]).status == 200
    return shown


def downloaded(client: Client, link: str) -> Replay:
    return parse(client.get(f"/api{link}/replay").body.decode(), game=GAME)


# Playing on


@pytest.mark.parametrize("new_draws", [False, True])
def test_a_position_of_an_analysis_is_played_on(client: Client, new_draws: bool) -> None:
    replay = recorded()
    made = len(replay.decisions) // 2
    seat = replay.decisions[made]["seat"]
    seats = [person("Ada") if number == seat else agent() for number in range(2)]
    link = analysed(client, replay)
    wanted = {"analysis": token(link), "decisions": made, "new_draws": new_draws, "seats": seats}
    answer = client.post("/api/tables/resume", wanted)
    assert answer.status == 201, answer
    table = links(answer).seats[seat]
    begun = downloaded(client, table)
    assert begun.decisions == replay.decisions[:made]
    assert client.snapshot(table)["choice"]
    # The old draws are those of the old game: the same decisions lead to the same end.
    played = downloaded_after(client, table)
    assert played.decisions[:made] == replay.decisions[:made]
    *_, (_, state, _) = positions(played)
    assert state.is_over
    assert played.seed_of(made - 1) == replay.seed_of(made - 1) == 5
    assert (played.seed_of(made) == 5) is not new_draws


def downloaded_after(client: Client, link: str) -> Replay:
    finished(client, link)
    return downloaded(client, link)


def test_new_draws_change_what_comes_and_nothing_before(client: Client) -> None:
    replay = recorded(laps=4)
    link, made = analysed(client, replay), 4
    ends = set()
    for _ in range(4):
        wanted = {"analysis": token(link), "decisions": made, "new_draws": True, "seats": [agent("greedy")] * 2}
        table = str(links(client.post("/api/tables/resume", wanted)).watch)
        client.post(f"/api{table}/pace", {"paused": False, "seconds": 0})
        until(lambda table=table: client.snapshot(table)["over"])
        played = downloaded(client, table)
        *states, _ = [state.to_bytes() for _, state, _ in positions(played)]
        before = [state.to_bytes() for _, state, _ in positions(recorded(laps=4))][: made + 1]
        assert states[: made + 1] == before
        ends.add(json.dumps(played.result))
    assert len(ends) > 1


def test_a_game_with_new_draws_outlasts_a_restart_and_is_played_on_again(tmp_path: Path) -> None:
    replay = recorded()
    alone = {"replay": to_text(replay), "decisions": 4, "new_draws": True, "seats": [person(), agent()]}
    with running(tmp_path, analyst=Analyst()) as client:
        link = links(client.post("/api/tables/resume", alone)).seats[0]
        end = finished(client, link)
        first = downloaded(client, link)
    with running(tmp_path, analyst=Analyst()) as client:
        assert client.snapshot(link)["picture"] == end["picture"]
        assert downloaded(client, link) == first
        again = alone | {"replay": to_text(first), "decisions": 6}
        second = downloaded_after(client, links(client.post("/api/tables/resume", again)).seats[0])
        assert [decision for decision, _ in second.later_seeds] == [4, 6]
        assert second.later_seeds[0] == first.later_seeds[0]
        # The new draws of a position before it take the place of all later ones.
        again = alone | {"replay": to_text(second), "decisions": 5}
        third = downloaded_after(client, links(client.post("/api/tables/resume", again)).seats[0])
        assert [decision for decision, _ in third.later_seeds] == [4, 5]


def test_a_table_at_which_the_game_is_over_is_played_on(client: Client) -> None:
    link = client.open([person("Ada"), agent()]).seats[0]
    wanted = {"table": token(link), "decisions": 1, "seats": [person(), agent()]}
    assert "not over" in client.post("/api/tables/resume", wanted).error
    shown = finished(client, link)
    position = client.get(f"/api{link}/positions/1").json
    assert position["deciding"] in (0, 1)  # in this game, it is secret before the end
    again = links(client.post("/api/tables/resume", wanted)).seats[0]
    # A link counts the positions that its seat can tell apart.
    begun = until(lambda: (one := client.snapshot(again))["choice"] and one)
    assert begun["version"] >= 1
    assert not begun["over"]
    assert "is over" in client.post("/api/tables/resume", wanted | {"decisions": shown["version"]}).error


@pytest.mark.parametrize(
    ("wanted", "status", "said"),
    [
        ({}, 400, "expected one of them"),
        ({"replay": "", "table": "x"}, 400, "expected one of them"),
        ({"analysis": "x"}, 404, "no analysis"),
        ({"table": "x"}, 404, "no table"),
        ({"decisions": -1}, 422, "decisions: expected 0.."),
        ({"decisions": 10**6}, 422, "decisions: expected 0.."),
        ({"decisions": "1"}, 400, "decisions"),
        ({"new_draws": 1}, 400, "new_draws"),
        ({"decisions": 1, "seats": [person(), agent(), agent()]}, 422, "seats"),
    ],
)
def test_what_cannot_be_played_on_is_refused(client: Client, wanted: Any, status: int, said: str) -> None:
    named = {"analysis", "table", "replay"} & set(wanted) or not wanted
    whole = {"seats": [person(), agent()], **({} if named else {"replay": to_text(recorded())}), **wanted}
    answer = client.post("/api/tables/resume", whole)
    assert (answer.status, said in answer.error) == (status, True), answer


def test_agents_that_know_the_table_are_proposed() -> None:
    offer = make_offers([GAME], agents=("random", "greedy"))[GAME.module]
    two = {"num_players": (2,)}
    learned = dict.fromkeys(("easy", "medium", "hard", "champion", "champion+64"), two)

    def proposed(*agents: str, players: int = 2) -> list[str | None]:
        one = Offer(offer.name, GAME, offer.components, offer.presentation, agents, learned)
        return list(one.proposed({"num_players": players}).values())

    assert offer.proposed({}) == {"opponent": "greedy", "stand_in": "greedy", "strongest": "greedy"}
    assert proposed(*DEFAULT_AGENTS) == ["easy", "medium", "champion"]
    assert proposed(*DEFAULT_AGENTS, players=3) == ["ismcts:200"] * 3
    assert proposed("champion", "random", players=3) == ["random"] * 3
    assert proposed("random", "my_module:Agent") == ["my_module:Agent"] * 3
    assert proposed() == [None] * 3


def test_a_champion_knows_the_tables_at_which_it_has_learned() -> None:
    offer = make_offers([dune.GAME], agents=("champion", "greedy"))["dune"]

    def strongest(players: int, **options: Any) -> str | None:
        return offer.proposed(dune.GAME.check_options({"num_players": players, **options}))["strongest"]

    assert strongest(2, preset="duel", max_turns=7) == "champion"
    assert strongest(2, preset="classic", factions=["fremen", "guild"]) == "champion"
    assert strongest(6, preset="classic") == "champion"
    assert strongest(6, preset="full") == "greedy"


def test_a_header_says_which_seed_is_in_force() -> None:
    later = (storage.LaterSeed(3, 30), storage.LaterSeed(7, 70))
    header = storage.Header(storage.FORMAT, storage.VERSION, "game", "", {}, 5, (), "", False, 0.0, later_seeds=later)
    assert [header.seed_of(number) for number in (0, 2, 3, 6, 7, 100)] == [5, 5, 30, 30, 70, 70]


# Puzzles


def puzzle_of(client: Client, replay: Replay) -> tuple[str, Any, Any]:
    """The link of an analysis, its first mistake, and the puzzle that is made of it."""
    link = analysed(client, replay)
    analysis = client.get(f"/api{link}").json["analysis"]
    number = analysis["mistakes"][0]
    answer = client.get(f"/api{link}/puzzles/{number}")
    assert answer.status == 200, answer
    return link, analysis["decisions"][number], answer.json


def test_a_puzzle_shows_what_the_seat_knew_and_not_what_choices_are_worth(client: Client) -> None:
    replay = recorded(hand=5)
    link, judged, shown = puzzle_of(client, replay)
    drawn = {"picture", "pieces", "around", "focus", "dark", "least_text", "progress"}
    assert set(shown) == drawn | {"seat", "choice", "tolerance"}
    assert shown["seat"] == judged["seat"] == replay.decisions[judged["number"]]["seat"]
    assert shown["tolerance"] == MISTAKE
    assert all(set(one) == {"action", "sentence", "imperative", "pieces"} for one in shown["choice"]["actions"])
    assert {piece for one in shown["choice"]["actions"] for piece in one["pieces"]} <= set(shown["pieces"])
    # The analysis shows everybody's cards, the puzzle only those of the seat.
    whole = client.get(f"/api{link}/positions/{judged['number']}").json
    assert ">?<" in shown["picture"]
    assert ">?<" not in whole["picture"]


def test_an_answer_is_judged_by_the_analysis_where_it_says_something(client: Client) -> None:
    link, judged, _ = puzzle_of(client, recorded(hand=5))
    path = f"/api{link}/puzzles/{judged['number']}"
    best, good, played = (one["action"] for one in judged["actions"])
    answers = {name: client.post(path, {"action": name}).json for name in (best, good, played)}
    assert [(one["found"], one["cost"]) for one in answers.values()] == [(True, 0.0), (True, 0.01), (False, 0.1)]
    for name, one in answers.items():
        assert (one["chosen"]["action"], one["played"]["action"], one["best"]["action"]) == (name, played, best)
        assert one["best"]["sentence"] == f"bids {best.removeprefix('bid ')}"
        assert one["best"]["pieces"] == [f"card-{best.removeprefix('bid ')}"]


def test_other_answers_are_judged_anew_and_found_within_the_tolerance(client: Client) -> None:
    link, judged, shown = puzzle_of(client, recorded(hand=8))
    path = f"/api{link}/puzzles/{judged['number']}"
    known = {one["action"] for one in judged["actions"]}
    others = [one["action"] for one in shown["choice"]["actions"] if one["action"] not in known]
    found = {text: client.post(path, {"action": text}).json for text in others}
    assert {one["found"] for one in found.values()} == {True, False}
    for text, one in found.items():
        assert one["cost"] == pytest.approx(COST_OF_A_CARD * int(text.removeprefix("bid ")))
        assert one["found"] == (one["cost"] <= shown["tolerance"])


def test_what_is_no_puzzle_or_no_answer_is_refused(client: Client) -> None:
    replay = recorded(hand=5)
    link, judged, shown = puzzle_of(client, replay)
    path = f"/api{link}/puzzles/{judged['number']}"
    legal = {one["action"] for one in shown["choice"]["actions"]}
    illegal = next(text for card in range(30) if (text := f"bid {card}") not in legal)
    assert client.get(f"/api{link}/puzzles/{len(replay.decisions)}").status == 404
    assert client.get(f"/api{link}/puzzles/x").status == 400
    assert client.post(path, {"action": illegal}).status == 422
    assert client.post(path, {"action": "x" * 1000}).status == 400
    assert client.post(path, {}).status == 400
    assert client.get("/api/a/x/puzzles/0").status == 404


def test_the_better_move_is_marked_beside_the_played_one(client: Client) -> None:
    link, judged, _ = puzzle_of(client, recorded(hand=5))
    shown = client.get(f"/api{link}/positions/{judged['number']}").json
    cards = {name: f"card-{judged[name].removeprefix('bid ')}" for name in ("action", "best")}
    assert shown["marks"] == {"played": [cards["action"]], "better": [cards["best"]]}
    number = next(one["number"] for one in client.get(f"/api{link}").json["analysis"]["decisions"] if not one["cost"])
    assert client.get(f"/api{link}/positions/{number}").json["marks"] is None

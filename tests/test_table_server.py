"""The server of the table: playing, watching, several people, agents that fail, advice and analyses."""

from __future__ import annotations

import asyncio
import itertools
import json
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from dunaia_env.dunaia import GAME as DUNAIA
from dunaia_env.harness.game import Game
from dunaia_env.harness.opponents import RandomAgent
from dunaia_env.harness.registry import name_of
from dunaia_env.harness.state import GameState
from dunaia_env.replay import parse, record_game, to_text, verify
from dunaia_env.table import tables, thinking
from dunaia_env.table.app import snapshot
from dunaia_env.table.limits import Limits
from dunaia_env.table.offers import games_with_pictures, make_offers
from dunaia_env.table.storage import FORMAT, VERSION, Decision, Header, Seat
from dunaia_env.table.tables import Role, Table
from dunaia_env.table.thinking import SLOW_SECONDS, Thinkers, TooLongError
from tests import toy_game
from tests.clocks import HANGS, set_clock, until
from tests.table_agents import SECRET, Analyst, Failing, Waiting
from tests.table_server import Client, agent, person, running, toy_offers
from tests.toy_options import GAME as COLOURED

pytestmark = pytest.mark.once

GAME = toy_game.GAME
GAME_AGENT = RandomAgent()
MISBEHAVING = tuple(f"tests.table_agents:{name}" for name in ("Failing", "Illegal", "Waiting"))


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    offers = toy_offers("random", "greedy", *MISBEHAVING)
    with running(tmp_path_factory.mktemp("tables"), offers=offers, analyst=Analyst()) as client:
        yield client


def my_turn(client: Client, link: str) -> Any:
    """The snapshot as soon as the seat decides or the game is over."""

    def decided() -> Any:
        shown = client.snapshot(link)
        return shown if shown["choice"] or shown["over"] or shown["problem"] else None

    return until(decided)


def play(client: Client, link: str, most: int = 1000) -> Any:
    """Take the first action again and again; the last snapshot."""
    for _ in range(most):
        shown = my_turn(client, link)
        if not shown["choice"]:
            return shown
        answer = client.decide(link, shown["version"], shown["choice"]["actions"][0]["action"])
        assert answer.status == 200, answer
    return client.snapshot(link)


# Playing


def test_the_lobby_says_what_can_be_played(client: Client) -> None:
    (game,) = client.get("/api/games?language=fr").json["games"]  # a language that the game does not speak
    assert game["name"] == GAME.module
    assert game["title"] == "Sealed bids"
    assert game["players"] == [2, 6]
    assert game["languages"] == {"en": "English"}
    assert [option["name"] for option in game["options"]] == ["hand", "open_bids", "laps"]
    assert game["options"][1] == {
        "name": "open_bids",
        "title": "open bids",
        "help": "show a bid as soon as it is made",
        "kind": "bool",
        "default": False,
    }
    assert game["agents"] == ["random", "greedy", *MISBEHAVING]


def test_options_of_all_kinds_can_be_chosen() -> None:
    (offer,) = make_offers([COLOURED], agents=("random",)).values()
    forms = {option["name"]: option for option in offer.to_json("en")["options"]}
    kinds = ["int", "bool", "int", "choice", "choice", "choice", "seats"]
    assert [form["kind"] for form in forms.values()] == kinds
    assert [one["title"] for one in forms["ending"]["choices"]] == ["Quiet", "Loud"]
    assert [one["value"] for one in forms["limit"]["choices"]] == [None, 2, 3, 4, 5]
    assert forms["colours"]["choices"][:2] == [{"value": None, "title": None}, {"value": 0, "title": "Red"}]


def test_a_person_plays_a_whole_game_whose_replay_verifies(client: Client) -> None:
    opened = client.open([person("Ada"), agent("greedy"), agent()], options={"hand": 4}, seed=7)
    link = opened.seats[0]
    first = my_turn(client, link)
    assert first["names"] == ["Ada", "Greedy player", "Random player"]
    assert first["kinds"] == ["person", "agent", "agent"]
    assert first["role"] == {"seat": 0}
    assert first["deciding"] == 0
    assert first["pace"] is None
    assert first["result"] is None
    assert first["choice"]["question"] == "Which card do you bid?"
    names = {name for action in first["choice"]["actions"] for name in action["pieces"]}
    assert len(names) == len(first["choice"]["actions"]) == 4
    assert names <= set(first["pieces"])
    last = play(client, link)
    assert last["over"]
    assert last["choice"] is None
    assert last["deciding"] is None
    assert last["result"]["scores"] == last["scores"]
    assert [entry["number"] for entry in last["log"]] == list(range(last["version"]))
    since = client.snapshot(link, f"?since={last['version'] - 3}")
    assert since["log"] == last["log"][-2:]
    answer = client.get(f"/api{link}/replay")
    assert "attachment" in answer.headers["content-disposition"]
    replay = parse(answer.body.decode(), game=GAME)
    assert verify(replay) == last["version"]
    assert replay.header["agents"] == ["Ada", "greedy", "random"]
    assert replay.header["seed"] == 7


def test_a_decision_is_answered_with_the_new_position(client: Client) -> None:
    link = client.open([person(), agent()]).seats[0]
    before = my_turn(client, link)
    action = before["choice"]["actions"][1]
    after = client.post(
        f"/api{link}/decide?since={before['version'] - 1}", {"version": before["version"], "action": action["action"]}
    ).json
    assert after["version"] > before["version"]
    assert after["log"][0]["text"] == action["sentence"]
    assert after["log"][0]["seat"] == 0
    assert after["picture"] != before["picture"]


def test_several_people_play_through_their_own_links(client: Client) -> None:
    opened = client.open([person("Ada"), person("Grace")])
    assert set(opened.seats) == {0, 1}
    assert opened.watch is None  # hands are hidden
    ada, grace = opened.seats[0], opened.seats[1]
    shown = my_turn(client, ada)
    assert client.snapshot(grace)["choice"] is None
    action = shown["choice"]["actions"][0]["action"]
    assert "another seat" in client.decide(grace, 0, action).error
    assert client.decide(ada, 0, action).status == 200
    assert client.snapshot(ada)["log"][0]["text"] == f"bids {action.removeprefix('bid ')}"
    assert client.snapshot(grace)["log"][0]["text"] == "bids a card face down"
    assert client.snapshot(grace)["choice"] is not None
    assert "several people" in client.get(f"/api{ada}/replay").error
    assert not client.snapshot(ada)["may_download"]
    position = client.get(f"/api{grace}/positions/1").json
    assert position["picture"] == client.snapshot(grace)["picture"]
    assert position["scores"] == client.snapshot(grace)["scores"]
    assert client.get(f"/api{grace}/positions/2").status == 404


def test_a_seat_receives_nothing_that_it_may_not_know() -> None:
    """Two tables differ in all that a seat does not know: its link shows the same bytes at both."""
    offer = toy_offers("random")[GAME.module]
    seats = tuple(Seat("person", f"P{seat}", "0" * 64) for seat in range(3))
    options = GAME.check_options({"num_players": 3, "hand": 5})
    header = Header(FORMAT, VERSION, offer.name, offer.components.hash, options, 11, seats, "", False, 0.0)

    def payload(seat: int, start: GameState) -> tuple[bytes, str]:
        state, decisions = start.clone(), []
        for _ in range(2):
            action = state.legal_actions()[-1]
            decisions.append(Decision(state.seat, GAME.action_text(action)))
            state.apply(action, header.seed)
        table = Table("0" * 32, header, offer, start.clone(), decisions, 0)
        role = Role(table, seat, "")
        content = [snapshot(role, table.moment(), "en", -1)]
        content += [table.showing.position(number, seat, "en") for number in range(3)]
        return json.dumps(content).encode(), decisions[1].action

    start = GameState.new(header.seed, game=GAME, **options)
    other = start.resampled(0, 5)
    (own, hidden), (same, differs) = payload(0, start), payload(0, other)
    assert hidden != differs, "nothing hidden differs, so the test says nothing"
    assert own == same
    assert payload(1, start)[0] != payload(1, other)[0]
    assert b"face down" in own


def test_links_are_told_of_changes(client: Client) -> None:
    opened = client.open([person("Ada"), person("Grace")])
    ada, grace = opened.seats[0], opened.seats[1]
    assert client.snapshot(ada)["connected"] == [False, False]
    with client.events(ada) as versions:
        assert next(versions) == 0
        assert client.snapshot(grace)["connected"] == [True, False]
        with client.events(grace) as others:
            assert next(others) == 0
            assert next(versions) == 0  # somebody came
            action = client.snapshot(ada)["choice"]["actions"][0]["action"]
            assert client.decide(ada, 0, action).status == 200
            assert until(lambda: next(versions) == 1)
            assert until(lambda: next(others) == 1)
    until(lambda: client.snapshot(ada)["connected"] == [False, False])


def test_one_connection_tells_of_several_tables(client: Client) -> None:
    first, second = (client.open([person("Ada"), person("Grace")]) for _ in range(2))
    links = first.seats[0], first.seats[1], second.seats[0]
    tokens = [link.rpartition("/")[2] for link in links]
    with client.stream(f"/api/events?{'&'.join(f'link={token}' for token in (*tokens, 'unknown'))}") as told:
        begun = [next(told) for _ in tokens]
        assert sorted(one["link"] for one in begun) == sorted(tokens)
        assert {one["version"] for one in begun} == {0}
        # Grace's page is one of those that the stream tells, so she is there too.
        assert client.snapshot(links[0])["connected"] == [True, True]
        action = client.snapshot(links[2])["choice"]["actions"][0]["action"]
        assert client.decide(links[2], 0, action).status == 200
        assert until(lambda: next(told) == {"link": tokens[2], "version": 1})
        action = client.snapshot(links[0])["choice"]["actions"][0]["action"]
        assert client.decide(links[0], 0, action).status == 200
        versions: dict[str, int] = {}
        while len(versions) < 2:
            one = next(told)
            if one["version"] == 1:
                versions[one["link"]] = 1
        assert versions.keys() == set(tokens[:2])
    until(lambda: client.snapshot(links[0])["connected"] == [False, False])
    assert client.get("/api/events").status == 400
    assert client.get(f"/api/events?{'&'.join(f'link={number}' for number in range(41))}").status == 400
    assert client.get("/api/events?link=unknown").status == 404


# Watching


def test_agents_play_at_the_pace_of_whoever_watches(client: Client) -> None:
    opened = client.open([agent("greedy"), agent("random")])
    assert opened.seats == {}
    link = opened.watch
    assert link is not None
    paused = client.post(f"/api{link}/pace", {"paused": True, "seconds": 0})
    assert paused.json["pace"] == {"paused": True, "seconds": 0}
    assert not paused.json["thinking"]
    version = client.snapshot(link)["version"]
    time.sleep(0.3)
    assert client.snapshot(link)["version"] == version
    assert "watches" in client.decide(link, version, "bid 0").error
    for steps in (1, 2):
        assert client.post(f"/api{link}/pace", {"paused": True, "seconds": 5, "step": True}).json["pace"]["paused"]
        until(lambda done=version + steps: client.snapshot(link)["version"] == done)
        time.sleep(0.05)
        assert client.snapshot(link)["version"] == version + steps
    client.post(f"/api{link}/pace", {"paused": False, "seconds": 0})
    last = until(lambda: (shown := client.snapshot(link))["over"] and shown)
    # Whoever watches agents sees all hands.
    assert "card-" in client.get(f"/api{link}/positions/0").json["picture"]
    assert "face down" not in json.dumps(last["log"])
    assert "seconds" in client.post(f"/api{link}/pace", {"paused": False, "seconds": 11}).error


def test_agents_wait_while_nobody_watches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Whenever the table asks, the last look is just too long ago.
    set_clock(monkeypatch, tables, step=tables.WATCHED_SECONDS)
    with running(tmp_path) as client:
        link = client.open([agent(), agent()]).watch
        assert link is not None
        client.post(f"/api{link}/pace", {"paused": False, "seconds": 0})
        time.sleep(0.3)
        assert client.snapshot(link)["version"] == 0
        with client.events(link) as versions:
            assert next(versions) == 0
            client.snapshot(link)  # as a page asks when it is told of the version
            until(lambda: next(versions) >= 3)
        link = client.open([agent(), agent()]).watch
        client.post(f"/api{link}/pace", {"paused": False, "seconds": 0})
        time.sleep(0.1)
        assert client.snapshot(link)["version"] == 0
        set_clock(monkeypatch, tables)
        client.snapshot(link)  # has just looked
        until(lambda: client.get(f"/api{link}/positions/3").status == 200)


def test_the_pace_is_for_games_without_people(client: Client) -> None:
    link = client.open([person(), agent()]).seats[0]
    assert "people play" in client.post(f"/api{link}/pace", {"paused": True, "seconds": 1}).error


# Opening


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"game": "chess"}, 422, "game"),
        ({"seats": [person()]}, 422, "seats: expected 2 to 6, got 1"),
        ({"seats": [person()] * 7}, 422, "seats: expected 2 to 6, got 7"),
        ({"seats": [person(), {"kind": "robot"}]}, 400, "seats[1].kind"),
        ({"seats": [person(), {"kind": "agent", "agent": "os:system"}]}, 422, "seats[1]"),
        ({"seats": [person(), {"kind": "agent", "agent": "../x.safetensors"}]}, 422, "random, greedy"),
        ({"seats": [person(""), agent()]}, 422, "name"),
        ({"seats": [person("a" * 41), agent()]}, 422, "name"),
        ({"seats": [person("\u202eabc"), agent()]}, 422, "name"),
        ({"seats": [{"kind": "person", "name": 5}, agent()]}, 400, "name"),
        ({"options": {"hand": 1}}, 422, "hand"),
        ({"options": {"hand": "three"}}, 422, "hand"),
        ({"options": {"speed": 3}}, 422, "speed"),
        ({"options": {"num_players": 3}}, 422, "num_players"),
        ({"options": []}, 400, "options"),
        ({"seed": -1}, 422, "seed"),
        ({"seed": 1.5}, 400, "seed"),
        ({"seed": 1, "seats": [person("Ada"), person("Grace")]}, 422, "seed"),
        ({"coach": "yes"}, 400, "coach"),
        ({"colour": "red"}, 400, "colour"),
    ],
)
def test_a_table_is_opened_only_as_it_can_be(client: Client, body: Any, status: int, said: str) -> None:
    answer = client.post("/api/tables", {"game": GAME.module, "seats": [person(), agent()], **body})
    assert said in answer.error
    assert answer.status == status


def test_names_are_shown_as_text(client: Client) -> None:
    link = client.open([person("  <script>alert('x')</script> "), agent()]).seats[0]
    shown = client.snapshot(link)
    assert shown["names"][0] == "<script>alert('x')</script>"
    assert "<script" not in shown["picture"]


def test_a_game_is_played_on_from_its_replay(client: Client) -> None:
    link = client.open([person(), agent()], seed=3).seats[0]
    shown = play(client, link, 2)
    text = client.get(f"/api{link}/replay").body.decode()
    answer = client.post("/api/tables/resume", {"replay": text, "seats": [person("Eve"), agent("greedy")]})
    assert answer.status == 201
    again = answer.json["seats"][0]["link"]
    resumed = my_turn(client, again)
    assert resumed["version"] == my_turn(client, link)["version"]
    assert resumed["names"] == ["Eve", "Greedy player"]
    assert resumed["choice"]["actions"] == my_turn(client, link)["choice"]["actions"]
    assert [entry["text"] for entry in resumed["log"]][: shown["version"]] == [one["text"] for one in shown["log"]]
    assert play(client, again)["over"]


def test_advice_can_be_asked_for_in_a_game_that_goes_on(client: Client) -> None:
    link = client.open([person(), agent()], seed=3).seats[0]
    play(client, link, 2)
    text = client.get(f"/api{link}/replay").body.decode()
    for wanted in (True, False):
        message = {"replay": text, "seats": [person(), agent()], "coach": wanted}
        again = client.post("/api/tables/resume", message).json["seats"][0]["link"]
        assert client.snapshot(again)["coach"] is wanted


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: "", "empty"),
        (lambda text: text.replace('"players": 2', '"players": 3'), "agents"),
        (lambda text: text.replace("bid", "steal", 1), "line"),
        (lambda text: text.replace("sealed bids to 40", "sealed bids to 41"), "components"),
        (lambda text: text.replace("tests.toy_game", "tests.other_game"), "game"),
        (lambda text: text.replace('{"seat": 0', '{"seat": 1'), "seat"),
        (lambda text: "[" * 50_000, "values"),
    ],
)
def test_a_damaged_replay_is_refused_with_its_fault(client: Client, change: Any, said: str) -> None:
    link = client.open([person(), agent()], seed=3).seats[0]
    play(client, link, 2)
    text = change(client.get(f"/api{link}/replay").body.decode())
    for path, body in (
        ("/api/tables/resume", {"replay": text, "seats": [person(), agent()]}),
        ("/api/analyses", {"replay": text}),
    ):
        answer = client.post(path, body)
        assert answer.status == 422
        assert said in answer.error


def test_a_finished_game_is_not_played_on(client: Client) -> None:
    text = to_text(record_game(1, [GAME_AGENT], game=GAME))
    assert "over" in client.post("/api/tables/resume", {"replay": text, "seats": [person(), agent()]}).error
    assert client.post("/api/tables/resume", {"replay": text, "seats": [person()]}).status == 422


# Agents that fail or take long


def test_an_agent_that_fails_stops_its_table_and_can_try_again(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    Failing.asked = 0
    link = client.open([person(), agent(MISBEHAVING[0])]).seats[0]
    shown = play(client, link)
    assert shown["problem"] == "an agent has failed"  # who was asked is secret in this game
    assert not shown["thinking"]
    assert SECRET not in json.dumps(shown)
    assert SECRET in caplog.text  # the server's log says why
    assert client.get("/api/games").status == 200
    again = client.post(f"/api{link}/again")
    assert again.status == 200
    assert play(client, link)["over"]
    assert "no agent has failed" in client.post(f"/api{link}/again").error


@pytest.mark.filterwarnings("ignore")
def test_an_illegal_action_stops_its_table(client: Client) -> None:
    link = client.open([person(), agent(MISBEHAVING[1])]).seats[0]
    assert play(client, link)["problem"] == "an agent chose an action that the rules forbid"


def test_a_fault_names_its_agent_where_nothing_is_hidden(tmp_path: Path) -> None:
    offers = make_offers([DUNAIA], agents=MISBEHAVING[1:2])
    with running(tmp_path, offers=offers) as client:
        link = client.open([person(), agent(MISBEHAVING[1])], game=DUNAIA.name).seats[0]
        assert play(client, link)["problem"] == f"{MISBEHAVING[1]} chose an action that the rules forbid"


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """The gate at which `Waiting` waits; it is open after the test."""
    Waiting.gate.clear()
    yield Waiting.gate
    Waiting.gate.set()


def test_an_agent_that_takes_too_long_is_given_up(tmp_path: Path, gate: threading.Event) -> None:
    with running(tmp_path, offers=toy_offers(MISBEHAVING[2]), most_seconds=0.2) as client:
        link = client.open([person(), agent(MISBEHAVING[2])]).seats[0]
        assert play(client, link)["problem"] == "an agent has taken too long"


def test_slow_agents_hold_up_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate: threading.Event
) -> None:
    waiting = MISBEHAVING[2]
    monkeypatch.setattr(Waiting, "quick", 2)
    monkeypatch.setattr(Waiting, "clock", set_clock(monkeypatch, thinking))
    with running(tmp_path, offers=toy_offers("random", waiting), threads=2) as client:
        slow = [client.open([person(), agent(waiting)]).seats[0] for _ in range(6)]
        quick = client.open([person(), agent("random")], options={"hand": 2}).seats[0]
        for link in slow:
            shown = my_turn(client, link)
            client.decide(link, shown["version"], shown["choice"]["actions"][0]["action"])

        def answered() -> int:
            return sum(client.snapshot(link)["choice"] is not None for link in slow)

        # From the second decision on the slow agent is known to be slow, and leaves a thread to the others.
        until(lambda: answered() == 2)
        play(client, quick, 4)
        assert answered() == 2
        gate.set()
        until(lambda: answered() == 6)


def test_the_table_that_has_had_less_time_is_next(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    clock = set_clock(monkeypatch, thinking)

    def think() -> None:
        clock.now += 1.0

    async def main() -> None:
        thinkers, gate = Thinkers(1), threading.Event()
        await thinkers.run("long", "x", think)
        occupied = asyncio.ensure_future(thinkers.run("other", "x", lambda: gate.wait(HANGS)))
        await asyncio.sleep(0)
        asked = []
        for name in ("long", "short"):
            asked.append(asyncio.ensure_future(thinkers.run(name, "x", partial(order.append, name))))
            await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(occupied, *asked)
        thinkers.close()

    asyncio.run(asyncio.wait_for(main(), HANGS))
    assert order == ["short", "long"]


def test_work_that_never_ends_is_given_up_and_its_thread_replaced() -> None:
    async def main() -> None:
        thinkers = Thinkers(1, most_seconds=0.05)
        end = threading.Event()
        for _ in range(3):
            with pytest.raises(TooLongError):
                await thinkers.run("stuck", "stuck", lambda: end.wait(HANGS))
        thinkers._most_seconds = HANGS
        assert await thinkers.run("other", "quick", lambda: 5) == 5
        end.set()
        thinkers.close()

    asyncio.run(asyncio.wait_for(main(), HANGS))
    assert SLOW_SECONDS > 0


def test_work_that_nobody_wants_any_more_does_not_keep_its_thread_for_good() -> None:
    async def main() -> None:
        thinkers = Thinkers(1, most_seconds=0.05)
        end = threading.Event()
        for _ in range(3):
            asked = asyncio.ensure_future(thinkers.run("stuck", "stuck", lambda: end.wait(HANGS)))
            await asyncio.sleep(0.01)
            asked.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asked
        assert await thinkers.run("other", "quick", lambda: 5) == 5
        end.set()
        thinkers.close()

    asyncio.run(asyncio.wait_for(main(), HANGS))


# Advice and analyses


def test_advice_is_given_to_the_deciding_seat_where_the_table_allows_it(client: Client) -> None:
    opened = client.open([person("Ada"), person("Grace")], coach=True)
    shown = my_turn(client, opened.seats[0])
    assert shown["coach"]
    asked = Analyst.asked
    advice = client.post(f"/api{opened.seats[0]}/coach").json
    assert client.post(f"/api{opened.seats[0]}/coach").json == advice
    assert Analyst.asked == asked + 1  # the same position is judged once
    assert (advice["version"], advice["adviser"]) == (0, "analyst")
    assert sum(advice["chances"]) == pytest.approx(1)
    assert [one["imperative"] for one in advice["actions"]] == [one["imperative"] for one in shown["choice"]["actions"]]
    assert client.post(f"/api{opened.seats[1]}/coach").status == 403
    without = client.open([person(), agent()]).seats[0]
    assert "no advice" in client.post(f"/api{without}/coach").error


def analysed(client: Client, body: Any) -> tuple[str, Any]:
    answer = client.post("/api/analyses", body)
    assert answer.status == 202, answer
    link = answer.json["link"]
    found = until(lambda: (shown := client.get(f"/api{link}").json)["state"] != "running" and shown)
    return link, found


def test_a_game_is_analysed_and_stepped_through(client: Client) -> None:
    replay = record_game(5, [GAME_AGENT], game=GAME)
    link, shown = analysed(client, {"replay": to_text(replay)})
    assert shown["state"] == "done"
    assert shown["progress"] == 1
    assert shown["title"] == "Sealed bids"
    assert shown["decisions"] == len(replay.decisions)
    assert shown["analysis"]["names"] == ["Random player", "Random player (2)"]
    judged = shown["analysis"]["decisions"][0]
    assert judged["sentence"] == judged["best_sentence"] == judged["actions"][0]["sentence"]
    first = client.get(f"/api{link}/positions/0").json
    assert first["sentence"] == judged["sentence"]
    assert first["picture"].startswith("<svg")
    assert first["sentence"] == f"bids {replay.decisions[0]['action'].removeprefix('bid ')}"
    assert first["sentences"][replay.decisions[0]["action"]] == first["sentence"]
    last = client.get(f"/api{link}/positions/{len(replay.decisions)}").json
    assert last["sentence"] is None
    assert client.get(f"/api{link}/positions/{len(replay.decisions) + 1}").status == 404


def test_a_table_is_analysed_when_its_game_is_over(client: Client) -> None:
    link = client.open([person("Ada"), person("Grace")]).seats[0]
    assert "not over" in client.post("/api/analyses", {"table": link.removeprefix("/t/")}).error
    alone = client.open([person("Ada"), agent()]).seats[0]
    play(client, alone)
    assert analysed(client, {"table": alone.removeprefix("/t/")})[1]["analysis"]["names"] == ["Ada", "Random player"]
    assert client.post("/api/analyses", {}).status == 400
    assert client.post("/api/analyses", {"table": "x" * 43}).status == 404


@pytest.mark.parametrize(("name", "said"), [("nobody", "nobody can be judged"), ("fault", "the server has failed")])
def test_a_game_that_cannot_be_analysed_says_why(client: Client, name: str, said: str) -> None:
    text = to_text(record_game(5, [GAME_AGENT], game=GAME)).replace('"random"', f'"{name}"', 1)
    shown = analysed(client, {"replay": text})[1]
    assert shown["state"] == "failed"
    assert said in shown["error"]
    assert SECRET not in json.dumps(shown)


def test_analyses_outlast_a_restart(tmp_path: Path) -> None:
    text = to_text(record_game(5, [GAME_AGENT], game=GAME))
    with running(tmp_path, analyst=Analyst()) as client:
        link, shown = analysed(client, {"replay": text})
    (file,) = (tmp_path / "analyses").iterdir()
    stored = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(stored | {"state": "running", "analysis": None}), encoding="utf-8")
    with running(tmp_path, analyst=Analyst()) as client:
        assert until(lambda: (again := client.get(f"/api{link}").json)["state"] == "done" and again) == shown


def test_analyses_are_limited(tmp_path: Path) -> None:
    text = to_text(record_game(5, [GAME_AGENT], game=GAME))
    limits = Limits(client_analyses=1000, analyses=2, decisions=100)
    with running(tmp_path, analyst=Analyst(), limits=limits) as client:
        made = [analysed(client, {"replay": text})[0] for _ in range(3)]
        assert [client.get(f"/api{link}").status for link in made] == [404, 200, 200]
        # A file that is being written stands beside the others for a moment.
        assert until(lambda: len(list((tmp_path / "analyses").iterdir())) == 2)
    with running(tmp_path, analyst=Analyst(), limits=Limits(client_analyses=1000, decisions=3)) as client:
        assert "at most 3" in client.post("/api/analyses", {"replay": text}).error


# Languages


def test_a_language_that_the_game_does_not_speak_is_refused(client: Client) -> None:
    link = client.open([person(), agent()]).seats[0]
    for answer in (
        client.get(f"/api{link}?language=xx"),
        client.get(f"/api{link}/positions/0?language=xx"),
        client.post(f"/api{link}/decide?language=xx", {"version": 0, "action": "bid 0"}),
    ):
        assert answer.status == 400
        assert "one of en" in answer.error
    assert client.snapshot(link)["version"] == 0


# The games of the library


@pytest.mark.slow
@pytest.mark.parametrize("game", games_with_pictures(), ids=lambda game: game.name)
@pytest.mark.parametrize("full", [False, True])
def test_every_game_is_played_in_every_language(tmp_path: Path, game: Game, full: bool) -> None:
    """A person who clicks at random plays a whole game; whatever is clicked is in the picture and can be told apart."""
    offers = make_offers([game], agents=("random",))
    presentation = game.require("presentation")
    languages = itertools.cycle(presentation.wordings)
    players = game.max_players if full else game.min_players
    random = np.random.default_rng(3)
    with running(tmp_path, offers=offers) as client:
        seats = [person("<i>\"'&"), *[agent("random")] * (players - 1)]
        link = client.open(seats, game=name_of(game), options=game.default_options(full=full), seed=12).seats[0]
        while True:
            language = next(languages)
            shown = client.snapshot(link, f"?language={language}")
            if shown["over"]:
                break
            if shown["choice"] is None:
                time.sleep(0.01)
                continue
            assert "<i>" not in shown["picture"]
            ElementTree.fromstring(shown["picture"])  # well-formed, whatever people are called
            actions = shown["choice"]["actions"]
            paths = {tuple(one["pieces"]) for one in actions}
            assert len(paths) == len(actions)
            assert {piece for path in paths for piece in path} <= set(shown["pieces"])
            assert all(shown["pieces"].values())
            assert all(one["sentence"] and one["imperative"] for one in actions)
            action = actions[int(random.integers(len(actions)))]["action"]
            answer = client.decide(link, shown["version"], action)
            assert answer.status == 200
            entries = {entry["number"]: entry for entry in answer.json["log"]}
            assert entries[shown["version"]]["seat"] == 0
        for language in presentation.wordings:
            log = client.snapshot(link, f"?language={language}")["log"]
            # What others decide is told only where it is seen or changes something that is.
            assert len(log) == shown["version"] or not game.perfect_information
            assert all(entry["text"] and entry["text"] != "decides" for entry in log)
        replay = parse(client.get(f"/api{link}/replay").body.decode())
        # Where seats know different things, the seat counts only what it could notice.
        assert (verify(replay) == shown["version"]) == game.perfect_information
        assert verify(replay) >= shown["version"]

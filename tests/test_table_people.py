"""People at the table: they are replaced, resign, come back, undo decisions, play against a clock and play again."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dunaia_env.dunaia import GAME as DUNAIA
from dunaia_env.harness.state import GameState
from dunaia_env.replay import parse, verify
from dunaia_env.table import room, storage, tables
from dunaia_env.table.errors import RefusedError, Sentence
from dunaia_env.table.limits import Limits
from dunaia_env.table.offers import make_offers
from dunaia_env.table.thinking import Played
from tests.clocks import set_clock, until
from tests.table_agents import Analyst, Failing, Waiting
from tests.table_server import Answer, Client, agent, person, running, toy_offers
from tests.test_table_server import GAME, MISBEHAVING, my_turn, play
from tests.test_table_storage import only_table

pytestmark = pytest.mark.once

ALONE = [person("Ada"), agent("greedy")]
TWO = [person("Ada"), person("Grace")]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    offers = toy_offers("random", "greedy", *MISBEHAVING)
    with running(tmp_path_factory.mktemp("tables"), offers=offers, analyst=Analyst()) as client:
        yield client


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """The gate at which `Waiting` waits; it is open after the test."""
    Waiting.gate.clear()
    yield Waiting.gate
    Waiting.gate.set()


def opened(client: Client, seats: Any, **more: Any) -> tuple[dict[int, str], str, str | None]:
    """The links of a new table by seat, its key, and the link for watching."""
    answer = client.post("/api/tables", {"game": GAME.module, "seats": seats, **more})
    assert answer.status == 201, answer
    links = {one["seat"]: one["link"] for one in answer.json["seats"]}
    return links, answer.json["key"], answer.json["watch"]


def decide(client: Client, link: str, which: int = 0) -> Answer:
    """Decide once, with one of the actions."""
    shown = my_turn(client, link)
    action = shown["choice"]["actions"][which]["action"]
    message = {"version": shown["version"], "undone": shown["undone"], "action": action}
    answer = client.post(f"/api{link}/decide", message)
    assert answer.status == 200, answer
    return answer


def end(client: Client, *links: str) -> list[Any]:
    """Play a game to its end; the last snapshots."""
    while not client.snapshot(links[0])["over"]:
        for link in links:
            if client.snapshot(link)["choice"]:
                decide(client, link)
    return [client.snapshot(link) for link in links]


def undo(client: Client, link: str, *, asked: int | None = None, agrees: bool = True) -> Answer:
    undone = client.snapshot(link)["undone"]
    return client.post(f"/api{link}/undo", {"undone": undone, "asked": asked, "agrees": agrees})


def reasons(client: Client, link: str) -> list[tuple[str, int, str]]:
    return [(note["reason"], note["seat"], note["agent"]) for note in client.snapshot(link)["notes"]]


# Resigning and coming back


def test_a_person_resigns_to_an_agent_and_comes_back(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        links = client.open(TWO, options={"hand": 3}).seats
        answer = client.post(f"/api{links[0]}/resign", {"agent": "random"})
        assert answer.status == 200
        assert answer.json["choice"] is None
        until(lambda: client.snapshot(links[1])["choice"])
        assert client.snapshot(links[1])["agents"] == ["random", None]
        assert client.snapshot(links[1])["kinds"] == ["person", "person"]
        decide(client, links[1])
        until(lambda: client.snapshot(links[1])["choice"])
    with running(tmp_path) as client:
        assert client.snapshot(links[0])["agents"] == ["random", None]
        back = client.post(f"/api{links[0]}/return")
        assert back.json["agents"] == [None, None]
    with running(tmp_path) as client:
        assert reasons(client, links[1]) == [("resigned", 0, "random"), ("returned", 0, "")]
        decide(client, links[1])
        assert client.snapshot(links[0])["choice"] is not None
        end(client, links[0], links[1])
        replay = parse(client.get(f"/api{links[1]}/replay").body.decode(), game=GAME)
        assert replay.header["agents"] == ["random, Ada", "Grace"]
        verify(replay)


def test_the_log_says_what_an_agent_decided_in_a_persons_place(tmp_path: Path) -> None:
    with running(tmp_path, offers=make_offers([DUNAIA], agents=("random",))) as client:
        links, _, _ = opened(client, TWO, game=DUNAIA.name)
        decided = {0: False}
        for agent_plays in (True, False):
            before = client.snapshot(links[1])["version"]
            if agent_plays:
                assert client.post(f"/api{links[0]}/resign", {"agent": "random"}).status == 200
                until(lambda: client.snapshot(links[1])["choice"])
            else:
                assert client.post(f"/api{links[0]}/return").status == 200
                until(lambda: client.snapshot(links[0])["choice"] or client.snapshot(links[1])["choice"])
                while not client.snapshot(links[0])["choice"]:
                    decide(client, links[1])
                decide(client, links[0])
            entries = [entry for entry in client.snapshot(links[1])["log"] if entry["number"] >= before]
            told = {entry["seat"]: entry.get("by_agent", False) for entry in entries}
            assert told.pop(0) is agent_plays
            assert not any(told.values())
            decided[0] |= bool(entries)
        assert decided[0]


def test_whoever_decides_takes_the_seat_back(tmp_path: Path, gate: threading.Event) -> None:
    with running(tmp_path, offers=toy_offers("random", MISBEHAVING[2])) as client:
        links = client.open(TWO).seats
        before = client.snapshot(links[0])
        assert client.post(f"/api{links[0]}/resign", {"agent": MISBEHAVING[2]}).json["thinking"]
        action = before["choice"]["actions"][0]["action"]
        after = client.decide(links[0], 0, action)
        assert after.status == 200
        assert after.json["agents"] == [None, None]
        assert [note["reason"] for note in after.json["notes"]] == ["resigned", "returned"]
        # What the agent was thinking about is not asked any more.
        gate.set()
        assert decide(client, links[1]).json["version"] == 2
        assert my_turn(client, links[0])["choice"]["actions"]


def test_a_game_that_agents_took_over_goes_on_at_the_pace_of_whoever_looks(client: Client) -> None:
    link = client.open(ALONE, options={"hand": 3}).seats[0]
    assert "people play" in client.post(f"/api{link}/pace", {"paused": True, "seconds": 0}).error
    resigned = client.post(f"/api{link}/resign", {"agent": "random"}).json
    assert resigned["pace"] == {"paused": False, "seconds": 1.0}
    client.post(f"/api{link}/pace", {"paused": False, "seconds": 0})
    assert until(lambda: (shown := client.snapshot(link))["over"] and shown)["pace"] is not None


def test_who_may_resign_and_return(client: Client) -> None:
    link = client.open(ALONE).seats[0]
    watch = client.open([agent(), agent()]).watch
    for path, message, status, said in (
        (f"{watch}/resign", {"agent": "random"}, 403, "no seat"),
        (f"{watch}/return", {}, 403, "no seat"),
        (f"{link}/resign", {"agent": "os:system"}, 422, "agent: unknown; random, greedy"),
        (f"{link}/resign", {}, 400, "agent: missing"),
        (f"{link}/resign", {"agent": 3}, 400, "agent"),
        (f"{link}/return", {}, 409, "no agent plays"),
        (f"{link}/return", {"seat": 1}, 400, "seat: unknown"),
    ):
        answer = client.post(f"/api{path}", message)
        assert (answer.status, said in answer.error) == (status, True), answer
    assert client.post(f"/api{link}/resign", {"agent": "random"}).status == 200
    assert "Random player plays for this seat already" in client.post(f"/api{link}/resign", {"agent": "random"}).error
    assert client.post(f"/api{link}/resign", {"agent": "greedy"}).status == 200
    over = client.open(ALONE).seats[0]
    play(client, over)
    for name, message in (("resign", {"agent": "random"}), ("return", {})):
        assert "the game is over" in client.post(f"/api{over}/{name}", message).error


# Being replaced


def replace(client: Client, link: str, seat: int, name: str = "random", key: str = "") -> Answer:
    return client.post(f"/api{link}/replace", {"seat": seat, "agent": name, "key": key})


def test_whoever_opened_the_table_replaces_agents_and_people_who_are_not_there(client: Client) -> None:
    links, key, _ = opened(client, [person("Ada"), person("Grace"), agent("greedy")])
    assert client.snapshot(links[0])["may_seat"] == {"anyone": [], "opener": [1, 2]}
    for seat, name, used, status, said in (
        (1, "random", "", 403, "may not be replaced"),  # without the key
        (1, "random", "x" * 43, 403, "key"),
        (0, "random", key, 403, "may not be replaced"),  # one's own seat is given up by resigning
        (3, "random", key, 422, "seat: expected one of 0..2, got 3"),
        (-1, "random", key, 422, "seat"),
        (1, "os:system", key, 422, "agent: unknown"),
        (2, "greedy", key, 409, "Greedy player plays for this seat already"),
    ):
        answer = replace(client, links[0], seat, name, used)
        assert (answer.status, said in answer.error) == (status, True), answer
    with client.events(links[1]) as versions:
        assert next(versions) == 0
        assert replace(client, links[0], 1, key=key).status == 403, "Grace is there"
    until(lambda: not client.snapshot(links[0])["connected"][1])
    assert replace(client, links[0], 1, key=key).status == 200
    assert client.snapshot(links[0])["instead"] == [None, "random", None]
    replaced = replace(client, links[0], 2, key=key).json
    assert replaced["agents"] == replaced["instead"] == [None, "random", "random"]
    assert reasons(client, links[1]) == [("replaced", 1, "random"), ("replaced", 2, "random")]
    assert client.post(f"/api{links[1]}/return").json["agents"] == [None, None, "random"]


def test_anyone_replaces_a_person_after_a_time_of_absence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = set_clock(monkeypatch, tables)
    with running(tmp_path) as client:
        links, _, _ = opened(client, [person("Ada"), person("Grace"), agent()])
        clock.now = tables.ABSENT_SECONDS - 1
        assert replace(client, links[1], 0).status == 403
        clock.now += 1
        assert client.snapshot(links[1])["may_seat"]["anyone"] == [0]
        with client.events(links[0]) as versions:
            assert next(versions) == 0
            assert client.snapshot(links[1])["may_seat"]["anyone"] == []
        until(lambda: not client.snapshot(links[1])["connected"][0])
        assert replace(client, links[1], 0).status == 403, "the time begins when the page is closed"
        clock.now += tables.ABSENT_SECONDS
        assert replace(client, links[1], 2).status == 403, "no agent has failed"
        assert replace(client, links[1], 0).json["agents"] == ["random", None, "random"]
        assert reasons(client, links[0]) == [("replaced", 0, "random")]
        assert client.snapshot(links[0])["notes"][0]["by"] == 1


def test_whoever_takes_very_long_is_replaced_though_the_page_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = set_clock(monkeypatch, tables)
    with running(tmp_path) as client:
        links, _, _ = opened(client, TWO, options={"open_bids": True})
        with client.events(links[0]) as versions:
            assert next(versions) == 0
            clock.now = tables.PERSON_SECONDS - 1
            assert replace(client, links[1], 0).status == 403
            clock.now += 1
            assert replace(client, links[1], 0).json["agents"] == ["random", None]


def test_an_agent_that_takes_long_is_replaced_and_its_answer_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate: threading.Event
) -> None:
    clock = set_clock(monkeypatch, tables)
    with running(tmp_path, offers=toy_offers("random", MISBEHAVING[2])) as client:
        links, key, _ = opened(client, [person(), agent(MISBEHAVING[2])])
        assert decide(client, links[0]).json["thinking"]
        assert replace(client, links[0], 1).status == 403
        clock.now = tables.AGENT_SECONDS
        assert replace(client, links[0], 1).status == 200
        assert my_turn(client, links[0])["version"] >= 2
        gate.set()
        shown = play(client, links[0])
        assert shown["over"]
        replay = parse(client.get(f"/api{links[0]}/replay").body.decode(), game=GAME)
        assert replay.header["agents"] == ["Ada", "random"]
        assert verify(replay) == shown["version"]
        # The opener need not wait.
        links, key, _ = opened(client, [person(), agent("random")])
        assert replace(client, links[0], 1, MISBEHAVING[2], key).status == 200


def test_an_answer_to_a_former_question_is_ignored() -> None:
    offer = toy_offers()[GAME.module]
    options = GAME.check_options({"num_players": 2})
    seats = (storage.Seat("agent", "random", ""), storage.Seat("person", "Ada", "0" * 64))
    header = storage.Header(
        storage.FORMAT, storage.VERSION, offer.name, offer.components.hash, options, 1, seats, "", False, 0.0
    )
    state = GameState.new(1, game=GAME, **options)
    table = tables.Table("0" * 32, header, offer, state, (), 0)
    server = room.Room.__new__(room.Room)
    played = Played([storage.Decision(0, GAME.action_text(state.legal_actions()[0]))], [b""], Sentence("a fault"))
    asyncio.run(server._add_played(table, played, table.turn - 1))
    assert (table.version, table.problem) == (0, None)


def test_anyone_replaces_an_agent_that_has_failed(client: Client) -> None:
    Failing.asked = 0
    link = client.open([person(), agent(MISBEHAVING[0])]).seats[0]
    assert play(client, link)["problem"] == "an agent has failed"
    assert client.snapshot(link)["may_seat"]["anyone"] == [1]
    assert replace(client, link, 1).json["problem"] is None
    assert play(client, link)["over"]


def test_an_agent_that_is_missing_after_a_restart_is_replaced(tmp_path: Path) -> None:
    with running(tmp_path, offers=toy_offers("random", MISBEHAVING[2])) as client:
        link = client.open([person(), agent(MISBEHAVING[2])]).seats[0]
    with running(tmp_path) as client:
        shown = play(client, link)
        assert shown["problem"] == "an agent cannot play on this server any more"
        assert client.post(f"/api{link}/again").status == 200
        until(lambda: client.snapshot(link)["problem"])
        assert replace(client, link, 1, MISBEHAVING[2]).status == 422
        assert replace(client, link, 1).status == 200
    with running(tmp_path) as client:
        assert play(client, link)["over"]


def test_a_watcher_replaces_agents_only_where_nobody_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = set_clock(monkeypatch, tables)
    with running(tmp_path, offers=make_offers([DUNAIA], agents=("random", "greedy"))) as client:
        more = {"game": DUNAIA.name}
        _, key, watch = opened(client, [agent(), agent()], **more)
        assert watch is not None
        assert replace(client, watch, 1, "greedy").status == 403
        assert replace(client, watch, 1, "greedy", key).json["agents"] == ["random", "greedy"]
        links, _, watch = opened(client, TWO, **more)
        assert watch is not None
        clock.now = tables.ABSENT_SECONDS
        assert client.snapshot(links[1])["may_seat"]["anyone"] == [0]
        assert client.snapshot(watch)["may_seat"]["anyone"] == []
        assert replace(client, watch, 0, "greedy").status == 403
        assert client.post(f"/api{watch}/undo", {"undone": 0}).status == 403


def test_nobody_is_replaced_when_the_game_is_over(client: Client) -> None:
    links, key, _ = opened(client, ALONE)
    play(client, links[0])
    assert client.snapshot(links[0])["may_seat"] == {"anyone": [], "opener": []}
    assert "over" in replace(client, links[0], 1, key=key).error


# Undo


def test_a_person_alone_goes_back_and_finds_the_same_chance(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        link = client.open(ALONE, options={"hand": 3}).seats[0]
        assert "no decision to undo" in undo(client, link).error
        assert not client.snapshot(link)["may_undo"]
        decide(client, link)
        before = my_turn(client, link)
        decide(client, link)
        after = my_turn(client, link)
        assert after["may_undo"]
        gone = undo(client, link).json
        same = ("version", "picture", "choice", "log", "scores", "deciding")
        assert [gone[name] for name in same] == [before[name] for name in same]
        assert gone["undone"] == 1
        assert [(note["reason"], note["number"]) for note in gone["notes"]] == [("undone", before["version"])]
        assert client.get(f"/api{link}/positions/{gone['version'] + 1}").status == 404
        # A page that has not heard of it cannot decide, though the number of the position may be the same.
        action = gone["choice"]["actions"][0]["action"]
        assert "gone back 1 times" in client.decide(link, gone["version"], action).error
        decide(client, link)
        assert [my_turn(client, link)[name] for name in same] == [after[name] for name in same]
        undo(client, link)
        decide(client, link, 1)
        other = my_turn(client, link)
        assert other["picture"] != after["picture"]
    with running(tmp_path) as client:
        again = my_turn(client, link)
        assert [again[name] for name in (*same, "undone", "notes")] == [
            other[name] for name in (*same, "undone", "notes")
        ]
        while not (shown := my_turn(client, link))["over"]:
            decide(client, link)
        replay = parse(client.get(f"/api{link}/replay").body.decode(), game=GAME)
        assert verify(replay) == shown["version"]
        # Also from the end, alone: and the game goes on.
        assert undo(client, link).json["choice"] is not None
        assert not client.snapshot(link)["over"]
    lines = [json.loads(line) for line in (only_table(tmp_path) / "decisions.jsonl").read_text().splitlines()]
    assert [line["kind"] for line in lines if "kind" in line] == ["undo"] * 3


def test_an_agent_that_thinks_is_asked_nothing_more_after_an_undo(tmp_path: Path, gate: threading.Event) -> None:
    with running(tmp_path, offers=toy_offers("random", MISBEHAVING[2])) as client:
        link = client.open([person(), agent(MISBEHAVING[2])]).seats[0]
        assert decide(client, link).json["thinking"]
        assert undo(client, link).json["version"] == 0
        gate.set()
        assert decide(client, link, 1).status == 200
        assert my_turn(client, link)["log"][0]["text"] == client.snapshot(link)["log"][0]["text"]


def test_an_undo_needs_everybodys_consent(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        links = client.open([*TWO, person("Hedy"), agent()], options={"hand": 3}).seats
        decide(client, links[0])
        before = client.snapshot(links[1])
        asked = undo(client, links[0]).json
        assert asked["request"] == {"seat": 0, "waiting": [1, 2]}
        assert asked["version"] == 1
        assert "others have not agreed" in undo(client, links[0], asked=0).error
        assert "not the present request" in undo(client, links[1]).error
        action = before["choice"]["actions"][0]["action"]
        assert "undo is asked for" in client.decide(links[1], 1, action).error
        assert undo(client, links[1], asked=0, agrees=False).json["request"] is None
        assert client.snapshot(links[1])["version"] == 1
        assert "nobody has asked" in undo(client, links[1], agrees=False).error
        assert "no decision to undo" in undo(client, links[1]).error, "Grace has not decided"
        undo(client, links[0])
        assert undo(client, links[1], asked=0).json["request"] == {"seat": 0, "waiting": [2]}
    with running(tmp_path) as client:
        assert client.snapshot(links[2])["request"] == {"seat": 0, "waiting": [2]}
        gone = undo(client, links[2], asked=0).json
        assert (gone["version"], gone["undone"], gone["request"], gone["log"]) == (0, 1, None, [])
        assert client.snapshot(links[0])["choice"] is not None
    with running(tmp_path) as client:
        assert reasons(client, links[1]) == [("undone", 0, "")]
        decide(client, links[0])
        decide(client, links[1])
        undo(client, links[1])
        assert undo(client, links[1], asked=1, agrees=False).json["request"] is None, "one's own request is taken back"
        assert decide(client, links[2]).status == 200


def test_who_has_left_the_table_is_not_asked_and_who_is_there_is(client: Client) -> None:
    links = client.open(TWO).seats
    decide(client, links[0])
    client.post(f"/api{links[1]}/resign", {"agent": "random"})
    my_turn(client, links[0])
    with client.events(links[1]) as versions:
        next(versions)
        assert undo(client, links[0]).json["request"] == {"seat": 0, "waiting": [1]}
        assert undo(client, links[1], asked=0).json["version"] == 0
        decide(client, links[0])
        assert "an agent plays for this seat" in undo(client, links[1]).error
    until(lambda: not client.snapshot(links[0])["connected"][1])
    my_turn(client, links[0])
    assert undo(client, links[0]).json["request"] is None


def test_several_people_do_not_go_back_from_the_end(client: Client) -> None:
    links = client.open(TWO, options={"hand": 2}).seats
    assert not any(shown["may_undo"] for shown in end(client, *links.values()))
    assert "game is over" in undo(client, links[0]).error


def test_what_a_table_stores_besides_decisions_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MOST_BYTES_OF_CHANGES", 20)
    with running(tmp_path) as client:
        link = client.open(ALONE).seats[0]
        decide(client, link)
        my_turn(client, link)
        assert "too much was undone" in undo(client, link).error
        assert "too much was undone" in client.post(f"/api{link}/resign", {"agent": "random"}).error
        assert play(client, link)["over"], "the game can still be played to its end"


def test_a_full_disk_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(tmp_path) as client:
        links, key, _ = opened(client, TWO)
        decide(client, links[0])

        def full(handle: int) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            answers = [
                client.post(f"/api{links[0]}/resign", {"agent": "random"}),
                replace(client, links[0], 1, key=key),
                undo(client, links[0]),
            ]
        assert [answer.status for answer in answers] == [503] * 3
        shown = client.snapshot(links[0])
        assert (shown["agents"], shown["request"], shown["version"]) == ([None, None], None, 1)
    with running(tmp_path) as client:
        assert client.snapshot(links[0])["agents"] == [None, None]


# The clock


def test_a_clock_lets_an_agent_decide_for_whoever_is_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "LEAST_CLOCK_SECONDS", 0.0)
    clock = {"seconds": 0.05, "agent": "greedy"}
    with running(tmp_path) as client:
        links = client.open(TWO, options={"open_bids": True}, clock=clock).seats
        assert client.snapshot(links[1])["clock"] == clock | {"left": None}, "Ada has never been there"
        assert client.snapshot(links[0])["clock"]["left"] <= 0.05
        until(lambda: client.snapshot(links[0])["agents"] == ["greedy", "greedy"])
        assert reasons(client, links[0])[:2] == [("late", 0, "greedy"), ("late", 1, "greedy")]
        client.post(f"/api{links[0]}/pace", {"paused": True, "seconds": 1})
    with running(tmp_path) as client:
        assert client.snapshot(links[0])["agents"] == ["greedy", "greedy"]
        client.post(f"/api{links[0]}/pace", {"paused": True, "seconds": 1})
        back = client.post(f"/api{links[0]}/return")
        assert back.json["agents"][0] is None


@pytest.mark.parametrize(
    ("clock", "status", "said"),
    [
        ({"seconds": 9, "agent": "random"}, 422, "clock: seconds: expected 10 to 604800, got 9"),
        ({"seconds": 604_801, "agent": "random"}, 422, "clock: seconds"),
        ({"seconds": 60, "agent": "os:system"}, 422, "clock: agent: unknown; random, greedy"),
        ({"seconds": 60}, 400, "clock.agent: missing"),
        ({"seconds": "60", "agent": "random"}, 400, "clock.seconds"),
        (60, 400, "clock"),
    ],
)
def test_a_clock_that_cannot_run_is_refused(client: Client, clock: Any, status: int, said: str) -> None:
    answer = client.post("/api/tables", {"game": GAME.module, "seats": ALONE, "clock": clock})
    assert (answer.status, said in answer.error) == (status, True), answer


def test_a_clock_gives_each_decision_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = set_clock(monkeypatch, tables)
    with running(tmp_path) as client:
        link = client.open(ALONE, clock={"seconds": 60, "agent": "random"}).seats[0]
        assert client.snapshot(link)["clock"] == {"seconds": 60.0, "agent": "random", "left": 60.0}
        clock.now = 25
        assert client.snapshot(link)["clock"]["left"] == 35
        decide(client, link)
        assert my_turn(client, link)["clock"]["left"] == 60


# Rematch


def next_link(link: str) -> str:
    return f"/t/{tables.next_token(link.removeprefix('/t/'))}"


def test_the_same_people_play_again_in_other_seats(tmp_path: Path) -> None:
    seats = [person("Ada"), agent("greedy"), person("Grace")]
    with running(tmp_path) as client:
        links, key, _ = opened(client, seats, options={"hand": 2}, coach=True)
        assert "not over" in client.post(f"/api{links[0]}/rematch").error
        end(client, *links.values())
        assert client.snapshot(links[0])["rematch"] is None
        answer = client.post(f"/api{links[2]}/rematch")
        assert (answer.status, answer.json) == (201, {"link": next_link(links[2])})
        assert client.snapshot(links[0])["rematch"] == next_link(links[0])
        assert client.post(f"/api{links[0]}/rematch").json == {"link": next_link(links[0])}
        assert len(list((tmp_path / "tables").iterdir())) == 2
    with running(tmp_path) as client:
        assert client.snapshot(links[0])["rematch"] == next_link(links[0])
        ada, grace = (client.snapshot(next_link(links[seat])) for seat in (0, 2))
        assert ada["names"] == ["Greedy player", "Grace", "Ada"]
        assert (ada["role"], grace["role"]) == ({"seat": 2}, {"seat": 1})
        assert ada["coach"]
        assert replace(client, next_link(links[0]), 0, key=key).status == 200
        end(client, next_link(links[0]), next_link(links[2]))
        third = client.post(f"/api{next_link(links[0])}/rematch").json["link"]
        assert client.snapshot(third)["names"] == ["Grace", "Ada", "Random player"]
        assert [client.get(f"/api{link}").status for link in (f"{links[0]}.0", f"{links[0]}.3", f"{links[0]}.x")] == [
            404
        ] * 3
    # Nobody can find the links in the folder.
    text = "".join(path.read_text() for path in (tmp_path / "tables").glob("*/*"))
    assert links[0].removeprefix("/t/") not in text


def test_a_person_keeps_a_name_that_a_program_has_too(client: Client) -> None:
    link = client.open([person("easy"), agent("random")]).seats[0]
    assert client.snapshot(link)["names"] == ["easy", "Random player"]


def test_a_game_of_agents_is_played_again_by_its_watcher(client: Client) -> None:
    watch = client.open([agent("greedy"), agent("random")], options={"hand": 2}).watch
    assert watch is not None
    client.post(f"/api{watch}/pace", {"paused": False, "seconds": 0})
    until(lambda: client.snapshot(watch)["over"])
    again = client.post(f"/api{watch}/rematch").json["link"]
    assert client.snapshot(again)["names"] == ["Random player", "Greedy player"]


def test_a_watcher_of_people_opens_no_rematch(tmp_path: Path) -> None:
    with running(tmp_path, offers=make_offers([DUNAIA], agents=("random",))) as client:
        links, _, watch = opened(client, [person(), agent()], game=DUNAIA.name, options={"max_rounds": 1})
        assert watch is not None
        play(client, links[0])
        assert client.post(f"/api{watch}/rematch").status == 403
        assert client.post(f"/api{links[0]}/rematch").status == 201
        assert client.snapshot(watch)["rematch"] == next_link(watch)


def test_a_rematch_does_not_take_the_place_of_its_own_table(tmp_path: Path) -> None:
    limits = Limits(tables=2, client_tables=1000, client_requests=1000, link_requests=1000)
    with running(tmp_path, limits=limits) as client:
        links = [client.open(ALONE).seats[0] for _ in range(2)]
        play(client, links[0])
        refused = client.post(f"/api{links[0]}/rematch")
        assert refused.status == 503
        assert client.snapshot(links[0])["over"]
        play(client, links[1])
        assert client.post(f"/api{links[0]}/rematch").status == 201
        assert [client.get(f"/api{link}").status for link in (*links, next_link(links[0]))] == [200, 404, 200]


def test_links_count_rematches_up_to_a_limit() -> None:
    token = tables.new_token()
    last = f"{token}.{tables.MOST_REMATCHES}"
    assert tables.next_token(token) == f"{token}.1"
    assert tables.next_token(f"{token}.9") == f"{token}.10"
    assert tables.digest_of(f"{token}.2") == tables.next_digest(tables.next_digest(tables.digest_of(token)))
    with pytest.raises(RefusedError, match="at most 999 in a row"):
        tables.next_token(last)
    for other in (f"{token}.0", f"{token}.01", f"{token}.1000", f"{token}.-1", f"{token}.²", "."):
        assert tables.digest_of(other) == hashlib.sha256(other.encode()).hexdigest()


# What is shown


def test_hidden_hands_are_shown_when_the_game_is_over(client: Client) -> None:
    links = client.open(TWO, options={"hand": 3, "laps": 2}).seats
    decide(client, links[0])
    assert ">?<" in client.snapshot(links[0])["picture"]
    version = client.snapshot(links[0])["version"]
    for link, shown in zip(links.values(), end(client, *links.values()), strict=True):
        assert ">?<" not in shown["picture"]
        assert ">?<" not in client.get(f"/api{link}/positions/{shown['version']}").json["picture"]
    assert ">?<" in client.get(f"/api{links[0]}/positions/{version}").json["picture"], "what was seen then"


def test_the_lobby_is_told_whose_turn_it_is(client: Client) -> None:
    links = client.open(TWO, options={"open_bids": True}).seats
    token = links[1].removeprefix("/t/")

    def told() -> Any:
        answer = client.post("/api/tables/status", {"links": [token, "unknown"]})
        assert answer.status == 200
        assert answer.json["tables"].keys() == {token, "unknown"}
        assert answer.json["tables"]["unknown"] is None
        return answer.json["tables"][token]

    assert told() == {
        "title": "Sealed bids",
        "names": ["Ada", "Grace"],
        "seat": 1,
        "deciding": 0,
        "agents": [None, None],
        "over": False,
        "problem": None,
    }
    decide(client, links[0])
    assert told()["deciding"] == 1
    end(client, *links.values())
    assert told()["over"]
    many = [str(number) for number in range(41)]
    assert "at most 40, got 41" in client.post("/api/tables/status", {"links": many}).error
    assert client.post("/api/tables/status", {"links": "x"}).status == 400


def test_links_are_told_of_everything_that_people_do(client: Client) -> None:
    links, _, _ = opened(client, TWO, options={"hand": 2, "laps": 2})
    with client.events(links[1]) as told:
        assert next(told) == 0
        client.post(f"/api{links[0]}/resign", {"agent": "random"})
        until(lambda: next(told) == 1)
        client.post(f"/api{links[0]}/return")
        assert next(told) == 1
        decide(client, links[1])
        assert until(lambda: next(told) >= 2)
        assert undo(client, links[1]).status == 200
        assert until(lambda: next(told) >= 2)
        assert undo(client, links[0], asked=1).json["undone"] == 1
        assert until(lambda: next(told) == 1)
        end(client, *links.values())
        client.post(f"/api{links[0]}/rematch")
        until(lambda: next(told) and client.snapshot(links[1])["rematch"])


# Stored tables


def test_a_folder_of_version_1_is_opened(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        link = client.open(ALONE).seats[0]
        decide(client, link)
        before = my_turn(client, link)
    path = only_table(tmp_path) / "table.json"
    header = json.loads(path.read_text())
    assert header["version"] == storage.VERSION == 2
    del header["opener"], header["clock"]
    path.write_text(json.dumps(header | {"version": 1}))
    with running(tmp_path) as client:
        shown = my_turn(client, link)
        assert [shown[name] for name in ("log", "picture", "clock")] == [before["log"], before["picture"], None]
        assert undo(client, link).status == 200
        play(client, link, 0)
    with running(tmp_path) as client:
        assert client.snapshot(link)["undone"] == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"kind": "party"}, "kind: expected one of 'seating', 'consent', 'undo', got 'party'"),
        ({"kind": []}, "kind: expected one of"),
        ({"kind": "undo", "seat": 0, "decisions": 9}, "undo: expected 0..0 decisions, got 9"),
        ({"kind": "undo", "seat": 5, "decisions": 0}, "seat: expected one of 0..1, got 5"),
        ({"kind": "undo", "seat": 0}, "decisions: missing"),
        ({"kind": "seating", "seat": 1, "agent": "", "reason": "returned", "by": 1}, "at which no person sits"),
        ({"kind": "seating", "seat": 1, "agent": "random", "reason": "bored", "by": 1}, "reason: expected one of"),
        ({"seat": 0, "action": "bid 1", "agent": 3}, "agent: expected a text"),
    ],
)
def test_a_record_that_cannot_be_is_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, line: dict[str, Any], said: str
) -> None:
    with running(tmp_path) as client:
        link = client.open([person("Ada"), agent()]).seats[0]
        decide(client, link)
        until(lambda: client.snapshot(link)["choice"])
    path = only_table(tmp_path) / "decisions.jsonl"
    first = path.read_text().splitlines()[0]
    path.write_text(f"{first}\n{json.dumps(line)}\n")
    with running(tmp_path) as client:
        assert client.get(f"/api{link}").status == 404
    assert said in caplog.text

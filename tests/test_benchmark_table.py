"""The benchmark of the table: what counts as a click, what counts as lost, and a short run."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks import table
from benchmarks.table import Arguments, Person, rows
from tests.clocks import set_clock, until
from tests.table_server import agent, person, running
from tests.test_table_server import my_turn
from tests.toy_game import GAME

pytestmark = pytest.mark.once


def test_clicks_count_in_the_repeat_in_which_they_were_made() -> None:
    people = [Person(0, clicks=[(9.0, 5.0), (10.0, 0.1), (11.0, 0.3)]), Person(1, clicks=[(12.5, 0.2), (13.9, 0.6)])]
    found = {row.name: row for row in rows(people, [10.0, 12.0], Arguments(seconds=2.0, tables=2), lost=3)}
    assert found["table_click_half"].value == pytest.approx((0.2 + 0.4) / 2)
    assert found["table_click_longest"].lowest == 0.3
    assert found["table_click_longest"].highest == 0.6
    assert found["table_clicks"].value == 1.0
    assert found["table_lost"].value == 3
    assert found["table_click_half"].batch == 2
    with pytest.raises(SystemExit, match="nobody clicked"):
        rows(people, [20.0], Arguments(seconds=2.0), lost=0)


def test_a_decision_that_is_not_in_its_table_is_lost(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        link = client.open([person(), agent()]).seats[0]
        shown = my_turn(client, link)
        action = shown["choice"]["actions"][0]
        assert client.decide(link, shown["version"], action["action"]).status == 200
        path = f"/api{link}"
        kept = (shown["version"], action["sentence"])
        assert Person(0, decided={path: [kept]}).lost(client.port) == 0
        assert Person(0, decided={path: [kept, (shown["version"] + 2, "bids 3")]}).lost(client.port) == 1
        assert Person(0, decided={path: [(shown["version"], "bids nothing")]}).lost(client.port) == 1


@pytest.mark.slow
def test_a_short_run_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = set_clock(monkeypatch, table, step=1e-3)
    people: list[Person] = []

    class Known(Person):
        def __init__(self, number: int) -> None:
            super().__init__(number)
            people.append(self)

    def clicks() -> int:
        return sum(len(one.clicks) for one in people)

    def sleep(seconds: float) -> None:
        """A repeat has passed as soon as somebody has begun and ended a click in it."""
        enough = clicks() + len(people) + 1
        until(lambda: clicks() >= enough or any(one.faults for one in people))
        clock.now += seconds

    monkeypatch.setattr(table, "Person", Known)
    monkeypatch.setattr(table.time, "sleep", sleep)
    path = tmp_path / "table.json"
    words = ["--game", GAME.module, "--tables", "3", "--pause", "0.2", "--seconds", "2", "--repeats", "2"]
    monkeypatch.setattr(sys, "argv", ["table", *words, "--players", "2", "--json", str(path)])
    table.main()
    content = json.loads(path.read_text(encoding="utf-8"))
    found = {row["name"]: row for row in content["rows"]}
    assert found["table_lost"]["value"] == 0
    assert 0 < found["table_click_half"]["value"] <= found["table_click_longest"]["highest"]
    assert found["table_clicks"]["value"] > 0
    assert content["tables"] == 3

"""What the server refuses, and why a table cannot go on, is said in the language of the page."""

from __future__ import annotations

import ast
import string
from pathlib import Path

import pytest

from dunaia_env.dunaia import GAME as DUNAIA
from dunaia_env.table.errors import RefusedError, Sentence
from dunaia_env.table.naming import Program
from dunaia_env.table.offers import make_offers
from dunaia_env.table.refusals import FRENCH
from tests.table_server import Client, agent, person, running
from tests.test_table_server import MISBEHAVING, play

pytestmark = pytest.mark.once

TABLE = Path(__file__).parent.parent / "dunaia_env" / "table"
# What another part of the library says, and what only a program that is no page of the table can meet.
ENGLISH_ONLY = {"{reason}", "method: expected GET or POST", "method: {method} is not answered here"}
ENGLISH_ONLY |= {"content-type: expected application/json"}


def templates() -> set[str]:
    """All sentences for people, except refusals of malformed requests, with the names of their parts."""
    found = set()
    for path in TABLE.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        texts = {
            target.id: node.value.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            match ast.unparse(node.func).rpartition(".")[2]:
                case "RefusedError":
                    status, said, *_ = node.args
                    if ast.unparse(status) in ("400", "MALFORMED", "errors.MALFORMED"):
                        continue
                case "told_of_agent":
                    said = node.args[1]
                case "Sentence" if ast.unparse(node.args[0]) != "template":  # which comes from another call
                    said = node.args[0]
                case _:
                    continue
            template = texts[said.id] if isinstance(said, ast.Name) else ast.literal_eval(said)
            assert isinstance(template, str), ast.unparse(node)
            found.add(template)
    return found


def parts_of(template: str) -> set[tuple[str, str]]:
    return {(name, spec or "") for _, name, spec, _ in string.Formatter().parse(template) if name is not None}


def test_every_refusal_that_a_page_can_meet_is_said_in_french() -> None:
    assert templates() == FRENCH.keys() | ENGLISH_ONLY
    for english, french in FRENCH.items():
        assert parts_of(french) == parts_of(english), english


def test_a_sentence_has_its_parts_in_each_language() -> None:
    error = RefusedError(429, "too many requests; try again in {seconds} s", wait=2.5, seconds=3)
    assert str(error) == error.text == error.told("en") == "too many requests; try again in 3 s"
    assert error.told("fr") == "trop de requêtes ; réessayez dans 3 s"
    assert error.told("xx") == error.text
    assert RefusedError(403, "a {brace}").told("fr") == "a {brace}"


def test_the_server_refuses_in_the_language_that_is_asked_for(tmp_path: Path) -> None:
    with running(tmp_path) as client:
        links = client.open([person(), person("Ben")])
        content = {"version": 0, "action": "bid 1", "undone": 0}
        assert deciding(client, links.seats[1], "fr", content) == "c’est à une autre place de décider"
        assert deciding(client, links.seats[1], "en", content) == "another seat has to decide"
        assert client.get("/api/t/nobody?language=fr").error == "aucune table n’a ce lien"
        assert client.get("/api/t/nobody").error == "there is no table with this link"


def test_why_a_table_cannot_go_on_is_said_in_the_language_that_is_asked_for(tmp_path: Path) -> None:
    with running(tmp_path, offers=make_offers([DUNAIA], agents=[MISBEHAVING[1]])) as client:
        link = client.open([person(), agent(MISBEHAVING[1])], game=DUNAIA.name).seats[0]
        assert play(client, link)["problem"] == f"{MISBEHAVING[1]} chose an action that the rules forbid"
        answer = client.get(f"/api{link}?language=fr").json
        assert answer["problem"] == f"{MISBEHAVING[1]} a choisi une action que les règles interdisent"
    unnamed = Sentence("{agent} has failed", {"agent": Program("")})
    assert [unnamed.told(language) for language in ("en", "fr")] == ["an agent has failed", "un programme est en panne"]


def deciding(client: Client, link: str, language: str, content: dict[str, object]) -> str:
    token = link.removeprefix("/t/")
    return client.post(f"/api/t/{token}/decide?language={language}", content).error

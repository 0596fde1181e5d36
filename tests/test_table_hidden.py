"""At a table of Dune no link tells that somebody else was asked without any change in what its seat knows."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dunaia_env import GameState, dune
from dunaia_env.harness import opponents
from dunaia_env.table import events, room
from dunaia_env.table.errors import RefusedError
from dunaia_env.table.events import EventStream, Known, Listener
from dunaia_env.table.limits import AtOnce
from dunaia_env.table.offers import Offer, make_offers
from dunaia_env.table.showing import Showing
from dunaia_env.table.storage import Decision
from tests.clocks import run_at_once, until
from tests.dune_positions import (
    ATREIDES,
    BENE_GESSERIT,
    EMPEROR,
    FREMEN,
    GUILD,
    HARKONNEN,
    Content,
    position,
    with_card,
)
from tests.table_server import Answer, Client, Links, person, running

pytestmark = pytest.mark.once

SEATS = range(6)
HERO, WEATHER, KARAMA, LASGUN = 6, 8, 16, 1


@pytest.fixture(scope="module")
def offer() -> Offer:
    (found,) = make_offers([dune.GAME], agents=("greedy", "random")).values()
    return found


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, offer: Offer) -> Iterator[Client]:
    with running(tmp_path_factory.mktemp("tables"), offers={offer.name: offer}) as client:
        yield client


# A game of agents


def played(offer: Offer, seed: int) -> tuple[list[bytes], list[Decision]]:
    """The states and the decisions of two turns."""
    agents = [opponents.load(name, game=dune.GAME) for name in ("random", "greedy", "random", "greedy")]
    state = GameState.new(seed, game=dune.GAME, components=offer.components, num_players=4, max_turns=2)
    for seat, agent in enumerate(agents):
        agent.reset(seat)
    states, decisions = [state.to_bytes()], list[Decision]()
    while not state.is_over:
        action = agents[state.seat].act(state.view())
        decisions.append(Decision(state.seat, dune.action_text(action)))
        state.apply(action, seed)
        states.append(state.to_bytes())
    return states, decisions


def test_a_seat_is_shown_what_it_would_be_shown_without_the_decisions_that_it_does_not_notice(offer: Offer) -> None:
    states, decisions = played(offer, 3)
    showing = Showing(offer, "abcd", states, decisions)
    made, silent = len(decisions), 0
    for seat in range(4):
        numbers = [showing.number_for(k, seat) for k in range(made + 1)]
        assert numbers[0] == 0
        assert {after - before for before, after in itertools.pairwise(numbers)} == {0, 1}
        own = [k for k, decision in enumerate(decisions) if decision.seat == seat]
        assert len({numbers[k] for k in own}) == len(own), "each of its own decisions has a number"
        assert all(numbers[k + 1] > numbers[k] for k in own)
        starts = [showing.made_before(number, made, seat) for number in range(numbers[-1] + 1)]
        assert starts == [numbers.index(number) for number in range(numbers[-1] + 1)]
        with pytest.raises(RefusedError, match=rf"the game has 0 to {numbers[-1]} so far"):
            showing.made_before(numbers[-1] + 1, made, seat)
        ends = [*(start - 1 for start in starts[1:]), made]  # the last decision of each position is the one it tells of
        shorter = Showing(offer, "abcd", [states[k] for k in ends], [decisions[k] for k in ends[:-1]])
        assert showing.log(made, seat, "en") == shorter.log(len(starts) - 1, seat, "en")
        for number, k in enumerate(starts):
            assert showing.standing(k, seat) == shorter.standing(number, seat)
        silent += made + 1 - len(starts)
    assert silent > 4
    assert [showing.number_for(k, None) for k in range(made + 1)] == list(range(made + 1)), "watchers see all"


def test_a_position_counts_if_the_seat_knows_something_new_or_who_decides() -> None:
    contents: list[dict[str, Any]] = [{"seat": None}, {"seat": None}, {"seat": 0}, {"seat": 0}, {"seat": -1}]
    game = SimpleNamespace(perfect_information=False, content_for=lambda state, components, seat: contents[state[0]])
    presentation = SimpleNamespace(heard=None)
    offer: Any = SimpleNamespace(game=game, presentation=presentation, components=None)
    showing = Showing(offer, "ab", [bytes([k]) for k in range(5)], [Decision(0, "")] * 4)
    assert [showing.number_for(k, 0) for k in range(5)] == [0, 0, 1, 2, 3]

    def hear(action: str, seen: Any, *known: object) -> Any:
        return {**seen, "seat": 1} if action == "aloud" else seen

    presentation.heard = presentation.hear = hear
    decisions = [Decision(1, action) for action in ("silently", "aloud", "silently", "aloud")]
    contents[:] = [{"seat": None}] * 5
    showing = Showing(offer, "ab", [bytes([k]) for k in range(5)], decisions)
    assert [showing.number_for(k, 0) for k in range(5)] == [0, 0, 1, 1, 2], "what is heard of a decision counts too"


# A question that is declined

# A position, who may not notice the question, who holds which card in place of
# which so that it is asked, and the decision before the question.
QUESTIONS = pytest.mark.parametrize(
    ("name", "witnesses", "holder", "kind", "instead_of", "first"),
    [
        ("WEATHER", (HARKONNEN, GUILD, BENE_GESSERIT), FREMEN, WEATHER, LASGUN, "pass"),
        pytest.param(
            *("HARVESTER", (ATREIDES, FREMEN, BENE_GESSERIT), HARKONNEN, HERO, LASGUN, "pass"), marks=pytest.mark.slow
        ),
        pytest.param("VOICE", (ATREIDES, FREMEN), EMPEROR, KARAMA, 2, "must 0", marks=pytest.mark.slow),
    ],
)


def opened(client: Client, content: Content, **more: Any) -> Links:
    """A table of six people that begins with a position."""
    start = SimpleNamespace(new=lambda *_, **__: GameState.from_dict(content, game=dune.GAME))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "GameState", start)
        return client.open([person(f"P{seat}") for seat in SEATS], game="dune", **more)


def asked(client: Client, links: Links) -> tuple[int, Any]:
    """Who is asked, and its snapshot."""
    shown = {seat: client.snapshot(link) for seat, link in links.seats.items()}
    (seat,) = (seat for seat, one in shown.items() if one["choice"])
    return seat, shown[seat]


def decide(client: Client, links: Links, action: str = "") -> int:
    """Let whoever is asked decide, by default with the first action that it has; returns the seat."""
    seat, shown = asked(client, links)
    chosen = action or shown["choice"]["actions"][0]["action"]
    answer = client.decide(links.seats[seat], shown["version"], chosen)
    assert answer.status == 200, answer
    assert answer.json["version"] > shown["version"]
    again = client.decide(links.seats[seat], shown["version"], chosen)
    assert again.status == 409, "the same position is not decided twice"
    return seat


def answers(client: Client, link: str) -> list[bytes]:
    """All that a link is answered, also to a decision that is not its own."""
    shown = client.get(f"/api{link}")
    version = shown.json["version"]
    found: list[Answer] = [shown, client.get(f"/api{link}?since={version - 2}")]
    found += [client.get(f"/api{link}/positions/{number}") for number in (0, version, version + 1)]
    found += [client.post(f"/api{link}/{path}") for path in ("coach", "again")]
    assert [one.status for one in found] == [200, 200, 200, 200, 404, 403, 409]
    if not shown.json["choice"]:
        found += [client.decide(link, number, "pass") for number in (version, version + 1)]
        assert [one.status for one in found[-2:]] == [403, 409]
    return [one.body for one in found]


@pytest.mark.long
@QUESTIONS
def test_a_question_that_is_declined_leaves_no_trace(
    client: Client, name: str, witnesses: tuple[int, ...], holder: int, kind: int, instead_of: int, first: str
) -> None:
    plain = position(name)
    tables = [opened(client, content) for content in (plain, with_card(plain, holder, kind, instead_of))]
    listener = witnesses[0]

    def shown(links: Links) -> list[list[bytes]]:
        return [answers(client, links.seats[seat]) for seat in witnesses]

    with ExitStack() as stack:
        told = [stack.enter_context(client.events(links.seats[listener])) for links in tables]
        assert [next(versions) for versions in told] == [0, 0]
        before = [shown(links) for links in tables]
        assert before[0] == before[1]
        for links in tables:
            decide(client, links, first)
        after, between = shown(tables[0]), shown(tables[1])
        assert asked(client, tables[0])[0] != holder
        assert decide(client, tables[1], "pass") == holder, "nobody was asked, so the test says nothing"
        assert shown(tables[1]) == after
        for one, early, late in zip(between, before[0], after, strict=True):
            assert one in (early, late)

        version = 0
        for _ in range(5):
            if (news := client.snapshot(tables[0].seats[listener])["version"]) > version:
                assert [next(versions) for versions in told] == [news, news], "an event tells of something"
                version = news
            if holder in (asked(client, links)[0] for links in tables):
                break
            assert decide(client, tables[0]) == decide(client, tables[1])
            assert shown(tables[0]) == shown(tables[1])
        assert version > 0, "nothing was told, so the test says nothing"


def test_a_clock_does_not_tell_who_is_asked_secretly(
    tmp_path: Path, offer: Offer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "LEAST_CLOCK_SECONDS", 0.0)
    with running(tmp_path, offers={offer.name: offer}) as client:
        content = with_card(position("WEATHER"), FREMEN, WEATHER, LASGUN)
        links = opened(client, content, clock={"seconds": 0.05, "agent": "greedy"})
        tokens = {seat: link.removeprefix("/t/") for seat, link in links.seats.items()}

        def decider(seat: int) -> Any:
            """Who decides, as the lobby tells a seat, without that its person counts as being there."""
            answer = client.post("/api/tables/status", {"links": [tokens[seat]]}).json
            return answer["tables"][tokens[seat]]["deciding"]

        first = next(seat for seat in SEATS if decider(seat) == seat)
        assert client.decide(links.seats[first], 0, "pass").status == 200
        assert decider(FREMEN) == FREMEN
        assert {decider(seat) for seat in SEATS if seat not in (FREMEN, first)} == {None}
        before = client.snapshot(links.seats[FREMEN])
        until(lambda: client.snapshot(links.seats[FREMEN])["version"] > before["version"])
        shown = client.snapshot(links.seats[FREMEN])
        assert shown["agents"] == [None] * 6
        assert shown["notes"] == []
        others = [client.snapshot(links.seats[seat]) for seat in SEATS if seat not in (FREMEN, first)]
        assert all(one["clock"]["left"] is None for one in others if one["deciding"] is None)
    (path,) = (tmp_path / "tables").glob("*/decisions.jsonl")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line.get("agent") for line in lines[:2]] == [None, "greedy"]
    assert not any("kind" in line for line in lines)


def test_what_a_link_does_not_show_sends_nothing_and_delays_no_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "HEARTBEAT_SECONDS", 0.29)
    changed, sent = asyncio.Event(), list[bytes]()

    @contextmanager
    def listening(seat: int | None) -> Iterator[asyncio.Event]:
        yield changed

    async def known() -> Known:
        return Known(7, [True], None, None)

    async def send(message: Any) -> None:
        sent.append(message.get("body", b""))

    async def main() -> None:
        role: Any = SimpleNamespace(table=SimpleNamespace(listening=listening), seat=0, digest="")
        closing = asyncio.Event()
        stream = EventStream([Listener(role, known)], AtOnce(1), closing)
        going = asyncio.ensure_future(stream({}, asyncio.Event().wait, send))  # type: ignore[arg-type]
        for _ in range(30):
            await asyncio.sleep(0.05)
            changed.set()
        closing.set()
        await going

    run_at_once(main())
    assert [text for text in sent if text.startswith(b"data")] == [b'data: {"version": 7}\n\n']
    assert sent.count(b": here\n\n") == 5

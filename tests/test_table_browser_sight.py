"""What somebody at the table has to see is in sight, about the position that is shown, and stays where it is."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser_table import Person, Server, open_table, serving
from tests.test_table_legible import sit_down, small_texts

pytestmark = [pytest.mark.slow, pytest.mark.once]

SEED = 7
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "reduced_motion": "reduce"}
LAPTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}

# The pieces of these names that lie in the visible part of the board.
_SEEN = """names => {
  const stage = document.getElementById("stage").getBoundingClientRect();
  return names.filter((name) => {
    const box = document.querySelector(`#stage [data-piece="${name}"]`).getBoundingClientRect();
    return box.left >= stage.left && box.right <= stage.right && box.top >= stage.top && box.bottom <= stage.bottom;
  });
}"""
_SNAPSHOT = "fetch('/api' + location.pathname).then((one) => one.json())"
# The places of the board and of what is told of others, before and after something long is told.
_TOLD = """() => {
  const place = (id) => document.getElementById(id).getBoundingClientRect().toJSON();
  const places = () => ["stage", "ticker", "skip"].map(place);
  document.getElementById("replay-tools").hidden = false;
  const found = [places()];
  document.getElementById("ticker-text").textContent = "This is told at length. ".repeat(20);
  return [...found, places()];
}"""
# Something is asked, or what others did is shown step by step.
_ASKED_OR_SHOWN = """() => ["decision", "replay-tools"].some((id) => !document.getElementById(id).hidden)"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    yield from serving(tmp_path_factory, "--simulations", "0", "--games", "dunaia", "dune")


@pytest.mark.parametrize(("game", "preset"), [("dunaia", None), ("dune", "duel")])
def test_on_a_phone_what_has_happened_stands_above_the_question(
    browser: Browser, server: Server, game: str, preset: str | None
) -> None:
    anna = Person(browser, server, **PHONE)
    sit_down(anna, game, 2, preset)
    chooser, told = random.Random(SEED), 0
    since, decision = anna.page.locator("#since"), anna.page.locator("#decision")
    for _ in range(12):
        if not anna.wait_for_turn():
            break
        if since.is_visible():
            expect(since.locator(".since-latest").last).to_be_visible()
            expect(since.locator("li").first).to_be_hidden()
            above, below = since.bounding_box(), decision.bounding_box()
            assert above is not None
            assert below is not None
            assert 0 <= above["y"] < above["y"] + above["height"] <= below["y"]
            told += 1
            if told == 2:  # what is folded can be read
                since.locator("summary").click()
                expect(since.locator("li").first).to_be_visible()
                anna.screenshot(f"sight-since-{game}")
                anna.check_accessibility()
                since.locator("summary").click()
        anna.pick(chooser)
        anna.confirm()
    assert told >= 3
    anna.close()


def test_on_a_phone_the_map_opens_where_the_question_or_the_own_tokens_are(browser: Browser, server: Server) -> None:
    anna = Person(browser, server, **PHONE)
    sit_down(anna, "dune", 2, "duel")
    chooser, own = random.Random(SEED), 0
    for _ in range(6):
        if not anna.wait_for_turn():
            break
        if not anna.page.locator(".spots .spot").count():
            focus = anna.page.evaluate(_SNAPSHOT)["focus"]
            assert focus
            assert anna.page.evaluate(_SEEN, focus), focus
            own += 1
        anna.pick(chooser)
        anna.confirm()
    assert own >= 3
    anna.close()


# The buttons that float over the board, each with its centre and with whether the centre belongs to it.
_FLOATING = """() => [...document.querySelectorAll("#ticker button, .edge")]
  .filter((button) => button.checkVisibility())
  .map((button) => {
    const box = button.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    return { id: button.id || button.className, x, y, wins: button.contains(document.elementFromPoint(x, y)) };
  })"""
# Whether a choosable area lies beneath a point of the screen.
_AREA_BENEATH = """([x, y]) => document.elementsFromPoint(x, y).some((one) => one.matches(".spot"))"""


def test_on_a_phone_what_floats_over_the_map_wins_the_tap(browser: Browser, server: Server) -> None:
    anna = Person(browser, server, **PHONE, has_touch=True)
    page, chooser = anna.page, random.Random(SEED)
    sit_down(anna, "dune", 2, "duel")
    for _ in range(60):
        assert anna.wait_for_turn()
        if page.locator(".spot.formed").count() > 20:
            break
        anna.pick(chooser)
        anna.confirm()
    beneath = 0
    for button in ("zoom-out", "zoom-in", "zoom-in", "zoom-out"):
        page.evaluate("document.getElementById('stage').scrollTo(300, 250)")
        page.locator("#stage").evaluate("(stage) => stage.scrollIntoView({ block: 'center' })")
        floating = page.evaluate(_FLOATING)
        assert {"zoom-out", "zoom-in", "undo"} <= {one["id"] for one in floating}
        assert all(one["wins"] for one in floating), floating
        place = next([one["x"], one["y"]] for one in floating if one["id"] == button)
        beneath += page.evaluate(_AREA_BENEATH, place)
        before = page.evaluate("document.querySelector('.canvas').clientWidth")
        page.touchscreen.tap(*place)
        page.wait_for_function("before => document.querySelector('.canvas').clientWidth !== before", arg=before)
        assert page.locator("#decision.confirming").count() == 0
    assert beneath, "no area lay beneath the buttons"
    anna.screenshot("sight-floating")
    anna.close()


@pytest.mark.parametrize("context", [PHONE, LAPTOP], ids=["phone", "laptop"])
@pytest.mark.parametrize(("game", "preset"), [("dunaia", None), ("dune", "duel")])
def test_nothing_moves_when_something_long_is_told(
    browser: Browser, server: Server, game: str, preset: str | None, context: dict[str, Any]
) -> None:
    anna = Person(browser, server, **context)
    sit_down(anna, game, 2, preset)
    anna.wait_for_turn()
    anna.page.evaluate("document.getElementById('ticker').classList.remove('asking')")
    before, after = anna.page.evaluate(_TOLD)
    assert before == after
    anna.close()


@pytest.mark.parametrize(("players", "preset"), [(2, "duel"), (6, "classic")])
def test_all_of_the_map_is_on_a_laptop_with_whole_names(
    browser: Browser, server: Server, players: int, preset: str
) -> None:
    anna = Person(browser, server, **LAPTOP)
    sit_down(anna, "dune", players, preset)
    anna.wait_for_turn()
    page = anna.page
    box = page.locator("#stage svg").first.bounding_box()
    assert box is not None
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= 800
    assert page.evaluate(
        "document.getElementById('stage').scrollHeight <= document.getElementById('stage').clientHeight"
    )
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    assert small_texts(anna) == []
    heads = page.locator(".side-head .item-text")
    assert heads.count() >= players
    assert heads.evaluate_all("all => all.every((one) => one.scrollWidth <= one.clientWidth + 1)")
    anna.screenshot(f"sight-map-{players}")
    anna.check_accessibility()
    anna.close()


@pytest.mark.parametrize("locale", ["en-US", "fr-FR"])
def test_buttons_for_bids_say_what_they_do(browser: Browser, server: Server, locale: str) -> None:
    anna = Person(browser, server, locale=locale, **PHONE)
    sit_down(anna, "dune", 2, "duel")
    chooser, question = random.Random(SEED), anna.page.locator("#decision h2")
    for _ in range(20):
        assert anna.wait_for_turn()
        if re.search("do you bid|proposez-vous", question.inner_text()):
            break
        anna.pick(chooser)
        anna.confirm()
    texts = anna.page.locator(".free-choice").all_inner_texts()
    *bids, passes = sorted(texts, key=lambda text: not re.search(r"\d", text))
    assert len(bids) == len(anna.page.evaluate(_SNAPSHOT)["choice"]["actions"]) - 1 > 8
    bid = r"Bid \d+ spice" if locale == "en-US" else r"Proposer \d+ épices?"
    assert all(re.fullmatch(bid, text) for text in bids), bids
    assert passes == ("Do not bid" if locale == "en-US" else "Ne pas enchérir")
    anna.screenshot(f"sight-bids-{locale[:2]}")
    anna.check_accessibility()
    anna.close()


def test_while_others_are_shown_nothing_is_said_about_the_present(browser: Browser, server: Server) -> None:
    anna = Person(browser, server, storage={"table.speed": "2.2"})
    anna.open("/")
    page, chooser = anna.page, random.Random(SEED)
    page.locator("[data-guide=dunaia]").click()
    for _ in range(12):
        assert anna.wait_for_turn()
        expect(page.locator("#guide")).to_be_visible()
        anna.pick(chooser)
        anna.confirm()
        page.wait_for_function(_ASKED_OR_SHOWN)
        if page.locator("#skip").is_visible():
            break
    expect(page.locator("#skip")).to_be_visible()
    expect(page.locator("#guide")).to_be_hidden()
    assert "".join(page.locator(".player-state").all_inner_texts()) == ""
    expect(page.locator(".player.deciding")).to_have_count(1)  # whose decision is shown
    page.locator("#skip").click()
    assert anna.wait_for_turn()
    expect(page.locator(".player-state").first).to_have_text("To play")

    # So it is while somebody looks back, also before the server has sent the former position.
    held: list[Route] = []
    page.route("**/positions/*", lambda route: held.append(route))
    expect(page.locator("#guide")).to_be_visible()
    page.locator(".log-line").first.click()
    expect(page.locator("#look-tools")).to_be_visible()
    expect(page.locator("#guide")).to_be_hidden()
    assert "".join(page.locator(".player-state").all_inner_texts()) == ""
    assert held
    for route in held:
        route.continue_()
    page.unroute("**/positions/*")
    expect(page.locator("#ticker")).to_contain_text("Looking back")
    assert "".join(page.locator(".player-state").all_inner_texts()) == ""
    page.locator("#present").click()
    expect(page.locator("#guide")).to_be_visible()
    anna.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_press_of_the_theme_button_changes_what_is_seen(browser: Browser, server: Server, scheme: str) -> None:
    anna = Person(browser, server, color_scheme=scheme)
    anna.open("/")
    anna.page.locator(".game-card").first.wait_for()
    colour = "getComputedStyle(document.body).backgroundColor"
    for _ in range(4):
        before = anna.page.evaluate(colour)
        anna.page.locator("[data-theme-button]").click()
        assert anna.page.evaluate(colour) != before
    anna.close()


def test_tables_are_listed_in_the_language_of_the_page(browser: Browser, server: Server) -> None:
    anna = Person(browser, server)
    open_table(anna, ("person:Anna", "greedy"), rounds=3)
    anna.wait_for_turn()
    anna.open("/")
    row = anna.page.locator("#recent li").first
    expect(row.locator("b")).to_have_text("Anna · Greedy player")
    anna.page.locator("[data-language=fr]").click()
    expect(row.locator("b")).to_have_text("Anna · Joueur glouton")
    expect(row.locator("button")).to_have_attribute("aria-label", re.compile("Joueur glouton"))
    # A table that the server does not know is listed as it was remembered.
    anna.page.evaluate(
        "const all = JSON.parse(localStorage.getItem('table.recent')); all[0].seats[0].link = '/t/gone';"
        "localStorage.setItem('table.recent', JSON.stringify(all))"
    )
    anna.page.reload()
    expect(row.locator("b")).to_have_text("Anna · Greedy player")
    anna.close()

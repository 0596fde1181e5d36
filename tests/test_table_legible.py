"""Everything at the table can be read, on a wide page and on a phone, and whoever is new is shown how to play."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from dunaia_env.dune.presentation import palette
from tests.browser_table import Person, Server, open_table, serving
from tests.test_picture import contrast

pytestmark = [pytest.mark.slow, pytest.mark.once]

SEED = 7
LEAST = 12  # px
# The size in pixels of every visible text on the page, with the text.
_TEXTS = """() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || element.closest(".hidden, [hidden], dialog:not([open])")) continue;
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const box = range.getBoundingClientRect();
    if (box.width < 2 || box.height < 2) continue;
    const size = parseFloat(getComputedStyle(element).fontSize);
    const drawn = element instanceof SVGElement ? element.getScreenCTM() : null;
    found.push([drawn ? size * Math.hypot(drawn.a, drawn.b) : size, walker.currentNode.textContent.trim()]);
  }
  return found;
}"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    yield from serving(tmp_path_factory, "--simulations", "0", "--games", "dunaia", "dune")


def sit_down(
    person: Person, game: str, players: int, preset: str | None = None, seed: int = SEED, **options: Any
) -> None:
    """Open a table against greedy agents and go there."""
    games = person.page.request.get(f"{person.server.address}/api/games").json()["games"]
    offer = next(one for one in games if one["name"] == game)
    chosen = {option["name"]: option["default"] for option in offer["options"]}
    chosen |= next((one["options"] for one in offer["presets"] if one["name"] == preset), {}) | options
    seats = [{"kind": "person", "name": "Anna"}] + [{"kind": "agent", "agent": "greedy"}] * (players - 1)
    content = {"game": game, "seats": seats, "options": chosen, "seed": seed}
    answer = person.page.request.post(f"{person.server.address}/api/tables", data=content)
    assert answer.ok, answer.text()
    person.open(answer.json()["seats"][0]["link"])


def small_texts(person: Person) -> list[Any]:
    return [text for text in person.page.evaluate(_TEXTS) if text[0] < LEAST - 0.01]


@pytest.mark.parametrize(
    ("game", "players", "preset", "decisions"),
    [("dunaia", 2, None, 12), ("dunaia", 4, None, 12), ("dune", 2, "duel", 16), ("dune", 6, "classic", 16)],
)
def test_every_text_has_at_least_twelve_pixels(
    browser: Browser, server: Server, game: str, players: int, preset: str | None, decisions: int
) -> None:
    anna = Person(browser, server, viewport={"width": 1280, "height": 900})
    sit_down(anna, game, players, preset, **({"elites": True} if game == "dunaia" else {}))
    chooser, asked = random.Random(SEED), set[str]()
    for _ in range(decisions):
        if not anna.wait_for_turn():
            break
        assert len(anna.page.evaluate(_TEXTS)) > 50
        assert small_texts(anna) == []
        asked.add(anna.page.locator("#decision h2").inner_text())
        anna.pick(chooser)
        anna.confirm()
    assert len(asked) >= 4
    anna.wait_for_turn()
    anna.screenshot(f"legible-{game}-{players}")
    anna.check_accessibility()
    anna.close()


@pytest.mark.parametrize(("game", "players", "preset"), [("dunaia", 3, None), ("dune", 4, "classic")])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_scrolls_the_picture_and_nothing_else_sideways(
    browser: Browser, server: Server, game: str, players: int, preset: str | None, scheme: str
) -> None:
    anna = Person(browser, server, viewport={"width": 390, "height": 844}, has_touch=True, color_scheme=scheme)
    page = anna.page
    anna.open("/")
    page.locator(".game-card").nth(1).wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    sit_down(anna, game, players, preset)
    anna.wait_for_turn()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    wider = page.evaluate(
        "[...document.querySelectorAll('main *')].filter((one) => one.scrollWidth > one.clientWidth + 1"
        " && ['auto', 'scroll'].includes(getComputedStyle(one).overflowX)).map((one) => one.id || one.className)"
    )
    assert wider == ["stage"]
    # A button at the edge says that there is more, and shows it.
    right, left = page.locator(".edge-right"), page.locator(".edge-left")
    page.evaluate("document.getElementById('stage').scrollLeft = 0")
    expect(left).to_be_hidden()
    expect(right).to_be_visible()
    right.tap()
    expect(left).to_be_visible()
    anna.screenshot(f"phone-{game}-{scheme}")
    anna.check_accessibility()
    anna.close()


# What the names on the map are, as far as they can be read, and the pieces that a small map names: the strongholds, and
# the territories in which something stands or lies.
_NAMES = """() => {
  const names = [...document.querySelectorAll("#stage [data-piece^=territory] text")];
  const shown = names.filter((one) => one.checkVisibility({ visibilityProperty: true }));
  const named = new Set(shown.map((one) => one.closest("[data-piece]").getAttribute("aria-label")));
  const cells = [...document.querySelectorAll("#stage [data-piece^=cell]")].filter((one) => one.querySelector("text"));
  return { named: [...named], occupied: cells.map((one) => one.getAttribute("aria-label").split(", ")[0]) };
}"""


def test_a_map_that_is_shown_small_names_what_matters_in_letters_that_can_be_read(
    browser: Browser, server: Server
) -> None:
    anna = Person(browser, server, viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce")
    sit_down(anna, "dune", 2, "duel")
    chooser = random.Random(SEED)
    for _ in range(12):
        assert anna.wait_for_turn()
        anna.pick(chooser)
        anna.confirm()
    anna.wait_for_turn()
    out, names = anna.page.locator("#zoom-out"), []
    for _ in range(4):
        anna.page.wait_for_timeout(200)
        assert [text for text in anna.page.evaluate(_TEXTS) if text[0] < 10 - 0.01] == []
        names.append(anna.page.evaluate(_NAMES))
        if out.is_disabled():
            break
        out.click()
    whole, small = names[0], names[-1]
    assert out.is_disabled()
    assert len(whole["named"]) == 42
    strongholds = {name for name in whole["named"] if name.endswith(", stronghold")}
    assert len(strongholds) == 5
    assert len(small["occupied"]) > 2
    assert {name.split(", ")[0] for name in small["named"]} == {
        *(name.split(", ")[0] for name in strongholds),
        *small["occupied"],
    }
    anna.screenshot("legible-small")
    anna.page.locator("#zoom-in").click()
    anna.page.locator("#zoom-in").click()
    anna.page.wait_for_function("() => !document.querySelector('#stage [data-grows][transform]')")
    assert anna.page.evaluate(_NAMES) == whole
    anna.close()


def test_a_dark_page_has_a_dark_picture(browser: Browser, server: Server) -> None:
    anna = Person(browser, server)
    sit_down(anna, "dune", 2, "duel")
    anna.wait_for_turn()
    sand = "document.querySelectorAll('#stage [fill=\"#edd49c\"]').length"
    assert anna.page.evaluate(sand) > 0
    anna.page.emulate_media(color_scheme="dark")
    anna.page.wait_for_function(f"() => {sand} === 0")
    expect(anna.page.locator(".spot, .free-choice").first).to_be_visible()  # what is asked is still asked
    anna.screenshot("legible-dark")
    anna.check_accessibility()
    anna.close()


def test_many_areas_are_tinted_without_frames(browser: Browser, server: Server) -> None:
    anna = Person(browser, server)
    sit_down(anna, "dune", 2, "duel")
    chooser, framed = random.Random(SEED), 0
    for _ in range(60):
        assert anna.wait_for_turn()
        framed += anna.page.locator(".tints.framed").count()
        if anna.page.locator(".spot.formed").count() > 20:
            break
        anna.pick(chooser)
        anna.confirm()
    frames = anna.page.evaluate(
        "[...document.querySelectorAll('.spot.formed svg')].map((one) => getComputedStyle(one).stroke)"
    )
    assert set(frames) == {"none"}
    assert anna.page.locator(".tints").count() == 1
    assert anna.page.locator(".tints.framed").count() == 0
    assert framed
    anna.screenshot("legible-shipping")
    anna.close()


def test_where_most_of_the_map_can_be_chosen_its_tint_is_pale_and_strongholds_are_listed_first(
    browser: Browser, server: Server
) -> None:
    anna = Person(browser, server, viewport={"width": 390, "height": 844}, reduced_motion="reduce", color_scheme="dark")
    sit_down(anna, "dune", 2, "duel")
    page, chooser, areas = anna.page, random.Random(SEED), []
    for _ in range(200):
        assert anna.wait_for_turn()
        areas.append(page.locator(".spot.formed").count())
        assert page.locator(".tints.pale").count() == (areas[-1] > 30)
        if areas[-1] > 30:
            break
        passing = page.locator(".free-choice[data-free=pass]")
        if passing.count():
            passing.click()
        anna.pick(chooser)
        anna.confirm()
    assert areas[-1] > 30
    page.locator(".choices > summary").click()
    page.locator(".choice").first.wait_for()
    listed = page.locator(".choice").all_inner_texts()
    strongholds = ("Arrakeen", "Carthag", "Tuek's Sietch", "Sietch Tabr", "Habbanya Sietch")
    is_stronghold = [any(name in text.replace("\u2019", "'") for name in strongholds) for text in listed]
    assert sum(is_stronghold) >= 3
    first_area = next(index for index, text in enumerate(listed) if "to" in text)
    last = max(index for index, found in enumerate(is_stronghold) if found)
    assert sum(is_stronghold) == last - first_area + 1
    anna.screenshot("legible-pale")
    anna.close()


# The tint of areas, the ink of names, whether the tint lies beneath tokens and names, and the grounds of the buttons.
_TINTS = """() => {
  const tints = document.querySelector("#stage .tints");
  const names = [...document.querySelectorAll("#stage [data-piece^=territory] text")];
  const above = [...document.querySelectorAll("#stage [data-piece^=cell], #stage [data-piece^=territory]")];
  return {
    fill: getComputedStyle(tints).fill,
    ink: [...new Set(names.map((name) => name.getAttribute("fill")))],
    isBeneath: above.every((one) => tints.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING),
    areas: tints.childElementCount,
    grounds: [...document.querySelectorAll(".spot.formed")].map((one) => getComputedStyle(one).backgroundColor),
  };
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_tinted_areas_leave_tokens_and_names_as_they_are(browser: Browser, server: Server, scheme: str) -> None:
    anna = Person(browser, server, color_scheme=scheme)
    sit_down(anna, "dune", 2, "duel")
    chooser = random.Random(SEED)
    for _ in range(60):
        assert anna.wait_for_turn()
        if anna.page.locator(".spot.formed").count() > 20:
            break
        anna.pick(chooser)
        anna.confirm()
    tinted = anna.page.evaluate(_TINTS)
    assert tinted["areas"] > 20
    assert tinted["isBeneath"]
    assert set(tinted["grounds"]) == {"rgba(0, 0, 0, 0)"}
    (ink,) = tinted["ink"]
    fills = anna.page.evaluate(
        """() => {
          const tints = document.querySelector("#stage .tints");
          return [false, true].map((isPale) => {
            tints.classList.toggle("pale", isPale);
            return getComputedStyle(tints).fill;
          });
        }"""
    )
    assert tinted["fill"] in fills
    opacities = []
    for fill in fills:
        *tint, opacity = map(float, re.findall(r"[\d.]+", fill))
        opacities.append(opacity)
        for colour in (*palette.SANDS, *palette.ROCKS, palette.STRONGHOLD, palette.SINK):
            shown = palette.DARK[colour] if scheme == "dark" else colour
            mixed = opacity * np.array(tint) + (1 - opacity) * np.array(list(bytes.fromhex(shown[1:])))
            assert contrast(ink, mixed.astype(np.uint8)) >= 4.5
    assert 0.2 <= opacities[1] < 0.6 * opacities[0]
    anna.page.locator(".spot.formed").nth(5).hover()
    assert set(anna.page.evaluate(_TINTS)["grounds"]) == {"rgba(0, 0, 0, 0)"}
    # The tint stays where the page changes its colours, and goes with the question.
    anna.page.emulate_media(color_scheme="dark" if scheme == "light" else "light")
    anna.page.wait_for_function(f"() => !document.querySelector('#stage [fill=\"{ink}\"]')")
    assert anna.page.evaluate(_TINTS)["areas"] == tinted["areas"]
    anna.pick(chooser)
    assert anna.page.locator("#decision.confirming").count() == 1
    assert anna.page.locator(".tints").count() == 0
    anna.close()


@pytest.mark.parametrize("locale", ["en-US", "fr-FR"])
def test_the_lobby_shows_the_games_and_their_rules(browser: Browser, server: Server, locale: str) -> None:
    anna = Person(browser, server, locale=locale)
    anna.open("/")
    page = anna.page
    expect(page.locator(".game-card .game-cover")).to_have_count(2)
    expect(page.locator(".options")).to_have_js_property("open", False)
    expect(page.locator("#agent-1")).to_have_value("easy")
    name, club = {"en-US": ("Beginner", "Club player"), "fr-FR": ("Débutant", "Joueur de club")}[locale]
    expect(page.locator("#agent-1 option:checked")).to_have_text(name)
    expect(page.locator("#about-1")).to_contain_text(club)
    expect(page.locator("#about-1")).to_contain_text("1 of 6" if locale == "en-US" else "1 fois sur 6")
    anna.screenshot(f"lobby-cards-{locale[:2]}")
    anna.check_accessibility()
    for game, lessons in (("dunaia", 10), ("dune", 8)):
        page.locator(f"[data-primer={game}]").click()
        expect(page.locator(".lesson")).to_have_count(lessons)
        assert all(page.locator(".lesson p").all_inner_texts())
        assert page.locator(".lesson-picture").count() == lessons
        anna.screenshot(f"primer-{game}-{locale[:2]}")
        anna.check_accessibility()
        page.locator("#primer button").click()
    page.locator("input[name=game][value=dune]").check()
    preset, players = page.locator("#preset"), page.locator("input[name=players]")
    expect(preset).to_have_value("duel")
    players.nth(2).check()
    expect(preset).to_have_value("classic")
    preset.select_option("plain")
    players.nth(0).check()
    expect(preset).to_have_value("plain")  # what somebody has chosen stays
    anna.close()


@pytest.mark.parametrize("locale", ["en-US", "fr-FR"])
def test_the_rules_can_be_read_at_a_table(browser: Browser, server: Server, locale: str) -> None:
    anna = Person(browser, server, locale=locale, viewport={"width": 390, "height": 844})
    sit_down(anna, "dune", 2, "duel")
    anna.wait_for_turn()
    anna.page.locator("#open-primer").click()
    expect(anna.page.locator(".lesson")).to_have_count(8)
    expect(anna.page.locator("#primer h2")).to_contain_text("How to play" if locale == "en-US" else "Règles du jeu")
    anna.check_accessibility()
    anna.page.locator("#primer button").click()
    anna.page.locator("[data-language=fr]").click()
    assert anna.page.evaluate("document.documentElement.scrollWidth") <= 390
    anna.close()


def test_a_first_turn_explains_itself(browser: Browser, server: Server) -> None:
    anna = Person(browser, server, viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    anna.open("/")
    page = anna.page
    page.locator("[data-guide=dunaia]").click()
    anna.wait_for_turn()
    guide = page.locator("#guide")
    expect(guide).to_contain_text("robot")
    anna.screenshot("guide")
    anna.check_accessibility()
    chooser, tips = random.Random(SEED), set[str]()
    for _ in range(12):
        assert anna.wait_for_turn()
        text = guide.locator("p").inner_text()
        if "your first turn" in text:
            break
        tips.add(text)
        expect(guide.locator("h2")).to_be_in_viewport(ratio=1)
        if page.locator("#decision .rules:not([open])").count():
            page.locator("#decision .rules summary").click()
        anna.pick(chooser)
        anna.confirm()
    assert len(tips) >= 3
    expect(guide).to_contain_text("your first turn")
    expect(guide).to_contain_text("Points come from")
    expect(guide).to_contain_text("Rules")
    expect(guide.locator("h2")).to_be_in_viewport(ratio=1)
    guide.locator("button").click()
    expect(guide).to_be_hidden()
    page.reload()
    anna.wait_for_turn()
    expect(guide).to_be_hidden()

    # The tips can be skipped at once; other tables have none.
    anna.open("/")
    page.locator("[data-guide=dunaia]").click()
    anna.wait_for_turn()
    guide.locator("button").click()
    expect(guide).to_be_hidden()
    open_table(anna, ("person:Anna", "greedy"), rounds=1)
    anna.wait_for_turn()
    expect(guide).to_be_hidden()
    anna.close()


# Whether the question, and with it one of the pieces that are asked about, can be seen.
_IN_SIGHT = """() => {
  const isSeen = (box, frame) => box.top >= frame.top - 1 && box.bottom <= frame.bottom + 1
    && box.left >= frame.left - 1 && box.right <= frame.right + 1;
  const page = { top: 0, left: 0, bottom: innerHeight, right: innerWidth };
  const stage = document.getElementById("stage").getBoundingClientRect();
  const spots = [...document.querySelectorAll(".spots .spot")].map((spot) => spot.getBoundingClientRect());
  const seen = spots.filter((spot) => isSeen(spot, stage) && isSeen(spot, page));
  const asked = document.getElementById("decision").getBoundingClientRect();
  return isSeen(asked, page) && (!spots.length || seen.length > 0);
}"""
_UNDO = """undone => fetch(`/api${location.pathname}/undo`, { method: "POST", body: JSON.stringify({ undone }),
  headers: { "Content-Type": "application/json" } }).then((one) => one.status)"""


# With seed 113 a question is about the top of the picture, with 159 about what a few pixels would hide.
@pytest.mark.parametrize(
    ("game", "players", "preset", "seed"),
    [("dunaia", 3, None, 113), ("dunaia", 3, None, 159), ("dune", 2, "duel", SEED)],
)
def test_a_new_question_comes_into_sight_unless_something_else_is_read(
    browser: Browser, server: Server, game: str, players: int, preset: str | None, seed: int
) -> None:
    phone: Any = {"viewport": {"width": 390, "height": 844}, "reduced_motion": "reduce"}
    anna = Person(browser, server, **phone)
    page, chooser, with_pieces = anna.page, random.Random(seed), 0
    sit_down(anna, game, players, preset, seed)
    for _ in range(12):
        assert anna.wait_for_turn()
        page.wait_for_function(_IN_SIGHT)
        with_pieces += page.locator(".spots .spot").count() > 0
        anna.pick(chooser)
        anna.confirm()
    assert with_pieces >= 3
    anna.wait_for_turn()
    for undone, dialog in enumerate((True, False)):
        if dialog:
            page.locator("#open-seats").click()
        page.evaluate("scrollTo(0, 0)")
        before = anna.version()
        assert page.evaluate(_UNDO, undone) == 200
        page.wait_for_function("before => document.querySelectorAll('.log-line').length < before", arg=before)
        anna.wait_for_turn()
        if dialog:
            page.wait_for_timeout(200)
            assert page.evaluate("scrollY") == 0
            page.locator("#seats .primary").last.click()
        else:
            page.wait_for_function(_IN_SIGHT)
    anna.close()


# Whether the tip's beginning can be seen, and one of the pieces that are asked about, not below the buttons on the map.
_WITH_A_TIP = """() => {
  const boxes = (found) => [...document.querySelectorAll(found)].map((element) => element.getBoundingClientRect());
  const [[stage], [tools], [tip], spots] = ["#stage", "#ticker", "#guide h2", ".spots .spot"].map(boxes);
  const [top, bottom] = [Math.max(0, stage.top) - 1, Math.min(tools.top, stage.bottom) + 1];
  return (!tip || tip.top >= 0) && (!spots.length || spots.some((spot) => spot.top >= top && spot.bottom <= bottom));
}"""


def test_a_phone_shows_a_tip_from_its_beginning_and_the_pieces_that_are_asked_about(
    browser: Browser, server: Server
) -> None:
    phone: Any = {"viewport": {"width": 390, "height": 844}, "reduced_motion": "reduce"}
    anna = Person(browser, server, **phone)
    sit_down(anna, "dune", 2, "duel")
    page, chooser, with_pieces, with_tips = anna.page, random.Random(SEED), 0, 0
    page.goto(f"{page.url}?guide=once")
    for _ in range(8):
        assert anna.wait_for_turn()
        page.wait_for_function(_WITH_A_TIP)
        with_pieces += page.locator(".spots .spot").count() > 0
        if page.locator("#since").is_visible() and page.locator("#guide").is_visible():
            since, asked = page.locator("#since").bounding_box(), page.locator("#decision").bounding_box()
            assert since is not None
            assert asked is not None
            assert since["y"] > asked["y"]
            with_tips += 1
        anna.pick(chooser)
        anna.confirm()
    assert with_pieces >= 2
    assert with_tips >= 2
    anna.close()


_CHANGES = """async (changes) => (await import("/static/log.js")).changesOf(changes, 0, ["Anna", "Bob"], null)"""


def test_a_change_names_its_seat_once_something_else_has_been_told(browser: Browser, server: Server) -> None:
    anna = Person(browser, server)
    anna.open("/")
    told = [(0, "gains 1 flower"), (None, "round 3 begins"), (0, "loses a token"), (1, "waits"), (0, "pays")]
    assert anna.page.evaluate(_CHANGES, [{"seat": seat, "text": text} for seat, text in told]) == [
        *("Gains 1 flower.", "Round 3 begins.", "Anna loses a token.", "Bob waits.", "Anna pays."),
    ]
    anna.close()


_SINCE = """async (told) => {
  const { Since } = await import("/static/since.js");
  const root = document.createElement("section");
  const since = new Since(root, () => null);
  const battle = { title: "Battle" };
  for (const [seat, text, other, own, forced] of told) {
    const changes = [own && { seat: 0, text: own }, other && { seat: 1, text: other }, forced].filter(Boolean);
    since.add({ seat, text, changes, by_agent: text === "dozes", notice: text === "fights" ? battle : undefined }, 0);
  }
  since.show(["Anna", "Bob"], 0, battle);
  const textsOf = (kind) => [...root.querySelectorAll(kind)].map((line) => line.textContent);
  const folded = [...textsOf(".since-latest"), ...textsOf(".since-besides")];
  return { hidden: root.hidden, lines: textsOf("li"), folded, more: textsOf("button").join() };
}"""


def test_what_others_did_stands_beside_the_question(browser: Browser, server: Server) -> None:
    anna = Person(browser, server)
    page, chooser = anna.page, random.Random(SEED)
    sit_down(anna, "dunaia", 3)
    since = page.locator("#since")
    for _ in range(20):
        assert anna.wait_for_turn()
        if since.filter(has_text="Greedy player").is_visible():
            break
        anna.pick(chooser)
        anna.confirm()
    assert 1 <= since.locator("li:not(.since-apart)").count() <= 5
    last = page.locator(".log-line").last.inner_text()
    expect(since.locator("li:not(.since-apart)").last).to_contain_text(last[1:-1])
    anna.screenshot("since")
    anna.check_accessibility()
    anna.pick(chooser)
    anna.confirm()
    anna.wait_for_turn()
    assert not since.filter(has_text=last[1:-1]).is_visible()

    # The person's own decision begins anew and stays; the log has the rest, a notice its battle.
    told = [[1, "waits", ""], [0, "ends the turn", "takes a die"], *([1, f"counts {n}", ""] for n in range(6))]
    shown = page.evaluate(_SINCE, [*told, [1, "fights", ""]])
    assert shown["lines"] == ["Anna ends the turn. Bob takes a die.", *(f"Bob counts {n}." for n in range(2, 6))]
    assert shown["more"] == "2 earlier events in the log"
    assert shown["folded"] == ["Anna ends the turn. Bob takes a die.", "Bob counts 5.", "+5 more"]
    shown = page.evaluate(_SINCE, told[:3])
    assert shown["lines"] == ["Anna ends the turn. Bob takes a die.", "Bob counts 0."]
    assert page.evaluate(_SINCE, [*told, [0, "moves", ""]])["hidden"]
    shown = page.evaluate(_SINCE, [*told, [0, "passes", "takes a die", "harvests 2 spice"]])
    assert shown["lines"] == ["Anna passes. Harvests 2 spice. Bob takes a die."]
    shown = page.evaluate(_SINCE, [[0, "passes", ""], [1, "waits", ""]])
    assert shown["lines"] == ["Anna passes.", "Bob waits."]
    assert shown["folded"] == ["Bob waits.", "+1 more"]

    # What an agent decides in the person's place is told like anything else.
    shown = page.evaluate(_SINCE, [*told[:3], [0, "dozes", ""], [1, "waits", ""]])
    assert shown["lines"] == ["Anna ends the turn. Bob takes a die.", "Bob counts 0.", "Anna dozes.", "Bob waits."]

    # What is easily overlooked has a line of its own, also where the rest is folded.
    forced = {"seat": 0, "text": "takes the 5", "to_seat": "you had to take the 5", "is_apart": True}
    shown = page.evaluate(_SINCE, [told[1], [1, "moves", "", "", forced], [1, "waits", ""]])
    assert shown["lines"] == [
        "Anna ends the turn. Bob takes a die.",
        "Bob moves.",
        "You had to take the 5.",
        "Bob waits.",
    ]
    other = {**forced, "seat": 1}
    assert page.evaluate(_SINCE, [told[1], [1, "moves", "", "", other]])["lines"][1] == "Bob moves. Takes the 5."
    assert shown["folded"] == [
        "You had to take the 5.",
        "Anna ends the turn. Bob takes a die.",
        "Bob waits.",
        "+1 more",
    ]
    anna.close()


def test_a_first_game_of_dune_explains_each_part_where_it_is_met_first(browser: Browser, server: Server) -> None:
    anna = Person(browser, server)
    anna.open("/")
    page = anna.page
    page.locator("[data-guide=dune]").click()
    guide, chooser, tips = page.locator("#guide"), random.Random(SEED), list[str]()
    for number in range(14):
        assert anna.wait_for_turn()
        if guide.is_visible():
            tips.append(guide.locator("p").inner_text())
        if number == 0:
            anna.screenshot("guide-dune")
            anna.check_accessibility()
        anna.pick(chooser)
        anna.confirm()
    assert any("Storm." in text for text in tips[:2])  # the first may be about traitors
    assert any("treachery cards" in text for text in tips)
    assert len({*tips}) == len(tips), "a tip is shown once"
    anna.close()

"""After a game in a real browser: it is played on from a position, the better move is drawn, mistakes are puzzles."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from dunaia_env import opponents
from dunaia_env.replay import record_game, to_text
from tests.browser_table import Person, Server, open_table, serving

pytestmark = [pytest.mark.slow, pytest.mark.once]

LOOKS: list[Any] = [
    pytest.param("light", {"color_scheme": "light", "viewport": {"width": 1280, "height": 800}}, id="light"),
    pytest.param("dark", {"color_scheme": "dark", "viewport": {"width": 1280, "height": 800}}, id="dark"),
    pytest.param("phone", {"viewport": {"width": 390, "height": 844}}, id="phone"),
    pytest.param("french", {"locale": "fr-FR", "viewport": {"width": 390, "height": 844}}, id="french"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    yield from serving(tmp_path_factory, "--simulations", "8")


@pytest.fixture(scope="module")
def analysis(browser: Browser, server: Server) -> str:
    """The path of the analysis of a game with mistakes of both players."""
    game = record_game(3, [opponents.load("greedy"), opponents.load("random")], num_players=2, max_rounds=6)
    anna = Person(browser, server)
    anna.open("/analysis")
    anna.page.locator("#paste").fill(to_text(game))
    anna.page.locator("#analyse").click()
    anna.page.locator("#panel:not([hidden])").wait_for()
    path = anna.page.evaluate("location.pathname")
    anna.close()
    return str(path)


def fits(person: Person) -> bool:
    return bool(person.page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


@pytest.mark.parametrize(("name", "context"), LOOKS)
def test_the_better_move_is_drawn_beside_the_played_one(
    browser: Browser, server: Server, analysis: str, name: str, context: dict[str, Any]
) -> None:
    anna = Person(browser, server, **context)
    page = anna.page
    anna.open(analysis)
    page.locator("#stage svg").first.wait_for()
    expect(page.locator("#chances-help")).to_contain_text(re.compile(r"62\s?%"))
    better, played = page.locator(".move-mark.better"), page.locator(".move-mark.played")
    for mistake in page.locator("[data-mistake]").all():
        mistake.click()
        expect(page.locator("#move .cost.bad")).to_be_visible()
        page.wait_for_timeout(300)
        if better.count() and played.count():
            break
    expect(better.first).to_be_visible()
    expect(page.locator("#move .move-sign")).to_have_count(2)
    anna.screenshot(f"onward-better-{name}")
    anna.check_accessibility()
    assert fits(anna)
    page.locator("#last").click()
    expect(page.locator(".move-mark")).to_have_count(0)
    anna.close()


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_next_mistake_is_the_persons_own_and_comes_into_sight(
    browser: Browser, server: Server, analysis: str, seat: int, width: int
) -> None:
    anna = Person(browser, server, viewport={"width": width, "height": 800}, reduced_motion="reduce")
    page = anna.page
    anna.open(f"{analysis}?seat={seat}#0")
    page.locator("#panel:not([hidden])").wait_for()
    found = page.evaluate("fetch('/api' + location.pathname).then((one) => one.json()).then((one) => one.analysis)")
    mistakes = sorted(number for number in found["mistakes"] if found["decisions"][number]["seat"] == seat)
    assert 1 < len(mistakes) < len(found["mistakes"])
    shown = []
    for number in range(len(mistakes) + 1):
        button = page.locator("#next-mistake" if number == 0 else "#move .next-mistake")
        button.click()
        shown.append(int(page.evaluate("location.hash.slice(1)")))
        place = mistakes.index(shown[-1]) + 1
        expect(page.locator("#move .mistake-place")).to_have_text(f"{place} of {len(mistakes)} of your own")
        expect(page.locator("#move h2")).to_be_in_viewport(ratio=1)
    first = mistakes.index(shown[0])
    assert shown == mistakes[first:] + mistakes[: first + 1]
    anna.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_the_card_of_the_decision_begins_on_the_first_screen(
    browser: Browser, server: Server, analysis: str, width: int
) -> None:
    anna = Person(browser, server, viewport={"width": width, "height": 800}, reduced_motion="reduce")
    page = anna.page
    anna.open(f"{analysis}?seat=1")
    expect(page.locator("#move .cost.bad")).to_be_visible()
    expect(page.locator("#charts .chart")).to_be_in_viewport(ratio=1)
    expect(page.locator("#move .verdict")).to_be_in_viewport(ratio=1)
    assert page.evaluate("scrollY") == 0
    # What the sums are made of is folded.
    expect(page.locator("#totals dl").first).to_be_hidden()
    page.locator("#totals summary").first.click()
    expect(page.locator("#totals dl").first).to_be_visible()
    anna.screenshot(f"onward-totals-{width}")
    anna.check_accessibility()
    anna.close()


@pytest.mark.parametrize(("name", "context"), LOOKS)
def test_mistakes_are_puzzles(
    browser: Browser, server: Server, analysis: str, name: str, context: dict[str, Any]
) -> None:
    anna = Person(browser, server, **context)
    page = anna.page
    anna.open(f"{analysis}?seat=1")
    page.locator("#solve").click()
    expect(page.locator("#puzzle-seat")).to_have_value("1")
    expect(page.locator("#puzzle-progress")).to_contain_text(re.compile(r"1 (of|sur) \d+ · .*0$"))
    # What costs are, and whose, stands before the first of them.
    solver = page.locator("#puzzle-seat option:checked").text_content()
    assert solver
    expect(page.locator("#puzzle-points")).to_contain_text(solver)
    # Nothing says what choices are worth, and no key leads away.
    for hidden in ("#charts", "#move", "#mistakes", "#totals", "#adviser", "#steps"):
        expect(page.locator(hidden)).to_be_hidden()
    where = page.evaluate("location.hash")
    page.keyboard.press("End")
    assert page.evaluate("location.hash") == where
    expect(page.locator("#decision")).to_be_visible()
    expect(page.locator(".spot, .free-choice").first).to_be_visible()
    anna.screenshot(f"onward-puzzle-{name}")
    anna.check_accessibility()
    assert fits(anna)

    # The best choice is found, and so counted.
    best = page.evaluate("""async () => {
        const base = `/api${location.pathname}`;
        const { analysis } = await (await fetch(base)).json();
        const own = analysis.mistakes.filter((one) => analysis.decisions[one].seat === 1);
        return analysis.decisions[own[1]].best; // the page has begun with the first one, and shown its answer
    }""")
    page.locator("#decision .choices summary").click()
    page.locator(f'#decision .choice[data-action="{best}"]').click()
    page.locator("#decision .confirm").click()
    expect(page.locator("#puzzle-result h2")).to_contain_text("Trouvé" if name == "french" else "Found")
    expect(page.locator("#puzzle-progress")).to_contain_text(re.compile(r"1$"))
    page.wait_for_timeout(300)
    anna.screenshot(f"onward-found-{name}")
    anna.check_accessibility()
    assert fits(anna)

    # Another language says the same, and counts nothing twice.
    other = "en" if name == "french" else "fr"
    page.locator(f"[data-language={other}]").click()
    expect(page.locator("#puzzle-result h2")).to_contain_text("Found" if other == "en" else "Trouvé")
    expect(page.locator("#puzzle-progress")).to_contain_text(re.compile(r"1 (of|sur) \d+ · .*1$"))
    page.locator("#puzzle-next").click()
    expect(page.locator("#puzzle-progress")).to_contain_text(re.compile(r"2 (of|sur) \d+ · .*1$"))
    expect(page.locator("#puzzle-result")).to_be_hidden()
    page.locator("#puzzle-leave").click()
    expect(page.locator("#puzzle")).to_be_hidden()
    expect(page.locator("#mistakes")).to_be_visible()
    expect(page.locator("#steps")).to_be_visible()
    anna.close()


def test_the_own_mistakes_come_first_and_few_are_listed(browser: Browser, server: Server, analysis: str) -> None:
    anna = Person(browser, server)
    page = anna.page
    anna.open(f"{analysis}?seat=1")
    page.locator("[data-mistake][aria-current]").wait_for()
    assert page.locator("#mistakes h3").all_inner_texts() == ["Random player", "Greedy player"]
    for listed in page.locator("#mistakes > ol").all():
        assert 1 <= listed.locator("li").count() <= 5
    folded = page.locator("#mistakes details").first
    expect(folded).to_have_js_property("open", False)
    expect(page.locator("#adviser")).to_have_text("This game was judged by Champion who thinks ahead.")
    number = folded.locator("[data-mistake]").first.get_attribute("data-mistake")
    page.evaluate("for (let k = 0; k < 200; k += 1) document.getElementById('previous').click()")
    for _ in range(100):
        if page.evaluate("location.hash") == f"#{number}":
            break
        page.keyboard.press("Shift+ArrowRight")
    expect(folded).to_have_js_property("open", True)
    anna.close()


def test_all_puzzles_of_a_seat_are_answered_with_what_was_played(
    browser: Browser, server: Server, analysis: str
) -> None:
    """No answer is found then, whatever the second try is, and the page says so at the end."""
    anna = Person(browser, server)
    page = anna.page
    anna.open(f"{analysis}?seat=1")
    page.locator("#solve").click()
    page.locator("#puzzle-seat").wait_for()
    played = page.evaluate("""async () => {
        const { analysis } = await (await fetch(`/api${location.pathname}`)).json();
        const own = analysis.mistakes.map((one) => analysis.decisions[one]).filter((one) => one.seat === 1);
        return [...own.slice(1), own[0]].map((one) => [one.action, one.best]);
    }""")

    def choose(action: str) -> None:
        page.locator("#decision .choices").wait_for()
        if page.locator("#decision .choices:not([open])").count():
            page.locator("#decision .choices summary").click()
        page.locator(f'#decision .choice[data-action="{action}"]').click()
        page.locator("#decision .confirm").click()

    # What to point at next is named.
    page.locator('[data-spot^="dunaia-1-"]').first.click()
    expect(page.locator("#decision .hint")).to_have_text("Choose a place between two squares.")
    page.keyboard.press("Escape")

    for number, (action, best) in enumerate(played):
        choose(action)
        expect(page.locator("#puzzle-result h2")).to_have_text("Not found: this is what was played in the game.")
        expect(page.locator("#puzzle-result .verdict")).to_have_count(0)
        if number == 0:
            anna.screenshot("onward-retry")
            anna.check_accessibility()
            choose(best)
            expect(page.locator("#puzzle-result h2")).to_contain_text("Found at the second try.")
        elif number == 1:
            choose(action)
        else:
            page.locator("#puzzle-reveal").click()
        expect(page.locator("#puzzle-result .verdict")).to_be_visible()
        if number == 1:
            page.wait_for_timeout(300)
            anna.screenshot("onward-missed")
            anna.check_accessibility()
        if number + 1 < len(played):
            page.locator("#puzzle-next").click()
            expect(page.locator("#puzzle-result")).to_be_hidden()
    expect(page.locator("#puzzle-end")).to_have_text(f"You found 0 of {len(played)}.")
    page.locator("#puzzle-next").click()
    expect(page.locator("#puzzle-progress")).to_contain_text("Puzzle 1 of")
    anna.close()


@pytest.mark.parametrize(("name", "context"), LOOKS)
def test_an_analysed_game_is_played_on(
    browser: Browser, server: Server, analysis: str, name: str, context: dict[str, Any]
) -> None:
    anna = Person(browser, server, **context)
    page = anna.page
    anna.open(f"{analysis}#5")
    page.locator("#stage svg").first.wait_for()
    page.locator("#move .play-on").click()
    seat = page.evaluate("fetch('/api' + location.pathname).then((one) => one.json()).then((one) => one.analysis)")[
        "positions"
    ][5]["seat"]
    expect(page.locator("#onward-agent")).to_have_value(("greedy", "random")[1 - seat])
    expect(page.locator("#onward-draws")).to_be_checked()
    anna.screenshot(f"onward-dialog-{name}")
    anna.check_accessibility()
    assert fits(anna)
    page.locator("#onward-agent").select_option("random")
    page.locator("#onward .primary").click()
    page.wait_for_url(re.compile("/t/"))
    anna.wait_for_turn()
    assert anna.version() == 5
    # The lobby knows the table, and the key of whoever opened it.
    anna.open("/")
    expect(page.locator("#recent li")).to_have_count(1)
    assert page.evaluate("JSON.parse(localStorage.getItem('table.recent'))[0].key")
    anna.close()


def test_a_person_plays_on_in_the_own_seat(browser: Browser, server: Server, analysis: str) -> None:
    """Where somebody else decides, it goes on at the person's own next decision."""
    anna = Person(browser, server)
    page = anna.page
    anna.open(f"{analysis}?seat=1#0")
    page.locator("#stage svg").first.wait_for()
    positions = page.evaluate("fetch('/api' + location.pathname).then((one) => one.json())")["analysis"]["positions"]
    other = next(one["number"] for one in positions if one["seat"] == 0)
    own = next(one["number"] for one in positions if one["number"] > other and one["seat"] == 1)
    for number, text in ((other, "Play on from your next decision"), (own, "Play on from here")):
        anna.open(f"{analysis}?seat=1#{number}")
        page.reload()
        expect(page.locator("#move .play-on")).to_have_text(text)
        page.locator("#move .play-on").click()
        expect(page.locator("#onward-title")).to_have_text(text)
        expect(page.locator("#onward-agent")).to_have_value("greedy")
        page.locator("#onward .primary").click()
        page.wait_for_url(re.compile("/t/"))
        anna.wait_for_turn()
        assert anna.version() == own
        shown = page.locator(".player-name b").all_inner_texts()
        assert shown[0] == "Greedy player"
    anna.close()


def test_the_opponents_of_the_game_are_proposed_for_playing_on(browser: Browser, server: Server) -> None:
    agents = [opponents.load(name) for name in ("greedy", "random", "easy")]
    anna = Person(browser, server)
    page = anna.page
    anna.open("/analysis")
    page.locator("#paste").fill(to_text(record_game(3, agents, num_players=3, max_rounds=1)))
    page.locator("#analyse").click()
    page.locator("#panel:not([hidden])").wait_for()
    page.locator("#first").click()
    page.locator("#move .play-on").click()
    analysis = page.evaluate("fetch('/api' + location.pathname).then((one) => one.json())")["analysis"]
    seat = analysis["positions"][0]["seat"]
    names = [name for other, name in enumerate(("Greedy player", "Random player", "Beginner")) if other != seat]
    expect(page.locator("#onward-agent option:checked")).to_have_text("As in the game")
    expect(page.locator("#onward-former")).to_have_text(" and ".join(names))
    page.locator("#onward .primary").click()
    page.wait_for_url(re.compile("/t/"))
    anna.wait_for_turn()
    shown = page.locator(".player-name b").all_inner_texts()
    assert [name for other, name in enumerate(shown) if other != seat] == names
    anna.close()


def test_a_finished_table_is_played_on_from_a_position_that_is_looked_at(browser: Browser, server: Server) -> None:
    anna = Person(browser, server)
    page = anna.page
    open_table(anna, ("random", "random"), rounds=1)
    page.locator("#pace-seconds").fill("0")
    page.locator("#pace-seconds").dispatch_event("change")
    page.locator("#result:not([hidden])").wait_for()
    expect(page.locator("#play-on")).to_be_hidden()
    page.locator(".log-line").nth(1).click()
    expect(page.locator("#play-on")).to_be_visible()
    anna.screenshot("onward-table")
    anna.check_accessibility()
    page.locator("#play-on").click()
    page.locator("#onward .primary").click()
    page.locator("#decision:not([hidden])").wait_for()
    assert anna.version() == 2
    anna.close()


def test_an_unfinished_game_shows_no_way_to_play_on_at_its_table(browser: Browser, server: Server) -> None:
    anna = Person(browser, server)
    open_table(anna, ("person:Anna", "random"))
    anna.wait_for_turn()
    anna.play(random.Random(1), most=2)
    anna.page.locator(".log-line").first.click()
    expect(anna.page.locator("#look-tools")).to_be_visible()
    anna.page.wait_for_timeout(300)
    expect(anna.page.locator("#play-on")).to_be_hidden()
    anna.close()

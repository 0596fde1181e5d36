"""A table of Dune in a real browser: a battle is shown beside the board, seats have their factions and emblems."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser_table import Person, Server, serving

pytestmark = [pytest.mark.slow, pytest.mark.once]

OPEN = """async () => {
    const seats = [1, 2].map(() => ({ kind: "agent", agent: "greedy" }));
    const message = { game: "dune", options: { preset: "duel", max_turns: 3 }, seats, seed: 3 };
    const headers = { "content-type": "application/json" };
    const opened = await fetch("/api/tables", { method: "POST", headers, body: JSON.stringify(message) });
    return (await opened.json()).watch;
}"""

# The first position of an analysis that shows a battle.
FIRST_BATTLE = """async () => {
    for (let number = 0; ; number += 1) {
        const answer = await fetch(`/api${location.pathname}/positions/${number}`);
        if (!answer.ok || (await answer.json()).notice) return number;
    }
}"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    yield from serving(tmp_path_factory, "--games", "dune", "--simulations", "0")


@pytest.fixture(scope="module")
def table(browser: Browser, server: Server) -> str:
    """The link of a game of agents that is over."""
    anna = Person(browser, server)
    anna.open("/")
    link = anna.page.evaluate(OPEN)
    anna.open(link)
    anna.page.locator("#pace-seconds").fill("0")
    anna.page.locator("#pace-seconds").dispatch_event("change")
    anna.page.locator("#result:not([hidden])").wait_for()
    anna.close()
    return link


@pytest.mark.parametrize(
    ("name", "context"),
    [
        ("light", {"color_scheme": "light"}),
        ("dark", {"color_scheme": "dark"}),
        ("phone", {"viewport": {"width": 390, "height": 844}}),
        ("french", {"locale": "fr-FR"}),
    ],
)
def test_a_battle_is_shown_beside_the_board(
    browser: Browser, server: Server, table: str, name: str, context: dict[str, object]
) -> None:
    anna = Person(browser, server, **context)
    anna.open(table)
    page = anna.page
    won = page.locator(".log-entries > li", has_text="gagne le combat" if name == "french" else "wins the battle")
    won.last.locator(".log-line").click()
    notice = page.locator("#notice")
    expect(notice).to_be_visible()
    expect(notice.locator("h2")).to_contain_text("Combat" if name == "french" else "Battle in")
    assert notice.locator("thead th").count() == 2
    expect(notice.locator("thead")).to_contain_text("(Joueur glouton" if name == "french" else "(Greedy player")
    assert page.locator(".player .emblem").count() == 2
    anna.screenshot(f"dune-battle-{name}")
    anna.check_accessibility()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator("#present").click()
    expect(page.locator("#look-tools")).to_be_hidden()
    anna.close()


def test_an_analysis_names_its_adviser_and_shows_battles(browser: Browser, server: Server, table: str) -> None:
    anna = Person(browser, server)
    anna.open(table)
    page = anna.page
    page.locator("[data-result='result.analyse']").click()
    page.locator("#panel:not([hidden])").wait_for()
    expect(page.locator("#adviser")).to_have_text("This game was judged by Champion.")
    first = page.evaluate(FIRST_BATTLE)
    page.evaluate("number => { location.hash = number; }", first - 1)
    page.reload()
    page.locator("#panel:not([hidden])").wait_for()
    expect(page.locator("#notice")).to_be_hidden()
    page.locator("#next").click()
    expect(page.locator("#notice h2")).to_contain_text("Battle in")
    # The map shows what the seat that decided was asked about.
    shown = page.evaluate(
        "number => fetch(`/api${location.pathname}/positions/${number}`).then((one) => one.json())", first
    )
    assert shown["focus"]
    anna.screenshot("dune-analysis")
    anna.check_accessibility()
    anna.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_a_mistake_is_a_puzzle_with_what_its_seat_knew_and_can_be_played_on(
    browser: Browser, server: Server, table: str, width: int
) -> None:
    anna = Person(browser, server, viewport={"width": width, "height": 844})
    anna.open(table)
    page = anna.page
    page.locator("[data-result='result.analyse']").click()
    page.locator("#panel:not([hidden])").wait_for()
    page.locator("#solve").click()
    page.locator("#decision .choices").wait_for()
    anna.screenshot(f"dune-puzzle-{width}")
    anna.check_accessibility()
    page.locator("#decision .choices summary").click()
    page.locator("#decision .choice").first.click()
    page.locator("#decision .confirm").click()
    page.locator("#puzzle-reveal, #puzzle-next").first.wait_for()
    if page.locator("#puzzle-reveal").count():
        page.locator("#puzzle-reveal").click()
    expect(page.locator("#puzzle-result .move-sign.better")).to_be_visible()
    anna.screenshot(f"dune-puzzle-answer-{width}")
    anna.check_accessibility()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator("#puzzle-result .play-on").click()
    page.locator("#onward-agent").select_option("greedy")
    page.locator("#onward .primary").click()
    page.locator("#players .player").first.wait_for()
    page.locator("#decision:not([hidden])").wait_for()
    anna.check_accessibility()
    anna.close()

"""People in a real browser resign and come back, undo decisions, are called, replace others and play again."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser_table import Person, Server, open_table, serving

pytestmark = [pytest.mark.slow, pytest.mark.once]

SEED = 11


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    yield from serving(tmp_path_factory, "--simulations", "0")


def restart(server: Server, *people: Person) -> None:
    """Kill the server and start it again; the pages find it."""
    port = server.port
    for person in people:
        person.offline = True
    server.kill()
    for person in people:
        person.page.locator("#connection:not([hidden])").wait_for()
    server.start(port)
    for person in people:
        expect(person.page.locator("#connection")).to_be_hidden()
        person.offline = False


def two_people(browser: Browser, server: Server, rounds: int, **context: object) -> tuple[Person, Person]:
    """Anna, who opened the table, and Bob, each at their page."""
    anna, bob = Person(browser, server, **context), Person(browser, server, **context)  # type: ignore[arg-type]
    open_table(anna, ("person:Anna", "person:Bob"), rounds=rounds)
    anna.page.locator("#ready:not([hidden])").wait_for()
    links = [str(link.get_attribute("href")) for link in anna.page.locator(".link-row > a").all()]
    anna.page.locator("#ready-go").click()
    bob.open(links[1])
    for person in (anna, bob):
        person.page.locator(".player").first.wait_for()
    return anna, bob


def who_decides(*people: Person) -> Person:
    """The person who has to decide, once the pages know."""
    page = people[0].page
    for _ in range(600):
        for person in people:
            if person.page.locator("#decision").is_visible():
                return person
        page.wait_for_timeout(50)
    raise AssertionError("nobody has to decide")


def play_to_the_end(*people: Person) -> None:
    chooser = random.Random(SEED)
    while not all(person.is_over() for person in people):
        for person in people:
            if person.page.locator("#decision:not([hidden]):not(.sending)").count():
                person.pick(chooser)
                person.confirm()
        people[0].page.wait_for_timeout(20)


def icon(page: Page) -> str:
    return str(page.locator("link[rel=icon]").get_attribute("href"))


@pytest.mark.parametrize("width", [1280, 390])
def test_a_person_resigns_and_comes_back(browser: Browser, server: Server, width: int) -> None:
    scheme = "dark" if width == 390 else "light"
    anna = Person(browser, server, viewport={"width": width, "height": 844}, color_scheme=scheme)
    open_table(anna, ("person:Anna", "greedy"), rounds=9)
    anna.wait_for_turn()
    page = anna.page
    page.locator("#open-seats").click()
    page.locator("#seats").wait_for()
    expect(page.locator(".seat-row")).to_have_count(2)
    anna.screenshot(f"people-seats-{width}")
    anna.check_accessibility()
    page.locator("#instead-0").select_option("random")
    page.locator("#replace-0").click()
    page.locator("#back-0").wait_for()
    page.locator("#seats .primary").last.click()
    expect(page.locator("#away h2")).to_have_text("Random player is playing for you")
    expect(page.locator(".player-name small").first).to_contain_text("Random player plays instead")
    expect(page.locator(".log-note").first).to_have_text("Anna lets Random player play.")
    page.locator("#pace-pause").click()
    expect(page.locator("#pace-step")).to_be_enabled()
    anna.screenshot(f"people-away-{width}")
    anna.check_accessibility()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if width == 1280:
        restart(server, anna)
    page.locator("#take-seat-back").click()
    expect(page.locator("#away")).to_be_hidden()
    expect(page.locator(".log-note").last).to_have_text("Anna is back.")
    assert anna.wait_for_turn()
    anna.play(random.Random(SEED), 1)
    anna.close()


def test_a_person_alone_undoes_a_decision(browser: Browser, server: Server) -> None:
    anna = Person(browser, server)
    open_table(anna, ("person:Anna", "greedy"), rounds=3)
    anna.wait_for_turn()
    page, chooser = anna.page, random.Random(SEED)
    undo = page.locator("#undo")
    expect(undo).to_be_hidden()
    anna.play(chooser, 2)
    anna.wait_for_turn()
    before, log = anna.version(), page.locator("#log").inner_text()
    question = page.locator("#decision h2").inner_text()
    anna.play(chooser, 1)
    anna.wait_for_turn()
    after = anna.version()
    assert after > before
    page.evaluate("window.kept = true")
    undo.click()
    page.wait_for_function("before => document.querySelectorAll('.log-line').length === before", arg=before)
    expect(page.locator("#decision h2")).to_have_text(question)
    expect(page.locator(".log-note")).to_have_text(["Anna undid a decision."])
    assert page.evaluate("window.kept"), "the page was loaded again"
    assert page.locator("#log").inner_text().replace("Anna undid a decision.", "").split() == log.split()
    anna.screenshot("people-undone")
    anna.check_accessibility()
    restart(server, anna)
    assert anna.version() == before
    # One more, by the keyboard, and then the game goes on.
    undo.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("before => document.querySelectorAll('.log-line').length < before", arg=before)
    anna.play(chooser)
    assert anna.is_over()
    # Also from the end, back into the game.
    undo.click()
    expect(page.locator("#result")).to_be_hidden()
    assert anna.wait_for_turn()
    anna.close()


def test_an_undo_is_shown_to_pages_that_are_in_the_middle_of_something(browser: Browser, server: Server) -> None:
    anna = Person(browser, server, storage={"table.speed": "2.2"})
    open_table(anna, ("person:Anna", "greedy"), rounds=3)
    anna.wait_for_turn()
    page = anna.page
    anna.pick(random.Random(SEED))
    page.locator("#decision .confirm").click()
    page.locator(".log-line").first.wait_for()
    # While the agent's turn is shown, and while an old position is.
    other = anna.context.new_page()
    other.goto(page.url)
    other.locator("#undo").wait_for()
    other.locator(".log-line").first.click()
    other.locator("#look-tools").wait_for()
    answer = page.evaluate(
        "fetch('/api' + location.pathname + '/undo', { method: 'POST', body: JSON.stringify({ undone: 0 }),"
        " headers: { 'Content-Type': 'application/json' } }).then((one) => one.status)"
    )
    assert answer == 200
    for one in (page, other):
        expect(one.locator(".log-line")).to_have_count(0)
        one.locator("#decision:not([hidden])").wait_for()
        expect(one.locator("#look-tools")).to_be_hidden()
    anna.close()


def test_two_people_agree_to_an_undo(browser: Browser, server: Server) -> None:
    anna, bob = two_people(browser, server, 2)
    chooser = random.Random(SEED)
    first = who_decides(anna, bob)
    other = bob if first is anna else anna
    first.pick(chooser)
    first.confirm()
    before = first.version()
    first.page.locator("#undo").click()
    expect(first.page.locator("#request h2")).to_have_text("You asked to undo your last decision.")
    expect(other.page.locator("#request h2")).to_contain_text("asks to undo their last decision.")
    expect(first.page.locator("#decision")).to_be_hidden()
    expect(other.page.locator("#decision")).to_be_hidden()
    other.screenshot("people-request")
    for person in (first, other):
        person.check_accessibility()
    other.page.locator("[data-answer='undo.decline']").click()
    expect(first.page.locator("#request")).to_be_hidden()
    assert first.version() == before
    first.page.locator("#undo").click()
    other.page.locator("[data-answer='undo.agree']").wait_for()
    restart(server, first, other)
    other.page.locator("[data-answer='undo.agree']").click()
    for person in (first, other):
        expect(person.page.locator("#request")).to_be_hidden()
        person.page.wait_for_function(
            "before => document.querySelectorAll('.log-line').length === before", arg=before - 1
        )
    assert first.wait_for_turn()
    first.pick(chooser)
    first.confirm()
    anna.close()
    bob.close()


def test_a_choice_is_changed_before_it_is_confirmed(browser: Browser, server: Server) -> None:
    anna = Person(browser, server)
    open_table(anna, ("person:Anna", "random"), rounds=1)
    anna.wait_for_turn()
    anna.pick(random.Random(SEED))
    expect(anna.page.locator(".take-back")).to_contain_text("Change")
    anna.page.locator("[data-language=fr]").click()
    expect(anna.page.locator(".take-back")).to_contain_text("Modifier")
    anna.close()


STUBS = """
window.called = [];
window.Notification = class {
  static permission = 'default';
  static async requestPermission() {
    window.called.push('asked');
    this.permission = window.answer ?? 'granted';
    return this.permission;
  }
  constructor(title) { window.called.push(title); }
  addEventListener() {}
};
window.AudioContext = class extends AudioContext {
  createOscillator() {
    window.called.push('tone');
    return super.createOscillator();
  }
};
Object.defineProperty(document, 'hasFocus', { value: () => false });
"""


def test_a_person_is_called_when_it_is_their_turn(browser: Browser, server: Server) -> None:
    anna, bob = two_people(browser, server, 2)
    for person in (anna, bob):
        person.context.add_init_script(STUBS)
        person.page.reload()
    first = who_decides(anna, bob)
    other = bob if first is anna else anna
    expect(first.page).to_have_title(re.compile("^● Your turn"))
    assert icon(first.page) == "/static/favicon-turn.svg"
    assert (icon(other.page), other.page.title()[0] == "●") == ("/static/favicon.svg", False)
    page = other.page
    assert page.evaluate("called") == [], "nothing is asked for without a click"
    page.locator("#open-settings").click()
    page.locator("#sound").check()
    page.locator("#notify").check()
    expect(page.locator("#notify")).to_be_checked()
    other.screenshot("people-settings")
    other.check_accessibility()
    page.locator("#settings .primary").click()
    assert page.evaluate("called") == ["tone", "tone", "asked"]
    page.evaluate("called.length = 0")
    chooser = random.Random(SEED)
    for _ in range(30):
        if other.page.locator("#decision").is_visible():
            break
        if first.page.locator("#decision:not([hidden]):not(.sending)").count():
            first.pick(chooser)
            first.confirm()
        first.page.wait_for_timeout(50)
    page.wait_for_function("() => called.length === 3")
    assert page.evaluate("called")[:2] == ["tone", "tone"]
    assert page.evaluate("called")[2].startswith("Your turn")
    assert icon(page) == "/static/favicon-turn.svg"
    assert first.page.evaluate("called") == [], "who has chosen neither hears nothing"
    # A refusal by the browser is said.
    first.page.evaluate("window.answer = 'denied'")
    first.page.locator("#open-settings").click()
    first.page.locator("#notify").click()
    expect(first.page.locator("#message")).to_contain_text("does not allow notifications")
    expect(first.page.locator("#notify")).not_to_be_checked()
    anna.close()
    bob.close()


def test_everybody_gets_the_link_to_the_rematch(browser: Browser, server: Server) -> None:
    anna, bob = two_people(browser, server, 1)
    play_to_the_end(anna, bob)
    expect(bob.page.locator("[data-result='result.join']")).to_have_count(0)
    restart(server, anna, bob)
    expect(anna.page.locator("#result .hint")).to_contain_text("everyone moves one seat forward")
    anna.page.locator("[data-result='result.rematch']").click()
    anna.page.wait_for_url(re.compile(r"\.1$"))
    join = bob.page.locator("[data-result='result.join']")
    join.wait_for()
    bob.screenshot("people-rematch")
    bob.check_accessibility()
    anna.page.locator(".player").first.wait_for()
    restart(server, anna, bob)
    join.click()
    bob.page.wait_for_url(re.compile(r"\.1$"))
    for person in (anna, bob):
        person.page.locator(".player").first.wait_for()
        assert person.page.locator(".player-name b").all_inner_texts() == ["Bob", "Anna"]
    assert who_decides(bob, anna) in (anna, bob)
    # The browser that opened the table may still seat agents.
    bob.close()
    anna.page.locator("#open-seats").click()
    anna.page.locator("#replace-0").wait_for()
    anna.close()


def test_the_lobby_says_whose_turn_it_is(browser: Browser, server: Server) -> None:
    anna, bob = two_people(browser, server, 1)
    first = who_decides(anna, bob)
    other = bob if first is anna else anna
    name = "Anna" if first is anna else "Bob"
    links = {person: person.page.url for person in (anna, bob)}
    for person, told in ((first, "your turn"), (other, f"waiting for {name}")):
        person.open("/")
        expect(person.page.locator("#recent li small").first).to_contain_text(told)
        person.check_accessibility()
    first.screenshot("people-lobby")
    first.page.locator("[data-language=fr]").click()
    expect(first.page.locator("#recent li small").first).to_contain_text("à vous de jouer")
    for person, link in links.items():
        person.page.goto(link)
    play_to_the_end(anna, bob)
    bob.open("/")
    expect(bob.page.locator("#recent li small").first).to_contain_text("finished")
    # Also a game that was finished while this browser was away.
    bob.page.evaluate(
        "const all = JSON.parse(localStorage.getItem('table.recent')); all[0].over = false;"
        "localStorage.setItem('table.recent', JSON.stringify(all))"
    )
    bob.page.reload()
    expect(bob.page.locator("#recent li small").first).to_contain_text("finished")
    anna.close()
    bob.close()


def test_whoever_opened_the_table_replaces_somebody_who_is_not_there(browser: Browser, server: Server) -> None:
    anna, bob = two_people(browser, server, 2)
    chooser = random.Random(SEED)
    anna.page.locator("#open-seats").click()
    expect(anna.page.locator("#replace-1")).to_have_count(0)  # Bob is there
    link = bob.page.url
    bob.open("/")
    anna.page.locator("#instead-1").select_option("random")
    anna.screenshot("people-replace")
    anna.check_accessibility()
    anna.page.locator("#replace-1").click()
    expect(anna.page.locator(".seat-row").nth(1)).to_contain_text("Random player plays instead")
    anna.page.locator("#seats .primary").last.click()
    assert anna.wait_for_turn()
    anna.play(chooser, 2)
    expect(anna.page.locator(".log-note").first).to_have_text("Anna lets Random player play for Bob.")
    bob.page.goto(link)
    bob.page.locator("#take-seat-back").click()
    expect(anna.page.locator(".player-name small").nth(1)).not_to_contain_text("instead")
    # Somebody who did not open the table may not replace who is there.
    bob.page.locator("#open-seats").click()
    expect(bob.page.locator("#replace-0")).to_have_count(0)
    anna.close()
    bob.close()


def test_the_clock_counts_down_and_the_person_takes_the_seat_back(browser: Browser, server: Server) -> None:
    chosen = {"table.speed": "0", "table.wish": '{"clock": {"seconds": 60, "agent": "greedy"}}'}
    anna = Person(browser, server, storage=chosen, viewport={"width": 390, "height": 844})
    anna.open("/")
    expect(anna.page.locator("#clock option:checked")).to_have_text("1 minute")
    expect(anna.page.locator("#clock-agent")).to_have_value("greedy")
    anna.screenshot("people-clock-lobby")
    anna.check_accessibility()
    open_table(anna, ("person:Anna", "random"), rounds=3)
    anna.wait_for_turn()
    expect(anna.page.locator("#clock")).to_have_text(re.compile(r"^(1:00|0:5\d)$"))
    anna.screenshot("people-clock")
    anna.check_accessibility()
    made = anna.page.evaluate(
        "fetch('/api/tables', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify("
        "{ game: 'dunaia', seats: [{ kind: 'person', name: 'Anna' }, { kind: 'agent', agent: 'random' }],"
        " clock: { seconds: 10, agent: 'greedy' } }) }).then((one) => one.json())"
    )
    anna.open(made["seats"][0]["link"])
    anna.wait_for_turn()
    expect(anna.page.locator("#away h2")).to_have_text("Greedy player is playing for you", timeout=60_000)
    expect(anna.page.locator(".log-note").first).to_have_text("Anna ran out of time; Greedy player now plays.")
    anna.page.locator("#take-seat-back").click()
    assert anna.wait_for_turn()
    anna.close()

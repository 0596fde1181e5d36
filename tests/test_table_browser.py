"""People play, watch and analyse in a real browser, by clicks and by keys, and nothing is lost when the server dies."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser_table import Person, Server, open_table, serving

pytestmark = [pytest.mark.slow, pytest.mark.once]

SEED = 7


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    yield from serving(tmp_path_factory, "--simulations", "0")


def test_a_whole_game_is_played_by_clicks_and_analysed(browser: Browser, server: Server, tmp_path: Path) -> None:
    anna = Person(browser, server)
    open_table(anna, ("person:Anna", "greedy"))
    anna.wait_for_turn()
    anna.screenshot("table-2-begin")
    anna.check_accessibility()
    anna.pick(random.Random(SEED))
    anna.screenshot("table-2-confirm")
    anna.check_accessibility()
    anna.confirm()
    anna.play(random.Random(SEED))
    assert anna.is_over()
    expect(anna.page.locator("#result h2")).to_have_text(re.compile("^You have (won!|lost.)$"))
    expect(anna.page.locator("#result p").first).to_contain_text("points")
    ranking, sources = anna.page.locator("#result tbody").all()
    assert ranking.locator("tr").count() == 2
    rows = [row.locator("td").all_inner_texts() for row in sources.locator("tr").all()]
    *parts, total = [list(map(int, row)) for row in rows]
    assert len(parts) == 5
    assert [sum(column) for column in zip(*parts, strict=True)] == total
    anna.screenshot("table-2-end")
    anna.check_accessibility()

    # Looking back from the end, in the other language too, and on to the present again.
    decisions = anna.version()
    anna.page.locator(".log-line").first.click()
    expect(anna.page.locator("#ticker-text")).to_contain_text(f"decision 1 of {decisions}")
    shown = anna.page.evaluate("fetch('/api' + location.pathname + '/positions/1').then((one) => one.json())")
    assert anna.page.locator(".player-score b").all_inner_texts() == [str(score) for score in shown["scores"]]
    anna.page.locator("[data-language=fr]").click()
    expect(anna.page.locator("#ticker-text")).to_contain_text(f"décision 1 sur {decisions}")
    expect(anna.page.locator("#result p").first).to_contain_text("gagne")
    anna.page.locator("[data-language=en]").click()
    expect(anna.page.locator("#ticker-text")).to_contain_text(f"decision 1 of {decisions}")
    anna.page.locator("#present").click()
    expect(anna.page.locator("#look-tools")).to_be_hidden()

    with anna.page.expect_download() as download:
        anna.page.locator("#download").click()
    expect(anna.page.locator(".message.done")).to_contain_text("Saved as")
    replay = tmp_path / "game.jsonl"
    download.value.save_as(replay)
    assert all(json.loads(line) for line in replay.read_text().splitlines())

    anna.page.locator("[data-result='result.analyse']").click()
    check_analysis(anna, "analysis-2")

    # The same game from its file.
    anna.open("/analysis")
    anna.check_accessibility()
    anna.page.locator("#file").set_input_files(replay)
    anna.page.locator("#analyse").click()
    anna.page.locator("#panel:not([hidden])").wait_for()
    anna.close()


def check_analysis(person: Person, name: str) -> None:
    """Step through an analysis by buttons, keys, curves and mistakes."""
    page = person.page
    page.locator("#panel:not([hidden])").wait_for()
    page.locator("#stage svg").wait_for()
    person.screenshot(name)
    person.check_accessibility()
    assert page.locator(".chart").count() == 2
    for chart in page.locator(".chart").all():
        labels = chart.locator(".chart-text").all_text_contents()
        assert len(set(labels)) == len(labels) >= 2, labels
    title = page.title()
    page.locator("[data-language=fr]").click()
    expect(page.locator("#title")).to_have_text(title.replace("Analysis", "Analyse"))
    assert page.title() == page.locator("#title").inner_text()
    page.locator("[data-language=en]").click()
    expect(page).to_have_title(title)
    assert page.locator("#totals li").count() == page.locator(".legend li").count() - 1
    page.locator("#first").click()
    expect(page.locator("#move")).to_contain_text("Decision 1 of")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#move")).to_contain_text("Decision 3 of")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#move")).to_contain_text("Decision 2 of")
    page.keyboard.press("End")
    expect(page.locator("#ticker-text")).to_contain_text("over")
    page.keyboard.press("Home")
    expect(page.locator("#move")).to_contain_text("Decision 1 of")
    if page.locator("[data-mistake]").count():
        page.keyboard.press("Shift+ArrowRight")
        expect(page.locator("[data-mistake][aria-current]")).to_have_count(1)
        page.locator("[data-mistake]").first.click()
        expect(page.locator("#move .cost.bad")).to_be_visible()
        person.screenshot(f"{name}-mistake")
    box = page.locator(".chart").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 0.5, box["y"] + box["height"] / 2)
    expect(page.locator("#move .verdict")).to_be_visible()


def test_two_people_and_two_agents_play_at_one_table(browser: Browser, server: Server) -> None:
    anna, bob = Person(browser, server), Person(browser, server)
    open_table(anna, ("person:Anna", "random", "person:Bob", "greedy"), rounds=2)
    anna.page.locator("#ready:not([hidden])").wait_for()
    anna.screenshot("lobby-ready")
    anna.check_accessibility()
    links = [link.get_attribute("href") for link in anna.page.locator(".link-row > a").all()]
    assert len(links) == 3
    anna.page.locator("#ready-go").click()
    bob.open(str(links[1]))
    chooser = random.Random(SEED)
    seen = {"anna": 0, "bob": 0}
    while not (anna.is_over() and bob.is_over()):
        for name, person, other in (("anna", anna, bob), ("bob", bob, anna)):
            if person.page.locator("#decision").is_visible():
                assert not other.page.locator("#decision").is_visible()
                person.pick(chooser)
                person.confirm()
                seen[name] += 1
        anna.page.wait_for_timeout(20)
    assert min(seen.values()) >= 4
    bob.screenshot("table-4-end")
    assert anna.version() == bob.version()
    anna.close()
    bob.close()


@pytest.mark.parametrize("worker", [True, False], ids=["shared", "alone"])
def test_many_pages_of_one_browser_hear_of_every_decision(browser: Browser, server: Server, worker: bool) -> None:
    anna = Person(browser, server)
    if not worker:
        anna.context.add_init_script("delete window.SharedWorker")
    open_table(anna, ("person:Anna", "person:Bob"), rounds=1)
    anna.page.locator("#ready:not([hidden])").wait_for()
    links = [str(link.get_attribute("href")) for link in anna.page.locator(".link-row > a").all()]
    # A browser opens six connections to a server; each page used to keep one of them.
    count = 8 if worker else 4
    pages = [anna.context.new_page() for _ in range(count)]
    for number, page in enumerate(pages):
        page.goto(server.address + links[number % len(links)])
    chooser = random.Random(SEED)
    for made in range(1, 4):
        page = next(page for page in pages if page.locator("#decision").is_visible())
        anna.page = page
        anna.pick(chooser)
        anna.confirm()
        for other in pages:
            other.wait_for_function("made => document.querySelectorAll('.log-line').length >= made", arg=made)
    # A page that was left is not waited for, and the others still hear.
    pages.pop(-1).close()
    anna.page = next(page for page in pages if page.locator("#decision").is_visible())
    anna.pick(chooser)
    anna.confirm()
    for other in pages:
        other.wait_for_function("made => document.querySelectorAll('.log-line').length >= made", arg=4)
    anna.close()


def test_an_answer_that_is_late_is_said_to_be_late_and_nothing_stays_said(browser: Browser, server: Server) -> None:
    anna = Person(browser, server)
    open_table(anna, ("person:Anna", "random"), rounds=1)
    anna.wait_for_turn()
    connection, message = anna.page.locator("#connection"), anna.page.locator("#message .message")
    board = anna.page.locator("#stage").bounding_box()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    anna.context.route("**/decide?*", hold)
    anna.pick(random.Random(SEED))
    anna.page.locator("#decision .confirm").click()
    connection.filter(has_text="taking its time").wait_for()
    assert anna.page.locator("#stage").bounding_box() == board, "what is said pushes the board away"
    anna.offline = True
    held.pop().abort()
    connection.filter(has_text="Connection lost").wait_for()
    assert anna.page.locator("#stage").bounding_box() == board
    anna.context.unroute("**/decide?*")
    connection.wait_for(state="hidden")
    assert message.count() == 0, "an error is still said after the connection is back"
    anna.offline = False
    anna.play(random.Random(SEED), 1)
    anna.close()


def test_play_by_keys_alone(browser: Browser, server: Server) -> None:
    anna = Person(browser, server)
    open_table(anna, ("person:Anna", "random"), rounds=3)
    page = anna.page
    for _ in range(6):
        anna.wait_for_turn()
        before = anna.version()
        page.locator("#decision").focus()  # where "Skip to the decision" leads
        page.keyboard.press("Shift+Tab")
        for _ in range(60):  # back to the pieces; buttons of choices that are not drawn come before them
            if page.evaluate("document.activeElement.matches('.spot')"):
                break
            page.keyboard.press("Shift+Tab")
        if page.locator(".spot").count():
            assert page.evaluate("document.activeElement.matches('.spot')")
            assert page.locator("#tooltip").is_visible()
            page.keyboard.press("ArrowLeft")
            assert page.evaluate("document.activeElement.matches('.spot')")
            for _ in range(4):
                page.keyboard.press("Enter")
                if page.locator("#decision .confirm").is_visible():
                    break
        else:
            page.locator(".free-choice").first.press("Enter")
        # One step back, and the same again.
        assert page.evaluate("document.activeElement.matches('.confirm')")
        words = page.locator(".decision-sentence").inner_text()
        page.keyboard.press("Escape")
        expect(page.locator("#decision .confirm")).to_have_count(0)
        assert anna.version() == before, "nothing is sent before Confirm"
        for _ in range(4):
            page.keyboard.press("Enter")
            if page.locator("#decision .confirm").is_visible():
                break
        assert page.locator(".decision-sentence").inner_text()
        assert words
        page.keyboard.press("Enter")
        page.wait_for_function("before => document.querySelectorAll('.log-line').length > before", arg=before)
    anna.close()


def test_choices_can_be_taken_back_and_found_in_the_list(browser: Browser, server: Server) -> None:
    anna = Person(browser, server)
    open_table(anna, ("person:Anna", "random"), rounds=3, coach=True)
    anna.wait_for_turn()
    page = anna.page
    anna.pick(random.Random(SEED))
    page.locator(".take-back").click()
    expect(page.locator(".spot").first).to_be_visible()
    anna.pick(random.Random(SEED))
    page.mouse.click(5, 500)  # beside the picture: nothing happens
    expect(page.locator("#decision .confirm")).to_be_visible()
    page.locator("#stage svg").click(position={"x": 300, "y": 8}, force=True)
    expect(page.locator("#decision .confirm")).to_have_count(0)
    page.locator(".choices summary").click()
    first = page.locator(".choice").first
    words = first.inner_text()
    first.click()
    expect(page.locator(".decision-sentence")).to_contain_text(words.partition(" ")[2][:-1])
    page.keyboard.press("Escape")

    # The coach's choice is picked like any other.
    page.locator("#coach-ask").click()
    page.locator(".advice").first.wait_for()
    assert page.locator("#coach .bar-row").count() == 2
    expect(page.locator("#coach-adviser")).to_have_text("This is what the program Champion thinks.")
    anna.screenshot("table-coach")
    anna.check_accessibility()
    page.locator(".advice").first.click()
    anna.confirm()

    # Without asking: the click on the last piece plays.
    page.locator("#open-settings").click()
    anna.check_accessibility()
    page.locator("#no-ask").check()
    page.locator("#settings button").click()
    anna.wait_for_turn()
    before = anna.version()
    chooser = random.Random(SEED)
    for _ in range(6):
        if anna.version() > before or not page.locator("#decision:not([hidden]):not(.sending)").count():
            break
        spots = page.locator(".spot, .free-choice")
        spots.nth(chooser.randrange(spots.count())).click()
    page.wait_for_function("before => document.querySelectorAll('.log-line').length > before", arg=before)
    anna.close()


def test_a_server_that_dies_loses_nothing(browser: Browser, tmp_path: Path) -> None:
    server = Server(tmp_path / "tables", "--simulations", "0")
    server.start()
    try:
        anna = Person(browser, server)
        open_table(anna, ("person:Anna", "greedy"), rounds=3)
        chooser = random.Random(SEED)
        anna.play(chooser, most=5)
        anna.wait_for_turn()
        before, log = anna.version(), anna.page.locator("#log").inner_text()
        anna.pick(chooser)
        port = server.port
        anna.offline = True
        server.kill()
        anna.page.locator("#connection:not([hidden])").wait_for()
        anna.screenshot("table-lost")
        server.start(port)
        expect(anna.page.locator("#connection")).to_be_hidden()
        anna.offline = False
        assert anna.version() == before
        assert anna.page.locator("#log").inner_text() == log
        anna.confirm()  # what was picked before is still picked
        anna.page.reload()
        anna.play(chooser)
        assert anna.is_over()
        anna.close()
    finally:
        server.kill()


def test_a_saved_game_goes_on(browser: Browser, server: Server, tmp_path: Path) -> None:
    anna = Person(browser, server)
    open_table(anna, ("person:Anna", "random"), rounds=2)
    chooser = random.Random(SEED)
    anna.play(chooser, most=4)
    anna.wait_for_turn()
    before = anna.version()
    with anna.page.expect_download() as download:
        anna.page.locator("#download").click()
    saved = tmp_path / "saved.jsonl"
    download.value.save_as(saved)

    # Its analysis does not call the game over.
    anna.open("/analysis")
    anna.page.locator("#file").set_input_files(saved)
    anna.page.locator("#analyse").click()
    anna.page.locator("#panel:not([hidden])").wait_for()
    anna.page.keyboard.press("End")
    expect(anna.page.locator("#ticker-text")).to_have_text(re.compile(r"Position (\d+) of \1"))

    anna.open("/")
    anna.page.locator("#resume-file").set_input_files(saved)
    expect(anna.page.locator("#resuming")).to_contain_text("saved.jsonl")
    expect(anna.page.locator("#new-title")).to_have_text("Resume a saved game")
    anna.page.locator("#coach").check()
    anna.page.locator("#start").click()
    anna.wait_for_turn()
    expect(anna.page.locator("#coach-ask")).to_be_visible()
    assert anna.version() == before
    anna.play(chooser)
    assert anna.is_over()
    anna.close()


def beyond(person: Person) -> float:
    """How many pixels of the log lie below what is seen of it, once the page has come to rest."""
    return float(
        person.page.evaluate(
            "new Promise((done) => setTimeout(() => { const log = document.getElementById('log');"
            " done(log.scrollHeight - log.scrollTop - log.clientHeight); }, 200))"
        )
    )


def test_the_log_follows_the_game(browser: Browser, server: Server) -> None:
    anna = Person(browser, server, viewport={"width": 1280, "height": 760})
    open_table(anna, ("person:Anna", "greedy"), rounds=9, coach=True)
    chooser, page = random.Random(SEED), anna.page
    for _ in range(16):
        anna.play(chooser, most=1)
        anna.wait_for_turn()
        assert beyond(anna) < 2
    newest = page.locator("#log-newest")
    expect(newest).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), "all of the table is on the screen"
    page.reload()
    anna.wait_for_turn()
    assert beyond(anna) < 2
    page.locator(".log-line").nth(2).click()
    page.locator("#present").click()
    assert beyond(anna) < 2

    # Also from an old position that the server has not sent yet.
    held: list[Route] = []
    page.route("**/positions/*", lambda route: held.append(route))
    page.locator("#log").hover()
    page.mouse.wheel(0, -300)
    expect(newest).to_be_visible()
    page.locator(".log-line").nth(4).click()
    page.locator("#present").click()
    assert beyond(anna) < 2
    for route in held:
        route.continue_()
    page.unroute("**/positions/*")

    # Who scrolls up stays there, until they want the newest again.
    page.locator("#log").hover()
    page.mouse.wheel(0, -300)
    expect(newest).to_be_visible()
    anna.screenshot("table-log")
    anna.check_accessibility()
    anna.play(chooser, most=1)
    anna.wait_for_turn()
    assert beyond(anna) > 200
    newest.click()
    expect(newest).to_be_hidden()
    assert beyond(anna) < 2
    anna.close()


def test_unfinished_tables_are_never_forgotten(browser: Browser, server: Server) -> None:
    anna = Person(browser, server)
    anna.open("/")
    known = {"title": "T", "seats": [], "watch": "/t/x"}
    made = [known | {"names": [f"N{number}"], "time": number, "over": number < 10} for number in range(20)]
    anna.page.evaluate("tables => localStorage.setItem('table.recent', JSON.stringify(tables))", made[::-1])
    open_table(anna, ("person:Anna", "random"), rounds=1)
    anna.wait_for_turn()
    kept = anna.page.evaluate("JSON.parse(localStorage.getItem('table.recent')).map((table) => table.names[0])")
    # The new one, the ten that are not over, and the eight newest of the ten that are.
    assert kept == ["Anna", *(f"N{number}" for number in range(19, 1, -1))]
    anna.close()


def test_a_forgotten_table_can_be_brought_back(browser: Browser, server: Server) -> None:
    anna = Person(browser, server)
    open_table(anna, ("person:Anna", "random"), rounds=2)
    chooser, rows = random.Random(SEED), anna.page.locator("#recent li")
    while anna.page.locator(".log-head").count() < 3:
        anna.play(chooser, most=1)
        anna.wait_for_turn()
    link = anna.page.url
    anna.open("/")
    expect(rows.locator("a small")).to_contain_text("round 2")
    rows.locator("button").click()
    expect(rows).to_contain_text("Removed from the list: Anna")
    anna.check_accessibility()
    rows.get_by_text("Undo").click()
    expect(rows.locator("a")).to_contain_text("Anna")
    anna.page.goto(link)
    anna.play(chooser)
    anna.open("/")
    expect(rows.locator("a small")).to_contain_text("finished")
    rows.locator("button").click()
    anna.page.reload()
    expect(rows).to_have_count(0)
    anna.close()


def with_scores(route: Route) -> None:
    """Answer with a position in which everybody has 777 points."""
    answer = route.fetch()
    route.fulfill(response=answer, json={**answer.json(), "scores": [777, 777, 777]})


def test_others_are_shown_step_by_step(browser: Browser, server: Server) -> None:
    anna = Person(browser, server, storage={"table.speed": "0.5"})
    open_table(anna, ("person:Anna", "greedy", "greedy"), rounds=3)
    anna.wait_for_turn()
    chooser = random.Random(SEED)
    flashed = 0
    anna.page.evaluate(
        "window.flashes = 0; new MutationObserver((all) => all.forEach((one) => one.addedNodes.forEach((node) => "
        "{ if (node.classList?.contains('flash')) window.flashes += 1; })))"
        ".observe(document.querySelector('.spots'), { childList: true })"
    )
    # The scores beside the names belong to the position that is shown.
    anna.page.route(re.compile("/positions/"), with_scores)
    anna.page.evaluate(
        "window.scores = ''; "
        "new MutationObserver(() => { window.scores += document.getElementById('players').innerText; })"
        ".observe(document.getElementById('players'), { childList: true })"
    )
    while anna.page.locator(".log-group").count() < 3 and anna.wait_for_turn():
        anna.pick(chooser)
        anna.page.locator("#decision .confirm").click()
        anna.page.wait_for_timeout(300)
    flashed = anna.page.evaluate("window.flashes")
    assert flashed >= 3
    assert "777" in anna.page.evaluate("window.scores")
    if anna.page.locator("#skip").is_visible():
        anna.page.locator("#skip").click()
    anna.wait_for_turn()
    anna.close()


def test_the_page_in_french(browser: Browser, server: Server) -> None:
    anna = Person(browser, server, locale="fr-FR")
    anna.open("/")
    expect(anna.page.locator("#start")).to_have_text("Commencer la partie")
    assert anna.page.locator("html").get_attribute("lang") == "fr"
    anna.page.locator("#name-0").wait_for()
    anna.screenshot("lobby-french")
    anna.check_accessibility()
    open_table(anna, ("person:Anna", "greedy"), rounds=2)
    anna.wait_for_turn()
    anna.pick(random.Random(SEED))
    expect(anna.page.locator(".confirm")).to_contain_text("Confirmer")
    french = anna.page.locator(".decision-sentence").inner_text()
    anna.screenshot("table-french")
    anna.page.locator("[data-language=en]").click()
    expect(anna.page.locator(".confirm")).to_contain_text("Confirm")
    expect(anna.page.locator(".decision-sentence")).not_to_have_text(french)
    anna.page.reload()  # the language is remembered
    expect(anna.page.locator("#open-settings")).to_have_text("Settings")
    anna.close()


def test_a_game_of_agents_is_watched(browser: Browser, server: Server) -> None:
    anna = Person(browser, server)
    open_table(anna, ("greedy", "random"), rounds=2)
    page = anna.page
    page.locator("#pace:not([hidden])").wait_for()
    page.locator("#pace-pause").click()
    expect(page.locator("#pace-step")).to_be_enabled()
    anna.screenshot("table-watch")
    anna.check_accessibility()

    def stands_still() -> bool:
        before = anna.version()
        page.wait_for_timeout(1500)  # more than the pace of a game that is not paused
        return anna.version() == before

    # The decision that was being made is still shown, however long that takes.
    assert any(stands_still() for _ in range(3))
    before = anna.version()
    page.locator("#pace-step").click()
    page.wait_for_function("before => document.querySelectorAll('.log-line').length === before + 1", arg=before)
    page.locator("#pace-seconds").fill("0")
    page.locator("#pace-seconds").dispatch_event("change")
    page.locator("#pace-pause").click()
    page.locator("#result:not([hidden])").wait_for()
    anna.close()


@pytest.mark.parametrize("width", [360, 1024, 1920])
def test_every_width_has_room_for_the_page(browser: Browser, server: Server, width: int) -> None:
    anna = Person(browser, server, viewport={"width": width, "height": 800}, has_touch=width < 500)
    anna.open("/")
    anna.page.locator(".seat").first.wait_for()
    pages = [("lobby", anna)]
    for name, person in pages:
        wide = person.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{name} scrolls sideways: {wide}"
    anna.screenshot(f"lobby-{width}")
    open_table(anna, ("person:Anna", "greedy"), rounds=2)
    anna.wait_for_turn()
    assert anna.page.evaluate("document.documentElement.scrollWidth") <= width
    anna.pick(random.Random(SEED))
    anna.screenshot(f"table-{width}")
    anna.check_accessibility()
    assert anna.page.locator(".confirm").is_visible()
    anna.confirm()
    anna.close()


def test_a_long_press_tells_what_a_piece_is(browser: Browser, server: Server) -> None:
    anna = Person(browser, server, viewport={"width": 390, "height": 844}, has_touch=True)
    open_table(anna, ("person:Anna", "random"), rounds=2)
    anna.wait_for_turn()
    page = anna.page
    touch = page.context.new_cdp_session(page)
    box = page.locator(".spot").first.bounding_box()
    assert box is not None
    point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    expect(page.locator("#tooltip")).to_be_visible()
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(200)
    expect(page.locator("#tooltip")).to_be_visible()
    assert page.locator("#decision .confirm").count() == 0, "a long press picks nothing"
    page.locator("#ticker").tap()
    expect(page.locator("#tooltip")).to_be_hidden()
    for _ in range(3):
        if page.locator("#decision .confirm").is_visible():
            break
        page.locator(".spot").first.tap()
    expect(page.locator("#decision .confirm")).to_be_visible()
    anna.close()


def test_dark_pages_have_contrast(browser: Browser, server: Server) -> None:
    anna = Person(browser, server, color_scheme="dark")
    anna.open("/")
    anna.page.locator(".seat").first.wait_for()
    anna.screenshot("lobby-dark")
    anna.check_accessibility()
    open_table(anna, ("person:Anna", "greedy"), rounds=2, coach=True)
    anna.wait_for_turn()
    anna.screenshot("table-dark")
    anna.check_accessibility()
    anna.close()


def test_a_preset_fills_in_the_form_and_can_be_changed(browser: Browser, tmp_path: Path) -> None:
    server = Server(tmp_path / "tables", "--games", "dunaia", "dune", "--simulations", "0")
    server.start()
    anna = Person(browser, server, locale="fr-FR")
    try:
        page = anna.page
        anna.open("/")
        page.locator(".seat").first.wait_for()
        expect(page.locator("#preset")).to_have_count(0)  # Dunaïa has none
        page.locator("input[name=game][value=dune]").check()
        page.locator(".options > summary").click()
        preset, about, turns = (page.locator(name) for name in ("#preset", "#preset-help", "#option-max_turns"))
        expect(page.locator("label[for=preset] span")).to_have_text("Préréglage")
        page.locator("[data-language=en]").click()
        expect(page.get_by_label("Preset")).to_have_value("duel")  # which is made for two
        page.locator("input[name=players][value='4']").check()
        expect(preset).to_have_value("classic")
        expect(about).to_contain_text("alliances of at most two")
        anna.screenshot("lobby-dune-classic")

        # By keys; the focus stays.
        preset.focus()
        for key in ("ArrowDown", "ArrowDown"):
            page.keyboard.press(key)
        expect(preset).to_have_value("duel")
        assert page.evaluate("document.activeElement.id") == "preset"
        expect(about).to_contain_text("Atreides against Harkonnen")
        expect(page.locator(".seat")).to_have_count(2)
        expect(page.locator("input[name=players][value='2']")).to_be_checked()
        expect(page.locator("#option-powers")).not_to_be_checked()
        expect(turns).to_have_value("10")
        factions = page.locator("[id^=option-factions] option:checked")
        assert factions.all_inner_texts() == ["Atreides", "Harkonnen"]
        anna.screenshot("lobby-dune-preset")
        anna.check_accessibility()

        # Whatever is changed afterwards is no preset any more, until it is changed back.
        turns.fill("1")
        turns.press("Tab")
        expect(preset).to_have_value("")
        expect(preset.locator("option:checked")).to_have_text("Custom")
        turns.fill("10")
        turns.press("Tab")
        expect(preset).to_have_value("duel")
        turns.fill("1")
        page.locator("#start").click()
        anna.wait_for_turn()
        expect(page.locator(".player-score").first).to_have_text(re.compile(r"^\d/4strongholds$"))
        expect(page.locator(".player-score").first).to_have_attribute("title", re.compile("It takes 4 .* to win"))
        chooser = random.Random(SEED)
        if "traitor" in page.locator("#decision h2").inner_text():  # whoever has a choice has it before turn 1
            expect(page.locator(".players-time")).to_have_count(0)
            anna.play(chooser, most=1)
            anna.wait_for_turn()
        expect(page.locator(".players-time")).to_have_text("Turn 1/1")
        anna.play(chooser)
        expect(page.locator("#result h2")).to_have_text(re.compile("^You (have|share)"))
        expect(page.locator("#result p").first).to_contain_text(re.compile(r"against \d|by spice|together"))
        expect(page.locator("#result thead th").last).to_have_text("Strongholds")
        anna.screenshot("table-dune-end")
        anna.close()
    finally:
        server.kill()


@pytest.mark.parametrize(
    ("path", "english", "french"),
    [
        ("/nothing", "There is no such page", "Cette page n’existe pas"),
        ("/t/" + "x" * 43, "There is no table with this link", "Aucune table ne correspond à ce lien"),
        ("/a/" + "x" * 43, "There is no analysis with this link", "Aucune analyse ne correspond à ce lien"),
    ],
)
def test_a_wrong_address_leads_to_a_page_that_says_what_to_do(
    browser: Browser, server: Server, path: str, english: str, french: str
) -> None:
    anna = Person(browser, server)
    anna.open(path)
    page = anna.page
    expect(page.locator("h1")).to_have_text(english)
    expect(page).to_have_title(english)
    expect(page.locator("#help")).to_contain_text("a part of it")
    anna.screenshot(f"wrong-address-{path[1]}")
    anna.check_accessibility()
    page.locator("[data-language=fr]").click()
    expect(page.locator("h1")).to_have_text(french)
    expect(page).to_have_title(french)
    anna.check_accessibility()
    page.locator("main a.button").click()
    expect(page.locator("#start")).to_be_visible()
    # The browser itself notes in its console that the address was missing, and nothing else is wrong.
    assert all("404 (Not Found)" in error for error in anna.errors)
    assert len(anna.errors) <= 1
    anna.errors.clear()
    anna.close()

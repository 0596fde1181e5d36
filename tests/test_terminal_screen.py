"""The fixed screen of the terminal: what it shows over whole games, its commands, and what it keeps secret."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from rich.console import ConsoleDimensions

from agents.terminal import TerminalAgent, __main__ as terminal
from agents.terminal.__main__ import play
from agents.terminal.agent import ask_standard_input
from agents.terminal.choices import Choices
from agents.terminal.listing import LEAST_ROWS, lay_out, pages
from agents.terminal.look import look_of
from dunaia_env import replay
from dunaia_env.dunaia import GAME as DUNAIA
from dunaia_env.dune import GAME as DUNE
from dunaia_env.harness.commands import with_game_options
from dunaia_env.harness.compiled.chance import Stream
from dunaia_env.harness.game import Game
from dunaia_env.harness.opponents import RandomAgent
from dunaia_env.harness.registry import find_game
from dunaia_env.harness.state import GameState
from tests.dune_positions import POSITIONS
from tests.emulated_terminal import EmulatedTerminal
from tests.positions import begun, built, player, position
from tests.sampling import sampled

CHOICE = re.compile(r"Your choice \(1-(\d+), ")
CONFIRM = "  Press Enter to confirm"
SIZES = ((80, 24), (100, 40), (150, 50))
LISTED = re.compile(r"(?:^|   ) *(\d+)(?:-(\d+))?  \S")
INTERNAL = re.compile(r"\b[A-Z]{3,}(?:_[A-Z]+)*\b")
ASKED = [name for name in POSITIONS if name not in ("GHOLA", "BATTLE", "OPPONENT", "OVER")]  # they have a choice
WAKE = position("AWAKEN", player(flowers=2), die=1)
RECYCLE = position("RECYCLE", player(flowers=9, buildings={4: built(20, markers=[1]), 0: begun(0)}))
Options = with_game_options(terminal.Options, DUNAIA)

pytestmark = pytest.mark.compiled


def plain(text: str) -> str:
    """A text without its blanks, which differ where it is broken."""
    return re.sub(r"\s", "", text)


class Person:
    """Types a choice at random, and keeps each screen. Before some choices it types ``also``, and Enter after that."""

    def __init__(self, screen: EmulatedTerminal, seed: int, also: tuple[str, ...] = (), every: int = 7) -> None:
        self.screen, self.random, self.also, self.every = screen, random.Random(seed), also, every
        self.screens: list[tuple[str, list[str]]] = []
        self.decisions = 0
        self.waiting: list[str] = []

    def __call__(self, prompt: str) -> str:
        rows = self.screen.look()
        self.screens.append((prompt, rows))
        if self.screen.is_alternate:
            assert self.screen.row == len(rows) - 2
            assert len(prompt) < self.screen.console.width - 10
            assert rows[-2:] == ["", ""]
        if not (match := CHOICE.match(prompt)):
            return ""
        if self.waiting:
            return self.waiting.pop(0)
        self.decisions += 1
        if self.also and self.decisions % self.every == 0:
            self.waiting = [*self.also[1:], str(self.random.randint(1, int(match[1])))]
            return self.also[0]
        return str(self.random.randint(1, int(match[1])))


def asked(
    state: GameState, *lines: str, width: int = 80, height: int = 24, **settings: Any
) -> tuple[int, list[list[str]]]:
    """The action that was typed, and the screen before each line."""
    screen, typed, screens = EmulatedTerminal(width, height), list(lines), list[list[str]]()

    def ask(prompt: str) -> str:
        screens.append(screen.look())
        return typed.pop(0)

    action = TerminalAgent(screen.console, ask, screen=True, **settings).act(state)
    assert not typed
    return action, screens


# Whole games


@pytest.mark.long
@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize(
    ("game", "players", "options"),
    [
        ("dunaia", 2, {"elites": False, "max_rounds": 12}),
        ("dunaia", 4, {"elites": True, "max_rounds": 6}),
        ("dune", 2, {"preset": "duel"}),
        ("dune", 6, {"max_turns": 2}),
        ("tests.toy_game", 2, {}),
    ],
)
def test_every_screen_of_a_game_fits(
    tmp_path: Path, game: str, players: int, options: dict[str, Any], width: int, height: int
) -> None:
    """The emulated terminal raises if anything is drawn beyond its edges."""
    screen, path = EmulatedTerminal(width, height), tmp_path / "game.jsonl"
    person = Person(screen, 1, also=("?", "b", "", "v", "l", "", "c", "r", "h", "n", "nonsense"))
    given = terminal.Options(
        game=game, players=players, opponents=("random",), seed=5, save=path, game_options=options, hint="random"
    )
    assert play(given, screen.console, person) == 0
    screen.look()
    assert not screen.is_alternate
    assert "The game is over" in screen.printed
    assert screen.printed.endswith("The seed was 5. Goodbye.\n")
    found = replay.read(path, game=find_game(game))
    assert replay.verify(found) == len(found.decisions)
    assert sum(line["seat"] == 0 for line in found.decisions) == person.decisions > 2
    for prompt, rows in person.screens:
        if CHOICE.match(prompt) and "your turn" in rows[0]:
            assert "(you)" in rows[0]


def decisions(game: Game, count: int, **options: Any) -> Iterator[GameState]:
    """Positions of random games."""
    for seed in range(count):
        chance, agent = Stream(seed), RandomAgent()
        state = GameState.new(chance, game=game, **options)
        while not state.is_over:
            yield state
            state.apply(agent.act(state), chance)


@pytest.mark.parametrize(
    ("game", "options"),
    [(DUNAIA, {"num_players": 3, "elites": True}), (DUNE, {"num_players": 6, "max_turns": 3})],
    ids=["dunaia", "dune"],
)
def test_every_choice_is_listed_on_some_page(game: Game, options: dict[str, Any]) -> None:
    forms = set()
    for number, state in enumerate(islice(decisions(game, 3, **options), 250)):
        view = state.view()
        choices = Choices(view, view.to_dict(), look_of(game, view.components))
        count, width = len(choices.actions), (80, 120)[number % 2]
        rows = LEAST_ROWS + number % 9
        listings = [lay_out(choices, range(count), width, rows)]
        listings += [lay_out(choices, range(count), width, rows, page) for page in range(1, listings[0].pages)]
        found = set[int]()
        for listing in listings:
            assert len(listing.lines) <= rows
            for line in listing.lines:
                assert line.cell_len <= width or line.plain.endswith("...")
                for first, last in LISTED.findall(line.plain):
                    found |= {*range(int(first), int(last or first) + 1)}
        assert found >= {*range(1, count + 1)}, [line.plain for listing in listings for line in listing.lines]
        assert (listings[0].note == "") == (listings[0].pages == 1 and "lists that group" not in listings[0].note)
        forms.add(re.sub(r"\d+", "", listings[0].note))
        whole = pages(choices, range(count), width, 20)
        assert all(len(page) <= 20 for page in whole)
    assert {note.split(",")[0].strip() for note in forms} == {"", "page  of", "- lists that group"}


@pytest.mark.parametrize(("game", "people"), [("dunaia", 1), ("dunaia", 2), ("dune", 1), ("dune", 2)])
def test_the_log_has_everything_that_each_person_may_know(
    game: str, people: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted: dict[int | None, list[str]] = {}
    note: Callable[..., None] = terminal._TerminalGame._note

    def remember(self: Any, observer: int | None, text: str, style: str = "") -> None:
        noted.setdefault(observer, []).append(text)
        note(self, observer, text, style)

    monkeypatch.setattr(terminal._TerminalGame, "_note", remember)
    screen = EmulatedTerminal(80, 24)
    checked = news = 0
    collected: list[str] = []
    typed = random.Random(2)
    state = "choose"

    def ask(prompt: str) -> str:
        nonlocal checked, news, state, collected
        rows = screen.look()
        match = CHOICE.match(prompt)
        if match is None:
            if "nobody else sees" in prompt:
                assert set(rows) == {""}
            return ""
        if state == "choose":
            state, collected = "read", []
            return "l"
        # Each page of the log is earlier than the one before.
        collected.insert(0, "".join(rows[1:-3]))
        if rows[-3].startswith("Page"):
            return ""
        seat = int(re.findall(r"player (\d)", titles[-1])[0]) if (titles := [t for t in seats if t]) else 0
        expected = noted.get(None if game == "dunaia" else seat, [])
        log = plain("".join(collected))
        assert log.endswith(plain("".join(expected)))
        checked += 1
        news += bool(expected)
        state = "choose"
        return str(typed.randint(1, int(match[1])))

    seats: list[str] = []
    hand_over: Callable[..., None] = terminal._TerminalGame._hand_over

    def sit_down(self: Any, seat: int) -> None:
        seats.append(f"player {seat}")
        hand_over(self, seat)

    monkeypatch.setattr(terminal._TerminalGame, "_hand_over", sit_down)
    options = {"preset": "duel", "max_turns": 3} if game == "dune" else {"max_rounds": 3}
    given = terminal.Options(
        game=game,
        players=3 if game == "dunaia" else 2,
        people=people,
        seed=3,
        game_options=options,
        opponents=("random",),
    )
    assert play(given, screen.console, ask) == 0
    assert checked > 5
    assert news > 4
    # What happened after the last decision is printed when the game is over.
    screen.look()
    observer = None if game == "dunaia" else int(seats[-1].split()[1])
    assert plain(noted[observer][-1]) in plain(screen.printed)


def test_people_who_share_a_screen_see_nothing_of_each_other() -> None:
    screen, secrets = EmulatedTerminal(100, 40), dict[int, set[str]]()
    seen: dict[int, str] = {0: "", 1: ""}
    person = Person(screen, 4, also=("b", "l", "v"), every=3)
    at = 0

    def ask(prompt: str) -> str:
        nonlocal at
        answer = person(prompt)
        if "nobody else sees" in prompt:
            at = int(re.findall(r"player (\d)", prompt)[0])
            assert set(person.screens[-1][1]) == {""}
        else:
            seen[at] += "\n".join(person.screens[-1][1])
        return answer

    given = terminal.Options(
        game="dune", players=3, people=2, seed=6, opponents=("greedy",), game_options={"max_turns": 3}
    )
    game = terminal._TerminalGame(given, screen.console, ask)
    state, tell = game.state, game._tell

    def look_and_tell(*arguments: Any) -> None:
        for seat in (0, 1):
            lines = DUNE.describe(state.view(seat).to_dict(), state.components).split("\n")
            found = [line for line in lines if line.startswith("  Traitors: ") or re.match(r"  Cards: .*,", line)]
            secrets.setdefault(seat, set()).update(line.strip() for line in found)
        tell(*arguments)

    game._tell = look_and_tell  # type: ignore[method-assign]
    game.play()
    for seat, other in ((0, 1), (1, 0)):
        own = secrets[seat] - secrets[other]
        assert any(line in seen[seat] for line in own)
        assert not any(line in seen[other] for line in own)


@pytest.mark.parametrize("name", sampled(ASKED, 6))
def test_a_view_of_dune_is_drawn_without_what_it_hides(name: str) -> None:
    state = GameState.from_dict(POSITIONS[name], game=DUNE)
    drawn = [asked(one, "1", "", width=150, height=50)[1] for one in (state, state.resampled(state.seat, 1))]
    assert drawn[0] == drawn[1]


def test_no_text_names_a_decision_by_its_internal_name() -> None:
    """Heads of positions, headings and questions, of all decisions that occur."""
    seen = set()
    for game, options in (
        (DUNAIA, {"elites": True}),
        (DUNE, {"num_players": 6, "karama_powers": True, "max_turns": 4}),
    ):
        for state in islice(decisions(game, 2, **options), 900):
            content, look = state.to_dict(), look_of(game, state.components)
            seen.add(content["decision"])
            texts = (
                game.describe(content, state.components).split("\n")[0],
                look.heading(content, "player 0"),
                look.wording.question(content, state.components),
            )
            for text in texts:
                assert not INTERNAL.search(text), text
    assert len(seen) > 30


# What is typed


def test_the_screen_of_a_turn() -> None:
    _, (first, confirming) = asked(RECYCLE, "flower", "", height=30)
    text = "\n".join(first)
    assert re.match(r"Round 1, player 0: your turn +\d+ points$", first[0])
    for part in (
        "[0] 1f L1 yellow 3 flowers",
        "Dice ",
        "Elder 0, chips 1 2 any",
        "p free: ",
        "4 L2 gy",
        "done 1c",
        "0/2 3f",
        "points   flowers    chips   tokens   artefacts   fragments",
        "player 0        5         9   ......        2           0        none",
        "Phase 3: how do you recycle the die 1?",
    ):
        assert part in text, part
    assert confirming[-3] == "  recycle the die for a flower"
    assert confirming[:10] == first[:10]


@pytest.mark.parametrize("height", [24, 38])  # 38 rows are the fewest with framed villages
def test_the_scene_stays_where_it_is(height: int) -> None:
    typed = ("start 0", "", "0-3", "1-3", "", "x", "h", "flower", "u", "flower", "")
    screens = asked(RECYCLE, *typed, height=height)[1]
    assert len({tuple(rows[:15]) for rows in screens}) == 1
    assert ("┌" in screens[0][4]) == (height == 38)


def test_what_is_cut_says_so() -> None:
    _, (rows, _) = asked(WAKE, "1", "", names=("x" * 60, "y" * 60))
    assert any(re.match(r"x{20,}\.\. +0 +2 ", row) for row in rows), rows


def test_choices_that_do_not_fit_are_opened_by_ranges_or_texts() -> None:
    _, screens = asked(RECYCLE, "start 0", "", "c", "", "", "", "flower", "")
    whole, narrowed, again, full, *_ = ["\n".join(rows) for rows in screens]
    (first, last) = re.findall(r"\((\d+)-(\d+) lists that group, c: all\)", whole)[0]
    assert f"{first}-{last}  move ..." in whole
    assert "Enter lists all choices" in narrowed
    assert "is ambiguous" in narrowed
    assert again == whole
    assert "start the displayed tile (level 3" in full
    assert "Page 1 of 3. Enter shows the next one." in full
    ranged = asked(RECYCLE, f"{first}-{last}", "", "", "1", "")[1][1:3]
    assert f"The choices {first} to {last}:" in ranged[0]
    assert re.search(rf"(?:^|   ) *{first}  ", "\n".join(ranged[0]), re.MULTILINE)


def test_another_village_is_shown_by_number_or_in_turn() -> None:
    state = position("AWAKEN", player(flowers=2), player(), player(), die=1)
    _, screens = asked(state, "v", "v", "v", "v 0", "v 3", "village 1", "", "v x", "1", "")
    tops = [rows[0] for rows in screens]
    assert tops[1:5] == ["Village of player 1", "Village of player 2", "Village of player 1", "Village of player 0"]
    assert screens[5][-4:-2] == ["Expected a player in 0..2, got 3.", "Enter goes back."]
    assert tops[6] == "Village of player 1"
    assert "your turn" in tops[7]
    assert screens[8][-3].startswith("'v x' is not a choice")
    assert "└" in screens[1][20]
    assert screens[1][21] == "Enter goes back."


def test_the_board_is_paged() -> None:
    _, screens = asked(WAKE, "b", "", "", "", "1", "")
    feet = [rows[-3] for rows in screens[1:4]]
    assert feet == [f"Page {page} of 4. Enter shows the next one." for page in (1, 2, 3)]
    assert screens[1][0] == screens[2][0]
    assert screens[1][1] != screens[2][1]
    # A choice can be typed at once.
    assert screens[5][-3] == "  wake Dunaia 1, square 0 first"


def test_help_names_what_the_screen_adds() -> None:
    _, screens = asked(WAKE, "?", "1", "")
    text = "\n".join(screens[1])
    for part in ("l  what has happened", "c  all choices", "v  village of another player", "c chips"):
        assert part in text
    assert " v  " not in "\n".join(asked(GameState.new(1, game=find_game("tests.toy_game")), "?", "1", "")[1][1])


def test_the_news_begin_with_the_persons_own_last_choice() -> None:
    screen = EmulatedTerminal(80, 40)
    person = Person(screen, 3)
    given = Options(seed=7, opponents=("greedy",), max_rounds=2)
    assert play(given, screen.console, person) == 0
    chosen, checked = "", 0
    for prompt, rows in person.screens:
        if prompt.startswith(CONFIRM):
            chosen = rows[-3].strip()
        elif chosen:
            verb, _, rest = chosen.partition(" ")
            told = [plain(f"player 0 (you) {verb}{ending} {rest}")[:50] for ending in ("s", "es")]
            assert any(line in plain(row) for line in told for row in rows) or "before" in "".join(rows)
            checked += 1
    assert checked > 3


# Where it is used


@pytest.mark.parametrize(("width", "height"), [(79, 24), (80, 23)])
def test_a_small_terminal_scrolls(width: int, height: int) -> None:
    screen = EmulatedTerminal(width, height)
    typed = iter(["1", ""])
    TerminalAgent(screen.console, lambda prompt: next(typed), screen=True).act(WAKE)
    screen.look()
    assert not screen.is_alternate
    assert "offer      price" in screen.printed


def test_a_window_may_change_its_size() -> None:
    screen = EmulatedTerminal(80, 24)
    typed, seen = iter(["1", "", "1", "", "1", ""]), list[bool]()

    def ask(prompt: str) -> str:
        screen.look()
        seen.append(screen.is_alternate)
        return next(typed)

    agent = TerminalAgent(screen.console, ask, screen=True)
    for size in ((80, 24), (70, 24), (120, 60)):
        screen.resize(*size)
        agent.act(WAKE)
    assert seen == [True, True, False, False, True, True]
    assert "offer      price" in screen.printed


def test_only_a_person_at_a_terminal_gets_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    def used(screen: EmulatedTerminal, ask: Any = None, **options: Any) -> bool:
        def answer(prompt: str) -> str:
            screen.look()
            found.append(screen.is_alternate)
            return "q" if CHOICE.match(prompt) else ""

        found: list[bool] = []
        play(Options(seed=1, **options), screen.console, ask or answer)
        return found[0] if found else False

    assert used(EmulatedTerminal(80, 24))
    assert not used(EmulatedTerminal(80, 24), scroll=True)
    piped = EmulatedTerminal(80, 24)
    piped.console._force_terminal = False
    assert not used(piped)
    assert not terminal._is_interactive(EmulatedTerminal(80, 24).console, ask_standard_input)
    monkeypatch.setenv("TERM", "dumb")
    assert not used(EmulatedTerminal(80, 24))


def test_quitting_turns_back_to_the_usual_screen(tmp_path: Path) -> None:
    screen = EmulatedTerminal(80, 24)
    typed = iter(["q", str(tmp_path / "game.jsonl")])
    assert play(Options(seed=1), screen.console, lambda prompt: next(typed)) == 0
    screen.look()
    assert not screen.is_alternate
    assert "You left the game." in screen.printed
    assert "The game is saved in" in screen.printed


def test_the_screen_is_ascii_where_the_terminal_has_no_more() -> None:
    screen, typed = EmulatedTerminal(80, 24, encoding="ascii"), iter(["b", "v", "1", ""])
    seen = []

    def ask(prompt: str) -> str:
        seen.append("\n".join(screen.look()))
        return next(typed)

    TerminalAgent(screen.console, ask, screen=True).act(WAKE)
    assert len(seen) == 4
    assert all(text.isascii() for text in seen)


def test_lanes_are_named_on_the_screen() -> None:
    from dunaia_env.harness.lanes import Lanes

    lanes = Lanes(2, num_players=2)
    lanes.reset(5)
    screen, typed, tops = EmulatedTerminal(80, 24), iter(["1", "", "1", ""]), list[str]()

    def ask(prompt: str) -> str:
        tops.append(screen.look()[0])
        return next(typed)

    import numpy as np

    TerminalAgent(screen.console, ask, screen=True).act_batch(lanes, np.array([1, 0]))
    assert [top[:8] for top in tops] == ["Game 1: "] * 2 + ["Game 0: "] * 2


def test_the_agent_alone_tells_what_happened_on_the_screen() -> None:
    screen, typed, seen = EmulatedTerminal(80, 30), iter(["1", ""] * 2), list[str]()

    def ask(prompt: str) -> str:
        seen.append("\n".join(screen.look()))
        return next(typed)

    agent = TerminalAgent(screen.console, ask, screen=True)
    agent.act(WAKE)
    agent.act(position("AWAKEN", player(flowers=4), player(chips=[5]), die=1, round_number=2))
    assert "Since your last decision:" not in seen[0]
    assert "  player 1: plugs chip 5" in seen[2]


def test_the_size_of_a_terminal_is_asked_for_each_decision() -> None:
    assert EmulatedTerminal(90, 30).console.size == ConsoleDimensions(90, 30)

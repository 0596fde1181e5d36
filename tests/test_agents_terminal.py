"""A person at a terminal: the drawing, the choices, everything that can be typed, and whole games."""

from __future__ import annotations

import io
import itertools
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from rich.text import Text

from agents.terminal import TerminalAgent, __main__ as terminal
from agents.terminal.__main__ import main, play
from agents.terminal.board import (
    ASCII_GLYPHS,
    BOX_GLYPHS,
    LARGE,
    SMALL,
    Size,
    elder_text,
    glyphs_of,
    price,
    village,
)
from agents.terminal.choices import FEW_CHOICES, MANY_CHOICES, Choices
from agents.terminal.look import look_of
from dunaia_env import replay
from dunaia_env.dunaia import GAME, action_text, parse_action, pieces_of
from dunaia_env.dunaia.components import GAIN_CHIPS, GAIN_FLOWERS, GAIN_MOVES, GAIN_POINTS, load as load_components
from dunaia_env.dunaia.presentation import ENGLISH
from dunaia_env.dunaia.presentation.wording import facts
from dunaia_env.dunaia.presentation.wording.changes import events
from dunaia_env.dunaia.presentation.wording.english import WORDS
from dunaia_env.dunaia.presentation.wording.sentences import told as told_event
from dunaia_env.dunaia.state import ELDER_NAMES, NONE
from dunaia_env.games import GAMES
from dunaia_env.harness.commands import with_game_options
from dunaia_env.harness.compiled.chance import AGENT, Stream, random_words
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.opponents import Agent, GameLeftError, GreedyAgent, RandomAgent, load as load_agent
from dunaia_env.harness.registry import find_game
from dunaia_env.harness.state import GameState
from tests.clocks import HANGS
from tests.positions import EDGES, MOVES_ELDER, begun, built, nearly, player, position

ROOT = Path(__file__).resolve().parent.parent
COMPONENTS = load_components()
Options = with_game_options(terminal.Options, GAME)
ESCAPE = "\x1b"
CHOICE = re.compile(r"Your choice \(1-(\d+), ")


def console(width: int = 80, **settings: Any) -> Console:
    return Console(file=io.StringIO(), width=width, **settings)


def shown(screen: Console) -> str:
    assert isinstance(screen.file, io.StringIO)
    return screen.file.getvalue()


class Typist:
    """Types lines one after another; an exception in the list is raised instead."""

    def __init__(self, *lines: str | type[BaseException] | BaseException) -> None:
        self.lines = list(lines)
        self.prompts: list[str] = []

    def __call__(self, prompt: str) -> str:
        self.prompts.append(prompt)
        line = self.lines.pop(0)
        if isinstance(line, str):
            return line
        raise line


def asked(state: GameState, *lines: Any, width: int = 80, **settings: Any) -> tuple[str, str]:
    """The text of the action that was typed, and what was shown; every line must be used."""
    typist, screen = Typist(*lines), console(width)
    action = TerminalAgent(screen, typist, **settings).act(state)
    assert typist.lines == []
    return action_text(action), shown(screen)


def answers(output: str) -> list[str]:
    """The lines shown after the choices."""
    return output.rstrip("\n").split("\n")


def random_positions(players: int, elites: bool, seed: int = 3) -> Iterator[GameState]:
    """The positions of a game that greedy players play."""
    chance, agent = Stream(seed), GreedyAgent()
    state = GameState.new(chance, num_players=players, elites=elites)
    while not state.is_over:
        yield state
        state.apply(agent.act(state), chance)
    yield state


# The drawing.


def boxes(lines: list[str]) -> list[tuple[int, int, int, int]]:
    """The frames in a drawing: first and last line and column, row by row."""
    found = []
    for top, line in enumerate(lines):
        for left, sign in enumerate(line):
            if sign in BOX_GLYPHS.frame[0] + BOX_GLYPHS.built_frame[0]:
                upright = BOX_GLYPHS.frame[3] if sign == BOX_GLYPHS.frame[0] else BOX_GLYPHS.built_frame[3]
                right = lines[top + 1].index(upright, left + 1)
                bottom = next(n for n in range(top + 1, len(lines)) if lines[n][left] in "└╚")
                assert lines[bottom][right] in "┘╝"
                found.append((top, bottom, left, right))
    return found


def drawn_dunaias(lines: list[str]) -> dict[int, tuple[int, int]]:
    """The squares between which each Dunaia is drawn: those beside its digit in the drawing."""
    frames = boxes(lines)
    assert len(frames) == 9
    found = {}
    for row, line in enumerate(lines):
        for column, sign in enumerate(line):
            if not sign.isdigit() or any(t <= row <= b and left <= column <= r for t, b, left, r in frames):
                continue
            beside = [n for n, (t, b, _, _) in enumerate(frames) if t <= row <= b]
            if beside:
                left_of = [n for n in beside if frames[n][3] < column]
                squares = max(left_of), min(set(beside) - set(left_of))
            else:
                over = [n for n, (_, _, left, r) in enumerate(frames) if left <= column <= r]
                above = [n for n in over if frames[n][1] < row]
                squares = max(above), min(set(over) - set(above))
            assert int(sign) not in found
            found[int(sign)] = squares
    return found


def plain(lines: Iterable[Text]) -> list[str]:
    return [line.plain for line in lines]


@pytest.mark.parametrize("size", [LARGE, SMALL], ids=["large", "small"])
@pytest.mark.parametrize("shift", range(12))
def test_each_dunaia_is_drawn_between_its_squares(size: Size, shift: int) -> None:
    # Up to three on an edge, and every Dunaia on every edge over the shifts.
    edges = [(shift + offset) % 12 for offset in (0, 0, 0, 5, 7, 11)]
    state = position("CHOOSE_DIE", player(dunaias=dict(enumerate(edges, 1)), buildings={4: built(0), 8: begun(16)}))
    lines = plain(village(state.to_dict()["players"][0], COMPONENTS, BOX_GLYPHS, size))
    assert drawn_dunaias(lines) == {number: EDGES[edge] for number, edge in enumerate(edges, 1)}
    assert sum(line.count(BOX_GLYPHS.place) for line in lines) == 12 - len(set(edges))
    assert {len(line) for line in lines if line[0] in "┌│└╔║╚"} == {size.width}


@pytest.mark.parametrize("size", [LARGE, SMALL], ids=["large", "small"])
def test_the_squares_are_numbered_in_place(size: Size) -> None:
    lines = plain(village(position("CHOOSE_DIE").to_dict()["players"][0], COMPONENTS, BOX_GLYPHS, size))
    heads = [lines[top + 1][left + 1 : right].split()[0] for top, _, left, right in boxes(lines)]
    assert heads == [str(square) for square in range(9)]


def inside(lines: list[str], square: int) -> list[str]:
    """The frame and the inside of a square."""
    top, bottom, left, right = boxes(lines)[square]
    return [line[left : right + 1] for line in lines[top : bottom + 1]]


def test_a_square_shows_what_stands_there() -> None:
    # 20: level 2 green, chips, arrows to green on all sides; 28: level 3 green, arrows to red to north and west.
    buildings = {
        4: built(20, markers=[1]),
        1: built(0),
        5: built(4, die=True),
        8: begun(28, 3),
        7: built(15),
        0: begun(36),
    }
    owner = position("CHOOSE_DIE", player(buildings=buildings), seat=1).to_dict()["players"][0]
    large = plain(village(owner, COMPONENTS, BOX_GLYPHS, LARGE))
    assert inside(large, 4) == [
        "╔═════↑green+1f══════╗",
        "║4 L2 green+y        ║",
        "║wake: 1 chip = 1f 2c║",
        "║←green+1c  green+1c→║",
        "║completed           ║",
        "╚═════↓green+1f══════╝",
    ]
    assert inside(large, 5)[1:5] == [
        "║5 L1 green          ║",
        "║recycle: 3 moves    ║",
        "║                    ║",
        "║completed, die on it║",
    ]
    assert inside(large, 8) == [
        "┌──────↑red+2p───────┐",
        "│8 L3 green          │",
        "│worth 3 points      │",
        "│←red+2p             │",
        "│building 3 of 4 ###.│",
        "└────────────────────┘",
    ]
    assert inside(large, 0)[1] == "│0 L3 multicoloured  │"
    assert inside(large, 2)[1:3] == ["│2                   │", "│(flower)            │"]
    small = plain(village(owner, COMPONENTS, BOX_GLYPHS, SMALL))
    assert inside(small, 4) == [
        "╔══↑g1f═══╗",
        "║4 L2 gy  ║",
        "║1f 2c    ║",
        "║←g1c g1c→║",
        "║completed║",
        "╚══↓g1f═══╝",
    ]
    assert inside(small, 8)[2:5] == ["│3 points │", "│←r2p     │", "│###. 3/4 │"]
    assert inside(small, 5)[4] == "║die on it║"


def test_long_arrows_keep_apart() -> None:
    owner = position("CHOOSE_DIE", player(buildings={4: begun(25)})).to_dict()["players"][0]
    assert inside(plain(village(owner, COMPONENTS)), 4)[3] == "│←yellow1m  yellow1m→│"


def test_arrows_of_completed_level_3_buildings_count_their_points() -> None:
    owner = position("CHOOSE_DIE", player(buildings={4: built(28), 1: built(3), 3: begun(7)})).to_dict()["players"][0]
    assert inside(plain(village(owner, COMPONENTS)), 4)[2] == "║worth 3+2 points    ║"
    assert inside(plain(village(owner, COMPONENTS, BOX_GLYPHS, SMALL)), 4)[2] == "║5 points ║"


@pytest.mark.compiled
@pytest.mark.parametrize(("players", "elites"), [(2, False), (3, True), (4, True)])
def test_gains_prices_and_points_are_those_of_the_engine(players: int, elites: bool) -> None:
    gains = completed = 0
    for state in random_positions(players, elites):
        content = state.to_dict()
        for seat, score in enumerate(state.scores()):
            assert sum(facts.score_parts(content, seat, COMPONENTS).values()) == score
        if state.is_over:
            continue
        owner, pieces = content["players"][state.seat], pieces_of(state.observation())
        for square, building in enumerate(owner["squares"]):
            if building and building["built"] and building["tile"] >= 16:
                found = facts.gains_now(owner, square, COMPONENTS)
                kinds = (GAIN_FLOWERS, GAIN_CHIPS, GAIN_MOVES, GAIN_POINTS)
                expected = pieces[f"own.square_{square}.gains_now"].tolist()
                assert [found.get(kind, 0) for kind in kinds] == expected
                completed += 1
                gains += sum(expected)
        for offer in range(6):
            level, place = divmod(offer, 2)
            if content[("display", "pile_top")[place]][level] != NONE:
                assert price(level, place, owner, COMPONENTS) == pieces[f"offer_{offer}.price"].item()
    assert completed
    assert gains > completed  # some arrows did count


@pytest.mark.parametrize("artefacts", [0, 1, 5, 6, 8])
def test_points_of_artefacts(artefacts: int) -> None:
    state = position("CHOOSE_DIE", player(artefacts=artefacts))
    assert facts.score_parts(state.to_dict(), 0, COMPONENTS)["artefacts"] == state.scores()[0]


def test_the_merchant_sees_lower_prices() -> None:
    state = position("CHOOSE_DIE", player(character=0), player())
    merchant, other = state.to_dict()["players"]
    assert [price(0, 0, one, COMPONENTS) for one in (merchant, other)] == [0, 1]


@pytest.mark.parametrize("width", [80, 120])
def test_the_board_shows_everything_on_the_table(width: int) -> None:
    state = position(
        "RECYCLE",
        player(flowers=5, chips=[1, 6], fragments=[0, 2], artefacts=1, buildings={0: begun(0)}),
        player(flowers=11, chips=[3], character=5, reserved=30, power_used=True),
        player(character=3),
        neutral=(2, 2, 5),
        own=(4, 1, 6),
        die=3,
        final_round=1,
        owners=(NONE, 2, NONE),
        elders=(MOVES_ELDER, 4, 3),
    )
    _, output = asked(state, "flower", "", width=width)
    for text in (
        "Round 1, player 0: your turn, the last round",
        "neutral: 2 2 5   own, by player: 4 1 6   in hand: 3",
        "L1 yellow, 3 flowers",
        "L2 green, 1 flower, green ↑1f →1f ↓1f ←1f",
        "L3 green, red ↑2p ←2p",
        "up to 2 moves",
        "(3 green, 3 yellow, 3 purple, 3 red)",
        "search: buy any tile of a pile",
        "5 6 + any",
        "2 complete artefacts: 4 points",
        "player 2\n",
        "1 . . . . 6",
        "0 2",
        "architect (used)",
        "mystic",
        "Reserved by player 1: L3 yellow, green ↑2p ←2p",
        "Village of player 0",
        "Village of player 2",
        "Phase 3: how do you recycle the die 3?   [5 flowers, chips 1 6, 2 tokens]",
    ):
        assert text in re.sub(r" +\n", "\n", output), text
    assert max(map(len, output.split("\n"))) <= width
    villages = [line.count("Village of") for line in output.split("\n") if "Village of" in line]
    assert villages == ([1, 2] if width == 80 else [2, 1])


def test_the_draft_shows_the_characters() -> None:
    _, output = asked(GameState.new(7, num_players=3, elites=True), "1", "")
    assert "Characters  trickster, mystic, shepherd, architect" in output
    assert "pick the trickster" in output


def test_a_narrow_terminal_gets_the_small_village() -> None:
    _, output = asked(position("AWAKEN", die=1), "1", "", width=60)
    drawing = output[output.index("Village of player 0") : output.index("Village of player 1")]
    assert max(len(line.rstrip()) for line in drawing.split("\n")) == SMALL.width


def test_output_is_ascii_where_the_terminal_has_no_more() -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    screen = Console(file=file, width=80)
    assert glyphs_of(screen) is ASCII_GLYPHS
    TerminalAgent(screen, Typist("h", "häß", "b", "1", ""), hint=GreedyAgent()).act(position("AWAKEN", die=1))
    file.flush()
    assert isinstance(file.buffer, io.BytesIO)
    assert b"+--------------------+" in file.buffer.getvalue()


@pytest.mark.parametrize(
    ("settings", "codes"),
    [
        ({}, False),
        ({"force_terminal": True, "color_system": "standard", "no_color": True}, False),
        ({"force_terminal": True, "color_system": "standard"}, True),
    ],
    ids=["piped", "NO_COLOR", "terminal"],
)
def test_colours_only_where_they_are_wanted(settings: dict[str, Any], codes: bool) -> None:
    screen = console(**settings)
    TerminalAgent(screen, Typist("h", "nonsense", "1", ""), hint=GreedyAgent()).act(position("AWAKEN", die=1))
    assert bool(re.search(r"\x1b\[(\d+;)*(3[0-7]|9[0-7])m", shown(screen))) is codes
    if not settings:
        assert ESCAPE not in shown(screen)


def test_every_elder_has_its_text() -> None:
    assert all(elder_text(elder, COMPONENTS) for elder in range(len(ELDER_NAMES)))


# What was changed.


def told(before: GameState, after: GameState) -> list[tuple[int | None, str]]:
    return [(one.seat, one.text) for one in ENGLISH.changes("", before.to_dict(), after.to_dict(), COMPONENTS)]


def after(state: GameState, *texts: str) -> GameState:
    copy = state.clone()
    for text in texts:
        copy.apply(text, 1)
    return copy


def test_changes_of_waking() -> None:
    state = position("AWAKEN", player(flowers=2, buildings={0: nearly(0), 1: begun(16)}), die=1)
    found = told(state, after(state, "awaken 0"))
    assert (0, "completes the building on square 0") in found
    assert (0, "advances the building on square 1 to 1 of 3") in found
    state = position("AWAKEN", player(flowers=2), die=1)
    found = told(state, after(state, "awaken 0"))
    assert found == [(0, "gains 1 flower (now 3)"), (0, "plugs chip 1")]


def test_changes_of_starting_a_building_show_the_new_offers() -> None:
    state = position("RECYCLE", player(flowers=3))
    found = told(state, after(state, "start 0 8"))
    assert (0, "starts level 1 green, 3 flowers on square 8") in found
    assert (0, "pays 1 flower (now 2)") in found
    assert (None, "a new tile is on display: level 1 yellow, 3 flowers") in found
    assert any(seat is None and text.startswith("a new tile is on top of the pile: level 1") for seat, text in found)


def test_changes_of_moves_and_calls() -> None:
    state = position("RECYCLE", player(flowers=3, chips=[1, 2, 3]), elders=(MOVES_ELDER, 0, 2), die=1)
    found = told(state, after(state, "call 0"))
    assert (0, "pays with chips 1, 2 and 3") in found
    moved = after(state, "call 0", "move 6 0")
    assert (0, "moves Dunaia 6 between squares 0 and 1") in told(state, moved)
    assert (0, "takes the fragment of the moves elder") in told(state, after(moved, "pass"))


def test_changes_on_the_table() -> None:
    state = position("RECYCLE", player(flowers=11), prophecies=(2, 3, 8), owners=(0, NONE, 1), round_number=3)
    found = told(state, after(state, "flower"))
    assert (0, "takes the prophecy of 12 flowers (2 points)") in found
    assert (None, "the end is triggered: round 4 is the last") in found


@pytest.mark.compiled
def test_a_roll_and_a_forced_die_are_told() -> None:
    rolls = forced = 0
    before: dict[str, Any] | None = None
    for state in random_positions(2, False):
        content = state.to_dict()
        if before:
            found = {one.kind: told_event(WORDS, one, COMPONENTS).text for one in events(before, content, COMPONENTS)}
            left = [sum(one["dice"]["neutral"]) + sum(map(bool, one["dice"]["own"])) for one in (before, content)]
            assert ("roll" in found) == (left[1] > left[0])
            if "roll" in found:
                rolls += 1
                assert re.fullmatch(
                    r"the dice are rolled: neutral dice( \d){4,5}; own dice( \d \(player \d\),?){1,2}", found["roll"]
                )
            if "die" in found:
                assert re.fullmatch(rf"takes a die showing {content['die']}( \(the player's own, .*\))?", found["die"])
                forced += before["decision"] != "CHOOSE_DIE"
        before = content
    assert rolls
    assert forced


@pytest.mark.compiled
@pytest.mark.parametrize(("players", "elites"), [(2, False), (4, True)])
def test_nothing_that_changes_goes_untold(players: int, elites: bool) -> None:
    """Whatever differs in a player's village, purse or cards between two positions is in the changes, and only then."""
    fields = {
        "flowers": {"flowers"},
        "chips": {"plugged", "paid"},
        "dunaias": {"dunaia"},
        "squares": {"start", "advance", "completed", "marker", "occupied"},
        "artefacts": {"artefact"},
        "character": {"character"},
    }
    seen = set()
    before: dict[str, Any] | None = None
    for state in random_positions(players, elites):
        content = state.to_dict()
        found = events(before, content, COMPONENTS) if before else []
        for seat in range(players if before else 0):
            assert before is not None
            old, new = before["players"][seat], content["players"][seat]
            kinds = {one.kind for one in found if one.seat == seat}
            # A die that a roll takes off a building is told with the roll.
            for squares in (old["squares"], new["squares"]):
                for building in squares:
                    if building and not kinds & {"occupied"}:
                        building.pop("die")
            for field, expected in fields.items():
                assert (old[field] != new[field]) == bool(kinds & expected), (field, old[field], new[field], kinds)
            seen |= kinds
        before = state.to_dict()
    assert seen >= {"flowers", "plugged", "paid", "dunaia", "start", "advance", "completed", "die"}


def test_the_agent_alone_tells_what_happened_since_its_last_decision() -> None:
    first = position("AWAKEN", player(flowers=2), player(flowers=1), die=1)
    screen = console()
    agent = TerminalAgent(screen, Typist("1", "", "1", ""))
    agent.act(first)
    assert "Since your last decision" not in shown(screen)
    second = position("AWAKEN", player(flowers=4), player(chips=[5]), die=1, round_number=2)
    agent.act(second)
    news = shown(screen)
    assert "  you: gains 2 flowers (now 4)" in news
    assert "  player 1: pays 1 flower (now 0); plugs chip 5" in news


def test_the_agent_does_not_compare_different_games() -> None:
    screen = console()
    agent = TerminalAgent(screen, Typist(*["1", ""] * 4))
    agent.act(position("AWAKEN", player(flowers=2), die=1, round_number=3))
    agent.act(position("AWAKEN", player(), die=1, players=3, round_number=3))
    agent.act(position("AWAKEN", player(flowers=9), die=1, players=3, round_number=1))
    agent.reset(0)
    agent.act(position("AWAKEN", player(), die=1, players=3, round_number=2))
    assert "Since your last decision" not in shown(screen)


def test_the_whole_board_is_shown_once_a_turn_and_the_village_when_it_changed() -> None:
    screen = console()
    agent = TerminalAgent(screen, Typist(*["1", ""] * 4))
    state = position("AWAKEN", player(flowers=2), die=1)
    boards, villages = [], []
    for one in (
        state,
        after(state, "awaken 0"),
        position("RECYCLE", player(flowers=3, chips=[1], dunaias={1: 1})),
        position("AWAKEN", player(), die=1, round_number=2),
    ):
        agent.act(one)
        boards.append(shown(screen).count("offer      price"))
        villages.append(shown(screen).count("Village of player 0"))
    assert boards == [1, 1, 1, 2]
    assert villages == [1, 1, 2, 3]


# What is typed.

WAKE = position("AWAKEN", player(flowers=2), die=1)
RECYCLE = position("RECYCLE", player(flowers=4))


@pytest.mark.parametrize(
    ("typed", "action"),
    [
        ("1", "awaken 0"),
        ("2", "awaken 1"),
        (" 2 ", "awaken 1"),
        ("+2", "awaken 1"),
        ("awaken 1", "awaken 1"),
        ("  AWAKEN   1", "awaken 1"),
        ("a 1", "awaken 1"),
    ],
)
def test_a_choice_by_number_or_text(typed: str, action: str) -> None:
    assert asked(WAKE, typed, "")[0] == action


def test_the_beginning_of_a_text_is_enough_where_it_fits_one_choice() -> None:
    assert asked(RECYCLE, "fl", "")[0] == "flower"
    assert asked(position("RECYCLE", player(chips=[1, 2, 3, 4, 5])), "plug", "")[0] == "plug 6"


@pytest.mark.parametrize(("number", "squares"), list(enumerate(EDGES)))
def test_a_move_can_name_its_squares(number: int, squares: tuple[int, int]) -> None:
    dunaia = 2 if number == 0 else 1
    first, second = squares
    assert asked(RECYCLE, f"move {dunaia} {first} {second}", "")[0] == f"move {dunaia} {number}"
    assert asked(RECYCLE, f"m {dunaia} {second} {first}", "")[0] == f"move {dunaia} {number}"


def test_a_verb_comes_before_those_that_it_begins() -> None:
    trickster = position("CHOOSE_DIE", player(character=1), neutral=(3, 3, 3, 3, 3))
    assert asked(trickster, "take", "")[0] == "take 3"
    assert asked(trickster, "take_", "")[0] == "take_flipped 3"


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("", "Nothing typed; expected a number in 1..2 or a text; type ? for help."),
        ("   ", "Nothing typed; expected a number in 1..2 or a text; type ? for help."),
        ("0", "'0' is out of range; expected a number in 1..2."),
        ("3", "'3' is out of range; expected a number in 1..2."),
        ("-1", "'-1' is out of range; expected a number in 1..2."),
        ("9" * 6000, f"'{'9' * 40}...' is out of range; expected a number in 1..2."),
        ("1.5", "'1.5' is not a choice; expected a number in 1..2 or a text; type ? for help."),
        (
            "\N{ARABIC-INDIC DIGIT ONE}",
            r"'\u0661' is not a choice; expected a number in 1..2 or a text; type ? for help.",
        ),
        ("awaken 8", "'awaken 8' is not possible now; expected a number in 1..2 or a text; type ? for help."),
        ("awaken 1 1", "'awaken 1 1' is not a choice; expected a number in 1..2 or a text; type ? for help."),
        ("take 3", "'take 3' is not possible now; expected a number in 1..2 or a text; type ? for help."),
        ("move 1 0 8", "'move 1 0 8' is not a choice; expected a number in 1..2 or a text; type ? for help."),
        ("nonsense", "'nonsense' is not a choice; expected a number in 1..2 or a text; type ? for help."),
        ("[bold]\x1b[2J", r"'[bold]\x1b[2J' is not a choice; expected a number in 1..2 or a text; type ? for help."),
        ("\udc80", r"'\udc80' is not a choice; expected a number in 1..2 or a text; type ? for help."),
        ("u", "Nothing to take back: no choice has been typed."),
        ("h", "No agent gives hints in this game."),
        (EOFError, "The input has ended. Repeat it to leave the game; type q to quit or ? for help."),
        (KeyboardInterrupt, "Interrupted. Repeat it to leave the game; type q to quit or ? for help."),
        (
            UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
            "The input is not text. Type a number or a text, or ? for help.",
        ),
    ],
)
def test_bad_input_gets_one_line_and_is_asked_again(typed: Any, answer: str) -> None:
    action, output = asked(WAKE, typed, "1", "", width=200)
    assert action == "awaken 0"
    assert answers(output)[-2:] == [answer, "  wake Dunaia 1, square 0 first"]


def test_an_ambiguous_text_shows_what_it_fits() -> None:
    action, output = asked(RECYCLE, "start 0", "start", "start 0 8", "", width=120)
    assert action == "start 0 8"
    assert "'start 0' is ambiguous; it matches 9 choices:" in output
    few = output[output.index("'start 0' is") : output.index("'start' is")]
    assert re.search(r" 2  square 0 +3  square 1", few)
    many = output[output.index("'start' is") :]
    assert "start the displayed tile (level 1 green, 3 flowers) for 1 flower on ..." in many
    assert "square 0 " not in many


def test_interrupted_twice_leaves_the_game() -> None:
    for stop, text in ((EOFError, "The input has ended."), (KeyboardInterrupt, "Interrupted.")):
        with pytest.raises(GameLeftError, match=text) as left:
            asked(WAKE, "x", stop, stop)
        assert not left.value.can_ask
        with pytest.raises(GameLeftError, match=text):
            asked(WAKE, "1", stop, stop)
        # Only in a row: a line between them starts again.
        assert asked(WAKE, stop, "x", stop, "1", stop, "")[0] == "awaken 0"


def test_quitting() -> None:
    for lines in (["q"], ["quit"], ["1", "q"]):
        with pytest.raises(GameLeftError, match="You left the game") as left:
            asked(WAKE, *lines)
        assert left.value.can_ask


def test_a_binary_file_as_input_comes_to_an_end() -> None:
    fault = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad")
    with pytest.raises(GameLeftError, match="The input is not text"):
        TerminalAgent(console(), Typist(*[fault] * 1000)).act(WAKE)


def test_a_choice_is_sent_after_its_confirmation_only() -> None:
    action, output = asked(WAKE, "1", "u", "2", "what?", "U", "awaken 1", "undo", "1", "")
    assert action == "awaken 0"
    assert output.count("Taken back.") == 3
    assert "'what?' is not possible here: press Enter, u or q (to quit)." in output
    assert [line for line in output.split("\n") if line.startswith("  wake")] == [
        "  wake Dunaia 1, square 0 first",
        "  wake Dunaia 1, square 1 first",
        "  wake Dunaia 1, square 1 first",
        "  wake Dunaia 1, square 0 first",
    ]


def test_without_confirmation_a_choice_is_sent_at_once() -> None:
    assert asked(WAKE, "2", confirm=False)[0] == "awaken 1"


def test_help_rules_and_board() -> None:
    _, output = asked(WAKE, "?", "HELP", "r", "rules", "b", "board", "1", "")
    assert output.count("Type the number of a choice") == 2
    assert output.count("Both squares beside the Dunaia take effect") == 2
    assert output.count("offer      price") == 3
    assert output.count("Phase 2: Dunaia 1 wakes. Which square first?") == 3


class Adviser(GreedyAgent):
    name = "adviser"

    def hints(self, state: GameState) -> list[tuple[int, str]]:
        return [(action, f"won {90 - k} of 100") for k, action in enumerate(reversed(state.legal_actions()))]


class Broken(GreedyAgent):
    name = "broken"

    def __init__(self, action: int | None = None) -> None:
        super().__init__()
        self.action = action

    def act(self, state: GameState) -> int:
        if self.action is None:
            raise RuntimeError("out of order")
        return self.action


def test_a_hint_says_what_an_agent_would_do() -> None:
    state = RECYCLE.clone()
    best = GreedyAgent().act(state)
    action, output = asked(state, "h", "hint", "1", "", hint=GreedyAgent())
    assert action == "flower"
    sentence = ENGLISH.imperative(action_text(best), state.to_dict(), COMPONENTS)
    number = state.legal_actions().index(best) + 1
    unwrapped = re.sub(r"\s+", " ", output)
    assert unwrapped.count(f"greedy would choose: {number} {sentence}") == 2
    assert state == RECYCLE


class Trying(GreedyAgent):
    def act(self, state: GameState) -> int:
        action = state.legal_actions()[1]
        state.apply(action, 3)
        return action

    def hints(self, state: GameState) -> list[tuple[int, str]]:
        return [(self.act(state), "tried")]


def test_an_agent_that_tries_actions_for_a_hint_changes_nothing() -> None:
    state = WAKE.clone()
    assert "wake Dunaia 1, square 1 first (tried)" in asked(state, "h", "1", "", hint=Trying())[1]
    assert state == WAKE


class Silent(GreedyAgent):
    name = "silent"

    def hints(self, state: GameState) -> list[tuple[int, str]]:
        return []


def test_an_agent_may_have_no_hint() -> None:
    assert "silent has no hint." in asked(WAKE, "h", "1", "", hint=Silent())[1]


class Crafty(GreedyAgent):
    name = "[red]crafty\x1b[2J\n\u202e" + 1000 * "!"

    def __init__(self, fails: bool = False) -> None:
        super().__init__()
        self.fails = fails

    def hints(self, state: GameState) -> list[tuple[int, str]]:
        if self.fails:
            raise ValueError("\x1b]0;mine\x07")
        return [(action, "\x1b[1A[bold]good") for action in state.legal_actions()]


def test_what_another_agent_says_commands_no_terminal(tmp_path: Path) -> None:
    outputs = [asked(WAKE, "h", "1", "", hint=Crafty(fails), width=200)[1] for fails in (False, True)]
    screen, path = console(width=200), tmp_path / "game.jsonl"
    assert (
        play(Options(opponents=(f"{__name__}:Crafty",), seed=6, hint=SPY, save=path, max_rounds=1), screen, Follower())
        == 0
    )
    outputs.append(shown(screen))
    for output in outputs:
        assert all(sign.isprintable() or sign == "\n" for sign in output)
        assert r"[red]crafty\x1b[2J\n\u202e!!" in output
    assert r"\x1b[1A[bold]good" in outputs[0]
    assert r"has no hint: \x1b]0;mine\x07" in outputs[1]
    (name,) = set(replay.read(path).header["agents"]) - {"terminal"}
    assert name.isprintable()
    assert len(name) == 60


def test_the_agent_is_found_by_name() -> None:
    assert isinstance(load_agent("agents.terminal:TerminalAgent"), TerminalAgent)


def test_an_agent_with_hints_shows_its_best_three() -> None:
    _, output = asked(RECYCLE, "h", "flower", "", hint=Adviser(), width=200)
    last = len(RECYCLE.legal_actions())
    lines = output[output.index("adviser would choose:") :].split("\n")[1:4]
    assert lines == [
        f"  {last}  plug chip 6 (won 90 of 100)",
        f"  {last - 1}  plug chip 5 (won 89 of 100)",
        f"  {last - 2}  plug chip 4 (won 88 of 100)",
    ]
    assert output.count(" of 100)") == 3


def test_a_broken_hint_does_not_end_the_game() -> None:
    assert "broken has no hint: out of order" in asked(WAKE, "h", "1", "", hint=Broken())[1]
    assert "broken has no hint" in asked(WAKE, "h", "1", "", hint=Broken(parse_action("take 3")))[1]


@pytest.mark.compiled
def test_lists_of_choices_show_each_of_them_once() -> None:
    """Small lists in full, longer ones grouped, still longer ones by the ranges of their groups."""
    kinds = set()
    for state in itertools.chain(random_positions(3, True), [RECYCLE]):
        if state.is_over:
            continue
        choices, screen = Choices(state.view(), state.to_dict(), look_of(GAME, COMPONENTS)), console(100)
        count = len(choices.actions)
        for part in choices.listing(range(count), 100):
            screen.print(part)
        output = shown(screen)
        assert max(map(len, output.split("\n"))) <= 100
        if count > MANY_CHOICES:
            kinds.add("ranges")
            numbers: list[int] = []
            for first, last in re.findall(r"^ *(\d+)(?:-(\d+))?  \S", output, re.MULTILINE):
                numbers += range(int(first), int(last or first) + 1)
        elif count > FEW_CHOICES:
            kinds.add("groups")
            numbers = [int(number) for number in re.findall(r"(?:^|   ) *(\d+)  [a-z]", output, re.MULTILINE)]
        else:
            kinds.add("rows")
            numbers = [int(number) for number in re.findall(r"^ *(\d+)  [a-z]", output, re.MULTILINE)]
            for text in choices.texts:
                assert f"  {text}" in output
        assert numbers == list(range(1, count + 1)), output
    assert kinds == {"rows", "groups", "ranges"}


def test_the_agent_fulfils_the_protocol_and_asks_lane_by_lane() -> None:
    lanes = Lanes(3, num_players=2)
    lanes.reset(5)
    screen = console()
    agent = TerminalAgent(screen, Typist("2", "", "1", ""))
    assert isinstance(agent, Agent)
    actions = agent.act_batch(lanes, np.array([2, 0]))
    assert actions.dtype == np.int32
    assert actions.tolist() == [lanes.get_state(2).legal_actions()[1], lanes.get_state(0).legal_actions()[0]]
    assert re.findall(r"^Game \d", shown(screen), re.MULTILINE) == ["Game 2", "Game 0"]


# Whole games.


class Spy(GreedyAgent):
    """An adviser that remembers the position about which it was asked; the tests type what they learn from it."""

    name = "spy"
    state: GameState

    def reset(self, seed: int) -> None:
        """Keep the seed that the test has set."""
        self._seed = getattr(self, "_seed", seed)

    def begin(self, seed: int) -> None:
        self._seed = seed

    def act(self, state: GameState) -> int:
        self.state = state
        return super().act(state)


spy = Spy()
SPY = f"{__name__}:spy"


class Fumbler:
    """Chooses at random, by number or text, and types everything else that can be typed on the way.

    It learns what is legal by asking the spy for a hint. ``sent`` are the texts of the choices that it confirmed.
    """

    SLIPS = (
        "?",
        "b",
        "r",
        "nonsense",
        "0",
        "999",
        "take",
        "u",
        "",
        "start",
        "move 1",
        "q q",
        EOFError,
        KeyboardInterrupt,
    )

    def __init__(self, seed: int, slips: float = 0.3) -> None:
        self.random = random.Random(seed)
        self.slips = slips
        self.sent: list[str] = []
        self.texts: list[str] = []
        self.typed = ""
        self.clean = True  # an interruption is never followed by another, which would leave the game

    def __call__(self, prompt: str) -> str:
        if "Press Enter to confirm" in prompt:
            answer = self.random.choices(["", "u", "nonsense"], [6, 2, 1])[0]
            if answer == "":
                self.sent.append(self.typed)
            if answer != "nonsense":
                self.texts = []
            return answer
        match = CHOICE.match(prompt)
        assert match, prompt
        if not self.texts:
            self.texts = ["asked"]
            return "h"
        self.texts = [action_text(action) for action in spy.state.legal_actions()]
        assert len(self.texts) == int(match[1])
        slip = self.random.choice(self.SLIPS)
        if self.random.random() < self.slips and self.clean and self.is_slip(slip):
            self.clean = isinstance(slip, str)
            if isinstance(slip, str):
                return slip
            raise slip
        self.clean = True
        index = self.random.randrange(len(self.texts))
        self.typed = self.texts[index]
        return self.random.choice([str(index + 1), self.typed, f" {self.typed.upper()}  "])

    def is_slip(self, slip: Any) -> bool:
        """Whether it chooses nothing: "take" does where one die is left."""
        return not isinstance(slip, str) or sum(text.startswith(slip) for text in self.texts) != 1


def played(tmp_path: Path, options: Options, ask: Callable[[str], str], width: int = 80) -> tuple[str, replay.Replay]:
    """What was shown in a whole game, and its replay, verified."""
    screen = console(width)
    assert play(options, screen, ask) == 0
    assert options.save is not None
    found = replay.read(options.save)
    assert replay.verify(found) == len(found.decisions)
    return shown(screen), found


@pytest.mark.compiled
@pytest.mark.parametrize("elites", [False, True], ids=["plain", "elites"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_whole_games(tmp_path: Path, players: int, elites: bool) -> None:
    fumbler = Fumbler(10 * players + elites)
    options = Options(
        opponents=("greedy",),
        players=players,
        seat=players - 1,
        elites=elites,
        seed=players,
        hint=SPY,
        save=tmp_path / "game.jsonl",
        max_rounds=12,
    )
    output, game = played(tmp_path, options, fumbler, width=80 if elites else 120)
    own = [line["action"] for line in game.decisions if line["seat"] == players - 1]
    assert own == fumbler.sent
    assert game.header["agents"] == ["greedy"] * (players - 1) + ["terminal"]
    assert (game.header["players"], game.header["elites"], game.header["seed"]) == (players, elites, players)
    assert ESCAPE not in output
    assert "Traceback" not in output
    # Every action of the others is told, and the scores at the end are those of the replay.
    others = output.count(" (greedy) ")
    assert others > sum(line["seat"] != players - 1 for line in game.decisions)
    headings = re.findall(r"^Round (\d+), player (\d) \(greedy\); neutral dice", output, re.MULTILINE)
    turns = [(str(turn), str(seat)) for turn in range(1, game.result["rounds"] + 1) for seat in range(players - 1)]
    assert sorted(set(headings)) == sorted(turns)
    for seat, score in enumerate(game.result["scores"]):
        row = re.search(rf"^(\d) +player {seat} \(\w+\)((?: +\d+)+) *$", output[output.rindex("rank") :], re.MULTILINE)
        assert row, seat
        *parts, total = map(int, row[2].split())
        assert (sum(parts), total, int(row[1])) == (score, score, game.result["ranks"][seat])
    assert max(map(len, output.split("\n"))) <= (80 if elites else 120)
    assert "The game is saved in" in output
    assert f"The seed was {players}. Goodbye." in output


class Follower:
    """Types what the adviser would do; quits at a decision of its own, counted from 0."""

    def __init__(self, quit_at: int | None = None, *then: Any) -> None:
        self.quit_at = quit_at
        self.then = list(then)
        self.decisions = 0
        self.hinted = False

    def __call__(self, prompt: str) -> str:
        if "Press Enter to confirm" in prompt:
            self.decisions += 1
            return ""
        if not CHOICE.match(prompt):
            answer = self.then.pop(0)
            if isinstance(answer, str):
                return answer
            raise answer
        if self.decisions == self.quit_at:
            answer = self.then.pop(0)
            if isinstance(answer, str):
                return answer
            raise answer
        self.hinted = not self.hinted
        return "h" if self.hinted else action_text(GreedyAgent.act(spy, spy.state))


@pytest.mark.compiled
def test_the_game_is_the_one_that_agents_of_these_decisions_record(tmp_path: Path) -> None:
    options = Options(
        opponents=("random",), players=3, seat=0, elites=True, seed=11, hint=SPY, save=tmp_path / "g.jsonl"
    )
    spy.begin(int(random_words(11, AGENT, 0, 0)[0]))
    _, game = played(tmp_path, options, Follower())
    recorded = replay.record_game(11, [GreedyAgent(), opponent := RandomAgent(), opponent], num_players=3, elites=True)
    assert game.decisions == recorded.decisions
    assert game.result == recorded.result


@pytest.mark.compiled
def test_several_people_sit_next_to_each_other(tmp_path: Path) -> None:
    options = Options(people=2, players=3, seat=2, seed=4, hint=SPY, save=tmp_path / "g.jsonl", max_rounds=3)
    output, game = played(tmp_path, options, Follower())
    assert game.header["agents"] == ["terminal", "greedy", "terminal"]
    assert "Round 1, player 0 (person): your turn" in output
    assert "Round 1, player 2 (person): your turn" in output
    assert "It was stopped after 3 rounds." in output


def test_people_only(tmp_path: Path) -> None:
    options = Options(people=2, players=2, seed=4, hint=SPY, save=tmp_path / "g.jsonl", max_rounds=2)
    assert played(tmp_path, options, Follower())[1].header["agents"] == ["terminal", "terminal"]


def test_opponents_are_dealt_to_the_other_seats_in_turn(tmp_path: Path) -> None:
    options = Options(
        opponents=("greedy", "random"), players=4, seat=1, seed=4, hint=SPY, save=tmp_path / "g.jsonl", max_rounds=1
    )
    assert played(tmp_path, options, Follower())[1].header["agents"] == ["greedy", "terminal", "random", "greedy"]


@pytest.mark.compiled
def test_a_game_that_was_left_goes_on_where_it_stopped(tmp_path: Path) -> None:
    whole, part = tmp_path / "whole.jsonl", tmp_path / "folder" / "part.jsonl"
    spy.begin(0)
    _, straight = played(tmp_path, Options(seed=6, hint=SPY, save=whole, max_rounds=10), Follower())
    screen = console()
    assert play(Options(seed=6, hint=SPY, max_rounds=10), screen, Follower(9, "q", str(part))) == 0
    assert "You left the game." in shown(screen)
    unfinished = replay.read(part)
    assert sum(line["seat"] == 0 for line in unfinished.decisions) == 9
    assert unfinished.decisions == straight.decisions[: len(unfinished.decisions)]
    with pytest.raises(replay.ReplayError, match="a result, but the game is not over: seat 0 has to decide"):
        replay.verify(unfinished)
    output, resumed = played(tmp_path, Options(resume=part, hint=SPY, save=whole), Follower())
    assert f"The game continues after {len(unfinished.decisions)} decisions." in output
    assert resumed == straight


@pytest.mark.compiled
def test_a_game_goes_on_with_its_later_seed(tmp_path: Path) -> None:
    whole, part = tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    spy.begin(0)
    assert play(Options(seed=6, hint=SPY, max_rounds=10), console(), Follower(9, "q", str(part))) == 0
    unfinished = replay.read(part)
    made = len(unfinished.decisions)
    unfinished.header["later_seeds"] = [[made, 99]]
    replay.write(unfinished, part)
    _, resumed = played(tmp_path, Options(resume=part, hint=SPY, save=whole), Follower())
    assert resumed.later_seeds == [(made, 99)]
    assert replay.verify(resumed) == len(resumed.decisions) > made


@pytest.mark.parametrize(
    ("save", "typed", "saved"),
    [
        (None, [""], None),
        (None, [EOFError()], None),
        (None, [KeyboardInterrupt()], None),
        (None, ["named.jsonl"], "named.jsonl"),
        ("option.jsonl", [], "option.jsonl"),
        (None, ["file/named.jsonl", "named.jsonl"], "named.jsonl"),
        (None, ["file/named.jsonl", ""], None),
        ("file/option.jsonl", ["other.jsonl"], "other.jsonl"),
    ],
)
def test_saving_when_leaving(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, save: str | None, typed: list[Any], saved: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    screen = console()
    options = Options(seed=6, hint=SPY, save=Path(save) if save else None)
    assert play(options, screen, Follower(2, "q", *typed)) == 0
    assert [path.name for path in tmp_path.iterdir() if path.name != "file"] == ([saved] if saved else [])
    assert ("cannot be written" in shown(screen)) == ("file/named.jsonl" in typed or save == "file/option.jsonl")
    assert (f"To continue the game, use --resume {saved}." in shown(screen)) == (saved is not None)
    assert shown(screen).endswith("The seed was 6. Goodbye.\n")


@pytest.mark.parametrize("stop", [EOFError, KeyboardInterrupt])
def test_a_game_whose_input_ends_is_saved_where_that_was_asked_for(tmp_path: Path, stop: type[BaseException]) -> None:
    path = tmp_path / "game.jsonl"
    for save in (None, path):
        assert play(Options(seed=6, hint=SPY, save=save), console(), Follower(2, stop(), stop())) == 1
        assert path.exists() == (save is not None)
    # And where the disk refuses, there is nobody to be asked for another name.
    (tmp_path / "file").touch()
    options = Options(seed=6, hint=SPY, save=tmp_path / "file" / "game.jsonl")
    assert play(options, console(), Follower(2, stop(), stop())) == 1


class Interrupted(GreedyAgent):
    def act(self, state: GameState) -> int:
        raise KeyboardInterrupt


def test_an_interruption_while_an_agent_thinks_leaves_the_game(tmp_path: Path) -> None:
    screen, path = console(), tmp_path / "game.jsonl"
    options = Options(opponents=(f"{__name__}:Interrupted",), seed=6, hint=SPY, save=path)
    assert play(options, screen, Follower()) == 1
    assert "Interrupted." in shown(screen)
    assert replay.read(path).header["seed"] == 6


def test_a_random_seed_is_told_at_the_end() -> None:
    seeds = set()
    for _ in range(2):
        screen = console()
        assert play(Options(hint=SPY), screen, Follower(0, "q", "")) == 0
        (seed,) = re.findall(r"The seed was (\d+)\. Goodbye\.", shown(screen))
        seeds.add(seed)
    assert len(seeds) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--players", "5"], "num_players: expected an integer in 2..4, got 5"),
        (["--seat", "2"], "seat: expected 0..1 for 2 players, got 2"),
        (["--people", "0"], "people: expected at least 1, got 0"),
        (["--people", "3", "--players", "2"], "people: expected 1..2 for 2 players, got 3"),
        (
            ["--opponents", "greedy", "random", "--players", "2"],
            "opponents: expected 1..1, one for each seat without a person, got 2",
        ),
        (["--opponents", "--players", "2"], "opponents: expected 1..1, one for each seat without a person, got 0"),
        (["--opponents", "nobody"], "agent 'nobody': expected one of random, "),
        (["--hint", "nobody"], "agent 'nobody': expected one of random, "),
        (["--seed", "-1"], "seed: expected an integer in 0..9223372036854775807, got -1"),
        (["--max-rounds", "0"], "max_rounds: expected an integer in 1..1000, got 0"),
        (["--save", "."], "save: expected a file name, got the folder ."),
        (["--resume", "missing.jsonl"], "missing.jsonl: cannot be read"),
        (["--components", "missing.toml"], "missing.toml"),
    ],
)
def test_bad_options_get_one_line(
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 1
    output, error = capsys.readouterr()
    assert message in error
    assert len(error.splitlines()) == 1
    assert output == ""


@pytest.mark.compiled
def test_only_unfinished_games_with_people_are_resumed(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    game = replay.record_game(1, [GreedyAgent()])
    replay.write(game, path)
    with pytest.raises(ValueError, match="expected one called 'terminal'"):
        play(Options(resume=path), console(), Typist())
    game.header["agents"][0] = "terminal"
    replay.write(game, path)
    with pytest.raises(ValueError, match="expected an unfinished game, got one that is over"):
        play(Options(resume=path), console(), Typist())


def test_a_game_of_another_kind_is_not_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bids.jsonl"
    monkeypatch.setitem(GAMES, "sealed_bids", "tests.toy_game")
    replay.write(replay.record_game(1, [RandomAgent()], game=find_game("sealed_bids")), path)
    with pytest.raises(ValueError, match=r"bids\.jsonl: expected a game of Dunaïa, got one of Sealed bids"):
        play(Options(resume=path), console(), Typist())


def piped(*arguments: str, typed: bytes, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "agents.terminal", "--seed", "7", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONUTF8": "1", **environment},
        input=typed,
        capture_output=True,
        check=False,
        timeout=HANGS,
    )


@pytest.mark.compiled
def test_the_command_works_in_a_pipe(tmp_path: Path) -> None:
    """With bytes that are no text, an end in the middle, and an encoding without frames."""
    path = tmp_path / "game.jsonl"
    typed = b"h\n\xff\xfe\n1\n\n" + b"1\n" * 5
    for encoding, corner in (("utf-8", b"\xe2\x94\x8c"), ("ascii", b"+-----")):
        result = piped(
            "--no-confirm", "--save", str(path), typed=typed, PYTHONIOENCODING=f"{encoding}:strict", COLUMNS="80"
        )
        assert result.returncode == 1, result.stderr
        assert result.stderr == b""
        assert b"\x1b" not in result.stdout
        assert b"greedy would choose:" in result.stdout
        assert corner in result.stdout
        assert b"The input has ended." in result.stdout
        assert result.stdout.rstrip().endswith(b"The seed was 7. Goodbye.")
        assert replay.read(path).decisions[0] == {"seat": 0, "action": "take 1"}

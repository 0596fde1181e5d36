"""The map of Dune in characters: every territory once, everything on the board in its own cell, 80 columns of ASCII."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from agents.terminal.look import look_of
from dunaia_env.dune import GAME
from dunaia_env.dune.components import load
from dunaia_env.dune.hidden.views import view_to_dict
from dunaia_env.dune.presentation.planet import load_planet
from dunaia_env.dune.presentation.text_map import WIDTH, faction_letters, text_map
from dunaia_env.dune.presentation.wording import english, french
from dunaia_env.dune.presentation.wording.facts import Facts
from dunaia_env.dune.presentation.wording.map_words import MAP_WORDS
from dunaia_env.dune.presentation.wording.tellers import Teller
from dunaia_env.dune.presentation.wording.words import capital
from dunaia_env.dune.state import CELLS, NONE, SECTORS
from dunaia_env.render.modes import coloured
from tests.dune_picture_positions import POSITIONS as DRAWN, Content, crowded, position as drawn_position
from tests.dune_positions import POSITIONS, position, state_of

pytestmark = pytest.mark.once

COMPONENTS, PLANET = load(None), load_planet()
WORDS = {"en": english.WORDS, "fr": french.WORDS}
# Where the planet stands on the map: its first column and line, and its columns and lines.
LEFT, TOP, ACROSS, DOWN = 5, 2, 71, 36
LINES = TOP + DOWN + 1
SHIELD_WALL, ARRAKEEN, CARTHAG = 31, 0, 5
OUTSIDE = CELLS


BOXES = [np.array([np.min(outline, axis=0), np.max(outline, axis=0)]) for outline in PLANET.outlines]


@cache
def cell_at(line: int, column: int) -> int:
    """The cell at the middle of a character, round which the outline of the cell turns once."""
    # A middle on a border counts as being to the east of it.
    middle = (np.array([(column - LEFT + 0.5001) / ACROSS, (line - TOP + 0.5) / DOWN]) * 2 - 1) * PLANET.radius
    for cell, (least, most) in enumerate(BOXES):
        if (least <= middle).all() and (middle <= most).all():
            x, y = (np.array(PLANET.outlines[cell]) - middle).T
            angles = np.arctan2(x * np.roll(y, -1) - y * np.roll(x, -1), x * np.roll(x, -1) + y * np.roll(y, -1))
            if abs(angles.sum()) > np.pi:
                return cell
    return OUTSIDE


def found_on(text: str, pattern: str) -> Iterator[tuple[str, int]]:
    """What matches a pattern on the planet, with the cell in which most of its characters stand."""
    for line, row in enumerate(text.split("\n")[:LINES]):
        for match in re.finditer(pattern, row):
            cells = Counter(cell_at(line, column) for column in range(*match.span()))
            if set(cells) != {OUTSIDE}:
                del cells[OUTSIDE]
                yield match[0], cells.most_common(1)[0][0]


def teller_of(content: Content, language: str = "en") -> Teller:
    return Teller(WORDS[language], Facts(content, COMPONENTS))


def empty(**changes: Any) -> Content:
    """A position with nothing on the board and no storm."""
    content = drawn_position([0, 1, 2, 3, 4, 5])
    for player in content["players"]:
        player["forces"] = []
    return content | {"spice": [], "storm": NONE} | changes


def contents(text: str) -> list[tuple[str, int]]:
    return sorted(found_on(text, r"(?<![A-Za-z\d])(?:[A-Z]|\$)\d+"))


def test_every_territory_is_named_once_and_in_its_place() -> None:
    said = MAP_WORDS["en"]
    expected = Counter(
        (word.upper() if territory.type == "stronghold" else word, index)
        for index, territory in enumerate(PLANET.territories)
        for word in territory.name.split()
        if word not in said.left_out
    )
    shown = Counter(
        (word, PLANET.owners[cell]) for word, cell in found_on(text_map(empty(), COMPONENTS), r"[A-Za-z']{2,}")
    )
    assert shown == expected


@pytest.mark.parametrize("cell", range(CELLS))
def test_what_lies_in_a_cell_stands_in_it(cell: int) -> None:
    content = empty()
    content["players"][3]["forces"] = [[cell, 20]]
    assert contents(text_map(content, COMPONENTS)) == [("F20", cell)]
    assert contents(text_map(empty(spice=[[cell, 12]]), COMPONENTS)) == [("$12", cell)]


def test_several_factions_and_spice_share_a_cell() -> None:
    content = empty(spice=[[33, 8]])
    for seat, number in ((0, 3), (2, 11), (5, 1)):
        content["players"][seat]["forces"] = [[33, number], [70, number]]
    shown = contents(text_map(content, COMPONENTS))
    assert shown == sorted([("A3", 33), ("E11", 33), ("B1", 33), ("$8", 33), ("A3", 70), ("E11", 70), ("B1", 70)])


@pytest.mark.parametrize("name", DRAWN)
def test_nothing_on_the_board_is_left_out(name: str) -> None:
    content = DRAWN[name][0]
    text = text_map(content, COMPONENTS)
    teller = teller_of(content)
    letters = faction_letters(teller)
    expected = [(f"${amount}", cell) for cell, amount in content["spice"]]
    for player in content["players"]:
        expected += [(f"{letters[player['faction']]}{tokens}", cell) for cell, tokens in player["forces"]]
    without_room = [
        (item, cell)
        for cell in range(CELLS)
        for item in re.findall(rf"(?m)^No room for (.*) in {re.escape(str(teller.cell(cell)))}$", text)
        for item in item.split(", ")
    ]
    assert sorted([*contents(text), *without_room]) == sorted(expected)
    assert (without_room != []) == (name == "crowded_6")


@pytest.mark.parametrize("sector", range(SECTORS))
def test_the_storm_blows_in_its_sector_only(sector: int) -> None:
    text = text_map(empty(storm=sector), COMPONENTS)
    dusty = Counter(cell for _, cell in found_on(text, "~"))
    assert {PLANET.sectors[cell] for cell in dusty} == {sector}
    assert sum(dusty.values()) > 10
    assert re.findall(r"@(\d+)", text) == [str(sector + 1)]
    assert not re.search(r"@\d", text_map(empty(), COMPONENTS))
    assert not [*found_on(text_map(empty(), COMPONENTS), "~")]


def test_the_numbers_of_the_sectors_stand_in_their_places() -> None:
    lines = text_map(empty(), COMPONENTS).split("\n")
    dots = {player["dot"]: "AHEFGB"[seat] for seat, player in enumerate(empty()["players"])}
    for sector in range(SECTORS):
        angle = np.deg2rad(20 * sector - 100)
        line = round(TOP - 0.5 + DOWN / 2 * (1 - np.sin(angle) * 1.03))
        middle = LEFT - 0.5 + ACROSS / 2 * (1 + np.cos(angle) * 1.03)
        label = f"{sector + 1}{dots.get(sector, '')}"
        places = [match.start() for match in re.finditer(rf"(?<![A-Z\d$]){label}(?![A-Z\d])", lines[line])]
        assert [place for place in places if abs(place - middle) < 5], (sector, line, middle, lines[line])


def test_rock_is_marked_and_the_shield_wall_falls() -> None:
    standing, fallen = (text_map(empty(shield_wall=stands), COMPONENTS) for stands in (True, False))
    rock = {PLANET.owners[cell] for _, cell in found_on(standing, r"\^")}
    assert rock == {index for index, territory in enumerate(PLANET.territories) if territory.type == "rock"}
    assert {PLANET.owners[cell] for _, cell in found_on(fallen, "x")} == {SHIELD_WALL}
    assert SHIELD_WALL not in {PLANET.owners[cell] for _, cell in found_on(fallen, r"\^")}
    assert "x  Shield Wall, destroyed" in fallen
    assert "destroyed" not in standing


@pytest.mark.parametrize("language", MAP_WORDS)
@pytest.mark.parametrize("players", range(2, 7))
def test_a_map_fits_the_screen(players: int, language: str) -> None:
    for content in (drawn_position([6, 5, 4, 3, 2, 1][:players]), *([crowded(players)] if players % 4 == 2 else ())):
        text = text_map(content, COMPONENTS, language=language)
        lines = text.split("\n")
        assert max(map(len, lines)) <= WIDTH == 80
        assert len(lines) < LINES + (20 if content["turn"] == 15 else 4)
        assert lines == [line.rstrip() for line in lines]
        assert all(sign.isascii() or sign.isalpha() for sign in text)
        said, teller = MAP_WORDS[language], teller_of(content, language)
        letters = faction_letters(teller)
        letter = letters[content["players"][0]["faction"]]
        dot = content["players"][0]["dot"]
        # Each explanation stands at an end of its line, apart from the planet.
        for line, explained in (
            (0, rf"^{re.escape(said.strongholds)} {{3}}"),
            (0, rf" {{3}}{re.escape(said.tokens.format(letter, teller.who(0)))}$"),
            (1, rf"^{re.escape(said.rock.format('^'))} {{3}}"),
            (1, rf" {{3}}{re.escape(said.spice.format('$'))}$"),
            (2, rf" {{3}}{re.escape(said.storm.format('@', '~'))}$"),
            (LINES - 2, rf"^{re.escape(said.sectors.format('.'))} {{3}}"),
            (LINES - 1, rf" {{3}}{re.escape(said.dot.format(dot + 1, letter))}$"),
        ):
            assert re.search(explained, lines[line]), (explained, lines[line])
        for seat, player in enumerate(content["players"]):
            named = said.seat.format(letters[player["faction"]], capital(str(teller.who(seat))), seat)
            assert sum(named in line for line in lines[LINES:]) == 1


def test_factions_have_letters_of_their_own() -> None:
    assert faction_letters(teller_of(empty())) == ("A", "H", "E", "F", "G", "B", "T")
    alike = replace(english.WORDS, factions=("x", "x_x", "x", "guild", "x", "y_z", "y"))
    assert len(set(faction_letters(Teller(alike, Facts(empty(), COMPONENTS))))) == 7


@pytest.mark.parametrize("name", ["BID", "SHIP", "PLACE", "VOICE", "DIAL", "OVER"])
def test_a_view_has_the_map_of_its_state(name: str) -> None:
    content = position(name)
    state = state_of(content)
    whole = text_map(content, COMPONENTS)
    for seat in range(len(content["players"])):
        assert text_map(view_to_dict(state, COMPONENTS, seat), COMPONENTS) == whole
    secret = deepcopy(content)
    for player in secret["players"]:
        player |= {"hand": [], "spice": 99, "reserve": 0, "traitors": [], "pledge": 5}
    assert text_map(secret | {"pending": {}, "prediction": None}, COMPONENTS) == whole


def test_every_decision_has_a_map() -> None:
    for name in POSITIONS:
        assert text_map(position(name), COMPONENTS).count("\n") in (LINES, LINES + 1)


def test_names_and_types_are_those_of_the_components() -> None:
    names = list(COMPONENTS.names.territories)
    names[ARRAKEEN], names[CARTHAG] = f"Sietch Montagne {'Perdue ' * 30}", "Xyz"
    record = COMPONENTS.record.copy()
    record["type"][0, CARTHAG] = 0
    changed = replace(
        COMPONENTS, record=record, hash="changed", names=replace(COMPONENTS.names, territories=tuple(names))
    )
    text = text_map(empty(), changed)
    assert [PLANET.owners[cell] for word, cell in found_on(text, "Xyz")] == [CARTHAG]
    assert "ARRAKEEN" not in text
    assert any(word.startswith("MONTAG") for word, _ in found_on(text, "[A-Z]{5,}"))
    french = replace(
        COMPONENTS,
        names=replace(
            COMPONENTS.names,
            territories=tuple(
                own or name for own, name in zip(COMPONENTS.names.french, COMPONENTS.names.territories, strict=True)
            ),
        ),
    )
    found = text_map(empty(), french)
    assert {"Cuvette", "Polaire", "Mesa", "Molle"} <= {word for word, _ in found_on(found, r"\w+")}


def test_another_board_has_no_map() -> None:
    record = COMPONENTS.record.copy()
    record["territory_of"][0, 1] = 0
    other = replace(COMPONENTS, record=record, hash="another")
    content = position("BID")
    assert text_map(content, other) == ""
    assert coloured(GAME, content, other).plain == GAME.describe(content, other)


def test_the_terminal_shows_the_map_above_the_text_if_it_is_wide_enough() -> None:
    content = position("BID")
    text, whole = GAME.describe(content, COMPONENTS), text_map(content, COMPONENTS)
    for width, shown in ((WIDTH, f"{whole}\n\n{text}"), (WIDTH - 1, text)):
        (board,) = look_of(GAME, COMPONENTS).board(content, 0, ("a",) * 6, Console(file=io.StringIO(), width=width))
        assert str(board) == shown


def test_the_styles_of_the_map() -> None:
    content = empty(storm=13, shield_wall=False, spice=[[33, 8]])
    content["players"][0]["forces"] = [[8, 7]]
    shown = coloured(GAME, content, COMPONENTS)
    styles = {shown.plain[span.start : span.end]: str(span.style) for span in shown.spans[::-1]}
    assert styles["A7"] == styles["CARTHAG"] == styles["TUEK'S"] == "bold"
    assert styles["$8"] == "bold #c77d0a"
    assert styles["@14G"] == styles["~"] == styles["x"] == "#a45ad1"
    assert styles["|"] == styles["_"] == styles["^"] == "dim"

"""The picture: all pieces once, texts that fit and can be read, reference pictures, and every content that there is."""

from __future__ import annotations

import io
import random
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from dunaia_env.dunaia import GAME, load
from dunaia_env.dunaia.components import FIRST_TILE
from dunaia_env.dunaia.family.family import load_family
from dunaia_env.dunaia.presentation import PRESENTATION, icons, palette, tiles
from dunaia_env.dunaia.presentation.labels import LABELS
from dunaia_env.dunaia.presentation.palette import PAINTS
from dunaia_env.dunaia.presentation.picture import picture
from dunaia_env.dunaia.presentation.wording.verbs import pieces
from dunaia_env.dunaia.state import COLOURS, LEVELS, MERCHANT, NONE, TILES, TRICKSTER
from dunaia_env.harness.compiled.chance import Stream
from dunaia_env.harness.state import GameState
from dunaia_env.render.raster import pixels
from dunaia_env.support import svg as writer

from .drawn import Drawn, Text, read
from .make_pictures import FOLDER, WIDTH, draw, stored, structure
from .positions import SEARCH_ELDER, play, player as village, position

pytestmark = pytest.mark.once

REFERENCES = sorted(path.stem for path in FOLDER.glob("*.json"))
BUTTONS = {"pass", "power"}
Content = dict[str, Any]


def expected_pieces(content: Content) -> set[str]:
    """The pieces that there are in a position, by the list that pages and wordings rely on."""
    deciding, decision = content["seat"], content["decision"]
    neutral, own = content["dice"]["neutral"], content["dice"]["own"]
    found = {f"die-{face}" for face, count in enumerate(neutral, 1) if count}
    found |= {f"own-die-{seat}" for seat, face in enumerate(own) if face}
    found |= {"hand-die"} if content["die"] else set()
    found |= {"found"} if "found" in content["pending"] else set()
    for level in range(LEVELS):
        for kind, tile in enumerate((content["display"][level], content["pile_top"][level])):
            found |= {f"offer-{2 * level + kind}"} if tile != NONE else set()
    found |= {f"elder-{space}" for space in range(3)} | {f"prophecy-{entry['id']}" for entry in content["prophecies"]}
    found |= {f"marker-{colour}" for colour in range(COLOURS)}
    found |= {f"character-{index}" for index in content["characters_available"]}
    if decision == "CHOOSE_DIE" and content["players"][deciding]["character"] == TRICKSTER:
        found |= {f"flip-{face}" for face, count in enumerate(neutral, 1) if count}
        if not any(neutral):
            found.add(f"flip-own-{deciding}")
    for seat, player in enumerate(content["players"]):
        found |= {f"square-{seat}-{square}" for square in range(9)} | {f"edge-{seat}-{edge}" for edge in range(12)}
        found |= {f"dunaia-{seat}-{value}" for value in range(1, 7)} | {f"chip-{seat}-{value}" for value in range(1, 7)}
        found |= {f"{kind}-{seat}" for kind in ("flowers", "tokens", "artefacts", "fragments", "score")}
        found |= {f"reserved-{seat}"} if player["reserved"] != NONE else set()
        found |= {f"character-{player['character']}"} if player["character"] != NONE else set()
    return found


def names_of(drawn: Drawn) -> list[str]:
    return [piece.name for piece in drawn.pieces if not piece.name.startswith("pile-")]


def positions(players: int, elites: bool, games: int, every: int) -> Iterator[GameState]:
    """Positions of random games."""
    for seed in range(games):
        choose, chance = random.Random(seed), Stream(seed)
        state = GameState.new(chance, game=GAME, num_players=players, elites=elites, max_rounds=30)
        for number in range(100_000):
            if number % every == 0 or state.decision in {"DRAFT", "SEARCH", "PLACE", "COLOUR"}:
                yield state
            if state.is_over:
                yield state
                break
            state.apply(choose.choice(state.legal_actions()), chance)


@pytest.fixture(scope="module")
def middle() -> Content:
    content: Content = stored("middle_4")["content"]
    return content


@pytest.mark.parametrize(("players", "elites"), [(2, True), (3, False), (3, True), (4, True)])
def test_every_piece_is_drawn_once(players: int, elites: bool) -> None:
    decisions = set()
    for state in positions(players, elites, games=2, every=17):
        content = state.to_dict()
        decisions.add(content["decision"])
        drawn = read(picture(content, load(), seat=players - 1))
        names = names_of(drawn)
        assert Counter(names) == Counter(expected_pieces(content)), content["decision"]
        everything = {piece.name for piece in drawn.pieces}
        for action in state.legal_actions():
            assert set(pieces(GAME.action_text(action), content)) <= everything | BUTTONS
        searched = {piece.name for piece in drawn.pieces if piece.name.startswith("pile-")}
        if content["decision"] == "SEARCH":
            legal = {GAME.action_text(action) for action in state.legal_actions()} - {"pass"}
            assert searched == {pieces(action, content)[0] for action in legal}
        else:
            assert not searched
    assert {"CHOOSE_DIE", "RECYCLE", "OVER"} <= decisions
    assert ("DRAFT" in decisions) == elites


@pytest.mark.parametrize("name", REFERENCES)
def test_reference_pictures(name: str) -> None:
    svg = draw(name)
    assert structure(svg) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    with Image.open(FOLDER / f"{name}.png") as image:
        reference = np.asarray(image.convert("RGB"), np.int16)
    rows, columns, _ = reference.shape
    # `pixels` makes odd sizes even.
    now = pixels(svg, WIDTH).astype(np.int16)[:rows, :columns]
    assert now.shape == reference.shape
    difference = np.abs(now - reference).max(axis=2)
    most, average = float((difference > 48).mean()), float(difference.mean())
    # Processors may round the rim of a form differently.
    assert most < 0.001, "look at it, then: python -m tests.make_pictures"
    assert average < 0.5


def extreme(content: Content) -> Content:
    """A position with as much as there can be of everything, more than a game could have at once."""
    content = deepcopy(content)
    content["dice"] = {"neutral": [2] * 6, "own": [1, 2, 3, 4]}
    content |= {"final_round": content["round"] + 1, "die": 6, "woken": 1}
    content["fragments"] = [100] * 3
    content["colour_markers"] = [0, 100, 7, 30]
    content["pending"] = {"found": 20, "second_square": 8, "moves": 9, "elder_space": 1}
    for seat, player in enumerate(content["players"]):
        player |= {"flowers": (40, 140, 9999, 32767)[seat], "tokens": 9, "artefacts": (30, 7, 100, 0)[seat]}
        player |= {"chips": [1, 2, 3, 4, 5, 6], "dunaias": [seat, seat, seat, 11, 11, 11], "reserved": 16 + seat}
        player |= {"character": 5 - seat, "power_used": seat % 2 == 0, "fragments": [0, 1]}
        for square in range(9):
            tile = (seat * 9 + square) % TILES
            player["squares"][square] = {
                "tile": tile,
                "steps": square % 2,
                "built": square % 3 == 0,
                "colours": [0, 1, 2, 3][: square % 4],
                "die": square % 3 == 0 and tile < FIRST_TILE[1],
            }
    content["scores"] = [0, 99, 123, 1234]
    return content


def faulty_texts(drawn: Drawn) -> list[str]:
    """Texts outside of the document or of the piece that they belong to."""
    areas = {piece.name: piece.area for piece in drawn.pieces}
    faults = [f"{text.content} outside of the picture" for text in drawn.texts if not drawn.size.holds(text.box, 0)]
    return faults + [
        f"{text.content!r} {text.box} outside of {text.piece} {areas[text.piece]}"
        for text in drawn.texts
        if text.piece is not None and not areas[text.piece].holds(text.box, 3)
    ]


def overlapping(texts: list[Text]) -> list[str]:
    faults = []
    texts = sorted(texts, key=lambda text: text.box.top)
    for number, text in enumerate(texts):
        for other in texts[number + 1 :]:
            if other.box.top > text.box.bottom:
                break
            if text.box.meets(other.box, 0.5):
                faults.append(f"{text.content!r} and {other.content!r} at {text.box}")
    return faults


@pytest.mark.parametrize("language", LABELS)
@pytest.mark.parametrize("name", REFERENCES)
def test_texts_stay_in_their_pieces(name: str, language: str) -> None:
    entry = stored(name)
    names = ["Maximiliane-Wilhelmina von und zu Hohenzollern"] * len(entry["content"]["players"])
    assert faulty_texts(read(picture(entry["content"], load(), names=names, language=language))) == []


@pytest.mark.parametrize("language", LABELS)
@pytest.mark.parametrize("name", REFERENCES)
def test_no_text_is_small(name: str, language: str) -> None:
    drawn = read(picture(stored(name)["content"], load(), language=language))
    least = palette.LEAST_TEXT - 0.05  # sizes are rounded
    assert {text.content for text in drawn.texts if (text.box.bottom - text.box.top) / 0.72 < least} == set()


def badly_typeset(texts: Iterable[str]) -> list[str]:
    """The French texts in which no unbreakable space stands before a colon or a semicolon."""
    return [text for text in texts if re.search(r"[^\u00a0][:;]", text)]


@pytest.mark.parametrize("name", REFERENCES)
def test_french_labels_have_a_space_before_a_colon(name: str) -> None:
    content = stored(name)["content"]
    drawn = read(picture(content, load(), language="fr"))
    shown = [piece.label for piece in drawn.pieces] + [text.content for text in drawn.texts]
    assert badly_typeset(shown) == []
    assert any("\u00a0: " in text for text in shown)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seat", [0, 1])
def test_the_draft_lies_in_the_panel_of_whoever_chooses(players: int, seat: int) -> None:
    state, chance = GameState.new(3, game=GAME, num_players=players, elites=True), Stream(3)
    choosers = []
    while state.decision == "DRAFT":
        content = state.to_dict()
        areas = {piece.name: piece.area for piece in read(picture(content, load(), seat=seat)).pieces}
        for character in content["characters_available"]:
            middle = (areas[f"character-{character}"].left + areas[f"character-{character}"].right) / 2
            across = [areas[f"square-{content['seat']}-{square}"] for square in (0, 2, 8)]
            assert across[0].left < middle < areas[f"flowers-{content['seat']}"].right + 120
            assert across[0].top - 20 < areas[f"character-{character}"].top < across[2].bottom
        choosers.append(content["seat"])
        state.apply(state.legal_actions()[0], chance)
    assert len(set(choosers)) == players


@pytest.mark.parametrize("name", [name for name in REFERENCES if not name.startswith(("draft", "search"))])
def test_texts_do_not_overlap(name: str) -> None:
    for language in LABELS:
        drawn = read(picture(stored(name)["content"], load(), language=language))
        # A robot may stand before an arrow.
        texts = [text for text in drawn.texts if not (text.piece or "").startswith("dunaia")]
        assert overlapping(texts) == []


@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_extreme_positions_fit(middle: Content, seat: int) -> None:
    content = extreme(middle)
    svg = picture(content, load(), seat=seat, names=["Wolfgang Amadeus Mozart und so weiter"] * 4, language="fr")
    drawn = read(svg)
    assert faulty_texts(drawn) == []
    assert Counter(names_of(drawn)) == Counter(expected_pieces(content))


@pytest.mark.parametrize("decision", sorted(LABELS["en"].decisions))
@pytest.mark.parametrize("language", LABELS)
def test_every_decision_is_named(middle: Content, decision: str, language: str) -> None:
    content = deepcopy(middle) | {"decision": decision, "pending": {}}
    content["characters_available"] = [0, 1, 2, 3, 4] if decision == "DRAFT" else []
    for player in content["players"] if decision == "DRAFT" else ():
        player["character"] = NONE
    content["players"][content["seat"]]["flowers"] = 100
    drawn = read(picture(content, load(), language=language))
    assert faulty_texts(drawn) == []
    assert any(LABELS[language].decisions[decision] in text.content for text in drawn.texts)
    if decision == "SEARCH":
        assert sum(piece.name.startswith("pile-") for piece in drawn.pieces) == sum(
            len(pile) + (top != NONE) for pile, top in zip(content["piles"], content["pile_top"], strict=True)
        )


def _player(key: str, value: Any) -> Callable[[Content], None]:
    return lambda content: content["players"][1].update({key: value})


def _building(**entries: Any) -> Callable[[Content], None]:
    def change(content: Content) -> None:
        content["players"][0]["squares"][4] = {
            "tile": 5,
            "steps": 2,
            "built": True,
            "colours": [],
            "die": False,
        } | entries

    return change


CHANGES: dict[str, Callable[[Content], Any]] = {
    "seat": lambda content: content.update(seat=1),
    "decision": lambda content: content.update(decision="END_TURN"),
    "round": lambda content: content.update(round=content["round"] + 1),
    "final round": lambda content: content.update(final_round=content["round"] + 1),
    "last round": lambda content: content.update(final_round=content["round"]),
    "over": lambda content: content.update(over=True, decision="OVER", seat=NONE, pending={}),
    "neutral dice": lambda content: content["dice"].update(neutral=[1, 0, 0, 0, 0, 2]),
    "own dice": lambda content: content["dice"].update(own=[1, 0, 3, 0]),
    "die": lambda content: content.update(die=5),
    "woken": lambda content: content.update(woken=5),
    "second square": lambda content: content["pending"].update(second_square=4),
    "elder called": lambda content: content["pending"].update(elder_space=2),
    "moves left": lambda content: (content.update(decision="MOVE"), content["pending"].update(moves=2)),
    "chips left": lambda content: (content.update(decision="PLUG"), content["pending"].update(chips=3, moves=2)),
    "found": lambda content: content["pending"].update(found=30),
    "display": lambda content: content["display"].__setitem__(0, NONE),
    "pile top": lambda content: content["pile_top"].__setitem__(2, NONE),
    "tiles below": lambda content: content["piles"][1].pop(),
    "elders": lambda content: content["elders"].reverse(),
    "fragments left": lambda content: content["fragments"].__setitem__(1, 0),
    "markers left": lambda content: content["colour_markers"].__setitem__(3, 0),
    "prophecy's owner": lambda content: content["prophecies"][1].update(owner=3),
    "prophecy": lambda content: content["prophecies"][2].update(id=8),
    "flowers": _player("flowers", 30),
    "chips": _player("chips", [1, 6]),
    "tokens": _player("tokens", 9),
    "Dunaias": _player("dunaias", [7, 7, 7, 0, 1, 2]),
    "fragments": _player("fragments", [1]),
    "artefacts": _player("artefacts", 4),
    "character": _player("character", 5),
    "power used": _player("power_used", True),
    "reserved tile": _player("reserved", 12),
    "tile": _building(),
    "steps": _building(steps=1, built=False),
    "marker": _building(colours=[0]),
    "die on it": _building(die=True),
    "score": lambda content: content["scores"].__setitem__(0, 77),
}


def test_everything_in_a_position_can_be_seen(middle: Content) -> None:
    middle = deepcopy(middle)
    assert not middle["pending"]
    pictures = {"nothing": picture(middle, load())}
    for name, change in CHANGES.items():
        content = deepcopy(middle)
        change(content)
        # What only a screen reader is told does not count.
        pictures[name] = re.sub(r'aria-label="[^"]*"', "", picture(content, load()))
    pictures["nothing"] = re.sub(r'aria-label="[^"]*"', "", pictures["nothing"])
    alike = Counter(pictures.values())
    assert [name for name, svg in pictures.items() if alike[svg] > 1] == []


def test_the_picture_tells_how_often_a_decision_is_still_to_be_made() -> None:
    """In random games, for each decision that is repeated: the number is the one that the state holds for it."""
    counted = {"MOVE": "moves", "PLUG": "chips", "DISCARD": "discards", "ADVANCE": "advances"}
    chance, told = random.Random(1), Counter[str]()
    for seed in range(4):
        state, draws = GameState.new(seed, num_players=2), Stream(seed)
        while not state.is_over:
            content = state.to_dict()
            name = counted.get(content["decision"])
            if name and (left := content["pending"].get(name, 0)) > 1:
                assert f"({left} left)" in picture(content, load())
                told[name] += 1
            state.apply(chance.choice(state.legal_actions()), draws)
    assert {"moves", "chips"} <= told.keys()


def piece_named(svg: str, name: str) -> str:
    """The drawing of a piece."""
    group = next(one for one in ET.fromstring(svg).iter() if one.get("data-piece") == name)
    return ET.tostring(group, encoding="unicode")


def test_the_own_die_keeps_its_colour_in_hand() -> None:
    # The sixth turn after a roll of seven dice is seat 1's.
    dice: dict[str, Any] = {"round_number": 3, "seat": 1, "own": (4, 4), "die": 4}
    svg = picture(position("RECYCLE", neutral=(), **dice).to_dict(), load())
    assert palette.SEATS[1] in piece_named(svg, "hand-die")
    assert "Own die showing 4" in piece_named(svg, "hand-die")
    neutral = piece_named(picture(position("RECYCLE", die=4).to_dict(), load()), "hand-die")
    assert palette.DIE in neutral
    assert "Own die" not in neutral


def test_prices_are_those_of_the_deciding_player_everywhere() -> None:
    merchant = village(flowers=9, character=MERCHANT, chips=[1, 2, 3])
    state = position("RECYCLE", merchant, village(), elders=(SEARCH_ELDER, 0, 1))
    offers = read(picture(state.to_dict(), load(), seat=1))
    for number, (printed, paid) in enumerate([(1, 0), (2, 1), (2, 1), (3, 2), (3, 2), (4, 3)]):
        at_rim = [text.content for text in offers.texts if text.piece == f"offer-{number}"]
        assert [str(printed), str(paid)] == at_rim[-2 - number % 2 :][:2], number
    searched = read(picture(play(state, "call 0").to_dict(), load()))
    charged = [text.content for text in searched.texts if text.piece is None and text.box.left < 70]
    assert [text for text in charged if text.isdecimal()][:6] == ["2", "1", "3", "2", "4", "3"]
    other = read(picture(position("RECYCLE", merchant, village(), seat=1).to_dict(), load()))
    assert [text.content for text in other.texts if text.piece == "offer-4"][-1] == "3"


def test_a_prophecy_that_can_be_taken_now_has_a_tick() -> None:
    form = re.search(r' d="([^"]*)"', icons.tick(palette.SEATS[0]))
    assert form

    def ticks(flowers: int, owner: int = NONE) -> list[str]:
        state = position("RECYCLE", village(flowers=flowers), village(flowers=30), prophecies=(2, 3, 8))
        content = state.to_dict()
        content["prophecies"][1]["owner"] = owner
        svg = picture(content, load())
        return [f"prophecy-{one}" for one in (2, 3, 8) if form[1] in piece_named(svg, f"prophecy-{one}")]

    assert ticks(11) == []  # player 1's flowers do not count in player 0's turn
    assert ticks(12) == ["prophecy-3"]
    assert ticks(12, owner=1) == []


def test_the_whole_family_can_be_drawn(middle: Content) -> None:
    family = load_family()
    for seed in range(40):
        drawn = read(picture(middle, family.sample(seed), seat=seed % 4))
        assert faulty_texts(drawn) == []
        assert Counter(names_of(drawn)) == Counter(expected_pieces(middle))


def test_tiles_of_no_or_some_colours() -> None:
    face = tiles.printed(load()).faces[30]
    for colours in range(16):
        for arrows in (face.arrows, (None,) * 4):
            for steps in (None, 0, 3):
                changed = face._replace(colours=colours, arrows=arrows)
                drawing = tiles.drawing(changed, 1.0, steps, (), True, 15)
                read(writer.document(100, 100, "a tile", drawing))
                marks = [icons.colour_mark(colour, palette.WHITE, PAINTS[colour].dark) for colour in range(COLOURS)]
                wanted = [colour for colour in range(COLOURS) if colours >> colour & 1]
                assert [colour for colour, mark in enumerate(marks) if mark in drawing] == wanted


def test_long_constructions_have_a_bar(middle: Content) -> None:
    face = tiles.printed(load()).faces[30]
    few, many = (tiles.drawing(face._replace(steps=steps), 1.0, 2) for steps in (8, 20))
    assert few.count("<rect") > many.count("<rect")


def ground(svg: str) -> NDArray[np.uint8]:
    """The picture without its texts, at twice its size."""
    return pixels(re.sub(r"<text.*?</text>", "", svg), int(2 * read(svg).size.right))


def luminance(colour: NDArray[np.float64]) -> float:
    linear = np.where(colour <= 0.03928, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def contrast(fill: str, behind: NDArray[np.uint8]) -> float:
    first = luminance(np.array([int(fill[place : place + 2], 16) for place in (1, 3, 5)]) / 255)
    second = luminance(behind / 255)
    return (max(first, second) + 0.05) / (min(first, second) + 0.05)


def recoloured(svg: str, dark: Mapping[str, str]) -> str:
    """A picture in the colours of dark pages."""
    return re.sub(r"#[0-9a-f]{6}\b", lambda found: dark.get(found[0], found[0]), svg)


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["middle_4", "french_2", "draft_2", "search_4", "over_3", "late_3"])
def test_texts_stand_out_from_what_is_behind_them(name: str, is_dark: bool) -> None:
    svg = recoloured(draw(name), PRESENTATION.dark) if is_dark else draw(name)
    behind = ground(svg)
    drawn = read(svg)
    covered = name.startswith(("draft", "search"))  # by a panel, at least in part
    faults = []
    for text in drawn.texts:
        if covered and not (text.piece or "").startswith(("pile-", "character-")):
            continue
        box = text.box
        area = behind[int(2 * box.top) : int(2 * box.bottom) + 1, int(2 * box.left) : int(2 * box.right) + 1]
        middle = np.median(area.reshape(-1, 3), axis=0).astype(np.uint8)
        if contrast(text.fill, middle) < 4.5:
            faults.append(f"{text.content!r} of {text.piece}: {text.fill} on {middle.tolist()}")
    assert faults == []


def test_a_dark_picture_is_dark() -> None:
    svg = recoloured(draw("middle_4"), PRESENTATION.dark)
    assert ground(svg).mean() < 90 < 180 < ground(draw("middle_4")).mean()


def test_seats_and_colours_differ_without_colour() -> None:
    """Each colour of buildings has its form, each seat its form."""
    from dunaia_env.dunaia.presentation import icons

    forms = {re.sub(r"#\w{6}", "", icons.colour_mark(colour, "#ffffff", "#000000")) for colour in range(COLOURS)}
    assert len(forms) == COLOURS
    assert len({re.sub(r"#\w{6}", "", icons.seat_mark(seat)) for seat in range(4)}) == 4
    for seat in palette.SEATS:
        assert contrast(seat, np.array([255, 255, 255], np.uint8)) >= 4.5


def test_a_picture_is_safe_on_any_page(middle: Content) -> None:
    names = ["<script>alert(1)</script>", "\"quoted\" & 'so'", "line\nbreak\x00\x1b[31m\ud800", "]]>"]
    svg = picture(middle, load(), names=names)
    ET.fromstring(svg)
    assert not re.search(r"<(script|style|foreignObject|image|use|a)\b", svg)
    assert not re.search(r"\s(id|style|class|href|on\w+)=", svg)
    svg.encode("utf-8")
    shown = [text.content for text in read(svg).texts]
    assert names[1] in shown
    assert any(text.startswith("<script>") for text in shown)


def test_a_picture_is_the_same_text_again(middle: Content) -> None:
    before = picture(middle, load(), seat=2)
    tiles.drawing.cache_clear()
    tiles.printed.cache_clear()
    assert picture(deepcopy(middle), load(), seat=2) == before
    assert len(before) < 300_000


def test_seats_come_in_turn_order_from_the_given_one(middle: Content) -> None:
    def places(seat: int | None) -> list[float]:
        areas = {piece.name: piece.area for piece in read(picture(middle, load(), seat=seat)).pieces}
        squares = [areas[f"square-{number}-0"] for number in range(4)]
        largest = max(squares, key=lambda box: box.right - box.left)
        assert squares.index(largest) == (seat or 0)
        return sorted(range(4), key=lambda number: (squares[number].top > 500, squares[number].left))

    assert places(None) == places(0) == [0, 1, 2, 3]
    assert places(2) == [2, 3, 0, 1]


def test_whose_decision_it_is_and_who_has_won() -> None:
    content = stored("over_3")["content"]
    svg = picture(content, load())
    assert LABELS["en"].over in svg
    stopped = content | {"truncated": True}
    assert LABELS["en"].stopped in picture(stopped, load())
    tied = deepcopy(content)
    tied["scores"] = [30, 30, 2]
    for prophecy, owner in zip(tied["prophecies"], (0, 1, 2), strict=True):
        prophecy["owner"] = owner
    for player in tied["players"]:
        player["flowers"] = 3
    crown = icons.crown(palette.GOLD)
    assert picture(tied, load()).count(crown) == 2
    tied["players"][1]["flowers"] = 4
    assert picture(tied, load()).count(crown) == 1
    assert picture(content | {"over": False, "decision": "MOVE", "seat": 1}, load()).count(crown) == 0


@pytest.mark.parametrize(
    ("keywords", "fault"),
    [
        ({"language": "de"}, "language: expected one of en, fr, got 'de'"),
        ({"seat": 4}, r"seat: expected None or 0\.\.3, got 4"),
        ({"seat": -1}, r"seat: expected None or 0\.\.3, got -1"),
        ({"names": ["Ada"]}, r"names: expected 4 names, got \['Ada'\]"),
    ],
)
def test_wrong_keywords(middle: Content, keywords: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        picture(middle, load(), **keywords)


def test_the_widths_of_letters_are_those_of_the_font() -> None:
    from fontTools.ttLib import TTFont

    from dunaia_env.render.raster import FONT_FILES

    letters = [chr(code) for code in (*range(0x20, 0x180), *range(0x400, 0x460), 0x2019, 0x2026, 0x2212)]
    for path, weight in zip(FONT_FILES, (writer.NORMAL, writer.BOLD), strict=True):
        font = TTFont(io.BytesIO(Path(path).read_bytes()))
        glyphs, advances = font.getBestCmap(), font["hmtx"]
        wrong = [
            letter
            for letter in letters
            if ord(letter) in glyphs and writer.width_of(letter, 1000, weight) != advances[glyphs[ord(letter)]][0]
        ]
        assert wrong == []
        assert font["name"].getDebugName(1) == writer.FONT


def test_a_text_says_how_wide_it_is_for_other_fonts() -> None:
    assert f'textLength="{writer.number(writer.width_of("Elders", 12))}"' in writer.text(0, 0, "Elders", 12, "#000000")
    assert "textLength" not in writer.text(0, 0, "山田", 12, "#000000")  # whose widths are not known
    assert "textLength" not in writer.text(0, 0, "3", 12, "#000000")


def test_fitted_texts() -> None:
    assert writer.fitted("short", 10, 100) == "short"
    cut = writer.fitted("a long name", 10, 40)
    assert cut.endswith("…")
    assert writer.width_of(cut, 10) <= 40
    assert writer.fitted("name", 10, 0) == "…"

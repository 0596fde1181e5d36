"""The picture of Dune: a map that has the printed borders, all pieces once, texts that fit, reference pictures."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from itertools import combinations
from math import hypot, pi
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw

from dunaia_env.dune.components import load
from dunaia_env.dune.decisions import DECISION_NAMES
from dunaia_env.dune.hidden.views import view_to_dict
from dunaia_env.dune.notation.states import from_dict
from dunaia_env.dune.presentation import icons, palette
from dunaia_env.dune.presentation.labels import LABELS
from dunaia_env.dune.presentation.picture import around as surroundings, board, picture
from dunaia_env.dune.presentation.planet import Point, line_angle, load_planet
from dunaia_env.dune.state import CELLS, FACTIONS, KINDS, NONE, PHASE_NAMES, SECTORS, TERRITORIES
from dunaia_env.render.raster import pixels
from dunaia_env.support import svg as writer

from .drawn import read
from .dune_map_places import SHORT_NAMES
from .dune_picture_positions import FOLDER, POSITIONS, Content, crowded, example, over, position, view
from .make_dune_pictures import draw
from .make_pictures import WIDTH, structure
from .test_picture import badly_typeset, contrast, faulty_texts, ground, overlapping, recoloured

pytestmark = pytest.mark.once

PLANET = load_planet()
LONG = "Maximiliane-Wilhelmina von und zu Hohenzollern"


def area_of(points: tuple[Point, ...]) -> float:
    return sum(a * d - c * b for (a, b), (c, d) in zip(points, points[1:] + points[:1], strict=True)) / 2


def sides() -> dict[tuple[Point, Point], list[int]]:
    """Each straight piece of an outline with the cells that it belongs to."""
    found: dict[tuple[Point, Point], list[int]] = {}
    for cell, points in enumerate(PLANET.outlines):
        for pair in zip(points, points[1:] + points[:1], strict=True):
            start, end = sorted(pair)
            found.setdefault((start, end), []).append(cell)
    return found


def mask(cells: tuple[int, ...], scale: int = 2) -> Any:
    side = int(2 * PLANET.radius + 20)
    image = Image.new("1", (side * scale, side * scale))
    for cell in cells:
        corners = [((x + side / 2) * scale, (y + side / 2) * scale) for x, y in PLANET.outlines[cell]]
        ImageDraw.Draw(image).polygon(corners, fill=1)
    return image


def is_inside(image: Any, x: float, y: float, scale: int = 2) -> bool:
    return bool(image.getpixel((round(x * scale + image.width / 2), round(y * scale + image.height / 2))))


def test_the_map_has_the_printed_territories() -> None:
    components = load()
    record = components.record[0]
    assert PLANET.owners == tuple(record["territory_of"].tolist())
    assert tuple(NONE if sector is None else sector for sector in PLANET.sectors) == tuple(record["sector"].tolist())
    assert tuple(territory.name for territory in PLANET.territories) == components.names.territories
    printed = zip(components.names.french, PLANET.territories, strict=True)
    assert all(french in ("", territory.french) for french, territory in printed)


def test_cells_border_on_each_other_as_printed() -> None:
    near = np.argwhere(np.triu(load().record[0]["borders"]) == 1)
    drawn = {tuple(sorted(cells)) for cells in sides().values() if len(cells) == 2}
    assert drawn == {tuple(pair) for pair in near.tolist()}
    assert len(drawn) == 190


def test_borders_can_be_seen() -> None:
    lengths: Counter[tuple[int, ...]] = Counter()
    for (start, end), cells in sides().items():
        lengths[tuple(sorted(cells))] += int(100 * hypot(start[0] - end[0], start[1] - end[1]))
    assert min(lengths.values()) >= 1000  # 10 units


def test_cells_tile_the_planet_without_overlap() -> None:
    found = sides()
    assert set(map(len, found.values())) == {1, 2}
    for (start, end), cells in found.items():
        if len(cells) == 1:  # on the rim
            assert all(abs(hypot(*point) - PLANET.radius) < 0.2 for point in (start, end))
    areas = [area_of(points) for points in PLANET.outlines]
    assert all(area > 600 for area in areas)  # all in one direction
    assert sum(areas) == pytest.approx(pi * PLANET.radius**2, rel=0.002)
    masks = [np.asarray(mask((cell,)), np.int8) for cell in range(CELLS)]
    assert float((sum(masks) > 1).mean()) < 0.012  # the pixels of the outlines themselves
    assert len(PLANET.outlines) == CELLS


def test_cells_lie_in_their_sectors() -> None:
    for cell, points in enumerate(PLANET.outlines):
        sector = PLANET.sectors[cell]
        if sector is None:
            continue
        for x, y in points:
            turn = (np.arctan2(-y, x) - line_angle(sector)) % (2 * pi)
            away = min(turn, 2 * pi - turn) if turn > 2 * pi / SECTORS else 0.0
            away = min(away, abs(turn - 2 * pi / SECTORS)) if away else 0.0
            assert away * hypot(x, y) < 0.3, (cell, x, y)


@pytest.mark.parametrize("language", LABELS)
def test_names_stand_in_their_territories(language: str) -> None:
    drawn = read(picture(example(), load(), language=language))
    names = {}
    for text in drawn.texts:
        if text.piece and text.piece.startswith("territory-"):
            names.setdefault(text.piece, []).append(text)
    for index, territory in enumerate(PLANET.territories):
        inside = mask(territory.cells)
        middle = PLANET.territories[index].label
        for text in names[f"territory-{index}"]:
            box = text.box
            for x in (box.left, (box.left + box.right) / 2, box.right):
                for y in (box.top, box.bottom):
                    # The planet's middle is the middle of the board.
                    where = (x - 8 - 406, y - 52 - 406)
                    around = [(where[0] + a, where[1] + b) for a in (-1, 0, 1) for b in (-1, 0, 1)]
                    assert any(is_inside(inside, *point) for point in around), (territory.name, text.content, where)
        assert middle.size >= palette.LEAST_TEXT
        words = " ".join(text.content for text in names[f"territory-{index}"]).replace("- ", "-")
        name = PLANET.name(index, language)
        assert words in (name, *SHORT_NAMES.get(name, ()))


def test_tokens_lie_in_their_cells_beside_names_and_each_other() -> None:
    for cell in range(CELLS):
        inside = mask((cell,))
        label = PLANET.territories[PLANET.owners[cell]].label
        spots = PLANET.tokens[cell]
        assert [len(middles) for _, middles in spots] == [1, 2, 3, 4, 5, 6, 7]
        assert spots[0][0] >= 11
        for radius, middles in spots:
            assert all(hypot(a - c, b - d) >= 2 * radius for (a, b), (c, d) in combinations(middles, 2))
            for x, y in middles:
                reach = radius - 1
                rim = [(x + reach * np.cos(t), y + reach * np.sin(t)) for t in np.linspace(0, 2 * pi, 24)]
                assert all(is_inside(inside, a, b) for a, b in rim), (cell, radius, x, y)
                beside = (
                    max(abs(x - label.x) - label.width / 2, 0),
                    max(abs(y - label.y) - label.height / 2, 0),
                )
                assert hypot(*beside) >= radius - 1, (cell, radius)


def expected_pieces(content: Content) -> set[str]:
    """The pieces that there are in a position, besides discarded cards and spice cards to come."""
    found = {f"cell-{cell}" for cell in range(CELLS)} | {f"territory-{index}" for index in range(TERRITORIES)}
    found |= {"deck", "spice-deck"} | ({"storm"} if content["storm"] != NONE else set())
    found |= {f"leader-{leader}" for leader, owner in enumerate(content["leaders"]["owner"]) if owner != NONE}
    for seat, player in enumerate(content["players"]):
        found |= {f"{kind}-{seat}" for kind in ("seat", "spice", "reserve", "hand", "tanks")}
        cards = player["hand"] if player["hand"] is not None else player["shown"]
        found |= {f"card-{kind}" if content["seat"] == seat else f"card-{seat}-{kind}" for kind in cards}
    return found


@pytest.mark.parametrize("name", POSITIONS)
def test_every_piece_is_drawn_once(name: str) -> None:
    names = [piece.name for piece in read(draw(name)).pieces]
    names = [piece for piece in names if not piece.startswith(("discard-", "blow-"))]
    assert Counter(names) == Counter(expected_pieces(POSITIONS[name][0]))


@pytest.mark.parametrize("name", POSITIONS)
def test_reference_pictures(name: str) -> None:
    svg = draw(name)
    assert structure(svg) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    with Image.open(FOLDER / f"{name}.png") as image:
        reference = np.asarray(image.convert("RGB"), np.int16)
    now = pixels(svg, WIDTH).astype(np.int16)
    assert now.shape == reference.shape
    difference = np.abs(now - reference).max(axis=2)
    # Processors may round the rim of a form differently.
    assert float((difference > 48).mean()) < 0.001, "look at it, then: python -m tests.make_dune_pictures"
    assert float(difference.mean()) < 0.5


@pytest.mark.parametrize("language", LABELS)
@pytest.mark.parametrize("name", POSITIONS)
def test_texts_stay_in_their_pieces_and_apart(name: str, language: str) -> None:
    content = POSITIONS[name][0]
    for names in (None, [LONG] * len(content["players"])):
        drawn = read(picture(content, load(), names=names, language=language))
        assert faulty_texts(drawn) == []
        assert overlapping(list(drawn.texts)) == []


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_as_much_as_there_can_be(players: int) -> None:
    content = crowded(players)
    content["players"][0]["traitors"] = []
    for language in LABELS:
        drawn = read(picture(content, load(), seat=1, names=["W" * 60] * players, language=language))
        assert faulty_texts(drawn) == []
        assert overlapping(list(drawn.texts)) == []


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", [name for name in POSITIONS if name != "crowded_6"])
def test_texts_stand_out_from_what_is_behind_them(name: str, is_dark: bool) -> None:
    svg = draw(name)
    if is_dark:
        content, keywords = POSITIONS[name]
        svg = recoloured(board(content, load(), **keywords), palette.DARK)
        assert ground(svg).mean() < 90
    behind = ground(svg)
    faults = []
    for text in read(svg).texts:
        box = text.box
        part = behind[int(2 * box.top) : int(2 * box.bottom) + 1, int(2 * box.left) : int(2 * box.right) + 1]
        middle = np.median(part.reshape(-1, 3), axis=0).astype(np.uint8)
        if contrast(text.fill, middle) < 4.5:
            faults.append(f"{text.content!r} of {text.piece}: {text.fill} on {middle.tolist()}")
    assert faults == []


@pytest.mark.parametrize("language", LABELS)
def test_every_decision_and_phase_is_named(language: str) -> None:
    labels = LABELS[language]
    assert set(labels.decisions) == set(DECISION_NAMES) - {"OVER"}
    assert set(labels.phases) == set(PHASE_NAMES)
    assert len(labels.cards) == len(labels.short_cards) == KINDS
    assert len(labels.factions) == FACTIONS
    for decision, words in labels.decisions.items():
        content = position([0, 4, 5], decision=decision, seat=2)
        drawn = read(picture(content, load(), language=language))
        assert any(words in text.content for text in drawn.texts)
        assert faulty_texts(drawn) == []


def _player(key: str, value: Any) -> Callable[[Content], None]:
    return lambda content: content["players"][1].update({key: value})


def _leader(key: str, leader: int, value: Any) -> Callable[[Content], None]:
    return lambda content: content["leaders"][key].__setitem__(leader, value)


CHANGES: dict[str, Callable[[Content], Any]] = {
    "seat": lambda content: content.update(seat=1),
    "decision": lambda content: content.update(decision="KARAMA"),
    "phase": lambda content: content.update(phase="battle"),
    "turn": lambda content: content.update(turn=4),
    "over": lambda content: content.update(over=True, seat=NONE, decision="OVER", winners=[0]),
    "storm": lambda content: content.update(storm=8),
    "Shield Wall": lambda content: content.update(shield_wall=False),
    "last blow": lambda content: content.update(last_blow=4),
    "spice on the board": lambda content: content["spice"].pop(),
    "spice deck": lambda content: content["spice_deck"].__setitem__(15, 5),
    "spice discards": lambda content: content["spice_discards"].__setitem__(15, 5),
    "foreseen": lambda content: content.update(foreseen_spice=4),
    "deck": lambda content: content["deck"].__setitem__(0, 3),
    "discards": lambda content: content["discards"].__setitem__(0, 1),
    "sale": lambda content: content.update(sale=3),
    "bid": lambda content: content["pending"].update(bid=2, bidder=0),
    "row": lambda content: content["pending"].update(cards_left=1),
    "alliance": lambda content: content.update(alliance=[0, 0, NONE]),
    "silenced": lambda content: content.update(silenced=[1]),
    "prediction": lambda content: content["prediction"].update(turn=8),
    "truths": lambda content: content["truths"].append([0, 1, "leader 12", True]),
    "score": lambda content: content["scores"].__setitem__(0, 3),
    "leader dead": _leader("alive", 0, False),
    "leader used": _leader("used", 0, 5),
    "leader risen": _leader("risen", 0, True),
    "leader changed": _leader("change", 0, -1),
    "leader stolen": _leader("owner", 0, 1),
    "faction": _player("faction", 3),
    "dot": _player("dot", 16),
    "spice": _player("spice", 30),
    "reserve": _player("reserve", 2),
    "tanks": _player("tanks", 9),
    "forces": _player("forces", [[8, 6]]),
    "hand": _player("hand", [0, 4, 5, 6, 15]),
    "traitors": _player("traitors", [1]),
    "pledge": _player("pledge", 3),
    "debts": _player("debts", [0, 0, 5]),
    "laid": _player("laid_on", 2),
    "reviving": _player("reviving", True),
    "wheels": lambda content: content.update(wheels=[2, 0]),
}


def test_everything_in_a_position_can_be_seen() -> None:
    pictures = {}
    for name, change in {"nothing": lambda content: None, **CHANGES}.items():
        content = deepcopy(example())
        change(content)
        # What only a screen reader is told does not count.
        pictures[name] = re.sub(r'aria-label="[^"]*"', "", picture(content, load()))
    alike = Counter(pictures.values())
    assert [name for name, svg in pictures.items() if alike[svg] > 1] == []


def test_what_is_hidden_stays_hidden() -> None:
    content = example()
    content["options"]["open_shields"] = False
    state = from_dict(content, load())
    for seat in range(3):
        known = view_to_dict(state, load(), seat)
        drawn = read(picture(known, load(), seat=seat))
        cards = [piece.name for piece in drawn.pieces if piece.name.startswith("card-")]
        own = {f"card-{kind}" if seat == 2 else f"card-{seat}-{kind}" for kind in content["players"][seat]["hand"]}
        assert set(cards) == own | ({"card-1-0"} if seat != 1 else set())  # kept after a battle, so everybody knows it
        words = " ".join(text.content for text in drawn.texts)
        assert ("Predicts" in words) == (seat == 2)
        assert words.count("Traitors") == 1
        assert ("Residual Poison" in words) == (seat == 0)  # Atreides sees the card on sale
        assert words.count("?") == 4  # spice and reserve of the others
        assert (": bid" in words) == (seat == 2)


def test_keys_may_be_missing() -> None:
    content = example()
    bare = {
        "players": [{"faction": entry["faction"]} for entry in content["players"]],
        "phase": "setup",
    }
    drawn = read(picture(bare, load()))
    assert faulty_texts(drawn) == []
    none = dict.fromkeys(content) | {"players": [dict.fromkeys(entry) for entry in content["players"]]}
    drawn = read(picture(none, load(), language="fr"))
    assert any(text.content == "Joueur 2" for text in drawn.texts)
    partly = view(position([0, 1, 2, 5]), 3)
    for key in sorted(set(partly) - {"players"}):
        picture({name: value for name, value in partly.items() if name != key}, load())


def test_the_field_and_the_plans_of_a_battle() -> None:
    content, keywords = deepcopy(POSITIONS["battle_5"])
    with_field = picture(content, load(), **keywords)
    texts = [text.content for text in read(with_field).texts]
    assert "Combat\N{NO-BREAK SPACE}: Sietch Tabr" in texts
    # The number stands by itself at the end of the row, where it is never cut.
    assert "5" in texts[texts.index(next(text for text in texts if text.startswith("Otheym · Poison · B"))) :][:3]
    assert with_field.count(palette.FIELD) == 2
    content["pending"] = {}
    assert palette.FIELD not in picture(content, load(), **keywords)


def test_seats_and_grounds_differ_without_colour() -> None:
    assert len({re.sub(r"#\w{6}", "", icons.seat_mark(seat)) for seat in range(6)}) == 6
    assert len({re.sub(r"#\w{6}", "", icons.emblem(faction, "", "")) for faction in range(7)}) == 7
    for seat in palette.SEATS:
        assert contrast(seat, np.array([255, 255, 255], np.uint8)) >= 4.5
    assert len({re.sub(r"#\w{6}", "", icons.ground(kind)) for kind in icons.GROUNDS}) == 2
    groups = ET.fromstring(draw("storm_2")).iter("{http://www.w3.org/2000/svg}g")
    drawn = {group.get("data-piece"): ET.tostring(group, encoding="unicode") for group in groups}
    for index, territory in enumerate(PLANET.territories):
        signs = [kind for kind in icons.GROUNDS if shapes(icons.ground(kind)) in shapes(drawn[f"territory-{index}"])]
        assert signs == [kind for kind in icons.GROUNDS if kind == territory.type]


def shapes(drawing: str) -> str:
    """The forms in a drawing, one after the other."""
    return " ".join(re.findall(r' d="([^"]*)"', drawing))


@pytest.mark.parametrize("language", LABELS)
@pytest.mark.parametrize("name", POSITIONS)
def test_the_board_of_a_page_can_be_read(name: str, language: str) -> None:
    content, keywords = POSITIONS[name]
    drawn = read(board(content, load(), **{**keywords, "language": language}))
    least = palette.LEAST_TEXT - 0.02  # sizes are rounded
    small = {text.content for text in drawn.texts if (text.box.bottom - text.box.top) / 0.72 < least}
    assert small == set()
    assert faulty_texts(drawn) == []
    assert overlapping([text for text in drawn.texts if not (text.piece or "").startswith("cell-")]) == []


@pytest.mark.parametrize("language", LABELS)
@pytest.mark.parametrize("name", POSITIONS)
def test_the_whole_picture_can_be_read_at_its_own_width(name: str, language: str) -> None:
    content, keywords = POSITIONS[name]
    drawn = read(picture(content, load(), **{**keywords, "language": language}))
    least = 12 - 0.02  # sizes are rounded
    assert {text.content for text in drawn.texts if (text.box.bottom - text.box.top) / 0.72 < least} == set()


@pytest.mark.parametrize("name", POSITIONS)
def test_board_and_surroundings_have_every_piece_once(name: str) -> None:
    content, keywords = POSITIONS[name]
    around = surroundings(content, load(), **keywords)
    names = [piece.name for piece in read(board(content, load(), **keywords)).pieces] + around.pieces()
    names = [piece for piece in names if not piece.startswith(("discard-", "blow-"))]
    assert Counter(names) == Counter(expected_pieces(content))
    deciding = [panel.seat for panel in around.panels if panel.is_deciding]
    assert deciding == ([content["seat"]] if content["seat"] not in (None, NONE) else [])


@pytest.mark.parametrize("name", POSITIONS)
def test_french_labels_have_a_space_before_a_colon(name: str) -> None:
    content, keywords = POSITIONS[name]
    keywords = {**keywords, "language": "fr"}
    drawn, beside = read(picture(content, load(), **keywords)), surroundings(content, load(), **keywords)
    items = [item for panel in beside.panels for item in (panel.head, *panel.marks)]
    items += [item for panel in beside.panels for group in panel.groups for item in group.items]
    shown = [text for item in items for text in (item.text, item.label)]
    shown += [piece.label for piece in drawn.pieces] + [text.content for text in drawn.texts]
    assert badly_typeset(shown) == []
    assert any("\u00a0: " in text for text in shown)


@pytest.mark.parametrize("language", LABELS)
def test_panels_explain_the_cards_and_the_powers_in_them(language: str) -> None:
    content, keywords = POSITIONS["view_4"]
    labels, seat = LABELS[language], content["seat"]
    for panel in surroundings(content, load(), **{**keywords, "language": language}).panels:
        folded = {group.title: [item.text for item in group.items] for group in panel.groups if group.is_folded}
        if panel.seat is None:
            continue
        player = content["players"][panel.seat]
        cards = {labels.cards[kind] for kind in player["hand"] or player["shown"] or ()}
        assert {line.split(". ")[0] for line in folded.get(labels.card_uses, ())} == cards
        assert panel.seat != seat or cards
        assert len(folded[labels.powers]) == 1
    content = {**content, "options": {**content["options"], "powers": False}}
    assert not any(
        group.title == labels.powers
        for panel in surroundings(content, load(), **{**keywords, "language": language}).panels
        for group in panel.groups
    )


def test_the_phases_of_a_turn_end_with_the_harvest() -> None:
    around = surroundings(POSITIONS["battle_5"][0], load(), language="fr")
    words = [step.text for step in around.steps]
    assert words == ["Tempête", "Épice", "Nexus", "Enchères", "Renaissance", "Mouvement", "Combat", "Récolte"]
    assert [step.text for step in around.steps if step.is_now] == ["Combat"]
    over_steps = surroundings(over([0]), load()).steps
    assert [step.text for step in over_steps][-2:] == ["Harvest", "End"]
    assert over_steps[-1].is_now


def test_sectors_count_from_one() -> None:
    content = example()
    content["storm"] = 0
    drawn = read(board(content, load()))
    assert "in sector 1" in [text.content for text in drawn.texts]
    rim = [text.content for text in drawn.texts if text.piece is None and text.content.isdecimal()]
    assert {str(sector) for sector in range(1, SECTORS + 1)} <= set(rim)
    assert "0" not in rim
    assert any(piece.label == "Storm, sector 1" for piece in drawn.pieces)


def test_winners_wear_crowns() -> None:
    crown = icons.crown(palette.GOLD)
    assert picture(over([0, 2]), load()).count(crown) == 2
    assert picture(over([]), load()).count(crown) == 0


def test_a_picture_is_safe_on_any_page() -> None:
    names = ["<script>alert(1)</script>", "\"quoted\" & 'so'", "line\nbreak\x00\x1b[31m\ud800"]
    svg = picture(example(), load(), names=names)
    ET.fromstring(svg)
    assert not re.search(r"<(script|style|foreignObject|image|use|a)\b", svg)
    assert not re.search(r"\s(id|style|class|href|on\w+)=", svg)
    svg.encode("utf-8")


def test_a_picture_is_the_same_text_again() -> None:
    content = position(random.Random(1).sample(range(6), 6))
    before = picture(content, load(), seat=2)
    assert picture(deepcopy(content), load(), seat=2) == before
    assert len(before) < 300_000


def test_seats_come_in_turn_order_from_the_given_one() -> None:
    def order(seat: int | None) -> list[str]:
        panels = list(read(picture(position([0, 1, 2, 3]), load(), seat=seat)).pieces)
        heads = [piece for piece in panels if piece.name.startswith("seat-")]
        return [piece.name for piece in sorted(heads, key=lambda piece: piece.area.top)]

    assert order(None) == order(0) == ["seat-0", "seat-1", "seat-2", "seat-3"]
    assert order(2) == ["seat-2", "seat-3", "seat-0", "seat-1"]


@pytest.mark.parametrize(
    ("keywords", "fault"),
    [
        ({"language": "de"}, "language: expected one of en, fr, got 'de'"),
        ({"seat": 3}, r"seat: expected None or 0\.\.2, got 3"),
        ({"seat": -1}, r"seat: expected None or 0\.\.2, got -1"),
        ({"names": ["Ada"]}, r"names: expected 3 names, got \['Ada'\]"),
    ],
)
def test_wrong_keywords(keywords: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        picture(example(), load(), **keywords)


def test_all_widths_of_names_are_known() -> None:
    for territory in PLANET.territories:
        for words in territory.label.lines.values():
            assert all(writer.width_of(letter, 1) < 1 for line in words for letter in line if letter not in "mwMW")

"""The game in words: complete in both languages, well written, exact, with every number taken from the components."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import resources
from typing import Any

import pytest

from dunaia_env.dunaia import load, pieces_of
from dunaia_env.dunaia.actions import ACTION_TABLE
from dunaia_env.dunaia.assigned import GAME as ASSIGNED
from dunaia_env.dunaia.components import (
    GAIN_CHIPS,
    GAIN_FLOWERS,
    GAIN_MOVES,
    GAIN_POINTS,
    Components,
    parse,
)
from dunaia_env.dunaia.presentation import ENGLISH, FRENCH, PRESENTATION
from dunaia_env.dunaia.presentation.pieces import all_pieces
from dunaia_env.dunaia.presentation.wording import (
    changes,
    english,
    english_pieces,
    facts,
    french,
    french_pieces,
    sentences,
)
from dunaia_env.dunaia.state import DECISION_NAMES, NONE
from dunaia_env.harness.presentation import Wording
from dunaia_env.harness.state import GameState
from dunaia_env.support.english import count, listed
from tests.positions import COLOUR_ELDER, SEARCH_ELDER, begun, built, nearly, play, player, position, roll
from tests.told_games import Told, told_games

pytestmark = pytest.mark.once

SHIPPED = load()
WORDINGS = [pytest.param(wording, id=wording.language) for wording in (ENGLISH, FRENCH)]
PLACEHOLDER = re.compile(r"[{}<>\[\]]|None|True|False|\bNONE\b|\bnull\b|  |%|-1\b|object at")
# No French word is spelled so; "a" and "on" are.
ENGLISH_WORDS = re.compile(
    r"\b(the|of|and|is|are|to|with|its|it|takes?|gives?|square|squares|building|buildings|tiles?|chips?|flowers?"
    r"|moves?|level|green|yellow|purple|red|elder|elders|round|player|advances?|worth|now|left|has|have|no|any"
    r"|north|east|south|west|wakes?|waking|completed?|under|while|can|cannot|die|dice)\b",
    re.IGNORECASE,
)
ENGLISH_NOUNS = "flower|chip|move|advance|point|tile|fragment|artefact|step|token"
NOT_A_NAME = "(?<!player )(?<!square )(?<!level )(?<!Dunaia )(?<!chip )"
FRENCH_NOUNS = "fleur|puce|déplacement|avancée|point|tuile|fragment|artefact|case|marqueur"


def texts_of(wording: Wording, told: Told, pieces: bool = True) -> Iterator[tuple[str, str]]:
    """Every text of a decision: kind and text. Sentences stand as people read them, after the player's name."""
    before, components = told.before, told.components
    yield "question", wording.question(before, components)
    yield "rules", wording.rules(before, components)
    for action in told.legal:
        yield "clause", f"{wording.player(before['seat'])} {wording.sentence(action, before, components)}"
        yield "clause", wording.imperative(action, before, components)
    for change in wording.changes(told.action, before, told.after, components):
        yield "clause", change.text if change.seat is None else f"{wording.player(change.seat)} {change.text}"
        if change.to_seat:
            yield "clause", change.to_seat
    for name in all_pieces(before) if pieces else ():
        yield "piece", wording.piece(name, before, components)


def fault(kind: str, text: str, wording: Wording) -> str:
    """What is wrong with a text, empty for nothing."""
    if not text.strip() or text != text.strip():
        return "empty or with spaces around"
    if match := PLACEHOLDER.search(text):
        return f"a placeholder: {match[0]!r}"
    if kind == "question" and text[-1] not in "?)":
        return "a question ends with a question mark"
    if kind in ("rules", "piece") and text[-1] != ".":
        return "a sentence ends with a period"
    if kind in ("rules", "piece", "question") and not (text[0].isupper() or text[0].isdigit()):
        return "a sentence begins with a capital"
    if kind == "clause" and text[-1] in ".;:,":
        return "a clause ends without a period"
    if re.search(r"\(\)|\( | \)|,,|\.\.| [,.]|: \.", text):
        return "strange punctuation"
    return _french_fault(text) if wording is FRENCH else _english_fault(text)


def _english_fault(text: str) -> str:
    if match := re.search(rf"{NOT_A_NAME}\b1 (?:{ENGLISH_NOUNS})s\b", text):
        return f"a plural after 1: {match[0]!r}"
    if match := re.search(rf"{NOT_A_NAME}\b(?:[02-9]|\d\d+) (?:{ENGLISH_NOUNS})\b", text):
        return f"a singular: {match[0]!r}"
    if match := re.search(r"\ba [aeio]\w*|\ban [^aeiou]\w*", text):
        return f"the wrong article: {match[0]!r}"
    return "" if text.isascii() else "a sign that is not ASCII, which some terminals cannot show"


def _french_fault(text: str) -> str:
    if match := ENGLISH_WORDS.search(text):
        return f"an English word: {match[0]!r}"
    if match := re.search(rf"\b[01] (?:{FRENCH_NOUNS})s\b", text):
        return f"a plural after 0 or 1: {match[0]!r}"
    if match := re.search(rf"\b(?:[2-9]|\d\d+) (?:{FRENCH_NOUNS})\b", text):
        return f"a singular: {match[0]!r}"
    if "'" in text or re.search(r"[^\u00a0][:;?!»]|«[^\u00a0]", text):
        return "typography: a straight apostrophe, or no unbreakable space before a double sign"
    if match := re.search(r"\b(?:de|le|la|que|ne|se|si il|je|jusque) [aeiouhéèêà]", text):
        return f"no elision: {match[0]!r}"
    if match := re.search(r"\b(?:de le|de les|à le|à les)\b", text):
        return f"no contraction: {match[0]!r}"
    return ""


@pytest.mark.long
@pytest.mark.parametrize("wording", WORDINGS)
def test_everything_in_played_games_is_told_well(wording: Wording) -> None:
    seen: set[tuple[str, str]] = set()
    faults: dict[str, str] = {}
    for number, told in enumerate(told_games()):
        for kind, text in texts_of(wording, told, pieces=number % 3 == 0):
            if (kind, text) not in seen:
                seen.add((kind, text))
                found = fault(kind, text, wording)
                if found:
                    faults.setdefault(found, f"{kind}: {text}")
    assert not faults, "\n".join(f"{found} | {text}" for found, text in faults.items())
    assert len(seen) > 5000


def test_the_played_games_have_everything() -> None:
    verbs, decisions, kinds = set(), set(), set()
    for told in told_games():
        verbs |= {action.split()[0] for action in told.legal}
        decisions.add(told.before["decision"])
        kinds |= {event.kind for event in changes.events(told.before, told.after, told.components)}
    assert verbs == {verb.name for verb in ACTION_TABLE}
    assert decisions == set(DECISION_NAMES) - {"OVER"}
    assert kinds >= set(changes.KINDS) - {"empty", "end"}


@pytest.mark.parametrize("wording", WORDINGS)
def test_actions_of_a_decision_read_differently(wording: Wording) -> None:
    for told in told_games():
        sentences = [wording.sentence(action, told.before, told.components) for action in told.legal]
        # Tiles of a family's member can be equal, and are then searched for with equal words.
        same = {action.split()[0] for action in told.legal if sentences.count(sentences[told.legal.index(action)]) > 1}
        assert same <= {"search"}, told.legal


@pytest.mark.parametrize("wording", WORDINGS)
def test_actions_are_chosen_with_the_verb_of_their_sentence(wording: Wording) -> None:
    """``takes no tile`` is told, ``take no tile`` is chosen; in French the verb ends as an infinitive does."""
    words, verbs = {ENGLISH.language: english.WORDS, FRENCH.language: french.WORDS}[wording.language], set()
    for one in told_games():
        for action in one.legal:
            told, choice = (say(action, one.before, one.components) for say in (wording.sentence, wording.imperative))
            verbs.add((action.split()[0], one.before["decision"] if action == "pass" else ""))
            if wording is ENGLISH:
                assert told.split()[0] in (f"{choice.split()[0]}s", f"{choice.split()[0]}es"), choice
            else:
                assert re.match(r"(?:n[e’] ?)?(?:pas |plus )?\w+(?:er|ir|re)\b", choice), choice
    kinds = {verb.name for verb in ACTION_TABLE}
    assert {verb for verb, _ in verbs} == kinds
    assert {decision for verb, decision in verbs if verb == "pass"} == {
        key.partition(".")[2] for key in words.texts if key.startswith("decline.")
    }


EVENTS: dict[str, tuple[int, ...]] = {
    "character": (5,),
    "die": (4, 1, 1),
    "start": (8, 20),
    "advance": (8, 1, 3),
    "completed": (8, 20),
    "marker": (8, 2),
    "occupied": (8,),
    "dunaia": (6, 11),
    "flowers": (3, 2),
    "plugged": (1, 4, 6),
    "paid": (5,),
    "fragment": (4,),
    "artefact": (2,),
    "reserved": (39,),
    "prophecy": (4,),
    "tile": (2, 1, 30),
    "empty": (2, 0),
    "end": (9,),
    "over": (1,),
    "round": (9, 1),
    "roll": (2, 3, 6, 5, 5),
}


@pytest.mark.parametrize("wording", WORDINGS)
def test_every_kind_of_event_is_told(wording: Wording) -> None:
    words = {ENGLISH.language: english.WORDS, FRENCH.language: french.WORDS}[wording.language]
    assert set(EVENTS) == set(changes.KINDS)
    for kind, numbers in EVENTS.items():
        text = sentences.told(words, changes.Event(0, kind, numbers), SHIPPED).text
        assert fault("clause", text, wording) == "", text


@pytest.mark.parametrize("wording", WORDINGS)
def test_the_end_of_the_game_has_its_texts(wording: Wording) -> None:
    content = position("OVER", player(flowers=3, buildings={0: built(28), 1: built(3)}), player()).to_dict()
    assert wording.question(content, SHIPPED)[-1] == "."
    assert fault("rules", wording.rules(content, SHIPPED), wording) == ""
    for name in all_pieces(content):
        assert fault("piece", wording.piece(name, content, SHIPPED), wording) == ""


@pytest.mark.parametrize("wording", WORDINGS)
def test_pieces_that_a_position_has_not_are_told_too(wording: Wording) -> None:
    """What was highlighted a moment ago may be gone in the position for which its text is asked."""
    content = position("RECYCLE", player(), player(), neutral=(1, 1, 1, 1)).to_dict()
    content["dice"]["own"][1] = 0
    content["display"][0] = content["pile_top"][1] = NONE
    for name in ("die-6", "own-die-1", "flip-own-1", "found", "offer-0", "offer-3", "reserved-0", "pile-0-39"):
        assert fault("piece", wording.piece(name, content, SHIPPED), wording) == "", name
    for name in ("prophecy-0", "character-2", "marker-0", "hand-die", "power", "pass"):
        assert fault("piece", wording.piece(name, content, SHIPPED), wording) == "", name
    with pytest.raises(ValueError, match="the table has 2 players"):
        wording.piece("square-2-0", content, SHIPPED)


@pytest.mark.parametrize("wording", WORDINGS)
def test_options_have_a_title_and_help(wording: Wording) -> None:
    assert set(wording.options) == {option.name for option in ASSIGNED.options}
    for title, help_text in wording.options.values():
        assert fault("rules", help_text, wording) == ""
        assert title[0].isupper()
        assert title[-1].isalpha()


def test_both_languages_have_words_for_the_same() -> None:
    assert english.TEXTS.keys() == french.TEXTS.keys()
    assert english_pieces.TEXTS.keys() == french_pieces.TEXTS.keys()
    assert not english.TEXTS.keys() & english_pieces.TEXTS.keys()
    assert english.WORDS.nouns.keys() == french.WORDS.nouns.keys()


def test_both_languages_say_the_same_numbers() -> None:
    """A number that only one of the two texts has is a slip in one of them."""
    for told in told_games()[::7]:
        for (kind, one), (_, other) in zip(texts_of(ENGLISH, told), texts_of(FRENCH, told), strict=True):
            if kind != "rules":
                numbers = [sorted(set(re.findall(r"\d+", text))) for text in (one, other)]
                assert numbers[0] == numbers[1], (one, other)


# Numbers are those of the components.


def changed(*replacements: tuple[str, str]) -> Components:
    """The shipped components with some lines of the file changed."""
    text = resources.files("dunaia_env.dunaia").joinpath("components.toml").read_text(encoding="utf-8")
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new)
    return parse(text, "changed.toml")


OTHER = changed(
    ("level_1 = [1, 2]", "level_1 = [5, 7]"),
    ("level_1 = 2\n", "level_1 = 6\n"),
    ("flowers = 2\nmoves = 2\nadvances = 1", "flowers = 8\nmoves = 7\nadvances = 5"),
    ("flowers_per_point = 3", "flowers_per_point = 4"),
    ("points = [0, 1, 3, 6, 10, 14]", "points = [0, 9, 20, 21, 22, 23]"),
    ("level_points = [1, 2, 3]", "level_points = [7, 8, 9]"),
    ("merchant = { discount = 1 }", "merchant = { discount = 4 }"),
    ("foreman = { cost = 2, advances = 1 }", "foreman = { cost = 9, advances = 8 }"),
    ("mystic = { chips = 2, flowers = 2, moves = 1 }", "mystic = { chips = 3, flowers = 9, moves = 8 }"),
    ("{ buildings = 6, points = 2 }", "{ buildings = 5, points = 9 }"),
    ('colours = ["green"], effect = "flowers", amount = 3', 'colours = ["green"], effect = "flowers", amount = 9'),
)


@pytest.mark.parametrize("wording", WORDINGS)
@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("offer-0", {"5", "6", "7", "9"}),  # price, steps, points, effect
        ("offer-1", {"7", "6"}),
        ("elder-0", {"8"}),
        ("elder-1", {"7"}),
        ("elder-2", {"5"}),
        ("flowers-0", {"4"}),
        ("artefacts-0", {"9", "11"}),
        ("character-0", {"4"}),
        ("character-2", {"9", "8"}),
        ("character-3", {"3", "9", "8"}),
        ("prophecy-0", {"5", "9"}),
        ("square-0-4", {"6", "7", "9"}),
    ],
)
def test_numbers_are_those_of_the_components(wording: Wording, name: str, numbers: set[str]) -> None:
    village = player(flowers=3, artefacts=1, buildings={4: begun(0)})
    content = position("RECYCLE", village, player(), prophecies=(0, 5, 8)).to_dict()
    content["display"][0] = content["pile_top"][0] = 0  # so that each place has the tile whose values are changed
    text = wording.piece(name, content, OTHER)
    assert numbers <= set(re.findall(r"\d+", text)), text


@pytest.mark.parametrize("wording", WORDINGS)
def test_a_prophecy_that_demands_nothing_is_told(wording: Wording) -> None:
    anyone = changed(("{ buildings = 6, points = 2 }", "{ points = 2 }"))
    content = position("RECYCLE", player(), player(), prophecies=(0, 5, 8), components=anyone).to_dict()
    none = "aucune condition" if wording is FRENCH else "no condition"
    told = wording.piece("prophecy-0", content, anyone)
    assert told.count(none) == 3, told  # the condition, and what each of two players has of it


# What the texts say is what the rules do.

WINDOWS = ("CHOOSE_DIE", "AWAKEN", "RECYCLE", "BEFORE_PROPHECY", "END_TURN")


def test_calls_and_purchases_are_possible_where_the_texts_say_so() -> None:
    calls = purchases = 0
    for told in told_games():
        content, components = told.before, told.components
        seat = content["seat"]
        if content["decision"] in WINDOWS:
            for space in range(3):
                possible = facts.call(content, seat, space, components).possible
                assert possible == (f"call {space}" in told.legal)
                calls += possible
        if content["decision"] == "RECYCLE":
            started = {int(action.split()[1]) for action in told.legal if action.startswith("start ")}
            owner = content["players"][seat]
            for offer in range(7):
                tile = facts.offered_tile(content, seat, offer)
                if tile != NONE:
                    free = not facts.obstacles(owner, facts.price(owner, tile, offer, components))
                    assert free == (offer in started)
                    purchases += free
                    assert ("can pay it" in ENGLISH.piece(all_offers(seat)[offer], content, components)) == free
    assert min(calls, purchases) > 50


def all_offers(seat: int) -> list[str]:
    return [*(f"offer-{offer}" for offer in range(6)), f"reserved-{seat}"]


def test_prophecies_are_taken_where_their_conditions_are_told_to_be_met() -> None:
    for told in told_games():
        seat = told.before["seat"]
        if told.before["decision"] == "BEFORE_PROPHECY" and told.action == "pass":
            owner = told.before["players"][seat]
            met = {
                one["id"]
                for one in told.before["prophecies"]
                if one["owner"] == NONE
                and all(part.has >= part.needs for part in facts.progress(owner, one["id"], told.components))
            }
            found = changes.events(told.before, told.after, told.components, told.action)
            assert {event.numbers[0] for event in found if event.kind == "prophecy"} == met


@pytest.mark.parametrize(
    ("prophecy", "squares", "has"),
    [
        (0, {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 6: 6}, [("buildings", 6, 6)]),
        (6, {2: 0, 5: 1, 8: 2}, [("line", 3, 3)]),
        (6, {3: 0, 4: 1, 8: 2}, [("line", 2, 3)]),
        (7, {2: 0, 5: 1, 8: 39}, [("levels", 2, 3)]),
        (8, {0: 0, 2: 1, 4: 3, 6: 2}, [("corners", 3, 4)]),
        (4, {}, [("flowers", 5, 7), ("artefacts", 1, 1)]),
    ],
)
def test_progress_towards_prophecies(prophecy: int, squares: dict[int, int], has: list[Any]) -> None:
    village = player(
        flowers=5, artefacts=1, buildings={7: begun(30), **{at: built(tile) for at, tile in squares.items()}}
    )
    assert facts.progress(position("RECYCLE", village).to_dict()["players"][0], prophecy, SHIPPED) == has


@pytest.mark.compiled
def test_waking_does_what_the_texts_say() -> None:
    checked = set()
    for told in told_games():
        if not told.action.startswith("awaken"):
            continue
        content, seat, dunaia = told.before, told.before["seat"], told.before["die"]
        square = int(told.action.split()[1])
        owner, after = content["players"][seat], told.after["players"][seat]
        found = facts.waking(owner, square, dunaia, told.components)
        checked.add(found.kind)
        if found.kind == "flower":
            assert after["flowers"] > owner["flowers"]
        elif found.kind in ("chip", "plugged"):
            assert dunaia in after["chips"]
            assert (dunaia in owner["chips"]) == (found.kind == "plugged")
        elif found.kind in ("advance", "complete"):
            assert after["squares"][square]["steps"] == found.steps
            assert after["squares"][square]["built"] == (found.kind == "complete")
        elif found.kind == "gains":
            assert after["flowers"] >= owner["flowers"] + found.gains.get(0, 0)
    assert checked == {"flower", "chip", "plugged", "advance", "complete", "gains", "nothing"}


@pytest.mark.compiled
def test_gains_are_those_of_the_engine() -> None:
    completed = 0
    for told in told_games()[::3]:
        content, seat = told.before, told.before["seat"]
        squares = content["players"][seat]["squares"]
        found = [at for at, one in enumerate(squares) if one and one["built"] and facts.level_of(one["tile"]) > 0]
        if found:
            state = GameState.from_dict(content, components=told.components)
            expected = pieces_of(state.observation())
            for at in found:
                gains = facts.gains_now(content["players"][seat], at, told.components)
                kinds = (GAIN_FLOWERS, GAIN_CHIPS, GAIN_MOVES, GAIN_POINTS)
                assert [gains.get(kind, 0) for kind in kinds] == expected[f"own.square_{at}.gains_now"].tolist()
                completed += 1
    assert completed > 20


def test_the_second_effect_that_a_move_would_lose_is_named() -> None:
    # 24: level 2 green, moves; Dunaia 1 stands between the squares 0 and 1.
    state = play(position("AWAKEN", player(buildings={0: built(24)}), player(), die=1), "awaken 0")
    assert ENGLISH.rules(state.to_dict(), SHIPPED).endswith("If Dunaia 1 moves, the effect of square 1 is lost.")
    assert "si le dunaïa 1 se déplace" in FRENCH.rules(state.to_dict(), SHIPPED).lower()
    moved = state.to_dict()
    moved["pending"]["woken_moved"] = True
    assert ENGLISH.rules(moved, SHIPPED).endswith("Dunaia 1 has moved, so the effect of square 1 is lost.")
    recycling = play(position("RECYCLE", player(buildings={0: built(4)}), player()), "use 0 0")
    assert "effect of square" not in ENGLISH.rules(recycling.to_dict(), SHIPPED)


# What happened.


def told_in_english(state: Any, *actions: str, draws: Any = ()) -> list[tuple[int | None, str]]:
    before, after = state.to_dict(), play(state, *actions, draws=draws).to_dict()
    return [(one.seat, one.text) for one in ENGLISH.changes(actions[0], before, after, SHIPPED)]


def test_a_sentence_is_not_repeated_by_the_changes() -> None:
    state = position("RECYCLE", player(flowers=5, chips=[1], buildings={0: begun(0), 1: built(4)}), player())
    assert told_in_english(state, "plug 6") == []
    assert told_in_english(state, "move 1 11") == []
    assert told_in_english(state, "use 0 1") == []
    assert told_in_english(state, "flower") == [(0, "gains 1 flower (now 6)")]
    # The own die of the next player is forced; the first of these two discards was said, the other was not.
    state = position("RECYCLE", player(chips=[1, 2, 3, 4]), player())
    assert told_in_english(state, "call 0") == [(0, "pays with chips 1 and 2")]
    assert told_in_english(play(state, "call 0"), "discard 4")[0] == (0, "gains 2 flowers (now 2)")


def test_what_waking_does_is_told() -> None:
    state = position("AWAKEN", player(flowers=2, buildings={0: nearly(0), 1: begun(16)}), die=1)
    assert told_in_english(state, "awaken 0") == [
        (0, "completes the building on square 0"),
        (0, "advances the building on square 1 to 1 of 3"),
    ]


@pytest.mark.parametrize(
    ("first", "told"),
    [
        (1, [(0, "plugs chip 1"), (0, "gains 1 flower (now 1)")]),
        (0, [(0, "gains 1 flower (now 1)"), (0, "plugs chip 1")]),
    ],
)
def test_effects_are_told_in_the_order_chosen(first: int, told: list[tuple[int, str]]) -> None:
    # Dunaia 1 stands between square 0, which shows a flower, and square 1, which shows a chip.
    assert told_in_english(position("AWAKEN", die=1), f"awaken {first}") == told


def test_the_square_chosen_first_is_told_first() -> None:
    state = position("AWAKEN", player(buildings={0: begun(0), 1: begun(16)}), die=1)
    assert told_in_english(state, "awaken 1") == [
        (0, "advances the building on square 1 to 1 of 3"),
        (0, "advances the building on square 0 to 1 of 2"),
    ]


def test_the_own_die_in_hand_is_told_apart() -> None:
    # The sixth turn after a roll of seven dice is seat 1's.
    content = position("RECYCLE", neutral=(), round_number=3, seat=1, own=(4, 4), die=4).to_dict()
    assert ENGLISH.piece("hand-die", content, SHIPPED).startswith(
        "Player 1's own die, showing 4: no neutral die was left."
    )
    assert "à la couleur de Joueur 1, de valeur 4" in FRENCH.piece("hand-die", content, SHIPPED)
    assert "own" not in ENGLISH.piece("hand-die", position("RECYCLE", die=4).to_dict(), SHIPPED)
    forced = changes.Event(1, "die", (4, 1, 1))
    assert "no neutral die is left" in sentences.told(english.WORDS, forced, SHIPPED).text
    assert "plus de dé noir" in sentences.told(french.WORDS, forced, SHIPPED).text


def test_a_die_that_nobody_was_asked_about_is_told_with_its_reason() -> None:
    before, after = position("END_TURN").to_dict(), position("AWAKEN", seat=1, die=3).to_dict()

    def die(action: str) -> list[str]:
        found = [event for event in changes.events(before, after, SHIPPED, action) if event.kind == "die"]
        return [sentences.told(english.WORDS, event, SHIPPED).text for event in found]

    assert die("pass") == ["takes a die showing 3, because no other number is left"]
    assert die("") == ["takes a die showing 3"]  # any number of decisions lies between
    assert "aucune autre valeur" in sentences.told(french.WORDS, changes.Event(1, "die", (3, 0, 1)), SHIPPED).text


def test_what_is_easily_overlooked_stands_apart_and_speaks_to_its_seat() -> None:
    def told(*event: Any) -> tuple[list[str], bool]:
        both = [sentences.told(words, changes.Event(*event), SHIPPED) for words in (english.WORDS, french.WORDS)]
        assert both[0].is_apart == both[1].is_apart
        return [one.to_seat.replace("\u00a0", " ") for one in both], both[0].is_apart

    assert told(1, "die", (5, 0, 1)) == (
        [
            "you had to take the 5: no other number was left",
            "vous avez dû prendre le 5 : il ne restait aucune autre valeur",
        ],
        True,
    )
    own, is_apart = told(1, "die", (4, 1, 1))
    assert is_apart
    assert "your own die, the 4" in own[0]
    assert "à votre couleur, le 4" in own[1]
    assert told(1, "die", (5, 0, 0)) == (["", ""], False)
    assert told(None, "end", (8,)) == told(None, "round", (8, 1)) == (["", ""], True)
    assert told(None, "round", (7, 0)) == (["", ""], False)
    last = [
        sentences.told(words, changes.Event(None, "round", (8, 1)), SHIPPED).text
        for words in (english.WORDS, french.WORDS)
    ]
    assert [text.split(":")[0].strip() for text in last] == ["last round", "dernier tour"]


@pytest.mark.parametrize("wording", [ENGLISH, FRENCH])
def test_the_result_says_where_the_points_come_from(wording: Wording) -> None:
    village = player(flowers=7, artefacts=1, buildings={4: built(28), 1: built(3)})
    content = position("RECYCLE", village, prophecies=(2, 3, 8), owners=(NONE, 0, NONE)).to_dict()
    told = wording.outcome(content, SHIPPED)
    assert [sum(part) for part in zip(*(parts for _, parts in told.sources), strict=True)] == content["scores"]
    assert len({title for title, _ in told.sources}) == 5
    assert (told.reason, told.winners) == ("", None)
    assert wording.outcome(position("RECYCLE").to_dict(), SHIPPED).reason


def test_the_score_tells_its_parts() -> None:
    # 28: level 3, with red arrows up and to the left; 3: red.
    village = player(flowers=7, artefacts=1, buildings={4: built(28), 1: built(3)})
    content = position("RECYCLE", village, prophecies=(2, 3, 8), owners=(NONE, 0, NONE)).to_dict()
    assert ENGLISH.piece("score-0", content, SHIPPED).startswith(
        "Player 0 has 11 points: 4 for completed buildings, 2 for their arrows, 2 for prophecies, 1 for artefacts and 2"
        " for flowers."
    )
    assert "4 pour les bâtiments construits, 2 pour leurs chevrons" in FRENCH.piece("score-0", content, SHIPPED)


def test_a_call_for_the_fragment_only_says_so() -> None:
    elders = (SEARCH_ELDER, COLOUR_ELDER, 0)
    poor = position("RECYCLE", player(chips=[1, 2, 3]), elders=elders).to_dict()  # without flowers no tile can be paid
    assert "only for the fragment" in ENGLISH.sentence("call 0", poor, SHIPPED)
    assert "pour le fragment seulement" in FRENCH.sentence("call 0", poor, SHIPPED)
    rich = position("RECYCLE", player(chips=[1, 2, 3], flowers=9), elders=elders).to_dict()
    assert "any tile of a pile" in ENGLISH.sentence("call 0", rich, SHIPPED)


@pytest.mark.parametrize(("amount", "english_text"), [(1, "1 move of a Dunaia"), (2, "up to 2 moves of Dunaias")])
def test_one_move_is_not_up_to_one(amount: int, english_text: str) -> None:
    assert english.WORDS.moves(amount) == english_text
    assert ("jusqu" in french.WORDS.moves(amount)) == (amount > 1)


def test_the_use_of_another_players_building_is_told_to_both() -> None:
    state = position("RECYCLE", player(flowers=1), player(flowers=4, buildings={3: built(0)}))
    assert ENGLISH.sentence("use 1 3", state.to_dict(), SHIPPED) == (
        "recycles the die on player 1's building on square 3 (level 1 green, 3 flowers), for a flower to player 1"
    )
    assert told_in_english(state, "use 1 3") == [(0, "gains 2 flowers (now 3)"), (1, "gains 1 flower (now 5)")]
    assert [
        one.text for one in FRENCH.changes("use 1 3", state.to_dict(), play(state, "use 1 3").to_dict(), SHIPPED)
    ] == [
        "gagne 2 fleurs (en a maintenant 3)",
        "gagne 1 fleur (en a maintenant 5)",
    ]


def test_prophecies_the_end_rounds_and_rolls_are_told() -> None:
    dice = {"neutral": (), "own": (6, 6)}
    state = position(
        "RECYCLE",
        player(),
        player(flowers=11),
        seat=1,
        round_number=7,
        prophecies=(2, 3, 8),
        owners=(0, NONE, 1),
        **dice,
    )
    found = told_in_english(state, "flower", draws=roll(1, 2, 3, 4, 5, 6, 6))
    assert (1, "takes the prophecy of 12 flowers (2 points)") in found
    assert found[-3:] == [
        (None, "the end is triggered: round 8 is the last"),
        (None, "last round: round 8 begins, and the game ends with it"),
        (None, "the dice are rolled: neutral dice 1 2 3 4 5; own dice 6 (player 0), 6 (player 1)"),
    ]


def test_searches_and_markers_are_told() -> None:
    searching = position("RECYCLE", player(flowers=9, chips=[1, 2, 3]), elders=(SEARCH_ELDER, COLOUR_ELDER, 0))
    found = play(searching, "call 0")
    assert ENGLISH.sentence("search 20", found.to_dict(), SHIPPED).startswith(
        "takes from its pile, for 3 flowers: level 2 green, 1 chip, green"
    )
    placing = play(found, "search 20")
    assert ENGLISH.piece("found", placing.to_dict(), SHIPPED).startswith("Level 2 building, green: the tile found")
    assert ENGLISH.sentence("pass", found.to_dict(), SHIPPED) == "takes no tile"


# The words of a language.


def test_english_words() -> None:
    assert count(1, "flower") == "1 flower"
    assert count(0, "flower") == "0 flowers"
    assert listed([1]) == "1"
    assert listed([1, 2, 3]) == "1, 2 and 3"
    assert listed(["a", "b"], "or") == "a or b"
    assert english.WORDS.chips([4]) == "chip 4"
    assert english.WORDS.chips([4, 6]) == "chips 4 and 6"
    assert english.WORDS.tile(36, SHIPPED) == "level 3 multicoloured"
    assert english.WORDS.tile(28, SHIPPED) == "level 3 green, red north and west +2 points"


def test_french_words() -> None:
    assert [french.count(amount, "puce enfichée") for amount in (0, 1, 2)] == [
        "0 puce enfichée",
        "1 puce enfichée",
        "2 puces enfichées",
    ]
    assert [french.of(name) for name in french.CHARACTER_NAMES[-2:]] == ["du berger", "de l'architecte"]
    assert french.typeset("l'heure : « oui ; non » !") == "l’heure\u00a0: «\u00a0oui\u00a0; non\u00a0»\u00a0!"
    assert french.WORDS.tile(28, SHIPPED) == "niveau 3 vert, chevrons rouges en haut et à gauche +2 points"
    assert french.WORDS.chips([4, 6]) == "les puces 4 et 6"


def test_what_to_point_at_next_is_named() -> None:
    """In every position, for the pieces after the first ones."""
    kinds = set()
    for told in told_games():
        for action in told.legal:
            kinds |= {re.sub(r"(-\d+)+$", "", piece) for piece in PRESENTATION.pieces(action, told.before)[1:]}
    assert kinds == set(ENGLISH.prompts) == set(FRENCH.prompts)
    assert not set(ENGLISH.prompts.values()) & set(FRENCH.prompts.values())

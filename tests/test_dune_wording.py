"""Dune in words: complete in both languages, well written in French, and safe with any components."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib import resources
from itertools import product
from string import Formatter
from types import SimpleNamespace
from typing import Any

import pytest

from dunaia_env.dune import GAME
from dunaia_env.dune.actions import ACTION_TEXTS
from dunaia_env.dune.components import Components, parse, values
from dunaia_env.dune.decisions import DECISIONS
from dunaia_env.dune.hidden.views import view_to_dict
from dunaia_env.dune.presentation import ENGLISH, FRENCH, PRESENTATION
from dunaia_env.dune.presentation.labels import LABELS
from dunaia_env.dune.presentation.pieces import CONTROLS, KINDS
from dunaia_env.dune.presentation.planet import load_planet
from dunaia_env.dune.presentation.wording import (
    english,
    english_introduction,
    english_pieces,
    english_rules,
    facts,
    french,
    french_introduction,
    french_pieces,
    french_rules,
)
from dunaia_env.dune.presentation.wording.facts import Facts
from dunaia_env.dune.presentation.wording.french_names import LEADERS, TERRITORIES, bare
from dunaia_env.dune.presentation.wording.happenings import EVENTS, told
from dunaia_env.dune.presentation.wording.news import KINDS as EVENT_KINDS
from dunaia_env.dune.presentation.wording.tellers import Teller
from dunaia_env.dune.presentation.wording.words import Words
from dunaia_env.dune.state import CARD_NAMES, FACTION_NAMES, HOW_NAMES, MAX_PLAYERS, PHASE_NAMES, POWER_NAMES
from dunaia_env.harness.presentation import Event, Wording
from tests.drawn import read
from tests.dune_positions import POSITIONS, position, state_of
from tests.dune_told_games import COMPONENTS, told_games
from tests.sampling import sampled

pytestmark = pytest.mark.once

Content = Mapping[str, Any]
NAMES = tuple(POSITIONS)
WORDINGS = [pytest.param(wording, id=wording.language) for wording in (ENGLISH, FRENCH)]
LANGUAGES = [pytest.param(words, id=name) for name, words in (("English", english.WORDS), ("français", french.WORDS))]
PIECES = tuple(
    "-".join([kind, *map(str, numbers)])
    for kind, ways in {**KINDS, **CONTROLS}.items()
    for ranges in ways
    for numbers in product(*ranges)
)
PLACEHOLDER = re.compile(
    r"[{}<>\[\]_|]|\bNone\b|\bTrue\b|\bFalse\b(?! Wall)|  |(?<![\w(])(?<!changed by )(?<!changée de )-1\b|object at"
)
# No French word is spelled so. Proper names of the game are taken out before.
ENGLISH_WORDS = re.compile(
    r"\b(the|of|and|is|are|to|with|its|it|takes?|gives?|you|your|do|does|how|many|which|what|who|whom|cards?|tokens?"
    r"|spice|worms?|storms?|sectors?|shields?|leaders?|strength|strongholds?|players?|turns?|allies|ally|pays?|asks?"
    r"|bids?|ships?|lands?|moves?|plays?|nothing|nobody|somebody|from|back|weapon|defence|number|traitors?|tanks?"
    r"|reserve's|lady|captain|beast|mother|princess|master|guild|dancer|emperor|spacing|wall|basin|ridge|flat"
    r"|east|west|north|south|pass|sink|plain|gap|rock|hole|cliff|chasm|greater|minor|broken|funeral|shipment|battle"
    r"|revival|bidding|movement|harvester|thumper|cone|silence of|truthtrance|weather|atomics|lasgun|snooper|cheap"
    r"|hero|worthless|poison weapon|projectile weapon|no|any|has|have|had|was|were|will|would|can|cannot|may|must|not"
    r"|decides|yes|none)\b",
    re.IGNORECASE,
)
FRENCH_NOUNS = "jeton|carte|épice|secteur|territoire|forteresse|ver"


def fault(kind: str, text: str, wording: Wording = FRENCH) -> str:
    """What is wrong with a text, empty for nothing."""
    if not text.strip() or text != text.strip():
        return "empty or with spaces around"
    if match := PLACEHOLDER.search(text):
        return f"a placeholder: {match[0]!r}"
    if kind == "clause" and text[-1] in ".;:,":
        return "a clause ends without a period"
    if kind in ("rules", "piece") and text[-1] != ".":
        return "a sentence ends with a period"
    if kind == "question" and text[-1] != "?":
        return "a question ends with a question mark"
    if kind != "clause" and not (text[0].isupper() or text[0].isdigit()):
        return "a sentence begins with a capital"
    if match := re.search(r"\(\)|\( | \)|,,|\.\.| [,.]|: \.", text):
        return f"strange punctuation: {match[0]!r}"
    return french_fault(text) if wording is FRENCH else ""


def french_fault(text: str) -> str:
    """What is wrong with a French text, empty for nothing."""
    if match := ENGLISH_WORDS.search(text):
        return f"an English word: {match[0]!r}"
    if match := re.search(rf"(?<![\d/])\b[01] (?:{FRENCH_NOUNS})s\b", text):
        return f"a plural after 0 or 1: {match[0]!r}"
    if match := re.search(rf"(?<!secteur )(?<!Tour )\b(?:[2-9]|\d\d+) (?:{FRENCH_NOUNS})\b", text):
        return f"a singular: {match[0]!r}"
    if "'" in text or re.search(r"[^\u00a0][:;?!»]|«[^\u00a0]", text):
        return "typography: a straight apostrophe, or no unbreakable space before a double sign"
    if match := re.search(r"\b(?:de|le|la|que|ne|se|si il|je|jusque) [aeiouéèêàAEIOUÉ]", text):
        return f"no elision: {match[0]!r}"
    if match := re.search(r"\b(?:de les?|à les?|le la|un une|[Ll]es les|sur dans|dans sur|à dans) ", text):
        return f"no contraction: {match[0]!r}"
    if match := re.search(r"\b(?:[Ll]es \w+|ils) (?:peut|voit|gagne|propose|reçoit|commence|débarque|a)\b", text):
        return f"a singular verb: {match[0]!r}"
    return ""


def texts_of(wording: Wording, content: Content, legal: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """What a page says of a decision besides its pieces: kind and text."""
    asks = "rules" if content["over"] or content["decision"] is None else "question"
    yield asks, wording.question(content, COMPONENTS)
    if briefing := wording.briefing(content, COMPONENTS):
        yield "rules", briefing
    yield "rules", wording.rules(content, COMPONENTS)
    for say in (wording.sentence, wording.imperative):
        yield from (("clause", say(action, content, COMPONENTS)) for action in legal)


def of_position(name: str) -> Iterator[tuple[Content, tuple[str, ...]]]:
    """A position as the deciding seat and as all others know it, with the legal actions where they are known."""
    content = position(name)
    state = state_of(content)
    legal = tuple(ACTION_TEXTS[action] for action in GAME.entry_points.legal_actions(state, COMPONENTS.buffer))
    yield content, legal
    if not content["over"]:
        for seat in range(len(content["players"])):
            yield view_to_dict(state, COMPONENTS, seat), legal if seat == content["seat"] else ("pass",)


def faults(wording: Wording, found: Iterator[tuple[str, str]]) -> list[str]:
    """The faults of texts, each with its text."""
    return [f"{wrong} | {kind}: {text}" for kind, text in {*found} if (wrong := fault(kind, text, wording))]


# The tables of both languages


def fields(template: str) -> set[str]:
    """The names in a template, also those within the forms of other names; a capital only begins a sentence."""
    found = set()
    for _, name, form, _ in Formatter().parse(template):
        if name is not None:
            found |= {name.lower(), *fields(form or "")}
    return found


def test_both_languages_have_words_for_the_same() -> None:
    tables = ((english, french), (english_rules, french_rules), (english_pieces, french_pieces))
    for one, other in tables:
        assert one.TEXTS.keys() == other.TEXTS.keys()
    assert len(english.WORDS.texts) == sum(len(one.TEXTS) for one, _ in tables)
    assert list(ENGLISH.options) == list(FRENCH.options) == [option.name for option in GAME.options]
    assert list(ENGLISH.presets) == list(FRENCH.presets) == list(GAME.presets)
    for key, template in english.WORDS.texts.items():
        assert fields(template) == fields(french.WORDS.texts[key]), key


@pytest.mark.parametrize("words", LANGUAGES)
def test_every_action_is_told_in_one_form_and_chosen_in_another(words: Words) -> None:
    for key, template in words.texts.items():
        if key.startswith("do.") and key != "do.hidden":
            told, chosen = (re.sub(r"\{do:([^|}]*)\|([^|}]*)\}", form, template) for form in (r"\1", r"\2"))
            assert told != chosen, key
            assert "{do" not in told, key


@pytest.mark.parametrize("wording", WORDINGS)
def test_actions_are_chosen_with_the_verb_of_their_sentence(wording: Wording) -> None:
    """``bids 7 spice`` is told, ``bid 7 spice`` is chosen; in French the verb ends as an infinitive does."""
    for name in NAMES:
        content, legal = next(of_position(name))
        chosen = [wording.imperative(action, content, COMPONENTS) for action in legal]
        assert len({*chosen}) == len(chosen), chosen
        for action, choice in zip(legal, chosen, strict=True):
            told, verb = wording.sentence(action, content, COMPONENTS).split()[0], choice.split()[0]
            if wording is ENGLISH:
                assert told in (f"{verb}s", f"{verb}es"), choice
            else:
                assert re.match(r"(?:n[e’] ?)?(?:pas |plus |rien |se )?\w+(?:er|ir|re)\b", choice), choice


def test_tips_lead_through_a_game() -> None:
    """Both languages have a tip for the same decisions: at least one in each part of a turn."""
    found = english_introduction.TIPS
    assert found.keys() == french_introduction.TIPS.keys()
    for key, template in found.items():
        assert fields(template) == fields(french_introduction.TIPS[key]), key
        assert key in DECISIONS or key in ("DIAL.later", "CARDS", "GOAL", "GOAL.decided"), key
    parts = {"DIAL": "Storm.", "BID": "Spice blow and bidding.", "REVIVE": "Revival.", "SHIP": "Movement, first step:"}
    for key, beginning in {**parts, "MOVE_FROM": "Movement, second step:", "LEADER": "Battle."}.items():
        assert found[key].startswith(beginning)
    assert "harvest" in found["DIAL.later"]
    for wording in (ENGLISH, FRENCH):
        introduction = wording.introduction
        assert introduction is not None
        assert introduction.tip is not None
        assert introduction.preset in GAME.presets
        told = {name: introduction.tip(position(name), COMPONENTS) for name in NAMES}
        # The positions have all decisions; secrets of other seats have no tip.
        assert {name for name, text in told.items() if text} >= {key for key in found if key in NAMES}
        assert faults(wording, (("rules", text) for text in told.values() if text)) == []
        hidden = view_to_dict(state_of(position("BID")), COMPONENTS, (position("BID")["seat"] + 1) % 2)
        assert introduction.tip({**hidden, "decision": None, "seat": None}, COMPONENTS) == ""


@pytest.mark.parametrize("wording", WORDINGS)
def test_the_first_tip_tells_the_goal(wording: Wording) -> None:
    introduction = wording.introduction
    assert introduction is not None
    assert introduction.tip is not None
    goal, goals = {"English": "The goal", "français": "Le but"}[wording.language], set()
    for name in NAMES:
        content = position(name)
        if not content["over"] and goal in introduction.tip(content, COMPONENTS):
            goals.add(name)
    assert goals == {"TRAITOR"}
    # Who has no choice of a traitor is first asked for the storm.
    content = position("DIAL") | {"turn": 1}
    own, *others = (player["faction"] for player in content["players"][content["seat"] :] + content["players"])
    player = content["players"][content["seat"]]
    theirs, absent = 5 * next(one for one in others if one != own), 5 * own
    for discs, is_first in (
        ([theirs, theirs + 1, absent, absent + 1], False),
        ([theirs, absent], True),
        ([absent], True),
    ):
        player["discs"] = discs
        told = introduction.tip(content, COMPONENTS)
        assert told.startswith(goal) == is_first
        assert re.search("Storm|Tempête", told)
    content["options"]["undecided"] = "strongholds"
    told = introduction.tip(content, COMPONENTS)
    assert str(content["options"]["max_turns"]) in told
    assert re.search("spice|épice", told), "what decides between equals"


def test_every_word_of_the_rules_has_its_templates() -> None:
    texts = english.WORDS.texts
    assert {key.split(".")[1] for key in texts if key.startswith("question.")} == {*DECISIONS, "hidden"}
    assert {key.split(".")[1] for key in texts if key.startswith("rules.")} == {*DECISIONS, "hidden"}
    assert {f"phase.{name}" for name in PHASE_NAMES} == {key for key in texts if key.startswith("phase.")}
    assert {f"if_stopped.{name}" for name in POWER_NAMES} == {key for key in texts if key.startswith("if_stopped.")}
    assert {f"power.{name}" for name in POWER_NAMES} <= texts.keys()
    assert {f"use_of.{name}" for name in CARD_NAMES} <= texts.keys()
    assert {f"power_of.{name}" for name in FACTION_NAMES} <= texts.keys()
    assert {f"event.over.{name}" for name in HOW_NAMES if name not in ("", "nobody")} <= texts.keys()
    for decision, declared in DECISIONS.items():
        for verb in declared.verbs:
            own = {key for key in texts if key.startswith((f"do.{decision}.{verb}", f"do.{decision}:"))}
            assert own or verb == "card" or decision == "TRUTH", (decision, verb)


@pytest.mark.parametrize(
    ("scores", "spice", "winners", "numbers"),
    [
        ([13, 1], [0, 9], [0], ["3", "1"]),
        ([11, 1], [12, 8], [0], ["12", "8", "1"]),
        ([12, 12], [6, 6], [0, 1], ["2", "6"]),
        ([11, 1], [None, 8], [0], ["1"]),
        ([11, 1], [12, None], [0], ["1"]),
    ],
)
def test_the_end_says_what_decided_between_equals(
    scores: list[int], spice: list[int | None], winners: list[int], numbers: list[str]
) -> None:
    content = position("OVER")
    content |= {"how": "most", "scores": scores, "winners": winners, "alliance": [-1, -1]}
    content["players"] = [{**player, "spice": own} for player, own in zip(content["players"][:2], spice, strict=True)]
    decided_by = "spice" if scores[0] % 10 == scores[1] % 10 else "stronghold"
    told_words = {ENGLISH.language: decided_by, FRENCH.language: {"spice": "épice"}.get(decided_by, "forteresse")}
    for wording in (ENGLISH, FRENCH):
        reason = wording.outcome(content, COMPONENTS).reason
        assert re.findall(r"\d+", reason) == numbers, reason
        assert told_words[wording.language] in reason, reason
        assert fault("rules", reason, wording) == "", reason


@pytest.mark.parametrize("wording", WORDINGS)
def test_progress_tells_what_each_side_needs_and_the_turn(wording: Wording) -> None:
    rules, games = values(COMPONENTS), [one.before for one in told_games()]
    contents = games[::40]
    allied_now = next(one for one in games if len(one["players"]) > 2 and max(one["alliance"]) >= 0)
    contents.append({**allied_now, "options": {**allied_now["options"], "alliance_strongholds": 5}})
    for content in contents:
        found, seats = wording.progress(content, COMPONENTS), range(len(content["players"]))
        alliances, options = content["alliance"], content["options"]
        alone = rules.strongholds_with_two if len(seats) == 2 else rules.strongholds_to_win
        allied = options["alliance_strongholds"]
        assert found.needed == tuple(alone if alliances[seat] == -1 else allied for seat in seats)
        for seat, title in enumerate(found.titles):
            assert re.findall(r"\d+", title) == [str(content["scores"][seat] % 10), str(found.needed[seat])]
            assert fault("rules", title, wording) == "", title
        expected = [str(content["turn"]), str(options["max_turns"])] if content["turn"] else []
        assert re.findall(r"\d+", found.time) == expected


@pytest.mark.parametrize("words", LANGUAGES)
def test_names_are_there_for_all_pieces(words: Words) -> None:
    assert len(words.factions) == len(FACTION_NAMES)
    assert len(words.cards) == len(CARD_NAMES)
    assert len({*words.factions}) == len(words.factions)
    assert len({*words.cards}) == len(words.cards)


def test_all_territories_have_a_name_of_their_own_in_french() -> None:
    names = COMPONENTS.names
    found = [bare(TERRITORIES[name]) for name in names.territories]
    assert len({*found}) == len(found)
    assert all(printed in ("", name) for printed, name in zip(names.french, found, strict=True))
    planet = load_planet()
    assert [planet.name(number, "fr") for number in range(len(found))] == found
    assert {*LEADERS} <= {*names.leaders}


def test_the_picture_has_the_words_of_the_texts() -> None:
    teller = Teller(french.WORDS, Facts(position("BID"), COMPONENTS))
    assert tuple(teller.heading(kind) for kind in range(len(CARD_NAMES))) == LABELS["fr"].cards
    short = {"Guilde Spatiale": "Guilde"}
    drawn = [short.get(name, name) for name in LABELS["fr"].factions]
    assert [bare(name) for name in french.WORDS.factions] == drawn


def test_forms_that_a_language_has_not_are_refused() -> None:
    for words, known in ((english.WORDS, "whose or bare"), (french.WORDS, "of or to or in or no or bare")):
        with pytest.raises(ValueError, match=f"form: expected {known}, got 'away'"):
            format(words.name("Stilgar"), "away")


def test_french_forms() -> None:
    words = french.WORDS
    forms = {
        "les Fremen": ("des Fremen", "aux Fremen"),
        "l'Empereur": ("de l'Empereur", "à l'Empereur"),
        "le Bene Gesserit": ("du Bene Gesserit", "au Bene Gesserit"),
        "la Guilde": ("de la Guilde", "à la Guilde"),
        "Alia": ("d'Alia", "à Alia"),
        "Hasimir Fenring": ("de Hasimir Fenring", "à Hasimir Fenring"),
    }
    for name, (of, to) in forms.items():
        assert (f"{words.name(name):of}", f"{words.name(name):to}") == (of, to)
    places = ("Arrakeen", "le Bassin Impérial", "la Grande Plaine", "le Mur du Bouclier", "l'Erg Mineur")
    assert [f"{words.name(place):in}" for place in places] == [
        "à Arrakeen",
        "dans le Bassin Impérial",
        "sur la Grande Plaine",
        "sur le Mur du Bouclier",
        "dans l'Erg Mineur",
    ]
    assert f"{words.name('une arme à projectile'):no}" == "aucune arme à projectile"
    both = words.names([words.name("les Fremen"), words.name("l'Empereur")])
    assert f"{both} {both:gagne|gagnent}, {both:of}, {both:to}" == (
        "les Fremen et l'Empereur gagnent, des Fremen et de l'Empereur, aux Fremen et à l'Empereur"
    )
    assert f"{words.names([])} {words.names([]):gagne|gagnent}" == "personne gagne"
    assert [f"{words.number(number):jeton|jetons}" for number in (0, 1, 2)] == ["jeton", "jeton", "jetons"]
    assert [f"{english.WORDS.number(number):token|tokens}" for number in (0, 1, 2)] == ["tokens", "token", "tokens"]


# Everything that is said in French


@pytest.mark.parametrize("wording", WORDINGS)
def test_options_and_presets_have_a_title_and_help(wording: Wording) -> None:
    for title, help_text in (*wording.options.values(), *wording.presets.values()):
        assert fault("rules", help_text, wording) == "", help_text
        assert title[0].isupper()
        assert wording is ENGLISH or french_fault(title) == "", title


def test_every_value_of_an_option_that_has_a_name_has_a_french_title() -> None:
    for option in GAME.options:
        named = [word for word in option.shown if not word.isdecimal()] if option.choices else []
        assert list(FRENCH.choices.get(option.name, {})) == named
        assert all(french_fault(title) == "" for title in FRENCH.choices.get(option.name, {}).values())


@pytest.mark.parametrize("name", NAMES)
def test_every_position_is_told_well_in_french(name: str) -> None:
    for content, legal in of_position(name):
        assert faults(FRENCH, texts_of(FRENCH, content, legal)) == []


@pytest.mark.parametrize("name", [*sampled(NAMES, 8), "OVER"])
def test_every_piece_is_told_well_in_french(name: str) -> None:
    for content, _ in of_position(name):
        texts = (("piece", FRENCH.piece(piece, content, COMPONENTS)) for piece in PIECES)
        assert faults(FRENCH, texts) == []


@pytest.mark.parametrize("name", NAMES)
def test_actions_of_a_position_read_differently_in_french(name: str) -> None:
    content, legal = next(of_position(name))
    sentences = [FRENCH.sentence(action, content, COMPONENTS) for action in legal]
    assert len({*sentences}) == len(sentences), sentences


def recorded(every: int) -> Iterator[tuple[str, str]]:
    """What is said in French of some decisions of played games, from states and from views."""
    for number, one in enumerate(told_games()):
        if number % every:
            continue
        yield from texts_of(FRENCH, one.before, one.legal)
        seat = number // every % len(one.before["players"])
        for before, after in ((one.before, one.after), one.views(seat)):
            known = one.heard(before)
            changes = FRENCH.changes(one.action, known, after, COMPONENTS)
            yield from (("clause", change.text) for change in changes)
            if (notice := FRENCH.notice(known, after, COMPONENTS)) is not None:
                yield from (("line", line) for line in notice.lines)
        if number % (10 * every) == 0:
            yield from (("piece", FRENCH.piece(name, one.before, COMPONENTS)) for name in pieces_for(one.before))


def pieces_for(content: Content) -> list[str]:
    """The pieces that a position can have: those of seats at the table."""
    players = len(content["players"])
    of_seats = ("seat-", "spice-", "reserve-", "hand-", "tanks-")
    missing = {f"{kind}{seat}" for kind in of_seats for seat in range(players, MAX_PLAYERS)}
    return [
        name
        for name in PIECES
        if name not in missing and not (re.fullmatch(r"card-\d+-\d+", name) and int(name.split("-")[1]) >= players)
    ]


@pytest.mark.long
@pytest.mark.parametrize("every", [11, pytest.param(1, marks=pytest.mark.slow)])
def test_recorded_games_are_told_well_in_french(every: int) -> None:
    assert faults(FRENCH, recorded(every)) == []


def test_both_languages_say_the_same_numbers() -> None:
    """A number that only one of the two texts has is a slip in one of them."""
    for name in NAMES:
        content, legal = next(of_position(name))
        for (kind, one), (_, other) in zip(
            texts_of(ENGLISH, content, legal), texts_of(FRENCH, content, legal), strict=True
        ):
            if kind == "clause":
                numbers = [sorted(set(re.findall(r"\d+", text))) for text in (one, other)]
                assert numbers[0] == numbers[1], (one, other)


NUMBERS: dict[str, tuple[tuple[int, ...], ...]] = {
    "attacks": ((1, 3),),
    "order": ((1, ACTION_TEXTS.index("must 3")), (1, ACTION_TEXTS.index("must_not 0"))),
    "element": ((0,), (4,)),
    "plan": ((3, 0, 3, 4), (31, -1, 6, 0), (-1, 2, -1, 1)),
    "treason": ((0,),),
    "won": ((1, 3, 12, 8), (1, 3, 8, 8), (1, 3, -1, -1)),
    "dialled": ((0,), (3,)),
    "truth": ((1, ACTION_TEXTS.index("leader 7"), 1), (2, ACTION_TEXTS.index("number 9"), 0)),
    "bid": ((7,),),
    "discs": ((0, 6, 20),),
    "traitors": ((6,),),
    "foresees": ((3,), (15,)),
    "loses": ((0, 1), (25, 4)),
    "moves": ((1, 0, 22), (3, 37, 16)),
    "lifts": ((22, 2),),
    "lands": ((35, 1),),
    "revives": ((1,), (3,)),
    "killed": ((9,),),
    "back": ((24,),),
    "owns": ((30,),),
    "changed": ((4, -1), (7, 1)),
    "spice": ((3, 4), (9, 2)),
    "left": ((2,),),
    "alms": ((0, 2),),
    "harvests": ((22, 6, -1), (22, 6, 9)),
    "buys": ((-1,), (3,)),
    "gets": ((-1, -1), (-1,), (2, 2, 16)),
    "gives": ((1,), (2,)),
    "lays": ((1,),),
    "unlays": ((1,),),
    "pledges": ((1,), (5,)),
    "debt": ((2, 0), (2, 1), (2, 6)),
    "storm": ((3, 9), (3, 3)),
    "blow": ((3, 1), (7, 0)),
    "worm": ((1,), (2,)),
    "more": ((5, 8),),
    "less": ((22, 1),),
    "discarded": ((0, 0, 7),),
    "removed": ((11,),),
    "sale": ((-1,), (12,)),
    "alliance": ((0, 3), (1, 2, 5)),
    "drawn": ((0, 1, 3, 0), (0, 1, 3, 1)),
    "phase": tuple((phase,) for phase in range(len(PHASE_NAMES))),
    "turn": ((4,),),
    "over": ((6,), (1, 0), (1, 1, 3), (2, 5), (3, 3), (4, 4), (5, 2)),
}


@pytest.mark.parametrize("wording", WORDINGS)
def test_every_kind_of_event_is_told(wording: Wording) -> None:
    words = {ENGLISH.language: english.WORDS, FRENCH.language: french.WORDS}[wording.language]
    teller = Teller(words, Facts(position("BID"), COMPONENTS))
    assert EVENTS.keys() == EVENT_KINDS.keys()
    for kind in EVENTS:
        texts = [words.typeset(told(Event(0, kind, numbers), teller)) for numbers in NUMBERS.get(kind, ((),))]
        assert [fault("clause", text, wording) for text in texts] == [""] * len(texts), texts
        assert len({*texts}) == len(texts)


def test_what_french_texts_say() -> None:
    content = position("BID")

    def said(name: str) -> str:
        return FRENCH.piece(name, content, COMPONENTS).replace("\u00a0", " ")

    assert said("cell-79").startswith("Sietch de Tuek : forteresse. La Guilde a ici 5 jetons.")
    assert said("leader-15") == "Stilgar, force 7. Un chef des Fremen."
    assert said("number-4") == "4 : Proposer 7 épices."
    assert said("pass") == "Ne pas enchérir."
    assert said("spice-0").startswith("Épices des Atréides : ")
    assert FRENCH.sentence("must_not 1", position("VOICE"), COMPONENTS) == (
        "ordonne aux Fremen de ne jouer aucune arme empoisonnée"
    )
    assert FRENCH.question(position("BATTLE_CARDS"), COMPONENTS).startswith("Jouez-vous quelque chose avant le combat")


def test_nothing_english_stands_in_a_french_picture() -> None:
    for name in ("BID", "BATTLE_CARDS", "OVER"):
        content = position(name)
        drawn = read(PRESENTATION.picture(content, COMPONENTS, language="fr"))
        for words in (*(text.content for text in drawn.texts), *(piece.label for piece in drawn.pieces)):
            assert not ENGLISH_WORDS.search(words), words


# Components of any kind


@lru_cache(maxsize=1)
def shipped() -> str:
    return resources.files("dunaia_env.dune").joinpath("components.toml").read_text(encoding="utf-8")


def named(text: str) -> Components:
    """The components with every territory and leader called by a text, and no French name of the rulebook."""
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    content = re.sub(r' french = "[^"]*",', "", shipped())
    content = re.sub(
        r'(?m)^(  \{ id = \d+, name = )"[^"]*"(?=, (?:type|strength))', lambda found: f'{found[1]}"{quoted}"', content
    )
    return parse(content, "named.toml")


@pytest.mark.parametrize(
    "text", ["{", "}{0}", "{number}", "%s", "les ", "l'", "", " ", "a|b", "'s", "É" * 300, "\u2028"]
)
@pytest.mark.parametrize("wording", WORDINGS)
def test_names_in_components_may_be_anything(wording: Wording, text: str) -> None:
    try:
        components = named(text)
    except ValueError:
        pytest.skip("components have no such names")
    assert components.names.leaders[0] == components.names.territories[0] == text
    for name in NAMES[::10]:
        content = position(name)
        wording.rules(content, components)
        wording.question(content, components)
        for action in ACTION_TEXTS:
            if action.split()[0] in DECISIONS[content["decision"]].verbs:
                wording.sentence(action, content, components)
        for piece in PIECES:
            wording.piece(piece, content, components)
    told_as = wording.piece("leader-3", position("BID"), components).replace("’", "'").casefold()
    assert told_as.startswith(text.casefold())


@pytest.mark.parametrize("number", [0, 1, 10_000])
@pytest.mark.parametrize("wording", WORDINGS)
def test_printed_values_may_be_extreme(wording: Wording, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever number a file prints, the texts tell it."""
    printed = vars(values(COMPONENTS))
    places = ("shield_wall", "polar_sink", "landing_from", "sietch_tabr", "habbanya_sietch", "tueks_sietch")
    changed: dict[str, Any] = {
        name: number for name, value in printed.items() if isinstance(value, int) and name not in places
    }
    changed |= {name: [number] * len(printed[name]) for name in ("strength", "spice_amount", "weather_dial")}
    monkeypatch.setattr(facts, "values", lambda components: SimpleNamespace(**{**printed, **changed}))
    for name in NAMES[::3]:
        for content, legal in of_position(name):
            assert faults(wording, texts_of(wording, content, legal)) == []


# What a decision needs to know


IN_BATTLE = ("BATTLE_CARDS", "VOICE", "PRESCIENCE", "LEADER", "WEAPON", "DEFENCE", "NUMBER", "TREASON")


def test_a_battle_is_asked_about_with_what_everybody_knows_of_it() -> None:
    for name in IN_BATTLE:
        content = position(name)
        seen = view_to_dict(state_of(content), COMPONENTS, content["seat"])
        facts_of = Facts(seen, COMPONENTS)
        field, enemy = seen["pending"]["field"], facts_of.enemy
        own, other = (facts_of.tokens_in_field(seat, field) for seat in (facts_of.own_battler, enemy))
        for wording in (ENGLISH, FRENCH):
            sides = wording.briefing(seen, COMPONENTS).split(". ")[0].replace("\u00a0", " ")
            assert re.findall(r"\d+", re.sub(r"\(sect[eo]u?r \d+\)", "", sides)) == [str(own), str(other)], sides
        if name in ("LEADER", "NUMBER"):
            owners, alive = (seen["leaders"][key] for key in ("owner", "alive"))
            strengths = [facts_of.strength(one) for one in range(31) if owners[one] == enemy and alive[one]]
            free = [one for one in seen["leaders"]["used"] if one not in (-1, facts_of.territory(field))]
            if not free:
                shown = ", ".join(map(str, sorted(strengths, reverse=True)))
                assert f"Strengths of the enemy's leaders: {shown}." in ENGLISH.briefing(seen, COMPONENTS)
        if name == "NUMBER":
            assert "Your plan so far: " in ENGLISH.briefing(seen, COMPONENTS)
        if name == "TREASON":
            assert " staked." in ENGLISH.briefing(seen, COMPONENTS)
        if name in ("LEADER", "WEAPON", "DEFENCE", "NUMBER"):
            known = {**seen, "players": [dict(player) for player in seen["players"]]}
            known["players"][enemy] |= {"shown": [3], "foreseen": [3, 4], "hand": None}
            assert " you know: shield, snooper." in ENGLISH.briefing(known, COMPONENTS)
            known["players"][enemy] |= {"shown": [], "foreseen": []}
            assert "You know none of the enemy's cards (" in ENGLISH.briefing(known, COMPONENTS)


BEGINNING = ("PREDICT_WHO", "TRAITOR")


@pytest.mark.parametrize("wording", WORDINGS)
def test_powers_are_told_at_the_beginning_and_below_all_rules(wording: Wording) -> None:
    told = set()
    for name in NAMES:
        content = position(name)
        if content["over"]:
            continue
        content["options"]["powers"] = True
        briefing, rules = wording.briefing(content, COMPONENTS), wording.rules(content, COMPONENTS)
        powers = rules.rpartition("\n")[2]
        assert wording.piece(f"seat-{content['seat']}", content, COMPONENTS).count(powers) == 1
        assert (briefing == powers) == (name in BEGINNING), name
        told.add((content["players"][content["seat"]]["faction"], powers))
    assert len(told) == len({powers for _, powers in told}) >= 6
    content = position("TRAITOR")
    content["options"]["powers"] = False
    none = wording.briefing(content, COMPONENTS)
    assert none not in {powers for _, powers in told}
    assert none in wording.piece(f"seat-{content['seat']}", content, COMPONENTS)
    assert "\n" not in wording.rules(content, COMPONENTS)
    # Who has no choice of a traitor is told in the first turn: with the dial for the storm, or else with the first bid.
    content = position("BID") | {"turn": 1, "wheels": [-1, -1]}
    player = content["players"][content["seat"]]
    player["discs"] = [5 * player["faction"]]
    funds = wording.briefing(content | {"turn": 2}, COMPONENTS)
    assert wording.briefing(content, COMPONENTS).removesuffix(f" {funds}") in wording.rules(content, COMPONENTS).split(
        "\n"
    )
    assert wording.briefing(content | {"wheels": [content["seat"], -1]}, COMPONENTS) == funds


def test_a_bid_is_asked_for_with_what_can_be_spent_and_a_card_with_what_it_does() -> None:
    content = position("BID") | {"turn": 2}
    content["players"][content["seat"]]["spice"] = 7
    assert ENGLISH.briefing(content, COMPONENTS) == "You can spend 7 spice."
    for name in ("WEATHER", "ATOMICS", "HARVESTER", "HAJR"):
        told = ENGLISH.briefing(position(name), COMPONENTS)
        assert told
        assert told in ENGLISH.rules(position(name), COMPONENTS)


def test_a_karama_stops_powers_only_where_there_are_some() -> None:
    content = position("BID")
    for has_powers in (True, False):
        content["options"]["powers"] = has_powers
        assert ("stop a power" in ENGLISH.piece("kind-16", content, COMPONENTS)) == has_powers
        assert ("un pouvoir" in FRENCH.piece("kind-16", content, COMPONENTS)) == has_powers


def test_a_plan_begins_with_the_rule_of_battles() -> None:
    for name in IN_BATTLE:
        told = ENGLISH.briefing(position(name), COMPONENTS)
        assert ("a shield against a projectile weapon" in told) == (name == "LEADER")


def test_the_price_of_a_landing_is_told_before_its_number() -> None:
    content, legal = next(of_position("SHIP"))
    assert "A token costs 1 spice into a stronghold and 2 elsewhere" in ENGLISH.briefing(content, COMPONENTS)
    landings = [ENGLISH.imperative(action, content, COMPONENTS) for action in legal if action.startswith("cell")]
    prices = {landing.rpartition(", ")[2] for landing in landings}
    assert prices <= {"1 spice each", "2 spice each", "1 spice for every 2 tokens", "2 spice for every 2 tokens"}
    assert len(prices) == 2
    content = position("SHIP_COUNT")
    assert re.search(r"\(\d spice (?:each|for every 2 tokens)\)\?$", ENGLISH.question(content, COMPONENTS))

"""Damaged component, family and replay files: refused in one sentence, or accepted and then what they seem to be."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import random
import re
import tomllib
import zlib
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import strategies as st

from dunaia_env import GameState, Stream, dunaia, replay as replays
from dunaia_env.dunaia import Components, ComponentsError, FamilyError, load, load_family
from dunaia_env.dunaia.bounds import most_decisions, most_points
from dunaia_env.dunaia.components import parse
from dunaia_env.dunaia.state import COLOUR_NAMES, EDGE_SQUARES
from dunaia_env.harness.opponents import GreedyAgent, RandomAgent
from dunaia_env.replay import Replay, ReplayError, main, record_game, to_text
from tests.fuzz_strategies import edited_bytes, edited_data, encode, json_lines, toml
from tests.fuzzing import examples, fuzz, run_batch

OWN_TEXT = resources.files("dunaia_env.dunaia").joinpath("components.toml").read_text(encoding="utf-8")
FAMILY_TEXT = resources.files("dunaia_env.dunaia.family").joinpath("family.toml").read_text(encoding="utf-8")
PLAYTHROUGHS = Path(__file__).with_name("playthroughs")
ROUNDS = 6


# Component files


def components(data: bytes) -> str | None:
    """A component file: refused, or games can be played with it to their ends."""
    path = Path("components.toml")
    path.write_bytes(data)
    try:
        rules = load(path)
    except ComponentsError as error:
        return str(error)
    play(rules, random.Random(zlib.crc32(data)))
    return None


def play(rules: Components, chosen: random.Random) -> None:
    """Play a random game and check what holds in every state of every game."""
    players, elites, rounds = chosen.choice((2, 3, 4)), chosen.random() < 0.5, chosen.choice((1, ROUNDS))
    chance = Stream(chosen.randrange(2**32))
    state = GameState.new(chance, num_players=players, elites=elites, components=rules, max_rounds=rounds)
    decisions = 0
    while not state.is_over:
        legal = state.legal_actions()
        assert len(legal) >= 2
        assert legal == sorted(set(legal))
        action = chosen.choice(legal)
        if decisions % 16 == 0:
            check_state(state, rules)
            assert dunaia.sentence(dunaia.action_text(action), state.to_dict(), rules).isprintable()
        state.apply(action, chance)
        decisions += 1
        assert decisions <= most_decisions(rules, players, rounds)
    check_state(state, rules)
    assert all(0 <= points <= most_points(rules, players, rounds) for points in state.scores())
    assert min(state.ranks()) == 1


def check_state(state: GameState, rules: Components) -> None:
    content = state.to_dict()
    assert GameState.from_dict(json.loads(json.dumps(content)), components=rules) == state
    assert dunaia.describe(content, rules)
    for seat in range(state.num_players):
        assert state.observation(seat).min() >= 0


@functools.cache
def small_components() -> dict[str, Any]:
    """The project's own values without notes and most arrows, which take `tomllib` most of the time."""
    content = tomllib.loads(OWN_TEXT)
    for group in content.values():
        group.pop("note", None)
    for tile in content["level_2"]["tiles"][2:] + content["level_3"]["tiles"][4:]:
        tile["arrows"] = {}
    return content


# The numbers of a component file that are no ids, and their ranges.
NUMBERS: tuple[tuple[str, str, int, int], ...] = (
    ("start", "flowers", 0, 100),
    ("start", "tokens", 1, 9),
    ("construction", "level_1", 1, 20),
    ("construction", "level_2", 1, 20),
    ("construction", "level_3", 1, 20),
    ("elders", "flowers", 1, 100),
    ("elders", "moves", 1, 9),
    ("elders", "advances", 1, 9),
    ("fragments", "of_each_type", 0, 100),
    ("markers", "of_each_colour", 0, 100),
    ("artefacts", "further", 0, 100),
    ("scoring", "flowers_per_point", 1, 100),
)


def extreme_components(seed: int) -> bytes:
    """A file in which every value is allowed, most of them at an end of their ranges."""
    chosen = random.Random(seed)
    content = json.loads(json.dumps(small_components()))

    def number(low: int, high: int) -> int:
        return chosen.choice((low, high, high, chosen.randint(low, high)))

    def colours() -> list[str]:
        return chosen.sample(COLOUR_NAMES, chosen.choice((1, 2, 4)))

    def arrows(**gain: Any) -> dict[str, Any]:
        sides = chosen.sample(("north", "east", "south", "west"), chosen.choice((0, 0, 1, 4)))
        return {side: {"colour": colours()[0], "amount": number(1, 7), **gain} for side in sides}

    for group, key, low, high in NUMBERS:
        content[group][key] = number(low, high)
    if chosen.random() < 0.5:
        content["start"]["flowers"] = [number(0, 100) for _ in range(4)]
    for level in ("level_1", "level_2", "level_3"):
        for tile in content[level]["tiles"]:
            if chosen.random() < 0.2:
                tile["steps"] = number(1, 20)
    content["dice"]["neutral"] = {
        "2": chosen.choice((1, 5, 11)),
        "3": chosen.choice((1, 4, 10)),
        "4": chosen.choice((1, 5, 9)),
    }
    for level in range(3):
        content["prices"][f"level_{level + 1}"] = [number(0, 100), number(0, 100)]
        content["scoring"]["level_points"][level] = number(0, 100)
        content["elders"]["costs"][level] = chosen.sample(range(1, 7), 2)
    content["artefacts"]["points"] = [number(0, 100) for _ in range(6)]
    content["characters"] = {
        "status": "assumed",
        "merchant": {"discount": number(0, 100)},
        "foreman": {"cost": number(0, 100), "advances": number(1, 9)},
        "mystic": {"chips": number(1, 6), "flowers": number(0, 100), "moves": number(0, 9)},
    }
    for name in ("group_a", "group_b", "group_c"):
        for prophecy in content["prophecies"][name]:
            prophecy["points"] = number(0, 100)
            if chosen.random() < 0.3:
                prophecy |= {"flowers": number(1, 100), "artefacts": number(1, 100), "buildings": number(1, 9)}
    edges = chosen.sample(EDGE_SQUARES.tolist(), chosen.choice((2, 6)))
    content["village"]["start_edges"] = [edges[index % len(edges)] for index in range(6)]
    content["village"]["printed"] = [chosen.choice(("flower", "chip")) for _ in range(9)]
    for tile in content["level_1"]["tiles"]:
        effect = chosen.choice(("flowers", "moves", "advances", "chips"))
        tile |= {"colours": colours(), "effect": effect, "amount": number(1, 9)}
    for tile in content["level_2"]["tiles"]:
        gain = chosen.choice(("flowers", "chips", "moves"))
        tile |= {"colours": colours(), "effect": gain, "amount": number(1, 9), "arrows": arrows(gain=gain)}
    for tile in content["level_3"]["tiles"]:
        tile |= {"colours": colours(), "arrows": arrows()}
    return toml(content).encode()


def long_components(length: int) -> list[bytes]:
    """Files whose reading could take time or memory by more than their length."""
    texts = (
        ".".join("a" * (length // 2)) + " = 1",
        "[" + ".".join("a" * 8) + "]\n" + "\n".join(f"b.c.d.e.f.g.h{number} = 1" for number in range(length // 20)),
        "a = " + "[" * length,
        "a = " + "{a = " * (length // 5),
        "a = [" + "{}, " * (length // 4) + "]",
        "a = {" + ", ".join(f"b.c{number} = 1" for number in range(length // 14)) + "}",
        "[[a]]\n" * (length // 6),
        'a = "' + "\\u0041" * (length // 6) + '"',
        'a = """' + "\\\n" * (length // 2),
        "'''\n" * (length // 4),
        '"' * length,
        "a = 0x" + "f" * length,
        OWN_TEXT + "#" * length,
        "".join(f"[a{number}]\n" for number in range(length // 10)),
    )
    return [text.encode() for text in texts]


def component_files() -> st.SearchStrategy[bytes]:
    small = small_components()
    texts = [toml(small).encode()] * 3 + [OWN_TEXT.encode()]
    leaves = st.one_of(st.just(0), st.booleans(), st.integers(), st.floats(), st.text(max_size=8))
    anything = st.recursive(
        leaves,
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=5), inner, max_size=4)),
        max_leaves=8,
    )
    return st.one_of(
        edited_bytes(texts),
        edited_bytes(texts),
        edited_data([small], toml),
        edited_data([small], toml),
        st.integers(0, 2**32).map(extreme_components),
        st.integers(0, 2**32).map(extreme_components),
        st.dictionaries(st.sampled_from([*small, "more"]), anything, max_size=4).map(
            lambda changes: encode(toml(small | changes))
        ),
        st.binary(max_size=200),
    )


# Family files


def family(data: bytes) -> str | None:
    """A family file: refused, or its members are component files inside it."""
    path = Path("family.toml")
    path.write_bytes(data)
    try:
        found = load_family(path)
    except FamilyError as error:
        return str(error)
    for seed in range(12):
        member = found.sample(seed)
        assert found.outside(member) == ""
        assert parse(found.text_of(member), "member.toml") == member
    assert load_family(json.loads(json.dumps(found.content))) == found
    return None


def other_family(seed: int) -> bytes:
    """The project's own family with some other ranges, in most of which its components are."""
    chosen = random.Random(seed)

    def other(match: re.Match[str]) -> str:
        low, high = int(match[1]), int(match[2])
        if chosen.random() < 0.9:
            return match[0]
        return f'"{max(low + chosen.choice((-1, -1, 0, 1)), 0)}..{high + chosen.choice((-1, 0, 1, 3))}"'

    text = re.sub(r'"(\d+)\.\.(\d+)"', other, FAMILY_TEXT)
    text = re.sub("vary = [1-9][0-9]*", lambda match: f"vary = {chosen.choice((0, 50, 100))}", text)
    text = text.replace("few = 50", f"few = {chosen.choice((0, 50))}").replace("all = 10", "all = 50")
    return text.encode()


def long_families(length: int) -> list[bytes]:
    return [
        text.encode() for text in (FAMILY_TEXT + "#" * length, "a = " + "[" * length, "[[members]]\n" * (length // 12))
    ]


def family_files() -> st.SearchStrategy[bytes]:
    content = tomllib.loads(FAMILY_TEXT)
    return st.one_of(
        edited_bytes([FAMILY_TEXT.encode()]),
        edited_data([content], toml),
        st.integers(0, 2**32).map(other_family),
        st.integers(0, 2**32).map(other_family),
        st.binary(max_size=200),
    )


# Replays


def replay(data: bytes) -> str | None:
    """A replay file: refused, or it tells the game that is played from its header, in every word."""
    path, sound = Path("game.jsonl"), Path("sound.jsonl")
    path.write_bytes(data)
    refusal, found = None, None
    try:
        found = replays.read(path)
        replays.verify(found, source=str(path))
        check_replay(found)
    except ReplayError as error:
        refusal = str(error)
    # These take longer than the rest together.
    if zlib.crc32(data) % 8 == 0:
        sound.write_bytes(sound_replays()[0])
        check_commands(path, sound, refusal)
    if zlib.crc32(data) % 4 == 1 and found is not None:
        check_transcript(found, refusal)
    return refusal


def check_replay(found: Replay) -> None:
    """Play the game and write its replay anew: the same data, down to the types."""
    header = found.header
    chance = Stream(header["seed"])
    state = GameState.new(
        chance, num_players=header["players"], elites=header["elites"], max_rounds=header["max_rounds"]
    )

    def told() -> dict[str, Any]:
        return {"draws": [list(draw) for draw in chance.draws], "state": state.to_dict()} if found.is_trace else {}

    lines: list[Any] = [header | {"rules": load().hash} | told()]
    for line in found.decisions:
        texts = [dunaia.action_text(action) for action in state.legal_actions()]
        decided = {"seat": state.seat, "action": texts[texts.index(line["action"])]}
        asked = {"decision": state.decision, "legal": texts} if found.is_trace else {}
        state.apply(line["action"], chance)
        lines.append(decided | asked | told())
    content = state.to_dict()
    assert state.is_over
    lines.append({"scores": state.scores(), "ranks": state.ranks()})
    lines[-1] |= {"rounds": content["round"], "truncated": content["truncated"]}
    written = [header, *found.decisions, found.result]
    assert json.dumps(lines, sort_keys=True) == json.dumps(written, sort_keys=True)


def check_transcript(found: Replay, refusal: str | None) -> None:
    told = []
    try:
        for line in replays.transcript(found):
            told += line.split("\n")
    except ReplayError:
        assert refusal is not None
        assert not any("points, rank" in line for line in told)
    else:
        assert refusal is None or found.is_trace  # a transcript says nothing of a trace's states
        assert "points, rank" in told[-1]
    assert all(line.isprintable() for line in told)


def check_commands(path: Path, sound: Path, refusal: str | None) -> None:
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        status = main(["verify", str(path), str(sound)])
    assert status == (refusal is not None)
    assert output.getvalue().splitlines()[-1].startswith(f"{sound}: ")
    assert errors.getvalue() == ("" if refusal is None else f"{refusal}\n")


@functools.cache
def sound_replays() -> list[bytes]:
    return [path.read_bytes() for path in sorted(PLAYTHROUGHS.glob("*-random-9.jsonl"))]


@functools.cache
def sound_traces() -> list[bytes]:
    agents = [RandomAgent(), GreedyAgent()]
    games = [
        record_game(seed, agents, num_players=2 + seed, elites=seed == 1, max_rounds=1, trace=True) for seed in (0, 1)
    ]
    return [to_text(game).encode() for game in games]


def long_replays(length: int) -> list[bytes]:
    head, *lines = sound_replays()[0].splitlines(keepends=True)
    return [
        head + lines[0] * (length // 40),
        b"\n" * length,
        b"[" * length,
        b"{}\n" * (length // 3),
        head * (length // 200),
        head + b'{"seat": 0, "action": "' + b"x" * length + b'"}\n' + lines[-1],
        head + b'{"seat": 0, "action": "' + b"x" * 65_000 + b'"}\n' + lines[-1],
        head + b'{"seat": ' + b"9" * length + b', "action": "pass"}\n' + lines[-1],
        *(
            head + b'{"seat": ' + b"[" * depth + b"]" * depth + b', "action": "pass"}\n' + lines[-1]
            for depth in range(300, 1000, 20)
        ),
        b" " * length + head,
    ]


def replay_files() -> st.SearchStrategy[bytes]:
    texts = [*sound_replays(), *sound_traces()]
    lines = [[json.loads(line) for line in text.splitlines()] for text in texts]
    names = st.lists(st.text(max_size=20), min_size=4, max_size=4)

    def renamed(number: int, agents: list[str], package: str) -> bytes:
        header, *rest = lines[number]
        content = [header | {"agents": agents[: header["players"]], "package": package}, *rest]
        return json_lines(content).encode()

    return st.one_of(
        edited_bytes(texts),
        edited_bytes(texts),
        edited_data(lines, json_lines),
        edited_data(lines, json_lines),
        edited_data([[content[0], *content[-2:]] for content in lines], json_lines),
        st.builds(renamed, st.integers(0, len(lines) - 1), names, st.text(max_size=20)),
        st.binary(max_size=200),
    )


# The tests


class Kind(NamedTuple):
    """What is tried on a target, and an input that it accepts."""

    inputs: Callable[[], st.SearchStrategy[bytes]]
    long: Callable[[int], list[bytes]]
    first: Callable[[], bytes]


KINDS = {
    "components": Kind(component_files, long_components, lambda: toml(small_components()).encode()),
    "family": Kind(family_files, long_families, FAMILY_TEXT.encode),
    "replay": Kind(replay_files, long_replays, lambda: sound_replays()[0]),
}


def target(name: str) -> str:
    return f"tests.test_fuzz_files:{name}"


@pytest.mark.long
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.compiled) if name == "replay" else name for name in KINDS]
)
def test_damaged_files_are_refused_in_a_sentence_or_are_what_they_seem(name: str) -> None:
    kind = KINDS[name]
    tally = fuzz(target(name), kind.inputs(), examples(long=False), first=kind.first())
    assert 10 * tally.accepted > tally.refused > tally.accepted / 10


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_many_damaged_files(name: str) -> None:
    kind = KINDS[name]
    tally = fuzz(target(name), kind.inputs(), examples(long=True), first=kind.first())
    print(f"{name}: {tally}")
    assert 10 * tally.accepted > tally.refused > tally.accepted / 10


@pytest.mark.parametrize("name", KINDS)
def test_long_files_end_nothing(name: str) -> None:
    kind = KINDS[name]
    for outcome in run_batch(target(name), kind.long(260_000), first=kind.first(), memory=1 << 28):
        assert not outcome.fault
        assert outcome.refusal


@pytest.mark.slow
def test_games_of_extreme_components_stay_within_their_numbers() -> None:
    """Without compilation, because then a number that leaves its type or its array is an exception."""
    inputs = st.integers(0, 2**32).map(extreme_components)
    first = toml(small_components()).encode()
    tally = fuzz(target("components"), inputs, 100, first=first, environment={"NUMBA_DISABLE_JIT": "1"})
    assert (tally.accepted, tally.refused) == (100, 0)

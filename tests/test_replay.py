"""Replays and traces: recorded, verified, shown, and what is said of damaged files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dunaia_env import GameState, Stream, Tape, __version__, dunaia, replay
from dunaia_env.dunaia import load, sentence
from dunaia_env.harness.opponents import GreedyAgent, RandomAgent
from dunaia_env.replay import Replay, ReplayError, parse, record_game, to_text, verify

Line = dict[str, Any]
TABLES = [(players, elites) for players in (2, 3, 4) for elites in (False, True)]


@pytest.fixture(scope="module")
def trace() -> Replay:
    return record_game(5, [RandomAgent(), GreedyAgent()], num_players=3, elites=True, max_rounds=4, trace=True)


@pytest.fixture(scope="module")
def plain() -> Replay:
    return record_game(5, [RandomAgent(), GreedyAgent()], num_players=3, elites=True, max_rounds=4)


def lines_of(recorded: Replay) -> list[Line]:
    return [json.loads(line) for line in to_text(recorded).splitlines()]


def text_of(lines: list[Line]) -> str:
    return "".join(json.dumps(line) + "\n" for line in lines)


# Recording


@pytest.mark.parametrize(("players", "elites"), TABLES)
@pytest.mark.parametrize("with_trace", [False, True])
def test_a_recorded_game_is_verified(players: int, elites: bool, with_trace: bool) -> None:
    agents = [GreedyAgent(), RandomAgent()]
    recorded = record_game(77, agents, num_players=players, elites=elites, max_rounds=6, trace=with_trace)
    assert recorded.is_trace == with_trace
    again = parse(to_text(recorded))
    assert again == recorded
    assert verify(again) == len(recorded.decisions)
    assert to_text(again) == to_text(recorded)


def test_the_header_says_what_was_played(plain: Replay) -> None:
    assert plain.header == {
        "format": "dunaia-replay",
        "version": 1,
        "rules": load().hash,
        "players": 3,
        "elites": True,
        "max_rounds": 4,
        "seed": 5,
        "agents": ["random", "greedy", "random"],
        "package": __version__,
    }
    assert set(plain.result) == {"scores", "ranks", "rounds", "truncated"}
    assert plain.result["rounds"] == 4
    assert plain.result["truncated"] is True


def test_the_lines_of_a_replay_are_those_of_its_trace(plain: Replay, trace: Replay) -> None:
    assert [set(line) for line in plain.decisions] == [{"seat", "action"}] * len(plain.decisions)
    assert [{key: line[key] for key in ("seat", "action")} for line in trace.decisions] == plain.decisions
    assert trace.result == plain.result
    assert {key: trace.header[key] for key in plain.header} == plain.header


def test_a_trace_can_be_checked_without_the_seed(trace: Replay) -> None:
    """Its draws alone lead from state to state."""
    options = {"num_players": 3, "elites": True, "max_rounds": 4}
    tape = Tape(trace.header["draws"])
    state = GameState.new(tape, **options)
    assert tape.left == 0
    assert state.to_dict() == trace.header["state"]
    for line in trace.decisions:
        assert (line["seat"], line["decision"]) == (state.seat, state.decision)
        assert line["legal"] == [dunaia.action_text(action) for action in state.legal_actions()]
        assert line["action"] in line["legal"]
        tape = Tape(line["draws"])
        state.apply(line["action"], tape)
        assert tape.left == 0
        assert state.to_dict() == line["state"]
    assert state.is_over
    assert state.scores() == trace.result["scores"]
    assert state.ranks() == trace.result["ranks"]


def test_the_same_seed_and_agents_give_the_same_file() -> None:
    texts = {to_text(record_game(8, [RandomAgent(seed), GreedyAgent()], max_rounds=5)) for seed in (0, 1)}
    assert len(texts) == 1  # an agent's stream begins anew, named by the game's seed
    assert to_text(record_game(9, [RandomAgent(), GreedyAgent()], max_rounds=5)) not in texts


class Watcher(RandomAgent):
    """Remembers for whom it decided."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.seats: set[int] = set()
        self.seeds: list[int] = []

    def reset(self, seed: int) -> None:
        super().reset(seed)
        if hasattr(self, "seeds"):
            self.seeds.append(seed)

    def act(self, state: GameState) -> int:
        self.seats.add(state.seat)
        return super().act(state)


@pytest.mark.parametrize(("count", "seats"), [(1, [{0, 1, 2, 3}]), (2, [{0, 2}, {1, 3}]), (3, [{0, 3}, {1}, {2}])])
def test_agents_are_dealt_to_the_seats(count: int, seats: list[set[int]]) -> None:
    agents = [Watcher(f"agent {number}") for number in range(count)]
    recorded = record_game(1, agents, num_players=4, max_rounds=5)
    assert [agent.seats for agent in agents] == seats
    assert recorded.header["agents"] == [f"agent {seat % count}" for seat in range(4)]
    # Each begins anew once, with a seed of its own, which is not the game's.
    assert [len(agent.seeds) for agent in agents] == [1] * count
    assert len({agent.seeds[0] for agent in agents} | {1}) == count + 1


# Verifying


def put(key: str, value: object) -> Callable[[Line], object]:
    return lambda line: line.update({key: value})


def test_later_decisions_can_have_another_seed(plain: Replay) -> None:
    """What is drawn before stays, what is drawn afterwards follows from the other seed."""
    made, other = 6, 99
    state = GameState.new(5, **plain.options)
    decisions = plain.decisions[:made]
    for line in decisions:
        state.apply(line["action"], 5)
    while not state.is_over:
        decisions.append({"seat": state.seat, "action": state.game.action_text(state.legal_actions()[0])})
        state.apply(decisions[-1]["action"], other)
    header = replay.make_header(
        plain.game, state.components, plain.options, seed=5, agents=["a", "b", "c"], later_seeds=[(made, other)]
    )
    played = Replay(header, decisions, replay.result_of(state), plain.game)
    again = parse(to_text(played))
    assert verify(again) == len(decisions)
    assert again.later_seeds == [(made, other)]
    assert [again.seed_of(number) for number in (-1, 0, made - 1, made, 10**6)] == [5, 5, 5, other, other]
    assert plain.later_seeds == []
    # Without the other seed it is another game.
    del header["later_seeds"]
    with pytest.raises(ReplayError):
        verify(played)


def add(key: str, number: int) -> Callable[[Line], object]:
    return lambda line: line.update({key: line[key] + number})


HEADER_CHANGES = [
    ("format", "other", r"line 1: format: expected 'dunaia-replay', got 'other'"),
    ("version", 2, "line 1: version: expected 1, got 2"),
    ("version", "1", "line 1: version: expected 1, got '1'"),
    ("rules", "0" * 16, "line 1: rules = '0000000000000000'; the components have the hash"),
    ("rules", None, "line 1: rules: expected a text of at most 1000 characters, got None"),
    ("players", 5, r"line 1: players: expected an integer in 2\.\.4, got 5"),
    ("players", True, r"line 1: players: expected an integer in 2\.\.4, got True"),
    ("players", 2, "line 1: agents: expected a list of 2 names.*, got .*"),
    ("elites", 1, "line 1: elites: expected true or false, got 1"),
    ("max_rounds", 0, r"line 1: max_rounds: expected an integer in 1\.\.1000, got 0"),
    ("max_rounds", "4", "line 1: max_rounds: expected an integer.*, got '4'"),
    ("seed", -1, "line 1: seed: expected an integer in 0.*, got -1"),
    ("seed", 5.0, r"line 1: seed: expected an integer in 0.*, got 5\.0"),
    ("seed", 2**63, "line 1: seed: expected an integer in 0.*, got 9223372036854775808"),
    ("agents", "random", "line 1: agents: expected a list of 3 names.*, got 'random'"),
    ("agents", ["a", "b", 3], "line 1: agents: expected a list of 3 names.*, got .*"),
    ("surprise", 1, "line 1: surprise is unknown"),
    ("later_seeds", [], "line 1: later_seeds: expected pairs of ascending decisions and seeds.*, got .*"),
    ("later_seeds", {"2": 1}, "line 1: later_seeds: expected pairs of ascending decisions.*, got .*"),
    ("later_seeds", [[2, 1], [2, 3]], "line 1: later_seeds: expected pairs of ascending decisions.*, got .*"),
    ("later_seeds", [[-1, 1]], "line 1: later_seeds: expected pairs of ascending decisions.*, got .*"),
    ("later_seeds", [[0, 2**63]], "line 1: later_seeds: expected pairs of ascending decisions.*, got .*"),
    ("later_seeds", [[0, True]], "line 1: later_seeds: expected pairs of ascending decisions.*, got .*"),
    ("later_seeds", [[0, 1, 2]], "line 1: later_seeds: expected pairs of ascending decisions.*, got .*"),
    ("later_seeds", [[10**6, 1]], r"line 1: later_seeds: expected decisions in 0\.\.\d+, got .*"),
]


@pytest.mark.parametrize(("key", "value", "message"), HEADER_CHANGES)
@pytest.mark.parametrize("kind", ["plain", "trace"])
def test_a_changed_header_is_reported(
    key: str, value: object, message: str, kind: str, request: pytest.FixtureRequest
) -> None:
    lines = lines_of(request.getfixturevalue(kind))
    lines[0][key] = value
    with pytest.raises(ReplayError, match=message) as caught:
        verify(parse(text_of(lines), "game.jsonl"), source="game.jsonl")
    assert str(caught.value).startswith("game.jsonl: line 1: ")


@pytest.mark.parametrize("kind", ["plain", "trace"])
def test_a_missing_key_of_the_header_is_reported(kind: str, request: pytest.FixtureRequest) -> None:
    recorded = request.getfixturevalue(kind)
    for key in recorded.header:
        lines = lines_of(recorded)
        del lines[0][key]
        if key == "state" or (key == "draws" and kind == "trace"):
            wanted = f"{key} is missing"
        else:
            wanted = f"{key}: expected .*, got None|{key} is missing"
        with pytest.raises(ReplayError, match=f"replay: line 1: ({wanted})"):
            parse(text_of(lines))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (add("seed", 1), r"line 1: (draws|state)"),
        (put("elites", False), r"line 1: (draws|state)"),
        (add("max_rounds", 1), r"line 1: state.max_rounds = 4; played again it is 5|line 1: state.max_rounds"),
        (put("draws", []), r"line 1: draws = \[\]; played again it is \[\[5, "),
        (lambda line: line["draws"][3].reverse(), r"line 1: draws\[3\]\[\d\] = "),
        (lambda line: line["state"].update(round=2), "line 1: state.round = 2; played again it is 1"),
        (lambda line: line["state"]["players"][2].update(flowers=3), r"line 1: state.players\[2\].flowers = 3"),
        (lambda line: line["state"].update(over=0), "line 1: state.over = 0; played again it is false"),
        (lambda line: line["state"].pop("piles"), r"line 1: state = "),
    ],
)
def test_a_trace_whose_setup_differs_is_reported(trace: Replay, change: Callable[[Line], object], message: str) -> None:
    lines = lines_of(trace)
    change(lines[0])
    with pytest.raises(ReplayError, match=message):
        verify(parse(text_of(lines)))


@pytest.mark.parametrize("number", [2, 9, 25])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("seat", 3), r"seat = 3; seat \d decides"),
        (put("seat", "0"), r"seat = '0'; seat \d decides"),
        (put("seat", None), r"seat = None; seat \d decides"),
        (put("action", "fly"), "action: expected one of the verbs .*, got 'fly'"),
        (put("action", "call"), r"action 'call': call takes elder space 0\.\.2"),
        (put("action", "start 7 0"), r"action 'start 7 0' \(\d+\) is not legal for seat \d"),
        (put("action", 6), "action: expected a text, got 6"),
        (put("action", None), "action: expected a text, got None"),
    ],
)
@pytest.mark.parametrize("kind", ["plain", "trace"])
def test_a_changed_decision_is_reported(
    kind: str, number: int, change: Callable[[Line], object], message: str, request: pytest.FixtureRequest
) -> None:
    lines = lines_of(request.getfixturevalue(kind))
    change(lines[number - 1])
    with pytest.raises(ReplayError, match=rf"replay: line {number}: {message}"):
        verify(parse(text_of(lines)))


@pytest.mark.parametrize("number", [2, 9, 25])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("decision", "SLEEP"), 'decision = "SLEEP"; played again it is "'),
        (lambda line: line["legal"].pop(), r"legal = "),
        (lambda line: line["legal"].reverse(), r"legal\[0\] = "),
        (lambda line: line["draws"].append([6, 1]), "draws = "),
        (lambda line: line["state"].update(die=9), "state.die = 9; played again it is "),
        (lambda line: line["state"]["players"][0]["dunaias"].reverse(), r"state.players\[0\].dunaias\[\d\]"),
        (lambda line: line["state"]["scores"].append(0), "state.scores = "),
        (lambda line: line["state"].update(extra=1), "state = "),
    ],
)
def test_a_changed_part_of_a_trace_is_reported(
    trace: Replay, number: int, change: Callable[[Line], object], message: str
) -> None:
    lines = lines_of(trace)
    change(lines[number - 1])
    with pytest.raises(ReplayError, match=rf"replay: line {number}: {message}"):
        verify(parse(text_of(lines)))


def test_another_legal_action_is_reported(trace: Replay) -> None:
    """Where it leads to another state; two orders of the same effects cannot be told apart."""
    found = 0
    state = GameState.new(5, num_players=3, elites=True, max_rounds=4)
    for number, line in enumerate(trace.decisions, start=2):
        for other in line["legal"]:
            child = state.clone()
            child.apply(other, 5)
            if child.to_dict() != line["state"]:
                lines = lines_of(trace)
                lines[number - 1]["action"] = other
                with pytest.raises(ReplayError, match=rf"replay: line {number}: (draws|state)"):
                    verify(parse(text_of(lines)))
                found += 1
                break
        state.apply(line["action"], 5)
    assert found > len(trace.decisions) // 2


@pytest.mark.parametrize("kind", ["plain", "trace"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda result: result["scores"].__setitem__(0, 99), r"result.scores\[0\] = 99; played again it is \d"),
        (lambda result: result["scores"].pop(), "scores: expected 3 integers, got "),
        (lambda result: result["ranks"].__setitem__(1, 4), r"result.ranks\[1\] = 4; played again it is \d"),
        (lambda result: result.update(rounds=5), "result.rounds = 5; played again it is 4"),
        (lambda result: result.update(rounds=4.0), r"result.rounds = 4\.0; played again it is 4"),
        (lambda result: result.update(truncated=False), "result.truncated = false; played again it is true"),
        (lambda result: result.update(truncated=1), "result.truncated = 1; played again it is true"),
        (lambda result: result.update(scores=None), "scores: expected 3 integers, got None"),
        (lambda result: result.update(winner=0), "expected result with scores, ranks, rounds, truncated"),
        (lambda result: result.pop("ranks"), "expected result with scores, ranks, rounds, truncated"),
    ],
)
def test_a_changed_result_is_reported(
    kind: str, change: Callable[[Line], object], message: str, request: pytest.FixtureRequest
) -> None:
    lines = lines_of(request.getfixturevalue(kind))
    change(lines[-1]["result"])
    with pytest.raises(ReplayError, match=rf"replay: line {len(lines)}: {message}"):
        verify(parse(text_of(lines)))


def test_lost_and_doubled_lines_are_reported(plain: Replay) -> None:
    lines = lines_of(plain)
    last = len(lines)
    for changed, message in [
        ([*lines[:-2], lines[-1]], rf"line {last - 1}: a result, but the game is not over: seat \d has to decide"),
        ([lines[0], lines[-1]], r"line 2: a result, but the game is not over: seat 2 has to decide"),
        ([*lines[:-1], lines[-2], lines[-1]], rf"line {last}: "),
        ([*lines, lines[-1]], rf"line {last}: expected the keys .*, got \['result'\]"),
        (lines[:-1], f"line {last - 1}: the file ends without a result"),
        (lines[:1], "line 1: the file ends without a result"),
        ([lines[0], *lines], "line 2: expected the keys"),
        (lines[1:], r"line 1: format: expected 'dunaia-replay', got None"),
    ]:
        with pytest.raises(ReplayError, match=f"replay: {message}"):
            verify(parse(text_of(changed)))


def test_lines_with_other_keys_are_reported(plain: Replay, trace: Replay) -> None:
    for recorded in (plain, trace):
        for key in recorded.decisions[0]:
            lines = lines_of(recorded)
            del lines[6][key]
            with pytest.raises(ReplayError, match="replay: line 7: expected the keys"):
                parse(text_of(lines))
        lines = lines_of(recorded)
        lines[6]["comment"] = "good move"
        with pytest.raises(ReplayError, match="replay: line 7: expected the keys"):
            parse(text_of(lines))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected a header, got an empty file"),
        ("\n \r\n", "line 1: expected a header, got an empty file"),
        ("\ufeff\n", "line 1: expected a header, got an empty file"),
        ("hello\n", "line 1: not JSON"),
        ("[1, 2]\n", "line 1: expected an object"),
        ("null\n", "line 1: expected an object"),
        ("{}\n", "line 1: format: expected 'dunaia-replay', got None"),
        ('{"format": "chess", "version": 1}\n', "line 1: format: expected 'dunaia-replay', got 'chess'"),
        ('{"format": "dunaia-replay", "version": 7}\n', "line 1: version: expected 1, got 7"),
        ('{"format": "dunaia-replay", "version": 1}\n', "line 1: .* is missing"),
    ],
)
def test_foreign_files_are_reported(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ReplayError, match=f"file.jsonl: {message}"):
        replay.read(path)


def test_a_byte_order_mark_and_empty_last_lines_change_nothing(tmp_path: Path, plain: Replay) -> None:
    text, path = to_text(plain), tmp_path / "file.jsonl"
    for written in (text[:-1], text + "\n\n", "\ufeff" + text, "\ufeff" + text.replace("\n", "\r\n") + "\r\n \t\r\n"):
        path.write_text(written, encoding="utf-8", newline="")
        assert replay.read(path) == parse(written) == plain
    path.write_text(text.replace("\n", "\n\n", 1), encoding="utf-8")
    with pytest.raises(ReplayError, match="line 2: not JSON"):
        replay.read(path)


def test_another_encoding_of_a_replay_is_named(tmp_path: Path, plain: Replay) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(to_text(plain), encoding="utf-16")
    with pytest.raises(ReplayError, match=r"file\.jsonl: cannot be read: the text is UTF-16; save it as UTF-8$"):
        replay.read(path)


def test_a_file_cut_anywhere_is_reported(tmp_path: Path, trace: Replay) -> None:
    text, path = to_text(trace), tmp_path / "cut.jsonl"
    for length in range(0, len(text) - 1, len(text) // 23):
        path.write_text(text[:length], encoding="utf-8")
        with pytest.raises(ReplayError, match=r"cut.jsonl: line \d+: "):
            verify(replay.read(path), source=str(path))


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    binary = tmp_path / "binary.jsonl"
    binary.write_bytes(bytes(range(256)))
    for path in (binary, tmp_path, tmp_path / "missing.jsonl"):
        with pytest.raises(ReplayError, match="cannot be read") as caught:
            replay.read(path)
        assert str(caught.value).startswith(f"{path}: ")


def test_names_of_agents_and_version_may_be_any(plain: Replay) -> None:
    lines = lines_of(plain)
    lines[0] |= {"agents": ["Ann", "Bob", "Ann"], "package": "9.9"}
    assert verify(parse(text_of(lines))) == len(lines) - 2


@pytest.mark.parametrize(
    ("line", "change"),
    [
        pytest.param(0, put("version", True), id="version true"),
        pytest.param(0, put("package", 5), id="package not a text"),
        pytest.param(1, lambda line: line.update(seat=float(line["seat"])), id="seat 2.0"),
        pytest.param(1, lambda line: line.update(action=f" {line['action']}"), id="text of an action not canonical"),
    ],
)
def test_values_of_another_kind_are_reported(plain: Replay, line: int, change: Callable[[Line], object]) -> None:
    lines = lines_of(plain)
    change(lines[line])
    with pytest.raises(ReplayError):
        verify(parse(text_of(lines)))


HUGE = {
    "deep": "[" * 900 + "]" * 900,
    "rather deep": "[" * 100 + "]" * 100,
    "text": '"' + "x" * 60_000 + '"',
    "list": "[" + "1," * 30_000 + "1]",
    "object": "{" + ", ".join(f'"key {number}": "\\u001b"' for number in range(2000)) + "}",
    "integer": "9" * 4000,
    "float": "1" + "0" * 4000 + ".5",
}


@pytest.mark.parametrize("name", HUGE)
@pytest.mark.parametrize("kind", ["plain", "trace"])
def test_values_of_any_size_are_cut_in_messages(name: str, kind: str, request: pytest.FixtureRequest) -> None:
    recorded = request.getfixturevalue(kind)
    for number in (0, 1, 5, len(recorded.decisions) + 1):
        for key in lines_of(recorded)[number].get("result", lines_of(recorded)[number]):
            lines = lines_of(recorded)
            lines[number].get("result", lines[number])[key] = "HERE"
            with pytest.raises(ReplayError, match=rf"^replay: line {number + 1}: ") as caught:
                verify(parse(text_of(lines).replace('"HERE"', HUGE[name])))
            assert len(str(caught.value)) < 600
            assert str(caught.value).isprintable()


def test_line_separators_within_a_text_end_no_line(plain: Replay) -> None:
    lines = lines_of(plain)
    lines[0]["agents"] = ["a\u2028b", "c\x85d", "e\x7ff"]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    assert verify(parse(text)) == len(plain.decisions)
    assert parse(text).header["agents"] == lines[0]["agents"]


@pytest.mark.parametrize("name", [None, 5, "x" * 1001])
def test_a_name_that_no_file_takes_is_refused_before_the_game(name: Any) -> None:
    agent = Watcher(name)
    with pytest.raises(
        ValueError,
        match=r"^agents: expected a name of at most 1000 characters, got .*$",
    ):
        record_game(1, [agent])
    assert not agent.seats
    agent.name = "x" * 1000
    assert verify(parse(to_text(record_game(1, [agent], max_rounds=1))))


# Showing


def test_a_transcript_tells_the_game(trace: Replay) -> None:
    lines = list(replay.transcript(trace))
    text = "\n".join(lines)
    assert lines[0] == "Dunaïa, 3 players, with elite characters, seed 5"
    assert lines[1:4] == ["  player 0: random", "  player 1: greedy", "  player 2: random"]
    scores, ranks = trace.result["scores"], trace.result["ranks"]
    assert lines[-3:] == [
        f"player {seat} ({name}): {scores[seat]} points, rank {ranks[seat]}"
        for seat, name in enumerate(trace.header["agents"])
    ]
    turns = re.findall(r"^Round (\d+), player (\d) \((\w+)\); dice", text, re.MULTILINE)
    wanted = [("1", "2", "random"), ("1", "1", "greedy"), ("1", "0", "random")]
    assert turns[:3] == wanted  # the draft goes round in reverse
    assert ("4", "2", "random") in turns
    spoken = [line for line in lines if re.match(r"  \w", line) and not line.startswith("  player")]
    assert len(spoken) == len(trace.decisions)


@pytest.mark.compiled
def test_a_transcript_tells_what_happens_by_itself() -> None:
    recorded = record_game(3, [GreedyAgent()], num_players=2)
    text = "\n".join(replay.transcript(recorded))
    owners = recorded.result["rounds"]
    assert re.search(r"    player \d completes the building on square \d", text)
    assert re.search(r"    player \d takes prophecy \d", text)
    assert re.search(rf"    the end is triggered: round {owners} is the last", text)
    assert f"Round {owners}, the game is over" in text


SENTENCES = {
    "draft": r"picks the (merchant|trickster|foreman|mystic|shepherd|architect)",
    "take": r"takes a die showing [1-6]",
    "take_flipped": r"takes a die showing [1-6] and turns it to [1-6]",
    "awaken": r"wakes Dunaia [1-6], square [0-8] first",
    "flower": r"recycles the die for a flower",
    "use": r"recycles the die on (their own|player \d's) building on square [0-8] \(level 1 \w+, [\w ]+\)(, for a .*)?",
    "start": r"starts the (displayed|top|reserved|found) tile \(level [123] .*\) for \d+ flowers? on square [0-8]",
    "move": r"moves Dunaia [1-6] between squares [0-8] and [0-8]",
    "plug": r"plugs chip [1-6]",
    "discard": r"pays with chip [1-6]",
    "advance": r"advances the building on square [0-8] \(level [123] .*\) to \d of \d",
    "call": r"calls the (flowers|moves|advance|search|colour) elder with the chips \d, \d and another \(.*\)",
    "search": r"takes from its pile, for \d+ flowers?: level [123] .*",
    "colour": r"puts a (green|yellow|purple|red) marker on square [0-8]",
    "power": r"uses the power of the (foreman: \d flowers? for .*|mystic: \d chips? for .*)",
    "reserve": r"reserves the (displayed|top) tile \(level [123] .*\)",
    "pass": r"(goes on to the prophecies|ends the turn|stops moving|advances no building|takes no (tile|colour).*)",
}


@pytest.mark.compiled
def test_every_verb_has_its_sentence() -> None:
    kinds = [*(verb for verb in SENTENCES if verb != "start"), *(f"start {offer}" for offer in range(8))]
    seen: dict[str, set[str]] = {kind: set() for kind in kinds}
    rules = load()
    for seed in range(30):
        chance, agent = Stream(seed), RandomAgent(seed)
        state = GameState.new(chance, num_players=2 + seed % 3, elites=True, max_rounds=50)
        while not state.is_over:
            content = None
            for action in state.legal_actions():
                text = dunaia.action_text(action)
                kind = text[:7] if text.startswith("start") else text.split()[0]
                if len(seen[kind]) < 60:
                    content = content or state.to_dict()
                    seen[kind].add(sentence(text, content, rules))
            state.apply(agent.act(state), chance)
        if all(seen.values()) and seed > 2:
            break
    for kind, texts in seen.items():
        assert texts, kind
        for text in texts:
            assert re.fullmatch(SENTENCES[kind.split()[0]], text), (kind, text)
    assert all("reserved tile" in text for text in seen["start 6"])
    assert all("found tile" in text for text in seen["start 7"])
    assert len(seen["pass"]) >= 3

"""Replays and traces: a game as a text file that can be verified, shown and checked without this package.

A replay is JSON Lines: a header, a line for each asked decision, a result. A trace is a replay whose lines also carry
the legal actions, the draws and the states.

Command line: ``python -m dunaia_env.replay record|verify|show --help``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.console import Console
from rich.progress import track

from dunaia_env.atomic import write_text
from dunaia_env.dunaia.components import Components, load
from dunaia_env.game import DEFAULT_MAX_ROUNDS, MOST_ROUNDS, GameState, check_players
from dunaia_env.games import DEFAULT_GAME
from dunaia_env.harness.chance import AGENT, MAX_SEED, Stream, check_seed, game_seed, random_words
from dunaia_env.messages import MOST_OF_A_TEXT, MOST_OF_A_VALUE, printable, reason, shorten
from dunaia_env.opponents import Agent
from dunaia_env.opponents import load as load_agent
from dunaia_env.reading import ReadingError, read_text

FORMAT = "dunaia-replay"
VERSION = 1
_HEADER_KEYS = ("format", "version", "rules", "players", "elites", "max_rounds", "seed", "agents", "package")
_TRACE_HEADER_KEYS = ("draws", "state")
_DECISION_KEYS = ("seat", "action")
_TRACE_DECISION_KEYS = ("decision", "legal", "draws", "state")
_RESULT_KEYS = ("scores", "ranks", "rounds", "truncated")

# A trace of 1,000 rounds of four players who never build has 30 MB, and its longest line 4 KB and some 800
# values. As data a value takes up to 70 bytes, so that their number limits the memory that a small file can ask for.
MOST_BYTES = 1 << 27
MOST_VALUES_OF_A_LINE = 1 << 12
MOST_OF_A_LINE = 1 << 16
MOST_OF_A_NAME = 1000
_MOST_OF_A_REASON = 600


class ReplayError(ValueError):
    """A file that is no replay, is damaged, or tells another game than the one that is played from its header."""


@dataclass(frozen=True)
class Replay:
    """A replay as read: its header, its decision lines and its result, as JSON data."""

    header: dict[str, Any]
    decisions: list[dict[str, Any]]
    result: dict[str, Any]

    @property
    def is_trace(self) -> bool:
        """Whether the lines carry legal actions, draws and states."""
        return "state" in self.header


def package_version() -> str:
    """The version written into replays."""
    from dunaia_env import __version__

    return str(__version__)


def _draws(chance: Stream) -> list[list[int]]:
    return [list(draw) for draw in chance.draws]


def _texts(state: GameState) -> list[str]:
    return [state.game.action_text(action) for action in state.legal_actions()]


def seat_agents(agents: Sequence[Agent], players: int) -> list[Agent]:
    """The agent of each seat: the agents are dealt to the seats in order, again from the first when they run out.

    Raises `ValueError` for no agent, or for more agents than seats.
    """
    if not 1 <= len(agents) <= players:
        raise ValueError(f"agents: {len(agents)}; 1..{players} are needed for {players} players")
    return [agents[seat % len(agents)] for seat in range(players)]


def record_game(
    seed: int,
    agents: Sequence[Agent],
    *,
    num_players: int = 2,
    elites: bool = False,
    components: Components | str | Path | None = None,
    max_rounds: int = DEFAULT_MAX_ROUNDS,
    trace: bool = False,
) -> Replay:
    """Play a game with the agents dealt to the seats in order, and record it.

    Raises `ValueError` for options out of range, and for an agent whose name is no text or too long for a file.
    """
    for agent in agents:
        if not _is_name(agent.name):
            raise ValueError(
                f"agents: the name {shorten(agent.name)}; a text of at most {MOST_OF_A_NAME} characters is needed"
            )
    chance = Stream(seed)
    state = GameState.new(chance, num_players=num_players, elites=elites, components=components, max_rounds=max_rounds)
    players = seat_agents(agents, num_players)
    for number, agent in enumerate({id(agent): agent for agent in players}.values()):
        agent.reset(int(random_words(seed, AGENT, number, 0)[0]))
    header: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "rules": state.components.hash,
        "players": num_players,
        "elites": elites,
        "max_rounds": max_rounds,
        "seed": seed,
        "agents": [agent.name for agent in players],
        "package": package_version(),
    }
    if trace:
        header |= {"draws": _draws(chance), "state": state.to_dict()}
    decisions = []
    while not state.is_over:
        seat = state.seat
        action = players[seat].act(state.view())
        line: dict[str, Any] = {"seat": seat, "action": state.game.action_text(action)}
        if trace:
            line |= {"decision": state.decision, "legal": _texts(state)}
        state.apply(action, chance)
        if trace:
            line |= {"draws": _draws(chance), "state": state.to_dict()}
        decisions.append(line)
    return Replay(header, decisions, _result(state))


def _is_name(name: object) -> bool:
    return isinstance(name, str) and len(name) <= MOST_OF_A_NAME


def _result(state: GameState) -> dict[str, Any]:
    content = state.to_dict()
    return {
        "scores": state.scores(),
        "ranks": state.ranks(),
        "rounds": content["round"],
        "truncated": content["truncated"],
    }


def to_text(replay: Replay) -> str:
    """The lines of a replay file."""
    lines = [replay.header, *replay.decisions, {"result": replay.result}]
    return "".join(json.dumps(line, separators=(", ", ": ")) + "\n" for line in lines)


def write(replay: Replay, path: str | Path) -> None:
    """Write a replay file, whole or not at all."""
    write_text(path, to_text(replay))


def read(path: str | Path) -> Replay:
    """Read a replay file; raises `ReplayError` naming the file, the line and what is wrong there."""
    try:
        text = read_text(path, MOST_BYTES)
    except ReadingError as error:
        raise ReplayError(f"{_shown(path)}: {error}") from error
    return parse(text, str(path))


def parse(text: str, source: str = "replay") -> Replay:
    """The replay of a text; ``source`` names it in errors.

    Raises `ReplayError` naming the line and what is wrong there.
    """
    source = _shown(source)
    texts = text.removesuffix("\n").split("\n") if text else []
    if not texts:
        raise ReplayError(f"{source}: line 1: the file is empty; a header is needed")
    header = _decode(texts[0], 1, source)
    _check_header(header, source)
    is_trace = "state" in header
    keys = set(_DECISION_KEYS) | (set(_TRACE_DECISION_KEYS) if is_trace else set())
    content, decisions = header, []
    for number, line in enumerate(texts[1:], start=2):
        content = _decode(line, number, source)
        if number < len(texts):
            if set(content) != keys:
                raise ReplayError(
                    f"{source}: line {number}: keys {shorten(sorted(content))}; {sorted(keys)} are needed"
                )
            decisions.append(content)
    if set(content) != {"result"}:
        raise ReplayError(f"{source}: line {len(texts)}: the file ends without a result")
    result = content["result"]
    if not isinstance(result, dict) or set(result) != set(_RESULT_KEYS):
        raise ReplayError(f"{source}: line {len(texts)}: result with {', '.join(_RESULT_KEYS)} is needed")
    for key in ("scores", "ranks"):
        numbers = result[key]
        if not isinstance(numbers, list) or [type(one) for one in numbers] != [int] * header["players"]:
            raise ReplayError(
                f"{source}: line {len(texts)}: {key} = {shorten(numbers)}; {header['players']} integers are needed"
            )
    return Replay(header, decisions, result)


def _decode(line: str, number: int, source: str) -> dict[str, Any]:
    if len(line) > MOST_OF_A_LINE:
        raise ReplayError(f"{source}: line {number}: {len(line)} characters; at most {MOST_OF_A_LINE} are allowed")
    if sum(map(line.count, ",[{")) > MOST_VALUES_OF_A_LINE:
        raise ReplayError(f"{source}: line {number}: more than {MOST_VALUES_OF_A_LINE} values, the most allowed")
    try:
        content: Any = _JSON.decode(line)
    except RecursionError:
        raise ReplayError(f"{source}: line {number}: not JSON: lists and objects are nested too deeply") from None
    except ValueError as error:  # not only of JSON: an integer may have more digits than Python reads
        raise ReplayError(f"{source}: line {number}: not JSON: {reason(error)}") from None
    if not isinstance(content, dict):
        raise ReplayError(f"{source}: line {number}: an object is needed")
    return content


def _shown(source: str | Path) -> str:
    return printable(str(source), MOST_OF_A_TEXT)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in content if names.count(name) > 1)
        raise ValueError(f"{shorten(twice)} stands twice in one object")
    return content


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


_JSON = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)


def _check_header(header: dict[str, Any], source: str) -> None:
    def fail(key: str, allowed: str) -> ReplayError:
        return ReplayError(f"{source}: line 1: {key} = {shorten(header.get(key))}; {allowed} is needed")

    if header.get("format") != FORMAT:
        raise fail("format", repr(FORMAT))
    if type(header.get("version")) is not int or header["version"] != VERSION:
        raise fail("version", str(VERSION))
    wanted = set(_HEADER_KEYS)
    if set(_TRACE_HEADER_KEYS) & set(header):
        wanted |= set(_TRACE_HEADER_KEYS)
    if set(header) != wanted:
        different = min(set(header) ^ wanted)
        problem = "unknown" if different in header else "missing"
        raise ReplayError(f"{source}: line 1: {printable(different, MOST_OF_A_VALUE)} is {problem}")
    ranges = {
        "players": (DEFAULT_GAME.min_players, DEFAULT_GAME.max_players),
        "max_rounds": (1, MOST_ROUNDS),
        "seed": (0, MAX_SEED),
    }
    for key, (low, high) in ranges.items():
        if type(header[key]) is not int or not low <= header[key] <= high:
            raise fail(key, f"an integer in {low}..{high}")
    if type(header["elites"]) is not bool:
        raise fail("elites", "true or false")
    for key in ("rules", "package"):
        if not _is_name(header[key]):
            raise fail(key, f"a text of at most {MOST_OF_A_NAME} characters")
    names = header["agents"]
    if not isinstance(names, list) or len(names) != header["players"] or not all(map(_is_name, names)):
        raise fail("agents", f"a list of {header['players']} names of at most {MOST_OF_A_NAME} characters")


def positions(
    replay: Replay, *, components: Components | None = None, source: str = "replay"
) -> Iterator[tuple[int, GameState, Stream]]:
    """Play a replay again: its line number, the state and the chance after each line of it, the header first.

    The state is the same object each time. Raises `ReplayError` for another rule set or an illegal action.
    """
    source = _shown(source)
    header = replay.header
    rules = load(components)
    if header["rules"] != rules.hash:
        raise ReplayError(
            f"{source}: line 1: rules = {shorten(header['rules'])}; the components given have {rules.hash!r}"
        )
    chance = Stream(header["seed"])
    state = GameState.new(
        chance,
        num_players=header["players"],
        elites=header["elites"],
        components=rules,
        max_rounds=header["max_rounds"],
    )
    yield 1, state, chance
    for number, line in enumerate(replay.decisions, start=2):
        if type(line["seat"]) is not int or line["seat"] != state.seat:
            raise ReplayError(f"{source}: line {number}: seat = {shorten(line['seat'])}; seat {state.seat} decides")
        text = line["action"]
        try:
            if not isinstance(text, str):
                raise ReplayError(f"{source}: line {number}: action = {shorten(text)}; a text is needed")
            canonical = state.game.action_text(state.game.parse_action(text))
            if canonical != text:
                raise ReplayError(f"{source}: line {number}: action = {shorten(text)}; {canonical!r} is needed")
            state.apply(text, chance)
        except ReplayError:
            raise
        except ValueError as error:
            raise ReplayError(f"{source}: line {number}: {reason(error, _MOST_OF_A_REASON)}") from None
        yield number, state, chance


def verify(replay: Replay, *, components: Components | None = None, source: str = "replay") -> int:
    """Play a replay again and compare everything it says; returns the number of decisions.

    Raises `ReplayError` naming the first line that differs.
    """
    source = _shown(source)
    decision, legal = "", [""]
    state = None
    for number, state, chance in positions(replay, components=components, source=source):
        if replay.is_trace:
            line = replay.header if number == 1 else replay.decisions[number - 2]
            played: dict[str, Any] = {"draws": _draws(chance), "state": state.to_dict()}
            if number > 1:
                played |= {"decision": decision, "legal": legal}
            for key, value in played.items():
                _compare(line[key], value, key, f"{source}: line {number}")
            decision, legal = state.decision, _texts(state)
    assert state is not None
    _check_result(replay, state, source)
    return len(replay.decisions)


def _check_result(replay: Replay, state: GameState, source: str) -> None:
    """Raise `ReplayError` unless a file's result is that of the state to which its decisions led."""
    place = f"{source}: line {len(replay.decisions) + 2}"
    if not state.is_over:
        raise ReplayError(f"{place}: the result stands here, but seat {state.seat} has to decide")
    _compare(replay.result, _result(state), "result", place)


def _compare(found: Any, played: Any, path: str, place: str) -> None:
    """Raise `ReplayError` at the first difference between what a file says and what was played."""
    if isinstance(found, dict) and isinstance(played, dict) and set(found) == set(played):
        for key, value in played.items():
            _compare(found[key], value, f"{path}.{key}", place)
    elif isinstance(found, list) and isinstance(played, list) and len(found) == len(played):
        for index, value in enumerate(played):
            _compare(found[index], value, f"{path}[{index}]", place)
    elif type(found) is not type(played) or found != played:
        raise ReplayError(f"{place}: {path} = {_as_json(found)}; played again it is {_as_json(played)}")


def _as_json(value: Any) -> str:
    try:
        return printable(json.dumps(value), MOST_OF_A_VALUE)
    except RecursionError:
        return shorten(value)


def transcript(replay: Replay, *, components: Components | None = None, source: str = "replay") -> Iterator[str]:
    """The game as text, one line at a time, for a player of the board game.

    Everything that is told was played again. Raises `ReplayError` as `positions`, and in the place of the result if the
    file's result is another one than the game's or stands before its end.
    """
    source = _shown(source)
    rules = load(components)
    header = replay.header
    names = [printable(name, MOST_OF_A_VALUE) for name in header["agents"]]
    variant = "with elite characters" if header["elites"] else "without elite characters"
    yield f"Dunaïa, {header['players']} players, {variant}, seed {header['seed']}"
    for seat, name in enumerate(names):
        yield f"  player {seat}: {name}"
    before: dict[str, Any] = {}
    turn = (0, -1)
    state = None
    for number, state, _ in positions(replay, components=rules, source=source):
        if number == 1:
            yield ""
            yield state.game.describe(state.to_dict(), rules)
        else:
            line = replay.decisions[number - 2]
            if (before["round"], line["seat"]) != turn:
                turn = (before["round"], line["seat"])
                yield ""
                dice = [str(face + 1) for face, count in enumerate(before["dice"]["neutral"]) for _ in range(count)]
                yield f"Round {turn[0]}, player {turn[1]} ({names[turn[1]]}); dice {' '.join(dice) or 'own only'}"
            yield f"  {state.game.sentence(line['action'], before, rules)}"
        after = state.to_dict()
        if before:
            yield from _news(before, after)
        before = after
    yield ""
    assert state is not None
    yield state.game.describe(before, rules)
    _check_result(replay, state, source)
    yield ""
    for seat, name in enumerate(names):
        yield f"player {seat} ({name}): {replay.result['scores'][seat]} points, rank {replay.result['ranks'][seat]}"


def _news(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """What happened by itself and everybody at the table would remark on."""
    for seat, (old, new) in enumerate(zip(before["players"], after["players"], strict=True)):
        for square, (was, now) in enumerate(zip(old["squares"], new["squares"], strict=True)):
            if was and now and now["built"] and not was["built"]:
                yield f"    player {seat} completes the building on square {square}"
        if new["artefacts"] > old["artefacts"]:
            yield f"    player {seat} completes an artefact"
    for old, new in zip(before["prophecies"], after["prophecies"], strict=True):
        if old["owner"] != new["owner"]:
            yield f"    player {new['owner']} takes prophecy {new['id']}"
    if before["final_round"] is None and after["final_round"] is not None:
        yield f"    the end is triggered: round {after['final_round']} is the last"


@dataclass(frozen=True)
class _Record:
    """Play games and write one replay file for each."""

    out: Path
    """Folder for the files; made if missing."""
    players: int = 2
    """Players at the table, 2 to 4."""
    elites: bool = False
    """Play with elite characters."""
    seed: int = 0
    """Seed of the first game; the next ones follow upwards."""
    agents: tuple[str, ...] = ("random",)
    """Agents dealt to the seats in order; one name plays every seat."""
    games: int = 1
    """Number of games."""
    max_rounds: int = DEFAULT_MAX_ROUNDS
    """A game that has not ended after so many rounds is stopped and scored."""
    trace: bool = False
    """Write legal actions, draws and states too, so that the rules can be checked without this package."""
    components: Path | None = None
    """Component file; the project's own if not given."""

    def run(self) -> int:
        """Write the files; returns the exit status."""
        if self.games < 1:
            raise ValueError(f"games: {self.games}; at least 1 is needed")
        check_players(DEFAULT_GAME, self.players)
        if not 1 <= len(self.agents) <= self.players:
            raise ValueError(
                f"agents: {len(self.agents)} names; 1..{self.players} are needed for {self.players} players"
            )
        check_seed(self.seed)
        check_seed(self.seed + self.games - 1)
        rules = load(self.components)
        agents = [load_agent(name, components=rules) for name in self.agents]
        variant = "-elites" if self.elites else ""
        console = Console(stderr=True)
        for game in track(range(self.games), "recording", console=console, disable=not console.is_terminal):
            seed = int(game_seed(self.seed, game, 0))
            replay = record_game(
                seed,
                agents,
                num_players=self.players,
                elites=self.elites,
                components=rules,
                max_rounds=self.max_rounds,
                trace=self.trace,
            )
            write(
                replay,
                self.out / f"dunaia-{self.players}p{variant}-{'-'.join(_file_names(self.agents))}-{seed}.jsonl",
            )
        print(f"{self.games} game{'s' if self.games > 1 else ''} written to {self.out}")
        return 0


def _file_names(agents: Iterable[str]) -> Iterator[str]:
    for agent in agents:
        yield "".join(sign if sign.isalnum() else "_" for sign in Path(agent).stem)


@dataclass(frozen=True)
class _Verify:
    """Play replay files again and compare; exit status 1 if one differs."""

    files: Annotated[tuple[Path, ...], tyro.conf.Positional]
    """The replay files."""
    components: Path | None = None
    """Component file; the project's own if not given."""

    def run(self) -> int:
        """Print a line for each file; returns the exit status."""
        if not self.files:
            raise ValueError("files: none; at least one replay file is needed")
        rules = load(self.components)
        status = 0
        for path in self.files:
            try:
                count = verify(read(path), components=rules, source=str(path))
                print(f"{_shown(path)}: {count} decisions, as recorded")
            except ReplayError as error:
                print(error, file=sys.stderr)
                status = 1
        return status


@dataclass(frozen=True)
class _Show:
    """Print a game as a transcript that a player of the board game can follow."""

    file: Annotated[Path, tyro.conf.Positional]
    """The replay file."""
    components: Path | None = None
    """Component file; the project's own if not given."""

    def run(self) -> int:
        """Print the lines; returns the exit status."""
        for line in transcript(read(self.file), components=load(self.components), source=str(self.file)):
            print(line)
        return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    try:
        command = tyro.extras.subcommand_cli_from_dict(
            {"record": _Record, "verify": _Verify, "show": _Show},
            prog="python -m dunaia_env.replay",
            description="Record, verify and show games.",
            args=arguments,
        )
        status: int = command.run()
        return status
    except BrokenPipeError:
        return 0
    except (ValueError, OSError) as error:
        print(reason(error, 2 * _MOST_OF_A_REASON), file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())

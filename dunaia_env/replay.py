"""Replays and traces: a game as a text file that can be verified, shown and checked without this package.

A replay is JSON Lines: a header, a line for each asked decision, a result. A trace is a replay whose lines also carry
the legal actions, the draws and the states.

Command line: ``python -m dunaia_env.replay record|verify|show --help``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.console import Console
from rich.progress import track

from dunaia_env.games import GAMES
from dunaia_env.harness.commands import named_game, with_game_options
from dunaia_env.harness.compiled.chance import AGENT, MAX_SEED, Stream, check_seed, game_seed, random_words
from dunaia_env.harness.game import NUM_PLAYERS, Game
from dunaia_env.harness.opponents import Agent
from dunaia_env.harness.opponents import load as load_agent
from dunaia_env.harness.registry import DEFAULT_GAME, find_game, name_of
from dunaia_env.harness.state import GameState
from dunaia_env.support.atomic import write_text
from dunaia_env.support.machine import package_version
from dunaia_env.support.messages import MOST_OF_A_TEXT, MOST_OF_A_VALUE, printable, reason, shorten
from dunaia_env.support.reading import ReadingError, read_text

FORMAT = "dunaia-replay"
VERSION = 1
_HEADER_KEYS = ("format", "version", "rules", "players", "seed", "agents", "package")  # and the game's options
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
    """A replay as read: its header, its decision lines and its result, as JSON data, and the game it is one of."""

    header: dict[str, Any]
    decisions: list[dict[str, Any]]
    result: dict[str, Any]
    game: Game = DEFAULT_GAME

    @property
    def is_trace(self) -> bool:
        """Whether the lines carry legal actions, draws and states."""
        return "state" in self.header

    @property
    def options(self) -> dict[str, Any]:
        """The options with which the game began."""
        return {option.name: self.header[_key_of(option.name)] for option in self.game.options}


def _key_of(option: str) -> str:
    """How a header calls an option of a game."""
    return "players" if option == NUM_PLAYERS else option


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
    game: Game = DEFAULT_GAME,
    components: Any = None,
    trace: bool = False,
    **options: Any,
) -> Replay:
    """Play a game with the agents dealt to the seats in order, and record it.

    Args:
        seed: of the game.
        agents: one for each seat, or fewer, which are then dealt again from the first.
        game: the game to play.
        components: a component file or its content; the game's own for None.
        trace: record the legal actions, draws and states too.
        options: of the game, see `Game.options`.

    Raises `ValueError` for options out of range, and for an agent whose name is no text or too long for a file.
    """
    for agent in agents:
        if not _is_name(agent.name):
            raise ValueError(
                f"agents: the name {shorten(agent.name)}; a text of at most {MOST_OF_A_NAME} characters is needed"
            )
    chance, chosen = Stream(seed), game.check_options(options)
    state = GameState.new(chance, game=game, components=components, **chosen)
    players = seat_agents(agents, state.num_players)
    for number, agent in enumerate({id(agent): agent for agent in players}.values()):
        agent.reset(int(random_words(seed, AGENT, number, 0)[0]))
    header = make_header(game, state.components, chosen, seed=seed, agents=[agent.name for agent in players])
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
    return Replay(header, decisions, result_of(state), game)


def make_header(
    game: Game, components: Any, options: Mapping[str, Any], *, seed: int, agents: Sequence[str]
) -> dict[str, Any]:
    """The header of a replay.

    Args:
        game: that is played.
        components: of the game.
        options: all of its options.
        seed: of the game.
        agents: the name of each seat's.
    """
    own = {} if game is DEFAULT_GAME else {"game": name_of(game)}
    return {
        "format": FORMAT,
        "version": VERSION,
        **own,
        "rules": components.hash,
        **{_key_of(option.name): options[option.name] for option in game.options},
        "seed": seed,
        "agents": list(agents),
        "package": package_version(),
    }


def _is_name(name: object) -> bool:
    return isinstance(name, str) and len(name) <= MOST_OF_A_NAME


def result_of(state: GameState) -> dict[str, Any]:
    """The result of a replay that ends in a state: the standing there, if the game goes on."""
    rounds, stopped = state.ending()
    return {"scores": state.scores(), "ranks": state.ranks(), "rounds": rounds, "truncated": stopped}


def to_text(replay: Replay) -> str:
    """The lines of a replay file."""
    lines = [replay.header, *replay.decisions, {"result": replay.result}]
    return "".join(json.dumps(line, separators=(", ", ": ")) + "\n" for line in lines)


def write(replay: Replay, path: str | Path) -> None:
    """Write a replay file, whole or not at all."""
    write_text(path, to_text(replay))


def read(path: str | Path, *, game: Game = DEFAULT_GAME) -> Replay:
    """Read a replay file; arguments and errors as `parse`, and `ReplayError` for what is no readable file."""
    try:
        text = read_text(path, MOST_BYTES)
    except ReadingError as error:
        raise ReplayError(f"{_shown(path)}: {error}") from error
    return parse(text, str(path), game=game)


def parse(text: str, source: str = "replay", *, game: Game = DEFAULT_GAME) -> Replay:
    """The replay of a text.

    Args:
        text: of the file.
        source: names it in errors.
        game: one from outside the library that the file may be of. What a file names is never imported by itself.

    Raises `ReplayError` naming the line and what is wrong there.
    """
    source = _shown(source)
    texts = text.removesuffix("\n").split("\n") if text else []
    if not texts:
        raise ReplayError(f"{source}: line 1: the file is empty; a header is needed")
    header = _decode(texts[0], 1, source)
    found = _check_header(header, source, game)
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
    return Replay(header, decisions, result, found)


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


def _check_header(header: dict[str, Any], source: str, other: Game) -> Game:
    """The game of a header; raises `ReplayError` naming the first fault."""

    def fail(key: str, allowed: str) -> ReplayError:
        return ReplayError(f"{source}: line 1: {key} = {shorten(header.get(key))}; {allowed} is needed")

    if header.get("format") != FORMAT:
        raise fail("format", repr(FORMAT))
    if type(header.get("version")) is not int or header["version"] != VERSION:
        raise fail("version", str(VERSION))
    name, known = header.get("game", name_of(DEFAULT_GAME)), [*GAMES, name_of(other)]
    if not isinstance(name, str) or name not in known:
        raise fail("game", f"one of {', '.join(dict.fromkeys(known))}")
    game = other if name == name_of(other) else find_game(name)
    options = {_key_of(option.name): option for option in game.options}
    wanted = {*_HEADER_KEYS, *options} | ({"game"} & set(header))
    if set(_TRACE_HEADER_KEYS) & set(header):
        wanted |= set(_TRACE_HEADER_KEYS)
    if set(header) != wanted:
        different = min(set(header) ^ wanted)
        problem = "unknown" if different in header else "missing"
        raise ReplayError(f"{source}: line 1: {printable(different, MOST_OF_A_VALUE)} is {problem}")
    switches = [key for key, option in options.items() if isinstance(option.default, bool)]
    ranges = {key: (option.least, option.most) for key, option in options.items() if key not in switches}
    for key, (low, high) in {**ranges, "seed": (0, MAX_SEED)}.items():
        if type(header[key]) is not int or not low <= header[key] <= high:
            raise fail(key, f"an integer in {low}..{high}")
    for key in switches:
        if type(header[key]) is not bool:
            raise fail(key, "true or false")
    for key in ("rules", "package"):
        if not _is_name(header[key]):
            raise fail(key, f"a text of at most {MOST_OF_A_NAME} characters")
    names = header["agents"]
    if not isinstance(names, list) or len(names) != header["players"] or not all(map(_is_name, names)):
        raise fail("agents", f"a list of {header['players']} names of at most {MOST_OF_A_NAME} characters")
    return game


def positions(
    replay: Replay, *, components: Any = None, source: str = "replay"
) -> Iterator[tuple[int, GameState, Stream]]:
    """Play a replay again: its line number, the state and the chance after each line of it, the header first.

    The state is the same object each time. Raises `ReplayError` for other components or an illegal action.
    """
    source = _shown(source)
    header = replay.header
    loaded = replay.game.load(components)
    if header["rules"] != loaded.hash:
        raise ReplayError(
            f"{source}: line 1: rules = {shorten(header['rules'])}; the components given have {loaded.hash!r}"
        )
    chance = Stream(header["seed"])
    state = GameState.new(chance, game=replay.game, components=loaded, **replay.options)
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


def verify(replay: Replay, *, components: Any = None, source: str = "replay") -> int:
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
    _compare(replay.result, result_of(state), "result", place)


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


def transcript(replay: Replay, *, components: Any = None, source: str = "replay") -> Iterator[str]:
    """The game as text, one line at a time, for a player of the board game.

    Everything that is told was played again. Raises `ReplayError` as `positions`, and in the place of the result if the
    file's result is another one than the game's or stands before its end.
    """
    source = _shown(source)
    game, header = replay.game, replay.header
    loaded = game.load(components)
    names = [printable(name, MOST_OF_A_VALUE) for name in header["agents"]]
    parts = [game.title, f"{header['players']} players", game.telling.variant(replay.options), f"seed {header['seed']}"]
    yield ", ".join(part for part in parts if part)
    for seat, name in enumerate(names):
        yield f"  player {seat}: {name}"
    before: dict[str, Any] = {}
    round_before, turn, state = 0, (0, -1), None
    for number, state, _ in positions(replay, components=loaded, source=source):
        after = state.to_dict()
        if number == 1:
            yield ""
            yield game.describe(after, loaded)
        else:
            line = replay.decisions[number - 2]
            seat = line["seat"]
            if (round_before, seat) != turn:
                turn = (round_before, seat)
                yield ""
                yield game.telling.turn(before, f"player {seat} ({names[seat]})")
            yield f"  {game.sentence(line['action'], before, loaded)}"
            for news in game.telling.news(before, after):
                yield f"    {news}"
        before, round_before = after, state.ending()[0]
    yield ""
    assert state is not None
    yield game.describe(before, loaded)
    _check_result(replay, state, source)
    yield ""
    for seat, name in enumerate(names):
        yield f"player {seat} ({name}): {replay.result['scores'][seat]} points, rank {replay.result['ranks'][seat]}"


@dataclass(frozen=True)
class _Record:
    """Play games and write one replay file for each."""

    out: Path
    """Folder for the files; made if missing."""
    players: int | None = None
    """Players at the table; the game's default if not given."""
    seed: int = 0
    """Seed of the first game; the next ones follow upwards."""
    agents: tuple[str, ...] = ("random",)
    """Agents dealt to the seats in order; one name plays every seat."""
    games: int = 1
    """Number of games."""
    trace: bool = False
    """Write legal actions, draws and states too, so that the rules can be checked without this package."""
    components: Path | None = None
    """Component file; the game's own if not given."""
    game: str = DEFAULT_GAME.name
    """The game, a name or a module such as my_package.game."""
    game_options: Mapping[str, Any] = field(default_factory=dict)
    """The game's options but for the number of players."""

    def run(self) -> int:
        """Write the files; returns the exit status."""
        if self.games < 1:
            raise ValueError(f"games: {self.games}; at least 1 is needed")
        game = find_game(self.game)
        given = {} if self.players is None else {NUM_PLAYERS: self.players}
        options = game.check_options({**given, **self.game_options})
        players = options[NUM_PLAYERS]
        if not 1 <= len(self.agents) <= players:
            raise ValueError(f"agents: {len(self.agents)} names; 1..{players} are needed for {players} players")
        check_seed(self.seed)
        check_seed(self.seed + self.games - 1)
        loaded = game.load(self.components)
        agents = [load_agent(name, components=loaded, game=game) for name in self.agents]
        switches = [f"-{name}" for name, value in options.items() if value is True]
        table = f"{game.name}-{players}p{''.join(switches)}-{'-'.join(_file_names(self.agents))}"
        console = Console(stderr=True)
        for number in track(range(self.games), "recording", console=console, disable=not console.is_terminal):
            seed = int(game_seed(self.seed, number, 0))
            replay = record_game(seed, agents, game=game, components=loaded, trace=self.trace, **options)
            write(replay, self.out / f"{table}-{seed}.jsonl")
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
    """Component file; the game's own if not given."""
    game: str = DEFAULT_GAME.name
    """The game, where the files are of one from outside the library: a module such as my_package.game."""

    def run(self) -> int:
        """Print a line for each file; returns the exit status."""
        if not self.files:
            raise ValueError("files: none; at least one replay file is needed")
        game = find_game(self.game)
        loaded = game.load(self.components)
        status = 0
        for path in self.files:
            try:
                replay = read(path, game=game)
                own = loaded if replay.game is game else self.components
                count = verify(replay, components=own, source=str(path))
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
    """Component file; the game's own if not given."""
    game: str = DEFAULT_GAME.name
    """The game, where the file is of one from outside the library: a module such as my_package.game."""

    def run(self) -> int:
        """Print the lines; returns the exit status."""
        replay = read(self.file, game=find_game(self.game))
        for line in transcript(replay, components=self.components, source=str(self.file)):
            print(line)
        return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    try:
        game = named_game(sys.argv[1:] if arguments is None else arguments)
        command: _Record | _Verify | _Show = tyro.extras.subcommand_cli_from_dict(
            {"record": with_game_options(_Record, game), "verify": _Verify, "show": _Show},
            prog="python -m dunaia_env.replay",
            description="Record, verify and show games.",
            args=arguments,
        )
        return command.run()
    except BrokenPipeError:
        return 0
    except (ValueError, OSError) as error:
        print(reason(error, 2 * _MOST_OF_A_REASON), file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())

"""Replays and traces: games as text files that can be verified and shown, and checked without this package.

A replay is a JSON Lines file: a header, a line for each decision of an agent, and a result. A trace is a replay whose
lines also contain the legal actions, the draws and the states.

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
from dunaia_env.harness import commands, opponents, recording
from dunaia_env.harness.compiled.chance import AGENT, MAX_SEED, Stream, check_seed, game_seed, random_words
from dunaia_env.harness.game import RANKS, ROUNDS, SCORES, TRUNCATED, Game
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.harness.registry import DEFAULT_GAME, find_game, name_of
from dunaia_env.harness.state import GameState
from dunaia_env.support import atomic, english, reading, strict_json, terminal
from dunaia_env.support.messages import MOST_OF_A_TEXT, MOST_OF_A_VALUE, printable, reason, shorten
from dunaia_env.support.version import __version__

FORMAT = "dunaia-replay"
VERSION = 1
_HEADER_KEYS = ("format", "version", "rules", "players", "seed", "agents", "package")  # besides the game's options
_TRACE_HEADER_KEYS = ("draws", "state")
_DECISION_KEYS = ("seat", "action")
_TRACE_DECISION_KEYS = ("decision", "legal", "draws", "state")

# A trace of 1,000 rounds of four players that never build has 30 MB; its longest line has 4 KB and about 800 values. A
# parsed value takes up to 70 bytes, so the limit on values bounds the memory that a small file can use.
MOST_BYTES = 1 << 27
MOST_VALUES_OF_A_LINE = 1 << 12
MOST_OF_A_LINE = 1 << 16
MOST_OF_A_NAME = 1000
_MOST_OF_A_REASON = 600


class ReplayError(ValueError):
    """A file that is not a replay, is damaged, or differs from the game that is played from its header."""


@dataclass(frozen=True)
class Replay:
    """A replay: header, decision lines and result as JSON data, and the game that was played."""

    header: dict[str, Any]
    decisions: list[dict[str, Any]]
    result: dict[str, Any]
    game: Game = DEFAULT_GAME

    @property
    def is_trace(self) -> bool:
        """Whether the lines contain legal actions, draws and states."""
        return "state" in self.header

    @property
    def options(self) -> dict[str, Any]:
        """The options of the game."""
        return recording.options_of(self.game, self.header)

    @property
    def later_seeds(self) -> list[tuple[int, int]]:
        """Pairs of a decision and a seed: from this decision on, the outcomes of chance follow from this seed."""
        return [(decision, seed) for decision, seed in self.header.get(recording.LATER_SEEDS, ())]

    def seed_of(self, decision: int) -> int:
        """The seed from which the outcomes of a decision follow, or those of the set-up for decision -1."""
        return recording.seed_at(decision, self.header["seed"], self.later_seeds)

    def _repr_svg_(self) -> str | None:
        """The picture that notebooks show: the end of the game; None if it cannot be shown or played again."""
        if self.game.presentation is None:
            return None
        try:
            *_, (_, state, _) = positions(self)
        except ReplayError:  # damaged, or played with other components than the game's own
            return None
        return state.picture(names=self.header["agents"])


def _format_of(game: Game) -> str:
    return game.recording.format or FORMAT


def _game_of_format(name: str) -> Game | None:
    """The library's first game with a format; its files in this format need not name it. None if no game has it."""
    return next((game for game in map(find_game, GAMES) if _format_of(game) == name), None)


def _draws(chance: Stream) -> list[list[int]]:
    return [list(draw) for draw in chance.draws]


def _texts(state: GameState) -> list[str]:
    return [state.game.action_text(action) for action in state.legal_actions()]


def seat_agents(agents: Sequence[opponents.Agent], players: int) -> list[opponents.Agent]:
    """The agent of each seat: the agents are assigned to the seats in order, starting again when they run out.

    Raises `ValueError` for no agent, or for more agents than seats.
    """
    if not 1 <= len(agents) <= players:
        raise ValueError(f"agents: expected 1..{players} for {players} players, got {len(agents)}")
    return [agents[seat % len(agents)] for seat in range(players)]


def record_game(
    seed: int,
    agents: Sequence[opponents.Agent],
    *,
    game: Game = DEFAULT_GAME,
    components: Any = None,
    trace: bool = False,
    **options: Any,
) -> Replay:
    """Play a game with the agents assigned to the seats in order, and record it.

    Args:
        seed: the game's seed.
        agents: one agent for each seat, or fewer agents, which are then assigned again from the first.
        game: the game to play.
        components: a component file or its content; None for the game's own.
        trace: also record the legal actions, draws and states.
        options: the game's options, see `Game.options`.

    Raises `ValueError` for options out of range, and for an agent whose name is not a text or is too long for a file.
    """
    for agent in agents:
        if not _is_name(agent.name):
            raise ValueError(
                f"agents: expected a name of at most {MOST_OF_A_NAME} characters, got {shorten(agent.name)}"
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
    game: Game,
    components: Any,
    options: Mapping[str, Any],
    *,
    seed: int,
    agents: Sequence[str],
    later_seeds: Sequence[tuple[int, int]] = (),
) -> dict[str, Any]:
    """The header of a replay.

    Args:
        game: the game that is played.
        components: the game's components.
        options: all options of the game.
        seed: the game's seed.
        agents: the name of each seat's agent.
        later_seeds: see `Replay.later_seeds`.
    """
    game_entry = {} if game is _game_of_format(_format_of(game)) else {"game": name_of(game)}
    return {
        "format": _format_of(game),
        "version": VERSION,
        **game_entry,
        "rules": components.hash,
        **recording.header_entries(game, options),
        "seed": seed,
        **({recording.LATER_SEEDS: [list(pair) for pair in later_seeds]} if later_seeds else {}),
        "agents": list(agents),
        "package": __version__,
    }


def _is_name(name: object) -> bool:
    return isinstance(name, str) and len(name) <= MOST_OF_A_NAME


def result_of(state: GameState) -> dict[str, Any]:
    """The result of a replay that ends in a state; the present standings if the game is not over."""
    rounds, stopped = state.ending()
    facts: dict[str, Any] = {SCORES: state.scores(), RANKS: state.ranks(), ROUNDS: rounds, TRUNCATED: stopped}
    wanted = state.game.recording.result
    content = facts if set(wanted.values()) <= set(facts) else state.to_dict() | facts
    return {key: content[fact] for key, fact in wanted.items()}


def to_text(replay: Replay) -> str:
    """The text of a replay file."""
    lines = [replay.header, *replay.decisions, {"result": replay.result}]
    return "".join(json.dumps(line, separators=(", ", ": ")) + "\n" for line in lines)


def write(replay: Replay, path: str | Path) -> None:
    """Write a replay file atomically."""
    atomic.write_text(path, to_text(replay))


def read(path: str | Path, *, game: Game = DEFAULT_GAME) -> Replay:
    """Read a replay file; see `parse` for the arguments and errors. Raises `ReplayError` for an unreadable file."""
    try:
        text = reading.read_text(path, MOST_BYTES)
    except reading.ReadingError as error:
        raise ReplayError(f"{_shown(path)}: {error}") from error
    return parse(text, str(path), game=game)


def parse(text: str, source: str = "replay", *, game: Game = DEFAULT_GAME) -> Replay:
    """Parse the text of a replay file.

    Args:
        text: the text; a byte order mark at its beginning and empty lines at its end are ignored.
        source: the file's name in errors.
        game: a game from outside the library that the file may be a replay of. A module that only the file names is
            never imported.

    Raises `ReplayError` naming the line and what is wrong there.
    """
    source = _shown(source)
    text = text.removeprefix(reading.MARK).rstrip(" \t\r\n")
    texts = text.split("\n")
    if not text:
        raise ReplayError(f"{source}: line 1: expected a header, got an empty file")
    header = _decode(texts[0], 1, source)
    replay_game = _check_header(header, source, game)
    is_trace = "state" in header
    keys = set(_DECISION_KEYS) | (set(_TRACE_DECISION_KEYS) if is_trace else set())
    content, decisions = header, []
    for number, line in enumerate(texts[1:], start=2):
        content = _decode(line, number, source)
        if number < len(texts):
            if set(content) != keys:
                raise ReplayError(
                    f"{source}: line {number}: expected the keys {sorted(keys)}, got {shorten(sorted(content))}"
                )
            decisions.append(content)
    if set(content) != {"result"}:
        raise ReplayError(f"{source}: line {len(texts)}: the file ends without a result")
    if any(decision > len(decisions) for decision, _ in header.get(recording.LATER_SEEDS, ())):
        raise ReplayError(
            f"{source}: line 1: {recording.LATER_SEEDS}: expected decisions in 0..{len(decisions)},"
            f" got {shorten(header[recording.LATER_SEEDS])}"
        )
    result = content["result"]
    result_keys = replay_game.recording.result
    if not isinstance(result, dict) or set(result) != set(result_keys):
        raise ReplayError(f"{source}: line {len(texts)}: expected result with {', '.join(result_keys)}")
    for key in (SCORES, RANKS):
        numbers = result[key]
        if not isinstance(numbers, list) or [type(value) for value in numbers] != [int] * header["players"]:
            raise ReplayError(
                f"{source}: line {len(texts)}: {key}: expected {header['players']} integers, got {shorten(numbers)}"
            )
    return Replay(header, decisions, result, replay_game)


def _decode(line: str, number: int, source: str) -> dict[str, Any]:
    try:
        return strict_json.parse_object(line, MOST_OF_A_LINE, MOST_VALUES_OF_A_LINE)
    except ValueError as error:
        raise ReplayError(f"{source}: line {number}: {error}") from None


def _shown(source: str | Path) -> str:
    return printable(str(source), MOST_OF_A_TEXT)


def _check_header(header: dict[str, Any], source: str, external: Game) -> Game:
    """Check a header and return its game, one of the library's or ``external``; raises `ReplayError`."""

    def fail(key: str, allowed: str) -> ReplayError:
        return ReplayError(f"{source}: line 1: {key}: expected {allowed}, got {shorten(header.get(key))}")

    file_format = header.get("format")
    own = _game_of_format(file_format) if isinstance(file_format, str) else None
    if own is None and file_format != _format_of(external):
        raise fail("format", repr(FORMAT))
    if type(header.get("version")) is not int or header["version"] != VERSION:
        raise fail("version", str(VERSION))
    name, known = header.get("game", None if own is None else name_of(own)), [*GAMES, name_of(external)]
    if not isinstance(name, str) or name not in known:
        raise fail("game", f"one of {', '.join(dict.fromkeys(known))}")
    game = external if name == name_of(external) else find_game(name)
    if _format_of(game) != file_format:
        raise fail("format", repr(_format_of(game)))
    needed = {*_HEADER_KEYS, *recording.header_keys(game)} | ({"game", recording.LATER_SEEDS} & set(header))
    if set(_TRACE_HEADER_KEYS) & set(header):
        needed |= set(_TRACE_HEADER_KEYS)
    if set(header) != needed:
        different = min(set(header) ^ needed)
        problem = "unknown" if different in header else "missing"
        raise ReplayError(f"{source}: line 1: {printable(different, MOST_OF_A_VALUE)} is {problem}")
    if type(header["seed"]) is not int or not 0 <= header["seed"] <= MAX_SEED:
        raise fail("seed", f"an integer in 0..{MAX_SEED}")
    if recording.LATER_SEEDS in header and not recording.are_later_seeds(header[recording.LATER_SEEDS]):
        raise fail(recording.LATER_SEEDS, f"pairs of ascending decisions and seeds in 0..{MAX_SEED}")
    try:
        recording.options_of(game, header)
    except ValueError as error:
        raise ReplayError(f"{source}: line 1: {reason(error)}") from None
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
    """Play a replay again and yield line number, state and chance after each of its lines, beginning with the header.

    The yielded state is always the same object. Raises `ReplayError` for other components or an illegal action.
    """
    source = _shown(source)
    header = replay.header
    loaded = replay.game.load(components)
    if header["rules"] != loaded.hash:
        raise ReplayError(
            f"{source}: line 1: rules = {shorten(header['rules'])}; the components have the hash {loaded.hash!r}"
        )
    chance, later = Stream(header["seed"]), dict(replay.later_seeds)
    state = GameState.new(chance, game=replay.game, components=loaded, **replay.options)
    yield 1, state, chance
    for number, line in enumerate(replay.decisions, start=2):
        if number - 2 in later:
            chance = Stream(later[number - 2])
        if type(line["seat"]) is not int or line["seat"] != state.seat:
            raise ReplayError(f"{source}: line {number}: seat = {shorten(line['seat'])}; seat {state.seat} decides")
        text = line["action"]
        try:
            if not isinstance(text, str):
                raise ReplayError(f"{source}: line {number}: action: expected a text, got {shorten(text)}")
            canonical = state.game.action_text(state.game.parse_action(text))
            if canonical != text:
                raise ReplayError(f"{source}: line {number}: action: expected {canonical!r}, got {shorten(text)}")
            state.apply(text, chance)
        except ReplayError:
            raise
        except ValueError as error:
            raise ReplayError(f"{source}: line {number}: {reason(error, _MOST_OF_A_REASON)}") from None
        yield number, state, chance


def verify(replay: Replay, *, components: Any = None, source: str = "replay") -> int:
    """Play a replay again and compare all of its contents; returns the number of decisions.

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
    """Raise `ReplayError` unless a file's result is that of the state after its decisions."""
    location = f"{source}: line {len(replay.decisions) + 2}"
    if not state.is_over:
        raise ReplayError(f"{location}: a result, but the game is not over: seat {state.seat} has to decide")
    _compare(replay.result, result_of(state), "result", location)


def _compare(recorded: Any, played: Any, path: str, location: str) -> None:
    """Raise `ReplayError` at the first difference between recorded data and the data of the game played again."""
    if isinstance(recorded, dict) and isinstance(played, dict) and set(recorded) == set(played):
        for key, value in played.items():
            _compare(recorded[key], value, f"{path}.{key}", location)
    elif isinstance(recorded, list) and isinstance(played, list) and len(recorded) == len(played):
        for index, value in enumerate(played):
            _compare(recorded[index], value, f"{path}[{index}]", location)
    elif type(recorded) is not type(played) or recorded != played:
        raise ReplayError(f"{location}: {path} = {_as_json(recorded)}; played again it is {_as_json(played)}")


def _as_json(value: Any) -> str:
    try:
        return printable(json.dumps(value), MOST_OF_A_VALUE)
    except RecursionError:
        return shorten(value)


def transcript(replay: Replay, *, components: Any = None, source: str = "replay") -> Iterator[str]:
    """The game as text, one line at a time, for readers who know the board game.

    The game is played again to make the text. Raises the errors of `positions`. If the file's result differs from the
    game's or the game is not over, raises `ReplayError` in place of the result.
    """
    source = _shown(source)
    game, header = replay.game, replay.header
    loaded = game.load(components)
    names = [printable(name, MOST_OF_A_VALUE) for name in header["agents"]]
    parts = [game.title, f"{header['players']} players", game.telling.variant(replay.options), f"seed {header['seed']}"]
    yield ", ".join(part for part in parts if part)
    for seat, name in enumerate(names):
        yield f"  player {seat}: {name}"
    before: Mapping[str, Any] = {}
    round_before, turn, state = 0, (0, -1), None
    for number, state, _ in positions(replay, components=loaded, source=source):
        after = state.to_dict()
        if number == 1:
            yield ""
            yield from _whole(game, after, loaded)
        else:
            line = replay.decisions[number - 2]
            seat = line["seat"]
            if game.presentation is not None:
                before = game.presentation.hear(line["action"], before, before, after, loaded)
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
    yield from _whole(game, before, loaded)
    _check_result(replay, state, source)
    yield ""
    for seat, name in enumerate(names):
        yield f"player {seat} ({name}): {replay.result['scores'][seat]} points, rank {replay.result['ranks'][seat]}"


def _whole(game: Game, content: Mapping[str, Any], components: Any) -> Iterator[str]:
    """A position: its drawing, if the game has one, and its text."""
    drawing = game.presentation.drawing if game.presentation is not None else None
    drawn = drawing.draw(content, components) if drawing is not None else ""
    if drawn:
        yield drawn
        yield ""
    yield game.describe(content, components)


@dataclass(frozen=True)
class _Record:
    """Play games and write one replay file for each."""

    out: Path
    """Folder for the files; created if missing."""
    players: int | None = None
    """Number of players; the game's default if not given."""
    seed: int = 0
    """Seed of the first game; the following games have seeds derived from it."""
    agents: tuple[str, ...] = ("random",)
    """Agents, assigned to the seats in order, starting again when they run out."""
    games: int = 1
    """Number of games."""
    trace: bool = False
    """Also write legal actions, draws and states, so that the rules can be checked without this package."""
    components: Path | None = None
    """Component file; the game's own by default."""
    game: str = DEFAULT_GAME.name
    """The game: a name, or a module such as my_package.game."""
    game_options: Mapping[str, Any] = field(default_factory=dict)
    """The game's options, except the number of players."""

    def run(self) -> int:
        """Write the files; returns the exit status."""
        if self.games < 1:
            raise ValueError(f"games: expected at least 1, got {self.games}")
        game = find_game(self.game)
        num_players = {} if self.players is None else {NUM_PLAYERS: self.players}
        options = game.check_options({**num_players, **self.game_options})
        players = options[NUM_PLAYERS]
        if not 1 <= len(self.agents) <= players:
            raise ValueError(f"agents: expected 1..{players} names for {players} players, got {len(self.agents)}")
        check_seed(self.seed)
        check_seed(self.seed + self.games - 1)
        loaded = game.load(self.components)
        agents = [opponents.load(name, components=loaded, game=game) for name in self.agents]
        enabled = [f"-{name}" for name, value in options.items() if value is True]
        prefix = f"{game.name}-{players}p{''.join(enabled)}-{'-'.join(_file_names(self.agents))}"
        console = Console(stderr=True)
        for number in track(range(self.games), "recording", console=console, disable=not console.is_terminal):
            seed = int(game_seed(self.seed, number, 0))
            replay = record_game(seed, agents, game=game, components=loaded, trace=self.trace, **options)
            write(replay, self.out / f"{prefix}-{seed}.jsonl")
        print(f"{english.count(self.games, 'game')} written to {self.out}")
        return 0


def _file_names(agents: Iterable[str]) -> Iterator[str]:
    for agent in agents:
        yield "".join(character if character.isalnum() else "_" for character in Path(agent).stem)


@dataclass(frozen=True)
class _Verify:
    """Play replay files again and compare them; exit status 1 if one differs."""

    files: Annotated[tuple[Path, ...], tyro.conf.Positional]
    """The replay files."""
    components: Path | None = None
    """Component file; the game's own by default."""
    game: str = DEFAULT_GAME.name
    """The game, if the files' game does not belong to the library: a module such as my_package.game."""

    def run(self) -> int:
        """Print a line for each file; returns the exit status."""
        if not self.files:
            raise ValueError("files: expected at least one replay file, got none")
        game = find_game(self.game)
        loaded = game.load(self.components)
        status = 0
        for path in self.files:
            try:
                replay = read(path, game=game)
                own = loaded if replay.game is game else self.components
                decisions = verify(replay, components=own, source=str(path))
                print(f"{_shown(path)}: {english.count(decisions, 'decision')}, as recorded")
            except ReplayError as error:
                print(error, file=sys.stderr)
                status = 1
        return status


@dataclass(frozen=True)
class _Show:
    """Print a game as a transcript for readers who know the board game."""

    file: Annotated[Path, tyro.conf.Positional]
    """The replay file."""
    components: Path | None = None
    """Component file; the game's own by default."""
    game: str = DEFAULT_GAME.name
    """The game, if the file's game does not belong to the library: a module such as my_package.game."""

    def run(self) -> int:
        """Print the lines; returns the exit status."""
        replay = read(self.file, game=find_game(self.game))
        for line in transcript(replay, components=self.components, source=str(self.file)):
            print(line)
        return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    try:
        words = sys.argv[1:] if arguments is None else arguments
        game = commands.named_game(words)
        preset = commands.named_preset(words, game)
        command: _Record | _Verify | _Show = tyro.extras.subcommand_cli_from_dict(
            {"record": commands.with_game_options(_Record, game, preset=preset), "verify": _Verify, "show": _Show},
            prog="dunaia replay",
            description="Record, verify and show games.",
            args=arguments,
        )
        return command.run()
    except BrokenPipeError:  # the reader of the output has gone, which `run_main` handles
        raise
    except (ValueError, OSError) as error:
        print(reason(error, 2 * _MOST_OF_A_REASON), file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(terminal.run_main(main))

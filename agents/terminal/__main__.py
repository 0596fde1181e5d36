"""The command that plays a whole game with people at a terminal.

Command line, from a checkout: ``python -m agents.terminal --opponents greedy --seed 7``; from an installed package:
``python -m dunaia_env.agents.terminal``.
"""

from __future__ import annotations

import io
import shlex
import sys
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from dunaia_env.harness.commands import option_words, parse_command
from dunaia_env.harness.compiled.chance import AGENT, Stream, check_seed, fresh_seed, random_words
from dunaia_env.harness.game import Game
from dunaia_env.harness.opponents import Agent, GameLeftError, load as load_agent
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.harness.registry import DEFAULT_GAME, find_game
from dunaia_env.harness.state import GameState
from dunaia_env.replay import Replay, make_header, positions, read, result_of, write
from dunaia_env.support.messages import printable
from dunaia_env.support.system import edit_lines
from dunaia_env.support.terminal import encodable, run_main

from .agent import Ask, TerminalAgent, ask_standard_input, shown_name
from .board import counted
from .look import look_of

NOBODY = -1  # in place of a seat, while nobody looks at the screen that people share


@dataclass(frozen=True)
class Options:
    """Play a game in the terminal against agents."""

    opponents: tuple[str, ...] = ("greedy",)
    """Agents of the other seats, assigned in order: easy, medium, hard, champion, greedy, random, mcts:1000,
    ismcts:100, a model file (*.safetensors), package.module:Attribute or file.py:Attribute."""
    players: int | None = None
    """Number of players; by default the people and the opponents that are named."""
    seat: int = 0
    """Your seat, from 0."""
    people: int = 1
    """Number of people at this terminal; they have adjacent seats, beginning with yours."""
    seed: int | None = None
    """Seed of the game; a random seed by default. It is printed at the end."""
    hint: str = "greedy"
    """Agent that gives hints."""
    confirm: bool = True
    """Ask for confirmation after each choice."""
    scroll: bool = False
    """Print each decision below the last one. Otherwise, on a terminal of at least 80 columns and 24 rows, each is
    drawn on one fixed screen."""
    save: Path | None = None
    """File for the replay."""
    resume: Path | None = None
    """Replay of an unfinished game to continue; players, seats, seed and the game's options are then those of the
    file."""
    components: Path | None = None
    """Component file; the game's own by default."""
    game: str = DEFAULT_GAME.name
    """The game to play."""
    game_options: Mapping[str, Any] = field(default_factory=dict)
    """The game's options, except the number of players."""


_Start = tuple[Replay, GameState, Stream]


class _TerminalGame:
    """A game of people and agents at a terminal: its agents, its state and its decisions so far.

    People who share a terminal in a game with hidden information look at the screen one after another. What happens is
    kept for each of them until it is their turn.
    """

    def __init__(self, options: Options, console: Console, ask: Ask) -> None:
        self._console = console
        game = find_game(options.game)
        components = game.load(options.components)
        self._look = look_of(game, components)
        begun, self.state, self._chance = (
            _begin(options, game, components) if options.resume is None else _resume(options.resume, game, components)
        )
        self.header, self.decisions, self._options = begun.header, begun.decisions, begun.options
        free = [seat for seat, name in enumerate(self.header["agents"]) if name != TerminalAgent.name]
        names = options.opponents if free else ()
        if not len(names) <= len(free) or (free and not names):
            raise ValueError(
                f"opponents: expected 1..{len(free)}, one for each seat without a person, got {len(names)}"
            )
        opponents = [load_agent(name, components=components, game=game) for name in names]
        seated = {seat: opponents[index % len(opponents)] for index, seat in enumerate(free)}
        people = [seat for seat in range(self.header["players"]) if seat not in seated]
        person = "you" if len(people) == 1 else "person"
        self._names = [
            f"player {seat} ({shown_name(seated[seat]) if seat in seated else person})"
            for seat in range(self.header["players"])
        ]
        hint = load_agent(options.hint, components=components, game=game)
        hint.reset(0)
        self._person = TerminalAgent(
            console,
            ask,
            hint=hint,
            confirm=options.confirm,
            names=self._names,
            show_changes=False,
            screen=not options.scroll and _is_interactive(console, ask),
        )
        self._agents: list[Agent] = [seated.get(seat, self._person) for seat in range(self.header["players"])]
        self.header["agents"] = [shown_name(agent) for agent in self._agents]
        # The seats from whose view the game is told; None in a game of perfect information.
        self._observers: list[int | None] = [None] if game.perfect_information else [*people]
        self._turns: dict[int | None, Hashable] = {}
        self._untold: dict[int | None, list[tuple[str, str]]] = {observer: [] for observer in self._observers}
        self._at_screen = self._observers[0] if len(self._observers) == 1 else NOBODY
        self._last_person = NOBODY  # who decided last
        # The seeds are those of `dunaia_env.replay.record_game`, so the same choices give the same game there.
        for number, agent in enumerate({id(agent): agent for agent in self._agents}.values()):
            agent.reset(int(random_words(self.header["seed"], AGENT, number, 0)[0]))

    def say(self, text: str, style: str = "") -> None:
        """Show a line."""
        self._console.print(Text(text, style))

    def play(self) -> None:
        """Play to the end and show every action; raises `GameLeftError` if a person quits."""
        with self._person.on_screen():
            self._play_decisions()
        self._show_result()

    def _play_decisions(self) -> None:
        state, game = self.state, self.state.game
        parts = [
            encodable(game.title, self._console.encoding),
            f"{len(self._names)} players",
            game.telling.variant(self._options),
        ]
        self._tell_everybody(f"{', '.join(part for part in parts if part)}: {', '.join(self._names)}", "bold")
        if self.decisions:
            self._tell_everybody(f"The game continues after {counted(len(self.decisions), 'decisions')}.")
        while not state.is_over:
            seat = state.seat
            if self._agents[seat] is self._person:
                self._hand_over(seat)
                self._last_person = seat
            before, whole = self._seen(), state.to_dict()
            for observer, content in before.items():
                self._announce(observer, seat, content)
            if self._agents[seat] is not self._person:
                self._person.wait(f"{self._decider(seat, before)} decides ...")
            action = self._agents[seat].act(state.view())
            state.apply(action, self._chance)
            text, whole_after = game.action_text(action), state.to_dict()
            self.decisions.append({"seat": seat, "action": text})
            for observer, content in self._seen().items():
                heard = self._look.hear(text, before[observer], whole, whole_after)
                self._tell(observer, seat, text, heard, content)

    def _decider(self, seat: int, seen: Mapping[int | None, Mapping[str, Any]]) -> str:
        """Who decides, as far as everybody who may look at the screen knows it."""
        return self._names[seat] if all(content["seat"] is not None for content in seen.values()) else "Somebody"

    def _tell_everybody(self, text: str, style: str = "") -> None:
        """Show a line to all people before they decide."""
        for observer in self._observers:
            is_kept = self._person.tell(observer, text, style)
        if not is_kept:
            self.say(text, style)

    def _seen(self) -> dict[int | None, Mapping[str, Any]]:
        """What each observer knows of the position."""
        state = self.state
        return {
            observer: state.to_dict() if observer is None else state.view(observer).to_dict()
            for observer in self._observers
        }

    def _hand_over(self, seat: int) -> None:
        """Let the person of a seat sit down at the screen, and show what has happened since they last did."""
        if len(self._observers) == 1 or self._at_screen == seat:
            return
        self._console.clear()
        self._person.pause(f"{self._names[seat]}: press Enter when nobody else sees the screen: ")
        self._at_screen = seat
        for text, style in self._untold[seat]:
            self.say(text, style)
        self._untold[seat].clear()

    def _note(self, observer: int | None, text: str, style: str = "") -> None:
        """Show a line to an observer, now or when they see the screen again."""
        if self._person.tell(observer, text, style):
            return
        if observer == self._at_screen:
            self.say(text, style)
        else:
            self._untold[observer].append((text, style))

    def _announce(self, observer: int | None, seat: int, content: Mapping[str, Any]) -> None:
        """Show the line with which a turn of somebody else begins, if the observer may know who decides."""
        if content["seat"] is None:
            return
        turn = self._look.turn(content), seat
        if turn != self._turns.get(observer) and seat != observer and self._agents[seat] is not self._person:
            self._note(observer, f"\n{self._look.announcement(content, self._names[seat])}", "bold")
        self._turns[observer] = turn

    def _tell(
        self, observer: int | None, seat: int, text: str, before: Mapping[str, Any], after: Mapping[str, Any]
    ) -> None:
        """Show an action as a sentence; its other effects on its player follow in the same line, all others below.

        An observer who may not know who decided is shown the effects that they see.
        """
        wording, components = self._look.wording, self.state.components
        effects = wording.changes(text, before, after, components)
        if before["seat"] is not None:
            own = ", ".join(change.text for change in effects if change.seat == seat)
            sentence = wording.sentence(text, before, components)
            self._note(observer, f"  {self._names[seat]} {sentence}{f': {own}' if own else ''}")
            effects = [change for change in effects if change.seat != seat]
        for change in effects:
            owner = "" if change.seat is None else f"{self._names[change.seat]}: "
            self._note(observer, f"    {owner}{change.text}", "dim")

    def _show_result(self) -> None:
        state, console = self.state, self._console
        for text, style in self._untold.get(self._at_screen, ()):
            self.say(text, style)
        for line in self._person.told(self._last_person):
            console.print(line)
        self.say("\nThe game is over", "bold reverse")
        ranks = state.ranks()
        for part in self._look.result(state.to_dict(), state.scores(), ranks, self._names, console):
            console.print(part)
        verdict = self._look.verdict(ranks, self._names)
        if verdict:
            self.say(verdict, "bold")

    def replay(self) -> Replay:
        """The game so far; before its end the result is the present standings, which replay verification rejects."""
        return Replay(self.header, self.decisions, result_of(self.state), self.state.game)


def _is_interactive(console: Console, ask: Ask) -> bool:
    """Whether a person sits at a terminal that can draw anywhere on its screen."""
    if not console.is_terminal or console.is_dumb_terminal or console.legacy_windows:
        return False
    return ask is not ask_standard_input or (sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty())


def _begin(options: Options, game: Game, components: Any) -> _Start:
    """A new game without decisions, its state and its chance."""
    players = len(options.opponents) + options.people if options.players is None else options.players
    if options.people < 1:
        raise ValueError(f"people: expected at least 1, got {options.people}")
    chosen = game.check_options({NUM_PLAYERS: players, **options.game_options})
    if options.people > players:
        raise ValueError(f"people: expected 1..{players} for {players} players, got {options.people}")
    if not 0 <= options.seat < players:
        raise ValueError(f"seat: expected 0..{players - 1} for {players} players, got {options.seat}")
    seed = check_seed(fresh_seed() if options.seed is None else options.seed)
    people = {(options.seat + k) % players for k in range(options.people)}
    chance = Stream(seed)
    state = GameState.new(chance, game=game, components=components, **chosen)
    names = [TerminalAgent.name if seat in people else "" for seat in range(players)]
    header = make_header(game, components, chosen, seed=seed, agents=names)
    return Replay(header, [], result_of(state), game), state, chance


def _resume(path: Path, game: Game, components: Any) -> _Start:
    """An unfinished game that was saved, its state and its chance."""
    replay = read(path)
    if replay.game is not game:
        raise ValueError(f"{path}: expected a game of {game.title}, got one of {replay.game.title}")
    if TerminalAgent.name not in replay.header["agents"]:
        raise ValueError(f"{path}: agents: expected one called {TerminalAgent.name!r}, got {replay.header['agents']}")
    if replay.is_trace:
        raise ValueError(f"{path}: expected a replay, got a trace")
    *_, (_, state, _) = positions(replay, components=components, source=str(path))
    chance = Stream(replay.seed_of(len(replay.decisions)))
    if state.is_over:
        raise ValueError(f"{path}: expected an unfinished game, got one that is over")
    return replay, state, chance


def _save(game: _TerminalGame, path: Path | None, ask: Ask | None) -> Path | None:
    """Save the game and return the path; if it cannot be written, ask for another file name if possible."""
    while path is not None:
        try:
            write(game.replay(), path)
        except OSError as error:
            game.say(f"{path} cannot be written: {error.strerror}.", "yellow")
            path = _ask_path(ask, "Another file name, or Enter to give up: ")
        else:
            game.say(f"The game is saved in {path}.")
            break
    return path


def _ask_path(ask: Ask | None, prompt: str) -> Path | None:
    """The file that the person names; None if they name none or cannot be asked."""
    try:
        typed = ask(prompt).strip() if ask else ""
    except (EOFError, KeyboardInterrupt, UnicodeDecodeError):
        typed = ""
    return Path(typed) if typed else None


def play(options: Options, console: Console | None = None, ask: Ask = ask_standard_input) -> int:
    """Play a whole game with people at the terminal; returns the exit status.

    Args:
        options: the options of the command; `Options.game_options` has those of the game.
        console: the console to write to; standard output for None.
        ask: shows a prompt and returns a line.

    Returns:
        0, or 1 if the game was cut short by the end of the input or by an interruption.

    Raises `ValueError` for options that contradict each other and for files that cannot be used.
    """
    if options.save is not None and options.save.is_dir():
        raise ValueError(f"save: expected a file name, got the folder {options.save}")
    game = _TerminalGame(options, Console() if console is None else console, ask)
    status = 0
    try:
        game.play()
    except (GameLeftError, KeyboardInterrupt) as error:
        can_ask = isinstance(error, GameLeftError) and error.can_ask
        game.say(str(error) or "Interrupted.", "bold")
        status = 0 if can_ask else 1
        if options.save is not None or not can_ask:
            path = options.save
        else:
            path = _ask_path(ask, "File name to save the game so far, or Enter not to save it: ")
        saved = _save(game, path, ask if can_ask else None)
        if saved is not None:
            words = [*option_words(game.state.game, {}), "--resume", str(saved)]
            game.say(f"To continue the game, use {shlex.join(words)}.")
    else:
        _save(game, options.save, ask)
    game.say(f"The seed was {game.header['seed']}. Goodbye.")
    return status


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    edit_lines()
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="backslashreplace")  # an undecodable line is then an input that is not understood
    try:
        return play(parse_command(Options, program="dunaia play", arguments=arguments))
    except ValueError as error:
        print(printable(str(error)), file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(run_main(main))

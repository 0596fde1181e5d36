"""People at a terminal: an agent that asks a person for each action, and a command that plays a whole game with it.

Command line, from a checkout: ``python -m agents.terminal --opponents greedy --seed 7``; from an installed package:
``python -m dunaia_env.agents.terminal``.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from numpy.typing import NDArray
from rich.console import Console
from rich.text import Text

from dunaia_env.dunaia import GAME, Components
from dunaia_env.dunaia.presentation import ENGLISH
from dunaia_env.dunaia.texts import variant
from dunaia_env.harness.commands import with_game_options
from dunaia_env.harness.compiled.chance import AGENT, Stream, check_seed, fresh_seed, random_words
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.opponents import Agent, GameLeftError
from dunaia_env.harness.opponents import load as load_agent
from dunaia_env.harness.state import GameState, View, view_of
from dunaia_env.replay import Replay, make_header, positions, read, result_of, write
from dunaia_env.support.messages import printable, reason

from .terminal_board import board, counted, glyphs_of, pool_text, score_table, village_view
from .terminal_choices import Choices, UnclearError, quoted

Ask = Callable[[str], str]

MOST_HINTS = 3
MOST_OF_A_HINT, MOST_OF_A_NAME = 100, 60  # characters
MOST_UNREADABLE = 100  # undecodable inputs before the game is left: they come from a binary file, not from a person

_HELP = """\
Type the number of a choice, or its text ("take 3") or an unambiguous beginning of it, and press Enter.
  ?  this help        h  hint         b  the board again
  r  rules of this decision           q  quit (the game can be saved)
Then press Enter to confirm the choice, or type u to take it back. Nothing happens before you confirm.
Squares are numbered 0 1 2 / 3 4 5 / 6 7 8, offers of tiles [0] to [5], players, elders and fragments from 0.
"start 2 4" starts the tile of offer [2] on square 4, "move 1 4 5" moves Dunaia 1 between the squares 4 and 5."""

_COMMANDS = {
    "?": "help",
    "help": "help",
    "h": "hint",
    "hint": "hint",
    "b": "board",
    "board": "board",
    "r": "rules",
    "rules": "rules",
    "q": "quit",
    "quit": "quit",
    "u": "undo",
    "undo": "undo",
}


class TerminalAgent:
    """Asks people at a terminal. One agent can play several seats, so several people can share a terminal.

    It shows the board when a turn begins, the village again after it has changed, and the choices as numbered
    sentences. A choice is played only after it was confirmed.

    Args:
        console: the console to write to; standard output for None.
        ask: shows a prompt and returns a line, like `input`; `ask_standard_input` for None. It may raise ``EOFError``
            and ``KeyboardInterrupt``: after the first one the person is told how to leave, and the second one in a row
            leaves the game.
        hint: the agent that gives hints; no hints for None. If it has a method
            ``hints(state) -> list[tuple[int, str]]``, which returns actions with short texts, best first, three of them
            are shown; otherwise the action that `act` chooses is shown.
        confirm: whether a choice must be confirmed.
        names: the names of the seats; "player 0" and so on if empty.
        show_changes: whether to show what has changed since the seat's last decision, for a caller that does not show
            every action itself.

    `act` raises `GameLeftError` when the person quits.
    """

    name = "terminal"
    version = "1"

    def __init__(
        self,
        console: Console | None = None,
        ask: Ask | None = None,
        *,
        hint: Agent | None = None,
        confirm: bool = True,
        names: Sequence[str] = (),
        show_changes: bool = True,
    ) -> None:
        self._console = Console() if console is None else console
        self._ask = ask_standard_input if ask is None else ask
        self._hint = hint
        self._confirm = confirm
        self._names = tuple(names)
        self._shows_changes = show_changes
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Forget the positions shown before; the seed is not used."""
        self._seen: dict[tuple[int, int], Mapping[str, Any]] = {}
        self._turn: tuple[Any, ...] = ()
        self._village: Any = None

    def act(self, view: View | GameState) -> int:
        """The action that the person chose and confirmed; raises `GameLeftError` if they quit."""
        return self._act(view_of(view).state, lane=0)

    def act_batch(self, lanes: Lanes, selected: NDArray[np.int64]) -> NDArray[np.int32]:
        """The same for each selected lane, one after another; raises `GameLeftError` if the person quits."""
        actions = np.zeros(len(selected), np.int32)
        for index, lane in enumerate(selected.tolist()):
            if lanes.num_lanes > 1:
                self._say(f"Game {lane}", "bold underline")
            actions[index] = self._act(lanes.get_state(lane), lane=lane)
        return actions

    def _act(self, state: GameState, lane: int) -> int:
        if state.game is not GAME:
            raise ValueError(f"terminal: shows {GAME.name} only, not {state.game.name}")
        content = state.to_dict()
        before = self._seen.get((lane, state.seat))
        if self._shows_changes and before is not None and _may_follow(before, content):
            self._show_changes(before, content, state)
        self._show_position(state, content, lane)
        options = Choices(state, content)
        self._show_choices(options)
        action = self._choose(state, content, options)
        self._seen[lane, state.seat] = content
        return action

    def _say(self, text: str | Text, style: str = "") -> None:
        self._console.print(Text(text, style) if isinstance(text, str) else text)

    def _names_of(self, state: GameState) -> list[str]:
        return list(self._names) or [f"player {seat}" for seat in range(state.num_players)]

    def _show_changes(self, before: Mapping[str, Any], content: Mapping[str, Any], state: GameState) -> None:
        names = self._names_of(state)
        self._say("Since your last decision:", "bold")
        # Those of the table last, because the seats are numbers.
        news = sorted(
            ENGLISH.changes("", before, content, state.components),
            key=lambda change: len(names) if change.seat is None else change.seat,
        )
        for seat, group in groupby(news, key=lambda change: change.seat):
            owner = "the table" if seat is None else "you" if seat == state.seat else names[seat]
            self._say(f"  {owner}: {'; '.join(change.text for change in group)}")

    def _show_position(self, state: GameState, content: Mapping[str, Any], lane: int) -> None:
        """Show the whole board at the first decision of a turn, and later the own village if it has changed."""
        # The draft counts as a turn, because the board has changed when the first round begins.
        turn = (lane, content["round"], state.seat, state.decision == "DRAFT")
        player = content["players"][state.seat]
        if turn != self._turn:
            self._turn = turn
            self._show_board(state, content)
        elif (player["squares"], player["dunaias"]) != self._village:
            names, console = self._names_of(state), self._console
            components, glyphs = state.components, glyphs_of(console)
            console.print(village_view(content, state.seat, names, components, width=console.width, glyphs=glyphs))
        self._village = player["squares"], player["dunaias"]

    def _show_board(self, state: GameState, content: Mapping[str, Any]) -> None:
        names, console = self._names_of(state), self._console
        head = f"Round {content['round']}, {names[state.seat]}: your turn"
        if content["final_round"] is not None:
            last = content["final_round"] == content["round"]
            head += ", the last round" if last else f", round {content['final_round']} is the last"
        self._say("")
        self._say(head, "bold reverse")
        components, glyphs = state.components, glyphs_of(console)
        console.print(board(content, state.seat, names, components, width=console.width, glyphs=glyphs))

    def _show_choices(self, options: Choices) -> None:
        self._say("")
        self._say(f"{options.question}   {options.resources}", "bold")
        self._list(options, range(len(options.actions)))

    def _list(self, options: Choices, indices: Sequence[int]) -> None:
        for part in options.listing(indices, self._console.width):
            self._console.print(part)

    def _read(self, prompt: str) -> str:
        """Read a line; a first interruption is answered with a message, a second one in a row leaves the game."""
        interruptions = unreadable = 0
        while True:
            try:
                return self._ask(prompt).strip()
            except (EOFError, KeyboardInterrupt) as error:
                interruptions += 1
                what = "The input has ended" if isinstance(error, EOFError) else "Interrupted"
                self._say("")
                if interruptions > 1:
                    raise GameLeftError(f"{what}.", can_ask=False) from None
                self._say(f"{what}. Repeat it to leave the game; type q to quit or ? for help.", "yellow")
            except UnicodeDecodeError as error:
                unreadable += 1
                if unreadable > MOST_UNREADABLE:
                    raise GameLeftError("The input is not text.", can_ask=False) from error
                self._say("The input is not text; a number or a text is needed; type ? for help.", "yellow")

    def _choose(self, state: GameState, content: Mapping[str, Any], options: Choices) -> int:
        """Ask until the person has made and confirmed a choice."""
        while True:
            typed = self._read(f"Your choice (1-{len(options.actions)}, ? for help): ")
            command = _COMMANDS.get(typed.lower())
            if command == "help":
                self._say(_HELP)
            elif command == "hint":
                self._give_hint(state, options)
            elif command == "board":
                self._show_board(state, content)
                self._show_choices(options)
            elif command == "rules":
                self._say(ENGLISH.rules(content, state.components))
            elif command == "quit":
                raise GameLeftError("You left the game.", can_ask=True)
            elif command == "undo":
                self._say("Nothing to take back: no choice has been typed.", "yellow")
            else:
                try:
                    index = options.find(typed)
                except UnclearError as error:
                    self._say(str(error), "yellow")
                    if error.matches:
                        self._list(options, error.matches)
                    continue
                if not self._confirm or self._is_confirmed(options.sentences[index]):
                    return options.actions[index]

    def _is_confirmed(self, sentence: str) -> bool:
        self._say(f"  {sentence}", "bold")
        while True:
            typed = self._read("  Press Enter to confirm, or type u to take it back: ").lower()
            if typed == "":
                return True
            if _COMMANDS.get(typed) == "undo":
                self._say("  Taken back.")
                return False
            if _COMMANDS.get(typed) == "quit":
                raise GameLeftError("You left the game.", can_ask=True)
            self._say(f"  {quoted(typed)} is not possible here; Enter, u or q (to quit) is needed.", "yellow")

    def _give_hint(self, state: GameState, options: Choices) -> None:
        if self._hint is None:
            self._say("No agent gives hints in this game.", "yellow")
            return
        hints = getattr(self._hint, "hints", None)
        # The agent may be a user agent; an exception in it must not end the game.
        try:
            suggestions = hints(state.clone())[:MOST_HINTS] if hints else [(self._hint.act(state.view()), "")]
            lines = [(options.actions.index(action), printable(text, MOST_OF_A_HINT)) for action, text in suggestions]
        except Exception as error:
            self._say(f"{_shown_name(self._hint)} has no hint: {reason(error)}", "yellow")
            return
        adviser = _shown_name(self._hint)
        self._say(f"{adviser} would choose:" if lines else f"{adviser} has no hint.")
        for index, text in lines:
            self._say(f"  {index + 1}  {options.sentences[index]}{f' ({text})' if text else ''}", "cyan")


def _shown_name(agent: Agent) -> str:
    """The name of an agent, which may be any text, made printable and short."""
    return printable(str(agent.name), MOST_OF_A_NAME)


def _may_follow(before: Mapping[str, Any], content: Mapping[str, Any]) -> bool:
    """Whether a position can belong to the same game as an earlier one; the start of a new game is not announced."""
    return len(content["players"]) == len(before["players"]) and content["round"] >= before["round"]


@dataclass(frozen=True)
class GeneralOptions:
    """Play a game of Dunaia in the terminal against agents."""

    opponents: tuple[str, ...] = ("greedy",)
    """Agents of the other seats, assigned in order: easy, medium, hard, champion, greedy, random, mcts:1000, a model
    file (*.safetensors) or package.module:Attribute."""
    players: int | None = None
    """Number of players, 2 to 4; by default the people and the opponents that are named."""
    seat: int = 0
    """Your seat, from 0; seat 0 plays first."""
    people: int = 1
    """Number of people at this terminal; they have adjacent seats, beginning with yours."""
    seed: int | None = None
    """Seed of the game; a random seed by default. It is printed at the end."""
    hint: str = "greedy"
    """Agent that gives hints."""
    confirm: bool = True
    """Ask for confirmation after each choice."""
    save: Path | None = None
    """File for the replay."""
    resume: Path | None = None
    """Replay of an unfinished game to continue; players, seats, elites, seed and max_rounds are then those of the
    file."""
    components: Path | None = None
    """Component file; the game's own by default."""
    game_options: Mapping[str, Any] = field(default_factory=dict)
    """The game's options, except the number of players."""


Options = with_game_options(GeneralOptions, GAME)

_Start = tuple[dict[str, Any], list[dict[str, Any]], GameState, Stream]


class _TerminalGame:
    """A game of people and agents at a terminal: its agents, its state and its decisions so far."""

    def __init__(self, options: GeneralOptions, console: Console, ask: Ask) -> None:
        self._console = console
        components = GAME.load(options.components)
        start = _begin(options, components) if options.resume is None else _resume(options.resume, components)
        self.header, self.decisions, self.state, self._chance = start
        free = [seat for seat, name in enumerate(self.header["agents"]) if name != TerminalAgent.name]
        names = options.opponents if free else ()
        if not len(names) <= len(free) or (free and not names):
            raise ValueError(f"opponents: {len(names)}; 1..{len(free)} are needed, one for each seat without a person")
        opponents = [load_agent(name, components=components) for name in names]
        seated = {seat: opponents[index % len(opponents)] for index, seat in enumerate(free)}
        person = "you" if len(free) == self.header["players"] - 1 else "person"
        self._names = [
            f"player {seat} ({_shown_name(seated[seat]) if seat in seated else person})"
            for seat in range(self.header["players"])
        ]
        hint = load_agent(options.hint, components=components)
        hint.reset(0)
        self._person: Agent = TerminalAgent(
            console, ask, hint=hint, confirm=options.confirm, names=self._names, show_changes=False
        )
        self._agents: list[Agent] = [seated.get(seat, self._person) for seat in range(self.header["players"])]
        self.header["agents"] = [_shown_name(agent) for agent in self._agents]
        # The seeds are those of `dunaia_env.replay.record_game`, so the same choices give the same game there.
        for number, agent in enumerate({id(agent): agent for agent in self._agents}.values()):
            agent.reset(int(random_words(self.header["seed"], AGENT, number, 0)[0]))

    def say(self, text: str, style: str = "") -> None:
        """Show a line."""
        self._console.print(Text(text, style))

    def play(self) -> None:
        """Play to the end and show every action; raises `GameLeftError` if a person quits."""
        state = self.state
        names = ", ".join(self._names)
        self.say(f"Dunaia, {len(self._names)} players, {variant(self.header)}: {names}", "bold")
        if self.decisions:
            self.say(f"The game continues after {counted(len(self.decisions), 'decisions')}.")
        turn = (0, -1)
        while not state.is_over:
            seat, before = state.seat, state.to_dict()
            if (before["round"], seat) != turn and self._agents[seat] is not self._person:
                self.say(f"\nRound {before['round']}, {self._names[seat]}; neutral dice {pool_text(before)}", "bold")
            turn = before["round"], seat
            action = self._agents[seat].act(state.view())
            state.apply(action, self._chance)
            text = state.game.action_text(action)
            self.decisions.append({"seat": seat, "action": text})
            self._show_action(seat, text, before, state.to_dict())
        self._show_result(state.to_dict())

    def _show_action(self, seat: int, text: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        """Show an action as a sentence, with its other effects on its player in the same line and all others below."""
        effects = ENGLISH.changes(text, before, after, self.state.components)
        own = ", ".join(change.text for change in effects if change.seat == seat)
        sentence = ENGLISH.sentence(text, before, self.state.components)
        self.say(f"  {self._names[seat]} {sentence}{f': {own}' if own else ''}")
        for change in effects:
            if change.seat != seat:
                owner = "" if change.seat is None else f"{self._names[change.seat]}: "
                self.say(f"    {owner}{change.text}", "dim")

    def _show_result(self, content: Mapping[str, Any]) -> None:
        components, ranks, console = self.state.components, self.state.ranks(), self._console
        self.say("\nThe game is over", "bold reverse")
        if content["truncated"]:
            self.say(f"It was stopped after {counted(content['round'], 'rounds')}.")
        console.print(board(content, 0, self._names, components, width=console.width, glyphs=glyphs_of(console)))
        self.say("")
        console.print(score_table(content, ranks, self._names, components))
        winners = [name for name, rank in zip(self._names, ranks, strict=True) if rank == 1]
        self.say(f"{' and '.join(winners)} {'won' if len(winners) == 1 else 'share the victory'}.", "bold")

    def replay(self) -> Replay:
        """The game so far; before its end the result is the present standings, which replay verification rejects."""
        return Replay(self.header, self.decisions, result_of(self.state), GAME)


def _begin(options: GeneralOptions, components: Components) -> _Start:
    """The header, the decisions (none yet), the state and the chance of a new game."""
    players = len(options.opponents) + options.people if options.players is None else options.players
    if options.people < 1:
        raise ValueError(f"people: {options.people}; at least 1 is needed")
    chosen = GAME.check_options({"num_players": players, **options.game_options})
    if options.people > players:
        raise ValueError(f"people: {options.people}; 1..{players} are needed for {players} players")
    if not 0 <= options.seat < players:
        raise ValueError(f"seat: {options.seat}; 0..{players - 1} is needed for {players} players")
    seed = check_seed(fresh_seed() if options.seed is None else options.seed)
    people = {(options.seat + k) % players for k in range(options.people)}
    chance = Stream(seed)
    state = GameState.new(chance, game=GAME, components=components, **chosen)
    names = [TerminalAgent.name if seat in people else "" for seat in range(players)]
    return make_header(GAME, components, chosen, seed=seed, agents=names), [], state, chance


def _resume(path: Path, components: Components) -> _Start:
    """The header, the decisions, the state and the chance of an unfinished game that was saved."""
    replay = read(path)
    if replay.game is not GAME:
        raise ValueError(f"{path}: a game of {replay.game.title}; one of {GAME.title} is needed")
    if TerminalAgent.name not in replay.header["agents"]:
        raise ValueError(f"{path}: agents = {replay.header['agents']}; one called {TerminalAgent.name!r} is needed")
    if replay.is_trace:
        raise ValueError(f"{path}: a trace; a replay is needed")
    *_, (_, state, chance) = positions(replay, components=components, source=str(path))
    if state.is_over:
        raise ValueError(f"{path}: the game is over; an unfinished one is needed")
    return replay.header, replay.decisions, state, chance


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


def ask_standard_input(prompt: str) -> str:
    """Read a line with `input`, and print it if standard input is not a terminal, which would echo it."""
    line = input(prompt)
    if not sys.stdin.isatty():
        print(line)
    return line


def play(options: GeneralOptions, console: Console | None = None, ask: Ask = ask_standard_input) -> int:
    """Play a whole game with people at the terminal; returns the exit status.

    Args:
        options: the options of the command, an instance of `Options`, which includes the game's options.
        console: the console to write to; standard output for None.
        ask: shows a prompt and returns a line.

    Returns:
        0, or 1 if the game was cut short by the end of the input or by an interruption.

    Raises `ValueError` for options that contradict each other and for files that cannot be used.
    """
    if options.save is not None and options.save.is_dir():
        raise ValueError(f"save: {options.save} is a folder; a file name is needed")
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
            game.say(f"To continue the game, use --resume {saved}.")
    else:
        _save(game, options.save, ask)
    game.say(f"The seed was {game.header['seed']}. Goodbye.")
    return status


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    with suppress(ImportError):
        import readline  # noqa: F401 - gives `input` line editing; Windows has its own
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="backslashreplace")  # an undecodable line is then an input that is not understood
    program = f"python -m {__package__}.terminal"
    options = tyro.cli(Options, description=Options.__doc__, prog=program, args=arguments)
    try:
        return play(options)
    except BrokenPipeError:
        return 0
    except ValueError as error:
        print(printable(str(error)), file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())

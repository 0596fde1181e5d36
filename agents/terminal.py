"""A person at a terminal: an agent that asks, and a command that plays a whole game with it.

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
from .terminal_changes import Change, changes
from .terminal_choices import RULES, Choices, UnclearError, plain

Ask = Callable[[str], str]

MOST_HINTS = 3
MOST_OF_A_HINT, MOST_OF_A_NAME = 100, 60  # characters
MOST_UNREADABLE = 100  # inputs in a row that are no text: no person, but a binary file at the other end of a pipe

_HELP = """\
Type the number of a choice, or its text ("take 3"), whole or just enough of it, and confirm with Enter.
  ?  this help        h  hint         b  the board again
  r  rules of this decision           q  quit (the game can be saved)
At the confirmation: Enter sends the choice, u takes it back. Nothing has been done before.
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

# What a change is when it is exactly what the action's sentence says already.
_SAID = {
    "draft": "character",
    "take": "die",
    "take_flipped": "die",
    "use": "use",
    "start": "start",
    "move": "dunaia",
    "plug": "plug",
    "discard": "discard",
    "advance": "advance",
    "colour": "colour",
    "reserve": "reserve",
}


class TerminalAgent:
    """Asks a person at a terminal. One agent can serve several seats, so several people at one terminal.

    It shows the board when a turn begins, the village again when it has changed, and the choices as numbered sentences.
    A choice is sent only after it was confirmed.

    Args:
        console: where everything is shown; standard output for None.
        ask: shows a prompt and returns a line, like `input`; `ask_standard_input` for None. It may raise ``EOFError``
            and ``KeyboardInterrupt``: the first is answered with a line, the second in a row leaves the game.
        hint: who is asked for hints; none are given for None. An agent may have a method
            ``hints(state) -> list[tuple[int, str]]``: actions with a short text each, best first, of which three are
            shown; of others, what `act` decides is shown.
        confirm: whether a choice must be confirmed.
        names: how the seats are called; "player 0" and so on if empty.
        tell_changes: whether to say what has changed since the seat's last decision; for a caller that does not tell
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
        tell_changes: bool = True,
    ) -> None:
        self._console = Console() if console is None else console
        self._ask = ask_standard_input if ask is None else ask
        self._hint = hint
        self._confirm = confirm
        self._names = tuple(names)
        self._tells_changes = tell_changes
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Forget the positions seen; a person needs no seed."""
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
        if self._tells_changes and before is not None and _is_later(before, content):
            self._tell_changes(before, content, state)
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

    def _tell_changes(self, before: Mapping[str, Any], content: Mapping[str, Any], state: GameState) -> None:
        names = self._names_of(state)
        self._say("Since your last decision:", "bold")
        for seat, found in groupby(changes(before, content, state.components), key=lambda change: change.seat):
            whose = "the table" if seat is None else "you" if seat == state.seat else names[seat]
            self._say(f"  {whose}: {'; '.join(change.text for change in found)}")

    def _show_position(self, state: GameState, content: Mapping[str, Any], lane: int) -> None:
        """The whole board at the first decision of a turn, later the own village if it has changed."""
        # The draft is a turn of its own: the board has changed when the first round begins.
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
        self._say(f"{options.question}   {options.purse}", "bold")
        self._list(options, range(len(options.actions)))

    def _list(self, options: Choices, indices: Sequence[int]) -> None:
        for part in options.listing(indices, self._console.width):
            self._console.print(part)

    def _read(self, prompt: str) -> str:
        """A line from the person; interruptions are answered once, the second in a row leaves the game."""
        stops = unreadable = 0
        while True:
            try:
                return self._ask(prompt).strip()
            except (EOFError, KeyboardInterrupt) as error:
                stops += 1
                what = "The input has ended" if isinstance(error, EOFError) else "Interrupted"
                self._say("")
                if stops > 1:
                    raise GameLeftError(f"{what}.", can_ask=False) from None
                self._say(f"{what}: once more leaves the game, q quits, ? helps.", "yellow")
            except UnicodeDecodeError as error:
                unreadable += 1
                if unreadable > MOST_UNREADABLE:
                    raise GameLeftError("The input is no text.", can_ask=False) from error
                self._say("That was no text; a number or a text is needed, ? helps.", "yellow")

    def _choose(self, state: GameState, content: Mapping[str, Any], options: Choices) -> int:
        """Ask until a choice was made and confirmed."""
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
                self._say(RULES[state.decision])
            elif command == "quit":
                raise GameLeftError("You left the game.", can_ask=True)
            elif command == "undo":
                self._say("Nothing to take back: no choice has been typed.", "yellow")
            else:
                try:
                    index = options.find(typed)
                except UnclearError as error:
                    self._say(str(error), "yellow")
                    if error.fits:
                        self._list(options, error.fits)
                    continue
                if not self._confirm or self._is_confirmed(options.sentences[index]):
                    return options.actions[index]

    def _is_confirmed(self, sentence: str) -> bool:
        self._say(f"  {sentence}", "bold")
        while True:
            typed = self._read("  Enter sends it, u takes it back: ").lower()
            if typed == "":
                return True
            if _COMMANDS.get(typed) == "undo":
                self._say("  Taken back.")
                return False
            if _COMMANDS.get(typed) == "quit":
                raise GameLeftError("You left the game.", can_ask=True)
            self._say(f"  {plain(typed)} is neither Enter nor u (or q to quit).", "yellow")

    def _give_hint(self, state: GameState, options: Choices) -> None:
        if self._hint is None:
            self._say("There is nobody to ask for hints.", "yellow")
            return
        hints = getattr(self._hint, "hints", None)
        # The agent is another person's code: a fault in it must not end this person's game.
        try:
            found = hints(state.clone())[:MOST_HINTS] if hints else [(self._hint.act(state.view()), "")]
            lines = [(options.actions.index(action), printable(text, MOST_OF_A_HINT)) for action, text in found]
        except Exception as error:
            self._say(f"{_shown_name(self._hint)} has no hint: {reason(error)}", "yellow")
            return
        adviser = _shown_name(self._hint)
        self._say(f"{adviser} would choose:" if lines else f"{adviser} has no hint.")
        for index, text in lines:
            self._say(f"  {index + 1}  {options.sentences[index]}{f' ({text})' if text else ''}", "cyan")


def _shown_name(agent: Agent) -> str:
    """The name of an agent, another person's text, as it can stand in a line."""
    return printable(str(agent.name), MOST_OF_A_NAME)


def _is_later(before: Mapping[str, Any], content: Mapping[str, Any]) -> bool:
    """Whether a position can be of the same game as one seen before: games follow each other without a word."""
    return len(content["players"]) == len(before["players"]) and content["round"] >= before["round"]


@dataclass(frozen=True)
class GeneralOptions:
    """Play a game of Dunaia in the terminal against agents."""

    opponents: tuple[str, ...] = ("greedy",)
    """Agents dealt to the other seats in turn: easy, medium, hard, champion, greedy, random, mcts:1000, a model file
    (*.safetensors) or package.module:Attribute."""
    players: int | None = None
    """Players at the table, 2 to 4; the people and the opponents named if not given."""
    seat: int = 0
    """Your seat, from 0; seat 0 plays first."""
    people: int = 1
    """People at this terminal; they sit next to each other from your seat on."""
    seed: int | None = None
    """Seed of the game; a random one, printed at the end, if not given."""
    hint: str = "greedy"
    """Agent that gives hints."""
    confirm: bool = True
    """Ask for confirmation after each choice."""
    save: Path | None = None
    """File for the replay."""
    resume: Path | None = None
    """Unfinished game to go on with; players, seats, elites, seed and max_rounds are then those of the file."""
    components: Path | None = None
    """Component file; the project's own if not given."""
    game_options: Mapping[str, Any] = field(default_factory=dict)
    """The game's options but for the number of players."""


Options = with_game_options(GeneralOptions, GAME)

_Begun = tuple[dict[str, Any], list[dict[str, Any]], GameState, Stream]


class _Table:
    """A game of people and agents at a terminal: its seats, its position and what was played."""

    def __init__(self, options: GeneralOptions, console: Console, ask: Ask) -> None:
        self._console = console
        components = GAME.load(options.components)
        begun = _begin(options, components) if options.resume is None else _resume(options.resume, components)
        self.header, self.decisions, self.state, self._chance = begun
        free = [seat for seat, name in enumerate(self.header["agents"]) if name != TerminalAgent.name]
        dealt = options.opponents if free else ()
        if not len(dealt) <= len(free) or (free and not dealt):
            raise ValueError(f"opponents: {len(dealt)}; 1..{len(free)} are needed, one for each seat without a person")
        opponents = [load_agent(name, components=components) for name in dealt]
        seated = {seat: opponents[index % len(opponents)] for index, seat in enumerate(free)}
        person = "you" if len(free) == self.header["players"] - 1 else "person"
        self._names = [
            f"player {seat} ({_shown_name(seated[seat]) if seat in seated else person})"
            for seat in range(self.header["players"])
        ]
        hint = load_agent(options.hint, components=components)
        hint.reset(0)
        self._person: Agent = TerminalAgent(
            console, ask, hint=hint, confirm=options.confirm, names=self._names, tell_changes=False
        )
        self._agents: list[Agent] = [seated.get(seat, self._person) for seat in range(self.header["players"])]
        self.header["agents"] = [_shown_name(agent) for agent in self._agents]
        # The numbers of `dunaia_env.replay.record_game`: the same choices give the same game there.
        for number, agent in enumerate({id(agent): agent for agent in self._agents}.values()):
            agent.reset(int(random_words(self.header["seed"], AGENT, number, 0)[0]))

    def say(self, text: str, style: str = "") -> None:
        """Show a line."""
        self._console.print(Text(text, style))

    def play(self) -> None:
        """Play to the end, telling every action; raises `GameLeftError` if a person quits."""
        state = self.state
        names = ", ".join(self._names)
        self.say(f"Dunaia, {len(self._names)} players, {variant(self.header)}: {names}", "bold")
        if self.decisions:
            self.say(f"The game goes on after {counted(len(self.decisions), 'decisions')}.")
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
            self._tell(seat, text, before, state.to_dict())
        self._tell_result(state.to_dict())

    def _tell(self, seat: int, text: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        """An action as a sentence, what else it changed for its player beside it, what it changed elsewhere below."""
        found = changes(before, after, self.state.components)
        own = ", ".join(change.text for change in _unsaid(found, seat, _SAID.get(text.split()[0])))
        sentence = self.state.game.sentence(text, before, self.state.components)
        self.say(f"  {self._names[seat]} {sentence}{f': {own}' if own else ''}")
        for change in found:
            if change.seat != seat:
                whose = "" if change.seat is None else f"{self._names[change.seat]}: "
                self.say(f"    {whose}{change.text}", "dim")

    def _tell_result(self, content: Mapping[str, Any]) -> None:
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
        """The game so far; before the end its result is the standing, and `dunaia_env.replay.verify` says so."""
        return Replay(self.header, self.decisions, result_of(self.state), GAME)


def _unsaid(found: Sequence[Change], seat: int, said: str | None) -> list[Change]:
    """The changes of a seat, but for the one that the sentence has said already."""
    own = [change for change in found if change.seat == seat]
    kinds = [change.kind for change in own]
    # Of two of a kind one came by itself, so both are told.
    return [change for change in own if change.kind != said or kinds.count(change.kind) > 1]


def _begin(options: GeneralOptions, components: Components) -> _Begun:
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


def _resume(path: Path, components: Components) -> _Begun:
    """The same of an unfinished game that was saved."""
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


def _save(table: _Table, path: Path | None, ask: Ask | None) -> Path | None:
    """Write the game; where the disk refuses, somebody who can be asked may name another file. Returns the one used."""
    while path is not None:
        try:
            write(table.replay(), path)
        except OSError as error:
            table.say(f"{path} cannot be written: {error.strerror}.", "yellow")
            path = _asked_path(ask, "Another file name, or Enter to give up: ", None)
        else:
            table.say(f"The game is saved in {path}.")
            break
    return path


def _asked_path(ask: Ask | None, prompt: str, otherwise: Path | None) -> Path | None:
    """The file that the person names, ``otherwise`` if they name none or cannot be asked."""
    try:
        typed = ask(prompt).strip() if ask else ""
    except (EOFError, KeyboardInterrupt, UnicodeDecodeError):
        typed = ""
    return Path(typed) if typed else otherwise


def ask_standard_input(prompt: str) -> str:
    """`input`, which also shows what was read where no terminal echoes it."""
    line = input(prompt)
    if not sys.stdin.isatty():
        print(line)
    return line


def play(options: GeneralOptions, console: Console | None = None, ask: Ask = ask_standard_input) -> int:
    """Play a whole game with people at the terminal; returns the exit status.

    Args:
        options: the table and where the game is saved: an `Options`, which has the game's options too.
        console: where everything is shown; standard output for None.
        ask: shows a prompt and returns a line.

    Returns:
        0, or 1 if the input or an interruption ended the game before its end.

    Raises `ValueError` for options that do not go together and for files that cannot be used.
    """
    if options.save is not None and options.save.is_dir():
        raise ValueError(f"save: {options.save} is a folder; a file name is needed")
    table = _Table(options, Console() if console is None else console, ask)
    status = 0
    try:
        table.play()
    except (GameLeftError, KeyboardInterrupt) as error:
        can_ask = isinstance(error, GameLeftError) and error.can_ask
        table.say(str(error) or "Interrupted.", "bold")
        status = 0 if can_ask else 1
        if options.save is not None or not can_ask:
            path = options.save
        else:
            path = _asked_path(ask, "A file name saves the game so far, Enter does not: ", None)
        used = _save(table, path, ask if can_ask else None)
        if used is not None:
            table.say(f"--resume {used} goes on with it.")
    else:
        _save(table, options.save, ask)
    table.say(f"The seed was {table.header['seed']}. Goodbye.")
    return status


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    with suppress(ImportError):
        import readline  # noqa: F401 - `input` then has line editing; Windows has its own
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="backslashreplace")  # a line that is no text is then an input not understood
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

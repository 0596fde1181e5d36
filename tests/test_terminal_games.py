"""Dune and other games at a terminal: nothing hidden is shown."""

from __future__ import annotations

import io
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from agents.terminal import TerminalAgent
from agents.terminal.__main__ import Options, main, play
from agents.terminal.look import look_of
from dunaia_env import replay
from dunaia_env.dune import GAME
from dunaia_env.dune.presentation import ENGLISH
from dunaia_env.harness.compiled.chance import Stream
from dunaia_env.harness.opponents import load, models_folder
from dunaia_env.harness.registry import find_game
from dunaia_env.harness.state import GameState
from tests.dune_positions import POSITIONS
from tests.sampling import sampled

CHOICE = re.compile(r"Your choice \(1-(\d+), ")
SECRETS = ("  Cards: ", "  Traitors: ")
DUNAIAS_CHAMPION = str(models_folder() / "champion.safetensors")
ASKED = [name for name in POSITIONS if name not in ("GHOLA", "BATTLE", "OPPONENT", "OVER")]  # they have a choice

pytestmark = pytest.mark.compiled


class Typist:
    """Chooses at random by number and presses Enter otherwise; notes where on the screen it was asked to hand over."""

    def __init__(self, seed: int, screen: Console) -> None:
        self.random = random.Random(seed)
        self.screen = screen
        self.handed: list[tuple[str, int]] = []

    def __call__(self, prompt: str) -> str:
        if match := CHOICE.match(prompt):
            return str(self.random.randint(1, int(match[1])))
        if "nobody else sees the screen" in prompt:
            self.handed.append((prompt.split(":")[0], len(shown(self.screen))))
        return ""


def console() -> Console:
    return Console(file=io.StringIO(), width=160)


def shown(screen: Console) -> str:
    assert isinstance(screen.file, io.StringIO)
    return screen.file.getvalue()


def played(tmp_path: Path, seed: int = 3, **options: Any) -> tuple[str, replay.Replay, list[tuple[str, int]]]:
    """What a whole game showed, its replay, and where the screen was handed over."""
    screen, path = console(), tmp_path / "game.jsonl"
    typist = Typist(seed, screen)
    assert play(Options(game="dune", seed=seed, save=path, **options), screen, typist) == 0
    game = replay.read(path)
    assert replay.verify(game) == len(game.decisions)
    return shown(screen), game, typist.handed


@pytest.mark.parametrize(
    ("players", "options"),
    [(2, {"preset": "duel"}), (3, {}), (6, {"max_turns": 4, "karama_powers": True, "tleilax": True})],
    ids=["duel", "3 players", "6 players, all powers"],
)
def test_one_person_plays_whole_games(tmp_path: Path, players: int, options: dict[str, Any]) -> None:
    output, game, handed = played(
        tmp_path, players=players, seat=players - 1, opponents=("random",), game_options=options
    )
    assert game.header["agents"] == ["random"] * (players - 1) + ["terminal"]
    assert handed == []
    # The cards and traitors shown before the end are the person's own.
    before_the_end = output[: output.index("The game is over")]
    for part in re.split(r"\n(?=Turn \d+)", before_the_end):
        for block in part.split("\n\n"):
            if any(secret in block for secret in SECRETS):
                assert f"(player {players - 1}):" in block.split("\n")[0] or block.startswith("Turn"), block
    for seat, rank in enumerate(game.result["ranks"]):
        name = f"player {seat} ({'you' if seat == players - 1 else 'random'})"
        assert re.search(rf"^{re.escape(name)} +rank {rank} +\d strongholds? *$", output, re.MULTILINE)
    assert output.rstrip().endswith("The seed was 3. Goodbye.")


def secret_lines(state: GameState, seat: int) -> set[str]:
    """The lines of a position with the traitors of a seat and with several cards of its hand."""
    lines = GAME.describe(state.view(seat).to_dict(), state.components).split("\n")
    return {line for line in lines if line.startswith("  Traitors: ") or re.match(r"  Cards: .*,", line)}


def test_people_who_share_a_terminal_see_nothing_of_each_other(tmp_path: Path) -> None:
    options = {"preset": "full", "max_turns": 3}
    output, game, handed = played(tmp_path, players=3, people=2, opponents=("greedy",), game_options=options)
    assert game.header["agents"] == ["terminal", "terminal", "greedy"]
    assert {name for name, _ in handed} == {"player 0 (person)", "player 1 (person)"}
    # What is shown while somebody sits before the screen.
    ends = [*(at for _, at in handed[1:]), output.index("The game is over")]
    stretches = {name: "" for name, _ in handed}
    for (name, start), end in zip(handed, ends, strict=True):
        stretches[name] += output[start:end]
    secrets: dict[int, set[str]] = {0: set(), 1: set()}
    expected: dict[int, list[str]] = {0: [], 1: []}
    names = ("player 0 (person)", "player 1 (person)", "player 2 (greedy)")
    assert GAME.presentation is not None
    hear, changes = GAME.presentation.hear, GAME.presentation.wording("en").changes
    states = [state.clone() for _, state, _ in replay.positions(game)]
    for state, after, line in zip(states, states[1:], game.decisions, strict=False):
        for seat in secrets:
            secrets[seat] |= secret_lines(state, seat)
            seen, action = state.view(seat).to_dict(), line["action"]
            content = hear(action, seen, state.to_dict(), after.to_dict(), state.components)
            knows = content["seat"] is not None
            if knows:
                expected[seat].append(f"  {names[line['seat']]} {GAME.sentence(action, content, state.components)}")
            for change in changes(action, content, after.view(seat).to_dict(), state.components):
                if change.seat is not None and not (knows and change.seat == line["seat"]):
                    expected[seat].append(f"    {names[change.seat]}: {change.text}")
    for seat, other in ((0, 1), (1, 0)):
        own = secrets[seat] - secrets[other]
        assert any(line in stretches[f"player {seat} (person)"] for line in own)
        assert not any(line in stretches[f"player {other} (person)"] for line in own)
        # What the seat knows is told once, in order; what happened last, to the one who sits there at the end.
        told = [line for line in stretches[names[seat]].split("\n") if re.match(r"(  |    )player \d \(", line)]
        assert len(told) > 10
        assert all(line.startswith(start) for line, start in zip(told, expected[seat], strict=False))
        assert len(told) == len(expected[seat]) or (len(told) < len(expected[seat]) and handed[-1][0] != names[seat])


@pytest.mark.parametrize("name", sampled(ASKED, 6))
def test_a_person_is_shown_what_the_seat_knows_and_no_more(name: str) -> None:
    state = GameState.from_dict(POSITIONS[name], game=GAME)
    outputs = []
    for one in (state, state.resampled(state.seat, 1), state.resampled(state.seat, 2)):
        screen = console()
        action = TerminalAgent(screen, Typist(1, screen), confirm=False).act(one)
        outputs.append((action, shown(screen)))
    assert outputs[0] == outputs[1] == outputs[2]


def test_a_hint_comes_from_the_view() -> None:
    chance = Stream(5)
    state = GameState.new(chance, game=GAME, num_players=3)
    lines = iter(["h", "1", ""])
    screen = console()
    hinting = load("greedy", game=GAME)
    TerminalAgent(screen, lambda prompt: next(lines), hint=hinting).act(state)
    text, content = GAME.action_text(hinting.act(state.view())), state.view().to_dict()
    sentence = ENGLISH.imperative(text, content, state.components)
    assert re.search(rf"greedy would choose:\n +\d+  {re.escape(sentence)}", shown(screen))


def test_what_happened_since_the_last_decision_is_told_from_the_view() -> None:
    chance, agent = Stream(5), load("random", game=GAME)
    state = GameState.new(chance, game=GAME, preset="duel")
    screen = console()
    person = TerminalAgent(screen, Typist(1, screen))
    for _ in range(40):
        state.apply((person if state.seat == 0 else agent).act(state.view()), chance)
    assert "Since your last decision:\n" in shown(screen)
    assert re.search(r"^  (player 1|the table|you): ", shown(screen), re.MULTILINE)


def test_a_game_is_resumed(tmp_path: Path) -> None:
    part, whole = tmp_path / "part.jsonl", tmp_path / "whole.jsonl"
    asked = [0]

    def leave(prompt: str) -> str:
        asked[0] += 1
        return "q" if CHOICE.match(prompt) and asked[0] > 8 else "1" if CHOICE.match(prompt) else ""

    screen = console()
    assert play(Options(game="dune", seed=4, save=part, game_options={"preset": "duel"}), screen, leave) == 0
    hint = f"To continue the game, use --game dune --resume {part}."
    assert hint.replace(" ", "") in re.sub(r"\s", "", shown(screen))  # wherever the line was broken
    unfinished = replay.read(part)
    screen = console()
    assert play(Options(game="dune", resume=part, save=whole), screen, Typist(2, screen)) == 0
    assert f"The game continues after {len(unfinished.decisions)} decisions." in shown(screen)
    finished = replay.read(whole)
    assert finished.decisions[: len(unfinished.decisions)] == unfinished.decisions
    assert replay.verify(finished) == len(finished.decisions)


def test_any_game_with_a_presentation_is_played(tmp_path: Path) -> None:
    screen, path = console(), tmp_path / "game.jsonl"
    options = Options(game="tests.toy_game", opponents=("random",), seed=1, save=path)
    assert play(options, screen, Typist(1, screen)) == 0
    game = replay.read(path, game=find_game("tests.toy_game"))
    assert replay.verify(game) == len(game.decisions) > 2
    ranks = "".join(rf"player {seat} \(\w+\) +rank {rank} .*\n" for seat, rank in enumerate(game.result["ranks"]))
    assert re.search(ranks, shown(screen))


def test_a_game_without_a_presentation_is_refused() -> None:
    shy = replace(find_game("tests.toy_game"), presentation=None)
    with pytest.raises(ValueError, match="terminal: sealed_bids has no presentation, by which people could play it"):
        look_of(shy, shy.load(None))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--game", "dune", "--players", "7"], "num_players: expected an integer in 2..6, got 7"),
        (["--game", "dune", "--opponents", DUNAIAS_CHAMPION], "champion.safetensors: made for another game"),
    ],
)
def test_what_cannot_be_played_gets_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 1
    output, error = capsys.readouterr()
    assert message in error
    assert (output, len(error.splitlines())) == ("", 1)

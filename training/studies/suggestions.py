"""Find the smallest change of a component file that is fair in the hands of players who learned what it is worth.

    python -m training.studies.suggestions --role mystic --values characters.mystic

1. A copy of a player continues to learn with files in which nothing but ``--values`` varies.
2. With this player, `dunaia_env.balance.suggest` searches these files.
3. A copy of it continues to learn with the suggested file alone, and judges that file on fresh seeds.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from agents.network import load_model
from dunaia_env.balance import suggest, suggest_pages
from dunaia_env.balance.compare import read_tables
from dunaia_env.balance.outcomes import Suggestion
from dunaia_env.balance.trials import PlayOptions
from dunaia_env.harness import commands, opponents, registry
from dunaia_env.harness.game import Game
from dunaia_env.support import terminal
from dunaia_env.support.system import available_cores
from training.family import OWN
from training.running import checkpoint
from training.running.checkpoint import MODEL_FILE
from training.studies.further_training import train_further

PLAYER, JUDGE, JUDGED = "player", "judge", "judged"
# Share of the lanes that play changed files while the player learns them; the others play the unchanged file.
FAMILY_SHARE = 0.95


@dataclass(frozen=True, kw_only=True)
class Options(PlayOptions):
    """Search for a fair component file with a player that is trained for the files it searches; another one judges it.

    A command that was stopped continues: trainings go on, and a screening is not played again.
    """

    role: tuple[str, ...] = ()
    """Roles that are to be fair; by default all of them."""
    values: tuple[str, ...]
    """Numbers that may be changed, as paths or beginnings of paths such as characters.mystic."""
    within: float = 3.0
    """Largest difference from the fair share at which a role is fair, in percentage points."""
    most: int = 3
    """Largest number of numbers that are changed."""
    players: tuple[int, ...] | None = None
    """Numbers of players at a table; by default all that the game allows."""
    model: str = opponents.CHAMPION
    """Player that the trainings begin with: the name of a shipped one, or a model file."""
    player: str | None = None
    """Model file of a player that knows files in which the values vary, such as the player of an earlier search; by
    default one is trained."""
    screening: Path | None = None
    """The screening.json of an earlier search with the same player, tables and seed: its games are not played again."""
    minutes: float = 20.0
    """Length of each of the two trainings, in minutes."""
    files: int = 200
    """Number of files of the screening."""
    precision: float = 0.015
    """Half-width that the intervals of the confirmation and of the judgement are to reach, in win shares."""
    out: Path = Path("runs/suggestion")
    """Folder for the trainings, the search and the judgement."""

    def search(self, agent: str) -> suggest.Options:
        """The options of the search with an agent; a screening that is there is not played again."""
        screening = self.screening or self.out / suggest_pages.SCREENING_FILE
        names = ("seed", "game", "game_options", "jobs", "backend", "role", "within", "players", "values", "most")
        own = {name: getattr(self, name) for name in (*names, "files", "precision", "out")}
        played = self.screening is not None or screening.exists()
        return suggest.Options(agent=agent, screening=screening if played else None, **own)


def run(options: Options, console: Console) -> Suggestion:
    """Train, search, train and judge; returns the suggestion with what the judge showed.

    Everything is written to the folder: the two runs, the files of the search, and those of the judgement in
    ``judged/``.

    Raises `ValueError` naming a wrong option, or a training that failed or was stopped, and `OSError`.
    """
    commands.check_numbers(
        options, positive=("within", "most", "minutes", "files", "precision"), not_negative=("seed", "jobs")
    )
    if not options.values:
        raise ValueError("values: expected at least one beginning of a path such as characters.mystic, got none")
    game = registry.find_game(options.game)
    file = opponents.model_file(options.model, game)
    if not file:
        raise ValueError(f"model: expected a model file or the name of a shipped player, got {options.model!r}")
    folder = options.out
    changed = {"family": OWN, "family-values": options.values, "family-share": FAMILY_SHARE}
    player = options.player or _train(options, game, folder / PLAYER, file, changed, console)
    found, components = suggest.suggest(options.search(player))
    text = game.require("load_family")(None).text_of(components)
    suggest_pages.write_suggestion(folder, found, text)
    judge = _train(options, game, folder / JUDGE, player, {"components": folder / suggest_pages.FILE}, console)
    judged = suggest.judge(found, options.search(judge))
    suggest_pages.write_suggestion(folder / JUDGED, judged, text)
    return judged


def _train(options: Options, game: Game, folder: Path, file: str, more: Mapping[str, object], console: Console) -> str:
    """Train a copy of a player with roles that are dealt to the seats; returns its model file.

    Raises `ValueError` for a training that fails or is stopped.
    """
    fixed = {
        "players": tuple(read_tables(options.players, game)),
        "seed": options.seed,
        "processes": options.jobs or available_cores(),
    }
    folder.mkdir(parents=True, exist_ok=True)
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(), console=console, transient=True
    )
    with bar, checkpoint.StopRequest() as stop:
        task = bar.add_task(f"training of the {folder.name}", total=60 * options.minutes)
        ended = train_further(
            folder,
            game=registry.find_game(game.require("roles").assigned_game),
            file=file,
            model=load_model(file),
            minutes=options.minutes,
            options=fixed | options.options_of(game) | dict(more),
            stop=stop,
            advance=partial(bar.advance, task),
        )
    if not ended:
        raise ValueError(f"stopped in the training of the {folder.name}; the same command continues")
    return str(folder / MODEL_FILE)


def main() -> int:
    """Run as the command line says; returns the exit status."""
    program = "python -m training.studies.suggestions"
    options = commands.parse_command(Options, program=program)
    return commands.run_command(program, lambda: suggest_pages.print_suggestion(run(options, Console())))


if __name__ == "__main__":
    sys.exit(terminal.run_main(main, has_workers=True))

"""Self-play PPO: a shared network plays every seat, and every seat's decisions are learned from.

    python -m training.ppo                       # five minutes of the two-player game with elites
    python -m training.ppo --resume              # go on with the newest run
    python -m training.ppo --players 2 3 4 --elites True False --minutes 600

How it works:

1. `Lanes` play many games side by side. A *rollout* is a few dozen decisions in each lane; the network decides for
   whichever seat has to (`Trainer.collect`).
2. A decision's consequences end when the *same seat* decides again, or with the game. Advantages are computed along
   these chains, one per seat (`dunaia_env.advantages`). No value of one seat is ever turned into another's; what the
   others will get and everybody's final score are estimated beside it.
3. The network is improved with the clipped objective of PPO (`Trainer.learn`, `training.policy`). At a part of the
   tables all seats but one can be left to past players (`training.past`), from whose decisions nothing is learned.
4. Every half minute the present network plays random and greedy; everything is saved; at the end a longer match says
   how good it became.

What is computed where stands in `training.compute`; several processes share the work with ``--processes`` or under
``torchrun`` (`training.group`).

Curves: ``tensorboard --logdir runs``. The code follows CleanRL's manner (https://github.com/vwxyzjn/cleanrl).
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from torch.utils.tensorboard import SummaryWriter

from dunaia_env.arena.match import describe
from dunaia_env.harness import opponents
from dunaia_env.harness.commands import named_game, option_words, parse_command
from dunaia_env.harness.dealing import first_of, variant
from dunaia_env.harness.registry import DEFAULT_GAME, find_game
from dunaia_env.support import atomic
from training import checkpoint, resume
from training.arguments import Arguments, check
from training.checkpoint import MODEL_FILE, RESULTS_FILE
from training.compute import Pace, device_of
from training.group import Group
from training.processes import run_processes
from training.trainer import FINAL_SEED, Trainer


def clock(seconds: float) -> str:
    """Minutes and seconds, ``4:07``."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def train(trainer: Trainer, folder: Path, console: Console) -> str | None:
    """Train until the budget is used; returns the name of the signal that stopped it before, if one did."""
    arguments, group = trainer.arguments, trainer.group
    evaluated, saved, standings = trainer.seconds, trainer.seconds, ""
    text = TextColumn("{task.percentage:.0f} %  {task.description}")
    bar = Progress(BarColumn(), text, console=console, transient=True, refresh_per_second=2, disable=not group.is_first)
    with checkpoint.StopRequest() as stop, Curves(folder if group.is_first else None, trainer.decisions) as curves, bar:
        task = bar.add_task("", total=1)
        stopped: str | None = None
        pace, is_chosen = Pace(), group.first(len(trainer.compute.settings) > 1)
        while trainer.progress() < 1 and stopped is None:
            begin = time.perf_counter()
            trainer.learn(trainer.collect())
            decisions = arguments.lanes * arguments.steps
            speed = decisions / (time.perf_counter() - begin)
            trainer.scalars["charts/decisions_per_second"] = speed
            parts = trainer.stopwatch.take(decisions)
            changed = pace.has_changed(parts["network"] + parts.get("gradient", 0.0), trainer.seconds)
            if is_chosen and group.first(changed):
                console.print(f"{clock(trainer.seconds):>6}  {pace}: {trainer.choose_again()}")
                pace.begin()
            trainer.scalars |= {f"microseconds/{name}": duration for name, duration in parts.items()}
            if trainer.seconds - evaluated >= arguments.evaluation_seconds:
                evaluated = trainer.seconds
                standings = group.from_first(trainer.measure)
                console.print(
                    f"{clock(trainer.seconds):>6}  {trainer.decisions / 1e6:6.2f} M decisions"
                    f"  {trainer.games:,} games  wins against {standings}"
                )
            gone = "end of the process that started this one" if group.is_abandoned() else None
            elapsed = time.perf_counter() - begin
            trainer.seconds, stopped = group.first((trainer.seconds + elapsed, stop.name or gone))
            group.from_first(lambda: curves.add(trainer.scalars, trainer.decisions))
            trainer.scalars.clear()
            if trainer.seconds - saved >= arguments.save_seconds:
                saved = trainer.seconds
                group.from_first(curves.flush)
                trainer.save(folder)
            done = trainer.progress()
            left = clock(trainer.seconds * (1 - done) / done)
            description = f"{left} left  {speed:,.0f} decisions/s  {'wins: ' + standings if standings else ''}"
            bar.update(task, completed=done, description=description)
        group.from_first(curves.flush)
        trainer.save(folder)
        return stopped


class Curves:
    """TensorBoard's curves in a folder; nowhere for None.

    Args:
        folder: where they are kept.
        begin: number of decisions after which they go on; what was written of later ones is forgotten.
    """

    def __init__(self, folder: Path | None, begin: int) -> None:
        self._writers = [] if folder is None else [SummaryWriter(str(folder), purge_step=begin + 1)]

    def add(self, scalars: Mapping[str, float], decisions: int) -> None:
        """Write numbers by name."""
        for writer, (name, value) in itertools.product(self._writers, scalars.items()):
            writer.add_scalar(name, value, decisions)

    def flush(self) -> None:
        """Have everything on disk."""
        for writer in self._writers:
            writer.flush()

    def __enter__(self) -> Curves:
        """Nothing to do."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the files."""
        for writer in self._writers:
            writer.close()


def report(trainer: Trainer, folder: Path, console: Console) -> None:
    """Play the final matches, print and keep their results, and say what to try next."""
    arguments, results = trainer.arguments, []
    options = first_of(arguments.game_options)
    kind = " ".join(filter(None, ["players", variant(trainer.game, options)]))
    games = [(players, name) for players in arguments.players for name in arguments.opponents]
    for players, opponent in games if arguments.final_games else ():
        match = trainer.play(opponent, arguments.final_games, FINAL_SEED, players)
        mean, low, high = match.interval()
        console.print(
            f"Against {opponent}: wins {describe((mean, low, high))} of {match.games} games in {len(match.shares)}"
            f" seat-balanced blocks ({players} {kind}; in brackets the 95 % interval)"
        )
        result = {"opponent": opponent, "players": players, **options}
        results.append({**result, "share": mean, "low": low, "high": high, "games": match.games})
    if trainer.other_components:
        console.print(f"Trained before for other components: {', '.join(trainer.other_components)}")
    content = {
        "results": results,
        "decisions": trainer.decisions,
        "seconds": trainer.seconds,
        "commit": trainer.commit,
        "other_components": trainer.other_components,
    }
    atomic.write_text(folder / RESULTS_FILE, json.dumps(content, indent=2) + "\n")
    longer = f"python -m dunaia_env.arena.match --agents {folder / MODEL_FILE} greedy --games 2000"
    files = f"{MODEL_FILE} (the player), {checkpoint.FILE}, {RESULTS_FILE}"
    console.print(f"Saved in {folder}: {files}, TensorBoard curves")
    console.print("What to try next:")
    for command in (
        f"{going_on(arguments, folder)} --minutes {2 * arguments.minutes:g}    # train twice as long",
        f"tensorboard --logdir {folder.parent}    # look at the curves",
        f"{' '.join([longer, *option_words(trainer.game, options)])}    # measure more precisely",
    ):
        console.print("  " + command)


def main() -> int:
    """Parse the command line, train, report. Returns the exit status."""
    group = Group()
    console = Console(highlight=False, markup=False, soft_wrap=True, quiet=not group.is_first)
    try:
        arguments = asked()
        check(arguments)
        if arguments.processes > 1 and group.size == 1:
            return run_processes([sys.executable, "-m", "training.ppo", *sys.argv[1:]], arguments.processes)
        group.join(device_of(arguments.device))
        if group.first(group.is_abandoned()):
            return group.end(2)
        status = run(arguments, group, console)
    except (ValueError, ArithmeticError, OSError) as error:
        advice = "; what was saved before is whole, --resume goes on from it" if isinstance(error, OSError) else ""
        console.print(f"training.ppo: {error}{advice}", style="red")
        return group.end(2, together=False)
    return group.end(status)


def asked() -> Arguments:
    """What the command line asks for; where a run is resumed, what it does not say comes from the run."""
    words, default = sys.argv[1:], None
    before = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    before.add_argument("--resume", action=argparse.BooleanOptionalAction)
    before.add_argument("--run")
    told, _ = before.parse_known_args(words)
    if told.resume:
        named_game(words)  # what is named there, the checkpoint may name too
        folder = Path(told.run) if told.run else checkpoint.newest_run(Path("runs"))
        default = replace(resume.read(folder / checkpoint.FILE).arguments, resume=True, run=str(folder))
    return parse_command(Arguments, dealt=True, full=True, default=default, program="training.ppo", arguments=words)


def going_on(arguments: Arguments, folder: Path) -> str:
    """The command that goes on with a run."""
    game = "" if arguments.game == DEFAULT_GAME.name else f" --game {arguments.game}"
    return f"python -m training.ppo --resume --run {folder}{game}"


def run(arguments: Arguments, group: Group, console: Console) -> int:
    """Train as the arguments say; returns the exit status."""
    folder = group.first(Path(arguments.run or f"runs/ppo-{time.strftime('%Y%m%d-%H%M%S')}"))
    for name in arguments.opponents:
        # Refuses a wrong one now, not at the first match.
        opponents.load(name, components=arguments.components, game=find_game(arguments.game))
    with ExitStack() as held:
        group.from_first(lambda: take(folder, held, resumed=arguments.resume))
        trainer = Trainer(replace(arguments, resume=False, run=str(folder)), group=group)
        if arguments.resume:
            trainer.restore(folder)
            console.print(
                f"Resuming {folder} after {clock(trainer.seconds)} min and {trainer.decisions:,} decisions"
                f" ({100 * trainer.progress():.0f} % of the budget)"
            )
        elif arguments.weights:
            trainer.take_weights(arguments.weights)
        console.print(f"Results in {folder}. Preparing: measuring what nobody chose, compiling ...")
        begin = time.perf_counter()
        how = trainer.prepare()
        console.print(f"Prepared in {time.perf_counter() - begin:.0f} s. Computing on {how}")
        stopped = train(trainer, folder, console)
        if stopped:
            console.print(f"{stopped}: stopped and saved. Go on with: {going_on(arguments, folder)}")
            return 130
        group.from_first(lambda: report(trainer, folder, console))
        return 0


def take(folder: Path, held: ExitStack, *, resumed: bool) -> None:
    """Keep others from a run until ``held`` is closed; raises `CheckpointError` if it is another's, or no new one."""
    held.enter_context(checkpoint.alone(folder))
    if not resumed and (folder / checkpoint.FILE).exists():
        raise checkpoint.CheckpointError(f"{folder}: holds a run; go on with --resume or choose another --run")


if __name__ == "__main__":
    sys.exit(main())

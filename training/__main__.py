"""The command ``python -m training.ppo``: parse the options, train with evaluations and checkpoints, report."""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from dunaia_env.harness import opponents
from dunaia_env.harness.commands import named_game, parse_command
from dunaia_env.harness.registry import find_game
from dunaia_env.support.terminal import run_main
from training.arguments import Arguments, check, check_names
from training.compute import Pace, device_of
from training.running import checkpoint, resume
from training.running.parallel import Group, run_processes
from training.running.reporting import Curves, clock, report, resume_command
from training.trainer import Trainer


def train(trainer: Trainer, folder: Path, console: Console) -> str | None:
    """Train until the budget is used up, with evaluations, curves and checkpoints.

    Returns the name of the signal that stopped it early, if one did.
    """
    arguments, group = trainer.arguments, trainer.group
    evaluated, saved, win_shares = trainer.seconds, trainer.seconds, ""
    text = TextColumn("{task.percentage:.0f} %  {task.description}")
    bar = Progress(BarColumn(), text, console=console, transient=True, refresh_per_second=2, disable=not group.is_first)
    pace, has_choice = Pace(), group.broadcast(len(trainer.compute.settings) > 1)
    stopped: str | None = None

    def after_update() -> bool:
        """Evaluate, save and report if due; returns whether to continue."""
        nonlocal evaluated, saved, win_shares, stopped
        begin = time.perf_counter()
        parts = trainer.stopwatch.read_and_reset(arguments.lanes * arguments.steps)
        trainer.metrics |= {f"microseconds/{name}": duration for name, duration in parts.items()}
        changed = pace.has_changed(parts["network"] + parts.get("gradient", 0.0), trainer.seconds)
        if has_choice and group.broadcast(changed):
            console.print(f"{clock(trainer.seconds):>6}  {pace}: {trainer.choose_again()}")
            pace.begin()
        if trainer.seconds - evaluated >= arguments.evaluation_seconds:
            evaluated = trainer.seconds
            win_shares = group.call_on_first(trainer.evaluate)
            console.print(
                f"{clock(trainer.seconds):>6}  {trainer.decisions / 1e6:6.2f} M decisions"
                f"  {trainer.games:,} games  wins against {win_shares}"
            )
        abandoned = "end of the process that started this one" if group.is_abandoned() else None
        seconds = trainer.seconds + time.perf_counter() - begin
        trainer.seconds, stopped = group.broadcast((seconds, stop.name or abandoned))
        group.call_on_first(lambda: curves.add(trainer.metrics, trainer.decisions))
        if trainer.seconds - saved >= arguments.save_seconds:
            saved = trainer.seconds
            group.call_on_first(curves.flush)
            trainer.save(folder)
        done, speed = trainer.progress(), trainer.metrics["charts/decisions_per_second"]
        trainer.metrics.clear()
        left = clock(trainer.seconds * (1 - done) / done)
        description = f"{left} left  {speed:,.0f} decisions/s  {'wins: ' + win_shares if win_shares else ''}"
        bar.update(task, completed=done, description=description)
        return stopped is None

    with checkpoint.StopRequest() as stop, Curves(folder if group.is_first else None, trainer.decisions) as curves, bar:
        task = bar.add_task("", total=1)
        trainer.train(after_update)
        group.call_on_first(curves.flush)
        trainer.save(folder)
    return stopped


def main() -> int:
    """Parse the command line, train, report. Returns the exit status."""
    group = Group()
    console = Console(highlight=False, markup=False, soft_wrap=True, quiet=not group.is_first)
    try:
        arguments = parse_arguments()
        check(arguments)
        if arguments.processes > 1 and group.size == 1:
            return run_processes([sys.executable, "-m", "training.ppo", *sys.argv[1:]], arguments.processes)
        group.join(device_of(arguments.device))
        if group.broadcast(group.is_abandoned()):
            return group.end(2)
        status = run(arguments, group, console)
    except (ValueError, ArithmeticError, OSError) as error:
        advice = "; the last checkpoint is intact, --resume continues from it" if isinstance(error, OSError) else ""
        console.print(f"training.ppo: {error}{advice}", style="red")
        return group.end(2, together=False)
    return group.end(status)


def parse_arguments() -> Arguments:
    """The arguments on the command line; if a run is resumed, all other arguments are those of the run."""
    words, default = sys.argv[1:], None
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--resume", action=argparse.BooleanOptionalAction)
    parser.add_argument("--run")
    found, _ = parser.parse_known_args(words)
    if found.resume:
        named_game(words)  # a checkpoint may name a game only if the command line names it, too
        folder = Path(found.run) if found.run else checkpoint.newest_run(Path("runs"))
        default = replace(resume.read(folder / checkpoint.FILE).arguments, resume=True, run=str(folder))
    arguments = parse_command(
        Arguments, dealt=True, full=True, default=default, program="dunaia train", arguments=words
    )
    if default is not None:
        # In words such as --network=my_module:make_network, the name follows the equals sign.
        check_names(arguments, named={name for word in words for name in (word, word.partition("=")[2])})
    return arguments


def run(arguments: Arguments, group: Group, console: Console) -> int:
    """Train as the arguments say; returns the exit status."""
    folder = group.broadcast(Path(arguments.run or f"runs/ppo-{time.strftime('%Y%m%d-%H%M%S')}"))
    for name in arguments.opponents:
        # Refuse a wrong opponent now instead of at the first match.
        opponents.load(name, components=arguments.components, game=find_game(arguments.game))
    with ExitStack() as lock:
        group.call_on_first(lambda: lock_folder(folder, lock, resumed=arguments.resume))
        trainer = Trainer(replace(arguments, resume=False, run=str(folder)), group=group)
        if arguments.resume:
            trainer.restore(folder)
            console.print(
                f"Resuming {folder} after {clock(trainer.seconds)} min and {trainer.decisions:,} decisions"
                f" ({100 * trainer.progress():.0f} % of the budget)"
            )
        elif arguments.weights:
            trainer.load_weights(arguments.weights)
        console.print(f"Results in {folder}. Preparing ...")
        begin = time.perf_counter()
        trainer.compile_agents()  # this draws a bar of its own
        with console.status("Measuring what the options leave open, compiling what learns ..."):
            description = trainer.prepare()
        console.print(f"Prepared in {time.perf_counter() - begin:.0f} s. Computing on {description}")
        stopped = train(trainer, folder, console)
        if stopped:
            console.print(f"{stopped}: stopped and saved. Continue with: {resume_command(arguments, folder)}")
            return 130
        group.call_on_first(lambda: report(trainer, folder, console))
        return 0


def lock_folder(folder: Path, lock: ExitStack, *, resumed: bool) -> None:
    """Keep other processes from working on a run until ``lock`` is closed.

    Raises `CheckpointError` if another process works on the run, or if the folder of a new run already holds a run.
    """
    lock.enter_context(checkpoint.lock_run(folder))
    if not resumed and (folder / checkpoint.FILE).exists():
        raise checkpoint.CheckpointError(f"{folder}: holds a run; continue it with --resume or choose another --run")


if __name__ == "__main__":
    sys.exit(run_main(main))

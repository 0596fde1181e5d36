"""Train sb3-contrib's MaskablePPO against a growing pool of opponents: ``python -m training.sb3_maskable``.

The learner has one seat of each game. A pool of opponents holds the others. It starts with the agents of
``--opponents``, and every few rollouts a copy of the learner joins it. The result is written twice: as
Stable-Baselines3's own file, and as a model file of this project, which can be named wherever an agent is named.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium.spaces import Box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecMonitor
from torch import Tensor, nn

from agents.model import FIRST_LAYER, FIXED_POINT
from agents.network import Network, NetworkAgent
from dunaia_env.arena.match import blocks_for, describe, play_match
from dunaia_env.envs.sb3 import DunaiaVecEnv
from dunaia_env.harness import opponents
from dunaia_env.harness.commands import check_numbers, parse_command
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.harness.registry import DEFAULT_GAME, find_game, name_of
from dunaia_env.harness.seeds import batch_seed, derived_seed
from dunaia_env.support import atomic
from dunaia_env.support.terminal import run_main
from training.running import checkpoint
from training.running.checkpoint import MODEL_FILE, RESULTS_FILE
from training.running.reporting import match_command

SB3_FILE = "maskable_ppo.zip"
# Seeds of the evaluations and of the final matches.
EVALUATION_SEED, FINAL_SEED = 1_000_000, 2_000_000


@dataclass(frozen=True)
class Arguments:
    """Train sb3-contrib's MaskablePPO against a growing pool of opponents."""

    run: str | None = None
    """Folder of the run; a new one under runs/ if absent."""
    decisions: int = 2_000_000
    """Budget: the learner's own decisions."""
    seed: int = 0
    """Seed of the initial weights, the games and every random choice."""

    players: int = 2
    """Number of players at a table."""
    game: str = DEFAULT_GAME.name
    """The game: its name, or a module with a game of your own."""
    game_options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the game by name, except the number of players. An option that is not given has its value in the full
    game."""
    components: str | None = None
    """Component file; the game's own if absent."""
    reward: str = "win"
    """Reward at the end of a game: win (share of the victory), rank or score (margin)."""

    opponents: tuple[str, ...] = ("random",)
    """Agents that the pool starts with."""
    snapshot_rollouts: int = 5
    """Number of rollouts between two copies of the learner that join the pool; 0 for no copies."""
    most_snapshots: int = 8
    """Largest number of copies in the pool; beyond it, the oldest copy leaves when a new one joins."""

    layers: int = 2
    """Number of hidden layers of the network."""
    width: int = 256
    """Number of units of each hidden layer."""
    games: int = 256
    """Number of games that are played side by side."""
    steps: int = 64
    """Number of decisions of each game in a rollout."""
    epochs: int = 3
    """Number of times that each decision of a rollout is learned from."""
    batch_size: int = 2048
    """Number of decisions in a minibatch."""
    learning_rate: float = 1e-3
    """Learning rate of Adam at the start; falls linearly to zero over the budget."""
    entropy: float = 0.01
    """Weight of the policy's entropy."""
    gae_lambda: float = 0.95
    """Lambda of generalised advantage estimation: 0 trusts the value estimates, 1 the outcomes of the games."""

    against: tuple[str, ...] = ("random", "greedy")
    """Agents that the learner is evaluated against."""
    evaluation_rollouts: int = 20
    """Number of rollouts between two evaluations; 0 for none."""
    evaluation_games: int = 200
    """Number of games against each opponent in an evaluation."""
    save_seconds: float = 60.0
    """Seconds of training between two writings of the model file."""
    final_games: int = 400
    """Number of games of the match against each opponent after training; 0 for none."""

    def __post_init__(self) -> None:
        game = find_game(self.game)
        object.__setattr__(self, "game", name_of(game))
        object.__setattr__(self, "game_options", game.default_options(full=True) | dict(self.game_options))


class SharedLayers(BaseFeaturesExtractor):
    """Hidden layers shared by policy and value; observations are divided by the scale of their pieces."""

    def __init__(self, space: Box, scale: Any, layers: int, width: int) -> None:
        super().__init__(space, width)
        self.input_scale: Tensor
        self.register_buffer("input_scale", torch.tensor(scale))
        sizes = [len(scale)] + [width] * layers
        self.hidden = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))

    def forward(self, observations: Tensor) -> Tensor:
        """Features ``(N, width)`` of observations ``(N, O)``; entries beyond those used at the table are left out."""
        x = observations[:, : len(self.input_scale)] / self.input_scale
        for layer in self.hidden:
            x = torch.relu(layer(x))
        return x


def make_games(
    arguments: Arguments, num_envs: int, opponent: Any, seed: int, components: list[Any] | None = None
) -> VecMonitor:
    """Games with the learner in a random seat and one agent in all other seats.

    ``components`` are the component files of the games; those of the arguments for all if absent.
    """
    games = DunaiaVecEnv(
        num_envs,
        seed=batch_seed(seed, "games"),
        opponents=opponent,
        num_players=arguments.players,
        game=find_game(arguments.game),
        components=components or arguments.components,
        reward=arguments.reward,
        **arguments.game_options,
    )
    return VecMonitor(games)


def make_model(arguments: Arguments, games: VecMonitor, folder: Path | None = None) -> MaskablePPO:
    """MaskablePPO with a network that `player` can copy."""
    game = games.unwrapped.games.lanes.game  # type: ignore[attr-defined]
    layers: dict[str, Any] = {
        "scale": game.observation_scale[: game.used_size(arguments.players)],
        "layers": arguments.layers,
        "width": arguments.width,
    }
    return MaskablePPO(
        "MlpPolicy",
        games,
        learning_rate=lambda left: arguments.learning_rate * left,
        n_steps=arguments.steps,
        batch_size=arguments.batch_size,
        n_epochs=arguments.epochs,
        gamma=1.0,
        gae_lambda=arguments.gae_lambda,
        ent_coef=arguments.entropy,
        policy_kwargs={
            "net_arch": [],
            "features_extractor_class": SharedLayers,
            "features_extractor_kwargs": layers,
        },
        tensorboard_log=None if folder is None else str(folder),
        # MaskablePPO passes its seed on to the games, which count up from it; hashed, so that no two seeds share games.
        seed=derived_seed(arguments.seed, "training", bits=32),
        device="cpu",
    )


def player(model: Any, arguments: Arguments, *, temperature: float = 0.0, seconds: float | None = None) -> NetworkAgent:
    """The current policy of a MaskablePPO, after some seconds of training, as a player that needs NumPy only."""
    weights = {name: tensor.detach().cpu().numpy().copy() for name, tensor in model.policy.state_dict().items()}
    shared = "features_extractor."
    arrays = {name.removeprefix(shared): array for name, array in weights.items() if name.startswith(shared)}
    for name, head in (("action_net", "policy"), ("value_net", "value")):
        arrays |= {f"{head}.{part}": weights[f"{name}.{part}"] for part in ("weight", "bias")}
    version = str(model.num_timesteps)
    game = find_game(arguments.game)
    header = checkpoint.game_hashes(game, arguments.components) | {
        "name": "sb3_maskable",
        "version": version,
        "players": [arguments.players],
        "game": arguments.game,
        **{name: [value] for name, value in arguments.game_options.items()},
        "decisions": model.num_timesteps,
        FIRST_LAYER: FIXED_POINT,
        **({} if seconds is None else {"seconds": round(seconds, 1)}),
    }
    network = Network(arrays, header)
    return NetworkAgent(network, name="sb3_maskable", version=version, temperature=temperature, game=game)


class League(BaseCallback):
    """Adds copies of the learner to the pool, evaluates and saves the learner, and shows the progress."""

    def __init__(self, arguments: Arguments, pool: opponents.Pool, bar: Progress, folder: Path | None = None) -> None:
        super().__init__()
        self.arguments = arguments
        self.pool = pool
        self.bar = bar
        self.folder = folder
        self.begin = self.saved = time.perf_counter()
        self.task = bar.add_task("", total=arguments.decisions)
        self.rollouts = 0
        self.snapshots: list[int] = []
        self.standings = ""

    def _on_step(self) -> bool:
        return True

    def _on_training_start(self) -> None:
        self.begin = self.saved = time.perf_counter()

    def _on_rollout_end(self) -> None:
        arguments, now = self.arguments, time.perf_counter()
        if self.folder and now - self.saved >= arguments.save_seconds:
            player(self.model, arguments, seconds=now - self.begin).network.save(self.folder / MODEL_FILE)
            self.saved = now
        self.rollouts += 1
        if arguments.snapshot_rollouts and self.rollouts % arguments.snapshot_rollouts == 0:
            self.snapshots.append(self.pool.add(player(self.model, arguments, temperature=1.0)))
            if len(self.snapshots) > arguments.most_snapshots:
                self.pool.remove(self.snapshots.pop(0))
        if arguments.evaluation_rollouts and self.rollouts % arguments.evaluation_rollouts == 0:
            self.standings = ", ".join(f"{name} {self.measure(name):+.2f}" for name in arguments.against)
        speed = self.num_timesteps / max(self.bar.tasks[self.task].elapsed or 0.0, 1e-9)
        text = f"{speed:,.0f} decisions/s, {len(self.pool.members)} opponents  {self.standings}"
        self.bar.update(self.task, completed=self.num_timesteps, description=text)

    def measure(self, opponent: str) -> float:
        """Mean reward of the learner, with masks, in games that it was not trained on."""
        model: Any = self.model
        games = make_games(self.arguments, min(64, self.arguments.evaluation_games), opponent, EVALUATION_SEED)
        mean, _ = evaluate_policy(model, games, n_eval_episodes=self.arguments.evaluation_games, deterministic=False)
        self.logger.record(f"reward/{opponent}", mean)
        return float(np.asarray(mean))


def train(arguments: Arguments, folder: Path | None = None, console: Console | None = None) -> MaskablePPO:
    """Train until the budget is used up or Ctrl-C is pressed, with curves for TensorBoard in a folder, if one is given.

    Returns the model.
    """
    torch.set_num_threads(1)
    game = find_game(arguments.game)
    pool = opponents.Pool(
        opponents.load(name, components=arguments.components, game=game) for name in arguments.opponents
    )
    model = make_model(arguments, make_games(arguments, arguments.games, pool, arguments.seed), folder)
    text = TextColumn("{task.percentage:.0f} %  {task.description}")
    hidden = console is None or not console.is_terminal
    with Progress(BarColumn(), text, console=console, transient=True, disable=hidden) as bar:
        try:
            model.learn(arguments.decisions, callback=League(arguments, pool, bar, folder))
        except KeyboardInterrupt:
            bar.console.print("Interrupted: what has been learned so far is kept.")
    return model


def report(arguments: Arguments, agent: NetworkAgent, folder: Path, console: Console) -> None:
    """Play the final matches, print and store their results."""
    results = []
    blocks = blocks_for(arguments.final_games, 2, arguments.players)
    for name in arguments.against if arguments.final_games else ():
        match = play_match(
            [agent, opponents.load(name, components=arguments.components, game=find_game(arguments.game))],
            blocks=blocks,
            num_players=arguments.players,
            seed=FINAL_SEED,
            components=arguments.components,
            game=find_game(arguments.game),
            **arguments.game_options,
        )
        mean, low, high = match.interval()
        console.print(
            f"Against {name}: wins {describe((mean, low, high))} of {match.games} games in {len(match.shares)}"
            " seat-balanced blocks (in brackets the 95 % interval)"
        )
        results.append({"opponent": name, "share": mean, "low": low, "high": high, "games": match.games})
    values = asdict(arguments)
    options = values.pop("game_options")
    content = {"arguments": values | options, "results": results}
    atomic.write_text(folder / RESULTS_FILE, json.dumps(content, indent=2) + "\n")


def check(arguments: Arguments) -> None:
    """Raise `ValueError` naming an argument that is out of range and what is allowed."""
    check_numbers(
        arguments,
        positive=(
            *("decisions", "most_snapshots", "layers", "width", "games", "steps", "epochs", "batch_size"),
            *("learning_rate", "evaluation_games", "players", "save_seconds"),
        ),
        not_negative=("seed", "snapshot_rollouts", "entropy", "evaluation_rollouts", "final_games"),
        shares=("gae_lambda",),
    )
    game = find_game(arguments.game)
    for name, value in {NUM_PLAYERS: arguments.players, **arguments.game_options}.items():
        game.option(name).check(value)
    if not arguments.opponents:
        raise ValueError("opponents: expected at least one, got none")
    for name in (*arguments.opponents, *arguments.against):
        opponents.load(name, components=arguments.components, game=game)


def main() -> int:
    """Parse the command line, train, save, report. Returns the exit status."""
    arguments = parse_command(Arguments, full=True, program="python -m training.sb3_maskable")
    console = Console(highlight=False, markup=False, soft_wrap=True)
    folder = Path(arguments.run or f"runs/sb3-{time.strftime('%Y%m%d-%H%M%S')}")
    try:
        check(arguments)
        with checkpoint.lock_run(folder, (SB3_FILE, MODEL_FILE, RESULTS_FILE)):
            if (folder / SB3_FILE).exists():
                raise ValueError(f"{folder}: holds a run; choose another --run")
            run(arguments, folder, console)
    except (ValueError, OSError) as error:
        console.print(f"training.sb3_maskable: {error}", style="red")
        return 2
    return 0


def run(arguments: Arguments, folder: Path, console: Console) -> None:
    """Train, save and report."""
    begin = time.perf_counter()
    model = train(arguments, folder, console)
    seconds = time.perf_counter() - begin
    console.print(
        f"{model.num_timesteps:,} decisions in {seconds:.0f} s, {model.num_timesteps / seconds:,.0f} a second"
    )
    agent = player(model, arguments, seconds=seconds)
    agent.network.save(folder / MODEL_FILE)
    content = BytesIO()
    model.save(content)
    atomic.write_bytes(folder / SB3_FILE, content.getvalue())
    report(arguments, agent, folder, console)
    console.print(
        f"Saved in {folder}: {SB3_FILE}, {MODEL_FILE} (plays without torch), {RESULTS_FILE}, TensorBoard curves"
    )
    measured = match_command(folder / MODEL_FILE, find_game(arguments.game), arguments.game_options)
    console.print(f"To continue: {measured}")


if __name__ == "__main__":
    sys.exit(run_main(main))

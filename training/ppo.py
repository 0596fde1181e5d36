"""Self-play PPO in one file: a shared network plays every seat, and every seat's decisions are learned from.

    python -m training.ppo                       # five minutes of the two-player game with elites
    python -m training.ppo --resume              # go on with the newest run
    python -m training.ppo --players 2 3 4 --no-elites --minutes 600

How it works:

1. `Lanes` play many games side by side. A *rollout* is a few dozen decisions in each lane; the network decides for
   whichever seat has to (`Trainer.collect`).
2. A decision's consequences end when the *same seat* decides again, or with the game. Advantages are computed along
   these chains, one per seat (`training.rollout`). No value of one seat is ever turned into another's.
3. The network is improved with the clipped objective of PPO (Schulman et al. 2017), with illegal actions masked out of
   the policy's logits (`Trainer.learn`).
4. Every half minute the present network plays random and greedy; everything is saved; at the end a longer match says
   how good it became.

Curves: ``tensorboard --logdir runs``. The code follows CleanRL's manner (https://github.com/vwxyzjn/cleanrl).
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
import tyro
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from torch import Tensor, nn
from torch.utils.tensorboard import SummaryWriter

from agents.network import Network, NetworkAgent
from dunaia_env import Lanes, atomic, opponents
from dunaia_env.advantages import seat_advantages
from training import checkpoint
from training.match import Match, describe, play_match, seat_orders
from training.rollout import Rollout, sample_actions

MODEL_FILE = "model.safetensors"
RESULTS_FILE = "results.json"
# What a loss is shown with, see `ppo_loss`.
SHOWN = ("policy", "value", "entropy", "divergence", "clipped")
# Game seeds of the matches, far from those of training, which are hashes.
EVALUATION_SEED = 1_000_000
FINAL_SEED = 2_000_000


@dataclass(frozen=True)
class Arguments:
    """Train a shared-network PPO player by self-play."""

    run: str | None = None
    """Folder of the run. Absent: a new folder under runs/, or the newest one with --resume."""
    resume: bool = False
    """Go on from the run's last checkpoint with its arguments; those on the command line replace them."""
    minutes: float = 5.0
    """Time budget of the whole run, resumed parts included."""
    decisions: int | None = None
    """Budget in decisions instead of minutes. With fixed --threads, --precision and --compile such a run repeats
    bit for bit on the same machine."""
    seed: int = 0
    """Of the first weights, the games and every random choice."""

    players: tuple[int, ...] = (2,)
    """Players at a table; several numbers are dealt to the lanes in turn. Matches use the first."""
    elites: bool = True
    """Play with elite characters."""
    components: str | None = None
    """A component file; the project's own if absent."""
    max_rounds: int = 100
    """A game that has not ended after so many rounds is stopped and scored."""
    reward: str = "win"
    """At the end of a game: win (share of the victory), rank or score (margin)."""
    layers: int = 2
    """Hidden layers of the network."""
    width: int = 256
    """Units of each hidden layer."""

    lanes: int = 1024
    """Games played side by side."""
    steps: int = 64
    """Decisions of each lane in a rollout."""
    epochs: int = 2
    """Times that each decision of a rollout is learned from."""
    minibatches: int = 8
    """Parts into which a rollout is cut in each epoch."""
    learning_rate: float = 2e-3
    """Of Adam at the start; falls linearly to zero over the budget."""
    clip: float = 0.2
    """How far the probability of an action may move in one update, as a ratio."""
    entropy: float = 0.02
    """Weight of the policy's entropy at the start."""
    entropy_end: float = 0.002
    """The same at the end; linear in between."""
    value_weight: float = 0.5
    """Weight of the value's squared error."""
    gradient_norm: float = 0.5
    """Longest gradient of an update."""
    discount: float = 1.0
    """Of what lies one decision of the same seat ahead."""
    gae_lambda: float = 0.95
    """0 trusts the value estimates, 1 the outcomes of the games (generalised advantage estimation)."""

    opponents: tuple[str, ...] = ("random", "greedy")
    """Whom the network is measured against."""
    evaluation_seconds: float = 30.0
    """Training time between two short matches against them."""
    evaluation_games: int = 200
    """Games of a short match."""
    final_games: int = 400
    """Games of the match against each opponent after training; 0 for none."""
    save_seconds: float = 30.0
    """Training time between two checkpoints."""

    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where the network computes; auto takes a GPU if there is one."""
    threads: int = 0
    """Of torch on the CPU; 0 measures whether all cores are faster than one."""
    engine_threads: int = 0
    """Of the lanes; 0 takes one per core, at most 8."""
    precision: Literal["auto", "fp32", "bf16"] = "auto"
    """Of matrix products; auto measures which is faster."""
    compile: Literal["auto", "on", "off"] = "auto"
    """torch.compile; auto uses it where a C++ compiler is found."""


# Otherwise the weights, the games or the open transitions of a resumed run would not fit.
KEPT_ON_RESUME = ("players", "elites", "components", "max_rounds", "layers", "width", "lanes")


class PolicyNetwork(nn.Module):
    """Hidden layers with rectifiers, a head for the policy and one for the value.

    Args:
        input_scale: float32 ``(inputs,)``; observations are divided by it.
        num_actions: outputs of the policy head.
        layers, width: of the hidden layers.
        seed: of the first weights.
    """

    input_scale: Tensor

    def __init__(self, input_scale: Tensor, num_actions: int, layers: int, width: int, seed: int) -> None:
        super().__init__()
        sizes = [len(input_scale)] + [width] * layers
        self.register_buffer("input_scale", input_scale)
        self.hidden = nn.ModuleList(nn.Linear(*pair) for pair in itertools.pairwise(sizes))
        self.policy = nn.Linear(width, num_actions)
        self.value = nn.Linear(width, 1)
        generator = torch.Generator().manual_seed(seed)
        for name, layer in self.named_modules():
            if isinstance(layer, nn.Linear):
                gain = {"policy": 0.01, "value": 0.1}.get(name, 2**0.5)
                nn.init.orthogonal_(layer.weight, gain, generator)
                nn.init.zeros_(layer.bias)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Logits float32 ``(N, actions)`` and values float32 ``(N,)`` of int8 observations ``(N, inputs)``."""
        x = observations / self.input_scale
        for layer in self.hidden:
            x = torch.relu(layer(x))
        return self.policy(x).float(), self.value(x).float().squeeze(-1)


def ppo_loss(
    network: Callable[[Tensor], tuple[Tensor, Tensor]],
    batch: tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor],
    clip: Tensor,
    entropy_weight: Tensor,
    value_weight: float,
) -> tuple[Tensor, Tensor]:
    """The loss of a minibatch, and what to show of it: policy and value loss, entropy, KL divergence, share clipped.

    The batch: observations and masks int8, actions int64, log-probabilities under the policy that acted, advantages,
    returns.
    """
    observations, masks, actions, old_log_probabilities, advantages, returns = batch
    logits, values = network(observations)
    logits = torch.where(masks != 0, logits, -1e9)
    log_policy = logits - logits.logsumexp(dim=1, keepdim=True)
    entropy = -(log_policy.exp() * log_policy).sum(dim=1).mean()
    log_ratio = log_policy.gather(1, actions[:, None]).squeeze(1) - old_log_probabilities
    ratio = log_ratio.exp()
    clipped = torch.minimum(torch.maximum(ratio, 1 - clip), 1 + clip)
    policy_loss = -torch.minimum(advantages * ratio, advantages * clipped).mean()
    value_loss = (values - returns).square().mean()
    loss = policy_loss + value_weight * value_loss - entropy_weight * entropy
    with torch.no_grad():
        divergence = (ratio - 1 - log_ratio).mean()
        share_clipped = ((ratio - 1).abs() > clip).float().mean()
        shown = torch.stack([policy_loss, value_loss, entropy, divergence, share_clipped])
    return loss, shown


class Trainer:
    """A training run: lanes, network, optimiser, counters and random streams, and how they go on.

    Args:
        arguments: what to do.
        make_lanes: the class of the lanes, or a function with its parameters. Of the lanes' ``game`` the trainer uses
            ``ACTION_HASH``, ``OBSERVATION_HASH``, ``OBSERVATION_SCALE`` and ``used_size(num_players)``.
    """

    def __init__(self, arguments: Arguments, make_lanes: Callable[..., Any] = Lanes) -> None:
        for name in ("minutes", "steps", "epochs", "minibatches", "layers", "width", "evaluation_games"):
            if getattr(arguments, name) <= 0:
                raise ValueError(f"{name}: {getattr(arguments, name)}; more than 0 is needed")
        if arguments.minibatches > arguments.lanes * arguments.steps:
            raise ValueError(f"minibatches: {arguments.minibatches}; at most lanes * steps are possible")
        if arguments.device == "cuda" and not torch.cuda.is_available():
            raise ValueError("device: 'cuda'; torch finds no GPU here")
        self.arguments = arguments
        self.make_lanes = make_lanes
        self.random = np.random.default_rng(arguments.seed)
        self.cores = torch.get_num_threads()
        self.engine_threads = arguments.engine_threads or min(self.cores, 8)
        self.lanes = make_lanes(
            arguments.lanes,
            num_players=arguments.players,
            elites=arguments.elites,
            components=arguments.components,
            max_rounds=arguments.max_rounds,
            reward=arguments.reward,
            threads=self.engine_threads,
        )
        self.lanes.reset(int(self.random.integers(2**52)))
        game = self.lanes.game
        # What lies beyond is always zero at tables of these sizes.
        self.input_size = int(game.used_size(max(arguments.players)))
        scale = torch.from_numpy(np.array(game.OBSERVATION_SCALE[: self.input_size], np.float32))
        self.device = torch.device("cuda" if arguments.device != "cpu" and torch.cuda.is_available() else "cpu")
        network = PolicyNetwork(scale, self.lanes.num_actions, arguments.layers, arguments.width, arguments.seed)
        self.network = network.to(self.device)
        self.optimizer = torch.optim.Adam(self.network.parameters(), arguments.learning_rate, eps=1e-5, fused=True)
        sizes = self.input_size, self.lanes.num_actions, max(arguments.players)
        self.rollout = Rollout(arguments.steps, arguments.lanes, *sizes)
        self.updates, self.decisions, self.games, self.seconds = 0, 0, 0, 0.0
        self.scalars: dict[str, float] = {}
        self.commit = checkpoint.git_commit()
        self.minibatch = arguments.lanes * arguments.steps // arguments.minibatches
        self.bf16 = False
        self._forward: Callable[[Tensor], tuple[Tensor, Tensor]] = self.network
        self._loss: Callable[..., tuple[Tensor, Tensor]] = ppo_loss

    def prepare(self) -> str:
        """Choose threads, precision and compilation as the arguments say; returns a line that tells the choice."""
        arguments, cuda = self.arguments, self.device.type == "cuda"
        threads = [arguments.threads] if arguments.threads else [1] if cuda else sorted({1, self.cores})
        precisions = {"auto": [True, False], "bf16": [True], "fp32": [False]}[arguments.precision]
        choices = list(itertools.product(threads, precisions))
        chosen = choices[0] if len(choices) == 1 else min(choices, key=lambda choice: self._time_update(*choice))
        torch.set_num_threads(chosen[0])
        self.bf16 = chosen[1]
        compiler = cuda or any(map(shutil.which, (os.environ.get("CXX", "g++"), "g++", "clang++")))
        if arguments.compile == "off":
            compiled = "eager"
        elif arguments.compile == "auto" and not compiler:
            compiled = "eager, for there is no C++ compiler (with g++, torch.compile is up to twice as fast)"
        else:
            compiled = self._compile()
        where = torch.cuda.get_device_name() if cuda else f"CPU with {chosen[0]} of {self.cores} threads"
        return f"{where}, {'bf16' if self.bf16 else 'fp32'}, {compiled}"

    def _example(self, rows: int) -> tuple[Tensor, ...]:
        """A minibatch of the right shapes."""
        ones = torch.ones(rows, device=self.device)
        entries = torch.ones((rows, self.input_size + self.lanes.num_actions), dtype=torch.int8, device=self.device)
        observations, masks = (part.contiguous() for part in entries.tensor_split([self.input_size], dim=1))
        return observations, masks, torch.zeros_like(ones, dtype=torch.int64), -ones, ones, ones

    def _time_update(self, threads: int, bf16: bool) -> float:
        """Seconds that a small update takes."""
        torch.set_num_threads(threads)
        self.bf16 = bf16
        example, durations = self._example(2048), []
        for _ in range(7):
            begin = time.perf_counter()
            self._gradient(example, 0.0)
            durations.append(time.perf_counter() - begin)
        return statistics.median(durations)

    def _compile(self) -> str:
        """Compile what is computed most; stay eager and say why if that fails."""
        try:
            self._forward = torch.compile(self.network, dynamic=False)
            self._loss = torch.compile(ppo_loss, dynamic=False)
            self._estimate(self._example(self.lanes.num_lanes)[0].cpu().numpy())
            self._gradient(self._example(self.minibatch), 0.0)
        except Exception as error:  # whatever a broken compiler makes torch raise
            self._forward, self._loss = self.network, ppo_loss
            return f"eager, for torch.compile failed ({str(error).strip().splitlines()[0][:100]})"
        return "compiled"

    def progress(self) -> float:
        """The part of the budget that is used, 0..1."""
        if self.arguments.decisions is not None:
            return min(1.0, self.decisions / self.arguments.decisions)
        return min(1.0, self.seconds / (60 * self.arguments.minutes))

    def _estimate(self, observations: NDArray[np.int8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Logits ``(N, actions)`` and values ``(N,)``, float32."""
        with torch.no_grad(), torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16):
            logits, values = self._forward(torch.from_numpy(observations).to(self.device))
        return logits.cpu().numpy(), values.cpu().numpy()

    def collect(self) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """Play `steps` decisions in each lane; returns values and seats of the decisions that come next."""
        lanes, rollout, steps = self.lanes, self.rollout, self.arguments.steps
        uniforms = self.random.random((steps, lanes.num_lanes), np.float32)
        lengths: list[int] = []
        scores: list[int] = []
        for step in range(steps):
            row = rollout.head + step
            rollout.observations[row] = lanes.observations[:, : self.input_size]
            rollout.masks[row] = lanes.action_masks
            rollout.seats[row] = lanes.seats
            logits, rollout.values[row] = self._estimate(rollout.observations[row])
            sample_actions(
                logits, rollout.masks[row], uniforms[step], rollout.actions[row], rollout.log_probabilities[row]
            )
            lanes.step(rollout.actions[row])
            rollout.rewards[row] = lanes.rewards[:, : rollout.rewards.shape[2]]
            rollout.terminations[row] = lanes.terminations
            if lanes.terminations.any():
                lengths += lanes.final_decisions[lanes.terminations].tolist()
                scores += lanes.final_scores[lanes.terminations].max(axis=1).tolist()
        self.decisions += steps * lanes.num_lanes
        self.games += len(lengths)
        if lengths:
            self.scalars |= {"game/length": statistics.mean(lengths), "game/score": statistics.mean(scores)}
        following = np.ascontiguousarray(lanes.observations[:, : self.input_size])
        return self._estimate(following)[1], lanes.seats.copy()

    def learn(self, next_values: NDArray[np.float32], next_seats: NDArray[np.int8]) -> None:
        """Improve the network with the rollout's decisions and carry the open ones over."""
        arguments, rollout = self.arguments, self.rollout
        advantages, finished = seat_advantages(
            rollout.values,
            rollout.rewards,
            rollout.terminations,
            rollout.seats,
            next_values,
            next_seats,
            arguments.discount,
            arguments.gae_lambda,
        )
        returns = advantages + rollout.values
        known = advantages[finished]
        explained = 1 - known.var() / (returns[finished].var() + 1e-8)
        advantages = (advantages - known.mean()) / (known.std() + 1e-8)
        decided = rollout.observations, rollout.masks, rollout.actions.astype(np.int64), rollout.log_probabilities
        columns = [
            torch.from_numpy(array.reshape(-1, *array.shape[2:])).to(self.device)
            for array in (*decided, advantages, returns)
        ]
        left = 1 - self.progress()
        self.optimizer.param_groups[0]["lr"] = arguments.learning_rate * left
        entropy_weight = arguments.entropy_end + (arguments.entropy - arguments.entropy_end) * left
        # Compiled code wants minibatches of one size: the last few decisions are left out, or a few come twice.
        chosen = np.flatnonzero(finished)
        parts = max(1, round(len(chosen) / self.minibatch))
        shown = torch.zeros(len(SHOWN), device=self.device)
        for _ in range(arguments.epochs):
            order = np.resize(self.random.permutation(chosen), parts * self.minibatch)
            for indices in torch.from_numpy(order).to(self.device).view(parts, self.minibatch):
                shown += self._gradient(tuple(column[indices] for column in columns), entropy_weight)
                nn.utils.clip_grad_norm_(self.network.parameters(), arguments.gradient_norm)
                self.optimizer.step()
        rollout.carry(finished)
        self.updates += 1
        losses = (shown / (arguments.epochs * parts)).tolist()
        self.scalars |= zip((f"losses/{name}" for name in SHOWN), losses, strict=True)
        self.scalars["losses/explained_variance"] = float(explained)
        self.scalars["charts/learning_rate"] = arguments.learning_rate * left

    def _gradient(self, batch: tuple[Tensor, ...], entropy_weight: float) -> Tensor:
        """Compute the gradient of a minibatch; returns what `ppo_loss` shows."""
        arguments = self.arguments
        self.optimizer.zero_grad()
        # Numbers that change are given as tensors, or each would be compiled anew.
        clip, weight = torch.tensor([arguments.clip, entropy_weight], device=self.device).unbind()
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16):
            loss, shown = self._loss(self.network, batch, clip, weight, arguments.value_weight)
        loss.backward()  # type: ignore[no-untyped-call]
        return shown

    def player(self) -> NetworkAgent:
        """The present network as the player that others get."""
        arrays = {name: tensor.cpu().numpy().copy() for name, tensor in self.network.state_dict().items()}
        header = checkpoint.game_hashes(self.lanes) | {
            "name": "ppo",
            "version": f"{self.decisions}",
            "players": list(self.arguments.players),
            "elites": self.arguments.elites,
            "decisions": self.decisions,
            "seconds": round(self.seconds, 1),
            "commit": self.commit,
        }
        return NetworkAgent(Network(arrays, header), name="ppo", version=f"{self.decisions}")

    def play(self, opponent: str, games: int, seed: int) -> Match:
        """A match of the present network against copies of an opponent."""
        arguments = self.arguments
        orders = len(seat_orders(2, arguments.players[0]))
        return play_match(
            [self.player(), opponents.load(opponent, components=arguments.components)],
            blocks=-(-games // orders),
            num_players=arguments.players[0],
            elites=arguments.elites,
            seed=seed,
            components=arguments.components,
            max_rounds=arguments.max_rounds,
            threads=self.engine_threads,
            make_lanes=self.make_lanes,
        )

    def measure(self) -> str:
        """Short matches against every opponent, for the curves; returns a line with the win shares."""
        shares = []
        for name in self.arguments.opponents:
            match = self.play(name, self.arguments.evaluation_games, EVALUATION_SEED)
            share = match.interval()[0]
            self.scalars |= {f"eval/vs_{name}": share, f"eval/vs_{name}_games": match.games}
            shares.append(f"{name} {100 * share:.0f} %")
        return ", ".join(shares)

    def save(self, folder: Path) -> None:
        """Write the checkpoint and the model file."""
        moments = {
            f"{index}.{name}": tensor.cpu().numpy()
            for index, state in self.optimizer.state_dict()["state"].items()
            for name, tensor in state.items()
        }
        player = self.player().network
        header = {
            **checkpoint.game_hashes(self.lanes),
            "arguments": asdict(self.arguments),
            "counters": {name: getattr(self, name) for name in ("updates", "decisions", "games", "seconds")},
            "random": self.random.bit_generator.state,
            "commit": self.commit,
            "versions": checkpoint.library_versions(),
        }
        groups = {
            "network": player.arrays,
            "optimizer": moments,
            "lanes": self.lanes.snapshot(),
            "carried": self.rollout.carried(),
        }
        checkpoint.save(folder / checkpoint.FILE, groups, header)
        player.save(folder / MODEL_FILE)

    def restore(self, folder: Path) -> None:
        """Go on where the folder's checkpoint was written; raises `CheckpointError` if it does not fit."""
        groups, header = checkpoint.load(folder / checkpoint.FILE, checkpoint.game_hashes(self.lanes))
        saved = arguments_of(header)
        for name in KEPT_ON_RESUME:
            before, now = getattr(saved, name), getattr(self.arguments, name)
            if before != now:
                raise checkpoint.CheckpointError(
                    f"{folder / checkpoint.FILE}: {name} was {before!r} and cannot become {now!r}; begin a new run"
                )
        self.network.load_state_dict({name: torch.tensor(array) for name, array in groups["network"].items()})
        state = self.optimizer.state_dict()
        for key, array in groups.get("optimizer", {}).items():
            index, name = key.split(".")
            state["state"].setdefault(int(index), {})[name] = torch.tensor(array)
        self.optimizer.load_state_dict(state)
        self.lanes.restore(groups["lanes"])
        self.rollout.restore(groups["carried"])
        self.random.bit_generator.state = header["random"]
        for name, value in header["counters"].items():
            setattr(self, name, value)


def arguments_of(header: dict[str, Any]) -> Arguments:
    """The arguments that a checkpoint's header holds."""
    known = {field.name for field in fields(Arguments)}
    # JSON knows no tuples.
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in header["arguments"].items()
        if name in known
    }
    return Arguments(**values)


def clock(seconds: float) -> str:
    """Minutes and seconds, ``4:07``."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def train(trainer: Trainer, folder: Path, console: Console) -> str | None:
    """Train until the budget is used; returns the name of the signal that stopped it before, if one did."""
    arguments = trainer.arguments
    evaluated, saved, standings = trainer.seconds, trainer.seconds, ""
    text = TextColumn("{task.percentage:.0f} %  {task.description}")
    bar = Progress(BarColumn(), text, console=console, transient=True, refresh_per_second=2)
    with checkpoint.StopRequest() as stop, SummaryWriter(str(folder), purge_step=trainer.decisions) as board, bar:
        task = bar.add_task("", total=1)
        while trainer.progress() < 1 and stop.name is None:
            begin = time.perf_counter()
            trainer.learn(*trainer.collect())
            speed = arguments.lanes * arguments.steps / (time.perf_counter() - begin)
            trainer.scalars["charts/decisions_per_second"] = speed
            if trainer.seconds - evaluated >= arguments.evaluation_seconds:
                evaluated = trainer.seconds
                standings = trainer.measure()
                console.print(
                    f"{clock(trainer.seconds):>6}  {trainer.decisions / 1e6:6.2f} M decisions"
                    f"  {trainer.games:,} games  wins against {standings}"
                )
            trainer.seconds += time.perf_counter() - begin
            if trainer.seconds - saved >= arguments.save_seconds:
                saved = trainer.seconds
                trainer.save(folder)
            for name, value in trainer.scalars.items():
                board.add_scalar(name, value, trainer.decisions)
            trainer.scalars.clear()
            done = trainer.progress()
            left = clock(trainer.seconds * (1 - done) / done)
            description = f"{left} left  {speed:,.0f} decisions/s  {'wins: ' + standings if standings else ''}"
            bar.update(task, completed=done, description=description)
        trainer.save(folder)
        return stop.name


def report(trainer: Trainer, folder: Path, console: Console) -> None:
    """Play the final matches, print and keep their results, and say what to try next."""
    arguments, results = trainer.arguments, []
    kind = f"{arguments.players[0]} players{' with elites' if arguments.elites else ''}"
    for opponent in arguments.opponents if arguments.final_games else ():
        match = trainer.play(opponent, arguments.final_games, FINAL_SEED)
        mean, low, high = match.interval()
        console.print(
            f"Against {opponent}: wins {describe((mean, low, high))} of {match.games} games in {len(match.shares)}"
            f" seat-balanced blocks ({kind}; in brackets the 95 % interval)"
        )
        results.append({"opponent": opponent, "share": mean, "low": low, "high": high, "games": match.games})
    content = {"results": results, "decisions": trainer.decisions, "seconds": trainer.seconds, "commit": trainer.commit}
    atomic.write_text(folder / RESULTS_FILE, json.dumps(content, indent=2) + "\n")
    model, flag = folder / MODEL_FILE, " --elites" if arguments.elites else ""
    files = f"{MODEL_FILE} (the player), {checkpoint.FILE}, {RESULTS_FILE}"
    console.print(f"Saved in {folder}: {files}, TensorBoard curves")
    console.print("What to try next:")
    for command in (
        f"python -m training.ppo --resume --run {folder} --minutes {2 * arguments.minutes:g}    # train twice as long",
        f"tensorboard --logdir {folder.parent}    # look at the curves",
        f"python -m training.match --agents {model} greedy --games 2000{flag}    # measure more precisely",
    ):
        console.print("  " + command)


def main() -> int:
    """Parse the command line, train, report. Returns the exit status."""
    arguments = tyro.cli(Arguments)
    console = Console(highlight=False, soft_wrap=True)
    try:
        if arguments.resume:
            folder = Path(arguments.run) if arguments.run else checkpoint.newest_run(Path("runs"))
            _, header = checkpoint.load(folder / checkpoint.FILE)
            # Parsed again, so that what the command line does not say comes from the run.
            arguments = tyro.cli(Arguments, default=replace(arguments_of(header), resume=True, run=str(folder)))
        else:
            folder = Path(arguments.run or f"runs/ppo-{time.strftime('%Y%m%d-%H%M%S')}")
            if (folder / checkpoint.FILE).exists():
                raise checkpoint.CheckpointError(f"{folder}: holds a run; go on with --resume or choose another --run")
        trainer = Trainer(replace(arguments, resume=False, run=str(folder)))
        if arguments.resume:
            trainer.restore(folder)
            console.print(
                f"Resuming {folder} after {clock(trainer.seconds)} min and {trainer.decisions:,} decisions"
                f" ({100 * trainer.progress():.0f} % of the budget)"
            )
    except ValueError as error:
        console.print(f"training.ppo: {error}", style="red")
        return 2
    console.print("Preparing (compiling takes up to a minute the first time) ...")
    console.print(f"Computing on {trainer.prepare()}; results in {folder}")
    stopped = train(trainer, folder, console)
    if stopped:
        console.print(f"{stopped}: stopped and saved. Go on with: python -m training.ppo --resume --run {folder}")
        return 130
    report(trainer, folder, console)
    return 0


if __name__ == "__main__":
    sys.exit(main())

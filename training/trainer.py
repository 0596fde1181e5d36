"""A training run: what one update does, and everything that a checkpoint has to hold."""

from __future__ import annotations

import math
from dataclasses import asdict, fields
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.network import Network, NetworkAgent, digest
from dunaia_env import Lanes
from dunaia_env.arena.match import Match, blocks_for, play_match
from dunaia_env.harness import opponents
from dunaia_env.harness.compiled.advantages import table_advantages
from dunaia_env.harness.compiled.rewards import final_rewards
from dunaia_env.harness.dealing import first_of, for_lanes, tables
from dunaia_env.harness.registry import find_game
from dunaia_env.support.array_files import ArrayFileError, Arrays
from dunaia_env.support.machine import git_commit, library_versions
from dunaia_env.support.messages import reason
from training import checkpoint, resume
from training.arguments import Arguments, check, header_of, with_part
from training.checkpoint import MODEL_FILE, CheckpointError
from training.compute import MOST_SECONDS, MOST_SECONDS_AGAIN, SAME, Choice, Compute, Measured, Workload
from training.group import Group
from training.past import PastPlayers, seats_of_past, tables_of_past
from training.policy import SCORE_UNIT, SHOWN, Batch, PolicyNetwork, Weights, state_of
from training.resume import Counters, Saved
from training.rollout import Advantages, Following, Rollout, sample_actions
from training.stopwatch import Stopwatch
from training.teacher import Teacher

# Game seeds of the matches, far from those of training, which are hashes.
EVALUATION_SEED = 1_000_000
FINAL_SEED = 2_000_000
ADVICE = "Go on from the last checkpoint with a lower --learning-rate"


class DivergenceError(ArithmeticError):
    """Training has come to numbers that are no numbers; the message says where and what to do."""


class Trainer:
    """A training run: lanes, network, optimiser, counters and random streams, and how they go on.

    Args:
        arguments: what to do.
        group: the processes of the run; this one alone if absent. Together they do what one would do alone, but for
            rounding.
    """

    def __init__(self, arguments: Arguments, group: Group | None = None) -> None:
        check(arguments)
        self.arguments = arguments
        self.game = find_game(arguments.game)
        self.group = group or Group()
        self.part = self.group.share(arguments.lanes)
        self.random = np.random.default_rng(arguments.seed)
        searched = arguments.simulations > 0
        choice = Choice(arguments.device, arguments.threads, arguments.precision, arguments.compile, searched)
        self.engine_threads = arguments.engine_threads or max(1, min(torch.get_num_threads() // self.group.size, 8))
        # Each lane has its place among the lanes of all processes: the table and the games that belong to it.
        kinds, mine = tables(self.game, arguments.players, arguments.game_options), range(arguments.lanes)[self.part]
        self.lanes = Lanes(
            len(mine),
            game=self.game,
            components=arguments.components,
            reward=arguments.reward,
            threads=self.engine_threads,
            **for_lanes(kinds, mine),
        )
        self.lanes.reset(int(self.random.integers(2**52)) + np.arange(arguments.lanes)[self.part])
        game = self.game
        # What lies beyond is always zero at tables of these sizes.
        self.input_size = int(game.used_size(max(arguments.players)))
        scale = torch.from_numpy(np.array(game.observation_scale[: self.input_size], np.float32))
        self.seats = max(arguments.players)
        self.network, past_network = (
            PolicyNetwork(
                scale,
                self.lanes.num_actions,
                self.seats,
                layers=arguments.layers,
                width=arguments.width,
                seed=arguments.seed,
            )
            for _ in range(2)
        )
        self.frozen: str | None = None
        if arguments.against:
            frozen = self._model(arguments.against)
            past_network, self.frozen = PolicyNetwork.of_model(frozen, self.input_size), digest(frozen.arrays)
        self.compute = Compute(choice, self.network, past_network)
        self.past = PastPlayers(arguments.past_kept)
        self.past_tables = tables_of_past(arguments.lanes, arguments.others_share)[self.part]
        self.optimizer = torch.optim.Adam(self.network.parameters(), arguments.learning_rate, eps=1e-5, fused=True)
        sizes = self.input_size, self.lanes.num_actions, self.seats
        self.rollout = Rollout(arguments.steps, len(mine), *sizes, searched=searched)
        self.updates, self.decisions, self.games, self.seconds = 0, 0, 0, 0.0
        self.history = with_part([], 0, 0.0, arguments)
        self.scalars: dict[str, float] = {}
        self.stopwatch = Stopwatch()
        self.commit = git_commit()
        self.components: str = checkpoint.game_hashes(self.lanes)["components_hash"]
        self.other_components: list[str] = []
        self.minibatch = arguments.lanes * arguments.steps // arguments.minibatches
        # How large a process's part of a minibatch is, is chance; this much holds it nearly always.
        spread = 4 * math.sqrt(self.minibatch) if self.group.size > 1 else 0
        self.batch_rows = math.ceil(self.minibatch / self.group.size + spread)
        self.work = Workload(len(mine), int(self.past_tables.sum()), self.batch_rows, arguments.epochs)

    def _model(self, path: str) -> Network:
        """The network of a model file that can play at these tables; raises `ArrayFileError`."""
        player = NetworkAgent.load(
            path,
            components=self.arguments.components,
            any_components=self.arguments.allow_other_components,
            game=self.game,
        )
        if player.network.input_size < self.input_size:
            found = f"{player.network.input_size} inputs"
            raise ArrayFileError(f"{path}: {found}; {self.input_size} are needed for {self.seats} players")
        return player.network

    def take_weights(self, path: str) -> None:
        """Begin with the weights of a model file, of one for larger tables too; a score head is optional.

        Raises `ArrayFileError` if they do not fit.
        """
        state, found = self.network.state_dict(), state_of(self._model(path), self.input_size, self.seats)
        for name, tensor in sorted(found.items()):
            shape, needed = tuple(tensor.shape), tuple(state[name].shape) if name in state else "none"
            if shape != needed:
                raise ArrayFileError(f"{path}: {name} has shape {shape}; {needed} is needed")
        missing = sorted(name for name in state.keys() - found.keys() if not name.startswith("score."))
        if missing:
            raise ArrayFileError(f"{path}: has no {missing[0]}; {self.arguments.layers} hidden layers are needed")
        self.network.load_state_dict(state | found)

    def prepare(self) -> str:
        """Choose threads, precision and compilation as the arguments say; returns a line that tells what and why."""
        measured = self._measure(MOST_SECONDS)
        how = self.compute.prepare(measured.best, self.work)
        return f"{how}; {measured}" if measured.rounds else how

    def choose_again(self) -> str:
        """Choose threads and precision anew; returns a line that tells what and why.

        Where code is compiled, another choice is compiled anew: it is taken if that pays before the run ends.
        """
        measured, now = self._measure(MOST_SECONDS_AGAIN), self.compute.setting
        saved = 1 - measured.costs[measured.best] / measured.costs[now]
        left = self.seconds * (1 - self.progress()) / self.progress()
        if saved <= SAME:
            told = f"goes on with {now}"
        elif not self.group.first(saved * left > 2 * self.compute.preparation):
            told = f"goes on with {now}, for compiling anew would take longer than {measured.best} could save"
        else:
            told = self.compute.prepare(measured.best, self.work)
        return f"{told}; {measured}"

    def _measure(self, most_seconds: float) -> Measured:
        """What settings cost, in all processes at the same time: they compete for the same cores."""
        settings, group = self.group.first(self.compute.settings), self.group
        return self.compute.measure(
            settings, self.work, most_seconds=most_seconds, mean=lambda numbers: group.sum(numbers) / group.size
        )

    def progress(self) -> float:
        """The part of the budget that is used, 0..1."""
        if self.arguments.decisions is not None:
            return min(1.0, self.decisions / self.arguments.decisions)
        return min(1.0, self.seconds / (60 * self.arguments.minutes))

    def heat(self) -> float:
        """What is left of learning rate and entropy bonus, 1..0: constant, then falling linearly to the end."""
        return min(1.0, (1 - self.progress()) / self.arguments.cooldown)

    def collect(self) -> Following:
        """Play `steps` decisions in each lane; returns what the network says of the decisions that come next."""
        lanes, rollout, steps = self.lanes, self.rollout, self.arguments.steps
        uniforms = self.random.random((steps, self.arguments.lanes), np.float32)[:, self.part]
        if self.arguments.past_share and not self.arguments.against:
            if self.updates % self.arguments.past_updates == 0:
                self.past.add(self.network, self.random)
            self.past.seat(self.compute.past_network, self.random)
        past_lanes = np.flatnonzero(self.past_tables)
        teacher = self._teacher()
        lengths: list[int] = []
        scores: list[int] = []
        for step in range(steps):
            row = rollout.head + step
            rollout.observations[row] = lanes.observations[:, : self.input_size]
            rollout.masks[row] = lanes.action_masks
            with self.stopwatch.part("network"):
                logits, rollout.values[row], rollout.scores[row] = self.compute.estimate(rollout.observations[row])
            rollout.seats[row] = self._learning_seats()
            if len(past_lanes):
                with self.stopwatch.part("network"):
                    past_logits = self.compute.estimate_past(rollout.observations[row, past_lanes])[0]
                by_past = rollout.seats[row, past_lanes] < 0
                logits[past_lanes[by_past]] = past_logits[by_past]
            sample_actions(
                logits, rollout.masks[row], uniforms[step], rollout.actions[row], rollout.log_probabilities[row]
            )
            if teacher:
                chance = self.random.random(self.arguments.lanes, np.float32)[self.part]
                selected = np.flatnonzero((chance < self.arguments.searched) & (rollout.seats[row] >= 0))
                rollout.improved[row] = 0
                with self.stopwatch.part("search"):
                    rollout.actions[row, selected], rollout.improved[row, selected] = teacher.decide(lanes, selected)
            with self.stopwatch.part("engine"):
                lanes.step(rollout.actions[row])
            rollout.terminations[row] = lanes.terminations
            rollout.rewards[row] = lanes.rewards[:, : self.seats]
            rollout.points[row] = 0
            ended = np.flatnonzero(lanes.terminations)
            if len(ended):
                final = lanes.final_scores[ended], lanes.final_ranks[ended], lanes.num_players[ended]
                margins = final_rewards("score", *final)[:, : self.seats]
                rollout.rewards[row, ended] += self.arguments.margin * (1 - self.progress()) * margins
                rollout.points[row, ended] = final[0][:, : self.seats] / SCORE_UNIT
                lengths += lanes.final_decisions[ended].tolist()
                scores += final[0].max(axis=1).tolist()
        games, length, score = self.group.sum([len(lengths), sum(lengths), sum(scores)])
        self.decisions += steps * self.arguments.lanes
        self.games += int(games)
        if games:
            self.scalars |= {"game/length": length / games, "game/score": score / games}
        following = self.compute.estimate(np.ascontiguousarray(lanes.observations[:, : self.input_size]))
        return Following(following[1], following[2], self._learning_seats())

    def _teacher(self) -> Teacher | None:
        """The search that decides in the network's place, if one does."""
        arguments = self.arguments
        if not arguments.simulations:
            return None
        return Teacher(
            self.player(),
            simulations=arguments.simulations,
            candidates=arguments.candidates,
            value_scale=arguments.value_scale,
            seed=int(self.random.integers(2**32)),
            threads=self.engine_threads,
        )

    def _learning_seats(self) -> NDArray[np.int8]:
        """Who decides in each lane, int8 ``(N,)``; -1 for past players."""
        lanes = self.lanes
        by_past = seats_of_past(lanes.seats, lanes.game_seeds, lanes.num_players, self.past_tables)
        return np.where(by_past, np.int8(-1), lanes.seats)

    def learn(self, following: Following) -> None:
        """Improve the network with the decisions whose outcome is known, if any, and carry the others over."""
        arguments, rollout, group = self.arguments, self.rollout, self.group
        values, finished = self._targets(rollout.values, rollout.rewards, following.values, following.seats)
        scores, _ = self._targets(rollout.scores, rollout.points, following.scores, following.seats)
        advantages = (values - rollout.values)[:, :, 0]
        known = np.stack([advantages[finished], values[finished][:, 0]]).astype(np.float64)
        count, *sums = group.sum([known.shape[1], *known.sum(axis=1), *np.square(known).sum(axis=1)])
        if not count:
            # The first rollout, if it is short: of no decision is it known yet what it led to.
            rollout.carry(finished)
            return
        means, squares = np.array(sums).reshape(2, 2) / count
        deviations = np.sqrt(np.maximum(squares - means**2, 0)) + 1e-8
        advantages = ((advantages - means[0]) / deviations[0]).astype(np.float32)
        decided = rollout.observations, rollout.masks, rollout.actions.astype(np.int64), rollout.log_probabilities
        columns = [
            torch.from_numpy(array.reshape(finished.size, *array.shape[2:])).to(self.compute.device)
            for array in (*decided, advantages, values, scores, rollout.improved)
        ]
        heat = self.heat()
        self.optimizer.param_groups[0]["lr"] = arguments.learning_rate * heat
        weights = Weights.of(
            clip=arguments.clip,
            entropy=arguments.entropy_end + (arguments.entropy - arguments.entropy_end) * heat,
            value=arguments.value_weight,
            score=arguments.score_weight,
            imitation=arguments.imitation_weight,
        )
        # Of all processes, so that each of them draws the same minibatches and computes its part of them. The last few
        # decisions are left out, or a few come twice.
        everywhere = group.join_lanes(finished, axis=1)
        chosen = np.flatnonzero(everywhere)
        parts = max(1, round(len(chosen) / self.minibatch))
        shown = torch.zeros(len(SHOWN), device=self.compute.device)
        for _ in range(arguments.epochs):
            order = np.resize(self.random.permutation(chosen), parts * self.minibatch)
            for cells in order.reshape(parts, self.minibatch):
                self.optimizer.zero_grad()
                with self.stopwatch.part("gradient"):
                    shown += self._add_gradient(columns, self._own(cells), weights)
                with self.stopwatch.part("exchange"):
                    group.add_gradients(self.network.parameters())
                nn.utils.clip_grad_norm_(self.network.parameters(), arguments.gradient_norm)
                self.optimizer.step()
        rollout.carry(finished)
        self.updates += 1
        losses = group.sum((shown / (arguments.epochs * parts)).tolist())
        if not np.isfinite(losses).all():
            raise DivergenceError(
                f"losses: {dict(zip(SHOWN, losses.tolist(), strict=True))} after update {self.updates}; finite numbers"
                f" are needed. {ADVICE}"
            )
        self.scalars |= zip((f"losses/{name}" for name in SHOWN), losses.tolist(), strict=True)
        self.scalars["losses/explained_variance"] = float(1 - (deviations[0] / deviations[1]) ** 2)
        self.scalars["charts/learning_rate"] = arguments.learning_rate * heat

    def _targets(
        self, said: NDArray[np.float32], got: NDArray[np.float32], then: NDArray[np.float32], seats: NDArray[np.int8]
    ) -> Advantages:
        """What should have been said, from what was said and got and what is said next; and where that is known."""
        arguments, rollout, players = self.arguments, self.rollout, self.lanes.num_players
        advantages, finished = table_advantages(
            said,
            got,
            rollout.terminations,
            rollout.seats,
            players,
            then,
            seats,
            arguments.discount,
            arguments.gae_lambda,
        )
        return np.where(np.arange(self.seats) < players[:, None], said + advantages, 0), finished

    def _own(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """This process's among the cells of a minibatch, as places in its own rollout."""
        rows, lanes = np.divmod(cells, self.arguments.lanes)
        mine = np.flatnonzero((lanes >= self.part.start) & (lanes < self.part.stop))
        places: NDArray[np.int64] = rows[mine] * self.lanes.num_lanes + lanes[mine] - self.part.start
        return places

    def _add_gradient(self, columns: list[Tensor], places: NDArray[np.int64], weights: Weights) -> Tensor:
        """Add the gradient of some decisions' part of a minibatch; returns what `ppo_loss` shows."""
        shown = torch.zeros(len(SHOWN), device=self.compute.device)
        # Compiled code wants batches of one size.
        for first in range(0, len(places), self.batch_rows):
            some = places[first : first + self.batch_rows]
            indices = torch.from_numpy(np.resize(some, self.batch_rows)).to(self.compute.device)
            counted = (torch.arange(self.batch_rows, device=self.compute.device) < len(some)).float()
            *given, improved = (column.index_select(0, indices) for column in columns)
            batch = Batch(*[*given, improved.float(), counted])
            shown += self.compute.gradient(batch, weights, self.minibatch)
        return shown

    def _weights(self) -> Arrays:
        """The present network's, as arrays of their own."""
        return {name: tensor.cpu().numpy().copy() for name, tensor in self.network.state_dict().items()}

    def player(self) -> NetworkAgent:
        """The present network as the player that others get; raises `DivergenceError` if it is none."""
        header = checkpoint.game_hashes(self.lanes) | {
            "name": "ppo",
            "version": f"{self.decisions}",
            "players": list(self.arguments.players),
            "game": self.arguments.game,
            **{name: list(values) for name, values in self.arguments.game_options.items()},
            "decisions": self.decisions,
            "seconds": round(self.seconds, 1),
            "commit": self.commit,
            "other_components": self.other_components,
        }
        try:
            network = Network(self._weights(), header)
        except ValueError as error:
            raise DivergenceError(f"{error} after update {self.updates}. {ADVICE}") from None
        return NetworkAgent(network, name="ppo", version=f"{self.decisions}", game=self.game)

    def play(self, opponent: str, games: int, seed: int, players: int | None = None) -> Match:
        """A match of the present network against copies of an opponent; at the first kind of table if not told."""
        arguments = self.arguments
        players = players or arguments.players[0]
        return play_match(
            [self.player(), opponents.load(opponent, components=arguments.components, game=self.game)],
            blocks=blocks_for(games, 2, players),
            num_players=players,
            seed=seed,
            game=self.game,
            components=arguments.components,
            threads=self.engine_threads,
            **first_of(arguments.game_options),
        )

    def measure(self) -> str:
        """Short matches against every opponent, for the curves; returns a line with the win shares."""
        tables = []
        for players in self.arguments.players:
            shares = []
            for name in self.arguments.opponents:
                match = self.play(name, self.arguments.evaluation_games, EVALUATION_SEED, players)
                share = match.interval()[0]
                curve = f"eval/{players}p_vs_{name}"
                self.scalars |= {curve: share, f"{curve}_games": match.games}
                shares.append(f"{name} {100 * share:.0f} %")
            table = f"{players} players: " if len(self.arguments.players) > 1 else ""
            tables.append(table + ", ".join(shares))
        return "; ".join(tables)

    def save(self, folder: Path) -> None:
        """Write the checkpoint and the model file."""
        join = self.group.join_lanes
        lanes = {name: join(array, 0) for name, array in self.lanes.snapshot().items()}
        carried = {name: join(array, 1) for name, array in self.rollout.carried().items()}
        self.group.from_first(lambda: self._write(folder, lanes, carried))

    def _write(self, folder: Path, lanes: Arrays, carried: Arrays) -> None:
        moments = {
            f"{index}.{name}": tensor.cpu().numpy()
            for index, state in self.optimizer.state_dict()["state"].items()
            for name, tensor in state.items()
        }
        player = self.player().network
        header = {
            **checkpoint.state_hashes(self.lanes),
            "arguments": header_of(self.arguments),
            "history": [part.header() for part in self.history],
            "frozen": self.frozen,
            "counters": {one.name: getattr(self, one.name) for one in fields(Counters)},
            "random": self.random.bit_generator.state,
            "commit": self.commit,
            "other_components": self.other_components,
            "versions": library_versions(),
        }
        past = self.past.arrays()
        arrays = {"network": player.arrays, "optimizer": moments, "lanes": lanes, "carried": carried, "past": past}
        checkpoint.save(folder / checkpoint.FILE, arrays, header)
        player.save(folder / MODEL_FILE)

    def restore(self, folder: Path) -> None:
        """Go on where the folder's checkpoint was written; raises `CheckpointError` if it does not fit."""
        path, expected = folder / checkpoint.FILE, checkpoint.state_hashes(self.lanes)
        if self.arguments.allow_other_components:
            del expected["components_hash"]
        saved = self.group.from_first(lambda: resume.read(path, expected))
        same_components = saved.components_hash == self.components
        resume.check_run(saved, self.arguments, self.frozen)
        present = {"network": self._weights(), "lanes": self.lanes.snapshot(), "carried": self.rollout.carried()}
        resume.check_groups(saved, present, self.arguments.lanes, games_go_on=same_components)
        if same_components:
            self.group.together(lambda: self._restore_lanes(saved))
            self.rollout.restore({name: array[:, self.part] for name, array in saved.groups["carried"].items()})
        self.other_components = sorted({*saved.other_components, saved.components_hash} - {self.components})
        self.network.load_state_dict({name: torch.tensor(array) for name, array in saved.groups["network"].items()})
        state = self.optimizer.state_dict()
        for key, array in saved.groups.get("optimizer", {}).items():
            index, name = key.split(".")
            state["state"].setdefault(int(index), {})[name] = torch.tensor(array)
        self.optimizer.load_state_dict(state)
        self.past.restore(saved.groups.get("past", {}), self.compute.device)
        self.random.bit_generator.state = saved.random
        for name, value in asdict(saved.counters).items():
            setattr(self, name, value)
        self.history = with_part(saved.history, self.decisions, self.seconds, self.arguments)

    def _restore_lanes(self, saved: Saved) -> None:
        try:
            self.lanes.restore({name: array[self.part] for name, array in saved.groups["lanes"].items()})
        except ValueError as error:
            raise CheckpointError(f"{saved.path}: lanes: {reason(error)}") from None

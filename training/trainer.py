"""A training run: PPO with the modules that plug into it, matches, and the content of checkpoints."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from agents.model import BEGAN_WITH
from agents.network import Model, NetworkAgent, digest
from dunaia_env.arena.match import Match, blocks_for, play_match
from dunaia_env.harness import opponents
from dunaia_env.harness.families import Family
from dunaia_env.harness.opponents import Agent
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.harness.registry import find_game
from dunaia_env.harness.state import prepare as compile_game
from dunaia_env.support.array_files import ArrayFileError, Arrays
from dunaia_env.support.machine import git_commit, library_versions
from dunaia_env.support.messages import reason
from training.arguments import SHARED, Arguments, check, header_of, with_part
from training.compute import MOST_SECONDS, MOST_SECONDS_AGAIN, SAME, Measurement, Workload
from training.facts import GameFacts, tables_of
from training.family import choose_lanes, files_of, load_family
from training.models import model_files, own_networks
from training.models.lineage import UNNAMED, commands, with_ancestor
from training.models.networks import make_shared
from training.models.own_networks import TorchAgent
from training.past_players import PastPlayers, choose_tables
from training.ppo import PPO, Batch, MakeNetwork, make_network
from training.rivals import Rivals
from training.running import checkpoint, resume
from training.running.checkpoint import MODEL_FILE, CheckpointError
from training.running.health import DivergenceError
from training.running.parallel import Group
from training.running.resume import Counters, Saved
from training.teachers import (
    AgentTeacher,
    Distillation,
    ExpertIteration,
    Teacher,
    logits_of_network,
    logits_of_player,
)

# Seeds of the evaluations and of the final matches.
EVALUATION_SEED = 1_000_000
FINAL_SEED = 2_000_000

__all__ = ["EVALUATION_SEED", "FINAL_SEED", "DivergenceError", "Trainer"]


class Trainer(PPO):
    """A training run: the algorithm, past players, expert iteration, matches and checkpoints.

    Args:
        arguments: all options.
        group: the processes of the run; only this one if absent. Several compute the same as one, apart from rounding.

    Raises `ValueError` naming an invalid argument.
    """

    arguments: Arguments

    def __init__(self, arguments: Arguments, group: Group | None = None) -> None:
        check(arguments)
        function: MakeNetwork = make_network
        if arguments.network is not None:
            function = partial(own_networks.make, _function_of(arguments))
        group, game = group or Group(), find_game(arguments.game)
        past_tables = choose_tables(arguments.lanes, arguments.others_share)
        other_tables = choose_tables(arguments.lanes, arguments.others_share + arguments.rivals_share)
        self.family: Family | None = None
        files: list[Any] | None = None
        if arguments.family is not None:
            self.family = load_family(game, arguments.family, arguments.family_values)
            chosen = choose_lanes(arguments.family_share, len(tables_of(arguments)), other_tables)
            own_lanes = range(arguments.lanes)[group.shard(arguments.lanes)]
            files = files_of(game.load(arguments.components), self.family, chosen, arguments.seed, own_lanes)
        super().__init__(
            arguments,
            function,
            group=group,
            compute_options=arguments.compute_options,
            taught=arguments.taught,
            components=files,
        )
        self.components: str = self.game.load(arguments.components).hash
        self.frozen: str | None = None
        past_tables, other_tables = past_tables[self.own_lanes], other_tables[self.own_lanes]
        if other_tables.any():
            self.other_tables = other_tables
        if arguments.others_share:
            self.past_players = self._past_players(past_tables)
        if arguments.rivals:
            rivals = [self._agent(name) for name in arguments.rivals]
            self.rivals = Rivals(rivals, other_tables & ~past_tables)
        if arguments.simulations:
            self.imitation = ExpertIteration(
                self._teacher,
                share=arguments.searched,
                own_lanes=self.own_lanes,
                num_lanes=arguments.lanes,
                weight=arguments.imitation_weight,
            )
        if arguments.distill:
            self.imitation = self._distillation(arguments.distill)
        if arguments.imitate:
            self.imitation = self._agent_teacher(arguments.imitate)
        self.compute.example = partial(example_batch, self.facts, taught=arguments.taught)
        self.work = Workload(self.lanes.num_lanes, int(past_tables.sum()), self.largest_minibatch, arguments.epochs)
        self.history = with_part([], 0, 0.0, arguments)
        self.commit = git_commit()
        self.other_components: list[str] = []
        self.began_with: list[dict[str, Any]] = []

    def _past_players(self, tables: Any) -> PastPlayers:
        """The past players, or the frozen model that takes their place."""
        arguments = self.arguments
        if arguments.against:
            model = self._model(arguments.against, self.lanes.components)
            network: nn.Module = model_files.network_of(model, self.game, self.seats)
            self.frozen = digest(model.arrays)
        else:
            network = copy.deepcopy(self.network)
        self.compute.add_past_network(network, np.flatnonzero(tables))
        return PastPlayers(
            network,
            tables,
            self.compute.forward_past,
            capacity=arguments.past_kept,
            interval=arguments.past_updates,
            frozen=arguments.against is not None,
        )

    def _teacher(self, seed: int) -> Teacher:
        """A search guided by the present network."""
        player = self.player()
        assert isinstance(player, NetworkAgent)
        return Teacher(
            player,
            simulations=self.arguments.simulations,
            candidates=self.arguments.candidates,
            value_scale=self.arguments.value_scale,
            seed=seed,
            threads=self.threads.number,
        )

    def _agent(self, name: str) -> Agent:
        """An agent that plays the run's game with its components."""
        return opponents.load(name, components=self.arguments.components, game=self.game)

    def _agent_teacher(self, name: str) -> AgentTeacher:
        """An agent that teaches the network at the start of the run."""
        return AgentTeacher(
            self._agent(name),
            lambda: 1 - self.decisions / self.arguments.imitated,
            own_lanes=self.own_lanes,
            num_lanes=self.arguments.lanes,
            weight=self.arguments.imitation_weight,
        )

    def _distillation(self, path: str) -> Distillation:
        """A model file whose policy teaches the network."""
        model = self._model(path, self.arguments.components)
        known = [self.lanes.components_of(lane).hash == self.components for lane in range(self.lanes.num_lanes)]
        if self.compute.device.type == "cpu":
            logits = logits_of_player(model)
        else:
            network = model_files.network_of(model, self.game, self.seats)
            logits = logits_of_network(network, self.compute.device, self.input_size)
        return Distillation(logits, lanes=np.array(known), weight=self.arguments.imitation_weight)

    def _model(self, path: str, components: Any) -> Model:
        """The network of a model file; raises `ArrayFileError` if it does not fit these tables and components."""
        player = NetworkAgent.load(
            path,
            components=components,
            any_components=self.arguments.allow_other_components,
            game=self.game,
        )
        if player.network.input_size < self.input_size:
            found = f"{player.network.input_size} inputs"
            raise ArrayFileError(f"{path}: expected {self.input_size} inputs for {self.seats} players, got {found}")
        return player.network

    def load_weights(self, path: str) -> None:
        """Start with the weights of a model file for these tables or larger ones, with or without a score head.

        Raises `ArrayFileError` if the weights do not fit.
        """
        arguments = self.arguments
        if not arguments.has_own_network:
            model = self._model(path, arguments.components)
            model_files.load_weights(self.network, model, self.seats, path)
            self.began_with = with_ancestor(path, model.arrays, model.header)
        else:
            player = TorchAgent.load(
                path,
                own_networks.load_function(str(arguments.network)),
                components=arguments.components,
                any_components=arguments.allow_other_components,
                game=self.game,
            )
            try:
                self.network.load_state_dict(player.network.state_dict())
            except RuntimeError as error:
                raise ArrayFileError(f"{path}: {reason(error)}") from None
            self.began_with = with_ancestor(path, player.arrays, player.header)

    def compile_agents(self) -> None:
        """Compile what other agents of the run need, so that the time of the run does not go to it."""
        arguments = self.arguments
        agents = arguments.imitate, *arguments.rivals, *arguments.opponents
        evaluates = arguments.simulations > 0 or "greedy" in agents
        if evaluates and self.game.entry_points.has_evaluation:
            compile_game(self.game, evaluation=True)

    def prepare(self) -> str:
        """Choose threads, precision and compilation as the arguments say; returns a line that explains the choice."""
        self.compile_agents()
        measurement = self._measure_settings(MOST_SECONDS)
        description = self.compute.prepare(measurement.best, self.work)
        return f"{description}; {measurement}" if measurement.rounds else description

    def choose_again(self) -> str:
        """Choose threads and precision again; returns a line that explains the choice.

        Another setting means that code is compiled again; it is chosen only if that pays off before the run ends.
        """
        measurement, now = self._measure_settings(MOST_SECONDS_AGAIN), self.compute.setting
        saved = 1 - measurement.costs[measurement.best] / measurement.costs[now]
        left = self.seconds * (1 - self.progress()) / self.progress()
        if saved <= SAME:
            description = f"continues with {now}"
        elif not self.group.broadcast(saved * left > 2 * self.compute.preparation):
            description = (
                f"continues with {now}, because compiling again would take longer than {measurement.best} could save"
            )
        else:
            description = self.compute.prepare(measurement.best, self.work)
        return f"{description}; {measurement}"

    def _measure_settings(self, most_seconds: float) -> Measurement:
        """Measure the settings in all processes at the same time, because processes compete for the same cores."""
        settings, group = self.group.broadcast(self.compute.settings), self.group
        return self.compute.measure(
            settings, self.work, most_seconds=most_seconds, mean=lambda numbers: group.sum(numbers) / group.size
        )

    def model_header(self) -> dict[str, Any]:
        """The header of a model file of the present network."""
        return checkpoint.game_hashes(self.game, self.arguments.components) | {
            "name": UNNAMED,
            "version": f"{self.decisions}",
            "players": sorted(self.arguments.distinct_players),
            "game": self.arguments.game,
            **self.arguments.distinct_options,
            "decisions": self.decisions,
            "seconds": round(self.seconds, 1),
            "commit": self.commit,
            "other_components": self.other_components,
            "command": commands(self.history),
            **({BEGAN_WITH: self.began_with} if self.began_with else {}),
            **(self._family_header() if self.family else {}),
        }

    def _family_header(self) -> dict[str, Any]:
        """The entries of a header about the family: its content and its hash, or None for both."""
        family = self.family
        return {"family": family and dict(family.content), "family_hash": family and family.hash}

    def player(self) -> NetworkAgent | TorchAgent:
        """The present network as a player; raises `DivergenceError` if its weights are not finite or too large."""
        arrays = own_networks.state_arrays(self.network)
        try:
            model = model_files.model_of(self.network, arrays, self.model_header())
        except ValueError as error:
            raise DivergenceError(str(error), self.updates) from None
        if model:
            return NetworkAgent(model, name=UNNAMED, version=f"{self.decisions}", game=self.game)
        header = self.model_header() | {"network": self.arguments.network, "arguments": header_of(self.arguments)}
        for name, array in arrays.items():
            if not np.isfinite(array).all():
                raise DivergenceError(f"{name}: expected numbers, got NaN or infinity", self.updates)
        return TorchAgent(copy.deepcopy(self.network), header, game=self.game)

    def play(self, opponent: str, games: int, seed: int, table: Mapping[str, Any] | None = None) -> Match:
        """A match of the present network against copies of an opponent.

        Args:
            opponent: name of the agent, see `dunaia_env.harness.opponents.load`.
            games: number of games, rounded up to whole blocks.
            seed: seed of the first block.
            table: the options of the game; those of the first of ``arguments.judged_tables`` if absent.
        """
        arguments = self.arguments
        options = dict(table or next(iter(arguments.judged_tables.values())))
        players = options[NUM_PLAYERS]
        return play_match(
            [self.player(), opponents.load(opponent, components=arguments.components, game=self.game)],
            blocks=blocks_for(games, 2, players),
            seed=seed,
            game=self.game,
            components=arguments.components,
            threads=self.threads.number,
            **options,
        )

    def evaluate(self) -> str:
        """Play short matches against every opponent, for the curves; returns a line with the win shares."""
        found, tables = [], self.arguments.judged_tables
        for table, options in tables.items():
            shares = []
            for name in self.arguments.opponents:
                match = self.play(name, self.arguments.evaluation_games, EVALUATION_SEED, options)
                share = match.interval()[0]
                curve = f"eval/{table.replace(':', '_')}_vs_{name}"
                self.metrics |= {curve: share, f"{curve}_games": match.games}
                shares.append(f"{name} {100 * share:.0f} %")
            title = table if self.arguments.tables else f"{options[NUM_PLAYERS]} players"
            found.append((f"{title}: " if len(tables) > 1 else "") + ", ".join(shares))
        return "; ".join(found)

    def save(self, folder: Path) -> None:
        """Write the checkpoint and the model file."""
        gather = self.group.gather
        lanes = {name: gather(array, 0) for name, array in self.lanes.snapshot().items()}
        carried = {name: gather(array, 1) for name, array in resume.open_decisions(self.rollout).items()}
        self.group.call_on_first(lambda: self._write(folder, lanes, carried))

    def _write(self, folder: Path, lanes: Arrays, carried: Arrays) -> None:
        player = self.player()
        moments = {
            f"{index}.{name}": tensor.cpu().numpy()
            for index, state in self.optimizer.state_dict()["state"].items()
            for name, tensor in state.items()
        }
        header = {
            **checkpoint.state_hashes(self.game, self.arguments.components),
            "arguments": header_of(self.arguments),
            "history": [part.header() for part in self.history],
            "frozen": self.frozen,
            "counters": {field.name: getattr(self, field.name) for field in fields(Counters)},
            "random": self.random.bit_generator.state,
            "commit": self.commit,
            "other_components": self.other_components,
            BEGAN_WITH: self.began_with,
            **self._family_header(),
            "versions": library_versions(),
        }
        weights = own_networks.state_arrays(self.network)
        past = self.past_players.arrays() if self.past_players else {}
        arrays = {"network": weights, "optimizer": moments, "lanes": lanes, "carried": carried, "past": past}
        checkpoint.save(folder / checkpoint.FILE, arrays, header)
        model = player.network if isinstance(player, NetworkAgent) else player
        model.save(folder / MODEL_FILE)

    def restore(self, folder: Path) -> None:
        """Continue from the folder's checkpoint; if it does not fit, raises `CheckpointError` and changes nothing."""
        path, expected = folder / checkpoint.FILE, checkpoint.state_hashes(self.game, self.arguments.components)
        if self.arguments.allow_other_components:
            del expected["components_hash"]
        saved = self.group.call_on_first(lambda: resume.read(path, expected))
        same_components = saved.components_hash == self.components
        resume.check_run(saved, self.arguments, self.frozen, self.family.hash if self.family else None)
        present = {
            "network": own_networks.state_arrays(self.network),
            "lanes": self.lanes.snapshot(),
            "carried": resume.open_decisions(self.rollout),
        }
        parameters = [name for name, _ in self.network.named_parameters()]
        resume.check_groups(saved, present, parameters, self.arguments.lanes, games_continue=same_components)
        if same_components:
            self.group.call_on_all(lambda: self._restore_lanes(saved))
            carried = {name: array[:, self.own_lanes] for name, array in saved.groups["carried"].items()}
            resume.restore_open_decisions(self.rollout, carried)
        self.other_components = sorted({*saved.other_components, saved.components_hash} - {self.components})
        self.network.load_state_dict({name: torch.tensor(array) for name, array in saved.groups["network"].items()})
        state, trained = self.optimizer.state_dict(), list(self.network.parameters())
        for key, array in saved.groups.get("optimizer", {}).items():
            index, name = key.split(".")
            moment = torch.tensor(array)
            if moment.dim():  # in the order in memory of the weights, as the fused optimiser expects it
                moment = torch.empty_like(trained[int(index)], device="cpu").copy_(moment)
            state["state"].setdefault(int(index), {})[name] = moment
        self.optimizer.load_state_dict(state)
        if self.past_players:
            self.past_players.restore(saved.groups.get("past", {}), self.compute.device)
        self.random.bit_generator.state = saved.random
        for name, value in asdict(saved.counters).items():
            setattr(self, name, value)
        self.history = with_part(saved.history, self.decisions, self.seconds, self.arguments)
        self.began_with = list(saved.began_with)

    def _restore_lanes(self, saved: Saved) -> None:
        try:
            self.lanes.restore({name: array[self.own_lanes] for name, array in saved.groups["lanes"].items()})
        except ValueError as error:
            raise CheckpointError(f"{saved.path}: lanes: {reason(error)}") from None


def _function_of(arguments: Arguments) -> MakeNetwork:
    """The function that ``--network`` names; raises `ValueError` if there is none."""
    return make_shared if arguments.network == SHARED else own_networks.load_function(str(arguments.network))


def example_batch(facts: GameFacts, rows: int, *, taught: bool) -> tuple[Batch, Tensor]:
    """A batch of the right shapes, and coefficients, on the CPU: for measuring and compiling."""
    inputs, actions = (
        torch.ones((rows, size), dtype=torch.int8) for size in (len(facts.input_scale), facts.num_actions)
    )
    ones, each = torch.ones(rows), torch.ones(rows, facts.seats)
    batch = Batch(
        observations=inputs,
        action_masks=actions,
        actions=torch.zeros(rows, dtype=torch.int64),
        logprobs=-ones,
        advantages=ones,
        returns=each,
        score_targets=each,
        teacher_policies=torch.zeros((rows, facts.num_actions if taught else 0), dtype=torch.float16),
        weights=ones,
    )
    return batch, torch.tensor([0.2, 0.0, 0.0, 0.0, 0.0])

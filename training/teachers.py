"""Teachers, whose policies a network imitates, and the loss by which it does so.

A teacher is a trained model (`Distillation`), an agent (`AgentTeacher`) or a search (`ExpertIteration`). Values are
learned from the games, as always.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.guided import GuidedAgent
from agents.model import Model
from agents.network import NetworkAgent
from dunaia_env.harness.opponents import Agent
from training.policy import Policy

# Maps observations, int8 ``(K, at least inputs)``, and slots, int64 ``(K,)``, see `agents.model.Outputs`, to logits,
# float32 ``(K, actions)``.
TeacherLogits = Callable[[NDArray[np.int8], NDArray[np.int64]], NDArray[np.float32]]


class Imitation(ABC):
    """Writes a teacher's policies into a rollout.

    Attributes:
        weight: weight of the imitation loss.
    """

    weight: float

    @abstractmethod
    def begin_rollout(self, random: np.random.Generator) -> None:
        """Prepare for a rollout of the present network."""

    @abstractmethod
    def replace_actions(
        self,
        lanes: Any,
        seats: NDArray[np.int8],
        actions: NDArray[np.int32],
        teacher_policies: NDArray[np.float16],
        random: np.random.Generator,
    ) -> None:
        """Write the teacher's policies, and its actions if it decides in the learner's place.

        Args:
            lanes: the N games.
            seats: int8 ``(N,)``, the deciding seats; negative for decisions that are not learned from, nor taught.
            actions: int32 ``(N,)``, the learner's actions.
            teacher_policies: float16 ``(N, actions)``; zeros for decisions that are not taught.
            random: draws the lanes in which the teacher decides, if not all.
        """


def imitate(policy: Policy, teacher_policies: Tensor, weights: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Cross-entropy and KL divergence from the teacher's policies to the network's, and the weights of untaught rows.

    Args:
        policy: the network's.
        teacher_policies: float16 ``(N, actions)``, zeros in untaught rows; ``(N, 0)`` in a run without a teacher.
        weights: float32 ``(N,)``, the weights of the rows, 0 for padding.

    Returns:
        the weighted sums of both over the rows, scalars, and float32 ``(N,)``: ``weights``, but 0 in taught rows.
    """
    if not teacher_policies.shape[1]:
        zero = torch.zeros((), device=weights.device)
        return zero, zero, weights
    targets = teacher_policies.float()
    not_taught = weights * (1 - (targets.sum(dim=1) > 0).float())
    cross_entropy = policy.cross_entropy(targets, weights)
    with torch.no_grad():
        target_entropy = -torch.special.xlogy(targets, targets).sum(dim=1) @ weights
        divergence = cross_entropy - target_entropy
    return cross_entropy, divergence, not_taught


class Distillation(Imitation):
    """A trained model: writes its policy for the learner's decisions in some lanes; the learner's actions stay.

    A new network takes over in minutes what a model learned in hours (Rusu et al., "Policy distillation", 2016). The
    student plays, so it is taught in the positions that it reaches itself (Ross, Gordon, Bagnell, "A reduction of
    imitation learning and structured prediction to no-regret online learning", 2011).

    Args:
        logits: computes the teacher's logits, see `TeacherLogits`.
        lanes: bool ``(N,)``, the lanes in which the teacher knows the component file.
        weight: weight of the imitation loss.
    """

    def __init__(self, logits: TeacherLogits, *, lanes: NDArray[np.bool_], weight: float) -> None:
        self.weight = weight
        self._logits = logits
        self._lanes = lanes

    def begin_rollout(self, random: np.random.Generator) -> None:
        """Do nothing: the teacher does not change."""

    def replace_actions(
        self,
        lanes: Any,
        seats: NDArray[np.int8],
        actions: NDArray[np.int32],
        teacher_policies: NDArray[np.float16],
        random: np.random.Generator,
    ) -> None:
        """Write the teacher's policies."""
        selected = np.flatnonzero(self._lanes & (seats >= 0))
        teacher_policies[:] = 0
        if len(selected):
            # What a seat sees in a game resembles what it saw before, see `agents.forward.FixedPointForward`.
            slots = selected * lanes.game.max_players + lanes.seats[selected]
            logits = torch.from_numpy(self._logits(lanes.observations[selected], slots))
            logits[torch.from_numpy(lanes.action_masks[selected] == 0)] = -torch.inf
            teacher_policies[selected] = logits.softmax(dim=1).half().numpy()


def logits_of_player(model: Model) -> TeacherLogits:
    """The logits of a model, computed as a player computes them: faster than with torch on a CPU."""
    outputs = model.outputs()
    return lambda observations, slots: outputs(observations, slots)[0]


def logits_of_network(network: nn.Module, device: torch.device, inputs: int) -> TeacherLogits:
    """The logits of a network that is computed with torch on a device, from so many leading inputs."""
    network = network.eval().to(device)

    @torch.no_grad()
    def logits(observations: NDArray[np.int8], _slots: NDArray[np.int64]) -> NDArray[np.float32]:
        found: NDArray[np.float32] = network(torch.from_numpy(observations[:, :inputs]).to(device)).logits.cpu().numpy()
        return found

    return logits


class AgentTeacher(Imitation):
    """An agent: writes its choice as the policy of each of the learner's decisions, and plays it in some of the lanes.

    Self-play from scratch spends most of a short budget on games in which nobody knows how to end the game. A
    hand-written agent is a weak player, but it ends its games. At first the agent decides in all lanes, then in fewer
    and fewer of them, so that the network is also taught in the positions that it reaches itself, as in `Distillation`.

    Args:
        agent: the teacher.
        share_left: returns the share of the lanes in which the agent decides: 1 at first, falling as the lessons go on,
            and at most 0 when they are over.
        own_lanes: this process's lanes among those of all processes.
        num_lanes: number of lanes of all processes.
        weight: weight of the imitation loss.
    """

    def __init__(
        self, agent: Agent, share_left: Callable[[], float], *, own_lanes: slice, num_lanes: int, weight: float
    ) -> None:
        self.weight = weight
        self._agent = agent
        self._share_left = share_left
        self._places = np.arange(num_lanes)[own_lanes] / num_lanes
        self._share = 1.0

    def begin_rollout(self, random: np.random.Generator) -> None:
        """Set the share of the lanes in which the agent decides during the rollout."""
        self._share = self._share_left()

    def replace_actions(
        self,
        lanes: Any,
        seats: NDArray[np.int8],
        actions: NDArray[np.int32],
        teacher_policies: NDArray[np.float16],
        random: np.random.Generator,
    ) -> None:
        """Write the agent's choices as policies, and in its lanes as actions; no choices once the lessons are over."""
        teacher_policies[:] = 0
        if self._share <= 0:
            return
        selected = np.flatnonzero(seats >= 0)
        chosen = self._agent.act_batch(lanes, selected)
        teacher_policies[selected, chosen] = 1
        # Always the first lanes, so that the agent plays whole games in them.
        decides = self._places[selected] < self._share
        actions[selected[decides]] = chosen[decides]


class Teacher:
    """Searches the positions of many lanes at once.

    Args:
        player: the network that guides the search.
        simulations: number of simulations of each search, at least 2.
        candidates, value_scale: see `agents.guided.GuidedAgent`.
        seed: determines, together with the positions, all chance in the searches.
        threads: number of threads that search at the same time.
    """

    def __init__(
        self, player: NetworkAgent, *, simulations: int, candidates: int, value_scale: float, seed: int, threads: int
    ) -> None:
        self._search = GuidedAgent(player, simulations, candidates=candidates, value_scale=value_scale, noise=True)
        self._search.reset(seed)
        self._threads = threads

    def decide(self, lanes: Any, selected: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
        """Actions int32 ``(K,)`` for K lanes, and the improved policies, float16 ``(K, actions)``.

        The actions are drawn with Gumbel noise; the policies are computed without it.
        """
        actions = np.zeros(len(selected), np.int32)
        policies = np.zeros((len(selected), lanes.num_actions), np.float16)
        positions = lanes.snapshot()["states"][selected]
        components = [lanes.components_of(lane) for lane in selected.tolist()]

        def search(part: NDArray[np.int64]) -> None:
            found = self._search.search_positions(positions[part], [components[row] for row in part])
            actions[part] = found.best()
            rows = np.repeat(part, found.counts)
            policies[rows, found.actions[found.legal]] = found.policies[found.legal]

        parts = [part for part in np.array_split(np.arange(len(selected)), self._threads) if len(part)]
        with ThreadPoolExecutor(self._threads, "search") as pool:
            list(pool.map(search, parts))
        return actions, policies


class ExpertIteration(Imitation):
    """Lets a search guided by the present network decide in a share of the lanes at every step of a rollout.

    The method is that of Anthony, Tian, Barber, "Thinking fast and slow with deep learning and tree search" (2017). The
    search, and the improved policy that the network learns, are those of Danihelka, Guez, Schrittwieser, Silver,
    "Policy improvement by planning with Gumbel" (2022), see `dunaia_env.harness.compiled.guided`. Few simulations per
    decision are enough: with dice, deep plans are worth little.

    Args:
        make_teacher: makes a teacher from the present network and a seed.
        share: share of the decisions that are searched, 0..1.
        own_lanes: this process's lanes among those of all processes.
        num_lanes: number of lanes of all processes.
        weight: weight of the imitation loss.
    """

    def __init__(
        self, make_teacher: Callable[[int], Teacher], *, share: float, own_lanes: slice, num_lanes: int, weight: float
    ) -> None:
        self.weight = weight
        self._make_teacher = make_teacher
        self._share = share
        self._own_lanes = own_lanes
        self._num_lanes = num_lanes

    def begin_rollout(self, random: np.random.Generator) -> None:
        """Search with the present network until the next rollout begins."""
        self._teacher = self._make_teacher(int(random.integers(2**32)))

    def replace_actions(
        self,
        lanes: Any,
        seats: NDArray[np.int8],
        actions: NDArray[np.int32],
        teacher_policies: NDArray[np.float16],
        random: np.random.Generator,
    ) -> None:
        """Overwrite the actions of the lanes that are searched, and write the policies that the searches found."""
        uniforms = random.random(self._num_lanes, np.float32)[self._own_lanes]
        selected = np.flatnonzero((uniforms < self._share) & (seats >= 0))
        teacher_policies[:] = 0
        actions[selected], teacher_policies[selected] = self._teacher.decide(lanes, selected)

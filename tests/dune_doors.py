"""Dune behind each of the library's interfaces, so that one test can ask the same of all of them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pyspiel
from numpy.typing import NDArray

import dunaia_env.envs.open_spiel
from dunaia_env import GameState, Lanes, dune_v0
from dunaia_env.dune import GAME
from dunaia_env.envs.sb3 import DunaiaVecEnv
from dunaia_env.harness.options import BETWEEN

assert dunaia_env.envs.open_spiel.DunaiaGame


def comparable(value: Any) -> Any:
    """A value whose parts can be compared with ``==``: arrays become their type and bytes."""
    if isinstance(value, dict):
        return {key: comparable(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [comparable(one) for one in value]
    return (str(value.dtype), value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value


class Door:
    """One game of Dune behind an interface.

    Attributes:
        sees_all_seats: whether the interface shows something to seats that are not asked.
        penalty: whether an illegal action can end the game and cost a reward.
        copies: ways of copying what the interface gives.
    """

    sees_all_seats: ClassVar[bool] = True
    penalty: ClassVar[bool] = True
    copies: ClassVar[dict[str, Callable[[Any], Any]]] = {
        "deepcopy": copy.deepcopy,
        "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    }

    def __init__(self, **options: Any) -> None:
        self.env: Any = self.make(**options)

    @staticmethod
    def make(**options: Any) -> Any:
        """What the interface gives for these options."""
        raise NotImplementedError

    def begin(self, seed: int | None = None) -> None:
        """Begin a game."""
        raise NotImplementedError

    def continue_from(self, state: GameState) -> None:
        """Show a position."""
        raise NotImplementedError

    def state(self) -> GameState:
        """The position."""
        raise NotImplementedError

    def asked(self) -> NDArray[Any]:
        """The mask of the seat that is asked."""
        raise NotImplementedError

    def step(self, action: Any) -> dict[int, float] | None:
        """Play an action; the rewards by seat, as far as they are given, if it ended the game."""
        raise NotImplementedError

    def shown(self, seat: int) -> Any:
        """All that a seat is shown."""
        raise NotImplementedError

    def twin(self, way: str) -> Door:
        """A copy."""
        other = copy.copy(self)
        other.env = self.copies[way](self.env)
        return other


def play_on(door: Door, seed: int, steps: int) -> list[Any]:
    """Random decisions, a new game after each end; what was shown on the way."""
    random, seen = np.random.default_rng(seed), list[Any]()
    for _ in range(steps):
        seats = range(door.state().num_players) if door.sees_all_seats else [door.state().seat]
        seen.append([comparable(door.shown(seat)) for seat in seats])
        rewards = door.step(int(random.choice(np.flatnonzero(door.asked()))))
        if rewards is not None:
            seen.append(rewards)
            door.begin()
    return seen


def _seat(agent: str) -> int:
    return int(agent.removeprefix("player_"))


class Aec(Door):
    copies: ClassVar = {**Door.copies, "clone": lambda env: env.unwrapped.clone()}

    @staticmethod
    def make(**options: Any) -> Any:
        return dune_v0.env(**options)

    def begin(self, seed: int | None = None) -> None:
        self.env.reset(seed=seed)

    def continue_from(self, state: GameState) -> None:
        self.env.reset(seed=1, options={"state": state.to_dict()})

    def state(self) -> GameState:
        return self.env.unwrapped.get_state()

    def asked(self) -> NDArray[Any]:
        observation, reward, termination, truncation, info = self.env.last()
        assert (reward, termination, truncation) == (0, False, False)
        assert (observation["action_mask"] == info["action_mask"]).all()
        assert observation in self.env.observation_space(self.env.agent_selection)
        return observation["action_mask"]

    def step(self, action: Any) -> dict[int, float] | None:
        self.env.step(action)
        if not any(self.env.terminations.values()):
            return None
        assert all(self.env.terminations.values())
        return {_seat(agent): reward for agent, reward in self.env.rewards.items()}

    def shown(self, seat: int) -> Any:
        agent = f"player_{seat}"
        own = (getattr(self.env.unwrapped, name).get(agent) for name in ("infos", "rewards", "terminations"))
        return [self.env.observe(agent), *own, self.env.agent_selection]


class Parallel(Door):
    """Forced decisions, which this interface asks too, are played like chance nodes: the door stops at choices."""

    @staticmethod
    def make(**options: Any) -> Any:
        return dune_v0.parallel_env(**options)

    def begin(self, seed: int | None = None) -> None:
        self.last = self.env.reset(seed=seed)
        self._play_forced()

    def _play_forced(self) -> None:
        while self.env.agents and len(legal := self.state().legal_actions()) == 1:
            assert self.asked().nonzero()[0].tolist() == legal
            self._play(legal[0])

    def continue_from(self, state: GameState) -> None:
        self.last = self.env.reset(seed=1, options={"state": state.to_dict()})

    def state(self) -> GameState:
        return self.env.unwrapped.game_state.clone()

    def asked(self) -> NDArray[Any]:
        masks = [observation["action_mask"] for observation in self.last[0].values()]
        (mask,) = (mask for mask in masks if mask.any())
        assert mask is self.last[0][f"player_{self.state().seat}"]["action_mask"]
        return mask

    def step(self, action: Any) -> dict[int, float] | None:
        self._play(action)
        self._play_forced()
        _, rewards, terminations, truncations, _ = self.last
        assert not any(truncations.values())
        if not any(terminations.values()):
            assert not any(rewards.values())
            return None
        assert all(terminations.values())
        assert self.env.agents == []
        return {_seat(agent): reward for agent, reward in rewards.items()}

    def _play(self, action: Any) -> None:
        decides = f"player_{self.state().seat}"
        self.last = self.env.step({agent: action if agent == decides else 0 for agent in self.env.agents})

    def shown(self, seat: int) -> Any:
        return [part[f"player_{seat}"] for part in self.last]


class Single(Door):
    """The other seats play at random inside the step."""

    sees_all_seats = False
    copies: ClassVar = {**Door.copies, "clone": lambda env: env.unwrapped.clone()}

    @staticmethod
    def make(**options: Any) -> Any:
        return gymnasium.make("dunaia/Dune-v0", disable_env_checker=True, **{"render_mode": "ansi", **options})

    def begin(self, seed: int | None = None) -> None:
        self.last = self.env.reset(seed=seed)

    def continue_from(self, state: GameState) -> None:
        self.last = self.env.reset(seed=1, options={"state": state.to_dict()})

    def state(self) -> GameState:
        return self.env.unwrapped.get_state()

    def asked(self) -> NDArray[Any]:
        observation, info = self.last[0], self.last[-1]
        assert (observation["action_mask"] == info["action_mask"]).all()
        assert (observation["action_mask"] == self.env.unwrapped.action_masks()).all()
        assert observation in self.env.observation_space
        assert info["seat"] == self.state().seat
        return observation["action_mask"]

    def step(self, action: Any) -> dict[int, float] | None:
        self.last = _, reward, terminated, truncated, info = self.env.step(action)
        assert not truncated
        assert terminated or reward == 0
        return {info["seat"]: reward} if terminated else None

    def shown(self, seat: int) -> Any:
        return [*self.last, self.env.render()]


class SelfPlay(Door):
    sees_all_seats = False
    copies: ClassVar = {**Door.copies, "clone": lambda env: env.clone()}

    @staticmethod
    def make(**options: Any) -> Any:
        return gymnasium.make_vec("dunaia/DuneSelfPlay-v0", num_envs=1, **options)

    def begin(self, seed: int | None = None) -> None:
        self.last = self.env.reset(seed=seed)

    def continue_from(self, state: GameState) -> None:
        # Positions are set in the lanes, and shown in the arrays that observations without copies are.
        self.env.copy = False
        self.last = self.env.reset(seed=1)
        self.env.games.set_state(0, state)
        self.last[1]["seat"] = self.env.games.seats()

    def state(self) -> GameState:
        return self.env.games.lanes.get_state(0)

    def asked(self) -> NDArray[Any]:
        observation, info = self.last[0], self.last[-1]
        assert (observation["action_mask"] == info["action_mask"]).all()
        assert (observation["action_mask"] == self.env.action_masks()).all()
        assert observation in self.env.observation_space
        assert info["seat"][0] == self.state().seat
        return observation["action_mask"][0]

    def step(self, action: Any) -> dict[int, float] | None:
        self.last = _, rewards, terminations, truncations, info = self.env.step(np.array([action]))
        assert not truncations.any()
        assert rewards[0] == info["seat_rewards"][0, info["actor"][0]]
        if not terminations[0]:
            assert not info["seat_rewards"].any()
            return None
        return dict(enumerate(info["seat_rewards"][0, : info["num_players"][0]].tolist()))

    def shown(self, seat: int) -> Any:
        return self.last


class Sb3(Door):
    """The other seats play at random inside the step."""

    sees_all_seats = False

    @staticmethod
    def make(**options: Any) -> Any:
        return DunaiaVecEnv(1, game="dune", **{"render_mode": "ansi", **options})

    def begin(self, seed: int | None = None) -> None:
        if seed is not None:
            self.env.seed(seed)
        self.last: Any = (self.env.reset(), self.env.reset_infos)

    def continue_from(self, state: GameState) -> None:
        self.env.set_options({"state": state.to_dict()})
        self.begin(1)

    def state(self) -> GameState:
        (state,) = self.env.env_method("get_state")
        return state

    def asked(self) -> NDArray[Any]:
        assert self.last[0][0] in self.env.observation_space
        (mask,) = self.env.env_method("action_masks")
        assert mask.dtype == np.bool_
        return mask

    def step(self, action: Any) -> dict[int, float] | None:
        self.last = _, rewards, dones, infos = self.env.step(np.array([action]))
        if not dones[0]:
            assert (rewards.tolist(), infos) == ([0], [{}])
            return None
        return {infos[0]["seat"]: rewards[0]}

    def shown(self, seat: int) -> Any:
        return [*self.last, self.env.env_method("action_masks"), self.env.env_method("render")]


class OpenSpiel(Door):
    """Chance nodes are followed at random."""

    penalty = False
    copies: ClassVar = {
        **Door.copies,
        "clone": lambda state: state.clone(),
        "serialisation": lambda state: pyspiel.deserialize_game_and_state(
            pyspiel.serialize_game_and_state(state.get_game(), state)
        )[1],
    }

    def __init__(self, **options: Any) -> None:
        self.game = self.make(**options)
        self.env = self.game.new_initial_state()
        self.games = 0

    @staticmethod
    def make(**options: Any) -> Any:
        parameters = {"players" if name == "num_players" else name: value for name, value in options.items()}
        if isinstance(parameters.get("factions"), list | tuple):
            parameters["factions"] = BETWEEN.join(map(str, parameters["factions"]))
        return pyspiel.load_game("python_dune", parameters)

    def begin(self, seed: int | None = None) -> None:
        self.games = self.games + 1 if seed is None else seed
        self.env = self.game.new_initial_state()
        self._draw()

    def _draw(self) -> None:
        random = np.random.default_rng([self.games, self.env.move_number()])
        while self.env.is_chance_node():
            outcomes, probabilities = zip(*self.env.chance_outcomes(), strict=True)
            assert sum(probabilities) == 1 or abs(sum(probabilities) - 1) < 1e-9
            self.env.apply_action(int(random.choice(outcomes)))

    def continue_from(self, state: GameState) -> None:
        self.env = self.game.new_initial_state(state)

    def state(self) -> GameState:
        state: GameState = self.env.game_state
        return state

    def asked(self) -> NDArray[Any]:
        seats = range(self.env.num_players())
        masks = [self.env.legal_actions_mask(seat) for seat in seats]
        assert [any(mask) for mask in masks] == [seat == self.env.current_player() for seat in seats]
        return np.array(masks[self.env.current_player()])

    def step(self, action: Any) -> dict[int, float] | None:
        self.env.apply_action(action)
        self._draw()
        return dict(enumerate(self.env.returns())) if self.env.is_terminal() else None

    def shown(self, seat: int) -> Any:
        state = self.env
        texts = [state.observation_string(seat)]
        if len(state.history()) < 3:  # this text plays the game again
            texts.append(state.information_state_string(seat))
        return [*texts, state.observation_tensor(seat), state.legal_actions(seat), state.current_player()]


class OfLanes(Door):
    penalty = False
    copies: ClassVar = {
        **Door.copies,
        "clone": lambda lanes: lanes.clone(),
    }

    @staticmethod
    def make(**options: Any) -> Any:
        return Lanes(1, game=GAME, **options)

    def begin(self, seed: int | None = None) -> None:
        if seed is not None:
            self.env.reset(seed)

    def continue_from(self, state: GameState) -> None:
        self.env.reset(1)
        self.env.set_state(0, state)

    def state(self) -> GameState:
        return self.env.get_state(0)

    def asked(self) -> NDArray[Any]:
        lanes = self.env
        mask = lanes.action_masks[0].copy()
        assert lanes.legal_actions[0, : lanes.legal_counts[0]].tolist() == np.flatnonzero(mask).tolist()
        assert lanes.seats[0] == self.state().seat
        return mask

    def step(self, action: Any) -> dict[int, float] | None:
        self.env.step(np.array([action]))
        players = int(self.env.num_players[0])
        assert not self.env.rewards[0, players:].any()
        if not self.env.terminations[0]:
            assert not self.env.rewards.any()
            return None
        return dict(enumerate(self.env.rewards[0, :players].tolist()))

    def shown(self, seat: int) -> Any:
        lanes, seen = self.env, np.zeros(GAME.observation_size, np.int8)
        lanes.write_observation(0, seat, seen)
        asked = lanes.seats[0] == seat
        if asked:
            assert (seen == lanes.observations[0]).all()
        return [seen, lanes.action_masks[0].copy() if asked else None, int(lanes.seats[0])]


DOORS: dict[str, type[Door]] = {
    "AEC": Aec,
    "parallel": Parallel,
    "Gymnasium": Single,
    "self-play": SelfPlay,
    "Stable-Baselines3": Sb3,
    "OpenSpiel": OpenSpiel,
    "lanes": OfLanes,
}

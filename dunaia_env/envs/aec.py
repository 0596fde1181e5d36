"""PettingZoo's AEC API: one agent acts at a time, often several times in a row."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium.spaces import Dict, Discrete
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from dunaia_env.harness import cautions, registry, resets, spaces
from dunaia_env.harness.compiled.chance import Stream, check_seed, fresh_seed, game_seed, is_integer
from dunaia_env.harness.compiled.rewards import ILLEGAL_PENALTY, check_illegal, check_reward, final_rewards
from dunaia_env.harness.game import Game
from dunaia_env.harness.state import GameState
from dunaia_env.render.modes import FRAMES_PER_SECOND, MODES, WIDTH, Frame, Screen, modes_of

AGENT_NAME = "player_{}"

Observation = dict[str, NDArray[Any]]


def env(**kwargs: Any) -> AECEnv[str, Observation, int]:
    """The environment in PettingZoo's wrappers for action bounds and call order; for the arguments see `raw_env`."""
    return wrapped(raw_env(**kwargs))


def wrapped(raw: raw_env) -> AECEnv[str, Observation, int]:
    """Wrap an environment as PettingZoo does, without TerminateIllegalWrapper: it handles illegal actions itself."""
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(raw))


class raw_env(AECEnv[str, Observation, int]):  # noqa: N801  (PettingZoo's name)
    """A game for agents ``player_0``, ``player_1`` and so on; seat i is ``player_i``.

    The observation of an agent is ``{"observation": int8 (O,), "action_mask": int8 (A,)}``, with ``scale`` float32. The
    mask is 1 for a legal action, and all zero for an agent that does not act now. For TorchRL, ``infos[agent]`` of the
    acting agent has ``action_mask`` (the same array) and nothing else. At the end of a game every agent's info has
    ``seed``, ``scores``, ``ranks``, ``rounds`` and ``max_rounds_reached``. `reset` with this seed gives the same game;
    during a game the seed is ``chance.seed``.

    Every agent gets its reward at the end of the game. A game that is stopped at its round limit is scored and
    terminated; nothing is ever truncated. A copy (`copy.deepcopy`, `clone`, pickle) can be made at any time and behaves
    identically.

    Args:
        reward: "win", "rank" or "score", see `dunaia_env.harness.compiled.rewards`.
        components: a component file or its content; None for the game's own.
        illegal: the effect of an illegal action. "terminate": the game ends for all agents; the agent that chose it has
            the reward -1 and ``illegal_action`` in its info, the others have the reward 0; 20 such games in a row give
            a warning. "raise": the step raises `IllegalActionError` and changes nothing.
        scale: give observations as float32, each entry divided by the game's scale (about 0..1), instead of int8.
        render_mode: "ansi" (`render` returns coloured text), "rgb_array" (it returns a picture, uint8 ``(H, W, 3)``),
            "human" (each reset and step shows the position in a window, or as text where there is no display) or None.
        render_width: width of pictures in pixels, 64..4096.
        game: the game to play, or its name.
        options: the game's options, see `Game.check_options`: ``num_players`` and so on, and ``preset`` for a named set
            of values.

    Raises `ValueError` naming an argument that is out of range.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  (as PettingZoo declares it)
        "render_modes": list(MODES),
        "render_fps": FRAMES_PER_SECOND,
        "is_parallelizable": False,
    }
    _asks_forced = False  # whether forced decisions, which have one legal action, are asked too (`Game.asks_forced`)

    def __init__(
        self,
        *,
        reward: str = "win",
        components: Any = None,
        illegal: str = "terminate",
        scale: bool = False,
        render_mode: str | None = None,
        render_width: int = WIDTH,
        game: Game | str = registry.DEFAULT_GAME,
        **options: Any,
    ) -> None:
        super().__init__()
        game = registry.as_game(game)
        self.metadata = {"name": game.name, **self.metadata, "render_modes": modes_of(game)}
        self._screen = Screen(render_mode, game, render_width)
        chosen = game.check_options(options)
        self._options: dict[str, Any] = {**chosen, "components": game.load(components), "game": game}
        self._reward = check_reward(reward)
        self._illegal, self._illegal_ends = check_illegal(illegal), cautions.IllegalEnds()
        self.render_mode = render_mode
        self.possible_agents = [AGENT_NAME.format(seat) for seat in range(chosen["num_players"])]
        self._form = spaces.ObservationForm(game, scale)
        self.state_space = self._form.space()
        self.observation_spaces = {agent: self._form.masked_space() for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(game.num_actions) for agent in self.possible_agents}
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._base_seed: int | None = None
        self.chance = Stream(fresh_seed())
        self._game_number = 0
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> Dict:
        """The observation space of an agent; always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """The action space of an agent; always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a game.

        Args:
            seed: the game's seed, 0..2**63-1. Without a seed, the next game in the sequence of the last seed begins (or
                of a fresh seed if there was none).
            options: ``{"state": state dictionary}`` begins in that state instead of a new game. The key ``options``,
                with which PettingZoo's tests call, is ignored.

        Raises `ValueError` for an invalid seed or state dictionary, or another key.
        """
        given = resets.check_reset_options(options, ignored=("options",))
        if seed is not None or self._base_seed is None:
            self._base_seed, self._game_number = fresh_seed() if seed is None else check_seed(seed), 0
        else:
            self._game_number += 1
        self.chance = Stream(int(game_seed(self._base_seed, 0, self._game_number)))
        if "state" in given:
            self.from_dict(given["state"])
        else:
            self._begin((GameState.new_alone if self._asks_forced else GameState.new)(self.chance, **self._options))
        if self.render_mode == "human":
            self.render()

    def _begin(self, state: GameState) -> None:
        self.game_state = state
        self.agents = list(self.possible_agents)
        self.rewards, self._cumulative_rewards = dict.fromkeys(self.agents, 0.0), dict.fromkeys(self.agents, 0.0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._no_mask = np.zeros(state.game.num_actions, np.int8)
        if state.is_over:
            self.agent_selection = self.agents[0]
            self._finish()
        else:
            self._ask()

    def _ask(self) -> None:
        """Select the agent that decides in the present state."""
        self.agent_selection = agent = self.possible_agents[self.game_state.seat]
        self._mask = self.game_state.action_mask()
        self.infos[agent] = {"action_mask": self._mask}

    def observe(self, agent: str) -> Observation:
        """An agent's present observation, in new arrays; the game does not change."""
        deciding = agent == self.agent_selection and not self.terminations.get(agent, True)
        return {
            "observation": self._form.of(self.game_state.observation_of(self._seat_of[agent])),
            "action_mask": (self._mask if deciding else self._no_mask).copy(),
        }

    def state(self) -> NDArray[Any]:
        """The observation of ``player_0``, without mask."""
        return self._form.of(self.game_state.observation_of(0))

    def step(self, action: int | None) -> None:
        """Play the action of the selected agent; the action of a terminated agent has to be None."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        try:
            number = self._legal_number(action)
        except ValueError:
            if self._illegal == "raise":
                raise
            self._illegal_ends.note(1, last=action)
            self._end({agent: ILLEGAL_PENALTY}, {})
            self.infos[agent]["illegal_action"] = action
            return
        (self.game_state.apply_alone if self._asks_forced else self.game_state.apply_legal)(number, self.chance)
        self.infos[agent] = {}
        if self.game_state.is_over:
            self._illegal_ends.note(0, 1)
            self._finish()
        else:
            self._ask()
        if self.render_mode == "human":
            self.render()

    def _legal_number(self, action: object) -> int:
        if is_integer(action) and 0 <= action < len(self._mask) and self._mask[action]:
            return int(action)
        return self.game_state.check(action)

    def _finish(self) -> None:
        """End a game that is over: set the rewards and the results."""
        state = self.game_state
        scores, ranks = state.scores(), state.ranks()
        rounds, stopped = state.ending()
        values = final_rewards(self._reward, np.array([scores]), np.array([ranks]), np.array([len(scores)]))[0]
        result = {"scores": scores, "ranks": ranks, "rounds": rounds, "max_rounds_reached": stopped}
        self._end({agent: float(values[seat]) for agent, seat in self._seat_of.items()}, result)

    def _end(self, rewards: Mapping[str, float], result: Mapping[str, Any]) -> None:
        self.rewards = {agent: rewards.get(agent, 0.0) for agent in self.agents}
        self.terminations = dict.fromkeys(self.agents, True)
        self.infos = {agent: {"seed": self.chance.seed, **result} for agent in self.agents}
        self._mask = self._no_mask
        self._accumulate_rewards()
        self._deads_step_first()

    def to_dict(self) -> dict[str, Any]:
        """The state dictionary of the game."""
        return self.game_state.to_dict()

    def from_dict(self, content: Mapping[str, Any]) -> None:
        """Continue from a state dictionary, with rewards of 0 so far; raises `ValueError` naming its first fault."""
        self.set_state(GameState.from_dict(content, components=self._options["components"], game=self._options["game"]))

    def set_state(self, state: GameState) -> None:
        """Continue from a copy of a state; raises `ValueError` for other components or another number of players."""
        players, components = len(self.possible_agents), self._options["components"].hash
        if (state.num_players, state.components.hash) != (players, components):
            actual = f"{state.num_players} players, components {state.components.hash}"
            raise ValueError(f"state: expected {players} players, components {components}, got {actual}")
        self._begin(state.clone())

    def get_state(self) -> GameState:
        """A copy of the state."""
        return self.game_state.clone()

    def clone(self) -> raw_env:
        """An independent copy in the same state, with the same future chance outcomes."""
        return deepcopy(self)

    def render(self) -> Frame:
        """Show the position as ``render_mode`` says; returns the text or the picture, None in mode "human"."""
        return self._screen.show(self.render_mode, self.game_state, names=self.possible_agents)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._screen.close()

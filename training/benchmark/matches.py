"""The games in which the players of the benchmark are judged: alone against copies of a reference, in blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dunaia_env.arena.match import blocks_for, play_match
from dunaia_env.harness import opponents
from dunaia_env.harness.game import Game
from dunaia_env.harness.opponents import Agent
from dunaia_env.statistics.intervals import Floats

# Distance between the first seeds of two component files; more than the blocks of any match.
SEEDS_OF_A_FILE = 100_000


@dataclass(frozen=True)
class Tables:
    """The tables of a match.

    Attributes:
        game: the game.
        players: number of players.
        options: options of the game by name, except the number of players.
        files: component files, each with equally many blocks; None stands for the game's own.
        threads: number of threads.
    """

    game: Game
    players: int
    options: Mapping[str, Any]
    files: Sequence[Any] = (None,)
    threads: int = 1

    def reference(self, name: str, file: Any) -> Agent:
        """The reference with a name, for one of the component files."""
        return opponents.load(name, components=file, game=self.game)

    def block_shares(self, player: Agent | str, reference: str, games: int, seed: int) -> Floats:
        """Win shares of a player alone against copies of a reference, float64 ``(blocks,)``.

        Args:
            player: the player, or the name of an agent.
            reference: name of the reference.
            games: number of games, rounded up to whole blocks for each component file.
            seed: seed of the first block.
        """
        blocks = blocks_for(-(-games // len(self.files)), 2, self.players)
        matches = [
            play_match(
                [self.reference(player, file) if isinstance(player, str) else player, self.reference(reference, file)],
                blocks=blocks,
                num_players=self.players,
                seed=seed + number * SEEDS_OF_A_FILE,
                threads=self.threads,
                game=self.game,
                components=file,
                **self.options,
            )
            for number, file in enumerate(self.files)
        ]
        return np.concatenate([match.shares[:, 0] for match in matches])

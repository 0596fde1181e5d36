"""Record the golden playthroughs anew: ``python -m tests.make_playthroughs``; review the difference."""

from __future__ import annotations

from pathlib import Path

from dunaia_env.harness.opponents import load
from dunaia_env.replay import record_game, write

FOLDER = Path(__file__).parent / "playthroughs"
SEED = 2021
GAMES = [
    (players, elites, agents, max_rounds)
    for players in (2, 3, 4)
    for elites in (False, True)
    for agents, max_rounds in ((("greedy", "random"), 100), (("random",), 9))
]


def main() -> None:
    """Write every game."""
    for players, elites, agents, max_rounds in GAMES:
        replay = record_game(
            SEED, [load(name) for name in agents], num_players=players, elites=elites, max_rounds=max_rounds
        )
        variant = "-elites" if elites else ""
        write(replay, FOLDER / f"{players}p{variant}-{'-'.join(agents)}-{max_rounds}.jsonl")


if __name__ == "__main__":
    main()

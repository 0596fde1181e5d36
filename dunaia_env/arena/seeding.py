"""The seeds of a run's games and of the agents that play them.

Agents of the project are reset once, user agents before each game. Where user agents play, a run's seeds are secret
(`dunaia_env.harness.seeds`): nothing that an agent is given, sees or can compute tells the seed of its game, and no two
games have the same seed, so that what an agent remembers of one game says nothing about another. The secret stays in
the memory of the process that plays the games; the records of finished games hold the seeds with which they are played
again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dunaia_env.arena import playing, records
from dunaia_env.harness.compiled.chance import AGENT, random_words
from dunaia_env.harness.seeds import AGENT_SEED_BITS, CONSECUTIVE, HASHED, SECRET, Seeding, block_seed, derived_seed


def seeding_for(labels: Iterable[str], common_seeds: bool | None) -> Seeding:
    """How the seeds of a new run are made: secret if user agents play, unless ``common_seeds`` says otherwise."""
    if common_seeds is None:
        common_seeds = not any(playing.runs_in_subprocess(label) for label in labels)
    return HASHED if common_seeds else SECRET


def schedule(run: records.Run, table: int, block: int, order: int, *, secret: str) -> playing.ScheduledGame:
    """A game of a run's plan with its seeds.

    Args:
        run: the plan.
        table: number of the table.
        block: number of the block.
        order: number of the seat order.
        secret: the secret from which the seeds follow if the run's seeds are secret.
    """
    seating = records.seat_orders(run.tables[table].entrants)[order]
    if run.seeding == SECRET:
        seed = derived_seed(secret, "game", table, block, order)
        agent_seeds = _agent_seeds(run, seating, secret, (table, block, order))
    else:
        seed = block_seed(run.seed, block, run.seeding)
        agent_seeds = _agent_seeds(run, seating, run.seed, (block,))
    return playing.ScheduledGame(block, order, seed, seating, agent_seeds)


def schedule_again(run: records.Run, game: records.Game) -> playing.ScheduledGame:
    """A finished game of a run, with the seeds with which it was played."""
    if run.seeding == SECRET:
        return playing.ScheduledGame(game.block, game.order, game.seed, game.seating, game.agent_seeds)
    return schedule(run, game.table, game.block, game.order, secret="")


def _agent_seeds(run: records.Run, seating: Sequence[int], source: int | str, game: tuple[int, ...]) -> tuple[int, ...]:
    """The seed of each seat's agent; ``game`` names the game for the agents that are reset before each game."""
    seeds = {}
    for entrant in set(seating):
        is_user_agent = playing.runs_in_subprocess(run.entrants[entrant].label)
        if run.seeding == CONSECUTIVE:
            seeds[entrant] = (
                int(random_words(run.seed + game[0], AGENT, entrant, 0)[0])
                if is_user_agent
                else (run.seed + entrant) % 2**AGENT_SEED_BITS
            )
        else:
            numbers = (entrant, *game) if is_user_agent else (entrant,)
            seeds[entrant] = derived_seed(source, "agent", *numbers, bits=AGENT_SEED_BITS)
    return tuple(seeds[entrant] for entrant in seating)

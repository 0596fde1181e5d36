"""What the code knows about Dunaïa, as the generated parts of its pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from docs import maps
from docs.encoding_tables import action_table, listing, observation_table
from docs.markdown import table
from dunaia_env import GameState, __version__
from dunaia_env.dunaia import (
    ACTION_HASH,
    ACTION_TABLE,
    NUM_ACTIONS,
    OBSERVATION_HASH,
    OBSERVATION_LAYOUT,
    OBSERVATION_SIZE,
    describe_observation,
    load,
    load_family,
    used_size,
)
from dunaia_env.dunaia.components import PROPHECIES
from dunaia_env.dunaia.presentation.wording import english
from dunaia_env.dunaia.state import STATE_SIZE, TILES
from dunaia_env.dunaia.weights import (
    ALWAYS,
    FIRST_VALUE,
    LAST_TURNS,
    PHASES,
    TERM_COUNT,
    TERMS,
    VALUES_OF_A_PHASE,
    load_weights,
)
from dunaia_env.dunaia_v0 import raw_env
from dunaia_env.harness.compiled.chance import MAX_SEED
from dunaia_env.harness.compiled.rewards import ILLEGAL_PENALTY, REWARDS
from dunaia_env.harness.registry import DEFAULT_GAME


def specification() -> str:
    """What an environment page begins with."""
    rounds = DEFAULT_GAME.option("max_rounds")
    rows: list[tuple[object, ...]] = [
        ("name", f"{raw_env.metadata['name']}, version of the package {__version__}"),
        ("players", f"{DEFAULT_GAME.min_players} to {DEFAULT_GAME.max_players}"),
        ("actions", f"`Discrete({NUM_ACTIONS})`"),
        ("observation", f"int8, ({OBSERVATION_SIZE},), 0..127"),
        ("mask", f"int8, ({NUM_ACTIONS},), 1 for a legal action"),
        ("rewards", f"at the end, one for each seat, zero-sum: {', '.join(f'`{name}`' for name in REWARDS)}"),
        ("reward of an illegal action", ILLEGAL_PENALTY),
        ("rounds of a game", f"at most `{rounds.name}`, {rounds.least}..{rounds.most}, by default {rounds.default}"),
        ("seeds", f"0..{MAX_SEED}"),
        ("size of a state", f"{STATE_SIZE} bytes"),
        ("action hash", f"`{ACTION_HASH}`"),
        ("observation hash", f"`{OBSERVATION_HASH}`"),
        ("hash of the project's own components", f"`{load().hash}`"),
    ]
    return table(("what", "value"), rows)


def actions() -> str:
    """The action table."""
    return action_table(ACTION_TABLE, "arguments (the last one varies fastest)")


def observation() -> str:
    """The observation's pieces; repeated blocks stand once."""
    shown = re.compile(r"(piles|offer_0|own|own\.square_0|seat_1|seat_1\.square_0|seat_1\.reserved)\.[a-z_]+")
    pieces = [one for one in OBSERVATION_LAYOUT if "." not in one.name or shown.fullmatch(one.name)]
    return observation_table(pieces, DEFAULT_GAME, used_size)


def example() -> str:
    """The first observation of a game, piece by piece."""
    return listing(describe_observation(GameState.new(7).observation()).splitlines())


def village() -> str:
    """Squares, edges and sides by number, then the village at the start of a game."""
    return f"```text\n{maps.numbered_village()}\n{maps.sides()}```\n"


def start() -> str:
    """What the squares of the village show at the start, and where the Dunaias stand."""
    return f"```text\n{maps.village_at_the_start()}```\n"


def offers() -> str:
    """The offers in their places."""
    return f"```text\n{maps.offers()}```\n"


def action_maps() -> str:
    """The numbers of actions that name places."""
    return f"```text\n{maps.action_formulas()}\n{maps.square_actions()}```\n"


def components() -> str:
    """How the values of each group are known."""
    return table(("group", "status"), [(f"`{name}`", status) for name, status in load().statuses.items()])


def tiles() -> str:
    """Every tile."""
    return table(("tile", "what it is"), [(tile, english.WORDS.tile(tile, load())) for tile in range(TILES)])


def prophecies() -> str:
    """Every prophecy."""
    rows: list[tuple[object, ...]] = [(number, english.WORDS.prophecy(number, load())) for number in range(PROPHECIES)]
    return table(("prophecy", "condition and points"), rows)


def family() -> str:
    """Every value and its range, with the reasons of each group."""
    own = {
        number.path: load().record[0][number.field][number.at]
        for group in load_family().ranges.groups
        for number in group.numbers
        if not number.names
    }
    parts = []
    for name, content in load_family().content.items():
        if name == "members":
            continue
        rows = [
            (f"`{path}`", str(allowed).replace("..", " to "), own.get(path, own.get(f"{path}[0]", "")))
            for path, allowed in entries_of(content, name)
            if not path.endswith((".vary", ".why", ".by_seat", ".by_tile"))
        ]
        parts += [
            f"### `{name}`\n",
            f"{content['why']}\n",
            table(("value", "in the family", "`components.toml`"), rows),
        ]
    return "\n".join(parts)


def entries_of(content: object, path: str) -> Iterator[tuple[str, object]]:
    """The single values of nested tables and lists, each with its key."""
    if isinstance(content, dict):
        for key, value in content.items():
            yield from entries_of(value, f"{path}.{key}")
    elif isinstance(content, list):
        for place, value in enumerate(content):
            yield from entries_of(value, f"{path}[{place}]")
    else:
        yield path, content


def evaluation() -> str:
    """The numbers of the hand-written evaluation."""
    weights = load_weights()
    first = zip(TERMS, weights, strict=False)
    last = zip(LAST_TURNS, weights[TERM_COUNT:], strict=False)
    values = weights[FIRST_VALUE:].reshape(len(PHASES), VALUES_OF_A_PHASE)
    rows = [
        (f"`{term.name}`", *(f"{value:.2f}" for value in column))
        for term, column in zip((*TERMS, ALWAYS), values.T, strict=True)
    ]
    return "\n".join(
        [
            table(("term", "weight", "what it counts"), [(f"`{t.name}`", f"{x:.2f}", t.meaning) for t, x in first]),
            table(("last turns", "factor", "what it is"), [(f"`{t.name}`", f"{x:.2f}", t.meaning) for t, x in last]),
            table(("phase", "in force when"), [(f"`{phase.name}`", phase.meaning) for phase in PHASES]),
            table(("term", *(f"`{phase.name}`" for phase in PHASES)), rows),
        ]
    )


GENERATORS: dict[str, Callable[[], str]] = {
    "specification": specification,
    "observation_entries": lambda: f"{OBSERVATION_SIZE:,}",
    "actions": actions,
    "observation": observation,
    "example": example,
    "village": village,
    "start": start,
    "offers": offers,
    "action_maps": action_maps,
    "components": components,
    "tiles": tiles,
    "prophecies": prophecies,
    "family": family,
    "evaluation": evaluation,
}

"""Write what the code knows into the documentation: ``python -m docs.generate``, or ``--check`` to compare only.

A generated part stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from PIL import Image

from agents.guided import GuidedAgent
from agents.search import ISMCTSAgent, MCTSAgent
from benchmarks import dune as dune_benchmark
from benchmarks.peers import DOORS, HEADS, PeerRow, Skipped, cells, left_out
from docs import dune_tables, maps
from docs.markdown import table
from dunaia_env import GameState, __version__
from dunaia_env.__main__ import COMMANDS
from dunaia_env.arena.ladder import read_results
from dunaia_env.arena.match import describe
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
from dunaia_env.dunaia.state import STATE_SIZE, TILES
from dunaia_env.dunaia.texts import prophecy_text, tile_text
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
from dunaia_env.envs.single import DunaiaEnv
from dunaia_env.envs.vector import DunaiaVectorEnv
from dunaia_env.harness.compiled.chance import MAX_SEED
from dunaia_env.harness.compiled.rewards import ILLEGAL_PENALTY, REWARDS, final_rewards
from dunaia_env.harness.learner import LearnerLanes
from dunaia_env.harness.opponents import CHAMPION, LEVELS
from dunaia_env.harness.opponents import load as load_agent
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.render import raster
from dunaia_env.support import atomic
from dunaia_env.table.limits import Limits
from training import benchmark_results

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results.json"
PEERS = ROOT / "benchmarks" / "peers.json"
MASKABLE_PPO = ROOT / "benchmarks" / "sb3.json"
TRAINER = ROOT / "benchmarks" / "training.json"
LIBRARIES = ROOT / "docs" / "compat.json"
LADDER = ROOT / "docs" / "ladder.json"
LEADERBOARD = ROOT / "LEADERBOARD.md"
CARD = ROOT / "agents" / "models" / f"{CHAMPION}.md"
RATED_TABLE = "2 players, with elite characters"
LEARNING = ROOT / "docs" / "learning.json"
TABLE = ROOT / "benchmarks" / "table.json"
DUNE_SPEED = ROOT / "benchmarks" / "dune.json"
PAGES = (
    "docs/table.md",
    "README.md",
    "docs/environment.md",
    "docs/rules.md",
    "docs/family.md",
    "docs/benchmarks.md",
    "docs/agents.md",
    "docs/arena.md",
    "docs/commands.md",
    "docs/dune.md",
    "docs/dune_rules.md",
    "docs/evaluation.md",
    "docs/interfaces.md",
    "docs/learning.md",
)
EXAMPLE_WIDTH = 100
PICTURE = ROOT / "docs" / "game.png"
PICTURE_SEED, PICTURE_PLAYERS, PICTURE_DECISIONS = 42, 3, 170
PICTURE_NAMES = ("Ada", "champion", "Blaise")
MOST_DIFFERENCE = 16  # mean difference of a block of two pictures that look the same, in steps of 0..255
BLOCK = 20  # width and height of a block of a picture, in pixels
SEARCH_OPTIONS = {
    "simulations": "simulations for each decision; give these or `seconds`",
    "seconds": "time budget for each decision; the moves then depend on the machine",
    "playout": "how a new position is valued: `none` by the evaluation, `random` or `greedy` by playing on",
    "cutoff": "decisions after which a playout stops and the evaluation takes over; to the end of the game if absent",
    "exploration": "weight of the prior against the value",
    "prior_temperature": "how strongly the prior follows the evaluation, in points; 0 for equal priors",
    "fpu_reduction": "how much less than its parent an untried action is assumed to be worth",
    "others": "how other players decide in the tree: `search`, or `greedy` by the evaluation alone",
    "threads": "number of decisions of a batch that are searched in parallel",
    "evaluation": "data file with the weights of the evaluation; the project's own if absent",
    "game": "the game; from Python only. Dunaïa if absent",
}
GUIDED_OPTIONS = {
    "simulations": "simulations for each decision; with 1 the network decides alone",
    "candidates": "number of actions, those with the highest logits, among which the simulations are divided",
    "value_scale": "weight of the values found by the search against the network's policy",
}
# What each argument of the environments does.
ARGUMENTS = {
    "num_players": "2, 3 or 4; by default one more than the number of opponents listed. Self-play also takes a"
    " sequence, whose numbers are dealt to the games in turn",
    "elites": "play with elite characters; the game then begins with their draft",
    "opponents": "a list with an agent for each other seat, starting at the learner's left, or one agent for all of"
    " them: a name, a model file, `module:attribute` or an object. `None` (vector only): the learner plays every seat",
    "seat": 'the learner\'s seat: a number, or `"random"` to let the seed of each game decide',
    "reward": '`"win"`, `"rank"` or `"score"`, see [Rewards](#rewards)',
    "max_rounds": "a game that has not ended after this many rounds is stopped and scored",
    "components": "a component file, or what `dunaia_env.dunaia.load` returns; the project's own for `None`",
    "illegal": 'what an illegal action does: `"terminate"` or `"raise"`',
    "render_mode": '`"ansi"`: `render` returns coloured text; `"rgb_array"`: it returns a picture; `"human"` (not'
    " vector): each reset and step shows the position, see [pictures and films](how_to/pictures_and_films.md)",
    "render_width": "width of pictures in pixels, 64..4096",
    "num_envs": "number of games at once",
    "autoreset_mode": '`"SameStep"` or `"NextStep"`, see [Autoreset](#autoreset)',
    "copy": "whether every step returns new arrays of observations; otherwise the next step overwrites them",
    "threads": "number of threads that step the games; does not change any result",
    "game": "a `dunaia_env.harness.game.Game`; for AEC take `dunaia_env.envs.aec.env(game=...)`",
}
_PART = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


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
    rows: list[tuple[object, ...]] = []
    for verb in ACTION_TABLE:
        last = verb.first + verb.count - 1
        numbers = f"{verb.first}" if verb.count == 1 else f"{verb.first}..{last}"
        rows.append((numbers, f"`{verb.name}`", ", ".join(map(str, verb.arguments)), verb.meaning))
    return table(("actions", "verb", "arguments (the last one varies fastest)", "meaning"), rows)


def observation() -> str:
    """The observation's pieces; repeated blocks stand once."""
    rows: list[tuple[object, ...]] = []
    for piece in OBSERVATION_LAYOUT:
        block = re.sub(r"\d+", "k", piece.name.rpartition(".")[0])
        if block and not re.match(
            r"(offer_0|own|own\.square_0|seat_1|seat_1\.square_0|seat_1\.reserved)\.[a-z_]+$", piece.name
        ):
            continue
        last = piece.first + piece.size - 1
        rows.append(
            (
                f"{piece.first}..{last}",
                f"`{piece.name}`",
                "×".join(map(str, piece.shape)),
                piece.scale,
                piece.meaning,
            )
        )
    note = "".join(
        f"At a table of {players} players only the first {used_size(players)} entries can differ from zero.\n"
        for players in range(DEFAULT_GAME.min_players, DEFAULT_GAME.max_players)
    )
    return table(("entries", "piece", "shape", "scale", "meaning"), rows) + "\n" + note


def example() -> str:
    """The first observation of a game, piece by piece."""
    lines = describe_observation(GameState.new(7).observation()).splitlines()
    shown = [line if len(line) <= EXAMPLE_WIDTH else f"{line[:EXAMPLE_WIDTH]} ..." for line in lines]
    return "```text\n" + "\n".join(shown) + "\n```\n"


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


def drawing() -> str:
    """The SVG document of a position in the middle of a game of the champion against itself."""
    state = GameState.new(PICTURE_SEED, num_players=PICTURE_PLAYERS, elites=True)
    player = load_agent(CHAMPION)
    player.reset(0)
    for _ in range(PICTURE_DECISIONS):
        state.apply(player.act(state.view()), PICTURE_SEED)
    show = state.game.check_presentation().picture
    return show(state.to_dict(), state.components, seat=state.seat, names=PICTURE_NAMES)


def picture_is_out_of_date() -> bool:
    """Whether a block of the stored picture shows something else; the last bits of pixels depend on the processor."""
    if not PICTURE.exists():
        return True
    with Image.open(PICTURE) as image:
        stored = np.asarray(image.convert("RGB"), np.int16)
    new = raster.pixels(drawing()).astype(np.int16)
    if stored.shape != new.shape:
        return True
    difference = np.abs(stored - new).mean(axis=2)
    rows, columns = (np.arange(0, size, BLOCK) for size in difference.shape)
    total = np.add.reduceat(np.add.reduceat(difference, rows, axis=0), columns, axis=1)
    return float(total.max()) > MOST_DIFFERENCE * BLOCK**2


def results() -> str:
    """The results in short: speed, and the champion against greedy."""
    measured = {row["name"]: row["value"] for row in json.loads(RESULTS.read_text())["rows"]}
    card = CARD.read_text(encoding="utf-8")
    found = re.findall(r"^\| the network alone \| greedy \| (\d) \| with \| [\d,]+ \| ([^|]+) \|", card, re.MULTILINE)
    shares = ", ".join(f"{share} with {players} players" for players, share in found)
    rows: list[tuple[object, ...]] = [
        ("decisions a second with observations and masks, one thread", f"{measured['lanes_1_thread']:,.0f}"),
        ("the same on two threads", f"{measured['lanes_2_threads']:,.0f}"),
        ("through PettingZoo's AEC interface, without wrappers", f"{measured['aec_raw']:,.0f}"),
        ("simulations a second of the tree search", f"{measured['search_evaluations']:,.0f}"),
        ("first compilation", f"{measured['compile_cold_seconds']:.0f} s"),
        ("win share of `champion`, without search, against `greedy`, with elite characters (95 %)", shares),
    ]
    return table(("what", "result"), rows)


def limits() -> str:
    """The limits of the table's server: options, defaults, and what they limit."""
    rows: list[tuple[object, ...]] = []
    (defined,) = ast.parse(inspect.getsource(Limits)).body
    body = defined.body if isinstance(defined, ast.ClassDef) else []
    for field, text in itertools.pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
            name, meaning = ast.unparse(field.target), str(ast.literal_eval(text.value))
            option = f"`--limits.{name.replace('_', '-')}`"
            rows.append((option, f"{getattr(Limits(), name):,}", " ".join(meaning.split()).rstrip(".")))
    return table(("option", "default", "what it limits"), rows)


def commands() -> str:
    """The commands of the library."""
    rows: list[tuple[object, ...]] = []
    for name, command in COMMANDS.items():
        module = command.modules[-1].removesuffix(".__main__")
        rows.append((f"`dunaia {name}`", f"`python -m {module}`", command.help))
    return table(("command", "in a checkout also", "what it does"), rows)


def rewards() -> str:
    """What each place is worth, by number of players."""
    rows: list[tuple[object, ...]] = []
    for players in range(DEFAULT_GAME.min_players, DEFAULT_GAME.max_players + 1):
        number, scores = np.array([players]), np.zeros((1, players), np.int64)
        places, shared = np.arange(1, players + 1), np.array([1, 1, *range(3, players + 1)])
        for name in ("win", "rank"):
            cells = []
            for ranks in (places, shared):
                values = final_rewards(name, scores, ranks[None], number)[0]
                cells.append(", ".join(f"{value:.3g}" for value in values))
            rows.append((players, f"`{name}`", *cells))
    return table(("players", "`reward`", "first to last", "the first two share the victory"), rows)


def arguments() -> str:
    """The arguments of the environments, with their defaults."""
    doors: dict[str, Callable[..., Any]] = {
        "AEC": raw_env.__init__,
        "single": LearnerLanes.__init__,
        "vector": DunaiaVectorEnv.__init__,
    }
    found: dict[str, dict[str, object]] = {}
    for door, function in doors.items():
        for name, parameter in inspect.signature(function).parameters.items():
            if parameter.kind is not inspect.Parameter.VAR_KEYWORD and name not in ("self", "num_lanes"):
                found.setdefault(name, {})[door] = parameter.default
    for option in DEFAULT_GAME.options:
        for door in ("AEC", "single"):
            found.setdefault(option.name, {}).setdefault(door, option.default)
    for name in ("render_mode", "render_width"):
        found[name]["single"] = inspect.signature(DunaiaEnv.__init__).parameters[name].default
    for known in found.values():
        if "single" in known:
            known.setdefault("vector", known["single"])
    rows: list[tuple[object, ...]] = []
    for name, meaning in ARGUMENTS.items():
        defaults = {repr(getattr(default, "value", default)) for default in found[name].values()}
        values = "; ".join(sorted(f"`{value}`" for value in defaults if not value.startswith("<game")))
        where = ", ".join(door for door in doors if door in found[name])
        rows.append((f"`{name}`", where, values or "Dunaïa", meaning))
        del found[name]
    if found:
        raise KeyError(f"arguments without a meaning: {', '.join(found)}")
    return table(("argument", "where", "default", "effect"), rows)


def components() -> str:
    """How the values of each group are known."""
    return table(("group", "status"), [(f"`{name}`", status) for name, status in load().statuses.items()])


def tiles() -> str:
    """Every tile."""
    return table(("tile", "what it is"), [(tile, tile_text(tile, load())) for tile in range(TILES)])


def prophecies() -> str:
    """Every prophecy."""
    rows: list[tuple[object, ...]] = [(number, prophecy_text(number, load())) for number in range(PROPHECIES)]
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


def search() -> str:
    """The options of the tree search."""
    return options_of(MCTSAgent, SEARCH_OPTIONS)


def information_set_search() -> str:
    """The options of the search in games with hidden information."""
    return options_of(ISMCTSAgent, SEARCH_OPTIONS)


def guided() -> str:
    """The options of the search guided by a network."""
    return options_of(GuidedAgent, GUIDED_OPTIONS, hidden=("player", "noise"))


def options_of(agent: Callable[..., Any], meanings: dict[str, str], hidden: tuple[str, ...] = ()) -> str:
    """What can be written behind an agent's name; raises `ValueError` unless every option has a meaning."""
    parameters = {name: one for name, one in inspect.signature(agent).parameters.items() if name not in hidden}
    if list(parameters) != list(meanings):
        raise ValueError(f"{agent}: meanings of {list(meanings)}; {list(parameters)} are needed")
    rows: list[tuple[object, ...]] = [
        (f"`{name}`", "" if one.default in (None, one.empty) else f"`{one.default}`", meanings[name])
        for name, one in parameters.items()
    ]
    return table(("option", "default", "meaning"), rows)


def levels() -> str:
    """The levels for people, with their ratings on the leaderboard."""
    rows: list[tuple[object, ...]] = [(f"`{level}`", f"`{meant}`", rating_of(level)) for level, meant in LEVELS.items()]
    rows += [(f"`{CHAMPION}`", "its best action, without search", rating_of(CHAMPION))]
    return table(("level", "agent", f"rating, {RATED_TABLE} (95 %)"), rows)


def rating_of(label: str) -> str:
    """What the leaderboard says of an agent at the table of `RATED_TABLE`."""
    part = LEADERBOARD.read_text(encoding="utf-8").partition(f"## {RATED_TABLE}\n")[2].partition("\n## ")[0]
    ratings = part.partition("### Match-ups")[0]
    found = re.search(rf"^\| \d+ \| {re.escape(label)} \| [^|]* \| ([^|]*) \|", ratings, re.MULTILINE)
    return found[1] if found else "no stored run yet"


def ladder() -> str:
    """The last stored skill ladder."""
    rows = [
        (
            rung.players,
            f"{rung.simulations:,} against {rung.simulations // 2:,}",
            rung.games,
            describe(rung.share),
            "" if rung.adjusted is None else describe(rung.adjusted),
            f"{100 * rung.fair:.1f} %",
            f"{1000 * rung.seconds:.1f}",
        )
        for rung in sorted(read_results(LADDER), key=lambda rung: (rung.players, rung.simulations))
    ]
    heads = ("players", "simulations", "games", "win share (95 %)", "luck-adjusted", "fair", "ms a decision")
    return table(heads, rows)


def learning() -> str:
    """The last stored comparison of learning algorithms, or that there is none."""
    if not LEARNING.exists():
        return (
            "Nothing is stored yet. `benchmark.json` and `benchmark.png` of a run go to `docs/learning.json` and"
            " `docs/learning.png`; then `python -m docs.generate`.\n"
        )
    text = benchmark_results.markdown(benchmark_results.read_results(LEARNING))
    return f"![learning curves with intervals](learning.png)\n\n{text}"


def benchmarks() -> str:
    """The last stored results of the benchmarks."""
    results = json.loads(RESULTS.read_text())
    rows: list[tuple[object, ...]] = []
    for row in results["rows"]:
        number = f"{row['value']:,.0f}" if row["unit"].endswith("/s") else f"{row['value']:.3g}"
        rows.append((f"`{row['name']}`", number, row["unit"], row["batch"], row["threads"]))
    return measured_on(results) + table(("row", "median", "unit", "games at once", "threads"), rows)


def table_load() -> str:
    """The last stored results of the browser table under load."""
    results = json.loads(TABLE.read_text())
    found = {row["name"]: row for row in results["rows"]}
    rows: list[tuple[object, ...]] = []
    for name, meaning in (
        ("table_click_half", "half of the clicks are answered within"),
        ("table_click_19_of_20", "19 of 20 clicks are answered within"),
        ("table_click_longest", "the longest click"),
    ):
        values = [f"{1000 * found[name][value]:.0f}" for value in ("value", "lowest", "highest")]
        rows.append((meaning, f"{values[0]} ms", f"{values[1]} to {values[2]} ms"))
    clicks, lost = found["table_clicks"], found["table_lost"]
    rows.append(("clicks", f"{clicks['value']:.1f} a second", f"{clicks['lowest']:.1f} to {clicks['highest']:.1f}"))
    rows.append(("decisions lost when the server was killed", f"{lost['highest']:.0f}", ""))
    return measured_on(results) + table((f"{clicks['batch']} tables", "median", "lowest to highest"), rows)


def dune_speed() -> str:
    """The last stored results of Dune beside connect four."""
    results = json.loads(DUNE_SPEED.read_text())
    rows = dune_benchmark.cells([PeerRow(**row) for row in results["rows"]])
    return measured_on(results) + table(dune_benchmark.HEADS, rows)


def maskable_ppo() -> str:
    """The last stored results of what the environment costs MaskablePPO."""
    results = json.loads(MASKABLE_PPO.read_text())
    rows: list[tuple[object, ...]] = []
    for row in results["rows"]:
        values = [row["value"], row["lowest"], row["highest"]]
        is_rate = row["unit"] == "decisions/s"
        texts = [f"{value:,.0f}" if is_rate else f"{100 * value:.2f} %" for value in values]
        rows.append((f"`{row['name']}`", texts[0], row["unit"], f"{texts[1]} to {texts[2]}"))
    return measured_on(results) + table(("row", "median", "unit", "lowest to highest"), rows)


def trainer() -> str:
    """The last stored results of how fast the trainer is."""
    results = json.loads(TRAINER.read_text())
    found = {row["name"]: row for row in results["rows"]}
    parts = ("engine", "network", "gradient", "exchange")
    rows: list[tuple[object, ...]] = []
    for name, row in found.items():
        if row["unit"] != "decisions/s":
            continue
        width, epochs, way = name.removeprefix("training_").split("_")
        processes, _, threads = way.partition("x")
        each = [found[f"{name}_{part}"]["value"] for part in parts]
        cells = [f"{duration:.2f}" for duration in (*each, 1e6 / row["value"] - sum(each))]
        speed = f"{row['value']:,.0f} ({row['lowest']:,.0f} to {row['highest']:,.0f})"
        rows.append((f"{width} × {width}", epochs, processes, threads, speed, *cells))
    heads = ("network", "epochs", "processes", "threads of each", "decisions/s", *parts, "rest")
    return measured_on(results) + table(heads, rows)


def measured_on(results: dict[str, Any]) -> str:
    """The machine and the versions of stored results."""
    machine = results["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    return f"{machine['processor']}, {machine['cores']} cores, {machine['system']}; {versions}.\n\n"


def peers() -> str:
    """The last stored results of dunaia_env beside other projects."""
    results = json.loads(PEERS.read_text())
    rows = [PeerRow(**row) for row in results["rows"]]
    parts = [measured_on(results)]
    for door, meaning in DOORS.items():
        compared = [row for row in rows if row.door == door]
        if compared:
            parts.append(f"### {meaning.title}\n\n{meaning.includes}\n\n{table(HEADS, list(cells(compared)))}\n")
    skipped = [Skipped(**entry) for entry in results["skipped"]]
    parts += [f"Not measured: {line}.\n" for line in left_out(skipped)]
    return "".join(parts).rstrip("\n") + "\n"


def libraries() -> str:
    """What was seen to work with which versions."""
    beside = ("python", "gymnasium", "pettingzoo", "numpy", "torch")
    rows: list[tuple[object, ...]] = []
    for row in json.loads(LIBRARIES.read_text()):
        versions = row["versions"]
        others = [name for name in versions if name not in (row["package"], *beside)]
        library = ", ".join(f"{name} {versions[name]}" for name in (row["package"], *others))
        tests = ", ".join(f"`{test}`" for test in row["tests"])
        seen = (versions.get(name, "none") for name in beside)
        rows.append((library, *seen, f"{row['passed']} of {tests}", row["date"]))
    return table(("library", *beside, "tests passed", "date"), rows)


GENERATORS: dict[str, Callable[[], str]] = {
    "search": search,
    "information_set_search": information_set_search,
    "guided": guided,
    "levels": levels,
    "ladder": ladder,
    "learning": learning,
    "specification": specification,
    "actions": actions,
    "observation": observation,
    "example": example,
    "village": village,
    "start": start,
    "offers": offers,
    "action_maps": action_maps,
    "results": results,
    "commands": commands,
    "limits": limits,
    "rewards": rewards,
    "arguments": arguments,
    "components": components,
    "tiles": tiles,
    "prophecies": prophecies,
    "family": family,
    "evaluation": evaluation,
    "benchmarks": benchmarks,
    "dune_speed": dune_speed,
    "maskable_ppo": maskable_ppo,
    "table_load": table_load,
    "trainer": trainer,
    "peers": peers,
    "libraries": libraries,
    **dune_tables.GENERATORS,
}


def generated(text: str) -> str:
    """A page with its generated parts made anew; raises `KeyError` for a part that nothing generates."""
    return _PART.sub(lambda match: match[1] + GENERATORS[match[2]]() + match[3], text)


@dataclass(frozen=True)
class Arguments:
    """Make the generated parts of the documentation anew."""

    check: bool = False
    """Write nothing; exit status 1 if a page is out of date."""


def main() -> int:
    """Write or compare the pages; returns the exit status."""
    arguments = tyro.cli(Arguments, prog="python -m docs.generate")
    status = 0
    for name in PAGES:
        page = ROOT / name
        before = page.read_text(encoding="utf-8")
        after = generated(before)
        if before == after:
            continue
        if arguments.check:
            print(f"{name} is out of date: run python -m docs.generate", file=sys.stderr)
            status = 1
        else:
            atomic.write_text(page, after)
            print(f"{name} written")
    if picture_is_out_of_date():
        if arguments.check:
            print(f"{PICTURE.name} is out of date: run python -m docs.generate", file=sys.stderr)
            status = 1
        else:
            atomic.write_bytes(PICTURE, raster.png(drawing()))
            print(f"{PICTURE.name} written")
    return status


if __name__ == "__main__":
    sys.exit(main())

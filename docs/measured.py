"""What was measured and stored, as the generated parts of the pages that show it."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import dune as dune_benchmark, learning as learning_benchmark
from benchmarks.peers import DOORS, HEADS, OWN, PeerRow, Skipped, cells, left_out
from docs.markdown import table
from dunaia_env.arena.ladder import read_results
from dunaia_env.arena.match import describe
from dunaia_env.balance import suggest_pages
from dunaia_env.balance.outcomes import Suggestion, read_result
from dunaia_env.balance.questions.priorities import priorities_of, priority_findings
from dunaia_env.balance.questions.verdicts import VERDICTS, RoleVerdict
from dunaia_env.balance.validation import read_validation, validation_section
from dunaia_env.balance.wording import effect_words, name_of_role, players_words
from dunaia_env.harness.opponents import CHAMPION, LEVELS, level_of
from dunaia_env.reports.parts import sections_to_markdown
from dunaia_env.support import typed_json
from training.benchmark import results as benchmark_results
from training.benchmark.battle.results import COLUMNS as BATTLE_COLUMNS, read_results as read_battle
from training.benchmark.endgames.suite import read_results as read_regrets
from training.benchmark.scale import read_references
from training.benchmark.tasks import TASKS
from training.benchmark.tiny.results import COLUMNS, read_results as read_tiny

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results.json"
PEERS = ROOT / "benchmarks" / "peers.json"
MASKABLE_PPO = ROOT / "benchmarks" / "sb3.json"
TRAINER = ROOT / "benchmarks" / "training.json"
LIBRARIES = ROOT / "docs" / "compat.json"
VERSIONS = ROOT / "docs" / "versions.json"
PYPROJECT = ROOT / "pyproject.toml"
LADDER = ROOT / "docs" / "ladder.json"
DUNE_PAGE = ROOT / "docs" / "dune_players.md"
LEADERBOARD = ROOT / "LEADERBOARD.md"
CARD = ROOT / "agents" / "models" / f"{CHAMPION}.md"
RATED_TABLE = "2 players, with elite characters"
BENCHMARK = ROOT / "docs" / "benchmark"
SEEDS = 5  # of each algorithm, by the protocol of the benchmark
ENDGAMES = ROOT / "docs" / "endgames.json"
TINY = ROOT / "docs" / "tiny.json"
BATTLE = ROOT / "docs" / "battle.json"
TABLE = ROOT / "benchmarks" / "table.json"
BALANCE = ROOT / "docs" / "balance" / "report.json"
FACTIONS = ROOT / "docs" / "factions" / "report.json"
ALONE = ROOT / "docs" / "factions" / "without_alliances.json"  # the study of the factions without alliances
SUGGESTIONS = ROOT / "docs" / "balance" / "suggestions"
VALIDATION = ROOT / "docs" / "balance" / "validation.json"
DUNE_SPEED = ROOT / "benchmarks" / "dune.json"
TIME_TO_STRENGTH = ROOT / "benchmarks" / "learning.json"


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


def levels() -> str:
    """The levels for people, with their ratings on the leaderboard."""
    rows: list[tuple[object, ...]] = [(f"`{level}`", f"`{level_of(level)}`", rating_of(level)) for level in LEVELS]
    rows += [(f"`{CHAMPION}`", "its best action, without search", rating_of(CHAMPION))]
    return table(("level", "agent", f"rating, {RATED_TABLE} (95 %)"), rows)


_WON = r"`(\w+)` won ([\d.]+) % against `(\w+)`"


def shares_of_levels() -> str:
    """What the levels for people win, by game, as JSON for the lobby: a share against another level, for each."""
    part = LEADERBOARD.read_text(encoding="utf-8").partition(f"## {RATED_TABLE}\n")[2].partition("\n## ")[0]
    order = (*LEVELS, CHAMPION)
    dunaia = {}
    for level, other in zip(order, (order[1], *order), strict=False):
        found = re.search(rf"^\| {level} \| {other} \| [\d,]+ \| ([\d.]+) % ", part, re.MULTILINE)
        if found:
            dunaia[level] = {"against": other, "share": round(float(found[1]) / 100, 3)}
    dune_page = " ".join(DUNE_PAGE.read_text(encoding="utf-8").split())
    stated = dune_page.partition("games of neighbouring levels")[2]
    won = {(one, other): float(share) / 100 for one, share, other in re.findall(_WON, stated)}
    won |= {(other, one): 1 - share for (one, other), share in won.items()}
    dune = {
        level: {"against": other, "share": round(won[level, other], 3)}
        for level, other in zip(order, (order[1], *order), strict=False)
    }
    return json.dumps({"dunaia": dunaia, "dune": dune}, indent=2) + "\n"


def rating_of(label: str) -> str:
    """What the leaderboard says of an agent at the table of `RATED_TABLE`."""
    part = LEADERBOARD.read_text(encoding="utf-8").partition(f"## {RATED_TABLE}\n")[2].partition("\n## ")[0]
    ratings = part.partition("### Match-ups")[0]
    found = re.search(rf"^\| \d+ \| {re.escape(label)} \| [^|]* \| ([^|]*) \|", ratings, re.MULTILINE)
    return found[1] if found else "no stored run yet"


def verdicts(study: Path, title: str) -> str:
    """The verdicts of a study, and what to change first; ``title`` is what the game calls its roles."""
    report = json.loads(study.read_text(encoding="utf-8"))
    found = [typed_json.build(RoleVerdict, verdict) for verdict in report["results"]["verdicts"]]
    players = sorted({verdict.players for verdict in found})
    by_key = {(verdict.role, verdict.players): verdict for verdict in found}
    rows: list[tuple[object, ...]] = [
        (name_of_role(name), *(_verdict_words(by_key[name, count]) for count in players)) for name in report["roles"]
    ]
    heads = (title, *(players_words(count) for count in players))
    (order,) = priority_findings(priorities_of(found, report["plan"]["tolerance"]), title)
    return f"{table(heads, rows)}\n{order}\n\n"


def _verdict_words(verdict: RoleVerdict) -> str:
    return f"{VERDICTS[verdict.verdict].replace(chr(0xA0), ' ')}, {effect_words(verdict.strongest)}"


def suggestions() -> str:
    """Changes of the component file that were to make characters fair, and how players trained for them judged them."""
    rows: list[tuple[object, ...]] = []
    players: Sequence[int] = ()
    for folder in sorted(path.parent for path in SUGGESTIONS.glob("*/suggestion.json")):
        found, judged = (_suggestion(path / "suggestion.json") for path in (folder, folder / "judged"))
        players, columns = found.players, [found.roles.index(role) for role in found.chosen]
        who = "<br>".join(map(name_of_role, found.chosen))
        changed = "<br>".join(f"`{change.path}` {change.before} → {change.after}" for change in found.best.changes)
        file = f"[suggestion.toml](balance/suggestions/{folder.name}/suggestion.toml)"
        verdict = suggest_pages.VERDICTS[judged.best.verdict]
        for name, what, player, effects in (
            (who, changed, "before", found.before),
            ("", file, "after, the player of the search", found.best.effects),
            ("", "", f"after, a player trained for the file: **{verdict}**", judged.best.effects),
        ):
            shown = ("<br>".join(effect_words(row[column]) for column in columns) for row in effects)
            rows.append((name, what, player, *shown))
    return table(("character", "changed numbers", "", *(players_words(count) for count in players)), rows)


def _suggestion(path: Path) -> Suggestion:
    found: Suggestion = read_result(path, Suggestion, suggest_pages.FORMAT, suggest_pages.VERSION)
    return found


def validation() -> str:
    """How often the statements of the laboratory hold on simulated studies, as the tables of its appendix."""
    section = validation_section(read_validation(VALIDATION))
    shown = replace(section, title="Rates on simulated studies")
    return "\n".join(["", *sections_to_markdown([shown])[2:]])


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


def comparisons() -> dict[Path, list[benchmark_results.Run]]:
    """The stored comparisons of learning algorithms by file, in the order of the tasks and then of the budgets."""
    order = [task.title for task in TASKS.values()]
    found = {path: benchmark_results.read_results(path) for path in sorted(BENCHMARK.glob("*.json"))}

    def place(path: Path) -> tuple[int, int, float]:
        setting = found[path][0].setting
        return order.index(setting.task), setting.decisions, setting.minutes

    return {path: found[path] for path in sorted(found, key=place)}


def leaderboard() -> str:
    """The place of every algorithm in every stored comparison."""
    columns: dict[str, dict[str, str]] = {}
    for runs in comparisons().values():
        setting = runs[0].setting
        columns[f"`{setting.task}`, {setting.budget}"] = {
            row.algorithm: benchmark_results.scale_words(row.shares[benchmark_results.SCALE])
            + ("" if row.seeds >= SEEDS else f", {row.seeds} seed{'s' * (row.seeds > 1)}")
            for row in benchmark_results.summarise(runs)
        }
    names = list(dict.fromkeys(name for column in columns.values() for name in column))
    rows = [(f"`{name}`", *(column.get(name, "") for column in columns.values())) for name in names]
    return table(("algorithm", *columns), rows)


def learning() -> str:
    """The stored comparisons of learning algorithms, each with its curves."""
    parts = []
    for path, runs in comparisons().items():
        setting = runs[0].setting
        picture = f"![learning curves with intervals]({BENCHMARK.name}/{path.with_suffix('.png').name})"
        parts.append(f"### {setting.task}, {setting.budget}\n\n{picture}\n\n{benchmark_results.markdown(runs)}")
    return "\n".join(parts)


def tasks() -> str:
    """The named tasks of the benchmark, and where their references stand."""
    stored = read_references()
    rows: list[tuple[object, ...]] = []
    for task in TASKS.values():
        own = stored[task.title]
        places = [f"{name} {own.scaled(strength):.0f}" for name, strength in own.strengths.items()]
        rows.append((f"`{task.title}`", f"`{task.hash()}`", task.players, task.about, ", ".join(places)))
    return table(("task", "hash", "players", "what it asks for", "places of the references"), rows)


def endgames() -> str:
    """What agents lose in the shipped endgames."""
    count, results = read_regrets(ENDGAMES)
    rows = [(f"`{one.agent}`", describe(one.regret), describe(one.best)) for one in results]
    heads = ("agent", "share of the win lost by a decision (95 %)", "decisions that lose nothing (95 %)")
    return f"{count:,} endgames.\n\n{table(heads, rows)}"


def tiny() -> str:
    """The size of the miniature, its value, and exact measures of agents in it."""
    stored = read_tiny(TINY)
    value = f"seat 0 gets {100 * stored.value:.2f} % of the win"
    size = f"{stored.positions:,} positions with {stored.actions:,} actions; {value}."
    rows = [
        (f"`{name}`", *(f"{100 * getattr(measures, column):.1f} %" for column in COLUMNS))
        for name, measures in stored.measured.items()
    ]
    return f"{size}\n\n{table(('agent', *COLUMNS.values()), rows)}"


def battle() -> str:
    """The size of the battle of Dune, its value, and exact measures of agents in it."""
    stored = read_battle(BATTLE)
    least, most = stored.bounds
    value = f"Atreides gain {least:.5f} to {most:.5f} spice in an equilibrium"
    counts = f"{stored.histories:,} decisions in its courses, which have {stored.ends:,} ends"
    size = f"{stored.information_states:,} information states with {stored.actions:,} actions; {counts}; {value}."
    rows = [
        (name, *(f"{getattr(measures, column):.2f}" for column in BATTLE_COLUMNS))
        for name, measures in stored.measured.items()
    ]
    return f"{size}\n\n{table(('agent', *BATTLE_COLUMNS.values()), rows)}"


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


def time_to_strength() -> str:
    """The last stored results of how fast trainers learn."""
    results = json.loads(TIME_TO_STRENGTH.read_text())
    arguments, trainings = results["arguments"], learning_benchmark.read(results)
    rows = learning_benchmark.rows_of(trainings, arguments["commit"], arguments["minutes"])
    return measured_on(results) + table(tuple(learning_benchmark.heads()), [tuple(row) for row in rows])


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


def peers_in_short() -> str:
    """The speed of dunaia_env and of the games of other projects through four interfaces, with observations."""
    measured = [PeerRow(**row) for row in json.loads(PEERS.read_text())["rows"]]
    rows: list[tuple[object, ...]] = []
    for door in ("batch", "aec_wrapped", "state", "gymnasium"):
        own, *others = (row for row in measured if row.door == door)
        if own.project != OWN:
            raise ValueError(f"{PEERS}: {door}: expected the row of {OWN} first, got {own.project}")
        others = sorted((row for row in others if row.project != OWN), key=lambda row: row.value)
        projects = dict.fromkeys(row.project for row in others)
        beside = "; ".join(
            f"{project}: " + ", ".join(f"{row.game} {_rounded(row.value)}" for row in others if row.project == project)
            for project in projects
        )
        rows.append((DOORS[door].title, _rounded(own.value), beside))
    return table(("interface, one thread", "Dunaïa, decisions/s", "games of other projects, decisions/s"), rows)


def _rounded(value: float) -> str:
    """A number with three significant digits: ``944,000``."""
    return f"{float(f'{value:.3g}'):,.0f}"


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


def pythons() -> str:
    """How the project's own tests went on each Python, with which versions of what it needs."""
    stored = json.loads(VERSIONS.read_text())
    cells: dict[tuple[str, str], str] = {}
    for row in stored["trials"]:
        counts = ", ".join(f"{row[kind]:,} {kind}" for kind in ("passed", "skipped", "failed") if row[kind])
        cells[_minor_python(row), row["versions"]] = f"{counts}; {row['installed']['python']}, {row['date']}"
    heads = {"oldest": "oldest versions", "pinned": "pinned versions", "newest": "newest versions"}
    rows = [(python, *(cells.get((python, kind), "not tried") for kind in heads)) for python in stored["pythons"]]
    systems = ", ".join(sorted({row["system"] for row in stored["trials"]}))
    return f"Tested on {systems}.\n\n{table(('Python', *heads.values()), rows)}"


def packages() -> str:
    """Which versions of each package were installed for the tests of `pythons`, and which are allowed."""
    trials = json.loads(VERSIONS.read_text())["trials"]
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    needed = [
        *project["dependencies"],
        *(text for extra in project["optional-dependencies"].values() for text in extra),
    ]
    split = [re.fullmatch(r"([\w-]+)(?:\[.*\])?(.*)", text) for text in needed]
    allowed = {found[1]: found[2].replace(",", ", ") for found in split if found}
    rows = [
        (name, allowed[name], *(row["installed"].get(name, "none") for row in trials))
        for name in dict.fromkeys(name for row in trials for name in row["installed"] if name != "python")
    ]
    return table(("package", "allowed", *(f"{row['versions']}, {_minor_python(row)}" for row in trials)), rows)


def _minor_python(row: dict[str, Any]) -> str:
    """The Python of a trial, without its last number: ``3.12``."""
    return ".".join(row["installed"]["python"].split(".")[:2])


def measured_on(results: dict[str, Any]) -> str:
    """The machine and the versions of stored results."""
    machine = results["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    return f"{machine['processor']}, {machine['cores']} cores, {machine['system']}; {versions}.\n\n"


GENERATORS: dict[str, Callable[[], str]] = {
    "results": results,
    "levels": levels,
    "verdicts": partial(verdicts, BALANCE, "character"),
    "verdicts_on_factions": partial(verdicts, FACTIONS, "faction"),
    "verdicts_without_alliances": partial(verdicts, ALONE, "faction"),
    "suggestions": suggestions,
    "validation": validation,
    "ladder": ladder,
    "leaderboard": leaderboard,
    "learning": learning,
    "tasks": tasks,
    "endgames": endgames,
    "tiny": tiny,
    "battle": battle,
    "benchmarks": benchmarks,
    "table_load": table_load,
    "dune_speed": dune_speed,
    "maskable_ppo": maskable_ppo,
    "trainer": trainer,
    "time_to_strength": time_to_strength,
    "peers": peers,
    "peers_in_short": peers_in_short,
    "libraries": libraries,
    "pythons": pythons,
    "packages": packages,
}

"""The figures and tables of the report, from stored results: a figure in a sentence is a generated part, too."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import learning as learning_benchmark
from docs import measured
from docs.cards import matches, trained
from docs.markdown import table
from dunaia_env.arena.match import describe
from dunaia_env.balance.questions.verdicts import RoleVerdict
from dunaia_env.balance.validation import Rate, read_validation
from dunaia_env.balance.wording import effect_words
from dunaia_env.dune.decisions import DECISION_NAMES
from dunaia_env.harness.opponents import CHAMPION
from dunaia_env.harness.registry import DEFAULT_GAME, find_game
from dunaia_env.statistics.intervals import CONFIDENCE
from dunaia_env.support import typed_json
from training.benchmark import results as benchmark_results
from training.benchmark.battle.results import PREDICTABLE, read_results as read_battle
from training.benchmark.endgames.suite import read_results as read_regrets
from training.benchmark.tiny.results import read_results as read_tiny

ROOT = Path(__file__).parent.parent
DECISIONS = ROOT / "benchmarks" / "decisions.json"
EXPERIMENTS = ROOT / "docs" / "experiments.json"
PLAYTHROUGHS = ROOT / "tests" / "playthroughs"
CITATION = ROOT / "CITATION.cff"
MUTATIONS = ROOT / "tests" / "MUTATIONS.md"
DUNE_CHAMPION = "dune_champion"
ALONE, SEARCHING = "the network alone", "with 64 simulations"


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _rounded(value: float, digits: int = 3) -> str:
    """A number with so many significant digits: ``944,000``."""
    return f"{float(f'{value:.{digits}g}'):,.0f}"


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


# The games


def _counts(game: str, place: int) -> dict[str, Any]:
    """What a decision is like at one of a game's tables, in their stored order."""
    rows = [row for row in _json(DECISIONS)["rows"] if row["game"] == game]
    return dict(rows[place])


def games() -> str:
    """What decisions of both games are like."""
    rows: list[tuple[object, ...]] = []
    for row in _json(DECISIONS)["rows"]:
        game = find_game(row["game"])
        rows.append(
            (
                f"{row['game'].capitalize().replace('Dunaia', 'Dunaïa')}, {row['table']}",
                game.num_actions,
                f"{row['legal']:.1f}",
                f"{row['decisions']:.0f}",
                f"{game.observation_size:,}",
                f"{row['nonzero']:.0f}",
                f"{row['changed']:.1f}",
            )
        )
    heads = ("table", "actions", "legal", "decisions of a game", "observation", "not zero", "changed")
    return table(heads, rows)


# The engine


def _speed(name: str) -> str:
    (row,) = (row for row in _json(measured.RESULTS)["rows"] if row["name"] == name)
    return _rounded(row["value"])


def _microseconds() -> str:
    """The time of one decision with observation and mask, on one thread."""
    (row,) = (row for row in _json(measured.RESULTS)["rows"] if row["name"] == "lanes_1_thread")
    return f"{1e6 / row['value']:.1f}"


def _dune_speed(table_name: str) -> str:
    rows = _json(measured.DUNE_SPEED)["rows"]
    return next(_rounded(row["value"]) for row in rows if row["game"] == table_name and row["batch"] > 1)


def _playthroughs() -> list[Path]:
    return sorted(PLAYTHROUGHS.glob("*.jsonl"))


def _played_decisions() -> str:
    """Decisions of the golden playthroughs: their lines without the first and the last one."""
    return f"{sum(len(path.read_text(encoding='utf-8').splitlines()) - 2 for path in _playthroughs()):,}"


def _faults() -> str:
    """The number of deliberate faults, rounded down to thousands, so that it seldom changes."""
    rows = sum(line.startswith("| ") for line in MUTATIONS.read_text(encoding="utf-8").splitlines()) - 1
    return f"{rows // 1000 * 1000:,}"


# Learning by differences


def _experiment(name: str) -> list[dict[str, Any]]:
    return list(_json(EXPERIMENTS)[name]["rows"])


def differences() -> str:
    """How fast networks learn and play, with the first layer from whole observations and by differences."""
    rows: list[tuple[object, ...]] = []
    for row in _experiment("playing_by_differences"):
        times = row["differences"] / row["whole"]
        layers = ", ".join(f"{units:,}" for units in row["layers"])
        rows.append(("playing", layers, f"{row['whole']:,}", f"{row['differences']:,}", f"{times:.1f}"))
    whole, changed, *_ = _experiment("training_by_differences")
    times = changed["decisions_per_second"] / whole["decisions_per_second"]
    layers = ", ".join(map(str, whole["layers"]))
    cells = [f"{row['decisions_per_second']:,}" for row in (whole, changed)]
    rows.append(("learning", layers, *cells, f"{times:.1f}"))
    return table(("what", "units of the hidden layers", "whole observations", "by differences", "times as fast"), rows)


def _experiment_on(name: str) -> str:
    """Where and when an experiment was made."""
    content = _json(EXPERIMENTS)[name]
    return f"{content['machine']}, {content['date']}"


def _work(game: str, place: int, entries: str) -> str:
    """How many times less work the first layer has by differences than with so many entries of an observation."""
    counts = _counts(game, place)
    whole = find_game(game).observation_size if entries == "all" else counts[entries]
    return f"{whole / counts['changed']:.0f}"


def _learned(trainer: str, ends_too: bool = True) -> str:
    """The mean win share of a trainer of the stored comparison at its end; if asked for, its lowest and highest too."""
    content = _json(measured.TIME_TO_STRENGTH)
    shares = [one.curve[-1].share for one in learning_benchmark.read(content) if one.trainer == trainer]
    ends = f" ({100 * min(shares):.1f} to {100 * max(shares):.1f})" if ends_too else ""
    return _percent(statistics.fmean(shares)) + ends


# Players


def _against(model: str, opponent: str, players: int, player: str = ALONE, **options: str) -> str:
    """The share of a row of a model's card, with its interval; `opponent` is how the card's words begin."""
    found = [
        one
        for one in matches(model)
        if (one.player, one.players) == (player, players)
        and one.opponent.startswith(opponent)
        and all(one.options[name] == value for name, value in options.items())
    ]
    (row,) = found
    return describe(row.share)


def _million(model: str) -> str:
    return f"{trained(model)[0] / 1e6:.0f}"


def _hours(model: str) -> str:
    return f"{trained(model)[1]:.1f}"


def strengths() -> str:
    """The matches of Dunaïa's champion, without those against its ancestors."""
    rows: list[tuple[object, ...]] = [
        (
            "`champion`" if one.player == ALONE else "`champion+64`",
            "`champion`" if one.opponent == ALONE else f"`{one.opponent.partition(' ')[0]}`",
            one.players,
            one.options["elites"],
            f"{one.games:,}",
            describe(one.share),
            _percent(one.fair),
        )
        for one in matches(CHAMPION)
        if "first champion" not in one.opponent
    ]
    heads = ("player", "against", "players", "characters", "games", "win share (95 %)", "fair")
    return table(heads, rows)


# Balance


def _balance() -> Any:
    return _json(measured.BALANCE)


def _effect(role: str, players: int) -> str:
    found = [typed_json.build(RoleVerdict, verdict) for verdict in _balance()["results"]["verdicts"]]
    (verdict,) = (one for one in found if (one.role, one.players) == (role, players))
    return effect_words(verdict.strongest)


def _first_seat(players: int) -> str:
    shares = _balance()["results"]["shares"]
    key = ("absent", players, CHAMPION)
    (row,) = (row for row in shares if (row["kind"], row["players"], row["agent"]) == key)
    return _percent(row["seats"][0]["value"])


def _rate(rate: Rate) -> str:
    return describe((rate.value, rate.low, rate.high))


def error_rates() -> str:
    """How often whole studies err, and how often they find an effect that was planted."""
    found = read_validation(measured.VALIDATION)
    planted = f"{100 * found.planted:.0f} points"
    rows: list[tuple[object, ...]] = [
        ("no effect: any interval excludes the fair share", _rate(found.false_alarms), "≤ 5 %"),
        ("no effect: any role is judged too strong or too weak", _rate(found.false_verdicts), "≤ 5 %"),
        ("no effect: any role is said to rise or fall with better play", _rate(found.false_trends), "≤ 5 %"),
        (
            "an effect at the tolerance: any role is judged too strong or too weak",
            _rate(found.false_at_boundary),
            "≤ 5 %",
        ),
        (f"an effect of {planted}: all intervals contain the true values", _rate(found.joint_coverage), "≥ 95 %"),
        *(
            (f"an effect of {planted}: found with {one.players} players, {one.blocks:,} blocks", _rate(one.power), "-")
            for one in found.tables
        ),
    ]
    return table(("simulated studies with", "how often (95 %)", "aim"), rows)


# The benchmark


def algorithms() -> str:
    """The place, the cost and the size of every algorithm in the stored comparison of a task."""
    (runs,) = measured.comparisons().values()
    rows: list[tuple[object, ...]] = [
        (
            f"`{row.algorithm}`",
            benchmark_results.scale_words(row.shares[benchmark_results.SCALE]),
            row.seeds,
            f"{row.core_seconds:,.0f}",
            f"{row.parameters:,}",
        )
        for row in benchmark_results.summarise(runs)
    ]
    return table(("algorithm", "place (95 %)", "seeds", "core seconds", "parameters"), rows)


def _regret(agent: str) -> str:
    _, results = read_regrets(measured.ENDGAMES)
    (row,) = (one for one in results if one.agent == agent)
    return describe(row.regret)


def _exploitability(agent: str) -> str:
    return _percent(read_tiny(measured.TINY).measured[agent].exploitability)


def _exploited_in_battle(player: str) -> str:
    """The spice that a best reply gains from a player in the battle of Dune."""
    return f"{read_battle(measured.BATTLE).measured[player].exploitability:.1f}"


def _share_of(experiment: str, place: int) -> str:
    row = _experiment(experiment)[place]
    return describe((row["value"], row["low"], row["high"]))


def _seeds() -> str:
    """The lowest and the highest win share of trainings that differ in their seed only."""
    shares = [100 * row["share"] for row in _experiment("training_seeds")]
    return f"{min(shares):.1f} to {max(shares):.1f} %"


# The citation


def _cited(key: str) -> str:
    """A field of the report's entry in CITATION.cff."""
    entry = CITATION.read_text(encoding="utf-8").partition("preferred-citation:\n")[2]
    found = re.search(rf'^  {key}: "?([^"\n]+)"?$', entry, re.MULTILINE)
    assert found is not None, f"CITATION.cff: expected {key} of the preferred citation, got none"
    return found[1]


def bibtex() -> str:
    """The entry of CITATION.cff in BibTeX."""
    fields = {
        "title": _cited("title"),
        "author": "{dunaia_env contributors}",
        "year": _cited("year"),
        "type": "Report",
        "note": f"Version {_cited('version')}, docs/report.md in the repository",
    }
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"```bibtex\n@techreport{{dunaia_env,\n{lines}}}\n```\n"


# By name; a name in the page is one of these or of another page's parts.
GENERATORS: dict[str, Callable[[], str]] = {
    "report_confidence": lambda: f"{100 * CONFIDENCE:.0f} %",
    "report_games": games,
    "counted_games": lambda: str(_counts("dune", 0)["games"]),
    "dunaia_state_bytes": lambda: f"{DEFAULT_GAME.state_size:,}",
    "dune_state_bytes": lambda: f"{find_game('dune').state_size:,}",
    "dune_decision_kinds": lambda: str(len(DECISION_NAMES) - 1),
    "report_version": partial(_cited, "version"),
    "report_bibtex": bibtex,
    "speed_one_thread": partial(_speed, "lanes_1_thread"),
    "speed_two_threads": partial(_speed, "lanes_2_threads"),
    "speed_kernel": partial(_speed, "random_games_kernel"),
    "speed_search": partial(_speed, "search_evaluations"),
    "report_microseconds": _microseconds,
    "speed_dune_duel": partial(_dune_speed, "duel"),
    "speed_dune_full": partial(_dune_speed, "full, 6 players"),
    "first_compilation": partial(_speed, "compile_cold_seconds"),
    "search_compilation": partial(_speed, "compile_search_seconds"),
    "playthrough_games": lambda: str(len(_playthroughs())),
    "playthrough_decisions": _played_decisions,
    "report_faults": _faults,
    "report_differences": differences,
    "playing_measured_on": partial(_experiment_on, "playing_by_differences"),
    "learning_measured_on": partial(_experiment_on, "training_by_differences"),
    "work_of_all": partial(_work, "dunaia", 0, "all"),
    "work_of_nonzero": partial(_work, "dunaia", 0, "nonzero"),
    "dune_work_of_nonzero": partial(_work, "dune", 2, "nonzero"),
    "learned_here": partial(_learned, "here"),
    "learned_here_mean": partial(_learned, "here", ends_too=False),
    "learned_by_maskable_ppo": partial(_learned, "maskable_ppo"),
    "champion_decisions": partial(_million, CHAMPION),
    "champion_hours": partial(_hours, CHAMPION),
    "champion_greedy_2": partial(_against, CHAMPION, "greedy", 2),
    "champion_greedy_4": partial(_against, CHAMPION, "greedy", 4),
    "champion_search": partial(_against, CHAMPION, ALONE, 2, SEARCHING),
    "dune_champion_decisions": partial(_million, DUNE_CHAMPION),
    "dune_champion_hours": partial(_hours, DUNE_CHAMPION),
    "dune_duel": partial(_against, DUNE_CHAMPION, "greedy", 2),
    "dune_plain_6": partial(_against, DUNE_CHAMPION, "greedy", 6, preset="plain"),
    "dune_classic_6": partial(_against, DUNE_CHAMPION, "greedy", 6, preset="classic"),
    "fair_of_six": lambda: _percent(1 / 6),
    "report_strengths": strengths,
    "balance_games": lambda: f"{sum(_balance()['games'].values()):,}",
    "trickster_2": partial(_effect, "trickster", 2),
    "mystic_2": partial(_effect, "mystic", 2),
    "architect_2": partial(_effect, "architect", 2),
    "first_seat_2": partial(_first_seat, 2),
    "first_seat_4": partial(_first_seat, 4),
    "report_tolerance": lambda: f"{100 * _balance()['plan']['tolerance']:.0f}",
    "simulated_studies": lambda: f"{read_validation(measured.VALIDATION).studies:,}",
    "report_error_rates": error_rates,
    "report_algorithms": algorithms,
    "endgame_count": lambda: f"{read_regrets(measured.ENDGAMES)[0]:,}",
    "endgame_champion": partial(_regret, "champion"),
    "endgame_champion_64": partial(_regret, "champion+64"),
    "tiny_positions": lambda: f"{read_tiny(measured.TINY).positions:,}",
    "tiny_champion": partial(_exploitability, "champion"),
    "tiny_greedy": partial(_exploitability, "greedy"),
    "tiny_random": partial(_exploitability, "random"),
    "battle_states": lambda: f"{read_battle(measured.BATTLE).information_states:,}",
    "battle_champion": partial(_exploited_in_battle, "champion"),
    "battle_greedy": partial(_exploited_in_battle, "greedy"),
    "battle_predictable": partial(_exploited_in_battle, PREDICTABLE),
    "seeds_differ": _seeds,
    "specialist_shipped": partial(_share_of, "specialists", 0),
    "specialist_one_change": partial(_share_of, "specialists", 1),
    "specialist_other_game": partial(_share_of, "specialists", 2),
    "best_response": partial(_share_of, "best_response", 0),
}

"""Dune through every interface: the libraries' own checks, returns, hidden information, wrong input, copies, traces."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pyspiel
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test
from stable_baselines3.common import env_checker

from dunaia_env import GameState, IllegalActionError, Stream, dune, dune_v0
from dunaia_env.dune import GAME
from dunaia_env.harness.compiled.rewards import final_rewards
from dunaia_env.harness.options import BETWEEN
from dunaia_env.replay import main as record
from tests.dune_doors import DOORS, Door, OpenSpiel, comparable, play_on
from tests.reference_dune.check import main as check

pytestmark = pytest.mark.compiled

TABLES: list[dict[str, Any]] = [
    {"preset": "duel"},
    *({"preset": preset, "num_players": players} for preset in ("plain", "full") for players in (2, 3, 6)),
]
EVERYTHING: dict[str, Any] = {"tleilax": True, "karama_powers": True, "open_shields": False}
DOOR_NAMES = pytest.mark.parametrize("name", list(DOORS))


def table_id(table: dict[str, Any]) -> str:
    return "-".join(map(str, table.values()))


EVERY_TABLE = pytest.mark.parametrize("table", TABLES, ids=table_id)


# The libraries' own checks


@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning")
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
@EVERY_TABLE
def test_pettingzoos_api_test(table: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    for make in (dune_v0.env, dune_v0.raw_env):
        api_test(make(**table), num_cycles=300)
    assert capsys.readouterr().out.count("Passed API test") == 2


@EVERY_TABLE
def test_pettingzoos_parallel_api_test(table: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    parallel_api_test(dune_v0.parallel_env(**table), num_cycles=300)
    assert "Passed Parallel API test" in capsys.readouterr().out


@EVERY_TABLE
def test_pettingzoos_seed_tests(table: dict[str, Any]) -> None:
    seed_test(lambda: dune_v0.env(**table), num_cycles=100)
    parallel_seed_test(lambda: dune_v0.parallel_env(**table), num_cycles=100)


@EVERY_TABLE
def test_gymnasiums_check_env(table: dict[str, Any]) -> None:
    check_env(gymnasium.make("dunaia/Dune-v0", **table).unwrapped)


@EVERY_TABLE
def test_stable_baselines_check_env(table: dict[str, Any]) -> None:
    env_checker.check_env(gymnasium.make("dunaia/Dune-v0", **table).unwrapped)


@pytest.mark.parametrize("serialize", [False, True])
@pytest.mark.parametrize("table", [table for table in TABLES if table.get("num_players") != 6], ids=table_id)
@pytest.mark.long
def test_openspiels_random_simulation_of_short_games(table: dict[str, Any], serialize: bool) -> None:
    pyspiel.random_sim_test(OpenSpiel.make(**table, max_turns=1), num_sims=1, serialize=serialize, verbose=False)


# Each text of an information state plays the game again, so that whole games of six would take hours.
@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize(
    "table",
    [
        {"preset": "duel"},
        {"preset": "plain", "num_players": 2, "max_turns": 3},
        {"preset": "full", "num_players": 3, "max_turns": 2},
        {"preset": "plain", "num_players": 6, "max_turns": 1},
        {"preset": "full", "num_players": 6, "max_turns": 1},
    ],
    ids=table_id,
)
def test_openspiels_random_simulation_of_longer_games(table: dict[str, Any]) -> None:
    pyspiel.random_sim_test(OpenSpiel.make(**table), num_sims=1, serialize=False, verbose=False)


# Decisions and returns


@pytest.mark.slow
@DOOR_NAMES
def test_ten_thousand_masked_decisions_and_the_returns(name: str) -> None:
    random, decisions, ended, told = np.random.default_rng(1), 0, 0, 0
    while decisions < 10_000 or ended < len(TABLES):
        table = {**TABLES[ended % len(TABLES)], "reward": ("win", "rank", "score")[ended % 3]}
        door = DOORS[name](**table)
        door.begin(ended)
        players = door.state().num_players
        rewards = None
        while rewards is None:
            before = door.state()
            mask = door.asked()
            assert mask.astype(np.int8).tolist() == before.action_mask().tolist()
            action = int(random.choice(np.flatnonzero(mask)))
            rewards = door.step(action)
            decisions += 1
        ended += 1
        assert all(-1 <= value <= 1 for value in rewards.values()) or table["reward"] == "score"
        told += any(rewards.values())
        if len(rewards) == players:
            assert sum(rewards.values()) == pytest.approx(0, abs=1e-5)
        else:
            assert len(rewards) == 1
    assert told >= 2  # in many games of random players nobody wins, and all returns are zero


@DOOR_NAMES
@pytest.mark.parametrize("reward", ["win", "rank", "score"])
def test_returns_are_those_of_the_scores_and_ranks(name: str, reward: str) -> None:
    """The last decision of a game, at each door: the returns are worked out from the end that the rules reach."""
    for seed in range(3):
        table = {**EVERYTHING, "num_players": 4, "max_turns": 1, "undecided": "strongholds"}
        last, action, end = last_decision(table, seed)
        found = DOORS[name](**table, **seat_of(name, last.seat), reward=reward)
        found.continue_from(last)
        given = found.step(action)
        assert given is not None
        scores, ranks = np.array([end.scores()]), np.array([end.ranks()])
        wanted = final_rewards(reward, scores, ranks, np.array([4]))[0].tolist()
        for seat, value in given.items():
            assert value == pytest.approx(wanted[seat], abs=1e-5)


def seat_of(name: str, seat: int) -> dict[str, int]:
    """The option that gives a seat to the learner, at the doors that have one."""
    return {"seat": seat} if name in ("Gymnasium", "Stable-Baselines3") else {}


def last_decision(table: dict[str, Any], seed: int) -> tuple[GameState, int, GameState]:
    """The last position of a random game that is left to a decision whose outcome no draw changes, and the end."""
    chance, random = Stream(seed), np.random.default_rng(seed)
    state = GameState.new(chance, game=GAME, **table)
    while True:
        before, action = state.clone(), int(random.choice(state.legal_actions()))
        state.apply(action, chance)
        if state.is_over:
            return before, action, state


# What a seat must not see


def positions(count: int) -> Iterator[tuple[dict[str, Any], GameState]]:
    """Positions of random games with everything that can be hidden, and the options of their tables."""
    for seed in range(count):
        random = np.random.default_rng(seed)
        table = {**EVERYTHING, "num_players": 2 + seed % 5}
        chance = Stream(seed)
        state = GameState.new(chance, game=GAME, **table)
        for _ in range(int(random.integers(60 * table["num_players"]))):
            following = state.clone()
            following.apply(int(random.choice(state.legal_actions())), chance)
            if following.is_over:
                break
            state = following
        yield table, state


@DOOR_NAMES
def test_a_seat_is_shown_nothing_that_it_does_not_know(name: str) -> None:
    """What a seat does not know is drawn anew: all that it is shown stays the same, whether it is asked or not."""
    differed = 0
    for number, (table, state) in enumerate(positions(24)):
        kind = DOORS[name]
        for seat in range(state.num_players) if kind.sees_all_seats else [state.seat]:
            door = kind(**table, **seat_of(name, seat))
            door.continue_from(state)
            wanted = comparable(door.shown(seat))
            for again in range(2):
                other = state.resampled(seat, 100 * number + again)
                differed += other != state
                door.continue_from(other)
                assert comparable(door.shown(seat)) == wanted, (table, number, seat)
                if seat == state.seat:
                    assert door.asked().nonzero()[0].tolist() == state.legal_actions()
    assert differed > 30


def test_infos_of_a_game_in_play_hold_the_mask_only_at_pettingzoos_doors() -> None:
    env = dune_v0.env(num_players=6, **EVERYTHING)
    env.reset(seed=5)
    random = np.random.default_rng(5)
    for _ in range(200):
        asked = env.agent_selection
        assert {agent: sorted(info) for agent, info in env.infos.items()} == {
            agent: ["action_mask"] if agent == asked else [] for agent in env.agents
        }
        assert not any(env.observe(agent)["action_mask"].any() for agent in env.agents if agent != asked)
        env.step(int(random.choice(np.flatnonzero(env.observe(asked)["action_mask"]))))


# Wrong input

FACTIONS = "atreides, harkonnen, emperor, fremen, guild, bene_gesserit, tleilax"
WRONG: list[tuple[dict[str, Any], str]] = [
    (
        {"factions": ["atreides", "sardaukar"]},
        rf"^factions: expected .*one of {FACTIONS} for each seat or None, got .*sardaukar",
    ),
    ({"num_players": 7}, r"^(num_)?players: expected an integer in 2\.\.6, got 7$"),
    ({"num_players": 1}, r"^(num_)?players: expected an integer in 2\.\.6, got 1$"),
    (
        {"num_players": 2, "factions": ["atreides", "emperor", "fremen"]},
        "^factions: expected 2, one a seat, or None, got atreides, emperor, fremen$",
    ),
    ({"num_players": 2, "factions": ["fremen", "fremen"]}, "^factions: expected different ones, got fremen, fremen$"),
    ({"num_players": 2, "factions": ["fremen", "tleilax"]}, "^factions: tleilax plays only with the option tleilax$"),
    ({"spice": 3}, r"spice: no option of dune; its options are num_players, powers, .*factions\b|parameter 'spice'"),
    ({"preset": "half"}, "preset: expected one of full, classic, plain, duel, got 'half'"),
    ({"deck": 40}, "^deck: expected 43 or 33, got 40$"),
    ({"max_turns": 0}, r"^max_turns: expected an integer in 1\.\.15, got 0$"),
    ({"components": "/no/such.toml"}, "^components /no/such.toml: cannot be read"),
]


@DOOR_NAMES
@pytest.mark.parametrize(("options", "message"), WRONG, ids=lambda one: str(one)[:40])
def test_a_wrong_option_gets_one_error(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError, pyspiel.SpielError), match=message) as error:
        DOORS[name].make(**options)
    assert "\n" not in str(error.value)


@DOOR_NAMES
def test_a_component_file_without_a_card_gets_one_error(name: str, tmp_path: Path) -> None:
    lines = Path(dune.__file__).with_name("components.toml").read_text(encoding="utf-8").splitlines()
    card = next(line for line in lines if "deck_43" in line and "{" in line)
    file = tmp_path / "short.toml"
    file.write_text("\n".join(line for line in lines if line != card), encoding="utf-8")
    with pytest.raises(ValueError, match=r"short\.toml: .*treachery\.kinds") as error:
        DOORS[name].make(components=str(file))
    assert "\n" not in str(error.value)


NO_ACTIONS: list[Any] = ["illegal", -1, dune.NUM_ACTIONS, 10**20, 1.5, "fly", None, [3]]


def begun(name: str, **options: Any) -> Door:
    door = DOORS[name](num_players=3, **options)
    door.begin(4)
    play_on(door, 4, 20)
    return door


def illegal(door: Door) -> int:
    return int(np.flatnonzero(door.asked() == 0)[0])


@DOOR_NAMES
@pytest.mark.parametrize(
    "wrong", [*NO_ACTIONS[:3], *(pytest.param(wrong, marks=pytest.mark.long) for wrong in NO_ACTIONS[3:])], ids=str
)
@pytest.mark.parametrize("decisions", [15, pytest.param(40, marks=pytest.mark.slow)])
def test_a_wrong_action_gets_one_error_and_changes_nothing(name: str, wrong: Any, decisions: int) -> None:
    policy = {"illegal": "raise"} if DOORS[name].penalty else {}
    door, twin = (begun(name, **policy) for _ in range(2))
    before = door.state()
    kinds = (ValueError, TypeError, AssertionError, pyspiel.SpielError)
    with pytest.raises(kinds) as error:
        door.step(illegal(door) if wrong == "illegal" else wrong)
    if wrong == "illegal":
        assert isinstance(error.value, IllegalActionError)
        assert f"for seat {before.seat} in {before.decision}" in str(error.value)
        assert "legal: " in str(error.value)
    assert str(error.value)
    assert door.state() == before
    assert play_on(door, 2, decisions) == play_on(twin, 2, decisions)


@pytest.mark.parametrize("wrong", NO_ACTIONS, ids=str)
def test_the_environment_without_wrappers_says_what_an_action_is(wrong: Any) -> None:
    env = dune_v0.raw_env(num_players=3, illegal="raise")
    env.reset(seed=3)
    action = (
        int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"] == 0)[0]) if wrong == "illegal" else wrong
    )
    with pytest.raises(IllegalActionError, match=r"legal: |expected an action number or text|expected one of "):
        env.step(action)


@pytest.mark.parametrize("name", [name for name, door in DOORS.items() if door.penalty])
def test_an_illegal_action_can_end_the_game_and_costs_its_seat(name: str) -> None:
    door = begun(name)
    before = door.state()
    given = door.step(illegal(door))
    assert given is not None
    assert given[before.seat] == -1
    assert not any(reward for seat, reward in given.items() if seat != before.seat)
    door.begin()
    assert door.state().to_dict()["turn"] <= 1
    play_on(door, 1, 10)


# Copies


@pytest.mark.parametrize(("name", "way"), [(name, way) for name, door in DOORS.items() for way in door.copies])
@pytest.mark.parametrize("table", [TABLES[0], {"num_players": 4, **EVERYTHING}], ids=["duel", "everything"])
@pytest.mark.parametrize("decisions", [20, pytest.param(60, marks=pytest.mark.slow)])
def test_copies_in_mid_game_play_on_identically(name: str, way: str, table: dict[str, Any], decisions: int) -> None:
    door = DOORS[name](**table)
    door.begin(8)
    play_on(door, 8, 20)
    before = door.state()
    twin = door.twin(way)
    theirs = play_on(twin, 9, decisions)
    assert door.state() == before
    assert play_on(door, 9, decisions) == theirs


# Traces


AGENTS = (["random"], ["greedy", "random"], ["ismcts:8", "greedy"])


def record_words(number: int) -> list[str]:
    """The arguments of `record` for one of 12 tables: every preset with every kind of agents, the options in turn."""
    column, row = number % 4, number // 4
    preset, players, agents = ("full", "classic", "plain", "duel")[column], 2 + (3 * number + row) % 5, AGENTS[row]
    words = ["--game", "dune", "--preset", preset, "--seed", str(number), "--trace"]
    tleilax = row != 2 * (column % 2)
    words.append("--tleilax" if tleilax else "--no-tleilax")
    words.append("--karama-powers" if (column + row) % 2 else "--no-karama-powers")
    words.append("--open-shields" if (column + row) % 3 else "--no-open-shields")
    if preset == "duel":
        return [*words, "--agents", *agents[:2]]
    words += ["--players", str(players)]
    if (number + row) % 3 != 1:
        names = [*dune.FACTION_NAMES[6 if tleilax and preset != "plain" else 5 : 0 : -1], dune.FACTION_NAMES[0]]
        words += ["--factions", BETWEEN.join(names[:players])]
    return [*words, "--agents", *agents[:players]]


@pytest.mark.slow
def test_recorded_traces_agree_with_the_independent_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """12 games: every preset, every number of players, options, drawn and given factions, three kinds of agents."""
    for number in range(12):
        assert record(["record", "--out", str(tmp_path), *record_words(number)]) == 0
    paths = sorted(map(str, tmp_path.iterdir()))
    assert len(paths) == 12
    capsys.readouterr()
    assert check(paths) == 0
    assert capsys.readouterr().out.count("decisions agree") == 12
    # A trace in which a decision differs is refused.
    lines = Path(paths[0]).read_text(encoding="utf-8").splitlines()
    lines[3] = lines[3].replace('"seat": ', '"seat": 1')
    Path(paths[0]).write_text("\n".join(lines), encoding="utf-8")
    assert check(paths[:1]) == 1

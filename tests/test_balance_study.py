"""Studies of balance: their games, what is recorded of them, their plan and their folder."""

from __future__ import annotations

import json
import math
import re
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from agents.forward import FixedPointForward
from dunaia_env import GameState
from dunaia_env.balance import playing, study as studies
from dunaia_env.balance.design import Condition, Exchange, Forbidden, block_lineups
from dunaia_env.balance.games import CURVE_ROUNDS, Games, joined, read_games, write_games
from dunaia_env.balance.plans import (
    MOST_BLOCKS,
    Plan,
    StudyError,
    StudyOptions,
    began_with_of,
    extended,
    make_plan,
    read_plan,
    write_plan,
)
from dunaia_env.balance.playing import Work, chunks, play
from dunaia_env.balance.study import (
    first_conditions,
    later_conditions,
    make_work,
    needed_blocks,
    read_study,
    run_conditions,
    run_study,
)
from dunaia_env.harness.compiled.chance import Stream
from dunaia_env.harness.lineage import Ancestor
from dunaia_env.harness.opponents import load as load_agent
from dunaia_env.harness.registry import DEFAULT_GAME, find_game
from dunaia_env.harness.roles import NOBODY
from dunaia_env.harness.seeds import block_seed
from dunaia_env.support.array_files import ArrayFileError
from tests.test_agents_network import random_network

pytestmark = pytest.mark.once

COMPONENTS = DEFAULT_GAME.load(None)
ROLES = DEFAULT_GAME.require("roles")
EVENTS = DEFAULT_GAME.events
assert EVENTS is not None
SHORT = {"max_rounds": 8}
OTHER = "dunaia_env.harness.opponents:RandomAgent"


def condition(
    kind: Any = "assigned", players: int = 2, agent: str = "greedy", blocks: int = 2, **more: Any
) -> Condition:
    return Condition(f"{kind}-{players}-{agent}", kind, players, agent, blocks, **{"options": SHORT} | more)


def played(one: Condition, first: int = 0, last: int | None = None, seed: int = 5) -> Games:
    return play(Work("dunaia", one, COMPONENTS, seed, first, one.blocks if last is None else last))


def same(one: Games, other: Games) -> bool:
    return all(np.array_equal(getattr(one, field.name), getattr(other, field.name)) for field in fields(Games))


# Games


@pytest.mark.parametrize("players", [2, 3, 4])
def test_assigned_games_are_those_of_the_design(players: int) -> None:
    games = played(condition(players=players))
    for block in range(2):
        rows = games.roles[games.block == block]
        assert [tuple(row) for row in rows.tolist()] == list(block_lineups(block, 6, players))
    assert games.order.tolist() == [*range(6), *range(6)]


def test_games_of_powerless_roles_are_those_in_which_they_play() -> None:
    whole = played(condition(players=3))
    games = played(condition("powerless", players=3, role=4))
    assert len(games) == 6
    for row in range(len(games)):
        (other,) = np.flatnonzero((whole.block == games.block[row]) & (whole.order == games.order[row]))
        expected = [NOBODY if role == 4 else role for role in whole.roles[other].tolist()]
        assert games.roles[row].tolist() == expected
        assert NOBODY in expected


def test_a_recorded_game_is_the_one_that_states_play() -> None:
    games = played(condition(players=3, blocks=1, options={"max_rounds": 100}))
    assigned, agent = find_game("dunaia_assigned"), load_agent("greedy", game=find_game("dunaia_assigned"))
    row = 3
    chance = Stream(block_seed(5, 0))
    roles = games.roles[row].tolist()
    state = GameState.new(chance, game=assigned, num_players=3, **ROLES.assigned(roles))
    uses, events, starts, decisions = [0, 0, 0], [], {}, 0
    while not state.is_over:
        content, seat, action = state.to_dict(), state.seat, agent.act(state)
        starts.setdefault(content["round"], content["scores"])
        bytes_ = np.frombuffer(state.to_bytes(), np.uint8)[None]
        uses[seat] += int(ROLES.uses_power(bytes_, COMPONENTS, np.array([action]))[0])
        event = int(EVENTS.of(bytes_, COMPONENTS, np.array([action]))[0])
        if event >= 0:
            events.append((event, seat, content["round"]))
        state.apply(action, chance)
        decisions += 1
    assert (games.scores[row].tolist(), games.ranks[row].tolist()) == (state.scores(), state.ranks())
    assert (int(games.rounds[row]), int(games.decisions[row])) == (state.ending()[0], decisions)
    assert games.uses[row].tolist() == uses
    assert sum(uses) > 0
    curve = games.curve[row]
    for number, scores in starts.items():
        assert curve[number - 1].tolist() == scores
    assert (curve[int(games.rounds[row]) :] == games.scores[row]).all()
    for event in range(len(EVENTS.names)):
        own = [(seat, number) for found, seat, number in events if found == event]
        assert games.first_seat[row, event] == (own[0][0] if own else NOBODY)
        for seat in range(3):
            rounds = [number for other, number in own if other == seat]
            assert games.events[row, seat, event] == len(rounds)
            assert games.first_round[row, seat, event] == (rounds[0] if rounds else 0)


def test_a_game_does_not_depend_on_those_played_beside_it() -> None:
    one = condition(players=2, blocks=4)
    assert same(played(one), joined([played(one, 2, 4), played(one, 0, 1), played(one, 1, 2)]))


def test_drafts_record_what_was_offered() -> None:
    games = played(condition("drafted", players=3, blocks=12))
    assert (games.roles != NOBODY).all()
    counts = np.array([[int(cell).bit_count() for cell in row] for row in games.offered.tolist()])
    # The last seat chooses among four first, then the one before it.
    assert (counts == [2, 3, 4]).all()
    assert ((games.offered.astype(int) >> games.roles) & 1).all()
    assert not played(condition(players=2, blocks=1)).offered.any()


def test_absent_roles() -> None:
    games = played(condition("absent", players=4, blocks=3))
    assert (games.roles == NOBODY).all()
    assert not games.uses.any()
    assert games.block.tolist() == [0, 1, 2]


def test_shares_and_margins() -> None:
    games = played(condition(blocks=1))
    two = replace(
        games[np.array([0, 1])],
        ranks=np.array([[1, 1], [2, 1]], np.int8),
        scores=np.array([[7, 7], [10, 14]], np.int32),
    )
    assert two.shares.tolist() == [[0.5, 0.5], [0, 1]]
    assert two.margins.tolist() == [[0, 0], [-4, 4]]


def test_a_forbidden_event_does_not_occur() -> None:
    event = EVENTS.names.index("buys a level 1 chips tile")
    free = played(condition("absent", blocks=20), seed=6)
    assert free.events[:, 0, event].any()
    assert (free.first_round[:, 0, event] == 1).any() or (free.first_round[:, 0, event] == 2).any()
    both = played(condition("absent", blocks=20, forbidden=(Forbidden(event, (0, 1), (1, 100)),)), seed=6)
    assert not both.events[:, :, event].any()
    early = played(condition("absent", blocks=20, forbidden=(Forbidden(event, (0,), (1, 3)),)), seed=6)
    rounds = early.first_round[:, 0, event]
    assert not ((rounds > 0) & (rounds <= 3)).any()
    assert (rounds > 3).any()
    assert ((early.first_round[:, 1, event] > 0) & (early.first_round[:, 1, event] <= 3)).any()


def test_seats_are_exchanged_at_the_start_of_a_round() -> None:
    plain = played(condition(blocks=2))
    changed = played(condition(blocks=2, exchanges=(Exchange(4, (0, 1)),)))
    assert (plain.rounds >= 4).all()
    assert (changed.curve[:, :4] == plain.curve[:, :4]).all()
    # Roles go with what lies before the seats.
    assert (changed.roles == plain.roles[:, ::-1]).all()
    assert not (changed.scores == plain.scores).all()
    never = played(condition(blocks=2, exchanges=(Exchange(99, (0, 1)),)))
    assert same(never, plain)


def test_an_agent_of_its_own_holds_a_role() -> None:
    special = played(condition(agent="random", blocks=5, role_agents={2: "greedy"}, options={"max_rounds": 30}))
    own, others = special.shares[special.roles == 2], special.shares[special.roles != 2]
    assert own.mean() > others.mean() + 0.2
    assert same(played(condition(blocks=1, role_agents={2: "greedy"})), played(condition(blocks=1)))


def test_an_agent_of_its_own_plays_the_seat_without_power() -> None:
    more: dict[str, Any] = {"kind": "powerless", "role": 2, "options": {"max_rounds": 30}}
    special = played(condition(agent="random", blocks=8, role_agents={NOBODY: "greedy"}, **more))
    own = special.roles == NOBODY
    assert (own.sum(axis=1) == 1).all()
    assert special.shares[own].mean() > special.shares[~own].mean() + 0.2
    same_agent = played(condition(blocks=1, role_agents={NOBODY: "greedy"}, **more))
    assert same(same_agent, played(condition(blocks=1, **more)))


def test_a_file_of_games_reads_back(tmp_path: Path) -> None:
    games = played(condition(blocks=1))
    write_games(tmp_path / "g.safetensors", games, {"condition": "x"})
    again, header = read_games(tmp_path / "g.safetensors")
    assert same(again, games)
    assert header["condition"] == "x"
    shorter = replace(games, scores=games.scores[:2])
    write_games(tmp_path / "g.safetensors", shorter, {})
    with pytest.raises(
        ArrayFileError, match=r"g.safetensors: scores: expected \(6, 2\), as elsewhere, got shape \(2, 2\)"
    ):
        read_games(tmp_path / "g.safetensors")
    (tmp_path / "g.safetensors").write_bytes(b"nothing")
    with pytest.raises(ArrayFileError, match="damaged"):
        read_games(tmp_path / "g.safetensors")


# The number of blocks


def test_the_number_of_blocks_makes_the_interval_as_narrow_as_asked_for() -> None:
    values = np.random.default_rng(0).normal(0.5, 0.3, (200, 3))
    deviation = values.std(axis=0, ddof=1).max()
    blocks = needed_blocks(values, 0.01)
    # The t quantile with 199 degrees of freedom is 1.972.
    assert blocks == math.ceil((1.97195654 * deviation / 0.01) ** 2)
    assert needed_blocks(values, 0.5) == 200
    assert needed_blocks(values, 1e-6) == MOST_BLOCKS


def test_blocks_come_in_whole_cycles() -> None:
    plan = make_plan(StudyOptions(strengths=("greedy",), players=(2, 3), pilot=7, precision=0.2))
    first = run_conditions(
        DEFAULT_GAME, [replace(one, options=SHORT) for one in first_conditions(plan, DEFAULT_GAME)], seed=0, jobs=1
    )
    for one in later_conditions(plan, DEFAULT_GAME, first):
        assert one.blocks % {2: 5, 3: 20}[one.players] == 0 or one.kind == "powerless"
        assert one.blocks >= 7


def test_special_agents_play_as_many_blocks_as_their_change_needs() -> None:
    plan = make_plan(
        StudyOptions(strengths=("random",), specialists=("mystic=greedy",), players=(2,), pilot=20, precision=0.1)
    )
    conditions = first_conditions(plan, DEFAULT_GAME)
    stage = run_conditions(DEFAULT_GAME, [replace(one, options=SHORT) for one in conditions], seed=2, jobs=1)
    later = {one.name: one.blocks for one in later_conditions(plan, DEFAULT_GAME, stage)}
    general, held = stage["assigned-2-random"], stage["assigned-2-random-mystic=greedy"]
    shares = [
        np.array([one.shares[(one.block == block)[:, None] & (one.roles == 3)].mean() for block in range(20)])
        for one in (general, held)
    ]
    needed = needed_blocks((shares[1] - shares[0])[:, None], studies.SPECIAL * 0.1)
    expected = min(-(-needed // 5) * 5, later["assigned-2-random"])
    assert expected > 20
    names = ["assigned-2-random-mystic=greedy", "assigned-2-greedy-mystic held", "powerless-2-random-mystic=greedy"]
    assert [later[name] for name in names] == [expected] * 3
    # Its games without the power serve the study of powers too.
    assert later["powerless-2-random-mystic"] >= expected


# Plans


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"strengths": ()}, "strengths: expected at least one agent, got none"),
        ({"strengths": ("greedy", "greedy")}, "strengths: expected each agent once, got greedy twice"),
        ({"strengths": ("gready",)}, "agent 'gready': expected one of|agent gready: expected one of"),
        ({"others": ("nobody.safetensors",)}, "nobody.safetensors"),
        (
            {"specialists": ("mystic",)},
            "specialists: expected role=agent with one of merchant, trickster.*, got 'mystic'",
        ),
        ({"specialists": ("king=greedy",)}, "specialists: expected role=agent.*, got 'king=greedy'"),
        ({"responses": ("king=greedy",)}, "responses: expected role=agent.*, got 'king=greedy'"),
        ({"specialists": ("mystic=random",), "responses": ("mystic=random",)}, "mystic=random is a specialist too"),
        ({"opponent": "greedy"}, "opponent: 'greedy', but no specialists or responses"),
        ({"specialists": ("mystic=random",), "opponent": "random"}, "opponent: expected one of greedy, got 'random'"),
        ({"derived": ("random=greedy",)}, "derived: expected one of greedy, got 'random'"),
        ({"most_blocks": ("random=5",)}, "most_blocks: expected one of greedy, got 'random'"),
        ({"most_blocks": ("greedy=1",)}, "most_blocks: expected at least 2 blocks, got greedy=1"),
        ({"tables": ("greedy=2",)}, "tables: 'greedy' is a strength"),
        ({"others": ("random",), "tables": ("random=7",)}, "tables: 'random': expected some of 2, 3, 4, got 7"),
        ({"others": ("random",), "tables": ("random=",)}, "tables: expected AGENT=2,3, got 'random='"),
        ({"players": (5,)}, "num_players: expected an integer in 2..4, got 5"),
        ({"tolerance": 0.0}, "tolerance: expected a share above 0.*, got 0.0"),
        ({"precision": 1.5}, "precision: expected a share above 0.*, got 1.5"),
        ({"pilot": 1}, "pilot: expected at least 2 blocks, got 1"),
        ({"components": Path("missing.toml")}, "missing.toml"),
    ],
)
def test_a_wrong_plan_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_plan(StudyOptions(**{"strengths": ("greedy",)} | wrong))


def test_a_game_without_roles_has_no_study() -> None:
    with pytest.raises(ValueError, match="this game has no roles to balance"):
        make_plan(StudyOptions(game="tests.toy_game", strengths=("random",)))


def test_a_plan_names_every_condition_once() -> None:
    plan = make_plan(
        StudyOptions(strengths=("random", "greedy"), others=("greedy",), specialists=("mystic=random",), players=(2, 4))
    )
    conditions = first_conditions(plan, DEFAULT_GAME)
    names = [one.name for one in conditions]
    assert len(set(names)) == len(names) == 2 * (2 + 2 + 2 + 6 + 3)
    assert "powerless-4-greedy-mystic" in names
    held, without = (one for one in conditions if one.players == 2 and one.role_agents)
    assert (held.role, held.role_agents, held.agent) == (3, {3: "random"}, "greedy")
    assert (without.role, without.role_agents, without.agent) == (3, {NOBODY: "random"}, "greedy")
    (among,) = (one for one in conditions if one.name == "assigned-2-random-mystic held")
    assert (among.role, among.agent, among.role_agents) == (3, "random", {})


def test_agents_may_play_at_some_tables_and_fewer_blocks() -> None:
    plan = make_plan(
        StudyOptions(
            strengths=("random",),
            others=("greedy",),
            specialists=("mystic=greedy",),
            players=(2, 3),
            powers=False,
            most_blocks=("greedy=7",),
            tables=("greedy=3",),
            pilot=20,
        )
    )
    conditions = {one.name: one for one in first_conditions(plan, DEFAULT_GAME)}
    assert "assigned-3-greedy" in conditions
    assert "assigned-2-greedy" not in conditions
    assert "assigned-2-random-mystic=greedy" not in conditions
    assert conditions["assigned-3-random"].blocks == 20
    # The limit holds wherever the agent plays.
    assert conditions["assigned-3-greedy"].blocks == conditions["assigned-3-random-mystic=greedy"].blocks == 7
    short = [replace(one, options=SHORT) for one in conditions.values()]
    stage = run_conditions(DEFAULT_GAME, short, seed=0, jobs=1)
    later = {one.name: one for one in later_conditions(plan, DEFAULT_GAME, stage)}
    # Rounded up to a whole cycle.
    assert later["assigned-3-greedy"].blocks == later["assigned-3-random-mystic=greedy"].blocks == 20
    assert later["assigned-3-random"].blocks > 1000


# Folders


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> Plan:
    """A plan of short games, in small chunks."""
    original = first_conditions
    monkeypatch.setattr(
        studies, "first_conditions", lambda *given: tuple(replace(one, options=SHORT) for one in original(*given))
    )
    monkeypatch.setattr(playing, "GAMES_AT_ONCE", 12)
    return make_plan(StudyOptions(strengths=("random", "greedy"), players=(2,), pilot=5, precision=0.3), command="c")


def test_a_study_is_the_same_however_it_was_played(tmp_path: Path, short: Plan, capsys: Any) -> None:
    study = run_study(tmp_path / "one", short, jobs=1)
    assert all(one.blocks >= 5 for one in study.conditions)
    assert set(study.games) == {one.name for one in first_conditions(short, DEFAULT_GAME)}
    (greedy,) = (one for one in study.conditions if one.name == "assigned-2-greedy")
    assert greedy.blocks > 5
    assert len(study.of("assigned", 2, "greedy") or ()) == 6 * greedy.blocks
    assert study.of("assigned", 3, "greedy") is None
    # Stopped in the middle, and continued: some chunks are missing, also one before others.
    files = sorted((tmp_path / "one" / "games").iterdir())
    (tmp_path / "two" / "games").mkdir(parents=True)
    (tmp_path / "two" / "study.json").write_bytes((tmp_path / "one" / "study.json").read_bytes())
    for path in files[::2]:
        (tmp_path / "two" / "games" / path.name).write_bytes(path.read_bytes())
    again = run_study(tmp_path / "two", replace(short, command="other", started="later"), jobs=1)
    assert again.plan == study.plan
    assert again.conditions == study.conditions
    for name, games in study.games.items():
        assert same(games, again.games[name]), name
    # Nothing is left to be played.
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "two" / "games").iterdir()}
    run_study(tmp_path / "two", short, jobs=1)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "two" / "games").iterdir()} == before


@pytest.mark.slow
def test_a_study_does_not_depend_on_the_number_of_workers(tmp_path: Path) -> None:
    plan = make_plan(StudyOptions(strengths=("greedy",), players=(2,), pilot=5, precision=0.3))
    one, two = (run_study(tmp_path / str(jobs), plan, jobs=jobs) for jobs in (1, 2))
    assert set(one.games) == set(two.games)
    for name, games in one.games.items():
        assert same(games, two.games[name]), name


def test_a_folder_of_another_study_is_refused(tmp_path: Path, short: Plan) -> None:
    run_study(tmp_path, short, jobs=1)
    with pytest.raises(StudyError, match=r"holds another study: tolerance 0.03 stored, 0.05 requested"):
        run_study(tmp_path, replace(short, tolerance=0.05), jobs=1)


def test_agents_can_be_added_to_a_study(tmp_path: Path, short: Plan) -> None:
    study = run_study(tmp_path, short, jobs=1)
    before = {path: path.read_bytes() for path in (tmp_path / "games").iterdir()}
    asked = make_plan(
        StudyOptions(
            strengths=("random", "greedy"),
            others=(OTHER,),
            specialists=("mystic=random",),
            players=(2,),
            pilot=5,
            precision=0.3,
        ),
        command="later",
    )
    longer = run_study(tmp_path, asked, jobs=1)
    assert longer.plan.command == "c"
    (extension,) = longer.plan.extensions
    assert (extension.agents, extension.command) == ((OTHER, "mystic=random"), "later")
    assert {path: path.read_bytes() for path in before} == before
    for name, games in study.games.items():
        assert same(games, longer.games[name]), name
    held = longer.games["assigned-2-greedy-mystic=random"]
    assert (held.roles == 3).any(axis=1).all()
    assert len(longer.games[f"assigned-2-{OTHER}"]) >= 30
    # The first command, and the second one again, go on with the longer study. No file decides which code is imported,
    # so a command has to name the agents that have a module.
    with pytest.raises(
        StudyError,
        match=r"study\.json: not the plan of a study: others\[0\]: expected .*, got 'dunaia_env\.harness\.",
    ):
        run_study(tmp_path, short, jobs=1)
    named = replace(short, others=(OTHER,), versions=short.versions | {OTHER: longer.plan.versions[OTHER]})
    assert run_study(tmp_path, named, jobs=1).plan == longer.plan
    assert run_study(tmp_path, asked, jobs=1).plan == longer.plan
    # What was added before stays, also if a further command does not name it.
    further = replace(short, others=("x",), versions=short.versions | {"x": "x 1"}, command="third")
    most = extended(longer.plan, further, tmp_path)
    assert most.others == (OTHER, "x")
    assert (most.specialists, most.opponent) == (("mystic=random",), "greedy")
    assert [one.command for one in most.extensions] == ["later", "third"]
    with pytest.raises(StudyError, match="opponent 'greedy' stored, 'random' requested"):
        run_study(tmp_path, replace(asked, opponent="random"), jobs=1)
    with pytest.raises(StudyError, match=re.escape("most_blocks {} stored, {'greedy': 5} requested")):
        run_study(tmp_path, replace(asked, others=(OTHER, "x"), most_blocks={"greedy": 5}), jobs=1)
    with pytest.raises(StudyError, match="versions"):
        run_study(tmp_path, replace(asked, versions=asked.versions | {"greedy": "greedy 3"}), jobs=1)


def test_a_plan_of_the_first_version_reads(tmp_path: Path, short: Plan) -> None:
    run_study(tmp_path, short, jobs=1)
    path = tmp_path / "study.json"
    content = json.loads(path.read_text())
    for name in ("responses", "opponent", "derived", "most_blocks", "tables", "extensions", "options", "lineages"):
        content.pop(name)
    path.write_text(json.dumps(content | {"version": 1}))
    assert read_study(tmp_path).plan == short
    assert run_study(tmp_path, short, jobs=1).plan == short


def test_a_plan_tells_the_lineages_of_model_files(tmp_path: Path) -> None:
    ancestor = {"name": "first", "weights": "11111111"}
    for name, header in (("a", {}), ("b", {"began_with": [ancestor]}), ("c", {"began_with": "first"})):
        random_network(len(name), **header).save(tmp_path / f"{name}.safetensors")
    one, two, wrong = (str(tmp_path / f"{name}.safetensors") for name in "abc")
    plan = make_plan(StudyOptions(strengths=("random", one), others=(two,)))
    assert {label: lineage.ancestors for label, lineage in plan.lineages.items()} == {
        one: (),
        two: (Ancestor("first", "11111111"),),
    }
    assert began_with_of(plan) == {two: "first (11111111)"}
    said = make_plan(StudyOptions(strengths=("random", one), others=(two,), derived=(f"{two}={one}",)))
    assert began_with_of(said) == {two: one}
    with pytest.raises(StudyError, match=r"c\.safetensors': began_with: expected a list, got 'first'"):
        make_plan(StudyOptions(strengths=(wrong,)))
    # It is kept with the study, also of an agent that is added.
    write_plan(tmp_path, plan)
    assert read_plan(tmp_path) == plan
    before = make_plan(StudyOptions(strengths=("random", one)))
    assert extended(before, plan, tmp_path).lineages == plan.lineages
    # Plans of the second version did not say it.
    content = json.loads((tmp_path / "study.json").read_text())
    del content["lineages"]
    (tmp_path / "study.json").write_text(json.dumps(content | {"version": 2}))
    assert read_plan(tmp_path) == replace(plan, lineages={})


def test_damaged_folders_are_refused(tmp_path: Path, short: Plan) -> None:
    with pytest.raises(StudyError, match=r"study\.json"):
        read_study(tmp_path)
    run_study(tmp_path, short, jobs=1)
    plan = json.loads((tmp_path / "study.json").read_text())
    (tmp_path / "study.json").write_text(json.dumps(plan | {"precision": "much"}))
    with pytest.raises(StudyError, match=r"study.json: not the plan of a study: precision"):
        read_study(tmp_path)
    (tmp_path / "study.json").write_text(json.dumps(plan | {"version": 99}))
    with pytest.raises(StudyError, match="format and version"):
        read_study(tmp_path)
    (tmp_path / "study.json").write_text(json.dumps(plan))
    games = played(condition(blocks=1))
    write_games(tmp_path / "games" / "zzz.safetensors", games, {"condition": "unknown", "first": 0, "last": 1})
    with pytest.raises(StudyError, match=r"zzz.safetensors: expected a condition of the study, got 'unknown'"):
        read_study(tmp_path)


def test_an_error_of_a_worker_is_raised_and_what_was_finished_is_kept(
    tmp_path: Path, short: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(work: Work) -> Games:
        if work.condition.kind == "absent":
            raise RuntimeError("no more")
        return play(work)

    monkeypatch.setattr(playing, "play", fails)
    with pytest.raises(RuntimeError, match="no more"):
        run_study(tmp_path, short, jobs=1)
    kept = len(list((tmp_path / "games").iterdir()))
    assert kept > 0
    monkeypatch.setattr(playing, "play", play)
    study = run_study(tmp_path, short, jobs=1)
    assert len(list((tmp_path / "games").iterdir())) > kept
    assert same(study.games["absent-2-greedy"], run_study(tmp_path, short, jobs=1).games["absent-2-greedy"])


def test_work_comes_in_chunks_of_whole_blocks() -> None:
    one = condition(players=2, blocks=200)
    works = list(chunks(make_work(DEFAULT_GAME, one, seed=3, first=30), 6))
    assert [(work.first, work.last) for work in works] == [(30, 115), (115, 200)]
    assert works[0].seed == 3
    assert not list(chunks(make_work(DEFAULT_GAME, one, seed=3, first=200), 6))


def test_a_curve_is_long_enough_for_its_rounds() -> None:
    games = played(condition(blocks=1))
    assert games.curve.shape == (6, CURVE_ROUNDS, 2)


def test_a_worker_keeps_only_the_agents_that_it_used_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "_loaded", SimpleNamespace())
    loaded: list[str] = []

    def load(label: str, game: Any, components: Any) -> Any:
        loaded.append(components.hash)
        return SimpleNamespace(name=label)

    monkeypatch.setattr(playing.opponents, "load", load)
    files = [SimpleNamespace(hash=str(number)) for number in range(100)]
    first = playing.load_agent("champion", DEFAULT_GAME, files[0])
    for begin in (1, 6):
        for file in files[begin : begin + 5]:
            playing.load_agent("champion", DEFAULT_GAME, file)
        assert playing.load_agent("champion", DEFAULT_GAME, files[0]) is first  # used lately, so others went
    playing.load_agent("champion", DEFAULT_GAME, files[1])
    assert loaded == [str(number) for number in (*range(11), 1)]
    assert len(playing._loaded.agents) == playing._KEPT


def test_networks_are_computed_by_differences(tmp_path: Path) -> None:
    random_network(name="own").save(tmp_path / "own.safetensors")
    agent = playing.load_agent(str(tmp_path / "own.safetensors"), DEFAULT_GAME, COMPONENTS)
    assert type(agent.forward) is FixedPointForward
    assert agent.name == "own"
    assert playing.load_agent("greedy", DEFAULT_GAME, COMPONENTS).name == "greedy"

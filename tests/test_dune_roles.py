"""Factions of Dune as roles: who plays which, what uses a power, and studies of them from the plan to the report."""

from __future__ import annotations

import itertools
import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dunaia_env import GameState
from dunaia_env.balance import __main__ as command
from dunaia_env.balance.plans import Plan, StudyError, StudyOptions, make_plan, options_of
from dunaia_env.balance.questions.verdicts import OVER, judge
from dunaia_env.balance.simulation import draw_games, planted_world
from dunaia_env.balance.study import first_conditions
from dunaia_env.dune import FACTION_NAMES, GAME, parse_action
from dunaia_env.dune.decisions import DECISION_NAMES
from dunaia_env.dune.state import (
    ATREIDES,
    BENE_GESSERIT,
    EMPEROR,
    FREMEN,
    GUILD,
    HARKONNEN,
    KARAMA_CARD,
    SHIPPED,
    STATE_DTYPE,
    TLEILAX,
    WORTHLESS,
    new_state,
)
from dunaia_env.dune.with_tleilax import GAME as WITH_TLEILAX
from dunaia_env.harness.commands import parse_command
from dunaia_env.harness.roles import NOBODY

ROLES = GAME.require("roles")
COMPONENTS = GAME.load(None)


def held_in(state: GameState) -> list[int]:
    found: list[int] = ROLES.held(np.frombuffer(state.to_bytes(), np.uint8)[None])[0].tolist()
    return found


# Who plays which faction


@pytest.mark.parametrize("players", [2, 3, 6])
def test_given_factions_are_held_and_nobody_else_plays(players: int) -> None:
    for factions in itertools.islice(itertools.permutations(range(6), players), 0, 120, 23):
        state = GameState.new(3, game=GAME, num_players=players, **ROLES.assigned(factions))
        assert held_in(state) == [*factions, *[NOBODY] * (6 - players)]
        assert [one["faction"] for one in state.to_dict()["players"]] == list(factions)


def test_drawn_factions_are_those_of_the_state() -> None:
    for seed in range(8):
        state = GameState.new(seed, game=GAME, num_players=4, **ROLES.drafted)
        factions = [one["faction"] for one in state.to_dict()["players"]]
        assert held_in(state) == [*factions, NOBODY, NOBODY]
        assert max(factions) < TLEILAX


def test_without_powers_no_faction_is_a_role() -> None:
    state = GameState.new(1, game=GAME, num_players=3, **ROLES.absent)
    assert held_in(state) == [NOBODY] * 6


def test_nobody_chooses_a_faction() -> None:
    assert not ROLES.offered(np.stack([new_state()] * 3)).any()
    assert ROLES.offered(new_state()[None]).shape == (1, len(ROLES.names))


@pytest.mark.parametrize(
    ("factions", "message"),
    [
        ((6, 0), r"factions: expected 0..5, got 6"),
        ((NOBODY, 0), r"factions: expected 0..5, got -1, because every seat has a faction"),
        ((4, 4), r"factions: \(4, 4\); each can be held once"),
    ],
)
def test_factions_that_cannot_be_given_are_refused(factions: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ROLES.assigned(factions)


def test_the_bene_tleilax_are_a_role_of_their_own_game() -> None:
    roles = WITH_TLEILAX.require("roles")
    assert (ROLES.names, roles.names) == (FACTION_NAMES[:6], FACTION_NAMES)
    state = GameState.new(3, game=WITH_TLEILAX, num_players=2, **roles.assigned([TLEILAX, GUILD]))
    assert held_in(state)[:2] == [TLEILAX, GUILD]
    with pytest.raises(ValueError, match=r"factions: expected 0..6, got 7"):
        roles.assigned([7, 0])
    drawn = {
        faction
        for seed in range(12)
        for faction in held_in(GameState.new(seed, game=WITH_TLEILAX, num_players=6, **roles.drafted))
    }
    assert drawn == set(range(7))
    state = GameState.new(1, game=WITH_TLEILAX, num_players=2, **roles.absent)
    assert held_in(state) == [NOBODY] * 6


# Powers


@pytest.mark.parametrize(
    ("faction", "decision", "using", "others"),
    [
        (ATREIDES, "PRESCIENCE", ["see 1", "karama"], ["pass"]),
        (HARKONNEN, "REVIVAL_CARDS", ["karama"], ["pass"]),
        (EMPEROR, "GIFT", ["number 1", "number 20"], ["number 0"]),
        (EMPEROR, "REVIVAL_CARDS", ["karama"], ["pass"]),
        (FREMEN, "SHIP", ["cell 4"], ["pass"]),
        (FREMEN, "RIDE", ["territory 3"], ["pass"]),
        (FREMEN, "BLOW_CARDS", ["karama"], ["pass", "card 13"]),
        (GUILD, "SHIP", ["cell 4", "territory 2"], ["pass"]),
        (GUILD, "KARAMA", ["karama"], ["pass"]),
        (BENE_GESSERIT, "VOICE", ["must 1", "must_not 4"], []),
        (BENE_GESSERIT, "ACCOMPANY", ["yes"], ["pass"]),
        (BENE_GESSERIT, "BID", ["karama"], ["pass", "number 1"]),
        (TLEILAX, "PRICE", ["number 0", "number 9"], ["pass"]),
        (TLEILAX, "TAMPER", ["number 0", "number 2"], ["number 1"]),
        (TLEILAX, "REVIVAL_CARDS", ["karama"], ["pass"]),
    ],
)
def test_uses_of_powers_are_told_apart(faction: int, decision: str, using: list[str], others: list[str]) -> None:
    texts = [*using, *others]
    state = new_state()
    record = state.view(STATE_DTYPE)[0]
    record.num_players, record.seat, record.powers = 2, 1, 1
    record.decision, record.power = DECISION_NAMES.index(decision), SHIPPED
    record.players["faction"][:2] = [(faction + 1) % 6, faction]
    record.players["hand"][1, [WORTHLESS, KARAMA_CARD]] = 1
    actions = np.array([parse_action(text) for text in texts])

    def used() -> list[bool]:
        found: list[bool] = ROLES.uses_power(np.stack([state] * len(texts)), COMPONENTS, actions).tolist()
        return found

    assert used() == [True] * len(using) + [False] * len(others)
    record.players["hand"][1, WORTHLESS] = 0
    if (faction, decision) == (BENE_GESSERIT, "BID"):
        assert not any(used())  # a Karama is no power of hers
    record.powers = 0
    assert not any(used())


# Studies


def plan_of(**more: Any) -> Plan:
    return make_plan(StudyOptions(game="dune", **{"strengths": ("random",), "players": (2, 6), **more}))


def test_a_study_plays_the_factions_without_taking_single_powers() -> None:
    plan = plan_of(pilot=4, game_options={"alliances": False, "max_alliance": None, "powers": True})
    assert (plan.powers, plan.options) == (False, {"alliances": False})
    conditions = first_conditions(plan, GAME)
    assert {one.kind for one in conditions} == {"assigned", "drafted", "absent"}
    assert all(one.options == {"alliances": False} for one in conditions)
    assert options_of(plan_of(game_options={"deck": 33}), GAME) == {"deck": 33}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"game_options": {"powers": False}}, r"powers: False; a study decides it by itself"),
        ({"game_options": {"factions": (0, 1)}}, r"factions: .*; a study decides it by itself"),
        ({"game_options": {"tleilax": True}}, r"tleilax: True; a study decides it by itself"),
        ({"game_options": {"num_players": 3}}, r"num_players: 3; a study decides it by itself"),
        ({"game_options": {"spice": 3}}, r"spice: no option of dune"),
        ({"game_options": {"deck": 34}}, r"deck: expected 43 or 33, got 34"),
        ({"specialists": ("guild=random",)}, r"specialists: .*guild=random.*; no seat of dune can be without a role"),
        ({"specialists": ("guilds=random",)}, r"specialists: "),
        ({"players": (7,)}, r"num_players: expected an integer in 2\.\.6, got 7"),
    ],
)
def test_wrong_studies_are_refused(more: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        plan_of(**more)
    assert "\n" not in str(caught.value)


def test_an_unknown_faction_is_refused_with_one_clear_error() -> None:
    with pytest.raises(
        StudyError, match=r"specialists: expected role=agent with one of atreides, harkonnen.*, got 'ixians=random'"
    ):
        plan_of(specialists=("ixians=random",))


@pytest.mark.parametrize("players", [5, 6])
def test_a_planted_advantage_of_a_faction_is_found(players: int) -> None:
    world = planted_world(players, 0.12, seat_shares=(1 / players,) * players)
    (games,) = draw_games(world, 200, 1, seed=players)
    verdicts = {one.role: one for one in judge({(players, "greedy"): games}, ROLES.names, samples=500)}
    assert verdicts["atreides"].verdict == "clearly over"
    estimate = verdicts["atreides"].estimates["greedy"]
    assert estimate.low < 0.12 < estimate.high
    assert not any(one.verdict in OVER for name, one in verdicts.items() if name != "atreides")


def test_worlds_need_a_share_for_each_seat() -> None:
    with pytest.raises(ValueError, match="players: expected one of 2, 3, 4, got 5"):
        planted_world(5, 0.1)


def options_for(words: str) -> command.Options:
    return parse_command(
        command.Options,
        program="dunaia balance",
        arguments=shlex.split(words),
        decided=lambda game: game.require("roles").decided,
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--preset plain", "dunaia balance: preset: plain; it sets powers, which this command decides by itself"),
        ("--factions guild+fremen", "--factions"),
        ("--tleilax", "--tleilax"),
    ],
)
def test_the_command_takes_no_option_that_it_decides(
    words: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        options_for(f"--game dune --out x {words}")
    assert message in capsys.readouterr().err


@pytest.mark.compiled
@pytest.mark.slow
def test_a_study_of_the_factions_from_the_command_to_the_report(tmp_path: Path) -> None:
    words = f"--game dune --out {tmp_path} --strengths random --players 3 6 --most-blocks random=20 --no-alliances"
    study = command.main(options_for(f"{words} --max-turns 2 --jobs 1"), "the command")
    assert study.plan.options == {"alliances": False, "max_turns": 2}
    for players in (3, 6):
        games = study.of("assigned", players, "random")
        assert games is not None
        assert len(games) == 120
        assert [sorted(column) for column in games.roles[:6].T.tolist()] == [list(range(6))] * players
        assert (games.rounds <= 2).all()
        assert np.allclose(games.shares.sum(axis=1), 1)
        absent = study.of("absent", players, "random")
        assert absent is not None
        assert (absent.roles == NOBODY).all()
    page = (tmp_path / "report.md").read_text()
    for text in (
        "# Balance of the factions: Dune, 3 and 6 players",
        "Bene Gesserit",
        "factions drawn",
        "without powers",
        "alliances False, max\\_turns 2",
        "No seat of Dune can be without a faction",
        "shared by all",
        "An alliance that wins shares the win in equal parts",
    ):
        assert text in page
    assert "Seat 0 begins" not in page
    data = json.loads((tmp_path / "report.json").read_text())
    assert all(one["path"] and not one["problem"] for one in data["noted_games"])

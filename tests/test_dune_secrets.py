"""What is shown to seats, and when, tells nothing about secret decisions of other seats.

Each pair of games differs only in what some seats must not see: a card, a traitor, spice behind a shield, or a decision
that leaves no trace. Until the games come to the same later decision, these seats are shown the same in the parallel
environment, step by step, and have the same information state in OpenSpiel.
"""

from __future__ import annotations

import copy
import itertools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyspiel
import pytest

import dunaia_env.envs.open_spiel
from dunaia_env import GameState, dune_v0
from dunaia_env.dune import GAME, parse_action
from tests.dune_doors import comparable
from tests.dune_positions import (
    ATREIDES,
    BENE_GESSERIT,
    EMPEROR,
    FREMEN,
    GUILD,
    HARKONNEN,
    TLEILAX,
    Content,
    moment,
    position,
    with_card,
)

assert dunaia_env.envs.open_spiel.DunaiaGame

MOST_STEPS = 60
Plays = Mapping[tuple[str, int], str]  # what a seat does at a decision; elsewhere it passes or takes its first action


@dataclass(frozen=True)
class Game:
    """A game from a position on."""

    content: Content
    plays: Plays = field(default_factory=dict)

    def action(self, state: GameState) -> int:
        """What the deciding seat does."""
        legal = state.legal_actions()
        wanted = self.plays.get((state.decision, state.seat))
        return legal[0] if wanted is None or parse_action(wanted) not in legal else parse_action(wanted)


@dataclass(frozen=True)
class Pair:
    """Two games, the seats that know the difference, and the decision to which both come."""

    one: Game
    other: Game
    knowing: set[int]
    until: tuple[str, int]

    @property
    def watching(self) -> list[int]:
        return [seat for seat in range(6) if seat not in self.knowing]


def card(content: Content, seat: int, kind: int, instead: int, until: tuple[str, int]) -> Pair:
    """A seat holds a card that it does not play, or another card. Atreides may see what is sold later."""
    return Pair(Game(content), Game(with_card(content, seat, kind, instead)), {seat, ATREIDES}, until)


def with_player(content: Content, seat: int, **changes: Any) -> Content:
    changed = copy.deepcopy(content)
    changed["players"][seat] |= changes
    return changed


def with_dead(content: Content, seat: int, tokens: int) -> Content:
    """A position in which tokens of a seat's reserve are in the tanks, so that it has a choice in REVIVE."""
    return with_player(content, seat, reserve=content["players"][seat]["reserve"] - tokens, tanks=tokens)


def proposal(target: str) -> Pair:
    """A proposal that is refused, or none."""
    content = position("PROPOSE")
    content["pending"].pop("alliance_grew")
    asked = (FREMEN + int(target.split()[1])) % 6
    plays = {("PROPOSE", FREMEN): target}
    return Pair(Game(content, plays), Game(content), {FREMEN, asked}, ("PROPOSE", BENE_GESSERIT))


def sales_back(plays: Plays) -> Pair:
    """Fremen ask the Tleilax for a leader and do not get it, or do not ask."""
    content = with_dead(position("BUY_BACK"), GUILD, 4)
    for leader in (16, 17):
        content["leaders"]["alive"][leader] = False
    return Pair(Game(content, plays), Game(content), {FREMEN, TLEILAX}, ("REVIVE", GUILD))


def discs() -> Pair:
    """The discs of the Guild are its own leaders, so that it has no traitor, or they are not."""
    content = changed = position("TRAITOR")
    for seat, own in ((EMPEROR, 10), (FREMEN, 4), (BENE_GESSERIT, 16)):
        changed = with_player(changed, seat, discs=sorted([seat, 6 + seat, 12 + seat, own]))
    changed = with_player(changed, GUILD, discs=[20, 21, 22, 23])
    return Pair(Game(content), Game(changed), {EMPEROR, FREMEN, GUILD, BENE_GESSERIT}, ("DIAL", ATREIDES))


def future() -> Pair:
    """Nobody bids, and Atreides looks at the next spice card."""
    content = position("BID, unseen")
    content["spice_deck"][content["foreseen_spice"]] += 1
    content["foreseen_spice"] = -1
    return card(with_dead(content, HARKONNEN, 4), EMPEROR, 16, 6, ("REVIVE", HARKONNEN))


def shipment() -> Pair:
    content = position("SHIP_COUNT")
    content["options"]["karama_powers"] = True
    return card(with_card(content, GUILD, 6, 16), GUILD, 16, 6, ("MOVE_FROM", EMPEROR))


def pledges() -> Pair:
    content = position("GIFT")
    content["options"]["open_shields"] = False
    without = with_player(content, FREMEN, spice=0)
    return Pair(Game(content), Game(without), {FREMEN}, ("BID", HARKONNEN))


def plan() -> Pair:
    """Fremen hold a weapon and a shield that they do not play, or neither of them."""
    content = position("LEADER")
    content["pending"] = {"field": 8, "defender": FREMEN}
    changed = with_card(with_card(content, FREMEN, 9, 1), FREMEN, 12, 3)
    return Pair(Game(content), Game(changed), {FREMEN}, ("PRESCIENCE", ATREIDES))


def treason() -> Pair:
    content = position("TREASON")
    return Pair(Game(content), Game(with_player(content, FREMEN, traitors=[3])), {FREMEN}, ("KEEP", HARKONNEN))


def first(decision: str, phase: str, **changes: Any) -> Content:
    """A window that has just been opened: the first seat in turn order is asked."""
    return moment(decision, phase, HARKONNEN, **changes)


PAIRS: dict[str, Callable[[], Pair]] = {
    "Weather Control": lambda: card(first("WEATHER", "storm"), EMPEROR, 8, 6, ("DIAL", ATREIDES)),
    "Weather Control of a dialling seat": lambda: card(
        first("WEATHER", "storm"), BENE_GESSERIT, 8, 4, ("DIAL", ATREIDES)
    ),
    "Atomics": lambda: card(
        with_player(first("ATOMICS", "storm", pending={"dials": [1, 1]}), EMPEROR, reserve=19, forces=[[63, 1]]),
        *(EMPEROR, 11, 6, ("BIDDING_CARDS", BENE_GESSERIT)),
    ),
    "thumper": lambda: card(first("BLOW_CARDS", "blow"), GUILD, 13, 0, ("BIDDING_CARDS", BENE_GESSERIT)),
    "harvester": lambda: card(first("HARVESTER", "blow"), EMPEROR, 12, 6, ("BIDDING_CARDS", BENE_GESSERIT)),
    "truthtrance before the sales": lambda: card(first("BIDDING_CARDS", "bidding"), FREMEN, 7, 1, ("RANSOM", GUILD)),
    "cone in a nexus": lambda: card(
        first("NEXUS_CARDS", "nexus", pending={"stack": [{"point": "drawing"}, {"point": "eat"}]}),
        *(EMPEROR, 14, 6, ("PROPOSE", HARKONNEN)),
    ),
    "Karama against the sight": lambda: card(
        first("PLEDGE", "bidding") | {"alliance": [-1, 1, 1, -1, -1, -1], "scores": [1, 1, 1, 1, 1, 0]},
        *(EMPEROR, 16, 6, ("BID", HARKONNEN)),
    ),
    "Karama against the future": future,
    "Karama against a voice": lambda: Pair(
        Game(position("VOICE"), {("VOICE", BENE_GESSERIT): "must 3"}),
        Game(with_card(position("VOICE"), EMPEROR, 16, 6), {("VOICE", BENE_GESSERIT): "must 3"}),
        {EMPEROR},
        ("LEADER", FREMEN),
    ),
    "ghola": lambda: card(
        with_dead(with_dead(first("REVIVAL_CARDS", "revival"), BENE_GESSERIT, 4), HARKONNEN, 4),
        *(BENE_GESSERIT, 9, 10, ("REVIVE", HARKONNEN)),
    ),
    "ghola in a battle": lambda: card(
        position("BATTLE_CARDS") | {"seat": HARKONNEN}, FREMEN, 7, 1, ("VOICE", BENE_GESSERIT)
    ),
    "Hajr": lambda: Pair(
        Game(position("MOVE_TO")),
        Game(with_card(position("MOVE_TO"), GUILD, 9, 0)),
        {GUILD},
        ("SHIP", BENE_GESSERIT),
    ),
    "Karama against a shipment": shipment,
    "weapon and shield": plan,
    "traitor in a battle": treason,
    "discs": discs,
    "spice behind a shield": pledges,
    "proposal to a single seat": lambda: proposal("seat 1"),
    "proposal to a seat before": lambda: proposal("seat 4"),
    "price refused": lambda: sales_back({("BUY_BACK", FREMEN): "leader 16"}),
    "price not accepted": lambda: sales_back({("BUY_BACK", FREMEN): "leader 16", ("PRICE", TLEILAX): "number 2"}),
}
EVERY_PAIR = pytest.mark.parametrize("name", list(PAIRS))


def watch(game: Game, until: tuple[str, int]) -> tuple[list[list[Any]], list[tuple[str, int, int]]]:
    """Play on in the parallel environment: what each seat is shown in each step, and the decisions.

    A decision is its name, its seat and the number of legal actions.
    """
    env: Any = dune_v0.parallel_env(num_players=6)
    last = env.reset(seed=1, options={"state": game.content})
    raw, shown, decisions = env.unwrapped, list[list[Any]](), list[tuple[str, int, int]]()
    while True:
        shown.append([[comparable(part[agent]) for part in last] for agent in env.agents])
        state = raw.game_state
        decisions.append((state.decision, state.seat, len(state.legal_actions())))
        if decisions[-1][:2] == until and len(decisions) > 1:
            return shown, decisions
        assert len(decisions) < MOST_STEPS, decisions
        last = env.step({f"player_{state.seat}": game.action(state)})


@pytest.mark.compiled
@EVERY_PAIR
def test_the_parallel_environment_shows_the_same_in_the_same_steps(name: str) -> None:
    pair = PAIRS[name]()
    one, decisions = watch(pair.one, pair.until)
    other, others = watch(pair.other, pair.until)
    assert [decision[:2] for decision in decisions] == [decision[:2] for decision in others]
    # The difference is a choice that one game offers and the other one does not.
    assert decisions != others
    for seat in pair.watching:
        assert [step[seat] for step in one] == [step[seat] for step in other], seat


@pytest.mark.parametrize(
    ("name", "seat"),
    [("Weather Control", EMPEROR), ("proposal to a single seat", GUILD), ("price refused", TLEILAX)],
)
def test_who_is_asked_is_shown_the_difference(name: str, seat: int) -> None:
    pair = PAIRS[name]()
    one, other = watch(pair.one, pair.until)[0], watch(pair.other, pair.until)[0]
    assert [step[seat] for step in one] != [step[seat] for step in other]


def common(states: list[GameState], random: np.random.Generator) -> list[int]:
    """An action that is legal in both games, or for each game one of its own."""
    legal = [state.legal_actions() for state in states]
    both = sorted(set(legal[0]) & set(legal[1]))
    return [int(random.choice(both))] * 2 if both else [int(random.choice(actions)) for actions in legal]


@pytest.mark.compiled
@pytest.mark.parametrize("players", [2, 4, 6])
def test_all_that_a_seat_does_not_know_may_differ(players: int) -> None:
    """Games go on from positions that a seat cannot tell apart, until what it knows differs."""
    options = {"num_players": players, "tleilax": True, "karama_powers": True, "open_shields": False}
    random, steps, hidden = np.random.default_rng(players), 0, 0
    for seed in range(24 // players):
        envs: list[Any] = [dune_v0.parallel_env(**options) for _ in range(2)]
        envs[0].reset(seed=seed)
        state = envs[0].unwrapped.game_state
        for _ in range(int(random.integers(80, 300))):
            envs[0].step({f"player_{state.seat}": int(random.choice(state.legal_actions()))})
            if state.is_over:
                break
        while not state.is_over and len(state.legal_actions()) == 1:
            envs[0].step({f"player_{state.seat}": state.legal_actions()[0]})
        if state.is_over:
            continue
        start = state.clone()
        for seat in range(players):
            twins = [start, start.resampled(seat, seed)]
            last = [
                env.reset(seed=seed, options={"state": one.to_dict()}) for env, one in zip(envs, twins, strict=True)
            ]
            while True:
                states = [env.unwrapped.game_state for env in envs]
                if states[0].known_to(seat) != states[1].known_to(seat):
                    break
                first, second = ([comparable(part[f"player_{seat}"]) for part in shown] for shown in last)
                assert first == second, (seed, seat)
                assert len({(one.decision, one.seat) for one in states}) == 1
                steps += 1
                hidden += states[0].legal_actions() != states[1].legal_actions()
                if states[0].is_over:
                    break
                actions = common(states, random)
                agent = f"player_{states[0].seat}"
                last = [env.step({agent: action}) for env, action in zip(envs, actions, strict=True)]
    assert steps > 150
    assert hidden > 10


# Information states of OpenSpiel


def tree(game: Game, until: tuple[str, int] | None) -> Any:
    """The OpenSpiel state at which a game comes to a decision; without a decision, the state at its start."""
    options = {key: value for key, value in game.content["options"].items() if value is not None}
    loaded: Any = pyspiel.load_game("python_dune", {"players": 6, **options})
    state = loaded.new_initial_state(GameState.from_dict(game.content, game=GAME))
    for count in range(MOST_STEPS):
        here = state.game_state
        if until is None or (count and not state.is_chance_node() and (here.decision, here.seat) == until):
            return state
        state.apply_action(0 if state.is_chance_node() else game.action(here))
    raise AssertionError(state.game_state)


@pytest.mark.compiled
@EVERY_PAIR
def test_an_information_state_of_openspiel_is_the_same(name: str) -> None:
    pair = PAIRS[name]()
    one, other = tree(pair.one, pair.until), tree(pair.other, pair.until)
    for seat in pair.watching:
        assert one.information_state_string(seat) == other.information_state_string(seat), seat
        assert one.information_state_tensor(seat) == other.information_state_tensor(seat), seat
        entries = json.loads(one.information_state_string(seat))
        assert all(entry != following for entry, following in itertools.pairwise(entries)), seat


def test_an_information_state_remembers_what_was_public() -> None:
    """The same bid of the same seat, after another seat's bid or after its pass: everybody remembers which it was."""
    content = position("BID")
    raised = {("BID", GUILD): "number 1", ("BID", BENE_GESSERIT): "number 1"}
    passed = {("BID", GUILD): "pass", ("BID", BENE_GESSERIT): "number 2"}
    ends = [tree(Game(content, plays), ("BID", ATREIDES)) for plays in (raised, passed)]
    assert ends[0].game_state == ends[1].game_state
    for seat in range(6):
        texts = [end.information_state_string(seat) for end in ends]
        assert texts[0] != texts[1], seat
        now = [json.loads(text)[-1] for text in texts]
        assert now[0] == now[1] == json.loads(ends[0].observation_string(seat))


def test_an_information_state_remembers_own_decisions_that_nobody_noticed() -> None:
    pair = PAIRS["proposal to a single seat"]()
    one, other = tree(pair.one, pair.until), tree(pair.other, pair.until)
    for seat in pair.knowing:
        assert one.information_state_string(seat) != other.information_state_string(seat)
    numbers = [entry for entry in json.loads(one.information_state_string(FREMEN)) if isinstance(entry, int)]
    assert numbers == [parse_action("seat 1")]
    start = tree(pair.one, None)
    assert len(json.loads(start.information_state_string(HARKONNEN))) == 1
